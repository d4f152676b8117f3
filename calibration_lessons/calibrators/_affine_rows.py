"""Softmax regression on logits that starts from a temperature: its penalised loss, and the way down.

The scores are s_k = (1 + a) x_k + b_k + sum_j m_kj x_j / unit: x are the tempered logits, each row counted
from its mean, and unit their root mean square. With a, b and m at 0 they are the temperature's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from .. import _blocks
from .._typing import Floats, IntArray

Structure = Literal["bias", "vector", "full"]

REMEMBERED = 30  # steps of a descent, which tell it how the loss bends where classes bend each other
SURE = 1e-3  # where p (1 - p) is smaller, a row hardly bends the loss; it only guides the descent


@dataclass(frozen=True)
class Deviation:
    """How far the scores lie from those of the temperature: by a for all logits, and by class.

    `classes`, shape (K, D), holds of each class b_k, then by structure nothing, m_kk, or the row m_k.
    """

    stretch: float
    classes: Floats


@dataclass(frozen=True)
class AffineRows:
    """Tempered logits x / unit, shape (n, K), with their labels and weights, and the map's structure."""

    x: Floats
    unit: float
    labels: IntArray
    weights: Floats
    structure: Structure

    def taken(self, chosen: npt.NDArray[np.bool_]) -> AffineRows:
        """Return some of the rows."""
        kept = self.x[chosen], self.unit, self.labels[chosen], self.weights[chosen]
        return AffineRows(*kept, self.structure)

    @property
    def shape(self) -> tuple[int, int]:
        """Parameters of each class: (K, D)."""
        classes = self.x.shape[1]
        return classes, {"bias": 1, "vector": 2, "full": classes + 1}[self.structure]

    def penalty(self, strength: float, of_vector: float) -> Floats:
        """Penalty of half the square of each parameter: sqrt(K) `strength` of one off the diagonal of m."""
        table = np.full(self.shape, of_vector)
        if self.structure == "full":
            own = np.eye(len(table), dtype=bool)
            table[:, 1:] = np.where(own, of_vector, len(table) ** 0.5 * strength)
        return table

    def scores(self, deviation: Deviation, x: Floats) -> Floats:
        """Scores of some rows."""
        theta, common = deviation.classes, self.unit * (1 + deviation.stretch)
        scores = x * (common + theta[:, 1] if self.structure == "vector" else common)
        if self.structure == "full":
            scores += x @ theta[:, 1:].T
        scores += theta[:, 0]
        return np.asarray(scores)

    def losses(self, deviation: Deviation) -> Floats:
        """Negative log-likelihood of each row."""
        found = np.empty(len(self.x))
        for rows, p in self._probabilities(deviation):
            found[rows] = -np.log(np.maximum(p[np.arange(len(p)), self.labels[rows]], np.finfo(float).tiny))
        return found

    def loss_and_gradient(self, deviation: Deviation) -> tuple[float, Deviation]:
        """Weighted sum of the negative log-likelihoods, and its slope: residuals times what they multiply."""
        loss, classes, own_logit = 0.0, np.zeros(self.shape), np.zeros(self.x.shape[1])
        for rows, p in self._probabilities(deviation):
            x, w, own = self.x[rows], self.weights[rows], (np.arange(len(p)), self.labels[rows])
            loss -= float(w @ np.log(np.maximum(p[own], np.finfo(float).tiny)))
            p[own] -= 1.0
            classes[:, 0] += w @ p
            if self.structure == "full":
                p *= w[:, None]
                classes[:, 1:] += p.T @ x
            else:
                p *= x
                own_logit += w @ p
        if self.structure == "full":
            own_logit = np.diag(classes[:, 1:])
        elif self.structure == "vector":
            classes[:, 1] = own_logit
        return loss, Deviation(self.unit * float(own_logit.sum()), classes)

    def curvature(self) -> tuple[float, Floats]:
        """Second derivatives at the temperature: of the stretch, and of each class, shape (K, D, D).

        How the classes bend each other is left out: the descent needs a metric, not the whole Hessian.
        """
        (classes, size), stretch = self.shape, 0.0
        blocks = np.zeros((classes, size, size))
        for rows, p in self._probabilities(Deviation(0.0, np.zeros(self.shape))):
            x = self.x[rows]
            p *= (1 - p) * self.weights[rows, None]
            stretch += self.unit**2 * float((p * x * x).sum())
            if self.structure == "full":
                for k in range(classes):
                    unsure = np.flatnonzero(p[:, k] > SURE)
                    design = np.column_stack([np.ones(len(unsure)), x[unsure]])
                    blocks[k] += (design * p[unsure, k, None]).T @ design
                continue
            blocks[:, 0, 0] += p.sum(axis=0)
            if self.structure == "vector":
                blocks[:, 0, 1] += (p * x).sum(axis=0)
                blocks[:, 1, 1] += (p * x * x).sum(axis=0)
        if self.structure == "vector":
            blocks[:, 1, 0] = blocks[:, 0, 1]
        return stretch, blocks

    def _probabilities(self, deviation: Deviation) -> Iterator[tuple[slice, Floats]]:
        """Probabilities, a block of rows at a time."""
        for rows in _blocks.row_blocks(self.x):
            p = self.scores(deviation, self.x[rows])
            laid_out, axis = _blocks.laid_out(p)
            p -= laid_out.max(axis=axis)[:, None]
            np.exp(p, out=p)
            p /= _blocks.row_sums(p, axis=1)[:, None]
            yield rows, p


