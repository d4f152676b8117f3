"""The set-up says which step failed and what to do, in the last line before make's own."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = sys._base_executable  # a space in the environment's own path is not for make
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")


@pytest.fixture
def clone(tmp_path):
    """A tree that has only what the set-up needs, and no environment."""
    locks = ("requirements.txt", "requirements-site.txt")
    for name in ("Makefile", *locks, "pyproject.toml", "tools/release/setup.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def ready(clone):
    """The same with an environment that looks complete."""
    (clone / ".venv/bin").mkdir(parents=True)
    (clone / ".venv/bin/python").symlink_to(PYTHON)
    for stamp in ("site", "made"):
        (clone / ".venv" / stamp).write_text(f"{clone} python3\n")
    return clone


def program(folder, name, script):
    """Put a program on a path of its own, and return it."""
    path = folder / "programs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def make(folder, *arguments, **environment):
    """Run make; return its status and what it printed, but for make's own lines."""
    outside = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "PYTHON"}}
    done = subprocess.run(
        ["make", *arguments], cwd=folder, env=outside | environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return done.returncode, [line for line in done.stdout.splitlines() if not line.startswith("make")]


def test_make_help_lists_every_target(clone):
    _, lines = make(clone, "help")
    targets = re.findall(r"(?m)^([a-z-]+):.*##", (clone / "Makefile").read_text(encoding="utf-8"))
    assert {line.split()[0] for line in lines} >= set(targets)


def test_make_n_prints_the_commands_and_runs_none_and_serving_installs_no_more_than_the_site_needs(clone):
    status, lines = make(clone, "-n", "serve", "CLASS_EDITION=1", f"PYTHON={PYTHON}")
    assert status == 0 and not (clone / ".venv").exists()
    printed = "\n".join(lines)
    for command in (f"tools/release/setup.sh {PYTHON}", "python tools/site/class_edition.py",
                    "jupyter-book build -q -W -n --keep-going _build/class/",
                    "http.server --bind 127.0.0.1 --directory _build/class/_build/html 8000"):  # fmt: skip
        assert command in printed
    assert printed.count("tools/release/setup.sh") == 1
    assert make(clone, "-n", "setup")[1][-1] == "tools/release/setup.sh .venv/bin/python requirements.txt"


def test_the_environment_is_made_when_its_lock_folder_or_python_is_another_and_only_then(ready):
    def is_made(*words):
        return "tools/release/setup.sh" in "\n".join(make(ready, "-n", "setup", *words)[1])

    assert not is_made() and not is_made("PYTHON=python3")
    assert is_made("PYTHON=python3.13")
    (ready / ".venv/site").write_text("/another/folder python3\n")
    assert is_made()
    for stamp in ("site", "made"):
        (ready / ".venv" / stamp).write_text(f"{ready} python3\n")
    for lock in ("requirements.txt", "requirements-site.txt"):
        os.utime(ready / lock, (2**32, 2**32))
        assert is_made()
        os.utime(ready / lock, (0, 0))
    assert not is_made()
    (ready / ".venv/bin/python").unlink()
    assert is_made()


INSTALL = "install Python 3.11, 3.12 or 3.13 and name it"
NO_VENV = 'case $2 in *venv*) exit 1;; *_base*) echo "$0";; *) echo 3.12;; esac'


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 2.7", f"Python 2.7 is too old for the course; {INSTALL}"),
        ("echo 3.6", f"Python 3.6 is too old for the course; {INSTALL}"),
        ("echo 3.10", f"Python 3.10 is too old for the course; {INSTALL}"),
        ("echo 3.14", f"Python 3.14 is too new for the course; {INSTALL}"),
        ("echo 4.0", f"Python 4.0 is too new for the course; {INSTALL}"),
        ("exit 1", f"/programs/python does not run; {INSTALL}"),
        (NO_VENV, "no venv module; install it (on Debian: apt-get install python3.12-venv)"),
    ],
)
def test_a_python_that_does_not_suit_is_refused_with_a_remedy_in_the_last_line(clone, script, told):
    status, lines = make(clone, "setup", f"PYTHON={program(clone, 'python', script)}", PATH="/usr/bin:/bin")
    assert status != 0 and not (clone / ".venv").exists()
    assert lines[-1].startswith("setup: ") and told in lines[-1]


NO_REGISTRY = {
    "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull, "UV_NO_INDEX": "1",
    "UV_OFFLINE": "1", "UV_NO_CACHE": "1",
}  # fmt: skip


@pytest.mark.kernel
def test_no_registry_is_named_in_the_last_line(clone):
    status, lines = make(clone, "setup", f"PYTHON={PYTHON}", **NO_REGISTRY)
    assert status != 0
    assert re.search(r"setup: installing requirements-site.txt failed.*check the network", lines[-1])


@pytest.mark.kernel
def test_where_uv_fails_pip_installs(clone):
    ours = f'exec "{sys.executable}" -m uv "$@"'
    uv = program(clone, "uv", f'[ "$1" = venv ] && {ours}; echo "no uv here"; exit 1')
    (clone / "requirements-site.txt").write_text("")
    (clone / "pyproject.toml").write_text(
        "[project]\nname = 'x'\nversion = '0'\n[build-system]\nrequires = []\n"
    )
    path = f"{uv.parent}:{os.environ['PATH']}"
    status, lines = make(clone, "setup", f"PYTHON={PYTHON}", PATH=path, **NO_REGISTRY)
    assert "setup: uv failed; pip tries, which takes a minute or more" in lines
    assert status != 0 and "installing calibration_lessons failed" in lines[-1]  # without a build backend


def test_a_port_that_cannot_be_used_is_named_before_anything_is_built(ready):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        for port in (busy.getsockname()[1], "eighty", "70000"):
            status, lines = make(ready, "serve", f"PORT={port}")
            assert status != 0 and len(lines) == 1
            assert (
                f"serve: port {port} cannot be used; choose another, as in: make serve PORT=8001" in lines[0]
            )
