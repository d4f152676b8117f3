"""The recall cards: one for each line to remember and each quick question, as the built pages show them."""

import json
import re
import sqlite3
from pathlib import Path
from zipfile import ZipFile

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ExtensionError

from tests.book.copied import ROOT
from tools.binding.pages import PARTS
from tools.site.cards import cards

HTML = ROOT / "_build/html"
UNRENDERED = re.compile(r"<!--|-->|\{(term|doc|cite|eq)|\$|\*\*|given:|holds:|shown:|= \w+\[|\\begin")


def stated(part: str) -> dict[str, int]:
    """How many lines to remember and quick questions each lesson of a part has."""
    lessons = {}
    for path in (ROOT / "book" / part).glob("*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        sections = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", text, re.M))
        lines = re.findall(r"^- ", sections["What to remember"], re.M)
        questions = re.findall(r"^\*\*\d+\. ", sections["Quick questions"], re.M)
        assert lines and questions, path
        lessons[f"{part}/{path.stem}"] = len(lines) + len(questions)
    return lessons


def notes(part: str, folder: Path) -> list[tuple[str, str, list[str]]]:
    """Identity, lesson and fields of a deck's notes, as Anki reads them."""
    ZipFile(HTML / f"_static/cards/{part}.apkg").extract("collection.anki2", folder)
    made = sqlite3.connect(folder / "collection.anki2").execute("select guid, tags, flds from notes")
    return [(guid, tag.strip(), fields.split("\x1f")) for guid, tag, fields in made.fetchall()]


@pytest.mark.browser
@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_a_card_for_each_line_and_question_of_its_lessons_and_no_mark_is_left(part, tmp_path):
    made = notes(part, tmp_path)
    tags = [tag for _, tag, _ in made]
    assert {tag: tags.count(tag) for tag in tags} == stated(part)
    assert len({guid for guid, _, _ in made}) == len(made)
    for _, _, fields in made:
        assert all(fields) and [field for field in fields if UNRENDERED.search(field)] == []
        if "question" in fields[0]:
            letters = re.findall(r"<p>([A-C])\. ", fields[2])
            assert letters == ["A", "B", "C"] and fields[3][3] in letters, fields
    for lesson in stated(part):
        assert f"_static/cards/{part}.apkg" in (HTML / f"book/{lesson}.html").read_text("utf-8")
    assert f"../../_static/cards/{part}.apkg" in (HTML / "book/teaching/students.html").read_text("utf-8")


def lesson(lines: int, *extra: nodes.Node) -> nodes.document:
    """Write the page of a lesson, as Sphinx read it."""
    tree = new_document("lesson")
    items = [nodes.list_item("", nodes.paragraph("", "", nodes.Text("Ask how many rows."), *extra))] * lines
    tree += nodes.section("", *([nodes.bullet_list("", *items)] if lines else []), ids=["what-to-remember"])
    tree += nodes.section(ids=["quick-questions"])
    return tree


def test_a_lesson_without_a_line_to_remember_and_a_table_on_a_card_stop_the_build():
    assert [place for place, _, _ in cards(lesson(2))] == ["line 1", "line 2"]
    with pytest.raises(ExtensionError, match="a lesson has one list to remember"):
        list(cards(lesson(0)))
    with pytest.raises(ExtensionError, match="shows no table, as in: rows"):
        list(cards(lesson(1, nodes.table("", nodes.Text("rows")))))
