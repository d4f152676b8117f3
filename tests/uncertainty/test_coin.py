import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import entr, lambertw
from scipy.stats import beta, binom

from calibration_lessons.book import definitions
from calibration_lessons.uncertainty import (
    coin_plausibility,
    coin_uncertainty,
    entropy,
    expected_coin_uncertainty,
)

SLICES = STEPS = 2000
MEASURES = ["entropy", "plausibility"]


@st.composite
def counts(draw, most=60):
    tosses = draw(st.integers(0, most))
    return draw(st.integers(0, tosses)), tosses


biases = st.one_of(st.floats(1e-200, 1), st.sampled_from([0.0, 0.5, 1.0]))  # below, SciPy's overflows
priors = st.tuples(st.floats(0.05, 50), st.floats(0.05, 50))


@pytest.mark.equation("eq-coin-likelihood")
@given(counts(), biases)
def test_the_likelihood_is_the_binomial_probability(count, h):
    assert definitions.coin_likelihood(h, *count) == pytest.approx(binom.pmf(*count, h), rel=1e-9, abs=1e-290)


@pytest.mark.equation("eq-coin-entropy")
@settings(max_examples=50, deadline=None)
@given(counts())
def test_the_entropies_equal_their_integrals_over_a_uniform_prior(count):
    literal = definitions.coin_entropies(*count, slices=SLICES)
    # The curvature at an end where all tosses agree makes the largest error of the midpoint rule.
    assert coin_uncertainty(*count) == pytest.approx(literal, abs=3e-5)


@settings(max_examples=50, deadline=None)
@given(counts(), st.tuples(st.floats(0.5, 20), st.floats(0.5, 20)))
def test_the_entropies_equal_their_integrals_over_any_beta_prior(count, prior):
    heads, tosses = count
    posterior = beta(prior[0] + heads, prior[1] + tosses - heads)

    def weighted_entropy(h):
        return float(posterior.pdf(h) * (entr(h) + entr(1 - h)) / math.log(2))

    expected = quad(weighted_entropy, 0, 1, points=[posterior.mean()], limit=200)[0]
    assert coin_uncertainty(heads, tosses, prior=prior).aleatoric == pytest.approx(expected, abs=1e-7)


@given(counts(10**6), priors)
def test_the_parts_of_the_entropy_are_not_negative_and_add_up_to_the_total(count, prior):
    total, aleatoric, epistemic = coin_uncertainty(*count, prior=prior)
    assert 0 <= aleatoric <= 1 and 0 <= epistemic <= 1 and 0 <= total <= 1 + 1e-15
    assert total == pytest.approx(aleatoric + epistemic, abs=1e-15)
    mean = (prior[0] + count[0]) / (sum(prior) + count[1])
    assert total == pytest.approx(entropy([mean, 1 - mean], base="bits"), abs=1e-14)


def test_the_epistemic_entropy_keeps_its_digits_where_the_difference_of_entropies_has_none():
    tosses = 10**12
    for share in (0.5, 0.1, 0.01):
        epistemic = coin_uncertainty(round(share * tosses), tosses).epistemic
        assert epistemic * 2 * tosses * math.log(2) == pytest.approx(1, rel=1e-8)


def test_the_series_for_many_tosses_continues_the_digammas_for_few():
    parts = [coin_uncertainty(0, 0, prior=(a, a)) for a in (100.0, np.nextafter(100.0, 101.0))]
    assert parts[0].epistemic == pytest.approx(parts[1].epistemic, rel=1e-11)


@pytest.mark.equation("eq-plausibility", "eq-plausibility-split")
@settings(max_examples=50, deadline=None)
@given(counts())
def test_the_plausibilities_equal_the_best_coin_of_a_fine_grid(count):
    heads, tosses = count
    for_heads = definitions.plausibility_of_heads(heads, tosses, steps=STEPS)
    for_tails = definitions.plausibility_of_heads(tosses - heads, tosses, steps=STEPS)
    aleatoric, epistemic = definitions.plausibility_split(for_heads, for_tails)
    found = coin_plausibility(heads, tosses)
    # The line 2 h - 1 rises by 2 / STEPS from a coin to the next, so the grid misses the top by no more.
    assert found.aleatoric == pytest.approx(aleatoric, abs=2 / STEPS + 1e-12)
    assert found.epistemic == pytest.approx(epistemic, abs=2 / STEPS + 1e-12)
    assert found.total == pytest.approx(found.aleatoric + found.epistemic, abs=1e-15)


def test_one_head_in_two_tosses_divides_in_the_golden_ratio():
    golden = (math.sqrt(5) - 1) / 2
    assert coin_plausibility(1, 2) == pytest.approx((1, 1 - golden, golden), abs=1e-14)


def test_the_epistemic_plausibility_of_a_fair_coin_falls_like_the_root_of_log_n_over_n():
    tosses = 10**8
    epistemic = coin_plausibility(tosses // 2, tosses).epistemic
    assert epistemic == pytest.approx(math.sqrt(lambertw(tosses).real / tosses), rel=1e-6)


@pytest.mark.equation("eq-coin-expected")
@settings(max_examples=30, deadline=None)
@given(biases, st.integers(0, 15), st.sampled_from(MEASURES))
def test_the_expected_uncertainty_is_the_sum_over_all_numbers_of_heads(p, tosses, measure):
    split = coin_uncertainty if measure == "entropy" else coin_plausibility
    found = expected_coin_uncertainty(p, tosses, measure=measure)
    known = {heads: split(heads, tosses) for heads in range(tosses + 1)}
    for i, part in enumerate(found):
        literal = definitions.coin_expected(p, tosses, lambda heads, _, i=i: known[heads][i])
        assert part == pytest.approx(literal, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("p", [0, 1e-7, 0.5, 0.97, 1])
def test_a_hundred_thousand_tosses_leave_finite_parts_between_0_and_1(p, measure):
    found = expected_coin_uncertainty(p, 10**5, measure=measure)
    assert all(isinstance(part, float) and 0 <= part <= 1 for part in found)
    assert found.total == pytest.approx(found.aleatoric + found.epistemic, abs=1e-14)
