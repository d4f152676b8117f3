"""What chance does to a binned error: draws from sums against draws row by row, and p-values."""

import numpy as np
import pytest
from scipy.stats import beta, ks_2samp

import calibration_lessons as cl
from calibration_lessons.measures import chance

SCORES = {"uniform": beta(1, 1), "network-like": beta(20, 1), "rare events": beta(1, 50)}


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("source", SCORES)
@pytest.mark.parametrize(("n", "tolerance"), [(20, 0.04), (100, 0.04), (1000, 0.03)])
@pytest.mark.parametrize("n_bins", [1, 15])
def test_draws_from_sums_have_the_mean_and_the_tail_of_draws_row_by_row(norm, source, n, tolerance, n_bins):
    p = SCORES[source].rvs(n, random_state=n)
    by_rows = cl.ece_under_calibration(p, n_bins=n_bins, norm=norm, n_draws=6000, random_state=0)
    curve = cl.reliability_curve(np.zeros(n), p, n_bins=n_bins)
    by_sums = curve.under_calibration(norm, n_draws=6000, random_state=1)
    assert by_sums.mean == pytest.approx(by_rows.mean, rel=tolerance)
    assert by_sums.quantile(0.95) == pytest.approx(by_rows.quantile(0.95), rel=0.2 if n == 20 else 0.12)


@pytest.mark.parametrize("rows", [[1, 2, 1], [3, 10, 40]])
def test_draws_from_sums_are_exact_where_the_scores_of_a_bin_are_equal(rows):
    p = np.repeat([0.03, 0.5, 0.9], rows)
    by_rows = cl.ece_under_calibration(p, n_bins=3, n_draws=20_000, random_state=0)
    by_sums = cl.reliability_curve(p > 0.4, p, n_bins=3).under_calibration(n_draws=20_000, random_state=1)
    assert ks_2samp(by_rows.values.round(9), by_sums.values.round(9)).pvalue > 0.001


def test_the_drawn_gaps_have_the_given_variance_whatever_number_of_rows_it_asks_for():
    confidence, variance = np.array([0.3, 0.5, 0.9, 0.2, 1.0]), np.array([0.14, 0.09, 1e-6, 0.0, 0.0])
    gaps = chance.drawn_gaps(confidence, variance, 40_000, 0)
    assert gaps.shape == (40_000, 5)
    np.testing.assert_allclose(gaps.var(axis=0), variance, rtol=0.03)
    np.testing.assert_allclose(gaps.mean(axis=0), 0, atol=4 * np.sqrt(variance.max() / 40_000))


def test_the_unit_of_the_weights_does_not_move_the_draws_and_empty_bins_add_nothing():
    p = np.repeat([0.1, 0.4], 10)
    plain, heavy = (
        cl.reliability_curve(np.zeros(20), p, sample_weight=w).under_calibration(n_draws=50, random_state=3)
        for w in (None, np.full(20, 1e6))
    )
    np.testing.assert_allclose(plain.values, heavy.values, rtol=1e-9, atol=1e-15)
    assert cl.reliability_curve([0, 1], [0.0, 1.0]).under_calibration(n_draws=5).values.tolist() == [0.0] * 5


def test_a_p_value_counts_the_draws_at_and_above_the_error_and_the_error_itself():
    null = cl.measures.ECENull(np.array([0.1, 0.2, 0.2, 0.3]))
    assert [null.p_value(ece) for ece in (0, 0.15, 0.2, 0.25, 1)] == [1, 0.8, 0.8, 0.4, 0.2]
    assert null.p_value(0.1 + 0.2) == 0.4  # the draw of 0.3 is as large, but for rounding
    assert null.mean == pytest.approx(0.2) and null.quantile(0.5) == pytest.approx(0.2)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_spread_of_the_forecasts_is_that_of_each_row_s_share_in_the_error(norm):
    p = np.r_[np.linspace(0.52, 0.58, 30), np.linspace(0.71, 0.79, 20)]
    curve = cl.reliability_curve(np.ones(50), p, n_bins=10)
    gap = np.repeat(curve.gaps[[5, 7]], [30, 20])
    rows = 1 - p if norm == "l1" else gap**2 + 2 * gap * (1 - p - gap)
    assert curve.filled().spread_of_forecasts(norm) == pytest.approx(rows.std(), rel=1e-9)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_a_small_sample_with_a_lucky_error_does_not_look_certain(norm):
    p = np.repeat([0.5, 0.25, 0.75, 0.02], [2, 4, 4, 4])
    y = [0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0]
    null = cl.ece_under_calibration(p, norm=norm, random_state=0)
    assert cl.expected_calibration_error(y, p, norm=norm) < null.mean / 10
    low, high = cl.ece_interval(y, p, norm=norm)
    assert low == 0 and null.mean < high < 0.6
