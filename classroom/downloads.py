"""Sort what a learning platform gives a teacher to download into a class; and make such a download up."""

from __future__ import annotations

import csv
import re
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import nbformat

from classroom.course import Course
from classroom.grading import LARGEST

MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_file_?.*")
CANVAS = re.compile(r"(?P<name>[^_]+)(_LATE)?_(?P<id>\d+)_(?P<file>\d+)_.+")
SKIPPED = {"__MACOSX", ".ipynb_checkpoints"}
MADE_UP = (
    "Ada Lovelace", "Grace Hopper", "Emmy Noether", "Sofia Kovalevskaya", "Mary Cartwright",
    "Katherine Johnson", "Florence Nightingale", "Hypatia", "Maryam Mirzakhani", "Julia Robinson",
    "Olga Taussky", "Wang Zhenyi",
)  # fmt: skip


def downloads(source: Path) -> Iterator[tuple[PurePosixPath, float, bytes]]:
    """Read the files of a folder or a zip: name, date, content."""
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    with archive.open(entry) as file:
                        when = time.mktime((*entry.date_time, 0, 0, -1))
                        yield PurePosixPath(entry.filename), when, file.read(LARGEST + 1)
    else:
        for path in sorted(path for path in source.rglob("*") if path.is_file() and not path.is_symlink()):
            with path.open("rb") as file:
                name = PurePosixPath(path.relative_to(source).as_posix())
                yield name, path.stat().st_mtime, file.read(LARGEST + 1)


def sender(path: PurePosixPath, name: str) -> tuple[str, str, float]:
    """Read from a path who sent it, a platform's number or a name; the full name; the order of sending."""
    for part in path.parts:
        if match := MOODLE.fullmatch(part):
            return match["id"], match["name"], 0
    if match := CANVAS.fullmatch(path.stem):
        return match["id"], match["name"], int(match["file"])
    folders = [part for part in path.parts[:-1] if part != name]
    return folders[-1] if folders else path.stem, "", 0


def collect(course: Course, name: str, source: Path, roster: Path | None = None) -> str:
    """Sort downloads into the class; of several notebooks of a student the newest counts."""
    if not source.exists():
        raise SystemExit(f"collect: there is no {source}")
    numbers = roster_of(roster) if roster else {}
    newest: dict[str, tuple[tuple[bool, float, float], bytes, str, str]] = {}
    others: dict[str, str] = {}
    for path, when, content in downloads(source):
        if SKIPPED & set(path.parts) or path.name.startswith("."):
            continue
        platform, full_name, order = sender(path, name)
        student = re.sub(r"[^\w.@ -]", "-", numbers.get(platform, platform)).strip(". ") or "unnamed"
        if path.suffix != ".ipynb":
            others[student] = path.name
        elif (key := (name in path.stem, order, when)) > newest.get(student, ((False, -1.0, -1.0),))[0]:
            newest[student] = key, content, full_name, platform
    counts = Counter[str]()
    with course.gradebook() as book:
        for student, (_, content, full_name, platform) in sorted(newest.items()):
            target = course.submission(student, name)
            before = target.read_bytes() if target.exists() else None
            counts["unchanged" if before == content else "new" if before is None else "resubmitted"] += 1
            if before != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            book.update_or_create_student(student, last_name=full_name or None, lms_user_id=platform)
    for student in sorted(others.keys() - newest.keys()):
        print(f"collect: {student} handed in {others[student]}, no notebook")
    told = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
    return f"collect: {len(newest)} notebooks" + (f" ({told})" if told else "")


def rows(table: Path) -> list[dict[str, str]]:
    """Read a table with a line of headings."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def roster_of(table: Path) -> dict[str, str]:
    """Read which student has which number on the platform."""
    found = rows(table)
    if not found or not {"platform", "student"} <= found[0].keys():
        raise SystemExit(f"collect: {table} needs a line of headings with platform and student")
    return {row["platform"]: row["student"] for row in found}


def rehearse(course: Course, name: str, target: Path) -> str:
    """Make up a download of twelve: one all right, ten that miss a question, a torn file."""
    release = nbformat.read(course.folder / "release" / name / f"{name}.ipynb", as_version=4)
    solved = nbformat.read(course.sources / name / f"{name}.ipynb", as_version=4)
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in solved.cells if "nbgrader" in cell.metadata}
    answers = [key for key, cell in cells.items() if cell.metadata.nbgrader.solution and key != "student"]
    with zipfile.ZipFile(target, "w") as archive:
        for number, full_name in enumerate(MADE_UP):
            left_out = answers[(number - 1) % len(answers)] if number else ""
            changed = {key: cells[key].source for key in answers if key != left_out}
            changed["student"] = f"STUDENT_ID = {str(1000 + number)!r}"
            if number == len(MADE_UP) - 2:
                changed[answers[-1]] = "while True:\n    pass"
            for cell in release.cells:
                key = cell.metadata.get("nbgrader", {}).get("grade_id")
                cell.source = (
                    changed.get(key, cell.source) if key != left_out else "raise NotImplementedError()"
                )
            text = nbformat.writes(release)[: -100 if number == len(MADE_UP) - 1 else None]
            archive.writestr(f"{full_name}_{1000 + number}_assignsubmission_file_/{name}.ipynb", text)
    return f"rehearse: {len(MADE_UP)} made-up students in {target}"
