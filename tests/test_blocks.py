"""The chunked passes: no border between blocks and no layout of the classes shows; fits need few passes."""

import subprocess
import sys

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


def test_blocks_hold_every_row_once_in_order():
    for shape in [(1,), (ROWS,), (100, 10), (5, 3 * BLOCK_ROWS)]:
        array = np.empty(shape, dtype=np.int8)
        rows = np.concatenate([np.arange(len(array))[block] for block in _blocks.row_blocks(array)])
        assert rows.tolist() == list(range(len(array)))


@pytest.mark.parametrize("n_classes", [2, _blocks.FEW - 1, _blocks.FEW, _blocks.FEW + 1])
def test_the_first_of_tied_classes_is_the_prediction_in_either_layout(n_classes):
    p, labels = forecasts(500, n_classes)
    highest, hits = _blocks.top_label(p, labels)
    assert highest.tolist() == p.max(axis=1).tolist()
    assert hits.tolist() == (p.argmax(axis=1) == labels).tolist()


@pytest.mark.parametrize("n_classes", [2, _blocks.FEW - 1, _blocks.FEW])
def test_a_curve_over_many_blocks_adds_up_those_of_its_parts(n_classes):
    p, labels = forecasts(ROWS, n_classes)
    whole = cl.reliability_curve(labels, p)
    parts = [cl.reliability_curve(labels[cut], p[cut]) for cut in (slice(0, 1000), slice(1000, None))]
    assert whole.counts.tolist() == (parts[0].counts + parts[1].counts).tolist()
    hits = [np.nan_to_num(part.accuracy) * part.counts for part in parts]
    assert np.nan_to_num(whole.accuracy) * whole.counts == pytest.approx(hits[0] + hits[1])
    assert whole.hit_variances == pytest.approx(sum(part.hit_variances for part in parts))


def test_one_row_before_and_after_the_border_of_a_block_falls_in_its_bin():
    scores = np.full(ROWS, 0.05)
    scores[BLOCK_ROWS - 1], scores[BLOCK_ROWS] = 0.95, 0.2
    counts = cl.reliability_curve(np.zeros(ROWS, dtype=int), scores, n_bins=10).counts
    assert counts.tolist() == [ROWS - 2, 1, 0, 0, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("row", [BLOCK_ROWS - 1, BLOCK_ROWS, ROWS - 1])
def test_a_bad_number_is_named_by_its_row_in_the_whole_array(row):
    labels = np.zeros(ROWS, dtype=int)
    p = np.full((ROWS, 2), 0.5)
    for function in (cl.reliability_curve, cl.brier_score):
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


@pytest.mark.parametrize("n_classes", [3, _blocks.FEW])
@pytest.mark.parametrize(
    ("dtype", "precision"), [(np.float16, 1e-6), (np.float32, 1e-6), (np.float64, 1e-12)]
)
def test_the_confidence_of_logits_is_the_largest_softmax_to_the_precision_of_their_type(
    n_classes, dtype, precision
):
    generator = np.random.default_rng(1)
    logits = (5 * generator.standard_normal((200, n_classes))).astype(dtype)
    logits[0, 1], logits[1] = -np.inf, 0
    labels = generator.integers(0, n_classes, 200)
    confidence, hits = _blocks.top_label_of_logits(logits, labels)
    assert confidence.dtype == np.float64
    assert confidence == pytest.approx(cl.softmax(logits).max(axis=1), rel=precision)
    assert confidence[1] == 1 / n_classes
    assert hits.tolist() == (logits.argmax(axis=1) == labels).tolist()


@pytest.mark.parametrize("n_classes", [3, _blocks.FEW])
def test_no_pass_changes_its_input(n_classes):
    generator = np.random.default_rng(2)
    logits = np.ascontiguousarray(generator.standard_normal((300, n_classes)))
    labels = generator.integers(0, n_classes, 300)
    logits[np.arange(300), labels] += 1
    before = logits.copy()
    cl.expected_calibration_error(labels, logits, from_logits=True)
    cl.reliability_curve(labels, logits, target=1, from_logits=True)
    cl.negative_log_likelihood(labels, logits, from_logits=True)
    cl.TemperatureScaling().fit(logits, labels).predict_proba(logits)
    cl.ExpectationConsistency().fit(logits, labels)
    np.testing.assert_array_equal(logits, before)


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


@pytest.mark.kernel
def test_importing_the_package_leaves_scikit_learns_slow_parts_alone():
    code = "import sys, calibration_lessons; print('sklearn.model_selection' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
