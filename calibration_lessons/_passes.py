"""The few chunked passes over large arrays that make the public functions fast.

A pass reads its input once, a block of rows at a time. A block is small enough to stay in the
processor's cache, so the temporary arrays of a pass never grow with the input. All sums are float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 1 << 15  # elements a block: 256 KiB of float64
FEW = 64  # columns that are too few for NumPy to reduce row by row

FloatArray = npt.NDArray[np.floating[Any]]
Floats = npt.NDArray[np.float64]


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
    close = np.flatnonzero(scaled <= 4 * float(np.finfo(values.dtype).eps) * n_bins)
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


@dataclass(frozen=True)
class LogitLimits:
    """Weighted sums over the rows that tell which temperatures can be reached; blocks of rows add up.

    Attributes
    ----------
    weight : float
        Sum of the weights.
    below_top : float
        Largest logit minus the label's logit.
    above_mean : float
        The label's logit minus the mean of the row's finite logits.
    correct : float
        1 where the first largest logit is the label's.
    one_over_finite, one_over_tied : float
        1 / (number of finite logits), and 1 / (number of logits that share the maximum).
    """

    weight: float
    below_top: float
    above_mean: float
    correct: float
    one_over_finite: float
    one_over_tied: float

    @property
    def spread(self) -> float:
        """Largest logit minus the mean of the row's finite logits."""
        return self.below_top + self.above_mean

    def __add__(self, other: LogitLimits) -> LogitLimits:
        return LogitLimits(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def logit_limits(
    logits: FloatArray, labels: npt.NDArray[np.int64], weights: Floats
) -> tuple[LogitLimits, FloatArray]:
    """Return the sums that say whether a temperature exists, and the largest logit of each row."""
    highest = np.empty(len(logits), dtype=logits.dtype)
    sums = np.zeros(6)
    for rows in row_blocks(logits):
        block, label = logits[rows], labels[rows]
        highest[rows] = row_maxima(block)
        gaps = block.astype(np.float64)
        gaps -= highest[rows, None]
        label_gap = gaps[np.arange(len(label)), label]
        tied, correct = _ties(gaps, label)
        finite = _clear_ruled_out(block, gaps)
        above_mean = label_gap - gaps @ np.ones(block.shape[1]) / finite
        columns = [np.ones(len(label)), -label_gap, above_mean, correct, 1 / finite, 1 / tied]
        sums += weights[rows] @ np.stack(columns, axis=1)
    return LogitLimits(*sums.tolist()), highest


def row_maxima(block: FloatArray) -> FloatArray:
    """Largest entry of each row; few columns are laid out as long rows first, which NumPy reduces faster."""
    return np.asarray(block.T.copy().max(axis=0) if block.shape[1] < FEW else block.max(axis=1))


def _ties(gaps: Floats, labels: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Count the logits that share each row's maximum; tell whether the first of them is the label's."""
    largest = gaps == 0
    if np.count_nonzero(largest) == len(gaps):
        return np.ones(len(gaps)), largest[np.arange(len(labels)), labels]
    return largest.sum(axis=1), largest.argmax(axis=1) == labels


def _clear_ruled_out(block: FloatArray, gaps: Floats) -> npt.NDArray[Any]:
    """Count the finite logits of each row, and let the others add nothing to the sums of `gaps`."""
    if block.min() > -np.inf:
        return np.full(len(block), block.shape[1])
    ruled_out = block == -np.inf
    gaps[ruled_out] = 0.0
    return np.asarray(block.shape[1] - ruled_out.sum(axis=1))


def tempered_moments(
    logits: FloatArray, highest: FloatArray, beta: float, powers: int
) -> Iterator[tuple[slice, list[Floats]]]:
    """Row sums of e, e t, ..., e t^powers, a block of rows at a time.

    t = z - max z is at most 0 and e = exp(beta t) at most 1, so nothing overflows. A class with the
    logit -inf adds nothing. Few classes are laid out class by class, so that NumPy works along long rows.
    The two scratch arrays are made once, because fresh ones would cost more than the sums.
    """
    few = logits.shape[1] < FEW
    size = max(1, BLOCK // logits.shape[1])
    t, e = np.empty((2, logits.shape[1], size) if few else (2, size, logits.shape[1]))
    ones = np.ones(logits.shape[1])
    for rows in row_blocks(logits):
        n = rows.stop - rows.start
        gap, product = (t[:, :n], e[:, :n]) if few else (t[:n], e[:n])
        gap[:] = logits[rows].T if few else logits[rows]
        gap -= highest[rows] if few else highest[rows, None]
        np.multiply(gap, beta, out=product)
        np.exp(product, out=product)
        if gap.min() == -np.inf:
            gap[gap == -np.inf] = 0.0
        sums = [ones @ product if few else product @ ones]
        for _ in range(powers):
            product *= gap
            sums.append(ones @ product if few else product @ ones)
        yield rows, sums
