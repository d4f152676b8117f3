"""Grade one submission in three stages; nbgrader reads, restores and scores, the sandbox runs.

1. `prepare`: read the file, refuse what is no notebook of the set, put back what belongs to the teacher.
2. `run_in_process`: run it in a process of its own (`run.py`), which starts the kernel in the sandbox.
3. `save_grade`: take over outputs and verdicts, nothing else, and save the grade. A test shows its verdict:
   what the submission itself shows there is left out, and a test without a verdict has failed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader import preprocessors as steps
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory

from classroom.cases import Verdict
from classroom.course import Course, Record, read_record, write_record
from classroom.run import Outcome
from classroom.submission import ONE_THREAD, ROOT, Limits, error, is_test

LARGEST_FILE = 50 * 2**20
MOST_TEXT = 5 * 2**20
MOST_CELLS = 500
LONGEST_TEXT = 10_000
"""Characters of a cell in words; the rest is cut: nbconvert takes the square of the time for it."""
TELLING = {
    "__code__", "__file__", "__globals__", "_getframe", "_isotonic", "_pava_pybind", "concurrent", "ctypes",
    "exec", "fork", "gc", "importlib", "inspect", "joblib", "modules", "multiprocessing", "setprofile",
    "settrace", "subprocess", "threading",
}  # fmt: skip
LOST = ", or an editor dropped the names of its cells: copy the answers into a fresh sheet"
ANSWER_IN_WORDS = "*Your answer: double-click here.*"


class Refused(Exception):
    """A file is not graded; the message says why."""


def digest(course: Course, student: str, name: str, cells: dict[str, Any]) -> str:
    """Return a digest of a submission and of the set that it answers."""
    found = hashlib.sha256("".join(cell["checksum"] for cell in cells.values()).encode())
    for path in (course.submission(student, name), course.checks(name)):
        with suppress(FileNotFoundError), path.open("rb") as file:
            found.update(file.read(LARGEST_FILE + 1))
    return found.hexdigest()


# Stage 1


def cells_of_set(book: Gradebook, name: str) -> dict[str, dict[str, Any]]:
    """Return the cells of a set from the gradebook, in order: name, nbgrader's metadata, source."""
    notebook = book.find_notebook(name, name)
    points = {cell.name: float(cell.max_score) for cell in [*notebook.grade_cells, *notebook.task_cells]}
    kinds = {
        "grade": {cell.name for cell in notebook.grade_cells},
        "solution": {cell.name for cell in notebook.solution_cells},
        "task": {cell.name for cell in notebook.task_cells},
    }
    found = {}
    for cell in notebook.source_cells:
        about: dict[str, Any] = {kind: cell.name in names for kind, names in kinds.items()}
        about |= {"schema_version": 3, "grade_id": cell.name, "cell_type": cell.cell_type}
        about |= {"locked": cell.locked, "checksum": cell.checksum}
        about |= {"points": points[cell.name]} if cell.name in points else {}
        found[cell.name] = {"nbgrader": about, "source": cell.source, "checksum": cell.checksum}
    return found


def read(path: Path) -> NotebookNode:
    """Read a notebook that anybody may have made."""
    if path.stat().st_size > LARGEST_FILE:
        raise Refused(f"larger than {LARGEST_FILE // 2**20} MB; clear the outputs and hand in again")
    try:
        with warnings.catch_warnings(action="ignore"):  # what nbformat mends
            notebook = nbformat.reads(path.read_text(encoding="utf-8-sig"), as_version=4)
        cells = [plain(cell) for cell in notebook.cells]
    except Exception as fault:  # a hostile file may raise anything
        raise Refused(f"no notebook ({type(fault).__name__})") from None
    if len(cells) > MOST_CELLS:
        raise Refused(f"more than {MOST_CELLS} cells")
    if sum(len(cell.source) for cell in cells) > MOST_TEXT:
        raise Refused(f"more than {MOST_TEXT // 2**20} MB of text and code")
    return nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )


