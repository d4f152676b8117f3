"""Every built page, in a browser: on a phone, on a wide screen, on paper; light and dark; light to load."""

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.site.conftest import HTML, MODES, NARROW, WIDE, on_pages
from tools.site.slides import ENDING

pytestmark = pytest.mark.browser

WRITTEN = sorted(
    path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html") if "_static" not in path.parts
)
PAGES = [name for name in WRITTEN if not name.endswith(ENDING)]
TABLET, PAPER = 768, round((210 - 2 * 15) / 25.4 * 96)  # paper: text of a sheet
BYTES, REQUESTS, SHIFT = 350_000, 16, 0.02

# Faults of the theme that our pages cannot mend: the rule, and what is at fault.
THEME_FAULTS = {
    "label-content-name-mismatch": "the theme's search button reads Ctrl+K, which its label leaves out",
    "aria-required-children": "the bibliography's list holds its entries one level too deep",
}
COLOURS = ["color-contrast", "link-in-text-block"]  # the rules of axe that see whether a page is dark
REACH = ["target-size", "scrollable-region-focusable"]
BROKEN_MATHS = """() => [...document.querySelectorAll(".math:not(:has(> math)), merror")]
    .map(node => node.textContent)"""
# What is at fault, each a question to the page: a list of what it finds.
ANYWHERE = {
    "formulas are drawn": BROKEN_MATHS,
    "the font of formulas has the root sign": """() =>
        [...document.querySelectorAll("msqrt")].filter(root => {
        const inside = [...root.children].reduce((sum, part) => sum + part.getBoundingClientRect().width, 0);
        return inside && root.getBoundingClientRect().width < inside + 4; // without the sign
    }).map(root => root.textContent)""",
    "images load": """async () => {
        const images = [...document.images].filter(i => i.loading !== "lazy");
        await Promise.allSettled(images.map(i => i.decode())); // a phone takes another file
        return images.filter(i => !(i.complete && i.naturalWidth)).map(i => i.src);
    }""",
    "what a page names is there": """() => [...document.querySelectorAll(
        ".problematic, .system-message, .traceback")].map(node => node.textContent)""",
    "a page does not scroll sideways": """() => [document.documentElement]
        .map(root => root.scrollWidth - root.clientWidth).filter(pixels => pixels > 0)""",
}
ON_A_PHONE = {
    "a formula begins within its box, where one can scroll to": """() =>
        [...document.querySelectorAll(".math")].filter(box => {
            const formula = box.querySelector("math");
            return formula && formula.getBoundingClientRect().left < box.getBoundingClientRect().left - 1;
        }).map(box => box.textContent.slice(0, 60))""",
    "a heading is larger than those below it": """() => ["h1", "h2", "h3", "h4"]
        .map(name => document.querySelector(`article ${name}`)).filter(Boolean)
        .map(heading => parseFloat(getComputedStyle(heading).fontSize))
        .filter((size, i, sizes) => i && size >= sizes[i - 1])""",
    "headings are quiet, and whole": """() => [...document.querySelectorAll("article :is(h1, h2, h3)")]
        .filter(title => title.scrollWidth > title.clientWidth + 1
            || parseFloat(getComputedStyle(title).fontSize) > 32)
        .map(title => title.textContent)""",
    "pictures keep half of their size": """() => [...document.querySelectorAll("article img")]
        .filter(image => image.matches(
            ":is(figure:not(.explorer), .cell_output, picture) > img"))
        .filter(image => image.checkVisibility() && image.clientWidth
            < 0.5 * (image.closest("picture")?.firstElementChild ?? image).getAttribute("width"))
        .map(image => image.alt)""",
    "a section is as tall as it said that it would be": """() =>
        [...document.querySelectorAll("article > section > :is(section, dl.py)")]
        .map(part => [parseFloat(part.style.getPropertyValue("--phone")) * 16 / part.offsetHeight, part.id])
        .filter(([share]) => !(0.5 < share && share < 2.5))""",
    "a title begins and ends in sight": """() =>
        [...document.querySelectorAll("article :is(caption, figcaption)")]
        .filter(title => title.checkVisibility())
        .map(title => [title.getBoundingClientRect(), title.textContent])
        .filter(([box]) => box.left < 0 || box.right > innerWidth).map(([, text]) => text)""",
}
ON_A_SCREEN = {
    "code of eighty columns fits": """() => [...document.querySelectorAll("article pre:not(dl pre)")]
        .filter(pre => pre.clientWidth && pre.scrollWidth > pre.clientWidth + 1)
        .filter(pre => Math.max(...pre.textContent.split("\\n").map(line => line.length)) <= 80)
        .map(pre => pre.textContent.slice(0, 80))""",
    "no cell has an empty line below its words": """() =>
        [...document.querySelectorAll("article :is(td, th) > p:last-child")]
        .filter(words => parseFloat(getComputedStyle(words).marginBottom) > 0)
        .map(words => words.textContent)""",
    "no block of code has empty room": """() =>
        [...document.querySelectorAll("article div.highlight > pre")]
        .filter(pre => pre.checkVisibility() && pre.clientHeight + 4 < pre.parentElement.clientHeight)
        .map(pre => pre.textContent)""",
}
ON_PAPER = {
    "nothing is wider than the sheet": """() =>
        [...document.querySelectorAll("article :is(pre, table, img, .output, math)")]
        .filter(one => one.checkVisibility())
        .filter(one => one.getBoundingClientRect().right > innerWidth + 1
            || getComputedStyle(one).overflowX !== "visible" && one.scrollWidth > one.clientWidth + 2)
        .map(one => one.textContent.slice(0, 80))""",
    "long tables go over pages, and no row does": """() =>
        [["table.table:not(.dataframe)", "auto"], ["table.table tr", "avoid"]].flatMap(([name, wanted]) =>
            [...document.querySelectorAll(`article ${name}`)]
            .filter(one => getComputedStyle(one).breakInside !== wanted).map(one => one.textContent))""",
    "no icon hides the number of what was folded": """() =>
        [...document.querySelectorAll(".folds > .cell > details > summary")]
        .filter(title => ["::before", "::after"].some(
            where => getComputedStyle(title, where).display !== "none")).map(title => title.textContent)""",
}
SHOW_ALL = ".bd-article > section > :is(section, dl) { content-visibility: visible !important }"
SHIFTS = """() => { window.shift = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shift += entry.value;
}).observe({type: "layout-shift", buffered: true}); }"""
LATE = "document.querySelectorAll(\"script[type='text/late'], link[rel='late']\").length"


