#!/usr/bin/env python3
"""Execute the notebooks of the book and of the assignments, reproducibly.

    tools/binding/notebooks.py                    execute every stale notebook
    tools/binding/notebooks.py PATH...            execute these, stale or not
    tools/binding/notebooks.py --check            name the stale ones, execute nothing
    tools/binding/notebooks.py --clean [PATH...]  mend what an editor changed on saving, execute nothing

A notebook's metadata say what it was executed with, by digests of its code and of what that imports: it is
stale when they differ now. Each code cell keeps a digest of its source and outputs, each text cell one of the
numbers that `tools/binding/marks.py` wrote into it, so that a change by hand shows, and their values, so that
another format or another sentence about them executes nothing. Executing twice writes the same bytes, on
another machine too: a picture is kept where the new one says the same and looks the same.
"""

import asyncio
import hashlib
import itertools
import os
import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from tools.binding import marks as binding
from tools.binding import pictures, staleness
from tools.binding.pages import ROOT
from tools.release import threads

FOLDERS = ("book", "assignments/source")
CELL_SECONDS = 600
AT_ONCE = 2
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = {"digest", "bound", "values", "tags", "mystnb", "nbgrader", "slideshow"}  # of a cell
SLIDE_TYPES = {"slide", "subslide", "fragment", "skip", "notes"}
PICTURE = "image/png"
STATE = "executed"  # where a notebook's metadata say with which code it was executed


class NotebookError(Exception):
    """A notebook did not run cleanly; the message names the file, the cell and the error."""


def find_notebooks(root: Path) -> list[Path]:
    """Every notebook of the course, in a fixed order."""
    found = (path for folder in FOLDERS for path in (root / folder).rglob("*.ipynb"))
    return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)


def shown(path: Path) -> str:
    """Write a path as a person would type it: from the current folder where it lies inside."""
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else str(path)


async def run_notebook(path: Path, around: staleness.Surroundings) -> bool:
    """Execute one notebook in its own folder; return whether the file had to be rewritten."""
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    from tools.binding.client import Client  # loaded here, since nothing else needs a kernel

    before = path.read_text(encoding="utf-8")
    old, notebook = (nbformat.reads(before, as_version=4) for _ in range(2))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
    client = Client(notebook, path, CELL_SECONDS)
    try:
        await client.async_execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        where = name_cell(*client.running) if client.running else "before the first cell"
        raise NotebookError(f"{shown(path)}: {where}: {describe(error)}") from None
    if client.problems:
        raise NotebookError("\n".join(f"{shown(path)}: {problem}" for problem in client.problems))
    refuse_stderr(path, notebook)
    keep_pictures(old, notebook)
    normalise(notebook)
    notebook.metadata[STATE] = around.state(notebook)
    return rewrite(path, before, notebook)


def rewrite(path: Path, before: str, notebook: NotebookNode) -> bool:
    """Write a notebook where it differs from what the file holds; tell whether it did."""
    after = nbformat.writes(notebook) + "\n"
    if after != before:
        path.write_text(after, encoding="utf-8")
    return bool(after != before)


def describe(error: Exception) -> str:
    """Say in a line or two what the kernel or the cell complained about."""
    if hasattr(error, "ename"):
        return f"{error.ename}: {error.evalue}"
    return f"ran longer than {CELL_SECONDS} s" if isinstance(error, TimeoutError) else "the kernel died"


def code_cells(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode]]:
    """Code cells that are not empty, each with its place among all cells, counted from 1."""
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code" and cell.source.strip():
            yield number, cell


def name_cell(number: int, cell: NotebookNode) -> str:
    """Name a cell so that a person finds it: its place and its first line."""
    return f"cell {number} ({cell.source.strip().splitlines()[0]})"


def refuse_stderr(path: Path, notebook: NotebookNode) -> None:
    """Raise when a cell wrote to stderr: a reader sees a red box, and nbgrader scores it 0."""
    for number, cell in code_cells(notebook):
        for output in cell.outputs:
            if output.get("name") == "stderr":
                raise NotebookError(
                    f"{shown(path)}: {name_cell(number, cell)}: wrote to stderr: {output.text.strip()}"
                )


