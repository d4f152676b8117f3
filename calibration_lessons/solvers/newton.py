"""Newton's method for smooth convex functions of a few parameters, damped: it arrives from anywhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Floats
from .root import increasing_root


class Slopes(NamedTuple):
    """First derivatives, shape (p,), and second derivatives, shape (p, p)."""

    gradient: Floats
    hessian: Floats

    def along(self, step: Floats) -> tuple[float, float]:
        """First and second derivative in the direction of a step."""
        return float(self.gradient @ step), float(step @ self.hessian @ step)


class Convex:
    """A smooth convex function of the parameters theta, shape (p,), as Newton's method sees it."""

    lengthens = True  # whether a step that falls short is made longer, too: it costs calls, and saves steps

    def slopes(self, theta: Floats) -> Slopes:
        """Return the derivatives."""
        raise NotImplementedError

    def step(self, theta: Floats, here: Slopes) -> Floats:
        """Return the step to the minimum of the parabola, among the parameters that are allowed."""
        raise NotImplementedError

    def arrived(self, theta: Floats, here: Slopes, step: Floats) -> bool:
        """Tell whether a step is the last one."""
        raise NotImplementedError

    def placed(self, theta: Floats, here: Slopes) -> tuple[Floats, Slopes]:
        """Write the same point in parameters that rounding disturbs less, and return the slopes there."""
        return theta, here

    def moved(self, theta: Floats, step: Floats) -> Floats:
        """Take a step."""
        return theta + step

    def longest(self, theta: Floats, step: Floats) -> float:
        """Return the largest multiple of a step, at least 1, whose end is allowed."""
        return np.inf


class Minimum(NamedTuple):
    """Where the walk ended, after how many steps, and whether it arrived."""

    theta: Floats
    n_iter: int
    converged: bool


def minimise(function: Convex, theta: Floats, max_iter: int) -> Minimum:
    """Walk from `theta` until a step is the last one; the function tells which."""
    here = function.slopes(theta)
    for n_iter in range(1, max_iter + 1):
        theta, here = function.placed(theta, here)
        step = function.step(theta, here)
        if function.arrived(theta, here, step):
            return Minimum(function.moved(theta, step), n_iter, True)
        theta, here = _downhill(function, theta, here, step)
    return Minimum(theta, max_iter, False)


def _downhill(function: Convex, theta: Floats, here: Slopes, step: Floats) -> tuple[Floats, Slopes]:
    """Take the step, or the part or multiple of it to where the function stops falling.

    Far from the minimum the parabola misleads: a step may lead up the other side, or nowhere near the bottom.
    """

    def at(share: float) -> Slopes:
        return function.slopes(function.moved(theta, share * step))

    share, ahead = 1.0, at(1.0)
    (slope, curvature), (left, curvature_left) = here.along(step), ahead.along(step)
    short = left < -abs(slope) / 2 or curvature_left < curvature / 4
    if left > abs(slope) / 2 or (short and function.lengthens):
        most = function.longest(theta, step)
        if most < np.inf and at(most).along(step)[0] <= 0:
            share = most
        else:
            share = increasing_root(lambda part: at(min(part, most)).along(step), 1.0)
        ahead = at(share)
    return function.moved(theta, share * step), ahead
