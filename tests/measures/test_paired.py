"""The comparison of two models: literal definitions, limits, and the coverage of its intervals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax

import calibration_lessons as cl
from calibration_lessons.book import datasets
from tools.experiments import compare_experiment

pytestmark = pytest.mark.filterwarnings("ignore:prob_.. bin")
MEASURES = ("brier", "nll", "calibration")


def rows(seed, n=40, classes=0):
    rng = np.random.default_rng(seed)
    if classes:
        a, b = (softmax(2 * rng.normal(size=(n, classes)), axis=1) for _ in "ab")
        return rng.integers(0, classes, n), a, b
    return rng.integers(0, 2, n), *rng.choice([0.05, 0.2, 0.31, 0.5, 0.77, 0.9], (2, n))


def squared_error(y, p, place, w=None, group=None):
    """Add up products of rows of a place and of two groups (else two rows), each place by its weight."""
    w = np.ones(len(y)) if w is None else w
    group = np.arange(len(y)) if group is None else group
    off, total = w * (y - p), 0.0
    for m in np.unique(place):
        pair = np.outer(place == m, place == m) & (group[:, None] != group)
        if weight := (np.outer(w, w) * pair).sum():
            total += w[place == m].sum() / w.sum() * (np.outer(off, off) * pair).sum() / weight
    return total


def scatter_of_pairs(y, p, q, n_bins):
    """Twice the sum over all pairs of the square of what a pair adds to the difference of the two errors."""
    n, pseudo = len(y), [(0.5 * 4 / len(y), label) for label in (0, 1)]

    def parts(r):
        place = np.ceil(r * n_bins).astype(int)
        size = (place[:, None] == place).sum(axis=1)
        gap = np.array([np.mean((y - r)[place == m]) for m in place])
        pair = np.where((place[:, None] == place) & (size > 1), 1 / np.maximum(size - 1, 1) / n, 0)
        return pair, gap

    (pair_p, gap_p), (pair_q, gap_q) = parts(p), parts(q)

    def product(gap_a, a, gap_b, b):
        own = (y - a - gap_a) * (y - b - gap_b)
        return own + sum(share * (label - a - gap_a) * (label - b - gap_b) for share, label in pseudo)

    pp, qq, pq = product(gap_p, p, gap_p, p), product(gap_q, q, gap_q, q), product(gap_p, p, gap_q, q)
    return 2 * (pp @ pair_p**2 @ pp + qq @ pair_q**2 @ qq - 2 * pq @ (pair_p * pair_q) @ pq)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n_bins=st.integers(1, 6), weighted=st.booleans())
def test_the_errors_compared_are_sums_over_pairs_of_rows_that_share_a_bin(seed, n_bins, weighted):
    y, a, b = rows(seed)
    w = np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 3.0], len(y)) if weighted else np.ones(len(y))
    found = cl.compare(y, a, b, n_bins=n_bins, sample_weight=w if weighted else None).calibration
    literal = [squared_error(y, p, np.ceil(p * n_bins), w) for p in (a, b)]
    assert found[:2] == pytest.approx(literal, abs=1e-12)
    assert found.value == pytest.approx(literal[0] - literal[1], abs=1e-12)
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("classes", [0, 2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_scores_compared_are_those_of_the_two_models(classes, weighted):
    y, a, b = rows(3, classes=classes)
    options = {"sample_weight": np.arange(len(y))} if weighted else {}
    found = cl.compare(y, a, b, n_bins=4, **options)
    for score, one in ((cl.brier_score, found.brier), (cl.negative_log_likelihood, found.nll)):
        assert one[:2] == pytest.approx((score(y, a, **options), score(y, b, **options)), rel=1e-12)
        assert one.value == pytest.approx(one.a - one.b, abs=1e-12)
    logits = [np.log(p) if classes else np.log(p / (1 - p)) for p in (a, b)]
    again = cl.compare(y, *logits, n_bins=4, from_logits=True, **options)
    for name in MEASURES:
        assert getattr(again, name) == pytest.approx(getattr(found, name), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["brier", "calibration"])
def test_an_interval_is_that_of_a_mean_with_four_rows_more_and_with_the_skewness_on_its_side(name):
    y, a, b = rows(5)
    n, found = len(y), getattr(cl.compare(y, a, b, n_bins=2), name)

    def part(label, p):
        if name == "brier":
            return (p - label) ** 2
        gap = np.array([np.mean((y - p)[np.ceil(2 * p) == m]) for m in np.ceil(2 * p)])
        return 2 * gap * (label - p) - gap**2

    own, *others = (part(label, a) - part(label, b) for label in (y, 0, 1))
    apart = np.concatenate([own - own.mean(), *(other - own.mean() for other in others)])
    differ = a != b  # of the rows that do, there are two more of each label
    share = np.r_[np.ones(n), np.tile(2 * differ / differ.sum(), 2)]
    variance = share @ apart**2 / (n - 1)
    if name == "calibration":
        assert variance / n > scatter_of_pairs(y, a, b, 2)
    t = 2.0226909  # of 39 degrees of freedom
    half = t * np.sqrt(variance / n)
    skew = (1 + 2 * t**2) * (share @ apart**3) / n / (6 * n * variance)
    ends = found.value - half + min(skew, 0), found.value + half + max(skew, 0)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-7)


def test_two_calibrated_models_differ_by_the_scatter_of_pairs():
    p, q = np.full(200, 0.5), np.repeat([0.4, 0.6], 100)
    y = np.r_[np.ones(40), np.zeros(60), np.ones(60), np.zeros(40)]  # no gap in any bin: no mean varies
    found = cl.compare(y, p, q, n_bins=5).calibration
    variance = scatter_of_pairs(y, p, q, 5)
    assert variance > 0 and found.high - found.low >= 2 * 1.9719 * np.sqrt(variance) * (1 - 1e-3)


def test_few_rows_on_which_the_models_differ_are_told_and_their_interval_is_wider():
    rng, held = np.random.default_rng(4), 0
    for _ in range(200):
        b = rng.beta(2, 2, 400)
        a, y = np.where(np.arange(400) < 12, 0.99, b), rng.random(400) < b
        with pytest.warns(
            UserWarning, match="^prob_b differs from prob_a in 12 of 400 rows: .*fewer than 20"
        ):
            found = cl.compare(y, a, b).brier
        held += found.low <= 12 * ((0.99 - 0.5) ** 2 + 0.05) / 400 <= found.high
    assert held / 200 >= 0.94


@pytest.mark.filterwarnings("ignore:prob_b differs from prob_a in")
def test_equal_models_differ_by_nothing_and_exchanged_ones_by_the_opposite():
    y, a, b = rows(1, classes=3)
    assert [getattr(cl.compare(y, a, a), name)[2:] for name in MEASURES] == [(0, 0, 0)] * 3
    found, turned = cl.compare(y, a, b), cl.compare(y, b, a)
    for name in MEASURES:
        (_, _, value, low, high), other = getattr(found, name), getattr(turned, name)
        assert other == pytest.approx((*getattr(found, name)[1::-1], -value, -high, -low))


def test_rows_of_no_weight_do_not_count_and_the_unit_of_the_weights_does_not_matter():
    y, a, b = rows(2)
    w = np.r_[np.ones(30), np.zeros(10)]
    whole = cl.compare(y[:30], a[:30], b[:30])
    weighted = cl.compare(y, a, b, sample_weight=7 * w)
    assert weighted.n == 30
    for name in MEASURES:
        assert getattr(weighted, name) == pytest.approx(getattr(whole, name))


@pytest.mark.filterwarnings("ignore:prob_b differs from prob_a in")
def test_an_infinite_loss_says_so_and_leaves_the_other_measures_their_intervals():
    y, sure, other = [1, 0, 1, 0] * 5, [0.0, 0.1, 0.9, 0.2] * 5, [0.6, 0.4] * 10
    found = cl.compare(y, sure, other, n_bins=2)
    assert found.nll[2:] == (np.inf, -np.inf, np.inf) and "NLL infinite for a, " in str(found)
    assert np.isfinite([*found.brier, *found.calibration]).all()
    both = cl.compare(y, sure, sure, n_bins=2)
    assert np.isnan(both.nll.value) and "NLL infinite for a and b" in str(both)
    certain = cl.compare([1, 0] * 10, [1.0, 0.0, 0.9, 0.0] * 5, [0.9, 0.2] * 10, n_bins=2)
    assert np.isfinite(certain.nll).all()  # what a rules out did not come


@pytest.mark.filterwarnings("ignore:prob_b differs from prob_a in")
def test_bins_of_equal_mass_have_edges_from_both_models_and_a_lone_row_is_named():
    y, a, b = rows(4)
    both = cl.reliability_curve(np.r_[y, y], np.r_[a, b], n_bins=3, strategy="quantile").edges
    found = cl.compare(y, a, b, n_bins=3, strategy="quantile").calibration
    moved = [np.searchsorted(both[1:-1], p) for p in (a, b)]
    literal = squared_error(y, a, moved[0]), squared_error(y, b, moved[1])
    assert found[:2] == pytest.approx(literal, abs=1e-12)
    with pytest.warns(UserWarning, match="prob_b: bin 1 holds one row: left out of the debiased error"):
        cl.compare([0, 1, 1], [0.7, 0.8, 0.9], [0.1, 0.8, 0.9], n_bins=2)


def test_the_text_is_a_sentence_and_the_frame_has_a_row_for_each_measure():
    found = cl.compare(*rows(0), n_bins=1)
    assert str(found).startswith("a minus b on the same 40 rows, below 0 where a is better, with 95 % inter")
    assert " nats (" in str(found)
    assert str(found).endswith("; the last of the positive class, in 1 bin of equal width")
    assert repr(found.brier).startswith("Difference(a=")
    frame = found.to_frame()
    assert list(frame) == ["measure", "a", "b", "a minus b", "low", "high"] and len(frame) == 3
    np.testing.assert_array_equal(frame.loc[0, "a":].astype(float), found.brier)
    assert "<caption>a minus b" in found._repr_html_() and isinstance(frame, pd.DataFrame)


def test_the_intervals_cover_in_all_sources_and_the_bootstrap_of_the_plain_error_does_not():
    counts = datasets.compare_coverage()
    assert counts[["source", "n", "n_bins", "strategy", "weighted"]].values.tolist() == [
        [case.source, case.n, case.n_bins, case.strategy, case.weighted]
        for case in compare_experiment.cases()
    ]
    assert set(counts.repeats) == {1000} and len(set(counts.source)) >= 8
    assert (counts[list(MEASURES)] >= 930).all(axis=None)
    assert (counts.kind == "unseen").sum() >= 8
    assert (counts.bootstrap < 930).sum() >= len(counts) / 3 and counts.bootstrap.min() < 400
    assert list(compare_experiment.count(compare_experiment.cases()[0], repeats=3)) == list(counts)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("classes", [0, 3])
def test_logits_of_any_size_have_an_interval(classes):
    rng = np.random.default_rng(0)
    shape = (60, classes) if classes else 60
    y, a, b = rng.integers(0, classes or 2, 60), rng.normal(size=shape), rng.normal(size=shape)
    small = cl.compare(y, a * 1e90, b * 1e90, from_logits=True, n_bins=1).nll
    huge = cl.compare(y, a * 1e200, b * 1e200, from_logits=True, n_bins=1).nll
    assert np.array(huge) / 1e110 == pytest.approx(np.array(small), rel=1e-9)


def test_the_interval_ends_where_differences_end():
    found = cl.compare([0, 1, 0, 1], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0])
    assert found.brier[2:] == (-1, -1, 1) and found.calibration[3:] == (-1, 1)
    two = np.eye(2)
    assert cl.compare([0, 1] * 2, two[[0, 1] * 2], two[[1, 0] * 2]).brier[2:] == (-2, -2, 2)


def test_a_comparison_speaks_of_its_own_arguments():
    y, p = np.arange(30) % 2, np.linspace(0.1, 0.9, 30)
    with pytest.warns(UserWarning, match="prob_b looks like probabilities"):
        cl.compare(y, 20 * p - 10, p, from_logits=True)


def test_more_bins_than_rows_cost_no_more_than_rows():
    y, a, b = rows(1)
    assert cl.compare(y, a, b, n_bins=10**12).calibration == cl.compare(y, a, b, n_bins=1000).calibration


def of_groups(seed, n_groups=30, most=20):
    """Draw questions that are asked several times: the answers scatter a little, the label is one."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), rng.integers(1, most + 1, n_groups))
    log_odds = 1.5 * rng.normal(size=n_groups)
    y = (rng.random(n_groups) < expit(log_odds)).astype(int)
    a, b = (expit(k * log_odds[group] + 0.4 * rng.normal(size=len(group))) for k in (1, 1.5))
    return y[group], a, b, group


