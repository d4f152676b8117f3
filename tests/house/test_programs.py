"""The programs of the pages "Use it" are complete, and stand there beside what they print."""

import ast
import re

import numpy as np
import pytest

import calibration_lessons as cl
from tests.book.copied import ROOT
from tools.binding.pages import pages
from tools.release.programs import agree, programs

INCLUDED = re.compile(r"\{literalinclude\} programs/([\w.]+)")


def test_each_program_is_complete_and_stands_on_a_page_with_what_it_prints():
    shown = [
        name
        for page in pages(ROOT, "book/use")
        for cell in page.markdown
        for name in INCLUDED.findall(cell.source)
    ]
    files = [file.name for each in programs() for file in (each, each.with_suffix(".txt"))]
    assert sorted(shown) == sorted(files)
    for each in programs():
        text = each.read_text(encoding="utf-8")
        ast.parse(text)
        assert "import calibration_lessons as cl" in text and max(map(len, text.splitlines())) <= 80


def test_the_reports_that_the_pages_show_are_worded_as_reports_are_today():
    p = np.random.default_rng(0).random(200)
    told = [
        str(cl.calibration_report((p > 0.4).astype(int), q, random_state=0))
        for q in (p, np.c_[1 - p, p, 0 * p])
    ]
    worded = {re.sub(r"[\d.]*\d", "0", line) for line in told}
    for each in programs():
        shown = re.findall(
            r"^(?:before|after): (.*)", each.with_suffix(".txt").read_text(encoding="utf-8"), re.M
        )
        assert shown and {re.sub(r"[\d.]*\d", "0", line) for line in shown} <= worded, (
            f"{each}: make check-integrations"
        )


@pytest.mark.parametrize(
    ("found", "same"),
    [
        ("T 2.12, n = 8000", True),
        ("T 2.25, n = 8000", True),
        ("T 3.12, n = 8000", False),
        ("T 2.12, n = 9000", False),
        ("t 2.12, n = 8000", False),
        ("T 2.12", False),
    ],
)
def test_an_output_agrees_in_its_words_and_about_in_its_numbers(found, same):
    assert agree(found, "T 2.12, n = 8000") == same