def keep_pictures(old: NotebookNode, new: NotebookNode) -> None:
    """Leave the pictures of the file where the new ones say the same and look the same."""
    known = {cell.get("id"): cell.get("outputs", []) for cell in old.cells}
    for cell in new.cells:
        for before, after in zip(known.get(cell.get("id"), []), cell.get("outputs", []), strict=False):
            one, other = (output.get("data", {}) for output in (before, after))
            is_picture = PICTURE in one and PICTURE in other
            if is_picture and one.get("text/plain") == other.get("text/plain"):
                if pictures.look_the_same(one[PICTURE], other[PICTURE]):
                    other[PICTURE] = one[PICTURE]


def normalise(notebook: NotebookNode) -> None:
    """Keep only what is the same on every machine and in every run, and sign what was executed."""
    for count, (_, cell) in enumerate(code_cells(notebook), start=1):
        number(cell, count)
        for output in cell.outputs:
            if output.output_type == "error":  # the frames above hold this machine's paths
                output.traceback = [f"{output.ename}: {output.evalue}"]
        cell.metadata["digest"] = digest(cell)
    for cell in notebook.cells:
        marks = binding.find(cell.source) if cell.cell_type == "markdown" else []
        cell.metadata.pop("bound", None)
        if marks:
            cell.metadata["bound"] = binding.digest(marks)
        else:
            cell.metadata.pop("values", None)
    strip(notebook)


def number(cell: NotebookNode, count: int) -> None:
    """Give a code cell its place in the order of execution."""
    cell.execution_count = count
    for output in cell.outputs:
        if output.output_type == "execute_result":
            output.execution_count = count


def strip(notebook: NotebookNode) -> None:
    """Take out what editors and runs leave in the metadata."""
    state = notebook.metadata.get(STATE)
    notebook.metadata = nbformat.from_dict(METADATA | ({STATE: state} if state else {}))
    for cell in notebook.cells:
        for key in traces(cell.metadata):
            del cell.metadata[key]


def traces(metadata: Mapping[str, Any]) -> set[str]:
    """Name what an editor or a run left in a cell's metadata.

    >>> sorted(traces({"tags": [], "collapsed": True, "slideshow": {"slide_type": ""}}))
    ['collapsed', 'slideshow']
    """
    marked = metadata.get("slideshow", {"slide_type": "skip"})
    unmarked = set() if marked.get("slide_type") in SLIDE_TYPES and len(marked) == 1 else {"slideshow"}
    return metadata.keys() - CELL_METADATA | unmarked


def clean(path: Path) -> bool:
    """Mend what an editor changed on saving. Outputs that are not those executed stay, to be refused."""
    from nbconvert.preprocessors.coalescestreams import CoalesceStreamsPreprocessor  # slow to load

    before, joining = path.read_text(encoding="utf-8"), CoalesceStreamsPreprocessor()
    notebook = nbformat.reads(before, as_version=4)
    for count, (_, cell) in enumerate(code_cells(notebook), start=1):
        joining.preprocess_cell(cell, {}, count)  # what a cell printed in several pieces
        if cell.metadata.get("digest") == digest(cell):
            number(cell, count)
    strip(notebook)
    return rewrite(path, before, notebook)


