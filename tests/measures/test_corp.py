"""The best increasing recalibration: the defined parts, weights as repetition, and a band that covers."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

import calibration_lessons as cl
from calibration_lessons.book import definitions
from tests.measures.cases import columns, free_rows, tied_rows


@pytest.mark.equation("eq-corp")
@given(tied_rows | free_rows)
@example([(True, 0.0)] * 5 + [(True, p) for p in (1.0, 0.5, 0.75, 0.625)])  # shares sum to 1 + 2e-16
def test_corp_is_the_difference_of_the_defined_scores(rows):
    y, p = columns(rows)
    p = np.round(p, 9)  # scikit-learn pools scores that differ by less than 1e-15
    pooled = IsotonicRegression().fit(p, y).predict(p).tolist()
    parts = cl.corp_decomposition(y, p)
    assert parts == pytest.approx(definitions.corp_decomposition(y.tolist(), p.tolist(), pooled), abs=1e-9)
    assert parts.score == pytest.approx(cl.brier_score(y, p), abs=1e-12)
    assert min(parts) >= 0


@pytest.mark.equation("eq-log-split")
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6)), min_size=5, max_size=5), st.integers(0, 9))
def test_the_log_loss_splits_as_defined_where_frequencies_rise_with_the_forecasts(counts, seed):
    groups = sorted((min(hits, n) / n, min(hits, n), n) for hits, n in counts)
    said = np.sort(np.random.default_rng(seed).uniform(0.01, 0.99, 5)).tolist()
    y = [int(i < hits) for _, hits, n in groups for i in range(n)]
    p = [f for f, (_, _, n) in zip(said, groups, strict=True) for _ in range(n)]
    parts = cl.corp_decomposition(y, p, score="log")
    refinement = parts.uncertainty - parts.discrimination
    assert (parts.miscalibration, refinement) == pytest.approx(definitions.log_loss_split(y, p), abs=1e-9)


@given(tied_rows | free_rows, st.floats(0.05, 0.95))
def test_the_parts_of_the_log_loss_add_up_and_no_rising_map_scores_better_by_any_proper_score(rows, cut):
    y, p = columns(rows)
    parts, curve = cl.corp_decomposition(y, p, score="log"), cl.corp_curve(y, p)
    assert parts.score == pytest.approx(cl.negative_log_likelihood(y, p), abs=1e-9) and min(parts) >= 0
    assert cl.corp_decomposition(y, p, score="brier") == cl.corp_decomposition(y, p)
    weight = 1 + np.arange(len(y))
    parts = cl.corp_decomposition(y, p, score="log", sample_weight=weight)
    assert parts.score == pytest.approx(cl.negative_log_likelihood(y, p, sample_weight=weight), abs=1e-9)

    def cost(warned):  # of a false alarm and of a miss, for those who warn from a probability of `cut` on
        return np.mean(np.where(warned, (1 - y) * cut, y * (1 - cut)))

    rising = min(cost(p >= threshold) for threshold in [*p, 2.0])
    assert cost(curve.recalibrated[np.searchsorted(curve.forecast, p)] >= cut) <= rising + 1e-12


def test_a_label_that_was_ruled_out_makes_the_log_loss_and_its_miscalibration_infinite_alone():
    parts = cl.corp_decomposition([1, 0, 1], [0.0, 0.2, 0.9], score="log")
    assert parts.miscalibration == np.inf and np.isfinite(parts[1:]).all() and parts.score == np.inf


@given(tied_rows)
def test_the_curve_has_one_increasing_entry_for_each_distinct_forecast(rows):
    y, p = columns(rows)
    curve = cl.corp_curve(y, p)
    assert curve.forecast.tolist() == sorted(set(p))
    assert (np.diff(curve.recalibrated) >= 0).all()
    assert curve.counts.tolist() == [int((p == f).sum()) for f in curve.forecast]
    assert curve.frequency == pytest.approx([y[p == f].mean() for f in curve.forecast])
    assert curve.weights.tolist() == curve.effective_counts.tolist() == curve.counts.tolist()
    pooled = IsotonicRegression().fit(p, y).predict(curve.forecast)
    assert curve.recalibrated == pytest.approx(pooled, abs=1e-9)


def test_the_effective_rows_of_a_forecast_are_those_of_kish():
    curve = cl.corp_curve([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.7], sample_weight=[1, 3, 0, 5])
    assert curve.counts.tolist() == [2, 1]
    assert curve.weights.tolist() == [4, 5]
    assert curve.effective_counts == pytest.approx([1.6, 1])


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_band_holds_a_calibrated_forecaster_as_often_as_it_says(level):
    rng = np.random.default_rng(0)
    forecast = np.repeat(np.linspace(0.05, 0.95, 19), 30)
    held = []
    for seed in range(60):
        curve = cl.corp_curve(rng.random(len(forecast)) < forecast, forecast)
        low, high = curve.band(level, n_draws=200, random_state=seed)
        held.append(((low <= curve.recalibrated) & (curve.recalibrated <= high)).mean())
    assert np.mean(held) == pytest.approx(level, abs=0.035)
    assert (high - low).max() < 0.4
