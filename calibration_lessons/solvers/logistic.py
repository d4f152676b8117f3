"""The logistic curve of one score that fits given targets best, by Newton's method; or its intercept."""

import math
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from .. import _blocks, _input
from .._typing import FloatArray, Floats, IntArray
from .newton import Convex, Slopes, minimise

EPSILON = float(np.finfo(np.float64).eps)
MAX_STEPS = 1000  # five are enough for scores of one scale, up to forty for each other scale
LAST_STEP = 1e-6  # in log-odds: Newton's step leaves an error of about the square of its length
RTOL = 1e-10  # of slope and value, where some rows lie so far out that no step is short for them
MAX_LOG_ODDS = 600.0  # beyond it a row is taken as sure; exp(-600) leaves room for products
MAX_SCALE_RATIO = 1e3  # between the units of a line and those of the rows that decide

# What is refused: what was found, and what is expected.
TOO_STEEP = (
    "makes the labels overlap by so little that the best slope is too large for float64",
    "labels that overlap more, or scores in a larger unit",
)
NO_LINE = (
    "separates the labels (but for ties), so the likelihood grows for ever as the slope runs to infinity",
    "labels 0 and 1 that overlap in score",
)
ONE_CLASS = (
    "holds one class, so the likelihood grows for ever as the intercept runs to infinity",
    "both labels, or prior targets",
)


def logistic_line(
    scores: FloatArray,
    labels: IntArray,
    weights: Floats | None,
    targets: tuple[float, float],
    name: str = "X",
) -> tuple[float, float]:
    """Slope and intercept of least cross-entropy; `targets` holds those of the labels 0 and 1.

    Equal scores give the slope 0. A minimum exists wherever scores differ, unless the targets are the labels
    and a threshold separates them. This is decided by comparing scores, so no scale of theirs is too large.
    A refusal names the argument `name`.
    """
    if targets == (0.0, 1.0) and separated(scores, labels, either_way=True):
        raise _input.BadValue(name, *NO_LINE)
    share = None if weights is None else weights / weights.max()
    start = _log_odds(label_weights(labels, share), np.array(targets))
    if scores.min() == scores.max():
        return 0.0, start
    low, high = float(scores.min()), float(scores.max())
    curve = _Curve(scores, labels, share, targets, np.array([low, high]))
    line = np.array([0.0, start, low / 2 + high / 2, high / 2 - low / 2])
    slope, value, centre, scale = descended(curve, line, name).tolist()
    if not math.isfinite(slope / scale):
        raise _input.BadValue(name, *TOO_STEEP)
    return slope / scale, value - slope * (centre / scale)


def logistic_intercept(
    log_odds: Floats, labels: IntArray, weights: Floats | None, targets: tuple[float, float]
) -> float:
    """Return the b of least cross-entropy between sigma(log_odds + b) and the targets.

    There the mean probability is the mean target, and b exists wherever that is neither 0 nor 1. It lies
    between the intercepts that would suit the largest log-odds alone and the smallest.
    """
    share = np.ones(len(labels)) if weights is None else weights / weights.max()
    counts = label_weights(labels, share)
    wanted = float(counts @ targets)
    if not 0 < wanted < counts.sum():
        raise _input.BadValue("y", *ONE_CLASS)
    alone = _log_odds(counts, np.array(targets))
    low, high = alone - float(log_odds.max()), alone - float(log_odds.min())
    if low == high:
        return low

    def excess(b: float) -> float:
        return float(expit(log_odds + b) @ share) - wanted

    return float(brentq(excess, low, high, xtol=1e-15, rtol=4 * EPSILON, maxiter=MAX_STEPS))


def label_weights(labels: IntArray, weights: Floats | None) -> Floats:
    """Sum of the weights of the labels 0 and 1; without weights the number of rows."""
    if weights is None:
        positive = np.count_nonzero(labels)
        return np.array([len(labels) - positive, positive], dtype=np.float64)
    return np.bincount(labels, weights, minlength=2).astype(np.float64)


def _log_odds(counts: Floats, targets: Floats) -> float:
    """Log-odds of the mean target, from the weights of the labels 0 and 1."""
    return float(np.log(counts @ targets) - np.log(counts @ (1 - targets)))


def separated(scores: FloatArray, labels: IntArray, either_way: bool = False) -> bool:
    """Tell whether there is one class, or a threshold below all of class 1 among scores that differ."""
    positive, negative = scores[labels == 1], scores[labels == 0]
    if not len(negative) or not len(positive):
        return True
    told = positive.min() >= negative.max() or (either_way and negative.min() >= positive.max())
    return bool(told and scores.min() < scores.max())


