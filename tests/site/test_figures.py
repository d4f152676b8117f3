"""Figures with controls show the frames of their notebook, wherever their controls stand."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Locator, Page

from calibration_lessons.book.explorers import MIME
from tests.book.copied import ROOT
from tools.binding.pages import joined, notebooks
from tools.site.figures import figures

from .conftest import NARROW, WIDE, on_pages
from .test_pages import ANYWHERE, COLOURS, PAGES, axe, found

MOST_STUCK = 180  # pixels of a phone's window that controls and what they say may keep
MOST = 38_000  # bytes that a page may load more before its figure is near, with the picture below its hook

DRAWN = """figure => [...figure.querySelectorAll("svg g.role-mark [role=graphics-symbol]")]
    .map(node => ({...node.__data__.datum}))"""
HELD = """state => Object.entries(state).every(
    ([name, text]) => new URLSearchParams(location.hash.slice(1)).get(name) === text)"""
AXES = """figure => [...figure.querySelectorAll("svg .role-axis-label text")].map(
    text => [text.textContent, text.getAttribute("transform")])"""

State = dict[str, str]


@dataclass(frozen=True)
class Figure:
    """A figure of a page, with a dozen of its states and what each says, as its notebook has them."""

    name: str
    page: str
    controls: list[dict[str, Any]]
    states: list[State]
    readouts: list[str]

    def __str__(self) -> str:
        return self.name

    @property
    def html(self) -> str:
        """Page of the built site."""
        return f"{self.page}.html"


def read(page: str, name: str, data: dict[str, Any]) -> Figure:
    """Read the states and their read-outs from the text that a notebook keeps of a figure."""
    controls = data[MIME]["usermeta"]["controls"]
    names = [control["name"] for control in controls]
    line = "  " + " ".join(f"{control}=(.+?)" for control in names) + ": (.+)"
    _, *lines = joined(data["text/plain"]).splitlines()
    states = [re.fullmatch(line, text).groups() for text in lines]
    return Figure(
        name, page, controls, [dict(zip(names, state, strict=False)) for state in states],
        [readout for *_, readout in states],
    )  # fmt: skip


FIGURES = [
    read(page.name, name, output["data"])
    for page in notebooks(ROOT, "book")
    for name, _, output in figures(page.name, page.raw)
]

EARLY = [
    f"{page.name}.html"
    for page in notebooks(ROOT, "book")
    for cell in page.raw["cells"]
    if "first-picture" in cell["metadata"].get("tags", ())
]
TEMPERATURE = next(figure for figure in FIGURES if figure.name == "temperature-2")


def of_figures(mode: str, width: int) -> pytest.MarkDecorator:
    """Run a test on each figure's page, opened in this mode at this width."""
    return pytest.mark.parametrize(
        ("visit", "figure"),
        [((figure.html, mode, width), figure) for figure in FIGURES],
        ids=map(str, FIGURES),
        indirect=["visit"],
    )


def live(page: Page, figure: Figure) -> Locator:
    """Bring a figure near the window and wait until it is drawn."""
    page.add_style_tag(content="section { content-visibility: visible !important }")  # scrolling arrives
    page.locator(f"#{figure}").scroll_into_view_if_needed()
    return drawn(page, figure)


def drawn(page: Page, figure: Figure) -> Locator:
    """Wait until a figure is drawn; the question is asked at each frame of the window."""
    page.wait_for_function("id => document.getElementById(id).dataset.state === 'live'", arg=str(figure))
    return page.locator(f"#{figure}")


def drawn_anew(here: Locator, figure: Figure, act: Callable[[], Any]) -> None:
    """Do what has a figure drawn anew, and wait for that."""
    here.evaluate("figure => delete figure.dataset.state")
    act()
    drawn(here.page, figure)


def move(here: Locator, figure: Figure, state: State) -> None:
    """Move every control to a state, as a reader does, and wait until it is drawn."""
    for control in figure.controls:
        text, node = state[control["name"]], here.locator(f"#{figure}-{control['name']}")
        if control["kind"] == "slider":
            node.fill(str(control["texts"].index(text)))
            told = "node => [node.ariaValueText, node.nextElementSibling.textContent]"
            assert node.evaluate(told) == [text, text]
        else:
            node.select_option(label=text)
    reach(here, figure, state)


