"""Pictures of panels side by side get a form for phones: the panels below each other."""

from itertools import pairwise
from typing import Any

import numpy as np
from PIL import Image

GROUND, GAP = 250, 8  # grey of what is empty; pixels of it that part two panels, and stand between them
APART = 50  # pixels to the titles of two panels; a legend comes nearer to where panels part
PANELS, OFF, LARGEST = (2, 3), 0.04, 700  # columns; their distance from even; pixels across of the new form


def stacked(picture: Image.Image) -> Image.Image | None:
    """Lay panels below each other, under a legend that stands above all, if they can be told apart."""
    ink = np.asarray(picture.convert("L")) < GROUND
    tops = gaps(ink[: len(ink) // 4].any(axis=1))
    for top in [0, *tops]:
        across = np.flatnonzero(ink[:top].any(axis=0))
        above = [(int(across[0]), 0, int(across[-1]) + 1, top)] if across.size else []
        for columns in PANELS:
            ends = [0, *cuts(ink[top:].any(axis=0), columns), picture.width]
            first = ink[: tops[0] if tops and not top else 0]
            if any(first[:, end - APART : end + APART].any() for end in ends[1:-1]):
                continue
            boxes = [(left, top, right, picture.height) for left, right in pairwise(ends)]
            parts = [picture.crop(box) for box in above + boxes]
            width = max(part.width for part in parts)
            if len(boxes) == columns and width <= LARGEST:
                whole = Image.new("RGB", (width, sum(part.height + GAP for part in parts)), "white")
                for i, part in enumerate(parts):
                    whole.paste(part, (0, sum(one.height + GAP for one in parts[:i])))
                return whole
    return None


def cuts(ink: Any, columns: int) -> list[int]:
    """Find the first gap near each place where one of so many columns would end."""
    found = (
        [gap for gap in gaps(ink) if abs(gap / len(ink) - i / columns) < OFF][:1] for i in range(1, columns)
    )
    return [gap for some in found for gap in some]


def gaps(ink: Any) -> list[int]:
    """Find the ends of what is empty for some pixels.

    >>> gaps(np.arange(50) % 20 < 10)
    [20, 40]
    """
    edges = np.flatnonzero(np.diff(~ink, prepend=False, append=False)).reshape(-1, 2)
    return [int(end) for start, end in edges if start and end - start >= GAP and end < len(ink)]
