"""Places named in words: the next lesson stands next, in the contents or on the short path; a section or a
chapter has the name that a text gives it; a row of the corrections leads to the page that names it."""

import re
from collections.abc import Iterator
from pathlib import Path

from tools.binding.pages import Cell, Page, notebooks, pages

from .ledgers import CORRECTIONS, leads_to, rows
from .links import LINK, ROLE, TOC_FILE, at, in_contents, names, simple
from .problem import Problem

ORDER = re.compile(r"(?P<some>an? )?(?P<side>next|later|last|earlier|previous) lesson|lesson before")
SECTION = re.compile(
    r"\*(?P<title>[^*]+)\*\s+(?:in|of)\s+\{doc\}`[^`<]*<(?P<file>[^>`]+)>`|section\s+\*(?P<own>[^*]+)\*"
)
ROW = re.compile(r"corrections(?:`|\.md\))?,\s+\[?rows?\s+(\d+(?:(?:, | and )\d+)*)|\[correction (\d+)\]")
SHORT_PATH = re.compile(r"^\| \{doc\}`[^`<]+ <([\w/]+)>` \| \d+ \|", re.M)


def check(root: Path) -> Iterator[Problem]:
    """Problems with the places that the book's pages name."""
    book = {page.file: page for page in pages(root)}
    short = SHORT_PATH.findall(book["book/intro.md"].markdown[0].source)
    orders = [TOC_FILE.findall((root / "_toc.yml").read_text("utf-8")), [f"book/{name}" for name in short]]
    listed, told = in_contents(root), book[CORRECTIONS]
    corrected = {row["first"]: leads_to(told, row["last"], listed) for _, row in rows(told)}
    for page in book.values():
        for cell in page.markdown:
            for match, what in (*lessons(page, cell, book, orders), *parts(page, cell, book, corrected)):
                line = cell.source.count("\n", 0, match.start()) + 1
                yield Problem(page.file, cell.place(line), what, "name the right one")
    calls = names(book)
    for page in notebooks(root, "assignments/source"):
        for title in re.findall(r"\*([A-Z][^*]+)\*", page.markdown[0].source):
            if simple(title) not in calls:
                yield Problem(page.file, "cell 1", f"no page is called {title}", "name the right one")


Fault = tuple[re.Match[str], str]


def lessons(page: Page, cell: Cell, book: dict[str, Page], orders: list[list[str]]) -> Iterator[Fault]:
    """Links in a lesson whose words say where the lesson behind them stands, which it does not."""
    for match in (*ROLE.finditer(cell.source), *LINK.finditer(cell.source)) if page.is_lesson else ():
        said = ORDER.fullmatch(simple(match["words"] or ""))
        file = at(page, match["target"] if match.re is ROLE else match["file"], book.keys())
        if said and file:
            names = page.name, book[file].name
            both = [order for order in orders if {*names} <= {*order}]
            steps = [order.index(names[1]) - order.index(names[0]) for order in both]
            sign = 1 if said["side"] in {"next", "later"} else -1
            is_any = said["some"] or said["side"] in {"later", "earlier"}
            if not any(step * sign > 0 if is_any else step == sign for step in steps):
                yield match, f"{match['words']!r} leads to {file}"


def parts(page: Page, cell: Cell, book: dict[str, Page], corrected: dict[str, set[str]]) -> Iterator[Fault]:
    """Sections and rows of the corrections that are not there."""
    for match in SECTION.finditer(cell.source) if "/teaching/" not in page.file else ():
        named = book.get(at(page, match["file"], book.keys()) or "") if match["file"] else page
        title = " ".join((match["title"] or match["own"]).split())
        if named and title not in {section.title for section in named.sections()}:
            yield match, f"{named.file} has no section {title!r}"
    for match in ROW.finditer(cell.source):
        for number in re.findall(r"\d+", match[1] or match[2]):
            if page.file not in corrected.get(number, ()):
                yield match, f"correction {number} does not lead here"
