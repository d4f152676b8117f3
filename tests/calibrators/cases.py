"""What the tests of the calibrators share: strategies, hostile inputs, and the data to try them on."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from scipy import sparse


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


def bad_logits():
    """Hostile two-column input for four rows, each with the words that the message must hold."""
    rows = np.array([[1.0, 0.0], [0.5, 0.0], [0.0, 1.0], [2.0, 1.0]])

    def with_entry(value):
        changed = rows.copy()
        changed[2, 1] = value
        return changed

    return {
        "NaN": (with_entry(np.nan), r"X\[2, 1\] = nan"),
        "inf": (with_entry(np.inf), r"X\[2, 1\] = inf"),
        "row of -inf": (np.where(rows == rows[1], -np.inf, rows), r"X\[1\] is -inf in every class"),
        "strings": (rows.astype(str), r"X has dtype <U"),
        "objects": (rows.astype(object), r"X has dtype object"),
        "complex": (rows.astype(complex), r"X is complex"),
        "sparse": (sparse.csr_array(rows), r"X is a sparse matrix"),
        "masked": (np.ma.masked_equal(rows, 0.5), r"X\[1, 0\] is masked"),
        "ragged": ([[1.0], [1.0, 2.0]], r"X cannot be read"),
        "scalar": (1.0, r"X has shape \(\)"),
        "three dimensions": (rows[None], r"X has shape \(1, 4, 2\)"),
        "empty": (np.empty((0, 2)), r"X is empty"),
        "no columns": (np.empty((4, 0)), r"X is empty"),
        "None": (None, r"X has dtype object"),
    }


BAD_LABELS = {
    "too large": ([0, 1, 2, 0], r"y\[2\] = 2: expected a class number, 0..1"),
    "negative": ([0, -1, 1, 0], r"y\[1\] = -1"),
    "not whole": ([0, 0.5, 1, 0], r"y\[1\] = 0.5"),
    "NaN": ([0, np.nan, 1, 0], r"y\[1\] = nan"),
    "strings": (["a", "b", "a", "b"], r"y has dtype <U1"),
    "too short": ([0, 1, 1], r"X has 4 rows and y has 3"),
    "a column": ([[0], [1], [1], [0]], r"y has shape \(4, 1\)"),
    "empty": ([], r"y is empty"),
    "missing": (None, r"requires y to be passed"),
}

BAD_WEIGHTS = {
    "negative": ([1, -1, 1, 1], r"sample_weight\[1\] = -1"),
    "all zero": ([0, 0, 0, 0], r"sample_weight is zero everywhere"),
    "NaN": ([1, np.nan, 1, 1], r"sample_weight\[1\] is NaN"),
    "too short": ([1, 1, 1], r"sample_weight has 3 rows and the data have 4"),
    "a column": ([[1], [1], [1], [1]], r"sample_weight has shape \(4, 1\)"),
    "strings": (["a", "b", "c", "d"], r"sample_weight has dtype"),
}


@st.composite
def scores_and_labels(draw, elements=None, dtype=np.float64):
    """Scores (in tenths, unless `elements` says otherwise, so that ties occur) and labels 0 and 1."""
    elements = st.integers(0, 10).map(lambda tenth: tenth / 10) if elements is None else elements
    rows = draw(st.lists(st.tuples(elements, st.integers(0, 1)), min_size=1, max_size=25))
    scores, labels = zip(*rows, strict=True)
    return np.array(scores, dtype=dtype), np.array(labels)


def bad_scores():
    """Hostile input for four rows of a binary calibrator, each with the words that the message must hold."""
    scores = np.array([0.1, 0.4, 0.5, 0.9])

    def with_entry(value):
        return np.where(scores == 0.5, value, scores)

    return {
        "NaN": (with_entry(np.nan), r"X\[2\]"),
        "inf": (with_entry(np.inf), r"X\[2\]"),
        "-inf": (with_entry(-np.inf), r"X\[2\]"),
        "huge": (with_entry(1e200), r"X\[2\] = 1e\+200"),
        "strings": (scores.astype(str), r"X has dtype <U"),
        "objects": (scores.astype(object), r"X has dtype object"),
        "complex": (scores.astype(complex), r"X is complex"),
        "sparse": (sparse.csr_array(scores[:, None]), r"X is a sparse matrix"),
        "masked": (np.ma.masked_equal(scores, 0.4), r"X\[1\] is masked"),
        "two columns": (np.stack([scores, scores], axis=1), r"X has shape \(4, 2\): expected one score"),
        "scalar": (0.5, r"X has shape \(\)"),
        "empty": ([], r"X is empty"),
        "None": (None, r"X has dtype object"),
    }
