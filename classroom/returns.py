"""What goes back to students and platforms: pages of feedback, a zip of them, tables of grades."""

import html
import re
import signal
import zipfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from datetime import datetime
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import nbformat
from latex2mathml.converter import convert
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory

from classroom import platforms, roster
from classroom.course import Course, Record, read_record
from classroom.grading import scored, to_read
from classroom.platforms import Person, Sent

PAGE_SECONDS = 60
NOTHING_ELSE = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">"
)
SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
FORMULA = re.compile(r"(?<![\\$])(\$\$?)([^$`]+?)\1(?!\$)")
DISPLAY = {1: "inline", 2: "block"}
LATER = "The other cases are told when the time is up."
SCORE = re.compile(r"\(?Score: [\d.]+ / [\d.]+\)?")
MARK_SCHEME = re.compile(r"### BEGIN MARK SCHEME.*?(### END MARK SCHEME|\Z)", re.DOTALL)


# feedback


def feedback(course: Course, name: str, closed: bool = False, only: str = "", jobs: int = 2) -> str:
    """Write each graded student's page with nbgrader, and a zip of the pages for the platform.

    While the set may be handed in, a page has the cases that students may see, no points and no keys.
    """
    open_because = "" if closed else roster.still_open(course, name, datetime.now())
    graded = [
        one for one in roster.records(course, name)
        if one.points is not None and only in ("", one.student)
    ]  # fmt: skip
    if only and not graded:
        raise SystemExit(f"feedback: {only} has no grade in {name}; grade first")
    pages, counted = 0, count(1)
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        made = {pool.submit(write_page, course, name, one, bool(open_because)): one for one in graded}
        for job in as_completed(made):
            pages += not (fault := job.exception())
            said = f": no page: {type(fault).__name__}: {fault}" if fault else ""
            print(f"[{next(counted)}/{len(graded)}] {made[job].student}{said}", flush=True)
    told = f"feedback: {pages} pages in {course.folder / 'feedback'}; for the platform: {pack(course, name)}"
    kept_back = "the pages hold no hidden case, no key and no points; --closed adds them"
    return told + (f"\nfeedback: {open_because}: {kept_back}" if open_because else "")


def write_page(course: Course, name: str, record: Record, keep_back: bool) -> None:
    """Write a student's page, unless it takes too long to lay out."""
    page = course.place("feedback", record.student, name, "html")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.unlink(missing_ok=True)
    sheet = nbformat.read(course.place("autograded", record.student, name), as_version=4)
    shown = with_formulas(without_keys(sheet, record) if keep_back else sheet)
    about = {"db_url": course.database, "assignment": name, "notebook": name, "student": record.student}
    signal.signal(signal.SIGALRM, too_long)
    maker = GenerateFeedback(CourseDirectory(config=course.config), config=course.config)
    exporter: Any = HTMLExporter(config=maker.config)  # type: ignore[no-untyped-call]
    for kind in maker.preprocessors:
        exporter.register_preprocessor(kind)
    signal.alarm(PAGE_SECONDS)
    try:
        text, _ = exporter.from_notebook_node(shown, {"unique_key": name, "nbgrader": about})
    finally:
        signal.alarm(0)
    text = SCRIPT.sub("", with_headings(text, sheet))
    text = text.replace("<head>", f"<head>{NOTHING_ELSE}", 1)  # browsers run and load nothing of it
    page.write_text(SCORE.sub("", text) if keep_back else text, encoding="utf-8")


def with_formulas(sheet: NotebookNode) -> NotebookNode:
    """Draw the formulas in the teacher's cells: a page has no script that would."""
    for cell in sheet.cells:
        about = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown" and (about.get("locked") or about.get("task")):
            with suppress(Exception):  # a formula of a teacher's own that MathML has not stays TeX
                cell.source = FORMULA.sub(lambda one: convert(one[2], DISPLAY[len(one[1])]), cell.source)
    return sheet


def too_long(*_: object) -> None:
    """Stop a page that takes too long."""
    raise TimeoutError(f"took more than {PAGE_SECONDS} s")


