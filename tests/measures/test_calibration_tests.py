"""Tests of calibration: each statistic is the defined one, and each p-value keeps its level."""

import dataclasses
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from scipy.stats import chi2, norm

import calibration_lessons as cl
from calibration_lessons.book import definitions, simulate
from calibration_lessons.measures import calibration_tests as module
from calibration_lessons.measures.bins import quantile_edges

METHODS = get_args(module.Method)
DRAWN = ["t-cal", "kernel", "kolmogorov-smirnov", "smooth-ece"]
RNG = np.random.default_rng(0)
uncertain = st.sampled_from([0.0, 0.1, 0.25, 0.25, 0.5, 0.6, 0.9, 1.0])  # on the edges of bins, and tied


@st.composite
def forecasts(draw):
    p = [*draw(st.lists(uncertain, min_size=1, max_size=9)), 0.3, 0.8]
    return draw(st.lists(st.integers(0, 1), min_size=len(p), max_size=len(p))), p


def statistic(y, p, method, **options):
    return cl.calibration_test(y, p, method=method, n_draws=1, random_state=0, **options).statistic


@pytest.mark.equation("eq-spiegelhalter")
@given(forecasts())
def test_spiegelhalters_z_is_the_defined_one_and_its_p_value_normal_on_both_sides(rows):
    result, z = cl.calibration_test(*rows, method="spiegelhalter"), definitions.spiegelhalter(*rows)
    assert result.statistic == pytest.approx(z, abs=1e-12)
    assert result.p_value == pytest.approx(2 * norm.cdf(-abs(z)), abs=1e-12)


@pytest.mark.equation("eq-hosmer-lemeshow")
@given(forecasts(), st.integers(1, 4))
def test_the_statistic_of_hosmer_and_lemeshow_is_the_defined_one_and_its_p_value_chi_squared(rows, n_bins):
    y, p = np.array(rows[0]), np.clip(rows[1], 0.01, 0.99)
    edges = [0.0, *(edge for edge in quantile_edges(p, n_bins) if edge < p.max()), 1.0]
    result = cl.calibration_test(y, p, method="hosmer-lemeshow", n_bins=n_bins)
    assert result.statistic == pytest.approx(definitions.hosmer_lemeshow(y, p, edges), abs=1e-9)
    assert result.p_value == pytest.approx(chi2.sf(result.statistic, len(edges) - 1))


def test_a_bin_that_is_certain_has_no_degree_of_freedom_and_refutes_where_it_errs():
    p = [1.0] * 50 + [0.3, 0.7] * 25
    right, wrong = [1] * 85 + [0] * 15, [0] + [1] * 84 + [0] * 15
    result = cl.calibration_test(right, p, method="hosmer-lemeshow", n_bins=2)
    assert result.p_value == pytest.approx(
        chi2.sf(result.statistic, 1)
    ) and result.statistic == pytest.approx(8)
    assert cl.calibration_test(wrong, p, method="hosmer-lemeshow", n_bins=2).p_value == 0


@pytest.mark.equation("eq-t-cal")
@given(forecasts())
def test_t_cal_is_the_largest_debiased_error_in_standard_deviations(rows):
    scales = []
    for n_bins in (1, 2, 4, 8):
        error, variance = definitions.t_cal(*rows, cl.measures.bin_edges(n_bins).tolist())
        if n_bins <= len(rows[0]) and variance > 1e-15:
            scales.append(error / variance**0.5)
    assert statistic(*rows, "t-cal") == pytest.approx(max(scales), abs=1e-9)


@pytest.mark.equation("eq-cumulative")
@given(forecasts())
def test_the_cumulative_difference_is_the_defined_one(rows):
    found = statistic(*rows, "kolmogorov-smirnov")
    assert found == pytest.approx(definitions.cumulative_difference(*rows), abs=1e-12)


@pytest.mark.equation("eq-smooth-ece")
@settings(max_examples=15, deadline=None)
@given(forecasts())
def test_the_smooth_ece_is_the_width_that_equals_the_error_which_it_leaves(rows):
    width = statistic(*rows, "smooth-ece")
    if width < 1e-3:  # all misses cancel within equal forecasts
        assert definitions.expected_calibration_error(rows[1], rows[0], np.linspace(0, 1, 101)) < 2e-3
    else:
        assert definitions.smoothed_error(*rows, width) == pytest.approx(width, abs=2e-4)


