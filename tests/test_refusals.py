"""Each argument of each public function is checked: one refusal each, by the argument, the place and the kind.

What a check refuses, and in which words, is told in `test_input`; a call here proves that the argument goes
through it. Scores, labels and weights of the calibrators: `tests/calibrators/test_every.py`.
"""

# ruff: noqa: E501

import inspect
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

import calibration_lessons as cl
from calibration_lessons._extras import missing
from calibration_lessons._input import place
from calibration_lessons.book import comparison, datasets, simulate
from tests.refusals import refusals, refused

pytestmark = pytest.mark.filterwarnings("ignore:all labels are")
X = np.arange(20.0).reshape(10, 2)
Y = [0, 1] * 5
FORECAST, COSTS = {"y_true": [0, 1], "y_prob": [0.2, 0.8]}, [[0, 1], [4, 0]]
CURVE, CORP = cl.reliability_curve([0, 1], [0.2, 0.8]), cl.corp_curve([0, 1], [0.3, 0.6])
NULL, HALF = cl.measures.ECENull(np.array([0.1, 0.2])), [0.5, 0.5]
SIMILAR = {"X_train": [[0.0], [1.0]], "y_train": [0, 1], "X": [[0.5]], "y_pred": [1], "bandwidth": 1.0}
ROWS = {"X": [[0.0], [1.0], [0.5], [0.6]], "y": [0, 1, 1, 0]}


def fitting(kind):
    """Make a model with options, and fit it."""
    return lambda **options: kind(**options).fit(**ROWS)


