"""Count how often the interval of the calibration error holds it where rows come in groups.

    python -m tools.experiments.groups_experiment

Writes `groups_coverage.csv` beside this file, a row a source and number of groups: of 1000 samples, how many
intervals of level 95 % held the error of the source with `groups=` and how many without, how many p-values
were at most 0.05 where the source is calibrated, and the mean lengths. Same versions: same table.

Behind each label and each forecast stands a normal number; those of a group correlate, by `alike` behind its
labels and by `near` behind its forecasts. Unequal groups have 1 to some 100 rows, 4 in the median.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri
from scipy.stats import beta, uniform

import calibration_lessons as cl
from tools.experiments.running import tabulate

REPEATS, DRAWS, SHARES, GROUPS = 1000, 99, 100_000, (20, 100, 400)
FORECASTS: dict[str, Any] = {
    "any": uniform.ppf,
    "two sides": lambda shares: expit(2 * ndtri(shares)),
    "sure": beta(8, 1).ppf,
    "rare": beta(1, 30).ppf,
    "top label": beta(3, 1, 0.25, 0.75).ppf,
}
TRUTHS: dict[str, Any] = {
    "as told": lambda p: p,
    "0.1 less": lambda p: np.maximum(p - 0.1, 0),
    "0.05 less": lambda p: np.maximum(p - 0.05, 0),
    "twice": lambda p: np.minimum(2 * p, 1),
    "log-odds 2/3 times": lambda p: expit(logit(p) / 1.5),
    "power 1.5": lambda p: p**1.5,
}


class Case(NamedTuple):
    """The law of the forecasts, what is true of them, and of the groups: size, likeness, number."""

    forecast: str
    truth: str
    size: int | str
    alike: float
    near: float
    groups: int = 0


CASES = [
    Case("any", "as told", 1, 0, 0),
    Case("any", "as told", 5, 0.1, 0),
    Case("any", "as told", 5, 1, 1),
    Case("two sides", "as told", 5, 0.8, 0.9),
    Case("two sides", "as told", "unequal", 0.6, 0.5),
    Case("top label", "as told", 20, 0.1, 0.3),
    Case("top label", "as told", 20, 0.6, 0.3),
    Case("rare", "as told", 5, 0.5, 0.3),
    Case("two sides", "log-odds 2/3 times", 20, 0, 0),
    Case("two sides", "log-odds 2/3 times", 5, 0.1, 0.3),
    Case("two sides", "log-odds 2/3 times", 20, 0.5, 0.1),
    Case("top label", "0.1 less", 5, 0.7, 0.3),
    Case("top label", "0.1 less", "unequal", 0.7, 0.3),
    Case("top label", "power 1.5", 20, 0.9, 0.9),
    Case("sure", "0.05 less", "unequal", 0.5, 0.5),
    Case("rare", "twice", 5, 0.5, 0.5),
]


def sample(case: Case, generator: np.random.Generator) -> tuple[Any, Any, Any]:
    """Draw labels, forecasts and groups."""
    sizes: Any = case.size
    if case.size == "unequal":
        sizes = np.maximum(1, np.rint(generator.lognormal(1.5, 1, case.groups))).astype(int)
    group = np.repeat(np.arange(case.groups), sizes)

    def shares(alike: float) -> Any:
        common, own = (generator.standard_normal(n) for n in (case.groups, len(group)))
        return ndtr(np.sqrt(alike) * common[group] + np.sqrt(1 - alike) * own)

    p = FORECASTS[case.forecast](shares(case.near))
    return (shares(case.alike) < TRUTHS[case.truth](p)).astype(int), p, group


def count(case: Case, repeats: int = REPEATS) -> dict[str, Any]:
    """Draw samples and count the intervals that hold the binned error of the source."""
    p, generator = FORECASTS[case.forecast]((np.arange(SHARES) + 0.5) / SHARES), np.random.default_rng(0)
    gaps = np.bincount(np.searchsorted(cl.measures.bin_edges(15), p), TRUTHS[case.truth](p) - p)
    error, found = round(float(np.abs(gaps).sum() / SHARES), 5), []
    for _ in range(repeats):
        y, p, group = sample(case, generator)
        ends, refuted = [cl.ece_interval(y, p, groups=given) for given in (group, None)], False
        if error == 0:
            test = cl.calibration_test(y, p, groups=group, n_draws=DRAWS, random_state=generator)
            refuted = test.p_value <= 0.05
        found.append([*(low <= error <= high for low, high in ends), refuted, *np.diff(ends).ravel()])
    held, without, rejected, *lengths = np.sum(found, axis=0).tolist()
    counts = {"held": int(held), "held_without": int(without), "refuted": "" if error else int(rejected)}
    length, length_without = (round(total / repeats, 4) for total in lengths)
    told = case._asdict() | {"error": error, "repeats": repeats} | counts
    return told | {"length": length, "length_without": length_without}


if __name__ == "__main__":
    table = Path(__file__).with_name("groups_coverage.csv")
    tabulate(__doc__, table, count, [case._replace(groups=n) for case in CASES for n in GROUPS])
