"""Show in a docstring the formulas whose labels it names, from their home, and link a name to its code."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.addnodes import desc_signature

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


def link_code(app: Sphinx, tree: nodes.document) -> None:
    """Once the repository has an address, link each documented name to its lines there."""
    place = app.config.html_theme_options
    for signature in tree.findall(desc_signature) if place["repository_url"] else ():
        documented = attrgetter(signature["fullname"])(import_module(signature["module"]))
        code = inspect.unwrap(getattr(documented, "fget", documented))
        if callable(code):
            lines, first = inspect.getsourcelines(code)
            there = f"{place['repository_url']}/blob/{place.get('repository_branch', 'main')}/"
            there += f"{code.__module__.replace('.', '/')}.py#L{first}-L{first + len(lines) - 1}"
            signature += nodes.reference("", " [source]", refuri=there, internal=False)
