"""Tests of calibration, which ask whether the labels could have been drawn from the forecasts.

Each test reduces labels and forecasts to one statistic, and says how often chance makes it as large where
every label is drawn with its forecast probability. Two of them know that distribution; for the others it is
drawn, which keeps the level at every number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.fft import dct, idct
from scipy.optimize import brentq
from scipy.spatial.distance import pdist, squareform
from scipy.stats import chi2
from scipy.stats import norm as normal

from .. import _input, _results
from .._parameters import describe
from .._typing import FloatArray, Floats, Label, Seed, Strategy, Target
from ..numerics import softmax
from . import chance
from ._forecast import Forecast, event_name
from ._groups import Groups
from .bins import bin_edges
from .ece import null_of
from .reliability import ReliabilityCurve, curve_of

Method = Literal[
    "ece", "t-cal", "kernel", "kolmogorov-smirnov", "smooth-ece", "spiegelhalter", "hosmer-lemeshow"
]
BINS = {"ece": 15, "hosmer-lemeshow": 10}
CERTAIN = 1e-12  # variance of an event that is as good as certain
ROUNDING = 1e-12  # of the sum of two probabilities
RESIDUALS_AT_ONCE = 2**22  # in memory, of many draws
KERNEL_ROWS = 5000  # at most: the kernel of all pairs takes 200 MB then
CELLS, COSINES = 2048, 1024  # of the grid of residuals, and left of them by any width above 0.002

Residuals = Floats  # label minus forecast: shape (n, draws), or (n, K, draws) for all classes
Measure = Callable[[Residuals], Floats]  # of each draw


@_results.shown_rounded
@dataclass(frozen=True)
class CalibrationTest:
    """What a test of calibration found.

    Attributes
    ----------
    method : str
        The test.
    event : str
        Whose probability is tested: "top label", "positive class", "class k", or "all classes".
    statistic : float
        What the test measures, as `calibration_test` says for each method.
    p_value : float
        Probability that a calibrated model gets a statistic as extreme.
    n : int
        Rows of positive weight.
    """

    method: Method
    event: str
    statistic: float
    p_value: float
    n: int


@describe
def calibration_test(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    method: Method = "ece",
    target: Target = None,
    n_bins: int | None = None,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
    n_draws: int = 1000,
    random_state: Seed = None,
) -> CalibrationTest:
    """Test whether the labels could have been drawn from the forecasts.

    The rows must be held out: on rows that the model was fitted to, no level holds.

    Parameters
    ----------
    {y_true, y_prob}
    method : str
        "ece": the expected calibration error, against its draws, as in `calibration_report`, also of groups.
        "t-cal": the debiased squared error in 1, 2, 4, ... bins of equal width, in standard deviations, at
        its largest (``eq-t-cal``). "kernel": the squared kernel calibration error of all classes at once
        (``eq-skce``), at most 5000 rows. "kolmogorov-smirnov": the largest cumulative difference between
        labels and forecasts (``eq-cumulative``). "smooth-ece": the calibration error smoothed as widely
        as it is large (``eq-smooth-ece``). "spiegelhalter": the Brier score minus its expectation, in
        standard deviations (``eq-spiegelhalter``). "hosmer-lemeshow": the squared gaps in bins of equal
        mass, over their variances (``eq-hosmer-lemeshow``).
    {target}
        None for "kernel".
    n_bins : int, optional
        Number of bins of "ece" (15) and "hosmer-lemeshow" (10); the other methods have none to choose.
    sample_weight : array_like, shape (n,), optional
        Importance weights, non-negative, for "ece" alone: each row counts so much, in the data and in the
        draws. Where events weigh more (label shift, a case-control sample), a drawn event does, too, and
        comes more seldom.
    {groups}
        For "ece" alone.
    {from_logits, labels}
    n_draws : int
        Draws behind the p-value, which is at least 1 / (n_draws + 1). "spiegelhalter" takes the normal and
        "hosmer-lemeshow" the chi-squared distribution, with one degree of freedom per bin, instead.
    {random_state}

    {refused}
        Also where fewer than two rows have an uncertain forecast.

    Notes
    -----
    The statistics of "t-cal" and "kernel" may be negative: both estimate a square without bias. The time of
    "kernel" grows with the square of the rows, of many classes also with their number and that of the draws:
    5000 rows of ten take about fifteen seconds. "kolmogorov-smirnov" sums from the smallest forecast; for the
    forecasts of the opposite event it may differ. Where bins expect few events or few others (rare events,
    sure forecasts, few rows), "hosmer-lemeshow" refutes up to 32 % of calibrated ones at 5 %: chi-squared
    is a limit for many of both in each bin. With ten rows and rare events "spiegelhalter" refutes 14 %.

    With events weighted 0.1 to 30 times and 500 rows "ece" refutes 3 to 8 % of calibrated forecasts at 5 %,
    6 to 11 % with 100 rows and events weighted 10 times. Where weights scatter besides, few heavy rows may
    decide: up to 16 % with log-normal ones (standard deviation 1).

    References
    ----------
    Vaicenavicius et al. (2019), section 5 ("ece"); Lee, Huang, Hassani and Dobriban (2023), T-Cal: An optimal
    test for the calibration of predictive models; Widmann, Lindsten and Zachariah (2019), Calibration tests
    in multi-class classification; Gupta et al. (2021), Calibration of neural networks using splines;
    Arrieta-Ibarra et al. (2022), Metrics of calibration for probabilistic predictions; Błasiok and Nakkiran
    (2024), Smooth ECE; Spiegelhalter (1986), Probabilistic prediction in patient management and clinical
    trials; Hosmer and Lemeshow (1980), Goodness of fit tests for the multiple logistic regression model.

    Examples
    --------
    >>> y_true, y_prob = [1, 0, 1, 1, 0] * 40, [0.9, 0.2, 0.6, 0.8, 0.4] * 40
    >>> calibration_test(y_true, y_prob, method="spiegelhalter").p_value < 1e-6
    True
    >>> calibration_test(y_true, y_prob, method="t-cal", random_state=0).p_value < 0.001
    True
    """
    _input.one_of(method, get_args(Method), "method")
    _input.positive_whole(n_draws, "n_draws")
    if n_bins is not None and method not in BINS:
        raise _input.BadValue("n_bins", f"= {n_bins!r}", f"None: {method!r} has no bins to choose")
    for name, given in {"sample_weight": sample_weight, "groups": groups}.items():
        if given is not None and method != "ece":
            raise _input.BadValue(name, f"is given with method {method!r}", "None, or the method 'ece'")
    generator = _input.generator(random_state)
    _input.same_rows(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight, groups=groups)
    forecast = Forecast.read(y_true, y_prob, target, sample_weight, from_logits, (labels, pos_label))
    scores, hits = forecast.whole()
    if groups is None:
        forecast.warn_of_copies()
    event, p, happened = event_name(forecast.target), scores.astype(np.float64), hits.astype(np.float64)
    if method == "kernel":
        if target is not None:
            raise _input.BadValue("target", f"= {target!r}", "None: 'kernel' is of all classes at once")
        event, p = "all classes", _all_classes(forecast.y_prob, from_logits)
        happened = np.eye(p.shape[1])[forecast.labels]
    if forecast.weights is not None:
        p, happened = p[forecast.weights > 0], happened[forecast.weights > 0]
    spread = p * (1 - p)
    uncertain = np.count_nonzero((spread if p.ndim == 1 else spread.max(axis=1)) > CERTAIN)
    if uncertain < 2:
        found = f"is 0 or 1 in {len(p) - uncertain} of {len(p)} rows"
        raise _input.BadValue("y_prob", found, "two uncertain forecasts at least, to test their calibration")
    if method in BINS:
        strategy: Strategy = "uniform" if method == "ece" else "quantile"
        curve = curve_of(forecast, BINS[method] if n_bins is None else n_bins, strategy)
    if method == "ece":
        statistic = curve.ece()
        of_groups = None if groups is None else Groups(groups, forecast, curve)
        p_value = null_of(curve, forecast, "l1", n_draws, generator, of_groups).p_value(statistic)
    elif method == "hosmer-lemeshow":
        statistic, p_value = _hosmer_lemeshow(curve)
    elif method == "spiegelhalter":
        statistic, p_value = _spiegelhalter(p, happened)
    else:
        residuals = (happened - p)[..., None]
        measure = _smooth(p, residuals) if method == "smooth-ece" else MEASURES[method](p)
        statistic = float(measure(residuals)[0])
        p_value = chance.share_at_or_above(_drawn(measure, p, n_draws, generator), statistic)
    return CalibrationTest(method, event, statistic, p_value, len(p))


def _all_classes(values: FloatArray, from_logits: bool) -> Floats:
    """Return the probability of each class, shape (n, K)."""
    exact = values.astype(np.float64)
    if exact.ndim == 1:
        exact = np.column_stack([np.zeros(len(exact)) if from_logits else 1 - exact, exact])
    return softmax(exact) if from_logits else exact


def _spiegelhalter(p: Floats, happened: Floats) -> tuple[float, float]:
    lean = 1 - 2 * p
    variance = float((lean**2 * p * (1 - p)).sum())
    if variance == 0:
        found, expected = "is 0, 0.5 or 1 in every row", "another forecast: the test sees none of these"
        raise _input.BadValue("y_prob", found, expected)
    z = float(((happened - p) * lean).sum() / np.sqrt(variance))
    return z, float(2 * normal.sf(abs(z)))


def _hosmer_lemeshow(curve: ReliabilityCurve) -> tuple[float, float]:
    filled = curve.counts > 0
    gap, mean = curve.gaps[filled], curve.confidence[filled]
    variance = np.clip(mean * (1 - mean), 0, None) / curve.counts[filled]
    missed = np.where(gap == 0, 0.0, np.inf)  # where the forecasts of a bin are certain
    squares = np.divide(gap**2, variance, out=missed, where=variance > 0)
    return float(squares.sum()), float(chi2.sf(squares.sum(), np.count_nonzero(variance)))


def _drawn(measure: Measure, p: Floats, n_draws: int, generator: np.random.Generator) -> Floats:
    """Measure labels that are drawn from the forecasts."""
    at_once = max(1, RESIDUALS_AT_ONCE // p.size)
    sizes = [min(at_once, n_draws - start) for start in range(0, n_draws, at_once)]
    return np.concatenate([measure(_labels(p, size, generator) - p[..., None]) for size in sizes])


def _labels(p: Floats, n_draws: int, generator: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Draw whether each event happens, or which class is the label."""
    uniform = generator.random((len(p), n_draws))
    if p.ndim == 1:
        return uniform < p[:, None]
    drawn = (uniform[:, None] >= np.cumsum(p, axis=1)[:, :-1, None]).sum(axis=1, keepdims=True)
    return np.asarray(drawn == np.arange(p.shape[1])[:, None])