def plain(cell: NotebookNode) -> NotebookNode:
    """Keep a cell's kind, source and name; tags, outputs and everything else can only do harm."""
    source, name = cell.source, cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
    if not isinstance(source, str):
        raise TypeError
    source.encode()
    about = {"nbgrader": {"grade_id": name}} if isinstance(name, str) else {}
    if cell.cell_type == "code":
        return nbformat.v4.new_code_cell(source, metadata=about)
    return nbformat.v4.new_markdown_cell(escaped(source), metadata=about)


def escaped(text: str) -> str:
    """Take HTML and links out of a student's text: a browser would run them with the rights of its reader."""
    cut = text[:LONGEST_TEXT].replace("<", "&lt;") + "\n\n… (cut)" * (len(text) > LONGEST_TEXT)
    return re.sub(r"\](?=[(:])|\\(?=href|csname)", r"\g<0> ", cut)


def prepare(course: Course, book: Gradebook, student: str, name: str) -> NotebookNode:
    """Make the notebook that is run: the student's answers, and the teacher's cells as they were released."""
    notebook = read(course.submission(student, name))
    there = {cell.metadata["nbgrader"]["grade_id"] for cell in notebook.cells if cell.metadata}
    sets = {known.name: cells_of_set(book, known.name) for known in book.assignments if known.notebooks}
    shares = {known: len(there & cells.keys()) / len(cells) for known, cells in sets.items()}
    closest = max(shares, key=lambda known: (shares[known], known == name))
    if not shares[name]:
        raise Refused("holds no cell of this set" + (f"; it is {closest}" if shares[closest] else LOST))
    if closest != name:
        raise Refused(f"is the notebook of {closest}")
    restore(notebook, sets[name])
    try:
        return course.through(
            notebook, [steps.DeduplicateIds, steps.OverwriteCells, steps.CheckCellMetadata], name
        )
    except Exception as fault:
        raise Refused(f"nbgrader cannot read it ({type(fault).__name__})") from None


def restore(notebook: NotebookNode, cells: dict[str, dict[str, Any]]) -> None:
    """Give known cells the set's metadata again, drop other names, and add the cells that are missing."""
    place = {}
    for position, cell in reversed(list(enumerate(notebook.cells))):
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.metadata = nbformat.from_dict({})
        if name in cells and name not in place:  # of duplicates the last counts, as in DeduplicateIds
            place[name] = cell
            cell.metadata = nbformat.from_dict({"nbgrader": cells[name]["nbgrader"]})
        cell.id = f"cell-{position}"
    before = -1
    for number, (name, known) in enumerate(cells.items()):
        if name not in place:
            new = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
            cell = new[known["nbgrader"]["cell_type"]](known["source"] if known["nbgrader"]["locked"] else "")
            cell.id, cell.metadata = f"added-{number}", nbformat.from_dict({"nbgrader": known["nbgrader"]})
            notebook.cells.insert(before + 1, cell)
            place[name] = cell
        before = notebook.cells.index(place[name])
        if known["nbgrader"]["task"] and (typed := added_lines(place[name].source, known["source"])):
            kept = nbformat.v4.new_markdown_cell(typed, id=f"typed-{number}")
            notebook.cells.insert(before := before + 1, kept)


def added_lines(source: str, known: str) -> str:
    """Return what a student typed into a question's own cell, which is put back."""
    known = escaped(known)
    return "\n\n".join(line for line in source.splitlines() if line.strip() not in known)


# Stage 2


def examiner_of(course: Course, notebook: NotebookNode, student: str, name: str) -> dict[str, Any]:
    """Say what judges a notebook: the set's checks, and for whom its inputs are drawn."""
    about = [(cell, cell.metadata.get("nbgrader", {})) for cell in notebook.cells if cell.cell_type == "code"]
    locked = {of["grade_id"]: cell.source for cell, of in about if of.get("locked") and not of["grade"]}
    return {"checks": str(course.checks(name)), "student": student, "word": course.word, "locked": locked}


