"""CalibratedModel: cross-fitting, what each calibrator reads, labels of any kind, what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import calibration_lessons as cl

X2, Y2 = make_classification(400, random_state=0, flip_y=0.2)
X3, Y3 = make_classification(400, n_informative=5, n_classes=3, random_state=0, flip_y=0.2)
LINEAR = LogisticRegression(max_iter=1000)


@pytest.mark.parametrize("data", [(X2, Y2), (X3, Y3)], ids=["two classes", "three classes"])
@pytest.mark.parametrize("calibrator", [cl.TemperatureScaling(), cl.ExpectationConsistency()], ids=repr)
def test_the_calibrator_learns_from_out_of_fold_scores_and_the_classifier_from_all_rows(data, calibrator):
    X, y = data
    model = cl.CalibratedModel(LINEAR, calibrator).fit(X, y)
    unseen = cross_val_predict(LINEAR, X, y, method="decision_function")
    assert model.calibrator_.temperature_ == clone(calibrator).fit(unseen, y).temperature_
    scores = LINEAR.fit(X, y).decision_function(X)
    assert np.array_equal(model.predict_proba(X), model.calibrator_.predict_proba(scores))
    assert np.array_equal(model.predict(X), LINEAR.predict(X))


def test_isotonic_calibration_equals_scikit_learns_without_an_ensemble():
    ours = cl.CalibratedModel(LINEAR, cl.IsotonicCalibration()).fit(X2, Y2)
    theirs = CalibratedClassifierCV(LINEAR, method="isotonic", ensemble=False).fit(X2, Y2)
    assert ours.predict_proba(X2) == pytest.approx(theirs.predict_proba(X2), abs=1e-9)


def test_one_against_the_rest_equals_scikit_learns_isotonic_for_three_classes():
    ours = cl.CalibratedModel(LINEAR, cl.OneVsRest(cl.IsotonicCalibration())).fit(X3, Y3)
    theirs = CalibratedClassifierCV(LINEAR, method="isotonic", ensemble=False).fit(X3, Y3)
    assert ours.predict_proba(X3) == pytest.approx(theirs.predict_proba(X3), abs=1e-9)


def test_a_frozen_classifier_learns_from_the_rows_it_is_given_and_leaves_the_classifier_alone():
    fitted = LogisticRegression(max_iter=1000).fit(X3[:200], Y3[:200])
    frozen = FrozenEstimator(fitted)
    model = cl.CalibratedModel(frozen, cl.TemperatureScaling()).fit(X3[200:], Y3[200:])
    expected = cl.TemperatureScaling().fit(fitted.decision_function(X3[200:]), Y3[200:])
    assert model.estimator_ is frozen
    assert np.array_equal(model.predict_proba(X3), expected.predict_proba(fitted.decision_function(X3)))
    assert model.calibrator_.temperature_ == expected.temperature_


@pytest.mark.parametrize("names", [np.array(["spam", "ham", "eggs"]), np.array([30, 10, 20])])
def test_labels_may_be_strings_or_any_numbers(names):
    plain = cl.CalibratedModel(LINEAR, cl.TemperatureScaling()).fit(X3, np.argsort(np.argsort(names))[Y3])
    named = cl.CalibratedModel(LINEAR, cl.TemperatureScaling()).fit(X3, names[Y3])
    assert named.classes_.tolist() == sorted(names)
    assert np.array_equal(named.predict_proba(X3), plain.predict_proba(X3))
    assert np.array_equal(named.predict(X3), named.classes_[plain.predict(X3)])


@pytest.mark.parametrize(
    ("estimator", "calibrator", "read"),
    [
        (LINEAR, cl.TemperatureScaling(), lambda m: m.decision_function(X2)),
        (LINEAR, cl.PlattScaling(), lambda m: m.decision_function(X2)),
        (LINEAR, cl.IsotonicCalibration(), lambda m: m.decision_function(X2)),
        (LINEAR, cl.HistogramBinning(), lambda m: m.predict_proba(X2)[:, 1]),
        (LinearSVC(), cl.HistogramBinning(strategy="quantile"), lambda m: m.decision_function(X2)),
        (GaussianNB(), cl.TemperatureScaling(), lambda m: m.predict_log_proba(X2)),
        (GaussianNB(), cl.IsotonicCalibration(), lambda m: m.predict_proba(X2)[:, 1]),
        (GaussianNB(), cl.PlattScaling(), lambda m: np.subtract(*m.predict_log_proba(X2).T[::-1])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_calibrator_reads_what_its_method_is_defined_on(estimator, calibrator, read):
    model = cl.CalibratedModel(estimator, calibrator).fit(X2, Y2)
    expected = model.calibrator_.predict_proba(read(model.estimator_))
    assert model.predict_proba(X2) == pytest.approx(expected, rel=1e-9)


def test_one_against_the_rest_reads_the_log_odds_of_each_class():
    model = cl.CalibratedModel(GaussianNB(), cl.OneVsRest(cl.PlattScaling())).fit(X3, Y3)
    p = model.estimator_.predict_proba(X3)
    expected = model.calibrator_.predict_proba(np.log(p / (1 - p)))
    assert model.predict_proba(X3) == pytest.approx(expected, rel=1e-6)
    two = cl.CalibratedModel(LINEAR, cl.OneVsRest(cl.PlattScaling())).fit(X2, Y2)
    z = two.estimator_.decision_function(X2)
    assert np.array_equal(two.predict_proba(X2), two.calibrator_.predict_proba(np.stack([-z, z], axis=1)))


def test_weights_reach_the_classifier_and_the_calibrator():
    weights = np.random.default_rng(0).integers(1, 4, len(X2)).astype(float)
    model = cl.CalibratedModel(LINEAR, cl.TemperatureScaling()).fit(X2, Y2, weights)
    unseen = cross_val_predict(LINEAR, X2, Y2, method="decision_function", params={"sample_weight": weights})
    assert model.calibrator_.temperature_ == cl.TemperatureScaling().fit(unseen, Y2, weights).temperature_
    assert np.array_equal(model.estimator_.coef_, clone(LINEAR).fit(X2, Y2, weights).coef_)


def test_works_in_cross_validation_with_frames_and_pickles():
    frame = pd.DataFrame(X3).add_prefix("x")
    model = cl.CalibratedModel(LINEAR, cl.TemperatureScaling(), cv=KFold(3, shuffle=True, random_state=0))
    assert cross_val_score(model, frame, Y3, scoring="neg_log_loss").min() > -1.1
    model.fit(frame, Y3)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(frame), model.predict_proba(frame))


def test_a_model_that_gives_certain_scores_is_refused_in_words_where_the_method_cannot_read_them():
    forest = RandomForestClassifier(n_estimators=5, random_state=0)
    with pytest.raises(ValueError, match=r"cannot learn from the classifier's scores: X\[\d+\] is infinity"):
        cl.CalibratedModel(forest, cl.PlattScaling()).fit(X2, Y2)
    with pytest.raises(ValueError, match=r"scores: X\[\d+\] has the logit -inf for its own label"):
        cl.CalibratedModel(forest, cl.TemperatureScaling()).fit(X3, Y3)
    assert cl.CalibratedModel(forest, cl.HistogramBinning()).fit(X2, Y2).predict_proba(X2).shape == (400, 2)


@pytest.mark.parametrize(
    ("change", "X", "y", "error", "message"),
    [
        ({"calibrator": cl.PlattScaling()}, X3, Y3, ValueError, "expected one score a row.*OneVsRest"),
        ({"cv": 1}, X2, Y2, ValueError, "k-fold"),
        ({"cv": "five"}, X2, Y2, ValueError, "cv"),
        ({}, X2, np.linspace(0, 1, 400), ValueError, "Unknown label type: continuous"),
        ({"estimator": FrozenEstimator(LogisticRegression())}, X2, Y2, NotFittedError, "not fitted yet"),
    ],
)
def test_what_does_not_fit_together_is_refused_in_words(change, X, y, error, message):
    estimator = LogisticRegression(max_iter=1000)
    model = cl.CalibratedModel(estimator, cl.TemperatureScaling()).set_params(**change)
    with pytest.raises(error, match=message):
        model.fit(X, y)


def test_a_label_that_the_frozen_classifier_does_not_know_and_unfitted_use_are_refused():
    fitted = LogisticRegression(max_iter=1000).fit(X2, np.array(["no", "yes"])[Y2])
    with pytest.raises(ValueError, match=r"y\[2\] = .*maybe.*expected one of the classes"):
        cl.CalibratedModel(FrozenEstimator(fitted), cl.PlattScaling()).fit(X2[:3], ["no", "yes", "maybe"])
    with pytest.raises(NotFittedError):
        cl.CalibratedModel(LINEAR, cl.PlattScaling()).predict(X2)
