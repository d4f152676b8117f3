"""What each check of the input refuses, and what it lets pass unchanged: told once, here."""

# ruff: noqa: E501

import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import calibration_lessons as cl
from calibration_lessons import _input
from calibration_lessons.book import simulate

P = np.array([0.2, 0.7, 0.9])
ROWS = np.array([[0.2, 0.8], [0.7, 0.3], [0.5, 0.5]])
Z = np.array([[0.0, 1.0], [2.0, -np.inf], [1.0, 1.0]])


def changed(array, index, value):
    array = np.array(array, dtype=float)
    array[index] = value
    return array


def refused(check, error, message):
    with pytest.raises(error) as caught:
        check()
    assert str(caught.value) == message
    return caught.value


@pytest.mark.parametrize("kind", [_input.BadValue, _input.BadType])
def test_a_refusal_is_an_object_whose_text_is_made_once_and_that_travels(kind):
    error = kind("X", "= 7.0", "a probability in [0, 1]", (3, 1))
    assert str(error) == "X[3, 1] = 7.0: expected a probability in [0, 1]"
    assert (error.name, error.found, error.index) == ("X", "= 7.0", (3, 1))
    there = pickle.loads(pickle.dumps(error.moved(100, "row 3 of block 2")))
    assert str(there) == "X[103, 1] = 7.0: expected a probability in [0, 1] (row 3 of block 2)"
    assert isinstance(there, kind) and there.index == (103, 1)
    whole = kind("y", "is empty", "at least one label")
    assert str(whole.moved(9)) == "y is empty: expected at least one label"
    assert issubclass(_input.BadValue, ValueError) and issubclass(_input.BadType, TypeError)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (P[None, None], ValueError, "v has shape (1, 1, 3): expected a 1-D or 2-D array"),
        (0.3, ValueError, "v has shape (): expected a 1-D or 2-D array"),
        ([], ValueError, "v is empty (shape (0,)): expected at least one row"),
        (np.empty((3, 0)), ValueError, "v is empty (shape (3, 0)): expected at least one row"),
        (["0.1"], TypeError, "v has dtype <U3: expected real numbers"),
        (np.array([0.1, None], dtype=object), TypeError, "v has dtype object: expected real numbers"),
        (np.array(["2020-01-01"], dtype="M8[D]"), TypeError, "v has dtype datetime64[D]: expected real numbers"),
        (None, TypeError, "v has dtype object: expected real numbers"),
        (P + 0j, ValueError, "v is complex: expected real numbers. Complex data not supported"),
        (sparse.csr_array(ROWS), TypeError, "v is a sparse matrix: expected a dense array (use .toarray())"),
        (np.ma.masked_greater(P, 0.8), ValueError, "v[2] is masked: expected an array without missing values"),
    ],
)  # fmt: skip
def test_an_array_of_another_kind_or_shape_is_refused(values, error, message):
    refused(lambda: _input.real_array(values, "v", (1, 2)), error, message)


def test_rows_of_different_length_are_refused_in_numpys_words():
    with pytest.raises(
        _input.BadValue, match=r"v cannot be read as an array of numbers \(.*\): expected num"
    ):
        _input.real_array([[0.5, 0.5], [1.0]], "v", (1, 2))


def test_numbers_keep_their_precision_and_whole_ones_become_floats():
    for dtype in (np.float16, np.float32, np.float64):
        assert _input.real_array(P.astype(dtype), "v", (1,)).dtype == dtype
    for values in ([0, 1], [True, False], np.array([0, 1], dtype=np.uint8)):
        array = _input.real_array(values, "v", (1,))
        assert array.dtype == np.float64 and array.tolist() == [float(v) for v in values]


