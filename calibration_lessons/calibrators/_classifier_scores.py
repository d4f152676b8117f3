"""What a calibrator reads from a fitted classifier: its logits, probabilities or scores, column by class."""

from inspect import signature
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logsumexp
from sklearn.frozen import FrozenEstimator

from .. import _input
from .._typing import FloatArray, Floats
from ._base import Calibrator
from ._binary import BinaryCalibrator
from .beta import BetaCalibration
from .histogram_binning import HistogramBinning
from .multi_class_isotonic import MultiClassIsotonic
from .one_vs_rest import OneVsRest

Zeros = Literal["half-vote", "refuse"] | float
RAW = {  # what makes `predict` of XGBoost, LightGBM and CatBoost give the margin
    "output_margin": True,
    "raw_score": True,
    "prediction_type": "RawFormulaVal",
}
READS_SCORES = {  # what to take in the place of a calibrator that reads probabilities
    HistogramBinning: "with strategy='quantile' it",
    BetaCalibration: "PlattScaling",
    MultiClassIsotonic: "OneVsRest(IsotonicCalibration())",
}


def scores_for(
    calibrator: Calibrator, classifier: Any, X: Any, classes: npt.NDArray[Any], zeros: Zeros
) -> Floats:
    """Return what `calibrator` reads from a fitted `classifier`, with columns in the order of `classes`."""
    order = order_of_columns(classifier, classes)
    margin = _margin(classifier, X) if calibrator.reads != "probabilities" else None
    if margin is not None:
        _refuse_pairs(classifier, len(classes))
        margin = _in_order(margin, "decision_function", order).astype(np.float64, copy=False)
        return _margins(calibrator, margin)
    if not hasattr(classifier, "predict_proba"):
        raise _unreadable(classifier, calibrator)
    binary, by_class = isinstance(calibrator, BinaryCalibrator), isinstance(calibrator, OneVsRest)
    inside = isinstance(calibrator.calibrator if by_class else calibrator, BetaCalibration)
    if calibrator.reads != "logits" and not inside:
        p = _in_order(classifier.predict_proba(X), "predict_proba", order).astype(np.float64, copy=False)
        return p[:, 1] if binary and len(classes) == 2 else p
    logs = log_probabilities(classifier, X, order, zeros)
    one = binary and len(classes) == 2
    odds = logs[:, 1] - logs[:, 0] if one else log_odds(logs) if by_class else logs
    return np.asarray(expit(odds) if inside else odds)


def own_classes(classifier: Any) -> npt.NDArray[Any]:
    """Return the classes of a fitted classifier, in its own order."""
    if not hasattr(classifier, "classes_"):
        raise _input.BadType(
            "estimator", f"= {classifier!r}", "a classifier that is fitted, with its classes_"
        )
    return np.asarray(classifier.classes_)


