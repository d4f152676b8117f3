"""Lessons are short enough to be finished, by rules that `tools/binding/lengths.py` computes."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.book.copied import ROOT, md, py
from tools.binding.lengths import FOLDED_CODE, Length, measure
from tools.binding.pages import Cell, Page, lessons, notebooks

LESSONS = lessons(ROOT)
TIME = re.compile(r"(\d+) minutes to read, plus (\d+) for the exercises")
VALUE = re.compile(r"(?<![\w./])-?\d+(?:\.\d+)?(?![\w/])")
ANSWER = re.compile(r"\{admonition\} Answer\n:class: dropdown\n\s*\*\*([ABC])\.")

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.file)


@each_lesson
def test_the_main_line_has_at_most_25_minutes_and_says_how_many(lesson: Page) -> None:
    length = measure(lesson.raw)
    what = f"{lesson.file}: the main line takes {length.minutes} minutes, more than 25"
    assert length.minutes <= 25, f"{what}: fold what can be missed, or make two lessons of it"
    need = next(section for section in lesson.sections() if section.title == "You need")
    said = TIME.search(" ".join(line for _, _, line in need.prose))
    wanted = f"Time: {length.minutes} minutes to read, plus {length.exercise_minutes} for the exercises."
    minutes = (f"{length.minutes}", f"{length.exercise_minutes}")
    assert said and said.groups() == minutes, f"make tidy writes: {wanted}"


@each_lesson
def test_code_fits_80_columns_transcriptions_are_folded_and_tables_are_no_print(lesson: Page) -> None:
    assert [problem for cell in lesson.code for problem in faults(cell)] == []


def faults(cell: Cell) -> Iterator[str]:
    """Say what a reader should not see of a code cell."""
    if max(map(len, cell.source.splitlines())) > 80:
        yield f"{cell.place()}: a line is wider than 80 columns"
    if "definitions.source(" in cell.source:
        title = cell.raw["metadata"].get("mystnb", {}).get("code_prompt_show")
        if not title or not FOLDED_CODE & set(cell.tags):
            yield f"{cell.place()}: fold it: the tag hide-cell, and a title in mystnb: code_prompt_show"
    printed = "".join("".join(out["text"]) for out in cell.outputs if out["output_type"] == "stream")
    if sum(len(VALUE.findall(line)) >= 3 for line in printed.splitlines()) >= 3:
        yield f"{cell.place()}: it prints a table: show a data frame with tables.table, or a figure"


def test_right_answers_are_drawn_so_that_no_two_of_them_give_the_third_away() -> None:
    sets = [tuple(key for cell in page.markdown for key in ANSWER.findall(cell.source)) for page in LESSONS]
    keys = Counter(key for each in sets for key in each)
    assert len(keys) == 3 and all(count / keys.total() > 0.2 for count in keys.values())
    assert sum(len(set(each)) == len(each) for each in sets) < len(sets) / 2


INTRO = (ROOT / "book/intro.md").read_text(encoding="utf-8")
SHORT = dict(re.findall(r"^\| \{doc\}`[^`<]+ <([\w/]+)>` \| (\d+) \|", INTRO, re.M))
PAGES = {page.file.removeprefix("book/").removesuffix(".ipynb"): page for page in notebooks(ROOT, "book")}
LINK = re.compile(r"\{doc\}`[^`<]*<([^`>]+)>`|\]\(([\w./]+)\.(?:ipynb|md)\)")
HALVES = r"(\w+)( and a half)?"
HOURS = rf"has ([\w-]+) lessons, about {HALVES} hours of reading and {HALVES} of exercises"
NUMBERS = "one two three four five six seven eight nine ten eleven twelve"
WORDS = {word: n for n, word in enumerate(NUMBERS.split(), 1)}
WORDS |= {f"thirty-{word}": 30 + n for word, n in WORDS.items() if n < 10}


def test_the_short_path_takes_at_most_two_hours_and_says_the_minutes_of_each_lesson() -> None:
    assert {name: int(said) for name, said in SHORT.items()} == {
        name: measure(PAGES[name].raw).minutes for name in SHORT
    }
    assert sum(map(int, SHORT.values())) <= 120
    assert re.findall(r"^(?:Start: )?(\d+) minutes", INTRO, re.M) == [SHORT["quickstart"]] * 2


def test_a_lesson_of_the_short_path_needs_none_but_those_before_it() -> None:
    taught: set[str] = {"promise"}
    for lesson in SHORT:
        need = [section for section in PAGES[lesson].sections() if section.title == "You need"]
        for target in LINK.findall("\n".join(line for part in need for _, _, line in part.prose)):
            page = (ROOT / f"book/{lesson}").parent / "".join(target)
            name = page.resolve().relative_to(ROOT / "book").as_posix()
            assert name in taught or name.startswith("reference/"), f"{lesson} needs {name}"
        taught.add(lesson)


def test_the_start_page_says_how_many_lessons_and_hours_the_course_has_and_links_them() -> None:
    said = re.search(HOURS, " ".join(INTRO.split()))
    assert said, f"write in book/intro.md: {HOURS}"
    lengths = [measure(lesson.raw) for lesson in LESSONS]
    assert WORDS[said[1]] == len(lengths)
    for hours, half, minutes in (
        (said[2], said[3], sum(length.minutes for length in lengths)),
        (said[4], said[5], sum(length.exercise_minutes for length in lengths)),
    ):
        assert abs(minutes - 60 * WORDS[hours] - 30 * bool(half)) <= 15, f"{minutes} minutes"
    for name, page in PAGES.items():
        assert not page.is_lesson or f"<{name}>" in INTRO.replace("\n<", " <"), name
        on_path = any("lesson is on the short path" in cell.source for cell in page.markdown)
        assert not on_path or name in SHORT, name


FOLDED = md(
    "Two words.\n\n:::{admonition} Proof\n:class: dropdown\nNot $x$ these.\n:::\n\n```{exercise-start} A\n"
    ":label: a\n```\nFour more words here.\n```{exercise-end}\n```\n\n```{solution-start} a\n"
    ":class: dropdown\n```\nNot these"
)


def test_a_fold_a_comment_and_a_mark_have_no_length() -> None:
    cells = [FOLDED, py("hidden", tags=["hide-cell"]), md("nor these\n```{solution-end}\n```\n\nOne")]
    cells += [md("0.5<!-- = half -->, [three](longer words.ipynb) <!-- holds: a -->"), py("shown")]
    length = measure({"cells": cells})
    assert length == Length(words=9, lines=1, tables=0, pictures=0, formulas=0, exercises=1)


def test_tables_pictures_and_formulas_count_whether_text_or_code_makes_them() -> None:
    text = "| a |\n|---|\n| 1 |\n\n$$\nx\n$$ (eq-x)\n\n:::{note}\n:class: dropdown\n$$\ny\n$$\n:::"
    kinds = ("text/html", "image/png")
    shown = [{"output_type": "display_data", "data": {kind: ""}, "metadata": {}} for kind in kinds]
    cells = [md(text), py("f()\n\ng()", shown[0]), py("h()", shown[1], tags=["hide-input"])]
    length = measure({"cells": [*cells, py("i()", *shown, tags=["hide-cell"])]})
    assert (length.lines, length.tables, length.pictures, length.formulas) == (2, 2, 1, 1)


@pytest.mark.parametrize(
    ("source", "printed", "metadata"),
    [
        ("x" * 81, "", {}),
        ('definitions.source("eq-ece")', "", {"tags": ["hide-cell"]}),
        ('definitions.source("eq-ece")', "", {"mystnb": {"code_prompt_show": "In plain Python"}}),
        ("x", "bins 5  0.1  0.2\n" * 3, {}),
    ],
)
def test_a_breach_of_the_rules_is_seen(source: str, printed: str, metadata: dict[str, object]) -> None:
    raw = py(source, {"output_type": "stream", "name": "stdout", "text": printed}, **metadata)
    assert list(faults(Cell(1, "code", source, raw)))
    assert not list(faults(Cell(1, "code", "x = 1", py("x = 1"))))
