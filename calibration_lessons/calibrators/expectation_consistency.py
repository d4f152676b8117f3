"""Expectation consistency: the temperature at which the mean confidence equals the accuracy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import _blocks
from .._typing import FloatArray, Floats
from ._tempered import ROUNDING, Sums, TemperedSoftmax


class ExpectationConsistency(TemperedSoftmax):
    """Divide the logits by the T > 0 that makes confidence equal accuracy (``eq-expectation-consistency``).

    The mean of the largest probability falls as T grows, so at most one T meets the condition. The
    predicted class stays.

    Attributes
    ----------
    temperature_ : float
        T, not its inverse.
    classes_ : ndarray of int, shape (K,)
        0..K-1: the columns of the logits, whether or not each occurs among the labels.
    n_features_in_ : int
        Number of columns seen by `fit`; 1 for a binary logit.

    Notes
    -----
    T exists if and only if the accuracy lies strictly between the mean of 1 / K_i (K_i finite logits in
    row i: the confidence as T -> infinity) and the mean of 1 / m_i (m_i logits that share the maximum: the
    confidence as T -> 0). Otherwise `fit` raises and names both ends.

    References
    ----------
    Clarté, Loureiro, Krzakala and Zdeborová (2023), Expectation consistency for calibration of neural
    networks, Uncertainty in Artificial Intelligence.

    Examples
    --------
    >>> logits = [[2.0, 0.0], [3.0, 0.0], [4.0, 1.0], [0.0, 2.0]]
    >>> consistency = ExpectationConsistency().fit(logits, [0, 0, 1, 1])
    >>> round(consistency.temperature_, 3)
    2.25
    >>> round(float(consistency.predict_proba(logits).max(axis=1).mean()), 9)  # 3 of 4 are right
    0.75
    """

    @staticmethod
    def model_sum(
        logits: FloatArray,
        highest: FloatArray,
        weights: Floats,
        beta: float,
        dtype: npt.DTypeLike = np.float64,
    ) -> Sums:
        """Sum of the confidences 1 / sum(e) over the rows, and its slope in beta."""
        total = slope = 0.0
        for rows, (e, e_t) in _blocks.tempered_moments(logits, highest, beta, 1, dtype):
            total += float(weights[rows] @ (1 / e))
            slope += float(weights[rows] @ (-e_t / e**2))
        return total, slope

    @staticmethod
    def label_sum(limits: _blocks.LogitLimits) -> float:
        """Sum of the rows whose first largest logit is the label's."""
        return limits.correct

    @staticmethod
    def obstacle(limits: _blocks.LogitLimits) -> str | None:
        """Say on which side of the reachable confidences the accuracy lies, or None where it lies inside."""
        low, high, accuracy = (
            total / limits.weight for total in (limits.one_over_finite, limits.one_over_tied, limits.correct)
        )
        if low * (1 + ROUNDING) < accuracy < high * (1 - ROUNDING):
            return None
        reached = (
            f"the mean confidence stays strictly between {low:.4g} (T -> infinity) and {high:.4g} (T -> 0)"
        )
        if accuracy > low:
            return f"{reached}, and the accuracy {accuracy:.4g} is not below its upper end, so T runs to 0"
        return f"{reached}, and the accuracy {accuracy:.4g} is not above its lower end, so T runs to infinity"
