"""A function of the package, or a transcription, that a notebook types again instead of showing it."""

from __future__ import annotations

import ast
import builtins
from functools import cache
from pathlib import Path

from .package import PACKAGE, Package
from .tree import Cell, Page, Problem, notebooks

SMALLEST = 25  # nodes of a body that is worth calling a copy


def check(root: Path) -> list[Problem]:
    """Problems with definitions in the book's notebooks that stand in the package already."""
    package = Package(root)
    transcribed = package.modules.get(f"{PACKAGE}.definitions", {})
    functions = {name: node for name, node in transcribed.items() if isinstance(node, ast.FunctionDef)}
    bodies = {fingerprint(node): name for name, node in functions.items() if is_sizeable(node)}
    callables = {name for name in package.public if is_callable(package, name)}
    problems = []
    for page in notebooks(root):
        for cell, name, line, node in defined(page):
            original = bodies.get(fingerprint(node)) if isinstance(node, ast.FunctionDef) else None
            if name in callables:
                source = f"{PACKAGE}.{name}"
                remedy = "use the package's, or give a version from scratch a name of its own"
            elif name in functions or original:
                source = f"definitions.{original or name}"
                remedy = "show the transcription with definitions.source(label)"
            else:
                continue
            problems.append(Problem(page.file, cell.place(line), f"{name} types {source} again", remedy))
    return problems


def is_callable(package: Package, name: str) -> bool:
    """Tell whether a public name is a function or a class."""
    node = package.lookup(f"{PACKAGE}.{name}")
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


@cache
def defined(page: Page) -> list[tuple[Cell, str, int, ast.AST]]:
    """Functions and classes that a notebook defines, a lambda with a name among them, each with its line."""
    found: list[tuple[Cell, str, int, ast.AST]] = []
    for cell in page.code:
        for node in ast.walk(cell.code):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.append((cell, node.name, node.lineno, node))
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                names = (target.id for target in node.targets if isinstance(target, ast.Name))
                found += [(cell, name, node.lineno, node) for name in names]
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

        def visit_AnnAssign(self, part: ast.AnnAssign) -> ast.AST:
            value = part.value or ast.Constant(None)
            return self.generic_visit(ast.Assign([part.target], value))

    body = node.body[1:] if ast.get_docstring(node) else node.body
    copy = ast.parse(ast.unparse(ast.Module(body, [])))
    return ast.dump(Rename().visit(copy))
