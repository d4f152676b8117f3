"""How the tests plant a drift into the sample course, and see it refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.book.guards import Problem
from tests.book.sample import PNG, Cell, Course, figure, md, printed, py, result

__all__ = ["PNG", "figure", "md", "printed", "py", "result"]

R = "book/measures/reliability.ipynb"
E = "book/measures/ece.ipynb"
A = "assignments/source/measures/bins.ipynb"
D = "calibration_lessons/definitions.py"
T = "tests/measures/test_measures.py"

Plant = Callable[[Course], object]
Drift = tuple[str, Plant, str, str]  # its name, how to plant it, where it is found, what to do about it


def refused(sample: Course, guard: Callable[[Path], list[Problem]], drift: Drift) -> bool:
    """Plant a drift; tell whether the guard names the place and the remedy."""
    _, plant, place, remedy = drift
    plant(sample)
    problems = [str(problem) for problem in guard(sample.root)]
    print(f"wanted: {place}: …; … {remedy} …", *problems, sep="\n")
    return any(p.startswith(f"{place}: ") and remedy in p.partition("; ")[2] for p in problems)


def swap(file: str, old: str, new: str) -> Plant:
    """Replace a text in a file, or in the sources of a notebook's cells."""
    return lambda sample: sample.replace(file, old, new)


def put(file: str, number: int, *cells: Cell) -> Plant:
    """Put cells before the one with this number, as if executed with the rest."""
    return lambda sample: sample.insert(file, number, *cells)


def change(file: str, number: int, **fields: Any) -> Plant:
    """Set fields of a cell."""
    return lambda sample: sample.edit_cell(file, number, **fields)


def edit(file: str, move: Callable[[dict[str, Any]], object]) -> Plant:
    """Change a notebook as data."""
    return lambda sample: sample.edit(file, move)


def write(file: str, text: str) -> Plant:
    """Write a whole file."""
    return lambda sample: sample.write(file, text)


def each(*plants: Plant) -> Plant:
    """Do several of these."""

    def plant_all(sample: Course) -> None:
        for plant in plants:
            plant(sample)

    return plant_all
