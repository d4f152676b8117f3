"""A fitted calibrator as a function in another language, which needs nothing of this package.

Every calibrator here is one of two things: the softmax of its logits, which a temperature divides or a matrix
mixes, or a map of one score, a logistic curve or a table, for the positive class or for each class. So a
language has to say five things: the softmax, the mixture, the curve, the table, and the division by the sum.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from string import Template
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from .. import _input
from .._parameters import describe
from .._typing import Floats
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
    return tomllib.loads(resources.files(__package__).joinpath("languages.toml").read_text(encoding="utf-8"))


class Form(NamedTuple):
    """What is done to logits or to a score, by a name that `languages.toml` explains, with its numbers."""

    kind: str
    numbers: dict[str, Any]


class Plan(NamedTuple):
    """What a function has to do: take the softmax of divided or mixed logits, or map each column."""

    title: str
    reads: str
    columns: int
    does: Form | list[Form]


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


@describe
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
          (n,), (n, 1) or (n, K) and returns the probabilities, shape (n, K), in float64. For PyTorch it is a
          module with its numbers as buffers, which ``calibrate.to("cuda")`` moves once and for all.
        - "onnx": a model, as bytes, with the input ``scores``, shape (n, K) or (n, 1), and the output
          ``probabilities``, shape (n, K). It answers, and computes, in float64; a runtime without
          that has `fold`. Needs the package onnx.
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

    {refused}
        Also for a calibrator that is not fitted, and "sql" with several columns.
    ImportError
        For "onnx" without that package.

    Notes
    -----
    What is written agrees with `predict_proba` to 1e-12 on whatever that method accepts; SQL and JavaScript
    read float64 alone. It fails with another number of columns, and checks nothing else: where the method
    would refuse a score, the function answers. A missing score (NaN, NULL) gets a missing probability.

    Examples
    --------
    >>> from calibration_lessons import PlattScaling
    >>> platt = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> scope = {}
    >>> exec(export(platt, "numpy"), scope)
    >>> scope["calibrate"]([0.0, 3.0])[:, 1].round(3).tolist()
    [0.5, 0.883]
    """
    _input.one_of(target, [*languages()], "target")
    _input.one_of(dtype, ["float32", "float64"], "dtype")
    opset = _input.positive_whole(opset, "opset", OLDEST_OPSET)
    ir_version = _input.positive_whole(ir_version, "ir_version", OLDEST_IR)
    plan = _plan(calibrator)
    if target == "onnx":
        return _onnx(plan, dtype, opset, ir_version)
    return _sql(plan) if target == "sql" else _source(plan, languages()[target])