def without_keys(sheet: NotebookNode, record: Record) -> NotebookNode:
    """Leave out of a graded notebook what is told when the time is up."""
    for cell in sheet.cells:
        about = cell.metadata.get("nbgrader", {})
        if about.get("task"):
            cell.source = MARK_SCHEME.sub("", cell.source)
        elif about.get("grade"):
            told = [one for one in record.verdicts.get(about["grade_id"], []) if one["shown"]]
            later = {"output_type": "stream", "name": "stdout", "text": f"{LATER}\n"}
            cell.outputs = [nbformat.from_dict(output) for output in [*scored(told, "")[1:], later]]
    return sheet


def with_headings(page: str, sheet: NotebookNode) -> str:
    """Name each question by its heading where nbgrader's list of points says "Test cell" or "Task"."""
    headings, heading = {}, ""
    for cell in sheet.cells:
        if name := cell.metadata.get("nbgrader", {}).get("grade_id"):  # a student's own heading is none
            found = cell.cell_type == "markdown" and re.search(
                r"^##? (.+?)(?: \(\d+ points?\))?$", cell.source, re.M
            )
            headings[name] = heading = found[1] if found else heading
    return re.sub(
        r'(<a href="#([^"]+)">)([\w -]+)(?=</a>)',
        lambda link: link[1] + html.escape(headings.get(link[2]) or link[3]),
        page,
    )


def pack(course: Course, name: str) -> Path:
    """Zip the pages under the names that the platform gave."""
    target = course.folder / f"feedback-{name}.zip"
    sent = roster.submissions(course, name)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for person in roster.people(course, name):
            page = course.place("feedback", person.student, name, "html")
            record = read_record(course, person.student, name)
            if record and record.points is not None and page.exists():
                place = sent.get(person.student, Sent("")).place
                if "Identifier" in person.row and person.number:  # also where plain folders were sent
                    place = place or f"{person.name}_{person.number}_assignsubmission_file_/"
                archive.write(page, f"{place or person.student + '/'}{name}.html")
    return target


# grades


def export(
    course: Course, name: str, platform: str, target: Path | None = None, title: str = "",
    zero: bool = False, off: float = 0,
) -> str:  # fmt: skip
    """Write the points as the learning platform imports them; who was refused gets an empty field.

    Who sent nothing gets an empty field, too, or a zero. A late day costs `off` percent of the set's points.
    The remarks of the report are for the teacher: the tables for platforms, which students see, hold none.
    """
    people = sorted(roster.people(course, name), key=lambda person: person.student)
    unknown = unknown_to(platform, people) if platform in platforms.TABLES else []
    heading = platforms.heading(platform, title, [person.row for person in people if person.row])
    plain = [["student", "name", "points", "possible", "days late", "remarks"]]
    with course.gradebook() as book:
        possible = book.find_assignment(name).max_score
        for person in people:
            record = read_record(course, person.student, name) if person.handed_in else None
            remarks = record.remarks[:] if record else ["not graded" if person.handed_in else person.missing]
            person.points = "0" if zero and not person.handed_in and not person.other else ""
            days = roster.days_late(course, person, name)
            if record and record.points is not None:
                earned = book.find_submission(name, person.student).score
                person.points = f"{max(0.0, earned - days * off / 100 * possible):g}"
                remarks += to_read(book, person.student, name)
            person.name = person.name or person.student
            about = [person.student, person.name, person.points, f"{possible:g}", str(days)]
            plain.append([*about, "; ".join(remarks)])
    known = [person for person in people if person.student not in unknown]
    ours = platform not in platforms.TABLES
    lines = plain if ours else platforms.graded(platform, known, f"{possible:g}", heading)
    target = target or course.folder / f"grades-{name}-{platform}.csv"
    platforms.write_table(lines, target)
    told = [f"export: {student} has no number of {platform}: left out" for student in unknown]
    column = f", in the column {heading!r}" if platform in platforms.TITLED else ""
    return "\n".join([*told, f"export: {len(known)} students in {target}{column}"])


def unknown_to(platform: str, people: list[Person]) -> list[str]:
    """List who has no number of the platform; refuse where it has somebody else by that number."""
    strange = [person for person in people if person.platform not in (platform, roster.ANY)]
    others = [person for person in strange if person.platform != roster.FOLDERS]
    if others or (strange and len(strange) == len(people)):
        of = (others or strange)[0]
        raise SystemExit(
            f"export: the numbers of the students ({of.number}) come from {of.platform}, not from "
            f"{platform}, which has others by them: collect again with --roster, the table of {platform}"
        )
    listed = any(person.row for person in people)  # a group, say, has a number among groups
    return [person.student for person in people if person in strange or (listed and not person.row)]
