"""Isotonic calibration: the rising function of the score that fits the labels best."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.optimize import isotonic_regression

from .._typing import FloatArray, Floats, IntArray
from ._base import BinaryCalibrator
from ._learned import Learned, Numbers


class IsotonicCalibration(BinaryCalibrator):
    """Fit the non-decreasing function of least squared error (equation ``eq-isotonic``).

    Pool-adjacent-violators merges neighbouring scores until the mean labels of the blocks rise. Equal
    scores are one score from the start.

    Attributes
    ----------
    thresholds_ : ndarray
        First and last score of each block, rising.
    values_ : ndarray, same shape
        Probability of class 1 at each threshold: the mean label of its block. Between two blocks the
        probability is linear in the score; outside all of them it is that of the nearest.
    classes_ : ndarray of int, shape (2,)
    n_features_in_ : int

    Notes
    -----
    The same as `sklearn.isotonic.IsotonicRegression` with ``out_of_bounds="clip"``. By default that class
    answers NaN outside the range of its scores, and it takes scores within about 1e-15 for ties.

    References
    ----------
    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability
    estimates; Ayer, Brunk, Ewing, Reid and Silverman (1955), An empirical distribution
    function for sampling with incomplete information.

    Examples
    --------
    >>> calibration = IsotonicCalibration().fit([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1])
    >>> calibration.thresholds_.tolist(), calibration.values_.tolist()
    ([1.0, 2.0, 3.0, 4.0], [0.0, 0.5, 0.5, 1.0])
    >>> calibration.predict_proba([0.0, 1.5, 2.5, 9.0])[:, 1].tolist()
    [0.0, 0.25, 0.5, 1.0]
    """

    thresholds_: Floats
    values_: Floats
    _learned: ClassVar[Learned] = {
        "thresholds_": Numbers(("M",), rising="strictly"),
        "values_": Numbers(("M",), 0, 1, rising="weakly"),
    }

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        distinct, weight, hits = pool_ties(scores, labels, weights)
        fit = isotonic_regression(hits / weight, weights=weight)
        ends = np.unique(np.concatenate([fit.blocks[:-1], fit.blocks[1:] - 1]))
        self.thresholds_, self.values_ = distinct[ends], fit.x[ends]

    def _map(self, scores: FloatArray) -> Floats:
        between = np.interp(scores, self.thresholds_, self.values_)
        return np.asarray(between.clip(self.values_[0], self.values_[-1]))


def pool_ties(scores: FloatArray, labels: IntArray, weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Distinct scores in rising order, and the weight and the weight of class 1 at each.

    Weights count relative to the largest, so that their sums stay finite.
    """
    order = np.argsort(scores)
    ranked, hit = scores[order].astype(np.float64, copy=False), (labels == 1)[order]
    share = None if weights is None else weights[order] / weights.max()
    del order  # as large as the scores
    first = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    ranked = ranked[first]
    if share is None:
        counts = np.diff(first, append=len(hit)).astype(np.float64)
        return ranked, counts, np.add.reduceat(hit, first, dtype=np.float64)
    return ranked, np.add.reduceat(share, first), np.add.reduceat(share * hit, first)
