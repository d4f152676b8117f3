"""What an address in `[tool.release]` gives a site, and that without one nothing points nowhere."""

import json
import re
import shutil
from io import StringIO
from pathlib import Path
from unittest import mock

import nbformat
import pytest
from lxml import html
from sphinx.application import Sphinx

from calibration_lessons.book import made_for

ROOT = Path(__file__).resolve().parents[2]
SITE, REPOSITORY = "https://team.github.io/lessons/", "https://github.com/team/lessons"
EXTENSIONS = ["myst_nb", *(f"tools.site_{name}" for name in ("found", "launch", "versions"))]
NEEDED = ("book/reference/search.yml", "book/assets/search.js", "book/assets/logo.svg")


def build(
    folder: Path, repository: str = "", site: str = "", version: str = "0.1.0", pages: str = ""
) -> Path:
    """Build a site of a start page, a notebook and further pages, as it is where the addresses are these."""
    source, out = folder / "source", folder / "html"
    for name in NEEDED:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    names = ["lesson", *pages.split()]
    toctree = "\n".join(names)
    (source / "index.md").write_text(f"# Start\n\nWords.\n\n```{{toctree}}\n{toctree}\n```\n", "utf-8")
    for name in names[1:]:
        (source / f"{name}.md").write_text(f"# {name}\n\nWords of {name}.\n", "utf-8")
    cells = [nbformat.v4.new_markdown_cell("# Lesson"), nbformat.v4.new_code_cell("1 + 1")]
    language = {
        "language_info": {"name": "python"},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
    }
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=language), source / "lesson.ipynb")
    settings = {
        **{"extensions": EXTENSIONS, "html_theme": "sphinx_book_theme", "project": "Lessons"},
        **{"release": version, "nb_execution_mode": "off", "exclude_patterns": ["book"]},
        **{"html_logo": "book/assets/logo.svg", "language": "en"},
    }
    found = mock.Mock(return_value=(repository, site))
    with mock.patch("tools.site_found.addresses", found), mock.patch("tools.site_launch.addresses", found):
        warnings = StringIO()
        app = Sphinx(source, None, out, folder / "trees", "html", settings, status=None, warning=warnings)
        app.build()
    told = [line for line in warnings.getvalue().splitlines() if "already registered" not in line]
    assert told == []  # but what another build in the same process left behind
    return out


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    return build(tmp_path_factory.mktemp("published"), REPOSITORY, SITE.rstrip("/"))


@pytest.fixture(scope="module")
def unpublished(tmp_path_factory):
    return build(tmp_path_factory.mktemp("unpublished"))


def links(site: Path, page: str = "lesson.html") -> list[str]:
    return html.parse(site / page).xpath("//@href")


def test_with_an_address_a_page_says_where_it_is_at_home_and_is_in_the_sitemap(published):
    page = html.parse(published / "lesson.html")
    assert page.xpath("//link[@rel='canonical']/@href") == [f"{SITE}lesson.html"]
    assert page.xpath("//meta[@property='og:url']/@content") == [f"{SITE}lesson.html"]
    [card] = page.xpath("//meta[@property='og:image']/@content")
    assert (published / card.removeprefix(SITE)).stat().st_size > 10_000
    assert f"<loc>{SITE}lesson.html</loc>" in (published / "sitemap.xml").read_text("utf-8")
    assert f"Sitemap: {SITE}sitemap.xml" in (published / "robots.txt").read_text("utf-8")


def test_the_start_page_is_at_home_at_the_address_itself(published):
    page = html.parse(published / "index.html")
    assert page.xpath("//link[@rel='canonical']/@href") == [SITE]
    assert page.xpath("//meta[@property='og:url']/@content") == [SITE]
    sitemap = (published / "sitemap.xml").read_text("utf-8")
    assert f"<loc>{SITE}</loc>" in sitemap and f"{SITE}index.html" not in sitemap


def test_the_page_for_addresses_that_are_none_is_at_home_nowhere(published):
    page = html.parse(published / "404.html")
    assert not page.xpath("//link[@rel='canonical']") and page.xpath("//meta[@name='robots']/@content")


def test_machines_are_told_what_google_asks_of_a_course(published, unpublished):
    # required: name, description, provider, an offer with its category, an instance with mode and work
    for site, address in ((published, SITE), (unpublished, None)):
        told = json.loads(html.parse(site / "index.html").findtext(".//script[@type='application/ld+json']"))
        assert told["@type"] == "Course" and told["name"] and "Words" in told["description"]
        assert told["provider"]["@type"] == "Organization" and told["provider"]["name"]
        assert told["offers"] == {"@type": "Offer", "category": "Free"}
        [instance] = [told["hasCourseInstance"]]
        assert instance["courseMode"] == "Online" and re.fullmatch(r"PT\d+H\d+M", instance["courseWorkload"])
        assert told.get("url") == told["provider"].get("url") == address


def test_with_a_repository_binder_opens_a_notebook_of_this_version_and_colab_that_of_the_site(published):
    binder = "https://mybinder.org/v2/gh/team/lessons/v0.1.0?urlpath=lab/tree/lesson.ipynb"
    colab = "https://colab.research.google.com/github/team/lessons/blob/gh-pages/_sources/lesson.ipynb"
    assert {binder, colab} <= set(links(published))
    assert not any("binder" in link or "colab" in link for link in links(published, "index.html"))


def test_without_an_address_nothing_points_nowhere(unpublished):
    assert not any(
        "//" in link for page in ("index.html", "lesson.html") for link in links(unpublished, page)
    )
    assert not (unpublished / "sitemap.xml").exists() and not (unpublished / "versions.json").exists()


@pytest.mark.parametrize(
    ("site", "install"),
    [("published", f'%pip install --quiet "calibration-lessons[course] @ git+{REPOSITORY}@v0.1.0"'),
     ("unpublished", "calibration_lessons-0.1.0-py3-none-any.whl")],
)  # fmt: skip
def test_a_downloaded_notebook_says_in_its_first_cells_what_to_install(site, install, request):
    folder = request.getfixturevalue(site)
    [download] = {link for link in links(folder) if link.endswith(".ipynb") and "//" not in link}
    notebook = nbformat.read(folder / download, as_version=4)
    nbformat.validate(notebook)
    said, command, title, _ = notebook.cells
    assert "version 0.1.0" in said.source and install in command.source and title.source == "# Lesson"
    assert (SITE.rstrip("/") in said.source) is (site == "published")


def test_binder_finds_what_make_setup_installs():
    assert "-r ../requirements.txt" in (ROOT / ".binder/requirements.txt").read_text()
    command = "pip install --no-deps --no-build-isolation -e ."
    setup = (ROOT / "tools/setup.sh").read_text().replace("install --no-deps", "pip install --no-deps")
    assert command in (ROOT / ".binder/postBuild").read_text() and command in setup


def test_a_page_says_for_which_version_it_was_made_and_a_chapter_is_silent_when_that_is_here(
    published, unpublished, capsys
):
    for site in (published, unpublished):
        assert "Made for version 0.1.0" in html.parse(site / "lesson.html").getroot().text_content()
    made_for("0.1")
    assert capsys.readouterr().out == ""


def test_the_list_of_versions_names_the_newest_at_the_address(published):
    [newest] = json.loads((published / "versions.json").read_text("utf-8"))
    assert newest["url"] == SITE and newest["preferred"]
