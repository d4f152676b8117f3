"""What people type leads to the page that they mean, first of all; no phrase of the list is for nobody."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.site.conftest import MODES, NARROW, Visit, on_pages

pytestmark = pytest.mark.browser

ECE = "book/measures/ece.html"
BOOK = Path(__file__).parents[2] / "book"
QUERIES = tomllib.loads(Path(__file__).with_name("queries.toml").read_text(encoding="utf-8"))
FRESH = QUERIES.pop("fresh")


@pytest.fixture(scope="module")
def searching(chromium: Browser, address: str) -> Iterator[Page]:
    """Open the page of the search once."""
    page = chromium.new_page()
    page.goto(f"{address}/search.html?q=calibration")
    page.wait_for_selector(".search-hits li")
    yield page
    page.close()


def found(searching: Page, query: str) -> list[str]:
    """Type a query, and list the pages that are found."""
    searching.locator("article input[type=search]").fill(query)
    hits = searching.locator(f".search-hits[data-query='{query}'] li > a:first-child")
    hits.first.wait_for()
    return [(hit.get_attribute("href") or "").removeprefix("/book/") for hit in hits.all()]


@pytest.mark.parametrize(("query", "pages"), QUERIES.items(), ids=QUERIES)
def test_the_first_hit_is_the_page_that_is_meant(searching: Page, query: str, pages: str) -> None:
    hits = found(searching, query)
    assert hits[0].startswith(tuple(pages.split())), hits[:5]


def test_nine_in_ten_fresh_questions_find_their_page_first_and_each_among_three(searching: Page) -> None:
    ranks = {}
    for query, pages in FRESH.items():
        meant = [hit.startswith(tuple(pages.split())) for hit in found(searching, query)[:3]]
        ranks[query] = meant.index(True) if any(meant) else 3
    assert max(ranks.values()) < 3, ranks
    assert sum(rank == 0 for rank in ranks.values()) >= 0.9 * len(ranks), ranks


def test_a_misspelt_word_is_read_as_the_nearest_and_an_excerpt_holds_what_was_found(searching: Page) -> None:
    assert found(searching, "tempature scaling")[0].startswith("calibrators/temperature")
    listed = searching.locator(".search-hits")
    assert listed.inner_text().startswith("Searched for: temperature scaling")
    for excerpt in listed.locator(".search-text").all()[:5]:
        assert re.search("temperature|scaling", " ".join(excerpt.locator("mark").all_inner_texts()), re.I)


@on_pages(ECE, modes=MODES, widths=[NARROW])
def test_results_come_while_a_reader_types_and_lead_to_pages_and_sections(visit: Visit) -> None:
    page = visit.page
    page.locator("button.search-button:visible").first.click()
    page.locator("dialog input[type=search]").wait_for()
    page.keyboard.type("softmax temperature")
    first = page.locator("dialog .search-hits[data-query='softmax temperature'] li").first
    first.wait_for()
    assert first.locator("a").first.inner_text().startswith("Temperature scaling")
    assert re.search("softmax|temperature", first.locator("mark").first.inner_text(), re.I)
    box = page.locator("dialog .search-hits").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert Axe().run(page, context="dialog").response["violations"] == []
    address = first.locator("a").nth(1).get_attribute("href") or ""
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/calibrators/temperature.html")
    assert page.locator(f"[id='{address.partition('#')[2]}']").count() == 1
    assert visit.faults == []


@on_pages("search.html", widths=[NARROW])
def test_a_query_that_finds_nothing_is_told_so(visit: Visit) -> None:
    page = visit.page
    field = page.locator("article input[type=search]")
    field.focus()
    field.fill("ж")
    page.get_by_text("Nothing is found").get_by_role("link", name="glossary").wait_for()


def test_the_list_names_pages_that_exist_and_every_page_of_a_lesson() -> None:
    listed = set(yaml.safe_load((BOOK / "reference/search.yml").read_text(encoding="utf-8")))
    pages = {
        path.relative_to(BOOK.parent).with_suffix("").as_posix()
        for path in BOOK.rglob("*")
        if path.suffix in {".md", ".ipynb"} and ".ipynb_checkpoints" not in path.parts
    }
    assert listed <= pages
    assert {page for page in pages if not re.search("teaching|reference", page)} <= listed