def run_in_process(
    course: Course, limits: Limits, sandbox: str, notebook: NotebookNode, student: str, name: str
) -> dict[str, Any]:
    """Run a prepared notebook in a process of its own."""
    asked = {"notebook": notebook, "limits": asdict(limits), "sandbox": sandbox}
    asked["examiner"] = examiner_of(course, notebook, student, name)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "classroom.run"], input=json.dumps(asked), capture_output=True, text=True,
            timeout=limits.whole + 120, cwd=ROOT,
            env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], **ONE_THREAD},
        )  # fmt: skip
        return dict(json.loads(done.stdout))
    except subprocess.TimeoutExpired:  # the limits end a run long before, unless the machine is too busy
        return asdict(Outcome(stopped="the run did not end; grade again when the machine is less busy"))
    except ValueError as fault:
        return asdict(Outcome(started=True, stopped=f"the run broke off ({type(fault).__name__})"))


# Stage 3


def take_over(notebook: NotebookNode, outcome: dict[str, Any]) -> None:
    """Put the outputs of the run into the prepared notebook; a test that did not run has failed."""
    count = 0
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        outputs = outcome["outputs"].get(str(position))
        if outputs is None:
            outputs = [error("NotRun", f"this cell did not run: {outcome['stopped']}")]
        else:
            cell.execution_count = count = count + 1
        cell.outputs = [nbformat.from_dict(output) for output in outputs]
        if is_test(cell):
            verdicts = [
                Verdict(**one) for one in outcome["verdicts"].get(cell.metadata.nbgrader.grade_id, [])
            ]
            cell.outputs = [nbformat.from_dict(output) for output in scored(verdicts, outcome["stopped"])]


def scored(verdicts: list[Verdict], stopped: str) -> list[dict[str, Any]]:
    """Write verdicts as outputs: nbgrader reads the points from the first, a person the rest."""
    if not verdicts:
        return [error("NotRun", f"this question was not judged{': ' * bool(stopped)}{stopped}")]
    points = f"{sum(verdict.earned for verdict in verdicts):g}"
    said = "".join(f"{verdict}\n" for verdict in verdicts)
    result = {"output_type": "execute_result", "data": {"text/plain": points}, "metadata": {}}
    return [result | {"execution_count": None}, {"output_type": "stream", "name": "stdout", "text": said}]


def save_grade(
    course: Course, book: Gradebook, record: Record, name: str, notebook: NotebookNode | None
) -> None:
    """Save the grade; a refused submission gets none, and an earlier one of the same student is withdrawn."""
    book.update_or_create_student(record.student)
    path = course.graded_notebook(record.student, name)
    if notebook is None:
        with suppress(Exception):
            book.remove_submission(name, record.student)
        path.unlink(missing_ok=True)
    else:
        with book.db.no_autoflush:  # nbgrader's own call warns of an early flush
            sent = CourseDirectory(config=course.config).get_existing_timestamp(
                str(course.submission(record.student, name).parent)
            )
            book.update_or_create_submission(name, record.student, timestamp=sent)  # or Formgrader grades it
        course.through(notebook, [steps.SaveAutoGrades], name, record.student)
        book.db.expire_all()
        submission = book.find_submission(name, record.student)
        flag(course, book, record, name, letters(notebook))
        record.points, record.possible = submission.score, submission.max_score
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
    write_record(course, record, name)


