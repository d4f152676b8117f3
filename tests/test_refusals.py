"""Each argument of each public function is checked: one refusal each, by the argument, the place and the kind.

What a check refuses, and in which words, is told in `test_input`; a call here proves that the argument goes
through it. Scores, labels and weights of the calibrators: `tests/calibrators/test_every.py`.
"""

# ruff: noqa: E501

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, SVR

import calibration_lessons as cl
from calibration_lessons._extras import missing
from calibration_lessons._input import place
from calibration_lessons.book import comparison, datasets, simulate, tables

X = np.arange(20.0).reshape(10, 2)
Y = [0, 1] * 5
FORECAST, COSTS = {"y_true": [0, 1], "y_prob": [0.2, 0.8]}, [[0, 1], [4, 0]]
CURVE, CORP = cl.reliability_curve([0, 1], [0.2, 0.8]), cl.corp_curve([0, 1], [0.3, 0.6])
NULL, HALF = cl.measures.ECENull(np.array([0.1, 0.2])), [0.5, 0.5]
SIMILAR = {"X_train": [[0.0], [1.0]], "y_train": [0, 1], "X": [[0.5]], "y_pred": [1], "bandwidth": 1.0}
ROWS = {"X": [[0.0], [1.0], [0.5], [0.6]], "y": [0, 1, 1, 0]}


def fitting(kind):
    """Make a model with options, and fit it."""
    return lambda **options: kind(**options).fit(**ROWS)


