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
from tools.slide_text import sentences, told

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
EXERCISE = """<div class="exercise admonition" id="x"><p class="admonition-title">Exercise 1 (By hand)</p>
<section id="exercise-content"><p>Count.</p></section></div>"""
SOLUTION = """<details class="solution dropdown" id="y"><summary class="admonition-title">Solution to
<span>Exercise 1 (By hand)</span></summary><section id="y-content"><p>Three.</p>{}</section></details>"""
FORMULA = '<div class="math"><math><mi>x</mi></math></div>'
FOLD = '<div class="admonition dropdown"><p class="admonition-title">{}</p><p>{}</p></div>'


def cut(*parts: str, title: str = "A concept") -> list[list[str]]:
    """Cut a section of a page into slides; give the text, or the picture's name, of their blocks."""
    found = sections(page(*parts, title=title))
    dealt = [slide for section in found[1:] for slide in slides(section)]
    return [[shown(block.element) for block in slide if not block.is_noted] for slide in dealt]


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


def words(n: int) -> str:
    """Write a paragraph of that many words, in sentences of ten."""
    lengths = [10] * (n // 10) + [n % 10] * (n % 10 > 0)
    return f"<p>{' '.join('Words' + ' words' * (length - 1) + '.' for length in lengths)}</p>"


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


def test_an_exercise_comes_with_its_title_and_then_its_solution_without_code() -> None:
    [_, task, solution] = sections(page(EXERCISE, SOLUTION.format(CODE + TABLE), title="Exercises"))
    assert shown(task.title) == "Exercise 1 (By hand)" and task.place == "x"
    assert shown(solution.title) == "Solution to Exercise 1 (By hand)" and solution.place == "y"
    dealt = [[shown(block.element) for block in slide] for part in (task, solution) for slide in slides(part)]
    assert dealt == [["Count."], ["Three.", "n3"]]


def test_a_hidden_exercise_and_its_solution_have_no_slide() -> None:
    parts = ["<!-- slide: skip -->", EXERCISE, SOLUTION.format("")]
    assert len(sections(page(*parts, title="Exercises"))) == 1


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


LONG = "<p>Now a model is wrong. {} It errs in <strong>every</strong> bin. {}</p>"


def made(*parts: str, title: str = "A concept") -> html.HtmlElement:
    """Make the slides of a page with one section, without the first."""
    article = deck(page(*parts, title=title), "a.html", "", "0").find(".//article")
    article.remove(article[0])
    return article


def text(elements: list[html.HtmlElement]) -> list[str]:
    """Give the words of elements."""
    return [" ".join(element.text_content().split()) for element in elements]


def test_long_text_is_cut_to_its_first_and_its_bold_sentences_and_stands_whole_in_the_notes() -> None:
    filled = LONG.format(*["It says more than there is room for." * 9] * 2)
    slide = made(filled, "<p>Short.</p>")
    assert text(slide.xpath(".//*[@class='slide-body']/p")) == [
        "Now a model is wrong. … It errs in every bin.",
        "Short.",
    ]
    assert text(slide.xpath(".//aside/p")) == text(html.fragments_fromstring(filled))


def test_text_that_fits_is_left_alone() -> None:
    whole = LONG.format("It says more.", "So do others.")
    assert text(made(whole).xpath(".//*[@class='slide-body']/p")) == text(html.fragments_fromstring(whole))
    assert made(whole).find(".//aside") is None


def test_what_leads_to_a_formula_stays_and_what_leads_to_hidden_code_ends() -> None:
    [slide] = made("<p>Look. " + words(70)[3:-4] + " The mean is</p>", FORMULA)
    assert text(slide.find_class("slide-body"))[0].endswith("… The mean isx")
    assert text(made("<p>We count:</p>", CODE, words(100)).xpath(".//p"))[0] == "We count."


def test_a_paragraph_that_the_next_leans_on_is_told_first() -> None:
    [slide] = made(words(60), words(60).replace("Words", "It is", 1))
    assert [len(p.text_content().split()) for p in slide.xpath(".//*[@class='slide-body']/p")] == [40, 11]


def test_of_an_answer_the_beginning_is_shown_and_of_an_exercise_all() -> None:
    asked = made(words(90), FOLD.format("Answer", words(90)[3:-4]), title="Quick questions")
    assert [len(p.text_content().split()) for p in asked.xpath(".//section[2]//p[not(@class)]")][:2] == [
        90,
        30,
    ]
    assert made(EXERCISE.replace("Count.", words(90)[3:-4]), title="Exercises").find(".//aside") is None


def test_a_caption_is_its_first_sentence() -> None:
    caption = f"<figcaption><p><span class='caption-text'>{words(30)[3:-4]}</span></p></figcaption></figure>"
    slide = made(FIGURE.replace("</figure>", caption))
    assert [len(line.split()) for line in text(slide.xpath(".//figcaption | .//aside"))] == [20, 30]


def test_a_long_list_is_cut_into_equal_lists_whose_numbers_go_on() -> None:
    item = f"<li>{words(10)}</li>"
    slides_of = made(f"<ol>{item * 9}</ol>").xpath(".//ol")
    assert [(len(part), part.get("start")) for part in slides_of] == [(5, "1"), (4, "6")]


def test_what_a_mark_puts_into_the_notes_is_there_and_not_seen() -> None:
    [slide] = made("<p>One.</p>", "<!-- slide: notes -->", "<p>Two.</p>")
    assert text(slide.xpath("./div | ./aside")) == ["One.", "Two."]


@pytest.mark.parametrize(
    ("paragraph", "cut_up"),
    [
        ("One is here. Two is there!", ["One is here.", "Two is there!"]),
        ("Read 0.5 of it, e.g. This. Then stop.", ["Read 0.5 of it, e.g. This.", "Then stop."]),
        ("Said (it is so. It is.) by all. We doubt.", ["Said (it is so. It is.) by all.", "We doubt."]),
        ('Write "It is so. It was." Then sign it.', ['Write "It is so. It was."', "Then sign it."]),
        ("Say “It is so. It was.” Then sign.", ["Say “It is so. It was.”", "Then sign."]),
        ("<strong>A.</strong> The first is right. B is not.", ["A. The first is right.", "B is not."]),
        ("<strong>It is so.</strong> We know it.", ["It is so.", "We know it."]),
        ("Take <em>p. It</em> is so. Go on.", ["Take p. It is so.", "Go on."]),
        ("It is so. <em>Why</em> is it?", ["It is so.", "Why is it?"]),
        ("It is so. <!-- no --> Why is it?", ["It is so.", "Why is it?"]),
    ],
)
def test_a_paragraph_is_cut_between_sentences_alone(paragraph: str, cut_up: list[str]) -> None:
    found = sentences(html.fragment_fromstring(f"<p>{paragraph}</p>"))
    assert [" ".join(told(sentence).split()) for sentence in found] == cut_up


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
