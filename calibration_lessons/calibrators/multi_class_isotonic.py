"""Multi-class isotonic regression: one rising curve for all classes, which keeps their order in each row."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from .. import _input
from .._json_state import Learned, Numbers
from .._typing import FloatArray, Floats, IntArray
from ._base import Calibrator, Reads, by_columns
from .isotonic import rising_curve

SLOPE = 1e-6  # of the straight line that is mixed in, so that no two probabilities become equal


class MultiClassIsotonic(Calibrator):
    """Isotonic regression of all classes at once, then divide by the sum (``eq-multi-class-isotonic``).

    The n K probabilities of all rows and classes are one sample: each is a hit if its class came. One rising
    curve is fitted to them, applied to each class, and the row is normalised. Because the curve rises
    strictly, the order of the classes within a row stays, and with it the predicted class.

    Parameters
    ----------
    smoothing : float
        Rows that are added to what both ends of the curve rest on, at least 0; each holds one hit among its K
        classes. Without them the lowest probabilities become next to nothing, and one row that says
        otherwise makes the log loss very large. By default 2, because one curve for K classes rests on few
        hits at its ends; `IsotonicCalibration` and `HistogramBinning`, known without smoothing, have 0.

    Attributes
    ----------
    thresholds_ : ndarray, shape (M,)
        0, first and last probability of each block, and 1, rising.
    values_ : ndarray, shape (M,)
        The curve at each threshold, before the division; it is linear between them.
    {by_class}

    Notes
    -----
    Two probabilities of a row that differ by less than about 1e-10 may become equal by rounding. `predict`
    answers with the largest probability as it was given.

    References
    ----------
    Zhang, Kailkhura and Han (2020), Mix-n-Match: ensemble and compositional methods for uncertainty
    calibration in deep learning. Their straight line has the slope 1e-9; the smoothing is ours.

    Examples
    --------
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.4, 0.3, 0.3]]
    >>> calibrated = MultiClassIsotonic(smoothing=0).fit(p, [0, 1, 1, 2])
    >>> calibrated.predict_proba([[0.7, 0.2, 0.1]]).round(3).tolist()
    [[1.0, 0.0, 0.0]]
    >>> MultiClassIsotonic().fit(p, [0, 1, 1, 2]).predict_proba([[0.7, 0.2, 0.1]]).round(3).tolist()
    [[0.547, 0.226, 0.226]]
    """

    reads: Reads = "probabilities"
    thresholds_: Floats
    values_: Floats
    _learned: ClassVar[Learned] = dict.fromkeys(
        ["thresholds_", "values_"], Numbers(("M",), 0, 1, rising=True)
    )

    def __init__(self, smoothing: float = 2.0) -> None:
        self.smoothing = smoothing

    def _check_scores(self, array: FloatArray) -> FloatArray:
        return _input.probabilities(by_columns(array, " (IsotonicCalibration reads one score)"), "X", (2,))

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        smoothing = _input.number_between(self.smoothing, 0, 1e100, "smoothing")
        n_classes = scores.shape[1]
        hits = (labels[:, None] == np.arange(n_classes)).ravel().astype(np.int64)
        each = None if weights is None else weights.repeat(n_classes)
        thresholds, values = rising_curve(scores.ravel(), hits, each, smoothing * n_classes)
        self.thresholds_ = np.union1d(thresholds, [0.0, 1.0])
        flat = np.interp(self.thresholds_, thresholds, values)
        self.values_ = (1 - SLOPE) * flat + SLOPE * self.thresholds_

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the normalised probability of each class, shape (n, K)."""
        risen = np.interp(self._new_scores(X), self.thresholds_, self.values_)
        return np.asarray(risen / risen.sum(axis=1, keepdims=True))

    def predict(self, X: npt.ArrayLike) -> IntArray:
        """Return the class of the largest probability, shape (n,): no rising curve changes it."""
        return np.asarray(self._new_scores(X).argmax(axis=1))
