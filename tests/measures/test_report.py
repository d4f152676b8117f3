"""The report: its numbers are those of the functions beside it, and its text is the sentence for a paper."""

import dataclasses
import re

import numpy as np
import pytest
from sklearn.preprocessing import scale

import calibration_lessons as cl

RNG = np.random.default_rng(0)
LOGITS = 2 * RNG.normal(size=(300, 4))
Y = RNG.integers(0, 4, 300)
W = RNG.uniform(0, 2, 300)


@pytest.mark.parametrize(
    "options",
    [{}, {"n_bins": 6, "strategy": "quantile"}, {"target": 2}, {"sample_weight": W}, {"level": 0.8}],
    ids=lambda options: "-".join(options),
)
@pytest.mark.parametrize("from_logits", [False, True])
def test_each_number_of_a_report_is_the_one_that_its_own_function_gives(options, from_logits):
    y_prob = LOGITS if from_logits else cl.softmax(LOGITS)
    report = cl.calibration_report(Y, y_prob, from_logits=from_logits, n_draws=200, random_state=4, **options)
    level = options.pop("level", 0.95)
    options = {**options, "from_logits": from_logits}
    curve = cl.reliability_curve(Y, y_prob, **options)
    read = {"from_logits": from_logits, "sample_weight": options.get("sample_weight")}
    weights = np.ones(300) if "sample_weight" not in options else W
    assert report.ece == cl.expected_calibration_error(Y, y_prob, **options)
    assert (report.low, report.high) == cl.ece_interval(Y, y_prob, level=level, **options)
    filled = curve.counts > 0
    assert report.mean_forecast == pytest.approx(curve.shares[filled] @ curve.confidence[filled])
    assert report.event_rate == pytest.approx(curve.shares[filled] @ curve.accuracy[filled])
    assert (report.level, report.n, report.n_bins) == (level, 300, len(curve.counts))
    assert report.effective_n == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    if "sample_weight" in options:  # the labels tell whether hits weigh more, the forecasts alone do not
        assert (
            report.p_value == cl.calibration_test(Y, y_prob, n_draws=200, random_state=4, **options).p_value
        )
    else:
        null = cl.ece_under_calibration(y_prob, n_draws=200, random_state=4, **options)
        assert (report.under_calibration, report.p_value) == (null.mean, null.p_value(report.ece))
    assert report.nll == cl.negative_log_likelihood(Y, y_prob, **read)
    assert report.brier == cl.brier_score(Y, y_prob, **read)
    assert report.accuracy == pytest.approx(np.average(LOGITS.argmax(axis=1) == Y, weights=weights))
    top = cl.softmax(LOGITS).max(axis=1)
    assert report.confidence == pytest.approx(np.average(top, weights=weights))


def test_accuracy_and_confidence_of_a_binary_forecast_are_those_of_the_predicted_class():
    y_prob = np.array([0.9, 0.8, 0.3, 0.4, 0.1])
    report = cl.calibration_report([1, 0, 0, 1, 0], y_prob, n_bins=2, n_draws=10, random_state=0)
    assert (report.accuracy, report.confidence) == pytest.approx((3 / 5, (0.9 + 0.8 + 0.7 + 0.6 + 0.9) / 5))


def test_the_text_of_a_report_is_the_sentence_that_a_paper_needs():
    report = cl.measures.CalibrationReport(
        **{"event": "top label", "ece": 0.0841, "low": 0.066, "high": 0.0921, "level": 0.95, "n": 899},
        **{"effective_n": 899.0, "n_bins": 15, "strategy": "uniform", "under_calibration": 0.0252},
        **{"p_value": 0.001, "nll": 0.4123, "brier": 0.1774, "accuracy": 0.8765, "confidence": 0.9012},
        **{"mean_forecast": 0.0724, "event_rate": 0.1028},
    )
    assert str(report) == (
        "ECE 0.084 of the top label (95 % interval 0.066 to 0.092; n = 899, 15 bins of equal width); a "
        "calibrated model would get 0.025, p = 0.001; NLL 0.412 nats, Brier score 0.177, accuracy 0.876, "
        "mean confidence 0.901"
    )
    assert f"{report:.4f}".startswith("ECE 0.0841 of the top label (95 % interval 0.0660 to 0.0921; n = 899")
    changed = dataclasses.replace(
        report, event="class 3", level=0.9, effective_n=512.3, n_bins=1, strategy="quantile", p_value=2e-4,
        nll=np.inf,
    )  # fmt: skip
    assert str(changed) == (
        "ECE 0.084 of class 3 (90 % interval 0.066 to 0.092; n = 899, effective n = 512, 1 bin of equal "
        "mass); a calibrated model would get 0.025, p < 0.001; NLL infinite, Brier score 0.177, "
        "mean forecast 0.072, event rate 0.103"
    )
    assert "p = 0.0002" in f"{changed:.4f}" and "p < 0.01;" in f"{changed:.2f}"
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.ece = 0.0