@dataclass(frozen=True)
class Metric:
    """A penalty, and coordinates in which the penalised loss bends about alike: theta = root' u."""

    stretch: float
    roots: Floats
    penalty: Floats

    @classmethod
    def of(cls, curvature: tuple[float, Floats], penalty: Floats) -> Metric:
        """Whiten the curvature of each class with its penalty; what has an infinite one does not move."""
        stretch, blocks = curvature
        moves = np.isfinite(penalty)
        pairs = moves[:, :, None] & moves[:, None, :]
        kept = np.where(moves, penalty, 1.0)
        bent = np.where(pairs, blocks, 0.0) + kept[:, :, None] * np.eye(penalty.shape[1])
        roots = np.linalg.inv(np.linalg.cholesky(bent)) * pairs
        return cls((stretch + 1.0) ** -0.5, roots, np.where(moves, penalty, 0.0))

    def deviation(self, u: Floats) -> Deviation:
        """Return the parameters at coordinates u, shape (1 + K D,)."""
        theta = u[1:].reshape(len(self.roots), 1, -1) @ self.roots
        return Deviation(self.stretch * float(u[0]), theta[:, 0])

    def gradient(self, slope: Deviation) -> Floats:
        """Return the slope in the coordinates."""
        inner = self.roots @ slope.classes[:, :, None]
        return np.append(self.stretch * slope.stretch, inner)


def descend(
    rows: AffineRows, start: Deviation, metric: Metric, slope_left: float, max_iter: int
) -> Deviation:
    """Minimise loss + penalty from `start` with L-BFGS, until no whitened slope exceeds `slope_left`."""
    penalty = metric.penalty

    def objective(u: Floats) -> tuple[float, Floats]:
        step = metric.deviation(u)
        here = Deviation(start.stretch + step.stretch, start.classes + step.classes)
        loss, slope = rows.loss_and_gradient(here)
        loss += (here.stretch**2 + float((penalty * here.classes**2).sum())) / 2
        pull = Deviation(slope.stretch + here.stretch, slope.classes + penalty * here.classes)
        return loss, metric.gradient(pull)

    origin = np.zeros(1 + start.classes.size)
    found: Floats = minimize(
        objective,
        origin,
        jac=True,
        method="L-BFGS-B",
        options={"gtol": slope_left, "ftol": 0.0, "maxiter": max_iter, "maxcor": REMEMBERED},
    ).x
    step = metric.deviation(found)
    return Deviation(start.stretch + step.stretch, start.classes + step.classes)
