"""The Brier score taken apart: definitions, the identity, known truth, published values, bad input."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import calibration_lessons as cl
from calibration_lessons.book import datasets, definitions
from tests.measures.cases import columns, free_rows, tied_rows

weight_lists = st.lists(st.floats(0, 10), min_size=60, max_size=60)
FEW_ROWS = "ignore:y_prob has .* distinct values"


@pytest.mark.equation("eq-brier-decomposition", "eq-brier-corrected")
@pytest.mark.filterwarnings(FEW_ROWS)
@given(tied_rows)
def test_the_parts_by_distinct_value_are_the_defined_ones(rows):
    y, p = columns(rows)
    parts = cl.brier_decomposition(y, p)
    assert parts[:3] == pytest.approx(definitions.brier_decomposition(y, p.tolist()), abs=1e-12)
    assert parts.within_bin == 0
    corrected = definitions.brier_reliability_corrected(y, p.tolist())
    assert parts.reliability_corrected == pytest.approx(corrected, abs=1e-12)


@pytest.mark.equation("eq-brier-within-bin")
@given(free_rows, st.integers(1, 12), st.sampled_from([np.float32, np.float64]))
def test_the_term_within_the_bins_is_the_defined_one(rows, n_bins, dtype):
    y, p = columns(rows)
    p = p.astype(dtype)
    edges = cl.measures.bin_edges(n_bins, dtype).tolist()
    defined = definitions.brier_within_bin(y.tolist(), p.tolist(), edges)
    assert cl.brier_decomposition(y, p, n_bins=n_bins).within_bin == pytest.approx(defined, abs=1e-12)


@pytest.mark.filterwarnings(FEW_ROWS)
@given(free_rows, st.none() | st.integers(1, 30), weight_lists)
def test_the_parts_add_up_to_the_score_with_weights_and_bins(rows, n_bins, weights):
    y, p = columns(rows)
    w = np.array(weights[: len(y)])
    w[0] += 1
    for sample_weight in (None, w):
        parts = cl.brier_decomposition(y, p, n_bins=n_bins, sample_weight=sample_weight)
        assert parts.score == pytest.approx(cl.brier_score(y, p, sample_weight=sample_weight), abs=1e-12)


@pytest.mark.filterwarnings(FEW_ROWS)
@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 30), st.integers(2, 5)), elements=st.floats(-9, 9)),
    st.none() | st.integers(1, 10),
    st.randoms(use_true_random=False),
)
def test_classes_are_split_one_by_one_and_summed(logits, n_bins, random):
    p = cl.softmax(logits)
    y = np.array([random.randrange(p.shape[1]) for _ in p])
    parts = cl.brier_decomposition(y, p, n_bins=n_bins)
    alone = [cl.brier_decomposition(y == k, p[:, k], n_bins=n_bins) for k in range(p.shape[1])]
    assert parts == pytest.approx(np.sum(alone, axis=0), abs=1e-12)
    assert parts.score == pytest.approx(cl.brier_score(y, p), abs=1e-12)


def test_equal_weights_change_nothing():
    y, p = [0, 1, 1, 0, 1, 1], [0.2, 0.2, 0.2, 0.7, 0.7, 0.7]
    assert cl.brier_decomposition(y, p, sample_weight=[1e-200] * 6) == pytest.approx(
        cl.brier_decomposition(y, p)
    )


def test_the_precipitation_table_has_its_published_parts():
    forecast, frequency, share = datasets.precipitation_forecasts()
    rained = np.repeat([1, 0], len(forecast))
    weights = np.concatenate([share * frequency, share * (1 - frequency)])
    parts = cl.brier_decomposition(rained, np.tile(forecast, 2), sample_weight=weights)
    published = {"reliability": 0.00083, "resolution": 0.06279, "uncertainty": 0.13542, "score": 0.07346}
    for part, value in published.items():
        assert getattr(parts, part) == pytest.approx(value, abs=5e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_correction_removes_the_bias_of_reliability(weighted):
    rng = np.random.default_rng(0)
    p = np.repeat([0.1, 0.4, 0.6, 0.9], [5, 10, 20, 15])
    truth = np.clip(p + 0.05, 0, 1)
    w = rng.uniform(0.2, 3, len(p)) if weighted else None
    share = np.ones(len(p)) if w is None else w
    true_reliability = np.average((p - truth) ** 2, weights=share)
    draws = [cl.brier_decomposition(rng.random(len(p)) < truth, p, sample_weight=w) for _ in range(4000)]
    plain = np.array([d.reliability for d in draws])
    corrected = np.array([d.reliability_corrected for d in draws])
    error = corrected.std() / math.sqrt(len(draws))
    assert plain.mean() - true_reliability > 20 * error
    assert abs(corrected.mean() - true_reliability) < 4 * error


def test_distinct_forecasts_are_reported_for_what_they_do_to_the_parts():
    y, p = [0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4]
    with pytest.warns(UserWarning, match="y_prob has 4 distinct values in 4 rows"):
        parts = cl.brier_decomposition(y, p)
    assert parts.reliability == pytest.approx(cl.brier_score(y, p))
    assert parts.resolution == pytest.approx(parts.uncertainty)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cl.brier_decomposition(y, [0.1, 0.1, 0.3, 0.3])
        cl.brier_decomposition(y, p, n_bins=2)
