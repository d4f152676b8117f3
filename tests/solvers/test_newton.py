"""Newton's method: steps are cut where they lead too far, longer where they fall short, held at a border."""

import math

import numpy as np
import pytest

from calibration_lessons.solvers.newton import Convex, Slopes, minimise


class Curve(Convex):
    """A function of one number up to a border, from its first two derivatives."""

    def __init__(self, first, second, border=math.inf, lengthens=True):
        self.first, self.second, self.border, self.lengthens = first, second, border, lengthens

    def slopes(self, theta):
        (x,) = theta
        return Slopes(np.array([self.first(x)]), np.array([[self.second(x)]]))

    def step(self, theta, here):
        return np.minimum(-here.gradient / here.hessian[0], self.border - theta)

    def arrived(self, theta, here, step):
        return abs(step[0]) < 1e-9

    def longest(self, theta, step):
        return (self.border - theta[0]) / step[0] if step[0] > 0 else math.inf


def root_of_square(**options):  # sqrt(1 + x^2): from 3 plain steps go to -27, then to 19683
    return Curve(lambda x: x / math.hypot(1, x), lambda x: (1 + x * x) ** -1.5, **options)


def slow(**options):  # x / 1000 - 2 sqrt(x), least at a million: a plain step triples x
    return Curve(lambda x: 1e-3 - x**-0.5, lambda x: x**-1.5 / 2, **options)


@pytest.mark.parametrize("lengthens", [True, False])
def test_a_step_that_leads_up_the_other_side_is_cut(lengthens):
    found = minimise(root_of_square(lengthens=lengthens), np.array([3.0]), 10)
    assert found.converged and found.theta[0] == pytest.approx(0, abs=1e-9)


def test_steps_that_fall_short_are_made_longer_where_that_is_asked():
    quick, plain = (minimise(slow(lengthens=asked), np.ones(1), 50) for asked in (True, False))
    assert quick.theta[0] == pytest.approx(1e6) and plain.theta[0] == pytest.approx(1e6)
    assert quick.n_iter < 8 and plain.n_iter > 12


@pytest.mark.parametrize(("border", "end"), [(5e3, 5e3), (4e6, 1e6)])
def test_no_step_leads_over_a_border(border, end):
    found = minimise(slow(border=border), np.ones(1), 50)
    assert found.converged and found.theta[0] == pytest.approx(end)


def test_a_function_that_falls_to_its_border_is_followed_there_though_it_has_no_minimum_beyond():
    falls = Curve(lambda x: -(x**-0.5), lambda x: x**-1.5 / 2, border=7.0)
    assert minimise(falls, np.ones(1), 5)[:2] == (np.array([7.0]), 2)


def test_a_walk_that_is_cut_short_says_so():
    found = minimise(slow(lengthens=False), np.ones(1), 3)
    assert (found.n_iter, found.converged) == (3, False) and 20 < found.theta[0] < 28
