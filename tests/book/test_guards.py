"""The narrative, the maths and the code agree, in this tree as far as a test can see; honest edits pass."""

from __future__ import annotations

import json

import nbformat
import pytest

from tests.book.copied import ROOT, Course, Plant, executed, md, put, py, swap
from tests.book.guards import GUARDS, Problem
from tools import notebooks
from tools.prose import plain, read_numbers

ECE, TEMPERATURE = "book/measures/ece.ipynb", "book/calibrators/temperature.ipynb"  # bound
COIN, PLATT = "book/uncertainty/coin.ipynb", "book/calibrators/platt.ipynb"  # not bound yet


@pytest.mark.parametrize("promise", GUARDS)
def test_the_tree_keeps_the_promise(promise: str) -> None:
    problems = GUARDS[promise](ROOT)
    if problems:
        pytest.fail(f"{len(problems)} problem(s)\n" + "\n".join(map(str, problems)), pytrace=False)


SENTENCES = """\
A year has 12 months, a day 24 hours, and a week 7 days.
On 15 May 2024 somebody asked this in a letter of 3 pages.
In 1950 nobody had computed it; by 2026 everybody has.
8 of 10 readers get this wrong, and 2 of 3 teachers.
Half of the readers skip this, and a third come back.
This is twice as hard to see, and ten times as useful.
Top-5 accuracy and top-10 accuracy are other questions.
Write it with $n$ the sample size and $K$ the number of classes.
Here $T$ is a positive number, and $\\beta$ its inverse.
The function `read_csv` of pandas reads such a file, and so does `read_parquet`.
Other libraries call it `cross_entropy`, `weight_decay` or `scikit_learn`.
Pass `binning=3` to a library that knows it, or call `fit()` first.
As a third point, the bins matter.
See section 3, chapter 2 and Table 2.1 of the book, on pages 12 to 40.
It needs Python 3.11 or later and NumPy 2.0, and works with version 0.9.1.
A train leaves at 9, and 300 passengers are on it, 1 200 of them with bicycles.
ECE is short for expected calibration error, and MCE for the maximum.
The [documentation](https://scikit-learn.org/stable/modules/calibration.html) says more.
A footnote[^why] helps.\n\n[^why]: It says why, in 2 sentences.
Run `make notebooks` and look at `tools/notebooks.py` again.
- a list\n- of two items\n- or 3
1. first\n2. second\n3. third
> A quotation of somebody, 40 years old.
It is far below the line, as everybody said; far above it lies the other.
The CIFAR-100 images and the issue #10883 are known to many.""".replace("\\n", "\n").split("\n")


def blocks(lines: list[str]) -> list[str]:
    """Join the lines of a list and of a footnote to the sentence that they belong to."""
    text = "\n".join(lines).replace("\n\n[^", "\0[^").replace("\n- of", "\0- of").replace("\n- or", "\0- or")
    return [part.replace("\0[^", "\n\n[^").replace("\0", "\n") for part in
            text.replace("\n2. ", "\0" + "2. ").replace("\n3. ", "\0" + "3. ").split("\n") if part]  # fmt: skip


EXERCISE = """\
```{exercise-start} One more
:label: NAME-more
```
What changes at 3 bins?
```{exercise-end}
```

```{solution-start} NAME-more
:class: dropdown
```
Little.
```{solution-end}
```"""
EDITS: dict[str, Plant] = {
    "a typo": swap(ECE, "You cannot know.", "You can not know."),
    "another word in a bound sentence": swap(ECE, "Look at the last number first.", "First look at the last number."),
    "another word beside a bound number": swap(ECE, "Ours got", "Ours obtained"),
    "a paragraph cut in two": swap(ECE, "So two errors pull", "\nSo two errors pull"),
    "a concept's heading": swap(ECE, "## Is it more than chance?", "## More than chance?"),
    "a fourth goal more": swap(TEMPERATURE, "- **spot** an", "- **say** why;\n- **spot** an"),
    "an exercise more": swap(ECE, "## Exercises\n", f"## Exercises\n\n{EXERCISE.replace('NAME', 'ece')}\n"),
    "a quick question put otherwise": swap(ECE, "A paper reports", "An article reports"),
    "a citation more": swap(TEMPERATURE, "scaling** {cite}`Guo2017`", "scaling** {cite}`Guo2017,Xiao2017`"),
    "a link more": swap(COIN, "## You need", "## You need\n\nSee [the diagram](../measures/reliability.ipynb)."),
    "an assumption with its mark": swap(COIN, "## You need", "## You need\n\nSay 0.37 <!-- given: 0.37 -->."),
    "a term more": swap("book/reference/glossary.md", "\nbin\n", "\nbias\n  A constant error.\n\nbin\n"),
    "a remark in the package": swap("calibration_lessons/numerics.py", '"""', '"""', ),
    "a cell more, executed": put(PLATT, py("three = 3"), below="## You need"),
    "a cell that shows an error": put(
        PLATT, py("1 / 0", {"output_type": "error", "ename": "E", "evalue": "", "traceback": []},
                  tags=["raises-exception"]), below="## You need"),
}  # fmt: skip
EDITS |= {f"{text[:40]} ({file[5:]})": put(file, md(text), below="## You need")
          for text in blocks(SENTENCES) for file in (ECE, COIN)}  # fmt: skip
