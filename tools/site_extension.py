"""A Sphinx extension: tells what the build does, and mends what Sphinx and the theme get wrong here."""

import sys

from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.environment import BuildEnvironment


def tell(line: str) -> None:
    """Print a line for a step of the build; Sphinx itself is quiet."""
    print(f"build: {line}", file=sys.stderr, flush=True)


def tell_reading(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Tell how much of the book is read; what did not change is known from the last build."""
    tell(f"reading {len(pages)} of {len(env.found_docs)} pages")


def tell_writing(app: Sphinx, builder: Builder) -> None:
    """Tell that pages are written."""
    tell("writing the pages")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above, and keep sphinx-thebe from adding the script that the theme adds, too."""
    app.connect("env-before-read-docs", tell_reading)
    app.connect("write-started", tell_writing)
    for listener in list(app.events.listeners["env-before-read-docs"]):
        if listener.handler.__name__ == "init_thebe_core":  # run twice, it is an error
            app.disconnect(listener.id)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
