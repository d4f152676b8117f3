"""Numbers in a text are read as a person reads them."""

import tomllib
from pathlib import Path

import pytest

from tools.binding.prose import plain, read_numbers

READINGS = tomllib.loads(Path(__file__).with_name("numbers.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", READINGS)
def test_numbers_are_read_as_a_person_reads_them(text):
    found = [number for number in read_numbers(plain(text)) if number.is_claim]
    assert " ".join(f"{n.value.normalize():f}" + "%" * n.percent for n in found) == READINGS[text]
