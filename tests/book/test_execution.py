"""`tools/notebooks.py` writes the same bytes on each run, and names the cell that fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.book.sample import as_notebook, md, py
from tools import equations, notebooks

GOOD = [
    md("# Small"),
    py("import sys\nprint('out')"),
    py("{'a': 0.5}"),
    py("1 / 0", tags=["raises-exception"]),
    py(""),
    py("from pathlib import Path\nPath('beside.txt').read_text()"),
]
STALE = "book/measures/small.ipynb"


def course(root: Path, **changes: list[dict[str, object]]) -> Path:
    """Write a course of a few notebooks that nobody has executed yet, and return its root."""
    for name, cells in {"small": GOOD, **changes}.items():
        path = root / f"book/measures/{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(as_notebook(json.loads(json.dumps(cells)))), encoding="utf-8")
    (root / "book/measures/beside.txt").write_text("found in its own folder", encoding="utf-8")
    (root / "calibration_lessons").mkdir()
    (root / "calibration_lessons/numerics.py").write_text("x = 1\n", encoding="utf-8")
    (root / "requirements.txt").write_text("numpy==2\n", encoding="utf-8")
    return root


@pytest.mark.kernel
def test_executing_twice_writes_the_same_clean_bytes(tmp_path: Path) -> None:
    path = course(tmp_path) / STALE
    assert notebooks.main([], tmp_path) == 0
    first = path.read_bytes()
    assert notebooks.main([str(path)], tmp_path) == 0
    assert path.read_bytes() == first

    notebook = json.loads(first)
    cells = notebook["cells"]
    assert notebook["metadata"] == notebooks.METADATA
    assert [cell.get("execution_count") for cell in cells] == [None, 1, 2, 3, None, 4]
    assert cells[1]["outputs"][0]["text"] == ["out\n"]
    assert cells[3]["outputs"][0]["traceback"] == ["ZeroDivisionError: division by zero"]
    assert cells[5]["outputs"][0]["data"]["text/plain"] == ["'found in its own folder'"]
    assert all("execution" not in cell["metadata"] for cell in cells)
    assert all(cells[i]["metadata"]["digest"] == notebooks.digest(cells[i]) for i in (1, 2, 3, 5))


@pytest.mark.kernel
def test_a_failing_cell_and_text_on_stderr_are_named_and_the_others_still_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course(
        tmp_path,
        broken=[py("x = 1"), md("Then"), py("x = 2\nx / 0"), py("x")],
        noisy=[py("import sys\nprint('oh no', file=sys.stderr)")],
    )
    broken = (tmp_path / "book/measures/broken.ipynb").read_bytes()
    assert notebooks.main([], tmp_path) == 1
    report = capsys.readouterr().out
    assert "broken.ipynb: cell 3 (x = 2): ZeroDivisionError: division by zero" in report
    assert "noisy.ipynb: cell 1 (import sys): wrote to stderr: oh no" in report
    assert "small.ipynb: written, " in report
    assert (tmp_path / "book/measures/broken.ipynb").read_bytes() == broken
    assert notebooks.main(["--check"], tmp_path) == 1
    stale = capsys.readouterr().out.splitlines()
    assert stale == ["stale: book/measures/broken.ipynb", "stale: book/measures/noisy.ipynb"]


@pytest.mark.parametrize("changed", [STALE, "calibration_lessons/numerics.py", "requirements.txt"])
def test_a_notebook_is_stale_once_it_or_the_package_or_the_lock_changes(tmp_path: Path, changed: str) -> None:
    course(tmp_path)
    record = notebooks.Record(tmp_path)
    assert record.is_stale(tmp_path / STALE)
    record.add(tmp_path / STALE)
    assert not notebooks.Record(tmp_path).is_stale(tmp_path / STALE)
    with (tmp_path / changed).open("a", encoding="utf-8") as file:
        file.write(" \n")
    assert notebooks.Record(tmp_path).is_stale(tmp_path / STALE)


def test_the_page_of_equations_is_written_once_and_then_up_to_date(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course(tmp_path)
    assert equations.main(["--check"], tmp_path) == 1
    assert equations.main([], tmp_path) == 0
    assert equations.main(["--check"], tmp_path) == 0
    assert capsys.readouterr().out.splitlines() == [
        "book/reference/equations.md is stale: run tools/equations.py.",
        "book/reference/equations.md: written.",
        "book/reference/equations.md is up to date.",
    ]
