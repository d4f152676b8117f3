"""A figure without words for those who do not see it is refused."""

from __future__ import annotations

import pytest

from tests.book.guards import alt_text
from tests.book.planting import Drift, E, R, change, figure, md, put, refused, swap
from tests.book.sample import Sample

DRIFTS: list[Drift] = [
    ("no alt text", change(R, 9, metadata={}), f"{R}: cell 9", "say in 20 characters"),
    (
        "an alt text of one word",
        change(R, 9, metadata={"mystnb": {"image": {"alt": "Figure"}}}),
        f"{R}: cell 9",
        "say in 20 characters",
    ),
    (
        "the alt text of another figure",
        put(E, 6, figure("plots.reliability([1], [1])", "1", "One point far above the diagonal")),
        f"{R}: cell 9",
        "say what this figure shows",
    ),
    (
        "a picture without alt text",
        swap("book/intro.md", "[a plot]", "[]"),
        "book/intro.md: line 5",
        "say in words",
    ),
    (
        "an {image} without alt text",
        put(E, 6, md("```{image} x.png\n:width: 3\n```")),
        f"{E}: cell 6, line 1",
        "say in words",
    ),
]


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift[0])
def test_a_drift_is_refused_with_place_and_remedy(sample: Sample, drift: Drift) -> None:
    assert refused(sample, alt_text.check, drift)
