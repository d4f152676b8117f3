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
from importlib.metadata import version
from pathlib import Path
from typing import Any

import vl_convert
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.environment import BuildEnvironment

from calibration_lessons.book.explorers import MIME, SCALE

FOLDER = "_static/explorers"
BUNDLE = f"vega-{version('vl-convert-python')}.js"
FIGURE = """\
<figure class="explorer" id="{id}" data-controls="{controls}" data-frames="{folder}/{id}.json?v={digest}"
  data-bundle="{folder}/{bundle}">
<img class="explorer-still" src="{folder}/{id}.png?v={digest}" alt="{alt}" loading="lazy"
  width="{width}" height="{height}">
</figure>"""
Files = dict[str, bytes]


def replace_outputs(app: Sphinx, page: str, source: list[str]) -> None:
    """Put a figure in the place of each specification in a notebook, and keep its files for the end."""
    found = files(app.env)
    found.pop(page, None)
    if MIME not in source[0] or not app.env.doc2path(page).endswith(".ipynb"):
        return
    notebook = json.loads(source[0])
    kept: Files = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                name = f"{page.rpartition('/')[2]}-{len(kept) // 2 + 1}"
                alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
                output["data"] = {"text/html": figure(page, name, alt, output["data"], kept)}
    found[page] = kept
    source[0] = json.dumps(notebook)


def figure(page: str, name: str, alt: str, data: dict[str, Any], kept: Files) -> str:
    """Write the place of a figure on its page; its still picture and its frames join `kept`."""
    still = b64decode("".join(data["image/png"]))
    frames = json.dumps(data[MIME], ensure_ascii=False, separators=(",", ":")).encode()
    kept |= {f"{name}.png": still, f"{name}.json": frames}
    return FIGURE.format(
        id=name,
        folder="../" * page.count("/") + FOLDER,
        digest=hashlib.sha256(frames + still).hexdigest()[:8],
        bundle=BUNDLE,
        controls=" ".join(control["name"] for control in data[MIME]["usermeta"]["controls"]),
        alt=html.escape(alt),
        width=round(int.from_bytes(still[16:20]) / SCALE),
        height=round(int.from_bytes(still[20:24]) / SCALE),
    )


def files(env: BuildEnvironment) -> dict[str, Files]:
    """Files of the figures, by page, as the build's memory holds them."""
    found: dict[str, Files] = vars(env).setdefault("course_explorers", {})
    return found


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """Forget the figures of a page that changed or is gone."""
    files(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: set[str], other: BuildEnvironment) -> None:
    """Take over what another process read."""
    files(env).update({page: kept for page, kept in files(other).items() if page in pages})


def write_files(app: Sphinx, builder: Builder) -> None:
    """Write still pictures; for the site frames, too, and the bundle that draws them."""
    found = files(app.env)
    if builder.format != "html" or not any(found.values()):
        return
    folder, live = Path(app.outdir) / FOLDER, builder.name == "html"
    folder.mkdir(parents=True, exist_ok=True)
    for kept in found.values():
        for name, content in kept.items():
            if live or name.endswith(".png"):
                (folder / name).write_bytes(content)
    if live and not (folder / BUNDLE).exists():
        (folder / BUNDLE).write_text(
            vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"), encoding="utf-8"
        )
