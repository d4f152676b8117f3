"""Build the course into _build/html and serve it on this machine.

    python tools/website.py build              build what changed since the last build
    python tools/website.py serve [PORT]       serve the built course at http://127.0.0.1:PORT
    python tools/website.py free-port [PORT]   say by the exit status whether PORT can be used

With CLASS_EDITION=1 in the environment it is the class edition, without solutions, in _build/class.
Progress goes to standard error. A failure prints one line on standard output: the step, and what to do.
"""

import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLASS_EDITION = os.environ.get("CLASS_EDITION", "") not in ("", "0")
SITE = ROOT / "_build" / "class" if CLASS_EDITION else ROOT
BUILD = SITE / "_build"
HTML = BUILD / "html"
RECORD = BUILD / "site.json"
COMPUTED_FROM = ("calibration_lessons", "requirements.txt", "book/reference/benchmarks.json")
HEADING = re.compile(r'^\s*"?# .*', re.MULTILINE)


class Stop(Exception):
    """A step failed; the message names it and says what to do."""


def tell(message: str) -> None:
    """Report progress."""
    print(message, file=sys.stderr, flush=True)


def files(*names: str) -> Iterator[Path]:
    """Yield the files below the named files and folders, in a fixed order."""
    for name in names:
        path = (SITE if (SITE / name).exists() else ROOT) / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(file.parts):
                yield file


def digest(*parts: bytes) -> str:
    """Return one digest of all parts."""
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def digest_files(*names: str) -> str:
    """Return a digest of the named files and folders, names included."""
    return digest(*(part for file in files(*names) for part in (str(file).encode(), file.read_bytes())))


def headings() -> bytes:
    """Return the first heading of every page; the navigation of all other pages shows it."""
    pages = (file for file in files("book") if file.suffix in {".md", ".ipynb"})
    found = (HEADING.search(page.read_text(encoding="utf-8")) for page in pages)
    return "\n".join(match.group() for match in found if match).encode()


def fingerprint() -> dict[str, str]:
    """Return what the site depends on: what its cells compute with, what every page shows, and its text."""
    cells = digest(digest_files(*COMPUTED_FROM).encode(), sys.version.encode())
    frame = digest_files("_config.yml", "_toc.yml", "tools/theme_fixes.py", "book/assets")
    return {"cells": cells, "frame": digest(frame.encode(), headings()), "text": digest_files("book")}


def recorded() -> dict[str, str]:
    """Return the fingerprint of the last build that succeeded."""
    return json.loads(RECORD.read_text()) if RECORD.exists() and (HTML / "index.html").exists() else {}


def forget(old: dict[str, str], new: dict[str, str]) -> None:
    """Drop what Sphinx and the execution cache would wrongly reuse.

    Neither sees a change in the package or in the lock, and Sphinx repeats no warning of a page it does not
    read again, nor shows a new heading in the navigation of the others.
    """
    RECORD.unlink(missing_ok=True)
    if old.get("cells") != new["cells"]:
        shutil.rmtree(BUILD / ".jupyter_cache", ignore_errors=True)
    if (old.get("cells"), old.get("frame")) != (new["cells"], new["frame"]):
        shutil.rmtree(HTML, ignore_errors=True)
        shutil.rmtree(BUILD / ".doctrees", ignore_errors=True)


def build() -> None:
    """Build the course where anything it depends on changed."""
    if CLASS_EDITION:
        writing = [sys.executable, "tools/class_edition.py"]
        if subprocess.call(writing, cwd=ROOT, stdout=sys.stderr):
            raise Stop("build: the class edition could not be written; mend the error above, then try again")
    old, new = recorded(), fingerprint()
    if old == new:
        tell("build: the course is up to date")
        return
    forget(old, new)
    tell(f"build: building the course into {HTML.relative_to(ROOT)}; new and changed chapters are executed")
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", "-W", "-n", "--keep-going", "."]
    if subprocess.call(command, cwd=SITE, stdout=sys.stderr):
        raise Stop("build: the course could not be built; mend the warnings and errors above, then try again")
    RECORD.write_text(json.dumps(new, indent=1) + "\n")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def server(port: str) -> http.server.ThreadingHTTPServer:
    """Return a server bound to the port, or stop and name another."""
    advice = "choose another, as in: make serve PORT=8001"
    if not port.isdecimal() or int(port) > 65535:
        raise Stop(f"serve: {port!r} is no port, a whole number up to 65535; {advice}")
    try:
        handler = functools.partial(Quiet, directory=str(HTML))
        return http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), handler)
    except OSError as error:
        raise Stop(f"serve: port {port} cannot be used ({error.strerror}); {advice}") from None


def serve(port: str) -> None:
    """Serve the built course until Ctrl-C."""
    with server(port) as running:
        tell(f"serve: the course is at http://127.0.0.1:{running.server_port} (Ctrl-C ends it)")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            tell("")


def main(command: str = "build", port: str = "8000") -> None:
    """Run one command."""
    if command == "build":
        build()
    elif command == "serve":
        serve(port)
    elif command == "free-port":
        server(port).server_close()
    else:
        raise Stop(f"website.py: unknown command {command!r}; known are build, serve and free-port")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Stop as stop:
        print(stop)
        sys.exit(1)
