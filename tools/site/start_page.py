"""The start page's hundred pictures, and the start page at the site's own address.

The directive `temperature-figure` lets the first hundred test pictures of a network fall into bins by what it
says of them, at each temperature, computed by the companion when the page is read. Without scripts it is a
still of the network as trained; `book/assets/start.js` moves it, and gives the slider to the reader.
"""

from __future__ import annotations

import html
import json
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from lxml import html as lxml_html
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import calibration_lessons as cl
from calibration_lessons.book import datasets
from tools.site.repairs import write_page

NETWORK, BINS, LOWEST, CASES, ACROSS = 0, 10, 2, 100, 5  # in none of the bins below LOWEST lies a picture
TEMPERATURES = [tenths / 10 for tenths in range(10, 41)]
ALT = """A hundred pictures of clothes, piled in bins by how sure one network is of what each shows. The top
of each pile is at the share of its bin that the network has right. As trained, the piles hang below the
diagonal: it is right less often than it says. With its logits divided by the fitted temperature they hang at
the diagonal."""
FIGURE = """\
<style>.start-field i, .start-one i {{background-image: url(data:image/webp;base64,{sprite})}}</style>
<figure class="start-figure" data-frames="{frames}" data-fitted="{fitted}" data-names="{names}">
<div class="start-axis" aria-hidden="true">it is right: 0 to 100\N{NARROW NO-BREAK SPACE}%</div>
<div class="start-field" role="img" aria-label="{alt}">
<svg viewBox="0 0 100 100" preserveAspectRatio="none"><path d="M0 {low}L100 0"/></svg>
{shares}
{cases}
</div>
<div class="start-bins" aria-hidden="true">{bins}<small>it says, %</small></div>
<div class="start-side">
<div class="start-move pst-js-only">
<label for="start-T">Temperature <output class="start-T">{T:.1f}</output></label>
<input id="start-T" type="range" min="0" max="{last}" value="0">
<button type="button" class="btn btn-sm">Play</button>
<button type="button" class="btn btn-sm">Reset</button></div>
<p>It says <output class="start-says">{says:.1f}\N{NARROW NO-BREAK SPACE}%</output></p>
<p>It is right <output>{right:.1f}\N{NARROW NO-BREAK SPACE}%</output></p>
<p class="start-one pst-js-only" role="status"><i></i>
<span>Drag the temperature, or point at a picture.</span></p>
</div>
<figcaption>The first hundred of {n} test pictures, in bins by how sure one network is. Framed: it is wrong.
Blue: the share of all {n} that it has right, bin by bin. Dashed: what it should have right. All logits are
divided by the temperature; {fitted_T:.1f} was fitted on other pictures.</figcaption>
</figure>"""


def frame(temperature: float) -> dict[str, Any]:
    """Compute how sure the network is of each of the hundred, and its share right, by bin and in all."""
    logits, labels = datasets.network_logits(NETWORK, "test")
    probabilities = cl.softmax(logits / temperature)
    sure = probabilities.max(axis=1)
    curve = cl.reliability_curve(labels, probabilities, n_bins=BINS)
    bins = np.digitize(sure[:CASES], curve.edges[1:-1], right=True)
    return {
        "T": temperature,
        "says": round(100 * float(sure.mean()), 1),
        "right": round(100 * float((probabilities.argmax(axis=1) == labels).mean()), 1),
        "bins": bins.tolist(),
        "sure": np.round(100 * sure[:CASES]).astype(int).tolist(),
        "shares": [round(float(curve.accuracy[i]), 3) if i in bins else None for i in range(LOWEST, BINS)],
    }


def cases() -> list[tuple[int, int]]:
    """Say what the network takes each of the hundred for, and what it is."""
    rows, _ = datasets.network_images()
    if rows[:CASES].tolist() != list(range(CASES)):
        raise ValueError("the pictures of the data set do not begin with its first hundred rows")
    logits, labels = datasets.network_logits(NETWORK, "test")
    return [(int(logits[i].argmax()), int(labels[i])) for i in range(CASES)]


