"""The kernel that runs a submission, inside the sandbox: with limits, and with a watch over the libraries.

The watch remembers every function of every library before any of the student's code has run. Before and
after each test cell the executor asks it what has changed since. It shares its process with the student's
code, so it stops a replaced `np.allclose`, not somebody who takes the watch itself apart.
"""

import builtins
import contextlib
import importlib
import os
import resource
import sys
import types
from collections.abc import Iterator
from typing import Any

from IPython import get_ipython

LIBRARIES = [
    "calibration_lessons", "inspect", "itertools", "math", "numpy.testing", "random", "scipy.integrate",
    "scipy.optimize", "scipy.special", "scipy.stats", "sklearn.calibration", "sklearn.isotonic",
    "sklearn.linear_model", "sklearn.metrics", "statistics", "warnings",
]  # fmt: skip
REBOUND = {
    "sys",
    "__main__",
    "threading",
    "asyncio.events",
    "warnings.showwarning",
    "warnings._showwarnmsg_impl",
}
PARTS = "__code__", "__defaults__", "__kwdefaults__"

modules: dict[str, Any] = {}
known: dict[str, tuple[Any, str, Any]] = {}
hooks: dict[str, Any] = {}


def start() -> None:
    """Set the limits that the command line names, load the libraries, and run the kernel."""
    memory, seconds, size = (int(number) for number in sys.argv.pop(1).split(","))
    for limit, value in {"AS": memory, "CPU": seconds, "FSIZE": size, "CORE": 0}.items():
        with contextlib.suppress(ValueError, OSError):  # where the system has no such limit
            resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (value, value))
    os.environ.pop("JPY_PARENT_PID", None)  # a process outside the sandbox
    for name in LIBRARIES:
        importlib.import_module(name)
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


def functions(name: str, owner: Any) -> Iterator[tuple[str, Any, str, Any]]:
    """Name the functions and classes of a module, and what they are made of."""
    for key, value in list(vars(owner).items()):
        place = f"{name}.{key}"
        if place in REBOUND or not (
            callable(value) or isinstance(value, classmethod | staticmethod | property)
        ):
            continue
        yield place, owner, key, value
        if isinstance(value, types.FunctionType):
            yield from ((f"{place}.{part}", value, part, getattr(value, part)) for part in PARTS)
        elif isinstance(owner, types.ModuleType) and isinstance(value, type) and value.__module__ == name:
            yield from functions(place, value)


def current_hooks() -> dict[str, Any]:
    """Collect what IPython does to a cell before it runs and when it fails."""
    shell = get_ipython()
    kernel = shell.kernel
    return {
        "IPython's ast_transformers": list(shell.ast_transformers),
        "IPython's input transformers": [
            *shell.input_transformers_post,
            *shell.input_transformer_manager.cleanup_transforms,
            *shell.input_transformer_manager.line_transforms,
            *shell.input_transformer_manager.token_transformers,
        ],
        "IPython's pre_run_cell": [
            *shell.events.callbacks["pre_run_cell"],
            *shell.events.callbacks["pre_execute"],
        ],
        "IPython's exception handlers": shell.custom_exceptions,
        "IPython's shell": overridden(shell),
        "the kernel": overridden(kernel),
        "the trace function": (sys.gettrace(), sys.getprofile()),
    }


def overridden(thing: Any) -> dict[str, Any]:
    """Collect the methods that an object replaces by its own."""
    return {key: value for key, value in vars(thing).items() if callable(getattr(type(thing), key, None))}


def remember() -> None:
    """Remember every function and hook; called once, before the first cell."""
    modules.update(sys.modules)
    for name, module in modules.items():
        if name not in REBOUND and isinstance(module, types.ModuleType):
            known.update((place, (owner, key, value)) for place, owner, key, value in functions(name, module))
    hooks.update(current_hooks())


def changed(namespace: dict[str, Any], names: dict[str, tuple[str, str]]) -> str:
    """Name the first function, hook or imported name that is not what it was; an empty text where all are."""
    for name, module in modules.items():
        if name != "__main__" and sys.modules.get(name, module) is not module:
            return name
    for place, (owner, key, value) in known.items():
        if vars(owner).get(key, value) is not value if key not in PARTS else getattr(owner, key) is not value:
            return place.removesuffix(f".{key}") if key in PARTS else place
    for name, value in current_hooks().items():
        if hooks[name] != value:
            return name
    if vars(builtins) is not getattr(
        namespace.get("__builtins__"), "__dict__", namespace.get("__builtins__")
    ):
        return "__builtins__"
    for name, (module, key) in names.items():
        imported = sys.modules.get(module)
        expected = getattr(imported, key, None) if key else imported
        if namespace.get(name, expected) is not expected:
            return name
    return ""
