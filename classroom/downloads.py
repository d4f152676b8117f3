"""Sort what a learning platform gives a teacher to download into a class; and make such a download up."""

from __future__ import annotations

import io
import shutil
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

import nbformat
from nbgrader.api import MissingEntry

from classroom import roster
from classroom.course import Course
from classroom.grading import ANSWER_IN_WORDS, LARGEST
from classroom.platforms import Sent, date, reading, sender
from classroom.roster import Person

SKIPPED = {"__MACOSX", ".ipynb_checkpoints"}
MOST_FILES = 100  # in a student's own zip
MADE_UP = (
    "Ada Lovelace", "Grace Hopper", "Emmy Noether", "Sofia Kovalevskaya", "Mary Cartwright",
    "Katherine Johnson", "Florence Nightingale", "Hypatia", "Maryam Mirzakhani", "Julia Robinson",
    "Olga Taussky", "Wang Zhenyi",
)  # fmt: skip


def downloads(source: Path) -> Iterator[tuple[PurePosixPath, float, bytes]]:
    """Read the files of a folder or a zip: name, date, content; a student's own zip is opened."""
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as archive:
            files = entries(archive)
            for name, when, content in files:
                yield from opened(name, when, content)
    else:
        for path in sorted(path for path in source.rglob("*") if path.is_file() and not path.is_symlink()):
            with path.open("rb") as file:
                name = PurePosixPath(path.relative_to(source).as_posix())
                yield from opened(name, path.stat().st_mtime, file.read(LARGEST + 1))


def entries(archive: zipfile.ZipFile) -> Iterator[tuple[PurePosixPath, float, bytes]]:
    """Read the files of a zip."""
    for entry in archive.infolist():
        if not entry.is_dir():
            with archive.open(entry) as file:
                when = time.mktime((*entry.date_time, 0, 0, -1))
                yield PurePosixPath(entry.filename), when, file.read(LARGEST + 1)


def opened(name: PurePosixPath, when: float, content: bytes) -> Iterator[tuple[PurePosixPath, float, bytes]]:
    """Give a file, or in place of a student's zip the notebooks that it holds."""
    found = []
    if name.suffix == ".zip" and len(content) <= LARGEST:
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                if len(archive.infolist()) <= MOST_FILES:
                    found = [entry for entry in entries(archive) if entry[0].suffix == ".ipynb"]
        except Exception:  # a hostile file may raise anything; it is told as what it is, no notebook
            found = []
    if found:
        yield from ((name / inner, of, text) for inner, of, text in found)
    else:
        yield name, when, content


@dataclass
class Found:
    """A student's newest notebook in a download."""

    key: tuple[bool, int, float]
    content: bytes
    sent: Sent


def collect(course: Course, name: str, source: Path, table: Path | None = None) -> str:
    """Sort downloads into the class; of several notebooks of a student the newest counts."""
    if not source.exists():
        raise SystemExit(f"collect: there is no {source}")
    if not source.is_dir() and not zipfile.is_zipfile(source):
        raise SystemExit(f"collect: {source} is neither a zip nor a folder; expected the platform's download")
    people = roster.on_table(table) if table else roster.enrolled(course, name)
    students = folders(people)
    newest: dict[str, Found] = {}
    others: dict[str, tuple[Sent, str]] = {}
    known = {person.student for person in people}
    for path, changed, content in downloads(source):
        if SKIPPED & set(path.parts) or path.name.startswith("."):
            continue
        sent = sender(path, name, students)
        student = students.get(sent.number) or students.get(sent.name) or roster.safe(sent.number)
        when = sent.when.timestamp() if sent.when else changed
        if path.suffix != ".ipynb":
            if sent.platform or len(path.parts) > 1 or student in known:  # else it is nobody's
                others[student] = sent, path.name
        elif (key := (name in path.stem, sent.order, when)) > (
            newest[student].key if student in newest else (False, -1, -1.0)
        ):
            newest[student] = Found(key, content, sent)
    roster.fits(people, [*(found.sent for found in newest.values()), *(sent for sent, _ in others.values())])
    if table:
        roster.keep(course, name, table)
    for student, found in newest.items():
        rename(course, name, roster.safe(found.sent.number), student)
    counts = Counter(saved(course, name, student, found) for student, found in sorted(newest.items()))
    told = {student: (found.sent, "") for student, found in newest.items()}
    told |= {who: sent for who, sent in others.items() if not course.submission(who, name).exists()}
    roster.note(course, name, {
        student: roster.Submission(
            sent.name, sent.number, sent.order, sent.platform, sent.late, sent.place, other
        )
        for student, (sent, other) in told.items()
    })  # fmt: skip
    for student in sorted(others.keys() - newest.keys()):
        print(f"collect: {student} handed in {others[student][1]}, no notebook")
    for person in roster.people(course, name):
        if not person.folder and not person.other:
            print(f"collect: {person} sent nothing")
        if people and not person.row:
            print(f"collect: {person} is not in the students' table")
    kinds = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
    return f"collect: {len(newest)} notebooks" + (f" ({kinds})" if kinds else "")


