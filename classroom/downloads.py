"""Sort what a learning platform gives a teacher to download into a class; and make such a download up."""

import io
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from os.path import commonpath
from pathlib import Path, PurePosixPath
from unicodedata import normalize

import nbformat

from classroom import roster
from classroom.course import Course
from classroom.platforms import Person, Sent, date, platform_of, reading, sender, users, write_table
from classroom.reading import ANSWER_IN_WORDS, LARGEST_FILE

SKIPPED = {"__MACOSX", ".ipynb_checkpoints"}
MOST_FILES = 100  # in a student's own zip
NOBODY = Sent("")
WIDE = str.maketrans('<>&"', "\uff1c\uff1e\uff06\uff02")  # letters, not marks, to a browser
MADE_UP = (
    "Ada Lovelace", "Grace Hopper", "Emmy Noether", "Sofia Kovalevskaya", "Mary Cartwright",
    "Katherine Johnson", "Florence Nightingale", "Hypatia", "Maryam Mirzakhani", "Julia Robinson",
    "Olga Taussky", "Wang Zhenyi",
)  # fmt: skip


@dataclass
class Found:
    """A file of a download, or a notebook in a student's own zip there."""

    path: PurePosixPath  # where the platform put it
    name: str  # what the student called it
    changed: float
    content: bytes
    place: int = 0  # in the download
    sent: Sent = NOBODY
    inside: PurePosixPath | None = None  # where it lay in a zip that lies there

    @property
    def when(self) -> datetime:
        """When it was handed in; long ago where that is not told."""
        return self.sent.when or datetime.min

    @property
    def is_notebook(self) -> bool:
        """Whether it is a notebook, by its name."""
        return self.name.lower().endswith(".ipynb")


def downloads(source: Path) -> Iterator[Found]:
    """Read the files of a folder or a zip; a student's own zip is opened."""
    if zipfile.is_zipfile(source):
        try:
            with zipfile.ZipFile(source) as archive:
                for found in entries(archive):
                    yield from opened(found)
        except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError) as fault:  # or it has a password
            raise SystemExit(f"collect: {source} cannot be read ({fault}); give it unpacked") from None
    else:
        for path in sorted(source.rglob("*")):
            where = PurePosixPath(readable(path.relative_to(source).as_posix()))
            if path.is_file() and not path.is_symlink() and is_students(where):
                with path.open("rb") as file:
                    content = file.read(LARGEST_FILE + 1)
                yield from opened(Found(where, where.name, path.stat().st_mtime, content))


def entries(archive: zipfile.ZipFile) -> Iterator[Found]:
    """Read the files of a zip."""
    for entry in archive.infolist():
        path = PurePosixPath(readable(entry.filename))
        if not entry.is_dir() and is_students(path):
            with archive.open(entry) as file:
                when = time.mktime((*entry.date_time, 0, 0, -1))
                yield Found(path, path.name, when, file.read(LARGEST_FILE + 1))


def readable(name: str) -> str:
    """Write a name so that it can be shown, and differs where it did: one spelling, no tag, no escape."""
    whole = normalize("NFC", name).translate(WIDE)
    return "".join(sign if roster.showable(sign) else f"?{ord(sign):x}" for sign in whole).lstrip("/")


def is_students(path: PurePosixPath) -> bool:
    """Tell a student's file from those of an editor and of a system."""
    return not SKIPPED & set(path.parts) and not path.name.startswith(".")


def opened(found: Found) -> list[Found]:
    """Give a file, or in place of a student's zip the notebooks that it holds."""
    inside = []
    with suppress(Exception):  # a hostile file may raise anything; it is told as what it is, no notebook
        if found.path.suffix.lower() == ".zip":
            with zipfile.ZipFile(io.BytesIO(found.content)) as archive:
                whole = archive.infolist()
                if len(whole) <= MOST_FILES and sum(one.file_size for one in whole) <= LARGEST_FILE:
                    files = [one for one in entries(archive) if one.is_notebook]
                    inside = [replace(one, path=found.path, inside=one.path) for one in files]
    return inside or [found]


