"""The display draws what the diagram draws, from forecasts or from a classifier."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import calibration_lessons as cl
from calibration_lessons.plots import ReliabilityDisplay, reliability_diagram

X, NUMBERS = make_classification(200, n_informative=4, n_classes=3, random_state=0)
WORDS = np.array(["ant", "bee", "cow"])[NUMBERS]


def test_forecasts_of_many_classes_by_name_are_drawn_as_their_curve():
    model = LogisticRegression().fit(X, WORDS)
    display = ReliabilityDisplay.from_estimator(model, X, WORDS, n_bins=5)
    curve = cl.reliability_curve(NUMBERS, model.predict_proba(X), n_bins=5)
    assert repr(display.figure_) == repr(reliability_diagram(curve, label="LogisticRegression"))
    assert display.curve.ece() == curve.ece() and display.curve.event == "top label"
    _, ax = plt.subplots()
    assert display.plot(ax=ax, name="bees", counts=False) is display and display.ax_ is ax
    assert "bees" in [line.get_label() for line in ax.lines]
    plt.close(ax.figure)


@pytest.mark.parametrize("positive", ["ant", "other"])
def test_the_positive_class_of_two_is_the_one_that_is_named(positive):
    two = np.where(WORDS == "ant", "ant", "other")
    model = LogisticRegression().fit(X, two)
    p = model.predict_proba(X)[:, int(positive == "other")]
    display = ReliabilityDisplay.from_estimator(model, X, two, pos_label=positive, name="m")
    assert display.curve.ece() == cl.expected_calibration_error(two == positive, p) and display.name == "m"
    last = ReliabilityDisplay.from_estimator(model, X, two)
    assert last.curve.ece() == cl.expected_calibration_error(two == "other", model.predict_proba(X)[:, 1])
    with pytest.raises(cl.Refusal, match="pos_label = 'bee': expected one of 'ant', 'other'"):
        ReliabilityDisplay.from_estimator(model, X, two, pos_label="bee")
