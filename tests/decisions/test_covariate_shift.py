"""Covariate shift: the definitions, densities that are known, where the old rows do not reach."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from calibration_lessons.book import definitions
from calibration_lessons.decisions import density_ratio


def normal_rows(shift, n_old=2000, n_new=2000, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_old, 2)), rng.normal([shift, 0], size=(n_new, 2))


@pytest.mark.equation("eq-density-ratio")
@given(st.integers(5, 40), st.integers(5, 40))
def test_weights_are_the_defined_ratio_up_to_the_mean(n_old, n_new):
    class ByPlace(DummyClassifier):
        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 0], X[:, 0]])

    g = np.random.default_rng(n_old).uniform(0.1, 0.9, (n_old + n_new, 1))
    with pytest.warns(UserWarning, match="effective rows"):
        if np.mean(g[n_old:] > g[:n_old].max()) > 0.5:
            g[0] = 0.95
        found = density_ratio(g[:n_old], g[n_old:], classifier=ByPlace())
    defined = np.array([definitions.density_ratio(one, n_old, n_new) for one in g[:n_old, 0]])
    np.testing.assert_allclose(found.weights, defined / defined.mean(), rtol=1e-12)


@pytest.mark.equation("eq-effective-rows")
def test_effective_rows_are_the_defined_ones():
    found = density_ratio(*normal_rows(1), random_state=0)
    assert found.effective_rows == pytest.approx(definitions.effective_rows(found.weights.tolist()))


@pytest.mark.parametrize("classifier", [None, GaussianNB()])
def test_weights_come_near_the_ratio_of_known_densities(classifier):
    old, new = normal_rows(1)
    found = density_ratio(old, new, classifier=classifier, random_state=0)
    assert np.corrcoef(found.weights, np.exp(old[:, 0] - 0.5))[0, 1] > 0.97
    assert np.average(old[:, 0], weights=found.weights) == pytest.approx(1, abs=0.15)
    assert found.effective_rows == pytest.approx(2000 / np.e, rel=0.25)


def test_it_warns_where_few_rows_count_and_refuses_where_old_rows_do_not_reach():
    with pytest.warns(UserWarning, match="label some new rows"):
        assert density_ratio(*normal_rows(2), random_state=0).effective_rows < 200
    with pytest.raises(ValueError, match="X_new lies beyond each row of X_old in 100%"):
        density_ratio(*normal_rows(6), random_state=0)