def reach(here: Locator, figure: Figure, state: State) -> None:
    """Wait until a state is drawn."""
    frame = 0
    for control in figure.controls:
        frame = frame * len(control["texts"]) + control["texts"].index(state[control["name"]])
    here.page.wait_for_function(
        "([id, frame]) => document.getElementById(id).dataset.frame == frame", arg=[str(figure), frame]
    )


def differences(here: Locator, figure: Figure, state: State) -> Iterator[str]:
    """What a figure shows that is not of a state."""
    shown, said = here.locator(".explorer-readout").inner_text(), figure.readouts[figure.states.index(state)]
    if here.locator(".explorer-readout strong").inner_text() != said[: said.find(": ") + 1]:
        yield "the verdict is not bold"
    if shown != said:
        yield f"the read-out says {shown!r} instead of {said!r}"
    rows = [row for row in here.evaluate(DRAWN) if figure.controls[0]["name"] in row]
    if not rows:
        yield "no mark is drawn"
    for control in figure.controls:
        text = state[control["name"]]  # by which a table has a number, and the place of any other value
        wanted = float(text) if control["kind"] == "slider" else control["texts"].index(text)
        if strange := [row for row in rows if float(row[control["name"]]) != wanted]:
            yield f"of another {control['name']} than {text} are {strange}"


@pytest.mark.browser
@of_figures("light", WIDE)
def test_a_figure_shows_the_frame_of_each_state_and_another_one_is_noticed(visit, figure):
    here = live(visit.page, figure)
    assert len(figure.states) >= 12
    axes = here.evaluate(AXES)
    for state in figure.states:
        move(here, figure, state)
        assert list(differences(here, figure, state)) == [], state
        assert here.evaluate(AXES) == axes, "an axis moved"
    assert len(list(differences(here, figure, figure.states[0]))) > 1
    assert visit.faults == []
    assert found(visit.page, ANYWHERE) == {}


@pytest.mark.browser
@of_figures("dark", NARROW)
def test_in_the_dark_on_a_phone_a_figure_shows_the_same_and_its_picture_stays_where_it_is(visit, figure):
    here, tops = live(visit.page, figure), set()
    for state in figure.states:
        move(here, figure, state)
        tops.add(here.evaluate("figure => figure.querySelector('svg').getBoundingClientRect().top + scrollY"))
    assert len(tops) == 1
    stuck = "figure => [...figure.children].filter(part => getComputedStyle(part).position === 'sticky')"
    assert here.evaluate(f"{stuck}.reduce((sum, part) => sum + part.offsetHeight, 0)") <= MOST_STUCK
    assert here.locator(".explorer-moves button").count() == 1, "Play stands beside what it moves"
    for state in (figure.states[0], figure.states[-1]):
        move(here, figure, state)
        assert list(differences(here, figure, state)) == [], state
    visit.page.set_viewport_size({"width": 844, "height": NARROW})
    assert here.evaluate(f"{stuck}.length") == 1, "a phone on its side loses its slider"
    assert visit.faults == []
    assert found(visit.page, ANYWHERE) == {}


@pytest.mark.browser
@of_figures("light", WIDE)
def test_a_live_figure_has_no_faults_for_axe_follows_the_theme_and_its_controls_the_keyboard(visit, figure):
    page, here = visit.page, live(visit.page, figure)
    slider = here.locator("input[type=range]").first
    assert here.locator(f"label[for='{slider.get_attribute('id')}']").is_visible()
    slider.focus()
    page.keyboard.press("End")
    before = slider.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") != before
    assert slider.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    assert min(slider.bounding_box()[side] for side in ("height", "width")) >= 44
    place = {"include": [[f"#{figure}"]]}
    assert axe(page, place) == []
    drawn_anew(here, figure, lambda: page.set_viewport_size({"width": NARROW, "height": 900}))
    assert axe(page, place) == []
    drawn_anew(here, figure, lambda: page.evaluate("document.documentElement.dataset.theme = 'dark'"))
    assert "#E6EBF0" in here.locator("svg").inner_html()
    assert axe(page, place, runOnly=COLOURS) == []
    drawn_anew(here, figure, lambda: page.set_viewport_size({"width": WIDE, "height": 900}))
    assert axe(page, place, runOnly=COLOURS) == []
    page.emulate_media(media="print")
    assert here.locator("img").is_visible() and not here.locator("svg").is_visible()


