"""Every problem set: its solution earns all points, its release none, and gives nothing away."""

from pathlib import Path

import nbformat
import pytest

from tests.assignments.grading import Course, answered, full_marks, problem_sets, solutions

SETS = [pytest.param(path, id=path.parent.name) for path in problem_sets()]


@pytest.fixture
def course(request: pytest.FixtureRequest, tmp_path: Path) -> Course:
    return Course(request.param, tmp_path / "gradebook.db")


@pytest.mark.kernel
@pytest.mark.parametrize("course", SETS, indirect=True)
def test_the_authors_answers_earn_full_marks(course):
    submission = answered(course.release(), solutions(course.source))
    assert course.grade(submission) == full_marks(course.source)


@pytest.mark.kernel
@pytest.mark.parametrize("course", SETS, indirect=True)
def test_the_untouched_release_runs_and_earns_nothing(course):
    points = course.grade(course.release())
    assert points == dict.fromkeys(full_marks(course.source), 0)


@pytest.mark.parametrize("course", SETS, indirect=True)
def test_the_release_holds_no_solution_no_hidden_test_and_no_output(course):
    release = course.release()
    text = nbformat.writes(release)
    assert "SOLUTION" not in text and "HIDDEN" not in text
    for answer in solutions(course.source).values():
        body = answer.partition("### BEGIN SOLUTION")[2].partition("### END SOLUTION")[0].strip()
        assert body and body not in "\n".join(cell.source for cell in release.cells)
    assert not any(cell.get("outputs") for cell in release.cells)


@pytest.mark.parametrize("course", SETS, indirect=True)
def test_two_releases_have_the_same_bytes(course, tmp_path):
    again = Course(course.source, tmp_path / "another.db")
    assert nbformat.writes(course.release()) == nbformat.writes(again.release())


@pytest.mark.parametrize("course", SETS, indirect=True)
def test_the_points_make_twenty_to_thirty_and_the_text_says_so(course):
    total = sum(full_marks(course.source).values())
    first = nbformat.read(course.source, as_version=4).cells[0].source
    assert 20 <= total <= 30 and f"{total:.0f} points" in first
