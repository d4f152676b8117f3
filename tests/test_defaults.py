"""What an argument is where none is given: as the signature shows."""

import inspect

import calibration_lessons as cl


def test_wherever_bins_are_counted_fifteen_are_meant_where_nothing_is_said():
    asked = [getattr(cl, name) for name in cl.__all__ if callable(getattr(cl, name))]
    found = [inspect.signature(one).parameters.get("n_bins") for one in asked]
    assert {one.default for one in found if one and one.default is not None} == {15}


def test_a_chapter_made_for_another_version_says_so(capsys):
    cl.book.made_for("0.1")
    assert capsys.readouterr().out == ""
    cl.book.made_for("0.0")
    assert capsys.readouterr().out == (
        f"This chapter was made for version 0.0 of calibration_lessons; {cl.__version__} is installed. "
        f"Numbers may differ.\n"
    )
