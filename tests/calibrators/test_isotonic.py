"""Isotonic calibration: definitions, scikit-learn, ties, the ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

import calibration_lessons as cl
from calibration_lessons.book import definitions
from tests.calibrators.cases import scores_and_labels

pytestmark = pytest.mark.filterwarnings("ignore:all (scores|labels) are:UserWarning")


@pytest.mark.equation("eq-isotonic")
@given(scores_and_labels())
def test_the_value_at_each_score_is_the_defined_one(case):
    scores, labels = case
    fitted = cl.IsotonicCalibration().fit(scores, labels)
    for score, p in zip(scores, fitted.predict_proba(scores)[:, 1], strict=True):
        assert p == pytest.approx(definitions.isotonic_value(labels, scores, score), abs=1e-12)


@given(scores_and_labels(), st.lists(st.floats(-0.5, 1.5), min_size=1), st.data())
def test_agrees_with_scikit_learn_at_scores_between_and_outside(case, new, data):
    scores, labels = case
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(scores), max_size=len(scores)))
    theirs = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(scores, labels, weights)
    ours = cl.IsotonicCalibration().fit(scores, labels, weights)
    assert ours.predict_proba(new)[:, 1] == pytest.approx(theirs.predict(new), abs=1e-9)


def test_only_the_ends_of_a_block_are_kept_and_zero_has_no_sign():
    fitted = cl.IsotonicCalibration().fit([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1])
    assert fitted.thresholds_.tolist() == [1, 2, 5, 6]
    assert fitted.values_.tolist() == [0, 0.5, 0.5, 1]
    assert cl.IsotonicCalibration().fit([0.0, -0.0, 1.0], [0, 1, 1]).thresholds_.tolist() == [0, 1]
