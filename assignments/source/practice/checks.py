"""What the answers of an audit are held to."""

from functools import lru_cache

import numpy as np
from scipy.special import expit, log_softmax, softmax

import calibration_lessons as cl
from classroom.cases import SOME, STAYS, ByHand, Case, Question

MEASURES = ["calibration_lessons.measures", "calibration_lessons.book.definitions", "sklearn.calibration"]
DECISIONS = ["calibration_lessons.decisions.costs", "calibration_lessons.book.definitions"]


def by_hand(false_alarm, miss, referral, weight, told):
    threshold = false_alarm / (false_alarm + miss)
    refer_from = referral / miss
    refer_to = 1 - referral / false_alarm
    undone = told / (told + weight * (1 - told))
    alarm_from = weight * threshold / (weight * threshold + 1 - threshold)
    ends = {"threshold": threshold, "refer_from": refer_from, "refer_to": refer_to}
    return ends | {"undone": undone, "alarm_from": alarm_from}


def equal_mass_ece(y, p, n_bins):
    y, p = np.asarray(y), np.asarray(p)
    groups = np.array_split(np.argsort(p, kind="stable"), n_bins)
    return sum(abs(np.sum(y[group] - p[group])) for group in groups) / len(y)


def recalibrated(z, y, fit_rows, calibration_rows, test_rows):
    platt = cl.PlattScaling().fit(z[calibration_rows], y[calibration_rows])
    return platt.predict_proba(z[test_rows])[:, 1]


def brier_gain(y, before, after):
    falls = (np.asarray(before) - y) ** 2 - (np.asarray(after) - y) ** 2
    half = 1.96 * falls.std(ddof=1) / np.sqrt(len(falls))
    return falls.mean(), falls.mean() - half, falls.mean() + half


def decide(p, costs, referral):
    p = np.asarray(p, dtype=float)
    expected = np.column_stack([1 - p, p]) @ np.asarray(costs)
    return np.where(expected.min(axis=1) > referral, -1, expected.argmin(axis=1))


def bill(p, y, decision, costs, referral):
    p, y, decision, costs = (np.asarray(values) for values in (p, y, decision, costs))
    referred = decision == -1
    promised = (1 - p) * costs[0, decision] + p * costs[1, decision]
    paid = costs[y, decision]
    return np.where(referred, referral, promised).mean(), np.where(referred, referral, paid).mean()


@lru_cache(100)
def drawn(p, n_bins):
    return cl.ece_under_calibration(np.frombuffer(p), n_bins=n_bins, random_state=0).mean


def chance(p, n_bins):
    """The mean ECE under calibration, each once: the right answer and the slips draw many the same."""
    return drawn(p.tobytes(), n_bins)


def compared(y, a, b):
    """The Brier scores of two models and their difference; the bins serve the calibration, one is enough."""
    return cl.compare(y, a, b, n_bins=1).brier


def report(z, worse, fit_rows, calibration_rows, test_rows, costs, referral):
    learned, judged, found = calibration_rows, test_rows, {}
    platt = cl.PlattScaling().fit(z[learned], worse[learned])
    before, after = expit(z[judged]), platt.predict_proba(z[judged])[:, 1]
    found["ece before"] = cl.expected_calibration_error(worse[judged], before, n_bins=10)
    found["chance before"] = chance(before, n_bins=10)
    _, _, _, found["brier low"], found["brier high"] = compared(worse[judged], after, before)
    for name, p in (("before", before), ("after", after)):
        decision = cl.decisions.optimal_decision(p, costs, abstaining_cost=referral)
        found[f"cost {name}"] = cl.decisions.mean_cost(worse[judged], decision, costs, abstaining_cost=referral)
    return found


def moved(probabilities, old, new):
    factors = np.asarray(new) / np.asarray(old)
    weighed = np.asarray(probabilities) * factors
    return weighed / weighed.sum(axis=1, keepdims=True)


def intercept_update(z, y):
    z, share = np.asarray(z, dtype=float), np.mean(y)
    if not 0 < share < 1:
        raise ValueError("no intercept: one class is absent")
    odds = np.log(share / (1 - share))
    low, high = odds - z.max(), odds - z.min()
    for _ in range(100):
        b = (low + high) / 2
        low, high = (b, high) if expit(z + b).mean() < share else (low, b)
    return b


def merged_ece(rows, promised, came):
    gaps = np.sum(came, axis=0) - np.sum(promised, axis=0)
    return np.abs(gaps).sum() / np.sum(rows)


def shortlists(p, labels, new_p, alpha):
    scores = np.sort(1 - p[np.arange(len(p)), labels])
    rank = int(np.ceil((len(p) + 1) * (1 - alpha)))
    limit = scores[rank - 1] if rank <= len(p) else 1.0
    return 1 - np.asarray(new_p) <= limit


def answered(confidence, right, limit):
    confidence, wrong = np.asarray(confidence), 1 - np.asarray(right)
    shares = [0.0]
    for least in np.unique(confidence):
        rows = confidence >= least
        if wrong[rows].mean() <= limit:
            shares.append(rows.mean())
    return max(shares)


@lru_cache(3000)
def fitted(labels, logits, n_classes):
    z = np.frombuffer(logits).reshape(-1, n_classes)
    return cl.TemperatureScaling().fit(z, np.frombuffer(labels, dtype=int)).temperature_


def temperature(labels, logits):
    """The fitted temperature, each once: the right answer and the slips fit the same rows."""
    return fitted(labels.tobytes(), logits.tobytes(), logits.shape[1])


def nll(labels, logits, t):
    return -log_softmax(logits / t, axis=1)[np.arange(len(labels)), labels].mean()


def keep(labels, runs, new_labels, new_runs):
    fits = [temperature(labels, z) for z in runs]
    losses = [nll(labels, z, t) for z, t in zip(runs, fits, strict=True)]
    run = np.argmin(losses)
    return run, nll(new_labels, new_runs[0], fits[0]) - nll(new_labels, new_runs[run], fits[run])


def choices(logits, tokens, temperature):
    tokens = np.asarray(tokens)
    places = np.maximum(tokens, 0)[:, :, None]
    log_q = np.take_along_axis(log_softmax(logits, axis=2), places, axis=2)[:, :, 0]
    s = np.where(tokens >= 0, log_q, 0).sum(axis=1)
    return softmax(s / temperature)


def expected_there(losses, g):
    w = np.asarray(g) / (1 - np.asarray(g))
    return w @ losses / w.sum(), w.sum() ** 2 / (w @ w)


def forecasts(rng, n):
    p = rng.permutation(np.arange(1, n + 1)) / (n + 1)
    return (rng.random(n) < 0.2 + 0.5 * p).astype(int), p


def audits_plain(rng, own):
    for n, bins in ((21, 4), (40, 1), (5, 2)):
        yield *forecasts(rng, n), bins


def audits_hard(rng, own):
    yield *forecasts(rng, 140), 15
    yield *forecasts(rng, 7), 7
    yield *forecasts(rng, 5), 8
    p = rng.integers(0, 5, 2000) / 4
    place = np.argsort(np.argsort(p, kind="stable"))
    early = (
        place - np.searchsorted(np.sort(p), p) < 200
    )  # among its equals; a group that takes others is far off
    yield (early ^ (rng.random(2000) < 0.1)).astype(int), p, 7


def own_patients(rng, own):
    yield tuple(own[name] for name in ("z", "worse", "fit_rows", "calibration_rows", "test_rows"))


def other_patients(rng, own):
    z = 3 * rng.normal(size=300)
    y = (rng.random(300) < expit(z / 3 + 0.5)).astype(int)
    y[:60] = z[:60] > 0
    rows = rng.permutation(300)
    z[rows], y[rows] = z.copy(), y.copy()
    yield z, y, rows[:60], rows[60:160], rows[160 : 280 + int(rng.integers(20))]


def gains_plain(rng, own):
    yield np.array([1, 0, 1, 0] * 25), np.full(100, 0.9), np.full(100, 0.6)
    yield paired(rng, 80)


def gains_hard(rng, own):
    for n, far in ((60, 0.2), (140, 0.3), (900, 0.4)):
        yield paired(rng, n, far)


def interval(values, calls):
    for value, call in zip(values, calls, strict=True):
        gain, low, high = brier_gain(*call)
        if not np.isclose(value[0], gain, atol=1e-5):
            return "the mean of the squared errors before, minus that after"
        if not np.isclose(value[1] + value[2], 2 * gain, atol=1e-5) or value[1] > value[2]:
            return "the interval has the gain in its middle"
        widths = (high - low) * np.array([1, np.sqrt(1 - 1 / len(call[0]))])  # with n - 1, and with n
        if not np.isclose(value[2] - value[1], widths, rtol=1e-4).any():
            return "1.96 standard errors of the mean to each side"
    return ""


def paired(rng, n, far=0.05):
    truth = rng.random(n)
    first = np.clip(truth + 0.2 * rng.normal(size=n), 0, 1)
    return (rng.random(n) < truth).astype(int), first, np.clip(first + far * rng.normal(size=n) + 0.02, 0, 1)


def decisions_plain(rng, own):
    costs = np.array([[0, int(rng.integers(4, 9))], [int(rng.integers(15, 30)), 0]])
    yield np.array([0.05, 0.3, 0.9]), costs, np.inf
    yield np.arange(1, 20) / 20, costs, 1.73  # no decision costs exactly as much, so no rounding decides


