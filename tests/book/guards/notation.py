r"""Notation: a symbol of a numbered equation is declared, once for a chapter, and prose defines it alike.

The page of notation has two tables, `| symbol | meaning |` for all chapters and `| symbol | chapter |
meaning |` for some. A sentence such as "with $n$ the number of rows" or "$K$ is the number of classes"
shares a word with the meaning that the page gives to the symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tools import equations as scan

from .ledgers import leads_to
from .links import in_contents
from .numbers import paragraphs
from .tree import Page, Problem, lessons, pages

NOTATION = "book/reference/notation.md"
ROW = re.compile(
    r"^\|(?P<symbols>(?:[^|\\]|\\.)+)\|(?:(?P<chapters>[^|]*\{doc\}[^|]*)\|)?(?P<meaning>[^|]+)\|$"
)
MATHS = re.compile(r"\$((?:[^$\\]|\\.)+)\$")
PLAIN = re.compile(  # what is no symbol: names in words, subscripts, differentials, commands without a letter
    r"\\(?:mathrm|text|begin|end)\{[^}]*\}|_\{[^{}]*\}|_\\?\w|\\,\s*d(?=[a-z\\])"
    r"|\\(?!(?:hat|bar|ell|alpha|beta|gamma|lambda|mu|pi|psi|phi|rho|sigma|tau|theta)\b)[a-zA-Z]+"
)
SYMBOL = re.compile(r"\\(?:hat|bar)\s?\{?\\?[a-zA-Z]+\}?|\\[a-zA-Z]+|[a-zA-Z]'?")
DEFINED = re.compile(
    r"\b(?:[Ww]ith|[Ww]here|and|,) \$(?P<with>[^$=]+)\$ (?P<the>the [^,.;:|$(]+)"
    r"|\$(?P<is>[^$=]+)\$ (?:is|means|denotes|stands for|counts) (?P<being>(?:the|a|an) [^,.;:|$(]+)"
)
COMMON = set(
    "the a an of in is and or to its it with for number mean value share that where on one all".split()
)

Meanings = dict[str, str]


def check(root: Path) -> list[Problem]:
    """Problems with the page of notation, and with the symbols of the chapters."""
    page = next((page for page in pages(root) if page.file == NOTATION), None)
    if not page:
        return []
    everywhere, local, problems = declared(page, in_contents(root))
    for equation in scan.find_equations(root):
        known = everywhere | local.get(equation.page, {})
        for symbol in sorted(symbols(equation.latex) - set().union(*map(symbols, known))):
            what = f"the symbol {symbol} of {equation.label} is not declared"
            problems.append(Problem(equation.page, equation.place, what, f"add it to a table of {NOTATION}"))
    for lesson in lessons(root):
        problems += at_odds(lesson, everywhere | local.get(lesson.file, {}))
    return problems


def declared(page: Page, contents: set[str]) -> tuple[Meanings, dict[str, Meanings], list[Problem]]:
    """Symbols of all chapters, those of some, and what is declared twice for one."""
    everywhere: Meanings = {}
    local: dict[str, Meanings] = {}
    problems = []
    for number, line in enumerate(page.markdown[0].source.splitlines(), start=1):
        row = ROW.match(line)
        for symbol in MATHS.findall(row["symbols"]) if row else ():
            files = leads_to(page, row["chapters"], contents) if row["chapters"] else {""}
            for file in sorted(files):
                own = local.setdefault(file, {}) if file else everywhere
                if symbol in own or symbol in everywhere:
                    what = f"${symbol}$ has two meanings{f' in {file}' if file else ''}"
                    problems.append(Problem(NOTATION, f"line {number}", what, "choose another letter"))
                own[symbol] = row["meaning"]
    return everywhere, local, problems


def symbols(latex: str) -> set[str]:
    """Letters of a formula, with their accents and without their indices."""
    bare = PLAIN.sub(" ", PLAIN.sub(" ", latex))
    return {re.sub(r"[{}\s]", "", symbol) for symbol in SYMBOL.findall(bare)}


def at_odds(lesson: Page, meanings: Meanings) -> Iterator[Problem]:
    """Sentences that define a symbol otherwise than the page of notation or an earlier sentence does."""
    meanings = dict(meanings)
    for section in lesson.sections():
        for cell, first, text in paragraphs(section):
            for match in DEFINED.finditer(" ".join(text.split())):
                symbol, meaning = match["with"] or match["is"], match["the"] or match["being"]
                if not words(meanings.setdefault(symbol, meaning)) & words(meaning):
                    what = f"here ${symbol}$ is {meaning.strip()}, elsewhere {meanings[symbol].strip()}"
                    remedy = f"choose another letter, or say it as {NOTATION} does"
                    yield Problem(lesson.file, cell.place(first), what, remedy)


def words(text: str) -> set[str]:
    """Words of a meaning that tell it from another."""
    return {word.rstrip("s") for word in re.findall(r"[a-z]+", MATHS.sub(" ", text).lower())} - COMMON
