"""Arrays of every framework are read as NumPy arrays; the frameworks are played by small classes."""

import contextlib
import warnings
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest

import calibration_lessons as cl
from calibration_lessons import _input
from calibration_lessons.book import datasets
from calibration_lessons.uncertainty import decompose_uncertainty, entropy
from tests.refusals import refusals, refused

RNG = np.random.default_rng(0)
Z = 2 * RNG.normal(size=(300, 4))
Y = (Z / 1.5 + RNG.gumbel(size=Z.shape)).argmax(axis=1)
P = cl.softmax(Z)


class Named:
    def __init__(self, name):
        self.name = self.type = name

    def __str__(self):
        return self.name


class Tensor:
    """Speaks as PyTorch's tensors do: needs `detach`, then `cpu`, and has no bfloat16 in NumPy."""

    def __init__(self, values, device="cpu", dtype=None, requires_grad=False, log=None):
        self.values = np.asarray(values)
        self.device, self.dtype = Named(device), Named(dtype or f"torch.{self.values.dtype}")
        self.requires_grad, self.log = requires_grad, [] if log is None else log

    def like(self, values, **changed):
        kept = {"device": str(self.device), "dtype": str(self.dtype), "requires_grad": self.requires_grad}
        return Tensor(values, **(kept | changed), log=self.log)

    def detach(self):
        return self.like(self.values, requires_grad=False)

    def cpu(self):
        if str(self.device) != "cpu":
            self.log.append(self.values.size)
        return self.like(self.values, device="cpu")

    def float(self):
        return self.like(self.values.astype(np.float32), dtype="torch.float32")

    def __array__(self, dtype=None, copy=None):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if str(self.device) != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy.")
        if str(self.dtype) == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values


class Exchanged:
    """Has `__dlpack__` alone."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Guarded(Exchanged):
    """Has `__array__`, and refuses it, as CuPy's arrays do."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


def brain(values):
    """Round to bfloat16: the first half of float32, to the nearest."""
    whole = np.asarray(values, dtype=np.float32).view(np.uint32)
    return ((whole + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32)


@pytest.mark.parametrize(
    "wrap",
    [
        Tensor,
        lambda values: Tensor(values, requires_grad=True),
        lambda values: Tensor(values, device="cuda", requires_grad=True),
        Exchanged,
        Guarded,
    ],
    ids=["tensor", "with gradient", "on a device", "dlpack", "guarded"],
)
def test_an_array_of_any_framework_gives_what_the_numpy_array_gives_and_numpy_comes_back(wrap):
    assert cl.expected_calibration_error(wrap(Y), wrap(P)) == cl.expected_calibration_error(Y, P)
    assert cl.brier_score(wrap(Y), wrap(P), sample_weight=wrap(np.ones(300))) == cl.brier_score(Y, P)
    fitted = cl.TemperatureScaling().fit(wrap(Z), wrap(Y))
    assert fitted.temperature_ == cl.TemperatureScaling().fit(Z, Y).temperature_
    assert type(fitted.predict_proba(wrap(Z))) is np.ndarray
    assert cl.PlattScaling().fit(wrap(Z[:, 0]), wrap(Y == 0)).classes_.tolist() == [0, 1]
    assert decompose_uncertainty([wrap(P), wrap(P)]).total == pytest.approx(entropy(P, base="bits"))


def test_what_lies_in_memory_is_not_copied():
    for wrapped in (Tensor(P), Tensor(P, requires_grad=True), Exchanged(P), P):
        assert np.shares_memory(_input.as_numpy(wrapped), P)


@pytest.mark.parametrize("dtype", ["torch.float32", "torch.bfloat16"])
def test_a_tensor_on_a_device_is_copied_once(dtype):
    values = brain(P) if dtype == "torch.bfloat16" else (P / P.sum(axis=1, keepdims=True)).astype(np.float32)
    for measure in (
        lambda p: cl.expected_calibration_error(Y, p, target="class-wise"),
        lambda p: cl.calibration_report(Y, p, n_draws=5).ece,
        lambda p: cl.ece_interval(Y, p),
        lambda p: cl.brier_decomposition(Y, p, n_bins=5),
        lambda p: cl.negative_log_likelihood(Y, p),
        lambda p: cl.CalibrationAccumulator().update(Y, p),
    ):
        tensor = Tensor(values, device="cuda", dtype=dtype, requires_grad=True)
        measure(tensor)
        assert tensor.log == [P.size]
    assert np.array_equal(_input.as_numpy(tensor), values)
    for shape in ((), (0, 3)):
        assert _input.as_numpy(Tensor(np.zeros(shape), device="cuda", dtype=dtype)).shape == shape


def test_bfloat16_is_read_with_its_own_tolerance_and_cast_to_float32_gets_the_advice():
    rounded = brain(P)
    assert 1e-3 < abs(rounded.sum(axis=1) - 1).max() < 5e-3
    read = _input.probabilities(Tensor(rounded, dtype="torch.bfloat16"))
    assert np.array_equal(read, rounded) and read.dtype == np.float32
    assert cl.brier_score(Y, Tensor(rounded, dtype="torch.bfloat16")) == pytest.approx(
        cl.brier_score(Y, P), rel=0.01
    )
    with pytest.raises(ValueError, match=r"sums to 1\.02: expected class probabilities that sum to 1$"):
        _input.probabilities(Tensor(np.float32([[0.51, 0.51]]), dtype="torch.bfloat16"))
    for wider in (np.float32, np.float64):
        with pytest.raises(ValueError, match=r"half-precision numbers cast up: y_prob / y_prob.sum"):
            _input.probabilities(rounded.astype(wider))


def test_an_array_that_calls_itself_bfloat16_is_read():
    assert np.array_equal(_input.as_numpy(np.ones(3, pytest.importorskip("ml_dtypes").bfloat16)), np.ones(3))


def test_what_no_framework_can_read_is_refused_by_name():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("no")

    with pytest.raises(TypeError, match="v has dtype object"):
        _input.real_array(object(), "v", (1,))
    with pytest.raises(ValueError, match=r"v cannot be read as an array of numbers \(no\)"):
        _input.real_array(Broken(), "v", (1,))


@refusals("rounded")
def test_a_row_that_rounding_may_have_moved_off_one_gets_the_remedy_and_no_other(kind, start, call):
    refused(kind, start, call, globals(), end=start.partition(": ")[2])


def test_labels_from_one_are_noticed_where_no_row_has_the_last_class():
    some = Y < 3
    for call in (
        lambda y, z: cl.expected_calibration_error(y, cl.softmax(z)),
        lambda y, z: cl.TemperatureScaling().fit(z, y),
        lambda y, z: cl.CalibrationAccumulator().update(y, cl.softmax(z)),
    ):
        with pytest.warns(
            UserWarning, match=r"never is 0, and y.* - 1 is the largest .*labels start at 0"
        ) as caught:
            with contextlib.suppress(ValueError):  # such labels fit no temperature
                call(Y[some] + 1, Z[some])
        assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="y_true - 1 .* in 100% of the rows, y_true in 0%"):
        cl.brier_score(Z[:10, :3].argmax(axis=1) + 1, cl.softmax(np.c_[Z[:10, :3], np.full(10, -9)]))


