"""What a validation of a risk model states: against R, against definitions, over samples of known truth."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.metrics import brier_score_loss, roc_auc_score

import calibration_lessons as cl

LOG_ODDS = -3 + 6 * ((37 * np.arange(1, 201)) % 200) / 200
RISK = expit(LOG_ODDS)
HAPPENED = (((17 * np.arange(1, 201) ** 2) % 101) / 101 < expit(0.2 + 0.7 * LOG_ODDS)).astype(int)
RESULT = cl.risk_validation(HAPPENED, RISK)


def test_few_events_that_are_turned_round_are_noticed_by_the_slope():
    rng = np.random.default_rng(0)
    p = expit(rng.normal(-1.5, 1.2, 60))
    lived = rng.random(60) >= p
    with pytest.warns(UserWarning, match="y_prob is lower where the label is 1") as caught:
        assert cl.risk_validation(lived, p).slope.high < 0
    assert len(caught) == 1


def test_a_published_validation_is_recomputed_from_its_printed_table():
    """Deaths within thirty days by decile of risk: Table 3 of doi 10.1007/s11606-021-07377-1."""
    rows = np.array([37379] * 5 + [37380] + [37379] * 4)
    died = np.array([62, 94, 154, 252, 384, 541, 926, 1572, 2951, 9100])
    predicted = np.array([47, 118, 211, 332, 495, 725, 1077, 1686, 2991, 9775])
    p, y = np.repeat(predicted / rows, rows), np.repeat([1, 0] * 10, np.c_[died, rows - died].ravel())
    found = cl.risk_validation(y, p)
    assert (found.n, found.events) == (373_791, 16_036)
    assert (found.mean_forecast, found.event_rate) == pytest.approx((0.0467, 0.0429), abs=5e-5)
    assert found.observed_expected.estimate == pytest.approx(16_036 / 17_458, abs=1e-4)
    # they print 0.38 % (the rounded rows of the table give 0.387 %) and 1.81 %
    bins = {"n_bins": 10, "strategy": "quantile"}
    assert cl.expected_calibration_error(y, p, **bins) == pytest.approx(0.00387, abs=5e-5)
    assert cl.maximum_calibration_error(y, p, **bins) == pytest.approx(0.0181, abs=5e-5)


@pytest.mark.parametrize(
    ("name", "of_r", "tolerance"),
    [  # tools/experiments/risk_validation.R prints them; R interpolates the ends of its intervals
        ("in_the_large", (0.4136812462,), 2e-5),
        ("slope", (0.6483217578, 0.4507055123, 0.8647050493), 2e-5),
        ("brier", (0.2025658394,), 1e-10),
        ("ici", (0.0815331099,), 1e-9),
        ("e50", (0.0325767975,), 1e-9),
        ("e90", (0.2138315120,), 1e-9),
        ("emax", (0.2288993896,), 1e-9),
    ],
)
def test_the_numbers_are_those_of_r(name: str, of_r: tuple[float, ...], tolerance: float) -> None:
    found = getattr(RESULT, name)
    assert found[0] == pytest.approx(of_r[0], abs=1e-9)
    assert found[: len(of_r)] == pytest.approx(of_r, abs=tolerance)


def test_the_rest_follows_from_counts_and_ranks() -> None:
    assert (RESULT.n, RESULT.events) == (200, HAPPENED.sum())
    assert RESULT.mean_forecast == pytest.approx(RISK.mean())
    assert RESULT.observed_expected.estimate == pytest.approx(HAPPENED.sum() / RISK.sum())
    assert RESULT.c_statistic.estimate == pytest.approx(roc_auc_score(HAPPENED, RISK), abs=1e-12)
    assert RESULT.brier.estimate == pytest.approx(brier_score_loss(HAPPENED, RISK))


def test_the_ends_of_the_c_statistic_are_its_distance_in_standard_errors_away() -> None:
    found, events, others = RESULT.c_statistic, HAPPENED.sum(), (1 - HAPPENED).sum()
    for end in found[1:]:
        more = (events + others) / 2 - 1
        variance = end * (1 - end) * (1 + more * ((1 - end) / (2 - end) + end / (1 + end))) / events / others
        assert abs(found.estimate - end) == pytest.approx(1.959963984540054 * np.sqrt(variance), rel=1e-9)


def test_intervals_hold_where_rows_scatter_more_than_the_plain_formulas_say() -> None:
    generator, held = np.random.default_rng(3), []
    for _ in range(200):
        p = expit((2 * generator.standard_t(3, 500) - 1).clip(-30, 30))  # the truth is level at both ends
        slope = cl.risk_validation(generator.random(500) < 0.02 + 0.7 * p, p).slope
        p = np.where(generator.random(500) < 0.05, 0.8, 0.02) * generator.uniform(0.8, 1.2, 500)
        ratio = cl.risk_validation(generator.random(500) < np.where(p > 0.2, 0.1, 0.05), p).observed_expected
        p = expit(np.r_[generator.normal(2, 0.5, 400), generator.normal(0, 2, 40)])
        c = cl.risk_validation(np.repeat([1, 0], [400, 40]), p).c_statistic
        truths = {slope: 0.4794, ratio: 0.0525 / 0.059, c: 0.834}  # the last: Phi(2 / sqrt(4.25))
        held.append([found.low <= truth <= found.high for found, truth in truths.items()])
    assert (np.mean(held, axis=0) > 0.91).all()  # 0.85, 0.90 and 0.80 by the plain formulas


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [0, 10, 11, 12])
def test_where_a_spline_separates_the_curve_is_a_line(seed: int) -> None:
    generator = np.random.default_rng(seed)
    x = generator.normal(-4.4, 1, 500)
    found = cl.risk_validation(generator.random(500) < expit(x), expit(x))
    assert np.isfinite(found.curve.low).all() and np.isfinite(found.emax.estimate)
    for last in ([1, 0], [0, 1]):
        cl.risk_validation([0] * 6 + [1] * 4 + last, np.arange(1, 13) / 20)


def test_intervals_and_band_cover_the_truth() -> None:
    generator, held, at = np.random.default_rng(0), [], np.array([0.1, 0.3, 0.6])
    truth = expit(0.4 + 0.7 * logit(at))
    for _ in range(300):
        log_odds = generator.normal(-1, 1.2, 300)
        result = cl.risk_validation(generator.random(300) < expit(0.4 + 0.7 * log_odds), expit(log_odds))
        curve = result.curve
        low, high = (np.interp(at, curve.forecast, end) for end in (curve.low, curve.high))
        held.append([result.slope.low < 0.7 < result.slope.high, *((low < truth) & (truth < high))])
    assert (np.mean(held, axis=0) > 0.92).all()


@pytest.mark.parametrize("groups", [None, np.arange(5000) % 20])
@pytest.mark.parametrize(
    ("shift", "slope", "update"), [(0, 1, "none"), (0.7, 1, "intercept"), (0.7, 0.5, "intercept and slope")]
)
def test_the_closed_test_finds_the_update_that_is_needed(shift, slope, update, groups) -> None:
    generator = np.random.default_rng(3)
    log_odds = generator.normal(-1, 1.5, 5000)
    happened = generator.random(5000) < expit(shift + slope * log_odds)
    assert cl.risk_validation(happened, expit(log_odds), groups=groups).update == update


def test_what_a_paper_needs_is_in_the_sentence_the_table_and_the_figure() -> None:
    assert "In 200 rows with " in RESULT.sentence() and "95 % intervals" in str(RESULT)
    frame = RESULT.to_frame()
    assert frame.loc["calibration slope", ["estimate", "low", "high"]].tolist() == list(RESULT.slope)
    assert frame.loc["ICI", "interval"] == "none" and np.isnan(frame.loc["ICI", "low"])
    assert "<caption>200 rows" in RESULT._repr_html_() and "slope=Estimate(estimate=0.648" in repr(RESULT)
    assert "predicted risk" in repr(RESULT.plot())


def test_few_distinct_forecasts_give_a_line() -> None:
    coarse = cl.risk_validation([0, 1, 0, 1, 1, 0], [0.2, 0.2, 0.4, 0.4, 0.4, 0.2])
    assert coarse.curve.forecast.tolist() == [0.2, 0.4]


def test_another_level_is_narrower() -> None:
    narrow = cl.risk_validation(HAPPENED, RISK, level=0.5)
    assert RESULT.slope.low < narrow.slope.low < narrow.slope.high < RESULT.slope.high


def hospitals(number: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw patients of hospitals that differ: group, event, log-odds."""
    group = np.repeat(np.arange(number), generator.integers(50, 400, number))
    x = generator.normal(-1.2, 1.2, len(group)) + generator.normal(0, 0.3, number)[group]
    shift, slope = generator.normal(-0.4, 0.4, number), generator.normal(0.8, 0.15, number)
    return group, generator.random(len(group)) < expit(shift[group] + slope[group] * x), x


