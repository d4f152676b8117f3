"""A page opens at once: few bytes, few requests, nothing that jumps, formulas there without a script."""

import pytest

from tests.site.conftest import Visit
from tests.site.test_pages import PAGES

pytestmark = pytest.mark.browser

BYTES, REQUESTS, SHIFT = 300_000, 16, 0.02
ON_A_PHONE = [(page, "light", 390) for page in PAGES]
SHIFTS = """() => new Promise(done => {
    const sum = list => list.getEntries().reduce((total, entry) => total + entry.value, 0);
    new PerformanceObserver(list => done(sum(list))).observe({type: "layout-shift", buffered: true});
    setTimeout(() => done(0), 500);
})"""

each_page = pytest.mark.parametrize("visit", ON_A_PHONE, ids=PAGES, indirect=True)


@each_page
def test_a_page_is_light_and_stands_still_before_the_reader_moves(visit: Visit) -> None:
    assert sum(visit.sizes.values()) <= BYTES, visit.sizes
    assert len(visit.sizes) <= REQUESTS, visit.sizes
    assert not [name for name in visit.sizes if ".css" in name]
    assert visit.page.evaluate(SHIFTS) < SHIFT


@each_page
def test_what_waits_comes_with_the_first_move_and_an_early_press_is_repeated(visit: Visit) -> None:
    assert visit.page.locator("script[type='text/late']").count() > 0
    visit.page.locator("button.theme-switch-button:visible").first.dispatch_event("click")
    visit.page.wait_for_function("document.documentElement.dataset.mode !== 'auto'")
    assert visit.page.locator("script[type='text/late']").count() == 0
    assert visit.page.locator("link[rel='late']").count() == 0
    visit.page.wait_for_function(
        "document.querySelector('link[rel=stylesheet]').sheet?.cssRules.length > 100"
    )
