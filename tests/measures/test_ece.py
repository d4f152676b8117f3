"""Calibration errors: worked examples, definitions, known truth, and the coverage of the interval."""

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit, logit
from scipy.stats import beta, foldnorm

import calibration_lessons as cl
from calibration_lessons.book import definitions
from calibration_lessons.measures import chance
from calibration_lessons.measures._forecast import Forecast
from tools.experiments import coverage_experiment

from .test_reliability import forecasts


@pytest.mark.equation("eq-ece", "eq-mce")
@pytest.mark.parametrize("name", ["expected_calibration_error", "maximum_calibration_error"])
@given(forecasts())
def test_the_fast_error_is_the_defined_one(name, case):
    outcomes, scores, n_bins = case
    defined = getattr(definitions, name)(scores, outcomes, [m / n_bins for m in range(n_bins + 1)])
    assert getattr(cl, name)(outcomes, scores, n_bins=n_bins) == pytest.approx(defined, abs=1e-12)


@given(forecasts())
def test_the_mean_gap_is_below_its_root_mean_square_and_both_below_the_largest(case):
    outcomes, scores, n_bins = case
    curve = cl.reliability_curve(outcomes, scores, n_bins=n_bins)
    assert curve.ece("l1") <= curve.ece("l2") + 1e-12
    assert curve.ece("l2") <= curve.mce() + 1e-12 <= 1 + 2e-12


RNG = np.random.default_rng(11)
LOGITS = RNG.normal(size=(60, 3))
CLASSES = RNG.integers(0, 3, 60)
WEIGHTS = RNG.uniform(0, 2, 60)
OPTIONS = [
    {},
    {"n_bins": 4},
    {"n_bins": 4, "strategy": "quantile"},
    {"target": 2},
    {"sample_weight": WEIGHTS},
    {"from_logits": True},
]
with_options = pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options))


def forecast(options):
    return LOGITS if options.get("from_logits") else cl.softmax(LOGITS)


def scored(options):
    """Score of each row, and whether its event happened."""
    from_logits = "from_logits" in options
    return Forecast.read(CLASSES, forecast(options), options.get("target"), from_logits=from_logits).whole()


@with_options
def test_each_option_reaches_the_curve_behind_the_number(options):
    y_prob = forecast(options)
    curve = cl.reliability_curve(CLASSES, y_prob, **options)
    assert cl.expected_calibration_error(CLASSES, y_prob, **options) == curve.ece()
    assert cl.expected_calibration_error(CLASSES, y_prob, norm="l2", **options) == curve.ece("l2")
    assert cl.maximum_calibration_error(CLASSES, y_prob, **options) == curve.mce()
    scores, hits = scored(options)
    alone = {name: options[name] for name in options if name not in ("target", "from_logits")}
    for norm in ("l1", "l2"):
        interval = cl.ece_interval(CLASSES, y_prob, norm=norm, level=0.8, **options)
        assert interval == cl.ece_interval(hits, scores, norm=norm, level=0.8, **alone)


@with_options
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_drawn_errors_are_those_of_events_that_happen_as_promised(options, norm):
    y_prob = forecast(options)
    null = cl.ece_under_calibration(y_prob, norm=norm, n_draws=20, random_state=3, **options)
    scores, _ = scored(options)
    alone = {name: options[name] for name in options if name not in ("target", "from_logits")}
    chance = np.random.default_rng(3)
    errors = [
        cl.expected_calibration_error(chance.random(60) < scores, scores, norm=norm, **alone)
        for _ in range(20)
    ]
    np.testing.assert_allclose(null.values, np.sort(errors), atol=1e-14)


def draws(seed, n, repeats, truth):
    """Yield labels and scores, `repeats` times, with P(y = 1 | p) = truth(p)."""
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        p = rng.random(n)
        yield rng.random(n) < truth(p), p


@pytest.mark.filterwarnings("ignore:bin .* holds one row")
def test_a_debiased_error_is_never_negative():
    for y, p in draws(2, 40, 200, lambda p: p):
        assert cl.expected_calibration_error(y, p, norm="l2", debias=True) >= 0
        assert cl.expected_calibration_error(y, p, norm="l1", debias=True) >= 0


