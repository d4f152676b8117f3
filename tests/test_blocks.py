"""The chunked passes: no border between blocks and no layout of the classes shows; fits need few passes."""

import math

import numpy as np
import pytest

import calibration_lessons as cl
from calibration_lessons import _blocks

BLOCK_ROWS = _blocks.BLOCK // 8  # of a 1-D array in float64
ROWS = BLOCK_ROWS + 7  # two blocks of a 1-D array, more of a 2-D one


def forecasts(n, n_classes, seed=0):
    """Probabilities with ties and labels, for any number of classes."""
    generator = np.random.default_rng(seed)
    counts = generator.integers(1, 4, (n, n_classes)).astype(float)
    return counts / counts.sum(axis=1, keepdims=True), generator.integers(0, n_classes, n)


@pytest.mark.parametrize("n_classes", [2, _blocks.FEW - 1, _blocks.FEW])
def test_a_curve_over_many_blocks_adds_up_those_of_its_parts(n_classes):
    p, labels = forecasts(ROWS, n_classes)
    whole = cl.reliability_curve(labels, p)
    parts = [cl.reliability_curve(labels[cut], p[cut]) for cut in (slice(0, 1000), slice(1000, None))]
    assert whole.counts.tolist() == (parts[0].counts + parts[1].counts).tolist()
    hits = [np.nan_to_num(part.accuracy) * part.counts for part in parts]
    assert np.nan_to_num(whole.accuracy) * whole.counts == pytest.approx(hits[0] + hits[1])
    assert whole.hit_variances == pytest.approx(sum(part.hit_variances for part in parts))


@pytest.mark.parametrize("row", [BLOCK_ROWS - 1, BLOCK_ROWS, ROWS - 1])
def test_a_bad_number_is_named_by_its_row_in_the_whole_array(row):
    labels = np.zeros(ROWS, dtype=int)
    p = np.full((ROWS, 2), 0.5)
    for function in (cl.reliability_curve, cl.brier_score, cl.negative_log_likelihood):
        p[row] = 1.5, -0.5
        with pytest.raises(ValueError, match=rf"y_prob\[{row}, 0\] = 1.5: expected a probability"):
            function(labels, p)
        p[row] = 0.5, 0.25
        with pytest.raises(ValueError, match=rf"y_prob\[{row}\] sums to 0.75"):
            function(labels, p)
    logits = np.zeros((ROWS, 2))
    logits[row, 1] = np.nan
    with pytest.raises(ValueError, match=rf"y_prob\[{row}, 1\] = nan: expected a logit"):
        cl.expected_calibration_error(labels, logits, from_logits=True)
    logits[row] = -np.inf
    with pytest.raises(ValueError, match=rf"y_prob\[{row}\] is -inf in every class"):
        cl.expected_calibration_error(labels, logits, from_logits=True)


def test_the_passes_over_many_rows_keep_their_temporary_arrays_small():
    import tracemalloc

    scores = np.random.default_rng(3).random(300_000)
    p, labels = np.stack([1 - scores, scores], axis=1), (scores > 0.4).astype(np.int64)
    log_odds = np.log(scores / (1 - scores))
    for call in (
        lambda: cl.reliability_curve(labels, scores),
        lambda: cl.expected_calibration_error(labels, p),
        lambda: cl.brier_score(labels, p),
        lambda: cl.PlattScaling().fit(log_odds, labels),
    ):
        tracemalloc.start()
        call()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 4 * 2**20


# Against loops over rows and classes: few columns and many, one block and several, ties.

SHAPES = {"few classes": (50, 3), "many classes": (30, 80), "blocks": (500, 90), "few, blocks": (20_000, 3)}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_measures_of_logits_and_of_probabilities_are_those_of_loops_over_the_rows(shape, dtype):
    rng = np.random.default_rng(0)
    z, labels = rng.integers(-4, 4, shape).astype(dtype), rng.integers(0, shape[1], shape[0])
    powers = [[math.exp(v) for v in row] for row in z.tolist()]
    p = [[e / math.fsum(row) for e in row] for row in powers]
    hits = [row.index(max(row)) == label for row, label in zip(z.tolist(), labels, strict=True)]
    squares = [math.fsum(q * q for q in row) - 2 * row[y] + 1 for row, y in zip(p, labels, strict=True)]
    exact = np.float64(p)
    for forecast, options in ((z, {"from_logits": True}), (exact, {}), (np.asfortranarray(exact), {})):
        top, one = (cl.reliability_curve(labels, forecast, n_bins=1, target=k, **options) for k in (None, 1))
        assert top.confidence[0] == pytest.approx(math.fsum(map(max, p)) / len(p), rel=2e-6)
        assert top.accuracy[0] == pytest.approx(sum(hits) / len(p), rel=1e-12)
        assert one.confidence[0] == pytest.approx(math.fsum(row[1] for row in p) / len(p), rel=1e-12)
        score = cl.brier_score(labels, forecast, **options)
        assert score == pytest.approx(math.fsum(squares) / len(p), rel=1e-12)


def test_rows_far_apart_keep_their_own_maximum():
    z, options = np.array([[900.0, 901.0], [-900.0, -899.0]]), {"from_logits": True, "n_bins": 1}
    for target, chance in ((None, 1 / (1 + math.exp(-1))), (0, 1 / (1 + math.e))):
        curve = cl.reliability_curve([1, 0], z, target=target, **options)
        assert curve.confidence[0] == pytest.approx(chance, rel=1e-12)
