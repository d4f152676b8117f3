"""Figures show the data they were given, say so in text, and give the same bytes on every run."""

from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb
from matplotlib.markers import MarkerStyle
from matplotlib.patches import StepPatch

import calibration_lessons as cl
from calibration_lessons import plots
from tests.colours import contrast
from tests.refusals import refusals, refused

Y = np.array([0, 1, 1, 1, 0, 1])
P = np.array([0.2, 0.4, 0.7, 0.9, 0.3, 0.85])
CURVE = cl.reliability_curve(Y, P, n_bins=3)
AXES = {"x_label": "x", "y_label": "y"}
PLANE = {**AXES, "height_label": "z", "color": "truth"}


def lines_of(ax):
    return {line.get_label(): np.asarray(line.get_xydata()) for line in ax.get_lines()}


@pytest.mark.parametrize("n_bins", [3, 12])
def test_the_legend_covers_no_data_and_the_counts_stand_below_on_its_axis_as_bars_with_their_numbers(n_bins):
    curve = cl.reliability_curve(Y, P, n_bins=n_bins)
    ax = plots.reliability_diagram(curve, band=curve.band(0.95)).axes[0]
    (below,) = ax.child_axes
    ax.figure.draw_without_rendering()
    here, there = ax.get_window_extent(), below.get_window_extent()
    legend = ax.get_legend().get_window_extent()
    assert legend.y0 >= here.y1 and legend.x1 <= here.x1
    assert (there.x0, there.x1) == pytest.approx((here.x0, here.x1)) and there.y1 < here.y0
    assert below.get_xlim() == ax.get_xlim() and below.get_ylabel() == "rows"
    assert ax.get_xlabel() == "" and below.get_xlabel() == "forecast probability (bin mean)"
    assert [bar.get_x() for bar in below.patches] == pytest.approx(curve.edges[:-1])
    assert [bar.get_height() for bar in below.patches] == curve.counts.tolist()
    assert [bar.get_width() for bar in below.patches] == pytest.approx(np.diff(curve.edges))
    assert {bar.get_facecolor()[:3] for bar in below.patches} == {to_rgb(plots.COLORS["counts"])}
    assert {text.get_rotation() for text in below.texts} == {90 if n_bins > 10 else 0}  # else they overlap
    assert [text.get_text() for text in below.texts] == [str(rows) if rows else "" for rows in curve.counts]
    boxes = [text.get_window_extent() for text in below.texts if text.get_text()]
    assert max(box.y1 for box in boxes) < there.y1 + 1
    low, high = below.get_ylim()
    assert high > 1.2 * curve.counts.max() and low == 0


def rare(n=4000):
    rng = np.random.default_rng(0)
    p = rng.beta(1, 80, n).clip(1e-5, 0.049)
    return (rng.random(n) < 1.3 * p).astype(int), p


@pytest.mark.parametrize("scale", ["linear", "sqrt"])
@pytest.mark.parametrize(
    ("draw", "options"),
    [
        (plots.reliability_diagram, {"n_bins": 15, "strategy": "quantile"}),
        (plots.reliability_diagram, {"n_bins": 8, "strategy": "quantile"}),
        (plots.corp_diagram, {}),
    ],
)
def test_small_probabilities_fill_the_diagram_and_its_numbers_do_not_overlap(draw, options, scale):
    y, p = rare()
    ax = draw(y, p, scale=scale, **options).axes[0]
    (below,) = ax.child_axes
    ax.figure.draw_without_rendering()
    drawn = lines_of(ax)["model"]
    assert drawn.max() < ax.get_xlim()[1] == ax.get_ylim()[1] < 2.1 * drawn.max()
    assert -0.03 * ax.get_xlim()[1] < ax.get_xlim()[0] < 0
    here, counts = ax.get_window_extent(), [text for text in below.texts if text.get_text()]
    ticks = [tick for tick in below.get_xticklabels() if 0 <= tick.get_position()[0] <= ax.get_xlim()[1]]
    for labels in (counts, ticks):
        boxes = [label.get_window_extent() for label in labels]
        assert len(boxes) > 3 and all(a.x1 < b.x0 for a, b in pairwise(boxes))
    for text in counts:
        box = text.get_window_extent()
        assert here.x0 < (box.x0 + box.x1) / 2 < here.x1


