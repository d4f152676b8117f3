"""Wrong answers to the problem set on calibrators lose the points of their question, and no others."""

import pytest

from tests.assignments.grading import ASSIGNMENTS, Course, answered, full_marks, solutions

SOURCE = ASSIGNMENTS / "source/calibrators/calibrators.ipynb"

MULTIPLIED = """
def tempered_softmax(logits, temperature):
    return softmax(np.asarray(logits) * temperature)
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
WRONG = {  # the answers, and the questions that they cost
    "T multiplied, bits, judged on the rows that fitted": (
        {"tempered-softmax": MULTIPLIED, "nll": BITS, "judge": ON_THE_TEST_PART},
        {"tempered-softmax", "nll", "judge"},
    ),
    "one sum for all rows, no mean, hard-coded": (
        {"tempered-softmax": OVER_ALL_ROWS, "nll": SUMMED, "judge": HARD_CODED},
        {"tempered-softmax", "nll", "judge"},
    ),
    "overflow, underflow, a loose tolerance": (
        {"tempered-softmax": OVERFLOWS, "nll": UNDERFLOWS, "fit-consistency": LOOSE},
        {"tempered-softmax", "nll", "fit-consistency"},
    ),
    "too few steps, blind to a bound": (
        {"fit-temperature": FEW_STEPS, "fit-consistency": BLIND_TO_TIES},
        {"fit-temperature", "judge", "fit-consistency"},
    ),
    "the inverse, one method for the other": (
        {"fit-temperature": INVERSE, "fit-consistency": AS_TEMPERATURE},
        {"fit-temperature", "judge", "fit-consistency"},
    ),
    "a fixed bracket, the wrong part": (
        {"fit-temperature": FIXED_BRACKET, "judge": ON_THE_CALIBRATION_PART},
        {"fit-temperature", "judge"},
    ),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return Course(SOURCE, tmp_path_factory.mktemp("course") / "gradebook.db")


@pytest.fixture(scope="module")
def release(course):
    return course.release()


@pytest.mark.kernel
@pytest.mark.parametrize(("answers", "lost"), WRONG.values(), ids=WRONG)
def test_each_wrong_answer_loses_its_points_and_no_others(course, release, answers, lost):
    submission = answered(release, {**solutions(SOURCE), **answers})
    points = full_marks(SOURCE) | {f"test-{name}": 0 for name in lost}
    assert course.grade(submission).points == points


@pytest.mark.kernel
def test_an_answer_written_another_way_earns_its_points(course, release):
    other = {
        "tempered-softmax": "def tempered_softmax(z, T):\n"
        "    rows = []\n"
        "    for row in np.asarray(z, dtype=float):\n"
        "        e = [np.exp((value - max(row)) / T) for value in row]\n"
        "        rows.append([value / sum(e) for value in e])\n"
        "    return np.array(rows)",
        "nll": "from scipy.special import log_softmax\n\n"
        "def nll(y, z, T):\n"
        "    logs = log_softmax(np.asarray(z, dtype=np.float64) / T, axis=1)\n"
        "    return float(np.mean([-row[k] for row, k in zip(logs, y)]))",
        "fit-temperature": "def fit_temperature(y, z):\n"
        "    z = np.asarray(z, dtype=float)\n"
        "    own = z[np.arange(len(z)), y]\n"
        "    if np.all(own == z.max(axis=1)) or np.sum(own - z.mean(axis=1)) <= 0:\n"
        "        raise ValueError('no finite temperature')\n"
        "    low, high = 1e-6 / np.abs(z).max(), 1e6 / np.abs(z).max()\n"
        "    for _ in range(200):\n"
        "        middle = np.sqrt(low * high)\n"
        "        expected = (softmax(middle * z) * z).sum(axis=1).mean()\n"
        "        low, high = (middle, high) if expected < own.mean() else (low, middle)\n"
        "    return 1 / middle",
    }
    submission = answered(release, {**solutions(SOURCE), **other})
    assert course.grade(submission).points == full_marks(SOURCE)
