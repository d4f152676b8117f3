"""Multi-class isotonic regression: the definition, what it keeps, what it mends, the ends, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibration_lessons as cl
from calibration_lessons.book import definitions
from calibration_lessons.calibrators.multi_class_isotonic import SLOPE
from tests.calibrators.cases import simulate

LOGITS, LABELS = simulate(600, 4, 2.0)
PROBABILITIES = cl.softmax(LOGITS)


@st.composite
def rows_and_labels(draw):
    """Probabilities in twelfths, so that ties occur, with labels."""
    k, n = draw(st.integers(2, 4)), draw(st.integers(1, 8))
    cuts = st.lists(st.integers(0, 12), min_size=k - 1, max_size=k - 1).map(sorted)
    rows = np.diff(np.array(draw(st.lists(cuts, min_size=n, max_size=n))), axis=1, prepend=0, append=12) / 12
    return rows, np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))


@pytest.mark.equation("eq-multi-class-isotonic")
@given(rows_and_labels())
def test_each_calibration_row_gets_the_defined_probabilities(case):
    p, labels = case
    found = cl.MultiClassIsotonic(smoothing=0).fit(p, labels).predict_proba(p)
    defined = [
        definitions.multi_class_isotonic(labels.tolist(), p.tolist(), row, SLOPE) for row in p.tolist()
    ]
    assert found == pytest.approx(np.array(defined), abs=1e-12)


@given(rows_and_labels(), rows_and_labels(), st.sampled_from([0, 0.5, 2.0]))
def test_the_order_within_each_row_stays_and_with_it_the_predicted_class(case, other, smoothing):
    (p, labels), (new, _) = case, other
    fitted = cl.MultiClassIsotonic(smoothing).fit(p, labels)
    new = new[:, : p.shape[1]] if new.shape[1] == p.shape[1] else p
    q = fitted.predict_proba(new)
    assert q.sum(axis=1) == pytest.approx(1, abs=1e-12)
    above = new[:, :, None] > new[:, None, :]
    assert (q[:, :, None] > q[:, None, :])[above].all()
    assert (np.diff(np.sort(q, axis=1), axis=1)[np.diff(np.sort(new, axis=1), axis=1) == 0] == 0).all()
    assert fitted.predict(new).tolist() == new.argmax(axis=1).tolist()


@given(rows_and_labels(), st.randoms())
def test_renamed_classes_change_nothing_but_the_columns(case, random):
    p, labels = case
    order = np.array(random.sample(range(p.shape[1]), p.shape[1]))
    renamed = cl.MultiClassIsotonic().fit(p[:, order], order.argsort()[labels])
    assert renamed.predict_proba(p[:, order]) == pytest.approx(
        cl.MultiClassIsotonic().fit(p, labels).predict_proba(p)[:, order], abs=1e-12
    )


def test_probabilities_that_come_as_often_as_they_say_stay_as_they_are():
    p = np.repeat([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]], 4, axis=0)
    labels = np.array([0, 0, 1, 2, 1, 1, 0, 2, 2, 2, 0, 1])
    fitted = cl.MultiClassIsotonic(smoothing=0).fit(p, labels)
    assert fitted.predict_proba(p) == pytest.approx(p, abs=1e-12)
    assert fitted.values_[1:-1] == pytest.approx(fitted.thresholds_[1:-1], abs=1e-12)


def test_with_two_classes_it_is_isotonic_regression_of_rows_and_their_mirror_images():
    p, positive = PROBABILITIES[:, 1], LABELS == 1
    both = cl.MultiClassIsotonic(smoothing=0).fit(np.stack([1 - p, p], axis=1), positive)
    mirrored = cl.IsotonicCalibration().fit(np.r_[p, 1 - p], np.r_[positive, ~positive])
    expected = mirrored.predict_proba(p)[:, 1]
    assert both.predict_proba(np.stack([1 - p, p], axis=1))[:, 1] == pytest.approx(expected, abs=1e-5)


def test_a_shape_that_no_temperature_has_is_found():
    said = cl.softmax(3 * np.random.default_rng(1).standard_normal((6000, 5)))
    truth = 0.6 * said + 0.4 / 5
    labels = (np.random.default_rng(2).random((6000, 1)) > truth.cumsum(axis=1)[:, :-1]).sum(axis=1)
    known, new = slice(0, 3000), slice(3000, None)
    fitted = cl.MultiClassIsotonic().fit(said[known], labels[known]).predict_proba(said[new])
    one = cl.TemperatureScaling().fit(np.log(said[known]), labels[known]).predict_proba(np.log(said[new]))
    assert np.abs(fitted - truth[new]).mean() < np.abs(one - truth[new]).mean() / 2
    assert cl.negative_log_likelihood(labels[new], fitted) < cl.negative_log_likelihood(labels[new], one)


def test_no_probability_lies_below_what_the_lowest_ones_support_so_no_log_loss_is_infinite():
    p = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.7, 0.0, 0.3], [0.3, 0.7, 0.0]])
    fitted = cl.MultiClassIsotonic().fit(p, [0, 0, 0, 1])
    base_rate = (4 + 1) / (12 + 2)
    lowest, highest = 6 * base_rate / (8 + 6), (4 + 6 * base_rate) / (4 + 6)
    assert fitted.thresholds_.tolist() == [0, 0.3, 0.7, 0.9, 1]
    assert fitted.values_ == pytest.approx([lowest, lowest, highest, highest, highest], abs=1e-6)
    assert cl.MultiClassIsotonic(0).fit(p, [0, 0, 0, 1]).values_[0] == 0
