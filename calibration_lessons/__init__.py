"""Measure and mend the calibration of classifiers: the companion of a course on the subject."""
from ._version import __version__ as __version__
from ._version import made_for
from .calibrators.expectation_consistency import ExpectationConsistency
from .calibrators.temperature import TemperatureScaling
from .measures.brier_decomposition import (
    BrierDecomposition,
    CorpDecomposition,
    brier_decomposition,
    corp_decomposition,
)
from .measures.ece import (
    CalibratedECE,
    ece_interval,
    ece_under_calibration,
    expected_calibration_error,
    maximum_calibration_error,
)
from .measures.proper_scores import brier_score, negative_log_likelihood
from .measures.reliability import CalibrationAccumulator, ReliabilityCurve, bin_edges, reliability_curve
from .models.logistic_regression import LogisticRegression
from .models.softmax_regression import SoftmaxRegression
from .numerics import entropy, log_softmax, softmax
from .uncertainty.classifiers import kernel_confidence
from .uncertainty.coin import Uncertainty, coin_plausibility, coin_uncertainty, expected_coin_uncertainty
from .uncertainty.ensembles import decompose_uncertainty

__all__ = [
    "BrierDecomposition",
    "CalibratedECE",
    "CalibrationAccumulator",
    "CorpDecomposition",
    "ExpectationConsistency",
    "LogisticRegression",
    "ReliabilityCurve",
    "SoftmaxRegression",
    "TemperatureScaling",
    "Uncertainty",
    "bin_edges",
    "brier_decomposition",
    "brier_score",
    "coin_plausibility",
    "coin_uncertainty",
    "corp_decomposition",
    "decompose_uncertainty",
    "ece_interval",
    "ece_under_calibration",
    "entropy",
    "expected_calibration_error",
    "expected_coin_uncertainty",
    "kernel_confidence",
    "log_softmax",
    "made_for",
    "maximum_calibration_error",
    "negative_log_likelihood",
    "reliability_curve",
    "softmax",
]
