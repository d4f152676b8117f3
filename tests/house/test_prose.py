"""Numbers in a text are read as a person reads them."""

import pytest

from tools.binding.prose import plain, read_numbers

READINGS = {
    "It is 0.104, or .5.": "0.104 0.5",
    "10.4 %, 10.4%, 10.4 per cent, $10.4\\,\\%$, 91 %": "10.4% 10.4% 10.4% 10.4% 91%",
    "2.5 percentage points": "2.5%",
    "from $-0.17$ or \u22120.2 to +0.3": "-0.17 -0.2 0.3",
    "0.12-0.15, 0.12\u20130.15, $a-0.3$, $(b)-0.4$": "0.12 0.15 0.12 0.15 0.3 0.4",
    "10 000, 10,000, $10\\,000$, 1 250.5": "1250.5",
    "(0.03, 0.2) and [0.1, 10]": "0.03 0.2 0.1",
    "$1.3 \\times 10^{-5}$, 1.3e-5": "0.000013 0.000013",
    "| 0.5 | 1.5x | $\\approx0.25$ | $p_{0.75}$": "0.5 1.5 0.25 0.75",
    "{math}`0.5`, [0.6](https://example.org/0.7)": "0.5 0.6",
    "Python 3.11, version 0.1.0, v1.2, Tables 2.1 and 2.2, Section 4.2, CC BY 4.0": "",
    "`0.5`, ``0.6``, {cite}`a1.5`, arXiv:1706.04599, doi:10.1/2.5, <b style='x:0.5'>": "",
    "<!-- 0.5 --> 2026-01-31": "",
}


@pytest.mark.parametrize("text", READINGS)
def test_numbers_are_read_as_a_person_reads_them(text):
    found = [number for number in read_numbers(plain(text)) if number.is_claim]
    assert " ".join(f"{n.value.normalize():f}" + "%" * n.percent for n in found) == READINGS[text]
