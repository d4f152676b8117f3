"""nbgrader's exchange, and the environment of a server."""

import os
import re
import shutil
import subprocess
import sys

import nbformat

from classroom import commands, roster
from classroom.course import ASSIGNMENTS, Course
from classroom.submission import ROOT
from tests.assignments.grading import answered, solutions


def test_a_set_goes_to_a_student_and_comes_back_through_the_exchange(tmp_path):
    course, student = Course(tmp_path / "teacher"), tmp_path / "student"
    for folder in (tmp_path / "exchange", student):
        folder.mkdir()
        folder.chmod(0o777)
    commands.release(course, "measures")
    shutil.copy(ASSIGNMENTS / "nbgrader_config.py", student)
    places = {"NBGRADER_EXCHANGE": "exchange", "JUPYTER_DATA_DIR": "data"}
    variables = os.environ | {name: str(tmp_path / folder) for name, folder in places.items()}

    def does(folder, command):
        words = [sys.executable, "-m", "nbgrader", command, "measures"]
        done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    does(course.folder, "release_assignment")
    assert any((tmp_path / "exchange").iterdir())
    does(student, "fetch_assignment")
    fetched = student / "measures/measures.ipynb"
    assert fetched.read_bytes() == (course.folder / "release/measures/measures.ipynb").read_bytes()
    right = solutions(ASSIGNMENTS / "source/measures/measures.ipynb")
    nbformat.write(answered(nbformat.read(fetched, as_version=4), right), fetched)
    does(student, "submit")
    does(course.folder, "collect")
    (who,) = roster.students(course, "measures")
    assert course.place("submitted", who, "measures").read_bytes() == fetched.read_bytes()


def test_a_server_installs_the_lock_and_the_companion():
    files = ROOT / ".binder"
    assert (files / "requirements.txt").read_text(encoding="utf-8").split() == ["-r", "../requirements.txt"]
    version = re.fullmatch(r"python-3\.(\d+)\n", (files / "runtime.txt").read_text(encoding="utf-8"))
    assert version and 11 <= int(version[1]) <= 13
    assert "pip install --no-deps --no-build-isolation -e ." in (files / "postBuild").read_text(
        encoding="utf-8"
    )
    assert os.access(files / "postBuild", os.X_OK)
