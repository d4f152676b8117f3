"""The figures of `calibration_lessons.plots`, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from importlib import resources
from io import BytesIO
from typing import Any, Literal, ParamSpec, TypeVar, cast

from .._extras import missing

try:
    import matplotlib
    import matplotlib.style
except ImportError as error:
    raise missing("calibration_lessons.plots", "plots", error) from error
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import LinearSegmentedColormap, is_color_like, to_hex
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.ticker import LogFormatterSciNotation
from matplotlib.transforms import Bbox

from .. import _input
from .._typing import FloatArray, Floats, IntArray
from ..measures.bins import bin_edges, uniform_bins
from ..measures.corp import CorpCurve, corp_curve
from ..measures.reliability import ReliabilityCurve, reliability_curve
from ..measures.risk_validation import FlexibleCurve
from ._text import described
from .palette import BLACK, COLORS, GREEN, MARKERS, PURPLE, READING, VERMILLION, look_of, spare_colors

P = ParamSpec("P")
C = TypeVar("C")
Pair = tuple[npt.ArrayLike, npt.ArrayLike]

HOUSE = ["default", str(resources.files(__package__).joinpath("house.mplstyle"))]
TITLE = 10  # points, of a legend
DIGIT = 0.64  # width of a digit, as a share of its height
ROOM = 1.25  # for a number, of its own size: the layout may yet make the axes smaller
MARGIN = 0.02  # of a diagram, as a share of its length
APART = 0.14  # of two ticks, as a share of a diagram's length
SMALL = 0.25  # below which a diagram ends where its data end
BELOW = 0.3  # height of the panel of counts and of the gap above it, as a share of the diagram's


class Picture(Figure):
    """A figure that shows itself in a notebook, as the same bytes on every run.

    Its text describes the data behind it, rounded, so that a comparison of texts compares figures.

    Examples
    --------
    >>> Picture()
    Picture of 0 axes
    """

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        with matplotlib.style.context(HOUSE):
            self.savefig(buffer, format="png", bbox_inches="tight", metadata={"Software": None})
        return buffer.getvalue()

    def __repr__(self) -> str:
        every = [cast(Axes, one) for ax in self.axes for one in (ax, *ax.child_axes)]
        return "\n".join([f"Picture of {len(every)} axes", *(line for ax in every for line in described(ax))])


def _house(draw: Callable[P, Picture]) -> Callable[P, Picture]:
    """Let a function draw in the house style, whatever the reader's settings; their figure keeps its own."""

    @wraps(draw)
    def styled(*args: P.args, **kwargs: P.kwargs) -> Picture:
        ax = kwargs.get("ax")
        if isinstance(ax, Axes) and not isinstance(ax.figure, Picture):
            return draw(*args, **kwargs)
        with matplotlib.style.context(HOUSE):
            return draw(*args, **kwargs)

    return styled


def _axes(ax: Axes | None, size: tuple[float, float] = (5.4, 3.6)) -> Axes:
    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        found = f"is of type {type(ax).__name__}"
        raise _input.BadType("ax", found, "axes of matplotlib, one of those that plt.subplots gives")
    return Picture(figsize=size, layout="constrained").add_subplot()


def _picture(ax: Axes) -> Picture:
    return cast(Picture, ax.figure)


def _named(ax: Axes, series: int, **names: Any) -> Picture:
    """Name what is drawn: the axes, and the series where there are several."""
    ax.set(**names)
    if series > 1:
        ax.legend()
    return _picture(ax)


@_house
def panels(rows: int = 1, columns: int = 2, *, size: tuple[float, float] = (6.0, 3.2)) -> Picture:
    """Make a picture with empty axes in rows and columns: ``picture.axes[0]`` is the first.

    Parameters
    ----------
    rows, columns : int
    size : (float, float)
        Width and height of the whole picture in inches.

    Examples
    --------
    >>> len(panels(1, 2).axes)
    2
    """
    picture = Picture(figsize=size, layout="constrained")
    picture.subplots(rows, columns)
    return picture


