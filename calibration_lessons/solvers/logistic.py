"""The logistic curve of one score that fits given targets best, by Newton's method; or its intercept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from .. import _blocks
from .._typing import FloatArray, Floats, IntArray
from .root import increasing_root

EPSILON = float(np.finfo(np.float64).eps)
MAX_STEPS = 1000  # five are enough for scores of one scale, up to forty for each other scale
LAST_STEP = 1e-6  # in log-odds: Newton's step leaves an error of about the square of its length
RTOL = 1e-10  # of slope and value, where some rows lie so far out that no step is short for them
MAX_LOG_ODDS = 600.0  # beyond it a row is taken as sure; exp(-600) leaves room for products
MAX_SCALE_RATIO = 1e3  # between the units of a line and those of the rows that decide

TOO_STEEP = (
    "the labels overlap in score by so little that the best slope is too large for float64: expected labels "
    "that overlap more, or scores in a larger unit"
)
NO_MINIMUM = (
    "the scores separate the labels (but for ties), so the likelihood grows for ever as the slope runs to "
    "infinity: expected labels 0 and 1 that overlap in score"
)
ONE_CLASS = (
    "all labels are of one class, so the likelihood grows for ever as the intercept runs to infinity: "
    "expected both labels, or prior targets"
)


def logistic_line(
    scores: FloatArray,
    labels: IntArray,
    weights: Floats | None,
    targets: tuple[float, float],
) -> tuple[float, float]:
    """Slope and intercept of least cross-entropy; `targets` holds those of the labels 0 and 1.

    Equal scores give the slope 0. A minimum exists wherever scores differ, unless the targets are the labels
    and a threshold separates them. This is decided by comparing scores, so no scale of theirs is too large.
    """
    if targets == (0.0, 1.0) and _separable(scores, labels):
        raise ValueError(NO_MINIMUM)
    share = None if weights is None else weights / weights.max()
    start = _log_odds(label_weights(labels, share), np.array(targets))
    if scores.min() == scores.max():
        return 0.0, start
    curve = _Curve(scores, labels, share, targets)
    low, high = curve.ends
    try:
        line = _minimum(curve, _Line(0.0, start, centre=low / 2 + high / 2, scale=high / 2 - low / 2))
    except ArithmeticError:
        raise ValueError(TOO_STEEP) from None
    slope, intercept = line.slope / line.scale, line.value - line.slope * (line.centre / line.scale)
    if not math.isfinite(slope):
        raise ValueError(TOO_STEEP)
    return slope, intercept


def logistic_intercept(
    log_odds: Floats, labels: IntArray, weights: Floats | None, targets: tuple[float, float]
) -> float:
    """Return the b of least cross-entropy between sigma(log_odds + b) and the targets.

    There the mean probability is the mean target, and b exists wherever that is neither 0 nor 1. Where sure
    rows hide b from float64, it is taken from the middle of the gap between them.
    """
    share = np.ones(len(labels)) if weights is None else weights / weights.max()
    counts = label_weights(labels, share)
    wanted = float(counts @ targets)
    if not 0 < wanted < counts.sum():
        raise ValueError(ONE_CLASS)
    middle = _reached(log_odds, share, wanted)

    def excess(factor: float) -> tuple[float, float]:
        value = slope = 0.0
        for rows in _blocks.row_blocks(log_odds):
            p = expit(log_odds[rows] - middle + math.log(factor))
            value += float(p @ share[rows])
            slope += float((p * (1 - p)) @ share[rows]) / factor
        return value - wanted, slope

    if abs(excess(1.0)[0]) <= 4 * EPSILON * wanted:
        return -middle
    return math.log(increasing_root(excess, 1.0)) - middle


def _reached(log_odds: Floats, share: Floats, wanted: float) -> float:
    """Return the log-odds above which lie rows of the weight `wanted`, or the middle between two rows."""
    falling = np.argsort(log_odds)[::-1]
    above = share[falling].cumsum()
    near = np.searchsorted(above, [wanted * (1 - RTOL), wanted * (1 + RTOL)])
    high, low = log_odds[falling[near.clip(max=len(falling) - 1)]]
    return float(high / 2 + low / 2)


def label_weights(labels: IntArray, weights: Floats | None) -> Floats:
    """Sum of the weights of the labels 0 and 1; without weights the number of rows."""
    if weights is None:
        positive = np.count_nonzero(labels)
        return np.array([len(labels) - positive, positive], dtype=np.float64)
    return np.bincount(labels, weights, minlength=2).astype(np.float64)


def _log_odds(counts: Floats, targets: Floats) -> float:
    """Log-odds of the mean target, from the weights of the labels 0 and 1."""
    return float(np.log(counts @ targets) - np.log(counts @ (1 - targets)))


def _separable(scores: FloatArray, labels: IntArray) -> bool:
    """Tell whether the label alone, or a threshold, puts all rows of class 1 on one side."""
    negative, positive = scores[labels == 0], scores[labels == 1]
    if not len(negative) or not len(positive):
        return True
    if scores.min() == scores.max():
        return False
    return bool(positive.min() >= negative.max() or negative.min() >= positive.max())


class _Line(NamedTuple):
    """Log-odds slope (x - centre) / scale + value of a score x.

    Around the mean of the rows that decide, in units of their spread, slope and value do not disturb each
    other, and their rounding is small beside the effect that they have.
    """

    slope: float
    value: float
    centre: float
    scale: float

    def moved(self, step: Floats) -> _Line:
        """Return the line after a step in slope and value."""
        slope, value = step.tolist()
        return self._replace(slope=self.slope + slope, value=self.value + value)

    def seen_from(self, centre: float, scale: float) -> _Line:
        """Return the same line with another centre and scale."""
        value = self.value + self.slope * ((centre - self.centre) / self.scale)
        return _Line(self.slope * (scale / self.scale), value, centre, scale)


class _Slopes(NamedTuple):
    """Gradient (2,) and Hessian (2, 2) of the cross-entropy in slope and value of a line."""

    gradient: Floats
    hessian: Floats

    def along(self, step: Floats) -> tuple[float, float]:
        """First and second derivative in the direction of a step."""
        return float(self.gradient @ step), float(step @ self.hessian @ step)

    def newton_step(self) -> Floats:
        """Step to the minimum of the parabola."""
        (a, b), (_, c) = self.hessian
        g, h = self.gradient
        mean = b / c
        slope = -(g - mean * h) / (a - mean * b)
        return np.array([slope, -h / c - mean * slope])


@dataclass(frozen=True)
class _Curve:
    """Rows with their targets, and the cross-entropy between a logistic curve and these."""

    scores: FloatArray
    labels: IntArray
    weights: Floats | None
    targets: tuple[float, float]

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest score."""
        return float(self.scores.min()), float(self.scores.max())

    def ends_with(self, step: Floats, line: _Line) -> bool:
        """Tell whether a step is short: in the log-odds of every row, or as a part of slope and value."""
        x = (np.array(self.ends) - line.centre) / line.scale
        if np.abs(step[0] * x + step[1]).max() <= LAST_STEP:
            return True
        return bool((np.abs(step) <= RTOL * np.abs([line.slope, 1 + abs(line.value)])).all())

    def at(self, line: _Line) -> _Slopes:
        """Return the slopes of the cross-entropy at a line.

        With e = exp(f) the probability is e / (1 + e). Its distance from the target t is written as
        (1 - t) e / (1 + e) - t / (1 + e): where t is 0 or 1, the distance keeps all digits however small.
        """
        ups, sums = np.array(self.targets), np.zeros(5)
        for rows in _blocks.row_blocks(self.scores):
            x = self.scores[rows].astype(np.float64)
            x -= line.centre
            x /= line.scale
            e = line.slope * x
            e += line.value
            np.clip(e, -MAX_LOG_ODDS, MAX_LOG_ODDS, out=e)
            np.exp(e, out=e)
            below = 1 / (1 + e)  # 1 - p
            e *= below  # p
            variance = e * below
            up = ups.take(self.labels[rows])
            below *= up
            e *= 1 - up
            e -= below
            if self.weights is not None:
                e *= self.weights[rows]
                variance *= self.weights[rows]
            sums += [e @ x, e.sum(), (variance * x) @ x, variance @ x, variance.sum()]
        g_slope, g_value, h_slope, h_both, h_value = sums
        return _Slopes(np.array([g_slope, g_value]), np.array([[h_slope, h_both], [h_both, h_value]]))