def piled(bins: list[int], wrong: list[bool]) -> list[tuple[int, int, int]]:
    """Give each case its bin, and its column and row in the pile: the wrong ones lie on top.

    >>> piled([9, 9, 8], [False, True, False])
    [(7, 1, 0), (7, 0, 0), (6, 0, 0)]
    """
    order = sorted(range(len(bins)), key=lambda i: not wrong[i])
    rank = {i: sum(bins[j] == bins[i] for j in order[: order.index(i)]) for i in order}
    return [(bins[i] - LOWEST, rank[i] % ACROSS, rank[i] // ACROSS) for i in range(len(bins))]


def sprite() -> str:
    """Put the hundred pictures into one, ten by ten."""
    _, images = datasets.network_images()
    side = images.shape[1] * 10
    sheet = images[:CASES].reshape(10, 10, *images.shape[1:]).swapaxes(1, 2).reshape(side, side)
    written = BytesIO()
    Image.fromarray(sheet).save(written, "webp", quality=60, method=6)
    return b64encode(written.getvalue()).decode()


def figure() -> str:
    """Write the figure with all its frames."""
    fitted = cl.TemperatureScaling().fit(*datasets.network_logits(NETWORK, "calibration")).temperature_
    frames = [frame(temperature) for temperature in TEMPERATURES]
    first = frames[0]
    wrong = [said != is_it for said, is_it in cases()]
    places = piled(first["bins"], wrong)
    n = len(datasets.network_logits(NETWORK, "test").labels)
    return FIGURE.format(
        sprite=sprite(),
        frames=html.escape(json.dumps(frames, separators=(",", ":"))),
        names=html.escape(
            json.dumps([[datasets.FASHION_CLASSES[which] for which in case] for case in cases()])
        ),
        fitted=min(range(len(frames)), key=lambda i: abs(TEMPERATURES[i] - fitted)),
        last=len(frames) - 1,
        n=f"{n:,}".replace(",", "\N{NARROW NO-BREAK SPACE}"),
        alt=" ".join(ALT.split()),
        low=100 - 100 * LOWEST / BINS,
        shares="".join(
            f'<b style="--k:{k};--s:{share or 0}"{"" if share else " hidden"}></b>'
            for k, share in enumerate(first["shares"])
        ),
        cases="".join(
            f'<i{" class=wrong" * wrong[i]} style="--i:{i};--k:{k};--c:{c};--r:{r};--s:{first["shares"][k]};'
            f'background-position:{i % 10 / 0.09:.2f}% {i // 10 / 0.09:.2f}%"></i>'
            for i, (k, c, r) in enumerate(places)
        ),
        bins="".join(f"<span>{10 * b}\N{EN DASH}{10 * b + 10}</span>" for b in range(LOWEST, BINS)),
        fitted_T=fitted,
        **{name: first[name] for name in ("T", "says", "right")},
    )


class TemperatureFigure(SphinxDirective):
    """The figure where the page asks for it."""

    def run(self) -> list[nodes.Node]:
        """Put the figure as it is."""
        return [nodes.raw("", figure(), format="html")]


def write_index(app: Sphinx) -> None:
    """Write the start page a second time, as the page that a server shows at the site's address."""
    site = Path(app.outdir)
    start = app.builder.get_target_uri(app.config.root_doc)
    folder = start.rpartition("/")[0]
    page = lxml_html.parse(str(site / start)).getroot()
    page.rewrite_links(lambda link: moved(link, folder))
    page.set("data-content_root", "./")
    write_page(site / "index.html", page)


def moved(link: str, folder: str) -> str:
    """Say how a link of a page in this folder is written one folder above.

    >>> moved("../_static/a.css", "book"), moved("use/b.html#c", "book"), moved("#d", "book")
    ('_static/a.css', 'book/use/b.html#c', '#d')
    """
    if link.startswith(("#", "data:", "http:", "https:", "mailto:")):
        return link
    return link.removeprefix("../") if link.startswith("../") else f"{folder}/{link}"
