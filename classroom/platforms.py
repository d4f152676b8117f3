"""What learning platforms write and read: names of downloaded files, tables of students and of grades.

The columns are those that the importers ask for: Moodle's `assignfeedback_offline` (the assignment's grading
worksheet), Canvas's `gradebook_importer.rb`, Blackboard's "Work with grade data offline". How that one names
files stands in the help of nbgrader's `FileNameCollectorPlugin`, and in many scripts of its users.
"""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from os.path import commonprefix
from pathlib import Path, PurePosixPath
from unicodedata import normalize

Row = dict[str, str]

# How platforms begin the name of a file or folder. A student chooses what follows: it is read from the left.
FOLDERS = {
    "moodle": re.compile(
        r"(?P<name>((?!_\d+_assignsubmission_).)+)_(?P<number>\d+)_assignsubmission_(file|onlinetext)_?"
    ),
    "brightspace": re.compile(
        r"(?P<number>\d+)-\d+ - (?P<name>.+?) - (?P<sent>\w{3} \d{1,2}, \d{4} \d{3,4} [AP]M)"
    ),
}
UPLOADED = r"((?P<order>\d{1,18})_|(?=(text|link)\.html$))"  # Canvas: a file, or what was typed in
FILES = {
    "moodle": re.compile(FOLDERS["moodle"].pattern + r"(?!(.*_)?\d+_assignsubmission_)"),  # whose is it?
    "canvas without names": re.compile(
        rf"((?P<late>LATE_anon_|anon_LATE_)|anon_)(?P<number>[^_]+)_{UPLOADED}"
    ),
    "canvas": re.compile(
        rf"((?!LATE_)[^_]+_)??(?P<name>(?!LATE_)[^_]+)(?P<late>_LATE)?_(?P<number>\d+)_{UPLOADED}"
        r"(?!attempt_\d{4}-)"  # Blackboard's, where a title ends in a number
    ),
    "blackboard": re.compile(r"(?P<before>.+?_(?P<number>[^_]+))_attempt_(?P<sent>\d{4}(-\d\d){5})_?"),
}
DATES = ("%Y-%m-%d-%H-%M-%S", "%b %d, %Y %I%M %p", "%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p")

HEADINGS = {  # what a column holds: the headings that platforms give it
    "number": ("platform", "Identifier", "ID", "canvas_user_id", "Username"),
    "student": ("student", "ID number", "SIS User ID", "user_id", "Student ID", "OrgDefinedId"),
    "name": ("name", "Full name", "Student", "Name"),
    "first": ("First name", "FirstName", "First Name"),
    "last": ("Last name", "Surname", "LastName", "Last Name"),
    "sent": ("Last modified (submission)",),
}
FORMULA = re.compile(  # at the beginning, and where a spreadsheet of another language begins a cell
    r"(^|[;\t\r\n])(?=\s*[=+@\uff0b\uff1d\uff20\uff0d]|\s*-(?![\d.]+$|$)|[\t\r\n])"
)
UNTOUCHED = "give the platform's own table, unopened, or save the spreadsheet as CSV UTF-8"
EXPECTED = (
    "platform and student; or a table as Moodle (grading worksheet, participants), Canvas (gradebook) or "
    "Blackboard (grade center) exports it"
)


@dataclass(frozen=True)
class Sent:
    """What the name of a downloaded file tells."""

    number: str  # who sent it: the platform's number or user name, or the name of a folder
    name: str = ""
    order: int = 0  # of several files of one student the one with the largest was sent last
    when: datetime | None = None
    late: bool = False
    platform: str = ""  # which platform names files so; empty where none does
    place: str = ""  # how the names of files begin that go back to the same student
    other: str = ""  # the file that was handed in where it is no notebook


@dataclass
class Person:
    """A student of the class."""

    student: str  # the student's folder, whether there is one or not
    name: str = ""
    number: str = ""
    row: Row = field(default_factory=dict)  # the row in the platform's own table
    handed_in: bool = False
    other: str = ""  # what was handed in in place of a notebook; empty where nothing was
    platform: str = ""  # where the number comes from
    points: str = ""  # as they are written for the platform

    @property
    def missing(self) -> str:
        """Why there is no notebook."""
        return f"sent {self.other}, no notebook" if self.other else "sent nothing"

    def __str__(self) -> str:
        return self.student + (f" ({self.name})" if self.name else "")


