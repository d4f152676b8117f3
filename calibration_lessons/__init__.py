"""Measure and mend the calibration of classifiers: the companion of a course on the subject."""
from .measures.ece import expected_calibration_error, maximum_calibration_error
from .measures.proper_scores import brier_score, negative_log_likelihood
from .measures.reliability import ReliabilityCurve, bin_edges, reliability_curve
from .numerics import entropy, log_softmax, softmax