def test_a_square_root_keeps_the_diagonal_straight_and_shows_a_bin_without_events():
    y, p = rare()
    ax = plots.reliability_diagram(y, p, n_bins=15, strategy="quantile", scale="sqrt").axes[0]
    where = ax.transData.transform([(0, 0), (0.01, 0.01), (0.04, 0.04)])
    assert (where[2] - where[0]) == pytest.approx(2 * (where[1] - where[0]))
    assert lines_of(ax)["model"][0, 1] == 0 > ax.get_ylim()[0]
    assert ax.get_yticklabels()[0].get_text() == "0"
    with pytest.raises(ValueError, match="scale = 'log'"):
        plots.reliability_diagram(y, p, scale="log")


def test_a_further_curve_makes_small_axes_longer_and_never_shorter():
    y, p = rare()
    ends = []
    ax = plots.reliability_diagram(y, p, n_bins=5, strategy="quantile").axes[0]
    for times in (3, 0.5, 15):
        ends.append(ax.get_xlim()[1])
        plots.reliability_diagram(y, times * p, n_bins=5, strategy="quantile", ax=ax)
    assert ends[0] < ends[1] == ends[2] and ax.get_xlim() == pytest.approx((-0.02, 1.02))


@pytest.mark.parametrize(
    ("name", "color", "marker", "line"),
    [
        ("Histogram", "histogram", "P", ":"),
        ("base rate", "base_rate", "v", "-"),
        ("held-out", "held_out", "o", "-"),
        ("counts", "counts", "o", "-"),
    ],
)
def test_a_series_named_after_a_concept_has_its_colour_marker_and_line(name, color, marker, line):
    (drawn,) = plots.lines([0, 1], {name: [0, 1]}, **AXES).axes[0].get_lines()
    assert to_rgb(drawn.get_color()) == to_rgb(plots.COLORS[color]) and drawn.get_linestyle() == line
    (cloud,) = plots.scatter({name: ([0], [1])}, **AXES).axes[0].collections
    style = MarkerStyle(marker)
    shape = style.get_path().transformed(style.get_transform())
    assert cloud.get_paths()[0].vertices.tolist() == shape.vertices.tolist()


def test_a_picture_of_its_own_has_the_size_of_the_house_and_room_for_its_labels():
    picture = plots.lines([0, 1], {"a": [0, 1]}, **AXES)
    assert picture.get_size_inches().tolist() == [5.4, 3.6]
    assert "Constrained" in type(picture.get_layout_engine()).__name__


@pytest.mark.parametrize(
    ("target", "x_label", "y_label", "below"),
    [
        ("top-label", "confidence (bin mean)", "accuracy (share correct)", "over-confident"),
        (None, "forecast probability (bin mean)", "observed frequency", "forecast too high"),
        (0, "forecast probability of class 0 (bin mean)", "observed frequency of class 0", "too high"),
    ],
)
def test_the_labels_and_the_legend_say_what_the_curve_speaks_of(target, x_label, y_label, below):
    ax = plots.reliability_diagram(Y, P, target=target, counts=False).axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == (x_label, y_label)
    assert below in ax.get_legend().get_title().get_text().splitlines()[0]


@pytest.mark.parametrize(
    ("draw", "compute", "options"),
    [
        (plots.reliability_diagram, cl.reliability_curve, {"n_bins": 3}),
        (plots.corp_diagram, cl.corp_curve, {}),
        (plots.corp_diagram, cl.corp_curve, {"sample_weight": [1, 2, 3, 1, 2, 3]}),
    ],
)
def test_a_diagram_of_data_is_that_of_their_curve(draw, compute, options):
    curve = compute(Y, P, **options)
    assert repr(draw(Y, P, **options)) == repr(draw(curve))
    with pytest.raises(TypeError, match="y_prob is missing: expected labels with it"):
        draw(Y)
    with pytest.raises(TypeError, match=f"y_prob is given: expected a {type(curve).__name__} alone"):
        draw(curve, P, **options)


