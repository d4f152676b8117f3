"""A class of hostile, broken and honest students: each is graded or refused, and none touches another."""

import contextlib
import gc
import io
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import types
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path, PurePosixPath

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from classroom import __main__, cases, commands, grading, reading, returns, roster, run, sandbox
from classroom.check import check
from classroom.course import Course, read_record
from classroom.platforms import platform_of, sender
from classroom.sandbox import working_sandbox
from classroom.similarity import similar
from classroom.submission import ROOT, Limits, grade_id
from tests.assignments.grading import answer_cell, answered, cell, check_cell, handed_in

SANDBOX = working_sandbox()
LIMITS = Limits(cell=4, whole=120, memory=2 * 2**30, disk=5 * 2**20)


TINY = [
    cell("intro", "# A tiny set", new_markdown_cell, locked=True),
    cell("imports", "import numpy as np\nimport calibration_lessons as cl", locked=True),
    answer_cell("student", "STUDENT_ID = 'ada'"),
    answer_cell("double", "def double(x):\n    return 2 * x"),
    check_cell("test-double", "assert np.allclose(double(1), 2)"),
    answer_cell("half", "def half(x):\n    return x / 2"),
    check_cell("test-half", "assert isinstance(half(4), float) and np.isclose(half(4), 2), 'half'"),
]
OTHER = [
    answer_cell("student", "STUDENT_ID = 'ada'"),
    answer_cell("triple", "triple = 3"),
    check_cell("test-triple", "assert triple == 3"),
]
CHECKS = """
from classroom.cases import Case, Question


def double(x):
    return 2 * x


def half(x):
    return x / 2


def triple(x):
    return 3 * x


def secret(rng, own):
    for _ in range(3):
        yield (float(rng.integers(1000, 9999)),)


QUESTIONS = [
    Question(right.__name__, right, [Case("large numbers", 2, secret)], {})
    for right in (double, half, triple)
]
"""
DOUBLE, HALF = "def double(x):\n    return 2 * x", "def half(x):\n    return x / 2"
RIGHT = {"double": DOUBLE, "half": HALF}
WRONG = "def double(x):\n    return 3 * x"
MISTAKES = {"double": WRONG, "half": "half = lambda x: 1.0"}
HOSTILE = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text(encoding="utf-8"))
PATCHES, CHANNEL, RUNS_ON, STOPS, FILES = HOSTILE.values()


@dataclass
class Class:
    """A graded class of the tiny set."""

    course: Course
    printed: str

    def record(self, student):
        return read_record(self.course, student, "tiny")

    def notebook(self, student):
        return nbformat.read(self.course.place("autograded", student, "tiny"), as_version=4)

    def said(self, student, name):
        (found,) = [c for c in self.notebook(student).cells if grade_id(c) == name]
        faults = [verdict["fault"] for verdict in self.record(student).verdicts.get(name, [])]
        return "\n".join(faults + [one.evalue for one in found.outputs if one.output_type == "error"])


def graded(course, **options):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        print(commands.grade(course, "tiny", LIMITS, SANDBOX, **options))
    return printed.getvalue()


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("sources"))
    for name, cells in {"tiny": TINY, "other": OTHER}.items():
        (course.sources / name).mkdir()
        (course.sources / name / "checks.py").write_text(CHECKS, encoding="utf-8")
        nbformat.write(new_notebook(cells=cells), course.sources / name / f"{name}.ipynb")
        commands.release(course, name)
    return course


def test_a_word_changes_the_numbers_of_the_sheet_and_stays_with_the_teacher(tmp_path):
    course = Course(tmp_path / "class")
    commands.release(course, "measures", "autumn26")
    sheet = (tmp_path / "class/release/measures/measures.ipynb").read_text(encoding="utf-8")
    assert f'CLASS = \\"{course.sign}\\"' in sheet and "autumn26" not in sheet
    assert [path.name for path in (tmp_path / "class/source/measures").iterdir()] == ["measures.ipynb"]


def release_of(course, name="tiny"):
    return nbformat.read(course.folder / "release" / name / f"{name}.ipynb", as_version=4)


