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
    defined = [definitions.multi_class_isotonic(labels.tolist(), p.tolist(), q, SLOPE) for q in p.tolist()]
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


def test_no_probability_lies_below_what_the_lowest_ones_support_so_no_log_loss_is_infinite():
    p = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.7, 0.0, 0.3], [0.3, 0.7, 0.0]])
    fitted = cl.MultiClassIsotonic().fit(p, [0, 0, 0, 1])
    base_rate = (4 + 1) / (12 + 2)
    lowest, highest = 6 * base_rate / (8 + 6), (4 + 6 * base_rate) / (4 + 6)
    assert fitted.thresholds_.tolist() == [0, 0.3, 0.7, 0.9, 1]
    assert fitted.values_ == pytest.approx([lowest, lowest, highest, highest, highest], abs=1e-6)
    assert cl.MultiClassIsotonic(0).fit(p, [0, 0, 0, 1]).values_[0] == 0