def found(page: Page, questions: dict[str, str]) -> dict[str, Any]:
    """What is found at fault, by the sentence that it refutes."""
    return {said: faults for said, question in questions.items() if (faults := page.evaluate(question))}


def axe(page: Page, context: str | dict[str, Any] | None = None, **options: Any) -> list[tuple[str, str]]:
    """List what axe finds serious: the rule, and the element; without the named faults of the theme."""
    asked = {"resultTypes": ["violations"], "preload": False} | options  # no rule that runs reads sheets
    answer = Axe().run(page, context, asked).response["violations"]
    return [
        (f"{fault['id']}: {fault['help']}", node["html"][:200])
        for fault in answer
        if fault["impact"] in {"serious", "critical"} and fault["id"] not in THEME_FAULTS
        for node in fault["nodes"]
    ]


def fonts(page: Page) -> set[str]:
    """Name the fonts that draw the formulas of a page, but for those that the page brings itself."""
    tools = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        tools.send(f"{domain}.enable")
    root = tools.send("DOM.getDocument")["root"]["nodeId"]
    nodes = tools.send("DOM.querySelectorAll", {"nodeId": root, "selector": "math"})["nodeIds"]
    drawn = [tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes]
    return {font["familyName"] for used in drawn for font in used if not font["isCustomFont"]}


def test_the_site_is_built():
    assert {"index.html", "book/intro.html", "404.html"} <= set(PAGES)
    functions = (HTML / "book/reference/api/calibration_errors.html").read_text("utf-8")
    assert "executablebooks/jupyter-book/blob" not in functions, "Jupyter Book's own address"


def test_no_font_is_declared_again_by_what_comes_with_the_first_move():
    shared = (HTML / "_static/styles/site.css").read_text("utf-8")
    assert ".bd-article" in shared and "@font-face" not in shared
    assert all("@font-face" in (HTML / page).read_text("utf-8") for page in PAGES)


@on_pages(*PAGES, widths=[NARROW])
def test_on_a_phone_a_page_is_light_stands_still_and_is_whole_and_what_waits_comes_with_the_first_move(visit):
    page = visit.page
    page.evaluate(SHIFTS)
    assert page.title()
    assert sum(visit.sizes.values()) <= BYTES, visit.sizes
    assert len(visit.sizes) <= REQUESTS, visit.sizes
    assert not [name for name in visit.sizes if ".css" in name]
    assert page.evaluate(LATE) > 0
    assert found(page, ANYWHERE) == {}
    page.evaluate("document.fonts.ready")
    assert page.evaluate("window.shift") < SHIFT
    page.add_style_tag(content=SHOW_ALL)  # axe measures once: nothing may be laid out while it does
    assert axe(page, runOnly=REACH) == []
    page.locator("button.theme-switch-button:visible").first.dispatch_event("click")  # is repeated
    page.wait_for_function("document.documentElement.dataset.mode !== 'auto'")
    page.wait_for_function("document.querySelector('link[rel=stylesheet]').sheet?.cssRules.length > 100")
    assert page.evaluate(LATE) == 0
    assert page.locator(".copybtn:not([aria-label^='Copy: '])").count() == 0
    assert found(page, ON_A_PHONE) == {}
    assert fonts(page) == set()
    assert visit.faults == []


