"""The experiment of the chapter *choosing*: calibrators after many models, against none and a simple rival.

`tools/experiments/choosing_experiment.py` runs it often and stores what it counted, `datasets.choosing` reads
that, and the chapter calls its parts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, logsumexp
from scipy.stats import binomtest, t
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from .. import _input
from .._typing import Floats, IntArray
from ..calibrators._base import Calibrator
from ..calibrators._binary import BinaryCalibrator
from ..calibrators._classifier_scores import scores_for
from ..calibrators.beta import BetaCalibration
from ..calibrators.histogram_binning import HistogramBinning
from ..calibrators.isotonic import IsotonicCalibration
from ..calibrators.matrix_scaling import MatrixScaling
from ..calibrators.one_vs_rest import OneVsRest
from ..calibrators.platt import PlattScaling
from ..calibrators.temperature import TemperatureScaling
from ..measures.paired import Difference, compare
from ..numerics import softmax
from . import datasets, simulate

SHARES = (0.4, 0.25)  # of the rows: to fit the classifier, to calibrate; the rest judges
SIZES = (50, 100, 200, 400, 1000, 4000)  # rows to calibrate with
LEVEL = 0.95  # of every interval
HARM = 0.2  # "safe": the interval of the rate of harm lies below
CALIBRATORS: dict[str, Calibrator] = {  # after models of two classes
    "temperature": TemperatureScaling(),
    "Platt": PlattScaling(),
    "Platt, labels": PlattScaling(prior_targets=False),
    "intercept": PlattScaling(slope=1.0),
    "beta": BetaCalibration(),
    "isotonic": IsotonicCalibration(),
    "isotonic, smoothed": IsotonicCalibration(smoothing=2),
    "histogram": HistogramBinning(strategy="quantile"),
}
CALIBRATORS_OF_MANY: dict[str, Calibrator] = {  # classes; those of two work one against the rest
    "temperature": TemperatureScaling(),
    "Platt": PlattScaling(),
    "isotonic, smoothed": IsotonicCalibration(smoothing=2),
    "matrix": MatrixScaling(),
}
RIVALS = {1: "Platt", 2: "temperature"}  # by the dimensions of the forecast: the simplest that always fits


class Scores(NamedTuple):
    """What a classifier says of n rows, in the three shapes that calibrators read.

    With two classes all are of class 1 and of shape (n,), and `log_odds` are the `logits`. With K classes
    all have shape (n, K), and `log_odds` are those of each class against the rest.
    """

    probability: Floats
    logits: Floats
    log_odds: Floats

    def rows(self, chosen: Any) -> Scores:
        """Return what is said of some of the rows."""
        return Scores(*(values[chosen] for values in self))


class Part(NamedTuple):
    """Features, shape (n, d), and labels, shape (n,)."""

    X: Floats
    y: IntArray


class Drawn(NamedTuple):
    """A model's scores and the labels of the rows that may calibrate, and of those that judge."""

    known: Scores
    y: IntArray
    new: Scores
    y_new: IntArray


class Case(NamedTuple):
    """Where calibrators are compared: "text", "table", "images" or "simulated", and its rows for a seed."""

    kind: str
    draw: Callable[[int], Drawn]


class Result(NamedTuple):
    """What one calibrator is worth by one score in one draw.

    The `method`, a name in `CALIBRATORS` or `CALIBRATORS_OF_MANY` or "nothing", learned from `n` rows; if it
    has no finite answer on them, it has `refused`, and the forecasts are the model's own. `score` is "Brier"
    or "NLL", in nats, and `value` is that of the rows that judge. `change` is its difference to the untouched
    model, and `verdict` is 1 if that is worse and -1 if it is better beyond the interval of the paired
    difference, else 0; `over_rival` and `rival_verdict` are the same against the simple rival.
    """

    n: int
    method: str
    score: str
    refused: bool
    value: float
    change: float
    verdict: int
    over_rival: float
    rival_verdict: int


