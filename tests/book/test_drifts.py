"""Drifts planted into a copy of the course are refused, with file and remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from tests.book.copied import FIGURE, SAMPLE, Course, Plant, code, md, picture, printed, put, py, swap
from tests.book.guards import (
    Problem,
    alt_text,
    citations,
    equations,
    hygiene,
    ledgers,
    links,
    names,
    notation,
    numbers,
    retyped,
    shape,
    versions,
)
from tools import equations as scan

ECE, SCORES, SHIFT = (
    "book/measures/ece.ipynb",
    "book/measures/proper_scores.ipynb",
    "book/practice/shift.ipynb",
)
API, SOURCES, GLOSSARY, CORRECTIONS, NOTATION, BIBLIOGRAPHY = (
    f"book/reference/{name}"
    for name in ("api.md", "sources.md", "glossary.md", "corrections.md", "notation.md", "references.bib")
)
D, T, PAGE = (
    "calibration_lessons/definitions.py",
    "tests/measures/test_proper_scores.py",
    scan.PAGE.as_posix(),
)
RUN, TIDY = "run make notebooks", "run make tidy"
ERROR = {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
RENAMED = """\
def mine(w, g, e):
    n = len(w)
    s = 0.0
    for k in range(1, len(e)):
        c = sum(1 for p in w if bin_number(p, e) == k)
        if c > 0:
            a = bin_accuracy(w, g, e, k)
            b = bin_confidence(w, e, k)
            s = s + c / n * abs(a - b)
    return s"""

Drift = tuple[str, ModuleType, Plant, str, str]  # name, guard, change, file to blame, remedy


def sample(guard: ModuleType, remedy: str, *found: tuple[str, str, str]) -> list[Drift]:
    """Replace texts of the sample: name, old, new."""
    return [(name, guard, swap(SAMPLE, old, new), SAMPLE, remedy) for name, old, new in found]


def texts(guard: ModuleType, *found: tuple[str, str, str, str, str, str]) -> list[Drift]:
    """Replace texts of any file: name, file, old, new, file to blame where it is another, remedy."""
    return [
        (name, guard, swap(file, old, new), other or file, remedy)
        for name, file, old, new, other, remedy in found
    ]


def cells(guard: ModuleType, *found: tuple[str, Plant, str]) -> list[Drift]:
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


def twice(course: Course) -> None:
    """Put the same lines of code into two notebooks."""
    for file in (SAMPLE, SHIFT):
        put(file, py("\n".join(f"a{i} = {i}" for i in range(6))), below="# ")(course)


BEGINS, ENDS = "It begins at 0.250<!-- = low:.3f -->", "ends at 0.750<!-- = high:.3f -->"
BOUND = [
    *sample(
        hygiene,
        RUN,
        (
            "two results of a sentence change places",
            f"{BEGINS} and {ENDS}",
            "0.750<!-- = low:.3f --> 0.250<!-- = high:.3f -->",
        ),
        (
            "two marks change places",
            f"{BEGINS} and {ENDS}",
            "0.250<!-- = high:.3f --> 0.750<!-- = low:.3f -->",
        ),
        ("a number beside its mark", "0.250<", "0.520<"),
        ("a number in a table", "0.310<", "0.130<"),
        ("a number in a list", "0.820<", "0.280<"),
        ("a number in maths", "2.12$<", "2.21$<"),
        ("the power of a number in maths", "10^{-3}$<", "10^{-4}$<"),
        ("a sign", "-0.50<", "0.50<"),
        ("a percentage", "12.5 %<", "15.2 %<"),
        ("thousands", "12 000<", "120 000<"),
        ("a mark", "= low:.3f --> and", "= low / 2:.3f --> and"),
        ("a format", "= T:.2f", "= T:.3f"),
        ("a claim weakened", "high > 2 * low", "high > low"),
        ("below for above", "far above", "far below"),
        ("a claim deleted", " <!-- holds: high > 2 * low -->", ""),
        ("a cell changed and not executed", "cl.ece_interval(*rows)", "cl.ece_interval(*rows[:2])"),
    ),
    *cells(
        hygiene,
        ("a mark with its number in another cell", moved, RUN),
        ("a cell left out", lambda course: course.edit(SAMPLE, lambda n: n["cells"].pop(5)), RUN),
    ),
    *sample(
        numbers,
        "expression:format",
        ("a mark deleted", "0.250<!-- = low:.3f -->", "0.250"),
        ("a mark in a table deleted", "0.310<!-- = few:.3f -->", "0.310"),
        ("a mark in maths deleted", "2.12$<!-- = T:.2f -->", "2.12$"),
        ("a decimal beside the bound ones", "Nothing is", "The error is 0.2041. Nothing is"),
        ("a percentage beside the bound ones", "Nothing is", "Half a year later 80 % stay. Nothing is"),
        ("a count of results", "Nothing is", "There are 17 late rows. Nothing is"),
        ("a power of ten", "Nothing is", "At $1.3 \\times 10^{-5}$ nothing is"),
    ),
    *sample(
        numbers,
        "CONTRIBUTING",
        ("a mark in a heading", "## Two numbers", "## 2<!-- = n --> numbers"),
        ("a mark that begins a line", " <!-- holds", "\n<!-- holds"),
        ("a mark that no Python reads", "= few:.3f", "= few few:.3f"),
        ("a column in a mark of a table", "= few:.3f", "= few | 1:.3f"),
        ("two hyphens in a mark", "= few:.3f", "= few --1:.3f"),
        ("a mark without a number", "is 0.820<", "is <"),
        ("a mark inside maths", "2.12$<!-- = T:.2f -->", "2.12<!-- = T:.2f -->$"),
        ("a mark inside code", "0.310<!-- = few:.3f -->", "`0.310<!-- = few:.3f -->`"),
    ),
    *sample(
        numbers,
        "",
        ("a given number", "Say 0.05", "Say 0.06"),
        ("a quotation without its source", " Author 2020, page 3", ""),
    ),
    *texts(numbers, ("a page's percentage", "book/intro.md", "<!-- given: 95 % -->", "", "", "given: 95 %")),
]
EQUATIONS = texts(
    equations,
    ("a label", ECE, "(eq-ece)", "(eq-calibration-error)", "", '@numbered("eq-calibration-error"'),
    ("a label's form", ECE, "(eq-ece)", "(ECE)", "", "rename it"),
    ("a label twice", ECE, "(eq-mce)", "(eq-ece)", "", "refer to that one"),
    ("a formula in its chapter", SCORES, "p_i - y_i", "p_i + y_i", "", "change that one"),
    ("a transcription not shown", ECE, 'definitions.source("eq-mce")', "None", "", "end a code cell"),
    ("a reference", SAMPLE, "Nothing is", "{eq}`eq-nothing` is", "", "name a label"),
    ("the page of equations", PAGE, "eq-nll", "eq-loss", "", "run tools/equations.py"),
    ("a function that is not public", D, 'function="brier_score"', 'function="brier"', "", "export it"),
    ("a proof that is skipped", T, "@pytest.mark.eq", "@pytest.mark.skip\n@pytest.mark.eq", "", "let it run"),
    ("a definition's label", D, '"eq-mce"', '"eq-max"', ECE, '@numbered("eq-mce"'),
    ("an equation without its label", ECE, "$$ (eq-mce)", "$$", D, "label the equation"),
    ("a proof", T, '"eq-nll"', '"eq-log"', D, "eq-nll"),
    ("a formula in its home", D, "(p_i - y_i)^2", "(p_i + y_i)^2", PAGE, "run tools/equations.py"),
    ("a definition behind its page", D, "max(largest,", "min(largest,", ECE, "run tools/notebooks.py"),
)
OUTPUTS = cells(
    hygiene,
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
    ("other metadata", lambda c: c.edit(SAMPLE, lambda n: n["metadata"].update(widgets={})), TIDY),
    (
        "an id twice",
        lambda c: c.edit(SAMPLE, lambda n: n["cells"][1].update(id=n["cells"][0]["id"])),
        "repair",
    ),
    (
        "a file attached",
        lambda c: c.edit(SAMPLE, lambda n: n["cells"][0].update(attachments={"x": {}})),
        "book/assets",
    ),
    ("a file too large", below(md("x" * 500_000)), "draw fewer points"),
    ("no notebook", lambda course: course.write(SAMPLE, "{}"), "repair or rewrite"),
) + cells(
    alt_text,
    ("no alternative text", code(FIGURE, lambda c: c["metadata"].pop("mystnb")), "say in 20"),
    (
        "a word for a text",
        code(FIGURE, lambda c: c["metadata"].update(mystnb={"image": {"alt": "Plot"}})),
        "say in 20",
    ),
    ("a picture without words", below(md("![](x.png)")), "say in words"),
    ("an {image} without words", below(md("```{image} x.png\n:width: 3\n```")), "say in words"),
)
LINKS = [
    *sample(links, "correct the link", ("a page that is gone", "](reliability.ipynb)", "](diagram.ipynb)")),
    *sample(links, "add the page", ("a role to no page", "<reliability>", "<diagram>")),
    *sample(links, "name one that it has", ("a heading", "## What to remember", "## What to keep")),
    *sample(links, "define it", ("a term", "expected calibration error>", "expected error of calibration>")),
    *sample(citations, BIBLIOGRAPHY, ("a key", "with {cite}`Guo2017`", "with {cite}`Guo2071`")),
    *sample(citations, "say there", ("a reference's use", "The method: {cite}`Guo2017`.", "None.")),
    *texts(
        links,
        ("a file that is gone", "README.md", "(CONTRIBUTING.md)", "(CONTRIBUTE.md)", "", "correct the link"),
        ("a target of make", "README.md", "`make lab`", "`make labs`", "", "correct the name"),
        ("a script that is gone", SAMPLE, "Nothing is", "`tools/gone.py` is", "", "correct the name"),
        ("the contents", "_toc.yml", "book/practice/shift", "book/practice/drift", "", "write it"),
    ),
    *texts(
        citations,
        ("a year", BIBLIOGRAPHY, "year = {2017}", "year = {2016}", "", "correct the year"),
        ("an entry that nobody cites", BIBLIOGRAPHY, "{Chow1970,", "{Chow1971,", "", "cite it"),
    ),
    *texts(
        ledgers,
        (
            "a source's place",
            SOURCES,
            "{doc}`../calibrators/platt` | 13 |",
            "Platt | 13 |",
            "",
            "link the chapter",
        ),
        ("a correction's number", SOURCES, "| 14, 15, 16 |", "| 14, 15, 61 |", "", "give a number"),
        ("a correction that no cell shows", CORRECTIONS, "| 7 |", "| 77 |", "", "tag the cell"),
    ),
    *texts(
        notation,
        ("a symbol", NOTATION, r"| $\ell$ |", "| $b$ |", "book/uncertainty/classifiers.ipynb", NOTATION),
        ("a letter twice", NOTATION, "| $d$ | {doc}", "| $T$ | {doc}", "", "choose another letter"),
    ),
]
NAMES = [
    *sample(
        names,
        "correct the name",
        ("a name in code", "cl.ece_interval(", "cl.ece_range("),
        ("a name at the head of a chain", "cl.ece_interval(*rows)", "cl.ece_null(*rows).mean"),
        ("an import", "import plots", "import drawings"),
        ("a plot", "plots.lines(", "plots.curves("),
        ("a name in prose", "Nothing is", "`cl.ece_range()` is"),
        ("a name in prose without its call", "Nothing is", "`cl.ece_range` is"),
    ),
    *texts(
        names,
        ("a name of the API page", API, "autofunction:: entropy", "autofunction:: x", "", "take it out"),
    ),
    *cells(
        retyped,
        ("a function retyped", below(py("def softmax(z):\n    return z")), "use the package"),
        ("a lambda retyped", below(py("x = 1\nsoftmax = lambda z: z")), "use the package"),
        ("a transcription under other names", below(py(RENAMED)), "definitions.source"),
    ),
    ("lines in two notebooks", retyped, twice, SHIFT, "into the package"),
]
SHAPES = [
    *sample(
        shape,
        "the order is",
        ("a heading lost", "## What to remember", "## Summary"),
        ("headings in another order", "## You need", "## Next"),
    ),
    *sample(shape, "write it with 3 #", ("a level left out", "It begins", "#### It begins\n\nIt begins")),
    *sample(shape, "one # Title", ("a second title", "## You need", "# You need")),
    *sample(shape, "write one", ("a solution", "{solution-start} sample-one", "{note}")),
    *sample(shape, "give it one", ("an exercise without a label", ":label: sample-one\n", "")),
    *sample(
        shape,
        "dropdown",
        ("an open answer", "Answer\n:class: dropdown", "Answer"),
        ("an open solution", "sample-one\n:class: dropdown", "sample-one"),
    ),
    *cells(
        shape,
        ("a figure drawn by hand", below(py("import matplotlib.pyplot as plt")), "plots"),
        (
            "a mistake that nobody runs",
            put(SAMPLE, md("## Common mistake: two"), below="## Common"),
            "makes it",
        ),
    ),
    *sample(versions, 'made_for("0.1")', ("a chapter's version", 'made_for("0.1")', 'made_for("0.0")')),
    *texts(
        versions,
        ("the Pythons", "README.md", "3.11, 3.12 or 3.13", "3.10, 3.11 or 3.12", "", "name 3.11, 3.12, 3.13"),
        (
            "Jupyter Book's version",
            "README.md",
            "Jupyter Book 1.0.4",
            "Jupyter Book 1.0.5",
            "",
            "write 1.0.4",
        ),
        ("the site's version", "_config.yml", 'release: "0.1.0"', 'release: "0.2.0"', "", "write 0.1.0"),
        ("the version", "pyproject.toml", 'version = "0.1', 'version = "0.2', SAMPLE, 'made_for("0.2")'),
    ),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Copy what the guards read."""
    return Course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def course(copy: Course) -> Iterator[Course]:
    """Lend the copy to a test, and put it back in order."""
    yield copy
    copy.restore()


@pytest.fixture(scope="module")
def before(copy: Course) -> Callable[[ModuleType], set[Problem]]:
    """Tell what a guard finds in the copy as it is."""
    return cache(lambda guard: set(guard.check(copy.root)))


@pytest.mark.parametrize("drift", [*BOUND, *EQUATIONS, *OUTPUTS, *LINKS, *NAMES, *SHAPES], ids=lambda d: d[0])
def test_a_drift_is_refused_with_file_place_and_remedy(
    course: Course, before: Callable[[ModuleType], set[Problem]], drift: Drift
) -> None:
    _, guard, plant, file, remedy = drift
    known = before(guard)
    plant(course)
    found = [problem for problem in guard.check(course.root) if problem not in known]
    assert [p for p in found if p.file == file and p.place and p.what and remedy in p.remedy], found