def test_a_report_shows_itself_in_a_notebook_as_a_table_whose_rows_and_columns_have_heads():
    report = cl.calibration_report([1, 0, 1], [0.9, 0.0, 0.0], n_bins=2, random_state=0)
    table = report._repr_html_()
    assert "<caption>Calibration of the positive class: n = 3, 2 bins of equal width</caption>" in table
    assert re.findall(r'scope="(?:col|row)">(.*?)</th>', table) == [
        "measure", "value", "expected calibration error (ECE)", "95 % interval of the ECE",
        "ECE of a calibrated model, mean", "p-value", "NLL", "Brier score", "mean forecast", "event rate",
    ]  # fmt: skip
    cells = re.findall(r"<td>(.*?)</td>", table)
    assert cells[0] == f"{report.ece:.3f}" and cells[4] == "infinite" and cells[7] == "0.667"
    assert cells[1] == f"{report.low:.3f} to {report.high:.3f}" and cells[3] == f"{report.p_value:.3f}"
    assert "<td>&lt; 0.001</td>" in dataclasses.replace(report, p_value=1e-5)._repr_html_()


def test_a_row_of_weight_zero_counts_nowhere():
    report = cl.calibration_report([1, 0, 1], [0.9, 0.2, 0.0], sample_weight=[1, 1, 0], random_state=0)
    assert report == cl.calibration_report([1, 0], [0.9, 0.2], random_state=0)


def test_one_question_has_one_p_value_also_of_many_rows_whose_bins_are_drawn_from_their_sums():
    p = np.random.default_rng(0).random(10_001)
    y = np.random.default_rng(1).random(10_001) < p
    for rows in (slice(10_000), slice(10_001)):
        report = cl.calibration_report(y[rows], p[rows], n_draws=50, random_state=3)
        null = cl.ece_under_calibration(p[rows], n_draws=50, random_state=3)
        test = cl.calibration_test(y[rows], p[rows], n_draws=50, random_state=3)
        assert report.p_value == null.p_value(report.ece) == test.p_value
        assert (
            null.mean
            == cl.reliability_curve(y[rows], p[rows]).under_calibration(n_draws=50, random_state=3).mean
        ) == (len(p[rows]) > 10_000)


RISK = np.random.default_rng(0).uniform(0.01, 0.99, 100)
CAME = (np.random.default_rng(1).random(100) < RISK).astype(int)
MANY = np.random.default_rng(2).random((300, 2))
OVER, LOGS = np.r_[np.arange(100), np.repeat(np.flatnonzero(CAME), 2)], -(RISK**8)  # near 0, many
BOTH, THRICE = np.column_stack([1 - RISK, RISK]), np.repeat(np.arange(100), 3)