# fmt: off
CALLS = [  # each with its arguments; those that are left out have their defaults
    *((f, FORECAST) for f in (
        cl.reliability_curve, cl.expected_calibration_error, cl.maximum_calibration_error, cl.ece_interval,
        cl.calibration_report, cl.calibration_test, cl.brier_score, cl.negative_log_likelihood, cl.corp_curve,
        cl.corp_decomposition, cl.brier_decomposition, cl.decisions.risk_coverage, cl.calibration_slope_intercept,
        lambda y_true, y_prob, sample_weight=None: cl.CalibrationAccumulator().update(y_true, y_prob, sample_weight=sample_weight),
    )),
    (cl.ece_under_calibration, {"y_prob": [0.2, 0.8]}), (cl.measures.bin_edges, {"n_bins": 3}),
    *((f, {}) for f in (CURVE.ece, CURVE.ece_interval, CURVE.interval, CURVE.band, CURVE.under_calibration, CORP.band)),
    (NULL.quantile, {"q": 0.5}), (NULL.p_value, {"ece": 0.1}),
    (lambda n_bins=15: cl.CalibrationAccumulator(n_bins), {}),
    (lambda target=None: cl.CalibrationAccumulator(target=target).update([0, 1], [0.2, 0.8]), {}),
    (cl.softmax, {"logits": [[0.0, 1.0]]}), (cl.log_softmax, {"logits": [[0.0, 1.0]]}),
    (cl.uncertainty.entropy, {"p": HALF}), (cl.uncertainty.decompose_uncertainty, {"member_probs": [[HALF], [HALF]]}),
    *((f, {"heads": 1, "tosses": 2}) for f in (cl.uncertainty.coin_uncertainty, cl.uncertainty.coin_plausibility)),
    (cl.uncertainty.expected_coin_uncertainty, {"p": 0.5, "tosses": 2}), (cl.uncertainty.kernel_confidence, SIMILAR),
    (cl.risk_validation, {"y_true": Y, "y_prob": np.linspace(0.1, 0.9, 10)}), (cl.compare, {"y_true": Y, "prob_a": np.linspace(0.1, 0.9, 10), "prob_b": [0.5] * 10}),
    (cl.measures.calibration_by_group, FORECAST | {"groups": ["a", "b"]}), (cl.validation_size, {"y_prob": [0.2, 0.8], "threshold": 0.5}),
    *((f, FORECAST | {"thresholds": [0.5]}) for f in (cl.net_benefit, cl.decisions.decision_curve)),
    (cl.decisions.optimal_threshold, {"costs": COSTS}), (cl.decisions.expected_cost, {"y_prob": [0.5], "costs": COSTS}),
    (cl.decisions.optimal_decision, {"y_prob": [0.5], "costs": COSTS}),
    (cl.decisions.mean_cost, {"y_true": [0, 1], "decision": [0, 1], "costs": COSTS}),
    (cl.decisions.adjust_to_priors, {"y_prob": [0.2, 0.8], "train_priors": HALF, "new_priors": HALF}),
    (cl.decisions.estimate_priors, {"y_prob": [0.2, 0.8], "train_priors": HALF}),
    (lambda held_out_prob: cl.decisions.estimate_priors([0.2, 0.7], held_out_prob), {"held_out_prob": HALF}),
    *((f, {"y_prob": HALF, "held_out_prob": [0.2, 0.3, 0.6, 0.9], "held_out_true": [0, 0, 1, 1]}) for f in (
        lambda y_prob, held_out_prob, held_out_true: cl.decisions.estimate_priors(y_prob, held_out_prob, held_out_true, method="bbse"),
        lambda y_prob, held_out_prob, held_out_true, method="rlls", level=0.9, n_draws=9, random_state=0: cl.decisions.priors_interval(
            y_prob, held_out_prob, held_out_true, method=method, level=level, n_draws=n_draws, random_state=random_state),
    )),
    (cl.decisions.density_ratio, {"X_old": [[0.0], [1.0], [2.0]], "X_new": [[1.0], [0.5], [2.5]], "cv": 2}),
    (cl.measures.unlabelled_accuracy, {"y_prob": [HALF], "held_out_prob": [HALF, HALF], "held_out_true": [0, 1]}),
    *((fitting(kind), dict.fromkeys(inspect.signature(kind).parameters)) for kind in (cl.models.LogisticRegression, cl.models.SoftmaxRegression)),
    (cl.models.LogisticRegression(l2=1.0).fit, ROWS), (cl.models.SoftmaxRegression(l2=1.0).fit, ROWS),
    (cl.models.LogisticRegression(l2=1.0).fit(**ROWS).predict, {"X": [[0.0]]}),
    (datasets.network_logits, {"network": 0, "part": "test"}), (datasets.smoothed_logits, {"part": "test"}),
    (datasets.shifted_logits, {"network": 0, "kind": "blur", "level": 1}), (comparison.load, {"data": "spambase"}),
    (simulate.over_confident, {"temperature": 1.0}), (simulate.sawtooth, {"amplitude": 0.1, "teeth": 3}),
    (simulate.ScoreSource().sample, {"n": 3}), (simulate.ScoreSource().calibration_error, {}),
    (simulate.ScoreSource().binned_calibration_error, {}), (simulate.TwoGaussians, {}),
    (simulate.TwoGaussians().log_odds, {"x": [0.0]}), (simulate.TwoGaussians().sample, {"n": 3}),
    (simulate.GaussianClasses, {"n_classes": 3}), (simulate.GaussianClasses(3).logits, {"x": [[0.0, 0.0]]}),
    (simulate.GaussianClasses(3).sample, {"n": 3}),
    (simulate.label_noise, {"y_true": [0, 1], "rate": 0.1, "n_classes": 3}),
    (simulate.label_shift, {"y_true": [0, 1], "class_prior": HALF, "n": 3}),
]
NOT_CHECKED = {"labels", "standardized", "pos_label", "from_logits", "debias", "dtype", "estimate_priors-held_out_prob", "estimate_priors-held_out_true"}  # told in tests of their own
WRONG = {  # what an argument of a name may not be, and the place that is named
    "y_true": ([0, 7], "[1]"), "y_prob": ([0.2, np.inf], "[1]"), "sample_weight": ([1, -1], "[1]"), "n_bins": (0, ""),
    "strategy": ("width", ""), "target": (2, ""), "norm": ("l3", ""), "level": (1, ""), "n_draws": (0, ""),
    "method": ("chi2", ""), "score": ("nll", ""), "random_state": ("a", ""), "q": (2, ""), "ece": (np.nan, ""),
    "logits": ([[1.0, np.nan]], "[0, 1]"), "p": ([0.5, 0.6], ""), "base": ("dits", ""), "measure": ("variance", ""),
    "member_probs": ([[HALF], [[0.5, 0.4]]], "[1][0]"), "heads": (-1, ""), "tosses": (2.5, ""), "prior": ((1, np.inf), "[1]"),
    "X_train": ([[0.0], [np.nan]], "[1, 0]"), "y_train": ([0, 2], "[1]"), "y_pred": ([2], "[0]"), "bandwidth": (0, ""),
    "n_classes": (1, ""), "costs": ([[0, np.nan], [1, 0]], "[0, 1]"), "abstaining_cost": (np.inf, ""), "decision": ([0, 2], "[1]"),
    "X_old": ([[0.0], [np.nan]], "[1, 0]"), "X_new": ([[0.0], [np.nan]], "[1, 0]"), "cv": (1, ""), "classifier": (StandardScaler(), ""),
    "train_priors": ([0, 1], "[0]"), "new_priors": ([0.5, 0.6], "[0]"), "held_out_prob": ([0.5, 1.5], "[1]"), "held_out_true": ([0, 2], "[1]"), "tol": (0, ""),
    "max_iter": (0, ""), "X": ([[np.inf]], "[0, 0]"), "y": (None, ""), "solver": ("sgd", ""), "l2": (-1, ""),
    "fit_intercept": ("yes", ""), "form": ("other", ""), "network": (5, ""), "part": ("train", ""), "kind": ("fog", ""),
    "data": ("iris", ""), "temperature": (0, ""), "amplitude": (2, ""), "teeth": (0, ""),
    "groups": ([[1], [2]], ""), "observed_expected": (0, ""), "slope": (-1, ""), "c_statistic": (np.nan, ""), "net_benefit": (None, ""), "threshold": (0, ""),
    "thresholds": ([0.5, 1.0], "[1]"), "versus": ([0.2, 1.5], "[1]"), "prob_a": ([0.2, 1.5], "[1]"), "prob_b": ([0.2, 1.5], "[1]"),
    "n": (2.5, ""), "separation": (-1, ""), "positive_rate": (0, ""), "x": ([[0.0, np.nan]], "[0, 1]"), "radius": (-1, ""),
    "rate": (1.5, ""), "class_prior": ([0.5, 0.6], "[0]"),
}

