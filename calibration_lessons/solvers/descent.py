"""Two ways down a convex loss: Newton's method and gradient descent."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

import numpy as np

from .._typing import Floats

Solver = Literal["newton", "gradient-descent"]

NO_CURVATURE = 1e-13  # of a Hessian with unit diagonal: below it, the rounding of collinear columns


class LinearLoss(Protocol):
    """A smooth convex loss of the parameters, shape (p,), of a classifier with linear scores."""

    def value(self, theta: Floats) -> float:
        """Return the loss."""

    def gradient(self, theta: Floats) -> Floats:
        """Return the first derivatives, shape (p,)."""

    def hessian(self, theta: Floats) -> Floats:
        """Return the second derivatives, shape (p, p)."""

    def steepest(self) -> float:
        """Return a bound on the curvature in any direction, anywhere."""

    def margins(self, theta: Floats) -> Floats:
        """Return by how much each row's own class is ahead of the best other one, shape (n,)."""

    @property
    def penalised(self) -> bool:
        """Tell whether the loss holds a penalty."""


class Minimum(NamedTuple):
    """Where the descent ended, after how many steps, and whether it arrived."""

    theta: Floats
    n_iter: int
    converged: bool


def minimise(loss: LinearLoss, size: int, solver: Solver, tol: float, max_iter: int) -> Minimum:
    """Walk from zero until the next step would lower the loss by no more than `tol`.

    Stops early, unarrived, where every margin is positive and nothing penalises: from there the loss
    falls for ever.
    """
    theta = np.zeros(size)
    rate = 1 / loss.steepest() if solver == "gradient-descent" else 0.0
    for n_iter in range(1, max_iter + 1):
        gradient = loss.gradient(theta)
        if solver == "gradient-descent":
            step = rate * gradient
        else:
            step = _halved(loss, theta, newton_step(gradient, loss.hessian(theta)))
        theta = theta - step
        if gradient @ step / 2 <= tol:
            return Minimum(theta, n_iter, True)
        if separated(loss, theta):
            return Minimum(theta, n_iter, False)
    return Minimum(theta, max_iter, False)


def separated(loss: LinearLoss, theta: Floats) -> bool:
    """Tell whether nothing stops these parameters from growing: no penalty, and every row on its side."""
    return not loss.penalised and bool(loss.margins(theta).min() > 0)


def newton_step(gradient: Floats, hessian: Floats) -> Floats:
    """Solve ``hessian @ step = gradient``; a direction without curvature gets no step."""
    curvature, directions = _curved(hessian)
    return np.asarray(directions @ (directions.T @ gradient / curvature))


def _curved(hessian: Floats) -> tuple[Floats, Floats]:
    """Curvatures and directions, scaled so that ``directions.T @ hessian @ directions`` is diagonal.

    The Hessian is first brought to a unit diagonal, so that the units of the features do not matter.
    """
    roots = np.sqrt(np.diag(hessian))
    roots[roots == 0] = 1.0
    curvature, directions = np.linalg.eigh(hessian / np.outer(roots, roots))
    kept = curvature > NO_CURVATURE * curvature[-1]
    return curvature[kept], directions[:, kept] / roots[:, None]


def _halved(loss: LinearLoss, theta: Floats, step: Floats) -> Floats:
    """Shorten a step that would lead uphill: far from the minimum Newton's parabola overshoots."""
    highest = loss.value(theta) * (1 + 1e-12)
    for _ in range(60):
        if loss.value(theta - step) <= highest:
            break
        step = step / 2
    return step


def smallest_curvature_left(loss: LinearLoss, theta: Floats) -> float:
    """Return the smallest ratio, over all directions, of the curvature at `theta` to that at zero."""
    curvature, directions = _curved(loss.hessian(np.zeros_like(theta)))
    whitened = directions / np.sqrt(curvature)
    return float(np.linalg.eigvalsh(whitened.T @ loss.hessian(theta) @ whitened)[0])
