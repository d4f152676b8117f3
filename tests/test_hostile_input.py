"""Whatever is thrown at the public functions: an answer of its kind, or an error that names its place."""

import re
import warnings
from typing import get_args

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import calibration_lessons as cl
from calibration_lessons.measures.calibration_tests import Method
from tests.calibrators.cases import EVERY

numbers = st.sampled_from(
    [0.0, 1.0, 0.5, 0.25, 2.0, -1.0, np.nan, np.inf, -np.inf, 5e-324, 1e308, -1e308, 1e12, 1e-9]
)
hostile = st.one_of(
    hnp.arrays(
        st.sampled_from(
            [np.float16, np.float32, np.int8, np.uint64, np.bool_, np.complex64, "U2", object, "M8[D]"]
        ),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    hnp.arrays(np.float64, hnp.array_shapes(min_dims=1, max_dims=2, max_side=6), elements=numbers),
    st.lists(st.one_of(st.none(), st.text(max_size=2), st.floats(), st.booleans()), max_size=4),
    st.none(),
    st.text(max_size=3),
)
chances = hnp.arrays(np.float64, st.integers(2, 8), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
features = hnp.arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 3)), elements=numbers)
labels = hnp.arrays(
    st.sampled_from([np.int64, np.float64, np.bool_]), st.integers(2, 8), elements=st.integers(0, 1)
)


def fitted(model):
    def fit_and_predict(X, y):
        model.fit(X, y)
        p = model.predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-9)
        return p

    return fit_and_predict


NAMED = re.compile(
    r"\b(X|y|y_true|y_prob|groups|prob_a|n_bins|costs|decision|train_priors|new_priors|scores|labels|temperature|probability)\b"
)
CALLS = {
    "report": lambda X, y: cl.calibration_report(y, X, n_draws=3).ece,
    **{
        method: lambda X, y, method=method: cl.calibration_test(y, X, method=method, n_draws=3).p_value
        for method in get_args(Method)
    },
    "ECE": lambda X, y: cl.expected_calibration_error(y, X),
    "MCE": lambda X, y: cl.maximum_calibration_error(y, X),
    "compare": lambda X, y: cl.compare(y, X, X, n_bins=2).brier,
    "interval": lambda X, y: cl.ece_interval(y, X),
    "by group": lambda X, y: cl.measures.calibration_by_group(y, X, y, random_state=0).p_value,
    "under calibration": lambda X, y: cl.ece_under_calibration(X, n_draws=3).values,
    "Brier": lambda X, y: cl.brier_score(y, X),
    "calibration line": lambda X, y: cl.calibration_slope_intercept(y, X),
    "quantile bins": lambda X, y: cl.reliability_curve(y, X, strategy="quantile").ece(),
    "newton": fitted(cl.models.LogisticRegression()),
    "gradient descent": fitted(cl.models.LogisticRegression(solver="gradient-descent", l2=1.0, tol=1e-6)),
    "symmetric": fitted(cl.models.SoftmaxRegression(l2=0.5)),
    "reference": fitted(cl.models.SoftmaxRegression(form="reference")),
    **{repr(one): fitted(one) for one in EVERY},
    "decomposition": lambda X, y: cl.brier_decomposition(y, X),
    "decomposition with bins": lambda X, y: cl.brier_decomposition(y, X, n_bins=3),
    "CORP": lambda X, y: cl.corp_decomposition(y, X),
    "accumulator": lambda X, y: cl.CalibrationAccumulator().update(y, X).curve().ece(),
    "expected cost": lambda X, y: cl.decisions.expected_cost(X, y),
    "optimal decision": lambda X, y: cl.decisions.optimal_decision(X, np.eye(2), abstaining_cost=0.1),
    "threshold": lambda X, y: cl.decisions.optimal_threshold(X),
    "mean cost": lambda X, y: cl.decisions.mean_cost(y, X, np.eye(3)),
    "risk and coverage": lambda X, y: cl.decisions.risk_coverage(y, X).area,
    "prior correction": lambda X, y: cl.decisions.adjust_to_priors(X, train_priors=[0.5, 0.5], new_priors=y),
    "prior estimation": lambda X, y: cl.decisions.estimate_priors(X, train_priors=y),
}


@settings(suppress_health_check=list(HealthCheck), max_examples=500)
@given(name=st.sampled_from(sorted(CALLS)), X=hostile | features | chances, y=hostile | labels)
@example(name="TemperatureScaling()", X=np.full((2, 1), 1e308), y=np.zeros(2, dtype=int))
def test_hostile_input_ends_in_finite_numbers_or_a_clear_error_and_is_left_unchanged(name, X, y):
    before = repr((X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=UserWarning)  # of the package, and of convergence
        try:
            result = CALLS[name](X, y)
        except (ValueError, TypeError) as error:
            assert NAMED.search(str(error)), error
        else:
            assert np.isfinite(np.asarray(result, dtype=float)).all()
    assert repr((X, y)) == before
