#!/usr/bin/env python3
"""Count how often intervals of the calibration error hold the truth, and write what the chapter *ece* reads.

    python tools/experiments/coverage_experiment.py

Writes `coverage.csv`, a row a source, into the package's data: of 1000 samples, how many of the intervals of
level 95 % by `ece_interval` and by the percentile bootstrap held the binned error of the source. Same
versions: same table.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

import calibration_lessons as cl
from calibration_lessons.book.simulate import ScoreSource, over_confident, sawtooth

ROOT = Path(__file__).resolve().parents[2]
REPEATS, RESAMPLES, PROCESSES, ROUNDING = 1000, 200, 2, 1e-12
LIKE_NETWORKS = stats.beta(20, 1)


class Case(NamedTuple):
    """A source in words, the source, the rows drawn from it and the bins."""

    name: str
    source: ScoreSource
    n: int
    n_bins: int = 15


class Row(NamedTuple):
    """What the table says of a case; `above` and `below` count the truths outside of the interval."""

    source: str
    n: int
    n_bins: int
    truth: float
    repeats: int
    held: int
    above: int
    below: int
    bootstrap: int
    length: float


def shifted(by: float) -> ScoreSource:
    """Return a source whose events happen more often than forecast, by the same amount everywhere."""
    return ScoreSource(lambda p: p + by, stats.uniform(max(0.0, -by), 1 - abs(by)))


def one_bin_off(p: Any) -> Any:
    """Return a truth that is 0.2 too low in the seventh of 15 bins and right elsewhere."""
    return np.where((p > 6 / 15) & (p <= 7 / 15), p - 0.2, p)


def cases() -> list[Case]:
    """List the sources."""
    even, too_sure, timid = ScoreSource(), ScoreSource(over_confident(1.3)), ScoreSource(over_confident(0.7))
    upper_half = ScoreSource(over_confident(1.3), stats.uniform(0.5, 0.5))
    network = ScoreSource(scores=LIKE_NETWORKS)
    sure_network = ScoreSource(over_confident(1.6), LIKE_NETWORKS)
    crowded = ScoreSource(over_confident(2.1), stats.beta(6, 0.3))
    low_network = ScoreSource(lambda p: np.clip(p - 0.02, 0, 1), LIKE_NETWORKS)
    rare = ScoreSource(lambda p: np.clip(1.5 * p, 0, 1), stats.beta(1, 30))
    edges = ScoreSource(over_confident(1.5), stats.beta(0.5, 0.5))
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
        Case("off by -0.02, Beta(20, 1)", low_network, 4000),
        *(Case("logits 1.3 times", too_sure, n) for n in (250, 1000, 4000, 16_000)),
        Case("logits 0.7 times", timid, 1000),
        Case("logits 1.3 times, U(1/2, 1)", upper_half, 2000),
        Case("logits 1.5 times, Beta(1/2, 1/2)", edges, 1000),
        *(Case("logits 1.6 times, Beta(20, 1)", sure_network, n) for n in (200, 1000, 10_000)),
        Case("logits 2.1 times, Beta(6, 0.3)", crowded, 64_000),
        Case("saw of 0.03, 15 teeth", ScoreSource(sawtooth(0.03, 15)), 10_000, 30),
        Case("saw of 0.1, 5 teeth", ScoreSource(sawtooth(0.1, 5)), 2000, 30),
        Case("rare, 1.5 times as often", rare, 3000),
        Case("one bin off by 0.2", ScoreSource(one_bin_off), 5000),
    ]


def bootstrap_interval(y: Any, p: Any, n_bins: int, generator: np.random.Generator) -> tuple[float, float]:
    """Return the middle 95 % of the calibration errors of samples drawn from the sample."""
    place = np.searchsorted(cl.measures.bin_edges(n_bins)[1:-1], p)
    gap = y - p
    errors = []
    for _ in range(RESAMPLES):
        rows = generator.integers(len(p), size=len(p))
        errors.append(np.abs(np.bincount(place[rows], gap[rows])).sum() / len(p))
    low, high = np.quantile(errors, [0.025, 0.975])
    return float(low), float(high)


def count(case: Case, repeats: int = REPEATS) -> Row:
    """Draw samples from the source and count the intervals that hold its binned error."""
    truth = case.source.binned_calibration_error(case.n_bins)
    samples, resamples = np.random.default_rng(0), np.random.default_rng(1)
    held = above = below = bootstrap = 0
    length = 0.0
    for _ in range(repeats):
        y, p = case.source.sample(case.n, samples)
        low, high = cl.ece_interval(y, p, n_bins=case.n_bins)
        above += truth > high + ROUNDING
        below += truth < low - ROUNDING
        held += low - ROUNDING <= truth <= high + ROUNDING
        length += (high - low) / repeats
        low, high = bootstrap_interval(y, p, case.n_bins, resamples)
        bootstrap += low - ROUNDING <= truth <= high + ROUNDING
    shown = float(f"{truth:.6f}"), float(f"{length:.5f}")
    return Row(case.name, case.n, case.n_bins, shown[0], repeats, held, above, below, bootstrap, shown[1])


def count_numbered(number: int) -> Row:
    """Count for one of the cases; a number crosses to another process, a function does not."""
    return count(cases()[number])


def write(folder: Path, rows: list[Row]) -> None:
    """Write the table."""
    with (folder / "coverage.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(rows)


def main() -> None:
    """Count for every case, two at a time, and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=ROOT / "calibration_lessons" / "data")
    options = parser.parse_args()
    start = time.perf_counter()
    with ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("spawn")) as pool:
        rows = []
        for row in pool.map(count_numbered, range(len(cases()))):
            rows.append(row)
            print(f"{time.perf_counter() - start:5.0f} s", *row, flush=True)
    write(options.output, rows)


if __name__ == "__main__":
    main()
