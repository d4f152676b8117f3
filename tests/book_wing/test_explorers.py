"""Figures with controls hold every frame, keep their axes still, and refuse what they cannot show."""

import csv
import io
import json
import re
import sys
from base64 import b64decode

import numpy as np
import pytest

import calibration_lessons as cl
from calibration_lessons import plots
from calibration_lessons.book.explorers import Along, Bars, Choice, Curves, Diagram, Slider, explore
from calibration_lessons.plots.palette import DARK
from tests.colours import contrast
from tests.refusals import refusals, refused

Y = np.array([0, 1, 1, 1, 0, 1])
P = np.array([0.2, 0.4, 0.7, 0.9, 0.3, 0.85])
T = Slider("T", "temperature T", [0.5, 1.0, 1.5], start=1.0)
N = Slider("n", "n", [1, 2], start=1)
KIND = Choice("kind", "kind of", ["width", "its mass"], start="its mass")


def frame(T, kind):
    bent = P ** (1 / T)
    curve = cl.reliability_curve(Y, bent, n_bins=3, strategy="uniform" if kind == "width" else "quantile")
    return {
        "readout": f"T is {T}, {kind}",
        "diagram": curve,
        "ece": curve.ece(),
        "mce": curve.mce(),
        "best": 1.23456,
        "curves": {
            "train": ([0, 1], [0, T]),
            "steps": ([0, 1], [1, T]),
            "area": ([0, 1], [0.5, T]),
            "dots": ([0.25, 0.75], [T, np.nan]),
        },
        "bars": {"aleatoric": T, "epistemic": -0.5},
        "spans": {"aleatoric": (T - 0.25, T + 0.5), "epistemic": (-0.75, -0.25)},
    }


PANELS = [
    [Diagram("diagram"), Along("T", ["ece"], "ECE", marks=["best"])],
    [
        Curves("curves", "score", "x", ["dots"], ["steps"], ["area"], ["best"], height=99),
        Bars("bars", "bits", spans="spans", mark="ece"),
        Along("T", ["ece", "mce"], "both", steps=["mce"], domain=(0, 1)),
    ],
]
FIGURE = explore(frame, [T, KIND], PANELS)
STATES = [(t, kind) for t in T.values for kind in KIND.values]


def parts(node, of):
    """Every dictionary below a node of a specification that has a key."""
    if isinstance(node, dict):
        yield from ([node] if of in node else [])
        for below in node.values():
            yield from parts(below, of)
    elif isinstance(node, list):
        for below in node:
            yield from parts(below, of)


def tables(figure):
    """Tables of the figure, also those with the same columns."""
    texts = (text for text in figure.spec["datasets"].values() if isinstance(text, str))
    return [list(csv.DictReader(io.StringIO(text))) for text in texts]


def of_state(name, t, kind):
    """Rows of all tables with a column that belong to a state."""
    place = str(KIND.values.index(kind))  # a choice stands by its number
    rows = (row for table in tables(FIGURE) for row in table if name in row)
    return [row for row in rows if (float(row["T"]), row["kind"]) == (t, place)]


