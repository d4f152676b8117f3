"""Drifts planted into a copy of the course are refused, with file and remedy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.book.copied import FIGURE, SAMPLE, Course, Plant, code, md, picture, printed, put, py, swap
from tests.book.guards import GUARDS
from tests.book.guards.problem import Problem
from tools.binding import equations as scan

pytestmark = pytest.mark.copy

ECE, SCORES = "book/measures/ece.ipynb", "book/measures/proper_scores.ipynb"
REFERENCE = "api/softmax_and_entropy.md sources.md glossary.md corrections.md notation.md references.bib"
API, SOURCES, GLOSSARY, CORRECTIONS, NOTATION, BIBLIOGRAPHY = (
    f"book/reference/{name}" for name in REFERENCE.split()
)
D, PAGE = "calibration_lessons/book/definitions.py", scan.PAGE.as_posix()
T = "tests/measures/test_proper_scores.py"
RUN, TIDY = "run make notebooks", "run make tidy"
ERROR = {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
WORD = {"image": {"alt": "Plot"}}

Drift = tuple[str, str, Plant, str, str]  # name, guard, change, file to blame, remedy


def sample(guard: str, *found: tuple[str, str, str, str]) -> list[Drift]:
    """Replace texts of the sample: name, old, new, remedy."""
    return [(name, guard, swap(SAMPLE, old, new), SAMPLE, remedy) for name, old, new, remedy in found]


def texts(guard: str, *found: tuple[str, str, str, str, str, str]) -> list[Drift]:
    """Replace texts of any file: name, file, old, new, file to blame where it is another, remedy."""
    return [
        (name, guard, swap(file, old, new), other or file, remedy)
        for name, file, old, new, other, remedy in found
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


LOW, HIGH = "0.250<!-- = low:.3f --> and ends at 0.750<", "0.750<!-- = low:.3f --> and ends at 0.250<"
BOUND = [
    *sample(
        "hygiene",
        ("two results of a sentence change places", LOW, HIGH, RUN),
        ("a number beside its mark", "0.250<", "0.520<", RUN),
        ("a number in a table", "0.310<", "0.130<", RUN),
        ("a number in a list", "0.820<", "0.280<", RUN),
        ("a number in maths", "2.12$<", "2.21$<", RUN),
        ("the power of a number in maths", "10^{-3}$<", "10^{-4}$<", RUN),
        ("a sign", "-0.50<", "0.50<", RUN),
        ("a percentage", "12.5 %<", "15.2 %<", RUN),
        ("thousands", "12 000<", "120 000<", RUN),
        ("a mark", "= low:.3f --> and", "= low / 2:.3f --> and", RUN),
        ("a format", "= T:.2f", "= T:.3f", RUN),
        ("a claim weakened", "high > 2 * low", "high > low", RUN),
        ("below for above", "far above", "far below", RUN),
        ("a claim deleted", " <!-- holds: high > 2 * low -->", "", RUN),
        ("a cell changed and not executed", "cl.ece_interval(*rows)", "cl.ece_interval(*rows[:2])", RUN),
    ),
    *cells(
        "hygiene",
        ("a mark with its number in another cell", moved, RUN),
        ("a cell left out", lambda course: course.edit(SAMPLE, lambda n: n["cells"].pop(5)), RUN),
    ),
    *sample(
        "numbers",
        ("a mark deleted", "0.250<!-- = low:.3f -->", "0.250", "expression:format"),
        ("a mark in a table deleted", "0.310<!-- = few:.3f -->", "0.310", "expression:format"),
        ("a mark in maths deleted", "2.12$<!-- = T:.2f -->", "2.12$", "expression:format"),
        ("a decimal beside the bound ones", "Nothing", "The error is 0.2041. Nothing", "given: 0.2041"),
        ("a percentage beside the bound ones", "Nothing", "Some 80 % stay. Nothing", "given: 80 %"),
        ("a count of results", "Nothing", "There are 17 late rows. Nothing", "given: 17"),
        ("a power of ten", "Nothing", "At $1.3 \\times 10^{-5}$ nothing", "given: 1.3"),
        ("a mark in a heading", "## Two numbers", "## 2<!-- = n --> numbers", "CONTRIBUTING"),
        ("a mark that begins a line", " <!-- holds", "\n<!-- holds", "CONTRIBUTING"),
        ("a mark that no Python reads", "= few:.3f", "= few few:.3f", "CONTRIBUTING"),
        ("a column in a mark of a table", "= few:.3f", "= few | 1:.3f", "CONTRIBUTING"),
        ("two hyphens in a mark", "= few:.3f", "= few --1:.3f", "CONTRIBUTING"),
        ("a mark without a number", "is 0.820<", "is <", "CONTRIBUTING"),
        ("a mark inside maths", "2.12$<!-- = T:.2f -->", "2.12<!-- = T:.2f -->$", "CONTRIBUTING"),
        ("a mark inside code", "0.310<!-- = few:.3f -->", "`0.310<!-- = few:.3f -->`", "CONTRIBUTING"),
        ("a given number", "Say 0.05", "Say 0.06", "correct the number or the mark"),
        ("a quotation without its source", " Author 2020, page 3", "", "add author"),
    ),
    *texts(
        "numbers",
        ("a page's percentage", "book/promise.md", "<!-- given: 95 % -->", "", "", "given: 95 %"),
        ("a mark in no notebook", GLOSSARY, "\nbin\n", "\nbin 2<!-- = x -->\n", "", "given or quoted"),
    ),
]
EQUATIONS = texts(
    "equations",
    ("a label", ECE, "(eq-ece)", "(eq-calibration-error)", "", '@numbered("eq-calibration-error"'),
    ("a label's form", ECE, "(eq-ece)", "(ECE)", "", "rename it"),
    ("a label twice", ECE, "(eq-mce)", "(eq-ece)", "", "refer to that one"),
    ("a formula in its chapter", SCORES, "p_i - y_i", "p_i + y_i", "", "change that one"),
    ("a transcription not shown", ECE, 'definitions.source("eq-mce")', "None", "", "end a code cell"),
    ("a reference", SAMPLE, "Nothing is", "{eq}`eq-nothing` is", "", "name a label"),
    ("the page of equations", PAGE, "eq-nll", "eq-loss", "", "run tools/binding/equations.py"),
    ("a function that is not public", D, 'function="brier_score"', 'function="brier"', "", "export it"),
    ("a proof that is skipped", T, "@pytest.mark.eq", "@pytest.mark.skip\n@pytest.mark.eq", "", "let it run"),
    ("a definition's label", D, '"eq-mce"', '"eq-max"', ECE, '@numbered("eq-mce"'),
    ("an equation without its label", ECE, "$$ (eq-mce)", "$$", D, "label the equation"),
    ("a proof", T, '"eq-nll"', '"eq-log"', D, "eq-nll"),
    ("a formula in its home", D, "(p_i - y_i)^2", "(p_i + y_i)^2", PAGE, "run tools/binding/equations.py"),
    ("a definition behind its page", D, "max(largest,", "min(largest,", ECE, "tools/binding/notebooks.py"),
)
OUTPUTS = cells(
    "hygiene",
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
    ("no type of slide", code(FIGURE, lambda c: c["metadata"].update(slideshow={"slide_type": ""})), TIDY),
    ("other metadata", lambda c: c.edit(SAMPLE, lambda n: n["metadata"].update(widgets={})), TIDY),
    ("an id twice", lambda c: c.edit(SAMPLE, same_id), "repair"),
    ("a file attached", lambda c: c.edit(SAMPLE, attached), "book/assets"),
    ("a file too large", below(md("x" * 500_000)), "draw fewer points"),
    ("no notebook", lambda course: course.write(SAMPLE, "{}"), "repair or rewrite"),
) + cells(
    "alt_text",
    ("no alternative text", code(FIGURE, lambda c: c["metadata"].pop("mystnb")), "say in 20"),
    ("a word for a text", code(FIGURE, lambda c: c["metadata"].update(mystnb=WORD)), "say in 20"),
    ("a picture without words", below(md("![](x.png)")), "say in words"),
    ("an {image} without words", below(md("```{image} x.png\n:width: 3\n```")), "say in words"),
)
LINKS = [
    *sample(
        "links",
        ("a page that is gone", "](reliability.ipynb)", "](diagram.ipynb)", "correct the link"),
        ("a role to no page", "<reliability>", "<diagram>", "add the page"),
        ("a heading", "## What to remember", "## What to keep", "name one that it has"),
        ("a term", "<expected calibration error>", "<expected error of calibration>", "define it"),
        ("a script that is gone", "Nothing is", "`tools/gone.py` is", "correct the name"),
    ),
    *sample(
        "citations",
        ("a key", "with {cite}`Guo2017`", "with {cite}`Guo2071`", BIBLIOGRAPHY),
        ("a reference's use", "The method: {cite}`Guo2017`.", "None.", "say there"),
    ),
    *texts(
        "links",
        ("a file that is gone", "README.md", "(CONTRIBUTING.md)", "(CONTRIBUTE.md)", "", "correct the link"),
        ("a target of make", "README.md", "make lab`", "make labs`", "", "correct the name"),
        ("the contents", "_toc.yml", "book/practice/shift", "book/practice/drift", "", "write it"),
    ),
    *texts(
        "citations",
        ("a year", BIBLIOGRAPHY, "year = {2017}", "year = {2016}", "", "correct the year"),
        ("an entry that nobody cites", BIBLIOGRAPHY, "{Chow1970,", "{Chow1971,", "", "cite it"),
    ),
    *texts(
        "ledgers",
        ("a source's place", SOURCES, "{doc}`../calibrators/platt` |", "Platt |", "", "link the chapter"),
        ("a correction's number", SOURCES, "| 14, 15, 16 |", "| 14, 15, 61 |", "", "give a number"),
        ("a correction that no cell shows", CORRECTIONS, "| 7 |", "| 77 |", "", "tag the cell"),
    ),
    *texts(
        "notation",
        ("a symbol", NOTATION, r"| $\ell$ |", "| $b$ |", "book/uncertainty/classifiers.ipynb", NOTATION),
        ("a letter twice", NOTATION, "| $d$ | {doc}", "| $T$ | {doc}", "", "choose another letter"),
    ),
]
NAMES = [
    *sample(
        "names",
        ("a name in code", "cl.ece_interval(", "cl.ece_range(", "correct the name"),
        ("a name with an attribute", "cl.ece_interval(*rows)", "cl.null(*rows).mean", "correct the name"),
        ("an import", "import plots", "import drawings", "correct the name"),
        ("a name in prose", "Nothing is", "`cl.ece_range()` is", "correct the name"),
        ("a name in prose without its call", "Nothing is", "`cl.ece_range` is", "correct the name"),
    ),
    *texts("names", ("a name of the API page", API, "ainty.entropy", "ainty.x", "", "take it out")),
    *cells(
        "retyped",
        ("a function retyped", below(py("def softmax(z):\n    return z")), "use the package"),
        ("a lambda retyped", below(py("x = 1\nsoftmax = lambda z: z")), "use the package"),
        ("a transcription retyped", below(py("def bin_number(p, edges): ...")), "definitions.source"),
    ),
]
USE, METHODS = "book/use/neural_network.md", "book/reference/methods.md"
CHOOSING = "book/practice/choosing.ipynb"
RULES = texts(
    "rules",
    ("a rule without evidence", USE, "## The lesson", "- Take more.\n\n## The lesson", "", "shown: part"),
    (
        "a row without evidence",
        METHODS,
        "| several hundred <!-- shown: ",
        "| several hundred <!-- see: ",
        "",
        "shown",
    ),
    (
        "a place that is gone",
        METHODS,
        "choosing#beats-temperature-read",
        "choosing#nothing",
        "",
        "shown: part",
    ),
    ("a page for a place", METHODS, "choosing#beats-temperature-read", "choosing", "", "shown: part"),
    ("a test that is gone", USE, "test_arrays.py::test_", "test_arrays.py::no_", "", "shown: part"),
    ("a rule without its condition", USE, "; when: ", "; when -->", "", "shown: part"),
    ("a line to remember without evidence", SAMPLE, "<!-- shown: def", "<!-- see: def", "", "shown: part"),
    ("a recommendation that nothing shows", CHOOSING, "#0aab92ab;", "#none;", "", "shown: part"),
    ("a lesson's line", CHOOSING, "\n- Compare over", "\n- Do.\n- Compare over", "", "shown: part"),
)
SHAPES = [
    *sample(
        "shape",
        ("a heading lost", "## What to remember", "## Summary", "the order is"),
        ("headings in another order", "## You need", "## Next", "the order is"),
        ("a level left out", "It begins", "#### It begins\n\nIt begins", "write it with 3 #"),
        ("a second title", "## You need", "# You need", "one # Title"),
        ("a solution", "{solution-start} sample-one", "{note}", "write one"),
        ("an exercise without a label", ":label: sample-one\n", "", "give it one"),
        ("an open answer", "Answer\n:class: dropdown", "Answer", "dropdown"),
        ("an open solution", "sample-one\n:class: dropdown", "sample-one", "dropdown"),
    ),
    *cells(
        "shape",
        ("a figure drawn by hand", below(py("import matplotlib.pyplot as plt")), "plots"),
    ),
    *sample("versions", ("a chapter's version", 'made_for("0.1")', 'made_for("0.0")', 'made_for("0.1")')),
    *texts(
        "versions",
        ("the Pythons", "README.md", "3.11, 3.12 or 3.13", "3.10, 3.11 or 3.12", "", "name 3.11, 3.12, 3.13"),
        ("Jupyter Book's version", "README.md", "Book 1.0.4", "Book 1.0.5", "", "write 1.0.4"),
        ("the site's version", "_config.yml", 'release: "0.1.0"', 'release: "0.2.0"', "", "write 0.1.0"),
        ("the version", "pyproject.toml", 'version = "0.1', 'version = "0.2', SAMPLE, 'made_for("0.2")'),
    ),
]


@pytest.fixture(scope="module")
def before(copy: Course) -> Callable[[str], set[Problem]]:
    """Tell what a guard finds in the copy as it is."""
    return cache(lambda guard: set(GUARDS[guard](copy.root)))


@pytest.mark.parametrize(
    "drift", [*BOUND, *EQUATIONS, *OUTPUTS, *LINKS, *NAMES, *RULES, *SHAPES], ids=lambda d: d[0]
)
def test_a_drift_is_refused_with_file_place_and_remedy(
    course: Course, before: Callable[[str], set[Problem]], drift: Drift
) -> None:
    _, guard, plant, file, remedy = drift
    known = before(guard)
    plant(course)
    found = [problem for problem in GUARDS[guard](course.root) if problem not in known]
    assert [p for p in found if p.file == file and p.place and p.what and remedy in p.remedy], found
