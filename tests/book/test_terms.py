"""A term is linked to the glossary where a lesson first uses it."""

import json
import shutil
from pathlib import Path

import pytest

from tests.book.copied import ROOT, md
from tools.binding.pages import Page, lessons
from tools.binding.terms import GLOSSARY, link, terms, unlinked

NAMES = terms(ROOT)


@pytest.mark.parametrize("lesson", lessons(ROOT), ids=lambda lesson: lesson.file)
def test_the_first_open_use_of_each_term_is_linked(lesson: Page) -> None:
    missing = [f"cell {cell}: {words}" for cell, _, words, _ in unlinked(lesson.raw, NAMES)]
    assert not missing, f"{lesson.file}: make tidy links {missing}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The ECE is an expected calibration error.", ["ECE"]),  # two names, one entry
        ("# Bins\n\n`bins`, $bin$, [bin](bin.md)<!-- = bin -->, then two bins, a bin.", ["bins"]),
        ("**Temperature scaling** has a temperature.", ["temperature"]),
        ("{term}`Logits <logit>` and logits; the Brier score is no score.", ["Brier score", "score"]),
        (":::{note}\n:class: dropdown\nA calibrator.\n:::\n\nThe calibrators", ["calibrators"]),
    ],
)
def test_what_is_a_first_use(text: str, found: list[str]) -> None:
    assert [words for _, _, words, _ in unlinked({"cells": [md(text)]}, NAMES)] == found


def test_tidy_links_them(tmp_path: Path) -> None:
    for folder in ("reference", "measures"):
        (tmp_path / "book" / folder).mkdir(parents=True)
    shutil.copy(ROOT / GLOSSARY, tmp_path / GLOSSARY)
    lesson = tmp_path / "book/measures/sample.ipynb"
    lesson.write_text(json.dumps({"cells": [md("Bins. Over-confident bins, each logit.")]}))
    assert list(link(tmp_path)) == [lesson]
    (cell,) = json.loads(lesson.read_text())["cells"]
    assert cell["source"] == ["{term}`Bins <bin>`. {term}`Over-confident` bins, each {term}`logit`."]
    assert list(link(tmp_path)) == []
