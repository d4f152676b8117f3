"""Matrix scaling: the convex problem it solves, its limits, the choice of its strength, hostile input."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import softmax

import calibration_lessons as cl
from calibration_lessons.book import definitions
from calibration_lessons.calibrators import matrix_scaling
from calibration_lessons.calibrators._affine_rows import AffineRows, Deviation
from tests.calibrators.cases import logits_and_labels, simulate
from tests.refusals import refusals, refused

STRUCTURES = ["bias", "vector", "full"]


def drawn(n, k, coef, intercept, seed=0):
    """Logits, and labels drawn from softmax(W z + b)."""
    rng = np.random.default_rng(seed)
    logits = 2 * rng.standard_normal((n, k))
    centred = logits - logits.mean(axis=1, keepdims=True)
    return logits, (centred @ coef.T + intercept + rng.gumbel(size=(n, k))).argmax(axis=1)


SKEWED = np.eye(4) / 1.5 + 0.3 * np.outer([1, -1, 0, 0], [0, 0, 1, -1])
INTERCEPT = np.array([0.6, -0.2, 0.0, -0.4])


def nll(scaling, logits, labels):
    return cl.negative_log_likelihood(labels, scaling.predict_proba(logits))


def slope(scaling, logits, labels):
    """Slope of the penalised loss in b and in W, by the definition, in exact residuals."""
    z = logits - logits.mean(axis=1, keepdims=True)
    k, t = z.shape[1], scaling.temperature_
    residuals = softmax(z @ scaling.coef_.T + scaling.intercept_, axis=1) - np.eye(k)[labels]
    return residuals.sum(axis=0), residuals.T @ z / t, np.sqrt((z**2).mean()) / t


@settings(max_examples=25)
@given(logits_and_labels())
def test_a_minimum_exists_wherever_a_temperature_does_and_probabilities_are_those_of_w_and_b(case):
    logits, labels = case
    try:
        temperature = cl.TemperatureScaling().fit(logits, labels).temperature_
    except ValueError as refusal:
        for structure in STRUCTURES:
            with pytest.raises(ValueError, match=f"^{str(refusal)[:40]}"):
                cl.MatrixScaling(structure).fit(logits, labels)
        return
    for structure in STRUCTURES:
        scaling = cl.MatrixScaling(structure, strength=1.0).fit(logits, labels)
        centred = logits - logits.mean(axis=1, keepdims=True)
        expected = softmax(centred @ scaling.coef_.T + scaling.intercept_, axis=1)
        assert scaling.predict_proba(logits) == pytest.approx(expected, abs=1e-12)
        assert scaling.temperature_ == pytest.approx(temperature, rel=1e-9)
        assert np.isfinite(scaling.coef_).all()


@pytest.mark.equation("eq-matrix-scaling")
def test_the_probabilities_are_the_defined_ones():
    logits, labels = drawn(300, 4, SKEWED, INTERCEPT)
    scaling = cl.MatrixScaling(strength=1.0).fit(logits, labels)
    for row, p in zip(logits[:20], scaling.predict_proba(logits[:20]), strict=True):
        matrix, intercepts = scaling.coef_.tolist(), scaling.intercept_.tolist()
        defined = definitions.matrix_scaling((row - row.mean()).tolist(), matrix, intercepts)
        assert p == pytest.approx(defined, rel=1e-9)


@pytest.mark.equation("eq-matrix-penalty")
@pytest.mark.parametrize("structure", STRUCTURES)
def test_no_other_parameters_have_a_smaller_penalised_loss(structure):
    logits, labels = drawn(200, 4, SKEWED, INTERCEPT)
    t = cl.TemperatureScaling().fit(logits, labels).temperature_
    rows = matrix_scaling.tempered(logits, labels, np.ones(200), t, structure)
    best = matrix_scaling.averaged(rows, rows.curvature(), [(2.0, 0.5)], np.ones(1))

    def penalised(at):
        penalty = (rows.penalty(2.0, 0.5) * at.classes**2).sum() + at.stretch**2
        return rows.losses(at).sum() + penalty / 2

    if structure == "full":
        p, theta = softmax(rows.scores(best, rows.x), axis=1), best.classes
        defined = definitions.penalised_loss(labels, p, best.stretch, theta[:, 0], theta[:, 1:], 2.0, 0.5)
        assert penalised(best) == pytest.approx(defined)
    rng = np.random.default_rng(0)
    for size in (1e-3, 0.03, 1.0):
        step = Deviation(size * rng.standard_normal(), size * rng.standard_normal(rows.shape))
        other = Deviation(best.stretch + step.stretch, best.classes + step.classes)
        assert penalised(best) < penalised(other)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_metric_of_the_descent_is_the_bend_of_the_loss_at_the_temperature(structure):
    logits, labels = drawn(300, 4, SKEWED, INTERCEPT)
    rows = matrix_scaling.tempered(logits, labels, np.linspace(0, 1, 300), 1.3, structure)
    stretch, bend = rows.curvature()

    def slope_at(a, classes):
        return rows.loss_and_gradient(Deviation(a, classes))[1]

    zero, h = np.zeros(rows.shape), 1e-4
    up, down = slope_at(h, zero).stretch, slope_at(-h, zero).stretch
    assert 0 < (up - down) / (2 * h) < 2 * stretch  # how the classes bend each other is left out
    for index in np.ndindex(rows.shape):
        step = np.zeros(rows.shape)
        step[index] = h
        slopes = (slope_at(0.0, step).classes - slope_at(0.0, -step).classes) / (2 * h)
        assert bend[index] == pytest.approx(slopes[index[0]], rel=1e-2, abs=0.2)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_at_infinite_strength_it_is_the_temperature_and_at_a_small_one_it_is_free(structure):
    logits, labels = drawn(2000, 4, SKEWED, INTERCEPT)
    expected = cl.TemperatureScaling().fit(logits, labels).predict_proba(logits)
    for strength in (np.inf, 1e12):
        scaling = cl.MatrixScaling(structure, strength=strength).fit(logits, labels)
        assert scaling.predict_proba(logits) == pytest.approx(expected, abs=1e-6)
    of_b, of_w, _ = slope(cl.MatrixScaling(structure, strength=1e-9).fit(logits, labels), logits, labels)
    assert of_b == pytest.approx(0, abs=1e-2)
    if structure == "full":
        assert of_w == pytest.approx(0, abs=1e-2)
    if structure == "vector":
        assert np.diag(of_w) == pytest.approx(0, abs=1e-2)


def test_few_rows_give_the_temperature_or_little_more_and_many_what_they_support():
    temperature, judged = [], []
    new = drawn(20_000, 4, SKEWED, INTERCEPT, seed=1)
    for n in (40, 400, 4000):
        known = drawn(n, 4, SKEWED, INTERCEPT, seed=2)
        temperature.append(nll(cl.TemperatureScaling().fit(*known), *new))
        judged.append(nll(cl.MatrixScaling().fit(*known), *new))
    assert judged[0] < temperature[0] * 1.01
    assert judged[2] < judged[1] < temperature[1]
    assert judged[2] < 0.96 * temperature[2]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_same_number_added_to_a_row_or_log_probabilities_change_nothing(structure):
    logits, labels = drawn(300, 4, SKEWED, INTERCEPT)
    scaling = cl.MatrixScaling(structure).fit(logits, labels)
    p = scaling.predict_proba(logits)
    shifted = logits + np.arange(300)[:, None]
    assert scaling.predict_proba(shifted) == pytest.approx(p, abs=1e-9)
    for other in (shifted, cl.log_softmax(logits)):
        assert cl.MatrixScaling(structure).fit(other, labels).predict_proba(other) == pytest.approx(
            p, abs=1e-4
        )


def test_weights_count_as_repetitions_whatever_their_scale_and_weight_zero_as_absent():
    logits, labels = drawn(300, 4, SKEWED, INTERCEPT)
    one = cl.MatrixScaling(strength=3.0).fit(logits, labels)
    for weights in (np.full(300, 7.0), np.full(300, 1e-8)):
        again = cl.MatrixScaling(strength=3.0).fit(logits, labels, weights)
        assert again.coef_ == pytest.approx(one.coef_, abs=1e-5)
    keep = np.arange(300) < 200
    part = cl.MatrixScaling().fit(logits[:200], labels[:200])
    assert cl.MatrixScaling().fit(logits, labels, keep).coef_ == pytest.approx(part.coef_, abs=1e-12)
    twice = np.concatenate([logits, logits[:100]]), np.concatenate([labels, labels[:100]])
    weighted = cl.MatrixScaling(strength=3.0).fit(logits, labels, 1 + (np.arange(300) < 100))
    repeated = cl.MatrixScaling(strength=3.0 * 4 / 3).fit(*twice)
    assert weighted.intercept_ == pytest.approx(repeated.intercept_, abs=1e-3)


def test_a_class_that_never_occurs_keeps_a_probability_and_loses_some():
    logits, labels = drawn(400, 4, SKEWED, INTERCEPT)
    seen = labels != 3
    scaling = cl.MatrixScaling(strength=1.0).fit(logits[seen], labels[seen])
    temperature = cl.TemperatureScaling().fit(logits[seen], labels[seen])
    p, before = scaling.predict_proba(logits)[:, 3], temperature.predict_proba(logits)[:, 3]
    assert 0 < p.min()
    assert p.mean() < before.mean() / 2
    assert scaling.classes_.tolist() == [0, 1, 2, 3]


def test_a_binary_logit_is_read_as_zero_and_z_and_becomes_platt_scaling_without_a_penalty():
    rng = np.random.default_rng(0)
    z = rng.normal(0, 2, 4000)
    y = (rng.random(4000) < 1 / (1 + np.exp(-0.7 * z - 0.4))).astype(int)
    scaling = cl.MatrixScaling("bias", strength=1e-9).fit(z, y)
    two = cl.MatrixScaling("bias", strength=1e-9).fit(np.column_stack([np.zeros(4000), z]), y)
    assert scaling.predict_proba(z) == pytest.approx(two.predict_proba(np.column_stack([0 * z, z])), abs=1e-9)
    slope_of_p = np.log(scaling.predict_proba(z)[:, 1] / scaling.predict_proba(z)[:, 0])
    assert np.polyfit(z, slope_of_p, 1) == pytest.approx([0.7, 0.4], abs=0.08)


def test_four_nats_make_a_strength_count_e_times_as_much_and_each_step_below_256_costs_two():
    path = np.array([np.inf, 1024.0, 256.0, 64.0, 16.0])

    def share(*loss, of_vector=path):
        return matrix_scaling.HeldOut(path, of_vector, np.array(loss), 9.0).share

    assert share(9, 9, 9, 7, 5) == pytest.approx(np.full(5, 1 / 5))
    weights = np.exp([0, 1, 0, -0.5, -1])
    assert share(9, 5, 9, 9, 9) == pytest.approx(weights / weights.sum())
    weights = np.array([1, np.exp(-2), np.exp(-4.6), 0, 0])
    assert share(0, 8, 18.4, 18, 18) == pytest.approx(weights / weights.sum())  # 1 % is kept, less is not
    assert share(0, 8, 18.5, 18, 18)[2] == 0
    loose = np.array([1.0, 1024.0, 256.0, 64.0, 1.0])
    assert share(4, 9, 9, 7, 0, of_vector=loose) == pytest.approx(np.full(5, 1 / 5))


@pytest.mark.parametrize("structure", STRUCTURES)
def test_without_a_strength_the_fits_of_all_pulls_are_averaged_by_their_shares(structure):
    logits, labels = drawn(150, 4, SKEWED, INTERCEPT, seed=3)
    scaling = cl.MatrixScaling(structure).fit(logits, labels)
    path, t = scaling.path_, scaling.temperature_
    rows = matrix_scaling.tempered(logits, labels, np.ones(150), t, structure)
    fits = [matrix_scaling.averaged(rows, rows.curvature(), [pull], np.ones(1)) for pull in path.pulls]
    assert (path.share > 0).sum() > 1
    assert path.pulls.count((np.inf, 1.0)) == 1
    assert scaling.strength_ == path.strength[path.share.argmax()]
    mean = sum(part * fit.classes for part, fit in zip(path.share, fits, strict=True))
    assert scaling.intercept_ == pytest.approx(mean[:, 0] - mean[:, 0].mean(), abs=1e-3)
    if structure == "full":
        stretch = sum(part * fit.stretch for part, fit in zip(path.share, fits, strict=True))
        expected = (1 + stretch) * np.eye(4) + mean[:, 1:] / rows.unit
        assert scaling.coef_ * t == pytest.approx(expected, abs=1e-3)


def test_where_the_matrix_is_held_off_its_diagonal_it_is_vector_scaling():
    logits, labels = drawn(400, 4, SKEWED, INTERCEPT)
    t = cl.TemperatureScaling().fit(logits, labels).temperature_
    rows = matrix_scaling.tempered(logits, labels, np.ones(400), t, "full")
    held = matrix_scaling.averaged(rows, rows.curvature(), [(4.0, 4.0), (np.inf, 1.0)], np.array([0.0, 1.0]))
    vector = cl.MatrixScaling("vector", strength=1.0).fit(logits, labels)
    assert held.classes[:, 0] == pytest.approx(vector.intercept_, abs=1e-3)
    free = (1 + held.stretch) * np.eye(4) + held.classes[:, 1:] / rows.unit
    assert free == pytest.approx(vector.coef_ * t, abs=1e-3)


def test_classes_far_rarer_than_in_training_are_learned_from_a_hundred_rows():
    logits, labels = simulate(20_000, 5, 1.0, seed=4)
    kept = np.random.default_rng(0).random(20_000) < np.array([1, 1, 0.3, 0.1, 0.02])[labels]
    logits, labels = logits[kept], labels[kept]
    scaling = cl.MatrixScaling().fit(logits[:100], labels[:100])
    bound = cl.MatrixScaling(strength=4.0).fit(logits[:100], labels[:100])
    assert nll(scaling, logits[100:], labels[100:]) < 0.97 * nll(bound, logits[100:], labels[100:])


def test_each_row_is_held_out_once_and_each_class_is_dealt_over_the_folds(monkeypatch):
    logits, labels = drawn(103, 4, SKEWED, INTERCEPT)
    taken = []
    original = AffineRows.taken
    monkeypatch.setattr(AffineRows, "taken", lambda rows, mask: taken.append(mask) or original(rows, mask))
    scaling = cl.MatrixScaling().fit(logits, labels)
    known, held = np.array(taken[::2]), np.array(taken[1::2])
    assert len(known) == 5
    assert (known == ~held).all()
    assert (held.sum(axis=0) == 1).all()
    counts = np.array([np.bincount(labels[mask], minlength=4) for mask in held])
    assert np.ptp(counts, axis=0).max() <= 1
    assert scaling.path_.rows == 103
    assert scaling.path_.strength[:3].tolist() == [np.inf, 1024, 256]


@pytest.mark.parametrize(("limit", "folds"), [("CROWDED", 3), ("HUGE", 1)])
def test_more_logits_get_fewer_folds(monkeypatch, limit, folds):
    logits, labels = drawn(120, 4, SKEWED, INTERCEPT)
    monkeypatch.setattr(matrix_scaling, "CROWDED", 100)
    if limit == "HUGE":
        monkeypatch.setattr(matrix_scaling, "HUGE", 100)
    assert cl.MatrixScaling().fit(logits, labels).path_.rows == {3: 120, 1: 24}[folds]


def test_auto_is_full_up_to_256_classes_and_vector_beyond(monkeypatch):
    logits, labels = drawn(100, 4, SKEWED, INTERCEPT)
    assert cl.MatrixScaling().fit(logits, labels).structure_ == "full"
    monkeypatch.setattr(matrix_scaling, "MOST_FOR_FULL", 3)
    assert cl.MatrixScaling().fit(logits, labels).structure_ == "vector"
    assert cl.MatrixScaling("full").fit(logits, labels).structure_ == "full"


def test_fewer_than_five_rows_give_the_temperature():
    scaling = cl.MatrixScaling().fit([[2.0, 0.0], [3.0, 0.0], [4.0, 1.0], [0.0, 2.0]], [0, 0, 1, 1])
    assert (scaling.strength_, scaling.path_) == (np.inf, None)


def test_labels_of_one_class_are_noticed():
    logits, labels = drawn(100, 4, SKEWED, INTERCEPT)
    with pytest.warns(UserWarning, match="all .* labels are class 1: are these all rows?"):
        cl.MatrixScaling(strength=1.0).fit(logits[labels == 1], labels[labels == 1])


@refusals("strength")
def test_odd_parameters_are_refused_by_name(kind, start, call):
    refused(kind, start, call, globals())


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_unit_of_the_logits_does_not_matter(scale):
    logits, labels = drawn(200, 4, SKEWED, INTERCEPT)
    p = cl.MatrixScaling().fit(logits, labels).predict_proba(logits)
    assert cl.MatrixScaling().fit(scale * logits, labels).predict_proba(scale * logits) == pytest.approx(
        p, abs=1e-5
    )
