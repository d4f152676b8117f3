"""Count how often intervals of the calibration error hold the truth, and write what the chapter *ece* reads.

    python tools/experiments/coverage_experiment.py

Writes `coverage.csv`, a row a source, into the package's data: of 1000 samples, how many of the intervals of
level 95 % held the error of the source. Four intervals are compared: `ece_interval`, the percentile and the
basic bootstrap, and, for the squared error, the interval of Sun et al. (2024). Same versions: same table.

A source is a finite population: some forecasts, all equally likely, each with the chance of its labels. Its
error is then a sum, and a sample is told by how often it drew each forecast with each label.
"""

import csv
from ast import literal_eval
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import expit, softmax
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

import calibration_lessons as cl
from calibration_lessons.book.simulate import Truth, calibrated, over_confident, sawtooth
from calibration_lessons.measures import _class_wise
from calibration_lessons.measures.reliability import curve_from_sums
from tools.experiments.running import DATA, tabulate

REPEATS, RESAMPLES, FORECASTS, ROUNDING = 1000, 200, 300, 1e-12
Z_ONE, Z_TWO = stats.norm.isf([0.05, 0.025])
SOURCES, UNIFORM = Path(__file__).with_name("coverage_sources.csv"), stats.uniform()
FORESTS = {"wine": load_wine, "digits": load_digits}


class Population(NamedTuple):
    """Forecasts (J,) and the chance of each event, or forecasts (J, K) and the chances of the labels."""

    p: Any
    chance: Any


class Case(NamedTuple):
    """A row of the table of sources: rows drawn of a population, which `WORDS` explains, bins, and the error.

    The sources of kind "built" were at hand while the interval was made; those of kind "unseen" were written
    down afterwards, to break it, and nothing of the interval was changed for them.
    """

    kind: str
    source: str
    words: str
    n: int
    n_bins: int
    norm: str

    def population(self) -> Population:
        """Make the population: ``scores; times 2; beta 1 30``, of such parts, or ``odds -4.6 1 2``."""
        first, *parts = map(read, self.words.split("; "))
        return first(*parts) if parts else first


