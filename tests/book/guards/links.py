"""Links lead somewhere: pages stand in the table of contents, headings, terms and pictures exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tools.binding.pages import Page, blocks, pages, read_lines

from .problem import Problem

GLOSSARY = "book/reference/glossary.md"
TOC_FILE = re.compile(r"^(?:root:|\s*-\s*file:)\s*(\S+)", re.M)
ROLE = re.compile(r"\{(?P<role>doc|term)\}`(?:[^`<]*<)?(?P<target>[^`<>]+?)>?`", re.S)
LINK = re.compile(r"\]\((?!\w+:)(?P<file>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
CODE_PATH = re.compile(r"`(?P<file>(?:assignments|book|calibration_lessons|tests|tools)/[\w./-]*\w)/?`")
TARGET = re.compile(r"`(?:\w+=\w+ )?make (?P<target>[a-z-]+)[^`]*`")
COMMAND = re.compile(r"^make (?P<target>[a-z-]+)")
HEADING = re.compile(r"^#{1,3} (.+)$")


def check(root: Path) -> list[Problem]:
    """Problems with the links of the book's pages."""
    book = {page.file: page for page in pages(root)}
    contents, terms = in_contents(root), in_glossary(book.get(GLOSSARY))
    problems = [
        Problem(page.file, cell.place(cell.source.count("\n", 0, start) + 1), what, remedy)
        for page in book.values()
        for cell in page.markdown
        for start, what, remedy in faults(root, page, cell.source, book, contents, terms)
    ]
    gone, lost = sorted(contents - book.keys()), sorted(book.keys() - contents)
    problems += [Problem("_toc.yml", f, "the page does not exist", "write it, or take it out") for f in gone]
    problems += [Problem(f, "the file", "no reader finds it", "add it to _toc.yml") for f in lost]
    return [*problems, *from_outside(root), *in_backticks(root, book)]


def from_outside(root: Path) -> list[Problem]:
    """Problems with the links of the files beside the book: README and the like."""
    return [
        Problem(path.name, f"line {number}", f"{match['file']} does not exist", "correct the link")
        for path in sorted(root.glob("*.md"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        for match in LINK.finditer(line)
        if not (root / match["file"]).exists()
    ]


def in_backticks(root: Path, book: dict[str, Page]) -> Iterator[Problem]:
    """Files and targets of make that the pages and the files beside the book name, and that do not exist."""
    makefile = root / "Makefile"
    targets = set(re.findall(r"^([a-z-]+):", makefile.read_text("utf-8"), re.M) if makefile.exists() else ())
    texts = [(page.file, cell.place, cell.source) for page in book.values() for cell in page.markdown]
    texts += [(p.name, "line {}".format, p.read_text("utf-8")) for p in sorted(root.glob("*.md"))]
    for file, place, text in texts:
        for number, line, is_prose, _ in read_lines(text):
            paths = [] if file == "CONTRIBUTING.md" else CODE_PATH.finditer(line)  # examples of new files
            gone = [match[0] for match in paths if not (root / match["file"]).exists()]
            calls = TARGET.finditer(line) if is_prose else COMMAND.finditer(line)
            gone += [match[0] for match in calls if targets and match["target"] not in targets]
            for name in gone:
                yield Problem(file, place(number), f"{name.strip('`')} does not exist", "correct the name")


def in_contents(root: Path) -> set[str]:
    """Files that the table of contents names."""
    path = root / "_toc.yml"
    names = TOC_FILE.findall(path.read_text(encoding="utf-8")) if path.exists() else []
    return {
        next((f"{name}{end}" for end in (".md", ".ipynb") if (root / f"{name}{end}").exists()), name)
        for name in names
    }


def in_glossary(page: Page | None) -> set[str]:
    """Terms of the glossary, in small letters, as Sphinx compares them."""
    found = [b for b in blocks(page.markdown[0].source) if b.kind == "glossary"] if page else []
    return {line.lower() for block in found for line in block.content.splitlines() if line[:1].strip()}


def faults(
    root: Path, page: Page, text: str, book: dict[str, Page], contents: set[str], terms: set[str]
) -> Iterator[tuple[int, str, str]]:
    """Where a link of a text begins that leads nowhere, what is wrong with it, and what to do."""
    for match in ROLE.finditer(text):
        target = " ".join(match["target"].split())
        if match["role"] == "term" and target.lower() not in terms:
            yield match.start(), f"{target!r} is no term of the glossary", f"define it in {GLOSSARY}"
        if match["role"] == "doc" and not at(page, target, contents):
            yield (
                match.start(),
                f"{{doc}}`{target}` leads to no page of _toc.yml",
                "correct it, or add the page",
            )
    for match in LINK.finditer(text):
        file = at(page, match["file"], book.keys()) if match["file"] else page.file
        if not file and not (root / page.file).parent.joinpath(match["file"]).exists():
            yield match.start(), f"{match['file']} does not exist", "correct the link"
        elif match["anchor"] and file and match["anchor"] not in anchors(book[file]):
            yield match.start(), f"{file} has no heading #{match['anchor']}", "name one that it has"


def at(page: Page, target: str, files: set[str]) -> str | None:
    """File that a target means, from the page's folder or from the root, with or without its ending."""
    start = PurePosixPath(page.file).parent if not target.startswith("/") else PurePosixPath()
    parts: list[str] = []
    for part in (start / target.lstrip("/")).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    name = "/".join(parts)
    return next((f"{name}{end}" for end in ("", ".md", ".ipynb") if f"{name}{end}" in files), None)


def anchors(page: Page) -> set[str]:
    """Names under which links reach the headings of a page."""
    lines = (line.text for cell in page.markdown for line in read_lines(cell.source) if line.is_prose)
    titles = (match[1] for line in lines if (match := HEADING.match(line)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}
