"""The two ways through the course, as the start page describes them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tools.lengths import Length, lessons, measure

ROOT = Path(__file__).resolve().parents[2]
INTRO = (ROOT / "book/intro.md").read_text(encoding="utf-8")
LINK = re.compile(r"\{doc\}`[^`<]*<([^`>]+)>`|\]\(([\w./]+)\.(?:ipynb|md)\)")
SHORT = dict(re.findall(r"^\| \{doc\}`[^`<]+ <([\w/]+)>` \| (\d+) \|", INTRO, re.M))


def text(lesson: str) -> str:
    notebook = json.loads((ROOT / f"book/{lesson}.ipynb").read_text(encoding="utf-8"))
    cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def length(path: Path) -> Length:
    return measure(json.loads(path.read_text(encoding="utf-8")))


def names() -> list[str]:
    return [f"{path.parent.name}/{path.stem}" for path in lessons()]


@pytest.mark.parametrize("lesson", SHORT)
def test_the_start_page_says_how_long_a_lesson_of_the_short_path_is(lesson: str) -> None:
    assert int(SHORT[lesson]) == length(ROOT / f"book/{lesson}.ipynb").minutes


def test_the_short_path_takes_about_two_hours() -> None:
    assert abs(sum(map(int, SHORT.values())) - 120) <= 20


def test_a_lesson_of_the_short_path_needs_none_but_those_before_it() -> None:
    taught: set[str] = {"intro"}
    for lesson in SHORT:
        need = re.search(r"^## You need\n(.+?)^## ", text(lesson) + "\n## ", re.M | re.S)
        for target in LINK.findall(need[1] if need else ""):
            page = (ROOT / f"book/{lesson}").parent / "".join(target)
            name = page.resolve().relative_to(ROOT / "book").as_posix()
            assert name in taught or name.startswith("reference/"), f"{lesson} needs {name}"
        taught.add(lesson)


def test_a_lesson_that_says_it_is_on_the_short_path_is_on_it() -> None:
    assert {lesson for lesson in names() if "lesson is on the short path" in text(lesson)} <= set(SHORT)


def test_the_start_page_says_how_many_lessons_and_hours_the_course_has() -> None:
    found = [length(path) for path in lessons()]
    words = {"five": 5, "six": 6, "six and a half": 6.5, "seven": 7, "nineteen": 19}
    said = re.search(r"has (\w+) lessons, about ([\w ]+) hours of reading and (\w+) of exercises", INTRO)
    assert said
    many, reading, exercises = (words[word] for word in said.groups())
    assert many == len(found)
    assert abs(sum(lesson.minutes for lesson in found) - 60 * reading) <= 30
    assert abs(sum(lesson.exercise_minutes for lesson in found) - 60 * exercises) <= 30


def test_the_start_page_links_every_lesson() -> None:
    assert {lesson for lesson in names() if f"<{lesson}>" not in re.sub(r"\s+<", " <", INTRO)} == set()
