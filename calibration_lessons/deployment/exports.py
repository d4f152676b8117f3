"""A fitted calibrator as a function in another language, which needs nothing of this package.

Every calibrator here is one of two things: the softmax of its logits, which a temperature divides or a matrix
mixes, or a map of one score, a logistic curve or a table, for the positive class or for each class. So a
language has to say five things: the softmax, the mixture, the curve, the table, and the division by the sum.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template
from typing import Any, Literal, overload

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _input
from .._version import __version__
from ..calibrators._base import Calibrator
from ..calibrators.beta import BetaCalibration
from ..calibrators.calibrated_model import CalibratedModel
from ..calibrators.histogram_binning import HistogramBinning
from ..calibrators.isotonic import IsotonicCalibration
from ..calibrators.matrix_scaling import MatrixScaling
from ..calibrators.multi_class_isotonic import MultiClassIsotonic
from ..calibrators.one_vs_rest import OneVsRest
from ..calibrators.platt import PlattScaling
from ..calibrators.temperature import TemperedSoftmax
from ..calibrators.venn_abers import VennAbersCalibration
from ..solvers.logistic import EPSILON

Source = Literal["numpy", "torch", "sql", "javascript"]
Dtype = Literal["float32", "float64"]
OLDEST_OPSET, OLDEST_IR = 18, 8  # before opset 18 a maximum and a mean had their axes as attributes


@cache
def languages() -> dict[str, dict[str, Any]]:
    """Read what each language calls the five things, at the first export."""
    text = resources.files(__package__).joinpath("languages.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@dataclass(frozen=True)
class Curve:
    """sigma(slope x + intercept)."""

    slope: float
    intercept: float


@dataclass(frozen=True)
class Powers:
    """sigma(a log x - b log(1 - x) + c), where x is kept its precision away from 0 and 1."""

    a: float
    b: float
    c: float


@dataclass(frozen=True)
class Steps:
    """The value whose number is the count of edges below x."""

    edges: list[float]
    values: list[float]


class EvenSteps(Steps):
    """Steps whose edges are rounded to the type of x."""


@dataclass(frozen=True)
class Jumps:
    """At a point its own value; elsewhere the value whose number is the count of points below x."""

    points: list[float]
    at: list[float]
    between: list[float]


@dataclass(frozen=True)
class Lines:
    """Straight lines between the points, and the end values outside."""

    points: list[float]
    values: list[float]


Map = Curve | Powers | Steps | Jumps | Lines


@dataclass(frozen=True)
class Temperature:
    """z / temperature, for logits z that are counted from the largest of their row."""

    temperature: float


@dataclass(frozen=True)
class Mixture:
    """W z + b, for logits z that are counted from the mean of their row."""

    matrix: list[list[float]]
    intercepts: list[float]


@dataclass(frozen=True)
class Diagonal:
    """Each logit, counted as for a mixture, times a number of its own, and b."""

    scales: list[float]
    intercepts: list[float]


@dataclass(frozen=True)
class Plan:
    """What a function has to do: take the softmax of divided or mixed logits, or map each column."""

    title: str
    columns: int
    does: Temperature | Mixture | Diagonal | list[Map]


@overload
def export(
    calibrator: Calibrator,
    target: Literal["onnx"],
    *,
    dtype: Dtype = ...,
    opset: int = ...,
    ir_version: int = ...,
) -> bytes: ...
@overload
def export(calibrator: Calibrator, target: Source) -> str: ...


def export(
    calibrator: Calibrator,
    target: Literal["numpy", "torch", "onnx", "sql", "javascript"],
    *,
    dtype: Dtype = "float32",
    opset: int = OLDEST_OPSET,
    ir_version: int = OLDEST_IR,
) -> str | bytes:
    """Write a fitted calibrator as a function that needs nothing of this package.

    Parameters
    ----------
    calibrator : fitted calibrator of this package
    target : {"numpy", "torch", "onnx", "sql", "javascript"}
        - "numpy", "torch": Python source of ``calibrate(scores)``, which takes an array or a tensor of shape
          (n,), (n, 1) or (n, K) and returns the probabilities, shape (n, K), in float64.
        - "onnx": a model, as bytes, with the input ``scores``, shape (n, K) or (n, 1), and the output
          ``probabilities``, shape (n, K). It answers, and computes, in float64. Needs the package onnx.
        - "sql": an expression of the column ``score`` with the probability of class 1, for calibrators of
          one score a row.
        - "javascript": source of ``calibrate(scores)``, which takes a number, or an array of K numbers, and
          returns an array of probabilities.
    dtype : {"float32", "float64"}
        What the model of "onnx" reads.
    opset, ir_version : int
        Versions of ONNX that the model is written in, at least 18 and 8. To follow a network in one graph, it
        has to have the network's: ``network.opset_import[0].version`` and ``network.ir_version``.

    Returns
    -------
    str, or bytes for "onnx"

    Raises
    ------
    ValueError, TypeError
        For an unknown target, a calibrator that is not fitted, an older `opset` or `ir_version`, and "sql"
        with several columns.
    ImportError
        For "onnx" without that package.

    Notes
    -----
    What is written agrees with `predict_proba` to 1e-12 on whatever that method accepts; SQL and JavaScript
    read float64 alone. It checks nothing: where the method would refuse a score, the function answers. A
    missing score (NaN, NULL) gets a missing probability, in every language.

    Examples
    --------
    >>> from calibration_lessons import PlattScaling
    >>> platt = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> scope = {}
    >>> exec(export(platt, "numpy"), scope)
    >>> scope["calibrate"]([0.0, 3.0])[:, 1].round(3).tolist()
    [0.5, 0.883]
    """
    _input.one_of(target, [*languages(), "sql"], "target")
    _input.one_of(dtype, ["float32", "float64"], "dtype")
    opset = _input.positive_whole(opset, "opset", OLDEST_OPSET)
    ir_version = _input.positive_whole(ir_version, "ir_version", OLDEST_IR)
    plan = _plan(calibrator)
    if target == "onnx":
        return _onnx(plan, dtype, opset, ir_version)
    return _sql(plan) if target == "sql" else _source(plan, languages()[target])


def _plan(calibrator: Calibrator) -> Plan:
    if isinstance(calibrator, CalibratedModel):
        expected = "a calibrator; this model holds a classifier, too: pass its calibrator_"
        if calibrator.ensemble:
            expected = "one calibrator; of this ensemble pass that of each pair in pairs_, and take the mean"
        raise _input.BadType("calibrator", "is a CalibratedModel", expected)
    if not isinstance(calibrator, Calibrator):
        kind = type(calibrator).__name__
        raise _input.BadType("calibrator", f"is of type {kind}", "a calibrator of this package")
    check_is_fitted(calibrator, "classes_")
    title = f"{type(calibrator).__name__} of {len(calibrator.classes_)} classes"
    columns = calibrator.n_features_in_
    if isinstance(calibrator, TemperedSoftmax) and columns > 1:
        return Plan(title, columns, Temperature(float(calibrator.temperature_)))
    if isinstance(calibrator, MatrixScaling) and columns > 1:
        scales, intercepts = np.diag(calibrator.coef_), calibrator.intercept_.tolist()
        if np.count_nonzero(calibrator.coef_) == np.count_nonzero(scales):
            return Plan(title, columns, Diagonal(scales.tolist(), intercepts))
        return Plan(title, columns, Mixture(calibrator.coef_.tolist(), intercepts))
    if isinstance(calibrator, MultiClassIsotonic):
        curve = Lines(calibrator.thresholds_.tolist(), calibrator.values_.tolist())
        return Plan(title, columns, [curve] * columns)
    each = calibrator.calibrators_ if isinstance(calibrator, OneVsRest) else [calibrator]
    return Plan(title, columns, [_map(one) for one in each])


def _map(calibrator: Calibrator) -> Map:
    """Describe the map of one score."""
    match calibrator:
        case TemperedSoftmax():  # of the logits 0 and z
            return Curve(float(1 / calibrator.temperature_), 0.0)
        case MatrixScaling():  # the logits 0 and z are -z / 2 and z / 2 from their mean
            (same, other), (crossed, own) = calibrator.coef_
            low, high = calibrator.intercept_
            return Curve(float(own - crossed - other + same) / 2, float(high - low))
        case PlattScaling():
            return Curve(float(calibrator.slope_), float(calibrator.intercept_))
        case BetaCalibration():
            return Powers(float(calibrator.a_), float(calibrator.b_), float(calibrator.c_))
        case VennAbersCalibration():
            low, high = calibrator.lower_, calibrator.upper_
            at, between = high[:-1] / (1 - low[1:] + high[:-1]), high / (1 - low + high)
            return Jumps(calibrator.thresholds_.tolist(), at.tolist(), between.tolist())
        case IsotonicCalibration() if len(calibrator.values_) > 1:
            return Lines(calibrator.thresholds_.tolist(), calibrator.values_.tolist())
        case IsotonicCalibration():
            return Steps([], calibrator.values_.tolist())
        case HistogramBinning():
            values = calibrator.values_.tolist()
            if calibrator.strategy == "uniform":
                return EvenSteps([m / len(values) for m in range(1, len(values))], values)
            return Steps(calibrator.edges_[1:-1].tolist(), values)
    raise _input.BadType("calibrator", f"is a {type(calibrator).__name__}", "one that can be exported")


def _about(plan: Plan, needs: str) -> str:
    return f"{plan.title}, as calibration_lessons {__version__} wrote it; needs {needs}, checks no input."


def _source(plan: Plan, language: dict[str, Any]) -> str:
    """Put the numbers of a plan into what a language says."""
    if not isinstance(plan.does, list):
        said = language["logits"][type(plan.does).__name__]
        body = Template(said).substitute(vars(plan.does), columns=plan.columns)
    else:
        body = "".join(_column(one, k, language) for k, one in enumerate(plan.does))
        last = language["one" if len(plan.does) == 1 else "several"]
        body += Template(last).substitute(every=_every(plan), columns=plan.columns)
    helpers = ""
    for name, text in reversed(language["helpers"].items()):
        helpers = text + helpers if f"{name}(" in helpers + body else helpers
    about = _about(plan, language["needs"])
    frame = Template(language["frame"])
    return frame.substitute(about=about, columns=plan.columns, helpers=helpers, body=body)


def _column(one: Map, k: int, language: dict[str, Any]) -> str:
    ends = {"low": EPSILON, "high": 1 - EPSILON}
    mapped = Template(language["maps"][type(one).__name__]).substitute(vars(one), **ends, x=f"x{k}")
    return Template(language["column"]).substitute(k=k, map=mapped)


def _every(plan: Plan) -> str:
    """Name the probabilities of all columns."""
    return ", ".join(f"p{k}" for k in range(plan.columns))


def _sql(plan: Plan) -> str:
    if plan.columns > 1:
        found = f"reads {plan.columns} columns"
        raise _input.BadValue("calibrator", found, "one score a row: an SQL expression is of one column")
    comment = f"/* {_about(plan, 'a column named score')} */\n"
    assert isinstance(plan.does, list)  # one column is mapped
    match plan.does[0]:
        case Curve(slope, intercept):
            return comment + _sql_sigma(f"({_literal(slope)} * score + {_literal(intercept)})")
        case Powers(a, b, c):
            low, high = _literal(EPSILON), _literal(1 - EPSILON)
            p = f"(CASE WHEN score < {low} THEN {low} WHEN score > {high} THEN {high} ELSE score END)"
            return comment + _sql_sigma(
                f"({_literal(a)} * LN({p}) - {_literal(b)} * LN(1.0 - {p}) + {_literal(c)})"
            )
        case Steps(edges, values):
            ends = zip(edges, values[:-1], strict=True)
            cases = [f"WHEN score <= {_literal(edge)} THEN {_literal(value)}" for edge, value in ends]
        case Jumps(points, at, values):
            cases = [
                f"WHEN score {sign} {_literal(point)} THEN {_literal(value)}"
                for point, *both in zip(points, values[:-1], at, strict=True)
                for sign, value in zip("<=", both, strict=True)
            ]
        case Lines(points, values):
            cases = [f"WHEN score <= {_literal(points[0])} THEN {_literal(values[0])}"]
            for i in range(1, len(points)):
                start, rise = _literal(values[i - 1]), _literal(values[i] - values[i - 1])
                share = f"(score - {_literal(points[i - 1])}) / {_literal(points[i] - points[i - 1])}"
                cases.append(f"WHEN score <= {_literal(points[i])} THEN {start} + {rise} * ({share})")
    cases = ["WHEN score IS NULL THEN NULL", *cases, f"ELSE {_literal(values[-1])}"]
    return comment + "\n".join(["CASE", *(f"  {case}" for case in cases), "END"])


def _sql_sigma(z: str) -> str:
    tails = f"WHEN {z} < -700 THEN 0.0 WHEN {z} > 700 THEN 1.0"  # where other dialects fail
    return f"CASE {tails} ELSE 1.0 / (1.0 + EXP(-{z})) END"


def _literal(value: float) -> str:
    """Nineteen digits: from the shortest ones SQLite reads a neighbour of one number in 20 000."""
    text = f"{value:.19g}"
    return text if "." in text or "e" in text else f"{text}.0"


def _onnx(plan: Plan, dtype: Dtype, opset: int, ir_version: int) -> bytes:
    try:
        from onnx import parser
    except ImportError as error:
        raise ImportError("export to 'onnx' needs the package onnx: pip install onnx") from error
    return bytes(parser.parse_model(_onnx_text(plan, dtype, opset, ir_version)).SerializeToString())


def _onnx_text(plan: Plan, dtype: Dtype, opset: int = OLDEST_OPSET, ir_version: int = OLDEST_IR) -> str:
    """Write the model in the text form of ONNX."""
    kind = {"float32": "float", "float64": "double"}[dtype]
    text = "x = Cast<to = 11>(scores)\n"
    if not isinstance(plan.does, list):
        numbers = {name: np.transpose(value).tolist() for name, value in vars(plan.does).items()}
        text += _filled(languages()["onnx"]["does"][type(plan.does).__name__], numbers)
    else:
        for k, one in enumerate(plan.does):
            text += f"x{k} = Gather<axis = 1>(x, i[{k}])\n"
            text += _filled(languages()["onnx"]["does"][type(one).__name__], _onnx_numbers(one, dtype), k=k)
        several = _filled(languages()["onnx"]["several"], {}, every=_every(plan), uniform=1 / plan.columns)
        text += several if len(plan.does) > 1 else "probabilities = Concat<axis = 1>(Sub([1.0], p0), p0)\n"
    lines = _statements(text)
    inner = "|".join(line.split(" = ")[0] for line in lines[:-1])  # a network has others
    lines = [re.sub(rf"\b({inner})\b", r"calibrate_\1", line) for line in lines]
    columns = f"{kind}[n, {plan.columns}] scores) => (double[n, {max(2, plan.columns)}] probabilities"
    head = f'<ir_version: {ir_version}, opset_import: ["" : {opset}], producer_name: "calibration_lessons">'
    return "\n".join([head, f"calibrate ({columns}) {{", *lines, "}"])


def _filled(template: str, numbers: dict[str, Any], **texts: Any) -> str:
    """Put numbers into an ONNX template, where one number is a vector of one."""
    vectors = {name: value if isinstance(value, list) else [value] for name, value in numbers.items()}
    return Template(template).substitute(vectors, **texts)


def _onnx_numbers(one: Map, dtype: Dtype) -> dict[str, Any]:
    """Return the numbers of a map, arranged for ONNX, which looks each of them up by a count of ends."""
    match one:
        case Curve() | Powers():
            return {"low": EPSILON, "high": 1 - EPSILON, **vars(one)}
        case Steps(edges, values):
            rounded = np.array(edges, dtype=dtype if isinstance(one, EvenSteps) else float)
            return {"ends": [-np.inf, *rounded.astype(float).tolist()], "values": values}
        case Jumps(points, at, between):  # above all points no point is equal, whatever is looked up
            repeated = {"points": [*points, points[-1]], "at": [*at, at[-1]]}
            return {"ends": [-np.inf, *points], **repeated, "between": between}
        case Lines(points, values):
            rises = {"widths": np.diff(points).tolist(), "rises": np.diff(values).tolist()}
            return {"ends": [-np.inf, *points[1:-1]], "points": points[:-1], "values": values[:-1], **rises}


def _statements(text: str) -> list[str]:
    """Lay out nested calls, one statement a line, as ONNX has them; what occurs twice is computed once."""
    lines: list[str] = []
    names: dict[str, str] = {}

    def named(expression: str, statement: str) -> str:
        if expression not in names:
            names[expression] = f"v{len(names)}"
            lines.append(f"{names[expression]} = {statement}")
        return names[expression]

    def constant(found: re.Match[str]) -> str:
        numbers, rows = found[2].replace("[", "").replace("]", ""), found[2].count("[") - 1
        size = numbers.count(",") + 1
        shape = f"{rows}, {size // rows}" if rows else f"{size}"
        kind = "int64" if found[1] else "double"
        return named(found[0], f"Constant <value = {kind}[{shape}] {{{numbers}}}> ()")

    def call(found: re.Match[str]) -> str:
        return named(found[0], _spaced(found))

    for line in text.splitlines():
        name, expression = line.split(" = ", 1)
        expression = CONSTANT.sub(constant, expression)
        while not CALL.fullmatch(expression):
            expression = CALL.sub(call, expression)
        lines.append(f"{name} = {CALL.sub(_spaced, expression)}")
    return lines


CONSTANT = re.compile(r"(i?)(\[\[.*?\]\]|\[.*?\])")
CALL = re.compile(r"(\w+)(<[^>]*>)?\(([^()]*)\)")  # one that holds no other


def _spaced(call: re.Match[str]) -> str:
    options = f"{call[2]} " if call[2] else ""
    return f"{call[1]} {options}({call[3]})"
