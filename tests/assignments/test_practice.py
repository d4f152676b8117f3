"""Answers to the problem set of an audit, wrong and right, and what they earn."""

from tests.assignments.grading import ASSIGNMENTS, ProblemSet

A_NEIGHBOUR = """
threshold, refer_from, refer_to = 0.286, 0.135, 0.662
undone, alarm_from = 0.118, 0.737
"""
MISS_ABOVE = """
threshold, refer_from, refer_to = miss / (false_alarm + miss), referral / miss, 1 - referral / false_alarm
"""
ODDS = """
threshold, refer_from, refer_to = false_alarm / miss, referral / miss, 1 - referral / false_alarm
"""
IN_VAIN = """
threshold = false_alarm / (false_alarm + miss)
refer_from, refer_to = referral / miss, referral / false_alarm
"""
GROUPS = """
def equal_mass_ece(y, p, n_bins):
    groups = np.array_split(np.argsort(p, kind="stable"), n_bins)
    return sum(abs(np.sum((y - p)[group])) for group in groups) / len(p)
"""
UNWEIGHTED = """
def equal_mass_ece(y, p, n_bins):
    groups = np.array_split(np.argsort(p, kind="stable"), n_bins)
    return np.mean([abs(np.mean((y - p)[group])) for group in groups])
"""
GAIN = """
def brier_gain(y, before, after):
    falls = (before - y) ** 2 - (after - y) ** 2
    half = 1.96 * np.std(falls) / np.sqrt(len(y))
    return falls.mean(), falls.mean() - half, falls.mean() + half
"""
LOSS_FOR_GAIN = GAIN.replace("(before - y) ** 2 - (after - y) ** 2", "(after - y) ** 2 - (before - y) ** 2")
DEVIATION = GAIN.replace(" / np.sqrt(len(y))", "")
DECIDED = """
def decide(p, costs, referral):
    expected = np.stack([1 - p, p], axis=1) @ costs
    return np.where(expected.min(axis=1) > referral, -1, expected.argmin(axis=1))
"""
BILLED = """
def bill(p, y, decision, costs, referral):
    table = np.column_stack([costs, [referral, referral]])
    expected = np.stack([1 - p, p], axis=1) @ table
    return expected[np.arange(len(p)), decision].mean(), table[y, decision].mean()
"""
LAST_COLUMN = BILLED.replace("np.column_stack([costs, [referral, referral]])", "costs")
OF_THE_CHEAPEST = BILLED.replace("expected[np.arange(len(p)), decision]", "expected.min(axis=1)")
REFERRED_LEFT_OUT = """
def bill(p, y, decision, costs, referral):
    p, y, decision = (values[decision >= 0] for values in (p, y, decision))
    return ((1 - p) * costs[0, decision] + p * costs[1, decision]).mean(), costs[y, decision].mean()
"""
REPORTED = """
learned, judged, report = calibration_rows, test_rows, {}
platt = cl.PlattScaling().fit(z[learned], worse[learned])
for name, p in (("before", expit(z[judged])), ("after", platt.predict_proba(z[judged])[:, 1])):
    decision = cl.decisions.optimal_decision(p, costs, abstaining_cost=referral)
    report[f"ece {name}"] = cl.expected_calibration_error(worse[judged], p, n_bins=10)
    report[f"chance {name}"] = cl.ece_under_calibration(p, n_bins=10, random_state=0).mean
    report[f"cost {name}"] = cl.decisions.mean_cost(worse[judged], decision, costs, abstaining_cost=referral)
"""
SOMEBODY_ELSES = """
report = {"ece before": 0.231, "ece after": 0.083, "chance before": 0.061, "chance after": 0.072,
          "cost before": 3.457, "cost after": 1.914}
"""
MOVED = """
def moved(p, old, new):
    q = p * (new / new.sum()) / (old / old.sum())
    return q / q.sum(axis=1)[:, None]
"""
TWO_CLASSES = """
def moved(p, old, new):
    ill = p[:, 1] * new[1] / old[1]
    q = ill / (ill + (1 - p[:, 1]) * (1 - new[1]) / (1 - old[1]))
    return np.column_stack([1 - q, q])
"""
THE_COMPANIONS_MOVE = """
def moved(p, old, new):
    return cl.decisions.adjust_to_priors(p, train_priors=old / np.sum(old), new_priors=new / np.sum(new))
"""
UPDATED = """
def intercept_update(z, y):
    from scipy.optimize import brentq

    if np.min(y) == np.max(y):
        raise ValueError("one class only")
    share = np.mean(y)
    odds = np.log(share / (1 - share))
    return brentq(lambda b: expit(z + b).mean() - share, odds - max(z) - 1, odds - min(z) + 1, xtol=1e-12)
"""
FIXED_BRACKET = UPDATED.replace("odds - max(z) - 1, odds - min(z) + 1", "-20, 20")
NEWTON_FROM_ZERO = """
def intercept_update(z, y):
    b = 0.0
    for _ in range(50):
        p = expit(z + b)
        b -= np.mean(p - y) / np.mean(p * (1 - p))
    return b
"""
THE_COMPANIONS_UPDATE = """
def intercept_update(z, y):
    if np.mean(y) in (0, 1):
        raise ValueError("one class only")
    return cl.PlattScaling(prior_targets=False, slope=1.0).fit(z, y).intercept_
"""
MERGED = """
def merged_ece(rows, promised, came):
    bins = range(rows.shape[1])
    return sum(abs(sum(came[:, m]) - sum(promised[:, m])) for m in bins) / rows.sum()
"""
MEAN_OF_ERRORS = """
def merged_ece(rows, promised, came):
    return np.mean(np.abs(came - promised).sum(axis=1) / np.maximum(rows.sum(axis=1), 1))
"""

