"""What a notebook's outputs depend on, as two digests: its own code, and what that code imports.

Only code counts: no prose, and of the package no docstrings, comments or blank lines. What counts as
imported are the modules that a notebook reaches, the data where `datasets` is among them, and the lock.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from tools.binding import equations

PACKAGE = "calibration_lessons"


def digest(parts: Iterable[str]) -> str:
    """Short digest of some texts in their order."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def code_sources(notebook: Mapping[str, Any]) -> list[str]:
    """List the sources of a notebook's code cells, empty ones left out."""
    sources = ("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    return [source for source in sources if source.strip()]


def parse(source: str) -> ast.Module:
    """Syntax tree of Python without notebook magics; empty where it is no Python."""
    try:
        return ast.parse(re.sub(r"(?m)^\s*[%!].*$", "", source))
    except SyntaxError:
        return ast.Module([], [])


def plain(node: object) -> str:
    """Write a syntax tree without docstrings and places, the same on every version of Python."""
    if isinstance(node, list):
        return f"[{','.join(map(plain, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    if documented and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = fields["body"][1:]
    held = (f"{name}={plain(value)}" for name, value in fields.items() if value is not None and value != [])
    return f"{type(node).__name__}({','.join(held)})"


class Surroundings:
    """The package, its data and the lock, each read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = {}
        for path in sorted((root / PACKAGE).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            self.modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        self.trees = {name: parse(path.read_text(encoding="utf-8")) for name, path in self.modules.items()}

    @cached_property
    def lock(self) -> str:
        """Text of the lock."""
        path = self.root / "requirements.txt"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @cached_property
    def data(self) -> str:
        """Digest of the files that come with the package."""
        files = sorted(path for path in (self.root / PACKAGE / "data").rglob("*") if path.is_file())
        return digest(hashlib.sha256(path.read_bytes()).hexdigest() for path in files)

    @cached_property
    def shown(self) -> dict[str, str]:
        """Transcriptions as chapters show them, docstrings and all."""
        is_there = (self.root / equations.DEFINITIONS).exists()
        return {e.label: e.text for e in equations.find_registrations(self.root)} if is_there else {}

    def state(self, notebook: Mapping[str, Any]) -> dict[str, str]:
        """Digest of a notebook's code, and of what it imports."""
        sources = code_sources(notebook)
        tree = ast.Module([node for source in sources for node in parse(source).body], [])
        modules = self.reached(tree)
        imports = [f"{name} {plain(self.trees[name])}" for name in sorted(modules)]
        imports += [self.data] if any(name.endswith(".datasets") for name in modules) else []
        words = {part.value for part in ast.walk(tree) if isinstance(part, ast.Constant)}
        imports += [text for label, text in sorted(self.shown.items()) if label in words]
        return {"code": digest(sources), "imports": digest([self.lock, *imports])}

    def reached(self, tree: ast.Module) -> set[str]:
        """Modules that the code of a notebook leads to, directly or through others."""
        found: set[str] = set()
        waiting = set(self.imported(tree, ""))
        while waiting := waiting - found - {PACKAGE}:  # the package's own file exports, and computes nothing
            name = waiting.pop()
            found.add(name)
            waiting |= set(self.imported(self.trees[name], name))
        return found

    def imported(self, tree: ast.Module, module: str) -> Iterator[str]:
        """Modules that a piece of code imports, or takes a name from by dots."""
        aliases = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == PACKAGE:
                        yield self.home(alias.name)
                        aliases[alias.asname or PACKAGE] = alias.name if alias.asname else PACKAGE
            elif isinstance(node, ast.ImportFrom):
                base = self.base(module, node)
                if base.split(".")[0] == PACKAGE:
                    yield from (self.home(f"{base}.{alias.name}") for alias in node.names)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and (owner := aliases.get(ast.unparse(node.value))):
                yield self.home(f"{owner}.{node.attr}")

    def base(self, module: str, node: ast.ImportFrom) -> str:
        """Full name of the module that a `from … import` names."""
        is_package = self.modules.get(module, Path()).name == "__init__.py"
        above = module.split(".")[: len(module.split(".")) - node.level + is_package] if node.level else []
        return ".".join([*above, *filter(None, [node.module])])

    def home(self, name: str) -> str:
        """Find the module that defines what a full name stands for, through the imports of packages."""
        owner, _, last = name.rpartition(".")
        if name in self.modules or owner not in self.modules:
            return name if name in self.modules else PACKAGE
        for node in ast.walk(self.trees[owner]):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == last and self.base(owner, node).startswith(PACKAGE):
                        return self.home(f"{self.base(owner, node)}.{alias.name}")
        return owner
