"""Measure and improve the calibration of classifiers: the companion of a course on the subject.

What most users need is here. The rest stands by theme: `measures`, `models`, `uncertainty`, `decisions`,
`deployment`, `plots`, and `book`, which the lessons need.

Every function refuses input that is not as its docstring describes with a `Refusal`, a ValueError or a
TypeError that names the argument, the place and what was expected.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from . import decisions as decisions
from . import deployment as deployment
from . import measures as measures
from . import models as models
from . import uncertainty as uncertainty
from ._input import Refusal as Refusal
from ._version import __version__ as __version__
from .calibrators.beta import BetaCalibration as BetaCalibration
from .calibrators.calibrated_model import CalibratedModel as CalibratedModel
from .calibrators.expectation_consistency import ExpectationConsistency as ExpectationConsistency
from .calibrators.histogram_binning import HistogramBinning as HistogramBinning
from .calibrators.isotonic import IsotonicCalibration as IsotonicCalibration
from .calibrators.matrix_scaling import MatrixScaling as MatrixScaling
from .calibrators.multi_class_isotonic import MultiClassIsotonic as MultiClassIsotonic
from .calibrators.one_vs_rest import OneVsRest as OneVsRest
from .calibrators.platt import PlattScaling as PlattScaling
from .calibrators.serialization import calibrator_from_dict as calibrator_from_dict
from .calibrators.temperature import TemperatureScaling as TemperatureScaling
from .calibrators.venn_abers import VennAbersCalibration as VennAbersCalibration
from .decisions.net_benefit import net_benefit as net_benefit
from .deployment.exports import export as export
from .deployment.monitor import CalibrationMonitor as CalibrationMonitor
from .measures.accumulator import CalibrationAccumulator as CalibrationAccumulator
from .measures.brier_decomposition import brier_decomposition as brier_decomposition
from .measures.calibration_line import calibration_slope_intercept as calibration_slope_intercept
from .measures.calibration_tests import calibration_test as calibration_test
from .measures.corp import corp_curve as corp_curve
from .measures.corp import corp_decomposition as corp_decomposition
from .measures.ece import ece_interval as ece_interval
from .measures.ece import ece_under_calibration as ece_under_calibration
from .measures.ece import expected_calibration_error as expected_calibration_error
from .measures.ece import maximum_calibration_error as maximum_calibration_error
from .measures.paired import compare as compare
from .measures.proper_scores import brier_score as brier_score
from .measures.proper_scores import negative_log_likelihood as negative_log_likelihood
from .measures.reliability import reliability_curve as reliability_curve
from .measures.report import calibration_report as calibration_report
from .measures.risk_validation import risk_validation as risk_validation
from .measures.validation_size import validation_size as validation_size
from .numerics import log_softmax as log_softmax
from .numerics import softmax as softmax

__all__ = sorted(name for name, value in globals().items() if callable(value) and name[0] != "_")
_THEMES = ("book", "decisions", "deployment", "measures", "models", "plots", "uncertainty")

if TYPE_CHECKING:
    from . import book as book
    from . import plots as plots
else:

    def __getattr__(name):
        """Load the two themes that need more than the others at their first use."""
        if name in ("book", "plots"):
            return _import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names and the themes, and nothing else."""
    return sorted([*__all__, *_THEMES, "__version__"])
