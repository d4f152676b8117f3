"""The teacher's sheet and page: their commands lead from a release to made-up students' grades."""

import re
import shlex
from pathlib import Path

import pytest

from classroom.__main__ import main
from classroom.course import ASSIGNMENTS
from classroom.downloads import MADE_UP
from classroom.platforms import table
from classroom.sandbox import working_sandbox
from classroom.submission import ROOT
from tests.assignments.grading import full_marks, solutions, tasks
from tools.site import class_edition

TEACHING = ROOT / "book/teaching"
SHEET, PAGE = ((TEACHING / f"{name}.md").read_text("utf-8") for name in ("afternoon", "assignments"))
TOOL = [".venv/bin/python", "-m", "classroom"]
SOURCE = ASSIGNMENTS / "source/measures/measures.ipynb"


def commands(page):
    """A page's commands for the shell, one a line, but for the environment's."""
    lines = [line for block in re.findall(r"```bash\n(.+?)```", page, re.S) for line in block.splitlines()]
    return [shlex.split(line) for line in lines if line != "make setup"]


@pytest.fixture(scope="module")
def afternoon(tmp_path_factory):
    if working_sandbox() == "none":
        pytest.skip("no bubblewrap works here")
    clone = tmp_path_factory.mktemp("afternoon") / "clone"
    clone.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(clone)
        for command in commands(SHEET):
            assert command[:3] == TOOL
            within = ["--cell-seconds", "5"] if "afternoon" in command else []  # one of them never ends
            main([*command[3:], *within])
        sheets = clone.parent / "autumn/grades-measures-moodle.csv"
        sheets.rename(sheets.with_name("sheet.csv"))
        edition, *others = commands(PAGE)
        assert edition[:2] == [".venv/bin/python", "tools/site/class_edition.py"]
        print(class_edition.student_edition(Path(edition[2])))
        for command in others:
            assert command[:3] == TOOL
            main(command[3:])
    return clone.parent / "autumn"


@pytest.mark.kernel
class TestAfternoon:
    def test_every_student_gets_the_points_of_the_questions_that_are_answered(self, afternoon):
        rows = table(afternoon / "grades-measures-moodle.csv")
        points = {row["Full name"]: row["Grade"] for row in rows}
        marks = full_marks(SOURCE)
        answers = [name for name in solutions(SOURCE) if name != "student"]
        read = sum(cell.metadata.nbgrader.points for cell in tasks(SOURCE).values())  # no points as yet
        assert {row["Maximum grade"] for row in rows} == {f"{sum(marks.values()) + read:g}"}
        assert points["Ada Lovelace"] == f"{sum(marks.values()):g}"
        assert list(points) == sorted(points, key=MADE_UP.index) and len(points) == len(MADE_UP) == 12
        for student, left_out in zip(MADE_UP[1:], answers, strict=False):
            assert float(points[student]) == sum(marks.values()) - marks[f"test-{left_out}"]

    def test_the_torn_file_and_the_loop_are_reported_as_the_page_shows(self, afternoon):
        report = (afternoon / "report-measures.txt").read_text(encoding="utf-8")
        for number, told in re.findall(r"^\[\d+/12\] (\d+): ([^(\n]+[^(\s])", PAGE, re.M):
            assert re.search(rf"^{number} \(.+\): {re.escape(told)}", report, re.M)

    def test_the_one_command_of_the_sheet_gives_the_grades_of_the_pages_many(self, afternoon):
        sheet, page = (table(afternoon / f"{name}.csv") for name in ("sheet", "grades-measures-moodle"))
        grades = [[(row["Full name"], row["Grade"]) for row in rows] for rows in (sheet, page)]
        assert grades[0] == grades[1] and len(sheet) == 12
        assert {row["ID number"] for row in sheet} == {str(1000 + number) for number in range(12)}

    def test_each_graded_student_has_a_page_of_feedback(self, afternoon):
        assert len(list(afternoon.glob("feedback/*/measures/*.html"))) == 11
