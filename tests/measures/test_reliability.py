"""The reliability curve against its definitions, at the edges of its bins, and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import binom, binomtest
from sklearn.calibration import calibration_curve

import calibration_lessons as cl
from calibration_lessons.book import definitions

S2 = np.array([
    [0.78, 0.12, 0.1], [0.1, 0.64, 0.26], [0.04, 0.04, 0.92], [0.58, 0.3, 0.12], [0.05, 0.51, 0.44],
    [0.85, 0.15, 0], [0.22, 0.7, 0.08], [0.63, 0.34, 0.03], [0.02, 0.15, 0.83],
])  # fmt: skip
S2_LABELS = np.array([0, 1, 1, 0, 0, 0, 1, 2, 2])


@st.composite
def forecasts(draw, max_rows=60):
    """Scores that are random, tied or on an edge, with their outcomes and a number of bins."""
    n_bins = draw(st.integers(1, 20))
    n = draw(st.integers(1, max_rows))
    on_edge = st.integers(0, n_bins).map(lambda m: m / n_bins)
    score = st.one_of(st.floats(0, 1), on_edge, st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    scores = draw(st.lists(score, min_size=n, max_size=n))
    return np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))), np.array(scores), n_bins


@pytest.mark.equation("eq-accuracy", "eq-confidence")
@given(forecasts())
def test_each_bin_holds_the_defined_accuracy_and_confidence(case):
    outcomes, scores, n_bins = case
    curve = cl.reliability_curve(outcomes, scores, n_bins=n_bins)
    edges = [m / n_bins for m in range(n_bins + 1)]
    for m in range(1, n_bins + 1):
        if curve.counts[m - 1] == 0:
            assert np.isnan(curve.accuracy[m - 1]) and np.isnan(curve.confidence[m - 1])
        else:
            accuracy = definitions.bin_accuracy(scores, outcomes, edges, m)
            confidence = definitions.bin_confidence(scores, edges, m)
            assert curve.accuracy[m - 1] == pytest.approx(accuracy, abs=1e-12)
            assert curve.confidence[m - 1] == pytest.approx(confidence, abs=1e-12)


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 30), st.just(4)), elements=st.floats(-30, 30)), st.data()
)
def test_logits_and_their_softmax_give_one_curve(logits, data):
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(logits), max_size=len(logits))))
    target = data.draw(st.sampled_from([None, "top-label", 0, 3]))
    n_bins = 1
    by_logits = cl.reliability_curve(labels, logits, target=target, n_bins=n_bins, from_logits=True)
    by_softmax = cl.reliability_curve(labels, cl.softmax(logits), target=target, n_bins=n_bins)
    np.testing.assert_allclose(by_logits.confidence, by_softmax.confidence, atol=1e-12)
    if target is not None and target != "top-label":
        np.testing.assert_allclose(by_logits.accuracy, by_softmax.accuracy)


def test_a_one_d_logit_is_read_as_zero_against_z():
    z, y = np.array([-3.0, 0.2, 5.0, -np.inf]), [0, 1, 1, 0]
    one = cl.reliability_curve(y, z, from_logits=True)
    two = cl.reliability_curve(y, np.column_stack([np.zeros(4), z]), from_logits=True, target="positive")
    np.testing.assert_allclose(one.confidence, two.confidence)
    top = cl.reliability_curve(y, z, from_logits=True, target="top-label")
    pair = cl.reliability_curve(y, np.column_stack([np.zeros(4), z]), from_logits=True)
    np.testing.assert_allclose(top.confidence, pair.confidence)


def test_class_k_is_that_column_against_the_rest():
    curve = cl.reliability_curve(S2_LABELS, S2, target=2, n_bins=5)
    alone = cl.reliability_curve(S2_LABELS == 2, S2[:, 2], n_bins=5)
    np.testing.assert_array_equal(curve.accuracy, alone.accuracy)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_the_interval_is_the_one_that_scipy_calls_wilsons(level):
    hits, rows = [0, 3, 17, 40], [1, 10, 40, 40]
    scores = np.repeat([0.1, 0.3, 0.7, 0.9], rows)
    outcomes = np.concatenate([np.arange(n) < k for k, n in zip(hits, rows, strict=True)])
    curve = cl.reliability_curve(outcomes, scores, n_bins=5)
    light = cl.reliability_curve(outcomes, scores, n_bins=5, sample_weight=np.full(91, 1e-3))
    wilson = [binomtest(k, n).proportion_ci(level, method="wilson") for k, n in zip(hits, rows, strict=True)]
    np.testing.assert_allclose(
        np.transpose(curve.interval(level))[[0, 1, 3, 4]], wilson, rtol=1e-12, atol=1e-15
    )
    assert np.isnan(curve.interval(level)).tolist() == [[False, False, True, False, False]] * 2
    np.testing.assert_array_equal(curve.interval(), curve.interval(0.95))
    np.testing.assert_allclose(light.interval(level), curve.interval(level))
    np.testing.assert_allclose(light.band(level), curve.band(level))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_band_holds_the_middle_of_the_binomial_distribution(level):
    rows, p = [1, 10, 40], [0.1, 0.3, 0.9]
    curve = cl.reliability_curve(np.zeros(51), np.repeat(p, rows), n_bins=5)
    middle = [np.divide(binom.interval(level, n, q), n) for n, q in zip(rows, p, strict=True)]
    np.testing.assert_allclose(np.transpose(curve.band(level))[[0, 1, 4]], middle, rtol=1e-12)
    np.testing.assert_array_equal(curve.band(), curve.band(0.95))


def test_the_band_is_unknown_where_a_bin_is_empty_and_narrow_where_scores_leave_no_doubt():
    low, high = cl.reliability_curve([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], n_bins=3).band()
    np.testing.assert_array_equal([low, high], [[0, np.nan, 1], [0, np.nan, 1]])


def test_a_curve_knows_its_event_and_says_it_briefly():
    curve = cl.reliability_curve(S2_LABELS, S2, n_bins=5)
    assert repr(curve) == "<ReliabilityCurve of the top label: n = 9, 5 bins of equal width, ECE 0.1044>"
    of_class = cl.reliability_curve(S2_LABELS, S2, n_bins=3, target=2, strategy="quantile")
    assert repr(of_class).startswith("<ReliabilityCurve of class 2: n = 9, 3 bins of equal mass, ECE ")
    for y_prob, target, expected in [
        (S2, None, "top-label"),
        (S2, 1, 1),
        (S2[:, 0], None, "positive"),
        (S2[:, 0], 1, "positive"),
        (S2[:, 0], 0, 0),
        (np.column_stack([S2[:, 0], 1 - S2[:, 0]]), 1, "positive"),
        (S2[:, 0], "top-label", "top-label"),
    ]:
        assert cl.reliability_curve(np.zeros(9), y_prob, target=target).target == expected


def test_agrees_with_scikit_learn_where_no_score_lies_on_an_edge():
    rng = np.random.default_rng(2)
    scores = rng.random(5000)
    outcomes = rng.random(5000) < scores**2
    curve = cl.reliability_curve(outcomes, scores, n_bins=15)
    accuracy, confidence = calibration_curve(outcomes, scores, n_bins=15)
    np.testing.assert_allclose(curve.accuracy[curve.counts > 0], accuracy, atol=1e-12)
    np.testing.assert_allclose(curve.confidence[curve.counts > 0], confidence, atol=1e-12)
