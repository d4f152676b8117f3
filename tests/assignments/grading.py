"""Release, answer and grade a problem set with nbgrader's own preprocessors, without its command line."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import nbformat
import numpy as np
import pytest
from nbformat import NotebookNode
from nbgrader import preprocessors as steps
from nbgrader.api import Gradebook
from nbgrader.utils import determine_grade
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENTS = ROOT / "assignments"
BEFORE_SAVING = [
    steps.LockCells, steps.ClearSolutions, steps.ClearOutput, steps.CheckCellMetadata, steps.ComputeChecksums,
]  # fmt: skip
AFTER_SAVING = [steps.ClearHiddenTests, steps.ClearMarkScheme, steps.ComputeChecksums]
GRADING = [
    steps.ClearOutput, steps.DeduplicateIds, steps.OverwriteCells, steps.CheckCellMetadata, steps.Execute,
]  # fmt: skip
STUDENTS = ["ada", "grace", "Zoë Ångström", "0", *(f"{number:06d}" for number in range(100_000, 100_040))]


def problem_sets() -> list[Path]:
    """Every problem set of the course, as its authors solved it."""
    return sorted(ASSIGNMENTS.glob("source/*/*.ipynb"))


def config() -> Config:
    """Read the course's own settings."""
    return PyFileConfigLoader("nbgrader_config.py", path=str(ASSIGNMENTS)).load_config()


@dataclass
class Course:
    """One problem set with a gradebook of its own, as a teacher has it."""

    source: Path
    gradebook: Path

    @property
    def resources(self) -> dict[str, object]:
        return {
            "nbgrader": {
                "db_url": f"sqlite:///{self.gradebook}",
                "course": "calibration_lessons",
                "assignment": self.source.parent.name,
                "notebook": self.source.stem,
            },
            "metadata": {"path": str(self.gradebook.parent)},
            "unique_key": self.source.stem,
        }

    def _through(self, notebook: NotebookNode, chain: list[type[steps.NbGraderPreprocessor]]) -> NotebookNode:
        for step in chain:
            notebook, _ = step(config=config()).preprocess(notebook, self.resources)
        return notebook

    def release(self) -> NotebookNode:
        """Make the notebook that the students get, and keep the hidden tests in the gradebook."""
        with Gradebook(f"sqlite:///{self.gradebook}", "calibration_lessons") as book:
            book.update_or_create_assignment(self.source.parent.name, course_id="calibration_lessons")
        notebook = self._through(nbformat.read(self.source, as_version=4), BEFORE_SAVING)
        kept = copy.deepcopy(notebook)
        self._through(kept, [steps.SaveCells])
        return self._through(notebook, AFTER_SAVING)

    def grade(self, submission: NotebookNode) -> Graded:
        """Run a submission with the hidden tests put back."""
        return Graded(nbformat.from_dict(self._through(copy.deepcopy(submission), GRADING)))


@dataclass
class Graded:
    """A submission after the tests have run."""

    notebook: NotebookNode

    @property
    def points(self) -> dict[str, float]:
        """The points of each test by its name; what a person has to read has none yet."""
        return {name: determine_grade(cell)[0] for name, cell in named(self.notebook, "grade").items()}

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

    @pytest.mark.kernel
    def test_each_wrong_answer_loses_its_points_and_no_others_and_hears_why(
        self, course, release, mistakes, record_property
    ):
        answers = {name: answer for name, (answer, _) in mistakes.items()}
        graded = course.grade(answered(release, solutions(self.source) | answers))
        record_property("points", graded.points)
        assert graded.points == full_marks(self.source) | {f"test-{name}": 0 for name in mistakes}
        for name, (_, hint) in mistakes.items():
            assert hint in graded.message(f"test-{name}")

    @pytest.mark.kernel
    def test_right_answers_written_another_way_earn_full_marks(
        self, course, release, answers, record_property
    ):
        graded = course.grade(answered(release, solutions(self.source) | answers))
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
