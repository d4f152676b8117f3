"""What the answers about temperature scaling and expectation consistency are held to."""

from functools import cache

import numpy as np
from scipy.optimize import brentq, minimize, minimize_scalar, root_scalar
from scipy.special import expit, log_softmax, logsumexp
from sklearn.isotonic import IsotonicRegression

from calibration_lessons import (
    MultiClassIsotonic,
    TemperatureScaling,
    brier_score,
    negative_log_likelihood,
    softmax,
)
from calibration_lessons.book import datasets  # fmt: skip
from classroom.cases import BESIDE, EDGE, RANGE, SOME, STAYS, ByHand, Case, Question, same

WITHOUT = ["calibration_lessons.calibrators", "calibration_lessons.book.definitions", "sklearn.calibration"]
CURVES = ["sklearn.isotonic", "sklearn._isotonic", "scipy.optimize._isotonic", "scipy.optimize._pava_pybind"]
OWN = [
    "calibration_lessons.numerics:softmax", "calibration_lessons.measures.proper_scores:negative_log_likelihood",
    "calibration_lessons.calibrators.venn_abers", "calibration_lessons.calibrators.multi_class_isotonic",
    "calibration_lessons.book.definitions",
]  # fmt: skip
COSTS = [
    f"calibration_lessons.measures.proper_scores:{name}"
    for name in ("negative_log_likelihood", "nll_sums", "_nll_rows", "_nll_rows_of_logits")
]
LINES = ["calibration_lessons.models", "sklearn.linear_model", "sklearn.neural_network", "sklearn.svm"]


def by_hand(n_rows, n_right, gap):
    confidence = 1 / (1 + np.exp(-gap))
    temperature = gap / np.log(n_right / (n_rows - n_right))
    share = n_right / n_rows
    cost = -share * np.log(share) - (1 - share) * np.log(1 - share)
    return {"confidence": confidence, "temperature": temperature, "cost": cost}


def tempered_softmax(logits, temperature):
    scaled = np.asarray(logits, dtype=float)
    scaled = (scaled - scaled.max(axis=1, keepdims=True)) / temperature
    exponentials = np.exp(scaled)
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def nll(labels, logits, temperature):
    scaled = np.asarray(logits, dtype=float) / temperature
    scaled = scaled - scaled.max(axis=1, keepdims=True)
    log_p = scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))
    return -log_p[np.arange(len(labels)), labels].mean()


def fit_temperature(labels, logits):
    z = np.asarray(logits, dtype=float)
    of_label = z[np.arange(len(z)), labels]
    if not (z.max(axis=1) - of_label).sum() > 0:
        raise ValueError("every prediction is right: T runs to 0")
    if not (of_label - z.mean(axis=1)).sum() > 0:
        raise ValueError("the labels' logits are no better than average: T runs to infinity")

    def imbalance(log_beta):
        p = softmax(z * np.exp(log_beta))
        return ((p * z).sum(axis=1) - of_label).mean()

    scale = np.log(np.mean(z.max(axis=1) - z.mean(axis=1)))
    return float(np.exp(-brentq(imbalance, -scale - 20, -scale + 20, xtol=1e-13)))


def fit_consistency(labels, logits):
    z = np.asarray(logits, dtype=float)
    highest = z.max(axis=1, keepdims=True)
    accuracy = np.mean(z.argmax(axis=1) == labels)
    if not 1 / z.shape[1] < accuracy < np.mean(1 / (z == highest).sum(axis=1)):
        raise ValueError(f"no temperature gives a mean confidence of {accuracy}")

    def surplus(log_t):
        return softmax(z / np.exp(log_t)).max(axis=1).mean() - accuracy

    scale = np.log(np.mean(highest[:, 0] - z.mean(axis=1)))
    return float(np.exp(brentq(surplus, scale - 20, scale + 20, xtol=1e-14)))


@cache
def part(network, name):
    return datasets.network_logits(network, name)


def judge(network):
    calibration_logits, calibration_labels = part(network, "calibration")
    test_logits, test_labels = part(network, "test")
    fitted = TemperatureScaling().fit(calibration_logits, calibration_labels)
    before = brier_score(test_labels, softmax(test_logits))
    after = brier_score(test_labels, fitted.predict_proba(test_logits))
    return before, after


def binned(scores, labels, new_scores, n_bins):
    edges = np.arange(1, n_bins) / n_bins
    index = np.searchsorted(edges, scores, side="left")
    rows = np.bincount(index, minlength=n_bins)
    ones = np.bincount(index, labels, minlength=n_bins)
    centres = (np.arange(n_bins) + 0.5) / n_bins
    values = np.where(rows > 0, ones / np.maximum(rows, 1), centres)
    return values[np.searchsorted(edges, new_scores, side="left")]


def pooled(scores, labels, weights):
    _, place = np.unique(scores, return_inverse=True)
    blocks = []
    for ones, weight in zip(np.bincount(place, weights * labels), np.bincount(place, weights), strict=True):
        blocks.append([ones, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            last = blocks.pop()
            blocks[-1] = [one + other for one, other in zip(blocks[-1], last, strict=True)]
    means = np.repeat([ones / weight for ones, weight, _ in blocks], [n for _, _, n in blocks])
    return means[place]


def venn_abers(scores, labels, new_scores):
    ends = []
    for new in new_scores:
        joined = np.append(scores, new)
        ends.append([pooled(joined, np.append(labels, k), np.ones(len(joined)))[-1] for k in (0, 1)])
    p0, p1 = np.transpose(ends)
    return p0, p1, p1 / (1 - p0 + p1)


def beta_calibrated(scores, labels, new_scores):
    def features(p):
        return np.column_stack([np.log(p), -np.log1p(-np.asarray(p)), np.ones(len(p))])

    def loss_and_slope(theta):
        z = features(scores) @ theta
        return np.logaddexp(0, z).sum() - labels @ z, features(scores).T @ (expit(z) - labels)

    held = [(0, None), (0, None), (None, None)]
    best = minimize(loss_and_slope, [1.0, 1.0, 0.0], jac=True, bounds=held, tol=1e-12)
    return expit(features(new_scores) @ best.x)


def one_vs_rest(logits, slopes, intercepts):
    z = np.asarray(logits, dtype=float)
    rivals = [logsumexp(np.delete(z, k, axis=1), axis=1) for k in range(z.shape[1])]
    r = expit(slopes * (z - np.column_stack(rivals)) + intercepts)
    total = r.sum(axis=1, keepdims=True)
    return np.where(total > 0, r / np.where(total > 0, total, 1), 1 / z.shape[1])


def one_curve(labels, p, new_p):
    p, new_p = np.asarray(p), np.asarray(new_p)
    hits = np.arange(p.shape[1]) == np.asarray(labels)[:, None]
    curve = IsotonicRegression(out_of_bounds="clip").fit(p.ravel(), hits.ravel())
    g = (1 - 1e-6) * curve.predict(new_p.ravel()).reshape(new_p.shape) + 1e-6 * new_p
    return g / g.sum(axis=1, keepdims=True)


def fit_biases(labels, logits, strength):
    z = np.asarray(logits, dtype=float)
    occurs = np.bincount(labels, minlength=z.shape[1])

    def loss_and_slope(b):
        log_q = log_softmax(z + b, axis=1)
        loss = -log_q[np.arange(len(z)), labels].sum() + strength / 2 * np.sum(b**2)
        return loss, np.exp(log_q).sum(axis=0) - occurs + strength * b

    return minimize(loss_and_slope, np.zeros(z.shape[1]), jac=True, tol=1e-10).x


def plain_logits(rng, own):
    for n, k in ((2, 3), (6, 4)):
        yield rng.normal(size=(n, k)).round(2) * 2, float(rng.integers(3, 9)) / 2


def hard_logits(rng, own):
    high = float(rng.integers(8, 20)) * 100
    yield np.array([[high, 0.0], [-high, -high], [0.0, high - 1]]), 0.5
    yield rng.normal(size=(3, 3)), 1e9
    yield np.array([[1.0, 1.0, 0.0], [0.0, 2.0**-10, 2.0**-11]]), 1e-3
    yield np.array([[high, high - 1, 3.0], [-high, 1 - high, -3 * high]]), float(rng.integers(2, 5))
    yield np.array([[high, 0.0, high / 2]]), high / 3


def costs_plain(rng, own):
    for n, k in ((2, 3), (40, 4)):
        yield rng.integers(0, k, n), rng.normal(size=(n, k)).round(2) * 2, float(rng.integers(3, 9)) / 2


def costs_hard(rng, own):
    high = float(rng.integers(8, 20)) * 100
    yield np.array([1]), np.array([[0.0, -high]]), 1.0
    yield np.array([0, 1, 1]), np.array([[high, 0.0], [-high, 1 - high], [0.0, -high]]), 0.5
    yield rng.integers(0, 2, 3), np.zeros((3, 2)), 3.0
    yield rng.integers(0, 4, 50), rng.normal(size=(50, 4)) * 3, 0.7


def network(rng, n=300, k=4, scale=1.0):
    """Logits of an over-confident network; labels of every class, some predictions right and some wrong."""
    z = rng.normal(size=(n, k)) * 3
    truth = softmax(z / rng.uniform(1.3, 2.5))
    return (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=k - 1), z * scale


def networks_plain(rng, own):
    yield network(rng)
    yield network(rng, 60, 3)


def networks_scaled(rng, own):
    yield network(rng, scale=1e-3)
    yield network(rng, scale=1e3)
    yield np.array([1, 1, 0]), np.array([[0.0, 2.0]] * 3) * float(rng.integers(1, 9))
    labels, z = network(rng, 60)
    yield labels, z - 30


def without_a_best(rng, own):
    _, z = network(rng, 40)
    yield z.argmax(axis=1), z
    yield z.argmin(axis=1), z
    yield network(rng, 60)
    second = np.argsort(z, axis=1)[:, -2]
    yield second, np.where(np.eye(4)[second] > 0, z.max(axis=1, keepdims=True) - 0.5, z)  # never right, often near
    yield np.array([0, 0, 0]), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, float(rng.integers(3, 9))]])  # mostly right
    yield np.array([1, 0]), np.array([[2.0, 2.0, 0.0], [1.0, 0.0, 0.0]])  # never the first of equals, and never below