def platform_of(paths: Collection[PurePosixPath]) -> str:
    """Say which platform named the files of a download; empty where they lie in plain folders."""
    if not paths:
        return ""
    names = dict.fromkeys([*FILES, *FOLDERS])
    found = {name: [m.groupdict() for path in paths if (m := beginning(path, name)[0])] for name in names}
    read = {name: [one.get("before", one["number"]) for one in found[name]] for name in names}
    likely = max(names, key=lambda name: (len(read[name]), len({*read[name]})))
    return likely if 2 * len(read[likely]) > len(paths) else ""


def users(paths: Collection[PurePosixPath]) -> set[str]:
    """Say which users Blackboard named, underscores and all: behind the title that its files share."""
    names = [path.name for path in paths]
    title = "".join(commonprefix(names).rpartition("_")[:2])  # noqa: RUF071, signs are meant
    found = [match["before"] for match in map(FILES["blackboard"].match, names) if match]
    return {before.removeprefix(title) for before in found if title and before.startswith(title)}


def beginning(path: PurePosixPath, platform: str) -> tuple[re.Match[str] | None, str]:
    """Read what a platform wrote at the left of a file's name, or as a folder's whole name, and its end."""
    for part in path.parts:
        pattern = (FILES if part == path.name else FOLDERS).get(platform)
        if pattern and pattern.search(part):  # what lies below it is the student's
            return (pattern.match(part), "") if part == path.name else (pattern.fullmatch(part), "/")
    return None, ""


def sender(
    path: PurePosixPath, set_name: str, platform: str = "", known: Collection[str] = (), above: int = 99
) -> Sent | None:
    """Read from a path who sent it; None where the platform would not name a file so.

    A user name with an underscore, and a student's folder among others, are told by those who are known;
    where nobody is, the student's folder is the first below those that all files of the download share.
    """
    if not platform:
        folders = [part for part in path.parts[:-1] if part != set_name]
        below = [part for part in path.parts[above:-1] if part != set_name] or folders[-1:]
        student = next((part for part in folders if part in known), below[0] if below else path.stem)
        upto = path.parts[: path.parts.index(student) + 1] if folders else (student,)
        return Sent(student, place="/".join(upto) + "/")
    match, rest = beginning(path, platform)
    if not match:
        return None
    found = match.groupdict()
    named = [user for user in known if found.get("before", "").endswith(f"_{user}")]
    return Sent(
        max(named, key=len, default=found["number"]), found.get("name") or "", int(found.get("order") or 0),
        date(found.get("sent") or ""), bool(found.get("late")), platform, match[0] + rest,
    )  # fmt: skip


def date(text: str) -> datetime | None:
    """Read a date as a platform writes it; None where there is none."""
    for form in DATES:
        with suppress(ValueError):
            return datetime.strptime(text.strip(), form)
    return None


def table(path: Path) -> list[Row]:
    """Read a table with a line of headings, as spreadsheets and platforms write it."""
    try:
        content = path.read_bytes()
        encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        text = normalize("NFC", content.decode(encoding))  # as the names of files are
    except OSError as fault:
        raise SystemExit(f"{path}: cannot be read ({fault.strerror})") from None
    except UnicodeError:
        raise SystemExit(f"{path}: is no CSV in UTF-8; {UNTOUCHED}") from None
    text = re.sub(r"\A((sep=.)?\n)*", "", io.StringIO(text, newline=None).read())  # as a spreadsheet begins
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    read = csv.DictReader(io.StringIO(text), delimiter=delimiter, restkey="", restval="", strict=True)
    try:
        headings, rows = [name.strip() for name in read.fieldnames or ()], [*read]
    except csv.Error as fault:
        raise SystemExit(f"{path}: is no CSV ({fault}); {UNTOUCHED}") from None
    if twice := [name for name in {*sum(HEADINGS.values(), ())} if headings.count(name) > 1]:
        raise SystemExit(f"{path}: has the heading {twice[0]} twice; {UNTOUCHED}")
    rows = [{key.strip(): item.strip() for key, item in row.items() if key} for row in rows]
    return [row for row in rows if any(row.values())]


def write_table(lines: Iterable[Sequence[str]], target: Path) -> None:
    """Write a table that a spreadsheet shows as it is: what would be a formula there begins as a text."""
    with target.open("w", encoding="utf-8", newline="") as file:
        shown = [[FORMULA.sub(r"\1'", cell) for cell in line] for line in lines]
        csv.writer(file).writerows(shown)