@pytest.mark.parametrize(("t", "kind"), STATES)
def test_each_frame_is_what_the_function_returned(t, kind):
    given = frame(t, kind)
    filled = given["diagram"].counts > 0
    rows = of_state("confidence", t, kind)
    low, high = given["diagram"].interval()
    curve = given["diagram"]
    for name, values in {
        "confidence": curve.confidence, "accuracy": curve.accuracy, "rows": curve.counts, "low": low,
        "high": high, "left": curve.edges[:-1], "right": curve.edges[1:], "share": curve.counts / len(Y),
    }.items():  # fmt: skip
        assert [float(row[name]) for row in rows] == pytest.approx(values[filled], rel=6e-4)
    (both,) = [row for row in of_state("v1", t, kind)][:1]
    assert float(both["v0"]) == pytest.approx(given["ece"], rel=6e-4)
    points = [(int(row["line"]), float(row["x"]), float(row["y"] or -1)) for row in of_state("line", t, kind)]
    curves = [zip(*pair, strict=True) for pair in given["curves"].values()]
    assert points == [(k, x, -1 if np.isnan(y) else y) for k, pairs in enumerate(curves) for x, y in pairs]
    ends = ("height", "low", "high", "end")
    bars = [(row["bar"], *(float(row[name]) for name in ends)) for row in of_state("bar", t, kind)]
    assert bars == [("aleatoric", t, t - 0.25, t + 0.5, t + 0.5), ("epistemic", -0.5, -0.75, -0.25, 0)]
    marks = [float(row["m0"]) for row in of_state("m0", t, kind)]
    assert sorted(marks) == pytest.approx(sorted([1.235, given["ece"]]), rel=6e-4)


def test_no_line_is_drawn_over_the_numbers_of_bars():
    kinds = [[part["mark"]["type"] for part in chart["layer"]] for chart in parts(FIGURE.spec, "layer")]
    assert ["bar", "rule", "rule", "text", "text"] in kinds


def test_numbers_have_four_digits_and_whole_ones_all():
    def one(n):
        return {"readout": "", "x": 123456 * n, "y": 0.000123456 * n, "z": float("nan")}

    [first, _], *_ = tables(explore(one, [N], [[Along("n", ["x", "y", "z"], "all")]]))
    assert first == {"n": "1", "v0": "123456", "v1": ".0001235", "v2": ""}


def test_a_line_that_no_control_moves_is_written_once():
    def one(n):
        return {"readout": "", "c": {"moves": ([0, 1], [n, 2]), "stays": ([0, 1], [0.5, np.nan])}}

    drawn = [rows for rows in tables(explore(one, [N], [[Curves("c", "y", "x")]])) if "line" in rows[0]]
    once, moving = sorted(drawn, key=lambda rows: len(rows[0]))
    assert [*moving[0]] == ["n", "line", "x", "y"] and {row["line"] for row in moving} == {"0"}
    assert once == [{"line": "1", "x": "0", "y": ".5"}, {"line": "1", "x": "1", "y": ""}]
    explore(lambda n: {"readout": "", "c": {"stays": ([0], [1])}}, [N], [[Curves("c", "y", "x")]])


def test_a_mark_that_some_frames_lack_is_not_read_out():
    def one(n):
        return {"readout": "", "x": n, "always": 1.5, "once": 1.5 if n == 1 else np.nan}

    spec = explore(one, [N], [[Along("n", ["x"], "x", marks=["always", "once"])]]).spec
    rules = [part["mark"] for part in parts(spec, "mark") if part["mark"]["type"] == "rule"]
    assert [rule.get("aria", True) for rule in rules] == [True, False]


def test_every_axis_has_the_ends_that_all_frames_need():
    scaled = [s for s in parts(FIGURE.spec, "scale") if s.get("type") == "quantitative"]
    ends = {}
    for encoding in scaled:
        ends.setdefault(encoding["field"], set()).add(tuple(encoding["scale"]["domain"]))
    assert all(len(domains) == 1 for field, domains in ends.items() if field != "v0")
    assert ends["confidence"] == ends["accuracy"] == ends["left"] == {(0, 1)}
    assert ends["T"] == {(0.5, 1.5)} and (0, 1) in ends["v0"] and ends["v1"] == {(0, 1)}
    (low, high) = next(iter(ends["y"]))
    assert low == 0 and 1.5 < high < 1.6
    (low, high) = next(iter(ends["height"]))
    assert low < -0.5 and high > 1.5
    ece = [frame(*state)["ece"] for state in STATES]
    (low, high) = next(end for end in ends["v0"] if end != (0, 1))
    assert low < min(ece) and high > max(ece) and high - low < 1.2 * np.ptp(ece)


