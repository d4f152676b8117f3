"""How results show themselves: with the digits that hold on any processor; rows as tables, too."""

from __future__ import annotations

from dataclasses import fields
from html import escape
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from ._extras import missing

T = TypeVar("T", bound=type)


def number(value: float | np.floating[Any]) -> str:
    """Three digits; nine first, so that noise far below them does not decide how a tie is rounded."""
    value = float(f"{value:.9g}")
    return "0" if abs(value) <= 1e-12 else f"{value:.3g}"


def rounded(result: Any) -> str:
    """Write a dataclass or a named tuple as Python does, its numbers with three digits: a `__repr__`."""
    names = getattr(result, "_fields", None) or [field.name for field in fields(result) if field.repr]
    told = ", ".join(f"{name}={_text(getattr(result, name))}" for name in names)
    return f"{type(result).__name__}({told})"


def shown_rounded(kind: T) -> T:
    """Give a class `rounded` as its `__repr__`."""
    kind.__repr__ = rounded  # type: ignore[method-assign, assignment]
    return kind


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.array2string(value, separator=", ", threshold=10, formatter={"float_kind": number})
    return number(value) if isinstance(value, float) else repr(value)


def captioned(frame: Any, caption: str, **options: Any) -> str:
    """Write a data frame as an HTML table with a caption."""
    head, rows = frame.to_html(border=0, justify="right", **options).split("\n", 1)
    return f"{head}\n  <caption>{escape(caption)}</caption>\n{rows}"


class Rows:
    """A dataclass of arrays with one entry per row: a data frame, and a table in a notebook."""

    def _columns(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame.

        Raises
        ------
        ImportError
            Where pandas is not installed.
        """
        try:
            return import_module("pandas").DataFrame(self._columns())
        except ImportError as error:
            raise missing("to_frame", "course", error) from error

    def _repr_html_(self) -> str | None:
        try:
            frame = self.to_frame()
        except ImportError:
            return None  # a notebook then shows the text
        return captioned(frame, self._caption(), float_format=number, max_rows=20)

    def _caption(self) -> str:
        return repr(self).strip("<>")
