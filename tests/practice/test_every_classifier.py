"""Every classifier of scikit-learn with every calibrator: fitted, or refused for the reason in the table."""

import csv

import pytest

from tools import classifier_table

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
