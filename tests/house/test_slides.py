"""Slides hold what lies open in a lesson, once and in order; marks of cells come before the rule."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from sphinx.application import Sphinx

from tools.site_slides import deck, mark_cells, sections, shows, slides

PICTURE = (
    '<div class="cell"><div class="cell_input"><pre>p</pre></div><div class="cell_output">{}</div></div>'
)
FIGURE = PICTURE.format('<figure><img src="a.png" width="300" height="200"></figure>')
WIDE = PICTURE.format('<figure><img src="b.png" width="900" height="200"></figure>')
TABLE = PICTURE.format("<table><tr><th>n</th></tr><tr><td>3</td></tr></table>")
CODE = '<div class="cell"><div class="cell_input"><pre>x = 1</pre></div></div>'
FOLDED = """<div class="cell tag_hide-cell {}"><details class="admonition hide"><summary>Fold</summary>
<div class="cell_input"><pre>source()</pre></div><div class="cell_output"><pre>def f</pre></div></details>
</div>"""
FORMULA = '<div class="math"><math><mi>x</mi></math></div>'
FOLD = '<div class="admonition dropdown"><p class="admonition-title">{}</p><p>{}</p></div>'


def cut(*parts: str, title: str = "A concept") -> list[list[str]]:
    """Cut a section of a page into slides; give the text, or the picture's name, of their blocks."""
    found = sections(page(*parts, title=title))
    return [[shown(block.element) for block in slide] for section in found[1:] for slide in slides(section)]


def page(*parts: str, title: str = "A concept") -> html.HtmlElement:
    """Write a page with one section."""
    body = "".join(parts)
    return html.document_fromstring(
        "<head><title>A lesson</title></head>"
        f"<article class='bd-article'><section id='top'><h1>A lesson</h1><p>Why?</p><section id='part'>"
        f"<h2>{title}</h2>{body}</section></section></article>"
    )


def shown(element: html.HtmlElement) -> str:
    """Say what a block is."""
    picture = element.find(".//img")
    return " ".join(element.text_content().split()) if picture is None else picture.get("src")


def words(n: int, name: str = "w") -> str:
    """Write a paragraph of that many words."""
    return f"<p>{' '.join([f'{name:5}'] * n)}</p>".replace("w    ", "words")


def test_a_figure_stands_with_the_words_before_and_behind_it() -> None:
    parts = ["<p>One.</p>", CODE, FIGURE, "<p>It rises.</p>", "<p>Look again:</p>", TABLE, "<p>Three.</p>"]
    assert cut(*parts) == [["One.", "a.png", "It rises."], ["Look again:", "n3", "Three."]]


def test_of_two_texts_between_figures_the_second_leads_to_the_next() -> None:
    parts = [FIGURE, "<p>It rises.</p>", "<p>So we count.</p>", TABLE]
    assert cut(*parts) == [["a.png", "It rises."], ["So we count.", "n3"]]


def test_a_formula_keeps_its_sentence() -> None:
    assert cut(words(110), "<p>This is:</p>", FORMULA, "<p>with x.</p>")[1] == ["This is:", "x", "with x."]


def test_a_line_or_two_are_not_left_alone() -> None:
    dealt = cut(words(60), words(55), words(12))
    assert [len(slide) for slide in dealt] == [1, 2]


def test_code_and_folds_and_some_sections_are_left_out() -> None:
    assert cut("<p>Open.</p>", CODE, FOLDED.format(""), FOLD.format("Proof", "So.")) == [["Open."]]
    for title in ("You need", "Next", "References"):
        assert cut("<p>Open.</p>", title=title) == []


def test_a_quick_question_comes_without_and_then_with_its_answer() -> None:
    asked = ["<p><strong>1. Why?</strong></p>", "<ul><li>A.</li></ul>", FOLD.format("Answer", "A, yes.")]
    again = ["<p><strong>2. How?</strong></p>", FOLD.format("Answer", "So.")]
    assert cut(*asked, *again, title="Quick questions") == [
        ["1. Why?", "A."],
        ["1. Why?", "A.", "AnswerA, yes."],
        ["2. How?"],
        ["2. How?", "AnswerSo."],
    ]


