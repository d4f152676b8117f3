"""Measure and mend the calibration of classifiers: the companion of a course on the subject."""

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__ as __version__
from ._version import made_for
from .calibrators._written import calibrator_from_dict
from .calibrators.beta import BetaCalibration
from .calibrators.expectation_consistency import ExpectationConsistency
from .calibrators.histogram_binning import HistogramBinning
from .calibrators.isotonic import IsotonicCalibration
from .calibrators.matrix_scaling import MatrixScaling
from .calibrators.multi_class_isotonic import MultiClassIsotonic
from .calibrators.one_vs_rest import OneVsRest
from .calibrators.platt import PlattScaling
from .calibrators.temperature import TemperatureScaling
from .calibrators.venn_abers import VennAbersCalibration
from .measures.accumulator import CalibrationAccumulator
from .measures.bins import bin_edges
from .measures.brier_decomposition import BrierDecomposition, brier_decomposition
from .measures.calibration_line import CalibrationLine, calibration_slope_intercept
from .measures.calibration_test import CalibrationTest, calibration_test
from .measures.chance import ECENull
from .measures.corp import CorpCurve, CorpDecomposition, corp_curve, corp_decomposition
from .measures.ece import (
    ece_interval,
    ece_under_calibration,
    expected_calibration_error,
    maximum_calibration_error,
)
from .measures.proper_scores import brier_score, negative_log_likelihood
from .measures.reliability import ReliabilityCurve, reliability_curve
from .measures.report import CalibrationReport, calibration_report
from .models.logistic_regression import LogisticRegression as LogisticRegression
from .models.softmax_regression import SoftmaxRegression
from .numerics import entropy, log_softmax, softmax
from .practice.choosing import CalibratedModel
from .practice.decisions import (
    RiskCoverage,
    expected_cost,
    mean_cost,
    optimal_decision,
    optimal_threshold,
    risk_coverage,
)
from .practice.shift import adjust_to_priors, estimate_priors
from .practice.shipping import export
from .uncertainty.classifiers import kernel_confidence
from .uncertainty.coin import Uncertainty, coin_plausibility, coin_uncertainty, expected_coin_uncertainty
from .uncertainty.ensembles import decompose_uncertainty

# Not among them: LogisticRegression. A star import leaves scikit-learn's alone; ours is imported by name.
__all__ = [
    "BetaCalibration",
    "BrierDecomposition",
    "CalibratedModel",
    "CalibrationAccumulator",
    "CalibrationLine",
    "CalibrationReport",
    "CalibrationTest",
    "CorpCurve",
    "CorpDecomposition",
    "ECENull",
    "ExpectationConsistency",
    "HistogramBinning",
    "IsotonicCalibration",
    "MatrixScaling",
    "MultiClassIsotonic",
    "OneVsRest",
    "PlattScaling",
    "ReliabilityCurve",
    "RiskCoverage",
    "SoftmaxRegression",
    "TemperatureScaling",
    "Uncertainty",
    "VennAbersCalibration",
    "adjust_to_priors",
    "bin_edges",
    "brier_decomposition",
    "brier_score",
    "calibration_report",
    "calibration_slope_intercept",
    "calibration_test",
    "calibrator_from_dict",
    "coin_plausibility",
    "coin_uncertainty",
    "corp_curve",
    "corp_decomposition",
    "decompose_uncertainty",
    "ece_interval",
    "ece_under_calibration",
    "entropy",
    "estimate_priors",
    "expected_calibration_error",
    "expected_coin_uncertainty",
    "expected_cost",
    "export",
    "kernel_confidence",
    "log_softmax",
    "made_for",
    "maximum_calibration_error",
    "mean_cost",
    "negative_log_likelihood",
    "optimal_decision",
    "optimal_threshold",
    "reliability_curve",
    "risk_coverage",
    "softmax",
]

_SUBMODULES = ("datasets", "definitions", "plots", "simulate", "tables")

if TYPE_CHECKING:
    from . import datasets as datasets
    from . import definitions as definitions
    from . import plots as plots
    from . import simulate as simulate
    from . import tables as tables
else:

    def __getattr__(name):
        """Load a submodule at its first use, so that the others need not wait for it."""
        if name in _SUBMODULES:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the submodules, too, before their first use."""
    return sorted({*globals(), *_SUBMODULES})
