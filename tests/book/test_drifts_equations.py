"""An equation without its transcription, its function or its test is refused."""

from __future__ import annotations

import nbformat
import pytest

from tests.book.guards import equations
from tests.book.planting import D, Drift, E, R, T, md, put, refused, swap
from tests.book.sample import Sample
from tools import equations as scan

DRIFTS: list[Drift] = [
    (
        "a label without a transcription",
        swap(E, "(eq-ece)", "(eq-error)"),
        f"{E}: cell 5, line 5",
        '@numbered("eq-error"',
    ),
    (
        "a transcription without an equation",
        swap(E, "$$ (eq-ece)", "$$"),
        f"{D}: line 22",
        "label the equation in its chapter",
    ),
    ("a label twice", put(E, 5, md("$$\nx\n$$ (eq-bin)")), f"{R}: cell 5, line 5", "refer to that one"),
    ("a label of another form", put(E, 5, md("$$ x $$ (Gap)")), f"{E}: cell 5, line 1", "rename it"),
    (
        "a labelled {math} block without a transcription",
        put(E, 5, md("```{math}\n:label: eq-gap\nx\n```")),
        f"{E}: cell 5, line 1",
        '@numbered("eq-gap"',
    ),
    (
        "a function that is not public",
        swap(D, 'function="ece"', 'function="mce"'),
        f"{D}: line 22",
        "export it",
    ),
    (
        "neither function nor reason",
        swap(D, ', function="ece"', ""),
        f"{D}: line 22",
        "say why there is none",
    ),
    (
        "a test lost",
        swap(T, '@pytest.mark.equation("eq-ece")\n', ""),
        f"{D}: line 22",
        '@pytest.mark.equation("eq-ece")',
    ),
    ("a test of nothing", swap(T, '"eq-ece"', '"eq-old"'), f"{T}: line 10", "correct the label"),
    (
        "a transcription that is not shown",
        swap(E, 'definitions.source("eq-ece")', "1 + 1"),
        f"{E}: cell 5, line 5",
        'definitions.source("eq-ece")',
    ),
    (
        "a reference to nothing",
        swap(E, "{eq}`eq-bin`", "{eq}`eq-bins`"),
        f"{E}: cell 5, line 9",
        "name a label",
    ),
    (
        "a formula changed in its chapter",
        swap(E, "w_m g_m", "g_m"),
        f"{E}: cell 5, line 5",
        "change that one",
    ),
    (
        "a formula changed, the list of equations not",
        swap(D, "w_m g_m", "g_m"),
        "book/reference/equations.md: the file",
        "run tools/equations.py",
    ),
]


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift[0])
def test_a_drift_is_refused_with_place_and_remedy(sample: Sample, drift: Drift) -> None:
    assert refused(sample, equations.check, drift)


def test_a_formula_is_edited_in_its_home_and_written_into_its_chapter(sample: Sample) -> None:
    swap(D, "w_m g_m", "|g_m| w_m")(sample)
    assert equations.check(sample.root)
    expected = nbformat.reads((sample.root / E).read_text(encoding="utf-8"), as_version=4)
    expected.cells[4].source = expected.cells[4].source.replace("w_m g_m", "|g_m| w_m")
    assert scan.settle(sample.root) == ["eq-ece"]
    sample.write(scan.PAGE.as_posix(), scan.write_page(sample.root))
    assert equations.check(sample.root) == [] and scan.settle(sample.root) == []
    assert (sample.root / E).read_text(encoding="utf-8") == nbformat.writes(expected) + "\n"
