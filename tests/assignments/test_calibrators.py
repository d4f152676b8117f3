"""Answers to the problem set on calibrators, wrong and right, and what they earn."""

from tests.assignments.grading import ASSIGNMENTS, ProblemSet

LOOSE = """
def fit_consistency(labels, logits):
    from scipy.optimize import root_scalar

    z = np.asarray(logits)
    accuracy = np.mean(z.argmax(axis=1) == labels)
    surplus = lambda t: softmax(z / t).max(axis=1).mean() - accuracy
    return root_scalar(surplus, bracket=[0.01, 10], rtol=1e-3).root
"""
BLIND_TO_TIES = """
def fit_consistency(labels, logits):
    from scipy.optimize import brentq

    z = np.asarray(logits, dtype=float)
    accuracy = np.mean(z.argmax(axis=1) == labels)
    if accuracy == 1 or accuracy <= 1 / z.shape[1]:
        raise ValueError("no temperature")
    scale = np.log(np.abs(z).max())
    log_t = brentq(lambda s: softmax(z / np.exp(s)).max(axis=1).mean() - accuracy, scale - 15, scale + 15)
    return np.exp(log_t)
"""
AS_TEMPERATURE = """
def fit_consistency(labels, logits):
    return fit_temperature(labels, logits)
"""
BINNED = """
def binned(scores, labels, new_scores, n_bins):
    number = lambda s: np.maximum(np.ceil(s * n_bins).astype(int) - 1, 0)
    here = [number(scores) == m for m in range(n_bins)]
    values = [labels[one].mean() if one.any() else (m + 0.5) / n_bins for m, one in enumerate(here)]
    return np.array(values)[number(new_scores)]
"""
MEAN_SCORE = BINNED.replace("labels[one].mean()", "scores[one].mean()")
THE_COMPANIONS_BINS = """
def binned(scores, labels, new_scores, n_bins):
    from calibration_lessons import HistogramBinning

    return HistogramBinning(n_bins=n_bins).fit(scores, labels).predict_proba(new_scores)[:, 1]
"""
POOLED = """
def pooled(scores, labels, weights):
    stack = []
    for s in np.unique(scores):
        here = scores == s
        stack.append((np.average(labels[here], weights=weights[here]), weights[here].sum(), s))
        while len(stack) > 1 and stack[-2][0] > stack[-1][0]:
            (u, v, _), (x, y, end) = stack.pop(-2), stack.pop()
            stack.append(((u * v + x * y) / (v + y), v + y, end))
    ends = [end for _, _, end in stack]
    return np.array([value for value, _, _ in stack])[np.searchsorted(ends, scores)]
"""
SCIPYS = """
def pooled(scores, labels, weights):
    from scipy.optimize import isotonic_regression

    places, place = np.unique(scores, return_inverse=True)
    weight = np.bincount(place, weights)
    return isotonic_regression(np.bincount(place, weights * labels) / weight, weights=weight).x[place]
"""
SCIKIT_LEARNS = """
from sklearn.isotonic import IsotonicRegression


def pooled(scores, labels, weights):
    return IsotonicRegression().fit(scores, labels, sample_weight=weights).predict(scores)
"""
JOINED = """
def venn_abers(scores, labels, new_scores):
    def read(new, label):
        s, t = np.append(scores, new), np.append(labels, label)
        shares = [min(t[(s >= a) & (s <= b)].mean() for b in s if b >= new) for a in s if a <= new]
        return max(shares)

    p0, p1 = (np.array([read(new, label) for new in new_scores]) for label in (0, 1))
    return p0, p1, p1 / (1 - p0 + p1)
"""
THE_COMPANIONS_INTERVAL = """
def venn_abers(scores, labels, new_scores):
    from calibration_lessons import VennAbersCalibration

    fitted = VennAbersCalibration().fit(scores, labels)
    p0, p1 = fitted.predict_interval(new_scores).T
    return p0, p1, fitted.predict_proba(new_scores)[:, 1]
"""
POWERS = """
def beta_calibrated(scores, labels, new_scores):
    from scipy.special import expit, log1p

    def rows(p, kept):
        logs = np.column_stack([np.log(p), -log1p(-p), np.ones(len(p))])
        return logs[:, kept]

    for kept in ([0, 1, 2], [0, 2], [1, 2], [2]):
        X, theta = rows(scores, kept), np.zeros(len(kept))
        for _ in range(60):
            q = expit(X @ theta)
            theta = theta + np.linalg.solve((X.T * (q * (1 - q))) @ X, X.T @ (labels - q))
        slope = rows(scores, [0, 1]).T @ (labels - expit(X @ theta))
        left_out = [k for k in (0, 1) if k not in kept]
        if np.all(theta[:-1] >= 0) and np.all(slope[left_out] <= 1e-6):
            return expit(rows(new_scores, kept) @ theta)
"""
THE_COMPANIONS_BETA = """
def beta_calibrated(scores, labels, new_scores):
    from calibration_lessons import BetaCalibration

    return BetaCalibration().fit(scores, labels).predict_proba(new_scores)[:, 1]
"""
AGAINST = """
def one_vs_rest(z, slopes, intercepts):
    from scipy.special import expit

    odds = np.empty(z.shape)
    for k in range(z.shape[1]):
        rivals = np.delete(z, k, axis=1)
        top = rivals.max(axis=1)
        odds[:, k] = z[:, k] - top - np.log(np.exp(rivals - top[:, None]).sum(axis=1))
    r = expit(slopes * odds + intercepts)
    r[r.sum(axis=1) == 0] = 1
    return r / r.sum(axis=1, keepdims=True)
"""
POOLED_CURVE = """
def one_curve(labels, p, new_p):
    from calibration_lessons import IsotonicCalibration

    hits = (np.arange(p.shape[1]) == labels[:, None]).astype(int)
    curve = IsotonicCalibration().fit(p.ravel(), hits.ravel())
    g = curve.predict_proba(new_p.ravel())[:, 1].reshape(new_p.shape) + 1e-6 * new_p
    return g / g.sum(axis=1)[:, None]
"""
THE_COMPANIONS_CURVE = """
def one_curve(labels, p, new_p):
    from calibration_lessons import MultiClassIsotonic

    return MultiClassIsotonic(smoothing=0).fit(p, labels).predict_proba(new_p)
"""
BIASES = """
def fit_biases(labels, logits, strength):
    n, k = logits.shape
    b, rows = np.zeros(k), np.arange(n)
    loss = lambda b: strength / 2 * b @ b - np.log(softmax(logits + b)[rows, labels]).sum()
    for _ in range(100):
        q = softmax(logits + b)
        slope = q.sum(axis=0) - np.bincount(labels, minlength=k) + strength * b
        step = np.linalg.solve(np.diag(q.sum(axis=0)) - q.T @ q + strength * np.eye(k), slope)
        while loss(b - step) > loss(b) + 1e-9:
            step = step / 2
        b = b - step
    return b
"""
THE_COMPANIONS_MATRIX = """
def fit_biases(labels, logits, strength):
    from calibration_lessons import MatrixScaling

    return MatrixScaling("bias", strength=strength).fit(logits, labels).intercept_
"""
WRONG = {  # not what a slip of the checks is named for
    "fit-consistency": [LOOSE, BLIND_TO_TIES, AS_TEMPERATURE],
    "binned": [MEAN_SCORE, THE_COMPANIONS_BINS],
    "pooled": [SCIPYS, SCIKIT_LEARNS],
    "venn-abers": [THE_COMPANIONS_INTERVAL],
    "beta": [THE_COMPANIONS_BETA],
    "one-curve": [THE_COMPANIONS_CURVE],
    "biases": [THE_COMPANIONS_MATRIX],
}
RIGHT = {
    "loops, another library, halving": {
        "tempered-softmax": """
def tempered_softmax(z, T):
    rows = []
    for row in np.asarray(z, dtype=float):
        e = [np.exp((value - max(row)) / T) for value in row]
        rows.append([value / sum(e) for value in e])
    return np.array(rows)
""",
        "nll": """
from scipy.special import log_softmax


def nll(y, z, T):
    logs = log_softmax(np.asarray(z, dtype=np.float64) / T, axis=1)
    return float(np.mean([-row[k] for row, k in zip(logs, y)]))
""",
        "fit-temperature": """
def fit_temperature(y, z):
    z = np.asarray(z, dtype=float)
    own = z[np.arange(len(z)), y]
    if np.all(own == z.max(axis=1)) or np.sum(own - z.mean(axis=1)) <= 0:
        raise ValueError("no finite temperature")
    low, high = 1e-6 / np.abs(z).max(), 1e6 / np.abs(z).max()
    for _ in range(200):
        middle = np.sqrt(low * high)
        expected = (softmax(middle * z) * z).sum(axis=1).mean()
        low, high = (middle, high) if expected < own.mean() else (low, middle)
    return 1 / middle
""",
        "fit-consistency": """
def fit_consistency(y, z):
    z = np.array(z, dtype=float)
    z -= z.max(axis=1, keepdims=True)
    right = np.mean(z.argmax(axis=1) == y)
    coldest = np.mean([1 / np.sum(row == 0) for row in z])
    if right >= coldest or right <= 1 / z.shape[1]:
        raise ValueError("no temperature")
    low, high = np.log(-z.min()) - 30, np.log(-z.min()) + 30
    for _ in range(120):
        t = np.exp((low + high) / 2)
        claimed = np.mean(1 / np.exp(z / t).sum(axis=1))
        low, high = ((low + high) / 2, high) if claimed > right else (low, (low + high) / 2)
    return t
""",
        "judge": """
def judge(k):
    parts = [datasets.network_logits(k, part) for part in ("calibration", "test")]
    T = fit_temperature(parts[0].labels, parts[0].logits)
    y, z = parts[1].labels, parts[1].logits
    return [expected_calibration_error(y, z / t, from_logits=True) for t in (1, T)]
""",
        "binned": """
def binned(scores, labels, new_scores, n_bins):
    told = []
    for new in new_scores:
        m = next(m for m in range(1, n_bins + 1) if new <= m / n_bins)
        low = -1 if m == 1 else (m - 1) / n_bins
        seen = [y for s, y in zip(scores, labels) if low < s <= m / n_bins]
        told.append(sum(seen) / len(seen) if seen else (m - 0.5) / n_bins)
    return told
""",
        "pooled": """
def pooled(scores, labels, weights):
    def mean(low, high):
        here = (scores >= low) & (scores <= high)
        return np.average(labels[here], weights=weights[here])

    places = np.unique(scores)
    value = {s: max(min(mean(a, b) for b in places if b >= s) for a in places if a <= s) for s in places}
    return [value[s] for s in scores]
""",
        "venn-abers": JOINED,
        "beta": POWERS,
        "one-vs-rest": AGAINST,
        "one-curve": """
def one_curve(labels, p, new_p):
    pairs = {}
    for row, y in zip(p, labels):
        for k, value in enumerate(row):
            seen = pairs.setdefault(float(value), [0, 0])
            seen[0], seen[1] = seen[0] + (k == y), seen[1] + 1
    blocks = []
    for value in sorted(pairs):
        blocks.append([*pairs[value], value, value])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            ones, rows, _, end = blocks.pop()
            blocks[-1] = [blocks[-1][0] + ones, blocks[-1][1] + rows, blocks[-1][2], end]
    ends = [end for block in blocks for end in block[2:]]
    levels = [block[0] / block[1] for block in blocks for _ in (0, 1)]
    found = []
    for row in new_p:
        g = [(1 - 1e-6) * np.interp(value, ends, levels) + 1e-6 * value for value in row]
        found.append([value / sum(g) for value in g])
    return found
""",
        "biases": BIASES,
    },
    "single precision and another student": {
        "student": 'STUDENT_ID = "grace"',
        "by-hand": "confidence, temperature, cost = 0.953, 2.522, 0.543",
        "tempered-softmax": """
def tempered_softmax(logits, temperature):
    z = np.asarray(logits, dtype=np.float32) / np.float32(temperature)
    e = np.exp(z - z.max(axis=-1)[:, None])
    return e / e.sum(axis=-1)[:, None]
""",
        "nll": """
def nll(labels, logits, temperature):
    z = np.asarray(logits, dtype=np.float32) / temperature
    return np.mean(np.logaddexp.reduce(z, axis=1) - np.take_along_axis(z, np.c_[labels], axis=1)[:, 0])
""",
        "judge": """
def judge(network):
    fitted = TemperatureScaling().fit(*datasets.network_logits(network, "calibration"))
    z, y = datasets.network_logits(network, "test")
    before, after = softmax(z), np.float32(fitted.predict_proba(z))
    return tuple(expected_calibration_error(y, p) for p in (before, after))
""",
        "binned": """
def binned(scores, labels, new_scores, n_bins):
    edges = np.linspace(0, 1, n_bins + 1, dtype=np.float32)[1:-1]
    index, asked = np.digitize([*scores], edges, right=True), np.digitize(new_scores, edges, right=True)
    values = np.float32((np.arange(n_bins) + 0.5) / n_bins)
    for m in set(index):
        values[m] = np.mean(labels[index == m])
    return values[asked]
""",
        "pooled": POOLED,
        "venn-abers": """
def venn_abers(scores, labels, new_scores):
    from calibration_lessons import IsotonicCalibration

    ends = np.empty((2, len(new_scores)), dtype=np.float32)
    for i, new in enumerate(new_scores):
        for label in (0, 1):
            fitted = IsotonicCalibration().fit(np.r_[scores, new], np.r_[labels, label])
            ends[label, i] = fitted.predict_proba(np.array([new]))[0, 1]
    return *ends, ends[1] / (1 + ends[1] - ends[0])
""",
        "beta": """
def beta_calibrated(s, y, new):
    from scipy.optimize import minimize

    def z(p, a, b, c):
        return a * np.log(p) - b * np.log(1 - p) + c

    def loss(theta):
        return np.logaddexp(0, np.where(y == 1, -1, 1) * z(s, *theta)).sum()

    best = minimize(loss, [1, 1, 0], bounds=[(0, None), (0, None), (-99, 99)], tol=1e-10).x
    return np.float32(1 / (1 + np.exp(-z(new, *best))))
""",
        "one-vs-rest": """
def one_vs_rest(logits, slopes, intercepts):
    from scipy.special import expit

    z = np.asarray(logits, dtype=np.float32)
    others = np.where(np.eye(z.shape[1], dtype=bool), -np.inf, z[:, None, :])
    r = expit(np.float32(slopes) * (z - np.logaddexp.reduce(others, axis=2)) + np.float32(intercepts))
    r = np.where(r.sum(axis=1, keepdims=True) > 0, r, 1)
    return r / r.sum(axis=1, keepdims=True)
""",
        "one-curve": POOLED_CURVE.replace("p.ravel(), hits", "np.float32(p).ravel(), hits"),
        "biases": """
from scipy.optimize import minimize
from scipy.special import log_softmax


def fit_biases(y, z, strength):
    def loss(b):
        return -np.sum([row[k] for row, k in zip(log_softmax(z + b, axis=1), y)]) + strength * (b @ b) / 2

    return minimize(loss, np.zeros(z.shape[1]), tol=1e-10).x
""",
    },
}


class TestCalibrators(ProblemSet):
    source = ASSIGNMENTS / "source/calibrators/calibrators.ipynb"
    wrong = WRONG
    right = RIGHT
