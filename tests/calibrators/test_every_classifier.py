"""Every classifier of scikit-learn with every calibrator: fitted, or refused for the reason in the table."""

import csv
import functools

import pytest
import sklearn
from packaging.version import Version

from tools.experiments import classifier_table

CLASSIFIERS = classifier_table.classifiers()
# The book's table is of the classifiers of scikit-learn 1.9.
TABLED = Version(sklearn.__version__) >= Version("1.9") and classifier_table.TABLE.exists()


@functools.cache
def table():
    with classifier_table.TABLE.open(encoding="utf-8", newline="") as lines:
        return {row["classifier"]: row for row in csv.DictReader(lines)}


@pytest.mark.skipif(not TABLED, reason="the book's table is of the classifiers of scikit-learn 1.9")
def test_the_table_holds_forty_classifiers_and_more_and_every_one_of_scikit_learn():
    assert list(table()) == list(CLASSIFIERS) and len(table()) > 40


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize(("n_classes", "column"), [(2, "two classes"), (3, "three classes")])
def test_each_goes_with_a_calibrator_or_is_refused_for_the_reason_in_the_table(n_classes, column, part):
    quarter = dict(list(CLASSIFIERS.items())[part::4])
    for name, refusals in classifier_table.outcomes(quarter, n_classes).items():
        assert set(refusals.values()) <= {"", *classifier_table.REASONS.values()}, name
        if TABLED:
            assert classifier_table.summed_up(refusals) == table()[name][column], name
