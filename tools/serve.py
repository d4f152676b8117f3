"""Serve the built course as a good host would: compressed, cached, with its own page for errors.

    python tools/serve.py FOLDER PORT

What has its digest in the address (`?v=`) is kept by the browser; of the rest it asks whether it changed, so
that a new build shows at once. `make serve` builds before.
"""

from __future__ import annotations

import asyncio
import mimetypes
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tornado.web import Application, StaticFileHandler


class File(StaticFileHandler):
    """A file of the site; `Application` compresses those that are text."""

    def compute_etag(self) -> str:
        """Name the state of the file by its size and time: a build while this runs changes it."""
        state = Path(self.absolute_path or "").stat()
        return f'"{state.st_size:x}-{state.st_mtime_ns:x}"'

    def set_extra_headers(self, path: str) -> None:
        """Have the browser ask whether a file without a digest changed."""
        if not self.get_argument("v", ""):
            self.set_header("Cache-Control", "no-cache")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Show the page for addresses that lead nowhere."""
        page = Path(self.root, "404.html")
        if status_code in {403, 404} and page.exists():
            self.finish(page.read_bytes())
        else:
            super().write_error(status_code, **kwargs)


def application(folder: str) -> Application:
    """Make the server of a folder."""
    for ending in ("woff2", "woff"):
        mimetypes.add_type(f"font/{ending}", f".{ending}")
    mimetypes.add_type("image/webp", ".webp")
    files = (r"/(.*)", File, {"path": folder, "default_filename": "index.html"})
    return Application([files], compress_response=True, log_function=lambda handler: None)


async def serve(folder: str, port: int) -> None:
    """Serve until Ctrl-C."""
    application(folder).listen(port, "127.0.0.1")
    await asyncio.Event().wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
