"""Who is in a class, who handed a set in, and when."""

import json
import math
import re
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from unicodedata import normalize

from nbgrader.utils import parse_utc

from classroom import platforms
from classroom.course import Course, Record, read_record
from classroom.platforms import UNTOUCHED, Person, Sent

ANY, FOLDERS = "a teacher's own table", "the names of folders"  # other sources of numbers than a platform
RENAMED = 'give the folder a name without < > & " and escapes before you open Formgrader, which would run it'
ROUNDED = re.compile(r"\d+([.,]\d+)?E\+\d+|\d+[.,]0", re.IGNORECASE)


def table_kept(course: Course, name: str) -> Path:
    """Where the platform's table of students is kept, for one set: Moodle numbers them anew for each."""
    return course.folder / "rosters" / f"{name}.csv"


def enrolled(course: Course, name: str) -> list[Person]:
    """Read everybody on the kept table; nobody where there is none."""
    path = table_kept(course, name)
    return on_table(path) if path.exists() else []


def on_table(path: Path) -> list[Person]:
    """Read everybody on a platform's table; refuse one of something else, and one that takes two for one."""
    rows = platforms.table(path)
    if rows and not platforms.is_roster(rows[0]):
        headings = ", ".join(rows[0])
        raise SystemExit(f"collect: {path} has the headings {headings}; expected {platforms.EXPECTED}")
    people = []
    for found, row in ((platforms.reading(row), row) for row in rows):
        if found:
            student = safe(found["student"] or found["number"] or found["name"])
            people.append(Person(student, found["name"], found["number"], row))
            if rounded := [key for key in (found["student"], found["number"]) if ROUNDED.fullmatch(key)]:
                raise SystemExit(f"collect: {path}: a spreadsheet made {rounded[0]} of a number; {UNTOUCHED}")
    if not people:
        raise SystemExit(f"collect: {path} names no student; expected {platforms.EXPECTED}")
    for keys in ([one.student for one in people], [one.number for one in people if one.number]):
        for key, times in Counter(keys).items():
            if times > 1:
                names = ", ".join(one.name for one in people if key in (one.student, one.number))
                raise SystemExit(
                    f"collect: {path} has {key} {times} times ({names}); expected each student once"
                )
    return people


def refuse_another(people: list[Person], sent: list[Sent]) -> None:
    """Refuse a table of students that is not of the download: by another platform, or for another set."""
    table = platforms.of_table(people[0].row) if people else ""
    found = sorted({one.platform for one in sent if one.platform})
    if table and found and table not in found:
        raise SystemExit(
            f"collect: the students' table is of {table}, the download of {found[0]}; "
            "expected both of one platform"
        )
    number = {person.name: person.number for person in people if person.number.isdigit()}
    if {person.number for person in people} & {one.number for one in sent}:
        return  # who is not on it may have the name of somebody who is
    for one in sent:
        other = number.get(one.name, one.number)
        if one.platform == table and other != one.number:
            raise SystemExit(
                f"collect: {one.name} is {other} in the students' table and {one.number} in the download: "
                "one of them is of another assignment"
            )


def showable(text: str) -> bool:
    """Tell whether a terminal shows a name as text, and Formgrader, which takes names for HTML."""
    return text.isprintable() and not set(text) & set('<>&"')


def safe(text: str) -> str:
    """Make a name for a folder."""
    return re.sub(r"[^\w.@ -]", "-", normalize("NFC", text)).strip(". ")[:60] or "unnamed"


def remember(course: Course, name: str, told: dict[str, Sent]) -> None:
    """Remember what a download told, beside what earlier ones did."""
    path = course.folder / "rosters" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    known = submissions(course, name) | told
    everything = {student: asdict(replace(sent, when=None)) for student, sent in known.items()}
    path.write_text(json.dumps(everything, indent=1), encoding="utf-8")


def submissions(course: Course, name: str) -> dict[str, Sent]:
    """Read what downloads told, for each folder."""
    path = course.folder / "rosters" / f"{name}.json"
    told = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {student: Sent(**sent) for student, sent in told.items()}


def students(course: Course, name: str, shown: bool = True) -> list[str]:
    """List everybody who handed the set in, or the folders that are left out for their names."""
    there = course.folder.glob(f"submitted/*/{name}/{name}.ipynb")
    found = {path.parents[1].name for path in there if path.is_file() and not path.is_symlink()}
    return sorted(student for student in found if showable(student) == shown)


