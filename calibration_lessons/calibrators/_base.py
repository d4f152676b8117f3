"""What all calibrators share: scikit-learn's habits, and how they read their input."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _input
from .._json_state import Learned
from .._typing import FloatArray, Floats, IntArray
from .serialization import state_of

Reads = Literal["logits", "probabilities", "scores"]


class Calibrator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A map from scores to probabilities, learned from rows that the model has not seen.

    Labels are the class numbers 0..K-1. scikit-learn's habits hold: `fit` returns the calibrator,
    ``clone``, ``get_params`` and pickling work, what was learned ends in an underscore.
    """

    classes_: IntArray
    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]
    _learned: ClassVar[Learned]  # what `to_dict` writes

    @property
    def reads(self) -> Reads:
        """What the method is defined on: logits (or log-odds), probabilities, or scores of any kind."""
        return "scores"

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn the map from scores `X` and labels `y`."""
        raise NotImplementedError

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the calibrated probability of each class, shape (n, K)."""
        raise NotImplementedError

    def predict(self, X: npt.ArrayLike) -> IntArray:
        """Return the class of the largest calibrated probability, shape (n,); ties go to the first."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_log_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the logarithms of the calibrated probabilities, shape (n, K); -inf where one is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as plain numbers, for `json.dumps`; `calibrator_from_dict` reads them.

        Returns
        -------
        dict
            Lists, numbers and texts: name and parameters of the calibrator, what it learned, and the version
            of this format.

        Raises
        ------
        ValueError, TypeError
            For a calibrator that is not fitted, or not one of this package.

        Examples
        --------
        >>> from calibration_lessons import PlattScaling
        >>> state = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1]).to_dict()
        >>> state["calibrator"], state["version"], sorted(state["learned"])
        ('PlattScaling', 1, ['intercept_', 'slope_'])
        """
        check_is_fitted(self, "classes_")
        return state_of(self)

    def _calibration_scores(self, X: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
        """Read `X`; keep the number of its columns (one for a 1-D array) and a data frame's names."""
        array = _numbers(X)
        validate_data(self, _table(X, array), y, reset=True, skip_check_array=True)
        return flat(array)

    def _new_scores(self, X: npt.ArrayLike) -> FloatArray:
        """Read `X`; refuse unfitted use, and other columns than those of the calibration data."""
        check_is_fitted(self, "classes_")
        array = _numbers(X)
        if array.ndim == 1 and self.n_features_in_ > 1:
            remedy = "Reshape your data: X.reshape(1, -1) is a single row"
            expected = f"{self.n_features_in_} columns. {remedy}"
            raise _input.BadValue("X", f"has shape {array.shape}", expected)
        validate_data(self, _table(X, array), reset=False, skip_check_array=True)
        return flat(array)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


def _numbers(X: npt.ArrayLike) -> FloatArray:
    """Return `X` as an array of real numbers, (n,) or (n, columns)."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 0:
        expected = f"one column. 0 feature(s) (shape={X.shape}) while a minimum of 1 is required."
        raise _input.BadValue("X", "is empty", expected)
    return _input.real_array(X, "X", (1, 2))


def _table(X: Any, array: FloatArray) -> Any:
    """Return a data frame as it is, anything else as a 2-D array."""
    return X if hasattr(X, "columns") else array.reshape(len(array), -1)


def warn_of_probabilities(scores: FloatArray, calibrator: Calibrator, *, new: bool = False) -> None:
    """Warn where scores for a method that reads logits are probabilities.

    A column of `new` ones tells nothing: some rows, sorted perhaps, may have binary logits between 0 and 1.
    """
    if new and scores.ndim == 1:
        return
    if _input.look_like_probabilities(scores[: _input.SOME_ROWS] if new else scores):
        one = "log-odds, log(p / (1 - p)) (scipy.special.logit)"
        remedy = one if scores.ndim == 1 else "logits, such as log(p)"
        _input.warn(f"X looks like probabilities: {type(calibrator).__name__} reads {remedy}")


def flat(array: FloatArray) -> FloatArray:
    """Read one column as a 1-D array."""
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def labels_and_weights(
    y: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    X: FloatArray,
    n_classes: int,
    *,
    in_part: bool = False,
) -> tuple[IntArray, Floats | None]:
    """Check labels and weights against the rows of `X`; in a part of the data all weights may be 0."""
    labels = _input.labels(y, n_classes, "y")
    _input.same_length(X=X, y=labels)
    _input.labels_from_one(labels, X, "y")
    return labels, _input.weights(sample_weight, len(labels), in_part=in_part)
