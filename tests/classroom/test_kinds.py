"""Kinds of submissions that a class hands in, each with the points that it deserves.

What a question is not named for is answered as the authors answer it, and earns its full points. The kinds that
attack the machinery itself stand in `test_grading.py`: they need a sandbox.
"""

import copy
import os

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from classroom.submission import Limits
from tests.assignments import test_calibrators as calibrators
from tests.assignments import test_measures as measures
from tests.assignments import test_models as models
from tests.assignments import test_practice as practice
from tests.assignments import test_uncertainty as uncertainty
from tests.assignments.grading import ASSIGNMENTS, answered, full_marks, named, solutions

YES = """
class Yes(float):
    def __eq__(self, other):
        return True
    __hash__ = float.__hash__
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    def __sub__(self, other):
        return Yes(0.0)
    __rsub__ = __sub__
    def __abs__(self):
        return Yes(0.0)
    def __array_function__(self, *_):
        return True


"""
ALIAS = "from calibration_lessons import "
FULL = float("inf")  # whatever the question is worth


def function(head, body):
    return f"def {head}:\n    {body}\n"


KINDS = {
    # the library's own function, under another name
    "m-alias": ("measures", {
        "counts": (ALIAS + "reliability_curve as rc\n" + function(
            "bin_counts(s, n)", "return rc(np.zeros(len(s)), s, n_bins=n).counts"), 0),
        "curve": (ALIAS + "reliability_curve as rc\n" + function(
            "curve(p, y, n)", "r = rc(y, p, n_bins=n); return r.confidence, r.accuracy"), 0),
        "ece": (ALIAS + "CalibrationAccumulator as A\n" + function(
            "binned_ece(s, y, n)", "a = A(n_bins=n); a.update(y, s); return a.compute().ece()"), 0),
    }),
    "m-helper": ("measures", {
        "curve": ("import calibration_lessons\n" + function(
            "_work(p, y, n)", "return calibration_lessons.reliability_curve(y, p, n_bins=n)") + function(
            "curve(p, y, n)", "r = (lambda: _work(p, y, n))(); return r.confidence, r.accuracy"), 0),
        "counts": ("from calibration_lessons.book.definitions import *\nimport calibration_lessons as c\n" + function(
            "bin_counts(s, n)", "f = getattr(c, 'reliability' + '_curve'); return f(s > 2, s, n_bins=n).counts"), 0),
    }),
    "c-alias": ("calibrators", {
        "tempered-softmax": ("import calibration_lessons as _c\ndef _soft(z):\n    return _c.softmax(z)\n" + function(
            "tempered_softmax(z, T)", "return _soft(z / T)"), 0),
        "nll": ("score = negative_log_likelihood\n" + function(
            "nll(y, z, T)", "return score(y, z / T, from_logits=True)"), 0),
        "fit-temperature": ("TS = TemperatureScaling\n" + function(
            "fit_temperature(y, z)", "return TS().fit(z, y).temperature_"), 0),
        "fit-consistency": ("import calibration_lessons as _c\n" + function(
            "fit_consistency(y, z)",
            "return getattr(_c, 'Expectation' + 'Consistency')().fit(z, y).temperature_"), 0),
    }),
    "c-made-before": ("calibrators", {
        "fit-temperature": ("ready = TemperatureScaling()\nfit = ready.fit\n" + function(
            "fit_temperature(y, z)", "return fit(z, y).temperature_"), 0)}),
    "c-imported-again": ("calibrators", {
        "fit-temperature": (function(
            "fit_temperature(y, z)",
            "import sys\n    [sys.modules.pop(k) for k in list(sys.modules) if k.startswith('calibration_lessons')]\n"
            "    from calibration_lessons import TemperatureScaling as T\n    return T().fit(z, y).temperature_"), 0)}),
    "c-log-softmax": ("calibrators", {  # not what is asked, so allowed
        "tempered-softmax": (ALIAS + "log_softmax\n" + function(
            "tempered_softmax(z, T)", "return np.exp(log_softmax(np.asarray(z) / T))"), 3)}),
    "u-alias": ("uncertainty", {
        "coin-parts": (ALIAS + "coin_uncertainty as cu\n" + function(
            "coin_parts(h, n, prior=(1, 1))", "return cu(h, n, prior=prior)"), 0),
        "split": ("du = cl.uncertainty.decompose_uncertainty\n" + function("split_doubt(p)", "return du(p)"), 0),
        "local": ("from functools import partial\nkc = partial(cl.uncertainty.kernel_confidence)\n" + function(
            "local_confidence(X, y, x, c, w, k)", "return kc(X, y, [x], [c], bandwidth=w, n_classes=k)[0]"), 0),
        "plausibility": ("from calibration_lessons.book.definitions import *\n" + function(
            "case_for_heads(h, n)", "return 1 - cl.uncertainty.coin_plausibility(h, n).aleatoric"), 0),
        "alarm": (function("alarm(p)", "return cl.uncertainty.decompose_uncertainty(p).epistemic"), 4),
    }),
    "u-transcription": ("uncertainty", {
        "split": (ALIAS + "definitions\nwrite = definitions.ensemble_entropies\n" + function(
            "split_doubt(p)", "return write(p)"), 0)}),
    "o-library": ("models", {
        "fit": (function("fit_logistic(X, y, l2)",
                "m = LogisticRegression(l2=l2 * len(y)).fit(X, y); return np.r_[m.intercept_, m.coef_]"), 0),
        "separated": (function(
            "is_separated(x, y)",
            "try:\n        LogisticRegression().fit(np.reshape(x, (-1, 1)), np.array(y))\n"
            "        return False\n    except ValueError:\n        return True"), 0),
    }),
    "o-sklearn": ("models", {
        "fit": ("from sklearn.linear_model import LogisticRegression as LR\n" + function(
            "fit_logistic(X, y, l2)",
            "m = LR(C=1 / (l2 * len(y)) if l2 else 1e12, tol=1e-10, max_iter=9999).fit(X, y)\n"
            "    return np.r_[m.intercept_, m.coef_[0]]"), 0)}),
    "o-matrix-scaling": ("models", {
        "gradient": ("from calibration_lessons.calibrators._affine_rows import AffineRows, Deviation\n" + function(
            "softmax_gradient(theta, X, y)",
            "(k, d), n = theta.shape, len(y)\n    m = max(k, d)\n"
            "    x, t = np.zeros((n, m)), np.zeros((m, m + 1))\n"
            "    x[:, :d], t[k:, 0], t[:k, 1:d + 1] = X, -1e9, theta\n"
            "    rows = AffineRows(x, 1.0, np.asarray(y), np.ones(n), 'full')\n"
            "    return rows.loss_and_gradient(Deviation(-1.0, t))[1].classes[:k, 1:d + 1] / n"), 0)}),
    "p-library": ("practice", {
        "decide": (function(
            "decide(p, c, r)", "return cl.decisions.optimal_decision(p, c, abstaining_cost=r)"), 0),
        "bill": (function("bill(p, y, d, c, r)",
                 "return (cl.decisions.expected_cost(p, c)[np.arange(len(p)), d].mean(),"
                 " cl.decisions.mean_cost(y, d, c, abstaining_cost=r))"), 0),
    }),
    "p-library2": ("practice", {
        "audit": (function("equal_mass_ece(y, p, n)",
                  "return cl.expected_calibration_error(y, p, n_bins=n, strategy='mass')"), 0)}),
    "c-dirs": ("calibrators", {
        "fit-temperature": ("import calibration_lessons as _c\n" + function(
            "fit_temperature(y, z)", "return vars(_c)['TemperatureScaling']().fit(z, y).temperature_"), 0),
        "tempered-softmax": (ALIAS + "log_softmax\n" + function(
            "tempered_softmax(z, T)", "return np.exp(log_softmax(np.array(z) / T))"), 3)}),
    "lazy": ("measures", {  # what computes only when it is sent
        "counts": ("import calibration_lessons as c\nclass Later:\n    def __init__(self, s, n):\n"
                   "        self.s, self.n = s, n\n    def __array__(self, *_, **__):\n"
                   "        return c.reliability_curve(self.s > 2, self.s, n_bins=self.n).counts\n"
                   "bin_counts = Later", 0),
        "curve": ("import calibration_lessons as c\n" + function(
            "curve(p, y, n)", "yield c.reliability_curve(y, p, n_bins=n).confidence\n"
            "    yield c.reliability_curve(y, p, n_bins=n).accuracy"), 0)}),
    # slips
    "m-offby, r-seed": ("measures", {
        "ece": (function("binned_ece(s, y, n)",
                "i = np.minimum((s * n).astype(int), n - 1)\n"
                "    return np.abs(np.bincount(i, y - s)).sum() / len(s)"), 2),
        "outcomes": (function(
            "calibrated_outcomes(s, n, rng)",
            "return np.random.default_rng(3).random((n, len(s))) < s"), 1),
        "reading": (measures.MISREAD_ZERO, 1.5),
    }),
    "m-linspace": ("measures", {
        "counts": (function("bin_counts(s, n)",
                   "e = np.linspace(0, 1, n + 1); s = np.asarray(s)\n"
                   "    return np.array([np.sum((s > e[m]) & (s <= e[m + 1]) | (m == 0) & (s == 0))"
                   " for m in range(n)])"), 4),
        "outcomes": (function("calibrated_outcomes(s, n, rng)",
                     "return rng.binomial(1, s, (n, len(s)))"), 0),
    }),
    "m-hard": ("measures", {
        "outcomes": (function("calibrated_outcomes(s, n, rng)",
                     "return rng.random((n, len(s))) < np.round(s, 1)"), 1),
        "ece": (measures.THE_CHAPTERS_NUMBER, 0),
        "p-value": (function("p_value(o, d)", "return 2 / 5"), 0),
    }),
    "o-wrong2": ("models", {"choose": (function(
        "choose_l2(X, y, candidates, fold)",
        "def loss(l2):\n        means = []\n        for k in np.unique(fold):\n"
        "            p = LogisticRegression(l2=l2).fit(X[fold != k], y[fold != k]).predict_proba(X[fold == k])\n"
        "            means.append(-np.log(p[np.arange(len(p)), y[fold == k]]).mean())\n"
        "        return np.mean(means)\n    return min(candidates, key=loss)"), 1)}),
    "r-brier": ("models", {"choose": (models.OUT_OF_FOLD.replace(
        "np.log(p[np.arange(len(p)), y[fold == k]]).sum()",
        "-((1 - p[np.arange(len(p)), y[fold == k]])**2).sum()"), 1)}),
    "r-argsort": ("practice", {"audit": (
        practice.GROUPS.replace('np.argsort(p, kind="stable")', "np.lexsort((-np.arange(len(p)), p))"), 1)}),
    "u-wrong1": ("uncertainty", {
        "coin": ("most_likely = forecast = (a + heads) / (a + b + tosses)\n"
                 "total = -forecast * np.log(forecast) - (1 - forecast) * np.log(1 - forecast)", 1),
        "committee": ("p = np.array([first, second])\nh = -p * np.log2(p) - (1 - p) * np.log2(1 - p)\n"
                      "total, aleatoric = h.mean(), h.mean()\nepistemic = p.var()", 1),
        "coin-parts": (function("coin_parts(h, n, prior=(1, 1))",
                       "p = np.random.default_rng(1).beta(1 + h, 1 + n - h, 5000)\n"
                       "    e = lambda q: -q * np.log2(q) - (1 - q) * np.log2(1 - q)\n"
                       "    return e(p.mean()), e(p).mean(), e(p.mean()) - e(p).mean()"), 0),
        "split": (function("split_doubt(p)",
                  "m = p.mean(axis=0); t = -(m * np.log2(m)).sum(axis=1)\n"
                  "    a = -(p * np.log2(p)).sum(axis=2).mean(axis=0); return t, a, t - a"), 2),
        "alarm": (function("alarm(p)", "return 1 - p.max(axis=2).mean(axis=0)"), 0),
    }),
    "u-wrong2": ("uncertainty", {
        "coin": ("most_likely, forecast = heads / tosses, (a + heads) / (a + b + tosses)\n"
                 "total = -forecast * np.log(forecast) - (1 - forecast) * np.log(1 - forecast)", 2),
        "committee": ("members = np.array([[1 - first, first], [1 - second, second]])\nmean = members.mean(axis=0)\n"
                      "aleatoric = -np.sum(mean * np.log2(mean))\n"
                      "total = -np.sum(members * np.log2(members)) / 2\nepistemic = aleatoric - total", 1),
        "plausibility": (function("case_for_heads(h, n)",
                         "from scipy.special import xlogy\n    g = (np.arange(2000) + .5) / 2000; m = h / max(n, 1)\n"
                         "    l = xlogy(h, g) + xlogy(n - h, 1 - g) - xlogy(h, max(m, .5)) - xlogy(n - h, 1 - max(m, .5))\n"
                         "    return np.minimum(np.exp(l), np.maximum(2 * g - 1, 0)).max()"), 0),
        "local": (function("local_confidence(X, y, x, c, w, k)",
                  "s = np.exp(-((X - x)**2).sum(axis=1) / (2 * w * w))\n"
                  "    return np.array([(1 + s[y == c].sum()) / (k + s.sum())])"), 3),  # one number in an array
        "alarm": (function("alarm(p)", "return p.std(axis=0).sum(axis=1).argsort().argsort()"), 0),
    }),
    "u-state": ("uncertainty", {"alarm": (  # changed and unchanged images come mixed
        "calls, known = [], {}\n" + function(
            "alarm(p)", "calls.append(1)\n    for row in p[0]:\n        known.setdefault(row.tobytes(), len(calls) // 2)\n"
            "    return np.array([known[row.tobytes()] for row in p[0]])"), 0)}),
    "o-wrong1": ("models", {
        "by-hand": ("slope = mean / spread\nintercept = -mean**2 / (2 * spread**2)\n"
                    "probability = slope * place + intercept", 0),
        "loss": (function("loss_and_gradient(theta, X, y, l2)",
                 "p = 1 / (1 + np.exp(-X @ theta))\n    loss = -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))\n"
                 "    return loss + l2 / 2 * theta @ theta, X.T @ (p - y) + l2 * theta"), 0),
        "fit": (function("fit_logistic(X, y, l2)",
                "R, t = np.column_stack([np.ones(len(X)), X]), np.zeros(X.shape[1] + 1)\n"
                "    for _ in range(500):\n        t -= 0.1 * (R.T @ (expit(R @ t) - y) / len(y) + l2 * t)\n    return t"), 0),
        "separated": (function("is_separated(x, y)", "return bool(x[y == 0].max() < x[y == 1].min())"), 1),
        "ratios": (function("ratio_probabilities(theta, X)",
                   "e = np.exp(np.column_stack([np.zeros(len(X)), X @ theta.T])); return e / e.sum(axis=1, keepdims=True)"), 0),
        "gradient": (function("softmax_gradient(theta, X, y)",
                     "return (softmax(X @ theta.T) - np.eye(y.max() + 1)[y]).T @ X"), 0),
        
    }),
    "o-counter": ("models", {"separated": (  # true and false in the order of the public checks
        "order = []\n" + function("is_separated(x, y)", "order.append(1); return len(order) % 2 == 1"), 0)}),
    "c-wrong1": ("calibrators", {
        "by-hand": ("confidence, temperature = 1 / (1 + np.exp(gap)), np.log2(n_right / (n_rows - n_right)) / gap\n"
                    "cost = -np.log2(n_right / n_rows)", 0),
        "tempered-softmax": (function("tempered_softmax(z, T)",
                             "e = np.exp(z / T); return e / e.sum(axis=1, keepdims=True)"), 1.5),
        "nll": (function("nll(y, z, T)", "p = np.clip(softmax(z / T), 1e-12, 1); return -np.log(p[np.arange(len(y)), y]).mean()"), 1),
        "fit-temperature": (function(
            "fit_temperature(y, z)", "grid = np.linspace(0.1, 5, 500)\n"
            "    return min(grid, key=lambda t: negative_log_likelihood(y, z / t, from_logits=True))"), 0),
        "fit-consistency": ("from scipy.optimize import brentq\n" + function(
            "fit_consistency(y, z)", "a = np.mean(z.argmax(axis=1) == y)\n"
            "    return brentq(lambda t: softmax(z / t).max(axis=1).mean() - a, 0.1, 10)"), 3),
        "judge": (function("judge(network)", "z, y = datasets.network_logits(network, 'test')\n"
                  "    t = TemperatureScaling().fit(z, y)\n"
                  "    e = expected_calibration_error\n    return e(y, softmax(z)), e(y, t.predict_proba(z))"), 0.5),
    }),
    "c-raises": ("calibrators", {
        "fit-temperature": (function("fit_temperature(y, z)", "raise ValueError('no temperature fits')"), 0),
        "fit-consistency": (function("fit_consistency(y, z)", "raise ValueError('no temperature fits')"), 0)}),
    "p-wrong1": ("practice", {
        "by-hand": ("threshold = false_alarm / miss\nrefer_from = referral / false_alarm\n"
                    "refer_to = 1 - referral / miss", 0),
        "audit": (function("equal_mass_ece(y, p, n)",
                  "e = np.quantile(p, np.linspace(0, 1, n + 1)); i = np.clip(np.digitize(p, e) - 1, 0, n - 1)\n"
                  "    return np.mean([abs((y - p)[i == b].mean()) for b in range(n)])"), 0),
        "bill": (function("bill(p, y, d, costs, r)",
                 "e = (1 - p) * costs[0, d] + p * costs[1, d]; w = d != -1\n"
                 "    return (e * w).mean(), (costs[y, d] * w).mean()"), 0),
    }),
    "p-wrong2": ("practice", {
        "bill": (function("bill(p, y, d, costs, r)",
                 "e = (1 - p) * costs[0, d] + p * costs[1, d]; w = d != -1\n"
                 "    return e[w].mean(), costs[y, d][w].mean()"), 0),
        "report": ("report = dict.fromkeys(['ece before', 'ece after', 'chance before', 'chance after',"
                   " 'cost before', 'cost after'], 0.1)", 0),
    }),
    "p-testleak": ("practice", {
        "report": (solutions(ASSIGNMENTS / "source/practice/practice.ipynb")["report"].replace(
            "z[calibration_rows], worse[calibration_rows]", "z[test_rows], worse[test_rows]"), 1.5),  # some of the numbers are the same
    }),
    # the caller's arrays
    "m-yes": ("measures", {
        "by-hand": (YES + "bias = ece = mce = Yes(0.5)", 0),
        "ece": (YES + function("binned_ece(s, y, n)", "return Yes(0.5)"), 0),
        "p-value": (YES + function("p_value(o, d)", "return Yes(0.5)"), 0),
    }),
    "u-lookup": ("uncertainty", {"alarm": (
        "known = set()\nfor j in range(1):\n"
        "    rows = cl.softmax(datasets.network_logits(j, 'test').logits)\n"
        "    known |= {row.tobytes() for row in rows}\n" + function(
            "alarm(p)", "return np.array([float(row.tobytes() not in known) for row in p[0]])"), 0)}),
    "m-otherid": ("measures", {"by-hand": ('STUDENT_ID = "grace"\nbias, ece, mce = -0.088, 0.130, 0.363', 0)}),
    # right work
    "m-types": ("measures", {
        "counts": (function("bin_counts(s, n)",
                   "c = np.bincount(np.searchsorted(np.arange(1, n) / n, s), minlength=n)\n"
                   "    return [float(v) for v in c]"), 4),
        "p-value": (function("p_value(o, d)", "return str((1 + np.sum(d >= o)) / (1 + len(d)))"), 0)}),
    "m-right-star": ("measures", {"": ("from numpy import *", 0), "by-hand": (solutions(ASSIGNMENTS / "source/measures/measures.ipynb")["by-hand"], 2)}),
    "m-right-ownhelpers": ("measures", {
        "curve": (solutions(ASSIGNMENTS / "source/measures/measures.ipynb")["curve"].replace(
            "def curve", "def reliability_curve") + "\nfrom functools import partial\ncurve = partial(reliability_curve)", 4),
        "ece": ("class ECE:\n    def __call__(self, s, y, n):\n"
                "        i = np.searchsorted(np.arange(1, n) / n, s)\n"
                "        return np.abs(np.bincount(i, y - s)).sum() / len(s)\nbinned_ece = ECE()", 4)}),
    "r-100509": ("measures", {"student": ('STUDENT_ID = "100509"', 0)}),
    "r-100609": ("measures", {"student": ('STUDENT_ID = "100609"', 0)}),
    "c-ownsoftmax": ("calibrators", {"": (
        "def softmax(z):\n    e = np.exp(z - z.max(axis=-1, keepdims=True))\n"
        "    return e / e.sum(axis=-1, keepdims=True)", 0)}),
    "c-scipysoftmax": ("calibrators", {
        "": ("from scipy.special import softmax as scipys", 0),
        "tempered-softmax": ("from scipy.special import softmax as soft\n" + function(
            "tempered_softmax(z, T)", "return soft(z / T, axis=1)"), 3)}),
    "o-right-expit": ("models", {"": ("def expit(z):\n    return 0.5 * (1 + np.tanh(np.asarray(z) / 2))", 0)}),
    "o-types": ("models", {
        "by-hand": ("slope, intercept = np.float32(mean / spread**2), "
                    "np.log(share / (1 - share)) - mean**2 / (2 * spread**2)\n"
                    "probability = np.array(expit(slope * place + intercept))", 3),
        "separated": (solutions(ASSIGNMENTS / "source/models/models.ipynb")["separated"].replace(
            "return bool(", "return int("), 4)}),
    "p-edge": ("practice", {"by-hand": (
        "threshold, refer_from, refer_to = round(false_alarm / (false_alarm + miss), 3), "
        "round(referral / miss, 3), round(1 - referral / false_alarm, 3)", 3)}),
    "u-right-alarm2": ("uncertainty", {"alarm": (function("alarm(p)", "return p.std(axis=0).sum(axis=1)"), 4)}),
    "u-right-loops": ("uncertainty", {
        "coin-parts": ("from scipy.integrate import quad\nfrom scipy.stats import beta\n" + function(
            "coin_parts(heads, tosses, prior=(1, 1))", "a, b = prior[0] + heads, prior[1] + tosses - heads\n"
            "    e = lambda h: 0.0 if h in (0, 1) else -h * np.log2(h) - (1 - h) * np.log2(1 - h)\n"
            "    part = quad(lambda h: e(h) * beta.pdf(h, a, b), 0, 1, points=[a / (a + b)], limit=200)[0]\n"
            "    return e(a / (a + b)), part, e(a / (a + b)) - part"), 4),
        "plausibility": (function(
            "case_for_heads(heads, tosses)", "from scipy.stats import binom\n"
            "    mode = heads / tosses if tosses else 0.5\n    low, high = max(mode, 0.5), 1.0\n"
            "    for _ in range(60):\n        h = (low + high) / 2\n"
            "        r = np.exp(binom.logpmf(heads, tosses, h) - binom.logpmf(heads, tosses, mode))\n"
            "        low, high = (h, high) if r > 2 * h - 1 else (low, h)\n    return 2 * low - 1"), 4),
        "split": (function(
            "split_doubt(p)", "def e(row): return -sum(float(q) * np.log2(q) for q in row if q > 0)\n"
            "    J, n, _ = p.shape\n    t = [e(p[:, i].mean(axis=0)) for i in range(n)]\n"
            "    a = [sum(e(p[j, i]) for j in range(J)) / J for i in range(n)]\n"
            "    return [t, a, [x - y for x, y in zip(t, a)]]"), 4),
        "local": ("from scipy.spatial.distance import cdist\n" + function(
            "local_confidence(X, y, x, c, w, k)", "s = np.exp(-cdist([x], X, 'sqeuclidean')[0] / (2 * w * w))\n"
            "    n = np.bincount(y, s, minlength=k) + 1; return n[c] / n.sum()"), 3),
    }),
    "u-right-alarm3": ("uncertainty", {"alarm": (function(
        "alarm(p)", "m = p.mean(axis=0); return -(m * np.log(m + 1e-12)).sum(axis=1)"), 4)}),
    "c-types": ("calibrators", {
        "tempered-softmax": ("import math\n" + function(
            "tempered_softmax(z, T)", "rows = []\n    for r in z:\n        e = [math.exp((v - max(r)) / T) for v in r]\n"
            "        rows.append(tuple(v / sum(e) for v in e))\n    return rows"), 3),
        "nll": ("from scipy.special import logsumexp\n" + function(
            "nll(y, z, T)", "return np.array(np.mean([logsumexp(r / T) - r[k] / T for r, k in zip(z, y)]))"), 2),
        "judge": (solutions(ASSIGNMENTS / "source/calibrators/calibrators.ipynb")["judge"].replace(
            "return before, after", "return np.array([before, after])"), 2)}),
    "c-float32": ("calibrators", {
        "tempered-softmax": (function(
            "tempered_softmax(z, T)", "z = np.float32(z); e = np.exp((z - z.max(axis=1, keepdims=True)) / np.float32(T))\n"
            "    return e / e.sum(axis=1, keepdims=True)"), 3),
        "nll": (function(
            "nll(y, z, T)", "z = np.float32(z) / np.float32(T); m = z.max(axis=1)\n"
            "    return np.mean(m + np.log(np.exp(z - m[:, None]).sum(axis=1)) - z[np.arange(len(y)), y])"), 2)}),
    "c-consistent-shape": ("calibrators", {"fit-consistency": (function(
        "fit_consistency(y, z)", "z = np.array(z, float); a = np.mean(z.argmax(axis=1) == y)\n"
        "    z = z - z.max(axis=1, keepdims=True); u = np.abs(z).max()\n"
        "    mean = lambda t: np.mean(1 / np.exp(z / u / 10**t).sum(axis=1))\n    low, high = -9.0, 9.0\n"
        "    if not mean(low) > a > mean(high) or a <= 1 / z.shape[1]: raise ValueError('no temperature')\n"
        "    for _ in range(200):\n        t = (low + high) / 2\n"
        "        low, high = (t, high) if mean(t) > a else (low, t)\n    return u * 10**t"), 4)}),
    "c-right-newton": ("calibrators", {"fit-temperature": (
        "from scipy.optimize import minimize_scalar\nfrom scipy.special import log_softmax\n" + function(
            "fit_temperature(y, z)", "z = np.array(z, float); i = np.arange(len(y)); own = z[i, y]\n"
            "    if (own == z.max(axis=1)).all() or own.mean() <= z.mean(): raise ValueError('no temperature')\n"
            "    u = np.abs(z - z.mean(axis=1, keepdims=True)).max()\n"
            "    cost = lambda t: -log_softmax(z / (u * np.exp(t)), axis=1)[i, y].mean()\n"
            "    b = np.exp(-minimize_scalar(cost, bracket=(-3, 0), options={'xtol': 1e-12}).x) / u\n"
            "    for _ in range(3):\n        p = np.exp(log_softmax(z * b, axis=1)); m = (p * z).sum(axis=1)\n"
            "        b -= (m - own).mean() / ((p * z * z).sum(axis=1) - m**2).mean()\n    return 1 / b"), 5)}),
    "p-right-loops": ("practice", {
        "audit": ("import pandas as pd\n" + function(
            "equal_mass_ece(y, p, n)", "d = pd.DataFrame(dict(y=y, p=p)).sort_values('p', kind='mergesort')\n"
            "    k = total = 0\n    for b in range(n):\n        g = d.iloc[k : k + len(d) // n + (b < len(d) % n)]\n"
            "        k += len(g); total += abs(g.y.sum() - g.p.sum())\n    return total / len(d)"), 2),
        "mend": ("from scipy.optimize import minimize\n" + function(
            "recalibrated(z, y, fit_rows, calibration_rows, test_rows)", "s, t = z[calibration_rows], y[calibration_rows]\n"
            "    q = np.where(t == 1, (t.sum() + 1) / (t.sum() + 2), 1 / ((1 - t).sum() + 2))\n"
            "    cost = lambda w: np.mean(np.logaddexp(0, w[0] * s + w[1]) - q * (w[0] * s + w[1]))\n"
            "    w = minimize(cost, [1.0, 0.0], method='BFGS', options={'gtol': 1e-8}).x\n"
            "    return 1 / (1 + np.exp(-w[0] * z[test_rows] - w[1]))"), 2),
        "gain": ("from scipy.stats import sem\n" + function(
            "brier_gain(y, b, a)", "d = (b - y)**2 - (a - y)**2; h = 1.96 * sem(d)\n"
            "    return [d.mean(), d.mean() - h, d.mean() + h]"), 2),
        "decide": (function(
            "decide(p, costs, referral)", "out = []\n    for q in p:\n"
            "        e = [(1 - q) * a + q * b for a, b in zip(*costs)]\n"
            "        out.append(-1 if min(e) > referral else e.index(min(e)))\n    return out"), 3),
        "bill": (function(
            "bill(p, y, d, costs, r)", "a = b = 0.0\n    for q, t, k in zip(p, y, d):\n        if k == -1:\n"
            "            a += r; b += r\n        else:\n"
            "            a += (1 - q) * costs[0][k] + q * costs[1][k]; b += costs[t][k]\n    return a / len(p), b / len(p)"), 2),
    }),
    "o-right-loops": ("models", {
        "loss": (function(
            "loss_and_gradient(theta, X, y, l2)", "cost, g = 0.0, np.zeros(len(theta))\n    for x, t in zip(X, y):\n"
            "        z = float(x @ theta); cost += max(z, 0) - z * t + np.log1p(np.exp(-abs(z)))\n"
            "        g += (1 / (1 + np.exp(-z)) - t) * x\n    w = np.array(theta); w[0] = 0\n"
            "    return cost / len(y) + l2 * (w @ w) / 2, g / len(y) + l2 * w"), 4),
        "fit": ("from scipy.optimize import minimize\n" + function(
            "fit_logistic(X, y, l2)", "m, s = X.mean(axis=0), X.std(axis=0)\n"
            "    R, w = np.column_stack([np.ones(len(X)), (X - m) / s]), np.r_[0, l2 / s**2]\n"
            "    def cost(t):\n        z = R @ t\n"
            "        return np.mean(np.logaddexp(0, z) - y * z) + w @ t**2 / 2, R.T @ (expit(z) - y) / len(y) + w * t\n"
            "    t = minimize(cost, np.zeros(len(w)), jac=True, method='BFGS', options={'gtol': 1e-9}).x\n"
            "    return np.r_[t[0] - t[1:] / s @ m, t[1:] / s]"), 4),
        "separated": (function(
            "is_separated(x, y)", "x, y = list(map(float, x)), list(map(int, y))\n    if len(set(y)) == 1: return True\n"
            "    if len(set(x)) == 1: return False\n    a = [u for u, t in zip(x, y) if t == 0]\n"
            "    b = [u for u, t in zip(x, y) if t == 1]\n"
            "    return np.bool_(max(a) <= min(b)) or np.bool_(max(b) <= min(a))"), 4),
        "gradient": (function(
            "softmax_gradient(theta, X, y)", "g = np.zeros(theta.shape)\n    for x, t in zip(X, y):\n"
            "        z = theta @ x; p = np.exp(z - z.max()); p /= p.sum(); p[t] -= 1; g += np.outer(p, x)\n"
            "    return g / len(X)"), 4),
        "choose": (function(
            "choose_l2(X, y, candidates, fold)", "def loss(l2):\n        cost = 0\n        for k in set(fold.tolist()):\n"
            "            m = LogisticRegression(l2=l2); m.fit(X[fold != k], y[fold != k])\n"
            "            q, t = m.predict_proba(X[fold == k])[:, 1], y[fold == k]\n"
            "            cost -= (t * np.log(q) + (1 - t) * np.log1p(-q)).sum()\n        return cost\n"
            "    return min(sorted(candidates), key=loss)"), 4),
    }),
    "m-right-loops": ("measures", {
        "by-hand": ("bias = round((rain_few + rain_many - few * mean_few - many * mean_many) / (few + many), 3)\n"
                    "g, h = abs(rain_few / few - mean_few), abs(rain_many / many - mean_many)\n"
                    "ece, mce = np.float32(round((few * g + many * h) / (few + many), 3)), max(g, h).__round__(3)", 3),
        "counts": ("import pandas as pd\n" + function(
            "bin_counts(s, n)", "i = pd.cut(pd.Series(s), np.linspace(0, 1, n + 1), include_lowest=True)\n"
            "    return i.value_counts(sort=False)"), 4),
        "curve": ("import pandas as pd\n" + function(
            "curve(p, y, n)", "d = pd.DataFrame({'c': p.max(axis=1), 'a': 1.0 * (p.argmax(axis=1) == y)})\n"
            "    i = pd.cut(d.c, np.arange(n + 1) / n, include_lowest=True, labels=False)\n"
            "    g = d.groupby(i).mean().reindex(range(n)); return g.c, g.a"), 4),
        "ece": (function(
            "binned_ece(s, y, n)", "i = np.digitize(s, np.linspace(0, 1, n + 1), right=True).clip(1)\n"
            "    return sum(abs(y[i == m].mean() - s[i == m].mean()) * (i == m).mean() for m in set(i))"), 4),
        "outcomes": (function(
            "calibrated_outcomes(scores, draws, rng)",
            "return [[int(rng.random() < s) for s in scores] for _ in range(draws)]"), 2),
        "reading": ('reading = dict(a="Over-confident", b="too high ", c="under-confident",'
                    ' d="more than zero", e="never higher", f="not always")', 3),
        "p-value": ("from fractions import Fraction\n" + function(
            "p_value(o, d)", "d = list(d)\n    def above(k):\n"
            "        return 0 if k == len(d) else int(d[k] >= o) + above(k + 1)\n"
            "    return Fraction(1 + above(0), 1 + len(d))"), 2),
    }),
    "m-right-names": ("measures", {
        "counts": (function(
            "bin_counts(_a, b, /, *rest, unused=None)",
            "hot = np.searchsorted(np.arange(1, b) / b, _a)[:, None] == np.arange(b); return hot.sum(axis=0)"), 4),
        "ece": ("edges = lambda n: np.float32(np.arange(1, n) / n)\n"
                "binned_ece = lambda s, y, n: np.abs(np.bincount("
                "np.searchsorted(edges(n), np.float32(s)), y - np.float32(s))).sum() / len(s)", 4),
        "curve": (function(
            "curve(p, y, n)", "p = np.float32(p); t, h = p.max(axis=1), p.argmax(axis=1) == y\n"
            "    i = np.searchsorted(np.arange(1, n) / n, t)\n"
            "    return map(np.array, zip(*[(t[i == m].mean(), h[i == m].mean()) for m in range(n)]))"), 4),
    }),
    "m-right-styles": ("measures", {  # what Python and pandas have for arrays, numbers and pairs
        "counts": ("from dataclasses import dataclass\n@dataclass\nclass Bins:\n    scores: object\n    n: int\n"
                   "    def counts(self) -> 'list[int]':\n        found = np.empty(self.n, dtype=object)\n        found[:] = 0\n"
                   "        for s in self.scores:\n"
                   "            found[next(m for m in range(self.n) if s <= (m + 1) / self.n)] += 1\n        return found\n"
                   "bin_counts = lambda s, n: Bins(s, n).counts()", 4),
        "curve": ("from collections import namedtuple\nCurve = namedtuple('Curve', 'confidence accuracy')\n" + function(
            "curve(p, y, n)", "import pandas as pd\n    t = p.max(axis=1)\n"
            "    i = pd.cut(t, np.arange(n + 1) / n, include_lowest=True)\n"
            "    g = pd.DataFrame({'c': t, 'a': p.argmax(axis=1) == y}).groupby(i, observed=False).mean()\n"
            "    return Curve(g['c'], g['a'])"), 4),
        "ece": ("import functools\n@functools.cache\ndef edges(n: int) -> tuple:\n    return tuple((m + 1) / n for m in range(n))\n"
                "def loud(f):\n    @functools.wraps(f)\n    def told(*a):\n        print('x' * 1000)\n        return np.array(f(*a))\n"
                "    return told\n@loud\n" + function(
                    "binned_ece(s, y, n)", "gaps = dict.fromkeys(range(n), 0.0)\n    for a, b in zip(s, y):\n"
                    "        gaps[next(m for m, e in enumerate(edges(n)) if a <= e)] += float(b) - a\n"
                    "    return sum(map(abs, gaps.values())) / (rows := len(s))"), 4),
        "outcomes": ("calibrated_outcomes = lambda s, n, rng: np.matrix((rng.random((n, len(s))) < s).astype('int8'))", 2),
        "p-value": (function("p_value(o, d)", "return np.longdouble(1 + sum(x >= o for x in d)) / (1 + len(d))"), 2),
        "parts": (function(
            "brier_parts(f, y)", "import warnings; warnings.warn('slow')\n    import pandas as pd\n"
            "    g = pd.DataFrame({'f': f, 'y': y}).groupby('f').y.agg(['mean', 'size']); b, w = np.mean(y), g['size'] / len(f)\n"
            "    return {'r': (w * (g.index - g['mean'])**2).sum(), 's': (w * (g['mean'] - b)**2).sum(), 'u': b * (1 - b)}.values()"), 3),
    }),
    "m-digits": ("measures", {
        "parts": (function(
            "brier_parts(f, y)", "v, g = np.unique(np.round(f, 3), return_inverse=True); n = np.bincount(g)\n"
            "    q, b = np.bincount(g, y) / n, np.mean(y)\n"
            "    return (n * (v - q)**2).sum() / len(g), (n * (q - b)**2).sum() / len(g), b * (1 - b)"), 1.5),
        "curve": (function(
            "curve(p, y, n)", "t, h = p.max(axis=1), p.argmax(axis=1) == y\n"
            "    i = np.searchsorted(np.arange(1, n) / n, t)\n    c, a = np.full((2, n), np.nan)\n    for m in set(i):\n"
            "        if (i == m).sum() > 1: c[m], a[m] = t[i == m].mean(), h[i == m].mean()\n    return c, a"), 2),
    }),
    "c-power": ("calibrators", {"tempered-softmax": (function(
        "tempered_softmax(z, T)", "e = np.exp(z - z.max(axis=1, keepdims=True))**(1 / T)\n"
        "    return e / e.sum(axis=1, keepdims=True)"), 1.5)}),
    "arrays by hand": ("measures", {"by-hand": ("bias, ece, mce = np.zeros(3), np.zeros((2, 2)), [[], [1]]", 0)}),
    "arrays in the report": ("practice", {"report": ("report = {name: np.arange(3) for name in ('ece before', 0)}", 0)}),
    "one number in an array": ("measures", {
        "p-value": (function("p_value(o, d)", "return np.array([1 + np.sum(d >= o)]) / (1 + len(d))"), 2),
        "parts": (function(
            "brier_parts(f, y)", "o = np.array([y[f == q].mean() for q in f]); m = lambda v: [[v.mean()]]\n"
            "    return m((f - o)**2), m((o - y.mean())**2), m((y - y.mean())**2)"), 3),
        "by-hand": (solutions(ASSIGNMENTS / "source/measures/measures.ipynb")["by-hand"] + "\nbias = np.array([bias])", 3),
        "counts": (function("bin_counts(s, n)", "return np.array([np.searchsorted(s, .5)])"), 0)}),
    "m-right-third": ("measures", {
        "counts": ("""
from __future__ import annotations
import matplotlib; matplotlib.use('agg')
import matplotlib.pyplot as plt
def bin_counts(scores: np.ndarray, n_bins: int) -> np.ndarray[int]:
    s = -np.asarray(scores)
    h, e = np.histogram(s, -np.arange(n_bins, -1, -1) / n_bins)
    plt.hist(s, e); plt.close('all')
    return h[::-1]
""", FULL),
        "curve": ("""
from dataclasses import dataclass, field
@dataclass(frozen=True)
class Curve:
    p: np.ndarray
    y: np.ndarray
    n: int
    class Edge:
        def __init__(self, n): self.n = n
        def __getitem__(self, m): return m / self.n
    def rows(self):
        e = self.Edge(self.n)
        for m in range(self.n):
            t = self.p.max(1)
            yield (t <= e[m + 1]) & ((t > e[m]) | (m == 0))
    def __call__(self):
        hit = (np.argmax(self.p, -1) == self.y)
        return np.matrix([[self.p.max(1)[r].mean(), hit[r].mean()] if r.any() else [np.nan, np.nan] for r in self.rows()]).T
curve = lambda probabilities, labels, n_bins: Curve(np.asarray(probabilities), np.asarray(labels), n_bins)()
""", FULL),
        "ece": ("""
from decimal import Decimal, getcontext
getcontext().prec = 40
def binned_ece(scores, happened, n_bins):
    total = [Decimal(0)] * n_bins
    for s, h in zip(scores.tolist(), happened.tolist()):
        if (m := next(k for k in range(n_bins) if s <= (k + 1) / n_bins)) >= 0:
            total[m] += Decimal(int(h)) - Decimal(s)
    return sum(map(abs, total)) / len(scores)
""", FULL),
        "outcomes": ("""
def calibrated_outcomes(scores, draws, rng):
    return np.column_stack([rng.random(draws) < s for s in scores])
""", FULL),
        "furthest": ("""
from itertools import accumulate, groupby
def furthest(scores, happened):
    rows = sorted(zip(np.asarray(scores).tolist(), np.asarray(happened).tolist()))
    steps = (sum(h - s for s, h in g) for _, g in groupby(rows, key=lambda r: r[0]))
    return max(map(abs, accumulate(steps))) / len(rows)
""", FULL),
    }),
    "c-right-third": ("calibrators", {
        "nll": ("""
def nll(labels, logits, temperature):
    z = np.asarray(logits, float) / temperature
    d = z - np.take_along_axis(z, np.asarray(labels)[:, None], axis=1)
    return np.logaddexp.reduce(d, axis=1).mean()
""", FULL),
        "fit-consistency": ("""
class Fit:
    steps = 0
    @staticmethod
    def conf(z, b): return np.mean(1 / np.exp(b * (z - z.max(1, keepdims=True))).sum(1))
    @classmethod
    def __call__(cls, labels, logits): return cls.solve(labels, np.array(logits, dtype=np.longdouble))
    @classmethod
    def solve(cls, labels, z):
        acc = np.mean(np.argmax(z, 1) == labels); K = z.shape[1]
        ties = np.mean(1 / (z == z.max(1, keepdims=True)).sum(1))
        if acc <= 1 / K or acc >= ties: raise ValueError(f'{acc}')
        lo, hi = 0, 1 / np.mean(z.max(1) - z.mean(1))
        while cls.conf(z, hi) < acc: lo, hi = hi, 2 * hi
        for _ in range(120):
            b = (lo + hi) / 2
            lo, hi = (b, hi) if cls.conf(z, b) < acc else (lo, b)
        return 1 / ((lo + hi) / 2)
fit_consistency = Fit()
""", FULL),
        "pooled": ("""
def pooled(scores, labels, weights):
    # max over lower starts of the min over upper ends
    s, y, w = map(np.asarray, (scores, labels, weights))
    v = np.unique(s); Y = np.array([(w * y)[s == u].sum() for u in v]); Wt = np.array([w[s == u].sum() for u in v])
    cy, cw = np.r_[0, Y.cumsum()], np.r_[0, Wt.cumsum()]
    fit = [max(min((cy[j + 1] - cy[i]) / (cw[j + 1] - cw[i]) for j in range(k, len(v))) for i in range(k + 1)) for k in range(len(v))]
    return np.array(fit)[np.searchsorted(v, s)]
""", FULL),
        "one-vs-rest": ("""
def one_vs_rest(logits, slopes, intercepts):
    z = np.asarray(logits, float); out = []
    for row in z:
        r = []
        for k, (a, b) in enumerate(zip(slopes, intercepts)):
            rest = [v for j, v in enumerate(row) if j != k]; m = max(rest)
            t = a * (row[k] - m - np.log(sum(np.exp(v - m) for v in rest))) + b
            r.append(1 / (1 + np.exp(-t)) if t > 0 else np.exp(t) / (1 + np.exp(t)))
        s = sum(r); out.append([q / s for q in r] if s > 0 else [1 / len(r)] * len(r))
    return np.matrix(out)
""", FULL),
        "biases": ("""
def fit_biases(labels, logits, strength):
    z, b = np.asarray(logits, float), np.zeros(np.shape(logits)[1]); Y = np.eye(len(b))[np.asarray(labels)]
    for step in range(200):
        q = softmax(z + b); g = (q - Y).sum(0) + strength * b
        H = np.diag(q.sum(0)) - q.T @ q + strength * np.eye(len(b))
        b = b - np.linalg.lstsq(H, g, rcond=None)[0] * min(1, (step + 1) / 5)
    return tuple(b)
""", FULL),
    }),
    "p-right-third": ("practice", {
        "audit": ("""
def equal_mass_ece(y, p, n_bins):
    order = sorted(range(len(p)), key=lambda i: p[i]); n = len(p); total = 0
    size = [n // n_bins + (k < n % n_bins) for k in range(n_bins)]
    it = iter(order)
    for s in size:
        group = [next(it) for _ in range(s)]
        if group: total += s * abs(float(np.mean([y[i] for i in group])) - float(np.mean([p[i] for i in group])))
    return total / n
""", FULL),
        "decide": ("""
def decide(p, costs, referral):
    e = np.einsum('nk,kd->nd', np.stack([1 - np.asarray(p), p], 1), costs)
    return np.ma.masked_where(e.min(1) > referral, e.argmin(1)).filled(-1).astype(np.int8)
""", FULL),
        "bill": ("""
def bill(p, y, decision, costs, referral):
    table = np.column_stack([costs, [referral, referral]])
    P = np.stack([1 - np.asarray(p), p]); Y = np.eye(2)[:, np.asarray(y)]
    return np.array([np.mean((M * table[:, np.asarray(decision)]).sum(0)) for M in (P, Y)])
""", FULL),
        "answered": ("""
def answered(confidence, right, limit):
    import pandas as pd
    d = pd.DataFrame({'c': confidence, 'w': 1 - np.asarray(right, int)}).groupby('c', sort=True).w.agg(['sum', 'size'])[::-1].cumsum()
    ok = d[d['sum'] / d['size'] <= limit]
    return 0 if ok.empty else ok['size'].max() / len(confidence)
""", FULL),
        "intercept": ("""
def intercept_update(z, y):
    z = np.array(z, float); s = np.mean(y)
    if s in (0, 1): raise ValueError('absent')
    def f(b): return np.mean(np.exp(-np.logaddexp(0, -(z + b)))) - s
    def go(lo, hi, n): 
        m = (lo + hi) / 2
        return m if n == 0 else go(m, hi, n - 1) if f(m) < 0 else go(lo, m, n - 1)
    return np.float64(go(-abs(z).max() - 50, abs(z).max() + 50, 200))
""", FULL),
    }),
    "p-right-fourth": ("practice", {
        "keep": ("""
import functools, hashlib
import matplotlib.pyplot as plt
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

class Loss:
    '''Cached by content.

    >>> Loss.of(np.zeros((2, 2)), [0, 1], 0.0).round(4)
    0.6931
    '''
    kept = {}
    @staticmethod
    def of(z, y, u):
        z = z / np.exp(u)
        return np.mean(logsumexp(z, axis=-1) - np.take_along_axis(z, np.asarray(y)[:, None], -1)[:, 0])
    @classmethod
    def best(cls, z, y):
        key = hashlib.sha1(z.tobytes() + np.asarray(y).tobytes()).hexdigest()
        if key not in cls.kept:
            cls.kept[key] = minimize_scalar(lambda u: cls.of(z, y, u), bounds=(-7, 9), method='bounded', options={'xatol': 1e-9}).x
        return cls.kept[key]

def keep(labels, runs, new_labels, new_runs):
    left = {r: Loss.of(z, labels, Loss.best(z, labels)) for r, z in enumerate(runs)}
    fig, ax = plt.subplots(); ax.plot(list(left.values())); plt.close('all')
    run = min(left, key=left.get)
    new = [Loss.of(z, new_labels, Loss.best(o, labels)) for z, o in zip(new_runs, runs)]
    return np.int16(run), np.array(new[0] - new[run])
doctest.run_docstring_examples(Loss, globals())
inspect.signature(keep)
""", FULL),
        "choices": ("""
from decimal import Decimal, getcontext
from typing import NamedTuple
getcontext().prec = 40
class Token(NamedTuple):
    logits: list
    number: int
    def log(self):
        e = [Decimal(float(z)).exp() for z in self.logits]
        return (e[self.number] / sum(e)).ln()
def choices(logits, tokens, temperature):
    s = [sum((Token(z, int(t)).log() for z, t in zip(row, ts) if t != -1), Decimal(0)) for row, ts in zip(logits, tokens)]
    e = [(v / Decimal(temperature)).exp() for v in s]
    yield from (v / sum(e) for v in e)
""", FULL),
        "merged": ("""
from functools import reduce
from operator import add
def merged_ece(rows, promised, came):
    total = reduce(lambda a, b: [list(map(add, x, y)) for x, y in zip(a, b)], np.stack([rows, promised, came], axis=1).tolist())
    return np.float16(0) + np.array([[sum(abs(c - p) for _, p, c in zip(*total)) / sum(total[0])]])
""", FULL),
        "shortlists": ("""
import pandas as pd
def shortlists(p, labels, new_p, alpha):
    s = pd.Series([1 - p[i][k] for i, k in enumerate(labels)])
    level = np.ceil((s.size + 1) * (1 - alpha)) / s.size
    q = np.quantile(s, level, method='inverted_cdf') if level <= 1 else np.inf
    return pd.DataFrame(new_p).map(lambda v: 1 - v <= q)
""", FULL),
    }),
    "c-right-fourth": ("calibrators", {
        "one-curve": ("""
from scipy.optimize import isotonic_regression
from dataclasses import dataclass
@dataclass(slots=True)
class Curve:
    x: np.ndarray
    y: np.ndarray
    @classmethod
    def fit(cls, s, h):
        x, first, counts = np.unique(s, return_index=True, return_counts=True)
        means = np.add.reduceat(h[np.argsort(s, kind='stable')], np.r_[0, counts.cumsum()[:-1]]) / counts
        return cls(x, isotonic_regression(means, weights=counts).x)
    def __call__(self, t): return np.interp(t, self.x, self.y)
def one_curve(labels, p, new_p):
    K = np.shape(p)[-1]
    f = Curve.fit(np.concatenate([p[:, k] for k in range(K)]), np.concatenate([1.0 * (labels == k) for k in range(K)]))
    eps = 1e-6
    g = np.array([[(1 - eps) * f(v) + eps * v for v in row] for row in new_p])
    return (g.T / g.sum(1)).T
""", FULL),
        "biases": ("""
def fit_biases(labels, logits, strength):
    z = np.float32(logits); z = z - z.max(1)[:, None]; b = np.zeros(z.shape[1]); Y = np.eye(len(b))[labels]
    for _ in range(300):
        q = softmax(z + b); g = (q - Y).sum(0) + strength * b
        H = np.diag(q.sum(0)) - q.T @ q + strength * np.eye(len(b))
        d = np.linalg.solve(H, g); b -= d / max(1, abs(d).max())
    return b.astype(np.float32)
""", FULL),
        "venn-abers": ("""
import bisect
from fractions import Fraction
def pav(pairs):
    blocks = []
    for s, (y, n) in pairs:
        blocks.append((Fraction(int(y)), n, s))
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            a, m, t = blocks.pop(); c, k, _ = blocks.pop(); blocks.append((a + c, m + k, t))
    return blocks
def venn_abers(scores, labels, new_scores):
    out = []
    for s in new_scores:
        ends = []
        for k in (0, 1):
            cells = {}
            for t, y in [*zip(scores, labels), (s, k)]:
                c = cells.setdefault(t, [0, 0]); c[0] += y; c[1] += 1
            ends.append(next(a / n for a, n, t in pav(sorted(cells.items())) if s <= t))
        p0, p1 = ends
        out.append((p0, p1, p1 / (1 - p0 + p1)))
    return np.array(out, dtype=float).T
""", FULL),
        "beta": ("""
from itertools import product
def beta_calibrated(scores, labels, new_scores):
    X = lambda p: np.c_[np.log(p), -np.log1p(-p), np.ones_like(p)]
    s, y = np.asarray(scores), np.asarray(labels)
    best = (np.inf, None)
    for a, b in product([False, True], repeat=2):
        use = [j for j, on in enumerate((a, b, True)) if on]
        A, w = X(s)[:, use], np.zeros(len(use))
        for _ in range(100):
            q = 1 / (1 + np.exp(-A @ w))
            step = np.linalg.solve((A.T * q * (1 - q)) @ A + 1e-12 * np.eye(len(use)), A.T @ (q - y))
            t = 1.0
            f = lambda w: np.logaddexp(0, A @ w).sum() - y @ (A @ w)
            while f(w - t * step) > f(w) + 1e-12 and t > 1e-8: t /= 2
            w = w - t * step
        full = np.zeros(3); full[use] = w
        if (full[:2] >= -1e-12).all() and f(w) < best[0]: best = f(w), full
    return 1 / (1 + np.exp(-X(np.asarray(new_scores)) @ best[1]))
""", FULL),
        "one-vs-rest": ("""
def one_vs_rest(logits, slopes, intercepts):
    import pandas as pd
    z = pd.DataFrame(logits)
    s = pd.concat([z[k] - z.drop(columns=k).apply(lambda r: np.logaddexp.reduce(r.to_numpy()), axis=1) for k in z], axis=1)
    s.columns = z.columns
    r = 1 / (1 + np.exp(-(s * list(slopes) + list(intercepts)).clip(-745, 745)))
    r[(s * list(slopes) + list(intercepts)) < -745] = 0.0
    return r.div(r.sum(axis=1), axis=0).fillna(1 / z.shape[1])
""", FULL),
    }),
    "p-fourth": ("practice", {
        "keep": ("""
def keep(labels, runs, new_labels, new_runs):
    def nll(y, z, t):
        l = np.asarray(z) / t; l = l - np.logaddexp.reduce(l, axis=1, keepdims=True)
        c = -l[np.arange(len(y)), y]
        return np.mean([c[y == k].mean() for k in np.unique(y)])
    f = [cl.TemperatureScaling().fit(z, labels).temperature_ for z in runs]
    run = np.argmin([nll(labels, z, t) for z, t in zip(runs, f)])
    return run, nll(new_labels, new_runs[0], f[0]) - nll(new_labels, new_runs[run], f[run])
""", 0),
        "choices": ("""
def choices(logits, tokens, temperature):
    from scipy.special import log_softmax
    lq = log_softmax(logits[0], axis=1)
    s = np.array([sum(lq[l, t] for l, t in enumerate(row) if t >= 0) for row in tokens])
    return cl.softmax(s / temperature)
""", 0),
        "merged": ("""
def merged_ece(rows, promised, came):
    n = rows.sum(axis=0).astype(int); return np.abs(came.sum(axis=0) - promised.astype(int).sum(axis=0)).sum() / n.sum()
""", 0),
        "shortlists": ("""
def shortlists(p, labels, new_p, alpha):
    def adaptive(row):
        o = np.argsort(-row, kind='stable'); c = np.empty(len(row)); c[o] = np.cumsum(row[o]); return c
    s = np.sort([adaptive(r)[k] for r, k in zip(p, labels)])
    k = int(np.ceil((len(p) + 1) * (1 - alpha)))
    q = s[k - 1] if k <= len(p) else 2
    return np.array([adaptive(r) <= q for r in new_p])
""", 0),
    }),
    "p-memory": ("practice", {
        "choices": ("""
def choices(logits, tokens, temperature):
    from scipy.special import log_softmax
    lq = log_softmax(np.float16(logits), axis=2).astype(np.float16)
    s = np.array([sum(lq[k, l, t] for l, t in enumerate(row) if t >= 0) for k, row in enumerate(tokens)], dtype=np.float16)
    return cl.softmax(s / np.float16(temperature))
""", 1),
        "merged": ("""
def merged_ece(rows, promised, came):
    acc = cl.CalibrationAccumulator(n_bins=rows.shape[1])
    return np.abs(np.nan_to_num(came / rows).mean(axis=0) - np.nan_to_num(promised / rows).mean(axis=0)) @ rows.sum(axis=0) / rows.sum()
""", 0),
        
    }),
    "c-fourth": ("calibrators", {
        "one-curve": ("""
from sklearn.isotonic import IsotonicRegression
from scipy.interpolate import interp1d
def one_curve(labels, p, new_p):
    h = np.eye(p.shape[1])[labels]; x = np.unique(p)
    f = interp1d(x, IsotonicRegression().fit(p.ravel(), h.ravel()).predict(x), fill_value='extrapolate')
    g = np.clip(f(new_p), 0, 1) * (1 - 1e-6) + 1e-6 * new_p
    return g / g.sum(axis=1, keepdims=True)
""", 1),
        "biases": ("""
def fit_biases(labels, logits, strength):
    from scipy.optimize import minimize
    Y = np.eye(logits.shape[1])[labels]
    f = lambda b: -(Y * np.log(np.clip(softmax(logits + b), 1e-3, 1))).sum() + strength / 2 * (b @ b)
    return minimize(f, np.zeros(logits.shape[1])).x
""", 1.5),
        "venn-abers": ("""
from sklearn.isotonic import IsotonicRegression
def venn_abers(scores, labels, new_scores):
    new = np.clip(new_scores, scores.min(), scores.max()); e = []
    for s in new:
        j = np.append(scores, s)
        e.append([IsotonicRegression().fit(j, np.append(labels, k)).predict([s])[0] for k in (0, 1)])
    a, b = np.transpose(e); return a, b, b / (1 - a + b)
""", 0),
        "beta": ("""
def beta_calibrated(scores, labels, new_scores):
    from scipy.optimize import minimize
    F = lambda p: np.column_stack([np.log(p), -np.log(1 - p), np.ones(len(p))])
    nll = lambda t, A: np.logaddexp(0, A @ t).sum() - labels @ (A @ t)
    A = F(scores); t = minimize(nll, np.zeros(3), args=(A,)).x
    if t[0] < 0: t = np.r_[0, minimize(nll, np.zeros(2), args=(A[:, 1:],)).x]
    elif t[1] < 0: t = np.insert(minimize(nll, np.zeros(2), args=(A[:, [0, 2]],)).x, 1, 0)
    z = F(new_scores) @ t
    return 1 / (1 + np.exp(-z))
""", 1.5),
    }),
    "c-memory": ("calibrators", {
        "one-curve": ("""
from sklearn.isotonic import IsotonicRegression
def one_curve(labels, p, new_p):
    h = np.eye(p.shape[1])[labels]
    x = np.unique(p); y = IsotonicRegression().fit(p.ravel(), h.ravel()).predict(x)
    v = np.unique(y); c = np.array([x[y == u].mean() for u in v])
    g = np.interp(new_p, c, v) + 1e-6 * new_p
    return g / g.sum(axis=1, keepdims=True)
""", 0),
        "biases": ("""
def fit_biases(labels, logits, strength):
    b = np.zeros(logits.shape[1]); Y = np.eye(len(b))[labels]
    for _ in range(1000): b -= 0.001 * ((softmax(logits + b) - Y).sum(0) + strength * b)
    return b
""", 1.5),
        "venn-abers": ("""
from sklearn.isotonic import IsotonicRegression
def venn_abers(scores, labels, new_scores):
    r = np.round
    e = np.array([[IsotonicRegression().fit(r(np.append(scores, s), 1), np.append(labels, k)).predict([r(s, 1)])[0] for k in (0, 1)] for s in new_scores])
    return e[:, 0], e[:, 1], e[:, 1] / (1 - e[:, 0] + e[:, 1])
""", 0),
        "beta": ("""
from sklearn.neural_network import MLPClassifier as M
def beta_calibrated(scores, labels, new_scores):
    F = lambda p: np.column_stack([np.log(p), -np.log(1 - p)])
    return M((), alpha=0, solver='lbfgs', tol=1e-12, max_iter=9999).fit(F(scores), labels).predict_proba(F(new_scores))[:, 1]
""", 0),
    }),
    "c-nothing": ("calibrators", {"judge": (function("judge(network)", "print(0.05, 0.01)"), 0)}),
    "p-ragged": ("practice", {"gain": (function("brier_gain(y, b, a)", "return 1, [2], [3, 4]"), 0)}),
    "c-ownsoftmax2": ("calibrators", {"tempered-softmax": (
        "def softmax(z):\n    e = np.exp(z - z.max(axis=-1, keepdims=True))\n    return e / e.sum(axis=-1, keepdims=True)\n\n\n"
        + function("tempered_softmax(z, T)", "return softmax(np.asarray(z) / T)"), 3)}),
    "u-right-alarm4": ("uncertainty", {"alarm": (function(
        "alarm(p)", "v = p.argmax(axis=2); return (v != v[0]).mean(axis=0) + 9 * p.var(axis=0).sum(axis=1)"), 4)}),
}  # fmt: skip


