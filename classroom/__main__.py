"""A teacher's commands, from the release of a problem set to the grades on the learning platform.

    python -m classroom student-edition COURSE.zip     the course without solutions, for the students
    python -m classroom release measures               what the students get
    python -m classroom due measures "2026-11-30 23:59"
    python -m classroom collect measures DOWNLOADS     from a folder or a zip of a learning platform
    python -m classroom rehearse measures DOWNLOADS    make up such a zip, to practise on
    python -m classroom grade measures                 in a sandbox, two at a time; run it again to go on
    python -m classroom similar measures               whose answers are alike, and like the public solution
    python -m classroom statistics measures            what each question earned, and what was missed
    python -m classroom feedback measures              a page for each student, and a zip for the platform
    python -m classroom export measures --platform canvas --title "Problem set 3 (4711)"
    python -m classroom check my/measures.ipynb        for students: what would not run there

`--class FOLDER` keeps a class in a folder of its own; otherwise it lies in `assignments/`. Either way it is
arranged as nbgrader arranges a course.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from classroom import commands, returns, roster
from classroom.check import check
from classroom.course import ASSIGNMENTS, Course
from classroom.downloads import collect, rehearse
from classroom.platforms import TABLES
from classroom.sandbox import working_sandbox
from classroom.similarity import similar
from classroom.submission import ROOT, Limits

UNPROTECTED = """grade: no sandbox works here: a submission could read the hidden tests and change your files.
Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap), or grade in a container; or, for notebooks
that you trust as your own, add --unprotected."""


def parsers() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser("python -m classroom", description=(__doc__ or "").partition("\n")[0])
    shared = argparse.ArgumentParser(add_help=False)
    for place, default in (
        (parser, ASSIGNMENTS),
        (shared, argparse.SUPPRESS),
    ):  # before a command or after it
        place.add_argument("--class", dest="folder", type=Path, default=default, help="folder of the class")
    for place, default in ((parser, ASSIGNMENTS / "source"), (shared, argparse.SUPPRESS)):
        place.add_argument("--sources", type=Path, default=default, help="folder of the problem sets")
    known = parser.add_subparsers(dest="command", required=True)
    known.add_parser("check", help="for students: run a notebook as it will be graded").add_argument(
        "notebook", type=Path
    )
    known.add_parser("student-edition", help="the course without solutions").add_argument(
        "target", type=Path, help="a zip, or a new folder"
    )
    of_sets = (
        "release",
        "due",
        "collect",
        "rehearse",
        "grade",
        "similar",
        "statistics",
        "feedback",
        "export",
    )
    of = {command: known.add_parser(command, parents=[shared]) for command in of_sets}
    for added in of.values():
        added.add_argument("set", help="name of the problem set, such as measures")
    of["release"].add_argument("--salt", default="", help="a word that changes the numbers")
    of["due"].add_argument("date", help='until when it is handed in, as "2026-11-30 23:59"')
    of["due"].add_argument("--student", default="", help="for this student alone")
    for command in ("collect", "rehearse"):
        of[command].add_argument("downloads", type=Path, help="a zip, or a folder")
    of["collect"].add_argument("--roster", type=Path, help="the platform's table of students (CSV)")
    of["grade"].add_argument("--again", action="store_true", help="also what is graded")
    of["grade"].add_argument("--only", default="", metavar="STUDENT", help="one student, anew")
    of["grade"].add_argument("--unprotected", action="store_true", help="without a sandbox")
    of["grade"].add_argument(
        "--cell-seconds", type=at_least(1), default=Limits.cell, help="at most, for one cell"
    )
    of["grade"].add_argument(
        "--seconds", type=at_least(1), default=Limits.whole, help="at most, for one submission"
    )
    of["feedback"].add_argument("--closed", action="store_true", help="nobody can hand in any more")
    of["export"].add_argument("--platform", choices=[*TABLES, "plain"], default="plain")
    of["export"].add_argument("--title", default="", help="the assignment's title on the platform")
    of["export"].add_argument("--to", type=Path, help="file to write")
    of["export"].add_argument("--zero", action="store_true", help="0 points for who sent nothing")
    of["export"].add_argument(
        "--late-days", type=at_least(0), default=0, help="free for each student, all sets together"
    )
    of["export"].add_argument(
        "--off", type=percent, default=0, help="percent for each late day that is not free"
    )
    return parser


def at_least(least: int) -> Callable[[str], int]:
    """Make what reads a whole number that is not too small."""

    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is no whole number from {least} on")
        return int(text)

    return whole


def percent(text: str) -> float:
    """Read a number from 0 to 100."""
    with suppress(ValueError):
        if 0 <= float(text) <= 100:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text} is no number from 0 to 100")


def main(arguments: list[str] | None = None) -> None:
    """Run one command."""
    parser = parsers()
    asked = parser.parse_args(arguments)
    if ROOT.is_relative_to(asked.folder.resolve()):
        parser.error(f"--class {asked.folder} holds the course itself: expected a folder for the class alone")
    try:
        print(done(Course(asked.folder, asked.sources), asked))
    except OSError as fault:
        if not fault.filename:
            raise
        raise SystemExit(f"{asked.command}: {fault.filename}: {fault.strerror}") from None


def done(course: Course, asked: argparse.Namespace) -> str:
    """Run the command that is asked for; return what it tells."""
    match asked.command:
        case "check":
            return check(asked.notebook, Limits())
        case "student-edition":
            from tools.site.class_edition import student_edition  # students have the other commands only

            return student_edition(asked.target)
        case "release":
            return commands.release(course, asked.set, asked.salt)
    return of_released(course, asked)


def of_released(course: Course, asked: argparse.Namespace) -> str:
    """Run a command that needs a set that is released."""
    released = sorted(path.stem for path in course.folder.glob("release/*/*.ipynb"))
    if asked.set not in released:
        there = ", ".join(released) or "nothing yet"
        raise SystemExit(
            f"{asked.command}: {asked.set} is not released in {course.folder}; released: {there}"
        )
    match asked.command:
        case "due":
            return roster.set_due(course, asked.set, asked.date, asked.student)
        case "collect":
            return collect(course, asked.set, asked.downloads, asked.roster)
        case "rehearse":
            return rehearse(course, asked.set, asked.downloads)
        case "similar":
            return similar(course, asked.set)
        case "statistics":
            return commands.statistics(course, asked.set)
        case "feedback":
            return returns.feedback(course, asked.set, asked.closed)
        case "export":
            return returns.export(
                course,
                asked.set,
                asked.platform,
                asked.to,
                asked.title,
                asked.zero,
                asked.late_days,
                asked.off,
            )
    sandbox = "none" if asked.unprotected else working_sandbox()
    if sandbox == "none" and not asked.unprotected:
        raise SystemExit(UNPROTECTED)
    print(f"grade: sandbox: {sandbox}")
    limits = Limits(asked.cell_seconds, asked.seconds)
    return commands.grade(course, asked.set, limits, sandbox, asked.again, asked.only)


if __name__ == "__main__":
    main()
