"""Platt scaling: definitions, scikit-learn, known values, degenerate data."""

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.calibration import _sigmoid_calibration

import calibration_lessons as cl
from calibration_lessons.book import definitions
from tests.calibrators.cases import scores_and_labels

pytestmark = [
    pytest.mark.filterwarnings("ignore:all (scores|labels) are:UserWarning"),
    pytest.mark.filterwarnings("ignore:X looks like probabilities"),
]
RNG = np.random.default_rng(0)
SCORES = RNG.normal(1, 3, 2000)
LABELS = (RNG.random(2000) < 1 / (1 + np.exp(1 - 0.7 * SCORES))).astype(int)


def overlap(scores, labels):
    negative, positive = scores[labels == 0], scores[labels == 1]
    if not len(negative) or not len(positive):
        return False
    return positive.min() < negative.max() and negative.min() < positive.max()


@pytest.mark.equation("eq-platt")
@given(st.lists(st.floats(-20, 20), min_size=1))
def test_the_probabilities_lie_on_the_defined_curve(new):
    fitted = cl.PlattScaling().fit(SCORES, LABELS)
    defined = [definitions.platt_probability(z, fitted.slope_, fitted.intercept_) for z in new]
    assert fitted.predict_proba(new)[:, 1] == pytest.approx(defined, rel=1e-12)


@pytest.mark.equation("eq-platt-targets")
@given(scores_and_labels(st.integers(-10, 10).map(float)))
def test_the_mean_probability_and_the_mean_score_are_those_of_the_targets(case):
    scores, labels = case
    p = cl.PlattScaling().fit(scores, labels).predict_proba(scores)[:, 1]
    targets = np.array(definitions.platt_targets(labels.tolist()))[labels]
    assert p.mean() == pytest.approx(targets.mean(), abs=1e-11)
    assert (p * scores).mean() == pytest.approx((targets * scores).mean(), abs=1e-10)


def test_scikit_learns_sigmoid_calibration_is_near_and_no_better():
    theirs = -np.array(_sigmoid_calibration(SCORES, LABELS))
    ours = cl.PlattScaling().fit(SCORES, LABELS)
    assert (ours.slope_, ours.intercept_) == pytest.approx(theirs, abs=1e-3)
    targets = np.array(definitions.platt_targets(LABELS.tolist()))[LABELS]

    def loss(slope, intercept):
        f = slope * SCORES + intercept
        return (np.logaddexp(0, f) - targets * f).sum()

    assert loss(ours.slope_, ours.intercept_) <= loss(*theirs) + 1e-10


@given(scores_and_labels(st.integers(-10, 10).map(float)))
def test_without_prior_targets_a_curve_exists_exactly_where_the_labels_overlap_in_score(case):
    scores, labels = case
    assume(scores.min() < scores.max())
    if overlap(scores, labels):
        p = cl.PlattScaling(prior_targets=False).fit(scores, labels).predict_proba(scores)[:, 1]
        assert p.mean() == pytest.approx(labels.mean(), abs=1e-9)
        assert (p * scores).mean() == pytest.approx((labels * scores).mean(), abs=1e-8)
        return
    with pytest.raises(ValueError, match="X separates the labels"):
        cl.PlattScaling(prior_targets=False).fit(scores, labels)


@pytest.mark.parametrize("prior_targets", [True, False])
@pytest.mark.parametrize("factor", [1e-60, 1e-6, 1e6, -1e60])
def test_the_unit_and_the_origin_of_the_scores_do_not_matter(prior_targets, factor):
    plain = cl.PlattScaling(prior_targets).fit(SCORES, LABELS)
    scaled = cl.PlattScaling(prior_targets).fit(factor * SCORES, LABELS)
    assert scaled.slope_ * factor == pytest.approx(plain.slope_, rel=1e-9)
    assert scaled.intercept_ == pytest.approx(plain.intercept_, rel=1e-9)
    moved = cl.PlattScaling(prior_targets).fit(SCORES + 1000, LABELS)
    assert moved.slope_ == pytest.approx(plain.slope_, rel=1e-7)


