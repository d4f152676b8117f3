"""Platt scaling: a logistic curve of the score."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .. import _input
from .._json_state import Learned, Numbers
from .._typing import FloatArray, Floats, IntArray
from ..solvers.logistic import label_weights, logistic_intercept, logistic_line
from ._base import Reads
from ._binary import BinaryCalibrator

MAX_SLOPE = 1e100  # times the largest score it stays in float64


class PlattScaling(BinaryCalibrator):
    """Probability sigma(a z + b) of class 1 at the score z (equation ``eq-platt``).

    Slope a and intercept b minimise the cross-entropy between that curve and the targets. z is any score,
    or a log-odds: fed with probabilities, the curve cannot leave them as they are.

    Parameters
    ----------
    prior_targets : bool
        Use Platt's targets (equation ``eq-platt-targets``) instead of the labels 0 and 1. They keep the
        slope finite for scores that separate the labels. With weights, their sums count as rows. By default
        they are used, as Platt published the method; `BetaCalibration` was published without them.
    slope : float, optional
        Hold the slope at this positive number and fit the intercept alone. With ``slope=1.0`` and log-odds
        for scores that is recalibration in the large. It undoes class weights, resampling and label shift of
        unknown factor where the slope is right; after a forest or with many features fit that, too. The mean
        probability becomes the mean target, without prior targets the share of 1 (``eq-intercept-update``).

    Attributes
    ----------
    slope_, intercept_ : float
        a and b. Rising scores give rising probabilities where a > 0.
    {one_score}

    Notes
    -----
    Fitted by Newton's method after Lin, Lin and Weng (2007), in a unit that follows the rows that decide. So
    scores of any scale have their curve, even of several scales in one sample. Without prior targets `fit`
    raises where the scores separate the labels: there is no finite slope. With a slope that is held it raises
    where one class is absent. `sklearn.calibration.CalibratedClassifierCV(method="sigmoid")` uses the same
    targets; its optimiser stops earlier, at slopes that differ from about the seventh digit on; for scores of
    single precision, from the fourth.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines, section 2; Lin, Lin and Weng (2007),
    A note on Platt's probabilistic outputs for support vector machines; Steyerberg (2019), Clinical
    prediction models, chapter 20 (the update of the intercept).

    Examples
    --------
    >>> platt = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> round(platt.slope_, 3), round(platt.intercept_, 3) + 0.0
    (0.674, 0.0)
    >>> platt.predict_proba([0.0, 3.0])[:, 1].round(3).tolist()
    [0.5, 0.883]

    One patient of four is ill, and a model with balanced classes says the odds 3 times too high:

    >>> update = PlattScaling(prior_targets=False, slope=1.0).fit([-1.0, -1.0, 0.0, 2.0], [0, 0, 0, 1])
    >>> float(update.predict_proba([-1.0, -1.0, 0.0, 2.0])[:, 1].mean().round(12))
    0.25
    """

    reads: Reads = "logits"  # probabilities do not suit the curve
    slope_: float
    intercept_: float
    _learned: ClassVar[Learned] = {"slope_": Numbers(), "intercept_": Numbers()}

    def __init__(self, prior_targets: bool = True, slope: float | None = None) -> None:
        self.prior_targets = prior_targets
        self.slope = slope

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        _input.one_of(self.prior_targets, [True, False], "prior_targets")
        targets = prior_targets(labels, weights) if self.prior_targets else (0.0, 1.0)
        if self.slope is None:
            self.slope_, self.intercept_ = logistic_line(scores, labels, weights, targets)
            return
        self.slope_ = _input.number_between(self.slope, 0, MAX_SLOPE, "slope", open_ends=True)
        log_odds = self.slope_ * scores.astype(np.float64)
        self.intercept_ = logistic_intercept(log_odds, labels, weights, targets)

    def _map(self, scores: FloatArray) -> Floats:
        z = self.slope_ * scores.astype(np.float64) + self.intercept_
        return np.asarray(np.exp(np.minimum(z, 0)) / (1 + np.exp(-abs(z))))  # expit loses the tail below -709


def prior_targets(labels: IntArray, weights: Floats | None) -> tuple[float, float]:
    """Platt's targets for the labels 0 and 1 (equation ``eq-platt-targets``)."""
    _input.count_as_rows(weights)
    negative, positive = label_weights(labels, weights).tolist()
    return 1 / (negative + 2), 1 - 1 / (positive + 2)
