"""A contributor's honest edits meet no oracle: prose of many kinds and small changes pass every guard."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.book.copied import FIGURE, SAMPLE, Course, Plant, code, executed, md, picture, put, py, swap
from tests.book.guards import GUARDS
from tests.book.guards.problem import Problem
from tools.binding import equations, notebooks

pytestmark = pytest.mark.copy

D, PAGE = equations.DEFINITIONS.as_posix(), equations.PAGE.as_posix()
SCORES = "book/measures/proper_scores.ipynb"
BIBLIOGRAPHY = "book/reference/references.bib"
PROSE = Path(__file__).with_name("prose.txt").read_text(encoding="utf-8")
SENTENCES, *BLOCKS = PROSE.strip().split("\n====\n")
EXERCISE = "```{exercise-start} Two\n:label: sample-two\n```\nWhat at 3 bins?\n```{exercise-end}\n```\n\n"
EXERCISE += "```{solution-start} sample-two\n:class: dropdown\n```\nLittle.\n```{solution-end}\n```"
QUESTION = "**4. Why?**\n\n- A. So.\n- B. Not.\n\n"
QUESTION += ":::{admonition} Answer\n:class: dropdown\n**A.** So. B: no.\n:::"
ENTRY = "@article{Guo2017b,\n  title = {More},\n  year = {2017},\n}\n\n@inproceedings{Guo2017,"


def alt(text: str) -> dict[str, Any]:
    """Write a cell's alternative text."""
    return {"image": {"alt": f"{text}, as the test wants it."}}


def together(*plants: Plant) -> Plant:
    """Change several things."""
    return lambda course: [plant(course) for plant in plants]


def mark(old: str, new: str) -> Plant:
    """Write a bound number in another way, and execute."""

    def change(notebook: dict[str, Any]) -> None:
        cell = next(cell for cell in notebook["cells"] if old in cell["source"])
        cell["source"] = cell["source"].replace(old, new)
        executed(notebook)

    return lambda course: course.edit(SAMPLE, change)


TEXTS = tomllib.loads(Path(__file__).with_name("honest_edits.toml").read_text(encoding="utf-8"))
EDITS: dict[str, Plant] = {
    **{name: swap({"sample": SAMPLE}.get(file, file), old, new) for name, file, old, new in TEXTS["swaps"]},
    **{name: mark(old, new) for name, old, new in TEXTS["marks"]},
    "an exercise more": put(SAMPLE, md(EXERCISE), below="{solution-start}"),
    "a quick question more": put(SAMPLE, md(QUESTION), below="## Quick questions"),
    "a cell split in two": put(SAMPLE, md("What was one cell\nis two now."), below="Nothing is claimed"),
    "an empty cell": put(SAMPLE, md(""), py(""), below="Nothing is claimed"),
    "a fold": put(
        SAMPLE, md("```{admonition} More\n:class: dropdown\nMore.\n```"), below="Nothing is claimed"
    ),
    "a code cell more, executed": put(SAMPLE, py("three = 3\n%time x = 1"), below="Nothing is claimed"),
    "a figure more": put(
        SAMPLE, py("x", picture("Picture"), mystnb=alt("One dot in a square")), below="Nothing"
    ),
    "another alternative text": code(
        FIGURE, lambda cell: cell["metadata"].update(mystnb=alt("Two dots on a line, at 0.25 and 12.5 %"))
    ),
    "a folded code cell": code("three", lambda cell: cell["metadata"].update(tags=["hide-cell"])),
    "a cell left out of the slides": code(
        FIGURE, lambda cell: cell["metadata"].update(slideshow={"slide_type": "skip"})
    ),
    "a work more, cited": together(
        swap(BIBLIOGRAPHY, "@inproceedings{Guo2017,", ENTRY),
        swap(SAMPLE, "{cite}`Guo2017`", "{cite}`Guo2017,Guo2017b`"),
        swap(SAMPLE, "The method:", "More: {cite}`Guo2017b`. The method:"),
    ),
}


def problems(course: Course) -> set[Problem]:
    """What all guards find."""
    return {problem for guard in GUARDS.values() for problem in guard(course.root)}


@pytest.fixture(scope="module")
def known(copy: Course) -> set[Problem]:
    """What the guards find in the copy as it is."""
    return problems(copy)


@pytest.mark.parametrize("text", [SENTENCES.replace("\n", "\n\n"), SENTENCES, *BLOCKS])
def test_prose_of_any_kind_passes(course: Course, known: set[Problem], text: str) -> None:
    put(SAMPLE, md(text), below="## You need")(course)
    assert problems(course) - known == set()


@pytest.mark.parametrize("plant", EDITS.values(), ids=EDITS)
def test_an_honest_edit_passes(course: Course, known: set[Problem], plant: Plant) -> None:
    plant(course)
    assert problems(course) - known == set()


def test_a_notebook_saved_from_an_editor_is_mended_without_a_run(course: Course, known: set[Problem]) -> None:
    course.edit(SAMPLE, executed)
    assert notebooks.main(["--clean", str(course.root / SAMPLE)]) == 0
    text = (course.root / SAMPLE).read_text(encoding="utf-8")

    def save(notebook: dict[str, Any]) -> None:
        notebook["metadata"].update(widgets={}, kernelspec={"name": "other"}, language_info={"version": "3"})
        for cell in notebook["cells"]:
            cell["metadata"].update(
                jp_collapsed=True, vscode={"languageId": "python"}, execution={"idle": "now"}
            )
            if cell["cell_type"] == "code":
                cell["execution_count"] = 77
                cell["outputs"] = [part for output in cell["outputs"] for part in in_pieces(output)]

    course.edit(SAMPLE, save)
    assert problems(course) - known
    assert notebooks.main(["--clean", str(course.root / SAMPLE)]) == 0
    assert (course.root / SAMPLE).read_text(encoding="utf-8") == text


def in_pieces(output: dict[str, Any]) -> list[dict[str, Any]]:
    """Cut what a cell printed in two, as a front end may store it."""
    if output["output_type"] != "stream":
        return [output]
    return [output | {"text": output["text"][:3]}, output | {"text": output["text"][3:]}]


def test_a_formula_is_edited_in_its_home_and_written_into_its_chapter(
    course: Course, known: set[Problem]
) -> None:
    old, new = "(p_i - y_i)^2", "(y_i - p_i)^2"
    swap(D, old, new)(course)
    assert problems(course) - known
    course.before.setdefault(SCORES, (course.root / SCORES).read_text(encoding="utf-8"))
    assert equations.settle(course.root) == ["eq-brier-binary"]
    course.write(PAGE, equations.write_page(course.root))
    assert problems(course) - known == set() and equations.settle(course.root) == []
    assert (course.root / SCORES).read_text(encoding="utf-8") == course.before[SCORES].replace(old, new, 1)
