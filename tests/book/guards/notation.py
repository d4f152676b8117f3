r"""Notation: a symbol of a numbered equation is declared, once for a chapter.

The page of notation has two tables, `| symbol | meaning |` for all chapters and `| symbol | chapter |
meaning |` for some.
"""

import re
from pathlib import Path

from tools.binding import equations as scan
from tools.binding.pages import Page, pages

from .ledgers import leads_to
from .links import in_contents
from .problem import Problem

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
Meanings = dict[str, str]


def check(root: Path) -> list[Problem]:
    """Problems with the page of notation, and with the symbols of the chapters."""
    page = next(page for page in pages(root) if page.file == NOTATION)
    everywhere, local, problems = declared(page, in_contents(root))
    for equation in scan.find_equations(root):
        known = everywhere | local.get(equation.page, {})
        for symbol in sorted(symbols(equation.latex) - set().union(*map(symbols, known))):
            what = f"the symbol {symbol} of {equation.label} is not declared"
            problems.append(Problem(equation.page, equation.place, what, f"add it to a table of {NOTATION}"))
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
    return {re.sub(r"\\(hat|bar)[{\s]*(\\?\w+)\}?", r"\\\1{\2}", symbol) for symbol in SYMBOL.findall(bare)}
