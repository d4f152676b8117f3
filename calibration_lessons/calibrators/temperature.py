"""Temperature scaling: divide all logits by one number, chosen by maximum likelihood.

A temperature T is found as beta = 1 / T, the root of an equation whose two sides are sums over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _blocks, _input
from .._json_state import Learned, Numbers
from .._typing import FloatArray, Floats, IntArray
from ..solvers.root import increasing_root
from ._base import Calibrator, Reads, warn_of_probabilities

RTOL = 1e-13  # a sum that is smaller than this share of its terms is 0 but for rounding
SUBSAMPLE = 16  # the search starts at the temperature of one row in 16
MIN_SPREAD, MAX_SPREAD = 1e-100, 1e100  # distances between logits whose squares float64 can hold

Equation = Callable[[float], tuple[float, float]]  # of beta: both sides' difference, and its slope


class LogitLimits(NamedTuple):
    """Weighted sums over rows that tell which temperatures can be reached; those of blocks of rows add up."""

    weight: float
    below_top: float  # largest logit minus the label's
    above_mean: float  # the label's logit minus the mean of the row's finite ones
    correct: float  # 1 where the first largest logit is the label's
    one_over_finite: float  # 1 / (number of finite logits)
    one_over_tied: float  # 1 / (number of logits that share the maximum)

    @property
    def spread(self) -> float:
        """Largest logit minus the mean of the row's finite logits."""
        return self.below_top + self.above_mean


class LogitRows:
    """Logits (n, K), their labels and their positive weights."""

    def __init__(self, logits: FloatArray, labels: IntArray, weights: Floats) -> None:
        self.logits, self.labels, self.weights = logits, labels, weights
        self.some_ruled_out = len(logits) > 0 and bool(logits.min() == -np.inf)

    def every(self, step: int) -> LogitRows:
        """Return one row in `step`."""
        return LogitRows(self.logits[::step], self.labels[::step], self.weights[::step])

    @cached_property
    def highest(self) -> FloatArray:
        """Largest logit of each row."""
        blocks = (_blocks.laid_out(self.logits[rows]) for rows in _blocks.row_blocks(self.logits))
        return np.concatenate([block.max(axis=axis) for block, axis in blocks])

    def gaps(self) -> Iterator[tuple[slice, FloatArray, int]]:
        """Logits minus their row's largest, a block of rows at a time, and the axis of the classes."""
        for rows in _blocks.row_blocks(self.logits):
            gaps, axis = _blocks.worked_on(self.logits[rows], np.float64)
            with np.errstate(over="ignore"):  # a distance beyond float64 is refused by its size
                gaps -= np.expand_dims(self.highest[rows], axis)
            yield rows, gaps, axis

    @cached_property
    def limits(self) -> LogitLimits:
        """The sums that say whether a temperature exists."""
        sums = np.zeros(6)
        with np.errstate(over="ignore", invalid="ignore"):  # so is a sum of such distances
            for rows, gaps, axis in self.gaps():
                labels, weights = self.labels[rows], self.weights[rows]
                to_label = weights @ _blocks.chosen_class(gaps, axis, labels)
                tied, correct = _blocks.ties(gaps == 0, axis, labels)
                finite = np.full(len(labels), gaps.shape[axis])
                if self.some_ruled_out:
                    finite -= (gaps == -np.inf).sum(axis=axis)
                    gaps[gaps == -np.inf] = 0.0
                to_mean = weights @ (_blocks.row_sums(gaps, axis) / finite)
                ones = weights @ correct, weights @ (1 / finite), weights @ (1 / tied)
                sums += [weights.sum(), -to_label, to_label - to_mean, *ones]
        return LogitLimits(*sums.tolist())

    def moments(self, beta: float, powers: int) -> Iterator[tuple[Floats, list[Floats]]]:
        """Weights, and row sums of e, e t, ..., e t^powers, a block of rows at a time.

        t = z - max z is at most 0 and e = exp(beta t) at most 1, so nothing overflows.
        """
        for rows, gaps, axis in self.gaps():
            terms = gaps * beta
            np.exp(terms, out=terms)
            if self.some_ruled_out:  # such a class adds nothing
                gaps[gaps == -np.inf] = 0.0
            sums = [_blocks.row_sums(terms, axis)]
            for _ in range(powers):
                terms *= gaps
                sums.append(_blocks.row_sums(terms, axis))
            yield self.weights[rows], sums


class LogitCalibrator(Calibrator):
    """A map of the logits of each class; a binary logit z is read as (0, z)."""

    reads: Reads = "logits"

    def _check_scores(self, array: FloatArray) -> FloatArray:
        logits = _input.logits(array, "X")
        return np.stack([np.zeros_like(logits), logits], axis=1) if logits.ndim == 1 else logits

    def _warn(self, logits: FloatArray, labels: IntArray) -> None:
        super()._warn(self._as_given(logits), labels)
        _input.labels_of_one_class(labels)

    def _new_scores(self, X: npt.ArrayLike) -> FloatArray:
        logits = super()._new_scores(X)
        warn_of_probabilities(self._as_given(logits), self)
        return logits

    def _as_given(self, logits: FloatArray) -> FloatArray:
        return logits[:, 1] if self.n_features_in_ == 1 else logits