KEPT = """
import calibration_lessons as c, gc, marshal, types
names = c.reliability_curve.__globals__
kept = {one: marshal.dumps(one.__code__) for one in gc.get_objects()
        if type(one) is types.FunctionType and 'calibration_lessons' in one.__code__.co_filename}
"""
SETS = ["calibrators", "measures", "models", "practice", "uncertainty"]
# The right answers below a question whose kernel ended, or which want a process as it was.
LOST_BELOW = {
    question: (answer, 0)
    for question, answer in solutions(ASSIGNMENTS / "source/measures/measures.ipynb").items()
    if question in ("best-paid", "parts", "furthest")
}
IN_A_KERNEL = {  # the set, an extra cell at the beginning, the sandbox, answers with their points
    "m-right-autoreload": ("measures", "%load_ext autoreload\n%autoreload 2\n%matplotlib inline", "none", {}),
    "m-right-magics": ("models", "%%time\n!pip install numpy\nfrom IPython.display import display\ndisplay(1)", "none", {}),
    "m-loop": ("measures", "", "none", {
        "counts": (function("bin_counts(s, n)", "while True: pass"), 0),
        "curve": (function("curve(p, y, n)", "return np.ones((10, 10**9)).cumsum(), 1"), 0),
        "ece": (function("binned_ece(s, y, n)", "exit(0)"), 0),
        "p-value": (function("p_value(o, d)", "import sys; sys.exit(0)"), 0)}),
    "m-exit": ("measures", "", "none", {"p-value": (
        "import os, sys\nprint('{\"value\": 1}'); sys.stdout.flush()\n" + function("p_value(o, d)", "os._exit(0)"), 0), **LOST_BELOW}),
    "m-read": ("measures", "", "bubblewrap", {
        "by-hand": ("import pathlib\n[bias] = [p.read_text() for p in pathlib.Path('/').glob('**/measures/checks.py')]\n"
                    "ece = mce = bias", 0),
        "counts": (function(
            "bin_counts(s, n)", "import urllib.request as u; u.urlopen('http://127.0.0.1:9', timeout=1); return s"), 0)}),
    "subprocess": ("measures", "", "none", {"ece": (function(
        "binned_ece(s, y, n)", "import subprocess, sys\n"
        "    code = 'import json, sys; from calibration_lessons import expected_calibration_error as e;'\\\n"
        "        's, y, n = json.loads(sys.argv[1]); print(e(y, s, n_bins=n))'\n"
        "    import json; sent = json.dumps([np.asarray(s).tolist(), np.asarray(y).tolist(), n])\n"
        "    return float(subprocess.run([sys.executable, '-c', code, sent], capture_output=True).stdout)"), 0)}),
    "spawned": ("measures", "", "none", {"ece": (function(
        "binned_ece(s, y, n)", "from multiprocessing.util import spawnv_passfds\n    import json, os, sys\n"
        "    code = 'import json, sys; from calibration_lessons import expected_calibration_error as e;'\\\n"
        "        's, y, n = json.loads(sys.argv[1]); open(\"told\", \"w\").write(str(e(y, s, n_bins=n)))'\n"
        "    words = [sys.executable, '-c', code, json.dumps([np.asarray(s).tolist(), np.asarray(y).tolist(), n])]\n"
        "    os.waitpid(spawnv_passfds(words[0].encode(), [word.encode() for word in words], []), 0)\n"
        "    return float(open('told').read())"), 0)}),
    "taken apart": ("measures", "import sys, contextlib\nagent = sys.modules['classroom.isolated_kernel']\n"
                    "agent.Without = contextlib.nullcontext\nagent.functions = lambda names: []\n"
                    "agent.found = type('Found', (dict,), {'__getitem__': lambda *_: []})()", "none", {
                        "ece": (measures.THE_COMPANIONS_ERROR, 0)}),
    "an array by hand, in a kernel": ("measures", "", "none", {"by-hand": ("bias = ece = mce = np.zeros(3)", 0)}),
    "put back": ("measures", KEPT, "none", {
        "counts": (function(
            "bin_counts(s, n)", "pairs = [o for o in gc.get_objects() if type(o) is tuple and len(o) == 2]\n"
            "    for one, code in pairs:\n        if type(code) is types.CodeType: one.__code__ = code\n"
            "    return c.reliability_curve(np.zeros(len(s)), s, n_bins=n).counts"), 0),
        "curve": (function(
            "curve(p, y, n)", "for one, code in kept.items(): one.__code__ = marshal.loads(code)\n"
            "    r = c.reliability_curve(y, p, n_bins=n); return r.confidence, r.accuracy"), 0),
        "ece": (function(
            "binned_ece(s, y, n)", "new = {one.__name__: types.FunctionType(marshal.loads(code), {**names}, one.__name__,"
            " one.__defaults__, one.__closure__) for one, code in kept.items()}\n"
            "    return new['expected_calibration_error'](y, s, n_bins=n)"), 0),
        "p-value": (function(
            "p_value(o, d)", "import gc; gc.collect(); return (1 + sum(x >= o for x in d)) / (1 + len(d))"), 2),
    }),
    "copied": ("measures", "import calibration_lessons, shutil\nshutil.copytree(calibration_lessons.__path__[0], 'mine')", "bubblewrap", {
        "ece": ("import mine\n" + function("binned_ece(s, y, n)", "return mine.expected_calibration_error(y, s, n_bins=n)"), 0)}),
    "frozen": ("measures", "import gc\ngc.freeze()", "none", {"ece": (measures.THE_COMPANIONS_ERROR, 0)}),
    "collector": ("measures", "import gc\ngc.get_objects = lambda *_: []", "none", {
        "ece": (measures.THE_COMPANIONS_ERROR, 0), "curve": ("curve = None", 0), "counts": ("bin_counts = None", 0),
        **LOST_BELOW}),
    "time bomb": ("calibrators", "", "none", {"nll": (
        "import time\nlate = []\n" + function(
            "nll(y, z, T)", "late.append(1); time.sleep(30 * (len(late) > 2))\n"
            "    z = np.asarray(z) / T; z = z - z.max(axis=1, keepdims=True)\n"
            "    return (np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(z)), y]).mean()"), 0)}),
    "deep recursion": ("measures", "import sys\nsys.setrecursionlimit(10**5)", "none", {
        "p-value": (function("p_value(o, d)", "return p_value(o, d)"), 0), **LOST_BELOW}),
    "numpy": ("uncertainty", "", "none", {"local": (
        "np.exp = np.log = lambda *a, **k: np.float64(1)\nnp.testing.assert_allclose = print\n" + function(
            "local_confidence(X, y, x, c, w, k)", "return 3 / 5"), 0)}),
    "built-ins": ("models", "", "none", {"choose": (
        "import builtins\nbuiltins.len = lambda *_: 0\nbuiltins.print = None\n"
        "choose_l2 = lambda X, y, candidates, fold: candidates[0]", 0)}),
}  # fmt: skip


