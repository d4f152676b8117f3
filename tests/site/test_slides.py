"""Slides: nothing is cut or comes from elsewhere; keys, notes, the speaker's view, pages to print."""

import re
from pathlib import Path

import pytest
from lxml import html

from tests.site.conftest import HTML, MODES, NARROW, Visit, on_pages
from tests.site.test_pages import BROKEN_MATHS, WRITTEN, axe
from tools.binding.pages import ROOT, lessons
from tools.site.slides import ENDING, PLANS, TEACHING, slides

pytestmark = pytest.mark.browser

DECKS = [name for name in WRITTEN if name.endswith(ENDING)]
DECK = f"book/measures/ece_interval{ENDING}"
# Slides that hold more than fits, text that is small, and figures that are.
CRAMPED = """async () => {
    const found = [];
    for (let i = 0; i < Reveal.getTotalSlides(); i++) {
        Reveal.slide(i);
        const body = Reveal.getCurrentSlide().querySelector(".slide-body");
        const live = [...body.querySelectorAll("figure.explorer")];
        while (live.some(one => one.dataset.state !== "live")) await new Promise(go => setTimeout(go, 50));
        const drawn = [...body.querySelectorAll("img, .explorer-canvas svg")];
        const figures = drawn.filter(one => one.checkVisibility());
        if (body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1
            || parseFloat(body.style.fontSize) < 0.7
            || figures.some(one => one.getBoundingClientRect().height < 240)) found.push(i + 1);
    }
    return found;
}"""
LETTERS = """() => [...document.querySelectorAll(".slide-body")].map(
    body => parseFloat(getComputedStyle(body).fontSize) * Reveal.getScale())"""
NOTES = "document.querySelector('.speaker-controls-notes .value')"
HERE = "Reveal.getState().indexh + 1"


def project(visit: Visit) -> None:
    """Give the window its size, and wait for the slides."""
    visit.page.set_viewport_size({"width": 1280, "height": 720})
    visit.page.evaluate("window.slidesReady")


def test_every_lesson_has_slides_with_its_figures_a_button_for_them_and_a_line_on_the_teachers_page() -> None:
    taught = [page.name + ENDING for page in lessons(ROOT)]
    decks = [name for name in DECKS if not name.startswith(TEACHING)]
    assert set(taught) < set(decks)
    listed = html.parse(str(HTML / "book/teaching/slides.html")).xpath("//*[@class='lesson-slides']//a/@href")
    assert sorted(listed) == sorted(f"../{name.removeprefix('book/')}" for name in decks)
    opened = ".//div[contains(@class, 'cell_output')]//img[not(ancestor::details)]/@src"
    for name in decks:
        made, page = (
            html.parse(str(HTML / file)).getroot() for file in (name, name.replace(ENDING, ".html"))
        )
        assert page.xpath("//a[contains(@class, 'btn-slides-button')]/@href") == [Path(name).name]
        assert made.findtext(".//h1/a") == page.findtext(".//h1")
        assert made.xpath(f"//article//*[@class='slide-body']/{opened}") == page.xpath(f"//article/{opened}")


def test_each_session_of_the_plans_has_the_slides_of_what_its_rows_name() -> None:
    found = html.parse(str(HTML / "book/teaching/slides.html")).xpath("//*[@class='session-slides']//a/@href")
    names = [f"{plan}{ENDING}" for plan in ("two-hours", "one-day")]
    assert found == names + [f"six-weeks-session-{number}{ENDING}" for number in range(1, 13)]
    for row in html.parse(str(HTML / f"{PLANS}.html")).iterfind(".//tbody/tr"):
        plan = row.xpath("ancestor::section[1]/h2")[0].text_content().rstrip("#").lower().replace(" ", "-")
        number = re.match(r"\d+(?=, )", row[0].text_content())
        made = html.parse(str(HTML / TEACHING / f"{plan}{f'-session-{number[0]}' if number else ''}{ENDING}"))
        slides_of = made.findall(".//article/section")
        under = [text for slide in slides_of for text in (slide.get("data-under"), slide[0].text_content())]
        for section in row[2].iter("em"):
            assert section.text_content() in under, f"no slide shows {section.text_content()!r} in {plan}"
        for exercise in re.findall("“([^”]+)”", row[2].text_content() + row[3].text_content()):
            assert any(title.endswith(f"({exercise})") for title in under), exercise
        for address in made.xpath("//article//@src | //article//@data-frames | //article//@href"):
            file = re.split("[?#]", address)[0]
            assert "://" in file or (HTML / TEACHING / file).exists(), address


@on_pages(*DECKS)
def test_no_slide_is_cut_and_nothing_comes_from_elsewhere(visit: Visit) -> None:
    project(visit)
    assert visit.page.evaluate(CRAMPED) == [], "begin a slide in its middle, or leave a cell out"
    assert visit.page.evaluate(BROKEN_MATHS) == []
    assert visit.faults == []


