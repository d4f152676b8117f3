"""The reliability curve: confidence against accuracy, a bin at a time.

Whatever measures binned calibration is a method of the curve, so a plot and a number can never disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import binom
from scipy.stats import norm as normal

from .. import _input, _results
from .._blocks import row_blocks
from .._parameters import describe
from .._typing import FloatArray, Floats, Label, Norm, Seed, Strategy, Target
from . import chance
from ._forecast import Forecast, event_name, the
from .bins import bin_edges, bins_in_words, edges_of, effective_rows, sums_of_bins

TINY = np.finfo(np.float64).tiny
NO_WEIGHTS = "no sample_weight (the variance of a bin is not known then)"


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(_results.Rows):
    """What a reliability diagram shows, bin by bin.

    Attributes
    ----------
    target : {"top-label", "positive"} or int
        The event whose probability is the score: the predicted class is right, the label is 1, or the label
        is that class.
    strategy : {"uniform", "quantile"}
        Bins of equal width or of equal mass.
    edges : ndarray, shape (M + 1,)
        Bin m holds the scores in ``(edges[m-1], edges[m]]``; 0 falls in the first bin.
    counts : ndarray of int, shape (M,)
        Rows per bin (rows of weight 0 do not count).
    weights : ndarray, shape (M,)
        Sum of the sample weights per bin; without weights the same as `counts`.
    confidence, accuracy : ndarray, shape (M,)
        Weighted mean score and weighted share of hits per bin, in [0, 1]; NaN where a bin is empty.
    effective_counts : ndarray, shape (M,)
        Kish's effective number of rows, (sum w)^2 / sum w^2; without weights the same as `counts`.
    hit_variances : ndarray, shape (M,)
        Variance of the weighted number of hits per bin if every score p is right, the sum of w^2 p (1 - p).
    squared_misses : ndarray, shape (M,)
        Sum of w^2 (o - p)^2 per bin, where o is 1 for a hit; NaN where it was not kept.
    squared_hits : ndarray, shape (M,)
        Sum of w^2 o per bin; without weights the number of hits.
    """

    target: Literal["top-label", "positive"] | int
    strategy: Strategy
    edges: FloatArray
    counts: npt.NDArray[np.int64]
    weights: Floats
    confidence: Floats
    accuracy: Floats
    effective_counts: Floats
    hit_variances: Floats
    squared_misses: Floats
    squared_hits: Floats

    def __repr__(self) -> str:
        bins = bins_in_words(len(self.counts), self.strategy)
        return f"<ReliabilityCurve of {the(self.event)}: n = {self.n}, {bins}, ECE {self.ece():.4f}>"

    def _columns(self) -> dict[str, Any]:
        names = ["counts", "confidence", "accuracy", "gaps"]
        if not np.array_equal(self.weights, self.counts):
            names += ["weights", "effective_counts"]
        bins = {"from": self.edges[:-1], "to": self.edges[1:]}
        return bins | {name: getattr(self, name) for name in names}

    @property
    def event(self) -> str:
        """Name of the target, such as "top label", "positive class" or "class 3"."""
        return event_name(self.target)

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum())

    @property
    def shares(self) -> Floats:
        """Share of the total weight per bin, shape (M,)."""
        return np.asarray(self.weights / self.weights.sum())

    @property
    def gaps(self) -> Floats:
        """Accuracy minus confidence a bin, shape (M,); 0 where a bin is empty."""
        return np.where(self.weights > 0, self.accuracy - self.confidence, 0.0)

    @property
    def tilt(self) -> float:
        """How many times as much a hit weighs as another row of its bin; 1 without weights.

        Weights by class make it differ from 1 (label shift, a case-control sample). As of odds in strata by
        Mantel and Haenszel (1959), each bin counts with how much of both it holds; where none holds both, 1.
        """
        hits, mass = np.nan_to_num(self.weights * self.accuracy), np.maximum(self.weights, TINY)
        squares = self.weights**2 / np.maximum(self.effective_counts, TINY)
        of_hits = float((self.squared_hits * (self.weights - hits) / mass).sum())
        of_others = float(((squares - self.squared_hits) * hits / mass).sum())
        plain = np.array_equal(self.weights, self.counts) or min(of_hits, of_others) <= 0
        return 1.0 if plain else of_hits / of_others

    def ece(self, norm: Norm = "l1", *, debias: bool = False) -> float:
        """Return the expected calibration error: mean absolute gap (``eq-ece``), or root mean square ("l2").

        With `debias` less what chance alone adds, as for `expected_calibration_error`.
        """
        _input.one_of(norm, ["l1", "l2"], "norm")
        if not debias:
            mean = self.shares @ np.abs(self.gaps) if norm == "l1" else np.sqrt(self.shares @ self.gaps**2)
            return float(mean)
        if not np.array_equal(self.weights, self.counts):
            raise _input.BadValue("debias", "= True", NO_WEIGHTS)
        filled = self.counts > 0
        n = self.weights[filled]
        alone = np.flatnonzero(self.counts == 1) + 1
        if norm == "l2" and alone.size:
            bins = ", ".join(map(str, alone))
            _input.warn(f"bin {bins} holds one row: left out of the debiased error")
        return chance.debiased(norm, self.shares[filled], self.gaps[filled], self.accuracy[filled], n)

    def ece_interval(self, level: float = 0.95, norm: Norm = "l1") -> tuple[float, float]:
        """Return both ends of a confidence interval for the error, as `calibration_lessons.ece_interval`."""
        _input.one_of(norm, ["l1", "l2"], "norm")
        _input.confidence(level)
        return chance.interval(norm, level, [self.filled()])

    def filled(self) -> chance.Bins:
        """Return the bins that hold a row, with what stands behind each gap."""
        filled = self.counts > 0
        c, n = self.confidence[filled], self.effective_counts[filled]
        within = self.hit_variances[filled] * n / self.weights[filled] ** 2
        gap, accuracy = self.gaps[filled], self.accuracy[filled]
        missed = self.squared_misses[filled] * n / self.weights[filled] ** 2 - gap**2
        spread = np.fmax(np.maximum(c * (1 - c) - within, 0.0), missed - accuracy * (1 - accuracy))
        empty = np.where(filled, 0.0, np.maximum(self.edges[1:], 1 - self.edges[:-1]))
        tilt = np.full(len(c), self.tilt)
        return chance.Bins(self.shares[filled], gap, c, n, spread, tilt, empty[empty == empty.max()][:1])

    def under_calibration(
        self, norm: Norm = "l1", *, n_draws: int = 1000, random_state: Seed = None
    ) -> chance.ECENull:
        """Draw the errors that a calibrated model would get at this n and these scores, from the sums alone.

        The hits of a bin are drawn with the mean and the variance that its scores give them: as binomial
        hits among rows of equal probability. That is exact where the scores of a bin, and its weights, are
        equal. Elsewhere the distribution of the errors is approximate, the more the fewer rows a bin holds;
        `ece_under_calibration` draws row by row.
        """
        _input.one_of(norm, ["l1", "l2"], "norm")
        _input.positive_whole(n_draws, "n_draws")
        filled, tilted = self.counts > 0, self.filled().tilted(self.confidence[self.counts > 0])
        variance = tilted * self.hit_variances[filled] / self.weights[filled] ** 2
        gaps = chance.drawn_gaps(self.confidence[filled], variance, n_draws, random_state)
        return chance.null_of_gaps(norm, self.shares[filled], gaps)

    def mce(self) -> float:
        """Return the maximum calibration error: the largest gap (``eq-mce``)."""
        return float(np.abs(self.gaps).max())

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return Wilson's score interval for the accuracy of each bin, NaN where a bin is empty.

        Parameters
        ----------
        level : float
            Confidence level in (0, 1).

        Returns
        -------
        low, high : ndarray, shape (M,)

        References
        ----------
        Wilson (1927), Probable inference, the law of succession, and statistical inference.
        """
        _input.confidence(level)
        z2 = normal.isf((1 - level) / 2) ** 2
        n = np.where(self.weights > 0, self.effective_counts, np.nan)
        centre = (self.accuracy + z2 / (2 * n)) / (1 + z2 / n)
        half = np.sqrt(z2 / n * (self.accuracy * (1 - self.accuracy) + z2 / (4 * n))) / (1 + z2 / n)
        return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)

    def band(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the lowest and highest accuracy that a calibrated model shows in each bin, NaN where empty.

        The hits of a bin are taken as binomial with the bin's confidence, which is exact where its scores
        are equal, and too wide where they differ: a little in narrow bins, and much where one spans 0 and 1.

        Parameters
        ----------
        level : float
            Probability in (0, 1), at least, that a calibrated model stays inside, for each bin alone.

        Returns
        -------
        low, high : ndarray, shape (M,)

        References
        ----------
        Bröcker and Smith (2007), Increasing the reliability of reliability diagrams.
        """
        _input.confidence(level)
        n = np.round(self.effective_counts)
        low, high = binom.interval(level, n, self.confidence)
        return low / n, high / n


@describe
def reliability_curve(
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
) -> ReliabilityCurve:
    """Confidence and accuracy per bin: of the positive class for a 1-D `y_prob`, of the top label for 2-D.

    Over the rows B_m of a bin (equations ``eq-bin``, ``eq-accuracy``, ``eq-confidence``):
    ``acc(B_m) = 1/n_m sum_(i in B_m) 1(ŷ_i = y_i)``, ``conf(B_m) = 1/n_m sum_(i in B_m) p̂_i``

    Parameters
    ----------
    {y_true, y_prob, n_bins}
    strategy : {"uniform", "quantile"}
        Bins of equal width, right-closed, with the edges m/M in the dtype of the scores; or bins of
        equal mass, where equal scores stay together, so that ties make fewer bins.
    {target, sample_weight, from_logits, labels}

    Notes
    -----
    The exponentials of single-precision logits are taken in single precision, and summed in double: a score
    is then right to about 1e-6 of itself, as are the logits.

    `sklearn.calibration.calibration_curve` closes its bins on the right, too, but drops empty ones and
    takes its edges from ``np.linspace``: a score one unit in the last place above an edge may change side.

    References
    ----------
    Guo et al. (2017), On calibration of modern neural networks, section 2.

    Examples
    --------
    Five scores in the first bin, one of them positive:

    >>> curve = reliability_curve([0, 0, 0, 1, 0], [0.05, 0.05, 0.02, 0.01, 0.02], n_bins=10)
    >>> round(float(curve.confidence[0]), 4), float(curve.accuracy[0]), int(curve.counts[0])
    (0.03, 0.2, 5)
    """
    forecast = Forecast.read(y_true, y_prob, target, sample_weight, from_logits, (labels, pos_label))
    return curve_of(forecast, n_bins, strategy)


def curve_of(
    forecast: Forecast, n_bins: int, strategy: Strategy, *, variances: bool = True
) -> ReliabilityCurve:
    """Compute the curve of a forecast; without the variances of the hits it takes a quarter less time."""
    _input.positive_whole(n_bins, "n_bins")
    _input.one_of(strategy, ["uniform", "quantile"], "strategy")
    if strategy == "uniform":
        edges, blocks = bin_edges(n_bins, forecast.dtype), forecast.blocks()
    else:
        scores, hits = forecast.whole()
        edges = edges_of(scores, n_bins, strategy, forecast.weights)
        blocks = ((rows, (scores[rows], hits[rows])) for rows in row_blocks(scores))
    sums = sums_of_bins(blocks, edges, strategy, forecast.weights, variances=variances)
    return curve_from_sums(forecast.target, strategy, edges, sums)


def curve_from_sums(
    target: Literal["top-label", "positive"] | int, strategy: Strategy, edges: FloatArray, sums: Floats
) -> ReliabilityCurve:
    """Turn the sums of `sums_of_bins` into a curve."""
    rows, weight, squares, total, hits, *others = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        confidence, accuracy = total / weight, hits / weight
    counts, effective = rows.astype(np.int64), effective_rows(weight, squares)
    return ReliabilityCurve(target, strategy, edges, counts, weight, confidence, accuracy, effective, *others)