def left_out(course: Course, name: str) -> list[str]:
    """Say of each folder for the set that nobody is graded by why not."""
    there = {path.parent.name for path in course.folder.glob(f"submitted/*/{name}")}
    whys = dict.fromkeys(there, f"holds no {name}.ipynb that is a file")
    whys |= dict.fromkeys(students(course, name, shown=False), RENAMED)
    return [f"{who!r}: left out; {whys[who]}" for who in sorted(there - {*students(course, name)})]


def records(course: Course, name: str) -> list[Record]:
    """Read what became of every submission."""
    return [one for student in students(course, name) if (one := read_record(course, student, name))]


def people(course: Course, name: str) -> list[Person]:
    """List everybody on the roster and everybody who handed something in."""
    told, there, listed = submissions(course, name), students(course, name), enrolled(course, name)
    known = {person.student for person in listed}
    others = sorted(student for student, sent in told.items() if sent.other)
    listed += [Person(student) for student in dict.fromkeys([*there, *others]) if student not in known]
    for person in listed:
        sent = told.get(person.student, Sent("" if person.row else person.student))
        person.name, person.number = person.name or sent.name, person.number or sent.number
        person.handed_in, person.other = person.student in there, sent.other
        whose = platforms.of_table(person.row) or sent.platform
        person.platform = whose or (ANY if person.row else FOLDERS)
    return listed


# when


def stamp(course: Course, folder: str, name: str) -> Path:
    """Where nbgrader, too, keeps when a notebook was handed in."""
    return course.place("submitted", folder, name).parent / "timestamp.txt"


def when(course: Course, folder: str, name: str) -> datetime | None:
    """Say when a notebook was handed in, in local time; None where that is not known.

    On an exchange the file comes from the student's account, and may hold anything.
    """
    with suppress(OSError, ValueError, OverflowError):
        utc: datetime = parse_utc(stamp(course, folder, name).read_text("utf-8")[:99].strip())
        if abs(utc.year - 2050) < 100:  # years that every system can reckon with
            return utc.replace(tzinfo=UTC).astimezone().replace(tzinfo=None)
    return None


def dues(course: Course) -> dict[str, dict[str, datetime]]:
    """Read until when each set is handed in, for each set: for all ("") and for single students."""
    path = course.folder / "due.json"
    told = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {
        name: {who: datetime.fromisoformat(moment) for who, moment in dates.items()}
        for name, dates in told.items()
    }


def set_due(course: Course, name: str, date: str, student: str = "") -> str:
    """Say until when a set is handed in, by all or by one student."""
    try:
        moment = datetime.fromisoformat(date)
        if ":" not in date and moment == datetime.combine(moment, time.min):
            moment = moment.replace(hour=23, minute=59)
        moment = moment.astimezone().replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise SystemExit(f'due: {date!r} is no date; write it as "2026-11-30 23:59"') from None
    there = [person.student for person in people(course, name)]
    if student and there and student not in there:
        raise SystemExit(f"due: {student} is nobody of the class; expected one of {', '.join(there)}")
    everything = dues(course)
    everything.setdefault(name, {})[student] = moment
    told = {key: {who: str(until) for who, until in dates.items()} for key, dates in everything.items()}
    (course.folder / "due.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
    if not student:
        with course.gradebook() as book:  # Formgrader shows it
            book.update_or_create_assignment(name, duedate=moment.astimezone().isoformat())
    return f"due: {name} until {moment:%Y-%m-%d %H:%M}" + (f" for {student}" if student else "")


def still_open(course: Course, name: str, now: datetime) -> str:
    """Say why a set may still be handed in; empty where the time is up for everybody."""
    dates = dues(course).get(name, {})
    if "" not in dates:
        return f'nobody said until when {name} is handed in (due {name} "2026-11-30 23:59" does)'
    last = max(dates.values())
    return f"{name} may be handed in until {last:%Y-%m-%d %H:%M}" if now < last else ""


def days_late(course: Course, person: Person, name: str) -> int:
    """Count the days after the time was up, a day begun as a whole one; 0 where no time is known."""
    dates = dues(course).get(name, {})
    due = dates.get(person.student) or dates.get("")
    sent = when(course, person.student, name) if person.handed_in else None
    if due and sent:
        return max(0, math.ceil((sent - due) / timedelta(days=1)))
    told = submissions(course, name).get(person.student)
    return int(bool(told and told.late and person.handed_in) and person.student not in dates)
