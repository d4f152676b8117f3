"""A Sphinx extension that mends what the site's theme gets wrong."""

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Keep sphinx-thebe from adding its script: the theme adds it, too, and run twice it is an error."""
    for listener in list(app.events.listeners["env-before-read-docs"]):
        if listener.handler.__name__ == "init_thebe_core":
            app.disconnect(listener.id)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
