"""Label shift: definitions, known truth, what the likelihood says, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning

import calibration_lessons as cl
from calibration_lessons.book import definitions, simulate
from calibration_lessons.decisions import adjust_to_priors, estimate_priors, label_shift, priors_interval

METHODS = ["em", "bbse", "rlls"]
positive_priors = st.integers(2, 4).flatmap(
    lambda k: hnp.arrays(float, k, elements=st.floats(0.05, 1)).map(lambda w: w / w.sum())
)


@st.composite
def forecasts_and_priors(draw):
    old = draw(positive_priors)
    k = len(old)
    new = draw(hnp.arrays(float, k, elements=st.floats(0.05, 1)))
    logits = draw(hnp.arrays(float, st.tuples(st.integers(1, 10), st.just(k)), elements=st.floats(-5, 5)))
    return cl.softmax(logits), old, new / new.sum()


@pytest.mark.equation("eq-prior-correction")
@given(forecasts_and_priors())
def test_the_fast_correction_is_the_defined_one_and_can_be_undone(case):
    p, old, new = case
    moved = adjust_to_priors(p, train_priors=old, new_priors=new)
    np.testing.assert_allclose(moved, [definitions.adjust_to_priors(row, old, new) for row in p], atol=1e-12)
    np.testing.assert_allclose(adjust_to_priors(moved, train_priors=new, new_priors=old), p, atol=1e-9)


@pytest.mark.equation("eq-class-weights")
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.1, 9), st.floats(0.1, 9))
def test_weights_of_the_classes_are_a_change_of_their_proportions(p, base, w_0, w_1):
    weighted = np.array([w_0 * (1 - base), w_1 * base])
    priors = {"train_priors": [1 - base, base], "new_priors": weighted / weighted.sum()}
    moved = adjust_to_priors([p], **priors)[0]
    assert moved == pytest.approx(definitions.weighted_probability(p, w_0, w_1), rel=1e-9)


@pytest.mark.equation("eq-saerens-em")
@given(forecasts_and_priors())
def test_a_round_of_estimation_is_the_defined_one(case):
    p, old, _ = case
    p = np.vstack([p, np.eye(len(old)) * 0.9 + 0.1 / len(old)])  # rows that tell the classes apart
    p /= p.sum(axis=1, keepdims=True)
    guess = old
    for _ in range(3):
        guess = definitions.next_priors(p.tolist(), old.tolist(), list(guess))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_shift, "MAX_ITER", 3)
        try:
            with pytest.warns(ConvergenceWarning, match="3 rounds did not suffice"):
                found = estimate_priors(p, train_priors=old)
        except pytest.fail.Exception:  # it arrived in three rounds
            found = estimate_priors(p, train_priors=old)
    np.testing.assert_allclose(found, guess, atol=1e-5)


def shifted_sample(n, old, new, seed=0):
    """Forecasts for two normal classes a distance of 2 apart, calibrated for the old share of class 1."""
    rng = np.random.default_rng(seed)
    return expit(2 * rng.normal(2.0 * (rng.random(n) < new)) - 2 + np.log(old / (1 - old)))


def test_the_estimate_is_the_maximum_of_the_likelihood():
    rng = np.random.default_rng(1)
    old = np.array([0.2, 0.3, 0.5])
    p = rng.dirichlet([0.5, 0.8, 0.9], 400)

    def loss(logits):
        return -np.log((p / old) @ cl.softmax(logits)).mean()

    best = cl.softmax(minimize(loss, np.zeros(3), tol=1e-12).x)
    np.testing.assert_allclose(estimate_priors(p, train_priors=old), best, atol=1e-4)


def test_a_class_may_be_absent_from_the_new_data():
    moved = adjust_to_priors([[0.2, 0.3, 0.5]], train_priors=[0.2, 0.3, 0.5], new_priors=[0.5, 0.5, 0])
    np.testing.assert_allclose(moved, [[0.5, 0.5, 0]])


HALF = [0.5, 0.5]


def test_two_of_three_classes_that_rise_and_fall_together_are_not_told_apart():
    for together in ([0, 1], [1, 2], [0, 2]):
        p = np.full((50, 3), 0.0)
        p[:, together] = np.random.default_rng(0).uniform(0.1, 0.4, (50, 1))
        p[:, 3 - sum(together)] = 1 - p.sum(axis=1)
        with pytest.raises(ValueError, match="does not tell the classes apart"):
            estimate_priors(p, train_priors=np.full(3, 1 / 3))


def test_forecasts_that_hardly_stray_still_tell_the_classes_apart():
    np.testing.assert_allclose(estimate_priors([0.4995, 0.5005], train_priors=HALF), HALF)
    np.testing.assert_allclose(estimate_priors([[0.2, 0.8]] * 3, train_priors=[0.1, 0.9]), [1, 0], atol=1e-6)


def test_the_mean_of_held_out_forecasts_stands_for_the_old_proportions():
    before = shifted_sample(4000, old=0.3, new=0.3)
    after = shifted_sample(4000, old=0.3, new=0.6, seed=1)
    mean = [1 - before.mean(), before.mean()]
    np.testing.assert_allclose(
        estimate_priors(after, before), estimate_priors(after, train_priors=mean), atol=1e-9
    )
    both = [np.column_stack([1 - p, p]) for p in (after, before)]
    np.testing.assert_allclose(estimate_priors(*both), estimate_priors(after, before), atol=1e-9)


@st.composite
def labelled(draw):
    """Forecasts and labels from before, and the shares of classes in a new mixture."""
    shares = draw(positive_priors)
    k = len(shares)
    y = np.repeat(np.arange(k), draw(st.lists(st.integers(2, 4), min_size=k, max_size=k)))
    logits = draw(hnp.arrays(float, (len(y), k), elements=st.floats(-1, 1)))
    return cl.softmax(logits + 4 * np.eye(k)[y]), y, shares


def class_means(before, y):
    return np.column_stack([before[y == k].mean(axis=0) for k in range(before.shape[1])])


@pytest.mark.equation("eq-confusion-shift")
@given(labelled())
def test_the_shares_mix_the_mean_forecasts_of_the_classes_to_the_new_mean(case):
    before, y, shares = case
    matrix = class_means(before, y)
    new = np.tile(matrix @ shares, (3, 1))
    found = estimate_priors(new, before, y, method="bbse")
    np.testing.assert_allclose(*definitions.mixture_and_mean(matrix, found, new), atol=1e-12)
    np.testing.assert_allclose(found, shares, atol=1e-9)


@pytest.mark.equation("eq-rlls")
@given(labelled(), st.integers(0, 99), st.sampled_from([1e-3, 0.05, 0.3, 3]))
def test_no_other_ratios_have_a_smaller_penalized_mismatch(case, seed, penalty):
    before, y, shares = case
    matrix, old, generator = class_means(before, y), np.bincount(y) / len(y), np.random.default_rng(seed)
    mean = matrix @ shares + 0.2 * (generator.dirichlet(shares) - shares)
    found = label_shift._ratios(matrix * old, mean, penalty)
    least = definitions.penalized_mismatch(matrix, old, found, mean, penalty)
    for size in (1e-3, 0.03, 1):
        for other in np.maximum(found + size * generator.normal(size=(20, len(old))), 0):
            assert least <= definitions.penalized_mismatch(matrix, old, other, mean, penalty) + 1e-6


def test_the_confusion_matrix_finds_the_proportions_whatever_the_temperature():
    source, new = simulate.GaussianClasses(3, 1.5), [0.7, 0.2, 0.1]
    (x, y, _), (x_new, y_new, _) = (source.sample(100_000, random_state=seed) for seed in (0, 1))
    rows = simulate.label_shift(y_new, new, 50_000, random_state=2)
    before, after = cl.softmax(3 * source.logits(x)), cl.softmax(3 * source.logits(x_new[rows]))
    for method in ("bbse", "rlls"):
        np.testing.assert_allclose(estimate_priors(after, before, y, method=method), new, atol=0.01)
    assert abs(estimate_priors(after, before) - new).max() > 0.03


@pytest.mark.filterwarnings("ignore:the share of class")
def test_a_matrix_near_a_singular_one_is_told_and_the_penalty_then_helps():
    new, wrong = np.array([0.6, 0.3, 0.1]), {"bbse": [], "rlls": []}
    with pytest.warns(UserWarning, match="smallest singular value of their mean forecasts is 0.0"):
        for seed in range(40):
            generator, p = np.random.default_rng(seed), {}
            for y in (np.repeat(range(3), 60), generator.choice(3, 300, p=new)):  # 1 and 2 look alike
                x = generator.normal(2.0 * (y == 0) + 0.1 * (y == 1))
                p[len(y)] = cl.softmax(np.column_stack([2 * x - 2, 0.1 * x - 0.005, 0 * x]))
            for method, errors in wrong.items():
                found = estimate_priors(p[300], p[180], np.repeat(range(3), 60), method=method)
                errors.append(abs(found - new).sum() / 2)
    assert np.mean(wrong["rlls"]) < 0.7 * np.mean(wrong["bbse"])


def test_a_negative_share_is_told_and_set_to_0():
    with pytest.warns(UserWarning, match="class 1 came out as -0.167"):
        found = estimate_priors([0.1], [0.1, 0.3, 0.7, 0.9], [0, 0, 1, 1], method="bbse")
    assert found.tolist() == [1, 0]


@pytest.mark.filterwarnings("ignore:the share of class")
def test_a_class_that_is_gone_is_within_its_interval():
    _, y, p = simulate.GaussianClasses(3).sample(500, random_state=0)
    gone = p[y < 2][:200]
    for method in METHODS:
        assert priors_interval(gone, p, y, method=method, n_draws=50, random_state=0)[0][2] == 0


@pytest.mark.parametrize("method", METHODS)
def test_the_intervals_of_the_proportions_cover(method):
    source, new, held = simulate.GaussianClasses(3, 1.5), np.array([0.6, 0.3, 0.1]), []
    for seed in range(80):
        _, y, p = source.sample(500, random_state=seed)
        _, y_new, p_new = source.sample(5000, random_state=1000 + seed)
        rows = simulate.label_shift(y_new, new, 500, random_state=seed)
        low, high = priors_interval(p_new[rows], p, y, method=method, n_draws=50, random_state=seed)
        held.append((low <= new) & (new <= high))
    assert np.mean(held, axis=0).min() > 0.87


def lost(shift, share, seed):
    """Nats lost a row at a new place with 300 rows and 40 labelled ones: "em" on all, an intercept on 40."""
    rng, moved = np.random.default_rng(seed), logit(share) - logit(0.3)

    def rows(n):
        y = rng.random(n) < (share if shift == "labels" else 0.3)
        z = logit(0.3) - 2 + 2 * (rng.normal(size=n) + 2 * y + (moved / 2 if shift == "features" else 0))
        true = z if shift == "features" else z + moved  # z was the log-odds at the old place
        return z, true, (y if shift == "labels" else rng.random(n) < expit(true)).astype(int)

    (unlabelled, _, _), (z, _, y), (new, true, _) = rows(300), rows(40), rows(20000)
    old = {"train_priors": [0.7, 0.3]}
    priors = estimate_priors(expit(np.r_[unlabelled, z]), **old)
    said = [adjust_to_priors(expit(new), **old, new_priors=priors.clip(1e-6, 1))]
    said.append(cl.PlattScaling(slope=1.0).fit(z, y).predict_proba(new)[:, 1])
    p, q = expit(true), np.clip(said, 1e-9, 1 - 1e-9)
    return (p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))).mean(axis=1)


@pytest.mark.parametrize("share", [0.05, 0.15, 0.5, 0.8])
@pytest.mark.filterwarnings("ignore:X is lower")
def test_forty_labels_of_a_new_place_are_safer_than_many_rows_without(share):
    for shift in ("labels", "odds", "features"):
        by_em, by_intercept = np.mean([lost(shift, share, seed) for seed in range(20)], axis=0)
        assert by_intercept < 0.02 and (by_em < 0.013 if shift == "labels" else 0.03 < by_em < 0.32)
