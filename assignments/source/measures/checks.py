"""What the answers about reliability and the expected calibration error are held to."""

import numpy as np

from classroom.cases import BESIDE, EDGE, RANGE, SOME, STAYS, ByHand, Case, Question, Seed, Words

WITHOUT = ["calibration_lessons.measures", "calibration_lessons.book.definitions", "sklearn.calibration"]
FAIR = [  # bins whose edges are the same to those who divide and to those who call linspace
    n for n in range(6, 120) if np.all(np.linspace(0, 1, n + 1) >= np.arange(n + 1) / n)
    and np.any(np.arange(n) / n * n > np.arange(n))
]  # fmt: skip
ABOVE = 2.0**-20  # a score just above an edge lies in the bin on its right


def by_hand(few, many, rain_few, rain_many, mean_few, mean_many):
    gap_few, gap_many = rain_few / few - mean_few, rain_many / many - mean_many
    bias = (few * gap_few + many * gap_many) / (few + many)
    ece = (few * abs(gap_few) + many * abs(gap_many)) / (few + many)
    mce = max(abs(gap_few), abs(gap_many))
    return {"bias": bias, "ece": ece, "mce": mce}


def bin_counts(scores, n_bins):
    edges = np.arange(n_bins + 1) / n_bins
    index = np.searchsorted(edges[1:-1], scores, side="left")
    return np.bincount(index, minlength=n_bins)


def curve(probabilities, labels, n_bins):
    top, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    index = np.searchsorted(np.arange(1, n_bins) / n_bins, top, side="left")
    rows = np.bincount(index, minlength=n_bins)
    confidence = np.bincount(index, top, minlength=n_bins) / rows
    accuracy = np.bincount(index, right, minlength=n_bins) / rows
    return confidence, accuracy


def binned_ece(scores, happened, n_bins):
    index = np.searchsorted(np.arange(1, n_bins) / n_bins, scores, side="left")
    return np.abs(np.bincount(index, np.asarray(happened) - scores)).sum() / len(scores)


def calibrated_outcomes(scores, draws, rng):
    return (rng.random((draws, len(scores))) < scores).astype(int)


def p_value(observed, drawn):
    return (1 + np.sum(np.asarray(drawn) >= observed)) / (1 + len(drawn))


def best_paid(said, penalty, beliefs):
    said, penalty = np.asarray(said, dtype=float), np.asarray(penalty, dtype=float)
    best = []
    for belief in beliefs:
        chances = np.array([1 - belief, belief])
        possible = chances > 0
        expected = chances[possible] @ penalty[possible]
        best.append(said[np.argmin(expected)])
    return np.array(best)


def brier_parts(forecasts, happened):
    values, group = np.unique(forecasts, return_inverse=True)
    rows = np.bincount(group)
    frequency = np.bincount(group, happened) / rows
    base_rate = np.mean(happened)
    reliability = np.sum(rows * (values - frequency) ** 2) / len(group)
    resolution = np.sum(rows * (frequency - base_rate) ** 2) / len(group)
    return reliability, resolution, base_rate * (1 - base_rate)


def furthest(scores, happened):
    _, place = np.unique(scores, return_inverse=True)
    steps = np.bincount(place, np.asarray(happened) - scores)
    return np.abs(np.cumsum(steps)).max() / len(scores)


def inside(rng, n, n_bins):
    """Scores away from the edges, some bins empty."""
    places = rng.choice(n_bins, size=n_bins - 2, replace=False)
    return (rng.choice(places, n) + rng.uniform(0.1, 0.9, n)) / n_bins


def on_edges(rng, n_bins, repeats=3):
    """Every edge and both ends, and just above each, the same in single precision for a power of 2."""
    scores = np.r_[np.arange(n_bins + 1) / n_bins, np.arange(n_bins) / n_bins + ABOVE]
    return rng.permutation(np.repeat(scores, rng.integers(1, repeats + 1, len(scores))))


def counts_inside(rng, own):
    for n, n_bins in ((20, 5), (60, int(rng.integers(6, 12)))):
        yield inside(rng, n, n_bins), n_bins


def counts_on_edges(rng, own):
    for n_bins in (4, 8):
        yield on_edges(rng, n_bins), n_bins
    yield np.array([0.0, 0.0, 1.0]), int(rng.integers(3, 9))


def counts_rounded(rng, own):
    n_bins = int(rng.choice(FAIR))
    yield rng.permutation(np.repeat(np.arange(1, n_bins + 1) / n_bins, rng.integers(1, 4, n_bins))), n_bins


def rows(rng, n, n_classes, n_bins):
    """Probabilities whose largest lies inside the bins, labels that agree in part."""
    top = inside(rng, n, n_bins) * 0.5 + 0.5
    rest = rng.dirichlet(np.ones(n_classes - 1), n) * (1 - top)[:, None]
    p, place = np.empty((n, n_classes)), rng.integers(0, n_classes, n)
    for row, (k, others) in enumerate(zip(place, rest, strict=True)):
        p[row] = np.insert(others, k, top[row])
    return p, np.where(rng.random(n) < top, place, (place + 1) % n_classes)


