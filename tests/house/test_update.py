"""What a learner keeps in `my/` survives an update of the course, as the page for students says."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book/teaching/students.md").read_text(encoding="utf-8")
CHAPTER = "book/measures/ece.ipynb"
WHO = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": "/usr/bin:/bin"}
WHO |= {
    f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def run(command, folder):
    return subprocess.run(
        ["sh", "-ec", command], cwd=folder, env=WHO, capture_output=True, text=True
    ).returncode


def commands(first):
    """The lines of the page's block that begins with this one."""
    (block,) = [block for block in re.findall(r"```text\n(.+?)```", PAGE, re.S) if block.startswith(first)]
    return block


@pytest.mark.skipif(not shutil.which("git", path=WHO["PATH"]), reason="needs git")
def test_a_learners_own_changes_survive_an_update(tmp_path):
    course, learner = tmp_path / "course", tmp_path / "learner"
    for name in (CHAPTER, ".gitignore"):
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, course / name)
    assert run("git init -q . && git add -A && git commit -qm one", course) == 0
    assert run("git clone -q course learner", tmp_path) == 0

    assert run(commands("mkdir -p my"), learner) == 0
    mine = learner / "my" / Path(CHAPTER).name
    for changed in (mine, learner / CHAPTER):
        changed.write_text("mine", encoding="utf-8")
    (course / CHAPTER).write_text("newer", encoding="utf-8")
    assert run("git commit -qam two", course) == 0

    pull = commands("git pull").splitlines()[0]
    assert run(pull, learner) != 0  # it complains about the changed chapter
    (taken_back,) = re.findall(r"`(git checkout [^`]+)`", PAGE)
    assert run(f"{taken_back} && {pull}", learner) == 0
    assert mine.read_text(encoding="utf-8") == "mine"
    assert (learner / CHAPTER).read_text(encoding="utf-8") == "newer"
    assert run('test -z "$(git status --porcelain)"', learner) == 0
