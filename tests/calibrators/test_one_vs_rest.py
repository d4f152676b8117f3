"""One against the rest: the definition, each method through it, absent classes, bad input."""

import numpy as np
import pytest
from sklearn.base import clone

import calibration_lessons as cl
from calibration_lessons.book import definitions
from tests.calibrators.cases import simulate

pytestmark = pytest.mark.filterwarnings("ignore:X looks like probabilities")

LOGITS, LABELS = simulate(300, 3, 2.0)
PROBABILITIES = cl.softmax(LOGITS)
INNER = [cl.HistogramBinning(5), cl.IsotonicCalibration(), cl.PlattScaling()]


@pytest.mark.equation("eq-one-vs-rest")
@pytest.mark.parametrize("inner", INNER, ids=repr)
def test_each_row_is_the_defined_share_of_the_classes_own_calibrators(inner):
    fitted = cl.OneVsRest(inner).fit(PROBABILITIES, LABELS)
    own = [
        clone(inner).fit(PROBABILITIES[:, k], LABELS == k).predict_proba(PROBABILITIES[:, k])[:, 1]
        for k in range(3)
    ]
    defined = [definitions.one_vs_rest(row) for row in np.transpose(own).tolist()]
    assert fitted.predict_proba(PROBABILITIES) == pytest.approx(np.array(defined), rel=1e-12)
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert [type(each) for each in fitted.calibrators_] == [type(inner)] * 3


def test_a_row_in_which_every_class_gets_nothing_becomes_uniform():
    scores = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    fitted = cl.OneVsRest(cl.IsotonicCalibration()).fit(scores[:3], [0, 1, 2])
    assert fitted.predict_proba(scores[3:]).tolist() == [definitions.one_vs_rest([0.0, 0.0, 0.0])]
    assert fitted.predict(scores).tolist() == [0, 1, 2, 0]


def test_an_interval_of_each_class_is_its_calibrators_own():
    fitted = cl.OneVsRest(cl.VennAbersCalibration()).fit(PROBABILITIES, LABELS)
    found = fitted.predict_interval(PROBABILITIES[:5])
    for k in range(3):
        alone = cl.VennAbersCalibration().fit(PROBABILITIES[:, k], LABELS == k)
        assert found[:, k].tolist() == alone.predict_interval(PROBABILITIES[:5, k]).tolist()
