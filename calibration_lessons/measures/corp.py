"""A proper score taken apart without bins: what the best increasing recalibration would gain.

CORP stands for consistent, optimally binned, reproducible, and for the pool-adjacent-violators algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression
from scipy.special import xlogy

from .. import _input, _results
from .._parameters import describe
from .._typing import Floats, IntArray, Label, Seed
from .bins import effective_rows

Score = Literal["brier", "log"]


@_results.shown_rounded
class CorpDecomposition(NamedTuple):
    """Parts of a proper score: ``score == miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    miscalibration : float
        Gain of the best increasing recalibration on these rows, partly by chance; at least 0, small is good.
    discrimination : float
        What the recalibrated forecasts gain over the base rate; at least 0, large is good.
    uncertainty : float
        Score of the forecaster who always says the base rate.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def score(self) -> float:
        """The score, put together from its parts."""
        return self.miscalibration - self.discrimination + self.uncertainty


@describe
@dataclass(frozen=True, eq=False, repr=False)
class CorpCurve(_results.Rows):
    """The best increasing recalibration of a forecast; `plots.corp_diagram` draws it.

    Every array has one entry for each distinct forecast, in increasing order.

    Attributes
    ----------
    forecast : ndarray, shape (m,)
        The distinct forecast probabilities of the positive class.
    recalibrated : ndarray, shape (m,)
        The event's frequency after isotonic regression: never falls; the more rows there are, the
        nearer to `forecast` where the forecaster is calibrated.
    frequency : ndarray, shape (m,)
        The event's frequency among the rows of the forecast alone.
    counts : ndarray of int, shape (m,)
        Rows of the forecast that count: those of positive weight.
    weights : ndarray, shape (m,)
        Sum of their weights; the counts where there are none.
    effective_counts : ndarray, shape (m,)
        Kish's effective number of rows, the squared sum of the weights over the sum of their squares.
    """

    forecast: Floats
    recalibrated: Floats
    frequency: Floats
    counts: IntArray
    weights: Floats
    effective_counts: Floats

    def __repr__(self) -> str:
        return f"<CorpCurve: n = {self.counts.sum()}, {len(self.counts)} distinct forecasts>"

    def decomposition(self, score: Score = "brier") -> CorpDecomposition:
        """Return the parts of a score, as `calibration_lessons.corp_decomposition`."""
        _input.one_of(score, get_args(Score), "score")
        share = self.weights / self.weights.sum()
        base_rate = min(float(share @ self.frequency), 1.0)  # shares may sum to a little more
        if score == "log":
            said, mended = (_log_loss(self.frequency, p) for p in (self.forecast, self.recalibrated))
            base = _log_loss(self.frequency, np.full_like(self.forecast, base_rate))
            gained, known = float(share @ (said - mended)), float(share @ (base - mended))
            return CorpDecomposition(max(gained, 0.0), max(known, 0.0), float(share @ base))
        # Where the recalibrated forecast r pools a block, the mean of (f - o)^2 - (r - o)^2 is that of
        # (f - r) (f + r - 2 o); written so, a perfect forecast gives 0, not a rounding error.
        strays = self.forecast - self.recalibrated
        miscalibration = float(share @ (strays * (self.forecast + self.recalibrated - 2 * self.frequency)))
        discrimination = float(share @ (self.recalibrated - base_rate) ** 2)
        return CorpDecomposition(max(miscalibration, 0.0), discrimination, base_rate * (1 - base_rate))

    def band(
        self, level: float = 0.95, *, n_draws: int = 1000, random_state: Seed = None
    ) -> tuple[Floats, Floats]:
        """Return the lowest and highest recalibrated forecast that a calibrated forecaster shows.

        Again and again each event is drawn with its forecast as the probability, and the draw is
        recalibrated as the data were.

        Parameters
        ----------
        level : float
            Share of the draws, in (0, 1), that stays inside at each forecast alone.
        {n_draws, random_state}

        Returns
        -------
        low, high : ndarray, shape (m,)

        References
        ----------
        Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for probabilistic
        classifiers, "Uncertainty quantification" (consistency bands by resampling).
        """
        _input.confidence(level)
        _input.positive_whole(n_draws, "n_draws")
        generator = _input.generator(random_state)
        rows = np.round(self.effective_counts).astype(np.int64)
        drawn = generator.binomial(rows, self.forecast, size=(n_draws, len(rows))) / rows
        recalibrated = [isotonic_regression(one, weights=self.weights).x for one in drawn]
        low, high = np.quantile(recalibrated, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high


def _log_loss(frequency: Floats, p: Floats) -> Floats:
    """Mean log loss of rows with the forecast p, in nats."""
    return np.asarray(-xlogy(frequency, p) - xlogy(1 - frequency, 1 - p))


@describe
def corp_curve(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Label = None,
) -> CorpCurve:
    """Recalibrate a forecast by isotonic regression, equal forecasts pooled: a diagram without bins.

    Parameters
    ----------
    {happened}
    y_prob : array_like, shape (n,)
        Probability of the event.
    {sample_weight, pos_label}

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for probabilistic classifiers.

    Examples
    --------
    >>> curve = corp_curve([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    >>> curve.recalibrated.tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    rows = _input.forecast(y_true, y_prob, sample_weight, ndim=(1,), names=(None, pos_label))
    _input.check_probabilities(rows.y_prob, "y_prob")
    _input.squarable(rows.weights)
    forecasts, labels, weight = rows.counted()
    distinct, group, counts = np.unique(forecasts, return_inverse=True, return_counts=True)
    total, squares, hits = (
        np.asarray(np.bincount(group, values), dtype=float) for values in (weight, weight**2, weight * labels)
    )
    frequency = hits / total
    return CorpCurve(
        forecast=distinct.astype(np.float64),
        recalibrated=isotonic_regression(frequency, weights=total).x,
        frequency=frequency,
        counts=counts,
        weights=total if rows.weights is None else total * rows.weights.max(),
        effective_counts=effective_rows(total, squares),
    )


@describe
def corp_decomposition(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    score: Score = "brier",
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Label = None,
) -> CorpDecomposition:
    """Split a proper score without bins, by the best increasing recalibration (equation ``eq-corp``).

    ``BS(f) = BS(f) - BS(c) - (BS(ō) - BS(c)) + BS(ō)``

    The recalibrated forecasts are those of `corp_curve`, the same for every proper score.

    Parameters
    ----------
    {happened}
    y_prob : array_like, shape (n,)
        Probability of the event.
    score : {"brier", "log"}
        The Brier score, or the log loss in nats (equation ``eq-log-split``), whose miscalibration is ``inf``
        where a label had the probability 0.
    {sample_weight, pos_label}

    Returns
    -------
    CorpDecomposition
        Its parts add up to `brier_score` or `negative_log_likelihood` of the same arguments; none is
        negative.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for probabilistic
    classifiers, equations 3 and 4.

    Examples
    --------
    >>> parts = corp_decomposition([0, 0, 1, 1, 1, 0], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8])
    >>> round(parts.miscalibration, 4), round(parts.discrimination, 4), parts.uncertainty
    (0.0178, 0.0278, 0.25)
    """
    return corp_curve(y_true, y_prob, sample_weight=sample_weight, pos_label=pos_label).decomposition(score)
