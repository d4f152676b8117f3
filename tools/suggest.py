#!/usr/bin/env python3
"""Find the expressions that give the numbers of a chapter's text.

    tools/suggest.py PATH            list each unbound number with its place and candidates
    tools/suggest.py PATH --apply    write the candidate behind each number that has one only

At each text cell its numbers are compared with what the code above prints in f-strings (in a loop, once a
turn), with the scalars that variables hold, and, from three digits on, with differences and ratios of two
printed values. A candidate is a proposal: read it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import itertools
import numbers
import re
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]

from tools import binding  # noqa: E402
from tools.prose import Number, plain, read_numbers  # noqa: E402

LONGEST = 60  # items of a container that are looked at
Names = dict[str, Any]
Candidates = dict[str, float]


def leaves(expression: str, value: object, depth: int = 3) -> Iterator[tuple[str, float]]:
    """Scalars that a value holds, each with the expression that reaches it."""
    if isinstance(value, numbers.Real | np.bool_):
        yield expression, float(value)
    elif depth == 0 or isinstance(value, type | str | bytes) or callable(value):
        return
    elif hasattr(value, "keys"):  # a dictionary, a data frame or a column of one
        for key in list(value.keys())[:LONGEST]:
            yield from leaves(f"{expression}[{key!r}]", value[key], depth - 1)
    elif isinstance(value, list | tuple | np.ndarray) and getattr(value, "ndim", 1):
        for place, item in enumerate(value if len(value) <= LONGEST else ()):
            yield from leaves(f"{expression}[{place}]", item, depth - 1)
    elif type(value).__module__.startswith("calibration_lessons"):
        for name in (name for name in dir(value) if not name.startswith("_")):
            with contextlib.suppress(Exception):
                yield from leaves(f"{expression}.{name}", getattr(value, name), depth - 1)


class Put(ast.NodeTransformer):
    """Put expressions in the place of names."""

    def __init__(self, meant: dict[str, ast.expr]) -> None:
        self.meant = meant

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name that is read."""
        return self.meant.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def put(node: ast.expr, meant: dict[str, ast.expr]) -> ast.expr:
    """Copy an expression with names replaced."""
    return Put(meant).visit(ast.parse(ast.unparse(node), mode="eval").body)


def printed(body: list[ast.stmt], names: Names, meant: dict[str, ast.expr]) -> Iterator[str]:
    """Expressions in the f-strings of some code, what loops and assignments in them stand for put in."""
    for node in body:
        if isinstance(node, ast.For):
            for turn in turns(put(node.iter, meant), node.target, names):
                yield from printed(node.body, names, meant | turn)
        elif isinstance(node, ast.Assign) and meant:
            source = ast.unparse(put(node.value, meant))
            meant = meant | bound(node.targets[0], source, [f"{source}[{place}]" for place in range(LONGEST)])
        else:
            fields = (part for part in ast.walk(node) if isinstance(part, ast.FormattedValue))
            yield from (ast.unparse(put(field.value, meant)) for field in fields)


def turns(loop: ast.expr, target: ast.expr, names: Names) -> Iterator[dict[str, ast.expr]]:
    """Say what a loop's variables stand for in each turn."""
    source, owner = ast.unparse(loop), ast.unparse(loop).removesuffix(".items()")
    with contextlib.suppress(Exception):
        for place, value in enumerate(list(eval(source, dict(names)))[:LONGEST]):
            whole = repr(value) if isinstance(value, int | float | str) else f"list({source})[{place}]"
            parts = [f"{whole}[{part}]" for part in range(LONGEST)]
            if owner != source:
                parts = [repr(value[0]), f"{owner}[{value[0]!r}]"]
            yield bound(target, whole, parts)


def bound(target: ast.expr, whole: str, parts: list[str]) -> dict[str, ast.expr]:
    """Say what the names of an assignment or a loop stand for."""
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    sources = parts if isinstance(target, ast.Tuple) else [whole]
    return {
        ast.unparse(part): ast.parse(source, mode="eval").body
        for part, source in zip(targets, sources, strict=False)
    }


def evaluated(expressions: Iterator[str], names: Names) -> Candidates:
    """Those expressions that can be evaluated here, draw nothing at random, and give a number."""
    found: Candidates = {}
    random = [name for name, value in names.items() if isinstance(value, np.random.Generator)]
    draws = re.compile(rf"\b(?:{'|'.join([*random, 'default_rng'])})\b")
    for expression in (text for text in dict.fromkeys(expressions) if not draws.search(text)):
        with contextlib.suppress(Exception):
            found |= dict(leaves(expression, eval(expression, dict(names)), 0))
    return found


def formats(number: Number, candidates: Candidates) -> list[str]:
    """Expressions with the format under which they read as the number does."""
    own, is_grouped = number.as_share(), re.search(r"\d[^\d.]\d{3}", number.text)
    kind = f"{'_' if is_grouped else ''}.{number.decimals}{'%' if number.percent else 'f'}"
    reach = Decimal("0.5000001").scaleb(-own.decimals)
    near = (e for e, v in candidates.items() if np.isfinite(v) and abs(Decimal(v) - own.value) <= reach)
    return [f"{expression}:{kind}" for expression in near]


def pairs(known: Candidates) -> Candidates:
    """Differences and ratios of two values."""
    found: Candidates = {}
    for (one, a), (other, b) in itertools.permutations(list(known.items())[:LONGEST], 2):
        found[f"({one}) - ({other})"] = a - b
        if b:
            found[f"({one}) / ({other})"] = a / b
    return found


def suggest(path: Path, apply: bool) -> Iterator[str]:
    """Execute a notebook; yield a line for each unbound number of its text."""
    notebook = nbformat.read(path, as_version=4)
    names: Names = {"__name__": "__main__"}
    section: list[ast.stmt] = []
    for place, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code":
            section += ast.parse(cell.source).body
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(ValueError):
                exec(compile(cell.source, f"cell {place}", "exec"), names)
            continue
        section = [] if re.match(r"#+ ", cell.source) else section
        known = evaluated(printed(section, names, {}), names)
        held = {name: value for name, value in names.items() if not name.startswith("_")}
        every = known | {e: v for name, value in held.items() for e, v in leaves(name, value)}
        marked = " ".join(re.findall(r"<!-- *(?:given|quoted):(.*?)-->", cell.source))
        for number in read_numbers(plain(binding.without_bound(cell.source))):
            known_otherwise = any(number.equals(other) for other in read_numbers(plain(marked)))
            if (number.is_claim or number.is_count) and not known_otherwise:
                found = formats(number, known) or formats(number, every)
                if not found and len(re.sub(r"\D", "", number.text).lstrip("0")) >= 3:
                    found = formats(number, pairs(known))
                where = f"{path}: cell {place}, line {number.line + 1}"
                yield f"{where}: {number.text}: {' | '.join(found[:6]) or 'nothing above gives it'}"
                behind = rf"(?<![\d.]){re.escape(number.text)}[$*]*(?![\d<$*]|\.\d)"
                if apply and len(found) == 1 and len(re.findall(behind, cell.source)) == 1:
                    cell.source = re.sub(behind, lambda m, f=found: f"{m[0]}<!-- = {f[0]} -->", cell.source)
    if apply:
        path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Find the expressions that give the numbers of a text.")
    parser.add_argument("path", type=Path, metavar="PATH")
    parser.add_argument("--apply", action="store_true", help="write the candidates that are the only ones")
    options = parser.parse_args()
    path = options.path.resolve()
    with contextlib.chdir(path.parent):
        print(*suggest(Path(path.name), options.apply), sep="\n")


if __name__ == "__main__":
    main()
