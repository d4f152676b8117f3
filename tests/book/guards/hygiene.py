"""Notebooks as they are committed: executed from top to bottom, clean, and the same on every machine."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from nbformat.validator import iter_validate

from tools.notebooks import METADATA, digest

from .names import imported
from .package import PACKAGE
from .tree import Cell, Page, Problem, joined, notebooks

LARGEST = 500_000  # bytes
TRACES = {"execution", "ExecuteTime", "collapsed", "scrolled", "trusted", "jupyter"}
MACHINE = re.compile(r"(?:/(?:home|Users|root|tmp|work|opt|mnt|private|usr|var)/|[A-Z]:\\)[\w./\\-]+")
ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")
RUN = "run tools/notebooks.py on it"


def check(root: Path) -> list[Problem]:
    """Problems with the notebooks' files, cells and outputs, in the book and in the assignments."""
    pages = notebooks(root, "book", "assignments/source")
    return [problem for page in pages for problem in in_page(root, page)]


@cache
def in_page(root: Path, page: Page) -> list[Problem]:
    """Problems with one notebook."""
    return list(found(root, page))


def found(root: Path, page: Page) -> Iterator[Problem]:
    """Look through one notebook."""
    size = (root / page.file).stat().st_size
    if size > LARGEST:
        yield Problem(
            page.file,
            "the file",
            f"it has {size // 1000} KB, more than {LARGEST // 1000}",
            "draw fewer points, or figures at a lower resolution",
        )
    if fault := invalid(page.raw):
        yield Problem(page.file, "the file", f"it is no valid notebook: {fault}", "repair or rewrite it")
        return
    if page.raw["metadata"] != METADATA:
        names = sorted(k for k, v in page.raw["metadata"].items() if v != METADATA.get(k)) or "too little"
        yield Problem(page.file, "the metadata", f"it holds {names}, not the usual kernel and language", RUN)
    aliases = imported(page)
    yield from identities(page)
    yield from order(page)
    for cell in page.cells:
        yield from leftovers(page, cell)
    for cell in page.code:
        executed = cell.raw.get("execution_count") is not None
        if executed and cell.raw["metadata"].get("digest") != digest(cell.raw):
            what = "its code or its output is not what was executed, or the digest of them is missing"
            yield Problem(page.file, cell.place(), what, RUN)
        yield from outputs(page, cell)
        yield from missing(page, cell, aliases)


def invalid(raw: dict[str, Any]) -> str:
    """Say why this is no valid notebook of format 4; the ids are judged by themselves."""
    if raw.get("nbformat") != 4:
        return "it cannot be read as a notebook of format 4"
    faults = (error.message for error in iter_validate(raw))
    return next((fault[:200] for fault in faults if "'id' is a required property" not in fault), "")


def identities(page: Page) -> Iterator[Problem]:
    """Cell ids: each there, and each once."""
    counts = Counter(cell.raw.get("id") for cell in page.cells)
    for cell in page.cells:
        name = cell.raw.get("id")
        if not name:
            yield Problem(page.file, cell.place(), "the cell has no id", RUN)
        elif counts[name] > 1:
            yield Problem(
                page.file, cell.place(), f"another cell has the id {name!r}, too", "change one of them"
            )


def order(page: Page) -> Iterator[Problem]:
    """Execution counts: 1, 2, 3, … as after one run from top to bottom."""
    for expected, cell in enumerate(page.code, start=1):
        count = cell.raw.get("execution_count")
        if count is None:
            yield Problem(
                page.file, cell.place(), "the cell was never executed, or its outputs were stripped", RUN
            )
        elif count != expected:
            what = f"it was executed as number {count}, and stands at number {expected}"
            yield Problem(page.file, cell.place(), what, RUN)
            return


def leftovers(page: Page, cell: Cell) -> Iterator[Problem]:
    """What an editor left in a cell: traces of a run, files attached."""
    traces = sorted(TRACES & set(cell.raw.get("metadata", {})))
    if traces:
        yield Problem(
            page.file,
            cell.place(),
            f"its metadata hold {', '.join(traces)}",
            "delete them: they change at each run",
        )
    if cell.raw.get("attachments"):
        yield Problem(page.file, cell.place(), "a file is attached to it", "put the picture into book/assets")


def outputs(page: Page, cell: Cell) -> Iterator[Problem]:
    """Outputs that no reader should see, and figures that say nothing about their data."""
    for output in cell.outputs:
        data = output.get("data", {})
        if output.get("name") == "stderr":
            what = f"it writes to stderr: {joined(output['text']).strip().splitlines()[0]}"
            yield Problem(page.file, cell.place(), what, "mend the cause, or catch the warning and print it")
        if output["output_type"] == "error" and "raises-exception" not in cell.tags:
            what = f"it ends with {output['ename']}: {output['evalue']}"
            remedy = "mend it, or tag the cell raises-exception where the error is the lesson"
            yield Problem(page.file, cell.place(), what, remedy)
        if any(kind.startswith("image/") for kind in data):
            if not joined(data.get("text/plain", "")).startswith("Picture"):
                what = "the figure comes without the data behind it, so that nothing compares it"
                yield Problem(
                    page.file, cell.place(), what, "draw it with a function of calibration_lessons.plots"
                )
    for text in cell.output_texts():
        for pattern, what in ((MACHINE, "a path of one machine"), (ADDRESS, "an address in memory")):
            if match := pattern.search(text):
                yield Problem(
                    page.file,
                    cell.place(),
                    f"an output holds {what}, {match[0]}",
                    "print what a reader needs",
                )


def missing(page: Page, cell: Cell, aliases: dict[str, str]) -> Iterator[Problem]:
    """Cells whose code shows something, and which have no output of that kind: stripped, or not run again."""
    body = cell.code.body
    if not body or "raises-exception" in cell.tags or cell.raw.get("execution_count") is None:
        return
    last = (
        body[-1].value if isinstance(body[-1], ast.Expr) and not cell.source.rstrip().endswith(";") else None
    )
    if last is not None and draws(last, aliases) and not cell.has_image():
        yield Problem(page.file, cell.place(), "its figure is missing", RUN)
    elif last is not None and displays(last) and not any("data" in output for output in cell.outputs):
        yield Problem(page.file, cell.place(), f"the value of {ast.unparse(last)[:60]} is missing", RUN)
    if any(map(prints, body)) and not any(output.get("name") == "stdout" for output in cell.outputs):
        yield Problem(page.file, cell.place(), "what it prints is missing", RUN)


def draws(node: ast.expr, aliases: dict[str, str]) -> bool:
    """Tell whether an expression is a call of a function of `plots`."""
    if not isinstance(node, ast.Call):
        return False
    first, _, rest = ast.unparse(node.func).partition(".")
    full = ".".join(filter(None, [aliases.get(first, first), rest]))
    return full.startswith(f"{PACKAGE}.plots.")


def displays(node: ast.expr) -> bool:
    """Tell whether an expression surely has a value that a notebook shows."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).endswith("definitions.source")
    shown = ast.BinOp | ast.BoolOp | ast.Compare | ast.Dict | ast.JoinedStr | ast.List | ast.Name | ast.Tuple
    return isinstance(node, shown) or (isinstance(node, ast.Constant) and node.value is not None)


def prints(node: ast.stmt) -> bool:
    """Tell whether a statement is a call of print that writes something."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func) == "print" and bool(call.args)
