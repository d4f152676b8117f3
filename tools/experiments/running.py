"""What the experiments share: their options, two processes, the table that they write."""

import argparse
import csv
import gzip
import io
import json
import multiprocessing
import platform
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "calibration_lessons/book/data"
PROCESSES = 2
TABLES = "tools/experiments/tables.json"  # those of the course: the experiment, and the code that wrote it
PARTS = re.compile(
    r"^from (tools\.experiments|calibration_lessons\.book)(?:\.| import )(\w+_experiment|comparison)\b", re.M
)

Job = TypeVar("Job")
Found = TypeVar("Found")


def options(description: str | None, output: Path = DATA, **others: Any) -> argparse.Namespace:
    """Read the options of an experiment: `--output`, others by their defaults, a path where it is None."""
    reader = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in {"output": output, **others}.items():
        if default is None:
            reader.add_argument(name, nargs="?", type=Path)
        else:
            reader.add_argument(f"--{name}", type=type(default), default=default)
    return reader.parse_args()


def processor() -> str:
    """Name the processor as the kernel knows it."""
    known = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text("utf-8"))
    return known[1] if known else "unknown"


def versions(*libraries: str) -> dict[str, str]:
    """Return the versions of Python and of some libraries."""
    return {"python": platform.python_version(), **{name: version(name) for name in libraries}}


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
    sign(path)


def tabulate(
    description: str | None, table: Path, count: Callable[[Job], dict[str, Any]], cases: Sequence[Job]
) -> None:
    """Count for every case, and write a row for each; `--output` names another folder for the table."""
    folder = options(description, table.parent).output
    rows = list(done(count, cases))
    write_table(folder / table.name, rows[0], (row.values() for row in rows))


def code_of(experiment: str, root: Path = ROOT) -> str:
    """Digest of an experiment's code, without its prose, and of what it takes from other experiments."""
    from tools.binding.staleness import digest, plain_code  # which those who train networks lack

    file = root / f"tools/experiments/{experiment}.py"
    text = file.read_text("utf-8") if file.exists() else ""
    parts = [root / folder.replace(".", "/") / f"{name}.py" for folder, name in PARTS.findall(text)]
    return digest(plain_code(part) for part in [text, *(part.read_text("utf-8") for part in parts)])


def sign(table: Path) -> None:
    """Write down which code wrote a table, if it is one of the course."""
    file = ROOT / TABLES
    signed = json.loads(file.read_text("utf-8")) if file.exists() else {}
    for name, entry in signed.items():
        if table.resolve() == ROOT / name:
            entry["code"] = code_of(entry["experiment"])
            file.write_text(json.dumps(signed, indent=1) + "\n", "utf-8")


if __name__ == "__main__":  # a table that is as it was, though the code is not
    for named in sys.argv[1:]:
        sign(Path(named))