def test_the_controls_choose_by_equality_and_a_line_along_a_slider_shows_all_its_values():
    chosen = {part["filter"] for part in parts(FIGURE.spec, "filter")}
    kind = '["width", "its mass"][datum.kind] === kind'
    lines = {f"+datum.line === {i}" for i in range(4)}
    legible = f"+datum.T === T && {kind} && datum.right - datum.left > 0.03"
    assert chosen == {f"+datum.T === T && {kind}", legible, kind} | lines


def test_notebooks_get_inputs_and_the_page_gets_what_it_builds_its_own_from():
    first, second = FIGURE.spec["params"]
    assert first == {
        "name": "T",
        "value": 1.0,
        "bind": {"input": "range", "min": 0.5, "max": 1.5, "step": 0.5, "name": "temperature T "},
    }
    assert second["value"] == "its mass" and second["bind"]["options"] == ["width", "its mass"]
    meta = FIGURE.spec["usermeta"]
    assert meta["controls"] == [
        {"name": "T", "label": "temperature T", "texts": ["0.5", "1", "1.5"], "start": 1, "kind": "slider"},
        {"name": "kind", "label": "kind of", "texts": ["width", "its mass"], "start": 1, "kind": "choice"},
    ]
    assert meta["readouts"] == [frame(*state)["readout"] for state in STATES] and meta["dark"] == DARK
    uneven = Slider("n", "rows", [10, 100, 1000], start=100)
    spec = explore(lambda n: {"readout": "", "x": n}, [uneven], [[Along("n", ["x"], "x")]]).spec
    assert spec["params"][0]["bind"] == {"input": "select", "options": [10, 100, 1000], "name": "rows "}


def test_a_name_has_its_colour_in_all_panels():
    strokes = [part["stroke"] for part in parts(FIGURE.spec, "stroke") if isinstance(part["stroke"], dict)]
    (scale,) = map(json.loads, {json.dumps(one["scale"]) for one in strokes if "scale" in one})
    assert scale["domain"] == ["best", "train", "steps", "ece", "mce"]
    assert scale["range"][1] == plots.COLORS["train"] and len(set(scale["range"])) == 5
    fills = {json.dumps(one["fill"]["scale"]) for one in parts(FIGURE.spec, "fill") if "y" in one}
    (scale,) = map(json.loads, fills)
    assert scale["domain"] == ["area", "dots"]
    marks = [part["mark"] for part in parts(FIGURE.spec, "mark")]
    bent = [(m["type"], m["interpolate"]) for m in marks if "interpolate" in m]
    straight, smooth, after, before = (
        ("line", how) for how in ("linear", "monotone", "step-after", "step-before")
    )
    assert bent == [straight, smooth, after, ("area", "monotone"), smooth, straight, before]
    colors = [part["color"] for part in parts(FIGURE.spec, "color") if isinstance(part["color"], dict)]
    (edge,) = [color["value"] for color in colors if "value" in color]
    assert edge == scale["range"][0], "an area has an edge of its colour"
    (bars,) = [color["scale"]["range"] for color in colors if "scale" in color]
    assert bars == [plots.COLORS["aleatoric"], plots.COLORS["epistemic"]]


def test_points_have_a_shape_by_their_colour_and_a_single_one_stands_out():
    def one(n):
        drawn = {"ill": ([0, 1], [0, n]), "place": ([n], [0]), "uncalibrated": ([0], [0])}
        return {"readout": "", "c": drawn}

    spec = explore(one, [N], [[Curves("c", "y", "x", points=["ill", "place", "uncalibrated"])]]).spec
    dots = [part["mark"] for part in parts(spec, "mark") if part["mark"]["type"] == "point"]
    assert [(dot["size"] > 100, "stroke" in dot) for dot in dots] == [(False, False), *[(True, True)] * 2]
    shapes = ["square", "triangle-down", "circle"]
    for channel, scale in {"fill": ["#0072B2", "#000000", "#D55E00"], "shape": shapes}.items():
        assert all(part[channel]["scale"]["range"] == scale for part in parts(spec, channel) if "y" in part)


