"""Slides of every lesson: all figures, nothing cut, nothing from elsewhere, keys; and lessons on paper."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from lxml import html

from tests.site.conftest import HTML, Visit
from tests.site.test_pages import BROKEN_MATHS, THEME_FAULTS, WRITTEN
from tests.site.test_weight import BYTES, REQUESTS
from tools.lengths import lessons
from tools.site_slides import ENDING

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
DECKS = [name for name in WRITTEN if name.endswith(ENDING)]
DECK, LESSON = (f"book/calibrators/temperature{end}" for end in (ENDING, ".html"))
RUNNING, FIRST, ALL = 66, 80, 100  # words of a slide: running text, that of the title, with lists and answers
SIZE = 0.8  # of text, of what it has at first: a projector's; of a table it may be less
SHOWN = ("table", "figure")
SMALLEST = 200  # pixels of a figure's height on a window of 1280 by 720
CUT = """() => [...document.querySelectorAll(".slide")].filter(slide => {
    const body = slide.querySelector(".slide-body");
    return body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1
        || slide.scrollHeight > slide.clientHeight + 1;
}).map(slide => `${slide.id}: ${slide.querySelector("h1, h2").textContent}`)"""
TINY = """smallest => [...document.querySelectorAll(".slide-body :is(img, .explorer-canvas svg)")]
    .filter(figure => figure.offsetParent !== null || figure.tagName === "svg")
    .filter(figure => figure.getBoundingClientRect().height < smallest)
    .map(figure => figure.closest(".slide").id)"""
SMALL = """least => [...document.querySelectorAll(".slide:not(:has(table))")]
    .filter(slide => slide.style.getPropertyValue("--fit") < least)
    .map(slide => `${slide.id}: ${slide.querySelector("h1, h2").textContent}`)"""
PRESSED_WHILE_RESIZED = """() => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    dispatchEvent(new Event("resize"));
}"""
HERE = """() => [...document.querySelectorAll(".slide")]
    .findIndex(slide => slide.getBoundingClientRect().bottom > innerHeight / 2) + 1"""

each_deck = pytest.mark.parametrize(
    "visit",
    [(name, "light", 1280) for name in DECKS],
    ids=[name[5 : -len(ENDING)] for name in DECKS],
    indirect=True,
)


def on_a_projector(visit: Visit) -> None:
    """Give the window its size, and wait until text fits."""
    visit.page.set_viewport_size({"width": 1280, "height": 720})
    visit.page.wait_for_function("window.slidesFitted")
    visit.page.evaluate("window.slidesFitted")


def pictures(root: html.HtmlElement) -> list[str]:
    """Name the pictures and live figures that lie open in an article."""
    [article] = root.find_class("bd-article")
    return article.xpath(".//div[contains(@class, 'cell_output')]//img[not(ancestor::details)]/@src")


def test_every_lesson_has_slides_a_button_for_them_and_a_line_on_the_teachers_page() -> None:
    taught = [path.relative_to(ROOT).with_suffix("").as_posix() for path in lessons()]
    assert {f"{name}{ENDING}" for name in taught} < set(DECKS)
    listed = html.parse(str(HTML / "book/teaching/slides.html")).xpath("//*[@class='lesson-slides']//a/@href")
    assert sorted(listed) == sorted(f"../../{name}" for name in DECKS)
    for name in DECKS:
        page = html.parse(str(HTML / name.replace(ENDING, ".html"))).getroot()
        [button] = page.xpath("//a[contains(@class, 'btn-slides-button')]/@href")
        assert button == Path(name).name


@pytest.mark.parametrize("name", DECKS)
def test_slides_have_the_title_and_the_figures_of_their_lesson(name: str) -> None:
    made, page = (html.parse(str(HTML / file)).getroot() for file in (name, name.replace(ENDING, ".html")))
    assert made.findtext(".//h1") == page.findtext(".//h1")
    assert made.findtext(".//title").startswith("Slides: ")
    assert pictures(made) == pictures(page)
    assert len(made.xpath("//h1")) == 1 and 4 < len(made.find_class("slide")) <= 42


def count(paragraphs: list[html.HtmlElement]) -> int:
    """Count the words of paragraphs."""
    return sum(len(paragraph.text_content().split()) for paragraph in paragraphs)


@pytest.mark.parametrize("name", DECKS)
def test_a_slide_holds_few_words(name: str) -> None:
    for place, slide in enumerate(html.parse(str(HTML / name)).getroot().find_class("slide")):
        [body] = slide.find_class("slide-body")
        told = [
            paragraph for paragraph in body.iter("p") if next(paragraph.iterancestors(*SHOWN), None) is None
        ]
        running = [paragraph for paragraph in told if next(paragraph.iterancestors("li"), None) is None]
        where = f"{slide.get('id')}: begin a slide in its middle, or put a cell into the notes"
        assert count(running) <= (RUNNING if place else FIRST), where
        assert count(told) <= ALL, where


@each_deck
def test_no_slide_is_cut_and_nothing_is_loaded_from_elsewhere(visit: Visit) -> None:
    on_a_projector(visit)
    page = visit.page
    assert visit.faults == []
    assert sum(visit.sizes.values()) <= BYTES and len(visit.sizes) <= REQUESTS, visit.sizes
    assert page.evaluate(BROKEN_MATHS) == []
    for figure in page.locator("figure.explorer").all():
        figure.scroll_into_view_if_needed()
    page.wait_for_function("!document.querySelector('figure.explorer:not([data-state=live])')")
    for width, height in ((1920, 1080), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("dispatchEvent(new Event('resize'))")
        assert page.evaluate(CUT) == [], "shorten what stands there, or mark a cell to begin a slide"
    assert page.evaluate(SMALL, SIZE) == [], "mark a cell to begin a slide"
    assert page.evaluate(TINY, SMALLEST) == [], "mark the cell before the figure to begin a slide"


@pytest.mark.parametrize("visit", [(DECK, mode, 1280) for mode in ("light", "dark")], indirect=True)
def test_axe_finds_nothing_serious_on_slides(visit: Visit) -> None:
    on_a_projector(visit)
    found = Axe().run(visit.page).response["violations"]
    serious = [fault for fault in found if fault["impact"] in {"serious", "critical"}]
    assert [
        (fault["id"], fault["nodes"][0]["html"]) for fault in serious if fault["id"] not in THEME_FAULTS
    ] == []


@pytest.mark.parametrize("visit", [(DECK, "light", 1280)], indirect=True)
def test_keys_and_buttons_go_from_slide_to_slide(visit: Visit) -> None:
    on_a_projector(visit)
    page, last = visit.page, visit.page.locator(".slide").count()
    for key, number in [
        *(("ArrowRight", 2), ("PageDown", 3), ("ArrowDown", 4), (" ", 5), ("ArrowLeft", 4), ("PageUp", 3)),
        *(("End", last), ("ArrowRight", last), ("Home", 1), ("ArrowUp", 1)),
    ]:
        page.keyboard.press(key)
        assert page.evaluate(HERE) == number, key
    page.evaluate(PRESSED_WHILE_RESIZED)
    assert page.evaluate(HERE) == 2
    page.keyboard.press("Home")
    page.get_by_title("On (right arrow)").click()
    assert page.evaluate(HERE) == 2 and page.url.endswith("#slide-2")
    page.reload()
    assert page.evaluate(HERE) == 2
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement")


@pytest.mark.parametrize("visit", [(DECK, "light", 1280)], indirect=True)
def test_the_arrows_in_a_live_figure_are_its_own(visit: Visit) -> None:
    on_a_projector(visit)
    slider = visit.page.locator("figure.explorer input[type=range]").first
    visit.page.locator("figure.explorer").first.scroll_into_view_if_needed()
    slider.focus()
    before, here = slider.input_value(), visit.page.evaluate(HERE)
    visit.page.keyboard.press("ArrowRight")
    assert slider.input_value() != before and visit.page.evaluate(HERE) == here


@pytest.mark.parametrize("visit", [(DECK, "light", 1280)], indirect=True)
def test_the_notes_stand_below_the_slide_and_a_second_window_goes_along(visit: Visit) -> None:
    on_a_projector(visit)
    page, note = visit.page, visit.page.locator(".slide-notes").first
    number = int(note.evaluate("note => note.parentElement.id.slice(6)"))
    for _ in range(number - 1):
        page.keyboard.press("ArrowRight")
    assert not note.is_visible()
    page.keyboard.press("n")
    assert note.is_visible() and page.evaluate(HERE) == number
    body, below = note.locator("xpath=../div").bounding_box(), note.bounding_box()
    assert body and below and body["y"] + body["height"] <= below["y"] < 720
    assert page.evaluate(CUT) == []
    with page.expect_popup() as opened:
        page.evaluate("() => void open(location.href)")
    second = opened.value
    second.wait_for_function("window.slidesFitted")
    page.keyboard.press("ArrowRight")
    second.wait_for_function(f"({HERE})() === {number + 1}")
    second.close()


@pytest.mark.parametrize("visit", [(DECK, "dark", 1280)], indirect=True)
def test_one_slide_is_one_page_of_a_pdf(visit: Visit) -> None:
    on_a_projector(visit)
    pdf = visit.page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == visit.page.locator(".slide").count()
    assert re.findall(rb"/MediaBox \[0 0 (\S+) (\S+)\]", pdf)[0] == (b"960", b"540")
    visit.page.keyboard.press("n")
    pdf = visit.page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == visit.page.locator(".slide").count()
    assert set(re.findall(rb"/MediaBox \[0 0 (\S+) (\S+)\]", pdf)) == {(b"960", b"720")}


@pytest.mark.parametrize(
    "visit", [(LESSON, "dark", 1280), ("book/measures/ece.html", "light", 390)], indirect=True
)
def test_on_paper_what_is_folded_stands_numbered_at_the_end_and_goes_back_afterwards(visit: Visit) -> None:
    page = visit.page
    whole = "document.querySelector('article').innerHTML"
    folds, before = page.locator("article details:not(details details)"), page.evaluate(whole)
    number = folds.count()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert (
        page.locator("article > section.folds > .cell > details[open]").count() == folds.count() == number > 9
    )
    assert page.locator("article > :last-child").get_attribute("class") == "folds"
    for place, (title, link) in enumerate(
        zip(
            page.locator(".folds > .cell > details > summary").all(),
            page.locator("p.fold a").all(),
            strict=True,
        ),
        1,
    ):
        assert (title.text_content() or "").strip().startswith(f"{place}. ")
        said = link.text_content() or ""
        assert said.endswith(f"({place}, at the end)") and "Hide" not in said
        assert page.locator(link.get_attribute("href") or "").count() == 1
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(whole) == before


@pytest.mark.parametrize("visit", [(LESSON, "light", 1280)], indirect=True)
def test_on_paper_no_figure_is_cut_and_links_say_where_they_lead(visit: Visit) -> None:
    page = visit.page
    page.emulate_media(media="print")
    for figure in page.locator("article figure").all():
        assert figure.evaluate("figure => getComputedStyle(figure).breakInside") == "avoid"
        assert figure.evaluate("figure => figure.getBoundingClientRect().height") < 257 * 96 / 25.4  # of A4
    page.goto(page.url.replace(LESSON, "book/reference/bibliography.html"))
    shown = "link => getComputedStyle(link, '::after').content"
    link = page.locator("article a.reference.external").first
    assert link.get_attribute("href") in link.evaluate(shown)
