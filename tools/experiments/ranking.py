"""Rank calibrators on the outputs of networks that others trained, or on classifiers that are trained here.

    python tools/experiments/ranking.py FOLDER --output TABLE.csv
    python tools/experiments/ranking.py --output book/reference/ranking.csv

Reads every file of FOLDER, and of the folders in it, that has one of these forms:

- `.npz`: arrays `logits` and `labels`; or `predictions` and `ground_truth`
- `.npy`: `NAMElogits.npy` beside `NAMElabels.npy`
- `.csv`: a header, a column `label`, all other columns one per class, in their order
- `.p`, `.pkl`, `.dat`: a pickle of the pair (table, labels), or of several such pairs, in NumPy's arrays

A table has a row per example and a column per class: logits, or probabilities, which are recognised by their
sums and read by their logarithms. Ten times the rows are halved at random. Each method learns from one half,
or from as many rows of it as the table says, and is judged on the other. The methods are ours,
among them the maps of betacal, netcal and venn-abers; probmetrics' structured scalings where it is installed
(for up to 100 classes); and matrix scaling with a part left out.

Without a folder it judges classifiers that it trains itself, in some ten minutes of one core.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from threadpoolctl import threadpool_limits

import calibration_lessons as cl
from calibration_lessons.book import datasets
from calibration_lessons.calibrators import _affine_rows, matrix_scaling
from tools.experiments import matrix_experiment
from tools.experiments.matrix_experiment import Method, Source, by, judged
from tools.experiments.running import options, write_table

HALVES = 10
SIZES = (100, 500, 5000)
COLUMNS = ["source", "classes", "rarest", "n", "method", "nll", "brier", "class_wise", "accuracy", "seconds"]
COLUMNS += ["nll_more", "brier_more", "nll_more_sd", "brier_more_sd"]
FORMS = ".npz .npy .csv .p .pkl .dat"


class Arrays(pickle.Unpickler):
    """Loads arrays and nothing else: whatever else a pickle would call is refused."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what rebuilds an array."""
        of_arrays = {"_reconstruct", "_frombuffer", "ndarray", "dtype"}
        if module.partition(".")[0] == "numpy" and name in of_arrays:
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise pickle.UnpicklingError(f"NumPy's arrays alone; it calls {module}.{name}")


def pairs(found: Any) -> Iterator[tuple[Any, Any]]:
    """Find the pairs (table, labels) in nested tuples."""
    if isinstance(found, tuple | list):
        if len(found) == 2 and all(isinstance(part, np.ndarray) for part in found):
            yield found[0], found[1]
        else:
            for part in found:
                yield from pairs(part)


def read(path: Path) -> list[tuple[Any, Any]]:
    """Pairs of one file; none of a file that holds the labels of another."""
    if path.suffix == ".npz":
        with np.load(path) as found:
            names = [("logits", "labels"), ("predictions", "ground_truth")]
            return [(found[a], found[b]) for a, b in names if a in found and b in found]
    if path.suffix == ".npy":
        labels = path.with_name(path.name.replace("logits.npy", "labels.npy"))
        return [(np.load(path), np.load(labels))]
    if path.suffix == ".csv":
        table = np.genfromtxt(path, delimiter=",", names=True)
        names = [name for name in table.dtype.names or () if name != "label"]
        return [(np.stack([table[name] for name in names], axis=1), table["label"])]
    with path.open("rb") as file:
        return [*pairs(Arrays(file).load())]


