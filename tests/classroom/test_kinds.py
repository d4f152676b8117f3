"""Kinds of submissions that a class hands in, each with the points that it deserves.

The submissions stand in `tests/assignments/submissions`, a table each, with a table for each answer: those of
`SET.toml` are always tried, of those of `SET-class.toml` a sixth, and all by `make check-class`, with those
of `kernel.toml`. What a submission does not name is answered as the authors answer it, and earns its full
points, as does an answer without `points`; "fewer" are some or none. The kinds that attack the machinery
itself stand in `test_grading.py`: they need a sandbox.
"""

import copy
import os
import tomllib
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from classroom.course import ASSIGNMENTS
from classroom.submission import Limits
from tests.assignments.grading import answered, full_marks, named, solutions
from tools.binding.lengths import problem_sets

SUBMISSIONS = Path(__file__).parents[1] / "assignments/submissions"
SETS = [path.stem for path in problem_sets()]
ALL = "STUDENTS" in os.environ  # make check-class
BELOW = ("best-paid", "parts", "furthest")


def submissions(name):
    """The submissions of a file, each with its answers by their questions."""
    return tomllib.loads((SUBMISSIONS / f"{name}.toml").read_text(encoding="utf-8"))


ALWAYS = [(which, name, given) for which in SETS for name, given in submissions(which).items()]
CLASS = [(which, name, given) for which in SETS for name, given in submissions(f"{which}-class").items()]
IN_A_KERNEL = submissions("kernel")
TRIED = ALWAYS + CLASS[:: 1 if ALL else 6]


def source_of(which):
    return ASSIGNMENTS / f"source/{which}/{which}.ipynb"


def handed_in(classroom, which, given):
    """The authors' answers with these in place of some, and a cell more where there is one."""
    answers = {question: one["answer"] for question, one in given.items() if question != "extra-cell"}
    sheet = answered(classroom.release(which), solutions(source_of(which)) | answers)
    if "extra-cell" in given:
        sheet.cells.insert(2, new_code_cell(given["extra-cell"]["answer"]))
    return sheet


def earns(graded, which, given):
    """Hold a grade to what a submission deserves, and its faults to be told."""
    told = graded.record.verdicts
    for test, full in full_marks(source_of(which)).items():
        expected = given.get(test.removeprefix("test-"), {}).get("points", full)
        if expected == "fewer":
            assert graded.points[test] < full, told
        else:
            assert graded.points[test] == expected, told
        assert graded.points[test] == full or test not in told or graded.message(test), test


@pytest.mark.parametrize("which, name, given", TRIED, ids=[f"{which}-{name}" for which, name, _ in TRIED])
def test_each_kind_earns_what_it_deserves_and_hears_why(classroom, which, name, given):
    earns(classroom.grade(which, handed_in(classroom, which, given)), which, given)


def from_an_editor(notebook):
    """What Colab and VS Code leave, and an answer that became text."""
    notebook.metadata = {"colab": {"provenance": []}, "accelerator": "GPU", "kernelspec": {"name": "python3"}}
    notebook.nbformat_minor = 0
    for number, cell in enumerate(notebook.cells):
        cell.pop("id")
        cell.metadata |= {"id": f"Xy{number}", "vscode": {"languageId": "python"}}
        cell.source = cell.source.replace("\n", "\r\n")
        if cell.cell_type == "code":
            cell.execution_count = 900 - number
    named(notebook, "solution")["curve"].cell_type = "markdown"
    notebook.cells.insert(1, new_markdown_cell("Open in Colab", metadata={"id": "view-in-github"}))
    notebook.cells.insert(4, new_code_cell("!pip install calibration-lessons"))


def cells_moved(notebook):
    names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    split = notebook.cells[names.index("ece")]
    first_half = copy.deepcopy(split)
    first_half.source, first_half.id = "import numpy as np", "half"
    merged, second = notebook.cells[names.index("counts")], notebook.cells[names.index("curve")]
    merged.source += f"\n\n{second.source}"
    block = notebook.cells[names.index("q-outcomes") : names.index("test-outcomes") + 1]
    rest = [one for one in notebook.cells if one is not second and not any(one is moved for moved in block)]
    rest.insert(rest.index(split), first_half)
    notebook.cells = rest[:5] + block + rest[5:] + [new_code_cell(split.source, metadata=split.metadata)]


@pytest.mark.parametrize("change", [from_an_editor, cells_moved])
def test_right_answers_keep_their_points_in_a_notebook_that_was_changed(classroom, change):
    submission = handed_in(classroom, "measures", {})
    change(submission)
    earns(classroom.grade("measures", submission), "measures", {})


def test_a_sheet_names_what_each_question_withholds(classroom):
    withheld = classroom.release("calibrators").metadata.withheld
    assert "calibration_lessons.measures.proper_scores:negative_log_likelihood" in withheld["nll"]
    assert "judge" not in withheld


@pytest.mark.parametrize("name", IN_A_KERNEL)
@pytest.mark.skipif(not ALL, reason="make check-class")
def test_each_kind_that_needs_a_kernel_earns_what_it_deserves(classroom, name):
    kind = IN_A_KERNEL[name]
    given = kind.get("answers", {})
    if kind.get("nothing-below"):  # the right answers below a question whose kernel ended
        answers = solutions(source_of(kind["set"]))
        given |= {question: {"answer": answers[question], "points": 0} for question in BELOW}
    submission = handed_in(classroom, kind["set"], given)
    submission.cells.insert(0, new_code_cell(kind.get("extra-cell", "")))
    earns(classroom.grade(kind["set"], submission, kind["sandbox"], Limits(cell=20)), kind["set"], given)