@_house
def shared_legend(picture: Picture) -> Picture:
    """Put one legend above the panels, each name once, in place of a legend in each.

    The title is that of the first legend.

    Parameters
    ----------
    picture : Picture
        Of `panels`, drawn into.

    Examples
    --------
    >>> picture = panels(1, 2)
    >>> for ax in picture.axes:
    ...     _ = lines([1, 2], {"train": [0, 1], "test": [1, 0]}, x_label="n", y_label="error", ax=ax)
    >>> len(shared_legend(picture).legends)
    1
    """
    legends = [legend for ax in picture.axes if (legend := ax.get_legend()) is not None]
    title = legends[0].get_title().get_text() if legends else ""
    for legend in legends:
        legend.remove()
    for ax in picture.axes:
        ax.set_title(ax.get_title(), pad=matplotlib.rcParams["axes.titlepad"])  # no legend is below it now
    named = _handles(picture.axes)
    place: dict[str, Any] = {"loc": "outside upper center", "ncols": min(len(named), 3)}
    picture.legend([*named.values()], [*named], title=title or None, title_fontsize=TITLE, **place)
    return picture


def _handles(axes: Sequence[Axes]) -> dict[str, Any]:
    """First handle of each name of a legend."""
    found: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    return found


def _color(name: object) -> str:
    """Colour that a name stands for, here or in matplotlib."""
    if isinstance(name, str) and name in COLORS:
        return COLORS[name]
    if not is_color_like(name):
        expected = f"a colour that matplotlib knows, or one of {', '.join(COLORS)}"
        raise _input.BadValue("color", f"= {name!r}", expected)
    return to_hex(cast(str, name))


def _band(band: Pair, n: int) -> tuple[Floats, Floats]:
    """Read the lower and the upper end of a band of `n` places."""
    expected = f"a pair (low, high) of {n} numbers each, such as curve.band()"
    try:
        low, high = (np.asarray(side, dtype=float) for side in band)
    except (TypeError, ValueError) as error:
        raise _input.BadType("band", f"= {band!r}", expected) from error
    for place, side in enumerate((low, high)):
        if side.shape != (n,):
            raise _input.BadValue("band", f"has shape {side.shape}", expected, (place,))
    return low, high


class _Slot:
    """Where a diagram stands in the place of its axes: below its legend, above the panel of counts."""

    def __init__(self, ax: Axes) -> None:
        self.subplot = ax.get_subplotspec()

    def get_subplotspec(self) -> SubplotSpec | None:
        """Return what `matplotlib.figure.Figure.tight_layout` asks a locator for."""
        return self.subplot

    def __call__(self, ax: Any, renderer: RendererBase | None) -> Bbox:
        place, legend = ax.get_position(original=True), ax.get_legend()
        bottom, top = place.y0, place.y1
        if not isinstance(ax.figure, Picture):  # no layout of ours makes room
            point = ax.figure.dpi / 72 / ax.figure.bbox.height
            bottom += 4 * point
            if legend is not None:
                top -= legend.get_window_extent(renderer).height / ax.figure.bbox.height + 3 * point
        below = BELOW if ax.child_axes else 0
        return Bbox.from_extents(place.x0, top - (top - bottom) / (1 + below), place.x1, top)


def _curve(given: Any, y_prob: Any, options: dict[str, Any], kind: type[C], compute: Callable[..., C]) -> C:
    """Return the curve that is given, or compute it from labels and a forecast."""
    if not isinstance(given, kind):
        if y_prob is None:
            raise _input.BadType("y_prob", "is missing", f"labels with it, or a {kind.__name__} alone")
        return compute(given, y_prob, **options)
    for name in (["y_prob"] if y_prob is not None else []) + list(options):
        raise _input.BadType(name, "is given", f"a {kind.__name__} alone, which is computed already")
    return given


