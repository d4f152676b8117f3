"""Every classifier of scikit-learn with every calibrator: fitted, or refused for the reason in the table."""

import csv

import pytest
import sklearn
from packaging.version import Version

from tools import classifier_table

if Version(sklearn.__version__) < Version("1.9") or not classifier_table.TABLE.exists():
    pytest.skip("the book's table is of the classifiers of scikit-learn 1.9", allow_module_level=True)

CLASSIFIERS = classifier_table.classifiers()
with classifier_table.TABLE.open(encoding="utf-8", newline="") as lines:
    TABLE = {row["classifier"]: row for row in csv.DictReader(lines)}


def test_the_table_holds_forty_classifiers_and_more_and_every_one_of_scikit_learn():
    assert list(TABLE) == list(CLASSIFIERS) and len(TABLE) > 40


@pytest.mark.parametrize(("n_classes", "column"), [(2, "two classes"), (3, "three classes")])
@pytest.mark.parametrize("part", range(4))
def test_each_is_put_together_with_all_calibrators_but_those_that_the_table_gives_a_reason_for(
    part, n_classes, column
):
    some = dict(list(CLASSIFIERS.items())[part::4])
    for name, refusals in classifier_table.outcomes(some, n_classes).items():
        assert classifier_table.summed_up(refusals) == TABLE[name][column], name


def test_each_reason_is_one_that_the_table_explains():
    for row in TABLE.values():
        for cell in (row["two classes"], row["three classes"]):
            reasons = [part.rpartition(": ")[2] for part in cell.split("; ")]
            assert cell == "all" or set(reasons) <= set(classifier_table.REASONS.values()), row
