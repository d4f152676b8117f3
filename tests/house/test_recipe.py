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


def digests(root):
    """Return a digest of each file that a contributor would commit."""
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    kept = (path for path in files if not path.relative_to(root).as_posix().startswith(("_build", ".")))
    return {path.relative_to(root).as_posix(): hash(path.read_bytes()) for path in kept}


STALE = re.compile(r"^stale: (\S+)", re.M)


def check(root):
    """Return what `notebooks.py --check` says: the notebooks that would be executed."""
    command = [sys.executable, "tools/binding/notebooks.py", "--check"]
    own = os.environ | {"PYTHONPATH": str(root)}
    return subprocess.run(command, cwd=root, env=own, capture_output=True, text=True, check=False).stdout


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


@pytest.mark.copy
@pytest.mark.kernel
def test_a_measure_by_the_recipe_changes_eight_files_and_executes_one_lesson(tmp_path):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    before, stale = digests(tmp_path), set(STALE.findall(check(tmp_path)))
    for name, edit in EDITS.items():
        path = tmp_path / name
        path.write_text(edit(path.read_text("utf-8") if path.exists() else ""), encoding="utf-8")

    def run(*words):
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
        return done.stdout

    run("tools/binding/equations.py")
    assert set(STALE.findall(check(tmp_path))) - stale == {LESSON}
    run("tools/binding/notebooks.py", LESSON)
    tests = ("tests/book", "tests/measures/test_sharpness.py", "-m", "not kernel and not copy")
    changed = "not harper or proper_scores"  # whose prose is read anew
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", changed)
    after = digests(tmp_path)
    assert len({name for name in after if after[name] != before.get(name)}) == 8
