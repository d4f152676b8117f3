"""Expectation consistency: the temperature at which the mean confidence equals the accuracy."""

from __future__ import annotations

from .temperature import RTOL, LogitLimits, LogitRows, TemperedSoftmax


class ExpectationConsistency(TemperedSoftmax):
    """Divide the logits by the T > 0 that makes confidence equal accuracy (``eq-expectation-consistency``).

    The mean of the largest probability falls as T grows, so at most one T meets the condition. The
    predicted class stays.

    Attributes
    ----------
    temperature_ : float
        T, not its inverse.
    {by_class}

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
    def _obstacle(limits: LogitLimits) -> tuple[str, str] | None:
        """Say on which side of the reachable confidences the accuracy lies, or None where it lies inside."""
        low, high, accuracy = (
            total / limits.weight for total in (limits.one_over_finite, limits.one_over_tied, limits.correct)
        )
        if low * (1 + RTOL) < accuracy < high * (1 - RTOL):
            return None
        reached = (
            f"the mean confidence stays strictly between {low:.4g} (T -> infinity) and {high:.4g} (T -> 0)"
        )
        end, way = ("below its upper", "0") if accuracy > low else ("above its lower", "infinity")
        why = f"{reached}, and the accuracy {accuracy:.4g} is not {end} end, so T runs to {way}"
        return why, "an accuracy in between"
