"""A small course that keeps every promise, for the tests to break."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.book.guards.tree import joined
from tools import equations, notebooks

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

Cell = dict[str, Any]


def md(text: str) -> Cell:
    """Write a Markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def py(source: str, *outputs: Cell, **metadata: Any) -> Cell:
    """Write an executed code cell."""
    return {"cell_type": "code", "metadata": metadata, "outputs": list(outputs), "source": source}


def printed(text: str, name: str = "stdout") -> Cell:
    """Write what a cell printed."""
    return {"output_type": "stream", "name": name, "text": text}


def result(text: str, **more: str) -> Cell:
    """Write the value of a cell's last expression."""
    return {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": text, **more}}


def figure(source: str, data: str, alt: str) -> Cell:
    """Write a cell that draws a figure."""
    picture = result(f"Picture\n{data}", **{"image/png": PNG})
    return py(source, picture, mystnb={"image": {"alt": alt}})


def quick_questions() -> Cell:
    """Write three quick questions with their answers folded away."""
    answer = ":::{admonition} Answer\n:class: dropdown\n**A.** So it is.\n:::"
    asked = [f"**{number}. Which?**\n\n- A. This.\n- B. That.\n\n{answer}" for number in (1, 2, 3)]
    return md("\n\n".join(["## Quick questions", *asked]))


def exercises(name: str) -> Cell:
    """Write two exercises with their solutions."""
    pattern = """\
```{exercise-start}
:label: NAME
```
What changes?
```{exercise-end}
```

```{solution-start} NAME
:class: dropdown
```
Nothing.
```{solution-end}
```
"""
    return md("\n".join(pattern.replace("NAME", f"{name}-{number}") for number in (1, 2)))


NUMBER_OF_BIN = '''\
def number_of_bin(p, n_bins):
    """Number of the bin that holds p."""
    m = 1
    while p > m / n_bins:
        m = m + 1
    return m'''
MEAN_GAP = '''\
def mean_gap(weights, gaps):
    """Sum of the gaps, each with its weight."""
    total = 0.0
    for w, g in zip(weights, gaps):
        total = total + w * abs(g)
    return total'''
IMPORTS = """\
import calibration_lessons as cl
from calibration_lessons import definitions, plots
cl.made_for("0.1")"""


def lesson(name: str, title: str, *concept: Cell, mistake: Cell) -> list[Cell]:
    """Frame a concept as a lesson."""
    return [
        md(f"# {title}\n\nCan you trust a forecast?"),
        md("## By the end you can\n\n- read it\n- compute it\n- doubt it"),
        md("## You need\n\n30 minutes."),
        py(IMPORTS),
        *concept,
        md("## Common mistake: the wrong bins"),
        mistake,
        quick_questions(),
        md("## Exercises"),
        exercises(name),
        md("## What to remember\n\nBins matter."),
        md("## Next\n\nMore."),
        md("## References\n\n{cite}`Guo2017`: Proceedings 34, pages 1321-1330, 10.5 MB."),
    ]


RELIABILITY = lesson(
    "reliability",
    "Reliability",
    md("## Bins\n\nBins are\n\n$$\nm = \\lceil p M \\rceil\n$$ (eq-bin)\n\nwith 10 000 rows in `bin_of()`."),
    py('definitions.source("eq-bin")', result(NUMBER_OF_BIN)),
    py("n = 10_000\nprint(cl.bin_of([0.25, 0.3], n_bins=4))", printed("[1 2]\n")),
    md("## The diagram\n\nThe point lies at (0.03, 0.2), a gap of $-0.17$, 17.5 % of 1,250."),
    figure(
        "plots.reliability([0.03], [0.2])",
        "0.030  0.2\n-0.170  0.175  1250",
        "One point far above the diagonal",
    ),
    mistake=py("print(cl.bin_of([1.0], n_bins=4))", printed("[4]\n")),
)

ECE = lesson(
    "ece",
    "Calibration error",
    md("## The mean gap\n\nIt is\n\n$$\n\\sum_m w_m g_m\n$$ (eq-ece)\n\nwith the bins of {eq}`eq-bin`."),
    py('definitions.source("eq-ece")', result(MEAN_GAP)),
    py('print(f"{cl.ece([1, 0], [0.9, 0.3]):.4f}")', printed("0.1044\n")),
    md("It is 0.104, or 10.4 %, at a level of 0.95 <!-- given: 0.95 -->."),
    md("Guo (2017) found 0.0455. <!-- quoted: 0.0455 Guo 2017 Table 1 -->"),
    mistake=py("print(cl.ece([1], [1.0]))", printed("0.0\n")),
)

IN_CONTENTS = ("intro", "measures/reliability", "measures/ece", "reference/api", "reference/equations")
FILES = {
    "pyproject.toml": '[project]\nname = "calibration-lessons"\nversion = "0.1.0"\n',
    "calibration_lessons/__init__.py": (
        "from . import definitions, plots\nfrom .measures import Curve, bin_of, ece\n\n\n"
        "def made_for(version):\n    pass\n"
    ),
    "calibration_lessons/plots.py": "def reliability(confidence, accuracy):\n    return confidence\n",
    "calibration_lessons/measures.py": (
        "class Curve:\n    edges: list\n\n    def gap(self):\n        return self.edges\n\n\n"
        "def bin_of(p, n_bins):\n    return p\n\n\ndef ece(y_true, y_prob):\n    return 0\n"
    ),
    "calibration_lessons/definitions.py": """\
NUMBERED = {}


def numbered(label, *, latex, function=None, reason=None):
    return lambda compute: compute


def source(label):
    return label


"""
    + f"""\
@numbered("eq-bin", latex=r"m = \\lceil p M \\rceil", function="bin_of")
{NUMBER_OF_BIN}


@numbered("eq-ece", latex=r"\\sum_m w_m g_m", function="ece")
{MEAN_GAP}
""",
    "tests/measures/test_measures.py": (
        'import pytest\n\n\n@pytest.mark.equation("eq-bin")\ndef test_bins_agree():\n    assert True\n\n\n'
        '@pytest.mark.equation("eq-ece")\ndef test_ece_agrees():\n    assert True\n'
    ),
    "book/intro.md": (
        "# Start\n\nA forecast of 95 % <!-- given: 95 % --> from 2017, by `Curve.gap()`\n\n![a plot](x.png)\n"
    ),
    "book/x.png": "",
    "book/reference/references.bib": "@article{Guo2017,\n}\n",
    "_toc.yml": "".join(f"- file: book/{name}\n" for name in IN_CONTENTS),
    "book/reference/api.md": "# API\n\n- `Curve`: what `bin_of()` returns, inside other calls\n",
}

NOTEBOOKS = {
    "book/measures/reliability.ipynb": RELIABILITY,
    "book/measures/ece.ipynb": ECE,
    "assignments/source/measures/bins.ipynb": [md("# Bins"), py("2 + 2", result("4"))],
}


def as_notebook(cells: list[Cell]) -> dict[str, Any]:
    """Number the cells and wrap them up as `tools/notebooks.py` does."""
    count = 0
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count
            cell["metadata"]["digest"] = notebooks.digest(cell)
    metadata = copy.deepcopy(notebooks.METADATA)
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


class Course:
    """A course in a folder, with the few moves that break it, and a way back."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.before: dict[str, str] = {}

    def write(self, file: str, text: str) -> None:
        """Write a file, with its folders."""
        path = self.root / file
        if path.exists():
            self.before.setdefault(file, path.read_text(encoding="utf-8"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def restore(self) -> None:
        """Write every file that was changed as it was before."""
        for file, text in self.before.items():
            (self.root / file).write_text(text, encoding="utf-8")
        self.before.clear()

    def replace(self, file: str, old: str, new: str) -> None:
        """Replace a text in a file, or in the sources of a notebook's cells."""

        def edit(notebook: dict[str, Any]) -> None:
            cells = [cell for cell in notebook["cells"] if old in joined(cell["source"])]
            assert cells, f"{file} does not hold {old!r}"
            for cell in cells:
                cell["source"] = joined(cell["source"]).replace(old, new)

        if file.endswith(".ipynb"):
            self.edit(file, edit)
        else:
            text = (self.root / file).read_text(encoding="utf-8")
            assert old in text, f"{file} does not hold {old!r}"
            self.write(file, text.replace(old, new))

    def edit(self, file: str, change: Callable[[dict[str, Any]], object]) -> None:
        """Change a notebook as data."""
        notebook = json.loads((self.root / file).read_text(encoding="utf-8"))
        change(notebook)
        self.write(file, json.dumps(notebook))

    def edit_cell(self, file: str, number: int, **fields: Any) -> None:
        """Set fields of a cell, counted from 1."""
        self.edit(file, lambda notebook: notebook["cells"][number - 1].update(fields))

    def insert(self, file: str, number: int, *cells: Cell) -> None:
        """Put cells before the one with this number, as if executed with the rest."""

        def add(notebook: dict[str, Any]) -> None:
            notebook["cells"][number - 1 : number - 1] = cells
            notebook.update(as_notebook(notebook["cells"]))

        self.edit(file, add)


class Sample(Course):
    """The small course, written into a folder."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        for file, text in FILES.items():
            self.write(file, text)
        for file, cells in NOTEBOOKS.items():
            self.write(file, json.dumps(as_notebook(json.loads(json.dumps(cells)))))
        self.write(equations.PAGE.as_posix(), equations.write_page(root))
