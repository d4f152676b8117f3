"""Beta calibration: definition, optimum, the identity, the ends, degenerate data."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.optimize import minimize

import calibration_lessons as cl
from calibration_lessons.book import definitions
from tests.calibrators.cases import scores_and_labels

pytestmark = pytest.mark.filterwarnings("ignore:all (scores|labels) are:UserWarning")
RNG = np.random.default_rng(0)
END = np.finfo(float).eps


def drawn(n, a, b, c, seed=0):
    """Probabilities, and labels that come with the odds e^c p^a / (1 - p)^b."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.8, 0.8, n).clip(1e-9, 1 - 1e-9)
    return p, (rng.random(n) < 1 / (1 + np.exp(b * np.log1p(-p) - a * np.log(p) - c))).astype(int)


P, Y = drawn(3000, 0.5, 1.5, 0.3)


def loss(line, p, targets, weights):
    p = np.clip(p, END, 1 - END)
    z = line[0] * np.log(p) - line[1] * np.log1p(-p) + line[2]
    return np.average(np.logaddexp(0, z) - targets * z, weights=weights)


@pytest.mark.equation("eq-beta")
@given(st.lists(st.floats(1e-9, 1 - 1e-9), min_size=1))
def test_the_probabilities_lie_on_the_defined_curve(new):
    fitted = cl.BetaCalibration().fit(P, Y)
    defined = [definitions.beta_probability(p, fitted.a_, fitted.b_, fitted.c_) for p in new]
    assert fitted.predict_proba(new)[:, 1] == pytest.approx(defined, rel=1e-12)


@given(scores_and_labels(), st.booleans(), st.booleans(), st.integers(0, 99))
def test_no_other_powers_from_zero_up_have_a_smaller_cross_entropy(case, prior_targets, weighted, seed):
    p, labels = case
    weights = np.random.default_rng(seed).integers(1, 5, len(p)) if weighted else np.ones(len(p))
    try:
        fitted = cl.BetaCalibration(prior_targets).fit(p, labels, weights if weighted else None)
    except ValueError as error:
        assert "X separates the labels" in str(error)
        assume(False)
    line = np.array([fitted.a_, fitted.b_, fitted.c_])
    assert line[:2].min() >= 0
    counts = np.bincount(labels, weights, minlength=2)
    targets = np.where(labels == 1, 1 - 1 / (counts[1] + 2), 1 / (counts[0] + 2)) if prior_targets else labels
    least = loss(line, p, targets, weights)
    bounds = [(0, None), (0, None), (None, None)]
    for start in (line, np.array([0.5, 0.5, 0.0])):
        assert least <= minimize(loss, start, (p, targets, weights), "L-BFGS-B", bounds=bounds).fun + 1e-9


@example((np.array([0.1, 0.1, 0.2, 0.2, 0.3, 0.5, 1.0]), np.array([0, 0, 0, 1, 0, 1, 1])))  # one far out
@given(scores_and_labels())
def test_a_curve_exists_exactly_where_no_threshold_separates_the_labels_and_always_with_prior_targets(case):
    p, labels = case
    positive, negative = p[labels == 1], p[labels == 0]
    one_class = not len(positive) or not len(negative)
    if one_class or (p.min() < p.max() and positive.min() >= negative.max()):
        with pytest.raises(ValueError, match="X separates the labels"):
            cl.BetaCalibration().fit(p, labels)
    else:
        cl.BetaCalibration().fit(p, labels)
    said = cl.BetaCalibration(prior_targets=True).fit(p, labels).predict_proba(p)[:, 1]
    assert ((said > 0) & (said < 1)).all()


def test_labels_the_wrong_way_round_get_their_base_rate():
    fitted = cl.BetaCalibration().fit([0.9, 0.8, 0.3, 0.2, 0.1], [0, 0, 1, 1, 1])
    assert (fitted.a_, fitted.b_) == (0, 0)
    assert fitted.predict_proba([0.5])[0, 1] == pytest.approx(0.6)


def test_zero_and_one_are_read_as_the_precision_of_float64():
    ends, off = np.array([0.0, 1e-300, 1.0]), np.array([END, END, 1 - END])
    p, labels = np.r_[ends, P], np.r_[0, 1, 1, Y]
    fitted = cl.BetaCalibration().fit(p, labels)
    again = cl.BetaCalibration().fit(np.r_[off, P], labels)
    assert (fitted.a_, fitted.b_, fitted.c_) == (again.a_, again.b_, again.c_)
    assert np.array_equal(fitted.predict_proba(ends), fitted.predict_proba(off))


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
def test_labels_that_hardly_overlap_have_the_powers_that_their_overlap_allows(gap):
    fitted = cl.BetaCalibration().fit([0.3, 0.5, 0.5 + gap, 0.7], [0, 1, 0, 1])
    outer = np.log(0.7 / 0.3) * (fitted.a_ + fitted.b_) / 2  # log-odds of the outer rows
    steep = 2 * (fitted.a_ + fitted.b_)  # slope of the log-odds at one half
    assert 2 * np.exp(-outer) * np.log(7 / 3) / 2 == pytest.approx(gap, rel=0.02)
    assert steep * gap < 0.1


def test_probabilities_of_many_sizes_in_one_sample_get_the_best_powers():
    p = np.array([0.16, 2.5e-19, 5.6e-13, 2.2e-11, 1.4e-15, 6e-12, 2e-19, 2.7e-17, 2.1e-4, 6.5e-3, 2.2e-18])
    labels = np.array([1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0])
    fitted = cl.BetaCalibration().fit(p, labels)
    assert fitted.b_ > 1e9  # -log(1 - p) is as small as p
    assert fitted.predict_proba(p)[:, 1].mean() == pytest.approx(labels.mean(), abs=1e-6)


@pytest.mark.parametrize("width", [1e-1, 1e-3, 1e-6, 1e-9])
def test_probabilities_in_a_narrow_range_get_their_curve(width):
    u = RNG.uniform(-1, 1, 2000)
    p, labels = 0.5 + width * u, (RNG.random(2000) < 1 / (1 + np.exp(-2 * u))).astype(int)
    said = cl.BetaCalibration().fit(p, labels).predict_proba(p)[:, 1]
    assert said.mean() == pytest.approx(labels.mean(), abs=1e-6)
    assert np.abs(said - 1 / (1 + np.exp(-2 * u))).max() < 0.06
