"""Sources with a known P(y | x), where the true calibration error can be computed.

An estimate can be judged only where the truth is known. Each source here gives data to estimate
from, and the number that the estimate should hit, by quadrature instead of by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import expit, logit

from .. import _input
from .._typing import Floats, IntArray, Norm, Seed
from ..measures.bins import bin_edges
from ..numerics import softmax

Truth = Callable[[Floats], Floats]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)


class Sample(NamedTuple):
    """Rows drawn from a source: features, labels, and the true P(y = 1 | x) or P(y = k | x)."""

    x: Floats
    y: IntArray
    posterior: Floats


class Forecasts(NamedTuple):
    """Labels and the scores that forecast them."""

    y_true: IntArray
    y_prob: Floats


def calibrated(p: npt.ArrayLike) -> Floats:
    """Return the scores themselves: each is the probability of its event."""
    return np.asarray(p, dtype=float)


def over_confident(temperature: float) -> Truth:
    """Return a truth whose logit is the score's logit divided by `temperature`.

    Parameters
    ----------
    temperature : float
        Larger than 0; above 1 the scores are over-confident, below 1 under-confident.

    Examples
    --------
    >>> over_confident(2.0)(np.array([0.5, 0.9])).round(3).tolist()
    [0.5, 0.75]
    """
    _input.number_between(temperature, 0, np.inf, "temperature", open_ends=True)
    return lambda p: np.asarray(expit(logit(p) / temperature))


def sawtooth(amplitude: float, teeth: int) -> Truth:
    """Return a truth that lies `amplitude` above the score, then below it, `teeth` times on [0, 1].

    Bins that hold whole teeth see no error if scores lie evenly in them. Near 0 and 1 the truth is cut off.

    Examples
    --------
    >>> sawtooth(0.03, 15)(np.array([0.41, 0.45])).round(2).tolist()
    [0.44, 0.42]
    """
    _input.number_between(amplitude, 0, 1, "amplitude")
    _input.positive_whole(teeth, "teeth")
    return lambda p: np.clip(p + amplitude * np.where(np.floor(2 * teeth * p) % 2 == 0, 1, -1), 0, 1)


@dataclass(frozen=True)
class ScoreSource:
    """Scores of a known distribution whose events happen with a known probability.

    Parameters
    ----------
    truth : callable
        Maps scores of shape (n,) to P(y = 1 | score), such as `calibrated`.
    scores : frozen distribution of scipy.stats on [0, 1]
        Distribution of the scores; uniform by default.
    kinks : int
        The truth is smooth between the multiples of 1 / `kinks`; more are needed for more teeth.

    Examples
    --------
    >>> source = ScoreSource(sawtooth(0.03, 15))
    >>> round(source.calibration_error(), 6), round(source.binned_calibration_error(15), 6)
    (0.03, 0.0)
    >>> y_true, y_prob = source.sample(5, random_state=0)
    """

    truth: Truth = calibrated
    scores: Any = field(default_factory=stats.uniform)
    kinks: int = 3000

    def sample(self, n: int, random_state: Seed = None) -> Forecasts:
        """Draw whether events happened, and the scores that forecast them, each of shape (n,)."""
        generator = _input.generator(random_state)
        p = np.asarray(self.scores.rvs(_input.positive_whole(n, "n"), random_state=generator), dtype=float)
        return Forecasts((generator.random(n) < self.truth(p)).astype(np.int64), p)

    def calibration_error(self, norm: Norm = "l1") -> float:
        """Return the true calibration error, E|P(y = 1 | score) - score| or its root mean square.

        By Gauss-Legendre quadrature, 32 points between kinks.
        """
        _input.one_of(norm, ["l1", "l2"], "norm")
        p, mass = self._quadrature()
        gap = np.abs(self.truth(p) - p)
        return float((mass * gap).sum() if norm == "l1" else np.sqrt((mass * gap**2).sum()))

    def binned_calibration_error(self, n_bins: int = 15, norm: Norm = "l1") -> float:
        """Return the value that the binned error takes on infinitely many rows.

        It never exceeds `calibration_error`: within a bin, gaps of opposite sign cancel.
        """
        _input.one_of(norm, ["l1", "l2"], "norm")
        p, mass = self._quadrature()
        index = np.clip(np.searchsorted(bin_edges(n_bins), p, side="left") - 1, 0, n_bins - 1)
        share = np.bincount(index, mass, minlength=n_bins)
        gap = np.bincount(index, mass * (self.truth(p) - p), minlength=n_bins)
        if norm == "l1":
            return float(np.abs(gap).sum())
        return float(np.sqrt((gap[share > 0] ** 2 / share[share > 0]).sum()))

    def _quadrature(self) -> tuple[Floats, Floats]:
        """Points in (0, 1) and the probability mass that each stands for.

        The points are even in the score; each cell's mass is exact and spread over it by the density.
        """
        edges = np.linspace(0, 1, self.kinks + 1)
        half = np.diff(edges)[:, None] / 2
        p = edges[:-1, None] + half * (1 + NODES)
        density = WEIGHTS * half * self.scores.pdf(p)
        cell = np.diff(self.scores.cdf(edges))[:, None]
        total = density.sum(axis=1, keepdims=True)
        mass = np.divide(density * cell, total, out=np.zeros_like(density), where=total > 0)
        return p.ravel(), mass.ravel()


@dataclass(frozen=True)
class TwoGaussians:
    """Two classes on a line, normal with variance 1, whose posterior is known.

    Parameters
    ----------
    separation : float
        Distance between the two means, which lie at plus and minus half of it.
    positive_rate : float
        P(y = 1), in (0, 1).

    Examples
    --------
    >>> source = TwoGaussians(separation=2.0)
    >>> source.log_odds([0.0, 1.0]).tolist()
    [0.0, 2.0]
    """

    separation: float = 2.0
    positive_rate: float = 0.5

    def __post_init__(self) -> None:
        """Check the parameters."""
        _input.number_between(self.separation, 0, np.inf, "separation")
        _input.number_between(self.positive_rate, 0, 1, "positive_rate", open_ends=True)

    def log_odds(self, x: npt.ArrayLike) -> Floats:
        """Return log P(y = 1 | x) - log P(y = 0 | x): Bayes' rule makes it linear in x."""
        points = _input.finite(x, "x", ndim=(0, 1)).astype(np.float64)
        return np.asarray(self.separation * points + logit(self.positive_rate))

    def sample(self, n: int, random_state: Seed = None) -> Sample:
        """Draw feature, label, and the true P(y = 1 | x), each of shape (n,)."""
        _input.positive_whole(n, "n")
        generator = _input.generator(random_state)
        y = (generator.random(n) < self.positive_rate).astype(np.int64)
        x = generator.normal((y - 0.5) * self.separation)
        return Sample(x, y, np.asarray(expit(self.log_odds(x))))