@pytest.fixture(scope="module")
def hostile(released):
    if SANDBOX == "none":
        pytest.skip("no bubblewrap works here")
    release = release_of(released)
    victim = released.place("submitted", "right", "tiny")
    places = f"FOLDER = {str(released.sources)!r}\nVICTIM = {str(victim)!r}\nPORT = 9\n"
    places += f"TESTS = {str(ROOT / 'tests')!r}\n"
    for name, patch in PATCHES.items():
        handed_in(
            released, f"patched {name}", answered(release, {"double": f"{patch}\n{WRONG}", "half": HALF})
        )
    for name, source in CHANNEL.items():
        handed_in(released, f"channel {name}", answered(release, {"double": source, "half": HALF}))
    for name, one in (RUNS_ON | STOPS).items():
        handed_in(released, name, answered(release, {"double": places + one["source"], "half": HALF}))
    handed_in(released, "right", answered(release, RIGHT | {"student": "STUDENT_ID = 'right'"}))
    handed_in(released, "untouched", release)
    reload = answered(release, RIGHT)
    reload.cells.insert(1, new_code_cell("%load_ext autoreload\n%autoreload 2\nfrom numpy import *"))
    handed_in(released, "autoreload", reload)
    colab = answered(release, RIGHT | {"double": f"%%time\n{DOUBLE}"})
    colab.cells.insert(1, new_code_cell("!python --version\n%matplotlib inline", execution_count=7))
    colab.metadata["colab"] = colab.cells[1].metadata["colab"] = {"provenance": []}
    handed_in(released, "colab", colab)
    for name, (change, _) in BROKEN.items():
        handed_in(released, name, change(answered(release, RIGHT), released))
    for name, one in FILES.items():
        parts = [one["text"]] * one.get("times", 1)
        handed_in(released, name, filled(answered(release, RIGHT), one["at"], parts))
    released.place("submitted", "a folder", "tiny").mkdir(parents=True)
    return Class(released, graded(released))


def without(notebook, *names):
    notebook.cells = [c for c in notebook.cells if grade_id(c) not in names]
    return notebook


def changed(notebook, name, **about):
    for found in notebook.cells:
        if grade_id(found) == name:
            found.source = about.pop("source", found.source)
            found.metadata["tags"] = about.pop("tags", [])
            found.metadata.nbgrader.update(about)
    return notebook


def filled(notebook, place, parts):
    """Put a text into a notebook, or in its place."""
    text = "".join(parts)
    if place == "output":
        notebook.cells[1].outputs = [new_output("stream", text=text)]
    elif place == "text":
        notebook.cells.append(new_markdown_cell(text))
    elif place == "answer":
        notebook = answered(notebook, {"double": text})
    elif place == "source":
        return re.sub(r'("source": \[\s*")', lambda begun: begun[0] + text, nbformat.writes(notebook))
    elif place == "cells":
        cells = ",".join(filter(None, parts))
        return f'{{"nbformat": 4, "nbformat_minor": 4, "metadata": {{}}, "cells": [{cells}]}}'
    return text if place == "file" else notebook


def twice(notebook, name):
    (position,) = [i for i, c in enumerate(notebook.cells) if c.metadata.nbgrader.grade_id == name]
    notebook.cells.insert(position, nbformat.from_dict(dict(notebook.cells[position])))
    return notebook


BROKEN = {  # a change of right answers, and what it earns or why it is refused
    "deleted tests": (lambda n, c: without(n, "test-double", "test-half", "imports"), 4),
    "deleted answer": (lambda n, c: without(n, "double", "test-double"), 2),
    "doubled cells, more points": (
        lambda n, c: changed(twice(twice(n, "test-half"), "double"), "test-half", points=99), 4,
    ),
    "edited and skipped tests": (
        lambda n, c: changed(
            changed(answered(n, MISTAKES), "test-double", source="pass"), "test-half", tags=["skip-execution"]
        ), 0,
    ),
    "no tests any more": (
        lambda n, c: changed(
            changed(answered(n, MISTAKES), "test-double", grade=False), "test-half", solution=True
        ), 0,
    ),
    "a name of its own": (lambda n, c: changed(n, "intro", grade_id="else", grade=True, points=50), 4),
    "half a character": (
        lambda n, c: answered(n, {
            "student": "STUDENT_ID = '\\ud800'", "double": "def double(x):\n    raise ValueError('\\ud800')",
        }), 2,
    ),
    "invalid JSON": (lambda n, c: nbformat.writes(n)[:-40], "no notebook"),
    "another set": (lambda n, c: release_of(c, "other"), "is the notebook of other"),
    "another notebook": (lambda n, c: new_notebook(cells=[new_code_cell("1")]), "no cell of this set"),
}  # fmt: skip


