"""What the answers about logistic and softmax regression are held to."""

from functools import lru_cache

import numpy as np
from scipy.special import expit

from calibration_lessons import softmax
from calibration_lessons.models import LogisticRegression
from classroom.cases import SOME, STAYS, ByHand, Case, Question

WITHOUT = [
    "calibration_lessons.models", "calibration_lessons.solvers.logistic", "calibration_lessons.calibrators",
    "calibration_lessons.book.definitions",
    "sklearn.linear_model", "sklearn.neural_network", "sklearn.svm",
]  # fmt: skip


def by_hand(mean, spread, share, place):
    slope = mean / spread**2
    intercept = np.log(share / (1 - share)) - mean**2 / (2 * spread**2)
    probability = expit(slope * place + intercept)
    return {"slope": slope, "intercept": intercept, "probability": probability}


def loss_and_gradient(theta, X, y, l2):
    z = X @ theta
    penalised = np.append(0.0, theta[1:])
    loss = np.logaddexp(0, np.where(y == 1, -z, z)).mean() + l2 / 2 * np.sum(penalised**2)
    return loss, X.T @ (expit(z) - y) / len(y) + l2 * penalised


def fit_logistic(X, y, l2):
    rows = np.column_stack([np.ones(len(X)), X])
    penalty = np.append(0.0, np.full(X.shape[1], l2))
    theta = np.zeros(len(penalty))
    for _ in range(30):
        p = expit(rows @ theta)
        gradient = rows.T @ (p - y) / len(y) + penalty * theta
        hessian = (rows.T * (p * (1 - p))) @ rows / len(y) + np.diag(penalty)
        theta = theta - np.linalg.solve(hessian, gradient)
    return theta


def is_separated(x, y):
    x, y = np.asarray(x), np.asarray(y)
    if np.all(y == y[0]):
        return True
    if np.all(x == x[0]):
        return False
    zeros, ones = x[y == 0], x[y == 1]
    return bool(zeros.max() <= ones.min() or ones.max() <= zeros.min())


def ratio_probabilities(theta, X):
    return softmax(np.column_stack([X @ np.asarray(theta).T, np.zeros(len(X))]))


def softmax_gradient(theta, X, y):
    one_hot = np.eye(len(theta))[y]
    return (softmax(X @ theta.T) - one_hot).T @ X / len(y)


@lru_cache(4000)
def fitted(l2, rows, labels, n):
    X, y = np.frombuffer(rows).reshape(n, -1), np.frombuffer(labels, dtype=int)
    return LogisticRegression(l2=l2).fit(X, y)


def fit(X, y, l2):
    """The companion's model, each once: the right answer and the slips fit many the same."""
    return fitted(l2, np.ascontiguousarray(X, dtype=float).tobytes(), y.astype(int).tobytes(), len(y))


def choose_l2(X, y, candidates, fold):
    losses = []
    for l2 in candidates:
        of_label = np.empty(len(y))
        for k in np.unique(fold):
            out = fold == k
            p = fit(X[~out], y[~out], l2).predict_proba(X[out])
            of_label[out] = p[np.arange(len(p)), y[out]]
        losses.append(-np.log(of_label).mean())
    return candidates[int(np.argmin(losses))]


def with_ones(rng, n, p):
    return np.column_stack([np.ones(n), rng.normal(size=(n, p - 1))])


def losses_plain(rng, own):
    for n, p in ((4, 2), (30, 3)):
        yield rng.normal(size=p).round(2), with_ones(rng, n, p).round(2), rng.integers(0, 2, n), 0.0


def losses_hard(rng, own):
    for n, p in ((7, 1), (30, 4), (5, 5)):
        yield 1 + rng.random(p), with_ones(rng, n, p), rng.integers(0, 2, n), float(rng.integers(2, 9)) / 10
    yield (
        np.array([0.0, 1000.0]),
        np.column_stack([np.ones(4), [0.0, 1.0, 2.0, 3.0]]),
        np.array([0, 1, 0, 1]),
        0.0,
    )


