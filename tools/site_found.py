"""A Sphinx extension: pages that are found by search engines and by the site's own search."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

PHRASES = "book/reference/search.yml"
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


def add_keywords(app: Sphinx, tree: nodes.document) -> None:
    """Give a page the words by which people look for it."""
    words = {word for phrase in phrases(app).get(app.env.docname, []) for word in re.findall(r"\w+", phrase)}
    if words:
        tree.append(nodes.meta(name="keywords", content=", ".join(sorted(words))))


def phrases(app: Sphinx) -> dict[str, list[str]]:
    """Read what people type who look for a page."""
    found: dict[str, list[str]] = yaml.safe_load((Path(app.srcdir) / PHRASES).read_text("utf-8"))
    return found


def write_scorer(app: Sphinx) -> None:
    """Put the phrases into the script that orders what a search finds."""
    script = (Path(app.srcdir) / "book/assets/search.js").read_text("utf-8")
    scorer = Path(app.doctreedir) / "search_scorer.js"
    scorer.parent.mkdir(parents=True, exist_ok=True)
    scorer.write_text(script.replace('"phrases"', json.dumps(phrases(app)), 1), "utf-8")
    app.config.html_search_scorer = str(scorer)


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
    app.connect("builder-inited", write_scorer, priority=100)
    app.connect("doctree-read", add_keywords)
    app.connect("html-page-context", describe, priority=300)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