@on_pages(*DECKS[::8], widths=[NARROW])
def test_on_a_phone_upright_or_not_slides_are_read_without_a_glass_and_nothing_is_cut(visit: Visit) -> None:
    for width, height, least, letter in ((NARROW, 844, 160, 14), (844, NARROW, 110, 12)):
        visit.page.set_viewport_size({"width": width, "height": height})
        visit.page.reload()
        visit.page.evaluate("window.slidesReady")
        assert visit.page.evaluate(CRAMPED.replace("< 240", f"< {least}")) == []
        assert min(visit.page.evaluate(LETTERS)) >= letter
        stacked = visit.page.locator("picture > img").evaluate_all(
            "all => all.filter(one => one.currentSrc).map(one => one.currentSrc.includes('.phone.'))"
        )
        assert all(is_stacked == (width == NARROW) for is_stacked in stacked)
    assert visit.faults == []


@on_pages(DECK, modes=MODES)
def test_axe_finds_nothing_serious_on_slides(visit: Visit) -> None:
    project(visit)
    assert axe(visit.page) == []


@on_pages(DECK)
def test_keys_go_on_show_an_answer_and_all_slides_and_leave_a_figure_its_arrows(visit: Visit) -> None:
    project(visit)
    page = visit.page
    for key, number in (
        ("ArrowRight", 2),
        (" ", 3),
        ("ArrowLeft", 2),
        ("End", page.evaluate("Reveal.getTotalSlides()")),
    ):
        page.keyboard.press(key)
        assert page.evaluate(HERE) == number, key
    question = page.locator("section:has(.fragment)").first
    page.evaluate("id => Reveal.slide(Number(id.slice(6)) - 1, 0, -1)", question.get_attribute("id"))
    assert not question.locator(".fragment.visible").count()
    page.keyboard.press("ArrowRight")
    assert question.locator(".fragment.visible").count()
    page.keyboard.press("Escape")
    assert page.evaluate("Reveal.isOverview()")
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    ink = page.locator(".slide-body").first.evaluate("body => getComputedStyle(body).color")
    assert min(map(int, re.findall(r"\d+", ink)[:3])) > 180, "dark letters on a dark ground"
    figure = page.locator("section:has(figure.explorer)").first
    page.evaluate("id => Reveal.slide(Number(id.slice(6)) - 1)", figure.get_attribute("id"))
    slider, here = figure.locator("input[type=range]").first, page.evaluate(HERE)
    slider.focus()
    before = slider.input_value()
    page.keyboard.press("ArrowRight")
    assert slider.input_value() != before and page.evaluate(HERE) == here


@on_pages(DECK)
def test_the_speaker_has_the_notes_the_next_slide_and_a_clock(visit: Visit) -> None:
    project(visit)
    with visit.page.expect_popup() as opened:
        visit.page.keyboard.press("s")
    speaker = opened.value
    speaker.wait_for_selector("#upcoming-slide iframe")
    assert speaker.locator(".clock-value").first.is_visible()
    first_cut = visit.page.locator("section:has(aside.notes p)").first.get_attribute("id")
    visit.page.evaluate("id => Reveal.slide(Number(id.slice(6)) - 1)", first_cut)
    whole = visit.page.locator(f"#{first_cut} aside.notes p").first.text_content() or ""
    speaker.wait_for_function(f"text => {NOTES}.textContent.includes(text)", arg=whole)
    speaker.close()
    assert visit.faults == []


@on_pages(f"{DECK}?print-pdf", modes=["dark"])
def test_a_slide_is_a_light_page_of_a_pdf(visit: Visit) -> None:
    visit.page.evaluate("window.slidesReady")
    assert visit.page.evaluate("document.documentElement.dataset.theme") == "light"
    pdf = visit.page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == visit.page.locator("section").count()


def test_marks_of_cells_come_before_the_rule_and_a_cut_paragraph_stands_in_the_notes() -> None:
    cell = '<div class="cell{}"><div class="cell_input">code</div><div class="cell_output">{}</div></div>'
    page = html.fromstring(
        "<body><article class='bd-article'><section id='a'><h1>A</h1><p>One sentence. Two sentences.</p>"
        "<p>It leans on the second.</p><p>So the third stands.</p>"
        + cell.format("", "shown") + cell.format(" tag_slide-skip", "skipped")
        + cell.format(" tag_slide-subslide", "begun")
        + "<p>Now see:</p>" + cell.format(" tag_slide-slide", "coded")
        + cell.format(" tag_slide-notes", "noted") + "<!-- slide: fragment --><p>Asked.</p>"
        + "<!-- slide: --><section id='b'><h2>References</h2><p>Left out.</p></section></section></article>"
    )  # fmt: skip
    made = [[part.text_content() for part in slide] for slide in slides(page, "a.html")]
    assert made == [
        ["A", "One sentence.The third stands.shown", "One sentence. Two sentences.It leans on the second."],
        ["A", "begun", "Now see:"],
        ["A", "codecodedAsked.", "noted"],
    ]
