"""Two models on the same rows: intervals for the differences of their scores and of their calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit, log_softmax, softmax
from scipy.stats import t as student

from .. import _input, _results
from .._blocks import chosen_class, row_blocks, row_squares
from .._parameters import describe
from .._typing import FloatArray, Floats, IntArray, Label, Strategy, Target
from ._forecast import Forecast, event_name, the
from ._groups import group_numbers
from .bins import bin_index, bins_in_words, edges_of, uniform_bins
from .chance import EXTRA, LEAST_FREEDOM, ends_of_mean, two_powers

FEW = 20  # rows that differ, below which nobody knows what the others would say
ROUNDING = 1e-12  # of a variance, where equal forecasts leave none

Loss = Callable[[Floats, bool], Floats]


@_results.shown_rounded
class Difference(NamedTuple):
    """A measure of two models, and the interval of its difference.

    Attributes
    ----------
    a, b : float
        The measure of each model.
    value : float
        That of a minus that of b: below 0 where a is better.
    low, high : float
        Ends of the interval of the difference.
    """

    a: float
    b: float
    value: float
    low: float
    high: float

    def within(self, most: float) -> Difference:
        """Cut the interval at what such a difference can be, from -most to most; it holds the value."""
        low, high = max(self.low, min(-most, self.value)), min(self.high, max(most, self.value))
        return self._replace(low=low, high=high)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(_results.Rows):
    """What two models differ by on the same rows; its text is the sentence for a paper.

    Attributes
    ----------
    brier, nll : Difference
        Brier score (the sum over the classes for 2-D forecasts), and negative log-likelihood in nats.
    calibration : Difference
        Squared calibration error, freed from what chance adds; of a model it may come out below 0.
    event : str
        Whose calibration is compared: "top label", "positive class" or "class k".
    n : int
        Rows of positive weight.
    n_groups : int or None
        Groups of rows that the intervals rest on; None where each row stands for itself.
    n_bins : int
        Number of bins asked for.
    strategy : {"uniform", "quantile"}
        Bins of equal width or of equal mass.
    level : float
        Confidence level of each interval, in (0, 1).
    """

    brier: Difference
    nll: Difference
    calibration: Difference
    event: str
    n: int
    n_groups: int | None
    n_bins: int
    strategy: Strategy
    level: float

    def __str__(self) -> str:
        told = ", ".join(f"{name} {_told(one, name)}" for name, one in self._measures().items())
        groups = f" of {self.n_groups} groups" if self.n_groups else ""
        return (
            f"a minus b on the same {self.n} rows{groups}, below 0 where a is better, "
            f"with {100 * self.level:g} % intervals: {told}; "
            f"the last of {the(self.event)}, in {bins_in_words(self.n_bins, self.strategy)}"
        )

    __repr__ = __str__

    def _measures(self) -> dict[str, Difference]:
        error = "debiased squared calibration error"
        return {"Brier score": self.brier, "NLL": self.nll, error: self.calibration}

    def _columns(self) -> dict[str, Any]:
        measures = self._measures()
        table = np.array(list(measures.values())).T
        names = ("a", "b", "a minus b", "low", "high")
        return {"measure": list(measures)} | dict(zip(names, table, strict=True))


def _told(one: Difference, name: str) -> str:
    if not np.isfinite(one.value):
        return "infinite for " + " and ".join(model for model in "ab" if np.isinf(getattr(one, model)))
    value, low, high = map(_results.number, one[2:])
    return f"{value}{' nats' if name == 'NLL' else ''} ({low} to {high})"


@describe
def compare(
    y_true: npt.ArrayLike,
    prob_a: npt.ArrayLike,
    prob_b: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target = None,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
    level: float = 0.95,
) -> Comparison:
    """Compare two models on the same rows: differences of both proper scores and of calibration.

    Each interval is paired: it rests on how much the two differ row by row, which scatters less than what
    each of them is. The calibration error compared is the squared one, ``sum_m n_m/n gap_m^2`` over the bins,
    each square freed from what chance adds: ``(s_m^2 - q_m) / (n_m (n_m - 1))`` in place of
    ``gap_m^2 = (s_m / n_m)^2``, where ``s_m`` and ``q_m`` sum up ``y - p`` and its square.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels 0..K-1 (0 and 1 for 1-D forecasts).
    prob_a, prob_b : array_like, shape (n,) or (n, K)
        Each model's probability of the positive class, or of each class; logits with ``from_logits=True``.
    {n_bins}
    strategy : {"uniform", "quantile"}
        Bins of equal width, closed on the right, or of equal mass, with edges from the scores of both models
        together. The edges are the same for both; a row may lie in another bin for a than for b.
    target : {None, "top-label", "positive"} or int
        Whose calibration is compared: that of each model's own top label (None for 2-D forecasts), of the
        positive class (None for 1-D ones), or of one class against the rest.
    {sample_weight}
    {groups}
    from_logits : bool
        Read the forecasts as logits: (n, K), or (n,) for the binary logit z, meaning (0, z).
    labels, pos_label : array_like of shape (K,), and str or int, optional
        Where `y_true` does not hold 0..K-1: the classes of the columns; the positive class of 1-D forecasts.
    {level}

    Returns
    -------
    Comparison
        Differences a minus b, below 0 where a is better. Where a label had the probability 0, the log loss is
        infinite and its interval the whole line.

    {refused}
        Also for fewer than two rows or five groups, and where no two rows, or groups, share a bin.

    Warns
    -----
    UserWarning
        Where a bin holds one row, or rows of one group: its error is unknown, and it is left out. Where the
        forecasts differ in fewer than 20 rows, or groups, and in fewer than half of them.

    Notes
    -----
    Each interval is that of a mean over the rows: of the differences of the losses, or of what each row adds
    to the difference of the squared errors. Where both models are nearly calibrated, it holds that difference
    more often than it says. The rows are taken as independent, the edges as fixed. The page *How the interval
    was found and tried* has the corrections, and why there is no interval here for the difference of two
    plain calibration errors.

    With ``groups=`` all this is said of groups: what the rows of a group add is added up first, and a pair in
    a bin is one of rows of two groups. In samples of 5 to 100 groups with 2 to 200 rows each the intervals
    held the difference in 95 to 100 %, those without groups in 33 to 100 %.

    No interval knows rows that were not drawn: where the models say the same but for one row in a hundred, in
    13 % of samples of 200 rows none differs. With events weighted ten times (a case-control sample)
    the scores were held in 93 to 97 % of samples of 60 to 1000 rows, the squared errors in 78 to 94 %.

    References
    ----------
    Kumar et al. (2019), Verified uncertainty calibration, section 4 (debiasing); Sun et al. (2024), A
    confidence interval for the l2 expected calibration error; Hall (1992), On the removal of skewness by
    transformation; Agresti and Coull (1998), Approximate is better than "exact".

    Examples
    --------
    >>> y_true, prob_a, prob_b = [1, 0, 1, 1, 0] * 40, [0.9, 0.2, 0.6, 0.8, 0.4] * 40, [0.6, 0.4] * 100
    >>> print(compare(y_true, prob_a, prob_b, n_bins=5))  # doctest: +NORMALIZE_WHITESPACE
    a minus b on the same 200 rows, below 0 where a is better, with 95 % intervals:
    Brier score -0.178 (-0.197 to -0.159), NLL -0.399 nats (-0.441 to -0.354),
    debiased squared calibration error 0.0644 (0.0405 to 0.0882); the last of the positive class,
    in 5 bins of equal width
    """
    _input.confidence(level)
    _input.positive_whole(n_bins, "n_bins")
    _input.one_of(strategy, ["uniform", "quantile"], "strategy")
    _input.same_rows(y_true=y_true, prob_a=prob_a, prob_b=prob_b, sample_weight=sample_weight, groups=groups)
    _input.same_rows("columns", prob_a=prob_a, prob_b=prob_b)
    shape, other = (
        _input.real_array(p, name, (1, 2)).shape for p, name in ((prob_a, "prob_a"), (prob_b, "prob_b"))
    )
    if shape != other:
        raise _input.BadValue("prob_b", f"has shape {other}", f"that of prob_a, {shape}")
    a, b = (
        _read(y_true, prob, name, target, sample_weight, from_logits=from_logits, names=(labels, pos_label))
        for prob, name in ((prob_a, "prob_a"), (prob_b, "prob_b"))
    )
    counts = np.ones(len(a.labels), dtype=bool) if a.weights is None else a.weights > 0
    order, first = _grouped(groups, counts)
    a, b = (_rows(forecast, order) for forecast in (a, b))
    n, weight = len(order), np.ones(len(order)) if a.weights is None else a.weights / a.weights.mean()
    if n < 2:
        raise _input.BadValue("y_true", "has one row that counts", "two at least, to see how rows differ")
    differ = np.logical_or.reduceat((a.y_prob != b.y_prob).reshape(n, -1).any(axis=1), first)
    if (many := np.count_nonzero(differ)) < min(FEW, len(first) / 2):
        each = "row" if groups is None else "group"
        found = f"prob_b differs from prob_a in {many} of {len(first)} {each}s"
        _input.warn(f"{found}: an interval of fewer than {FEW} knows little of those that were not drawn")
    mass = np.add.reduceat(weight, first)
    quantile = float(student.isf((1 - level) / 2, max(n**2 / float(mass @ mass) - 1, LEAST_FREEDOM)))
    pair = _Pair(a, b, weight, first, differ, quantile)
    return Comparison(
        brier=_of_losses(pair, _brier).within(a.y_prob.ndim),
        nll=_of_losses(pair, _nll),
        calibration=_of_calibration(pair, n_bins, strategy).within(1),
        event=event_name(a.target),
        n=n,
        n_groups=None if groups is None else len(first),
        n_bins=n_bins,
        strategy=strategy,
        level=level,
    )


class _Pair(NamedTuple):
    """Both models' rows, group by group: `first` are the places where the groups begin."""

    a: Forecast
    b: Forecast
    weight: Floats
    first: IntArray
    differ: npt.NDArray[np.bool_]  # whether the models do, in each group
    quantile: float