def _cumulative(p: Floats) -> Measure:
    order = np.argsort(p)
    last = np.append(np.diff(p[order]) > 0, True)  # of the rows with equal forecasts

    def largest(residuals: Residuals) -> Floats:
        return np.asarray(np.abs(np.cumsum(residuals[order], axis=0)[last]).max(axis=0) / len(p))

    return largest


def _t_cal(p: Floats) -> Measure:
    n, order = len(p), np.argsort(p)
    spread = (p * (1 - p))[order, None]
    bins = []
    for scale in range(int(np.log2(n)) + 1):
        starts = np.unique(np.append(0, np.searchsorted(p[order], bin_edges(2**scale)[1:-1], side="right")))
        starts = starts[starts < n]
        rows = np.diff(starts, append=n)[:, None]
        variance = float((2 * _pairs(spread, starts) / rows**2).sum()) / n**2
        if variance > 0:
            bins.append((starts, rows, np.sqrt(variance)))

    def largest(residuals: Residuals) -> Floats:
        ranked = residuals[order]
        scales = [(_pairs(ranked, starts) / rows).sum(axis=0) / (n * sd) for starts, rows, sd in bins]
        return np.asarray(np.max(scales, axis=0))

    return largest


def _pairs(values: Floats, starts: npt.NDArray[np.intp]) -> Floats:
    """Sum the products of all ordered pairs of different rows of each bin."""
    return np.asarray(np.add.reduceat(values, starts) ** 2 - np.add.reduceat(values**2, starts))


