"""Probabilities in the place of logits are noticed, once, and logits are not taken for them."""

import contextlib
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import calibration_lessons as cl

RNG = np.random.default_rng(0)
Z = 2 * RNG.normal(size=(200, 3))
P = cl.softmax(Z)
Y = (Z / 1.5 + RNG.gumbel(size=Z.shape)).argmax(axis=1)


ONE, POSITIVE, MOSTLY = P[:, 1], Y == 1, np.arange(200) % 3 > 0
BIAS = cl.MatrixScaling("bias", strength=1.0)
LOGS, HOLES = np.log(P), RNG.random(P.shape) < 0.05  # where a logarithm did not come
POINTS = RNG.uniform(0, 100, 200)  # a score that is no percentage
COUNTED = [
    cl.PlattScaling(), cl.BetaCalibration(prior_targets=True), cl.VennAbersCalibration(),
    cl.IsotonicCalibration(smoothing=2), cl.HistogramBinning(smoothing=2),
]  # fmt: skip
NOTICED = [
    (cl.PlattScaling(), ONE, POSITIVE, r"PlattScaling reads log-odds, log\(p / \(1 - p\)\)"),
    (cl.TemperatureScaling(), P, Y, r"TemperatureScaling reads logits, such as log\(p\)"),
    *[
        (cl.TemperatureScaling(), changed, Y, "TemperatureScaling reads logits")
        for changed in (P.astype(np.float16), P.round(2), P.clip(0.01, 0.99), 100 * P, 0.9 * P)
    ],
    (cl.TemperatureScaling(), ONE / 2 + 0.5, MOSTLY, "TemperatureScaling reads log-odds"),
    (cl.ExpectationConsistency(), P, Y, "ExpectationConsistency reads logits"),
    (cl.OneVsRest(cl.PlattScaling()), P, Y, "PlattScaling reads log-odds"),
    (BIAS, P, Y, r"MatrixScaling reads logits, such as log\(p\)"),
    (BIAS, ONE / 2 + 0.5, MOSTLY, "MatrixScaling reads log-odds"),
    *[
        (one, 100 * ONE, POSITIVE, r"looks like percentages: .* log-odds, scipy.special.logit\(X / 100\)")
        for one in (cl.PlattScaling(), cl.TemperatureScaling(), BIAS)
    ],
    (cl.PlattScaling(), (100 * ONE).round(), POSITIVE, "looks like percentages"),
    (cl.OneVsRest(cl.PlattScaling()), 100 * P, Y, "looks like percentages"),
    *[
        (one, np.where(HOLES, missing, LOGS), Y, rf"is {missing:g} in \d+ places and .*: a stand-in")
        for one in (cl.TemperatureScaling(), BIAS)
        for missing in (-100, -1e5)
    ],
]
LEFT_ALONE = [
    *[(cl.PlattScaling(), z, POSITIVE) for z in (Z[:, 1], 3 * ONE)],
    (cl.PlattScaling(), ONE[:9], POSITIVE[:9]),
    *[(cl.TemperatureScaling(), z, Y) for z in (Z, 0.4 + P / 2, LOGS, 30 * Z, np.maximum(30 * Z, -60))],
    (cl.TemperatureScaling(), np.where(HOLES & (np.arange(3) != Y[:, None]), -np.inf, LOGS), Y),
    (cl.TemperatureScaling(), np.where(np.arange(600).reshape(200, 3) % 150 == 0, -100, LOGS), Y),
    *[(cl.PlattScaling(), z, POSITIVE) for z in (POINTS, 10 * ONE)],
    *[(reads_them, ONE, POSITIVE) for reads_them in COUNTED[1:]],
    (cl.OneVsRest(cl.IsotonicCalibration()), P, Y),
]


@pytest.mark.parametrize(("calibrator", "X", "y", "reads"), NOTICED)
def test_probabilities_where_logits_belong_get_one_warning_with_the_remedy(calibrator, X, y, reads):
    with pytest.warns(UserWarning, match=f"^X (looks like probabilities: )?{reads}") as caught:
        with contextlib.suppress(ValueError):  # they may fit no temperature
            calibrator.fit(X, y)
    assert len(caught) == 1


def test_a_measure_that_reads_logits_notices_a_stand_in():
    with pytest.warns(UserWarning, match="^y_prob is -100 in .*: a stand-in decides the fit by itself"):
        cl.brier_score(Y, np.where(HOLES, -100, LOGS), from_logits=True)


def test_log_probabilities_of_one_class_are_noticed():
    sure = np.linspace(0.9, 0.9999, 200)
    with pytest.warns(UserWarning, match="^X looks like log-probabilities of one class: its logit is log p"):
        cl.TemperatureScaling().fit(np.log(np.r_[sure, ONE]), np.r_[MOSTLY, POSITIVE])


@pytest.mark.parametrize("calibrator", COUNTED, ids=repr)
def test_weights_that_sum_to_one_are_noticed_where_they_count_as_rows(calibrator):
    score = Z[:, 1] if calibrator.reads == "logits" else ONE
    of_one = np.full(200, 1 / 200)
    with pytest.warns(UserWarning, match="^sample_weight sums to 1, so its 200 rows count as so few: divide"):
        calibrator.fit(score, POSITIVE, of_one)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = clone(calibrator).fit(score, POSITIVE, of_one / of_one.mean()).predict_proba(score)
        assert np.allclose(same, clone(calibrator).fit(score, POSITIVE).predict_proba(score))
        cl.PlattScaling(prior_targets=False).fit(Z[:, 1], POSITIVE, of_one)


@pytest.mark.parametrize(("calibrator", "X", "y"), LEFT_ALONE)
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
        other = cl.IsotonicCalibration().fit(P[:, 1], came)
        other.predict_proba(P[:, 1] * 1.2)
        cl.calibrator_from_dict(other.to_dict()).predict_proba(Z[:, 1])
    with pytest.warns(UserWarning, match="^X looks like no probabilities, and the scores in fit did"):
        other.predict_proba(Z[:, 1])


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