class Binned:
    """The forecasts with each label that can come, and the bins that they lie in, one column a bin."""

    def __init__(self, population: Population, n_bins: int) -> None:
        p, chance = population
        self.class_wise = p.ndim == 2
        if not self.class_wise:
            p, chance = p[:, None], np.column_stack([1 - chance, chance])
        labels = np.eye(p.shape[1]) if self.class_wise else np.array([[0.0], [1.0]])
        happens = chance.ravel() > 0
        self.mass = (chance / len(p)).ravel()[happens]
        p = np.repeat(p, len(labels), axis=0)[happens]
        hit = np.tile(labels, (len(chance), 1))[happens]
        self.edges = cl.measures.bin_edges(n_bins)
        self.hit = hit[:, 0]
        place = np.searchsorted(self.edges, p).clip(1) - 1 + n_bins * np.arange(p.shape[1])
        columns = [np.ones_like(p), p, hit, p * (1 - p), hit - p, (hit - p) ** 2]
        self.parts = np.zeros((len(columns), len(p), n_bins * p.shape[1]))
        for part, values in zip(self.parts, columns, strict=True):
            np.put_along_axis(part, place, values, axis=1)

    def error(self, weight: Any, norm: str, seen: Any = slice(None)) -> Any:
        """Return the binned error of rows that count with these weights, shape (..., J)."""
        return self.error_of(*(weight @ self.parts[k][seen] for k in (0, 4)), norm)

    def error_of(self, rows: Any, gap: Any, norm: str) -> Any:
        """Return the binned error from the rows and the sum of the gaps of each bin, bins last."""
        total = rows.sum(axis=-1)
        if norm == "l1":
            return np.abs(gap).sum(axis=-1) / total
        return np.sqrt(np.divide(gap**2, rows, out=np.zeros_like(gap), where=rows > 0).sum(axis=-1) / total)

    def interval(self, counts: Any, norm: str) -> tuple[float, float]:
        """Return `ece_interval` of a sample."""
        rows, p, hits, variances, squares = (counts @ self.parts[k] for k in (0, 1, 2, 3, 5))
        sums = np.array([rows, rows, rows, p, hits, variances, squares, hits]).reshape(
            8, -1, len(self.edges) - 1
        )
        curves = [curve_from_sums("positive", "uniform", self.edges, one) for one in sums.swapaxes(0, 1)]
        if self.class_wise:
            return _class_wise.interval(curves, 0.95, "l1")
        return curves[0].ece_interval(0.95, "l1" if norm == "l1" else "l2")

    def bootstrap(self, counts: Any, norm: str, generator: np.random.Generator) -> tuple[float, float]:
        """Return the middle 95 % of the errors of samples drawn from the sample.

        Rows are drawn by bin and label, and the sum of their gaps as normal, given how many they are; with
        several classes, where a row lies in a bin of each, row by row.
        """
        if self.class_wise:
            seen = np.flatnonzero(counts)
            again = generator.multinomial(counts.sum(), counts[seen] / counts.sum(), RESAMPLES).astype(float)
            errors = self.error(again, norm, seen)
        else:
            known = [counts * (1 - self.hit), counts * self.hit]
            rows, gap, square = (np.concatenate([c @ self.parts[k] for c in known]) for k in (0, 4, 5))
            mean, square = gap / rows.clip(1), square / rows.clip(1)
            drawn = generator.multinomial(counts.sum(), rows / counts.sum(), RESAMPLES)
            spread = np.sqrt(drawn * (square - mean**2).clip(0))
            gaps = drawn * mean + spread * generator.standard_normal(drawn.shape)
            errors = self.error_of(*(x.reshape(RESAMPLES, 2, -1).sum(axis=1) for x in (drawn, gaps)), norm)
        low, high = np.quantile(errors, [0.025, 0.975])
        return float(low), float(high)

    def holds_by_sun(self, counts: Any, truth: float) -> bool:
        """Tell whether the interval of Sun et al. (2024) for the squared error holds the truth.

        The squared gaps, freed from bias, sum up to T. Where the error is not 0, T is normal with a standard
        error s; the interval is max(T, 0) plus and minus z s, and its lower end goes over to the one-sided
        bound where T is no longer clear of 0. It holds 0 where T is no surprise under calibration.
        """
        n, (rows, sums, squares) = counts.sum(), (counts @ self.parts[k] for k in (0, 4, 5))
        rows, gap, square = (x[rows > 0] for x in (rows, sums / rows.clip(1), squares / rows.clip(1)))
        unbiased = float((rows * (rows * gap**2 - square) / (rows - 1).clip(1)).sum() / n)
        share = rows / n
        variance = share @ (4 * gap**2 * square - 3 * gap**4) - (share @ gap**2) ** 2
        s = np.sqrt(max(variance, 0.0) / n)
        if truth == 0:
            return bool(unbiased <= Z_ONE * np.sqrt(2 * (square**2).sum()) / n)
        estimate = max(unbiased, 0.0)
        low = np.clip(estimate / 2, max(estimate - Z_TWO * s, 0.0), max(estimate - Z_ONE * s, 0.0))
        return bool(low <= truth <= estimate + Z_TWO * s)


def scores(truth: Truth, law: Any = UNIFORM) -> Population:
    """Take the middles of equal shares of a distribution of scores, with the chance of their events."""
    p = np.asarray(law.ppf((np.arange(FORECASTS) + 0.5) / FORECASTS))
    return Population(p, np.clip(truth(p), 0, 1))


def odds(mean: float, sd: float, times: float, n: int = FORECASTS) -> Population:
    """Take normal log-odds; the true odds are so many times as large."""
    z = stats.norm(mean, sd).ppf((np.arange(n) + 0.5) / n)
    return Population(expit(z), expit(z + np.log(times)))


def mixture(*numbers: float) -> Population:
    """List forecasts in threes: how often each comes, the forecast, and the chance of its event."""
    times, *rows = np.reshape(numbers, (-1, 3)).T
    return Population(*np.repeat(rows, times.astype(int), axis=1))


def shifted(by: float) -> Population:
    """Return a source whose events happen more often than forecast, by the same amount everywhere."""
    return scores(lambda p: p + by, stats.uniform(max(0.0, -by), 1 - abs(by)))


