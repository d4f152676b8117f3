"""Figures with controls: every frame is computed beforehand, a control chooses which one is shown.

A function of yours computes one frame from the values of the controls. `explore` calls it for every
combination, and draws the frames into panels whose axes stay where they are while a control moves. Nothing is
computed in the browser. JupyterLab draws the figure itself; on the site a small script does, and lets marks
glide from one frame to the next.

A panel's `key` names the entry of the frame that it draws, `label` is what stands above it, with the unit,
`height` is in pixels. A `domain` fixes the ends of an axis, in place of those of the data of all frames.
A line has its name beside it, or in a legend where there is no room.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import product
from typing import Any

from .. import _input
from .._extras import missing

MIME = "application/vnd.vegalite.v5+json"  # what JupyterLab 4 draws
LARGEST = 150_000  # bytes of a specification
SCALE = 1.5  # of the still picture, in its pixels for each of the page

Range = tuple[float, float]


@dataclass(frozen=True)
class Slider:
    """A control that moves through numbers.

    Attributes
    ----------
    name : str
        The argument of your function; also stands in the address of a page, as in ``#T=2.1``.
    label : str
        What stands beside the control, with the unit.
    values : sequence of float
        In rising order. In JupyterLab numbers that are not equally spaced become a list to choose from.
    start : float
        One of `values`.

    Examples
    --------
    >>> Slider("T", "temperature T", [0.5, 1.0, 1.5], start=1.0).texts
    ['0.5', '1', '1.5']
    """

    name: str
    label: str
    values: Sequence[float]
    start: float

    @property
    def texts(self) -> list[str]:
        """Values as the page shows them."""
        return [f"{float(value):g}" for value in self.values]


@dataclass(frozen=True)
class Choice:
    """A control that chooses among a few named things.

    The attributes are those of a `Slider`.

    Examples
    --------
    >>> Choice("bins", "bins of equal", ["width", "mass"], start="width").texts
    ['width', 'mass']
    """

    name: str
    label: str
    values: Sequence[str | int]
    start: str | int

    @property
    def texts(self) -> list[str]:
        """Values as the page shows them."""
        return [str(value) for value in self.values]


Control = Slider | Choice


@dataclass(frozen=True)
class Diagram:
    """Panel with a reliability diagram: the frame's entry `key` is a `ReliabilityCurve`.

    Attributes
    ----------
    color : str
        A name in `COLORS`.
    counts : bool
        Draw the rows of each bin below, with their numbers.
    band : bool
        Draw where 95 % of calibrated models lie in each bin, too; points outside are orange.
    """

    key: str
    label: str = ""
    color: str = "uncalibrated"
    counts: bool = True
    band: bool = False


@dataclass(frozen=True)
class Along:
    """Panel with numbers of all frames as lines along a slider, and a dot at the frame that is shown.

    Attributes
    ----------
    slider : str
        Name of the slider.
    keys : sequence of str
        Entries of the frame, each a number and a line with this name.
    steps : sequence of str
        Those of `keys` that jump right after a value of the slider.
    marks : sequence of str
        Entries of the frame that are values of the slider: each a vertical line with this name.
    band : (str, str), optional
        Entries of the frame: lower and upper edge of a shaded band.
    log_x, log_y : bool
        Logarithmic axes.
    digits : int
        Decimals of the number that is written above the panel, where `keys` is one.
    """

    slider: str
    keys: Sequence[str]
    label: str
    steps: Sequence[str] = ()
    marks: Sequence[str] = ()
    band: tuple[str, str] | None = None
    domain: Range | None = None
    log_x: bool = False
    log_y: bool = False
    digits: int = 3
    height: int = 120


@dataclass(frozen=True)
class Curves:
    """Panel with lines and points: the frame's entry `key` maps names to pairs (x, y).

    Attributes
    ----------
    x_label : str
        The horizontal axis with its unit.
    points, steps, areas : sequence of str
        Names drawn as points, as a line with steps, as an area above 0; the others are lines. Lines and areas
        bend smoothly from point to point, never beyond them; a single point is drawn larger.
    marks : sequence of str
        Entries of the frame that are places on the horizontal axis: each a vertical line with this name.
    """

    key: str
    label: str
    x_label: str
    points: Sequence[str] = ()
    steps: Sequence[str] = ()
    areas: Sequence[str] = ()
    marks: Sequence[str] = ()
    x_domain: Range | None = None
    y_domain: Range | None = None
    height: int = 230


@dataclass(frozen=True)
class Bars:
    """Panel with bars: the frame's entry `key` maps names to numbers.

    A bar has the colour of the line or points with its name, or the one that the name stands for in `COLORS`.

    Attributes
    ----------
    digits : int
        Decimals of the numbers at the bars.
    spans : str
        Entry of the frame that maps the names to pairs (low, high): an interval on each bar.
    mark : str
        Entry of the frame where a dashed line crosses all bars.
    """

    key: str
    label: str
    domain: Range | None = None
    digits: int = 3
    spans: str = ""
    mark: str = ""


Panel = Diagram | Along | Curves | Bars


@dataclass(frozen=True, eq=False, repr=False)
class Explorer:
    """A figure with controls, which a notebook draws by itself.

    Attributes
    ----------
    spec : dict
        The figure with all frames, in the language of Vega-Lite.
    text : str
        Controls and read-outs, as text that can be compared.
    """

    spec: dict[str, Any] = field(repr=False)
    text: str

    def __repr__(self) -> str:
        return self.text

    def still(self) -> bytes:
        """Draw the first frame that is shown as a PNG, the same bytes on every run."""
        try:
            import vl_convert
            from PIL import Image
        except ImportError as error:
            raise missing("the still picture of an Explorer", "plots", error) from error
        drawn = Image.open(BytesIO(vl_convert.vegalite_to_png(self.spec, scale=SCALE)))
        buffer = BytesIO()
        drawn.convert("RGB").quantize(64).save(buffer, "png", optimize=True)  # a tenth of the bytes
        return buffer.getvalue()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        still = b64encode(self.still()).decode("ascii")
        return {MIME: self.spec, "image/png": still, "text/plain": self.text}


def explore(
    frame: Callable[..., Mapping[str, Any]], controls: Sequence[Control], columns: Sequence[Sequence[Panel]]
) -> Explorer:
    """Compute the frames of every combination of the controls, and draw them.

    Parameters
    ----------
    frame : callable
        Called with a value for each control, by name. Returns what the panels draw, by their keys, and under
        ``"readout"`` a sentence with the numbers of the frame, which the page shows beside the controls:
        the verdict, a colon, and what it rests on.
    controls : sequence of Slider or Choice
    columns : sequence of sequences of Diagram, Along, Curves or Bars
        Columns of panels, from left to right, each from top to bottom; a narrow page puts all in one column.

    Raises
    ------
    ValueError
        For controls that are not as described, and where all frames together take more than 150 kB.

    Examples
    --------
    >>> def frame(p):
    ...     return {"readout": f"Brier score {p * (1 - p):.3f}", "score": p * (1 - p)}
    >>> explore(
    ...     frame,
    ...     [Slider("p", "forecast p", [0.0, 0.25, 0.5], start=0.5)],
    ...     [[Along("p", ["score"], "Brier score")]],
    ... )
    Picture with controls: p 0, 0.25, 0.5
      p=0: Brier score 0.000
      p=0.25: Brier score 0.188
      p=0.5: Brier score 0.250
    """
    for control in controls:
        _check(control)
    from . import _vega  # loads Altair, which nothing else needs

    names = [c.name for c in controls]
    texts = [dict(zip(names, one, strict=True)) for one in product(*(c.texts for c in controls))]
    states = (dict(zip(names, one, strict=True)) for one in product(*(c.values for c in controls)))
    frames = [dict(frame(**state)) for state in states]
    readouts = [str(one["readout"]) for one in frames]
    spec = _vega.specification(controls, frames, columns)
    spec["usermeta"] = {
        "controls": [
            {"name": c.name, "label": c.label, "texts": c.texts, "start": list(c.values).index(c.start)}
            | {"kind": type(c).__name__.lower()}
            for c in controls
        ],
        "readouts": readouts,
        "dark": _vega.DARK,
    }
    size = len(json.dumps(spec).encode())
    if size > LARGEST:
        found = f"take {size // 1000} kB for {len(frames)} states"
        raise _input.BadValue("frames", found, f"at most {LARGEST // 1000} kB: fewer values of a control")
    return Explorer(spec, _told(controls, texts, readouts))


def _check(control: Control) -> None:
    if not control.name.isidentifier():
        raise _input.BadValue("name", f"= {control.name!r}", "a name that an argument can have")
    values = list(control.values)
    if control.start not in values:
        raise _input.BadValue(f"start of {control.name}", f"= {control.start!r}", f"one of {values}")
    if isinstance(control, Slider) and (len(values) < 2 or values != sorted(set(values))):
        raise _input.BadValue(f"values of {control.name}", f"= {values}", "two numbers or more, rising")


def _told(controls: Sequence[Control], texts: Sequence[Mapping[str, str]], readouts: Sequence[str]) -> str:
    """Name the controls, and the read-outs of a dozen states from first to last."""
    heads = [
        f"{c.name} {', '.join(c.texts if len(c.texts) < 9 else [*c.texts[:3], '…', c.texts[-1]])}"
        for c in controls
    ]
    some = sorted({round(i * (len(texts) - 1) / 11) for i in range(12)})
    lines = [f"  {' '.join(f'{k}={v}' for k, v in texts[i].items())}: {readouts[i]}" for i in some]
    return "\n".join([f"Picture with controls: {'; '.join(heads)}", *lines])