@pytest.mark.browser
@of_figures("light", WIDE)
def test_before_a_figure_is_near_the_page_loads_little_more_and_the_address_opens_it_in_its_state(
    visit, figure
):
    page = visit.page
    page.wait_for_load_state("networkidle")
    ours = {url.partition("?")[0]: size for url, size in visit.sizes.items() if "explorer" in url}
    assert "explorers.js" in {url.rpartition("/")[2] for url in ours}
    assert sum(ours.values()) + page.locator(f"#{figure}").evaluate("node => node.outerHTML.length") < MOST
    assert not any(url.endswith((".json", "vega.js")) for url in ours)
    here = live(page, figure)
    first, *_, last = figure.states
    move(here, figure, last)
    page.wait_for_function(HELD, arg=last)
    shown = here.locator(".explorer-readout").inner_text()
    page.reload()
    here = drawn(page, figure)  # by itself: the address asks for it
    assert here.locator(".explorer-readout").inner_text() == shown
    page.evaluate("state => { location.hash = new URLSearchParams(state) }", first)
    reach(here, figure, first)
    assert list(differences(here, figure, first)) == []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    here.get_by_role("button", name="Copy link").click()
    here.get_by_role("button", name="Copied").wait_for()
    copied = urlsplit(page.evaluate("navigator.clipboard.readText()"))
    assert copied.path.endswith(figure.html) and dict(parse_qsl(copied.fragment)) == first
    here.get_by_role("button", name="Reset").click()
    reach(here, figure, {control["name"]: control["texts"][control["start"]] for control in figure.controls})
    page.wait_for_url(lambda url: "#" not in url)
    assert visit.faults == []


@pytest.mark.browser
@on_pages("book/calibrators/temperature.html", widths=[NARROW])
def test_play_shows_each_value_once_until_a_press_or_an_input_and_only_where_motion_is_welcome(visit):
    page, slider = visit.page, visit.page.locator("#temperature-2-T")
    here = live(page, TEMPERATURE)
    play = here.locator(".explorer-moves button")
    for stop, value in ((play.click, None), (lambda: slider.press("Home"), "0")):
        play.click()
        page.wait_for_function("document.querySelector('#temperature-2-T').value === '3'")
        stop()
        held = value or slider.input_value()
        page.wait_for_timeout(500)
        assert play.inner_text() == "Play" and slider.input_value() == held
    play.press("Enter")
    page.wait_for_function("document.querySelector('#temperature-2-T').value === '3'")
    here.get_by_role("button", name="Play").wait_for()
    assert slider.input_value() == slider.get_attribute("max")
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    drawn(page, TEMPERATURE)
    assert here.get_by_role("button").all_inner_texts() == ["Reset", "Copy link"]


GLIDING = """async ([id, value]) => {
    const control = document.getElementById(id), figure = control.closest("figure");
    await new Promise(done => setTimeout(done, 300));
    control.value = value;
    control.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise(done => setTimeout(done, 60));
    const places = () => [...figure.querySelectorAll(".mark-symbol > path")].map(
        mark => mark.getBoundingClientRect().y);
    const early = places();
    const moving = document.getAnimations().filter(one => figure.contains(one.effect.target));
    await new Promise(done => setTimeout(done, 400));
    return [moving.length, places().some((place, i) => Math.abs(place - early[i]) > 0.01)]; }"""


