"""Compare calibrators after many models in many draws, and write what the chapter *choosing* reads.

    python tools/experiments/choosing_experiment.py

Writes `choosing.csv.gz`, a row per case, number of rows, method and score, and `choosing.json`, which says
how they were made, into the package's data. The experiment itself is `calibration_lessons.book.comparison`.
Same versions: same table, to its four digits. It takes some ten minutes of one core.
"""

import gzip
import json
from functools import partial
from pathlib import Path

import pandas as pd

from calibration_lessons.book import comparison
from tools.experiments.running import done, options, sign, versions

REPEATS = 40


def counted(case: str, repeats: int) -> pd.DataFrame:
    """Return the rows of one case: means over the draws, and counts of verdicts."""
    draws = pd.DataFrame([one for seed in range(repeats) for one in comparison.outcomes(case, seed)])
    known = [comparison.CASES[case].draw(seed) for seed in range(repeats)]
    means = pd.DataFrame([comparison.strength(one.new, one.y_new) for one in known]).mean()
    by = draws.groupby(["n", "method", "score"], sort=False)

    def quantile(q: float) -> pd.Series:
        return by.change.quantile(q, interpolation="nearest")

    def count(column: str, sign: int) -> pd.Series:
        return (draws[column] == sign).groupby([draws[name] for name in by.keys], sort=False).sum()

    table = pd.DataFrame(
        {
            "value": by.value.mean(),
            "change": by.change.mean(),
            "low": quantile(0.05),
            "high": quantile(0.95),
            "over_rival": by.over_rival.mean(),
            "repeats": by.size(),
            "refused": by.refused.sum(),
            "worse": count("verdict", 1),
            "better": count("verdict", -1),
            "rival_worse": count("rival_verdict", 1),
            "rival_better": count("rival_verdict", -1),
        }
    ).reset_index()
    return table.assign(case=case, kind=comparison.CASES[case].kind, **means)


def write(folder: Path, table: pd.DataFrame, record: dict[str, object]) -> None:
    """Write the table and the record."""
    text = table.to_csv(index=False, float_format="%.4g", lineterminator="\n")
    (folder / "choosing.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    sign(folder / "choosing.csv.gz")
    (folder / "choosing.json").write_text(json.dumps(record, indent=1) + "\n")


def main() -> None:
    """Run the cases, two at a time, and write what was counted."""
    asked = options(__doc__, repeats=REPEATS)
    table = pd.concat(done(partial(counted, repeats=asked.repeats), list(comparison.CASES)))
    record = {
        "command": f"python tools/experiments/choosing_experiment.py --repeats {asked.repeats}",
        "versions": versions("numpy", "scipy", "scikit-learn", "pandas"),
    }
    write(asked.output, table, record)


if __name__ == "__main__":
    main()