def test_an_exercise_comes_with_its_title_and_without_its_solution() -> None:
    task = '<div class="exercise admonition" id="x"><p class="admonition-title">Exercise 1 (By hand)</p>'
    task += '<section id="exercise-content"><p>Count.</p></section></div>'
    [_, found] = sections(page(task, FOLD.format("Solution", "Three."), title="Exercises"))
    assert shown(found.title) == "Exercise 1 (By hand)" and found.place == "x"
    assert [[shown(block.element) for block in slide] for slide in slides(found)] == [["Count."]]


@pytest.mark.parametrize(
    ("mark", "dealt"),
    [
        ("", [["One.", "Two.", "Three."]]),
        ("slide", [["One."], ["Two.", "Three."]]),
        ("subslide", [["One."], ["Two.", "Three."]]),
        ("fragment", [["One.", "Two.", "Three."]]),
        ("skip", [["One.", "Three."]]),
        ("notes", [["One.", "Three."]]),
    ],
)
def test_a_mark_begins_a_slide_or_leaves_a_cell_out(mark: str, dealt: list[list[str]]) -> None:
    parts = ["<p>One.</p>", f"<!-- slide: {mark} -->", "<p>Two.</p>", "<!-- slide:  -->", "<p>Three.</p>"]
    assert cut(*parts) == dealt


def test_a_marked_cell_is_shown_though_the_rule_would_leave_it_out() -> None:
    assert cut("<!-- slide: slide -->", "<p>Open.</p>", title="Next") == [["Open."]]
    assert cut(CODE.replace('"cell"', '"cell tag_x tag_slide-fragment"')) == [["x = 1"]]
    assert cut(FOLDED.format("tag_slide-slide")) == [["def f"]]
    assert cut("<!-- slide: fragment -->", FOLD.format("Proof", "So.")) == [["ProofSo."]]


def test_a_mark_ends_with_its_cell() -> None:
    assert cut("<!-- slide: skip -->", "<p>Open.</p>", TABLE) == [["n3"]]
    marked = TABLE.replace('"cell"', '"cell tag_slide-skip"')
    assert cut("<!-- slide:  -->", "<p>Open.</p>", marked, "<!-- slide:  -->", "<p>On.</p>") == [
        ["Open.", "On."]
    ]


def test_what_jupyterlab_writes_into_a_notebook_reaches_its_page() -> None:
    marked: dict[str, Any] = {"slideshow": {"slide_type": "skip"}}
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "Why?"]},
        {"cell_type": "markdown", "metadata": marked, "source": ["## Aside"]},
        {"cell_type": "markdown", "metadata": {}, "source": "## On"},
        {"cell_type": "code", "metadata": marked | {"tags": ["hide-cell"]}, "source": "x"},
    ]
    source = [json.dumps({"cells": cells})]
    app = cast(Sphinx, SimpleNamespace(env=SimpleNamespace(doc2path=lambda page: f"{page}.ipynb")))
    mark_cells(app, "book/measures/ece", source)
    title, aside, on, code = json.loads(source[0])["cells"]
    assert "".join(title["source"]) == "# Title\nWhy?"
    assert aside["source"] == "<!-- slide: skip -->\n\n## Aside"
    assert on["source"] == "<!-- slide:  -->\n\n## On"
    assert code["metadata"]["tags"] == ["hide-cell", "slide-skip"]


def test_links_within_a_lesson_lead_from_its_slides_to_it() -> None:
    made = deck(page('<p id="p"><a href="#eq">(3)</a>, <a href="b.html#c">b</a></p>'), "a.html", "", "0")
    article = made.find(".//article")
    assert [link.get("href") for link in article.iterfind(".//p/a")] == ["a.html#eq", "b.html#c"]
    assert [link.get("href") for link in article.iterfind(".//footer/a")] == ["a.html#top", "a.html#part"]
    assert [element.get("id") for element in article.xpath(".//*[@id]")] == ["slide-1", "slide-2"]


PARTS = st.one_of(
    st.integers(1, 130).map(words),
    st.integers(1, 130).map(lambda n: words(n)[:-4] + ":</p>"),
    st.sampled_from([FIGURE, WIDE, TABLE, FORMULA, "<p>where it is.</p>"]),
)


@given(st.lists(PARTS, min_size=1, max_size=12))
def test_everything_that_lies_open_is_dealt_once_in_its_order_one_figure_at_a_time(parts: list[str]) -> None:
    [_, section] = sections(page(*parts))
    dealt = list(slides(section))
    assert [block for slide in dealt for block in slide] == section.blocks
    assert len(section.blocks) == len(parts) and all(dealt)
    for slide in dealt:
        assert len(shows(slide)) <= 1
