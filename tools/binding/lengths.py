#!/usr/bin/env python3
"""Say how long each lesson's main line is: what a reader reads who unfolds nothing.

    tools/binding/lengths.py          print it, a line for each
    tools/binding/lengths.py --write  write the minutes into lessons, sets, instructor notes, start page

Read is what lies open: words at 200 a minute, 4 seconds for a line of code, 45 for a table, 75 for a picture,
60 for a displayed formula; a table or picture counts whether text or code makes it. An exercise takes five
minutes. A problem set takes the time to read it (120 words a minute, a quarter of a minute for a code cell),
and for each question two minutes to look things up, two for each line of its authors' answer, and one for ten
words to be written; `tools/binding/trial_reader.csv` is the record of a reader that this follows. Its minutes
are rounded up to fives.
"""

import json
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.binding.pages import ROOT, Page, lessons, notebooks, read_lines

WORDS_A_MINUTE, MINUTES_AN_EXERCISE = 200, 5
SECONDS = {"lines": 4, "tables": 45, "pictures": 75, "formulas": 60}
SET_WORDS_A_MINUTE, SET_CELLS_A_MINUTE = 120, 4
MINUTES_TO_LOOK_UP, MINUTES_A_LINE, WRITTEN_A_MINUTE = 2, 2, 10
MARK_SCHEME = re.compile(r"### BEGIN MARK SCHEME.*### END MARK SCHEME", re.S)
SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.S)
TO_WRITE = re.compile(r"(\d+) to (\d+) words")
FOLDED_CODE = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
FOLDED_OUTPUT = {"hide-output", "hide-cell", "remove-output", "remove-cell"}
PICTURES = {"image/png", "image/svg+xml", "application/vnd.vegalite.v5+json"}
GATE = re.compile(r"\{solution-(start|end)\}")
RULE = re.compile(r"^\s*\|[-:| ]+\|\s*$", re.M)  # under the head of a table
PLAIN = [(re.compile(r"<!--.*?-->", re.S), " "), (re.compile(r"\]\([^)]*\)"), " "), (RULE, " ")]


@dataclass(frozen=True)
class Length:
    """What lies open in a lesson: words, lines of code, tables, pictures, formulas; and its exercises."""

    words: int
    lines: int
    tables: int
    pictures: int
    formulas: int
    exercises: int

    @property
    def minutes(self) -> int:
        """Minutes to read what lies open."""
        seconds: float = sum(getattr(self, what) * each for what, each in SECONDS.items())
        return math.ceil(self.words / WORDS_A_MINUTE + seconds / 60)

    @property
    def exercise_minutes(self) -> int:
        """Minutes for the exercises."""
        return self.exercises * MINUTES_AN_EXERCISE


def problem_sets(root: Path = ROOT) -> list[Path]:
    """Every problem set, as its authors solved it."""
    return sorted((root / "assignments/source").glob("*/*.ipynb"))


def set_minutes(notebook: dict[str, Any]) -> int:
    """Minutes for a problem set, as read from its file; students do not see the mark schemes."""
    texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    words = sum(len(plain(MARK_SCHEME.sub("", text)).split()) for text in texts)
    cells = sum(cell["cell_type"] == "code" for cell in notebook["cells"])
    work = sum(answer_minutes(notebook).values())
    return 5 * math.ceil((words / SET_WORDS_A_MINUTE + cells / SET_CELLS_A_MINUTE + work) / 5)


def answer_minutes(notebook: dict[str, Any]) -> dict[str, float]:
    """Minutes for the answer to each question, under the name of the cell that holds its points."""
    minutes: dict[str, float] = {}
    lines = 0
    for cell in notebook["cells"]:
        about, text = cell["metadata"].get("nbgrader", {}), "".join(cell["source"])
        lines += sum(bool(line.strip()) for part in SOLUTION.findall(text) for line in part.splitlines())
        if about.get("points"):
            asked = TO_WRITE.search(text) if about.get("task") else None
            written = (int(asked[1]) + int(asked[2])) / 2 if asked else 0
            work = lines * MINUTES_A_LINE + written / WRITTEN_A_MINUTE
            minutes[about["grade_id"]], lines = MINUTES_TO_LOOK_UP + work, 0
    return minutes


