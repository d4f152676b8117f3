"""Reads what users give, once; what is not as described gets one style of refusal.

A refusal knows the argument, the first offending place, what stands there and what was expected; its text is
``y_prob[3] = 1.2: expected a probability in [0, 1]``. A check returns the input as an array that the rest of
the package can trust, and never changes the caller's data.
"""

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from ._blocks import row_sums
from ._typing import FloatArray, Floats, IntArray, Label, Names

BFLOAT16 = np.dtype(np.float32, metadata={"precision": "bfloat16"})  # NumPy has no such type of its own
SUM_TOLERANCE = {"bfloat16": 8e-3, "float16": 2e-3, "float32": 1e-5, "float64": 1e-6}
_SLOTS = 2**16
SOME_ROWS = 1000  # tell what kind of numbers all rows hold
MANY_VALUES = 20  # in some rows, are no coincidence
ENOUGH_ROWS = 2000  # tell whether labels and columns go together
ENOUGH_OF_A_CLASS = 20  # rows tell whether its scores are the lower ones: with five, chance often does
ROWS_OF_A_CLASS = 3  # in each half of them, tell which column is its own
HALF_PRECISION = 5e-3  # what rounding to bfloat16 or float16 takes from a sum, and a little more
SURE = 0.95  # a probability that many rows of most classifiers reach
ROUNDED = 0.05  # what two digits, or cutting off at 0.01, take from a sum of ten or add to it


class Refusal(Exception):
    """An argument that is not as described; each is a ValueError or a TypeError, too.

    Attributes
    ----------
    name : str
        The argument.
    found : str
        What was found there, such as "= 1.2" or "has shape (3, 1)".
    expected : str
        What was expected there.
    index : tuple of int
        Place of the first offending entry; empty where the argument as a whole is meant.
    note : str
        More about the place, such as the block of a distributed array.
    """

    def __init__(
        self, name: str, found: str, expected: str, index: tuple[int, ...] = (), note: str = ""
    ) -> None:
        super().__init__(name, found, expected, index, note)  # what a pickle keeps
        self.name, self.found, self.expected, self.index, self.note = name, found, expected, index, note

    def __str__(self) -> str:
        where = place(self.name, self.index) if self.index else self.name
        return f"{where} {self.found}: expected {self.expected}" + (f" ({self.note})" if self.note else "")

    def moved(self, rows: int, note: str = "") -> Self:
        """Return the same refusal with so many rows in front of the data."""
        index = (self.index[0] + rows, *self.index[1:]) if self.index else ()
        return type(self)(self.name, self.found, self.expected, index, note)


class BadValue(Refusal, ValueError):
    """A value that is not as described."""


class BadType(Refusal, TypeError):
    """Something of a type that is not as described."""


def place(name: str, index: tuple[int, ...]) -> str:
    """Name one entry of an argument, as in ``y_prob[3, 0]``."""
    return f"{name}[{', '.join(str(int(i)) for i in index)}]"