def letters(notebook: NotebookNode) -> dict[str, str]:
    """Return the text below each question that a person reads."""
    found: dict[str, list[str]] = {}
    reading = ""
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        reading = about["grade_id"] if about.get("task") else "" if about else reading
        if about.get("task"):
            found[reading] = []
        elif reading and cell.source.strip() not in ("", ANSWER_IN_WORDS):
            found[reading].append(cell.source.strip())
    elsewhere = [
        cell.source.strip() for cell in notebook.cells
        if cell.cell_type == "markdown" and not cell.metadata.get("nbgrader")
        and cell.source.strip() not in ("", ANSWER_IN_WORDS)
    ]  # fmt: skip
    return {name: "\n\n".join(parts or elsewhere) for name, parts in found.items()}


def flag(course: Course, book: Gradebook, record: Record, name: str, written: dict[str, str]) -> None:
    """Call for a person where a letter is new or its text has changed since it was marked; no letter earns 0.

    nbgrader keeps a mark whatever is handed in later, and asks nobody to look again.
    """
    before = read_record(course, record.student, name)
    for task, text in written.items():
        grade = book.find_grade(task, name, name, record.student)
        changed = before is not None and before.letters.get(task, text) != text
        grade.auto_score = None if text else 0.0
        if grade.manual_score is not None:
            grade.needs_manual_grade = bool(grade.needs_manual_grade or changed)
        else:
            grade.needs_manual_grade = bool(text)
            record.remarks += [] if text else [f"{task}: not answered"]
    book.db.commit()
    record.letters = written


def to_read(book: Gradebook, student: str, name: str) -> list[str]:
    """Say which answers wait for a person, as the gradebook has it now: Formgrader takes them off."""
    try:
        submission = book.find_submission(name, student)
    except MissingEntry:
        return []
    waiting = [grade for part in submission.notebooks for grade in part.grades if grade.needs_manual_grade]
    return [
        f"{grade.name}: to be read by a person" if grade.manual_score is None
        else f"{grade.name}: marked {grade.manual_score:g} by hand, and changed since"
        for grade in waiting
    ]  # fmt: skip


def settle(course: Course, book: Gradebook, record: Record, name: str, job: Future[NotebookNode]) -> str:
    """Save what came of a submission and tell it; no fault of one stops the others.

    What could not be graded, by no fault of the student, is tried again by the next call.
    """
    try:
        save_grade(course, book, record, name, job.result())
    except Refused as reason:
        record.remarks.append(str(reason))
        save_grade(course, book, record, name, None)
    except Exception as fault:
        record.digest, record.points = "", None
        record.remarks.append(f"{type(fault).__name__}: {fault}")
        write_record(course, record, name)
    took = f" ({record.seconds:.0f} s)" if record.seconds else ""
    return f"{record.student}: {'; '.join([str(record), *to_read(book, record.student, name)])}{took}"


def suspicious_names(notebook: NotebookNode) -> list[str]:
    """List the names in a submission's own code by which it may have what a question withholds."""
    own = [
        cell.source for cell in notebook.cells
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("locked")
    ]  # fmt: skip
    return sorted(set(re.findall(r"\w+", "\n".join(own))) & TELLING)


def run_and_judge(
    notebook: NotebookNode, record: Record, name: str, run: Callable[[NotebookNode, str, str], dict[str, Any]]
) -> NotebookNode:
    """Run a prepared notebook and take its outputs over."""
    started = time.monotonic()
    outcome = run(notebook, record.student, name)
    record.seconds = time.monotonic() - started
    if not outcome["started"] or outcome["broken"]:
        raise RuntimeError(outcome["stopped"] or outcome["broken"])
    record.remarks += [f"timed out at cell {place + 1}" for place in sorted({*outcome["timed_out"]})]
    record.remarks += filter(None, [outcome["stopped"]])
    if found := suspicious_names(notebook):
        record.remarks.append(f"names {', '.join(found)}: look at how the answers come about")
    record.signed, record.given, record.verdicts = (outcome[key] for key in ("signed", "given", "verdicts"))
    if record.signed != record.student:
        record.remarks.append(f"signed {record.signed!r}" if record.signed else "not signed")
    take_over(notebook, outcome)
    return notebook
