"""Try every classifier of scikit-learn with every calibrator of the package, and write what came of it.

    python tools/experiments/classifier_table.py

Writes `book/reference/classifiers.csv`, a row per classifier: what its logits are read from, and which
calibrators it can be put together with. `outcomes` takes classifiers of any library.
"""

import inspect
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators
from threadpoolctl import threadpool_limits

import calibration_lessons as cl
from calibration_lessons.calibrators._base import Calibrator
from calibration_lessons.calibrators._binary import BinaryCalibrator
from calibration_lessons.calibrators._classifier_scores import counted
from tools.experiments.running import ROOT, write_table

TABLE = ROOT / "book" / "reference" / "classifiers.csv"
COLUMNS = ("classifier", "logits from", "two classes", "three classes")
MEMBERS = [("one", LogisticRegression()), ("other", GaussianNB())]
SETTINGS: dict[str, dict[str, Any]] = {
    "AdaBoostClassifier": {"n_estimators": 20},
    "CalibratedClassifierCV": {"estimator": LogisticRegression(), "cv": 2},
    "CategoricalNB": {"min_categories": 9},
    "ExtraTreesClassifier": {"n_estimators": 20},
    "FixedThresholdClassifier": {"estimator": LogisticRegression()},
    "GradientBoostingClassifier": {"n_estimators": 20},
    "HistGradientBoostingClassifier": {"max_iter": 10},
    "LogisticRegressionCV": {"Cs": 2, "cv": 2, "use_legacy_attributes": False, "l1_ratios": (0,)},
    "MLPClassifier": {"hidden_layer_sizes": 10, "solver": "lbfgs", "alpha": 1.0},
    "OneVsOneClassifier": {"estimator": LogisticRegression()},
    "OneVsRestClassifier": {"estimator": GaussianNB()},
    "OutputCodeClassifier": {"estimator": LogisticRegression()},
    "RadiusNeighborsClassifier": {"radius": 2.0, "outlier_label": "most_frequent"},
    "RandomForestClassifier": {"n_estimators": 20},
    "SelfTrainingClassifier": {"estimator": LogisticRegression()},
    "StackingClassifier": {"estimators": MEMBERS, "cv": 2},
    "TunedThresholdClassifierCV": {"estimator": LogisticRegression(), "cv": 2},
    "VotingClassifier": {"estimators": MEMBERS, "voting": "soft"},
}
SEVERAL_LABELS = ("ClassifierChain", "MultiOutputClassifier")  # they predict several labels per row
REASONS = {
    "reads the scores of decision_function": "it gives no probabilities",
    "expected a classifier with": "it gives labels alone",
    "these logits say no more than chance": "it knows no more than chance",
    "is not above its lower end": "it knows no more than chance",
    "separates the labels": "a threshold separates the labels",
    "Only binary classification is supported. Unknown": "it takes two classes",
    "holds 3 classes: expected two": "it takes two classes",
}