def test_containers_do_not_change_the_numbers_and_are_left_alone():
    big = np.zeros((6, 4))
    big[::2, ::2] = ROWS
    frozen = ROWS.copy()
    frozen.flags.writeable = False
    frame = pd.DataFrame(ROWS, index=[7, 7, -1], columns=["b", "a"])
    y, series = [0, 1, 0], pd.Series([0, 1, 0], index=[3, 1, 2])
    for values in (big[::2, ::2], frozen, frame, np.ma.masked_array(ROWS, mask=False), ROWS.tolist(),
                   np.asfortranarray(ROWS)):  # fmt: skip
        assert np.array_equal(_input.probabilities(values), ROWS)
        assert cl.reliability_curve(series, values).ece() == cl.reliability_curve(y, ROWS).ece()
        assert cl.brier_score(series, values) == cl.brier_score(y, ROWS)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (changed(P, 1, 1.2), "v[1] = 1.2: expected a probability in [0, 1]"),
        (changed(P, 2, -0.1), "v[2] = -0.1: expected a probability in [0, 1] (of logits their softmax, or from_logits=True)"),
        (100 * P, "v[0] = 20.0: expected a probability in [0, 1] (of percentages v / 100)"),
        (np.round(ROWS[:1] * 0.99, 3), "v[0] sums to 0.99: expected class probabilities that sum to 1 (if they were rounded: v / v.sum(axis=1, keepdims=True))"),
        (changed(P, 0, np.nan), "v[0] = nan: expected a probability in [0, 1]"),
        (changed(P, 0, np.inf), "v[0] = inf: expected a probability in [0, 1]"),
        (changed(ROWS, (1, 0), 7), "v[1, 0] = 7.0: expected a probability in [0, 1] (of percentages v / 100)"),
        (changed(ROWS, (1, 0), 0.6), "v[1] sums to 0.9: expected class probabilities that sum to 1"),
        (P[:, None], "v has shape (3, 1): expected one column per class, at least two (for the positive class alone pass a 1-D array)"),
    ],
)  # fmt: skip
def test_what_is_no_probability_is_refused(values, message):
    refused(lambda: _input.probabilities(values, "v"), ValueError, message)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (changed(Z, (0, 1), np.nan), "v[0, 1] = nan: expected a logit below infinity"),
        (changed(Z, (1, 0), np.inf), "v[1, 0] = inf: expected a logit below infinity"),
        (changed(Z, 1, -np.inf), "v[1] is -inf in every class: expected one finite logit at least"),
        ([0.0, np.inf], "v[1] = inf: expected a logit below infinity"),
    ],
)
def test_what_is_no_logit_is_refused(values, message):
    refused(lambda: _input.logits(values, "v"), ValueError, message)


def test_a_class_may_be_ruled_out_but_not_the_rows_own_unless_its_weight_is_0():
    assert np.array_equal(_input.logits(Z), Z) and _input.logits([-np.inf]).tolist() == [-np.inf]
    labels, weights = np.array([0, 1, 1]), np.ones(3)
    message = "X[1] has the logit -inf for its own label 1: expected a finite logit there"
    refused(lambda: _input.label_logits(Z, labels, weights), ValueError, message)
    _input.label_logits(Z, labels, np.array([1.0, 0.0, 1.0]))
    _input.label_logits(Z, 1 - labels, weights)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 2e-3), ("float32", 1e-5), ("float64", 1e-6)])
@pytest.mark.parametrize("n_classes", [2, 63, 1000])
@pytest.mark.parametrize("read", [_input.probabilities, lambda p: _input.exact_probabilities(p, "y_prob")])
def test_a_row_may_miss_the_sum_of_one_by_the_tolerance_of_its_precision_and_no_more(
    read, dtype, tolerance, n_classes
):
    rows = np.random.default_rng(n_classes).dirichlet(np.full(n_classes, 0.3), 300).astype(dtype)
    missed = np.abs(rows.astype(np.float64).sum(axis=1) - 1)
    assert len(read(rows[missed < tolerance])) > 0
    for share in (-1.3, -0.8, 0.8, 1.3):
        one = rows[:1].astype(np.float64) / rows[:1].astype(np.float64).sum()
        one[0, one.argmax()] += share * tolerance
        one = np.repeat(one.astype(dtype), 2, axis=0)
        far = abs(one[0].astype(np.float64).sum() - 1) > tolerance
        if dtype != "float16" and n_classes <= 64:
            assert far == (abs(share) > 1)
        if far:
            with pytest.raises(ValueError, match=r"y_prob\[0\] sums to"):
                read(one)
        else:
            assert len(read(one)) == 2


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_exact_numbers_are_those_of_the_input_in_double_precision(dtype):
    values = np.array([[0.25, 0.75], [0.1, 0.9]]).astype(dtype)
    for read in (_input.exact_probabilities, _input.exact_logits):
        exact = read(values, "v")
        assert exact.dtype == np.float64 and np.array_equal(exact, values)
    refused(lambda: _input.exact_logits(values * np.inf, "v", 5), ValueError,
            "v[5, 0] = inf: expected a logit below infinity")  # fmt: skip
    with pytest.raises(ValueError, match=r"v\[5\] sums to 0.5: expected class probabilities"):
        _input.exact_probabilities(values / 2, "v", 5)


