"""What a guard finds in the pages of a tree.

A guard is a function from the root of a tree to the problems in it, so that a copy of the tree, with a fault
planted in it, is judged like the tree itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from tools.pages import (
    EQUATIONS_PAGE,
    Cell,
    Page,
    Section,
    joined,
    lessons,
    notebooks,
    pages,
    parse,
    prose_lines,
)

__all__ = [  # what the guards import from here
    "EQUATIONS_PAGE",
    "Cell",
    "Page",
    "Problem",
    "Section",
    "joined",
    "lessons",
    "notebooks",
    "pages",
    "parse",
    "prose_lines",
]


@dataclass(frozen=True)
class Problem:
    """What is wrong, where, and what to do about it."""

    file: str
    place: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}: {self.place}: {self.what}; {self.remedy}"
