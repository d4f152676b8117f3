"""The few chunked passes over large arrays that make the public functions fast.

A pass reads its input once, a block of rows at a time, and does everything with a block while it lies in
the processor's cache: it checks the numbers, reduces each row, and adds up. So the temporary arrays of a
pass never grow with the input. Three habits make up the rest of the speed:

- NumPy is fast along long rows. Blocks of few classes are turned round first, class by class.
- The softmax is never formed: the largest probability of a row is 1 / sum(exp(z - max z)).
- Single-precision input is worked on in single precision, which is half the memory and half the time of an
  exp. What is added up is added up in float64.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._typing import FloatArray, Floats

BLOCK = 1 << 18  # bytes of input a block: more, and a copy in float64 leaves the processor's cache
FEW = 64  # columns that are too few for NumPy to reduce row by row


def row_blocks(array: npt.NDArray[Any]) -> Iterator[slice]:
    """Cut the rows of `array` into blocks of about `BLOCK` bytes, of one row at least."""
    step = max(1, BLOCK // (array.itemsize * (array.shape[1] if array.ndim == 2 else 1)))
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


def row_squares(rows: Floats) -> Floats:
    """Sum of the squares of each row."""
    return row_sums(rows**2, axis=1) if rows.shape[1] < FEW else np.asarray(np.vecdot(rows, rows))


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