def decisions_hard(rng, own):
    yield np.array([0.5, 0.75, 0.9]), np.array([[0, int(rng.integers(25, 35))], [7, 0]]), np.inf
    yield np.array([0.25, 0.5]), np.array([[0, 1], [3, 0]]), np.inf
    yield np.array([0.5, 0.25]), np.array([[0, 1], [1, 0]]), 0.5
    for n_decisions in (2, 3, 5):
        costs = rng.integers(0, 20, (2, n_decisions))
        for referral in (4.5, np.inf):
            yield np.arange(1, 64) / 64, costs, referral


def bills_plain(rng, own):
    costs = np.array([[0, int(rng.integers(4, 9))], [int(rng.integers(15, 30)), 0]])
    yield np.array([0.1, 0.5]), np.array([0, 1]), np.array([0, 0]), costs, 1.0
    yield np.array([0.1, 0.5, 0.8]), np.array([0, 1, 1]), np.array([0, -1, 1]), costs, 1.0


def bills_hard(rng, own):
    for n, n_decisions in ((6, 2), (50, 3), (40, 1)):
        costs, p = rng.integers(0, 20, (2, n_decisions)), rng.random(n)
        yield p, rng.integers(0, 2, n), rng.integers(-1, n_decisions, n), costs, 2.5


def moves_plain(rng, own):
    for n, k in ((3, 2), (20, 3)):
        yield rng.dirichlet(np.ones(k), n), rng.dirichlet(np.full(k, 4.0)), rng.dirichlet(np.full(k, 4.0))


def moves_hard(rng, own):
    p = rng.dirichlet(np.ones(4), 12)
    p[0], p[1] = np.eye(4)[rng.integers(0, 4)], np.r_[0.0, 0.5, 0.25, 0.25]
    yield p, rng.integers(20, 900, 4), rng.integers(20, 900, 4)
    yield rng.dirichlet(np.ones(3), 3), np.array([0.5, 0.3, 0.2]), np.r_[0.0, rng.dirichlet(np.full(2, 4.0))]
    yield rng.dirichlet(np.ones(2), 9), np.array([0.5, 0.5]), np.array([0.999, 0.001])
    yield rng.dirichlet(np.ones(5), 5), rng.dirichlet(np.full(5, 4.0)), rng.dirichlet(np.full(5, 4.0))


def screens(rng, n, ill, factor):
    """Log-odds of a model that learned from weighted rows, and labels as patients come."""
    y = (np.arange(n) < ill).astype(int)
    z = rng.normal(1.1 * y - 0.5, 1.0) * 1.2 + np.log(factor)
    order = rng.permutation(n)
    return z[order], y[order]


def updates_plain(rng, own):
    for n, ill in ((40, 8), (400, 30)):
        yield screens(rng, n, ill, float(rng.integers(3, 15)))


def updates_hard(rng, own):
    z, y = screens(rng, 1500, 1, 500.0)
    yield z, y
    z, y = screens(rng, 60, 57, 9.0)
    yield z - 300, y
    z, y = screens(rng, 80, 20, 9.0)
    yield 9 * z + 60, y
    yield np.array([0.0, 0.0, 2.0]), np.array([0, 1, 0])
    alike = int(rng.integers(1, 9)) + np.linspace(-0.25, 0.25, 11)  # nearly one answer for everybody
    yield alike, (np.arange(11) < 3).astype(int)
    yield -alike, (np.arange(11) < 10).astype(int)
    apart = np.repeat([-60.0, 60.0], 10) + rng.normal(size=20)  # between the two groups the forecasts do not move
    yield apart, (np.arange(20) < int(rng.integers(3, 8))).astype(int)


def updates_without(rng, own):
    z, y = screens(rng, 30, 6, 4.0)
    for labels in (np.zeros_like(y), np.ones_like(y), y):
        yield z, labels


def logs(rng, blocks, n_bins, empty=()):
    """What some machines have counted: rows, and the sums of their scores and of their events, by bin."""
    rows = rng.integers(1, 40, (blocks, n_bins)) * rng.integers(1, 9, (blocks, 1))
    rows[:, list(empty)] = 0
    scores = (np.arange(n_bins) + rng.random((blocks, n_bins))) / n_bins
    return (
        rows,
        rows * scores,
        rng.binomial(rows, np.clip(scores + rng.normal(0, 0.2, rows.shape), 0, 1)).astype(float),
    )


def logs_plain(rng, own):
    yield logs(rng, 2, 3)
    yield logs(rng, 3, 5)


def logs_hard(rng, own):
    yield logs(rng, 8, 8, empty=[2, 5])
    yield logs(rng, 1, 10, empty=[0])
    rows, promised, came = logs(rng, 4, 6)
    rows[2], promised[2], came[2] = 0, 0, 0
    rows[1, :3], promised[1, :3], came[1, :3] = 0, 0, 0
    yield rows, promised, came


def drawn_labels(rng, p):
    return (p.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1).clip(max=p.shape[1] - 1)


def lists_plain(rng, own):
    for n, k, alpha in ((15, 3, 0.2), (60, 4, 0.1)):
        p = rng.dirichlet(np.ones(k), n)
        yield p, drawn_labels(rng, p), rng.dirichlet(np.ones(k), 8), alpha


def lists_hard(rng, own):
    """Probabilities in sixteenths, and shares for which (n + 1)(1 - alpha) is a whole number or beyond n."""
    for n, k, alpha in ((7, 3, 0.25), (31, 4, 0.125), (7, 3, 0.125), (5, 4, 0.125), (63, 5, 0.25)):
        p = rng.multinomial(16, np.full(k, 1 / k), n) / 16
        yield p, drawn_labels(rng, p), rng.multinomial(16, np.full(k, 1 / k), 20) / 16, alpha
    labels = rng.integers(0, 4, 31)  # a model that is sure and right, and patients who leave it in doubt
    p = (12 * np.eye(4)[labels] + rng.multinomial(4, np.full(4, 1 / 4), 31)) / 16
    yield p, labels, rng.multinomial(16, np.full(4, 1 / 4), 20) / 16, 0.25
    wrong = rng.permutation(31) < 7  # a model that is sure, and wrong in 7 of 31: nothing lies between two scores
    said = labels + wrong
    p = (14 * np.eye(4)[said % 4] + 2 * np.eye(4)[(said + 2) % 4]) / 16
    yield p, labels, rng.permuted(np.tile([[12, 2, 1, 1], [13, 1, 1, 1], [14, 2, 0, 0]], (4, 1)) / 16, axis=1), 0.25


