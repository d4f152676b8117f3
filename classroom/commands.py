"""The commands of a teacher; each returns the line that tells what it did."""

from __future__ import annotations

import csv
import shutil
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from itertools import count
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import determine_grade

from classroom import grading
from classroom.course import ASSIGNMENTS, Course, Record, read_record
from classroom.grading import Refused
from classroom.submission import Limits, is_test

SETTINGS = ASSIGNMENTS / "nbgrader_config.py"


def release(course: Course, name: str) -> str:
    """Make the notebook for the students with nbgrader."""
    course.folder.mkdir(parents=True, exist_ok=True)
    settings = course.folder / SETTINGS.name
    if not settings.exists():
        shutil.copyfile(SETTINGS, settings)
    with course.gradebook():  # nbgrader finds one, and needs no `alembic`
        pass
    if not nbgrader(course).generate_assignment(name)["success"]:
        raise SystemExit(
            f"release: nbgrader could not make {name}; is there a folder {course.sources / name}?"
        )
    return f"release: {course.folder / 'release' / name / f'{name}.ipynb'}"


def nbgrader(course: Course) -> NbGraderAPI:
    """Nbgrader's own commands, for this class."""
    return NbGraderAPI(CourseDirectory(config=course.config), config=course.config)


# grade


def students(course: Course, name: str) -> list[str]:
    """Everybody who handed the set in."""
    return sorted(path.parents[1].name for path in course.folder.glob(f"submitted/*/{name}/{name}.ipynb"))


def grade(course: Course, name: str, limits: Limits, sandbox: str, again: bool = False, jobs: int = 2) -> str:
    """Grade what is new or changed; a submission that is graded keeps its grade."""
    started = time.monotonic()
    protect(course)
    run = partial(grading.executed, course, limits, sandbox)
    with course.gradebook() as book, ThreadPoolExecutor(jobs) as pool:
        if name not in {known.name for known in book.assignments if known.notebooks}:
            raise SystemExit(f"grade: release {name} first, so that the gradebook holds its tests")
        cells = grading.cells_of_set(book, name)
        waiting, everyone = {}, students(course, name)
        numbers = count(1)

        def settle(record: Record, work: Callable[[], NotebookNode | None]) -> None:
            """Save what came of a submission and tell it; no fault of one stops the others."""
            try:
                grading.saved(course, book, record, name, work())
            except Refused as reason:
                record.remarks.append(str(reason))
                grading.saved(course, book, record, name, None)
            except Exception as fault:
                grading.postponed(course, record, name, f"{type(fault).__name__}: {fault}")
            took = f" ({record.seconds:.0f} s)" if record.seconds else ""
            print(f"[{next(numbers)}/{len(everyone)}] {record.student}: {record}{took}", flush=True)

        for student in everyone:
            record = Record(student, grading.digest(course, student, name, cells))
            old = read_record(course, student, name)
            if old and old.digest == record.digest and not again:
                next(numbers)
                continue
            try:
                notebook = grading.prepared(course, book, student, name)
            except Exception as fault:
                settle(record, partial(throw, fault))
            else:
                job = pool.submit(grading.grade, notebook, record, run)
                waiting[job] = record
        try:
            for job in as_completed(waiting):
                settle(waiting[job], job.result)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise SystemExit("grade: interrupted; run the same command again to go on") from None
    return summary(course, name, time.monotonic() - started)


def throw(fault: Exception) -> None:
    """Raise what was caught before."""
    raise fault


def protect(course: Course) -> None:
    """Close the class to other users of the machine: the gradebook holds the hidden tests and the grades."""
    for path in (course.folder / "gradebook.db", course.folder / "submitted", course.folder / "autograded"):
        if path.exists():
            path.chmod(0o700 if path.is_dir() else 0o600)


def records(course: Course, name: str) -> list[Record]:
    """Read what became of every submission."""
    found = [read_record(course, student, name) for student in students(course, name)]
    return [record for record in found if record]


