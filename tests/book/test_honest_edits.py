"""A contributor's honest edits meet no oracle: prose of many kinds and small changes pass every guard."""

from __future__ import annotations

from typing import Any

import pytest

from tests.book.copied import FIGURE, SAMPLE, Course, Plant, code, executed, md, picture, put, py, swap
from tests.book.guards import GUARDS
from tests.book.guards.problem import Problem
from tools.binding import equations, notebooks

pytestmark = pytest.mark.copy

D, PAGE = equations.DEFINITIONS.as_posix(), equations.PAGE.as_posix()
SCORES = "book/measures/proper_scores.ipynb"
API, GLOSSARY, BIBLIOGRAPHY = map("book/reference/{}".format, ("api.md", "glossary.md", "references.bib"))
SENTENCES = r"""
A year has 12 months, a day 24 hours, and a week 7 days.
8 of 10 readers get this wrong, and 2 of 3 teachers.
Half of the readers skip this, and a third come back.
Top-5 accuracy and top-10 accuracy are other questions.
Write it with $n$ the sample size and $K$ the number of classes.
Here $T$ is a positive number, and $\beta$ its inverse.
The function `read_csv` of pandas reads such a file, and so does `read_parquet`.
Pass `binning=3` to a library that knows it, or call `fit()` first.
See section 3, chapter 2 and Table 2.1 of the book, on pages 12 to 40.
It needs Python 3.11 or later and NumPy 2.0, and works with version 0.9.1.
A train leaves at 9, and 300 passengers are on it, 1 200 of them with bicycles.
The [documentation](https://scikit-learn.org/stable/modules/calibration.html) says more.
A footnote[^why] helps.
Run `make notebooks` and look at `tools/binding/notebooks.py` again.
It is far below the line, as everybody said; far above it lies the other.
Say 0.37 <!-- given: 0.37 -->, or 61 % <!-- quoted: 61 % Author 2020, page 3 -->.
In 2005 such networks were rare, and since 2017 networks of this kind are everywhere.
Draw the 95 % interval, the 90 % prediction band and the 99.9 % line beside it.
See Eq. (3.4), Figs. 2.1 and 2.2, Lemma 4.1, Example 1.2 and sects. 5.1 to 5.3 there.
Release 1.2 of that library, and no. 4.1 of the journal, say the same.
Odds of 3:1, a score of 2-0, 50-50, 24/7 and 1 in 10 are the same kind of thing.
Cross-validate 5-fold, with $k = 5$ neighbours and $10^{6}$ steps of $2\pi$, or $\tfrac{3}{4}$ of them.
A picture of 28 x 28 pixels, 640×480 at most, needs 5 GB in float32 on an H100.
The 1990s, the 19th century, (1998), "Guo et al. (2017)" and 2 May 2024 are dates, and #10883 an issue.
Write `x = 0.25` or ``cl = 0.5``, and `np.mean(x, axis=0)`, never `1e-6`.
“Curly quotes”, an em dash — here, an ellipsis… and Müller's, Čech's and 校准 pass.
Press {kbd}`Ctrl`, read {cite:t}`Guo2017`, and H{sub}`2`O, or {abbr}`ECE (expected calibration error)`.
See <https://example.org/v1.2/0.5>, [a link](https://doi.org/10.1000/0.5 "title") or [another][ref].
Let us
make mistakes
The limits $0 \le p \le 1$ and $x_{i1}, \dots, x_{i9}$ are *those* of **chapter 2**.<br>A line more.
<!-- A remark for authors: check 0.5 again, it is not 12 %. -->
He said: *"nothing is worth 100 things"*, ~~never~~ always, and $5 for all of it.
"""
BLOCKS = [
    "- a list\n- of two items\n\n1. first\n2. second\n   - nested, with 3 words",
    "> A quotation of somebody, 40 years old.",
    "```python\ncl.not_ours(0.25)  # 0.75 of it\n```",
    ":::{note}\nA note of 2 lines.\n:::\n\n````{tip}\nA tip.\n\n```text\n0.123 = 1\n```\n````",
    "| name | what |\n|:--|--:|\n| a | 3 things |\n| b | [link](reliability.ipynb) |",
    "Term\n: its definition in 5 words\n\n---\n\n[^why]: In 2 sentences.\n\n[ref]: https://example.org/1.5",
    "<details><summary>More</summary>\n\nThree words more.\n\n</details>",
    "### A heading with `code`, $x$ and *emphasis*: why 2 is enough?",
    "![A line that rises](../assets/before_after.png)",
]
SHOWN = "<!-- shown: definition; when: always -->"
EXERCISE = "```{exercise-start} Two\n:label: sample-two\n```\nWhat at 3 bins?\n```{exercise-end}\n```\n\n"
EXERCISE += "```{solution-start} sample-two\n:class: dropdown\n```\nLittle.\n```{solution-end}\n```"
QUESTION = "**4. Why?**\n\n- A. So.\n- B. Not.\n\n:::{admonition} Answer\n:class: dropdown\n**A.** So.\n:::"
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