Y_MANY = np.tile(Y, 20)
P_MANY = np.linspace(0.02, 0.98, 120)


@pytest.fixture(params=[None, "tight", "constrained"])
def paper(request):
    """A figure of the user's own, two diagrams beside each other, laid out and drawn."""
    figure, axes = pyplot.subplots(1, 2, figsize=(7, 3.5), layout=request.param)
    with pyplot.rc_context({"font.size": 8}):
        for ax, color in zip(axes, ("tab:green", "#123456"), strict=True):
            curve = cl.reliability_curve(Y_MANY, P_MANY)
            plots.reliability_diagram(curve, band=curve.band(), ax=ax, color=color, title="a title")
    figure.draw_without_rendering()
    yield figure
    pyplot.close(figure)


def test_in_the_axes_of_a_users_figure_everything_stays_inside_their_place(paper):
    for ax in paper.axes:
        slot = ax.get_position(original=True)
        (below,) = ax.child_axes
        seen = [box.get_window_extent().transformed(paper.transFigure.inverted()) for box in (ax, below)]
        legend = ax.get_legend().get_window_extent().transformed(paper.transFigure.inverted())
        assert seen[1].y0 >= slot.y0 and seen[0].y0 > seen[1].y1
        assert legend.y0 >= seen[0].y1 and legend.y1 <= slot.y1 + 1e-9
        assert legend.x0 >= seen[0].x0 and legend.x1 <= seen[0].x1 + 0.01
        label = below.xaxis.label.get_window_extent()
        assert label.y0 >= 0 and ax.title.get_window_extent().y1 <= paper.bbox.y1
        assert ax.title.get_window_extent().y0 >= ax.get_legend().get_window_extent().y1
        upper, lower = (box.yaxis.label.get_window_extent() for box in (ax, below))
        assert upper.y0 >= lower.y1


def test_a_users_figure_keeps_its_own_style(paper):
    assert {ax.title.get_fontsize() for ax in paper.axes} == {8 * 1.2}


def test_a_users_own_axes_are_as_high_as_their_place_without_counts_and_legend():
    figure, ax = pyplot.subplots()
    assert plots.reliability_diagram(CURVE, ax=ax, counts=False, legend=False) is figure
    figure.draw_without_rendering()
    assert ax.get_position().height == pytest.approx(ax.get_position(original=True).height, abs=0.02)
    pyplot.close(figure)


def test_several_curves_in_one_axes_share_the_diagonal_the_legend_the_title_and_the_panel_of_counts():
    (ax,) = plots.reliability_diagram(CURVE, label="before", title="a network").axes
    other = cl.reliability_curve(Y, P**2, n_bins=3)
    plots.reliability_diagram(other, label="after", color="calibrated", ax=ax)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["perfect", "before", "95 % interval", "after"]
    assert [line.get_label() for line in ax.get_lines()].count("perfect") == 1
    assert ax.get_title() == "a network" and ax.get_xlabel() == ""
    (below,) = ax.child_axes
    (outline,) = [patch for patch in below.patches if isinstance(patch, StepPatch)]
    assert outline.get_data().values.tolist() == other.counts.tolist()
    assert to_rgb(outline.get_edgecolor()) == to_rgb(plots.COLORS["calibrated"])


@pytest.mark.parametrize("color", ["red", "tab:green", "#abc", (0.1, 0.2, 0.3)])
def test_a_diagram_takes_any_colour_that_matplotlib_knows(color):
    for drawn in (
        plots.reliability_diagram(CURVE, color=color).axes[0].get_lines()[1].get_color(),
        plots.corp_diagram(Y, P, color=color).axes[0].get_lines()[1].get_color(),
    ):
        assert to_rgb(drawn) == pytest.approx(to_rgb(color), abs=0.003)


@refusals("diagram")
def test_a_wrong_option_of_a_diagram_is_refused_by_its_name_and_nothing_is_drawn(kind, start, call):
    ax = plots.panels(1, 1).axes[0]
    refused(kind, start, call, globals() | {"ax": ax})
    assert not ax.get_lines()


