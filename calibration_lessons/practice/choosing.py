"""Calibrate any classifier with any calibrator, on rows that the classifier has not seen."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from .. import _input
from .._typing import Floats
from ..calibrators._base import BinaryCalibrator, Calibrator
from ..calibrators.one_vs_rest import OneVsRest

Folds = list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]


class CalibratedModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier followed by a calibrator, which learns from scores that the classifier gives to new rows.

    The rows are cut into folds. A clone of the classifier, fitted on the other folds, scores each fold;
    the calibrator learns from all these scores together. Then the classifier is fitted on all rows.

    Parameters
    ----------
    estimator : scikit-learn classifier
        With `decision_function` or `predict_proba`. A `sklearn.frozen.FrozenEstimator` is used as it is: all
        rows given to `fit` are calibration rows, and must be new to it.
    calibrator : calibrator of this package
        A binary one for two classes; for more, `OneVsRest` around it, or a temperature.
    cv : int or a splitter of scikit-learn
        Number of stratified folds, at least 2.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows; or the frozen one that was given.
    calibrator_ : calibrator
    classes_ : ndarray, shape (K,)
        The labels, numbers or strings, in the order of the columns of `predict_proba`.

    Notes
    -----
    What the calibrator reads follows from its `reads`:

    - "logits" (`TemperatureScaling`, `ExpectationConsistency`, `PlattScaling`): the classifier's
      `decision_function`; where it has none, the logarithm of its probabilities (for two classes and for
      one class against the rest, the log-odds). A probability of 0 or 1 has no finite logit: it is refused
      unless the method allows -inf.
    - "probabilities" (`HistogramBinning` with bins of equal width): `predict_proba`, which the classifier
      must have.
    - "scores" (`IsotonicCalibration`, `HistogramBinning` with bins of equal mass): `decision_function`;
      where there is none, `predict_proba`.

    `OneVsRest` reads what its calibrator reads. The folds and the single final classifier are those of
    `sklearn.calibration.CalibratedClassifierCV` with ``ensemble=False``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from calibration_lessons import TemperatureScaling
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CalibratedModel(LogisticRegression(max_iter=1000), TemperatureScaling())
    >>> cross_val_score(model, X, y, scoring="neg_log_loss").mean().round(2) > -0.2
    np.True_

    A calibrator is an estimator, too, and ends a pipeline behind a model that is fitted on other rows:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> fitted = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    >>> pipeline = make_pipeline(FunctionTransformer(fitted.decision_function), TemperatureScaling())
    >>> pipeline.fit(X[1::2], y[1::2]).predict_proba(X[:1]).argmax(axis=1).tolist()
    [0]
    """

    estimator_: Any
    calibrator_: Calibrator
    classes_: npt.NDArray[Any]

    def __init__(self, estimator: Any, calibrator: Calibrator, cv: int | Any = 5) -> None:
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit the classifier and, on out-of-fold scores, the calibrator.

        Parameters
        ----------
        X : array_like or data frame, shape (n, n_features)
            What the classifier takes.
        y : array_like, shape (n,)
            Labels of any kind.
        sample_weight : array_like, shape (n,), optional
            Importance weights for the classifier (unless it is frozen) and the calibrator.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For input that is not as described, a class that a fold's training rows lack, and whatever the
            classifier or the calibrator refuse.
        """
        if not isinstance(self.calibrator, Calibrator):
            raise TypeError(f"calibrator = {self.calibrator!r}: expected one, such as TemperatureScaling()")
        labels = _input.class_labels(y)
        weights = _input.weights(sample_weight, len(labels))
        frozen = isinstance(self.estimator, FrozenEstimator)
        scores, codes = (self._as_it_is if frozen else self._cross_fit)(X, labels, weights)
        try:
            self.calibrator_ = clone(self.calibrator).fit(scores, codes, weights)
        except ValueError as error:
            raise ValueError(f"the calibrator cannot learn from the classifier's scores: {error}") from error
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the calibrated probability of each class, shape (n, K), in the order of `classes_`."""
        check_is_fitted(self, "calibrator_")
        return self.calibrator_.predict_proba(self._scores(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of the largest calibrated probability, shape (n,)."""
        check_is_fitted(self, "calibrator_")
        return np.asarray(self.classes_[self.calibrator_.predict(self._scores(X))])

    def _scores(self, X: Any) -> Floats:
        method = response_method(self.estimator_, self.calibrator)
        with np.errstate(divide="ignore"):
            output = getattr(self.estimator_, method)(X)
            return readable(output, method, self.calibrator, len(self.classes_))

    def _as_it_is(
        self, X: Any, labels: npt.NDArray[Any], weights: Floats | None
    ) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Scores of the frozen classifier, and the place of each label among its classes."""
        check_is_fitted(self.estimator)
        self.estimator_, self.classes_ = self.estimator, np.asarray(self.estimator.classes_)
        known = np.isin(labels, self.classes_)
        if not known.all():
            row = int(known.argmin())
            known_ones = self.classes_.tolist()
            raise ValueError(f"y[{row}] = {labels[row]}: expected one of the classes {known_ones}")
        return self._scores(X), np.searchsorted(self.classes_, labels)

    def _cross_fit(
        self, X: Any, labels: npt.NDArray[Any], weights: Floats | None
    ) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Scores of the rows by classifiers that have not seen them, and the place of each label."""
        params = {} if weights is None else {"sample_weight": weights}
        if params and not has_fit_parameter(self.estimator, "sample_weight"):
            raise TypeError(f"sample_weight: {self.estimator!r} does not take weights")
        classes, codes = np.unique(labels, return_inverse=True)
        folds = self._folds(X, codes, classes)
        method = response_method(self.estimator, self.calibrator)
        with np.errstate(divide="ignore"):
            from sklearn.model_selection import cross_val_predict  # slow to load, and needed only here

            output = cross_val_predict(self.estimator, X, labels, cv=folds, method=method, params=params)
            scores = readable(output, method, self.calibrator, len(classes))
        self.estimator_ = clone(self.estimator).fit(X, labels, **params)
        self.classes_ = classes
        return scores, codes

    def _folds(self, X: Any, codes: npt.NDArray[np.intp], classes: npt.NDArray[Any]) -> Folds:
        """Cut the rows into folds, and refuse those whose training rows lack a class."""
        if len(classes) < 2:
            raise ValueError(f"y holds only one class, {classes[0]}: expected two or more classes")
        from sklearn.model_selection import check_cv  # slow to load, and needed only here

        folds = list(check_cv(self.cv, codes, classifier=True).split(X, codes))
        for train, _ in folds:
            missing = np.bincount(codes[train], minlength=len(classes)) == 0
            if missing.any():
                raise ValueError(
                    f"class {classes[missing.argmax()]} is missing from the training rows of a fold: "
                    f"expected more rows of it, or another cv"
                )
        return folds

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = not isinstance(self.calibrator, BinaryCalibrator)
        return tags


def response_method(estimator: Any, calibrator: Calibrator) -> str:
    """Name of the classifier's method whose output the calibrator reads."""
    wanted = {
        "logits": ["decision_function", "predict_log_proba"],
        "probabilities": ["predict_proba"],
        "scores": ["decision_function", "predict_proba"],
    }[calibrator.reads]
    for method in wanted:
        if hasattr(estimator, method):
            return method
    raise TypeError(
        f"estimator = {estimator!r}: expected a classifier with {' or '.join(wanted)}, "
        f"because {calibrator!r} reads {calibrator.reads}"
    )


def readable(output: npt.ArrayLike, method: str, calibrator: Calibrator, n_classes: int) -> Floats:
    """Turn a classifier's output into what the calibrator reads: logits, probabilities or scores."""
    values = np.asarray(output, dtype=np.float64)
    by_class = isinstance(calibrator, OneVsRest)
    if values.ndim == 1:  # the decision function of two classes
        return np.stack([-values, values], axis=1) if by_class else values
    if values.shape[1] != n_classes:
        raise ValueError(f"{method} gives {values.shape[1]} columns: expected one a class, {n_classes}")
    binary = isinstance(calibrator, BinaryCalibrator)
    if method == "predict_log_proba" and (binary or by_class):
        values = values - np.log(-np.expm1(values))  # the log-odds of each class against the rest
    return np.asarray(values[:, 1]) if binary and n_classes == 2 else values
