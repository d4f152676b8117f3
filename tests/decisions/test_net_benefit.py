"""Net benefit: true positives less false ones at the threshold's odds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration_lessons import net_benefit
from calibration_lessons.book import definitions
from calibration_lessons.decisions import decision_curve

ROWS = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])), min_size=2)


@pytest.mark.equation("eq-net-benefit")
@given(ROWS, st.sampled_from([0.0, 0.1, 0.25, 0.7]))
def test_it_counts_who_is_treated(rows: list[tuple[bool, float]], threshold: float) -> None:
    events, risks = zip(*rows, strict=True)
    (found,) = net_benefit(np.array(events), risks, [threshold])
    assert found == pytest.approx(definitions.net_benefit(events, risks, threshold), abs=1e-12)
    curve = decision_curve(np.array(events), risks, [threshold])
    assert curve.low[0] <= found + 1e-12 and found <= curve.high[0] + 1e-12
    everybody = np.mean(events) - np.mean(np.logical_not(events)) * threshold / (1 - threshold)
    assert curve.treat_all[0] == pytest.approx(everybody, abs=1e-12)


def test_the_example_of_dcurves_has_its_net_benefits():
    """750 patients, by family history and cancer: the data and the numbers of dcurves 1.1.7."""
    counts = [554, 81, 91, 24]
    history, cancer = np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts)
    thresholds, theirs = [0.05, 0.1, 0.2, 0.35], [0.0256140351, 0.0185185185, 0.0016666667, -0.0333333333]
    assert net_benefit(cancer, history, thresholds) == pytest.approx(theirs, abs=1e-10)
    assert net_benefit(cancer, history, thresholds, standardized=True) * 0.14 == pytest.approx(theirs)
    everybody = decision_curve(cancer, history, thresholds).treat_all
    assert everybody == pytest.approx([0.0947368421, 0.0444444444, -0.075, -0.3230769231], abs=1e-10)


def test_standardized_it_is_at_most_one() -> None:
    happened, risk = np.array([0, 0, 0, 1]), [0.1, 0.2, 0.3, 0.8]
    assert net_benefit(happened, risk, [0.5], standardized=True).tolist() == [1.0]
    curve = decision_curve(happened, risk, [0.5], standardized=True)
    assert curve.net_benefit.tolist() == [1.0] and curve.low[0] < 1 <= curve.high[0]
    assert curve.treat_all.tolist() == [0.25 / 0.25 - 0.75 / 0.25]


def test_the_interval_of_a_standardized_net_benefit_covers_from_ten_events_on() -> None:
    generator, held = np.random.default_rng(3), 0
    score = generator.normal(-1.4, 1.2, 20_000)
    p = 1 / (1 + np.exp(-score))
    truth = np.mean((p >= 0.2) * (p - (1 - p) * 0.25)) / p.mean()
    for _ in range(200):
        rows = generator.integers(20_000, size=50)
        curve = decision_curve(generator.random(50) < p[rows], p[rows], [0.2], standardized=True)
        held += curve.low[0] <= truth <= curve.high[0]
    assert held / 200 >= 0.91


def test_the_interval_of_a_difference_is_paired() -> None:
    happened, risk = np.arange(2000) % 5 == 0, np.random.default_rng(1).choice([0.1, 0.9], 2000)
    same = decision_curve(happened, risk, [0.2], versus=risk)
    assert same.net_benefit[0] == 0 and same.low[0] == -same.high[0]
    square, cube, quantile = 2 * (1 + 0.25**2), 2 * (1 - 0.25**3), 1.961151  # four other rows change sides
    skew = (1 + 2 * quantile**2) * 1999 * cube / (6 * 2000**2 * square)
    assert same.high[0] == pytest.approx(quantile * np.sqrt(square / (2000 * 1999)) + skew, rel=1e-5)
    assert list(same.to_frame()) == ["threshold", "gain", "low", "high", "treat_all"]
    assert list(decision_curve(happened, risk, [0.2]).to_frame())[1] == "net_benefit"


@pytest.mark.parametrize(
    ("n", "against_all"), [(50, True), (200, True), (1000, True), (200, False), (1000, False)]
)
def test_the_interval_of_a_difference_covers_where_few_rows_change_sides(n: int, against_all: bool) -> None:
    generator, held = np.random.default_rng(2), 0
    score = generator.normal(-1.4, 1.3, 20_000)
    p, right = 1 / (1 + np.exp(-score)), 1 / (1 + np.exp(0.9 - 0.7 * score))
    rival = np.ones(20_000) if against_all else right
    sides = (p >= 0.05) * 1.0 - (rival >= 0.05)
    truth = np.mean(sides * (right - (1 - right) * 0.05 / 0.95))
    for _ in range(200):
        rows = generator.integers(20_000, size=n)
        curve = decision_curve(generator.random(n) < right[rows], p[rows], [0.05], versus=rival[rows])
        held += curve.low[0] <= truth <= curve.high[0]
    assert held / 200 >= 0.93  # 0.15 to 0.9 by a Wald interval
