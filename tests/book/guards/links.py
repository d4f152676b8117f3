"""Links lead somewhere, and where their words say: pages stand in the contents, headings and terms exist."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

from tools.binding.pages import Page, pages, read_lines
from tools.binding.terms import GLOSSARY, terms

from .problem import Problem

TOC_FILE = re.compile(r"^(?:root:|\s*-\s*file:)\s*(\S+)", re.M)
ROLE = re.compile(r"\{(?P<role>doc|term)\}`(?:(?P<words>[^`<]*)<)?(?P<target>[^`<>]+?)>?`", re.S)
LINK = re.compile(r"(?:\[(?P<words>[^][]*))?\]\((?!\w+:)(?P<file>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
ROOM = r"(?:assignments|book|calibration_lessons|tests|tools|\.ci|\.github)/[\w./-]*"
CODE_PATH = re.compile(  # a name in backticks, or one with an ending anywhere
    rf"`({ROOM}\w)/?`|(?<![\w./-])((?:{ROOM}|(?<=-r )\w+)\.(?:css|csv|in|ipynb|json|md|py|sh|toml|txt|yml))\b"
)
TARGET = re.compile(r"`(?:\w+=\w+ )?make (?P<target>[a-z-]+)[^`]*`")
MODULE = re.compile(r"python3? -m ((?:classroom|tools)[\w.]*)")
EXTRA = re.compile(r"(?:\"\.|calibration-lessons)\[([\w,]+)\]")
COMMAND = re.compile(r"^make (?P<target>[a-z-]+)")
HEADING = re.compile(r"^#{1,3} (.+)$")


def check(root: Path) -> Iterator[Problem]:
    """Problems with the links of the book's pages."""
    book = {page.file: page for page in pages(root)}
    contents, named = in_contents(root), names(book)
    entries = terms(root)
    for page in book.values():
        for cell in page.markdown:
            for start, what, remedy in faults(root, page, cell.source, book, contents, named, entries):
                yield Problem(page.file, cell.place(cell.source.count("\n", 0, start) + 1), what, remedy)
    for file in sorted(contents - book.keys()):
        yield Problem("_toc.yml", file, "the page does not exist", "write it, or take it out")
    for file in sorted(book.keys() - contents):
        yield Problem(file, "the file", "no reader finds it", "add it to _toc.yml")
    yield from from_outside(root)
    yield from in_backticks(root, book)


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
    """Files and targets of make that pages, files beside the book and the package name, and that are gone."""
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text("utf-8"), re.M))
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    texts = [(page.file, cell.place, cell.source) for page in book.values() for cell in page.markdown]
    files = [*root.glob("*.md"), *root.glob("*.in"), *(root / "calibration_lessons").rglob("*.py")]
    for path in sorted(files):
        texts.append((path.relative_to(root).as_posix(), "line {}".format, path.read_text("utf-8")))
    for file, place, text in texts:
        for number, paths, calls, parts in called(text, file.endswith((".md", ".ipynb"))):
            gone = [name for name in paths if not [*root.glob(name), *root.glob(f"{name}.py")]]
            gone = [name for name in gone if "sharpness" not in name]  # the example of CONTRIBUTING
            gone += [match[0] for match in calls if match["target"] not in targets]
            gone += [part for part in parts if part not in extras]
            for name in gone:
                yield Problem(file, place(number), f"{name.strip('`')} does not exist", "correct the name")


@cache
def called(text: str, is_page: bool) -> list[tuple[int, list[str], list[re.Match[str]], list[str]]]:
    """Files, targets of make and extras of the package that the lines of a text name, where one does."""
    found = []
    lines = read_lines(text) if is_page else [(n, s, True, 0) for n, s in enumerate(text.splitlines(), 1)]
    for number, line, is_prose, _ in lines:
        paths = ["".join(both) for both in CODE_PATH.findall(line) if is_page or "book/" not in both[1]]
        paths += [name.replace(".", "/") for name in MODULE.findall(line)]
        calls = [*(COMMAND if is_page and not is_prose else TARGET).finditer(line)]
        parts = [part for parts in EXTRA.findall(line) for part in parts.split(",")]
        if paths or calls or parts:
            found.append((number, paths, calls, parts))
    return found


def in_contents(root: Path) -> set[str]:
    """Files that the table of contents names."""
    return {
        next((f"{name}{end}" for end in (".md", ".ipynb") if (root / f"{name}{end}").exists()), name)
        for name in TOC_FILE.findall((root / "_toc.yml").read_text(encoding="utf-8"))
    }


def names(book: dict[str, Page]) -> dict[str, set[str]]:
    """Pages by what the words of a link call them: the file's name, the title, how it begins, how it ends."""
    found: dict[str, set[str]] = {}
    for file, page in book.items():
        title = next((section.title for section in page.sections() if section.level == 1), "")
        words = simple(title).split()
        calls = {" ".join(words[:end]) for end in range(1, len(words) + 1)}
        calls |= {simple(title.rpartition(": ")[2]), simple(PurePosixPath(file).stem.replace("_", " "))}
        for call in calls:
            found.setdefault(call, set()).add(file)
    return found


def simple(words: str) -> str:
    """Write words in small letters, without an article before them and a sign behind one of them."""
    return re.sub(r"[:?,](?= |$)", "", " ".join(words.lower().split())).removeprefix("the ")


def faults(
    root: Path,
    page: Page,
    text: str,
    book: dict[str, Page],
    contents: set[str],
    named: dict[str, set[str]],
    entries: dict[str, str],
) -> Iterator[tuple[int, str, str]]:
    """Where a link of a text begins that leads nowhere, what is wrong with it, and what to do."""
    for match in ROLE.finditer(text):
        target = " ".join(match["target"].split())
        if match["role"] == "term":
            words = simple(match["words"] or "")
            means = {entries[word] for word in (words, re.sub("e?s$", "", words)) if word in entries}
            if target.lower() not in entries:
                yield match.start(), f"{target!r} is no term of the glossary", f"define it in {GLOSSARY}"
            elif means and entries[target.lower()] not in means:
                yield match.start(), f"{words!r} leads to the term {target!r}", "name the term that is meant"
        elif not (file := at(page, target, contents)):
            what = f"{{doc}}`{target}` leads to no page of _toc.yml"
            yield match.start(), what, "correct it, or add the page"
        else:
            yield from astray(match, file, named)
    for match in LINK.finditer(text):
        file = at(page, match["file"], book.keys()) if match["file"] else page.file
        if not file and not (root / page.file).parent.joinpath(match["file"]).exists():
            yield match.start(), f"{match['file']} does not exist", "correct the link"
        elif match["anchor"] and file and match["anchor"] not in anchors(book[file]):
            yield match.start(), f"{file} has no heading #{match['anchor']}", "name one that it has"
        elif file and not match["anchor"]:
            yield from astray(match, file, named)


def astray(match: re.Match[str], file: str, named: dict[str, set[str]]) -> Iterator[tuple[int, str, str]]:
    """Report a link to one page in words that name another."""
    words = simple(match["words"] or "")
    if file not in named.get(words, {file}):
        what = f"{words!r} leads to {file}, and {', '.join(sorted(named[words]))} has that name"
        yield match.start(), what, "name the page that is meant"


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
