"""Citations: a key says author and year, each entry is cited, a lesson's References names what it cites.

A docstring cites the year that the bibliography has.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pybtex.database import BibliographyData, BibliographyDataError, parse_string

from tools.binding.pages import Page, pages

from .package import in_docstrings
from .problem import Problem

BIBLIOGRAPHY = "book/reference/references.bib"
CITE = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")

CITED = re.compile(  # in a docstring: Platt (1999), Kull, Silva Filho and Flach (2017), Guo et al. (2017)
    r"([A-Z][\w-]+)(?:(?:,\s[A-Z][\w -]+)*\s+and\s+([A-Z][\w-]+)|\s+et\s+(al)\.)?\s+\((\d{4})\)"
)

Place = tuple[str, str, bool]  # key, place, whether it stands under References


@cache
def read(text: str) -> BibliographyData:
    """Read a bibliography."""
    return parse_string(text, "bibtex")


def check(root: Path) -> Iterator[Problem]:
    """Problems between the pages' citations and the bibliography."""
    try:
        entries = read((root / BIBLIOGRAPHY).read_text(encoding="utf-8")).entries
    except BibliographyDataError as error:
        yield Problem(BIBLIOGRAPHY, "the file", str(error), "keep one")
        return
    for key, entry in entries.items():
        if (named := re.search(r"\d{4}", key)) and named[0] != entry.fields["year"]:
            year = entry.fields["year"]
            yield Problem(BIBLIOGRAPHY, key, f"its year is {year}", "correct the year or the key")
        for author in entry.persons.get("author", ())[:1]:
            first = re.sub(r"[^A-Za-z ]", "", " ".join(author.prelast_names + author.last_names))
            if not key.startswith((first.replace(" ", ""), first.partition(" ")[0])):
                what = f"its first author is {first}"
                yield Problem(BIBLIOGRAPHY, key, what, "correct the name or the key")
    works: dict[tuple[str, str], set[str]] = {}  # years by the first author and the last, or "al"
    for entry in entries.values():
        names = [re.sub(r"[{}]", "", one.last_names[-1]) for one in entry.persons.get("author", ())] or [""]
        for last in {names[-1], "al"} if len(names) > 2 else {names[-1]}:
            works.setdefault((names[0], last), set()).add(entry.fields["year"])
    for match, file, place in in_docstrings(root, CITED):
        first, last, many, year = match.groups()
        years = works.get((first, many or last or first), {year})
        if year not in years:
            what = f"{' '.join(match[0].split())} is of {', '.join(sorted(years))} in {BIBLIOGRAPHY}"
            yield Problem(file, place, what, "correct the year")
    cited: set[str] = set()
    for page in pages(root):
        found = citations(page)
        named = {key for key, _, listed in found if listed}
        cited |= {key for key, _, _ in found}
        for key, place, _ in found:
            if key not in entries:
                yield Problem(page.file, place, f"nothing has the key {key}", f"see {BIBLIOGRAPHY}")
            elif page.is_lesson and key not in named:
                what = f"References does not name {key}, which is cited here"
                yield Problem(page.file, place, what, "say there in a few words what is from it")
    for key in sorted(set(entries) - cited):
        yield Problem(BIBLIOGRAPHY, key, "no page cites it", "cite it, or delete it")


def citations(page: Page) -> list[Place]:
    """Every citation of a page."""
    return [
        (key.strip(), cell.place(number), section.title == "References")
        for section in page.sections()
        for cell, number, line in section.prose
        for match in CITE.finditer(line)
        for key in match[1].split(",")
    ]
