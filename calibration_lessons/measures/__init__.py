"""Measures of calibration and of forecasts: reliability, calibration errors, proper scores; their results."""

from .bins import bin_edges as bin_edges
from .brier_decomposition import BrierDecomposition as BrierDecomposition
from .by_group import GroupCalibration as GroupCalibration
from .by_group import calibration_by_group as calibration_by_group
from .calibration_line import CalibrationLine as CalibrationLine
from .calibration_tests import CalibrationTest as CalibrationTest
from .chance import ECENull as ECENull
from .corp import CorpCurve as CorpCurve
from .corp import CorpDecomposition as CorpDecomposition
from .paired import Comparison as Comparison
from .paired import Difference as Difference
from .reliability import ReliabilityCurve as ReliabilityCurve
from .report import CalibrationReport as CalibrationReport
from .risk_validation import Estimate as Estimate
from .risk_validation import FlexibleCurve as FlexibleCurve
from .risk_validation import RiskValidation as RiskValidation
from .unlabelled import UnlabelledAccuracy as UnlabelledAccuracy
from .unlabelled import unlabelled_accuracy as unlabelled_accuracy
from .validation_size import ValidationSize as ValidationSize
