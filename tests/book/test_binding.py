"""Notebooks are executed and bound to their code: the same bytes on each run, each fault named."""

import io
import json
import re
import tomllib
from base64 import b64encode
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from PIL import Image

from tests.book.copied import ROOT, md, picture, py
from tools.binding import notebooks, staleness

SMALL = "book/measures/small.ipynb"
CODE = py("x, many = [0.12345, -2.5e-7], 12345\nprint('out', x[0])")
TEXT = md(  # numbers as somebody writes them first, to be bound
    "It is 0<!-- = x[0]:.3f -->, $0$<!-- = many:_ --> or 0<!-- = many:_ --> rows, 0 %<!-- = x[0]:.1% -->, "
    "$0$<!-- = x[1]:.1e -->, **.5**<!-- = 1 / 4:.2f -->.\n\n| 0.12-0.99<!-- = x[0]:.2f --> | a |\n|---|"
    "---|\n\n- One is far below. <!-- holds: x[0] < many and x[1] < 0 -->"
)
BOUND = "It is 0.123<, $12\\,345$< or 12 345< rows, 12.3 %<, $-2.5 \\times 10^{-7}$<, **0.25**<."
CHANGES = tomllib.loads(Path(__file__).with_name("stale.toml").read_text(encoding="utf-8"))
NUMERICS = CHANGES.pop("the module that changes")
pytest_plugins = "pytester"

FAILS = py("1 / 0", tags=["raises-exception"])
GOOD = [md("# Small"), CODE, TEXT, FAILS, py(""), py("open('beside.txt').read()")]


def course(root: Path, **cells: list[dict[str, Any]]) -> Path:
    """Write notebooks that nobody has executed yet, and what is around them."""
    for name, found in ({"small": GOOD} | cells).items():
        path = root / f"book/measures/{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        notebook = nbformat.v4.new_notebook(cells=json.loads(json.dumps(found)))
        path.write_text(nbformat.writes(nbformat.from_dict(notebook)) + "\n", encoding="utf-8")
    (root / "book/measures/beside.txt").write_text("found", encoding="utf-8")
    package = root / "calibration_lessons"
    (package / "book/data").mkdir(parents=True)
    (package / "__init__.py").write_text("from .numerics import softmax as softmax\n", encoding="utf-8")
    (package / "numerics.py").write_text(NUMERICS, encoding="utf-8")
    (package / "other.py").write_text("import scipy\nx = 1\n", encoding="utf-8")
    for name in ("rows.csv", "more.csv"):
        (package / "book/data" / name).write_text("1", encoding="utf-8")
    (root / "requirements.txt").write_text("numpy==2\nscipy==3\n", encoding="utf-8")
    return root


def bare(text: str) -> str:
    """Text with marks cut short."""
    return re.sub(r"<!--.*?-->", "<", text)


@pytest.mark.kernel
def test_executing_twice_writes_the_same_clean_bytes_and_binds_the_text(tmp_path: Path) -> None:
    path = course(tmp_path) / SMALL
    assert notebooks.main([], tmp_path) == 0
    first = path.read_bytes()
    assert notebooks.main([str(path)], tmp_path) == 0
    assert path.read_bytes() == first and notebooks.main(["--check"], tmp_path) == 0
    cells = nbformat.reads(first.decode(), as_version=4).cells
    assert [cell.get("execution_count") for cell in cells] == [None, 1, None, 2, None, 3]
    assert bare(cells[2].source).startswith(BOUND)
    assert cells[3].outputs[0].traceback == ["ZeroDivisionError: division by zero"]
    assert cells[5].outputs[0].data["text/plain"] == "'found'"


@pytest.mark.kernel
def test_another_format_or_sentence_about_known_values_executes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = course(tmp_path) / SMALL
    notebooks.main([], tmp_path)
    for old, new in ((":.3f -->", ":.2f -->"), ("One is far below.", "In words: one is far above.")):
        path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    assert notebooks.main(["--check"], tmp_path) == 1
    capsys.readouterr()
    assert notebooks.main([], tmp_path) == 0
    told = capsys.readouterr().out
    assert "nothing executed" in told and notebooks.main(["--check"], tmp_path) == 0
    assert "In words: one is far above. <!-- holds: x[0] < many and x[1] < 0 -->" in told  # for a person
    assert bare(path.read_text("utf-8")).count("It is 0.12<") == 1
    for new, shown in (("x[0] * 2:.2f", "It is 0.25<"), ("x[0]:.4f", "It is 0.1235<")):  # unknown; on a tie
        path.write_text(re.sub(r"x\[0\]( \* 2)?:\.2f -->,", f"{new} -->,", path.read_text("utf-8")), "utf-8")
        assert notebooks.main([], tmp_path) == 0
        assert "1/1" in capsys.readouterr().out and shown in bare(path.read_text("utf-8"))


