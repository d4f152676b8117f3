"""Alt text: every figure and every picture says in words what it shows, without numbers that it lacks."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path

from tools.binding.pages import Cell, Page, blocks, pages, read_lines
from tools.binding.prose import plain, read_numbers

from .numbers import in_outputs, in_text, literals
from .problem import Problem

SHORTEST = 20  # characters
LEVEL = Decimal("0.95")  # of an interval, where the code says none
MARKDOWN_IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\([^)]*\)")
HTML_IMAGE = re.compile(r"<img\b[^>]*>", re.I)
HTML_ALT = re.compile(r"\balt=\"\s*[^\"\s]")


def check(root: Path) -> Iterator[Problem]:
    """Problems with the alt texts of the book's figures and pictures."""
    seen: dict[str, str] = {}
    for page in pages(root):
        yield from figures(page, seen)
        yield from pictures(page)


def figures(page: Page, seen: dict[str, str]) -> Iterator[Problem]:
    """Cells with a figure: a text of some length that no other cell has."""
    for cell in page.code:
        if not cell.has_image():
            continue
        metadata = cell.raw["metadata"].get("mystnb", {})
        alt = str(metadata.get("image", {}).get("alt", "")).strip()
        where = f"{page.file}, {cell.place()}"
        if len(alt) < SHORTEST:
            remedy = f"say in {SHORTEST} characters or more what it shows, in the cell's metadata "
            remedy += '{"mystnb": {"image": {"alt": "…"}}}'
            yield Problem(page.file, cell.place(), f"the figure's alt text is {alt!r}", remedy)
        elif seen.setdefault(alt, where) != where:
            what = f"the figure's alt text is that of {seen[alt]}"
            yield Problem(page.file, cell.place(), what, "say what this figure shows")
        if loose := unbacked(page, cell, f"{alt}\n{metadata.get('figure', {}).get('caption', '')}"):
            what = f"alt text or caption says {', '.join(loose)}, and the figure's data and the page do not"
            yield Problem(page.file, cell.place(), what, "read the figure anew, or say it without a number")


@cache
def unbacked(page: Page, cell: Cell, text: str) -> list[str]:
    """Decimals, percentages and hundreds of a text that neither its cell holds, nor the page's text and code.

    A share of the middle may stand in the code as the quantile at which it begins.
    """
    shown = [*in_outputs(cell), *in_text(page)]
    inputs = {LEVEL, *(number for of in page.code for number in literals(of.code))}
    return [
        number.text
        for number in read_numbers(plain(text))
        if number.is_claim or number.is_level or number.value >= 100
        if not inputs & {share := number.as_share().value, (1 - share) / 2}
        and not any(own.backs(number) for own in shown)
    ]


def pictures(page: Page) -> Iterator[Problem]:
    """Pictures in Markdown text, as `![alt](file)`, as a directive or as HTML."""
    for cell in page.markdown:
        bare = [
            (number, "picture without alt text")
            for number, line, is_prose, _ in read_lines(cell.source)
            if is_prose
            and (
                any(not match["alt"].strip() for match in MARKDOWN_IMAGE.finditer(line))
                or any(not HTML_ALT.search(match[0]) for match in HTML_IMAGE.finditer(line))
            )
        ]
        bare += [
            (block.first, "picture without :alt:")
            for block in blocks(cell.source)
            if block.kind in {"image", "figure"} and not re.search(r"^:alt:[ \t]*\S", block.options, re.M)
        ]
        for number, what in bare:
            yield Problem(page.file, cell.place(number), what, "say in words what it shows")