def test_half_precision_rows_cast_up_get_the_advice_to_renormalise():
    p = cl.softmax(np.random.default_rng(0).normal(size=(50, 10))).astype(np.float16)
    assert len(_input.probabilities(p)) == 50
    with pytest.raises(ValueError, match=r"half-precision numbers cast up: y_prob / y_prob.sum"):
        _input.probabilities(p.astype(np.float64))
    refused(lambda: _input.probabilities(np.float16([[0.5, 0.25]])), ValueError,
            "y_prob[0] sums to 0.75: expected class probabilities that sum to 1")  # fmt: skip


@pytest.mark.parametrize(
    "values", [np.array([0.0, np.nan]), np.array([[1.0], [np.inf]]), np.array([-np.inf])]
)
def test_what_is_not_finite_is_refused(values):
    problem = "NaN" if np.isnan(values).any() else "infinity"
    place = "v" + str([int(i[0]) for i in np.nonzero(~np.isfinite(values))])
    message = f"{place} is {problem}: expected finite numbers (no NaN, no inf)"
    refused(lambda: _input.finite(values, "v", (1, 2)), ValueError, message)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([0, 1, 2], ValueError, "y[2] = 2: expected a class number, 0..1 for 2 classes"),
        ([-1, 1, 0], ValueError, "y[0] = -1: expected a class number, 0..1 for 2 classes"),
        ([0, 0.5], ValueError, "y[1] = 0.5: expected a class number, 0..1 for 2 classes, not a continuous value"),
        ([0, 2.0], ValueError, "y[1] = 2.0: expected a class number, 0..1 for 2 classes, not a continuous value"),
        ([0, np.nan], ValueError, "y[1] = nan: expected a class number, 0..1 for 2 classes, not a continuous value"),
        ([0, np.inf], ValueError, "y[1] = inf: expected a class number, 0..1 for 2 classes, not a continuous value"),
        (["a", "b"], TypeError, "y has dtype <U1: expected class numbers 0..1 (np.unique(y, return_inverse=True)[1], if columns follow the sorted labels)"),
        ([0, None], TypeError, "y has dtype object: expected class numbers 0..1 (np.unique(y, return_inverse=True)[1], if columns follow the sorted labels)"),
        ([1, 2], ValueError, "y[1] = 2: expected a class number, 0..1 for 2 classes (labels start at 0: pass y - 1)"),
        ([1, -1], ValueError, "y[1] = -1: expected a class number, 0..1 for 2 classes (for the labels -1 and 1 pass y > 0)"),
        ([[0, 2]], ValueError, "y has shape (1, 2): expected a 1-D array of class numbers"),
        ([[0], [1]], ValueError, "y has shape (2, 1): expected a 1-D array of class numbers (np.ravel(y))"),
        ([[0, 1], [1, 0]], ValueError, "y has shape (2, 2): expected a 1-D array of class numbers (np.argmax(y, axis=1) of one-hot labels)"),
        ([[0.5, 0.5]], ValueError, "y has shape (1, 2): expected a 1-D array of class numbers"),
        ([], ValueError, "y is empty: expected at least one label"),
        (sparse.csr_array([[0, 1]]), TypeError, "y is a sparse matrix: expected a dense array (use .toarray())"),
    ],
)  # fmt: skip
def test_what_is_no_class_number_is_refused(values, error, message):
    refused(lambda: _input.labels(values, 2, "y"), error, message)


