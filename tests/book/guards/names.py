"""Names of the package: each one that a page uses resolves, and each public one is used or has a reason."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.equations import find_documented

from .package import PACKAGE, Package
from .tree import Cell, Page, Problem, notebooks, pages, parse, prose_lines

API_PAGE = "book/reference/api.md"
CALLED = re.compile(r"(?<![`\w}])`(?P<name>\.?[A-Za-z_][\w.]*)\((?P<arguments>[^`]*)\)`")
DOTTED = re.compile(r"(?<![`\w}])`(?P<name>(?:cl|calibration_lessons)(?:\.\w+)+)`")
WORD = re.compile(r"(?<![`\w}])`(?P<name>[a-z]+(?:_[a-z]+)+)`")
OPTION = re.compile(r"(?<![`\w}])`(?P<name>[a-z]\w*)=(?!=)[^`]*`")
ELSEWHERE = {PACKAGE, "vega_datasets"}  # words in backticks that are no names of code
REASON = re.compile(
    r"^\s*[-*]\s+(?:\{py:\w+\})?`~?(?:[\w.]*\.)?(?P<name>\w+)(?:\(\))?`\s*[:—–-]\s*(?:\S+\s+){2,}\S"
)


def check(root: Path) -> list[Problem]:
    """Problems with the package's names in code, in prose and in the API page."""
    package = Package(root)
    problems: list[Problem] = []
    used: set[str] = set()
    for page in notebooks(root, "book", "assignments/source"):
        for cell, line, name in uses(page):
            if not package.resolve(name):
                problems.append(unresolved(page, cell, line, name))
            elif page.is_lesson:
                used |= {name.split(".")[1]} if name.count(".") else set()
                used |= {name.split(".")[-1]}
    every = notebooks(root, "book", "assignments/source")
    ours = package.known_words() | parameters(root) | ELSEWHERE
    words = ours | {word for page in every for word in identifiers(page)}
    options = ours | {word for page in every for word in keywords(page)}
    for page in pages(root, "book", "assignments/source"):
        problems += in_prose(page, package)
        problems += words_in_prose(page, words, options)
    return [*problems, *unused(root, package, used), *documented(root, package)]


def unresolved(page: Page, cell: Cell, line: int, name: str) -> Problem:
    """Report a name that leads nowhere."""
    return Problem(
        page.file, cell.place(line), f"{name} does not exist", "correct the name, or export it in the package"
    )


@cache
def imported(page: Page) -> dict[str, str]:
    """Names under which a notebook knows the package and what it takes from it, each with its full name."""
    aliases: dict[str, str] = {}
    for cell in page.code:
        for node in ast.walk(cell.code):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
                aliases |= {
                    a.asname or a.name: f"{node.module}.{a.name}" for a in node.names if a.name != "*"
                }
            elif isinstance(node, ast.Import):
                ours = [a for a in node.names if a.name.split(".")[0] == PACKAGE]
                aliases |= {a.asname or PACKAGE: a.name if a.asname else PACKAGE for a in ours}
    return aliases


@cache
def uses(page: Page) -> list[tuple[Cell, int, str]]:
    """Full names of the package's things that a notebook's code uses, each with its cell and line."""
    return list(reached(page, imported(page)))


