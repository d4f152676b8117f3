"""Every problem set: its solution earns all points, its release none, and gives nothing away."""

import csv
import re

import nbformat
import numpy as np
import pytest

from classroom.course import ASSIGNMENTS, Course
from tests.assignments.grading import Class, answered, full_marks, named, solutions, solved, tasks
from tests.book.test_lengths import HOURS, INTRO, WORDS
from tools.binding.lengths import answer_minutes, problem_sets, set_minutes
from tools.binding.pages import PARTS, ROOT

each_set = pytest.mark.parametrize("source", problem_sets(), ids=lambda source: source.stem)


@pytest.mark.kernel
@each_set
def test_the_authors_answers_earn_full_marks_in_a_kernel_or_not(classroom, source):
    submission = answered(classroom.release(source.stem), solutions(source))
    for sandbox in ("none", ""):
        assert classroom.grade(source.stem, submission, sandbox).points == full_marks(source)


@each_set
def test_the_untouched_release_runs_and_earns_nothing(classroom, source):
    graded = classroom.grade(source.stem, classroom.release(source.stem))
    assert graded.points == dict.fromkeys(full_marks(source), 0)


@each_set
def test_the_release_holds_no_solution_no_hidden_test_and_no_output(classroom, source):
    release = classroom.release(source.stem)
    text = nbformat.writes(release)
    assert not any(mark in text for mark in ("SOLUTION", "HIDDEN", "MARK SCHEME", "digest"))
    for answer in solutions(source).values():
        body = answer.partition("### BEGIN SOLUTION")[2].partition("### END SOLUTION")[0].strip()
        assert body and body not in "\n".join(cell.source for cell in release.cells)
    assert not any(cell.get("outputs") for cell in release.cells)
    assert [path.name for path in (classroom.course.folder / "release" / source.stem).iterdir()] == [
        source.name
    ]


@pytest.mark.parametrize("source", [*filter(tasks, problem_sets())], ids=lambda source: source.stem)
def test_a_mark_scheme_is_kept_from_students_and_shown_to_the_person_who_grades(classroom, source):
    release = classroom.release(source.stem)
    graded = classroom.grade(source.stem, release)
    assert all(f"{name}: not answered" in graded.record.remarks for name in tasks(source))
    for name, cell in tasks(source).items():
        question, _, scheme = cell.source.partition("### BEGIN MARK SCHEME")
        assert scheme.count(". *") == cell.metadata.nbgrader.points  # a line of the scheme for each point
        assert named(release, "task")[name].source.strip() == question.strip()
        assert named(graded.notebook, "task")[name].source == cell.source


@each_set
def test_two_releases_have_the_same_bytes(classroom, source, tmp_path):
    again = Class(Course(tmp_path)).release(source.stem)
    assert nbformat.writes(classroom.release(source.stem)) == nbformat.writes(again)


@each_set
def test_the_points_make_twenty_to_forty_and_the_text_and_each_heading_say_so(source):
    cells = solved(source).cells
    points = [cell.metadata.get("nbgrader", {}).get("points") for cell in cells]
    said = re.findall(r"^## \d+\. .* \((\d+) points\)$", "\n".join(cell.source for cell in cells), re.M)
    assert [int(number) for number in said] == [number for number in points if number]
    total = sum(map(int, said))
    assert 20 <= total <= 40 and f"{total:.0f} points" in cells[0].source
    assert len(tasks(source)) == 1, "every set asks once for meaning in words"


@each_set
def test_a_set_says_the_minutes_of_the_rule(source):
    said = re.search(r"Time: about (\d+)\s+minutes", solved(source).cells[0].source)
    assert said and int(said[1]) == set_minutes(solved(source))


def test_the_page_for_teachers_says_the_hours_of_all_sets():
    page = (ROOT / "book/teaching/assignments.md").read_text(encoding="utf-8")
    minutes = sum(set_minutes(solved(source)) for source in problem_sets())
    assert f"the five sets take about {minutes / 60:.0f} hours" in page
    said = re.search(HOURS, " ".join(INTRO.split()))
    words = [f"{said[at]}{said[at + 1] or ''}" for at in (2, 4)]
    assert "With {} hours of reading and {} of exercises".format(*words) in " ".join(page.split())
    others = sum(WORDS[said[at]] + bool(said[at + 1]) / 2 for at in (2, 4))
    assert f"some {minutes / 60 + others:.0f} hours" in page


def test_the_rule_of_the_minutes_goes_with_the_lines_of_the_trial_reader_as_the_page_says():
    minutes = {
        (source.stem, question): of
        for source in problem_sets()
        for question, of in answer_minutes(solved(source)).items()
    }
    with (ROOT / "tools/binding/trial_reader.csv").open(encoding="utf-8") as file:
        record = list(csv.DictReader(file))
    coded = [row for row in record if row["lines_written"] != "0"]
    lines, points = (np.array([int(row[name]) for row in coded]) for name in ("lines_written", "points"))
    rule = np.array([minutes[row["set"], row["question"]] for row in coded])
    looked_up = np.mean([int(row["words_looked_up"]) for row in record])
    agreement = [f"{np.corrcoef(lines, of)[0, 1]:.2f}" for of in (rule, points)]
    page = (ROOT / "book/teaching/assignments.md").read_text(encoding="utf-8")
    said = r"its (\d+) answers .*?correlation ([\d.]+).*?hardly do \(([\d.]+)\).*?looked up (\d+) words"
    assert (place := re.search(said, page, re.S)) and list(place.groups()) == [
        str(len(coded)),
        *agreement,
        f"{looked_up:.0f}",
    ]


@each_set
def test_no_question_asks_for_more_than_eight_minutes_a_point(source):
    minutes = answer_minutes(solved(source))
    points = {
        cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.points
        for cell in solved(source).cells
        if cell.metadata.get("nbgrader", {}).get("points")
    }
    dear = {name: of / points[name] for name, of in minutes.items() if of / points[name] > 8}
    assert minutes.keys() == points.keys() and not dear, "give it more points, or ask for less"


def test_the_page_for_teachers_names_every_question_and_every_lesson():
    page = (ASSIGNMENTS.parent / "book/teaching/assignments.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \{doc\}`\.\./(\w+/\w+)` \| (.+) \|$", page, re.M)
    named = [(name, number) for _, row in rows for name, numbers in re.findall(r"\*(\w+)\* ([\d, ]+)", row)
             for number in numbers.split(", ")]  # fmt: skip
    asked = {
        (source.stem, number)
        for source in problem_sets()
        for cell in solved(source).cells
        for number in re.findall(r"^## (\d+)\. ", cell.source, re.M)
    }
    assert set(named) == asked
    toc = (ASSIGNMENTS.parent / "_toc.yml").read_text(encoding="utf-8")
    lessons = re.findall(rf"file: book/((?:{'|'.join(PARTS)})/\w+)", toc)
    said = "give each lesson a row on the page of assignments, `none yet` where no question asks about it"
    assert [lesson for lesson, _ in rows] == lessons, said