def measure(notebook: dict[str, Any]) -> Length:
    """Measure a notebook as read from its file."""
    texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    code, in_solution = [], False
    for cell in notebook["cells"]:
        if gates := GATE.findall("".join(cell["source"])):
            in_solution = gates[-1] == "start"
        if cell["cell_type"] == "code" and not in_solution:
            code.append(cell)
    open_texts = unfolded(texts)
    exercises = sum(len(re.findall(r"^[`:]{3,}\{exercise(?:-start)?\}", text, re.M)) for text in texts)
    shown = [cell for cell in code if not FOLDED_CODE & set(cell["metadata"].get("tags", []))]
    outputs = [
        set(output.get("data", {}))
        for cell in code
        if not FOLDED_OUTPUT & set(cell["metadata"].get("tags", []))
        for output in cell["outputs"]
    ]
    return Length(
        words=sum(bool(re.search(r"\w", word)) for text in open_texts for word in plain(text).split()),
        lines=sum(bool(line.strip()) for cell in shown for line in "".join(cell["source"]).splitlines()),
        tables=sum(len(RULE.findall(text)) for text in open_texts)
        + sum("text/html" in kinds and not PICTURES & kinds for kinds in outputs),
        pictures=sum(bool(PICTURES & kinds) for kinds in outputs),
        formulas=sum(len(re.findall(r"^\s*\$\$", text, re.M)) for text in open_texts) // 2,
        exercises=exercises,
    )


def unfolded(texts: list[str]) -> list[str]:
    """Blank what stands in a fold: a dropdown, an admonition of that class, a solution."""
    kept: list[str] = []
    gated = False  # between solution-start and solution-end, which stand in cells of their own
    for text in texts:
        lines = []
        for line in read_lines(text):
            if gate := GATE.search(line.text):
                gated = gate[1] == "start"
            lines.append(line.text if line.is_open and not gated else " " * len(line.text))
        kept.append("\n".join(lines))
    return kept


def plain(text: str) -> str:
    """Leave the words of a Markdown text."""
    for pattern, instead in PLAIN:
        text = pattern.sub(instead, text)
    return text


def write(root: Path) -> Iterator[Path]:
    """Write the minutes of each lesson where they are stated; yield the files that change."""
    notes, intro = root / "book/teaching/instructor_notes.md", root / "book/intro.md"
    stated = []
    for page in [*lessons(root), *(page for page in notebooks(root) if page.name == "book/quickstart")]:
        path, length = root / page.file, measure(page.raw)
        read, name = length.minutes, page.name.removeprefix("book/")
        stated += [
            (path, r"\d+(?= minutes to read)", read),
            (path, r"(?<= minutes to read, plus )\d+", length.exercise_minutes),
            (notes, rf"(?<=/{name}`\. Read: )\d+", read),
            (notes, rf"(?<=/{name}`\. Read: {read} minutes, exercises )\d+", length.exercise_minutes),
            (intro, rf"(?<=<{name}>` \| )\d+", read),
        ]
        if name == "quickstart":
            stated += [(intro, r"(?<=^Start: )\d+", read), (intro, r"^\d+(?= minutes; then)", read)]
    for path in problem_sets(root):
        minutes = set_minutes(json.loads(path.read_text(encoding="utf-8")))
        stated.append((path, r"(?<=Time: about )\d+", minutes))
    for file, place, minutes in stated:
        text = file.read_text(encoding="utf-8")
        if (new := re.sub(place, str(minutes), text, flags=re.M)) != text:
            file.write_text(new, encoding="utf-8")
            yield file


def tell(pages: list[Page]) -> None:
    """Print a line for each page, and the sum."""
    lengths = {page.file: measure(page.raw) for page in pages}
    for name, length in lengths.items():
        parts = ", ".join(f"{getattr(length, part):5} {part}" for part in ("words", *SECONDS))
        print(f"{name:45} {length.minutes:3} min: {parts}; exercises {length.exercise_minutes:3} min")
    print(f"{'all':45} {sum(length.minutes for length in lengths.values())} min")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        print("".join(f"{path.relative_to(ROOT)}: minutes written\n" for path in write(ROOT)), end="")
    else:
        tell(lessons(ROOT))
