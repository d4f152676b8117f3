"""What an argument is where none is given: as the signature shows."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import calibration_lessons as cl
from calibration_lessons.book import simulate

RNG = np.random.default_rng(0)
P = RNG.random(400)
Y = (RNG.random(400) < P).astype(int)
ROWS = RNG.dirichlet([1.0, 1.0], size=(3, 5))

ESTIMATORS = [
    *(cl.models.LogisticRegression, cl.models.SoftmaxRegression, cl.HistogramBinning, cl.IsotonicCalibration),
    *(cl.PlattScaling, cl.TemperatureScaling, cl.ExpectationConsistency),
    *(cl.MatrixScaling, cl.BetaCalibration, cl.VennAbersCalibration, cl.MultiClassIsotonic),
]
CALLS = {
    "reliability_curve": (cl.reliability_curve, (Y, P)),
    "interval": (lambda **options: cl.reliability_curve(Y, P).interval(**options), ()),
    "expected_calibration_error": (cl.expected_calibration_error, (Y, P)),
    "maximum_calibration_error": (cl.maximum_calibration_error, (Y, P)),
    "ece_interval": (cl.ece_interval, (Y, P)),
    "calibration_test": (
        lambda y, p, **options: cl.calibration_test(y, p, **{**options, "random_state": 0}),
        (Y, P),
    ),
    "negative_log_likelihood": (cl.negative_log_likelihood, (Y, P)),
    "entropy": (cl.uncertainty.entropy, (ROWS,)),
    "decompose_uncertainty": (cl.uncertainty.decompose_uncertainty, (ROWS,)),
    "coin_uncertainty": (cl.uncertainty.coin_uncertainty, (3, 7)),
    "expected_coin_uncertainty": (cl.uncertainty.expected_coin_uncertainty, (0.3, 7)),
    "kernel_confidence": (
        lambda *data, **options: cl.uncertainty.kernel_confidence(*data, bandwidth=0.5, **options),
        (P[:, None], Y, P[:5, None], Y[:5]),
    ),
    "estimate_priors": (
        lambda p, **options: cl.decisions.estimate_priors(p, **{**options, "train_priors": [0.5, 0.5]}),
        (P,),
    ),
    "bin_edges": (cl.measures.bin_edges, (7,)),
    "calibration_slope_intercept": (cl.calibration_slope_intercept, (Y, P)),
}
SHOWN = {
    "calibration_test": cl.calibration_test,
    "interval": cl.measures.ReliabilityCurve.interval,
    "kernel_confidence": cl.uncertainty.kernel_confidence,
    "estimate_priors": cl.decisions.estimate_priors,
}


def shown(function):
    """Options with their defaults, as the signature has them."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


@pytest.mark.parametrize("name", CALLS)
def test_an_option_left_out_is_the_one_that_the_signature_shows(name):
    function, data = CALLS[name]
    options = shown(SHOWN.get(name, function))
    assert options
    assert pickle.dumps(function(*data)) == pickle.dumps(function(*data, **options))


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_an_estimator_keeps_the_parameters_that_its_signature_shows(kind):
    assert kind().get_params() == shown(kind)


def test_five_folds_two_classes_and_fifteen_bins_are_what_is_meant_where_nothing_is_said():
    assert cl.CalibratedModel(GaussianNB(), cl.PlattScaling()).cv == 5
    assert cl.CalibrationAccumulator().n_bins == 15
    assert len(cl.ece_under_calibration(P[:20]).values) == 1000
    assert simulate.ScoreSource().binned_calibration_error() < 1e-12


def test_a_chapter_made_for_another_version_says_so(capsys):
    cl.book.made_for("0.1")
    assert capsys.readouterr().out == ""
    cl.book.made_for("0.0")
    assert capsys.readouterr().out == (
        f"This chapter was made for version 0.0 of calibration_lessons; {cl.__version__} is installed. "
        f"Numbers may differ.\n"
    )
