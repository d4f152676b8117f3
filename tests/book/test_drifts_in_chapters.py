"""Drifts planted into a copy of the course itself, one at a time: each is refused with file and remedy."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.book.guards import (
    GUARDS,
    Problem,
    alt_text,
    citations,
    equations,
    honesty,
    hygiene,
    ledgers,
    links,
    names,
    notation,
    numbers,
    ratios,
    retyped,
    shape,
    versions,
)
from tests.book.planting import D, Plant, each, edit, md, put, py, swap
from tests.book.sample import Course, as_notebook, figure, printed
from tools import equations as scan

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("book", "calibration_lessons", "tests", "assignments/source", "tools")
BINARY = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.npz", "*.npy", "*.csv", "*.gz")

ECE, SCORES, BRIER = (
    f"book/measures/{name}.ipynb" for name in ("ece", "proper_scores", "brier_decomposition")
)
DIAGRAM = "book/measures/reliability.ipynb"
HISTOGRAM, PLATT, TEMPERATURE = (
    f"book/calibrators/{name}.ipynb" for name in ("histogram_binning", "platt", "temperature")
)
LOGISTIC = "book/models/logistic_regression.ipynb"
DECISIONS, SHIFT = (f"book/practice/{name}.ipynb" for name in ("decisions", "shift"))
COIN, CLASSIFIERS = (f"book/uncertainty/{name}.ipynb" for name in ("coin", "classifiers"))
API, NOTATION = "book/reference/api.md", "book/reference/notation.md"
PAGE = scan.PAGE.as_posix()
SOURCES, GLOSSARY, CORRECTIONS, BIBLIOGRAPHY = (
    f"book/reference/{name}" for name in ("sources.md", "glossary.md", "corrections.md", "references.bib")
)
INIT = "calibration_lessons/__init__.py"
RUN = "run tools/notebooks.py"


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Copy what the guards read."""
    root = tmp_path_factory.mktemp("course")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, root / folder, ignore=BINARY)
    for file in ("pyproject.toml", "_toc.yml", "_config.yml", "README.md", "Makefile", "requirements.txt"):
        shutil.copy(ROOT / file, root / file)
    return Course(root)


@pytest.fixture(scope="module")
def before(copied: Course) -> Callable[[ModuleType], set[Problem]]:
    """Tell what a guard finds in the copy as it is."""
    return cache(lambda guard: set(guard.check(copied.root)))


@pytest.fixture
def course(copied: Course) -> Iterator[Course]:
    """Lend the copy to a test, and put it back in order."""
    yield copied
    copied.restore()


def cells(file: str, change: Callable[[dict[str, Any]], object], *, where: str) -> Plant:
    """Change the first code cell whose source or output holds a text."""

    def find(notebook: dict[str, Any]) -> None:
        code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
        change(next(cell for cell in code if where in str(cell["source"]) + str(cell["outputs"])))

    return edit(file, find)


def formula(file: str, label: str, old: str, new: str) -> Plant:
    """Change the formula with a label."""

    def change(notebook: dict[str, Any]) -> None:
        for cell in notebook["cells"]:
            text = "".join(cell["source"])
            if f"({label})" in text and cell["cell_type"] == "markdown":
                before, after = text.split(f"$$ ({label})")
                head, _, maths = before.rpartition("$$")
                assert old in maths, f"{label} does not hold {old!r}"
                cell["source"] = f"{head}$${maths.replace(old, new, 1)}$$ ({label}){after}"

    return edit(file, change)


def output(file: str, old: str, new: str) -> Plant:
    """Change what a cell printed, by hand."""

    def change(cell: dict[str, Any]) -> None:
        for part in cell["outputs"]:
            part.update(json.loads(json.dumps(part).replace(old, new)))

    return cells(file, change, where=old)


def code(file: str, old: str, new: str) -> Plant:
    """Change a cell's code, and do not run it."""

    def change(cell: dict[str, Any]) -> None:
        cell["source"] = "".join(cell["source"]).replace(old, new)

    return cells(file, change, where=old)


Planted = tuple[str, ModuleType, Plant, str, str]  # its name, its guard, how to plant it, file, remedy


def written(guard: ModuleType, *rows: tuple[str, ...]) -> list[Planted]:
    """Plant texts in the place of others: name, file, old, new, remedy, and the file blamed if another."""
    return [
        (name, guard, swap(file, old, new), (*blamed, file)[0], remedy)
        for name, file, old, new, remedy, *blamed in rows
    ]


