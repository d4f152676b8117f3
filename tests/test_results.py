"""What results look like: three digits in text, a data frame, and a table in a notebook."""

import sys

import numpy as np
import pandas as pd
import pytest

import calibration_lessons as cl
from calibration_lessons._results import number

Y, P = [1, 0, 1, 1, 0] * 3, [0.9, 0.2, 0.6, 0.8, 0.4] * 3
ROWS = [np.eye(3)[[0, 1]], np.eye(3)[[0, 2]]]


def test_a_number_has_three_digits_that_noise_does_not_decide():
    assert [number(x) for x in (0.1 + 0.2, 1e-17, 2 / 3, 12345.0, 0.12345 - 1e-13, 0.12345 + 1e-13)] == [
        *("0.3", "0", "0.667", "1.23e+04", "0.123", "0.123")
    ]
    assert number(0.0125 - 1e-14) == number(0.0125 + 1e-14)


RESULTS = {
    "BrierDecomposition": cl.brier_decomposition(Y, P, n_bins=3),
    "CorpDecomposition": cl.corp_decomposition(Y, P),
    "CorpCurve": cl.corp_curve(Y, P),
    "CalibrationLine": cl.calibration_slope_intercept([0, 0, 1, 0, 1, 1], [0.01, 0.1, 0.2, 0.8, 0.9, 0.99]),
    "CalibrationTest": cl.calibration_test(Y, P, method="spiegelhalter"),
    "Uncertainty": cl.uncertainty.coin_uncertainty(1, 3),
    "arrays": cl.uncertainty.decompose_uncertainty(ROWS),
    "RiskCoverage": cl.decisions.risk_coverage(Y, P),
    "ReliabilityCurve": cl.reliability_curve(Y, P, n_bins=5),
    "ECENull": cl.ece_under_calibration(P, random_state=0),
    "GroupCalibration": cl.measures.calibration_by_group(Y, P, Y, random_state=0),
    "Comparison": cl.compare(Y, P, P[::-1], n_bins=2),
    "CalibrationReport": cl.calibration_report(Y, P, random_state=0),
}


@pytest.mark.parametrize("name", RESULTS)
def test_no_text_carries_more_digits_than_any_processor_holds(name):
    digits = [len(part.partition(".")[2]) for part in repr(RESULTS[name]).replace(",", " ").split()]
    assert max(digits) <= 6, repr(RESULTS[name])


def test_a_text_names_what_it_shows():
    assert repr(RESULTS["CalibrationLine"]) == "CalibrationLine(slope=0.515, intercept=0)"
    assert repr(RESULTS["arrays"]) == "Uncertainty(total=[0, 1], aleatoric=[0, 0], epistemic=[0, 1])"
    assert repr(RESULTS["CorpCurve"]) == "<CorpCurve: n = 15, 5 distinct forecasts>"
    assert repr(RESULTS["RiskCoverage"]) == "<RiskCoverage: 3 distinct confidences, area 0>"
    assert repr(RESULTS["CalibrationReport"]) == str(RESULTS["CalibrationReport"])


@pytest.mark.parametrize("name", ["ReliabilityCurve", "CorpCurve", "RiskCoverage"])
def test_rows_become_a_frame_and_a_table_with_a_caption(name, monkeypatch):
    result = RESULTS[name]
    frame = result.to_frame()
    for column in set(frame) - {"from", "to"}:
        np.testing.assert_array_equal(frame[column], getattr(result, column))
    html = result._repr_html_()
    assert f"<caption>{repr(result)[1:-1]}</caption>" in html
    assert all(f"<th>{column}</th>" in html for column in frame)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert result._repr_html_() is None
    with pytest.raises(ImportError, match=r"to_frame needs pandas: pip install .*\[course\]"):
        result.to_frame()


def test_a_curves_frame_has_a_row_per_bin_and_weights_where_there_are_some():
    plain, curve = RESULTS["ReliabilityCurve"].to_frame(), cl.reliability_curve(Y, P, sample_weight=[2] * 15)
    assert list(plain) == ["from", "to", "counts", "confidence", "accuracy", "gaps"]
    assert list(curve.to_frame())[-2:] == ["weights", "effective_counts"]
    pd.testing.assert_series_equal(plain["to"], pd.Series([0.2, 0.4, 0.6, 0.8, 1.0], name="to"))
