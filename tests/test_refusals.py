"""Each argument of each public function is checked: one refusal each, by the argument, the place and the kind.

What a check refuses, and in which words, is told in `test_input`; a row here proves that the argument goes
through it. Scores, labels and weights of the calibrators: `tests/calibrators/test_every.py`.
"""

# ruff: noqa: E501

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

# The place, the kind, and a call that is evaluated in its test alone.
# fmt: off
REFUSALS = [
    # numerics
    ("logits[0, 1]", ValueError, lambda: cl.softmax([[1.0, np.nan], [0.0, 0.0]])),
    ("logits", ValueError, lambda: cl.softmax([[1.0], [2.0]])),
    ("logits[1, 1]", ValueError, lambda: cl.log_softmax([[0.0, 0.0], [1.0, np.inf]])),
    ("p[1]", ValueError, lambda: cl.uncertainty.entropy([[0.5, 0.5], [0.5, 0.6]])),
    ("base", ValueError, lambda: cl.uncertainty.entropy([0.5, 0.5], base="dits")),
    # uncertainty
    ("prior", TypeError, lambda: cl.uncertainty.coin_uncertainty(1, 2, prior="ab")),
    ("member_probs[0]", ValueError, lambda: cl.uncertainty.decompose_uncertainty([[[1.0]]])),
    ("heads", ValueError, lambda: cl.uncertainty.coin_uncertainty(3, 2)),
    ("tosses", ValueError, lambda: cl.uncertainty.coin_uncertainty(1, True)),
    ("prior[1]", ValueError, lambda: cl.uncertainty.coin_uncertainty(1, 2, prior=(1, np.inf))),
    ("heads", ValueError, lambda: cl.uncertainty.coin_plausibility(-1, 2)),
    ("tosses", ValueError, lambda: cl.uncertainty.coin_plausibility(1, -2)),
    ("p", ValueError, lambda: cl.uncertainty.expected_coin_uncertainty(1.5, 2)),
    ("tosses", ValueError, lambda: cl.uncertainty.expected_coin_uncertainty(0.5, 2.5)),
    ("measure", ValueError, lambda: cl.uncertainty.expected_coin_uncertainty(0.5, 2, measure="variance")),
    ("prior", ValueError, lambda: cl.uncertainty.expected_coin_uncertainty(0.5, 2, prior=(0, 1))),
    ("X_train[1, 0]", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [np.nan]], [0, 1], [[0.5]], [1], bandwidth=1.0)),
    ("X_train", ValueError, lambda: cl.uncertainty.kernel_confidence([0.0, 1.0], [0, 1], [[0.5]], [1], bandwidth=1.0)),
    ("y_train[1]", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 2], [[0.5]], [1], bandwidth=1.0)),
    ("X_train", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0], [[0.5]], [1], bandwidth=1.0)),
    ("X[0, 0]", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [[np.inf]], [1], bandwidth=1.0)),
    ("X", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [0.5], [1], bandwidth=1.0)),
    ("X", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [[0.5, 0.5]], [1], bandwidth=1.0)),
    ("y_pred[0]", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [[0.5]], [2], bandwidth=1.0)),
    ("X", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [[0.5]], [1, 1], bandwidth=1.0)),
    ("bandwidth", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [[0.5]], [1], bandwidth=0)),
    ("n_classes", ValueError, lambda: cl.uncertainty.kernel_confidence([[0.0], [1.0]], [0, 1], [[0.5]], [1], bandwidth=1.0, n_classes=1)),
    ("member_probs", ValueError, lambda: cl.uncertainty.decompose_uncertainty([[0.5, 0.5]])),
    ("member_probs[1][0, 0]", ValueError, lambda: cl.uncertainty.decompose_uncertainty([[[0.5, 0.5]], [[1.2, -0.2]]])),
    ("member_probs[1][0]", ValueError, lambda: cl.uncertainty.decompose_uncertainty([[[0.5, 0.5]], [[0.5, 0.4]]])),
    ("base", ValueError, lambda: cl.uncertainty.decompose_uncertainty([[[0.5, 0.5]]], base="hartleys")),
    # models
    ("solver", ValueError, lambda: cl.models.LogisticRegression(solver="sgd").fit([[0.0], [1.0]], [0, 1])),
    ("l2", ValueError, lambda: cl.models.LogisticRegression(l2=-1).fit([[0.0], [1.0]], [0, 1])),
    ("fit_intercept", ValueError, lambda: cl.models.LogisticRegression(fit_intercept="yes").fit([[0.0], [1.0]], [0, 1])),
    ("tol", ValueError, lambda: cl.models.LogisticRegression(tol=0).fit([[0.0], [1.0]], [0, 1])),
    ("max_iter", ValueError, lambda: cl.models.LogisticRegression(max_iter=0).fit([[0.0], [1.0]], [0, 1])),
    ("X[1, 0]", ValueError, lambda: cl.models.LogisticRegression().fit([[0.0], [np.nan]], [0, 1])),
    ("X", ValueError, lambda: cl.models.LogisticRegression().fit([0.0, 1.0], [0, 1])),
    ("y", ValueError, lambda: cl.models.LogisticRegression().fit([[0.0], [1.0]], None)),
    ("sample_weight[1]", ValueError, lambda: cl.models.LogisticRegression().fit([[0.0], [1.0]], [0, 1], [1, -1])),
    ("X[0, 0]", ValueError, lambda: cl.models.LogisticRegression(l2=1).fit([[0.0], [1.0]], [0, 1]).predict([[np.inf]])),
    ("form", ValueError, lambda: cl.models.SoftmaxRegression(form="other").fit([[0.0], [1.0]], [0, 1])),
    ("solver", ValueError, lambda: cl.models.SoftmaxRegression(solver=None).fit([[0.0], [1.0]], [0, 1])),
    ("l2", ValueError, lambda: cl.models.SoftmaxRegression(l2="1").fit([[0.0], [1.0]], [0, 1])),
    ("tol", ValueError, lambda: cl.models.SoftmaxRegression(tol=True).fit([[0.0], [1.0]], [0, 1])),
    # measures
    ("target", ValueError, lambda: cl.reliability_curve([0, 1], [[0.2, 0.3, 0.5], [0.8, 0.1, 0.1]], target="positive")),
    ("target", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8], target=True)),
    ("y_prob[1]", ValueError, lambda: cl.ece_under_calibration([0.2, np.inf], from_logits=True)),
    ("n_bins", ValueError, lambda: cl.measures.bin_edges(0)),
    ("n_bins", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8], n_bins=2.0)),
    ("strategy", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8], strategy="width")),
    ("target", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8], target=2)),
    ("y_true[1]", ValueError, lambda: cl.reliability_curve([0, 2], [0.2, 0.8])),
    ("y_prob[1]", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 1.2])),
    ("sample_weight[1]", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8], sample_weight=[1, -1])),
    ("norm", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8]).ece("max")),
    ("level", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8]).interval(1)),
    ("level", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8]).band(0)),
    ("n_bins", ValueError, lambda: cl.CalibrationAccumulator(n_bins=-3)),
    ("the accumulator", ValueError, lambda: cl.CalibrationAccumulator().curve()),
    ("sample_weight", ValueError, lambda: cl.CalibrationAccumulator().update([0, 1], [0.2, 0.8], sample_weight=[0, 0]).curve()),
    ("target", ValueError, lambda: cl.CalibrationAccumulator(target="best").update([0, 1], [0.2, 0.8])),
    ("sample_weight[1]", ValueError, lambda: cl.CalibrationAccumulator().update([0, 1], [0.2, 0.8], sample_weight=[1, -1])),
    ("y_prob", ValueError, lambda: cl.CalibrationAccumulator().update([0, 1], [0.2, 0.8]).update([0], [[0.2, 0.8]])),
    ("y_prob", ValueError, lambda: cl.CalibrationAccumulator().update([0], np.float32([0.5])).update([0], [0.5])),
    ("other", TypeError, lambda: cl.CalibrationAccumulator().merge("all")),
    ("other", ValueError, lambda: cl.CalibrationAccumulator().merge(cl.CalibrationAccumulator(n_bins=5, target="positive"))),
    ("other", ValueError, lambda: cl.CalibrationAccumulator().update([0], [0.5]).merge(cl.CalibrationAccumulator().update([0], [[0.5, 0.5]]))),
    ("norm", ValueError, lambda: cl.expected_calibration_error([0, 1], [0.2, 0.8], norm="l3")),
    ("debias", ValueError, lambda: cl.expected_calibration_error([0, 1], [0.2, 0.8], debias=True, sample_weight=[1, 2])),
    ("y_prob", ValueError, lambda: cl.expected_calibration_error([0, 1], [[[0.2, 0.8]]])),
    ("target", ValueError, lambda: cl.maximum_calibration_error([0, 1], [0.2, 0.8], target="class-wise")),
    ("norm", ValueError, lambda: cl.ece_interval([0, 1], [0.2, 0.8], norm="max")),
    ("level", ValueError, lambda: cl.ece_interval([0, 1], [0.2, 0.8], level=95)),
    ("norm", ValueError, lambda: cl.ece_under_calibration([0.2, 0.8], norm="max")),
    ("n_bins", ValueError, lambda: cl.ece_under_calibration([0.2, 0.8], n_bins=0)),
    ("strategy", ValueError, lambda: cl.ece_under_calibration([0.2, 0.8], strategy="width")),
    ("n_draws", ValueError, lambda: cl.ece_under_calibration([0.2, 0.8], n_draws=0)),
    ("target", ValueError, lambda: cl.ece_under_calibration([0.2, 0.8], target=True)),
    ("sample_weight", ValueError, lambda: cl.ece_under_calibration([0.2, 0.8], sample_weight=[1])),
    ("q", ValueError, lambda: cl.ece_under_calibration([0.2, 0.8], n_draws=9).quantile(2)),
    ("ece", ValueError, lambda: cl.ece_under_calibration([0.2, 0.8], n_draws=9).p_value(np.nan)),
    ("y_prob[1]", ValueError, lambda: cl.brier_score([0, 1], [0.2, 1.5])),
    ("y_true", ValueError, lambda: cl.brier_score([0, 1, 1], [0.2, 0.5])),
    ("sample_weight", ValueError, lambda: cl.brier_score([0, 1], [0.2, 0.8], sample_weight=[0, 0])),
    ("y_prob[1, 1]", ValueError, lambda: cl.negative_log_likelihood([0, 1], [[0.2, 0.8], [0.5, np.nan]])),
    ("y_true[1]", ValueError, lambda: cl.negative_log_likelihood([0, -1], [0.2, 0.8])),
    ("n_bins", ValueError, lambda: cl.brier_decomposition([0, 1], [0.2, 0.8], n_bins=0)),
    ("y_prob[1]", ValueError, lambda: cl.brier_decomposition([0, 1], [0.2, 2.0], n_bins=2)),
    ("y_true[1]", ValueError, lambda: cl.brier_decomposition([0, 3], [0.2, 0.8], n_bins=2)),
    ("sample_weight[0]", ValueError, lambda: cl.brier_decomposition([0, 1], [0.2, 0.8], n_bins=2, sample_weight=[np.nan, 1])),
    ("score", ValueError, lambda: cl.corp_decomposition([0, 1], [0.2, 0.8], score="nll")),
    ("y_prob", ValueError, lambda: cl.corp_decomposition([0, 1], [[0.2, 0.8], [0.5, 0.5]])),
    ("y_true[1]", ValueError, lambda: cl.corp_decomposition([0, 2], [0.2, 0.8])),
    ("level", ValueError, lambda: cl.calibration_report([0, 1], [0.2, 0.8], level=1)),
    ("n_draws", ValueError, lambda: cl.calibration_report([0, 1], [0.2, 0.8], n_draws=0)),
    ("sample_weight[1]", ValueError, lambda: cl.calibration_report([0, 1], [0.2, 0.8], sample_weight=[0, 1e300])),
    ("sample_weight[0]", ValueError, lambda: cl.calibration_report([0, 1], [0.2, 0.8], sample_weight=[1e-300, 1])),
    ("y_prob[1]", ValueError, lambda: cl.calibration_report([0, 1], [0.2, 1.8])),
    ("level", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8]).ece_interval(2)),
    ("norm", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8]).ece_interval(norm="max")),
    ("norm", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8]).under_calibration("max")),
    ("n_draws", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8]).under_calibration(n_draws=0)),
    ("debias", ValueError, lambda: cl.reliability_curve([0, 1], [0.2, 0.8], sample_weight=[1, 2]).ece(debias=True)),
    ("sample_weight", ValueError, lambda: cl.negative_log_likelihood([0, 1], [0.2, 0.8], sample_weight=[0, 0])),
    ("y_prob[1]", ValueError, lambda: cl.maximum_calibration_error([0, 1], [0.2, np.inf], from_logits=True)),
    ("y_prob[1]", ValueError, lambda: cl.ece_interval([0, 1], [0.2, np.inf], from_logits=True)),
    ("sample_weight", ValueError, lambda: cl.maximum_calibration_error([0, 1], [0.2, 0.8], sample_weight=[0, 0])),
    ("sample_weight", ValueError, lambda: cl.ece_interval([0, 1], [0.2, 0.8], sample_weight=[0, 0])),
    # labels and arrays of every wrong kind
    # calibrators
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
    ("y_prob[1]", ValueError, lambda: cl.calibration_slope_intercept([0, 1], [0.2, 1.2])),
    ("y_prob", ValueError, lambda: cl.calibration_slope_intercept([0, 1], [[0.2, 0.8]])),
    ("y_true[1]", ValueError, lambda: cl.calibration_slope_intercept([0, 2], [0.2, 0.8])),
    ("sample_weight[1]", ValueError, lambda: cl.calibration_slope_intercept([0, 1], [0.2, 0.8], sample_weight=[1, -1])),
    ("y_prob", ValueError, lambda: cl.calibration_slope_intercept([0, 1], [0.2, 0.2])),
    ("method", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], method="chi2")),
    ("y_true[1]", ValueError, lambda: cl.calibration_test([0, 2], [0.2, 0.8])),
    ("y_prob[1]", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 1.2])),
    ("y_prob[1]", ValueError, lambda: cl.calibration_test([0, 1], [0.2, np.inf], method="kernel", from_logits=True)),
    ("sample_weight[1]", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], method="t-cal", sample_weight=[1, -1])),
    ("target", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], target=2)),
    ("target", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], method="kernel", target="positive")),
    ("n_bins", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], n_bins=0)),
    ("n_bins", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], method="hosmer-lemeshow", n_bins=0)),
    ("n_bins", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], method="t-cal", n_bins=5)),
    ("n_draws", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], method="spiegelhalter", n_draws=0)),
    ("random_state", ValueError, lambda: cl.calibration_test([0, 1], [0.2, 0.8], random_state="a")),
    ("y_prob", ValueError, lambda: cl.calibration_test([0, 1, 1], [0.2, 1.0, 0.0])),
    ("y_prob", ValueError, lambda: cl.calibration_test([0, 1, 1], [0.5, 0.5, 1.0], method="spiegelhalter")),
    ("y_prob", ValueError, lambda: cl.calibration_test([0] * 5001, [0.5] * 5001, method="kernel")),
    # practice
    ("costs", ValueError, lambda: cl.decisions.optimal_threshold([[1, 0], [1, 0]])),
    ("y_true[1]", ValueError, lambda: cl.decisions.risk_coverage([0, 2], [0.2, 0.8])),
    ("y_prob[1]", ValueError, lambda: cl.decisions.risk_coverage([0, 1], [0.2, 1.2])),
    ("sample_weight[1]", ValueError, lambda: cl.decisions.risk_coverage([0, 1], [0.2, 0.8], sample_weight=[1, -1])),
    ("new_priors", ValueError, lambda: cl.decisions.adjust_to_priors([0.2], train_priors=[0.5, 0.5], new_priors=[1])),
    ("costs", ValueError, lambda: cl.decisions.optimal_threshold([[0, 1, 1], [1, 0, 1]])),
    ("costs[0, 1]", ValueError, lambda: cl.decisions.optimal_threshold([[0, np.nan], [1, 0]])),
    ("costs", ValueError, lambda: cl.decisions.optimal_threshold([[1, 0], [0, 1]])),
    ("y_prob[0]", ValueError, lambda: cl.decisions.expected_cost([1.5], [[0, 1], [4, 0]])),
    ("costs", ValueError, lambda: cl.decisions.expected_cost([0.5], [[0, 1], [4, 0], [1, 1]])),
    ("y_prob", ValueError, lambda: cl.decisions.expected_cost([[0.5], [0.5]], [[0, 1], [4, 0]])),
    ("abstaining_cost", ValueError, lambda: cl.decisions.optimal_decision([0.5], [[0, 1], [4, 0]], abstaining_cost=np.inf)),
    ("y_true[1]", ValueError, lambda: cl.decisions.mean_cost([0, 2], [0, 1], [[0, 1], [4, 0]])),
    ("decision[1]", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0, 2], [[0, 1], [4, 0]])),
    ("decision[1]", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0, -1], [[0, 1], [4, 0]])),
    ("decision[1]", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0, -2], [[0, 1], [4, 0]], abstaining_cost=1)),
    ("decision", ValueError, lambda: cl.decisions.mean_cost([0, 1], [[0, 1]], [[0, 1], [4, 0]])),
    ("y_true", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0], [[0, 1], [4, 0]])),
    ("costs", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0, 1], [0, 1])),
    ("abstaining_cost", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0, 1], [[0, 1], [4, 0]], abstaining_cost="1")),
    ("sample_weight", ValueError, lambda: cl.decisions.mean_cost([0, 1], [0, 1], [[0, 1], [4, 0]], sample_weight=[0, 0])),
    ("y_prob[0]", ValueError, lambda: cl.decisions.adjust_to_priors([1.2], train_priors=[0.5, 0.5], new_priors=[0.5, 0.5])),
    ("y_prob", ValueError, lambda: cl.decisions.adjust_to_priors([[0.5], [0.5]], train_priors=[0.5, 0.5], new_priors=[0.5, 0.5])),
    ("train_priors[0]", ValueError, lambda: cl.decisions.adjust_to_priors([0.2], train_priors=[0, 1], new_priors=[0.5, 0.5])),
    ("train_priors", ValueError, lambda: cl.decisions.adjust_to_priors([0.2], train_priors=[1], new_priors=[0.5, 0.5])),
    ("new_priors[0]", ValueError, lambda: cl.decisions.adjust_to_priors([0.2], train_priors=[0.5, 0.5], new_priors=[0.5, 0.6])),
    ("new_priors", ValueError, lambda: cl.decisions.adjust_to_priors([0.2], train_priors=[0.5, 0.5], new_priors=0.5)),
    ("y_prob[1]", ValueError, lambda: cl.decisions.adjust_to_priors([0.2, 1], train_priors=[0.5, 0.5], new_priors=[1, 0])),
    ("y_prob[1]", ValueError, lambda: cl.decisions.estimate_priors([0.5, 1.1], train_priors=[0.5, 0.5])),
    ("y_prob", ValueError, lambda: cl.decisions.estimate_priors([[0.5], [0.5]], train_priors=[0.5, 0.5])),
    ("train_priors[0]", ValueError, lambda: cl.decisions.estimate_priors([0.5, 0.1], train_priors=[0.5, 0.4])),
    ("train_priors[1]", ValueError, lambda: cl.decisions.estimate_priors([0.5, 0.1], train_priors=[1, 0])),
    ("tol", ValueError, lambda: cl.decisions.estimate_priors([0.5, 0.1], train_priors=[0.5, 0.5], tol=0)),
    ("max_iter", ValueError, lambda: cl.decisions.estimate_priors([0.5, 0.1], train_priors=[0.5, 0.5], max_iter=0)),
    ("y_prob", ValueError, lambda: cl.decisions.estimate_priors([0.5, 0.5], train_priors=[0.5, 0.5])),
    ("y", ValueError, lambda: cl.CalibratedModel(GaussianNB(), cl.PlattScaling()).fit(X, None)),
    ("sample_weight[0]", ValueError, lambda: cl.CalibratedModel(GaussianNB(), cl.PlattScaling()).fit(X, Y, [-1] * 10)),
    ("estimator", TypeError, lambda: cl.CalibratedModel(GaussianNB, cl.PlattScaling()).fit(X, Y)),
    ("estimator", TypeError, lambda: cl.CalibratedModel(SVR(), cl.IsotonicCalibration()).fit(X, Y)),
    ("estimator", TypeError, lambda: cl.CalibratedModel(RidgeClassifier(), cl.HistogramBinning()).fit(X, Y)),
    ("estimator", ValueError, lambda: cl.CalibratedModel(SVC(decision_function_shape="ovo"), cl.TemperatureScaling(), cv=2).fit(np.arange(16.0)[:, None], [0, 1, 2, 3] * 4)),
    # datasets
    ("network", ValueError, lambda: datasets.network_logits(5, "test")),
    ("part", ValueError, lambda: datasets.network_logits(0, "train")),
    ("part", ValueError, lambda: datasets.smoothed_logits("train")),
    ("network", ValueError, lambda: datasets.shifted_logits("0", "blur", 1)),
    ("kind", ValueError, lambda: datasets.shifted_logits(0, "fog", 1)),
    ("level", ValueError, lambda: datasets.shifted_logits(0, "blur", 6)),
    # simulate
    ("temperature", ValueError, lambda: simulate.over_confident(0)),
    ("amplitude", ValueError, lambda: simulate.sawtooth(2, 3)),
    ("teeth", ValueError, lambda: simulate.sawtooth(0.1, 0)),
    ("n", ValueError, lambda: simulate.ScoreSource().sample(2.5)),
    ("norm", ValueError, lambda: simulate.ScoreSource().calibration_error("l3")),
    ("norm", ValueError, lambda: simulate.ScoreSource().binned_calibration_error(5, "l3")),
    ("n_bins", ValueError, lambda: simulate.ScoreSource().binned_calibration_error(0)),
    ("separation", ValueError, lambda: simulate.TwoGaussians(separation=-1)),
    ("positive_rate", ValueError, lambda: simulate.TwoGaussians(positive_rate=0)),
    ("x[0]", ValueError, lambda: simulate.TwoGaussians().log_odds([np.nan])),
    ("n", ValueError, lambda: simulate.TwoGaussians().sample(0)),
    ("n_classes", ValueError, lambda: simulate.GaussianClasses(1)),
    ("radius", ValueError, lambda: simulate.GaussianClasses(3, radius=-1)),
    ("x[0, 1]", ValueError, lambda: simulate.GaussianClasses(3).logits([[0.0, np.inf]])),
    ("n", ValueError, lambda: simulate.GaussianClasses(3).sample(0)),
    ("n", ValueError, lambda: simulate.logits_with_temperature(0, 3, 1.0)),
    ("n_classes", ValueError, lambda: simulate.logits_with_temperature(5, 3.5, 1.0)),
    ("temperature", ValueError, lambda: simulate.logits_with_temperature(5, 3, 0)),
    ("spread", ValueError, lambda: simulate.logits_with_temperature(5, 3, 1.0, spread=-1)),
    ("y_true[1]", ValueError, lambda: simulate.label_noise([0, 3], 0.1, 3)),
    ("n_classes", ValueError, lambda: simulate.label_noise([0, 1], 0.1, 0)),
    ("rate", ValueError, lambda: simulate.label_noise([0, 1], 1.5, 3)),
    ("posterior[0]", ValueError, lambda: simulate.noisy_posterior([[0.5, 0.6]], 0.1)),
    ("rate", ValueError, lambda: simulate.noisy_posterior([[0.5, 0.5]], 1.5)),
    ("class_prior[1]", ValueError, lambda: simulate.label_shift([0, 0], [0.5, 0.5], 3)),
    ("class_prior[0]", ValueError, lambda: simulate.label_shift([0, 0], [0.5, 0.6], 3)),
    ("class_prior[2]", ValueError, lambda: simulate.label_shift([0, 0], [0.5, 0.0, 0.5], 3)),
    ("class_prior", ValueError, lambda: simulate.label_shift([0, 0], [[0.5, 0.5]], 3)),
    ("y_true[1]", ValueError, lambda: simulate.label_shift([0, 2], [0.5, 0.5], 3)),
    ("n", ValueError, lambda: simulate.label_shift([0, 1], [0.5, 0.5], 0)),
    ("level", ValueError, lambda: cl.corp_curve([0, 1], [0.3, 0.6]).band(1)),
    ("n_draws", ValueError, lambda: cl.corp_curve([0, 1], [0.3, 0.6]).band(n_draws=0)),
    ("sample_weight[1]", ValueError, lambda: cl.corp_curve([0, 1], [0.1, 0.2], sample_weight=[1, 1e-200])),
    ("sample_weight[1]", ValueError, lambda: cl.corp_decomposition([0, 1], [0.1, 0.2], sample_weight=[1, -1])),
    ("y_prob[1]", ValueError, lambda: cl.corp_curve([0, 1], [0.1, 1.2])),
    # label shift
    ("held_out_prob", TypeError, lambda: cl.decisions.estimate_priors([0.2, 0.7])),
    ("held_out_prob", TypeError, lambda: cl.decisions.estimate_priors([0.2, 0.7], [0.5], train_priors=[0.5, 0.5])),
    ("held_out_prob", ValueError, lambda: cl.decisions.estimate_priors([[0.2, 0.3, 0.5]], [0.2, 0.3, 0.5])),
    ("held_out_prob", ValueError, lambda: cl.decisions.estimate_priors([0.2, 0.7], [[0.2, 0.3, 0.5]])),
    ("held_out_prob[1]", ValueError, lambda: cl.decisions.estimate_priors([0.2, 0.7], [0.5, 1.5])),
    ("held_out_prob.mean(axis=0)[1]", ValueError, lambda: cl.decisions.estimate_priors([0.2, 0.7], [0.0])),
    ("sample_weight", ValueError, lambda: cl.decisions.estimate_priors([0.2, 0.7], [0.5], sample_weight=[1])),
    # the book's wing
    ("data", ValueError, lambda: comparison.load("iris")),
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
