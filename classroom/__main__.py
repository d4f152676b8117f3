"""A teacher's commands, from the release of a problem set to the grades on the learning platform.

    python -m classroom release measures               what the students get
    python -m classroom collect measures DOWNLOADS     from a folder or a zip of a learning platform
    python -m classroom rehearse measures DOWNLOADS    make up such a zip, to practise on
    python -m classroom grade measures                 in a sandbox, two at a time; run it again to go on
    python -m classroom feedback measures              a page for each student
    python -m classroom export measures --platform canvas
    python -m classroom statistics measures            what each question earned, and what was missed
    python -m classroom check my/measures.ipynb        for students: what would not run there

`--class FOLDER` keeps a class in a folder of its own; otherwise it lies in `assignments/`. Either way it is
arranged as nbgrader arranges a course.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from classroom import commands
from classroom.check import check
from classroom.course import ASSIGNMENTS, Course
from classroom.downloads import collect, rehearse
from classroom.sandbox import working_sandbox
from classroom.submission import ROOT, Limits

UNPROTECTED = """grade: no sandbox works here: a submission could read the hidden tests and change your files.
Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap), or grade in a container; or, for notebooks
that you trust as your own, add --unprotected."""


def main(arguments: list[str] | None = None) -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--class", dest="folder", type=Path, default=ASSIGNMENTS, help="folder of the class")
    parser.add_argument(
        "--sources", type=Path, default=ASSIGNMENTS / "source", help="folder of the problem sets"
    )
    parsers = parser.add_subparsers(dest="command", required=True)
    handing_in = parsers.add_parser("check", help="for students: run a notebook as it will be graded")
    handing_in.add_argument("notebook", type=Path)
    common = {
        command: parsers.add_parser(command)
        for command in ("release", "collect", "rehearse", "grade", "feedback", "export", "statistics")
    }
    for added in common.values():
        added.add_argument("set", help="name of the problem set, such as measures")
    for command in ("collect", "rehearse"):
        common[command].add_argument("downloads", type=Path, help="a zip, or a folder")
    common["collect"].add_argument("--roster", type=Path, help="CSV with the columns platform and student")
    common["grade"].add_argument("--again", action="store_true", help="also what is graded")
    common["grade"].add_argument("--unprotected", action="store_true", help="without a sandbox")
    common["grade"].add_argument(
        "--cell-seconds", type=int, default=Limits.cell, help="at most, for one cell"
    )
    common["grade"].add_argument(
        "--seconds", type=int, default=Limits.whole, help="at most, for one submission"
    )
    common["export"].add_argument("--platform", choices=["moodle", "canvas", "plain"], default="plain")
    common["release"].add_argument("--salt", default="", help="a word that changes the numbers")
    common["export"].add_argument("--title", default="", help="the assignment's title on the platform")
    common["export"].add_argument("--to", type=Path, help="file to write")
    asked = parser.parse_args(arguments)
    if ROOT.is_relative_to(asked.folder.resolve()):
        parser.error(f"--class {asked.folder} holds the course itself: expected a folder for the class alone")
    if asked.command == "check":
        print(check(asked.notebook, Limits()))
        return
    course = Course(asked.folder, asked.sources)
    if asked.command == "release":
        print(commands.release(course, asked.set, asked.salt))
        return
    released = sorted(path.stem for path in course.folder.glob("release/*/*.ipynb"))
    if asked.set not in released:
        there = ", ".join(released) or "nothing yet"
        raise SystemExit(
            f"{asked.command}: {asked.set} is not released in {course.folder}; released: {there}"
        )
    if asked.command == "collect":
        print(collect(course, asked.set, asked.downloads, asked.roster))
    elif asked.command == "rehearse":
        print(rehearse(course, asked.set, asked.downloads))
    elif asked.command == "grade":
        sandbox = "none" if asked.unprotected else working_sandbox()
        if sandbox == "none" and not asked.unprotected:
            raise SystemExit(UNPROTECTED)
        print(f"grade: sandbox: {sandbox}")
        limits = Limits(asked.cell_seconds, asked.seconds)
        print(commands.grade(course, asked.set, limits, sandbox, asked.again))
    elif asked.command == "export":
        print(commands.export(course, asked.set, asked.platform, asked.to, asked.title))
    else:
        print(getattr(commands, asked.command)(course, asked.set))


if __name__ == "__main__":
    main()
