"""Wrong answers to the problem set on models lose the points of their question, and no others."""

from tests.assignments.grading import ASSIGNMENTS, ProblemSet

A_NEIGHBOUR = "slope, intercept, probability = 0.750, -2.511, 0.620"
TURNED_SIGN = """
def loss_and_gradient(theta, X, y, l2):
    z, w = X @ theta, np.r_[0, theta[1:]]
    loss = np.mean(np.logaddexp(0, z) - y * z) + l2 / 2 * w @ w
    return loss, X.T @ (y - expit(z)) / len(y) - l2 * w
"""
SUMMED = """
def loss_and_gradient(theta, X, y, l2):
    z, w = X @ theta, np.r_[0, theta[1:]]
    return np.sum(np.logaddexp(0, z) - y * z) + l2 / 2 * w @ w, X.T @ (expit(z) - y) + l2 * w
"""
GRADIENT_SUMMED = """
def loss_and_gradient(theta, X, y, l2):
    z, w = X @ theta, np.r_[0, theta[1:]]
    return np.mean(np.logaddexp(0, z) - y * z) + l2 / 2 * w @ w, X.T @ (expit(z) - y) + len(y) * l2 * w
"""
LOG_OF_ZERO = """
def loss_and_gradient(theta, X, y, l2):
    p, w = 1 / (1 + np.exp(-X @ theta)), np.r_[0, theta[1:]]
    loss = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)) + l2 / 2 * w @ w
    return loss, X.T @ (p - y) / len(y) + l2 * w
"""
FEW_STEPS = """
def fit_logistic(X, y, l2):
    rows, theta = np.column_stack([np.ones(len(X)), X]), np.zeros(X.shape[1] + 1)
    for _ in range(1000):
        theta -= 0.5 * (rows.T @ (expit(rows @ theta) - y) / len(y) + l2 * np.r_[0, theta[1:]])
    return theta
"""
NEWTON = """
def fit_logistic(X, y, l2):
    rows = np.column_stack([np.ones(len(X)), X])
    theta, penalty = np.zeros(rows.shape[1]), np.r_[0, np.full(X.shape[1], l2)]
    for _ in range(30):
        p = expit(rows @ theta)
        slope = rows.T @ (p - y) / len(y) + penalty * theta
        theta -= np.linalg.solve((rows.T * p * (1 - p)) @ rows / len(y) + np.diag(penalty), slope)
    return theta
"""
NO_INTERCEPT = """
def fit_logistic(X, y, l2):
    from scipy.optimize import minimize

    def loss(theta):
        return np.mean(np.logaddexp(0, X @ theta) - y * (X @ theta)) + l2 / 2 * theta @ theta

    return np.r_[0, minimize(loss, np.zeros(X.shape[1])).x]
"""
NO_SINGLE_CLASS = """
def is_separated(x, y):
    x, y = np.asarray(x), np.asarray(y)
    zeros, ones = x[y == 0], x[y == 1]
    return bool(x.min() < x.max() and (zeros.max() <= ones.min() or ones.max() <= zeros.min()))
"""
CLASSES_OF_Y = """
def softmax_gradient(theta, X, y):
    return (softmax(X @ theta.T) - np.eye(y.max() + 1)[y]).T @ X / len(y)
"""
OUT_OF_FOLD = """
def choose_l2(X, y, candidates, fold):
    def loss(l2):
        total = 0
        for k in np.unique(fold):
            p = LogisticRegression(l2=l2).fit(X[fold != k], y[fold != k]).predict_proba(X[fold == k])
            total -= np.log(p[np.arange(len(p)), y[fold == k]]).sum()
        return total
    return min(candidates, key=loss)
"""
ONE_FOLD_SHORT = OUT_OF_FOLD.replace("np.unique(fold)", "range(max(fold))")

