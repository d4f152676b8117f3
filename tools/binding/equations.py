#!/usr/bin/env python3
"""Write the formulas of `definitions.py` into the chapters, and `book/reference/equations.md`.

It writes what differs: displays of chapters, the page of equations; `make check` says whether they do.
Everything is read from the files themselves, nothing of the course is imported: the displays from the
chapters, the formulas from the definitions, the proofs from `tests/`.
"""

import ast
import inspect
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat

from tools.binding import pages
from tools.binding.pages import ROOT, blocks, parse

PAGE = Path(pages.EQUATIONS_PAGE)
API = Path("book/reference/api")
DEFINITIONS = Path("calibration_lessons/book/definitions.py")

WRITTEN = {"Nll": "NLL", "nll": "NLL", "Corp": "CORP", "T cal": "T-Cal", "Hosmer lemeshow": "Hosmer-Lemeshow"}
WRITTEN |= {"Venn abers": "Venn-Abers"}
DOCUMENTED = re.compile(r"^\.\. auto(?:function|class):: *(\S+)", re.M)

INTRODUCTION = """\
<!-- Written by tools/binding/equations.py from the definitions, the chapters and the tests: do not edit. -->
# Equations

Each numbered equation of the book has a formula, a literal transcription in plain Python, the public
function that computes the same fast, and the test that holds the function to the transcription. Where there
is no function, the reason stands instead. Another test reads each formula, puts random numbers in, and
compares the result with the transcription's.
"""


@dataclass(frozen=True)
class Display:
    """Displayed maths as it stands in a page; `label` is None without a number, `cell` in a Markdown file."""

    label: str | None
    latex: str
    page: str
    cell: int | None
    line: int

    @property
    def place(self) -> str:
        """Say where the display stands in its page."""
        return f"cell {self.cell}, line {self.line}" if self.cell else f"line {self.line}"


@dataclass(frozen=True)
class Registration:
    """A transcription as `definitions.py` registers it."""

    label: str
    latex: str
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


def find_displays(root: Path) -> list[Display]:
    """Find the displayed maths of the book, in the order of the pages."""
    return [
        Display(block.label, block.content, page.file, cell.number, block.first)
        for page in pages.pages(root)
        if page.file != PAGE.as_posix()
        for cell in page.markdown
        for block in blocks(cell.source)
        if block.kind == "math"
    ]


def find_equations(root: Path) -> list[Display]:
    """Find the displays of the book that have a label."""
    return [display for display in find_displays(root) if display.label]


def bare(latex: str) -> str:
    """Write a formula without its last full stop or comma, with single spaces."""
    return " ".join(latex.split()).rstrip(" .,")


def settle(root: Path) -> list[str]:
    """Write the formulas of the definitions into displays that differ; return the labels of these."""
    homes = {entry.label: entry.latex for entry in find_registrations(root)}
    drifted = [
        display
        for display in find_equations(root)
        if display.label in homes and bare(display.latex) != bare(homes[display.label])
    ]
    for display in reversed(drifted):  # the last first, so that the places of the others stay
        path, old = root / display.page, display.latex
        if display.cell:
            notebook = nbformat.read(path, as_version=4)
            text = notebook.cells[display.cell - 1].source
        else:
            text = path.read_text(encoding="utf-8")
        above = sum(map(len, text.splitlines(keepends=True)[: display.line - 1]))
        new = old[: -len(old.lstrip())] + homes[display.label] + old[len(old.rstrip(" .,\n")) :]
        text = text[:above] + text[above:].replace(old, new, 1)
        if display.cell:
            notebook.cells[display.cell - 1].source = text
            text = nbformat.writes(notebook) + "\n"
        path.write_text(text, encoding="utf-8")
    return [str(display.label) for display in drifted]


def find_registrations(root: Path) -> list[Registration]:
    """Every transcription with the label it is registered with, in the order of `definitions.py`."""
    if not (root / DEFINITIONS).exists():
        return []
    source = (root / DEFINITIONS).read_text(encoding="utf-8")
    tree, lines = parse(source), source.splitlines()
    return [
        Registration(
            label=ast.literal_eval(call.args[0]),
            latex=inspect.cleandoc(keyword(call, "latex") or ""),
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
    paths = sorted((root / "tests").rglob("test_*.py"))
    files = ((path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in paths)
    return [proof for file, text in files if "mark.equation" in text for proof in proofs_in(file, text)]


@cache
def proofs_in(file: str, text: str) -> list[Proof]:
    """Find the marked tests of a file."""
    proofs = []
    for node in parse(text).body:
        marks = node.decorator_list if isinstance(node, ast.FunctionDef) else []
        is_idle = any(re.search(r"\.(skip|xfail)", ast.unparse(mark)) for mark in marks)
        for call in (part for mark in marks for part in ast.walk(mark)):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.equation":
                labels = map(ast.literal_eval, call.args)
                proofs += [Proof(label, file, node.name, node.lineno, is_idle) for label in labels]
    return proofs


def find_documented(root: Path) -> dict[str, str]:
    """Names that the API pages document, to which a link leads, each with its page."""
    return {
        name.removeprefix("calibration_lessons."): page.file
        for page in pages.pages(root, API.as_posix())
        for name in DOCUMENTED.findall(page.cells[0].source)
    }


def entry(registration: Registration, proofs: list[Proof], documented: Collection[str]) -> str:
    """Write the section of one equation."""
    label = registration.label
    title = registration.name.replace("_", " ").capitalize()
    for spoken, written in WRITTEN.items():
        title = re.sub(rf"\b{spoken}\b", written, title)
    lines = [f"### {title}", "", registration.summary, "", f"$$\n{registration.latex}\n$$", ""]
    lines.append(f"- Formula: equation {{eq}}`{label}`, in the code `{label}`.")
    lines.append(f"- Transcription: `definitions.{registration.name}`.")
    if name := registration.function:
        link = f"{{py:obj}}`{name} <calibration_lessons.{name}>`" if name in documented else f"`{name}`"
        lines.append(f"- Function: {link}.")
        tests = [f"`{proof.file}::{proof.name}`" for proof in proofs if proof.label == label]
        lines.append(f"- Proved by {', '.join(tests)}." if tests else "- Proved by no test.")
    else:
        lines.append(f"- No function: {registration.reason}.")
    return "\n".join(lines) + "\n"


def write_page(root: Path) -> str:
    """Text of the page: a section a chapter, in it an entry an equation, in the order of the definitions."""
    places = {equation.label: equation for equation in find_equations(root)}
    by_file = {page.file: page for page in pages.pages(root)}
    proofs, documented = find_proofs(root), find_documented(root)
    chapters: dict[str, list[str]] = {}
    for registration in find_registrations(root):
        if equation := places.get(registration.label):
            chapters.setdefault(equation.page, []).append(entry(registration, proofs, documented))
    parts = [INTRODUCTION]
    for page, entries in chapters.items():
        title = next(section.title for section in by_file[page].sections() if section.level == 1)
        parts += [f"## {title}\n\nFrom {{doc}}`/{by_file[page].name}`.\n", *entries]
    return "\n".join(parts)


if __name__ == "__main__":
    print("".join(f"{label}: written into its chapter.\n" for label in settle(ROOT)), end="")
    known, text = (ROOT / PAGE).read_text(encoding="utf-8"), write_page(ROOT)
    (ROOT / PAGE).write_text(text, encoding="utf-8")
    print(f"{PAGE}: {'unchanged' if known == text else 'written'}.")
