"""Tensors of PyTorch and arrays of JAX are read where NumPy's are, and what comes back is NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import calibration_lessons as cl
from calibration_lessons.deployment.monitor import CalibrationMonitor
from tests.calibrators.cases import simulate

LOGITS, LABELS = simulate(300, 4, 2.0)
LOGITS = LOGITS.astype(np.float32)
SOURCES = {
    "requires gradients": lambda a: torch.tensor(a, requires_grad=a.dtype.kind == "f"),
    "in the middle of a graph": lambda a: (
        torch.tensor(a, requires_grad=True) * 1 if a.dtype.kind == "f" else torch.tensor(a)
    ),
    "a parameter": lambda a: torch.nn.Parameter(torch.tensor(a), requires_grad=a.dtype.kind == "f"),
    "every second row": lambda a: torch.tensor(np.repeat(a, 2, axis=0))[::2],
    "transposed": lambda a: torch.tensor(np.asarray(a.T, order="C")).T if a.ndim == 2 else torch.tensor(a),
    "half": lambda a: torch.tensor(a).half() if a.dtype.kind == "f" else torch.tensor(a),
    "bfloat16": lambda a: torch.tensor(a).bfloat16() if a.dtype.kind == "f" else torch.tensor(a),
    "JAX": jnp.asarray,
    "JAX, bfloat16": lambda a: jnp.asarray(a, jnp.bfloat16 if a.dtype.kind == "f" else None),
}
if torch.cuda.is_available():
    SOURCES |= {
        f"on a GPU, {name}": lambda a, source=source: source(a).cuda()
        for name, source in SOURCES.items()
        if "JAX" not in name
    }


def softmax_of(z):
    return z.softmax(1) if isinstance(z, torch.Tensor) else jax.nn.softmax(z)


def numpys(values):
    """The same numbers in NumPy, in the type that this package computes with."""
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu()
        return (values.float() if values.dtype == torch.bfloat16 else values).numpy()
    return np.asarray(values, np.float32 if values.dtype == jnp.bfloat16 else None)


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_learned_and_measured_is_what_numpys_array_gives(source):
    z, y = SOURCES[source](LOGITS), SOURCES[source](LABELS)
    plain, labels = numpys(z), np.asarray(LABELS)
    for calibrator in (cl.TemperatureScaling(), cl.MatrixScaling("vector"), cl.OneVsRest(cl.PlattScaling())):
        found, expected = (calibrator.fit(a, b).predict_proba(a) for a, b in ((z, y), (plain, labels)))
        assert type(found) is np.ndarray and np.array_equal(found, expected)
    score = cl.PlattScaling().fit(z[:, :1], y > 1).predict_proba(z[:, :1])  # a layer of one unit
    assert np.array_equal(score, cl.PlattScaling().fit(plain[:, 0], labels > 1).predict_proba(plain[:, 0]))
    report = cl.calibration_report(y, z, from_logits=True, random_state=0)
    assert report == cl.calibration_report(labels, plain, from_logits=True, random_state=0)


@pytest.mark.parametrize("source", SOURCES)
def test_a_frameworks_own_softmax_has_rows_that_sum_to_one(source):
    p, y = softmax_of(SOURCES[source](LOGITS)), SOURCES[source](LABELS)
    exact = cl.softmax(LOGITS.astype(np.float64))
    rounding = 0.02 if "16" in source or source == "half" else 1e-5
    assert cl.brier_score(y, p) == pytest.approx(cl.brier_score(LABELS, exact), abs=rounding)
    assert cl.CalibrationAccumulator().update(y, p).curve().counts.sum() == 300
    assert CalibrationMonitor().add_forecasts(1, p).add_labels(1, y[:9], p[:9]).report()[0].labels == 9


def test_a_thousand_classes_in_bfloat16_are_read():
    p = torch.randn(50, 1000, generator=torch.manual_seed(0)).bfloat16().softmax(1)
    assert 0.9 < cl.brier_score(torch.arange(50), p) < 1.1


@pytest.mark.parametrize(
    "tensor",
    [torch.eye(3).to_sparse(), torch.eye(3, device="meta"), torch._neg_view(-torch.eye(3))],
    ids=["sparse", "meta", "negated"],
)
def test_a_tensor_that_numpy_cannot_hold_is_refused_by_name(tensor):
    with pytest.raises(
        ValueError, match=r"^y_prob cannot be read as an array of numbers \(.*: expected numbers"
    ):
        cl.brier_score([0, 1, 2], tensor)
