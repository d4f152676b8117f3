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
from .._parameters import describe
from .._typing import FloatArray, Floats, IntArray
from .serialization import state_of

CHANCE = 1e-9  # that scores drawn from those in fit all lie in [0, 1]: below it they are of another kind
Reads = Literal["logits", "probabilities", "scores"]


class Calibrator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A map from scores to probabilities, learned from rows that the model has not seen.

    Labels are the class numbers 0..K-1. scikit-learn's habits hold: `fit` returns the calibrator,
    ``clone``, ``get_params`` and pickling work, what was learned ends in an underscore.
    """

    classes_: IntArray
    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]
    _likely: float = np.nan  # the share of scores in fit, one a row, that may be probabilities
    _learned: ClassVar[Learned]  # what `to_dict` writes

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        describe(cls)

    @property
    def reads(self) -> Reads:
        """What the method is defined on: logits (or log-odds), probabilities, or scores of any kind."""
        return "scores"

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn the map.

        Parameters
        ----------
        X : array_like, shape (n,), (n, 1) or (n, K)
            What the method `reads`: of class 1, or of each class. A single binary logit z means (0, z), and
            a logit -inf rules a class out; it may not be the row's own label.
        y : array_like, shape (n,)
            Labels 0..K-1, or 0 and 1. Not every class has to occur, except for `OneVsRest`.
        sample_weight : array_like, shape (n,), optional
            Importance weights, non-negative.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For input that is not as described, and for rows that the method has no answer to; the message
            names the argument and the place, or says why: which way a temperature or a slope would run.

        Warns
        -----
        UserWarning
            Where a method that reads logits is given probabilities. Where all labels, or all of one score a
            row, are equal: there is nothing to learn but the base rate. Where class 1 has clearly the lower
            scores: something may be turned round. Where rows are copies. Where weights that count as rows
            sum to less than two.
        """
        scores, labels, weights = self._rows(X, y, sample_weight)
        self._warn(scores, labels)
        self._learn(scores, labels, weights)
        told = scores.ndim == 1 and _input.many_values(scores)
        self._likely = float(np.mean((scores >= 0) & (scores <= 1))) if told else np.nan
        self.classes_ = np.arange(n_classes(scores))
        return self

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

    def _check_scores(self, array: FloatArray) -> FloatArray:
        """Return `X`, (n,) where it has one column, as the method takes it; refuse what it does not."""
        return array

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        """Find what is learned from rows of positive weight."""
        raise NotImplementedError

    def _warn(self, scores: FloatArray, labels: IntArray) -> None:
        """Warn of calibration rows that look like a mistake."""
        if self.reads == "logits":
            warn_of_probabilities(scores, self, labels)
            _input.log_of_one_class(scores, "X")
            _input.stand_ins(scores, "X")

    def _rows(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None,
        *,
        in_part: bool = False,
    ) -> tuple[FloatArray, IntArray, Floats | None]:
        """Read calibration rows, or a part of them, in which all weights may be 0; such rows are left out."""
        _input.same_rows(X=X, y=y, sample_weight=sample_weight)
        array = _numbers(X)
        validate_data(self, _table(X, array), y, reset=True, skip_check_array=True)
        scores = self._check_scores(flat(array))
        labels = _input.labels(y, n_classes(scores), "y")
        _input.same_length(X=scores, y=labels)
        _input.labels_and_columns(labels, scores, "y")
        weights = _input.weights(sample_weight, len(labels), in_part=in_part)
        _input.label_logits(scores, labels, np.ones(1) if weights is None else weights)
        if weights is not None and weights.min() == 0:
            scores, labels, weights = scores[weights > 0], labels[weights > 0], weights[weights > 0]
        return scores, labels, weights

    def _new_scores(self, X: npt.ArrayLike) -> FloatArray:
        """Read `X`; refuse unfitted use, and other columns than those of the calibration data."""
        check_is_fitted(self, "classes_")
        array = _numbers(X)
        if array.ndim == 1 and self.n_features_in_ > 1:
            remedy = "Reshape your data: X.reshape(1, -1) is a single row"
            expected = f"{self.n_features_in_} columns. {remedy}"
            raise _input.BadValue("X", f"has shape {array.shape}", expected)
        validate_data(self, _table(X, array), reset=False, skip_check_array=True)
        scores = self._check_scores(flat(array))
        if self._likely ** len(scores) < CHANCE and _input.look_like_probabilities(scores):
            _input.warn("X looks like probabilities, and the scores in fit did not: pass scores as in fit")
        if self._likely == 1 and np.mean((scores < 0) | (scores > 1)) > 0.5:
            _input.warn("X looks like no probabilities, and the scores in fit did: pass scores as in fit")
        return scores

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


def _numbers(X: npt.ArrayLike) -> FloatArray:
    """Return `X` as an array of real numbers, (n,) or (n, columns)."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 0:
        expected = f"one column. 0 feature(s) (shape={X.shape}) while a minimum of 1 is required."
        raise _input.BadValue("X", "is empty", expected)
    array = _input.real_array(X, "X", (1, 2))
    _input.columns_in_order(X, range(array.shape[-1]), "X")
    return array


def _table(X: Any, array: FloatArray) -> Any:
    """Return a data frame as it is, anything else as a 2-D array."""
    return X if hasattr(X, "columns") else array.reshape(len(array), -1)


def warn_of_probabilities(scores: FloatArray, calibrator: Calibrator, labels: Any = None) -> None:
    """Warn where scores for a method that reads logits are probabilities, or percentages.

    A column without labels tells nothing: new rows, sorted perhaps, may have binary logits between 0 and 1.
    """
    if labels is None and scores.ndim == 1:
        return
    reads = f"{type(calibrator).__name__} reads"
    if labels is not None and _input.look_like_percentages(scores, labels):
        _input.warn(f"X looks like percentages: {reads} log-odds, scipy.special.logit(X / 100)")
    elif _input.look_like_probabilities(scores[: _input.SOME_ROWS] if labels is None else scores):
        one = "log-odds, log(p / (1 - p)) (scipy.special.logit)"
        remedy = one if scores.ndim == 1 else "logits, such as log(p)"
        _input.warn(f"X looks like probabilities: {reads} {remedy}")


def flat(array: FloatArray) -> FloatArray:
    """Read one column as a 1-D array."""
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def n_classes(scores: FloatArray) -> int:
    """Return how many classes scores speak of: two, where there is one score a row."""
    return 2 if scores.ndim == 1 else scores.shape[1]


def by_columns(array: FloatArray, advice: str = "") -> FloatArray:
    """Refuse one score a row where the method is defined on a column for each class."""
    if array.ndim == 1:
        expected = f"one column a class, at least two{advice}"
        raise _input.BadValue("X", "has n_features=1, one score a row", expected)
    return array
