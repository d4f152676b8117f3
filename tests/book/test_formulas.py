"""A formula has one home, and every displayed formula of the book is true of random numbers."""

import inspect
import re
import tomllib
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calibration_lessons as cl
from calibration_lessons.book import definitions
from calibration_lessons.book.definitions import NUMBERED
from tests.book import symbols
from tests.book.latex import fault
from tools.binding import equations as scan
from tools.site.docstring_formulas import show_formulas

DISPLAYS = scan.find_displays(Path(__file__).resolve().parents[2])
WITH_FUNCTION = [label for label, entry in NUMBERED.items() if entry.function]
TABLES = tomllib.loads(Path(__file__).with_name("formulas.toml").read_text(encoding="utf-8"))


def page_of(display: scan.Display) -> str:
    """Name a page, as symbols.py names what its symbols stand for."""
    return Path(display.page).stem


def is_unread(display: scan.Display) -> bool:
    """Tell whether a display is listed as not evaluated."""
    beginnings = (start for page, start, _ in TABLES["unread"] if page == page_of(display))
    return display.label is None and any(display.latex.strip().startswith(start) for start in beginnings)


drawn = cache(lambda page, seed: vars(symbols)[page](np.random.default_rng(seed)))


def wrong(display: scan.Display, latex: str, drawn: Any = drawn) -> str:
    """Say what is wrong with the text of a display; nothing where it is true of five draws."""
    if not hasattr(symbols, page_of(display)):
        return f"stands in a page to whose symbols tests/book/symbols.py gives no values: {latex}"
    draws = [drawn(page_of(display), seed) for seed in range(5)]
    return next(filter(None, (fault(latex, draw | draw.get(display.label, {})) for draw in draws)), "")


def find(label: str) -> scan.Display:
    return next(display for display in DISPLAYS if display.label == label)


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: f"{page_of(display)}-{display.label}")
def test_a_display_is_true_of_random_numbers_and_of_what_is_transcribed(display: scan.Display) -> None:
    problem = wrong(display, display.latex)
    if is_unread(display):
        assert problem, f"{display.page}, {display.place} can be evaluated: take it out of formulas.toml"
    elif problem:
        remedy = "correct it, its transcription, or its symbols in tests/book/symbols.py; "
        remedy += "list in formulas.toml what is no identity"
        pytest.fail(f"{display.page}, {display.place}: the display {problem}; {remedy}", pytrace=False)


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: f"{page_of(display)}-{display.label}")
def test_a_changed_sign_is_refused(display: scan.Display) -> None:
    for sign in re.finditer(r"[+-]", display.latex if not is_unread(display) else ""):
        before, after = display.latex[: sign.start()], display.latex[sign.end() :]
        flipped = f"{before}{'-' if sign[0] == '+' else '+'}{after}"
        is_equivalent = any(
            display.label == label and before.endswith(end) for label, end, _ in TABLES["equivalent"]
        )
        assert bool(wrong(display, flipped)) != is_equivalent, flipped


def test_most_displays_without_a_number_are_evaluated_and_the_list_of_the_others_is_exact() -> None:
    without = [display for display in DISPLAYS if display.label is None]
    assert len(list(filter(is_unread, without))) == len(TABLES["unread"]) <= len(without) / 2


@pytest.mark.parametrize(("label", "old", "new"), TABLES["changes"], ids=lambda part: part)
def test_another_change_is_refused(label: str, old: str, new: str) -> None:
    latex = find(label).latex
    assert old in latex and wrong(find(label), latex.replace(old, new, 1))


@pytest.mark.parametrize(("label", "old", "new"), TABLES["spellings"])
def test_another_spelling_passes(label: str, old: str, new: str) -> None:
    latex = find(label).latex
    assert old in latex and not wrong(find(label), latex.replace(old, new))


@pytest.mark.parametrize(
    ("label", "name", "changed"),
    [
        ("eq-brier-binary", "brier_binary", lambda o, p: abs(o[0] - p[0])),
        ("eq-platt-targets", "platt_targets", lambda y: (0, 1)),
        ("eq-abstain", "abstains", lambda p, costs, abstaining_cost: False),
    ],
)
def test_a_changed_transcription_is_refused(
    label: str, name: str, changed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(definitions, name, changed)
    assert wrong(find(label), find(label).latex, drawn.__wrapped__)


@pytest.mark.parametrize(
    "latex", ["a / b a = 1", r"\log a b = 1", "(a, b) = 1", "a + = b", "a", r"\sum_j a = 1", "a = 1 c"]
)
def test_what_is_not_understood_is_refused(latex: str) -> None:
    assert fault(latex, {"a": 1, "b": 1})


@pytest.mark.parametrize("label", WITH_FUNCTION)
def test_the_docstring_of_the_public_function_names_the_equation_and_the_site_shows_it(label: str) -> None:
    function = attrgetter(str(NUMBERED[label].function))(cl)
    lines = (inspect.getdoc(function) or "").splitlines()
    assert f"``{label}``" in "\n".join(lines), f"name the label in the docstring of {function.__name__}"
    show_formulas(None, "function", "", function, None, lines)
    shown = "\n".join(line.removeprefix("   ") for line in lines)
    assert f".. math::\n\n{NUMBERED[label].latex}\n" in shown and f":eq:`{label}`" in shown
