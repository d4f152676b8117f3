"""The version: the same in every file that names it, and the one that each chapter was made for."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.binding.pages import Page, lessons

from .problem import Problem

PLACES = {  # how a file names the version, as a whole or by its first two numbers
    "CITATION.cff": r"^version: *\"?([\d.]+)",
    "REVIEW.md": r"`CHANGELOG.md`: ([\d.]+\d)",
    "_config.yml": r"^ +(?:version|release): *\"?([\d.]+)",
}


def check(root: Path) -> Iterator[Problem]:
    """Problems with the versions that files and chapters name."""
    full = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    short = ".".join(full.split(".")[:2])
    for file, pattern in PLACES.items():
        text = (root / file).read_text(encoding="utf-8")
        for match in re.finditer(pattern, text, re.M):
            if match[1] not in (full, short):
                yield Problem(file, line_of(text, match), f"it names {match[1]}", f"write {full}")
    for file in ("README.md", "INSTALL.md", "REVIEW.md"):
        yield from supported(root, file)
    for page in lessons(root):
        yield from made_for(page, short)


def line_of(text: str, match: re.Match[str]) -> str:
    """Name the line on which a match begins."""
    return f"line {text.count(chr(10), 0, match.start()) + 1}"


def supported(root: Path, file: str) -> Iterator[Problem]:
    """What a file says of Python and of Jupyter Book is what tools/release/setup.sh and the lock say."""
    setup, lock, text = (
        (root / name).read_text("utf-8") for name in ("tools/release/setup.sh", "requirements.txt", file)
    )
    accepted = re.findall(r"^ *((?:3\.\d+(?: \| )?)+)\) ;;", setup, re.M)
    pythons = re.findall(r"3\.\d+", "".join(accepted[:1]))
    [book] = re.findall(r"^jupyter-book==([\d.]+\d)", lock, re.M)[:1]
    for match in re.finditer(
        r"You need Python ((?:3\.\d+(?:, | or )?)+)|Jupyter Book (\d[\d.]+\d)|(3\.\d+ to 3\.\d+)", text
    ):
        wanted = (", ".join(pythons), book, f"{pythons[0]} to {pythons[-1]}")[(match.lastindex or 1) - 1]
        if re.findall(r"[\d.]+\d", match[0]) != re.findall(r"[\d.]+\d", wanted):
            yield Problem(file, line_of(text, match), f"it names {match[0]}", f"write {wanted}")


def made_for(page: Page, current: str) -> Iterator[Problem]:
    """The first code cell names the version that the chapter was made for."""
    calls = [
        node
        for cell in page.code[:1]
        for node in ast.walk(cell.code)
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "made_for"
    ]
    named = [ast.unparse(argument).strip("'\"") for call in calls for argument in call.args]
    if named != [current]:
        place = page.code[0].place() if page.code else "code cells"
        what = f"the first code cell names {', '.join(named) or 'no version'}"
        yield Problem(page.file, place, what, f'check it, and write cl.book.made_for("{current}")')
