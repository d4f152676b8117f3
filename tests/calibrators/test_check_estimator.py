"""scikit-learn's own checks of an estimator: each that fails has its reason, and no other fails.

Its data are feature tables with any labels. A calibrator reads logits or scores, with labels that number
the columns, so many of the checks offer a calibrator what it has to refuse: about twenty of the sixty give
labels at chance, for which no temperature exists, or a label 2 beside two columns. Behind a classifier, in a
`CalibratedModel`, the same data suit every calibrator.
"""

import warnings

import pytest
import sklearn
from packaging.version import Version
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

import calibration_lessons as cl

OTHER_CHECKS = Version(sklearn.__version__) < Version("1.9")  # which there are, and what each asks, changes


def because(reason, *names):
    return {f"check_{name}": reason for name in names}


STRICT = {
    **because("arrays of objects are refused, even if they hold numbers", "dtype_object"),
    **because("labels in a column are refused, not flattened with a warning", "supervised_y_2d"),
}
NAMED_LABELS = because("labels are the numbers 0..K-1, no strings", "classifiers_classes")
MORE_CLASSES_THAN_COLUMNS = because(
    "the data have a label 2, and two columns of logits or one score",
    *("sample_weights_pandas_series", "sample_weights_not_an_array", "sample_weights_shape"),
    *("sample_weights_not_overwritten", "classifier_data_not_an_array", "classifiers_train"),
)
FITTED_TO_TWO_COLUMNS = because(
    "the data have a label 2, and two columns of logits or one score",
    *("estimators_overwrite_params", "estimators_fit_returns_self", "readonly_memmap_input"),
)
LABEL_2_BESIDE_A_BINARY_LOGIT = because(
    "one logit a row is binary, and the data have a label 2", "fit2d_1feature"
)
CHANCE = because(
    "the labels have nothing to do with the logits, so no temperature exists, and `fit` says so",
    *("dont_overwrite_parameters", "estimators_dtypes", "estimators_nan_inf", "f_contiguous_array_estimator"),
    *("methods_sample_order_invariance", "methods_subset_invariance", "dict_unchanged", "fit2d_predict1d"),
)
ONE_LABEL = because("a temperature cannot change the predicted class", "classifiers_one_label")
SEVERAL_COLUMNS = {
    **because(
        "the check takes the first of several columns, then asks for columns again",
        *("dont_overwrite_parameters", "n_features_in_after_fitting", "estimator_sparse_array"),
        *("f_contiguous_array_estimator", "methods_sample_order_invariance", "methods_subset_invariance"),
        *("fit2d_1sample", "fit2d_1feature", "dict_unchanged", "n_features_in", "fit2d_predict1d"),
    ),
    **because(
        "one score a row is expected, and the data have several columns or a label 2",
        *("estimators_dtypes", "sample_weight_equivalence_on_dense_data", "estimators_nan_inf"),
    ),
}
ONE_COLUMN = because("a 1-D array of scores is what the method is defined on", "fit1d")
NO_PROBABILITIES = because(
    "the data are no probabilities",
    *("estimators_overwrite_params", "estimators_fit_returns_self", "readonly_memmap_input"),
    *("positive_only_tag_during_fit", "all_zero_sample_weights_error", "pipeline_consistency"),
    *("estimators_pickle", "classifiers_regression_target", "fit_idempotent", "fit_check_is_fitted"),
)
NO_ROWS_OF_SUM_1 = because(
    "the rows of the data do not sum to 1",
    *("dont_overwrite_parameters", "f_contiguous_array_estimator", "sample_weights_list", "dict_unchanged"),
    *("estimators_nan_inf", "methods_subset_invariance", "methods_sample_order_invariance", "n_features_in"),
    *("fit2d_1sample", "estimators_dtypes", "fit2d_predict1d", "sample_weight_equivalence_on_dense_data"),
    *("n_features_in_after_fitting", "fit_score_takes_y"),
)
EMPTY_BINS = because("an empty bin keeps its centre", "classifiers_one_label")
ABSENT_CLASS = because(
    "a column has no label of its own, so its calibrator has nothing to learn from",
    *("n_features_in_after_fitting", "positive_only_tag_during_fit", "estimators_dtypes"),
    *("sample_weight_equivalence_on_dense_data", "pipeline_consistency", "estimators_nan_inf"),
    *("estimators_pickle", "fit2d_1sample"),
)
LOGITS = STRICT | NAMED_LABELS | MORE_CLASSES_THAN_COLUMNS | FITTED_TO_TWO_COLUMNS
SCORES = STRICT | NAMED_LABELS | MORE_CLASSES_THAN_COLUMNS | SEVERAL_COLUMNS
NO_CONFIDENCE = because(
    CHANCE["check_estimators_dtypes"],
    *("classifiers_one_label_sample_weights", "fit2d_1sample", "fit_idempotent"),
)
NO_TEMPERATURE = because(CHANCE["check_estimators_dtypes"], "n_features_in_after_fitting")
REPEATED_ROWS = because(
    "a repeated row may fall into another fold, and more rows support a weaker penalty",
    "sample_weight_equivalence_on_dense_data",
)