def test_a_bar_has_a_colour_only_if_its_name_means_one_or_stands_elsewhere_in_the_figure():
    def one(n):
        return {"readout": "", "c": {"line": ([0, 1], [0, n])}, "b": {"line": n, "total": 1, "other": 2}}

    spec = explore(one, [N], [[Curves("c", "y", "x"), Bars("b", "b")]]).spec
    (bars,) = [part["color"]["scale"] for part in parts(spec, "color") if "scale" in part["color"]]
    assert bars["range"] == ["#0072B2", plots.COLORS["total"], plots.COLORS["counts"]]


def test_points_that_leave_the_band_have_a_colour_of_their_own():
    spec = explore(frame, [T, KIND], [[Diagram("diagram", color="calibrated", band=True)]]).spec
    (color,) = [part["color"] for part in parts(spec, "color") if "condition" in part["color"]]
    assert color["condition"] == {
        "test": "datum.accuracy < datum.floor || datum.accuracy > datum.ceiling",
        "value": plots.COLORS["uncalibrated"],
    }
    assert color["value"] == plots.COLORS["calibrated"]


def test_a_logarithmic_axis_has_ticks_enough():
    def ticks(low, high):
        panel = Along("n", ["x"], "x", domain=(low, high), log_y=True)
        spec = explore(lambda n: {"readout": "", "x": 1}, [N], [[panel]]).spec
        return next(one["axis"]["values"] for one in parts(spec, "axis") if one.get("field") == "v0")

    assert ticks(1, 8500) == [1, 10, 100, 1000]
    assert ticks(0.1, 6) == [0.1, 0.2, 0.5, 1, 2, 5]
    assert ticks(0.05, 2) == [0.05, 0.1, 0.2, 0.5, 1, 2]


def test_axes_are_logarithmic_domains_fixed_and_digits_written_as_asked():
    panels = [
        Along("n", ["e"], "e", log_x=True, digits=5),
        Curves("c", "y", "x", x_domain=(1, 9), y_domain=(0, 2)),
    ]
    spec = explore(lambda n: {"readout": "", "e": n, "c": {"a": ([1, n], [1, 2])}}, [N], [panels]).spec
    drawn = [part for part in parts(spec, "scale") if part.get("type") == "quantitative"]
    scales = {part["field"]: part["scale"] for part in drawn}
    assert (scales["n"]["type"], scales["x"]["domain"], scales["y"]["domain"]) == ("log", [1, 9], [0, 2])
    assert '".5f"' in json.dumps(spec)


def names_and_legends(one, panel):
    """Rows of a figure that say where names stand, and the names in its legends."""
    figure = explore(one, [T, N], [[panel]])
    rows = [row for table in tables(figure) for row in table if "across" in row]
    legends = [part["legend"] for part in parts(figure.spec, "legend") if part["legend"]]
    return rows, {name for legend in legends for name in legend.get("values", [])}


def test_a_line_has_its_name_beside_it_nearer_than_any_other_and_a_crowded_one_in_the_legend():
    def along(T, n):
        return {"readout": "", "low": T / 10, "high": n - T / 10, "also high": n - T / 10}

    rows, told = names_and_legends(
        along, Along("T", ["low", "high", "also high"], "y", domain=(0, 2), height=200)
    )
    assert told == {"high", "also high"}
    assert [row["name"] for row in rows] == ["low"] * 6
    assert all(10 <= float(row["up"]) - 10 <= 20 for row in rows), "the line goes from 5 to 15 pixels"
    assert len({(row["across"], row["up"]) for row in rows}) == 1, "a name beside lines that stay stays, too"


