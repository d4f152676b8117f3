"""Finds where the name of a line can stand beside it, so that a panel needs no legend."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

LETTER, HALF, GAP = 5.6, 6, 6  # width of a letter, half the height of a name, room to its line, in pixels
FREE, MOSTLY = 14, 0.5  # pixels to all else that are enough, and the share of them that a name has on average
SIDES = np.array([side for side in product((0, -1, 1), (1, -1, 0)) if side != (0, 0)])
EDGE = np.array([*product(np.linspace(-1, 1, 9), (-1, 1))])

Size = tuple[float, float]
Pixels = Any  # array (n, 2), from the lower left corner of a panel
Frame = Mapping[str, Pixels]


def find(groups: Sequence[Sequence[Frame]], kinds: Mapping[str, str], size: Size) -> list[Frame]:
    """Find the middle of each line's name in all frames; left out are names that have no room.

    In the frames of a group it stands at the same point of its line. `kinds` says what is drawn through
    points: a "line" that gets a name, or "steps", single "points" and "other" lines, which get none.
    """
    found = [within(group[:: max(len(group) // 30, 1)], kinds, size) for group in groups]
    free = {name: [one[name][0] for one in found] for name in found[0]}
    enough = [name for name, shares in free.items() if np.mean(shares) > MOSTLY and min(shares) > MOSTLY / 2]
    return [
        {name: middles(name, frame[name])[one[name][1]] for name in enough}
        for one, group in zip(found, groups, strict=True)
        for frame in group
    ]


def within(frames: Sequence[Frame], kinds: Mapping[str, str], size: Size) -> dict[str, Any]:
    """Find for each line the freest place of its name, and how free that is, one line after the other."""
    ink = [{name: inked(points, kinds[name]) for name, points in frame.items()} for frame in frames]
    found = {}
    for name in (name for name, kind in kinds.items() if kind == "line"):
        at = [middles(name, frame[name]) for frame in frames]
        free = np.mean([freedom(*both, name, size) for both in zip(at, ink, strict=True)], axis=0)
        best = int(free.argmax())
        found[name] = free[best], best
        for of, places in zip(ink, at, strict=True):
            of[f"name of {name}"] = places[best] + half(name) * EDGE
    return found


def half(name: str) -> Pixels:
    """Half the width and the height of a name."""
    return np.array([LETTER * len(name) / 2, HALF])


def middles(name: str, points: Pixels) -> Pixels:
    """Places for the middle of a name: on each side of each point."""
    off = SIDES * (half(name) + np.where(SIDES[:, :1], [GAP, 0], [0, GAP - 2]))
    return (points[:, None] + off).reshape(-1, 2)


def inked(points: Pixels, kind: str) -> Pixels:
    """Put points between those of a line, a few pixels apart."""
    points = points[np.isfinite(points).all(axis=1)]
    if kind == "points" or len(points) < 2:
        return points
    corners = np.column_stack([points[:, 0].repeat(2)[1:], points[:, 1].repeat(2)[:-1]])
    known = corners if kind == "steps" else points
    at, fine = np.arange(len(known)), np.linspace(0, len(known) - 1, max(4 * len(known), 60))
    return np.column_stack([np.interp(fine, at, column) for column in known.T])


def freedom(at: Pixels, ink: Frame, name: str, size: Size) -> Any:
    """Give the distance to all else, as a share of what is enough; 0 where another line is nearer."""
    far = {
        key: np.hypot(*np.maximum(abs(at[:, None] - points) - half(name), 0).T).T.min(axis=1)
        for key, points in ink.items()
        if len(points)
    }
    own = far.pop(name, 0)
    others = np.min([*far.values(), np.full(len(at), 2.0 * FREE)], axis=0)
    inside = ((at >= half(name)) & (at <= size - half(name))).all(axis=1)
    return np.where(inside & (own >= 2) & (others > own), np.minimum(others / FREE, 1), 0)
