"""What the tests of the calibrators share: strategies, and the data to try them on."""

import warnings
from fractions import Fraction

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from sklearn.base import clone

import calibration_lessons as cl
from calibration_lessons.calibrators._binary import BinaryCalibrator


@st.composite
def logits_and_labels(draw, ruled_out=False):
    """Logits in quarters, so that ties occur and sums are exact; with `ruled_out` some are -inf."""
    n, k = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    quarters = st.lists(st.integers(-12, 12), min_size=k, max_size=k)
    logits = np.array(draw(st.lists(quarters, min_size=n, max_size=n))) / 4
    labels = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    if ruled_out:
        for row, label in enumerate(labels):
            column = draw(st.integers(0, k - 1))
            if column != label:
                logits[row, column] = -np.inf
    return logits, labels


def mean(values):
    """Exact mean of whole numbers and fractions."""
    return sum(map(Fraction, values), Fraction(0)) / len(values)


def simulate(n, k, temperature, seed=0, scale=3.0):
    """Logits that are right at a known temperature: labels are drawn from softmax(z / T)."""
    rng = np.random.default_rng(seed)
    logits = scale * rng.standard_normal((n, k))
    return logits, (logits / temperature + rng.gumbel(size=(n, k))).argmax(axis=1)


@st.composite
def scores_and_labels(draw, elements=None, dtype=np.float64):
    """Scores (in tenths, unless `elements` says otherwise, so that ties occur) and labels 0 and 1."""
    elements = st.integers(0, 10).map(lambda tenth: tenth / 10) if elements is None else elements
    rows = draw(st.lists(st.tuples(elements, st.integers(0, 1)), min_size=1, max_size=25))
    scores, labels = zip(*rows, strict=True)
    return np.array(scores, dtype=dtype), np.array(labels)


BINARY = [
    cl.TemperatureScaling(),
    cl.ExpectationConsistency(),
    cl.PlattScaling(),
    cl.PlattScaling(prior_targets=False),
    cl.PlattScaling(slope=1.0),
    cl.BetaCalibration(),
    cl.BetaCalibration(prior_targets=True),
    cl.IsotonicCalibration(),
    cl.VennAbersCalibration(),
    cl.IsotonicCalibration(smoothing=2),
    cl.HistogramBinning(7),
    cl.HistogramBinning(5, "quantile"),
    cl.HistogramBinning(5, "quantile", smoothing=2),
]
EVERY = [
    *BINARY,
    *map(cl.OneVsRest, BINARY),
    *map(cl.MatrixScaling, ["auto", "bias", "vector"]),
    cl.MultiClassIsotonic(),
]
BY_CLASS = (cl.OneVsRest, cl.MultiClassIsotonic)  # one column per class, never one score


def sound(rng, n, columns, scale, dtype, reads):
    """Scores that say something about their labels, some tied; probabilities where the method reads these."""
    if reads == "probabilities":
        scale = 3.0
    scores = np.round(rng.standard_normal((n, columns)), int(rng.integers(1, 8))) * scale
    drawn = np.hstack([scores, np.zeros((n, 1))]) if columns == 1 else scores
    labels = (drawn / scale + rng.gumbel(size=drawn.shape)).argmax(axis=1)
    if columns == 1:
        scores, labels = scores[:, 0], 1 - labels
    if reads == "probabilities":
        scores = cl.softmax(scores) if columns > 1 else 1 / (1 + np.exp(-scores))
        edge = rng.random(n) < 0.3
        scores[edge] = np.round(scores[edge] * 7) / 7 if columns == 1 else 1 / columns
    return np.clip(scores, -np.finfo(dtype).max, np.finfo(dtype).max).astype(dtype), labels


@st.composite
def fitted_with_rows(draw, calibrators=tuple(EVERY), dtypes=(np.float32, np.float64)):
    """A fitted calibrator, and rows to try it on: new ones, the calibration rows themselves, extremes."""
    calibrator = clone(draw(st.sampled_from(calibrators)))
    by_class = isinstance(calibrator, BY_CLASS)
    one = 1 if isinstance(calibrator, BinaryCalibrator) else draw(st.sampled_from([1, 2, 5]))
    columns = max(2, one) if by_class else one
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from(dtypes))
    scale = draw(st.sampled_from([1e-3, 1.0, 50.0, 1e6]))
    known, labels = sound(rng, draw(st.integers(40, 120)), columns, scale, dtype, calibrator.reads)
    new, _ = sound(rng, 40, columns, scale, dtype, calibrator.reads)
    far = min(1e30, float(np.finfo(dtype).max))
    ends = np.array([0, 1] if calibrator.reads == "probabilities" else [-far, -800, 0.0, 800, far])
    extreme = rng.choice(ends, (20, columns)).astype(dtype).reshape(20, *known.shape[1:])
    sums_to_one = isinstance(calibrator, cl.MultiClassIsotonic)
    if calibrator.reads == "logits" or columns == 1 or (by_class and not sums_to_one):
        new = np.concatenate([new, extreme])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            calibrator.fit(known, labels)
        except ValueError:
            assume(False)
    return calibrator, np.concatenate([new, known])


def agree(answers, calibrator, rows):
    """Hold what an exported function answers to `predict_proba`."""
    with np.errstate(over="ignore", under="ignore"):
        expected = calibrator.predict_proba(rows)
    np.testing.assert_allclose(answers, expected, rtol=0, atol=1e-12)


def binned_at_its_edges(n_bins, dtype=np.float64):
    """Histogram binning, and scores on the edges of its bins and beside them."""
    edges = cl.measures.bin_edges(n_bins, dtype)
    below, above = np.nextafter(edges[1:], dtype(0)), np.nextafter(edges[:-1], dtype(1))
    rng = np.random.default_rng(n_bins)
    known = rng.random(20 * n_bins)
    binning = cl.HistogramBinning(n_bins).fit(known, rng.random(len(known)) < known**2)
    return binning, np.concatenate([edges, below, above])


def fitted_with_a_missing_score(calibrator):
    """A fitted calibrator, and a row that lacks a score."""
    by_class = isinstance(calibrator, BY_CLASS)
    data = sound(np.random.default_rng(0), 200, 3 if by_class else 1, 1.0, np.float64, calibrator.reads)
    return calibrator.fit(*data), np.array([[0.2, np.nan, 0.3]]) if by_class else np.array([np.nan])