DIRECT = [
    (cl.TemperatureScaling(), LOGITS | LABEL_2_BESIDE_A_BINARY_LOGIT | CHANCE | ONE_LABEL | NO_TEMPERATURE),
    (
        cl.ExpectationConsistency(),
        LOGITS | LABEL_2_BESIDE_A_BINARY_LOGIT | CHANCE | ONE_LABEL | NO_CONFIDENCE,
    ),
    (cl.MatrixScaling(), LOGITS | LABEL_2_BESIDE_A_BINARY_LOGIT | CHANCE | NO_TEMPERATURE | REPEATED_ROWS),
    (cl.HistogramBinning(), SCORES | NO_PROBABILITIES | EMPTY_BINS),
    (cl.HistogramBinning(strategy="quantile"), SCORES | ONE_COLUMN),
    (cl.BetaCalibration(prior_targets=True), SCORES | NO_PROBABILITIES),
    (cl.VennAbersCalibration(), SCORES | ONE_COLUMN),
    (cl.IsotonicCalibration(), SCORES | ONE_COLUMN),
    (cl.PlattScaling(), SCORES | ONE_COLUMN),
    (cl.PlattScaling(slope=1.0), SCORES | ONE_COLUMN),
    (cl.OneVsRest(cl.PlattScaling()), LOGITS | ABSENT_CLASS),
    (cl.MultiClassIsotonic(), LOGITS | NO_PROBABILITIES | NO_ROWS_OF_SUM_1),
]


def checked(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return check_estimator(estimator, on_fail=None, on_skip=None)


@pytest.mark.skipif(OTHER_CHECKS, reason="the reasons are those of scikit-learn 1.9")
@pytest.mark.parametrize(("calibrator", "expected"), DIRECT, ids=lambda value: repr(value)[:40])
def test_exactly_the_checks_with_a_reason_fail(calibrator, expected):
    failed = {result["check_name"] for result in checked(calibrator) if result["status"] == "failed"}
    assert failed == set(expected)


BEHIND = {
    **because(
        "what is raised where no temperature fits hides what is asked",
        *("classifiers_one_label_sample_weights", "estimator_sparse_tag"),
    ),
    **REPEATED_ROWS,
    **because(REPEATED_ROWS["check_sample_weight_equivalence_on_dense_data"],
              "sample_weight_equivalence_on_sparse_data"),
}  # fmt: skip
NEEDS_A_TEMPERATURE = (cl.TemperatureScaling, cl.ExpectationConsistency, cl.MatrixScaling)


@pytest.mark.parametrize("calibrator", [each for each, _ in DIRECT], ids=lambda value: repr(value)[:40])
def test_behind_a_classifier_every_check_passes_unless_no_temperature_fits_its_data(calibrator):
    results = checked(cl.CalibratedModel(LogisticRegression(), calibrator, cv=2))
    assert sum(result["status"] == "passed" for result in results) >= 40
    failed = {
        result["check_name"]: str(result["exception"]) for result in results if result["status"] == "failed"
    }
    if isinstance(calibrator, NEEDS_A_TEMPERATURE):
        failed = {name: said for name, said in failed.items() if "no temperature fits" not in said}
        assert OTHER_CHECKS or failed.keys() <= BEHIND.keys()
    else:
        assert OTHER_CHECKS or not failed
