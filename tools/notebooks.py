#!/usr/bin/env python3
"""Execute the notebooks of the book and of the assignments, reproducibly.

    tools/notebooks.py                 execute every stale notebook
    tools/notebooks.py PATH...         execute these, stale or not
    tools/notebooks.py --check         name the stale ones, execute nothing

A notebook is stale when it, the package or the lock differ from what they were when it was last
executed here; `_build/notebooks.json` remembers that. Executing twice writes the same bytes. Each code
cell keeps a digest of its source and its outputs, so that a later change of either by hand shows.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("book", "assignments/source")
RECORD = Path("_build/notebooks.json")
CELL_SECONDS = 600
AT_ONCE = 2
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class NotebookError(Exception):
    """A notebook did not run cleanly; the message names the file, the cell and the error."""


def find_notebooks(root: Path) -> list[Path]:
    """Every notebook of the course, in a fixed order."""
    found = (path for folder in FOLDERS for path in (root / folder).rglob("*.ipynb"))
    return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)


def surroundings(root: Path) -> bytes:
    """Digest of what every notebook depends on: the Python in use, the lock and the package's files."""
    digest = hashlib.sha256(sys.version.encode())
    package = sorted(p for p in (root / "calibration_lessons").rglob("*") if p.is_file())
    for path in [root / "requirements.txt", *package]:
        if "__pycache__" not in path.parts and path.exists():
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()


def fingerprint(path: Path, around: bytes) -> str:
    """Digest of a notebook as it stands on disk and of what it depends on."""
    return hashlib.sha256(around + path.read_bytes()).hexdigest()


def shown(path: Path) -> str:
    """Write a path as a person would type it: from the current folder where it lies inside."""
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else str(path)


def run_notebook(path: Path) -> bool:
    """Execute one notebook in its own folder; return whether the file had to be rewritten."""
    before = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(before, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        asyncio.run(client.async_execute())
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise NotebookError(f"{shown(path)}: {failing_cell(notebook)}: {describe(error)}") from None
    refuse_stderr(path, notebook)
    normalise(notebook)
    after = nbformat.writes(notebook) + "\n"
    if after != before:
        path.write_text(after, encoding="utf-8")
    return bool(after != before)


def describe(error: Exception) -> str:
    """Say in a line or two what the kernel or the cell complained about."""
    if isinstance(error, CellExecutionError):
        return f"{error.ename}: {error.evalue}"
    if isinstance(error, CellTimeoutError):
        return f"ran longer than {CELL_SECONDS} s"
    return "the kernel died"


def code_cells(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode]]:
    """Code cells that are not empty, each with its place among all cells, counted from 1."""
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code" and cell.source.strip():
            yield number, cell


def name_cell(number: int, cell: NotebookNode) -> str:
    """Name a cell so that a person finds it: its place and its first line."""
    return f"cell {number} ({cell.source.strip().splitlines()[0]})"


def failing_cell(notebook: NotebookNode) -> str:
    """Name the cell at which the execution stopped: the last one that was started."""
    started = [
        (number, cell)
        for number, cell in code_cells(notebook)
        if cell.execution_count is not None or cell.outputs
    ]
    return name_cell(*started[-1]) if started else "before the first cell"


def refuse_stderr(path: Path, notebook: NotebookNode) -> None:
    """Raise when a cell wrote to stderr: a reader sees a red box, and nbgrader scores it 0."""
    for number, cell in code_cells(notebook):
        for output in cell.outputs:
            if output.get("name") == "stderr":
                raise NotebookError(
                    f"{shown(path)}: {name_cell(number, cell)}: wrote to stderr: {output.text.strip()}"
                )


def normalise(notebook: NotebookNode) -> None:
    """Keep only what is the same on every machine and in every run."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for count, (_, cell) in enumerate(code_cells(notebook), start=1):
        cell.metadata.pop("execution", None)
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
            if output.output_type == "error":  # the frames above hold this machine's paths
                output.traceback = [f"{output.ename}: {output.evalue}"]
        cell.metadata["digest"] = digest(cell)


def digest(cell: Mapping[str, Any]) -> str:
    """Digest of a code cell's source and outputs, whether their lines stand in one string or in a list."""

    def text(part: Any) -> str:
        if isinstance(part, Mapping):
            return "".join(key + text(part[key]) for key in sorted(part) if key != "execution_count")
        return "".join(map(text, part)) if isinstance(part, list) else str(part)

    return hashlib.sha256(text([cell["source"], cell["outputs"]]).encode()).hexdigest()[:12]


def execute(paths: list[Path]) -> Iterator[tuple[Path, str | None]]:
    """Execute notebooks, a few at a time, with a line each; yield each path with its error, if any."""
    pool = ThreadPoolExecutor(AT_ONCE)
    jobs: dict[Future[tuple[bool, float]], Path] = {pool.submit(timed_run, path): path for path in paths}
    try:
        for done, job in enumerate(as_completed(jobs), start=1):
            path, error = jobs[job], None
            try:
                changed, seconds = job.result()
                outcome = f"{'written' if changed else 'unchanged'}, {seconds:.1f} s"
            except Exception as problem:
                error = str(problem) if isinstance(problem, NotebookError) else f"{shown(path)}: {problem!r}"
                outcome = "FAILED"
            print(f"[{done}/{len(paths)}] {shown(path)}: {outcome}", flush=True)
            yield path, error
    finally:  # an interrupt lets the notebooks under way finish, and starts no other
        pool.shutdown(cancel_futures=True)


def timed_run(path: Path) -> tuple[bool, float]:
    """Execute one notebook and measure the seconds it took."""
    start = time.perf_counter()
    changed = run_notebook(path)
    return changed, time.perf_counter() - start


class Record:
    """What was executed here before, and whether it still stands as it did then."""

    def __init__(self, root: Path) -> None:
        self.root, self.file, self.around = root, root / RECORD, surroundings(root)
        self.entries = self.read()

    def read(self) -> dict[str, str]:
        """Read the entries as the file holds them now."""
        return dict(json.loads(self.file.read_text(encoding="utf-8"))) if self.file.exists() else {}

    def key(self, path: Path) -> str:
        """Name a notebook from the root, so that the record survives a move of the folder."""
        return os.path.relpath(path.resolve(), self.root).replace(os.sep, "/")

    def is_stale(self, path: Path) -> bool:
        """Tell whether the notebook or what it depends on has changed since it was executed."""
        return self.entries.get(self.key(path)) != fingerprint(path, self.around)

    def add(self, path: Path) -> None:
        """Remember the notebook as it stands now, beside what another run may have added meanwhile."""
        self.entries = self.read() | {self.key(path): fingerprint(path, self.around)}
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(json.dumps(self.entries, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command line and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--check", action="store_true", help="name the stale notebooks, execute nothing")
    options = parser.parse_args(arguments)
    missing = [str(path) for path in options.paths if not path.is_file()]
    if missing:
        parser.error(f"no such notebook: {', '.join(missing)}")
    record = Record(root)
    stale = [path for path in options.paths or find_notebooks(root) if record.is_stale(path)]
    if options.check:
        print("\n".join(f"stale: {record.key(path)}" for path in stale) or "Every notebook is up to date.")
        return 1 if stale else 0
    failures = []
    paths = options.paths or stale
    for path, error in execute(paths):
        if error is None:
            record.add(path)
        else:
            failures.append(error)
    done = f"{len(paths)} notebook(s) executed." if paths else "Every notebook is up to date."
    print("\n".join(failures) or done)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
