"""A Sphinx extension: pages that are found by search engines, by who shares them, by the site's own search.

One setting, `site` in `[tool.release]` of `pyproject.toml`, says where the site is published. With it pages
have canonical addresses, cards for those who share them, and a sitemap; without it nothing points nowhere.
"""

from __future__ import annotations

import html
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import vl_convert
import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]

from tools.lengths import lessons, measure  # noqa: E402
from tools.release import addresses  # noqa: E402

LOGO = "book/assets/logo.svg"
PHRASES = "book/reference/search.yml"
LONGEST = 160
CONTEXT = "https://schema.org"
LICENSE = "https://creativecommons.org/licenses/by/4.0/"
COMMENT = re.compile("<!--.*?-->", re.S)
START_TITLE = "Is the model right as often as it says?"
SHORT_PATH = "lesson is on the short path"
NOT_FOUND = """\
<h1>This page is not here</h1>
<p>It may have moved. <a href="{root}index.html">The start page</a> leads everywhere, or search:</p>
<form action="{root}search.html" method="get" role="search">
<input type="search" name="q" aria-label="Search the course" placeholder="temperature scaling">
<button type="submit">Search</button>
</form>"""


def add_parts(app: Sphinx, config: Config) -> None:
    """Load what needs to know the address, and the page for addresses that lead nowhere."""
    _, address = addresses(ROOT)
    if address:
        config.html_baseurl = address = address.rstrip("/") + "/"
        app.setup_extension("sphinxext.opengraph")
        app.setup_extension("sphinx_sitemap")
        config.ogp_site_url = address
        config.ogp_social_cards = {"image": str(drawn_logo(app))}
        config.sitemap_url_scheme = "{link}"
        config.sitemap_excludes = ["search.html", "404.html"]
    config.notfound_urls_prefix = root = urlsplit(address).path or "/"
    config.notfound_context = {"title": "Page not found", "body": NOT_FOUND.format(root=root)}


def drawn_logo(app: Sphinx) -> Path:
    """Draw the logo as the pixels that cards want."""
    drawn = Path(app.doctreedir) / "logo.png"
    drawn.parent.mkdir(parents=True, exist_ok=True)
    drawn.write_bytes(vl_convert.svg_to_png((ROOT / LOGO).read_text("utf-8"), scale=4))
    return drawn


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
    """Say in the head of a page what it is about, how long it takes, and where it is at home."""
    text = first_words(tree) if tree else f"{context.get('title', 'Search')}: {app.config.project}"
    context["metatags"] = (
        context.get("metatags", "") + f'\n<meta name="description" content="{html.escape(text)}">\n'
    )
    if page == app.config.root_doc:
        context["title"] = START_TITLE
        context["pageurl"] = app.config.html_baseurl
    if page == "404":  # stands for every address, and is at home at none
        context["metatags"] += '<meta name="robots" content="noindex">\n'
        context["pageurl"] = None
    data = structured(app, page, html.unescape(re.sub("<[^>]+>", "", context.get("title", ""))), text)
    if data:
        told = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
        context["metatags"] += f'<script type="application/ld+json">{told}</script>\n'


def lead_home(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Let the card of the start page lead to the address of the site."""
    address = app.config.html_baseurl
    if address and page == app.config.root_doc:
        own = f'content="{address}{app.builder.get_target_uri(page)}"'
        context["metatags"] = context["metatags"].replace(own, f'content="{address}"')


def list_home(app: Sphinx, error: Exception | None) -> None:
    """Let the sitemap name the start page by the address of the site."""
    address, sitemap = app.config.html_baseurl, Path(app.outdir, "sitemap.xml")
    if not error and app.builder.name == "html" and address:
        own = f"<loc>{address}{app.builder.get_target_uri(app.config.root_doc)}</loc>"
        sitemap.write_text(sitemap.read_text("utf-8").replace(own, f"<loc>{address}</loc>"), "utf-8")


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


@cache
def minutes() -> dict[str, tuple[int, bool]]:
    """Say of each lesson how long it takes to read, and whether it is on the short path."""
    found = {}
    for path in [*lessons(ROOT), ROOT / "book/quickstart.ipynb"]:
        text = path.read_text("utf-8")
        name = path.relative_to(ROOT).with_suffix("").as_posix()
        found[name] = (measure(json.loads(text)).minutes, SHORT_PATH in text or "quickstart" in name)
    return found


def structured(app: Sphinx, page: str, title: str, text: str) -> dict[str, Any]:
    """Describe the course, or a lesson of it, in the words of schema.org; Google asks for some of them."""
    shared = {"inLanguage": "en", "license": LICENSE, "isAccessibleForFree": True}
    course: dict[str, Any] = {
        "@type": "Course",
        "name": app.config.project,
        "description": first_words(app.env.get_doctree(app.config.root_doc)),
        "provider": {"@type": "Organization", "name": app.config.author},
    }
    address = app.config.html_baseurl
    if address:
        course["url"] = course["provider"]["url"] = address
    if page == app.config.root_doc:
        work = sum(length for length, _ in minutes().values())
        instance = {
            "@type": "CourseInstance",
            "courseMode": "Online",
            "courseWorkload": f"PT{work // 60}H{work % 60}M",
        }
        offer = {"@type": "Offer", "category": "Free"}
        return {"@context": CONTEXT, **course, **shared, "offers": offer, "hasCourseInstance": instance}
    if page not in minutes():
        return {}
    length, short = minutes()[page]
    lesson: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "LearningResource",
        "name": title,
        "description": text,
        **shared,
        "learningResourceType": "lesson",
        "timeRequired": f"PT{length}M",
        "educationalLevel": "beginner" if short else "intermediate",
        "isPartOf": course,
    }
    if address:
        lesson["url"] = address + app.builder.get_target_uri(page)
    return lesson


def write_robots(app: Sphinx, error: Exception | None) -> None:
    """Let every crawler in, and tell it where the sitemap is."""
    if not error and app.builder.name == "html":
        address = app.config.html_baseurl
        sitemap = f"Sitemap: {address}sitemap.xml\n" if address else ""
        (Path(app.outdir) / "robots.txt").write_text(f"User-agent: *\nAllow: /\n{sitemap}", "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above."""
    app.setup_extension("notfound.extension")
    app.connect("config-inited", add_parts, priority=400)
    app.connect("builder-inited", write_scorer, priority=100)
    app.connect("doctree-read", add_keywords)
    app.connect("html-page-context", describe, priority=300)
    app.connect("html-page-context", lead_home, priority=600)
    app.connect("build-finished", write_robots)
    app.connect("build-finished", list_home, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
