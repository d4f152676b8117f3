"""A notebook that was not committed executed and clean is refused."""

from __future__ import annotations

import pytest

from tests.book.guards import hygiene
from tests.book.planting import (
    PNG,
    A,
    Drift,
    E,
    R,
    change,
    edit,
    md,
    printed,
    put,
    refused,
    result,
    swap,
    write,
)
from tests.book.sample import Sample

DRIFTS: list[Drift] = [
    (
        "a cell that was never executed",
        change(E, 6, execution_count=None),
        f"{E}: cell 6",
        "run tools/notebooks.py",
    ),
    ("cells run out of order", change(E, 6, execution_count=9), f"{E}: cell 6", "run tools/notebooks.py"),
    ("a printed output stripped", change(E, 7, outputs=[]), f"{E}: cell 7", "run tools/notebooks.py"),
    (
        "an output edited by hand",
        change(E, 7, outputs=[printed("0.1045\n")]),
        f"{E}: cell 7",
        "run tools/notebooks.py",
    ),
    (
        "code edited and not run",
        swap(E, "[0.9, 0.3]", "[0.9, 0.2]"),
        f"{E}: cell 7",
        "run tools/notebooks.py",
    ),
    ("a value stripped", change(A, 2, outputs=[]), f"{A}: cell 2", "run tools/notebooks.py"),
    ("a figure stripped", change(R, 9, outputs=[]), f"{R}: cell 9", "run tools/notebooks.py"),
    (
        "text on stderr",
        change(E, 7, outputs=[printed("0.1"), printed("Oh", "stderr")]),
        f"{E}: cell 7",
        "catch the warning",
    ),
    (
        "an error left behind",
        change(A, 2, outputs=[{"output_type": "error", "ename": "KeyError", "evalue": "x", "traceback": []}]),
        f"{A}: cell 2",
        "raises-exception",
    ),
    ("an id twice", change(E, 7, id="cell-6"), f"{E}: cell 7", "change one of them"),
    ("an id lost", edit(E, lambda n: n["cells"][6].pop("id")), f"{E}: cell 7", "run tools/notebooks.py"),
    ("no notebook", write(A, "{}"), f"{A}: the file", "repair or rewrite it"),
    ("a field that does not belong", change(E, 7, colour="red"), f"{E}: the file", "repair"),
    (
        "another machine's metadata",
        edit(E, lambda n: n["metadata"]["language_info"].update(version="3")),
        f"{E}: the metadata",
        "run tools/notebooks.py",
    ),
    ("traces of an editor", change(E, 7, metadata={"execution": {}}), f"{E}: cell 7", "delete them"),
    ("a file too large", put(E, 7, md("x" * 500000)), f"{E}: the file", "draw fewer points"),
    (
        "a figure without its data",
        change(
            R,
            9,
            outputs=[{**result("<Figure>", **{"image/png": PNG}), "execution_count": 4}],
        ),
        f"{R}: cell 9",
        "calibration_lessons.plots",
    ),
    (
        "a path of one machine",
        change(E, 7, outputs=[printed("/home/ann/data.csv")]),
        f"{E}: cell 7",
        "print what a reader needs",
    ),
    (
        "an address in memory",
        change(E, 7, outputs=[printed("<f at 0x7f00aa12>")]),
        f"{E}: cell 7",
        "print what a reader needs",
    ),
    (
        "a file attached",
        change(E, 1, attachments={"x.png": {"image/png": PNG}}),
        f"{E}: cell 1",
        "book/assets",
    ),
]


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift[0])
def test_a_drift_is_refused_with_place_and_remedy(sample: Sample, drift: Drift) -> None:
    assert refused(sample, hygiene.check, drift)