def checked(scores: Any, labels: Any) -> tuple[Any, Any]:
    """Return logits or log-probabilities, and labels 0..K-1."""
    scores, labels = np.squeeze(np.asarray(scores)), np.squeeze(np.asarray(labels))
    if scores.ndim != 2 or labels.shape != scores.shape[:1] or not np.isfinite(scores).all():
        raise ValueError(f"a table of finite numbers with a label each; found {scores.shape}, {labels.shape}")
    if (labels % 1).any() or labels.min() < 0 or labels.max() >= scores.shape[1]:
        raise ValueError(f"labels 0 to {scores.shape[1] - 1}; found {labels.min()} to {labels.max()}")
    scores = scores.astype(np.float64)
    if scores.min() >= 0 and np.allclose(scores.sum(axis=1), 1, atol=1e-3):
        scores = np.log(np.maximum(scores, 1e-30))
    return scores, labels.astype(np.intp)


def downloaded(folder: Path) -> Iterator[Source]:
    """Read all files of a folder; a file that cannot be read is named, with what to do."""
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in FORMS.split()]
    files = [path for path in files if path.suffix != ".npy" or path.stem.endswith("logits")]
    if not files:
        raise SystemExit(f"{folder}: no file of a known form ({FORMS}); see --help")
    for path in files:
        name = str(path.relative_to(folder))
        try:
            found = read(path)
            if not found:
                raise ValueError("a pair of a table and its labels")
            sources = [checked(*pair) for pair in found]
        except (ValueError, OSError, KeyError, pickle.UnpicklingError) as problem:
            remedy = "load it where you trust it, and np.savez(NAME, logits=..., labels=...)"
            raise SystemExit(f"{name}: expected {problem}; {remedy}") from None
        for number, source in enumerate(sources, start=1):
            yield name if len(sources) == 1 else f"{name}, part {number}", *source


def here() -> Iterator[Source]:
    """Classifiers of the course, of scikit-learn's data, and outputs drawn from a known law."""
    yield "Fashion-MNIST, network", *datasets.network_logits(0, "test")
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order] / 16, y[order]
    yield from trees("digits", X, y, 500)
    table = datasets.spambase()
    order = np.random.default_rng(0).permutation(len(table.y))
    yield from trees("e-mails", table.X[order], table.y[order], 1_500)
    yield from trees("26 clusters", *matrix_experiment.clusters(26, 16, 1.4, 14_000), 4_000)
    share = [0.8, 0.12, 0.05, 0.02, 0.01]
    X, y = make_classification(
        14_000, 20, n_informative=8, n_classes=5, weights=share, class_sep=0.8, random_state=0
    )
    yield from trees("rare classes", X, y, 4_000)
    jobs = datasets.hpc_cv()
    yield "computing jobs", np.log(np.maximum(jobs.y_prob, 1e-30)), jobs.y_true
    X, y = matrix_experiment.clusters(1000, 32, 1.0, 22_000)
    discriminant = LinearDiscriminantAnalysis().fit(X[:20_000], y[:20_000])
    known = np.flatnonzero(np.isin(y, discriminant.classes_) & (np.arange(len(y)) >= 20_000))
    z = discriminant.predict_log_proba(X[known])
    yield "1000 clusters, discriminant", z, np.searchsorted(discriminant.classes_, y[known])


def trees(data: str, X: Any, y: Any, train: int) -> Iterator[Source]:
    """Keep the forest and the boosted trees of the experiment on matrix scaling."""
    for source in matrix_experiment.behind(data, X, y, train):
        if "network" not in source[0]:
            yield source


class BestStrength(cl.MatrixScaling):
    """Matrix scaling with the one strength whose held-out loss is lowest, in place of the mean."""

    def _walk(self, rows: _affine_rows.AffineRows, strength: float | None) -> None:
        curvature = rows.curvature()
        path = matrix_scaling.cross_validated(rows, curvature)
        best = path.pulls[path.loss.argmin()]
        self.strength_ = best[0]
        self._keep(rows, matrix_scaling.averaged(rows, curvature, [best], np.ones(1)))


class HeldRows(_affine_rows.AffineRows):
    """Rows whose common stretch stays 0."""

    def taken(self, chosen: Any) -> HeldRows:
        """Return some of the rows."""
        return HeldRows(**vars(super().taken(chosen)))

    def loss_and_gradient(self, deviation: Any) -> tuple[float, Any]:
        """Return a slope that is flat along the stretch."""
        loss, slope = super().loss_and_gradient(deviation)
        return loss, _affine_rows.Deviation(0.0, slope.classes)