@pytest.mark.kernel
@pytest.mark.hostile
class TestHostile:
    def test_every_submission_has_its_line_in_the_report(self, hostile):
        report = (hostile.course.folder / "report-tiny.txt").read_text(encoding="utf-8").splitlines()
        everyone = roster.students(hostile.course, "tiny")
        assert report.pop() == "'a folder': left out; holds no tiny.ipynb that is a file" in hostile.printed
        assert [line.partition(":")[0] for line in report] == everyone
        assert len(everyone) == hostile.printed.count("[") > 30

    def test_right_answers_earn_all_points_and_the_release_none(self, hostile):
        assert str(hostile.record("right")) == "graded 4/4"
        assert hostile.record("autoreload").points == hostile.record("colab").points == 4
        assert hostile.record("untouched").points == 0

    @pytest.mark.parametrize("name", PATCHES)
    def test_a_changed_process_earns_what_its_answers_are_worth(self, hostile, name):
        assert hostile.record(f"patched {name}").points == 2
        assert hostile.said(f"patched {name}", "test-double")

    @pytest.mark.parametrize("name", CHANNEL)
    def test_an_attack_on_the_channel_earns_nothing_and_is_graded(self, hostile, name):
        record = hostile.record(f"channel {name}")
        assert record.result == "graded" and record.points <= 2
        assert hostile.said(f"channel {name}", "test-double")

    @pytest.mark.parametrize("name", RUNS_ON)
    def test_a_cell_that_misbehaves_costs_its_own_points_only(self, hostile, name):
        record = hostile.record(name)
        assert record.points == 2 and RUNS_ON[name].get("said", "") in str(record)
        assert RUNS_ON[name].get("fault", "") in hostile.said(name, "test-double")

    @pytest.mark.parametrize("name", STOPS)
    def test_a_run_that_is_stopped_earns_nothing_and_the_report_says_why(self, hostile, name):
        record = hostile.record(name)
        assert record.points == 0 and STOPS[name]["said"] in str(record)
        assert "not judged" in hostile.said(name, "test-half")

    @pytest.mark.parametrize("name", BROKEN)
    def test_changed_cells_are_put_back_and_what_is_no_notebook_of_the_set_is_refused(self, hostile, name):
        record, (_, due) = hostile.record(name), BROKEN[name]
        if isinstance(due, str):
            assert record.points is None and due in str(record)
        else:
            assert (record.points, record.possible) == (due, 4)

    @pytest.mark.parametrize("name", FILES)
    def test_a_file_of_any_kind_earns_its_answers_points_or_is_refused_with_the_reason(self, hostile, name):
        record = hostile.record(name)
        assert record.points == FILES[name].get("points") and FILES[name].get("said", "") in str(record)
        assert record.result == ("graded" if "points" in FILES[name] else "refused")

    def test_a_hundred_of_them_keep_nobody_from_feedback(self, hostile):
        assert len(PATCHES | CHANNEL | RUNS_ON | STOPS | FILES | BROKEN) >= 100
        graded = [one for one in roster.records(hostile.course, "tiny") if one.points is not None]
        told = returns.feedback(hostile.course, "tiny", closed=True)
        assert told.startswith(f"feedback: {len(graded)} pages")
        assert f"{len(graded)} students" in similar(hostile.course, "tiny")
        text = hostile.course.place("feedback", "edited and skipped tests", "tiny", "html").read_text(
            encoding="utf-8"
        )
        assert "the inputs are not shown" in text and "Test cell" not in text
        sheet = hostile.notebook("edited and skipped tests")
        sheet.cells.insert(1, new_markdown_cell("## Mine"))
        assert '<a href="#test-double">A tiny set</a> (Score' in returns.with_headings(text, sheet)

    def test_nobody_reaches_files_outside_or_another_submission(self, hostile):
        assert hostile.course.place("submitted", "right", "tiny").exists()
        assert hostile.said("hidden tests", "test-double")
        assert "refused" in hostile.said("network", "double") or "unreachable" in hostile.said(
            "network", "double"
        )

    def test_output_is_cut_and_holds_nothing_that_a_browser_runs(self, hostile):
        for name in ("large output", "a flood of errors and widgets"):
            assert hostile.course.place("autograded", name, "tiny").stat().st_size < 2 * LIMITS.output
        assert hostile.record("to standard output").points == 2

    def test_an_id_that_is_not_the_students_is_reported(self, hostile):
        assert "signed '?'" in str(hostile.record("half a character"))
        assert "not signed" in str(hostile.record("untouched"))
        assert "signed" not in str(hostile.record("right"))

    def test_a_resubmission_is_graded_alone_and_the_rest_keeps_its_grades(self, hostile):
        course = Course(hostile.course.folder, hostile.course.sources)
        before = {record.student: record for record in roster.records(course, "tiny")}
        handed_in(course, "untouched", answered(release_of(course), {"half": HALF}))
        assert "untouched: graded 2/4" in graded(course)
        after = {record.student: record for record in roster.records(course, "tiny")}
        assert after == before | {"untouched": after["untouched"]}
        assert after["untouched"] == replace(after["untouched"], points=2.0)

    def test_an_interrupted_batch_goes_on_where_it_stopped(self, hostile):
        hostile.course.record("right", "tiny").unlink()  # as if the batch had stopped before this one
        printed = graded(hostile.course)
        assert printed.count("[") == 1 and "right: graded 4/4" in printed

    def test_a_machine_that_fails_costs_nobody_points(self, hostile, monkeypatch):
        handed_in(hostile.course, "later", answered(release_of(hostile.course), RIGHT))
        with monkeypatch.context() as patch:
            fails = {"refused": "", "started": False, "stopped": "no memory left"}
            patch.setattr(grading.Runs, "__call__", lambda *_: fails)
            assert "later: not graded; RuntimeError: no memory left" in graded(hostile.course)
        assert "later: graded 4/4" in graded(hostile.course)


