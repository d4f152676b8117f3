"""The experiment of the chapter *choosing*: every calibrator after every classifier, on split rows.

`tools/experiments/choosing_experiment.py` runs it often and stores the results, `datasets.choosing` reads
that, and the chapter runs one split again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, logsumexp
from scipy.stats import t
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from .. import _input
from .._typing import Floats
from ..calibrators._base import Calibrator
from ..calibrators._binary import BinaryCalibrator
from ..calibrators._classifier_scores import counted
from ..calibrators.expectation_consistency import ExpectationConsistency
from ..calibrators.histogram_binning import HistogramBinning
from ..calibrators.isotonic import IsotonicCalibration
from ..calibrators.one_vs_rest import OneVsRest
from ..calibrators.platt import PlattScaling
from ..calibrators.temperature import TemperatureScaling
from ..measures.ece import ece_under_calibration, expected_calibration_error
from ..measures.proper_scores import brier_score, negative_log_likelihood
from ..numerics import softmax
from . import datasets

Integers = npt.NDArray[np.int64]

SHARES = (0.4, 0.25)  # of the rows: to fit the classifier, to calibrate; the rest judges
ROWS = (1500, 1600)  # of spambase, where the size of the calibration set is varied
SIZES = (25, 50, 100, 200, 400, 800, 1600)
VARIED = ("naive Bayes", "SVM", "neural network")
CALIBRATORS: dict[str, Calibrator] = {
    "histogram": HistogramBinning(strategy="quantile"),
    "isotonic": IsotonicCalibration(),
    "Platt": PlattScaling(),
    "Platt, labels": PlattScaling(prior_targets=False),
    "temperature": TemperatureScaling(),
    "expectation consistency": ExpectationConsistency(),
}


class Scores(NamedTuple):
    """What a classifier says of n rows, in the three shapes that calibrators read.

    With two classes all are of class 1 and of shape (n,), and `log_odds` are the `logits`. With K classes
    all have shape (n, K), and `log_odds` are those of each class against the rest.
    """

    probability: Floats
    logits: Floats
    log_odds: Floats


class Part(NamedTuple):
    """Features, shape (n, d), and labels, shape (n,)."""

    X: Floats
    y: Integers


class Result(NamedTuple):
    """What one calibrator after one classifier is worth on the test rows.

    Attributes
    ----------
    classifier : str
    method : str
        A name in `CALIBRATORS`, or "uncalibrated".
    learned_on : {"nothing", "calibration rows", "training rows"}
    n : int
        Rows that the calibrator learned from.
    refused : bool
        Whether the method has no finite answer on these rows; the measures are then the classifier's own.
    own_brier : float
        Brier score on the rows that the calibrator learned from; NaN where there are none.
    ece, null_ece : float
        ECE in 15 bins of equal width, and its mean if the same forecasts were calibrated: of the positive
        class where there are two, of the top label where there are more.
    brier, nll, accuracy : float
        NLL in nats, ``inf`` where something happened that had been given the probability 0.
    """

    classifier: str
    method: str
    learned_on: str
    n: int
    refused: bool
    own_brier: float
    ece: float
    null_ece: float
    brier: float
    nll: float
    accuracy: float


def compare(data: str, seed: int) -> list[Result]:
    """Judge every calibrator after every classifier on one split of the rows.

    Each calibrator learns twice: from the calibration rows, and, for the damage, from the training rows.

    Parameters
    ----------
    data : {"spambase", "breast cancer"}
    seed : int
        Of the split and of the classifiers.

    Examples
    --------
    >>> found = compare("breast cancer", seed=0)
    >>> len(found) == 9 * (1 + 2 * len(CALIBRATORS))
    True
    """
    train, calibration, test = split(load(data), SHARES, seed)
    found: list[Result] = []
    for name, model in classifiers(seed).items():
        own, known, new = fitted_forecasts(model, train, calibration, test)
        found.append(_alone(name, new, test.y, seed))
        found += _calibrated(name, known, calibration.y, new, test.y, "calibration rows", seed)
        found += _calibrated(name, own, train.y, new, test.y, "training rows", seed)
    return found


def compare_sizes(seed: int) -> list[Result]:
    """Judge every calibrator on growing parts of the calibration rows: three classifiers on spambase.

    Parameters
    ----------
    seed : int
        Of the split and of the classifiers.
    """
    train, calibration, test = split(load("spambase"), ROWS, seed)
    found: list[Result] = []
    for name in VARIED:
        _, known, new = fitted_forecasts(classifiers(seed)[name], train, calibration, test)
        found += _by_size(name, known, calibration.y, new, test.y, seed)
    return found


def compare_sizes_of_network(seed: int) -> list[Result]:
    """Judge every calibrator on growing random parts of the calibration part of `network_logits(0, ...)`.

    Parameters
    ----------
    seed : int
        Of the choice of rows.
    """
    logits, y = datasets.network_logits(0, "calibration")
    new, y_new = datasets.network_logits(0, "test")
    order = _input.generator(seed, "seed").permutation(len(y))
    known, judged = forecast_of_logits(logits[order]), forecast_of_logits(new)
    return list(_by_size("network", known, y[order], judged, y_new, seed))


def load(data: str) -> Part:
    """Features and labels of "spambase" (1 is spam) or "breast cancer" (1 is malignant).

    Examples
    --------
    >>> load("breast cancer").X.shape
    (569, 30)
    """
    _input.one_of(data, ("spambase", "breast cancer"), "data")
    if data == "spambase":
        return Part(*datasets.spambase()[:2])
    X, benign = load_breast_cancer(return_X_y=True)
    return Part(X, 1 - benign.astype(np.int64))


def split(rows: Part, sizes: tuple[float, float], seed: int) -> tuple[Part, Part, Part]:
    """Cut rows into training, calibration and test part, stratified, at random.

    The features become log(1 + x), standardised with the training part's means and deviations.

    Parameters
    ----------
    rows : Part
    sizes : pair of float or int
        Of the training and of the calibration part: shares of all rows, or numbers of rows.
    seed : int

    Examples
    --------
    >>> [len(part.y) for part in split(load("breast cancer"), (0.4, 0.25), seed=0)]
    [227, 142, 200]
    """
    train, calibration = (int(size * len(rows.y)) if size < 1 else int(size) for size in sizes)
    X, X_rest, y, y_rest = train_test_split(
        np.log1p(rows.X), rows.y, train_size=train, stratify=rows.y, random_state=seed
    )
    X_known, X_new, y_known, y_new = train_test_split(
        X_rest, y_rest, train_size=calibration, stratify=y_rest, random_state=seed
    )
    scale = StandardScaler().fit(X).transform
    return Part(scale(X), y), Part(scale(X_known), y_known), Part(scale(X_new), y_new)


def classifiers(seed: int) -> dict[str, Any]:
    """Nine classifiers of scikit-learn, not fitted, with its default settings but for two.

    The network may train until it converges. The variances of naive Bayes are smoothed by a hundredth of
    the largest, because a word that no training row of a class holds would give log-odds of ten digits.

    Examples
    --------
    >>> len(classifiers(0))
    9
    """
    return {
        "logistic regression": LogisticRegression(),
        "naive Bayes": GaussianNB(var_smoothing=0.01),
        "decision tree": DecisionTreeClassifier(random_state=seed),
        "random forest": RandomForestClassifier(random_state=seed),
        "gradient boosting": GradientBoostingClassifier(random_state=seed),
        "nearest neighbours": KNeighborsClassifier(),
        "SVM": SVC(),
        "SVM with Platt": CalibratedClassifierCV(SVC(), ensemble=False),
        "neural network": MLPClassifier(max_iter=2000, random_state=seed),
    }


def fitted_forecasts(model: Any, train: Part, *parts: Part) -> list[Scores]:
    """Fit a classifier, on one thread, and let it speak of its training rows and of other parts."""
    with threadpool_limits(1):  # as fast on such small tables, and the same sums on every machine
        model.fit(train.X, train.y)
        return [forecast(model, part.X) for part in (train, *parts)]


def forecast(model: Any, X: Floats) -> Scores:
    """Probabilities of class 1 as a fitted classifier states them, and its log-odds.

    The margin of an SVM is read as log-odds. Naive Bayes and the network keep log-odds that their
    probabilities round away. A single tree counts the training rows in the leaf, one more of each class
    (Laplace's rule), as Zadrozny and Elkan (2001) do. Where all neighbours or all trees of a forest agree,
    the log-odds are those of half a vote against them.

    Parameters
    ----------
    model : fitted classifier, one of `classifiers`
    X : ndarray, shape (n, d)

    Examples
    --------
    >>> tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    >>> p, z, _ = forecast(tree, np.array([[0.0], [1.0]]))
    >>> p.tolist(), z.round(2).tolist()  # one row per leaf: 1/3 and 2/3
    ([0.0, 1.0], [-0.69, 0.69])
    """
    if isinstance(model, SVC):
        z = model.decision_function(X)
        return Scores(expit(z), z, z)
    p = np.asarray(model.predict_proba(X)[:, 1])
    if hasattr(model, "decision_function"):
        z = model.decision_function(X)
    elif isinstance(model, GaussianNB):
        z = np.diff(model.predict_joint_log_proba(X))[:, 0]
    elif isinstance(model, MLPClassifier):
        (inner, outer), (inner_bias, outer_bias) = model.coefs_, model.intercepts_
        z = (np.maximum(X @ inner + inner_bias, 0) @ outer + outer_bias)[:, 0]
    else:
        votes = counted(model, X)
        z = logit(p if votes is None else votes[:, 1])
    return Scores(p, z, z)


def forecast_of_logits(logits: Floats) -> Scores:
    """Probabilities and log-odds of each of K classes, from logits of shape (n, K).

    Examples
    --------
    >>> forecast_of_logits(np.array([[0.0, 0.0, 0.0]])).log_odds.round(3).tolist()
    [[-0.693, -0.693, -0.693]]
    """
    rivals = [logsumexp(np.delete(logits, k, axis=1), axis=1) for k in range(logits.shape[1])]
    return Scores(softmax(logits), logits, logits - np.column_stack(rivals))


def judge(y: Integers, p: Floats, seed: int) -> dict[str, float]:
    """Measure forecasts: the last five fields of `Result`, by name.

    Examples
    --------
    >>> judge(np.array([0, 1]), np.array([0.0, 1.0]), seed=0)["nll"]
    0.0
    """
    decided = p > 0.5 if p.ndim == 1 else p.argmax(axis=1)
    return {
        "ece": expected_calibration_error(y, p),
        "null_ece": ece_under_calibration(p, n_draws=200, random_state=seed).mean,
        "brier": brier_score(y, p),
        "nll": negative_log_likelihood(y, p),
        "accuracy": float(np.mean(decided == y)),
    }


def recalibrated(
    calibrator: Calibrator, known: Scores, y: Integers, *others: Scores
) -> list[Floats] | None:
    """Return `others` after a calibrator that learned from `known`; None where it has no finite answer.

    Examples
    --------
    >>> z = np.array([-1.0, 1.0])
    >>> right = Scores(expit(z), z, z)
    >>> recalibrated(TemperatureScaling(), right, np.array([0, 1]), right) is None
    True
    """
    binary = known.logits.ndim == 1
    field = 2 if isinstance(calibrator, BinaryCalibrator) else 1  # log-odds, or logits
    if isinstance(calibrator, BinaryCalibrator) and not binary:
        calibrator = OneVsRest(calibrator)
    try:
        calibrator.fit(known[field], y)
    except ValueError:
        return None
    q = [calibrator.predict_proba(other[field]) for other in others]
    return [each[:, 1] for each in q] if binary else q


def paired_interval(
    differences: Floats, *, judged: float, learned: float, level: float = 0.95
) -> tuple[float, float, float]:
    """Low end, mean and high end of a confidence interval for a mean difference over splits that share rows.

    The variance of the mean is s^2 (1/J + judged / learned), after Nadeau and Bengio (2003), section 2.2:
    with J splits and s^2 the variance of the differences. The quantile is that of Student's t with J - 1
    degrees of freedom.

    Parameters
    ----------
    differences : ndarray, shape (J,)
        One difference per split, of two methods on the same test rows.
    judged, learned : float
        Rows, or shares of the rows, that judge and that teach in each split; ``judged=0`` for repeats that
        share no rows.
    level : float
        Confidence level in (0, 1).

    Examples
    --------
    >>> low, mean, high = paired_interval(np.array([1.0, 2.0, 3.0]), judged=0.5, learned=0.5)
    >>> round(low, 2), mean, round(high, 2)
    (-2.97, 2.0, 6.97)
    """
    n_splits, mean = len(differences), float(differences.mean())
    variance = (1 / n_splits + judged / learned) * float(differences.var(ddof=1))
    half = float(t.ppf((1 + level) / 2, n_splits - 1)) * variance**0.5
    return mean - half, mean, mean + half


def _alone(classifier: str, new: Scores, y_new: Integers, seed: int) -> Result:
    measures = judge(y_new, new.probability, seed)
    return Result(classifier, "uncalibrated", "nothing", 0, False, np.nan, **measures)


def _calibrated(
    classifier: str, known: Scores, y: Integers, new: Scores, y_new: Integers, rows: str, seed: int
) -> Iterator[Result]:
    for method, calibrator in CALIBRATORS.items():
        found = recalibrated(calibrator, known, y, known, new)
        own, p = found or (known.probability, new.probability)
        score = brier_score(y, own)
        yield Result(classifier, method, rows, len(y), found is None, score, **judge(y_new, p, seed))


def _by_size(
    classifier: str, known: Scores, y: Integers, new: Scores, y_new: Integers, seed: int
) -> Iterator[Result]:
    yield _alone(classifier, new, y_new, seed)
    for n in SIZES:
        first = Scores(*(values[:n] for values in known))
        yield from _calibrated(classifier, first, y[:n], new, y_new, "calibration rows", seed)
