"""Brier score and negative log-likelihood: definitions, scikit-learn, published values, bad input."""

import math

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from packaging.version import Version
from scipy.special import expit
from sklearn.metrics import brier_score_loss, log_loss

import calibration_lessons as cl
from calibration_lessons.book import definitions

logit_rows = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 30), st.integers(2, 5)), elements=st.floats(-20, 20)
)


def labels_for(data, values):
    return np.array(
        data.draw(st.lists(st.integers(0, values.shape[1] - 1), min_size=len(values), max_size=len(values)))
    )


@pytest.mark.equation("eq-brier")
@given(logit_rows, st.data())
def test_the_fast_brier_score_is_the_defined_one(logits, data):
    p, y = cl.softmax(logits), labels_for(data, logits)
    assert cl.brier_score(y, p) == pytest.approx(definitions.brier(y, p), abs=1e-12)
    assert -1e-12 <= cl.brier_score(y, p) <= 2


@pytest.mark.equation("eq-brier-binary")
@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=50))
def test_the_fast_binary_brier_score_is_the_defined_one(rows):
    y, p = (np.array(column) for column in zip(*rows, strict=True))
    assert cl.brier_score(y, p) == pytest.approx(definitions.brier_binary(y.astype(int), p), abs=1e-12)
    assert cl.brier_score(y, np.column_stack([1 - p, p])) == pytest.approx(
        2 * cl.brier_score(y, p), abs=1e-12
    )


@pytest.mark.equation("eq-nll")
@given(logit_rows, st.data())
def test_the_fast_likelihood_is_the_defined_one_from_logits_too(logits, data):
    p, y = cl.softmax(logits), labels_for(data, logits)
    defined = definitions.negative_log_likelihood(y, p)
    assert cl.negative_log_likelihood(y, p) == pytest.approx(defined, rel=1e-12, abs=1e-12)
    assert cl.negative_log_likelihood(y, logits, from_logits=True) == pytest.approx(
        defined, rel=1e-9, abs=1e-9
    )


@given(logit_rows, st.data())
def test_the_scores_of_logits_are_those_of_their_probabilities(logits, data):
    y = labels_for(data, logits)
    binary, events = logits[:, 0], y == 0
    for score in (cl.brier_score, cl.negative_log_likelihood):
        of_rows, of_one = (score(y, cl.softmax(logits)), score(events, expit(binary)))
        assert score(y, logits, from_logits=True) == pytest.approx(of_rows, rel=1e-6, abs=1e-12)
        assert score(events, binary, from_logits=True) == pytest.approx(of_one, rel=1e-6, abs=1e-12)


def test_certainty_that_is_wrong_costs_infinity_and_is_not_clipped():
    assert cl.negative_log_likelihood([1, 0], [0.0, 0.2]) == math.inf
    assert cl.negative_log_likelihood([0], [[0.0, 1.0]]) == math.inf
    assert cl.negative_log_likelihood([0], [[-np.inf, 1.0]], from_logits=True) == math.inf
    assert cl.negative_log_likelihood([1], [-np.inf], from_logits=True) == math.inf


def test_a_row_of_weight_zero_counts_nothing_even_at_infinity():
    assert cl.negative_log_likelihood([1, 0], [0.0, 0.5], sample_weight=[0, 1]) == pytest.approx(math.log(2))


def test_certainty_that_is_right_costs_nothing():
    assert cl.negative_log_likelihood([1, 0], [1.0, 0.0]) == 0 == cl.brier_score([1, 0], [1.0, 0.0])
    assert math.copysign(1, cl.negative_log_likelihood([1], [[0.0, 1.0]])) == 1


def test_far_logits_lose_nothing_however_far_the_rows_lie_apart():
    assert cl.negative_log_likelihood([0, 0], [[0.0, 1000.0], [-1e6, -1e6 + 2000]], from_logits=True) == 1500
    assert cl.negative_log_likelihood([1, 0], [-1000.0, -1000.0], from_logits=True) == 500


def test_single_precision_input_is_worked_on_and_summed_in_double():
    p, exact = np.full(2_000_000, 0.1, dtype=np.float32), float(np.float32(0.1))
    assert cl.brier_score(np.ones(len(p)), p) == pytest.approx((exact - 1) ** 2, rel=1e-12)
    assert cl.negative_log_likelihood([1], p[:1]) == pytest.approx(-math.log(exact), rel=1e-12)


@pytest.mark.skipif(
    Version(sklearn.__version__) < Version("1.7"), reason="the Brier score of several classes came with 1.7"
)
@given(logit_rows, st.data())
def test_agrees_with_scikit_learn(logits, data):
    p, y = cl.softmax(logits / 2), labels_for(data, logits)  # scikit-learn clips what is below 2e-16
    classes = list(range(p.shape[1]))
    assert cl.negative_log_likelihood(y, p) == pytest.approx(log_loss(y, p, labels=classes), abs=1e-9)
    expected = brier_score_loss(y, p, labels=classes, scale_by_half=False)
    assert cl.brier_score(y, p) == pytest.approx(expected, abs=1e-9)
