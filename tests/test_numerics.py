"""Softmax and entropy against their definitions and at their limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibration_lessons as cl
from calibration_lessons.book import definitions
from calibration_lessons.uncertainty import entropy

rows = st.lists(st.floats(-50, 50), min_size=2, max_size=8)


@pytest.mark.equation("eq-softmax")
@given(rows)
def test_softmax_is_the_defined_one_and_sums_to_one(logits):
    p = cl.softmax(logits)
    np.testing.assert_allclose(p, definitions.softmax(logits), rtol=1e-12)
    assert p.sum() == pytest.approx(1, abs=1e-12)


@given(rows, st.floats(-1e6, 1e6))
def test_softmax_does_not_see_a_shift(logits, shift):
    np.testing.assert_allclose(cl.softmax(np.add(logits, shift)), cl.softmax(logits), atol=1e-8)


@given(rows)
def test_log_softmax_is_the_logarithm(logits):
    np.testing.assert_allclose(cl.log_softmax(logits), np.log(cl.softmax(logits)), atol=1e-9)


@pytest.mark.equation("eq-entropy")
@given(rows)
def test_entropy_is_the_defined_one_between_zero_and_log_k(logits):
    p = cl.softmax(logits)
    assert entropy(p, base="nats") == pytest.approx(definitions.entropy(p.tolist()), abs=1e-12)
    assert 0 <= entropy(p, base="nats") <= math.log(len(p)) + 1e-12
    assert entropy(p) == pytest.approx(entropy(p, base="nats") / math.log(2), abs=1e-12)


def test_each_row_is_by_itself_along_the_last_axis_however_far_the_rows_lie_apart():
    z = np.array([[[1000.0, 1001.0, 999.0], [-1000.0, -1003.0, -1000.5]]] * 4)
    for function in (cl.softmax, cl.log_softmax):
        np.testing.assert_array_equal(function(z), [function(row) for row in z])
    np.testing.assert_allclose(entropy(cl.softmax(z)), [entropy(cl.softmax(row)) for row in z])


def test_one_distribution_has_a_plain_float_and_a_sure_one_exactly_none():
    assert type(entropy([0.5, 0.5])) is float
    assert entropy([[1.0, 0.0], [0.5, 0.5]]).tolist() == [0.0, 1.0]
    assert entropy([0, 1]) == 0


def test_a_class_that_is_ruled_out_gets_zero():
    assert cl.softmax([0.0, -np.inf]).tolist() == [1.0, 0.0]
    assert cl.log_softmax([0.0, -np.inf]).tolist() == [0.0, -np.inf]
