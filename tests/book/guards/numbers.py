"""Numbers in prose: each decimal and each percentage is bound or marked.

It carries the expression that gives it (`tools.binding.marks`). In a notebook a count of results does, too: a
whole number in front of rows, images, samples, forecasts, labels or networks, unless code or a mark of the
notebook spells it out. Other whole numbers are no results. A mark in the paragraph names what no code gives:
`<!-- given: 0.95, 0.5 -->` for assumptions, and `<!-- quoted: 0.104 Author Year Table 1 -->` for another's
result. It is refused where the paragraph does not hold its number.

A list that its sentence counts in words has as many points.

README's table of reasons has no marks: its numbers stand in the page that a row leads to.

Not looked at are code, display maths, versions, numbered things ("Table 2.1"), levels ("95 % interval"),
links and citations, and in the section References everything but the marks.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path

from tools.binding import marks as binding
from tools.binding.pages import EQUATIONS_PAGE, Cell, Page, Section, notebooks, pages
from tools.binding.prose import Number, plain, read_numbers

from .problem import Problem

README = "README.md"
COUNTS = tomllib.loads(Path(__file__).parents[1].joinpath("counts.toml").read_text("utf-8"))
WORDS = "none one two three four five six seven eight nine ten eleven twelve".split()
LIST = re.compile(
    rf"\b({'|'.join(WORDS[2:])})\b[^.:\n]{{0,80}}:\n\n((?:(?:- |\d\. ).*\n?(?:  .*\n?)*)+)", re.I
)
LISTED = re.compile(r"^\| (?:\{doc\}`[^`]+` \| \d+ \||\[[\w -]+\]\(\.\./calibrators/)", re.M)
DATA, PROGRAMS = "book/reference/data.ipynb", "book/use/programs"
COMMENT = re.compile(r"(?:^|\s)#\s")
EXAM = "book/teaching/exam.md"  # tests/book/test_exam.py evaluates it
MARK = re.compile(r"<!--\s*(?P<kind>given|quoted):\s*(?P<text>.*?)\s*-->", re.S)


def check(root: Path) -> Iterator[Problem]:
    """Problems with the numbers in the prose of the book."""
    for page in pages(root):
        yield from in_page(page) if page.file != EQUATIONS_PAGE else ()
    yield from in_readme(root, pages(root))
    yield from in_comments(root)
    yield from counts(root)


def counts(root: Path) -> Iterator[Problem]:
    """Counts in words of what can be counted."""
    for source, file, words in COUNTS["counted"]:
        files = sorted(root.glob(source))
        text = files[0].read_text("utf-8")
        number = len(LISTED.findall(text)) if source.endswith(".md") else len(files)
        number = len(text.splitlines()) - 1 if source.endswith(".csv") else number
        written = words.format({20: "twenty"}.get(number) or WORDS[number]).lower()
        if written not in spaced(root / file).lower():
            yield Problem(file, words, f"there are {number}", f"write «{written}»")
    for source, limit, file, words in COUNTS["limits"]:
        found = re.search(limit, (root / source).read_text("utf-8"))
        written = words.format(*found.groups()) if found else limit
        if written not in spaced(root / file):
            yield Problem(file, words, f"{source} says otherwise", f"write «{written}»")


def spaced(path: Path) -> str:
    """Text of a file in one line."""
    return " ".join(path.read_text("utf-8").split())


@cache
def in_page(page: Page) -> list[Problem]:
    """Problems with the numbers of a page."""
    try:
        for cell in page.markdown:
            binding.find(cell.source, cell.place())
    except binding.BindingError as problem:
        return [Problem(page.file, *str(problem).split(": ", 1), "see CONTRIBUTING.md")]
    if not page.is_notebook and page.file != EXAM and binding.MARK.search(page.markdown[0].source):
        what = "a number is bound to code, and nothing evaluates it in this file"
        return [Problem(page.file, "the file", what, "mark it given or quoted")]
    claims = [
        Problem(
            page.file, cell.place(mark.line), f"{mark.whole} is true of any data", "claim what can be false"
        )
        for cell in page.markdown
        for mark in binding.find(cell.source)
        if mark.kind == "holds:" and is_empty(ast.parse(mark.expression, mode="eval"))
    ]
    inputs = {number for cell in page.code for number in literals(cell.code)}
    marks = (mark for cell in page.markdown for mark in binding.find(cell.source))
    inputs |= {number for mark in marks for number in literals(ast.parse(binding.question(mark)))}
    for cell in page.markdown:
        for match in LIST.finditer(cell.source):
            points = len(re.findall(r"^(?:-|\d\.) ", match[2], re.M))
            if WORDS.index(match[1].lower()) != points:
                place = cell.place(cell.source.count("\n", 0, match.start()) + 1)
                claims.append(
                    Problem(page.file, place, f"{match[1]!r} stands above {points}", "count the points")
                )
    return claims + [p for section in page.sections() for p in in_section(page, section, inputs)]


def is_empty(claim: ast.Expression) -> bool:
    """Tell whether a claim is a constant, has one for a part, or compares something with itself."""
    parts = [part for node in ast.walk(claim) if isinstance(node, ast.BoolOp) for part in node.values]
    pairs = [(node.comparators[0], node.left) for node in ast.walk(claim) if isinstance(node, ast.Compare)]
    is_same = any(ast.dump(left) == ast.dump(right) for left, right in pairs)
    return is_same or any(isinstance(part, ast.Constant) for part in [claim.body, *parts])


def in_section(page: Page, section: Section, inputs: set[Decimal]) -> Iterator[Problem]:
    """Numbers of a section that nothing gives, and marks whose paragraph does not hold their number."""
    for cell, first, text in section.paragraphs():
        marked = []
        for mark, problem in marks(text, read_numbers(plain(text))):
            marked += mark
            if problem:
                yield Problem(page.file, cell.place(first), *problem)
        loose = read_numbers(plain(binding.without_bound(text)))
        for number in loose if section.title != "References" else ():
            is_result = page.is_notebook and number.is_count and number.value not in inputs
            if (number.is_claim or is_result) and not any(other.equals(number) for other in marked):
                remedy = "write <!-- = expression:format --> behind it, or mark it in its paragraph: "
                remedy += f"<!-- given: {number.text} -->"
                what = f"{number.text!r} is bound to nothing"
                yield Problem(page.file, cell.place(first + number.line), what, remedy)


def marks(text: str, held: list[Number]) -> Iterator[tuple[list[Number], tuple[str, str] | None]]:
    """Numbers that each mark of a paragraph names, and what is wrong with the mark."""
    for mark in MARK.finditer(text):
        body = mark["text"] if mark["kind"] == "given" else re.split("[A-Za-z]", mark["text"])[0]
        source = mark["text"].removeprefix(body)
        numbers = read_numbers(plain(body))
        idle = [number.text for number in numbers if not any(number.equals(other) for other in held)]
        problem = None
        if idle or not numbers:
            what = f"{mark[0]} names {', '.join(idle) or 'no number'}: its paragraph does not hold that"
            problem = (what, "correct the number or the mark")
        elif mark["kind"] == "quoted" and len(re.findall(r"[^\W\d]", source)) < 3:
            problem = (f"the mark {mark[0]} names no source", "add author, year and place behind the number")
        yield numbers, problem


def in_readme(root: Path, book: list[Page]) -> Iterator[Problem]:
    """Numbers in README's rows that the page behind the row's link does not hold."""
    for line, row in enumerate((root / README).read_text(encoding="utf-8").splitlines(), start=1):
        for page in (page for page in book if row.startswith("|") and f"]({page.file})" in row):
            held = [*in_text(page), *(number for cell in page.code for number in in_outputs(cell))]
            for number in read_numbers(plain(row)):
                if not any(own.backs(number) for own in held):
                    what = f"{page.file} does not hold {number.text}"
                    yield Problem(README, f"line {line}", what, "write what stands there")


def in_comments(root: Path) -> Iterator[Problem]:
    """Numbers in comments that neither the page's code, outputs and text hold, nor the shapes of the data."""
    book = notebooks(root, "book", "assignments/source")
    data = [n for page in book if page.file == DATA for cell in page.code for n in in_outputs(cell)]
    for path in sorted((root / PROGRAMS).glob("*.py")):
        printed, source = path.with_suffix(".txt").read_text("utf-8"), path.read_text("utf-8")
        cells = Cell(None, "markdown", printed, {}), Cell(None, "code", source, {})
        book.append(Page(path.relative_to(root).as_posix(), cells, {}))
    for page in book:
        held = [*data, *in_text(page), *(n for cell in page.code for n in in_outputs(cell))]
        spelt = {value for cell in page.code for value in literals(cell.code)}
        for cell in page.code:
            for line, text in enumerate(cell.source.splitlines(), start=1):
                for number in read_numbers(plain("".join(COMMENT.split(text, 1)[1:]))):
                    is_small = number.value < 100 and not number.is_claim and not number.is_count
                    if not (is_small or number.value in spelt or any(own.backs(number) for own in held)):
                        what = f"nothing on the page gives {number.text} of the comment"
                        yield Problem(page.file, cell.place(line), what, "correct the comment")


@cache
def in_text(page: Page) -> list[Number]:
    """Numbers of a page's text."""
    return [number for cell in page.markdown for number in read_numbers(plain(cell.source))]


def in_outputs(cell: Cell) -> list[Number]:
    """Numbers of a cell's outputs; a figure's title may have two lines."""
    return [number for text in cell.output_texts() for number in read_numbers(text.replace(r"\n", " "))]


@cache
def literals(code: ast.Module) -> list[Decimal]:
    """Numbers that code spells out."""
    values = (node.value for node in ast.walk(code) if isinstance(node, ast.Constant))
    return [Decimal(repr(value)) for value in values if type(value) in (int, float)]
