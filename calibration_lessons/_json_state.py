"""State that becomes JSON, read back: its kind, its version, and numbers that stand where they should."""

from collections.abc import Collection
from dataclasses import dataclass, replace
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
        _input.one_of(_a_dict(state, "state").get(key), [expected], f"state[{key!r}]")
    return keyed(state, "state", (*header, *keys), also)


def keyed(value: Any, name: str, needed: Collection[str], also: Collection[str] = ()) -> dict[str, Any]:
    """Return a dict with the needed keys, and no others but those in `also`."""
    found = _a_dict(value, name).keys()
    if not set(needed) <= found <= {*needed, *also}:
        raise _input.BadValue(name, f"has the keys {sorted(map(str, found))}", f"the keys {sorted(needed)}")
    return dict(value)


def _a_dict(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _input.BadType(name, f"is of type {type(value).__name__}", "a dict")
    return value


@dataclass(frozen=True)
class Numbers:
    """A number (`shape` is empty) or lists of numbers, from `low` to `high`, perhaps `whole` or `rising`.

    `shape` has a size for each dimension, such as ``("M",)``, ``("M + 1",)`` or ``("K", "K")``; in one state
    a letter is one size. A square may be its diagonal alone.
    """

    shape: tuple[str, ...] = ()
    low: float = -LARGEST
    high: float = LARGEST
    whole: bool = False
    rising: bool = False

    def read(self, value: Any, name: str, sizes: dict[str, int]) -> Any:
        """Return an array, or one number; refuse what does not fit, and learn the sizes of letters."""
        array = np.array(value, dtype=object)
        if self.shape == ("K", "K") and array.ndim == 1 and array.size and np.isscalar(array[0]):
            return np.diag(replace(self, shape=("K",)).read(value, name, sizes))
        if array.ndim != len(self.shape) or not array.size:
            expected = f"numbers in {len(self.shape)} dimensions"
            raise _input.BadType(name, f"has the shape {array.shape}", expected)
        for size, found in zip(self.shape, array.shape, strict=True):
            letter, _, more = size.partition(" + ")
            fitting = sizes.setdefault(letter, found - int(more or 0)) + int(more or 0)
            if found != fitting:
                raise _input.BadValue(name, f"has {found} numbers along {size}", f"{fitting}")
        kinds, called = ((int,), "a whole number") if self.whole else ((int, float), "a number")
        for where, item in np.ndenumerate(array):
            number: Any = INFINITIES.get(item, item) if isinstance(item, str) else item
            if type(number) not in kinds or not self.low <= number <= self.high:
                expected = f"{called} from {self.low:g} to {self.high:g}"
                raise _input.BadValue(name, f"= {item!r}", expected, where)
            array[where] = number
        typed = array.astype(np.int64 if self.whole else np.float64)
        if self.rising and (falls := np.flatnonzero(typed[1:] < typed[:-1])).size:
            raise _input.BadValue(name, f"= {typed[falls[0] + 1]:g}", "no less than before", (falls[0] + 1,))
        return typed if self.shape else typed.item()


Learned = dict[str, Numbers | None]  # by the name of the attribute; None: one fitted calibrator a class
