"""The few chunked passes over large arrays that make the public functions fast.

A pass reads its input once, a block of rows at a time, and does everything with a block while it lies in
the processor's cache: it checks the numbers, reduces each row, and adds up. So the temporary arrays of a
pass never grow with the input. Three habits make up the rest of the speed:

- NumPy is fast along long rows. Blocks of few classes are turned round first, class by class.
- The softmax is never formed: the largest probability of a row is 1 / sum(exp(z - max z)).
- Single-precision input is worked on in single precision, which is half the memory and half the time of an
  exp. What is added up is added up in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._typing import FloatArray, Floats

BLOCK = 1 << 15  # elements a block: 256 KiB of float64
FEW = 64  # columns that are too few for NumPy to reduce row by row


def row_blocks(array: npt.NDArray[Any]) -> Iterator[slice]:
    """Cut the rows of `array` into blocks of about `BLOCK` elements."""
    columns = array.shape[1] if array.ndim == 2 else 1
    step = max(1, BLOCK // columns)
    for start in range(0, len(array), step):
        yield slice(start, min(start + step, len(array)))


def laid_out(block: FloatArray) -> tuple[FloatArray, int]:
    """Return a block as NumPy reduces it fast, and the axis of its classes: few classes come first."""
    few = block.shape[1] < FEW
    return np.ascontiguousarray(block.T if few else block), 0 if few else 1


def worked_on(block: FloatArray, dtype: npt.DTypeLike = np.float32) -> tuple[FloatArray, int]:
    """Return a copy of a block to work on, laid out likewise, in its own precision or in that of `dtype`."""
    few = block.shape[1] < FEW
    precision = np.promote_types(block.dtype, dtype)
    return np.array(block.T if few else block, dtype=precision, order="C"), 0 if few else 1


def row_sums(values: FloatArray, axis: int) -> Floats:
    """Sum of each row in float64; `axis` is that of the classes."""
    exact = values.astype(np.float64, copy=False)
    ones = np.ones(values.shape[axis])
    return ones @ exact if axis == 0 else exact @ ones


def chosen_class(values: npt.NDArray[Any], axis: int, labels: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Entry of each row at its label; `axis` is that of the classes."""
    rows, classes = np.arange(len(labels)), values.shape[axis]
    return values.ravel().take(labels * len(labels) + rows if axis == 0 else rows * classes + labels)


def top_label(block: FloatArray, labels: npt.NDArray[np.int64]) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Largest entry of each row, and whether the first of them is the label's."""
    return _largest(*laid_out(block), labels)