def test_a_corp_diagram_draws_the_recalibrated_forecasts_their_band_and_the_parts_of_the_score():
    curve = cl.corp_curve(Y, P)
    low, high = curve.band(n_draws=20, random_state=0)
    ax = plots.corp_diagram(curve, label="forest", band=(low, high)).axes[0]
    assert lines_of(ax)["forest"].tolist() == np.column_stack([curve.forecast, curve.recalibrated]).tolist()
    (band,) = ax.collections
    assert {*band.get_paths()[0].vertices[:, 1].tolist()} == {*low.tolist(), *high.tolist()}
    parts = curve.decomposition()
    assert f"miscalibration: {parts.miscalibration:.4f}" in ax.get_legend().get_title().get_text()
    (below,) = ax.child_axes
    assert [bar.get_height() for bar in below.patches] == [0, 1, 1, 1, 0, 0, 1, 0, 2, 0]
    assert below.get_xlabel() == "forecast probability" and ax.get_ylabel() == "recalibrated probability"


@pytest.mark.parametrize(("rows", "marker"), [(25, "o"), (26, "None")])
def test_a_corp_diagram_marks_the_forecasts_while_they_are_few(rows, marker):
    forecasts = np.linspace(0, 1, rows)
    ax = plots.corp_diagram(forecasts > 0.5, forecasts, counts=False, legend=False).axes[0]
    assert str(ax.get_lines()[1].get_marker()) == marker and ax.get_legend() is None and not ax.child_axes


def test_lines_bands_and_points_are_those_given():
    more = {"bands": {"truth": ([2, 0, 1], [4, 2, 3])}, "points": {"here": (2, 1)}}
    ax = plots.lines([1, 2, 3], {"truth": [3, 1, 2]}, **AXES, **more).axes[0]
    assert lines_of(ax)["truth"].tolist() == [[1, 3], [2, 1], [3, 2]]
    assert lines_of(ax)["here"].tolist() == [[2, 1]]
    vertices = ax.collections[0].get_paths()[0].vertices
    assert vertices[:, 1].min() == 0 and vertices[:, 1].max() == 4


def test_a_shared_legend_names_every_series_once_and_keeps_what_the_first_says_of_the_line():
    picture = plots.panels(1, 2)
    for ax, label in zip(picture.axes, ("before", "after"), strict=True):
        plots.reliability_diagram(CURVE, ax=ax, label=label)
    (legend,) = plots.shared_legend(picture).legends
    assert [text.get_text() for text in legend.get_texts()] == ["perfect", "before", "95 % interval", "after"]
    assert "forecast too high" in legend.get_title().get_text() and not picture.axes[0].get_legend()


def test_intervals_bars_and_histograms_are_those_given():
    ax = plots.interval_plot({"a": {"x": (2.0, 1.0, 3.0)}, "b": {"x": (5.0, 4.0, 6.0)}}, x_label="e").axes[0]
    assert lines_of(ax)["x"].tolist() == [[2, 0], [5, 1]]
    assert [np.asarray(line.get_xdata()).tolist() for line in ax.get_lines()[1:]] == [[1, 3], [4, 6]]
    ax = plots.bars({"a": {"x": 1.0, "y": 2.0}}, y_label="e", intervals={"a": {"y": (1.5, 2.5)}}).axes[0]
    assert [bar.get_height() for bar in ax.patches] == [1, 2]
    assert [float(v) for v in ax.get_lines()[0].get_ydata()] == [1.5, 2.5]
    ax = plots.histogram({"x": [4, 0]}, [0, 1, 3], x_label="e", marks={"seen": 2.0}).axes[0]
    assert [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in ax.patches] == [(0, 1, 4), (1, 2, 0)]
    assert [float(v) for v in ax.get_lines()[0].get_xdata()] == [2, 2]


def test_clouds_names_and_shades_are_those_given_and_a_simplex_has_certainty_in_its_corners():
    picture = plots.plane([0, 1], [5], [[2, 3]], **PLANE, clouds={"a": ([1], [5])}, names={"C": (1, 0)})
    (name,) = picture.axes[0].texts  # beside its place
    assert (name.get_text(), name.xy) == ("C", (1, 0)) and "line: (1, 0)" in repr(picture)
    shades, cloud = picture.axes[0].collections
    assert shades.get_array().ravel().tolist() == [2, 3] and cloud.get_offsets().tolist() == [[1, 5]]
    points = plots.simplex(np.eye(3), "abc").axes[0].collections[0].get_offsets()
    assert np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1) == pytest.approx(1)


