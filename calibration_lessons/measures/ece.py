"""Calibration errors, an honest interval, and what a calibrated model would get: each as one number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from .. import _input
from .._parameters import describe
from .._typing import Label, Names, Norm, Seed, Strategy, Target
from . import _class_wise
from ._forecast import Forecast, resolve_target
from ._groups import Groups, independent_draws
from .bins import bin_index
from .chance import ECENull, null_of_gaps
from .reliability import NO_WEIGHTS, ReliabilityCurve, curve_of

ROW_BY_ROW = 10_000  # rows at most of which each is drawn: a thousand times in a quarter of a second


@describe
def expected_calibration_error(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target | Literal["class-wise"] = None,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
    norm: Norm = "l1",
    debias: bool = False,
) -> float:
    """Measure the calibration error: of the positive class for a 1-D `y_prob`, of the top label for 2-D.

    The mean absolute gap between accuracy and confidence over the bins (equation ``eq-ece``):
    ``ECE = sum_m n_m/n |acc(B_m) - conf(B_m)|``

    Parameters
    ----------
    {y_true, y_prob, n_bins, strategy, target_or_classes, sample_weight, from_logits, labels, norm}
    debias : bool
        Subtract the part of the error that chance alone adds: for "l2" the variance of each bin's
        accuracy, for "l1" the excess of a folded normal mean. A negative result becomes 0.

    Returns
    -------
    float
        In [0, 1].

    {refused}
        Also for `debias` with weights.

    Warns
    -----
    UserWarning
        With `debias` and "l2", where a bin holds one row: its variance is unknown, and it is left out.

    References
    ----------
    Guo et al. (2017), On calibration of modern neural networks, section 2; Kumar et al. (2019),
    Verified uncertainty calibration, section 4 (debiasing). With ``norm="l2"`` the class-wise error is the
    mean of the classes' roots; their marginal calibration error is the root of the mean of the squares.

    Examples
    --------
    >>> y_true = [1, 1, 0, 1]
    >>> confidence = [0.9, 0.8, 0.8, 0.3]
    >>> round(expected_calibration_error(y_true, confidence, n_bins=5), 4)
    0.35
    """
    _input.one_of(norm, ["l1", "l2"], "norm")
    refuse_weights(debias, sample_weight)
    rows = _forecasts(y_true, y_prob, target, sample_weight, from_logits, (labels, pos_label))
    return float(np.mean([curve.ece(norm, debias=debias) for curve in _curves(rows, n_bins, strategy)]))


def _forecasts(
    y_true: Any,
    y_prob: Any,
    target: Target | Literal["class-wise"],
    sample_weight: Any,
    from_logits: bool,
    names: Names,
) -> Iterator[Forecast]:
    """Read the rows once for each target whose error is averaged, one after the other."""
    first = None if is_class_wise(target) else cast(Target, target)
    rows = Forecast.read(y_true, y_prob, first, sample_weight, from_logits=from_logits, names=names)
    for one in targets_of(target, rows.y_prob):
        yield replace(rows, target=resolve_target(one, rows.y_prob.ndim, rows.n_classes))


def targets_of(target: Target | Literal["class-wise"], y_prob: Any) -> list[Target]:
    """List the targets whose errors are averaged: each class for "class-wise", else the one given."""
    if is_class_wise(target):
        return list(range(_input.classes(y_prob, "y_prob")))
    return [cast(Target, target)]


def is_class_wise(target: object) -> bool:
    """Tell whether the errors of all classes are asked for."""
    return isinstance(target, str) and target == "class-wise"


def refuse_weights(debias: bool, sample_weight: object) -> None:
    """Refuse to debias with weights."""
    if debias and sample_weight is not None:
        raise _input.BadValue("debias", "= True", NO_WEIGHTS)


@describe
def maximum_calibration_error(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target = None,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    """Maximum calibration error: the largest gap over the bins that hold a row (equation ``eq-mce``).

    ``MCE = max_m |acc(B_m) - conf(B_m)|``

    Parameters
    ----------
    {y_true, y_prob, n_bins, strategy, target, sample_weight, from_logits, labels}

    Returns
    -------
    float
        In [0, 1].

    References
    ----------
    Naeini et al. (2015), Obtaining well calibrated probabilities using Bayesian binning, section 3.

    Examples
    --------
    >>> round(maximum_calibration_error([1, 1, 0, 1], [0.9, 0.8, 0.8, 0.3], n_bins=5), 4)
    0.7
    """
    forecast = Forecast.read(y_true, y_prob, target, sample_weight, from_logits, (labels, pos_label))
    return _curves([forecast], n_bins, strategy)[0].mce()


def _curves(rows: Iterable[Forecast], n_bins: int, strategy: Strategy) -> list[ReliabilityCurve]:
    """Return the curves; warn where bins outnumber the rows, of which there are more than bins by default."""
    curves = [curve_of(forecast, n_bins, strategy, variances=False) for forecast in rows]
    if n_bins > (n := curves[0].n) >= _input.MANY_VALUES:
        _input.warn(f"n_bins = {n_bins} for {n} rows: a row alone in a bin counts as a gap")
    return curves


@describe
def ece_interval(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target | Literal["class-wise"] = None,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
    norm: Norm = "l1",
    level: float = 0.95,
) -> tuple[float, float]:
    """Confidence interval for the binned calibration error, by inverting a test.

    The error is that of the source: of infinitely many rows like these, in these bins. A candidate is kept if
    the observed error is no more than t standard deviations from its mean, the chance in the labels and in
    the forecasts being allowed for. The page *How the interval was found and tried* has the algorithm, the
    reasons, and the sources on which it was tried.

    Parameters
    ----------
    {y_true, y_prob, n_bins, strategy, target_or_classes}
    {sample_weight}
        Each bin counts with its effective number of rows. Weights may depend on the label, too (label
        shift, a case-control sample, undersampled negatives).
    {groups}
        Not with "class-wise".
    {from_logits, labels, norm}
        "class-wise" has an interval for "l1" alone.
    {level}

    Returns
    -------
    low, high : float
        In [0, 1]; `low` is 0 where a calibrated model is no surprise, and one row leaves every error
        possible. The observed error, which chance pushes upwards, may lie above `high`, for which an
        observed error below the mean of a calibrated model counts as that mean: it can be small by luck.

    Notes
    -----
    The rows, or groups, are taken as independent of each other, and the edges as fixed. t is a quantile of
    Student's with one degree of freedom less than (effective) rows, or groups.

    How many times as much an event weighs as another row of its bin is taken from all bins together. With
    events weighted 0.1 to 100 times, and 300 or 3000 rows, the interval held the error in 96 to 100 % of
    samples, but in 79 % where hardly two events of weight 100 are expected: what was not seen has no weight.

    With ``groups=`` the errors of two rows of one group and bin have one correlation, estimated from all
    bins, and each bin counts with so many rows as its design effect leaves (Kish 1965). In samples of 20, 100
    and 400 groups from 16 sources the interval held the error in 95 to 100 %, without groups in 2 to 100 %
    (`tools/experiments/groups_coverage.csv`). Where the largest of 100 groups holds a ninth of the rows it
    held a large error in 93 %.

    The class-wise interval is exact for two classes, a little wide for more.

    References
    ----------
    Casella and Berger (2002), Statistical inference, section 9.2.1 (inverting a test); Kish (1965), Survey
    sampling, section 5.4 (design effect). For the squared error another interval is that of Sun et al.
    (2024), A confidence interval for the l2 expected calibration error.

    Examples
    --------
    >>> low, high = ece_interval([1, 0] * 500, [0.9, 0.1] * 500)
    >>> round(low, 3), round(high, 3)
    (0.095, 0.1)
    """
    _input.one_of(norm, ["l1", "l2"], "norm")
    _input.confidence(level)
    _input.same_rows(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight, groups=groups)
    rows = _forecasts(y_true, y_prob, target, sample_weight, from_logits, (labels, pos_label))
    if is_class_wise(target):
        if groups is not None:
            expected = "None with target 'class-wise' (a target with one error has an interval for groups)"
            raise _input.BadValue("groups", "is given", expected)
        return _class_wise.interval([curve_of(forecast, n_bins, strategy) for forecast in rows], level, norm)
    forecast = next(rows)
    curve = curve_of(forecast, n_bins, strategy)
    if groups is None:
        forecast.warn_of_copies()
        return curve.ece_interval(level, norm)
    return Groups(groups, forecast, curve).interval(norm, level)


@describe
def ece_under_calibration(
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target | Literal["class-wise"] = None,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    norm: Norm = "l1",
    n_draws: int = 1000,
    random_state: Seed = None,
) -> ECENull:
    """Distribution of the ECE if the model were calibrated, at this n and these scores.

    Keeps the scores and draws, again and again, whether each event happens, with its score as the
    probability; for "class-wise", which label comes. What remains of the ECE is chance. Of more than 10,000
    rows the hits of each bin are drawn together, as `ReliabilityCurve.under_calibration` does. Weights must
    not depend on the label here, since a score does not tell the weight of the other label: with weights by
    class take `calibration_report` or `calibration_test`, which know the labels.

    Parameters
    ----------
    {y_prob, n_bins, strategy, target_or_classes, sample_weight, from_logits, norm, n_draws, random_state}

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
    _input.same_rows(y_prob=y_prob, sample_weight=sample_weight)
    values = _input.real_array(y_prob, "y_prob", (1, 2))
    read = partial(Forecast.read, np.zeros(len(values)))
    if is_class_wise(target):
        forecast = read(values, None, sample_weight, from_logits)
        return _class_wise.null(forecast, n_bins, strategy, norm, n_draws, random_state)
    scores, _ = read(values, cast(Target, target), None, from_logits).whole()
    forecast = read(scores, "positive", sample_weight)
    return null_of(curve_of(forecast, n_bins, strategy), forecast, norm, n_draws, random_state)


