"""The pages "Use it": short, of one shape, and with programs whose output stands beside them."""

import ast
import re

import pytest

from tests.book.copied import ROOT
from tools.lengths import plain, unfolded
from tools.pages import Page, pages
from tools.programs import agree, programs

PAGES = pages(ROOT, "book/use")
INCLUDED = re.compile(r"\{literalinclude\} programs/([\w.]+)")


def texts(page: Page) -> list[str]:
    return [cell.source for cell in page.markdown]


def test_there_are_five_pages_right_after_the_quickstart() -> None:
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    part = contents.split("file: book/quickstart\n")[1].split("caption:")[1]
    assert part.split("\n")[0] == " Use it" and len(re.findall("file: book/use/", part)) == len(PAGES) == 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_a_page_is_short_installs_the_package_and_says_what_can_go_wrong_and_where_the_lesson_is(
    page: Page,
) -> None:
    words = [word for text in unfolded(texts(page)) for word in plain(text).split()]
    assert sum(bool(re.search(r"\w", word)) for word in words) <= 900
    assert '`pip install ".[plots]"`' in texts(page)[0]
    titles = [section.title for section in page.sections()]
    assert titles[-2:] == ["What can go wrong?", "The lesson behind it"]
    assert sum(title.endswith("?") for title in titles) >= 3, "headings are what people ask"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_code_fits_80_columns(page: Page) -> None:
    assert max([0, *(len(line) for cell in page.code for line in cell.source.splitlines())]) <= 80


def test_each_program_is_complete_and_stands_on_a_page_with_what_it_prints() -> None:
    shown = [name for page in PAGES for text in texts(page) for name in INCLUDED.findall(text)]
    files = [file.name for each in programs() for file in (each, each.with_suffix(".txt"))]
    assert sorted(shown) == sorted(files)
    for each in programs():
        text = each.read_text(encoding="utf-8")
        ast.parse(text)
        assert "import calibration_lessons as cl" in text and max(map(len, text.splitlines())) <= 80


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
def test_an_output_agrees_in_its_words_and_about_in_its_numbers(found: str, same: bool) -> None:
    assert agree(found, "T 2.12, n = 8000") == same