EQUATIONS = written(
    equations,
    ("a label", ECE, "(eq-ece)", "(eq-calibration-error)", '@numbered("eq-calibration-error"'),
    ("a definition's label", D, '"eq-mce"', '"eq-max"', '@numbered("eq-mce"', ECE),
    ("an equation without its label", TEMPERATURE, "$$ (eq-softmax)", "$$", "label the equation", D),
    ("a public function's name", INIT, "brier_score", "brier", "export it", D),
    ("a proof", "tests/measures/test_proper_scores.py", '"eq-nll"', '"eq-log"', "eq-nll", D),
    ("the page of equations", PAGE, "eq-nll", "eq-loss", "run tools/equations.py"),
    ("a reference", SHIFT, "{eq}`eq-saerens-em`", "{eq}`eq-saerens`", "name a label"),
    ("a definition that is no longer the one shown", D, "best = 0", "best = len(costs) * 0", RUN, DECISIONS),
    ("a definition behind its page", D, "max(largest,", "min(largest,", RUN, ECE),
    (
        "a proof that is skipped",
        "tests/measures/test_proper_scores.py",
        '@pytest.mark.equation("eq-nll")',
        '@pytest.mark.skip\n@pytest.mark.equation("eq-nll")',
        "let it run",
    ),
    ("a definition shown", ECE, 'definitions.source("eq-mce")', "None", 'definitions.source("eq-mce")'),
)
NUMBERS = written(
    numbers,
    ("a digit", SCORES, "1/12 = 0.0833", "1/12 = 0.0834", "print it there"),
    ("a rounding", SCORES, "0.80214", "0.80215", "print it there"),
    ("a sign", PLATT, "$A = -24.9$", "$A = 24.9$", "given: 24.9"),
    ("a percentage", DIAGRAM, "0.846", "84.7 %", "given: 84.7 %"),
    ("the end of a range", BRIER, "0.0015 to 0.0036", "0.0015 to 0.0037", "given: 0.0037"),
    ("thousands", LOGISTIC, "20 000 new", "30 000 new", "given: 30 000"),
    ("a count", DIAGRAM, "491 of 899", "941 of 899", "given: 941"),
    ("a count in a table", ECE, "| 1, 2, 7, 8 | 4 |", "| 1, 2, 7, 9 | 4 |", "correct the number"),
    ("a cell of a table", ECE, "3/4 = 0.7500 |", "3/4 = 0.7700 |", "given: 0.7700"),
    ("inline maths", TEMPERATURE, "$T = 0.05$", "$T = 0.06$", "correct the number or the mark"),
    ("a fraction", ECE, "2/3 = 0.6667", "1/3 = 0.6667", "correct one of the three"),
    ("a setting that backs a number", ECE, "none of 1000 simulated", "none of 3000 simulated", "given: 3000"),
    ("a quotation's source", ECE, "quoted: 0.10445 Madaan, last slide", "quoted: 0.10445", "add author"),
) + written(
    ratios,
    ("a word of ratio", ECE, "nearly twice as", "nearly ten times as", "ratio: ten times"),
    ("a number behind a word", ECE, "twice = 0.236 / 0.127", "twice = 0.236 / 0.210", "correct the text"),
    ("a share", DIAGRAM, "More than half of all", "A quarter of all", "ratio: a quarter"),
)
OUTPUTS: list[Planted] = [
    ("an output", hygiene, output(TEMPERATURE, "2.12", "2.13"), TEMPERATURE, RUN),
    ("a seed", hygiene, code(TEMPERATURE, "default_rng(3)", "default_rng(4)"), TEMPERATURE, RUN),
    ("a seed behind a figure", hygiene, code(DIAGRAM, "random_state=0", "random_state=1"), DIAGRAM, RUN),
    *(
        (name, guard, cells(COIN, change, where="image/png"), COIN, remedy)
        for name, guard, change, remedy in [
            ("a figure", hygiene, lambda c: c["outputs"][0]["data"].update({"image/png": "AAAA"}), RUN),
            ("outputs stripped", hygiene, lambda c: c.update(outputs=[]), RUN),
            ("a cell never run", hygiene, lambda c: c.update(execution_count=None), RUN),
            ("cells out of order", hygiene, lambda c: c.update(execution_count=77), RUN),
            (
                "a warning",
                hygiene,
                lambda c: c["outputs"].append(printed("Oh", "stderr")),
                "catch the warning",
            ),
            ("an alternative text", alt_text, lambda c: c["metadata"].pop("mystnb"), "say in 20 characters"),
        ]
    ),
]
LINKS = (
    written(
        links,
        ("a page that is gone", ECE, "](reliability.ipynb)", "](diagram.ipynb)", "correct the link"),
        ("the contents", "_toc.yml", "book/practice/shift", "book/practice/drift", "write it"),
        ("a role to no page", SHIFT, "{doc}`", "{doc}`x", "correct it, or add the page"),
        ("a file that is gone", "README.md", "(CONTRIBUTING.md)", "(CONTRIBUTE.md)", "correct the link"),
        ("a heading", DIAGRAM, "## One bin is one point", "## A bin is a point", "name one that it has"),
        (
            "a script that is gone",
            "book/reference/benchmarks.ipynb",
            "`tools/benchmark.py`",
            "`tools/bench.py`",
            "correct the name",
        ),
        ("a target of make", "README.md", "`make lab`", "`make labs`", "correct the name"),
        ("a term of the glossary", GLOSSARY, "\nbase rate\n", "\nbase share\n", "define it", ECE),
    )
    + written(
        citations,
        ("a key", TEMPERATURE, "{cite}`Guo2017`", "{cite}`Guo2071`", BIBLIOGRAPHY),
        ("a year", BIBLIOGRAPHY, "year = {2017}", "year = {2016}", "correct the year"),
        ("an entry that nobody cites", BIBLIOGRAPHY, "{Chow1970,", "{Chow1971,", "cite it"),
        ("a reference", HISTOGRAM, "The bins that change side: {cite}`Utkin`.", "", "say there"),
    )
    + written(
        notation,
        ("a symbol", NOTATION, r"| $\ell$ |", "| $b$ |", NOTATION, CLASSIFIERS),
        ("a letter twice", NOTATION, "| $d$ | {doc}", "| $T$ | {doc}", "choose another letter"),
    )
    + written(
        ledgers,
        (
            "a source's place",
            SOURCES,
            "{doc}`../calibrators/platt` | 13 |",
            "Platt | 13 |",
            "link the chapter",
        ),
        ("a correction's number", SOURCES, "| 14, 15, 16 |", "| 14, 15, 61 |", "give a number"),
    )
)
LINKS += [
    (
        "a sentence on a symbol",
        notation,
        put(ECE, 6, md("Say this with $n$ the number of bins.")),
        ECE,
        "choose",
    ),
    (
        "a correction that no cell shows",
        ledgers,
        cells(ECE, lambda c: c["metadata"].pop("tags"), where="with bars"),
        CORRECTIONS,
        "tag the cell",
    ),
    ("a name in code", names, code(ECE, "cl.ece_interval(", "cl.ece_range("), ECE, "correct the name"),
    (
        "a name of the API page",
        names,
        swap(API, "autofunction:: entropy", "autofunction:: surprise"),
        API,
        "take it out",
    ),
    ("a word of code in prose", names, put(ECE, 6, md("See `class_shift`.")), ECE, "correct the name"),
    ("an option in prose", names, put(ECE, 6, md("Try `binning=3`.")), ECE, "correct the name"),
    ("a name in prose", names, put(ECE, 6, md("Call `cl.ece_range()`.")), ECE, "correct it"),
    (
        "a function retyped",
        retyped,
        put(SHIFT, 6, py("def softmax(z):\n    return z")),
        SHIFT,
        "use the package",
    ),
]
SHAPES = written(
    shape,
    ("a solution", TEMPERATURE, "{solution-start} temperature-units", "{note}", "write one"),
    ("a heading", TEMPERATURE, "## What to remember", "## Summary", "the order is"),
    (
        "quick questions elsewhere",
        ECE,
        "## What to remember",
        "## Quick questions\n\n## What to remember",
        "the order is",
    ),
    ("an answer's letter", ECE, "**B.**", "**D.**", "begin it with the letter"),
    ("an answer", ECE, ":::{admonition} Answer", ":::{note}", "a :::{admonition} Answer"),
)
SHAPES += written(
    versions,
    ("the version", "pyproject.toml", 'version = "0.1', 'version = "0.2', 'made_for("0.2")', ECE),
    ("a chapter's version", ECE, 'made_for("0.1")', 'made_for("0.0")', 'made_for("0.1")'),
    ("the Pythons", "README.md", "3.11, 3.12 or 3.13", "3.10, 3.11 or 3.12", "name 3.11, 3.12, 3.13"),
    ("Jupyter Book's version", "README.md", "Jupyter Book 1.0.4", "Jupyter Book 1.0.5", "write 1.0.4"),
    ("the site's version", "_config.yml", 'release: "0.1.0"', 'release: "0.2.0"', "write 0.1.0"),
)
SHAPES += [
    (
        "an ECE alone",
        honesty,
        put(DECISIONS, 6, md("The ECE is 0.03. <!-- given: 0.03 -->")),
        DECISIONS,
        "give n",
    ),
    (
        "an ECE in percent",
        honesty,
        put(DECISIONS, 6, md("The ECE is 3 %. <!-- given: 3 % -->")),
        DECISIONS,
        "give n",
    ),
    *(
        (
            f"{name}, fitted by a statement",
            honesty,
            put(SHIFT, 6, py(f"own = cl.PlattScaling()\nown.fit({rows}, y)\nown.predict_proba(z)")),
            SHIFT,
            "judge it on others",
        )
        for name, rows in {"own rows": "z", "a part of the rows": "z[:9]"}.items()
    ),
    (
        "own rows",
        honesty,
        code(TEMPERATURE, 'k, "test")', 'k, "calibration")'),
        TEMPERATURE,
        "judge it on others",
    ),
]
PLANTED = [*EQUATIONS, *NUMBERS, *OUTPUTS, *LINKS, *SHAPES]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted[0])
def test_a_drift_in_a_chapter_is_refused_with_file_place_and_remedy(
    course: Course, before: Callable[[ModuleType], set[Problem]], planted: Planted
) -> None:
    _, guard, plant, file, remedy = planted
    known = before(guard)
    plant(course)
    found = [problem for problem in guard.check(course.root) if problem not in known]
    assert [p for p in found if p.file == file and p.place and p.what and remedy in p.remedy], found


