"""State that becomes JSON, read back: its kind, its version, and numbers that stand where they should."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _input

VERSION = 1
INFINITIES = {"inf": np.inf, "-inf": -np.inf}  # JSON has no number for them
LARGEST = float(np.finfo(np.float64).max)


def opened(state: Any, kind: str, keys: Collection[str], also: Collection[str] = ()) -> dict[str, Any]:
    """Return a state of that kind; refuse another kind, and a version that is not known here."""
    header = {"format": kind, "version": VERSION}
    for key, expected in header.items():
        found = _a_dict(state, "state").get(key)
        _input.one_of(found, [expected], f"state[{key!r}]")
    return keyed(state, "state", (*header, *keys), also)


def keyed(value: Any, name: str, needed: Collection[str], also: Collection[str] = ()) -> dict[str, Any]:
    """Return a dict with the needed keys, and no others but those in `also`."""
    for key in needed:
        if key not in _a_dict(value, name):
            raise _input.BadValue(name, f"lacks the key {key!r}", f"the keys {sorted(needed)}")
    for key in value:
        if key not in needed and key not in also:
            raise _input.BadValue(name, f"has the unknown key {key!r}", f"the keys {sorted(needed)}")
    return dict(value)


def _a_dict(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _input.BadType(name, f"is of type {type(value).__name__}", "a dict")
    return value


@dataclass(frozen=True)
class Numbers:
    """A number, or lists of numbers.

    Attributes
    ----------
    shape : tuple of str
        A size for each dimension, such as ``("M",)``, ``("M + 1",)`` or ``("K", "K")``; in one state a letter
        is one size. Empty for a single number.
    low, high : float
        Ends of their range, which belong to it.
    whole, infinite : bool
        Only whole numbers; infinities, too.
    """

    shape: tuple[str, ...] = ()
    low: float = -np.inf
    high: float = np.inf
    whole: bool = False
    infinite: bool = False

    def read(self, value: Any, name: str, sizes: dict[str, int]) -> Any:
        """Return an array, or one number; refuse what does not fit, and learn the sizes of letters."""
        array = np.array(value, dtype=object)
        if array.ndim != len(self.shape) or not array.size:
            expected = f"{len(self.shape)}-D lists, not empty" if self.shape else "one number"
            raise _input.BadType(name, f"has the shape {array.shape}", expected)
        for where, item in np.ndenumerate(array):
            array[where] = self._checked(item, name, where)
        for size, found in zip(self.shape, array.shape, strict=True):
            letter, _, more = size.partition(" + ")
            expected_size = sizes.setdefault(letter, found - int(more or 0)) + int(more or 0)
            if found != expected_size:
                raise _input.BadValue(name, f"has {found} numbers along {size}", f"{expected_size}")
        typed = array.astype(np.int64 if self.whole else np.float64)
        return typed if self.shape else typed.item()

    def _checked(self, item: Any, name: str, where: tuple[int, ...]) -> float:
        found: Any = INFINITIES.get(item, item) if self.infinite and isinstance(item, str) else item
        real = type(found) is int or (type(found) is float and not self.whole)
        if not real or not (abs(found) <= LARGEST or (self.infinite and abs(found) == np.inf)):
            kind = _input.BadValue if real else _input.BadType
            raise kind(name, f"= {item!r}", "a whole number" if self.whole else "a finite number", where)
        if not self.low <= found <= self.high:
            expected = f"a number in [{self.low:g}, {self.high:g}]"
            raise _input.BadValue(name, f"= {item!r}", expected, where)
        return float(found)


Learned = dict[str, Numbers | None]  # by the name of the attribute; None: one fitted calibrator a class
