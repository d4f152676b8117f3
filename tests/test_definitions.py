"""The register of the numbered equations, and what shows a transcription."""

import pytest

from calibration_lessons import definitions


@pytest.fixture(autouse=True)
def the_register_stays(monkeypatch):
    monkeypatch.setattr(definitions, "NUMBERED", dict(definitions.NUMBERED))


def test_a_transcription_is_registered_under_its_label_and_stays_a_plain_function():
    @definitions.numbered("eq-new", latex="\n    a\n      + b\n    ", function="brier_score")
    def summed(a, b):
        return a + b

    assert summed(1, 2) == 3
    entry = definitions.NUMBERED["eq-new"]
    assert entry == definitions.Definition("eq-new", "a\n  + b", summed, "brier_score", None)
    assert entry.name == "summed"


@pytest.mark.parametrize("kind", [{}, {"function": "brier_score", "reason": "a step"}])
def test_an_equation_has_either_a_public_function_or_the_reason_why_it_has_none(kind):
    with pytest.raises(
        ValueError, match=r"^eq-new: give the public function, or the reason why there is none$"
    ):
        definitions.numbered("eq-new", latex="a", **kind)(print)
    assert "eq-new" not in definitions.NUMBERED


def test_an_equation_is_transcribed_once():
    with pytest.raises(ValueError, match=r"^eq-ece is transcribed twice$"):
        definitions.numbered("eq-ece", latex="a", function="brier_score")(print)


def test_a_transcription_is_shown_from_its_first_line_to_its_last_without_its_formula():
    shown = definitions.source("eq-coin-likelihood")
    lines = repr(shown).split("\n")
    assert lines[0] == "def coin_likelihood(h: float, heads: int, tosses: int) -> float:"
    assert lines[-1] == "    return math.comb(tosses, heads) * h**heads * (1 - h) ** (tosses - heads)"
    assert shown._repr_markdown_() == f"```python\n{shown}\n```"


def test_a_label_without_an_equation_is_answered_with_the_labels_that_there_are():
    expected = f"label = 'eq-none': expected one of {', '.join(definitions.NUMBERED)}"
    with pytest.raises(ValueError) as refusal:
        definitions.source("eq-none")
    assert str(refusal.value) == expected


def test_the_entropy_of_a_coin_that_always_falls_alike_is_0():
    assert [definitions.binary_entropy(h) for h in (0, 0.5, 1)] == [0, 1, 0]
