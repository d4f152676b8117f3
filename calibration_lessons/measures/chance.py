"""What chance does to a binned calibration error: its bias, an interval, and what a calibrated model gets.

Everything here speaks of bins that hold a row, by their shares of the total weight, their gaps, and the
number of rows (with weights the effective one) that stands behind each gap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf
from scipy.stats import t as student

from .. import _input
from .._typing import Floats, Norm, Seed

Interval = tuple[float, float]
ATOL = 1e-12  # errors that differ by less are equal but for rounding
MAX_ROWS = 2**40  # beyond, a binomial share is normal to all digits
LEAST_FREEDOM = 0.01  # one row has none, and no interval but the whole range: its quantile is 1e130
EXTRA = 4.0  # rows, or groups, more whose labels say nothing
THRESHOLD = 3.0  # standard errors from which the lower end takes a gap for no chance; with 2 it covered .94


def debiased(norm: Norm, share: Floats, gap: Floats, accuracy: Floats, n: Floats) -> float:
    """Subtract from a binned error what chance alone adds to it; a negative rest becomes 0.

    The square of a gap is too large by the variance of the accuracy, for which a (1 - a) / (n - 1) is
    unbiased; a bin of one row tells nothing about it and is left out. The size of a gap is too large by
    the excess of the mean of a folded normal.
    """
    if norm == "l1":
        folded_mean = _folded_normal(gap, np.sqrt(accuracy * (1 - accuracy) / n))
        return max(0.0, float(share @ (2 * np.abs(gap) - folded_mean)))
    variance = accuracy * (1 - accuracy) / np.maximum(n - 1, 1)
    return float(np.sqrt(max(0.0, float(share @ np.where(n == 1, 0.0, gap**2 - variance)))))


class Bins(NamedTuple):
    """The bins that hold a row: shares, gaps, confidences, effective rows, and variances of their scores.

    `tilt` is how many times as much a hit weighs as another row with its forecast. `unseen`, of shape (1,),
    is the largest gap that a bin without rows may have.
    """

    share: Floats
    gap: Floats
    confidence: Floats
    n: Floats
    spread: Floats
    tilt: Floats = np.ones(1)
    unseen: Floats = np.zeros(1)

    def tilted(self, accuracy: Floats) -> Floats:
        """Return by what an accuracy's variance differs from that of n rows, because hits weigh more.

        With other hits the weights would be others: N rows, of which a share q hits of weight t, the others
        of weight 1, have the accuracy a = q t / (q t + 1 - q); its variance is a (1 - a) / N times
        (t (1 - a) + a) (a / t + 1 - a). What N is, the weights say that were seen.
        """
        seen = self.confidence + self.gap
        return np.asarray((1 + (self.tilt - 1) * (1 - accuracy)) / (1 + (self.tilt - 1) * seen))

    def sd(self, accuracy: Floats) -> Floats:
        """Return the standard deviation of each bin's accuracy where this is the true one."""
        variance = accuracy * (1 - accuracy) * self.tilted(accuracy) / self.n
        return np.asarray(np.sqrt(variance))

    def spread_of_forecasts(self, norm: Norm) -> float:
        """Return the standard deviation that the forecast of a row gives the error ("l2": its square).

        A sample has more rows in one bin and fewer in another, and within a bin other forecasts p: its error
        varies as the mean over its rows of |a - p| does, signed like the gap g of the bin ("l2": of
        g^2 + 2 g (c - p)), where a is the accuracy of the bin and c its confidence.
        """
        size, slope = (np.abs(self.gap), np.ones(1)) if norm == "l1" else (self.gap**2, 2 * self.gap)
        variance = float(self.share @ (size**2 + slope**2 * self.spread) - (self.share @ size) ** 2)
        return float(np.sqrt(max(0.0, variance)))


class Dependence(NamedTuple):
    """What the labels of one bin have to do with those of another, and rows with each other.

    `along` says by what the variance that the labels give the error exceeds that of independent bins, where
    the error has these slopes in the accuracies of the bins. `groups` is how many groups of rows there
    are, and `forecasts` how many independent rows the forecasts are worth; None: as many as the labels.
    """

    along: Callable[[Floats], float] = lambda _: 1.0
    groups: float = np.inf
    forecasts: float | None = None


INDEPENDENT = Dependence()