def summary(course: Course, name: str, seconds: float) -> str:
    """Write one line a submission into a report, and count."""
    all_records = records(course, name)
    names = Counter(record.signed for record in all_records if record.signed)
    lines = []
    for record in all_records:
        same = names[record.signed] if record.signed else 0
        shared = f"; {same} notebooks are signed so" if same > 1 else ""
        lines.append(f"{record.student}: {record}{shared}")
    report = course.folder / f"report-{name}.txt"
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    counts = ", ".join(
        f"{number} {what}" for what, number in Counter(record.result for record in all_records).items()
    )
    return f"grade: {counts}, in {seconds:.0f} s; one line a submission in {report}"


# feedback, export, statistics


def feedback(course: Course, name: str) -> str:
    """Write each graded student's page with nbgrader."""
    api, graded = (
        nbgrader(course),
        [record.student for record in records(course, name) if record.points is not None],
    )
    for number, student in enumerate(graded, start=1):
        if not api.generate_feedback(name, student)["success"]:
            raise SystemExit(f"feedback: nbgrader could not write the page of {student}")
        print(f"[{number}/{len(graded)}] {student}", flush=True)
    return f"feedback: {len(graded)} pages in {course.folder / 'feedback'}"


def export(course: Course, name: str, platform: str, target: Path | None) -> str:
    """Write the points as the learning platform imports them; who was refused gets an empty field."""
    known = {record.student: record for record in records(course, name)}
    lines: list[tuple[str, ...]] = []
    with course.gradebook() as book:
        possible = book.find_assignment(name).max_score
        for student in sorted((s for s in book.students if s.id in known), key=lambda s: s.id):
            record, full_name = known[student.id], student.last_name or student.id
            points = "" if record.points is None else f"{book.find_submission(name, student.id).score:g}"
            number, remarks = student.lms_user_id or student.id, "; ".join(record.remarks)
            lines.append({
                "moodle": (f"Participant {number}", full_name, points, f"{possible:g}", remarks),
                "canvas": (full_name, number, student.id, "", "", points),
                "plain": (student.id, full_name, points, f"{possible:g}", remarks),
            }[platform])  # fmt: skip
    headings: dict[str, list[tuple[str, ...]]] = {
        "moodle": [("Identifier", "Full name", "Grade", "Maximum grade", "Feedback comments")],
        "canvas": [
            ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", name),
            ("Points Possible", "", "", "", "", f"{possible:g}"),
        ],
        "plain": [("student", "name", "points", "possible", "remarks")],
    }
    target = target or course.folder / f"grades-{name}-{platform}.csv"
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*headings[platform], *lines])
    return f"export: {len(lines)} students in {target}"


def statistics(course: Course, name: str) -> str:
    """Tell for each question what it earned, and which message most of those saw who missed it."""
    points: dict[str, list[float]] = {}
    messages: dict[str, Counter[str]] = {}
    graded = [record for record in records(course, name) if record.points is not None]
    for record in graded:
        for cell in nbformat.read(course.graded(record.student, name), as_version=4).cells:
            if is_test(cell):
                test = cell.metadata.nbgrader.grade_id
                points.setdefault(test, []).append(determine_grade(cell)[0] / cell.metadata.nbgrader.points)
                said = [
                    output.evalue or output.ename for output in cell.outputs if output.output_type == "error"
                ]
                messages.setdefault(test, Counter()).update(said[-1:])
    lines = [f"{'question':24} {'points':>7} {'missed':>7}  most frequent message"]
    for test, shares in points.items():
        common = "".join(f"{text} ({number})" for text, number in messages[test].most_common(1))
        earned = sum(shares) / len(shares)
        missed = sum(share < 1 for share in shares)
        lines.append(f"{test.removeprefix('test-'):24} {earned:>7.0%} {missed:>7}  {common}")
    return "\n".join([*lines, f"statistics: {len(graded)} submissions"])
