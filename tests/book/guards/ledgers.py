"""The pages that keep account: a source leads somewhere, a correction to a cell that shows it.

A code cell that shows correction 7 has the tag `correction-7`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tools.binding.pages import Page, pages

from .links import ROLE, at, in_contents
from .problem import Problem

SOURCES, CORRECTIONS = "book/reference/sources.md", "book/reference/corrections.md"
ROW = re.compile(r"^\| *(?P<first>[^|]*?) *\|.*\| *(?P<before>[^|]*?) *\| *(?P<last>[^|]*?) *\|$")
RULE = re.compile(r"^\|[-| ]+\|$")
TAG = re.compile(r"correction-(\d+)$")


def check(root: Path) -> Iterator[Problem]:
    """Problems with the rows of the two pages, and with the tags of cells."""
    book = {page.file: page for page in pages(root)}
    contents = in_contents(root)
    shown = [
        (page, cell, int(tag[1])) for page in book.values() for cell in page.code for tag in tags(cell.tags)
    ]
    claimed: dict[int, set[str]] = {}
    for line, match in rows(book[CORRECTIONS]):
        number = int(match["first"]) if match["first"].isdigit() else 0
        targets = leads_to(book[CORRECTIONS], match["last"], contents)
        where = (CORRECTIONS, f"line {line}")
        if number in claimed:
            yield Problem(*where, f"{number} stands there twice", "give each a number of its own")
        claimed[number] = targets
        if not number or not targets:
            yield Problem(*where, "the row has no number or leads to no page", "name the chapter")
        for file in sorted(targets):
            if not any((page.file, which) == (file, number) for page, _, which in shown):
                what = f"no cell of {file} shows correction {number}"
                yield Problem(*where, what, f'tag the cell that does "correction-{number}"')
    for page, cell, number in shown:
        if page.file not in claimed.get(number, ()):
            what = f"the tag correction-{number} answers to no row of {CORRECTIONS}"
            yield Problem(page.file, cell.place(), what, "add the chapter there, or drop the tag")
    for line, match in rows(book[SOURCES]):
        numbers = re.findall(r"\d+", match["last"])
        strange = [number for number in numbers if int(number) not in claimed]
        if not leads_to(book[SOURCES], match["before"], contents):
            yield Problem(SOURCES, f"line {line}", "the row leads to no page", "link the chapter")
        if strange or not re.fullmatch(r"(?:\d+(?:, \d+)*)?", match["last"]):
            what = f"{match['last']!r} is no correction"
            yield Problem(SOURCES, f"line {line}", what, f"give a number of {CORRECTIONS}")


def tags(names: list[str]) -> list[re.Match[str]]:
    """Tags that say which correction a cell shows."""
    return [match for name in names if (match := TAG.match(name))]


def rows(page: Page) -> list[tuple[int, re.Match[str]]]:
    """Rows of a page's tables with their lines, without the headers."""
    lines = page.markdown[0].source.splitlines()
    return [
        (number, match)
        for number, line in enumerate(lines, start=1)
        if (match := ROW.match(line)) and not RULE.match(line) and not RULE.match((*lines, "", "")[number])
    ]


def leads_to(page: Page, text: str, contents: set[str]) -> set[str]:
    """Pages that the links of a table's cell lead to."""
    found = (at(page, match["target"], contents) for match in ROLE.finditer(text) if match["role"] == "doc")
    return {file for file in found if file}