@pytest.mark.browser
@on_pages("book/measures/ece.html", "book/measures/reliability.html")
def test_marks_glide_into_the_next_frame_where_it_has_the_same_ones_and_motion_is_welcome(visit):
    page, figure = visit.page, next(one for one in FIGURES if visit.page.url.endswith(one.html))
    live(page, figure)
    first = figure.controls[0]
    slider = f"{figure}-{first['name']}"
    moving, is_between = page.evaluate(GLIDING, [slider, first["start"] + 1])
    assert (moving > 20) == is_between == (str(figure) == "ece-1"), "other bins are other marks"
    if is_between:
        assert page.evaluate(GLIDING, [slider, first["start"]])[0] == moving
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(GLIDING, [slider, first["start"] + 2]) == [0, False]
    assert visit.faults == []


DRAGGED = """async figure => {
    const sliders = [...figure.querySelectorAll("input")];
    const play = figure.querySelector(".explorer-moves button");
    const wait = time => new Promise(done => setTimeout(done, time));
    for (const slider of sliders) for (let i = 0; i <= slider.max; i++) {
        slider.value = i;
        slider.dispatchEvent(new Event("input", {bubbles: true}));
        await wait(5);
    }
    for (const time of [60, 0, 60]) { play.click(); await wait(time); }
}"""
STANDS = """async figure => {
    await new Promise(done => setTimeout(done, 300)); // the longest glide takes 200
    const kinds = ["symbol", "rect", "line", "area", "rule", "text"].map(kind => `.mark-${kind}`);
    return [...figure.querySelectorAll(kinds)]
        .flatMap(group => [...group.children]).map(({textContent, attributes: all}) =>
            textContent + ["d", "transform", "x2", "y2", "fill", "stroke"].map(name => all[name]?.value));
}"""


@pytest.mark.browser
@of_figures("light", WIDE)
def test_after_hasty_moves_play_pressed_twice_a_turned_window_and_another_tab_a_figure_is_as_drawn_anew(
    visit, figure
):
    page, here = visit.page, live(visit.page, figure)
    here.evaluate(DRAGGED)
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.context.browser.new_page().close()
    here.evaluate(DRAGGED)
    page.set_viewport_size({"width": WIDE, "height": 900})
    here.locator(".explorer-moves button").click()
    drawn(page, figure)
    left, state = here.evaluate(STANDS), {}
    for control in figure.controls:
        at = here.locator(f"#{figure}-{control['name']}").input_value()
        state[control["name"]] = control["texts"][int(at)]
    page.wait_for_function(HELD, arg=state)
    assert here.locator(".explorer-moves button").inner_text() == "Play"
    page.reload()
    drawn(page, figure)
    assert left == here.evaluate(STANDS)
    assert visit.faults == []


LIT = [
    (page.name, re.sub(r"\s+", " ", name or words))
    for page in notebooks(ROOT, "book")
    for cell in page.markdown
    for words, name in re.findall(r"\{line\}`([^`<]+?)\s*(?:<([^`>]+)>)?`", cell.source)
]


def test_a_word_that_lights_up_a_line_names_one_of_the_last_figure_of_its_page():
    drawn = {
        page.name: json.dumps([output["data"][MIME] for *_, output in figures(page.name, page.raw)][-1])
        for page in notebooks(ROOT, "book")
        if page.name in dict(LIT)
    }
    assert LIT and not [
        (page, name) for page, name in LIT if not re.search(rf"[\"']{name}[\\\"']", drawn[page])
    ]


@pytest.mark.browser
@on_pages(*(f"{page}.html" for page in dict(LIT)))
def test_a_word_that_is_pointed_at_lets_all_but_its_line_fade(visit):
    for word in visit.page.locator("a.line").all():
        live(visit.page, next(figure for figure in FIGURES if f"#{figure}" == word.get_attribute("href")))
        faded = f"{word.get_attribute('href')} .dim"
        word.focus()
        names = visit.page.locator(faded).evaluate_all("all => all.map(one => one.__data__.datum.series)")
        assert names and word.get_attribute("title") not in names
        word.blur()
        assert visit.page.locator(faded).count() == 0


