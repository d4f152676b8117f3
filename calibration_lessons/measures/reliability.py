"""The reliability curve: confidence against accuracy, a bin at a time.

Everything that measures binned calibration rests on the curve computed here, so a plot and a
number can never disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from scipy.stats import binom
from scipy.stats import norm as normal

from .. import _blocks, _input
from .._typing import FloatArray, Floats

Target = Literal["top-label", "positive"] | int | None
Strategy = Literal["uniform", "quantile"]
Norm = Literal["l1", "l2"]
Scored = tuple[FloatArray, npt.NDArray[np.bool_]]  # scores, and whether the event happened


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """What a reliability diagram shows, bin by bin.

    Attributes
    ----------
    edges : ndarray, shape (M + 1,)
        Bin m holds the scores in ``(edges[m-1], edges[m]]``; 0 falls in the first bin.
    counts : ndarray of int, shape (M,)
        Rows a bin (rows of weight 0 do not count).
    weights : ndarray, shape (M,)
        Sum of the sample weights a bin; without weights the same as `counts`.
    confidence, accuracy : ndarray, shape (M,)
        Weighted mean score and weighted share of hits a bin, in [0, 1]; NaN where a bin is empty.
    effective_counts : ndarray, shape (M,)
        Kish's effective number of rows, (sum w)^2 / sum w^2; without weights the same as `counts`.
    """

    edges: FloatArray
    counts: npt.NDArray[np.int64]
    weights: Floats
    confidence: Floats
    accuracy: Floats
    effective_counts: Floats

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum())

    @property
    def shares(self) -> Floats:
        """Share of the total weight a bin, shape (M,)."""
        return np.asarray(self.weights / self.weights.sum())

    @property
    def gaps(self) -> Floats:
        """Accuracy minus confidence a bin, shape (M,); 0 where a bin is empty."""
        return np.where(self.weights > 0, self.accuracy - self.confidence, 0.0)

    def ece(self, norm: Norm = "l1") -> float:
        """Return the expected calibration error: the mean gap (``eq-ece``), or its root mean square."""
        _input.one_of(norm, ["l1", "l2"], "norm")
        if norm == "l1":
            return float(self.shares @ np.abs(self.gaps))
        return float(np.sqrt(self.shares @ self.gaps**2))

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
        _input.number_between(level, 0, 1, "level", open_ends=True)
        z2 = normal.isf((1 - level) / 2) ** 2
        n = np.where(self.weights > 0, self.effective_counts, np.nan)
        centre = (self.accuracy + z2 / (2 * n)) / (1 + z2 / n)
        half = np.sqrt(z2 / n * (self.accuracy * (1 - self.accuracy) + z2 / (4 * n))) / (1 + z2 / n)
        return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)

    def band(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the lowest and highest accuracy that a calibrated model shows in each bin, NaN where empty.

        The hits of a bin are taken as binomial with the bin's confidence, which is exact where its scores
        are equal and a little wide where they differ.

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
        _input.number_between(level, 0, 1, "level", open_ends=True)
        n = np.maximum(np.round(self.effective_counts), self.weights > 0)
        low, high = binom.interval(level, n, np.clip(self.confidence, 0.0, 1.0))
        return low / n, high / n


def bin_edges(n_bins: int, dtype: npt.DTypeLike = np.float64) -> FloatArray:
    """Correctly rounded edges m/M of M bins of equal width; the one place that makes them.

    ``np.linspace`` multiplies by a rounded step instead and is one unit in the last place off
    at some edges, which moves the scores that lie on an edge.

    Parameters
    ----------
    n_bins : int
        Number M of bins, at least 1.
    dtype : dtype
        Type of the scores: the edges are rounded once, to this type.

    Returns
    -------
    ndarray, shape (M + 1,)

    Examples
    --------
    >>> float(bin_edges(10)[3]), float(np.linspace(0, 1, 11)[3])
    (0.3, 0.30000000000000004)
    """
    m = _input.positive_whole(n_bins, "n_bins")
    return (np.arange(m + 1) / m).astype(dtype)


def quantile_edges(scores: npt.ArrayLike, n_bins: int, sample_weight: npt.ArrayLike | None = None) -> Floats:
    """Inner edges of bins of equal mass: the smallest score with a share of m/M at or below it.

    Equal scores stay together, so ties make fewer bins. The result has at most M - 1 edges.
    """
    values = np.asarray(scores)
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    weight = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight)[order]
    reached = np.cumsum(weight)
    first_enough = np.searchsorted(reached * n_bins, np.arange(1, n_bins) * reached[-1])
    return np.unique(ranked[first_enough])


def scores_and_hits(
    y_true: npt.ArrayLike, y_prob: npt.ArrayLike, target: Target = None, *, from_logits: bool = False
) -> Scored:
    """Reduce a forecast to one score a row and whether the event it speaks of happened."""
    promise = Promise.read(y_true, y_prob, target, from_logits=from_logits)
    scores, hits = np.empty(len(promise.labels), promise.dtype), np.empty(len(promise.labels), dtype=bool)
    for rows, scored in promise.blocks():
        scores[rows], hits[rows] = scored
    return scores, hits


def promised(y_prob: npt.ArrayLike, target: Target = None, *, from_logits: bool = False) -> FloatArray:
    """Reduce a forecast to one score a row, whatever happened."""
    rows = len(_input.real_array(y_prob, "y_prob", (1, 2)))
    scores, _ = scores_and_hits(np.zeros(rows), y_prob, target, from_logits=from_logits)
    return scores


@dataclass(frozen=True, eq=False)
class Promise:
    """What a forecast promises, and whether it came: the event whose probability is tested, row by row.

    The event is "the label is 1" (``target="positive"``), "the label is k" (``target=k``) or
    "the predicted class is the label" (``target="top-label"``).
    """

    values: FloatArray
    labels: npt.NDArray[np.int64]
    chosen: Literal["top-label"] | int
    from_logits: bool

    @classmethod
    def read(
        cls, y_true: npt.ArrayLike, y_prob: npt.ArrayLike, target: Target, *, from_logits: bool
    ) -> Promise:
        """Check everything but the numbers in `y_prob`; `blocks` checks those on the way."""
        values = _input.real_array(y_prob, "y_prob", (1, 2))
        n_classes = _input.classes(values, "y_prob")
        chosen = resolve_target(target, values.ndim, n_classes)
        labels = _input.labels(y_true, n_classes)
        _input.same_length(y_true=labels, y_prob=values)
        return cls(values, labels, chosen, from_logits)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the scores, hence of the edges."""
        return np.dtype(np.float64) if self.from_logits else self.values.dtype

    def blocks(self) -> Iterator[tuple[slice, Scored]]:
        """Scores and hits of many rows at a time; the numbers behind them are checked block by block."""
        checked = _input.logit_blocks if self.from_logits else _input.probability_blocks
        reduce = self._one_column if self.values.ndim == 1 else self._columns
        for many in _blocks.row_blocks(self.labels):
            labels = self.labels[many]
            scores, hits = np.empty(len(labels), self.dtype), np.empty(len(labels), dtype=bool)
            for rows, block in checked(self.values[many], "y_prob", many.start):
                scores[rows], hits[rows] = reduce(block, labels[rows])
            yield many, (scores, hits)

    def _one_column(self, block: FloatArray, labels: npt.NDArray[np.int64]) -> Scored:
        positive = _sigmoid(block) if self.from_logits else block
        if self.chosen == "top-label":
            says_one = block > (0 if self.from_logits else 0.5)
            return np.where(says_one, positive, 1 - positive), labels == says_one
        return positive if self.chosen == 1 else 1 - positive, labels == self.chosen

    def _columns(self, block: FloatArray, labels: npt.NDArray[np.int64]) -> Scored:
        if self.chosen == "top-label":
            top_label = _blocks.top_label_of_logits if self.from_logits else _blocks.top_label
            return top_label(block, labels)
        k = self.chosen
        return _blocks.softmax_column(block, k) if self.from_logits else block[:, k], labels == k