@describe
def fold(calibrator: Calibrator, weight: npt.ArrayLike, bias: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Put a calibrator that is linear in the logits into the layer that makes these: nothing is added.

    Parameters
    ----------
    calibrator : fitted calibrator of this package
        A temperature or `MatrixScaling`; `PlattScaling` for a layer of one logit.
    weight : array_like, shape (K, n_features), or (1, n_features) for a binary logit
        As PyTorch's ``Linear`` and scikit-learn's ``coef_`` hold it: logits are ``x @ weight.T + bias``.
    bias : array_like, shape (K,) or (1,)

    Returns
    -------
    weight, bias : ndarray of float64, of the same shapes
        Those of the layer whose softmax (of one logit the sigmoid) is the calibrated probability.

    {refused}

    Examples
    --------
    >>> from calibration_lessons import TemperatureScaling
    >>> scaling = TemperatureScaling().fit([[2.0, 0.0], [3.0, 0.0], [4.0, 1.0], [0.0, 2.0]], [0, 0, 1, 1])
    >>> weight, bias = fold(scaling, [[1.0, 2.0], [0.0, 1.0]], [0.5, 0.0])
    >>> weight[0] * scaling.temperature_
    array([1., 2.])
    """
    plan = _plan(calibrator)
    weight, bias = _input.finite(weight, "weight", (2,)), _input.finite(bias, "bias", (1,))
    for values, name in ((weight, "weight"), (bias, "bias")):
        if len(values) != plan.columns:
            raise _input.BadValue(name, f"has {len(values)} rows", f"one a logit, {plan.columns}")
    match plan.does:
        case Form("Temperature", {"temperature": temperature}):
            return weight / temperature, bias / temperature
        case [Form("Curve", {"slope": slope, "intercept": intercept})]:
            return slope * weight, slope * bias + intercept
        case Form("Mixture", {"matrix": matrix, "intercepts": intercepts}):
            mixed = np.array(matrix)
        case Form("Diagonal", {"scales": scales, "intercepts": intercepts}):
            mixed = np.diag(scales)
        case _:
            expected = "one that is linear in the logits: a temperature, a matrix, Platt scaling of one logit"
            raise _input.BadType("calibrator", f"is a {type(calibrator).__name__}", expected)
    return mixed @ (weight - weight.mean(axis=0)), mixed @ (bias - bias.mean()) + intercepts


def _plan(calibrator: Calibrator) -> Plan:
    if isinstance(calibrator, CalibratedModel):
        expected = "a calibrator; this model holds a classifier, too: pass its calibrator_"
        if calibrator.ensemble:
            expected = "one calibrator; of this ensemble pass that of each pair in pairs_, and take the mean"
            expected += " (of Venn-Abers maps the geometric means that its notes name)"
        raise _input.BadType("calibrator", "is a CalibratedModel", expected)
    if not isinstance(calibrator, Calibrator):
        kind = type(calibrator).__name__
        raise _input.BadType("calibrator", f"is of type {kind}", "a calibrator of this package")
    check_is_fitted(calibrator, "classes_")
    title = f"{type(calibrator).__name__} of {len(calibrator.classes_)} classes"
    columns, reads = calibrator.n_features_in_, calibrator.reads
    if columns > 1 and isinstance(calibrator, TemperedSoftmax | MatrixScaling):
        return Plan(title, reads, columns, _of_logits(calibrator))
    if isinstance(calibrator, MultiClassIsotonic):
        lines = _of("Lines", points=calibrator.thresholds_, values=calibrator.values_)
        return Plan(title, reads, columns, [lines] * columns)
    each = calibrator.calibrators_ if isinstance(calibrator, OneVsRest) else [calibrator]
    return Plan(title, reads, columns, [_of_score(one) for one in each])


def _of(kind: str, **numbers: Any) -> Form:
    return Form(kind, {name: np.asarray(value, dtype=float).tolist() for name, value in numbers.items()})


def _of_logits(calibrator: TemperedSoftmax | MatrixScaling) -> Form:
    if isinstance(calibrator, TemperedSoftmax):
        return _of("Temperature", temperature=calibrator.temperature_)
    matrix, scales = calibrator.coef_, np.diag(calibrator.coef_)
    if np.count_nonzero(matrix) == np.count_nonzero(scales):
        return _of("Diagonal", scales=scales, intercepts=calibrator.intercept_)
    return _of("Mixture", matrix=matrix, intercepts=calibrator.intercept_)


def _of_score(calibrator: Calibrator) -> Form:
    match calibrator:
        case TemperedSoftmax():  # of the logits 0 and z
            return _of("Curve", slope=1 / calibrator.temperature_, intercept=0)
        case MatrixScaling():  # the logits 0 and z are -z / 2 and z / 2 from their mean
            (same, other), (crossed, own) = calibrator.coef_
            low, high = calibrator.intercept_
            return _of("Curve", slope=(own - crossed - other + same) / 2, intercept=high - low)
        case PlattScaling():
            return _of("Curve", slope=calibrator.slope_, intercept=calibrator.intercept_)
        case BetaCalibration():
            ends = {"low": EPSILON, "high": 1 - EPSILON}
            return _of("Powers", a=calibrator.a_, b=calibrator.b_, c=calibrator.c_, **ends)
        case VennAbersCalibration():
            low, high = calibrator.lower_, calibrator.upper_
            at, between = high[:-1] / (1 - low[1:] + high[:-1]), high / (1 - low + high)
            return _of("Jumps", points=calibrator.thresholds_, at=at, between=between)
        case IsotonicCalibration() if len(calibrator.values_) > 1:
            return _of("Lines", points=calibrator.thresholds_, values=calibrator.values_)
        case IsotonicCalibration():
            return _of("Steps", edges=[], values=calibrator.values_)
        case HistogramBinning(strategy="uniform", values_=values):
            return _of("EvenSteps", edges=[m / len(values) for m in range(1, len(values))], values=values)
        case HistogramBinning():
            return _of("Steps", edges=calibrator.edges_[1:-1], values=calibrator.values_)
    raise _input.BadType("calibrator", f"is a {type(calibrator).__name__}", "one that can be exported")


def _about(plan: Plan, needs: str) -> str:
    wrote = f"as calibration_lessons {__version__} wrote it"
    return f"{plan.title}, {wrote}; reads {plan.reads}, needs {needs}, checks no score."


def _source(plan: Plan, language: dict[str, Any]) -> str:
    """Put the numbers of a plan into what a language says: lists as constants, which are made once."""
    constants: list[str] = []

    def said(templates: dict[str, str], form: Form, k: int = 0) -> str:
        known: dict[str, Any] = {"x": f"x{k}"}
        for name, value in form.numbers.items():
            known[name] = value
            if isinstance(value, list):
                constants.append(Template(language["constant"]).substitute(name=f"{name}{k}", values=value))
                known[name] = Template(language["called"]).substitute(name=f"{name}{k}")
        return Template(templates[form.kind]).substitute(known, columns=plan.columns)

    if isinstance(plan.does, Form):
        body = said(language["logits"], plan.does)
    else:
        column, last = Template(language["column"]), language["one" if len(plan.does) == 1 else "several"]
        maps = enumerate(said(language["maps"], one, k) for k, one in enumerate(plan.does))
        body = "".join(column.substitute(k=k, map=each) for k, each in maps)
        body += Template(last).substitute(every=_every(plan), columns=plan.columns)
    helpers = ""
    for name, text in reversed(language["helpers"].items()):
        helpers = text + helpers if f"{name}(" in helpers + body else helpers
    known = {"about": _about(plan, language["needs"]), "constants": "".join(constants)}
    return Template(language["frame"]).substitute(known, columns=plan.columns, helpers=helpers, body=body)


def _every(plan: Plan) -> str:
    """Name the probabilities of all columns."""
    return ", ".join(f"p{k}" for k in range(plan.columns))


def _sql(plan: Plan) -> str:
    if plan.columns > 1:
        found = f"reads {plan.columns} columns"
        raise _input.BadValue("calibrator", found, "one score a row: an SQL expression is of one column")
    assert isinstance(plan.does, list)  # one column is mapped
    kind, numbers, said = plan.does[0].kind.removeprefix("Even"), plan.does[0].numbers, languages()["sql"]
    comment = f"/* {_about(plan, 'a column named score')} */\n"
    if kind in said["odds"]:
        log_odds = Template(said["odds"][kind]).substitute(
            {name: _literal(numbers[name]) for name in numbers}
        )
        return comment + Template(said["sigma"]).substitute(z=log_odds)
    cases, table, last = [], numbers, numbers["between" if kind == "Jumps" else "values"][-1]
    if kind == "Lines":
        points, values = np.array(numbers["points"]), np.array(numbers["values"])
        cases = [
            Template(said["rows"]["Steps"]).substitute(edges=_literal(points[0]), values=_literal(values[0]))
        ]
        rises = {"widths": np.diff(points), "rises": np.diff(values)}
        table = {"ends": points[1:], "points": points[:-1], "values": values[:-1], **rises}
    for row in zip(*table.values(), strict=False):  # the last value is that of scores above all
        known = dict(zip(table, map(_literal, row), strict=True))
        cases.append(Template(said["rows"][kind]).substitute(known))
    return comment + Template(said["cases"]).substitute(cases="".join(cases), last=_literal(last))


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
    kind, said = {"float32": "float", "float64": "double"}[dtype], languages()["onnx"]
    text = said["start"]
    if isinstance(plan.does, Form):
        text += _onnx_step(plan.does, dtype, 0) + said["softmax"]
    else:
        for k, one in enumerate(plan.does):
            text += Template(said["column"]).substitute(k=k) + _onnx_step(one, dtype, k)
        last = said["several" if len(plan.does) > 1 else "one"]
        text += Template(last).substitute(every=_every(plan), uniform=_tensor(1 / plan.columns))
    inner = "|".join(set(re.findall(r"(?m)^(\w+) = ", text)) - {"probabilities"})
    text = re.sub(rf"\b({inner})\b", r"calibrate_\1", text)  # a network has other names
    columns = f"{kind}[n, {plan.columns}] scores) => (double[n, {max(2, plan.columns)}] probabilities"
    head = f'<ir_version: {ir_version}, opset_import: ["" : {opset}], producer_name: "calibration_lessons">'
    return f"{head}\ncalibrate ({columns}) {{\n{text}}}"


def _onnx_step(form: Form, dtype: Dtype, k: int) -> str:
    numbers = {name: _tensor(value) for name, value in _onnx_numbers(form, dtype).items()}
    said = languages()["onnx"]
    lines = Template(said["does"][form.kind.removeprefix("Even")]).safe_substitute(said["parts"])
    return Template(lines).substitute(numbers, k=k)


def _tensor(value: Any) -> str:
    """Write numbers as ONNX does, a single one as a vector."""
    array = np.atleast_1d(np.asarray(value, dtype=float))
    return f"double{list(array.shape)} {{{', '.join(map(repr, array.ravel().tolist()))}}}"


def _onnx_numbers(form: Form, dtype: Dtype) -> dict[str, Any]:
    """Return the numbers of a form, arranged for ONNX, which looks each of them up by a count of ends."""
    match form.numbers:
        case {"matrix": matrix, **others}:
            return {"matrix": np.transpose(matrix), **others}
        case {"edges": edges, "values": values}:
            rounded = np.array(edges, dtype=dtype if form.kind == "EvenSteps" else float)
            return {"ends": [-np.inf, *rounded.astype(float)], "values": values}
        case {"points": points, "at": at, "between": between}:
            # above all points no point is equal, whatever is looked up
            repeated = {"points": [*points, points[-1]], "at": [*at, at[-1]]}
            return {"ends": [-np.inf, *points], **repeated, "between": between}
        case {"points": points, "values": values}:
            rises = {"widths": np.diff(points), "rises": np.diff(values)}
            return {"ends": [-np.inf, *points[1:-1]], "points": points[:-1], "values": values[:-1], **rises}
    return form.numbers
