"""Count how often intervals of the calibration error hold the truth, and write what the chapter *ece* reads.

    python tools/experiments/coverage_experiment.py

Writes `coverage.csv`, a row a source, into the package's data: of 1000 samples, how many of the intervals of
level 95 % held the error of the source. Four intervals are compared: `ece_interval`, the percentile and the
basic bootstrap, and, for the squared error, the interval of Sun et al. (2024). Same versions: same table.

A source is a finite population: some forecasts, all equally likely, each with the chance of its labels. Its
error is then a sum, and a sample is told by how often it drew each forecast with each label.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import expit, softmax
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

import calibration_lessons as cl
from calibration_lessons.book.simulate import calibrated, over_confident, sawtooth
from calibration_lessons.measures import _class_wise
from calibration_lessons.measures.reliability import curve_from_sums
from tools.experiments.running import done, parser, write_table

REPEATS, RESAMPLES, FORECASTS, ROUNDING = 1000, 200, 300, 1e-12
Z_ONE, Z_TWO = stats.norm.isf([0.05, 0.025])
LIKE_NETWORKS, UNIFORM = stats.beta(20, 1), stats.uniform()
FORESTS = {"wine": load_wine, "digits": load_digits}


class Population(NamedTuple):
    """Forecasts (J,) and the chance of each event, or forecasts (J, K) and the chances of the labels."""

    p: Any
    chance: Any


class Case(NamedTuple):
    """A source in words, the population, the rows drawn from it, the bins, the error, and its kind.

    The sources of kind "built" were at hand while the interval was made; those of kind "unseen" were written
    down afterwards, and nothing of the interval was changed for them.
    """

    source: str
    population: Callable[[], Population]
    n: int
    n_bins: int = 15
    norm: str = "l1"
    kind: str = "built"


class Row(NamedTuple):
    """What the table says of a case; `above` and `below` count the truths outside of the interval."""

    source: str
    kind: str
    error: str
    n: int
    n_bins: int
    truth: float
    repeats: int
    held: int
    above: int
    below: int
    bootstrap: int
    basic: int
    sun: int | str
    length: float


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
        sums = np.array([rows, rows, rows, p, hits, variances, squares]).reshape(7, -1, len(self.edges) - 1)
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


def scores(truth: Callable[[Any], Any], law: Any = UNIFORM) -> Callable[[], Population]:
    """Take the middles of equal shares of a distribution of scores, with the chance of their events."""
    p = np.asarray(law.ppf((np.arange(FORECASTS) + 0.5) / FORECASTS))
    return lambda: Population(p, np.clip(truth(p), 0, 1))


def odds(mean: float, sd: float, times: float, n: int = FORECASTS) -> Callable[[], Population]:
    """Take normal log-odds; the true odds are so many times as large."""
    z = stats.norm(mean, sd).ppf((np.arange(n) + 0.5) / n)
    return lambda: Population(expit(z), expit(z + np.log(times)))


def mixture(*forecasts: tuple[float, float]) -> Callable[[], Population]:
    """List forecasts, each with the chance of its event."""
    return lambda: Population(*np.array(forecasts).T)


def shifted(by: float) -> Callable[[], Population]:
    """Return a source whose events happen more often than forecast, by the same amount everywhere."""
    return scores(lambda p: p + by, stats.uniform(max(0.0, -by), 1 - abs(by)))


def constant(chance: float) -> Callable[[Any], Any]:
    """Return a truth that is the same whatever is forecast."""
    return lambda p: np.full_like(p, chance)


def times(factor: float) -> Callable[[Any], Any]:
    """Return a truth that is a multiple of the forecast."""
    return lambda p: factor * p


def one_bin_off(p: Any) -> Any:
    """Return a truth that is 0.2 too low in the seventh of 15 bins and right elsewhere."""
    return np.where((p > 6 / 15) & (p <= 7 / 15), p - 0.2, p)


def classes(n_classes: int, temperature: float, spread: float = 2.0) -> Callable[[], Population]:
    """Return normal logits of several classes, and labels drawn at a temperature."""
    z = spread * np.random.default_rng(99).normal(size=(FORECASTS, n_classes))
    return lambda: Population(softmax(z, axis=1), softmax(z / temperature, axis=1))


@cache
def forest(data: str) -> tuple[Any, Any]:
    """Return the forecasts of a random forest for rows that it has not seen, and the labels."""
    features, labels = FORESTS[data](return_X_y=True)
    model = RandomForestClassifier(random_state=0)
    return cross_val_predict(model, features, labels, method="predict_proba"), labels


def top_label(data: str) -> Callable[[], Population]:
    """Take a forest's confidence in its top label; the label of each row is known."""

    def population() -> Population:
        p, labels = forest(data)
        return Population(p.max(axis=1), (p.argmax(axis=1) == labels).astype(float))

    return population


