"""Honest statistics, as far as a test can see: no bare ECE, no calibrator judged on the rows that fitted it.

Within a few cells of an ECE the page says how many rows and bins there were, and gives an interval or the
value under calibration. Where a calibrator predicts the rows it was fitted on, the text before or after
the cell says so: "its own rows", "the same rows", "the rows that it was fitted on".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .tree import Page, Problem, notebooks

ECE = re.compile(
    r"\b(?:ECE|expected calibration error)\b[^.;|\n]{0,40}?\b(?:0?\.\d{2,}|\d+(?:\.\d+)? ?%)(?!\d*\s*-->)"
)
COMPANIONS = {
    "n": re.compile(
        r"\bn\s*\$?\s*=|\b(?:\d+|all) (?:\w+ )?(?:rows|images|pictures|samples|e-mails|patients)\b"
    ),
    "the bins": re.compile(r"\bbins?\b"),
    "an interval or the value under calibration": re.compile(
        r"\binterval|\bcalibrated\b|\bunder calibration\b|\bnull\b|\bchance \d|\[0?\.\d"
    ),
}
CALIBRATORS = re.compile(
    r"(?:cl\.)?(?:TemperatureScaling|ExpectationConsistency|PlattScaling|HistogramBinning|IsotonicCalibration"
    r"|OneVsRest)\("
)
ADMITTED = re.compile(
    r"\bown (?:\w+ )?rows\b|\bsame rows\b|\brows (?:that |which )?\w+( \w+)? (?:was|were) fitted on\b", re.I
)
NEAR = 5  # cells
LONGEST = 300  # characters of an expression that stands for a name


def check(root: Path) -> list[Problem]:
    """Problems with the statistics of the book's notebooks."""
    return [problem for page in notebooks(root) for problem in in_page(page)]


@cache
def in_page(page: Page) -> list[Problem]:
    """Problems with the statistics of a page."""
    return [*bare(page), *same_rows(page)]


def bare(page: Page) -> Iterator[Problem]:
    """ECEs given as a number where what makes them readable is not within a few cells."""
    prose = {cell: "" for cell in page.cells}
    for section in page.sections():
        if section.level >= 2 and section.title != "References":
            for cell, _, line in section.prose:
                prose[cell] += f"{line}\n"
    texts = ["\n".join((prose[cell], *cell.output_texts())) for cell in page.cells]
    for number, cell in enumerate(page.cells):
        if ECE.search(texts[number]):
            near = "\n".join(texts[max(0, number - NEAR) : number + NEAR + 1])
            missing = [name for name, pattern in COMPANIONS.items() if not pattern.search(near)]
            if missing:
                yield Problem(
                    page.file, cell.place(), "an ECE stands alone", f"give {', '.join(missing)} beside it"
                )


def same_rows(page: Page) -> Iterator[Problem]:
    """Calibrators that predict the rows they were fitted on, where no word says so."""
    meant: dict[str, str] = {}  # what a name stands for: the expression that it was last assigned
    for number, cell in enumerate(page.cells):
        if cell.kind != "code":
            continue
        for name in looped(cell.code):
            meant.pop(name, None)
        text = [other.source for other in (*page.cells[:number][::-1][:2], *page.cells[number + 1 :][:2])]
        for node in in_order(cell.code):
            if isinstance(node, ast.Assign):
                meant |= assigned(node, meant)
            elif own := fitted(node):
                meant[own.id] = resolved(node.value, meant)
            elif (rows := refitted(node, meant)) and not ADMITTED.search(" ".join(" ".join(text).split())):
                what = f"a calibrator predicts {rows}, the rows that it was fitted on"
                remedy = "judge it on others, or say so in words beside the cell"
                yield Problem(page.file, cell.place(node.lineno), what, remedy)


def looped(code: ast.AST) -> Iterator[str]:
    """Names that loops and comprehensions bind: they stand for many things."""
    for node in ast.walk(code):
        if isinstance(node, ast.For | ast.comprehension):
            yield from (part.id for part in ast.walk(node.target) if isinstance(part, ast.Name))


def in_order(code: ast.AST) -> Iterator[ast.AST]:
    """Nodes in the order of the source, those inside before those around them; no assertion."""
    for child in ast.iter_child_nodes(code):
        if not isinstance(child, ast.Assert):
            yield from in_order(child)
    yield code


def fitted(node: ast.AST) -> ast.Name | None:
    """Name of the estimator that a statement of its own fits."""
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "fit":
        return call.func.value if isinstance(call.func.value, ast.Name) else None
    return None


def assigned(node: ast.Assign, meant: dict[str, str]) -> dict[str, str]:
    """Expressions that an assignment gives to names, those of a tuple one by one."""
    found = {}
    for target in node.targets:
        if isinstance(target, ast.Name):
            found[target.id] = resolved(node.value, meant)
        elif isinstance(target, ast.Tuple):
            same = isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts)
            for place, part in enumerate(target.elts):
                whole = node.value.elts[place] if same else node.value
                found[ast.unparse(part)] = resolved(whole, meant) + ("" if same else f"[{place}]")
    return found


def resolved(node: ast.AST, meant: dict[str, str]) -> str:
    """Source of an expression, with what its names stand for in their places."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.AST:
            return ast.parse(meant[name.id], mode="eval").body if name.id in meant else name

    whole = ast.unparse(Put().visit(ast.parse(ast.unparse(node), mode="eval")))
    return whole if len(whole) <= LONGEST else ast.unparse(node)


def refitted(node: ast.AST, meant: dict[str, str]) -> str | None:
    """Rows that a call of predict_proba takes, where the calibrator was fitted on the same."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return None
    if node.func.attr != "predict_proba":
        return None
    fit = ast.parse(resolved(node.func.value, meant), mode="eval").body
    if not (isinstance(fit, ast.Call) and fit.args and CALIBRATORS.match(ast.unparse(fit.func))):
        return None
    first, rows = fit.args[0], resolved(node.args[0], meant)
    if isinstance(first, ast.Subscript) and isinstance(first.slice, ast.Slice):
        first = first.value if resolved(first, meant) != rows else first  # a part of what it predicts
    seen = f"{resolved(first.value, meant)}[0]" if isinstance(first, ast.Starred) else resolved(first, meant)
    return ast.unparse(node.args[0]) if rows == seen else None
