"""Release, answer and grade a problem set with nbgrader's own preprocessors, without its command line."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import nbformat
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

    def graded(self, submission: NotebookNode) -> NotebookNode:
        """Run a submission with the hidden tests put back."""
        return nbformat.from_dict(self._through(copy.deepcopy(submission), GRADING))

    def grade(self, submission: NotebookNode) -> dict[str, float]:
        """Return the points of each test of a submission by its name."""
        return points(self.graded(submission))


def points(graded: NotebookNode) -> dict[str, float]:
    """Return the points of each test of a graded notebook by its name."""
    return {
        cell.metadata.nbgrader.grade_id: determine_grade(cell)[0]
        for cell in graded.cells
        if cell.metadata.get("nbgrader", {}).get("grade")
    }


def complaints(graded: NotebookNode) -> dict[str, str]:
    """Return what each failed test of a graded notebook says, by its name."""
    return {
        cell.metadata.nbgrader.grade_id: f"{output.ename}: {output.evalue}"
        for cell in graded.cells
        if cell.metadata.get("nbgrader", {}).get("grade")
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    }


def answered(release: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """Fill in answers by the names of their cells."""
    notebook = copy.deepcopy(release)
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    for name, source in answers.items():
        cells[name].source = source
    return notebook


def solutions(source: Path) -> dict[str, str]:
    """Return the authors' answers by the names of their cells."""
    notebook = nbformat.read(source, as_version=4)
    return {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }


def full_marks(source: Path) -> dict[str, float]:
    """Return the points of each test by its name."""
    notebook = nbformat.read(source, as_version=4)
    return {
        cell.metadata.nbgrader.grade_id: float(cell.metadata.nbgrader.points)
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade")
    }