def reading(row: Mapping[str, str]) -> Row:
    """Say what a row of a platform's table tells of a student; empty where the row is no student's."""
    found = {what: next((row[key] for key in keys if row.get(key)), "") for what, keys in HEADINGS.items()}
    if "Identifier" in row:  # Moodle's "Participant 123"
        found["number"] = re.sub(r"^\D+(?=\d+$)", "", found["number"])
    found["name"] = found["name"] or " ".join(filter(None, (found["first"], found["last"])))
    if "OrgDefinedId" in row:  # Brightspace's; its downloads hold another number, and the name
        found["number"], found["student"] = "", found["student"].lstrip("#")
    nobody = found["name"].startswith(("Points Possible", "Student, Test"))  # Canvas's own rows
    return {} if nobody or not (found["number"] or found["name"]) else found


def of_table(headings: Collection[str]) -> str:
    """Say which platform exports a table with these headings; empty where any may."""
    if "platform" in headings:
        return ""
    return next((name for name, own in OWN.items() if own <= {*headings}), "")


def is_roster(headings: Iterable[str]) -> bool:
    """Tell whether a table names students in a way that a submission's name can be matched with."""
    known = set(headings)
    named = known & {*HEADINGS["name"]} or (known & {*HEADINGS["first"]} and known & {*HEADINGS["last"]})
    return {"platform", "student"} <= known or bool(named)


# what goes back


def graded(platform: str, people: Sequence[Person], possible: str, heading: str) -> list[list[str]]:
    """Write grades as a platform's importer asks for them.

    Moodle's worksheet wants a number, a grade and a date; it has no column for comments: an empty one would
    delete what a teacher wrote there. Canvas finds a student by the ID, Blackboard by the user name.
    """
    known = [key for key in ("ID number", "Email address") if any(one.row.get(key) for one in people)]
    changed, lines = datetime.now().strftime("%A, %d %B %Y, %I:%M %p"), []
    for person in [*people, Person("")]:  # the last for the headings alone
        row, number = defaultdict(str, person.row), person.number
        participant = f"Participant {number}" if number.isdigit() else ""
        if platform == "moodle":
            line = {"Identifier": participant, "Full name": person.name} | {key: row[key] for key in known}
            line |= {"Grade": person.points, "Maximum grade": possible, "Last modified (grade)": changed}
        elif platform == "canvas":
            line = {"Student": row["Student"] or person.name, "ID": number}
            line |= {key: row[key] for key in ("SIS User ID", "SIS Login ID", "Section")}
            line |= {heading: person.points}
        else:
            line = {key: row[key] for key in ("Last Name", "First Name")} | {"Username": number}
            line |= {heading: person.points}
        lines.append(line)
    top = [["    Points Possible", "", "", "", "", possible]] if platform == "canvas" else []
    return [[*lines[-1]], *top, *([*line.values()] for line in lines[:-1])]


TABLES = ("moodle", "canvas", "blackboard")
OWN = {  # the columns of the platform's own table that hold its number, and tell it from those below
    "moodle": {"Identifier"}, "brightspace": {"OrgDefinedId"}, "canvas": {"Student", "ID"},
    "blackboard": {"Username"},
}  # fmt: skip
OTHERS = ("SIS Login ID", "Section", "Integration ID", "Root Account", "Last Access", "Availability")
TITLED = {
    "canvas": 'the assignment\'s title, as its gradebook heads the column: --title "Problem set 3 (4711)"',
    "blackboard": "the column's heading with its number, as a download of the grade center has it: "
    '--title "Problem set 3 [Total Pts: 23 Score] |4711"',
}


def heading(platform: str, title: str, rows: Sequence[Row]) -> str:
    """Return the heading of the assignment's column: as the platform's own table has it, if it does."""
    if platform not in TITLED:
        return title
    own, of_students = rows and of_table(rows[0]) == platform, {*sum(HEADINGS.values(), ()), *OTHERS}
    there = [key for key in rows[0] if key not in of_students] if own else []
    whole = re.compile(rf"{re.escape(title)}($| \(\d+\)$| ?(\[.*\] ?)?\|\d+$)")
    fits = [key for key in there if title and whole.match(key)]
    fits = fits or [key for key in there if title and key.startswith(title)]
    full = fits[0] if len(fits) == 1 else title
    if not full or (platform == "blackboard" and not re.search(r"\|\d+$", full)):
        listed = f"; the table has {', '.join(there)}" if there else ""
        raise SystemExit(f"export: give {TITLED[platform]}{listed}")
    return full
