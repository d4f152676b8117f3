"""Probabilities in the place of logits are noticed, once, and logits are not taken for them."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import calibration_lessons as cl

RNG = np.random.default_rng(0)
Z = 2 * RNG.normal(size=(200, 3))
P = cl.softmax(Z)
Y = (Z / 1.5 + RNG.gumbel(size=Z.shape)).argmax(axis=1)


@pytest.mark.parametrize(
    ("calibrator", "X", "y", "reads"),
    [
        (cl.PlattScaling(), P[:, 1], Y == 1, r"PlattScaling reads log-odds, log\(p / \(1 - p\)\)"),
        (cl.TemperatureScaling(), P, Y, r"TemperatureScaling reads logits, such as log\(p\)"),
        (cl.TemperatureScaling(), P.astype(np.float16), Y, "TemperatureScaling reads logits"),
        (
            cl.TemperatureScaling(),
            P[:, 1] / 2 + 0.5,
            np.arange(200) % 3 > 0,
            "TemperatureScaling reads log-odds",
        ),
        (cl.ExpectationConsistency(), P, Y, "ExpectationConsistency reads logits"),
        (cl.OneVsRest(cl.PlattScaling()), P, Y, "PlattScaling reads log-odds"),
        (cl.MatrixScaling("bias", strength=1.0), P, Y, r"MatrixScaling reads logits, such as log\(p\)"),
        (
            cl.MatrixScaling("bias", strength=1.0),
            P[:, 1] / 2 + 0.5,
            np.arange(200) % 3 > 0,
            "MatrixScaling reads log-odds",
        ),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_probabilities_where_logits_belong_get_one_warning_with_the_remedy(calibrator, X, y, reads):
    with pytest.warns(UserWarning, match=f"^X looks like probabilities: {reads}") as caught:
        try:
            calibrator.fit(X, y)
        except ValueError:
            assert isinstance(calibrator, cl.ExpectationConsistency | cl.TemperatureScaling)
    assert len(caught) == 1


def test_that_warning_points_at_the_line_that_called_fit_whatever_stands_between():
    with pytest.warns(UserWarning) as caught:
        cl.OneVsRest(cl.PlattScaling()).fit(P, Y)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("calibrator", "X", "y"),
    [
        (cl.PlattScaling(), Z[:, 1], Y == 1),
        (cl.PlattScaling(), 3 * P[:, 1], Y == 1),
        (cl.PlattScaling(), P[:9, 1], Y[:9] == 1),
        (cl.TemperatureScaling(), Z, Y),
        (cl.TemperatureScaling(), 0.9 * P, Y),
        (cl.TemperatureScaling(), np.log(P), Y),
        (cl.IsotonicCalibration(), P[:, 1], Y == 1),
        (cl.HistogramBinning(), P[:, 1], Y == 1),
        (cl.VennAbersCalibration(), P[:, 1], Y == 1),
        (cl.BetaCalibration(), P[:, 1], Y == 1),
        (cl.OneVsRest(cl.IsotonicCalibration()), P, Y),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_logits_few_rows_and_methods_that_read_probabilities_get_none(calibrator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calibrator.fit(X, y)


@pytest.mark.parametrize("calibrator", [cl.PlattScaling(), cl.IsotonicCalibration()], ids=repr)
def test_one_probability_a_row_is_told_from_the_logits_that_were_fitted(calibrator):
    came = Z[:, 1] + RNG.logistic(size=200) > Z[:, 0]
    fitted = clone(calibrator).fit(Z[:, 1] - Z[:, 0], came)
    with pytest.warns(UserWarning, match="^X looks like probabilities, and the scores in fit did not"):
        fitted.predict_proba(P[:, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.predict_proba(Z[:, 1])
        fitted.predict_proba(P[:9, 1])


@pytest.mark.parametrize("calibrator", [cl.TemperatureScaling(), cl.MatrixScaling()], ids=repr)
def test_probabilities_are_told_from_the_logits_that_a_fitted_calibrator_expects(calibrator):
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(300, 3))
    fitted = clone(calibrator).fit(logits, (logits + rng.gumbel(size=(300, 3))).argmax(axis=1))
    with pytest.warns(UserWarning, match="^X looks like probabilities: "):
        fitted.predict_proba(cl.softmax(logits))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.predict_proba(logits)
        clone(calibrator).fit([-1.0, 1.0, 2.0, 0.5], [0, 1, 0, 1]).predict_proba(np.linspace(0.1, 0.9, 20))
