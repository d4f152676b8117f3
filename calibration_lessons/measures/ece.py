"""Calibration errors, their bias, an honest interval, and what a calibrated model would get."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import erf
from scipy.stats import norm as normal

from .. import _input
from .._typing import FloatArray, Floats
from .reliability import (
    Norm,
    ReliabilityCurve,
    Strategy,
    Target,
    bin_index,
    binned,
    promised,
    reliability_curve,
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
    check_error_options(norm, debias, sample_weight)
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
        for one in promises(target, _input.real_array(y_prob, "y_prob", ndim=(1, 2)))
    ]
    return mean_error(curves, norm, debias)


def check_error_options(norm: Norm, debias: bool, sample_weight: object) -> None:
    """Refuse an unknown norm, and `debias` with weights."""
    _input.one_of(norm, ["l1", "l2"], "norm")
    if debias and sample_weight is not None:
        raise ValueError("debias = True: expected no sample_weight (the variance of a bin is not known then)")


def promises(target: Target | Literal["class-wise"], y_prob: Any) -> list[Target]:
    """List the targets whose errors are averaged: each class for "class-wise", else the one given."""
    if isinstance(target, str) and target == "class-wise":
        return list(range(_input.classes(y_prob, "y_prob")))
    return [target]


def mean_error(curves: Sequence[ReliabilityCurve], norm: Norm, debias: bool) -> float:
    """Return the mean of the curves' errors."""
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
        warnings.warn(f"bin {bins} holds one row: left out of the debiased error", stacklevel=4)
    variance = accuracy * (1 - accuracy) / np.maximum(n - 1, 1)
    return float(np.sqrt(max(0.0, float(share @ np.where(alone, 0.0, gap**2 - variance)))))


