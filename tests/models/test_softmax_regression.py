"""Softmax regression: definitions, its two forms, scikit-learn, separable data, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Theirs

import calibration_lessons as cl
from calibration_lessons.book import datasets, definitions
from calibration_lessons.models import LogisticRegression, SoftmaxRegression

seeds = st.integers(0, 10_000)
FORMS = ["symmetric", "reference"]


def overlapping(seed, n=40, d=2, n_classes=3):
    """Rows of several classes that nothing separates: some rows stand in every class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 10, d) + rng.normal(size=d)
    y = (X @ rng.normal(size=(d, n_classes)) + rng.gumbel(size=(n, n_classes))).argmax(axis=1)
    ends = X.mean(axis=0) + np.vstack([np.eye(d), -np.eye(d)]) * X.std(axis=0)
    return np.vstack([X, np.repeat(ends, n_classes, axis=0)]), np.append(y, np.tile(range(n_classes), 2 * d))


def with_ones(X):
    return np.column_stack([np.ones(len(X)), X]).tolist()


def parameters(model):
    table = np.column_stack([model.intercept_, model.coef_])
    return table[0] if len(table) == 1 else table


@pytest.mark.equation("eq-softmax-regression")
@given(seeds)
def test_the_reference_form_is_the_defined_one_with_the_last_class_at_zero(seed):
    X, y = overlapping(seed)
    model = SoftmaxRegression(form="reference").fit(X, y)
    thetas = parameters(model)
    assert not thetas[-1].any()
    defined = [definitions.softmax_regression(thetas[:-1], x) for x in with_ones(X)]
    np.testing.assert_allclose(model.predict_proba(X), defined, atol=1e-9)
    ratios = model.decision_function(X)[:, :-1] - model.decision_function(X)[:, -1:]
    np.testing.assert_allclose(
        ratios, [[definitions.linear_log_odds(t, x) for t in thetas[:-1]] for x in with_ones(X)]
    )


@pytest.mark.equation("eq-softmax-symmetric")
@given(seeds)
def test_the_symmetric_form_is_the_defined_one_with_parameters_that_add_up_to_zero(seed):
    X, y = overlapping(seed)
    model = SoftmaxRegression().fit(X, y)
    defined = [definitions.softmax_regression_symmetric(parameters(model), x) for x in with_ones(X)]
    np.testing.assert_allclose(model.predict_proba(X), defined, atol=1e-9)
    np.testing.assert_allclose(parameters(model).sum(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), cl.softmax(model.decision_function(X)), atol=1e-12)


KINDS = [(LogisticRegression(), "logistic"), *((SoftmaxRegression(form=form), "softmax") for form in FORMS)]
each = pytest.mark.parametrize(("model", "name"), KINDS, ids=repr)


def fitted(model, name, seed):
    X, y = overlapping(seed, n_classes=2 if name == "logistic" else 3)
    return model.fit(X, y), X, y


@pytest.mark.equation("eq-logistic-loss", "eq-softmax-likelihood")
@each
@given(seeds, hnp.arrays(float, (3, 3), elements=st.floats(-0.5, 0.5)))
def test_no_other_parameters_have_a_smaller_loss(model, name, seed, step):
    model, X, y = fitted(model, name, seed)
    theta, loss = parameters(model), getattr(definitions, f"{name}_loss")
    best = loss(theta, with_ones(X), y)
    assert best <= loss(theta + (step[0] if theta.ndim == 1 else step), with_ones(X), y) + 1e-9
    assert best / len(y) == pytest.approx(cl.negative_log_likelihood(y, model.predict_proba(X)), abs=1e-9)


@pytest.mark.equation("eq-logistic-gradient", "eq-softmax-gradient")
@each
@given(seeds)
def test_the_gradient_vanishes_at_the_fit(model, name, seed):
    model, X, y = fitted(model, name, seed)
    gradient = getattr(definitions, f"{name}_gradient")(parameters(model), with_ones(X), y)
    np.testing.assert_allclose(gradient, 0, atol=1e-6)


@given(seeds, st.integers(2, 4))
def test_both_forms_agree_without_a_penalty(seed, n_classes):
    X, y = overlapping(seed, n_classes=n_classes)
    symmetric, reference = (SoftmaxRegression(form=form).fit(X, y) for form in FORMS)
    np.testing.assert_allclose(symmetric.predict_proba(X), reference.predict_proba(X), atol=1e-7)
    np.testing.assert_allclose(reference.coef_ - reference.coef_.mean(axis=0), symmetric.coef_, atol=1e-5)


def test_the_forms_part_with_a_penalty_as_the_reference_class_pays_nothing():
    X, y = load_iris(return_X_y=True)
    symmetric, reference = (SoftmaxRegression(form=form, l2=1.0).fit(X, y) for form in FORMS)
    assert np.abs(symmetric.predict_proba(X) - reference.predict_proba(X)).max() > 0.01
    renamed = SoftmaxRegression(form="reference", l2=1.0).fit(X, (y + 1) % 3)
    assert np.abs(renamed.predict_proba(X)[:, [1, 2, 0]] - reference.predict_proba(X)).max() > 0.01
    same = SoftmaxRegression(l2=1.0).fit(X, (y + 1) % 3)
    np.testing.assert_allclose(same.predict_proba(X)[:, [1, 2, 0]], symmetric.predict_proba(X), atol=1e-9)


@given(seeds)
def test_for_two_classes_it_is_logistic_regression(seed):
    X, y = overlapping(seed, n_classes=2)
    softmax, logistic = SoftmaxRegression().fit(X, y), LogisticRegression().fit(X, y)
    np.testing.assert_allclose(softmax.predict_proba(X), logistic.predict_proba(X), atol=1e-7)
    np.testing.assert_allclose(softmax.decision_function(X), logistic.decision_function(X), atol=1e-5)
    half = SoftmaxRegression(l2=1.0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(half, LogisticRegression(l2=0.5).fit(X, y).predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("l2", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("weighted", [True, False])
def test_agrees_with_scikit_learn(l2, weighted):
    y, p, _ = datasets.hpc_cv()
    X, y = np.log(p + 1e-3)[::4], y[::4]
    w = np.random.default_rng(0).uniform(0, 2, len(y)) if weighted else None
    ours = SoftmaxRegression(l2=l2).fit(X, y, w)
    theirs = Theirs(C=1 / l2 if l2 else np.inf, solver="newton-cg", tol=1e-10, max_iter=1000).fit(X, y, w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("kind", [LogisticRegression, SoftmaxRegression])
def test_the_first_step_of_gradient_descent_is_as_long_as_the_steepest_curvature_allows(kind):
    X, y = [[-1.0], [1.0], [1.0], [1.0]], [0, 1, 1, 0]  # slope 1/4; curvature 1/4, of two classes 1/2
    with pytest.warns(ConvergenceWarning, match="max_iter = 1 steps"):
        model = kind(solver="gradient-descent", fit_intercept=False, max_iter=1).fit(X, y)
    assert model.decision_function([[1.0]]) == pytest.approx(1)


def test_where_both_classes_are_as_probable_the_first_is_predicted():
    X, y = [[-1.0], [-1.0], [1.0], [1.0]], ["a", "b", "b", "a"]
    for model in (LogisticRegression(), SoftmaxRegression()):
        model.fit(X, y)
        assert not model.decision_function(X).any()
        assert model.predict(X).tolist() == ["a"] * 4
