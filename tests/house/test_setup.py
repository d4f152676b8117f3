"""The set-up says which step failed and what to do; make's last line is that message."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tools import setup_env, website

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 4), (3, 13, 9)])
def test_three_pythons_suit(version):
    setup_env.check_version(version)


@pytest.mark.parametrize(
    ("version", "fault"), [((2, 7, 18), "old"), ((3, 10, 13), "old"), ((3, 14, 0), "new")]
)
def test_other_pythons_are_refused_with_a_remedy(version, fault):
    message = f"Python {version[0]}.{version[1]} is too {fault} for the course; install Python 3.11"
    with pytest.raises(setup_env.Stop, match=re.escape(message)):
        setup_env.check_version(version)


def test_a_missing_venv_module_is_named_with_debians_package(monkeypatch):
    monkeypatch.setattr(setup_env, "venv_module_found", lambda: False)
    with pytest.raises(
        setup_env.Stop, match=r"no venv module; install it \(on Debian: apt-get install python3"
    ):
        setup_env.check_venv_module(None)
    setup_env.check_venv_module("/usr/bin/uv")


@pytest.fixture
def copy(tmp_path):
    """A tree that has only what the set-up needs, and no environment."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml", "tools/setup_env.py", "tools/website.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(folder, *arguments, **environment):
    """Run make and return its status and the last line that a user sees."""
    done = subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    printed = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode, (done.stderr or done.stdout).strip().splitlines()[-1], printed


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")


@needs_make
def test_make_help_lists_every_target(copy):
    _, _, lines = make(copy, "help")
    targets = re.findall(r"(?m)^([a-z-]+):", (copy / "Makefile").read_text(encoding="utf-8"))
    assert {line.split()[0] for line in lines} >= {*targets, "make"}


@needs_make
def test_a_python_that_does_not_run_is_named_in_the_last_line(copy):
    status, last, _ = make(copy, "setup", "PYTHON=/no/such/python")
    assert status != 0 and "setup: /no/such/python does not run; name a Python 3.11, 3.12 or 3.13" in last


@needs_make
def test_no_registry_is_named_in_the_last_line(copy):
    environment = {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": "",
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_NO_CACHE": "1",
        "PIP_CONFIG_FILE": os.devnull,
    }
    status, last, _ = make(copy, "setup", f"PYTHON={sys.executable}", **environment)
    assert status != 0
    assert re.search(r"setup: installing requirements.txt with \w+ failed.*check the network", last)


@needs_make
def test_a_busy_port_is_named_before_anything_is_built(copy):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        status, last, _ = make(copy, "serve", f"PORT={port}", f"PYTHON={sys.executable}")
    assert status != 0 and f"serve: port {port} cannot be used" in last and "make serve PORT=8001" in last


@pytest.mark.parametrize("port", ["eighty", "70000", ""])
def test_what_is_no_port_is_refused(port):
    with pytest.raises(website.Stop, match="is no port"):
        website.server(port)