def collect(course: Course, name: str, source: Path, table: Path | None = None) -> str:
    """Sort downloads into the class; of several notebooks of a student one counts."""
    if not source.exists():
        raise SystemExit(f"collect: there is no {source}")
    if not source.is_dir() and not zipfile.is_zipfile(source):
        raise SystemExit(f"collect: {source} is neither a zip nor a folder; expected the platform's download")
    people = roster.on_table(table) if table else roster.enrolled(course, name)
    everything = by_student(course, name, source, people)
    roster.refuse_another(people, [one.sent for files in everything.values() for one in files])
    refuse_another_name(course, name, people)
    if table:
        kept = roster.table_kept(course, name)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(table.read_bytes())
    dates = {person.student: date(reading(person.row)["sent"]) for person in people}
    counting: dict[int, str] = {}
    told: dict[str, Sent] = {}
    for student, files in sorted(everything.items()):
        notebooks = [one for one in files if one.is_notebook]
        named = {of.place for of in notebooks if name.lower() in of.name.lower()}
        if notebooks:  # of those sent together the one named like the set
            one = max(notebooks, key=lambda of: (of.when, of.place in named, of.sent.order, of.changed))
            last = max(notebooks, key=lambda of: (of.when, of.sent.order, of.changed, of.place not in named))
            if one.place in named and last.place not in named:
                print(f"collect: {student}: {last.name} is not taken, another is named {name}")
            counting[one.place] = student
            told[student] = replace(one.sent, when=one.sent.when or dates.get(student))
        else:
            own = [of for of in files if of.name != f"{of.sent.place}.txt"]  # that is Blackboard's receipt
            one = (own or files)[-1]
            print(f"collect: {student} handed in {one.name}, no notebook")
            if not course.place("submitted", student, name).exists():
                told[student] = replace(one.sent, other=one.name)
    counts: Counter[str] = Counter()
    for place, found in enumerate(downloads(source)):  # once more: all at once would fill the memory
        if student := counting.get(place, ""):
            counts[store(course, name, student, found.content, told[student])] += 1
    roster.remember(course, name, told)
    for person in roster.people(course, name):
        if not person.handed_in and not person.other:
            print(f"collect: {person} sent nothing")
        if people and not person.row:
            print(f"collect: {person} is not in the students' table")
    kinds = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
    return f"collect: {len(counting)} notebooks" + (f" ({kinds})" if kinds else "")


def by_student(course: Course, name: str, source: Path, people: list[Person]) -> dict[str, list[Found]]:
    """List what each student sent; tell what is nobody's, and what could be one's or another's."""
    files = [replace(found, place=place, content=b"") for place, found in enumerate(downloads(source))]
    students = folders(people)
    known = {*students, *(person.student for person in people)}
    paths = {found.path for found in files}
    platform, lie_in = platform_of(paths), {path.parent for path in paths}
    depth = len(PurePosixPath(commonpath(lie_in)).parts) if len(lie_in) > 1 else MOST_FILES
    before = roster.submissions(course, name)
    alone = not platform and depth == MOST_FILES  # which of its folders is the student's, nobody can tell
    others = users(paths) if platform == "blackboard" else set()
    whom = known | others | {sent.number for sent in before.values() if alone}
    files = files if platform else of_one_each(name, files, depth)
    everything: dict[str, list[Found]] = {}
    senders: dict[str, set[str]] = {}
    for found in files:
        path, sent = found.path, sender(found.path, name, platform, whom, depth)
        if not sent:
            print(f"collect: {path}: left out, {platform} does not name a file so")
            continue
        listed = next((one.name for one in people if one.number == sent.number), "")
        if sent.name and listed and letters(listed) != letters(sent.name):
            print(f"collect: {path}: {sent.number} is {listed} in the table: look whose it is")
        student = students.get(sent.number) or students.get(sent.name) or roster.safe(sent.number)
        called = f"{path.as_posix().partition(sent.place)[0]}{sent.number} ({sent.name})".removesuffix(" ()")
        whose = sent.number if student in known else called if platform else sent.place
        folder = student.casefold()  # some systems take capitals and small letters for the same
        senders.setdefault(folder, set()).add(whose)
        old = before.get(student, sent)
        ends = sorted((f"/{old.place}", f"/{sent.place}"), key=len)
        other = old.number != sent.number or len({old.platform, platform, ""}) > 2
        if student not in known and (other or (alone and not old.platform and not ends[1].endswith(ends[0]))):
            senders[folder].add(old.place)
        if found.is_notebook or platform or len(path.parts) > 1 or student in known:
            everything.setdefault(student, []).append(replace(found, sent=sent))
        else:
            print(f"collect: {path}: left out, nobody's")
    apart = "in the students' table" if people else "or give --roster"
    for folder, all_of in senders.items():
        if len(all_of) > 1:
            both = " and ".join(sorted(all_of))
            print(f"collect: {both} would both be {folder}: left out; name them apart, {apart}")
            everything = {key: files for key, files in everything.items() if key.casefold() != folder}
    return everything


