"""Grade one submission in three stages; nbgrader keeps the scores, the sandbox runs.

1. `task_of`: say what is run, for whom, and what belongs to the teacher.
2. `Runs`: read, restore and run it in a process of its own (`run.py`), which starts the kernel.
3. `save_grade`: take over outputs and verdicts, nothing else, and save the grade. A test shows its verdict:
   what the submission itself shows there is left out, and a test without a verdict has failed.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import asdict
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import SaveAutoGrades

from classroom import roster
from classroom.cases import Verdict
from classroom.course import Course, Record, read_record, write_record
from classroom.reading import ANSWER_IN_WORDS, LARGEST_FILE, Cells, Refused, shown
from classroom.sandbox import with_quota
from classroom.submission import ONE_THREAD, ROOT, Limits, error, is_test

RUN = [sys.executable, "-m", "classroom.run"]


def digest(course: Course, student: str, name: str, cells: Cells) -> str:
    """Return a digest of a submission and of the set that it answers."""
    found = hashlib.sha256("".join(cell["checksum"] for cell in cells.values()).encode())
    for path in (course.place("submitted", student, name), course.checks(name)):
        with suppress(OSError), path.open("rb") as file:  # who cannot be read is refused alone, later
            found.update(file.read(LARGEST_FILE + 1))
    return found.hexdigest()


# Stage 1


def cells_of_set(book: Gradebook, name: str) -> Cells:
    """Return the cells of a set from the gradebook, in order: name, nbgrader's metadata, source."""
    notebook = book.find_notebook(name, name)
    points = {cell.name: float(cell.max_score) for cell in [*notebook.grade_cells, *notebook.task_cells]}
    kinds = {
        kind: {cell.name for cell in getattr(notebook, f"{kind}_cells")}
        for kind in ("grade", "solution", "task")
    }
    found = {}
    for cell in notebook.source_cells:
        about: dict[str, Any] = {kind: cell.name in names for kind, names in kinds.items()}
        about |= {"schema_version": 3, "grade_id": cell.name, "cell_type": cell.cell_type}
        about |= {"locked": cell.locked, "checksum": cell.checksum}
        about |= {"points": points[cell.name]} if cell.name in points else {}
        found[cell.name] = {"nbgrader": about, "source": cell.source, "checksum": cell.checksum}
    return found


def task_of(
    course: Course, sets: dict[str, Cells], student: str, name: str, stubs: str = ""
) -> dict[str, Any]:
    """Say what is run and what judges it: the set's checks, and for whom its inputs are drawn."""
    about = [(one["nbgrader"], one["source"]) for one in sets[name].values()]
    locked = {
        of["grade_id"]: source for of, source in about
        if of["locked"] and not of["grade"] and of["cell_type"] == "code"
    }  # fmt: skip
    examiner: dict[str, Any] = {"checks": str(course.checks(name).resolve())}
    examiner |= {"student": student, "word": course.word, "locked": locked, "stubs": stubs}
    path = course.place("submitted", student, name).resolve()
    return {"path": str(path), "sets": sets, "name": name, "examiner": examiner}


# Stage 2