@np.errstate(over="ignore", divide="raise", invalid="raise")
def _minimum(curve: _Curve, line: _Line) -> _Line:
    """Newton's method: it leads to the minimum from anywhere, because the cross-entropy is convex."""
    here = curve.at(line)
    for _ in range(MAX_STEPS):
        line, here = _well_placed(curve, line, here)
        step = here.newton_step()
        if curve.ends_with(step, line):
            return line.moved(step)
        line, here = _downhill(curve, line, here, step)
    raise ArithmeticError(f"no minimum found in {MAX_STEPS} steps")


def _downhill(curve: _Curve, line: _Line, here: _Slopes, step: Floats) -> tuple[_Line, _Slopes]:
    """Take the step, or the part or multiple of it to where the cross-entropy stops falling."""

    def along(share: float) -> tuple[float, float]:
        return curve.at(line.moved(share * step)).along(step)

    ahead = curve.at(line.moved(step))
    (slope, curvature), (slope_left, curvature_left) = here.along(step), ahead.along(step)
    if abs(slope_left) > abs(slope) / 2 or curvature_left < curvature / 4:
        step = increasing_root(along, 1.0) * step
        ahead = curve.at(line.moved(step))
    return line.moved(step), ahead


def _well_placed(curve: _Curve, line: _Line, here: _Slopes) -> tuple[_Line, _Slopes]:
    """Return the line as seen from the rows that decide, with the slopes of the cross-entropy there."""
    for _ in range(3):
        (a, b), (_, c) = here.hessian
        mean = float(b / c)
        spread = math.sqrt(max(a / c - mean**2, EPSILON * (1 + mean**2)))
        if abs(mean) < MAX_SCALE_RATIO * spread and 1 / MAX_SCALE_RATIO < spread < MAX_SCALE_RATIO:
            break
        line = line.seen_from(line.centre + mean * line.scale, spread * line.scale)
        here = curve.at(line)
    return line, here