def classes(n_classes: int, temperature: float, spread: float = 2.0) -> Population:
    """Return normal logits of several classes, and labels drawn at a temperature."""
    z = spread * np.random.default_rng(99).normal(size=(FORECASTS, n_classes))
    return Population(softmax(z, axis=1), softmax(z / temperature, axis=1))


@cache
def forest(data: str) -> tuple[Any, Any]:
    """Return the forecasts of a random forest for rows that it has not seen, and the labels."""
    features, labels = FORESTS[data](return_X_y=True)
    model = RandomForestClassifier(random_state=0)
    return cross_val_predict(model, features, labels, method="predict_proba"), labels


def top_label(data: str) -> Population:
    """Take a forest's confidence in its top label; the label of each row is known."""
    p, labels = forest(data)
    return Population(p.max(axis=1), (p.argmax(axis=1) == labels).astype(float))


def all_classes(data: str) -> Population:
    """Take a forest's probabilities of all classes; the label of each row is known."""
    p, labels = forest(data)
    return Population(p, np.eye(p.shape[1])[labels])


WORDS: dict[str, Any] = {  # of the table of sources
    "scores": scores, "odds": odds, "mixture": mixture, "shifted": shifted, "classes": classes,
    "top_label": top_label, "all_classes": all_classes, "beta": stats.beta, "uniform": stats.uniform,
    "calibrated": calibrated, "over_confident": over_confident, "sawtooth": sawtooth,
    "constant": lambda chance: lambda p: np.full_like(p, chance),
    "plus": lambda by: lambda p: p + by,
    "times": lambda factor: lambda p: factor * p,
    "power": lambda exponent: lambda p: p**exponent,
    "step": lambda p: (p > 0.5).astype(float),
    "turned": lambda p: 1 - p,
    "one_bin_off": lambda p: np.where((p > 6 / 15) & (p <= 7 / 15), p - 0.2, p),
    "high_off": lambda p: p - 0.15 * (p > 0.9),
}  # fmt: skip


def read(words: str) -> Any:
    """Read ``beta 20 1``: a name of `WORDS`, and what it is called with, if anything."""
    name, *texts = words.split()
    given = [text if text.isalpha() else literal_eval(text) for text in texts]
    return WORDS[name](*given) if given else WORDS[name]


@cache
def cases() -> list[Case]:
    """List all sources."""
    with SOURCES.open(encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    return [Case(*words, int(n), int(n_bins), norm) for *words, n, n_bins, norm in rows]


def count(case: Case, repeats: int = REPEATS) -> dict[str, Any]:
    """Draw samples from the source and count the intervals that hold its binned error.

    `above` and `below` count the truths outside of the interval.
    """
    binned = Binned(case.population(), case.n_bins)
    norm = "l1" if case.norm == "class-wise" else case.norm
    truth = float(binned.error(binned.mass, norm))
    truth = 0.0 if truth < ROUNDING else truth
    square = float(binned.error(binned.mass, "l2")) ** 2 if truth > 0 else 0.0
    samples, resamples = np.random.default_rng(0), np.random.default_rng(1)
    found = dict.fromkeys(("held", "above", "below", "bootstrap", "basic", "sun"), 0)
    length = 0.0
    for _ in range(repeats):
        counts = samples.multinomial(case.n, binned.mass)
        low, high = binned.interval(counts, norm)
        found["above"] += truth > high + ROUNDING
        found["below"] += truth < low - ROUNDING
        found["held"] += low - ROUNDING <= truth <= high + ROUNDING
        length += (high - low) / repeats
        low, high = binned.bootstrap(counts, norm, resamples)
        found["bootstrap"] += low - ROUNDING <= truth <= high + ROUNDING
        observed = float(binned.error(counts, norm))
        found["basic"] += 2 * observed - high - ROUNDING <= truth <= 2 * observed - low + ROUNDING
        found["sun"] += not binned.class_wise and binned.holds_by_sun(counts, square)
    told = {"source": case.source, "kind": case.kind, "error": case.norm, "n": case.n, "n_bins": case.n_bins}
    told |= {"truth": float(f"{truth:.6f}"), "repeats": repeats} | found
    return told | ({"sun": ""} if binned.class_wise else {}) | {"length": float(f"{length:.5f}")}


if __name__ == "__main__":
    tabulate(__doc__, DATA / "coverage.csv", count, cases())