def order_of_columns(classifier: Any, classes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the place of each class among the classifier's own, which may stand in any order."""
    own = own_classes(classifier)
    order = np.argsort(own)
    if not np.array_equal(own[order], classes):
        raise _input.BadValue("estimator.classes_", f"= {own.tolist()}", f"the classes {classes.tolist()}")
    return order


def log_probabilities(classifier: Any, X: Any, order: npt.NDArray[np.intp], zeros: Zeros) -> Floats:
    """Logarithms of a classifier's probabilities, finite whatever `zeros` makes of a probability of 0."""
    if zeros == "half-vote":
        p = counted(classifier, X)
        if p is not None:
            return np.asarray(np.log(p[:, order]))
    exact = hasattr(classifier, "predict_log_proba")
    method = "predict_log_proba" if exact else "predict_proba"
    with np.errstate(divide="ignore"):
        said = _in_order(getattr(classifier, method)(X), method, order)
        logs = said.astype(np.float64)
        logs = logs if exact else np.log(logs)
    if not isinstance(zeros, str):
        return np.asarray(logs.clip(np.log(zeros), np.log1p(-zeros)), dtype=np.float64)
    ruled_out = logs == -np.inf
    if zeros == "refuse" and ruled_out.any():
        where = _input.first(ruled_out)
        expected = "zeros='half-vote', or zeros=0.001 to read smaller probabilities as 0.001"
        raise _input.BadValue("predict_proba", "is 0, whose logarithm is infinite", expected, where)
    logs[ruled_out] = np.log(float(np.finfo(said.dtype).eps))
    return logs


def log_odds(logs: Floats) -> Floats:
    """Log-odds of each class against the rest; to each row of `logs` a constant may have been added."""
    logs = logs - logsumexp(logs, axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        odds = logs - np.log(-np.expm1(logs))
    top = np.arange(len(logs)), logs.argmax(axis=1)  # 1 - p loses the digits of a p close to 1
    highest = logs[top]
    logs[top] = -np.inf
    odds[top] = highest - logsumexp(logs, axis=1)
    return np.asarray(odds)


def counted(classifier: Any, X: Any) -> Floats | None:
    """Probabilities in which nobody is certain, where votes stand behind them; None where none are known.

    Less than one vote of M becomes the mean of it and one vote, and so does what lacks less than one vote to
    all: 0 becomes half a vote, and the order of the rows stays. A single tree counts the training rows in the
    leaf, one more of each class (Laplace's rule).
    """
    classifier, X = unwrapped(classifier, X)
    if _is_tree(classifier):
        p = np.asarray(classifier.predict_proba(X), dtype=np.float64)
        rows = classifier.tree_.n_node_samples[classifier.apply(X)][:, None]
        return np.asarray((p * rows + 1) / (rows + p.shape[1]))
    votes = _votes(classifier)
    if votes is None:
        return None
    p, one = np.asarray(classifier.predict_proba(X), dtype=np.float64), 1 / max(votes, 2)
    return np.where(p < one, (p + one) / 2, np.where(p > 1 - one, (p + 1 - one) / 2, p))


def _margin(classifier: Any, X: Any) -> Any:
    """Return what a classifier, or a booster in its wrappers, says before its probabilities, or None."""
    if hasattr(classifier, "decision_function"):
        return classifier.decision_function(X)
    classifier, X = unwrapped(classifier, X)
    known = signature(classifier.predict).parameters if hasattr(classifier, "predict") else {}
    asked = {name: raw for name, raw in RAW.items() if name in known}
    return classifier.predict(X, **asked) if asked else None


def unwrapped(classifier: Any, X: Any = None) -> tuple[Any, Any]:
    """Return the classifier that wrappers ask in the end, and the rows, if any, as it gets them."""
    from sklearn.pipeline import Pipeline  # slow to load, as below

    while True:
        if isinstance(classifier, FrozenEstimator):
            classifier = classifier.estimator
        elif hasattr(classifier, "best_estimator_"):  # a search of scikit-learn's, or one like it
            classifier = classifier.best_estimator_
        elif isinstance(classifier, Pipeline):
            X = X if X is None or len(classifier) == 1 else classifier[:-1].transform(X)
            classifier = classifier[-1]
        else:
            return classifier, X


def _is_tree(classifier: Any) -> bool:
    from sklearn.tree import DecisionTreeClassifier

    return isinstance(classifier, DecisionTreeClassifier)


def _votes(classifier: Any) -> int | None:
    """How many votes stand behind a probability: neighbours, trees, or members that vote for one class."""
    from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
    from sklearn.neighbors import KNeighborsClassifier

    if isinstance(classifier, KNeighborsClassifier):
        return int(classifier.n_neighbors)
    if isinstance(classifier, RandomForestClassifier | ExtraTreesClassifier):
        return len(classifier.estimators_)
    if isinstance(classifier, BaggingClassifier):
        member = classifier.estimators_[0]
        if (
            _is_tree(member)
            or isinstance(member, KNeighborsClassifier)
            or not hasattr(member, "predict_proba")
        ):
            return len(classifier.estimators_)
    return None


def _unreadable(classifier: Any, calibrator: Calibrator) -> _input.BadType:
    methods = "predict_proba" if calibrator.reads == "probabilities" else "decision_function or predict_proba"
    expected = f"a classifier with {methods}, because {calibrator!r} reads {calibrator.reads}"
    inner = calibrator.calibrator if isinstance(calibrator, OneVsRest) else calibrator
    if hasattr(classifier, "decision_function") and type(inner) in READS_SCORES:
        expected += f" ({READS_SCORES[type(inner)]} reads the scores of decision_function)"
    return _input.BadType("estimator", f"= {classifier!r}", expected)


def _refuse_pairs(classifier: Any, n_classes: int) -> None:
    """Refuse a margin for each pair of classes: with three classes they look like one for each class."""
    classifier, _ = unwrapped(classifier)
    if n_classes > 2 and getattr(classifier, "decision_function_shape", "ovr") == "ovo":
        found = f"= {classifier!r}, which gives a margin for each pair of classes"
        raise _input.BadValue("estimator", found, "one for each class, decision_function_shape='ovr'")


def votes_of_pairs(classifier: Any) -> str:
    """Name of a classifier that scores a class by the pairs of classes in which it wins; else nothing."""
    name = type(unwrapped(classifier)[0]).__name__
    return name if name in ("SVC", "NuSVC") else ""


def _margins(calibrator: Calibrator, values: Floats) -> Floats:
    by_class = isinstance(calibrator, OneVsRest)
    if values.ndim == 1:  # two classes
        return np.stack([-values, values], axis=1) if by_class else values
    if isinstance(calibrator, BinaryCalibrator) and values.shape[1] == 2:
        return values[:, 1] - values[:, 0]
    return values


def _in_order(said: Any, method: str, order: npt.NDArray[np.intp]) -> FloatArray:
    """Return what a method of the classifier said, its columns in the given order."""
    values = _input.real_array(said, method, (1, 2))
    if values.ndim == 1 and method == "decision_function" and len(order) == 2:
        return values if order[0] == 0 else -values
    columns = 1 if values.ndim == 1 else values.shape[1]
    if columns != len(order):
        raise _input.BadValue(method, f"gives {columns} columns", f"one a class, {len(order)}")
    return values[:, order]
