"""Judge matrix scaling beside its rivals on many classifiers, and write what the chapter reads.

    python tools/experiments/matrix_experiment.py

Writes `matrix_scaling.csv` into the package's data: one row per classifier, number of calibration rows and
method, each the mean over random halves. Where probmetrics is installed its structured scalings are judged,
too (`pip install probmetrics`); without it their rows are left out.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

import calibration_lessons as cl
from calibration_lessons.book import datasets
from tools.experiments.running import DATA, options, write_table

SIZES = (100, 500, 5000)
N_SPLITS = 4
UNPENALISED = 1e-3  # a strength so small that only rounding feels it
MOST_CLASSES = {"full, no penalty": 30, "probmetrics SVS": 100, "probmetrics SMS": 100}
COLUMNS = tuple(datasets.matrix_scaling())
Method = Callable[[Any, Any, Any], Any]
Source = tuple[str, Any, Any]  # name, logits and labels of rows that the classifier has not seen


def sources() -> Iterator[Source]:
    """List networks of the course, labels drawn from a known law, and classifiers that are trained here."""
    for network in range(datasets.N_NETWORKS):
        yield f"Fashion-MNIST network {network}", *datasets.network_logits(network, "test")
    yield "truth: a temperature", *drawn(0.0)
    yield "truth: a matrix", *drawn(0.5)
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    yield from behind("digits", X[order] / 16, y[order], 500)
    X, y = clusters(26, 16, 1.4, 14_000)
    yield from behind("26 clusters", X, y, 4_000)
    X, y = clusters(100, 30, 1.1, 18_000)
    yield from behind("100 clusters", X, y, 8_000)


def clusters(k: int, d: int, spread: float, n: int) -> tuple[Any, Any]:
    """Points around k centres in d dimensions; the classes differ in size and in width."""
    rng = np.random.default_rng(k)
    size = rng.dirichlet(np.full(k, 3.0))
    y = rng.choice(k, n, p=size)
    width = spread * rng.uniform(0.6, 1.4, k)
    return rng.standard_normal((k, d))[y] + width[y, None] * rng.standard_normal((n, d)), y


def drawn(size: float) -> tuple[Any, Any]:
    """Ten logits, and labels drawn from softmax(W z + b), W and b random around a temperature of 2."""
    rng = np.random.default_rng(1)
    z = 4 * rng.standard_normal((10_000, 10))
    matrix = np.eye(10) / 2 + size * 0.2 * rng.standard_normal((10, 10))
    scores = z @ matrix.T + size * rng.standard_normal(10)
    return z, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def behind(data: str, X: Any, y: Any, train: int) -> Iterator[Source]:
    """Log-probabilities of classifiers that learned the first rows, on the others; half a vote for 0.

    Where there are a hundred classes one network has to do: the others would take long.
    """
    models: dict[str, Any] = {"weak network": MLPClassifier(64, max_iter=8, random_state=0)}
    if y.max() < 30:
        models["overtrained network"] = MLPClassifier(256, max_iter=100, alpha=0, random_state=0)
        models["forest"] = RandomForestClassifier(100, random_state=0)
        models["boosting"] = HistGradientBoostingClassifier(max_iter=40, random_state=0)
    for name, model in models.items():
        p = model.fit(X[:train], y[:train]).predict_proba(X[train:])
        half = 0.5 / 100 if name == "forest" else 1e-30
        yield f"{data}, {name}", np.log(np.maximum(p, half)), y[train:]


def mixture(z: Any, y: Any, z_new: Any) -> Any:
    """Ensemble temperature scaling: a mixture of tempered, plain and uniform probabilities."""
    t = cl.TemperatureScaling().fit(z, y).temperature_
    parts = [
        np.stack([softmax(u / t, 1), softmax(u, 1), np.full(u.shape, 1 / u.shape[1])]) for u in (z, z_new)
    ]
    own, share = parts[0][:, np.arange(len(y)), y], np.full(3, 1 / 3)
    for _ in range(300):
        share = (share[:, None] * own / (share @ own)).mean(axis=1)
    return np.tensordot(share, parts[1], 1)


def by(calibrator: Any, reads: Callable[[Any], Any] = np.asarray) -> Method:
    """Learn by a calibrator, from what it reads of the logits."""
    return lambda z, y, new: calibrator.fit(reads(z), y).predict_proba(reads(new))


def methods() -> dict[str, Method]:
    """Each learns from logits and labels and returns probabilities for other logits."""
    found = {
        "uncalibrated": lambda z, y, new: softmax(new, axis=1),
        "temperature": by(cl.TemperatureScaling()),
        "bias": by(cl.MatrixScaling("bias")),
        "vector": by(cl.MatrixScaling("vector")),
        "auto": by(cl.MatrixScaling()),
        "bias, no penalty": by(cl.MatrixScaling("bias", strength=UNPENALISED)),
        "vector, no penalty": by(cl.MatrixScaling("vector", strength=UNPENALISED)),
        "full, no penalty": by(cl.MatrixScaling("full", strength=UNPENALISED)),
        "ensemble temperature": mixture,
        "isotonic, one against the rest": by(cl.OneVsRest(cl.IsotonicCalibration())),
    }
    if find_spec("probmetrics"):
        from probmetrics.calibrators import get_calibrator

        for name, key in (("probmetrics SVS", "svs"), ("probmetrics SMS", "sms")):
            found[name] = lambda z, y, new, key=key: (
                get_calibrator(key).fit(softmax(z, 1), y).predict_proba(softmax(new, 1))
            )
    return found


def measured(method: Method, z: Any, y: Any, known: Any, new: Any) -> list[float] | None:
    """NLL, Brier score, class-wise error, accuracy, seconds to fit and predict; None without an answer."""
    start = time.perf_counter()
    try:
        p = np.maximum(np.asarray(method(z[known], y[known], z[new]), dtype=np.float64), 0)
    except ValueError:
        return None
    seconds = time.perf_counter() - start
    p /= p.sum(axis=1, keepdims=True)
    if not np.isfinite(p).all():
        return None
    nll, brier = cl.negative_log_likelihood(y[new], p), cl.brier_score(y[new], p)
    class_wise = cl.expected_calibration_error(y[new], p, target="class-wise")
    accuracy = float((p.argmax(axis=1) == y[new]).mean())
    return [nll, brier, class_wise, accuracy, seconds]


def judged(
    sources: Iterable[Source], methods: dict[str, Method], sizes: Sequence[int], halves: int
) -> Iterator[tuple[Source, int, dict[str, Any]]]:
    """Measure methods on random halves, learning from so many rows of the other half.

    Gives for each source and size what `measured` gives, a row per half, by the methods' names; a method
    without an answer on one of the halves has fewer rows, one that takes too long for so many classes none.
    """
    for source, z, y in sources:
        z = log_softmax(np.asarray(z, dtype=np.float64), axis=1)
        half = len(y) // 2
        suited = {name: run for name, run in methods.items() if z.shape[1] <= MOST_CLASSES.get(name, np.inf)}
        for n in dict.fromkeys(min(size, half) for size in sizes):
            found: dict[str, list[list[float]]] = {name: [] for name in suited}
            for seed in range(halves):
                order = np.random.default_rng(seed).permutation(len(y))
                for name in [name for name, rows in found.items() if len(rows) == seed]:
                    one = measured(suited[name], z, y, order[:n], order[half:])
                    found[name] += [one] if one else []
            yield (source, z, y), n, {name: np.array(rows) for name, rows in found.items()}
            print(f"{source}, {n} rows, {time.process_time():.0f} s", file=sys.stderr, flush=True)


def table(n_splits: int) -> Iterator[list[Any]]:
    """One row per source, size and method; the gain is in NLL against the temperature, paired by split."""
    for (source, z, _), n, found in judged(sources(), methods(), SIZES, n_splits):
        for name, values in found.items():
            if len(values) == n_splits:
                gain = 100 * (values[:, 0] / found["temperature"][:, 0] - 1)
                spread = gain.std(ddof=1) / n_splits**0.5 if np.isfinite(gain).all() else np.nan
                means = (*values[:, [0, 1, 3]].mean(axis=0), gain.mean(), spread)
                yield [source, z.shape[1], n, name, n_splits, *(f"{value:.5g}" for value in means)]


def main() -> None:
    """Judge all, and write the table."""
    asked = options(__doc__, DATA / "matrix_scaling.csv", splits=N_SPLITS)
    with threadpool_limits(1):
        write_table(asked.output, COLUMNS, table(asked.splits))


if __name__ == "__main__":
    main()
