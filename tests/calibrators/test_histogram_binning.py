"""Histogram binning: definitions, both kinds of bins, the edges, the empty bins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibration_lessons as cl
from calibration_lessons.book import definitions
from tests.calibrators.cases import scores_and_labels

pytestmark = pytest.mark.filterwarnings("ignore:all (scores|labels) are:UserWarning")
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def assert_bins_are_defined_ones(fitted, scores, labels, edges):
    numbers = [definitions.bin_number(s, edges) for s in scores]
    for m, (value, count) in enumerate(zip(fitted.values_, fitted.counts_, strict=True), start=1):
        assert count == numbers.count(m)
        if count:
            assert value == pytest.approx(definitions.bin_value(labels, scores, edges, m), rel=1e-12)
    assert fitted.predict_proba(scores)[:, 1].tolist() == [fitted.values_[m - 1] for m in numbers]


@pytest.mark.equation("eq-histogram-binning")
@dtypes
@given(st.data())
def test_bins_of_equal_width_hold_the_mean_labels(dtype, data):
    n_bins = data.draw(st.integers(1, 20))
    edges = cl.measures.bin_edges(n_bins, dtype)
    near = [np.nextafter(edge, end) for edge in edges for end in (dtype(0), edge, dtype(1))]
    scores, labels = data.draw(scores_and_labels(st.sampled_from(near), dtype))
    assert_bins_are_defined_ones(cl.HistogramBinning(n_bins).fit(scores, labels), scores, labels, edges)


@dtypes
@given(st.data())
def test_bins_of_equal_mass_hold_the_mean_labels_and_are_never_empty(dtype, data):
    n_bins = data.draw(st.integers(1, 20))
    tenths = st.integers(-20, 20).map(lambda tenth: dtype(tenth / 10))
    scores, labels = data.draw(scores_and_labels(tenths, dtype))
    fitted = cl.HistogramBinning(n_bins, strategy="quantile").fit(scores, labels)
    assert_bins_are_defined_ones(fitted, scores, labels, fitted.edges_)
    assert fitted.counts_.min() > 0
    assert fitted.predict_proba([-1e9, 1e9])[:, 1].tolist() == fitted.values_[[0, -1]].tolist()


def test_an_empty_bin_keeps_its_centre_so_a_forecast_moves_by_half_a_bin_at_most():
    fitted = cl.HistogramBinning(n_bins=10).fit([0.05, 0.06], [1, 0])
    assert fitted.values_.tolist() == [0.5, *((np.arange(1, 10) + 0.5) / 10)]
    elsewhere = np.linspace(0.11, 1, 50)
    assert abs(fitted.predict_proba(elsewhere)[:, 1] - elsewhere).max() <= 0.05 + 1e-12
    with_weights = cl.HistogramBinning(n_bins=2).fit([0.1, 0.2, 0.9], [0, 1, 0], [1, 3, 0])
    assert with_weights.values_.tolist() == [0.75, 0.75]
    assert with_weights.counts_.tolist() == [2, 0]


def test_double_and_single_precision_of_one_score_may_be_mixed():
    fitted = cl.HistogramBinning(n_bins=10).fit(np.float32([0.1, 0.3, 0.7]), [0, 1, 1])
    single = fitted.predict_proba(np.float32([0.1, 0.2, 0.3]))
    assert np.array_equal(single, fitted.predict_proba([0.1, 0.2, 0.3]))
