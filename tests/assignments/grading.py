"""Release, answer and grade the problem sets with the grader that teachers run."""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import nbformat
import numpy as np
import pytest
from nbformat import NotebookNode
from nbgrader.utils import determine_grade

from classroom import commands, grading
from classroom.course import ASSIGNMENTS, Course, Record
from classroom.submission import Limits, error

STUDENTS = ["ada", "grace", "Zoë Ångström", "0", *(f"{number:06d}" for number in range(100_000, 100_040))]


def problem_sets() -> list[Path]:
    """Every problem set of the course, as its authors solved it."""
    return sorted(ASSIGNMENTS.glob("source/*/*.ipynb"))


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

    def grade(self, name: str, submission: NotebookNode, in_a_kernel: bool = False) -> Graded:
        """Grade a submission, its cells run in this process or in a kernel without a sandbox."""
        run = partial(grading.executed, self.course, Limits(), "none") if in_a_kernel else in_this_process
        record = Record("ada", digest="")
        self.course.submission("ada", name).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(submission, self.course.submission("ada", name))
        with self.course.gradebook() as book:
            notebook = grading.prepared(self.course, book, "ada", name)
            grading.saved(self.course, book, record, name, grading.grade(notebook, record, run))
        return Graded(nbformat.read(self.course.graded("ada", name), as_version=4), record)


def in_this_process(notebook: NotebookNode) -> dict[str, Any]:
    """Run a prepared notebook as a kernel does, in a fraction of the time; for answers that do no harm."""
    names: dict[str, Any] = {"__name__": "__main__"}
    outputs: dict[str, list[dict[str, Any]]] = {}
    with redirect_stdout(io.StringIO()), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        for position, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                said = outputs[str(position)] = []
                try:
                    exec(compile(cell.source, f"cell {position + 1}", "exec"), names)
                except Exception as fault:
                    said.append(error(type(fault).__name__, str(fault)))
                text = "".join(f"{warning.message}\n" for warning in warned)
                said += [{"output_type": "stream", "name": "stderr", "text": text}] if text else []
                warned.clear()
    return {"started": True, "outputs": outputs, "timed_out": [], "stopped": ""}


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
        """What a failed test says in its last line."""
        outputs = named(self.notebook, "grade")[test].outputs
        return "\n".join(output.evalue for output in outputs if output.output_type == "error")


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


def tasks(source: Path) -> dict[str, NotebookNode]:
    """Return the questions that a person grades, each with its mark scheme, by their names."""
    return named(solved(source), "task")


class ProblemSet:
    """The tests of one problem set; a subclass in a test file names the set and holds answers to it."""

    source: ClassVar[Path]
    wrong: ClassVar[dict[str, dict[str, tuple[str, str]]]]
    """Submissions; each wrong in some questions, with the answer and what the failed test says."""
    right: ClassVar[dict[str, dict[str, str]]]
    """Submissions that answer some questions in another way than the authors."""
    by_hand: ClassVar[Sequence[str]]
    """The questions about numbers of the student's own."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each submission a test of its own."""
        for name, submissions in (("mistakes", self.wrong), ("answers", self.right)):
            if name in metafunc.fixturenames:
                metafunc.parametrize(name, submissions.values(), ids=submissions)

    @property
    def name(self) -> str:
        """The set's name."""
        return self.source.stem

    def answered(self, classroom: Class, answers: dict[str, str]) -> NotebookNode:
        """Fill the authors' answers into the release, and these in place of some."""
        return answered(classroom.release(self.name), solutions(self.source) | answers)

    def test_each_wrong_answer_loses_its_points_and_no_others_and_hears_why(
        self, classroom, mistakes, record_property
    ):
        answers = {name: answer for name, (answer, _) in mistakes.items()}
        graded = classroom.grade(self.name, self.answered(classroom, answers))
        record_property("points", graded.points)
        assert graded.points == full_marks(self.source) | {f"test-{name}": 0 for name in mistakes}
        for name, (_, hint) in mistakes.items():
            assert hint in graded.message(f"test-{name}")

    @pytest.mark.kernel
    def test_right_answers_written_another_way_earn_full_marks(self, classroom, answers, record_property):
        graded = classroom.grade(self.name, self.answered(classroom, answers), in_a_kernel=True)
        record_property("points", graded.points)
        assert graded.points == full_marks(self.source)

    def test_every_question_is_missed_in_three_ways_or_more(self):
        assert len(self.wrong) >= 6 and len(self.right) >= 2
        assert all(len(mistakes) > 1 for mistakes in self.wrong.values())
        for test in full_marks(self.source):
            question = test.removeprefix("test-")
            ways = {mistakes[question][0] for mistakes in self.wrong.values() if question in mistakes}
            assert len(ways) >= 3, f"{question} is missed in {len(ways)} ways"

    def test_answers_by_hand_are_graded_right_for_every_student(self):
        for question in self.by_hand:
            wrong = [mistakes[question][0] for mistakes in self.wrong.values() if question in mistakes]
            typed = {student: self.typed(student, question) for student in STUDENTS}
            for student, answer in typed.items():
                assert self.accepts(student, question, answer)
                refused = [not self.accepts(student, question, another) for another in wrong]
                assert all(refused), f"{student} gets points for {wrong[refused.index(False)]}"
            copied = [self.accepts(one, question, typed[other]) for one, other in pairwise(STUDENTS)]
            assert np.mean(copied) < 0.1

    def typed(self, student: str, question: str) -> str:
        """Answer as a student does who works it out and types three decimals."""
        before, after = self.run(student), self.run(student, solutions(self.source)[question])
        numbers = {name: value for name, value in after.items() if name not in before and np.ndim(value) == 0}
        return "\n".join(f"{name} = {value:.3f}" for name, value in numbers.items())

    def accepts(self, student: str, question: str, answer: str) -> bool:
        """Tell whether the tests of a question pass a student's answer."""
        cells = named(solved(self.source), "grade")
        try:
            self.run(student, answer, cells[f"test-{question}"].source)
        except AssertionError:
            return False
        return True

    def run(self, student: str, *sources: str) -> dict[str, Any]:
        """Run the first cells of the set for a student, then others; return the names that they bind."""
        first = named(solved(self.source), "locked")
        names: dict[str, Any] = {}
        with warnings.catch_warnings():
            exec(first["imports"].source, names)
            for source in (f"STUDENT_ID = {student!r}", first["numbers"].source, *sources):
                exec(source, names)
        return names
