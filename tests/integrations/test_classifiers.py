"""Boosted trees of other libraries, put together with every calibrator."""

import numpy as np
import pytest
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier
from xgboost import XGBClassifier

import calibration_lessons as cl
from tools.experiments import classifier_table

NAMED = {
    "CatBoostClassifier": CatBoostClassifier(iterations=20, silent=True, allow_writing_files=False),
    "LGBMClassifier": LGBMClassifier(n_estimators=20, min_child_samples=5, verbose=-1),
}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_catboost_and_lightgbm_go_with_every_calibrator(n_classes):
    for name, refusals in classifier_table.outcomes(NAMED, n_classes).items():
        assert set(refusals.values()) == {""}, (name, refusals)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_xgboost_which_takes_no_names_of_classes_goes_with_every_calibrator(n_classes):
    X, names = classifier_table.data(n_classes)
    codes = np.unique(names, return_inverse=True)[1]
    for calibrator in classifier_table.calibrators(n_classes).values():
        model = cl.CalibratedModel(XGBClassifier(n_estimators=20), calibrator, cv=2)
        assert classifier_table.outcome(model, X, codes) == "", calibrator
    with pytest.raises(ValueError, match="Invalid classes"):
        XGBClassifier(n_estimators=2).fit(X, names)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "booster",
    [
        XGBClassifier(n_estimators=200, early_stopping_rounds=3, verbosity=0),
        LGBMClassifier(n_estimators=200, early_stopping_round=3, verbose=-1),
        CatBoostClassifier(
            iterations=200, early_stopping_rounds=3, learning_rate=0.5, silent=True, allow_writing_files=False
        ),
    ],
    ids=lambda booster: type(booster).__name__,
)
def test_boosters_that_stop_early_are_read_by_their_margin(booster, n_classes):
    X, names = classifier_table.data(n_classes)
    y = np.unique(names, return_inverse=True)[1]
    model = cl.CalibratedModel(booster, cl.TemperatureScaling(), cv=2).fit(X, y, eval_set=0.2)
    z = model.scores(X)
    p = cl.softmax(z if z.ndim == 2 else np.stack([0 * z, z], axis=1))
    assert np.abs(p - model.estimator_.predict_proba(X)).max() < 1e-6
    best = getattr(model.estimator_, "best_iteration_", None) or model.estimator_.best_iteration
    assert best < 199
