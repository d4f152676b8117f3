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
    ranked, different = np.sort(scores), sorted(set(scores.tolist()))
    inner = {ranked[-(-len(scores) * m // n_bins) - 1] for m in range(1, n_bins)} - {1.0}
    if len(different) <= n_bins:  # each is a bin of its own, as are the groups of a printed table
        inner = set(different[:-1])
        assert curve.counts.tolist() == np.unique(scores, return_counts=True)[1].tolist()
    assert curve.edges.tolist() == [0.0, *sorted(inner), 1.0]


@given(forecasts(), st.sampled_from([1 / 3, 0.7, 1e6 / 7]), st.randoms(use_true_random=False))
def test_neither_the_unit_of_weights_nor_the_order_of_rows_moves_bins_of_equal_mass(case, unit, random):
    _, scores, n_bins = case
    weight = np.arange(len(scores)) % 4 + 0.5
    order = random.sample(range(len(scores)), len(scores))
    edges = bins.quantile_edges(scores, n_bins, weight)
    assert bins.quantile_edges(scores[order], n_bins, unit * weight[order]).tolist() == edges.tolist()


@given(forecasts(), st.booleans())
def test_what_is_known_of_a_bin_is_a_sum_over_its_rows(case, weighted):
    outcomes, scores, n_bins = case
    w = np.arange(len(scores)) % 4 + (scores == scores[0])
    curve = cl.reliability_curve(outcomes, scores, n_bins=n_bins, sample_weight=w if weighted else None)
    index = np.clip(np.searchsorted(curve.edges, scores) - 1, 0, n_bins - 1)
    for m in range(n_bins):
        p, v = scores[index == m], (w if weighted else np.ones(len(w)))[index == m]
        assert (curve.counts[m], curve.weights[m]) == ((v > 0).sum(), v.sum())
        assert curve.effective_counts[m] == pytest.approx(v.sum() ** 2 / max((v**2).sum(), 1))
        assert np.nan_to_num(curve.confidence[m]) * v.sum() == pytest.approx(v @ p)
        assert np.nan_to_num(curve.accuracy[m]) * v.sum() == pytest.approx(v @ outcomes[index == m])
        assert curve.hit_variances[m] == pytest.approx((v**2 * p * (1 - p)).sum(), rel=1e-9, abs=1e-12)
        missed = (v**2 * (outcomes[index == m] - p) ** 2).sum()
        assert curve.squared_misses[m] == pytest.approx(missed, rel=1e-9, abs=1e-12)


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
