"""A reliability curve gathered batch by batch: equal to the curve of all rows at once."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibration_lessons as cl
from tests.measures.cases import same

batches = st.lists(st.integers(1, 40), min_size=1, max_size=6)


def rows(rng, n, n_classes, dtype):
    if n_classes == 1:
        edges = cl.measures.bin_edges(10, dtype)
        p = np.where(rng.random(n) < 0.5, rng.choice(edges, n), rng.random(n).astype(dtype)).astype(dtype)
        return (rng.random(n) < 0.5).astype(int), p
    p = rng.dirichlet(np.ones(n_classes), n).astype(dtype)
    return rng.integers(0, n_classes, n), p


@given(
    batches,
    st.sampled_from([(1, None), (1, "top-label"), (1, 0), (2, "positive"), (4, None), (4, 2)]),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([1, 10, 15]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_batches_streamed_or_merged_equal_the_curve_of_all_rows(sizes, task, dtype, n_bins, weighted, seed):
    rng = np.random.default_rng(seed)
    n_classes, target = task
    parts = [rows(rng, n, n_classes, dtype) for n in sizes]
    weights = [rng.uniform(0.1, 2, n) if weighted else None for n in sizes]
    y, p = (np.concatenate(column) for column in zip(*parts, strict=True))
    w = np.concatenate(weights) if weighted else None
    expected = cl.reliability_curve(y, p, n_bins=n_bins, target=target, sample_weight=w)
    stream, merged = (cl.CalibrationAccumulator(n_bins, target) for _ in range(2))
    for part, weight in zip(parts, weights, strict=True):
        stream.update(*part, sample_weight=weight)
        merged.merge(cl.CalibrationAccumulator(n_bins, target).update(*part, sample_weight=weight))
    same(stream.curve(), expected)
    same(merged.curve(), expected)


def test_rows_without_weights_count_one_beside_weighted_ones():
    mixed = cl.CalibrationAccumulator(2).update([0, 1], [0.2, 0.9]).update([1], [0.3], sample_weight=[2.0])
    same(mixed.curve(), cl.reliability_curve([0, 1, 1], [0.2, 0.9, 0.3], n_bins=2, sample_weight=[1, 1, 2]))


def test_a_batch_may_weigh_nothing_but_all_batches_together_may_not():
    weightless = cl.CalibrationAccumulator(2).update([0, 1], [0.2, 0.9], sample_weight=[0.0, 0.0])
    with pytest.raises(ValueError, match="sample_weight is zero everywhere"):
        weightless.curve()
    expected = cl.reliability_curve([0, 1, 1], [0.2, 0.9, 0.3], n_bins=2, sample_weight=[0, 0, 2])
    same(weightless.update([1], [0.3], sample_weight=[2.0]).curve(), expected)


def test_a_batch_that_comes_twice_is_noticed():
    y, p = rows(np.random.default_rng(0), 90, 1, np.float64)
    parts = [cl.CalibrationAccumulator().update(y[i : i + 30], p[i : i + 30]) for i in (0, 30, 60)]
    for i in (0, 60):  # a loop that begins again, and a batch that is delivered twice
        seen = cl.CalibrationAccumulator()
        for begin in (0, 30, 60):
            seen.update(y[begin : begin + 30], p[begin : begin + 30])
        with pytest.warns(UserWarning, match="^y_prob holds the rows that came first or last"):
            seen.update(y[i : i + 30], p[i : i + 30])
        with pytest.warns(UserWarning, match="^other holds the rows that came first or last"):
            pickle.loads(pickle.dumps(parts[i // 30].merge(parts[1]))).merge(parts[1])


def test_a_batch_of_another_kind_is_refused_and_adds_nothing():
    accumulator = cl.CalibrationAccumulator(3).update([1], np.array([0.5]))
    other = cl.CalibrationAccumulator(3).update([1], [[0.2, 0.3, 0.5]])
    for add in (
        lambda: accumulator.update([1], np.array([0.5], dtype=np.float32)),
        lambda: accumulator.update([1], [[0.2, 0.3, 0.5]]),
        lambda: accumulator.update([1], [2.0]),
        lambda: accumulator.merge(other),
    ):
        with pytest.raises(cl.Refusal):
            add()
    assert accumulator.curve().n == 1


def test_an_empty_accumulator_has_no_curve_but_may_be_merged():
    filled = cl.CalibrationAccumulator().update([1], [0.5])
    same(cl.CalibrationAccumulator().merge(filled).curve(), filled.merge(cl.CalibrationAccumulator()).curve())


def test_an_accumulator_shows_its_bins_its_target_and_how_many_rows_it_has_seen():
    seen = cl.CalibrationAccumulator(3, "positive").update([0, 1], [0.2, 0.9], sample_weight=[0.5, 2.5])
    assert repr(seen) == "<CalibrationAccumulator(n_bins=3, target='positive') of 2 rows>"


def test_a_curve_is_a_snapshot():
    accumulator = cl.CalibrationAccumulator(3).update([1], [0.5])
    before = accumulator.curve()
    accumulator.update([0], [0.5])
    assert before.n == 1 and before.weights[1] == 1
    accumulator.curve().weights[:] = 9
    assert accumulator.curve().weights[1] == 2