def test_a_name_rides_on_a_line_that_moves():
    def one(T, n):
        x = np.linspace(0, 1, 11)
        return {"readout": "", "c": {"moves": (x, 0 * x + T / 2), "stays": (x, 0 * x)}}

    rows, told = names_and_legends(one, Curves("c", "y", "x", y_domain=(-0.5, 1), height=300))
    off = {
        (row["name"], float(row["up"]) - 100 * float(row["T"] if row["name"] == "moves" else 0))
        for row in rows
    }
    assert told == set() and len(off) == 2 and len(rows) == 12


def test_a_diagram_says_what_it_speaks_of_and_leaves_the_counts_out_where_asked():
    for counts in (True, False):
        panel = Diagram("diagram", "network 0", color="truth", counts=counts)
        spec = explore(frame, [T, KIND], [[panel]]).spec
        words = {part["text"] for part in parts(spec, "text") if isinstance(part["text"], str)}
        always = {"network 0", "forecast too high", "forecast too low"}
        assert words - {"rows per bin"} == always and ("rows per bin" in words) == counts
        assert ("left" in {x["field"] for x in parts(spec, "field")}) == counts
        titles = {x["title"] for x in parts(spec, "title") if "field" in x} - {None}
        assert titles == {"forecast probability (bin mean)"}
        points = [m["mark"] for m in parts(spec, "mark") if m["mark"]["type"] == "point"]
        assert {point["color"] for point in points} == {"#000000"}


def test_the_text_names_controls_and_read_outs_so_that_a_comparison_of_texts_compares_figures():
    assert repr(FIGURE).splitlines()[:3] == [
        "Picture with controls: T 0.5, 1, 1.5; kind width, its mass",
        "  T=0.5 kind=width: T is 0.5, width",
        "  T=0.5 kind=its mass: T is 0.5, its mass",
    ]
    assert len(repr(FIGURE).splitlines()) == 7
    many = Slider("n", "n", list(range(100)), start=0)
    text = repr(explore(lambda n: {"readout": f"<{n}>", "x": n}, [many], [[Along("n", ["x"], "x")]]))
    assert text.splitlines()[0].endswith("n 0, 1, 2, …, 99")
    assert re.findall("<.*>", text)[::11] == ["<0>", "<99>"]


def test_a_notebook_shows_it_by_itself_and_holds_a_small_still_picture():
    bundle = FIGURE._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v5+json"] is FIGURE.spec
    assert FIGURE.spec["$schema"].endswith("/vega-lite/v5.json")
    assert bundle["text/plain"] == repr(FIGURE)
    still, again = b64decode(bundle["image/png"]), explore(frame, [T, KIND], PANELS)
    assert still[:4] == b"\x89PNG" and len(still) < 60_000
    assert still == again.still() and json.dumps(again.spec) == json.dumps(FIGURE.spec)


def test_a_still_picture_says_what_to_install_where_that_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    needed = "the still picture of an Explorer needs vl_convert: pip install 'calibration-lessons[plots]'"
    with pytest.raises(ImportError, match=f"^{re.escape(needed)}$"):
        FIGURE.still()


@refusals("controls")
def test_a_control_that_is_not_as_described_is_refused(kind, start, call):
    refused(kind, start, call, globals() | {"drawn": lambda one: explore(lambda **_: {}, [one], [])})


def test_more_than_a_page_can_carry_is_refused():
    long = Slider("n", "n", list(range(300)), start=0)

    def one(n):
        return {"readout": "", "c": {"a": (np.linspace(0, 1, 50), np.linspace(0, n, 50))}}

    with pytest.raises(ValueError, match=r"frames take \d{3} kB for 300 states: expected at most 150 kB"):
        explore(one, [long], [[Curves("c", "y", "x")]])


@pytest.mark.parametrize("color", sorted({*plots.COLORS.values()}))
def test_every_colour_has_a_counterpart_that_stands_out_from_a_dark_page(color):
    assert contrast(DARK[color], "#121212") >= 4
