"""A number in the prose that no output gives is refused."""

from __future__ import annotations

import pytest

from tests.book.guards import numbers
from tests.book.planting import Drift, E, R, md, put, refused, swap
from tests.book.sample import Sample

DRIFTS: list[Drift] = [
    ("another decimal", swap(E, "0.104,", "0.114,"), f"{E}: cell 8, line 1", "given: 0.114"),
    ("a decimal rounded down", swap(R, "17.5 %", "17.4 %"), f"{R}: cell 8, line 3", "given: 17.4 %"),
    ("more digits than printed", swap(E, "0.104,", "0.10443,"), f"{E}: cell 8, line 1", "print it there"),
    ("a sign lost in maths", swap(R, "$-0.17$", "$0.17$"), f"{R}: cell 8, line 3", "given: 0.17"),
    ("a sign gained", swap(R, "(0.03,", "(−0.03,"), f"{R}: cell 8, line 3", "print it there"),
    ("another percentage", swap(E, "10.4 %", "10.9 %"), f"{E}: cell 8, line 1", "given: 10.9 %"),
    ("thousands with a comma", swap(R, "1,250", "1,260"), f"{R}: cell 8, line 3", "given: 1,260"),
    ("thousands with a space", swap(R, "10 000", "20 000"), f"{R}: cell 5, line 9", "given: 20 000"),
    ("thousands in LaTeX", swap(R, "10 000", "$n = 20\\,000$"), f"{R}: cell 5, line 9", "print it"),
    ("a literal that is no percentage", swap(R, "10 000", "4 %"), f"{R}: cell 5, line 9", "given: 4 %"),
    (
        "a number in a table",
        put(E, 8, md("| a | b |\n|---|---|\n| x | 0.3 |")),
        f"{E}: cell 8, line 3",
        "given: 0.3",
    ),
    ("a number in a solution", swap(E, "Nothing.", "It is 0.7."), f"{E}: cell 14, line 11", "given: 0.7"),
    ("a power of ten", swap(E, "10.4 %", "$1.3 \\times 10^{-5}$"), f"{E}: cell 8, line 1", "given: 1.3"),
    (
        "the output under another heading",
        swap(E, "It is 0.104", "## So\n\nIt is 0.104"),
        f"{E}: cell 8, line 3",
        "print it there",
    ),
    (
        "a number changed, its mark not",
        swap(E, "level of 0.95", "level of 0.9"),
        f"{E}: cell 8, line 1",
        "correct the number or the mark",
    ),
    (
        "a quotation without a source",
        swap(E, "0.0455 Guo 2017 Table 1", "0.0455"),
        f"{E}: cell 9, line 1",
        "add author, year and place",
    ),
    (
        "a number without a mark on a page",
        swap("book/intro.md", "<!-- given: 95 % -->", ""),
        "book/intro.md: line 3",
        "given: 95 %",
    ),
]


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift[0])
def test_a_drift_is_refused_with_place_and_remedy(sample: Sample, drift: Drift) -> None:
    assert refused(sample, numbers.check, drift)


READINGS = {
    "It is 0.104, or .5.": "0.104 0.5",
    "10.4 %, 10.4%, 10.4 per cent, $10.4\\,\\%$, 91 %": "10.4% 10.4% 10.4% 10.4% 91%",
    "2.5 percentage points": "2.5%",
    "from $-0.17$ or \u22120.2 to +0.3": "-0.17 -0.2 0.3",
    "0.12-0.15, 0.12\u20130.15, $a-0.3$, $(b)-0.4$": "0.12 0.15 0.12 0.15 0.3 0.4",
    "10 000, 10,000, $10\\,000$, $10{,}000$, 1 250.5": "10000 10000 10000 10000 1250.5",
    "(0.03, 0.2) and [0.1, 10]": "0.03 0.2 0.1",
    "$1.3 \\times 10^{-5}$, 1.3e-5, $2.5 \\cdot 10^3$": "0.000013 0.000013 2500",
    "| 0.5 | 1.5x | $\\approx0.25$ | $p_{0.75}$": "0.5 1.5 0.25 0.75",
    "{math}`0.5`, [0.6](https://example.org/0.7)": "0.5 0.6",
    "n = 2000, 1999 rows, 1500": "2000 1999",
    "15 bins, in 2017 (Guo et al., 2017a), 1 of 10": "",
    "Python 3.11, version 0.1.0, v1.2, Tables 2.1 and 2.2, Section 4.2, CC BY 4.0, #10883": "",
    "`0.5`, ``0.6``, {cite}`a1.5`, arXiv:1706.04599, doi:10.1/2.5, <b style='x:0.5'>": "",
    "<!-- 0.5 --> 2026-01-31": "",
}


@pytest.mark.parametrize("text", READINGS)
def test_numbers_are_read_as_a_person_reads_them(text: str) -> None:
    found = numbers.claims(numbers.plain(text))
    assert (
        " ".join(f"{number.value.normalize():f}" + "%" * number.percent for number in found) == READINGS[text]
    )