NAMES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))["names"]


@pytest.mark.parametrize("path, expected", NAMES.items(), ids=list(NAMES))
def test_the_names_of_the_common_platforms_are_understood(path, expected):
    platform = platform_of([PurePosixPath(path)])
    sent = sender(PurePosixPath(path), "tiny", platform)
    assert [platform, sent.number, sent.name] == expected
    assert sent.late == ("LATE_" in path) and (not sent.when or sent.when.year == 2026)


WRITES = {  # how a platform names a file
    "moodle": "{name}_{number}_assignsubmission_file_/{file}",
    "flat": "{name}_{number}_assignsubmission_file_{file}",
    "canvas": "{login}{late}_{number}_{order}_{file}",
    "blackboard": "Set 3_2_{login}_attempt_2026-11-30-20-12-0{order}_{file}",
    "brightspace": "{number}-77 - {name} - Nov 3{order}, 2026 1159 PM/{file}",
}  # fmt: skip


@pytest.mark.parametrize("writes", WRITES)
@pytest.mark.parametrize("seed", range(9))
def test_whatever_a_file_is_called_it_is_its_senders_or_is_left_out(writes, seed):
    rng = random.Random(seed)
    pieces = ["Ada", "Bob", " ", "-", "_", "7", "Ö", "LATE", "attempt", "anon", ".", "12", "(1)", "tiny"]
    class_list = [{"number": str(100 + n), "order": n % 2, "late": rng.choice(["", "_LATE"]),
                   "name": "".join(rng.choices(pieces, k=4)).strip() or "x", "login": f"user{n}"}
                  for n in range(30)]  # fmt: skip
    class_list[seed]["name"] += "_101_assignsubmission_file"
    sent = {}
    for one in class_list:
        other = rng.choice(class_list) | {"file": "x.ipynb"}
        own = "".join(rng.choices([*pieces, WRITES[rng.choice(list(WRITES))].format(**other)], k=3))
        file = own.replace("/", "_") + ".ipynb"
        sent[PurePosixPath(WRITES[writes].format(**one, file=file))] = one
    platform = platform_of(sent)
    assert platform == {"flat": "moodle"}.get(writes, writes)
    found = [(sender(path, "tiny", platform), one) for path, one in sent.items()]
    assert sum(told is not None for told, _ in found) > 20
    for told, one in found:
        whose = one["login"] if platform == "blackboard" else one["number"]
        late = writes == "canvas" and one["late"] != ""
        assert told is None or (told.number, told.late) == (whose, late)
        assert told is None or not told.when or told.when.year == 2026