def curve_inside(rng, own):
    yield *rows(rng, 30, 3, 8), 5
    yield *rows(rng, 200, 5, 10), int(rng.integers(6, 16))
    p, labels = rows(rng, 30, 3, 8)
    yield 0.7 * p + 0.1, labels, 5  # the last bin is empty


def curve_with_ties(rng, own):
    p = [[1, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5], [0.25, 0.75, 0], [0, 0.25, 0.75]]
    p = np.array([*p, [0.25 - ABOVE, 0.75 + ABOVE, 0]])
    order = rng.permutation(7)
    labels = np.array([0, 1, rng.integers(0, 2), rng.integers(1, 3), 1, 0, 0])
    yield p[order], labels[order], 4
    yield p[order[1:]], rng.integers(0, 3, 6), 8  # one bin holds one row


def ece_inside(rng, own):
    for n, n_bins in ((30, 5), (200, int(rng.integers(6, 16)))):
        scores = inside(rng, n, n_bins)
        yield scores, (rng.random(n) < 0.1 + 0.8 * scores**2).astype(int), n_bins


def ece_on_edges(rng, own):
    for n_bins, used in ((8, 8), (16, 8), (1, 8), (4, 8)):
        scores = on_edges(rng, used, 8)
        yield scores, (rng.random(len(scores)) < 0.1 + 0.8 * scores**2).astype(int), n_bins
    yield np.array([1.0, 1.0, 1.0, 0.0]), np.array([1, 0, 1, 1]), 10


def few_scores(rng, own):
    yield np.r_[0.0, rng.uniform(0.2, 0.8, 2), 1.0], 4000, Seed(int(rng.integers(2**32)))


def plain_outcomes(values, calls):
    (outcomes,), ((scores, draws, _),) = values, calls
    outcomes = np.asarray(outcomes)
    if outcomes.shape != (draws, len(scores)):
        return "return one row for each draw and one column for each score"
    if not np.isin(outcomes, [0, 1]).all():
        return "an outcome is 0 or 1: do not return the scores themselves"
    if np.any(outcomes[:, 0]) or not np.all(outcomes[:, 3]):
        return "0 never happens, 1 always"
    off = np.abs(outcomes.mean(axis=0) - scores)
    return "each event happens with the probability of its own score" if off.max() > 0.04 else ""


def many_scores(rng, own):
    scores, seed = rng.uniform(0.02, 0.98, 12), int(rng.integers(2**32))
    scores[:3] = np.r_[0.04, 0.25, 0.96]
    for one in (seed, seed, seed + 1):
        yield scores, 4000, Seed(one)


def independent_outcomes(values, calls):
    first, again, other = (np.asarray(value, dtype=float) for value in values)
    scores, draws, _ = calls[0]
    if not first.shape == again.shape == other.shape == (draws, len(scores)):
        return "return one row for each draw and one column for each score"
    if not np.array_equal(first, again):
        return "the same generator must give the same draws: use rng only"
    if np.array_equal(first, other):
        return "another generator must give other draws: use the one that is given"
    error = np.sqrt(scores * (1 - scores) / draws)
    if np.any(np.abs(first.mean(axis=0) - scores) > 5 * error):
        return "each event happens with the probability of its own score, to every digit"
    if np.sum(((first.mean(axis=0) - scores) / error) ** 2) < 0.5:
        return "your shares are nearer to the scores than chance brings them: draw, do not count out"
    standard = (first - scores) / np.sqrt(scores * (1 - scores))
    together = standard.T @ standard / draws - np.eye(len(scores))
    along = standard[1:].T @ standard[:-1] / draws  # with the draw before, its other events, too
    half = draws // 2
    halves = [(standard[:half] * other).mean(axis=0) for other in (standard[half:], standard[: half - 1 : -1])]
    between = np.abs(together[~np.eye(len(scores), dtype=bool)]).max()
    if max(between, np.abs(along).max()) > 0.12 or np.abs(halves).max() > 0.25:
        return "draw each outcome independently, and anew in each draw"
    return ""


def apart(rng, own):
    drawn = np.round(rng.choice(90, size=12, replace=False) / 1000 + 0.01, 3)
    yield float(np.median(drawn)) + 0.0002, drawn
    yield float(np.sort(drawn)[2]) + 0.0002, drawn[:9]


def equal_and_beyond(rng, own):
    drawn = np.round(rng.choice(90, size=12, replace=False) / 1000 + 0.01, 3)
    drawn[4:7] = drawn[0]
    yield float(drawn[0]), drawn
    yield 0.5, drawn
    yield 0.0, drawn


