"""The start page's hundred pictures, and the start page at the site's own address.

The directive `temperature-figure` lets the first hundred test pictures of a network fall into bins by what it
says of them, at each temperature, computed by the companion when the page is read. Without scripts it is a
still of the network as trained; `book/assets/start.js` moves it, and gives the slider to the reader.
"""

import json
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from lxml import html
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import calibration_lessons as cl
from calibration_lessons.book import datasets
from tools.site.repairs import filled, write_page

NETWORK, BINS, LOWEST, CASES, ACROSS = 0, 10, 2, 100, 6  # in none of the bins below LOWEST lies a picture
TEMPERATURES = [tenths / 10 for tenths in range(10, 41)]


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


class TemperatureFigure(SphinxDirective):
    """The figure where the page asks for it."""

    def run(self) -> list[nodes.Node]:
        """Write the figure with all its frames."""
        fitted = cl.TemperatureScaling().fit(*datasets.network_logits(NETWORK, "calibration")).temperature_
        frames = [frame(temperature) for temperature in TEMPERATURES]
        known = cases()
        wrong = [said != is_it for said, is_it in known]
        n = len(datasets.network_logits(NETWORK, "test").labels)
        text = filled(
            "start_page.html",
            self.env,
            sprite=sprite(),
            frames=json.dumps(frames, separators=(",", ":")),
            first=frames[0],
            last=len(frames) - 1,
            names=json.dumps([[datasets.FASHION_CLASSES[which] for which in case] for case in known]),
            fitted=min(range(len(frames)), key=lambda i: abs(TEMPERATURES[i] - fitted)),
            fitted_T=fitted,
            n=f"{n:_}".replace("_", "\N{NARROW NO-BREAK SPACE}"),
            lowest=LOWEST,
            n_bins=BINS,
            cases=list(zip(wrong, piled(frames[0]["bins"], wrong), strict=True)),
        )
        return [nodes.raw("", text, format="html")]


def write_index(app: Sphinx) -> None:
    """Write the start page a second time, as the page that a server shows at the site's address."""
    site = Path(app.outdir)
    start = app.builder.get_target_uri(app.config.root_doc)
    folder = start.rpartition("/")[0]
    page = html.parse(str(site / start)).getroot()
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
