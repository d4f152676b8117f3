"""Release, answer and grade the problem sets with the grader that teachers run."""

from __future__ import annotations

import copy
import gc
import io
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import asdict, dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.utils import determine_grade

from classroom import cases, commands, grading, isolated_kernel
from classroom.cases import Answer, Question, reply, request
from classroom.course import Course, Record
from classroom.reading import prepare
from classroom.run import Examiner, Outcome
from classroom.sandbox import own_folder
from classroom.submission import Limits


def cell(name: str, source: str, make: Any = new_code_cell, **about: Any) -> NotebookNode:
    """Make a cell that the grader knows by its name."""
    kind = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}
    return make(source, metadata={"nbgrader": kind | {"grade_id": name} | about})


def answer_cell(name: str, body: str) -> NotebookNode:
    """Make the cell of a question, with the authors' answer."""
    return cell(name, f"### BEGIN SOLUTION\n{body}\n### END SOLUTION", solution=True)


def check_cell(name: str, source: str) -> NotebookNode:
    """Make the cell of a test for two points."""
    return cell(name, source, grade=True, locked=True, points=2)


def handed_in(course: Course, student: str, content: Any) -> None:
    """Put a notebook, or whatever a student takes for one, where the class has it."""
    path = course.place("submitted", student, "tiny")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@dataclass
class Class:
    """A class in a folder of its own, and what its only student earns."""

    course: Course

    def release(self, name: str) -> NotebookNode:
        """Read what the students get; release the set where that has not been done."""
        path = self.course.folder / "release" / name / f"{name}.ipynb"
        if not path.exists():
            commands.release(self.course, name)
        return nbformat.read(path, as_version=4)

    def grade(
        self, name: str, submission: NotebookNode, sandbox: str = "", limits: Limits | None = None
    ) -> Graded:
        """Grade a submission, its cells run in a kernel in this sandbox, or without one in this process."""
        record = Record("ada", digest="")
        self.course.place("submitted", "ada", name).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(submission, self.course.place("submitted", "ada", name))
        runs = grading.Runs(limits or Limits(), sandbox)
        with self.course.gradebook() as book, own_folder() as stubs, runs as in_kernel:
            sets = {known.name: grading.cells_of_set(book, known.name) for known in book.assignments}
            task = grading.task_of(self.course, sets, "ada", name, str(stubs))
            graded = grading.run_and_judge(record, task, in_kernel if sandbox else in_this_process)
            grading.save_grade(self.course, book, record, name, graded)
        return Graded(nbformat.read(self.course.place("autograded", "ada", name), as_version=4), record)


def in_this_process(task: dict[str, Any]) -> dict[str, Any]:
    """Run a submission as a kernel does, in a fraction of the time; for answers that do no harm."""
    names: dict[str, Any] = {"__name__": "__main__"}
    outcome = Outcome(started=True)
    examiner = Examiner(**task["examiner"])
    checks = Path(task["examiner"]["checks"])
    examiner.questions = questions(checks, checks.read_bytes())
    outcome.notebook = prepare(Path(task["path"]), task["sets"], task["name"])

    without = {
        one.right.__name__: one.without for one in examiner.questions.values() if isinstance(one, Question)
    }

    def ask(name: str, arguments: Any) -> Answer:
        with taken_away(without.get(name, ()) if arguments else ()):
            return reply(isolated_kernel.answer(request(name, arguments), names))

    with redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        for position, cell in enumerate(outcome.notebook.cells):
            if cell.cell_type == "code":
                outcome.outputs[position] = []
                with suppress(Exception):
                    exec(compile(cell.source, f"cell {position + 1}", "exec"), names)
                examiner(cell.metadata.get("nbgrader", {}).get("grade_id", ""), ask, outcome)
    return dict(json.loads(json.dumps(asdict(outcome))))


@cache
def questions(file: Path, _: bytes) -> dict[str, Any]:
    """Load the questions of a set as they stand; each draws its inputs once for a student."""
    found = cases.questions(file)
    drawn: dict[Any, Any] = {}

    def once(draw: Any, seed: Sequence[int], own: dict[str, Any]) -> Any:
        key = (*seed, own.get("STUDENT_ID"))  # the seed tells the question, too
        if key not in drawn:
            drawn[key] = draw(seed, own)
        return drawn[key]

    for question in found.values():
        if isinstance(question, Question):
            object.__setattr__(question, "draw_cases", partial(once, question.draw_cases))
    return found


def refuses(*_: Any, **__: Any) -> None:
    """Stand for a function that a question withholds."""
    raise RuntimeError("this is not there: the question asks you to write it yourself")


@contextmanager
def taken_away(names: Sequence[str]) -> Iterator[None]:
    """Take functions away by whatever name somebody holds them, for as long as an answer runs."""
    kept = [(function, function.__code__) for name in names for function in functions(name)]
    for function, _ in kept:
        function.__code__ = refuses.__code__
    try:
        yield
    finally:
        for function, code in kept:
            function.__code__ = code


@cache
def functions(name: str) -> list[FunctionType]:
    """Find what a name withholds, `module` or `module:function`; copies in closures stay."""
    module, _, function = name.partition(":")
    file = import_module(module).__file__ or ""
    place = str(Path(file).parent) + os.sep if file.endswith("__init__.py") else file
    return [
        one for one in gc.get_objects()
        if type(one) is FunctionType and one.__code__.co_filename.startswith(place)
        and function in ("", one.__name__) and not one.__closure__
    ]  # fmt: skip


@dataclass
class Graded:
    """A submission after the tests have run."""

    notebook: NotebookNode
    record: Record

    @property
    def points(self) -> dict[str, float]:
        """The points of each test by its name; what a person has to read has none yet."""
        points = {name: determine_grade(cell)[0] for name, cell in named(self.notebook, "grade").items()}
        assert self.record.points == sum(points.values())
        return points

    def message(self, test: str) -> str:
        """What a question's verdicts say is wrong."""
        return "\n".join(verdict["fault"] for verdict in self.record.verdicts.get(test, []))


def named(notebook: NotebookNode, kind: str) -> dict[str, NotebookNode]:
    """Return the cells of a kind ("grade", "solution" or "task") by their names."""
    return {
        cell.metadata.nbgrader.grade_id: cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get(kind)
    }


def answered(release: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """Fill in answers by the names of their cells."""
    notebook = copy.deepcopy(release)
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    for name, source in answers.items():
        cells[name].source = source
    return notebook


@cache
def solved(source: Path) -> NotebookNode:
    """Read a problem set as its authors solved it; for looking at, not for changing."""
    return nbformat.read(source, as_version=4)


def solutions(source: Path) -> dict[str, str]:
    """Return the authors' answers by the names of their cells."""
    cells = named(solved(source), "solution")
    return {name: cell.source for name, cell in cells.items()}


def full_marks(source: Path) -> dict[str, float]:
    """Return the points of each test by its name."""
    cells = named(solved(source), "grade")
    return {name: float(cell.metadata.nbgrader.points) for name, cell in cells.items()}


def locked(source: Path) -> dict[str, str]:
    """Return the set's own cells before the questions by their names."""
    cells = named(solved(source), "locked")
    return {
        name: cell.source for name, cell in cells.items() if cell.cell_type == "code" and "test-" not in name
    }


def tasks(source: Path) -> dict[str, NotebookNode]:
    """Return the questions that a person grades, each with its mark scheme, by their names."""
    return named(solved(source), "task")
