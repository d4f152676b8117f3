"""Bins of scores: their edges, which bin holds a score, and the sums over each bin."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
import numpy.typing as npt

from .. import _input
from .._typing import FloatArray, Floats, Strategy

ROUNDING = 1e-12  # of a share: more than a sum of a million weights loses


def effective_rows(weight: npt.ArrayLike, squares: npt.ArrayLike) -> Floats:
    """Kish's number of rows of equal weight, from the sum of the weights and that of their squares.

    Where nothing weighs it is 0 (equation ``eq-effective-rows``).
    """
    mass, squares = np.asarray(weight, dtype=np.float64), np.asarray(squares)
    return np.asarray(np.divide(mass**2, squares, out=np.zeros(mass.shape), where=squares > 0))


def bins_in_words(n_bins: int, strategy: Strategy) -> str:
    """Say what the bins are, such as "15 bins of equal width"."""
    return f"{n_bins} bin{'s' if n_bins > 1 else ''} of equal {'width' if strategy == 'uniform' else 'mass'}"


def bin_edges(n_bins: int, dtype: npt.DTypeLike = np.float64) -> FloatArray:
    """Correctly rounded edges m/M of M bins of equal width; the one place that makes them.

    ``np.linspace`` multiplies by a rounded step instead and is one unit in the last place off
    at some edges, which moves the scores that lie on an edge.

    Parameters
    ----------
    n_bins : int
        Number M of bins, at least 1.
    dtype : dtype
        Type of the scores: the edges are rounded once, to this type.

    Returns
    -------
    ndarray, shape (M + 1,)

    Examples
    --------
    >>> float(bin_edges(10)[3]), float(np.linspace(0, 1, 11)[3])
    (0.3, 0.30000000000000004)
    """
    m = _input.positive_whole(n_bins, "n_bins")
    return (np.arange(m + 1) / m).astype(dtype)


def quantile_edges(scores: npt.ArrayLike, n_bins: int, sample_weight: npt.ArrayLike | None = None) -> Floats:
    """Inner edges of bins of equal mass: the smallest score with a share of m/M at or below it.

    Equal scores stay together, so ties make fewer bins; where at most M differ, each is a bin of its own. The
    result has at most M - 1 edges. A share that misses m/M by rounding reaches it: neither the order of the
    rows nor the unit of the weights matters.
    """
    values = np.asarray(scores)
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    weight = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight)[order]
    count = ranked[weight > 0]
    different: Floats = count[:-1][count[1:] != count[:-1]]
    if len(different) < n_bins:
        return different
    reached = np.cumsum(weight)
    first_enough = np.searchsorted(reached * (n_bins * (1 + ROUNDING)), np.arange(1, n_bins) * reached[-1])
    return np.unique(ranked[first_enough])


def bin_index(scores: FloatArray, edges: FloatArray, strategy: Strategy) -> npt.NDArray[np.intp]:
    """Find the right-closed bin that holds each score."""
    if strategy == "uniform":
        return uniform_bins(scores, len(edges) - 1)
    return np.searchsorted(edges[1:-1], scores, side="left")


def uniform_bins(values: FloatArray, n_bins: int) -> npt.NDArray[np.intp]:
    """Find the right-closed bin of M bins of equal width that holds each value.

    Where ``M p`` lies between two whole numbers, dropping its fraction gives the bin. A value within a few
    units in the last place of an edge, where rounding could decide, is compared with that edge itself.
    """
    doubt = 4 * float(np.finfo(values.dtype).eps) * n_bins
    if doubt > 0.25:  # so many bins that a value may be in doubt between several edges
        found = np.searchsorted(bin_edges(n_bins, values.dtype), values) - 1
        return np.asarray(found).clip(0, n_bins - 1)
    scaled = values * np.promote_types(values.dtype, np.float32).type(n_bins)
    index: npt.NDArray[np.intp] = scaled.astype(np.intp)
    nearest = np.rint(scaled)
    scaled -= nearest
    np.abs(scaled, out=scaled)
    close = np.flatnonzero(scaled <= doubt)
    if close.size:
        edge = nearest[close].astype(np.intp)
        index[close] = np.maximum(edge - (values[close] <= (edge / n_bins).astype(values.dtype)), 0)
    return index


def edges_of(scores: FloatArray, n_bins: int, strategy: Strategy, weights: Floats | None) -> FloatArray:
    """Edges of bins of equal width, or of equal mass, from 0 to 1."""
    if strategy == "uniform":
        return bin_edges(n_bins, scores.dtype)
    inner = quantile_edges(scores, n_bins, weights)
    return np.concatenate([[0.0], inner[inner < 1], [1.0]]).astype(scores.dtype)  # zeros may be one


def sums_of_bins(
    blocks: Iterable[tuple[slice, tuple[FloatArray, npt.NDArray[np.bool_]]]],
    edges: FloatArray,
    strategy: Strategy,
    weights: Floats | None,
    *,
    variances: bool = True,
) -> Floats:
    """Sum up each bin over blocks of rows, one row per sum; w is a weight, p a score, and o is 1 for a hit.

    Rows, w, w^2, w p and w o; and then w^2 p (1 - p), the variance of the weighted hits if calibrated, their
    squared misses w^2 (o - p)^2, and w^2 o. These three are NaN without `variances`.
    """
    n_bins = len(edges) - 1
    sums = np.zeros((8, n_bins))
    for rows, (scores, hits) in blocks:
        index, p = bin_index(scores, edges, strategy), scores.astype(np.float64, copy=False)
        total = partial(np.bincount, index, minlength=n_bins)
        if weights is None:  # two counts tell everything: rows by bin and hit, and confidence by bin
            missed, hit = np.bincount(2 * index + hits, minlength=2 * n_bins).reshape(-1, 2).T
            squares: Floats | float = 1.0
            found = [*[missed + hit] * 3, total(p), hit]
        else:
            w = weights[rows]
            squares = w**2
            found = [total(values) for values in (w > 0, w, squares, w * p, w * hits)]
        sums[:5] += found
        if variances:
            of_hits = hit if weights is None else total(squares * hits)
            sums[5:] += [total(squares * p * (1 - p)), total(squares * (hits - p) ** 2), of_hits]
    if not variances:
        sums[5:] = np.nan
    return sums
