"""The measures and the temperatures over Dask arrays: data in blocks that never lie in memory together.

Each block of rows is turned into a few sums by the function that serves arrays in memory, neighbouring
sums are added in a tree, and the last ones give the result. The tree is drawn by the blocks alone, so every
scheduler adds in the same order.
"""

from __future__ import annotations

import inspect
import math
import operator
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from .. import _input
from .._extras import missing
from .._typing import Norm, Strategy, Target
from ..calibrators.temperature import LogitLimits, LogitRows, TemperedSoftmax
from ..measures import ece, proper_scores, reliability
from ..measures._forecast import resolve_target
from ..measures.accumulator import CalibrationAccumulator
from ..measures.ece import refuse_weights, targets_of
from ..measures.proper_scores import brier_sums, mean_over_rows, nll_sums
from ..measures.reliability import ReliabilityCurve

try:
    import dask
    import dask.array as da
    from dask.delayed import Delayed
except ImportError as error:
    raise missing(__name__, "scale", error) from error

PLACES = """Rows of `y_prob` stand in blocks, a row's classes in one block; labels and weights are cut alike.
The result is that of all rows in memory, but for rounding. A bad row is named by its place in the whole array
and in its block.

"""
FAN_IN = 16  # parts that one task adds up

Measure = TypeVar("Measure", bound=Callable[..., Any])
Block = tuple[Delayed | None, ...]  # what lies in one block of rows, an entry an argument
AddUp = Callable[..., Any]  # from the arrays of a block to its sums
Add = Callable[[Any, Any], Any]  # from the sums of two parts to those of both; changes neither


def told_as(original: Callable[..., Any]) -> Callable[[Measure], Measure]:
    """Take over what the function for arrays in memory says of its parameters, in front of the examples."""

    def told(function: Measure) -> Measure:
        _, _, said = (inspect.getdoc(original) or "").partition("Parameters\n")
        said = said.partition("Notes\n")[0].partition("References\n")[0].partition("Examples\n")[0]
        said = said.replace("y_prob : array_like", "y_prob : Dask array")
        said = said.replace("array_like", "Dask or NumPy array")
        said = re.sub(r"labels, pos_label : .*\n(?: {4}.*\n)*", "", said)  # here labels are 0..K-1
        summary, _, examples = (inspect.getdoc(function) or "").partition("Examples\n")
        function.__doc__ = f"{summary}{PLACES}Parameters\n{said}Examples\n{examples}"
        return function

    return told


@told_as(reliability.reliability_curve)
def reliability_curve(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target = None,
    sample_weight: Any = None,
    from_logits: bool = False,
) -> ReliabilityCurve:
    """Confidence and accuracy a bin, in one pass (``eq-bin``, ``eq-accuracy``, ``eq-confidence``).

    Bins of equal width only. A block leaves behind eight sums a bin, as in a `CalibrationAccumulator`.

    Examples
    --------
    >>> y_true = da.from_array(np.array([0, 0, 0, 1, 0]), chunks=2)
    >>> y_prob = da.from_array(np.array([0.05, 0.05, 0.02, 0.01, 0.02]), chunks=3)
    >>> curve = reliability_curve(y_true, y_prob, n_bins=10)
    >>> round(float(curve.confidence[0]), 4), float(curve.accuracy[0]), int(curve.counts[0])
    (0.03, 0.2, 5)
    """
    (curve,) = _curves(y_true, y_prob, n_bins, strategy, [target], sample_weight, from_logits)
    return curve


