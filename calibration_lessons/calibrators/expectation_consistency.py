"""Expectation consistency: the temperature at which the mean confidence equals the accuracy."""

from __future__ import annotations

from functools import partial
from typing import Self

import numpy.typing as npt

from ..solvers.root import increasing_root
from ._logit_rows import LogitLimits, LogitRows
from ._one_temperature import RTOL, TemperedSoftmax


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

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Find the temperature: equate mean confidence and accuracy by Newton's method on beta = 1 / T.

        Parameters
        ----------
        X : array_like, shape (n, K) or (n,)
            Logits of each class, or the binary logit z, read as (0, z). A single ``-inf`` rules a class
            out; it may not be the row's own label.
        y : array_like, shape (n,)
            Labels 0..K-1. Not every class has to occur.
        sample_weight : array_like, shape (n,), optional
            Importance weights, non-negative.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For input that is not as described, and where no finite positive T makes confidence equal
            accuracy; the message names the confidences that can be reached.
        """
        rows = self._all_rows(X, y, sample_weight)
        return self._learn(rows, increasing_root(partial(self._excess, rows), self._start(rows)))

    @staticmethod
    def _excess(rows: LogitRows, beta: float) -> tuple[float, float]:
        """Sum of confidence minus correctness over the rows, and its slope in beta.

        The largest probability of a row is 1 / sum(exp(beta (z - max z))) = 1 / e.
        """
        total, slope = -rows.limits.correct, 0.0
        for weights, (e, e_t) in rows.moments(beta, powers=1):
            total += float(weights @ (1 / e))
            slope -= float(weights @ (e_t / e**2))
        return total, slope

    @staticmethod
    def _obstacle(limits: LogitLimits) -> str | None:
        """Say on which side of the reachable confidences the accuracy lies, or None where it lies inside."""
        low, high, accuracy = (
            total / limits.weight for total in (limits.one_over_finite, limits.one_over_tied, limits.correct)
        )
        if low * (1 + RTOL) < accuracy < high * (1 - RTOL):
            return None
        reached = (
            f"the mean confidence stays strictly between {low:.4g} (T -> infinity) and {high:.4g} (T -> 0)"
        )
        if accuracy > low:
            return f"{reached}, and the accuracy {accuracy:.4g} is not below its upper end, so T runs to 0"
        return f"{reached}, and the accuracy {accuracy:.4g} is not above its lower end, so T runs to infinity"
