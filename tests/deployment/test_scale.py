"""Measures and temperatures over blocks: those of arrays in memory, on every scheduler."""

import importlib
import pickle
import sys
from functools import partial

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client
from hypothesis import example, given, settings
from hypothesis import strategies as st

import calibration_lessons as cl
from calibration_lessons.deployment import scale
from tests.calibrators.cases import simulate
from tests.measures import cases
from tests.refusals import refusals, refused

# An older Dask warns where a test names its scheduler while the workers of another wait.
pytestmark = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler", "ignore:bin .* holds")

same = partial(cases.same, rtol=1e-9)
BOTH = [cl.TemperatureScaling, cl.ExpectationConsistency]
both = pytest.mark.parametrize("method", BOTH)
cuts = st.lists(st.one_of(st.integers(0, 2), st.integers(0, 30)), min_size=1, max_size=10)


@pytest.fixture(scope="module")
def client():
    """Two worker processes."""
    with Client(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0) as client:
        yield client


@pytest.fixture(autouse=True)
def synchronous(request):
    """Compute here and now, where a test asks for no other scheduler."""
    with dask.config.set(scheduler="distributed" if "client" in request.fixturenames else "synchronous"):
        yield


def in_blocks(array, sizes):
    """Cut the rows of an array in memory."""
    return da.from_array(array, chunks=(tuple(sizes), *array.shape[1:]))


def of_unknown_length(array):
    """Forget how long the blocks are, as a data frame read from files does."""
    return array[da.ones(len(array), chunks=(array.chunks[0],), dtype=bool)]


