"""The narrative, the maths and the code agree, in this tree as far as a test can see; harmless edits pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.book.guards import GUARDS
from tests.book.planting import E, Plant, R, figure, md, put, py, swap
from tests.book.sample import Sample

ROOT = Path(__file__).resolve().parents[2]
ERROR = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "", "traceback": []}


@pytest.mark.parametrize("promise", GUARDS)
def test_the_tree_keeps_the_promise(promise: str) -> None:
    problems = GUARDS[promise](ROOT)
    if problems:
        pytest.fail(f"{len(problems)} problem(s)\n" + "\n".join(map(str, problems)), pytrace=False)


@pytest.mark.parametrize("promise", GUARDS)
def test_the_untouched_sample_passes(sample: Sample, promise: str) -> None:
    assert [str(problem) for problem in GUARDS[promise](sample.root)] == []


HARMLESS: dict[str, Plant] = {
    "other words": swap(E, "It is 0.104", "We find 0.104"),
    "a year, a version, a table, an issue": swap(
        E,
        "It is 0.104",
        "In 2017, Python 3.11, Tables 2.1 and 2.2, {cite}`Guo2017`, #10883 and `0.7` said 0.104",
    ),
    "a size that the code spells out": swap(R, "10 000 rows", "$n = 10\\,000$ rows"),
    "an error that is the lesson": put(E, 6, py("1 / 0", ERROR, tags=["raises-exception"])),
    "a new figure": put(
        E, 6, figure("plots.reliability([1], [1])", "1.0", "One point in the upper right corner")
    ),
    "another library's function": swap(R, "`bin_of()`", "`np.digitize()`"),
    "a version from scratch": put(E, 6, py("def ece_by_hand(gaps):\n    return max(gaps) * 2")),
    "a display equation without a label": put(E, 6, md("Then\n\n$$\nx = 0.5\n$$\n\nfollows.")),
    "a target for links above the title": swap(E, "# Calibration error", "(error)=\n\n# Calibration error"),
    "a second common mistake": put(E, 12, md("## Common mistake: no rows"), py("x = 1")),
    "a new paragraph in an exercise": swap(E, "What changes?", "What changes?\n\nThink first."),
}


@pytest.mark.parametrize("plant", HARMLESS.values(), ids=HARMLESS)
def test_a_harmless_edit_passes(sample: Sample, plant: Plant) -> None:
    plant(sample)
    assert [str(problem) for guard in GUARDS.values() for problem in guard(sample.root)] == []
