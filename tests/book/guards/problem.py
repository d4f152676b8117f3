"""What a guard finds.

A guard is a function from the root of a tree to the problems in it, so that a copy of the tree, with a fault
planted in it, is judged like the tree itself.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """What is wrong, where, and what to do about it."""

    file: str
    place: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}: {self.place}: {self.what}; {self.remedy}"
