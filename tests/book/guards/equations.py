"""Equation -> definition -> function -> test: each label has all of them, and nothing else has a label."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tools import equations as scan
from tools.latex import tokens

from .package import PACKAGE, public, resolve
from .tree import EQUATIONS_PAGE, Cell, Page, Problem, notebooks, pages

REFERENCE = re.compile(r"\{eq\}`([^`]+)`")
DEFINITIONS = scan.DEFINITIONS.as_posix()


def check(root: Path) -> list[Problem]:
    """Problems with the labels, the transcriptions, the functions, the tests and the page that lists them."""
    found = scan.find_equations(root)
    registered = scan.find_registrations(root)
    return [
        *labels(found, registered),
        *transcriptions(root, found, registered),
        *proofs(root, registered),
        *shown(root, found, registered),
        *references(root, found),
        *listing(root),
    ]


def labels(found: list[scan.Display], registered: list[scan.Registration]) -> Iterator[Problem]:
    """Labels in the book: well formed, unique, each with a transcription, whose formula the page shows."""
    homes = {entry.label: entry.latex for entry in registered}
    first: dict[str, scan.Display] = {}
    for equation in found:
        label, where = equation.label, (equation.page, equation.place)
        if not re.fullmatch(r"eq-[a-z0-9-]+", label):
            yield Problem(
                *where,
                f"the equation's label {label!r} is not of the form eq-name",
                "rename it in small letters, digits and hyphens, with eq- in front",
            )
        elif label in first:
            other = first[label]
            yield Problem(
                *where,
                f"the label {label} stands in {other.page}, {other.place}, too",
                f"refer to that one with {{eq}}`{label}`, or give this equation its own label",
            )
        elif label not in homes:
            yield Problem(
                *where,
                f"the equation {label} has no transcription",
                f'write it in {DEFINITIONS} under @numbered("{label}", latex=…, function=… or reason=…)',
            )
        elif tokens(scan.bare(equation.latex)) != tokens(scan.bare(homes[label])):
            yield Problem(
                *where,
                f"the formula {label} is not the one of {DEFINITIONS}",
                "change that one, and run tools/equations.py, which writes it here",
            )
        first.setdefault(label, equation)


def transcriptions(
    root: Path, found: list[scan.Display], registered: list[scan.Registration]
) -> Iterator[Problem]:
    """Registrations: each with an equation in the book, and with a public function or a reason."""
    in_book = {equation.label for equation in found}
    seen: set[str] = set()
    for entry in registered:
        where = (DEFINITIONS, f"line {entry.line}")
        if entry.label in seen:
            yield Problem(*where, f"{entry.label} is transcribed twice", "keep one of the two")
        seen.add(entry.label)
        if entry.label not in in_book:
            yield Problem(
                *where,
                f"{entry.name} transcribes {entry.label}, which no page of the book shows",
                f"label the equation in its chapter, $$ … $$ ({entry.label}), or delete the transcription",
            )
        if (entry.function is None) == (entry.reason is None):
            yield Problem(
                *where,
                f"{entry.label} names no function and no reason, or both",
                "name the public function, or say why there is none",
            )
        if entry.function and not is_public(entry.function):
            yield Problem(
                *where,
                f"{entry.label} names the function {entry.function}, which {PACKAGE} does not export",
                f"export it in {PACKAGE}/__init__.py, or correct the name",
            )


def is_public(function: str) -> bool:
    """Tell whether a name, dotted or not, starts at an export and leads to something."""
    return function.split(".")[0] in public() and resolve(f"{PACKAGE}.{function}")


def proofs(root: Path, registered: list[scan.Registration]) -> Iterator[Problem]:
    """Tests: one at least for each label with a function, and none for a label that does not exist."""
    tests = scan.find_proofs(root)
    proved = {proof.label for proof in tests}
    for entry in registered:
        if entry.function and entry.label not in proved:
            yield Problem(
                DEFINITIONS,
                f"line {entry.line}",
                f"no test holds {entry.function} to {entry.label}",
                f'mark the test that does with @pytest.mark.equation("{entry.label}")',
            )
    known = {entry.label for entry in registered}
    for proof in tests:
        if proof.is_idle:
            yield Problem(
                proof.file,
                f"line {proof.line}",
                f"{proof.name} is skipped or may fail, so it proves nothing of {proof.label}",
                "let it run",
            )
        if proof.label not in known:
            yield Problem(
                proof.file,
                f"line {proof.line}",
                f"{proof.name} is marked for {proof.label}, which {DEFINITIONS} does not register",
                "correct the label in the mark",
            )


def shown(root: Path, found: list[scan.Display], registered: list[scan.Registration]) -> Iterator[Problem]:
    """Notebooks: an equation's transcription is shown, as it is now, where the equation stands."""
    sources = {page.file: sources_shown(page) for page in notebooks(root)}
    now = {entry.label: entry.text for entry in registered}
    for equation in found:
        cell = sources[equation.page].get(equation.label) if equation.cell else None
        if cell and now.get(equation.label, "") not in "\n".join(cell.output_texts()):
            yield Problem(
                equation.page,
                cell.place(),
                f"it shows another transcription of {equation.label} than {DEFINITIONS} holds",
                "run tools/notebooks.py",
            )
        elif equation.cell and not cell:
            yield Problem(
                equation.page,
                equation.place,
                f"the page does not show the transcription of {equation.label}",
                f'end a code cell below with definitions.source("{equation.label}")',
            )


def sources_shown(page: Page) -> dict[str, Cell]:
    """Labels whose transcription a notebook shows as the result of a cell, with the cell."""
    found = {}
    for cell in page.code:
        last = cell.code.body[-1:]
        for call in (part for node in last if isinstance(node, ast.Expr) for part in ast.walk(node)):
            if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == "source":
                found |= {str(label.value): cell for label in call.args if isinstance(label, ast.Constant)}
    return found


def references(root: Path, found: list[scan.Display]) -> Iterator[Problem]:
    """References `{eq}` and calls of `definitions.source`: each to a label that stands in the book."""
    in_book = {equation.label for equation in found}
    for page in pages(root):
        if page.file == EQUATIONS_PAGE:
            continue
        named = [
            (cell, text.count("\n", 0, match.start()) + 1, match[1])
            for cell in page.markdown
            for text in [cell.source]
            for match in REFERENCE.finditer(text)
        ]
        for cell, line, label in named:
            if label not in in_book:
                yield Problem(
                    page.file,
                    cell.place(line),
                    f"{{eq}}`{label}` leads nowhere",
                    "name a label that stands in the book",
                )
        for label in sorted(sources_shown(page).keys() - in_book):
            yield Problem(
                page.file,
                f'definitions.source("{label}")',
                f"no equation of the book has the label {label}",
                f"label the equation with ({label}), or correct the call",
            )


def listing(root: Path) -> Iterator[Problem]:
    """Compare the generated page of equations with what the tree gives now."""
    path = root / scan.PAGE
    if not path.exists() or path.read_text(encoding="utf-8") != scan.write_page(root):
        yield Problem(
            EQUATIONS_PAGE,
            "the file",
            "it is not what the chapters, the definitions and the tests give",
            "run tools/equations.py",
        )
