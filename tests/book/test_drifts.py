"""Drifts planted into a copy of the course, one at a time: each is refused with its file and a remedy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from tests.book.copied import Course, Plant, code, md, put, py, swap
from tests.book.guards import (
    Problem,
    alt_text,
    citations,
    equations,
    formulas,
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

ECE, DIAGRAM, SCORES, BRIER = (
    f"book/measures/{name}.ipynb" for name in ("ece", "reliability", "proper_scores", "brier_decomposition")
)
HISTOGRAM, PLATT, TEMPERATURE = (
    f"book/calibrators/{name}.ipynb" for name in ("histogram_binning", "platt", "temperature")
)
COIN, SHIFT = "book/uncertainty/coin.ipynb", "book/practice/shift.ipynb"
DECISIONS = "book/practice/decisions.ipynb"
API, SOURCES, GLOSSARY, CORRECTIONS, NOTATION, BIBLIOGRAPHY = (
    f"book/reference/{name}"
    for name in ("api.md", "sources.md", "glossary.md", "corrections.md", "notation.md", "references.bib")
)
D, T, PAGE = "calibration_lessons/definitions.py", "tests/measures/test_proper_scores.py", scan.PAGE.as_posix()
COSTS = "## You need"
RUN, CLEAN, LETTER = "run make notebooks", "run make tidy", "correct the formula"
HELPER = "def helper(p):\n    q = [x ** 2 for x in p if x > 0]\n    return sum(q) / len(q) + 1"
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


def rows(guard: ModuleType, *found: tuple[str, str, str, str, str]) -> list[tuple[Any, ...]]:
    """Plant texts in the place of others: name, file, old, new, remedy."""
    return [(name, guard, swap(file, old, new), file, remedy) for name, file, old, new, remedy in found]


def blamed(guard: ModuleType, *found: tuple[str, str, str, str, str, str]) -> list[tuple[Any, ...]]:
    """Plant texts whose fault shows in another file: name, file, old, new, remedy, the file blamed."""
    return [(n, guard, swap(file, old, new), other, remedy) for n, file, old, new, remedy, other in found]


def cells(guard: ModuleType, *found: tuple[str, Plant, str, str]) -> list[tuple[Any, ...]]:
    """Plant changes of cells: name, change, file, remedy."""
    return [(name, guard, plant, file, remedy) for name, plant, file, remedy in found]


def output(**fields: Any) -> Callable[[dict[str, Any]], object]:
    """Change the first output of a cell."""
    return lambda cell: cell["outputs"][0].update(fields)


def printed(text: str, name: str = "stdout") -> dict[str, Any]:
    """Write what a cell printed."""
    return {"output_type": "stream", "name": name, "text": text}


def swapped(course: Course) -> None:
    """Let two results of a section change places."""
    one, other = "shows an ECE of 0.123<", "10 000 rows, 0.012<"
    for old, new in ((one, "shows an ECE of 0.012<"), (other, "10 000 rows, 0.123<")):
        swap(ECE, old, new)(course)


def moved(course: Course) -> None:
    """Move a mark with its number into another cell."""
    mark = " 0.1044<!-- = ece:.4f -->"
    swap(ECE, f"Ours got{mark}", "Ours got less")(course)
    swap(ECE, "The two differ", f"The two, at{mark}, differ")(course)


def given(text: str) -> Plant:
    """Put a sentence into an unbound chapter."""
    return put(DECISIONS, md(text), below=COSTS)


BOUND = cells(
    hygiene,
    ("two results of a section change places", swapped, ECE, RUN),
    ("a number beside its mark", swap(ECE, "Ours got 0.1044<", "Ours got 0.0144<"), ECE, RUN),
    ("the number of another row", swap(ECE, "0.116<!-- = min(", "0.126<!-- = min("), ECE, RUN),
    ("a mark", swap(ECE, "null.mean:.2f --> on average. Ours", "null.mean:.1f --> on average. Ours"), ECE, RUN),
    ("a mark in another cell", moved, ECE, RUN),
    ("an interval turned round", swap(ECE, "low:.2f --> and up to", "high:.2f --> and up to"), ECE, RUN),
    ("a claim weakened", swap(ECE, "ece > 3 * reports", "ece > 2 * reports"), ECE, RUN),
    ("a claim deleted", swap(TEMPERATURE, " <!-- holds: found.success -->", ""), TEMPERATURE, RUN),
    ("the code above a number", swap(ECE, "size=(2000, 899)", "size=(3000, 899)"), ECE, RUN),
    ("a seed", code(TEMPERATURE, "default_rng(3)", lambda c: c.update(source="rng = 3")), TEMPERATURE, RUN),
    ("a cell left out", lambda course: course.edit(ECE, lambda n: n["cells"].pop(36)), ECE, RUN),
)
BOUND += rows(
    numbers,
    ("a mark deleted", ECE, "0.1044<!-- = ece:.4f -->", "0.1044", "expression:format"),
    ("a decimal beside the bound ones", ECE, "Look at the last", "The ECE is 0.2041. Look at the last", "given"),
    ("a percentage", TEMPERATURE, "far apart.", "far apart, by 80 %.", "expression:format"),
    ("a count of results", TEMPERATURE, "hold few rows", "hold 17 rows", "expression:format"),
    ("a power of ten", ECE, "Look at the last", "At $1.3 \\times 10^{-5}$, look at the last", "given: 1.3"),
    ("a mark in a heading", ECE, "## Nine samples", "## 9<!-- = n --> samples", "CONTRIBUTING"),
    ("a mark that cuts a line", ECE, "The bars matter.", "The bars\n<!-- holds: x --> matter.", "CONTRIBUTING"),
    ("a mark that no Python reads", ECE, "= ece:.4f -->", "= ece ece:.4f -->", "CONTRIBUTING"),
    ("a column in a mark of a table", ECE, "nine[3][0]", "nine[3][0] | 1", "CONTRIBUTING"),
    ("a given number", TEMPERATURE, "$T = 1.5$", "$T = 1.6$", "correct the number or the mark"),
    ("a quotation's source", ECE, "quoted: 0.10445 Madaan, last slide", "quoted: 0.10445", "add author"),
    ("a digit", SCORES, "1/12 = 0.0833", "1/12 = 0.0834", "print it there"),
    ("a sign", PLATT, "$A = -24.9$", "$A = 24.9$", "given: 24.9"),
    ("the end of a range", BRIER, "0.0015 to 0.0036", "0.0015 to 0.0037", "given: 0.0037"),
    ("a page's percentage", "book/intro.md", "<!-- given: 95 % -->", "", "given: 95 %"),
) + cells(
    numbers,
    ("a number that nothing prints", given("It is 0.7713."), DECISIONS, "print it there"),
    ("a percentage that nothing prints", given("It is 77.1 %."), DECISIONS, "print it there"),
)
FORMULAS = rows(
    formulas,
    ("the sign of a formula", SCORES, "p_i - y_i", "p_i + y_i", LETTER),
    ("the base of a logarithm", "book/uncertainty/ensembles.ipynb", r"\log_2", r"\log", LETTER),
    ("the first index", ECE, r"\sum_{m=1}^{M} \frac{n_m}{n} \, \bigl|", r"\sum_{m=2}^{M} \frac{n_m}{n} \, \bigl|", LETTER),
) + blamed(
    formulas,
    ("a definition", D, "(p - o) ** 2\n    return", "abs(p - o)\n    return", LETTER, SCORES),
    ("a constant of a definition", D, "1 / (negative + 2)", "1 / (negative + 1)", LETTER, PLATT),
)
EQUATIONS = rows(
    equations,
    ("a label", ECE, "(eq-ece)", "(eq-calibration-error)", '@numbered("eq-calibration-error"'),
    ("a label's form", ECE, "(eq-ece)", "(ECE)", "rename it"),
    ("a label twice", ECE, "(eq-mce)", "(eq-ece)", "refer to that one"),
    ("a transcription shown", ECE, 'definitions.source("eq-mce")', "None", 'definitions.source("eq-mce")'),
    ("a reference", SHIFT, "{eq}`eq-saerens-em`", "{eq}`eq-saerens`", "name a label"),
    ("the page of equations", PAGE, "eq-nll", "eq-loss", "run tools/equations.py"),
    ("a function that is not public", D, 'function="brier_score"', 'function="brier"', "export it"),
    ("a proof that is skipped", T, '@pytest.mark.equation("eq-nll")', '@pytest.mark.skip\n@pytest.mark.equation("eq-nll")', "let it run"),
) + blamed(
    equations,
    ("a definition's label", D, '"eq-mce"', '"eq-max"', '@numbered("eq-mce"', ECE),
    ("an equation without its label", TEMPERATURE, "$$ (eq-softmax)", "$$", "label the equation", D),
    ("a proof", T, '"eq-nll"', '"eq-log"', "eq-nll", D),
    ("a definition behind its page", D, "max(largest,", "min(largest,", "run tools/notebooks.py", ECE),
)
FIGURE = "image/png"
OUTPUTS = cells(
    hygiene,
    ("an output", code(TEMPERATURE, "T = 2.1173", output(text="T = 2.1174\n")), TEMPERATURE, RUN),
    ("a figure", code(COIN, FIGURE, lambda c: c["outputs"][0]["data"].update({FIGURE: "AAAA"})), COIN, RUN),
    ("outputs stripped", code(COIN, FIGURE, lambda c: c.update(outputs=[])), COIN, RUN),
    ("a cell never run", code(COIN, FIGURE, lambda c: c.update(execution_count=None)), COIN, CLEAN),
    ("cells out of order", code(COIN, FIGURE, lambda c: c.update(execution_count=77)), COIN, CLEAN),
    ("a warning", put(COIN, py("x", printed("Oh", "stderr")), below="# "), COIN, "catch the warning"),
    ("an error", put(COIN, py("x", {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}), below="# "), COIN, "raises-exception"),
    ("a path of one machine", put(COIN, py("x", printed("/home/ann/x.csv")), below="# "), COIN, "print what"),
    ("an address in memory", put(COIN, py("x", printed("<f at 0x7f00aa12>")), below="# "), COIN, "print what"),
    ("a figure without its data", put(COIN, py("x", {"output_type": "display_data", "metadata": {}, "data": {FIGURE: "AA"}}), below="# "), COIN, "plots"),
    ("traces of an editor", code(COIN, FIGURE, lambda c: c["metadata"].update(jupyter={})), COIN, CLEAN),
    ("another machine's metadata", lambda c: c.edit(COIN, lambda n: n["metadata"].update(widgets={})), COIN, CLEAN),
    ("an id twice", lambda c: c.edit(COIN, lambda n: n["cells"][1].update(id=n["cells"][0]["id"])), COIN, "repair"),
    ("a file attached", lambda c: c.edit(COIN, lambda n: n["cells"][0].update(attachments={"x.png": {FIGURE: "AA"}})), COIN, "book/assets"),
    ("a file too large", put(COIN, md("x" * 500000), below="# "), COIN, "draw fewer points"),
    ("no notebook", lambda course: course.write(COIN, "{}"), COIN, "repair or rewrite"),
) + cells(
    alt_text,
    ("no alternative text", code(COIN, FIGURE, lambda c: c["metadata"].pop("mystnb")), COIN, "say in 20"),
    ("an alternative text of a word", code(COIN, FIGURE, lambda c: c["metadata"].update(mystnb={"image": {"alt": "Plot"}})), COIN, "say in 20"),
    ("a picture without words", given("![](x.png)"), DECISIONS, "say in words"),
    ("an {image} without words", given("```{image} x.png\n:width: 3\n```"), DECISIONS, "say in words"),
)
LINKS = rows(
    links,
    ("a page that is gone", ECE, "](reliability.ipynb)", "](diagram.ipynb)", "correct the link"),
    ("a role to no page", ECE, "[proper scores](proper_scores.ipynb)", "{doc}`scores`", "add the page"),
    ("a file that is gone", "README.md", "(CONTRIBUTING.md)", "(CONTRIBUTE.md)", "correct the link"),
    ("a target of make", "README.md", "`make lab`", "`make labs`", "correct the name"),
    ("a script that is gone", "book/reference/benchmarks.ipynb", "`tools/benchmark.py`", "`tools/bench.py`", "correct the name"),
) + blamed(
    links,
    ("the contents", "_toc.yml", "book/practice/shift", "book/practice/drift", "write it", "_toc.yml"),
    ("a heading", DIAGRAM, "## One bin is one point", "## A bin is a point", "name one that it has", DIAGRAM),
    ("a term of the glossary", GLOSSARY, "\nbase rate\n", "\nbase share\n", "define it", ECE),
)
LINKS += rows(
    citations,
    ("a key", TEMPERATURE, "{cite}`Guo2017`", "{cite}`Guo2071`", BIBLIOGRAPHY),
    ("a year", BIBLIOGRAPHY, "year = {2017}", "year = {2016}", "correct the year"),
    ("an entry that nobody cites", BIBLIOGRAPHY, "{Chow1970,", "{Chow1971,", "cite it"),
    ("a reference's use", HISTOGRAM, "The bins that change side: {cite}`Utkin`.", "", "say there"),
) + rows(
    ledgers,
    ("a source's place", SOURCES, "{doc}`../calibrators/platt` | 13 |", "Platt | 13 |", "link the chapter"),
    ("a correction's number", SOURCES, "| 14, 15, 16 |", "| 14, 15, 61 |", "give a number"),
)
LINKS += cells(
    ledgers,
    ("a correction that no cell shows", code(ECE, "with bars", lambda c: c["metadata"].pop("tags")), CORRECTIONS, "tag the cell"),
) + blamed(notation, ("a symbol", NOTATION, r"| $\ell$ |", "| $b$ |", NOTATION, "book/uncertainty/classifiers.ipynb"))
LINKS += rows(notation, ("a letter twice", NOTATION, "| $d$ | {doc}", "| $T$ | {doc}", "choose another letter"))
NAMES = rows(
    names,
    ("a name in code", ECE, "low, high = cl.ece_interval(", "low, high = cl.ece_range(", "correct the name"),
    ("a name at the head of a chain", ECE, "cl.ece_under_calibration(p, random_state=0).mean", "cl.ece_null(p).mean", "correct the name"),
    ("an import", ECE, "import definitions, plots, simulate", "import drawings", "correct the name"),
    ("a plot", TEMPERATURE, "plots.interval_plot(", "plots.intervals(", "correct the name"),
    ("a name of the API page", API, "autofunction:: entropy", "autofunction:: surprise", "take it out"),
) + cells(
    names,
    ("a name in prose", given("Call `cl.ece_range()`."), DECISIONS, "correct the name"),
    ("a name without its call", given("Call `cl.ece_range`."), DECISIONS, "correct the name"),
) + cells(
    retyped,
    ("a function retyped", put(SHIFT, py("def softmax(z):\n    return z"), below="# "), SHIFT, "use the package"),
    ("a lambda retyped", put(SHIFT, py("x = 1\nsoftmax = lambda z: z"), below="# "), SHIFT, "use the package"),
    ("a transcription under other names", put(SHIFT, py(RENAMED), below="# "), SHIFT, "definitions.source"),
    ("a helper in two notebooks", lambda c: [put(f, py(HELPER.replace("helper", n)), below="# ")(c) for f, n in ((COIN, "a"), (SHIFT, "b"))], COIN, "into the package"),
    ("lines in two notebooks", lambda c: [put(f, py("\n".join(f"a{i} = {i}" for i in range(6))), below="# ")(c) for f in (COIN, SHIFT)], COIN, "into the package"),
)
SHAPES = rows(
    shape,
    ("a heading lost", TEMPERATURE, "## What to remember", "## Summary", "the order is"),
    ("headings in another order", ECE, "## You need", "## Next", "the order is"),
    ("a level left out", ECE, "### The largest gap", "#### The largest gap", "write it with 3 #"),
    ("a second title", ECE, "## You need", "# You need", "one # Title"),
    ("a solution", TEMPERATURE, "{solution-start} temperature-units", "{note}", "write one"),
    ("an open answer", ECE, "Answer\n:class: dropdown", "Answer", "dropdown"),
    ("an open solution", ECE, "{solution-start} ece-report\n:class: dropdown", "{solution-start} ece-report", "dropdown"),
) + cells(
    shape,
    ("a figure drawn by hand", put(SHIFT, py("import matplotlib.pyplot as plt"), below="# "), SHIFT, "plots"),
    ("a mistake that nobody runs", put(SHIFT, md("## Common mistake: none"), below="## Common mistake"), SHIFT, "makes it"),
) + rows(
    versions,
    ("a chapter's version", ECE, 'made_for("0.1")', 'made_for("0.0")', 'made_for("0.1")'),
    ("the Pythons", "README.md", "3.11, 3.12 or 3.13", "3.10, 3.11 or 3.12", "name 3.11, 3.12, 3.13"),
    ("Jupyter Book's version", "README.md", "Jupyter Book 1.0.4", "Jupyter Book 1.0.5", "write 1.0.4"),
    ("the site's version", "_config.yml", 'release: "0.1.0"', 'release: "0.2.0"', "write 0.1.0"),
) + blamed(versions, ("the version", "pyproject.toml", 'version = "0.1', 'version = "0.2', 'made_for("0.2")', ECE))
PLANTED = [*BOUND, *FORMULAS, *EQUATIONS, *OUTPUTS, *LINKS, *NAMES, *SHAPES]


@pytest.fixture(scope="module")
def before(copy: Course) -> Callable[[ModuleType], set[Problem]]:
    """Tell what a guard finds in the copy as it is."""
    return cache(lambda guard: set(guard.check(copy.root)))


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted[0])
def test_a_drift_is_refused_with_file_place_and_remedy(
    course: Course, before: Callable[[ModuleType], set[Problem]], planted: tuple[Any, ...]
) -> None:
    _, guard, plant, file, remedy = planted
    known = before(guard)
    plant(course)
    found = [problem for problem in guard.check(course.root) if problem not in known]
    assert [p for p in found if p.file == file and p.place and p.what and remedy in p.remedy], found
