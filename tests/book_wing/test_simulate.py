"""The simulated sources keep their promises: known posteriors, errors by quadrature."""

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit, logit

from calibration_lessons.book import simulate
from calibration_lessons.book.simulate import GaussianClasses, ScoreSource, TwoGaussians

SOURCES = {
    "calibrated": lambda: ScoreSource(),
    "over-confident": lambda: ScoreSource(simulate.over_confident(1.5)),
    "network-like": lambda: ScoreSource(simulate.over_confident(2.0), stats.beta(20, 1)),
    "sawtooth": lambda: ScoreSource(simulate.sawtooth(0.03, 15)),
    "under-confident": lambda: ScoreSource(simulate.over_confident(0.5), stats.uniform(0.5, 0.5)),
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_quadrature_agrees_with_a_million_draws(name, norm):
    source = SOURCES[name]()
    p = source.scores.rvs(1_000_000, random_state=np.random.default_rng(0))
    power = 1 if norm == "l1" else 2
    losses = np.abs(source.truth(p) - p) ** power
    error = 4 * losses.std() / 1000 + 1e-9
    assert source.calibration_error(norm) ** power == pytest.approx(losses.mean(), abs=error)


def test_the_sawtooth_hides_from_bins_that_hold_whole_teeth():
    source = SOURCES["sawtooth"]()
    assert source.calibration_error() == pytest.approx(0.03, abs=1e-9)
    assert source.binned_calibration_error(15) == pytest.approx(0, abs=1e-9)
    assert source.binned_calibration_error(30) == pytest.approx(0.03, abs=1e-9)


def test_labels_follow_the_truth():
    y, p = SOURCES["over-confident"]().sample(200_000, random_state=2)
    assert y[np.abs(p - 0.9) < 0.02].mean() == pytest.approx(expit(logit(0.9) / 1.5), abs=0.01)


def test_two_gaussians_posterior_is_bayes_rule():
    source = TwoGaussians(separation=1.7, positive_rate=0.2)
    x = np.linspace(-3, 3, 50)
    joint_1 = 0.2 * stats.norm.pdf(x, 0.85)
    joint_0 = 0.8 * stats.norm.pdf(x, -0.85)
    np.testing.assert_allclose(expit(source.log_odds(x)), joint_1 / (joint_0 + joint_1), rtol=1e-12)
    drawn, y, posterior = source.sample(50_000, random_state=0)
    assert [y.mean(), *(drawn[y == k].mean() for k in (0, 1))] == pytest.approx([0.2, -0.85, 0.85], abs=0.02)
    np.testing.assert_array_equal(posterior, expit(source.log_odds(drawn)))
    assert source.log_odds(0.0) == pytest.approx(logit(0.2))


def test_gaussian_classes_posterior_is_bayes_rule():
    source = GaussianClasses(4, radius=1.2)
    x, y, posterior = source.sample(30_000, random_state=0)
    density = np.column_stack([stats.multivariate_normal.pdf(x, mean) for mean in source.means])
    np.testing.assert_allclose(posterior, density / density.sum(axis=1, keepdims=True), rtol=1e-9)
    assert np.bincount(y).min() > 7000


def test_label_noise_gives_the_noisy_posterior():
    _, y, posterior = GaussianClasses(3).sample(100_000, random_state=3)
    noisy = simulate.label_noise(y, 0.3, 3, random_state=4)
    expected = 0.7 * posterior.mean(axis=0) + 0.3 / 3
    np.testing.assert_allclose(np.bincount(noisy) / len(noisy), expected, atol=0.006)
    assert np.mean(noisy != y) == pytest.approx(0.3 * 2 / 3, abs=0.005)


def test_label_shift_gives_the_new_prior_and_keeps_the_rows_of_a_class():
    y = np.repeat([0, 1, 2], [700, 200, 100])
    rows = simulate.label_shift(y, [0.1, 0.2, 0.7], 50_000, random_state=0)
    np.testing.assert_allclose(np.bincount(y[rows]) / 50_000, [0.1, 0.2, 0.7], atol=0.01)


def test_the_truths_are_what_their_names_say():
    p = np.array([0.01, 0.1, 0.26, 0.5, 0.76, 0.99])
    assert simulate.calibrated([0, 1]).dtype == float
    odds = p / (1 - p)
    np.testing.assert_allclose(simulate.over_confident(2.0)(p), odds**0.5 / (1 + odds**0.5))
    # two teeth: above the score on the first and third quarter, cut off at 0 and 1
    np.testing.assert_allclose(simulate.sawtooth(0.2, 2)(p), [0.21, 0.3, 0.06, 0.7, 0.56, 0.79])
    assert simulate.sawtooth(0.5, 1)(np.array([0.25, 0.75, 0.49, 0.99])).tolist() == [0.75, 0.25, 0.99, 0.49]
    assert simulate.sawtooth(0.6, 1)(np.array([0.45, 0.55])).tolist() == [1, 0]


def test_draws_are_whole_labels_and_floating_scores():
    y, p = ScoreSource(scores=stats.bernoulli(0.5)).sample(20, random_state=0)
    assert y.dtype == np.int64 and p.dtype == float and set(p) == {0.0, 1.0}
    assert TwoGaussians().sample(5).y.dtype == GaussianClasses().sample(5).y.dtype == np.int64


@pytest.mark.parametrize("name", ["network-like", "under-confident"])
def test_the_binned_error_sums_the_gaps_of_its_bins(name):
    source = SOURCES[name]()
    share, gap = (
        np.array([integrate.quad(f, m / 5, (m + 1) / 5, limit=200)[0] for m in range(5)])
        for f in (source.scores.pdf, gap_of(source))
    )
    filled = share > 1e-12
    assert source.binned_calibration_error(5) == pytest.approx(np.abs(gap).sum(), abs=1e-6)
    root = np.sqrt((gap[filled] ** 2 / share[filled]).sum())
    assert source.binned_calibration_error(5, "l2") == pytest.approx(root, abs=1e-6)
    assert source.binned_calibration_error() == source.binned_calibration_error(15, "l1")


def gap_of(source):
    return lambda p: float(source.scores.pdf(p) * (source.truth(np.array([p])) - p).item())


def test_two_classes_and_means_that_nearly_coincide_are_legal():
    assert np.allclose(GaussianClasses(2, radius=0.5).means, [[0.5, 0], [-0.5, 0]])
    assert np.allclose(GaussianClasses(3, radius=0).sample(4).posterior, 1 / 3)


def test_a_class_may_vanish_a_row_may_stand_for_its_class_and_a_prior_be_rounded():
    assert simulate.label_shift([0, 0], [1.0, 0.0], 3, random_state=0).max() <= 1
    alone = simulate.label_shift([0, 0, 0, 1], [0.5, 0.5], 20_000, random_state=0) == 3
    assert alone.mean() == pytest.approx(0.5, abs=0.02)
    assert len(simulate.label_shift([0, 1, 2], [0.3333333] * 3, 5)) == 5