class TemperedSoftmax(LogitCalibrator):
    """Probabilities softmax(z / T), whatever equation chooses the temperature T."""

    temperature_: float
    _learned: ClassVar[Learned] = {"temperature_": Numbers(low=0)}

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return softmax(z / T), shape (n, K) (equation ``eq-temperature``)."""
        p = np.exp(self._tempered(X))
        p /= p.sum(axis=1, keepdims=True)
        return p

    def predict_log_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the logarithms of the probabilities, shape (n, K), exact where these underflow."""
        z = self._tempered(X)
        return np.asarray(z - np.log(np.exp(z).sum(axis=1, keepdims=True)))

    def predict(self, X: npt.ArrayLike) -> IntArray:
        """Return the class of the largest logit, shape (n,): no temperature changes it."""
        return np.asarray(self._new_scores(X).argmax(axis=1))

    @staticmethod
    def _excess(rows: LogitRows, beta: float) -> tuple[float, float]:
        """Left side minus right side of the equation at beta, and the slope in beta: sums over the rows."""
        raise NotImplementedError

    @staticmethod
    def _obstacle(limits: LogitLimits) -> tuple[str, str] | None:
        """Say why no finite positive T solves the equation, and what is expected; None where one does."""
        raise NotImplementedError

    def _learn(self, logits: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        """Solve the method's equation for beta = 1 / T."""
        share = np.ones(len(labels)) if weights is None else weights / weights.max()
        self.temperature_ = self._of_rows(LogitRows(logits, labels, share))

    def _of_rows(self, rows: LogitRows) -> float:
        """Return the temperature of rows; the search starts at that of some, off by chance alone."""
        few, guess = rows.every(SUBSAMPLE), None
        with suppress(ValueError):  # they may have none
            guess = self._solved(few.limits, partial(self._excess, few))
        return self._solved(rows.limits, partial(self._excess, rows), guess)

    def _solved(self, limits: LogitLimits, excess: Equation, guess: float | None = None) -> float:
        """Return the temperature at which the excess is 0; refuse rows that none fits, and say why."""
        spread = np.nan_to_num(limits.spread / limits.weight, nan=np.inf)
        if not (spread == 0 or MIN_SPREAD < spread < MAX_SPREAD):
            found = f"holds logits that lie {spread:.3g} below their row's largest on average"
            raise _input.BadValue("X", found, f"0, or a distance between {MIN_SPREAD:g} and {MAX_SPREAD:g}")
        obstacle = self._obstacle(limits)
        if obstacle is not None:
            why, expected = obstacle
            raise _input.BadValue("X", f"is such that no temperature fits: {why}", expected)
        start = limits.weight / limits.spread if guess is None else 1 / guess
        return 1 / increasing_root(excess, start)

    def _tempered(self, X: npt.ArrayLike) -> Floats:
        """Return z / T, counted from each row's largest, so that no exponential of it overflows."""
        z = self._new_scores(X).astype(np.float64)
        with np.errstate(over="ignore"):
            z -= z.max(axis=1, keepdims=True)
            z /= self.temperature_
        return z


class TemperatureScaling(TemperedSoftmax):
    """Divide the logits by the temperature T > 0 of maximum likelihood (equation ``eq-temperature``).

    T > 1 flattens the probabilities, T < 1 sharpens them; the predicted class stays. T minimises the
    negative log-likelihood (equation ``eq-temperature-nll``), a convex function of beta = 1 / T. At the
    minimum the mean logit that the model expects is the mean logit of the labels (equation
    ``eq-temperature-stationary``).

    Attributes
    ----------
    temperature_ : float
        T, not its inverse.
    {by_class}

    Notes
    -----
    A finite T exists if and only if some label lies below its row's largest logit, and the labels' logits
    lie above their rows' means on average. Otherwise `fit` raises: T would run to 0, or to infinity.

    scikit-learn's temperature scaling reads a binary score x as (-x, x), which doubles T.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks, section 4.2.

    Examples
    --------
    >>> logits = [[2.0, 0.0], [3.0, 0.0], [4.0, 1.0], [0.0, 2.0]]
    >>> scaling = TemperatureScaling().fit(logits, [0, 0, 1, 1])
    >>> round(scaling.temperature_, 3)
    3.05
    >>> scaling.predict_proba([[2.0, 0.0]]).round(3).tolist()
    [[0.658, 0.342]]
    """

    @staticmethod
    def _excess(rows: LogitRows, beta: float) -> tuple[float, float]:
        """Sum of E_p[z] - z_y over the rows, and its slope in beta: the sum of the variances of z under p.

        Both are counted from each row's largest logit: e_t / e is E_p[z] - max z.
        """
        total, slope = rows.limits.below_top, 0.0
        for weights, (e, e_t, e_t2) in rows.moments(beta, powers=2):
            mean = e_t / e
            total += float(weights @ mean)
            slope += float(weights @ (e_t2 / e - mean**2))
        return total, slope

    @staticmethod
    def _obstacle(limits: LogitLimits) -> tuple[str, str] | None:
        """Say which way the likelihood drives the temperature, or None where it has a maximum."""
        if limits.spread == 0:
            why = "the logits of each row are equal, so every temperature gives the same probabilities"
            return why, "logits that differ within a row"
        if limits.below_top <= 0:
            why = "every label is its row's largest logit, so the likelihood grows for ever as T -> 0"
            return why, "rows that the model has not seen, some of which it gets wrong"
        if limits.above_mean <= RTOL * limits.spread:
            why = "the labels' logits are on average no larger than the mean logit of their row, so the "
            why += "likelihood grows for ever as T -> infinity: these logits say no more than chance"
            return why, "logits that say more"
        return None