def test_booleans_and_whole_floats_are_class_numbers():
    for values in ([False, True], [0.0, 1.0], np.array([0, 1], dtype=np.uint8)):
        got = _input.labels(values, 2)
        assert got.dtype == np.int64 and got.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (None, ValueError, "y is None: expected labels (fit requires y to be passed, but the target y is None)"),
        ([[0], [1]], ValueError, "y has shape (2, 1): expected a 1-D array of class labels, not empty (np.ravel(y))"),
        ([], ValueError, "y has shape (0,): expected a 1-D array of class labels, not empty"),
        ([0.0, 0.5], ValueError, "y[1] = 0.5: expected class labels (whole numbers, booleans or strings). Unknown label type: continuous"),
        ([0.0, np.nan], ValueError, "y[1] = nan: expected class labels (whole numbers, booleans or strings). Unknown label type: contains NaN or infinity"),
        ([0.0, np.inf], ValueError, "y[1] = inf: expected class labels (whole numbers, booleans or strings). Unknown label type: contains NaN or infinity"),
        (np.array([0, "a"], dtype=object), TypeError, "y holds objects (int, str): expected whole numbers, booleans or strings"),
        (np.array([0], dtype="M8[D]"), TypeError, "y has dtype datetime64[D]: expected whole numbers, booleans or strings"),
    ],
)  # fmt: skip
def test_what_names_no_class_is_refused(values, error, message):
    refused(lambda: _input.class_labels(values), error, message)


def test_labels_of_any_one_sortable_kind_name_classes():
    for values in ([1, 2], [True, False], ["a", "b"], [1.0, 2.0], np.array(["a", "b"], dtype=object)):
        assert _input.class_labels(values).tolist() == list(values)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], "sample_weight[1] = -1.0: expected a weight of at least 0"),
        ([0, 0, 0], "sample_weight is zero everywhere: expected at least one positive weight"),
        ([1, 1e308, 1e308], "sample_weight sums to infinity: expected weights whose sum float64 can hold"),
        ([1, np.inf, 1], "sample_weight[1] is infinity: expected finite numbers (no NaN, no inf)"),
        ([1, 1], "sample_weight has 2 rows and the data have 3: expected equal lengths"),
        ([[1, 1, 1]], "sample_weight has shape (1, 3): expected a 1-D array"),
    ],
)
def test_what_is_no_weight_is_refused(weights, message):
    refused(lambda: _input.weights(weights, 3), ValueError, message)


def test_weights_may_be_missing_and_in_a_part_all_zero():
    assert _input.weights(None, 3) is None
    assert _input.weights([0, 0, 0], 3, in_part=True).tolist() == [0, 0, 0]
    assert _input.weights([0, 2, 1], 3).tolist() == [0, 2, 1]


def test_a_forecast_is_read_in_one_place_and_only_rows_that_count_are_handed_on():
    rows = _input.forecast([0, 1, 1], P, [0, 4, 1])
    assert rows.n_classes == 2 and _input.forecast([0, 1, 2], np.eye(3)).n_classes == 3
    y_prob, labels, weights = rows.counted()
    assert (y_prob.tolist(), labels.tolist(), weights.tolist()) == ([0.7, 0.9], [1, 1], [1, 0.25])
    assert _input.forecast([0, 1, 1], P).counted()[2].tolist() == [1, 1, 1]
    assert _input.forecast([0, 1, 1], P, [0, 0, 0], in_part=True).weights.tolist() == [0, 0, 0]
    refused(lambda: _input.forecast([0, 1], P), ValueError,
            "y_true has 2 rows and y_prob has 3: expected equal lengths")  # fmt: skip
    refused(lambda: _input.forecast([0, 1, 1], ROWS, ndim=(1,)), ValueError,
            "y_prob has shape (3, 2): expected a 1-D array")  # fmt: skip
    refused(lambda: _input.forecast([0, 1, 2], P), ValueError,
            "y_true[2] = 2: expected a class number, 0..1 for 2 classes")  # fmt: skip


@pytest.mark.parametrize("check", [_input.positive_whole, _input.non_negative_whole])
def test_a_number_of_things_is_a_whole_number(check):
    least = int(check is _input.positive_whole)
    assert check(least, "n") == least and check(np.int64(7), "n") == 7
    for value in (least - 1, 2.0, True, "3", None):
        message = f"n = {value!r}: expected a whole number of at least {least}"
        refused(lambda value=value: check(value, "n"), ValueError, message)


