"""Cox's calibration slope and intercept: the line of the log-odds that fits the labels best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from .. import _input, _results
from .._parameters import describe
from .._typing import Floats, IntArray, Label
from ..solvers.logistic import logistic_line


@_results.shown_rounded
class CalibrationLine(NamedTuple):
    """The line a x + b of the log-odds x that fits the labels best.

    Attributes
    ----------
    slope : float
        1 for calibrated forecasts; below 1 where they lie too far apart.
    intercept : float
        0 for calibrated forecasts.
    """

    slope: float
    intercept: float


@describe
def calibration_slope_intercept(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    pos_label: Label = None,
) -> CalibrationLine:
    """Cox's calibration slope and intercept: Platt's curve (``eq-platt``) of the log-odds, by the labels.

    Parameters
    ----------
    {happened}
    y_prob : array_like, shape (n,)
        Probability of the event, strictly between 0 and 1; its log-odds with ``from_logits=True``.
    {sample_weight}
    from_logits : bool
        Read `y_prob` as log-odds.
    {pos_label}

    Returns
    -------
    CalibrationLine
        The slope and the intercept, fitted together. The intercept at slope 1, "calibration in the large",
        is another number.

    {refused}
        Also for a probability of 0 or 1, for equal forecasts, and where the forecasts separate the labels.

    References
    ----------
    Cox (1958), Two further applications of a model for binary regression; Steyerberg (2019), Clinical
    prediction models, chapter 15.

    Examples
    --------
    >>> line = calibration_slope_intercept([0, 0, 1, 0, 1, 1], [0.01, 0.1, 0.2, 0.8, 0.9, 0.99])
    >>> round(line.slope, 2), round(line.intercept, 2) + 0.0
    (0.51, 0.0)
    """
    _input.same_rows(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    log_odds, labels = read_log_odds(y_true, y_prob, pos_label, from_logits=from_logits)
    weights = _input.weights(sample_weight, len(labels))
    if weights is not None:
        log_odds, labels, weights = log_odds[weights > 0], labels[weights > 0], weights[weights > 0]
    elif not from_logits:
        _input.percentages(expit(log_odds), labels, "y_prob")
    return CalibrationLine(*fitted_line(log_odds, labels, weights))


def read_log_odds(
    y_true: npt.ArrayLike, y_prob: npt.ArrayLike, pos_label: Label, *, from_logits: bool
) -> tuple[Floats, IntArray]:
    """Return log-odds and labels; refuse certain forecasts, whose log-odds are infinite."""
    if from_logits:
        log_odds = _input.finite(y_prob, "y_prob", (1,)).astype(np.float64)
        _input.read_as_logits(log_odds, "y_prob")
    else:
        forecasts = _input.probabilities(y_prob, ndim=(1,))
        expected = "a probability strictly between 0 and 1: certain forecasts have infinite log-odds"
        _input.refuse_entries((forecasts == 0) | (forecasts == 1), forecasts, "y_prob", expected)
        log_odds = logit(forecasts.astype(np.float64))
    labels = _input.class_numbers(y_true, log_odds, pos_label=pos_label)
    _input.same_length(y_true=labels, y_prob=log_odds)
    return log_odds, labels


def fitted_line(log_odds: Floats, labels: IntArray, weights: Floats | None) -> tuple[float, float]:
    """Return slope and intercept of the log-odds; refuse forecasts to which no slope can be fitted."""
    if log_odds.min() == log_odds.max():
        raise _input.BadValue("y_prob", "is equal in all rows", "forecasts that differ, to fit a slope")
    return logistic_line(log_odds, labels, weights, (0.0, 1.0), "y_prob")
