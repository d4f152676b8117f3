"""Smoothing keeps histogram binning and isotonic calibration inside what their rows support."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibration_lessons as cl
from tests.calibrators.cases import scores_and_labels

pytestmark = pytest.mark.filterwarnings("ignore:all (scores|labels) are")


def estimate(hits, rows, m, labels):
    """Cestnik's m-estimate, toward the base rate after Laplace's rule."""
    base_rate = (sum(labels) + 1) / (len(labels) + 2)
    return (hits + m * base_rate) / (rows + m)


@given(scores_and_labels(), st.sampled_from([0.5, 2.0, 7.0]))
def test_a_bin_says_the_m_estimate_of_its_rows(sample, m):
    scores, labels = sample
    for strategy in ("uniform", "quantile"):
        plain = cl.HistogramBinning(4, strategy).fit(scores, labels)
        smooth = cl.HistogramBinning(4, strategy, smoothing=m).fit(scores, labels)
        filled = plain.counts_ > 0
        hits = plain.values_ * plain.counts_
        expected = estimate(hits[filled], plain.counts_[filled], m, labels)
        assert smooth.values_[filled] == pytest.approx(expected, rel=1e-12)
        assert np.array_equal(smooth.values_[~filled], plain.values_[~filled])


@given(scores_and_labels(), st.sampled_from([0.5, 2.0, 7.0]))
def test_the_rising_curve_ends_where_the_best_supported_ends_of_the_rows_do(sample, m):
    scores, labels = sample
    plain, smooth = (cl.IsotonicCalibration(smoothing=one).fit(scores, labels) for one in (0.0, m))
    cuts = np.unique(scores)
    low = min(estimate(labels[scores <= cut].sum(), (scores <= cut).sum(), m, labels) for cut in cuts)
    high = max(estimate(labels[scores >= cut].sum(), (scores >= cut).sum(), m, labels) for cut in cuts)
    assert 0 < low <= high < 1
    assert smooth.values_ == pytest.approx(plain.values_.clip(low, high), rel=1e-12)
    assert np.array_equal(smooth.thresholds_, plain.thresholds_)


def test_without_smoothing_nothing_changes_and_two_rows_are_laplaces_rule_where_classes_are_balanced():
    scores, labels = np.arange(10.0), np.repeat([0, 1], 5)
    assert cl.IsotonicCalibration().fit(scores, labels).values_.tolist()[0] == 0
    smooth = cl.IsotonicCalibration(smoothing=2).fit(scores, labels)
    assert smooth.values_[[0, -1]] == pytest.approx([1 / 7, 6 / 7])
    halves = cl.HistogramBinning(2, "quantile", smoothing=2).fit(scores, labels)
    assert halves.values_ == pytest.approx([1 / 7, 6 / 7])
