"""Draws the panels of an `Explorer` as Vega-Lite, by Altair: one table a panel, filtered by the controls."""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from .. import _input
from .._extras import missing

try:
    import altair as alt
except ImportError as error:
    raise missing("calibration_lessons.book.explorers.explore", "plots", error) from error
from ..measures.reliability import ReliabilityCurve
from ..plots.palette import BLACK, COLORS, DARK, GREY, READING, look_of, meant, spare_colors
from . import _names
from .explorers import Along, Bars, Choice, Control, Curves, Diagram, Panel, Slider

__all__ = ["DARK", "specification"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH, TALL = 250, 230  # of a panel, in pixels
GRID = "#DDDDDD"
DASHES = {"-": [1, 0], "--": [6, 3], "-.": [7, 3, 2, 3], ":": [2, 2]}
OUTSIDE = COLORS["uncalibrated"]  # of points that leave the band of calibrated models
SHAPES = dict(
    zip("osD^vP", ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross"), strict=True)
)
OF_ITS_OWN = ("stroke", "strokeDash", "fill", "shape")  # what a panel has a legend of its own for
# its first font is what the still picture is drawn with everywhere
CONFIG = json.loads(resources.files(__package__).joinpath("vega.json").read_text(encoding="utf-8"))

Row = dict[str, Any]
Frames = Sequence[Mapping[str, Any]]


class Series(NamedTuple):
    """A name in a panel: whether it is a line, and whether the legend has to say which it is."""

    name: str
    is_line: bool = True
    is_told: bool = True


class Palette:
    """Colour, line and point of every named series of a figure, the same in all panels."""

    def __init__(self, series: Sequence[Series]) -> None:
        self.lines = list(dict.fromkeys(one.name for one in series if one.is_line))
        self.fills = list(dict.fromkeys(one.name for one in series if not one.is_line))
        others = spare_colors([*self.lines, *self.fills])
        self.looks = {name: look_of(name, others) for name in dict.fromkeys([*self.lines, *self.fills])}
        self.told: set[Series] = set()
        self.legends: dict[bool, alt.Legend | None] = {}

    def of(self, names: list[str], key: str) -> list[Any]:
        """One entry of the look of each name."""
        return [self.looks[name][key] for name in names]

    def begin(self, series: Sequence[Series]) -> None:
        """Make the legends of a panel, unless the panels before it have told all of its names."""
        told = [one for one in dict.fromkeys(series) if one.is_told]
        told = [] if self.told.issuperset(told) else told
        self.told.update(told)
        both = len({one.is_line for one in told}) == 2
        square: dict[str, Any] = {"symbolType": "square", "symbolSize": 80}
        for is_line in (True, False):
            names = [one.name for one in told if one.is_line == is_line]
            widest = 50 + 7 * max(map(len, names), default=0)  # of an entry, in pixels
            columns = 1 if both else max(WIDTH // widest, 1)
            look = {} if is_line else square
            self.legends[is_line] = alt.Legend(values=names, columns=columns, **look) if names else None

    @property
    def line(self) -> list[Any]:
        """Encode colour and dashes of a line."""
        dashes = [DASHES[line] for line in self.of(self.lines, "linestyle")]
        colors = self.of(self.lines, "color")
        return [self.encoded(alt.Stroke, colors, True), self.encoded(alt.StrokeDash, dashes, True)]

    @property
    def fill(self) -> Any:
        """Encode the colour of points or of an area."""
        return self.encoded(alt.Fill, self.of(self.fills, "color"), False)

    @property
    def shape(self) -> Any:
        """Encode the shape of points."""
        return self.encoded(alt.Shape, [SHAPES[marker] for marker in self.of(self.fills, "marker")], False)

    def encoded(self, channel: Any, values: list[Any], is_line: bool) -> Any:
        """Give each name its value in a channel."""
        scale = alt.Scale(domain=self.lines if is_line else self.fills, range=values)
        return channel("series:N", scale=scale, legend=self.legends[is_line])


def specification(
    controls: Sequence[Control], frames: Frames, columns: Sequence[Sequence[Panel]]
) -> dict[str, Any]:
    """Write the figure as a dictionary: parameters for the controls, panels side by side."""
    drawn = Drawn(controls, frames, [panel for column in columns for panel in column])
    charts = [[drawn.panel(panel) for panel in column] for column in columns]
    own: dict[str, Any] = dict.fromkeys(OF_ITS_OWN, "independent")
    stacks = (alt.vconcat(*column, spacing=12).resolve_scale(**own) for column in charts)
    figure = alt.hconcat(*stacks, spacing=24).resolve_scale(**own)
    figure = figure.add_params(*(parameter(control) for control in controls))
    spec: dict[str, Any] = figure.to_dict(validate=True)
    return spec | {"$schema": SCHEMA, "config": CONFIG}


def parameter(control: Control) -> alt.Parameter:
    """Turn a control into a parameter of the figure, with an input of its own where no script replaces it."""
    label, place = f"{control.label} ", list(control.values).index(control.start)
    texts: list[Any] = control.texts
    values = [float(text) for text in texts] if isinstance(control, Slider) else texts
    bind: Any = alt.binding_select(options=values, name=label)
    if isinstance(control, Slider) and np.allclose(steps := np.diff(values), steps[0]):
        step = float(f"{steps[0]:.6g}")
        bind = alt.binding_range(min=values[0], max=values[-1], step=step, name=label)
    return alt.param(name=control.name, value=values[place], bind=bind)


class Drawn:
    """What the panels share: the controls, the frames, and the colours of the series."""

    def __init__(self, controls: Sequence[Control], frames: Frames, panels: Sequence[Panel]) -> None:
        self.controls, self.frames = controls, frames
        self.look = Palette([one for panel in panels for one in self.series(panel)])

    def series(self, panel: Panel) -> list[Series]:
        """Names of a panel that have a colour."""
        if isinstance(panel, Along):
            several = panel.keys if len(panel.keys) > 1 else []
            return [Series(name) for name in (*several, *panel.marks)]
        if isinstance(panel, Curves):
            filled = {*panel.points, *panel.areas}
            names = dict.fromkeys(name for frame in self.frames for name in frame[panel.key])
            is_told = len(names) + len(panel.marks) > 1
            drawn = [Series(name, name not in filled, is_told) for name in names]
            return [*drawn, *(Series(name) for name in panel.marks)]
        return []

    def panel(self, panel: Panel) -> Any:
        """Draw a panel of any kind."""
        match panel:
            case Diagram():
                return self.diagram(panel)
            case Along():
                return self.along(panel)
            case Curves():
                return self.curves(panel)
            case Bars():
                return self.bars(panel)

    def shown(self, *but: str) -> str:
        """Condition that a row belongs to the frame that the controls choose, whatever those in `but` say."""
        chosen = (c for c in self.controls if c.name not in but)
        parts = (
            f"{json.dumps(c.texts)}[datum.{c.name}] === {c.name}"
            if isinstance(c, Choice)
            else f"+datum.{c.name} === {c.name}"
            for c in chosen
        )
        return " && ".join(parts) or "true"

    def table(self, rows: Iterable[Iterable[Row]]) -> alt.Data:
        """Write the rows of every frame as one table of text; a choice stands there by its number."""
        places = product(*(range(len(c.texts)) if isinstance(c, Choice) else c.texts for c in self.controls))
        names = [c.name for c in self.controls]
        states = (dict(zip(names, place, strict=True)) for place in places)
        both = [(state, row) for state, some in zip(states, rows, strict=True) for row in some]
        for taken in {*names}.intersection(*(row.keys() for _, row in both[:1])):
            raise _input.BadValue("name", f"= {taken!r}", "another one: a column of a panel has this name")
        return written([state | row for state, row in both])

    def diagram(self, panel: Diagram) -> Any:
        """Draw accuracy against confidence with intervals, and the rows of each bin below."""
        curves: list[ReliabilityCurve] = [frame[panel.key] for frame in self.frames]
        reading = "top label" if curves[0].target == "top-label" else "one class"
        x_title, y_title, below, above = READING[reading]
        data, color = self.table(bins(curve, panel) for curve in curves), COLORS[panel.color]
        x = alt.X("confidence:Q", title=None if panel.counts else x_title, scale=alt.Scale(domain=[0, 1]))
        x = x.axis(labels=not panel.counts, tickCount=5)
        y = alt.Y("accuracy:Q", title=None, scale=alt.Scale(domain=[0, 1])).axis(tickCount=5)
        ends = alt.Chart(alt.InlineData([{"from": 0, "to": 1, "series": "diagonal"}]))
        diagonal = ends.mark_rule(color=GREY, strokeDash=[5, 4], aria=False)
        diagonal = diagonal.encode(x="from:Q", y="from:Q", x2="to:Q", y2="to:Q")
        sides = note(above, 8, 10), note(below, WIDTH - 6, TALL - 10, align="right")
        base = alt.Chart().transform_filter(self.shown())
        named = {of: base.transform_calculate(series=f"'{of}'") for of in ("band", "points", "intervals")}
        spans = named["intervals"].mark_rule(color=color, strokeWidth=1.3, aria=False)
        spans = spans.encode(x, alt.Y("low:Q"), alt.Y2("high:Q"))
        line = named["points"].mark_line(color=color, strokeWidth=2, aria=False, clip=True).encode(x, y)
        dots = named["points"].mark_point(color=color, filled=True, opacity=1, size=45).encode(x, y)
        if panel.band:
            beyond = "datum.accuracy < datum.floor || datum.accuracy > datum.ceiling"
            dots = dots.encode(color=alt.condition(beyond, alt.value(OUTSIDE), alt.value(color)))
        above = heading(panel.label or y_title)
        band = named["band"].mark_area(color=COLORS["band"], opacity=0.35, aria=False)
        bands = [band.encode(x, alt.Y("floor:Q"), alt.Y2("ceiling:Q"))] if panel.band else []
        diagram = alt.layer(*bands, diagonal, *sides, spans, line, dots, above, data=data)
        diagram = diagram.properties(width=WIDTH, height=TALL)
        if not panel.counts:
            return diagram
        return alt.vconcat(diagram, self.rows_below(data, curves, x_title), spacing=20)

    def rows_below(self, data: alt.Data, curves: list[ReliabilityCurve], title: str) -> Any:
        """Draw the share of the rows in each bin as a bar over its width, with their number."""
        most = 1.45 * max(float((curve.counts / curve.n).max()) for curve in curves)
        x = alt.X("left:Q", title=title, scale=alt.Scale(domain=[0, 1])).axis(tickCount=5)
        y = alt.Y("share:Q", title=None, scale=alt.Scale(domain=[0, float(f"{most:.4g}")])).axis(None)
        base = alt.Chart().transform_filter(self.shown())
        bars = base.mark_bar(color=COLORS["counts"], stroke=BLACK, strokeWidth=0.5).encode(
            x, alt.X2("right:Q"), y, alt.Y2Datum(0)
        )
        many = max(int((curve.counts > 0).sum()) for curve in curves) > 6
        upright: dict[str, Any] = {"angle": 270, "align": "left", "dx": 3}
        place: dict[str, Any] = upright if many else {"align": "center", "dy": -6}
        legible = f"{self.shown()} && datum.right - datum.left > 0.03"
        middle = alt.Chart().transform_filter(legible)
        middle = middle.transform_calculate(middle="(datum.left + datum.right) / 2")
        numbers = middle.mark_text(color=BLACK, fontSize=9, aria=False, baseline="middle", **place)
        numbers = numbers.encode(alt.X("middle:Q"), y, alt.Text("rows:Q", format=" d"))
        said = note("rows per bin", 0, 0, baseline="bottom", dy=-4)
        return alt.layer(bars, numbers, said, data=data).properties(width=WIDTH, height=62)

    def along(self, panel: Along) -> Any:
        """Draw numbers of all frames along a slider, and a dot at the frame that is shown."""
        slider = next(control for control in self.controls if control.name == panel.slider)
        keys = [*panel.keys, *panel.marks, *(panel.band or ())]
        names = {key: f"v{i}" for i, key in enumerate(keys)}
        data = self.table([{names[key]: frame[key] for key in keys}] for frame in self.frames)
        heights = [float(frame[key]) for frame in self.frames for key in (*panel.keys, *(panel.band or ()))]
        places = [float(text) for text in slider.texts]
        x = axis(alt.X, panel.slider, slider.label, places, None, panel.log_x)
        if panel.log_x:
            x = x.axis(values=places, labelSeparation=4)
        every = alt.Chart().transform_filter(self.shown(panel.slider))
        here = alt.Chart().transform_filter(self.shown())
        alone = len(panel.keys) == 1
        y = axis(alt.Y, names[panel.keys[0]], None, heights, panel.domain, panel.log_y, ticks=4)
        kinds = dict.fromkeys([] if alone else panel.keys, "line")
        order = np.arange(len(self.frames)).reshape([len(control.texts) for control in self.controls])
        order = np.moveaxis(order, self.controls.index(slider), -1).reshape(-1, len(places))
        lines = [[{key: (places, [self.frames[i][key] for i in some]) for key in kinds}] for some in order]
        of = [int(i) // len(places) for i in np.argsort(order.ravel())]
        told = self.beside(panel, lines, kinds, x, y, of)
        layers: list[Any] = []
        if panel.band:
            low, high = (names[key] for key in panel.band)
            y = axis(alt.Y, low, None, heights, panel.domain, panel.log_y, ticks=4)
            band = every.mark_area(color=COLORS["band"], opacity=0.35, aria=False, clip=True)
            layers.append(band.encode(x, y, alt.Y2(f"{high}:Q")))
        layers += [self.upright(here, names[key], key, slider.label) for key in panel.marks]
        for key in panel.keys:
            y = axis(alt.Y, names[key], None, heights, panel.domain, panel.log_y, ticks=4)
            look = [alt.StrokeValue(BLACK)] if alone else self.look.line
            bent: Any = "step-before" if key in panel.steps else "linear"
            line = every.transform_calculate(series=json.dumps(key))
            line = line.mark_line(interpolate=bent, strokeWidth=2, clip=True, aria=False)
            layers.append(line.encode(x, y, *look))
            color = BLACK if alone else self.look.looks[key]["color"]
            dot = here.transform_calculate(series=json.dumps(key))
            layers.append(dot.mark_point(filled=True, size=90, opacity=1, color=color).encode(x, y))
        if alone:
            corner: dict[str, Any] = {"align": "right", "baseline": "bottom", "dy": -6}
            number = here.mark_text(fontSize=14, color=BLACK, aria=False, **corner)
            text = alt.Text(f"{names[panel.keys[0]]}:Q", format=f".{panel.digits}f")
            layers.append(number.encode(x=alt.value("width"), y=alt.value(0), text=text))
        return stacked([*layers, *told], panel.label, panel.height, data)

    def curves(self, panel: Curves) -> Any:
        """Draw lines, steps, areas and points of a frame."""
        frames = [frame[panel.key] for frame in self.frames]
        names, first = list(dict.fromkeys(name for one in frames for name in one)), frames[0]
        still = {name: first[name] for name in names if all(same(one, first, name) for one in frames)}
        moving = [{k: v for k, v in one.items() if k not in still} for one in frames]
        data = self.table(pairs(frame, names) for frame in moving) if any(moving) else alt.InlineData([{}])
        once = written(list(pairs(still, names))) if still else None  # which spares the page its copies
        both = [pair for one in frames for pair in one.values()]
        across, up = ([float(v) for pair in both for v in np.atleast_1d(pair[i])] for i in (0, 1))
        x = axis(alt.X, "x", panel.x_label, across, panel.x_domain, False)
        y = axis(alt.Y, "y", None, up, panel.y_domain, False)
        kinds = {name: kind(frames, name, panel) for name in names}
        told = self.beside(panel, [frames], kinds, x, y, range(len(frames)))
        layers: list[Any] = []
        for i, name in enumerate(names):
            base = alt.Chart(once) if name in still else alt.Chart().transform_filter(self.shown())
            base = base.transform_filter(f"+datum.line === {i}").transform_calculate(series=json.dumps(name))
            if name in panel.points:
                alone = all(np.size(one.get(name, [0])[0]) == 1 for one in frames)
                ring: dict[str, Any] = {"size": 180, "stroke": GRID} if alone else {"size": 55}
                dots = base.mark_point(filled=True, opacity=1, **ring)
                layers.append(dots.encode(x, y, self.look.fill, self.look.shape))
                continue
            bent: Any = "step-after" if name in panel.steps else "monotone"
            line = base.mark_line(interpolate=bent, strokeWidth=2, clip=True, aria=False)
            if name in panel.areas:
                area = base.mark_area(interpolate=bent, fillOpacity=0.3, aria=False, clip=True)
                edge = line.encode(x, y, color=alt.value(self.look.looks[name]["color"]))
                layers += [area.encode(x, y, self.look.fill), edge]
            else:
                layers.append(line.encode(x, y, *self.look.line))
        if panel.marks:
            places = [[{f"m{i}": frame[key] for i, key in enumerate(panel.marks)}] for frame in self.frames]
            here = alt.Chart(self.table(places)).transform_filter(self.shown())
            layers += [self.upright(here, f"m{i}", key, panel.x_label) for i, key in enumerate(panel.marks)]
        return stacked([*layers, *told], panel.label, panel.height, data)

    def beside(
        self, panel: Along | Curves, groups: Any, kinds: Mapping[str, str], x: Any, y: Any, of: Sequence[int]
    ) -> list[Any]:
        """Write the names of lines beside them, and begin the panel with a legend of the others."""
        size = WIDTH, panel.height

        def pixels(pair: Any) -> Any:
            return np.column_stack([scaled(*one) for one in zip((x, y), pair, size, strict=True)])

        groups = groups if "line" in kinds.values() else [[{}]]
        drawn = [[{name: pixels(pair) for name, pair in one.items()} for one in group] for group in groups]
        found = _names.find(drawn, kinds, size)
        self.look.begin([one for one in self.series(panel) if one.name not in found[0]])
        if not found[0]:
            return []
        places = ([(key, *map(round, at)) for key, at in found[i].items()] for i in of)
        rows = ([dict(zip(("name", "across", "up"), one, strict=True)) for one in some] for some in places)
        across, up = (alt.value(alt.expr(text)) for text in ("datum.across", f"{panel.height} - datum.up"))
        here = alt.Chart(self.table(rows)).transform_filter(self.shown())
        look: dict[str, Any] = {"baseline": "middle", "color": BLACK, "fontSize": 11, "aria": False}
        return [here.mark_text(**look).encode(x=across, y=up, text="name:N")]

    def upright(self, here: Any, field: str, key: str, title: str) -> Any:
        """Draw an entry of the frame as a vertical line with its name."""
        told = all(math.isfinite(frame[key]) for frame in self.frames)
        silent: dict[str, Any] = {} if told else {"aria": False}  # an empty group has no name to read
        rule = here.transform_calculate(series=json.dumps(key)).mark_rule(strokeWidth=2, clip=True, **silent)
        return rule.encode(alt.X(f"{field}:Q", title=title), *self.look.line)

    def bars(self, panel: Bars) -> Any:
        """Draw named numbers as bars with the number at their end."""
        groups = [frame[panel.key] for frame in self.frames]
        names = list(dict.fromkeys(name for group in groups for name in group))
        spans = [frame[panel.spans] if panel.spans else {} for frame in self.frames]
        both = zip(groups, spans, strict=True)
        rows = [[bar(name, group[name], span.get(name)) for name in group] for group, span in both]
        data = self.table(rows)
        heights = [0.0, *(float(v) for some in rows for row in some for k, v in row.items() if k != "bar")]
        y = alt.Y("bar:N", title=None, sort=None, scale=alt.Scale(domain=names))
        x = axis(alt.X, "height", None, heights, panel.domain, False, room=0.18)
        known = {name: look["color"] for name, look in self.look.looks.items()}
        colors = [meant(name) or known.get(name.partition(":")[0], COLORS["counts"]) for name in names]
        base = alt.Chart().transform_filter(self.shown())
        color = alt.Color("bar:N", legend=None, scale=alt.Scale(domain=names, range=colors))
        bars = base.mark_bar(stroke=BLACK, strokeWidth=0.5).encode(x, y, color)
        number = alt.Text("height:Q", format=f".{panel.digits}f")
        text = base.mark_text(align="left", dx=4, color=BLACK, aria=False)
        text = text.encode(alt.X("end:Q", title=None), y, number)
        layers = [bars]
        if panel.spans:
            span = base.mark_rule(color=BLACK, strokeWidth=1.3, aria=False)
            layers.append(span.encode(alt.X("low:Q", title=None), y, alt.X2("high:Q")))
        if panel.mark:
            places = self.table([{"m0": frame[panel.mark]}] for frame in self.frames)
            rule = alt.Chart(places).transform_filter(self.shown())
            rule = rule.mark_rule(color=BLACK, strokeDash=[5, 4], strokeWidth=2)
            layers.append(rule.encode(alt.X("m0:Q", title=None)))
        chart = alt.layer(*layers, text, heading(panel.label), data=data).resolve_scale(color="independent")
        return chart.properties(width=WIDTH, height=34 * len(names))


def written(lines: Sequence[Row]) -> alt.Data:
    """Write rows as a table of text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(lines[0])
    writer.writerows([short(value) for value in line.values()] for line in lines)
    parse = {name: "string" if name in ("bar", "name") else "number" for name in lines[0]}
    return alt.InlineData(out.getvalue(), format=alt.CsvDataFormat(type="csv", parse=parse))


def note(text: str, x: float, y: float, **look: Any) -> Any:
    """Write words at a place of a panel, in pixels from its upper left corner."""
    usual: dict[str, Any] = {"align": "left", "color": GREY, "fontSize": 11}
    mark = alt.Chart(alt.InlineData([{}])).mark_text(text=text, aria=False, **(usual | look))
    return mark.encode(x=alt.value(x), y=alt.value(y))


def scaled(axis: Any, values: Any, size: float) -> Any:
    """Where values stand on an axis, in pixels."""
    scale = axis["scale"].to_dict()
    turn = np.log if scale.get("type") == "log" else np.asarray
    low, high = turn(scale["domain"])
    return size * (turn(np.atleast_1d(np.asarray(values, float))) - low) / (high - low)


def kind(frames: Frames, name: str, panel: Curves) -> str:
    """Say what is drawn through points; those of a "line" only move up and down."""
    if name in panel.points or name in panel.steps:
        return "points" if name in panel.points else "steps"
    steady = all(name in one and np.array_equal(one[name][0], frames[0][name][0]) for one in frames)
    return "line" if steady and len(frames[0]) > 1 and name not in panel.areas else "other"


def stacked(layers: list[Any], label: str, height: int, data: alt.Data) -> Any:
    """Lay what a panel draws over each other, under its label."""
    return alt.layer(*layers, heading(label), data=data).properties(width=WIDTH, height=height)


def heading(text: str) -> Any:
    """Write what a panel shows above its left edge."""
    return note(text, 0, 0, baseline="bottom", dy=-6, fontSize=13, color=BLACK)


def short(value: Any) -> str:
    """Write a number with four digits, a whole one in full; a text as it is; what is no number as nothing."""
    if isinstance(value, str):
        return value
    number = float(value)
    if math.isnan(number):
        return ""
    if number.is_integer():
        return str(int(number))
    text = f"{number:.4g}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def bar(name: str, height: float, span: tuple[float, float] | None) -> Row:
    """Return what a panel draws of a bar, and where the number at its end begins."""
    low, high = span or (height, height)
    between = {"low": low, "high": high} if span else {}
    return {"bar": name, "height": height, "end": max(high, 0)} | between


def bins(curve: ReliabilityCurve, panel: Diagram) -> Iterator[Row]:
    """Yield what a panel draws of the bins of a curve that hold rows."""
    columns: dict[str, Any] = {"confidence": curve.confidence, "accuracy": curve.accuracy}
    columns |= dict(zip(("low", "high"), curve.interval(), strict=True))
    if panel.band:
        columns |= dict(zip(("floor", "ceiling"), curve.band(), strict=True))
    if panel.counts:
        columns |= {"left": curve.edges[:-1], "right": curve.edges[1:], "share": curve.counts / curve.n}
    columns["rows"] = curve.counts
    for m in np.flatnonzero(curve.counts):
        yield {name: values[m] for name, values in columns.items()}


def same(one: Mapping[str, Any], other: Mapping[str, Any], name: str) -> bool:
    """Tell whether two frames draw a line or a cloud alike."""
    if not (name in one and name in other):
        return False
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one[name], other[name], strict=True))


def pairs(series: Mapping[str, Any], names: Sequence[str]) -> Iterator[Row]:
    """Yield the points of every line and cloud of a frame, each with the number of its name."""
    for name, (x, y) in series.items():
        for across, up in zip(np.atleast_1d(x), np.atleast_1d(y), strict=True):
            yield {"line": names.index(name), "x": across, "y": up}


def axis(
    channel: Any,
    field: str,
    title: str | None,
    values: Sequence[float],
    domain: tuple[float, float] | None,
    log: bool,
    *,
    ticks: int = 5,
    room: float = 0.04,
) -> Any:
    """Make an axis that holds the values of every frame, so that it stays where it is."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = domain or (min(finite), max(finite))
    if domain is None and not log and channel is alt.Y:
        pad = room * (high - low or 1.0)
        low, high = (low if low == 0 else low - pad), high + pad
    elif domain is None and not log and room > 0.04:
        low, high = (low - room * (high - low) if low < 0 else low), high + room * (high - low or 1.0)
    ends = [float(f"{end:.4g}") for end in (low, high)]
    scale = alt.Scale(domain=ends, nice=False, **({"type": "log"} if log else {"zero": False}))
    made = channel(f"{field}:Q", title=title, scale=scale, stack=None)
    if not log:
        return made.axis(tickCount=ticks)
    tens, fine = (
        [float(f"{m}e{k}") for k in range(-9, 10) for m in parts if ends[0] <= float(f"{m}e{k}") <= ends[1]]
        for parts in ((1,), (1, 2, 5))
    )
    return made.axis(values=tens if len(tens) > 2 else fine)