@np.errstate(over="ignore", divide="raise", invalid="raise")
def descended(function: Convex, start: Floats, name: str = "X") -> Floats:
    """Return the parameters of least cross-entropy; raise where float64 cannot hold them."""
    with suppress(ArithmeticError):
        theta, _, converged = minimise(function, start, MAX_STEPS)
        if converged:
            return theta
    raise _input.BadValue(name, *TOO_STEEP)


def cross_entropy_slopes(log_odds: Floats, up: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """First and second derivative of each row's cross-entropy with the target `up` in its log-odds.

    The array of the log-odds is used up.
    With e = exp(f) the probability is e / (1 + e). Its distance from the target t is written as
    (1 - t) e / (1 + e) - t / (1 + e): where t is 0 or 1, the distance keeps all digits however small.
    """
    e = np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS, out=log_odds)
    np.exp(e, out=e)
    below = 1 / (1 + e)  # 1 - p
    e *= below  # p
    variance = e * below
    below *= up
    e *= 1 - up
    e -= below
    if weights is not None:
        e *= weights
        variance *= weights
    return e, variance


@dataclass(frozen=True)
class _Curve(Convex):
    """Cross-entropy between rows' targets and the log-odds slope (x - centre) / scale + value of a score x.

    The parameters are slope, value, centre and scale; the last two take no steps. Around the mean of the rows
    that decide, in units of their spread, slope and value do not disturb each other, and their rounding is
    small beside the effect that they have.
    """

    scores: FloatArray
    labels: IntArray
    weights: Floats | None
    targets: tuple[float, float]
    ends: Floats

    def slopes(self, theta: Floats) -> Slopes:
        """Sum up the rows' derivatives in slope and value."""
        slope, value, centre, scale = theta
        ups, sums = np.array(self.targets), np.zeros(5)
        for rows in _blocks.row_blocks(self.scores):
            x = self.scores[rows].astype(np.float64)
            x -= centre
            x /= scale
            f = slope * x
            f += value
            weights = None if self.weights is None else self.weights[rows]
            excess, variance = cross_entropy_slopes(f, ups.take(self.labels[rows]), weights)
            sums += [excess @ x, excess.sum(), (variance * x) @ x, variance @ x, variance.sum()]
        gradient, hessian = np.zeros(4), np.zeros((4, 4))
        gradient[:2], hessian[:2, :2] = sums[:2], [sums[2:4], sums[3:]]
        return Slopes(gradient, hessian)

    def step(self, theta: Floats, here: Slopes) -> Floats:
        """Solve two equations, one unknown after the other: where it is well placed, no pivot is small."""
        (a, b), (_, c) = here.hessian[:2, :2]
        g, h = here.gradient[:2]
        mean = b / c
        slope = -(g - mean * h) / (a - mean * b)
        return np.array([slope, -h / c - mean * slope, 0.0, 0.0])

    def arrived(self, theta: Floats, here: Slopes, step: Floats) -> bool:
        """Tell whether a step is short: in the log-odds of every row, or as a part of slope and value."""
        slope, value, centre, scale = theta
        x = (self.ends - centre) / scale
        if np.abs(step[0] * x + step[1]).max() <= LAST_STEP:
            return True
        return bool((np.abs(step[:2]) <= RTOL * np.abs([slope, 1 + abs(value)])).all())

    def placed(self, theta: Floats, here: Slopes) -> tuple[Floats, Slopes]:
        """See the line from the rows that decide: those whose p (1 - p) weighs, of which a step leaves fewer.

        Where scores are of several scales, the rows that still decide may fill a billionth of the first unit:
        there slope and value would be differences of large numbers that are almost equal. Three times are
        enough, because what decides hardly changes with the point of view.
        """
        for _ in range(3):
            (a, b), (_, c) = here.hessian[:2, :2]
            mean = float(b / c)
            spread = math.sqrt(max(a / c - mean**2, EPSILON * (1 + mean**2)))
            if abs(mean) < MAX_SCALE_RATIO * spread and 1 / MAX_SCALE_RATIO < spread < MAX_SCALE_RATIO:
                break
            slope, value, centre, scale = theta
            theta = np.array([slope * spread, value + slope * mean, centre + mean * scale, spread * scale])
            here = self.slopes(theta)
        return theta, here
