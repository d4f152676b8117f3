"""Answers to the problem set on kinds of uncertainty, wrong and right, and what they earn."""

from tests.assignments.grading import ASSIGNMENTS, ProblemSet

PARTS_IN_NATS = """
def coin_parts(heads, tosses, prior=(1, 1)):
    from scipy.stats import bernoulli, beta

    posterior = beta(prior[0] + heads, prior[1] + tosses - heads)
    h = (np.arange(10_000) + 0.5) / 10_000
    weights = posterior.pdf(h) / posterior.pdf(h).sum()
    total, aleatoric = bernoulli(posterior.mean()).entropy(), weights @ bernoulli(h).entropy()
    return total, aleatoric, total - aleatoric
"""
SPLIT_IN_NATS = """
def split_doubt(member_probs):
    total = cl.uncertainty.entropy(member_probs.mean(axis=0), base="nats")
    aleatoric = cl.uncertainty.entropy(member_probs, base="nats").mean(axis=0)
    return total, aleatoric, total - aleatoric
"""
OVER_THE_ROWS = """
def split_doubt(member_probs):
    total = cl.uncertainty.entropy(member_probs.mean(axis=1), base="bits")
    aleatoric = cl.uncertainty.entropy(member_probs, base="bits").mean(axis=1)
    return total, aleatoric, total - aleatoric
"""
THREE_MEMBERS = """
def split_doubt(member_probs):
    from scipy.special import entr

    total = entr(member_probs.sum(axis=0) / 3).sum(axis=1) / np.log(2)
    aleatoric = entr(member_probs).sum(axis=(0, 2)) / 3 / np.log(2)
    return total, aleatoric, total - aleatoric
"""

WRONG = {  # not what a slip of the checks is named for
    "coin-parts": [PARTS_IN_NATS],
    "split": [SPLIT_IN_NATS, OVER_THE_ROWS, THREE_MEMBERS],
}
RIGHT = {
    "loops, an integral, a fine grid, variances": {
        "coin-parts": """
from scipy.integrate import quad
from scipy.stats import bernoulli, beta

def coin_parts(s, n, prior=(1, 1)):
    posterior = beta(prior[0] + s, prior[1] + n - s)
    p = posterior.mean()
    mean, _ = quad(lambda h: posterior.pdf(h) * bernoulli.entropy(h), 0, 1, points=[p], epsabs=1e-8)
    whole = bernoulli.entropy(p) / np.log(2)
    return [whole, mean / np.log(2), whole - mean / np.log(2)]
""",
        "plausibility": """
import math

def case_for_heads(s, n):
    if n == 0:
        return 1.0
    def log(x):
        return math.log(x) if x > 0 else -math.inf
    def log_likelihood(h):
        return (s * log(h) if s else 0) + ((n - s) * log(1 - h) if n - s else 0)
    case = 0
    for i in range(5001):
        h = 0.5 + i / 10_000
        case = max(case, min(math.exp(log_likelihood(h) - log_likelihood(s / n)), 2 * h - 1))
    return case
""",
        "split": """
def split_doubt(members):
    J, n, K = members.shape
    parts = [[], [], []]
    for i in range(n):
        whole = inside = 0
        for k in range(K):
            mean = sum(members[j, i, k] for j in range(J)) / J
            whole -= mean * np.log2(mean) if mean > 0 else 0
            for j in range(J):
                inside -= members[j, i, k] * np.log2(members[j, i, k]) / J if members[j, i, k] > 0 else 0
        for part, value in zip(parts, (whole, inside, whole - inside)):
            part.append(value)
    return tuple(np.array(part) for part in parts)
""",
        "local": """
def local_confidence(rows, labels, x0, c, width, K):
    agree, near = 1, K
    for row, label in zip(rows, labels):
        k = np.exp(-sum((u - v) ** 2 for u, v in zip(row, x0)) / 2 / width**2)
        near += k
        agree += k if label == c else 0
    return float(agree / near)
""",
        "alarm": "def alarm(members):\n    return members.var(axis=0).sum(axis=1)",
    },
    "float32 and another student": {
        "student": 'STUDENT_ID = "grace"',
        "coin": "most_likely = 0.235\nforecast = 0.318\ntotal = 0.902",
        "committee": "total, aleatoric, epistemic = 0.978, 0.838, 0.140",
        "split": """
def split_doubt(member_probs):
    p = np.asarray(member_probs, dtype=np.float32)
    mean = p.mean(axis=0)
    logs = np.log2(np.where(mean > 0, mean, 1))
    whole = -(mean * logs).sum(axis=-1)
    apart = (p * (np.log2(np.where(p > 0, p, 1)) - logs)).sum(axis=-1).mean(axis=0)
    return np.stack([whole, whole - apart, apart])
""",
        "local": """
def local_confidence(X_train, y_train, place, predicted, bandwidth, n_classes):
    X, x0 = np.float32(X_train), np.float32(place)
    k = np.exp(-np.linalg.norm((X - x0) / np.float32(bandwidth), axis=1) ** 2 / 2)
    throws = 1 + np.bincount(y_train, k, minlength=n_classes)
    return throws[predicted] / throws.sum()
""",
        "alarm": """
def alarm(member_probs):
    p = np.asarray(member_probs, dtype=np.float32)
    return np.abs(p[:, None] - p[None]).sum(axis=(0, 1, 3))
""",
    },
}


class TestUncertainty(ProblemSet):
    source = ASSIGNMENTS / "source/uncertainty/uncertainty.ipynb"
    wrong = WRONG
    right = RIGHT
