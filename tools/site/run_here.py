"""What `definitions.source` shows can be run there, by Brython in the browser.

Below each transcription it puts the text of `definitions.program`, which `run_here.js` makes an editor.
Brython is copied from its package into the site, and fetched when a reader first runs something.
"""

import json
import re
from html import escape
from importlib.resources import files
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from calibration_lessons.book import definitions

SHOWN = re.compile(r"""^definitions\.source\(["'](eq-[a-z0-9-]+)["']\)$""", re.MULTILINE)
ASSETS = ("run_here.css", "run_here.js", "run_here_worker.js")
NOTICE = "// From Brython, https://brython.info, copyright 2012 Pierre Quentel, BSD 3-clause licence.\n"
AT_ONCE = ("math", "__future__", "sys", "browser")  # what every program needs of the standard library


def add_programs(app: Sphinx, page: nodes.document) -> None:
    """Put behind each cell that shows a transcription the program that runs it."""
    for cell in list(page.findall(nodes.container)):
        shown = SHOWN.search(cell.astext()) if "cell" in cell["classes"] else None
        if shown:
            label = shown[1]
            name, program = definitions.find(label).name, definitions.program(label)
            where = f'data-equation="{label}" data-name="{name}" data-program="{escape(program)}"'
            place = nodes.raw("", f'<div class="run-here" {where}></div>', format="html")
            cell.parent.insert(cell.parent.index(cell) + 1, place)  # in sight where the cell is folded
            assets = (str(Path(app.confdir, "book/assets", name)) for name in ASSETS)
            for source in (definitions.__file__, __file__, *assets):
                app.env.note_dependency(source)


def copy_brython(app: Sphinx) -> None:
    """Write Brython into the site, and beside its standard library the part that every program needs."""
    folder = Path(app.outdir) / "_static" / "brython"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("brython.js", "brython_stdlib.js"):
        (folder / name).write_bytes((files("brython") / "data" / name).read_bytes())
    library = (folder / "brython_stdlib.js").read_text(encoding="utf-8")
    modules, _ = json.JSONDecoder().raw_decode(library, library.index("{"))
    needed = json.dumps({name: modules[name] for name in ("$timestamp", *AT_ONCE)})
    text = f"{NOTICE}__BRYTHON__.use_VFS = true;\n__BRYTHON__.update_VFS({needed});\n"
    (folder / "modules.js").write_text(text, encoding="utf-8")
