"""What is exported answers as `predict_proba` does, in each language, and needs nothing of the package.

PyTorch and ONNX themselves run what they get in tests/integrations, in an environment of their own. Here a
few lines of NumPy stand in for ONNX.
"""

import contextlib
import json
import re
import sqlite3
import subprocess
import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright._impl._driver import compute_driver_executable

import calibration_lessons as cl
from calibration_lessons.calibrators._base import Calibrator
from calibration_lessons.calibrators._binary import BinaryCalibrator
from calibration_lessons.deployment import exports as shipping
from tests.calibrators import cases
from tests.refusals import refusals, refused

LOGITS, LABELS = cases.simulate(200, 3, 2.0)
SCORES = LOGITS[:, 1] - LOGITS[:, 0]
POSITIVE = (LABELS == 1).astype(int)
PLATT = cl.PlattScaling().fit(SCORES, POSITIVE)
NODE = compute_driver_executable()[0]  # the one that the locked Playwright brings
LOOP = """
require('readline').createInterface({input: process.stdin}).on('line', (line) => {
  const {source, rows} = JSON.parse(line);
  const calibrate = new Function(source + 'return calibrate;')();
  console.log(JSON.stringify(rows.map(calibrate)));
});
"""


def numpy_function(calibrator):
    scope = {}
    exec(cl.export(calibrator, "numpy"), scope)
    return scope["calibrate"]


@given(cases.fitted_with_rows(dtypes=(np.float16, np.float32, np.float64)))
def test_the_numpy_function_agrees(case):
    calibrator, rows = case
    cases.agree(numpy_function(calibrator)(rows), calibrator, rows)
    assert f"; reads {calibrator.reads}, needs numpy" in cl.export(calibrator, "numpy").lower()
    compile(cl.export(calibrator, "torch"), "torch", "exec")  # PyTorch itself runs it in tests/integrations


def run_onnx(text, scores):
    """Run the text of a model, one statement a line."""
    kinds = {"int64": np.int64, "double": float}
    do = {
        "Cast": lambda x, to: x.astype({11: float, 7: np.int64}[int(to)]),
        "Gather": lambda x, i, axis="0": np.take(x, i, axis=int(axis)),
        "ReduceSum": lambda x, axes, keepdims: x.sum(axis=tuple(axes), keepdims=keepdims == "1"),
        "ReduceMax": lambda x, axes, keepdims: x.max(axis=tuple(axes), keepdims=keepdims == "1"),
        "ReduceMean": lambda x, axes, keepdims: x.mean(axis=tuple(axes), keepdims=keepdims == "1"),
        "MatMul": np.matmul, "Abs": np.abs,
        "Concat": lambda *columns, axis: np.concatenate(columns, axis=int(axis)),
        "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Neg": np.negative,
        "Exp": np.exp, "Log": np.log,
        "Max": np.maximum, "Min": np.minimum, "Greater": np.greater, "Equal": np.equal,
        "Where": np.where,
    }  # fmt: skip
    head, *lines, end = text.split("\n")[1:]
    kind, columns, width = re.fullmatch(
        r"calibrate \((\w+)\[n, (\d+)\] scores\) => \(double\[n, (\d+)\] probabilities\) {", head
    ).groups()
    assert end == "}" and {"float": np.float32, "double": np.float64}[kind] == scores.dtype
    known = {"scores": scores.reshape(-1, int(columns))}
    for line in lines:
        name, op, options, given_ = re.fullmatch(r"(\w+) = (\w+) (?:<(.*)> )?\((.*)\)", line).groups()
        assert name not in known
        if op == "Constant":
            kind, sizes, values = re.fullmatch(r"value = (\w+)\[([\d, ]+)\] {(.*)}", options).groups()
            numbers = np.array([kinds[kind](value) for value in values.split(", ")])
            known[name] = numbers.reshape([int(size) for size in sizes.split(", ")])
        else:
            named = dict([options.split(" = ")]) if options else {}
            known[name] = do[op](*(known[each] for each in given_.split(", ")), **named)
    assert known["probabilities"].shape[1] == int(width)
    return known["probabilities"]


@given(cases.fitted_with_rows())
def test_the_text_of_an_onnx_model_agrees_where_numpy_stands_in(case):
    calibrator, rows = case
    with np.errstate(all="ignore"):
        answers = run_onnx(shipping._onnx_text(shipping._plan(calibrator), rows.dtype.name), rows)
    cases.agree(answers, calibrator, rows)


