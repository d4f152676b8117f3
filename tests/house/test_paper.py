"""The paper for the Journal of Open Source Education says what is so."""

import re
from pathlib import Path

import yaml

from calibration_lessons.book import datasets
from tools.binding.pages import lessons

ROOT = Path(__file__).parents[2]
HEAD, TEXT = (ROOT / "paper.md").read_text(encoding="utf-8").split("---\n", 2)[1:]


def test_what_it_cites_is_in_the_bibliography_and_what_it_counts_is_there():
    bibliography = (ROOT / yaml.safe_load(HEAD)["bibliography"]).read_text(encoding="utf-8")
    assert [key for key in re.findall(r"@(\w+)", TEXT) if f"{{{key}," not in bibliography] == []
    assert "The course: 34 lessons," in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "thirty-four lessons" in " ".join(TEXT.split()) and len(lessons(ROOT)) == 34
    assert f"counted on {len(datasets.coverage())} sources" in " ".join(TEXT.split())
