"""A reliability curve of data that never lie in memory at once."""

from __future__ import annotations

from typing import Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from .. import _input
from .._parameters import describe
from .._typing import Floats, Target
from ._forecast import Forecast
from .bins import bin_edges, sums_of_bins
from .reliability import ReliabilityCurve, curve_from_sums

Kind = tuple[str, str]  # what the columns stand for, and the type of the scores
Event = Literal["top-label", "positive"] | int


class Batch(NamedTuple):
    """The sums of some rows over the bins of equal width, with the kind of the rows and their event."""

    kind: Kind
    event: Event
    sums: Floats
    telling: bool  # of so many different forecasts that other rows have other sums

    @classmethod
    def read(
        cls,
        y_true: npt.ArrayLike,
        y_prob: npt.ArrayLike,
        n_bins: int,
        target: Target,
        sample_weight: npt.ArrayLike | None = None,
        *,
        from_logits: bool,
    ) -> Batch:
        """Check the rows, and sum up each bin."""
        rows = Forecast.read(y_true, y_prob, target, sample_weight, from_logits=from_logits, in_part=True)
        sums = sums_of_bins(rows.blocks(), bin_edges(n_bins, rows.dtype), "uniform", rows.weights)
        shape = rows.y_prob.shape
        columns = "the positive class" if len(shape) == 1 else f"{shape[1]} classes"
        return cls((columns, rows.dtype.name), rows.target, sums, _input.many_values(rows.y_prob))


def same_kind(kind: Kind, known: Kind | None, name: str) -> Kind:
    """Return the kind of a batch; refuse another one than that of the first."""
    if known is not None and kind != known:
        described = [" in ".join(one) for one in (kind, known)]
        raise _input.BadValue(name, f"holds {described[0]}", f"{described[1]}, as in the first batch")
    return kind


@describe
class CalibrationAccumulator:
    """A reliability curve of data that never lie in memory at once: streams, partitions, map-reduce.

    Keeps eight sums per bin of equal width, however many rows pass. `update` takes a batch, `merge`
    another accumulator, and `curve` equals `reliability_curve` of all batches together. It pickles.

    Parameters
    ----------
    {n_bins, target}

    Notes
    -----
    The first batch settles the dtype of the scores, hence of the edges, and the number of classes.
    A batch of another kind is refused: its edges, or its event, would differ.

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
        self._sums = np.zeros((8, self.n_bins))
        self._seen: list[Floats] = []  # the sums that came first and last
        self._telling = False
        self._kind: Kind | None = None
        self._event: Event = "top-label"

    def __repr__(self) -> str:
        rows = int(self._sums[0].sum())
        return f"<CalibrationAccumulator(n_bins={self.n_bins}, target={self.target!r}) of {rows} rows>"

    def update(
        self,
        y_true: npt.ArrayLike,
        y_prob: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        from_logits: bool = False,
    ) -> Self:
        """Add a batch of rows, and return the accumulator.

        Parameters
        ----------
        {y_true, y_prob, sample_weight}
            Those of a batch may all be 0; those of all batches together may not.
        {from_logits}

        {refused}
            Also for a batch of another kind than the first; nothing is added then.

        Warns
        -----
        UserWarning
            Where the batch, of twenty different forecasts or more, is in all sums the first or the last one.
        """
        batch = Batch.read(y_true, y_prob, self.n_bins, self.target, sample_weight, from_logits=from_logits)
        self._kind, self._event = same_kind(batch.kind, self._kind, "y_prob"), batch.event
        self._add("y_prob", batch.sums, batch.telling)
        return self

    def merge(self, other: CalibrationAccumulator) -> Self:
        """Add the rows that another accumulator has seen, and return this one; `other` stays as it is.

        {refused}
            Also where `other` is this accumulator, or one with other bins, target or kind of batch.

        Warns
        -----
        UserWarning
            As `update`, of the rows that `other` has seen.
        """
        if not isinstance(other, CalibrationAccumulator) or other is self:
            raise _input.BadType("other", f"is of type {type(other).__name__}", "another accumulator")
        if (other.n_bins, other.target) != (self.n_bins, self.target):
            found = f"has n_bins = {other.n_bins} and target = {other.target!r}"
            raise _input.BadValue("other", found, f"{self.n_bins} and {self.target!r}")
        if other._kind is not None:
            self._kind = same_kind(other._kind, self._kind, "other")
            self._event = other._event
            self._add("other", other._sums, other._telling)
        return self

    def _add(self, name: str, sums: Floats, telling: bool) -> None:
        if telling and any(np.array_equal(sums, one) for one in self._seen):
            _input.warn(f"{name} holds the rows that came first or last, and adds them again: add each once")
        self._sums, self._telling = self._sums + sums, self._telling or telling
        self._seen = [*self._seen[:1], sums]

    def curve(self) -> ReliabilityCurve:
        """Return the curve of all rows so far.

        Raises
        ------
        ValueError
            Before the first batch, and where all weights are 0.
        """
        if self._kind is None:
            raise _input.BadValue("the accumulator", "is empty", "a call of update before curve")
        _input.some_weight(float(self._sums[1].sum()))
        edges = bin_edges(self.n_bins, self._kind[1])
        return curve_from_sums(self._event, "uniform", edges, self._sums.copy())
