"""Pages as a reader sees them: letters to be read on a phone, tables and code that fit, sheets of paper."""

import pytest

from tests.site.conftest import Visit
from tests.site.test_pages import NARROW, WIDE

pytestmark = pytest.mark.browser

PAPER = 210 - 2 * 15  # millimetres of a sheet that hold text
SAMPLE = [
    *("practice/choosing", "practice/shift", "practice/training", "use/classifiers", "use/monitor"),
    *("teaching/syllabus", "teaching/exam", "reference/methods", "reference/api", "reference/corrections"),
    *("reference/data", "reference/benchmarks", "reference/equations"),
]
OPEN = (
    "() => document.querySelectorAll('article section').forEach(s => s.style.contentVisibility = 'visible')"
)
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


def each(*widths: int) -> pytest.MarkDecorator:
    """Run a test on the sample of pages at these widths."""
    cases = [(f"book/{name}.html", "light", width) for name in SAMPLE for width in widths]
    names = [f"{name[5:-5]}-{width}" for name, _, width in cases]
    return pytest.mark.parametrize("visit", cases, ids=names, indirect=True)


@each(WIDE, 768)
def test_code_of_eighty_columns_fits_and_no_cell_or_block_has_empty_room(visit: Visit) -> None:
    visit.page.evaluate(OPEN)
    assert visit.page.evaluate(CUT_CODE) == []
    assert visit.page.evaluate(HOLLOW) == []
    assert visit.page.evaluate(BANDS) == []


@each(NARROW)
def test_on_a_phone_headings_are_quiet_and_figures_and_titles_can_be_read(visit: Visit) -> None:
    page = visit.page
    page.evaluate(OPEN)
    assert page.evaluate(LOUD, 32) == []
    assert page.evaluate(SHRUNK, 0.6) == []
    assert page.evaluate(LOST_TITLES) == []


@pytest.mark.parametrize("visit", [("book/reference/api.html", "light", NARROW)], indirect=True)
def test_on_a_phone_what_a_function_does_stands_below_its_name(visit: Visit) -> None:
    visit.page.evaluate(OPEN)
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