@pytest.mark.equation("eq-skce")
@given(st.integers(2, 9), st.integers(2, 4), st.booleans(), st.booleans(), st.integers(0, 99))
def test_the_kernel_error_is_the_defined_one_with_the_median_distance_as_its_width(n, k, tied, crowded, seed):
    draw = np.random.default_rng(seed)
    y, p = draw.integers(0, k, n), draw.dirichlet(np.ones(k), n)
    p = p[draw.integers(0, 2, n)] if tied else p
    if crowded:  # and one far out, on the scale of the others
        p[1:] = 1e-4 * p[1:] + (1 - 1e-4) * np.eye(k)[0]
    apart = pdist(p)[pdist(p) > 0]
    literal = definitions.kernel_error(y, p, np.median(apart) if apart.size else 1.0)
    assert statistic(y, p, "kernel") == pytest.approx(literal, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_calibrated_forecast_is_refuted_as_often_as_the_level_says(method):
    source = simulate.ScoreSource(scores=simulate.stats.beta(3, 1))
    p_values = []
    for seed in range(300):
        y, p = source.sample(120, random_state=seed)
        p_values.append(cl.calibration_test(y, p, method=method, n_draws=39, random_state=seed).p_value)
    for level in (0.05, 0.25, 0.5):
        refuted = np.mean(np.array(p_values) <= level)
        assert abs(refuted - level) < 4 * (level * (1 - level) / 300) ** 0.5, (level, refuted)


def test_of_many_classes_a_calibrated_forecast_keeps_the_level_of_the_kernel_test():
    p_values = []
    for seed in range(200):
        _, y, p = simulate.GaussianClasses(4).sample(60, random_state=seed)
        p_values.append(cl.calibration_test(y, p, method="kernel", n_draws=39, random_state=seed).p_value)
    assert abs(np.mean(np.array(p_values) <= 0.25) - 0.25) < 0.12 and 0.4 < np.mean(p_values) < 0.6


@pytest.mark.parametrize("method", METHODS)
def test_a_forecast_that_is_far_off_is_refuted_and_the_direction_does_not_matter(method):
    for temperature in (0.4, 2.5):
        y, p = simulate.ScoreSource(simulate.over_confident(temperature)).sample(800, random_state=1)
        assert cl.calibration_test(y, p, method=method, n_draws=199, random_state=0).p_value <= 0.02


@pytest.mark.parametrize("method", METHODS)
def test_order_of_rows_names_of_events_and_kind_of_input_change_nothing(method, monkeypatch):
    z = RNG.normal(size=50)
    p = 1 / (1 + np.exp(-z))
    y = (RNG.random(50) < p).astype(int)
    found, order = statistic(y, p, method), RNG.permutation(50)
    assert statistic(y[order], p[order], method) == pytest.approx(found, abs=1e-9)
    assert statistic(y, z, method, from_logits=True) == pytest.approx(found, abs=1e-9)
    both = np.column_stack([1 - p, p])
    event = {} if method == "kernel" else {"target": "positive"}
    assert statistic(y, both, method, **event) == pytest.approx(found, abs=1e-9)
    if method not in ("ece", "t-cal", "hosmer-lemeshow", "kolmogorov-smirnov"):  # these go from left to right
        assert statistic(1 - y, 1 - p, method) == pytest.approx(found, abs=1e-9)
    whole = cl.calibration_test(y, p, method=method, n_draws=20, random_state=5)
    monkeypatch.setattr(module, "RESIDUALS_AT_ONCE", 60)
    parts = cl.calibration_test(y, p, method=method, n_draws=20, random_state=5)
    assert parts.statistic == whole.statistic and 0 < parts.p_value <= 1


@pytest.mark.parametrize("method", DRAWN)
def test_a_p_value_counts_the_draws_that_are_as_large_and_the_data(method):
    p = np.array([0.5, 0.5, 0.5, 0.5])
    found = cl.calibration_test([1, 1, 1, 1], p, method=method, n_draws=1000, random_state=0)
    assert found.p_value == pytest.approx(2 / 16, abs=0.04)  # all heads, or all tails


def test_the_result_says_what_was_tested_and_cannot_be_changed():
    y, p = RNG.integers(0, 3, 40), RNG.dirichlet(np.ones(3), 40)
    result = cl.calibration_test(y, p, method="spiegelhalter", target=2)
    assert (result.method, result.event, result.n) == ("spiegelhalter", "class 2", 40)
    assert cl.calibration_test(y, p, method="kernel", n_draws=1).event == "all classes"
    weighted = cl.calibration_test(y, p, sample_weight=np.r_[np.ones(30), np.zeros(10)], n_draws=1)
    plain = cl.calibration_test(y[:30], p[:30], n_draws=1)
    assert (weighted.n, weighted.statistic) == (30, pytest.approx(plain.statistic))
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.n = 3


def test_with_weights_by_class_a_calibrated_forecast_is_refuted_as_often_as_the_level_says():
    rng, refuted = np.random.default_rng(5), 0
    for seed in range(150):
        p = rng.beta(1, 3, 300)
        y = rng.random(300) < p / (p + 10 * (1 - p))
        options = {"n_draws": 19, "random_state": seed, "sample_weight": np.where(y, 10.0, 1.0)}
        refuted += cl.calibration_test(y, p, **options).p_value <= 0.1
    assert refuted / 150 <= 0.19  # 0.1 is meant; with the weights of other labels 0.25 to 0.8