EDITS: dict[str, Plant] = {
    "a typo": swap(SAMPLE, "A first sentence", "The first sentence"),
    "other words in a bound sentence": swap(SAMPLE, "It begins at", "At the start it is"),
    "other words behind a bound number": swap(SAMPLE, "are late, by", "come late, namely by"),
    "other words in a claim": swap(SAMPLE, "far above the\nstart", "far above where it\nbegan"),
    "a line broken elsewhere": swap(SAMPLE, "and ends at", "and\nends at"),
    "a sentence more in a cell of bound numbers": swap(SAMPLE, "Say 0.05", "That is so. Say 0.05"),
    "a bound number in bold": mark("0.820<", "**0.820**<"),
    "a bound number in brackets, between dashes": mark(
        "0.820<!-- = most:.3f -->", "(0.820<!-- = most:.3f -->)–"
    ),
    "a mark behind a space": mark("0.820<!--", "0.820 <!--"),
    "a bound number that begins a line": mark("The most is 0.820", "The most is\n  0.820"),
    "a bound number with its sign": mark("0.820<!-- = most:.3f -->", "+0.820<!-- = most:+.3f -->"),
    "a claim behind a table's row": mark("few:.3f --> |", "few:.3f --> | <!-- holds: few < most -->"),
    "a bound number at the end of a formula": mark("$T = 2.12$<", "$T = 1 + 9/8 \\approx 2.12$<"),
    "a paragraph cut in two": swap(SAMPLE, "What follows", "\n\nWhat follows"),
    "a concept's heading": swap(SAMPLE, "## Two numbers", "## Many numbers"),
    "the title": swap(SAMPLE, "# Sample: a lesson", "# Example: one lesson"),
    "a goal more": swap(SAMPLE, "- **see** what", "- **say** why;\n- **see** what"),
    "a line more to remember": swap(SAMPLE, "- A test.", f"- Another, of 2. {SHOWN}\n- A test."),
    "an exercise more": put(SAMPLE, md(EXERCISE), below="{solution-start}"),
    "a quick question more": put(SAMPLE, md(QUESTION), below="## Quick questions"),
    "an answer put otherwise": swap(SAMPLE, "**A.** Because.", "**A.** For this reason."),
    "a citation more": swap(SAMPLE, "{cite}`Guo2017`. What", "{cite}`Guo2017`, {cite:p}`Guo2017`. What"),
    "a link more": swap(SAMPLE, "What follows", "[The ECE](ece.ipynb) follows, with {doc}`/book/intro`. It"),
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
        FIGURE, lambda cell: cell["metadata"].update(mystnb=alt("Two dots on a line"))
    ),
    "a folded code cell": code("three", lambda cell: cell["metadata"].update(tags=["hide-cell"])),
    "a cell left out of the slides": code(
        FIGURE, lambda cell: cell["metadata"].update(slideshow={"slide_type": "skip"})
    ),
    "a term more": swap(GLOSSARY, "\nbin\n", "\nbias\n  A constant error.\n\nbin\n"),
    "a work more, cited": together(
        swap(BIBLIOGRAPHY, "@inproceedings{Guo2017,", ENTRY),
        swap(SAMPLE, "{cite}`Guo2017`", "{cite}`Guo2017,Guo2017b`"),
        swap(SAMPLE, "The method:", "More: {cite}`Guo2017b`. The method:"),
    ),
    "a remark among the definitions": swap(D, "# measures/ece\n", "# measures/ece: bin by bin\n"),
    "a sentence of the API page": swap(API, "\n## ", "\nA sentence of 5 words.\n\n## "),
    "a sentence of the README": swap("README.md", "\n## ", "\nA sentence of 5 words.\n\n## "),
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
