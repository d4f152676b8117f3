"""Equation -> definition -> function -> test: each label has all of them, and nothing else has a label."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.book.latex import tokens
from tools.binding import equations as scan
from tools.binding.pages import EQUATIONS_PAGE, Cell, Page, notebooks, pages

from .package import PACKAGE, in_docstrings, public, resolve
from .problem import Problem

REFERENCE = re.compile(r"(?:\{eq\}`|definitions\.\w+\(\")([^`\"]+)[`\"]")
IN_DOCSTRING = re.compile(r"``(eq-[\w-]+)``")
DEFINITIONS = scan.DEFINITIONS.as_posix()


def check(root: Path) -> Iterator[Problem]:
    """Problems with the labels, the transcriptions, the functions, the tests and the page that lists them."""
    found, registered = scan.find_equations(root), scan.find_registrations(root)
    yield from labels(found, registered)
    yield from transcriptions(found, registered)
    yield from proofs(root, registered)
    yield from shown(root, found, registered)
    yield from references(root, {equation.label for equation in found})
    if (root / scan.PAGE).read_text(encoding="utf-8") != scan.write_page(root):
        what = "it is not what the chapters, the definitions and the tests give"
        yield Problem(EQUATIONS_PAGE, "the file", what, "run make notebooks")


def labels(found: list[scan.Display], registered: list[scan.Registration]) -> Iterator[Problem]:
    """Labels in the book: well formed, unique, each with a transcription, whose formula the page shows."""
    homes = {entry.label: entry.latex for entry in registered}
    first: dict[str, scan.Display] = {}
    for equation in found:
        label, what = str(equation.label), ""
        if not re.fullmatch(r"eq-[a-z0-9-]+", label):
            what = f"the equation's label {label!r} is not of the form eq-name"
            remedy = "rename it in small letters, digits and hyphens, with eq- in front"
        elif label in first:
            what = f"the label {label} stands in {first[label].page}, {first[label].place}, too"
            remedy = f"refer to that one with {{eq}}`{label}`, or give this equation its own label"
        elif label not in homes:
            what = f"the equation {label} has no transcription"
            given = "latex=…, example=…, function=… or reason=…"
            remedy = f'write it in {DEFINITIONS} under @numbered("{label}", {given})'
        elif tokens(scan.bare(equation.latex)) != tokens(scan.bare(homes[label])):
            what = f"the formula {label} is not the one of {DEFINITIONS}"
            remedy = "change that one, and run make notebooks, which writes it here"
        if what:
            yield Problem(equation.page, equation.place, what, remedy)
        first.setdefault(label, equation)


def transcriptions(found: list[scan.Display], registered: list[scan.Registration]) -> Iterator[Problem]:
    """Registrations: each with an equation in the book, and where it names a function, with a public one."""
    in_book = {equation.label for equation in found}
    for entry in registered:
        where = (DEFINITIONS, f"line {entry.line}")
        if entry.label not in in_book:
            what = f"{entry.name} transcribes {entry.label}, which no page of the book shows"
            yield Problem(*where, what, f"label the equation, $$ … $$ ({entry.label}), or delete this")
        if entry.function and not is_public(entry.function):
            what = f"{entry.label} names the function {entry.function}, which {PACKAGE} does not export"
            yield Problem(*where, what, f"export it in {PACKAGE}/__init__.py, or correct the name")


def is_public(function: str) -> bool:
    """Tell whether a name, dotted or not, starts at an export and leads to something."""
    is_exported = any(f"{function}.".startswith(f"{name}.") for name in public())
    return is_exported and resolve(f"{PACKAGE}.{function}")


def proofs(root: Path, registered: list[scan.Registration]) -> Iterator[Problem]:
    """Tests: one at least for each label with a function, and none for a label that does not exist."""
    tests = scan.find_proofs(root)
    proved, known = {proof.label for proof in tests}, {entry.label for entry in registered}
    for entry in registered:
        if entry.function and entry.label not in proved:
            what = f"no test holds {entry.function} to {entry.label}"
            remedy = f'mark the test that does with @pytest.mark.equation("{entry.label}")'
            yield Problem(DEFINITIONS, f"line {entry.line}", what, remedy)
    for proof in tests:
        where = (proof.file, f"line {proof.line}")
        if proof.is_idle:
            what = f"{proof.name} is skipped or may fail, so it proves nothing of {proof.label}"
            yield Problem(*where, what, "let it run")
        if proof.label not in known:
            what = f"{proof.name} is marked for {proof.label}, which {DEFINITIONS} does not register"
            yield Problem(*where, what, "correct the label in the mark")


def shown(root: Path, found: list[scan.Display], registered: list[scan.Registration]) -> Iterator[Problem]:
    """Notebooks: an equation's transcription is shown, as it is now, where the equation stands."""
    sources = {page.file: sources_shown(page) for page in notebooks(root)}
    now = {entry.label: entry.text for entry in registered}
    for equation in (equation for equation in found if equation.cell):
        cell = sources[equation.page].get(equation.label)
        if not cell:
            what = f"the page does not show the transcription of {equation.label}"
            remedy = f'end a code cell below with definitions.source("{equation.label}")'
            yield Problem(equation.page, equation.place, what, remedy)
        elif now.get(equation.label, "") not in "\n".join(cell.output_texts()):
            what = f"it shows another transcription of {equation.label} than {DEFINITIONS} holds"
            yield Problem(equation.page, cell.place(), what, "run make notebooks")


@cache
def sources_shown(page: Page) -> dict[str, Cell]:
    """Labels whose transcription a notebook shows as the result of a cell, with the cell."""
    found = {}
    for cell in page.code:
        last = cell.code.body[-1:]
        for call in (part for node in last if isinstance(node, ast.Expr) for part in ast.walk(node)):
            if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == "source":
                found |= {str(label.value): cell for label in call.args if isinstance(label, ast.Constant)}
    return found


def references(root: Path, in_book: set[str]) -> Iterator[Problem]:
    """References `{eq}`, calls of `definitions.source`, docstrings: each to a label in the book."""
    for match, file, place in in_docstrings(root, IN_DOCSTRING):
        if match[1] not in in_book:
            yield Problem(file, place, f"{match[0]} leads nowhere", "name a label that stands in the book")
    for page in (page for page in pages(root) if page.file != EQUATIONS_PAGE):
        for cell in page.markdown:
            for match in REFERENCE.finditer(cell.source):
                if match[1] not in in_book:
                    place = cell.place(cell.source.count("\n", 0, match.start()) + 1)
                    what = f"{match[0]} leads nowhere"
                    yield Problem(page.file, place, what, "name a label that stands in the book")
        for label in sorted(sources_shown(page).keys() - in_book):
            place, what = f'definitions.source("{label}")', f"no equation of the book has the label {label}"
            yield Problem(page.file, place, what, f"label the equation with ({label}), or correct the call")
