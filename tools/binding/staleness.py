"""What a notebook's outputs depend on, as two digests: its own code, and the names that this code leads to.

Only code counts: no prose, and of the package no docstrings, comments or blank lines. A name that a notebook
uses brings its definition, and this the names that it uses in turn, so that a new function makes no notebook
stale, and a changed one those that lead to it. Of a class that derives from none but the package's own, a
method counts only where something reached has an attribute of its name. Also counted: the text of each
transcription that a notebook shows by its label, each data file that reached code names, and the locked
versions of the libraries that it imports.
"""

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from tools.binding import equations
from tools.binding.pages import parse

PACKAGE = "calibration_lessons"
DATA = "book/data"
DISTRIBUTIONS = {"sklearn": "scikit-learn"}  # whose name is not that of the module
DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def digest(parts: Iterable[str]) -> str:
    """Short digest of some texts in their order."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def code_sources(notebook: Mapping[str, Any]) -> list[str]:
    """List the sources of a notebook's code cells, empty ones left out."""
    sources = ("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    return [source for source in sources if source.strip()]


def plain(node: object) -> str:
    """Write a syntax tree without docstrings and places, the same on every version of Python."""
    if isinstance(node, list):
        return f"[{','.join(map(plain, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    if isinstance(node, (ast.Module, *DEFINITION)) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = fields["body"][1:]
    if isinstance(node, ast.JoinedStr):  # Python 3.12 ends a format that is a value by an empty text
        fields["values"] = [part for part in node.values if getattr(part, "value", None) != ""]
    held = (f"{name}={plain(value)}" for name, value in fields.items() if value is not None and value != [])
    return f"{type(node).__name__}({','.join(held)})"


@cache
def plain_code(text: str) -> str:
    """Write Python source in this way."""
    return plain(ast.parse(text))


def bound(node: ast.stmt) -> set[str]:
    """Names that a statement of a module binds; none for one that does something else."""
    if isinstance(node, DEFINITION):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    parts = [part for target in targets if target is not None for part in ast.walk(target)]
    return {part.id for part in parts if isinstance(part, ast.Name)}


class Facts(NamedTuple):
    """A piece of code without docstrings, and what it leads to."""

    text: str
    names: frozenset[str]  # of the package, in full
    libraries: frozenset[str]
    attributes: frozenset[str]
    words: frozenset[str]


class Module:
    """A module's statements by the names that they bind, and under "" what it does besides."""

    def __init__(self, name: str, tree: ast.Module, *, is_package: bool = False) -> None:
        self.name, self.is_package = name, is_package
        self.bound: dict[str, list[ast.stmt]] = defaultdict(list)
        self.methods: dict[str, list[ast.stmt]] = {}  # of classes that derive from nobody else's
        for node in tree.body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            for name in bound(node) or {""}:
                self.bound[name].append(self.header(node) if isinstance(node, ast.ClassDef) else node)

    def header(self, node: ast.ClassDef) -> ast.ClassDef:
        """Set the methods of a class aside, unless another library may call them."""
        if not all(isinstance(b, ast.Name) and b.id in {*self.methods, "NamedTuple"} for b in node.bases):
            return node
        methods = [n for n in node.body if isinstance(n, DEFINITION) and not n.name.startswith("__")]
        self.methods[node.name] = methods
        rest = [n for n in node.body if n not in methods]
        return ast.ClassDef(node.name, node.bases, node.keywords, rest, node.decorator_list)

    def imported(self, tree: ast.AST) -> dict[str, str]:
        """Full names of what the imports in a piece of code bind."""
        found = {}
        parts = self.name.split(".")
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                above = parts[: len(parts) - node.level + self.is_package] if node.level else []
                base = ".".join([*above, *filter(None, [node.module])])
                found |= {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                first = {alias: alias.name.partition(".")[0] for alias in node.names}
                found |= {a.asname or first[a]: a.name if a.asname else first[a] for a in node.names}
        return found

    @cached_property
    def globals(self) -> dict[str, str]:
        """Full names behind the module's own names and what it imports."""
        found = {name: f"{self.name}.{name}" for name in self.bound}
        outer = (n for nodes in self.bound.values() for n in nodes if not isinstance(n, DEFINITION))
        for node in outer:
            found |= self.imported(node)
        return found

    @cache  # noqa: B019 (modules live as long as the program)
    def facts(self, tree: ast.AST) -> Facts:
        """Say what a piece of the module's code leads to."""
        local = self.imported(tree)
        known = self.globals | local
        chains, inside = [], set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute | ast.Name) and node not in inside:
                part: ast.AST = node
                while isinstance(part, ast.Attribute):
                    part = part.value
                    inside.add(part)
                if isinstance(part, ast.Name) and part.id in known:
                    chains.append(known[part.id] + ast.unparse(node).removeprefix(part.id))
        parts = list(ast.walk(tree))
        return Facts(
            plain(tree),
            frozenset(full for full in chains if full.startswith(f"{PACKAGE}.")),
            frozenset(full.partition(".")[0] for full in [*chains, *local.values()]),
            frozenset(part.attr for part in parts if isinstance(part, ast.Attribute)),
            frozenset(p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)),
        )


