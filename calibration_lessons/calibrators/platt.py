"""Platt scaling: a logistic curve of the score; and the same line as a measure, Cox's slope and intercept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from .. import _input
from .._typing import FloatArray, Floats, IntArray
from ._base import BinaryCalibrator, Reads
from ._logistic import logistic_line


class PlattScaling(BinaryCalibrator):
    """Probability sigma(a z + b) of class 1 at the score z (equation ``eq-platt``).

    Slope a and intercept b minimise the cross-entropy between that curve and the targets. z is any score,
    or a log-odds: fed with probabilities, the curve cannot leave them as they are.

    Parameters
    ----------
    prior_targets : bool
        Use Platt's targets (equation ``eq-platt-targets``) instead of the labels 0 and 1. They keep the
        slope finite for scores that separate the labels. With weights, their sums count as rows.

    Attributes
    ----------
    slope_, intercept_ : float
        a and b. Rising scores give rising probabilities where a > 0.
    classes_ : ndarray of int, shape (2,)
    n_features_in_ : int

    Notes
    -----
    Fitted by Newton's method after Lin, Lin and Weng (2007), on centred and scaled scores. Without prior
    targets `fit` raises where the scores separate the labels: there is no finite slope.
    `sklearn.calibration.CalibratedClassifierCV(method="sigmoid")` uses the same targets; its optimiser
    stops earlier, at slopes that differ from the fourth digit on.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines, section 2; Lin, Lin and Weng (2007),
    A note on Platt's probabilistic outputs for support vector machines.

    Examples
    --------
    >>> platt = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> round(platt.slope_, 3), round(platt.intercept_, 3) + 0.0
    (0.674, 0.0)
    >>> platt.predict_proba([0.0, 3.0])[:, 1].round(3).tolist()
    [0.5, 0.883]
    """

    slope_: float
    intercept_: float

    def __init__(self, prior_targets: bool = True) -> None:
        self.prior_targets = prior_targets

    @property
    def reads(self) -> Reads:
        """Logits, or log-odds: probabilities do not suit the curve."""
        return "logits"

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        _input.one_of(self.prior_targets, [True, False], "prior_targets")
        targets = prior_targets(labels, weights) if self.prior_targets else (0.0, 1.0)
        self.slope_, self.intercept_ = logistic_line(scores, labels, weights, targets)

    def _map(self, scores: FloatArray) -> Floats:
        return np.asarray(expit(self.slope_ * scores.astype(np.float64) + self.intercept_))


class CalibrationLine(NamedTuple):
    """The line a x + b of the log-odds x that fits the labels best.

    Attributes
    ----------
    slope : float
        1 for calibrated forecasts; below 1 where they are too extreme.
    intercept : float
        0 for calibrated forecasts.
    """

    slope: float
    intercept: float


def calibration_slope_intercept(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
) -> CalibrationLine:
    """Cox's calibration slope and intercept: Platt's curve (``eq-platt``) of the log-odds, by the labels.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels 0 and 1.
    y_prob : array_like, shape (n,)
        Probability of class 1, strictly between 0 and 1; its log-odds with ``from_logits=True``.
    sample_weight : array_like, shape (n,), optional
        Importance weights, non-negative.
    from_logits : bool
        Read `y_prob` as log-odds.

    Returns
    -------
    CalibrationLine
        The slope and the intercept, fitted together. The intercept at slope 1, "calibration in the large",
        is another number.

    Raises
    ------
    ValueError, TypeError
        For input that is not as described, for a probability of 0 or 1, for equal forecasts, and where the
        forecasts separate the labels.

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
    if from_logits:
        log_odds = _input.finite(y_prob, "y_prob", (1,)).astype(np.float64)
    else:
        forecasts = _input.probabilities(y_prob, ndim=(1,))
        _refuse_certainty(forecasts)
        log_odds = logit(forecasts.astype(np.float64))
    labels = _input.labels(y_true, 2)
    _input.same_length(y_true=labels, y_prob=log_odds)
    weights = _input.weights(sample_weight, len(labels))
    if weights is not None:
        log_odds, labels, weights = log_odds[weights > 0], labels[weights > 0], weights[weights > 0]
    if log_odds.min() == log_odds.max():
        raise ValueError("all of y_prob are equal: expected forecasts that differ, to fit a slope")
    return CalibrationLine(*logistic_line(log_odds, labels, weights, (0.0, 1.0)))


def _refuse_certainty(forecasts: FloatArray) -> None:
    certain = (forecasts == 0) | (forecasts == 1)
    if certain.any():
        where = _input.first(certain)
        raise ValueError(
            f"{_input.place('y_prob', where)} = {forecasts[where]}: expected a probability strictly between "
            f"0 and 1, because the log-odds of a certain forecast are infinite"
        )


def prior_targets(labels: IntArray, weights: Floats | None) -> tuple[float, float]:
    """Platt's targets for the labels 0 and 1 (equation ``eq-platt-targets``)."""
    negative, positive = np.bincount(labels, weights, minlength=2).astype(np.float64)
    return 1 / (negative + 2), 1 - 1 / (positive + 2)
