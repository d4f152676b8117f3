"""The root of an increasing function of a positive number, wherever on the scale it lies."""

import math
from collections.abc import Callable

LAST_STEP = 1e-7  # in log x: a step leaves an error of about the square of its length, or less
MAX_STEPS = 500  # bisection alone needs about forty
MAX_LOG = 700.0  # exp of it is near the largest float64
MOST_BEND = 0.5  # of a step: where the function bends more, two slopes do not tell its shape
LONGEST_STEP = 2.0  # in log x, at first; it doubles with each step that would be longer


def increasing_root(equation: Callable[[float], tuple[float, float]], start: float) -> float:
    """Find the root of an increasing function of x > 0: Newton's method on log x, inside a bracket.

    The equation gives the value at x, negative far to the left and positive far to the right, and the slope.
    From the second step on the two latest slopes say how the function bends, and a step follows the bend:
    that is Halley's method with a secant for the second derivative, and it saves about one call in four.
    Where the function does not change its sign, or rounding hides where, that is an ArithmeticError.
    """
    u, low, high, longest = math.log(start), -math.inf, math.inf, LONGEST_STEP
    u_before = rate_before = math.nan
    for _ in range(MAX_STEPS):
        if not abs(u) < MAX_LOG:
            break
        x = math.exp(u)
        value, slope = equation(x)
        low, high = (u, high) if value < 0 else (low, u)
        rate = x * slope  # in log x
        step = -value / rate if rate > 0 else math.copysign(math.inf, -value)
        bend = step * (1 - rate_before / rate) / (u - u_before) / 2 if rate > 0 else math.inf
        step /= 1 + bend if abs(bend) < MOST_BEND else 1.0
        u_before, rate_before = u, rate
        if abs(step) > longest:
            step, longest = math.copysign(longest, step), 2 * longest
        if abs(step) > LAST_STEP and not low < u + step < high:
            step = (low + high) / 2 - u
        u += step
        if abs(step) <= LAST_STEP:
            return math.exp(u)
    raise ArithmeticError("the function has no root that float64 can hold")
