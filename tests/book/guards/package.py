"""The package's names: what is public, what a dotted name leads to."""

from __future__ import annotations

import importlib
import inspect
from functools import cache

PACKAGE = "calibration_lessons"


@cache
def public() -> tuple[str, ...]:
    """Names that `from calibration_lessons import …` is meant for."""
    package = importlib.import_module(PACKAGE)
    by_name = [name for name, value in vars(package).items() if inspect.isclass(value)]  # not by a star alone
    return tuple(name for name in dict.fromkeys([*package.__all__, *by_name]) if not name.startswith("_"))


@cache
def callables() -> frozenset[str]:
    """Public names that are functions or classes."""
    package = importlib.import_module(PACKAGE)
    values = {name: getattr(package, name) for name in public()}
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