WRONG = {  # not what a slip of the checks is named for
    "loss": [TURNED_SIGN, SUMMED, LOG_OF_ZERO, GRADIENT_SUMMED],
    "fit": [FEW_STEPS, NO_INTERCEPT],
    "gradient": [CLASSES_OF_Y],
    "by-hand": [A_NEIGHBOUR],
    "choose": [ONE_FOLD_SHORT],
    "separated": [NO_SINGLE_CLASS],
}
LOOPS = {
    "student": "STUDENT_ID = 'grace'",
    "loss": """
def loss_and_gradient(b, rows, labels, penalty):
    total, slopes = 0.0, [0.0] * len(b)
    for row, label in zip(rows, labels):
        score = sum(c * value for c, value in zip(b, row))
        total += max(score, 0) + np.log1p(np.exp(-abs(score))) - label * score
        for j, value in enumerate(row):
            slopes[j] += (expit(score) - label) * value
    n = len(labels)
    loss = total / n + sum(penalty * c**2 / 2 for c in b[1:])
    return float(loss), [s / n + (penalty * c if j else 0) for j, (s, c) in enumerate(zip(slopes, b))]
""",
    "fit": """
from scipy.optimize import minimize


def fit_logistic(X, y, l2):
    centre, scale = X.mean(axis=0), X.std(axis=0)
    Z = np.column_stack([np.ones(len(X)), (X - centre) / scale])

    def value(b):
        z = Z @ b
        return np.mean(np.logaddexp(0, z) - y * z) + l2 / 2 * np.sum((b[1:] / scale) ** 2)

    def slope(b):
        return Z.T @ (expit(Z @ b) - y) / len(y) + np.r_[0, l2 * b[1:] / scale**2]

    b = minimize(value, np.zeros(Z.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-9}).x
    return [b[0] - sum(b[1:] * centre / scale), *(b[1:] / scale)]
""",
    "separated": """
def is_separated(x, y):
    pairs = [(a, b) for a, i in zip(x, y) for b, k in zip(x, y) if i == 0 and k == 1]
    rises, falls = any(a < b for a, b in pairs), any(a > b for a, b in pairs)
    return not pairs or rises != falls
""",
    "ratios": """
def ratio_probabilities(theta, X):
    table = []
    for row in X:
        z = [float(t @ row) for t in theta] + [0.0]
        e = [np.exp(value - max(z)) for value in z]
        table.append([value / sum(e) for value in e])
    return table
""",
    "gradient": """
def softmax_gradient(theta, X, y):
    slopes = np.zeros(theta.shape)
    for row, label in zip(X, y):
        p = softmax(theta @ row)
        for k in range(len(theta)):
            slopes[k] += (p[k] - (k == label)) * row / len(X)
    return slopes
""",
    "choose": OUT_OF_FOLD,
}
SINGLE_PRECISION = {
    "student": "STUDENT_ID = 's1234567'",
    "by-hand": """
slope, prior = np.float32(mean / spread**2), np.log(share) - np.log(1 - share)
intercept = np.float32(prior - mean**2 / spread**2 / 2)
probability = 1 / (1 + np.exp(-intercept - slope * place))
""",
    "loss": """
def loss_and_gradient(theta, X, y, l2):
    X, t = X.astype(np.float32), theta.astype(np.float32)
    z = X @ t
    free = t.copy()
    free[0] = 0
    loss = np.logaddexp(np.float32(0), z).mean() - (y * z).mean() + 0.5 * l2 * free @ free
    return loss, (expit(z) - y).astype(np.float32) @ X / len(y) + l2 * free
""",
    "fit": NEWTON,
    "ratios": """
from scipy.special import log_softmax


def ratio_probabilities(parameters, features):
    z = np.pad(features @ parameters.T, ((0, 0), (0, 1))).astype(np.float32)
    return np.exp(log_softmax(z, axis=1))
""",
    "gradient": """
def softmax_gradient(theta, X, y):
    residuals = softmax((X @ theta.T).astype(np.float32))
    residuals[np.arange(len(y)), y] -= 1
    return np.einsum("nk,np->kp", residuals, X) / len(y)
""",
}
RIGHT = {"loops": LOOPS, "single precision": SINGLE_PRECISION}


class TestModels(ProblemSet):
    source = ASSIGNMENTS / "source/models/models.ipynb"
    wrong = WRONG
    right = RIGHT
