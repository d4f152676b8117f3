"""The class-wise error as a whole: an interval for it, and what chance gives it.

Every row counts in each class, so the classes' errors are not independent. If a label is drawn with the
probabilities p, the covariance of the K events is C = diag(p) - p p'. For every x

    x' C x = 1/2 sum_ij p_i p_j (x_i - x_j)^2 <= 2 sum_i p_i (1 - p_i) x_i^2,

at most twice what independent events give. By the product theorem of Schur the same holds for the sum of any
functions of jointly normal gaps, such as their sizes: its variance is at most twice the one with independent
gaps, and for two classes, whose gaps mirror each other, exactly twice.
"""

from dataclasses import replace

import numpy as np

from .. import _input
from .._typing import Norm, Seed, Strategy
from . import chance
from ._forecast import Forecast
from .bins import bin_index, edges_of
from .reliability import ReliabilityCurve

DEPENDENCE = chance.Dependence(lambda _: 2.0)  # largest ratio of the variance to that of independent classes


def interval(curves: list[ReliabilityCurve], level: float, norm: Norm) -> tuple[float, float]:
    """Return both ends of an interval for the mean of the classes' errors, from the curve of each class."""
    if norm != "l1":
        expected = "'l1' (a mean of roots has no such interval)"
        raise _input.BadValue("norm", f"= {norm!r} with target 'class-wise'", expected)
    return chance.interval(norm, level, [curve.filled() for curve in curves], DEPENDENCE)


def null(
    forecast: Forecast, n_bins: int, strategy: Strategy, norm: Norm, n_draws: int, random_state: Seed
) -> chance.ECENull:
    """Draw labels with the forecast's probabilities, again and again; collect the class-wise errors."""
    classes, weights = range(forecast.n_classes), forecast.weights
    scores = np.column_stack([replace(forecast, target=k).whole()[0] for k in classes])
    weight = np.ones(len(scores)) if weights is None else weights
    cells, starts = np.empty(scores.shape, dtype=np.intp), [0]
    for k, column in enumerate(scores.T):
        edges = edges_of(column, n_bins, strategy, weights)
        cells[:, k] = starts[-1] + bin_index(column, edges, strategy)
        starts.append(starts[-1] + len(edges) - 1)
    total, expected = (
        np.bincount(cells.ravel(), np.broadcast_to(values, scores.shape).ravel(), minlength=starts[-1])
        for values in (weight[:, None], weight[:, None] * scores)
    )
    generator, rows, errors = _input.generator(random_state), np.arange(len(scores)), np.empty(n_draws)
    up_to, share = np.cumsum(scores, axis=1, dtype=np.float64)[:, :-1], total / weight.sum()
    for i in range(n_draws):
        labels = (up_to <= generator.random((len(rows), 1))).sum(axis=1)
        off = np.bincount(cells[rows, labels], weight, minlength=starts[-1]) - expected
        gaps = np.divide(off, total, out=np.zeros_like(off), where=total > 0)
        parts = np.add.reduceat(share * (np.abs(gaps) if norm == "l1" else gaps**2), starts[:-1])
        errors[i] = np.mean(parts if norm == "l1" else np.sqrt(parts))
    return chance.ECENull(np.sort(errors))
