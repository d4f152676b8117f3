"""Calibration errors, their bias, an honest interval, and what a calibrated model would get."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import norm as normal

from .. import _checks, _passes
from .reliability import (
    Floats,
    Norm,
    ReliabilityCurve,
    Strategy,
    Target,
    bin_index,
    binned,
    reliability_curve,
    scores_and_hits,
)


def expected_calibration_error(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target | Literal["class-wise"] = None,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    norm: Norm = "l1",
    debias: bool = False,
) -> float:
    """Mean gap between accuracy and confidence over the bins (equation ``eq-ece``).

    Parameters
    ----------
    y_true, y_prob, n_bins, strategy, sample_weight, from_logits
        As for `reliability_curve`.
    target : {None, "top-label", "positive", "class-wise"} or int
        As for `reliability_curve`; "class-wise" is the mean over the classes of the error of each
        class against the rest.
    norm : {"l1", "l2"}
        Mean absolute gap, or root of the mean squared gap.
    debias : bool
        Subtract the part of the error that chance alone adds: for "l2" the variance of each bin's
        accuracy, for "l1" the excess of a folded normal mean. A negative result becomes 0.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError, TypeError
        For input that is not as described, and for `debias` with weights.

    Warns
    -----
    UserWarning
        With `debias` and "l2", where a bin holds one row: its variance is unknown, and it is left out.

    References
    ----------
    Guo et al. (2017), On calibration of modern neural networks, section 2; Kumar et al. (2019),
    Verified uncertainty calibration, section 4 (debiasing).

    Examples
    --------
    >>> y_true = [1, 1, 0, 1]
    >>> confidence = [0.9, 0.8, 0.8, 0.3]
    >>> round(expected_calibration_error(y_true, confidence, n_bins=5), 4)
    0.35
    """
    _checks.one_of(norm, ["l1", "l2"], "norm")
    if debias and sample_weight is not None:
        raise ValueError("debias = True: expected no sample_weight (the variance of a bin is not known then)")
    if isinstance(target, str) and target == "class-wise":
        values = _checks.real_array(y_prob, "y_prob", ndim=(1, 2))
        targets: list[Target] = list(range(_checks.classes(values, "y_prob")))
    else:
        targets = [target]
    curves = [
        reliability_curve(
            y_true,
            y_prob,
            n_bins=n_bins,
            strategy=strategy,
            target=one,
            sample_weight=sample_weight,
            from_logits=from_logits,
        )
        for one in targets
    ]
    return float(np.mean([_debiased(c, norm) if debias else c.ece(norm) for c in curves]))


def _debiased(curve: ReliabilityCurve, norm: Norm) -> float:
    """Subtract from the error of a curve what chance alone adds to it."""
    filled = curve.counts > 0
    share, gap = curve.shares[filled], curve.gaps[filled]
    n, accuracy = curve.counts[filled], curve.accuracy[filled]
    if norm == "l1":
        folded_mean, _ = _folded_normal(gap, np.sqrt(accuracy * (1 - accuracy) / n))
        return max(0.0, float(share @ (2 * np.abs(gap) - folded_mean)))
    alone = n == 1
    if alone.any():
        bins = ", ".join(str(m) for m in np.flatnonzero(filled)[alone] + 1)
        warnings.warn(f"bin {bins} holds one row: left out of the debiased error", stacklevel=3)
    variance = accuracy * (1 - accuracy) / np.maximum(n - 1, 1)
    return float(np.sqrt(max(0.0, float(share @ np.where(alone, 0.0, gap**2 - variance)))))


def _folded_normal(mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of |X| for X normal with the given mean and standard deviation."""
    ratio = np.divide(mean, sd, out=np.full_like(mean, np.inf), where=sd > 0)
    inside = 2 * normal.cdf(np.where(np.isfinite(ratio), ratio, 0.0)) - 1
    folded = 2 * sd * normal.pdf(ratio) + np.where(np.isfinite(ratio), mean * inside, np.abs(mean))
    return folded, np.maximum(mean**2 + sd**2 - folded**2, 0.0)


def maximum_calibration_error(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target = None,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
) -> float:
    """Largest gap between accuracy and confidence over the bins that hold a row (equation ``eq-mce``).

    Parameters
    ----------
    y_true, y_prob, n_bins, strategy, target, sample_weight, from_logits
        As for `reliability_curve`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError, TypeError
        For input that is not as described; the message names the argument and the place.

    References
    ----------
    Naeini et al. (2015), Obtaining well calibrated probabilities using Bayesian binning, section 3.

    Examples
    --------
    >>> round(maximum_calibration_error([1, 1, 0, 1], [0.9, 0.8, 0.8, 0.3], n_bins=5), 4)
    0.7
    """
    return reliability_curve(
        y_true,
        y_prob,
        n_bins=n_bins,
        strategy=strategy,
        target=target,
        sample_weight=sample_weight,
        from_logits=from_logits,
    ).mce()