OWN = {  # where the name alone does not say what is wrong
    "entropy-p": ([0.5, 0.6], "[0]"), "unlabelled_accuracy-y_prob": ([[0.2, 1.5]], "[0, 1]"),
    "unlabelled_accuracy-held_out_prob": ([HALF, [0.5, 1.5]], "[1, 1]"), "compare-prob_a": ([0.5] * 9 + [1.5], "[9]"), "compare-prob_b": ([0.5] * 9 + [1.5], "[9]"),
    "compare-sample_weight": ([1] * 9 + [-1], "[9]"), "fit-sample_weight": ([1, -1, 1, 1], "[1]"), "shifted_logits-level": (6, ""),
    "log_odds-x": ([np.nan], "[0]"), "label_noise-n_classes": (0, ""),
}
# fmt: on


def cases():
    """Each call with each of its arguments."""
    for call, given in CALLS:
        of = inspect.signature(call).parameters.values()
        named = [one.name for one in of if one.kind is not one.VAR_KEYWORD]
        for argument in dict.fromkeys([*given, *named]):
            if not {argument, f"{call.__name__}-{argument}"} & NOT_CHECKED:
                yield pytest.param(call, given, argument, id=f"{call.__qualname__}-{argument}")


def test_every_public_function_is_called_here_but_for_those_that_have_tests_of_their_own():
    rooms = (cl, cl.measures, cl.decisions, cl.uncertainty, cl.models, cl.calibrators, cl.deployment)
    public = {
        name
        for room in rooms
        for name, found in vars(room).items()
        if inspect.isfunction(found) and found.__module__.startswith(cl.__name__)
        if not name.startswith(("_", "x_"))  # mutmut's names begin with x_
    }
    own = {"calibrator_from_dict", "export", "priors_interval"}  # the last stands among the calls by a lambda
    assert public - {call.__name__ for call, _ in CALLS} == own


@pytest.mark.parametrize(("call", "given", "argument"), list(cases()))
def test_each_argument_of_each_function_is_refused_by_its_name_at_its_place(call, given, argument):
    value, at = OWN.get(f"{call.__name__}-{argument}") or WRONG[argument]
    given = {name: of for name, of in given.items() if of is not None}
    with pytest.raises(cl.Refusal) as caught:
        call(**given | {argument: value})
    error = caught.value
    assert isinstance(error, ValueError)
    assert (place(error.name, error.index) if error.index else error.name) == argument + at


TOGETHER = (  # arguments that speak of the same rows
    ["y_true", "y_prob", "prob_a", "prob_b", "decision", "sample_weight", "groups", "versus"],
    ["held_out_true", "held_out_prob"], ["X", "y", "sample_weight"], ["X_train", "y_train"],
)  # fmt: skip


def pairs():
    """Each call with each two of its arguments that speak of the same rows."""
    for call, given in CALLS:
        for together in TOGETHER:
            named = [one for one in together if one in inspect.signature(call).parameters]
            if not given.keys().isdisjoint(named):
                for one, other in combinations(named, 2):
                    yield pytest.param(call, given, one, other, id=f"{call.__qualname__}-{one}-{other}")


@pytest.mark.parametrize(("call", "given", "one", "other"), list(pairs()))
def test_two_arguments_whose_indexes_are_in_another_order_are_refused(call, given, one, other):
    rows = len(given.get(one, given.get(other, Y)))

    def indexed(name, index):
        values = np.asarray(given.get(name, np.ones(rows)))
        return (pd.Series if values.ndim == 1 else pd.DataFrame)(values, index=index)

    asked = given | {one: indexed(one, range(rows)), other: indexed(other, range(rows)[::-1])}
    with pytest.raises(cl.Refusal, match=f"^{other}.index.0. holds that of {one} in another order") as caught:
        call(**asked)
    assert f"({other}.loc[{one}.index], or {other}.to_numpy() if it fits)" in str(caught.value)


@refusals("arguments")
def test_what_is_not_as_described_is_refused_at_its_place(kind, start, call):
    refused(kind, start, call, globals())


def test_a_missing_package_is_named_with_the_extra_that_installs_it():
    error = missing("scale", "scale", ImportError(name="dask.array"))
    assert error.name == "dask.array"
    assert str(error) == "scale needs dask: pip install 'calibration-lessons[scale]'"
    assert str(missing("here", "course", ImportError())) == (
        "here needs more: pip install 'calibration-lessons[course]'"
    )
