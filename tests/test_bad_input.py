"""Bad input to every function that takes labels and probabilities: refused, by a message that names it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import calibration_lessons as cl


def null_ece(y_true, y_prob, **options):
    """Take labels like the others, so that one table serves all."""
    return cl.ece_under_calibration(y_prob, n_draws=3, **options)


MEASURES = [
    cl.reliability_curve,
    cl.expected_calibration_error,
    cl.maximum_calibration_error,
    cl.ece_interval,
    cl.brier_score,
    cl.negative_log_likelihood,
]
OF_LOGITS = [m for m in MEASURES if m is not cl.brier_score]
BINARY = np.array([0.2, 0.7, 0.9])
ROWS = np.array([[0.2, 0.8], [0.7, 0.3], [0.5, 0.5]])


def changed(array, index, value):
    array = np.array(array, dtype=float)
    array[index] = value
    return array


BAD_PROBABILITIES = {
    "above one": (
        changed(BINARY, 1, 1.2),
        ValueError,
        r"y_prob\[1\] = 1.2: expected a probability in \[0, 1\]",
    ),
    "below zero": (changed(BINARY, 2, -0.1), ValueError, r"y_prob\[2\] = -0.1: expected a probability"),
    "nan": (changed(BINARY, 0, np.nan), ValueError, r"y_prob\[0\] = nan: expected a probability"),
    "infinite": (changed(BINARY, 0, np.inf), ValueError, r"y_prob\[0\] = inf: expected a probability"),
    "class above one": (
        changed(ROWS, (1, 0), 7),
        ValueError,
        r"y_prob\[1, 0\] = 7.0: expected a probability",
    ),
    "row sum": (changed(ROWS, (1, 0), 0.6), ValueError, r"y_prob\[1\] sums to 0.9: expected class prob"),
    "one column": (BINARY[:, None], ValueError, r"y_prob has shape \(3, 1\): expected one column a class"),
    "three axes": (ROWS[None], ValueError, r"y_prob has shape \(1, 3, 2\): expected a 1-D or 2-D array"),
    "scalar": (0.3, ValueError, r"y_prob has shape \(\): expected a 1-D or 2-D array"),
    "empty": ([], ValueError, "y_prob is empty"),
    "no columns": (np.empty((3, 0)), ValueError, "y_prob is empty"),
    "strings": (["0.1", "0.2", "0.3"], TypeError, "y_prob has dtype <U3: expected real numbers"),
    "objects": (np.array([0.1, None, 0.2], dtype=object), TypeError, "y_prob has dtype object"),
    "ragged": ([[0.5, 0.5], [1.0]], ValueError, "y_prob cannot be read as an array of numbers"),
    "complex": (BINARY + 0j, ValueError, "y_prob is complex: expected real numbers"),
    "sparse": (sparse.csr_array(ROWS), TypeError, "y_prob is a sparse matrix: expected a dense array"),
    "masked": (np.ma.masked_greater(BINARY, 0.8), ValueError, r"y_prob\[2\] is masked"),
    "dates": (np.array(["2020-01-01"] * 3, dtype="M8[D]"), TypeError, "y_prob has dtype datetime64"),
}


@pytest.mark.parametrize("measure", [*MEASURES, null_ece])
@pytest.mark.parametrize("case", BAD_PROBABILITIES)
def test_bad_probabilities_are_refused_by_name_place_and_expectation(measure, case):
    y_prob, error, message = BAD_PROBABILITIES[case]
    with pytest.raises(error, match=message):
        measure([0, 1, 1], y_prob)


BAD_LABELS = {
    "class out of range": ([0, 1, 2], ValueError, r"y_true\[2\] = 2: expected a class number, 0..1"),
    "negative": ([-1, 1, 0], ValueError, r"y_true\[0\] = -1: expected a class number"),
    "fraction": ([0, 0.5, 1], ValueError, r"y_true\[1\] = 0.5: expected a class number"),
    "nan": ([0, np.nan, 1], ValueError, r"y_true\[1\] = nan: expected a class number"),
    "infinite": ([0, np.inf, 1], ValueError, r"y_true\[1\] = inf: expected a class number"),
    "strings": (["a", "b", "a"], TypeError, "y_true has dtype <U1: expected class numbers 0..1"),
    "objects": (np.array([0, 1, None], dtype=object), TypeError, "y_true has dtype object"),
    "two axes": ([[0, 1, 1]], ValueError, r"y_true has shape \(1, 3\): expected a 1-D array"),
    "too few": ([0, 1], ValueError, "y_true has 2 rows and y_prob has 3: expected equal lengths"),
    "empty": ([], ValueError, "y_true is empty"),
    "sparse": (sparse.csr_array([[0, 1, 1]]), TypeError, "y_true is a sparse matrix"),
    "complex": ([0j, 1, 1], ValueError, "y_true is complex"),
}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("case", BAD_LABELS)
@pytest.mark.parametrize("y_prob", [BINARY, ROWS], ids=["1-D", "2-D"])
def test_bad_labels_are_refused_by_name_place_and_expectation(measure, case, y_prob):
    y_true, error, message = BAD_LABELS[case]
    with pytest.raises(error, match=message):
        measure(y_true, y_prob)


@pytest.mark.parametrize("measure", [*OF_LOGITS, null_ece])
@pytest.mark.parametrize(
    ("logits", "message"),
    [
        ([[0.0, np.nan], [1.0, 2.0]], r"y_prob\[0, 1\] = nan: expected a logit below infinity"),
        ([[0.0, 1.0], [np.inf, 2.0]], r"y_prob\[1, 0\] = inf: expected a logit below infinity"),
        ([[0.0, 1.0], [-np.inf, -np.inf]], r"y_prob\[1\] is -inf in every class"),
        ([0.0, np.inf], r"y_prob\[1\] = inf"),
    ],
)
def test_bad_logits_are_refused(measure, logits, message):
    with pytest.raises(ValueError, match=message):
        measure([0, 1], logits, from_logits=True)


@pytest.mark.parametrize("measure", MEASURES)
def test_bad_weights_are_refused(measure):
    for weights, message in [
        ([1, -1, 1], r"sample_weight\[1\] = -1.0: expected a weight of at least 0"),
        ([0, 0, 0], "sample_weight is zero everywhere"),
        ([1, np.inf, 1], r"sample_weight\[1\] is infinity"),
        ([1, 1], "sample_weight has 2 rows and the data have 3"),
        ([[1, 1, 1]], r"sample_weight has shape \(1, 3\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            measure([0, 1, 1], BINARY, sample_weight=weights)


def test_the_first_bad_row_is_named_beyond_the_first_block():
    p = np.full(100_000, 0.5)
    p[77_777] = 2
    with pytest.raises(ValueError, match=r"y_prob\[77777\] = 2.0"):
        cl.brier_score(np.zeros(100_000), p)
    rows = np.full((100_000, 4), 0.25)
    rows[55_555, 2] = 0.5
    with pytest.raises(ValueError, match=r"y_prob\[55555\] sums to 1.25"):
        cl.brier_score(np.zeros(100_000), rows)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 2e-3), ("float32", 1e-5), ("float64", 1e-6)])
@pytest.mark.parametrize("n_classes", [2, 10, 63, 64, 1000])
def test_a_row_may_miss_the_sum_of_one_by_the_tolerance_of_its_precision_and_no_more(
    dtype, tolerance, n_classes
):
    rows = np.random.default_rng(n_classes).dirichlet(np.full(n_classes, 0.3), 300).astype(dtype)
    missed = np.abs(rows.astype(np.float64).sum(axis=1) - 1)
    assert cl.brier_score(np.zeros(300), rows[missed < tolerance]) > 0
    for share in (-1.3, -0.8, 0.8, 1.3):
        changed = rows[:1].astype(np.float64) / rows[:1].astype(np.float64).sum()
        changed[0, changed.argmax()] += share * tolerance
        changed = np.repeat(changed.astype(dtype), 2, axis=0)
        far = abs(changed[0].astype(np.float64).sum() - 1) > tolerance
        if dtype != "float16" and n_classes <= 64:
            assert far == (abs(share) > 1)
        if far:
            with pytest.raises(ValueError, match=r"y_prob\[0\] sums to"):
                cl.brier_score([0, 0], changed)
        else:
            assert cl.brier_score([0, 0], changed) >= 0


def test_half_precision_rows_cast_up_get_the_advice_to_renormalise():
    p = cl.softmax(np.random.default_rng(0).normal(size=(50, 10))).astype(np.float16)
    y = np.zeros(50)
    assert cl.brier_score(y, p) > 0
    with pytest.raises(
        ValueError, match="look like half-precision numbers cast up: divide each row by its sum"
    ):
        cl.brier_score(y, p.astype(np.float64))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    "labels", [[False, True, True], [0.0, 1.0, 1.0], np.array([0, 1, 1], dtype=np.uint8)]
)
def test_booleans_and_whole_floats_are_labels(measure, labels):
    expected, got = measure([0, 1, 1], BINARY), measure(labels, BINARY)
    if isinstance(expected, cl.ReliabilityCurve):
        expected, got = expected.ece(), got.ece()
    assert expected == got


@pytest.mark.parametrize("measure", MEASURES)
def test_containers_do_not_change_the_number(measure):
    y, p = np.array([0, 1, 0]), ROWS
    big = np.zeros((6, 4))
    big[::2, ::2] = p
    frozen = p.copy()
    frozen.flags.writeable = False
    frame = pd.DataFrame(p, index=[7, 7, -1], columns=["b", "a"])
    masked = np.ma.masked_array(p, mask=False)
    series = pd.Series(y, index=[3, 1, 2])
    for values in (big[::2, ::2], frozen, frame, masked, p.tolist(), np.asfortranarray(p)):
        got, expected = measure(series, values), measure(y, p)
        if isinstance(expected, cl.ReliabilityCurve):
            got, expected = got.ece(), expected.ece()
        assert got == expected


numbers = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.floats(0, 1))
hostile_arrays = st.one_of(
    hnp.arrays(
        st.sampled_from(
            [np.float16, np.float32, np.float64, np.int8, np.uint64, np.bool_, np.complex64, "U2", object]
        ),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    hnp.arrays(np.float64, hnp.array_shapes(min_dims=1, max_dims=2, max_side=4), elements=numbers),
    st.lists(st.one_of(st.none(), st.text(max_size=2), st.floats(), st.booleans()), max_size=4),
    st.none(),
    st.text(max_size=3),
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=150, deadline=None)
@given(hostile_arrays, hostile_arrays, st.sampled_from([*MEASURES, null_ece]))
def test_hostile_input_ends_in_a_number_or_a_clear_error_and_is_left_unchanged(y_true, y_prob, measure):
    before = repr((y_true, y_prob))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = measure(y_true, y_prob)
        except (ValueError, TypeError) as error:
            assert "y_true" in str(error) or "y_prob" in str(error), error
        else:
            if isinstance(result, cl.ReliabilityCurve):
                result = result.ece()
            if not isinstance(result, cl.ECENull):
                assert np.all(np.asarray(result) >= 0)
    assert repr((y_true, y_prob)) == before
