"""What a figure says of itself: the data behind its artists, rounded, as text that can be compared."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from .._results import number
from .._typing import Floats


def _summary(values: npt.ArrayLike) -> str:
    """Short data in full; long data by number, ends and mean, and five of them on the way."""
    flat = np.asarray(values, dtype=float).ravel()
    if len(flat) <= 15:
        return " ".join(number(v) for v in flat)
    finite = flat[np.isfinite(flat)]
    some = " ".join(number(v) for v in flat[np.linspace(0, len(flat) - 1, 5).astype(int)])
    if not len(finite):
        return f"n {len(flat)} ({some})"
    ends = f"min {number(finite.min())} max {number(finite.max())} mean {number(finite.mean())}"
    return f"n {len(flat)} {ends} ({some})"


def _points(xy: Floats) -> str:
    if len(xy) <= 15:
        return " ".join(f"({number(x)}, {number(y)})" for x, y in xy)
    return f"x {_summary(xy[:, 0])}; y {_summary(xy[:, 1])}"


def described(ax: Axes) -> list[str]:
    """Lines that name what is drawn in `ax`, with its numbers."""
    title = f" {ax.get_title()!r}" if ax.get_title() else ""
    lines = [f"axes{title}: x {ax.get_xlabel() or '-'}, y {ax.get_ylabel() or '-'}"]
    bars = [bar for group in ax.containers for bar in group]
    for group in ax.containers:
        lines.append(f"  bars {_named(group)}" + _bars(cast(Sequence[Rectangle], list(group))))
    for artist in ax.get_children():
        if artist not in bars:
            told = _artist(artist)
            if told:
                lines.append("  " + told)
    return lines


def _named(artist: Any) -> str:
    label = str(artist.get_label())
    return "" if label.startswith("_") else f"{label!r}"


def _bars(bars: Sequence[Rectangle]) -> str:
    return f": from {_summary([b.get_y() for b in bars])}, heights {_summary([b.get_height() for b in bars])}"


def _artist(artist: Artist) -> str:
    name = _named(artist)
    if isinstance(artist, Line2D):
        return f"{f'line {name}'.strip()}: {_points(np.asarray(artist.get_xydata()))}"
    if isinstance(artist, LineCollection):
        spans = [(s[0, 0], s[0, 1], s[-1, 1]) for s in artist.get_segments()]
        return f"intervals {name}: " + " ".join(
            f"({number(x)}, {number(a)} to {number(b)})" for x, a, b in spans
        )
    if isinstance(artist, PathCollection):
        return f"{f'points {name}'.strip()}: {_points(np.asarray(artist.get_offsets()))}"
    if isinstance(artist, QuadMesh):
        return f"shades: {_summary(np.asarray(artist.get_array()))}"
    if isinstance(artist, PolyCollection):
        corners = np.concatenate([path.vertices for path in artist.get_paths()])
        return f"band: x {_summary(corners[:, 0])}; y {_summary(corners[:, 1])}"
    return ""
