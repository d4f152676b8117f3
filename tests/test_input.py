"""What each check of the input refuses, and what it lets pass unchanged: told once, here."""

import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import calibration_lessons as cl
from calibration_lessons import _input
from tests.refusals import refusals, refused

P = np.array([0.2, 0.7, 0.9])
ROWS = np.array([[0.2, 0.8], [0.7, 0.3], [0.5, 0.5]])
Z = np.array([[0.0, 1.0], [2.0, -np.inf], [1.0, 1.0]])


def changed(array, index, value):
    array = np.array(array, dtype=float)
    array[index] = value
    return array


@refusals("input")
def test_what_is_not_as_described_is_refused_in_words(kind, start, call):
    refused(kind, start, call, globals())


@pytest.mark.parametrize("kind", [_input.BadValue, _input.BadType])
def test_a_refusal_is_an_object_whose_text_is_made_once_and_that_travels(kind):
    error = kind("X", "= 7.0", "a probability in [0, 1]", (3, 1))
    assert str(error) == "X[3, 1] = 7.0: expected a probability in [0, 1]"
    assert (error.name, error.found, error.index) == ("X", "= 7.0", (3, 1))
    there = pickle.loads(pickle.dumps(error.moved(100, "row 3 of block 2")))
    assert str(there) == "X[103, 1] = 7.0: expected a probability in [0, 1] (row 3 of block 2)"
    assert isinstance(there, kind) and there.index == (103, 1)
    whole = kind("y", "is empty", "at least one label")
    assert str(whole.moved(9)) == "y is empty: expected at least one label"
    assert issubclass(_input.BadValue, ValueError) and issubclass(_input.BadType, TypeError)


def test_containers_do_not_change_the_numbers_and_are_left_alone():
    big = np.zeros((6, 4))
    big[::2, ::2] = ROWS
    frozen = ROWS.copy()
    frozen.flags.writeable = False
    frame = pd.DataFrame(ROWS, index=[7, 7, -1], columns=["b", "a"])
    y, series = [0, 1, 0], pd.Series([0, 1, 0], index=[3, 1, 2])
    for values in (big[::2, ::2], frozen, frame, np.ma.masked_array(ROWS, mask=False), ROWS.tolist(),
                   np.asfortranarray(ROWS)):  # fmt: skip
        assert np.array_equal(_input.probabilities(values), ROWS)
        assert cl.reliability_curve(series, values).ece() == cl.reliability_curve(y, ROWS).ece()
        assert cl.brier_score(series, values) == cl.brier_score(y, ROWS)


def test_a_class_may_be_ruled_out_but_not_the_rows_own_unless_its_weight_is_0():
    assert np.array_equal(_input.logits(Z), Z) and _input.logits([-np.inf]).tolist() == [-np.inf]
    labels = np.array([0, 1, 1])
    _input.label_logits(Z, labels, np.array([1.0, 0.0, 1.0]))
    _input.label_logits(Z, 1 - labels, np.ones(3))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 2e-3), ("float32", 1e-5), ("float64", 1e-6)])
@pytest.mark.parametrize("n_classes", [2, 63, 1000])
def test_a_row_may_miss_the_sum_of_one_by_the_tolerance_of_its_precision_and_no_more(
    dtype, tolerance, n_classes
):
    read = _input.probabilities
    rows = np.random.default_rng(n_classes).dirichlet(np.full(n_classes, 0.3), 300).astype(dtype)
    assert len(read(rows[np.abs(rows.astype(np.float64).sum(axis=1) - 1) < tolerance])) > 0
    for share in (-1.3, -0.8, 0.8, 1.3):
        one = rows[:1].astype(np.float64) / rows[:1].astype(np.float64).sum()
        one[0, one.argmax()] += share * tolerance
        one = np.repeat(one.astype(dtype), 2, axis=0)
        far = abs(one[0].astype(np.float64).sum() - 1) > tolerance
        if dtype != "float16" and n_classes <= 64:
            assert far == (abs(share) > 1)
        if far:
            with pytest.raises(ValueError, match=r"y_prob\[0\] sums to"):
                read(one)
        else:
            assert len(read(one)) == 2


def test_a_warning_points_at_the_line_of_the_caller():
    binning = cl.HistogramBinning()
    for calibrator, scores in ((binning, np.full(4, 0.5)), (cl.OneVsRest(binning), np.full((4, 2), 0.5))):
        with pytest.warns(UserWarning, match="learns the base rate") as caught:
            calibrator.fit(scores, [0, 1, 0, 1])
        assert {one.filename for one in caught} == {__file__}


def test_a_seed_is_read_in_one_place():
    package = Path(_input.__file__).parent
    made = re.compile(r"^(?!.*>>>).*default_rng\(", re.MULTILINE)
    found = [path.name for path in package.rglob("*.py") if made.search(path.read_text("utf-8"))]
    assert found == ["_input.py"]
