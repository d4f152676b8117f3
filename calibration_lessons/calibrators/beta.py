"""Beta calibration: a logistic curve of the logarithms of p and of 1 - p."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from .. import _blocks, _input
from .._json_state import Learned, Numbers
from .._typing import FloatArray, Floats, IntArray
from ..solvers.logistic import EPSILON, cross_entropy_slopes, descended, label_weights, separated
from ..solvers.newton import Convex, Slopes
from ._base import Reads
from ._binary import BinaryCalibrator, one_score
from .platt import prior_targets

LAST_STEP = 1e-7  # in log-odds: Newton's step leaves an error of about the square of its length
RTOL = 1e-10  # of the three numbers, where some rows lie so far out that no step is short for them
NO_MINIMUM = (
    "separates the labels (but for ties), so the likelihood grows for ever as the powers run to infinity",
    "labels 0 and 1 that overlap, or prior_targets=True",
)
FACES = tuple(product([False, True], repeat=2))  # whether a, and whether b, is held at 0


class BetaCalibration(BinaryCalibrator):
    """Odds of class 1 as e^c p^a / (1 - p)^b (equation ``eq-beta``).

    With a = b = 1 and c = 0 the probabilities stay as they are. A logistic curve of p, which is Platt scaling
    fed with probabilities, cannot do that. With a = b it is Platt scaling fed with log-odds; unequal powers
    bend the curve differently at its two ends.

    Parameters
    ----------
    prior_targets : bool
        Use Platt's targets (``eq-platt-targets``) instead of the labels 0 and 1, so that a fit exists for
        every sample. By default not, as the method was published; Platt's was published with them.

    Attributes
    ----------
    a_, b_ : float
        Powers of p and of 1 - p, not negative, so that the curve never falls.
    c_ : float
        Logarithm of the factor.
    {one_score}

    Notes
    -----
    The three numbers of least cross-entropy, with a and b not negative: a logistic regression on log(p) and
    -log(1 - p). Without prior targets `fit` raises where a threshold on p separates the labels, the events
    above it: no finite numbers are best.

    A probability of 0 has no finite logarithm, nor has 1 - p at 1. Below 2.2e-16, the precision of float64,
    a probability is read as that number, and above its complement as the complement.

    References
    ----------
    Kull, Silva Filho and Flach (2017), Beta calibration: a well-founded and easily implemented improvement
    on logistic calibration for binary classifiers.

    Examples
    --------
    >>> p = [0.1, 0.3, 0.4, 0.6, 0.8, 0.95]
    >>> beta = BetaCalibration().fit(p, [0, 0, 1, 0, 1, 1])
    >>> round(beta.a_, 3), round(beta.b_, 3), round(beta.c_, 3)
    (1.054, 1.707, -0.692)
    >>> beta.predict_proba([0.1, 0.5])[:, 1].round(3).tolist()
    [0.05, 0.441]
    """

    reads: Reads = "probabilities"
    a_: float
    b_: float
    c_: float
    _learned: ClassVar[Learned] = {"a_": Numbers(low=0), "b_": Numbers(low=0), "c_": Numbers()}

    def __init__(self, prior_targets: bool = False) -> None:
        self.prior_targets = prior_targets

    def _check_scores(self, array: FloatArray) -> FloatArray:
        return _input.probabilities(one_score(array), "X", (1,))

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        _input.one_of(self.prior_targets, [True, False], "prior_targets")
        targets = prior_targets(labels, weights) if self.prior_targets else (0.0, 1.0)
        p = off_the_ends(scores)
        if not self.prior_targets and separated(p, labels):
            raise _input.BadValue("X", *NO_MINIMUM)
        share = None if weights is None else weights / weights.max()
        x = np.stack([np.log(p), -np.log1p(-p), np.ones(len(p))])
        curve = _Curve(x, labels, share, targets)
        self.a_, self.b_, self.c_ = _best(curve).tolist()

    def _map(self, scores: FloatArray) -> Floats:
        p = off_the_ends(scores)
        z = self.a_ * np.log(p) - self.b_ * np.log1p(-p) + self.c_
        return np.asarray(np.exp(np.minimum(z, 0)) / (1 + np.exp(-abs(z))))


def off_the_ends(p: FloatArray) -> Floats:
    """Probabilities in float64, each at least its precision away from 0 and 1."""
    return np.asarray(p.astype(np.float64).clip(EPSILON, 1 - EPSILON))


@dataclass(frozen=True)
class _Curve(Convex):
    """Cross-entropy between rows' targets and log-odds a log p - b log(1 - p) + c, with a and b not below 0.

    `x` holds log p, -log(1 - p) and 1, shape (3, n).
    """

    x: Floats
    labels: IntArray
    weights: Floats | None
    targets: tuple[float, float]

    def slopes(self, theta: Floats) -> Slopes:
        """Sum up the rows' derivatives in the two powers and the intercept."""
        gradient, hessian, ups = np.zeros(3), np.zeros((3, 3)), np.array(self.targets)
        for rows in _blocks.row_blocks(self.labels):
            x, weights = self.x[:, rows], None if self.weights is None else self.weights[rows]
            excess, variance = cross_entropy_slopes(theta @ x, ups[self.labels[rows]], weights)
            gradient += x @ excess
            hessian += (x * variance) @ x.T
        return Slopes(gradient, hessian)

    def step(self, theta: Floats, here: Slopes) -> Floats:
        """Step to the minimum of the parabola among those that leave both powers at 0 or above."""
        best, least = np.zeros(3), np.inf
        steady = here.hessian + 8 * EPSILON * np.diag(here.hessian.diagonal())  # two columns may vary alike
        for held in FACES:
            step = np.append(np.where(held, -theta[:2], 0.0), 0.0)
            free = np.append(~np.array(held), True)
            pull = -(here.gradient + steady @ step)[free]
            step[free] = np.linalg.lstsq(steady[np.ix_(free, free)], pull, rcond=0)[0]
            value = float(here.gradient @ step + step @ steady @ step / 2)
            if (theta[:2] + step[:2] >= 0).all() and value < least:
                best, least = step, value
        return best

    def arrived(self, theta: Floats, here: Slopes, step: Floats) -> bool:
        """Tell whether a step is short: in the log-odds of every row, or as a part of each parameter."""
        return bool(np.abs(step @ self.x).max() <= LAST_STEP or (np.abs(step) <= RTOL * np.abs(theta)).all())

    def moved(self, theta: Floats, step: Floats) -> Floats:
        """Take a step, and undo what rounding takes a power below 0."""
        return np.append(np.maximum((theta + step)[:2], 0), (theta + step)[2])

    def longest(self, theta: Floats, step: Floats) -> float:
        """Return the multiple of a step at which a power reaches 0."""
        falling = step[:2] < 0
        return float((theta[:2][falling] / -step[:2][falling]).min()) if falling.any() else np.inf


def _best(curve: _Curve) -> Floats:
    """Return the powers, not below 0, and the intercept of least cross-entropy.

    The logarithms are counted from their median, which leaves the digits of small ones, in units of their
    spread. Where one does not vary, the intercept alone is left.
    """
    counts = label_weights(curve.labels, curve.weights)
    up = float(counts @ curve.targets)
    if not 0 < up < counts.sum():  # one class, and more rows than prior targets can tell from infinity
        raise _input.BadValue("X", *NO_MINIMUM)
    start = np.array([0.0, 0.0, np.log(up) - np.log(counts.sum() - up)])
    logs = curve.x[:2]
    if (logs.min(axis=1) == logs.max(axis=1)).any():
        return start
    centre = np.median(logs, axis=1)
    logs -= centre[:, None]
    spread = np.sqrt(np.average(logs**2, axis=1, weights=curve.weights))
    logs /= spread[:, None]
    line = descended(curve, start)
    powers = line[:2] / spread
    return np.append(powers, line[2] - powers @ centre)
