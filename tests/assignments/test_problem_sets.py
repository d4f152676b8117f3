"""Every problem set: its solution earns all points, its release none, and gives nothing away."""

import re
from pathlib import Path

import nbformat
import pytest

from tests.assignments.grading import Course, answered, full_marks, named, problem_sets, solutions, tasks

SETS = [pytest.param(path, id=path.parent.name) for path in problem_sets()]
WITH_TASKS = [pytest.param(path, id=path.parent.name) for path in problem_sets() if tasks(path)]


@pytest.fixture
def course(request: pytest.FixtureRequest, tmp_path: Path) -> Course:
    return Course(request.param, tmp_path / "gradebook.db")


@pytest.mark.kernel
@pytest.mark.parametrize("course", SETS, indirect=True)
def test_the_authors_answers_earn_full_marks(course):
    submission = answered(course.release(), solutions(course.source))
    assert course.grade(submission).points == full_marks(course.source)


@pytest.mark.kernel
@pytest.mark.parametrize("course", SETS, indirect=True)
def test_the_untouched_release_runs_and_earns_nothing(course):
    graded = course.grade(course.release())
    assert graded.points == dict.fromkeys(full_marks(course.source), 0)


@pytest.mark.parametrize("course", SETS, indirect=True)
def test_the_release_holds_no_solution_no_hidden_test_and_no_output(course):
    release = course.release()
    text = nbformat.writes(release)
    assert not any(mark in text for mark in ("SOLUTION", "HIDDEN", "MARK SCHEME", "digest"))
    for answer in solutions(course.source).values():
        body = answer.partition("### BEGIN SOLUTION")[2].partition("### END SOLUTION")[0].strip()
        assert body and body not in "\n".join(cell.source for cell in release.cells)
    assert not any(cell.get("outputs") for cell in release.cells)


@pytest.mark.kernel
@pytest.mark.parametrize("course", WITH_TASKS, indirect=True)
def test_a_mark_scheme_is_kept_from_students_and_shown_to_the_person_who_grades(course):
    release = course.release()
    graded = course.grade(release).notebook
    for name, cell in tasks(course.source).items():
        question, _, scheme = cell.source.partition("### BEGIN MARK SCHEME")
        assert scheme.count(". *") == cell.metadata.nbgrader.points  # a line of the scheme for each point
        assert named(release, "task")[name].source.strip() == question.strip()
        assert named(graded, "task")[name].source == cell.source


@pytest.mark.parametrize("course", SETS, indirect=True)
def test_two_releases_have_the_same_bytes(course, tmp_path):
    again = Course(course.source, tmp_path / "another.db")
    assert nbformat.writes(course.release()) == nbformat.writes(again.release())


@pytest.mark.parametrize("course", SETS, indirect=True)
def test_the_points_make_twenty_to_thirty_and_the_text_says_so(course):
    total = sum(full_marks(course.source).values())
    total += sum(cell.metadata.nbgrader.points for cell in tasks(course.source).values())
    first = nbformat.read(course.source, as_version=4).cells[0].source
    assert 20 <= total <= 30 and f"{total:.0f} points" in first


@pytest.mark.parametrize("course", SETS, indirect=True)
def test_each_heading_says_the_points_of_its_question(course):
    cells = nbformat.read(course.source, as_version=4).cells
    said = re.findall(r"^## \d+\. .* \((\d+) points\)$", "\n".join(cell.source for cell in cells), re.M)
    points = [cell.metadata.get("nbgrader", {}).get("points") for cell in cells]
    assert [int(number) for number in said] == [number for number in points if number]