@_house
def reliability_diagram(
    curve: ReliabilityCurve | npt.ArrayLike,
    y_prob: npt.ArrayLike | None = None,
    *,
    label: str = "model",
    band: Pair | None = None,
    level: float = 0.95,
    counts: bool = True,
    color: str = "uncalibrated",
    scale: Literal["linear", "sqrt"] = "linear",
    title: str = "",
    legend: bool = True,
    ax: Axes | None = None,
    **options: Any,
) -> Picture:
    """Draw accuracy against confidence per bin, with Wilson's interval, and the rows per bin below.

    Axes and legend say whether the curve speaks of the top label, of the positive class or of class k. Where
    nothing lies above 1/4 the axes end with the data. A number is left out where two would overlap.

    Parameters
    ----------
    curve : ReliabilityCurve, or array_like of shape (n,)
        A curve; or labels, from which and from `y_prob` the curve is computed.
    y_prob : array_like, shape (n,) or (n, K), optional
        With labels: the probability of the positive class, or of each class.
    label : str
        Name of the model.
    band : (array_like, array_like), each of shape (M,), optional
        For each bin, lowest and highest accuracy that a calibrated model would show.
    level : float
        Confidence level of the intervals.
    counts : bool
        Draw the rows of each bin, too, with their numbers.
    color : str
        A name in `COLORS`, or any colour that matplotlib knows.
    scale : {"linear", "sqrt"}
        Of both axes. A square root spreads small probabilities, and still shows 0.
    **options
        With labels: options of `reliability_curve`, such as `n_bins`.

    Examples
    --------
    >>> reliability_diagram([0, 1, 1, 1], [0.2, 0.4, 0.7, 0.9], n_bins=2, counts=False)
    Picture of 1 axes
    axes: x forecast probability (bin mean), y observed frequency
      line 'perfect': (0, 0) (1, 1)
      line 'model': (0.3, 0.5) (0.8, 1)
      intervals '95 % interval': (0.3, 0.0945 to 0.905) (0.8, 0.342 to 1)
    """
    curve = _curve(curve, y_prob, options, ReliabilityCurve, reliability_curve)
    top_label = curve.target == "top-label"
    x_label, y_label, below, above = READING["top label" if top_label else "one class"]
    if isinstance(curve.target, int):
        x_label, y_label = (f"{text} of class {curve.target}" for text in ("forecast probability", y_label))
        x_label += " (bin mean)"
    filled = curve.counts > 0
    x, y = curve.confidence[filled], curve.accuracy[filled]
    low, high = (side[filled] for side in curve.interval(level))
    shade, ends = _color(color), None if band is None else _band(band, len(filled))
    shown = ends and (x, ends[0][filled], ends[1][filled])
    ax = _diagram(ax, counts, legend, title, shown, points=(x, y), reach=high, scale=scale)
    ax.plot(x, y, color=shade, marker=MARKERS.get(shade, "o"), label=label)
    ax.vlines(x, low, high, color=shade, linewidth=1.2, label=f"{100 * level:g} % interval")
    ax.set(xlabel=x_label, ylabel=y_label)
    _finish(ax, f"below the line: {below}\nabove the line: {above}" if legend else None)
    if counts:
        _counts_below(ax, curve.edges, curve.counts, shade)
    return _picture(ax)


@_house
def flexible_curve(
    curve: FlexibleCurve,
    y_prob: npt.ArrayLike,
    *,
    level: float = 0.95,
    title: str = "",
    ax: Axes | None = None,
) -> Picture:
    """Draw observed risk as a smooth function of the forecast, its band, and how many forecasts lie where.

    Parameters
    ----------
    curve : FlexibleCurve
        As `risk_validation` gives it.
    y_prob : array_like, shape (n,)
        The forecasts, for the bars below.
    level : float
        Confidence level of the band, for the legend.

    Examples
    --------
    >>> from calibration_lessons import risk_validation
    >>> risk = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> picture = risk_validation([0, 0, 1, 0, 1, 0, 1, 1], risk).plot()
    """
    forecasts = _input.probabilities(y_prob, ndim=(1,))
    _input.confidence(level)
    shade = _color("uncalibrated")
    ax = _diagram(ax, True, True, title, points=(forecasts, curve.observed), reach=curve.high[-1:])
    ax.plot(curve.forecast, curve.observed, color=shade, label="flexible curve")
    band = f"{100 * level:g} % band, each point"
    ax.fill_between(curve.forecast, curve.low, curve.high, color=COLORS["band"], alpha=0.35, label=band)
    ax.set(xlabel="predicted risk", ylabel="observed risk")
    _finish(ax, "below the line: predicts too much\nabove the line: predicts too little")
    edges = _end_of(ax) * bin_edges(20)
    _counts_below(ax, edges, np.histogram(forecasts, edges)[0], shade)
    return _picture(ax)


