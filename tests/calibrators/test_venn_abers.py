"""Venn-Abers calibration: definitions, refits, validity, the cross method, the interval."""


import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import calibration_lessons as cl
from calibration_lessons.book import definitions, simulate
from calibration_lessons.calibrators.venn_abers import crossed
from tests.calibrators.cases import scores_and_labels

pytestmark = pytest.mark.filterwarnings("ignore:all (scores|labels) are:UserWarning")
SOURCE = simulate.ScoreSource(simulate.over_confident(2.0))
Y, P = SOURCE.sample(2000, random_state=0)


def refitted(scores, labels, weights, new):
    """p0 and p1 of each new score, by two fits of isotonic regression per score."""
    found = []
    for score in new:
        pair = []
        for label in (0, 1):
            joined = np.append(scores, score), np.append(labels, label), np.append(weights, 1.0)
            pair.append(cl.IsotonicCalibration().fit(*joined).predict_proba([score])[0, 1])
        found.append(pair)
    return np.array(found)


@pytest.mark.equation("eq-venn-abers-interval")
@given(scores_and_labels(), st.lists(st.integers(-1, 22).map(lambda x: x / 20), min_size=1, max_size=9))
def test_the_interval_is_the_defined_one_at_scores_between_them_and_outside(case, new):
    scores, labels = case
    found = cl.VennAbersCalibration().fit(scores, labels).predict_interval(new)
    defined = [definitions.venn_abers_interval(labels.tolist(), scores.tolist(), score) for score in new]
    assert found == pytest.approx(np.array(defined), abs=1e-12)


@pytest.mark.equation("eq-venn-abers")
@given(scores_and_labels(), st.lists(st.floats(-1, 2), min_size=1))
def test_the_probability_is_the_defined_one_inside_the_interval_and_never_0_or_1(case, new):
    fitted = cl.VennAbersCalibration().fit(*case)
    low, high = fitted.predict_interval(new).T
    p = fitted.predict_proba(new)[:, 1]
    defined = [definitions.venn_abers_probability(*pair) for pair in zip(low, high, strict=True)]
    assert p == pytest.approx(defined, rel=1e-12)
    assert (low < high).all() and (low <= p).all() and (p <= high).all()
    assert 0 < p.min() and p.max() < 1


@given(scores_and_labels(), st.data())
def test_with_weights_the_new_row_counts_as_one_row(case, data):
    scores, labels = case
    n = len(labels)
    weights = np.array(data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))) * 0.7
    new = np.append(scores, [-1.0, 0.55, 2.0])
    found = cl.VennAbersCalibration().fit(scores, labels, weights).predict_interval(new)
    assert found == pytest.approx(refitted(scores, labels, weights, new), abs=1e-12)


LABELS = [Y[:500], np.arange(64) % 2, np.arange(64) // 32, 1 - np.arange(64) // 32]


@pytest.mark.parametrize("labels", LABELS, ids=len)
@pytest.mark.parametrize("digits", [2, 16])
def test_many_rows_with_and_without_ties_and_patterns_give_what_two_refits_per_row_give(labels, digits):
    n = len(labels)
    scores = np.round(P[:n] if n == 500 else np.arange(64) / 64, digits)
    new = np.r_[np.round(P[-50:], digits), -1, scores[:50], 2]
    found = cl.VennAbersCalibration().fit(scores, labels).predict_interval(new)
    assert found == pytest.approx(refitted(scores, labels, np.ones(n), new), abs=1e-12)


def test_only_scores_at_which_an_end_steps_are_kept():
    fitted = cl.VennAbersCalibration().fit(P, Y)
    assert len(fitted.thresholds_) < len(P) / 3
    steps = (np.diff(fitted.lower_) > 0) | (np.diff(fitted.upper_) > 0)
    assert steps[1:].all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_cross_method_takes_geometric_means_over_the_folds_and_divides_by_their_sum(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    slopes = np.array([[1, 0, -1], [0, 1, 0]])[:, :n_classes]
    y = (X @ slopes + rng.gumbel(size=(300, n_classes))).argmax(axis=1)
    one = cl.VennAbersCalibration()
    calibrator = one if n_classes == 2 else cl.OneVsRest(one)
    model = cl.CalibratedModel(LogisticRegression(), calibrator, ensemble=True).fit(X, y)
    columns = []
    for k in range(n_classes):
        intervals = [
            pair.calibrator.predict_interval(pair.classifier.decision_function(X)).reshape(300, -1, 2)
            for pair in model.pairs_
        ]
        low, high = np.array(intervals)[:, :, k % intervals[0].shape[1]].transpose(2, 0, 1)
        for_it, against = high.prod(axis=0) ** 0.2, (1 - low).prod(axis=0) ** 0.2
        columns.append(for_it / (for_it + against))
    if n_classes == 2:
        columns[0] = 1 - columns[1]
    expected = np.stack(columns, axis=1)
    expected /= expected.sum(axis=1, keepdims=True)
    assert model.predict_proba(X) == pytest.approx(expected, rel=1e-9)


def test_other_calibrators_have_no_cross_method():
    assert crossed([cl.OneVsRest(cl.PlattScaling())] * 2, [P, P]) is None


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e300])
def test_weights_of_any_size_are_read(size):
    fitted = cl.VennAbersCalibration().fit([1.0, 2.0], [0, 1], [size, size])
    expected = [[0, 0], [1, 1]] if size > 1 else [[0, 1], [0, 1]]
    assert fitted.predict_interval([1.0, 2.0]) == pytest.approx(np.array(expected), abs=1e-200)