def test_an_onnx_model_is_its_text_read_by_onnx(monkeypatch):
    class Model:
        def __init__(self, text):
            self.text = text

        def SerializeToString(self):
            return self.text.encode()

    stand_in = types.ModuleType("onnx")
    stand_in.parser = types.SimpleNamespace(parse_model=Model)
    monkeypatch.setitem(sys.modules, "onnx", stand_in)
    for dtype in ("float32", "float64"):
        text = shipping._onnx_text(shipping._plan(PLATT), dtype)
        assert cl.export(PLATT, "onnx", dtype=dtype) == text.encode()
    assert cl.export(PLATT, "onnx") == cl.export(PLATT, "onnx", dtype="float32")
    newer = cl.export(PLATT, "onnx", opset=21, ir_version=10).decode()
    assert newer.startswith('<ir_version: 10, opset_import: ["" : 21]')


@given(cases.fitted_with_rows(dtypes=(np.float64,)), st.integers(1, 5))
def test_what_is_folded_into_the_last_layer_answers_alike(case, n_features):
    calibrator, _ = case
    rng, columns = np.random.default_rng(n_features), calibrator.n_features_in_
    weight, bias = rng.normal(size=(columns, n_features)), rng.normal(size=columns)
    linear = (cl.TemperatureScaling, cl.ExpectationConsistency, cl.MatrixScaling, cl.PlattScaling)
    if not isinstance(calibrator, linear):
        with pytest.raises(TypeError, match=r"calibrator is a \w+: expected one that is linear"):
            shipping.fold(calibrator, weight, bias)
        return
    x = rng.normal(size=(20, n_features))
    new_weight, new_bias = shipping.fold(calibrator, weight, bias)
    logits = x @ new_weight.T + new_bias
    both = np.hstack([np.zeros((20, 1)), logits]) if columns == 1 else logits
    with np.errstate(over="ignore", under="ignore"):
        cases.agree(cl.softmax(both), calibrator, x @ weight.T + bias)


@pytest.fixture(scope="module")
def node():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([NODE, "-e", LOOP], **pipes) as run:

        def ask(source, rows):
            run.stdin.write(json.dumps({"source": source, "rows": rows}) + "\n")
            run.stdin.flush()
            return json.loads(run.stdout.readline())

        yield ask
        run.stdin.close()


def test_the_javascript_function_agrees(node):
    @given(cases.fitted_with_rows(dtypes=(np.float64,)))
    def agrees(case):
        calibrator, rows = case
        cases.agree(node(cl.export(calibrator, "javascript"), rows.tolist()), calibrator, rows)

    agrees()


@given(cases.fitted_with_rows(calibrators=tuple(cases.BINARY), dtypes=(np.float64,)))
def test_the_sql_expression_agrees(case):
    calibrator, rows = case
    if rows.ndim == 2:
        with pytest.raises(ValueError, match=r"calibrator reads \d columns: expected one score a row"):
            cl.export(calibrator, "sql")
        return
    answers = asked(cl.export(calibrator, "sql"), rows.tolist())
    cases.agree(np.stack([1 - answers, answers], axis=1), calibrator, rows)


def asked(expression, scores):
    with contextlib.closing(sqlite3.connect(":memory:")) as table:
        table.execute("CREATE TABLE scores (score DOUBLE PRECISION)")
        table.executemany("INSERT INTO scores VALUES (?)", [[score] for score in scores])
        column = [row[0] for row in table.execute(f"SELECT {expression} FROM scores ORDER BY rowid")]
    return np.array(column, dtype=float)


@pytest.mark.parametrize("n_bins", [3, 7, 10, 49, 97])
def test_a_score_on_an_edge_falls_in_the_same_bin_in_every_language(n_bins, node):
    binning, scores = cases.binned_at_its_edges(n_bins)
    cases.agree(numpy_function(binning)(scores), binning, scores)
    cases.agree(node(cl.export(binning, "javascript"), scores.tolist()), binning, scores)
    answers = asked(cl.export(binning, "sql"), scores.tolist())
    cases.agree(np.stack([1 - answers, answers], axis=1), binning, scores)


@pytest.mark.parametrize("calibrator", cases.EVERY, ids=repr)
def test_a_missing_score_has_no_probability(calibrator, node):
    fitted, missing = cases.fitted_with_a_missing_score(calibrator)
    assert np.isnan(numpy_function(fitted)(missing)).all()
    source = cl.export(fitted, "javascript").replace("[].concat(scores)", "[].concat(scores).map(Number)")
    gone = [["0.2", "missing", "0.3"]] if missing.ndim == 2 else ["missing"]
    assert node(source, gone) == [[None] * len(fitted.classes_)]
    if missing.ndim == 1:
        assert np.isnan(asked(cl.export(fitted, "sql"), [None])).all()


