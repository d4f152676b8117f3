"""Judge what prevents over-confidence in training beside a temperature, and write what the chapter reads.

    _build/networks-venv/bin/python tools/experiments/train_remedies.py     trains, see there
    python tools/experiments/training_experiment.py

Writes into the package's data `remedies.csv.gz`, one row per recipe, network, epoch and what is done
afterwards (matrix scaling only after the last epoch and the two best), and `smoothed.npz`, the logits of
network 0 after its last epoch with smoothed labels. What is fitted is fitted on the calibration part;
everything is judged on the test part.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain, product
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import calibration_lessons as cl
from calibration_lessons.book import datasets
from tools.experiments.running import ROOT, done, options, write_table

RECIPES = ("plain", "decay 0.1", "smoothing 0.1")
RUNS = (
    *product(RECIPES, range(datasets.N_NETWORKS)),
    ("decay 0.3", 0),
)  # the stronger decay once, to see that strength matters
KEPT = "smoothing 0.1"  # of network 0, as logits
COLUMNS = tuple(datasets.remedies())


def one_strength(logits: Any, y_true: Any) -> cl.MatrixScaling:
    """Fit a matrix at the strength of the smallest held-out loss, plus 3 nats for each step below 256.

    The default of `MatrixScaling` averages over strengths.
    """
    path = cl.MatrixScaling().fit(logits, y_true).path_
    strength, loss = (values[path.of_vector == path.strength] for values in (path.strength, path.loss))
    steps = np.log(256 / np.minimum(strength, 256)) / np.log(4)
    return cl.MatrixScaling(strength=strength[(loss + 3 * steps).argmin()]).fit(logits, y_true)


AFTERWARDS: dict[str, Callable[[Any, Any], Any]] = {
    "nothing": lambda logits, y_true: SimpleNamespace(predict_proba=cl.softmax),
    "temperature": lambda logits, y_true: cl.TemperatureScaling().fit(logits, y_true),
    "matrix": one_strength,
}


def judged(case: tuple[str, int, int], afterwards: str, calibration: Any, test: Any) -> dict[str, Any]:
    """Return a row: a network after an epoch, and what was fitted on the calibration part."""
    _, network, _ = case
    y, y_new = (datasets.network_logits(network, part).labels for part in ("calibration", "test"))
    calibrator = AFTERWARDS[afterwards](calibration, y)
    p = calibrator.predict_proba(test)
    report = cl.calibration_report(y_new, p, random_state=0)
    calibrated = cl.reliability_curve(y_new, p).under_calibration(random_state=0).mean
    t = calibrator.temperature_ if afterwards == "temperature" else np.nan
    own = cl.negative_log_likelihood(y, calibrator.predict_proba(calibration))
    values = (
        *case, afterwards, t, own,
        report.nll, report.brier, report.accuracy, report.confidence,
        report.ece, calibrated,
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def judge_run(run: tuple[str, int], folder: Path) -> list[dict[str, Any]]:
    """Return the rows of one training run: two per epoch, and the matrix where somebody may stop."""
    with np.load(folder / "{} {}.npz".format(*run)) as file:
        known, new = (file[part].astype(np.float64) for part in ("calibration", "test"))

    def rows(afterwards: str, epochs: Iterable[int]) -> list[dict[str, Any]]:
        return [judged((*run, e), afterwards, known[e - 1], new[e - 1]) for e in epochs]

    with threadpool_limits(1):
        every = [rows(afterwards, range(1, len(known) + 1)) for afterwards in ("nothing", "temperature")]
        stops = {min(each, key=itemgetter("calibration_nll"))["epoch"] for each in every}
        return [*chain(*every), *rows("matrix", sorted(stops | {len(known)}))]


def main() -> None:
    """Judge every run that was trained; write the table, measures with five digits, and the logits kept."""
    asked = options(__doc__, trained=ROOT / "_build/remedies")
    rows = chain.from_iterable(done(partial(judge_run, folder=asked.trained), RUNS))
    table = ([f"{v:.5g}" if isinstance(v, float) else v for v in row.values()] for row in rows)
    write_table(asked.output / "remedies.csv.gz", COLUMNS, table)
    with np.load(asked.trained / f"{KEPT} 0.npz") as file:
        np.savez(asked.output / "smoothed.npz", **{part: file[part][-1] for part in ("calibration", "test")})


if __name__ == "__main__":
    main()
