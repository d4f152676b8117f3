"""What the batch and the run of one submission share: the limits, and which cells are whose."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ONE_THREAD = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1")
"""One thread a process: submissions, tests and notebooks run side by side, and more threads would wait for
each other (a grid search over small matrices took thirty times as long); sums agree, too."""


@dataclass(frozen=True)
class Limits:
    """What one submission may take."""

    cell: int = 60  # seconds a cell
    whole: int = 240  # seconds in all, the start of the kernel left out
    memory: int = 3 * 2**30  # bytes, all processes of the submission together
    disk: int = 20 * 2**20  # bytes, all files together
    threads: int = 128  # of all processes of the submission together
    message: int = 32 * 2**20  # bytes of one answer to a test
    output: int = 100_000  # characters a cell; the rest is dropped


def is_test(cell: Any) -> bool:
    """Tell whether points depend on the output of this cell."""
    return bool(cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"))


def grade_id(cell: Any) -> str:
    """Return a cell's name; empty where it has none."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def error(name: str, message: str) -> dict[str, Any]:
    """Make the output of a cell that failed; nbgrader gives it no points."""
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": [f"{name}: {message}"]}