def test_ruled_out_classes_stay_ruled_out():
    temperature = cl.TemperatureScaling().fit(LOGITS, LABELS)
    rows = np.array([[0.5, -np.inf, 1.0], [-np.inf, 3.0, -np.inf]])
    cases.agree(numpy_function(temperature)(rows), temperature, rows)


def test_whole_numbers_lists_and_a_column_are_read_as_predict_proba_reads_them():
    for rows in ([-3, 0, 2], np.array([[-3], [0], [2]]), np.array([True, False])):
        cases.agree(numpy_function(PLATT)(rows), PLATT, rows)
    binning = cl.HistogramBinning(3).fit(cl.softmax(LOGITS)[:, 1], POSITIVE)
    cases.agree(numpy_function(binning)([0, 1]), binning, [0, 1])


@pytest.mark.parametrize("calibrator", [PLATT, cl.TemperatureScaling().fit(LOGITS, LABELS)])
def test_another_number_of_columns_has_no_answer(calibrator, node):
    with pytest.raises(ValueError, match="cannot reshape"):
        numpy_function(calibrator)(np.zeros((6, 2)))
    caught = "return (row) => { try { return calibrate(row); } catch (error) { return error.message; } };"
    said = node(cl.export(calibrator, "javascript") + caught, [[0.0, 0.0]])
    assert said == [f"expected {calibrator.n_features_in_} scores, not 2"]


def test_a_constant_isotonic_curve_is_exported(node):
    with pytest.warns(UserWarning, match="all scores"):
        constant = cl.IsotonicCalibration().fit([0.5, 0.5], [0, 1])
    rows = np.array([0.1, 0.5, 3.0])
    cases.agree(numpy_function(constant)(rows), constant, rows)
    cases.agree(node(cl.export(constant, "javascript"), rows.tolist()), constant, rows)
    assert asked(cl.export(constant, "sql"), rows).tolist() == [0.5] * 3


def test_a_table_of_thousands_of_points_is_still_one_expression():
    rng = np.random.default_rng(0)
    isotonic = cl.IsotonicCalibration().fit(SCORES, POSITIVE)
    isotonic.thresholds_, isotonic.values_ = np.sort(rng.normal(size=2000)), np.linspace(0, 1, 2000)
    scores = rng.normal(size=50)
    answers = asked(cl.export(isotonic, "sql"), scores.tolist())
    cases.agree(np.stack([1 - answers, answers], axis=1), isotonic, scores)


def test_what_is_written_needs_nothing_of_the_package():
    code = cl.export(cl.OneVsRest(cl.IsotonicCalibration()).fit(LOGITS, LABELS), "numpy")
    code += "\nimport sys\nprint(calibrate([[1.0, 2.0, 3.0]]).shape, 'calibration_lessons' in sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["(1,", "3)", "False"]


def test_an_sql_expression_guards_the_exponential_where_other_dialects_fail():
    steep = cl.PlattScaling().fit(1e4 * SCORES, POSITIVE)
    scores = [-1e300, -1e9, 0.0, 1e9, 1e300]
    agree_with = steep.predict_proba(np.clip(scores, -1e90, 1e90))[:, 1]
    np.testing.assert_allclose(asked(cl.export(steep, "sql"), scores), agree_with, atol=1e-12)


def test_every_public_calibrator_can_be_exported_or_says_that_it_cannot():
    kinds = [getattr(cl, name) for name in cl.__all__]
    kinds = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Calibrator)]
    assert {type(each) for each in cases.EVERY} == set(kinds)
    assert all(kind._learned for kind in kinds)


@refusals("export")
def test_what_cannot_be_exported_is_refused(kind, start, call):
    refused(kind, start, call, globals())


def test_a_calibrator_of_somebody_else_has_no_function():
    class Mine(BinaryCalibrator):
        def _learn(self, scores, labels, weights):
            pass

    with pytest.raises(TypeError, match="calibrator is a Mine: expected one that can be exported"):
        cl.export(Mine().fit(SCORES, POSITIVE), "numpy")


def test_a_missing_onnx_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match="export to 'onnx' needs the package onnx: pip install onnx"):
        cl.export(PLATT, "onnx")


def test_no_name_within_an_onnx_model_is_one_that_a_network_would_have():
    for calibrator in (PLATT, cl.TemperatureScaling().fit(LOGITS, LABELS)):
        lines = shipping._onnx_text(shipping._plan(calibrator), "float32").split("\n")[2:-1]
        names = {line.split(" = ")[0] for line in lines} - {"probabilities"}
        assert names and all(name.startswith("calibrate_") for name in names)
