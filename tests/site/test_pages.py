"""Every built page, in a browser: light and dark, wide and narrow."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tools.site.slides import ENDING

pytestmark = pytest.mark.browser

HTML = Path(__file__).parents[2] / "_build/html"
WRITTEN = sorted(
    path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html") if "_static" not in path.parts
)
PAGES = [name for name in WRITTEN if not name.endswith(ENDING)]
MODES = ["light", "dark"]
WIDE, NARROW = 1280, 390

# Faults of the theme that our pages cannot mend: the rule, and what is at fault.
THEME_FAULTS = {
    "label-content-name-mismatch": "the theme's search button reads Ctrl+K, which its label leaves out",
    "aria-required-children": "the bibliography's list holds its entries one level too deep",
}

BROKEN_MATHS = """() => [...document.querySelectorAll(".math:not(:has(> math)), merror")]
    .map(node => node.textContent)"""
ROOTLESS = """() => [...document.querySelectorAll("msqrt")].filter(root => {
    const inside = [...root.children].reduce((sum, part) => sum + part.getBoundingClientRect().width, 0);
    return inside && root.getBoundingClientRect().width < inside + 4; // without the sign
}).map(root => root.textContent)"""
BROKEN_IMAGES = """() => [...document.images]
    .filter(i => i.loading !== "lazy" && !(i.complete && i.naturalWidth)).map(i => i.src)"""
UNRESOLVED = """() => [...document.querySelectorAll(".problematic, .system-message, .traceback")]
    .map(node => node.textContent)"""
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def every_page(*widths: int) -> pytest.MarkDecorator:
    """Run a test on each page in each mode at these widths."""
    cases = [(page, mode, width) for page in PAGES for mode in MODES for width in widths]
    names = ["-".join(map(str, case)) for case in cases]
    return pytest.mark.parametrize("visit", cases, ids=names, indirect=True)


def test_the_site_is_built():
    assert {"index.html", "book/intro.html", "404.html"} <= set(PAGES)


@every_page(WIDE, NARROW)
def test_a_page_loads_from_this_machine_alone_and_shows_everything(visit):
    page = visit.page
    assert page.title()
    assert visit.faults == []
    assert page.evaluate(BROKEN_MATHS) == []
    assert page.evaluate(ROOTLESS) == [], "the font of formulas has no root sign"
    assert page.evaluate(BROKEN_IMAGES) == []
    assert page.evaluate(UNRESOLVED) == []
    assert page.evaluate(TOO_WIDE) <= 0, "the page scrolls sideways"


@every_page(WIDE)
def test_axe_finds_nothing_serious_but_named_faults_of_the_theme(visit):
    found = Axe().run(visit.page).response["violations"]
    faults = [
        f"{fault['id']}: {fault['help']}: {node['html'][:200]}"
        for fault in found
        if fault["impact"] in {"serious", "critical"} and fault["id"] not in THEME_FAULTS
        for node in fault["nodes"]
    ]
    assert faults == []


@pytest.mark.parametrize("visit", [("book/quickstart.html", mode, WIDE) for mode in MODES], indirect=True)
def test_figures_and_reports_have_the_page_as_their_ground(visit):
    outputs = visit.page.locator(".cell_output img, .cell_output .text_html").all()
    found = {output.evaluate("node => getComputedStyle(node).backgroundColor") for output in outputs}
    assert found == {"rgba(0, 0, 0, 0)"}


@pytest.mark.parametrize("visit", [("book/quickstart.html", "light", NARROW)], indirect=True)
def test_a_printed_sentence_is_read_whole(visit):
    printed = visit.page.locator(".cell_output .stream pre").all()
    assert printed
    for text in printed:
        assert text.evaluate("node => node.scrollWidth <= node.clientWidth")
