"""What is shown with a link to a page: title and first words, and where the site has an address a picture."""

from types import SimpleNamespace

import pytest
from docutils.utils import new_document
from lxml import html

from tests.book.copied import ROOT
from tools.site.page_heads import describe


def head(address: str) -> dict[str, str]:
    """Return the tags of a page's head, on a site with this address."""
    app = SimpleNamespace(
        config=SimpleNamespace(html_baseurl=address, project="Course"),
        builder=SimpleNamespace(get_target_uri=lambda page: f"{page}.html"),
    )
    context = {"title": "The <em>error</em> &amp; its interval"}
    page = "book/measures/ece"
    describe(app, page, "page.html", context, new_document(page))  # type: ignore[arg-type]
    tags = html.fromstring(f"<head>{context['metatags']}</head>").iter("meta")
    return {tag.get("name") or tag.get("property"): tag.get("content") for tag in tags}


def test_a_card_has_the_plain_title_and_no_picture_while_the_site_has_no_address() -> None:
    tags = head("")
    assert tags["og:title"] == "The error & its interval"
    assert not {"og:image", "og:url", "twitter:card"} & set(tags)


@pytest.mark.parametrize("address", ["https://example.org/c", "https://example.org/c/"])
def test_with_an_address_each_page_names_itself_and_the_picture_by_whole_addresses(address: str) -> None:
    tags = head(address)
    assert tags["og:url"] == "https://example.org/c/book/measures/ece.html"
    assert tags["og:image"] == "https://example.org/c/_static/before_after.png"
    assert (ROOT / "book/assets/before_after.png").exists()
    assert tags["twitter:card"] == "summary_large_image"