def colab(notebook):
    notebook.metadata = {"colab": {"provenance": []}, "accelerator": "GPU", "kernelspec": {"name": "python3"}}
    notebook.nbformat_minor = 0
    for number, cell in enumerate(notebook.cells):
        cell.pop("id")
        cell.metadata["id"] = f"Xy{number}"
        if cell.cell_type == "code":
            cell.metadata["executionInfo"] = {"status": "ok", "user": {"displayName": "Ada"}}
            cell.execution_count = 900 - number
    notebook.cells.insert(1, new_markdown_cell("Open in Colab", metadata={"id": "view-in-github"}))
    notebook.cells.insert(4, new_code_cell("!pip install calibration-lessons"))


def without_outline(notebook):
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]


def from_an_editor(notebook):
    notebook.nbformat_minor, notebook.metadata = (
        2,
        {"vscode": {"interpreter": {"hash": "ab"}}, "orig_nbformat": 4},
    )
    for cell in notebook.cells:
        cell.pop("id")
        cell.metadata["vscode"] = {"languageId": "python"}
        cell.source = cell.source.replace("\n", "\r\n")
    answer = named(notebook, "solution")["curve"]
    answer.cell_type = "markdown"
    notebook.cells.insert(
        notebook.cells.index(answer) + 1, new_code_cell(answer.source.replace("    ", "\t"))
    )


