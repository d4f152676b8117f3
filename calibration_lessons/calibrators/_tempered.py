"""What temperature scaling and expectation consistency share: softmax(z / T), and the search for T."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Self

import numpy as np
import numpy.typing as npt

from .. import _blocks, _input
from .._typing import FloatArray, Floats, IntArray
from ._base import Calibrator, Reads, labels_and_weights
from ._root import Equation, bend_at, near_root, positive_root

EVERY = 16  # the rough search reads one row in so many
ROUGHLY = 1e-6  # relative error of the beta for one row in so many: chance moves it by much more
NEARLY = 1e-4  # the same for the beta in single precision: the exact steps do the rest
PRECISION = 1e-12  # relative error of T at which the search stops
ROUNDING = 1e-13  # a sum that is smaller than this share of its terms is 0 but for rounding
SPREAD = (1e-100, 1e100)  # distances between logits whose squares float64 can hold

Sums = tuple[float, float]


class TemperedSoftmax(Calibrator):
    """Probabilities softmax(z / T), whatever condition chooses the temperature T.

    The condition equates two sums over the rows: one under the model, which grows with beta = 1 / T,
    and one under the labels, which does not depend on beta.
    """

    temperature_: float

    @property
    def reads(self) -> Reads:
        """Logits."""
        return "logits"

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Find the temperature.

        Parameters
        ----------
        X : array_like, shape (n, K) or (n,)
            Logits of each class, or the binary logit z, read as (0, z). A single ``-inf`` rules a class
            out; it may not be the row's own label.
        y : array_like, shape (n,)
            Labels 0..K-1. Not every class has to occur.
        sample_weight : array_like, shape (n,), optional
            Importance weights, non-negative.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For input that is not as described, and where no finite positive temperature meets the
            condition; the message says which way the temperature would run.
        """
        logits, labels, weights = self.calibration_data(X, y, sample_weight)
        _input.some_weight(weights.max(initial=0.0))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            self.temperature_ = 1 / self._search(logits, labels, weights / weights.max())
        self.classes_ = np.arange(logits.shape[1])
        return self

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

    def _logits(self, X: npt.ArrayLike) -> FloatArray:
        return _input.logits(self._new_scores(X), "X")

    def calibration_data(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None
    ) -> tuple[FloatArray, IntArray, Floats]:
        """Logits (n, K), labels and weights of all rows or of a part; rows of weight 0 are left out."""
        logits = _columns(_input.logits(self._calibration_scores(X, y), "X"))
        labels, given = labels_and_weights(y, sample_weight, logits, logits.shape[1], in_part=True)
        weights = np.ones(len(labels)) if given is None else given
        _input.label_logits(logits, labels, weights)
        if weights.min() == 0:
            logits, labels, weights = logits[weights > 0], labels[weights > 0], weights[weights > 0]
        return logits, labels, weights

    def _search(self, logits: FloatArray, labels: IntArray, weights: Floats) -> float:
        """Beta for all rows; the search starts from the beta for every sixteenth row, where that exists.

        Logits in single precision allow the first steps over all rows in single precision.
        """
        limits, highest = _blocks.logit_limits(logits, labels, weights)
        self.refuse(limits)
        start, bend, some = limits.weight / limits.spread, 0.0, slice(None, None, EVERY)
        rough, _ = _blocks.logit_limits(logits[some], labels[some], weights[some])
        if self.obstacle(rough) is None:
            few = self._equation(rough, partial(self.model_sum, logits[some], highest[some], weights[some]))
            start = positive_root(few, start, ROUGHLY)
            bend = bend_at(few, start)
        model_sum = partial(self.model_sum, logits, highest, weights)
        if logits.dtype != np.float64:
            single = self._equation(limits, partial(model_sum, dtype=np.float32))
            start = near_root(single, start, NEARLY, bend)
        return positive_root(self._equation(limits, model_sum), start, PRECISION, bend)

    def refuse(self, limits: _blocks.LogitLimits) -> None:
        """Refuse calibration data that no finite positive temperature fits, and say why."""
        low, high = SPREAD
        spread = limits.spread / limits.weight
        if not (spread == 0 or low < spread < high):
            raise ValueError(
                f"X holds logits that lie {spread:.3g} below their row's largest on average: "
                f"expected 0, or a distance between {low:g} and {high:g}"
            )
        obstacle = self.obstacle(limits)
        if obstacle is not None:
            raise ValueError(f"no temperature fits: {obstacle}")

    def solve(self, limits: _blocks.LogitLimits, model_sum: Callable[[float], Sums], start: float) -> float:
        """Beta at which the sum under the model equals the sum under the labels."""
        return positive_root(self._equation(limits, model_sum), start, PRECISION)

    def _equation(self, limits: _blocks.LogitLimits, model_sum: Callable[[float], Sums]) -> Equation:
        """How far the sum under the model lies above that under the labels, and its slope in log beta."""
        target = self.label_sum(limits)

        def equation(beta: float) -> Sums:
            total, slope = model_sum(beta)
            return total - target, beta * slope

        return equation

    @staticmethod
    def model_sum(
        logits: FloatArray,
        highest: FloatArray,
        weights: Floats,
        beta: float,
        dtype: npt.DTypeLike = np.float64,
    ) -> Sums:
        """Sum under the model, which grows with beta, and its slope; blocks of rows add up."""
        raise NotImplementedError

    @staticmethod
    def label_sum(limits: _blocks.LogitLimits) -> float:
        """Sum under the labels."""
        raise NotImplementedError

    @staticmethod
    def obstacle(limits: _blocks.LogitLimits) -> str | None:
        """Say why no finite positive temperature meets the condition, or None where exactly one does."""
        raise NotImplementedError


def _columns(logits: FloatArray) -> FloatArray:
    """Logits of each class; a binary logit z is read as (0, z)."""
    return np.stack([np.zeros_like(logits), logits], axis=1) if logits.ndim == 1 else logits