def consistency_scaled(rng, own):
    yield network(rng, scale=1e-3)
    yield network(rng, scale=1e3)
    sign = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, -1.0]])
    yield np.array([1, 1, 0, 0]), sign * float(rng.integers(1, 9))
    labels, z = network(rng, 60)
    yield labels, z - 30


def without_a_balance(rng, own):
    _, z = network(rng, 40)
    yield z.argmax(axis=1), z
    yield z.argmin(axis=1), z
    yield np.zeros(4, dtype=int), np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 0.0], [0.0, 1.0]])
    tied = np.array([[2, 2, 0], [3, 0, 0], [0, 2, 0], [1, 0, 0], [0, 0, 2]]) * float(rng.integers(1, 9))
    yield np.array([1, 0, 1, 2, 2]), tied  # the first row predicts 0, so 3 of 5 are right
    yield network(rng, 60)


def binned_inside(rng, own):
    for n, n_bins in ((20, 4), (200, int(rng.integers(6, 12)))):
        scores = (rng.integers(0, n_bins, n) + rng.uniform(0.1, 0.9, n)) / n_bins
        new = (np.arange(n_bins) + rng.uniform(0.1, 0.9, n_bins)) / n_bins
        yield scores, (rng.random(n) < 0.1 + 0.7 * scores**2).astype(int), rng.permutation(new), n_bins


def binned_on_edges(rng, own):
    for n_bins, kept in ((4, 4), (8, 5), (16, 9)):
        edges = np.arange(n_bins + 1) / n_bins
        above = edges[:-1] + 2.0**-20
        scores = np.r_[0.0, 1.0, rng.choice(edges[1:-1], kept - 2), rng.choice(above, 2)]
        scores = rng.permutation(np.repeat(scores, rng.integers(3, 7)))
        yield (
            scores,
            (rng.random(len(scores)) < 0.2 + 0.5 * scores).astype(int),
            rng.permutation(np.r_[edges, above]),
            n_bins,
        )
    few = rng.permutation(np.r_[0.05, 0.15, rng.uniform(0.25, 0.35)])  # one row in its bin, and none above it
    yield few, np.where(few > 0.2, 1, rng.integers(0, 2, 3)), rng.permutation(np.arange(5) / 5 + 0.1), 5


def pooled_plain(rng, own):
    for n in (8, 30):
        scores = np.sort(rng.choice(1000, n, replace=False)) / 1000
        yield scores, (rng.random(n) < 0.2 + 0.6 * scores).astype(int), np.ones(n)


def pooled_hard(rng, own):
    for n, places in ((40, 12), (120, 60), (9, 4), (300, 5)):
        scores = rng.integers(0, places, n) / places
        yield scores, (rng.random(n) < 0.2 + 0.6 * scores).astype(int), rng.integers(1, 9, n) / 2
    yield rng.permutation(9) / 9, rng.integers(0, 2, 9), 10.0 ** rng.integers(-2, 3, 9)


def joined_plain(rng, own):
    for n in (6, 20):
        scores = np.sort(rng.choice(50, n, replace=False)) / 50
        labels = (rng.random(n) < 0.2 + 0.6 * scores).astype(int)
        yield scores, labels, np.sort(rng.choice(50, 4, replace=False) + 0.5) / 50


def joined_hard(rng, own):
    for n, places in ((30, 8), (60, 200)):
        scores = rng.integers(0, places, n) / places
        labels = (rng.random(n) < 0.2 + 0.6 * scores).astype(int)
        yield scores, labels, rng.permutation(np.r_[-0.5, 1.5, scores[:2], scores[:1], rng.random(3)])
    yield rng.permutation(5) / 5, np.full(5, rng.integers(0, 2)), np.array([0.5, -1.0, 2.0])


def bent(rng, n, a, b, c):
    """Forecasts, and labels of which beta calibration with these numbers is the truth."""
    p = rng.permutation(np.arange(1, n + 1)) / (n + 1)
    return p, (rng.random(n) < expit(a * np.log(p) - b * np.log1p(-p) + c)).astype(int)


def bent_plain(rng, own):
    for n, a, b in ((80, 0.6, 1.4), (200, 1.5, 0.5)):
        yield *bent(rng, n, a, b, 0.3), np.arange(1, 10) / 10


def bent_hard(rng, own):
    asked = np.array([0.999, 0.2, 1e-9, 0.6])
    for powers in ((-0.3, 2.0, 1.0), (2.0, -0.3, -1.0), (-1.0, -1.0, 0.5), (0.8, 0.8, -1.0)):
        p, labels = bent(rng, 150, *powers)
        yield p, labels, asked
    p, labels = bent(rng, 120, 0.4, 1.0, 2.0)
    yield p**3, labels, asked


def curves(rng, n, n_classes, scale=2.0):
    """Logits, and a rising line for the log-odds of each class."""
    line = rng.uniform(0.5, 1.5, n_classes), rng.normal(size=n_classes)
    return rng.normal(size=(n, n_classes)) * scale, *line


def curves_plain(rng, own):
    yield curves(rng, 2, 3)
    yield curves(rng, 30, 5)


def curves_hard(rng, own):
    yield curves(rng, 4, 4)
    yield curves(rng, 3, 2, 30.0)
    yield curves(rng, 20, 6, 1000.0)
    z, slopes, _ = curves(rng, 5, 3)
    yield z, slopes, np.array([-2000.0, -2000.0, -2000.0])
    yield z + 40, slopes, np.array([0.0, 1.0, -1.0])
    yield z, slopes, rng.normal(size=3) - 40  # near 0, and not rounded to it
    for far in (50.0, 900.0):  # sure before the line, and in doubt behind it
        sure = np.array([[far, 0.0, rng.normal()]])
        rivals = [logsumexp(np.delete(sure[0], k)) for k in range(3)]
        yield sure, slopes, rng.normal(size=3) - slopes * (sure[0] - rivals)


def shares(rng, n, n_classes, parts, even=1.0):
    """Probabilities in whole parts, so that many are equal, and single precision holds them."""
    return rng.multinomial(parts, rng.dirichlet(np.full(n_classes, even), n)) / parts