def forecasts_of(K, n, rng, skill=3):
    """Labels, and forecasts that favour them."""
    y = rng.integers(0, K, n)
    return y, cl.softmax(skill * np.eye(K)[y] + rng.normal(size=(n, K)))


HALF_RIGHT = [(3, 2000, 0.9), (4, 2000, 1), (6, 2000, 1.3), (10, 2000, 1.5)]


@pytest.mark.parametrize(("K", "n", "skill"), [*((K, 40 * K, 3) for K in (3, 4, 11, 60)), *HALF_RIGHT])
def test_columns_in_another_order_are_noticed_also_where_half_of_the_rows_are_right(K, n, skill):
    y, p = forecasts_of(K, n, np.random.default_rng(K), skill)
    as_texts = [np.unique(y.astype(str), return_inverse=True)[1]] if K > 10 else []
    for named in ((y + 1) % K, np.where(y < 2, 1 - y, y), *as_texts):
        for call in (
            lambda y=named: cl.brier_score(y, p),
            lambda y=named: cl.TemperatureScaling().fit(np.log(p), y),
        ):
            with (
                pytest.warns(UserWarning, match=r"y.* in .*% with the columns in another order"),
                contextlib.suppress(ValueError),  # no temperature fits
            ):
                call()


TWO_SWAPPED, A_LITTLE = [[5, 12, 3], [12, 5, 3], [11, 0, 9]], [[6, 9, 5], [5, 6, 9], [9, 5, 6]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("said", [TWO_SWAPPED, A_LITTLE])
def test_classes_that_a_shift_confuses_are_no_columns_in_another_order(said):
    y = np.repeat([0, 1, 2], 1000)
    best = np.concatenate([np.repeat([0, 1, 2], np.multiply(50, row)) for row in said])
    cl.brier_score(*(np.random.default_rng(0).permutation(rows) for rows in (y, 0.7 * np.eye(3)[best] + 0.1)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", datasets.SHIFTS)
def test_the_disturbed_pictures_of_the_course_are_in_order(kind):
    for network, level in product(range(5), range(1, 6)):
        z, y = datasets.shifted_logits(network, kind, level)
        cl.brier_score(y, z, from_logits=True)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("skill", [0, 0.3, 2])
@pytest.mark.parametrize("K", [3, 7, 80])
def test_weak_forecasts_for_classes_in_quite_other_proportions_are_in_order(K, skill):
    rng = np.random.default_rng(K)
    before = np.exp(-6 * np.arange(K) / K)
    for n in (10, 100, 1000):
        y = np.append(rng.choice(K, n, p=before[::-1] / before.sum()), 0)
        z = skill * np.eye(K)[y] + rng.normal(size=(n + 1, K))
        cl.brier_score(y, cl.softmax(skill * z + np.log(before)))


def test_more_classes_than_a_table_of_pairs_can_hold_are_read():
    cl.TemperatureScaling()._rows(np.eye(200, 60_000, dtype=np.float16), np.arange(200) % 60_000, None)


def test_logarithms_to_another_base_are_noticed():
    for base, log in ((10, np.log10), (2, np.log2)):
        with pytest.warns(UserWarning, match=f"y_prob looks like log{base} of probabilities"):
            cl.brier_score(Y, log(P), from_logits=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cl.brier_score(Y, np.log(P), from_logits=True)


@pytest.mark.parametrize("n_classes", [2, 4, 100])
def test_a_softmax_taken_twice_is_noticed_and_timid_forecasts_are_left_in_peace(n_classes):
    y = RNG.integers(0, n_classes, 2000)
    z = 9 * np.eye(n_classes)[y] + RNG.normal(size=(2000, n_classes))
    for dtype in (np.float32, np.float64):
        with pytest.warns(UserWarning, match="y_prob looks like a softmax of probabilities"):
            cl.brier_score(y, cl.softmax(cl.softmax(z)).astype(dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in (0, 0.01, 0.03, 0.1, 0.2, 0.5, 1, 2):
            cl.brier_score(y, cl.softmax(scale * z))
        if n_classes == 2:  # two leaves of a tree
            cl.brier_score(y, np.where(y[:, None], [0.28, 0.72], [0.72, 0.28]))


@pytest.mark.filterwarnings("error")
def test_predicted_classes_in_place_of_probabilities_are_noticed():
    labels = np.tile([0, 1], 10)
    whole = (labels, labels > 0, pd.Series(labels), 0 * labels)
    for said in (*whole, [*labels], np.float32(labels), np.eye(2)[labels]):
        with pytest.warns(UserWarning, match="y_prob holds only 0 and 1: of predicted classes pass pred"):
            (cl.brier_score if any(said is one for one in whole) else cl.reliability_curve)(labels, said)
    for said in (np.zeros(20), np.clip(labels, 1e-9, 1), labels[:9]):  # rounded to two digits, or a few rows
        cl.reliability_curve(labels[: len(said)], said)
    cl.brier_score(labels, np.float64(labels))  # yes and no have a score


@pytest.mark.filterwarnings("error")
def test_the_other_column_is_noticed_by_each_measure_and_noise_is_left_in_peace():
    rng = np.random.default_rng(0)
    p = rng.beta(20, 20, 2000)
    y = rng.random(2000) < p
    for measure in (cl.expected_calibration_error, cl.brier_score, cl.reliability_curve):
        for other in (1 - p, np.column_stack([p, 1 - p])):
            with pytest.warns(UserWarning, match="^y_prob is lower where the label is 1"):
                measure(y, other)
        for n in (10, 40, 200) * 200:
            measure(rng.random(n) < 0.3, rng.random(n))


@pytest.mark.parametrize("share", [5e-4, 1e-3, 5e-3])
def test_percentages_of_rare_events_are_noticed_and_bad_forecasts_are_left_in_peace(share):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        p = share * rng.gamma(2, 0.5, 100_000).clip(0.01)
        y = rng.random(len(p)) < p
        for call in (cl.brier_score, cl.calibration_slope_intercept, partial(cl.net_benefit, thresholds=[0])):
            with pytest.warns(UserWarning, match="y_prob is .* of the labels are 1: pass y_prob / 100 of"):
                call(y, (100 * p).clip(0, 0.99))
        for honest in (p, 20 * p, p / 10, 1 - p, np.full(len(p), 0.3)):
            cl.brier_score(y, honest.clip(0, 1))


def test_labels_that_happen_not_to_hold_class_0_are_left_in_peace():
    without = Y > 0
    cl.expected_calibration_error(Y[without], P[without])
    cl.expected_calibration_error(np.ones(50), np.full(50, 0.3))
    cl.expected_calibration_error(np.ones(50), np.tile([0.7, 0.3], (50, 1)))
    cl.brier_score(RNG.integers(1, 4, 300), P)