@_house
def corp_diagram(
    curve: CorpCurve | npt.ArrayLike,
    y_prob: npt.ArrayLike | None = None,
    *,
    label: str = "model",
    band: Pair | None = None,
    counts: bool = True,
    color: str = "uncalibrated",
    scale: Literal["linear", "sqrt"] = "linear",
    title: str = "",
    legend: bool = True,
    ax: Axes | None = None,
    **options: Any,
) -> Picture:
    """Draw the best increasing recalibration over the forecast, and the rows of ten bins below.

    The legend gives the parts of the Brier score.

    Parameters
    ----------
    curve : CorpCurve, or array_like of shape (n,)
        A curve; or labels, from which and from `y_prob` the curve is computed.
    y_prob : array_like, shape (n,), optional
        With labels: the probability of the positive class.
    label : str
        Name of the model.
    band : (array_like, array_like), each of shape (m,), optional
        Lowest and highest recalibrated forecast of a calibrated model: `CorpCurve.band`.
    counts : bool
        Draw how the forecasts are spread, too.
    color : str
        A name in `COLORS`, or any colour that matplotlib knows.
    scale : {"linear", "sqrt"}
        Of both axes. A square root spreads small probabilities, and still shows 0.
    **options
        With labels: options of `corp_curve`.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for probabilistic classifiers.

    Examples
    --------
    >>> corp_diagram([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8], counts=False)
    Picture of 1 axes
    axes: x forecast probability, y recalibrated probability
      line 'perfect': (0, 0) (1, 1)
      line 'model': (0.2, 0) (0.4, 0.5) (0.6, 0.5) (0.8, 1)
    """
    curve = _curve(curve, y_prob, options, CorpCurve, corp_curve)
    shade, ends = _color(color), None if band is None else _band(band, len(curve.forecast))
    points, reach = (curve.forecast, curve.recalibrated), ends[1] if ends else curve.recalibrated
    shown = ends and (curve.forecast, *ends)
    ax = _diagram(ax, counts, legend, title, shown, points=points, reach=reach, scale=scale)
    marker = MARKERS.get(shade, "o") if len(curve.forecast) <= 25 else None
    ax.plot(curve.forecast, curve.recalibrated, color=shade, marker=marker, label=label)
    ax.set(xlabel="forecast probability", ylabel="recalibrated probability")
    parts = "\n".join(f"{name}: {part:.4f}" for name, part in curve.decomposition()._asdict().items())
    _finish(ax, parts if legend else None)
    if counts:
        end = _end_of(ax)
        rows = np.bincount(uniform_bins(np.minimum(curve.forecast / end, 1), 10), curve.counts, minlength=10)
        _counts_below(ax, end * bin_edges(10), rows.astype(np.int64), shade)
    return _picture(ax)


def _diagram(
    ax: Axes | None,
    counts: bool,
    legend: bool,
    title: str,
    band: tuple[Floats, Floats, Floats] | None = None,
    *,
    points: Sequence[FloatArray],
    reach: Floats,
    scale: str = "linear",
) -> Axes:
    """Begin a diagram in a square of its own, or in axes that are there, where the diagonal is drawn once.

    Where nothing drawn lies above `SMALL`, the axes end with it: the points, and what reaches up from them to
    twice as far at most. Axes that are there go on as far as they went.
    """
    _input.one_of(scale, ["linear", "sqrt"], "scale")
    ax = _axes(ax, (5.4, 4.8 + 0.6 * counts + 0.9 * legend))
    highest = max(float(values.max()) for values in points)
    end = max(highest, min(2 * highest, float(reach.max())))
    end = end if 0 < end <= SMALL else 1.0
    if begun := "perfect" in ax.get_legend_handles_labels()[1]:
        end = max(end, _end_of(ax))
    if scale == "sqrt":
        ax.set_xscale("function", functions=(_signed_root, _signed_square))
        ax.set_yscale("function", functions=(_signed_root, _signed_square))
        ticks = _root_ticks(end)
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    limits = ((-MARGIN if scale == "linear" else -(MARGIN**2)) * end, (1 + MARGIN) * end)
    ax.set(xlim=limits, ylim=limits)
    if title:
        ax.set_title(title)
    if not begun:
        ax.plot([0, 1], [0, 1], color=COLORS["perfect"], linestyle="--", linewidth=1.2, label="perfect")
    if band is not None:
        ax.fill_between(*band, color=COLORS["band"], alpha=0.35, label="a calibrated model")
    return ax


def _root_ticks(end: float) -> list[float]:
    """Choose 0, and of 1, 2 and 5 times the powers of ten those whose roots lie apart."""
    ticks: list[float] = []
    last = np.inf
    for power in range(0, -12, -1):
        for first in (10, 5, 2):
            place = np.sqrt(tick / end) if (tick := round(first * 10.0 ** (power - 1), 12)) <= end else np.inf
            if last - place >= APART and place >= APART:
                ticks.append(tick)
                last = place
    return [0.0, *reversed(ticks)]


