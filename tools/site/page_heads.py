"""Heads that say what a page is, addresses of its paragraphs, and the page for those that lead nowhere.

Below a lesson's title stands its place in the course: part, number, minutes, and the shortest way through the
course that it is on. A page has a card for those who pass on its address: what it is about and, where
`html_baseurl` says where the site is, a picture.
"""

import html
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from tools.binding.lengths import measure
from tools.binding.pages import PARTS
from tools.binding.prose import COMMENT

LONGEST = 160
SAID = "<p>Made for version {version} of <code>calibration_lessons</code></p>"
NOT_FOUND = """\
<h1>This page is not here</h1>
<p>It may have moved. <a href="/index.html">The start page</a> leads everywhere, or search:</p>
<form action="/search.html" method="get" role="search">
<input type="search" name="q" aria-label="Search the course" placeholder="temperature scaling">
<button type="submit">Search</button>
</form>"""
PLAN = re.compile(r"^## (?:Two hours|One day)\n((?:(?!## ).*\n)*)", re.M)
PLANNED = re.compile(r"\{doc\}`\.\./([\w/]+)`")
TIME = re.compile(r"(This lesson is (not )?on the short path\. )?Time: \d+ .*")
CARDS = "_static/social/{page}.png"
WAYS = (  # the shortest first; the last is that of all lessons
    ("short path", "book/intro", "short-path"),
    ("one-day plan", "book/teaching/syllabus", "one-day"),
    ("full course", "book/intro", "full-course"),
)
HEAD = """\
<p class="lesson-head" style="--done:{done:.1%}"><b>{part}</b> lesson {number} of {last}
<span>{minutes} minutes, exercises {exercises}</span> <a href="{link}#{place}">{way}</a></p>"""


def add_parts(app: Sphinx, config: Config) -> None:
    """Set up the page for addresses that lead nowhere, and say in each footer for which version a page is."""
    config.notfound_context = {"title": "Page not found", "body": NOT_FOUND}
    config.notfound_urls_prefix = "/"
    is_somewhere = bool(config.html_theme_options["repository_url"])  # then each page leads to its file
    said = {"extra_footer": SAID.format(version=config.release), "use_source_button": is_somewhere}
    config.html_theme_options = config.html_theme_options | said


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Say in the head of a page what it is about, to search engines and to who is sent a link to it."""
    title = re.sub("<.*?>", "", html.unescape(context.get("title", "Search"))).strip()
    text = first_words(tree) if tree else f"{title}: {app.config.project}"
    said = {"name": {"description": text}, "property": {"og:title": title, "og:description": text}}
    if base := app.config.html_baseurl.rstrip("/"):
        shown = page if page in app.env.all_docs else app.config.root_doc
        said["property"] |= {
            "og:type": "article",
            "og:url": f"{base}/{app.builder.get_target_uri(page)}",
            "og:image": f"{base}/{CARDS.format(page=shown)}",
        }
        said["name"]["twitter:card"] = "summary_large_image"
    if page == "404":  # stands for every address
        said["name"]["robots"] = "noindex"
    context["metatags"] = context.get("metatags", "") + "".join(
        f'\n<meta {kind}="{name}" content="{html.escape(content)}">'
        for kind, tags in said.items()
        for name, content in tags.items()
    )


def part_of(page: str) -> str:
    """Name the part of the book that a page belongs to.

    >>> part_of("book/use/ship"), part_of("book/quickstart"), part_of("search")
    ('Use it', 'Start here', 'Start here')
    """
    folder = page.split("/")[1] if page.count("/") > 1 else "start here"
    return "Use it" if folder == "use" else folder.capitalize()


def add_place(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Say below the title of a lesson where in the course it is, and how long it takes."""
    lessons = [one for one in app.env.toctree_includes[app.config.root_doc] if one.split("/")[1] in PARTS]
    if page not in lessons:
        return
    length = measure(json.loads(Path(app.env.doc2path(page)).read_text("utf-8")))
    plans = PLAN.findall(Path(app.env.doc2path(WAYS[1][1])).read_text("utf-8"))
    planned = (page.removeprefix("book/") in PLANNED.findall(plan) for plan in plans)
    way, target, place = next((way for way, is_on in zip(WAYS, planned, strict=False) if is_on), WAYS[-1])
    number = lessons.index(page) + 1
    head = HEAD.format(
        part=part_of(page), number=number, last=len(lessons), done=number / len(lessons),
        minutes=length.minutes, exercises=length.exercise_minutes,
        link=app.builder.get_relative_uri(page, target), place=place, way=way,
    )  # fmt: skip
    tree.next_node(nodes.section).insert(1, nodes.raw("", head, format="html"))
    for time in [one for one in tree.findall(nodes.paragraph) if TIME.fullmatch(one.astext())]:
        told = time.parent if isinstance(time.parent, nodes.list_item) else time
        told.parent.remove(told)  # a notebook says it here, because it has no head


def name_paragraphs(app: Sphinx, tree: nodes.document) -> None:
    """Give an open paragraph an address of its first words, as many as no other has: `late.js` shows it."""
    for part in tree.findall(nodes.paragraph):
        kinds = nodes.raw, nodes.math
        text = "".join(text for text in part.findall(nodes.Text) if not isinstance(text.parent, kinds))
        words = re.findall("[a-z]{2,}", text.lower())
        names = ("-".join(words[:count]) for count in range(4, len(words) + 1))
        name = next((name for name in names if name not in tree.ids), None)
        above = part.parent
        is_inside = isinstance(above, nodes.entry | nodes.list_item) or "dropdown" in above["classes"]
        if name and not part["ids"] and not is_inside:
            part["ids"] = [name]
            tree.ids[name] = part


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
