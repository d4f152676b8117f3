"""scikit-learn's own checks of an estimator: at least 40 pass, and each that fails has its reason."""

import warnings

import pytest
import sklearn
from packaging.version import Version
from sklearn.utils.estimator_checks import check_estimator

from calibration_lessons import models

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
