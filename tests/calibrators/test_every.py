"""What holds for every calibrator: input read and refused, weights, clones, what stays unchanged."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import calibration_lessons as cl
from calibration_lessons.calibrators._binary import BinaryCalibrator
from tests.calibrators.cases import BY_CLASS, EVERY, sound

pytestmark = pytest.mark.filterwarnings("ignore:X looks like probabilities")

CASES = [
    (calibrator, columns)
    for calibrator in EVERY
    for columns in (1, 3)
    if not isinstance(calibrator, BinaryCalibrator if columns == 3 else BY_CLASS)
]
each = pytest.mark.parametrize("calibrator, columns", CASES, ids=lambda value: str(value)[:50])


def rows(calibrator, columns, n=300):
    return sound(np.random.default_rng(0), n, columns, 1.0, np.float64, calibrator.reads)


def fitted(calibrator, *data):
    return clone(calibrator).fit(*data)


@each
def test_the_probabilities_sum_to_one_and_the_likeliest_class_is_predicted(calibrator, columns):
    X, y = rows(calibrator, columns)
    model = fitted(calibrator, X, y)
    p = model.predict_proba(X)
    assert p.dtype == np.float64 and p.sum(axis=1) == pytest.approx(1)
    assert p.shape == (300, len(model.classes_)) == (300, max(2, columns))
    assert p.mean(axis=0) == pytest.approx(np.bincount(y) / 300, abs=0.1)
    assert np.array_equal(model.predict(X), p.argmax(axis=1))


@each
def test_lists_frames_columns_booleans_and_other_layouts_read_like_arrays(calibrator, columns):
    X, y = rows(calibrator, columns)
    expected = fitted(calibrator, X, y).predict_proba(X)
    frame = pd.DataFrame(X, index=np.arange(300)[::-1]).add_prefix("column ")
    by_name = fitted(calibrator, frame, pd.Series(y.astype(float), index=np.arange(300) + 9))
    assert np.array_equal(by_name.predict_proba(frame), expected)
    assert fitted(calibrator, X.tolist(), y.tolist()).predict_proba(X.tolist()) == pytest.approx(expected)
    backwards = fitted(calibrator, np.asfortranarray(X)[::-1], y[::-1])
    if not isinstance(calibrator, cl.MatrixScaling):  # whose folds are those of the order
        assert backwards.predict_proba(X) == pytest.approx(expected, abs=1e-9)
    with pytest.raises(ValueError, match="feature names should match"):
        by_name.predict(frame.add_suffix(" renamed"))
    if columns == 1:
        assert np.array_equal(fitted(calibrator, X[:, None], y == 1).predict_proba(X), expected)


@each
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_low_precision_gives_what_its_exact_values_give(calibrator, columns, dtype):
    X, y = rows(calibrator, columns)
    if calibrator.reads == "probabilities" and columns == 1:
        X = 0.01 + 0.98 * X  # off the edges, which are those of the precision
    low = X.astype(dtype)
    p, exact = fitted(calibrator, low, y).predict_proba(low), low.astype(np.float64)
    assert p.dtype == np.float64
    if isinstance(calibrator, cl.MultiClassIsotonic):  # whose exact values sum to one less exactly
        exact = X
    assert p == pytest.approx(
        fitted(calibrator, exact, y).predict_proba(exact),
        abs={np.float32: 1e-5, np.float16: 5e-3}[dtype] if exact is X else 1e-7,
    )


REPEATING = [case for case in CASES if not isinstance(case[0], cl.MatrixScaling | cl.VennAbersCalibration)]


@pytest.mark.parametrize("calibrator, columns", REPEATING, ids=lambda value: str(value)[:50])
@settings(max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=40, max_size=40))
def test_whole_weights_count_as_repeated_rows(calibrator, columns, weights):
    X, y = rows(calibrator, columns, 43)

    def outcome(*data):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                return fitted(calibrator, *data).predict_proba(X).ravel().tolist()
        except ValueError:
            return [np.nan]

    weights = [1, 1, 1, *weights]
    repeated = outcome(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert outcome(X, y, weights) == pytest.approx(repeated, rel=1e-8, abs=1e-11, nan_ok=True)


def adds_rows(calibrator):
    """Tell whether a calibrator adds rows to those that it learns from: weights are more than ratios."""
    of = calibrator.get_params()
    return isinstance(of.get("calibrator", calibrator), cl.VennAbersCalibration) or any(
        of.get(prefix + name) for prefix in ("", "calibrator__") for name in ("prior_targets", "smoothing")
    )


RATIOS = [case for case in CASES if not adds_rows(case[0])]


@pytest.mark.parametrize("calibrator, columns", RATIOS, ids=lambda value: str(value)[:50])
@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_only_the_ratios_of_weights_count_where_no_row_is_added_to_them(calibrator, columns, unit):
    X, y = rows(calibrator, columns)
    shares = np.linspace(1, 2, 300)
    expected = fitted(calibrator, X, y, shares).predict_proba(X)
    assert fitted(calibrator, X, y, unit * shares).predict_proba(X) == pytest.approx(expected, rel=1e-8)


@each
def test_clones_are_unfitted_pickles_answer_alike_and_fit_returns_itself(calibrator, columns):
    X, y = rows(calibrator, columns)
    model = clone(calibrator)
    assert model.fit(X, y) is model
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params().keys() == calibrator.get_params().keys()
    for method in (clone(model).predict_proba, clone(model).predict):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            method(X)
    if columns == 3:
        with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3"):
            model.predict_proba(X[:, :2])


@each
def test_inputs_are_never_changed(calibrator, columns):
    given = *rows(calibrator, columns), np.linspace(0, 2, 300)
    before = [array.copy() for array in given]
    for array in given:
        array.flags.writeable = False
    model = fitted(calibrator, *given)
    model.predict_proba(given[0][::-1]), model.predict(given[0])
    for array, copy in zip(given, before, strict=True):
        assert np.array_equal(array, copy)


BAD = {"X": np.nan, "y": 7, "sample_weight": -1.0}


@each
@pytest.mark.parametrize("argument", BAD)
def test_a_bad_score_label_or_weight_is_refused_at_its_place_and_so_are_other_numbers_of_rows(
    calibrator, columns, argument
):
    given = dict(zip(BAD, (*rows(calibrator, columns), np.ones(300)), strict=True))
    at = (5,) if given[argument].ndim == 1 else (5, 1)
    bad = given[argument].copy()
    bad[at] = BAD[argument]
    for change, index in ((bad, at), (given[argument][:-1], ())):
        with pytest.raises(cl.Refusal) as caught:
            fitted(calibrator, *(given | {argument: change}).values())
        assert caught.value.index == index and (not index or caught.value.name == argument)
    if argument == "X":
        with pytest.raises(cl.Refusal) as caught:
            fitted(calibrator, *given.values()).predict_proba(bad)
        assert (caught.value.name, caught.value.index) == ("X", at)
    if argument == "sample_weight":
        with pytest.raises(cl.Refusal, match="sample_weight is zero everywhere"):
            fitted(calibrator, given["X"], given["y"], np.zeros(300))


@pytest.mark.parametrize(
    "calibrator", [cl.TemperatureScaling(), cl.ExpectationConsistency(), cl.MultiClassIsotonic()], ids=repr
)
def test_a_class_without_a_label_keeps_its_column(calibrator):
    X, y = rows(calibrator, 3)
    model = fitted(calibrator, X[y < 2], y[y < 2])
    assert model.classes_.tolist() == [0, 1, 2] and model.predict_proba(X).min() > 0


# One score a row.

FOUR = np.array([0.1, 0.4, 0.5, 0.9])
BASE_RATE = [cl.HistogramBinning(5), cl.HistogramBinning(5, "quantile"), cl.IsotonicCalibration()]


@pytest.mark.parametrize("method", BASE_RATE, ids=repr)
def test_a_single_class_gives_its_base_rate_with_a_warning(method):
    with pytest.warns(UserWarning, match="all labels are 1: .* learns the base rate, no more"):
        model = fitted(method, FOUR, [1, 1, 1, 1])
    assert model.predict_proba(FOUR)[:, 1].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("method", [*BASE_RATE, cl.PlattScaling(False, 1.0)], ids=repr)
def test_equal_scores_give_the_base_rate_with_a_warning(method):
    with pytest.warns(UserWarning, match="all scores are 0.3: .* learns the base rate, no more"):
        model = fitted(method, [0.3] * 4, [0, 1, 1, 1])
    assert model.predict_proba([0.3])[0, 1] == pytest.approx(0.75, rel=1e-12)


def test_the_model_says_what_each_calibrator_reads():
    told = dict(re.findall(r'- "(\w+)" \((.*?)\):\s', cl.CalibratedModel.__doc__, re.S))
    for calibrator in EVERY:
        if not isinstance(calibrator, cl.OneVsRest):
            assert f"`{type(calibrator).__name__}`" in told[calibrator.reads], calibrator