def folders(people: list[Person]) -> dict[str, str]:
    """Say whose folder a platform's number stands for, a group, or a name that only one student has."""
    names = Counter(person.name for person in people)
    found = {person.name: person.student for person in people if names[person.name] == 1}
    found |= {person.group: roster.safe(person.group) for person in people if person.group}
    return {key: folder for key, folder in found.items() if key} | {
        person.number: person.student for person in people if person.number
    }


def rename(course: Course, name: str, old: str, student: str) -> None:
    """Give the folder that was called by the platform's number the name that a table now gives it."""
    source, target = (course.submission(folder, name).parent for folder in (old, student))
    if old == student or not source.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        shutil.rmtree(source)
    else:
        source.rename(target)
    course.record(old, name).unlink(missing_ok=True)
    course.graded(old, name).unlink(missing_ok=True)
    with suppress(OSError):  # another set's notebook may lie there
        (course.folder / "submitted" / old).rmdir()
    with course.gradebook() as book, suppress(MissingEntry):
        with suppress(MissingEntry):  # not graded yet
            book.remove_submission(name, old)
        if not book.find_student(old).submissions:
            book.remove_student(old)
    print(f"collect: {old} is {student} now")


def saved(course: Course, name: str, student: str, found: Found) -> str:
    """Put a notebook into the class's folder, with the time where the platform tells it."""
    target = course.submission(student, name)
    before = target.read_bytes() if target.exists() else None
    if before != found.content:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(found.content)
    roster.write_stamp(course, student, name, found.sent.when or told_by_table(course, name, student))
    with course.gradebook() as book:
        names = {"first_name": "", "last_name": found.sent.name} if found.sent.name else {}
        about = names | {"lms_user_id": found.sent.number}
        book.update_or_create_student(student, **about)
    return "unchanged" if before == found.content else "new" if before is None else "resubmitted"


def told_by_table(course: Course, name: str, student: str) -> datetime | None:
    """Read from the platform's table when a student handed in."""
    person = next((one for one in roster.enrolled(course, name) if one.student == student), None)
    return date(reading(person.row)["sent"]) if person else None


def rehearse(course: Course, name: str, target: Path) -> str:
    """Make up a download of twelve: one all right, ten that miss a question, a torn file."""
    release = nbformat.read(course.folder / "release" / name / f"{name}.ipynb", as_version=4)
    solved = nbformat.read(course.sources / name / f"{name}.ipynb", as_version=4)
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in solved.cells if "nbgrader" in cell.metadata}
    answers = [key for key, cell in cells.items() if cell.metadata.nbgrader.solution and key != "student"]
    with zipfile.ZipFile(target, "w") as archive:
        for number, full_name in enumerate(MADE_UP):
            loops = number == len(MADE_UP) - 2
            left_out = answers[-1 if loops else (number - 1) % len(answers)] if number else ""
            changed = {key: cells[key].source for key in answers}
            changed["student"] = f"STUDENT_ID = {str(1000 + number)!r}"
            changed[left_out] = "while True:\n    pass" if loops else "raise NotImplementedError()"
            for cell in release.cells:
                key = cell.metadata.get("nbgrader", {}).get("grade_id")
                if cell.source == ANSWER_IN_WORDS:
                    cell.source = "A made-up answer, to be marked by a person."
                cell.source = changed.get(key, cell.source)
            text = nbformat.writes(release)[: -100 if number == len(MADE_UP) - 1 else None]
            archive.writestr(f"{full_name}_{1000 + number}_assignsubmission_file_/{name}.ipynb", text)
    return f"rehearse: {len(MADE_UP)} made-up students in {target}"