def pooled_shares(rng, n, n_classes, parts):
    """Labels that follow the probabilities halfway, and the probabilities."""
    p = shares(rng, n, n_classes, parts)
    leans = (rng.random((n, 1)) > (0.6 * p + 0.4 / n_classes).cumsum(axis=1)).sum(axis=1)
    return leans.clip(max=n_classes - 1), p


def one_curve_plain(rng, own):
    for n, k in ((12, 3), (40, 4)):
        yield *pooled_shares(rng, n, k, 1024), shares(rng, 6, k, 1024)


def one_curve_hard(rng, own):
    for n, k in ((30, 4), (25, 2)):
        yield *pooled_shares(rng, n, k, 16), np.r_[shares(rng, 5, k, 32), np.eye(k)[:1]]
    labels, p = pooled_shares(rng, 40, 5, 64)
    yield labels[labels < 4], p[labels < 4], shares(rng, 6, 5, 64)
    p = np.r_[shares(rng, 30, 4, 64, even=0.3), [[5 / 8, 5 / 16, 1 / 16, 0]]]
    p = p[
        p.max(axis=1) > 0.6
    ]  # what is below 3/8 never comes: the straight line decides rows of such, and beside them
    foot = np.sort(p, axis=1)[:, -2].max() + 2.0**-16
    doubtful = [
        [12 / 64, 16 / 64, 18 / 64, 18 / 64],
        [16 / 64, 16 / 64, 12 / 64, 20 / 64],
        [foot, 1 / 4, 1 / 4, 1 / 2 - foot],
    ]
    yield p.argmax(axis=1), p, np.r_[shares(rng, 3, 4, 64), rng.permuted(doubtful, axis=1)]
    rows = 10 * rng.integers(1, 4, 3)  # of which 8, 6 and 5 of ten come: the curve rises to its ends, 1/4 and 3/4
    p = np.repeat([[1 / 4, 3 / 4], [3 / 8, 5 / 8], [1 / 2, 1 / 2]], rows, axis=0)
    yield (np.arange(len(p)) % 10 < np.repeat([8, 6, 5], rows)).astype(int), p, shares(rng, 6, 2, 16, even=0.3)


def biases_plain(rng, own):
    for n, k in ((60, 3), (150, 4)):
        labels, z = network(rng, n, k)
        yield labels, z / 3 + rng.uniform(-0.5, 0.5, k), float(rng.integers(1, 9)) / 2


def biases_hard(rng, own):
    labels, z = network(rng, 80, 5)
    present = labels < 4
    yield labels[present], z[present] / 3, 0.25
    yield labels, z / 3, float(rng.integers(100, 400))
    labels, z = network(rng, 7, 2)
    yield labels, z / 3, 0.05
    labels, z = network(rng, 150, 3)
    z[:4] = 60 * np.eye(3)[labels[:4] - 1]  # sure of another class
    yield labels, z / 3 - 700, 1e-3


def two_networks(rng, own):
    yield (0,)
    yield (3,)


def first_of_pair(values, calls):
    return pair_is_right(values, calls, 0, 1e-6, "before: the test part at T = 1")


def second_of_pair(values, calls):
    told = pair_is_right(values, calls, 1, 3e-6, "after: fit on the calibration part, judge on the test part")
    leaks = told and all(
        same(value[1], on_test_part(*call)[1], 0, 1e-6) for value, call in zip(values, calls, strict=True)
    )
    return "you fitted the temperature to the rows that judge it" if leaks else told


def pair_is_right(values, calls, which, atol, idea):
    if not all(isinstance(value, list | tuple | np.ndarray) and len(value) == 2 for value in values):
        return "return the pair (before, after)"
    right = [
        same(value[which], judged(*call)[which], 0, atol) for value, call in zip(values, calls, strict=True)
    ]
    return "" if all(right) else idea


judged = cache(judge)


@cache
def on_test_part(network):
    z, y = part(network, "test")
    fitted = TemperatureScaling().fit(z, y)
    return brier_score(y, softmax(z)), brier_score(y, fitted.predict_proba(z))


def few_steps(labels, logits):
    z, t = np.asarray(logits), 1.5
    for _ in range(50):
        q = softmax(z / t)
        t -= 0.01 * (z[np.arange(len(z)), labels] - (q * z).sum(axis=1)).mean() / t**2
    return t


def fixed_bracket(labels, logits):
    def loss(t):
        return negative_log_likelihood(labels, np.asarray(logits) / t, from_logits=True)

    return minimize_scalar(loss, bounds=(0.01, 10), method="bounded", options={"xatol": 1e-10}).x


def by_accuracy(labels, logits):
    accuracy = np.mean(logits.argmax(axis=1) == labels)
    if not 1 / logits.shape[1] < accuracy < 1:
        raise ValueError("no temperature fits")
    of_label = logits[np.arange(len(labels)), labels]

    def imbalance(log_beta):
        p = softmax(logits * np.exp(log_beta))
        return ((p * logits).sum(axis=1) - of_label).mean()

    scale = np.log(np.mean(logits.max(axis=1) - logits.mean(axis=1)))
    return float(np.exp(-brentq(imbalance, -scale - 20, -scale + 20, xtol=1e-13)))


def loose(labels, logits):
    z = np.asarray(logits)
    accuracy = np.mean(z.argmax(axis=1) == labels)
    return root_scalar(
        lambda t: softmax(z / t).max(axis=1).mean() - accuracy, bracket=[0.01, 10], rtol=1e-3
    ).root


def of_the_rows_score(scores, labels, new_scores, n_bins):
    index, number = np.ceil(scores * n_bins), np.ceil(new_scores * n_bins)
    return np.array([scores[index == m].mean() if np.any(index == m) else 0.5 for m in number])


def left_closed(scores, labels, new_scores, n_bins):
    index, number = (np.minimum((s * n_bins).astype(int), n_bins - 1) for s in (scores, new_scores))
    centres = (np.arange(n_bins) + 0.5) / n_bins
    values = [labels[index == m].mean() if np.any(index == m) else centres[m] for m in range(n_bins)]
    return np.array(values)[number]


def bins_of_equal_mass(scores, labels, new_scores, n_bins):
    edges = np.quantile(scores, np.arange(1, n_bins) / n_bins)
    index, number = (np.searchsorted(edges, s) for s in (scores, new_scores))
    return np.array([labels[index == m].mean() if np.any(index == m) else 0.5 for m in number])


def ties_apart(scores, labels, weights):
    order = np.lexsort((labels, scores))
    own = np.empty(len(order))
    own[order] = pooled(np.arange(len(order)), labels[order], weights[order])
    return own


def ties_as_they_come(scores, labels, weights):
    order = np.argsort(scores, kind="stable")
    own = np.empty(len(order))
    own[order] = pooled(np.arange(len(order)), labels[order], weights[order])
    return own


def in_the_order_given(scores, labels, weights):
    return pooled(np.arange(len(scores)), labels, weights)


def never_below(scores, labels, weights):
    _, place = np.unique(scores, return_inverse=True)
    return np.maximum.accumulate(np.bincount(place, weights * labels) / np.bincount(place, weights))[place]


def all_at_once(scores, labels, new_scores):
    joined, weights = np.append(scores, new_scores), np.ones(len(scores) + len(new_scores))
    p0, p1 = (
        pooled(joined, np.append(labels, np.full(len(new_scores), k)), weights)[len(scores) :] for k in (0, 1)
    )
    return p0, p1, p1 / (1 - p0 + p1)


def rows_that_stay(scores, labels, new_scores):
    found = []
    for new in new_scores:
        found.append(venn_abers(scores, labels, [new]))
        p1 = found[-1][1][0]
        scores, labels = np.append(scores, new), np.append(labels, int(p1 > 0.5))
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))


def without_the_new_row(scores, labels, new_scores):
    order = np.argsort(scores, kind="stable")
    values = pooled(scores, labels, np.ones(len(scores)))[order]
    p = np.interp(new_scores, scores[order], values)
    return p, p, p