DRAWN = {
    "reliability": lambda e: plots.reliability_diagram(cl.reliability_curve(Y, P - e, n_bins=3)),
    "corp": lambda e: plots.corp_diagram(Y, P - 0.013 - e),
    "lines": lambda e: plots.lines([0, 1], {"truth": [0.3, 0.5 + e]}, **AXES),
    "long lines": lambda e: plots.lines(np.linspace(0, 1, 99), {"truth": np.linspace(0, 1 + e, 99)}, **AXES),
    "band": lambda e: plots.lines([0, 1], {"truth": [0, 1]}, **AXES, bands={"truth": ([0, 0], [1, 2 + e])}),
    "intervals": lambda e: plots.interval_plot({"a": {"x": (1.0, 0.5, 1.5 + e)}}, x_label="e"),
    "bars": lambda e: plots.bars({"a": {"x": 1.0 + e}}, y_label="e"),
    "histogram": lambda e: plots.histogram({"x": [3.0 + e]}, [0, 1], x_label="e"),
    "scatter": lambda e: plots.scatter({"a": ([0], [1 + e]), "b": ([2], [3])}, **AXES),
    "plane": lambda e: plots.plane([0, 1], [0, 1], [[0, 1], [2, 3 + e]], **PLANE),
    "simplex": lambda e: plots.simplex([[0.5 - e, 0.5, e], [1, 0, 0]], "abc"),
    "mark": lambda e: plots.histogram({"x": [3.0]}, [0, 1], x_label="e", marks={"seen": 0.5 + e}),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_the_text_of_a_picture_follows_its_data_but_not_rounding_noise(kind):
    draw = DRAWN[kind]
    assert repr(draw(0.0)).startswith("Picture of ")
    assert repr(draw(0.05)) != repr(draw(0.0))
    assert repr(draw(1e-13)) == repr(draw(0.0))


def test_the_text_of_short_data_is_in_full_and_of_long_data_its_number_ends_mean_and_five_on_the_way():
    def told(n):
        y = [np.nan, np.inf, *range(2, n)]
        return repr(plots.lines(range(n), {"truth": y}, **AXES)).splitlines()[2]

    assert told(15).startswith("  line 'truth': (0, nan) (1, inf) (2, 2)") and told(15).endswith("(14, 14)")
    x, y = told(16).split("; y ")
    assert x == "  line 'truth': x n 16 min 0 max 15 mean 7.5 (0 3 7 11 15)"
    assert y == "n 16 min 2 max 15 mean 8.5 (nan 3 7 11 15)"


@pytest.mark.parametrize("kind", DRAWN)
def test_a_picture_is_the_same_bytes_whatever_the_readers_settings(kind):
    first = DRAWN[kind](0.0)._repr_png_()
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black", "savefig.dpi": 20}):
        assert DRAWN[kind](0.0)._repr_png_() == first


def test_drawing_leaves_the_global_settings_alone():
    before = dict(matplotlib.rcParams)
    DRAWN["reliability"](0.0)._repr_png_()
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", sorted(set(plots.COLORS) - {"counts", "band"}))
def test_every_colour_of_a_line_stands_out_from_the_background(name):
    assert contrast(plots.COLORS[name], "white") >= 2.9


@pytest.mark.parametrize("first", ["temperature", "other"])
def test_a_colour_that_a_name_stands_for_is_given_to_no_other_series(first):
    names = dict.fromkeys([first, "temperature", "other", "second", "third"])
    figure = plots.lines([0, 1], {name: [0, 1] for name in names}, **AXES)
    assert len({line.get_color() for line in figure.axes[0].get_lines()}) == 4
    intervals = plots.interval_plot({"case": {name: (1.0, 0.0, 2.0) for name in names}}, x_label="x")
    assert len({line.get_color() for line in intervals.axes[0].get_lines()}) == 4