FAST = {promise: guard for promise, guard in GUARDS.items() if "formulas" not in promise}


@pytest.fixture(scope="module")
def before(copy: Course) -> set[Problem]:
    """Tell what the guards find in the copy as it is."""
    return {problem for guard in FAST.values() for problem in guard(copy.root)}


@pytest.mark.parametrize("plant", EDITS.values(), ids=EDITS)
def test_an_honest_edit_passes(course: Course, before: set[Problem], plant: Plant) -> None:
    plant(course)
    assert {problem for guard in FAST.values() for problem in guard(course.root)} - before == set()


def test_thirty_kinds_of_honest_edits_are_tried() -> None:
    assert len(EDITS) - len(blocks(SENTENCES)) >= 30


def test_a_notebook_saved_from_an_editor_is_mended_without_a_run(course: Course, before: set[Problem]) -> None:
    text = (course.root / ECE).read_text(encoding="utf-8")

    def save(notebook: dict[str, object]) -> None:
        notebook["metadata"].update(widgets={}, kernelspec={"name": "other"}, toc={"base": 1})
        for number, cell in enumerate(notebook["cells"]):
            cell["metadata"].update(jp_collapsed=True, trusted=True, execution={"iopub.status.busy": "now"})
            if cell["cell_type"] == "code":
                cell["execution_count"] = 99 - number
                cell["outputs"] = [part for output in cell["outputs"] for part in in_pieces(output)]

    course.edit(ECE, save)
    assert {problem for problem in FAST["notebooks are committed executed and clean"](course.root)} - before
    assert notebooks.main(["--clean", str(course.root / ECE)]) == 0
    assert (course.root / ECE).read_text(encoding="utf-8") == text


def in_pieces(output: dict[str, object]) -> list[dict[str, object]]:
    """Cut what a cell printed at a line's end, as a front end may store it."""
    if output["output_type"] != "stream":
        return [output | {"execution_count": 5} if output["output_type"] == "execute_result" else output]
    first, *rest = "".join(output["text"]).splitlines(keepends=True)
    return [output | {"text": first}, *([output | {"text": "".join(rest)}] if rest else [])]


READINGS = {
    "It is 0.104, or .5.": "0.104 0.5",
    "10.4 %, 10.4%, 10.4 per cent, $10.4\\,\\%$, 91 %": "10.4% 10.4% 10.4% 10.4% 91%",
    "2.5 percentage points": "2.5%",
    "from $-0.17$ or \u22120.2 to +0.3": "-0.17 -0.2 0.3",
    "0.12-0.15, 0.12\u20130.15, $a-0.3$, $(b)-0.4$": "0.12 0.15 0.12 0.15 0.3 0.4",
    "10 000, 10,000, $10\\,000$, 1 250.5": "1250.5",
    "(0.03, 0.2) and [0.1, 10]": "0.03 0.2 0.1",
    "$1.3 \\times 10^{-5}$, 1.3e-5": "0.000013 0.000013",
    "| 0.5 | 1.5x | $\\approx0.25$ | $p_{0.75}$": "0.5 1.5 0.25 0.75",
    "{math}`0.5`, [0.6](https://example.org/0.7)": "0.5 0.6",
    "Python 3.11, version 0.1.0, v1.2, Tables 2.1 and 2.2, Section 4.2, CC BY 4.0": "",
    "`0.5`, ``0.6``, {cite}`a1.5`, arXiv:1706.04599, doi:10.1/2.5, <b style='x:0.5'>": "",
    "<!-- 0.5 --> 2026-01-31": "",
}


@pytest.mark.parametrize("text", READINGS)
def test_numbers_are_read_as_a_person_reads_them(text: str) -> None:
    found = [number for number in read_numbers(plain(text)) if number.is_claim]
    assert " ".join(f"{n.value.normalize():f}" + "%" * n.percent for n in found) == READINGS[text]
