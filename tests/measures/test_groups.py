"""Groups of rows that err alike: how far they hang together, and intervals and p-values that allow for it."""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import expit

import calibration_lessons as cl
from calibration_lessons.measures._forecast import Forecast
from calibration_lessons.measures._groups import Groups
from calibration_lessons.measures.reliability import curve_of
from tools.experiments import groups_experiment

pytestmark = pytest.mark.filterwarnings("ignore:each row of", "ignore:prob_.. bin")


def rows(seed, n=60, weighted=False):
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n), rng.integers(1, 4))
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], n) if weighted else None
    return (rng.random(n) < p**1.3).astype(int), p, weight


def of_groups(y, p, groups, weight=None, n_bins=15):
    forecast = Forecast.read(y, p, None, weight, from_logits=False)
    return Groups(groups, forecast, curve_of(forecast, n_bins, "uniform"))


def ends(y, p, **options):
    """Return the numbers of all intervals that allow for groups; the model compared says p^2."""
    of_norms = [cl.ece_interval(y, p, norm=norm, **options) for norm in ("l1", "l2")]
    found = cl.compare(y, p, p**2, **options)
    return np.concatenate([*of_norms, found.brier, found.nll, found.calibration])


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["uniform", "quantile"]))
@example(1499, True, "quantile")  # three rows hold exactly a share of m/M
def test_groups_of_one_row_give_what_no_groups_give(seed, weighted, strategy):
    y, p, weight = rows(seed, weighted=weighted)
    options = {"sample_weight": weight, "strategy": strategy, "n_bins": 7}
    names = {"groups": [f"row {i}" for i in range(len(y))]}
    assert ends(y, p, **options, **names) == pytest.approx(ends(y, p, **options), abs=1e-12)
    drawn = {"n_draws": 20, "random_state": seed}
    found, plain = (cl.calibration_report(y, p, **drawn, **options, **more) for more in (names, {}))
    assert found.n_groups == found.n
    for name, value in dataclasses.asdict(plain).items():
        assert name == "n_groups" or getattr(found, name) == pytest.approx(value, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_copies_of_rows_within_their_groups_change_nothing(seed, many):
    y, p, _ = rows(seed)
    copies = [np.tile(x, many) for x in (y, p, np.arange(len(y)))]
    assert ends(*copies[:2], groups=copies[2], n_bins=5) == pytest.approx(ends(y, p, n_bins=5), abs=1e-9)


def test_neither_the_order_of_the_rows_nor_the_names_of_the_groups_matter_nor_do_rows_without_weight():
    case = groups_experiment.CASES[4]._replace(groups=30)
    y, p, group = groups_experiment.sample(case, np.random.default_rng(0))
    weight, order = (group % 5 > 0).astype(float), np.random.default_rng(1).permutation(len(y))
    found = ends(y, p, groups=group, sample_weight=weight)
    shuffled = {"groups": [f"q{9 * k}" for k in group[order]], "sample_weight": weight[order]}
    assert ends(y[order], p[order], **shuffled) == pytest.approx(found)
    counted = weight > 0
    assert ends(y[counted], p[counted], groups=group[counted]) == pytest.approx(found)
    assert cl.calibration_report(y, p, groups=group, sample_weight=weight, random_state=0).n_groups == 24


@pytest.mark.parametrize("likeness", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("size", [2, 10])
def test_the_correlation_is_that_of_the_errors_and_the_design_effect_that_of_kish(likeness, size):
    rng, number = np.random.default_rng(3), np.repeat(np.arange(4000), size)
    same = rng.random(len(number)) < np.sqrt(likeness)  # else a label of its own
    uniform = np.where(same, rng.random(4000)[number], rng.random(len(number)))
    p = np.full(len(number), 0.3)
    found = of_groups((uniform < p).astype(int), p, number)
    assert found.correlation == pytest.approx(likeness, abs=0.04)
    effect = 1 + (size - 1) * found.correlation
    assert found.bins.n == pytest.approx(len(number) / effect)
    drawn = np.array([happened.mean() for happened in found.draws(p, 300, rng)])
    assert drawn.mean() == pytest.approx(0.3, abs=0.002)
    assert drawn.std() == pytest.approx(np.sqrt(0.3 * 0.7 * effect / len(number)), rel=0.2)


@pytest.mark.parametrize("n_bins", [15, 60])
def test_intervals_cover_where_hardly_two_groups_share_a_bin(n_bins):
    rng, held = np.random.default_rng(0), 0
    for _ in range(100):
        group, p = np.repeat(np.arange(20), 5), expit(1.5 * rng.standard_normal(20))
        same = rng.random(100) < 0.6  # else a label of its own
        y = np.where(same, (rng.random(20) < p)[group], rng.random(100) < p[group]).astype(int)
        held += cl.ece_interval(y, p[group], groups=group, n_bins=n_bins)[0] == 0
    assert held >= 95


def test_intervals_cover_and_p_values_keep_their_level_where_without_groups_they_do_not():
    cases = [groups_experiment.CASES[k]._replace(groups=20) for k in (4, 6, 12)]
    counts = [groups_experiment.count(case, 100) for case in cases]
    assert all(row["held"] >= 93 and row["held_without"] <= 88 for row in counts), counts
    assert all(row["refuted"] <= 15 for row in counts if row["error"] == 0), counts


def test_the_kept_table_is_what_the_experiment_gives_and_its_intervals_cover():
    table = pd.read_csv(Path(groups_experiment.__file__).with_name("groups_coverage.csv"))
    assert len(table) == len(groups_experiment.CASES) * len(groups_experiment.GROUPS)
    assert (table.held >= 945).all() and (table.refuted[table.error == 0] <= 85).all()
    few = groups_experiment.count(groups_experiment.CASES[3]._replace(groups=20), 3)
    assert list(few) == list(table) and few["error"] == table.error[9]
