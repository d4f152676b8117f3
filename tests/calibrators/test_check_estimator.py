"""scikit-learn's own checks of an estimator: each that fails has its reason, and no other fails.

Its data are feature tables with any labels. A calibrator reads logits or scores, with labels that number
the columns, so many of the checks offer a calibrator what it has to refuse: about twenty of the sixty give
labels at chance, for which no temperature exists, or a label 2 beside two columns. Behind a classifier, in a
`CalibratedModel`, the same data suit every calibrator.
"""

import tomllib
import warnings
from pathlib import Path

import pytest
import sklearn
from packaging.version import Version
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

import calibration_lessons as cl

OTHER_CHECKS = Version(sklearn.__version__) < Version("1.9")  # which there are, and what each asks, changes


REASONS = tomllib.loads(Path(__file__).with_name("check_estimator.toml").read_text("utf-8"))


def failing(*groups):
    """The checks of some groups."""
    return {f"check_{name}" for group in groups for names in REASONS[group].values() for name in names}


SHARED = failing("strict", "named-labels", "more-classes-than-columns")
LOGITS, SCORES = SHARED | failing("fitted-to-two-columns"), SHARED | failing("several-columns")
TEMPERED = LOGITS | failing("label-2-beside-a-binary-logit", "chance")
ONE_COLUMN, NO_PROBABILITIES = SCORES | failing("one-column"), failing("no-probabilities")
DIRECT = [
    (cl.TemperatureScaling(), TEMPERED | failing("one-label", "no-temperature")),
    (cl.ExpectationConsistency(), TEMPERED | failing("one-label", "no-confidence")),
    (cl.MatrixScaling(), TEMPERED | failing("no-temperature", "repeated-rows")),
    (cl.HistogramBinning(), SCORES | NO_PROBABILITIES | failing("empty-bins")),
    (cl.HistogramBinning(strategy="quantile"), ONE_COLUMN),
    (cl.BetaCalibration(prior_targets=True), SCORES | NO_PROBABILITIES),
    (cl.VennAbersCalibration(), ONE_COLUMN),
    (cl.IsotonicCalibration(), ONE_COLUMN),
    (cl.PlattScaling(), ONE_COLUMN),
    (cl.PlattScaling(slope=1.0), ONE_COLUMN),
    (cl.OneVsRest(cl.PlattScaling()), LOGITS | failing("absent-class")),
    (cl.MultiClassIsotonic(), LOGITS | NO_PROBABILITIES | failing("no-rows-of-sum-1")),
]


def checked(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return check_estimator(estimator, on_fail=None, on_skip=None)


@pytest.mark.skipif(OTHER_CHECKS, reason="the reasons are those of scikit-learn 1.9")
@pytest.mark.parametrize(("calibrator", "expected"), DIRECT, ids=[repr(each)[:40] for each, _ in DIRECT])
def test_exactly_the_checks_with_a_reason_fail(calibrator, expected):
    failed = {result["check_name"] for result in checked(calibrator) if result["status"] == "failed"}
    assert failed == expected


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
        assert OTHER_CHECKS or failed.keys() <= failing("behind", "repeated-rows")
    else:
        assert OTHER_CHECKS or not failed
