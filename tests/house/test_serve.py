"""What `make serve` runs: it compresses, lets browsers cache, and shows a new build at once."""

import gzip
import tempfile
from pathlib import Path

from tornado.httpclient import HTTPResponse
from tornado.testing import AsyncHTTPTestCase
from tornado.web import Application

from tools.serve import application

PAGE = "<p>A page of words.</p>" * 200


class TestServe(AsyncHTTPTestCase):
    """Ask a server of a small site."""

    def get_app(self) -> Application:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in {"index.html": PAGE, "404.html": "Search instead", "start.js": "let x;"}.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / "maths.woff2").write_bytes(bytes(2000))
        return application(str(self.folder))

    def get(self, path: str, **headers: str) -> HTTPResponse:
        return self.fetch(path, headers={"Accept-Encoding": "gzip", **headers}, decompress_response=False)

    def test_a_page_comes_compressed_and_a_font_as_it_is(self) -> None:
        page, font = self.get("/"), self.get("/maths.woff2")
        assert page.headers["Content-Encoding"] == "gzip" and len(page.body) < len(PAGE) / 10
        assert gzip.decompress(page.body).decode() == PAGE
        assert "Content-Encoding" not in font.headers and font.headers["Content-Type"] == "font/woff2"

    def test_a_page_is_sent_again_only_when_it_changed(self) -> None:
        first = self.get("/index.html")
        assert first.headers["Cache-Control"] == "no-cache"
        known = {"If-None-Match": first.headers["Etag"]}
        assert self.get("/index.html", **known).code == 304
        (self.folder / "index.html").write_text("anew", encoding="utf-8")
        assert self.get("/index.html", **known).code == 200

    def test_what_has_its_digest_in_the_address_is_kept(self) -> None:
        assert "max-age=315360000" in self.get("/start.js?v=1f").headers["Cache-Control"]

    def test_an_address_that_leads_nowhere_shows_the_page_for_that(self) -> None:
        for path in ("/nothing.html", "/../secret", "/%2e%2e/secret"):
            answer = self.get(path)
            assert answer.code in {403, 404} and answer.body == b"Search instead", path
