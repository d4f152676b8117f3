"""The class edition holds no solution and nothing for teachers, and everything else of the book."""

import re
import subprocess
import sys

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.site import class_edition


@pytest.fixture(scope="module")
def edition(tmp_path_factory):
    return class_edition.write(tmp_path_factory.mktemp("class"))


def text(path):
    return "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)


def test_no_solution_is_left_in_any_chapter_and_every_other_word_is_kept(edition):
    chapters = [*(edition / "book").rglob("*.ipynb")]
    assert len(chapters) > 30
    for path in chapters:
        full, kept = text(class_edition.ROOT / path.relative_to(edition)), text(path)
        assert "{solution" not in path.read_text(encoding="utf-8"), path
        own = re.compile(r"^#+ .*|\{exercise-start\}", re.M)
        assert own.findall(kept) == own.findall(full), path
        outside = re.sub(r"```\{solution-start\}.*?```\{solution-end\}\n```", "", full, flags=re.S)
        assert kept.split() == outside.split(), path


def test_the_extensions_of_the_site_are_there_and_find_what_they_import(edition):
    names = yaml.safe_load((edition / "_config.yml").read_text("utf-8"))["sphinx"]["local_extensions"]
    code = f"import sys; sys.path.insert(0, '.'); import {', '.join(names)}; print(*sys.modules)"
    script = [sys.executable, "-P", "-c", code]
    done = subprocess.run(script, cwd=edition, capture_output=True, text=True, check=True)
    assert set(names) <= set(done.stdout.split())


def test_a_teachers_page_says_whose_it_is(edition):
    for name in class_edition.FOR_TEACHERS:
        text = (edition / name).read_text(encoding="utf-8")
        assert text.startswith("# ")
        assert "teacher's edition" in text
        assert len(text.splitlines()) == 3


def test_text_between_two_solutions_in_one_cell_is_kept():
    notebook = new_notebook(
        cells=[
            new_markdown_cell("before\n\n:::{solution-start} a\n:class: dropdown\n:::\nsecret"),
            new_code_cell("secret"),
            new_markdown_cell(":::{solution-end}\n:::\n\nbetween\n\n```{solution-start} b\n```\nsecret"),
            new_markdown_cell("secret"),
            new_markdown_cell("secret\n```{solution-end}\n```"),
            new_code_cell("after"),
        ]
    )
    left = class_edition.without_solutions(notebook)
    assert [cell.source for cell in left.cells] == ["before", "between", "after"]


def test_writing_again_touches_only_what_changed(edition):
    dates = {path: path.stat().st_mtime_ns for path in edition.rglob("*") if path.is_file()}
    (edition / "book" / "gone.md").write_text("# A page that the book no longer has\n")
    class_edition.write(edition)
    assert {path: path.stat().st_mtime_ns for path in edition.rglob("*") if path.is_file()} == dates