def cells_moved(notebook):
    names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    split = notebook.cells[names.index("ece")]
    first_half = copy.deepcopy(split)
    first_half.source, first_half.id = "import numpy as np", "half"
    merged, second = notebook.cells[names.index("counts")], notebook.cells[names.index("curve")]
    merged.source += f"\n\n{second.source}"
    block = notebook.cells[names.index("q-outcomes") : names.index("test-outcomes") + 1]
    rest = [
        cell for cell in notebook.cells if cell is not second and not any(cell is moved for moved in block)
    ]
    rest.insert(rest.index(split), first_half)
    notebook.cells = rest[:5] + block + rest[5:]


EDITS = {  # what somebody did to the notebook that the authors had solved
    **{f"{which}, Colab": (which, colab) for which in SETS},
    "code alone": ("practice", without_outline), "VS Code": ("measures", from_an_editor),
    "split, merged, in another order": ("measures", cells_moved),
}  # fmt: skip


TRIED = list(KINDS)[:: 1 if "STUDENTS" in os.environ else 6]  # make check-class tries all


@pytest.mark.parametrize("name", TRIED)
def test_each_kind_earns_what_it_deserves(classroom, name):
    which, answers = KINDS[name]
    source = ASSIGNMENTS / f"source/{which}/{which}.ipynb"
    given = {question: answer for question, (answer, _) in answers.items() if question}
    submission = answered(classroom.release(which), solutions(source) | given)
    if "" in answers:  # an extra cell
        submission.cells.insert(2, new_code_cell(answers[""][0]))
    graded = classroom.grade(which, submission)
    full = full_marks(source)
    expected = {
        f"test-{question}": min(points, full[f"test-{question}"])
        for question, (_, points) in answers.items() if question not in ("", "student")
    }  # fmt: skip
    assert graded.points == full | expected, graded.record.verdicts


