"""Isotonic calibration: the rising function of the score that fits the labels best."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.optimize import isotonic_regression

from .. import _input
from .._json_state import Learned, Numbers
from .._typing import FloatArray, Floats, IntArray
from ._binary import BinaryCalibrator, m_estimate


class IsotonicCalibration(BinaryCalibrator):
    """Fit the non-decreasing function of least squared error (equation ``eq-isotonic``).

    Pool-adjacent-violators merges neighbouring scores until the mean labels of the blocks rise. Equal
    scores are one score from the start.

    Parameters
    ----------
    smoothing : float
        Rows at the base rate that are added to what both ends of the curve rest on, at least 0. Without them
        the lowest scores often get the probability 0 and the highest 1, and one row that says otherwise makes
        the log loss infinite. With them no probability lies below the smallest m-estimate of any number of
        lowest rows, nor above the largest of any number of highest rows. With ``smoothing=2`` and two classes
        that are equally frequent this is Laplace's rule of succession: n rows of class 0 at the low end say
        1 / (n + 2). The base rate is (rows of class 1 + 1) / (rows + 2), and weights sum to rows.

    Attributes
    ----------
    thresholds_ : ndarray
        First and last score of each block, rising.
    values_ : ndarray, same shape
        Probability of class 1 at each threshold: the mean label of its block. Between two blocks the
        probability is linear in the score; outside all of them it is that of the nearest.
    {one_score}

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
        "thresholds_": Numbers(("M",), rising=True),
        "values_": Numbers(("M",), 0, 1, rising=True),
    }

    def __init__(self, smoothing: float = 0.0) -> None:
        self.smoothing = smoothing

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        smoothing = _input.number_between(self.smoothing, 0, 1e100, "smoothing")
        self.thresholds_, self.values_ = rising_curve(scores, labels, weights, smoothing)

    def _map(self, scores: FloatArray) -> Floats:
        between = np.interp(scores, self.thresholds_, self.values_)
        return np.asarray(between.clip(self.values_[0], self.values_[-1]))


def rising_curve(
    scores: FloatArray, labels: IntArray, weights: Floats | None, smoothing: float
) -> tuple[Floats, Floats]:
    """First and last score of each block, and the mean label of the block, inside the supported ends."""
    distinct, weight, hits = pool_ties(scores, labels, weights)
    fit = isotonic_regression(hits / weight, weights=weight)
    ends = np.unique(np.concatenate([fit.blocks[:-1], fit.blocks[1:] - 1]))
    if not smoothing:
        return distinct[ends], fit.x[ends]
    _input.count_as_rows(weights)
    unit = 1.0 if weights is None else float(weights.max())
    low, high = supported_ends(hits * unit, weight * unit, smoothing)
    return distinct[ends], fit.x[ends].clip(low, high)


def supported_ends(hits: Floats, weight: Floats, smoothing: float) -> tuple[float, float]:
    """Smallest m-estimate of the lowest scores, however many, and largest of the highest."""
    total = float(hits.sum()), float(weight.sum())
    from_below = m_estimate(hits.cumsum(), weight.cumsum(), smoothing, total)
    from_above = m_estimate(hits[::-1].cumsum(), weight[::-1].cumsum(), smoothing, total)
    return float(from_below.min()), float(from_above.max())


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
