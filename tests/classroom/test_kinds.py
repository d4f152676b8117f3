"""Kinds of submissions that a class hands in, each with the points that it deserves.

What a question is not named for is answered as the authors answer it, and earns its full points. The kinds that
attack the machinery itself stand in `test_grading.py`: they need a sandbox.
"""

import os

import pytest
from nbformat.v4 import new_code_cell

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
        "counts": ("from calibration_lessons.definitions import *\nimport calibration_lessons as c\n" + function(
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
        "split": ("du = cl.decompose_uncertainty\n" + function("split_doubt(p)", "return du(p)"), 0),
        "local": ("from functools import partial\nkc = partial(cl.kernel_confidence)\n" + function(
            "local_confidence(X, y, x, c, w, k)", "return kc(X, y, [x], [c], bandwidth=w, n_classes=k)[0]"), 0),
        "plausibility": ("from calibration_lessons.definitions import *\n" + function(
            "case_for_heads(h, n)", "return 1 - cl.coin_plausibility(h, n).aleatoric"), 0),
        "alarm": (function("alarm(p)", "return cl.decompose_uncertainty(p).epistemic"), 4),
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
        "gradient": ("from calibration_lessons.calibrators._affine import AffineRows, Deviation\n" + function(
            "softmax_gradient(theta, X, y)",
            "(k, d), n = theta.shape, len(y)\n    m = max(k, d)\n"
            "    x, t = np.zeros((n, m)), np.zeros((m, m + 1))\n"
            "    x[:, :d], t[k:, 0], t[:k, 1:d + 1] = X, -1e9, theta\n"
            "    rows = AffineRows(x, 1.0, np.asarray(y), np.ones(n), 'full')\n"
            "    return rows.loss_and_gradient(Deviation(-1.0, t))[1].classes[:k, 1:d + 1] / n"), 0)}),
    "p-library": ("practice", {
        "decide": (function(
            "decide(p, c, r)", "return cl.optimal_decision(p, c, abstaining_cost=r)"), 0),
        "bill": (function("bill(p, y, d, c, r)",
                 "return (cl.expected_cost(p, c)[np.arange(len(p)), d].mean(),"
                 " cl.mean_cost(y, d, c, abstaining_cost=r))"), 0),
    }),
    "p-library2": ("practice", {
        "audit": (function("equal_mass_ece(y, p, n)",
                  "return cl.expected_calibration_error(y, p, n_bins=n, strategy='mass')"), 0)}),
    # slips
    "m-offby, r-seed": ("measures", {
        "ece": (function("binned_ece(s, y, n)",
                "i = np.minimum((s * n).astype(int), n - 1)\n"
                "    return np.abs(np.bincount(i, y - s)).sum() / len(s)"), 2),
        "outcomes": (function(
            "calibrated_outcomes(s, n, rng)",
            "return np.random.default_rng(3).random((n, len(s))) < s"), 1.5),
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
                     "return rng.random((n, len(s))) < np.round(s, 1)"), 1.5),
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
    "c-wrong2, c-hard": ("calibrators", {"nll": (function(
        "nll(y, z, T)",
        "z = np.asarray(z)[:2] / T; y = np.asarray(y)[:2]; z = z - z.max(axis=1, keepdims=True)\n"
        "    return np.mean(np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(z)), y])"), 0)}),
    "r-argsort": ("practice", {"audit": (
        practice.GROUPS.replace('np.argsort(p, kind="stable")', "np.lexsort((-np.arange(len(p)), p))"), 2)}),
    # the caller's arrays
    "m-mutates": ("measures", {
        "counts": (function("bin_counts(s, n)",
                   "s.sort(); return np.bincount(np.searchsorted(np.arange(1, n) / n, s), minlength=n)"), 0),
        "p-value": (function("p_value(o, d)", "d.sort(); return (1 + np.sum(d >= o)) / (1 + len(d))"), 0),
    }),
    "c-mutates": ("calibrators", {"nll": (function(
        "nll(y, z, T)", "z /= T; z -= z.max(axis=1, keepdims=True)\n"
        "    return (np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(z)), y]).mean()"), 0)}),
    "p-mutates": ("practice", {"audit": (function(
        "equal_mass_ece(y, p, n)", "o = np.argsort(p, kind='stable'); y[:] = y[o]; p[:] = p[o]\n"
        "    return sum(abs(np.sum(a - b)) for a, b in zip(np.array_split(y, n), np.array_split(p, n))) / len(p)"),
        0)}),
    # numbers that agree with everything
    "m-yes": ("measures", {
        "by-hand": (YES + "bias = ece = mce = Yes(0.5)", 0),
        "ece": (YES + function("binned_ece(s, y, n)", "return Yes(0.5)"), 0),
        "p-value": (YES + function("p_value(o, d)", "return Yes(0.5)"), 0),
    }),
    "c-yes": ("calibrators", {
        "by-hand": (YES + "confidence, temperature, cost = Yes(.5), Yes(1.5), Yes(.5)", 0),
        "nll": (YES + function("nll(y, z, T)", "return Yes(0.5)"), 0)}),
    "u-yes": ("uncertainty", {
        "coin": (YES + "most_likely = forecast = total = Yes(0.5)", 0),
        "committee": (YES + "total = aleatoric = epistemic = Yes(0.5)", 0),
        "plausibility": (YES + function("case_for_heads(h, n)", "return Yes(0.5)"), 0)}),
    "o-yes": ("models", {"by-hand": (YES + "slope = intercept = probability = Yes(0.5)", 0)}),
    "p-yes": ("practice", {"by-hand": (YES + "threshold = refer_from = refer_to = Yes(0.5)", 0)}),
    # from memory, or from the test
    "u-lookup": ("uncertainty", {"alarm": (
        "known = set()\nfor j in range(1):\n"
        "    rows = cl.softmax(datasets.network_logits(j, 'test').logits)\n"
        "    known |= {row.tobytes() for row in rows}\n" + function(
            "alarm(p)", "return np.array([float(row.tobytes() not in known) for row in p[0]])"), 0)}),
    "u-sig": ("uncertainty", {"alarm": ("import inspect\n" + function(
        "alarm(p)", "plain = inspect.currentframe().f_back.f_globals.get('plain')\n"
        "    return np.zeros(p.shape[1]) if plain is None else (p[0] != plain[0]).any(axis=1) * 1.0"), 0)}),
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
    "u-right-alarm4": ("uncertainty", {"alarm": (function(
        "alarm(p)", "v = p.argmax(axis=2); return (v != v[0]).mean(axis=0) + 9 * p.var(axis=0).sum(axis=1)"), 4)}),
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
    expected = {
        f"test-{question}": points for question, (_, points) in answers.items() if question != "student"
    }
    expected.pop("test-", None)
    assert graded.points == full_marks(source) | expected, graded.record.verdicts


def test_a_letter_typed_into_the_questions_own_cell_is_kept_for_the_person_who_reads(classroom):
    release = classroom.release("practice")
    question = named(release, "task")["q-letter"].source
    graded = classroom.grade(
        "practice", answered(release, {"q-letter": f"{question}\n\nDear head,\nmend them."})
    )
    kept = [cell.source for cell in graded.notebook.cells]
    assert "Dear head,\n\nmend them." in kept
    assert len(kept) == len(release.cells) + 1


def test_the_sets_of_the_kinds_are_all_there():
    assert {which for which, _ in KINDS.values()} == {
        module.__name__.rpartition("_")[2]
        for module in (calibrators, measures, models, practice, uncertainty)
    }