def blocks_as_they_were(scores, labels, new_scores):
    order = np.argsort(scores, kind="stable")
    values, ranked = pooled(scores, labels, np.ones(len(scores)))[order], scores[order]
    value = values[np.clip(np.searchsorted(ranked, new_scores), 0, len(ranked) - 1)]
    rows = np.array([np.sum(np.isclose(values, one)) for one in value])
    p0, p1 = value * rows / (rows + 1), (value * rows + 1) / (rows + 1)
    return p0, p1, p1 / (1 - p0 + p1)


def at_the_nearest_score(scores, labels, new_scores):
    nearest = [scores[np.abs(scores - new).argmin()] for new in new_scores]
    return venn_abers(scores, labels, nearest)


def fitted_line(scores, labels, new_scores, features, bounds=None, penalty=0.0, targets=None):
    """Logistic regression on other features, or held in another way."""
    rows, y = features(np.asarray(scores)), labels if targets is None else targets

    def loss_and_slope(theta):
        z = rows @ theta
        loss = np.logaddexp(0, z).sum() - y @ z + penalty / 2 * np.sum(theta[:-1] ** 2)
        return loss, rows.T @ (expit(z) - y) + penalty * np.r_[theta[:-1], 0]

    best = minimize(loss_and_slope, np.zeros(rows.shape[1]), jac=True, bounds=bounds, tol=1e-12)
    return best.x


def two_logs(p):
    return np.column_stack([np.log(p), -np.log1p(-p), np.ones(len(p))])


def one_line(p):
    return np.column_stack([np.log(p / (1 - p)), np.ones(len(p))])


def one_sigmoid(p):
    return np.column_stack([p, np.ones(len(p))])


def platts_line(scores, labels, new_scores):
    return expit(one_line(new_scores) @ fitted_line(scores, labels, new_scores, one_line))


def sigmoid_of_p(scores, labels, new_scores):
    return expit(one_sigmoid(new_scores) @ fitted_line(scores, labels, new_scores, one_sigmoid))


def held_afterwards(scores, labels, new_scores):
    theta = fitted_line(scores, labels, new_scores, two_logs)
    return expit(two_logs(new_scores) @ np.r_[np.maximum(theta[:2], 0), theta[2]])


def with_a_penalty(scores, labels, new_scores):
    held = [(0, None), (0, None), (None, None)]
    return expit(two_logs(new_scores) @ fitted_line(scores, labels, new_scores, two_logs, held, penalty=1.0))


def to_platts_targets(scores, labels, new_scores):
    ones = labels.sum()
    targets = np.where(labels == 1, (ones + 1) / (ones + 2), 1 / (len(labels) - ones + 2))
    held = [(0, None), (0, None), (None, None)]
    return expit(
        two_logs(new_scores) @ fitted_line(scores, labels, new_scores, two_logs, held, targets=targets)
    )


def log_odds_of_the_softmax(logits, slopes, intercepts):
    p = softmax(logits)
    r = expit(slopes * np.log(p / (1 - p)) + intercepts)
    return r / r.sum(axis=1, keepdims=True)


def with_rounded_odds(logits, slopes, intercepts):
    p = softmax(logits)
    r = expit(slopes * (np.log(p) - np.log1p(-p)) + intercepts)
    total = r.sum(axis=1, keepdims=True)
    return np.where(total > 0, r / np.where(total > 0, total, 1), 1 / p.shape[1])


def curve_of(scores, hits, new_p, **how):
    """A curve, applied to each class of new rows, and the division."""
    curve = IsotonicRegression(**({"out_of_bounds": "clip"} | how)).fit(np.ravel(scores), np.ravel(hits))
    g = (1 - 1e-6) * curve.predict(new_p.ravel()).reshape(new_p.shape) + 1e-6 * new_p
    return g / g.sum(axis=1, keepdims=True)


def hits_of(labels, p):
    return np.eye(p.shape[1])[labels]


def a_curve_for_each_class(labels, p, new_p):
    columns = [
        IsotonicRegression(out_of_bounds="clip").fit(p[:, k], labels == k).predict(new_p[:, k])
        for k in range(p.shape[1])
    ]
    g = np.column_stack(columns) + 1e-6 * new_p
    return g / g.sum(axis=1, keepdims=True)


def of_the_top_label(labels, p, new_p):
    return curve_of(p.max(axis=1), p.argmax(axis=1) == labels, new_p)


def of_the_label(labels, p, new_p):
    return curve_of(p[np.arange(len(p)), labels], np.ones(len(p)), new_p)


def of_class_one(labels, p, new_p):
    return curve_of(p[:, 1], labels == 1, new_p)


def each_tie_once(labels, p, new_p):
    values, place = np.unique(p, return_inverse=True)
    place, hits = place.ravel(), hits_of(labels, p).ravel()
    return curve_of(values, np.bincount(place, hits) / np.bincount(place), new_p)


def ties_in_given_order(labels, p, new_p):
    order = np.argsort(p.ravel(), kind="stable")
    values = pooled(np.arange(p.size), hits_of(labels, p).ravel()[order], np.ones(p.size))
    g = np.interp(new_p, p.ravel()[order], values) + 1e-6 * new_p
    return g / g.sum(axis=1, keepdims=True)


def running_largest(labels, p, new_p):
    values, place = np.unique(p, return_inverse=True)
    place, hits = place.ravel(), hits_of(labels, p).ravel()
    means = np.bincount(place, hits) / np.bincount(place)
    g = np.interp(new_p, values, np.maximum.accumulate(means)) + 1e-6 * new_p
    return g / g.sum(axis=1, keepdims=True)


def steps(labels, p, new_p):
    values, place = np.unique(p, return_inverse=True)
    fit = pooled(p.ravel(), hits_of(labels, p).ravel(), np.ones(p.size))
    levels = np.empty(len(values))
    levels[place.ravel()] = fit
    g = levels[np.clip(np.searchsorted(values, new_p, side="right") - 1, 0, None)] + 1e-6 * new_p
    return g / g.sum(axis=1, keepdims=True)


def curve_of_the_fitted_rows(labels, p, new_p):
    return np.resize(one_curve(labels, p, p), new_p.shape)


def straight_on(labels, p, new_p):
    x = np.unique(p)
    y = IsotonicRegression().fit(p.ravel(), hits_of(labels, p).ravel()).predict(x)
    low, high = (y[1] - y[0]) / (x[1] - x[0]), (y[-1] - y[-2]) / (x[-1] - x[-2])
    beyond = low * np.minimum(new_p - x[0], 0) + high * np.maximum(new_p - x[-1], 0)
    g = np.clip(np.interp(new_p, x, y) + beyond, 0, 1) + 1e-6 * new_p
    return g / g.sum(axis=1, keepdims=True)


def with_smoothing(labels, p, new_p):
    return MultiClassIsotonic().fit(p, labels).predict_proba(new_p)


def ratio_of_shares(labels, logits, strength):
    q = softmax(logits)
    return np.log(np.bincount(labels, minlength=q.shape[1]) / q.sum(axis=0))


def one_step(labels, logits, strength):
    q = softmax(logits)
    bend = np.diag(q.sum(axis=0)) - q.T @ q + strength * np.eye(q.shape[1])
    return np.linalg.solve(bend, np.bincount(labels, minlength=q.shape[1]) - q.sum(axis=0))


def twice_the_penalty(labels, logits, strength):
    return fit_biases(labels, logits, 2 * strength)


def beside_a_mean(labels, logits, strength):
    return fit_biases(labels, logits, len(labels) * strength)


def without_a_penalty(labels, logits, strength):
    return fit_biases(labels, logits, 1e-6)


def of_absolute_values(labels, logits, strength):
    def loss(b):
        costs = -log_softmax(logits + b, axis=1)[np.arange(len(labels)), labels]
        return costs.sum() + strength * np.sqrt(b**2 + 1e-8).sum()

    return minimize(loss, np.zeros(logits.shape[1])).x


def with_a_floor(labels, logits, strength):
    def loss(b):
        q = np.maximum(softmax(logits + b), 1e-7)[np.arange(len(labels)), labels]
        return strength / 2 * np.sum(b**2) - np.log(q).sum()

    return minimize(loss, np.zeros(logits.shape[1])).x


def against_the_first(labels, logits, strength):
    b = fit_biases(labels, logits, strength)
    return b - b[0]


