"""The front door: the start page in one screen, heads that say what a page is, print."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from lxml import html

from calibration_lessons.book import datasets
from tests.site.conftest import HTML, MODES, NARROW, Visit, on_pages
from tests.site.test_pages import LATE, PAGES
from tools.binding.pages import ROOT, lessons

pytestmark = pytest.mark.browser

LESSON = "book/calibrators/temperature.html"
DRAWN = """() => [...document.querySelectorAll(".start-field b:not([hidden])")]
    .map(b => [Number(b.style.getPropertyValue("--k")), Number(b.style.getPropertyValue("--s"))])"""
PILES = """() => [...document.querySelectorAll(".start-field i")].map(i =>
    [Number(i.style.getPropertyValue("--k")), i.classList.contains("wrong")])"""
TOPS = """() => [...document.querySelectorAll(".start-field i")]
    .map(i => i.getBoundingClientRect().y - i.parentElement.getBoundingClientRect().y)"""
HIDDEN = """const [frame, asked] = [requestAnimationFrame, []];
    requestAnimationFrame = ask => asked.push(ask);
    seen = () => { requestAnimationFrame = frame; asked.forEach(ask => frame(ask)); }"""

NUMBERED = """() => { const links = [...document.querySelectorAll(".bd-docs-nav .navbar-nav > ul > li > a")]
    .filter(link => getComputedStyle(link, "::before").content.includes("lesson"));
    return [links.findIndex(link => link.matches("[aria-current=page]")) + 1, links.length]; }"""


def heads() -> Iterator[tuple[str, html.HtmlElement]]:
    """Parse each page."""
    for page in PAGES:
        yield page, html.parse(str(HTML / page)).getroot()


@on_pages("index.html", "book/intro.html", widths=[NARROW])
def test_the_question_one_button_and_a_hundred_pictures_stand_on_the_first_screen_of_a_phone(
    visit: Visit,
) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.page.evaluate("document.fonts.ready")  # in another font a line more
    assert visit.page.locator("article h1").inner_text().startswith("When a model says 80")
    (button,) = visit.page.locator("article .sd-btn").all_inner_texts()
    assert re.fullmatch(r"Start: \d+ minutes", button)
    assert visit.page.locator(".start-field i").count() == 100
    for place in ("article .sd-btn", ".start-field", ".start-move"):
        box = visit.page.locator(place).bounding_box()
        assert box and box["y"] + box["height"] <= 844
    doors = visit.page.locator(".start-doors .sd-card-title a")
    assert doors.all_inner_texts() == ["I have a model", "I want to understand", "I teach"]
    assert Axe().run(visit.page, context="article").response["violations"] == []


@on_pages("index.html", modes=["dark"])
@pytest.mark.parametrize("temperature", [1.0, 1.4, 2.1, 4.0])
def test_the_figure_of_the_start_page_draws_what_the_network_says(visit: Visit, temperature: float) -> None:
    page = visit.page
    page.locator("#start-T").fill(str(round(10 * temperature - 10)))
    logits, labels = datasets.network_logits(0, "test")
    powers = np.exp(logits / temperature - (logits / temperature).max(axis=1, keepdims=True))
    sure = (powers / powers.sum(axis=1, keepdims=True)).max(axis=1)
    right = logits.argmax(axis=1) == labels
    bins = np.clip(np.ceil(sure * 10).astype(int), 1, 10) - 3
    wanted = [(b, right[bins == b].mean()) for b in sorted({*bins[:100]})]
    assert min((bins == b).sum() for b, _ in wanted) >= 20
    np.testing.assert_allclose(page.evaluate(DRAWN), wanted, atol=1e-3)
    assert page.evaluate(PILES) == [[b, not r] for b, r in zip(bins[:100], right[:100], strict=True)]
    said = page.locator(".start-side p output").all_inner_texts()
    assert said == [f"{100 * sure.mean():.1f}\u202f%", f"{100 * right.mean():.1f}\u202f%"]
    page.reload()
    assert page.locator(".start-T").inner_text() == f"{temperature:.1f}", "the address keeps the state"


@on_pages("index.html", widths=[NARROW])
def test_the_figure_moves_by_itself_only_for_who_wants_motion(visit: Visit) -> None:
    page, temperature = visit.page, visit.page.locator(".start-T")
    page.wait_for_function("document.querySelector('.start-T').textContent === '2.1'", timeout=8000)
    said = page.locator(".start-key").inner_text().split("\n")
    assert said[:2] == ["0.1 points too sure", "as trained: 5.2"]
    page.add_init_script(HIDDEN)
    page.reload()
    page.wait_for_timeout(3000)
    page.evaluate("seen()")
    page.wait_for_timeout(200)
    assert temperature.inner_text() == "1.0", "a tab that was in the background begins when it is seen"
    page.wait_for_function("document.querySelector('.start-T').textContent === '2.1'", timeout=8000)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("+document.querySelector('.start-T').textContent > 1", timeout=1500)
    page.get_by_role("button", name="Stop").click()
    stopped = temperature.inner_text()
    page.wait_for_timeout(300)
    assert temperature.inner_text() == stopped != "2.1"
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    assert temperature.inner_text() == "1.0"
    before = page.evaluate(TOPS)
    page.get_by_role("button", name="Play").click()
    assert temperature.inner_text() == "2.1" and page.evaluate(TOPS) != before
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(TOPS) == before
    assert page.locator(".start-key").inner_text().split("\n")[:2] == ["5.2 points too sure", "as trained"]


def test_on_a_phone_a_picture_is_tapped_and_what_it_says_comes_into_sight(chromium, address) -> None:
    page = chromium.new_page(viewport={"width": NARROW, "height": 660}, has_touch=True, is_mobile=True)
    page.goto(f"{address}/index.html#T=2.1")
    one = page.locator(".start-one")
    assert one.inner_text().strip() == "Drag the temperature, or tap a picture."
    says, slider = page.locator(".start-says").bounding_box(), page.locator("#start-T").bounding_box()
    assert says and slider and says["y"] + says["height"] <= slider["y"], "read above the slider"
    page.locator(".start-field i.wrong").last.tap()
    box = one.bounding_box()
    assert "It is wrong: " in one.inner_text() and box and box["y"] + box["height"] < 661
    page.close()


@on_pages("index.html", widths=[NARROW])
def test_the_keyboard_reads_the_pictures_one_by_one(visit: Visit) -> None:
    page = visit.page
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    page.locator(".start-field").focus()
    told = []
    for _ in range(100):
        page.keyboard.press("ArrowRight")
        told.append(page.locator(".start-one").inner_text())
    assert sum("wrong" in text for text in told) == 8 and page.locator(".start-field .picked").count() == 1


def test_each_page_has_a_title_a_language_and_a_description_of_its_own() -> None:
    seen: dict[str, str] = {}
    for page, root in heads():
        [described] = root.xpath("//meta[@name='description']/@content")
        assert root.get("lang") == "en" and root.findtext(".//title"), page
        assert 15 <= len(described) <= 170 and "<!--" not in described, (page, described)
        assert seen.setdefault(described, page) == page or "index.html" in (page, seen[described]), described


def test_each_lesson_says_its_number_and_the_minutes_that_it_takes_as_its_text_does() -> None:
    said = {page: root.find_class("lesson-head") for page, root in heads()}
    assert sorted(page for page in said if said[page]) == [f"{page.name}.html" for page in lessons(ROOT)]
    numbers, ways = [], []
    for page, (head,) in ((page, head) for page, head in said.items() if head):
        part, number, last, read, exercises = re.findall(r"^\w+|\d+", head.text_content())
        text = (ROOT / page).with_suffix(".ipynb").read_text("utf-8")
        assert f"Time: {read} minutes to read, plus {exercises} for" in text, page
        ways.append((head.findtext("a") == "short path") == ("lesson is on the short path" in text))
        numbers.append(int(number))
        assert part == page.split("/")[1].capitalize() and int(last) == len(lessons(ROOT))
    assert sorted(numbers) == [*range(1, len(lessons(ROOT)) + 1)] and all(ways)


@on_pages(LESSON, modes=MODES)
def test_the_contents_number_the_lessons_and_show_the_open_one_before_and_after_the_first_move(
    visit: Visit,
) -> None:
    page, here = visit.page, visit.page.locator(".bd-sidebar-primary [aria-current=page]")
    before = here.bounding_box()
    assert before and 0 < before["y"] < 900 - before["height"]
    place, last = page.evaluate(NUMBERED)
    assert f"lesson {place} of {last} " in page.locator(".lesson-head").inner_text().replace("\n", " ") + " "
    page.mouse.move(600, 600)
    page.wait_for_function("document.querySelector('link[rel=stylesheet]')?.sheet?.cssRules.length > 100")
    page.wait_for_function(f"{LATE} === 0")
    page.wait_for_timeout(200)
    assert here.bounding_box() == before


@on_pages("book/teaching/exam.html", LESSON, modes=["dark"])
def test_on_paper_a_page_is_light_and_an_exam_keeps_its_answers(visit: Visit) -> None:
    page = visit.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    opened = page.locator("details.admonition[open]").count()
    assert opened == 0 if "exam" in page.url else opened == page.locator("details.admonition").count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator("details.admonition[open]").count() == 0


@on_pages(LESSON)
def test_the_button_of_the_mode_keeps_the_focus_of_the_keyboard(visit: Visit) -> None:
    button = visit.page.locator("button.theme-switch-button:visible").first
    modes = set()
    button.focus()
    for _ in range(3):
        mode = visit.page.evaluate("document.documentElement.dataset.mode")
        visit.page.keyboard.press("Enter")
        visit.page.wait_for_function("mode => document.documentElement.dataset.mode !== mode", arg=mode)
        visit.page.wait_for_function("document.activeElement.matches('.theme-switch-button')")
        modes.add(mode)
    assert modes == {"light", "dark", "auto"}