@pytest.mark.parametrize("name", list(EDITS)[:: 1 if "STUDENTS" in os.environ else 4])
def test_right_answers_keep_their_points_in_a_notebook_that_was_changed(classroom, name):
    which, change = EDITS[name]
    source = ASSIGNMENTS / f"source/{which}/{which}.ipynb"
    submission = answered(classroom.release(which), solutions(source))
    change(submission)
    assert classroom.grade(which, submission).points == full_marks(source)


def test_a_sheet_names_what_each_question_withholds(classroom):
    withheld = classroom.release("calibrators").metadata.withheld
    assert withheld["nll"][:2] == [
        "nll",
        "calibration_lessons.measures.proper_scores:negative_log_likelihood",
    ]
    assert "judge" not in withheld


def test_the_sheet_as_it_was_handed_out_earns_nothing(classroom):
    assert set(classroom.grade("measures", classroom.release("measures")).points.values()) == {0}


@pytest.mark.parametrize("name", IN_A_KERNEL)
@pytest.mark.skipif("STUDENTS" not in os.environ, reason="make check-class")
def test_each_kind_that_needs_a_kernel_earns_what_it_deserves(classroom, name):
    which, first, sandbox, answers = IN_A_KERNEL[name]
    source = ASSIGNMENTS / f"source/{which}/{which}.ipynb"
    given = {question: answer for question, (answer, _) in answers.items()}
    submission = answered(classroom.release(which), solutions(source) | given)
    submission.cells.insert(0, new_code_cell(first))
    graded = classroom.grade(which, submission, sandbox, Limits(cell=20))
    points = full_marks(source)
    assert graded.points == points | {f"test-{question}": earned for question, (_, earned) in answers.items()}


