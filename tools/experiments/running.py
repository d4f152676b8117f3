"""What the experiments share: their options, two processes, the table that they write."""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "calibration_lessons/book/data"
PROCESSES = 2

Job = TypeVar("Job")
Found = TypeVar("Found")


def parser(description: str | None, output: Path = DATA) -> argparse.ArgumentParser:
    """Read the options of an experiment, of which `--output` is one."""
    formatter = argparse.RawDescriptionHelpFormatter
    found = argparse.ArgumentParser(description=description, formatter_class=formatter)
    found.add_argument("--output", type=Path, default=output)
    return found


def done(function: Callable[[Job], Found], jobs: Sequence[Job]) -> Iterator[Found]:
    """Yield what each job gives, in order, and say how far it is; two jobs at a time, in fresh processes."""
    start = time.perf_counter()
    with ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("spawn")) as pool:
        for number, found in enumerate(pool.map(function, jobs), start=1):
            print(f"[{number}/{len(jobs)}] {time.perf_counter() - start:.0f} s", flush=True)
            yield found


def write_table(path: Path, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Write a CSV file, the same bytes for the same rows; packed where its name ends in ``.gz``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