def test_intervals_between_groups_cover_where_others_do_not() -> None:
    generator = np.random.default_rng(0)
    names = ("observed_expected", "in_the_large", "slope", "c_statistic", "brier")
    _, happened, x = hospitals(1000, generator)
    of_all = cl.risk_validation(happened, expit(x))
    held, alone = [], []
    for _ in range(60):
        group, happened, x = hospitals(8, generator)
        grouped, plain = (cl.risk_validation(happened, expit(x), groups=g) for g in (group, None))
        pairs = [(getattr(of_all, name).estimate, name) for name in names]
        held.append([getattr(grouped, name).low < true < getattr(grouped, name).high for true, name in pairs])
        alone.append([getattr(plain, name).low < true < getattr(plain, name).high for true, name in pairs])
        assert grouped.slope.estimate == pytest.approx(plain.slope.estimate, abs=1e-12)
    assert np.mean(held, axis=0).min() > 0.86  # 0.95 less three standard errors
    assert np.mean(alone, axis=0).max() < 0.86


def test_calibration_in_the_large_holds_where_the_slope_is_not_1() -> None:
    generator, held = np.random.default_rng(1), 0
    for _ in range(200):
        x = generator.normal(0, 4, 100)  # for reasons of symmetry the intercept at slope 1 is 0
        found = cl.risk_validation(generator.random(100) < expit(x / 2), expit(x)).in_the_large
        held += found.low < 0 < found.high
    assert held / 200 >= 0.92  # 0.85 by the profile alone
    p = expit(LOG_ODDS + RESULT.in_the_large.estimate)
    wider = ((HAPPENED - p) ** 2).sum() / (p * (1 - p)).sum()
    assert wider > 1.1
    low, best, high = (
        2 * np.logaddexp(0, np.where(HAPPENED, -1, 1) * (LOG_ODDS + at)).sum()
        for at in np.array(RESULT.in_the_large)[[1, 0, 2]]
    )
    assert low - best == pytest.approx(3.841459 * wider) == high - best


def test_without_a_group_in_common_the_rows_intervals_come_out() -> None:
    each = cl.risk_validation(HAPPENED, RISK, groups=np.arange(200))
    for name in ("slope", "brier"):
        assert tuple(getattr(each, name)) == pytest.approx(tuple(getattr(RESULT, name)), abs=0.03)
    assert each.curve.high == pytest.approx(RESULT.curve.high, abs=0.06)


def test_groups_are_left_out_one_at_a_time() -> None:
    group = np.repeat(list("abcdefgh"), 25)
    found = cl.risk_validation(HAPPENED, RISK, groups=group)
    slopes = [
        cl.calibration_slope_intercept(HAPPENED[group != one], RISK[group != one]).slope
        for one in np.unique(group)
    ]
    reach = 2.364624251592785 * np.sqrt(7 / 8 * np.sum((slopes - np.mean(slopes)) ** 2))  # t of 7
    assert found.slope.high - found.slope.estimate == pytest.approx(reach, rel=1e-6)
    assert "between 8 groups." in found.sentence() and found.n_groups == 8
    assert found.to_frame().loc["calibration slope", "interval"] == "jackknife, 8 groups"
