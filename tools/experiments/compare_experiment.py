"""Count how often the intervals of `compare` hold the true differences of two models, and write the table.

    python -m tools.experiments.compare_experiment

Writes `compare_coverage.csv`, a row a source, into the book's data. Beside the three intervals of `compare`
stands the paired percentile bootstrap of the difference of two plain calibration errors.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import expit, logit, softmax

import calibration_lessons as cl
from calibration_lessons._typing import Strategy
from calibration_lessons.measures.bins import bin_index, edges_of
from tools.experiments import coverage_experiment
from tools.experiments.running import DATA, tabulate

REPEATS, RESAMPLES, FORECASTS, ROUNDING = 1000, 200, 300, 1e-12
SHARES = (np.arange(FORECASTS) + 0.5) / FORECASTS
NETWORK, UNIFORM, RARE = stats.beta(20, 1), stats.uniform(), stats.norm(-4.6, 1)


class Pair(NamedTuple):
    """Forecasts of two models for the same cases, and the chance of the event, or of each label."""

    a: Any
    b: Any
    chance: Any


class Case(NamedTuple):
    """A source in words, its cases, the rows drawn, the bins; with weights the cases are drawn unevenly.

    Sources of kind "built" were at hand while the intervals were made, nothing was changed for the "unseen".
    """

    source: str
    pair: Pair
    n: int
    n_bins: int = 15
    strategy: Strategy = "uniform"
    weighted: bool = False
    kind: str = "built"


def logits_times(a: float, b: float, law: Any) -> Pair:
    """Multiply true log-odds by a factor for each model."""
    z = logit(law.ppf(SHARES))
    return Pair(expit(a * z), expit(b * z), expit(z))


def odds_times(a: float, b: float) -> Pair:
    """Multiply true odds of a rare event by a factor for each model."""
    z = RARE.ppf(SHARES)
    return Pair(expit(z + np.log(a)), expit(z + np.log(b)), expit(z))


def halves() -> Pair:
    """Let each of two calibrated models know another half of what decides."""
    z = stats.norm.ppf(SHARES)
    first, second = (x.ravel() for x in np.meshgrid(z[::15], z[::15]))
    chance = stats.norm.cdf(1.2 * (first + second))
    table = chance.reshape(len(z[::15]), -1)
    return Pair(*(np.broadcast_to(table.mean(k, keepdims=True), table.shape).ravel() for k in (0, 1)), chance)


def classes(number: int, a: float, b: float) -> Pair:
    """Multiply the true logits of several classes by a factor for each model."""
    z = 2 * np.random.default_rng(99).normal(size=(FORECASTS, number))
    return Pair(*(softmax(factor * z, axis=1) for factor in (a, b, 1)))


def cases() -> list[Case]:
    """List the sources: both models calibrated, nearly so, one, neither; rare events; few rows."""
    p, rare = 0.02 + 0.9 * SHARES, np.full(FORECASTS, 0.05)
    near, timid = logits_times(1, 1.05, NETWORK), logits_times(1 / 3, 1, NETWORK)
    saw = p + np.where((15 * p).astype(int) % 2, 0.05, -0.02)
    return [
        *(Case("both calibrated, each knows a half", halves(), n) for n in (50, 200, 5000)),
        Case("both calibrated, each knows a half", halves(), 200, 1),
        *(Case("logits 1 and 1.05 times, Beta(20, 1)", near, n) for n in (1000, 10_000)),
        *(Case("logits 1 and 1.2 times", logits_times(1, 1.2, UNIFORM), n) for n in (200, 2000)),
        Case("logits 1 and 1.2 times", logits_times(1, 1.2, UNIFORM), 10, 3),
        Case("logits 1.1 and 1.2 times", logits_times(1.1, 1.2, UNIFORM), 2000),
        *(Case("logits 1/3 times and 1, Beta(20, 1)", timid, n) for n in (30, 1000)),
        *(Case("rare, odds 1/2 times and 1", odds_times(1 / 2, 1), n) for n in (50, 300, 1000)),
        *(Case("rare, odds 1/3 and 1/2 times", odds_times(1 / 3, 1 / 2), n) for n in (50, 300)),
        Case("0.02 and 0.05 told, 0.05 true", Pair(rare - 0.03, rare, rare), 50),
        Case("off by 0.05, and a saw", Pair(p, saw, p + 0.05), 500),
        *(case._replace(kind="unseen") for case in unseen()),
    ]  # fmt: skip


def unseen() -> list[Case]:
    """List sources written down when the intervals were fixed."""
    p, rare = SHARES, np.full(FORECASTS, 0.003)
    forest = 0.99 * coverage_experiment.forest("digits")[0] + 0.001
    surer = forest**2 / (forest**2).sum(axis=1, keepdims=True)
    digits = Pair(forest, surer, np.eye(10)[coverage_experiment.forest("digits")[1]])
    return [
        Case("both calibrated, each knows a half", halves(), 1000, 15, "quantile"),
        Case("logits 1 and 1.2 times", logits_times(1, 1.2, UNIFORM), 1000, weighted=True),
        Case("logits 1.5 and 2 times, Beta(20, 1)", logits_times(1.5, 2, NETWORK), 500, 10, "quantile"),
        Case("logits 0.9 and 1.1 times", logits_times(0.9, 1.1, UNIFORM), 20_000),
        Case("the wrong way round, and right", Pair(1 - p, p, p), 400, 1),
        Case("squared, and root", Pair(p**2, np.sqrt(p), p), 150),
        Case("always 0.5, and right", Pair(np.full(FORECASTS, 0.5), p, p), 100),
        Case("0.0001 and 0.01 told, 0.003 true", Pair(rare / 30, rare / 0.3, rare), 300),
        *(Case("3 classes, logits 1 and 1.5 times", classes(3, 1, 1.5), n) for n in (100, 1000)),
        Case("10 classes, logits 2 and 1.5 times", classes(10, 2, 1.5), 300),
        *(Case("forest on digits, and its square", digits, n) for n in (50, 500)),
    ]


def errors(weight: Any, p: Any, missed: Any, edges: Any, strategy: Strategy) -> Any:
    """Return the squared and the plain calibration error of rows that count with these weights."""
    place = np.eye(len(edges) - 1)[bin_index(p, edges, strategy)]
    mass, gap = weight @ place, weight @ (place * missed[:, None])
    squares = np.divide(gap**2, mass, out=np.zeros_like(gap), where=mass > 0)
    return np.array([squares.sum(axis=-1), np.abs(gap).sum(axis=-1)]) / mass.sum(axis=-1)


def count(case: Case, repeats: int = REPEATS) -> dict[str, Any]:
    """Draw samples from the source and count the intervals that hold the true difference."""
    several = case.pair.a.ndim == 2
    a, b, chance = (x if several else np.column_stack([1 - x, x]) for x in case.pair)
    (n_cases, n_labels), generator = chance.shape, np.random.default_rng(0)
    uneven = np.repeat(1 + 3 * SHARES if case.weighted else np.ones(n_cases), n_labels)
    who, label = np.divmod(np.arange(chance.size), n_labels)
    mass, models = chance.ravel() / n_cases, []
    for x in (a, b):
        said = x.argmax(axis=1)[who] if several else np.ones_like(who)
        models.append((x[who, said], (label == said) - x[who, said]))
    losses = ((a - b) * (a + b)).sum(axis=1)[who] - 2 * (a - b)[who, label], np.log(b / a)[who, label]
    truth = {"brier": mass @ losses[0] / (1 if several else 2), "nll": mass @ losses[1]}
    held, length = dict.fromkeys([*truth, "calibration", "bootstrap"], 0), 0.0
    for _ in range(repeats):
        counts = generator.multinomial(case.n, mass * uneven / (mass @ uneven))
        rows = np.repeat(np.arange(len(counts)), counts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of bins that hold one row
            found = cl.compare(
                label[rows], case.pair.a[who[rows]], case.pair.b[who[rows]], n_bins=case.n_bins,
                strategy=case.strategy, sample_weight=1 / uneven[rows] if case.weighted else None,
            )  # fmt: skip
        seen = np.concatenate([p[rows] for p, _ in models])
        weight = np.tile(1 / uneven[rows], 2)
        edges = edges_of(seen, case.n_bins, case.strategy, weight)
        both = np.zeros((1 + RESAMPLES, len(mass)))
        both[0], came = mass, counts > 0
        both[1:, came] = generator.multinomial(case.n, counts[came] / case.n, RESAMPLES) / uneven[came]
        squares, sizes = np.subtract(*(errors(both, *model, edges, case.strategy) for model in models))
        truth["calibration"] = squares[0]
        for name, value in truth.items():
            interval = getattr(found, name)
            held[name] += bool(interval.low - ROUNDING <= value <= interval.high + ROUNDING)
        low, high = np.quantile(sizes[1:], [0.025, 0.975])
        held["bootstrap"] += bool(low <= sizes[0] <= high)
        length += (found.calibration.high - found.calibration.low) / repeats
    told = {name: value for name, value in case._asdict().items() if name != "pair"}
    rounded = {"difference": f"{truth['calibration']:.6f}", "length": f"{length:.6f}"}
    return told | {"repeats": repeats} | held | {name: float(text) + 0.0 for name, text in rounded.items()}


if __name__ == "__main__":
    tabulate(__doc__, DATA / "compare_coverage.csv", count, cases())