def null_of(
    curve: ReliabilityCurve,
    forecast: Forecast,
    norm: Norm,
    n_draws: int,
    random_state: Seed,
    groups: Groups | None = None,
) -> ECENull:
    """Draw the errors that a calibrated model would get, row by row; of many rows, from their bins' sums.

    Sums are as good there: a bin that holds few of many rows weighs little. An event that is drawn where none
    came weighs as much more as events do, so that it is drawn as much more seldom. Rows in groups are drawn
    together, however many they are.
    """
    _input.positive_whole(n_draws, "n_draws")
    if groups is None and len(forecast.labels) > ROW_BY_ROW:
        return curve.under_calibration(norm, n_draws=n_draws, random_state=random_state)
    (scores, hits), generator, n_bins = forecast.whole(), _input.generator(random_state), len(curve.counts)
    weight, tilt = np.ones(len(scores)) if forecast.weights is None else forecast.weights, curve.tilt
    scores, hits, weight = scores[weight > 0], hits[weight > 0], weight[weight > 0]
    index, gaps = bin_index(scores, curve.edges, curve.strategy), np.empty((n_draws, n_bins))
    p, light = scores.astype(np.float64), weight / np.where(hits, tilt, 1.0)
    expected = np.bincount(index, light * p, minlength=n_bins)
    chance_of = p if tilt == 1 else p / (p + tilt * (1 - p))
    of_hit = light * (1 + (tilt - 1) * (1 - p))
    if groups is None:
        drawn = independent_draws(chance_of, n_draws, generator)
    else:
        drawn = groups.draws(chance_of, n_draws, generator)
    for draw, happened in zip(gaps, drawn, strict=True):
        draw[:] = np.bincount(index, of_hit * happened, minlength=n_bins) - expected
        if tilt != 1:
            draw *= weight.sum() / (light.sum() + (tilt - 1) * (light @ happened))
    return null_of_gaps(norm, curve.shares, gaps / np.where(curve.weights > 0, curve.weights, 1.0))
