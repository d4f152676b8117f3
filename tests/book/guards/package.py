"""The package's names: what is public, what a dotted name leads to."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

PACKAGE = "calibration_lessons"


THEMES = ("decisions", "measures", "models", "uncertainty")


def in_docstrings(root: Path, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str, str]]:
    """What a pattern finds in the package's modules, with file and line."""
    for path in sorted((root / PACKAGE).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield match, path.relative_to(root).as_posix(), f"line {line}"


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
def methods() -> frozenset[str]:
    """Public methods and properties of the public classes."""
    values = (attrgetter(name)(importlib.import_module(PACKAGE)) for name in callables())
    return frozenset(n for value in values if inspect.isclass(value) for n in dir(value) if n[0] != "_")


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


@cache
def fault(code: str) -> str:
    """Say what a call gives a public function or class that it does not take.

    A name of a theme is ours with the theme before it: `LogisticRegression` alone may be scikit-learn's.
    """
    try:
        calls = [node for node in ast.walk(ast.parse(code, mode="eval")) if isinstance(node, ast.Call)]
    except SyntaxError:
        return ""
    for call in calls:
        full = re.sub(rf"^(?:cl|{PACKAGE})\.", "", ast.unparse(call.func))
        if full in callables():
            function = attrgetter(full)(importlib.import_module(PACKAGE))
            named = {option.arg: option.value for option in call.keywords if option.arg}
            try:
                bound = inspect.signature(function).bind_partial(*call.args, **named).arguments
            except TypeError as refusal:
                return str(refusal)
            hints = get_type_hints(function.__init__ if inspect.isclass(function) else function)
            for option, value in bound.items():
                words = [word for word in allowed(hints.get(option)) if isinstance(word, str)]
                given = value.value if isinstance(value, ast.Constant) else None
                if words and isinstance(given, str) and given not in words:
                    return f"{option} is one of {', '.join(words)}"
    return ""


def allowed(hint: Any) -> Iterator[Any]:
    """Values that a type spells out."""
    for part in get_args(hint):
        yield from [part] if get_origin(hint) is Literal else allowed(part)