@pytest.mark.browser
@on_pages("book/calibrators/temperature.html", widths=[NARROW])
def test_a_swipe_that_scrolls_the_page_leaves_the_slider_where_it_was_and_one_along_it_does_not(visit):
    page, slider = visit.page, visit.page.locator("#temperature-2-T")
    live(page, TEMPERATURE)
    touch, opened = page.context.new_cdp_session(page), slider.input_value()
    for along, down in ((0, -20), (10, 0)):
        box, before = slider.bounding_box(), page.evaluate("scrollY")
        for step in range(10):
            point = {"x": box["x"] + 80 + along * step, "y": box["y"] + 22 + down * step}
            event = {"type": "touchMove" if step else "touchStart", "touchPoints": [point]}
            touch.send("Input.dispatchTouchEvent", event)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(300)
        assert (page.evaluate("scrollY") > before + 50) == (slider.input_value() == opened) == bool(down)


@pytest.mark.browser
def test_a_page_without_a_figure_loads_nothing_for_one(chromium, address):
    page = chromium.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/{next(name for name in PAGES if 'glossary' in name)}")
    assert not [url for url in asked if "explorer" in url or "vega" in url]
    page.close()


@pytest.mark.browser
@on_pages("book/calibrators/temperature.html")
def test_a_number_that_a_teacher_writes_into_the_address_means_the_nearest_of_the_slider(visit):
    url = visit.page.url
    for text, shown in {"T=2.10": "2.1", "T=2.08": "2.1", "T=9": "4", "T=": "1", "T=hot": "1"}.items():
        visit.page.goto("about:blank")
        visit.page.goto(f"{url}#{text}")
        figure = visit.page.locator("#temperature-2[data-state=live]")
        figure.wait_for()
        assert figure.locator("output").inner_text() == shown


@pytest.mark.browser
@on_pages("book/measures/reliability.html")
def test_a_figure_stands_in_a_window_beside_what_moves_it_and_is_never_smaller_than_it_was_drawn(visit):
    figure = next(one for one in FIGURES if one.name == "reliability-1")
    heights = [live(visit.page, figure).bounding_box()["height"]]
    for size in ({"width": 1280, "height": 800}, {"width": 1280, "height": 390}):
        visit.page.set_viewport_size(size)
        heights.append(visit.page.locator("#reliability-1").bounding_box()["height"])
        svg = visit.page.locator("#reliability-1 svg")
        assert svg.bounding_box()["width"] >= svg.evaluate("node => node.viewBox.baseVal.width") - 1
    assert heights[0] > heights[1] > heights[2] and heights[1] < 800 - 64


@pytest.mark.browser
def test_without_scripts_each_figure_is_a_still_picture_that_is_said_in_words(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    for figure in FIGURES:
        page.goto(f"{address}/{figure.html}")
        still = page.locator(f"#{figure} img")
        assert still.is_visible() and len(still.get_attribute("alt")) > 60
    context.close()


SAYS_BELOW = """node => {
    const said = document.createRange();
    said.selectNode(node.querySelector("a").lastChild);
    return said.getBoundingClientRect().top > node.querySelector("img").getBoundingClientRect().bottom - 9;
}"""


@pytest.mark.browser
@on_pages(*EARLY, widths=[NARROW, WIDE])
def test_a_lesson_whose_figure_comes_late_shows_it_below_its_hook_with_what_it_says_and_leads_there(visit):
    page, picture = visit.page, visit.page.locator(".lesson-picture")
    there = page.locator(picture.locator("a").get_attribute("href"))
    figure = next((one for one in FIGURES if str(one) == there.get_attribute("id")), None)
    box, aims = picture.bounding_box(), page.locator("#by-the-end-you-can").bounding_box()
    said, name = picture.inner_text().strip(), picture.locator("img").evaluate("node => node.currentSrc")
    is_main = figure and page.viewport_size["width"] == NARROW
    assert ("-main.webp" in name) == bool(is_main), "a phone shows the main panel"
    assert picture.evaluate(SAYS_BELOW)
    assert box and aims and box["y"] < 900 and box["y"] + box["height"] < aims["y"]
    picture.locator("a").click()
    told = drawn(page, figure).locator(".explorer-readout") if figure else there.locator(".caption-text")
    assert there.bounding_box()["y"] < 900 and f"{told.inner_text()} ↓" == said
    page.goto(page.url.replace(".html", ".slides.html"))
    assert page.locator(".lesson-picture").count() == 0, "a deck shows the figure in its place"
