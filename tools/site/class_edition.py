"""Write the class edition: the book without the solutions of its exercises and without the teacher's pages.

    python tools/site/class_edition.py                  write it into _build/class
    python tools/site/class_edition.py ../course.zip    write the student edition into a zip, or a new folder

`CLASS_EDITION=1 make serve` (or build, or lab) does so first and then shows that edition.

The student edition is that book with the companion package and what sets both up: the course without the
solved problem sets, their hidden cases and the tests.
"""

import re
import sys
import zipfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "_build" / "class"
# The site has extensions, and these templates.
NEEDED = ("_config.yml", "_toc.yml", "pyproject.toml", "book", "tools/*/*.py", "tools/site/*.html")
STUDENTS = (
    *NEEDED, "Makefile", "README.md", "INSTALL.md", "LICENSE", "LICENSE-TEXT", "CITATION.cff",
    "requirements.txt", "requirements-site.txt", "calibration_lessons", "classroom",
    "assignments/nbgrader_config.py",
    "tools/release/setup.sh", ".binder", ".gitignore",
)  # fmt: skip
MADE = {"__pycache__", ".ipynb_checkpoints", "_build"}
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


def edition(names: tuple[str, ...]) -> dict[str, bytes]:
    """Read files and folders of the course, by name or pattern, without solutions and teachers' pages."""
    wanted = {}
    for path in (path for name in names for path in sorted(ROOT.glob(name))):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not MADE & set(file.relative_to(ROOT).parts):
                wanted[file.relative_to(ROOT).as_posix()] = file.read_bytes()
    for name, content in wanted.items():
        if name.endswith(".ipynb"):
            notebook = without_solutions(nbformat.reads(content.decode("utf-8"), as_version=4))
            wanted[name] = (nbformat.writes(notebook) + "\n").encode()
        elif name in FOR_TEACHERS:
            title = content.decode("utf-8").lstrip().splitlines()[0]
            wanted[name] = f"{title}\n\nThis page belongs to the teacher's edition.\n".encode()
    return wanted


def write(folder: Path = FOLDER) -> Path:
    """Write the edition and delete what else lies there."""
    wanted = edition(NEEDED)
    for file in sorted(folder.glob("*/**/*")):
        shown = file.relative_to(folder).as_posix()
        if file.is_file() and not shown.startswith("_build/") and shown not in wanted:
            file.unlink()
    put(folder, wanted)
    return folder


def put(folder: Path, wanted: dict[str, bytes]) -> None:
    """Write files into a folder; those that would not change keep their dates."""
    for name, content in wanted.items():
        target = folder / name
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(mode(name))


def student_edition(target: Path) -> str:
    """Write the student edition into a zip or a new folder; unpacked over an older one it spares `my/`."""
    if target.exists() and (target.suffix != ".zip" or target.is_dir()):
        raise SystemExit(f"student-edition: {target} is there already; name a new folder, or a zip")
    wanted = edition(STUDENTS)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == ".zip":
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in wanted.items():
                entry = zipfile.ZipInfo(f"{target.stem}/{name}")  # of a fixed date: the same bytes each time
                entry.external_attr = mode(name) << 16
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    else:
        put(target, wanted)
    return f"student-edition: {len(wanted)} files in {target}"


def mode(name: str) -> int:
    """Return the rights of a file; programs stay programs."""
    return 0o644 | (ROOT / name).stat().st_mode & 0o111


if __name__ == "__main__":
    print(student_edition(Path(sys.argv[1])) if sys.argv[1:] else f"class edition: {write()}")