def test_a_class_folder_that_holds_the_course_is_refused(capsys):
    with pytest.raises(SystemExit):
        __main__.main(["--class", str(ROOT.parent), "release", "measures"])
    assert "holds the course itself: expected a folder for the class alone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "told"),
    [("setting up uid map: Permission denied", ""), ("", r"bwrap: No such file or directory")],
)
def test_without_a_sandbox_nothing_is_graded_and_it_says_why(monkeypatch, tmp_path, fault, told):
    (tmp_path / "release/tiny").mkdir(parents=True)
    (tmp_path / "release/tiny/tiny.ipynb").touch()
    for command in ("chmod", "rm"):
        (tmp_path / command).symlink_to(shutil.which(command))
    if fault:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\necho '{fault}' >&2; exit 1\n")
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    for kept in (sandbox.missing, sandbox.no_namespaces):
        kept.cache_clear()
    told = rf"works here \({told or fault}\)[^X]+let users\nmake namespaces \(sysctl k"
    with pytest.raises(SystemExit, match=told):
        __main__.main(["--class", str(tmp_path), "grade", "tiny"])
    for kept in (sandbox.missing, sandbox.no_namespaces):
        kept.cache_clear()


def test_hidden_inputs_are_others_in_each_run(released):
    examiner = run.Examiner(str(released.checks("tiny")), "ada", "", {})
    worlds = []
    for examiner.world in ((), ("",), ("x",)):
        worlds.append(set())
        examiner(
            "test-double", lambda _, arguments: worlds[-1].add(arguments) or cases.Answer(0), run.Outcome()
        )
    assert all(worlds) and len(set().union(*worlds)) == sum(map(len, worlds))


def test_no_folder_that_the_sandbox_shows_holds_a_course_that_lies_in_it(monkeypatch):
    monkeypatch.setattr(sandbox, "no_namespaces", list)  # which asks bubblewrap, where it is installed
    with sandbox.own_folder() as folder:
        words = sandbox.sandboxed("bubblewrap", folder, {})
    shown = [after for word, after in pairwise(words) if word.startswith("--ro-bind")]
    assert "/usr/lib" in shown and not {"/", "/usr", sys.prefix, sys.base_prefix} & {*shown}


def test_of_a_module_that_is_emptied_only_what_it_needs_to_load_runs():
    source = "def twice(f):\n    return f\n\n@twice\ndef area(x):\n    return secret(x)\n\nTWO = twice(2)\n"
    names = {}
    exec(sandbox.without_bodies(source), names)
    assert names["TWO"] == 2 and "secret" not in sandbox.without_bodies(source)
    with pytest.raises(RuntimeError, match="area is not there: the question asks you to write it yourself"):
        names["area"](1)


def test_what_a_submission_says_is_a_line_of_text_to_a_terminal_and_a_report():
    said = cases.reply(json.dumps({"raised": ["E\n"], "text": "\x1b]0;x\x07\nbob: graded 4/4 \u202e\ud800"}))
    assert said.fault == "E : ?]0;x? bob: graded 4/4 ??"
    assert cases.short(["\x1b[2J\nbob"]) == r"['\x1b[2J\nbob']"


def test_what_a_submission_leaves_is_gone_at_any_depth():
    with sandbox.own_folder() as folder:
        deep = "import os\nos.mkdir('b', 0)\nfor _ in range(1100):\n    os.mkdir('a')\n    os.chdir('a')"
        subprocess.run([sys.executable, "-c", deep], cwd=folder, check=True)
    assert not folder.exists()


@pytest.mark.kernel
def test_a_student_hears_before_handing_in_what_is_missing(released, tmp_path):
    borrowed = "def half(x):\n    return x * cl.softmax([[x, x]])[0, 0]"
    sheet = answered(release_of(released), {"half": borrowed, "student": "STUDENT_ID = 'ada'"})
    sheet.cells.append(new_code_cell("forgotten + 1"))
    sheet.metadata["withheld"] = {"half": ["calibration_lessons.numerics:softmax"]}
    nbformat.write(sheet, tmp_path / "tiny.ipynb")
    said = check(tmp_path / "tiny.ipynb", Limits()).splitlines()
    gc.collect()  # a socket that is left open is told here, not in a later test
    assert "check: double: not answered" in said
    assert any("cell 8: NameError: name 'forgotten' is not defined (" in line for line in said)
    assert "check: test-half: RuntimeError: softmax is not there" in "\n".join(said)
    assert said[-2:] == ["check: STUDENT_ID is 'ada'", "check: 0 of 2 visible checks pass"]


