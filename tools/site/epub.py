"""`make book` writes pages that readers of EPUB can parse, without scripts.

Sphinx calls them XHTML, but they hold what HTML allows, as elements that nothing closes.
"""

import shutil
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from lxml import etree, html
from sphinx.application import Sphinx

XHTML = "http://www.w3.org/1999/xhtml"


def as_xhtml(page: bytes) -> bytes:
    r"""Write a page of HTML as XHTML.

    >>> as_xhtml(b"<html><body><p>A<br>B &nbsp; <script>no()</script></body></html>").splitlines()[-1]
    b'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>A<br/>B \xc2\xa0 </p></body></html>'
    """
    root = html.document_fromstring(page, parser=html.HTMLParser(encoding="utf-8"))
    for picture in root.xpath("//img[contains(@src, '?')]"):
        picture.set("src", picture.get("src").partition("?")[0])
    for unread in root.xpath("//script | //source | //link[@rel='preload']"):
        unread.drop_tree()
    for element in root.iter("*"):
        for name in [name for name in element.attrib if ":" in name]:  # of no declared namespace
            del element.attrib[name]
    root.set("xmlns", XHTML)
    text: bytes = etree.tostring(root, encoding="utf-8", xml_declaration=True, doctype="<!DOCTYPE html>")
    return text


def rewrite(app: Sphinx) -> None:
    """Rewrite the pages in the finished book; its first file stays as it is, uncompressed."""
    book = Path(app.outdir) / f"{app.config.epub_basename}.epub"
    with ZipFile(book) as before, ZipFile(book.with_suffix(".new"), "w", ZIP_DEFLATED) as after:
        for entry in before.infolist():
            content = before.read(entry)
            page = entry.filename.endswith(".xhtml") and not entry.filename.endswith("nav.xhtml")
            kind = ZIP_STORED if entry.filename == "mimetype" else ZIP_DEFLATED
            after.writestr(entry.filename, as_xhtml(content) if page else content, kind)
    shutil.move(book.with_suffix(".new"), book)
