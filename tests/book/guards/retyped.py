"""Code that stands twice: a function of the package that a notebook defines under its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.binding import equations as scan
from tools.binding.pages import Cell, Page, notebooks, parse

from .package import PACKAGE, callables
from .problem import Problem


def check(root: Path) -> list[Problem]:
    """Problems with public functions and transcriptions that a notebook defines once more."""
    nodes = parse((root / scan.DEFINITIONS).read_text(encoding="utf-8")).body
    transcribed = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    problems = []
    for page in notebooks(root):
        for cell, name, line in defined(page):
            if name in callables():
                remedy = "use the package's, or give a version from scratch a name of its own"
            elif name in transcribed:
                remedy = "show the transcription with definitions.source(label)"
            else:
                continue
            what = f"{name} types what {PACKAGE} defines under this name"
            problems.append(Problem(page.file, cell.place(line), what, remedy))
    return problems


@cache
def defined(page: Page) -> tuple[tuple[Cell, str, int], ...]:
    """Names that a notebook gives to functions and classes, with their places."""
    return tuple((cell, *found) for cell in page.code for found in names(cell.code))


def names(code: ast.Module) -> Iterator[tuple[str, int]]:
    """Names of functions and classes, a lambda with a name among them, and their lines."""
    for node in ast.walk(code):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            yield from ((target.id, node.lineno) for target in node.targets if isinstance(target, ast.Name))
