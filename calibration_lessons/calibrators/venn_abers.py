"""Venn-Abers calibration: isotonic regression twice, with the new row as class 0 and as class 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression
from scipy.special import expit

from .. import _input
from .._json_state import Learned, Numbers
from .._typing import FloatArray, Floats, IntArray
from ._base import Calibrator
from ._binary import BinaryCalibrator
from .isotonic import pool_ties
from .one_vs_rest import OneVsRest


class VennAbersCalibration(BinaryCalibrator):
    """Interval from p0 to p1 for each row, and one probability inside it (equation ``eq-venn-abers``).

    p0 is what isotonic regression says of the new row when that row has joined the calibration rows as class
    0, and p1 when it has joined them as class 1 (``eq-venn-abers-interval``). The one of the row's own class
    is calibrated, whatever the classifier, as long as the rows are exchangeable. The probability is
    p1 / (1 - p0 + p1). It is never 0 or 1, so the log loss stays finite.

    Attributes
    ----------
    thresholds_ : ndarray, shape (M,)
        Scores at which p0 or p1 steps, rising.
    lower_, upper_ : ndarray, shape (M + 1,)
        p0 and p1 between the thresholds, rising. At a threshold p0 is the one above it, p1 the one below it.
    {one_score}

    Notes
    -----
    Isotonic regression is fitted once, not twice per row: all p0 and p1 of n calibration rows are found in
    O(n log n), and m new rows looked up in O(m log n). Weights count as rows: the new row has the weight 1.

    This is the inductive method: the classifier has not seen the calibration rows. In the cross method each
    fold calibrates a classifier that was fitted on the others. That is `CalibratedModel` with
    ``ensemble=True``, which combines the folds as the method asks for: geometric means of the folds' p1 and
    of their 1 - p0 take the places of p1 and 1 - p0. For several classes take `OneVsRest` around it, which
    gives p0 and p1 of each class, too.

    References
    ----------
    Vovk and Petej (2014), Venn-Abers predictors; Vovk, Petej and Fedorova (2015), Large-scale probabilistic
    predictors with and without guarantees of validity.

    Examples
    --------
    >>> calibration = VennAbersCalibration().fit([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1])
    >>> calibration.predict_interval([0.0, 2.5, 9.0]).round(3).tolist()
    [[0.0, 0.5], [0.333, 0.667], [0.5, 1.0]]
    >>> calibration.predict_proba([0.0, 2.5, 9.0])[:, 1].round(3).tolist()
    [0.333, 0.5, 0.667]
    """

    thresholds_: Floats
    lower_: Floats
    upper_: Floats
    _learned: ClassVar[Learned] = {
        "thresholds_": Numbers(("M",), rising=True),
        "lower_": Numbers(("M + 1",), 0, 1, rising=True),
        "upper_": Numbers(("M + 1",), 0, 1, rising=True),
    }

    def predict_interval(self, X: npt.ArrayLike) -> Floats:
        """Return p0 and p1 of each row.

        Parameters
        ----------
        X : array_like, shape (m,) or (m, 1)
            Score of class 1.

        Returns
        -------
        ndarray, shape (m, 2)
            Probability of class 1 if the row counts as class 0, and if it counts as class 1. The first is
            smaller than the second.

        {refused}
        """
        return np.stack(self._ends(self._new_scores(X)), axis=1)

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        _input.count_as_rows(weights)
        distinct, weight, hits = pool_ties(scores, labels, weights)
        one = 1.0 if weights is None else min(1 / float(weights.max()), 1e100)
        upper = joined_as_positive(weight, hits, one)
        lower = 1 - joined_as_positive(weight[::-1], (weight - hits)[::-1], one)[::-1]
        steps = (np.diff(lower) > 0) | (np.diff(upper) > 0)
        steps[0] = True
        self.thresholds_ = distinct[steps]
        first = np.concatenate([[True], steps])
        self.lower_, self.upper_ = lower[first], upper[first]

    def _ends(self, scores: FloatArray) -> tuple[Floats, Floats]:
        """Return p0 and p1 of each score."""
        below = np.searchsorted(self.thresholds_, scores)
        at_one = np.append(self.thresholds_, np.nan)[below] == scores
        return self.lower_[below + at_one], self.upper_[below]

    def _map(self, scores: FloatArray) -> Floats:
        low, high = self._ends(scores)
        return np.asarray(high / (1 - low + high))


def crossed(calibrators: Sequence[Calibrator], scores: Sequence[FloatArray]) -> Floats | None:
    """Return the probabilities of the cross method, shape (m, K), or None for other calibrators.

    Each calibrator reads its own scores of the same rows. Geometric means take the places of p1 and 1 - p0.
    """
    first = calibrators[0]
    if isinstance(first, VennAbersCalibration):
        positive = _crossed(calibrators, scores)
        return np.stack([1 - positive, positive], axis=1)
    if not isinstance(first, OneVsRest) or not isinstance(first.calibrator, VennAbersCalibration):
        return None
    columns = range(len(first.classes_))
    by_class = [[one.calibrators_[k] for one in calibrators if isinstance(one, OneVsRest)] for k in columns]
    each = np.stack([_crossed(by_class[k], [z[:, k] for z in scores]) for k in columns], axis=1)
    return np.asarray(each / each.sum(axis=1, keepdims=True))


def _crossed(calibrators: Sequence[Any], scores: Sequence[FloatArray]) -> Floats:
    intervals = [one.predict_interval(z) for one, z in zip(calibrators, scores, strict=True)]
    low, high = np.stack(intervals).transpose(2, 0, 1)
    with np.errstate(divide="ignore"):
        against, towards = np.log(1 - low).mean(axis=0), np.log(high).mean(axis=0)
    return np.asarray(expit(towards - against))


def joined_as_positive(weight: Floats, hits: Floats, one: float) -> Floats:
    """Return what isotonic regression says of a row of class 1 and weight `one` at each place among scores.

    Place 0 is below all distinct scores, place i at score i or between it and the one before, the last above
    all. The value is a slope in the diagram of cumulative hits over cumulative weight, in which the new row
    is a step up of `one` in both: the largest, over starts at or before the place, of the smallest over ends
    at or after it. Of the ends only corners of the diagram's convex minorant can be smallest, and of the
    starts only the corner to the left of the place and what follows it can be largest.
    """
    corners = isotonic_regression(hits / weight, weights=weight).blocks
    diagram = np.stack([np.append(0.0, values.cumsum()) for values in (weight, hits)])
    block = np.append(1, np.repeat(np.arange(1, len(corners)), np.diff(corners)))  # ends at or after a place
    own = _least_slope(diagram, diagram[:, corners], block, one)
    from_corner = _least_slope(diagram[:, corners[:-1]], diagram[:, corners], np.arange(1, len(corners)), one)
    return np.asarray(np.maximum.accumulate(np.maximum(own, from_corner[block - 1])))


def _least_slope(start: Floats, corners: Floats, first: IntArray, one: float) -> Floats:
    """Smallest slope from each start, lowered by `one` in both, to the corners from the `first` on.

    Seen from there the slopes of a convex chain fall, then rise. Mostly they rise from the beginning; where
    not, halve the range in which they turn.
    """

    def turned(corner: IntArray, begin: Floats) -> npt.NDArray[np.bool_]:
        (x, y), (x_after, y_after) = (corners[:, c] - begin + one for c in (corner, corner + 1))
        return np.asarray(y_after * x >= y * x_after)

    last, low = corners.shape[1] - 1, first.copy()
    falling = np.flatnonzero(first < last)
    falling = falling[~turned(first[falling], start[:, falling])]
    high = np.full(len(falling), last)
    while len(falling):
        middle = (low[falling] + high) // 2
        done = turned(middle, start[:, falling])
        high = np.where(done, middle, high)
        low[falling[~done]] = middle[~done] + 1
        wide = low[falling] < high
        falling, high = falling[wide], high[wide]
    across, up = corners[:, low] - start + one
    return np.asarray(up / across)
