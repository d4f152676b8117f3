"""A name that leads nowhere is refused, and a public name that nobody uses."""

from __future__ import annotations

import pytest

from tests.book.guards import names
from tests.book.planting import A, Drift, E, R, put, py, refused, swap
from tests.book.sample import Sample

DRIFTS: list[Drift] = [
    (
        "a name that the package lacks",
        swap(E, "cl.ece([1], [1.0])", "cl.ace([1], [1.0])"),
        f"{E}: cell 11, line 1",
        "correct the name",
    ),
    (
        "a name that the package lacks, at the head of a chain of calls",
        swap(E, "cl.ece([1], [1.0])", "cl.ace([1], [1.0]).hex()"),
        f"{E}: cell 11, line 1",
        "correct the name",
    ),
    (
        "an import that the package lacks",
        swap(R, "import definitions, plots", "import drawings"),
        f"{R}: cell 4, line 2",
        "correct the name",
    ),
    (
        "a plot that does not exist",
        swap(R, "plots.reliability(", "plots.diagram("),
        f"{R}: cell 9, line 1",
        "correct the name",
    ),
    (
        "a function renamed, the prose not",
        swap(R, "`bin_of()`", "`find_bin()`"),
        f"{R}: cell 5, line 9",
        "correct it",
    ),
    (
        "a method renamed, the prose not",
        swap("book/intro.md", "Curve.gap()", "Curve.ece()"),
        "book/intro.md: line 3",
        "correct it",
    ),
    (
        "a name with the package in front",
        swap(R, "`bin_of()`", "`cl.bins`"),
        f"{R}: cell 5, line 9",
        "correct it",
    ),
    (
        "a public name that no chapter uses",
        swap("book/reference/api.md", "`Curve`:", "Curve"),
        "calibration_lessons/__init__.py: Curve",
        "book/reference/api.md",
    ),
    (
        "a wrong name in an assignment",
        put(A, 2, py("from calibration_lessons import ace")),
        f"{A}: cell 2, line 1",
        "correct the name",
    ),
]


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift[0])
def test_a_drift_is_refused_with_place_and_remedy(sample: Sample, drift: Drift) -> None:
    assert refused(sample, names.check, drift)
