"""What the calibrators of one score a row share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from .. import _blocks, _input
from .._typing import FloatArray, Floats, IntArray
from ._base import Calibrator

MAX_ABS_SCORE = 1e100  # float64 can hold its square


class BinaryCalibrator(Calibrator):
    """A map from one score a row to the probability of class 1."""

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the calibrated probabilities of class 0 and class 1, shape (n, 2)."""
        scores = self._new_scores(X)
        probabilities = np.empty((len(scores), 2))
        for rows in _blocks.row_blocks(scores):
            probabilities[rows, 1] = self._map(scores[rows])
            probabilities[rows, 0] = 1 - probabilities[rows, 1]
        return probabilities

    def _map(self, scores: FloatArray) -> Floats:
        """Probability of class 1 for each score."""
        raise NotImplementedError

    def _check_scores(self, array: FloatArray) -> FloatArray:
        """Return scores of shape (n,), finite and of a size whose square float64 can hold."""
        scores = one_score(_input.finite(array, "X", (1, 2)))
        if max(-float(scores.min()), float(scores.max())) > MAX_ABS_SCORE:
            expected = f"a score of at most {MAX_ABS_SCORE:g} in size"
            _input.refuse_entries(np.abs(scores) > MAX_ABS_SCORE, scores, "X", expected)
        return scores

    def _warn(self, scores: FloatArray, labels: IntArray) -> None:
        super()._warn(scores, labels)
        for values, name in ((scores, "scores"), (labels, "labels")):
            if values.min() == values.max():
                message = f"all {name} are {values[0]}: {type(self).__name__} learns the base rate, no more"
                _input.warn(message)
        _input.turned_round(scores, labels, "X")
        some = slice(10 * _input.ENOUGH_ROWS)  # a fit of a million takes no longer
        _input.repeated(scores[some], labels[some], "X")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.classifier_tags.multi_class = False
        return tags


def one_score(array: FloatArray) -> FloatArray:
    """Refuse several columns where the method is defined on one score a row."""
    if array.ndim == 2:
        several = "For several classes wrap the calibrator in OneVsRest"
        advice = "For two columns pass X[:, 1]" if array.shape[1] == 2 else several
        expected = f"one score a row, (n,) or (n, 1). Only binary classification is supported. {advice}"
        raise _input.BadValue("X", f"has shape {array.shape}", expected)
    return array


def m_estimate(hits: Floats, weight: Floats, smoothing: float, total: tuple[float, float]) -> Floats:
    """Share of class 1 in each group of rows and of `smoothing` more rows at the base rate.

    `total` is the weight of class 1 and of all rows. The base rate follows Laplace's rule: neither 0 nor 1.
    """
    base_rate = (total[0] + 1) / (total[1] + 2)
    return np.asarray((hits + smoothing * base_rate) / (weight + smoothing))
