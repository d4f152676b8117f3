"""The picture of a page that others show with a link to it, 1200 by 630 pixels.

Such a picture needs a whole address, so the cards are drawn where `html_baseurl` says where the site is;
`page_heads` names them in the pages' heads.
"""

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from textwrap import wrap

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from sphinx.application import Sphinx

import calibration_lessons as cl
from calibration_lessons.book import datasets
from calibration_lessons.plots.palette import BLUE, GREY, VERMILLION
from tools.binding.prose import COMMENT
from tools.site.page_heads import CARDS, part_of
from tools.site.page_weight import FACES

INK = "#1c2733"
SHORT = 4  # lines of a title in large letters
FEWEST = 20  # rows of a bin that is shown


def card(title: str, part: str) -> Figure:
    """Draw the card of a page: its part, its title, a network without and with a temperature."""
    figure, title = Figure(figsize=(12, 6.3), dpi=100), title.replace(" %", "\N{NO-BREAK SPACE}%")
    width, size = (20, 46) if len(wrap(title, 20)) <= SHORT else (26, 36)
    figure.text(0.05, 0.88, part, color=BLUE, fontproperties=face("sans", 24), va="center")
    figure.text(
        0.05, 0.5, "\n".join(wrap(title, width)),
        color=INK, fontproperties=face("serif", size), va="center", linespacing=1.15,
    )  # fmt: skip
    figure.text(0.05, 0.1, "Calibration Lessons", color=INK, fontproperties=face("sans", 24), va="center")
    ax = figure.add_axes((0.66, 0.2, 0.29, 0.29 * 12 / 6.3), xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xlabel("it says", color=INK, fontproperties=face("sans", 18))
    ax.set_ylabel("it is right", color=INK, fontproperties=face("sans", 18))
    ax.plot([0, 1], [0, 1], "--", color=GREY, linewidth=2)
    for points, color in zip(before_and_after(), (VERMILLION, BLUE), strict=True):
        ax.plot(*points, "o-", color=color, linewidth=4, markersize=11, clip_on=False)
    figure.add_artist(Rectangle((0, 0), 1, 0.02, transform=figure.transFigure, color=BLUE))
    return figure


@cache
def face(name: str, size: int) -> FontProperties:
    """Load one of the typefaces of the site."""
    package, _, file = f"font_source_{FACES[f'{name}-bold']}.ttf".partition("/")
    with as_file(files(package) / file) as font:
        return FontProperties(fname=font, size=size)


@cache
def before_and_after() -> list[tuple[list[float], list[float]]]:
    """Compute what a network says and how often it is right, bin by bin, without and with a temperature."""
    fit, judge = (datasets.network_logits(0, part) for part in ("calibration", "test"))
    scaled = cl.TemperatureScaling().fit(*fit).predict_proba(judge.logits)
    curves = [cl.reliability_curve(judge.labels, p, n_bins=10) for p in (cl.softmax(judge.logits), scaled)]
    shown = [(curve, curve.counts >= FEWEST) for curve in curves]
    return [(curve.confidence[some].tolist(), curve.accuracy[some].tolist()) for curve, some in shown]


def write_cards(app: Sphinx) -> None:
    """Draw the card of each page, where the site has an address."""
    if not app.config.html_baseurl:
        return
    for page, title in app.env.titles.items():
        file = Path(app.outdir) / CARDS.format(page=page)
        file.parent.mkdir(parents=True, exist_ok=True)
        with rc_context({"text.hinting": "none"}):  # hints make the serif's percent sign as wide as a point
            card(COMMENT.sub("", title.astext()), part_of(page)).savefig(file)
