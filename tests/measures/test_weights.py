"""A weight counts as so many rows, in each measure whose value does not ask how many rows they were."""

import numpy as np
import pytest
from hypothesis import given

import calibration_lessons as cl
from tests.measures.cases import columns, free_rows, repeats, tied_rows


def curve(y, p, **options):
    found = cl.reliability_curve(y, p, n_bins=4, **options)
    parts = found.edges, found.weights, found.accuracy, found.confidence
    return np.nan_to_num(np.concatenate(parts))


def corp(y, p, **options):
    found = cl.corp_curve(y, p, **options)
    return np.concatenate([found.forecast, found.recalibrated, found.frequency, found.weights])


MEASURES = {
    "bins of equal width": curve,
    "bins of equal mass": lambda *rows, **w: curve(*rows, strategy="quantile", **w),
    "Brier score": cl.brier_score,
    "Brier score of two classes": lambda y, p, **w: cl.brier_score(y, np.column_stack([1 - p, p]), **w),
    "likelihood": cl.negative_log_likelihood,
    "Brier score by forecasts": lambda *rows, **w: cl.brier_decomposition(*rows, **w)[:4],
    "Brier score by bins": lambda *rows, **w: cl.brier_decomposition(*rows, n_bins=4, **w)[:4],
    "best recalibration": corp,
    "parts without bins": cl.corp_decomposition,
    "net benefit": lambda *rows, **w: cl.net_benefit(*rows, [0.2, 0.5], **w),
    "mean cost": lambda y, p, **w: cl.decisions.mean_cost(y, p > 0.5, [[0, 1], [4, 0]], **w),
}


@pytest.mark.filterwarnings("ignore:y_prob has .* distinct values")
@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@given(tied_rows | free_rows, repeats)
def test_a_weight_counts_as_so_many_rows(measure, rows, times):
    y, p = columns(rows)
    weight = np.array(times[: len(y)])
    weight[0] += 1
    repeated = np.repeat(y, weight), np.repeat(p, weight)
    assert measure(y, p, sample_weight=weight) == pytest.approx(measure(*repeated), abs=1e-12)
