"""The root of an increasing function of a positive number, wherever on the scale it lies."""

from __future__ import annotations

import math
from collections.abc import Callable

Equation = Callable[[float], tuple[float, float]]


def positive_root(equation: Equation, start: float, tolerance: float) -> float:
    """Root of an increasing function of x > 0: Newton on log x, inside a bracket that signs shrink.

    Parameters
    ----------
    equation : callable
        Gives the value at x, and its slope in log x.
    start : float
        Where to begin, positive.
    tolerance : float
        Newton doubles the number of right digits a step. So the step that is first below this
        tolerance is taken, and leaves an error of about its square.

    Returns
    -------
    float
        The root. It must exist: the function is negative far to the left, positive far to the right.
    """
    log_x, low, high, reach = math.log(start), -math.inf, math.inf, 2.0
    while True:
        value, slope = equation(math.exp(log_x))
        if value == 0:
            return math.exp(log_x)
        low, high = (log_x, high) if value < 0 else (low, log_x)
        newton = -value / slope if slope > 0 else math.copysign(math.inf, -value)
        step = min(max(newton, -reach), reach)
        reach = 2 * abs(step) if step != newton else max(abs(step), 2.0)
        if not low < log_x + step < high:
            step = (low + high) / 2 - log_x
        log_x += step
        if abs(step) <= tolerance:
            return math.exp(log_x)