@pytest.mark.parametrize("overlap_by", [1e-6, 1e-12, 1e-17, 1e-100, 1e-200])
def test_labels_that_hardly_overlap_have_the_slope_that_their_overlap_allows(overlap_by):
    fitted = cl.PlattScaling(prior_targets=False).fit([-1.0, 0.0, overlap_by, 1.0], [0, 1, 0, 1])
    assert fitted.slope_ == pytest.approx(np.log(4 / overlap_by), rel=overlap_by + 1e-12)


@pytest.mark.parametrize("scores", [[-1.0, 0.0, 1e-300, 1.0], [-1e-310, 0.0, 0.4e-310, 1e-310]])
def test_a_slope_that_float64_cannot_hold_is_refused_as_such(scores):
    with pytest.raises(ValueError, match="the best slope is too large for float64"):
        cl.PlattScaling(prior_targets=False).fit(scores, [0, 1, 0, 1])


scales = st.tuples(st.floats(-9, 9).map(lambda x: round(x, 2)), st.integers(-8, 12))
rows_of_many_scales = st.lists(
    st.tuples(scales.map(lambda pair: pair[0] * 10.0 ** pair[1]), st.integers(0, 1), st.integers(1, 1000)),
    min_size=4,
    max_size=20,
)


def error_in_log_odds(scores, labels, weights, targets, slope, intercept):
    """Length of Newton's next step with 60 digits, in log-odds at the rows that decide."""
    with mpmath.workdps(60):
        slope, intercept = mpmath.mpf(slope), mpmath.mpf(intercept)
        g, h, a, b, c = (mpmath.mpf(0) for _ in range(5))
        for x, label, weight in zip(map(mpmath.mpf, scores), labels, weights, strict=True):
            e = mpmath.exp(slope * x + intercept)
            t = mpmath.mpf(targets[label])
            gap, variance = weight * ((1 - t) * e - t) / (1 + e), weight * e / (1 + e) ** 2
            g, h = g + gap * x, h + gap
            a, b, c = a + variance * x * x, b + variance * x, c + variance
        mean, spread = b / c, mpmath.sqrt(a / c - (b / c) ** 2)
        return float(abs(g - mean * h) / (spread * c) + abs(h) / c)


@pytest.mark.parametrize("prior_targets", [True, False])
@given(rows_of_many_scales, st.booleans())
def test_scores_of_many_scales_in_one_sample_get_the_best_curve(prior_targets, rows, weighted):
    scores, labels, weights = map(np.array, zip(*rows, strict=True))
    weights = weights if weighted else np.ones(len(labels))
    assume(scores.min() < scores.max() and (prior_targets or overlap(scores, labels)))
    fitted = cl.PlattScaling(prior_targets).fit(scores, labels, weights if weighted else None)
    counts = np.bincount(labels, weights, minlength=2)
    targets = (1 / (counts[0] + 2), 1 - 1 / (counts[1] + 2)) if prior_targets else (0, 1)
    line = fitted.slope_, fitted.intercept_
    assert error_in_log_odds(scores.tolist(), labels, weights.tolist(), targets, *line) < 1e-9
    if not prior_targets:
        assert cl.calibration_slope_intercept(
            labels, scores, sample_weight=weights, from_logits=True
        ) == pytest.approx(line, rel=1e-6, abs=1e-6 * abs(line[0]) + 1e-6)


def test_a_single_class_gives_its_prior_target_with_a_warning():
    with pytest.warns(UserWarning, match="all labels are 1"):
        fitted = cl.PlattScaling().fit([1.0, 2.0, 3.0], [1, 1, 1])
    assert fitted.predict_proba([0.0])[0, 1] == pytest.approx(4 / 5)
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="separates the labels"):
        cl.PlattScaling(prior_targets=False).fit([1.0, 2.0, 3.0], [1, 1, 1])