class Surroundings:
    """The package, its data and the lock, each read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules: dict[str, Module] = {}
        for path in sorted((root / PACKAGE).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            is_package = path.name == "__init__.py"
            name = ".".join(parts[:-1] if is_package else parts)
            self.modules[name] = Module(name, parse(path.read_text(encoding="utf-8")), is_package=is_package)

    @cached_property
    def versions(self) -> dict[str, str]:
        """Locked version of each library."""
        path = self.root / "requirements.txt"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return dict(re.findall(r"^([\w.-]+)(?:\[.*\])?==(\S+)", text, re.M))

    @cached_property
    def data(self) -> dict[str, str]:
        """Digest of each file that comes with the package."""
        files = (path for path in (self.root / PACKAGE / DATA).rglob("*") if path.is_file())
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    @cached_property
    def shown(self) -> dict[str, str]:
        """Transcriptions as chapters show them, docstrings and all."""
        is_there = (self.root / equations.DEFINITIONS).exists()
        return {e.label: e.text for e in equations.find_registrations(self.root)} if is_there else {}

    def state(self, notebook: Mapping[str, Any]) -> dict[str, str]:
        """Digest of a notebook's code, and of what it leads to."""
        sources = code_sources(notebook)
        tree = ast.Module([node for source in sources for node in parse(source).body], [])
        return {"code": digest(sources), "imports": digest(self.reached(Module("", tree).facts(tree)))}

    def reached(self, start: Facts) -> Iterator[str]:
        """Texts that together say what a piece of code leads to, followed until nothing new is found."""
        names: set[str] = set()  # a module and a name in it, with a dot between them
        asleep: dict[str, list[tuple[Module, ast.stmt]]] = defaultdict(list)  # methods that nothing calls yet
        found, waiting = [start], [start]
        while waiting:
            facts = waiting.pop()
            pieces = [piece for name in facts.names for piece in self.pieces(name, names, asleep)]
            called = {name for each in (found if pieces else [facts]) for name in each.attributes}
            pieces += [piece for name in called & asleep.keys() for piece in asleep.pop(name)]
            new = [module.facts(node) for module, node in pieces]
            found += new
            waiting += new
        words = {word for facts in found for word in facts.words}
        yield from sorted({facts.text for facts in found[1:]})
        yield from (text for label, text in sorted(self.shown.items()) if label in words)
        yield from (text for file, text in sorted(self.data.items()) if file in words)
        for library in sorted({library for facts in found for library in facts.libraries}):
            yield f"{library} {self.versions.get(DISTRIBUTIONS.get(library, library), '')}"

    def pieces(
        self, full: str, names: set[str], asleep: dict[str, list[tuple[Module, ast.stmt]]]
    ) -> Iterator[tuple[Module, ast.stmt]]:
        """Statements that stand behind a full name and are new, and what its module does besides."""
        parts = full.split(".")
        cut = next((n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in self.modules), 0)
        module = self.modules.get(".".join(parts[:cut]))
        if module is None or (cut == len(parts) and module.is_package):
            return
        for name in parts[cut : cut + 1] or list(module.bound):
            behind = module.globals.get(name, "")
            if f"{module.name}.{name}" in names:
                continue
            names.add(f"{module.name}.{name}")
            if behind not in ("", f"{module.name}.{name}"):
                yield from self.pieces(behind, names, asleep)
                continue
            for node in [*module.bound.get(name, []), *module.bound.get("", [])]:
                yield module, node
            for method in module.methods.get(name, []):
                asleep[method.name].append((module, method))
