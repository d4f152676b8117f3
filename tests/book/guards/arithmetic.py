"""Arithmetic in prose: a formula of numbers is true as it is rounded, and what rises goes to a larger one."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.book.latex import RELATIONS, Reader
from tools.binding.pages import Page, pages

from .problem import Problem

MATHS = re.compile(
    r"(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)|\$\$.*?\$\$"
    r"|\$(?P<latex>(?:[^$\\]|\\.)+)\$(?:<!--[^\n]*?-->)?(?P<percent>\s?%)?",
    re.S,
)
RELATION = re.compile(r"=|\\(?:approx|leq?|geq?|neq?)(?![a-z])|<|>")
AMOUNT = r"\$?(-?\d[\d ]*(?:\.\d+)?)(?:\$|\s?%|<!--[^\n]*?-->)*"
WAY = re.compile(
    r"\b(?:(ris(?:es?|ing)|rose|climbs?|gr[eo]ws?|raises?|increases?)|falls?|fell|drop(?:s|ped)?|sinks?|sank|shrinks?"
    rf"|decreases?|lowers?)\b(?:\s(?!when\s|with\s)[\w*]+){{0,5}}\sfrom\s{AMOUNT}(?:\sbits|\snats)?\sto\s{AMOUNT}(?![\d\s]*(?:\w+\s)?rows)"
)


def check(root: Path) -> Iterator[Problem]:
    """Problems with formulas of numbers, and with the way of a number, in texts, captions and alt texts."""
    for page in pages(root, "book", "assignments/source"):
        yield from in_page(page)


@cache
def in_page(page: Page) -> list[Problem]:
    """Problems of a page."""
    found = []
    for cell in page.cells:
        text = cell.source if cell.kind == "markdown" else str(cell.raw["metadata"].get("mystnb", ""))
        for at, what in (*formulas(text), *ways(text)):
            place = cell.place(text.count("\n", 0, at) + 1)
            found.append(Problem(page.file, place, what, "correct the number or the word"))
    return found


def formulas(text: str) -> Iterator[tuple[int, str]]:
    """Where a formula begins that holds numbers alone and is false, and what its sides are."""
    for match in MATHS.finditer(text):
        try:
            ((sides, relations),) = Reader(match["latex"] or "", {}).display()
            values = [side({}) for side in sides]
        except (ArithmeticError, LookupError, TypeError, ValueError):
            continue  # it holds more than numbers
        values[-1] *= (unit := 0.01 if match["percent"] else 1)
        written = [re.fullmatch(r"-?\d+\.?(\d*)", part.strip()) for part in RELATION.split(match["latex"])]
        for left, relation, right, last in zip(values, relations, values[1:], written[1:], strict=False):
            is_rounded = last and (last[1] or unit < 1) and relation in {"=", r"\approx"}
            half = 0.501 * unit * 10.0 ** -len(last[1]) if last else 0
            if not (abs(left - right) <= half if is_rounded else RELATIONS[relation](left, right)):
                yield match.start(), f"{match[0]} is false: {left:.6g}, {right:.6g}"


def ways(text: str) -> Iterator[tuple[int, str]]:
    """Where a sentence lets a number rise to a smaller one, or fall to a larger one."""
    for match in WAY.finditer(text):
        before, after = (float(number.replace(" ", "")) for number in match.groups()[1:])
        if (after > before) != bool(match[1]):
            yield match.start(), f"«{match[0]}» goes the other way"
