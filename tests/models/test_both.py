"""What holds for both models: scikit-learn's own checks (40 pass at least), solvers, labels, input.

Those checks hold repeated rows to weights, pickles and clones to the model, data frames to their columns.
"""

import warnings

import numpy as np
import pytest
import sklearn
from packaging.version import Version
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from calibration_lessons import models
from tests.models.test_softmax_regression import overlapping

FORMS = [
    (models.LogisticRegression(l2=0.5), 2),
    (models.SoftmaxRegression(l2=1.0), 3),
    (models.SoftmaxRegression(form="reference", l2=1.0), 3),
]
each = pytest.mark.parametrize("model, n_classes", FORMS, ids=repr)
EXPECTED_FAILURES = {
    "check_dtype_object": "arrays of objects are refused, even if they hold numbers",
    "check_estimators_empty_data_messages": "refused in the package's own words: 'X is empty'",
    "check_fit2d_predict1d": "refused in the package's own words: 'expected a 2-D array'",
    "check_supervised_y_2d": "labels in a column are refused, not flattened with a warning",
}


@pytest.mark.parametrize("estimator", [models.LogisticRegression(l2=1.0), models.SoftmaxRegression(l2=1.0)])
def test_scikit_learns_checks_pass_but_for_those_with_a_reason(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert sum(result["status"] == "passed" for result in results) >= 40
    if Version(sklearn.__version__) < Version("1.9"):
        return  # which checks there are, and what each asks, changes with every version
    failed = {result["check_name"] for result in results if result["status"] == "failed"}
    assert failed == set(EXPECTED_FAILURES)


@each
def test_both_solvers_arrive_at_the_same_place_and_one_that_is_cut_short_says_so(model, n_classes):
    X, y = overlapping(3, n=300, n_classes=n_classes)
    newton, descent = (
        clone(model).set_params(solver=solver).fit(X, y) for solver in ("newton", "gradient-descent")
    )
    np.testing.assert_allclose(descent.predict_proba(X), newton.predict_proba(X), atol=1e-5)
    assert newton.n_iter_ < 12 < descent.n_iter_
    with pytest.warns(ConvergenceWarning, match="gradient-descent did not arrive in max_iter = 3 steps"):
        clone(model).set_params(solver="gradient-descent", max_iter=3).fit(X, y)


@each
@pytest.mark.parametrize(
    "labels", [["a", "b", "c"], [-3, 7, 9], [1.0, 2.0, 4.0], np.array(["a", "b", "c"], object), [False, True]]
)
def test_labels_of_any_sortable_kind_come_back(model, n_classes, labels):
    n_classes = min(n_classes, len(labels))
    X, y = overlapping(0, n_classes=n_classes)
    fitted = clone(model).fit(X, np.array(labels)[y])
    assert fitted.classes_.tolist() == list(labels[:n_classes])
    assert np.array_equal(fitted.predict(X), fitted.classes_[fitted.predict_proba(X).argmax(axis=1)])


@each
def test_a_class_without_weight_is_none_and_only_softmax_regression_is_multiclass(model, n_classes):
    with pytest.raises(ValueError, match="y holds one class only"):
        clone(model).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], [1, 0, 1, 0])
    assert get_tags(model).classifier_tags.multi_class is (n_classes > 2)


COMPLETE = "every row lies on its own class's side of a plane"
QUASI = "no row lies beyond a plane between classes, some lie on it"
TWO = [
    ([[0], [1], [2]], ["a", "b", "b"], COMPLETE),
    ([[1.2], [-0.5], [0.8], [-1.0], [0.3]], [1, 0, 1, 0, 1], COMPLETE),  # the example of Platt scaling
    ([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 1, 1, 1], COMPLETE),
    ([[0], [0], [1], [2]], [0, 1, 1, 1], QUASI),
    ([[0], [1], [1], [2]], [0, 0, 1, 1], QUASI),
    ([[0, 1], [1, 0], [1, 0], [0, 1], [1, 1]], [0, 1, 0, 1, 1], QUASI),
    ([[1, 0], [2, 0], [3, 0], [4, 0], [2, 1], [3, 1]], [0, 1, 0, 1, 1, 1], QUASI),
]
MANY = [
    ([[0, 0], [0, 1], [5, 0], [5, 1], [0, 9], [1, 9]], [0, 0, 1, 1, 2, 2], COMPLETE),
    ([[0], [1], [0], [1], [5], [6]], [0, 0, 1, 1, 2, 2], QUASI),
    ([[0], [0], [0], [1], [1]], [0, 1, 2, 0, 1], QUASI),
]


@each
@pytest.mark.parametrize("solver", ["newton", "gradient-descent"])
@pytest.mark.parametrize(("X", "y", "why"), [*TWO, *MANY])
def test_separated_classes_are_refused_in_words_unless_penalised(model, n_classes, solver, X, y, why):
    if len(set(y)) > n_classes:
        return
    model = clone(model).set_params(solver=solver)
    assert np.isfinite(model.fit(X, y).coef_).all()
    with pytest.raises(ValueError, match=f"y is separated by X .{why}.*l2 > 0"):
        model.set_params(l2=0.0).fit(X, y)


@pytest.mark.parametrize("form", ["symmetric", "reference"])
def test_classes_that_overlap_in_a_ring_are_not_separated(form):
    X, y = [[0], [0], [1], [1], [2], [2]], [0, 1, 1, 2, 2, 0]
    assert np.isfinite(models.SoftmaxRegression(form=form).fit(X, y).coef_).all()
