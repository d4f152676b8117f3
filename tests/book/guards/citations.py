"""Citations: a key says author and year, each entry is cited, a lesson's References names what it cites."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tools.binding.pages import Page, pages

from .problem import Problem

BIBLIOGRAPHY = "book/reference/references.bib"
ENTRY = re.compile(r"^@\w+\{([^,\s]+),", re.M)
DATED = re.compile(
    r"^@\w+\{(?P<key>\w*?(?P<named>\d{4}))\w?,(?:(?!^@).)*?^\s*year\s*=\s*[{\"]?(?P<year>\d{4})", re.M | re.S
)
NAMED = re.compile(
    r"^@\w+\{(?P<key>\w+),(?:(?!^@).)*?^\s*author\s*=\s*\{(?P<name>.+?)(?:, | and |\},$)", re.M | re.S
)
CITE = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")

Place = tuple[str, str, bool]  # key, place, whether it stands under References


def check(root: Path) -> list[Problem]:
    """Problems between the pages' citations and the bibliography."""
    path = root / BIBLIOGRAPHY
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    entries = Counter(ENTRY.findall(text))
    problems = [
        Problem(BIBLIOGRAPHY, key, f"it stands there {times} times", "keep one")
        for key, times in entries.items()
        if times > 1
    ]
    problems += [
        Problem(BIBLIOGRAPHY, entry["key"], f"its year is {entry['year']}", "correct the year or the key")
        for entry in DATED.finditer(text)
        if entry["named"] != entry["year"]
    ]
    for entry in NAMED.finditer(text):
        first = re.sub(r"[^A-Za-z ]", "", entry["name"])
        if not entry["key"].startswith((first.replace(" ", ""), first.partition(" ")[0])):
            what = f"its first author is {first}"
            problems.append(Problem(BIBLIOGRAPHY, entry["key"], what, "correct the name or the key"))
    cited: set[str] = set()
    for page in pages(root):
        found = citations(page)
        named = {key for key, _, listed in found if listed}
        cited |= {key for key, _, _ in found}
        for key, place, _ in found:
            if key not in entries:
                what = f"nothing has the key {key}"
                problems.append(Problem(page.file, place, what, f"see {BIBLIOGRAPHY}"))
            elif page.is_lesson and key not in named:
                what = f"References does not name {key}, which is cited here"
                problems.append(Problem(page.file, place, what, "say there in a few words what is from it"))
    unused = sorted(entries.keys() - cited)
    return problems + [
        Problem(BIBLIOGRAPHY, key, "no page cites it", "cite it, or delete it") for key in unused
    ]


def citations(page: Page) -> list[Place]:
    """Every citation of a page."""
    return [
        (key.strip(), cell.place(number), section.title == "References")
        for section in page.sections()
        for cell, number, line in section.prose
        for match in CITE.finditer(line)
        for key in match[1].split(",")
    ]
