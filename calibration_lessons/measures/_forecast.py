"""A forecast: the event whose probability is tested; row by row, its score and whether it happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from .. import _blocks, _input
from .._typing import FloatArray, IntArray, Names, Target

Scored = tuple[FloatArray, npt.NDArray[np.bool_]]  # scores, and whether the event happened


@dataclass(frozen=True, eq=False)
class Forecast(_input.Rows):
    """Probabilities or logits with the labels that came, and the event whose probability is tested.

    The event is "the label is 1" (``target="positive"``), "the label is k" (``target=k``) or
    "the predicted class is the label" (``target="top-label"``).
    """

    target: Literal["top-label", "positive"] | int
    from_logits: bool

    @classmethod
    def read(
        cls,
        y_true: npt.ArrayLike,
        y_prob: npt.ArrayLike,
        target: Target,
        sample_weight: npt.ArrayLike | None = None,
        from_logits: bool = False,
        names: Names = (None, None),
        **options: Any,
    ) -> Forecast:
        """Check everything but the numbers in `y_prob`, as `_input.forecast`; `blocks` checks those."""
        options |= {"from_logits": from_logits, "names": names, "yes_or_no": False}
        rows = _input.forecast(y_true, y_prob, sample_weight, **options)
        _input.squarable(rows.weights)
        event = resolve_target(target, rows.y_prob.ndim, rows.n_classes)
        return cls(rows.y_prob, rows.labels, rows.weights, event, from_logits)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the scores, hence of the edges."""
        return np.dtype(np.float64) if self.from_logits else self.y_prob.dtype

    def blocks(self) -> Iterator[tuple[slice, Scored]]:
        """Scores and hits of many rows at a time; the numbers behind them are checked block by block."""
        reduce = self._one_column if self.y_prob.ndim == 1 else self._columns
        for many in _blocks.row_blocks(self.labels):
            values, labels = self.y_prob[many], self.labels[many]
            scores, hits = np.empty(len(labels), self.dtype), np.empty(len(labels), dtype=bool)
            for rows in _blocks.row_blocks(values):
                _input.check_forecast(values[rows], many.start + rows.start, from_logits=self.from_logits)
                scores[rows], hits[rows] = reduce(values[rows], labels[rows])
            yield many, (scores, hits)

    def whole(self) -> Scored:
        """Scores and hits of all rows."""
        scores, hits = zip(*(scored for _, scored in self.blocks()), strict=True)
        return np.concatenate(scores), np.concatenate(hits)

    def means(self) -> tuple[float, float]:
        """Mean score, and the share of rows where the event happened."""
        score, share = np.average(self.whole(), axis=1, weights=self.weights)
        return float(score), float(share)

    def warn_of_rows(self, name: str = "y_prob") -> None:
        """Warn of what careful users look for first: labels of one class, and copies of rows."""
        _input.labels_of_one_class(self.counted()[1])
        self.warn_of_copies(name)

    def warn_of_copies(self, name: str = "y_prob") -> None:
        """Warn where each row that counts occurs more than once."""
        forecasts, labels, _ = self.counted()
        _input.repeated(forecasts, labels, name)

    def _one_column(self, block: FloatArray, labels: IntArray) -> Scored:
        positive: FloatArray = expit(block.astype(np.float64)) if self.from_logits else block
        if self.target == "top-label":
            says_one = block > (0 if self.from_logits else 0.5)
            return np.where(says_one, positive, 1 - positive), labels == says_one
        k = class_number(self.target)
        return positive if k == 1 else 1 - positive, labels == k

    def _columns(self, block: FloatArray, labels: IntArray) -> Scored:
        if self.target == "top-label":
            top_label = _blocks.top_label_of_logits if self.from_logits else _blocks.top_label
            return top_label(block, labels)
        k = class_number(self.target)
        return _blocks.softmax_column(block, k) if self.from_logits else block[:, k], labels == k


def resolve_target(target: Target, ndim: int, n_classes: int) -> Literal["top-label", "positive"] | int:
    """Name the event whose probability is the score; class 1 of two is the positive one."""
    if target is None:
        return "positive" if ndim == 1 else "top-label"
    if isinstance(target, int | np.integer) and not isinstance(target, bool) and 0 <= target < n_classes:
        return "positive" if n_classes == 2 and target == 1 else int(target)
    if target == "positive" and isinstance(target, str):
        if n_classes > 2:
            expected = "2 classes (or a class number, 'top-label' or 'class-wise')"
            raise _input.BadValue("target", f"= 'positive' for {n_classes} classes", expected)
        return "positive"
    if target == "top-label" and isinstance(target, str):
        return "top-label"
    known = f"None, 'top-label', 'positive' or a class number 0..{n_classes - 1}"
    raise _input.BadValue("target", f"= {target!r}", known)


def event_name(target: Literal["top-label", "positive"] | int) -> str:
    """Name the event for a reader, such as "top label", "positive class" or "class 3"."""
    names = {"top-label": "top label", "positive": "positive class"}
    return names[target] if isinstance(target, str) else f"class {target}"


def the(event: str) -> str:
    """Name the event within a sentence."""
    return event if event.startswith("class ") else f"the {event}"


def class_number(target: str | int) -> int:
    """Return the class whose probability is the score."""
    return 1 if isinstance(target, str) else target