def interval(
    norm: Norm, level: float, classes: Sequence[Bins], dependence: Dependence = INDEPENDENT
) -> Interval:
    """Invert a test of the binned error; of several classes, of their mean error.

    The steps, and the reasons for them, are those of the page *How the interval was found and tried*:
    `book/reference/interval_note.ipynb`.

    `dependence` bounds the variance that the labels give the error; for the upper end also along the gaps
    sought, which by luck may have other signs than those seen.
    """
    bins = Bins(*(np.concatenate(column) for column in zip(*classes, strict=True)))
    share, gap, confidence, n = bins.share / len(classes), *bins[1:4]
    rows = 1 / float(classes[0].share ** 2 @ (1 / classes[0].n))
    if rows <= 1 + ATOL:
        return 0.0, 1.0  # one row rules nothing out: other rows may bring other forecasts
    freedom = max(min(rows, dependence.groups) - 1, LEAST_FREEDOM)
    quantile, power = float(student.isf((1 - level) / 2, freedom)), 1 if norm == "l1" else 2
    error = bins.sd(confidence)
    ratio = np.divide(np.abs(gap), error, out=np.where(gap == 0, 0.0, np.inf), where=error > 0)
    clear = (ratio > THRESHOLD) | (ratio == ratio.max())
    accuracy = (n * (confidence + gap) + 2) / (n + 4)
    scatter = bins.sd(accuracy)
    even = np.where(np.where(ratio > quantile, gap > 0, confidence < 0.5), scatter, -scatter)
    measured = float(share @ np.abs(gap) ** power)
    fewer, more = (max(0.0, measured ** (1 / power) + half / rows) ** power for half in (-0.5, 0.5))
    calibrated, _ = _moments(norm, share, np.zeros_like(gap), error, confidence, confidence)
    _, variance = _moments(norm, share, gap, scatter, confidence, accuracy)
    seen, sought = (dependence.along(np.sign(x) if norm == "l1" else x) for x in (gap, even))
    z, z_high = quantile * np.sqrt(seen), quantile * np.sqrt(max(seen, sought))
    low = _candidate(norm, z, share, fewer, confidence, bins.sd, np.where(clear, gap, 0.0))
    high = _candidate(norm, -z_high, share, max(more, float(calibrated)), confidence, bins.sd, even, variance)
    spread = float(np.mean([one.spread_of_forecasts(norm) for one in classes]))
    forecasts = quantile * spread / np.sqrt(dependence.forecasts or rows)
    down, up = max(0.0, measured - low), max(0.0, high - measured)
    low = max(0.0, low + down - float(np.hypot(down, forecasts)))
    unseen = 0.0 if norm == "l1" else -np.log1p(-level) / rows * float(bins.unseen.max()) ** 2
    high = min(1.0, high - up + float(np.sqrt(up**2 + forecasts**2 + unseen**2)))
    return low ** (1 / power), max(low, high) ** (1 / power)


def _folded_normal(mean: Floats, sd: Floats) -> Floats:
    """Mean of |X| for X normal with the given mean and standard deviation."""
    size = np.abs(mean)
    ratio = np.divide(size, sd, out=np.full_like(size, np.inf), where=sd > 0) / np.sqrt(2)
    return np.asarray(sd * np.sqrt(2 / np.pi) * np.exp(-(ratio**2)) + size * erf(ratio))


def _moments(
    norm: Norm, share: Floats, gap: Floats, sd: Floats, confidence: Floats, accuracy: Floats
) -> tuple[Floats, Floats]:
    """Mean and variance of the binned error ("l2": its square), bins last, which accuracies a give.

    The size of a normal gap is folded normal ("l1"), but what folds over lies between the confidence and the
    end of the scale. The square of a gap has the mean d^2 + v, and the variance that it has where hits are
    binomial ("l2"), d being the mean of the gap and v its variance.
    """
    if norm == "l1":
        room = 1 - confidence, np.minimum(confidence, 1 - confidence), confidence
        across = np.choose(np.sign(gap).astype(int) + 1, room)
        mean = np.minimum(_folded_normal(gap, sd), np.abs(gap) + 2 * across)
        variance = np.maximum(gap**2 + sd**2 - mean**2, 0.0)
    else:
        v, single = sd**2, accuracy * (1 - accuracy)
        per_row = np.divide(v, single, out=np.zeros_like(v), where=single > 0)
        mean = gap**2 + v
        fourth = 2 * v**2 + v * (1 - 6 * single) * per_row**2
        variance = np.maximum(fourth + 4 * gap * v * ((1 - 2 * accuracy) * per_row + gap), 0.0)
    return mean @ share, variance @ share**2


