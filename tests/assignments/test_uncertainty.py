"""Answers to the problem set on kinds of uncertainty, wrong and right, and what they earn."""

from tests.assignments.grading import ASSIGNMENTS, ProblemSet

NO_PRIOR = """
most_likely = heads / tosses
forecast = heads / tosses
total = -forecast * np.log2(forecast) - (1 - forecast) * np.log2(1 - forecast)
"""
UNIFORM_PRIOR = """
most_likely = heads / tosses
forecast = (heads + 1) / (tosses + 2)
total = -forecast * np.log2(forecast) - (1 - forecast) * np.log2(1 - forecast)
"""
COIN_IN_NATS = """
most_likely = heads / tosses
forecast = (a + heads) / (a + b + tosses)
total = -forecast * np.log(forecast) - (1 - forecast) * np.log(1 - forecast)
"""
OF_THE_MOST_LIKELY = """
most_likely = heads / tosses
forecast = (a + heads) / (a + b + tosses)
total = -most_likely * np.log2(most_likely) - (1 - most_likely) * np.log2(1 - most_likely)
"""
COMMITTEE_IN_NATS = """
p, q = first, second
total = float(cl.uncertainty.entropy([(p + q) / 2, 1 - (p + q) / 2], base="nats"))
aleatoric = float(cl.uncertainty.entropy([[p, 1 - p], [q, 1 - q]], base="nats").mean())
epistemic = total - aleatoric
"""
SWAPPED = """
p, q = first, second
aleatoric = float(cl.uncertainty.entropy([(p + q) / 2, 1 - (p + q) / 2], base="bits"))
total = float(cl.uncertainty.entropy([[p, 1 - p], [q, 1 - q]], base="bits").mean())
epistemic = aleatoric - total
"""
SIGN = """
p, q = first, second
total = float(cl.uncertainty.entropy([(p + q) / 2, 1 - (p + q) / 2], base="bits"))
aleatoric = float(cl.uncertainty.entropy([[p, 1 - p], [q, 1 - q]], base="bits").mean())
epistemic = aleatoric - total
"""
SUMMED_MEMBERS = """
p, q = first, second
total = float(cl.uncertainty.entropy([(p + q) / 2, 1 - (p + q) / 2], base="bits"))
aleatoric = float(cl.uncertainty.entropy([[p, 1 - p], [q, 1 - q]], base="bits").sum())
epistemic = total - aleatoric
"""
PARTS_IN_NATS = """
def coin_parts(heads, tosses, prior=(1, 1)):
    from scipy.stats import bernoulli, beta

    posterior = beta(prior[0] + heads, prior[1] + tosses - heads)
    h = (np.arange(10_000) + 0.5) / 10_000
    weights = posterior.pdf(h) / posterior.pdf(h).sum()
    total, aleatoric = bernoulli(posterior.mean()).entropy(), weights @ bernoulli(h).entropy()
    return total, aleatoric, total - aleatoric
"""
PARTS_WITHOUT_PRIOR = """
def coin_parts(heads, tosses, prior=(1, 1)):
    from scipy.special import digamma

    counts = np.array([1 + heads, 1 + tosses - heads])
    p = counts / counts.sum()
    aleatoric = -np.sum(p * (digamma(counts + 1) - digamma(counts.sum() + 1))) / np.log(2)
    total = -np.sum(p * np.log2(p))
    return total, aleatoric, total - aleatoric
"""
DIGAMMA_OFF_BY_ONE = """
def coin_parts(heads, tosses, prior=(1, 1)):
    from scipy.special import digamma

    counts = np.array([prior[0] + heads, prior[1] + tosses - heads])
    p = counts / counts.sum()
    aleatoric = -np.sum(p * (digamma(counts) - digamma(counts.sum()))) / np.log(2)
    total = -np.sum(p * np.log2(p))
    return total, aleatoric, total - aleatoric
"""
PARTS_WITH_THE_SIGN = """
def coin_parts(heads, tosses, prior=(1, 1)):
    total, aleatoric, epistemic = split(prior[0] + heads, prior[1] + tosses - heads)
    return total, aleatoric, epistemic


def split(a, b):
    from scipy.special import digamma

    p, counts = np.array([a, b]) / (a + b), np.array([a, b])
    aleatoric = -np.sum(p * (digamma(counts + 1) - digamma(a + b + 1))) / np.log(2)
    total = -np.sum(p * np.log2(p))
    return total, aleatoric, aleatoric - total
"""
ENTROPY_OF_THE_MEAN_TWICE = """
def coin_parts(heads, tosses, prior=(1, 1)):
    p = (prior[0] + heads) / (sum(prior) + tosses)
    aleatoric = cl.uncertainty.entropy([p, 1 - p], base="bits")
    return aleatoric, aleatoric, 0.0
"""
DRAWN = """
def coin_parts(heads, tosses, prior=(1, 1)):
    h = np.random.default_rng(0).beta(prior[0] + heads, prior[1] + tosses - heads, 2_000)
    sides = np.column_stack([h, 1 - h])
    total = cl.uncertainty.entropy(sides.mean(axis=0), base="bits")
    aleatoric = cl.uncertainty.entropy(sides, base="bits").mean()
    return total, aleatoric, total - aleatoric
"""
THE_COMPANIONS_COIN = """
def coin_parts(heads, tosses, prior=(1, 1)):
    return cl.uncertainty.coin_uncertainty(heads, tosses, prior=prior)
"""
TOP_OF_THE_LIKELIHOOD = """
def case_for_heads(heads, tosses):
    return max(2 * heads / tosses - 1, 0)
"""
NOT_RELATIVE = """
def case_for_heads(heads, tosses):
    from scipy.stats import binom

    h = np.linspace(0, 1, 100_001)
    return np.minimum(binom.pmf(heads, tosses, h), np.maximum(2 * h - 1, 0)).max()
"""
COARSE_GRID = """
def case_for_heads(heads, tosses):
    from scipy.stats import binom

    h = np.linspace(0, 1, 101)
    likelihood = binom.pmf(heads, tosses, h)
    return np.minimum(likelihood / likelihood.max(), np.maximum(2 * h - 1, 0)).max()
"""
OVERFLOWS = """
def case_for_heads(heads, tosses):
    h = np.linspace(0, 1, 20_001)
    likelihood = h**heads * (1 - h) ** (tosses - heads)
    return np.minimum(likelihood / likelihood.max(), np.maximum(2 * h - 1, 0)).max()
"""
RIGHT_OF_THE_TOP_ONLY = """
def case_for_heads(heads, tosses):
    return 0.6438
"""
SPLIT_IN_NATS = """
def split_doubt(member_probs):
    total = cl.uncertainty.entropy(member_probs.mean(axis=0), base="nats")
    aleatoric = cl.uncertainty.entropy(member_probs, base="nats").mean(axis=0)
    return total, aleatoric, total - aleatoric
"""
MEAN_OF_ENTROPIES = """
def split_doubt(member_probs):
    total = cl.uncertainty.entropy(member_probs, base="bits").mean(axis=0)
    aleatoric = cl.uncertainty.entropy(member_probs.mean(axis=0), base="bits")
    return total, aleatoric, total - aleatoric
"""
OVER_THE_ROWS = """
def split_doubt(member_probs):
    total = cl.uncertainty.entropy(member_probs.mean(axis=1), base="bits")
    aleatoric = cl.uncertainty.entropy(member_probs, base="bits").mean(axis=1)
    return total, aleatoric, total - aleatoric
"""
ZERO_LOG_ZERO = """
def split_doubt(member_probs):
    mean = member_probs.mean(axis=0)
    total = -np.sum(mean * np.log2(mean), axis=1)
    aleatoric = -np.sum(member_probs * np.log2(member_probs), axis=2).mean(axis=0)
    return total, aleatoric, total - aleatoric
"""
THREE_MEMBERS = """
def split_doubt(member_probs):
    from scipy.special import entr

    total = entr(member_probs.sum(axis=0) / 3).sum(axis=1) / np.log(2)
    aleatoric = entr(member_probs).sum(axis=(0, 2)) / 3 / np.log(2)
    return total, aleatoric, total - aleatoric
"""
NO_FIRST_THROW = """
def local_confidence(X_train, y_train, place, predicted, bandwidth, n_classes):
    similarity = np.exp(-np.sum((X_train - place) ** 2, axis=1) / (2 * bandwidth**2))
    return similarity[y_train == predicted].sum() / similarity.sum()
"""
CLASS_ONE = """
def local_confidence(X_train, y_train, place, predicted, bandwidth, n_classes):
    similarity = np.exp(-np.sum((X_train - place) ** 2, axis=1) / (2 * bandwidth**2))
    return (1 + similarity[y_train == 1].sum()) / (n_classes + similarity.sum())
"""
TWO_CLASSES = """
def local_confidence(X_train, y_train, place, predicted, bandwidth, n_classes):
    similarity = np.exp(-np.sum((X_train - place) ** 2, axis=1) / (2 * bandwidth**2))
    return (1 + similarity[y_train == predicted].sum()) / (2 + similarity.sum())
"""
DISTANCE_NOT_SQUARED = """
def local_confidence(X_train, y_train, place, predicted, bandwidth, n_classes):
    similarity = np.exp(-np.linalg.norm(X_train - place, axis=1) / (2 * bandwidth**2))
    return (1 + similarity[y_train == predicted].sum()) / (n_classes + similarity.sum())
"""
SURE_IS_LARGE = """
def alarm(member_probs):
    return member_probs.mean(axis=0).max(axis=1)
"""
ONE_NETWORK = """
def alarm(member_probs):
    return 1 - member_probs[0].max(axis=1)
"""
WHAT_THEY_SHARE = """
def alarm(member_probs):
    return cl.uncertainty.decompose_uncertainty(member_probs).aleatoric
"""
ONE_NUMBER = """
def alarm(member_probs):
    return cl.uncertainty.decompose_uncertainty(member_probs).epistemic.mean()
"""
AGAINST_THE_OTHERS = """
def alarm(member_probs):
    doubt = cl.uncertainty.decompose_uncertainty(member_probs).epistemic
    return doubt.argsort().argsort()
"""

