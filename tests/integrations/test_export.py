"""What is exported to PyTorch and ONNX answers as `predict_proba` does."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from hypothesis import given

import calibration_lessons as cl
from tests.calibrators import cases

LOGITS, LABELS = cases.simulate(200, 3, 2.0)


def torch_function(calibrator):
    scope = {}
    exec(cl.export(calibrator, "torch"), scope)
    return scope["calibrate"]


def onnx_function(calibrator, dtype):
    model = cl.export(calibrator, "onnx", dtype=dtype)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])

    def calibrate(rows):
        (answers,) = session.run(["probabilities"], {"scores": rows.reshape(len(rows), -1)})
        assert answers.dtype == np.float64
        return answers

    return calibrate


@given(cases.fitted_with_rows(dtypes=(np.float16, np.float32, np.float64)))
def test_the_torch_function_agrees(case):
    calibrator, rows = case
    cases.agree(torch_function(calibrator)(torch.from_numpy(rows)).numpy(), calibrator, rows)


@given(cases.fitted_with_rows())
def test_the_onnx_model_is_valid_and_agrees(case):
    calibrator, rows = case
    cases.agree(onnx_function(calibrator, rows.dtype.name)(rows), calibrator, rows)


@pytest.mark.parametrize("n_bins", [3, 7, 10, 49])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_score_on_an_edge_falls_in_the_same_bin(n_bins, dtype):
    binning, scores = cases.binned_at_its_edges(n_bins, dtype)
    cases.agree(torch_function(binning)(torch.from_numpy(scores)).numpy(), binning, scores)
    cases.agree(onnx_function(binning, np.dtype(dtype).name)(scores), binning, scores)


@pytest.mark.parametrize("calibrator", cases.EVERY, ids=repr)
def test_a_missing_score_has_no_probability(calibrator):
    fitted, missing = cases.fitted_with_a_missing_score(calibrator)
    assert torch_function(fitted)(torch.from_numpy(missing)).isnan().all()
    assert np.isnan(onnx_function(fitted, "float64")(missing)).all()


def test_ruled_out_classes_stay_ruled_out():
    temperature = cl.TemperatureScaling().fit(LOGITS, LABELS)
    rows = np.array([[0.5, -np.inf, 1.0], [-np.inf, 3.0, -np.inf]])
    cases.agree(torch_function(temperature)(torch.from_numpy(rows)).numpy(), temperature, rows)
    cases.agree(onnx_function(temperature, "float64")(rows), temperature, rows)


def test_gradients_pass_through_the_torch_function():
    logits = torch.tensor(LOGITS, requires_grad=True)
    probabilities = torch_function(cl.TemperatureScaling().fit(LOGITS, LABELS))(logits)
    probabilities[:, 0].sum().backward()
    assert torch.isfinite(logits.grad).all() and logits.grad.abs().max() > 0


def test_the_torch_module_holds_its_numbers_and_ends_a_network():
    calibrator = cl.MatrixScaling("vector").fit(LOGITS, LABELS)
    calibrate = torch_function(calibrator)
    assert calibrate.state_dict().keys() == {"scales0", "intercepts0"}
    network = torch.nn.Sequential(torch.nn.Linear(2, 3), calibrate)
    x = torch.ones(4, 2)
    expected = calibrator.predict_proba(network[0](x).detach().numpy())
    np.testing.assert_allclose(network(x).detach().numpy(), expected, atol=1e-12)


@pytest.mark.parametrize(("opset", "ir_version"), [(18, 8), (20, 9), (21, 10)])
def test_the_model_can_follow_a_network_in_one_onnx_graph(opset, ir_version):
    linear = onnx.parser.parse_model(
        f'<ir_version: {ir_version}, opset_import: ["" : {opset}]>'
        "network (float[n, 2] x) => (float[n, 3] logits) {"
        " w = Constant <value = float[2, 3] {1, 2, 3, 4, 5, 6}> ()"
        " logits = MatMul (x, w) }"
    )
    calibrator = cl.TemperatureScaling().fit(LOGITS, LABELS)
    second = onnx.load_from_string(cl.export(calibrator, "onnx", opset=opset, ir_version=ir_version))
    both = onnx.compose.merge_models(linear, second, io_map=[("logits", "scores")])
    onnx.checker.check_model(both, full_check=True)
    x = np.random.default_rng(0).normal(size=(5, 2)).astype(np.float32)
    session = onnxruntime.InferenceSession(both.SerializeToString(), providers=["CPUExecutionProvider"])
    (answers,) = session.run(None, {"x": x})
    weights = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
    np.testing.assert_allclose(answers, calibrator.predict_proba(x @ weights), atol=1e-6)
