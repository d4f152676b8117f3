"""The commands that README, INSTALL, the quickstart and the students' page show work as they stand there."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "INSTALL.md", "book/quickstart.ipynb", "book/teaching/students.md")
TRIED = {  # by other tests and targets, as a whole
    "jupyter-book build .": "make build",
    "python -m http.server": "make serve",
    "python -m pytest": "make test",
    "jupyter lab": "make lab",
}


def blocks(text):
    """List the shell blocks of a Markdown text."""
    fences = (token for token in MarkdownIt().parse(text) if token.type == "fence")
    return [token.content for token in fences if token.info in {"", "text", "bash", "sh"}]


def commands(page):
    """Yield each line of the page's shell blocks, and each install command in a sentence."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if page.endswith(".ipynb"):
        cells = (cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
        text = "\n\n".join("".join(cell["source"]) for cell in cells)
    for block in blocks(text):
        yield from (line.partition(" # ")[0].strip() for line in block.splitlines() if line.strip())
    yield from re.findall(r"`((?:pip|python\S*) (?:-m pip )?install [^`]+)`", text)


ALL = [(page, command) for page in PAGES for command in commands(page)]
INSTALL = re.compile(r"\bpip install\b")


@pytest.mark.registry
@pytest.mark.parametrize("command", sorted({command for _, command in ALL if INSTALL.search(command)}))
def test_what_a_page_says_to_install_can_be_installed(command, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    words = shlex.split(command)
    options = ["--dry-run", "--quiet"] + (["--use-pep517"] if "-e" in words else [])
    if "--no-build-isolation" in words:  # the lock, which the page installs before, holds the build backend
        pin = re.search(r"^flit-core==\S+", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M)[0]
        subprocess.run([tmp_path / "bin/python", "-m", "pip", "install", "--quiet", pin], check=True)
    arguments = words[words.index("install") :] + options
    whole = [tmp_path / "bin/python", "-m", "pip", *arguments]
    done = subprocess.run(whole, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_other_command_of_the_way_without_make_is_a_target_in_full():
    text = (ROOT / "INSTALL.md").read_text(encoding="utf-8")
    block = next(block for block in blocks(text) if "-m venv" in block)
    rest = [line.removeprefix(".venv/bin/") for line in block.splitlines() if not INSTALL.search(line)]
    assert [line for line in rest[1:] if not any(line.startswith(known) for known in TRIED)] == []
