"""The root of an increasing function of a positive number, wherever on the scale it lies."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

Equation = Callable[[float], tuple[float, float]]

FEW_STEPS, LONG = 4, 1.0  # near_root takes at most so many steps, none longer on the log scale
NEAR = 0.1  # a step on the log scale after which the function looks like a cubic between both points


class _Point(NamedTuple):
    log_x: float
    value: float
    slope: float


def positive_root(equation: Equation, start: float, tolerance: float, bend: float = 0.0) -> float:
    """Root of an increasing function of x > 0: Newton on log x, inside a bracket that signs shrink.

    Parameters
    ----------
    equation : callable
        Gives the value at x, and its slope in log x.
    start : float
        Where to begin, positive.
    tolerance : float
        Error in log x at which to stop. A step of Newton's leaves the square of its length; a cubic
        through the last two points, where they are near each other, the square of both steps' product.
    bend : float
        How the slope changes in log x near the start, as a share of the slope, where that is known roughly:
        a short first step then follows the curve, and leaves an eighth of its square at most.

    Returns
    -------
    float
        The root. It must exist: the function is negative far to the left, positive far to the right.
    """
    log_x, low, high, reach = math.log(start), -math.inf, math.inf, 2.0
    last: _Point | None = None
    while True:
        at = _Point(log_x, *equation(math.exp(log_x)))
        if at.value == 0:
            return math.exp(log_x)
        low, high = (log_x, high) if at.value < 0 else (low, log_x)
        wanted, error = _step(at, last, bend)
        step = min(max(wanted, -reach), reach)
        reach = 2 * abs(step) if step != wanted else max(abs(step), 2.0)
        if not low < log_x + step < high:
            step = (low + high) / 2 - log_x
            error = abs(step)
        log_x, last = log_x + step, at
        if error <= tolerance:
            return math.exp(log_x)


def near_root(equation: Equation, start: float, tolerance: float, bend: float) -> float:
    """Go at most a few steps towards a root of roughly known values, none of them long.

    Unlike `positive_root` it comes back even where rounding hides the root.
    """
    x = start
    for _ in range(FEW_STEPS):
        step, error = _step(_Point(math.log(x), *equation(x)), None, bend)
        if not abs(step) <= LONG:
            break
        x *= math.exp(step)
        if error <= tolerance:
            break
    return x


def bend_at(equation: Equation, x: float) -> float:
    """How the slope changes in log x around x, as a share of the slope."""
    _, below = equation(x * math.exp(-NEAR / 2))
    _, above = equation(x * math.exp(NEAR / 2))
    return 2 * (above - below) / (NEAR * (above + below)) if above + below > 0 else 0.0


def _step(at: _Point, last: _Point | None, bend: float) -> tuple[float, float]:
    """Step towards the root, and the error that it leaves."""
    if not at.slope > 0:
        return math.copysign(math.inf, -at.value), math.inf
    newton = -at.value / at.slope
    if last is None and bend and abs(newton) <= NEAR and abs(newton * bend) < 1:
        return newton / (1 + newton * bend / 2), newton**2 / 8
    if last is None or not last.slope > 0 or abs(at.log_x - last.log_x) > NEAR or last.value == at.value:
        return newton, newton**2
    apart = last.value - at.value
    secant = (last.log_x - at.log_x) / apart
    bend = (secant - 1 / at.slope) / apart
    twist = ((1 / last.slope - secant) / apart - bend) / apart
    cubic = newton + at.value**2 * (bend - last.value * twist)
    return cubic, (newton * (at.log_x - last.log_x)) ** 2
