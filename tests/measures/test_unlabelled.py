"""What forecasts without labels tell: the definition, where both hold, and where both fail."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import calibration_lessons as cl
from calibration_lessons.book import definitions, simulate
from calibration_lessons.measures import unlabelled_accuracy


@pytest.mark.equation("eq-atc")
@given(hnp.arrays(float, (6, 3), elements=st.sampled_from([-1.0, 0.0, 0.5, 2.0])), st.data())
def test_it_is_the_share_above_the_defined_threshold(logits, data):
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=4, max_size=4)))
    p, before = cl.softmax(logits), cl.softmax(logits[:4])
    found = unlabelled_accuracy(p, before, y)
    errors = int((before.argmax(axis=1) != y).sum())
    share = definitions.share_above(p.max(axis=1), before.max(axis=1).tolist(), errors)
    assert found.above_threshold == share
    assert found.mean_confidence == pytest.approx(p.max(axis=1).mean())


def test_on_rows_as_before_the_share_is_the_accuracy_whatever_the_temperature():
    source = simulate.GaussianClasses(3)
    for temperature in (0.5, 1, 2):
        (x, y, _), (x_new, y_new, _) = (source.sample(50_000, random_state=seed) for seed in (0, 1))
        p, p_new = cl.softmax(source.logits(x) / temperature), cl.softmax(source.logits(x_new) / temperature)
        found, right = unlabelled_accuracy(p_new, p, y), np.mean(p_new.argmax(axis=1) == y_new)
        assert found.above_threshold == pytest.approx(right, abs=0.01)
        assert (abs(found.mean_confidence - right) < 0.01) == (temperature == 1)


def test_where_all_held_out_rows_are_wrong_it_says_0():
    assert unlabelled_accuracy([[0.9, 0.1]], [[0.9, 0.1], [0.2, 0.8]], [1, 0])[1:] == (0, np.inf)
