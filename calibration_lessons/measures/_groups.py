"""Groups of rows that err alike: how far they hang together, and what that does to a calibration error.

The errors of two rows of one group that lie in one bin are taken to have the same correlation r in all bins.
The variance of a bin's accuracy is then 1 + r (sum_j w_j^2 / sum_i w_i^2 - 1) times that of independent rows,
where w_j is what a group weighs in the bin and w_i what a row weighs: its design effect (Kish 1965).
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import ndtr, ndtri

from .. import _input
from .._typing import Floats, IntArray, Norm
from . import chance
from ._forecast import Forecast
from .bins import bin_index, effective_rows
from .reliability import ReliabilityCurve

LEAST_GROUPS = 5
LATENT = np.linspace(0.0, 1.0, 41)  # correlations of the normal numbers behind drawn labels
UNKNOWN = 2.0  # degrees of freedom more in which all rows of a group err alike
TINY = 1e-12

Happened = npt.NDArray[np.bool_]  # of each row, in a draw


def group_numbers(groups: npt.ArrayLike, counts: npt.NDArray[np.bool_]) -> IntArray:
    """Return the number of the group of each row that counts: 0, 1, 2, ..."""
    group = _input.class_labels(groups, "groups")
    _input.same_length(groups=group, y_true=counts)
    number = np.unique(group[counts], return_inverse=True)[1]
    if (many := int(number.max()) + 1) < LEAST_GROUPS:
        expected = f"at least {LEAST_GROUPS}, to see how they differ"
        raise _input.BadValue("groups", f"holds {many} that count", expected)
    return number


def independent_draws(p: Floats, n_draws: int, generator: np.random.Generator) -> Iterator[Happened]:
    """Draw whether each event happens, each row by itself, again and again."""
    for _ in range(n_draws):
        yield generator.random(len(p)) < p


class Groups:
    """The groups of a forecast's rows, and what they do to the error of its curve.

    There are `n`; the errors of two rows of one group and bin have a `correlation` in [0, 1], whose design
    effects leave `bins` their effective rows.
    """

    def __init__(self, groups: npt.ArrayLike, forecast: Forecast, curve: ReliabilityCurve) -> None:
        (scores, hits), weight = forecast.whole(), forecast.weights
        weight = np.ones(len(hits)) if weight is None else weight / weight.mean()
        counts = weight > 0
        scores, hits, weight = scores[counts], hits[counts], weight[counts]
        bins, bin_of_filled = curve.filled(), np.cumsum(curve.counts > 0) - 1
        self._bin = bin_of_filled[bin_index(scores, curve.edges, curve.strategy)]
        self._scores, self._weight, self._group = scores, weight, group_numbers(groups, counts)
        self.n = int(self._group.max()) + 1

        # A cell holds the rows of one group in one bin: what they weigh, and what they are off together.
        cells, cell = np.unique(self._group * len(bins.gap) + self._bin, return_inverse=True)
        self._off = off = weight * (hits - scores - bins.gap[self._bin])
        off_of_cells, mass = np.bincount(cell, off), np.bincount(cell, weight)
        squares = np.bincount(self._bin, weight**2)
        squares_of_cells = np.bincount(cells % len(bins.gap), mass**2)
        excess = squares_of_cells / squares - 1

        # Rows and groups scatter less around their bin's gap than around the true one: they draw it to them.
        # What too few groups share a bin to tell is taken for the worst: that all rows of a group err alike.
        missed = np.bincount(self._bin, off**2)
        free = 1 - squares_of_cells / np.bincount(self._bin, weight) ** 2
        alone = free * missed * bins.n / np.maximum(bins.n - 1, TINY)
        more, most = float(off_of_cells @ off_of_cells - alone.sum()), float(alone @ excess)
        known = most > TINY * missed.sum()  # unless no two groups share a bin
        found = min(max(more / most, 0.0), 1.0) if known else 1.0
        degrees = float((1 / np.maximum(1 - free, TINY) - 1).sum())
        self.correlation = (degrees * found + UNKNOWN) / (degrees + UNKNOWN)
        effect = 1 + self.correlation * excess
        self.bins = bins._replace(n=bins.n / effect)
        self._expected = missed * effect
        self._pairs = bins.confidence * (1 - bins.confidence) * excess * squares

        of_groups = np.bincount(self._group, weight)
        self._many = float(effective_rows(of_groups.sum(), of_groups @ of_groups))
        self._rows = float(effective_rows(weight.sum(), weight @ weight))
        self._excess = self._rows / self._many - 1
        free_rows = (self._rows - 1 - self.correlation * self._excess) / self._rows
        self._correction = self._many / max(self._many - 1, TINY) * free_rows

    def interval(self, norm: Norm, level: float) -> chance.Interval:
        """Return both ends of an interval for the error, as `ece_interval` says."""
        share, gap, confidence, *_ = self.bins
        size, slope = (np.abs(gap), np.sign(gap)) if norm == "l1" else (gap**2, 2 * gap)
        of_bin = self._weight * (size - share @ size)[self._bin]
        far = of_bin + self._weight * slope[self._bin] * (confidence[self._bin] - self._scores)
        off, apart, of_bins = (
            np.bincount(self._group, of_rows) for of_rows in (slope[self._bin] * self._off, far, of_bin)
        )
        together = float(off @ of_bins - (slope[self._bin] * self._off) @ of_bin)
        common = 2 * max(0.0, together)  # where labels and forecasts of a group go the same way
        found, alone = self._correction * (float(apart @ apart) + common), float(far @ far)
        forecasts = self._rows / (max(1.0, found / alone) if alone > 0 else 1.0)
        dependence = chance.Dependence(self._along, self._many, forecasts)
        return chance.interval(norm, level, [self.bins], dependence)

    def _along(self, slopes: Floats) -> float:
        """Return by what the error's variance exceeds that of independent bins; at least 1."""
        off = np.bincount(self._group, slopes[self._bin] * self._off)
        expected = float(slopes**2 @ self._expected)
        return max(1.0, self._correction * float(off @ off) / expected) if expected > 0 else 1.0

    def draws(self, p: Floats, n_draws: int, generator: np.random.Generator) -> Iterator[Happened]:
        """Draw whether each event happens, the rows of a group together, again and again.

        Behind each label stands a normal number, of which a part is the group's: the labels of a bin then
        have the correlation that was found, or rather one that differs from it in each draw as much as that
        of so many groups may (Fisher 1925, on the intraclass correlation).
        """
        if self._excess <= TINY:
            yield from independent_draws(p, n_draws, generator)
            return
        freedom, latent, below = max(self._many - 1, chance.LEAST_FREEDOM), self._latent(), ndtri(p)
        spread = (1 - self.correlation) * (1 / self._excess + self.correlation)
        for _ in range(n_draws):
            found = self.correlation + spread * (freedom / max(generator.chisquare(freedom), TINY) - 1)
            share = np.interp(found, latent, LATENT)
            own, common = generator.standard_normal(len(p)), generator.standard_normal(self.n)
            yield np.sqrt(1 - share) * own + np.sqrt(share) * common[self._group] < below

    def _latent(self) -> Floats:
        """Return the correlation of a bin's labels for each of `LATENT`, in the mean over pairs of rows."""
        nodes, weights = hermegauss(40)
        c = np.clip(self.bins.confidence, TINY, 1 - TINY)[:, None, None]
        own = np.sqrt(np.maximum(1 - LATENT, TINY))[:, None]
        chances = ndtr((ndtri(c) - np.sqrt(LATENT)[:, None] * nodes) / own)
        found = ((chances - c) ** 2 @ (weights / weights.sum())) / (c * (1 - c))[..., 0]
        mean = self._pairs @ found / max(float(self._pairs.sum()), TINY)
        return np.append(np.maximum.accumulate(mean[:-1]), 1.0)
