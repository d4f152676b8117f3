"""What a calibrator learns, said once a class: which numbers, of which shape, in which range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _input
from .._json_state import keyed, number

INFINITIES = {"inf": np.inf, "-inf": -np.inf}  # JSON has no number for them


@dataclass(frozen=True)
class Numbers:
    """A learned number, or an array of them.

    Attributes
    ----------
    shape : tuple of str
        A size for each dimension, such as ``("M",)``, ``("M + 1",)`` or ``("K", "K")``: within a calibrator
        a letter is one size, and K is the number of classes. Empty for a single number.
    low, high : float
        Range of the numbers, both ends included; with `inside` both are left out.
    rising : {None, "weakly", "strictly"}
        Order along the last dimension.
    whole, infinite : bool
        Only whole numbers; infinities, too.
    """

    shape: tuple[str, ...] = ()
    low: float = -np.inf
    high: float = np.inf
    inside: bool = False
    rising: Literal["weakly", "strictly"] | None = None
    whole: bool = False
    infinite: bool = False

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of an array of such numbers; another one is written beside them."""
        return np.dtype(np.int64 if self.whole else np.float64)

    def written(self, value: Any) -> Any:
        """Return a learned attribute as JSON holds it."""
        array = np.asarray(value)
        numbers = _without_infinities(array.tolist())
        if not self.shape:
            return numbers
        other = array.dtype != self.dtype
        return {"dtype": array.dtype.name, "numbers": numbers} if other else numbers

    def read(self, value: Any, name: str, sizes: dict[str, int]) -> Any:
        """Return the attribute that was written; refuse what does not fit, and name the place."""
        dtype = self.dtype
        if self.shape and isinstance(value, dict):
            keyed(value, name, ("dtype", "numbers"))
            _input.one_of(value["dtype"], ["float16", "float32"], f"{name}['dtype']")
            dtype, value, name = np.dtype(value["dtype"]), value["numbers"], f"{name}['numbers']"
        array = np.array(self._numbers(value, name, len(self.shape), ()))
        self._check_shape(array, name, sizes)
        self._check_range(array, name)
        with np.errstate(over="ignore"):
            typed = array.astype(dtype)
        if not np.array_equal(typed, array):
            raise _input.BadValue(name, f"holds more digits than {dtype}", f"numbers of {dtype}")
        return typed if self.shape else typed.item()

    def _numbers(self, value: Any, name: str, depth: int, index: tuple[int, ...]) -> Any:
        if depth:
            if not isinstance(value, list) or not value:
                kind = f"= {value!r}" if isinstance(value, list) else f"is of type {type(value).__name__}"
                raise _input.BadType(name, kind, "a list of numbers, not empty", index)
            return [self._numbers(item, name, depth - 1, (*index, i)) for i, item in enumerate(value)]
        if self.infinite and isinstance(value, str) and value in INFINITIES:
            return INFINITIES[value]
        return number(value, name, index)

    def _check_shape(self, array: npt.NDArray[Any], name: str, sizes: dict[str, int]) -> None:
        for size, found in zip(self.shape, array.shape, strict=True):
            letter, _, more = size.partition(" + ")
            expected = sizes.setdefault(letter, found - int(more or 0)) + int(more or 0)
            if found != expected:
                raise _input.BadValue(name, f"has {found} numbers along {size}", f"{expected}")

    def _check_range(self, array: npt.NDArray[Any], name: str) -> None:
        if self.inside:
            fits, ends = (self.low < array) & (array < self.high), f"({self.low:g}, {self.high:g})"
        else:
            fits, ends = (self.low <= array) & (array <= self.high), f"[{self.low:g}, {self.high:g}]"
        _refuse_where(~fits, array, name, f"a number in {ends}")
        if self.whole:
            _refuse_where(array != np.floor(array), array, name, "a whole number")
        if self.rising is not None:
            falls = np.zeros(array.shape, dtype=bool)
            compare = np.less_equal if self.rising == "strictly" else np.less
            falls[..., 1:] = compare(array[..., 1:], array[..., :-1])
            _refuse_where(falls, array, name, f"{self.rising} rising numbers")


@dataclass(frozen=True)
class Calibrators:
    """One fitted calibrator a class, each a copy of the parameter `calibrator`."""


Learned = dict[str, Numbers | Calibrators]  # by the name of the attribute


def _refuse_where(wrong: npt.NDArray[np.bool_], array: npt.NDArray[Any], name: str, expected: str) -> None:
    if wrong.any():
        where = _input.first(wrong)
        raise _input.BadValue(name, f"= {array[where]}", expected, where)


def _without_infinities(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_infinities(item) for item in value]
    return str(value) if value in (np.inf, -np.inf) else value
