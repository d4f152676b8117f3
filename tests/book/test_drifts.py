"""Drifts planted into a copy of the course are refused, with file and remedy; honest edits of prose pass."""

# ruff: noqa: E501  a drift a line, an edit a line

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from tests.book.copied import Course, Plant, code, md, put, py, swap
from tests.book.guards import (
    GUARDS,
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
from tools import notebooks

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
NEED = "## You need"
FIGURE, ERROR = "image/png", {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
RUN, CLEAN = "run make notebooks", "run make tidy"
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
    return put(DECISIONS, md(text), below=NEED)


BOUND = cells(
    hygiene,
    ("two results of a section change places", swapped, ECE, RUN),
    ("a number beside its mark", swap(ECE, "Ours got 0.1044<", "Ours got 0.0144<"), ECE, RUN),
    ("the number of another row", swap(ECE, "0.116<!-- = min(", "0.126<!-- = min("), ECE, RUN),
    ("a mark", swap(ECE, "null.mean:.2f --> on average. Ours", "null.mean:.1f --> on average. Ours"), ECE, RUN),
    ("a mark in another cell", moved, ECE, RUN),
    ("an interval turned round", swap(ECE, "low:.2f --> and up to", "high:.2f --> and up to"), ECE, RUN),
    ("a claim weakened", swap(ECE, "ece > 3 * reports", "ece > 2 * reports"), ECE, RUN),
    ("far below for far above", swap(ECE, "the ECE lies far above it", "the ECE lies far below it"), ECE, RUN),
    ("fall for rise", swap(TEMPERATURE, "Brier score\nfall on all five", "Brier score\nrise on all five"), TEMPERATURE, RUN),
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
EQUATIONS = rows(
    equations,
    ("a label", ECE, "(eq-ece)", "(eq-calibration-error)", '@numbered("eq-calibration-error"'),
    ("a formula in its chapter", SCORES, "p_i - y_i", "p_i + y_i", "change that one"),
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
    ("a formula in its home", D, r"(p_i - y_i)^2", r"(p_i + y_i)^2", "run tools/equations.py", PAGE),
    ("a definition behind its page", D, "max(largest,", "min(largest,", "run tools/notebooks.py", ECE),
)
OUTPUTS = cells(
    hygiene,
    ("an output", code(TEMPERATURE, "T = 2.1173", output(text="T = 2.1174\n")), TEMPERATURE, RUN),
    ("a figure", code(COIN, FIGURE, lambda c: c["outputs"][0]["data"].update({FIGURE: "AAAA"})), COIN, RUN),
    ("outputs stripped", code(COIN, FIGURE, lambda c: c.update(outputs=[])), COIN, RUN),
    ("a cell never run", code(COIN, FIGURE, lambda c: c.update(execution_count=None)), COIN, CLEAN),
    ("cells out of order", code(COIN, FIGURE, lambda c: c.update(execution_count=77)), COIN, CLEAN),
    ("a warning", put(COIN, py("x", printed("Oh", "stderr")), below="# "), COIN, "catch the warning"),
    ("an error", put(COIN, py("x", ERROR), below="# "), COIN, "raises-exception"),
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
PLANTED = [*BOUND, *EQUATIONS, *OUTPUTS, *LINKS, *NAMES, *SHAPES]


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


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted[0])
def test_a_drift_is_refused_with_file_place_and_remedy(
    course: Course, before: Callable[[ModuleType], set[Problem]], planted: tuple[Any, ...]
) -> None:
    _, guard, plant, file, remedy = planted
    known = before(guard)
    plant(course)
    found = [problem for problem in guard.check(course.root) if problem not in known]
    assert [p for p in found if p.file == file and p.place and p.what and remedy in p.remedy], found


SENTENCES = [  # each into a chapter whose numbers are bound, and into one whose are not yet
    "A year has 12 months, a day 24 hours, and a week 7 days.",
    "On 15 May 2024 somebody asked this in a letter of 3 pages.",
    "In 1950 nobody had computed it; by 2026 everybody has.",
    "8 of 10 readers get this wrong, and 2 of 3 teachers.",
    "Half of the readers skip this, and a third come back.",
    "This is twice as hard to see, and ten times as useful.",
    "Top-5 accuracy and top-10 accuracy are other questions.",
    "Write it with $n$ the sample size and $K$ the number of classes.",
    "Here $T$ is a positive number, and $\\beta$ its inverse.",
    "The function `read_csv` of pandas reads such a file, and so does `read_parquet`.",
    "Other libraries call it `cross_entropy`, `weight_decay` or `scikit_learn`.",
    "Pass `binning=3` to a library that knows it, or call `fit()` first.",
    "As a third point, the bins matter.",
    "See section 3, chapter 2 and Table 2.1 of the book, on pages 12 to 40.",
    "It needs Python 3.11 or later and NumPy 2.0, and works with version 0.9.1.",
    "A train leaves at 9, and 300 passengers are on it, 1 200 of them with bicycles.",
    "ECE is short for expected calibration error, and MCE for the maximum.",
    "The [documentation](https://scikit-learn.org/stable/modules/calibration.html) says more.",
    "A footnote[^why] helps.\n\n[^why]: It says why, in 2 sentences.",
    "Run `make notebooks` and look at `tools/notebooks.py` again.",
    "- a list\n- of two items\n\n1. first\n2. second",
    "> A quotation of somebody, 40 years old.",
    "It is far below the line, as everybody said; far above it lies the other.",
    "The CIFAR-100 images and the issue #10883 are known to many.",
    "Say 0.37 <!-- given: 0.37 -->, or 61 % <!-- quoted: 61 % Author 2020, page 3 -->.",
]
EXERCISE = "```{exercise-start} One\n:label: one-more\n```\nWhat at 3 bins?\n```{exercise-end}\n```\n\n"
EXERCISE += "```{solution-start} one-more\n:class: dropdown\n```\nLittle.\n```{solution-end}\n```"
EDITS: dict[str, Plant] = {text[:50]: put(ECE, md(text), below=NEED) for text in SENTENCES} | {
    "all these sentences": lambda course: [put(COIN, md(text), below=NEED)(course) for text in SENTENCES],
    "a typo": swap(ECE, "You cannot know.", "You can not know."),
    "other words in a bound sentence": swap(ECE, "Look at the last number first.", "First look at the last one."),
    "other words beside a bound number": swap(ECE, "Ours got", "Ours obtained"),
    "other words in a claim": swap(TEMPERATURE, "the network claims far more", "the network promises far more"),
    "a paragraph cut in two": swap(ECE, "So two errors pull", "\nSo two errors pull"),
    "a concept's heading": swap(ECE, "## Is it more than chance?", "## More than chance?"),
    "a goal more": swap(TEMPERATURE, "- **spot** an", "- **say** why;\n- **spot** an"),
    "an exercise more": put(ECE, md(EXERCISE), below="## Exercises"),
    "a quick question put otherwise": swap(ECE, "A paper reports", "An article reports"),
    "a citation more": swap(TEMPERATURE, "scaling** {cite}`Guo2017`", "scaling** {cite}`Guo2017,Xiao2017`"),
    "a link more": put(COIN, md("See [the diagram](../measures/reliability.ipynb)."), below=NEED),
    "a term more": swap(GLOSSARY, "\nbin\n", "\nbias\n  A constant error.\n\nbin\n"),
    "a remark among the definitions": swap(D, "# measures/ece\n", "# measures/ece: bin by bin\n"),
    "a cell more, executed": put(PLATT, py("three = 3"), below="$$"),
    "a cell that shows an error": put(PLATT, py("1 / 0", ERROR, tags=["raises-exception"]), below="$$"),
}


def problems(course: Course) -> set[Problem]:
    """What all guards find."""
    return {problem for guard in GUARDS.values() for problem in guard(course.root)}


@pytest.fixture(scope="module")
def known(copy: Course) -> set[Problem]:
    """What the guards find in the copy as it is."""
    return problems(copy)


@pytest.mark.parametrize("plant", EDITS.values(), ids=EDITS)
def test_an_honest_edit_passes(course: Course, known: set[Problem], plant: Plant) -> None:
    plant(course)
    assert problems(course) - known == set()


def test_a_notebook_saved_from_an_editor_is_mended_without_a_run(course: Course, known: set[Problem]) -> None:
    text = (course.root / ECE).read_text(encoding="utf-8")

    def save(notebook: dict[str, Any]) -> None:
        notebook["metadata"].update(widgets={}, kernelspec={"name": "other"}, toc={"base": 1})
        for cell in notebook["cells"]:
            cell["metadata"].update(jp_collapsed=True, trusted=True, execution={"iopub.status.busy": "now"})
            if cell["cell_type"] == "code":
                cell["execution_count"] = 77
                cell["outputs"] = [part for output in cell["outputs"] for part in in_pieces(output)]

    course.edit(ECE, save)
    assert problems(course) - known
    assert notebooks.main(["--clean", str(course.root / ECE)]) == 0
    assert (course.root / ECE).read_text(encoding="utf-8") == text


def in_pieces(output: dict[str, Any]) -> list[dict[str, Any]]:
    """Cut what a cell printed behind its first line, as a front end may store it."""
    if output["output_type"] != "stream":
        return [output | {"execution_count": 5} if output["output_type"] == "execute_result" else output]
    lines = "".join(output["text"]).splitlines(keepends=True)
    return [output | {"text": text} for text in (lines[0], "".join(lines[1:])) if text]


def test_a_formula_is_edited_in_its_home_and_written_into_its_chapter(course: Course, known: set[Problem]) -> None:
    old, new = "(p_i - y_i)^2", "(y_i - p_i)^2"
    swap(D, old, new)(course)
    assert problems(course) - known
    course.before.setdefault(SCORES, (course.root / SCORES).read_text(encoding="utf-8"))
    assert scan.settle(course.root) == ["eq-brier-binary"]
    course.write(PAGE, scan.write_page(course.root))
    assert problems(course) - known == set() and scan.settle(course.root) == []
    assert (course.root / SCORES).read_text(encoding="utf-8") == course.before[SCORES].replace(old, new, 1)