def test_a_file_that_is_no_sheet_is_told_with_what_to_do(released, tmp_path):
    stripped = answered(release_of(released), RIGHT)
    for part in stripped.cells:
        part.metadata = {}
    text = nbformat.writes(stripped)
    for name, content, told in (
        ("torn.ipynb", text[:-40], "no notebook.*hand in the .ipynb that Jupyter saved"),
        ("other.ipynb", text, "copy the answers into a fresh sheet"),
        ("missing.ipynb", "", "is no file; give the path of your notebook"),
    ):
        if content:
            (tmp_path / name).write_text(content, encoding="utf-8")
        with pytest.raises(SystemExit, match=told):
            check(tmp_path / name, LIMITS)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_an_editors_encoding_is_no_reason_to_refuse(released, tmp_path, encoding):
    path = tmp_path / "tiny.ipynb"
    path.write_text(nbformat.writes(release_of(released)), encoding=encoding)
    assert len(reading.read(path).cells) == len(release_of(released).cells)


def test_a_submission_that_cannot_be_opened_stops_nobody(released, tmp_path):
    course = Course(tmp_path, released.sources)
    course.place("submitted", "ada", "tiny").mkdir(parents=True)
    assert grading.digest(course, "ada", "tiny", {}) == grading.digest(course, "bob", "tiny", {})


def test_nobody_is_graded_by_checks_that_cannot_be_loaded(released, tmp_path):
    shutil.copytree(released.sources, tmp_path / "sources")
    (tmp_path / "sources/tiny/checks.py").write_text("QUESTIONS = [", encoding="utf-8")
    edited = Course(released.folder, tmp_path / "sources")
    with pytest.raises(SystemExit, match=r"the checks cannot be loaded, nobody is graded.*SyntaxError"):
        commands.grade(edited, "tiny", LIMITS, "none")


def test_formgraders_own_autograder_is_refused_and_the_grade_stays(released, tmp_path):
    course = Course(shutil.copytree(released.folder, tmp_path / "class"), released.sources)
    handed_in(course, "ada", nbformat.writes(answered(release_of(course), RIGHT)))
    course.place("autograded", "ada", "tiny").parent.mkdir(parents=True)
    course.place("autograded", "ada", "tiny").write_text("graded here")
    done = commands.nbgrader(course).autograde("tiny", "ada")
    assert not done["success"] and "python -m classroom grade" in done["error"]
    assert course.place("autograded", "ada", "tiny").read_text() == "graded here"


RUNS = """
import os, pathlib, signal, sys, tempfile
from classroom import run
def answer(asked, _):
    place = pathlib.Path(tempfile.gettempdir())
    if not asked["kill"]:
        print('{"left": %d}' % len([*place.iterdir()]), end="", flush=True)
    (place / "left").mkdir(0)
    signal.raise_signal(asked["kill"])
run.answer = answer
run.main()
"""


def test_a_run_that_does_not_end_or_breaks_off_is_told_and_leaves_the_next_nothing(monkeypatch):
    asked = {"examiner": {"checks": "", "student": "ada", "word": "", "locked": {}}}
    monkeypatch.setattr(grading, "RUN", [sys.executable, "-c", RUNS])
    with grading.Runs(LIMITS, "none") as run:
        with pytest.raises(RuntimeError, match="grade again when the machine is less busy"):
            run(asked | {"kill": signal.SIGALRM})
        process = run.own.process
        with pytest.raises(RuntimeError, match=r"the run broke off \(TypeError"):
            run(asked | {"kill": "x"})
        with pytest.raises(RuntimeError, match=r"the run broke off \(no word\)"):
            run(asked | {"kill": signal.SIGKILL})
        assert run(asked | {"kill": 0}) == {"left": 0} and run.own.process is process
        process.kill()
        process.wait()
        assert run(asked | {"kill": 0}) == {"left": 0}
        with pytest.raises(RuntimeError, match=r"the run broke off \(KeyError: 'examiner'\)"):
            run({})