def all_classes(data: str) -> Callable[[], Population]:
    """Take a forest's probabilities of all classes; the label of each row is known."""
    return lambda: Population(forest(data)[0], np.eye(forest(data)[0].shape[1])[forest(data)[1]])


def today() -> list[Case]:
    """List the sources on which the interval was first judged: few are timid or rare."""
    even, too_sure = scores(calibrated), scores(over_confident(1.3))
    network, sure = scores(calibrated, LIKE_NETWORKS), scores(over_confident(1.6), LIKE_NETWORKS)
    return [
        *(Case("calibrated", even, n) for n in (200, 1000)),
        Case("calibrated", even, 16_000, 100),
        *(Case("calibrated, Beta(20, 1)", network, n) for n in (200, 10_000)),
        *(Case("off by 0.02", shifted(0.02), n) for n in (1000, 8000)),
        Case("off by 0.02", shifted(0.02), 16_000, 50),
        Case("off by -0.03", shifted(-0.03), 2000),
        Case("off by 0.05", shifted(0.05), 500),
        Case("off by 0.05", shifted(0.05), 3000, 50),
        Case("off by 0.05", shifted(0.05), 4000, 100),
        *(Case("off by 0.1", shifted(0.1), n) for n in (300, 2000)),
        Case("off by -0.02, Beta(20, 1)", scores(lambda p: p - 0.02, LIKE_NETWORKS), 4000),
        *(Case("logits 1.3 times", too_sure, n) for n in (250, 1000, 4000, 16_000)),
        Case("logits 0.7 times", scores(over_confident(0.7)), 1000),
        Case("logits 1.3 times, U(1/2, 1)", scores(over_confident(1.3), stats.uniform(0.5, 0.5)), 2000),
        Case("logits 1.5 times, Beta(1/2, 1/2)", scores(over_confident(1.5), stats.beta(0.5, 0.5)), 1000),
        *(Case("logits 1.6 times, Beta(20, 1)", sure, n) for n in (200, 1000, 10_000)),
        Case("logits 2.1 times, Beta(6, 0.3)", scores(over_confident(2.1), stats.beta(6, 0.3)), 64_000),
        Case("saw of 0.03, 15 teeth", scores(sawtooth(0.03, 15)), 10_000, 30),
        Case("saw of 0.1, 5 teeth", scores(sawtooth(0.1, 5)), 2000, 30),
        Case("rare, 1.5 times as often", scores(times(1.5), stats.beta(1, 30)), 3000),
        Case("one bin off by 0.2", scores(one_bin_off), 5000),
    ]


def timid() -> list[Case]:
    """List sources that know more than they say: the forecasts vary more than the labels."""
    third = scores(over_confident(1 / 3), LIKE_NETWORKS)
    beta51, beta52 = stats.beta(5, 1), stats.beta(5, 2)
    return [
        *(Case("logits 1/3 times, Beta(20, 1)", third, n) for n in (20, 300, 1000, 10_000)),
        Case("logits 1/3 times, Beta(20, 1)", third, 300, norm="l2"),
        *(Case("always 0.99, Beta(5, 1)", scores(constant(0.99), beta51), n) for n in (100, 1000)),
        *(Case("always 0.999, Beta(5, 1)", scores(constant(0.999), beta51), n) for n in (30, 300)),
        Case("always 0.999, Beta(5, 1)", scores(constant(0.999), beta51), 300, norm="l2"),
        Case("always 1, Beta(200, 1)", scores(constant(1.0), stats.beta(200, 1)), 2000),
        Case("always 0.02, Beta(2, 2)", scores(constant(0.02), stats.beta(2, 2)), 1000),
        Case("logits 1/2 times, Beta(5, 2)", scores(over_confident(0.5), beta52), 100_000),
        Case("0.3 times as often, Beta(1, 9)", scores(times(0.3), stats.beta(1, 9)), 500),
        Case("logits 0.3 times, Beta(5, 2)", scores(over_confident(0.3), beta52), 200, 1),
        Case("logits 0.7 times", scores(over_confident(0.7)), 10, 2),
    ]


