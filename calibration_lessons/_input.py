"""What bad input gets: one place, one style of message.

Every check names the argument, the first offending place and what was expected:
``y_prob[3] = 1.2: expected a probability in [0, 1]``. It returns the input as an array that
the rest of the package can trust, and never changes the caller's data.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ._blocks import FEW, row_blocks, row_sums
from ._typing import FloatArray, IntArray

SUM_TOLERANCE = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-6}


def place(name: str, index: tuple[int, ...]) -> str:
    """Name one entry of an argument, as in ``y_prob[3, 0]``."""
    return f"{name}[{', '.join(str(int(i)) for i in index)}]"


def first(mask: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Index of the first true entry."""
    return tuple(int(i) for i in np.unravel_index(int(mask.argmax()), mask.shape))


def real_array(values: Any, name: str, ndim: Sequence[int]) -> FloatArray:
    """Return `values` as a floating-point array with one of the dimensions in `ndim`.

    float16, float32 and float64 keep their type, integers and booleans become float64.
    """
    array = _plain_array(values, name)
    real_kind(array, name, ndim)
    if array.dtype not in (np.float16, np.float32, np.float64):
        array = array.astype(np.float64)
    return array


def real_kind(array: Any, name: str, ndim: Sequence[int]) -> None:
    """Refuse an array, in memory or not, of another kind of numbers or another shape, or without rows."""
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} has dtype {array.dtype}: expected real numbers")
    if array.ndim not in ndim:
        expected = " or ".join(f"{d}-D" for d in ndim)
        raise ValueError(f"{name} has shape {array.shape}: expected a {expected} array")
    if array.size == 0:
        raise ValueError(f"{name} is empty (shape {array.shape}): expected at least one row")


def _plain_array(values: Any, name: str) -> npt.NDArray[Any]:
    if sparse.issparse(values):
        raise TypeError(f"{name} is a sparse matrix: expected a dense array (use .toarray())")
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.getmaskarray(values).any():
            where = place(name, first(np.ma.getmaskarray(values)))
            raise ValueError(f"{where} is masked: expected an array without missing values")
        return np.asarray(values.data)
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name} cannot be read as an array of numbers: {error}") from error
    if array.dtype.kind == "c":
        raise ValueError(f"{name} is complex: expected real numbers. Complex data not supported")
    return array


def probabilities(y_prob: Any, name: str = "y_prob", ndim: Sequence[int] = (1, 2)) -> FloatArray:
    """Return probabilities of shape (n,) (positive class) or (n, K) (rows that sum to 1)."""
    array = real_array(y_prob, name, ndim)
    classes(array, name)
    for _ in probability_blocks(array, name):
        pass
    return array


def probability_blocks(
    array: FloatArray, name: str, first_row: int = 0
) -> Iterator[tuple[slice, FloatArray]]:
    """Check probabilities a block of rows at a time; yield each block, which now lies in the cache.

    `first_row` is the place of the first row in the array that a message speaks of.
    """
    tolerance = SUM_TOLERANCE[array.dtype.name]
    for rows in row_blocks(array):
        block = array[rows]
        if not (block.min() >= 0 and block.max() <= 1):
            where = first(~((block >= 0) & (block <= 1)))
            full = (where[0] + rows.start + first_row, *where[1:])
            raise ValueError(f"{place(name, full)} = {block[where]}: expected a probability in [0, 1]")
        if array.ndim == 2 and not _surely_sum_to_one(block, tolerance):
            sums = row_sums(block, axis=1)
            if not abs(sums - 1).max() <= tolerance:
                row = int((abs(sums - 1) > tolerance).argmax())
                here = place(name, (row + rows.start + first_row,))
                raise ValueError(_sum_message(here, float(sums[row]), block[row]))
        yield rows, block


def _surely_sum_to_one(block: FloatArray, tolerance: float) -> bool:
    """Tell whether sums in the block's own precision, which are quick, leave no doubt.

    So few numbers in [0, 1] are summed up with an error of less than half the tolerance.
    """
    if block.dtype == np.float16 or block.shape[1] >= FEW:
        return False
    sums = block @ np.ones(block.shape[1], block.dtype)
    return bool(sums.min() >= 1 - tolerance / 2 and sums.max() <= 1 + tolerance / 2)