@dataclass(frozen=True)
class GaussianClasses:
    """K classes in the plane, normal with unit covariance, their means on a circle; posterior known.

    Parameters
    ----------
    n_classes : int
        K, at least 2.
    radius : float
        Distance of the means from the origin; a larger one separates the classes better.

    Examples
    --------
    >>> x, y, posterior = GaussianClasses(3).sample(4, random_state=0)
    >>> posterior.shape
    (4, 3)
    """

    n_classes: int = 3
    radius: float = 1.5

    def __post_init__(self) -> None:
        """Check the parameters."""
        _input.positive_whole(self.n_classes, "n_classes", least=2)
        _input.number_between(self.radius, 0, np.inf, "radius")

    @property
    def means(self) -> Floats:
        """Means of the classes, shape (K, 2)."""
        angle = 2 * np.pi * np.arange(self.n_classes) / self.n_classes
        return self.radius * np.column_stack([np.cos(angle), np.sin(angle)])

    def logits(self, x: npt.ArrayLike) -> Floats:
        """Return x . mean_k, shape (n, K); the rest of the log density is the same for all classes."""
        return np.asarray(_input.finite(x, "x", ndim=(2,)).astype(np.float64) @ self.means.T)

    def sample(self, n: int, random_state: Seed = None) -> Sample:
        """Draw features, shape (n, 2), labels, shape (n,), and the true P(y = k | x), shape (n, K)."""
        _input.positive_whole(n, "n")
        generator = _input.generator(random_state)
        y = generator.integers(0, self.n_classes, n)
        x = self.means[y] + generator.normal(size=(n, 2))
        return Sample(x, y, softmax(self.logits(x)))


def label_noise(y_true: npt.ArrayLike, rate: float, n_classes: int, *, random_state: Seed = None) -> IntArray:
    """Replace each label, with probability `rate`, by a class drawn evenly from all K.

    Examples
    --------
    >>> label_noise([0, 1, 2], 0.0, 3).tolist()
    [0, 1, 2]
    """
    labels = _input.labels(y_true, _input.positive_whole(n_classes, "n_classes"))
    _input.number_between(rate, 0, 1, "rate")
    generator = _input.generator(random_state)
    drawn = generator.integers(0, n_classes, len(labels))
    return np.where(generator.random(len(labels)) < rate, drawn, labels)


def label_shift(
    y_true: npt.ArrayLike, class_prior: npt.ArrayLike, n: int, *, random_state: Seed = None
) -> IntArray:
    """Draw `n` row numbers so that the classes occur with a new prior, P(x | y) left alone.

    Parameters
    ----------
    y_true : array_like, shape (n_rows,)
        Labels 0..K-1 of the rows at hand.
    class_prior : array_like, shape (K,)
        New class probabilities; every class with a positive one must occur in `y_true`.
    n : int
        Rows to draw, with replacement: the function returns their positions in `y_true`.
    random_state : int, Generator or None

    Examples
    --------
    >>> rows = label_shift([0, 0, 1], [0.0, 1.0], 3, random_state=0)
    >>> rows.tolist()
    [2, 2, 2]
    """
    prior = _input.probabilities(_input.finite(class_prior, "class_prior", (1,))[None], "class_prior")[0]
    labels = _input.labels(y_true, len(prior))
    _input.positive_whole(n, "n")
    counts = np.bincount(labels, minlength=len(prior))
    _input.refuse_entries((prior > 0) & (counts == 0), prior, "class_prior", "0, no row has this class")
    weight = (prior / np.maximum(counts, 1))[labels]
    return _input.generator(random_state).choice(len(labels), n, p=weight / weight.sum())
