"""What a reader sees of a page on a phone: formulas in their font and whole, sections as tall as foretold."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.site.conftest import Visit
from tests.site.test_weight import each_page

pytestmark = pytest.mark.browser

SHOW_ALL = ".bd-article > section > :is(section, dl) { content-visibility: visible !important }"
CUT = """() => [...document.querySelectorAll(".math")].filter(box => {
    const formula = box.querySelector("math");
    return formula && formula.getBoundingClientRect().left < box.getBoundingClientRect().left - 1;
}).map(box => box.textContent.slice(0, 60))"""
HEADINGS = """() => ["h1", "h2", "h3", "h4"].map(name => document.querySelector(`article ${name}`))
    .filter(Boolean).map(heading => parseFloat(getComputedStyle(heading).fontSize))"""
SHARES = """() => [...document.querySelectorAll("article > section > :is(section, dl.py)")].map(part => [
    part.id || part.textContent.trim().slice(0, 40),
    parseFloat(part.style.getPropertyValue("--phone")) * 16 / part.offsetHeight,
])"""
SMALL_LETTERS = """() => [...document.querySelectorAll(".wide-picture img")]
    .filter(picture => picture.width / picture.naturalWidth < 0.6).map(picture => picture.src)"""


def fonts(visit: Visit) -> set[str]:
    """Name the fonts that draw the formulas of a page, but for those that the page brings itself."""
    tools = visit.page.context.new_cdp_session(visit.page)
    for domain in ("DOM", "CSS"):
        tools.send(f"{domain}.enable")
    root = tools.send("DOM.getDocument")["root"]["nodeId"]
    found = tools.send("DOM.querySelectorAll", {"nodeId": root, "selector": "math"})["nodeIds"]
    drawn = [tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in found]
    return {font["familyName"] for used in drawn for font in used if not font["isCustomFont"]}


@each_page
def test_formulas_are_whole_and_in_the_font_of_the_site_and_headings_and_pictures_keep_their_size(
    visit: Visit,
) -> None:
    page = visit.page
    page.add_style_tag(content=SHOW_ALL)
    page.evaluate("document.fonts.ready")
    assert page.evaluate(CUT) == [], "begins left of its box, where nobody can scroll to"
    assert fonts(visit) == set()
    sizes = page.evaluate(HEADINGS)
    assert sizes == sorted(set(sizes), reverse=True)
    assert page.evaluate(SMALL_LETTERS) == []
    shares = page.evaluate(SHARES)
    assert [(name, share) for name, share in shares if not 0.5 < share < 2.5] == []


@each_page
def test_what_can_be_pressed_has_room_and_the_keyboard_reaches_what_scrolls(visit: Visit) -> None:
    rules = ["target-size", "scrollable-region-focusable"]  # also where it is not yet drawn
    found = Axe().run(visit.page, options={"runOnly": rules}).response["violations"]
    assert [node["html"] for fault in found for node in fault["nodes"]] == []
