"""Logits with their labels and weights, and the sums over them that a temperature depends on.

Every sum is made in one pass: a block of rows at a time, in float64, with few classes class by class, because
NumPy is fast along long rows (see `_blocks`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _blocks
from .._typing import FloatArray, Floats, IntArray


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


@dataclass(frozen=True)
class LogitRows:
    """Logits (n, K), their labels and their positive weights."""

    logits: FloatArray
    labels: IntArray
    weights: Floats

    def every(self, step: int) -> LogitRows:
        """Return one row in `step`."""
        return LogitRows(self.logits[::step], self.labels[::step], self.weights[::step])

    @property
    def highest(self) -> Floats:
        """Largest logit of each row."""
        return self._first_pass[0]

    @property
    def limits(self) -> LogitLimits:
        """The sums that say whether a temperature exists."""
        return self._first_pass[1]

    @cached_property
    def _first_pass(self) -> tuple[Floats, LogitLimits]:
        highest, sums = np.empty(len(self.logits)), np.zeros(6)
        for rows in _blocks.row_blocks(self.logits):
            gaps, axis = _blocks.worked_on(self.logits[rows], np.float64)
            top = gaps.max(axis=axis, keepdims=True)
            highest[rows] = top.ravel()
            with np.errstate(over="ignore"):  # a spread beyond float64 is refused by its size
                gaps -= top
                sums += _limits_of(gaps, axis, self.labels[rows], self.weights[rows])
        return highest, LogitLimits(*sums.tolist())

    def moments(self, beta: float, powers: int) -> Iterator[tuple[Floats, list[Floats]]]:
        """Weights, and row sums of e, e t, ..., e t^powers, a block of rows at a time.

        t = z - max z is at most 0 and e = exp(beta t) at most 1, so nothing overflows. A class with the
        logit -inf adds nothing. The two scratch arrays are made once: fresh ones cost more than the sums.
        """
        classes = self.logits.shape[1]
        few, step = classes < _blocks.FEW, _blocks.rows_a_block(self.logits)
        scratch, ones = np.empty((2, classes, step) if few else (2, step, classes)), np.ones(classes)
        for rows in _blocks.row_blocks(self.logits):
            n = rows.stop - rows.start
            gaps, product = scratch[:, :, :n] if few else scratch[:, :n]
            block = self.logits[rows]
            ruled_out = block.min() == -np.inf
            gaps[:] = block.T if few else block
            gaps -= self.highest[rows] if few else self.highest[rows, None]
            np.multiply(gaps, beta, out=product)
            np.exp(product, out=product)
            if ruled_out:
                gaps[gaps == -np.inf] = 0.0
            sums = [ones @ product if few else product @ ones]
            for _ in range(powers):
                product *= gaps
                sums.append(ones @ product if few else product @ ones)
            yield self.weights[rows], sums


def _limits_of(gaps: FloatArray, axis: int, labels: IntArray, weights: Floats) -> list[float]:
    """Return the sums of `LogitLimits` over a block, from the gaps z - max z; changes the gaps."""
    label_gaps, total = _blocks.chosen_class(gaps, axis, labels), weights.sum()
    largest = gaps == 0
    if np.count_nonzero(largest) == len(labels):
        correct, one_over_tied = label_gaps == 0, total
    else:
        tied, correct = _blocks.ties(largest, axis, labels)
        one_over_tied = weights @ (1 / tied)
    gap_sums, finite = _sums_of_finite(gaps, axis)
    one_over_finite = total / finite if isinstance(finite, int) else weights @ (1 / finite)
    to_label = weights @ label_gaps
    return [
        total,
        -to_label,
        to_label - weights @ (gap_sums / finite),
        weights @ correct,
        one_over_finite,
        one_over_tied,
    ]


def _sums_of_finite(gaps: FloatArray, axis: int) -> tuple[Floats, npt.NDArray[Any] | int]:
    """Sum and number of the finite gaps of each row, one number where all are; the others become 0."""
    total = _blocks.row_sums(gaps, axis)
    if total.min() > -np.inf:
        return total, gaps.shape[axis]
    ruled_out = gaps == -np.inf
    gaps[ruled_out] = 0.0
    return _blocks.row_sums(gaps, axis), gaps.shape[axis] - ruled_out.sum(axis=axis)
