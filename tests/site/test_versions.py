"""Where versions are published, a page leads to its twin in another, and an old one says that it is old."""

import json
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.house.test_published import build
from tests.site.conftest import Quiet, Server
from tools.site_versions import published

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve two versions, 0.2.0 at the address and 0.1.0 below it; each has a page that the other lacks."""
    root = tmp_path_factory.mktemp("versions")
    with Server(("127.0.0.1", 0), partial(Quiet, directory=root / "site")) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        try:
            yield publish(root, f"http://127.0.0.1:{running.server_port}/")
        finally:
            running.shutdown()


def publish(root: Path, site: str) -> str:
    """Build the two and lay one below the other."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as apart:  # in the browser's process it hangs
        new = apart.submit(build, root / "new", "", site, "0.2.0", "added")
        old = apart.submit(build, root / "old", "", site, "0.1.0", "dropped")
        shutil.copytree(new.result(), root / "site")
        shutil.copytree(old.result(), root / "site/0.1.0")
    (root / "site/versions.json").write_text(json.dumps(published("0.2.0", ["0.1.0"], site)))
    return site


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()


def choose(page: Page, name: str) -> None:
    """Choose a version in the list."""
    page.locator(".version-switcher__button").click()
    page.locator(".version-switcher__menu a", has_text=name).click()


def test_a_page_leads_to_its_twin_in_another_version_and_back(page: Page, versions: str) -> None:
    page.goto(f"{versions}lesson.html")
    choose(page, "0.1.0")
    page.wait_for_url(f"{versions}0.1.0/lesson.html")
    assert page.get_by_text("Made for version 0.1.0").is_visible()
    choose(page, "0.2.0 (newest)")
    page.wait_for_url(f"{versions}lesson.html")


def test_a_page_that_the_other_version_lacks_leads_to_its_start(page: Page, versions: str) -> None:
    page.goto(f"{versions}added.html")
    choose(page, "0.1.0")
    page.wait_for_url(f"{versions}0.1.0/")


def test_an_old_version_says_that_it_is_old(page: Page, versions: str) -> None:
    page.goto(f"{versions}0.1.0/lesson.html")
    page.get_by_text("This is documentation for an old version (0.1.0)").wait_for()
    page.goto(f"{versions}lesson.html")
    assert not page.get_by_text("This is documentation for").is_visible()
