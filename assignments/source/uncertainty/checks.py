"""What the answers about kinds of uncertainty are held to."""

from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, entr, xlogy
from scipy.stats import binom, mannwhitneyu

import calibration_lessons as cl
from calibration_lessons.book import datasets
from classroom.cases import SOME, STAYS, ByHand, Case, Question

WITHOUT = ["calibration_lessons.uncertainty", "calibration_lessons.book.definitions"]
CHANGED: dict[float, np.ndarray] = {}  # which rows of a call are changed images, by its first probability


def coin(a, b, heads, tosses):
    most_likely = heads / tosses
    forecast = (a + heads) / (a + b + tosses)
    total = -forecast * np.log2(forecast) - (1 - forecast) * np.log2(1 - forecast)
    return {"most_likely": most_likely, "forecast": forecast, "total": total}


def committee(first, second):
    members = np.array([[1 - first, first], [1 - second, second]])
    mean = members.mean(axis=0)
    total = -np.sum(mean * np.log2(mean))
    aleatoric = -np.sum(members * np.log2(members)) / 2
    epistemic = total - aleatoric
    return {"total": total, "aleatoric": aleatoric, "epistemic": epistemic}


def coin_parts(heads, tosses, prior=(1, 1)):
    counts = np.array([prior[0] + heads, prior[1] + tosses - heads])
    p = counts / counts.sum()
    total = -np.sum(p * np.log2(p))
    aleatoric = -np.sum(p * (digamma(counts + 1) - digamma(counts.sum() + 1))) / np.log(2)
    return total, aleatoric, total - aleatoric


def case_for_heads(heads, tosses):
    best = heads / max(tosses, 1)

    def log_likelihood(h):
        return xlogy(heads, h) + xlogy(tosses - heads, 1 - h)

    def gap(h):
        return np.exp(log_likelihood(h) - log_likelihood(best)) - (2 * h - 1)

    return 2 * brentq(gap, max(best, 0.5), 1) - 1


def split_doubt(member_probs):
    members = np.asarray(member_probs, dtype=float)
    total = entr(members.mean(axis=0)).sum(axis=1) / np.log(2)
    aleatoric = entr(members).sum(axis=2).mean(axis=0) / np.log(2)
    return total, aleatoric, total - aleatoric


def local_confidence(X_train, y_train, place, predicted, bandwidth, n_classes):
    squared = np.sum((np.asarray(X_train) - place) ** 2, axis=1)
    similarity = np.exp(-squared / (2 * bandwidth**2))
    agreeing = similarity[np.asarray(y_train) == predicted]
    return (1 + agreeing.sum()) / (n_classes + similarity.sum())


def alarm(member_probs):
    return cl.uncertainty.decompose_uncertainty(member_probs).epistemic


def coins(rng, own):
    yield 0, 0
    for tosses in (10, int(rng.integers(20, 200))):
        yield int(rng.integers(1, tosses)), tosses
    yield 0, int(rng.integers(2, 6))
    yield int(rng.integers(20, 30)), 30


def coins_with_priors(rng, own):
    for _ in range(3):
        tosses = int(rng.integers(3, 12))
        prior = int(rng.integers(2, 9)), int(rng.integers(1, 5))
        yield int(rng.integers(0, tosses + 1)), tosses, prior
    yield 2, 9, (100, 100)