def _end_of(ax: Axes) -> float:
    """Return where a diagram ends, but for its margin."""
    return ax.get_xlim()[1] / (1 + MARGIN)


def _signed_root(values: Floats) -> Floats:
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)))


def _signed_square(values: Floats) -> Floats:
    return np.asarray(np.sign(values) * np.square(values))


def _finish(ax: Axes, title: str | None) -> None:
    """Write the legend, each name once, where it hides no data, and keep all within the place of the axes.

    It stands above, no wider than the axes, so that a phone shows the whole picture. The layout of a picture
    makes room there. Another figure has none to give: there the legend takes the upper part of the axes' own
    place.
    """
    ax.set_axes_locator(_Slot(ax))
    if title is None:
        return
    first = _handles([ax])
    size: dict[str, Any] = {"title_fontsize": TITLE}
    if not isinstance(ax.figure, Picture):
        ax.set_ylabel(ax.get_ylabel(), loc="bottom")  # beside the legend there is room, below are the counts
        size = {"fontsize": "small", "title_fontsize": "small"}
    size |= {"borderaxespad": 0.2, "handlelength": 1.5, "columnspacing": 1}
    write = partial(ax.legend, [*first.values()], [*first], title=title, alignment="left")
    above = partial(write, loc="lower left", bbox_to_anchor=(0, 1), **size)
    extent = above(ncols=2).get_window_extent()
    if extent.width > ax.bbox.width:
        extent = above(ncols=1).get_window_extent()
    ax.set_title(ax.get_title(), pad=extent.height * 72 / ax.figure.dpi + 8)


def _counts_below(ax: Axes, edges: FloatArray, counts: IntArray, shade: str) -> None:
    """Draw the rows per bin, with their numbers; those of a further curve as outlines in its colour."""
    x_label = ax.get_xlabel()
    ax.set_xlabel("")
    if ax.child_axes:
        cast(Axes, ax.child_axes[0]).stairs(counts, edges, color=shade, linewidth=1.5, baseline=None)
        return
    below = ax.inset_axes((0, -BELOW, 1, BELOW - 0.08), sharex=ax)
    look: dict[str, Any] = {"color": COLORS["counts"], "edgecolor": BLACK, "linewidth": 0.5}
    below.bar(edges[:-1], counts, np.diff(edges), align="edge", label="counts", **look)
    inside = np.clip(edges, *ax.get_xlim())
    pixels = ax.transData.transform(np.column_stack([inside, inside]))[:, 0]
    middles = (pixels[:-1] + pixels[1:]) / 2
    places = ax.transData.inverted().transform(np.column_stack([middles, middles]))[:, 0]
    numbers, font = [str(rows) if rows else "" for rows in counts], matplotlib.rcParams["font.size"]
    upright = _apart(numbers, middles, 0.73 * font * ax.figure.dpi / 72, rotated=False)
    many = len(numbers) > 10 or upright != numbers
    size = font * (0.64 if many else 0.73)
    if many:
        numbers = _apart(numbers, middles, size * ax.figure.dpi / 72, rotated=True)
    look = {"rotation": 90 * many, "fontsize": size, "ha": "center", "va": "bottom"}
    for number, place, rows in zip(numbers, places, counts, strict=True):
        below.annotate(number, (place, rows), (0, 1), textcoords="offset points", **look)
    below.margins(y=0.7 if many else 0.3)
    below.set_xlabel(x_label)
    below.set_ylabel("rows", loc="center" if isinstance(ax.figure, Picture) else "top")
    ax.tick_params(labelbottom=False)


def _apart(numbers: Sequence[str], middles: Floats, size: float, *, rotated: bool) -> list[str]:
    """Leave out what would overlap the number before it, where letters are so many pixels high."""
    kept, free = [], -np.inf
    for number, middle in zip(numbers, middles.tolist(), strict=True):
        half = ROOM * size / 2 * (1 if rotated else DIGIT * len(number))
        kept.append(number if middle - half >= free else "")
        free = middle + half if kept[-1] else free
    return kept


