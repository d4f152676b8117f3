"""Names of the package: each one that a page uses resolves, no notebook types one again, none is idle."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from tools.binding.equations import DEFINITIONS, find_documented
from tools.binding.pages import Cell, Page, notebooks, pages, parse, read_lines

from .package import PACKAGE, callables, fault, in_docstrings, methods, public, resolve
from .problem import Problem

API_PAGE = "book/reference/api.md"
SPAN = re.compile(r"\{[\w:]+\}`~?(?P<role>[^`]*)`|(?P<ticks>`+)(?P<code>.+?)(?P=ticks)")
DOTTED = re.compile(
    r"(?:(?:cl|calibration_lessons)\.|(?=(?:book|decisions|deployment|measures|models|plots|uncertainty)\.))"
    r"(?P<name>\w+(?:\.(?!(?:ipynb|md|py)\b)\w+)*)(?:\(.*\))?"
)
ALONE = re.compile(r"([a-z]\w*?_?)(?:=[^=]|(?<=_)$)")
ALMOST = re.compile(r"([A-Za-z]\w*?(?:_|[a-z](?=[A-Z]))\w*)(?:\(.*\))?")  # of two words or more
FOREIGN = set("class_weight label_smoothing out_of_bounds scale_by_half shuffle value_counts".split())
IN_DOCSTRING = re.compile(r"(?<!`)`(?!(?:sklearn|pandas|matplotlib|torch)\.)([A-Za-z_][\w.]*)`(?!`)|``(\w+)=")
REASON = re.compile(
    r"^\s*[-*]\s+(?:\{py:\w+\})?`~?(?:[\w.]*\.)?(?P<name>\w+)(?:\(\))?`\s*[:—–-]\s*(?:\S+\s+){2,}\S"
)


def check(root: Path) -> Iterator[Problem]:
    """Problems with the package's names in code, in prose and in the API page."""
    used: set[str] = set()
    for page in notebooks(root, "book", "assignments/source"):
        for cell, line, name in uses(page):
            if not resolve(name):
                yield unresolved(page.file, cell.place(line), name)
            elif page.is_lesson:
                used |= set(name.split(".")[1:2]) | {name.split(".")[-1]}
    texts = [
        (page.file, cell.place, cell.source)
        for page in pages(root, "book", "assignments/source")
        for cell in page.markdown
    ]
    texts += [(path.name, "line {}".format, path.read_text("utf-8")) for path in sorted(root.glob("*.md"))]
    code = "\n".join(path.read_text("utf-8") for path in (root / PACKAGE).rglob("*.py"))
    words = FOREIGN.union(re.findall(r"\w+", re.sub(r"`+[^`\n]*`+", "", code)))
    for text in texts:
        yield from in_prose(*text, words)
    for page in notebooks(root, "assignments/source"):
        yield from asked(page)
    for match, file, place in in_docstrings(root, IN_DOCSTRING):
        if not words.issuperset((match[1] or match[2]).split(".")):
            yield unresolved(file, place, match[0])
    yield from retyped(root)
    yield from unused(root, used)
    yield from documented(root)


def unresolved(file: str, place: str, name: str) -> Problem:
    """Report a name that leads nowhere."""
    remedy = "correct the name, export it, or add another library's to FOREIGN in tests/book/guards/names.py"
    return Problem(file, place, f"{name} does not exist", remedy)


