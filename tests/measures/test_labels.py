"""Labels by their names: the measures read them as scikit-learn's do, also as scorers."""

import inspect
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_val_score

import calibration_lessons as cl
from tests.refusals import refusals, refused

RNG = np.random.default_rng(0)
Y2, P2 = RNG.integers(0, 2, 60), RNG.random(60)
Y3, P3 = RNG.integers(0, 3, 60), RNG.dirichlet(np.ones(3), 60)
NAMES = np.array(["dog", "cat", "owl"])  # in the order of the columns, which is not the alphabet's

MEASURES = {
    "reliability_curve": lambda *rows, **names: cl.reliability_curve(*rows, **names).ece(),
    "calibration_report": partial(cl.calibration_report, random_state=0, n_draws=20),
    "calibration_test": partial(cl.calibration_test, random_state=0, n_draws=20),
    "class-wise": partial(cl.expected_calibration_error, target="class-wise"),
    "brier_decomposition": partial(cl.brier_decomposition, n_bins=4),
    "risk_coverage": lambda *rows, **names: cl.decisions.risk_coverage(*rows, **names).area,
    "expected_calibration_error": cl.expected_calibration_error,
    "maximum_calibration_error": cl.maximum_calibration_error,
    "ece_interval": cl.ece_interval,
    "compare": lambda y, p, **names: cl.compare(y, p, p[::-1], n_bins=2, **names).nll,
    "brier_score": cl.brier_score,
    "negative_log_likelihood": cl.negative_log_likelihood,
}
BINARY = {
    "corp_decomposition": cl.corp_decomposition,
    "calibration_slope_intercept": cl.calibration_slope_intercept,
    "net_benefit": lambda *given, **options: tuple(cl.net_benefit(*given, [0.3], **options)),
    "risk_validation": lambda *given, **options: cl.risk_validation(*given, **options).slope,
    "corp_curve": lambda *rows, **names: cl.corp_curve(*rows, **names).recalibrated.sum(),
}


@pytest.mark.parametrize("name", MEASURES)
def test_names_of_the_columns_stand_for_their_numbers(name):
    measure = MEASURES[name]
    assert measure(NAMES[Y3], P3, labels=NAMES) == measure(Y3, P3)
    assert measure(7 - Y3, P3, labels=[7, 6, 5]) == measure(Y3, P3)
    assert measure(NAMES[Y2], P2, labels=["dog", "cat"]) == measure(Y2, P2)


@pytest.mark.parametrize("name", [*MEASURES, *BINARY])
def test_the_positive_class_of_two_is_the_one_that_is_named_or_the_last_of_the_alphabet(name):
    measure = (MEASURES | BINARY)[name]
    words = np.array(["ham", "spam"])
    for names in ({}, {"pos_label": "spam"}):
        assert (
            measure(words[Y2], P2, **names)
            == measure(words[Y2].astype(object), P2, **names)
            == measure(Y2, P2)
        )
    assert measure(words[Y2], 1 - P2, pos_label="ham") == measure(1 - Y2, 1 - P2)
    assert measure(2 * Y2 - 1, P2, pos_label=1) == measure(Y2 == 1, P2) == measure(Y2, P2)


@pytest.mark.parametrize("name", [*MEASURES, *BINARY])
def test_names_whose_event_is_sorted_first_are_noticed(name):
    fraud, measure = np.where(P2 + Y2 / 4 > 0.6, "fraud", "ok"), (MEASURES | BINARY)[name]
    with pytest.warns(UserWarning, match="y_prob is lower where the label is 'ok'.* pos_label='fraud' if"):
        measure(fraud, 0.8 * P2 + 0.1)


def test_a_part_that_holds_one_class_only_is_read_where_its_names_are_told():
    assert cl.brier_score(["spam"] * 2, [0.9, 0.8], pos_label="spam") == pytest.approx(0.025)
    assert cl.brier_score(["ham"] * 2, [0.1, 0.2], pos_label="spam") == pytest.approx(0.025)
    assert cl.brier_score(["ham"] * 2, [0.1, 0.2], labels=["ham", "spam"]) == pytest.approx(0.025)


def test_a_frame_whose_columns_follow_the_labels_or_are_no_names_of_classes_is_read_as_it_stands():
    in_order = pd.DataFrame(P3, columns=NAMES)
    assert cl.brier_score(NAMES[Y3], in_order, labels=list(in_order.columns)) == cl.brier_score(Y3, P3)
    assert cl.brier_score(Y3, pd.DataFrame(P3, columns=["p", "q", 0])) == cl.brier_score(Y3, P3)
    shuffled = pd.Series(Y3, index=RNG.permutation(60))
    assert cl.brier_score(shuffled, pd.DataFrame(P3, index=shuffled.index)) == cl.brier_score(Y3, P3)


@refusals("names")
def test_names_that_do_not_fit_the_columns_are_refused(kind, start, call):
    refused(kind, start, call, globals())


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(
    "measure", [cl.expected_calibration_error, cl.brier_score, cl.maximum_calibration_error]
)
def test_a_measure_is_a_scorer_of_any_classifier(measure, n_classes):
    X, numbers = make_classification(300, n_informative=4, n_classes=n_classes, random_state=0)
    words = np.array(["no", "yes"] if n_classes == 2 else ["ant", "bee", "cow", "dog"])

    def scored(y, **options):
        scorer = make_scorer(measure, response_method="predict_proba", **options)
        return cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3, error_score="raise")

    found = scored(words[numbers], greater_is_better=False)
    np.testing.assert_array_equal(found, scored(numbers, greater_is_better=False))
    assert (found < 0).all()
    if n_classes == 2:
        np.testing.assert_array_equal(scored(words[numbers], pos_label="no"), scored(numbers, pos_label=0))


def test_each_measure_of_labels_and_forecasts_takes_names():
    for name in (n for n in cl.__all__ if inspect.isfunction(getattr(cl, n))):
        parameters = inspect.signature(getattr(cl, name)).parameters
        if "y_true" in parameters:
            assert "pos_label" in parameters and ("labels" in parameters or name in BINARY), name
            data = ("y_true", "y_prob", "prob_a", "prob_b", "thresholds")
            assert all(p.kind is p.KEYWORD_ONLY for p in parameters.values() if p.name not in data), name
