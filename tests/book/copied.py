"""A copy of the course for tests to break, in it a lesson that no author rewrites, and ways to break it."""

import json
import shutil
import tomllib
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
CELLS: dict[str, Callable[..., Cell]] = {
    "md": md,
    "py": py,
    "printed": lambda source, text: py(source, printed(text)),
    "picture": lambda source, shown: py(source, picture(shown), mystnb=ALT),
}
TEXTS = tomllib.loads(Path(__file__).with_name("sample.toml").read_text(encoding="utf-8"))["cells"]
LESSON = [CELLS[kind](*texts) for kind, *texts in TEXTS]


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
