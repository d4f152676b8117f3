"""Random changes of the right answers lose points, or are known to be as right as the answer."""

import os

import pytest

from tools.binding.lengths import problem_sets
from tools.mutation import slips

CLASS = "STUDENTS" in os.environ  # make check-class


@pytest.mark.parametrize("name", [path.stem for path in problem_sets()] if CLASS else ["measures"])
def test_three_hundred_random_changes_of_a_set_lose_points_or_have_an_answer(name):
    tried, found = slips.surviving(name, 300 if CLASS else 60)
    assert tried == (300 if CLASS else 60)
    assert set(found) <= slips.answered(name)


def test_a_change_that_the_hidden_inputs_do_not_tell_is_found():
    problems = slips.Set(slips.ROOT / "assignments/source/measures")
    (question,) = [question for question in problems.asked if question.name == "counts"]
    right = slips.cases.source_of(question.right)
    assert problems.survives(question, right)
    assert not any(
        problems.survives(question, right.replace(*slip)) for slip in [("left", "right"), ("+ 1", "+ 0")]
    )


def test_every_kind_of_change_is_made():
    texts = slips.changed_sources(
        "def f(x, y):\n    z = np.sum(x, axis=0)\n    if z < 1:\n        return x, y\n    return z[1:] - y\n"
    )
    for line in (
        "z = x", "z = np.mean(x, axis=0)", "z = np.sum(x, axis=1)", "z = np.sum(x)", "z = np.sum(y, axis=0)",
        "if z <= 1:", "if not z < 1:", "return (y, x)", "return z[1:]", "return z[1:] + y",
        "return z[2:] - y", "return z - y",
    ):  # fmt: skip
        assert any(line in [part.strip() for part in text.splitlines()] for text in texts), line
    assert not any("axis=2" in text for text in texts)
