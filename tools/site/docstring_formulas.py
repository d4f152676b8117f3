"""A Sphinx extension that shows in a docstring the formulas whose labels it names, from their home."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from calibration_lessons.book.definitions import NUMBERED

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LABEL = re.compile(r"``(eq-[a-z0-9-]+)``")
ALONE = re.compile(r"\((:eq:`[^`]+`)\)")  # the number brings brackets of its own


def show_formulas(
    app: Sphinx, what: str, name: str, documented: object, options: Any, lines: list[str]
) -> None:
    """Put the formulas below the first paragraph of a function or a class; link each label to its chapter."""
    labels = dict.fromkeys(LABEL.findall("\n".join(lines)))
    lines[:] = [ALONE.sub(r"\1", LABEL.sub(r":eq:`\1`", line)) for line in lines]
    if what in {"function", "class"}:
        below = lines.index("") if "" in lines else len(lines)
        for label in reversed(labels):
            formula = [f"   {line}" for line in NUMBERED[label].latex.splitlines()]
            lines[below:below] = ["", ".. math::", "", *formula, ""]
