"""The record of attacks (a sentence, where, what was tried, what came of it), and that of readings."""

import csv

from tests.book.copied import ROOT
from tools.binding.pages import lessons

RECORD = ROOT / "tests/book/attacks.csv"


def test_each_attack_names_a_page_what_was_tried_and_an_outcome() -> None:
    with RECORD.open(encoding="utf-8", newline="") as file:
        attacks = list(csv.DictReader(file))
    assert list(attacks[0]) == ["sentence", "where", "tried", "outcome"] and len(attacks) >= 30
    for attack in attacks:
        assert all(attack.values()) and len(attack) == 4, attack
        assert any((ROOT / f"book/{attack['where']}{end}").is_file() for end in (".md", ".ipynb")), attack
        assert attack["outcome"].startswith(("held", "condition", "wrong", "not shown")), attack


def test_every_lesson_the_first_page_and_the_quickstart_have_a_reading() -> None:
    with RECORD.with_name("readings.csv").open(encoding="utf-8", newline="") as file:
        read = {page.strip() for row in csv.DictReader(file) for page in row["page"].split(",")}
    pages = {page.name.removeprefix("book/") for page in lessons(ROOT)}
    assert not (pages | {"intro", "quickstart"}) - read, "checked.md says that all were read"