def test_a_bin_with_one_row_is_named_when_its_variance_is_needed_and_left_out():
    y, p = [0, 1, 1, 0, 1, 0], [0.1, 0.3, 0.3, 0.3, 0.9, 0.7]
    with pytest.warns(UserWarning, match="^bin 1, 4, 5 holds one row: left out of the debiased error$"):
        error = cl.expected_calibration_error(y, p, n_bins=5, norm="l2", debias=True)
    assert error == pytest.approx(np.sqrt(3 / 6 * max((2 / 3 - 0.3) ** 2 - 2 / 3 * 1 / 3 / 2, 0)))


def test_a_debiased_error_subtracts_what_chance_adds_to_each_bin():
    hits, rows, p = [1, 4, 12], [2, 9, 12], [0.05, 0.9, 0.65]
    y = np.concatenate([np.arange(n) < k for k, n in zip(hits, rows, strict=True)])
    squares, folded = 0.0, 0.0
    for k, n, q in zip(hits, rows, p, strict=True):
        gap, variance = k / n - q, k / n * (1 - k / n)
        squares += n / 23 * (gap**2 - variance / (n - 1))
        sd = np.sqrt(variance / n)
        expected = abs(gap) if sd == 0 else foldnorm.mean(abs(gap) / sd, scale=sd)
        folded += n / 23 * (2 * abs(gap) - expected)
    scores = np.repeat(p, rows)
    error = cl.expected_calibration_error(y, scores, n_bins=10, norm="l2", debias=True)
    assert error == pytest.approx(np.sqrt(squares), rel=1e-12)
    error = cl.expected_calibration_error(y, scores, n_bins=10, debias=True)
    assert error == pytest.approx(folded, rel=1e-12)


CASES = [case for case in coverage_experiment.cases() if case.n * case.n_bins <= 150_000]


CHOSEN = [case for i, case in enumerate(CASES) if i % 4 == 0 or case.norm == "class-wise"]


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: f"{case.source}, {case.n} rows, {case.norm}")
def test_the_interval_covers_the_error_of_sources_of_every_kind(case, monkeypatch):
    monkeypatch.setattr(coverage_experiment.Binned, "bootstrap", lambda *_: (0.0, 1.0))  # slow, and not asked
    assert coverage_experiment.count(case, repeats=150)["held"] / 150 >= 0.9


def test_the_upper_end_holds_where_most_forecasts_crowd_near_one_and_are_too_high():
    rng = np.random.default_rng(3)
    scores = np.r_[np.linspace(0.35, 0.9, 9), 0.999]
    share, rate, n = np.r_[np.full(9, 0.015), 0.865], scores - np.r_[np.full(9, 0.04), 0.039], 20_000
    above = 0
    for _ in range(1000):
        rows = rng.multinomial(n, share)
        accuracy = rng.binomial(rows, rate) / rows
        bins = chance.Bins(rows / n, accuracy - scores, scores, rows.astype(float), np.zeros(10))
        _, high = chance.interval("l1", 0.95, [bins])
        above += high < share @ (scores - rate)
    assert above / 1000 <= 0.03  # 0.025 is meant; without the least variance 0.051


def test_the_upper_end_of_certain_forecasts_is_above_the_share_of_misses():
    low, high = cl.ece_interval(np.r_[np.zeros(3, dtype=int), np.ones(97, dtype=int)], np.ones(100))
    assert low < 0.03 < high < 0.1


def test_one_event_more_moves_the_upper_end_by_about_one_event():
    highs = [cl.ece_interval(np.arange(100) < k, np.full(100, 0.02))[1] for k in range(6)]
    assert np.abs(np.diff(highs)).max() < 0.02
    assert min(highs) > 0.05  # two of 100 are no surprise where seven are expected


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_forecasts_the_wrong_way_round_in_a_bin_lengthen_the_interval(norm):
    p = np.repeat([0.1, 0.9], 200)
    flipped = np.arange(400) % 200 < 40
    ends = [cl.ece_interval(y | flipped, p, n_bins=1, norm=norm) for y in (p > 0.5, p < 0.5)]
    (low, high), (lower, higher) = ends
    assert lower <= low and higher > high + 0.01


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_one_row_leaves_every_error_possible(norm):
    assert cl.ece_interval([1], [0.3], norm=norm) == (0, 1)
    assert cl.ece_interval([0], [1.0], norm=norm) == pytest.approx((0, 1))


