"""The package's names, read from its source: what exists, what is public, what a dotted name leads to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from .tree import parse

PACKAGE = "calibration_lessons"


class Package:
    """The names of every module of the package in a tree."""

    def __init__(self, root: Path) -> None:
        self.modules: dict[str, dict[str, ast.AST]] = {}
        for path in sorted((root / PACKAGE).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.modules[name] = dict(bindings(parse(path.read_text(encoding="utf-8")).body))

    @property
    def public(self) -> list[str]:
        """Names that `from calibration_lessons import …` is meant for."""
        names = self.modules.get(PACKAGE, {})
        if "__all__" in names:
            return [name for name in ast.literal_eval(names["__all__"]) if not name.startswith("_")]
        return [name for name, node in names.items() if not name.startswith("_") and is_own(node)]

    def resolve(self, dotted: str) -> bool:
        """Tell whether a name such as `calibration_lessons.plots.reliability` leads to something.

        The walk stops where the source does not say what comes next: at a function or a value.
        """
        at, *rest = dotted.split(".")
        for number, name in enumerate(rest, start=1):
            node = self.lookup(f"{at}.{name}")
            if node is None:
                return name.startswith("__")
            if isinstance(node, ast.ClassDef):
                return number == len(rest) or self.has_member(node, rest[number])
            at = f"{at}.{name}"
            if at not in self.modules:
                return True
        return True

    def lookup(self, dotted: str) -> ast.AST | None:
        """Node that a full name stands for, through imports; a stand-in for modules and other libraries."""
        if dotted in self.modules:
            return ast.Module([], [])
        owner, _, name = dotted.rpartition(".")
        if owner not in self.modules:
            return None if dotted.startswith(f"{PACKAGE}.") else ast.Pass()
        node = self.modules[owner].get(name)
        return self.lookup(self.origin(owner, node, name)) if isinstance(node, ast.ImportFrom) else node

    def origin(self, module: str, node: ast.ImportFrom, name: str) -> str:
        """Full name of what a `from … import name` in a module brings in."""
        original = next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
        base: list[str] = []
        if node.level:
            is_package = any(other.startswith(f"{module}.") for other in self.modules)
            parts = module.split(".")
            base = parts[: len(parts) - node.level + is_package]
        return ".".join([*base, *filter(None, [node.module]), original])

    def has_member(self, node: ast.ClassDef, name: str) -> bool:
        """Tell whether a class has a member: its own, one that it sets on self, or one of a base.

        A base from another library may bring any name.
        """
        bases = [self.find_class(ast.unparse(base)) for base in node.bases]
        own = {bound for bound, _ in bindings(node.body)}
        own |= {
            part.attr
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
        }
        return name in own or any(base is None or self.has_member(base, name) for base in bases)

    def find_class(self, name: str) -> ast.ClassDef | None:
        """Class of this name, whichever module defines it."""
        found = (names.get(name) for names in self.modules.values())
        return next((node for node in found if isinstance(node, ast.ClassDef)), None)

    def known_words(self) -> set[str]:
        """Every name that a module or a class of the package defines."""
        words = {name for names in self.modules.values() for name in names}
        for names in self.modules.values():
            for node in names.values():
                if isinstance(node, ast.ClassDef):
                    words |= {name for name, _ in bindings(node.body)}
        return words


def bindings(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    """Names that the statements of a module or a class bind, each with what it is bound to."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from ((part.id, node.value) for part in ast.walk(target) if isinstance(part, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, node) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name.split(".")[0], node) for alias in node.names)
        elif isinstance(node, ast.If | ast.Try):
            yield from bindings(node.body)


def is_own(node: ast.AST) -> bool:
    """Tell whether a name is bound to something of the package, not to another library's."""
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").startswith(PACKAGE)
    return not isinstance(node, ast.Import)