def overlapping(rng, n, d, steep=1.0):
    while True:
        X = rng.normal(size=(n, d))
        y = (rng.random(n) < expit(steep * X @ np.r_[1.0, -1.0, 0.5][:d] - 0.7)).astype(int)
        if 8 < y.sum() < n - 8:
            return X, y


def fits_plain(rng, own):
    heights = rng.normal(1.7, 0.1, size=(80, 1))
    yield heights, (rng.random(80) < expit(20 * (heights[:, 0] - 1.75))).astype(int), 0.0
    yield *overlapping(rng, 150, 3), 0.0


def fits_hard(rng, own):
    X, y = overlapping(rng, 150, 3)
    for l2 in (0.05, 2.0):
        yield X, y, l2
    yield X * [1000, 1, 0.01] + [500, 0, 0], y, 0.0
    yield X[:, :1], 1 - y, 0.3


def lowest(values, calls):
    for theta, (X, y, l2) in zip(values, calls, strict=True):
        theta, rows = np.asarray(theta), np.column_stack([np.ones(len(X)), X])
        if theta.shape != (rows.shape[1],) or theta.dtype.kind not in "if":
            return "return the intercept and one coefficient for each feature"
        scale = np.maximum(1, np.abs(rows).max(axis=0))
        from_rows, unpaid = (
            rows.T @ (expit(rows @ theta) - y) / len(y) / scale,
            np.append(0.0, theta[1:]) / scale,
        )
        if np.all(np.abs(from_rows + l2 * unpaid) < 1.5e-6):
            continue
        if l2 and np.all(np.abs(from_rows + l2 * theta / scale) < 1e-5):
            return "the intercept pays no penalty"
        if l2 and np.all(np.abs(from_rows + l2 * unpaid / len(y)) < 1e-5):
            return "the penalty stands beside the mean of the rows' losses, not beside their sum"
        if abs(from_rows[0]) > 1e-4:
            return "the mean probability is not the base rate: is the intercept there, and did you walk far enough?"
        largest = np.abs(from_rows + l2 * unpaid).max()
        return f"not at the lowest point: the gradient is still {largest:.0e}; search on, in steps that suit every unit"
    return ""


def scores_plain(rng, own):
    low, high = np.sort(rng.choice(np.arange(-20, 21) / 10, (2, 1), replace=False), axis=0)
    yield np.r_[low, low - 0.5, low - 0.2, high, high + 0.7, high], np.array([0, 0, 0, 1, 1, 1])
    x = rng.permutation(12)[:6] / 4.0
    yield x, np.r_[0, 1, 0, 1, 0, 1][np.argsort(np.argsort(x))]
    yield x, np.r_[1, 0, 1, 1, 0, 1][np.argsort(np.argsort(x))]
    for n in (5, 8):
        x = rng.permutation(12)[:n] / 4.0
        place = np.argsort(np.argsort(x))
        yield x, (place > 1).astype(int)
        yield x, ((place > 1) & (place != 3)).astype(int)


def scores_hard(rng, own):
    yield np.array([4.0, 3.0, 2.0, 1.0]) * float(rng.integers(1, 4)), np.array([0, 0, 1, 1])
    yield np.array([0, 0, 0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 1, 1, 1])
    yield np.array([2.0, 1.0, 1.0, 0.0]), np.array([0, 0, 1, 1])
    for n in (2, 3, 4, 6) * 4:
        yield rng.integers(0, 5, n), rng.integers(0, 2, n)
    x = rng.permutation(80) / 8.0  # many rows, and one of them on the other side
    yield x, ((x >= 5) ^ (x == rng.choice([0.0, 9.875]))).astype(int)