def _kernel(p: Floats) -> Measure:
    n = len(p)
    if n > KERNEL_ROWS:
        expected = f"at most {KERNEL_ROWS}, because 'kernel' compares all pairs (draw so many at random)"
        raise _input.BadValue("y_prob", f"has {n} rows", expected)
    distance = pdist(p)
    apart = distance[distance > 0]
    width = float(np.median(apart)) if apart.size else 1.0
    away = np.sqrt(2) / width * (p[:, 1] - 0.5)
    if p.shape[1] == 2 and np.abs(away).max() < 600 and np.abs(p.sum(axis=1) - 1).max() < ROUNDING:
        return _kernel_of_two(np.argsort(away), np.exp(np.sort(away))[:, None])
    gram = squareform(np.exp(-distance / width))

    def mean_of_pairs(residuals: Residuals) -> Floats:
        flat = residuals.reshape(n, -1)
        return np.asarray(((gram @ flat) * flat).reshape(residuals.shape).sum(axis=(0, 1)) / (n * (n - 1)))

    return mean_of_pairs


def _kernel_of_two(order: npt.NDArray[np.intp], rise: Floats) -> Measure:
    """Sum over pairs along the sorted forecasts: on a line exp(-distance) is a quotient of exponentials."""
    n = len(order)

    def mean_of_pairs(residuals: Residuals) -> Floats:
        event = residuals[order, 1]  # those of the other class are its negatives
        before = np.cumsum(rise * event, axis=0)[:-1]
        return np.asarray(4 * (event[1:] / rise[1:] * before).sum(axis=0) / (n * (n - 1)))

    return mean_of_pairs