def _sum_message(where: str, total: float, row: FloatArray) -> str:
    message = f"{where} sums to {total:.8g}: expected class probabilities that sum to 1"
    if row.dtype != np.float16 and np.array_equal(row, row.astype(np.float16)):
        message += " (these look like half-precision numbers cast up: divide each row by its sum)"
    return message


def classes(array: Any, name: str) -> int:
    """Return the number of classes that the columns of `array` stand for."""
    if array.ndim == 1:
        return 2
    if array.shape[1] < 2:
        raise ValueError(
            f"{name} has shape {array.shape}: expected one column a class, at least two "
            f"(for the positive class alone pass a 1-D array)"
        )
    return int(array.shape[1])


def logits(values: Any, name: str = "logits", ndim: Sequence[int] = (1, 2)) -> FloatArray:
    """Return logits of shape (n,) (binary, read as (0, z)) or (n, K); -inf may stand, but not alone."""
    array = real_array(values, name, ndim)
    classes(array, name)
    for _ in logit_blocks(array, name):
        pass
    return array


def logit_blocks(array: FloatArray, name: str, first_row: int = 0) -> Iterator[tuple[slice, FloatArray]]:
    """Check logits likewise."""
    for rows in row_blocks(array):
        block = array[rows]
        lowest = block.min()
        if not block.max() < np.inf or np.isnan(lowest):
            where = first(np.isnan(block) | (block == np.inf))
            full = (where[0] + rows.start + first_row, *where[1:])
            raise ValueError(f"{place(name, full)} = {block[where]}: expected a logit below infinity")
        if array.ndim == 2 and lowest == -np.inf:
            empty = (block == -np.inf).all(axis=1)
            if empty.any():
                row = int(empty.argmax()) + rows.start + first_row
                raise ValueError(f"{name}[{row}] is -inf in every class: expected one finite logit at least")
        yield rows, block


def label_logits(
    logits: FloatArray, labels: IntArray, weights: npt.NDArray[np.float64], name: str = "X"
) -> None:
    """Refuse a row that counts and whose own label has the logit -inf: no temperature makes it possible."""
    if logits.min() > -np.inf:
        return
    impossible = (logits[np.arange(len(labels)), labels] == -np.inf) & (weights > 0)
    if impossible.any():
        (row,) = first(impossible)
        raise ValueError(
            f"{name}[{row}] has the logit -inf for its own label {labels[row]}: expected a finite logit there"
        )


def finite(values: Any, name: str, ndim: Sequence[int]) -> FloatArray:
    """Return an array of finite numbers."""
    array = real_array(values, name, ndim)
    if not np.isfinite(array).all():
        where = first(~np.isfinite(array))
        problem = "NaN" if np.isnan(array[where]) else "infinity"
        raise ValueError(f"{place(name, where)} is {problem}: expected finite numbers (no NaN, no inf)")
    return array


def labels(y_true: Any, n_classes: int, name: str = "y_true") -> IntArray:
    """Return class labels as whole numbers 0..n_classes-1; bool and whole floats are accepted."""
    array = _plain_array(y_true, name)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {array.dtype}: expected class numbers 0..{n_classes - 1}")
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}: expected a 1-D array of class numbers")
    if array.size == 0:
        raise ValueError(f"{name} is empty: expected at least one label")
    if array.dtype.kind == "f":
        whole = np.floor(array) == array
        if not whole.all():
            _refuse_label(array, ~whole, n_classes, name)
    if not (array.min() >= 0 and array.max() <= n_classes - 1):
        _refuse_label(array, (array < 0) | (array > n_classes - 1), n_classes, name)
    return array.astype(np.int64, copy=False)


