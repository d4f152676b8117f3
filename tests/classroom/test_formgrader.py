"""Formgrader by the command of the teacher's page, and the extensions of JupyterLab."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from classroom.course import Course
from classroom.submission import ROOT
from tests.assignments.grading import Class

PAGE = (ROOT / "book/teaching/assignments.md").read_text(encoding="utf-8")
JUPYTER = Path(sys.executable).with_name("jupyter")
SECONDS = 120
OWN_HOST = "<meta content=\"default-src 'self' 'unsafe-inline' data:\" http-equiv=\"Content-Security-Policy\""


def asked(address):
    """Ask a server that is starting."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"{address}?token=known", timeout=SECONDS) as answer:
                return answer.read().decode()
        except urllib.error.URLError:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


@pytest.mark.kernel
def test_the_pages_command_shows_the_sets_and_a_submission_that_loads_nothing_from_elsewhere(tmp_path):
    autumn = Class(Course(tmp_path / "autumn"))
    autumn.grade("measures", autumn.release("measures"))
    (command,) = re.findall(r"cd \.\./autumn\n\S+/\.venv/bin/(jupyter .+)\n", PAGE)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    unseen = ["--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token=known"]
    home = {"JUPYTER_RUNTIME_DIR": str(tmp_path), "JUPYTER_CONFIG_DIR": str(tmp_path / "config")}
    with (tmp_path / "log").open("w") as log:
        words = [str(JUPYTER), *shlex.split(command)[1:], *unseen]
        lab = subprocess.Popen(words, cwd=tmp_path / "autumn", env=os.environ | home, stderr=log)
    try:
        formgrader = f"http://127.0.0.1:{port}/formgrader"
        assert [one["name"] for one in json.loads(asked(f"{formgrader}/api/assignments"))] == ["measures"]
        (sent,) = json.loads(asked(f"{formgrader}/api/submitted_notebooks/measures/measures"))
        before, rule, after = asked(f"{formgrader}/submissions/{sent['id']}/").partition(OWN_HOST)
        assert rule and "//" not in "".join(re.findall(r'(?:src|href)="([^"]*)', before))
        assert "MathJax =" in after.partition('<script src="http')[0], "the page's script needs something"
    finally:
        lab.terminate()
        lab.wait(SECONDS)
    assert "not compatible" not in (tmp_path / "log").read_text()
