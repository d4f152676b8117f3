"""Write the class edition: the book without the solutions of its exercises and without the teacher's pages.

    python tools/class_edition.py     write it into _build/class

`CLASS_EDITION=1 make serve` (or build, or lab) does so first and then shows that edition.
"""

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "_build" / "class"
NEEDED = ("_config.yml", "_toc.yml", "book", "tools/site_extension.py", "tools/site_figures.py")
FOR_TEACHERS = ("book/teaching/exam.md", "book/teaching/instructor_notes.md")
SOLUTION = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{solution-(?P<end>start|end)\}.*\n(?:.*\n)*?(?P=fence)[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)


def without_solutions(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Drop what stands between the start and the end of each solution, the cells between them included."""
    kept, inside = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text, position = "", 0
            for mark in SOLUTION.finditer(cell.source):
                text += "" if inside else cell.source[position : mark.start()]
                inside, position = mark["end"] == "start", mark.end()
            text += "" if inside else cell.source[position:]
            if text.strip():
                kept.append({**cell, "source": text.strip("\n")})
        elif not inside:
            kept.append(cell)
    return nbformat.from_dict({**notebook, "cells": kept})


def write(folder: Path = FOLDER) -> Path:
    """Write the edition and delete what else lies there; files that would not change keep their dates."""
    wanted = {}
    for name in NEEDED:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(file.parts):
                wanted[file.relative_to(ROOT).as_posix()] = file.read_bytes()
    for name, content in wanted.items():
        if name.endswith(".ipynb"):
            notebook = without_solutions(nbformat.reads(content.decode("utf-8"), as_version=4))
            wanted[name] = (nbformat.writes(notebook) + "\n").encode()
        elif name in FOR_TEACHERS:
            title = content.decode("utf-8").lstrip().splitlines()[0]
            wanted[name] = f"{title}\n\nThis page belongs to the teacher's edition.\n".encode()
    for file in sorted(folder.glob("*/**/*")):
        shown = file.relative_to(folder).as_posix()
        if file.is_file() and not shown.startswith("_build/") and shown not in wanted:
            file.unlink()
    for name, content in wanted.items():
        target = folder / name
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return folder


if __name__ == "__main__":
    print("class edition:", write())
