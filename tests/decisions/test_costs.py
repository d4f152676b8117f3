"""Decisions from probabilities: definitions, thresholds, abstaining, bad input."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import calibration_lessons as cl
from calibration_lessons.book import definitions
from calibration_lessons.decisions import (
    expected_cost,
    mean_cost,
    optimal_decision,
    optimal_threshold,
    risk_coverage,
)

pytestmark = pytest.mark.filterwarnings("ignore:in costs")
costs_of_errors = st.floats(0.01, 100)


@st.composite
def forecasts_and_costs(draw):
    n_classes, n_decisions = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    logits = draw(
        hnp.arrays(float, st.tuples(st.integers(1, 8), st.just(n_classes)), elements=st.floats(-5, 5))
    )
    costs = draw(hnp.arrays(float, (n_classes, n_decisions), elements=st.integers(-9, 9).map(float)))
    return cl.softmax(logits), costs


@pytest.mark.equation("eq-expected-cost")
@given(forecasts_and_costs())
def test_the_fast_expected_cost_is_the_defined_one(case):
    p, costs = case
    defined = [[definitions.expected_cost(row, costs, d) for d in range(costs.shape[1])] for row in p]
    np.testing.assert_allclose(expected_cost(p, costs), defined, atol=1e-12)


@pytest.mark.equation("eq-optimal-decision", "eq-abstain")
@given(forecasts_and_costs(), st.floats(-5, 5))
def test_the_cheapest_decision_or_none_is_the_defined_one(case, abstaining_cost):
    p, costs = case
    eighths = np.floor(p * 8) / 8  # exact sums, so that ties are ties
    eighths[:, 0] += 1 - eighths.sum(axis=1)
    limit = round(abstaining_cost * 8) / 8
    chosen = [definitions.optimal_decision(row, costs) for row in eighths]
    assert optimal_decision(eighths, costs).tolist() == chosen
    with_limit = [
        -1 if definitions.abstains(row, costs, limit) else d for row, d in zip(eighths, chosen, strict=True)
    ]
    assert optimal_decision(eighths, costs, abstaining_cost=limit).tolist() == with_limit


@pytest.mark.equation("eq-threshold")
@given(costs_of_errors, costs_of_errors)
def test_the_threshold_is_the_defined_one_and_parts_the_decisions(fp, fn):
    costs = [[0, fp], [fn, 0]]
    threshold = optimal_threshold(costs)
    assert threshold == pytest.approx(definitions.optimal_threshold(fp, fn), rel=1e-12)
    around = [threshold * (1 - 1e-6), threshold + (1 - threshold) * 1e-6]
    assert optimal_decision(around, costs).tolist() == [0, 1]


@given(costs_of_errors, costs_of_errors, st.floats(-50, 50), st.floats(-50, 50))
def test_a_cost_that_both_decisions_share_does_not_move_the_threshold(fp, fn, in_class_0, in_class_1):
    shifted = [[in_class_0, fp + in_class_0], [fn + in_class_1, in_class_1]]
    assert optimal_threshold(shifted) == pytest.approx(optimal_threshold([[0, fp], [fn, 0]]), rel=1e-9)


@pytest.mark.equation("eq-mean-cost")
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=30))
def test_the_mean_cost_is_the_defined_one(rows):
    y, d = zip(*rows, strict=True)
    costs = [[0, 1, 0.5], [4, 0, 0.25]]
    assert mean_cost(y, d, costs) == pytest.approx(definitions.mean_cost(y, d, costs), abs=1e-12)


@given(forecasts_and_costs(), st.integers(0, 9), st.floats(0, 5))
def test_costs_that_differ_from_row_to_row_are_those_of_each_row_by_itself(case, seed, limit):
    p, costs = case
    rng = np.random.default_rng(seed)
    tables = costs + rng.integers(-9, 9, (len(p), *costs.shape))
    each = [expected_cost(p[i : i + 1], tables[i])[0] for i in range(len(p))]
    np.testing.assert_allclose(expected_cost(p, tables), each, atol=1e-12)
    if p.shape[1] == 2:
        np.testing.assert_allclose(expected_cost(p[:, 1], tables), each, atol=1e-12)
    np.testing.assert_allclose(expected_cost(p, [costs] * len(p)), expected_cost(p, costs), atol=1e-12)
    decision = optimal_decision(p, tables, abstaining_cost=limit)
    labels = rng.integers(p.shape[1], size=len(p))
    paid = [limit if d < 0 else table[k, d] for table, k, d in zip(tables, labels, decision, strict=True)]
    assert mean_cost(labels, decision, tables, abstaining_cost=limit) == pytest.approx(np.mean(paid))


@pytest.mark.parametrize("costs", [[[0, 1], [10, 1]], [[0, 2, 3], [5, 3, 5], [9, 9, 4]]])
def test_costs_with_a_row_for_each_decision_are_noticed_where_they_tell(costs):
    for given_costs in (np.transpose(costs), [np.transpose(costs)] * 2):
        with pytest.warns(UserWarning, match=r"^in costs a class's own .* costs\[k, d\] is decision d where"):
            expected_cost(np.full((2, len(costs)), 1 / len(costs)), given_costs)
    for honest in (costs, np.ones((2, 2)), [[0, 5], [1, 0]], [[0, 1, 2], [3, 2, 1]]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mean_cost([0, 1], [1, 0], honest)


@pytest.mark.parametrize("scale", [1e-300, 1e307])
def test_the_unit_of_the_costs_does_not_matter(scale):
    costs = np.array([[-1.0, 3.0], [5.0, -7.0]])
    assert optimal_threshold(costs * scale) == pytest.approx(optimal_threshold(costs))


@pytest.mark.equation("eq-aurc")
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.7, 0.75, 1.0]), st.booleans()), min_size=1))
def test_the_area_under_risk_and_coverage_is_the_defined_one_and_ties_have_no_order(rows):
    p, y = (np.array(column) for column in zip(*rows, strict=True))
    hits, confidence = ((p > 0.5) == y).tolist(), np.where(p > 0.5, p, 1 - p).tolist()
    curve = risk_coverage(y, p)
    assert curve.area == pytest.approx(definitions.area_under_risk_coverage(confidence, hits), abs=1e-12)
    assert risk_coverage(y[::-1], p[::-1]).area == pytest.approx(curve.area, abs=1e-12)


@pytest.mark.equation("eq-augrc")
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.75, 1.0]), st.integers(0, 3), st.booleans())))
def test_the_generalized_area_is_the_defined_one_and_a_weight_is_so_many_rows(rows):
    p, w, y = (np.array(column) for column in zip((0.4, 2, True), *rows, strict=True))
    once = [np.repeat(column, w) for column in (p, y)]
    hits, confidence = ((once[0] > 0.5) == once[1]).tolist(), np.maximum(once[0], 1 - once[0]).tolist()
    area = risk_coverage(y, p, sample_weight=w).generalized_area
    assert area == pytest.approx(definitions.area_under_generalized_risk(confidence, hits), abs=1e-12)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 3)), min_size=1))
def test_each_point_of_the_curve_counts_the_rows_that_are_at_least_as_sure(rows):
    p, y, w = (np.array(column) for column in zip(*rows, strict=True))
    w[0] += 1
    confidence, wrong = np.where(p > 0.5, p, 1 - p), (p > 0.5) != y
    curve = risk_coverage(y, p, sample_weight=0.5 * w)
    assert (np.diff(curve.threshold) < 0).all() and curve.coverage[-1] == pytest.approx(1)
    for t, coverage, risk in zip(curve.threshold, curve.coverage, curve.risk, strict=True):
        sure = confidence >= t
        assert coverage == pytest.approx(w[sure].sum() / w.sum())
        assert risk == pytest.approx(np.average(wrong[sure], weights=w[sure]), abs=1e-12)


def test_weights_enter_the_area_as_widths_of_the_coverage():
    curve = risk_coverage([1, 0, 1], [0.9, 0.8, 0.7], sample_weight=[1, 2, 3])
    assert curve.area == pytest.approx((1 * 0 + 2 * 2 / 3 + 3 * 2 / 6) / 6)
