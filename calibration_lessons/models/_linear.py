"""What both regressions share: how they read their input, and when no best coefficients exist."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _input
from .._parameters import describe
from .._typing import Floats
from ..solvers.newton import Convex, Minimum, Slopes, minimise

Codes = npt.NDArray[np.intp]
Solver = Literal["newton", "gradient-descent"]

NO_CURVATURE = 1e-13  # of a Hessian with unit diagonal: below it, the rounding of collinear columns


@describe
class LinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose log-odds are linear in the features."""

    classes_: npt.NDArray[Any]
    coef_: Floats
    intercept_: Floats
    n_iter_: int
    n_features_in_: int

    def __init__(
        self,
        *,
        solver: Solver = "newton",
        l2: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-14,
        max_iter: int = 10_000,
    ) -> None:
        self.solver = solver
        self.l2 = l2
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn the coefficients.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Features.
        y : array_like, shape (n,)
            Labels: numbers, booleans or strings, of two kinds; of more for softmax regression alone.
        sample_weight : array_like, shape (n,), optional
            Importance weights, non-negative; they multiply the loss, not the penalty.

        {refused}
            Also for classes that are separated while ``l2=0``.
        """
        design, codes, shares, ridge = self._read(X, y, sample_weight)
        loss = self._loss(design.rows, codes, shares, ridge)
        theta = self._descend(loss, design.rows, codes, shares)
        self.coef_, self.intercept_ = design.original(loss.by_class(theta))
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the most probable class, shape (n,); the first of those that tie."""
        scores: Floats = self.decision_function(X)
        best = scores > 0 if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best.astype(int)])

    def _loss(self, rows: Floats, codes: Codes, shares: Floats, ridge: Floats) -> LinearLoss:
        """Return what is minimised; refuse classes that the model is not for."""
        raise NotImplementedError

    def _read(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None
    ) -> tuple[Standardised, Codes, Floats, Floats]:
        """Check all input; return the rows, each one's class and share of the weight, and the penalty."""
        _input.one_of(self.solver, ["newton", "gradient-descent"], "solver")
        _input.number_between(self.l2, 0, np.finfo(float).max, "l2")
        _input.one_of(self.fit_intercept, [True, False], "fit_intercept")
        _input.number_between(self.tol, 0, 1, "tol", open_ends=True)
        _input.positive_whole(self.max_iter, "max_iter")
        _input.same_rows(X=X, y=y, sample_weight=sample_weight)
        features = _input.finite(X, "X", ndim=(2,)).astype(np.float64, copy=False)
        labels = _input.class_labels(y)
        _input.same_length(X=features, y=labels)
        weights = _input.weights(sample_weight, len(labels))
        validate_data(self, X if hasattr(X, "columns") else features, y, reset=True, skip_check_array=True)
        if weights is not None:  # a row of weight 0 is as good as absent, its class too
            counted = weights > 0
            features, labels, weights = features[counted], labels[counted], weights[counted]
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            only = self.classes_.tolist()[0]
            raise _input.BadValue("y", f"holds one class only ({only!r})", "at least two classes")
        weights = np.ones(len(codes)) if weights is None else weights
        total = weights.sum()
        design = standardise(features, self.fit_intercept)
        return design, codes, weights / total, design.ridge(self.l2 / total)

    def _descend(self, loss: LinearLoss, rows: Floats, codes: Codes, shares: Floats) -> Floats:
        """Return the best parameters; raise where there are none, warn where the descent fell short.

        Along a direction that separates classes the loss falls for ever and flattens out. So a minimum
        with curvature left in every direction proves that there is none; else a linear program decides.
        """
        start = np.zeros(loss.free * len(loss.ridge))
        if self.solver == "newton":
            found = minimise(loss, start, self.max_iter)
        else:
            found = gradient_descent(loss, start, self.max_iter)
        if loss.separated(found.theta):
            raise _separated("every row lies on its own class's side of a plane")
        flat = max(8 * self.tol / shares.min(), NEARLY_FLAT)
        if self.l2 == 0 and (not found.converged or loss.curvature_left(found.theta) <= flat):
            if separates(rows, codes, len(self.classes_)):
                raise _separated("no row lies beyond a plane between classes, some lie on it")
        if not found.converged:
            warnings.warn(
                f"{self.solver} did not arrive in max_iter = {self.max_iter} steps: "
                f"expected a larger max_iter or tol, or solver='newton'",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.n_iter_ = found.n_iter
        return found.theta

    def _scores(self, X: npt.ArrayLike) -> Floats:
        """Return X @ coef_.T + intercept_."""
        check_is_fitted(self, "coef_")
        features = _input.finite(X, "X", ndim=(2,)).astype(np.float64, copy=False)
        validate_data(self, X if hasattr(X, "columns") else features, reset=False, skip_check_array=True)
        return np.asarray(features @ self.coef_.T + self.intercept_)


@dataclass(frozen=True)
class LinearLoss(Convex):
    """A smooth convex loss of the parameters of a classifier with linear scores, and a penalty."""

    rows: Floats  # (n, p)
    labels: npt.NDArray[Any]  # 0 and 1, shape (n,), or one-hot, shape (n, K)
    shares: Floats  # of the weight
    ridge: Floats  # of each squared parameter
    tol: float

    lengthens = False
    bend = np.nan  # the largest second derivative of a row's loss in its scores

    @property
    def free(self) -> int:
        """Number of linear scores that have parameters."""
        return 1

    def by_class(self, theta: Floats) -> Floats:
        """Arrange the parameters in a row for each linear score."""
        return theta[None, :]

    def gradient(self, theta: Floats) -> Floats:
        """Return the first derivatives, shape (p,)."""
        raise NotImplementedError

    def hessian(self, theta: Floats) -> Floats:
        """Return the second derivatives, shape (p, p)."""
        raise NotImplementedError

    def steepest(self) -> float:
        """Return a bound on the curvature in any direction, anywhere."""
        second_moments = (self.rows.T * self.shares) @ self.rows
        return float(self.bend * np.linalg.eigvalsh(second_moments)[-1] + self.ridge.max())

    def margins(self, theta: Floats) -> Floats:
        """Return by how much each row's own class is ahead of the best other one, shape (n,)."""
        raise NotImplementedError

    def separated(self, theta: Floats) -> bool:
        """Tell whether nothing stops these parameters from growing: no penalty, every row on its side."""
        return not self.ridge.any() and bool(self.margins(theta).min() > 0)

    def slopes(self, theta: Floats) -> Slopes:
        """Return the derivatives."""
        return Slopes(self.gradient(theta), self.hessian(theta))

    def step(self, theta: Floats, here: Slopes) -> Floats:
        """Step to the minimum of the parabola; a direction without curvature gets no step."""
        curvature, directions = curved(here.hessian)
        return np.asarray(-directions @ (directions.T @ here.gradient / curvature))

    def arrived(self, theta: Floats, here: Slopes, step: Floats) -> bool:
        """Tell whether a step lowers the loss by no more than `tol`, or the loss falls for ever."""
        return bool(-here.gradient @ step / 2 <= self.tol) or self.separated(theta)

    def curvature_left(self, theta: Floats) -> float:
        """Return the smallest ratio, over all directions, of the curvature at `theta` to that at zero."""
        curvature, directions = curved(self.hessian(np.zeros_like(theta)))
        whitened = directions / np.sqrt(curvature)
        return float(np.linalg.eigvalsh(whitened.T @ self.hessian(theta) @ whitened)[0])


def curved(hessian: Floats) -> tuple[Floats, Floats]:
    """Curvatures and directions, scaled so that ``directions.T @ hessian @ directions`` is diagonal.

    The Hessian is first brought to a unit diagonal, so that the units of the features do not matter.
    """
    roots = np.sqrt(np.diag(hessian))
    roots[roots == 0] = 1.0
    curvature, directions = np.linalg.eigh(hessian / np.outer(roots, roots))
    kept = curvature > NO_CURVATURE * curvature[-1]
    return curvature[kept], directions[:, kept] / roots[:, None]


def gradient_descent(loss: LinearLoss, theta: Floats, max_iter: int) -> Minimum:
    """Walk against the gradient, by steps so short that they never lead uphill."""
    rate = 1 / loss.steepest()
    for n_iter in range(1, max_iter + 1):
        gradient = loss.gradient(theta)
        theta = theta - rate * gradient
        if rate * gradient @ gradient / 2 <= loss.tol or loss.separated(theta):
            return Minimum(theta, n_iter, True)
    return Minimum(theta, max_iter, False)


NEARLY_FLAT = 1e-9  # part of the curvature at zero: well above the rounding at which Newton's method stops


def _separated(how: str) -> _input.BadValue:
    found = f"is separated by X ({how}): the likelihood has no maximum, the coefficients would grow for ever"
    return _input.BadValue("y", found, "classes that overlap, or l2 > 0")


@dataclass(frozen=True)
class Standardised:
    """Rows whose columns have mean 0 and spread 1, with a last column of ones for the intercept.

    On such columns their units do not slow gradient descent. What is learned is translated back.
    """

    rows: Floats
    centre: Floats
    scale: Floats
    fit_intercept: bool

    def ridge(self, l2: float) -> Floats:
        """Weight of each squared parameter that penalises the coefficients of the original columns."""
        penalty = l2 / self.scale / self.scale
        return np.append(penalty, 0.0) if self.fit_intercept else penalty

    def original(self, theta: Floats) -> tuple[Floats, Floats]:
        """Coefficients (m, d) and intercepts (m,) of the original columns, from `theta` of shape (m, p)."""
        coef = theta[:, : len(self.scale)] / self.scale
        intercept = theta[:, -1] - coef @ self.centre if self.fit_intercept else np.zeros(len(theta))
        return coef, intercept


def standardise(features: Floats, fit_intercept: bool) -> Standardised:
    """Centre (where an intercept makes up for it) and scale the columns; a constant one stays as it is."""
    with np.errstate(over="ignore", invalid="ignore"):
        constant = features.max(axis=0) == features.min(axis=0)
        centre = np.where(constant, features[0], features.mean(axis=0)) * fit_intercept
        centred = features - centre
        reach = np.abs(centred).max(axis=0)
        reach[reach == 0] = 1.0
        scale = reach * np.sqrt(((centred / reach) ** 2).mean(axis=0))
    if not np.isfinite(scale).all():
        column = f"X[:, {int((~np.isfinite(scale)).argmax())}]"
        raise _input.BadValue(column, "spans more than a float can hold", "a smaller range")
    scale[scale == 0] = 1.0
    rows = centred / scale
    return Standardised(
        np.column_stack([rows, np.ones(len(rows))]) if fit_intercept else rows, centre, scale, fit_intercept
    )


def separates(rows: Floats, codes: Codes, n_classes: int) -> bool:
    """Tell whether a direction lifts some row's own class over another class, and lowers it for no row.

    A linear program looks for the direction, within a box, that lifts most.
    """
    identity = np.eye(n_classes)
    lifts: Any = vstack(
        [
            csr_array(np.einsum("ic,ip->icp", identity[codes[i]] - identity[k], rows[i]).reshape(len(i), -1))
            for k in range(n_classes)
            for i in [np.flatnonzero(codes != k)]
        ]
    )
    program = linprog(-lifts.sum(axis=0), A_ub=-lifts, b_ub=np.zeros(lifts.shape[0]), bounds=(-1, 1))
    return bool(program.status == 0 and (lifts @ program.x).max() > 1e-6)
