"""Quick questions are pressed; what was read and answered stays here, is exported and erased."""

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.book.copied import ROOT
from tests.site.conftest import MODES, NARROW, WIDE, Visit, on_pages

pytestmark = pytest.mark.browser

ECE = "book/measures/ece.html"
KEYS = re.findall(r'"\*\*([ABC])\.\*\* ', (ROOT / "book/measures/ece.ipynb").read_text(encoding="utf-8"))
RIGHT, (WRONG, ALSO_WRONG) = KEYS[0], (next(one for one in "ABC" if one != key) for key in KEYS[:2])
KEPT = "() => JSON.parse(localStorage.getItem('calibration-lessons'))"


def awake(page: Page) -> Page:
    """Move, as a reader does who wakes the scripts of a page."""
    page.keyboard.press("Shift")
    page.locator(".choices .choice, .kept-here button").first.wait_for(state="attached")
    page.locator("#quick-questions").evaluate("section => section.scrollIntoView()")
    return page


@on_pages(ECE, modes=MODES, widths=(WIDE, NARROW))
def test_a_pressed_answer_is_judged_at_once_with_its_reason(visit: Visit) -> None:
    page = awake(visit.page)
    wrong = f"Not {ALSO_WRONG}: {KEYS[1]} is right."
    for number, (letter, said) in enumerate([(RIGHT, "Right."), (ALSO_WRONG, wrong)]):
        page.locator(f".choices >> nth={number} >> .choice[value={letter}]").press("Enter")
        assert page.locator(".verdict").nth(number).inner_text() == said
        assert page.locator("#quick-questions details").nth(number).get_attribute("open") is not None
    assert page.locator("#quick-questions details[open]").count() == 2
    assert page.locator(".score").inner_text().startswith("1 of 3 right")
    assert page.evaluate("document.activeElement.value") == ALSO_WRONG, "the keyboard stays where it is"
    assert Axe().run(page, context="#quick-questions").response["violations"] == []
    assert visit.faults == []


@on_pages(ECE)
def test_the_first_press_counts_until_the_reader_answers_again(visit: Visit) -> None:
    page = awake(visit.page)
    for letter in (WRONG, RIGHT):
        page.locator(f".choice[value={letter}]").first.press("Enter")
    assert page.evaluate(KEPT)["answers"] == {ECE: {"1": [WRONG, RIGHT]}}
    page.get_by_role("button", name="Answer again").click()
    assert page.evaluate(KEPT)["answers"] == {}
    assert page.locator("#quick-questions details[open]").count() == 0
    page.locator(f".choice[value={RIGHT}]").first.click()
    assert page.locator(".score").inner_text().startswith("1 of 3 right")


@on_pages(ECE)
def test_the_contents_show_what_is_read_and_answered_and_the_start_page_goes_on_there(visit: Visit) -> None:
    page = visit.page
    page.clock.install()
    page.reload()
    awake(page).locator(f".choice[value={RIGHT}]").first.click()
    mark = page.locator(".bd-sidebar-primary .current .done")
    assert mark.get_attribute("aria-label") == "1 of 1 answers right"
    page.goto(page.url.replace(ECE, "index.html"))
    onward = page.locator(".start-continue")
    assert (onward.get_attribute("href") or "").startswith(f"./{ECE}#")
    onward.click()
    for _ in range(4):  # what is above is laid out on the way
        awake(page).locator(".prev-next-area").scroll_into_view_if_needed()
        page.wait_for_timeout(300)
    page.clock.run_for(5_000)
    assert page.evaluate(KEPT)["read"] == {}, "who is at the end in five seconds has not read it"
    page.clock.run_for(20_000)
    assert mark.get_attribute("aria-label") == "read, 1 of 1 answers right"
    page.goto(page.url.partition("book/")[0])
    assert (onward.get_attribute("href") or "").endswith("ece_interval.html"), "the next one"


@on_pages(ECE)
def test_what_is_kept_can_be_exported_and_erased(visit: Visit) -> None:
    page = awake(visit.page)
    page.locator(f".choice[value={RIGHT}]").first.click()
    page.goto(page.url.replace(ECE, "book/teaching/students.html"))
    page.keyboard.press("Shift")
    assert "1 answered, 1 right" in page.locator(".kept-here p").inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert json.loads(Path(download.value.path()).read_text())["answers"] == {ECE: {"1": [RIGHT, RIGHT]}}
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Erase").click()
    assert page.evaluate(KEPT) == {}
    assert "0 answered" in page.locator(".kept-here p").inner_text()
    assert visit.faults == []