def as_often_as_predicted(labels, logits, strength):
    return fit_biases(np.argmax(logits, axis=1), logits, strength)


def counted_from_one(labels, logits, strength):
    return fit_biases(np.maximum(labels - 1, 0), logits, strength)


LARGE = "large logits overflow: subtract each row's largest first"
OWN_SUM = "each row must sum to 1: divide it by its own sum"
DIVIDE = "you multiplied by T: T above 1 must flatten, so divide"
UNDER = "log(softmax) underflows to log(0): work with the logarithm from the start"
EARLY = "the NLL is lower right beside your T: the search stopped too early"
UNITS = "logits in other units: T scales with them, so no fixed bracket or step will do"
CHECK = "no temperature fits here: check both limits first"
AGREE = "at your T the mean confidence and the accuracy do not agree"
SUMMED = "the sum of the squares over the classes"
PARTS = "fit on the calibration part, judge on the test part"
EMPTY = "an empty bin answers with its centre"
VALUE = "the value of a bin is the mean label of its rows"
WHOLE = "merge until no block lies above its right neighbour, backwards, too"
TIES = "rows with equal scores get one value: put them together first"
BLOCK = "the value of a block is the weighted mean label of its rows"
ODDS = "a probability that has rounded to 0 or 1 has no log-odds: work with the logits"
RIVALS = "the log-odds of a class hold all its rivals: its logit minus the log of the sum of the others' exponentials"
SUMS = "divide each row by its own sum"
PAIRS = "pool the probabilities of all rows and classes, each with a 1 if its class came and a 0 if not"
LINE = "a little of the straight line makes the curve rise: where it answers 0 throughout a row, p decides"
LEVEL = "below and above all probabilities of p the curve stays level"
QUOTIENT = "g / g.sum(axis=1, keepdims=True)"
JOINS = "the new row joins alone, as class 0 and as class 1, and is fitted with the others both times"
REGRET = "the probability that regrets least: where both regrets are equal"
LEAST = "p1 / (1 - p0 + p1)"
FALLS = "negative powers make the curve fall: hold both at 0 or above while you fit"
ENDS = "each end has a power of its own: the features are log p and -log(1 - p)"
HELD = "held = [(0, None), (0, None), (None, None)]"
ANSWER = "return expit(features(new_scores) @ best.x)"
PENALTY = "the loss is a sum over the rows, and the penalty strength / 2 times the sum of squares"
STATED = "at the best biases each class is stated as often as it occurs, but for the penalty"