@pytest.mark.parametrize(
    ("told", "call"),
    [
        ("y_prob looks like probabilities", lambda: cl.calibration_report(CAME, RISK, from_logits=True)),
        ("y_prob looks like probabilities", lambda: cl.brier_score(CAME, RISK, from_logits=True)),
        ("y_prob looks like probabilities", lambda: cl.ece_interval(CAME, BOTH, from_logits=True)),
        ("all 100 labels are class 0", lambda: cl.calibration_report(0 * CAME, RISK)),
        ("all 100 labels are class 0", lambda: cl.compare(0 * CAME, RISK, RISK[::-1])),
        ("all 100 labels are class 0", lambda: cl.TemperatureScaling().fit(np.add(BOTH, [0.2, 0]), 0 * CAME)),
        ("y_prob is lower where the label is 1", lambda: cl.calibration_report(1 - CAME, RISK)),
        ("prob_b is lower where the label is 1", lambda: cl.compare(CAME, RISK, 1 - RISK)),
        ("y_prob is lower where the label is 1", lambda: cl.risk_validation(1 - CAME, RISK)),
        ("X is lower where the label is 1", lambda: cl.PlattScaling().fit(20 * RISK - 10, 1 - CAME)),
        ("X is lower where the label is 1", lambda: cl.IsotonicCalibration().fit(RISK, 1 - CAME)),
        ("each row of y_prob occurs 3 times", lambda: cl.calibration_report(CAME[THRICE], RISK[THRICE])),
        ("each row of y_prob occurs 3 times", lambda: cl.risk_validation(CAME[THRICE], RISK[THRICE])),
        ("each row of y_prob occurs 3 times", lambda: cl.ece_interval(CAME[THRICE], RISK[THRICE])),
        ("each row of y_prob occurs 3 times", lambda: cl.calibration_test(CAME[THRICE], RISK[THRICE])),
        ("y_prob occurs 3 times", lambda: cl.decisions.decision_curve(CAME[THRICE], RISK[THRICE], [0.5])),
        ("y_prob is lower where the label is 1", lambda: cl.net_benefit(1 - CAME, RISK, [0.5])),
        ("with the label 1 are copies", lambda: cl.calibration_report(CAME[OVER], RISK[OVER])),
        ("X with the label 1 are copies", lambda: cl.PlattScaling().fit(20 * RISK[OVER] - 10, CAME[OVER])),
        ("log-probabilities of one class", lambda: cl.brier_score(CAME, LOGS, from_logits=True)),
        ("level = 0.05 is how often", lambda: cl.ece_interval(CAME, RISK, level=0.05)),
        ("n_bins = 101 for 100 rows", lambda: cl.expected_calibration_error(CAME, RISK, n_bins=101)),
        ("one label in each group", lambda: cl.measures.calibration_by_group(CAME, RISK, CAME)),
        ("own decision is the dearest", lambda: cl.decisions.optimal_decision(RISK, np.eye(2))),
        ("own decision is the dearest", lambda: cl.decisions.mean_cost(CAME, CAME, np.eye(2))),
        ("the rows of held_out_prob", lambda: cl.decisions.estimate_priors(RISK, RISK)),
        ("the rows of held_out_prob", lambda: cl.measures.unlabelled_accuracy(BOTH, BOTH, CAME)),
        ("the rows of X_old", lambda: cl.decisions.density_ratio(MANY, MANY)),
        ("standardised by itself", lambda: cl.decisions.density_ratio(scale(MANY), scale(MANY**2))),
        ("y_prob looks like prob", lambda: cl.calibration_slope_intercept(CAME, RISK, from_logits=True)),
    ],
)
def test_a_careful_user_is_warned_of_rows_that_cannot_be_meant(told, call):
    with pytest.warns(UserWarning, match=told):
        call()


def test_such_a_warning_points_at_the_line_that_asked():
    with pytest.warns(UserWarning) as caught:
        cl.brier_score(CAME, RISK, from_logits=True)
        cl.measures.calibration_by_group(CAME, RISK, CAME)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.filterwarnings("error")
def test_honest_rows_pass_without_a_warning():
    rng = np.random.default_rng(2)
    for _ in range(100):
        y, p = rng.integers(0, 2, 80), rng.uniform(0.1, 0.9, 80)
        cl.calibration_report(y, p.round(1), n_draws=1)
        cl.calibration_report(y, p, n_draws=1)
        cl.PlattScaling().fit(20 * p - 10, y)
    p = np.repeat(rng.uniform(0.1, 0.9, 30), 40)  # as in a balanced experiment: equal forecasts, other labels
    y = (rng.random(1200) < p).astype(int)
    cl.calibration_report(y, p, n_draws=1)
    cl.risk_validation(y, p)
    cl.brier_score(CAME, BOTH * [1, 2], from_logits=True)
    cl.calibration_report(0 * CAME[:9], RISK[:9], n_draws=1)
