"""What all calibrators share: scikit-learn's habits, and how they read their input."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _checks

Floats = npt.NDArray[np.float64]


class Calibrator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A map from scores to probabilities, learned from rows that the model has not seen.

    Labels are the class numbers 0..K-1. scikit-learn's habits hold: `fit` returns the calibrator,
    ``clone``, ``get_params`` and pickling work, what was learned ends in an underscore.
    """

    classes_: _checks.IntArray
    n_features_in_: int

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn the map from scores `X` and labels `y`."""
        raise NotImplementedError

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the calibrated probability of each class, shape (n, K)."""
        raise NotImplementedError

    def predict(self, X: npt.ArrayLike) -> _checks.IntArray:
        """Return the class of the largest calibrated probability, shape (n,); ties go to the first."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def _remember_columns(self, X: Any, array: _checks.FloatArray, y: Any) -> None:
        """Keep the number of columns and a data frame's names; 1-D input counts as one column."""
        named = X if hasattr(X, "columns") else array.reshape(len(array), -1)
        validate_data(self, named, y, reset=True, skip_check_array=True)

    def _compare_columns(self, X: Any, array: _checks.FloatArray) -> None:
        """Refuse unfitted use, and other columns than those of the calibration data."""
        check_is_fitted(self, "classes_")
        named = X if hasattr(X, "columns") else array.reshape(len(array), -1)
        validate_data(self, named, reset=False, skip_check_array=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.one_d_array = False
        return tags


def flat(array: _checks.FloatArray) -> _checks.FloatArray:
    """Read one column as a 1-D array."""
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def labels_and_weights(
    y: npt.ArrayLike, sample_weight: npt.ArrayLike | None, X: _checks.FloatArray, n_classes: int
) -> tuple[_checks.IntArray, Floats]:
    """Check labels and weights; the weights come back as shares of the largest, 1 where none were given."""
    labels = _checks.labels(y, n_classes, "y")
    _checks.same_length(X=X, y=labels)
    weights = _checks.weights(sample_weight, len(labels))
    return labels, np.ones(len(labels)) if weights is None else weights / weights.max()
