"""Rules: a line that advises says where it is shown, and under which condition.

    - Take the rarer class. <!-- shown: practice/imbalance#47ef71a6; when: AUC below 0.98 -->

The place is a cell, an exercise or a label of a page (`part/page#name`), a test (`tests/….py::name`), an
experiment (`tools/experiments/….py`), or the word "definition" for what follows from what the words mean;
several are parted by commas. In the sections of `RULES` each point of a list and each row of a table has such
a mark. (The other tables of the methods' page are formulas; `tests/book/test_methods.py` evaluates them.)
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from tools.binding.marks import SHOWN
from tools.binding.pages import Page, Section, pages

from .problem import Problem

RULES = {  # titles of sections, in the pages that a pattern names
    "What can go wrong?": "book/use/*",
    "The recommendation": "book/practice/choosing.ipynb",
    "What to remember": "book/*/*.ipynb",
    "When each method refuses, and how many rows it takes": "book/reference/methods.md",
}
IDLE = re.compile(  # cells that show nothing
    "# |## (?:By the end you can|You need|Quick questions|What to remember|Next|References)$", re.M
)
REMEDY = "write <!-- shown: part/page#cell; when: condition --> at its end"


def check(root: Path) -> Iterator[Problem]:
    """Problems with marks that name no place or condition, and with rules without one."""
    book = {page.file: page for page in pages(root)}
    for page in book.values():
        yield from in_page(root, page, book)


def in_page(root: Path, page: Page, book: dict[str, Page]) -> Iterator[Problem]:
    """Problems of a page."""
    for section in page.sections():
        if fnmatch(page.file, RULES.get(section.title, "")):
            for where, rule in rules(section):
                if not SHOWN.search(rule):
                    what = f"nothing says where «{rule[:60]}» is shown, and when it holds"
                    yield Problem(page.file, where, what, REMEDY)
    for cell in page.markdown:
        for line, text in enumerate(cell.source.splitlines(), start=1):
            if "<!-- shown:" in text and (text.lstrip().startswith("<!--") or not SHOWN.search(text)):
                yield Problem(page.file, cell.place(line), "the mark cannot be read", REMEDY)
            for mark in SHOWN.finditer(text):
                for place in mark["place"].split(", "):
                    if not mark["when"] or not exists(root, place, book):
                        what = f"{place!r} is no place that can show it, or the condition is missing"
                        yield Problem(page.file, cell.place(line), what, REMEDY)


def rules(section: Section) -> Iterator[tuple[str, str]]:
    """Points of the lists and rows of the tables of a section, with their places."""
    below_rule = False
    for cell, first, text in section.paragraphs():
        for point in re.split(r"\n(?=- )", text) if text.startswith("- ") else ():
            yield cell.place(first + text[: text.index(point)].count("\n")), point
        for number, line in enumerate(text.splitlines(), start=first) if text.startswith("|") else ():
            if below_rule and line.startswith("|"):
                yield cell.place(number), line
            below_rule = bool(re.fullmatch(r"\|[-| ]+\|", line)) or below_rule
        below_rule = False


def exists(root: Path, place: str, book: dict[str, Page]) -> bool:
    """Tell whether a page has such a cell or label, a file such a test, or the experiments such a file."""
    if place == "definition":
        return True
    file, _, name = place.partition("::")
    if file.startswith(("tests/", "tools/experiments/")):
        found = (root / file).is_file() and (not name or f"def {name}(" in (root / file).read_text("utf-8"))
        return found and bool(name) == file.startswith("tests/")
    path, _, anchor = place.partition("#")
    page = book.get(f"book/{path}.ipynb") or book.get(f"book/{path}.md")
    labels = re.compile(rf"^(?:\({re.escape(anchor)}\)=|:label: {re.escape(anchor)})$", re.M)
    return bool(page and anchor) and any(
        (cell.raw.get("id") == anchor and not IDLE.match(cell.source) and cell not in page.code[:1])
        or labels.search(cell.source)
        for cell in page.cells
    )