LISTED = """
def shortlists(p, labels, new_p, alpha):
    missed = sorted(1 - row[k] for row, k in zip(p, labels))
    limit = next((s for i, s in enumerate(missed) if i + 1 >= (len(p) + 1) * (1 - alpha)), 1)
    return [[1 - q <= limit for q in row] for row in new_p]
"""
UNTIL_IT_ADDS_UP = LISTED.replace("1 - q <= limit", "sum(r for r in row if r > q) < 1 - alpha")
COVERED = """
def answered(confidence, right, limit):
    order = np.argsort(-confidence)
    risk = np.cumsum(1 - right[order]) / np.arange(1, len(order) + 1)
    ends = np.append(np.diff(confidence[order]) < 0, True)
    kept = np.flatnonzero(ends & (risk <= limit))
    return (kept[-1] + 1) / len(order) if len(kept) else 0
"""
BY_CONFIDENCE = """
def answered(confidence, right, limit):
    return np.mean(confidence >= 1 - limit)
"""
THE_COMPANIONS_CURVE = """
def answered(confidence, right, limit):
    found = cl.decisions.risk_coverage(right, np.where(right == 1, confidence, 1 - confidence))
    return max(found.coverage[found.risk <= limit], default=0)
"""
KEPT = """
def keep(labels, runs, new_labels, new_runs):
    def nll(y, z):
        return cl.negative_log_likelihood(y, z, from_logits=True)

    mended = [cl.TemperatureScaling().fit(z, labels) for z in runs]
    left = [nll(labels, z / m.temperature_) for z, m in zip(runs, mended)]
    new = [nll(new_labels, z / m.temperature_) for z, m in zip(new_runs, mended)]
    run = int(np.argmin(left))
    return run, new[0] - new[run]
"""
CHOSEN = """
def choices(logits, tokens, temperature):
    s = np.zeros(len(tokens))
    for k, answer in enumerate(tokens):
        for place, token in enumerate(answer):
            if token >= 0:
                z = logits[k, place] - np.max(logits[k, place])
                s[k] += z[token] - np.log(np.sum(np.exp(z)))
    q = np.exp((s - max(s)) / temperature)
    return q / sum(q)
"""
A_SAMPLING_TEMPERATURE = CHOSEN.replace(
    "logits[k, place] - np.max(logits[k, place])",
    "(logits[k, place] - np.max(logits[k, place])) / temperature",
).replace("(s - max(s)) / temperature", "s - max(s)")
WRONG = {  # not what a slip of the checks is named for
    "intercept": [FIXED_BRACKET, NEWTON_FROM_ZERO, THE_COMPANIONS_UPDATE],
    "merged": [MEAN_OF_ERRORS],
    "audit": [UNWEIGHTED],
    "shortlists": [UNTIL_IT_ADDS_UP],
    "choices": [A_SAMPLING_TEMPERATURE],
    "by-hand": [MISS_ABOVE, ODDS, A_NEIGHBOUR, IN_VAIN],
    "gain": [LOSS_FOR_GAIN, DEVIATION],
    "bill": [LAST_COLUMN, REFERRED_LEFT_OUT, OF_THE_CHEAPEST],
    "report": [SOMEBODY_ELSES],
    "moved": [TWO_CLASSES, THE_COMPANIONS_MOVE],
    "answered": [BY_CONFIDENCE, THE_COMPANIONS_CURVE],
}
RIGHT = {
    "loops": {
        "student": "STUDENT_ID = 'grace'",
        "audit": """
def equal_mass_ece(outcomes, scores, k):
    pairs = sorted(zip(scores, range(len(scores)), outcomes))
    total, start = 0.0, 0
    for b in range(k):
        stop = start + len(pairs) // k + (1 if b < len(pairs) % k else 0)
        total += abs(sum(happened - score for score, _, happened in pairs[start:stop]))
        start = stop
    return total / len(pairs)
""",
        "mend": """
from scipy.optimize import minimize


def recalibrated(z, y, fit_rows, calibration_rows, test_rows):
    s, t = z[calibration_rows], y[calibration_rows]
    target = np.where(t == 1, (t.sum() + 1) / (t.sum() + 2), 1 / (len(t) - t.sum() + 2))

    def loss(line):
        return np.mean(np.logaddexp(0, line[0] * s + line[1]) - target * (line[0] * s + line[1]))

    a, b = minimize(loss, [1.0, 0.0], tol=1e-10).x
    return [1 / (1 + np.exp(-a * value - b)) for value in z[test_rows]]
""",
        "gain": """
import statistics


def brier_gain(y, before, after):
    falls = [float((b - t) ** 2 - (a - t) ** 2) for t, b, a in zip(y, before, after)]
    centre, error = statistics.mean(falls), statistics.stdev(falls) / len(falls) ** 0.5
    return [centre, centre - 1.96 * error, centre + 1.96 * error]
""",
        "decide": """
def decide(p, costs, referral):
    chosen = []
    for q in p:
        expected = [(1 - q) * without + q * ill for without, ill in zip(costs[0], costs[1])]
        cheapest = min(range(len(expected)), key=lambda d: expected[d])
        chosen.append(-1 if expected[cheapest] > referral else cheapest)
    return chosen
""",
        "bill": """
def bill(p, y, decision, costs, referral):
    promised = paid = 0.0
    for q, label, d in zip(p, y, decision):
        promised += referral if d == -1 else (1 - q) * costs[0][d] + q * costs[1][d]
        paid += referral if d == -1 else costs[label][d]
    return promised / len(p), paid / len(p)
""",
        "report": REPORTED,
        "moved": """
def moved(probabilities, old, new):
    rows = []
    for row in probabilities:
        weighed = [p * b / a for p, a, b in zip(row, old, new)]
        rows.append([value / sum(weighed) for value in weighed])
    return rows
""",
        "intercept": UPDATED,
        "merged": MERGED,
        "answered": COVERED,
        "shortlists": LISTED,
        "keep": KEPT,
        "choices": CHOSEN,
    },
    "single precision, other names": {
        "student": "STUDENT_ID = 's1234567'",
        "by-hand": """
fine = np.float32(false_alarm)
threshold, refer_from, refer_to = 1 / (1 + miss / fine), np.float32(referral / miss), 1 - referral / fine
undone, alarm_from = 1 / (1 + weight * (1 / told - 1)), 1 / (1 + (1 / threshold - 1) / weight)
""",
        "audit": """
def equal_mass_ece(y, p, n_bins):
    q = np.asarray(p, dtype=np.float32)
    rows = np.lexsort((np.arange(len(q)), p))
    return np.sum([np.abs((y[part] - q[part]).sum()) for part in np.array_split(rows, n_bins)]) / len(q)
""",
        "mend": """
def recalibrated(z, y, _, new, judges):
    scores = np.asarray(z, dtype=np.float32)
    return cl.PlattScaling().fit(scores[new], y[new]).predict_proba(scores[judges])[:, 1].astype(np.float32)
""",
        "gain": GAIN,
        "decide": DECIDED,
        "bill": BILLED,
        "report": REPORTED.replace("expit(z[judged])", "1 / (1 + np.exp(-z[judged]))"),
        "moved": MOVED.replace("p *", "np.float32(p) *"),
        "intercept": """
def intercept_update(z, y):
    n, k = len(y), int(np.sum(y))
    if k in (0, n):
        raise ValueError(f"{k} of {n} rows are ill")
    z, b = np.array(z, dtype=float), np.log(k / (n - k)) - np.median(z)
    for _ in range(500):
        p = 1 / (1 + np.exp(-np.clip(z + b, -700, 700)))
        step = (np.sum(p) - k) / max(np.sum(p * (1 - p)), 1e-9)
        b -= np.clip(step, -1, 1)
    return np.float32(b)
""",
        "answered": """
def answered(sure, hits, limit):
    shares = [0]
    for least in set(np.float32(sure)):
        rows = np.float32(sure) >= least
        shares += [rows.mean()] * bool(1 - hits[rows].mean(dtype=np.float32) <= limit + 1e-6)
    return np.float32(max(shares))
""",
        "shortlists": """
def shortlists(p, y, q, alpha):
    s = np.float32(1 - np.take_along_axis(np.asarray(p), y[:, None], axis=1)[:, 0])
    k = int(np.ceil((len(s) + 1) * (1 - alpha)))
    limit = np.partition(np.append(s, np.float32(1)), min(k, len(s) + 1) - 1)[min(k, len(s) + 1) - 1]
    return (np.float32(1 - q) <= limit).astype(int)
""",
        "keep": """
from scipy.optimize import minimize_scalar


def keep(y, runs, y_new, new):
    def cost(z, y, log_t):
        z = np.float32(z) / np.float32(np.exp(log_t))
        top = z.max(axis=1)
        return np.mean(top - z[np.arange(len(y)), y] + np.log(np.exp(z - top[:, None]).sum(axis=1)))

    best = [minimize_scalar(lambda u: cost(z, y, u), bounds=(-4, 4), method="bounded") for z in runs]
    k = min(range(len(runs)), key=lambda r: best[r].fun)
    return [k, cost(new[0], y_new, best[0].x) - cost(new[k], y_new, best[k].x)]
""",
        "choices": """
def choices(z, t, temperature):
    z = np.asarray(z, dtype=np.float32)
    own = np.take_along_axis(z, np.where(t < 0, 0, t)[..., None], axis=-1)[..., 0]
    s = ((own - np.logaddexp.reduce(z, axis=-1)) * (t >= 0)).sum(axis=1)
    return 1 / np.exp((s[None, :] - s[:, None]) / np.float32(temperature)).sum(axis=1)
""",
        "merged": """
def merged_ece(n, promised, came):
    return np.float32(np.linalg.norm(np.float32(promised - came).sum(axis=0), 1) / n.sum())
""",
    },
}


class TestPractice(ProblemSet):
    source = ASSIGNMENTS / "source/practice/practice.ipynb"
    wrong = WRONG
    right = RIGHT