def outcomes(case: str, seed: int) -> Iterator[Result]:
    """Judge every calibrator on growing parts of the rows that may calibrate, in one draw of a case.

    `case` is a name in `CASES`; `seed` is that of the split, of the classifier, or of the simulated rows.
    """
    _input.one_of(case, tuple(CASES), "case")
    known, y, new, y_new = CASES[case].draw(seed)
    calibrators = CALIBRATORS if new.logits.ndim == 1 else CALIBRATORS_OF_MANY
    for n in (size for size in SIZES if size <= len(y)):
        first = known.rows(slice(n))
        fitted = {method: recalibrated(one, first, y[:n], new) for method, one in calibrators.items()}
        said = {method: new.probability if p is None else p[0] for method, p in fitted.items()}
        said["nothing"], rival = new.probability, said[RIVALS[new.logits.ndim]]
        for method, p in said.items():
            refused = fitted.get(method, 0) is None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of bins with one row: the calibration is not read
                alone, against = (compare(y_new, p, other, level=LEVEL) for other in (new.probability, rival))
            brier, nll = (alone.brier, against.brier), (alone.nll, against.nll)
            for score, (one, other) in {"Brier": brier, "NLL": nll}.items():
                verdicts = one.value, verdict(one), other.value, verdict(other)
                yield Result(n, method, score, refused, one.a, *verdicts)


def verdict(difference: Difference) -> int:
    """Return 1 if a is worse than b beyond the interval, -1 if it is better, 0 if chance explains it."""
    worse, better = difference.value == np.inf, difference.value == -np.inf
    return int(worse or difference.low > 0) - int(better or difference.high < 0)


def rate(count: int, repeats: int) -> tuple[float, float]:
    """Clopper and Pearson's interval for the rate at which something happens, of `count` in `repeats`."""
    interval = binomtest(count, repeats).proportion_ci(LEVEL)
    return float(interval.low), float(interval.high)


def strength(new: Scores, y: IntArray) -> dict[str, float]:
    """Describe a case by the rows that judge: its classes, their overlap, and the error of the model.

    ``judged``, rows; ``classes``; ``rarest``, share of the rarest class; ``ranked``, the area under the ROC
    curve for two classes, else the accuracy; ``slope`` and ``shift`` of the log-odds that suit these rows
    (1 over the temperature and NaN for many classes): a slope below 1 says too sure.
    """
    two, shares = new.logits.ndim == 1, np.bincount(y) / len(y)
    if two:
        line = PlattScaling(prior_targets=False).fit(new.logits, y)
        ranked, slope, shift = roc_auc_score(y, new.logits), line.slope_, line.intercept_
    else:
        ranked = np.mean(new.logits.argmax(axis=1) == y)
        slope, shift = 1 / TemperatureScaling().fit(new.logits, y).temperature_, np.nan
    found = {"judged": len(y), "classes": len(shares), "rarest": shares.min(), "ranked": ranked}
    return {name: float(value) for name, value in (found | {"slope": slope, "shift": shift}).items()}


def load(data: str) -> Part:
    """Features and labels of a data set.

    They are "spambase", "breast cancer", "digits", "rain" and "titles". 1 is spam, malignant, rain on the
    next day in Seattle, and a work of art made in 2000 or later, told from the words of its title. Word
    counts and measurements of tumours are log(1 + x).
    """
    _input.one_of(data, ("spambase", "breast cancer", "digits", "rain", "titles"), "data")
    if data == "digits":
        return Part(*load_digits(return_X_y=True))
    if data == "titles":
        titles, year = datasets.tate_titles()
        words = CountVectorizer(min_df=2).fit_transform(titles)
        return Part(words.toarray().astype(np.float64), (year >= 2000).astype(np.int64))
    if data == "rain":
        weather = datasets.seattle_weather()
        angle = 2 * np.pi * (weather.date.astype("datetime64[M]").astype(int) % 12) / 12
        measured = np.column_stack([*weather[1:], np.cos(angle), np.sin(angle)])
        return Part(measured[:-1], (weather.precipitation[1:] > 0).astype(np.int64))
    if data == "spambase":
        X, y, _ = datasets.spambase()
        return Part(np.log1p(X), y)
    X, benign = load_breast_cancer(return_X_y=True)
    return Part(np.log1p(X), 1 - benign.astype(np.int64))


def split(rows: Part, sizes: tuple[float, float], seed: int) -> tuple[Part, Part, Part]:
    """Cut rows into training, calibration and test part, stratified, at random.

    `sizes` are those of the training and of the calibration part: shares of all rows, or numbers of rows. The
    features are standardised with the training part's means and deviations.
    """
    train, calibration = (int(size * len(rows.y)) if size < 1 else int(size) for size in sizes)
    X, X_rest, y, y_rest = train_test_split(
        rows.X, rows.y, train_size=train, stratify=rows.y, random_state=seed
    )
    X_known, X_new, y_known, y_new = train_test_split(
        X_rest, y_rest, train_size=calibration, stratify=y_rest, random_state=seed
    )
    scale = StandardScaler().fit(X).transform
    return Part(scale(X), y), Part(scale(X_known), y_known), Part(scale(X_new), y_new)