def walks_plain(rng, own):
    for n in (8, 40):
        scores = np.sort(rng.choice(np.arange(1, 500), n, replace=False)) / 500
        yield scores, (rng.random(n) < scores**2).astype(int)


def walks_hard(rng, own):
    for n, places in ((60, 5), (200, 12)):
        scores = rng.integers(0, places + 1, n) / places
        for truth in (scores**2, np.sqrt(scores)):
            yield scores, (rng.random(n) < truth).astype(int)
    scores = rng.permutation(np.arange(1, 300)) / 300
    yield scores, (rng.random(299) < 0.5 + 0.3 * (scores - 0.5)).astype(int)
    yield np.array([float(rng.integers(1, 9)) / 10]), np.array([1])


def penalties(said):
    """Squared distance, distance, minus the logarithm: penalties of forecasts, shape (2, m) each."""
    with np.errstate(divide="ignore"):
        logs = -np.log([1 - said, said])
    return [np.array([said**2, (1 - said) ** 2]), np.array([said, 1 - said]), logs]


def pay_inside(rng, own):
    said = rng.permutation(rng.choice(np.delete(np.arange(1, 40), 19), 15, replace=False) / 40)  # at 1/2 all are as good
    for penalty in penalties(said):
        yield said, penalty, rng.choice(said, 5, replace=False)


def pay_certain(rng, own):
    said = rng.permutation(np.r_[0.0, rng.choice(np.arange(1, 16), 7, replace=False) / 16, 1.0])
    for penalty in penalties(said):
        yield said, penalty, np.r_[1.0, rng.choice(said[(said > 0) & (said < 1)], 4), 0.0]
    yield said, penalties(said)[2], np.array([2.0**-20, 1 - 2.0**-20])  # nearly sure, and infinite is still too dear
    yield said, np.array([said > 0.5, said <= 0.5], dtype=float), rng.choice([0.25, 0.375, 0.75, 0.875], 6)
    table = rng.integers(1, 200, (2, len(said))) / 7
    table[[0, 1], rng.choice(len(said), 2, replace=False)] = np.inf
    yield said, table, np.r_[0.0, rng.random(6), 1.0]


def days(rng, values, rows):
    """Forecasts that repeat, in a mixed order, and what came."""
    forecasts = rng.permutation(np.repeat(values, rows))
    return forecasts, (rng.random(len(forecasts)) < 0.15 + 0.6 * forecasts**2).astype(int)


def parts_plain(rng, own):
    for n in (2, 5):
        yield days(rng, rng.choice(np.arange(1, 10), n, replace=False) / 10, rng.integers(3, 12, n))


def parts_hard(rng, own):
    yield days(rng, np.arange(300, 500, 2) / 1000 + float(rng.integers(0, 2)) / 1000, rng.integers(1, 5, 100))
    yield np.full(12, 0.25), np.full(12, int(rng.integers(0, 2)))
    yield days(rng, rng.permutation(20) / 20, 1)
    yield days(rng, 0.4 + rng.choice(1000, 40, replace=False) / 1e6, rng.integers(1, 5, 40))


def digitised(scores, n_bins):
    index = np.digitize(scores, np.linspace(0, 1, n_bins + 1)) - 1
    return np.array([np.sum(index == m) for m in range(n_bins)])


def rounded_product(scores, n_bins):
    index = np.maximum(np.ceil(np.asarray(scores) * n_bins).astype(int) - 1, 0)
    return np.bincount(index, minlength=n_bins)[:n_bins]


def numpys_histogram(scores, n_bins):
    return np.histogram(scores, bins=n_bins, range=(0, 1))[0]


def last_of_equals(probabilities, labels, n_bins):
    return curve(probabilities[:, ::-1], probabilities.shape[1] - 1 - labels, n_bins)


def left_closed_ece(scores, happened, n_bins):
    index = np.minimum((scores * n_bins).astype(int), n_bins - 1)
    return np.abs(np.bincount(index, np.asarray(happened) - scores)).sum() / len(scores)


def ece_that_drops_one(scores, happened, n_bins):
    index = np.digitize(scores, np.arange(n_bins + 1) / n_bins) - 1
    return sum(abs(np.sum((happened - scores)[index == m])) for m in range(n_bins)) / len(scores)


def unweighted(scores, happened, n_bins):
    index = np.searchsorted(np.arange(1, n_bins) / n_bins, scores)
    return np.mean([abs(np.mean((happened - scores)[index == m])) for m in np.unique(index)])


def largest_gap(scores, happened, n_bins):
    index = np.searchsorted(np.arange(1, n_bins) / n_bins, scores)
    return max(abs(np.mean((happened - scores)[index == m])) for m in np.unique(index))


