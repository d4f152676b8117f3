"""nbgrader's exchange between two users of one machine, and the environment of a server."""

import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest

from classroom import commands, roster
from classroom.course import ASSIGNMENTS, Course
from classroom.submission import ROOT
from tests.assignments.grading import answered, solutions

TEACHER, STUDENT = "daemon", "nobody"
NBGRADER = [sys.executable, "-m", "nbgrader"]


def as_user(name, words, folder):
    """Run a command as another user whose home is the folder."""
    become = ["setpriv", "--reuid", name, "--regid", str(pwd.getpwnam(name).pw_gid), "--clear-groups"]
    home = {"HOME": str(folder), "USER": name, "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    home |= {"NBGRADER_EXCHANGE": str(folder.parent / "exchange")}
    home |= {"JUPYTER_DATA_DIR": f"{folder}/.data", "JUPYTER_CONFIG_DIR": f"{folder}/.config"}
    return subprocess.run(
        [*become, *words], cwd=folder, env=home, capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture
def places():
    """Make the exchange and the folders of both users."""
    if not shutil.which("setpriv") or os.geteuid() != 0:
        pytest.skip("only root can act as two users, with setpriv")
    with tempfile.TemporaryDirectory(prefix="exchange-") as name:
        root = Path(name)
        root.chmod(0o755)
        for user, mode in {"exchange": 0o777, TEACHER: 0o755, STUDENT: 0o755}.items():
            (root / user).mkdir()
            (root / user).chmod(mode)
        if as_user(STUDENT, [*NBGRADER, "--version"], root / STUDENT).returncode:
            pytest.skip("another user cannot run this Python")
        yield root


def test_a_set_goes_to_a_student_and_comes_back_through_the_exchange(places):
    teacher, student = places / TEACHER, places / STUDENT
    source = ASSIGNMENTS / "source/measures/measures.ipynb"
    commands.release(Course(teacher), "measures")
    (student / ".config").mkdir()
    shutil.copyfile(ASSIGNMENTS / "nbgrader_config.py", student / ".config/nbgrader_config.py")
    for home, user in ((teacher, TEACHER), (student, STUDENT)):
        for path in [home, *home.rglob("*")]:
            shutil.chown(path, user)

    def does(user, command):
        done = as_user(user, [*NBGRADER, command, "measures"], places / user)
        assert done.returncode == 0, done.stderr

    does(TEACHER, "release_assignment")
    does(STUDENT, "fetch_assignment")
    fetched = student / "measures/measures.ipynb"
    assert fetched.read_bytes() == (teacher / "release/measures/measures.ipynb").read_bytes()
    nbformat.write(answered(nbformat.read(fetched, as_version=4), solutions(source)), fetched)
    does(STUDENT, "submit")
    does(TEACHER, "collect")
    assert roster.students(Course(teacher), "measures") == [STUDENT]
    assert Course(teacher).submission(STUDENT, "measures").read_bytes() == fetched.read_bytes()


def test_a_server_installs_the_lock_and_the_companion():
    files = ROOT / ".binder"
    assert (files / "requirements.txt").read_text(encoding="utf-8").split() == ["-r", "../requirements.txt"]
    version = re.fullmatch(r"python-3\.(\d+)\n", (files / "runtime.txt").read_text(encoding="utf-8"))
    assert version and 11 <= int(version[1]) <= 13
    assert "pip install --no-deps --no-build-isolation -e ." in (files / "postBuild").read_text(
        encoding="utf-8"
    )
    assert os.access(files / "postBuild", os.X_OK)
