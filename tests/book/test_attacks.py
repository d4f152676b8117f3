"""The record of attacks: a sentence, where it stands, what was tried against it, and what came of it."""

import csv

from tests.book.copied import ROOT

RECORD = ROOT / "tests/book/attacks.csv"


def test_each_attack_names_a_page_what_was_tried_and_an_outcome() -> None:
    with RECORD.open(encoding="utf-8", newline="") as file:
        attacks = list(csv.DictReader(file))
    assert list(attacks[0]) == ["sentence", "where", "tried", "outcome"] and len(attacks) >= 30
    for attack in attacks:
        assert all(attack.values()) and len(attack) == 4, attack
        assert any((ROOT / f"book/{attack['where']}{end}").is_file() for end in (".md", ".ipynb")), attack
        assert attack["outcome"].startswith(("held", "condition", "wrong", "not shown")), attack
