"""Measure and mend the calibration of classifiers: the companion of a course on the subject."""
from .measures.ece import (
    CalibratedECE,
    ece_interval,
    ece_under_calibration,
    expected_calibration_error,
    maximum_calibration_error,
)
from .measures.proper_scores import brier_score, negative_log_likelihood
from .measures.reliability import ReliabilityCurve, bin_edges, reliability_curve
from .numerics import entropy, log_softmax, softmax
from .uncertainty.coin import Uncertainty, coin_plausibility, coin_uncertainty, expected_coin_uncertainty

__all__ = [
    "CalibratedECE",
    "ReliabilityCurve",
    "Uncertainty",
    "bin_edges",
    "brier_score",
    "coin_plausibility",
    "coin_uncertainty",
    "ece_interval",
    "ece_under_calibration",
    "entropy",
    "expected_calibration_error",
    "expected_coin_uncertainty",
    "log_softmax",
    "maximum_calibration_error",
    "negative_log_likelihood",
    "reliability_curve",
    "softmax",
]