class _InFull(LogFormatterSciNotation):
    """Writes 0.01 on a logarithmic axis, and 1000, in place of powers of ten."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return f"{x:g}" if super().__call__(x, pos) else ""


@_house
def lines(
    x: npt.ArrayLike,
    series: Mapping[str, npt.ArrayLike],
    *,
    x_label: str,
    y_label: str,
    bands: Mapping[str, Pair] | None = None,
    points: Mapping[str, tuple[float, float]] | None = None,
    log_x: bool = False,
    log_y: bool = False,
    title: str = "",
    ax: Axes | None = None,
) -> Picture:
    """Draw one line a series over a common axis.

    Parameters
    ----------
    x : array_like, shape (n,)
    series : mapping of str to array_like, shape (n,)
        Heights of each line; a name in `COLORS` gives the line its colour.
    x_label, y_label : str
        Axis labels, with units.
    bands : mapping of str to (low, high), optional
        Shaded ranges around series of the same name.
    points : mapping of str to (x, y), optional
        Single points to mark, with their names.
    log_x, log_y : bool
        Logarithmic axes.

    Examples
    --------
    >>> lines([1, 2], {"truth": [0.5, 0.25]}, x_label="n", y_label="error")
    Picture of 1 axes
    axes: x n, y error
      line 'truth': (1, 0.5) (2, 0.25)
    """
    ax = _axes(ax)
    spare = spare_colors(series)
    for name, y in series.items():
        look = look_of(name, spare)
        few = len(np.atleast_1d(x)) <= 25
        ax.plot(x, y, label=name, **(look if few else {**look, "marker": None}))
        if bands is not None and name in bands:
            low, high = (np.asarray(side, dtype=float) for side in bands[name])
            ax.fill_between(np.asarray(x), low, high, color=look["color"], alpha=0.2, linewidth=0)
    for name, (across, up) in (points or {}).items():
        ax.plot([across], [up], color=BLACK, marker="*", markersize=13, linestyle="none", label=name)
    ax.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
    for axis in [ax.xaxis] * log_x + [ax.yaxis] * log_y:
        axis.set_major_formatter(_InFull())
        axis.set_minor_formatter(_InFull(minor_thresholds=(1, 0.4)))
    return _named(ax, len(series) + len(points or {}), xlabel=x_label, ylabel=y_label, title=title)


@_house
def interval_plot(
    rows: Mapping[str, Mapping[str, tuple[float, float, float]]],
    *,
    x_label: str,
    reference: float | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Picture:
    """Draw estimates with intervals, one row per case and one mark per method.

    Parameters
    ----------
    rows : mapping of case to mapping of method to (estimate, low, high)
    x_label : str
        What is estimated, with its unit.
    reference : float, optional
        A value to compare with, drawn as a vertical line.

    Examples
    --------
    >>> interval_plot({"network 0": {"temperature": (0.02, 0.01, 0.03)}}, x_label="ECE")
    Picture of 1 axes
    axes: x ECE, y -
      line 'temperature': (0.02, 0)
      line: (0.01, 0) (0.03, 0)
    """
    methods = list(dict.fromkeys(method for row in rows.values() for method in row))
    ax = _axes(ax, (5.4, 1.2 + 0.28 * len(rows) * len(methods)))
    spare = spare_colors(methods)
    step = 0.7 / max(len(methods), 2)
    for j, method in enumerate(methods):
        look = look_of(method, spare)
        shift = (j - (len(methods) - 1) / 2) * step
        drawn = {i + shift: row[method] for i, row in enumerate(rows.values()) if method in row}
        ax.plot([d[0] for d in drawn.values()], [*drawn], **{**look, "linestyle": "none"}, label=method)
        for place, (_, low, high) in drawn.items():
            ax.plot([low, high], [place, place], color=look["color"], linewidth=1.5)
    if reference is not None:
        ax.axvline(reference, color=COLORS["perfect"], linestyle="--", linewidth=1.2)
    ax.set(xlabel=x_label, title=title, yticks=range(len(rows)), yticklabels=list(rows))
    ax.invert_yaxis()
    if len(methods) > 1:
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return _picture(ax)


@_house
def histogram(
    groups: Mapping[str, npt.ArrayLike],
    edges: npt.ArrayLike,
    *,
    x_label: str,
    y_label: str = "rows",
    marks: Mapping[str, float] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Picture:
    """Draw counts over given edges, one outline a group, with marked values.

    Parameters
    ----------
    groups : mapping of str to array_like of counts, shape (m,)
    edges : array_like, shape (m + 1,)
    x_label, y_label : str
        Axis labels, with units.
    marks : mapping of str to float, optional
        Values to mark by vertical lines, with their names.

    Examples
    --------
    >>> histogram({"truth": [3, 1]}, [0, 0.5, 1], x_label="score")
    Picture of 1 axes
    axes: x score, y rows
      bars 'truth': from 0 0, heights 3 1
    """
    ax = _axes(ax)
    spare = spare_colors([*groups, *(marks or {})])
    across = np.asarray(edges, dtype=float)
    for name, counts in groups.items():
        color = look_of(name, spare)["color"]
        look = {"facecolor": (color, 0.35), "edgecolor": color}
        ax.bar(across[:-1], np.asarray(counts), np.diff(across), align="edge", label=name, **look)
    for name, value in (marks or {}).items():
        look = look_of(name, spare)
        ax.axvline(value, color=look["color"], linestyle=look["linestyle"], label=name)
    return _named(ax, len(groups) + len(marks or {}), xlabel=x_label, ylabel=y_label, title=title)


@_house
def bars(
    groups: Mapping[str, Mapping[str, float]],
    *,
    y_label: str,
    intervals: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Picture:
    """Draw grouped bars: one group a case, one bar a method.

    Parameters
    ----------
    groups : mapping of case to mapping of method to height
    y_label : str
        What the heights are, with the unit.
    intervals : mapping of case to mapping of method to (low, high), optional

    Examples
    --------
    >>> bars({"T = 1": {"class 0": 0.7, "class 1": 0.3}}, y_label="probability")
    Picture of 1 axes
    axes: x -, y probability
      bars 'class 0': from 0, heights 0.7
      bars 'class 1': from 0, heights 0.3
    """
    methods = list(dict.fromkeys(method for group in groups.values() for method in group))
    ax = _axes(ax)
    spare = spare_colors(methods)
    width = 0.8 / len(methods)
    for j, method in enumerate(methods):
        shift = (j - (len(methods) - 1) / 2) * width
        places = {case: i + shift for i, case in enumerate(groups) if method in groups[case]}
        heights = [groups[case][method] for case in places]
        color = look_of(method, spare)["color"]
        ax.bar([*places.values()], heights, width, label=method, color=color, edgecolor=BLACK, linewidth=0.5)
        for case, place in places.items():
            if ends := (intervals or {}).get(case, {}).get(method):
                ax.plot([place, place], list(ends), color=BLACK, linewidth=1.2)
    ax.set_xticks(range(len(groups)), list(groups))
    return _named(ax, len(methods), ylabel=y_label, title=title)


@_house
def images(
    pictures: npt.ArrayLike, captions: Sequence[str], *, columns: int = 6, marked: Sequence[int] = ()
) -> Picture:
    """Show grey pictures in a grid, a caption under each.

    Parameters
    ----------
    pictures : array_like, shape (m, height, width)
        Brightness; the brightest value is drawn black, as ink on paper.
    captions : sequence of m str
    columns : int
    marked : sequence of int
        Positions of pictures that get a frame in the colour of what is wrong.

    Examples
    --------
    >>> images([[[0, 1], [1, 0]]], ["says 96 %, is wrong"], columns=1, marked=[0])
    Picture of 1 axes
    axes: x says 96 %, is wrong, y -
    """
    grey = _input.finite(pictures, "pictures", (3,))
    if len(captions) != len(grey):
        raise _input.BadValue("captions", f"has {len(captions)} for {len(grey)} pictures", "one for each")
    for i in marked:
        if i not in range(len(grey)):
            raise _input.BadValue("marked", f"holds {i!r}", f"positions of the {len(grey)} pictures")
    rows = -(-len(grey) // _input.positive_whole(columns, "columns"))
    picture = panels(rows, columns, size=(1.15 * columns, 1.45 * rows))
    for i, ax in enumerate(picture.axes):
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(i in marked)
        if i < len(grey):
            ax.imshow(grey[i], cmap="gray_r", interpolation="nearest")
            ax.set_xlabel(captions[i], fontsize=8)
            for spine in ax.spines.values() if i in marked else ():
                spine.set(color=VERMILLION, linewidth=2.5)
        else:
            ax.set_axis_off()
    return picture


@_house
def scatter(
    clouds: Mapping[str, Pair], *, x_label: str, y_label: str, title: str = "", ax: Axes | None = None
) -> Picture:
    """Draw clouds of points, one colour and marker a cloud.

    Parameters
    ----------
    clouds : mapping of str to (x, y), each of shape (n,)
        A name in `COLORS` gives the cloud its colour.
    x_label, y_label : str
        Axis labels, with units.

    Examples
    --------
    >>> scatter({"ill": ([0, 1], [2, 3])}, x_label="age", y_label="dose")
    Picture of 1 axes
    axes: x age, y dose
      points 'ill': (0, 2) (1, 3)
    """
    ax = _axes(ax)
    _clouds(ax, clouds, spare_colors(clouds))
    return _named(ax, len(clouds), xlabel=x_label, ylabel=y_label, title=title)


def _clouds(ax: Axes, clouds: Mapping[str, Pair], spare: Iterator[str]) -> None:
    for name, (x, y) in clouds.items():
        look = {key: value for key, value in look_of(name, spare).items() if key != "linestyle"}
        ax.scatter(x, y, s=26, edgecolor="white", linewidth=0.5, label=name, **look)


@_house
def plane(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    heights: npt.ArrayLike,
    *,
    x_label: str,
    y_label: str,
    height_label: str,
    color: str,
    clouds: Mapping[str, Pair] | None = None,
    names: Mapping[str, tuple[float, float]] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Picture:
    """Draw heights over a plane as shades of a colour, with clouds of points and named places on top.

    Parameters
    ----------
    x : array_like, shape (n,)
    y : array_like, shape (m,)
    heights : array_like, shape (m, n)
    height_label : str
        What the shades mean, with the unit.
    color : str
        A name in `COLORS`, or any colour that matplotlib knows: the darkest shade.
    clouds : mapping of str to (x, y), optional
        Points of each cloud, each of shape (n,); without a name in `COLORS`, in colours that the shades
        do not use.
    names : mapping of str to (x, y), optional
        Single places, each with its name written beside it.

    Examples
    --------
    >>> shown = plane([0, 1], [0], [[2, 3]], x_label="a", y_label="b", height_label="bits", color="truth")
    >>> repr(shown).splitlines()[1:3]
    ['axes: x a, y b', '  shades: 2 3']
    """
    ax = _axes(ax)
    shades = LinearSegmentedColormap.from_list(color, ["white", _color(color)])
    mesh = ax.pcolormesh(x, y, heights, cmap=shades, vmin=0, shading="nearest", rasterized=True)
    _clouds(ax, clouds or {}, spare_colors(clouds or {}, (GREEN, PURPLE, BLACK)))
    for name, place in (names or {}).items():
        ax.plot(*place, color=BLACK, marker="*", markersize=12, markeredgecolor="white", linestyle="none")
        ax.annotate(name, place, (6, 3), textcoords="offset points", fontsize=13, fontweight="bold")
    ax.grid(False)
    _picture(ax).colorbar(mesh, ax=ax, label=height_label, shrink=0.8)
    return _named(ax, len(clouds or {}), xlabel=x_label, ylabel=y_label, title=title, aspect="equal")


@_house
def simplex(
    points: npt.ArrayLike, corners: Sequence[str], *, title: str = "", ax: Axes | None = None
) -> Picture:
    """Draw probabilities of three classes as points in a triangle: a corner is a class for certain.

    Parameters
    ----------
    points : array_like, shape (n, 3)
        Rows that sum to 1.
    corners : sequence of three str
        Names of the classes.

    Examples
    --------
    >>> simplex([[1, 0, 0], [0, 0, 1]], ["cat", "dog", "fox"], title="two members")
    Picture of 1 axes
    axes 'two members': x -, y -
      line: (0, 0) (1, 0) (0.5, 0.866) (0, 0)
      points: (0, 0) (0.5, 0.866)
    """
    ax = _axes(ax, (3.4, 3.2))
    triangle = np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    ax.plot(*triangle[[0, 1, 2, 0]].T, color=COLORS["perfect"], linewidth=1.2)
    across, up = (np.asarray(points) @ triangle).T
    ax.scatter(across, up, s=14, color=COLORS["member"], alpha=0.5, linewidth=0)
    for name, (x, y), side in zip(corners, triangle, ("top", "top", "bottom"), strict=True):
        ax.text(x, y + (0.03 if side == "bottom" else -0.03), name, ha="center", va=side, fontsize=10)
    ax.set(aspect="equal")
    ax.set_title(title, pad=16)
    ax.axis("off")
    return _picture(ax)
