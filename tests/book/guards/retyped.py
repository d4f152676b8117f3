"""Code that stands twice: a function of the package that a notebook types again, lines in two notebooks."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools import equations as scan
from tools.pages import Cell, Page, notebooks, parse

from .package import PACKAGE, callables
from .problem import Problem

SMALLEST = 25  # nodes of a body that is worth calling a copy
COPY = 6  # lines in a row that no two notebooks share


def check(root: Path) -> list[Problem]:
    """Problems with code in the book's notebooks that stands elsewhere already."""
    return [*typed_again(root), *copied_lines(root)]


def typed_again(root: Path) -> Iterator[Problem]:
    """Public functions and transcriptions that a notebook defines once more."""
    nodes = parse((root / scan.DEFINITIONS).read_text(encoding="utf-8")).body
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
    bodies = {fingerprint(node): name for name, node in functions.items() if is_sizeable(node)}
    for page in notebooks(root):
        for cell, name, node in defined(page):
            original = bodies.get(fingerprint(node)) if isinstance(node, ast.FunctionDef) else None
            if name in callables():
                source = f"{PACKAGE}.{name}"
                remedy = "use the package's, or give a version from scratch a name of its own"
            elif name in functions or original:
                source = f"definitions.{original or name}"
                remedy = "show the transcription with definitions.source(label)"
            else:
                continue
            yield Problem(page.file, cell.place(node.lineno), f"{name} types {source} again", remedy)


@cache
def defined(page: Page) -> list[tuple[Cell, str, ast.stmt]]:
    """Functions and classes that a notebook defines, a lambda with a name among them."""
    found: list[tuple[Cell, str, ast.stmt]] = []
    for cell in page.code:
        for node in ast.walk(cell.code):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.append((cell, node.name, node))
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                names = (target.id for target in node.targets if isinstance(target, ast.Name))
                found += [(cell, name, node) for name in names]
    return found


def is_sizeable(node: ast.FunctionDef) -> bool:
    """Tell whether a body is long enough that nobody writes it twice by chance."""
    return sum(1 for statement in node.body for _ in ast.walk(statement)) >= SMALLEST


@cache
def fingerprint(node: ast.FunctionDef) -> str:
    """What a function does, whatever it and its variables are called: no docstring, no annotations."""
    own = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    names: dict[str, str] = {}

    class Rename(ast.NodeTransformer):
        def visit_Name(self, part: ast.Name) -> ast.AST:
            if part.id in own and not hasattr(builtins, part.id):
                part.id = names.setdefault(part.id, f"v{len(names)}")
            return part

    body = node.body[1:] if ast.get_docstring(node) else node.body
    return ast.dump(Rename().visit(ast.parse(ast.unparse(ast.Module(body, [])))))


def copied_lines(root: Path) -> Iterator[Problem]:
    """Runs of code lines that stand in two notebooks; imports do not count."""
    first: dict[tuple[str, ...], str] = {}
    for page in notebooks(root):
        lines = [(cell, number, line) for cell in page.code for number, line in code_lines(cell)]
        for start in range(len(lines) - COPY + 1):
            other = first.setdefault(tuple(line for _, _, line in lines[start : start + COPY]), page.file)
            if other != page.file:
                cell, number, _ = lines[start]
                what = f"{COPY} lines of code from here on stand in {other}, too"
                remedy = "move them into the package and call it in both"
                yield Problem(page.file, cell.place(number), what, remedy)
                break


def code_lines(cell: Cell) -> Iterator[tuple[int, str]]:
    """Lines of a cell that do something, with their numbers: no imports, no comments."""
    for number, line in enumerate(cell.source.splitlines(), start=1):
        bare = line.strip()
        if bare and not bare.startswith(("import ", "from ", "#")) and "made_for" not in bare:
            yield number, bare
