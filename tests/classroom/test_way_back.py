"""The way back: rosters, late days, groups, marks by hand, feedback and tables as the platforms read them."""

import csv
import io
import os
import re
import shutil
import signal
import time
import tomllib
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path
from unicodedata import normalize

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from classroom import __main__, commands, grading, platforms, returns, roster
from classroom.course import Course, read_record
from classroom.downloads import collect
from classroom.platforms import TABLES, table, write_table
from classroom.similarity import similar
from classroom.submission import ROOT, Limits
from tests.assignments.grading import answer_cell, answered, cell, check_cell, handed_in, in_this_process
from tools.site import class_edition

TABLE = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
SENT, LISTED = TABLE["downloads"], TABLE["rosters"]
LETTER = "*Your answer: double-click here.*"
READ = "Dear head,\n\nmend them."
LONG = "def area(x, y):\n    total = 0.0\n    for i in range(len(x) - 1):\n" + "".join(
    f"        {name} = x[i + {number}] - x[i] if y[i] > {number} else y[i] * {number + 2}\n"
    f"        total += {name}\n"
    for number, name in enumerate(("width", "height", "rest"))
)
OTHER = "def area(x, y):\n    import numpy as np\n" + "".join(
    f"    part{number} = np.sum(np.where(np.asarray(y) > {number}, np.diff(x), {number}))\n"
    for number in range(6)
) + "    return max(part0, part1, part2) / (1 + part3) ** 2 - part4 * part5"  # fmt: skip
CHECKS = f"""
from classroom.cases import Case, Question, Words

def double(x):
    return 2 * x

{LONG}    return total

QUESTIONS = [
    Question("double", double, [
        Case("a plain number", 1, lambda rng, own: [(3.0,)], shown=True),
        Case("the hidden idea", 1, lambda rng, own: [(float(rng.integers(1000, 9999)),)]),
    ], {{}}, fixed=True),
    Words("words", {{"a": ("secretkey", "because the key is secret")}}, {{"a": 2}}),
]
"""


SHEET = [
    answer_cell("student", "STUDENT_ID = 'ada'"),
    answer_cell("double", "def double(x):\n    return 2 * x"),
    check_cell("test-double", "assert double(1) == 2"),
    answer_cell("words", "words = {'a': 'secretkey'}"),
    check_cell("test-words", "assert set(words) == {'a'}"),
    answer_cell("area", f"{LONG}    return total"),
    cell(
        "letter", "Write a letter.\n### BEGIN MARK SCHEME\nthe model letter\n### END MARK SCHEME",
        new_markdown_cell, task=True, points=4, locked=True,
    ),
    new_markdown_cell(LETTER),
]  # fmt: skip


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    made = Course(folder / "class", folder / "sources")
    for name in ("tiny", "next"):
        (made.sources / name).mkdir(parents=True)
        (made.sources / name / "checks.py").write_text(CHECKS, encoding="utf-8")
        nbformat.write(new_notebook(cells=SHEET), made.sources / name / f"{name}.ipynb")
    commands.release(made, "tiny")
    return folder


@pytest.fixture
def course(released, tmp_path, monkeypatch):
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(grading.Runs, "__call__", lambda _, task: in_this_process(task))
    return Course(tmp_path / "class", tmp_path / "sources")


def work(course, student, double="def double(x):\n    return 2 * x", letter="", words="secretkey", area=LONG):
    release = nbformat.read(course.folder / "release/tiny/tiny.ipynb", as_version=4)
    answers = {"student": f"STUDENT_ID = {student!r}", "double": double, "area": area + "\n    return total"}
    sheet = answered(release, answers | {"words": f"words = {{'a': {words!r}}}"})
    sheet.cells[-1].source = letter or LETTER
    return nbformat.writes(sheet)


def zipped(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def grade(course, **options):
    return commands.grade(course, "tiny", Limits(), "none", jobs=1, **options)


def report(course):
    return (course.folder / "report-tiny.txt").read_text(encoding="utf-8")


def exported(course, platform="plain", **options):
    returns.export(course, "tiny", platform, course.folder / "out.csv", **options)
    with (course.folder / "out.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def points(course, **options):
    return {line[0]: line[2] for line in exported(course, **options)[1:]}


def worksheet(path, *students):
    head = ["Identifier", "Full name", "ID number", "Email address", "Status", "Group", "Grade",
            "Maximum Grade", "Last modified (submission)", "Last modified (grade)",
            "Feedback comments"]  # fmt: skip
    lines = [
        [f"Participant {number}", name, student, f"{student}@x.edu", "", "", "", "8.00", sent, "-", ""]
        for number, name, student, sent in students
    ]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *lines])
    return path