class Runs(ExitStack):
    """Runs submissions; each thread that calls it has a process that forks one for each submission."""

    def __init__(self, limits: Limits, sandbox: str) -> None:
        super().__init__()
        self.limits, self.sandbox, self.own = limits, sandbox, threading.local()

    def begin(self) -> None:
        """Start the process of this thread, with a file for what it says besides."""
        place = self.enter_context(TemporaryDirectory(prefix="quota-"))
        self.own.errors = self.enter_context(TemporaryFile("w+", errors="replace"))
        self.own.process = self.enter_context(subprocess.Popen(
            [*with_quota(self.sandbox, Path(place), self.limits), *RUN],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.own.errors, encoding="utf-8", cwd=ROOT,
            env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "TMPDIR": place, **ONE_THREAD},
        ))  # fmt: skip

    def __call__(self, task: dict[str, Any]) -> dict[str, Any]:
        """Read and run a notebook; say what came of it."""
        if not hasattr(self.own, "process") or self.own.process.poll() is not None:
            self.begin()
        asked, said = task | {"limits": asdict(self.limits), "sandbox": self.sandbox}, ""
        self.own.errors.truncate(self.own.errors.seek(0))  # what earlier submissions left
        with suppress(BrokenPipeError):
            print(json.dumps(asked), file=self.own.process.stdin, flush=True)
            said = self.own.process.stdout.readline()
        told, _, ended = said.strip().rpartition(" ")
        if ended == str(-signal.SIGALRM):  # the limits end a run long before, unless the machine is too busy
            raise RuntimeError("the run did not end; grade again when the machine is less busy")
        try:
            return dict(json.loads(told))
        except ValueError:
            self.own.errors.seek(0)
            why = (self.own.errors.read().strip().splitlines() or ["no word"])[-1]
            raise RuntimeError(f"the run broke off ({why})") from None


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
            verdicts = outcome["verdicts"].get(cell.metadata.nbgrader.grade_id, [])
            cell.outputs = [nbformat.from_dict(output) for output in scored(verdicts, outcome["stopped"])]


def scored(verdicts: list[dict[str, Any]], stopped: str) -> list[dict[str, Any]]:
    """Write verdicts as outputs: nbgrader reads the points from the first, a person the rest."""
    if not verdicts:
        return [error("NotRun", f"this question was not judged{': ' * bool(stopped)}{stopped}")]
    points = f"{sum(verdict['earned'] for verdict in verdicts):g}"
    said = "".join(f"{Verdict(**verdict)}\n" for verdict in verdicts)
    result = {"output_type": "execute_result", "data": {"text/plain": points}, "metadata": {}}
    return [result | {"execution_count": None}, {"output_type": "stream", "name": "stdout", "text": said}]


def save_grade(
    course: Course, book: Gradebook, record: Record, name: str, notebook: NotebookNode | None
) -> None:
    """Save the grade; a refused submission gets none, and an earlier one of the same student is withdrawn."""
    book.update_or_create_student(record.student)
    path = course.place("autograded", record.student, name)
    if notebook is None:
        with suppress(Exception):
            book.remove_submission(name, record.student)
        path.unlink(missing_ok=True)
    else:
        with book.db.no_autoflush:  # nbgrader's own call warns of an early flush
            sent = roster.when(course, record.student, name)
            sent = sent and sent.astimezone(UTC).replace(tzinfo=None)
            book.update_or_create_submission(name, record.student, timestamp=sent)  # or Formgrader grades it
        written = letters(notebook)
        for cell in notebook.cells:
            about = cell.metadata.get("nbgrader", {})
            if not (about.get("locked") or about.get("grade") or about.get("task")):
                shown(cell)
        about = {"db_url": course.database, "assignment": name, "notebook": name, "student": record.student}
        SaveAutoGrades(config=course.config).preprocess(notebook, {"nbgrader": about})
        book.db.expire_all()
        submission = book.find_submission(name, record.student)
        flag(course, book, record, name, written)
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


def run_and_judge(record: Record, task: dict[str, Any], run: Callable[..., dict[str, Any]]) -> NotebookNode:
    """Run a submission and take its outputs over."""
    started = time.monotonic()
    outcome = run(task)
    record.seconds = time.monotonic() - started
    if outcome["refused"]:
        raise Refused(outcome["refused"])
    if not outcome["started"] or outcome["broken"]:
        raise RuntimeError(outcome["stopped"] or outcome["broken"])
    record.remarks += [f"timed out at cell {place + 1}" for place in sorted({*outcome["timed_out"]})]
    record.remarks += filter(None, [outcome["stopped"]])
    record.signed, record.verdicts = outcome["signed"], outcome["verdicts"]
    if record.signed != record.student:
        record.remarks.append(f"signed {record.signed!r}" if record.signed else "not signed")
    notebook = nbformat.from_dict(outcome["notebook"])
    take_over(notebook, outcome)
    return notebook