@pytest.mark.parametrize("name", ["p-letter", "p-letter2", "p-nolast"])
def test_a_letter_is_kept_wherever_it_stands(classroom, name):
    source = ASSIGNMENTS / "source/practice/practice.ipynb"
    submission = answered(classroom.release("practice"), solutions(source))
    if name != "p-letter":
        del submission.cells[-1]
    if name == "p-letter":
        submission.cells[-1].source = "Dear head, mend them."
    if name == "p-letter2":
        submission.cells.append(new_markdown_cell("Dear head, mend them."))
    graded = classroom.grade("practice", submission)
    assert graded.points == full_marks(source)
    kept = [cell.source for cell in graded.notebook.cells]
    assert kept.count("Dear head, mend them.") == (name != "p-nolast")


def test_a_letter_typed_into_the_questions_own_cell_is_kept_for_the_person_who_reads(classroom):
    release = classroom.release("practice")
    question = named(release, "task")["q-letter"].source
    graded = classroom.grade(
        "practice", answered(release, {"q-letter": f"{question}\n\nDear head,\nmend them."})
    )
    kept = [cell.source for cell in graded.notebook.cells]
    assert "Dear head,\n\nmend them." in kept
    assert len(kept) == len(release.cells) + 1


def test_no_kind_is_promised_more_than_its_question_is_worth():
    for name, (which, answers) in KINDS.items():
        full = full_marks(ASSIGNMENTS / f"source/{which}/{which}.ipynb")
        for question, (_, points) in answers.items():
            if question not in ("", "student"):
                assert points in (0, FULL) or points <= full[f"test-{question}"], (name, question)


def test_the_sets_of_the_kinds_are_all_there():
    assert {which for which, _ in KINDS.values()} == {
        module.__name__.rpartition("_")[2]
        for module in (calibrators, measures, models, practice, uncertainty)
    }
