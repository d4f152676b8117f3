"""The package's names: what is public, what a dotted name leads to."""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from operator import attrgetter

PACKAGE = "calibration_lessons"


THEMES = ("decisions", "measures", "models", "uncertainty")


@cache
def public() -> tuple[str, ...]:
    """Names that people import: those at the top, and those of the themes, such as `decisions.mean_cost`."""
    package = importlib.import_module(PACKAGE)
    by_theme = [
        f"{theme}.{name}"
        for theme in THEMES
        for name, value in vars(getattr(package, theme)).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    ]
    return (*package.__all__, *by_theme, "book.made_for")


@cache
def callables() -> frozenset[str]:
    """Public names that are functions or classes."""
    values = {name: attrgetter(name)(importlib.import_module(PACKAGE)) for name in public()}
    return frozenset(n for n, value in values.items() if inspect.isroutine(value) or inspect.isclass(value))


@cache
def resolve(dotted: str) -> bool:
    """Tell whether a name such as `calibration_lessons.plots.lines` leads to something."""
    first, *rest = dotted.split(".")
    value: object = importlib.import_module(first)
    for name in rest:
        if not (inspect.ismodule(value) or inspect.isclass(value)):
            break
        if not hasattr(value, name):
            fields = getattr(value, "__annotations__", {})
            try:
                value = None if name in fields else importlib.import_module(f"{value.__name__}.{name}")
            except ImportError:
                return False
        else:
            value = getattr(value, name)
    return True