def _refuse_label(array: npt.NDArray[Any], wrong: npt.NDArray[np.bool_], n_classes: int, name: str) -> None:
    where = first(wrong)
    kind = ", not a continuous value" if array.dtype.kind == "f" else ""
    raise ValueError(
        f"{place(name, where)} = {array[where]}: expected a class number, 0..{n_classes - 1} "
        f"for {n_classes} classes{kind}"
    )


def class_labels(y: Any, name: str = "y") -> npt.NDArray[Any]:
    """Return class labels of any one sortable kind: whole numbers, booleans or strings."""
    if y is None:
        raise ValueError(f"{name} is None: fit requires y to be passed, but the target y is None")
    array = _plain_array(y, name)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}: expected a 1-D array of class labels, not empty")
    if array.dtype.kind == "f":
        odd = ~(np.floor(array) == array)
        if odd.any() or np.isinf(array).any():
            where = first(odd | np.isinf(array))
            kind = "continuous" if np.isfinite(array[where]) else "contains NaN or infinity"
            raise ValueError(
                f"{place(name, where)} = {array[where]}: expected class labels "
                f"(whole numbers, booleans or strings). Unknown label type: {kind}"
            )
    elif array.dtype.kind == "O":
        kinds = {type(label) for label in array}
        if not all(issubclass(kind, str) for kind in kinds):
            names = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise TypeError(f"{name} holds objects ({names}): expected whole numbers, booleans or strings")
    elif array.dtype.kind not in "biuUS":
        raise TypeError(f"{name} has dtype {array.dtype}: expected whole numbers, booleans or strings")
    return array


def same_length(**arrays: npt.NDArray[Any]) -> None:
    """Refuse arguments whose first dimensions differ."""
    (name, reference), *others = arrays.items()
    for other_name, other in others:
        if len(other) != len(reference):
            raise ValueError(
                f"{name} has {len(reference)} rows and {other_name} has {len(other)}: expected equal lengths"
            )


def weights(
    sample_weight: Any, n: int, name: str = "sample_weight", *, in_part: bool = False
) -> npt.NDArray[np.float64] | None:
    """Return importance weights of shape (n,), or None where none were given; in a part all may be 0."""
    if sample_weight is None:
        return None
    array = finite(sample_weight, name, ndim=(1,)).astype(np.float64, copy=False)
    if len(array) != n:
        raise ValueError(f"{name} has {len(array)} rows and the data have {n}: expected equal lengths")
    if array.min() < 0:
        where = first(array < 0)
        raise ValueError(f"{place(name, where)} = {array[where]}: expected a weight of at least 0")
    if not in_part:
        some_weight(float(array.max()), name)
    return array


def some_weight(most: float, name: str = "sample_weight") -> None:
    """Refuse weights whose maximum, or sum, is 0."""
    if most == 0:
        raise ValueError(f"{name} is zero everywhere: expected at least one positive weight")


def positive_whole(value: Any, name: str) -> int:
    """Return a whole number of at least 1."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} = {value!r}: expected a whole number of at least 1")
    return int(value)


def non_negative_whole(value: Any, name: str) -> int:
    """Return a whole number of at least 0."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 0:
        raise ValueError(f"{name} = {value!r}: expected a whole number of at least 0")
    return int(value)


def number_between(value: Any, low: float, high: float, name: str, *, open_ends: bool = False) -> float:
    """Return a number in [low, high], or in (low, high) with `open_ends`."""
    brackets = f"({low:g}, {high:g})" if open_ends else f"[{low:g}, {high:g}]"
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not real or not (low < value < high if open_ends else low <= value <= high):
        raise ValueError(f"{name} = {value!r}: expected a number in {brackets}")
    return float(value)


def one_of(value: Any, known: Sequence[Any], name: str) -> None:
    """Refuse an option that is not one of the known ones."""
    if not any(isinstance(value, type(option)) and value == option for option in known):
        options = ", ".join(repr(option) for option in known)
        raise ValueError(f"{name} = {value!r}: expected one of {options}")


def warn(message: str) -> None:
    """Warn at the line outside this package that called into it."""
    package, level, frame = __name__.partition(".")[0], 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
