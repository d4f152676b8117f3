"""The page *How to cite* is CITATION.cff in other words."""

import pytest
import yaml

from tools import citation

RECORD = yaml.safe_load((citation.ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_page_is_what_the_citation_file_gives():
    assert (citation.ROOT / citation.PAGE).read_text(encoding="utf-8") == citation.page(RECORD), (
        "run tools/citation.py"
    )


def test_bibtex_holds_what_the_file_says_and_nothing_else():
    person = {"family-names": "Knuth", "given-names": "Donald E."}
    record = {"title": "A Title", "authors": [person, {"name": "The Group"}], "version": "1.2.0",
              "date-released": "2026-11-22", "doi": "10.1/2"}  # fmt: skip
    assert citation.bibtex(record) == (
        "@software{calibration_lessons,\n"
        "  author = {Knuth, Donald E. and {The Group}},\n"
        "  title = {{A Title}},\n  year = {2026},\n  version = {1.2.0},\n  doi = {10.1/2},\n}"
    )
    assert citation.sentence(record) == "Knuth, Donald E., The Group (2026). *A Title*, version 1.2.0."


@pytest.mark.parametrize("key", ["title", "version"])
def test_a_change_of_the_file_changes_the_page(key):
    assert citation.page({**RECORD, key: "another"}) != citation.page(RECORD)