@cache
def imported(page: Page) -> dict[str, str]:
    """Names under which a notebook knows the package and what it takes from it, each with its full name."""
    aliases: dict[str, str] = {}
    for node in (node for cell in page.code for node in ast.walk(cell.code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
            aliases |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names if a.name != "*"}
        elif isinstance(node, ast.Import):
            ours = [a for a in node.names if a.name.split(".")[0] == PACKAGE]
            aliases |= {a.asname or PACKAGE: a.name if a.asname else PACKAGE for a in ours}
    return aliases


@cache
def uses(page: Page) -> list[tuple[Cell, int, str]]:
    """Full names of the package's things that a notebook's code imports or reaches by dots."""
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


def in_prose(file: str, place: Callable[[int], str], text: str, words: set[str]) -> Iterator[Problem]:
    """Report names in backticks that begin with the package or a theme, and calls that a function refuses.

    Other names are another library's, or words; but an option or an attribute alone is a word of our code.
    """
    for number, line, is_prose, _ in read_lines(text):
        for code in (match["code"] or match["role"] for match in SPAN.finditer(line)) if is_prose else ():
            named = DOTTED.fullmatch(code)
            if named and not resolve(f"{PACKAGE}.{named['name']}"):
                yield unresolved(file, place(number), named["name"])
            elif (alone := ALONE.match(code)) and alone[1] not in words:
                yield unresolved(file, place(number), code)
            elif (name := ALMOST.fullmatch(code)) and name[1] not in words and close(name[1]):
                yield unresolved(file, place(number), f"{code}, almost {close(name[1])[0]},")
            elif named and "(" in code and f"{PACKAGE}.{named['name']}" in sys.modules:
                yield Problem(file, place(number), f"{named['name']} is a module", "name the function in it")
            elif what := fault(code):
                yield Problem(file, place(number), f"{code}: {what}", "write a call that it takes")


@cache
def close(name: str) -> list[str]:
    """The public name, or the method of a public class, that a name almost is, if there is one."""
    return get_close_matches(name, {known.rpartition(".")[2] for known in (*public(), *methods())}, 1, 0.85)


def asked(page: Page) -> Iterator[Problem]:
    """Report functions that a problem set asks for, and that no cell defines with these arguments."""
    nodes = [node for cell in page.code for node in cell.code.body if isinstance(node, ast.FunctionDef)]
    known = {f"{node.name}({', '.join(one.arg for one in node.args.args)})" for node in nodes}
    for cell in page.markdown:
        for match in re.finditer(r"Write\s`(\w+\([\w, ]*\))`", cell.source):
            if match[1] not in known:
                yield Problem(page.file, cell.place(), f"no cell has {match[1]}", "write it as a cell does")


def documented(root: Path) -> Iterator[Problem]:
    """Report public names that the API page leaves out, and names on it that do not exist."""
    listed = find_documented(root)
    for name, page in sorted(listed.items()):
        if not resolve(f"{PACKAGE}.{name}"):
            yield Problem(page, name, "the name does not exist", "correct it, or take it out")
    for name in sorted(callables() - listed.keys()):
        remedy = f"add .. autofunction:: {name} to a page of book/reference/api"
        yield Problem(API_PAGE, name, "no API page has this public name", remedy)


def unused(root: Path, used: set[str]) -> Iterator[Problem]:
    """Report public names that no chapter uses and for which the API page gives no reason."""
    lines = (root / API_PAGE).read_text(encoding="utf-8").splitlines()
    reasons = {match["name"] for line in lines if (match := REASON.match(line))}
    for name in sorted(name for name in public() if name.rpartition(".")[2] not in used | reasons):
        remedy = f"use it in a chapter, or add to {API_PAGE} a line `- `{name}`: the reason in a few words`"
        yield Problem(f"{PACKAGE}/__init__.py", name, "no chapter uses this public name", remedy)


def retyped(root: Path) -> Iterator[Problem]:
    """Report functions and transcriptions of the package that a notebook defines once more."""
    nodes = parse((root / DEFINITIONS).read_text(encoding="utf-8")).body
    names = [node.name for node in nodes if isinstance(node, ast.FunctionDef)]
    remedies = dict.fromkeys(names, "show the transcription with definitions.source(label)")
    own = "use the package's, or give a version from scratch a name of its own"
    remedies |= dict.fromkeys(callables(), own)
    for page in notebooks(root):
        for cell, name, line in defined(page):
            if name in remedies:
                what = f"{name} types what {PACKAGE} defines under this name"
                yield Problem(page.file, cell.place(line), what, remedies[name])


@cache
def defined(page: Page) -> list[tuple[Cell, str, int]]:
    """Names that a notebook gives to functions and classes, a lambda with a name among them."""
    found = []
    for cell in page.code:
        for node in ast.walk(cell.code):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.append((cell, node.name, node.lineno))
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                found += [(cell, part.id, node.lineno) for part in node.targets if isinstance(part, ast.Name)]
    return found