def rare() -> list[Case]:
    """List sources with fewer than six expected events, or non-events, a sample."""
    two, three = odds(-4.6, 1, 2), odds(-4.6, 1, 3)
    return [
        *(Case("0.02 told, 0.05 true", mixture((0.02, 0.05)), n) for n in (50, 100)),
        Case("0.02 told, 0.05 true", mixture((0.02, 0.05)), 50, norm="l2"),
        Case("0.02 told and true", mixture((0.02, 0.02)), 50),
        Case("0.05 told, 0.2 true", mixture((0.05, 0.2)), 10),
        Case("0.9 told, 0.6 true", mixture((0.9, 0.6)), 10),
        Case("0.05 told, 0.0017 true", mixture((0.05, 0.0017)), 100),
        Case("0.0001 told, 0.0017 true", mixture((0.0001, 0.0017)), 100),
        Case("0.001 told, 0.003 true", mixture((0.001, 0.003)), 1000),
        *(Case("rare, odds 2 times", two, n) for n in (50, 100)),
        *(Case("rare, odds 3 times", three, n) for n in (50, 100)),
        Case("rare, odds 3 times", three, 100, norm="l2"),
        Case("rare, calibrated", odds(-4.6, 1, 1), 100),
        Case("rare, odds 0.3 times", odds(-4.6, 1, 0.3), 200),
        Case("rare, 2 times as often", scores(times(2), stats.beta(1, 30)), 50),
        Case("calibrated, Beta(100, 1)", scores(calibrated, stats.beta(100, 1)), 100),
    ]


def other() -> list[Case]:
    """List real forecasts, errors of all classes, root mean squares, and few bins."""
    return [
        *(Case("forest on wine", top_label("wine"), n) for n in (30, 100)),
        *(Case("forest on digits", top_label("digits"), n) for n in (100, 1000)),
        Case("forest on digits", top_label("digits"), 200, norm="l2"),
        Case("forest on wine", all_classes("wine"), 100, norm="class-wise"),
        Case("forest on digits", all_classes("digits"), 200, norm="class-wise"),
        Case("2 classes, logits 0.4 times", classes(2, 0.4), 100, norm="class-wise"),
        Case("3 classes, logits 1.5 times", classes(3, 1.5), 500, norm="class-wise"),
        Case("3 classes, logits 0.5 times", classes(3, 0.5), 200, norm="class-wise"),
        Case("10 classes, calibrated", classes(10, 1), 1000, norm="class-wise"),
        Case("10 classes, logits 0.4 times", classes(10, 0.4, 1), 300, norm="class-wise"),
        Case("calibrated", scores(calibrated), 500, norm="l2"),
        Case("off by 0.05", shifted(0.05), 1000, norm="l2"),
        Case("logits 1.6 times, Beta(20, 1)", scores(over_confident(1.6), LIKE_NETWORKS), 2000, norm="l2"),
        Case("calibrated", scores(calibrated), 200, 1),
        Case("logits 1.3 times", scores(over_confident(1.3)), 30, 5),
    ]


