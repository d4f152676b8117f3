"""What holds for every binary calibrator: input read and refused, weights, clones, what stays unchanged."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import calibration_lessons as cl

pytestmark = pytest.mark.filterwarnings("ignore:X looks like probabilities")

RNG = np.random.default_rng(0)
SCORES = RNG.random(300)
LABELS = (RNG.random(300) < SCORES**2).astype(int)
FOUR, FOUR_LABELS = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0, 1, 0, 1])

METHODS = [
    cl.HistogramBinning(n_bins=5),
    cl.HistogramBinning(n_bins=5, strategy="quantile"),
    cl.IsotonicCalibration(),
    cl.PlattScaling(),
    cl.PlattScaling(prior_targets=False, slope=1.0),
    cl.BetaCalibration(),
    cl.PlattScaling(prior_targets=False),
]
each = pytest.mark.parametrize("method", METHODS, ids=repr)
# All share one `fit`; what differs is how scores are read: probabilities, or numbers of any size.
two_readers = pytest.mark.parametrize("method", [METHODS[0], METHODS[3]], ids=repr)


@each
def test_the_probabilities_rise_to_those_of_the_labels_and_sum_to_one(method):
    fitted = clone(method).fit(SCORES, LABELS)
    p = fitted.predict_proba(SCORES)
    assert p.shape == (300, 2)
    assert p.sum(axis=1) == pytest.approx(1)
    assert p[:, 1].mean() == pytest.approx(LABELS.mean(), abs=0.01)
    assert fitted.classes_.tolist() == [0, 1]
    assert np.array_equal(fitted.predict(SCORES), (p[:, 1] > 0.5).astype(int))


@each
def test_columns_lists_frames_and_low_precision_read_like_arrays(method):
    expected = clone(method).fit(SCORES, LABELS).predict_proba(SCORES)
    frame = pd.DataFrame({"score": SCORES}, index=np.arange(300)[::-1])
    series = pd.Series(LABELS == 1, index=np.arange(300) + 9)
    assert np.array_equal(clone(method).fit(frame, series).predict_proba(frame), expected)
    assert np.array_equal(clone(method).fit(SCORES[:, None], LABELS).predict_proba(SCORES), expected)
    from_lists = clone(method).fit(SCORES.tolist(), LABELS.astype(float))
    assert np.array_equal(from_lists.predict_proba(SCORES), expected)
    for dtype in (np.float32, np.float16):
        low = SCORES.astype(dtype)
        exact = low.astype(np.float64)
        p = clone(method).fit(low, LABELS).predict_proba(low)
        assert p.dtype == np.float64
        assert np.array_equal(p, clone(method).fit(exact, LABELS).predict_proba(exact))


@each
@given(st.lists(st.integers(0, 3), min_size=40, max_size=40))
def test_whole_weights_count_as_repeated_rows(method, weights):
    def outcome(*data):
        try:
            return clone(method).fit(*data).predict_proba(SCORES).ravel().tolist()
        except ValueError:
            return [np.nan]

    weights = [1, 1, *weights]
    scores, labels = np.r_[0.2, 0.8, SCORES[:40]], np.r_[0, 1, LABELS[:40]]
    repeated = outcome(np.repeat(scores, weights), np.repeat(labels, weights))
    assert outcome(scores, labels, weights) == pytest.approx(repeated, rel=1e-8, abs=1e-11, nan_ok=True)


@each
def test_clones_and_pickles_and_returns_itself(method):
    fitted = clone(method)
    assert fitted.fit(SCORES, LABELS) is fitted
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(SCORES), fitted.predict_proba(SCORES))
    assert vars(clone(fitted)) == vars(method)


@each
def test_unfitted_use_is_refused(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        clone(method).predict_proba(FOUR)


@pytest.mark.parametrize("method", METHODS[:3], ids=repr)
def test_a_single_class_gives_its_base_rate_with_a_warning(method):
    with pytest.warns(UserWarning, match="all labels are 1: .* learns the base rate, no more"):
        fitted = clone(method).fit(FOUR, [1, 1, 1, 1])
    assert fitted.predict_proba(FOUR)[:, 1].tolist() == [1, 1, 1, 1]


def test_a_warning_points_at_the_line_that_called_fit():
    with pytest.warns(UserWarning) as caught:
        cl.IsotonicCalibration().fit([0.3] * 4, [1, 1, 1, 1])
    assert [warning.filename for warning in caught] == [__file__] * 2


def test_two_columns_get_the_advice_that_is_right_for_two_columns():
    for columns, advice in ((2, r"pass X\[:, 1\]"), (3, "OneVsRest")):
        with pytest.raises(ValueError, match=rf"expected one score a row.*{advice}"):
            cl.PlattScaling().fit(np.ones((4, columns)), FOUR_LABELS)


@pytest.mark.parametrize("method", [*METHODS[:3], METHODS[4]], ids=repr)
def test_equal_scores_give_the_base_rate_with_a_warning(method):
    with pytest.warns(UserWarning, match="all scores are 0.3: .* learns the base rate, no more"):
        fitted = clone(method).fit([0.3] * 4, [0, 1, 1, 1])
    assert fitted.predict_proba([0.3])[0, 1] == pytest.approx(0.75, rel=1e-12)


@each
def test_inputs_are_never_changed(method):
    scores, labels, weights = SCORES.copy(), LABELS.copy(), np.linspace(0, 2, 300)
    for array in (scores, labels, weights):
        array.flags.writeable = False
    clone(method).fit(scores, labels, weights).predict_proba(scores[::-1])
    assert np.array_equal(scores, SCORES)
    assert np.array_equal(labels, LABELS)
    assert np.array_equal(weights, np.linspace(0, 2, 300))


@each
def test_only_the_ratios_of_weights_count_but_for_platts_targets(method):
    shares = np.linspace(1, 2, 300)
    many = METHODS[-1] if method.get_params().get("prior_targets") else method
    expected = clone(many).fit(SCORES, LABELS, shares).predict_proba(SCORES)
    found = clone(method).fit(SCORES, LABELS, 1e300 * shares).predict_proba(SCORES)
    assert found == pytest.approx(expected, rel=1e-9)
