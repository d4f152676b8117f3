"""What goes between a test and a submission: plain data as JSON, and nothing that could act on its reader.

Both sides of the sandbox read this module. What a submission sends is decoded by `unpacked` alone: numbers,
text, lists, tuples, dictionaries and arrays of three types, all of Python's and NumPy's own classes.
"""

import base64
import binascii
from collections.abc import Iterator, Sequence, ValuesView
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

KINDS = {"b": "|u1", "i": "<i8", "u": "<i8", "f": "<f8"}
DEEPEST = 8


class NotPlain(ValueError):
    """A value that is no plain data."""


def packed(value: Any) -> Any:
    """Turn a value into what JSON holds: numbers, text, None, and collections and arrays of those."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, np.ndarray | np.generic) and np.ndim(value) == 0:
        number = value.item()
        return packed(float(number) if isinstance(number, np.floating) else number)  # extended precision
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Real | Decimal):
        return float(value)
    if isinstance(value, Sequence | Iterator | ValuesView):
        items = [packed(item) for item in value]
        return {"tuple": items} if isinstance(value, tuple) else items
    if isinstance(value, dict):
        return {"dict": [[packed(key), packed(item)] for key, item in value.items()]}
    array = np.asarray(value) if hasattr(value, "__array__") else None
    if array is not None and array.dtype.kind == "O":  # such as a list of numbers filled in one by one
        return packed(array.tolist())
    if array is None or array.dtype.kind not in KINDS:
        raise NotPlain(
            f"a {type(value).__name__}: expected numbers, text, or arrays, lists and dicts of those"
        )
    kind = array.dtype.kind
    data = np.ascontiguousarray(array, dtype=KINDS[kind]).tobytes()
    return {"array": base64.b64encode(data).decode(), "kind": kind, "shape": list(array.shape)}


def unpacked(data: Any, depth: int = 0) -> Any:
    """Turn what JSON held into a value again; anything but plain data is refused."""
    if depth > DEEPEST:
        raise NotPlain("lists in lists, too deep")
    match data:
        case None | bool() | int() | float() | str():
            return data
        case list():
            return [unpacked(item, depth + 1) for item in data]
        case {"tuple": list(items)}:
            return tuple(unpacked(item, depth + 1) for item in items)
        case {"dict": list(items)} if all(isinstance(item, list) and len(item) == 2 for item in items):
            plain = [(unpacked(key, depth + 1), unpacked(item, depth + 1)) for key, item in items]
            return {key: item for key, item in plain if isinstance(key, str | int | float | bool)}
        case {"array": str(text), "kind": str(kind), "shape": list(shape)} if kind in KINDS:
            return array(text, kind, shape)
    raise NotPlain("what is no plain data")


def array(text: str, kind: str, shape: list[Any]) -> np.ndarray[Any, Any]:
    """Read an array from its bytes."""
    if not 0 < len(shape) <= DEEPEST or not all(type(size) is int and size >= 0 for size in shape):
        raise NotPlain("an array without a shape")
    try:
        values = np.frombuffer(base64.b64decode(text, validate=True), KINDS[kind]).reshape(shape)
    except (ValueError, binascii.Error, OverflowError):
        raise NotPlain("an array whose bytes do not fit its shape") from None
    return values.astype(bool) if kind == "b" else values.copy()
