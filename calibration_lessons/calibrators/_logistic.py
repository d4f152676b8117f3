"""The logistic curve of one score that fits given targets best, by Newton's method."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import logit

from .. import _blocks
from .._typing import FloatArray, Floats, IntArray

EVERY = 16  # the search starts at the minimum for one row in so many
MOST_STEPS = 100  # about ten are enough wherever float64 can tell the minimum from its neighbours
PRECISION = 1e-6  # a smaller step is the last one: it leaves an error of about its square
EPSILON = np.finfo(np.float64).eps
ROUNDING = 1e-14  # share of the largest terms by which two sums differ though they are equal

NO_MINIMUM = (
    "the scores separate the labels (but for ties or rounding), so the likelihood grows for ever as the "
    "slope runs to infinity: expected labels 0 and 1 that overlap in score"
)


def logistic_line(
    scores: FloatArray,
    labels: IntArray,
    weights: Floats | None,
    targets: tuple[float, float],
) -> tuple[float, float]:
    """Slope and intercept of least cross-entropy; `targets` holds those of the labels 0 and 1.

    Equal scores give the slope 0. Scores are centred and scaled first, so their origin and their unit do
    not matter.
    """
    if targets == (0.0, 1.0) and _separable(scores, labels):
        raise ValueError(NO_MINIMUM)
    share = None if weights is None else weights / weights.max()
    rate = float(np.average(labels, weights=share))
    start = float(logit(targets[0] * (1 - rate) + targets[1] * rate))
    if scores.min() == scores.max():
        return 0.0, start
    centre, scale = _centre_and_scale(scores)
    curve, flat = _Curve(scores, labels, share, targets, centre, scale), np.array([0.0, start])
    try:
        slope, intercept = _newton(curve, _newton(curve.every(EVERY), flat))
    except ValueError:  # few rows need not have a minimum, nor one from where that of all can be reached
        slope, intercept = _newton(curve, flat)
    return float(slope / scale), float(intercept - slope * centre / scale)


def _separable(scores: FloatArray, labels: IntArray) -> bool:
    """Tell whether the label alone, or a threshold, puts all rows of class 1 on one side."""
    negative, positive = scores[labels == 0], scores[labels == 1]
    if not len(negative) or not len(positive):
        return True
    if scores.min() == scores.max():
        return False
    return bool(positive.min() >= negative.max() or negative.min() >= positive.max())


def _centre_and_scale(scores: FloatArray) -> tuple[float, float]:
    """Mean and standard deviation, without an array of deviations."""
    centre = float(scores.mean(dtype=np.float64))
    blocks = (scores[rows].astype(np.float64) - centre for rows in _blocks.row_blocks(scores))
    return centre, math.sqrt(sum(float(block @ block) for block in blocks) / len(scores))


@dataclass(frozen=True)
class _Curve:
    """The cross-entropy between a logistic curve and its targets, as a function of the curve's line."""

    scores: FloatArray
    labels: IntArray
    weights: Floats | None
    targets: tuple[float, float]
    centre: float
    scale: float

    def every(self, step: int) -> _Curve:
        """Return the same for one row in `step`."""
        weights = None if self.weights is None else self.weights[::step]
        return replace(self, scores=self.scores[::step], labels=self.labels[::step], weights=weights)

    @property
    def weight(self) -> float:
        """Sum of the weights."""
        return float(len(self.labels) if self.weights is None else self.weights.sum())

    def standardised(self, rows: slice) -> Floats:
        """Scores of some rows, centred and scaled."""
        x = self.scores[rows].astype(np.float64)
        x -= self.centre
        x *= 1 / self.scale
        return x

    @cached_property
    def tilt(self) -> Floats:
        """What the targets add to the gradient, wherever on the curve: sum of (1/2 - target) (x, 1)."""
        halves = 0.5 - np.array(self.targets)
        sums = np.zeros(2)
        for rows in _blocks.row_blocks(self.scores):
            half = halves.take(self.labels[rows])
            if self.weights is not None:
                half *= self.weights[rows]
            sums += [half @ self.standardised(rows), half.sum()]
        return sums

    def loss_and_slopes(self, line: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian at the slope and intercept in `line`.

        With f = slope x + intercept and u = tanh(f/2), a probability is (1 + u) / 2, and its cross-entropy
        with a target t is log(2 cosh(f/2)) + (1/2 - t) f, where 2 cosh(f/2) = exp(|f|/2) 2 / (1 + |u|).
        """
        sums = np.zeros(6)
        for rows in _blocks.row_blocks(self.scores):
            x = self.standardised(rows)
            half = line[0] / 2 * x
            half += line[1] / 2
            u = np.tanh(half)
            np.abs(half, out=half)
            half -= np.log1p(np.abs(u))
            variance = 1 - u * u
            if self.weights is not None:
                for values in (half, u, variance):
                    values *= self.weights[rows]
            sums += [half.sum(), u @ x, u.sum(), variance @ (x * x), variance @ x, variance.sum()]
        excess, g_slope, g_intercept, h_slope, h_both, h_intercept = sums
        loss = excess + self.weight * math.log(2) + float(self.tilt @ line)
        gradient = np.array([g_slope, g_intercept]) / 2 + self.tilt
        return loss, gradient, np.array([[h_slope, h_both], [h_both, h_intercept]]) / 4


def _newton(curve: _Curve, line: Floats) -> Floats:
    """Minimise the cross-entropy; halve a step that would not lower it."""
    loss, gradient, hessian = curve.loss_and_slopes(line)
    for _ in range(MOST_STEPS):
        (slope, both), (_, intercept) = hessian
        if not slope * intercept - both**2 > EPSILON * (slope + intercept) ** 2:
            break
        step = np.linalg.solve(hessian, -gradient)
        if (np.abs(step) <= PRECISION * (1 + np.abs(line))).all():
            return np.asarray(line + step)
        most = loss + ROUNDING * curve.weight * (1 + float(np.abs(line).sum()))
        loss, gradient, hessian = curve.loss_and_slopes(line + step)
        while loss > most:
            step = step / 2
            loss, gradient, hessian = curve.loss_and_slopes(line + step)
        line = line + step
    raise ValueError(NO_MINIMUM)