WRONG = {
    "no prior, and the wrong way round": {
        "coin": NO_PRIOR,
        "committee": SIGN,
        "coin-parts": PARTS_WITH_THE_SIGN,
        "local": NO_FIRST_THROW,
        "alarm": SURE_IS_LARGE,
    },
    "nats for bits": {
        "coin": COIN_IN_NATS,
        "committee": COMMITTEE_IN_NATS,
        "coin-parts": PARTS_IN_NATS,
        "split": SPLIT_IN_NATS,
    },
    "the mean of entropies for the entropy of the mean": {
        "committee": SWAPPED,
        "coin-parts": ENTROPY_OF_THE_MEAN_TWICE,
        "split": MEAN_OF_ENTROPIES,
        "alarm": WHAT_THEY_SHARE,
    },
    "the prior of the chapter, two classes, the top of the likelihood": {
        "coin": UNIFORM_PRIOR,
        "coin-parts": PARTS_WITHOUT_PRIOR,
        "plausibility": TOP_OF_THE_LIKELIHOOD,
        "local": TWO_CLASSES,
    },
    "off by one, the wrong axis, no square": {
        "coin-parts": DIGAMMA_OFF_BY_ONE,
        "split": OVER_THE_ROWS,
        "local": DISTANCE_NOT_SQUARED,
        "alarm": ONE_NUMBER,
    },
    "a likelihood that is not relative, a sum for a mean": {
        "coin": OF_THE_MOST_LIKELY,
        "committee": SUMMED_MEMBERS,
        "plausibility": NOT_RELATIVE,
        "split": ZERO_LOG_ZERO,
    },
    "right for what is visible": {
        "plausibility": RIGHT_OF_THE_TOP_ONLY,
        "split": THREE_MEMBERS,
        "local": CLASS_ONE,
        "alarm": AGAINST_THE_OTHERS,
    },
    "rough numbers": {
        "coin-parts": DRAWN,
        "plausibility": COARSE_GRID,
        "alarm": ONE_NETWORK,
    },
    "powers that overflow, and the companion's own answer": {
        "coin-parts": THE_COMPANIONS_COIN,
        "plausibility": OVERFLOWS,
    },
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