ADA = (101, "Ada Lovelace", "7001", "Monday, 30 November 2026, 11:50 PM")
GRACE = (102, "Grace Hopper", "7002", "Wednesday, 2 December 2026, 8:00 AM")
EMMY = (103, "Emmy Noether", "7003", "-")


@pytest.fixture
def moodle(course, tmp_path):
    sent = {f"{name}_{number}_assignsubmission_file_/tiny.ipynb": work(course, student)
            for number, name, student, *_ in (ADA, GRACE)}  # fmt: skip
    sheet = worksheet(tmp_path / "worksheet.csv", ADA, GRACE, EMMY)
    collect(course, "tiny", zipped(tmp_path / "moodle.zip", sent), sheet)
    grade(course)
    return course


def by_number(lines, key="Identifier", grade="Grade"):
    """Grades by the number that the importer looks for."""
    head, *rows = lines
    return {int(row[head.index(key)].split()[-1]): row[head.index(grade)] for row in rows}


class TestMoodle:
    def test_the_worksheet_is_what_the_importer_asks_for_and_leaves_comments_alone(self, moodle):
        lines = exported(moodle, "moodle")  # Moodle's `assignfeedback_offline_grade_importer` reads it
        assert lines[0] == ["Identifier", "Full name", "ID number", "Email address", "Grade",
                            "Maximum grade", "Last modified (grade)"]  # fmt: skip
        ada = ["Participant 101", "Ada Lovelace", "7001", "7001@x.edu", "4", "8"]
        assert lines[1][:6] == ada and datetime.strptime(lines[1][6], "%A, %d %B %Y, %I:%M %p")
        assert by_number(lines) == {101: "4", 102: "4", 103: ""}
        assert by_number(exported(moodle, "moodle", zero=True))[103] == "0"

    def test_who_is_refused_gets_an_empty_field_and_no_zero(self, moodle):
        handed_in(moodle, "7002", "torn")
        grade(moodle)
        assert by_number(exported(moodle, "moodle", zero=True)) == {101: "4", 102: "", 103: "0"}

    def test_who_sent_nothing_is_told_and_stands_in_the_report_and_the_table(self, moodle):
        assert "7003 (Emmy Noether): sent nothing" in report(moodle)
        assert exported(moodle)[3] == ["7003", "Emmy Noether", "", "8", "0", "sent nothing"]

    def test_feedback_goes_back_under_the_names_that_the_platform_gave(self, moodle):
        returns.feedback(moodle, "tiny")
        names = zipfile.ZipFile(moodle.folder / "feedback-tiny.zip").namelist()
        assert names == ["Ada Lovelace_101_assignsubmission_file_/tiny.html",
                         "Grace Hopper_102_assignsubmission_file_/tiny.html"]  # fmt: skip

    def test_a_day_begun_is_a_day_late_and_costs_what_the_teacher_says(self, moodle):
        roster.set_due(moodle, "tiny", "2026-11-30")
        assert [line[4] for line in exported(moodle)[1:]] == ["0", "2", "0"]
        assert points(moodle, off=10) == {"7001": "4", "7002": "2.4", "7003": ""}
        assert points(moodle, off=90)["7002"] == "0"
        roster.set_due(moodle, "tiny", "2026-12-01 12:00", "7002")
        assert exported(moodle)[2][4] == "1"
        assert "Hopper): 1 day late" in (grade(moodle) and report(moodle))
        with moodle.gradebook() as book:
            due = book.find_assignment("tiny").duedate
        assert due == roster.parse_utc(datetime(2026, 11, 30, 23, 59).astimezone())


