"""Figures with controls get their place on the page, their frames a file beside it.

Before a notebook is read, each output that is a specification of Vega-Lite gives way to a figure: a still
picture, for print and for readers without scripts, and the address of the frames, which
`book/assets/explorers.js` fetches when the figure comes near the window. Pages without such a figure load
nothing.
"""

import hashlib
import html
import json
from base64 import b64decode
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import vl_convert
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder

from calibration_lessons.book.explorers import MIME, SCALE, Explorer
from tools.site.page_weight import as_webp

FOLDER = "_static/explorers"
BUNDLE = f"vega-{version('vl-convert-python')}.js"
FIGURE = """\
<figure class="explorer" id="{id}" data-controls="{controls}" data-frames="{folder}/{id}.json?v={digest}"
  data-bundle="{folder}/{bundle}">
<img class="explorer-still" src="{folder}/{id}.png?v={digest}" alt="{alt}" loading="lazy" {size}>
</figure>"""
PICTURE = """\n
<!-- slide: skip -->
<figure class="lesson-picture" data-pagefind-ignore><a href="#{id}"><picture>
<source media="screen and (max-width: 767px)" srcset="{folder}/{id}-main.webp?v={digest}" {main}>
<img src="{folder}/{id}.png?v={digest}" alt="" {size}></picture><br>{says} ↓</a></figure>"""
STILL = """\
<!-- slide: skip -->
<figure class="lesson-picture" data-pagefind-ignore><a href="#{}">"""


def figures(page: str, notebook: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Find the figures with controls of a notebook: their names, cells and outputs."""
    found = (
        (cell, output)
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if MIME in output.get("data", {})
    )
    for number, (cell, output) in enumerate(found, start=1):
        yield f"{page.rpartition('/')[2]}-{number}", cell, output


def still_and_frames(data: dict[str, Any]) -> tuple[bytes, bytes]:
    """Give the files of a figure: its still picture, and its frames."""
    frames = json.dumps(data[MIME], ensure_ascii=False, separators=(",", ":"))
    return b64decode("".join(data["image/png"])), frames.encode()


def main_panel(data: dict[str, Any]) -> bytes:
    """Draw the first column of a figure alone, for the top of a lesson on a phone."""
    return Explorer(data[MIME] | {"hconcat": data[MIME]["hconcat"][:1]}, "").still()


def replace_outputs(app: Sphinx, page: str, source: list[str]) -> None:
    """Put a figure in the place of each specification in a notebook."""
    if MIME in source[0] and app.env.doc2path(page).endswith(".ipynb"):
        notebook = json.loads(source[0])
        for name, cell, output in figures(page, notebook):
            alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
            if "first-picture" in cell["metadata"].get("tags", ()):
                title = notebook["cells"][0]  # with the lesson's hook
                title["source"] = "".join(title["source"]) + place(page, name, alt, output["data"], PICTURE)
            output["data"] = {"text/html": place(page, name, alt, output["data"])}
            app.env.temp_data["figure"] = name
        source[0] = json.dumps(notebook)


def place(page: str, name: str, alt: str, data: dict[str, Any], form: str = FIGURE) -> str:
    """Write the place of a figure on its page."""
    still, frames = still_and_frames(data)
    controls, readouts = (data[MIME]["usermeta"][kind] for kind in ("controls", "readouts"))
    states = [len(one["texts"]) for one in controls]
    first = np.ravel_multi_index([one["start"] for one in controls], states)
    return form.format(
        id=name,
        folder="../" * page.count("/") + FOLDER,
        digest=hashlib.sha256(frames + still).hexdigest()[:8],
        bundle=BUNDLE,
        controls=" ".join(control["name"] for control in controls),
        says="<strong>{}:</strong> {}".format(*html.escape(readouts[int(first)]).split(": ", 1)),
        alt=html.escape(alt),
        size=size(still),
        main=size(main_panel(data), 1) if form is PICTURE else "",  # as wide as a phone
    )


def size(still: bytes, scale: float = SCALE) -> str:
    """Say how large a picture stands on its page."""
    width, height = (round(int.from_bytes(still[place : place + 4]) / scale) for place in (16, 20))
    return f'width="{width}" height="{height}"'


def show_first(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Show the picture of a cell with the tag below the lesson's hook, too, with its caption."""
    for cell in list(tree.findall(nodes.container)):
        if "tag_first-picture" in cell["classes"] and (image := cell.next_node(nodes.image)):
            figure, lesson = image.parent, tree.next_node(nodes.section)
            says = html.escape(figure.next_node(nodes.caption).astext())
            ends = STILL.format(figure["ids"][0]), f"<br>{says} ↓</a></figure>"
            above, below = (nodes.raw("", end, format="html") for end in ends)
            copied = nodes.image("", **image.attributes | {"alt": ""})
            place = lesson.index(lesson.next_node(nodes.section))
            lesson[place:place] = [above, copied, below]


def light_up(
    name: str, raw: str, text: str, line: int, inliner: Any, *options: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Read {line}`words <name>`: a link to the page's last figure, which lights up the line of that name."""
    words, _sign, series = text.removesuffix(">").partition(" <")
    figure = inliner.document.settings.env.temp_data["figure"]
    to = {"refuri": f"#{figure}", "internal": True, "reftitle": series or words}
    return [nodes.reference(raw, words, classes=["line"], **to)], []


def write_files(app: Sphinx, builder: Builder) -> None:
    """Write still pictures; for the site frames, too, and the bundle that draws them."""
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for page in app.env.found_docs:
        path = Path(app.env.doc2path(page))
        text = path.read_text("utf-8") if path.suffix == ".ipynb" else ""
        for name, cell, output in figures(page, json.loads(text)) if MIME in text else ():
            still, frames = still_and_frames(output["data"])
            (folder / f"{name}.png").write_bytes(still)
            if builder.name == "html":
                (folder / f"{name}.json").write_bytes(frames)
                if "first-picture" in cell["metadata"].get("tags", ()):
                    (main := folder / f"{name}-main.png").write_bytes(main_panel(output["data"]))
                    as_webp(main)
    if builder.name == "html" and not (folder / BUNDLE).exists():
        (folder / BUNDLE).write_text(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"), "utf-8")
