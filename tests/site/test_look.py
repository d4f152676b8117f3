"""Pages as a reader sees them: formulas, headings, pictures on a phone; code and tables that fit; paper."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.site.conftest import Visit
from tests.site.test_pages import NARROW, WIDE
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
PAPER = 210 - 2 * 15  # millimetres of a sheet that hold text
SAMPLE = [
    *("practice/choosing", "practice/shift", "practice/training", "use/classifiers", "use/monitor"),
    *("teaching/syllabus", "teaching/exam", "reference/methods", "reference/api", "reference/corrections"),
    *("reference/data", "reference/benchmarks", "reference/equations"),
]
# Code that a line of eighty characters makes scroll.
CUT_CODE = """() => [...document.querySelectorAll("article pre")]
    .filter(pre => pre.clientWidth && pre.scrollWidth > pre.clientWidth + 1)
    .filter(pre => Math.max(...pre.textContent.split("\\n").map(line => line.length)) <= 80)
    .map(pre => pre.textContent.slice(0, 80))"""
LOUD = """largest => [...document.querySelectorAll("article :is(h1, h2, h3)")]
    .filter(title => title.scrollWidth > title.clientWidth + 1
        || parseFloat(getComputedStyle(title).fontSize) > largest)
    .map(title => title.textContent)"""
# How small a picture is shown, as a share of its size.
SHRUNK = """least => [...document.querySelectorAll("article img")]
    .filter(image => image.matches(":is(figure:not(.explorer), .cell_output, .wide-picture) > img"))
    .filter(image => image.checkVisibility() && image.clientWidth < least * image.getAttribute("width"))
    .map(image => image.alt)"""
# A title that begins outside of what is in sight, or is wider.
LOST_TITLES = """() => [...document.querySelectorAll("article :is(caption, figcaption)")]
    .filter(title => title.checkVisibility())
    .map(title => [title.getBoundingClientRect(), title.textContent])
    .filter(([box]) => box.left < 0 || box.right > innerWidth)
    .map(([, text]) => text)"""
# Cells with an empty line below their words.
HOLLOW = """() => [...document.querySelectorAll("article :is(td, th) > p:last-child")]
    .filter(words => parseFloat(getComputedStyle(words).marginBottom) > 0)
    .map(words => words.textContent)"""
BANDS = """() => [...document.querySelectorAll("article div.highlight > pre")]
    .filter(pre => pre.checkVisibility() && pre.clientHeight + 4 < pre.parentElement.clientHeight)
    .map(pre => pre.textContent)"""
# What is wider than a sheet of paper.
OFF_PAPER = """() => [...document.querySelectorAll("article :is(pre, table, img, .output, math)")]
    .filter(one => one.checkVisibility())
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1
        || getComputedStyle(one).overflowX !== "visible" && one.scrollWidth > one.clientWidth + 2)
    .map(one => one.textContent.slice(0, 80))"""


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
    assert page.evaluate(SHRUNK, 0.6) == []
    shares = page.evaluate(SHARES)
    assert [(name, share) for name, share in shares if not 0.5 < share < 2.5] == []


@each_page
def test_what_can_be_pressed_has_room_and_the_keyboard_reaches_what_scrolls(visit: Visit) -> None:
    rules = ["target-size", "scrollable-region-focusable"]  # also where it is not yet drawn
    found = Axe().run(visit.page, options={"runOnly": rules}).response["violations"]
    assert [node["html"] for fault in found for node in fault["nodes"]] == []


def each(*widths: int) -> pytest.MarkDecorator:
    """Run a test on the sample of pages at these widths."""
    cases = [(f"book/{name}.html", "light", width) for name in SAMPLE for width in widths]
    names = [f"{name[5:-5]}-{width}" for name, _, width in cases]
    return pytest.mark.parametrize("visit", cases, ids=names, indirect=True)


@each(WIDE, 768)
def test_code_of_eighty_columns_fits_and_no_cell_or_block_has_empty_room(visit: Visit) -> None:
    visit.page.add_style_tag(content=SHOW_ALL)
    assert visit.page.evaluate(CUT_CODE) == []
    assert visit.page.evaluate(HOLLOW) == []
    assert visit.page.evaluate(BANDS) == []


@each(NARROW)
def test_on_a_phone_headings_are_quiet_and_titles_can_be_read(visit: Visit) -> None:
    page = visit.page
    page.add_style_tag(content=SHOW_ALL)
    assert page.evaluate(LOUD, 32) == []
    assert page.evaluate(LOST_TITLES) == []


@pytest.mark.parametrize("visit", [("book/reference/api.html", "light", NARROW)], indirect=True)
def test_on_a_phone_what_a_function_does_stands_below_its_name(visit: Visit) -> None:
    visit.page.add_style_tag(content=SHOW_ALL)
    for row in visit.page.locator("table.autosummary tr").all():
        name, says = (cell.bounding_box() for cell in row.locator("td").all())
        assert name and says
        assert says["y"] >= name["y"] + name["height"] - 1 and says["width"] > 300


@each(int(PAPER / 25.4 * 96))
def test_on_paper_nothing_is_wider_than_the_sheet_and_long_tables_go_over_pages(visit: Visit) -> None:
    page = visit.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate(OFF_PAPER) == []
    for table in page.locator("article table.table:not(.dataframe)").all():
        assert table.evaluate("table => getComputedStyle(table).breakInside") == "auto"
    for row in page.locator("article table.table tr").all()[:5]:
        assert row.evaluate("row => getComputedStyle(row).breakInside") == "avoid"
    for title in page.locator(".folds > .cell > details > summary").all():  # an icon would hide the number
        assert title.evaluate("title => getComputedStyle(title, '::after').display") == "none"
        assert title.evaluate("title => getComputedStyle(title, '::before').display") == "none"