def drawn(*, label: str = "0.125", end: float = 0.5, noise: bool = False) -> str:
    """Draw a figure, with the noise of another machine's rounding at its edges if asked for."""
    figure, axes = plt.subplots(figsize=(5, 3), dpi=100)
    axes.plot([0, 1], [0, end])
    axes.text(0.5, 0.2, label, fontsize=8)
    file = io.BytesIO()
    figure.savefig(file)
    plt.close(figure)
    pixels = np.asarray(Image.open(file)).copy()
    if noise:
        rng = np.random.default_rng(0)
        is_moved = rng.random(pixels.shape[:2]) < 0.008
        moved = pixels[is_moved, :3] + rng.integers(-64, 65, (is_moved.sum(), 3))
        pixels[is_moved, :3] = moved.clip(0, 255)
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, "PNG")
    return b64encode(file.getvalue()).decode()


def test_a_picture_is_kept_where_the_new_one_says_the_same_and_looks_the_same() -> None:
    drawn()  # fonts are loaded
    for new, text, is_kept in [
        (drawn(noise=True), "Picture", True),
        (drawn(noise=True), "Picture of other data", False),
        (drawn(label="0.126"), "Picture", False),
        (drawn(label="0.115"), "Picture", False),
        (drawn(end=0.505), "Picture", False),
    ]:
        old, after = (
            nbformat.v4.new_notebook(cells=[nbformat.from_dict(py("x", picture(*each)))])
            for each in (("Picture", drawn()), (text, new))
        )
        for notebook in (old, after):
            notebook.cells[0].id = "one"
        notebooks.keep_pictures(old, after)
        assert (old.cells[0].outputs == after.cells[0].outputs) == is_kept


@pytest.mark.kernel
def test_what_fails_is_named_with_place_sentence_and_values_and_the_others_still_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    false = md("Larger. <!-- holds: x[1] > x[0] --> Early: 1<!-- = later --> and 1<!-- = next(turn) -->.")
    course(
        tmp_path,
        broken=[py("x = 1"), md("Then"), py("x = 2\nx / 0")],
        noisy=[py("import sys\nprint('oh no', file=sys.stderr)")],
        false=[CODE, py("turn = iter(range(9))"), false, py("later = 1")],
    )
    before = (tmp_path / "book/measures/false.ipynb").read_bytes()
    assert notebooks.main([], tmp_path) == 1
    report = capsys.readouterr().out
    for line in (
        "broken.ipynb: cell 3 (x = 2): ZeroDivisionError: division by zero",
        "noisy.ipynb: cell 1 (import sys): wrote to stderr: oh no",
        "false.ipynb: cell 3, line 1: <!-- holds: x[1] > x[0] --> is false: x[1] = -2.5e-07, x[0] = 0.12345 "
        "(behind «Larger.»); correct the sentence, or the claim",
        "NameError: name 'later' is not defined (behind «Early: 1»); correct it; it sees the code cells",
        "gives '0', then '1'",
        "small.ipynb: written, ",
    ):
        assert line in report
    assert (tmp_path / "book/measures/false.ipynb").read_bytes() == before


@pytest.mark.kernel
def test_the_run_of_nbval_evaluates_the_marks_in_the_same_kernel(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    course(pytester.path)
    notebooks.main([str(pytester.path / SMALL)], pytester.path)
    pytester.makeconftest((ROOT / "conftest.py").read_text(encoding="utf-8"))
    options = ("--nbval-current-env", "-p", "no:cacheprovider", SMALL)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.runpytest_subprocess(*options).assert_outcomes(passed=5)
    path = pytester.path / SMALL
    text = path.read_text("utf-8").replace("0.123<", "0.124<").replace("x[1] < 0", "x[1] > 0")
    path.write_text(text, "utf-8")
    run = pytester.runpytest_subprocess(*options)
    run.assert_outcomes(passed=4, failed=1)
    run.stdout.fnmatch_lines(["*small.ipynb: cell 3, line 6: *is false*", "*0.123, the text says 0.124*"])


@pytest.mark.parametrize("change", CHANGES)
def test_a_notebook_is_stale_when_a_name_that_it_leads_to_changes(tmp_path: Path, change: str) -> None:
    notebook = {"cells": [py("import calibration_lessons as cl"), py("cl.softmax([1])"), md("Text")]}
    file, old, new, is_stale = CHANGES[change]
    path = course(tmp_path) / "calibration_lessons" / file
    state = staleness.Surroundings(tmp_path).state(notebook)
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    assert (staleness.Surroundings(tmp_path).state(notebook) != state) == is_stale
    assert staleness.Surroundings(tmp_path).state({"cells": notebook["cells"][:2]})["code"] == state["code"]