def cases_plain(rng, own):
    for tosses in (10, int(rng.integers(20, 60))):
        yield int(rng.integers(tosses // 2 + 1, tosses)), tosses
    yield int(rng.integers(2, 5)), 10


def cases_at_the_ends(rng, own):
    for heads, tosses in ((0, 0), (1, 1), (0, 1), (1, 2), (0, 40), (40, 40)):
        yield heads, tosses


def cases_of_many(rng, own):
    yield 10_000, 10_000
    for heads in (5000, int(rng.integers(5050, 7000)), int(rng.integers(4000, 4950))):
        yield heads, 10_000


def members(rng, shape):
    return rng.dirichlet(np.ones(shape[2]), shape[:2])


def splits_plain(rng, own):
    for shape in ((3, 2, 2), (int(rng.integers(4, 7)), 5, int(rng.integers(3, 6)))):
        yield (members(rng, shape),)


def splits_hard(rng, own):
    k = int(rng.integers(3, 6))
    yield (np.eye(k)[[0, 1]][:, None],)
    some = members(rng, (2, 6, k))
    some[0, :3] = np.eye(k)[:3]
    yield (some,)
    for shape in ((1, 4, 2), (2, 1, 10), (3, 3, 3)):
        yield (members(rng, shape),)


def places_plain(rng, own):
    rows, labels = np.array([[0.0], [0.0], [0.0]]), np.array([1, 1, 0])
    yield rows, labels, np.array([0.0]), 1, 1.0, 2
    yield rng.normal(size=(20, 2)).round(1), rng.integers(0, 3, 20), np.array([0.5, 0.0]), 2, 1.0, 3


def places_hard(rng, own):
    rows, labels = rng.normal(size=(50, 3)), rng.integers(0, 4, 50)
    yield rows, labels, np.full(3, 99.0), 1, 1.0, 4
    for predicted, width in ((0, 0.5), (1, 1.5), (3, 2.0)):
        yield rows, labels, rng.normal(size=3), predicted, width, 5


@cache
def networks(kind):
    """Logits of the five networks for images that are as they were, or changed in some way."""
    if kind == "plain":
        return np.stack([datasets.network_logits(j, "test").logits[:2000] for j in range(5)])
    return np.stack([datasets.shifted_logits(j, kind, 5).logits for j in range(5)])


def pictures(rng, kind):
    """Unchanged and changed images by turns of chance, and nine of them alone; noise, so that none is known by heart."""
    rows = np.concatenate([networks("plain"), networks(kind)[:, :2000]], axis=1)
    order = rng.permutation(4000)
    probs = cl.softmax(rows[:, order] + 0.02 * rng.normal(size=rows.shape))
    CHANGED[probs[0, 0, 0]] = order >= 2000
    yield (probs,)
    yield (probs[:, :9],)


def noisy_images(rng, own):
    return pictures(rng, "noise")


def turned_images(rng, own):
    return pictures(rng, "rotation")


def alarmed(values, calls, least):
    every, alone = (np.asarray(value) for value in values)
    if every.shape != (4000,) or alone.shape != (9,):
        return "return one number for each row"
    if any(part.dtype.kind not in "biuf" or not np.all(np.isfinite(part)) for part in (every, alone)):
        return "return one number for each row"
    if not np.allclose(alone, every[:9], rtol=1e-4, atol=1e-5):
        return "a row's alarm must not depend on the other rows"
    changed = CHANGED[calls[0][0][0, 0, 0]]
    share = mannwhitneyu(every[changed].astype(float), every[~changed].astype(float)).statistic / 2000**2
    if share <= 0.5:
        return "your alarm points the wrong way: it is larger for the images that are as they were"
    return (
        ""
        if share >= least
        else f"right in {share:.1%} of the pairs: what do five networks know that one does not?"
    )


def alarmed_by_noise(values, calls):
    return alarmed(values, calls, 0.94)


def alarmed_by_turns(values, calls):
    return alarmed(values, calls, 0.9)


def coin_parts_by_draws(heads, tosses, prior=(1, 1)):
    h = np.random.default_rng(0).beta(prior[0] + heads, prior[1] + tosses - heads, 2_000)
    sides = np.column_stack([h, 1 - h])
    total, aleatoric = cl.uncertainty.entropy(sides.mean(axis=0), base="bits"), cl.uncertainty.entropy(sides, base="bits").mean()
    return total, aleatoric, total - aleatoric


def on_a_coarse_grid(heads, tosses):
    h = np.linspace(0, 1, 101)
    likelihood = binom.pmf(heads, tosses, h)
    return np.minimum(likelihood / likelihood.max(), np.maximum(2 * h - 1, 0)).max()


def with_powers(heads, tosses):
    h = np.linspace(0, 1, 20_001)
    likelihood = h**heads * (1 - h) ** (tosses - heads)
    return np.minimum(likelihood / likelihood.max(), np.maximum(2 * h - 1, 0)).max()


def near_the_best(heads, tosses):
    best = heads / max(tosses, 1)
    far = 3 * np.sqrt(best * (1 - best) / max(tosses, 1)) or 1
    h = np.linspace(max(0.5, best - far), max(0.5, min(1, best + far)), 20_001)
    log_likelihood = xlogy(heads, h) + xlogy(tosses - heads, 1 - h)
    log_best = xlogy(heads, best) + xlogy(tosses - heads, 1 - best)
    return np.minimum(np.exp(log_likelihood - log_best), 2 * h - 1).max()


def not_relative(heads, tosses):
    h = np.linspace(0, 1, 20_001)
    return np.minimum(binom.pmf(heads, tosses, h), np.maximum(2 * h - 1, 0)).max()


def zero_log_zero(member_probs):
    mean = member_probs.mean(axis=0)
    total = -np.sum(mean * np.log2(mean), axis=1)
    aleatoric = -np.sum(member_probs * np.log2(member_probs), axis=2).mean(axis=0)
    return total, aleatoric, total - aleatoric


def spread_of_the_first(member_probs):
    return 1 - member_probs[0].max(axis=1)


NATS = "in nats; the question asks for bits"
MEANS = "you took the mean of the entropies for the entropy of the mean"
ROUGH = "nearly: draws or a coarse grid miss the fourth decimal"
PRIOR = "the prior's parameters count like tosses"
PARTS = "the epistemic part is the total without the aleatoric part"
FIVE = "what do five networks know that one does not?"
WORRY = "the number is larger where the image should worry us"
ITSELF = "a row's alarm must not depend on the other rows"
CURVES = "both curves count, from h = 1/2 on"
FORECAST, TOTAL = (
    "(a + heads) / (a + b + tosses)",
    "-forecast * np.log2(forecast) - (1 - forecast) * np.log2(1 - forecast)",
)
CANDIDATES = "return 2 * brentq(gap, max(best, 0.5), 1) - 1 -> return "

QUESTIONS = [
    ByHand(
        "coin", coin,
        {"most_likely": (1, "the share of heads in your tosses"),
         "forecast": (1, "add heads to a and tails to b, then take the mean"), "total": (1, "the entropy of the forecast")},
        {f"{FORECAST} -> heads / tosses":
             "your forecast leaves the prior out: the mean of the posterior is not the top of the likelihood",
         f"{FORECAST} -> (heads + 1) / (tosses + 2)": "your forecast is that of a uniform prior, and yours is another",
         f"{FORECAST} -> a / (a + b)": "that is the forecast before the tosses",
         f"{FORECAST} -> (b + heads) / (a + b + tosses)": "add heads to a and tails to b",
         f"{FORECAST} -> (a + heads - 1) / (a + b + tosses - 2)": "the mean of the posterior, not its top",
         f"{FORECAST} -> (b + tosses - heads) / (a + b + tosses)": "that is the probability of tails",
         "most_likely = heads / tosses -> most_likely = (a + heads) / (a + b + tosses)":
             "the top of the likelihood, without the prior",
         "most_likely = heads / tosses -> most_likely = heads / (tosses - heads)": "a share, not odds",
         "most_likely = heads / tosses -> most_likely = 1 - heads / tosses": "the share of heads, not of tails",
         f"{TOTAL} -> {TOTAL.replace('log2', 'log')}": NATS,
         f"{TOTAL} -> {TOTAL.replace('forecast', 'most_likely')}": "the entropy of the forecast",
         f"{TOTAL} -> forecast * (1 - forecast)": "the entropy, not the variance",
         f"{TOTAL} -> -forecast * np.log2(forecast)": "both sides of the coin count"},
    ),
    ByHand(
        "committee", committee,
        {"total": (1, "the entropy of the members' mean"), "aleatoric": (1, "the mean of the members' entropies"),
         "epistemic": (1, "what the aleatoric part leaves")},
        {"total = -np.sum(mean * np.log2(mean)) -> total = -np.sum(mean * np.log(mean))": NATS,
         "np.sum(members * np.log2(members)) / 2 -> np.sum(members * np.log(members)) / 2": NATS,
         "total = -np.sum(mean * np.log2(mean)) -> total = -np.sum(members * np.log2(members)) / 2": MEANS,
         "aleatoric = -np.sum(members * np.log2(members)) / 2 -> aleatoric = -np.sum(mean * np.log2(mean))": MEANS,
         "np.sum(members * np.log2(members)) / 2 -> np.sum(members * np.log2(members))":
             "take the mean over the members, not their sum",
         "epistemic = total - aleatoric -> epistemic = aleatoric - total": "never negative: which entropy is the larger one?",
         "epistemic = total - aleatoric -> epistemic = total": PARTS,
         "members.mean(axis=0) -> members.mean(axis=1)": "the mean over the members, class by class",
         "epistemic = total - aleatoric -> epistemic = abs(first - second)": PARTS,
         "epistemic = total - aleatoric -> epistemic = (first - second) ** 2": PARTS,
         "epistemic = total - aleatoric -> epistemic = total / aleatoric": PARTS,
         "total = -np.sum(mean * np.log2(mean)) -> total = np.sum(mean * np.log2(mean))": "the sign of an entropy",
         "total = -np.sum(mean * np.log2(mean)) -> total = -mean[1] * np.log2(mean[1])": "both classes count",
         "epistemic = total - aleatoric -> epistemic = (total - aleatoric) * np.log(2)": NATS},
    ),
    Question(
        "coin-parts", coin_parts,
        [Case("coins with a uniform prior", 2, coins, shown=True), Case("other priors: their parameters count like tosses", 2,
                                                                        coins_with_priors)],
        {coin_parts_by_draws: ROUGH, "total = -np.sum(p * np.log2(p)) -> total = -np.sum(p * np.log(p))": NATS,
         "digamma(counts.sum() + 1))) / np.log(2) -> digamma(counts.sum() + 1)))": NATS,
         "digamma(counts + 1) - digamma(counts.sum() + 1) -> digamma(counts) - digamma(counts.sum())":
             "compare with the chapter's first number: the digamma function is off by one",
         "prior[0] + heads, prior[1] + tosses - heads -> 1 + heads, 1 + tosses - heads": PRIOR,
         "prior[0] + heads, prior[1] + tosses - heads -> prior[1] + heads, prior[0] + tosses - heads": PRIOR,
         "prior[1] + tosses - heads -> prior[1] + tosses": "tails are the tosses that were not heads",
         "return total, aleatoric, total - aleatoric -> return total, aleatoric, aleatoric - total": PARTS,
         "return total, aleatoric, total - aleatoric -> return total, total - aleatoric, aleatoric": PARTS,
         "return total, aleatoric, total - aleatoric -> return total, total, 0.0":
             "aleatoric: the mean of the entropies, not the entropy of the mean",
         "return total, aleatoric, total - aleatoric -> return total, aleatoric": "return the triple",
         "prior=(1, 1)) -> prior=(0.5, 0.5))": "without a prior it is Beta(1, 1)",
         "counts = -> heads, tosses = min(heads, 50), min(tosses, 50); counts =": "any number of tosses",
         "return total, aleatoric, total - aleatoric -> return round(total, 2), round(aleatoric, 2), round(total - aleatoric, 2)":
             ROUGH},
        WITHOUT, rtol=0, atol=1e-4,
    ),
    Question(
        "plausibility", case_for_heads,
        [Case("some tosses", 1.5, cases_plain, shown=True), Case("no tosses, one toss, all alike: " + CURVES, 1.5, cases_at_the_ends),
         Case("10 000 tosses: the powers underflow or overflow; compare logarithms", 1, cases_of_many)],
        {on_a_coarse_grid: "nearly: a finer grid, or a root", with_powers: "compare logarithms",
         near_the_best: "coins up to h = 1 count, however far from the share of heads",
         not_relative: "divide the likelihood by its maximum",
         CANDIDATES + "max(2 * best - 1, 0)":
             "that is how the most likely coin leans: a coin with a larger h may make the better case",
         CANDIDATES + "brentq(gap, max(best, 0.5), 1)": "the leaning is 2h - 1",
         CANDIDATES + "0.6438": "of the tosses that are given",
         "np.exp(log_likelihood(h) - log_likelihood(best)) - (2 * h - 1) -> "
         "np.exp(log_likelihood(h)) - (2 * h - 1)": "divide the likelihood by its maximum",
         "- (2 * h - 1) -> - h": "the leaning is 2h - 1, from h = 1/2 on",
         "xlogy(heads, h) + xlogy(tosses - heads, 1 - h) -> heads * np.log(h) + (tosses - heads) * np.log(1 - h)": CURVES,
         "xlogy(heads, h) + xlogy(tosses - heads, 1 - h) -> xlogy(heads, h)": "tails count, too",
         "xlogy(heads, h) + xlogy(tosses - heads, 1 - h) -> xlogy(heads, h) + xlogy(tosses, 1 - h)":
             "tails are the tosses that were not heads",
         "xlogy(heads, h) + xlogy(tosses - heads, 1 - h) -> xlogy(tosses - heads, h) + xlogy(heads, 1 - h)": "heads, not tails",
         "best = heads / max(tosses, 1) -> best = heads / tosses": "no tosses: every coin is as likely as the best",
         "best = heads / max(tosses, 1) -> best = (heads + 1) / (tosses + 2)": "the most likely coin, without a prior",
         "return 2 * brentq -> if 2 * heads < tosses: return 0.0\n    return 2 * brentq": CURVES},
        WITHOUT, rtol=0, atol=6e-4,
    ),
    Question(
        "split", split_doubt,
        [Case("some members, rows and classes", 2, splits_plain, shown=True),
         Case("probabilities of 0, one member, many classes", 2, splits_hard)],
        {zero_log_zero: "0 log 0 is NaN in floating point: a probability of 0 adds nothing",
         "entr(members.mean(axis=0)).sum(axis=1) / np.log(2) -> entr(members.mean(axis=0)).sum(axis=1)": NATS,
         "entr(members).sum(axis=2).mean(axis=0) / np.log(2) -> entr(members).sum(axis=2).mean(axis=0)": NATS,
         "total, aleatoric, total - aleatoric -> aleatoric, total, aleatoric - total": MEANS,
         "total, aleatoric, total - aleatoric -> total, aleatoric, aleatoric - total": PARTS,
         "total, aleatoric, total - aleatoric -> total, total - aleatoric, aleatoric": "aleatoric comes before epistemic",
         "entr(members.mean(axis=0)).sum(axis=1) -> entr(members.mean(axis=1)).sum(axis=1)":
             "one number for each row: the mean runs over members",
         "entr(members.mean(axis=0)).sum(axis=1) -> entr(members.sum(axis=0) / 3).sum(axis=1)": "the mean over all members",
         "entr(members).sum(axis=2).mean(axis=0) -> entr(members).sum(axis=2).sum(axis=0)": "the mean over the members",
         "entr(members).sum(axis=2).mean(axis=0) -> entr(members).mean(axis=2).mean(axis=0)": "the sum over the classes",
         "entr(members).sum(axis=2).mean(axis=0) -> entr(members[0]).sum(axis=1)": "the mean over the members",
         "entr(members).sum(axis=2).mean(axis=0) -> np.median(entr(members).sum(axis=2), axis=0)": "the mean over the members",
         "members = np.asarray(member_probs, dtype=float) -> members = np.asarray(member_probs, dtype=float)[:, :2]": SOME,
         "members = np.asarray(member_probs, dtype=float) -> members = member_probs; members.sort(axis=0)": STAYS},
        WITHOUT, rtol=0, atol=1e-5,
    ),
    Question(
        "local", local_confidence,
        [Case("three rows at the place itself, and twenty around it", 1.5, places_plain, shown=True),
         Case("far from all rows, each class, other bandwidths and dimensions", 1.5, places_hard)],
        {"(1 + agreeing.sum()) / (n_classes + similarity.sum()) -> agreeing.sum() / similarity.sum()":
             "that is the share without the prior: each class starts with one throw",
         "(n_classes + similarity.sum()) -> (2 + similarity.sum())": "every class starts with one throw, not two classes",
         "(n_classes + similarity.sum()) -> (1 + similarity.sum())": "every class starts with one throw",
         "(1 + agreeing.sum()) -> (agreeing.sum())": "the predicted class starts with one throw, too",
         "np.asarray(y_train) == predicted -> np.asarray(y_train) == 1": "the rows that have the predicted class, whichever it is",
         "np.asarray(y_train) == predicted -> np.asarray(y_train) != predicted": "the rows that agree",
         "-squared / (2 * bandwidth**2) -> -np.sqrt(squared) / (2 * bandwidth**2)": "check the similarity: the distance is squared",
         "-squared / (2 * bandwidth**2) -> -squared / bandwidth**2": "check the similarity: 2 times the squared bandwidth",
         "-squared / (2 * bandwidth**2) -> -squared / (2 * bandwidth)": "check the similarity: the bandwidth is squared",
         "** 2, axis=1) -> ** 2, axis=1)[:9]; y_train = y_train[:9]": SOME,
         "np.sum((np.asarray(X_train) - place) ** 2, axis=1) -> np.abs(np.asarray(X_train) - place).sum(axis=1) ** 2":
             "the Euclidean distance",
         "np.sum((np.asarray(X_train) - place) ** 2, axis=1) -> (np.asarray(X_train) - place)[:, 0] ** 2": "all dimensions count",
         "np.exp(-squared / (2 * bandwidth**2)) -> (squared < bandwidth**2).astype(float)": "a fraction of a throw, by the similarity",
         "squared = np.sum((np.asarray(X_train) - place) -> X_train -= place; squared = np.sum(X_train": STAYS},
        WITHOUT,
    ),
    Question(
        "alarm", alarm,
        [Case("the strongest noise, 94 % of the pairs", 2, noisy_images, judge=alarmed_by_noise),
         Case("another kind of change, 90 % of the pairs", 2, turned_images, judge=alarmed_by_turns)],
        {spread_of_the_first: FIVE, ".epistemic -> .aleatoric": FIVE,
         "return cl -> return -cl": WORRY, ".epistemic -> .epistemic.argsort().argsort()": ITSELF,
         ".epistemic -> .epistemic.mean()": "one number for each row", ".epistemic -> .epistemic[:9]": SOME,
         "cl.uncertainty.decompose_uncertainty(member_probs).epistemic -> member_probs.mean(axis=0).max(axis=1)": WORRY,
         "cl.uncertainty.decompose_uncertainty(member_probs).epistemic -> np.zeros(member_probs.shape[1])": "the same number for every image tells nothing",
         "cl.uncertainty.decompose_uncertainty(member_probs).epistemic -> cl.uncertainty.entropy(member_probs[1])": FIVE,
         "(member_probs).epistemic -> (member_probs).epistemic - cl.uncertainty.decompose_uncertainty(member_probs).epistemic.mean()":
             ITSELF,
         "cl.uncertainty.decompose_uncertainty(member_probs).epistemic -> np.random.default_rng(0).random(member_probs.shape[1])":
             "a number that is drawn tells nothing",
         "return cl -> member_probs[0] = member_probs[0][::-1]; return cl": STAYS},
    ),
]  # fmt: skip