def classifiers() -> dict[str, Any]:
    """Name all classifiers of scikit-learn, not fitted, the course's own, and a few pipelines."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of a class that is about to go
        for name, kind in all_estimators(type_filter="classifier"):
            if name not in SEVERAL_LABELS:
                wanted = SETTINGS.get(name, {}) | {"random_state": 0}
                known = inspect.signature(kind).parameters
                found[name] = kind(**{option: wanted[option] for option in wanted if option in known})
    tree = DecisionTreeClassifier(random_state=0)
    forest = RandomForestClassifier(n_estimators=20, random_state=0)
    return found | {
        "VotingClassifier, hard": VotingClassifier(MEMBERS),
        "LogisticRegression of the course": cl.models.LogisticRegression(l2=1.0),
        "SoftmaxRegression of the course": cl.models.SoftmaxRegression(l2=1.0),
        "scaler, SVC": make_pipeline(StandardScaler(), SVC()),
        "scaler, nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "selection, forest": make_pipeline(SelectKBest(k=2), forest),
        "components, naive Bayes": make_pipeline(PCA(2), GaussianNB()),
        "grid search of a tree": GridSearchCV(tree, {"max_depth": [2, 3]}, cv=2),
        "random search, forest": RandomizedSearchCV(
            forest, {"max_depth": [2, 3]}, n_iter=1, cv=2, random_state=0
        ),
    }


def calibrators(n_classes: int) -> dict[str, Calibrator]:
    """Name every calibrator of the package; with more than two classes, the binary ones in `OneVsRest`."""
    kinds = {value for value in vars(cl).values() if inspect.isclass(value) and issubclass(value, Calibrator)}
    found = [kind() for kind in kinds - {cl.OneVsRest}]
    found += [cl.HistogramBinning(strategy="quantile"), cl.PlattScaling(prior_targets=False)]
    binary = n_classes == 2
    return {
        repr(one): cl.OneVsRest(one) if isinstance(one, BinaryCalibrator) and not binary else one
        for one in sorted(found, key=repr)
    }


def data(n_classes: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
    """Two or three kinds of iris by name, shuffled, every seventh under a wrong name."""
    X, y = load_iris(return_X_y=True)
    keep = np.random.default_rng(0).permutation(np.flatnonzero(y < n_classes))
    X, y = X[keep], y[keep]
    y[::7] = (y[::7] + 1) % n_classes
    return X, np.array(["setosa", "versicolor", "virginica"], dtype=object)[y]


def outcomes(models: dict[str, Any], n_classes: int) -> dict[str, dict[str, str]]:
    """Put each classifier before each calibrator; say for each pair why it is refused, or nothing.

    What is not refused has to give probabilities. Each classifier is fitted once, on two rows of three, and
    frozen for all calibrators; then once more inside a `CalibratedModel` that makes its own folds.
    """
    X, y = data(n_classes)
    known = np.arange(len(y)) % 3 > 0
    found: dict[str, dict[str, str]] = {}
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for name, model in models.items():
            chosen = calibrators(n_classes)
            try:
                fitted = FrozenEstimator(clone(model).fit(X[known], y[known]))
            except ValueError as error:
                found[name] = dict.fromkeys(chosen, reason(error))
                continue
            found[name] = {
                label: outcome(cl.CalibratedModel(fitted, calibrator), X[~known], y[~known])
                for label, calibrator in chosen.items()
            }
            label = repr(cl.IsotonicCalibration())
            folded = outcome(cl.CalibratedModel(model, chosen[label], cv=2), X, y)
            if folded != found[name][label]:
                raise AssertionError(f"{name} with its own folds: {folded!r}, frozen: {found[name][label]!r}")
    return found


def outcome(model: cl.CalibratedModel, X: npt.NDArray[np.float64], y: npt.NDArray[Any]) -> str:
    """Say why a model is refused; where it is fitted, check its probabilities and say nothing."""
    try:
        p = model.fit(X, y).predict_proba(X)
    except (ValueError, TypeError) as error:
        return reason(error)
    classes = np.unique(y)
    if not np.array_equal(model.classes_, classes) or not np.isin(model.predict(X), classes).all():
        raise AssertionError(f"{model}: the classes are {model.classes_}")
    share = (y[:, None] == classes).mean(axis=0)
    sound = p.shape == (len(y), len(classes)) and np.allclose(p.sum(axis=1), 1) and p.min() >= 0
    worse = np.mean((p - (y[:, None] == classes)) ** 2) > 1.1 * np.mean(share * (1 - share))
    if not sound or (worse and isinstance(model.estimator, FrozenEstimator)):
        raise AssertionError(f"{model}: no probabilities, or worse than the base rates on their own rows")
    return ""


def reason(error: Exception) -> str:
    """Shorten a refusal to the words of the table."""
    return next((short for text, short in REASONS.items() if text in str(error)), str(error))


def logits_from(model: Any) -> str:
    """Say what a fitted classifier's logits are read from."""
    if hasattr(model, "decision_function"):
        return "decision function"
    if not hasattr(model, "predict_proba"):
        return "nothing"
    return "votes" if counted(model, data(2)[0]) is not None else "probabilities"


def table(models: dict[str, Any]) -> list[dict[str, str]]:
    """Return the rows of the table."""
    X, y = data(2)
    found = {n_classes: outcomes(models, n_classes) for n_classes in (2, 3)}
    rows = []
    for name, model in models.items():
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            read = logits_from(clone(model).fit(X, y))
        rows.append(
            dict(zip(COLUMNS, (name, read, *(summed_up(found[k][name]) for k in found)), strict=True))
        )
    return rows


def summed_up(refusals: dict[str, str]) -> str:
    """Say in a few words with which calibrators a classifier goes."""
    refused: dict[str, list[str]] = {}
    for calibrator, why in refusals.items():
        if why:
            refused.setdefault(why, []).append(f"`{calibrator}`")
    if not refused:
        return "all"
    if len(refused) == 1 and len(next(iter(refused.values()))) == len(refusals):
        return f"none: {next(iter(refused))}"
    return "; ".join(f"all but {', '.join(names)}: {why}" for why, names in refused.items())


if __name__ == "__main__":
    write_table(TABLE, COLUMNS, (row.values() for row in table(classifiers())))