QUESTIONS = [
    ByHand(
        "by-hand", by_hand,
        {"confidence": (1, "the softmax of the logits"),
         "temperature": (1, "the logit over T is the log-odds achieved"),
         "cost": (1, "-log of what each label got, over all rows, right and wrong")},
        {"np.exp(-gap) -> np.exp(gap)": "the class with the larger logit has the larger probability",
         "confidence = 1 / (1 + np.exp(-gap)) -> confidence = np.exp(gap)": "a confidence is a probability, not odds",
         "confidence = 1 / (1 + np.exp(-gap)) -> confidence = n_right / n_rows": "what it claims, not what it achieves",
         "gap / np.log(n_right / (n_rows - n_right)) -> np.log(n_right / (n_rows - n_right)) / gap": "did you find 1/T?",
         "np.log(n_right / (n_rows - n_right)) -> np.log2(n_right / (n_rows - n_right))":
             "the softmax has base e, not base 2",
         "np.log(n_right / (n_rows - n_right)) -> -np.log(1 - n_right / n_rows)":
             "the logit over T is the log-odds achieved",
         "np.log(n_right / (n_rows - n_right)) -> np.log(n_rows / n_right)": "the log-odds, not the log of a share",
         "np.log(n_right / (n_rows - n_right)) -> (n_right / (n_rows - n_right))": "log-odds, not odds",
         "gap / np.log -> gap * np.log": "the logit is divided by T",
         "cost = -share * np.log(share) - (1 - share) * np.log(1 - share) -> "
         "cost = -share * np.log2(share) - (1 - share) * np.log2(1 - share)":
             "your cost is in bits; the question asks for nats",
         "cost = -share * np.log(share) - (1 - share) * np.log(1 - share) -> cost = -np.log(share)":
             "over all rows, right and wrong",
         "cost = -share * np.log(share) - (1 - share) * np.log(1 - share) -> cost = -share * np.log(share)":
             "over all rows, right and wrong",
         "cost = -share * np.log(share) - (1 - share) * np.log(1 - share) -> "
         "cost = -share * np.log(confidence) - (1 - share) * np.log(1 - confidence)": "at that temperature, not at T = 1",
         "cost = -share -> cost = share": "the sign: the logarithm of a probability is negative"},
    ),
    Question(
        "tempered-softmax", tempered_softmax,
        [Case("logits of a few rows", 1.5, plain_logits, shown=True),
         Case("logits of 1000, very hot and very cold", 1.5, hard_logits)],
        {"keepdims=True)) / temperature -> keepdims=True)) * temperature": DIVIDE,
         "/ exponentials.sum(axis=1, keepdims=True) -> / exponentials.sum()": OWN_SUM,
         "/ exponentials.sum(axis=1, keepdims=True) -> / exponentials.sum(axis=0, keepdims=True)": OWN_SUM,
         "exponentials = np.exp(scaled)\n    return exponentials / exponentials.sum(axis=1, keepdims=True) -> "
         "e = np.exp(np.asarray(logits) / temperature); return e / e.sum()": OWN_SUM,
         "/ exponentials.sum(axis=1, keepdims=True) -> ": OWN_SUM,
         "/ exponentials.sum(axis=1, keepdims=True) -> / exponentials.max(axis=1, keepdims=True)": OWN_SUM,
         "(scaled - scaled.max(axis=1, keepdims=True)) -> scaled": LARGE,
         "scaled.max(axis=1, keepdims=True)) -> scaled.max())": "the largest of each row, not of all rows",
         "scaled.max(axis=1, keepdims=True)) -> scaled.max(axis=0, keepdims=True))": "the largest of each row",
         "(scaled - scaled.max(axis=1, keepdims=True)) / temperature -> scaled / temperature - "
         "scaled.max(axis=1, keepdims=True)": LARGE,
         "keepdims=True)) / temperature -> keepdims=True))": "the temperature divides the logits",
         "keepdims=True)) / temperature -> keepdims=True)) / temperature**2": "T, not its square",
         "/ temperature\n    exponentials = np.exp(scaled) -> \n    exponentials = np.exp(scaled) ** (1 / temperature)":
             "the temperature divides the logits before they are exponents: afterwards much has rounded to 0",
         "np.exp(scaled) -> np.exp2(scaled)": "the softmax has base e, not base 2",
         "return exponentials / exponentials.sum(axis=1, keepdims=True) -> "
         "return np.log(exponentials / exponentials.sum(axis=1, keepdims=True))": "probabilities, not their logarithms",
         "(scaled - scaled.max(axis=1, keepdims=True)) -> np.clip(scaled, -50, 50)": LARGE,
         "scaled = np.asarray(logits, dtype=float) -> scaled = logits; scaled -= scaled.max(axis=1, keepdims=True)": STAYS},
        OWN, atol=1e-6,
    ),
    Question(
        "nll", nll,
        [Case("the mean over some rows, in nats", 1, costs_plain, shown=True),
         Case("probabilities too small to be represented, one row, many rows", 1, costs_hard)],
        {"- np.log(np.exp(scaled).sum -> - np.log2(np.exp(scaled).sum": "the unit is nats: the natural logarithm",
         "labels].mean() -> labels].mean() / np.log(2)": "the unit is nats: use the natural logarithm, not base 2",
         "labels].mean() -> labels].sum()": "take the mean over the rows, not the sum",
         "return -log_p -> return log_p": "the sign: the logarithm of a probability is negative",
         "return -log_p[np.arange(len(labels)), labels].mean() -> "
         "return -np.log(np.exp(log_p)[np.arange(len(labels)), labels]).mean()": UNDER,
         "return -log_p[np.arange(len(labels)), labels].mean() -> "
         "return -np.log(np.clip(np.exp(log_p)[np.arange(len(labels)), labels], 1e-15, 1)).mean()": UNDER,
         "return -log_p[np.arange(len(labels)), labels].mean() -> "
         "return -log_p[np.arange(len(labels)), labels][log_p.argmax(axis=1) == labels].mean()":
             "over all rows, right and wrong",
         "return -log_p[np.arange(len(labels)), labels].mean() -> return -log_p[[0, -1], labels[[0, -1]]].mean()": SOME,
         "return -log_p[np.arange(len(labels)), labels].mean() -> return -log_p[:2][np.arange(len(labels[:2])), labels[:2]].mean()":
             SOME,
         "dtype=float) / temperature -> dtype=float) * temperature": DIVIDE,
         "dtype=float) / temperature -> dtype=float)": "the temperature divides the logits",
         "return -log_p[np.arange(len(labels)), labels].mean() -> return -log_p.max(axis=1).mean()":
             "the probability of the label, not the largest",
         "return -log_p[np.arange(len(labels)), labels].mean() -> return -log_p[np.arange(len(labels)), labels - 1].mean()":
             "classes are counted from 0",
         "return -log_p[np.arange(len(labels)), labels].mean() -> return -log_p.mean()": "the label's probability only",
         "return -log_p[np.arange(len(labels)), labels].mean() -> "
         "return -np.log(np.exp(log_p[np.arange(len(labels)), labels]).mean())": "the mean of the logarithms",
         "scaled - scaled.max(axis=1, keepdims=True) -> np.clip(scaled, -700, 700)": UNDER,
         "scaled = np.asarray(logits, dtype=float) / temperature -> logits /= temperature; scaled = logits": STAYS},
        [*COSTS, "calibration_lessons.book.definitions"],
    ),
    Question(
        "fit-temperature", fit_temperature,
        [Case("the NLL is smallest at your T", 2, networks_plain), Case(UNITS, 1.5, networks_scaled),
         Case("a ValueError where there is no best temperature, and only there", 1.5, without_a_best)],
        {few_steps: EARLY, fixed_bracket: UNITS,
         by_accuracy: "the accuracy does not say whether a temperature fits: look at the slope of the NLL at both limits",
         "np.exp(-brentq -> np.exp(brentq": "you found 1/T",
         "-scale - 20, -scale + 20 -> -5, 5": UNITS,
         "xtol=1e-13 -> xtol=1e-3": EARLY,
         'raise ValueError("every -> return 0.0; raise ValueError("every': CHECK,
         'raise ValueError("the -> return np.inf; raise ValueError("the': CHECK,
         "if not (z.max(axis=1) - of_label).sum() > 0 -> if False": CHECK + " (T would be 0)",
         "labels] -> labels * 0]": "the label's logit",
         "return ((p * z).sum(axis=1) - of_label).mean() -> return p.max(axis=1).mean() - np.mean(z.argmax(axis=1) == labels)":
             "that is expectation consistency: minimise the NLL",
         "z = np.asarray(logits, dtype=float) -> z, labels = np.asarray(logits, dtype=float)[:50], labels[:50]": SOME,
         "return float(np.exp( -> return round(float(np.exp(-brentq(imbalance, -scale - 20, -scale + 20))), 2); float(np.exp(":
             "six digits",
         "z = np.asarray(logits, dtype=float) -> z = logits; z -= z.max(axis=1, keepdims=True)": STAYS,
         "p = softmax(z * np.exp(log_beta)) -> p = softmax(z.T * np.exp(log_beta)).T": "the softmax of a row",
         "np.exp(-brentq(imbalance, -scale - 20, -scale + 20, xtol=1e-13)) -> 1.0": "find the temperature"},
        WITHOUT, atol=0,
    ),
    Question(
        "fit-consistency", fit_consistency,
        [Case("mean confidence and accuracy agree, to nine digits", 1, networks_plain),
         Case(UNITS, 1, consistency_scaled),
         Case("a ValueError where no temperature fits, ties among them, and only there", 2, without_a_balance)],
        {loose: "nearly: ask your root finder for a smaller tolerance", fit_temperature: AGREE,
         "xtol=1e-14 -> xtol=1e-4": "nearly: ask your root finder for a smaller tolerance",
         "< np.mean(1 / (z == highest).sum(axis=1)) -> < 1": "rows with ties share: look at the limit T to 0 again",
         "if not 1 / z.shape[1] < accuracy -> if accuracy <= 1 / z.shape[1]: return np.inf\n    if not -1 < accuracy": CHECK,
         "np.exp(brentq -> np.exp(-brentq": "you found 1/T", "scale - 20, scale + 20 -> -5, 5": UNITS,
         "raise ValueError -> return 1.0; raise ValueError": CHECK,
         "z.argmax(axis=1) == labels -> z.argmax(axis=1) != labels": "the accuracy is the share of right predictions",
         "z.argmax(axis=1) == labels -> ((z == highest) / (z == highest).sum(axis=1, keepdims=True))[np.arange(len(z)), labels]":
             "of equal logits the first is predicted: a tie is not half right",
         "z.argmax(axis=1) == labels -> z[np.arange(len(z)), labels] == highest[:, 0]":
             "of equal logits the first alone is predicted",
         "max(axis=1).mean() - accuracy -> max(axis=1).mean()**2 - accuracy": AGREE,
         "max(axis=1).mean() - accuracy -> max() - accuracy": AGREE,
         "softmax(z / np.exp(log_t)).max(axis=1).mean() -> softmax(z / np.exp(log_t))[np.arange(len(z)), labels].mean()":
             "the largest probability, not that of the label",
         "softmax(z / np.exp(log_t)).max(axis=1).mean() -> np.median(softmax(z / np.exp(log_t)).max(axis=1))":
             "the mean confidence, not the median",
         "z = np.asarray(logits, dtype=float) -> z, labels = np.asarray(logits, dtype=float)[:50], labels[:50]": SOME,
         "z = np.asarray(logits, dtype=float) -> z = logits; z -= z.max(axis=1, keepdims=True)": STAYS},
        WITHOUT, rtol=1e-7, atol=0,
    ),
    Question(
        "judge", judge,
        [Case("the score before", 0.5, two_networks, judge=first_of_pair),
         Case("the score after", 1.5, two_networks, judge=second_of_pair)],
        {on_test_part: PARTS, 'part(network, "test") -> part(network, "calibration")': PARTS,
         'part(network, "calibration") -> part(network, "test")': PARTS,
         "return before, after -> return after, before": "before comes first",
         "return before, after -> return before, before": "after: at the fitted temperature",
         "return before, after -> return 0.1462, 0.1343": "of the network that is given",
         "(test_labels, softmax(test_logits)) -> (test_labels, softmax(test_logits)) / 2": SUMMED,
         "fitted.predict_proba(test_logits)) -> fitted.predict_proba(test_logits)) / 2": SUMMED,
         "fitted.predict_proba(test_logits) -> softmax(test_logits * fitted.temperature_)": "divide by T",
         "fitted.predict_proba(test_logits) -> softmax(test_logits / 1.5)": "the fitted temperature",
         "fitted.predict_proba(test_logits) -> softmax(test_logits / round(fitted.temperature_, 1))":
             "the fitted temperature, with more than one decimal",
         "part(network, -> part(1,": "of the network that is given",
         "fit(calibration_logits, calibration_labels) -> fit(calibration_logits[:500], calibration_labels[:500])": SOME},
        fixed=True,
    ),
    Question(
        "binned", binned,
        [Case("scores inside the bins", 1, binned_inside, shown=True),
         Case("scores on the edges, 0 and 1, empty bins", 1, binned_on_edges)],
        {left_closed: EDGE, 'side="left" -> side="right"': EDGE, 'scores, side="left") -> scores, side="right")': EDGE,
         'new_scores, side="left" -> new_scores, side="right"': EDGE, bins_of_equal_mass: "bins of equal width on [0, 1]",
         of_the_rows_score: "the mean label of the bin's rows, not their mean score",
         "np.maximum(rows, 1), centres) -> np.maximum(rows, 1), 0)": EMPTY,
         "np.maximum(rows, 1), centres) -> np.maximum(rows, 1), np.nan)": EMPTY,
         "np.maximum(rows, 1), centres) -> np.maximum(rows, 1), np.mean(labels))": EMPTY,
         "+ 0.5) / n_bins -> + 1) / n_bins": "an empty bin answers with its centre, not its edge",
         "np.where(rows > 0 -> np.where(rows > 1": "one row is enough for a value", "minlength=n_bins -> minlength=1": EMPTY,
         "ones / np.maximum(rows, 1) -> ones / len(scores)": VALUE, "ones / np.maximum(rows, 1) -> centres": VALUE,
         "ones / np.maximum(rows, 1) -> (ones + 1) / (rows + 2)": "the mean label as it is, not smoothed",
         "ones / np.maximum(rows, 1) -> np.round(ones / np.maximum(rows, 1))": "the mean label, not the more frequent one",
         "ones / np.maximum(rows, 1) -> np.cumsum(ones) / np.maximum(np.cumsum(rows), 1)": "each bin for itself",
         "new_scores, side -> scores, side": "return values for the new scores",
         "new_scores, side -> np.sort(new_scores), side": "in the order of the new scores",
         "np.arange(1, n_bins) / n_bins -> np.arange(1, n_bins) / n_bins + 1e-5": BESIDE,
         "np.arange(1, n_bins) / n_bins -> np.linspace(scores.min(), scores.max(), n_bins + 1)[1:-1]": RANGE,
         "np.arange(1, n_bins) / n_bins -> np.arange(1, 5) / 5": "n_bins says how many bins there are",
         "np.arange(1, n_bins) / n_bins -> np.arange(n_bins) / n_bins": "the index of the bin is off by one",
         "edges = np -> scores, labels = scores[:9], labels[:9]; edges = np": SOME,
         "edges = np -> scores.sort(); edges = np": STAYS},
        WITHOUT,
    ),
    Question(
        "pooled", pooled,
        [Case("distinct scores in order, all of the same weight", 1.5, pooled_plain, shown=True),
         Case("equal scores, weights, any order", 1.5, pooled_hard)],
        {ties_apart: TIES, ties_as_they_come: TIES, never_below: BLOCK,
         in_the_order_given: "sort the rows by their score first",
         "while len(blocks) -> if len(blocks)": WHOLE,
         "[1] > blocks[-1][0] -> [1] < blocks[-1][0]": "the values must not fall as the score grows",
         "[ones, weight, 1] -> [ones / weight, 1, 1]": "a row counts with its weight",
         "return means[place] -> return means": "one value for each row, in the order of the rows",
         "return means[place] -> return np.sort(means[place])": "one value for each row, in the order of the rows",
         "return means[place] -> return np.round(means[place])": BLOCK,
         "return means[place] -> return means[place] * np.mean(weights)": BLOCK,
         "np.bincount(place, weights * labels), np.bincount(place, weights) -> np.bincount(place, labels), np.bincount(place)":
             "a row counts with its weight",
         "np.bincount(place, weights * labels) -> np.bincount(place, labels)": "the weights count above the bar, too",
         "blocks[-1] = [one + other for one, other in zip(blocks[-1], last, strict=True)] -> "
         "blocks[-1] = [(blocks[-1][0] / blocks[-1][1] + last[0] / last[1]) / 2, 1, blocks[-1][2] + last[2]]":
             "the mean of a block is the mean of its rows, not the mean of two means",
         "blocks[-1] = [one + other for one, other in zip(blocks[-1], last, strict=True)] -> "
         "blocks[-1] = [last[0], last[1], blocks[-1][2] + last[2]]": BLOCK,
         "_, place = np -> labels = 1 - labels; _, place = np": "the share of ones",
         "_, place = np -> labels = np.where(np.arange(len(labels)) < 20, labels, 0); _, place = np": SOME,
         "_, place = np -> scores.sort(); _, place = np": STAYS},
        WITHOUT + CURVES,
    ),
    Question(
        "venn-abers", venn_abers,
        [Case("a few rows in order, new scores between them", 1.5, joined_plain, shown=True),
         Case("equal scores, scores beyond all others, one class only, any order", 1.5, joined_hard)],
        {all_at_once: "the new rows do not know of each other: each joins the calibration rows by itself",
         rows_that_stay: "a new row leaves again before the next one joins", without_the_new_row: JOINS,
         blocks_as_they_were: "the new row may move the blocks' ends: fit again", at_the_nearest_score: "at its own score",
         "for k in (0, 1) -> for k in (1, 0)": "p0: it joins as class 0", "for k in (0, 1) -> for k in (0, 0)": JOINS,
         "for k in (0, 1) -> for k in (0.5, 0.5)": JOINS,
         "np.ones(len(joined)) -> np.append(np.ones(len(scores)), 2)": "it counts as one row",
         "np.ones(len(joined)))[-1] -> np.ones(len(joined)))[0]": "read the curve at the new score",
         "pooled(joined, np -> pooled(joined + 1e-9 * np.arange(len(joined)), np": TIES,
         "pooled(joined, np -> pooled(joined - 1e-9 * np.arange(len(joined)), np": TIES,
         "pooled(joined, np -> pooled(np.arange(len(joined)), np": "sort the rows by their score",
         "for new in new_scores -> for new in np.sort(new_scores)": "in the order of the new scores",
         f"p0, p1, {LEAST} -> p0, p1, (p0 + p1) / 2": REGRET, f"p0, p1, {LEAST} -> p0, p1, np.sqrt(p0 * p1)": REGRET,
         f"p0, p1, {LEAST} -> p0, p1, p1 / (p0 + p1)": REGRET, f"p0, p1, {LEAST} -> p0, p1, p0 / (1 - p1 + p0)": REGRET,
         f"p0, p1, {LEAST} -> p0, p1, p1": REGRET, f"p0, p1, {LEAST} -> p0, p1, 1 - {LEAST}": "of class 1",
         f"p0, p1, {LEAST} -> {LEAST}, p0, p1": "p0, p1, then the one probability",
         "ends = [] -> scores, labels = scores[:15], labels[:15]; ends = []": SOME,
         "ends = [] -> scores.sort(); ends = []": STAYS},
        OWN,
    ),
    Question(
        "beta", beta_calibrated,
        [Case("two worlds whose ends bend differently", 1.5, bent_plain, shown=True),
         Case("powers that would be negative, one line for both ends, scores near 0", 1.5, bent_hard)],
        {platts_line: ENDS, sigmoid_of_p: "the logarithms of p and of 1 - p, not p itself", held_afterwards:
             "held while you fit: with one power at 0 the other numbers are best elsewhere", with_a_penalty: "no penalty",
         to_platts_targets: "the labels as they are, without prior targets", f"{HELD} -> held = None": FALLS,
         f"{HELD} -> held = [(0, None), (None, None), (None, None)]": FALLS,
         f"{HELD} -> held = [(None, None), (0, None), (None, None)]": FALLS,
         f"{HELD} -> held = [(0, None), (0, None), (0, 0)]": "the factor is free, too",
         f"{HELD} -> held = [(0, None), (0, None), (0, None)]": "the factor may be below 1: c is free",
         f"{HELD} -> held = [(0, 1), (0, 1), (None, None)]": "a power may exceed 1",
         f"{HELD} -> held = [(0.1, None), (0.1, None), (None, None)]": "a power may be 0",
         "-np.log1p(-np.asarray(p)) -> np.log1p(-np.asarray(p))": "the second feature is MINUS the logarithm of 1 - p",
         "np.log(p), -> np.log(np.clip(p, 0.01, 0.99)),": "every score as it is, also near 0",
         "np.log(p), -> np.log(np.clip(p, 1e-3, 1)),": "every score as it is, also near 0",
         "best = minimize -> best = minimize(loss_and_slope, [1.0, 1.0, 0.0], jac=True, bounds=held, options={'maxiter': 3}); minimize":
             "the search stopped too early",
         f"{ANSWER} -> return np.exp(features(new_scores) @ best.x)": "odds are not yet a probability",
         f"{ANSWER} -> return 1 - expit(features(new_scores) @ best.x)": "of class 1",
         f"{ANSWER} -> return best.x": "return the calibrated probabilities of the new scores",
         f"{ANSWER} -> return expit(features(np.sort(new_scores)) @ best.x)": "in the order of the new scores",
         "def features -> scores, labels = scores[:60], labels[:60]\n\n    def features": SOME,
         "def features -> scores.sort()\n\n    def features": STAYS},
        [*WITHOUT, *LINES, "calibration_lessons.solvers.logistic"], rtol=0, atol=6e-4,
    ),
    Question(
        "one-vs-rest", one_vs_rest,
        [Case("a few rows, a line for each class", 1, curves_plain, shown=True),
         Case("two classes, logits of 1000, rows where every class answers 0", 1, curves_hard)],
        {"(z - np.column_stack(rivals)) -> z": RIVALS, "np.delete(z, k, axis=1), axis=1) -> z, axis=1)": RIVALS,
         "logsumexp(np.delete(z, k, axis=1), axis=1) -> np.delete(z, k, axis=1).max(axis=1)": RIVALS,
         "logsumexp(np.delete(z, k, axis=1), axis=1) -> np.delete(z, k, axis=1).mean(axis=1)": RIVALS,
         "logsumexp(np.delete(z, k, axis=1), axis=1) -> np.log(np.exp(np.delete(z, k, axis=1)).sum(axis=1))": LARGE,
         log_odds_of_the_softmax: ODDS, with_rounded_odds: ODDS,
         "total = r.sum -> r = r + 1e-12; total = r.sum": "small answers have their proportions: 1/K only where all are 0",
         "return np.where(total > 0, r / np.where(total > 0, total, 1), 1 / z.shape[1]) -> return r": SUMS,
         "r.sum(axis=1, keepdims=True) -> r.sum(keepdims=True)": SUMS,
         "r.sum(axis=1, keepdims=True) -> r.sum(axis=0, keepdims=True)": SUMS,
         "total, 1), 1 / z.shape[1]) -> total, 1), 0)": "where every class answers 0, each gets 1/K",
         "return np.where(total > 0, r / np.where(total > 0, total, 1), 1 / z.shape[1]) -> return r / total":
             "where every class answers 0, each gets 1/K",
         "r = expit -> r = np.exp": "each class answers with its own sigmoid",
         "expit(slopes * (z - np.column_stack(rivals)) + intercepts) -> "
         "softmax(slopes * (z - np.column_stack(rivals)) + intercepts)": "each class answers with its own sigmoid",
         "+ intercepts -> - intercepts": "the sign of the intercept", "+ intercepts -> ": "each class has an intercept",
         "expit(slopes * -> expit(slopes[0] * ": "each class has a slope of its own",
         "expit(slopes * -> expit(slopes[:, None] * ": "a column for each class: so are the slopes",
         "+ intercepts) -> + intercepts) > 0.5": "probabilities, not decisions",
         "z = np.asarray(logits, dtype=float) -> z = np.repeat(logits[:1], len(logits), axis=0)": SOME,
         "z = np.asarray(logits, dtype=float) -> z = logits; z -= z.max(axis=1, keepdims=True)": STAYS},
        WITHOUT,
    ),
    Question(
        "one-curve", one_curve,
        [Case("some rows, three and four classes", 1, one_curve_plain, shown=True),
         Case("equal probabilities, rows beyond all others or where no class came, a class that is absent", 1, one_curve_hard)],
        {a_curve_for_each_class: "one curve for all classes, not one for each", of_the_top_label: PAIRS, of_the_label: PAIRS,
         of_class_one: PAIRS, each_tie_once: "a probability that occurs more often weighs more in its block",
         ties_in_given_order: TIES, running_largest: "pool adjacent violators: a block gets the mean of its pairs", steps:
             "between its blocks the curve is linear", curve_of_the_fitted_rows: "return probabilities of the new rows",
         with_smoothing: "without smoothing", straight_on: LEVEL,
         "np.asarray(labels)[:, None] -> np.asarray(labels)[:, None] - 1": "classes are counted from 0",
         "np.asarray(labels)[:, None] -> p.argmax(axis=1)[:, None]": "a 1 for the class that came, not for the predicted one",
         "np.arange(p.shape[1]) -> np.unique(labels)": "labels may lack a class: it has a column of misses",
         "== np.asarray(labels)[:, None] -> != np.asarray(labels)[:, None]": PAIRS,
         "p.ravel(), hits.ravel() -> p.ravel(), hits.T.ravel()": "each probability with its own hit: rows stay rows",
         'out_of_bounds="clip" -> out_of_bounds="nan"': LEVEL, 'out_of_bounds="clip" -> increasing=False, out_of_bounds="clip"':
             "the curve rises", "+ 1e-6 * new_p -> ": LINE, "+ 1e-6 * new_p -> + 1e-6": LINE, "+ 1e-6 * new_p -> + 1e-6 / p.shape[1]": LINE,
         "+ 1e-6 * new_p -> - 1e-6 * new_p": LINE,
         "1e-6 * new_p -> 1e-2 * new_p": "epsilon is a millionth", "(1 - 1e-6) * curve -> (1 - 1e-2) * 1e-6 * curve": "epsilon is a millionth",
         f"return {QUOTIENT} -> return g": SUMS, f"return {QUOTIENT} -> return g / g.sum(axis=0)": SUMS,
         f"return {QUOTIENT} -> return g / g.sum()": SUMS, f"return {QUOTIENT} -> return softmax(g)": SUMS + ", without a softmax",
         f"return {QUOTIENT} -> return np.round({QUOTIENT}, 2)": "every digit",
         f"return {QUOTIENT} -> return np.eye(p.shape[1])[g.argmax(axis=1)]": "probabilities, not the predicted class",
         "p, new_p = np.asarray(p), np.asarray(new_p) -> labels, p, new_p = labels[:10], p[:10], np.asarray(new_p)": SOME,
         "p, new_p = np.asarray(p), np.asarray(new_p) -> new_p[:] = np.sort(new_p, axis=1)": STAYS},
        OWN, rtol=0, atol=1e-4,
    ),
    Question(
        "biases", fit_biases,
        [Case("some networks", 1.5, biases_plain, shown=True),
         Case("a class that never occurs, two classes, strong and weak penalties", 1.5, biases_hard)],
        {ratio_of_shares: "the ratio of the shares is a first step: state and occur again after it", one_step: EARLY,
         twice_the_penalty: PENALTY, beside_a_mean: PENALTY, without_a_penalty: PENALTY,
         "z = np -> strength = max(strength, 1); z = np": PENALTY, of_absolute_values: "squares, not absolute values",
         "zeros(z.shape[1]), jac=True, tol=1e-10).x -> zeros(z.shape[1]), jac=True, tol=1e-10).x * -1":
             "the sign: a class that occurs more often than stated needs a larger bias",
         against_the_first: "the penalty counts every bias: no class is the reference",
         with_a_floor: "the logarithm from the logits on: a floor under the probabilities hides the rows that are most wrong",
         "return minimize -> return np.exp(1) ** minimize": "the biases, not their exponentials",
         "tol=1e-10).x -> tol=1e-10).fun": "return the biases", "tol=1e-10).x -> tol=1e-10).x.round(2)": EARLY,
         "np.bincount(labels, minlength=z.shape[1]) -> np.bincount(labels, minlength=z.shape[1]) * 0 + len(z) / z.shape[1]": STATED,
         as_often_as_predicted: "as often as a class occurs, not as often as it is predicted",
         "np.bincount(labels, minlength=z.shape[1]) -> np.bincount(labels)": "labels may lack a class, the logits know it",
         counted_from_one: "classes are counted from 0",
         "z = np.asarray(logits, dtype=float) -> z = np.asarray(logits, dtype=float) * np.log(2)":
             "the softmax has base e, not base 2",
         "z = np.asarray(logits, dtype=float) -> z = np.zeros_like(logits)": "the biases are added to the logits",
         "z = np.asarray(logits, dtype=float) -> labels, z = labels[:50], logits[:50]": SOME,
         "z = np.asarray(logits, dtype=float) -> logits -= logits.mean(axis=1, keepdims=True); z = logits": STAYS},
        WITHOUT + LINES, rtol=0, atol=1e-4,
    ),
]  # fmt: skip
