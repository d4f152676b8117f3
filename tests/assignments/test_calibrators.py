"""Answers to the problem set on calibrators, wrong and right, and what they earn."""

from tests.assignments.grading import ASSIGNMENTS, ProblemSet

MULTIPLIED = """
def tempered_softmax(logits, temperature):
    e = np.exp(np.asarray(logits) * temperature)
    return e / e.sum(axis=1, keepdims=True)
"""
OVER_ALL_ROWS = """
def tempered_softmax(logits, temperature):
    e = np.exp(np.asarray(logits) / temperature)
    return e / e.sum()
"""
OVERFLOWS = """
def tempered_softmax(logits, temperature):
    e = np.exp(np.asarray(logits) / temperature)
    return e / e.sum(axis=1, keepdims=True)
"""
BITS = """
def nll(labels, logits, temperature):
    p = softmax(np.asarray(logits) / temperature)
    return -np.log2(p[np.arange(len(labels)), labels]).mean()
"""
SUMMED = """
def nll(labels, logits, temperature):
    p = softmax(np.asarray(logits) / temperature)
    return -np.log(p[np.arange(len(labels)), labels]).sum()
"""
UNDERFLOWS = """
def nll(labels, logits, temperature):
    p = softmax(np.asarray(logits) / temperature)
    with np.errstate(divide="ignore"):
        return -np.log(p[np.arange(len(labels)), labels]).mean()
"""
FEW_STEPS = """
def fit_temperature(labels, logits):
    z, t = np.asarray(logits), 1.5
    for _ in range(50):
        q = softmax(z / t)
        t -= 0.01 * (z[np.arange(len(z)), labels] - (q * z).sum(axis=1)).mean() / t**2
    return t
"""
FIXED_BRACKET = """
def fit_temperature(labels, logits):
    from scipy.optimize import minimize_scalar

    def loss(t):
        return negative_log_likelihood(labels, np.asarray(logits) / t, from_logits=True)

    return minimize_scalar(loss, bounds=(0.01, 10), method="bounded", options={"xatol": 1e-10}).x
"""
INVERSE = """
def fit_temperature(labels, logits):
    from scipy.optimize import brentq

    z = np.asarray(logits)

    def slope(beta):
        return ((softmax(beta * z) * z).sum(axis=1) - z[np.arange(len(z)), labels]).mean()

    return brentq(slope, 1e-9, 1e9)
"""
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
ON_THE_TEST_PART = """
def judge(network):
    z, y = datasets.network_logits(network, "test")
    t = fit_temperature(y, z)
    return expected_calibration_error(y, softmax(z)), expected_calibration_error(y, softmax(z / t))
"""
ON_THE_CALIBRATION_PART = """
def judge(network):
    z, y = datasets.network_logits(network, "calibration")
    t = fit_temperature(y, z)
    return expected_calibration_error(y, softmax(z)), expected_calibration_error(y, softmax(z / t))
"""
HARD_CODED = """
def judge(network):
    return 0.0510, 0.0060
"""
UPSIDE_DOWN = """
confidence = 1 / (1 + np.exp(-gap))
temperature = np.log(n_right / (n_rows - n_right)) / gap
cost = -np.log(n_right / n_rows) * n_right / n_rows
"""
BASE_2 = """
confidence = 1 / (1 + np.exp(-gap))
temperature = gap / np.log2(n_right / (n_rows - n_right))
cost = -np.log(n_right / n_rows)
"""
NOT_THE_ODDS = """
confidence = 1 / (1 + np.exp(-gap))
temperature = gap / -np.log(1 - n_right / n_rows)
cost = -np.log(n_right / n_rows)
"""
COST_IN_BITS = """
confidence, share = 1 / (1 + np.exp(-gap)), n_right / n_rows
temperature = gap / (np.log(share) - np.log(1 - share))
cost = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
"""
RIGHT_ROWS_ONLY = """
confidence, share = 1 / (1 + np.exp(-gap)), n_right / n_rows
temperature = gap / (np.log(share) - np.log(1 - share))
cost = -np.log(share)
"""
THE_COMPANIONS_SOFTMAX = """
def tempered_softmax(logits, temperature):
    return softmax(logits / temperature)
"""
THE_COMPANIONS_LIKELIHOOD = """
def nll(labels, logits, temperature):
    return negative_log_likelihood(labels, logits / temperature, from_logits=True)
"""
THE_COMPANIONS_TEMPERATURE = """
def fit_temperature(labels, logits):
    return TemperatureScaling().fit(logits, labels).temperature_
"""
THE_COMPANIONS_CONSISTENCY = """
from calibration_lessons import ExpectationConsistency


def fit_consistency(labels, logits):
    return ExpectationConsistency().fit(logits, labels).temperature_
"""
WRONG = {
    "T multiplied, bits, judged on the rows that fitted": {
        "by-hand": COST_IN_BITS,
        "tempered-softmax": MULTIPLIED,
        "nll": BITS,
        "judge": ON_THE_TEST_PART,
    },
    "one sum for all rows, no mean, hard-coded": {
        "by-hand": BASE_2,
        "tempered-softmax": OVER_ALL_ROWS,
        "nll": SUMMED,
        "judge": HARD_CODED,
    },
    "overflow, underflow, a loose tolerance": {
        "tempered-softmax": OVERFLOWS,
        "nll": UNDERFLOWS,
        "fit-consistency": LOOSE,
    },
    "too few steps, blind to a bound, right rows only": {
        "by-hand": RIGHT_ROWS_ONLY,
        "fit-temperature": FEW_STEPS,
        "fit-consistency": BLIND_TO_TIES,
    },
    "the inverse, one method for the other": {
        "by-hand": UPSIDE_DOWN,
        "fit-temperature": INVERSE,
        "fit-consistency": AS_TEMPERATURE,
    },
    "a fixed bracket, the wrong part, no odds": {
        "by-hand": NOT_THE_ODDS,
        "fit-temperature": FIXED_BRACKET,
        "judge": ON_THE_CALIBRATION_PART,
    },
    "the companion's own answer": {
        "tempered-softmax": THE_COMPANIONS_SOFTMAX,
        "nll": THE_COMPANIONS_LIKELIHOOD,
        "fit-temperature": THE_COMPANIONS_TEMPERATURE,
        "fit-consistency": THE_COMPANIONS_CONSISTENCY,
    },
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
    },
}


class TestCalibrators(ProblemSet):
    source = ASSIGNMENTS / "source/calibrators/calibrators.ipynb"
    wrong = WRONG
    right = RIGHT
