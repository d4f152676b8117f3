"""The few chunked passes over large arrays that make the public functions fast.

A pass reads its input once, a block of rows at a time. A block is small enough to stay in the
processor's cache, so the temporary arrays of a pass never grow with the input. All sums are float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 1 << 15  # elements a block: 256 KiB of float64

FloatArray = npt.NDArray[np.floating[Any]]


def row_blocks(array: npt.NDArray[Any]) -> Iterator[slice]:
    """Cut the rows of `array` into blocks of about `BLOCK` elements."""
    columns = array.shape[1] if array.ndim == 2 else 1
    step = max(1, BLOCK // columns)
    for start in range(0, len(array), step):
        yield slice(start, min(start + step, len(array)))


def uniform_bins(values: FloatArray, edges: FloatArray) -> npt.NDArray[np.intp]:
    """Find the right-closed bin that holds each value, for the edges m/M.

    ``ceil(M p) - 1`` is right but for rounding, so only the values within a few units in the
    last place of an edge are compared with the edges themselves.
    """
    n_bins = len(edges) - 1
    scaled = values * np.promote_types(values.dtype, np.float32).type(n_bins)
    nearest = np.rint(scaled)
    index: npt.NDArray[np.intp] = np.ceil(scaled).astype(np.intp)
    index -= 1
    scaled -= nearest
    np.abs(scaled, out=scaled)
    close = np.flatnonzero(scaled <= 4 * np.finfo(values.dtype).eps * n_bins)
    if close.size:
        index[close] = np.searchsorted(edges, values[close], side="left") - 1
    np.clip(index, 0, n_bins - 1, out=index)
    return index


def top_class(block: FloatArray) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """Return the first index of each row's largest entry, and that entry."""
    index = block.argmax(axis=1)
    return index, np.take_along_axis(block, index[:, None], axis=1)[:, 0]


def bin_sums(
    index: npt.NDArray[np.intp],
    confidence: FloatArray,
    correct: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float64] | None,
    n_bins: int,
) -> npt.NDArray[np.float64]:
    """Sum up each bin, one row a sum: rows, weight, squared weight, weighted confidence, weighted correct."""
    confidence = confidence.astype(np.float64, copy=False)
    if weights is None:
        rows = np.bincount(index, minlength=n_bins).astype(np.float64)
        hits = np.bincount(index[correct], minlength=n_bins).astype(np.float64)
        total = np.bincount(index, confidence, minlength=n_bins)
        return np.stack([rows, rows, rows, total, hits])
    sums = [weights > 0, weights, weights**2, weights * confidence, weights * correct]
    return np.stack([np.bincount(index, s, minlength=n_bins) for s in sums])
