"""Measure and improve the calibration of classifiers: the companion of a course on the subject.

What most users need is here. The rest stands by theme: `measures`, `models`, `uncertainty`, `decisions`,
`deployment`, `plots`, and `book`, which the lessons need.

Every function refuses input that is not as its docstring describes with a `Refusal`, a ValueError or a
TypeError that names the argument, the place and what was expected.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from . import decisions as decisions
from . import deployment as deployment
from . import measures as measures
from . import models as models
from . import uncertainty as uncertainty
from ._input import Refusal
from ._version import __version__ as __version__
from .calibrators.beta import BetaCalibration
from .calibrators.calibrated_model import CalibratedModel
from .calibrators.expectation_consistency import ExpectationConsistency
from .calibrators.histogram_binning import HistogramBinning
from .calibrators.isotonic import IsotonicCalibration
from .calibrators.matrix_scaling import MatrixScaling
from .calibrators.multi_class_isotonic import MultiClassIsotonic
from .calibrators.one_vs_rest import OneVsRest
from .calibrators.platt import PlattScaling
from .calibrators.serialization import calibrator_from_dict
from .calibrators.temperature import TemperatureScaling
from .calibrators.venn_abers import VennAbersCalibration
from .decisions.net_benefit import net_benefit
from .deployment.exports import export
from .deployment.monitor import CalibrationMonitor
from .measures.accumulator import CalibrationAccumulator
from .measures.brier_decomposition import brier_decomposition
from .measures.calibration_line import calibration_slope_intercept
from .measures.calibration_tests import calibration_test
from .measures.corp import corp_curve, corp_decomposition
from .measures.ece import (
    ece_interval,
    ece_under_calibration,
    expected_calibration_error,
    maximum_calibration_error,
)
from .measures.paired import compare
from .measures.proper_scores import brier_score, negative_log_likelihood
from .measures.reliability import reliability_curve
from .measures.report import calibration_report
from .measures.risk_validation import risk_validation
from .measures.validation_size import validation_size
from .numerics import log_softmax, softmax

__all__ = [
    "BetaCalibration",
    "CalibratedModel",
    "CalibrationAccumulator",
    "CalibrationMonitor",
    "ExpectationConsistency",
    "HistogramBinning",
    "IsotonicCalibration",
    "MatrixScaling",
    "MultiClassIsotonic",
    "OneVsRest",
    "PlattScaling",
    "Refusal",
    "TemperatureScaling",
    "VennAbersCalibration",
    "brier_decomposition",
    "brier_score",
    "calibration_report",
    "calibration_slope_intercept",
    "calibration_test",
    "calibrator_from_dict",
    "compare",
    "corp_curve",
    "corp_decomposition",
    "ece_interval",
    "ece_under_calibration",
    "expected_calibration_error",
    "export",
    "log_softmax",
    "maximum_calibration_error",
    "negative_log_likelihood",
    "net_benefit",
    "reliability_curve",
    "risk_validation",
    "softmax",
    "validation_size",
]

_THEMES = ("book", "decisions", "deployment", "measures", "models", "plots", "uncertainty")

if TYPE_CHECKING:
    from . import book as book
    from . import plots as plots
else:

    def __getattr__(name):
        """Load the two themes that need more than the others at their first use."""
        if name in ("book", "plots"):
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names and the themes, and nothing else."""
    return sorted([*__all__, *_THEMES, "__version__"])