# fmt: off
CALLS = [  # each with its arguments; those that are left out have their defaults
    *((f, FORECAST) for f in (
        cl.reliability_curve, cl.expected_calibration_error, cl.maximum_calibration_error, cl.ece_interval,
        cl.calibration_report, cl.calibration_test, cl.brier_score, cl.negative_log_likelihood, cl.corp_curve,
        cl.corp_decomposition, cl.brier_decomposition, cl.decisions.risk_coverage, cl.calibration_slope_intercept,
        lambda y_true, y_prob, sample_weight=None: cl.CalibrationAccumulator().update(y_true, y_prob, sample_weight=sample_weight),
    )),
    (cl.ece_under_calibration, {"y_prob": [0.2, 0.8]}), (cl.measures.bin_edges, {"n_bins": 3}),
    *((f, {}) for f in (CURVE.ece, CURVE.ece_interval, CURVE.interval, CURVE.band, CURVE.under_calibration, CORP.band)),
    (NULL.quantile, {"q": 0.5}), (NULL.p_value, {"ece": 0.1}),
    (lambda n_bins=15: cl.CalibrationAccumulator(n_bins), {}),
    (lambda target=None: cl.CalibrationAccumulator(target=target).update([0, 1], [0.2, 0.8]), {}),
    (cl.softmax, {"logits": [[0.0, 1.0]]}), (cl.log_softmax, {"logits": [[0.0, 1.0]]}),
    (cl.uncertainty.entropy, {"p": HALF}), (cl.uncertainty.decompose_uncertainty, {"member_probs": [[HALF], [HALF]]}),
    *((f, {"heads": 1, "tosses": 2}) for f in (cl.uncertainty.coin_uncertainty, cl.uncertainty.coin_plausibility)),
    (cl.uncertainty.expected_coin_uncertainty, {"p": 0.5, "tosses": 2}), (cl.uncertainty.kernel_confidence, SIMILAR),
    (cl.risk_validation, {"y_true": Y, "y_prob": np.linspace(0.1, 0.9, 10)}), (cl.compare, {"y_true": Y, "prob_a": np.linspace(0.1, 0.9, 10), "prob_b": [0.5] * 10}),
    (cl.validation_size, {"y_prob": [0.2, 0.8], "threshold": 0.5}),
    *((f, FORECAST | {"thresholds": [0.5]}) for f in (cl.net_benefit, cl.decisions.decision_curve)),
    (cl.decisions.optimal_threshold, {"costs": COSTS}), (cl.decisions.expected_cost, {"y_prob": [0.5], "costs": COSTS}),
    (cl.decisions.optimal_decision, {"y_prob": [0.5], "costs": COSTS}),
    (cl.decisions.mean_cost, {"y_true": [0, 1], "decision": [0, 1], "costs": COSTS}),
    (cl.decisions.adjust_to_priors, {"y_prob": [0.2, 0.8], "train_priors": HALF, "new_priors": HALF}),
    (cl.decisions.estimate_priors, {"y_prob": [0.2, 0.8], "train_priors": HALF}),
    (lambda held_out_prob, sample_weight=None: cl.decisions.estimate_priors([0.2, 0.7], held_out_prob, sample_weight=sample_weight), {"held_out_prob": HALF}),
    *((fitting(kind), dict.fromkeys(inspect.signature(kind).parameters)) for kind in (cl.models.LogisticRegression, cl.models.SoftmaxRegression)),
    (cl.models.LogisticRegression(l2=1.0).fit, ROWS), (cl.models.SoftmaxRegression(l2=1.0).fit, ROWS),
    (cl.models.LogisticRegression(l2=1.0).fit(**ROWS).predict, {"X": [[0.0]]}),
    (datasets.network_logits, {"network": 0, "part": "test"}), (datasets.smoothed_logits, {"part": "test"}),
    (datasets.shifted_logits, {"network": 0, "kind": "blur", "level": 1}), (comparison.load, {"data": "spambase"}),
    (simulate.over_confident, {"temperature": 1.0}), (simulate.sawtooth, {"amplitude": 0.1, "teeth": 3}),
    (simulate.ScoreSource().sample, {"n": 3}), (simulate.ScoreSource().calibration_error, {}),
    (simulate.ScoreSource().binned_calibration_error, {}), (simulate.TwoGaussians, {}),
    (simulate.TwoGaussians().log_odds, {"x": [0.0]}), (simulate.TwoGaussians().sample, {"n": 3}),
    (simulate.GaussianClasses, {"n_classes": 3}), (simulate.GaussianClasses(3).logits, {"x": [[0.0, 0.0]]}),
    (simulate.GaussianClasses(3).sample, {"n": 3}),
    (simulate.logits_with_temperature, {"n": 5, "n_classes": 3, "temperature": 1.0}),
    (simulate.label_noise, {"y_true": [0, 1], "rate": 0.1, "n_classes": 3}),
    (simulate.noisy_posterior, {"posterior": [HALF], "rate": 0.1}),
    (simulate.label_shift, {"y_true": [0, 1], "class_prior": HALF, "n": 3}),
]
NOT_CHECKED = {"labels", "standardized", "pos_label", "from_logits", "debias", "dtype", "estimate_priors-held_out_prob"}  # told in tests of their own
WRONG = {  # what an argument of a name may not be, and the place that is named
    "y_true": ([0, 7], "[1]"), "y_prob": ([0.2, np.inf], "[1]"), "sample_weight": ([1, -1], "[1]"), "n_bins": (0, ""),
    "strategy": ("width", ""), "target": (2, ""), "norm": ("l3", ""), "level": (1, ""), "n_draws": (0, ""),
    "method": ("chi2", ""), "score": ("nll", ""), "random_state": ("a", ""), "q": (2, ""), "ece": (np.nan, ""),
    "logits": ([[1.0, np.nan]], "[0, 1]"), "p": ([0.5, 0.6], ""), "base": ("dits", ""), "measure": ("variance", ""),
    "member_probs": ([[HALF], [[0.5, 0.4]]], "[1][0]"), "heads": (-1, ""), "tosses": (2.5, ""), "prior": ((1, np.inf), "[1]"),
    "X_train": ([[0.0], [np.nan]], "[1, 0]"), "y_train": ([0, 2], "[1]"), "y_pred": ([2], "[0]"), "bandwidth": (0, ""),
    "n_classes": (1, ""), "costs": ([[0, np.nan], [1, 0]], "[0, 1]"), "abstaining_cost": (np.inf, ""), "decision": ([0, 2], "[1]"),
    "train_priors": ([0, 1], "[0]"), "new_priors": ([0.5, 0.6], "[0]"), "held_out_prob": ([0.5, 1.5], "[1]"), "tol": (0, ""),
    "max_iter": (0, ""), "X": ([[np.inf]], "[0, 0]"), "y": (None, ""), "solver": ("sgd", ""), "l2": (-1, ""),
    "fit_intercept": ("yes", ""), "form": ("other", ""), "network": (5, ""), "part": ("train", ""), "kind": ("fog", ""),
    "data": ("iris", ""), "temperature": (0, ""), "amplitude": (2, ""), "teeth": (0, ""),
    "groups": ([1, 2], ""), "observed_expected": (0, ""), "slope": (-1, ""), "c_statistic": (np.nan, ""), "net_benefit": (None, ""), "threshold": (0, ""),
    "thresholds": ([0.5, 1.0], "[1]"), "versus": ([0.2, 1.5], "[1]"), "prob_a": ([0.2, 1.5], "[1]"), "prob_b": ([0.2, 1.5], "[1]"),
    "n": (2.5, ""), "separation": (-1, ""), "positive_rate": (0, ""), "x": ([[0.0, np.nan]], "[0, 1]"), "radius": (-1, ""),
    "spread": (-1, ""), "rate": (1.5, ""), "posterior": ([[0.5, 0.6]], "[0]"), "class_prior": ([0.5, 0.6], "[0]"),
}

