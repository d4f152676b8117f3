"""The commands of a teacher; each returns the line that tells what it did."""

import shutil
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count

import nbformat
import pandas as pd
from nbformat import NotebookNode
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from classroom import grading, roster
from classroom.cases import Question, questions
from classroom.course import ASSIGNMENTS, Course, Record, read_record
from classroom.sandbox import own_folder
from classroom.submission import Limits

SETTINGS = ASSIGNMENTS / "nbgrader_config.py"


def release(course: Course, name: str, word: str = "") -> str:
    """Make the notebook for the students with nbgrader; a word changes the numbers of the whole class."""
    if not (course.sources / name / f"{name}.ipynb").exists():
        known = ", ".join(sorted(path.stem for path in course.sources.glob("*/*.ipynb")))
        raise SystemExit(f"release: there is no set {name} in {course.sources}; there are {known}")
    course.folder.mkdir(parents=True, exist_ok=True)
    if word and word != course.word and any(course.folder.glob("release/*/*.ipynb")):
        raise SystemExit(
            f"release: {course.folder} has sheets already whose numbers follow from another word, or from "
            "none; give --salt with the first set of a class, or begin a class in a new folder"
        )
    if word:
        (course.folder / "word").write_text(word, encoding="utf-8")
    shutil.copyfile(SETTINGS, course.folder / SETTINGS.name)
    own, hidden = course.folder / "source" / name, shutil.ignore_patterns("checks.py", "__pycache__")
    shutil.copytree(course.sources / name, own, ignore=hidden, dirs_exist_ok=True)
    sheet = nbformat.read(own / f"{name}.ipynb", as_version=4)
    for cell in sheet.cells:
        cell.source = cell.source.replace('CLASS = ""', f"CLASS = {course.sign!r}".replace("'", '"'))
    asked = questions(course.checks(name)).values() if course.checks(name).exists() else []
    without = {one.name: [*one.without] for one in asked if isinstance(one, Question) and one.without}
    sheet.metadata["withheld"] = without  # `check` takes that away, too
    nbformat.write(sheet, own / f"{name}.ipynb")
    if not nbgrader(course).generate_assignment(name)["success"]:
        raise SystemExit(f"release: nbgrader could not make {name}")
    return f"release: {course.folder / 'release' / name / f'{name}.ipynb'}"


def nbgrader(course: Course) -> NbGraderAPI:
    """Nbgrader's own commands, for this class."""
    return NbGraderAPI(CourseDirectory(config=course.config), config=course.config)


# grade


def grade(
    course: Course, name: str, limits: Limits, sandbox: str, again: bool = False, only: str = "",
    jobs: int = 2,
) -> str:  # fmt: skip
    """Grade what is new or changed, or one student anew; a submission that is graded keeps its grade."""
    started, counted = time.monotonic(), count(1)
    course.folder.chmod(0o700)  # the gradebook holds the hidden tests and the grades
    check_checks(course, name)
    with (
        course.gradebook() as book, own_folder() as stubs,
        grading.Runs(limits, sandbox) as run, ThreadPoolExecutor(jobs) as pool,
    ):  # fmt: skip
        sets = {known.name: grading.cells_of_set(book, known.name) for known in book.assignments
                if known.notebooks}  # fmt: skip
        if name not in sets:
            raise SystemExit(f"grade: release {name} first, so that the gradebook holds its tests")
        everyone = roster.students(course, name)
        for told in roster.left_out(course, name):
            print(f"grade: {told}")
        before = points_of(course, name)
        if only and only not in everyone:
            there = ", ".join(everyone) or "nobody"
            raise SystemExit(f"grade: {only} handed in no {name}; who did: {there}")
        everyone = [only] if only else everyone
        waiting: dict[Future[NotebookNode], Record] = {}
        for student in everyone:
            old = read_record(course, student, name)
            record = Record(student, grading.digest(course, student, name, sets[name]))
            record.letters = old.letters if old else {}
            if old and old.digest == record.digest and not (again or only):
                next(counted)
            else:
                task = grading.task_of(course, sets, student, name, str(stubs))
                waiting[pool.submit(grading.run_and_judge, record, task, run)] = record
        try:
            while waiting:
                for job in wait(waiting, return_when=FIRST_COMPLETED).done:
                    told = grading.settle(course, book, waiting.pop(job), name, job)
                    print(f"[{next(counted)}/{len(everyone)}] {told}", flush=True)
                    del job  # with the notebook that it holds
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise SystemExit("grade: interrupted; run the same command again to go on") from None
    after = points_of(course, name)
    for student, was in before.items():
        if after.get(student) != was:
            print(f"grade: changed: {student}: {after.get(student, 'none')}, was {was}")
    return summary(course, name, time.monotonic() - started)


def check_checks(course: Course, name: str) -> None:
    """Load a set's checks once before anybody is judged by them."""
    try:
        questions(course.checks(name))
    except Exception as fault:
        where = f"{course.checks(name)}: {type(fault).__name__}: {fault}"
        raise SystemExit(f"grade: the checks cannot be loaded, nobody is graded: {where}") from None


def points_of(course: Course, name: str) -> dict[str, str]:
    """Read the points of everybody who has some, marks by hand included."""
    with course.gradebook() as book:
        return {one.student.id: f"{one.score:g}" for one in book.assignment_submissions(name)}


def summary(course: Course, name: str, seconds: float) -> str:
    """Write one line a submission into a report, and count."""
    all_records = roster.records(course, name)
    names = Counter(record.signed for record in all_records if record.signed)
    class_list = roster.people(course, name)
    named = {person.student: person for person in class_list}
    lines = []
    with course.gradebook() as book:
        for record in all_records:
            same = names[record.signed] if record.signed else 0
            shared = f"; {same} notebooks are signed so" if same > 1 else ""
            waiting = "".join(f"; {line}" for line in grading.to_read(book, record.student, name))
            if record.points is not None:
                record.points = book.find_submission(name, record.student).score  # with marks by hand
            who = named.get(record.student, record.student)
            lines.append(f"{who}: {record}{shared}{waiting}")
    for person in class_list:
        if not person.row and any(one.row for one in class_list):
            lines.append(f"{person}: not in the students' table")
        if not person.handed_in:
            lines.append(f"{person}: {person.missing}")
        if days := roster.days_late(course, person, name):
            lines.append(f"{person}: {days} day{'s' * (days > 1)} late")
    lines += roster.left_out(course, name)
    report = course.folder / f"report-{name}.txt"
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    results = [record.result for record in all_records]
    results += ["sent no notebook" if p.other else "sent nothing" for p in class_list if not p.handed_in]
    counts = ", ".join(f"{number} {what}" for what, number in Counter(results).items())
    return f"grade: {counts or 'nobody handed in'}, in {seconds:.0f} s; one line a submission in {report}"


# statistics


def statistics(course: Course, name: str) -> str:
    """Tell for each case of each question what share of the students earned it."""
    graded = [record for record in roster.records(course, name) if record.points is not None]
    earned = pd.DataFrame([
        (test.removeprefix("test-"), verdict["idea"], verdict["earned"] / verdict["possible"])
        for record in graded for test, verdicts in record.verdicts.items() for verdict in verdicts
    ], columns=["question", "case", "earned"])  # fmt: skip
    table = earned.groupby(["question", "case"], sort=False).mean().map("{:.0%}".format)
    return f"{table.reset_index().to_string(index=False)}\nstatistics: {len(graded)} submissions"
