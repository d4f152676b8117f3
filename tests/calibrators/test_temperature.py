"""Temperature scaling: definitions, known truths, scikit-learn, degenerate data."""

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn import calibration

import calibration_lessons as cl
from calibration_lessons.book import definitions
from tests.calibrators.cases import logits_and_labels, mean, simulate


@pytest.fixture
def theirs():
    """scikit-learn's temperature scaling, which came with version 1.8."""
    return pytest.importorskip("sklearn", "1.8") and calibration._TemperatureScaling


def margins(logits, labels):
    """Exact means of max z - z_y and of z_y - mean z."""
    own = logits[np.arange(len(labels)), labels]
    finite_means = [mean(row[np.isfinite(row)]) for row in logits]
    return mean(logits.max(axis=1) - own), mean(own) - mean(finite_means)


def fitted_where_it_exists(logits, labels):
    below_top, above_mean = margins(logits, labels)
    assume(below_top > 0 and above_mean > 0)
    return cl.TemperatureScaling().fit(logits, labels)


@pytest.mark.equation("eq-temperature")
@given(logits_and_labels())
def test_the_probabilities_are_the_defined_ones(case):
    logits, labels = case
    scaling = fitted_where_it_exists(logits, labels)
    for row, p in zip(logits, scaling.predict_proba(logits), strict=True):
        defined = definitions.tempered_softmax(row.tolist(), scaling.temperature_)
        assert p == pytest.approx(defined, rel=1e-12, abs=1e-300)


@pytest.mark.equation("eq-temperature-nll")
@given(logits_and_labels())
def test_no_other_temperature_has_a_smaller_likelihood_loss(case):
    logits, labels = case
    best = fitted_where_it_exists(logits, labels).temperature_
    loss = definitions.temperature_nll(labels, logits, best)
    for other in (best * 0.99, best * 1.01, best / 2, best * 2, 1.0):
        assert loss <= definitions.temperature_nll(labels, logits, other) + 1e-13


@pytest.mark.equation("eq-temperature-stationary")
@given(logits_and_labels())
def test_the_expected_logit_equals_the_mean_logit_of_the_labels(case):
    logits, labels = case
    expected, observed = definitions.logit_balance(
        labels, logits, fitted_where_it_exists(logits, labels).temperature_
    )
    assert expected == pytest.approx(observed, abs=1e-10)


@given(logits_and_labels(ruled_out=True))
def test_a_temperature_exists_exactly_where_the_labels_are_neither_all_right_nor_at_chance(case):
    logits, labels = case
    below_top, above_mean = margins(logits, labels)
    if below_top > 0 and above_mean > 0:
        assert 0 < cl.TemperatureScaling().fit(logits, labels).temperature_ < np.inf
        return
    if below_top == above_mean == 0:
        message = "every temperature gives the same probabilities"
    else:
        message = "T -> 0" if below_top == 0 else "T -> infinity"
    with pytest.raises(ValueError, match=message):
        cl.TemperatureScaling().fit(logits, labels)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_equals_scikit_learn(k, theirs):
    logits, labels = simulate(3000, k, 1.7)
    temperature = 1 / theirs().fit(logits, labels).beta_
    assert cl.TemperatureScaling().fit(logits, labels).temperature_ == pytest.approx(temperature, rel=1e-6)


def test_a_binary_logit_is_read_as_zero_and_z_where_scikit_learn_reads_minus_and_plus_z(theirs):
    logits, labels = simulate(3000, 2, 1.7)
    z = logits[:, 1] - logits[:, 0]
    natural = cl.TemperatureScaling().fit(z, labels).temperature_
    assert natural == pytest.approx(cl.TemperatureScaling().fit(logits, labels).temperature_, rel=1e-12)
    assert natural == pytest.approx(0.5 / theirs().fit(z, labels).beta_, rel=1e-6)
    assert natural == cl.TemperatureScaling().fit(z[:, None], labels).temperature_