OWN = {  # where the name alone does not say what is wrong
    "entropy-p": ([0.5, 0.6], "[0]"), "compare-prob_a": ([0.5] * 9 + [1.5], "[9]"), "compare-prob_b": ([0.5] * 9 + [1.5], "[9]"),
    "compare-sample_weight": ([1] * 9 + [-1], "[9]"), "fit-sample_weight": ([1, -1, 1, 1], "[1]"), "shifted_logits-level": (6, ""),
    "log_odds-x": ([np.nan], "[0]"), "logits_with_temperature-n_classes": (3.5, ""), "label_noise-n_classes": (0, ""),
}
# fmt: on

# fmt: off
REFUSALS = [  # beyond these: the place, the kind, and a call that is evaluated in its test alone
    ("logits", ValueError, lambda: cl.softmax([[1.0], [2.0]])),
    ("y_prob[0]", ValueError, lambda: cl.risk_validation(Y, [0.0, *[0.5] * 9])),
    ("y_prob", ValueError, lambda: cl.risk_validation(Y, [0.5] * 10)),
    ("y_prob[1]", ValueError, lambda: cl.risk_validation(Y, [0.5, 1.5, *[0.2] * 8])),
    ("y_true", ValueError, lambda: cl.risk_validation([0] * 9 + [1], np.linspace(0.1, 0.9, 10))),
    ("y_true[2]", ValueError, lambda: cl.risk_validation([0, 1, 2], [0.2, 0.4, 0.6])),
    ("level", ValueError, lambda: cl.risk_validation(Y, np.linspace(0.1, 0.9, 10), level=1.0)),
    ("groups", ValueError, lambda: cl.risk_validation(Y, np.linspace(0.1, 0.9, 10), groups=[1, 2, 3, 4] * 2 + [1, 2])),
    ("groups", ValueError, lambda: cl.risk_validation(Y, np.linspace(0.1, 0.9, 10), groups=[1] * 9)),
    ("groups", ValueError, lambda: cl.risk_validation([0, 1, 0, 1] + [0] * 6, np.linspace(0.1, 0.9, 10), groups=[1] * 4 + [2, 3, 4, 5, 6, 7])),
    ("groups[1]", ValueError, lambda: cl.risk_validation(Y, np.linspace(0.1, 0.9, 10), groups=[1, np.nan] * 5)),
    ("thresholds[1]", ValueError, lambda: cl.net_benefit([0, 1], [0.2, 0.4], [0.5, 1.0])),
    ("thresholds", ValueError, lambda: cl.net_benefit([0, 1], [0.2, 0.4], 0.5)),
    ("y_prob[1]", ValueError, lambda: cl.net_benefit([0, 1], [0.2, 1.4], [0.5])),
    ("y_true", ValueError, lambda: cl.net_benefit([0, 0], [0.2, 0.4], [0.5], standardized=True)),
    ("versus[0]", ValueError, lambda: cl.decisions.decision_curve([0, 1], [0.2, 0.4], [0.5], versus=[-0.1, 1])),
    ("level", ValueError, lambda: cl.decisions.decision_curve([0, 1], [0.2, 0.4], [0.5], level=0)),
    ("y_true", ValueError, lambda: cl.decisions.decision_curve([1], [0.2], [0.5])),
    ("prior", TypeError, lambda: cl.uncertainty.coin_uncertainty(1, 2, prior="ab")),
    ("member_probs[0]", ValueError, lambda: cl.uncertainty.decompose_uncertainty([[[1.0]]])),
    ("heads", ValueError, lambda: cl.uncertainty.coin_uncertainty(3, 2)),
    ("X_train", ValueError, lambda: cl.uncertainty.kernel_confidence([0.0, 1.0], [0, 1], [[0.5]], [1], bandwidth=1.0)),
    ("X_train", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0], [[0.5]], [1], bandwidth=1.0)),
    ("X", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [0.5], [1], bandwidth=1.0)),
    ("X", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [[0.5, 0.5]], [1], bandwidth=1.0)),
    ("X", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [[0.5]], [1, 1], bandwidth=1.0)),
    ("member_probs", ValueError, lambda: cl.uncertainty.decompose_uncertainty([[0.5, 0.5]])),
    ("member_probs[1][0, 0]", ValueError, lambda: cl.uncertainty.decompose_uncertainty([[[0.5, 0.5]], [[1.2, -0.2]]])),
    ("form", ValueError, lambda: cl.models.SoftmaxRegression(form="other").fit([[0.0], [1.0]], [0, 1])),
    ("target", ValueError, lambda: cl.reliability_curve([0, 1], [[0.2, 0.3, 0.5], [0.8, 0.1, 0.1]], target="positive")),
    ("target", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8], target=True)),
    ("the accumulator", ValueError, lambda: cl.CalibrationAccumulator().curve()),
    ("sample_weight", ValueError, lambda: cl.CalibrationAccumulator().update([0, 1], [0.2, 0.8], sample_weight=[0, 0]).curve()),
    ("y_prob", ValueError, lambda: cl.CalibrationAccumulator().update([0, 1], [0.2, 0.8]).update([0], [[0.2, 0.8]])),
    ("y_prob", ValueError, lambda: cl.CalibrationAccumulator().update([0], np.float32([0.5])).update([0], [0.5])),
    ("other", TypeError, lambda: cl.CalibrationAccumulator().merge("all")),
    ("other", ValueError, lambda: cl.CalibrationAccumulator().merge(cl.CalibrationAccumulator(n_bins=5, target="positive"))),
    ("other", ValueError, lambda: cl.CalibrationAccumulator().update([0], [0.5]).merge(cl.CalibrationAccumulator().update([0], [[0.5, 0.5]]))),
    ("debias", ValueError, lambda: cl.expected_calibration_error([0, 1], [0.2, 0.8], debias=True, sample_weight=[1, 2])),
    ("y_prob", ValueError, lambda: cl.expected_calibration_error([0, 1], [[[0.2, 0.8]]])),
    ("target", ValueError, lambda: cl.maximum_calibration_error([0, 1], [0.2, 0.8], target="class-wise")),
    ("target", ValueError, lambda: cl.ece_under_calibration([0.2, 0.8], target=True)),
    ("y_true[1]", ValueError, lambda: cl.negative_log_likelihood([0, -1], [0.2, 0.8])),
    ("y_prob", ValueError, lambda: cl.corp_decomposition([0, 1], [[0.2, 0.8], [0.5, 0.5]])),
    ("sample_weight[1]", ValueError, lambda: cl.calibration_report([0, 1], [0.2, 0.8], sample_weight=[0, 1e300])),
    ("sample_weight[0]", ValueError, lambda: cl.calibration_report([0, 1], [0.2, 0.8], sample_weight=[1e-300, 1])),
    ("y_prob[1]", ValueError, lambda: cl.calibration_report([0, 1], [0.2, 1.8])),
    ("debias", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8], sample_weight=[1, 2]).ece(debias=True)),
    ("X[0]", ValueError, lambda: cl.HistogramBinning().fit([0.2, 0.8], [0, 1]).predict_proba([1.8])),
    ("X[1]", ValueError, lambda: cl.ExpectationConsistency().fit([[0.0, 1.0], [1.0, -np.inf]], [0, 1])),
    ("X[0]", ValueError, lambda: cl.TemperatureScaling().fit([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], [1, 0, 0]).predict_proba([[-np.inf, -np.inf]])),
    ("X[1]", ValueError, lambda: cl.TemperatureScaling().fit([[0.0, 1.0], [1.0, -np.inf]], [0, 1])),
    ("n_bins", ValueError, lambda: cl.HistogramBinning(n_bins=0).fit([0.2, 0.8], [0, 1])),
    ("strategy", ValueError, lambda: cl.HistogramBinning(strategy="width").fit([0.2, 0.8], [0, 1])),
    ("X[1]", ValueError, lambda: cl.HistogramBinning().fit([0.2, 1.8], [0, 1])),
    ("prior_targets", ValueError, lambda: cl.PlattScaling(prior_targets=1.0).fit([0.2, 0.8], [0, 1])),
    ("X[1]", ValueError, lambda: cl.BetaCalibration().fit([0.2, 1.8], [0, 1])),
    ("prior_targets", ValueError, lambda: cl.BetaCalibration(prior_targets=1).fit([0.2, 0.8], [0, 1])),
    ("X[0]", ValueError, lambda: cl.MultiClassIsotonic().fit([[0.2, 0.9], [0.8, 0.2]], [0, 1])),
    ("smoothing", ValueError, lambda: cl.MultiClassIsotonic(smoothing=-1).fit([[0.2, 0.8], [0.8, 0.2]], [0, 1])),
    ("X[0]", ValueError, lambda: cl.MultiClassIsotonic().fit([[0.2, 0.8], [0.8, 0.2]], [0, 1]).predict([[0.2, 0.9]])),
    ("y_prob[1]", ValueError, lambda: cl.calibration_slope_intercept([0, 1], [0.2, 0.0])),
    ("y_prob", ValueError, lambda: cl.calibration_slope_intercept([0, 1], [[0.2, 0.8]])),
    ("y_prob", ValueError, lambda: cl.calibration_slope_intercept([0, 1], [0.2, 0.2])),
    ("target", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], method="kernel", target="positive")),
    ("n_bins", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], method="t-cal", n_bins=5)),
    ("y_prob", ValueError, lambda: cl.calibration_test([0, 1, 1], [0.2, 1.0, 0.0])),
    ("y_prob", ValueError, lambda: cl.calibration_test([0, 1, 1], [0.5, 0.5, 1.0], method="spiegelhalter")),
    ("y_prob", ValueError, lambda: cl.calibration_test([0] * 5001, [0.5] * 5001, method="kernel")),
    ("costs", ValueError, lambda: cl.decisions.optimal_threshold([[1, 0], [1, 0]])),
    ("new_priors", ValueError, lambda: cl.decisions.adjust_to_priors([0.2], train_priors=[0.5, 0.5], new_priors=[1])),
    ("costs", ValueError, lambda: cl.decisions.optimal_threshold([[0, 1, 1], [1, 0, 1]])),
    ("costs", ValueError, lambda: cl.decisions.optimal_threshold([[1, 0], [0, 1]])),
    ("costs", ValueError, lambda: cl.decisions.expected_cost([0.5], [[0, 1], [4, 0], [1, 1]])),
    ("y_prob", ValueError, lambda: cl.decisions.expected_cost([[0.5], [0.5]], [[0, 1], [4, 0]])),
    ("decision[1]", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0, -1], [[0, 1], [4, 0]])),
    ("decision[1]", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0, -2], [[0, 1], [4, 0]], abstaining_cost=1)),
    ("decision", ValueError, lambda: cl.decisions.mean_cost([0, 1], [[0, 1]], [[0, 1], [4, 0]])),
    ("y_true", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0], [[0, 1], [4, 0]])),
    ("train_priors", ValueError, lambda: cl.decisions.adjust_to_priors([0.2], train_priors=[1], new_priors=[0.5, 0.5])),
    ("new_priors", ValueError, lambda: cl.decisions.adjust_to_priors([0.2], train_priors=[0.5, 0.5], new_priors=0.5)),
    ("y_prob[1]", ValueError, lambda: cl.decisions.adjust_to_priors([0.2, 1], train_priors=[0.5, 0.5], new_priors=[1, 0])),
    ("train_priors[1]", ValueError, lambda: cl.decisions.estimate_priors([0.5, 0.1], train_priors=[1, 0])),
    ("y_prob", ValueError, lambda: cl.decisions.estimate_priors([0.5, 0.5], train_priors=[0.5, 0.5])),
    ("y", ValueError, lambda: cl.CalibratedModel(GaussianNB(), cl.PlattScaling()).fit(X, None)),
    ("sample_weight[0]", ValueError, lambda: cl.CalibratedModel(GaussianNB(), cl.PlattScaling()).fit(X, Y, [-1] * 10)),
    ("estimator", TypeError, lambda: cl.CalibratedModel(GaussianNB, cl.PlattScaling()).fit(X, Y)),
    ("estimator", TypeError, lambda: cl.CalibratedModel(SVR(), cl.IsotonicCalibration()).fit(X, Y)),
    ("estimator", TypeError, lambda: cl.CalibratedModel(RidgeClassifier(), cl.HistogramBinning()).fit(X, Y)),
    ("estimator", ValueError, lambda: cl.CalibratedModel(SVC(decision_function_shape="ovo"), cl.TemperatureScaling(), cv=2).fit(np.arange(16.0)[:, None], [0, 1, 2, 3] * 4)),
    ("class_prior[1]", ValueError, lambda: simulate.label_shift([0, 0], [0.5, 0.5], 3)),
    ("class_prior[2]", ValueError, lambda: simulate.label_shift([0, 0], [0.5, 0.0, 0.5], 3)),
    ("class_prior", ValueError, lambda: simulate.label_shift([0, 0], [[0.5, 0.5]], 3)),
    ("y_true[1]", ValueError, lambda: simulate.label_shift([0, 2], [0.5, 0.5], 3)),
    ("sample_weight[1]", ValueError, lambda: cl.corp_curve([0, 1], [0.1, 0.2], sample_weight=[1, 1e-200])),
    ("held_out_prob", TypeError, lambda: cl.decisions.estimate_priors([0.2, 0.7])),
    ("held_out_prob", TypeError, lambda: cl.decisions.estimate_priors([0.2, 0.7], [0.5], train_priors=[0.5, 0.5])),
    ("held_out_prob", ValueError, lambda: cl.decisions.estimate_priors([[0.2, 0.3, 0.5]], [0.2, 0.3, 0.5])),
    ("held_out_prob", ValueError, lambda: cl.decisions.estimate_priors([0.2, 0.7], [[0.2, 0.3, 0.5]])),
    ("held_out_prob.mean(axis=0)[1]", ValueError, lambda: cl.decisions.estimate_priors([0.2, 0.7], [0.0])),
    ("frame", TypeError, lambda: tables.table([[1]], caption="a table")),
    ("caption", ValueError, lambda: tables.table(pd.DataFrame({"a": [1]}), caption=" ")),
    ("digits", ValueError, lambda: tables.table(pd.DataFrame({"a": [1]}), caption="a", digits=-1)),
]