def test_a_number_lies_within_its_ends():
    assert _input.number_between(1, 0, 1, "q") == 1.0 and _input.number_between(np.float32(0.5), 0, 1, "q")
    for value in (-0.1, 1.1, np.nan, "1", True, None):
        message = f"q = {value!r}: expected a number in [0, 1]"
        refused(lambda value=value: _input.number_between(value, 0, 1, "q"), ValueError, message)
    for value in (0, 1):
        message = f"q = {value!r}: expected a number in (0, 1)"
        refused(
            lambda value=value: _input.number_between(value, 0, 1, "q", open_ends=True), ValueError, message
        )


def test_an_option_is_one_of_the_known_ones_and_of_their_type():
    _input.one_of("l1", ["l1", "l2"], "norm")
    for value in ("l3", None, 1):
        message = f"norm = {value!r}: expected one of 'l1', 'l2'"
        refused(lambda value=value: _input.one_of(value, ["l1", "l2"], "norm"), ValueError, message)
    refused(
        lambda: _input.one_of(1.0, [True, False], "o"), ValueError, "o = 1.0: expected one of True, False"
    )


def test_the_first_bad_row_is_named_beyond_the_first_block():
    p = np.full(100_000, 0.5)
    p[77_777] = 2
    rows = np.full((100_000, 4), 0.25)
    rows[55_555, 2] = 0.5
    z = np.zeros((100_000, 3))
    z[66_666] = -np.inf
    y = np.zeros(100_000)
    for measure in (cl.brier_score, cl.negative_log_likelihood, cl.reliability_curve):
        with pytest.raises(ValueError, match=r"y_prob\[77777\] = 2.0"):
            measure(y, p)
        with pytest.raises(ValueError, match=r"y_prob\[55555\] sums to 1.25"):
            measure(y, rows)
        with pytest.raises(ValueError, match=r"y_prob\[66666\] is -inf in every class"):
            measure(y, z, from_logits=True)


@pytest.mark.parametrize("seed", ["x", -1, 0.5, [1, -2]])
def test_a_bad_seed_is_refused_by_its_name(seed):
    expected = (
        f"random_state = {seed!r}: expected None, a whole number of at least 0, or a numpy.random.Generator"
    )
    for call in (
        lambda: cl.ece_under_calibration([0.5], random_state=seed),
        lambda: cl.calibration_report([1, 0], [0.5, 0.5], random_state=seed),
        lambda: simulate.label_noise([0, 1], 0.1, 2, random_state=seed),
    ):
        refused(call, ValueError, expected)


def test_a_seed_repeats_its_draws_and_a_generator_goes_on():
    assert _input.generator(3).random() == np.random.default_rng(3).random()
    going = np.random.default_rng(3)
    assert _input.generator(going) is going and _input.generator(None).random() < 1


def test_a_warning_points_at_the_line_of_the_caller():
    with pytest.warns(UserWarning, match="distinct values") as caught:
        cl.brier_decomposition([0, 1], [[0.5, 0.5], [0.2, 0.8]])
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="holds one row") as caught:
        cl.expected_calibration_error([0, 1], [0.2, 0.8], norm="l2", debias=True)
    assert caught[0].filename == __file__
    binning = cl.HistogramBinning()
    for calibrator, scores in ((binning, np.full(4, 0.5)), (cl.OneVsRest(binning), np.full((4, 2), 0.5))):
        with pytest.warns(UserWarning, match="learns the base rate") as caught:
            calibrator.fit(scores, [0, 1, 0, 1])
        assert {one.filename for one in caught} == {__file__}


def test_code_that_is_executed_without_a_module_name_is_warned_like_any_other():
    with pytest.warns(UserWarning, match="learns the base rate"):
        exec("import calibration_lessons as cl; cl.HistogramBinning().fit([0.5, 0.5], [0, 1])", {})


def test_a_seed_is_read_in_one_place():
    package = Path(_input.__file__).parent
    made = re.compile(r"^(?!.*>>>).*default_rng\(", re.MULTILINE)
    found = [path.name for path in package.rglob("*.py") if made.search(path.read_text("utf-8"))]
    assert found == ["_input.py"]