def unseen() -> list[Case]:
    """List sources that were written down when the interval was fixed, to break it."""
    mixed = mixture(*[(0.02, 0.06)] * 9, (0.5, 0.5))
    crowd = mixture(*[(0.998, 0.98)] * 19, (0.6, 0.9))
    steps = scores(lambda p: (p > 0.5).astype(float))
    cases = [
        Case("nine of ten rare, 3 times as often", mixed, 60),
        Case("19 of 20 at 0.998, true 0.98", crowd, 100),
        Case("19 of 20 at 0.998, true 0.98", crowd, 2000, norm="l2"),
        *(Case("right in every row, U(0, 1)", steps, n) for n in (10, 100, 5000)),
        Case("right in every row, U(0, 1)", steps, 100, 1),
        Case("right in every row, U(0, 1)", steps, 200, norm="l2"),
        Case("the wrong way round, Beta(2, 5)", scores(lambda p: 1 - p, stats.beta(2, 5)), 80),
        Case("the wrong way round, U(0, 1)", scores(lambda p: 1 - p), 400, 1),
        Case("always 0.5, Beta(1/2, 1/2)", scores(constant(0.5), stats.beta(0.5, 0.5)), 40),
        Case("never, Beta(1, 60)", scores(constant(0.0), stats.beta(1, 60)), 400),
        Case("0.01 told, 0.03 or 0 true", mixture((0.01, 0.03), (0.01, 0.0)), 150),
        Case("0.5 told, 1 in 3 at 0.51", mixture((0.5, 0.5), (0.5, 0.5), (0.51, 0.95)), 25),
        Case("0.3 told, 0.26 true", mixture((0.3, 0.26)), 100_000),
        Case("0.999 told, 0.995 true", mixture((0.999, 0.995)), 700),
        Case("p squared", scores(lambda p: p**2), 20),
        Case("p squared, Beta(50, 1)", scores(lambda p: p**2, stats.beta(50, 1)), 150),
        Case("root of p, Beta(1, 50)", scores(np.sqrt, stats.beta(1, 50)), 60),
        Case("saw of 0.2, 7 teeth", scores(sawtooth(0.2, 7)), 500, 15),
        Case("off by 0.15 above 0.9 alone", scores(lambda p: p - 0.15 * (p > 0.9)), 300),
        Case("rare, odds 5 times", odds(-6, 1.5, 5), 300),
        Case("rare, odds 4 times", odds(-3.5, 0.5, 4), 12),
        Case("calibrated", odds(-5, 2, 1), 20_000, 200),
        Case("logits 0.9 times, Beta(20, 1)", scores(over_confident(0.9), LIKE_NETWORKS), 50_000),
        Case("forest on wine", top_label("wine"), 178, 5),
        Case("forest on digits", top_label("digits"), 50, norm="l2"),
        Case("forest on digits", top_label("digits"), 10_000),
        Case("5 classes, logits 0.2 times", classes(5, 0.2, 0.7), 60, norm="class-wise"),
        Case("8 classes, logits 2 times", classes(8, 2, 3), 400, norm="class-wise"),
        Case("forest on digits", all_classes("digits"), 500, norm="class-wise"),
        Case("forest on wine", all_classes("wine"), 25, norm="class-wise"),
    ]
    return [case._replace(kind="unseen") for case in cases]


@cache
def cases() -> list[Case]:
    """List all sources."""
    return [*today(), *timid(), *rare(), *other(), *unseen()]


def count(case: Case, repeats: int = REPEATS) -> Row:
    """Draw samples from the source and count the intervals that hold its binned error."""
    binned = Binned(case.population(), case.n_bins)
    norm = "l1" if case.norm == "class-wise" else case.norm
    truth = float(binned.error(binned.mass, norm))
    truth = 0.0 if truth < ROUNDING else truth
    square = float(binned.error(binned.mass, "l2")) ** 2 if truth > 0 else 0.0
    samples, resamples = np.random.default_rng(0), np.random.default_rng(1)
    held = above = below = bootstrap = basic = sun = 0
    length = 0.0
    for _ in range(repeats):
        counts = samples.multinomial(case.n, binned.mass)
        low, high = binned.interval(counts, norm)
        above += truth > high + ROUNDING
        below += truth < low - ROUNDING
        held += low - ROUNDING <= truth <= high + ROUNDING
        length += (high - low) / repeats
        low, high = binned.bootstrap(counts, norm, resamples)
        bootstrap += low - ROUNDING <= truth <= high + ROUNDING
        observed = float(binned.error(counts, norm))
        basic += 2 * observed - high - ROUNDING <= truth <= 2 * observed - low + ROUNDING
        sun += not binned.class_wise and binned.holds_by_sun(counts, square)
    return Row(
        case.source, case.kind, case.norm, case.n, case.n_bins, float(f"{truth:.6f}"), repeats,
        held, above, below, bootstrap, basic, "" if binned.class_wise else sun, float(f"{length:.5f}"),
    )  # fmt: skip


def count_numbered(number: int) -> Row:
    """Count for one of the cases; a number crosses to another process, a function does not."""
    return count(cases()[number])


def main() -> None:
    """Count for every case, two at a time, and write the table."""
    options = parser(__doc__).parse_args()
    rows = list(done(count_numbered, range(len(cases()))))
    write_table(options.output / "coverage.csv", Row._fields, rows)


if __name__ == "__main__":
    main()