def top_label_of_logits(
    block: FloatArray, labels: npt.NDArray[np.int64]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Largest probability of each row of logits, and whether its first class is the label's."""
    values, axis = worked_on(block)
    highest, hits = _largest(values, axis, labels)
    values -= highest if axis == 0 else highest[:, None]
    return 1 / row_sums(np.exp(values, out=values), axis), hits


def _largest(
    values: FloatArray, axis: int, labels: npt.NDArray[np.int64]
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    if axis == 1:
        top = values.argmax(axis=1)
        return chosen_class(values, axis, top), top == labels
    highest = values.max(axis=0)
    return highest, ties(values == highest, axis, labels)[1]


def softmax_column(logits: FloatArray, k: int) -> Floats:
    """Probability of class k in each row of logits."""
    values, axis = worked_on(logits, np.float64)
    values -= values.max(axis=axis, keepdims=True)
    np.exp(values, out=values)
    return np.asarray(values.take(k, axis=axis) / row_sums(values, axis))


def ties(
    largest: npt.NDArray[np.bool_], axis: int, labels: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Count the entries that share each row's maximum; tell whether the first of them is the label's."""
    if np.count_nonzero(largest) == len(labels):
        return np.ones(len(labels)), chosen_class(largest, axis, labels)
    return largest.sum(axis=axis), largest.argmax(axis=axis) == labels


def bin_sums(
    index: npt.NDArray[np.intp],
    confidence: FloatArray,
    correct: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float64] | None,
    n_bins: int,
) -> npt.NDArray[np.float64]:
    """Sum up each bin, one row a sum: rows, weight, squared weight, weighted confidence, weighted correct.

    Without weights two counts tell everything: rows by bin and hit, and confidence by bin.
    """
    confidence = confidence.astype(np.float64, copy=False)
    sums = np.empty((5, n_bins))
    if weights is None:
        missed, hits = np.bincount(2 * index + correct, minlength=2 * n_bins).reshape(-1, 2).T
        sums[:3] = missed + hits
        sums[3] = np.bincount(index, confidence, minlength=n_bins)
        sums[4] = hits
    else:
        parts = [weights > 0, weights, weights**2, weights * confidence, weights * correct]
        for row, values in zip(sums, parts, strict=True):
            row[:] = np.bincount(index, values, minlength=n_bins)
    return sums


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
        gaps, axis = worked_on(logits[rows], np.float64)
        top = gaps.max(axis=axis, keepdims=True)
        highest[rows] = top.ravel()
        gaps -= top
        label, weight = labels[rows], weights[rows]
        label_gap = chosen_class(gaps, axis, label)
        total, to_label = weight.sum(), weight @ label_gap
        largest = gaps == 0
        if np.count_nonzero(largest) == len(label):
            correct, one_over_tied = label_gap == 0, total
        else:
            tied, correct = ties(largest, axis, label)
            one_over_tied = weight @ (1 / tied)
        gap_sums, finite = _sums_of_finite(gaps, axis)
        one_over_finite = total / finite if isinstance(finite, int) else weight @ (1 / finite)
        above_mean = to_label - weight @ (gap_sums / finite)
        sums += [total, -to_label, above_mean, weight @ correct, one_over_finite, one_over_tied]
    return LogitLimits(*sums.tolist()), highest


def row_maxima(block: FloatArray) -> FloatArray:
    """Largest entry of each row."""
    values, axis = laid_out(block)
    return np.asarray(values.max(axis=axis))


def _sums_of_finite(gaps: FloatArray, axis: int) -> tuple[Floats, npt.NDArray[Any] | int]:
    """Sum and number of the finite gaps of each row, one number where all are; the others become 0."""
    total = row_sums(gaps, axis)
    if total.min() > -np.inf:
        return total, gaps.shape[axis]
    ruled_out = gaps == -np.inf
    gaps[ruled_out] = 0.0
    return row_sums(gaps, axis), gaps.shape[axis] - ruled_out.sum(axis=axis)


def tempered_moments(
    logits: FloatArray, highest: FloatArray, beta: float, powers: int, dtype: npt.DTypeLike = np.float64
) -> Iterator[tuple[slice, list[FloatArray]]]:
    """Row sums of e, e t, ..., e t^powers, a block of rows at a time.

    t = z - max z is at most 0 and e = exp(beta t) at most 1, so nothing overflows. A class with the
    logit -inf adds nothing. All is in the precision of `dtype`. The two scratch arrays are made once,
    because fresh ones would cost more than the sums.
    """
    step, classes = max(1, BLOCK // logits.shape[1]), logits.shape[1]
    few = classes < FEW
    scratch = np.empty((2, classes, step) if few else (2, step, classes), dtype)
    ones = np.ones(classes, dtype)
    for rows in row_blocks(logits):
        n = rows.stop - rows.start
        gaps, product = scratch[:, :, :n] if few else scratch[:, :n]
        gaps[:] = logits[rows].T if few else logits[rows]
        gaps -= highest[rows] if few else highest[rows, None]
        np.multiply(gaps, beta, out=product)
        np.exp(product, out=product)
        if gaps.min() == -np.inf:
            gaps[gaps == -np.inf] = 0.0
        sums = [ones @ product if few else product @ ones]
        for _ in range(powers):
            product *= gaps
            sums.append(ones @ product if few else product @ ones)
        yield rows, sums
