"""The pages "Use it": short, of one shape, and with programs whose output stands beside them."""

import json
import re
from pathlib import Path

import pytest

from tests.book.copied import ROOT
from tools.binding.lengths import plain, unfolded
from tools.binding.pages import Page, pages
from tools.release.programs import SIGNED, programs, signature

PAGES = pages(ROOT, "book/use")


def test_there_are_seven_pages_right_after_the_quickstart() -> None:
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    part = contents.split("file: book/quickstart\n")[1].split("caption:")[1]
    assert part.split("\n")[0] == " Use it" and len(re.findall("file: book/use/", part)) == len(PAGES) == 7


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_a_page_is_short_installs_the_package_and_says_what_can_go_wrong_and_where_the_lesson_is(
    page: Page,
) -> None:
    texts = [cell.source for cell in page.markdown]
    words = [word for text in unfolded(texts) for word in plain(text).split()]
    assert sum(bool(re.search(r"\w", word)) for word in words) <= 900
    assert '`pip install ".[plots]"`' in texts[0]
    titles = [section.title for section in page.sections()]
    assert titles[-2:] == ["What can go wrong?", "The lesson behind it"]
    assert sum(title.endswith("?") for title in titles) >= 3, "headings are what people ask"


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.stem)
def test_a_program_and_what_it_prints_are_those_of_its_last_run(program: Path) -> None:
    signed = json.loads(SIGNED.read_text(encoding="utf-8"))
    assert signed.get(program.stem) == signature(program), f"run tools/release/programs.py {program.stem}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_code_fits_80_columns(page: Page) -> None:
    assert max([0, *(len(line) for cell in page.code for line in cell.source.splitlines())]) <= 80