def classifiers(seed: int) -> dict[str, Any]:
    """Classifiers of scikit-learn, not fitted, with its default settings but for two.

    The network may train until it converges. The variances of naive Bayes are smoothed by a hundredth of
    the largest, because a word that no training row of a class holds would give log-odds of ten digits.
    """
    return {
        "logistic regression": LogisticRegression(),
        "naive Bayes": GaussianNB(var_smoothing=0.01),
        "naive Bayes of words": BernoulliNB(),
        "random forest": RandomForestClassifier(random_state=seed),
        "gradient boosting": GradientBoostingClassifier(random_state=seed),
        "SVM": SVC(),
        "neural network": MLPClassifier(max_iter=2000, random_state=seed),
    }


def fitted_forecasts(model: Any, train: Part, *parts: Part) -> list[Scores]:
    """Fit a classifier, on one thread, and let it speak of its training rows and of other parts."""
    with threadpool_limits(1):  # as fast on such small tables, and the same sums on every machine
        model.fit(train.X, train.y)
        return [forecast(model, part.X) for part in (train, *parts)]


def forecast(model: Any, X: Floats) -> Scores:
    """Probabilities as a fitted classifier states them, and what `CalibratedModel` would read of it.

    Examples
    --------
    >>> model = RandomForestClassifier(10, random_state=0).fit([[0.0], [1.0]] * 20, [0, 1] * 20)
    >>> p, z, _ = forecast(model, np.array([[0.0], [1.0]]))
    >>> p.tolist(), z.round(2).tolist()  # all ten trees agree: half a vote is counted against them
    ([0.0, 1.0], [-2.94, 2.94])
    """
    two = len(model.classes_) == 2
    z = scores_for(PlattScaling() if two else TemperatureScaling(), model, X, model.classes_, "half-vote")
    if not two:
        return forecast_of_logits(z)._replace(probability=model.predict_proba(X))
    return Scores(model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else expit(z), z, z)


def forecast_of_logits(logits: Floats) -> Scores:
    """Probabilities and log-odds of each of K classes, from logits of shape (n, K)."""
    rivals = [logsumexp(np.delete(logits, k, axis=1), axis=1) for k in range(logits.shape[1])]
    return Scores(softmax(logits), logits, logits - np.column_stack(rivals))


def recalibrated(calibrator: Calibrator, known: Scores, y: IntArray, *others: Scores) -> list[Floats] | None:
    """Return `others` after a calibrator that learned from `known`; None where it has no finite answer.

    Examples
    --------
    >>> z = np.array([-1.0, 1.0])
    >>> right = Scores(expit(z), z, z)
    >>> recalibrated(TemperatureScaling(), right, np.array([0, 1]), right) is None
    True
    """
    binary, one = known.logits.ndim == 1, isinstance(calibrator, BinaryCalibrator)
    if one and not binary:
        calibrator = OneVsRest(calibrator)

    def read(scores: Scores) -> Floats:
        z = scores.log_odds if one else scores.logits
        return np.asarray(expit(z)) if isinstance(calibrator, BetaCalibration) else z

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "all labels are")  # then it learns the base rate
            calibrator.fit(read(known), y)
    except ValueError:
        return None
    q = [calibrator.predict_proba(read(other)) for other in others]
    return [each[:, 1] for each in q] if binary else q


def paired_interval(differences: Floats, *, judged: float, learned: float) -> tuple[float, float, float]:
    """Low end, mean and high end of a 95 % interval for a mean difference over splits that share rows.

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

    Examples
    --------
    >>> low, mean, high = paired_interval(np.array([1.0, 2.0, 3.0]), judged=0.5, learned=0.5)
    >>> round(low, 2), mean, round(high, 2)
    (-2.97, 2.0, 6.97)
    """
    n_splits, mean = len(differences), float(differences.mean())
    variance = (1 / n_splits + judged / learned) * float(differences.var(ddof=1))
    half = float(t.ppf((1 + LEVEL) / 2, n_splits - 1)) * variance**0.5
    return mean - half, mean, mean + half


def _of_classifier(data: str, name: str, sizes: tuple[float, float]) -> Callable[[int], Drawn]:
    def draw(seed: int) -> Drawn:
        train, calibration, test = split(load(data), sizes, seed)
        _, known, new = fitted_forecasts(classifiers(seed)[name], train, calibration, test)
        return Drawn(known, calibration.y, new, test.y)

    return draw


