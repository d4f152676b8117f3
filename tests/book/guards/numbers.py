"""Numbers in prose: each is backed by an output between the same heading and the next, or marked.

Checked are, in Markdown cells and files, in tables and in inline maths as well:

- decimal numbers (0.104, -0.03, .5, 1.3 x 10^-5);
- percentages, whole ones, too (12.5 %, 91 %);
- whole numbers (491, 10 000, 10,000) from 10 on in notebooks and all of them in their tables, from 1000 on
  in pages without code, unless they read as a year.

Not checked are smaller whole numbers, code, display maths, versions and numbers of
sections ("Python 3.11", "Table 2.1"), dates, links, citations, issue numbers, comments, and in the section
References only the marks.

An output backs a number when rounding it to the digits of the prose gives the number, sign included:
0.1044 backs 0.104 and 10.4 %. A whole percentage or a large whole number may also stand as a literal in
the section's code (`n=10_000`, `level=0.95`): it is an input that the reader sees.

A mark names the numbers of its paragraph that no output gives: `<!-- given: 0.95, 0.5 -->` for an
assumption, `<!-- quoted: 0.104 Author Year Table 1 -->` for another's result with its source. A mark
that names a number which the paragraph does not hold is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

from .tree import EQUATIONS_PAGE, Cell, Page, Problem, Section, pages

MARK = re.compile(r"<!--\s*(?P<kind>given|quoted):\s*(?P<text>.*?)\s*-->", re.S)
ANY_MARK = re.compile(r"<!--\s*(?:given|quoted|ratio):")
COMMENT = re.compile(r"<!--.*?-->", re.S)
GROUP = "[,\u0020\u00a0\u2009\u202f]"  # what may stand between thousands
NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>(?<![)\]}}])[-+])?"
    rf"(?P<digits>\d{{1,3}}(?:{GROUP}\d{{3}})+(?:\.\d+)?|\d+\.\d+|\.\d+|\d+)(?!\d|\.\d)"
    r"(?:e(?P<e>[-+]?\d+)|\s?[x×·]\s?10\^\{?(?P<power>-?\d+)\}?)?"
    r"(?P<percent>\s?%|\sper\s?cent\b|\spercentage\spoints?\b)?"
)
NUMBERED_THINGS = (
    r"Python|NumPy|SciPy|scikit-learn|[Mm]atplotlib|pandas|Dask|PyTorch|Jupyter Book|CC BY(?:-SA)?"
    r"|[Vv]ersions?|[Ss]ect(?:ions?|\.)|§|[Tt]ables?|[Ff]ig(?:ures?|\.)|[Cc]hapters?|[Ee]q(?:uations?|s?\.)|[Aa]ppendix"
    r"|[Tt]heorems?|[Aa]lgorithms?|[Pp]ages?|pp?\.|v"
)
IGNORED = re.compile(
    r"\{(?!math\})[\w:-]+\}`[^`]*`"  # roles such as {cite}
    r"|(?<![`}])(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)"  # code
    r"|https?://\S+|(?<=\])\([^)]*\)|doi:\S+|arXiv:\S+|\b10\.\d{4,}/\S+"  # addresses
    r"|<[a-zA-Z/][^>]*>"  # HTML tags
    r"|\d+(?:\.\d+){2,}"  # 0.1.0
    r"|\\[dt]?frac\s?\d\d|(?<![\d./])\d/\d(?![\d./])|\b[A-Z]\w*-\d+\b"  # \frac12, 1/2, CIFAR-100
    rf"|(?<!\w)(?:{NUMBERED_THINGS})[\s~]?\d[\d.]*(?:(?:,|\sand|\sto|[-–])\s?\d[\d.]*)*"
    r"|#\d+|\b\d{4}-\d{2}-\d{2}\b",  # issues, dates
    re.S,
)
FRACTION = re.compile(r"(?<![\w./])(?P<over>\d+)/(?P<under>[1-9]\d*)\s*=\s*(?P<value>\d*\.\d+)")
LATEX = {"\u2212": "-", r"\,": "\u2009", "{,}": ",", r"\%": "%", r"\times": "×", r"\cdot": "·", "$": " "}
SETTINGS = {"max_iter", "random_state", "seed", "size", "figsize"}  # literals that say nothing of a result
LARGE, COUNT = 1000, 10  # whole numbers that need backing, in pages without and with code
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
COUNTED = re.compile(r"\s+(?:\w+\s+)?(?:rows|samples|points|images|forecasts|draws|runs|scores|labels)\b")


@dataclass(frozen=True)
class Number:
    """A number as written: its value, how many decimals it claims, whether it is a percentage, its line."""

    text: str
    value: Decimal
    decimals: int
    percent: bool
    line: int = field(default=0, compare=False)

    def as_share(self) -> Number:
        """Write a percentage as a share of one; leave any other number."""
        if not self.percent:
            return self
        return replace(self, value=self.value / 100, decimals=self.decimals + 2, percent=False)

    def equals(self, other: Number) -> bool:
        """Tell whether two numbers are the same; a mark may leave the percent sign out."""
        return self.value == other.value or self.as_share().value == other.as_share().value

    def backs(self, claim: Number) -> bool:
        """Tell whether rounding this number to the claim's digits gives the claim."""
        own, other = self.as_share(), claim.as_share()
        if own.value == other.value or own.decimals <= other.decimals:
            return own.value == other.value
        step = Decimal(1).scaleb(-other.decimals)
        return any(own.value.quantize(step, way) == other.value for way in (ROUND_HALF_EVEN, ROUND_HALF_UP))


