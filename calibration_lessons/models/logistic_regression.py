"""Logistic regression from scratch: log-odds that are linear in the features."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.utils import Tags

from .. import _input
from .._typing import Floats
from ._linear import Codes, LinearClassifier, LinearLoss


class LogisticRegression(LinearClassifier):
    """Two classes, with log-odds w x + b (equations ``eq-log-odds``, ``eq-sigmoid``).

    `fit` minimises the logistic loss (``eq-logistic-loss``), plus `l2` / 2 times the sum of the
    squared coefficients; the intercept is not penalised. Its steps follow the gradient
    (``eq-logistic-gradient``), those of Newton's method the Hessian as well (``eq-logistic-hessian``).

    Parameters
    ----------
    solver : {"newton", "gradient-descent"}
        Newton's method needs a handful of steps; gradient descent may need thousands.
    l2 : float
        Strength of the penalty, at least 0; scikit-learn's ``C`` is its inverse.
    fit_intercept : bool
        Whether there is an intercept b.
    tol : float
        The descent stops when the next step would lower the mean loss by no more, in nats.
    max_iter : int
        Largest number of steps.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
        The labels, sorted; the second is the positive class.
    coef_ : ndarray, shape (1, d)
        Coefficients w.
    intercept_ : ndarray, shape (1,)
        Intercept b.
    n_iter_ : int
        Steps taken.

    Notes
    -----
    Without a penalty the best coefficients exist only where the classes overlap: `fit` raises where a plane
    separates them, even if rows of both classes lie on it (Albert and Anderson 1984). Where columns are
    linearly dependent, one of many best solutions is returned; all agree on rows that depend likewise.

    References
    ----------
    Cox (1958), The regression analysis of binary sequences; Albert and Anderson (1984), On the
    existence of maximum likelihood estimates in logistic regression models.

    Examples
    --------
    >>> hours, passed = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
    >>> model = LogisticRegression().fit(hours, passed)
    >>> model.classes_.tolist(), round(float(model.coef_[0, 0]), 4)
    (['no', 'yes'], 0.9082)
    >>> model.predict([[1.0], [4.0]]).tolist()
    ['no', 'yes']
    """

    def decision_function(self, X: npt.ArrayLike) -> Floats:
        """Return the log-odds of the second class, shape (n,)."""
        return self._scores(X)[:, 0]

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the probability of each class, shape (n, 2)."""
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def _loss(self, rows: Floats, codes: Codes, shares: Floats, ridge: Floats) -> LogisticLoss:
        if len(self.classes_) > 2:
            expected = "two, as SoftmaxRegression takes more. Only binary classification is supported. "
            expected += "The type of the target is multiclass"
            raise _input.BadValue("y", f"holds {len(self.classes_)} classes", expected)
        return LogisticLoss(rows, codes, shares, ridge, self.tol)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LogisticLoss(LinearLoss):
    """Mean logistic loss and penalty, as functions of the parameters theta of shape (p,)."""

    bend = 1 / 4  # of p (1 - p)

    def margins(self, theta: Floats) -> Floats:
        """Log-odds, with the sign turned where the label is 0."""
        return np.where(self.labels == 1, 1, -1) * (self.rows @ theta)

    def gradient(self, theta: Floats) -> Floats:
        """Mean of (probability - label) times the row (``eq-logistic-gradient``)."""
        residuals = expit(self.rows @ theta) - self.labels
        return np.asarray((self.shares * residuals) @ self.rows + self.ridge * theta)

    def hessian(self, theta: Floats) -> Floats:
        """Mean of p (1 - p) times the row's outer product with itself (``eq-logistic-hessian``)."""
        z = self.rows @ theta
        curvature = self.shares * expit(z) * expit(-z)
        return np.asarray((self.rows.T * curvature) @ self.rows + np.diag(self.ridge))