def _of_probabilities(stored: Callable[[], Any], n: int) -> Callable[[int], Drawn]:
    """Halve stored probabilities at random: n rows to calibrate."""

    def draw(seed: int) -> Drawn:
        y, p, _ = stored()
        said = _stated(logit(p)) if p.ndim == 1 else forecast_of_logits(np.log(p))
        first, rest = np.split(_input.generator(seed, "seed").permutation(len(y)), [n])
        return Drawn(said.rows(first), y[first], said.rows(rest), y[rest])

    return draw


def _of_network(smoothed: bool) -> Callable[[int], Drawn]:
    """Draw an order of the calibration part, and half of the test part; plain networks take turns."""

    def draw(seed: int) -> Drawn:
        generator = _input.generator(seed, "seed")

        def shuffled(part: datasets.Part) -> tuple[Scores, IntArray]:
            network = seed % datasets.N_NETWORKS
            logits, y = datasets.smoothed_logits(part) if smoothed else datasets.network_logits(network, part)
            rows = generator.permutation(len(y))[:5000]
            return forecast_of_logits(logits[rows]), y[rows]

        return Drawn(*shuffled("calibration"), *shuffled("test"))

    return draw


def _of_shirts(seed: int) -> Drawn:
    """Keep one shirt of eleven: a class of a tenth becomes one of a hundredth, and the network knows not."""
    generator, shirt = _input.generator(seed, "seed"), datasets.FASHION_CLASSES.index("shirt")

    def thinned(part: datasets.Part) -> tuple[Scores, IntArray]:
        logits, labels = datasets.network_logits(seed % datasets.N_NETWORKS, part)
        y = (labels == shirt).astype(np.int64)
        rows = generator.permutation(np.flatnonzero((y == 0) | (generator.random(len(y)) < 1 / 11)))
        return _stated(forecast_of_logits(logits[rows]).log_odds[:, shirt]), y[rows]

    return Drawn(*thinned("calibration"), *thinned("test"))


def _simulated(events: float, separation: float, factor: float) -> Callable[[int], Drawn]:
    """Two normal densities, whose true log-odds are stated times a factor."""

    def draw(seed: int) -> Drawn:
        generator = _input.generator(seed, "seed")
        source = simulate.TwoGaussians(separation, events)

        def rows(n: int) -> tuple[Scores, IntArray]:
            x, y, _ = source.sample(n, generator)
            return _stated(factor * source.log_odds(x)), y

        return Drawn(*rows(max(SIZES)), *rows(5 * max(SIZES)))

    return draw


def _stated(log_odds: Floats) -> Scores:
    return Scores(expit(log_odds), log_odds, log_odds)


CASES = {
    **{
        f"e-mails, {name}": Case("text", _of_classifier("spambase", name, (1500, 1000)))
        for name in ("logistic regression", "naive Bayes", "random forest", "SVM", "neural network")
    },
    "titles, naive Bayes": Case("text", _of_classifier("titles", "naive Bayes of words", (1200, 1000))),
    "tumours, logistic regression": Case(
        "table", _of_classifier("breast cancer", "logistic regression", (169, 200))
    ),
    "rain, gradient boosting": Case("table", _of_classifier("rain", "gradient boosting", (500, 400))),
    "computing jobs, discriminant": Case("table", _of_probabilities(datasets.hpc_cv, 1000)),
    "two_class_example": Case("table", _of_probabilities(datasets.two_class_example, 200)),
    "digits, random forest": Case("images", _of_classifier("digits", "random forest", (500, 400))),
    "digits, naive Bayes": Case("images", _of_classifier("digits", "naive Bayes", (500, 400))),
    "clothes, network": Case("images", _of_network(smoothed=False)),
    "clothes, smoothed network": Case("images", _of_network(smoothed=True)),
    "shirts made rare, network": Case("images", _of_shirts),
    "1 % events, overlapping, far too sure": Case("simulated", _simulated(0.01, 1.5, 2.0)),
    "1 % events, far apart, too timid": Case("simulated", _simulated(0.01, 4.0, 0.7)),
    "half events, overlapping, a little too sure": Case("simulated", _simulated(0.5, 1.0, 1.15)),
    "half events, overlapping, right": Case("simulated", _simulated(0.5, 1.0, 1.0)),
}