def sample(n, n_classes, dtype, seed, from_logits=False):
    """Labels, scores with ties and edges among them, and weights with zeros."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, n_classes)).round(1)
    scores = logits if from_logits else cl.softmax(logits)
    if n_classes == 2 and seed % 2:
        tied = np.where(rng.random(n) < 0.5, scores[:, 1], rng.choice(11, n) / 10)
        scores = logits[:, 1] if from_logits else tied
    return rng.integers(0, n_classes, n), scores.astype(dtype), rng.integers(0, 3, n) / 2


def softmax(logits):
    return logits.map_blocks(cl.softmax, dtype=float, meta=np.empty((0, 0)))


@settings(max_examples=50)
@given(
    sizes=cuts.filter(sum),
    n_classes=st.sampled_from([2, 4]),
    dtype=st.sampled_from([np.float32, np.float64]),
    weighted=st.booleans(),
    from_logits=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_measure_over_any_blocks_is_the_one_in_memory(
    sizes, n_classes, dtype, weighted, from_logits, seed
):
    y, p, w = sample(sum(sizes), n_classes, dtype, seed, from_logits)
    w[seed % len(w)] = 1
    here = {"sample_weight": w if weighted else None}
    blocks = {"sample_weight": in_blocks(w, sizes[::-1]) if weighted else None}
    y_blocks, p_blocks = in_blocks(y, [len(y)]), in_blocks(p, sizes)
    for options in (here, blocks):
        options["from_logits"] = from_logits
    for name in ("brier_score", "negative_log_likelihood"):
        found, expected = getattr(scale, name)(y_blocks, p_blocks, **blocks), getattr(cl, name)(y, p, **here)
        assert found == pytest.approx(expected, rel=1e-9)
    same(scale.reliability_curve(y_blocks, p_blocks, **blocks), cl.reliability_curve(y, p, **here))
    options = {"n_bins": 7, "norm": "l1" if from_logits else "l2", "debias": not weighted}
    for target in (None, "top-label", n_classes - 1, "class-wise"):
        found = scale.expected_calibration_error(y_blocks, p_blocks, target=target, **options, **blocks)
        expected = cl.expected_calibration_error(y, p, target=target, **options, **here)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-7)  # a root of rounding


@both
@settings(max_examples=25)
@given(
    sizes=cuts.map(lambda sizes: [*sizes, 100, *sizes]),
    binary=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
    weight=st.sampled_from([None, 1.0, 1e-300, 1e300]),
)
@example(sizes=[1] * 100, binary=False, dtype=np.float64, weight=1.0)
def test_a_fit_over_any_blocks_is_the_one_in_memory(method, sizes, binary, dtype, weight):
    logits, y = simulate(sum(sizes), 2 if binary else 3, 2.5, seed=sum(sizes))
    X = (logits[:, 1] - logits[:, 0] if binary else logits).astype(dtype)
    w = None if weight is None else weight * (np.arange(len(y)) % 3)
    w_blocks = None if weight is None else in_blocks(w, sizes[::-1])
    expected = method().fit(X, y, w)
    estimator = method()
    fitted = scale.fit(estimator, in_blocks(X, sizes), in_blocks(y, sizes[::-1]), w_blocks)
    assert fitted is estimator
    assert fitted.temperature_ == pytest.approx(expected.temperature_, rel=1e-9, abs=0)
    assert fitted.n_features_in_ == expected.n_features_in_
    assert np.array_equal(fitted.classes_, expected.classes_)
    assert np.allclose(fitted.predict_proba(X), expected.predict_proba(X))


@pytest.mark.kernel
def test_every_scheduler_gives_the_same_numbers_and_names_the_first_of_several_bad_rows(client):
    logits, y = simulate(1200, 4, 1.5)
    X, labels = in_blocks(logits, [200] * 6), in_blocks(y, [400] * 3)
    bad = in_blocks(with_entry(with_entry(P, (7, 0), 2.0), (29, 0), np.nan), [5] * 6)

    def numbers():
        return (
            scale.expected_calibration_error(labels, X, from_logits=True),
            scale.negative_log_likelihood(labels, X, from_logits=True),
            scale.brier_score(labels, softmax(X)),
            scale.fit(cl.TemperatureScaling(), X, labels).temperature_,
        )

    expected = numbers()
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            assert numbers() == pytest.approx(expected, rel=1e-12)
    for scheduler in ("synchronous", "threads", "distributed"):
        with dask.config.set(scheduler=scheduler):
            with pytest.raises(ValueError, match=r"y_prob\[7, 0\] = 2.0: .* \(row 2 of block 1\)"):
                scale.brier_score(Y, bad)


def test_adding_up_changes_no_part_so_that_a_part_may_be_added_again():
    y, p, _ = sample(20, 4, float, 0)
    parts = [[cl.CalibrationAccumulator().update(y[rows], p[rows])] for rows in (slice(10), slice(10, 20))]
    before = pickle.dumps(parts)
    same(scale._merged(*parts)[0].curve(), cl.reliability_curve(y, p))
    assert pickle.dumps(parts) == before


def made_once(made, block, block_info=None):
    made.append(block_info[0]["chunk-location"][0])
    return block


def test_a_measure_makes_each_block_once_even_where_labels_come_from_the_scores():
    logits, _ = simulate(100, 3, 1.5)
    made = []
    source = in_blocks(logits, [10] * 10).map_blocks(
        partial(made_once, made), dtype=float, meta=np.empty((0, 0))
    )
    assert scale.expected_calibration_error(source.argmax(axis=1), softmax(source), target="class-wise") > 0
    assert sorted(made) == list(range(10))


@both
def test_a_fit_is_a_few_passes(method):
    logits, y = simulate(4000, 3, 1.5)
    made = []
    X = in_blocks(logits, [400] * 10).map_blocks(partial(made_once, made), dtype=float, meta=np.empty((0, 0)))
    scale.fit(method(), X, y)
    assert {made.count(block) for block in range(10)} <= {3, 4}


def with_entry(array, row, value):
    changed = array.copy()
    changed[row] = value
    return changed


Y, P, W = sample(30, 3, float, 2)
W += 1
Z = np.log(P)
BAD_ROWS = {
    "probability": ((Y, with_entry(P, (17, 1), 1.5), W), r"y_prob\[17, 1\] = 1.5: expected a probability"),
    "weight": ((Y, P, with_entry(W, 17, np.nan)), r"sample_weight\[17\] is NaN: expected finite numbers"),
}
PLACE = r".* \(row 2 of block 3\)$"
measures = pytest.mark.parametrize(
    "measure", [scale.expected_calibration_error, scale.brier_score, scale.negative_log_likelihood]
)


@measures
@pytest.mark.parametrize("case", BAD_ROWS)
@pytest.mark.parametrize("known", [True, False], ids=["known lengths", "unknown lengths"])
def test_a_bad_row_is_named_in_the_whole_array_and_in_its_block(measure, case, known):
    arrays, message = BAD_ROWS[case]
    arrays = [in_blocks(array, [5, 0, 10, 5, 10]) for array in arrays]
    y, p, w = arrays if known else map(of_unknown_length, arrays)
    with pytest.raises(ValueError, match=message + PLACE):
        measure(y, p, sample_weight=w)


@both
def test_a_bad_row_of_a_fit_is_named_in_the_whole_array_and_in_its_block(method):
    for value, message in [
        ((17, 2), r"X\[17, 2\] = nan: expected a logit below infinity"),
        (17, r"X\[17, 0\] = nan: expected a logit below infinity"),
    ]:
        with pytest.raises(ValueError, match=message + PLACE):
            scale.fit(method(), in_blocks(with_entry(Z, value, np.nan), [5, 0, 10, 5, 10]), Y)
    impossible = with_entry(Z, (17, Y[17]), -np.inf)
    own = rf"X\[17\] has the logit -inf for its own label {Y[17]}: .*"
    with pytest.raises(ValueError, match=own + PLACE):
        scale.fit(method(), in_blocks(impossible, [5, 0, 10, 5, 10]), Y)
    weights = in_blocks(with_entry(W, 17, 0), [30])
    assert scale.fit(method(), in_blocks(impossible, [5, 0, 10, 5, 10]), Y, weights).temperature_ > 0


@pytest.mark.parametrize("method", BOTH)
def test_a_temperature_that_does_not_exist_is_refused_as_in_memory(method):
    right = Z.argmax(axis=1)
    with pytest.raises(ValueError) as here:
        method().fit(Z, right)
    with pytest.raises(ValueError) as blocks:
        scale.fit(method(), in_blocks(Z, [10] * 3), right)
    assert str(here.value) == str(blocks.value)


def test_blocks_of_unknown_length_are_paired_and_their_lengths_compared():
    y, p = (of_unknown_length(in_blocks(array, [5, 0, 10, 15])) for array in (Y, P))
    assert scale.brier_score(y, p) == pytest.approx(cl.brier_score(Y, P), rel=1e-12)
    assert scale.brier_score(in_blocks(Y, [5, 0, 10, 15]), p) == scale.brier_score(y, p)
    scaling, halves = cl.TemperatureScaling, [15, 15]
    binary = scale.fit(scaling(), of_unknown_length(in_blocks(Z[:, 0], halves)), in_blocks(Y == 0, halves))
    assert (binary.n_features_in_, binary.classes_.tolist()) == (1, [0, 1])
    fitted = scale.fit(scaling(), of_unknown_length(in_blocks(Z, halves)), in_blocks(Y, halves))
    assert fitted.temperature_ == pytest.approx(scaling().fit(Z, Y).temperature_, rel=1e-9)


@measures
@refusals("blocks")
def test_what_cannot_be_cut_into_blocks_is_refused_with_the_remedy(measure, kind, start, call):
    refused(kind, start, call, globals() | {"measure": measure, "p": in_blocks(P, [10] * 3)})


@measures
def test_labels_that_are_masked_are_named_in_their_block(measure):
    with pytest.raises(ValueError, match=r"y_true\[\d+\] is masked: .* \(row \d of block \d\)"):
        measure(np.ma.masked_equal(Y, Y[3]), in_blocks(P, [10] * 3))


@refusals("blocks-alone")
def test_what_no_sum_over_blocks_gives_is_refused_by_name(kind, start, call):
    unknown = of_unknown_length(in_blocks(P, [5, 0, 10, 15]))
    given = {"p": in_blocks(P, [10] * 3), "unknown": unknown, "nothing": da.zeros(5, chunks=5)}
    refused(kind, start, call, globals() | given)


def test_without_dask_the_module_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    monkeypatch.delitem(sys.modules, scale.__name__)
    needed = r"deployment.scale needs dask: pip install 'calibration-lessons\[scale\]'"
    with pytest.raises(ImportError, match=needed):
        importlib.import_module(scale.__name__)
