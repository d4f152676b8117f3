"""What is shown with a link to a page: title and first words, and where the site has an address a picture."""

import re
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from lxml import html
from PIL import Image

from tests.book.copied import ROOT
from tools.binding.pages import notebooks
from tools.site.page_heads import describe
from tools.site.social_cards import card, write_cards

TITLES = [page.markdown[0].source.splitlines()[0].removeprefix("# ") for page in notebooks(ROOT, "book")]
TITLES += [re.sub("<!--.*?-->", "", m[1]) for p in sorted((ROOT / "book").rglob("*.md"))
           if (m := re.search("^# (.+)", p.read_text("utf-8"), re.M))]  # fmt: skip
HARDEST = {*sorted(TITLES, key=len)[-6:], max(TITLES, key=lambda title: max(map(len, title.split())))}


def head(address: str, page: str = "book/measures/ece") -> dict[str, str]:
    """Return the tags of a page's head, on a site with this address."""
    app = SimpleNamespace(
        config=SimpleNamespace(html_baseurl=address, project="Course", root_doc="book/intro"),
        env=SimpleNamespace(all_docs=["book/intro", "book/measures/ece"]),
        builder=SimpleNamespace(get_target_uri=lambda page: f"{page}.html"),
    )
    tree = new_document(page)
    context = {"title": "The <em>error</em> &amp; its interval"}
    describe(app, page, "page.html", context, None if page == "search" else tree)  # type: ignore[arg-type]
    tags = html.fromstring(f"<head>{context['metatags']}</head>").iter("meta")
    return {tag.get("name") or tag.get("property"): tag.get("content") for tag in tags}


@pytest.mark.parametrize("address", ["", "https://example.org/c", "https://example.org/c/"])
def test_a_page_has_a_plain_title_and_with_an_address_names_itself_and_its_picture(address: str) -> None:
    tags = head(address)
    assert tags["og:title"] == "The error & its interval"
    named = {name: tags.get(name) for name in ("og:url", "og:image", "twitter:card")}
    assert list(named.values()) == ([
        "https://example.org/c/book/measures/ece.html",
        "https://example.org/c/_static/social/book/measures/ece.png",
        "summary_large_image",
    ] if address else [None] * 3)  # fmt: skip
    assert not address or head(address, "search")["og:image"].endswith("/book/intro.png"), "it has none"


@pytest.mark.parametrize("title", sorted(HARDEST))
def test_a_title_stays_between_the_part_and_the_name_of_the_course_and_left_of_the_figure(title: str) -> None:
    drawn = card(title, "Uncertainty")
    part, words, course = (text.get_window_extent() for text in drawn.texts)
    assert part.y0 > words.y1 and words.y0 > course.y1
    assert words.x1 < drawn.axes[0].get_tightbbox().x0
    file = BytesIO()
    drawn.savefig(file)
    assert Image.open(file).size == (1200, 630)


@pytest.mark.parametrize("address", ["", "https://example.org/c"])
def test_the_cards_lie_where_the_heads_name_them_and_only_where_there_is_an_address(
    address: str, tmp_path: Path
) -> None:
    signs = nodes.Text(8 * "%")
    titles = {"book/measures/ece": nodes.title("", "", signs, nodes.raw("", "<!-- given -->"))}
    app = SimpleNamespace(
        config=SimpleNamespace(html_baseurl=address),
        builder=SimpleNamespace(name="html"),
        env=SimpleNamespace(titles=titles),
        outdir=tmp_path,
    )
    write_cards(app)  # type: ignore[arg-type]
    drawn = [f"{address}/{file.relative_to(tmp_path).as_posix()}" for file in tmp_path.rglob("*.png")]
    assert drawn == ([head(address)["og:image"]] if address else [])
    for file in tmp_path.rglob("*.png"):
        title = Image.open(file).convert("L").crop((0, 250, 750, 380))
        assert title.point(lambda grey: 255 - grey).getbbox()[2] > 400, "hints laid the signs over each other"
