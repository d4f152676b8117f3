"""The recipe of CONTRIBUTING.md, followed: a measure of three lines changes eight files, executes a page."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LESSON = "book/measures/proper_scores.ipynb"
RECIPE = tomllib.loads(Path(__file__).with_name("recipe.toml").read_text(encoding="utf-8"))


def is_changed(path, root):
    """Tell whether a contributor to the tree below `root` would commit this file."""
    name = path.relative_to(root)
    is_ours = not name.parts[0].startswith(("_build", ".")) and "__pycache__" not in name.parts
    is_same = (ROOT / name).is_file() and (ROOT / name).read_bytes() == path.read_bytes()
    return path.is_file() and is_ours and not is_same


def run(root, *words):
    """Run Python in a tree, on the package that stands there, and return what it printed."""
    own, command = os.environ | {"PYTHONPATH": str(root)}, [sys.executable, *words]
    return subprocess.run(command, cwd=root, env=own, capture_output=True, text=True, check=False)


def stale(root):
    """Return the notebooks that would be executed."""
    return {*re.findall(r"^stale: (\S+)", run(root, "tools/binding/notebooks.py", "--check").stdout, re.M)}


def insert(text, before, new):
    """Put a text in front of the first place that holds another."""
    assert text.count(before) >= 1, before
    return text.replace(before, new + before, 1)


def cell(kind, source, **metadata):
    """Write a new cell of a notebook."""
    extra = {} if kind == "markdown" else {"execution_count": None, "outputs": []}
    name = re.sub(r"\W+", "-", source.strip().lower())[:30].strip("-")
    return {"cell_type": kind, "id": name, "metadata": metadata, **extra, "source": source}


FOLD = "```{{admonition}} Sharpness, may be skipped\n:class: dropdown\n{}\n```"


def with_cells(text):
    """Put the concept in front of the lesson's common mistake: formula, definition, function."""
    notebook = json.loads(text)
    place = next(n for n, c in enumerate(notebook["cells"]) if "## Common mistake" in "".join(c["source"]))
    fold = {"code_prompt_show": "Sharpness in plain Python", "code_prompt_hide": "Hide"}
    notebook["cells"][place:place] = [
        cell("markdown", FOLD.format("The variance of the forecasts:\n\n$$\n0\n$$ (eq-sharpness)")),
        cell("code", 'definitions.source("eq-sharpness")', tags=["hide-cell"], mystnb=fold),
        cell("code", "sharp = cl.measures.sharpness([0.9, 0.6, 0.2])", tags=["hide-cell"]),
        cell("markdown", FOLD.format("Three forecasts have a variance of 0<!-- = sharp:.3f -->.")),
    ]
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


API = "book/reference/api/proper_scores_and_their_parts.md"
SYMBOLS = '        "eq-sharpness": {r"\\mathrm{SHARP}": d.sharpness(forecast), "p_": forecast},\n'
API_LINE = ".. autofunction:: calibration_lessons.measures.sharpness\n"
NLL = '        "eq-nll": {r"\\mathrm{NLL}": d.negative_log_likelihood(y, rows)'
EXPORT = "from .sharpness import sharpness as sharpness\n"
EDITS = {
    "calibration_lessons/book/definitions.py": lambda t: insert(
        t, '@numbered(\n    "eq-brier",', RECIPE["definition"]
    ),
    "calibration_lessons/measures/sharpness.py": lambda _: RECIPE["module"],
    "calibration_lessons/measures/__init__.py": lambda t: t + EXPORT,
    "tests/measures/test_sharpness.py": lambda _: RECIPE["proof"],
    "tests/book/symbols.py": lambda t: insert(t, NLL, SYMBOLS),
    API: lambda t: insert(t, ".. autofunction:: brier_score", API_LINE),
    LESSON: with_cells,
}


TESTS = ("tests/measures/test_sharpness.py", *(f"tests/book/test_{name}.py" for name in (
    "guards", "formulas", "grammar", "lengths", "terms")))  # fmt: skip
CONCERNED = ("sharpness", "promise", "proper_scores", "docstrings", "short_path", "start_page")


@pytest.mark.copy
@pytest.mark.kernel
def test_a_measure_by_the_recipe_changes_eight_files_and_executes_one_lesson(tmp_path):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name, edit in EDITS.items():
        path = tmp_path / name
        path.write_text(edit(path.read_text("utf-8") if path.exists() else ""), encoding="utf-8")

    def works(*words):
        done = run(tmp_path, *words)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]

    works("tools/binding/equations.py")
    found = stale(tmp_path)
    assert LESSON in found and (found == {LESSON} or found - {LESSON} == stale(ROOT) - {LESSON})
    works("tools/binding/notebooks.py", LESSON)
    works("-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, "-k", " or ".join(CONCERNED))
    assert sum(is_changed(path, tmp_path) for path in tmp_path.rglob("*")) == 8
