"""The register of the numbered equations, and what shows, runs and edits a transcription."""

import ast
from types import SimpleNamespace
from typing import Any

import IPython
import pytest

from calibration_lessons.book import definitions
from calibration_lessons.book.definitions import NUMBERED, edit, find, program, source


def value_of(text: str) -> Any:
    """Value of the last expression of a program, in a namespace of its own."""
    tree, names = ast.parse(text), {}
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), "an example ends in an expression"
    exec(compile(tree, "<program>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<program>", "eval"), names)


@pytest.mark.parametrize("label", NUMBERED)
def test_a_program_holds_the_transcription_and_its_example_calls_it(label: str) -> None:
    text, entry = program(label), NUMBERED[label]
    assert str(source(label)) in text and text.endswith(entry.example)
    assert f"{entry.name}(" in entry.example and value_of(text) is not None
    assert max(map(len, text.splitlines())) <= 80, "read without scrolling"


def test_a_program_holds_what_it_calls_once_in_the_order_of_the_module_and_nothing_else() -> None:
    functions = [node.name for node in ast.parse(program("eq-ece")).body if isinstance(node, ast.FunctionDef)]
    assert functions == ["bin_number", "bin_accuracy", "bin_confidence", "expected_calibration_error"]
    parts = ["import math", str(source("eq-sigmoid")), NUMBERED["eq-sigmoid"].example]
    assert program("eq-sigmoid") == "\n\n\n".join(parts)


def test_the_source_is_the_function_without_its_registration() -> None:
    shown = source("eq-sigmoid")
    text = repr(shown)
    assert text.startswith("def sigmoid(z):\n") and text.endswith("return 1 / (1 + math.exp(-z))")
    assert shown._repr_markdown_() == f"```python\n{text}\n```"


def test_edit_puts_the_program_into_a_new_cell_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    cells: list[str] = []
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(set_next_input=cells.append))
    edit("eq-ece")
    assert cells == [program("eq-ece")]
    monkeypatch.setattr(IPython, "get_ipython", lambda: None)
    with pytest.raises(RuntimeError, match=r"^edit needs a notebook; elsewhere program\(label\) gives"):
        edit("eq-ece")


@pytest.mark.parametrize("ask", [find, source, program, edit])
def test_an_unknown_label_is_refused_by_name(ask: Any) -> None:
    with pytest.raises(ValueError, match=r"^label = 'eq-no': expected one of eq-coin-likelihood, eq-coin"):
        ask("eq-no")


def test_a_registration_is_refused_twice_or_without_function_and_reason() -> None:
    entry = NUMBERED["eq-ece"]
    given = {"latex": entry.latex, "example": entry.example}
    with pytest.raises(ValueError, match=r"^eq-ece is transcribed twice$"):
        definitions.numbered("eq-ece", **given, function="f")(entry.compute)
    for reasons in ({}, {"function": "ece", "reason": "none"}):
        with pytest.raises(ValueError, match=r"^eq-new: give the public function, or the reason why"):
            definitions.numbered("eq-new", **given, **reasons)(entry.compute)
    assert "eq-new" not in NUMBERED


def test_the_entropy_of_a_coin_that_always_falls_alike_is_0() -> None:
    assert [definitions.binary_entropy(h) for h in (0, 0.5, 1)] == [0, 1, 0]
