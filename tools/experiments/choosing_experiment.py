"""Compare calibrators after classifiers many times, and write what the chapter *choosing* reads.

    python tools/experiments/choosing_experiment.py

Writes `choosing.csv.gz`, a row a result, and `choosing.json`, which says how they were made, into the
package's data. The experiment itself is `calibration_lessons.book.comparison`. Same versions: same
table, to its four digits; only the seconds of processor time in the record are of the machine.
"""

from __future__ import annotations

import json
import platform
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import scipy
import sklearn
from scipy.special import expit
from threadpoolctl import threadpool_limits

from calibration_lessons.book import comparison, datasets
from tools.experiments.running import done, parser, write_table

N_SPLITS, N_DRAWS, N_TIMES = 30, 20, 9
TIMED_ROWS = (1_000, 10_000, 100_000)
COLUMNS = ("experiment", "data", "repeat", *comparison.Result._fields)


def jobs(n_splits: int, n_draws: int) -> list[tuple[str, str, int]]:
    """Name every job: the experiment, the data, and the seed, which numbers the repeats."""
    splits = [
        ("classifiers", data, seed) for seed in range(n_splits) for data in ("spambase", "breast cancer")
    ]
    sizes = [("sizes", data, seed) for seed in range(n_draws) for data in ("spambase", "Fashion-MNIST")]
    return splits + sizes


def run(job: tuple[str, str, int]) -> list[list[str]]:
    """Return the table's rows of one job."""
    experiment, data, seed = job
    if experiment == "classifiers":
        found = comparison.compare(data, seed)
    elif data == "spambase":
        found = comparison.compare_sizes(seed)
    else:
        found = comparison.compare_sizes_of_network(seed)
    return [[*map(str, job), *map(written, result)] for result in found]


def written(value: Any) -> str:
    """Write a measure with four digits, a yes or no as 1 or 0, anything else as it is."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(int(value)) if isinstance(value, bool) else str(value)


def seconds() -> dict[str, dict[str, float]]:
    """Median processor time to fit each calibrator, by the number of classes and of rows."""
    generator = np.random.default_rng(0)
    cases = {}
    for n in TIMED_ROWS:
        z = generator.normal(0, 2, n)
        y = (generator.random(n) < expit(z / 2)).astype(np.int64)
        cases[f"two classes, {n} rows"] = comparison.Scores(expit(z), z, z), y
    logits, labels = datasets.network_logits(0, "calibration")
    cases[f"ten classes, {len(labels)} rows"] = comparison.forecast_of_logits(logits), labels
    return {
        case: {
            method: median_seconds(calibrator, known, y)
            for method, calibrator in comparison.CALIBRATORS.items()
        }
        for case, (known, y) in cases.items()
    }


def median_seconds(calibrator: Any, known: comparison.Scores, y: comparison.Integers) -> float:
    """Return the median of a few measurements, after one to warm up."""
    taken = []
    for _ in range(1 + N_TIMES):
        start = time.process_time()
        comparison.recalibrated(calibrator, known, y)
        taken.append(time.process_time() - start)
    return float(f"{median(taken[1:]):.3g}")


def write(folder: Path, rows: list[list[str]], record: dict[str, Any]) -> None:
    """Write the table and the record."""
    write_table(folder / "choosing.csv.gz", COLUMNS, rows)
    (folder / "choosing.json").write_text(json.dumps(record, indent=1) + "\n")


def main() -> None:
    """Run every job, two at a time, then measure the seconds alone, and write both."""
    reader = parser(__doc__)
    reader.add_argument("--splits", type=int, default=N_SPLITS, help="repeats of the first experiment")
    reader.add_argument("--draws", type=int, default=N_DRAWS, help="repeats of the second")
    options = reader.parse_args()
    rows = [row for found in done(run, jobs(options.splits, options.draws)) for row in found]
    with threadpool_limits(1):
        fit_seconds = seconds()
    record = {
        "command": "python tools/experiments/choosing_experiment.py "
        f"--splits {options.splits} --draws {options.draws}",
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "fit_seconds": fit_seconds,
    }
    write(options.output, rows, record)


if __name__ == "__main__":
    main()
