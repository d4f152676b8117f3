"""Every classifier of scikit-learn with every calibrator: fitted, or refused for the reason in the table."""

import csv

import pytest
import sklearn
from packaging.version import Version

from tools import classifier_table

CLASSIFIERS = classifier_table.classifiers()
tabled = pytest.mark.skipif(
    Version(sklearn.__version__) < Version("1.9") or not classifier_table.TABLE.exists(),
    reason="the book's table is of the classifiers of scikit-learn 1.9",
)


@pytest.fixture(scope="module")
def table():
    with classifier_table.TABLE.open(encoding="utf-8", newline="") as lines:
        return {row["classifier"]: row for row in csv.DictReader(lines)}


@tabled
def test_the_table_holds_forty_classifiers_and_more_and_every_one_of_scikit_learn(table):
    assert list(table) == list(CLASSIFIERS) and len(table) > 40


@pytest.fixture(scope="module", params=[(part, n_classes) for n_classes in (2, 3) for part in range(4)])
def tried(request):
    """What came of a quarter of the classifiers, with the number of classes."""
    part, n_classes = request.param
    return n_classes, classifier_table.outcomes(dict(list(CLASSIFIERS.items())[part::4]), n_classes)


def test_each_goes_with_a_calibrator_or_is_refused_for_a_reason_that_users_understand(tried):
    for name, refusals in tried[1].items():
        assert set(refusals.values()) <= {"", *classifier_table.REASONS.values()}, name


@tabled
def test_each_is_put_together_with_all_calibrators_but_those_that_the_table_gives_a_reason_for(tried, table):
    column = {2: "two classes", 3: "three classes"}[tried[0]]
    for name, refusals in tried[1].items():
        assert classifier_table.summed_up(refusals) == table[name][column], name