def resolve_target(target: Target, ndim: int, n_classes: int) -> Literal["top-label"] | int:
    """Return "top-label" or the number of the class whose probability is the score."""
    if target is None:
        return 1 if ndim == 1 else "top-label"
    if isinstance(target, int | np.integer) and not isinstance(target, bool) and 0 <= target < n_classes:
        return int(target)
    if not (isinstance(target, str) and target in ("top-label", "positive")):
        known = f"None, 'top-label', 'positive' or a class number 0..{n_classes - 1}"
        raise ValueError(f"target = {target!r}: expected {known}")
    if target == "top-label":
        return "top-label"
    if n_classes > 2:
        raise ValueError(
            f"target = 'positive': y_prob has {n_classes} classes, expected 2 "
            f"(name a class number, 'top-label' or 'class-wise')"
        )
    return 1


def _sigmoid(logits: FloatArray) -> Floats:
    return np.asarray(expit(logits.astype(np.float64)))


def reliability_curve(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target = None,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
) -> ReliabilityCurve:
    """Confidence and accuracy a bin (equations ``eq-bin``, ``eq-accuracy``, ``eq-confidence``).

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels 0..K-1 (0 and 1 for a 1-D `y_prob`).
    y_prob : array_like, shape (n,) or (n, K)
        Probability of the positive class, or of each class; logits with ``from_logits=True``.
    n_bins : int
        Number M of bins.
    strategy : {"uniform", "quantile"}
        Bins of equal width, right-closed, with the edges m/M in the dtype of the scores; or bins of
        equal mass, where equal scores stay together, so that ties make fewer bins.
    target : {None, "top-label", "positive"} or int
        Which promise is tested: the top label's (None for a 2-D `y_prob`), the positive class's
        (None for a 1-D `y_prob`), or that of one class against the rest.
    sample_weight : array_like, shape (n,), optional
        Importance weights, non-negative.
    from_logits : bool
        Read `y_prob` as logits: (n, K), or (n,) for the binary logit z, meaning (0, z).

    Returns
    -------
    ReliabilityCurve

    Raises
    ------
    ValueError, TypeError
        For input that is not as described; the message names the argument and the place.

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
    _input.positive_whole(n_bins, "n_bins")
    _input.one_of(strategy, ["uniform", "quantile"], "strategy")
    promise = Promise.read(y_true, y_prob, target, from_logits=from_logits)
    weights = _input.weights(sample_weight, len(promise.labels))
    if strategy == "uniform":
        edges = bin_edges(n_bins, promise.dtype)
        return curve_from_sums(edges, _sums(promise.blocks(), edges, strategy, weights))
    scores, hits = scores_and_hits(y_true, y_prob, target, from_logits=from_logits)
    return binned(scores, hits, n_bins, strategy, weights)


def binned(
    scores: FloatArray,
    hits: npt.NDArray[np.bool_],
    n_bins: int,
    strategy: Strategy = "uniform",
    weights: Floats | None = None,
) -> ReliabilityCurve:
    """Sort checked scores into bins and sum them up."""
    if strategy == "uniform":
        edges = bin_edges(n_bins, scores.dtype)
    else:
        inner = quantile_edges(scores, n_bins, weights)
        edges = np.concatenate([[0.0], inner[(inner > 0) & (inner < 1)], [1.0]]).astype(scores.dtype)
    blocks = ((rows, (scores[rows], hits[rows])) for rows in _blocks.row_blocks(scores))
    return curve_from_sums(edges, _sums(blocks, edges, strategy, weights))


def _sums(
    blocks: Iterable[tuple[slice, Scored]],
    edges: FloatArray,
    strategy: Strategy,
    weights: Floats | None,
) -> Floats:
    """Sum up each bin over blocks of rows, as `_blocks.bin_sums` does for one block."""
    sums = np.zeros((5, len(edges) - 1))
    for rows, (scores, hits) in blocks:
        index = bin_index(scores, edges, strategy)
        weight = None if weights is None else weights[rows]
        sums += _blocks.bin_sums(index, scores, hits, weight, len(edges) - 1)
    return sums


def bin_index(scores: FloatArray, edges: FloatArray, strategy: Strategy) -> npt.NDArray[np.intp]:
    """Index of the right-closed bin of each score."""
    if strategy == "uniform":
        return _blocks.uniform_bins(scores, edges)
    return np.searchsorted(edges[1:-1], scores, side="left")


def curve_from_sums(edges: FloatArray, sums: Floats) -> ReliabilityCurve:
    """Turn the sums of `_blocks.bin_sums` into a curve."""
    rows, weight, squares, total, correct = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        confidence, accuracy = total / weight, correct / weight
        effective = np.where(weight > 0, weight**2 / squares, 0.0)
    return ReliabilityCurve(edges, rows.astype(np.int64), weight, confidence, accuracy, effective)


class CalibrationAccumulator:
    """A reliability curve of data that never lie in memory at once: streams, partitions, map-reduce.

    Keeps five sums a bin of equal width, however many rows pass. `update` takes a batch, `merge`
    another accumulator, and `curve` equals `reliability_curve` of all batches together. It pickles.

    Parameters
    ----------
    n_bins : int
        Number M of bins.
    target : {None, "top-label", "positive"} or int
        As for `reliability_curve`.

    Notes
    -----
    The first batch settles the dtype of the scores, hence of the edges, and the number of classes.
    A batch of another kind is refused: its edges, or its promise, would differ.

    Examples
    --------
    >>> morning = CalibrationAccumulator(n_bins=2).update([0, 1], [0.2, 0.4])
    >>> evening = CalibrationAccumulator(n_bins=2).update([1], [0.9])
    >>> curve = morning.merge(evening).curve()
    >>> curve.counts.tolist(), round(curve.ece(), 4)
    ([2, 1], 0.1667)
    """

    def __init__(self, n_bins: int = 15, target: Target = None) -> None:
        self.n_bins = _input.positive_whole(n_bins, "n_bins")
        self.target = target
        self._sums = np.zeros((5, self.n_bins))
        self._kind: tuple[str, str] | None = None

    def __repr__(self) -> str:
        rows = int(self._sums[0].sum())
        return f"<CalibrationAccumulator(n_bins={self.n_bins}, target={self.target!r}) of {rows} rows>"

    def update(
        self,
        y_true: npt.ArrayLike,
        y_prob: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        from_logits: bool = False,
    ) -> Self:
        """Add a batch of rows, described as for `reliability_curve`, and return the accumulator.

        The weights of a batch may all be 0; those of all batches together may not.

        Raises
        ------
        ValueError, TypeError
            For input that is not as described, or of another kind than the first batch; nothing is
            added then.
        """
        promise = Promise.read(y_true, y_prob, self.target, from_logits=from_logits)
        weights = _input.weights(sample_weight, len(promise.labels), in_part=True)
        edges = bin_edges(self.n_bins, promise.dtype)
        sums = _sums(promise.blocks(), edges, "uniform", weights)
        shape = np.shape(y_prob)
        columns = "the positive class" if len(shape) == 1 else f"{shape[1]} classes"
        self._settle((columns, promise.dtype.name), "y_prob")
        self._sums += sums
        return self

    def merge(self, other: CalibrationAccumulator) -> Self:
        """Add the rows that another accumulator has seen, and return this one; `other` stays as it is.

        Raises
        ------
        ValueError, TypeError
            Where `other` is no accumulator, or one with other bins, target or kind of batch.
        """
        if not isinstance(other, CalibrationAccumulator):
            raise TypeError(f"other is of type {type(other).__name__}: expected a CalibrationAccumulator")
        if (other.n_bins, other.target) != (self.n_bins, self.target):
            raise ValueError(
                f"other has n_bins = {other.n_bins} and target = {other.target!r}: "
                f"expected {self.n_bins} and {self.target!r}"
            )
        if other._kind is not None:
            self._settle(other._kind, "other")
            self._sums += other._sums
        return self

    def _settle(self, kind: tuple[str, str], name: str) -> None:
        """Keep the kind of the first batch; refuse another."""
        if self._kind is not None and kind != self._kind:
            described = [" in ".join(one) for one in (kind, self._kind)]
            raise ValueError(f"{name} holds {described[0]}: expected {described[1]}, as in the first batch")
        self._kind = kind

    def curve(self) -> ReliabilityCurve:
        """Return the curve of all rows so far.

        Raises
        ------
        ValueError
            Before the first batch, and where all weights are 0.
        """
        if self._kind is None:
            raise ValueError("the accumulator is empty: expected a call of update before curve")
        _input.some_weight(float(self._sums[1].sum()))
        return curve_from_sums(bin_edges(self.n_bins, self._kind[1]), self._sums.copy())