def check(root: Path) -> list[Problem]:
    """Problems with the numbers in the prose of the book."""
    return [p for page in pages(root) if page.file != EQUATIONS_PAGE for p in in_page(page)]


@cache
def in_page(page: Page) -> list[Problem]:
    """Problems with the numbers of a page."""
    return [problem for section in page.sections() for problem in in_section(page, section)]


def in_section(page: Page, section: Section) -> Iterator[Problem]:
    """Numbers of a section that neither its outputs nor a mark of their paragraph give, and idle marks."""
    outputs = {number for cell in section.code for number in output_numbers(cell)}
    literals = {number for cell in section.code for number in code_literals(cell)}
    smallest = COUNT if page.is_notebook and section.title != "You need" else LARGE
    for cell, first, text in paragraphs(section):
        held = read_numbers(plain(text))
        for match in FRACTION.finditer(COMMENT.sub("", text)):
            exact, given = Decimal(match["over"]) / Decimal(match["under"]), Decimal(match["value"])
            if abs(exact - given) > Decimal("0.5").scaleb(given.as_tuple().exponent):
                what = f"{match[0]}, but it is {exact:.6g}"
                yield Problem(page.file, cell.place(first), what, "correct one of the three numbers")
        marked = []
        for mark, problem in marks(text, held):
            marked += mark
            if problem:
                yield Problem(page.file, cell.place(first), *problem)
        if section.title == "References":
            continue
        for claim in claims(
            plain(text), 0 if page.is_notebook and text.lstrip().startswith("|") else smallest
        ):
            backed = any(number.equals(claim) for number in marked)
            backed = backed or any(number.backs(claim) for number in outputs)
            if claim.value == claim.value.to_integral() and "." not in claim.text:
                backed = backed or any(number.backs(claim) for number in literals)
            if not backed:
                yield Problem(
                    page.file,
                    cell.place(first + claim.line),
                    f"no output between this heading and the next gives {claim.text!r}",
                    f"print it there, or mark it in its paragraph: <!-- given: {claim.text} --> "
                    f"or <!-- quoted: {claim.text} source -->",
                )


def backing(section: Section) -> list[Number]:
    """Every number that the section's cells print or spell out."""
    return [n for cell in section.code for n in (*output_numbers(cell), *code_literals(cell))]


def paragraphs(section: Section) -> Iterator[tuple[Cell, int, str]]:
    """Blocks of prose without an empty line; a mark that stands alone belongs to the block above it."""
    blocks: list[tuple[Cell, int, list[str]]] = []
    gap = True
    for cell, number, line in section.prose:
        if blocks and blocks[-1][0] is cell and (not gap or ANY_MARK.match(line.strip())) and line.strip():
            blocks[-1][2].extend([""] * (number - blocks[-1][1] - len(blocks[-1][2])) + [line])
        elif line.strip():
            blocks.append((cell, number, [line]))
        gap = not line.strip()
    yield from ((cell, number, "\n".join(lines)) for cell, number, lines in blocks)


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


def plain(text: str) -> str:
    """Prose as it reads: no comments, code, links and numbered things, LaTeX's spaces and signs resolved."""
    for pattern in (COMMENT, IGNORED):
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for latex, sign in LATEX.items():
        text = text.replace(latex, sign)
    return re.sub(r"\\[a-zA-Z]+|\\.", " ", text)


def read_numbers(text: str) -> list[Number]:
    """Every number in a text, in order."""
    numbers = []
    for match in NUMBER.finditer(text):
        digits = re.sub(GROUP, "", match["digits"])
        power = int(match["e"] or match["power"] or 0)
        value = Decimal((match["sign"] or "") + digits).scaleb(power)
        decimals = max(len(digits.partition(".")[2]) - power, 0)
        line = text.count("\n", 0, match.start())
        numbers.append(Number(match[0].strip(), value, decimals, bool(match["percent"]), line))
    return numbers


def claims(text: str, smallest: int = LARGE) -> list[Number]:
    """Numbers of a plain paragraph that need backing: decimals, percentages, whole ones that are no year."""
    found = []
    for match, number in zip(NUMBER.finditer(text), read_numbers(text), strict=True):
        counts = text[: match.start()].rstrip().endswith(("=", "≈", "<", ">")) or COUNTED.match(
            text, match.end()
        )
        is_year = YEAR.fullmatch(number.text) and not counts
        if (
            number.decimals
            or number.percent
            or "." in number.text
            or (abs(number.value) >= smallest and not is_year)
        ):
            found.append(number)
    return found


def output_numbers(cell: Cell) -> Iterator[Number]:
    """Numbers in a cell's outputs; those of a table of percentages count as percentages, too."""
    if "definitions.source" in cell.source:  # what it shows is code, not a result
        return
    for text in cell.output_texts():
        text = re.sub(r"<style.*?</style>|<[^>]*>", " ", text, flags=re.S).replace("\u2212", "-")
        numbers = read_numbers(text) + read_numbers(
            text.replace(" ", "  ")
        )  # 10 000 may be one number or two
        yield from numbers
        if re.search(r"(?<!\d)(?<!\d )%|per ?cent", text) and not text.startswith("Picture"):
            yield from (replace(number, percent=True) for number in numbers)


def code_literals(cell: Cell) -> Iterator[Number]:
    """Numbers that a cell's code spells out."""
    settings = {
        id(part)
        for node in ast.walk(cell.code)
        if isinstance(node, ast.keyword) and node.arg in SETTINGS
        for part in ast.walk(node)
    }
    for node in ast.walk(cell.code):
        if id(node) not in settings and isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield Number(repr(node.value), Decimal(repr(node.value)), 0, False)
