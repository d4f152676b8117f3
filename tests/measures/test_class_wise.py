"""The class-wise error in company: its interval covers, its null is that of drawn labels."""

import numpy as np
import pytest
from scipy.special import softmax

import calibration_lessons as cl


def sample(rng, n, n_classes, temperature):
    """Logits of normal classes, forecast at temperature 1 and drawn at another."""
    logits = 2 * rng.normal(size=(n, n_classes))
    chance = softmax(logits / temperature, axis=1)
    labels = (np.cumsum(chance, axis=1)[:, :-1] <= rng.random((n, 1))).sum(axis=1)
    return labels, softmax(logits, axis=1), chance


def test_the_lower_end_rises_above_zero_where_the_model_is_far_off():
    y, p, _ = sample(np.random.default_rng(0), 4000, 4, 3)
    low, high = cl.ece_interval(y, p, target="class-wise")
    error = cl.expected_calibration_error(y, p, target="class-wise")
    assert 0.5 * error < low < error and low < high < 1.5 * error


def test_independent_classes_would_make_the_interval_of_two_mirrored_classes_too_short():
    y, p, _ = sample(np.random.default_rng(1), 2000, 2, 1.5)
    assert cl.ece_interval(y, p, target="class-wise") == pytest.approx(cl.ece_interval(y, p[:, 1]), abs=1e-12)


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_null_is_that_of_labels_drawn_with_the_forecasts_own_probabilities(norm, strategy):
    rng = np.random.default_rng(3)
    _, p, _ = sample(rng, 300, 4, 1)
    options = {"target": "class-wise", "norm": norm, "strategy": strategy}
    null = cl.ece_under_calibration(p, n_draws=400, random_state=0, **options)
    direct = []
    for _ in range(400):
        y = (np.cumsum(p, axis=1)[:, :-1] <= rng.random((300, 1))).sum(axis=1)
        direct.append(cl.expected_calibration_error(y, p, **options))
    assert null.mean == pytest.approx(np.mean(direct), rel=0.02)
    assert null.quantile(0.95) == pytest.approx(np.quantile(direct, 0.95), rel=0.05)
    assert (np.diff(null.values) >= 0).all()


def test_logits_weights_and_seeds_mean_what_they_mean_elsewhere():
    logits = np.random.default_rng(4).normal(size=(80, 3))
    weight = np.arange(80) % 3
    options = {"target": "class-wise", "n_draws": 20, "random_state": 5}
    of_logits = cl.ece_under_calibration(logits, from_logits=True, **options)
    plain = cl.ece_under_calibration(softmax(logits, axis=1), **options)
    np.testing.assert_allclose(of_logits.values, plain.values, atol=1e-9)
    weighted = cl.ece_under_calibration(softmax(logits, axis=1), sample_weight=weight, **options)
    heavier = cl.ece_under_calibration(softmax(logits, axis=1), sample_weight=8.0 * weight, **options)
    np.testing.assert_allclose(weighted.values, heavier.values, atol=1e-12)
    assert weighted.mean > 1.1 * plain.mean
    y = logits.argmax(axis=1)
    ends = cl.ece_interval(y, logits, from_logits=True, target="class-wise", sample_weight=weight)
    assert ends == cl.ece_interval(y, logits, from_logits=True, target="class-wise", sample_weight=2 * weight)


def test_a_certain_forecast_leaves_nothing_to_chance_and_one_column_means_two_classes():
    assert cl.ece_under_calibration(np.eye(3), target="class-wise", n_draws=5).values.tolist() == [0.0] * 5
    p = np.linspace(0.05, 0.95, 40)
    one, two = (
        cl.ece_under_calibration(q, target="class-wise", n_draws=9, random_state=0)
        for q in (p, np.column_stack([1 - p, p]))
    )
    np.testing.assert_allclose(one.values, two.values, atol=1e-12)


def test_a_class_wise_error_in_the_second_norm_is_the_mean_of_the_roots():
    y, p, _ = sample(np.random.default_rng(6), 200, 3, 2)
    roots = [cl.expected_calibration_error(y, p, target=k, norm="l2") for k in range(3)]
    error = cl.expected_calibration_error(y, p, target="class-wise", norm="l2")
    assert error == pytest.approx(np.mean(roots))
