"""A lesson out of shape is refused."""

from __future__ import annotations

import pytest

from tests.book.guards import shape
from tests.book.planting import Drift, E, R, each, edit, md, put, py, refused, swap
from tests.book.sample import Sample

HELPER = "def helper(p):\n    q = [x ** 2 for x in p if x > 0]\n    return sum(q) / len(q) + 1"

DRIFTS: list[Drift] = [
    ("a heading lost", swap(E, "## What to remember", "## Summary"), f"{E}: headings", "the order is"),
    ("headings in another order", swap(E, "## You need", "## Next"), f"{E}: headings", "the order is"),
    ("a level left out", put(E, 8, md("#### Deep")), f"{E}: cell 8, line 1", "write it with 3 #"),
    ("two goals", swap(E, "- read it\n", ""), f"{E}: cell 2, line 1", "name 3 to 5"),
    ("no minutes", swap(E, "30 minutes", "Time"), f"{E}: cell 3, line 1", "say how long"),
    (
        "a mistake that nobody runs",
        edit(E, lambda n: n["cells"].pop(10)),
        f"{E}: cell 10, line 1",
        "add a cell that makes it",
    ),
    (
        "one exercise",
        edit(
            E,
            lambda n: n["cells"][13].update(
                source=n["cells"][13]["source"].split("\n\n```{exercise-start}")[0]
            ),
        ),
        f"{E}: ## Exercises",
        "set 2 to 5",
    ),
    (
        "an exercise without a solution",
        swap(E, "{solution-start} ece-2", "{solution-start} ece-1"),
        f"{E}: ## Exercises",
        "write one",
    ),
    ("an open solution", swap(E, ":class: dropdown\n", ""), f"{E}: cell 14, line 8", "dropdown"),
    (
        "long cells",
        put(E, 6, *(py("\n".join(f"x{i} = {i}" for i in range(9 + k))) for k in range(5))),
        f"{E}: code cells",
        "cut long cells",
    ),
    (
        "pyplot in a chapter",
        put(E, 6, py("import matplotlib.pyplot as plt")),
        f"{E}: cell 6, line 1",
        "calibration_lessons.plots",
    ),
    (
        "a helper in two notebooks",
        each(put(R, 6, py(HELPER)), put(E, 6, py(HELPER.replace("helper", "other")))),
        f"{R}: cell 6, line 1",
        "move it into the package",
    ),
    (
        "the same lines in two notebooks",
        each(*(put(file, 6, py("\n".join(f"a{i} = {i}" for i in range(6)))) for file in (R, E))),
        f"{R}: cell 6, line 1",
        "move them into the package",
    ),
    ("no hook", swap(E, "Can you trust a forecast?", ""), f"{E}: cell 1, line 1", "ask a question"),
]


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift[0])
def test_a_drift_is_refused_with_place_and_remedy(sample: Sample, drift: Drift) -> None:
    assert refused(sample, shape.check, drift)
