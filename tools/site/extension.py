"""The Sphinx extension of the site: what each module here adds to a build, in the order of the build."""

from pathlib import Path
from typing import Any
from zlib import crc32

from docutils import nodes
from sphinx.application import Sphinx

from tools.site import (
    cards,
    docstring_formulas,
    epub,
    figures,
    mathml,
    page_heads,
    page_weight,
    quiz,
    repairs,
    run_here,
    search,
    slides,
    social_cards,
    start_page,
)

LISTENERS: dict[str, tuple[Any, ...]] = {
    "builder-inited": (search.turn_off,),
    "env-before-read-docs": (repairs.tell_reading,),
    "source-read": (figures.replace_outputs, slides.mark_cells),
    "autodoc-process-docstring": (docstring_formulas.show_formulas,),
    "doctree-read": (
        *(repairs.set_type, mathml.keep_stops, repairs.adopt),
        *(docstring_formulas.link_code, page_heads.name_paragraphs, run_here.add_programs),
    ),
    "env-updated": (repairs.write_in_parallel, page_weight.every_page),
    "doctree-resolved": (page_heads.add_place, figures.show_first, cards.add_links),
    "write-started": (repairs.tell_writing, figures.write_files),
    "html-collect-pages": (search.add_page,),
}
WHEN_WRITTEN = (
    run_here.copy_brython,
    cards.write_decks,
    social_cards.write_cards,
    slides.write_slides,
    page_weight.slim,  # what pages look like is known
    start_page.write_index,
)
SCRIPTS = {"explorer": "explorers", "quiz": "quiz", "run-here": "run_here", "start-figure": "start"}


def load_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Let a page load the scripts, and the styles, of what stands on it."""
    raw = "".join(node.astext() for node in tree.findall(nodes.raw)) if tree else ""
    for kind, name in SCRIPTS.items():
        if f'class="{kind}"' in raw:
            app.add_js_file(f"{name}.js", loading_method="defer")
            if Path(app.confdir, f"book/assets/{name}.css").exists():
                app.add_css_file(f"{name}.css")


def drop_copies(app: Sphinx) -> None:
    """Take away what the last build made of its pages: `page_weight` wants pages as they are written."""
    for path in (Path(app.outdir, "index.html"), *Path(app.outdir).rglob(f"*{slides.ENDING}")):
        path.unlink(missing_ok=True)


def finish(app: Sphinx, error: Exception | None) -> None:
    """Work on what is written."""
    if not error and app.builder.name == "html":
        indexing = search.start_index(app)
        for step in WHEN_WRITTEN:
            step(app)
        indexing.join()
    if not error and app.builder.name == "epub":
        epub.rewrite(app)


def setup(app: Sphinx) -> dict[str, int]:
    """Connect all of them; pages that were read are read anew where this folder's code has changed."""
    repairs.mend_libraries(app)
    app.setup_extension("notfound.extension")
    app.add_directive("quiz", quiz.Quiz)
    app.add_role("line", figures.light_up)
    app.add_directive("temperature-figure", start_page.TemperatureFigure)
    app.add_html_math_renderer("mathml", (mathml.visit_inline, None), (mathml.visit_display, None))
    app.connect("config-inited", page_heads.add_parts, priority=400)  # before `notfound`
    app.connect("builder-inited", drop_copies)
    for event, listeners in LISTENERS.items():
        for listener in listeners:
            app.connect(event, listener)
    app.connect("html-page-context", page_heads.describe, priority=300)
    app.connect("html-page-context", load_scripts)
    app.connect("html-page-context", slides.add_button, priority=502)  # the theme's buttons: 501
    app.connect("build-finished", finish, priority=900)
    code = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": crc32(code)}