def reached(page: Page, aliases: dict[str, str]) -> Iterator[tuple[Cell, int, str]]:
    """Look for names that a notebook's code imports or reaches by dots."""
    for cell in page.code:
        inner: set[ast.AST] = set()
        for node in ast.walk(cell.code):
            if isinstance(node, ast.Import):
                names = (a.name for a in node.names if a.name.split(".")[0] == PACKAGE)
                yield from ((cell, node.lineno, name) for name in names)
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
                yield from ((cell, node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
            elif isinstance(node, ast.Attribute) and node not in inner:
                part = node.value
                while isinstance(part, ast.Attribute):  # a chain of dots; a call between them starts another
                    inner.add(part)
                    part = part.value
                first, _, rest = ast.unparse(node).partition(".")
                if first in aliases and re.fullmatch(r"[\w.]+", rest):
                    yield cell, node.lineno, f"{aliases[first]}.{rest}"


def in_prose(page: Page, package: Package) -> Iterator[Problem]:
    """Report names in backticks: those that start with the package, and calls such as `name()`.

    A bare `name()` is ours, Python's or the notebook's own; another library's is written with its module.
    """
    local = bound(page) | set(dir(builtins)) | package.known_words()
    modules = {name.split(".")[-1] for name in package.modules} | {"cl"}
    for cell in page.markdown:
        for number, line, is_prose in prose_lines(cell.source):
            if not is_prose:
                continue
            found = [match["name"] for match in CALLED.finditer(line)]
            found += [match["name"] for match in DOTTED.finditer(line)]
            for name in found:
                first, _, rest = name.partition(".")
                if first in modules:
                    known = any(package.resolve(full) for full in full_names(name, package))
                elif rest and (owner := package.find_class(first)):
                    known = package.has_member(owner, rest.split(".")[0])
                else:  # what lies behind a variable or another library's module is not ours to know
                    known = (rest if not first else first) in local or bool(first and rest)
                if not known:
                    yield Problem(
                        page.file,
                        cell.place(number),
                        f"`{name}` in the prose leads nowhere",
                        "correct it, or write another library's function with its module",
                    )


def words_in_prose(page: Page, words: set[str], options: set[str]) -> Iterator[Problem]:
    """Report `some_name` and `option=value` in backticks whose name no code knows."""
    for cell in page.markdown:
        lines = prose_lines(cell.source)
        shown = {word for _, line, is_prose in lines if not is_prose for word in re.findall(r"\w+", line)}
        for number, line, is_prose in lines:
            found = [m for m in WORD.finditer(line) if m["name"] not in words | shown]
            found += [m for m in OPTION.finditer(line) if m["name"] not in options | shown | bound(page)]
            for match in found if is_prose else ():
                what = f"{match[0]} in the prose names what no code knows"
                yield Problem(page.file, cell.place(number), what, "correct the name")


def parameters(root: Path) -> set[str]:
    """Names of all parameters and attributes in the package."""
    found = set()
    for path in (root / PACKAGE).rglob("*.py"):
        for node in ast.walk(parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
    return found


@cache
def identifiers(page: Page) -> frozenset[str]:
    """Names, attributes, parameters and texts in a notebook's code."""
    found = set()
    for node in (node for cell in page.code for node in ast.walk(cell.code)):
        for field in ("id", "attr", "arg", "name", "value"):
            if isinstance(word := getattr(node, field, None), str):
                found.add(word)
    return frozenset(found)


@cache
def keywords(page: Page) -> frozenset[str]:
    """Names of the arguments in a notebook's calls."""
    nodes = (node for cell in page.code for node in ast.walk(cell.code))
    return frozenset(node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg)


def full_names(name: str, package: Package) -> list[str]:
    """Full names that `cl.x`, `calibration_lessons.x` or `plots.x` may stand for."""
    first, _, rest = name.partition(".")
    if first in {"cl", PACKAGE}:
        return [f"{PACKAGE}.{rest}"] if rest else [PACKAGE]
    return [f"{module}.{rest}" for module in package.modules if module.split(".")[-1] == first]


@cache
def bound(page: Page) -> set[str]:
    """Names that a notebook's code binds or imports."""
    names: set[str] = set()
    for cell in page.code:
        for node in ast.walk(cell.code):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                names |= {alias.asname or alias.name for alias in node.names}
    return names


def documented(root: Path, package: Package) -> Iterator[Problem]:
    """Report public names that the API page leaves out, and names on it that do not exist."""
    listed = find_documented(root)
    if not listed:
        return
    for name in sorted(listed):
        if not package.resolve(f"{PACKAGE}.{name.removeprefix(f'{PACKAGE}.')}"):
            yield Problem(API_PAGE, name, "the name does not exist", "correct it, or take it out")
    for name in package.public:
        if (
            isinstance(package.lookup(f"{PACKAGE}.{name}"), ast.FunctionDef | ast.ClassDef)
            and name not in listed
        ):
            yield Problem(
                API_PAGE, name, "the page leaves this public name out", f"add .. autofunction:: {name}"
            )


def unused(root: Path, package: Package, used: set[str]) -> Iterator[Problem]:
    """Report public names that no chapter uses and for which the API page gives no reason."""
    api = root / API_PAGE
    lines = api.read_text(encoding="utf-8").splitlines() if api.exists() else []
    reasons = {match["name"] for line in lines if (match := REASON.match(line))}
    for name in package.public:
        if name not in used | reasons:
            yield Problem(
                f"{PACKAGE}/__init__.py",
                name,
                "no chapter uses this public name",
                f"use it in a chapter, or add to {API_PAGE} a line `- `{name}`: the reason in a few words`",
            )