def _read(y_true: npt.ArrayLike, y_prob: npt.ArrayLike, name: str, *given: Any, **options: Any) -> Forecast:
    """Read and check a model's forecast under its own name."""
    try:
        forecast = Forecast.read(y_true, y_prob, *given, **options, called=name)
        forecast.whole()
        forecast.warn_of_rows(name)
    except _input.Refusal as error:
        argument, found, expected = (
            text.replace("y_prob", name) for text in (error.name, error.found, error.expected)
        )
        raise type(error)(argument, found, expected, error.index, error.note) from None
    return forecast


def _grouped(groups: npt.ArrayLike | None, counts: npt.NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Return the rows that count, group by group, and the place where each group begins."""
    counted = np.flatnonzero(counts)
    if groups is None:
        return counted, np.arange(len(counted))
    number = group_numbers(groups, counts)
    order = np.argsort(number, kind="stable")
    return counted[order], np.searchsorted(number[order], np.arange(number.max() + 1))


def _rows(forecast: Forecast, rows: IntArray) -> Forecast:
    if np.array_equal(rows, np.arange(len(forecast.labels))):
        return forecast
    weights = None if forecast.weights is None else forecast.weights[rows]
    return replace(forecast, y_prob=forecast.y_prob[rows], labels=forecast.labels[rows], weights=weights)


def _brier(block: Floats, from_logits: bool) -> Floats:
    """Return the Brier score of each row for each label that may come, shape (rows, K)."""
    if block.ndim == 1:
        p = expit(block) if from_logits else block
        return np.column_stack([p**2, (1 - p) ** 2])
    p = softmax(block, axis=1) if from_logits else block
    return np.asarray(row_squares(p)[:, None] - 2 * p + 1)


def _nll(block: Floats, from_logits: bool) -> Floats:
    """Return the negative log-likelihood of each row for each label that may come, shape (rows, K)."""
    if block.ndim == 1 and from_logits:
        return np.column_stack([np.logaddexp(0, block), np.logaddexp(0, -block)])
    with np.errstate(divide="ignore"):
        if block.ndim == 1:
            return -np.column_stack([np.log1p(-block), np.log(block)])
        return -np.asarray(log_softmax(block, axis=1) if from_logits else np.log(block))


def _of_losses(pair: _Pair, loss: Loss) -> Difference:
    """Compare the mean losses."""
    a, b, weight, first, differ, quantile = pair
    n, blocks = len(weight), list(_blocks_of_groups(a.y_prob, first))

    def of_each_label(model: Forecast, rows: slice) -> Floats:
        return loss(model.y_prob[rows].astype(np.float64), model.from_logits)

    def of_own_label(model: Forecast) -> Floats:
        return np.concatenate(
            [chosen_class(of_each_label(model, rows), 1, model.labels[rows]) for rows, _ in blocks]
        )

    own = np.array([of_own_label(model) for model in (a, b)])
    mean_a, mean_b = (own @ (weight / n)).tolist()
    if np.inf in (mean_a, mean_b):
        return Difference(mean_a, mean_b, mean_a - mean_b, -np.inf, np.inf)
    unit = most if (most := float(own.max())) > 1e100 else 1.0  # cubes stay finite
    own /= unit
    seen, many = 0, int(differ.sum())
    value, others, share = float(weight @ (own[0] - own[1]) / n), np.zeros(2), len(first) / n
    for rows, starts in blocks:
        with np.errstate(invalid="ignore"):  # a label that both rule out tells nothing of their difference
            apart = (of_each_label(a, rows) - of_each_label(b, rows)) / unit - value
        apart = np.where(np.isfinite(apart), apart, 0.0) * weight[rows, None]
        apart = share * np.add.reduceat(apart, starts)
        some, seen = apart[differ[seen : seen + len(starts)]], seen + len(starts)
        others += [float(power.mean(axis=1).sum()) / max(many, 1) for power in two_powers(some)]
    apart = share * np.add.reduceat(weight * (own[0] - own[1] - value), first)
    low, high = ends_of_mean(value, apart, others, quantile)
    return Difference(mean_a, mean_b, value * unit, low * unit, high * unit)


def _blocks_of_groups(array: FloatArray, first: IntArray) -> Iterator[tuple[slice, IntArray]]:
    """Cut the rows into blocks that cut no group, each with the places in it where groups begin."""
    cuts = np.unique(np.searchsorted(first, [rows.start for rows in row_blocks(array)]))
    for start, stop in pairwise([*cuts.tolist(), len(first)]):
        if start < stop:
            end = first[stop] if stop < len(first) else len(array)
            yield slice(int(first[start]), int(end)), first[start:stop] - first[start]


class _Binned(NamedTuple):
    """A model's bins: the factor of a pair of groups in each, and its debiased square.

    `apart` holds what the rows of each group in each bin are apart from the bin's gap, shape (groups, bins),
    and `part` what each row contributes to the squared error, shape (n,): either three times, for its own
    label, and where the event did not come or came.
    """

    pair: Floats
    value: float
    apart: list[csr_array]
    part: Floats


def _of_calibration(pair: _Pair, n_bins: int, strategy: Strategy) -> Difference:
    """Compare the debiased squared calibration errors."""
    a, b, weight, first, differ, quantile = pair
    scored, n = [x.whole() for x in (a, b)], len(weight)
    both = np.concatenate([scores for scores, _ in scored])
    of_both = edges_of(both, n_bins, strategy, np.tile(weight, 2)) if strategy == "quantile" else None
    models = []
    for name, (scores, hits) in zip(("prob_a", "prob_b"), scored, strict=True):
        index = uniform_bins(scores, n_bins) if of_both is None else bin_index(scores, of_both, strategy)
        models.append(_binned(name, index, scores, hits, weight, first))
    one, other = models
    parts = one.part - other.part
    apart = weight * (parts - weight @ parts[0] / n)
    apart = len(first) / n * np.add.reduceat(apart, first, axis=1)
    some = apart[1:, differ] if differ.any() else np.zeros(1)
    others = np.array([power.mean() for power in two_powers(some)])
    value = one.value - other.value
    low, high = ends_of_mean(value, apart[0], others, quantile, _scatter(one, other))
    return Difference(one.value, other.value, value, low, high)


def _binned(
    name: str,
    index: npt.NDArray[np.intp],
    scores: FloatArray,
    hits: npt.NDArray[np.bool_],
    weight: Floats,
    first: IntArray,
) -> _Binned:
    filled, index = np.unique(index, return_inverse=True)
    n, shape = len(hits), (len(first), len(filled))

    def in_cells(values: Floats) -> csr_array:
        cells = csr_array((values, index, np.r_[first, n]), shape=shape, copy=True)
        cells.sum_duplicates()
        return cells

    missed = np.array([hits, np.zeros(n), np.ones(n)]) - scores
    weights, misses = in_cells(weight), in_cells(weight * missed[0])
    mass, gaps = (np.bincount(index, values) for values in (weight, weight * missed[0]))
    squares, gaps_squared = (np.bincount(x.indices, x.data**2) for x in (weights, misses))
    groups = np.bincount(weights.indices)
    each, one = ("row", "one row") if len(first) == n else ("group", "rows of one group")
    if groups.max() == 1:
        expected = f"so few that two {each}s share a bin"
        raise _input.BadValue("n_bins", f"leaves each {each} of {name} alone", expected)
    if alone := (filled[groups == 1] + 1).tolist():
        bins = ", ".join(map(str, alone[:10])) + (" ..." if alone[10:] else "")
        _input.warn(f"{name}: bin {bins} holds {one}: left out of the debiased error")
    pair = np.divide(mass / n, mass**2 - squares, out=np.zeros_like(mass), where=groups > 1)
    gap = (gaps / mass)[index]
    value = float(pair @ (gaps**2 - gaps_squared))
    return _Binned(pair, value, [in_cells(weight * x) for x in missed - gap], 2 * gap * missed - gap**2)


def _scatter(a: _Binned, b: _Binned) -> float:
    """Return the variance of the difference where both models are calibrated.

    Then it is a sum over the pairs of groups that share a bin, in a's bins less in b's, all uncorrelated: two
    such sums have in common what the same pair adds to both.
    """

    def squares(one: _Binned, other: _Binned) -> float:
        products = [x.T @ y for x, y in zip(one.apart, other.apart, strict=True)]
        sums = products[0] + EXTRA / one.apart[0].shape[0] / 2 * (products[1] + products[2])
        return float(one.pair @ ((sums * sums) @ other.pair))

    alone = squares(a, a) + squares(b, b)
    variance = 2 * (alone - 2 * squares(a, b))
    return variance if variance > ROUNDING * alone else 0.0