def first(mask: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Index of the first true entry."""
    return tuple(int(i) for i in np.unravel_index(int(mask.argmax()), mask.shape))


def refuse_entries(wrong: npt.NDArray[np.bool_], values: npt.NDArray[Any], name: str, expected: str) -> None:
    """Refuse the first of the entries that are wrong, if any is."""
    if wrong.any():
        where = first(wrong)
        raise BadValue(name, f"= {values[where]}", expected, where)


def as_numpy(values: Any) -> npt.NDArray[Any]:
    """Return an array of any framework as a NumPy array, without a copy where there is none to make.

    A tensor (what has ``detach`` and ``cpu``, as in PyTorch) may require gradients and lie on a device.
    Anything else is read by ``__array__``, or by ``__dlpack__`` where that fails. bfloat16 becomes float32
    that remembers its `precision`.
    """
    if isinstance(values, list | tuple) and values and _is_foreign(values[0]):
        values = [as_numpy(value) for value in values]
    if callable(getattr(values, "detach", None)) and callable(getattr(values, "cpu", None)):
        values = values.detach().cpu()
        if "bfloat16" in str(values.dtype):
            return _of_buffer(values.float()).view(BFLOAT16)
    array = _of_buffer(values)
    return array.astype(BFLOAT16) if array.dtype.name == "bfloat16" else array


def precision(dtype: np.dtype[Any]) -> str:
    """Name of the type that the numbers were rounded to: that of `dtype`, or "bfloat16"."""
    return str(dtype.metadata["precision"]) if dtype.metadata else dtype.type.__name__  # `name` is slow


def _is_foreign(values: Any) -> bool:
    ways = ("detach", "__dlpack__")
    return not isinstance(values, np.ndarray) and any(callable(getattr(values, way, None)) for way in ways)


def _of_buffer(values: Any) -> npt.NDArray[Any]:
    """Read what lies in memory: by `__array__` or as a list, else by `__dlpack__`."""
    exchanged = callable(getattr(values, "__dlpack__", None))
    if hasattr(values, "__array__") or not exchanged:
        try:
            return np.asarray(values)
        except TypeError:  # such as CuPy's, which moves nothing to the host unless asked to
            if not exchanged:
                raise
    on_host: Any = {"device": "cpu"} if np.lib.NumpyVersion(np.__version__) >= "2.1.0" else {}
    return np.from_dlpack(values, **on_host)


def real_array(values: Any, name: str, ndim: Sequence[int]) -> FloatArray:
    """Return `values` as a floating-point array with one of the dimensions in `ndim`.

    float16, float32 and float64 keep their type, integers and booleans become float64.
    """
    array = plain_array(values, name)
    real_kind(array, name, ndim)
    if array.dtype not in (np.float16, np.float32, np.float64):
        array = array.astype(np.float64)
    return array


def real_kind(array: Any, name: str, ndim: Sequence[int]) -> None:
    """Refuse an array, in memory or not, of another kind of numbers or another shape, or without rows."""
    if array.dtype.kind not in "fiub":
        raise BadType(name, f"has dtype {array.dtype}", "real numbers")
    if array.ndim not in ndim:
        expected = " or ".join(f"{d}-D" for d in ndim)
        raise BadValue(name, f"has shape {array.shape}", f"a {expected} array")
    if array.size == 0:
        raise BadValue(name, f"is empty (shape {array.shape})", "at least one row")


def plain_array(values: Any, name: str) -> npt.NDArray[Any]:
    if sparse.issparse(values):
        raise BadType(name, "is a sparse matrix", "a dense array (use .toarray())")
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.getmaskarray(values).any():
            where = first(np.ma.getmaskarray(values))
            raise BadValue(name, "is masked", "an array without missing values", where)
        return np.asarray(values.data)
    try:
        array = as_numpy(values)
    except (ValueError, TypeError, BufferError, RuntimeError) as error:  # the last is PyTorch's
        raise BadValue(name, f"cannot be read as an array of numbers ({error})", "numbers") from error
    if array.dtype.kind == "c":
        raise BadValue(name, "is complex", "real numbers. Complex data not supported")
    return array


def probabilities(y_prob: Any, name: str = "y_prob", ndim: Sequence[int] = (1, 2)) -> FloatArray:
    """Return probabilities of shape (n,) (positive class) or (n, K) (rows that sum to 1)."""
    array = real_array(y_prob, name, ndim)
    classes(array, name)
    check_probabilities(array, name)
    return array


def check_forecast(array: FloatArray, first_row: int, *, from_logits: bool) -> None:
    """Check the numbers of `y_prob` where it may be logits."""
    if from_logits:
        check_logits(array, "y_prob", first_row)
    else:
        check_probabilities(array, "y_prob", first_row, or_logits=True)


def check_probabilities(array: FloatArray, name: str, first_row: int = 0, *, or_logits: bool = False) -> None:
    """Refuse numbers outside [0, 1], and rows of class probabilities that do not sum to 1.

    `first_row` is the place of the first row in the array that the refusal speaks of; with `or_logits` the
    caller takes ``from_logits=True``, too.
    """
    if not (array.min() >= 0 and array.max() <= 1):
        where = first(~((array >= 0) & (array <= 1)))
        expected = "a probability in [0, 1]"
        if array.min() >= 0 and 1.5 < array.max() <= 100:
            expected += f" (of percentages {name} / 100)"
        elif array.min() < 0 and np.isfinite(array).all():
            remedy = "softmax" if array.ndim == 2 else "expit"
            expected += f" (of logits their {remedy}{', or from_logits=True' * or_logits})"
        raise BadValue(name, f"= {array[where]}", expected, where).moved(first_row)
    if array.ndim == 1 or _surely_sum_to_one(array):
        return
    sums = row_sums(array, axis=1)
    wrong = abs(sums - 1) > SUM_TOLERANCE[precision(array.dtype)]
    if wrong.any():
        where = first(wrong)
        expected = "class probabilities that sum to 1" + _remedy(array[where], abs(sums[where] - 1), name)
        raise BadValue(name, f"sums to {sums[where]:.8g}", expected, where).moved(first_row)


def _surely_sum_to_one(array: FloatArray) -> bool:
    """Tell whether sums in the array's own precision, which are quick, leave no doubt.

    K numbers in [0, 1] that sum to about 1 are added up with an error of at most about K units of rounding.
    """
    classes, tolerance = array.shape[1], SUM_TOLERANCE[precision(array.dtype)]
    if 4 * classes * np.finfo(array.dtype).eps > tolerance:
        return False
    sums = array @ np.ones(classes, array.dtype)
    return bool(sums.min() >= 1 - tolerance / 2 and sums.max() <= 1 + tolerance / 2)


def _remedy(row: FloatArray, missed: float, name: str) -> str:
    """Say what to do with a row that misses the sum of 1 by no more than rounding can take from it."""
    line = f"{name} / {name}.sum(axis=1, keepdims=True)"
    if missed < HALF_PRECISION and _cast_up(row):
        return f" (these look like half-precision numbers cast up: {line})"
    return f" (if they were rounded: {line})" if missed < len(row) * 0.0051 else ""  # to two decimals


def _cast_up(row: FloatArray) -> bool:
    """Tell whether a row holds float16 or bfloat16 numbers in a wider type."""
    single = row.astype(np.float32)
    if row.dtype == np.float16 or not np.array_equal(row, single):
        return False
    brain = not (single.view(np.uint32) & 0xFFFF).any()  # bfloat16 is the first half of float32
    return brain or np.array_equal(row, row.astype(np.float16))


def classes(array: Any, name: str) -> int:
    """Return the number of classes that the columns of `array` stand for."""
    if array.ndim == 1:
        return 2
    if array.shape[1] < 2:
        raise BadValue(
            name,
            f"has shape {array.shape}",
            "one column per class, at least two (for the positive class alone pass a 1-D array)",
        )
    return int(array.shape[1])


def logits(values: Any, name: str = "logits", ndim: Sequence[int] = (1, 2)) -> FloatArray:
    """Return logits of shape (n,) (binary, read as (0, z)) or (n, K); -inf may stand, but not alone."""
    array = real_array(values, name, ndim)
    classes(array, name)
    check_logits(array, name)
    return array


def check_logits(array: FloatArray, name: str, first_row: int = 0) -> None:
    """Refuse NaN, +inf, and rows of -inf alone; `first_row` as for `check_probabilities`."""
    lowest = array.min()
    if not array.max() < np.inf or np.isnan(lowest):
        where = first(np.isnan(array) | (array == np.inf))
        raise BadValue(name, f"= {array[where]}", "a logit below infinity", where).moved(first_row)
    if array.ndim == 2 and lowest == -np.inf:
        ruled_out = (array == -np.inf).all(axis=1)
        if ruled_out.any():
            expected = "one finite logit at least"
            raise BadValue(name, "is -inf in every class", expected, first(ruled_out)).moved(first_row)


def look_like_probabilities(scores: FloatArray) -> bool:
    """Tell whether a column lies in [0, 1], or rows there sum to 1 or less, or to about 100; it takes ten."""
    if len(scores) < 10 or not 0 <= scores.min() < scores.max() <= 100:
        return False
    whole = 1 if scores.max() <= 1 else 100
    if scores.ndim == 1:
        return whole == 1
    off = scores.sum(axis=1, dtype=np.float64) / whole - 1
    return bool((off if whole == 1 else np.abs(off)).max() < ROUNDED)


def look_like_percentages(scores: FloatArray, labels: npt.NDArray[Any]) -> bool:
    """Tell whether a column in [0, 100], read as percentages, tells more of the labels than their share."""
    if scores.ndim == 2 or len(scores) < 10 or not 0 <= scores.min() <= 20 < scores.max() <= 100:
        return False
    share = labels.mean()
    return bool(np.mean((scores.astype(np.float64) / 100 - labels) ** 2) < share * (1 - share))


def stand_ins(values: FloatArray, name: str) -> None:
    """Warn where one number stands in many places, far below all others, as for letters that did not come."""
    some = values[:SOME_ROWS]
    if some.min(initial=0.0) > -50:
        return
    some = some[some > -np.inf].astype(np.float64)
    lowest = some.min(initial=0.0)
    others, n = some[some > lowest], np.count_nonzero(some == lowest)
    if lowest <= -50 and n >= 5 and others.size and others.min() - lowest > np.ptp(others):
        found = f"{name} is {lowest:g} in {n} places and at least {others.min():.3g} elsewhere"
        remedy = "write the row's smallest logarithm that came, or -inf for an impossible class"
        warn(f"{found}: a stand-in decides the fit by itself, {remedy}")


def log_of_one_class(values: FloatArray, name: str) -> None:
    """Warn where a column is nowhere above 0, and just below it in many places, as of sure rows."""
    values = values[:SOME_ROWS]
    if values.ndim == 1 and values.max() <= 0 and len(np.unique(values[values > -0.01])) >= MANY_VALUES:
        warn(f"{name} looks like log-probabilities of one class: its logit is log p - log(1 - p)")


def read_as_logits(values: FloatArray, name: str) -> None:
    """Warn where logits look like probabilities, or their logarithms of one class, or to base 10 or 2."""
    values = values[:SOME_ROWS]
    if look_like_probabilities(values):
        warn(f"{name} looks like probabilities: with from_logits=True it is read as logits")
    log_of_one_class(values, name)
    stand_ins(values, name)
    if values.ndim == 1 or len(values) < 10 or values.min() == values.max():
        return
    if values.max() > 2 * HALF_PRECISION:  # one power alone is larger than 1: most logits end here
        return
    for base in (10.0, 2.0):
        with np.errstate(over="ignore"):
            sums = (base ** values.astype(np.float64)).sum(axis=1)
        if np.abs(sums - 1).max() < HALF_PRECISION:
            warn(f"{name} looks like log{base:.0f} of probabilities: logits are natural logarithms, np.log")


def softmax_taken_twice(values: FloatArray, name: str) -> None:
    """Warn where rows are the softmax of rows that sum to 1, many of which are sure of one class."""
    values = values[:SOME_ROWS]
    if values.ndim == 1 or len(values) < 10:
        return
    most = float(values.max()) * (1 + (values.shape[1] - 1) / np.e)  # 1 for the softmax of a certainty
    if not SURE**2 < most < 1 + HALF_PRECISION or values.min() <= 0:
        return
    logs = np.log(values.astype(np.float64))
    inner = logs - logs.mean(axis=1, keepdims=True) + 1 / values.shape[1]
    sure = (inner.max(axis=1) > SURE).mean()
    if inner.min() > -HALF_PRECISION and sure > 0.1 and many_values(values):  # a tree has few
        warn(f"{name} looks like a softmax of probabilities: was it taken twice?")


def predicted_classes(values: FloatArray, name: str, *, whole: bool = False) -> None:
    """Warn where forecasts are 0 and 1; all may be equal unless their type holds `whole` numbers."""
    for part in (values[:SOME_ROWS], values):
        if len(values) < 10 or not ((part == 0) | (part == 1)).all():
            return
    if whole or values.min() < values.max():
        warn(
            f"{name} holds only 0 and 1: of predicted classes pass predict_proba's; "
            "a tree grown to its end is so sure, too (min_samples_leaf)"
        )


def percentages(values: FloatArray, labels: IntArray, name: str) -> None:
    """Warn where forecasts of a rare event are, as percentages below 1 are, a hundred times its share.

    No chance and no other mistake than learning from balanced classes brings so much; five events tell it.
    """
    events, n = int(np.count_nonzero(labels)), len(labels)
    if values.ndim == 2 or not 5 <= events <= n / 100 or not 0 <= values.min() < values.max() <= 1:
        return
    said, share = float(values.mean(dtype=np.float64)), events / n
    if 50 * share < said < min(200 * share, 0.5):
        warn(
            f"{name} is {said:.2g} on average, and only {share:.2g} of the labels are 1: pass {name} / 100 "
            "of percentages; after training on balanced classes see decisions.adjust_to_priors"
        )


def label_logits(
    logits: FloatArray, labels: IntArray, weights: npt.NDArray[np.float64], name: str = "X"
) -> None:
    """Refuse a row that counts and whose own label has the logit -inf: no temperature makes it possible."""
    if logits.min() > -np.inf:
        return
    impossible = (logits[np.arange(len(labels)), labels] == -np.inf) & (weights > 0)
    if impossible.any():
        where = first(impossible)
        found = f"has the logit -inf for its own label {labels[where]}"
        raise BadValue(name, found, "a finite logit there", where)


def finite(values: Any, name: str, ndim: Sequence[int]) -> FloatArray:
    """Return an array of finite numbers."""
    array = real_array(values, name, ndim)
    if not np.isfinite(array).all():
        where = first(~np.isfinite(array))
        problem = "NaN" if np.isnan(array[where]) else "infinity"
        raise BadValue(name, f"is {problem}", "finite numbers (no NaN, no inf)", where)
    return array


def labels(y_true: Any, n_classes: int, name: str = "y_true") -> IntArray:
    """Return class labels as whole numbers 0..n_classes-1; whole floats and, of two classes, bool pass."""
    array = plain_array(y_true, name)
    if array.dtype == bool and n_classes > 2:
        expected = f"class numbers 0..{n_classes - 1} (hits go with the top label's probability, 1-D)"
        raise BadType(name, f"holds booleans, and there are {n_classes} classes", expected)
    if array.dtype.kind not in "biuf":
        expected = f"class numbers 0..{n_classes - 1}"
        if array.dtype.kind in "OUST":
            expected += f" (np.unique({name}, return_inverse=True)[1], if columns follow the sorted labels)"
        raise BadType(name, f"has dtype {array.dtype}", expected)
    if array.ndim != 1:
        expected = "a 1-D array of class numbers" + _flattened(array, name)
        raise BadValue(name, f"has shape {array.shape}", expected)
    if array.size == 0:
        raise BadValue(name, "is empty", "at least one label")
    if array.dtype.kind == "f":
        whole = np.floor(array) == array
        if not whole.all():
            _refuse_label(array, ~whole, n_classes, name)
    if not (array.min() >= 0 and array.max() <= n_classes - 1):
        _refuse_label(array, (array < 0) | (array > n_classes - 1), n_classes, name)
    return array.astype(np.int64, copy=False)


def _flattened(array: npt.NDArray[Any], name: str) -> str:
    """Say how a column of labels, or a table with a 1 in each row, becomes what is expected."""
    if array.ndim == 2 and array.shape[1] == 1:
        return f" (np.ravel({name}))"
    one_hot = array.ndim == 2 and array.size > 0 and array.dtype.kind in "biuf"
    if one_hot and np.isin(array, [0, 1]).all() and (array.sum(axis=1) == 1).all():
        return f" (np.argmax({name}, axis=1) of one-hot labels)"
    return ""


def _refuse_label(array: npt.NDArray[Any], wrong: npt.NDArray[np.bool_], n_classes: int, name: str) -> None:
    where = first(wrong)
    kind = ", not a continuous value" if array.dtype.kind == "f" else ""
    expected = f"a class number, 0..{n_classes - 1} for {n_classes} classes{kind}"
    if 1 <= array.min() < array.max() == n_classes:
        expected += f" (labels start at 0: pass {name} - 1)"
    elif n_classes == 2 and np.isin(array, [-1, 1]).all():
        expected += f" (for the labels -1 and 1 pass {name} > 0)"
    raise BadValue(name, f"= {array[where]}", expected, where)


def labels_and_columns(labels: IntArray, values: FloatArray, name: str) -> None:
    """Warn where labels and columns, one per class, look as if they did not go together.

    Read once, by every measure and calibrator: labels 1..K, and columns in another order.
    """
    if values.ndim == 1 or values.shape[1] == 2:
        return
    every, lowest = slice(None, None, max(1, len(labels) // ENOUGH_ROWS)), labels.min()
    labels, some = labels[every], values[every]
    parts = np.array_split(some, 1 + some.size // 10**5)  # `argmax` copies rows that do not lie side by side
    best = np.concatenate([part.argmax(axis=1) for part in parts])
    if lowest < 1 or not _labels_from_one(labels, best, name, values.shape[1]):
        _another_order(labels, best, name, values.shape[1])


def _labels_from_one(labels: IntArray, best: IntArray, name: str, n_classes: int) -> bool:
    """Warn where the labels look like 1..K: none is 0, and one less is right far more often.

    Far more often is three standard deviations of chance: the rows on which just one of the two readings is
    right would be a coin's tosses.
    """
    right, right_less_one = best == labels, best == labels - 1
    gained = int(right_less_one.sum()) - int(right.sum())
    if gained <= 3 * np.sqrt(np.count_nonzero(right != right_less_one)):
        return False
    warn(
        f"{name} never is 0, and {name} - 1 is the largest column's class in {right_less_one.mean():.0%} "
        f"of the rows, {name} in {right.mean():.0%}: labels start at 0, pass {name} - 1 if these are "
        f"1..{n_classes}"
    )
    return True


def _another_order(labels: IntArray, best: IntArray, name: str, n_classes: int) -> None:
    """Warn where columns in another order would find most rows of some classes, and four times as many.

    Twice as many do, and four tenths, where in that order each class leads its row and its column. A shift
    that confuses classes (images turned round) may gain from another order, but not so much.
    The order is found on every second row and tried on the others, where it has to gain four standard errors.
    Each class counts the same, so that classes in other proportions than in training change nothing, and
    one with few rows keeps its column.
    """
    halves = [(labels[start::2], best[start::2]) for start in (0, 1)]
    counts = np.array([np.bincount(own, minlength=n_classes) for own, _ in halves])
    seen = np.flatnonzero(counts.min(axis=0) >= ROWS_OF_A_CLASS)
    k, number = len(seen), np.full(n_classes, len(seen))
    number[seen] = np.arange(k)
    cells = (np.bincount(number[own] * (k + 1) + number[top], minlength=(k + 1) ** 2) for own, top in halves)
    rows = counts[:, seen]
    found, tried = (
        one.reshape(k + 1, k + 1)[:k, :k] / n[:, None] for one, n in zip(cells, rows, strict=True)
    )
    order = linear_sum_assignment(-found)[1]
    moved = np.flatnonzero(order != np.arange(k))
    if not moved.size:
        return
    n = rows[1, moved]
    own, other = (tried[moved, moved] * n + 1) / (n + 2), tried[moved, order[moved]]
    error = np.sqrt(((own + other) / n).sum())
    leads = (tried.argmax(axis=1) == order).all() and (tried.argmax(axis=0)[order] == np.arange(k)).all()
    rules = [(4, 0.5, 4), (2, 0.4, 6)][: 1 + int(leads)]  # times as many, share of the rows, standard errors
    total, gain = other.sum(), (other - own).sum()
    if any(total > max(t * own.sum(), s * len(moved)) and gain > e * error for t, s, e in rules):
        reading = np.arange(n_classes)
        reading[seen] = seen[order]
        warn(
            f"{name} is the largest column's class in {(best == labels).mean():.0%} of the rows, and in "
            f"{(best == reading[labels]).mean():.0%} with the columns in another order: they stand in that "
            "of the class numbers, or of the sorted names ('10' before '2')"
        )


def labels_of_one_class(labels: IntArray) -> None:
    """Warn where all of ten labels or more are equal, as where the rows of a class were lost."""
    if len(labels) >= 10 and labels.min() == labels.max():
        warn(f"all {len(labels)} labels are class {labels[0]}: are these all rows?")


def turned_round(scores: FloatArray, labels: IntArray, name: str, known: bool = False) -> bool:
    """Warn where rows of class 1 have the lower scores, or where that is known; tell whether it did."""
    if turned := known or _lower_in_class_one(scores, labels):
        warn(f"{name} is lower where the label is 1: are labels, columns or the sign turned round?")
    return turned


def _lower_in_class_one(scores: FloatArray, labels: IntArray) -> bool:
    """Tell whether rows of class 1 have the lower scores: twenty or more, by four standard errors of means.

    A thousand rows of each class tell it, however rare one of them is.
    """
    low, high = (_some_scores(scores, labels, one).astype(np.float64) for one in (0, 1))
    unit = max(float(np.abs(np.r_[low, high]).max()), 1e-100)  # squares neither overflow nor vanish
    if min(len(low), len(high)) < ENOUGH_OF_A_CLASS or not np.isfinite(unit):
        return False
    low, high = low / unit, high / unit
    return bool(high.mean() - low.mean() < -4 * np.sqrt(low.var() / len(low) + high.var() / len(high)))


def _some_scores(scores: FloatArray, labels: IntArray, one: int) -> FloatArray:
    """Return the scores of a thousand rows of a class or more, all of them where it has fewer."""
    step = max(1, len(labels) // (10 * SOME_ROWS))
    if (of_class := labels[::step] == one).sum() >= SOME_ROWS:
        return np.asarray(scores[::step][of_class])
    rows = np.flatnonzero(labels == one)
    return np.asarray(scores[rows[:: max(1, len(rows) // SOME_ROWS)]])


def sorted_first(labels: IntArray, scores: FloatArray, known: Sequence[Any]) -> None:
    """Warn where names without a `pos_label` stand the wrong way round: 'fraud' is sorted before 'ok'."""
    if len(labels) == len(scores) and _lower_in_class_one(scores, labels):
        warn(
            f"y_prob is lower where the label is {known[1]!r}, the last of the sorted labels, whose "
            f"probability it is without pos_label: pass pos_label={known[0]!r} if it is that one's"
        )


def many_values(forecasts: FloatArray) -> bool:
    """Tell whether the first rows hold twenty different forecasts or more."""
    return len(np.unique(_one_class(forecasts)[:SOME_ROWS])) >= MANY_VALUES


def _one_class(forecasts: FloatArray) -> FloatArray:
    return forecasts if forecasts.ndim == 1 else forecasts[:, 0]


def _slots(values: FloatArray) -> npt.NDArray[np.uint64]:
    """Return a number below `_SLOTS` for each value, the same for equal ones."""
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # -0 is 0
    return (bits * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - 16)  # Fibonacci hashing


def repeated(forecasts: FloatArray, labels: IntArray, name: str) -> None:
    """Warn where forecasts come 2 (3, 4 ...) times with each of their labels, as when files were joined.

    Also where those of one class of two are copies and the other's are not, as after oversampling.
    """
    column = _one_class(forecasts)
    some = np.unique(column[:: max(1, len(column) // SOME_ROWS)])
    if len(some) < MANY_VALUES:
        return
    near, n_classes = np.zeros(_SLOTS, dtype=bool), int(labels.max()) + 1
    near[_slots(some)] = True
    rows = np.flatnonzero(near[_slots(column)])  # few: to search for all would take ten times as long
    place = np.searchsorted(some, column[rows]).clip(max=len(some) - 1)
    pairs = (place * n_classes + labels[rows])[some[place] == column[rows]]
    copies = np.bincount(pairs, minlength=len(some) * n_classes).reshape(-1, n_classes)
    times = int(np.gcd.reduce(copies, axis=None))  # rows with one forecast and several labels are no copies
    if times > 1:
        warn(f"each row of {name} occurs {times} times: rows that are copies say nothing new, drop them")
    total, values = copies.sum(axis=0), (copies > 0).sum(axis=0)
    if n_classes == 2 and min(*total, *values) >= MANY_VALUES:
        one = int((values / total).argmin())
        spread = copies[:, one].max() < total[one] / 10  # where a model is sure, many forecasts are equal
        if spread and values[one] < 0.6 * total[one] and values[1 - one] >= 0.99 * total[1 - one]:
            warn(f"rows of {name} with the label {one} are copies, the others not: use rows as they came")


def new_rows(new: FloatArray, old: FloatArray, names: tuple[str, str] = ("y_prob", "held_out_prob")) -> None:
    """Warn where rows that should be others are the same."""
    if many_values(new) and np.array_equal(new, old):
        warn(f"{names[0]} holds the rows of {names[1]}: expected other rows, from after a shift")


def class_labels(y: Any, name: str = "y") -> npt.NDArray[Any]:
    """Return class labels of any one sortable kind: whole numbers, booleans or strings."""
    if y is None:
        expected = "labels (fit requires y to be passed, but the target y is None)"
        raise BadValue(name, "is None", expected)
    array = plain_array(y, name)
    if array.ndim != 1 or array.size == 0:
        expected = "a 1-D array of class labels, not empty" + _flattened(array, name)
        raise BadValue(name, f"has shape {array.shape}", expected)
    if array.dtype.kind == "f":
        odd = ~(np.floor(array) == array)
        if odd.any() or np.isinf(array).any():
            where = first(odd | np.isinf(array))
            kind = "continuous" if np.isfinite(array[where]) else "contains NaN or infinity"
            expected = f"class labels (whole numbers, booleans or strings). Unknown label type: {kind}"
            raise BadValue(name, f"= {array[where]}", expected, where)
    elif array.dtype.kind == "O":
        kinds = {type(label) for label in array}
        if not all(issubclass(kind, str) for kind in kinds):
            names = ", ".join(sorted(kind.__name__ for kind in kinds))
            gaps = np.array([one is None or type(one).__name__ == "NAType" or one != one for one in array])
            if gaps.any():
                where = first(gaps)
                raise BadType(name, f"is {array[where]}", "a label in each row", where)
            plain = len(kinds) == 1 and issubclass(kinds.pop(), int | np.integer | np.bool_)
            remedy = f" (np.array({name}.tolist()))" if plain else ""
            raise BadType(name, f"holds objects ({names})", "whole numbers, booleans or strings" + remedy)
    elif array.dtype.kind not in "biuUS":
        raise BadType(name, f"has dtype {array.dtype}", "whole numbers, booleans or strings")
    return array


def class_numbers(
    y_true: Any, y_prob: FloatArray, order: Any = None, pos_label: Label = None, *, columns_of: Any = None
) -> IntArray:
    """Return the numbers of the classes that `y_true` names: the columns of `y_prob`, or 1 for its one class.

    `order` names the columns, `pos_label` the class of a 1-D `y_prob`. Without both, numbers are class
    numbers already, and strings stand in sorted order, as in scikit-learn, if each class occurs. The names in
    `columns_of`, a data frame, may not contradict that.
    """
    n_classes, array = classes(y_prob, "y_prob"), plain_array(y_true, "y_true")
    if order is None and pos_label is None and array.dtype.kind not in "OUS":
        columns_in_order(columns_of, range(n_classes))
        return labels(array, n_classes)
    distinct, rows = np.unique(class_labels(array, "y_true"), return_inverse=True)
    known = (distinct if order is None else class_labels(order, "labels")).tolist()
    if order is not None and (len(known) != n_classes or len(set(known)) != n_classes):
        raise BadValue("labels", f"= {known}", f"{n_classes} different classes, as y_prob speaks of")
    if pos_label is not None:
        others = [one for one in known if one != pos_label]
        alike = all(isinstance(one, str) == isinstance(pos_label, str) for one in others)
        if y_prob.ndim == 2 or not np.isscalar(pos_label) or not alike or len(others) > 1:
            expected = f"one of two classes, whose probability a 1-D y_prob gives; the labels are {known}"
            raise BadValue("pos_label", f"= {pos_label!r}", expected)
        known = [*others, pos_label]
    elif len(known) != n_classes:
        expected = f"{n_classes}, or labels=... in the order of the columns (1-D: pos_label=...)"
        raise BadValue("y_true", f"holds {len(known)} different labels", expected)
    elif y_prob.ndim == 1 and pos_label is None and order is None:
        sorted_first(rows, y_prob, known)
    columns_in_order(columns_of, known)
    numbers = dict(zip(known, range(n_classes - len(known), n_classes), strict=True))
    found = np.array([numbers.get(label, -1) for label in distinct.tolist()])[rows]
    if found.min() < 0:
        where = first(found < 0)
        raise BadValue("y_true", f"= {array[where]!r}", f"one of {known}", where)
    return found.astype(np.int64, copy=False)


def same_rows(axis: str = "index", /, **given: Any) -> None:
    """Refuse pandas objects whose indexes (or columns) hold the same entries in another order.

    Rows go by position: to align them here would be a guess.
    """
    found: Any = ((name, getattr(one, axis, None)) for name, one in given.items())
    named = [(name, names) for name, names in found if hasattr(names, "equals")]  # a list has an index, too
    for (other, reference), (name, names) in pairwise(named):
        if not names.equals(reference) and _reordered(names, reference):
            remedy = f"{name}.loc[{other}.index]" if axis == "index" else f"{name}[{other}.columns]"
            expected = f"one order, since they go by position ({remedy}, or {name}.to_numpy() if it fits)"
            where = next(i for i, (a, b) in enumerate(zip(names, reference, strict=True)) if a != b)
            raise BadValue(f"{name}.{axis}", f"holds that of {other} in another order", expected, (where,))


def columns_in_order(y_prob: Any, known: Sequence[Any], name: str = "y_prob") -> None:
    """Refuse a data frame whose columns have the names of the known classes in another order."""
    columns = getattr(y_prob, "columns", None)
    if columns is not None and _reordered(columns, known):
        order = list(known)
        expected = f"the order of the classes, {order} ({name}[{order}])"
        raise BadValue(name, f"has the columns {columns.tolist()}", expected)


def entries_in_order(values: Any, n_classes: int, name: str) -> None:
    """Refuse a series that holds the classes 0..K-1 in another order, as `value_counts` gives them."""
    index: Any = getattr(values, "index", None)
    if hasattr(index, "equals") and _reordered(index, range(n_classes)):
        expected = f"the order of the classes ({name}.sort_index())"
        raise BadValue(f"{name}.index", f"= {index.tolist()}", expected)


def _reordered(names: Any, others: Any) -> bool:
    return len(names) == len(others) and list(names) != list(others) and set(names) == set(others)


def same_length(**arrays: npt.NDArray[Any]) -> None:
    """Refuse arguments whose first dimensions differ."""
    (name, reference), *others = arrays.items()
    for other_name, other in others:
        if len(other) != len(reference):
            found = f"has {len(reference)} rows and {other_name} has {len(other)}"
            raise BadValue(name, found, "equal lengths")


@dataclass(frozen=True, eq=False)
class Rows:
    """Forecasts, shape (n,) or (n, K), with their labels and weights, row by row."""

    y_prob: FloatArray
    labels: IntArray
    weights: Floats | None

    @property
    def n_classes(self) -> int:
        """Number of classes that the forecasts speak of."""
        return classes(self.y_prob, "y_prob")

    def counted(self) -> tuple[FloatArray, IntArray, Floats]:
        """Return forecasts, labels and weights of the rows that count, the largest weight being 1."""
        if self.weights is None:
            return self.y_prob, self.labels, np.ones(len(self.labels))
        keep = self.weights > 0
        return self.y_prob[keep], self.labels[keep], self.weights[keep] / self.weights.max()


def forecast(
    y_true: Any,
    y_prob: Any,
    sample_weight: Any = None,
    *,
    ndim: Sequence[int] = (1, 2),
    in_part: bool = False,
    names: Names = (None, None),
    from_logits: bool = False,
    called: str = "y_prob",
    yes_or_no: bool = True,
) -> Rows:
    """Read labels, forecasts and weights; only the numbers in `y_prob` are left to check.

    `names` are the options `labels` and `pos_label`; a warning speaks of `y_prob` as `called`. With
    `yes_or_no` forecasts may all be 0 and 1, which have a score, but no calibration. A pass over large data
    checks the numbers block by block, with `check_probabilities` or `check_logits`.
    """
    same_rows(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    values = real_array(y_prob, "y_prob", ndim)
    numbers = class_numbers(y_true, values, *names, columns_of=y_prob)
    same_length(y_true=numbers, y_prob=values)
    labels_and_columns(numbers, values, "y_true")
    if classes(values, "y_prob") == 2:
        turned_round(values if values.ndim == 1 else values[:, 1], numbers, called)
    if from_logits:
        read_as_logits(values, called)
    else:
        whole = getattr(getattr(y_prob, "dtype", None), "kind", "f") in "biu"
        if whole or not yes_or_no:
            predicted_classes(values, called, whole=whole)
        softmax_taken_twice(values, called)
        if sample_weight is None:
            percentages(values, numbers, called)
    return Rows(values, numbers, weights(sample_weight, len(numbers), in_part=in_part))


def count_as_rows(weights: Floats | None) -> None:
    """Warn where weights that are counted as rows sum to hardly one: perhaps they were made to sum to 1."""
    if weights is not None and len(weights) >= 10 and weights.sum() < 2:
        found = f"sample_weight sums to {weights.sum():.2g}, so its {len(weights)} rows count as so few"
        warn(f"{found}: divide it by its mean")


def weights(
    sample_weight: Any, n: int, name: str = "sample_weight", *, in_part: bool = False
) -> npt.NDArray[np.float64] | None:
    """Return importance weights of shape (n,), or None where none were given; in a part all may be 0."""
    if sample_weight is None:
        return None
    array = finite(sample_weight, name, ndim=(1,)).astype(np.float64, copy=False)
    if len(array) != n:
        raise BadValue(name, f"has {len(array)} rows and the data have {n}", "equal lengths")
    refuse_entries(array < 0, array, name, "a weight of at least 0")
    with np.errstate(over="ignore"):
        if np.isinf(array.sum()):
            raise BadValue(name, "sums to infinity", "weights whose sum float64 can hold")
    if not in_part:
        some_weight(float(array.max()), name)
    return array


def squarable(array: Floats | None, name: str = "sample_weight") -> None:
    """Refuse weights whose squares float64 cannot add up."""
    if array is None or 1e-100 <= array.min() <= array.max() <= 1e100:
        return
    wrong = (array > 0) & ~((array >= 1e-100) & (array <= 1e100))
    refuse_entries(wrong, array, name, "0, or a weight between 1e-100 and 1e+100")


def some_weight(most: float, name: str = "sample_weight") -> None:
    """Refuse weights whose maximum, or sum, is 0."""
    if most == 0:
        raise BadValue(name, "is zero everywhere", "at least one positive weight")


def positive_whole(value: Any, name: str, least: int = 1) -> int:
    """Return a whole number of at least 1, or `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < least:
        raise BadValue(name, f"= {value!r}", f"a whole number of at least {least}")
    return int(value)


def non_negative_whole(value: Any, name: str) -> int:
    """Return a whole number of at least 0."""
    return positive_whole(value, name, 0)


def number_between(value: Any, low: float, high: float, name: str, *, open_ends: bool = False) -> float:
    """Return a number in [low, high], or in (low, high) with `open_ends`."""
    brackets = f"({low:g}, {high:g})" if open_ends else f"[{low:g}, {high:g}]"
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not real or not (low < value < high if open_ends else low <= value <= high):
        raise BadValue(name, f"= {value!r}", f"a number in {brackets}")
    return float(value)


def confidence(level: Any) -> float:
    """Return the level of an interval; warn where it looks like the share of intervals that miss."""
    if number_between(level, 0, 1, "level", open_ends=True) <= 0.1:
        warn(f"level = {level} is how often the interval holds the truth: expected one such as 0.95")
    return float(level)


def generator(random_state: Any, name: str = "random_state") -> np.random.Generator:
    """Return the generator of random numbers that a seed stands for."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        expected = "None, a whole number of at least 0, or a numpy.random.Generator"
        raise BadValue(name, f"= {random_state!r}", expected) from None


def one_of(value: Any, known: Sequence[Any], name: str) -> None:
    """Refuse an option that is not one of the known ones."""
    if not any(isinstance(value, type(option)) and value == option for option in known):
        options = ", ".join(repr(option) for option in known)
        raise BadValue(name, f"= {value!r}", f"one of {options}")


def warn(message: str) -> None:
    """Warn at the line outside this package that called into it."""
    package, level, frame = __name__.partition(".")[0], 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