@told_as(ece.expected_calibration_error)
def expected_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target | Literal["class-wise"] = None,
    sample_weight: Any = None,
    from_logits: bool = False,
    norm: Norm = "l1",
    debias: bool = False,
) -> float:
    """Mean absolute gap of accuracy and confidence over the bins, in one pass over the blocks (``eq-ece``).

    Bins of equal width only.

    Examples
    --------
    >>> y_true = da.from_array(np.array([1, 1, 0, 1]), chunks=3)
    >>> confidence = da.from_array(np.array([0.9, 0.8, 0.8, 0.3]), chunks=3)
    >>> round(expected_calibration_error(y_true, confidence, n_bins=5), 4)
    0.35
    """
    _input.one_of(norm, ["l1", "l2"], "norm")
    refuse_weights(debias, sample_weight)
    _refuse_other_arrays(y_prob, "y_prob")
    curves = _curves(y_true, y_prob, n_bins, strategy, targets_of(target, y_prob), sample_weight, from_logits)
    return float(np.mean([curve.ece(norm, debias=debias) for curve in curves]))


@told_as(proper_scores.brier_score)
def brier_score(y_true: Any, y_prob: Any, *, sample_weight: Any = None, from_logits: bool = False) -> float:
    """Brier score, in one pass over the blocks (``eq-brier-binary``, ``eq-brier``).

    Examples
    --------
    >>> brier_score(np.array([1, 0]), da.from_array(np.array([0.5, 0.5]), chunks=1))
    0.25
    """
    return _mean_score(brier_sums, y_true, y_prob, sample_weight, from_logits)


@told_as(proper_scores.negative_log_likelihood)
def negative_log_likelihood(
    y_true: Any, y_prob: Any, *, sample_weight: Any = None, from_logits: bool = False
) -> float:
    """Mean negative log-likelihood of the labels in nats, in one pass over the blocks (``eq-nll``).

    Examples
    --------
    >>> y_prob = da.from_array(np.array([0.5, 0.5]), chunks=1)
    >>> round(negative_log_likelihood(np.array([1, 0]), y_prob), 4)
    0.6931
    """
    return _mean_score(nll_sums, y_true, y_prob, sample_weight, from_logits)


def fit(estimator: TemperedSoftmax, X: Any, y: Any, sample_weight: Any = None) -> TemperedSoftmax:
    """Fit a temperature in a few passes over the blocks, and return the estimator.

    Parameters
    ----------
    estimator : TemperatureScaling or ExpectationConsistency
        Fitted in place.
    X : Dask array, shape (n, K) or (n,)
        Logits of each class, or of the positive class. Rows stand in blocks, a row's classes in one block.
    y : Dask or NumPy array, shape (n,)
        Labels 0..K-1.
    sample_weight : Dask or NumPy array, shape (n,), optional
        Importance weights, non-negative.

    Returns
    -------
    estimator

    Raises
    ------
    ValueError, TypeError
        For input that is not as described, and where no finite positive temperature meets the condition.

    Notes
    -----
    The first pass finds out whether a temperature exists, and the temperature of the first block, from which
    the search starts. Each further pass is a step of the search: two sums a block. Data that are costly to
    make or to read, and fit into the workers' memory, are better persisted first.

    Examples
    --------
    >>> from calibration_lessons import TemperatureScaling
    >>> X = da.from_array(np.array([[2.0, 0.0], [3.0, 0.0], [4.0, 1.0], [0.0, 2.0]]), chunks=(3, 2))
    >>> scaling = fit(TemperatureScaling(), X, np.array([0, 0, 1, 1]))
    >>> round(scaling.temperature_, 3)
    3.05
    """
    if not isinstance(estimator, TemperedSoftmax):
        expected = "TemperatureScaling() or ExpectationConsistency(), whose fits are a few sums over the rows"
        raise _input.BadType("estimator", f"= {estimator!r}", expected)
    blocks = _row_blocks(y, X, sample_weight, "y", "X")
    largest = 1.0 if sample_weight is None else _total([block[2:] for block in blocks], np.max, max)

    def rows(y: Any, X: Any, weights: Any) -> LogitRows:
        """Read a block, with weights relative to the largest of all blocks."""
        logits, labels, share = clone(estimator)._rows(X, y, weights, in_part=True)
        return LogitRows(logits, labels, np.ones(len(labels)) if share is None else share / largest)

    def temperature(y: Any, X: Any, weights: Any) -> float | None:
        """Temperature of one block, where it has one."""
        with suppress(ValueError, TypeError):
            fitted: TemperedSoftmax = clone(estimator).fit(X, y, weights)
            return fitted.temperature_
        return None

    def excess(beta: float) -> tuple[float, float]:
        """Both sides' difference in the equation for the temperature, and its slope."""
        sums: tuple[float, float] = _total(blocks, lambda *block: estimator._excess(rows(*block), beta))
        return sums

    every_block = _tree(blocks, lambda *block: rows(*block).limits)
    part, guess = dask.compute(every_block, dask.delayed(temperature)(*blocks[0]))
    limits = LogitLimits(*_sums_of(part))
    _input.some_weight(limits.weight)
    estimator.temperature_ = estimator._solved(limits, excess, guess)
    validate_data(estimator, X if X.ndim == 2 else X[:, None], reset=True, skip_check_array=True)
    estimator.classes_ = np.arange(max(2, estimator.n_features_in_))
    return estimator


