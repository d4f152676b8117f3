"""The experiment behind the chapter on choosing: its parts, and that the stored table is what it gives."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from packaging.version import Version
from scipy.special import logit
from scipy.stats import ttest_1samp

import calibration_lessons as cl
from calibration_lessons.book import comparison, datasets
from tools.experiments import choosing_experiment

TABLE = datasets.choosing()


@pytest.mark.skipif(
    Version(sklearn.__version__) < Version("1.9"), reason="the rows are stored for scikit-learn 1.9"
)
@pytest.mark.parametrize("case", ["two_class_example", "tumours, logistic regression", "digits, naive Bayes"])
def test_a_case_run_again_gives_the_stored_rows(case, monkeypatch):
    monkeypatch.setattr(comparison, "SIZES", (100,))
    found = choosing_experiment.counted(case, choosing_experiment.REPEATS)
    kept = TABLE[(TABLE.case == case) & (TABLE.n == 100)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found[list(kept)], kept, check_dtype=False, rtol=1e-3, atol=1e-6)


def test_the_cases_lie_far_apart_in_kind_base_rate_overlap_and_error():
    cases = TABLE.drop_duplicates("case")
    assert list(cases.case) == list(comparison.CASES) and len(cases) >= 12
    assert set(cases.kind) == {"text", "table", "images", "simulated"}
    two = cases[cases.classes == 2]
    assert two.rarest.min() < 0.012 and two.rarest.max() > 0.45
    assert two.ranked.min() < 0.75 and two.ranked.max() > 0.98
    assert cases.slope.min() < 0.5 and cases.slope.max() > 2 and (abs(cases.slope - 1) < 0.2).sum() >= 3


def test_verdicts_are_those_of_compare_on_the_rows_that_judge():
    known, y, new, y_new = comparison.CASES["two_class_example"].draw(3)
    (beta,), (platt,) = (
        comparison.recalibrated(comparison.CALIBRATORS[method], known.rows(slice(100)), y[:100], new)
        for method in ("beta", "Platt")
    )
    paired = cl.compare(y_new, beta, platt)
    outcomes = {one[:3]: one for one in comparison.outcomes("two_class_example", 3)}
    for score, expected in (("Brier", paired.brier), ("NLL", paired.nll)):
        one = outcomes[100, "beta", score]
        assert one.value == expected.a and one.over_rival == expected.value
        assert one.rival_verdict == int(expected.low > 0) - int(expected.high < 0)


def test_a_certainty_that_fails_is_worse_than_any_finite_forecast():
    infinite, finite = np.tile([0.0, 0.5], 20), np.full(40, 0.5)
    labels = [1, 0] * 20
    assert comparison.verdict(cl.compare(labels, infinite, finite, n_bins=1).nll) == 1
    assert comparison.verdict(cl.compare(labels, finite, infinite, n_bins=1).nll) == -1
    with pytest.warns(UserWarning, match="in 0 of 40 rows"):
        assert comparison.verdict(cl.compare(labels, infinite, infinite, n_bins=1).nll) == 0


def test_log_odds_of_many_classes_are_those_of_each_against_the_rest():
    logits = np.random.default_rng(0).normal(size=(20, 4))
    p, z, odds = comparison.forecast_of_logits(logits)
    assert z is logits
    assert odds == pytest.approx(logit(p))


def test_each_calibrator_reads_what_its_chapter_gives_it():
    logits, y = datasets.network_logits(0, "calibration")
    known = comparison.forecast_of_logits(logits[:500])
    for name, calibrator in comparison.CALIBRATORS_OF_MANY.items():
        (found,) = comparison.recalibrated(calibrator, known, y[:500], known)
        alone = name in ("temperature", "matrix")
        one, read = (calibrator, known.logits) if alone else (cl.OneVsRest(calibrator), known.log_odds)
        assert np.array_equal(found, one.fit(read, y[:500]).predict_proba(read)), name


def test_the_interval_of_splits_that_share_no_row_is_that_of_the_t_test():
    d = np.random.default_rng(0).normal(0.3, 1, 12)
    expected = ttest_1samp(d, 0).confidence_interval(0.95)
    low, mean, high = comparison.paired_interval(d, judged=0, learned=1)
    assert (low, mean, high) == pytest.approx((expected.low, d.mean(), expected.high))


def test_rows_that_splits_share_make_the_interval_longer():
    d = np.random.default_rng(0).normal(0.3, 1, 12)
    low, mean, high = comparison.paired_interval(d, judged=0.35, learned=0.65)
    alone = comparison.paired_interval(d, judged=0, learned=1)
    assert (high - mean) / (alone[2] - mean) == pytest.approx(np.sqrt(1 + 12 * 0.35 / 0.65))
    assert high - mean == pytest.approx(mean - low)