def test_at_least_forty_drifts_are_planted() -> None:
    assert len({planted[0] for planted in PLANTED}) >= 40


PROPERTY = [
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "tests/measures/test_proper_scores.py",
]


@pytest.mark.kernel
def test_a_function_that_leaves_its_definition_fails_its_property_test(course: Course) -> None:
    shutil.copy(ROOT / "tests/conftest.py", course.root / "tests/conftest.py")
    swap("calibration_lessons/measures/proper_scores.py", "- 2 *", "- 3 *")(course)
    run = subprocess.run(
        [*PROPERTY, "-k", "brier"], cwd=course.root, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1 and "brier" in run.stdout, run.stdout


def executed(file: str) -> Plant:
    """Count and sign the cells as after a run."""
    return edit(file, lambda notebook: notebook.update(as_notebook(notebook["cells"])))


HARMLESS: dict[str, Plant] = {
    "other words": swap(ECE, "You cannot know.", "Nobody can know."),
    "a new figure": put(
        COIN, 7, figure("plots.lines([0], [[1]])", "line: (0, 1)", "One point, at zero and one")
    ),
    "another seed, run again": each(
        code(TEMPERATURE, "default_rng(3)", "default_rng(4)"), executed(TEMPERATURE)
    ),
    "a new paragraph with a number": put(ECE, 14, md("The sum is 0.1044, or 10.4 % of 1.")),
    "a remark among the definitions": swap(D, "# measures/ece\n", "# measures/ece: bin by bin\n"),
    "a new term": swap(GLOSSARY, "\nbin\n", "\nbias\n  A constant error.\n\nbin\n"),
    "a space in a formula": formula(SCORES, "eq-brier-binary", "p_i - y_i", r"p_i \,-\, y_i"),
    "the page of equations written anew": lambda course: course.write(PAGE, scan.write_page(course.root)),
    "one more citation": swap(TEMPERATURE, "scaling** {cite}`Guo2017`", "scaling** {cite}`Guo2017,Xiao2017`"),
    "a link to a page": put(
        DECISIONS, 6, md("See {doc}`shift` and [the diagram](../measures/reliability.ipynb).")
    ),
    "a quick question put otherwise": swap(ECE, "A paper reports", "An article reports"),
}


def test_harmless_edits_pass_all_together(course: Course) -> None:
    def problems() -> set[Problem]:
        return {problem for guard in GUARDS.values() for problem in guard(course.root)}

    before = problems()
    for plant in HARMLESS.values():
        plant(course)
    assert problems() - before == set()