def _curves(
    y_true: Any,
    y_prob: Any,
    n_bins: int,
    strategy: Strategy,
    targets: Sequence[Target],
    sample_weight: Any,
    from_logits: bool,
) -> list[ReliabilityCurve]:
    """Curves of several targets, all in one pass."""
    _input.positive_whole(n_bins, "n_bins")
    _input.one_of(strategy, ["uniform", "quantile"], "strategy")
    if strategy == "quantile":
        why = (
            "the edges of bins of equal mass depend on all scores sorted together, an order that no sum holds"
        )
        raise _input.BadValue("strategy", "= 'quantile'", "'uniform' over blocks", note=why)
    blocks = _row_blocks(y_true, y_prob, sample_weight, "y_true", "y_prob")
    n_classes = _input.classes(y_prob, "y_prob")
    chosen = [resolve_target(target, y_prob.ndim, n_classes) for target in targets]

    def accumulated(y_true: Any, y_prob: Any, weights: Any) -> list[CalibrationAccumulator]:
        """Sum up a block, in one accumulator a target."""
        options = {"sample_weight": weights, "from_logits": from_logits}
        return [CalibrationAccumulator(n_bins, one).update(y_true, y_prob, **options) for one in chosen]

    return [accumulator.curve() for accumulator in _total(blocks, accumulated, _merged)]


def _merged(
    left: list[CalibrationAccumulator], right: list[CalibrationAccumulator]
) -> list[CalibrationAccumulator]:
    """Merge into copies: a part may be added once more, after a worker was lost."""
    return [deepcopy(one).merge(other) for one, other in zip(left, right, strict=True)]


def _mean_score(add_up: AddUp, y_true: Any, y_prob: Any, sample_weight: Any, from_logits: bool) -> float:
    blocks = _row_blocks(y_true, y_prob, sample_weight, "y_true", "y_prob")
    _input.classes(y_prob, "y_prob")

    def sums(*block: Any) -> Any:
        return add_up(_input.forecast(*block, in_part=True), from_logits=from_logits)

    return mean_over_rows(_total(blocks, sums))


def _row_blocks(y: Any, X: Any, sample_weight: Any, y_name: str, X_name: str) -> list[Block]:
    """Labels, scores and weights of each block of rows, not computed yet."""
    _refuse_other_arrays(X, X_name)
    _input.real_kind(X, X_name, (1, 2))
    if X.ndim == 2 and X.numblocks[1] > 1:
        found, remedy = (
            f"has its {X.shape[1]} columns in {X.numblocks[1]} blocks",
            f"{X_name}.rechunk({{1: -1}})",
        )
        raise _input.BadValue(X_name, found, "all classes of a row in one block", note=remedy)
    columns = [_cut_alike(y, y_name, X, X_name), X]
    if sample_weight is not None:
        columns.append(_cut_alike(sample_weight, "sample_weight", X, X_name))
    # unoptimised, because each graph by itself would make anew what labels and scores are both made of
    blocks = [column.to_delayed(optimize_graph=False).ravel() for column in columns]
    if sample_weight is None:
        blocks.append([None] * X.numblocks[0])
    return list(zip(*blocks, strict=True))


