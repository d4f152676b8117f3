"""A Sphinx extension: the start page's moving picture, and the start page at the site's own address.

The directive `temperature-figure` draws a reliability diagram of a network at each temperature, computed by
the companion when the page is read. It is a still with the fitted temperature; `book/assets/start.js` moves
it once from 1 to there, unless the reader wants no motion, and gives the slider to the reader.
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from docutils import nodes
from lxml import html as lxml_html
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import calibration_lessons as cl
from calibration_lessons.book import datasets

NETWORK, BINS, FEWEST = 0, 10, 20
TEMPERATURES = [tenths / 10 for tenths in range(10, 41)]
SIDE, LEFT, TOP = 200, 34, 6  # of the square in the drawing
ALT = """Reliability diagram of one network. Uncalibrated, its points lie below the diagonal: it is right less
often than it says. With its logits divided by the fitted temperature they lie near the diagonal."""
FIGURE = """\
<figure class="start-figure" data-frames="{frames}" data-fitted="{fitted}">
<svg viewBox="0 0 {width} {height}" role="img" aria-label="{alt}">
<path class="start-frame" d="M{left} {top}v{side}h{side}"/>
<path class="start-ideal" d="M{left} {bottom}l{side} -{side}"/>
<g class="start-before">{before}</g><g class="start-now">{now}</g>
<text x="{left}" y="{under}">0</text><text x="{right}" y="{under}" text-anchor="end">1</text>
<text x="{middle}" y="{under}" text-anchor="middle">it says</text>
<text x="{beside}" y="{bottom}" text-anchor="end">0</text>
<text x="{beside}" y="{first}" text-anchor="end">1</text>
<text transform="translate({beside} {center}) rotate(-90)" text-anchor="middle">it is right</text>
</svg>
<div class="start-side">
<p>It says <output class="start-says">{says:.1f}\N{NARROW NO-BREAK SPACE}%</output></p>
<p>It is right <output>{right_share:.1f}\N{NARROW NO-BREAK SPACE}%</output></p>
<div class="start-move pst-js-only">
<label for="start-T">Temperature <output class="start-T">{T:.1f}</output></label>
<input id="start-T" type="range" min="0" max="{last}" value="{fitted}"></div>
<figcaption>One network, {n} test pictures. Hollow: as trained. Filled: all logits divided by the
temperature; {fitted_T:.1f} was fitted on other pictures.</figcaption>
</div>
</figure>"""


def frame(temperature: float) -> dict[str, Any]:
    """Compute the points of each bin (confidence, accuracy), and what the network says on average."""
    logits, labels = datasets.network_logits(NETWORK, "test")
    probabilities = cl.softmax(logits / temperature)
    curve = cl.reliability_curve(labels, probabilities, n_bins=BINS)
    points = [
        [round(float(curve.confidence[i]), 3), round(float(curve.accuracy[i]), 3)]
        if curve.counts[i] >= FEWEST
        else None
        for i in range(BINS)
    ]
    return {
        "T": temperature,
        "points": points,
        "says": round(100 * float(probabilities.max(axis=1).mean()), 1),
        "right": round(100 * float((probabilities.argmax(axis=1) == labels).mean()), 1),
    }


def circles(points: list[list[float] | None]) -> str:
    """Draw the points of a frame; a bin with too few rows keeps its circle, hidden."""
    places = [
        f'cx="{LEFT + SIDE * point[0]:.1f}" cy="{TOP + SIDE - SIDE * point[1]:.1f}"'
        if point
        else 'visibility="hidden"'
        for point in points
    ]
    return "".join(f'<circle {place} r="5"/>' for place in places)


def figure() -> str:
    """Write the figure with all its frames."""
    fitted = cl.TemperatureScaling().fit(*datasets.network_logits(NETWORK, "calibration")).temperature_
    at = min(range(len(TEMPERATURES)), key=lambda i: abs(TEMPERATURES[i] - fitted))
    frames = [frame(temperature) for temperature in TEMPERATURES]
    n = len(datasets.network_logits(NETWORK, "test").labels)
    return FIGURE.format(
        frames=html.escape(json.dumps(frames, separators=(",", ":"))),
        fitted=at,
        last=len(frames) - 1,
        n=f"{n:,}".replace(",", "\N{NARROW NO-BREAK SPACE}"),
        alt=" ".join(ALT.split()),
        before=circles(frames[0]["points"]),
        now=circles(frames[at]["points"]),
        says=frames[at]["says"],
        right_share=frames[at]["right"],
        T=frames[at]["T"],
        fitted_T=fitted,
        left=LEFT,
        top=TOP,
        side=SIDE,
        bottom=TOP + SIDE,
        first=TOP + 10,
        center=TOP + SIDE / 2,
        middle=LEFT + SIDE / 2,
        right=LEFT + SIDE,
        beside=LEFT - 6,
        under=TOP + SIDE + 16,
        width=LEFT + SIDE + 8,
        height=TOP + SIDE + 22,
    )


class TemperatureFigure(SphinxDirective):
    """The figure where the page asks for it."""

    def run(self) -> list[nodes.Node]:
        """Put the figure as it is."""
        return [nodes.raw("", figure(), format="html")]


def add_script(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Let the start page load what moves its figure."""
    if page == app.config.root_doc:
        app.add_js_file("start.js", loading_method="defer")


def drop_index(app: Sphinx) -> None:
    """Take the last build's copy away: `site_slim` wants pages as they are written."""
    (Path(app.outdir) / "index.html").unlink(missing_ok=True)


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Write the start page a second time, as the page that a server shows at the site's address."""
    if error or app.builder.name != "html":
        return
    site = Path(app.outdir)
    start = app.builder.get_target_uri(app.config.root_doc)
    folder = start.rpartition("/")[0]
    page = lxml_html.parse(str(site / start)).getroot()
    page.rewrite_links(lambda link: moved(link, folder))
    page.set("data-content_root", "./")
    (site / "index.html").write_bytes(lxml_html.tostring(page, encoding="utf-8", doctype="<!DOCTYPE html>"))


def moved(link: str, folder: str) -> str:
    """Say how a link of a page in this folder is written one folder above.

    >>> moved("../_static/a.css", "book"), moved("use/b.html#c", "book"), moved("#d", "book")
    ('_static/a.css', 'book/use/b.html#c', '#d')
    """
    if link.startswith(("#", "data:", "http:", "https:", "mailto:")):
        return link
    return link.removeprefix("../") if link.startswith("../") else f"{folder}/{link}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above; the start page is copied when all else is done."""
    app.add_directive("temperature-figure", TemperatureFigure)
    app.connect("html-page-context", add_script)
    app.connect("builder-inited", drop_index)
    app.connect("build-finished", write_index, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
