"""The root of an increasing function of x > 0 is found on any scale, from far and from near."""

import math

import pytest

from calibration_lessons.solvers.root import increasing_root

# Increasing functions of u = log x - log(root), with their slopes in u.
SHAPES = {
    "steep line": lambda u: (1e6 * u, 1e6),
    "exponential": lambda u: (math.expm1(u), math.exp(u)),
    "its mirror": lambda u: (-math.expm1(-u), math.exp(-u)),
    "step": lambda u: (math.tanh(5 * u), 5 * (1 - math.tanh(5 * u) ** 2)),
    "cube": lambda u: (u**3 + 0.3 * u, 3 * u**2 + 0.3),
    "cube, flat at its root": lambda u: (u**3, 3 * u**2),
    "flat far away": lambda u: (math.erf(u), 2 / math.sqrt(math.pi) * math.exp(-u * u)),
}


def search(name, root, away):
    """Root that is found, and the calls that it took."""
    places = []

    def equation(x):
        places.append(x)
        value, slope = SHAPES[name](math.log(x) - math.log(root))
        return value, slope / x

    return increasing_root(equation, root * math.exp(away)), len(places)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("root", [1e-90, 0.3, 1e90])
@pytest.mark.parametrize("away", [-9.0, -0.04, 0.0, 3.0])
def test_the_root_is_found_on_any_scale_from_near_and_far(name, root, away):
    found, calls = search(name, root, away)
    assert found == pytest.approx(root, rel=1e-6 if "flat at" in name else 1e-12)
    assert calls <= 50


@pytest.mark.parametrize("away", [0.05, -0.05])
def test_steps_that_follow_the_bend_of_the_function_more_than_double_the_digits(away):
    found, calls = search("exponential", 5.0, away)
    assert calls == 3  # Newton's steps alone need four: 5e-2, 1e-3, 8e-7, 3e-13
    assert found == pytest.approx(5, rel=1e-14)


def test_a_function_without_a_slope_is_bisected():
    assert increasing_root(lambda x: (1.0 if x > 3 else -1.0, 0.0), 1e-9) == pytest.approx(3, rel=1e-6)


def test_steps_that_lead_back_and_forth_for_ever_are_cut_short():
    def equation(x):
        return (1.0, 0.5 / x) if math.log(x) > 0 else (-1.0, 0.5 / x)

    assert increasing_root(equation, math.e) == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("value", [1.0, -1.0, math.nan])
def test_a_function_that_keeps_its_sign_is_refused(value):
    with pytest.raises(ArithmeticError, match="no root"):
        increasing_root(lambda x: (value, 0.0), 1.0)
