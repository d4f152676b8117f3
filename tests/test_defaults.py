"""What an argument is where none is given: as the signature shows."""

import inspect

from sklearn.naive_bayes import GaussianNB

import calibration_lessons as cl
from calibration_lessons.book import simulate


def test_five_folds_two_classes_and_fifteen_bins_are_what_is_meant_where_nothing_is_said():
    assert cl.CalibratedModel(GaussianNB(), cl.PlattScaling()).cv == 5
    assert cl.CalibrationAccumulator().n_bins == 15
    assert len(cl.ece_under_calibration([0.2, 0.7]).values) == 1000
    assert simulate.ScoreSource().binned_calibration_error() < 1e-12


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
