"""A lesson's shape: fixed headings in order, a trap that runs, exercises with solutions, short cells."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from .retyped import fingerprint, is_sizeable
from .tree import Cell, Page, Problem, Section, lessons, notebooks

BEFORE = ("By the end you can", "You need")
AFTER = ("Quick questions", "Exercises", "What to remember", "Next", "References")
MISTAKE = "Common mistake"
QUESTIONS = 3
ANSWER = re.compile(
    r"^(?P<fence>:{3,}|`{3,})\{admonition\} Answer[ \t]*\n(?P<options>(?::[\w-]+:[^\n]*\n)*)"
    r"(?P<text>.*?)^(?P=fence)[ \t]*$",
    re.M | re.S,
)
OPTION = r"^[-*] (?:\*\*)?([A-Z])[.)]"
GOALS = range(3, 6)
EXERCISES = range(2, 6)
LONGEST_MEDIAN = 8  # lines of a code cell
COPY = 6  # lines in a row that no two notebooks share
DIRECTIVE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<name>exercise|solution)(?:-start)?\}[ \t]*(?P<target>\S*).*\n"
    r"(?P<options>(?::[\w-]+:.*\n)*)",
    re.M,
)


def check(root: Path) -> list[Problem]:
    """Problems with the shape of the chapters, and with the code of all notebooks of the book."""
    problems = [problem for page in lessons(root) for problem in in_lesson(page)]
    problems += [problem for page in notebooks(root) for problem in pyplot(page)]
    return [*problems, *copied_functions(root), *copied_lines(root)]


def in_lesson(page: Page) -> Iterator[Problem]:
    """Problems with one chapter."""
    sections = page.sections()
    yield from headings(page, sections)
    yield from goals(page, sections)
    yield from mistakes(page, sections)
    yield from quick_questions(page)
    yield from exercises(page)
    lengths = [len([line for line in cell.source.splitlines() if line.strip()]) for cell in page.code]
    if lengths and statistics.median(lengths) > LONGEST_MEDIAN:
        what = f"the median code cell has {statistics.median(lengths):g} lines, more than {LONGEST_MEDIAN}"
        yield Problem(page.file, "code cells", what, "cut long cells, or move code into the package")


def where(section: Section) -> str:
    """Say where a section begins."""
    cell, line, _ = section.prose[0]
    return cell.place(line)


def is_text(line: tuple[Cell, int, str]) -> bool:
    """Tell whether a line is something to read: neither empty nor the target of a link, `(name)=`."""
    return bool(line[2].strip()) and not re.fullmatch(r"\([\w-]+\)=", line[2].strip())


def headings(page: Page, sections: list[Section]) -> Iterator[Problem]:
    """Title first, with a hook below it; the fixed headings in their order, no level left out."""
    found = [section for section in sections if section.level]
    titles = [section.title for section in found if section.level == 1]
    if len(titles) != 1 or found[0].level != 1 or any(map(is_text, sections[0].prose)):
        yield Problem(
            page.file, "cell 1", f"it has {len(titles)} titles", "begin with one # Title, and no other"
        )
        return
    if not any(text.strip() for _, _, text in found[0].prose[1:]):
        yield Problem(page.file, where(found[0]), "no hook stands below the title", "ask a question there")
    for above, below in pairwise(found):
        if below.level > above.level + 1:
            what = f"{below.title!r} skips a level below {above.title!r}"
            yield Problem(page.file, where(below), what, f"write it with {above.level + 1} #")
    second = [section.title for section in found if section.level == 2]
    names = [MISTAKE if title.split(":")[0] == MISTAKE else title for title in second]
    fixed = [name for name in names if name in (*BEFORE, MISTAKE, *AFTER)]
    without_repeats = [name for i, name in enumerate(fixed) if name != MISTAKE or MISTAKE not in fixed[:i]]
    wanted = [*BEFORE, MISTAKE, *AFTER]
    if without_repeats != wanted:
        absent = [name for name in wanted if name not in names]
        what = (
            f"it has no ## {absent[0]}" if absent else f"its headings stand as {', '.join(without_repeats)}"
        )
        yield Problem(page.file, "headings", what, f"the order is {', '.join(wanted)}")
    elif names[:2] != list(BEFORE) or names[-len(AFTER) :] != list(AFTER):
        strays = [
            t for t in names[: names.index(BEFORE[1])] + names[names.index(AFTER[0]) :] if t not in wanted
        ]
        what = f"## {', '.join(strays)} stands outside the middle"
        yield Problem(page.file, "headings", what, f"concepts come between {BEFORE[1]} and {AFTER[0]}")
    elif not [name for name in names if name not in wanted]:
        yield Problem(page.file, "headings", "no section teaches the concept", f"add one after {BEFORE[1]}")


def goals(page: Page, sections: list[Section]) -> Iterator[Problem]:
    """Three to five goals, and the minutes that the lesson takes."""
    for section in sections:
        if section.title == BEFORE[0]:
            items = [text for _, _, text in section.prose if re.match(r"[-*+] |\d+[.)] ", text)]
            if len(items) not in GOALS:
                what = f"it names {len(items)} goals"
                yield Problem(
                    page.file, where(section), what, "name 3 to 5, a list item each, with a verb to check"
                )
        if section.title == BEFORE[1] and not re.search(
            r"\d+\s*min", "\n".join(t for _, _, t in section.prose)
        ):
            yield Problem(
                page.file, where(section), "it names no minutes", 'say how long it takes: "40 minutes"'
            )


def mistakes(page: Page, sections: list[Section]) -> Iterator[Problem]:
    """A common mistake is shown by code that runs."""
    for start, section in enumerate(sections):
        if section.level == 2 and section.title.split(":")[0] == MISTAKE:
            rest = sections[start + 1 :]
            end = next((i for i, other in enumerate(rest) if other.level <= 2), len(rest))
            if not any(cell.source.strip() for part in [section, *rest[:end]] for cell in part.code):
                what = "no code shows the mistake"
                yield Problem(
                    page.file, where(section), what, "add a cell that makes it and shows the damage"
                )


def quick_questions(page: Page) -> Iterator[Problem]:
    """Three quick questions, each followed by an answer that is folded away."""
    text = "\n".join(cell.source for cell in page.markdown)
    match = re.search(rf"^## {AFTER[0]}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if not match:
        return
    place = f"## {AFTER[0]}"
    answers = list(ANSWER.finditer(match[1]))
    *asked, rest = ANSWER.sub("\0", match[1]).split("\0")
    posed = all(re.search(rf"^\*\*{n}\. .*\?", text, re.M | re.S) for n, text in enumerate(asked, start=1))
    if len(answers) != QUESTIONS or not posed or rest.strip():
        what = f"{len(answers)} answers follow {sum('?' in part for part in (*asked, rest))} questions"
        remedy = f"ask {QUESTIONS}, as **1. …?**, each with a :::{{admonition}} Answer below it"
        yield Problem(page.file, place, what, remedy)
    for question, answer in zip(asked, answers, strict=False):
        offered = re.findall(OPTION, question, re.M)
        given = re.match(r"\*\*([A-Z])\b", answer["text"].strip())
        if offered and not (given and given[1] in offered):
            what = f"of {', '.join(offered)} an answer names {given[1] if given else 'none'}"
            yield Problem(page.file, place, what, "begin it with the letter of the right one, as in **B.**")
    for answer in answers:
        if not re.search(r"^:class:.*\bdropdown\b", answer["options"], re.M):
            yield Problem(page.file, place, "an answer lies open", "add the line `:class: dropdown`")
        elif not answer["text"].strip():
            yield Problem(page.file, place, "an answer is empty", "write it")


def exercises(page: Page) -> Iterator[Problem]:
    """Two to five exercises, each with one solution that is folded away."""
    tasks: list[str] = []
    solved: list[str] = []
    for cell in page.markdown:
        for match in DIRECTIVE.finditer(cell.source):
            place = cell.place(cell.source.count("\n", 0, match.start()) + 1)
            label = re.search(r"^:label:[ \t]*(\S+)", match["options"], re.M)
            if match["name"] == "exercise":
                tasks.append(label[1] if label else "")
                if not label:
                    yield Problem(
                        page.file, place, "the exercise has no :label:", "give it one, for its solution"
                    )
                continue
            solved.append(match["target"])
            if not re.search(r"^:class:.*\bdropdown\b", match["options"], re.M):
                yield Problem(page.file, place, "the solution lies open", "add the line `:class: dropdown`")
    if len(tasks) not in EXERCISES:
        yield Problem(page.file, "## Exercises", f"it has {len(tasks)} exercises", "set 2 to 5")
    for task in sorted(set(tasks) - {""}):
        if solved.count(task) != 1:
            what = f"the exercise {task} has {solved.count(task)} solutions"
            yield Problem(page.file, "## Exercises", what, f"write one: ```{{solution-start}} {task}")


def pyplot(page: Page) -> Iterator[Problem]:
    """Chapters draw with `plots` only."""
    for cell in page.code:
        if match := re.search(r"^.*\b(?:pyplot|pylab)\b.*$|^\s*%matplotlib.*$", cell.source, re.M):
            line = cell.source.count("\n", 0, match.start()) + 1
            what = f"it draws by itself: {match[0].strip()}"
            yield Problem(page.file, cell.place(line), what, "call a function of calibration_lessons.plots")


def copied_functions(root: Path) -> Iterator[Problem]:
    """Functions that two notebooks define alike, whatever they call them."""
    first: dict[str, tuple[str, str]] = {}
    for page in notebooks(root):
        for cell in page.code:
            for node in ast.walk(cell.code):
                if isinstance(node, ast.FunctionDef) and is_sizeable(node):
                    other, name = first.setdefault(fingerprint(node), (page.file, node.name))
                    if other != page.file:
                        what = f"{node.name} is {name} of {other} again"
                        remedy = "move it into the package and import it in both"
                        yield Problem(page.file, cell.place(node.lineno), what, remedy)


def copied_lines(root: Path) -> Iterator[Problem]:
    """Runs of code lines that stand in two notebooks; imports do not count."""
    first: dict[tuple[str, ...], str] = {}
    for page in notebooks(root):
        lines = [(cell, number, line) for cell in page.code for number, line in code_lines(cell)]
        for start in range(len(lines) - COPY + 1):
            run = tuple(line for _, _, line in lines[start : start + COPY])
            other = first.setdefault(run, page.file)
            if other != page.file:
                cell, number, _ = lines[start]
                what = f"{COPY} lines of code from here on stand in {other}, too"
                yield Problem(
                    page.file, cell.place(number), what, "move them into the package and call it in both"
                )
                break


def code_lines(cell: Cell) -> Iterator[tuple[int, str]]:
    """Lines of a cell that do something, with their numbers: no imports, no comments."""
    for number, line in enumerate(cell.source.splitlines(), start=1):
        bare = line.strip()
        if bare and not bare.startswith(("import ", "from ", "#")) and "made_for" not in bare:
            yield number, bare