def test_equal_scores_give_the_mean_target_with_a_warning():
    with pytest.warns(UserWarning, match=r"all scores are 0\.5"):
        fitted = cl.PlattScaling().fit([0.5] * 4, [0, 0, 0, 1])
    assert fitted.slope_ == 0
    assert fitted.predict_proba([7.0])[0, 1] == pytest.approx((3 * 1 / 5 + 2 / 3) / 4)


halves = scores_and_labels(st.integers(-40, 40).map(lambda half: half / 2))


@pytest.mark.equation("eq-intercept-update")
@given(halves, st.sampled_from([0.5, 1.0, 3.0]))
def test_with_the_slope_held_the_mean_forecast_is_the_mean_label(case, slope):
    scores, labels = case
    assume(0 < labels.mean() < 1)
    fitted = cl.PlattScaling(prior_targets=False, slope=slope).fit(scores, labels)
    assert fitted.slope_ == slope
    said, seen = definitions.forecast_and_share(labels, slope * scores, fitted.intercept_)
    assert said == pytest.approx(seen, abs=1e-11)
    assert fitted.predict_proba(scores)[:, 1].mean() == pytest.approx(said, abs=1e-12)


@pytest.mark.parametrize("prior_targets", [True, False])
@pytest.mark.parametrize("unit", [1.0, 1e3, 1e12, 1e90])
@pytest.mark.parametrize("start", [0.0, 5.0, -1e3])
def test_an_intercept_is_found_for_log_odds_of_any_size(prior_targets, unit, start):
    rows = unit * (np.array([-4.0, -3, -1, 0, 2, 7]) + start)
    p = cl.PlattScaling(prior_targets, slope=1.0).fit(rows, [0, 0, 1, 0, 0, 1]).predict_proba(rows)[:, 1]
    wanted = (2 * 3 / 4 + 4 / 6) / 6 if prior_targets else 1 / 3
    assert p.mean() == pytest.approx(wanted, abs=1e-11 if unit < 1e6 else 0.2)  # b and z share 16 digits


def test_with_the_slope_held_equal_scores_say_the_base_rate_and_one_class_its_prior_target():
    with pytest.warns(UserWarning, match=r"all scores are 3\.0"):
        fitted = cl.PlattScaling(prior_targets=False, slope=2.0).fit([3.0] * 4, [0, 0, 0, 1])
    assert fitted.predict_proba([3.0])[0, 1] == pytest.approx(1 / 4)
    assert fitted.intercept_ == pytest.approx(np.log(1 / 3) - 6)
    with pytest.warns(UserWarning, match="all labels are 0"):
        fitted = cl.PlattScaling(slope=1.0).fit([1.0, 2.0, 4.0], [0, 0, 0])
    assert fitted.predict_proba([1.0, 2.0, 4.0])[:, 1].mean() == pytest.approx(1 / 5)
    with pytest.raises(ValueError, match="y holds one class, so the likelihood grows for ever"):
        cl.PlattScaling(prior_targets=False, slope=1.0).fit([1.0, 2.0, 4.0], [0, 0, 0])


def test_the_calibration_line_is_platts_curve_of_the_log_odds_without_prior_targets():
    weights = np.r_[0.0, np.linspace(1, 2, 1999)]
    line = cl.calibration_slope_intercept(LABELS, 1 / (1 + np.exp(-SCORES)), sample_weight=weights)
    platt = cl.PlattScaling(prior_targets=False).fit(SCORES, LABELS, weights)
    assert line == pytest.approx((platt.slope_, platt.intercept_), rel=1e-9)
    assert line == pytest.approx(
        cl.calibration_slope_intercept(LABELS, SCORES, sample_weight=weights, from_logits=True), rel=1e-9
    )
    assert all(type(number) is float for number in line)
