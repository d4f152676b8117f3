"""Answers to the problem set on measures, wrong and right, and what they earn."""

from tests.assignments.grading import ASSIGNMENTS, ProblemSet

DIGITIZE = """
def bin_counts(scores, n_bins):
    index = np.digitize(scores, np.linspace(0, 1, n_bins + 1)) - 1
    return np.array([np.sum(index == m) for m in range(n_bins)])
"""
NO_BARS = """
def binned_ece(scores, happened, n_bins):
    index = np.searchsorted(np.arange(1, n_bins) / n_bins, scores)
    return np.bincount(index, np.asarray(happened) - scores).sum() / len(scores)
"""
MISREAD = """
reading = {"a": "over-confident", "b": "too high", "c": "over-confident", "d": "more than zero",
           "e": "never higher", "f": "not always"}
"""
THE_COMPANIONS_ERROR = """
from calibration_lessons import expected_calibration_error


def binned_ece(scores, happened, n_bins):
    return expected_calibration_error(happened, scores, n_bins=n_bins)
"""
THE_CHAPTERS_NUMBER = """
def binned_ece(scores, happened, n_bins):
    return 47 / 450
"""
FIVE_BINS = """
def bin_counts(scores, n_bins):
    return np.bincount(np.searchsorted([0.2, 0.4, 0.6, 0.8], scores), minlength=5)
"""
MISREAD_ONE_FOR_THE_REST = """
reading = {"a": "over-confident", "b": "too high", "c": "under-confident", "d": "more than zero",
           "e": "never higher", "f": "always"}
"""
MISREAD_ZERO = """
reading = {"a": "over-confident", "b": "too high", "c": "under-confident", "d": "zero",
           "e": "never higher", "f": "not always"}
"""
A_GENERATOR_OF_ITS_OWN = """
def calibrated_outcomes(scores, draws, rng):
    return np.random.default_rng().random((draws, len(scores))) < scores
"""
PAID = """
def best_paid(said, penalty, beliefs):
    expected = np.outer(1 - beliefs, penalty[0]) + np.outer(beliefs, penalty[1])
    return said[np.argmin(expected, axis=1)]
"""
ITS_PLACE = PAID.replace("said[np.argmin(expected, axis=1)]", "np.argmin(expected, axis=1)")
PARTS = """
def brier_parts(forecasts, happened):
    groups = [happened[forecasts == f] for f in np.unique(forecasts)]
    weight, o = [len(g) / len(happened) for g in groups], np.array([g.mean() for g in groups])
    base, f = happened.mean(), np.unique(forecasts)
    return np.dot(weight, (f - o) ** 2), np.dot(weight, (o - base) ** 2), base * (1 - base)
"""
GROUPS_COUNT_ALIKE = PARTS.replace("len(g) / len(happened)", "1 / len(groups)")
THE_COMPANIONS_PARTS = """
import calibration_lessons as cl


def brier_parts(forecasts, happened):
    return cl.brier_decomposition(happened, forecasts)[:3]
"""
WALKED = """
def furthest(scores, happened):
    sums, so_far = [], 0.0
    for s in sorted(set(scores.tolist())):
        so_far += sum(y - s for t, y in zip(scores, happened) if t == s)
        sums.append(abs(so_far))
    return max(sums) / len(scores)
"""
THE_COMPANIONS_TEST = """
from calibration_lessons import calibration_test


def furthest(scores, happened):
    return calibration_test(happened, scores, method="kolmogorov-smirnov", n_draws=1).statistic
"""
WRONG = {  # not what a slip of the checks is named for
    "ece": [NO_BARS, THE_CHAPTERS_NUMBER],
    "parts": [GROUPS_COUNT_ALIKE, THE_COMPANIONS_PARTS],
    "reading": [MISREAD, MISREAD_ONE_FOR_THE_REST, MISREAD_ZERO],
    "best-paid": [ITS_PLACE],
    "counts": [FIVE_BINS],
    "outcomes": [A_GENERATOR_OF_ITS_OWN],
    "p-value": ["p_value = print"],
    "furthest": [THE_COMPANIONS_TEST],
}
RIGHT = {
    "comparisons and loops": {
        "counts": """
def bin_counts(scores, n_bins):
    m = np.arange(1, n_bins + 1)
    s = np.asarray(scores)[:, None]
    inside = (s > (m - 1) / n_bins) & (s <= m / n_bins)
    inside[:, 0] |= s[:, 0] == 0
    return inside.sum(axis=0)
""",
        "curve": """
def curve(p, y, bins):
    sums = [[0, 0.0, 0] for _ in range(bins)]
    for row, label in zip(p, y):
        best = max(row)
        m = next(m for m in range(bins) if best <= (m + 1) / bins)
        sums[m][0] += 1
        sums[m][1] += best
        sums[m][2] += list(row).index(best) == label
    confidence = [total / n if n else np.nan for n, total, _ in sums]
    return np.array(confidence), np.array([right / n if n else np.nan for n, _, right in sums])
""",
        "ece": """
def binned_ece(scores, happened, n_bins):
    total = 0
    for m in range(1, n_bins + 1):
        low = -1 if m == 1 else (m - 1) / n_bins
        here = (scores > low) & (scores <= m / n_bins)
        gap = np.mean(np.asarray(happened)[here]) - np.mean(scores[here]) if here.any() else 0
        total += here.mean() * abs(gap)
    return total
""",
        "outcomes": """
def calibrated_outcomes(p, repeats, source):
    return np.array([[1 if source.random() < chance else 0 for chance in p] for _ in range(repeats)])
""",
        "p-value": """
def p_value(observed, drawn):
    everyone = sorted([observed, *drawn])
    return sum(error >= observed for error in everyone) / len(everyone)
""",
        "best-paid": """
def best_paid(said, penalty, q):
    def cost(j, belief):
        return sum(c * penalty[y][j] for y, c in enumerate((1 - belief, belief)) if c)

    return [said[min(range(len(said)), key=lambda j: cost(j, belief))] for belief in q]
""",
        "parts": """
def brier_parts(forecasts, happened):
    groups = {}
    for f, y in zip(forecasts.tolist(), happened):
        groups.setdefault(f, []).append(y)
    base = sum(happened) / len(happened)
    rel = sum(len(ys) * (f - sum(ys) / len(ys)) ** 2 for f, ys in groups.items()) / len(happened)
    brier = sum((f - y) ** 2 for f, y in zip(forecasts, happened)) / len(happened)
    return [rel, rel + base * (1 - base) - brier, base * (1 - base)]
""",
        "furthest": WALKED,
    },
    "single precision and another student": {
        "student": 'STUDENT_ID = "grace"',
        "by-hand": "bias, ece, mce = -0.088, 0.130, 0.363",
        "ece": """
def binned_ece(s, came, M):
    index = (np.asarray(s)[:, None] > np.arange(1, M) / M).sum(axis=1)
    gap = np.zeros(M, dtype=np.float32)
    np.add.at(gap, index, np.float32(came) - np.float32(s))
    return np.float32(np.abs(gap).sum() / len(s))
""",
        "outcomes": """
def calibrated_outcomes(scores, draws, rng):
    return np.float32(rng.random(size=(draws, np.size(scores))) < np.float32(scores))
""",
        "p-value": """
def p_value(observed, drawn):
    return np.float32(np.mean(np.append(drawn, observed) >= observed))
""",
        "best-paid": """
def best_paid(said, penalty, beliefs):
    q = np.float32(beliefs)[:, None]
    dry = np.where(q < 1, (1 - q) * np.float32(np.where(q < 1, penalty[0], 0)), 0)
    wet = np.where(q > 0, q * np.float32(np.where(q > 0, penalty[1], 0)), 0)
    return np.float32(said)[np.argmin(dry + wet, axis=1)]
""",
        "furthest": """
def furthest(s, came):
    order = np.argsort(s)
    walk = np.cumsum(np.float32(came - s)[order])
    last = np.append(np.diff(s[order]) > 0, True)
    return np.abs(walk[last]).max() / np.float32(len(s))
""",
        "parts": PARTS.replace(
            "def brier_parts(forecasts, happened):",
            "def brier_parts(p, happened):\n    forecasts = np.float32(p)",
        ),
    },
}


class TestMeasures(ProblemSet):
    source = ASSIGNMENTS / "source/measures/measures.ipynb"
    wrong = WRONG
    right = RIGHT
