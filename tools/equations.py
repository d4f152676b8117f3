#!/usr/bin/env python3
"""Write `book/reference/equations.md`: each numbered equation with its transcription, function and tests.

    tools/equations.py                 write the page
    tools/equations.py --check         say whether the page is up to date, write nothing

Everything is read from the files themselves, nothing is imported: the labels from the chapters, the
registrations from `calibration_lessons/definitions.py`, the proofs from `tests/`.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path("book/reference/equations.md")
API_PAGE = Path("book/reference/api.md")
DEFINITIONS = Path("calibration_lessons/definitions.py")
READINGS = Path("tests/book/guards/readings.py")

CODE_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,})(?!\{)[^\n]*\n.*?^(?P=fence)[ \t]*$", re.M | re.S)
DOLLAR_MATH = re.compile(r"\$\$(?P<latex>.+?)\$\$(?:[ \t]*\((?P<label>[^()\s]+)\))?", re.S)
MATH_FENCE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{math\}[ \t]*\n(?P<options>(?::[a-z]+:[^\n]*\n)*)"
    r"(?P<latex>.*?)^(?P=fence)[ \t]*$",
    re.M | re.S,
)
DOCUMENTED = re.compile(r"^\.\. auto(?:function|class):: *(\S+)", re.M)
LABEL_OPTION = re.compile(r"^:label:[ \t]*(\S+)", re.M)

INTRODUCTION = """\
<!-- Written by tools/equations.py from the chapters, the definitions and the tests: do not edit. -->
# Equations

Each numbered equation of the book stands in four places: the formula in its chapter, a literal
transcription in plain Python, the public function that computes the same fast, and the test that
holds the function to the transcription. Where there is no function, the reason stands instead.

A formula marked *evaluated* is held to its transcription, too: a test parses the formula as it stands in the
chapter, puts random numbers in and compares. These are {read} of {all}.
"""


@dataclass(frozen=True)
class Equation:
    """A labelled equation as it stands in a page; `cell` is None in a Markdown file."""

    label: str
    latex: str
    page: str
    cell: int | None
    line: int

    @property
    def place(self) -> str:
        """Say where the equation stands in its page."""
        return f"cell {self.cell}, line {self.line}" if self.cell else f"line {self.line}"


@dataclass(frozen=True)
class Registration:
    """A transcription as `definitions.py` registers it."""

    label: str
    name: str
    summary: str
    function: str | None
    reason: str | None
    line: int
    text: str


@dataclass(frozen=True)
class Proof:
    """A test that carries the mark of an equation."""

    label: str
    file: str
    name: str
    line: int
    is_idle: bool


def find_pages(root: Path) -> list[Path]:
    """Every page of the book, in a fixed order."""
    pages = (path for path in (root / "book").rglob("*") if path.suffix in {".md", ".ipynb"})
    return sorted(path for path in pages if ".ipynb_checkpoints" not in path.parts)


def markdown_of(path: Path) -> list[tuple[int | None, str]]:
    """Texts of a page: one a Markdown cell with the cell's place from 1, or the whole Markdown file."""
    text = path.read_text(encoding="utf-8")
    return [(None, text)] if path.suffix == ".md" else markdown_cells(text)


@cache
def markdown_cells(notebook: str) -> list[tuple[int | None, str]]:
    """Texts of a notebook's Markdown cells with their places."""
    cells = enumerate(json.loads(notebook)["cells"], start=1)
    return [(number, "".join(cell["source"])) for number, cell in cells if cell["cell_type"] == "markdown"]


@cache
def parse(source: str) -> ast.Module:
    """Syntax tree of a module; the guards ask for the same one again and again."""
    return ast.parse(source)


def labelled_maths(text: str) -> Iterator[tuple[str, str, int]]:
    """Label, LaTeX and line of each labelled display equation in a Markdown text."""
    text = CODE_FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in DOLLAR_MATH.finditer(text):
        if match["label"]:
            yield match["label"], match["latex"].strip(), text.count("\n", 0, match.start()) + 1
    for match in MATH_FENCE.finditer(text):
        if label := LABEL_OPTION.search(match["options"]):
            yield label[1], match["latex"].strip(), text.count("\n", 0, match.start()) + 1


def find_equations(root: Path) -> list[Equation]:
    """Every labelled equation of the book, in the order of pages and lines."""
    return [
        Equation(label, latex, path.relative_to(root).as_posix(), cell, line)
        for path in find_pages(root)
        if path != root / PAGE
        for cell, text in markdown_of(path)
        for label, latex, line in labelled_maths(text)
    ]