class TestCanvas:
    @pytest.fixture
    def canvas(self, course, tmp_path):
        book = tmp_path / "canvas.csv"
        book.write_text(
            "Student,ID,SIS User ID,SIS Login ID,Section,Set 1 (55),Set 12 (56),Final Score\n"
            "    Points Possible,,,,,8,8,(read only)\n"
            '"Lovelace, Ada",11,7001,ada,A,,,\n"Hopper, Grace",12,7002,grace,A,,,\n'
            '"Student, Test",99,,,A,,,\n',
            encoding="utf-8",
        )
        sent = {"lovelaceada_11_501_tiny.ipynb": work(course, "7001"),
                "hoppergrace_LATE_12_502_tiny-1.ipynb": work(course, "7002", words="no")}  # fmt: skip
        collect(course, "tiny", zipped(tmp_path / "canvas.zip", sent), book)
        grade(course)
        return course

    def test_the_gradebook_is_what_the_importer_asks_for(self, canvas):
        columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Set 1 (55)"]
        assert exported(canvas, "canvas", title="Set 1") == [
            columns, ["    Points Possible", "", "", "", "", "8"],
            ["Lovelace, Ada", "11", "7001", "ada", "A", "4"],
            ["Hopper, Grace", "12", "7002", "grace", "A", "2"],
        ]  # fmt: skip
        assert platforms.graded("canvas", [], "8", "Set 1 (55)")[0] == columns
        assert exported(canvas, "canvas", title="New")[0][5] == "New"
        assert exported(canvas, "canvas", title="Set 12 (")[0][5] == "Set 12 (56)"  # the beginning will do

    def test_the_assignments_title_is_asked_for(self, canvas):
        with pytest.raises(
            SystemExit, match=r"export: give the assignment's title.*Set 1 \(55\), Set 12 \(56\)"
        ):
            returns.export(canvas, "tiny", "canvas")

    def test_feedback_is_found_by_the_numbers_in_its_name(self, canvas):
        returns.feedback(canvas, "tiny")
        names = zipfile.ZipFile(canvas.folder / "feedback-tiny.zip").namelist()
        assert names == ["lovelaceada_11_501_tiny.html", "hoppergrace_LATE_12_502_tiny.html"]

    def test_a_mark_of_lateness_without_a_time_counts_as_a_day(self, canvas):
        assert {line[0]: line[4] for line in exported(canvas)[1:]} == {"7001": "0", "7002": "1"}


def test_blackboard_finds_the_user_name_and_the_number_of_the_column(course, tmp_path):
    center = tmp_path / "center.xls"
    center.write_text(
        '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Set 1 [Total Pts: 8 Score] |4711"\n'
        '"Lovelace"\t"Ada"\t"a_1"\t"7001"\t""\n',
        encoding="utf-16",
    )
    sent = {"Set 1_a_1_attempt_2026-12-01-10-00-00_tiny.ipynb": work(course, "7001"),
            "Set 1_a_1_attempt_2026-12-01-10-00-00.txt": "Name: Ada Lovelace (a_1)"}  # fmt: skip
    collect(course, "tiny", zipped(tmp_path / "b.zip", sent), center)
    grade(course)
    heading = "Set 1 [Total Pts: 8 Score] |4711"
    assert exported(course, "blackboard", title="Set 1") == [
        ["Last Name", "First Name", "Username", heading], ["Lovelace", "Ada", "a_1", "4"],
    ]  # fmt: skip
    with pytest.raises(SystemExit, match="give the column's heading with its number"):
        returns.export(course, "tiny", "blackboard", title="Another")
    assert roster.when(course, "7001", "tiny") == datetime(2026, 12, 1, 10)