@pytest.mark.parametrize("folder", ["<img src=x onerror=alert(1)>", 'a"x', "a&lt;", "\x1b]0;x\x07"])
def test_a_folder_whose_name_formgrader_or_a_terminal_would_take_for_more_is_left_out(tmp_path, folder):
    course = Course(tmp_path)
    for student in (folder, "Zoë O'Hara"):
        course.place("submitted", student, "tiny").parent.mkdir(parents=True)
        course.place("submitted", student, "tiny").touch()
    assert roster.students(course, "tiny") == ["Zoë O'Hara"]
    assert roster.students(course, "tiny", shown=False) == [folder]


@pytest.mark.parametrize("judged", [True, False], ids=["judged", "not judged at first"])
@pytest.mark.parametrize(("alone", "points"), [(1, 1), (0, 0)], ids=["of another's", "of its own"])
def test_only_a_question_that_all_at_hand_would_mend_is_put_once_more(monkeypatch, alone, points, judged):
    # `mine` calls what it misses: another question's withheld function, or its own; `wrong` is wrong anyway
    earned = {("x", "y"): (0, 0, 1), (): (1, 0, 1), ("x",): (alone, 0, 1)}
    worlds = []

    def run_once(notebook, limits, sandbox, examiner, withheld, asked):
        world = tuple(sorted(withheld))
        worlds.append((world, set(asked), examiner.world))
        later = world != ("x", "y") or judged
        told = [*zip(("mine", "wrong", "free"), earned[world], strict=True)][0 if later else 1 :]
        verdicts = {f"test-{q}": [{"earned": p, "possible": 1, "in": world}] for q, p in told if q in asked}
        return run.Outcome(verdicts=verdicts, started=True, missed=[""] * (world == ("x", "y")))

    monkeypatch.setattr(run, "run_once", run_once)
    withheld = {"mine": frozenset("x"), "wrong": frozenset("y"), "free": frozenset[str]()}
    examiner = types.SimpleNamespace(withheld=withheld, locked={}, skipped=set(), world=())
    outcome = run.run(None, Limits(), "bubblewrap", examiner)
    assert worlds == [
        (("x", "y"), {*withheld}, ()), ((), {"mine", "wrong"}, ("",)), (("x",), {"mine"}, ("x",)),
    ]  # fmt: skip
    assert outcome.earned("mine") == [points] and outcome.earned("free") == [1]
    assert outcome.told("wrong") == [{"earned": 0, "possible": 1, "in": ()}]


@pytest.mark.parametrize("missed", [[], [""]])
def test_what_misses_nothing_runs_once_and_a_limit_before_a_second_run_takes_no_points(monkeypatch, missed):
    runs = [run.Outcome(started=True, missed=missed), run.Outcome(stopped="more than 3 GiB")]
    monkeypatch.setattr(run, "run_once", lambda *_: runs.pop(0))
    examiner = types.SimpleNamespace(withheld={"q": frozenset("x")}, locked={}, skipped=set(), world=())
    assert run.run(None, Limits(), "bubblewrap", examiner).started and len(runs) == 1 - len(missed)


def test_a_question_that_does_not_end_takes_the_time_of_no_other_twice(monkeypatch):
    asked = []

    def run_once(notebook, limits, sandbox, examiner, withheld, questions):
        asked.append((set(questions), set(examiner.skipped)))
        return run.Outcome({len(asked): []}, True, [] if asked[1:] else [0])

    monkeypatch.setattr(run, "run_once", run_once)
    examiner = types.SimpleNamespace(
        withheld={"hangs": frozenset("x"), "lost": frozenset("y")}, locked={}, skipped=set(), world=()
    )
    cell = nbformat.v4.new_code_cell(metadata={"nbgrader": {"grade_id": "test-hangs"}})
    outcome = run.run(types.SimpleNamespace(cells=[cell]), Limits(), "bubblewrap", examiner)
    assert asked[:2] == [({"hangs", "lost"}, set()), ({"lost"}, {"hangs"})]
    assert outcome.timed_out == [0] and outcome.outputs == {1: [], 2: []}
