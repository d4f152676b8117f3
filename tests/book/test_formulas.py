"""A formula has one home: what stands elsewhere is made from it, and it says what its transcription computes."""

from __future__ import annotations

import inspect
from operator import attrgetter

import pytest

import calibration_lessons as cl
from calibration_lessons.definitions import NUMBERED
from tools.docstring_formulas import show_formulas

WITH_FUNCTION = [label for label, entry in NUMBERED.items() if entry.function]


@pytest.mark.parametrize("label", WITH_FUNCTION)
def test_the_docstring_of_the_public_function_names_the_equation_and_the_site_shows_it(label: str) -> None:
    function = attrgetter(str(NUMBERED[label].function))(cl)
    lines = (inspect.getdoc(function) or "").splitlines()
    assert f"``{label}``" in "\n".join(lines), f"name the label in the docstring of {function.__name__}"
    show_formulas(None, "function", "", function, None, lines)
    shown = "\n".join(line.removeprefix("   ") for line in lines)
    assert f".. math::\n\n{NUMBERED[label].latex}\n" in shown and f":eq:`{label}`" in shown
