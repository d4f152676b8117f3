"""What the tests of the measures share."""

import numpy as np
from hypothesis import strategies as st

tied_rows = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 0.7, 1.0])), min_size=1, max_size=60
)
free_rows = st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=60)
repeats = st.lists(st.integers(0, 4), min_size=60, max_size=60)


def columns(rows):
    """Labels and forecasts of drawn rows."""
    y, p = (np.array(column) for column in zip(*rows, strict=True))
    return y.astype(int), p


def same(curve, other, rtol=1e-12):
    """Hold two reliability curves to each other."""
    assert np.array_equal(curve.edges, other.edges) and curve.edges.dtype == other.edges.dtype
    assert np.array_equal(curve.counts, other.counts)
    assert (curve.target, curve.strategy) == (other.target, other.strategy)
    for part in ("weights", "confidence", "accuracy", "effective_counts", "hit_variances", "squared_misses"):
        np.testing.assert_allclose(getattr(curve, part), getattr(other, part), rtol=rtol)