def test_weights_count_with_their_effective_number_of_rows():
    (y, p) = next(draws(15, 300, 1, lambda p: expit(logit(p) / 1.5)))
    few = cl.ece_interval(y, p, sample_weight=np.r_[np.ones(100), np.full(200, 1e-9)])
    assert few == pytest.approx(cl.ece_interval(y[:100], p[:100]), abs=1e-4)


@pytest.mark.parametrize("heavy", [0.1, 10, 100])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_interval_covers_where_weights_go_by_class(heavy, norm):
    rng, held = np.random.default_rng(1), 0
    for _ in range(150):
        p = rng.beta(1, 3, 1500)
        y = rng.random(1500) < p / (p + heavy * (1 - p))  # calibrated once events weigh so much
        held += cl.ece_interval(y, p, sample_weight=np.where(y, heavy, 1.0), norm=norm)[0] == 0
    assert held / 150 >= 0.93  # with n_eff alone 0.65 to 0.9


def test_the_tilt_is_the_weight_of_a_hit_over_that_of_another_row_whatever_else_weights_depend_on():
    p = RNG.random(2000)
    y, by_score = RNG.random(2000) < p, np.exp(2 * p)
    plain, equal, by_class, both = (
        cl.reliability_curve(y, p, n_bins=50, sample_weight=w).tilt
        for w in (None, np.full(2000, 3.0), np.where(y, 7.0, 1.0), np.where(y, 7.0, 1.0) * by_score)
    )
    assert plain == 1 and equal == pytest.approx(1) and by_class == pytest.approx(7)
    assert both == pytest.approx(7, rel=0.02)
    assert cl.reliability_curve(y, p, sample_weight=by_score).tilt == pytest.approx(1, abs=0.1)
    assert cl.reliability_curve(np.zeros(9), p[:9], sample_weight=by_score[:9]).tilt == 1  # no hit to see


@pytest.mark.parametrize(("norm", "source"), [("l1", (20, 1, 3)), ("l2", (1, 50, 0))])
def test_the_interval_covers_in_bins_of_equal_mass_near_the_ends_of_the_scale(norm, source):
    rng, held, (one, other, louder) = np.random.default_rng(2), 0, source
    law = beta(one, other)

    def error(gap, mass):
        return abs(gap).sum() / 6000 if norm == "l1" else np.sqrt((gap**2 / mass).sum() / 6000)

    for _ in range(200):
        p = law.rvs(200 if louder else 1000, random_state=rng)
        chances = expit(louder * logit(p)) if louder else np.minimum(2 * p, 1)
        curve = cl.reliability_curve(rng.random(len(p)) < chances, p, n_bins=30, strategy="quantile")
        low, high = curve.ece_interval(norm=norm)
        p = law.ppf((np.arange(6000) + 0.5) / 6000)
        chances = expit(louder * logit(p)) if louder else np.minimum(2 * p, 1)
        cell = np.searchsorted(curve.edges[1:-1], p)
        gap, mass = np.bincount(cell, chances - p), np.bincount(cell)
        held += low <= error(gap, mass) <= high
    assert held / 200 >= 0.93


def test_the_interval_shrinks_with_n_and_grows_with_its_level():
    (y, p) = next(draws(6, 10_000, 1, lambda p: expit(logit(p) / 1.5)))
    small = cl.ece_interval(y[:500], p[:500])
    large = cl.ece_interval(y, p)
    assert large[1] - large[0] < 0.5 * (small[1] - small[0])
    wide = cl.ece_interval(y, p, level=0.99)
    assert wide[0] <= large[0] <= large[1] <= wide[1]


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_interval_stays_where_the_two_classes_exchange_their_names(norm):
    for y, p in draws(12, 300, 20, lambda p: p**1.3):
        mirrored = cl.ece_interval(~y, 1 - p, norm=norm)
        assert cl.ece_interval(y, p, norm=norm) == pytest.approx(mirrored, abs=1e-9)


@given(forecasts())
def test_the_interval_is_ordered_and_within_zero_and_one(case):
    outcomes, scores, n_bins = case
    for norm in ("l1", "l2"):
        low, high = cl.ece_interval(outcomes, scores, n_bins=n_bins, norm=norm)
        assert 0 <= low <= high <= 1