def find_registrations(root: Path) -> list[Registration]:
    """Every transcription with the label it is registered with, in the order of `definitions.py`."""
    if not (root / DEFINITIONS).exists():
        return []
    source = (root / DEFINITIONS).read_text(encoding="utf-8")
    tree, lines = parse(source), source.splitlines()
    return [
        Registration(
            label=ast.literal_eval(call.args[0]),
            name=node.name,
            summary=(ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " "),
            line=node.lineno,
            text="\n".join(lines[node.lineno - 1 : node.end_lineno]),
            function=keyword(call, "function"),
            reason=keyword(call, "reason"),
        )
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        for call in node.decorator_list
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "numbered"
    ]


def keyword(call: ast.Call, name: str) -> str | None:
    """Value of a keyword argument that is spelled out in a call."""
    return next((ast.literal_eval(part.value) for part in call.keywords if part.arg == name), None)


def find_proofs(root: Path) -> list[Proof]:
    """Every test that carries `@pytest.mark.equation("eq-…")`, in the order of files and lines."""
    proofs = []
    for path in sorted((root / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.equation" not in text:
            continue
        file = path.relative_to(root).as_posix()
        for name, node in tests_in(parse(text).body):
            calls = (part for mark in node.decorator_list for part in ast.walk(mark))
            for call in calls:
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.equation":
                    labels = [ast.literal_eval(label) for label in call.args]
                    idle = any(re.search(r"\.(skip|xfail)", ast.unparse(m)) for m in node.decorator_list)
                    proofs += [Proof(label, file, name, node.lineno, idle) for label in labels]
    return proofs


def find_readings(root: Path) -> set[str]:
    """Labels of the formulas that a test parses and evaluates: those under `@reads("eq-…")`."""
    path = root / READINGS
    tree = parse(path.read_text(encoding="utf-8") if path.exists() else "")
    marks = (mark for node in tree.body if isinstance(node, ast.FunctionDef) for mark in node.decorator_list)
    calls = (m for m in marks if isinstance(m, ast.Call) and ast.unparse(m.func) == "reads")
    return {ast.literal_eval(call.args[0]) for call in calls}


def tests_in(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Test functions of a module with their names, those of a class as `Class::test`."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from tests_in(node.body, f"{prefix}{node.name}::")


def title_of(path: Path) -> str:
    """First heading of a page."""
    for _, text in markdown_of(path):
        if heading := re.search(r"^# +(.+)$", text, re.M):
            return heading[1].strip()
    return path.stem


def find_documented(root: Path) -> set[str]:
    """Names that the API page documents, and to which a link leads."""
    page = root / API_PAGE
    return set(DOCUMENTED.findall(page.read_text(encoding="utf-8"))) if page.exists() else set()


def entry(
    equation: Equation, registration: Registration, proofs: list[Proof], documented: set[str], read: bool
) -> str:
    """Write the section of one equation."""
    lines = [f"### {equation.label}", "", registration.summary, "", f"$$\n{equation.latex}\n$$", ""]
    lines.append(f"- Formula: equation {{eq}}`{equation.label}`{', *evaluated*' if read else ''}.")
    lines.append(f"- Transcription: `definitions.{registration.name}`.")
    if name := registration.function:
        link = f"{{py:obj}}`{name} <calibration_lessons.{name}>`" if name in documented else f"`{name}`"
        lines.append(f"- Function: {link}.")
        tests = [f"`{proof.file}::{proof.name}`" for proof in proofs if proof.label == equation.label]
        lines.append(f"- Proved by {', '.join(tests)}." if tests else "- Proved by no test.")
    else:
        lines.append(f"- No function: {registration.reason}.")
    return "\n".join(lines) + "\n"


def write_page(root: Path) -> str:
    """Text of the page: a section a chapter, in it an entry an equation, in the order of the definitions."""
    places = {equation.label: equation for equation in find_equations(root)}
    proofs, documented, read = find_proofs(root), find_documented(root), find_readings(root)
    chapters: dict[str, list[str]] = {}
    for registration in find_registrations(root):
        if equation := places.get(registration.label):
            text = entry(equation, registration, proofs, documented, equation.label in read)
            chapters.setdefault(equation.page, []).append(text)
    parts = [INTRODUCTION.format(read=len(read & set(places)), all=len(places))]
    for page, entries in chapters.items():
        link = "/" + Path(page).with_suffix("").as_posix()
        parts += [f"## {title_of(root / page)}\n\nFrom {{doc}}`{link}`.\n", *entries]
    return "\n".join(parts)


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command line and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="say whether the page is up to date")
    options = parser.parse_args(arguments)
    page, text = root / PAGE, write_page(root)
    current = page.exists() and page.read_text(encoding="utf-8") == text
    if options.check:
        print(f"{PAGE} is {'up to date' if current else 'stale: run tools/equations.py'}.")
        return 0 if current else 1
    if not current:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    print(f"{PAGE}: {'unchanged' if current else 'written'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
