"""Results with rows and columns, shown with a caption in notebooks and on the site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _input
from .._results import captioned


@dataclass(frozen=True, eq=False)
class Table:
    """A data frame with a caption, as `table` makes it: text in a terminal, an HTML table in a notebook."""

    frame: Any
    caption: str
    digits: int

    def __repr__(self) -> str:
        return f"{self.caption}\n{self.frame.to_string(float_format=self._number)}"

    def _repr_html_(self) -> str:
        return captioned(self.frame, self.caption, float_format=self._number)

    def _number(self, value: float) -> str:
        return f"{value:.{self.digits}f}"


def table(frame: Any, *, caption: str, digits: int = 3) -> Table:
    """Show a data frame with a caption.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per thing compared, one column per quantity; the name of the index says what the rows are.
    caption : str
        What the table shows, with n and the unit.
    digits : int
        Decimals of the numbers that are not whole.

    Raises
    ------
    TypeError
        Where `frame` is no data frame.
    ValueError
        For an empty caption, or `digits` that is no whole number of at least 0.

    Examples
    --------
    >>> import pandas as pd
    >>> table(pd.DataFrame({"Brier": [0.25]}, index=["coin"]), caption="Brier score, n = 100", digits=2)
    Brier score, n = 100
          Brier
    coin   0.25
    """
    if not hasattr(frame, "to_html"):
        raise _input.BadType("frame", f"is of type {type(frame).__name__}", "a pandas DataFrame")
    if not isinstance(caption, str) or not caption.strip():
        raise _input.BadValue("caption", f"= {caption!r}", "a sentence that says what the table shows")
    if frame.index.nlevels == 1 and frame.columns.names == [None]:
        frame = frame.rename_axis(index=None, columns=frame.index.name)  # one line of headings, not two
    return Table(frame, caption, _input.non_negative_whole(digits, "digits"))
