"""Colours, markers and lines of the house, by what they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any

# Okabe and Ito's colours, by what they stand for. A line has a contrast of 3 to white at least;
# the lighter sky only fills areas that have a dark edge.
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, BLACK, GREY = "#56B4E9", "#000000", "#595959"
COLORS = {
    "uncalibrated": VERMILLION,
    "calibrated": BLUE,
    "temperature": BLUE,
    "expectation_consistency": GREEN,
    "platt": PURPLE,
    "isotonic": BLACK,
    "histogram": GREY,
    "one_vs_rest": PURPLE,
    "member": VERMILLION,
    "ensemble": GREEN,
    "total": BLACK,
    "aleatoric": BLUE,
    "epistemic": VERMILLION,
    "accuracy": GREEN,
    "train": BLUE,
    "test": VERMILLION,
    "held_out": VERMILLION,
    "truth": BLACK,
    "perfect": GREY,
    "under_calibration": GREY,
    "null_value": GREY,
    "recalibrated_ensemble": PURPLE,
    "base_rate": BLACK,
    "place": BLACK,
    "new_row": BLACK,
    "counts": SKY,
    "band": SKY,
}
CLASSES = (BLUE, VERMILLION, GREEN, PURPLE, BLACK, GREY)  # class 0, 1, 2, ... and any other series
MARKERS = {VERMILLION: "o", BLUE: "s", GREEN: "D", PURPLE: "^", BLACK: "v", GREY: "P"}
LINES = {VERMILLION: "-", BLUE: "-", GREEN: "--", PURPLE: "-.", BLACK: "-", GREY: ":"}
# The same hues on the dark ground of the site, #14181e: contrast of 4.5 at least.
DARK = {
    BLUE: "#56B4E9",
    VERMILLION: "#F58A4B",
    GREEN: "#2DC79A",
    PURPLE: "#E3A3C6",
    SKY: "#2F7FB0",
    BLACK: "#E6EBF0",
    GREY: "#AAB4BF",
    "#DDDDDD": "#3A424D",
}
READING = {
    "top label": ("confidence (bin mean)", "accuracy (share correct)", "over-confident", "under-confident"),
    "one class": (
        "forecast probability (bin mean)", "observed frequency", "forecast too high", "forecast too low",
    ),
}  # fmt: skip


def meant(name: str) -> str | None:
    """Colour that a name stands for, if any."""
    return COLORS.get(name.lower().replace(" ", "_").replace("-", "_"))


def spare_colors(names: Iterable[str], colors: Sequence[str] = CLASSES) -> Iterator[str]:
    """Colours for the other names, in turn: those that no name stands for, as long as there are any."""
    taken = {meant(name) for name in names}
    return cycle([color for color in colors if color not in taken] or colors)


def look_of(name: str, others: Iterator[str]) -> dict[str, Any]:
    """Colour, marker and line of a series: by what its name means, else the next spare one."""
    color = meant(name) or next(others)
    return {"color": color, "marker": MARKERS.get(color, "o"), "linestyle": LINES.get(color, "-")}
