"""Drifts planted into a copy of the course are refused, with file and remedy; texts: `drifts.toml`."""

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.book.copied import ALT, FIGURE, SAMPLE, Course, Plant, code, md, picture, printed, put, py, swap
from tests.book.guards import GUARDS
from tests.book.guards.problem import Problem

pytestmark = pytest.mark.copy

RUN, TIDY = "run make notebooks", "run make tidy"
ERROR = {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
NO_SLIDE = {"slide_type": ""}
WORD = {"image": {"alt": "Plot"}}
CAPTION = {**ALT, "figure": {"caption": "Means of 2000 draws, and the middle 90 % of them."}}
READ = {"image": {"alt": "Two dots, and a line that rises between them to 0.760."}}

Drift = tuple[str, str, Plant, str, str]  # name, guard, change, file to blame, remedy


def texts() -> list[Drift]:
    """Replace texts of the sample and of other files."""
    planted = tomllib.loads(Path(__file__).with_name("drifts.toml").read_text(encoding="utf-8"))
    rows = [(guard, *row) for guard, of in planted.items() for row in of]
    named = [[SAMPLE if part == "sample" else part for part in row] for row in rows]
    return [
        (name, guard, swap(file, old, new), other[0] if other else file, remedy)
        for guard, name, file, old, new, remedy, *other in named
    ]


def cells(guard: str, *found: tuple[str, Plant, str]) -> list[Drift]:
    """Change cells of the sample: name, change, remedy."""
    return [(name, guard, plant, SAMPLE, remedy) for name, plant, remedy in found]


def below(*new: dict[str, Any]) -> Plant:
    """Put executed cells into the sample, below its needs."""
    return put(SAMPLE, *new, below="## You need")


def moved(course: Course) -> None:
    """Move a number with its mark into another cell."""
    mark = " and ends at 0.750<!-- = high:.3f -->"
    swap(SAMPLE, mark, " and ends")(course)
    swap(SAMPLE, "Nothing is claimed here.", f"It stands here{mark}.")(course)


def same_id(notebook: dict[str, Any]) -> None:
    """Give two cells one id."""
    notebook["cells"][1]["id"] = notebook["cells"][0]["id"]


def attached(notebook: dict[str, Any]) -> None:
    """Attach a file to a cell."""
    notebook["cells"][0]["attachments"] = {"x": {}}


DRIFTS = [
    *texts(),
    *cells(
        "hygiene",
        ("a mark with its number in another cell", moved, RUN),
        ("a cell left out", lambda course: course.edit(SAMPLE, lambda n: n["cells"].pop(5)), RUN),
        ("an output", code("T = 2.118", lambda c: c.update(outputs=[printed("T = 2.119\n")])), RUN),
        ("a figure", code(FIGURE, lambda c: c["outputs"][0]["data"].update({FIGURE: "AAAA"})), RUN),
        ("outputs stripped", code(FIGURE, lambda c: c.update(outputs=[])), RUN),
        ("a cell never run", code(FIGURE, lambda c: c.update(execution_count=None)), TIDY),
        ("cells out of order", code(FIGURE, lambda c: c.update(execution_count=77)), TIDY),
        ("a warning", below(py("x", printed("Oh", "stderr"))), "catch the warning"),
        ("an error", below(py("x", ERROR)), "raises-exception"),
        ("a path of one machine", below(py("x", printed("/home/ann/x.csv"))), "print what"),
        ("an address in memory", below(py("x", printed("<f at 0x7f00aa12>"))), "print what"),
        ("a figure without its data", below(py("x", picture("<Figure>"))), "plots"),
        ("traces of an editor", code(FIGURE, lambda c: c["metadata"].update(jupyter={})), TIDY),
        ("no type of slide", code(FIGURE, lambda c: c["metadata"].update(slideshow=NO_SLIDE)), TIDY),
        ("other metadata", lambda c: c.edit(SAMPLE, lambda n: n["metadata"].update(widgets={})), TIDY),
        ("an id twice", lambda c: c.edit(SAMPLE, same_id), "repair"),
        ("a file attached", lambda c: c.edit(SAMPLE, attached), "book/assets"),
        ("a file too large", below(md("x" * 500_000)), "draw fewer points"),
        ("no notebook", lambda course: course.write(SAMPLE, "{}"), "repair or rewrite"),
    ),
    *cells(
        "alt_text",
        ("no alternative text", code(FIGURE, lambda c: c["metadata"].pop("mystnb")), "say in 20"),
        ("a word for a text", code(FIGURE, lambda c: c["metadata"].update(mystnb=WORD)), "say in 20"),
        ("a number read off", code(FIGURE, lambda c: c["metadata"].update(mystnb=READ)), "read the figure"),
        ("a caption", code(FIGURE, lambda c: c["metadata"].update(mystnb=CAPTION)), "read the figure"),
        ("a picture without words", below(md("![](x.png)")), "say in words"),
        ("an {image} without words", below(md("```{image} x.png\n:width: 3\n```")), "say in words"),
    ),
    *cells(
        "names",
        ("a function retyped", below(py("def softmax(z):\n    return z")), "use the package"),
        ("a lambda retyped", below(py("x = 1\nsoftmax = lambda z: z")), "use the package"),
        ("a transcription retyped", below(py("def bin_number(p, edges): ...")), "definitions.source"),
    ),
    *cells("shape", ("a figure drawn by hand", below(py("import matplotlib.pyplot as plt")), "plots")),
]


@pytest.fixture(scope="module")
def before(copy: Course) -> Callable[[str], set[Problem]]:
    """Tell what a guard finds in the copy as it is."""
    return cache(lambda guard: set(GUARDS[guard](copy.root)))


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda d: d[0])
def test_a_drift_is_refused_with_file_place_and_remedy(
    course: Course, before: Callable[[str], set[Problem]], drift: Drift
) -> None:
    _, guard, plant, file, remedy = drift
    known = before(guard)
    plant(course)
    found = [problem for problem in GUARDS[guard](course.root) if problem not in known]
    assert [p for p in found if p.file == file and p.place and p.what and remedy in p.remedy], found
