"""Read what a student handed in, refuse what is no notebook of the set, put back what is the teacher's.

All of this happens in the process that runs the submission: whatever a file does to its reader, it does it
under that run's limits of time and memory.
"""

import json
import re
import warnings
from pathlib import Path
from textwrap import wrap
from typing import Any

import nbformat
from nbformat import NotebookNode

LARGEST_FILE = 50 * 2**20
MOST_TEXT = 2**20
MOST_CELLS = 500
LONGEST_TEXT, LONGEST_CODE = 10_000, 20_000  # characters of a cell that a person reads; the rest is cut
WIDTH = 100
LOST = ", or an editor dropped the names of its cells: copy the answers into a fresh sheet"
ANSWER_IN_WORDS = "*Your answer: double-click here.*"
MAKE = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}

Cells = dict[str, dict[str, Any]]
"""The cells of a set by their names, in order: nbgrader's metadata and the source."""


class Refused(Exception):
    """A file is not graded; the message says why."""


def read(path: Path) -> NotebookNode:
    """Read a notebook that anybody may have made."""
    if path.stat().st_size > LARGEST_FILE:
        raise Refused(f"larger than {LARGEST_FILE // 2**20} MB; clear the outputs and hand in again")
    try:
        with warnings.catch_warnings(action="ignore"):  # what nbformat mends
            notebook = nbformat.reads(without_outputs(path.read_bytes()), as_version=4)
        cells = [plain(cell) for cell in notebook.cells]
    except Refused:
        raise
    except Exception as fault:  # a hostile file may raise anything
        raise Refused(f"no notebook ({type(fault).__name__})") from None
    if sum(len(cell.source) for cell in cells) > MOST_TEXT:
        raise Refused(f"more than {MOST_TEXT // 2**20} MB of text and code")
    return nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )


def without_outputs(content: bytes) -> str:
    """Drop what takes long to validate, and nobody reads; add what editors leave out."""
    told = json.loads(content)  # in any Unicode encoding, as a system's own editor may have saved it
    told["metadata"] = told.get("metadata") or {}
    for sheet in [told, *told.get("worksheets", [])]:  # an old format has those
        if len(sheet.get("cells", [])) > MOST_CELLS:
            raise Refused(f"more than {MOST_CELLS} cells")
        for cell in sheet.get("cells", []):
            cell |= {"metadata": cell.get("metadata") or {}} | ({"outputs": []} if "outputs" in cell else {})
    return json.dumps(told)


def plain(cell: NotebookNode) -> NotebookNode:
    """Keep a cell's kind, source and name; tags, outputs and everything else can only do harm."""
    source, name = cell.source, cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
    if not isinstance(source, str):
        raise TypeError
    source.encode()
    about = {"nbgrader": {"grade_id": name}} if isinstance(name, str) else {}
    return MAKE["code" if cell.cell_type == "code" else "markdown"](source, metadata=about)


def prepare(path: Path, sets: dict[str, Cells], name: str) -> NotebookNode:
    """Make the notebook that is run: the student's answers, and the teacher's cells as they were released."""
    notebook = read(path)
    there = {cell.metadata["nbgrader"]["grade_id"] for cell in notebook.cells if cell.metadata}
    shares = {known: len(there & cells.keys()) / len(cells) for known, cells in sets.items()}
    closest = max(shares, key=lambda known: (shares[known], known == name))
    if not shares[name]:
        raise Refused("holds no cell of this set" + (f"; it is {closest}" if shares[closest] else LOST))
    if closest != name:
        raise Refused(f"is the notebook of {closest}")
    restore(notebook, sets[name])
    return notebook


def restore(notebook: NotebookNode, cells: Cells) -> None:
    """Give known cells their kind and metadata again, locked ones their source, and add what is missing."""
    names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    last = {name: place for place, name in enumerate(names)}
    order = sorted(enumerate(names), key=lambda one: one[0] < last.get(f"test-{one[1]}", len(names)))
    found = {name: notebook.cells[place] for place, name in order}  # of duplicates the last before its test
    notebook.cells = [
        nbformat.from_dict(cell | {"id": f"cell-{position}", "metadata": {}}) if name not in cells else cell
        for position, cell in enumerate(notebook.cells)
        if (name := cell.metadata.get("nbgrader", {}).get("grade_id")) not in cells or cell is found[name]
    ]
    before = -1
    for number, (name, known) in enumerate(cells.items()):
        about, typed = known["nbgrader"], found[name].source if name in found else ""
        fixed = about["locked"] or about["grade"] or about["task"]
        cell = MAKE[about["cell_type"]](known["source"] if fixed else typed, id=f"set-{number}")
        cell.metadata = nbformat.from_dict({"nbgrader": about})
        if name in found:
            before = next(place for place, one in enumerate(notebook.cells) if one is found[name])
            notebook.cells[before] = cell
        else:
            notebook.cells.insert(before := before + 1, cell)
        added = "\n\n".join(line for line in typed.splitlines() if line.strip() not in known["source"])
        if about["task"] and added:  # what was typed into the question's own cell
            kept = nbformat.v4.new_markdown_cell(added, id=f"typed-{number}")
            notebook.cells.insert(before := before + 1, kept)


def shown(cell: NotebookNode) -> None:
    """Make a student's cell what a page shows: code that is not endless, text as text.

    A browser would run HTML, links and formulas with the rights of their reader, and markdown has texts that
    take the square of the time to lay out. A fenced block has neither.
    """
    if cell.cell_type == "code":
        cell.source = cell.source[:LONGEST_CODE] + "\n# … (cut)" * (len(cell.source) > LONGEST_CODE)
    elif cell.source.strip() not in ("", ANSWER_IN_WORDS):
        text = cell.source[:LONGEST_TEXT] + "\n… (cut)" * (len(cell.source) > LONGEST_TEXT)
        lines = [part for line in text.splitlines() for part in wrap(line, WIDTH) or [""]]
        fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=2))
        cell.source = "\n".join([f"{fence}text", *lines, fence])