def unsigned(notebook: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Cells that are not what was executed, by number, and what differs in each."""
    for number, cell in enumerate(notebook["cells"], start=1):
        metadata, source = cell["metadata"], "".join(cell["source"])
        if cell["cell_type"] == "code" and source.strip():
            if metadata.get("digest") != digest(cell):
                yield number, "its code or its output is not what was executed"
        elif cell["cell_type"] == "markdown":
            marks = binding.find(source, f"cell {number}")
            if metadata.get("bound") != (binding.digest(marks) if marks else None):
                yield number, "a bound number, a mark or a comparing word is not what was last written"


def digest(cell: Mapping[str, Any]) -> str:
    """Digest of a code cell's source and outputs, whether their lines stand in one string or in a list."""

    def text(part: Any) -> str:
        if isinstance(part, Mapping):
            return "".join(key + text(part[key]) for key in sorted(part) if key != "execution_count")
        return "".join(map(text, part)) if isinstance(part, list) else str(part)

    return hashlib.sha256(text([cell["source"], cell["outputs"]]).encode()).hexdigest()[:12]


async def execute(paths: list[Path], around: staleness.Surroundings) -> list[str]:
    """Execute notebooks, a few at a time, with a line each; return what went wrong."""
    free, done, failures = asyncio.Semaphore(AT_ONCE), itertools.count(1), []

    async def run(path: Path) -> None:
        async with free:
            start = time.perf_counter()
            try:
                changed = await run_notebook(path, around)
                outcome = f"{'written' if changed else 'unchanged'}, {time.perf_counter() - start:.1f} s"
            except Exception as problem:
                known = isinstance(problem, NotebookError)
                failures.append(str(problem) if known else f"{shown(path)}: {problem!r}")
                outcome = "FAILED"
        print(f"[{next(done)}/{len(paths)}] {shown(path)}: {outcome}", flush=True)

    await asyncio.gather(*map(run, paths))
    return failures


def rebind(path: Path, around: staleness.Surroundings) -> bool:
    """Write numbers anew whose values are known, where nothing else changed; tell whether that was enough."""
    before = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(before, as_version=4)
    try:
        loose = [notebook.cells[number - 1] for number, _ in unsigned(notebook)]
    except binding.BindingError:
        return False
    if notebook.metadata.get(STATE) != around.state(notebook) or any(c.cell_type == "code" for c in loose):
        return False
    values = {key: v for cell in notebook.cells for key, v in cell.metadata.get("values", {}).items()}
    for cell in loose:
        marks = binding.find(cell.source)
        known = {binding.value_of(mark): values.get(binding.value_of(mark)) for mark in marks}
        if None in known.values():
            return False
        texts = [binding.formatted(known[binding.value_of(mark)], mark) for mark in marks]
        if None in texts:
            return False
        cell.source = binding.write(cell.source, marks, texts)
        cell.metadata["values"] = known
    normalise(notebook)
    rewrite(path, before, notebook)
    print(f"{shown(path)}: numbers written from known values, nothing executed")
    return True


def unread(path: Path) -> list[str]:
    """Sentences beside their claims, of the text cells that are not what was last signed."""
    notebook = nbformat.read(path, as_version=4)
    with suppress(binding.BindingError):
        cells = [notebook.cells[number - 1] for number, _ in unsigned(notebook)]
        marks = [mark for cell in cells if cell.cell_type != "code" for mark in binding.find(cell.source)]
        return [f"{shown(path)}: {mark.sentence} {mark.whole}" for mark in marks if mark.kind != "="]
    return []


def is_stale(path: Path, around: staleness.Surroundings) -> bool:
    """Tell whether a notebook, or what its code imports, is not what it was executed with."""
    notebook = nbformat.read(path, as_version=4)
    try:
        return notebook.metadata.get(STATE) != around.state(notebook) or any(unsigned(notebook))
    except binding.BindingError:
        return True


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command line and return the exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--check", action="store_true", help="name the stale notebooks, execute nothing")
    parser.add_argument("--clean", action="store_true", help="mend saved notebooks, execute nothing")
    options = parser.parse_args(arguments)
    missing = [str(path) for path in options.paths if not path.is_file()]
    if missing:
        parser.error(f"no such notebook: {', '.join(missing)}")
    if options.clean:
        mended = [path for path in options.paths or find_notebooks(root) if clean(path)]
        print("\n".join(f"{shown(path)}: mended" for path in mended) or "Every notebook is clean.")
        return 0
    os.environ |= threads.ONE
    around = staleness.Surroundings(root)
    paths = options.paths or [path for path in find_notebooks(root) if is_stale(path, around)]
    if options.check:
        stale = [path for path in paths if is_stale(path, around)]
        print("\n".join(f"stale: {shown(path)}" for path in stale) or "Every notebook is up to date.")
        return 1 if stale else 0
    claims = [claim for path in paths for claim in unread(path)]
    if not options.paths:
        paths = [path for path in paths if not rebind(path, around)]
    if paths:
        from tools.binding import kernels

        kernels.use_forks()
    failures = asyncio.run(execute(paths, around))
    done = f"{len(paths)} notebook(s) executed." if paths else "Every notebook is up to date."
    print("\n".join(failures) or done)
    if claims and not failures:
        print("Signed, but read by nobody: does each sentence say what its claim holds?", *claims, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