def test_the_error_of_groups_is_a_sum_over_pairs_of_rows_of_different_groups():
    y, a, b, group = of_groups(1, 8, 6)
    w = np.random.default_rng(1).choice([0.0, 0.5, 2.0], len(y))
    found = cl.compare(y, a, b, n_bins=2, groups=group, sample_weight=w)
    literal = [squared_error(y, p, np.ceil(2 * p), w, group) for p in (a, b)]
    assert found.calibration[:2] == pytest.approx(literal, abs=1e-12)
    assert f"on the same {found.n} rows of {found.n_groups} groups, " in str(found)


@pytest.mark.filterwarnings("ignore:prob_.. holds")
def test_the_intervals_cover_where_rows_hang_together_and_without_groups_they_do_not():
    truth, held = cl.compare(*of_groups(0, 20_000)[:3], n_bins=10), np.zeros((2, 3))
    for seed in range(1, 101):
        *sample, group = of_groups(seed)
        for row, groups in enumerate((group, None)):
            found = cl.compare(*sample, n_bins=10, groups=groups)
            ends = [(getattr(found, name), getattr(truth, name).value) for name in MEASURES]
            held[row] += [one.low <= value <= one.high for one, value in ends]
    assert (held[0] >= 93).all() and (held[1] <= 85).all(), held


def test_a_bin_that_holds_one_group_is_named():
    y, a, _, group = of_groups(3, 6)
    with pytest.warns(UserWarning, match="holds rows of one group"):
        cl.compare(y, a, np.where(group == 0, 0.01, 0.5), groups=group, n_bins=4)
