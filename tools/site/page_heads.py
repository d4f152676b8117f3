"""A Sphinx extension: heads that say what a page is, and the page for addresses that lead nowhere."""

from __future__ import annotations

import html
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

LONGEST = 160
COMMENT = re.compile("<!--.*?-->", re.S)
START_TITLE = "Is the model right as often as it says?"
SAID = "<p>Made for version {version} of <code>calibration_lessons</code></p>"
NOT_FOUND = """\
<h1>This page is not here</h1>
<p>It may have moved. <a href="/index.html">The start page</a> leads everywhere, or search:</p>
<form action="/search.html" method="get" role="search">
<input type="search" name="q" aria-label="Search the course" placeholder="temperature scaling">
<button type="submit">Search</button>
</form>"""


def add_parts(app: Sphinx, config: Config) -> None:
    """Set up the page for addresses that lead nowhere, and say in each footer for which version a page is."""
    config.notfound_context = {"title": "Page not found", "body": NOT_FOUND}
    config.notfound_urls_prefix = "/"
    said = {"extra_footer": SAID.format(version=config.release)}
    config.html_theme_options = config.html_theme_options | said


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Say in the head of a page what it is about."""
    text = first_words(tree) if tree else f"{context.get('title', 'Search')}: {app.config.project}"
    tags = f'\n<meta name="description" content="{html.escape(text)}">\n'
    context["metatags"] = context.get("metatags", "") + tags
    if page == app.config.root_doc:
        context["title"] = START_TITLE
    if page == "404":  # stands for every address
        context["metatags"] += '<meta name="robots" content="noindex">\n'


def first_words(tree: nodes.document) -> str:
    """Take the first paragraph of a page that is text, cut at the end of a sentence or of a word."""
    for paragraph in tree.findall(nodes.paragraph):
        text = " ".join(COMMENT.sub("", paragraph.astext()).split())
        boxed = isinstance(paragraph.parent, nodes.Admonition | nodes.list_item | nodes.entry)
        if len(text) > 40 and not boxed and not list(paragraph.findall(nodes.math)):
            return shortened(text)
    return shortened(tree.astext())


def shortened(text: str) -> str:
    """Cut a text at the end of a sentence, or of a word.

    >>> shortened("One. " + "Two " * 50)[-9:]
    'Two Two …'
    """
    if len(text) <= LONGEST:
        return text
    sentence = max(text.rfind(end, 0, LONGEST) for end in (". ", "? "))
    return text[: sentence + 1] if sentence > LONGEST / 2 else text[:LONGEST].rpartition(" ")[0] + " …"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above."""
    app.setup_extension("notfound.extension")
    app.connect("config-inited", add_parts, priority=400)
    app.connect("html-page-context", describe, priority=300)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
