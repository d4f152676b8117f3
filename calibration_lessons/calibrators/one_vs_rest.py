"""One against the rest: a binary calibrator for each class, then divide by the sum."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from .. import _input
from .._json_state import Learned
from .._typing import FloatArray, Floats, IntArray
from ._base import Calibrator, Reads, by_columns, warn_of_probabilities


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
    {by_class}

    Notes
    -----
    A row in which every class gets probability 0 becomes uniform, as in scikit-learn's
    `sklearn.calibration.CalibratedClassifierCV`.

    References
    ----------
    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates.

    Examples
    --------
    >>> from calibration_lessons import IsotonicCalibration
    >>> scores = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.4, 0.3, 0.3]]
    >>> calibrated = OneVsRest(IsotonicCalibration()).fit(scores, [0, 1, 2, 2])
    >>> calibrated.predict_proba([[0.6, 0.3, 0.1]]).round(3).tolist()
    [[1.0, 0.0, 0.0]]
    """

    calibrators_: list[Any]
    _learned: ClassVar[Learned] = {"calibrators_": None}

    def __init__(self, calibrator: Calibrator) -> None:
        self.calibrator = calibrator

    @property
    def reads(self) -> Reads:
        """What its calibrator reads."""
        return self.calibrator.reads

    def _check_scores(self, array: FloatArray) -> FloatArray:
        if not isinstance(self.calibrator, Calibrator):
            raise _input.BadType("calibrator", f"= {self.calibrator!r}", "one, such as PlattScaling()")
        return by_columns(_input.finite(array, "X", (1, 2)))

    def _warn(self, scores: FloatArray, labels: IntArray) -> None:
        if self.reads == "logits":
            own = labels[:, None] == np.arange(scores.shape[1])
            warn_of_probabilities(scores.ravel(), self.calibrator, own.ravel())

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        columns = range(scores.shape[1])
        present = np.bincount(labels, minlength=len(columns)) > 0
        if not present.all():
            expected = f"rows of each of the {len(columns)} classes, with a positive weight"
            raise _input.BadValue("y", f"holds no row of class {int(present.argmin())}", expected)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X looks like p")  # said once, not once per class
            self.calibrators_ = [
                clone(self.calibrator).fit(scores[:, k], labels == k, weights) for k in columns
            ]

    def predict_interval(self, X: npt.ArrayLike) -> Floats:
        """Return the interval of each class against all others; of Venn-Abers calibration, p0 and p1.

        Parameters
        ----------
        X : array_like, shape (m, K)
            Scores of the classes, as in `fit`.

        Returns
        -------
        ndarray, shape (m, K, 2)
            Probability of the class if the row counts as one of another class, and if it counts as one of
            this class. No row is divided by its sum, so that what is promised of two classes holds for each
            class by itself; the probabilities of `predict_proba` may lie outside.

        {refused}
        """
        if not hasattr(self.calibrator, "predict_interval"):
            expected = "one that gives intervals: VennAbersCalibration()"
            raise _input.BadType("calibrator", f"= {self.calibrator!r}", expected)
        scores = self._new_scores(X)
        return np.stack(
            [one.predict_interval(scores[:, k]) for k, one in enumerate(self.calibrators_)], axis=1
        )

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the normalised probability of each class, shape (n, K)."""
        scores = self._new_scores(X)
        columns = [fitted.predict_proba(scores[:, k])[:, 1] for k, fitted in enumerate(self.calibrators_)]
        probabilities = np.stack(columns, axis=1)
        total = probabilities.sum(axis=1, keepdims=True)
        uniform = np.full_like(probabilities, 1 / probabilities.shape[1])
        return np.asarray(np.divide(probabilities, total, out=uniform, where=total > 0))
