"""What the tests of the calibrators share: strategies, and the data to try them on."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st


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
