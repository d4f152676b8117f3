"""The exam: the numbers of its answers are bound to the code below them; grid, papers and points add up."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tools.binding import marks as binding

TEXT = (Path(__file__).parents[2] / "book/teaching/exam.md").read_text(encoding="utf-8")
KINDS = ("By hand", "Derivation", "Find the error", "Reading", "Decision")
CODE = re.compile(r"```python\n(.+?)```", re.S)
QUESTION = re.compile(
    r"^### (?P<number>\d+)\. [^\n]+ \((?P<points>\d+) points?\)\n\n"
    r"\*(?P<kind>[\w ]+)\. Chapters?: (?P<chapters>[^*]+)\.\*\n\n"
    r"(?P<text>.+?:::\{admonition\} Model answer and rubric\n:class: dropdown\n\n.+?\n\n"
    r"(?P<rubric>- .+?)\n:::)$",
    re.M | re.S,
)


QUESTIONS = [
    SimpleNamespace(**match.groupdict(), part=part.splitlines()[0])
    for part in re.split(r"^## ", TEXT, flags=re.M)[1:]
    for match in QUESTION.finditer(part)
]
each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.number)


def answers(marks: Sequence[binding.Mark], names: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Answer what a kernel would be asked, with the names that the code of a question leaves."""

    def reply(expression: str) -> dict[str, Any]:
        try:
            return {"status": "ok", "data": {"text/plain": repr(eval(expression, dict(names)))}}
        except Exception as error:
            return {"status": "error", "ename": type(error).__name__, "evalue": str(error)}

    return {key: reply(expression) for key, expression in binding.questions(marks).items()}


def problems(text: str) -> list[str]:
    """Say what the code of a question does not give, or does not bear out."""
    names: dict[str, Any] = {}
    for code in CODE.findall(text):
        exec(code, names)
    marks = binding.find(text, "question")
    texts, found = binding.settle(marks, answers(marks, names), "question")
    drifted = [(mark, value) for mark, value in zip(marks, texts, strict=True) if value != mark.text]
    return found + [str(mark.fail("question", f"gives {value}", "write that")) for mark, value in drifted]


def test_no_mark_stands_outside_the_questions() -> None:
    assert len(binding.find(TEXT)) == sum(len(binding.find(question.text)) for question in QUESTIONS)


@each_question
def test_the_code_below_an_answer_gives_its_numbers(question: SimpleNamespace) -> None:
    assert problems(question.text) == []


def test_other_data_ask_for_another_answer() -> None:
    seven = QUESTIONS[9].text
    assert problems(seven.replace("[0.45, ", "[0.55, ")) and problems(seven.replace("0.293<", "0.239<"))


@each_question
def test_a_question_names_chapters_of_its_part_and_its_rubric_adds_up(question: SimpleNamespace) -> None:
    for chapter in re.findall(r"\{doc\}`\.\./([\w/]+)`", question.chapters):
        assert chapter.split("/")[0] == question.part.lower()
    parts = 3 if "1 point each" in question.rubric else 0
    given = re.findall(r"(?:^- |\. )(\d) points?:", question.rubric, re.M)
    assert (parts or sum(map(int, given))) == int(question.points)


def test_the_grid_holds_the_questions_and_points_by_part_and_kind() -> None:
    rows = [[one.strip() for one in row.strip("|").split("|")] for row in re.findall(r"^\|.*\|$", TEXT, re.M)]
    assert rows[0][1:-1] == [kind.lower() for kind in KINDS]
    for part, *cells, points in rows[2:7]:
        here = [question for question in QUESTIONS if question.part == part]
        by_kind = [", ".join(q.number for q in here if q.kind == kind) for kind in KINDS]
        assert cells == by_kind and int(points) == sum(int(question.points) for question in here)
    sums = [sum(int(question.points) for question in QUESTIONS if question.kind == kind) for kind in KINDS]
    assert [int(cell) for cell in rows[7][1:]] == [*sums, sum(sums)]
    assert f"Thirty-eight questions, {sum(sums)} points, " in TEXT and len(QUESTIONS) == 38


def test_the_two_papers_have_the_points_they_claim() -> None:
    points = {question.number: int(question.points) for question in QUESTIONS}
    papers = re.findall(r"questions ([\d, ]+)\. Together\s+(\d+) points", TEXT)
    assert len(papers) == 2
    for numbers, claimed in papers:
        assert sum(points[number] for number in numbers.split(", ")) == int(claimed)
