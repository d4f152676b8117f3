"""A Sphinx extension: the start page links the PDF and the EPUB that `make book` put beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lxml import html
from lxml.html import builder

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PDF, EPUB = "calibration-lessons.pdf", "calibration-lessons.epub"
LINKED = "start-book"


def link_book(site: Path) -> None:
    """Say under the doors of the start page where the books are, if they are there."""
    books = [(kind, site / name) for kind, name in (("PDF", PDF), ("EPUB", EPUB)) if (site / name).exists()]
    for page in (site / "index.html", site / "book/intro.html") if books else ():
        root = html.parse(page).getroot()
        for old in root.find_class(LINKED):
            old.drop_tree()
        line = builder.P("To print or to carry: the whole course as ", builder.CLASS(LINKED))
        for place, (kind, book) in enumerate(books):
            up = "../" * (len(page.relative_to(site).parts) - 1)
            link = builder.A(f"{kind} ({book.stat().st_size / 1e6:.1f} MB)", href=up + book.name)
            link.tail = " or " if place + 1 < len(books) else "."
            line.append(link)
        [doors] = root.find_class("start-doors")
        doors.addnext(line)
        page.write_bytes(html.tostring(root, encoding="utf-8", doctype="<!DOCTYPE html>"))


def link(app: Sphinx, error: Exception | None) -> None:
    """Link when all is written."""
    if not error and app.builder.name == "html":
        link_book(Path(app.outdir))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above, behind `site_slim` and `site_start`."""
    app.connect("build-finished", link, priority=960)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