def mirrored(scores, draws, rng):
    half = rng.random((draws // 2, len(scores)))
    return (np.concatenate([half, 1 - half]) < scores).astype(int)


def last_of_equal_pay(said, penalty, beliefs):
    return best_paid(said[::-1], penalty[:, ::-1], beliefs)


def smallest_of_equal_pay(said, penalty, beliefs):
    order = np.argsort(said)
    return best_paid(said[order], penalty[:, order], beliefs)


def largest_of_equal_pay(said, penalty, beliefs):
    return smallest_of_equal_pay(-said, penalty, beliefs) * -1


def within_tenths(forecasts, happened):
    return brier_parts(np.ceil(forecasts * 10) / 10 - 0.05, happened)


def corrected_parts(forecasts, happened):
    _, group = np.unique(forecasts, return_inverse=True)
    rows = np.bincount(group)
    frequency = np.bincount(group, happened) / rows
    chance = np.sum((rows * frequency * (1 - frequency) / np.maximum(rows - 1, 1))[rows > 1]) / len(group)
    reliability, resolution, uncertainty = brier_parts(forecasts, happened)
    return reliability - chance, resolution, uncertainty


LAST, FIRST = "the last bin holds 1: your edges drop p = 1", "the first bin holds 0: your edges drop p = 0"
LENGTH = "return one number for each bin, also for the empty ones"
def equals_as_they_come(scores, happened):
    order = np.argsort(scores, kind="stable")
    return np.abs(np.cumsum((happened - scores)[order])).max() / len(scores)


def at_the_first_of_equals(scores, happened):
    order = np.argsort(scores, kind="stable")
    walk = np.cumsum((happened - scores)[order])
    _, first = np.unique(scores[order], return_index=True)
    return np.abs(walk[first]).max() / len(scores)


def equals_by_outcome(scores, happened):
    order = np.lexsort((happened, scores))
    return np.abs(np.cumsum((happened - scores)[order])).max() / len(scores)


def in_the_order_of_the_rows(scores, happened):
    return np.abs(np.cumsum(happened - scores)).max() / len(scores)


OWN = "each event happens with the probability of its own score"
ANEW = "draw each outcome independently, and anew in each draw"
GIVEN = "use the generator that is given, and no other"
BELIEF = "weigh each outcome by the chance that the belief gives it"
FIRST_OF_EQUALS = "of equally good forecasts the first in the order of said"
COST, EXPECTED = "said[np.argmin(expected)]", "expected = chances[possible] @ penalty[possible]"
ROWS = "weigh each group by its rows"
SQUARES = "squared distances"
WALK = "return np.abs(np.cumsum(steps)).max() / len(scores)"
PATH = "the largest distance from 0 on the whole way"
EQUALS = "rows with equal scores join the sum together"

QUESTIONS = [
    ByHand(
        "by-hand", by_hand,
        {"bias": (1, "over all days, so the bin with more days counts more"),
         "ece": (1, "the mean gap of a day"), "mce": (1, "the largest gap of a bin")},
        {"rain_few / few - mean_few, rain_many / many - mean_many -> mean_few - rain_few / few, "
         "mean_many - rain_many / many": "what came minus what was said, not the other way round",
         "ece = (few * abs(gap_few) + many * abs(gap_many)) / (few + many) -> ece = abs(bias)":
             "gaps of different sign cancel in your ECE: take the absolute value in each bin",
         "ece = (few * abs(gap_few) + many * abs(gap_many)) / (few + many) -> "
         "ece = (abs(gap_few) + abs(gap_many)) / 2": "weigh each bin by its share of the days",
         "ece = (few * abs(gap_few) + many * abs(gap_many)) / (few + many) -> "
         "ece = max(abs(gap_few), abs(gap_many))": "that is the largest gap, the MCE",
         "ece = (few * abs(gap_few) + many * abs(gap_many)) / (few + many) -> "
         "ece = (many * abs(gap_few) + few * abs(gap_many)) / (few + many)": "you weighed each bin by the other",
         "bias = (few * gap_few + many * gap_many) / (few + many) -> bias = (gap_few + gap_many) / 2":
             "over all days, so the bin with more days counts more",
         "bias = (few * gap_few + many * gap_many) / (few + many) -> "
         "bias = (rain_few + rain_many) / (few + many) - (mean_few + mean_many) / 2":
             "the mean forecast is that of a day, not of a bin",
         "bias = (few * gap_few + many * gap_many) / (few + many) -> bias = gap_few + gap_many":
             "over all days, so the bin with more days counts more",
         "bias = (few * gap_few + many * gap_many) / (few + many) -> "
         "bias = (few * abs(gap_few) + many * abs(gap_many)) / (few + many)": "the bias keeps its sign",
         "mce = max( -> mce = min(": "the largest gap, not the smallest",
         "mce = max(abs(gap_few), abs(gap_many)) -> mce = max(gap_few, gap_many)": "the largest gap of either sign",
         "mce = max(abs(gap_few), abs(gap_many)) -> mce = (few * abs(gap_few) + many * abs(gap_many)) / (few + many)":
             "that is the mean gap, the ECE"},
    ),
    Question(
        "counts", bin_counts,
        [Case("scores inside the bins, some bins empty", 2, counts_inside, shown=True),
         Case("scores on the edges, 0 and 1", 1, counts_on_edges),
         Case("scores that are edges, computed as m/M, of many bins", 1,
              counts_rounded)],
        {'side="left" -> side="right"': EDGE, numpys_histogram: EDGE, digitised: LAST,
         rounded_product: "p * M is rounded and may jump over an edge: compare with m/M",
         "scores, side -> scores[scores > 0], side": FIRST, "minlength=n_bins -> minlength=1": LENGTH,
         "edges[1:-1] -> edges[1:-1] + 1e-5": BESIDE,
         "np.arange(n_bins + 1) / n_bins -> np.linspace(np.min(scores), np.max(scores), n_bins + 1)": RANGE,
         "edges[1:-1] -> edges": "the index of the bin is off by one",
         "np.arange(n_bins + 1) / n_bins -> np.linspace(0, 1, n_bins)": "M bins have M + 1 edges",
         "edges = np.arange(n_bins + 1) / n_bins -> edges = np.arange(6) / 5": "n_bins says how many bins there are",
         "np.bincount(index, minlength=n_bins) -> np.bincount(index, minlength=n_bins) / len(scores)":
             "count the scores; these are shares",
         "np.bincount(index, minlength=n_bins) -> np.cumsum(np.bincount(index, minlength=n_bins))":
             "count each bin for itself, not all bins up to it",
         "np.arange(n_bins + 1) / n_bins -> np.quantile(scores, np.arange(n_bins + 1) / n_bins)":
             "bins of equal width, not bins that hold equally many",
         "scores, side -> scores[:5], side": SOME, "scores, side -> scores[1:], side": SOME,
         "edges = -> scores.sort(); edges =": STAYS},
        WITHOUT,
    ),
    Question(
        "curve", curve,
        [Case("confidence and accuracy of each bin, NaN where it is empty", 2, curve_inside, shown=True),
         Case("two equal probabilities, and confidences on the edges", 2, curve_with_ties)],
        {last_of_equals: "of two equal probabilities the first class is the prediction",
         'side="left" -> side="right"': EDGE,
         "confidence = np.bincount(index, top, minlength=n_bins) / rows -> confidence = (np.arange(n_bins) + .5) / n_bins":
             "the mean confidence of the bin's rows, not the middle of the bin",
         "rows = np.bincount(index, minlength=n_bins) -> rows = np.maximum(np.bincount(index, minlength=n_bins), 1)":
             "an empty bin has no mean: NaN, not 0",
         "probabilities.max(axis=1), probabilities.argmax(axis=1) == labels -> probabilities[:, 0], labels == 0":
             "the confidence is a row's largest probability, whichever class it belongs to",
         "return confidence, accuracy -> return accuracy, confidence": "confidence comes first",
         "confidence = np.bincount(index, top, minlength=n_bins) -> confidence = np.bincount(index, top)": LENGTH,
         "accuracy = np.bincount(index, right, minlength=n_bins) -> accuracy = np.bincount(index, right)": LENGTH,
         "rows = np.bincount(index, minlength=n_bins) -> rows = np.bincount(index)": LENGTH,
         "rows = np.bincount(index, minlength=n_bins) -> rows = np.bincount(index, minlength=n_bins); "
         "rows = np.where(rows > 1, rows, np.nan)": "a bin with one row has a mean, too",
         "return confidence, accuracy -> return confidence[rows > 0], accuracy[rows > 0]": LENGTH,
         "top, minlength=n_bins) / rows -> top, minlength=n_bins)": "the mean of the bin's rows, not their sum",
         "right, minlength=n_bins) / rows -> right, minlength=n_bins) / len(top)": "the share of the bin's rows",
         "probabilities.argmax(axis=1) == labels -> probabilities[np.arange(len(labels)), labels] > 0.5":
             "right is a row whose predicted class is its label, whatever the probability",
         "probabilities.argmax(axis=1) == labels -> probabilities[np.arange(len(labels)), labels] >= probabilities.max(axis=1)":
             "of two equal probabilities the first class alone is predicted",
         "argmax(axis=1) == labels -> argmax(axis=1) != labels": "the share of right predictions, not of wrong ones",
         "top, right = probabilities -> probabilities, labels = probabilities[:9], labels[:9]; top, right = probabilities":
             SOME,
         "argmax(axis=1) == labels -> argmax(axis=1) + 1 == labels": "classes are counted from 0",
         "top, right = -> probabilities.sort(axis=1); top, right =": STAYS,
         "np.arange(1, n_bins) / n_bins -> np.arange(n_bins) / n_bins": "the index of the bin is off by one",
         "np.arange(1, n_bins) / n_bins -> np.arange(1, n_bins) / n_bins + 1e-5": BESIDE,
         "np.arange(1, n_bins) / n_bins -> np.linspace(top.min(), top.max(), n_bins + 1)[1:-1]": RANGE,
         "np.arange(1, n_bins) / n_bins -> 0.5 + np.arange(1, n_bins) / n_bins / 2": "the bins cover [0, 1]"},
        WITHOUT,
    ),
    Question(
        "ece", binned_ece,
        [Case("scores inside the bins", 2, ece_inside, shown=True),
         Case("scores on the edges, 0 and 1, few and many bins", 2, ece_on_edges)],
        {left_closed_ece: EDGE, 'side="left" -> side="right"': EDGE, ece_that_drops_one: "scores of exactly 0 and 1 count, too",
         unweighted: "weigh each bin by its share of the rows", largest_gap: "that is the largest gap, the MCE",
         "np.abs(np.bincount(index, np.asarray(happened) - scores)).sum() -> abs(np.sum(happened - scores))":
             "gaps of different sign cancel in your sum: take the absolute value in each bin",
         "np.abs(np.bincount(index, np.asarray(happened) - scores)).sum() -> np.abs(happened - scores).sum()":
             "the gap of a bin, not of a row",
         "- scores)).sum() / len(scores) -> - scores)).sum()": "weigh each bin by its share of the rows",
         "- scores)).sum() / len(scores) -> - scores)).sum() / n_bins": "weigh each bin by its share of the rows",
         "np.abs(np.bincount(index, np.asarray(happened) - scores)).sum() / len(scores) -> "
         "np.sqrt((np.bincount(index, np.asarray(happened) - scores)**2).sum()) / len(scores)":
             "the mean of absolute gaps, not of squares",
         "index = np -> scores, happened = scores[:20], happened[:20]; index = np": SOME,
         "index = np -> scores.sort(); index = np": STAYS,
         "np.arange(1, n_bins) / n_bins -> np.arange(1, n_bins) / n_bins + 1e-5": BESIDE,
         "np.arange(1, n_bins) / n_bins -> np.arange(1, n_bins - 1) / (n_bins - 1)": "one bin too few",
         "np.arange(1, n_bins) / n_bins -> np.linspace(scores.min(), scores.max(), n_bins + 1)[1:-1]": RANGE,
         "np.arange(1, n_bins) / n_bins -> np.arange(1, 5) / 5": "n_bins says how many bins there are",
         "np.arange(1, n_bins) / n_bins -> np.quantile(scores, np.arange(1, n_bins) / n_bins)":
             "bins of equal width, not bins that hold equally many"},
        WITHOUT,
    ),
    Words(
        "reading",
        {"a": ("over-confident", "it claims more than it delivers"),
         "b": ("too high", "0.2 was said, 0.1 came"),
         "c": ("under-confident", "its confidence in no is 0.8, and it is right with 0.9"),
         "d": ("more than zero", "the absolute value turns chance of either sign into a gap"),
         "e": ("never higher", "within a bin gaps of different sign cancel"),
         "f": ("not always", "which class is on top depends on the whole row")},
        {"abc": 1.5, "def": 1.5},
    ),
    Question(
        "outcomes", calibrated_outcomes,
        [Case("the shape, 0 and 1, and each event's own probability", 1, few_scores, judge=plain_outcomes),
         Case("every digit of a score, independent draws, and the generator that is given", 1, many_scores,
              judge=independent_outcomes)],
        {"< scores -> < np.mean(scores)": OWN, "< scores -> < np.round(scores, 1)": f"{OWN}, to every digit",
         "rng.random((draws, len(scores))) -> rng.random((draws, 1))": ANEW,
         "rng.random((draws, len(scores))) -> rng.random(len(scores))": ANEW,
         "rng.random -> np.random.default_rng(3).random": GIVEN, "rng.random -> np.random.default_rng().random": GIVEN,
         "rng.random((draws, len(scores))) < scores -> np.broadcast_to(rng.random(len(scores)) < scores, "
         "(draws, len(scores)))": ANEW,
         "< scores -> > scores": "an event happens with its probability, not against it",
         "rng.random((draws, len(scores))) < scores -> np.tile(np.asarray(scores) > 0.5, (draws, 1))":
             "an event with 0.7 happens in 7 of 10 draws, not always",
         "rng.random((draws, len(scores))) < scores -> (rng.random((len(scores), draws)).T < scores).T":
             "return one row for each draw and one column for each score",
         "(rng.random((draws, len(scores))) < scores).astype(int) -> rng.random((draws, len(scores))) * scores":
             "an outcome is 0 or 1",
         "rng.random((draws, len(scores))) < scores -> np.repeat(rng.random((draws // 2, len(scores))) < scores, "
         "2, axis=0)": ANEW,
         mirrored: ANEW,
         "rng.random((draws, len(scores))) < scores -> "
         "np.argsort(rng.random((draws, len(scores))), axis=0) < np.round(np.asarray(scores) * draws)":
             "chance decides how often an event happens: draw, do not count out",
         "< scores -> < scores**1.1": OWN,
         "return -> scores[0] = 0.5; return": STAYS},
        WITHOUT,
    ),
    Question(
        "p-value", p_value,
        [Case("the share at or above, itself counted in", 1, apart, shown=True),
         Case("equal errors, the largest and the smallest", 1, equal_and_beyond)],
        {">= observed -> > observed": "a drawn error equal to the observed one counts",
         ">= observed -> < observed": "the share at or above the observed error, not below it",
         ">= observed -> <= observed": "the share at or above the observed error, not below it",
         "(1 + np.sum(np.asarray(drawn) >= observed)) / (1 + len(drawn)) -> np.mean(np.asarray(drawn) >= observed)":
             "never 0: count the observed error among the drawn ones",
         "/ (1 + len(drawn)) -> / len(drawn)": "count the observed error below the bar, too",
         "(1 + np.sum -> (np.sum": "count the observed error above the bar, too",
         "/ (1 + len(drawn)) -> / (2 + len(drawn))": "it counts once",
         "/ (1 + len(drawn)) -> ": "the share, not the number",
         "np.asarray(drawn) >= observed -> np.asarray(drawn) >= observed - 1e-3": "at or above, to every digit",
         "np.asarray(drawn) >= observed -> np.unique(drawn) >= observed": "equal errors count each",
         "np.asarray(drawn) >= observed -> np.asarray(drawn)[:5] >= observed": SOME,
         "np.asarray(drawn) >= observed -> np.abs(np.asarray(drawn) - np.mean(drawn)) >= abs(observed - np.mean(drawn))":
             "one side: at or above the observed error",
         "return -> drawn.sort(); return": STAYS},
        WITHOUT,
    ),
    Question(
        "best-paid", best_paid,
        [Case("three penalties, beliefs strictly between 0 and 1", 1.5, pay_inside, shown=True),
         Case("penalties that are infinite, equal or of any other kind, and beliefs of 0 and 1", 1.5, pay_certain)],
        {"np.argmin -> np.argmax": "a penalty is paid: the smallest expected one is best",
         "[1 - belief, belief] -> [belief, 1 - belief]": "row 0 of the table is the outcome 0",
         "[1 - belief, belief] -> [0.5, 0.5]": BELIEF,
         "[1 - belief, belief] -> [float(belief < 0.5), float(belief >= 0.5)]": "the less likely outcome counts, too",
         "[1 - belief, belief] -> [1 - belief, belief**2]": BELIEF,
         f"{COST} -> np.argmin(expected)": "return the forecast, not its place",
         f"{COST} -> expected.min()": "return the forecast, not what it costs",
         f"{COST} -> belief": "not every penalty rewards honesty: look for the best forecast",
         f"{COST} -> round(belief)": "a penalty may reward honesty: look for the best forecast",
         f"{COST} -> said[np.abs(said - belief).argmin()]": "not every penalty rewards honesty: look for the best forecast",
         f"{COST} -> said[np.argmin(penalty.max(axis=0))]": "the expected penalty, not the worst",
         f"{EXPECTED} -> expected = (1 - said) * penalty[0] + said * penalty[1]":
             "the outcome follows what she believes, not what she says",
         "chances > 0 -> chances > -1": "what cannot happen costs nothing, even where its penalty is infinite",
         f"{EXPECTED} -> expected = chances @ np.nan_to_num(penalty, posinf=0)": "an infinite penalty is not free",
         f"{EXPECTED} -> expected = chances @ np.minimum(penalty, 1000)": "an infinite penalty is too dear at every chance",
         "said, penalty = np.asarray(said -> said, penalty = np.asarray(np.sort(said)": "the columns stand in the order of said",
         last_of_equal_pay: FIRST_OF_EQUALS, smallest_of_equal_pay: FIRST_OF_EQUALS, largest_of_equal_pay: FIRST_OF_EQUALS,
         "for belief in beliefs -> for belief in np.full(len(beliefs), beliefs[0])": "one forecast for each belief",
         "best = [] -> said.sort(); best = []": STAYS},
        WITHOUT,
    ),
    Question(
        "parts", brier_parts,
        [Case("a few forecasts, each made on several days", 1.5, parts_plain, shown=True),
         Case("forecasts that differ in a late digit, groups of one day, days that are all alike", 1.5, parts_hard)],
        {"base_rate = np.mean(happened) -> base_rate = np.mean(frequency)": "the base rate is the share of all days, not of groups",
         "base_rate = np.mean(happened) -> base_rate = np.mean(forecasts)": "the base rate is what happened, not what was said",
         "np.sum(rows * (values - frequency) ** 2) / len(group) -> np.mean((values - frequency) ** 2)": f"reliability: {ROWS}",
         "np.sum(rows * (frequency - base_rate) ** 2) / len(group) -> np.mean((frequency - base_rate) ** 2)":
             f"resolution: {ROWS}",
         "rows * (values - frequency) ** 2 -> rows * np.abs(values - frequency)": f"reliability: {SQUARES}",
         "rows * (frequency - base_rate) ** 2 -> rows * np.abs(frequency - base_rate)": f"resolution: {SQUARES}",
         "(frequency - base_rate) ** 2 -> (values - base_rate) ** 2":
             "resolution looks at the frequencies that follow, not at what was said",
         "np.sum(rows * (values - frequency) ** 2) / len(group) -> np.mean((forecasts - happened) ** 2)":
             "that is the Brier score; reliability compares each group's forecast with its frequency",
         "return reliability, resolution, -> return resolution, reliability,": "reliability comes first",
         "return reliability, resolution, -> return reliability, -resolution,": "resolution is a mean of squares, never negative",
         "base_rate * (1 - base_rate) -> base_rate": "uncertainty is the variance of the outcomes",
         "base_rate * (1 - base_rate) -> np.var(happened, ddof=1)": "uncertainty: the mean square, divided by n",
         "base_rate * (1 - base_rate) -> np.sqrt(base_rate * (1 - base_rate))": "uncertainty is the variance, not its root",
         "base_rate * (1 - base_rate) -> reliability - resolution": "uncertainty: the score of one who always says the base rate",
         "np.unique(forecasts -> np.unique(np.round(forecasts, 1)": "a group holds the days with the same forecast, to every digit",
         "np.unique(forecasts -> np.unique(np.round(forecasts, 3)": "the same forecast, to every digit: do not round",
         within_tenths: "a group holds the days with the same forecast, not a bin",
         corrected_parts: "as defined, with chance left in",
         "values, group = -> forecasts, happened = forecasts[:9], happened[:9]; values, group =": SOME,
         "values, group = -> forecasts.sort(); values, group =": STAYS},
        WITHOUT,
    ),
    Question(
        "furthest", furthest,
        [Case("distinct scores, from the smallest to the largest", 1, walks_plain, shown=True),
         Case("any order, equal scores, sums above and below 0, one row", 1, walks_hard)],
        {equals_as_they_come: EQUALS, at_the_first_of_equals: EQUALS, equals_by_outcome: EQUALS, in_the_order_of_the_rows: "sort the rows by their score first",
         f"{WALK} -> return abs(np.sum(steps)) / len(scores)": PATH,
         f"{WALK} -> return np.abs(steps).max() / len(scores)": "the sum so far, not one step of it",
         f"{WALK} -> return np.abs(steps).sum() / len(scores)": "steps of different sign cancel on the way: that is the appeal of it",
         f"{WALK} -> return np.abs(np.cumsum(steps)).mean() / len(scores)": PATH,
         f"{WALK} -> return np.cumsum(steps).max() / len(scores)": "of either sign",
         f"{WALK} -> return -np.cumsum(steps).min() / len(scores)": "of either sign",
         f"{WALK} -> return np.ptp(np.cumsum(steps)) / len(scores)": "from 0, not from the lowest place to the highest",
         f"{WALK} -> return np.abs(np.cumsum(steps)).max()": "divided by the number of all rows",
         f"{WALK} -> return np.abs(np.cumsum(steps)).max() / len(steps)": "divided by the number of all rows",
         f"{WALK} -> return np.abs(np.cumsum(steps)).max() / np.sqrt(len(scores))": "divided by the number of all rows",
         f"{WALK} -> return np.abs(np.cumsum(steps) / np.cumsum(np.bincount(place))).max()":
             "divided by the number of all rows, not of those so far",
         f"{WALK} -> return np.abs(np.cumsum(steps[::-1])).max() / len(scores)": "from the smallest score to the largest",
         f"{WALK} -> return np.abs(np.cumsum(steps)).argmax() / len(scores)": "the distance, not the place where it is largest",
         "np.bincount(place, np.asarray(happened) - scores) -> np.bincount(place, happened) - np.unique(scores)":
             "every row counts, also where scores are equal",
         "np.unique(scores -> np.unique(np.round(scores, 1)": "scores are equal to every digit: do not round",
         "np.asarray(happened) - scores -> np.asarray(happened) - (scores > 0.5)": "outcome minus score, not minus a decision",
         "np.asarray(happened) - scores -> np.abs(np.asarray(happened) - scores)": "outcome minus score, with its sign",
         "_, place = -> scores, happened = scores[:30], happened[:30]; _, place =": SOME,
         "_, place = -> scores.sort(); _, place =": STAYS},
        WITHOUT,
    ),
]  # fmt: skip