def _cut_alike(column: Any, name: str, X: Any, X_name: str) -> Any:
    """Cut the rows of a 1-D argument where those of `X` are cut; `X` is the large one and stays."""
    if isinstance(column, np.ndarray):
        column = da.from_array(column, chunks=-1)
    _refuse_other_arrays(column, name)
    _input.real_kind(column, name, (1,))
    if not any(math.isnan(rows) for rows in (*column.chunks[0], *X.chunks[0])):
        _input.same_length(**{name: column, X_name: X})
        return column.rechunk({0: X.chunks[0]})
    if column.numblocks[0] != X.numblocks[0]:
        found = f"has {column.numblocks[0]} blocks and {X_name} has {X.numblocks[0]}, some of unknown length"
        expected = "as many blocks, or known lengths"
        raise _input.BadValue(name, found, expected, note="call compute_chunk_sizes() on both")
    return column


def _refuse_other_arrays(array: Any, name: str) -> None:
    if not isinstance(array, da.Array):
        expected = (
            "a Dask array (for arrays in memory there are the functions and estimators of "
            "calibration_lessons itself)"
        )
        raise _input.BadType(name, f"is of type {type(array).__name__}", expected)


class _Part(NamedTuple):
    """Neighbouring blocks, up to the first with an error: how many they are, their rows, their sums.

    Where a block lies is a sum, too: the blocks and the rows in front of it. So nothing but parts travels,
    and the blocks may be of unknown length.
    """

    blocks: int
    rows: int
    sums: Any = None
    error: ValueError | TypeError | None = None


def _part(add_up: AddUp, *block: Any) -> _Part:
    """Sum up one block; an error is a result, so that every scheduler tells the first one in the data."""
    lengths = [len(array) for array in block if array is not None]
    if not any(lengths):
        return _Part(1, 0)
    try:
        return _Part(1, lengths[0], add_up(*block))
    except (ValueError, TypeError) as error:
        if not isinstance(error, _input.Refusal):  # of another library: what travels is plain
            error = (TypeError if isinstance(error, TypeError) else ValueError)(str(error))
        return _Part(0, 0, error=error)


def _together(add: Add, parts: Sequence[_Part]) -> _Part:
    """Join neighbouring parts, in order."""
    blocks, rows, sums = 0, 0, None
    for part in parts:
        blocks, rows = blocks + part.blocks, rows + part.rows
        if part.error is not None:
            return _Part(blocks, rows, error=part.error)
        if part.sums is not None:
            sums = part.sums if sums is None else add(sums, part.sums)
    return _Part(blocks, rows, sums)


def _add_numbers(left: tuple[float, ...], right: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(map(operator.add, left, right))


def _tree(blocks: Sequence[Block], add_up: AddUp, add: Add = _add_numbers) -> Delayed:
    """Part that all blocks make together, not computed yet."""
    parts = [dask.delayed(_part)(add_up, *block) for block in blocks]
    while len(parts) > 1:
        neighbours = [parts[i : i + FAN_IN] for i in range(0, len(parts), FAN_IN)]
        parts = [dask.delayed(_together)(add, some) for some in neighbours]
    return parts[0]


def _sums_of(part: _Part) -> Any:
    """Return the sums of all blocks, or raise the first error, with the place in its block added."""
    if part.error is not None:
        block = f"block {part.blocks}"
        if isinstance(part.error, _input.BadValue | _input.BadType):
            place = f"row {part.error.index[0]} of {block}" if part.error.index else block
            raise part.error.moved(part.rows, place)
        raise type(part.error)(f"{part.error} ({block})")
    if part.sums is None:
        raise _input.BadValue("all blocks", "are empty", "at least one row")
    return part.sums


def _total(blocks: Sequence[Block], add_up: AddUp, add: Add = _add_numbers) -> Any:
    """Return the sums of all blocks, in one pass on the current scheduler."""
    return _sums_of(_tree(blocks, add_up, add).compute())
