"""Softmax regression from scratch: K classes, each with a score that is linear in the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from .. import _input
from .._typing import Floats
from ._linear import Codes, LinearClassifier, LinearLoss, Solver

Form = Literal["reference", "symmetric"]


class SoftmaxRegression(LinearClassifier):
    """K classes with linear scores (equations ``eq-softmax-regression``, ``eq-softmax-symmetric``).

    `fit` minimises the negative log-likelihood of all rows (``eq-softmax-likelihood``), plus `l2` / 2
    times the sum of the squared coefficients; the intercepts are not penalised. Its steps follow the gradient
    (``eq-softmax-gradient``).

    Parameters
    ----------
    form : {"symmetric", "reference"}
        Coefficients for each class; or for the K-1 log-ratios of a class to the last one, whose own
        coefficients stay 0. The forms give the same probabilities without a penalty, and part with one.
    solver : {"newton", "gradient-descent"}
        Newton's method needs a handful of steps, each with a matrix of (K (d + 1))^2 numbers;
        gradient descent needs many cheap steps.
    l2 : float
        Strength of the penalty, at least 0; scikit-learn's ``C`` is its inverse (symmetric form).
    fit_intercept : bool
        Whether there are intercepts.
    tol : float
        The descent stops when the next step would lower the mean loss by no more, in nats.
    max_iter : int
        Largest number of steps.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        The labels, sorted.
    coef_ : ndarray, shape (K, d)
        Coefficients a class. Symmetric form: they add up to 0 over the classes.
    intercept_ : ndarray, shape (K,)
        Intercept a class. Symmetric form: they add up to 0, too.
    n_iter_ : int
        Steps taken.

    Notes
    -----
    Without a penalty the best coefficients exist only where the classes overlap: `fit` raises where
    some direction separates classes, even partly (Albert and Anderson 1984).

    References
    ----------
    Theil (1969), A multinomial extension of the linear logit model; Albert and Anderson (1984), On
    the existence of maximum likelihood estimates in logistic regression models.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [1.0], [2.0], [2.0], [3.0]], ["a", "a", "b", "a", "c", "b"]
    >>> model = SoftmaxRegression().fit(X, y)
    >>> model.predict_proba([[0.0]]).round(3).tolist()
    [[0.889, 0.074, 0.037]]
    >>> bool(abs(model.coef_.sum()) < 1e-9)
    True
    """

    def __init__(
        self,
        *,
        form: Form = "symmetric",
        solver: Solver = "newton",
        l2: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-14,
        max_iter: int = 10_000,
    ) -> None:
        super().__init__(solver=solver, l2=l2, fit_intercept=fit_intercept, tol=tol, max_iter=max_iter)
        self.form = form

    def decision_function(self, X: npt.ArrayLike) -> Floats:
        """Return the logits, shape (n, K); for two classes their difference, shape (n,)."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the probability of each class, shape (n, K)."""
        return np.asarray(softmax(self._scores(X), axis=1))

    def _loss(self, rows: Floats, codes: Codes, shares: Floats, ridge: Floats) -> SoftmaxLoss:
        _input.one_of(self.form, ["symmetric", "reference"], "form")
        return SoftmaxLoss(rows, np.eye(len(self.classes_))[codes], shares, ridge, self.tol, self.form)


@dataclass(frozen=True)
class SoftmaxLoss(LinearLoss):
    """Mean negative log-likelihood and penalty, as functions of the parameters theta of shape (m p,).

    There are p parameters a class, for all K classes or for all but the last: m = K or K - 1.
    """

    form: Form

    bend = 1 / 2  # of p_k (1[k = j] - p_j), the largest eigenvalue (Böhning 1992)

    @property
    def free(self) -> int:
        """Number m of classes that have parameters."""
        return int(self.labels.shape[1]) - (self.form == "reference")

    def by_class(self, theta: Floats) -> Floats:
        """Arrange the parameters by class, shape (K, p); those of a reference class are 0, else their mean.

        Differences between the classes' parameters say all.
        """
        table = self._table(theta)
        return table - table.mean(axis=0) if self.form == "symmetric" else table

    def scores(self, theta: Floats) -> Floats:
        """Return the logits, shape (n, K)."""
        return np.asarray(self.rows @ self._table(theta).T)

    def _table(self, theta: Floats) -> Floats:
        table = np.zeros((self.labels.shape[1], self.rows.shape[1]))
        table[: self.free] = theta.reshape(self.free, -1)
        return table

    def margins(self, theta: Floats) -> Floats:
        """Own logit minus the largest other one."""
        scores = self.scores(theta)
        others = np.where(self.labels == 1, -np.inf, scores).max(axis=1)
        return np.asarray(scores[self.labels == 1] - others)

    def gradient(self, theta: Floats) -> Floats:
        """Mean of (probability - one-hot label) times the row, for each class (``eq-softmax-gradient``)."""
        residuals = softmax(self.scores(theta), axis=1) - self.labels
        every = (residuals.T * self.shares) @ self.rows + self._table(theta) * self.ridge
        return np.asarray(every[: self.free].ravel())

    def hessian(self, theta: Floats) -> Floats:
        """Mean of p_k (1[k = j] - p_j) times the row's outer product with itself, in blocks k, j."""
        m, p = self.free, self.rows.shape[1]
        probabilities = softmax(self.scores(theta), axis=1)
        blocks = np.empty((m, p, m, p))
        for k in range(m):
            for j in range(k + 1):
                together = probabilities[:, k] * ((k == j) - probabilities[:, j]) * self.shares
                blocks[k, :, j] = blocks[j, :, k] = (self.rows.T * together) @ self.rows
        return blocks.reshape(m * p, m * p) + np.diag(np.tile(self.ridge, m))
