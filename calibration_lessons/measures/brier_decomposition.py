"""What the Brier score is made of: reliability, resolution and uncertainty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _input, _results
from .._parameters import describe
from .._typing import FloatArray, Floats, Label
from .bins import effective_rows, uniform_bins


@_results.shown_rounded
class BrierDecomposition(NamedTuple):
    """Parts of the Brier score: ``score == reliability - resolution + uncertainty + within_bin``.

    Attributes
    ----------
    reliability : float
        Mean squared distance between forecast and observed frequency; small is good.
    resolution : float
        Mean squared distance between observed frequency and base rate; large is good.
    uncertainty : float
        Score of the forecaster who always says the base rate; no forecaster can change it.
    within_bin : float
        What the bins hide; 0 where the forecasts in a group are equal, and of either sign.
    reliability_corrected : float
        Reliability less what chance alone adds to it; may be negative.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_bin: float
    reliability_corrected: float

    @property
    def score(self) -> float:
        """The Brier score, put together from its parts."""
        return self.reliability - self.resolution + self.uncertainty + self.within_bin


@describe
def brier_decomposition(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int | None = None,
    sample_weight: npt.ArrayLike | None = None,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
) -> BrierDecomposition:
    """Split the Brier score into reliability, resolution, uncertainty, and what the bins hide.

    ``BS = sum_f n_f/n (f - ō_f)^2 - sum_f n_f/n (ō_f - ō)^2 + ō (1 - ō)`` (equation
    ``eq-brier-decomposition``), to which bins add a term (equation ``eq-brier-within-bin``).

    Parameters
    ----------
    {y_true}
    y_prob : array_like, shape (n,) or (n, K)
        Probability of the positive class, or of each class. With (n, K) each class is split by
        itself, against the rest, and the parts are summed.
    n_bins : int or None
        None groups the rows by the value of their forecast. A number M groups them into M
        right-closed bins of equal width; a group's forecast is then its mean.
    {sample_weight, labels}

    Returns
    -------
    BrierDecomposition
        Its parts add up to `brier_score` of the same arguments.

    Warns
    -----
    UserWarning
        Where ``n_bins=None`` leaves fewer than two rows a group on average: where every forecast is
        distinct, reliability is the score itself and resolution the uncertainty.

    Notes
    -----
    The observed frequency of a group of n rows strays from its expectation, and reliability counts the square
    of that. The correction subtracts the unbiased estimate o (1 - o) / (n - 1) of this square (equation
    ``eq-brier-corrected``), with Kish's effective n where there are weights: a table of counts must be
    repeated into rows, not weighted. A group of one row tells nothing about its square and stays uncorrected.

    References
    ----------
    Murphy (1973), A new vector partition of the probability score; Stephenson, Coelho and Jolliffe
    (2008), Two extra components in the Brier score decomposition (the term within the bins); Ferro
    and Fricker (2012), A bias-corrected decomposition of the Brier score, section 3.

    Examples
    --------
    >>> parts = brier_decomposition([0, 0, 1, 1, 1, 0], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8])
    >>> round(parts.reliability, 4), round(parts.resolution, 4), parts.uncertainty, parts.within_bin
    (0.0178, 0.0278, 0.25, 0.0)
    >>> round(parts.score, 4)
    0.24
    """
    if n_bins is not None:
        _input.positive_whole(n_bins, "n_bins")
    rows = _input.forecast(y_true, y_prob, sample_weight, names=(labels, pos_label))
    _input.check_probabilities(rows.y_prob, "y_prob")
    forecasts, labels, weight = rows.counted()
    columns = [(forecasts, 1)] if forecasts.ndim == 1 else [(c, k) for k, c in enumerate(forecasts.T)]
    parts = [_split(column, labels == k, weight, n_bins) for column, k in columns]
    return BrierDecomposition(*(float(total) for total in np.sum(parts, axis=0)))


def _split(
    forecast: FloatArray, happened: npt.NDArray[np.bool_], weight: Floats, n_bins: int | None
) -> tuple[float, ...]:
    """Parts of the score of one class, in the order of `BrierDecomposition`."""
    group, n_groups = _groups(forecast, n_bins)
    total, squares, expected, hits = (
        np.bincount(group, values, minlength=n_groups)
        for values in (weight, weight**2, weight * forecast, weight * happened)
    )
    filled = total > 0
    total, squares = total[filled], squares[filled]
    share = total / weight.sum()
    rows = effective_rows(total, squares)
    f, o = expected[filled] / total, hits[filled] / total
    base_rate = float(share @ o)
    reliability = float(share @ (f - o) ** 2)
    chance = np.divide(o * (1 - o), rows - 1, out=np.zeros_like(o), where=rows > 1)
    within = 0.0
    if n_bins is not None:
        position = np.cumsum(filled)[group] - 1
        strays, surprises = forecast - f[position], happened - o[position]
        within = float(weight @ (strays * (strays - 2 * surprises))) / float(weight.sum())
    resolution = float(share @ (o - base_rate) ** 2)
    return reliability, resolution, base_rate * (1 - base_rate), within, reliability - float(share @ chance)


def _groups(forecast: FloatArray, n_bins: int | None) -> tuple[npt.NDArray[np.intp], int]:
    """Return the number of each row's group, and how many groups there are."""
    if n_bins is not None:
        return uniform_bins(forecast, n_bins), n_bins
    distinct, group = np.unique(forecast, return_inverse=True)
    if 2 * len(distinct) > len(forecast):
        _input.warn(
            f"y_prob has {len(distinct)} distinct values in {len(forecast)} rows: the observed frequency of "
            f"a group is mostly chance, so reliability and resolution come out too large (set n_bins)"
        )
    return group, len(distinct)
