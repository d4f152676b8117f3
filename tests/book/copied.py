"""A copy of the course for tests to break, in it a lesson that no author rewrites, and ways to break it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat

from tools.binding import notebooks, staleness
from tools.binding.pages import joined

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("book", "calibration_lessons", "tests", "assignments/source", "tools")
BINARY = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.npz", "*.npy", "*.gz")
SAMPLE = "book/measures/sample.ipynb"
FIGURE = "image/png"

Cell = dict[str, Any]
Plant = Callable[["Course"], object]


def py(source: str, *outputs: Cell, **metadata: Any) -> Cell:
    """Write an executed code cell."""
    return dict(nbformat.v4.new_code_cell(source, outputs=list(outputs), metadata=metadata))


def md(text: str) -> Cell:
    """Write a Markdown cell."""
    return dict(nbformat.v4.new_markdown_cell(text))


def printed(text: str, name: str = "stdout") -> Cell:
    """Write what a cell printed."""
    return {"output_type": "stream", "name": name, "text": text}


def picture(shown: str, png: str = "AA") -> Cell:
    """Write the figure that a cell gave, with what it says of its data."""
    return {"output_type": "display_data", "metadata": {}, "data": {FIGURE: png, "text/plain": shown}}


ALT = {"image": {"alt": "Two dots, and a line that rises between them."}}
NUMBERS = r"""
It begins at 0.250<!-- = low:.3f --> and ends at 0.750<!-- = high:.3f -->, far above the
start. <!-- holds: high > 2 * low --> Of 12 000<!-- = many:_ --> rows 12.5 %<!-- = share:.1% --> are late, by
-0.50<!-- = shift:.2f --> on average, or $T = 2.12$<!-- = T:.2f --> and $9.1 \times 10^{-3}$<!-- = x:.1e -->.

| rows | error |
|---|---|
| few | 0.310<!-- = few:.3f --> |

- The most is 0.820<!-- = most:.3f -->.

Say 0.05 <!-- given: 0.05 -->, or 61 % <!-- quoted: 61 % Author 2020, page 3 -->.
"""
LESSON = [
    md("# Sample: a lesson for the tests\n\nWhat does this lesson teach?"),
    md("## By the end you can\n\n- **see** what a test sees."),
    md("## You need\n\n- [The diagram](reliability.ipynb).\n- {term}`ECE <expected calibration error>`."),
    py('import calibration_lessons as cl\nfrom calibration_lessons import plots\n\ncl.book.made_for("0.1")'),
    md("## Two numbers\n\nA first sentence stands here, with {cite}`Guo2017`. What follows is short."),
    py("low, high = cl.ece_interval(*rows)\nmany, share, shift, T, x = found", printed("T = 2.118\n")),
    md(NUMBERS),
    py("plots.lines(many, T)", picture("Picture of 1 axes"), mystnb=ALT),
    md("Nothing is claimed here."),
    md("## Common mistake: none"),
    py("three = 3"),
    md("## Quick questions\n\n:::{admonition} Answer\n:class: dropdown\n**A.** Because.\n:::"),
    md("## Exercises\n\n```{exercise-start} One\n:label: sample-one\n```\nWhy?\n```{exercise-end}\n```"),
    md("```{solution-start} sample-one\n:class: dropdown\n```\nSo.\n```{solution-end}\n```"),
    md("## What to remember\n\n- A test. <!-- shown: definition; when: always -->"),
    md("## Next\n\nThe {doc}`next <reliability>`, and its [end](#what-to-remember)."),
    md("## References\n\nThe method: {cite}`Guo2017`."),
]


class Course:
    """What the guards read, in a folder, with a way back."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.before: dict[str, str] = {}
        for folder in FOLDERS:
            shutil.copytree(ROOT / folder, root / folder, ignore=BINARY)
        for path in (path for path in ROOT.iterdir() if path.is_file() and path.suffix != ".lock"):
            shutil.copy(path, root)
        notebook = dict(nbformat.v4.new_notebook(cells=LESSON))
        executed(notebook)
        (root / SAMPLE).write_text(json.dumps(notebook), encoding="utf-8")
        with (root / "_toc.yml").open("a", encoding="utf-8") as contents:
            contents.write("      - file: book/measures/sample\n")

    def write(self, file: str, text: str) -> None:
        """Write a file anew."""
        self.before.setdefault(file, (self.root / file).read_text(encoding="utf-8"))
        (self.root / file).write_text(text, encoding="utf-8")

    def restore(self) -> None:
        """Write every file that was changed as it was before."""
        for file, text in self.before.items():
            (self.root / file).write_text(text, encoding="utf-8")
        self.before.clear()

    def edit(self, file: str, change: Callable[[dict[str, Any]], object]) -> None:
        """Change a notebook as data."""
        notebook = json.loads((self.root / file).read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            cell["source"] = joined(cell["source"])
        change(notebook)
        self.write(file, json.dumps(notebook))


def executed(notebook: dict[str, Any]) -> None:
    """Number and sign the cells as after a run that printed what stands there."""
    node = nbformat.from_dict(notebook)
    notebooks.normalise(node)
    state = node.metadata.get(notebooks.STATE, {"imports": ""})
    node.metadata[notebooks.STATE] = state | {"code": staleness.digest(staleness.code_sources(node))}
    notebook.update(node)


def swap(file: str, old: str, new: str) -> Plant:
    """Replace a text in a file, or the first one in the sources of a notebook's cells."""

    def in_notebook(notebook: dict[str, Any]) -> None:
        cell = next((cell for cell in notebook["cells"] if old in cell["source"]), None)
        assert cell, f"{file} does not hold {old!r}"
        cell["source"] = cell["source"].replace(old, new)

    def in_text(course: Course) -> None:
        text = (course.root / file).read_text(encoding="utf-8")
        assert old in text, f"{file} does not hold {old!r}"
        course.write(file, text.replace(old, new))

    return (lambda course: course.edit(file, in_notebook)) if file.endswith(".ipynb") else in_text


def put(file: str, *cells: Cell, below: str) -> Plant:
    """Put cells behind the first text cell that holds a text, as if executed with the rest."""

    def add(notebook: dict[str, Any]) -> None:
        place = next(n for n, cell in enumerate(notebook["cells"]) if below in cell["source"])
        notebook["cells"][place + 1 : place + 1] = cells
        executed(notebook)

    return lambda course: course.edit(file, add)


def code(where: str, change: Callable[[Cell], object]) -> Plant:
    """Change the first code cell of the sample whose source or output holds a text."""

    def find(notebook: dict[str, Any]) -> None:
        cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
        change(next(cell for cell in cells if where in cell["source"] + str(cell["outputs"])))

    return lambda course: course.edit(SAMPLE, find)