def of_one_each(name: str, files: list[Found], depth: int) -> list[Found]:
    """Leave out and tell the zips among plain files that are a platform's, or hold the folders of several."""
    for path in sorted({found.path for found in files if found.inside}):
        inside = [found.inside for found in files if found.inside and found.path == path]
        senders: set[object] = {one.parent for one in inside if name.lower() in one.name.lower()}
        if platform := platform_of(inside):
            senders = {(sender(one, name, platform) or NOBODY).number for one in inside}
        if len(senders) > 1 and (platform or len(path.parts) - 1 <= depth):
            print(f"collect: {path}: left out, it holds what several sent: collect it by itself")
            files = [found for found in files if found.path != path]
    return files


def letters(name: str) -> list[str]:
    """Take a name's letters, whatever stands first in it."""
    return sorted(sign for sign in name.casefold() if sign.isalnum())


def folders(people: list[Person]) -> dict[str, str]:
    """Say whose folder a platform's number stands for, or a name of one without a number."""
    names = Counter(person.name for person in people)
    return {
        person.number or person.name: person.student for person in people
        if person.number or (person.name and names[person.name] == 1)
    }  # fmt: skip


def refuse_another_name(course: Course, name: str, people: list[Person]) -> None:
    """Refuse a table that calls somebody otherwise whose folder has the platform's number."""
    before = roster.submissions(course, name)
    for person in people:
        old = roster.safe(person.number)
        if old != person.student and old in before and before[old].number == person.number:
            raise SystemExit(
                f"collect: {old} is {person.student} in the students' table, and was collected without it; "
                "begin a class in a new folder, and give --roster with each set's first download"
            )


def store(course: Course, name: str, student: str, content: bytes, sent: Sent) -> str:
    """Put a notebook into the class's folder, with the time where the platform tells it."""
    target = course.place("submitted", student, name)
    before = target.read_bytes() if target.exists() else None
    if before != content:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    stamp = roster.stamp(course, student, name)
    stamp.unlink(missing_ok=True)
    if sent.when:
        stamp.write_text(sent.when.astimezone().isoformat(), encoding="utf-8")
    with course.gradebook() as book:
        names = {"first_name": "", "last_name": sent.name} if sent.name else {}
        book.update_or_create_student(student, **names, lms_user_id=sent.number)
    return "unchanged" if before == content else "new" if before is None else "resubmitted"


def rehearse(course: Course, name: str, target: Path) -> str:
    """Make up a download of twelve, one all right, ten that miss a question, a torn file; and its table."""
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
    people = [(f"Participant {number}", who, str(number)) for number, who in enumerate(MADE_UP, 1000)]
    listed = target.with_suffix(".csv")
    write_table([("Identifier", "Full name", "ID number"), *people], listed)
    return f"rehearse: {len(MADE_UP)} made-up students in {target}, their table in {listed}"
