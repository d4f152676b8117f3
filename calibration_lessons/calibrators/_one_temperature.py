"""What both temperatures share: softmax(z / T), and how a fit reads its rows."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from .. import _input
from .._json_state import Learned, Numbers
from .._typing import FloatArray, Floats, IntArray
from ..solvers.root import increasing_root
from ._base import Calibrator, Reads, labels_and_weights, warn_of_probabilities
from ._logit_rows import LogitLimits, LogitRows

RTOL = 1e-13  # a sum that is smaller than this share of its terms is 0 but for rounding
SUBSAMPLE = 16  # the search starts at the temperature of one row in 16
MIN_SPREAD, MAX_SPREAD = 1e-100, 1e100  # distances between logits whose squares float64 can hold


class TemperedSoftmax(Calibrator):
    """Probabilities softmax(z / T), whatever equation chooses the temperature T."""

    temperature_: float
    _learned: ClassVar[Learned] = {"temperature_": Numbers(low=0)}

    @property
    def reads(self) -> Reads:
        """Logits."""
        return "logits"

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return softmax(z / T), shape (n, K) (equation ``eq-temperature``)."""
        p = _columns(self._logits(X)).astype(np.float64)
        with np.errstate(over="ignore", under="ignore"):
            p -= p.max(axis=1, keepdims=True)
            p /= self.temperature_
            np.exp(p, out=p)
        p /= p.sum(axis=1, keepdims=True)
        return p

    def predict(self, X: npt.ArrayLike) -> IntArray:
        """Return the class of the largest logit, shape (n,): no temperature changes it."""
        return np.asarray(_columns(self._logits(X)).argmax(axis=1))

    @staticmethod
    def _excess(rows: LogitRows, beta: float) -> tuple[float, float]:
        """Left side minus right side of the equation at beta = 1 / T, and the slope in beta.

        Both are sums over the rows, so blocks of rows add up.
        """
        raise NotImplementedError

    @staticmethod
    def _obstacle(limits: LogitLimits) -> str | None:
        """Say why no finite positive T solves the equation, or None where exactly one does."""
        raise NotImplementedError

    def _logits(self, X: npt.ArrayLike) -> FloatArray:
        return _input.logits(self._new_scores(X), "X")

    def _rows(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None) -> LogitRows:
        """Read all calibration rows or a part of them; rows of weight 0 are left out."""
        logits = _columns(_input.logits(self._calibration_scores(X, y), "X"))
        labels, given = labels_and_weights(y, sample_weight, logits, logits.shape[1], in_part=True)
        weights = np.ones(len(labels)) if given is None else given
        _input.label_logits(logits, labels, weights)
        if weights.min() == 0:
            logits, labels, weights = logits[weights > 0], labels[weights > 0], weights[weights > 0]
        return LogitRows(logits, labels, weights)

    def _all_rows(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None) -> LogitRows:
        """Read all calibration rows, weights relative to the largest; refuse those that no T fits."""
        rows = self._rows(X, y, sample_weight)
        _input.some_weight(rows.weights.max(initial=0.0))
        warn_of_probabilities(rows.logits[:, 1] if self.n_features_in_ == 1 else rows.logits, self)
        rows = LogitRows(rows.logits, rows.labels, rows.weights / rows.weights.max())
        self._refuse(rows.limits)
        return rows

    def _refuse(self, limits: LogitLimits) -> None:
        """Refuse calibration rows that no finite positive temperature fits, and say why."""
        spread = limits.spread / limits.weight
        if not (spread == 0 or MIN_SPREAD < spread < MAX_SPREAD):
            raise ValueError(
                f"X holds logits that lie {spread:.3g} below their row's largest on average: "
                f"expected 0, or a distance between {MIN_SPREAD:g} and {MAX_SPREAD:g}"
            )
        obstacle = self._obstacle(limits)
        if obstacle is not None:
            raise ValueError(f"no temperature fits: {obstacle}")

    def _start(self, rows: LogitRows) -> float:
        """Beta of one row in 16, where they have one: chance alone moves it from the beta of all rows."""
        few = rows.every(SUBSAMPLE)
        unit = rows.limits.weight / rows.limits.spread
        return unit if self._obstacle(few.limits) else increasing_root(partial(self._excess, few), unit)

    def _learn(self, rows: LogitRows, beta: float) -> Self:
        self.temperature_ = 1 / beta
        self.classes_ = np.arange(rows.logits.shape[1])
        return self


def _columns(logits: FloatArray) -> FloatArray:
    """Logits of each class; a binary logit z is read as (0, z)."""
    return np.stack([np.zeros_like(logits), logits], axis=1) if logits.ndim == 1 else logits
