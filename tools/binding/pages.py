"""The pages of the book as a reader's eye cuts them: cells, lines of prose, sections between headings."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("uncertainty", "models", "measures", "calibrators", "practice")
EQUATIONS_PAGE = "book/reference/equations.md"

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_OPTION = re.compile(r"\s*:[\w-]+:")
_VERBATIM = set("code code-block code-cell literalinclude math mermaid bibliography toctree".split())
_HIDDEN = {"dropdown", "solution", "solution-start", "math"}
_BLOCKS = MarkdownIt("commonmark").disable("inline").use(front_matter_plugin)
_BLOCKS.use(colon_fence_plugin).use(dollarmath_plugin)
_KINDS = {"front_matter", "fence", "colon_fence", "math_block", "math_block_label"}


class Line(NamedTuple):
    """A line of a Markdown text with its number.

    Code, display maths, and what opens, closes or sets a directive are no prose; the text inside an
    admonition or an exercise is. Open is what no directive hides, and no part of its frame.
    """

    number: int
    text: str
    is_prose: bool
    is_open: bool


class Block(NamedTuple):
    """A directive, code (its kind is "") or displayed maths, by its lines, counted from 1.

    Behind its name stands a title or a target; its content begins at the line `start`, below the options.
    """

    kind: str
    first: int
    last: int
    start: int
    content: str
    label: str | None
    is_open: bool
    is_dollars: bool = False
    target: str = ""
    options: str = ""

    @property
    def is_prose(self) -> bool:
        """Tell whether it holds text."""
        return bool(self.kind) and self.kind not in _VERBATIM


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook, or a whole Markdown file as one Markdown cell with the number None."""

    number: int | None
    kind: str
    source: str
    raw: dict[str, Any] = field(repr=False, compare=False)

    def place(self, line: int | None = None) -> str:
        """Say where in its file a line of this cell stands."""
        parts = [f"cell {self.number}"] if self.number else []
        parts += [f"line {line}"] if line else []
        return ", ".join(parts) or "the file"

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """Outputs of a code cell."""
        return list(self.raw.get("outputs", []))

    @property
    def tags(self) -> list[str]:
        """Tags of a cell."""
        return list(self.raw.get("metadata", {}).get("tags", []))

    @property
    def code(self) -> ast.Module:
        """Syntax tree of a code cell; empty for a cell that is no plain Python."""
        return parse(self.source)

    def output_texts(self) -> Iterator[str]:
        """Texts among the outputs: what was printed, and the plain, Markdown and HTML shapes."""
        for output in self.outputs:
            if output["output_type"] == "stream":
                yield joined(output["text"])
            for kind in ("text/plain", "text/markdown", "text/html", "text/latex"):
                if kind in output.get("data", {}):
                    yield joined(output["data"][kind])

    def has_image(self) -> bool:
        """Tell whether a picture is among the outputs."""
        return any(kind.startswith("image/") for output in self.outputs for kind in output.get("data", {}))


@dataclass(frozen=True)
class Section:
    """What stands between a heading and the next: lines of prose with their places, and code cells."""

    level: int
    title: str
    prose: list[tuple[Cell, int, str]]
    code: list[Cell]

    def paragraphs(self) -> Iterator[tuple[Cell, int, str]]:
        """Blocks of prose without an empty line; a comment that stands alone belongs to the one above."""
        blocks: list[tuple[Cell, int, list[str]]] = []
        gap = True
        for cell, number, line in self.prose:
            joins = not gap or line.lstrip().startswith("<!--")
            if blocks and blocks[-1][0] is cell and joins and line.strip():
                blocks[-1][2].extend([""] * (number - blocks[-1][1] - len(blocks[-1][2])) + [line])
            elif line.strip():
                blocks.append((cell, number, [line]))
            gap = not line.strip()
        yield from ((cell, number, "\n".join(lines)) for cell, number, lines in blocks)


