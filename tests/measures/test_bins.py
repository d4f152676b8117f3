"""Bins: their edges are exact, every score falls in the defined one, their sums are those of their rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibration_lessons as cl
from calibration_lessons.book import definitions
from calibration_lessons.measures import bins

from .test_reliability import forecasts

dtypes = pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])


@pytest.mark.equation("eq-bin")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_edge_and_its_neighbours_fall_in_the_defined_bin(dtype):
    for n_bins in range(1, 101):
        edges = cl.measures.bin_edges(n_bins, dtype)
        around = np.concatenate([edges, np.nextafter(edges, dtype(2)), np.nextafter(edges, dtype(-1))])
        scores = around[(around >= 0) & (around <= 1)]
        curve = cl.reliability_curve(np.zeros(len(scores)), scores, n_bins=n_bins)
        expected = [definitions.bin_number(float(p), edges.tolist()) for p in scores]
        assert curve.counts.tolist() == np.bincount(expected, minlength=n_bins + 1)[1:].tolist()


def test_edges_are_the_correctly_rounded_fractions():
    for n_bins in range(1, 101):
        assert cl.measures.bin_edges(n_bins).tolist() == [m / n_bins for m in range(n_bins + 1)]


@given(forecasts())
def test_quantile_bins_hold_their_share_and_keep_equal_scores_together(case):
    outcomes, scores, n_bins = case
    curve = cl.reliability_curve(outcomes, scores, n_bins=n_bins, strategy="quantile")
    assert curve.n == len(scores)
    ranked = np.sort(scores)
    inner = {ranked[-(-len(scores) * m // n_bins) - 1] for m in range(1, n_bins)} - {0.0, 1.0}
    assert curve.edges.tolist() == [0.0, *sorted(inner), 1.0]


@given(forecasts(), st.booleans())
def test_the_variance_of_the_hits_is_the_sum_over_the_rows(case, weighted):
    outcomes, scores, n_bins = case
    w = np.arange(len(scores)) + 1.0
    curve = cl.reliability_curve(outcomes, scores, n_bins=n_bins, sample_weight=w if weighted else None)
    index = np.clip(np.searchsorted(curve.edges, scores) - 1, 0, n_bins - 1)
    for m in range(n_bins):
        p, v = scores[index == m], (w if weighted else np.ones_like(w))[index == m]
        assert curve.hit_variances[m] == pytest.approx((v**2 * p * (1 - p)).sum(), rel=1e-9, abs=1e-12)
        missed = (v**2 * (outcomes[index == m] - p) ** 2).sum()
        assert curve.squared_misses[m] == pytest.approx(missed, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_sums_of_a_bin_are_those_of_its_rows(weighted):
    index, p = np.array([0, 2, 2, 2, 0]), np.array([0.1, 0.7, 0.8, 0.9, 0.2], dtype=np.float32)
    correct = np.array([True, True, False, True, False])
    weights = np.array([2.0, 0.5, 0.0, 3.0, 1.0]) if weighted else None
    sums = bins.bin_sums(index, p, correct, weights, 4)
    assert sums.shape == (5, 4) and sums.dtype == np.float64
    for m in range(4):
        w = [(1.0 if weights is None else float(weights[i]), i) for i in range(5) if index[i] == m]
        assert sums[:, m] == pytest.approx(
            [
                sum(v > 0 for v, _ in w),
                sum(v for v, _ in w),
                sum(v**2 for v, _ in w),
                sum(v * float(p[i]) for v, i in w),
                sum(v * correct[i] for v, i in w),
            ]
        )


@dtypes
@pytest.mark.parametrize("n_bins", [1, 2, 7, 15, 100, 1000, 20_000])
def test_scores_around_every_edge_fall_into_the_bin_that_a_search_finds(n_bins, dtype):
    edges = cl.measures.bin_edges(n_bins, dtype)
    some = edges[:: max(1, n_bins // 500)]
    scores = np.concatenate([some, np.nextafter(some, dtype(0)), np.nextafter(some, dtype(1))])
    scores = np.concatenate([scores, np.random.default_rng(0).random(500).astype(dtype)])
    expected = np.clip(np.searchsorted(edges, scores) - 1, 0, n_bins - 1)
    np.testing.assert_array_equal(bins.uniform_bins(scores, n_bins), expected)
    assert bins.uniform_bins(np.array([0.3], dtype), n_bins).dtype == np.intp
