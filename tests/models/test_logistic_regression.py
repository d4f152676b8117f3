"""Logistic regression: definitions, scikit-learn, separable data, known truth, bad input."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Theirs

from calibration_lessons.book import datasets, definitions
from calibration_lessons.models import LogisticRegression
from tests.models.test_softmax_regression import overlapping as of_any_classes
from tests.models.test_softmax_regression import parameters, seeds, with_ones

overlapping = partial(of_any_classes, n_classes=2)


@pytest.mark.equation("eq-log-odds", "eq-sigmoid")
@given(seeds)
def test_log_odds_and_probabilities_are_the_defined_ones(seed):
    X, y = overlapping(seed)
    model = LogisticRegression().fit(X, y)
    log_odds = [definitions.linear_log_odds(parameters(model), x) for x in with_ones(X)]
    np.testing.assert_allclose(model.decision_function(X), log_odds, atol=1e-9)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], [definitions.sigmoid(z) for z in log_odds], atol=1e-9
    )


@pytest.mark.equation("eq-logistic-hessian")
@given(seeds)
def test_a_step_of_newton_solves_the_hessian_for_the_gradient(seed):
    X, y = overlapping(seed)
    with pytest.warns(ConvergenceWarning, match="newton did not arrive in max_iter = 1 steps"):
        model = LogisticRegression(max_iter=1).fit(X, y)
    zero = [0.0] * 3
    hessian = definitions.logistic_hessian(zero, with_ones(X))
    step = np.linalg.solve(hessian, definitions.logistic_gradient(zero, with_ones(X), y))
    np.testing.assert_allclose(parameters(model), -step, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("l2", [0.0, 0.01, 1.0, 100.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_agrees_with_scikit_learn(l2, fit_intercept, weighted):
    X, y, _ = datasets.spambase()
    X, y = X[::4, :20], y[::4]
    w = np.random.default_rng(0).uniform(0, 2, len(y)) if weighted else None
    ours = LogisticRegression(l2=l2, fit_intercept=fit_intercept).fit(X, y, w)
    options = {"C": 1 / l2 if l2 else np.inf, "fit_intercept": fit_intercept}
    theirs = Theirs(**options, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, y, w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)


def test_units_and_offsets_of_the_features_do_not_matter():
    X, y = overlapping(1)
    p = LogisticRegression().fit(X, y).predict_proba(X)
    moved = X * [1e-150, 1e150] + [0, 3e156]
    np.testing.assert_allclose(LogisticRegression().fit(moved, y).predict_proba(moved), p, atol=1e-6)


def test_a_constant_or_repeated_column_changes_no_probability():
    X, y = overlapping(2)
    p = LogisticRegression().fit(X, y).predict_proba(X)
    wide = np.column_stack([X, np.full(len(X), 0.1), X[:, 0], X.sum(axis=1)])
    np.testing.assert_allclose(LogisticRegression().fit(wide, y).predict_proba(wide), p, atol=1e-8)


@given(
    hnp.arrays(int, st.tuples(st.integers(2, 8), st.integers(1, 2)), elements=st.integers(-2, 2)),
    st.lists(st.integers(0, 1), min_size=8, max_size=8),
)
@example(X=np.array([[-1, 1], [1, 0], [0, 0], [2, -2], [0, 0]]), labels=[0, 0, 0, 0, 1, 0, 0, 0])
def test_fit_succeeds_exactly_where_no_direction_of_a_fine_fan_separates(X, labels):
    y = np.array(labels[: len(X)])
    assume(0 < y.sum() < len(y))
    if X.shape[1] == 1:
        X = np.column_stack([X, np.zeros(len(X), dtype=int)])
    # Every separating plane of such small whole numbers can be turned until it goes through two of
    # the points, or through one and along an axis: few candidates decide.
    signs = 2 * y - 1
    normals = {(a, b) for a in range(-4, 5) for b in range(-4, 5) if (a, b) != (0, 0)}
    lifts = [signs * (X @ normal - offset) for normal in normals for offset in {int(x @ normal) for x in X}]
    separable = any(lift.min() >= 0 and lift.max() > 0 for lift in lifts)
    if separable:
        with pytest.raises(ValueError, match="y is separated by X"):
            LogisticRegression().fit(X, y)
    else:
        LogisticRegression().fit(X, y)
