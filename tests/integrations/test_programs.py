"""The programs of the pages "Use it" print what the pages show."""

import pytest

from tools.release.programs import agree, output, programs


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.stem)
def test_a_program_runs_in_an_empty_folder_and_prints_what_its_page_shows(program):
    written = program.with_suffix(".txt").read_text(encoding="utf-8")
    found = output(program)
    assert agree(found, written), f"{found}\nand not\n{written}"
