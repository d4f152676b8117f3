"""What holds for both temperatures: scaling, weights, precision, the predicted class, bad input."""

import numpy as np
import pytest

import calibration_lessons as cl
from tests.calibrators.cases import simulate

BOTH = [cl.TemperatureScaling, cl.ExpectationConsistency]
both = pytest.mark.parametrize("method", BOTH)
LOGITS, LABELS = simulate(400, 3, 1.7)


@both
@pytest.mark.parametrize("factor", [1e-50, 1e-6, 2.0**-20, 1e6, 1e50])
def test_scaled_logits_scale_the_temperature(method, factor):
    expected = factor * method().fit(LOGITS, LABELS).temperature_
    assert method().fit(factor * LOGITS, LABELS).temperature_ == pytest.approx(expected, rel=1e-12, abs=0)


@both
def test_the_predicted_class_is_the_first_largest_logit_though_the_probabilities_tie(method):
    fitted = method().fit(LOGITS, LABELS)
    close = np.array([[0.0, 1e-17, 0.0], [0.0, 0.0, 0.0], [-np.inf, 1.0, 1.0]])
    assert fitted.predict_proba(close)[0, 0] == fitted.predict_proba(close)[0, 1]
    assert fitted.predict(close).tolist() == [1, 0, 1]


@both
def test_a_binary_logit_of_zero_is_class_0(method):
    fitted = method().fit([2.0, -1.0, 1.5, 1.0], [1, 0, 1, 0])
    assert fitted.predict([0.0, 1e-300, -1.0]).tolist() == [0, 1, 0]
    p = fitted.predict_proba([1.0, -1.0])
    assert p.shape == (2, 2) and p[0, 1] > 0.5
    assert p[0] == pytest.approx(p[1, ::-1])
    assert (fitted.n_features_in_, fitted.classes_.tolist()) == (1, [0, 1])


@both
@pytest.mark.parametrize("unit", [1e-37, 1e-9, 1e9, 1e36])
def test_single_precision_logits_of_any_size_give_the_temperature_of_their_exact_values(method, unit):
    low = (unit * LOGITS).astype(np.float32)
    exact = method().fit(low.astype(np.float64), LABELS).temperature_
    assert method().fit(low, LABELS).temperature_ == pytest.approx(exact, rel=1e-11)


@both
def test_single_precision_logits_close_to_chance_have_their_temperature(method):
    low, weights = np.float32([[1, 0], [1, 0]]), [1 + 1e-9, 1]
    assert method().fit(low, [0, 1], sample_weight=weights).temperature_ == pytest.approx(1e9, rel=1e-5)


@both
def test_rows_of_weight_zero_may_be_impossible(method):
    fitted = method().fit(np.vstack([LOGITS, [[-np.inf, 0.0, 0.0]]]), [*LABELS, 0], [1] * 400 + [0])
    assert fitted.temperature_ == pytest.approx(method().fit(LOGITS, LABELS).temperature_, rel=1e-12)


def test_each_row_of_logits_is_by_itself_and_far_gaps_at_a_low_temperature_are_certain():
    z = np.array([[1000.0, 1001.0], [-1000.0, -1003.0]])
    scaling = cl.TemperatureScaling().fit(*simulate(50, 2, 2.0))
    np.testing.assert_array_equal(
        scaling.predict_proba(z), np.vstack([scaling.predict_proba(r) for r in z[:, None]])
    )
    scaling.temperature_ = 1e-200
    assert scaling.predict_proba([[0.0, 1e200], [5.0, 5.0]]).tolist() == [[0, 1], [0.5, 0.5]]


@both
@pytest.mark.parametrize("shape", [(500, 90), (40_000, 3)], ids=["many classes", "few classes"])
@pytest.mark.parametrize("ruled_out", [False, True])
def test_over_several_blocks_tied_rows_and_classes_ruled_out_the_equation_holds(method, shape, ruled_out):
    rng = np.random.default_rng(0)
    z, labels = rng.integers(-4, 4, shape).astype(np.float32), rng.integers(0, shape[1], shape[0])
    every, weights = np.arange(len(z)), rng.uniform(0.5, 2, len(z))
    z[every, labels] += rng.integers(0, 3, len(z))
    if ruled_out:
        z[every, (labels + 1) % shape[1]] = -np.inf
    p = method().fit(z, labels, weights).predict_proba(z)
    finite = np.where(np.isinf(z), 0.0, z)
    expected, found = (
        ((p * finite).sum(axis=1), finite[every, labels])
        if method is cl.TemperatureScaling
        else (p.max(axis=1), z.argmax(axis=1) == labels)
    )
    assert weights @ expected == pytest.approx(weights @ found, rel=1e-9)


def test_the_ends_that_are_told_count_finite_and_tied_logits_by_weight():
    z = np.array([[2.0, 2.0, -np.inf], [1.0, 0.0, 0.0], [3.0, 3.0, 3.0], [0.0, -1.0, 5.0]])
    low, high = (1 / 2 + 2 / 3 + 3 / 3 + 2 / 3) / 8, (1 / 2 + 2 + 3 / 3 + 2) / 8
    with pytest.raises(
        ValueError, match=f"between {low:.4g} .* and {high:.4g} .*the accuracy 1 is not below"
    ):
        cl.ExpectationConsistency().fit(z, z.argmax(axis=1), [1.0, 2.0, 3.0, 2.0])


@both
def test_two_or_three_passes_over_all_rows_find_a_temperature(method, monkeypatch):
    logits, labels = simulate(50_000, 5, 2.0)
    passes, excess = [], method._excess
    counted = lambda rows, beta: passes.append(len(rows.labels)) or excess(rows, beta)  # noqa: E731
    monkeypatch.setattr(method, "_excess", staticmethod(counted))
    method().fit(logits, labels)
    assert passes.count(50_000) in (2, 3)
    assert set(passes) == {50_000, 50_000 // 16}


@both
def test_log_probabilities_are_exact_where_probabilities_underflow(method):
    fitted = method().fit(LOGITS, LABELS)
    fitted.temperature_ = 0.5
    assert fitted.predict_log_proba([[0.0, 1000.0, 0.0]]).tolist() == [[-2000.0, 0.0, -2000.0]]
    assert fitted.predict_log_proba(LOGITS) == pytest.approx(np.log(fitted.predict_proba(LOGITS)), abs=1e-12)