# Where the whole of the data is at fault, or scikit-learn asks for its own words: how the text begins; what a method
# cannot learn from is told in its own tests.
SENTENCES = [
    ("y holds 3 classes", ValueError, lambda: cl.models.LogisticRegression().fit([[0.0], [1.0], [2.0]], [0, 1, 2])),
    ("X[:, 0] spans more than a float can hold", ValueError, lambda: cl.models.LogisticRegression().fit([[-1.7e308, 0.0], [1.7e308, 1.0], [1.7e308, 2.0]], [0, 1, 0])),
    ("This IsotonicCalibration estimator requires y to be passed, but the target", ValueError, lambda: cl.IsotonicCalibration().fit([0.2, 0.8], None)),
    ("X has 2 features, but IsotonicCalibration is expecting 1 features as input.", ValueError, lambda: cl.IsotonicCalibration().fit([0.2, 0.8], [0, 1]).predict_proba([[0.2, 0.8]])),
    ("calibrator = <class", TypeError, lambda: cl.OneVsRest(cl.PlattScaling).fit([[0.2, 0.8], [0.8, 0.2]], [0, 1])),
    ("X is empty", ValueError, lambda: cl.TemperatureScaling().fit(np.empty((2, 0)), [0, 1])),
    ("X has shape", ValueError, lambda: cl.TemperatureScaling().fit([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]], [0, 0, 0]).predict_proba([0.0, 1.0])),
    ("X[1] = 1e+101", ValueError, lambda: cl.HistogramBinning(strategy="quantile").fit([0.2, 1e101], [0, 1])),
    ("X[0] = -1e+101", ValueError, lambda: cl.HistogramBinning(strategy="quantile").fit([-1e101, 0.2], [0, 1])),
    ("X has n_features=1, one score a row", ValueError, lambda: cl.MultiClassIsotonic().fit([0.2, 0.8], [0, 1])),
    ("X has n_features=1, one score a row", ValueError, lambda: cl.OneVsRest(cl.PlattScaling()).fit([0.2, 0.8], [0, 1])),
    ("the scores separate the labels", ValueError, lambda: cl.calibration_slope_intercept([0, 1], [0.2, 0.8])),
    ("calibrator = 'isotonic'", TypeError, lambda: cl.CalibratedModel(GaussianNB(), "isotonic").fit(X, Y)),
    ("y holds only one class, 1", ValueError, lambda: cl.CalibratedModel(GaussianNB(), cl.PlattScaling()).fit(X, [1] * 10)),
    ("y has no row of class 0 among a fold's training rows", ValueError, lambda: cl.CalibratedModel(GaussianNB(), cl.PlattScaling(), cv=KFold(2)).fit(X, [0] * 5 + [1] * 5)),
    ("the calibrator cannot learn from the classifier's scores", ValueError, lambda: cl.CalibratedModel(GaussianNB(), cl.PlattScaling(prior_targets=1.0), cv=2).fit(X, Y)),
]
# fmt: on


