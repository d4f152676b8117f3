"""The root of a rising function of x > 0: found on any scale, in few calls."""

import math

import pytest

from calibration_lessons.calibrators._root import _Point, _step, bend_at, near_root, positive_root

# Rising functions of u = log x - log(root), with their slopes.
SHAPES = {
    "line": lambda u: (u, 1.0),
    "steep line": lambda u: (1e6 * u, 1e6),
    "exponential": lambda u: (math.expm1(u), math.exp(u)),
    "its mirror": lambda u: (-math.expm1(-u), math.exp(-u)),
    "step": lambda u: (math.tanh(5 * u), 5 * (1 - math.tanh(5 * u) ** 2)),
    "arc tangent": lambda u: (math.atan(u), 1 / (1 + u * u)),
    "cube": lambda u: (u**3 + 0.3 * u, 3 * u**2 + 0.3),
    "flat far away": lambda u: (math.erf(u), 2 / math.sqrt(math.pi) * math.exp(-u * u)),
}
# From a factor e^3 away on either side, and one more than it takes: rounding may differ elsewhere.
MOST_CALLS = {
    **{"line": 4, "steep line": 4, "exponential": 8, "its mirror": 8},
    **{"step": 6, "arc tangent": 7, "cube": 9, "flat far away": 6},
}


def search(name, root, away, tolerance=1e-12, bend=0.0):
    """Root that is found, and the calls that it took."""
    places = []

    def equation(x):
        places.append(x)
        return SHAPES[name](math.log(x) - math.log(root))

    return positive_root(equation, root * math.exp(away), tolerance, bend), len(places)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("root", [1e-90, 0.3, 1.0, 7.0, 1e90])
@pytest.mark.parametrize("away", [-3.0, -0.04, 0.0, 0.04, 3.0])
def test_the_root_is_found_on_any_scale_in_few_calls(name, root, away):
    found, calls = search(name, root, away)
    assert found == pytest.approx(root, rel=1e-11)
    assert calls <= (MOST_CALLS[name] if abs(away) > 1 else 4)


def test_a_start_at_the_root_is_returned_after_one_call():
    assert search("exponential", 1.0, 0.0) == (1.0, 1)


def test_a_loose_tolerance_saves_calls():
    (loose, few), (tight, more) = (search("exponential", 5.0, 3.0, t) for t in (1e-2, 1e-12))
    assert few < more and abs(math.log(loose / tight)) < 1e-2


def test_a_step_is_newtons_or_through_near_points_that_of_the_cubic():
    def at(u):
        return _Point(u, *SHAPES["exponential"](u))

    newton, error = _step(at(0.05), None, 0.0)
    assert newton == pytest.approx(math.expm1(-0.05)) and error == newton**2
    assert _step(at(0.05), at(0.16), 1.0) == (newton, error)  # too far from each other
    cubic, error = _step(at(0.05), at(-0.04), 0.0)
    assert cubic == pytest.approx(-0.05, abs=2e-6) and abs(newton + 0.05) > 1e-3
    assert error == pytest.approx((newton * 0.09) ** 2)
    flat = _Point(0.05, 0.1, 0.0)
    assert _step(flat, None, 0.0) == (-math.inf, math.inf)
    assert _step(_Point(0, -1.0, 0.0), None, 0.0)[0] == math.inf
    assert _step(at(0.05), flat, 0.0) == (newton, newton**2)
    assert _step(at(0.05), _Point(0.06, at(0.05).value, 1.0), 0.0) == (newton, newton**2)


def test_a_few_steps_lead_to_a_near_root_and_never_go_astray():
    def exponential(x):
        calls.append(x)
        return SHAPES["exponential"](math.log(x))

    for start, tolerance, bend, most in ((0.05, 1e-3, 1.0, 1), (0.5, 1e-6, 0.0, 4), (0.5, 1e-300, 0.0, 4)):
        calls = []
        assert near_root(exponential, math.exp(start), tolerance, bend) == pytest.approx(1, abs=1e-3)
        assert len(calls) <= most
    for answer in ((math.nan, 1.0), (1.0, math.nan), (1.0, 0.0), (math.inf, math.inf), (9.0, 1.0)):
        assert near_root(lambda x, answer=answer: answer, 3.0, 1e-4, 0.5) == 3
    assert near_root(lambda x: (0.5, 1.0), 3.0, 1e-4, 0.0) == pytest.approx(3 * math.exp(-2))  # no root


def test_a_short_first_step_follows_the_bend_where_that_is_known():
    def at(u):
        return _Point(u, *SHAPES["exponential"](u))

    bend = bend_at(lambda x: SHAPES["exponential"](math.log(x)), 2.0)
    assert bend == pytest.approx(1, rel=1e-3)
    assert bend_at(lambda x: (0.0, 0.0), 2.0) == 0
    bent, error = _step(at(0.05), None, bend)
    newton = math.expm1(-0.05)
    assert bent == pytest.approx(-0.05, abs=2e-5) and error == pytest.approx(newton**2 / 8)
    assert abs(bent + 0.05) < error
    assert _step(at(0.2), None, bend)[0] == pytest.approx(math.expm1(-0.2))  # too long to trust it
    assert _step(at(0.05), None, 25.0)[0] == pytest.approx(newton)  # bent further than a curve can be
    (plain, steps), (curved, fewer) = (search("exponential", 5.0, 0.09, bend=b) for b in (0.0, 1.0))
    assert plain == pytest.approx(curved, rel=1e-11) and fewer <= steps
