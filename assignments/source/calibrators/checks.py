"""What the answers about temperature scaling and expectation consistency are held to."""

from functools import cache

import numpy as np
from scipy.optimize import brentq, minimize_scalar, root_scalar

from calibration_lessons import (
    TemperatureScaling,
    datasets,
    expected_calibration_error,
    negative_log_likelihood,
    softmax,
)  # fmt: skip
from classroom.cases import SOME, STAYS, ByHand, Case, Question, same

WITHOUT = ["calibration_lessons.calibrators", "calibration_lessons.definitions", "sklearn.calibration"]


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
    before = expected_calibration_error(test_labels, softmax(test_logits))
    after = expected_calibration_error(test_labels, fitted.predict_proba(test_logits))
    return before, after


def plain_logits(rng, own):
    for n, k in ((2, 3), (6, 4)):
        yield rng.normal(size=(n, k)).round(2) * 2, float(rng.integers(3, 9)) / 2


def hard_logits(rng, own):
    high = float(rng.integers(8, 20)) * 100
    yield np.array([[high, 0.0], [-high, -high], [0.0, high - 1]]), 0.5
    yield rng.normal(size=(3, 3)), 1e9
    yield np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 2.0]]), 1e-3
    yield np.array([[high, high - 1, 3.0], [-high, 1 - high, -3 * high]]), float(rng.integers(2, 5))


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
    yield network(rng, 60)


def two_networks(rng, own):
    yield (0,)
    yield (3,)


def first_of_pair(values, calls):
    return pair_is_right(values, calls, 0, 1e-6, "before: the test part at T = 1, with 15 bins")


def second_of_pair(values, calls):
    told = pair_is_right(values, calls, 1, 1e-5, "after: fit on the calibration part, judge on the test part")
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
    return expected_calibration_error(y, softmax(z)), expected_calibration_error(y, fitted.predict_proba(z))


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


def loose(labels, logits):
    z = np.asarray(logits)
    accuracy = np.mean(z.argmax(axis=1) == labels)
    return root_scalar(
        lambda t: softmax(z / t).max(axis=1).mean() - accuracy, bracket=[0.01, 10], rtol=1e-3
    ).root


LARGE = "large logits overflow: subtract each row's largest first"
OWN_SUM = "each row must sum to 1: divide it by its own sum"
DIVIDE = "you multiplied by T: T above 1 must flatten, so divide"
UNDER = "log(softmax) underflows to log(0): work with the logarithm from the start"
EARLY = "the NLL is lower right beside your T: the search stopped too early"
UNITS = "logits in other units: T scales with them, so no fixed bracket or step will do"
CHECK = "no temperature fits here: check both limits first"
AGREE = "at your T the mean confidence and the accuracy do not agree"
PARTS = "fit on the calibration part, judge on the test part"

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
         "/ exponentials.sum(axis=1, keepdims=True) -> ": OWN_SUM,
         "/ exponentials.sum(axis=1, keepdims=True) -> / exponentials.max(axis=1, keepdims=True)": OWN_SUM,
         "(scaled - scaled.max(axis=1, keepdims=True)) -> scaled": LARGE,
         "scaled.max(axis=1, keepdims=True)) -> scaled.max())": "the largest of each row, not of all rows",
         "scaled.max(axis=1, keepdims=True)) -> scaled.max(axis=0, keepdims=True))": "the largest of each row",
         "(scaled - scaled.max(axis=1, keepdims=True)) / temperature -> scaled / temperature - "
         "scaled.max(axis=1, keepdims=True)": LARGE,
         "keepdims=True)) / temperature -> keepdims=True))": "the temperature divides the logits",
         "keepdims=True)) / temperature -> keepdims=True)) / temperature**2": "T, not its square",
         "np.exp(scaled) -> np.exp2(scaled)": "the softmax has base e, not base 2",
         "return exponentials / exponentials.sum(axis=1, keepdims=True) -> "
         "return np.log(exponentials / exponentials.sum(axis=1, keepdims=True))": "probabilities, not their logarithms",
         "(scaled - scaled.max(axis=1, keepdims=True)) -> np.clip(scaled, -50, 50)": LARGE,
         "scaled = np.asarray(logits, dtype=float) -> scaled = logits; scaled -= scaled.max(axis=1, keepdims=True)": STAYS},
        ["calibration_lessons.numerics:softmax", "calibration_lessons.definitions"], atol=1e-6,
    ),
    Question(
        "nll", nll,
        [Case("the mean over some rows, in nats", 1, costs_plain, shown=True),
         Case("probabilities too small to be represented, one row, many rows", 2, costs_hard)],
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
        ["calibration_lessons.measures.proper_scores:negative_log_likelihood", "calibration_lessons.definitions"],
    ),
    Question(
        "fit-temperature", fit_temperature,
        [Case("the NLL is smallest at your T", 2, networks_plain), Case(UNITS, 2, networks_scaled),
         Case("a ValueError where there is no best temperature, and only there", 2, without_a_best)],
        {few_steps: EARLY, fixed_bracket: UNITS,
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
        [Case("mean confidence and accuracy agree, to nine digits", 2, networks_plain),
         Case(UNITS, 1, consistency_scaled),
         Case("a ValueError where no temperature fits, ties among them, and only there", 2, without_a_balance)],
        {loose: "nearly: ask your root finder for a smaller tolerance", fit_temperature: AGREE,
         "xtol=1e-14 -> xtol=1e-4": "nearly: ask your root finder for a smaller tolerance",
         "< np.mean(1 / (z == highest).sum(axis=1)) -> < 1": "rows with ties share: look at the limit T to 0 again",
         "if not 1 / z.shape[1] < accuracy -> if accuracy <= 1 / z.shape[1]: return np.inf\n    if not -1 < accuracy": CHECK,
         "np.exp(brentq -> np.exp(-brentq": "you found 1/T", "scale - 20, scale + 20 -> -5, 5": UNITS,
         "raise ValueError -> return 1.0; raise ValueError": CHECK,
         "z.argmax(axis=1) == labels -> z.argmax(axis=1) != labels": "the accuracy is the share of right predictions",
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
        [Case("the error before", 1, two_networks, judge=first_of_pair),
         Case("the error after", 2, two_networks, judge=second_of_pair)],
        {on_test_part: PARTS, 'part(network, "test") -> part(network, "calibration")': PARTS,
         'part(network, "calibration") -> part(network, "test")': PARTS,
         "return before, after -> return after, before": "before comes first",
         "return before, after -> return before, before": "after: at the fitted temperature",
         "return before, after -> return 0.0510, 0.0060": "of the network that is given",
         "(test_labels, softmax(test_logits)) -> (test_labels, softmax(test_logits), n_bins=10)": "15 bins",
         "fitted.predict_proba(test_logits)) -> fitted.predict_proba(test_logits), n_bins=10)": "15 bins",
         "fitted.predict_proba(test_logits) -> softmax(test_logits * fitted.temperature_)": "divide by T",
         "fitted.predict_proba(test_logits) -> softmax(test_logits / 1.5)": "the fitted temperature",
         "part(network, -> part(1,": "of the network that is given",
         "fit(calibration_logits, calibration_labels) -> fit(calibration_logits[:500], calibration_labels[:500])": SOME},
        fixed=True,
    ),
]  # fmt: skip
