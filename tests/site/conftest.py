"""One browser and one server for all pages of the built site; every other host is blocked."""

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, Response, sync_playwright

HTML = Path(__file__).parents[2] / "_build/html"
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no interception: it can stall a worker
]
STILL = "*, ::before, ::after { transition: none !important; animation: none !important; }"  # colours settle


MODES, WIDE, NARROW = ("light", "dark"), 1280, 390


def on_pages(
    *pages: str, modes: Sequence[str] = MODES[:1], widths: Sequence[int] = (WIDE,)
) -> pytest.MarkDecorator:
    """Run a test on these pages, opened in these modes and at these widths."""
    return pytest.mark.parametrize("visit", [*product(pages, modes, widths)], ids=str, indirect=True)


@dataclass
class Visit:
    """An opened page and everything that went wrong while it loaded."""

    page: Page
    faults: list[str] = field(default_factory=list)
    sizes: dict[str, float] = field(default_factory=dict)


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Lets more requests wait than a browser sends at once."""

    request_queue_size = 64


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Serve the built site on a free port."""
    with Server(("127.0.0.1", 0), partial(Quiet, directory=HTML)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start the Chromium that CHROMIUM names."""
    path = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    assert path, "no Chromium found; install it, or name it in the environment variable CHROMIUM"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def size(answer: Response) -> float:
    """Bytes that an answer states; what the browser takes from its own memory may state none."""
    return float(answer.headers.get("content-length", "inf"))


@pytest.fixture
def visit(request: pytest.FixtureRequest, chromium: Browser, address: str) -> Iterator[Visit]:
    """Open the page that the test's parameters name, in their mode and width."""
    name, mode, width = request.param
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=mode)
    visit = Visit(page)

    def watch(asked: Request) -> None:
        if not asked.url.startswith((address, "blob:")):
            visit.faults.append(f"asks for {asked.url}")

    page.on("request", watch)
    page.on("console", lambda message: message.type == "error" and visit.faults.append(message.text))
    page.on("response", lambda answer: visit.sizes.update({answer.url: size(answer)}))
    page.on("pageerror", lambda error: visit.faults.append(str(error)))
    page.goto(f"{address}/{name}")
    page.add_style_tag(content=STILL)
    yield visit
    page.close()
