"""The site's search, by Pagefind, which indexes the pages when all is written.

`search.js` asks while the reader types. What people type who look for a page, `book/reference/search.yml`,
counts most, then titles and headings; pages for reference or teaching count less than lessons. A word that is
on fewer than three pages may be one of that list, misspelt.
"""

import asyncio
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from lxml import html
from lxml.html import builder
from pagefind.service import PagefindService
from sphinx.application import Sphinx
from sphinx.util.parallel import ParallelTasks, SerialTasks, parallel_available

from tools.site.page_weight import fold
from tools.site.repairs import tell

PHRASES = "book/reference/search.yml"
UNREAD = (
    ".//*[contains(@class, 'headerlink')] | .//script | .//style | .//pre | .//summary"
    " | .//div[starts-with(@class, 'math')]"
)
WEIGHTS = {r"exam$|instructor_notes|equations|sources": 0.3, "reference|teaching": 0.6}
FORM = """<h1>Search</h1><form action="search.html" method="get" role="search">
<input type="search" name="q" aria-label="Search the course" placeholder="temperature scaling">
<button type="submit">Search</button></form>"""


def turn_off(app: Sphinx) -> None:
    """Spare Sphinx its own index and page."""
    if app.builder.name == "html":
        vars(app.builder)["search"] = False


def add_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Write the page that shows what is found to those who press Enter."""
    if app.builder.name == "html":
        yield "search", {"title": "Search", "body": FORM}, "page.html"


def start_index(app: Sphinx) -> ParallelTasks | SerialTasks:
    """Index the pages as they are written, in a process of its own where the system has it."""
    tell("indexing the pages for the search")
    pages = {name: Path(app.outdir, f"{name}.html").read_bytes() for name in sorted(app.env.found_docs)}
    tasks = ParallelTasks(1) if parallel_available else SerialTasks()
    tasks.add_task(lambda written: asyncio.run(write_index(app, written)), pages)
    return tasks


async def write_index(app: Sphinx, pages: dict[str, bytes]) -> None:
    """Give Pagefind the text of each page."""
    site = Path(app.outdir)
    phrases = yaml.safe_load((Path(app.srcdir) / PHRASES).read_text("utf-8"))
    common: Counter[str] = Counter()
    shutil.rmtree(site / "pagefind", ignore_errors=True)  # what an earlier build left
    async with PagefindService() as service:
        made = await service.create_index({"output_path": str(site / "pagefind")})
        for name, written in pages.items():
            page = html.fromstring(written)
            fold(page, site / f"{name}.html")
            [article] = page.find_class("bd-article")
            for unread in article.xpath(UNREAD):
                unread.drop_tree()
            for heading in article.xpath(".//h2 | .//h3"):  # a hit leads to its section
                heading.set("id", heading.getparent().get("id", ""))
            for folded in article.iter("details"):
                folded.set("data-pagefind-weight", "0.3")
            common.update(set(re.findall("[a-z]{4,}", article.text_content().lower())))
            weights = [weight for pages, weight in WEIGHTS.items() if re.search(pages, name)]
            article.set("data-pagefind-weight", str([*weights, 1][0]))
            phrased = ", ".join(phrases.get(name, []))
            article.append(builder.P({"data-pagefind-meta": f"phrases:{phrased}"}))
            text = html.tostring(builder.HTML(builder.BODY(article), lang="en"), encoding="unicode")
            await made.add_html_file(content=text, source_path=f"{name}.html")
        await made.write_files()
        for _ in range(600):  # it answers before all is on the disk, and is ended after its answer
            if all(path.stat().st_size for path in (site / "pagefind").rglob("*.*")):
                break
            await asyncio.sleep(0.1)
        else:
            raise OSError("the search's index cannot be written: is the disk full?")
    listed = sorted({str(phrase).lower() for page in phrases.values() for phrase in page})
    known = sorted(word for word, pages in common.items() if pages >= 3)
    (site / "pagefind/words.json").write_text(json.dumps({"phrases": listed, "words": known}), "utf-8")