def cases():
    """Each call with each of its arguments."""
    for call, given in CALLS:
        of = inspect.signature(call).parameters.values()
        named = [one.name for one in of if one.kind is not one.VAR_KEYWORD]
        for argument in dict.fromkeys([*given, *named]):
            if not {argument, f"{call.__name__}-{argument}"} & NOT_CHECKED:
                yield pytest.param(call, given, argument, id=f"{call.__qualname__}-{argument}")


def test_every_public_function_is_called_here_but_for_those_that_have_tests_of_their_own():
    public = {name for name in cl.__all__ if inspect.isfunction(getattr(cl, name))}
    assert public - {call.__name__ for call, _ in CALLS} == {"calibrator_from_dict", "export"}


@pytest.mark.parametrize(("call", "given", "argument"), list(cases()))
def test_each_argument_of_each_function_is_refused_by_its_name_at_its_place(call, given, argument):
    value, at = OWN.get(f"{call.__name__}-{argument}") or WRONG[argument]
    given = {name: of for name, of in given.items() if of is not None}
    with pytest.raises(cl.Refusal) as caught:
        call(**given | {argument: value})
    error = caught.value
    assert isinstance(error, ValueError)
    assert (place(error.name, error.index) if error.index else error.name) == argument + at


@pytest.mark.parametrize(("where", "kind", "call"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_a_refusal_is_caught_by_its_name_and_knows_the_argument_and_the_place(where, kind, call):
    with pytest.raises(cl.Refusal) as caught:
        call()
    error = caught.value
    assert isinstance(error, kind)
    assert (place(error.name, error.index) if error.index else error.name) == where


@pytest.mark.parametrize(("start", "kind", "call"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_what_no_method_can_learn_from_is_refused(start, kind, call):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(start)


def test_a_missing_package_is_named_with_the_extra_that_installs_it():
    error = missing("scale", "scale", ImportError(name="dask.array"))
    assert error.name == "dask.array"
    assert str(error) == "scale needs dask: pip install 'calibration-lessons[scale]'"
    assert str(missing("here", "course", ImportError())) == (
        "here needs more: pip install 'calibration-lessons[course]'"
    )