@dataclass(frozen=True, eq=False)
class Page:
    """A notebook or a Markdown file of the tree; the same object as long as the file stays as it is."""

    file: str
    cells: tuple[Cell, ...]
    raw: dict[str, Any] = field(repr=False)

    @property
    def name(self) -> str:
        """Path without its ending, as the site has it: book/measures/ece."""
        return self.file.rpartition(".")[0]

    @property
    def is_notebook(self) -> bool:
        """Tell a notebook from a Markdown file."""
        return self.file.endswith(".ipynb")

    @property
    def is_lesson(self) -> bool:
        """Tell whether the page teaches a concept."""
        parts = self.file.split("/")
        return self.is_notebook and len(parts) == 3 and parts[0] == "book" and parts[1] in PARTS

    @property
    def markdown(self) -> list[Cell]:
        """Text cells."""
        return [cell for cell in self.cells if cell.kind == "markdown"]

    @property
    def code(self) -> list[Cell]:
        """Code cells that are not empty."""
        return [cell for cell in self.cells if cell.kind == "code" and cell.source.strip()]

    @cache  # noqa: B019 - a page is kept for good
    def sections(self) -> list[Section]:
        """Cut the page at its headings; what stands above the first has level 0 and no title."""
        sections = [Section(0, "", [], [])]
        for cell in self.cells:
            if cell.kind == "code":
                sections[-1].code.append(cell)
            elif cell.kind == "markdown":
                for number, line, is_prose, _ in read_lines(cell.source):
                    if is_prose and (heading := _HEADING.match(line)):
                        sections.append(Section(len(heading[1]), heading[2], [], []))
                    sections[-1].prose.append((cell, number, line if is_prose else ""))
        return sections


def joined(text: str | list[str]) -> str:
    """Text of a notebook's field, which is a string or a list of lines."""
    return text if isinstance(text, str) else "".join(text)


@cache
def parse(source: str) -> ast.Module:
    """Syntax tree of Python source without notebook magics; empty when it is no Python."""
    lines = ("" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines())
    try:
        return ast.parse("\n".join(lines))
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


@cache
def read_lines(text: str) -> tuple[Line, ...]:
    """Read the lines of a Markdown text."""
    told: dict[int, tuple[bool, bool]] = {}
    for block in blocks(text):
        if block.is_dollars:
            told |= dict.fromkeys(range(block.first, block.last + 1), (False, block.is_open))
        else:
            told |= dict.fromkeys(range(block.first, block.last + 1), (False, False))
            inside = range(block.start, block.start + len(block.content.splitlines()))
            told |= dict.fromkeys(inside, (block.is_prose, block.is_open))
    lines = enumerate(text.splitlines(), start=1)
    return tuple(Line(number, line, *told.get(number, (True, True))) for number, line in lines)


@cache
def blocks(text: str, above: int = 0, is_open: bool = True) -> tuple[Block, ...]:
    """Read the directives, the code and the displayed maths of a Markdown text, and what directives hold."""
    found: list[Block] = []
    for token in _BLOCKS.parse(text):
        if not token.map or token.type not in _KINDS:
            continue
        first, last = above + token.map[0] + 1, above + token.map[1]
        if token.type.startswith("math"):
            found.append(Block("math", first, last, first, token.content, token.info or None, is_open, True))
            continue
        name, _, target = token.info[1:].partition("}") if token.info.startswith("{") else ("", "", "")
        options = list(takewhile(_OPTION.match, token.content.splitlines())) if name else []
        label = next((option.split()[1] for option in options if option.startswith(":label: ")), None)
        shown = is_open and name not in _HIDDEN and "dropdown" not in "".join(options)
        content = "".join(token.content.splitlines(keepends=True)[len(options) :])
        start, told = first + 1 + len(options), "\n".join(options)
        block = Block(name, first, last, start, content, label, shown, False, target.strip(), told)
        found += [block, *(blocks(content, block.start - 1, shown) if block.is_prose else ())]
    return tuple(found)


@cache
def _read(path: Path, root: Path, _changed: int, _size: int) -> Page:
    text = path.read_text(encoding="utf-8")
    file = path.relative_to(root).as_posix()
    if path.suffix == ".md":
        return Page(file, (Cell(None, "markdown", text, {}),), {})
    try:
        raw = json.loads(text)
        cells = tuple(
            Cell(number, cell["cell_type"], joined(cell["source"]), cell)
            for number, cell in enumerate(raw["cells"], start=1)
        )
    except (ValueError, KeyError, TypeError):  # the notebooks' guard says what is wrong with it
        return Page(file, (), {})
    return Page(file, cells, raw)


def pages(root: Path, *folders: str) -> list[Page]:
    """Every page below these folders of the tree (the book where none is given), in a fixed order."""
    paths = (path for folder in folders or ("book",) for path in (root / folder).rglob("*"))
    kept = (p for p in paths if p.suffix in {".md", ".ipynb"} and ".ipynb_checkpoints" not in p.parts)
    return [_read(p, root, p.stat().st_mtime_ns, p.stat().st_size) for p in sorted(kept)]


def notebooks(root: Path, *folders: str) -> list[Page]:
    """Every notebook below these folders, in a fixed order."""
    return [page for page in pages(root, *folders) if page.is_notebook]


def lessons(root: Path) -> list[Page]:
    """Every chapter that teaches a concept."""
    return [page for page in pages(root) if page.is_lesson]