@on_pages(*PAGES)
def test_on_a_screen_and_on_paper_a_page_is_whole_and_axe_finds_nothing_serious(visit):
    page = visit.page
    assert found(page, ANYWHERE) == {}
    assert axe(page) == []
    page.add_style_tag(content=SHOW_ALL)
    for width in (WIDE, TABLET):
        page.set_viewport_size({"width": width, "height": 900})
        assert found(page, ON_A_SCREEN) == {}, width
    page.set_viewport_size({"width": PAPER, "height": 900})
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert found(page, ON_PAPER) == {}
    assert visit.faults == []


@on_pages("book/teaching/afternoon.html")
def test_the_teachers_sheet_is_one_sheet_of_paper(visit):
    pdf = visit.page.pdf(format="A4", margin=dict.fromkeys(["top", "right", "bottom", "left"], "1cm"))
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1


@on_pages(*PAGES, modes=["dark"])
def test_in_the_dark_a_page_is_whole_and_axe_finds_enough_contrast(visit):
    assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert axe(visit.page, runOnly=COLOURS) == []
    for width in (WIDE, NARROW):
        visit.page.set_viewport_size({"width": width, "height": 900})
        assert found(visit.page, ANYWHERE) == {}, width
    assert visit.faults == []


@on_pages("book/practice/shift.html", modes=MODES, widths=[WIDE, NARROW])
def test_a_term_shows_its_definition_and_a_citation_its_reference_until_escape_or_what_comes_next(visit):
    page, card = visit.page, visit.page.locator(".hover-card:popover-open")
    assert not [name for name in visit.sizes if "glossary" in name]
    for place, text in (("#term-covariate-shift", "features’ distribution"), ("bibliography.html#", "20")):
        link = page.locator(f"article a.reference[href*='{place}']").first
        for come in (link.focus, link.hover):
            page.mouse.move(1, 1)
            page.wait_for_selector(".hover-card", state="attached")
            come()
            card.filter(has_text=text).wait_for()
            assert link.get_attribute("aria-describedby") == card.get_attribute("id")
            assert axe(page, ".hover-card") == []
            page.keyboard.press("Escape")
            card.wait_for(state="detached")
    assert visit.faults == []


@on_pages("book/measures/reliability.html", modes=MODES, widths=[WIDE, NARROW])
def test_a_paragraph_can_be_linked_by_the_pointer_and_by_one_stop_of_the_tab_key(visit):
    page, link = visit.page, visit.page.locator("p[id] > .headerlink")
    page.set_default_timeout(5000)
    for part in ("#on-the-held-out", "#two-averages-can-agree"):
        height = page.locator(part).evaluate("p => p.offsetHeight")
        page.locator(part).hover(position={"x": 20, "y": 10})
        page.wait_for_function(
            "part => getComputedStyle(document.querySelector(`${part} > a`)).opacity === '1'", arg=part
        )
        assert link.count() == 1 and page.locator(part).evaluate("p => p.offsetHeight") == height
        box = link.bounding_box()
        assert box["x"] + box["width"] <= page.viewport_size["width"]
        link.click()
        assert page.url.endswith(part) and page.locator(f"{part}:target").is_visible()
    page.locator(part).hover()
    page.mouse.move(1, 1)
    link.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowDown")
    assert link.evaluate("a => a === document.activeElement && a.hash") == "#to-read-these-diagrams"
    assert axe(page, "p[id]:has(> .headerlink)") == []
    page.emulate_media(media="print")
    assert not link.is_visible()
    assert visit.faults == []


@on_pages("book/quickstart.html", modes=MODES)
def test_figures_and_reports_have_the_page_as_their_ground(visit):
    outputs = visit.page.locator(".cell_output img, .cell_output .text_html").all()
    grounds = {output.evaluate("node => getComputedStyle(node).backgroundColor") for output in outputs}
    assert grounds == {"rgba(0, 0, 0, 0)"}


@on_pages("book/quickstart.html", widths=[NARROW])
def test_a_printed_sentence_is_read_whole(visit):
    printed = visit.page.locator(".cell_output .stream pre").all()
    assert printed
    for text in printed:
        assert text.evaluate("node => node.scrollWidth <= node.clientWidth")


@on_pages("book/reference/api.html", widths=[NARROW])
def test_on_a_phone_what_a_function_does_stands_below_its_name(visit):
    visit.page.add_style_tag(content=SHOW_ALL)
    for row in visit.page.locator("table.autosummary tr").all():
        name, says = (cell.bounding_box() for cell in row.locator("td").all())
        assert says["y"] >= name["y"] + name["height"] - 1 and says["width"] > 300