def _candidate(
    norm: Norm,
    z: float,
    share: Floats,
    measured: float,
    confidence: Floats,
    sd_of: Callable[[Floats], Floats],
    direction: Floats,
    least_variance: float | Floats = 0.0,
) -> float:
    """Error ("l2": squared) of the candidate, among gaps along `direction`, where `measured` lies z above.

    The candidates are a line: bin m has the accuracy a_m = c_m + s d_m, cut off at 0 and 1, with one scale s
    for the directions d_m. Under a candidate the observed gap of bin m is normal with mean a_m - c_m and
    the standard deviation that `sd_of` gives. The scale sought is where the error measured ("l2": its
    square) lies z standard deviations above its mean: the smallest such scale for the lower end (z > 0), the
    largest for the upper. No variance below `least_variance` is used: along the line the accuracy of a bin
    may come so near to 0 or 1 that the candidate, of the same error, scatters less than the truth.
    """
    if not direction.any():
        return 0.0

    def accuracies(scale: float | Floats) -> Floats:
        return np.clip(confidence + np.multiply.outer(scale, direction), 0.0, 1.0)

    def excess(scale: float | Floats) -> Floats:
        a = accuracies(scale)
        mean, variance = _moments(norm, share, a - confidence, sd_of(a), confidence, a)
        return np.asarray(measured - mean - z * np.sqrt(np.maximum(variance, least_variance)))

    off = direction != 0
    room = np.where(direction > 0, 1 - confidence, confidence)
    largest = float((room[off] / np.abs(direction[off])).max())
    gap = accuracies(_crossing(excess, largest, first=z > 0)) - confidence
    return float(share @ (np.abs(gap) if norm == "l1" else gap**2))


def _crossing(excess: Callable[[float | Floats], Floats], largest: float, *, first: bool) -> float:
    """First or last scale in [0, largest] where `excess` turns negative.

    At `largest` every accuracy is 0 or 1 and the spread vanishes, so the search stops just before.
    """
    scales = np.linspace(0.0, largest * (1 - 1e-9), 65)
    positive = excess(scales) > 0
    if first:
        i = int(np.append(positive, False).argmin())
    else:
        i = len(scales) - int(np.append(positive[::-1], True).argmax())
    if i in (0, len(scales)):
        return largest if i else 0.0
    return float(brentq(lambda scale: float(excess(scale)), scales[i - 1], scales[i], xtol=1e-12))


def two_powers(values: Floats) -> tuple[Floats, Floats]:
    """Return squares and cubes; NumPy's own cube takes a hundred times as long."""
    squares = values * values
    return squares, squares * values


def ends_of_mean(
    value: float, apart: Floats, others: Floats, quantile: float, least_variance: float = 0.0
) -> tuple[float, float]:
    """Return both ends of an interval for a mean, from what each group adds, counted from the mean.

    `others` are the mean square and cube of what the groups would add with any other label: four more of
    them say nothing, two events and two others (Agresti and Coull 1998). The skewness
    moves the quantile of Student's ratio by (1 + 2 t^2) / (6 sqrt n) of itself (Hall 1992).
    """
    n = len(apart)
    square, cube = (
        float(power.sum() + EXTRA * other) for power, other in zip(two_powers(apart), others, strict=True)
    )
    half = quantile * np.sqrt(max(square / (n * (n - 1)), least_variance))
    skew = (1 + 2 * quantile**2) * (n - 1) * cube / (6 * n**2 * square) if square > 0 else 0.0
    skew = float(np.clip(skew, -half, half))
    return float(value - half + min(skew, 0.0)), float(value + half + max(skew, 0.0))


@dataclass(frozen=True, eq=False, repr=False)
class ECENull:
    """Calibration errors that chance alone gives: draws of the ECE of a calibrated model.

    Attributes
    ----------
    values : ndarray, shape (n_draws,)
        The drawn errors, in increasing order.
    """

    values: Floats

    def __repr__(self) -> str:
        ends = f"mean {self.mean:.4f}, 95 % up to {self.quantile(0.95):.4f}"
        return f"<ECENull of {len(self.values)} draws: {ends}>"

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
        return share_at_or_above(self.values, ece)


def share_at_or_above(drawn: Floats, observed: float) -> float:
    """P-value of a large statistic: the share of draws as large, the observed one counted in."""
    return float((1 + (drawn >= observed - ATOL).sum()) / (1 + len(drawn)))


def null_of_gaps(norm: Norm, share: Floats, gaps: Floats) -> ECENull:
    """Turn drawn gaps, shape (n_draws, M), into drawn errors."""
    return ECENull(np.sort(np.abs(gaps) @ share if norm == "l1" else np.sqrt(gaps**2 @ share)))


def drawn_gaps(confidence: Floats, variance: Floats, n_draws: int, random_state: Seed) -> Floats:
    """Draw the gaps of a calibrated model, shape (n_draws, M), from the mean and variance of each accuracy.

    The accuracy of a bin is drawn as the share of hits among N rows that all have the bin's confidence c.
    The variance v asks for N = c (1 - c) / v; what rounding N changes is scaled back.
    """
    p = np.clip(confidence, 0.0, 1.0)
    spread = p * (1 - p)
    rows = np.divide(spread, variance, out=np.ones_like(p), where=variance > 0)
    rows = np.clip(np.round(rows), 1, MAX_ROWS)
    drawn = _input.generator(random_state).binomial(rows.astype(np.int64), p, (n_draws, len(p)))
    scale = np.sqrt(np.divide(variance * rows, spread, out=np.zeros_like(p), where=spread > 0))
    return np.asarray((drawn / rows - p) * scale)