def _smooth(p: Floats, residuals: Residuals) -> Measure:
    """Smooth as widely as the smoothed error of these residuals is large.

    The error falls as the width grows, so that draws with a larger smooth ECE are those with a larger error
    at the width of the data. A reflected Gaussian kernel multiplies the k-th cosine by a number; a forecast
    is shared between the two cells of the grid next to it.
    """
    place = np.clip(p * CELLS - 0.5, 0, CELLS - 1)
    low = place.astype(np.intp)
    part = place - low
    cells = np.concatenate([low, np.minimum(low + 1, CELLS - 1)])
    shares = np.concatenate([1 - part, part]) / len(p)
    spread = sparse.csr_array((shares, (cells, np.tile(np.arange(len(p)), 2))), shape=(CELLS, len(p)))
    frequency = np.pi * np.arange(COSINES)[:, None]

    def waves(residuals: Residuals) -> Floats:
        return np.asarray(dct(np.asarray(spread @ residuals), axis=0)[:COSINES])

    def error(waves: Floats, width: float) -> Floats:
        smoothed = idct(waves * np.exp(-((frequency * width) ** 2) / 2), axis=0)
        return np.asarray(np.abs(smoothed).sum(axis=0))

    observed = waves(residuals)
    width = float(brentq(lambda at: float(error(observed, at)[0]) - at, 0, 1, xtol=1e-12))
    return lambda residuals: error(waves(residuals), width)


MEASURES: dict[str, Callable[[Floats], Measure]] = {
    "t-cal": _t_cal,
    "kernel": _kernel,
    "kolmogorov-smirnov": _cumulative,
}
