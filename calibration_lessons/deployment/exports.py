"""A fitted calibrator as a function in another language, which needs nothing of this package.

Every calibrator here is one of two things: the softmax of its logits, which a temperature divides or a matrix
mixes, or a map of one score, a logistic curve or a table, for the positive class or for each class. So a
language has to say five things: the softmax, the mixture, the curve, the table, and the division by the sum.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, overload

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
    """The value whose number is the count of edges below x; uniform edges are rounded to the type of x."""

    edges: list[float]
    values: list[float]
    uniform: bool


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
class Mixture:
    """W z + b, for logits z that are counted from the mean of their row."""

    matrix: list[list[float]]
    intercepts: list[float]


@dataclass(frozen=True)
class Plan:
    """What a function has to do: take the softmax of mixed or divided logits, or map each column."""

    title: str
    columns: int
    logits: float | Mixture
    maps: list[Map]

    @property
    def curved(self) -> bool:
        """Whether a logistic curve occurs: e^z / (1 + e^z) where z < 0, so that no tail is lost."""
        return any(isinstance(one, Curve | Powers) for one in self.maps)

    @property
    def jumps(self) -> bool:
        """Whether points with a value of their own occur."""
        return any(isinstance(one, Jumps) for one in self.maps)

    @property
    def rounds(self) -> bool:
        """Whether edges are rounded to the type of the scores."""
        return any(isinstance(one, Steps) and one.uniform for one in self.maps)


@overload
def export(calibrator: Calibrator, target: Literal["onnx"], *, dtype: Dtype = ...) -> bytes: ...
@overload
def export(calibrator: Calibrator, target: Source) -> str: ...


def export(
    calibrator: Calibrator,
    target: Literal["numpy", "torch", "onnx", "sql", "javascript"],
    *,
    dtype: Dtype = "float32",
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

    Returns
    -------
    str, or bytes for "onnx"

    Raises
    ------
    ValueError, TypeError
        For an unknown target, a calibrator that is not fitted, and "sql" with several columns.
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
    _input.one_of(target, [*WRITERS, "onnx"], "target")
    _input.one_of(dtype, ["float32", "float64"], "dtype")
    plan = _plan(calibrator)
    return _onnx(plan, dtype) if target == "onnx" else WRITERS[target](plan)


def _plan(calibrator: Calibrator) -> Plan:
    if isinstance(calibrator, CalibratedModel):
        expected = "a calibrator; this model holds a classifier, too: pass its calibrator_"
        raise _input.BadType("calibrator", "is a CalibratedModel", expected)
    if not isinstance(calibrator, Calibrator):
        kind = type(calibrator).__name__
        raise _input.BadType("calibrator", f"is of type {kind}", "a calibrator of this package")
    check_is_fitted(calibrator, "classes_")
    title = f"{type(calibrator).__name__} of {len(calibrator.classes_)} classes"
    columns = calibrator.n_features_in_
    if isinstance(calibrator, TemperedSoftmax) and columns > 1:
        return Plan(title, columns, float(calibrator.temperature_), [])
    if isinstance(calibrator, MatrixScaling) and columns > 1:
        mixture = Mixture(calibrator.coef_.tolist(), calibrator.intercept_.tolist())
        return Plan(title, columns, mixture, [])
    if isinstance(calibrator, MultiClassIsotonic):
        curve = Lines(calibrator.thresholds_.tolist(), calibrator.values_.tolist())
        return Plan(title, columns, 1.0, [curve] * columns)
    each = calibrator.calibrators_ if isinstance(calibrator, OneVsRest) else [calibrator]
    return Plan(title, columns, 1.0, [_map(one) for one in each])


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
            return Steps([], calibrator.values_.tolist(), uniform=False)
        case HistogramBinning():
            n_bins, uniform = len(calibrator.values_), calibrator.strategy == "uniform"
            edges = [m / n_bins for m in range(1, n_bins)] if uniform else calibrator.edges_[1:-1].tolist()
            return Steps(edges, calibrator.values_.tolist(), uniform)
    raise _input.BadType("calibrator", f"is a {type(calibrator).__name__}", "one that can be exported")


def _about(plan: Plan, needs: str) -> str:
    return f"{plan.title}, as calibration_lessons {__version__} wrote it; needs {needs}, checks no input."


def _numpy(plan: Plan) -> str:
    def mapped(one: Map, x: str) -> str:
        match one:
            case Curve(slope, intercept):
                return f"sigma({slope!r} * {x} + {intercept!r})"
            case Powers(a, b, c):
                p = f"np.clip({x}, {EPSILON!r}, {1 - EPSILON!r})"
                return f"sigma({a!r} * np.log({p}) - {b!r} * np.log1p(-{p}) + {c!r})"
            case Lines(points, values):
                return f"np.interp({x}, {points}, {values})"
            case Steps(edges, values, uniform):
                rounded = ".astype(kind)" if uniform else ""
                return f"np.array({values})[np.searchsorted(np.array({edges}){rounded}, {x})] + 0 * {x}"
            case Jumps(points, at, between):
                return f"jumps({x}, np.array({points}), np.array({at}), np.array({between}))"

    lines = [
        f'"""{_about(plan, "NumPy")}"""',
        "",
        "import numpy as np",
        "",
        "",
        *(
            ["def sigma(z):", "    return np.exp(np.minimum(z, 0)) / (1 + np.exp(-abs(z)))", "", ""]
            if plan.curved
            else []
        ),
        *(
            [
                "def jumps(x, points, at, between):",
                "    i = np.searchsorted(points, x)",
                "    j = np.minimum(i, len(points) - 1)",
                "    return np.where(points[j] == x, at[j], between[i]) + 0 * x",
                "",
                "",
            ]
            if plan.jumps
            else []
        ),
        "def calibrate(scores):",
        "    scores = np.asarray(scores)",
        f"    x = scores.astype(float).reshape(-1, {plan.columns})",
    ]
    if plan.rounds:
        lines += ["    kind = scores.dtype if scores.dtype.kind == 'f' else float"]
    lines += ["    with np.errstate(over='ignore', invalid='ignore'):"]
    if not plan.maps:
        match plan.logits:
            case Mixture(matrix, intercepts):
                lines += [
                    "        x = x - x.mean(axis=1, keepdims=True)",
                    f"        z = x @ np.array({matrix}).T + np.array({intercepts})",
                    "        p = np.exp(z - z.max(axis=1, keepdims=True))",
                ]
            case temperature:
                lines += [f"        p = np.exp((x - x.max(axis=1, keepdims=True)) / {temperature!r})"]
        lines += ["        return p / p.sum(axis=1, keepdims=True)"]
        return "\n".join(lines) + "\n"
    lines += [f"        p{k} = {mapped(one, f'x[:, {k}]')}" for k, one in enumerate(plan.maps)]
    if len(plan.maps) == 1:
        lines += ["        return np.stack([1 - p0, p0], axis=1)"]
    else:
        lines += [
            f"        p = np.stack([{_numbered('p', plan)}], axis=1)",
            "        total = p.sum(axis=1, keepdims=True)",
            f"        return np.where(total == 0, 1 / {plan.columns}, p / np.where(total == 0, 1, total))",
        ]
    return "\n".join(lines) + "\n"


def _torch(plan: Plan) -> str:
    def mapped(one: Map, x: str) -> str:
        match one:
            case Curve(slope, intercept):
                return f"sigma({slope!r} * {x} + {intercept!r})"
            case Powers(a, b, c):
                p = f"{x}.clamp({EPSILON!r}, {1 - EPSILON!r})"
                return f"sigma({a!r} * torch.log({p}) - {b!r} * torch.log1p(-{p}) + {c!r})"
            case Lines(points, values):
                return f"lines({x}, double({points}), double({values}))"
            case Steps(edges, values, uniform):
                rounded = ".to(kind).double()" if uniform else ""
                return f"double({values})[torch.bucketize({x}, double({edges}){rounded})] + 0 * {x}"
            case Jumps(points, at, between):
                return f"jumps({x}, double({points}), double({at}), double({between}))"

    lines = [
        f'"""{_about(plan, "PyTorch, on a device that has float64")}"""',
        "",
        "import torch",
        "",
        "",
        *(
            ["def sigma(z):", "    return torch.exp(z.clamp(max=0)) / (1 + torch.exp(-abs(z)))", "", ""]
            if plan.curved
            else []
        ),
        "def calibrate(scores):",
        f"    x = scores.double().reshape(-1, {plan.columns})",
    ]
    if plan.rounds:
        lines += ["    kind = scores.dtype if scores.is_floating_point() else torch.float64"]
    if not plan.maps:
        match plan.logits:
            case Mixture(matrix, intercepts):
                lines += [
                    f"    matrix = torch.tensor({matrix}, dtype=torch.float64, device=x.device)",
                    f"    intercepts = torch.tensor({intercepts}, dtype=torch.float64, device=x.device)",
                    f"    z = (x - x.sum(dim=1, keepdim=True) / {plan.columns}) @ matrix.T + intercepts",
                ]
            case temperature:
                lines += [f"    z = (x - x.amax(dim=1, keepdim=True)) / {temperature!r}"]
        return "\n".join([*lines, "    return torch.softmax(z, dim=1)"]) + "\n"
    lines += [
        "",
        "    def double(values):",
        "        return torch.tensor(values, dtype=torch.float64, device=x.device)",
        "",
    ]
    if any(isinstance(one, Lines) for one in plan.maps):
        lines += [
            "    def lines(x, points, values):",
            "        i = torch.bucketize(x, points).clamp(1, len(points) - 1)",
            "        share = ((x - points[i - 1]) / (points[i] - points[i - 1])).clamp(0, 1)",
            "        return values[i - 1] + (values[i] - values[i - 1]) * share",
            "",
        ]
    if plan.jumps:
        lines += [
            "    def jumps(x, points, at, between):",
            "        i = torch.bucketize(x, points)",
            "        j = i.clamp(max=len(points) - 1)",
            "        return torch.where(points[j] == x, at[j], between[i]) + 0 * x",
            "",
        ]
    lines += ["    x = x.T.contiguous()"]
    lines += [f"    p{k} = {mapped(one, f'x[{k}]')}" for k, one in enumerate(plan.maps)]
    if len(plan.maps) == 1:
        lines += ["    return torch.stack([1 - p0, p0], dim=1)"]
    else:
        lines += [
            f"    p = torch.stack([{_numbered('p', plan)}], dim=1)",
            "    total = p.sum(dim=1, keepdim=True)",
            f"    return torch.where(total == 0, 1 / {plan.columns}, p / total)",
        ]
    return "\n".join(lines) + "\n"


def _javascript(plan: Plan) -> str:
    def mapped(one: Map, x: str) -> str:
        match one:
            case Curve(slope, intercept):
                return f"sigma({slope!r} * {x} + {intercept!r})"
            case Powers(a, b, c):
                p = f"Math.min(Math.max({x}, {EPSILON!r}), {1 - EPSILON!r})"
                return f"sigma({a!r} * Math.log({p}) - {b!r} * Math.log1p(-{p}) + {c!r})"
            case Lines(points, values):
                return f"lines({x}, {points}, {values})"
            case Steps(edges, values):
                return f"{values}[below({x}, {edges})] + 0 * {x}"
            case Jumps(points, at, between):
                return f"jumps({x}, {points}, {at}, {between}) + 0 * {x}"

    lines = [
        f"// {_about(plan, 'nothing')}",
        "function calibrate(scores) {",
        "  const x = [].concat(scores);",
    ]
    if plan.curved:
        lines += ["  const sigma = (z) => Math.exp(Math.min(z, 0)) / (1 + Math.exp(-Math.abs(z)));"]
    if not plan.maps:
        match plan.logits:
            case Mixture(matrix, intercepts):
                lines += [
                    "  const mean = x.reduce((a, b) => a + b) / x.length;",
                    "  const dot = (row) => row.reduce((sum, w, j) => sum + w * (x[j] - mean), 0);",
                    f"  const intercepts = {intercepts};",
                    f"  const z = {matrix}.map((row, k) => dot(row) + intercepts[k]);",
                    "  const highest = Math.max(...z);",
                    "  const p = z.map((each) => Math.exp(each - highest));",
                ]
            case temperature:
                lines += [
                    "  const highest = Math.max(...x);",
                    f"  const p = x.map((z) => Math.exp((z - highest) / {temperature!r}));",
                ]
        lines += [
            "  const total = p.reduce((a, b) => a + b);",
            "  return p.map((each) => each / total);",
            "}",
        ]
        return "\n".join(lines) + "\n"
    if any(isinstance(one, Steps | Jumps | Lines) for one in plan.maps):
        lines += ["  const below = (x, points) => points.filter((point) => point < x).length;"]
    if any(isinstance(one, Lines) for one in plan.maps):
        lines += [
            "  const lines = (x, points, values) => {",
            "    const i = Math.min(Math.max(below(x, points), 1), points.length - 1);",
            "    const share = (x - points[i - 1]) / (points[i] - points[i - 1]);",
            "    return values[i - 1] + (values[i] - values[i - 1]) * Math.min(Math.max(share, 0), 1);",
            "  };",
        ]
    if plan.jumps:
        lines += [
            "  const jumps = (x, points, at, between) => {",
            "    const i = below(x, points);",
            "    return points[i] === x ? at[i] : between[i];",
            "  };",
        ]
    lines += [f"  const p{k} = {mapped(one, f'x[{k}]')};" for k, one in enumerate(plan.maps)]
    if len(plan.maps) == 1:
        lines += ["  return [1 - p0, p0];", "}"]
    else:
        lines += [
            f"  const p = [{_numbered('p', plan)}];",
            "  const total = p.reduce((a, b) => a + b);",
            "  return p.map((each) => total === 0 ? 1 / p.length : each / total);",
            "}",
        ]
    return "\n".join(lines) + "\n"


def _sql(plan: Plan) -> str:
    if plan.columns > 1:
        found = f"reads {plan.columns} columns"
        raise _input.BadValue("calibrator", found, "one score a row: an SQL expression is of one column")
    comment = f"/* {_about(plan, 'a column named score')} */\n"
    match plan.maps[0]:
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


def _onnx(plan: Plan, dtype: Dtype) -> bytes:
    try:
        from onnx import parser
    except ImportError as error:
        raise ImportError("export to 'onnx' needs the package onnx: pip install onnx") from error
    return bytes(parser.parse_model(_onnx_text(plan, dtype)).SerializeToString())


def _onnx_text(plan: Plan, dtype: Dtype) -> str:
    """Write the model in the text form of ONNX."""
    kind = {"float32": "float", "float64": "double"}[dtype]
    width = max(2, plan.columns)
    lines = [
        '<ir_version: 8, opset_import: ["" : 18], producer_name: "calibration_lessons">',
        f"calibrate ({kind}[n, {plan.columns}] scores) => (double[n, {width}] probabilities) {{",
        "x = Cast <to = 11> (scores)",
        *(_onnx_maps(plan, dtype) if plan.maps else _onnx_softmax(plan)),
        "}",
    ]
    return "\n".join(lines)


def _onnx_softmax(plan: Plan) -> list[str]:
    one = _constant("one", [1], "int64")
    ending = ["e = Exp (z)", "total = ReduceSum <keepdims = 1> (e, one)", "probabilities = Div (e, total)"]
    match plan.logits:
        case Mixture(matrix, intercepts):
            weights = [w for column in zip(*matrix, strict=True) for w in column]
            return [
                one,
                _constant("weights", weights, width=len(matrix)),
                _constant("intercepts", intercepts),
                "mean = ReduceMean <keepdims = 1> (x, one)",
                "centred = Sub (x, mean)",
                "mixed = MatMul (centred, weights)",
                "scores_ = Add (mixed, intercepts)",
                "highest = ReduceMax <keepdims = 1> (scores_, one)",
                "z = Sub (scores_, highest)",
                *ending,
            ]
        case temperature:
            return [
                one,
                _constant("temperature", [temperature]),
                "highest = ReduceMax <keepdims = 1> (x, one)",
                "below = Sub (x, highest)",
                "z = Div (below, temperature)",
                *ending,
            ]


def _onnx_maps(plan: Plan, dtype: Dtype) -> list[str]:
    lines = []
    for k, one in enumerate(plan.maps):
        lines += [
            _constant(f"column{k}", [k], "int64"),
            f"x{k} = Gather <axis = 1> (x, column{k})",
            *_onnx_map(one, str(k), dtype),
        ]
    if len(plan.maps) == 1:
        lines += ["other = Sub (unit, p0)", "probabilities = Concat <axis = 1> (other, p0)"]
        return _with_constants(lines)
    lines += [
        f"p = Concat <axis = 1> ({_numbered('p', plan)})",
        "total = ReduceSum <keepdims = 1> (p, axis)",
        "nothing = Equal (total, zero)",
        _constant("uniform", [1 / plan.columns]),
        "share = Div (p, total)",
        "probabilities = Where (nothing, uniform, share)",
    ]
    return _with_constants(lines)


def _with_constants(lines: list[str]) -> list[str]:
    """Put in front what several statements share, where one of them does."""
    shared: dict[str, tuple[list[float], str]] = {
        "axis": ([1], "int64"),
        "unit": ([1.0], "double"),
        "zero": ([0.0], "double"),
    }
    used = [name for name in shared if any(re.search(rf"\b{name}\b", line) for line in lines)]
    return [*(_constant(name, *shared[name]) for name in used), *lines]


def _onnx_map(one: Map, k: str, dtype: Dtype) -> list[str]:
    """Statements that make ``p{k}`` from ``x{k}``, a column."""
    match one:
        case Curve(slope, intercept):
            return [
                _constant(f"slope{k}", [slope]),
                _constant(f"intercept{k}", [intercept]),
                f"steep{k} = Mul (slope{k}, x{k})",
                f"z{k} = Add (steep{k}, intercept{k})",
                *_onnx_sigma(k),
            ]
        case Powers(a, b, c):
            return [
                _constant(f"least{k}", [EPSILON]),
                _constant(f"most{k}", [1 - EPSILON]),
                _constant(f"a{k}", [a]),
                _constant(f"b{k}", [b]),
                _constant(f"c{k}", [c]),
                f"above{k} = Max (x{k}, least{k})",
                f"inside{k} = Min (above{k}, most{k})",
                f"rest{k} = Sub (unit, inside{k})",
                f"log{k} = Log (inside{k})",
                f"restlog{k} = Log (rest{k})",
                f"for{k} = Mul (a{k}, log{k})",
                f"against{k} = Mul (b{k}, restlog{k})",
                f"more{k} = Sub (for{k}, against{k})",
                f"z{k} = Add (more{k}, c{k})",
                *_onnx_sigma(k),
            ]
        case Steps(edges, values, uniform):
            kind = dtype if uniform else "float64"
            edges = np.array(edges, dtype=kind).astype(float).tolist()
            return [
                *_onnx_lookup(k, edges),
                _constant(f"values{k}", values),
                f"value{k} = Gather (values{k}, index{k})",
                f"missing{k} = Mul (zero, x{k})",
                f"p{k} = Add (value{k}, missing{k})",
            ]
        case Jumps(points, at, between):
            return [
                *_onnx_lookup(k, points),
                _constant(f"points{k}", [*points, points[-1]]),
                _constant(f"ats{k}", [*at, at[-1]]),
                _constant(f"values{k}", between),
                f"point{k} = Gather (points{k}, index{k})",
                f"at{k} = Gather (ats{k}, index{k})",
                f"value{k} = Gather (values{k}, index{k})",
                f"equal{k} = Equal (x{k}, point{k})",
                f"either{k} = Where (equal{k}, at{k}, value{k})",
                f"missing{k} = Mul (zero, x{k})",
                f"p{k} = Add (either{k}, missing{k})",
            ]
        case Lines(points, values):
            tables = {
                "point": points[:-1],
                "width": np.diff(points).tolist(),
                "value": values[:-1],
                "rise": np.diff(values).tolist(),
            }
            looked_up = [
                line
                for name, table in tables.items()
                for line in (_constant(f"{name}s{k}", table), f"{name}{k} = Gather ({name}s{k}, index{k})")
            ]
            return [
                *_onnx_lookup(k, points[1:-1]),
                *looked_up,
                f"above{k} = Sub (x{k}, point{k})",
                f"ratio{k} = Div (above{k}, width{k})",
                f"floor{k} = Max (ratio{k}, zero)",
                f"part{k} = Min (floor{k}, unit)",
                f"risen{k} = Mul (rise{k}, part{k})",
                f"p{k} = Add (value{k}, risen{k})",
            ]


def _onnx_sigma(k: str) -> list[str]:
    """Statements that make ``p{k}`` from the log-odds ``z{k}``."""
    return [
        f"low{k} = Min (z{k}, zero)",
        f"top{k} = Exp (low{k})",
        f"size{k} = Abs (z{k})",
        f"minus{k} = Neg (size{k})",
        f"odds{k} = Exp (minus{k})",
        f"sum{k} = Add (unit, odds{k})",
        f"p{k} = Div (top{k}, sum{k})",
    ]


def _onnx_lookup(k: str, points: list[float]) -> list[str]:
    """Statements that count the points below ``x{k}``."""
    return [
        _constant(f"ends{k}", [-np.inf, *points]),
        f"below{k} = Greater (x{k}, ends{k})",
        f"count{k} = Cast <to = 7> (below{k})",
        f"reached{k} = ReduceSum <keepdims = 1> (count{k}, axis)",
        f"index{k} = Sub (reached{k}, axis)",
    ]


def _constant(name: str, values: Sequence[float], kind: str = "double", width: int = 0) -> str:
    """Statement of a constant: a vector, or a matrix of `width` columns."""
    numbers, rows = ", ".join(map(repr, values)), len(values)
    shape = f"{rows // width}, {width}" if width else f"{rows}"
    return f"{name} = Constant <value = {kind}[{shape}] {{{numbers}}}> ()"


def _numbered(letter: str, plan: Plan) -> str:
    return ", ".join(f"{letter}{k}" for k in range(len(plan.maps)))


WRITERS: dict[str, Callable[[Plan], str]] = {
    "numpy": _numpy,
    "torch": _torch,
    "sql": _sql,
    "javascript": _javascript,
}