def _folded_normal(mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of |X| for X normal with the given mean and standard deviation."""
    size = np.abs(mean)
    ratio = np.divide(size, sd, out=np.full_like(size, np.inf), where=sd > 0) / np.sqrt(2)
    folded = sd * np.sqrt(2 / np.pi) * np.exp(-(ratio**2)) + size * erf(ratio)
    return folded, np.maximum(size**2 + sd**2 - folded**2, 0.0)


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


def ece_interval(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target = None,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    norm: Norm = "l1",
    level: float = 0.95,
) -> tuple[float, float]:
    """Confidence interval for the binned calibration error, by inverting a test.

    A candidate error is kept if the observed error is no surprise under it: no more than z standard
    deviations from its mean, each bin's accuracy being normal around its hypothesised value. How a
    candidate error is spread over the bins is not known, so each end takes the spread that favours
    it. The lower end puts it on the bins that are clearly off (three standard errors) and lets
    chance explain the others; the upper end spreads it as observed.

    Parameters
    ----------
    y_true, y_prob, n_bins, strategy, target, sample_weight, from_logits
        As for `reliability_curve`; with weights each bin counts with its effective number of rows.
    norm : {"l1", "l2"}
        As for `expected_calibration_error`.
    level : float
        Confidence level in (0, 1).

    Returns
    -------
    low, high : float
        In [0, 1]; `low` is 0 where a calibrated model is no surprise. The observed error, which
        chance pushes upwards, may lie above `high`.

    Raises
    ------
    ValueError, TypeError
        For input that is not as described; the message names the argument and the place.

    Notes
    -----
    The percentile bootstrap of the binned error is no such interval: resampling adds the upward
    push of chance a second time, so for a calibrated model it never holds 0.

    References
    ----------
    Casella and Berger (2002), Statistical inference, section 9.2.1 (inverting a test).

    Examples
    --------
    >>> low, high = ece_interval([1, 0] * 500, [0.9, 0.1] * 500)
    >>> round(low, 3), round(high, 3)
    (0.096, 0.1)
    """
    _input.one_of(norm, ["l1", "l2"], "norm")
    _input.number_between(level, 0, 1, "level", open_ends=True)
    curve = reliability_curve(
        y_true,
        y_prob,
        n_bins=n_bins,
        strategy=strategy,
        target=target,
        sample_weight=sample_weight,
        from_logits=from_logits,
    )
    return _inverted(curve, norm, normal.isf((1 - level) / 2))


CLEARLY_OFF = 3.0  # standard errors; 2 let the coverage fall to .94 where one bin alone was off


def _inverted(curve: ReliabilityCurve, norm: Norm, z: float) -> tuple[float, float]:
    filled = curve.counts > 0
    share, gap, confidence = curve.shares[filled], curve.gaps[filled], curve.confidence[filled]
    n = curve.effective_counts[filled]
    error = np.sqrt(confidence * (1 - confidence) / n)
    ratio = np.divide(np.abs(gap), error, out=np.where(gap == 0, 0.0, np.inf), where=error > 0)
    clear = (ratio > CLEARLY_OFF) | (ratio == ratio.max())
    observed = curve.ece(norm)
    low = _candidate(observed, share, confidence, n, np.where(clear, gap, 0.0), norm, z)
    high = _candidate(observed, share, confidence, n, gap, norm, -z)
    return low, max(low, high)


def _candidate(
    observed: float, share: Floats, confidence: Floats, n: Floats, direction: Floats, norm: Norm, z: float
) -> float:
    """Error, with gaps along `direction`, under which the observed one is z standard deviations up."""
    if not direction.any():
        return 0.0

    def gaps_and_sd(scale: float | Floats) -> tuple[Floats, Floats]:
        accuracy = np.clip(confidence + np.multiply.outer(scale, direction), 0.0, 1.0)
        return accuracy - confidence, np.sqrt(accuracy * (1 - accuracy) / n)

    def excess(scale: float | Floats) -> Floats:
        gap, sd = gaps_and_sd(scale)
        if norm == "l1":
            mean, variance = _folded_normal(gap, sd)
        else:
            mean, variance = gap**2 + sd**2, 2 * sd**4 + 4 * gap**2 * sd**2
        surprise = (observed if norm == "l1" else observed**2) - mean @ share
        return np.asarray(surprise - z * np.sqrt(variance @ share**2))

    off = direction != 0
    room = np.where(direction > 0, 1 - confidence, confidence)
    largest = float((room[off] / np.abs(direction[off])).max())
    gap, _ = gaps_and_sd(_crossing(excess, largest, first=z > 0))
    return float(share @ np.abs(gap)) if norm == "l1" else float(np.sqrt(share @ gap**2))


def _crossing(excess: Callable[[float | Floats], Floats], largest: float, *, first: bool) -> float:
    """First or last scale in [0, largest] where `excess` turns negative.

    At `largest` every accuracy is 0 or 1 and the spread vanishes, so the search stops just before.
    """
    scales = np.linspace(0.0, largest * (1 - 1e-9), 65)
    positive = excess(scales) > 0
    if positive.all():
        return largest
    if not positive.any():
        return 0.0
    i = int((~positive).argmax()) if first else len(scales) - int(positive[::-1].argmax())
    if i == 0:
        return 0.0
    if i == len(scales):
        return largest
    return float(brentq(lambda scale: float(excess(scale)), scales[i - 1], scales[i], xtol=1e-12))


@dataclass(frozen=True, eq=False)
class CalibratedECE:
    """Calibration errors that chance alone gives: draws of the ECE of a calibrated model.

    Attributes
    ----------
    values : ndarray, shape (n_draws,)
        The drawn errors, in increasing order.
    """

    values: Floats

    @property
    def mean(self) -> float:
        """Mean ECE of a calibrated model at this n and these scores."""
        return float(self.values.mean())

    def quantile(self, q: float) -> float:
        """Quantile of the drawn errors, for q in [0, 1]."""
        return float(np.quantile(self.values, _input.number_between(q, 0, 1, "q")))

    def p_value(self, ece: float) -> float:
        """Share of draws at or above `ece`, the observed one counted in, so it is never 0."""
        _input.number_between(ece, 0, 1, "ece")
        return float((1 + (self.values >= ece).sum()) / (1 + len(self.values)))


def ece_under_calibration(
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target = None,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    norm: Norm = "l1",
    n_draws: int = 1000,
    random_state: int | np.random.Generator | None = None,
) -> CalibratedECE:
    """Distribution of the ECE if the model were calibrated, at this n and these scores.

    Keeps the scores and draws, again and again, whether the promised event happens, with the
    promised probability. What remains of the ECE is chance.

    Parameters
    ----------
    y_prob, n_bins, strategy, target, sample_weight, from_logits
        As for `reliability_curve`.
    norm : {"l1", "l2"}
        As for `expected_calibration_error`.
    n_draws : int
        Number of draws.
    random_state : int, Generator or None
        Seed of the draws.

    Returns
    -------
    CalibratedECE

    Raises
    ------
    ValueError, TypeError
        For input that is not as described; the message names the argument and the place.

    References
    ----------
    Bröcker and Smith (2007), Increasing the reliability of reliability diagrams; Vaicenavicius et
    al. (2019), Evaluating model calibration in classification, section 5 (consistency resampling).

    Examples
    --------
    >>> null = ece_under_calibration([0.1, 0.4, 0.6, 0.9] * 25, random_state=0)
    >>> round(null.mean, 2)
    0.06
    >>> null.p_value(0.3) < 0.01
    True
    """
    _input.one_of(norm, ["l1", "l2"], "norm")
    _input.positive_whole(n_bins, "n_bins")
    _input.one_of(strategy, ["uniform", "quantile"], "strategy")
    _input.positive_whole(n_draws, "n_draws")
    scores = promised(y_prob, target, from_logits=from_logits)
    weights = _input.weights(sample_weight, len(scores))
    curve = binned(scores, np.zeros(len(scores), dtype=bool), n_bins, strategy, weights)
    index = bin_index(scores, curve.edges, strategy)
    hits = _drawn_hits(scores, index, len(curve.counts), weights, n_draws, random_state)
    total = curve.weights * np.where(curve.weights > 0, curve.confidence, 0.0)
    gaps = np.divide(hits - total, curve.weights, out=np.zeros_like(hits), where=curve.weights > 0)
    errors = np.abs(gaps) @ curve.shares if norm == "l1" else np.sqrt(gaps**2 @ curve.shares)
    return CalibratedECE(np.sort(errors))


def _drawn_hits(
    scores: FloatArray,
    index: npt.NDArray[np.intp],
    n_bins: int,
    weights: Floats | None,
    n_draws: int,
    random_state: int | np.random.Generator | None,
) -> Floats:
    """Weighted hits a bin, shape (n_draws, M), if each event happens with its promised probability."""
    generator = np.random.default_rng(random_state)
    weight = np.ones(len(scores)) if weights is None else weights
    hits = np.empty((n_draws, n_bins))
    for draw in hits:
        happened = generator.random(len(scores)) < scores
        draw[:] = np.bincount(index, weight * happened, minlength=n_bins)
    return hits
