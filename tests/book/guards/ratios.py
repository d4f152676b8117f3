"""Words of ratio in prose, "twice as", "half of the", "ten times larger": each has a mark that backs it.

`<!-- ratio: twice = 0.063 / 0.033 -->` names the word and two numbers that the section prints (or that its
code spells out) whose quotient it is, to a fifth; `<!-- ratio: half by definition -->` names the word and
a reason. Words in Markdown files without code are the author's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .numbers import Number, backing, paragraphs, plain, read_numbers
from .tree import Page, Problem, Section, notebooks

NUMERALS = dict(
    zip("two three four five six seven eight nine ten eleven twelve".split(), range(2, 13), strict=True)
)
NUMERALS |= {"fifteen": 15, "twenty": 20, "thirty": 30, "fifty": 50, "a hundred": 100, "a thousand": 1000}
SHARES = {"half": 1 / 2, "a third": 1 / 3, "two thirds": 2 / 3, "a quarter": 1 / 4, "three quarters": 3 / 4}
SHARES |= {"one third": 1 / 3, "one quarter": 1 / 4, "a fifth": 1 / 5, "a tenth": 1 / 10}
THAN = (
    "as|too|more|less|fewer|larger|smaller|higher|lower|longer|shorter|wider|narrower|worse|better|weaker|stronger"
    "|further|faster|slower|the|its|their|what|that"
)
WORD = re.compile(
    rf"\b(?P<word>(?:{'|'.join(NUMERALS)}|(?<![\d.])\d+) times|twice)(?=\s(?:{THAN})\b)"
    rf"|\b(?P<fold>(?:{'|'.join(NUMERALS)})fold|factor of (?:{'|'.join(NUMERALS)}|\d+(?![.\d])))\b"
    rf"|\b(?P<share>{'|'.join(SHARES)})(?=\s(?:of|as|the|what|that|its|their)\b)",
    re.I,
)
MARK = re.compile(
    r"<!--\s*ratio:\s*(?P<word>[\w ]+?)\s*(?:=\s*(?P<over>\S+)\s*/\s*(?P<under>\S+)|by\s+\w[^>]*?)\s*-->"
)
NEAR = 0.2  # how far "about twice" may lie from twice


def check(root: Path) -> list[Problem]:
    """Problems with the words of ratio in the book's notebooks."""
    return [problem for page in notebooks(root) for problem in in_page(page)]


@cache
def in_page(page: Page) -> list[Problem]:
    """Problems with the words of a page."""
    sections = (section for section in page.sections() if section.title != "References")
    return [problem for section in sections for problem in in_section(page, section)]


def in_section(page: Page, section: Section) -> Iterator[Problem]:
    """Words without a mark, marks without a word, and quotients that are something else."""
    for cell, first, text in paragraphs(section):
        words = {match[0].lower() for match in WORD.finditer(" ".join(plain(text).split()))}
        marked = {match["word"].lower(): match for match in MARK.finditer(text)}
        shown = backing(section) if marked else []
        for word in sorted(words - marked.keys()):
            remedy = (
                f"add <!-- ratio: {word} = 1 / 2 --> with printed numbers, or <!-- ratio: {word} by … -->"
            )
            yield Problem(page.file, cell.place(first), f"nothing backs {word!r}", remedy)
        for word, match in sorted(marked.items()):
            if fault := unbacked(word, match, words, shown):
                yield Problem(
                    page.file, cell.place(first), f"{match[0]}: {fault}", "correct the text or the mark"
                )


def unbacked(word: str, match: re.Match[str], words: set[str], shown: list[Number]) -> str:
    """Say what is wrong with a mark."""
    if word not in words:
        return f"its paragraph does not say {word!r}"
    if not match["over"]:
        return ""
    over, under = (read_numbers(match[name])[0] for name in ("over", "under"))
    for number in (over, under):
        if not any(known.backs(number) for known in shown):
            return f"the section does not print {number.text}"
    quotient = float(over.as_share().value / under.as_share().value)
    return "" if abs(quotient / meant(word) - 1) <= NEAR else f"the quotient is {quotient:.3g}"


def meant(word: str) -> float:
    """Ratio that a word stands for."""
    numeral = word.removesuffix(" times").removesuffix("fold").removeprefix("factor of ")
    return {"twice": 2.0, **SHARES, **NUMERALS}.get(numeral) or float(numeral)