class NoTemperature(cl.MatrixScaling):
    """Matrix scaling that is pulled to the logits as they are, in place of a temperature's."""

    def _walk(self, rows: _affine_rows.AffineRows, strength: float | None) -> None:
        unit = rows.unit * self.temperature_
        self.temperature_ = 1.0
        super()._walk(HeldRows(rows.x, unit, rows.labels, rows.weights, rows.structure), strength)


def methods() -> dict[str, Method]:
    """Each learns from log-probabilities and labels, and returns probabilities for other rows."""
    found: dict[str, Method] = {
        "uncalibrated": lambda z, y, new: np.exp(new),
        "temperature": by(cl.TemperatureScaling()),
        "matrix": by(cl.MatrixScaling()),
        "matrix, one strength": by(BestStrength()),
        "matrix, no temperature": by(NoTemperature()),
        "biases": by(cl.MatrixScaling("bias")),
        "vector": by(cl.MatrixScaling("vector")),
        "expectation consistency": by(cl.ExpectationConsistency()),
        "ensemble temperature": matrix_experiment.mixture,
        "multi-class isotonic": by(cl.MultiClassIsotonic(), np.exp),
        "Platt, one against the rest": by(cl.OneVsRest(cl.PlattScaling()), log_odds),
        "beta, one against the rest": by(cl.OneVsRest(cl.BetaCalibration(prior_targets=True)), np.exp),
        "isotonic, one against the rest": by(cl.OneVsRest(cl.IsotonicCalibration(smoothing=2)), np.exp),
        "Venn-Abers, one against the rest": by(cl.OneVsRest(cl.VennAbersCalibration()), log_odds),
        "histogram, one against the rest": by(cl.OneVsRest(cl.HistogramBinning(smoothing=2)), np.exp),
    }
    found |= {name: run for name, run in matrix_experiment.methods().items() if "probmetrics" in name}
    return found


def log_odds(z: Any) -> Any:
    """Logarithm of p / (1 - p) of each class."""
    return z - np.log(np.maximum(-np.expm1(z), 1e-30))


def table(sources: Iterable[Source], sizes: Sequence[int], halves: int) -> Iterator[list[Any]]:
    """One row per source, size and method; without numbers where it had no answer for one of the halves.

    NLL and Brier score are compared with those of `matrix` on the same half: per cent more, and its spread.
    """
    for (source, z, y), n, found in judged(sources, methods(), sizes, halves):
        rarest = np.bincount(y, minlength=z.shape[1]).min() / len(y)
        for name, values in found.items():
            start = [source, z.shape[1], f"{rarest:.3g}", n, name]
            if len(values) < halves:
                yield [*start, *[""] * (len(COLUMNS) - len(start))]
                continue
            with np.errstate(invalid="ignore"):
                more = 100 * (values[:, :2] / found["matrix"][:, :2] - 1)
                numbers = [*values.mean(axis=0), *more.mean(axis=0), *more.std(axis=0, ddof=1)]
            yield [*start, *(f"{number:.4g}" for number in numbers)]


def main() -> None:
    """Rank, and write the table."""
    asked = options(__doc__, Path("ranking.csv"), folder=None, halves=HALVES)
    if asked.folder and not asked.folder.is_dir():
        sys.exit(f"{asked.folder}: expected a folder with files of these forms: {FORMS}")
    sources, sizes = (downloaded(asked.folder), (sys.maxsize,)) if asked.folder else (here(), SIZES)
    if not find_spec("probmetrics"):
        print("probmetrics is not installed: its scalings are left out", file=sys.stderr)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_table(asked.output, COLUMNS, table(sources, sizes, asked.halves))


if __name__ == "__main__":
    main()
