"""A lesson's shape: fixed headings in order, answers and solutions folded away, each wrong option refuted."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path

from tools.binding.pages import Page, Section, blocks, lessons, notebooks

from .problem import Problem

BEFORE = ("By the end you can", "You need")
AFTER = ("Quick questions", "Exercises", "What to remember", "Next", "References")
MISTAKE = "Common mistake"
OPTION = re.compile(r"^- ([A-D])\. ", re.M)
KEY = re.compile(r"\*\*([A-D])\.\*\*")
LETTER = re.compile(r"(?<![\w$*\\])([A-D])(?=[ ,:;.'’)])(?! *[=<>])")


def check(root: Path) -> Iterator[Problem]:
    """Problems with the shape of the chapters, and figures that a notebook draws by itself."""
    for page in lessons(root):
        for guard in (headings, folded, answered):
            yield from guard(page)
    for page in notebooks(root):
        yield from pyplot(page)


def where(section: Section) -> str:
    """Say where a section begins."""
    cell, line, _ = section.prose[0]
    return cell.place(line)


def headings(page: Page) -> Iterator[Problem]:
    """One title; no level left out; the fixed headings in their order, concepts between them."""
    found = [section for section in page.sections() if section.level]
    if [section.level for section in found].count(1) != 1 or found[0].level != 1:
        what = "it does not begin with its one title"
        yield Problem(page.file, "headings", what, "write one # Title, first")
        return
    for above, below in pairwise(found):
        if below.level > above.level + 1:
            what = f"{below.title!r} skips a level below {above.title!r}"
            yield Problem(page.file, where(below), what, f"write it with {above.level + 1} #")
    titles = [section.title for section in found if section.level == 2]
    names = [MISTAKE if title.startswith(MISTAKE) else title for title in titles]
    wanted = [*BEFORE, MISTAKE, *AFTER]
    fixed = [name for name, _ in groupby(name for name in names if name in wanted)]
    in_place = tuple(names[:2]) == BEFORE and tuple(names[-len(AFTER) :]) == AFTER
    if fixed != wanted or not in_place:
        absent = [name for name in wanted if name not in names]
        what = f"it has no ## {absent[0]}" if absent else "its headings stand in another order"
        remedy = f"the order is {', '.join(BEFORE)}, the concepts, {', '.join((MISTAKE, *AFTER))}"
        yield Problem(page.file, "headings", what, remedy)


def folded(page: Page) -> Iterator[Problem]:
    """Answers and solutions are folded away; each exercise has a label and one solution."""
    tasks: list[str] = []
    solved: Counter[str] = Counter()
    for cell in page.markdown:
        for block in blocks(cell.source):
            place, kind = cell.place(block.first), block.kind.removesuffix("-start")
            if kind == "exercise":
                tasks += [block.label] if block.label else []
                if not block.label:
                    yield Problem(page.file, place, "the exercise has no :label:", "give it one")
            elif kind == "solution" or (kind, block.target) == ("admonition", "Answer"):
                solved[block.target] += 1
                if not re.search(r"^:class:.*\bdropdown\b", block.options, re.M):
                    what = f"the {kind.replace('admonition', 'answer')} lies open"
                    yield Problem(page.file, place, what, "add the line `:class: dropdown`")
    for task in tasks:
        if solved[task] != 1:
            what = f"the exercise {task} has {solved[task]} solutions"
            yield Problem(page.file, "## Exercises", what, f"write one: ```{{solution-start}} {task}")


def answered(page: Page) -> Iterator[Problem]:
    """The reason for an answer speaks of each other option by its letter, and not of the right one."""
    for cell in page.markdown:
        lines, above = cell.source.splitlines(), 0
        for block in blocks(cell.source):
            answer = block.content.strip()
            found = KEY.match(answer) if block.target == "Answer" else None
            if found:
                options = {*OPTION.findall("\n".join(lines[above : block.first]))}
                said = {letter for letter in LETTER.findall(answer[found.end() :]) if letter in options}
                if options and said != options - {found[1]}:
                    named = ", ".join(sorted(said)) or "none"
                    what = f"the answer is {found[1]}, and the reason speaks of {named}"
                    remedy = "correct the letter; say of each other option why it is wrong"
                    yield Problem(page.file, cell.place(block.first), what, remedy)
                above = block.last


def pyplot(page: Page) -> Iterator[Problem]:
    """Chapters draw with `plots` only."""
    for cell in page.code:
        if match := re.search(r"^.*\b(?:pyplot|pylab)\b.*$|^\s*%matplotlib.*$", cell.source, re.M):
            line = cell.source.count("\n", 0, match.start()) + 1
            what = f"it draws by itself: {match[0].strip()}"
            yield Problem(page.file, cell.place(line), what, "call a function of calibration_lessons.plots")