def answers(rng, n, places):
    confidence = rng.integers(places // 2, places + 1, n) / places
    return confidence, (rng.random(n) < confidence).astype(int)


def coverages_plain(rng, own):
    for n, limit in ((12, 0.25), (60, 9 / 64)):  # no risk that a sum and its complement round apart
        confidence = 0.5 + rng.permutation(100)[:n] / 200
        yield confidence, (rng.random(n) < confidence).astype(int), limit


def coverages_hard(rng, own):
    for n, places, limit in ((16, 8, 0.25), (40, 10, 0.25), (80, 40, 0.125), (150, 30, 0.25)):
        yield *answers(rng, n, places), limit
    close = 0.98 + rng.permutation(200)[:50] / 10_000
    place = np.argsort(np.argsort(-close))  # from the 20th row on every second is wrong
    yield close, ((place < 20) | (place % 2 > 0)).astype(int), float(rng.integers(10, 14)) / 80
    confidence = rng.permutation(np.arange(50, 90)) / 90
    yield confidence, (confidence < confidence.max()).astype(int), 0.25  # the surest is wrong, the others are right
    yield confidence, np.zeros(40, dtype=int), 0.25
    yield confidence, np.ones(40, dtype=int), 0.0


def trained(rng, n, m, n_classes, recipes, strayed=0):
    """Runs of one training: each has a factor on its logits, and strays from the truth so far."""
    while True:
        truth = 2 * rng.normal(size=(n + m, n_classes))
        labels = drawn_labels(rng, softmax(truth, axis=1))
        runs = np.stack([factor * (truth + far * rng.normal(size=truth.shape)) for factor, far in recipes])
        runs[-1, :strayed] = rng.permuted(runs[-1, :strayed], axis=1)
        call = labels[:n], runs[:, :n].copy(), labels[n:], runs[:, n:].copy()
        losses = sorted(nll(labels[:n], z, temperature(labels[:n], z)) for z in call[1])
        if losses[1] - losses[0] > 0.003:  # no rounding takes another one
            return call


def misled(rng):
    """Two runs: on the test rows, the one to keep is behind by more than it leads by."""
    while True:
        call = trained(rng, 70, 100, 3, [(0.6, 0.9), (0.3, 0.9)])
        lead, gain = keep(*call[:2], *call[:2])[1], keep(*call)[1]
        if lead + 0.01 < -gain:
            return call


def runs_plain(rng, own):
    yield trained(rng, 80, 60, 3, [(4.0, 1.2), (0.5, 1.0), (1.5, 1.5)])
    yield trained(rng, 120, 90, 2, [(3.0, 1.0), (2.0, 1.0), (6.0, 0.5), (1.0, 1.3)])


def runs_hard(rng, own):
    yield trained(rng, 100, 70, 4, [(0.4, 0.3), (0.8, 1.0), (1.0, 1.0)])
    yield trained(rng, 150, 40, 3, [(2.0, 0.8), (0.3, 0.7), (1.0, 0.9), (5.0, 0.6), (3.0, 0.6)], strayed=4)
    yield trained(rng, 60, 200, 5, [(0.2, 1.0), (7.0, 0.5)])
    yield misled(rng)


def asked(rng, lengths, n_tokens, scale):
    """Logits of a model at every place of some answers, and the tokens of these, -1 behind the last."""
    shape = len(lengths), max(lengths)
    tokens = np.where(np.arange(shape[1]) < np.array(lengths)[:, None], rng.integers(0, n_tokens, shape), -1)
    return scale * rng.normal(size=(*shape, n_tokens)).round(2), tokens


def choices_plain(rng, own):
    logits, _ = asked(rng, [1, 1, 1, 1], 7, 1.0)
    yield np.repeat(logits[:1], 4, axis=0), rng.permutation(7)[:4, None], 1.0  # the letters A to D
    yield *asked(rng, [2, 2, 2], 5, 1.5), 2.0
    yield *asked(rng, rng.permutation([1, 3, 2]).tolist(), 5, 1.5), float(rng.integers(3, 7)) / 2


def choices_hard(rng, own):
    logits, tokens = asked(rng, rng.permutation([2, 4, 5, 3]).tolist(), 6, 1.0)
    start, path = np.zeros((4, 41, 6)), rng.integers(0, 6, 41)  # every answer begins with rare words, as rare in all
    start[:, np.arange(40), path[:40]] = -30 + rng.permuted(np.resize([6, 3, -3, -6], (4, 40)) * np.arange(4)[:, None], axis=1)
    start[:, 40, path[40]] = -800
    joined = np.concatenate([start, logits], axis=1), np.concatenate([np.tile(path, (4, 1)), tokens], axis=1)
    yield *joined, 1.0
    yield *joined, 2.5
    logits, tokens = asked(rng, rng.permutation([3, 1, 2, 2]).tolist(), 8, 1.0)
    yield logits + rng.integers(-9, 9, (4, 3, 1)) * 100, tokens, 0.5
    yield *asked(rng, [6, 4], 2, 0.5), float(rng.integers(5, 9)) / 4


def older_plain(rng, own):
    for n in (6, 40):
        yield rng.random(n) ** 2, rng.beta(2, 3, n).round(3)


def older_hard(rng, own):
    g = rng.beta(2, 3, 60)
    g[rng.permutation(60)[:20]] = 0
    yield rng.random(60) ** 2, g
    g = rng.beta(1, 9, 30)
    g[rng.integers(30)] = 1 - 2.0**-12
    yield rng.random(30) ** 2, g
    yield rng.random(25) ** 2, np.full(25, float(rng.choice([0.125, 0.25, 0.75])))
    yield rng.random(500) ** 2, rng.beta(2, 300, 500)
    yield rng.random(1), np.array([0.75])


def last_of_equals_first(y, p, n_bins):
    groups = np.array_split(np.lexsort((-np.arange(len(p)), p)), n_bins)
    return sum(abs(np.sum(y[group] - p[group])) for group in groups) / len(y)


def equal_width(y, p, n_bins):
    groups = np.minimum((np.asarray(p) * n_bins).astype(int), n_bins - 1)
    return np.abs(np.bincount(groups, y - p)).sum() / len(p)


def rest_dropped(y, p, n_bins):
    order, size = np.argsort(p, kind="stable"), len(p) // n_bins
    return sum(abs(np.sum((y - p)[order[b * size : (b + 1) * size]])) for b in range(n_bins)) / len(p)


def unweighted(y, p, n_bins):
    groups = np.array_split(np.argsort(p, kind="stable"), n_bins)
    return np.mean([abs(np.mean((y - p)[group])) for group in groups if len(group)])


def without_prior_targets(z, y, fit_rows, calibration_rows, test_rows):
    s, t = z[calibration_rows], y[calibration_rows]
    rows, theta = np.column_stack([s, np.ones(len(s))]), np.zeros(2)
    for _ in range(30):
        p = expit(rows @ theta)
        theta = theta - np.linalg.solve((rows.T * p * (1 - p)) @ rows, rows.T @ (p - t))
    return expit(theta[0] * z[test_rows] + theta[1])


def threshold_only(p, costs, referral):
    false_alarm, miss = costs[0, 1], costs[1, 0]
    cheapest = np.minimum(p * miss, (1 - p) * false_alarm)
    return np.where(cheapest > referral, -1, (p > false_alarm / (false_alarm + miss)).astype(int))


def last_of_equal_decisions(p, costs, referral):
    expected = (np.column_stack([1 - p, p]) @ costs)[:, ::-1]
    return np.where(expected.min(axis=1) > referral, -1, costs.shape[1] - 1 - expected.argmin(axis=1))


def decision_by_class(p, y, decision, costs, referral):
    promised = (1 - p) * costs[0, decision] + p * costs[1, decision]
    return tuple(np.where(decision < 0, referral, v).mean() for v in (promised, costs[decision, y]))


def of_the_cheapest(p, y, decision, costs, referral):
    cheapest = (np.column_stack([1 - p, p]) @ costs).min(axis=1)
    return np.where(decision < 0, referral, cheapest).mean(), bill(p, y, decision, costs, referral)[1]


def lists_by_class(p, labels, new_p, alpha):
    columns = []
    for k in range(p.shape[1]):
        scores = np.sort(1 - p[labels == k, k])
        rank = int(np.ceil((len(scores) + 1) * (1 - alpha)))
        columns.append(1 - new_p[:, k] <= (scores[rank - 1] if rank <= len(scores) else 1.0))
    return np.column_stack(columns)


def lists_that_add_up(p, labels, new_p, alpha):
    order = np.argsort(-new_p, axis=1)
    before = np.cumsum(np.take_along_axis(new_p, order, axis=1), axis=1) - np.take_along_axis(
        new_p, order, axis=1
    )
    found = np.empty(new_p.shape, dtype=bool)
    np.put_along_axis(found, order, before < 1 - alpha, axis=1)
    return found


def until_the_first_excess(confidence, right, limit):
    share = 0.0
    for least in np.unique(confidence)[::-1]:
        rows = confidence >= least
        if np.mean(1 - right[rows]) > limit:
            break
        share = rows.mean()
    return share


def row_by_row(confidence, right, limit):
    order = np.argsort(-confidence, kind="stable")
    risk = np.cumsum(1 - right[order]) / np.arange(1, len(order) + 1)
    kept = np.flatnonzero(risk <= limit)
    return (kept[-1] + 1) / len(order) if len(kept) else 0.0


def halved(confidence, right, limit):
    levels = np.unique(confidence)[::-1]
    low, high = -1, len(levels) - 1
    while low < high:
        middle = (low + high + 1) // 2
        fits = np.mean(1 - right[confidence >= levels[middle]]) <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    return np.mean(confidence >= levels[low]) if low >= 0 else 0.0


def as_promised(confidence, right, limit):
    order = np.sort(confidence)[::-1]
    return np.mean(np.cumsum(1 - order) / np.arange(1, len(order) + 1) <= limit)


def complement(probabilities, old, new):
    first = probabilities[:, 0] * new[0] / old[0]
    other = probabilities[:, 1] * (1 - new[0]) / (1 - old[0])
    return np.column_stack([first, other]) / (first + other)[:, None]


def largest_moves(probabilities, old, new):
    k = np.argmax(new)
    weighed = np.array(probabilities)
    weighed[:, k] *= new[k] / old[k]
    return weighed / weighed.sum(axis=1, keepdims=True)


def by_the_mean_forecast(z, y):
    mean, share = expit(z).mean(), np.mean(y)
    return np.log(share / (1 - share)) - np.log(mean / (1 - mean))


def by_the_mean_score(z, y):
    return np.log(np.mean(y) / (1 - np.mean(y))) - np.mean(z)


def log_odds_of_the_share(z, y):
    return np.log(np.mean(y) / (1 - np.mean(y)))


def newton_from_zero(z, y):
    b = 0.0
    for _ in range(30):
        p = expit(z + b)
        b = b - np.mean(p - y) / np.mean(p * (1 - p))
    return b


def newton_from_the_mean(z, y):
    b = by_the_mean_score(z, y)
    for _ in range(50):
        p = expit(z + b)
        b = b - np.mean(p - y) / np.mean(p * (1 - p))
    return b


def with_prior_targets(z, y):
    return intercept_update(np.r_[z, z.mean(), z.mean()], np.r_[y, 0, 1])


def half_and_half(z, y):
    ill = np.flatnonzero(y == 1)
    return intercept_update(
        np.r_[z, np.tile(z[ill], len(y) // len(ill) - 1)],
        np.r_[y, np.ones(len(ill) * (len(y) // len(ill) - 1))],
    )


def mean_of_the_machines(rows, promised, came):
    parts = [
        merged_ece(rows[m : m + 1], promised[m : m + 1], came[m : m + 1])
        for m in range(len(rows))
        if rows[m].any()
    ]
    return np.mean(parts)


def weighted_mean_of_the_machines(rows, promised, came):
    return np.abs(came - promised).sum() / np.sum(rows)


def mean_of_means(rows, promised, came):
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = np.nanmean(came / rows, axis=0) - np.nanmean(promised / rows, axis=0)
    return np.nansum(np.abs(gaps) * rows.sum(axis=0)) / rows.sum()


def one_temperature_for_all(labels, runs, new_labels, new_runs):
    together = temperature(np.tile(labels, len(runs)), np.concatenate(runs))
    run = np.argmin([nll(labels, z, together) for z in runs])
    return run, nll(new_labels, new_runs[0], together) - nll(new_labels, new_runs[run], together)


def squares(labels, logits, t):
    return np.mean((softmax(logits / t, axis=1) - np.eye(logits.shape[1])[labels]) ** 2)


def token_logs(logits, tokens):
    """Log-probabilities of the tokens, 0 behind the last."""
    kept = np.maximum(tokens, 0)[:, :, None]
    found = np.take_along_axis(log_softmax(logits, axis=2), kept, axis=2)[:, :, 0]
    return np.where(tokens >= 0, found, 0)


def all_that_is_in_the_array(logits, tokens, temperature):
    log_q = np.take_along_axis(log_softmax(logits, axis=2), tokens[:, :, None] % logits.shape[2], axis=2)
    return softmax(log_q[:, :, 0].sum(axis=1) / temperature)


def by_length(logits, tokens, temperature):
    return softmax(token_logs(logits, tokens).sum(axis=1) / (tokens >= 0).sum(axis=1) / temperature)


def of_the_offered_tokens(logits, tokens, temperature):
    s = np.zeros(len(tokens))
    for place, offered in enumerate(tokens.T):
        for k in np.flatnonzero(offered >= 0):
            z = logits[k, place]
            s[k] += z[offered[k]] - np.log(np.exp(z[np.unique(offered[offered >= 0])]).sum())
    return softmax(s / temperature)


def by_products(logits, tokens, temperature):
    p = np.exp(token_logs(logits, tokens)).prod(axis=1) ** (1 / temperature)
    return p / p.sum()


def with_a_floor(logits, tokens, temperature):
    return softmax(np.log(np.exp(token_logs(logits, tokens)).prod(axis=1) + 1e-300) / temperature)


def only_the_last(logits, tokens, temperature):
    last = (tokens >= 0).sum(axis=1) - 1
    return softmax(token_logs(logits, tokens)[np.arange(len(tokens)), last] / temperature)


LOSS, BEHIND = "w @ losses / w.sum()", "w.sum() ** 2 / (w @ w)"
ODDS_OF_G = "np.asarray(g) / (1 - np.asarray(g))"
RATIO = "the ratio of the densities is proportional to the odds of g"
KISH = "it rests on the sum of the weights and that of their squares; equal weights leave all rows, one large one hardly any"
SORT, GROUPS = 'np.argsort(p, kind="stable")', "sort, cut, weigh by rows, absolute value in each group"
ALIKE = "rows with equal p keep their order"
CANCEL = "gaps of different sign cancel: take the absolute value in each group"
HEART = "you calibrated on rows that the model learned by heart: there it is nearly always right"
ROWS = "Platt scaling with prior targets on the calibration rows, in the order of test_rows"
PAIRS = "take the difference of each patient first"
TABLE = "rows of the table are true classes, columns decisions"
GAIN = "return falls.mean(), falls.mean() - half, falls.mean() + half"
PAID = "np.where(referred, referral, paid).mean()"
ODDS = "the weights multiply the odds by their ratio: to undo them, divide the odds"
BACK = "from your threshold back to its output: multiply the odds of the threshold"
FACTOR = "the probability of each class times its new share over its old one"
AGREE = "at your b the mean forecast is not the share of ill rows"
UNITS = "no start, step or bracket suits every model: where must b lie, whatever the log-odds?"
TOGETHER = "add the machines' sums bin by bin first, take absolute values then"
UNDONE = "undone = told / (told + weight * (1 - told))"
ALARM = "alarm_from = weight * threshold / (weight * threshold + 1 - threshold)"
NEW = "with n + 1 in place of n: the new row counts among its peers"
BELOW = "return 1 - np.asarray(new_p) <= limit"
RANK = "np.ceil((len(p) + 1) * (1 - alpha))"
AMONG = "the share of errors among the rows that are answered"
WIDEST = "the largest coverage: the risk may fall again where it has risen"
GAPS = "np.abs(gaps).sum() / np.sum(rows)"
FITS = "fits = [temperature(labels, z) for z in runs]"
LOSSES = "nll(labels, z, t) for z, t in zip(runs, fits, strict=True)"
NEWLY = "nll(new_labels, new_runs[0], fits[0]) - nll(new_labels, new_runs[run], fits[run])"
FOLLOWS = "a temperature will follow: choose by the NLL that is left after it"
FAIR = "give both sides a temperature, each its own"
MAY_RISE = "negative where the NLL on the test rows is higher: say so"
JUDGES = "the test rows judge: they choose nothing and fit nothing"
RARE = "an answer may be too improbable for a number: stay with logarithms, from the logits on"
ADDED = "the logarithms of an answer's tokens add up"

QUESTIONS = [
    ByHand(
        "by-hand", by_hand,
        {"threshold": (1, "there, treating and not treating are expected to cost the same"),
         "refer_from": (1, "what is not treating expected to cost at p?"),
         "refer_to": (1, "what is treating expected to cost at p?"), "undone": (1, ODDS), "alarm_from": (1, BACK)},
        {"threshold = false_alarm / (false_alarm + miss) -> threshold = miss / (false_alarm + miss)":
             "a dear miss must lower it, not raise it",
         "threshold = false_alarm / (false_alarm + miss) -> threshold = false_alarm / miss":
             "that is the odds p / (1 - p) at which to treat, not p",
         "threshold = false_alarm / (false_alarm + miss) -> threshold = miss / false_alarm": "a probability",
         "threshold = false_alarm / (false_alarm + miss) -> threshold = 0.5": "the prices count",
         "threshold = false_alarm / (false_alarm + miss) -> threshold = referral / (false_alarm + miss)":
             "if there were no specialist",
         "refer_from = referral / miss -> refer_from = referral / false_alarm": "not treating costs a miss",
         "refer_from = referral / miss -> refer_from = referral / (miss + referral)": "what is not treating expected to cost?",
         "refer_from = referral / miss -> refer_from = 1 - referral / miss": "a patient in doubt: the lower end",
         "refer_from = referral / miss -> refer_from = referral / (false_alarm + miss)": "not treating costs a miss",
         "refer_to = 1 - referral / false_alarm -> refer_to = referral / false_alarm":
             "a patient treated in vain is one who does NOT get worse",
         "refer_to = 1 - referral / false_alarm -> refer_to = 1 - referral / miss": "treating costs a false alarm",
         "refer_to = 1 - referral / false_alarm -> refer_to = 1 - false_alarm / miss": "the price of the referral counts",
         "refer_to = 1 - referral / false_alarm -> refer_to = false_alarm / (false_alarm + referral)":
             "what is treating expected to cost at p?",
         f"{UNDONE} -> undone = weight * told / (weight * told + 1 - told)": "that weighs the ill a second time: divide the odds",
         f"{UNDONE} -> undone = told / weight": "the weights multiply the odds, not the probability",
         f"{UNDONE} -> undone = told / (1 - told) / weight": "those are odds; give the probability",
         f"{UNDONE} -> undone = told": ODDS, f"{UNDONE} -> undone = told / (1 + weight)": ODDS,
         f"{UNDONE} -> undone = (1 - told) / (1 - told + weight * told)": "that is the probability of staying well, weighed twice",
         f"{UNDONE} -> undone = 1 - told / (told + weight * (1 - told))": "the probability of getting worse, not of staying well",
         f"{ALARM} -> alarm_from = threshold / (threshold + weight * (1 - threshold))":
             "you undid the weights of the threshold; it has to be weighed like the output",
         f"{ALARM} -> alarm_from = threshold": "its output is weighed: so must be the threshold",
         f"{ALARM} -> alarm_from = weight * threshold": "the weights multiply the odds, not the probability",
         f"{ALARM} -> alarm_from = weight / (weight + 1)": "that is one half, weighed; your prices set another threshold",
         f"{ALARM} -> alarm_from = weight * threshold / (1 - threshold)": "those are odds; give the probability"},
        atol=1.5e-3,
    ),
    Question(
        "audit", equal_mass_ece,
        [Case("some rows, in groups as equal as possible", 1, audits_plain, shown=True),
         Case("many groups, more groups than rows, rows with equal p", 1, audits_hard)],
        {last_of_equals_first: ALIKE, equal_width: "these are bins of equal width: the groups should hold equally many rows",
         rest_dropped: "where n is no multiple, the first groups hold one more", unweighted: "weigh each group by its rows",
         f"{SORT} -> np.arange(len(p))": "sort the rows by p before you cut them", f"{SORT} -> np.lexsort((y, p))": ALIKE,
         f"{SORT} -> np.lexsort((-y, p))": ALIKE,
         f"{SORT} -> np.lexsort((np.random.default_rng(0).random(len(p)), p))": ALIKE,
         f"{SORT}, n_bins) -> {SORT}[::-1], n_bins)": "sort from the smallest p to the largest; the first groups hold one more",
         f"{SORT} -> np.argsort(y, kind='stable')": "sort by p, not by y",
         "sum(abs(np.sum(y[group] - p[group])) for group in groups) -> abs(sum(np.sum(y[group] - p[group]) for group in groups))":
             CANCEL,
         "abs(np.sum(y[group] - p[group])) -> np.sum(np.abs(y[group] - p[group]))": "the gap of a group, not of a row",
         "for group in groups) / len(y) -> for group in groups) / n_bins": GROUPS,
         "sum(abs(np.sum(y[group] - p[group])) for group in groups) / len(y) -> "
         "max(abs(np.mean(y[group] - p[group])) for group in groups if len(group))": "the mean gap, not the largest",
         "y, p = np.asarray(y), np.asarray(p) -> y, p = np.asarray(y)[:4], np.asarray(p)[:4]": SOME,
         "y, p = np.asarray(y), np.asarray(p) -> p[:] = p[np.argsort(p)]": STAYS},
        MEASURES,
    ),
    Question(
        "mend", recalibrated,
        [Case("your own patients", 1, own_patients), Case("other patients, parts of other sizes", 1, other_patients)],
        {"z[calibration_rows], y[calibration_rows] -> z[fit_rows], y[fit_rows]": HEART,
         "z[calibration_rows], y[calibration_rows] -> z[test_rows], y[test_rows]":
             "you calibrated on the rows that must judge the result",
         "platt = -> calibration_rows = np.r_[fit_rows, calibration_rows]; platt =":
             "some of the rows that you calibrated on are known to the model",
         "platt = -> calibration_rows = np.r_[test_rows, calibration_rows]; platt =":
             "you calibrated on the rows that must judge the result",
         "z[calibration_rows], y[calibration_rows] -> z, y": HEART,
         "platt = -> z = expit(z); platt =": "Platt scaling reads log-odds, not probabilities",
         "platt.predict_proba(z[test_rows])[:, 1] -> expit(z[test_rows])": "is anything mended?",
         "predict_proba(z[test_rows])[:, 1] -> predict_proba(z[test_rows])[:, 0]": "the probability of class 1",
         "predict_proba(z[test_rows])[:, 1] -> predict_proba(z[test_rows])": "one probability for each test row",
         "predict_proba(z[test_rows])[:, 1] -> predict_proba(z[np.sort(test_rows)])[:, 1]": "in the order of test_rows",
         "predict_proba(z[test_rows])[:, 1] -> predict_proba(z[calibration_rows])[:, 1]": "of the test rows",
         without_prior_targets: "with prior targets", "platt = -> calibration_rows = calibration_rows[:50]; platt =": SOME,
         "cl.PlattScaling() -> cl.IsotonicCalibration()": "Platt scaling",
         "platt = -> z[test_rows] += 0.5; platt =": STAYS},
        rtol=0, atol=2e-4,
    ),
    Question(
        "gain", brier_gain,
        [Case("the mean fall and its interval", 1, gains_plain, judge=interval),
         Case("few and many patients, falls and rises", 1, gains_hard, judge=interval)],
        {f"{GAIN} -> return -falls.mean(), -falls.mean() - half, -falls.mean() + half": "before minus after",
         "falls.std(ddof=1) -> np.sqrt(((before - y) ** 2).var() + ((after - y) ** 2).var())":
             f"the interval is for different patients before and after: {PAIRS}",
         "falls.std(ddof=1) / np.sqrt(len(falls)) -> falls.std(ddof=1)":
             "a standard error, not a standard deviation: the interval of a mean narrows with n",
         "falls.std(ddof=1) / np.sqrt(len(falls)) -> falls.var(ddof=1) / np.sqrt(len(falls))": "a standard error, not a variance",
         "falls.std(ddof=1) / np.sqrt(len(falls)) -> falls.std(ddof=1) / len(falls)": "the square root of n",
         "1.96 -> 1.645": "95 %: 1.96 standard errors to each side", "1.96 -> 1.97": "1.96 standard errors to each side",
         f"{GAIN} -> return falls.mean(), falls.mean() + half, falls.mean() - half": "low comes before high",
         f"{GAIN} -> return falls.mean(), falls.mean() - half / 2, falls.mean() + half / 2": "1.96 to each side",
         f"{GAIN} -> return falls.sum(), falls.sum() - half, falls.sum() + half": "the mean over the patients",
         f"{GAIN} -> return falls.mean(), half, half": "the ends of the interval",
         f"{GAIN} -> return abs(falls.mean()), abs(falls.mean()) - half, abs(falls.mean()) + half": "positive or negative",
         "(np.asarray(before) - y) ** 2 - (np.asarray(after) - y) ** 2 -> np.abs(before - y) - np.abs(after - y)":
             "the squared errors",
         "falls = (np.asarray(before) - y) ** 2 - (np.asarray(after) - y) ** 2 -> "
         "falls = ((np.asarray(before) - y) ** 2 - (np.asarray(after) - y) ** 2)[:20]": SOME,
         "falls = -> before -= y; y = 0 * y; after = after - y; falls =": STAYS},
    ),
    Question(
        "decide", decide,
        [Case("two decisions, with a referral and without", 1, decisions_plain, shown=True),
         Case("dear false alarms, equals, many decisions, right ones not free", 1, decisions_hard)],
        {threshold_only: "right ones may cost something: compare all expected costs", last_of_equal_decisions: "of equals the first",
         "expected.argmin(axis=1)) -> (p > 0.5).astype(int))": "one half is the wrong threshold",
         "@ np.asarray(costs) -> @ np.asarray(costs)[:, :2].T": TABLE, "[1 - p, p] -> [p, 1 - p]": TABLE,
         "> referral, -1 -> >= referral, -1": "refer only where the cheapest decision costs MORE than a referral",
         "> referral, -1 -> < referral, -1": "refer where a referral is cheaper",
         "> referral, -1 -> > referral, 2": "-1 is a referral", "expected.min(axis=1) > referral -> expected.max(axis=1) > referral":
             "the cheapest decision",
         "expected.min(axis=1) > referral -> expected.mean(axis=1) > referral": "the cheapest decision",
         "expected.min(axis=1) > referral -> expected.min(axis=1) > np.inf": "a referral at a price",
         "expected.argmin(axis=1)) -> expected.argmax(axis=1))": "the cheapest, not the dearest",
         "expected.argmin(axis=1)) -> expected[:, :2].argmin(axis=1))": "there may be more than two decisions",
         "expected.argmin(axis=1)) -> expected.argmin(axis=1) + 1)": "decisions are counted from 0",
         "p = np.asarray(p, dtype=float) -> p = np.asarray(p, dtype=float)[:3]": SOME,
         "p = np.asarray(p, dtype=float) -> p[:] = np.round(p, 1)": STAYS},
        DECISIONS,
    ),
    Question(
        "bill", bill,
        [Case("two and three patients", 1, bills_plain, shown=True),
         Case("many patients, decisions and referrals", 1, bills_hard)],
        {decision_by_class: TABLE, of_the_cheapest: "promised: the cost of the decisions that were taken, not of the cheapest",
         "np.where(referred, referral, paid) -> paid": "a referral costs its price, and is no column of the table",
         "np.where(referred, referral, promised) -> promised": "a referral costs its price, and is no column of the table",
         "np.where(referred, referral, paid) -> np.where(referred, 0, paid)": "a referral costs its price",
         "np.where(referred, referral, promised) -> np.where(referred, 0, promised)": "a referral costs its price",
         PAID + " -> paid[~referred].mean()": "a referral counts among the patients",
         "np.where(referred, referral, promised).mean() -> promised[~referred].mean()": "a referral counts among the patients",
         "(1 - p) * costs[0, decision] + p * costs[1, decision] -> p * costs[0, decision] + (1 - p) * costs[1, decision]": TABLE,
         "(1 - p) * costs[0, decision] + p * costs[1, decision] -> costs[(p > 0.5).astype(int), decision]":
             "promised: weighed by the probabilities",
         "referred = decision == -1 -> referred = decision == -1; decision = np.minimum(decision, min(1, costs.shape[1] - 1))":
             "there may be more than two decisions",
         "promised).mean(), -> promised).sum(),": "means over all patients", PAID + f" -> {PAID.replace('mean', 'sum')}":
             "means over all patients",
         "return np.where(referred, referral, promised).mean(), np.where(referred, referral, paid).mean() -> "
         "return np.where(referred, referral, paid).mean(), np.where(referred, referral, promised).mean()":
             "promised comes first",
         "(np.asarray(values) for values in (p, y, decision, costs)) -> (np.asarray(values)[:2] for values in (p, y, decision, costs))":
             SOME,
         "referred = decision == -1 -> referred = decision == -1; decision[referred] = 0": STAYS},
        DECISIONS,
    ),
    ByHand(
        "report", report,
        {"ece before": (0.5, "the model's own probabilities of YOUR test rows, 10 equal-width bins"),
         "chance before": (0.5, "of the same probabilities as the ECE, 10 bins, random_state=0"),
         "brier low": (0.5, "after minus before; PlattScaling, learned and judged on the rows of YOUR split, the column of class 1"),
         "brier high": (0.5, "after minus before; PlattScaling, learned and judged on the rows of YOUR split, the column of class 1"),
         "cost before": (0.5, "the cheapest decisions with your prices, a referral among them"),
         "cost after": (0.5, "the cheapest decisions with your prices, a referral among them")},
        {"judged, found = calibration_rows, test_rows, -> judged, found = calibration_rows, calibration_rows,":
             "judged on other than the test rows",
         "judged, found = calibration_rows, test_rows, -> judged, found = calibration_rows, fit_rows,":
             "judged on other than the test rows",
         "judged, found = calibration_rows, test_rows, -> judged, found = fit_rows, test_rows,":
             "calibrated on rows that the model learned from",
         "judged, found = calibration_rows, test_rows, -> judged, found = test_rows, test_rows,":
             "calibrated on the rows that judge",
         "n_bins=10 -> n_bins=15": "10 bins",  # where all bins err to one side, their number changes the chance alone
         "compared(worse[judged], after, before) -> compared(worse[judged], before, after)": "after minus before",
         "= compared(worse[judged], after, before) -> = (0, 0, 0, -0.03, -0.01)": "of your own rows",
         "abstaining_cost=referral)\n        found -> abstaining_cost=1e9)\n        found": "a referral among them",
         "decision = cl.decisions.optimal_decision(p, costs, abstaining_cost=referral) -> decision = (p > 0.5).astype(int)":
             "the cheapest decisions, a referral among them",
         "decision = cl.decisions.optimal_decision(p, costs, abstaining_cost=referral) -> decision = np.ones(len(p), dtype=int)":
             "the cheapest decisions",
         "optimal_decision(p, costs -> optimal_decision(p, costs.T": "rows of the table are true classes",
         "expit(z[judged]) -> np.clip(z[judged], 0, 1)": "log-odds are not yet probabilities",
         "predict_proba(z[judged])[:, 1] -> predict_proba(z[judged])[:, 0]": "the probability of class 1"},
        atol=1e-5, within="report",
    ),
    Question(
        "answered", answered,
        [Case("distinct confidences", 1.5, coverages_plain, shown=True),
         Case("equal confidences, a risk that rises and falls, a risk of exactly the limit, none and all", 1.5, coverages_hard)],
        {until_the_first_excess: WIDEST, halved: WIDEST, row_by_row: "rows with equal confidence are answered together or not at all",
         as_promised: "the errors that came, not those that the confidences promise",
         "wrong[rows].mean() <= limit -> wrong[rows].mean() < limit": "at most the limit: equal is allowed",
         "wrong[rows].mean() <= limit -> wrong[rows].sum() / len(wrong) <= limit": AMONG,
         "wrong[rows].mean() <= limit -> wrong[confidence == least].mean() <= limit": AMONG,
         "wrong[rows].mean() <= limit -> wrong[rows].mean() >= limit": "errors, at most the limit",
         "wrong[rows].mean() <= limit -> wrong[~rows].mean() <= limit": AMONG,
         "1 - np.asarray(right) -> np.asarray(right)": "errors are the rows that are not right",
         "confidence >= least -> confidence <= least": "the surest rows are answered first",
         "confidence >= least -> confidence > least": "the row at the limit of confidence is answered, too",
         "shares.append(rows.mean()) -> shares.append(rows.sum())": "a share of all rows",
         "shares.append(rows.mean()) -> shares.append(least)": "the coverage, not the confidence from which on to answer",
         "shares.append(rows.mean()) -> shares.append(wrong[rows].mean())": "the coverage, not the risk",
         "shares.append(rows.mean()) -> shares.append(1 - rows.mean())": "what is answered, not what is left",
         "return max(shares) -> return shares[-1]": WIDEST,
         "np.unique(confidence) -> [1 - limit]": "the errors that came decide, not the confidences",
         "np.unique(confidence) -> np.arange(101) / 100": "every confidence that occurs is a candidate",
         "np.unique(confidence) -> np.arange(1001) / 1000": "every confidence that occurs is a candidate",
         "shares = [0.0] -> shares = [0.0]; confidence, wrong = confidence[:30], wrong[:30]": SOME,
         "shares = [0.0] -> shares = [0.0]; right.sort()": STAYS},
        DECISIONS,
    ),
    Question(
        "moved", moved,
        [Case("two and three classes", 1, moves_plain, shown=True),
         Case("counts for shares, a class that is gone, probabilities of 0 and 1", 1, moves_hard)],
        {"np.asarray(new) / np.asarray(old) -> np.asarray(old) / np.asarray(new)": "you went back from the new shares to the old",
         "np.asarray(new) / np.asarray(old) -> np.asarray(new)": "the old shares are in the forecasts already: divide them out",
         "np.asarray(new) / np.asarray(old) -> 1 / np.asarray(old)": "times the new shares",
         "np.asarray(new) / np.asarray(old) -> np.sqrt(np.asarray(new) / np.asarray(old))": FACTOR,
         "np.asarray(new) / np.asarray(old) -> (np.asarray(new) / np.asarray(old))**2": FACTOR,
         "np.asarray(new) / np.asarray(old) -> np.log1p(np.asarray(new) / np.asarray(old))": FACTOR,
         "np.asarray(new) / np.asarray(old) -> 1 + np.asarray(new) - np.asarray(old)": FACTOR,
         "np.asarray(new) / np.asarray(old) -> np.asarray(new) / np.mean(probabilities, axis=0)":
             "the old shares are those that are given, not the mean forecasts",
         "np.asarray(probabilities) * factors -> np.asarray(probabilities) * factors[:, None]":
             "a column for each class: so are the shares",
         "np.asarray(probabilities) * factors -> np.asarray(probabilities) + np.asarray(new) - np.asarray(old)": FACTOR,
         "weighed / weighed.sum(axis=1, keepdims=True) -> weighed": "divide each row by its own sum",
         "weighed / weighed.sum(axis=1, keepdims=True) -> np.minimum(weighed, 1)": "divide each row by its own sum",
         "weighed.sum(axis=1 -> weighed.sum(axis=0": "divide each row by its own sum",
         "weighed.sum(axis=1, keepdims=True) -> weighed.sum()": "divide each row by its own sum",
         "weighed / weighed.sum(axis=1, keepdims=True) -> np.exp(weighed) / np.exp(weighed).sum(axis=1, keepdims=True)":
             "divide each row by its own sum; no softmax",
         "weighed / weighed.sum(axis=1, keepdims=True) -> np.round(weighed / weighed.sum(axis=1, keepdims=True), 2)":
             "every digit",
         complement: "any number of classes, shares or counts", largest_moves: "every class moves",
         "factors = np -> probabilities = probabilities[:1].repeat(len(probabilities), axis=0); factors = np": SOME,
         "factors = np -> probabilities *= np.asarray(new) / np.asarray(old); factors = 1.0; np": STAYS},
        ["calibration_lessons.decisions.label_shift", "calibration_lessons.book.definitions"],
    ),
    Question(
        "intercept", intercept_update,
        [Case("a model of balanced classes", 1, updates_plain, shown=True), Case(UNITS, 1, updates_hard),
         Case("a ValueError where one class is absent, and only there", 1, updates_without)],
        {by_the_mean_forecast: "the difference of the log-odds of two means is a start: the mean of a sigmoid is not the sigmoid of a mean",
         by_the_mean_score: "the mean of the sigmoids, not the sigmoid of the mean",
         log_odds_of_the_share: "b is added to the model's log-odds; it does not replace them", newton_from_zero: UNITS,
         newton_from_the_mean: "a step of Newton's method may lead far away: keep b between two bounds",
         with_prior_targets: "the mean label as it is, without prior targets",
         half_and_half: "the rows as they come: balancing them leaves the error where it is",
         "range(100) -> range(8)": "nearly: search on, to six digits", "odds - z.max(), odds - z.min() -> -20.0, 20.0": UNITS,
         "odds - z.max(), odds - z.min() -> -1000.0, 0.0": "b may go up, too",
         "return b -> return -b": "the sign: b is added to the log-odds", "return b -> return np.exp(b)": "b, not the factor of the odds",
         "return b -> return expit(z + b)": "return the number b, not the probabilities",
         "expit(z + b).mean() < share -> np.median(expit(z + b)) < share": AGREE,
         "expit(z + b).mean() < share -> np.mean(z + b > 0) < share": "the mean forecast, not the share of alarms",
         "expit(z + b).mean() < share -> expit(z * np.exp(b)).mean() < share": "b is added; a factor leaves each forecast on its side",
         "expit(z + b).mean() < share -> expit((z + b) * np.log(2)).mean() < share": "the sigmoid has base e, not base 2",
         "expit(z + b).mean() < share -> expit(z + b).mean() < 0.5": AGREE,
         "if not 0 < share < 1: -> if False:": "no b is best where one class is absent: check first",
         "if not 0 < share < 1: -> if not 0 < share:": "all rows ill: no b is best there either",
         "if not 0 < share < 1: -> if not 0.01 < share < 0.99:": "a rare class is still a class",
         "z, share = np.asarray(z, dtype=float), np.mean(y) -> z, share = np.asarray(z, dtype=float)[:20], np.mean(y[:20])": SOME,
         "z, share = np.asarray(z, dtype=float), np.mean(y) -> share = np.mean(y); z -= 0.1; z = z + 0.1": STAYS},
        ["calibration_lessons.calibrators", "calibration_lessons.models", "calibration_lessons.solvers.logistic",
         "calibration_lessons.book.definitions", "sklearn.linear_model", "sklearn.svm"],
    ),
    Question(
        "shortlists", shortlists,
        [Case("some patients, and new ones", 1, lists_plain, shown=True),
         Case("equal scores, scores at the limit, few calibration rows", 1, lists_hard)],
        {"len(p) + 1 -> len(p)": NEW, "np.ceil( -> np.floor(": "rounded up", "scores[rank - 1] -> scores[rank - 2]": "the rank is off by one",
         "scores[rank - 1] if rank <= len(p) else 1.0 -> scores[min(rank, len(p) - 1)]": "the rank is off by one",
         "scores[rank - 1] if rank <= len(p) else 1.0 -> scores[min(rank, len(p)) - 1]":
             "too few rows for the promise: then no class may be left out",
         "if rank <= len(p) else 1.0 -> if rank <= len(p) else 0.0": "too few rows for the promise: then no class may be left out",
         "if rank <= len(p) else -> if rank < len(p) else": "the largest score is a limit, too",
         f"{RANK} -> np.ceil((len(p) + 1) * alpha)": "the share of lists that hold the truth is 1 - alpha",
         f"{BELOW} -> return 1 - np.asarray(new_p) < limit": "a class at the limit is listed",
         f"{BELOW} -> return np.asarray(new_p) <= limit": "list the probable classes",
         f"{BELOW} -> return np.asarray(new_p) >= 1 - alpha": "the limit comes from the calibration rows",
         f"{BELOW} -> return np.asarray(new_p) >= alpha": "the limit comes from the calibration rows",
         f"{BELOW} -> return (1 - new_p <= limit) | (new_p == new_p.max(axis=1, keepdims=True))":
             "a list may be empty: the best class is listed like any other",
         f"{BELOW} -> return (1 - new_p <= limit).sum(axis=1)": "which classes, not how many",
         "1 - p[np.arange(len(p)), labels] -> 1 - p.max(axis=1)": "the probability of the label, not the largest",
         "1 - p[np.arange(len(p)), labels] -> p[np.arange(len(p)), labels]": "a high score is a bad one: 1 minus the probability",
         "np.sort(1 - p[np.arange(len(p)), labels]) -> np.sort(1 - p[np.arange(len(p)), labels])[::-1]": "from the smallest score on",
         "np.sort(1 - p[np.arange(len(p)), labels]) -> 1 - p[np.arange(len(p)), labels]": "the scores in order",
         "limit = -> limit = np.quantile(scores, 1 - alpha); scores[0] =": "one of the scores, by its rank, not between two",
         "scores[rank - 1] if rank -> np.quantile(scores, rank / len(p)) if rank": "one of the scores, by its rank, not between two",
         'scores[rank - 1] if rank -> np.quantile(scores, rank / len(p), method="higher") if rank': "the rank is off by one",
         lists_by_class: "one limit for all classes", lists_that_add_up: "that is what a calibrated model would list; nothing is promised of yours",
         "scores = -> p, labels = p[:9], labels[:9]; scores =": SOME,
         "scores = -> new_p -= 0.0625; new_p = new_p + 0.0625; scores =": STAYS},
        ["calibration_lessons.book.definitions"],
    ),
    Question(
        "merged", merged_ece,
        [Case("a few machines", 1, logs_plain, shown=True),
         Case("machines and bins without rows, one machine, many", 1, logs_hard)],
        {mean_of_the_machines: "the mean of the machines' errors is not the error of all rows",
         weighted_mean_of_the_machines: TOGETHER, mean_of_means: "a machine with more rows counts more: add the sums",
         "gaps = np.sum(came, axis=0) - np.sum(promised, axis=0) -> gaps = np.sum(came, axis=1) - np.sum(promised, axis=1)":
             "over the machines, bin by bin",
         f"{GAPS} -> abs(gaps.sum()) / np.sum(rows)": "gaps of different sign cancel: take the absolute value in each bin",
         f"{GAPS} -> np.abs(gaps).sum()": "divide by the number of all rows",
         f"{GAPS} -> np.abs(gaps).mean() / np.sum(rows)": "each bin is weighted by its rows: add up, and divide once",
         f"{GAPS} -> np.abs(gaps).sum() / len(rows)": "divide by the number of all rows",
         f"{GAPS} -> np.abs(gaps / np.sum(rows, axis=0)).mean()": "each bin is weighted by its rows",
         f"{GAPS} -> np.nanmean(np.abs(gaps / np.sum(rows, axis=0)))": "each bin is weighted by its rows",
         f"{GAPS} -> np.nanmax(np.abs(gaps / np.sum(rows, axis=0)))": "that is the largest gap, the MCE",
         f"{GAPS} -> np.nansum(np.abs(gaps / np.sum(rows, axis=0)))": "each bin is weighted by its rows",
         f"{GAPS} -> np.sqrt((gaps**2).sum()) / np.sum(rows)": "the mean of absolute gaps, not of squares",
         f"{GAPS} -> gaps.sum() / np.sum(rows)": "take the absolute value in each bin",
         "np.sum(promised, axis=0) -> np.sum(rows * promised, axis=0)": "promised holds sums of scores already, not means",
         "np.sum(came, axis=0) -> np.sum(rows * came, axis=0)": "came holds numbers of events already, not shares",
         "gaps = np.sum(came, axis=0) - -> gaps = np.sum(rows, axis=0) - np.sum(came, axis=0) -": "events, not their absence",
         "gaps = np -> rows, promised, came = rows[:1], promised[:1], came[:1]; gaps = np": "all machines count",
         "gaps = np -> rows, promised, came = rows[:, :-1], promised[:, :-1], came[:, :-1]; gaps = np": "all bins count",
         "gaps = np.sum(came, axis=0) - np.sum(promised, axis=0) -> promised -= came; gaps = promised.sum(axis=0)": STAYS},
    ),
    Question(
        "keep", keep,
        [Case("an over-confident plain network, and others", 1, runs_plain, shown=True),
         Case("networks that are not sure enough, more classes, the plain one is best", 1, runs_hard)],
        {f"{FITS} -> fits = np.ones(len(runs))": FOLLOWS,
         f"{LOSSES} -> nll(labels, z, 1.0) for z in runs": FOLLOWS,
         f"{LOSSES} -> -np.mean(z.argmax(axis=1) == labels) for z in runs": FOLLOWS,
         f"{LOSSES} -> squares(labels, z, t) for z, t in zip(runs, fits, strict=True)": "by the NLL, not the Brier score",
         f"{LOSSES} -> nll(new_labels, z, t) for z, t in zip(new_runs, fits, strict=True)": JUDGES,
         f"{LOSSES} -> nll(labels, z, t) + nll(new_labels, new, t) for z, new, t in zip(runs, new_runs, fits, strict=True)": JUDGES,
         f"{LOSSES} -> -t for t in fits": FOLLOWS, f"{LOSSES} -> abs(t - 1) for t in fits": FOLLOWS,
         one_temperature_for_all: FAIR,
         f"{FITS} -> fits = [temperature(labels, runs[0])] * len(runs)": FAIR,
         f"{FITS} -> fits = [temperature(new_labels, z) for z in new_runs]": JUDGES,
         f"{FITS} -> fits = [1 / temperature(labels, z) for z in runs]": "the temperature divides the logits",
         f"{FITS} -> fits = [np.clip(temperature(labels, z), 0.5, 5) for z in runs]": "no bounds: a temperature may be small or large",
         f"{FITS} -> fits = [max(1, temperature(labels, z)) for z in runs]": "a network that is not sure enough needs a temperature below 1",
         "new_runs[0], fits[0]) -> new_runs[0], 1.0)": "run 0 has a temperature, too: a remedy has to beat a network that was mended",
         "new_runs[run], fits[run]) -> new_runs[run], 1.0)": FAIR,
         f"{NEWLY} -> nll(new_labels, new_runs[0], 1.0) - nll(new_labels, new_runs[run], 1.0)": FAIR,
         "new_runs[0], fits[0]) -> new_runs[0], fits[run])": FAIR, "new_runs[run], fits[run]) -> new_runs[run], fits[0])": FAIR,
         f"return run, {NEWLY} -> return run, {NEWLY.replace('new_', '')}": "the gain is that of the test rows",
         f"return run, {NEWLY} -> return run, -({NEWLY})": "how far below run 0: positive where the NLL is lower",
         f"return run, {NEWLY} -> return run, abs({NEWLY})": MAY_RISE, f"return run, {NEWLY} -> return run, max(0, {NEWLY})": MAY_RISE,
         f"return run, {NEWLY} -> return run, ({NEWLY}) / np.log(2)": "in nats",
         f"return run, {NEWLY} -> return run, ({NEWLY}) * len(new_labels)": "the mean over the test rows",
         f"return run, {NEWLY} -> return run, ({NEWLY}) / nll(new_labels, new_runs[0], fits[0])": "a difference, not a share",
         f"return run, {NEWLY} -> return run, {NEWLY.replace('nll', 'squares')}": "the NLL, not the Brier score",
         f"return run, {NEWLY} -> return run, nll(new_labels, new_runs[run], fits[run])": "the difference from run 0",
         f"return run, {NEWLY} -> return {NEWLY}, run": "the run comes first",
         "run = np.argmin(losses) -> run = np.argmax(losses)": "the lowest NLL",
         "run = np.argmin(losses) -> run = 1 + np.argmin(losses[1:])": "run 0 may be the one to keep",
         "run = np.argmin(losses) -> run = len(runs) - 1": "the lowest NLL, not the last run",
         f"return run, {NEWLY} -> return run + 1, {NEWLY}": "runs are counted from 0",
         f"{FITS} -> labels, runs = labels[:40], runs[:, :40].copy(); {FITS}": SOME,
         f"{FITS} -> new_labels, new_runs = new_labels[:40], new_runs[:, :40]; {FITS}": SOME,
         f"{FITS} -> {FITS}; runs /= 2; runs = 2 * runs": STAYS},
        rtol=0, atol=6e-4,
    ),
    Question(
        "choices", choices,
        [Case("letters, and answers of a few tokens", 1, choices_plain, shown=True),
         Case("long answers that are next to impossible, logits of 1000, other temperatures", 1, choices_hard)],
        {all_that_is_in_the_array: "-1 is no token: nothing behind the last one counts", by_length: "the sum, not divided by the length",
         of_the_offered_tokens: "the model spreads its probability over the whole vocabulary: the answers share at the end only",
         by_products: RARE,
         with_a_floor: RARE, only_the_last: ADDED,
         "np.where(tokens >= 0, log_q, 0) -> np.where(tokens >= 0, np.log(np.exp(log_q)), 0)": RARE,
         "np.where(tokens >= 0, log_q, 0) -> np.where(tokens >= 0, np.maximum(log_q, np.log(1e-12)), 0)": RARE,
         "np.where(tokens >= 0, log_q, 0) -> log_q": "-1 is no token: nothing behind the last one counts",
         "np.where(tokens >= 0, log_q, 0).sum(axis=1) -> log_q[:, 0]": ADDED,
         "np.where(tokens >= 0, log_q, 0).sum(axis=1) -> np.where(tokens >= 0, log_q, 0).min(axis=1)": ADDED,
         "np.where(tokens >= 0, log_q, 0).sum(axis=1) -> np.where(tokens >= 0, log_q, 0).mean(axis=1)": "the sum, not the mean",
         "np.where(tokens >= 0, log_q, 0) -> np.where(tokens >= 0, np.exp(log_q), 0)": "logarithms add up, probabilities do not",
         "np.where(tokens >= 0, log_q, 0) -> np.where(tokens > 0, log_q, 0)": "token 0 is a token",
         "log_softmax(logits, axis=2) -> logits": "a logit is not yet a log-probability: each place has a sum of its own",
         "log_softmax(logits, axis=2) -> log_softmax(logits, axis=1)": "the softmax is over the vocabulary",
         "log_softmax(logits, axis=2) -> log_softmax(logits, axis=0)": "the softmax is over the vocabulary",
         "log_softmax(logits, axis=2) -> log_softmax(logits)": "a softmax for each place",
         "log_softmax(logits, axis=2) -> np.log(np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True))":
             "large logits overflow: subtract the largest of each place first",
         "log_softmax(logits, axis=2) -> log_softmax(logits / temperature, axis=2)":
             "the temperature was fitted on choices: it divides the sums once, and no logits",
         "return softmax(s / temperature) -> return softmax(s)": "the temperature divides the sums",
         "return softmax(s / temperature) -> return softmax(s * temperature)": "the temperature divides the sums",
         "return softmax(s / temperature) -> return softmax(s) / temperature": "the temperature divides the sums",
         "return softmax(s / temperature) -> return softmax(s / temperature**2)": "the temperature divides the sums",
         "return softmax(s / temperature) -> return np.exp(s / temperature)": "the answers share: divide by the sum",
         "return softmax(s / temperature) -> return s / s.sum()": "the exponentials share, not the sums of logarithms",
         "return softmax(s / temperature) -> return softmax(np.exp(s / temperature))": "the softmax of the sums",
         "return softmax(s / temperature) -> return np.exp2(s / temperature) / np.exp2(s / temperature).sum()": "the softmax has base e, not base 2",
         "return softmax(s / temperature) -> return np.eye(len(s))[s.argmax()]": "probabilities, not the likeliest answer",
         "return softmax(s / temperature) -> return np.log(softmax(s / temperature))": "probabilities, not their logarithms",
         "return softmax(s / temperature) -> return np.sort(softmax(s / temperature))[::-1]": "in the order of the answers",
         "tokens = np.asarray(tokens) -> tokens = np.asarray(tokens)[:, :3]; logits = logits[:, :3]": "all tokens of an answer count",
         "tokens = np.asarray(tokens) -> tokens[tokens < 0] = 0": STAYS},
        ["calibration_lessons.book.definitions"], rtol=0, atol=6e-4,
    ),
    Question(
        "older", expected_there,
        [Case("some patients", 1, older_plain, shown=True),
         Case("patients who are not like any there, one who outweighs the rest, equal weights", 1, older_hard)],
        {f"w = {ODDS_OF_G} -> w = np.asarray(g)": f"g is no weight yet: {RATIO}",
         f"w = {ODDS_OF_G} -> w = 1 / (1 - np.asarray(g))": f"g over 1 - g: {RATIO}",
         f"w = {ODDS_OF_G} -> w = (1 - np.asarray(g)) / np.asarray(g)": "upside down: who looks like the new clinic counts more",
         f"w = {ODDS_OF_G} -> w = 1 / np.asarray(g)": "upside down: who looks like the new clinic counts more",
         f"w = {ODDS_OF_G} -> w = np.log({ODDS_OF_G})": "the odds, not their logarithm",
         f"w = {ODDS_OF_G} -> w = np.log1p({ODDS_OF_G})": "the odds, not a logarithm",
         f"w = {ODDS_OF_G} -> w = np.exp(np.asarray(g))": RATIO,
         f"w = {ODDS_OF_G} -> w = np.sqrt({ODDS_OF_G})": "the odds, not their root",
         f"w = {ODDS_OF_G} -> w = ({ODDS_OF_G}) ** 2": "the odds, not their square",
         f"w = {ODDS_OF_G} -> w = np.minimum({ODDS_OF_G}, 10)": "no weight is cut off: how few rows are left is what the second number says",
         f"w = {ODDS_OF_G} -> w = np.maximum({ODDS_OF_G}, 1e-3)": "who is like nobody there has the weight 0",
         f"w = {ODDS_OF_G} -> w = (np.asarray(g) > 0.5).astype(float)": "every patient counts by a weight, also those below one half",
         f"w = {ODDS_OF_G} -> w = np.ones(len(g))": "that is the mean at the old clinic: give weights to its patients",
         f"{LOSS}, -> np.mean(losses),": "the loss at the new clinic: a weighted mean",
         f"{LOSS}, -> w @ losses / len(w),": "the weights are known up to a factor: divide by their sum",
         f"{LOSS}, -> w @ losses / (len(w) - 1),": "the weights are known up to a factor: divide by their sum",
         f"{LOSS}, -> w @ losses,": "the weights are known up to a factor: divide by their sum",
         f"{LOSS}, -> losses[w.argmax()],": "a mean over all patients",
         f"{LOSS}, -> w @ np.sqrt(losses) / w.sum(),": "the losses as they are given",
         f"{BEHIND} -> len(w)": f"the weights cost rows: {KISH}", f"{BEHIND} -> np.sum(w > 0)": f"the weights cost rows: {KISH}",
         f"{BEHIND} -> w.sum()": KISH, f"{BEHIND} -> 1 / (w @ w)": f"for weights with any sum: {KISH}",
         f"{BEHIND} -> w.sum() / (w @ w)": KISH, f"{BEHIND} -> (w @ w) / w.sum() ** 2": f"upside down: {KISH}",
         f"{BEHIND} -> (w @ w) / w.sum()": KISH, f"{BEHIND} -> w.sum() / w.max()": f"that is another count than Kish's: {KISH}",
         f"{BEHIND} -> len(w) * (1 - w.std() / w.mean())": KISH,
         f"{BEHIND} -> len(w) / (1 + w.var())": "the squared coefficient of variation: divide by the mean first",
         f"{BEHIND} -> len(w) / (1 + w.var(ddof=1) / w.mean() ** 2)": "the variance of the weights themselves, divided by n",
         f"{BEHIND} -> np.exp(-np.sum(w / w.sum() * np.log(np.maximum(w / w.sum(), 1e-300))))":
             f"that is the exponential of an entropy, another count than Kish's: {KISH}",
         f"return {LOSS}, {BEHIND} -> return {BEHIND}, {LOSS}": "the loss comes first",
         f"return {LOSS}, {BEHIND} -> return round({LOSS}, 2), round({BEHIND})": "every digit",
         "w = np -> losses, g = losses[:20], g[:20]; w = np": SOME,
         "w = np -> g /= 1 - g; g = g / (1 + g); w = np": STAYS},
        ["calibration_lessons.book.definitions", "calibration_lessons.measures.bins:effective_rows"],
    ),
]  # fmt: skip