@pytest.mark.parametrize(
    "cell, shown",
    [("=1+1", "'=1+1"), ("signed 'x;=1+1;y'", "signed 'x;'=1+1;y'"), ("a\n@b", "a\n'@b"),
     ("-x", "'-x"), ("-1.5", "-1.5"), ("a; b", "a; b")],
)  # fmt: skip
def test_no_cell_of_a_table_is_a_formula_whatever_parts_the_cells(tmp_path, cell, shown):
    write_table([[cell]], tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        assert [*csv.reader(file)] == [[shown]]


class TestFeedback:
    @pytest.fixture
    def page(self, moodle, tmp_path):
        sent = {"Ada Lovelace_101_assignsubmission_file_/tiny.ipynb":
                work(moodle, "7002", "def double(x):\n    return 3 * x", "My letter", "no")}  # fmt: skip
        collect(moodle, "tiny", zipped(tmp_path / "again.zip", sent))
        grade(moodle)
        path = moodle.place("feedback", "7001", "tiny", "html")

        def made(closed=False):
            return returns.feedback(moodle, "tiny", closed), path.read_text(encoding="utf-8")

        return made

    def test_while_a_set_may_be_handed_in_no_page_holds_a_hidden_case_a_key_or_points(self, page):
        told, text = page()
        assert "nobody said until when tiny is handed in" in told and "double(3): expected 6, got 9" in text
        for kept_back in ("the hidden idea", "the key is secret", "model letter", "Score", "secretkey"):
            assert kept_back not in text

    def test_when_the_time_is_up_the_page_holds_all_but_the_teachers_remarks(self, moodle, page):
        _, text = page(closed=True)
        for told in (
            "the hidden idea",
            "the key is secret",
            "double(3): expected 6, got 9", "Score: 0.0 / 2.0",
        ):  # fmt: skip
            assert told in text
        assert "signed" in report(moodle) and "to be read" in report(moodle)
        assert "signed" not in text and "to be read" not in text

    def test_what_a_student_writes_is_text_for_a_browser(self, moodle):
        letter, source = "\n\n".join(TABLE["texts"]), f"x = {TABLE['texts']!r}\ndef double(x):\n    return x"
        handed_in(moodle, "7001", work(moodle, "7001", double=source, letter=letter))
        handed_in(moodle, "7002", work(moodle, "7002", letter="[" * 10**5))
        grade(moodle)
        returns.feedback(moodle, "tiny", closed=True)
        for student in ("7001", "7002"):
            page = moodle.place("feedback", student, "tiny", "html").read_text(encoding="utf-8")
            found = re.findall(r"<(\w+)([^>]*)>", re.sub(r"<style.*?</style>", "", page, flags=re.S))
            assert not {tag for tag, _ in found} & {"script", "img", "svg", "iframe", "base", "object"}
            assert not [about for _, about in found if re.search(r"\bon\w+=|javascript|//|url\(", about)]
            assert "default-src 'none'; img-src data:" in page
        assert len(page) < 300_000

    def test_a_page_that_takes_too_long_stops_no_other(self, moodle, monkeypatch, capsys):
        def stuck():
            signal.alarm(1)  # as if the time were up
            time.sleep(60)

        returns.feedback(moodle, "tiny")
        make = returns.HTMLExporter.from_notebook_node
        monkeypatch.setattr(
            returns.HTMLExporter, "from_notebook_node",
            lambda self, sheet, of: make(self, sheet, of) if "7002" in str(of) else stuck(),
        )  # fmt: skip
        assert "feedback: 1 pages" in returns.feedback(moodle, "tiny")
        assert "7001: no page: TimeoutError: took more than 60 s" in capsys.readouterr().out
        names = zipfile.ZipFile(moodle.folder / "feedback-tiny.zip").namelist()
        assert names == ["Grace Hopper_102_assignsubmission_file_/tiny.html"]
        assert "feedback: 1 pages" in returns.feedback(moodle, "tiny", only="7002")
        with pytest.raises(SystemExit, match="feedback: 7009 has no grade in tiny; grade first"):
            returns.feedback(moodle, "tiny", only="7009")

    def test_the_date_decides_and_the_last_student_counts(self, moodle):
        roster.set_due(moodle, "tiny", "2026-11-30 23:59")
        roster.set_due(moodle, "tiny", "2026-12-04 12:00", "7003")
        assert "until 2026-12-04 12:00" in roster.still_open(moodle, "tiny", datetime(2026, 12, 4, 11))
        assert not roster.still_open(moodle, "tiny", datetime(2026, 12, 4, 13))


class TestByHand:
    def mark(self, course, student, points):
        with course.gradebook() as book:  # as Formgrader does
            found = book.find_grade("letter", "tiny", "tiny", student)
            found.manual_score, found.needs_manual_grade = points, False
            book.db.commit()

    def hand_in(self, course, letter):
        handed_in(course, "ada", work(course, "ada", letter=letter))
        grade(course)
        return report(course).splitlines()[0]

    def test_a_mark_is_flagged_until_a_person_looks_at_the_changed_text(self, course):
        assert self.hand_in(course, "My letter") == "ada: graded 4/8; letter: to be read by a person"
        self.mark(course, "ada", 3.5)
        grade(course)
        assert report(course).splitlines() == ["ada: graded 7.5/8"] and points(course) == {"ada": "7.5"}
        assert self.hand_in(course, "Another letter").endswith(
            "letter: marked 3.5 by hand, and changed since"
        )
        grade(course, again=True)
        assert "changed since" in report(course)
        self.mark(course, "ada", 3.5)
        grade(course, again=True)
        assert report(course) == "ada: graded 7.5/8\n"

    def test_a_letter_that_is_not_there_earns_nothing_and_waits_for_nobody(self, course):
        assert self.hand_in(course, "") == "ada: graded 4/8; letter: not answered"
        assert self.hand_in(course, "A letter").endswith("letter: to be read by a person")

    @pytest.mark.parametrize("put", [
        lambda cells: cells[-1].update(source=READ), lambda cells: cells.append(new_markdown_cell(READ)),
        lambda cells: cells.insert(1, new_markdown_cell(READ)),
        lambda cells: cells[-2].update(source=f"{cells[-2].source}\n\n{READ}"),
    ])  # fmt: skip
    def test_a_letter_is_read_and_kept_as_text_wherever_it_stands(self, course, put):
        sheet = nbformat.reads(work(course, "ada"), as_version=4)
        put(sheet.cells)
        handed_in(course, "ada", nbformat.writes(sheet))
        grade(course)
        assert "letter: to be read by a person" in report(course)
        kept = nbformat.read(course.place("autograded", "ada", "tiny"), as_version=4).cells
        assert f"```text\n{READ}\n```" in [one.source for one in kept]


def test_one_student_is_graded_anew_and_the_changed_grade_is_told(moodle, capsys):
    checks = moodle.checks("tiny")
    checks.write_text(checks.read_text("utf-8").replace('"secretkey"', '"another"'), encoding="utf-8")
    capsys.readouterr()
    grade(moodle, only="7002")
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "grade: changed: 7002: 2, was 4" and len(told) == 2
    assert [read_record(moodle, student, "tiny").points for student in ("7001", "7002")] == [4, 2]
    with pytest.raises(SystemExit, match="grade: 7009 handed in no tiny; who did: 7001, 7002"):
        grade(moodle, only="7009")


def test_the_statistics_tell_who_earned_each_case(moodle):
    handed_in(moodle, "7002", work(moodle, "7002", words="no"))
    grade(moodle)
    told = commands.statistics(moodle, "tiny")
    assert re.search(r"double +the hidden idea +100%\n +words +a +50%\nstatistics: 2 submissions", told)


def test_a_number_that_is_not_on_the_table_is_never_written_into_the_platforms(course, tmp_path, capsys):
    sent = {"Team 3_17_assignsubmission_file_/tiny.ipynb": work(course, "7001")}
    collect(course, "tiny", zipped(tmp_path / "m.zip", sent), worksheet(tmp_path / "worksheet.csv", ADA))
    assert "17 (Team 3) is not in the students' table" in capsys.readouterr().out
    assert by_number(exported(course, "moodle")) == {101: ""}


def test_a_students_own_zip_is_opened_and_a_hostile_one_is_no_notebook(course, tmp_path, capsys):
    sent = {
        "lovelaceada_1_5_w.zip": inner_zip({"work/tiny.ipynb": work(course, "ada")}),
        "hopper_2_6_w.zip": inner_zip({f"{number}.ipynb": "" for number in range(200)}),
        "noether_3_7_w.zip": "x",
    }
    assert collect(course, "tiny", zipped(tmp_path / "d.zip", sent)) == "collect: 1 notebooks (1 new)"
    assert [folder.name for folder in course.folder.glob("submitted/*")] == ["1"]
    told = capsys.readouterr().out
    assert "2 handed in hopper_2_6_w.zip, no notebook" in told and "3 handed in noether_3_7_w.zip" in told
    assert [person.other for person in roster.people(course, "tiny")] == ["", *list(sent)[1:]]


def test_names_in_another_encoding_are_read_and_told_apart(course, tmp_path):
    for name in (b"M\xf6ller", b"M\xfcller"):
        folder = os.fsencode(tmp_path / "download") + b"/" + name
        os.makedirs(folder)
        with open(folder + b"/tiny.ipynb", "wb") as file:
            file.write(name)
    assert "2 new" in collect(course, "tiny", tmp_path / "download")
    assert course.place("submitted", "M-dcf6ller", "tiny").read_bytes() == b"M\xf6ller"


def inner_zip(files):
    return zipped(io.BytesIO(), files).getvalue()


@pytest.mark.parametrize("files, told, whose", TABLE["sent"].values(), ids=TABLE["sent"])
def test_a_file_is_the_students_who_sent_it_or_is_left_out_and_told(
    course, tmp_path, capsys, files, told, whose
):
    sent = {name: inner_zip(of) if isinstance(of, dict) else of for name, of in files.items()}
    collect(course, "tiny", zipped(tmp_path / "download.zip", sent))
    found = {path.parents[1].name: path.read_text() for path in course.folder.glob("submitted/*/*/*.ipynb")}
    assert found == whose and told in capsys.readouterr().out


def test_a_later_download_gives_nobody_the_folder_of_another(course, tmp_path, capsys):
    plain = ["anna+x/", "anna#x/", "bob/hw3/", "cem/hw3/", "late/anna+x/hw3/"]
    for name in [*plain, "ada_101_5_", "Set_101_attempt_2026-11-29-22-10-11_"]:
        collect(course, "tiny", zipped(tmp_path / "download.zip", {f"{name}tiny.ipynb": name}))
    told = capsys.readouterr().out
    assert "anna#x/ and anna+x/ would both be" in told and "bob/hw3/ and cem/hw3/ would both be" in told
    found = {path.parents[1].name: path.read_text() for path in course.folder.glob("submitted/*/*/*.ipynb")}
    assert found == {"anna-x": "late/anna+x/hw3/", "hw3": "bob/hw3/", "101": "ada_101_5_"}


def test_a_roster_says_which_folder_of_a_path_is_the_students(course, tmp_path, capsys):
    people = tmp_path / "people.csv"
    people.write_text("platform,student\nbob,7001\ncem,7002\n", encoding="utf-8")
    sent = {"bob/hw3/tiny.ipynb": "bob", "cem/hw3/tiny.ipynb": "cem"}
    assert "2 new" in collect(course, "tiny", zipped(tmp_path / "download.zip", sent), people)
    assert roster.students(course, "tiny") == ["7001", "7002"]
    people.write_text("platform,student\nbob,ab1\ncem,AB1\n", encoding="utf-8")
    collect(course, "tiny", tmp_path / "download.zip", people)
    assert "would both be ab1: left out; name them apart, in the students' table\n" in capsys.readouterr().out


def test_students_are_known_by_name_where_a_table_has_no_numbers(course, tmp_path):
    people = tmp_path / "participants.csv"
    written = normalize("NFD", "First name;Last name;ID number\nAdé;Lovelace;7001\n")  # as a Mac may write it
    people.write_text(written, encoding="utf-8")
    sent = {"Adé Lovelace_101_assignsubmission_file_/tiny.ipynb": work(course, "7001")}
    collect(course, "tiny", zipped(tmp_path / "moodle.zip", sent), people)
    assert [(one.student, one.number, one.handed_in) for one in roster.people(course, "tiny")] == [
        ("7001", "101", True)
    ]


def test_a_table_that_comes_later_is_refused_where_it_would_double_somebody(course, tmp_path):
    sent = {f"{ADA[1]}_{ADA[0]}_assignsubmission_file_/tiny.ipynb": work(course, "7001")}
    download = zipped(tmp_path / "moodle.zip", sent)
    collect(course, "tiny", download)
    with pytest.raises(SystemExit, match=r"101 is 7001 in the students' table.*give --roster with each"):
        collect(course, "tiny", download, worksheet(tmp_path / "worksheet.csv", ADA))
    assert not roster.table_kept(course, "tiny").exists()
    assert roster.students(course, "tiny") == ["101"]


@pytest.mark.parametrize("words, said", TABLE["slips"].values(), ids=TABLE["slips"])
def test_a_slip_of_the_teacher_gets_one_clear_line(course, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    for name, text in TABLE["tables"].items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="latin-1")
    (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04\xff\xfe\x80")
    (tmp_path / "damaged.zip").write_bytes(inner_zip({"ada.ipynb": "whole"}).replace(b"whole", b"wrong"))
    with pytest.raises(SystemExit, match=said) as stopped:
        __main__.main(["--class", str(course.folder), "--sources", str(course.sources), *words.split()])
    assert "\n" not in str(stopped.value)


@pytest.mark.parametrize("words", ["--off 101", "--off nan"])
def test_a_number_that_makes_no_sense_is_refused(course, words, capsys):
    with pytest.raises(SystemExit):
        __main__.main(["--class", str(course.folder), "export", "tiny", *words.split()])
    assert "is no" in capsys.readouterr().err


@pytest.mark.parametrize("spreadsheet", [
    lambda text: "\ufeff" + text.replace(",", ";").replace("\n", "\r\n"),
    lambda text: "sep=;\r\n" + text.replace(",", ";"), lambda text: "\n" + text.replace("\n", "\r"),
])  # fmt: skip
def test_a_table_that_a_spreadsheet_saved_is_read(tmp_path, spreadsheet):
    text = "platform,student,name\n101,7001,Jörg\n102,7002,Ada\n"
    (tmp_path / "saved.csv").write_text(spreadsheet(text), encoding="utf-8", newline="")
    found = roster.on_table(tmp_path / "saved.csv")
    assert [(one.number, one.student, one.name) for one in found] == [
        ("101", "7001", "Jörg"), ("102", "7002", "Ada"),
    ]  # fmt: skip


class TestPairs:
    """A platform's numbers and another platform's table."""

    def collected(self, course, tmp_path, sent, listed=""):
        table = tmp_path / "table.csv"
        table.write_text(LISTED.get(listed, listed), encoding="utf-8")
        download = zipped(tmp_path / "download.zip", {SENT[sent]: work(course, "7001")})
        collect(course, "tiny", download, table if listed else None)

    @pytest.mark.parametrize("sent", SENT)
    def test_a_table_of_grades_holds_numbers_of_its_own_platform_only(self, course, tmp_path, sent):
        self.collected(course, tmp_path, sent)
        for platform in TABLES:
            if platform == sent:
                assert "1 students" in returns.export(course, "tiny", platform, title="Set |4711")
            else:
                with pytest.raises(SystemExit, match=r"\(101\) come from .*, not from " + platform):
                    returns.export(course, "tiny", platform, title="Set |4711")

    @pytest.mark.parametrize("sent", SENT)
    def test_a_table_of_another_platform_than_the_download_is_refused_and_not_kept(
        self, course, tmp_path, sent
    ):
        for listed in LISTED:
            if sent in (listed, "folders"):
                continue
            with pytest.raises(SystemExit, match=f"table is of {listed}, the download of {sent}"):
                self.collected(course, tmp_path, sent, listed)
        assert not roster.table_kept(course, "tiny").exists() and not roster.submissions(course, "tiny")

    def test_a_table_says_whose_the_numbers_are_where_folders_do_not(self, course, tmp_path):
        for listed in ("moodle", "canvas"):
            self.collected(course, tmp_path, "folders", listed)
            returns.export(course, "tiny", listed, title="Set")
        with pytest.raises(SystemExit, match=r"\(101\) come from canvas, not from moodle"):
            returns.export(course, "tiny", "moodle")
        self.collected(course, tmp_path, "folders", "platform,student\n101,101\n")
        assert "1 students" in returns.export(course, "tiny", "moodle")

    def test_brightspaces_downloads_have_other_numbers_and_go_by_names(self, course, tmp_path):
        self.collected(course, tmp_path, "brightspace", "brightspace")
        assert [(one.student, one.number) for one in roster.people(course, "tiny")] == [("7001", "101")]

    def test_a_worksheet_of_another_assignment_is_refused(self, course, tmp_path):
        other = LISTED["moodle"].replace("101", "901")
        with pytest.raises(SystemExit, match="Ada Lovelace is 901 in the students' table and 101 in the d"):
            self.collected(course, tmp_path, "moodle", other)

    def test_two_of_one_name_are_not_taken_for_another_assignment(self, course, tmp_path):
        self.collected(course, tmp_path, "moodle", LISTED["moodle"] + "Participant 102,Ada Lovelace\n")
        assert course.place("submitted", "101", "tiny").exists()

    def test_nobody_gets_the_folder_of_another_by_that_others_name(self, moodle, tmp_path, capsys):
        sent = {f"{name}_{number}_assignsubmission_file_/tiny.ipynb": "Bob's" if number == 999 else "Grace's"
                for name, number in ((ADA[1], 999), GRACE[1::-1])}  # fmt: skip
        collect(moodle, "tiny", zipped(tmp_path / "late.zip", sent))
        assert "999 (Ada Lovelace) is not in the students' table" in capsys.readouterr().out
        assert moodle.place("submitted", "999", "tiny").read_text("utf-8") == "Bob's"
        assert "double" in moodle.place("submitted", "7001", "tiny").read_text("utf-8")

    def test_who_is_on_no_table_is_told_and_left_out(self, moodle, tmp_path, capsys):
        late = tmp_path / "late/olga/tiny.ipynb"
        late.parent.mkdir(parents=True)
        late.write_text(work(moodle, "olga"), encoding="utf-8")
        (tmp_path / "late/notes.txt").write_text("mine", encoding="utf-8")
        collect(moodle, "tiny", tmp_path / "late")
        told = capsys.readouterr().out
        assert "olga is not in the students' table" in told and "notes.txt: left out, nobody's" in told
        assert "olga: not in the students' table" in (grade(moodle) and report(moodle))
        told = returns.export(moodle, "tiny", "moodle", tmp_path / "out.csv")
        assert "olga has no number of moodle: left out" in told and "3 students" in told
        assert "olga" not in (tmp_path / "out.csv").read_text("utf-8")


def test_a_moment_of_another_zone_is_told_in_local_time(moodle):
    here = datetime(2026, 11, 30, 22, 59).astimezone()
    elsewhere = here.astimezone(timezone(here.utcoffset() + timedelta(hours=3)))
    assert "until 2026-11-30 22:59" in roster.set_due(moodle, "tiny", elsewhere.isoformat())
    assert exported(moodle)[1][4] == "1"
    assert "until 2026-11-30 23:59" in roster.set_due(moodle, "tiny", "20261130")


class TestSimilarity:
    def test_a_copy_with_other_names_is_told_and_another_answer_is_not(self, course):
        renamed = re.sub(r"\b(total|width|height|rest|i)\b", r"my_\1", OTHER.replace("part", "piece"))
        for student, area in {
            "ada": OTHER,
            "grace": renamed,
            "emmy": "def area(x, y):\n    total = sum(y)",
        }.items():
            handed_in(course, student, work(course, student, area=area))
        handed_in(course, "torn", "no notebook")
        grade(course)
        told = similar(course, "tiny").splitlines()
        assert told[0].startswith("similar: ada and grace: 1.00; the same: area")
        assert not any("emmy" in line for line in told[:-1])
        assert len(table(course.folder / "similar-tiny.csv")) == 3 + 3

    def test_the_public_solution_is_told_of_each_and_not_of_the_pair(self, course):
        for student in ("ada", "grace"):
            handed_in(course, student, work(course, student))
        grade(course)
        told = similar(course, "tiny").splitlines()
        assert [line.partition(":  ")[0].split(": ")[1] for line in told[:-1]] == [
            "ada and the public solution", "grace and the public solution",
        ]  # fmt: skip

    def test_a_letter_that_is_copied_is_told(self, course):
        letter = " ".join(f"word{number}" for number in range(150))
        for student, text in {"ada": letter, "grace": letter, "emmy": letter[::-1]}.items():
            handed_in(course, student, work(course, student, letter=text, area=f"total = {len(student)}"))
        grade(course)
        assert "similar: ada and grace: 0.99; the same: letter" in similar(course, "tiny")


def test_the_student_edition_sets_up_the_course_without_a_solution_a_hidden_case_or_a_test(tmp_path):
    class_edition.student_edition(tmp_path / "course.zip")
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        files = {one.filename.partition("/")[2]: (archive.read(one), one) for one in archive.infolist()}
    assert not [name for name in files if re.match("tests/|assignments/source|.*checks.py", name)]
    assert not [name for name, (content, _) in files.items()
                if name.endswith(".ipynb") and re.search(rb"BEGIN SOLUTION|\{solution", content)]  # fmt: skip
    for name in (
        "Makefile", "pyproject.toml", "requirements.txt", "calibration_lessons/__init__.py",
        "classroom/check.py", "book/teaching/students.md", "tools/site/repairs.py",
    ):  # fmt: skip
        assert files[name][0] == (ROOT / name).read_bytes()
    assert files["tools/release/setup.sh"][1].external_attr >> 16 & 0o111
    with pytest.raises(SystemExit, match="is there already; name a new folder, or a zip"):
        class_edition.student_edition(tmp_path)


class TestSomethingElse:
    @pytest.fixture
    def sent(self, tmp_path):
        def download(files):
            paths = {"{}_assignsubmission_{}_/{}".format(*key): text for key, text in files.items()}
            sheet = worksheet(tmp_path / "worksheet.csv", ADA, GRACE, EMMY)
            return zipped(tmp_path / "download.zip", paths), sheet

        return download

    def test_who_sent_no_notebook_is_named_and_gets_no_zero(self, course, sent, capsys):
        archive, table = sent({
            ("Ada Lovelace_101", "file", "tiny.ipynb"): work(course, "7001"),
            ("Ada Lovelace_101", "onlinetext", "onlinetext.html"): "sorry",
            ("Grace Hopper_102", "file", "tiny.pdf"): "on paper",
        })  # fmt: skip
        collect(course, "tiny", archive, table)
        told = capsys.readouterr().out
        assert "collect: 7002 handed in tiny.pdf, no notebook" in told and "onlinetext" not in told
        assert "Grace Hopper) sent nothing" not in told and "Emmy Noether) sent nothing" in told
        assert "1 graded, 1 sent no notebook, 1 sent nothing" in grade(course)
        assert "7002 (Grace Hopper): sent tiny.pdf, no notebook" in report(course)
        assert points(course, zero=True) == {"7001": "4", "7002": "", "7003": "0"}

    def test_a_notebook_takes_the_place_of_something_else(self, course, sent):
        grace = ("Grace Hopper_102", "file", "tiny.pdf")
        collect(course, "tiny", *sent({grace: "on paper"}))
        collect(course, "tiny", *sent({(*grace[:2], "tiny.ipynb"): work(course, "7002")}))
        collect(course, "tiny", *sent({grace: "on paper, again"}))
        assert [person.missing for person in roster.people(course, "tiny") if not person.handed_in] == [
            "sent nothing", "sent nothing",
        ]  # fmt: skip

    def test_a_file_that_is_no_download_is_refused(self, course, tmp_path):
        table = worksheet(tmp_path / "worksheet.csv", ADA)
        with pytest.raises(SystemExit, match="neither a zip nor a folder; expected the platform's download"):
            collect(course, "tiny", table)


def test_formgrader_calls_graded_what_is_graded(moodle):
    found = {one["student"]: one["autograded"] for one in commands.nbgrader(moodle).get_submissions("tiny")}
    assert found == {"7001": True, "7002": True}


def test_a_time_that_cannot_be_read_is_not_known_and_stops_nobody(moodle):
    path = roster.stamp(moodle, "7001", "tiny")
    for told in (b"yesterday", b"", b"\xff", b"9" * 10**5, b"9999-12-31 23:59:59 UTC"):
        path.write_bytes(told)
        assert roster.when(moodle, "7001", "tiny") is None
    path.unlink()
    path.mkdir()
    assert "2 graded" in grade(moodle, again=True)
    assert "7001 (Ada Lovelace): graded" in report(moodle)


def test_a_date_for_nobody_of_the_class_is_refused(moodle):
    with pytest.raises(SystemExit, match="due: 7009 is nobody of the class; expected one of 7001, 7"):
        roster.set_due(moodle, "tiny", "2026-12-01", "7009")
