"""One against the rest: a binary calibrator for each class, then divide by the sum."""

from __future__ import annotations

import warnings
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from .. import _input
from .._json_state import Learned
from .._typing import Floats
from ._base import Calibrator, Reads, labels_and_weights, warn_of_probabilities


class OneVsRest(Calibrator):
    """Calibrate each class against all others, then normalise the row (equation ``eq-one-vs-rest``).

    The largest entry of a row may change, and with it the predicted class and the accuracy. Each class is
    calibrated by itself before the division, not after it.

    Parameters
    ----------
    calibrator : estimator
        A binary calibrator, such as ``PlattScaling()``; one clone a class is fitted.

    Attributes
    ----------
    calibrators_ : list of estimators, length K
        The fitted calibrator of each class.
    classes_ : ndarray of int, shape (K,)
    n_features_in_ : int

    Notes
    -----
    A row in which every class gets probability 0 becomes uniform, as in scikit-learn's
    `sklearn.calibration.CalibratedClassifierCV`.

    References
    ----------
    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability
    estimates.

    Examples
    --------
    >>> from calibration_lessons import IsotonicCalibration
    >>> scores = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.4, 0.3, 0.3]]
    >>> calibrated = OneVsRest(IsotonicCalibration()).fit(scores, [0, 1, 2, 2])
    >>> calibrated.predict_proba([[0.6, 0.3, 0.1]]).round(3).tolist()
    [[1.0, 0.0, 0.0]]
    """

    calibrators_: list[Calibrator]
    _learned: ClassVar[Learned] = {"calibrators_": None}

    def __init__(self, calibrator: Calibrator) -> None:
        self.calibrator = calibrator

    @property
    def reads(self) -> Reads:
        """What its calibrator reads."""
        return self.calibrator.reads

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit one calibrator a class.

        Parameters
        ----------
        X : array_like, shape (n, K)
            Score of each class, of the kind that the calibrator reads.
        y : array_like, shape (n,)
            Labels 0..K-1, each at least once.
        sample_weight : array_like, shape (n,), optional
            Importance weights, non-negative.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For input that is not as described, and for a class that does not occur; the message names it.

        Warns
        -----
        UserWarning
            Where the calibrator reads log-odds and is given probabilities.
        """
        if not isinstance(self.calibrator, Calibrator):
            raise _input.BadType("calibrator", f"= {self.calibrator!r}", "one, such as PlattScaling()")
        scores = _input.finite(self._calibration_scores(X, y), "X", (1, 2))
        if scores.ndim == 1:
            expected = "one column a class, at least two"
            raise _input.BadValue("X", "has n_features=1, one score a row", expected)
        n_classes = scores.shape[1]
        labels, weights = labels_and_weights(y, sample_weight, scores, n_classes)
        present = np.bincount(labels, weights, minlength=n_classes) > 0
        if not present.all():
            expected = f"rows of each of the {n_classes} classes, with a positive weight"
            raise _input.BadValue("y", f"holds no row of class {int(present.argmin())}", expected)
        if self.reads == "logits":
            warn_of_probabilities(scores.ravel(), self.calibrator)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X looks like probabilities")  # said once, not once per class
            self.calibrators_ = [
                clone(self.calibrator).fit(scores[:, k], labels == k, weights) for k in range(n_classes)
            ]
        self.classes_ = np.arange(n_classes)
        return self

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the normalised probability of each class, shape (n, K)."""
        scores = _input.finite(self._new_scores(X), "X", (2,))
        columns = [fitted.predict_proba(scores[:, k])[:, 1] for k, fitted in enumerate(self.calibrators_)]
        probabilities = np.stack(columns, axis=1)
        total = probabilities.sum(axis=1, keepdims=True)
        uniform = np.full_like(probabilities, 1 / probabilities.shape[1])
        return np.asarray(np.divide(probabilities, total, out=uniform, where=total > 0))
