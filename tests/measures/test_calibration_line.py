"""Cox's calibration slope and intercept: known truths, Platt's curve of the log-odds, refusals."""

import numpy as np
import pytest

import calibration_lessons as cl

RNG = np.random.default_rng(0)
SCORES = RNG.normal(1, 3, 2000)
LABELS = (RNG.random(2000) < 1 / (1 + np.exp(1 - 0.7 * SCORES))).astype(int)


def test_the_calibration_line_is_platts_curve_of_the_log_odds_without_prior_targets():
    p = 1 / (1 + np.exp(-SCORES))
    weights = np.r_[0.0, np.linspace(1, 2, 1999)]
    line = cl.calibration_slope_intercept(LABELS, p, sample_weight=weights)
    platt = cl.PlattScaling(prior_targets=False).fit(SCORES, LABELS, weights)
    assert line == pytest.approx((platt.slope_, platt.intercept_), rel=1e-9)
    assert line == pytest.approx(
        cl.calibration_slope_intercept(LABELS, SCORES, sample_weight=weights, from_logits=True), rel=1e-9
    )
    assert all(type(number) is float for number in line)
