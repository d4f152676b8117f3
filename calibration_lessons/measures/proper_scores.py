"""Proper scores: the Brier score and the negative log-likelihood."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_softmax, softmax

from .. import _input
from .._blocks import chosen_class, row_blocks, row_squares
from .._parameters import describe
from .._typing import Floats, IntArray, Label

Sums = tuple[float, float]


@describe
def brier_score(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    """Brier score: of the positive class for a 1-D `y_prob`, the sum over the classes for a 2-D one.

    ``BS = 1/n sum_i (p_i - y_i)^2`` (equation ``eq-brier-binary``), or with K columns
    ``BS = 1/n sum_i sum_k (p_ik - y_ik)^2`` (equation ``eq-brier``), for two of them twice the former.

    Parameters
    ----------
    {y_true, y_prob, sample_weight, from_logits, labels}

    Returns
    -------
    float
        For (n,) the mean of (p - o)^2, in [0, 1]. For (n, K) the mean over the rows of the sum over
        the classes, in [0, 2]: for K = 2 twice the 1-D value.

    Notes
    -----
    Other libraries halve the sum, or take the mean over the classes. `sklearn.metrics.brier_score_loss`
    halves it for K = 2 only (``scale_by_half="auto"``).

    References
    ----------
    Brier (1950), Verification of forecasts expressed in terms of probability.

    Examples
    --------
    >>> brier_score([1, 0], [0.5, 0.5])
    0.25
    >>> brier_score([1, 0], [[0.5, 0.5], [0.5, 0.5]])
    0.5
    """
    rows = _input.forecast(y_true, y_prob, sample_weight, names=(labels, pos_label), from_logits=from_logits)
    return mean_over_rows(brier_sums(rows, from_logits=from_logits))


@describe
def negative_log_likelihood(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    """Mean negative log-likelihood of the labels, in nats (equation ``eq-nll``).

    ``NLL = - 1/n sum_i log p_(i y_i)``

    Parameters
    ----------
    {y_true, y_prob, sample_weight, from_logits, labels}

    Returns
    -------
    float
        At least 0; ``inf`` where a true class has probability 0. Nothing is clipped.

    Notes
    -----
    `sklearn.metrics.log_loss` clips probabilities by one unit of rounding, so its value stays finite.

    References
    ----------
    Good (1952), Rational decisions, section 8.

    Examples
    --------
    >>> round(negative_log_likelihood([1, 0], [0.5, 0.5]), 4)
    0.6931
    >>> negative_log_likelihood([1, 0], [0.0, 0.5])
    inf
    """
    rows = _input.forecast(y_true, y_prob, sample_weight, names=(labels, pos_label), from_logits=from_logits)
    return mean_over_rows(nll_sums(rows, from_logits=from_logits))


def mean_over_rows(sums: Sums) -> float:
    """Divide the sum of the losses by the sum of the weights."""
    total, weight = sums
    _input.some_weight(weight)
    return total / weight


def brier_sums(rows: _input.Rows, *, from_logits: bool) -> Sums:
    """Return the sums behind the Brier score, of all rows or of a part."""
    return _sums_over_rows(rows, _brier_rows_of_logits if from_logits else _brier_rows, from_logits)


def nll_sums(rows: _input.Rows, *, from_logits: bool) -> Sums:
    """Return the sums behind the negative log-likelihood, of all rows or of a part."""
    return _sums_over_rows(rows, _nll_rows_of_logits if from_logits else _nll_rows, from_logits)


def _sums_over_rows(
    forecast: _input.Rows, loss: Callable[[Floats, IntArray], Floats], from_logits: bool
) -> Sums:
    """Weighted sum of a loss per row, block by block in float64, and the sum of the weights."""
    values, weights, total = forecast.y_prob, forecast.weights, 0.0
    for rows in row_blocks(values):
        _input.check_forecast(values[rows], rows.start, from_logits=from_logits)
        losses = loss(values[rows].astype(np.float64, copy=False), forecast.labels[rows])
        if weights is None:
            total += float(losses.sum())
        else:
            counted = weights[rows] > 0
            total += float(weights[rows][counted] @ losses[counted])
    return total, len(values) if weights is None else float(weights.sum())


def _brier_rows(block: Floats, labels: IntArray) -> Floats:
    if block.ndim == 1:
        return np.asarray((block - labels) ** 2)
    return np.asarray(row_squares(block) - 2 * chosen_class(block, 1, labels) + 1)


def _brier_rows_of_logits(block: Floats, labels: IntArray) -> Floats:
    return _brier_rows(np.asarray(expit(block) if block.ndim == 1 else softmax(block, axis=1)), labels)


def _nll_rows(block: Floats, labels: IntArray) -> Floats:
    with np.errstate(divide="ignore"):
        if block.ndim == 1:
            return -np.where(labels == 1, np.log(block), np.log1p(-block))
        return np.asarray(-np.log(chosen_class(block, 1, labels)) + 0.0)


def _nll_rows_of_logits(block: Floats, labels: IntArray) -> Floats:
    if block.ndim == 1:
        return np.asarray(np.logaddexp(0.0, np.where(labels == 1, -block, block)))
    return np.asarray(-chosen_class(log_softmax(block, axis=1), 1, labels))
