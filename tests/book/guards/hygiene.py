"""Notebooks as they are committed: executed from top to bottom, clean, and the same on every machine."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from nbformat.validator import iter_validate

from tools.binding.marks import BindingError
from tools.binding.notebooks import METADATA, STATE, traces, unsigned
from tools.binding.pages import Cell, Page, joined, notebooks
from tools.binding.staleness import code_sources, digest

from .problem import Problem

LARGEST = 500_000  # bytes
MACHINE = re.compile(r"(?:/(?:home|Users|root|tmp|work|opt|mnt|private|usr|var)/|[A-Z]:\\)[\w./\\-]+")
ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")
RUN, CLEAN = "run make notebooks", "run make tidy"


def check(root: Path) -> Iterator[Problem]:
    """Problems with the notebooks' files, cells and outputs, in the book and in the assignments."""
    for page in notebooks(root, "book", "assignments/source"):
        yield from in_page(root, page)


@cache
def in_page(root: Path, page: Page) -> list[Problem]:
    """Problems with one notebook."""
    return list(found(root, page))


def found(root: Path, page: Page) -> Iterator[Problem]:
    """Look through one notebook."""
    size = (root / page.file).stat().st_size
    if size > LARGEST:
        what = f"it has {size // 1000} KB, more than {LARGEST // 1000}"
        yield Problem(page.file, "the file", what, "draw fewer points, or figures at a lower resolution")
    if fault := invalid(page.raw):
        yield Problem(page.file, "the file", f"it is no valid notebook: {fault}", "repair or rewrite it")
        return
    rest = {key: value for key, value in page.raw["metadata"].items() if key != STATE}
    if rest != METADATA:
        what = f"it holds {sorted(rest)}, not the usual kernel and language"
        yield Problem(page.file, "the metadata", what, CLEAN)
    yield from executed(page)
    for cell in page.cells:
        yield from leftovers(page, cell)
    for cell in page.code:
        yield from outputs(page, cell)


def invalid(raw: dict[str, Any]) -> str:
    """Say why this is no valid notebook of format 4 with a different id for each cell."""
    if raw.get("nbformat") != 4:
        return "it cannot be read as a notebook of format 4"
    twice = [name for name, count in Counter(cell.get("id") for cell in raw["cells"]).items() if count > 1]
    faults = [error.message[:200] for error in iter_validate(raw)]
    faults += [f"two cells have the id {name}" for name in twice]
    return next(iter(faults), "")


def executed(page: Page) -> Iterator[Problem]:
    """What was executed, and wrote the numbers into the text, is what stands there, in its order."""
    state = page.raw["metadata"].get(STATE)
    if state and state["code"] != digest(code_sources(page.raw)):
        yield Problem(page.file, "the code cells", "they are not those that were executed", RUN)
    try:
        for number, what in unsigned(page.raw):
            yield Problem(page.file, f"cell {number}", what, RUN)
    except BindingError:
        pass  # the numbers' guard says what is wrong with the mark
    for expected, cell in enumerate(page.code, start=1):
        if (count := cell.raw.get("execution_count")) != expected:
            what = f"it was executed as number {count}, and stands at number {expected}"
            yield Problem(page.file, cell.place(), what, f"{CLEAN} (if that is not enough, make notebooks)")
            return


def leftovers(page: Page, cell: Cell) -> Iterator[Problem]:
    """What an editor left in a cell: traces of a run, files attached."""
    if left := sorted(traces(cell.raw["metadata"])):
        yield Problem(page.file, cell.place(), f"its metadata hold {', '.join(left)}", CLEAN)
    if cell.raw.get("attachments"):
        yield Problem(page.file, cell.place(), "a file is attached to it", "put the picture into book/assets")


def outputs(page: Page, cell: Cell) -> Iterator[Problem]:
    """Outputs that no reader should see, and figures that say nothing about their data."""
    for output in cell.outputs:
        data = output.get("data", {})
        if output.get("name") == "stderr":
            what = f"it writes to stderr: {joined(output['text']).strip().splitlines()[0]}"
            yield Problem(page.file, cell.place(), what, "mend the cause, or catch the warning and print it")
        if output["output_type"] == "error" and "raises-exception" not in cell.tags:
            what = f"it ends with {output['ename']}: {output['evalue']}"
            remedy = "mend it, or tag the cell raises-exception where the error is the lesson"
            yield Problem(page.file, cell.place(), what, remedy)
        is_image = any(kind.startswith("image/") for kind in data)
        if is_image and not joined(data.get("text/plain", "")).startswith("Picture"):
            what = "the figure comes without the data behind it, so that nothing compares it"
            remedy = "draw it with a function of calibration_lessons.plots"
            yield Problem(page.file, cell.place(), what, remedy)
    for text in cell.output_texts():
        for pattern, what in ((MACHINE, "a path of one machine"), (ADDRESS, "an address in memory")):
            if match := pattern.search(text):
                what = f"an output holds {what}, {match[0]}"
                yield Problem(page.file, cell.place(), what, "print what a reader needs")
