"""A teacher's commands, from the release of a problem set to the grades on the learning platform.

    python -m classroom release measures               what the students get
    python -m classroom due measures "2026-11-30 23:59"
    python -m classroom collect measures DOWNLOADS     from a folder or a zip of a learning platform
    python -m classroom rehearse measures DOWNLOADS    make up such a zip and its table, to practise on
    python -m classroom afternoon measures DOWNLOADS   collect and all below, one after the other
    python -m classroom grade measures                 in a sandbox; run it again to go on
    python -m classroom similar measures               whose answers are alike, and like the public solution
    python -m classroom statistics measures            how many earned each case of each question
    python -m classroom feedback measures              a page for each student, and a zip for the platform
    python -m classroom export measures --platform canvas --title "Problem set 3 (4711)"
    python -m classroom check my/measures.ipynb        for students: what would not run there

`--class FOLDER`, before the command, names the folder of a class, which is arranged as nbgrader has it.
"""

import argparse
import math
import os
from collections.abc import Callable
from contextlib import suppress
from inspect import signature
from pathlib import Path
from typing import Any

from classroom import commands, platforms, returns, roster, seccomp
from classroom.check import check
from classroom.course import Course
from classroom.downloads import collect, rehearse
from classroom.sandbox import missing
from classroom.similarity import similar
from classroom.submission import ROOT, Limits

UNPROTECTED = """grade: no sandbox works here ({}): a submission could read the hidden tests and
change your files. Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap). If it is there, let users
make namespaces (sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0,
whichever your system has), or grade as root. For notebooks that you trust as your own, add --unprotected."""


def number(kind: Callable[[str], float], least: float, most: float, said: str) -> Callable[[str], float]:
    """Make what reads a number of a kind, neither smaller nor larger."""

    def read(text: str) -> float:
        with suppress(ValueError):
            if least <= kind(text) <= most:
                return kind(text)
        raise argparse.ArgumentTypeError(f"{text} is no {said}")

    return read


AT_LEAST_ONE = number(int, 1, math.inf, "whole number from 1 on")
PERCENT = number(float, 0, 100, "number from 0 to 100")


def grade(
    course: Course, name: str, unprotected: bool, cell_seconds: int, seconds: int, again: bool, only: str,
    jobs: int,
) -> str:  # fmt: skip
    """Grade in a sandbox, or, where that is asked for, without one."""
    if not unprotected and missing():
        raise SystemExit(UNPROTECTED.format(missing()))
    sandbox = "none" if unprotected else "bubblewrap"
    unfiltered = "" if unprotected or seccomp.program() else ", without a filter of calls"
    print(f"grade: sandbox: {sandbox}{unfiltered}")
    return commands.grade(course, name, Limits(cell_seconds, seconds), sandbox, again, only, jobs)


COMMANDS: dict[str, Callable[..., str]] = {
    "release": commands.release, "due": roster.set_due, "collect": collect, "rehearse": rehearse,
    "grade": grade, "similar": similar, "statistics": commands.statistics, "feedback": returns.feedback,
    "export": returns.export,
}  # fmt: skip
JOBS = {"type": AT_LEAST_ONE, "default": os.cpu_count() or 1, "help": "how many at a time"}
ARGUMENTS: dict[str, dict[str, dict[str, Any]]] = {  # what follows the set's name; `dest` is the parameter
    "release": {"--salt": {"dest": "word", "default": "", "help": "a word that changes the numbers"}},
    "due": {
        "date": {"help": 'until when it is handed in, as "2026-11-30 23:59"'},
        "--student": {"default": "", "help": "for this student alone"},
    },
    "collect": {
        "source": {"metavar": "downloads", "type": Path, "help": "a zip, or a folder"},
        "--roster": {"dest": "table", "type": Path, "help": "the platform's table of students (CSV)"},
    },
    "rehearse": {"target": {"metavar": "downloads", "type": Path, "help": "the zip that is made"}},
    "grade": {
        "--again": {"action": "store_true", "help": "also what is graded"},
        "--only": {"default": "", "metavar": "STUDENT", "help": "one student, anew"},
        "--unprotected": {"action": "store_true", "help": "without a sandbox"},
        "--jobs": JOBS,
        "--cell-seconds": {"type": AT_LEAST_ONE, "default": Limits.cell, "help": "at most, for one cell"},
        "--seconds": {"type": AT_LEAST_ONE, "default": Limits.whole, "help": "at most, for a submission"},
    },
    "similar": {},
    "statistics": {},
    "feedback": {
        "--closed": {"action": "store_true", "help": "nobody can hand in any more"},
        "--only": {"default": "", "metavar": "STUDENT", "help": "one student"},
        "--jobs": JOBS,
    },
    "export": {
        "--platform": {"choices": [*platforms.TABLES, "plain"], "default": "plain"},
        "--title": {"default": "", "help": "the assignment's title on the platform"},
        "--to": {"dest": "target", "type": Path, "help": "file to write"},
        "--zero": {"action": "store_true", "help": "0 points for who sent nothing"},
        "--off": {"type": PERCENT, "default": 0, "help": "percent of the points for each late day"},
    },
}
AFTERNOON = ("collect", "grade", "statistics", "similar", "feedback", "export")
ARGUMENTS["afternoon"] = {name: about for step in AFTERNOON for name, about in ARGUMENTS[step].items()}


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    made = argparse.ArgumentParser("python -m classroom", description=(__doc__ or "").partition("\n")[0])
    made.add_argument("--class", dest="folder", type=Path, help="folder of the class")
    made.add_argument("--sources", type=Path, default=Course.sources, help="folder of the problem sets")
    known = made.add_subparsers(dest="command", required=True)
    known.add_parser("check", help="for students: run a notebook as it will be graded").add_argument(
        "notebook", type=Path
    )
    for command, of_it in ARGUMENTS.items():
        added = known.add_parser(command)
        added.add_argument("set", help="name of the problem set, such as measures")
        for name, about in of_it.items():
            added.add_argument(name, **about)
    return made


def main(arguments: list[str] | None = None) -> None:
    """Run one command."""
    made = parser()
    asked = made.parse_args(arguments)
    if asked.command == "check":
        return print(check(asked.notebook, Limits()))
    if not asked.folder or ROOT.is_relative_to(asked.folder.resolve()):
        holds = f" {asked.folder} holds the course itself" if asked.folder else ""
        made.error(f"--class{holds}: expected a folder for the class alone")
    try:
        print(outcome(Course(asked.folder, asked.sources), asked))
    except OSError as fault:
        if not fault.filename:
            raise
        raise SystemExit(f"{asked.command}: {fault.filename}: {fault.strerror}") from None


def outcome(course: Course, asked: argparse.Namespace) -> str:
    """Run the command that is asked for; return what it tells."""
    released = sorted(path.stem for path in course.folder.glob("release/*/*.ipynb"))
    if asked.command != "release" and asked.set not in released:
        there = ", ".join(released) or "nothing yet"
        raise SystemExit(
            f"{asked.command}: {asked.set} is not released in {course.folder}; released: {there}"
        )
    if asked.command == "afternoon":
        for asked.command in AFTERNOON:
            if asked.command == "grade":  # a title that is missing is told before the long work
                rows = [person.row for person in roster.enrolled(course, asked.set)]
                platforms.heading(asked.platform, asked.title, rows)
            print(outcome(course, asked), flush=True)
        return "afternoon: mark what a person has to read, then run the same command again"
    run = COMMANDS[asked.command]
    return run(course, asked.set, **{key: vars(asked)[key] for key in [*signature(run).parameters][2:]})


if __name__ == "__main__":
    main()
