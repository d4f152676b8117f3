"""A function typed again in a notebook is refused."""

from __future__ import annotations

import pytest

from tests.book.guards import retyped
from tests.book.planting import Drift, E, put, py, refused
from tests.book.sample import Sample

RENAMED = """\
def mine(a, b):
    "Add up."
    s = 0.0
    for x, y in zip(a, b):
        s = s + x * abs(y)
    return s"""

DRIFTS: list[Drift] = [
    (
        "a public function again",
        put(E, 6, py("def ece(y, p):\n    return 0")),
        f"{E}: cell 6, line 1",
        "a name of its own",
    ),
    (
        "a public function as a lambda",
        put(E, 6, py("x = 1\nbin_of = lambda p: p")),
        f"{E}: cell 6, line 2",
        "a name of its own",
    ),
    (
        "a transcription by its name",
        put(E, 6, py("def mean_gap(w):\n    return w")),
        f"{E}: cell 6, line 1",
        "definitions.source",
    ),
    (
        "a transcription under other names",
        put(
            E,
            6,
            py(RENAMED),
        ),
        f"{E}: cell 6, line 1",
        "definitions.source",
    ),
]


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift[0])
def test_a_drift_is_refused_with_place_and_remedy(sample: Sample, drift: Drift) -> None:
    assert refused(sample, retyped.check, drift)
