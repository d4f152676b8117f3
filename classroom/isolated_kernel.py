"""The submission's side of the channel: a kernel under limits that calls its functions for a test.

All of this shares its process with the student's code. Nothing here knows what is right or what it is worth;
a submission that takes it apart sends other data, and earns what that data is worth.
"""

import contextlib
import importlib
import json
import os
import pkgutil
import resource
import sys
import types
from collections.abc import Iterator
from gc import get_objects, unfreeze
from typing import Any

import numpy as np

from classroom.channel import packed, unpacked

LIBRARIES = ["calibration_lessons", "scipy.optimize", "scipy.special", "scipy.stats", "sklearn.linear_model"]


def start() -> None:
    """Set the limits that the command line names, load the libraries, and run the kernel."""
    memory, seconds, size = (int(number) for number in sys.argv.pop(1).split(","))
    for limit, value in {"AS": memory, "CPU": seconds, "FSIZE": size, "CORE": 0}.items():
        with contextlib.suppress(ValueError, OSError):  # where the system has no such limit
            resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (value, value))
    os.environ.pop("JPY_PARENT_PID", None)  # a process outside the sandbox
    for name in LIBRARIES:
        importlib.import_module(name)
    sys.addaudithook(alone)
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


PROGRAMS = {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system"}
withheld = False


def alone(event: str, _: Any) -> None:
    """Refuse to start a program in which the withheld functions would be there."""
    if withheld and event in PROGRAMS:
        raise RuntimeError("no other program is started while a question withholds functions")


class Draws:
    """A generator of NumPy that gives uniform numbers, and nothing else that is random."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed).random


def parts(name: str) -> tuple[str, str]:
    """Load a module with all below it; return where its code comes from and the function that is meant."""
    name, _, function = name.partition(":")
    module = importlib.import_module(name)
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), name + "."):
        if "tests" not in found.name and "conftest" not in found.name:
            importlib.import_module(found.name)
    file = module.__file__ or ""
    return (os.path.dirname(file) + os.sep if hasattr(module, "__path__") else file), function


def functions(names: tuple[str, ...]) -> list[types.FunctionType]:
    """Find every function of some modules, under whatever name, alias, copy or closure somebody holds it."""
    places = [parts(name) for name in names]

    def belongs(code: types.CodeType) -> bool:
        return any(
            code.co_filename.startswith(file) and function in ("", code.co_qualname)
            for file, function in places
        )

    unfreeze()
    return [thing for thing in get_objects() if type(thing) is types.FunctionType and belongs(thing.__code__)]


def stub(function: types.FunctionType) -> types.CodeType:
    """Make code that says what is withheld; it has as many free variables as the function's own."""
    free = function.__code__.co_freevars
    bound = "".join(f"    {name} = None\n" for name in free)
    said = f"{function.__name__} is not there: the question asks you to write it yourself"
    inner = (
        f"    def stub(*_, **__):\n        {', '.join(free) or None}\n        raise RuntimeError({said!r})\n"
    )
    names: dict[str, Any] = {}
    exec(f"def make():\n{bound}{inner}    return stub", names)
    made: types.CodeType = names["make"]().__code__
    return made


class Absent:
    """An import hook: what is withheld is not loaded again."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = [name.partition(":")[0] for name in names]

    def find_spec(self, name: str, *_: Any) -> None:
        """Refuse a withheld module, and what lies below it."""
        if any(f"{name}.".startswith(f"{withheld}.") for withheld in self.names):
            raise ImportError(f"{name} is not there: the question asks you to write it yourself")


found: dict[tuple[str, ...], list[tuple[types.FunctionType, types.CodeType]]] = {}


@contextlib.contextmanager
def without(names: tuple[str, ...]) -> Iterator[None]:
    """Take the functions of some modules away while a question's answer runs."""
    global withheld
    if names not in found:
        found.clear()
        found[names] = [(function, stub(function)) for function in functions(names)] if names else []
    kept, hook = [(function, function.__code__) for function, _ in found[names]], Absent(names)
    for function, refusing in found[names]:
        function.__code__ = refusing
    sys.meta_path.insert(0, hook)
    withheld = bool(names)
    try:
        yield
    finally:
        withheld = False
        sys.meta_path.remove(hook)
        for function, code in kept:
            function.__code__ = code


def answer(asked: str, names: dict[str, Any] | None = None) -> str:
    """Look a name up, or call a function by its name; return the value, or the exception's text, as JSON."""
    if names is None:
        from IPython import get_ipython

        names = get_ipython().user_ns
    request = json.loads(asked)
    try:
        value = names[request["name"]]
        if "arguments" not in request:
            return json.dumps({"value": packed(value)})
        arguments = [
            Draws(item["seed"]) if isinstance(item, dict) and "seed" in item else unpacked(item)
            for item in request["arguments"]
        ]
        with without(tuple(request["without"])):
            plain = packed(value(*arguments))  # here, because an object may compute as it is packed
            after = [None if isinstance(item, Draws) else packed(item) for item in arguments]
        return json.dumps({"value": plain, "after": after})
    except (Exception, SystemExit, KeyboardInterrupt) as fault:
        text = f"there is no {request['name']}" if request["name"] not in names else str(fault)
        return json.dumps({"raised": [kind.__name__ for kind in type(fault).__mro__], "text": text[:500]})