def scores_alike(rng, own):
    label = int(rng.integers(0, 2))
    yield np.array([1.0, 2.0, 3.0]), np.full(3, label)
    yield np.full(3, float(rng.integers(1, 9))), np.array([0, 1, 1])
    yield np.full(2, 5.0), np.full(2, 1 - label)
    for x in (2.0, 7.0):  # more that can be fitted than not: no answer in turns is right in all
        yield np.full(4, x), np.array([1 - label, label, label, 1 - label])
    yield np.full(5, 0.5), np.array([label, 1 - label, 1 - label, 1 - label, label])
    yield np.array([2.0, 1.0, 4.0, 3.0]), np.full(4, 1 - label)
    yield np.array([1.0, 3.0, 2.0]), np.array([label, label, 1 - label])  # both classes, and they overlap


def ratios_plain(rng, own):
    yield rng.normal(size=(2, 2)).round(2), with_ones(rng, 4, 2).round(2)
    yield rng.normal(size=(3, 3)).round(2), with_ones(rng, 5, 3).round(2)


def ratios_hard(rng, own):
    for n, p, k in ((1, 2, 4), (50, 1, 2), (5, 4, 6)):
        yield rng.normal(size=(k - 1, p)), with_ones(rng, n, p)
    high = 100.0 * float(rng.integers(8, 20))
    yield np.array([[high], [-high]]), np.ones((2, 1))
    yield np.array([[-high], [-high]]), np.ones((1, 1))
    yield np.array([[high], [high - 1]]), np.ones((1, 1))
    yield np.array([[0.0, high], [1.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])  # 1000 in one row, none in the other


def gradients_plain(rng, own):
    for n, p, k in ((6, 2, 3), (12, 3, 4)):
        yield (
            rng.normal(size=(k, p)).round(2),
            with_ones(rng, n, p).round(2),
            rng.permutation(np.arange(n) % k),
        )


def gradients_hard(rng, own):
    for n, p, k in ((9, 2, 3), (1, 3, 5), (60, 1, 2), (20, 4, 6)):
        yield (
            rng.normal(size=(k, p)),
            with_ones(rng, n, p),
            rng.integers(0, k - 1, n),
        )  # the last class never comes
    steep = 100.0 * float(rng.integers(8, 20))
    yield np.array([[0.0, steep], [0.0, -steep]]), np.array([[1.0, 1.0]]), np.array([0])
    yield np.array([[0.0, steep], [1.0, 0.0]]), np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([1, 1])


CANDIDATES = [300.0, 3.0, 30.0, 0.3, 1.0, 10.0]
BANK = [  # seeds of draws that together tell every slip; the best loss is 0.003 below the next, so no solver decides
    (12, 34, 73), (15, 49, 64), (1, 3, 62), (6, 7, 54), (39, 68, 83), (42, 50, 85), (11, 18, 55), (14, 61, 72),
    (10, 20, 21), (13, 59, 84), (53, 66, 89),
]  # fmt: skip


def patients(rng, own):
    draw = np.random.default_rng([1, *f"{own['STUDENT_ID']}{own['CLASS']}".encode()])
    truth = 1.5 * draw.normal(size=40) / np.sqrt(40)
    X = draw.normal(size=(200, 40))
    y, candidates = (draw.random(200) < expit(X @ truth)).astype(int), [0.1, 1.0, 10.0, 100.0, 1000.0]
    yield X, y, candidates, np.arange(200) % 5
    yield X, y, candidates[2:] + candidates[:2], np.arange(200) % 5  # the same choice, at another place
    yield X, y, candidates[2:], np.arange(200) % 5  # a choice at one end of the list,
    yield X, y, candidates[:3], np.arange(200) % 5  # and at the other
    yield X / 10, y, [l2 / 100 for l2 in candidates[::-1]], np.arange(200) % 5  # another number


def folds(seed):
    """Rows in three folds of different sizes, in which most slips choose another penalty."""
    draw = np.random.default_rng(seed)
    n, d, length = ((60, 10, 1.0), (80, 12, 2.0), (60, 5, 0.5))[seed % 3]
    X, direction = draw.normal(size=(n, d)), draw.normal(size=d)
    y = (draw.random(n) < expit(length * X @ direction / np.sqrt(d))).astype(int)
    return X, y, draw.choice(3, size=n, p=[0.15, 0.3, 0.55])


def penalties(rng, own):
    """Choices from the bank, with rows, features and folds in another order and under other names: the same choice."""
    for seed in BANK[int(rng.integers(len(BANK)))]:
        X, y, fold = folds(seed)
        rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
        signs, names = rng.choice([-1.0, 1.0], X.shape[1]), rng.choice(20, 3, replace=False)
        yield X[rows][:, columns] * signs, y[rows], CANDIDATES, names[fold[rows]]


def no_intercept(X, y, l2):
    return np.r_[0, fit_logistic(X, y, l2)[1:]]


def gradient_descent(X, y, l2):
    rows, theta = np.column_stack([np.ones(len(X)), X]), np.zeros(X.shape[1] + 1)
    for _ in range(300):
        theta -= 0.5 * (rows.T @ (expit(rows @ theta) - y) / len(y) + l2 * np.r_[0, theta[1:]])
    return theta


def on_fitted_rows(X, y, candidates, fold):
    def loss(l2):
        p = fit(X, y, l2).predict_proba(X)
        return -np.log(p[np.arange(len(y)), y]).mean()

    return min(candidates, key=loss)


def mean_of_fold_means(X, y, candidates, fold):
    def loss(l2):
        means = []
        for k in np.unique(fold):
            p = fit(X[fold != k], y[fold != k], l2).predict_proba(X[fold == k])
            means.append(-np.log(p[np.arange(len(p)), y[fold == k]]).mean())
        return np.mean(means)

    return min(candidates, key=loss)


def folds_swapped(X, y, candidates, fold):
    def loss(l2):
        total = 0.0
        for k in np.unique(fold):
            p = fit(X[fold == k], y[fold == k], l2).predict_proba(X[fold != k])
            total -= np.log(p[np.arange(len(p)), y[fold != k]]).sum()
        return total

    return min(candidates, key=loss)


def out_of_fold_on_average(X, y, candidates, fold):
    def right(l2):
        hits = 0
        for k in np.unique(fold):
            p = fit(X[fold != k], y[fold != k], l2).predict_proba(X[fold == k])
            hits += np.sum(p.argmax(axis=1) == y[fold == k])
        return -hits

    return min(candidates, key=right)


def held_out(X, y, l2, fold):
    """The probability of each row's label, from a model without its fold."""
    of_label = np.empty(len(y))
    for k in np.unique(fold):
        out = fold == k
        p = fit(X[~out], y[~out], l2).predict_proba(X[out])
        of_label[out] = p[np.arange(len(p)), y[out]]
    return of_label


def without_the_last_fold(X, y, candidates, fold):
    kept = fold != fold.max()
    return min(candidates, key=lambda l2: -np.log(held_out(X, y, l2, fold)[kept]).mean())


def by_the_last_fold(X, y, candidates, fold):
    kept = fold == fold.max()
    return min(candidates, key=lambda l2: -np.log(held_out(X, y, l2, fold)[kept]).mean())


def by_the_ones(X, y, candidates, fold):
    return min(candidates, key=lambda l2: -np.log(held_out(X, y, l2, fold)[y == 1]).mean())


def by_the_order(X, y, candidates, fold):
    def area(l2):
        of_label = held_out(X, y, l2, fold)
        p = np.where(y == 1, of_label, 1 - of_label)
        return np.mean(p[y == 1][:, None] > p[y == 0])

    return max(candidates, key=area)


def within_a_standard_error(X, y, candidates, fold):
    losses = {l2: -np.log(held_out(X, y, l2, fold)) for l2 in candidates}
    best = min(losses.values(), key=np.mean)
    limit = best.mean() + best.std(ddof=1) / np.sqrt(len(y))
    return max(l2 for l2, loss in losses.items() if loss.mean() <= limit)


UNITS = "not at the lowest point: do your steps suit features in other units, and all labels and penalties?"
PAYS = "the intercept pays no penalty"
MEAN = "the mean over the rows, not the sum"
ROUNDED = "with log-odds of 1000 a probability is rounded to 0 or 1: do not take its logarithm"
TOUCH = "classes that touch at one place and go apart elsewhere: look at the gene again"
LAST = "the reference is the last class, not the first"
SHIFT = "a log-ratio of 1000 overflows: only differences count, so shift them first"
KNOWN = "y may lack a class, theta knows it: K is the number of rows of theta"
FOLD = "every fold is left out once, and judged by its log loss under the others' model"
LOSS = "np.logaddexp(0, np.where(y == 1, -z, z)).mean()"

QUESTIONS = [
    ByHand(
        "by-hand", by_hand,
        {"slope": (1, "take the logarithm of the ratio of the two densities, collect what has x"),
         "intercept": (1, "collect all terms without x"),
         "probability": (1, "put your log-odds at the new row through the sigmoid")},
        {"slope = mean / spread**2 -> slope = mean / spread":
             "the density of the normal holds the square of the standard deviation",
         "slope = mean / spread**2 -> slope = -mean / spread**2": "class 1 lies to the right of class 0",
         "slope = mean / spread**2 -> slope = mean / (2 * spread**2)": "the 2 of the density cancels",
         "slope = mean / spread**2 -> slope = 1 / spread**2": "the mean counts",
         "np.log(share / (1 - share)) - -> -": "the classes are not equally frequent, where are their shares?",
         "np.log(share / (1 - share)) -> np.log((1 - share) / share)": "the odds of the shares stand upside down",
         "np.log(share / (1 - share)) -> np.log(share)": "the odds of the shares, both of them",
         "np.log(share / (1 - share)) -> share / (1 - share)": "the logarithm of the odds",
         "- mean**2 / (2 * spread**2) -> + mean**2 / (2 * spread**2)": "the sign of the term with the means",
         "- mean**2 / (2 * spread**2) -> - mean**2 / spread**2": "the density has a 2 below the square",
         "- mean**2 / (2 * spread**2) -> - mean / (2 * spread**2)": "the mean is squared",
         "expit(slope * place + intercept) -> slope * place + intercept": "the log-odds are not yet a probability",
         "expit(slope * place + intercept) -> 1 - expit(slope * place + intercept)": "of class 1",
         "expit(slope * place + intercept) -> np.exp(slope * place + intercept)": "odds are not yet a probability"},
        atol=0.006,
    ),
    Question(
        "loss", loss_and_gradient,
        [Case("the loss and its slope without a penalty", 2, losses_plain, shown=True),
         Case("a penalty, one parameter and many, log-odds of 1000", 2, losses_hard)],
        {f"{LOSS} -> {LOSS.replace('mean', 'sum')}": MEAN, "(expit(z) - y) / len(y) -> (expit(z) - y)": MEAN,
         "penalised = np.append(0.0, theta[1:]) -> penalised = theta": PAYS,
         "+ l2 * penalised -> + l2 * theta": PAYS, "np.sum(penalised**2) -> np.sum(theta**2)": PAYS,
         "+ l2 * penalised -> - l2 * penalised": "the slope of the penalty has the other sign",
         "+ l2 * penalised -> + 2 * l2 * penalised": "half the square has the slope l2 times theta",
         "+ l2 * penalised -> ": "the penalty has a slope, too", "l2 / 2 * np.sum -> l2 * np.sum": "half of l2",
         "l2 / 2 * np.sum(penalised**2) -> l2 / 2 * np.sum(np.abs(penalised))": "the squares of the parameters",
         "l2 / 2 * np.sum(penalised**2) -> l2 / 2 / len(y) * np.sum(penalised**2)": "beside the mean of the losses",
         "(expit(z) - y) -> (y - expit(z))": "a small step against the gradient must lower the loss",
         f"{LOSS} -> {LOSS} / np.log(2)": "the unit is nats", "y == 1, -z, z -> y == 1, z, -z": "which label is which?",
         f"{LOSS} -> -np.mean(np.log(np.where(y == 1, expit(z), 1 - expit(z))))": ROUNDED,
         "z = X @ theta -> X, y = X[:4], y[:4]; z = X @ theta": SOME,
         "penalised = np.append(0.0, theta[1:]) -> theta[0] *= 0; penalised = theta": STAYS},
        WITHOUT,
    ),
    Question(
        "fit", fit_logistic,
        [Case("the lowest point without a penalty", 2, fits_plain, judge=lowest),
         Case("penalties, and features in other units", 2, fits_hard, judge=lowest)],
        {no_intercept: "the intercept", gradient_descent: UNITS,
         "np.append(0.0, np.full(X.shape[1], l2)) -> np.full(X.shape[1] + 1, l2)": PAYS,
         "np.full(X.shape[1], l2) -> np.full(X.shape[1], l2 / len(y))": "beside the mean",
         "np.full(X.shape[1], l2) -> np.full(X.shape[1], 2 * l2)": "half of l2",
         "np.full(X.shape[1], l2) -> np.full(X.shape[1], 0)": "the penalty",
         "range(30) -> range(3)": "not at the lowest point yet", "return theta -> return theta.round(3)": "below 1e-6",
         "return theta -> return theta[1:]": "intercept first", "return theta -> return np.roll(theta, -1)": "intercept first",
         "return theta -> return -theta": "the sign", "(p - y) / len(y) + -> (p - y) +": MEAN,
         "rows = np.column_stack -> X, y = X[:60], y[:60]; rows = np.column_stack": SOME,
         "rows = np.column_stack -> X -= X.mean(axis=0); rows = np.column_stack": STAYS},
        WITHOUT,
    ),
    Question(
        "separated", is_separated,
        [Case("scores that are apart, and scores that overlap", 1, scores_plain, shown=True),
         Case("falling scores, classes that touch, a few rows of every kind", 2, scores_hard),
         Case("one class only; a constant feature", 1, scores_alike)],
        {"zeros.max() <= ones.min() or ones.max() <= zeros.min() -> zeros.max() < ones.min() or ones.max() < zeros.min()": TOUCH,
         "zeros.max() <= ones.min() or ones.max() <= zeros.min() -> zeros.max() <= ones.min()":
             "the slope may run to minus infinity, too",
         "zeros.max() <= ones.min() or ones.max() <= zeros.min() -> zeros.max() <= ones.min() or ones.max() < zeros.min()": TOUCH,
         "zeros.max() <= ones.min() or ones.max() <= zeros.min() -> zeros.max() < ones.min() or ones.max() <= zeros.min()": TOUCH,
         "if np.all(x == x[0]): -> if False:": "a constant feature tells nothing, but the base rate fits",
         "if np.all(y == y[0]): -> if np.all(y == 1):": "with one class only, the intercept runs away",
         "if np.all(y == y[0]): -> if np.all(y == 0):": "with one class only, the intercept runs away",
         "return True -> return False": "with one class only, the intercept runs away",
         "return False -> return True": "a constant feature tells nothing, but the base rate fits",
         "zeros.max() <= ones.min() or ones.max() <= zeros.min() -> zeros.mean() != ones.mean()": "classes overlap",
         "zeros.max() <= ones.min() or ones.max() <= zeros.min() -> "
         "np.quantile(zeros, 0.95) < np.quantile(ones, 0.05) or np.quantile(ones, 0.95) < np.quantile(zeros, 0.05)":
             "a single row on the other side holds the slope back",
         "zeros.max() <= ones.min() or ones.max() <= zeros.min() -> len(set(x[y == 0]) & set(x[y == 1])) == 0": "classes overlap",
         "x, y = np.asarray(x), np.asarray(y) -> x, y = np.asarray(x)[:3], np.asarray(y)[:3]": SOME,
         "return bool -> return not bool": "True where there is no best fit",
         "zeros, ones = x -> x.sort(); zeros, ones = x": STAYS},
        WITHOUT,
    ),
    Question(
        "ratios", ratio_probabilities,
        [Case("three and four classes", 1.5, ratios_plain, shown=True),
         Case("one row, two classes, log-ratios of 1000", 1.5, ratios_hard)],
        {"np.column_stack([X @ np.asarray(theta).T, np.zeros(len(X))]) -> X @ np.asarray(theta).T":
             "two log-ratios speak of three classes: return one column for each",
         "X @ np.asarray(theta).T, np.zeros(len(X)) -> np.zeros(len(X)), X @ np.asarray(theta).T": LAST,
         "np.zeros(len(X)) -> np.ones(len(X))": "the reference has the log-ratio 0", "X @ np -> -X @ np": "the sign",
         "return softmax(np.column_stack([X @ np.asarray(theta).T, np.zeros(len(X))])) -> "
         "e = np.exp(np.column_stack([X @ theta.T, np.zeros(len(X))])); return e / e.sum(axis=1, keepdims=True)": SHIFT,
         "return softmax(np.column_stack([X @ np.asarray(theta).T, np.zeros(len(X))])) -> "
         "e = np.exp(np.column_stack([X @ theta.T, np.zeros(len(X))])); return e / e.sum(axis=0)":
             "the probabilities of one row must sum to 1, over its classes",
         "return softmax(np.column_stack([X @ np.asarray(theta).T, np.zeros(len(X))])) -> "
         "z = np.column_stack([X @ theta.T, np.zeros(len(X))]); e = np.exp(z - z.max()); "
         "return e / e.sum(axis=1, keepdims=True)": "shift each row by its own largest, not all by one number",
         "return softmax(np.column_stack([X @ np.asarray(theta).T, np.zeros(len(X))])) -> "
         "e = np.exp(np.column_stack([X @ theta.T, np.zeros(len(X))])); return e / e.sum()":
             "the probabilities of one row must sum to 1, over its classes",
         "return softmax(np.column_stack([X @ np.asarray(theta).T, np.zeros(len(X))])) -> "
         "return np.exp(np.column_stack([X @ theta.T, np.zeros(len(X))]))": "odds are not yet probabilities",
         "return softmax -> return np.asarray": "log-odds are not yet probabilities",
         "return softmax -> from scipy.special import expit; return expit": "one sum for all classes",
         "X @ np.asarray(theta).T -> X[:, 1:] @ np.asarray(theta)[:, 1:].T": "the first column counts",
         "X @ np.asarray(theta).T -> np.clip(X @ np.asarray(theta).T, -30, 30)": SHIFT,
         "X @ np.asarray(theta).T, np.zeros(len(X)) -> X[:4] @ np.asarray(theta).T, np.zeros(len(X[:4]))": SOME,
         "return softmax -> X[:, 0] = 0; return softmax": STAYS},
        WITHOUT,
    ),
    Question(
        "gradient", softmax_gradient,
        [Case("labels of every class", 2, gradients_plain, shown=True),
         Case("a class that never comes, one row, logits of 1000", 2, gradients_hard)],
        {"np.eye(len(theta))[y] -> np.eye(y.max() + 1)[y]": KNOWN,
         "np.eye(len(theta))[y] -> np.eye(len(np.unique(y)))[y]": KNOWN, "@ X / len(y) -> @ X": MEAN,
         "@ X / len(y) -> @ X / len(theta)": MEAN, "(softmax(X @ theta.T) - one_hot) -> (one_hot - softmax(X @ theta.T))": "the sign is turned",
         "(softmax(X @ theta.T) - one_hot).T @ X / len(y) -> X.T @ (softmax(X @ theta.T) - one_hot) / len(y)":
             "the shape of theta: one row for each class",
         "(softmax(X @ theta.T) - one_hot) -> (softmax(X @ theta.T) - y[:, None])": "1 for the label's class, 0 for the others",
         "(softmax(X @ theta.T) - one_hot) -> softmax(X @ theta.T)": "the labels count",
         "softmax(X @ theta.T) -> softmax((X @ theta.T).T).T": "the softmax of a row",
         "softmax(X @ theta.T) -> np.exp(X @ theta.T) / np.exp(X @ theta.T).sum(axis=1, keepdims=True)":
             "logits of 1000 overflow: only differences count",
         "softmax(X @ theta.T) -> np.exp(X @ theta.T - (X @ theta.T).max()) / "
         "np.exp(X @ theta.T - (X @ theta.T).max()).sum(axis=1, keepdims=True)":
             "shift each row by its own largest, not all by one number",
         "softmax(X @ theta.T) -> softmax(-X @ theta.T)": "the sign of the logits",
         "one_hot = np -> X, y = X[:4], y[:4]; one_hot = np": SOME,
         "@ X / len(y) -> @ X / len(y) * np.r_[0, np.ones(X.shape[1] - 1)]": "the intercepts have slopes, too",
         "@ X / len(y) -> @ X / len(y) / np.log(2)": "the unit is nats",
         "one_hot = np -> X *= 1.5; one_hot = np": STAYS},
        WITHOUT,
    ),
    Question(
        "choose", choose_l2,
        [Case("your own patients", 1, patients, shown=False),
         Case("folds of other sizes and names, the mean over all rows", 3, penalties)],
        {on_fitted_rows: "the smallest penalty looks best on the rows that were fitted", mean_of_fold_means:
             "the mean over all rows, not of the folds' means", out_of_fold_on_average: "by the log loss, not by the accuracy",
         "losses.append(-np.log(of_label).mean()) -> losses.append(((1 - of_label)**2).mean())": "the log loss, not the Brier score",
         "losses.append(-np.log(of_label).mean()) -> losses.append(np.log(of_label).mean())": "the smallest loss",
         "losses.append(-np.log(of_label).mean()) -> losses.append(-of_label.mean())": "the log loss",
         "losses.append(-np.log(of_label).mean()) -> losses.append(-np.median(np.log(of_label)))": "the mean, not the median",
         "fit(X[~out], y[~out], -> fit(X[out], y[out],": FOLD, "for k in np.unique(fold) -> of_label[:] = 0.5\n        for k in np.unique(fold)[1:]": FOLD,
         "out = fold == k -> out = fold != k": FOLD, folds_swapped: FOLD, "of_label[out] = p[np.arange(len(p)), y[out]] -> of_label[out] = p[:, 1]":
             "the probability of the row's own label",
         "out = fold == k -> out = fold == np.unique(fold)[0]; of_label[:] = 0.5": FOLD,
         "y[~out], l2) -> y[~out], l2 * len(y))": "beside the sum of the losses", "y[~out], l2) -> y[~out], l2 / 10)": "beside the sum of the losses",
         "np.unique(fold) -> range(3)": "the folds' names are any whole numbers",
         "candidates[int(np.argmin(losses))] -> int(np.argmin(losses))": "return one of the candidates",
         "candidates[int(np.argmin(losses))] -> sorted(candidates)[len(candidates) // 2]":
             "the candidate with the smallest loss, wherever it stands",
         without_the_last_fold: FOLD, by_the_last_fold: FOLD, by_the_ones: "the rows of both classes count",
         by_the_order: "by the log loss, not by the order of the probabilities",
         within_a_standard_error: "the smallest loss, not the largest penalty within a standard error of it",
         "losses = [] -> losses = []; fold = np.arange(len(y)) % 3": "the folds that are given",
         "losses = [] -> losses = []; candidates.sort()": STAYS},
    ),
]  # fmt: skip
