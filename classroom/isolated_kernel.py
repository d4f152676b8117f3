"""The submission's side of the channel: a kernel under limits that calls its functions for a test.

All of this shares its process with the student's code. Nothing here knows what is right or what it is worth;
a submission that takes it apart sends other data, and earns what that data is worth. The grader sends this
source again with every question, so that what a submission changed here before is gone.
"""

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import resource
import sys
import types
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

import numpy as np

from classroom.channel import packed, unpacked

Places = list[tuple[str, str]]
"""Files, or folders, and the functions there that are meant; empty for all of them."""


def start() -> None:
    """Set the limits that the command line names, put something in place of modules, and run the kernel."""
    memory, seconds, *modules = sys.argv.pop(1).split(",")
    for limit, value in {"AS": int(memory), "CPU": int(seconds), "CORE": 0}.items():
        with contextlib.suppress(ValueError, OSError):  # where the system has no such limit
            resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (value, value))
    sys.meta_path.insert(0, Emptied(modules))
    os.environ.pop("JPY_PARENT_PID", None)  # a process outside the sandbox
    sys.argv.append("--IPKernelApp.exec_lines=del exit, quit")  # Python's own end a cell, not the kernel
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


missed: list[str] = globals().get("missed", [])
"""What was called of all that is withheld."""


def refuse(name: str) -> None:
    """Say that a function is withheld, in its place."""
    missed.append(name)
    raise RuntimeError(f"{name} is not there: the question asks you to write it yourself")


def absent(*_: Any, **__: Any) -> None:
    """Stand for what a withheld compiled module held."""
    refuse("it")


class Emptied(MetaPathFinder, Loader):
    """Loads compiled modules that are withheld: other modules import them, and what they hold refuses."""

    def __init__(self, modules: list[str]) -> None:
        self.modules = modules

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """Find no other module."""
        return ModuleSpec(name, self) if name in self.modules else None

    def create_module(self, _: ModuleSpec) -> None:
        """Let Python make the module."""

    def exec_module(self, module: Any) -> None:
        """Let it hold any name."""
        module.__getattr__ = lambda name: absent


class Draws:
    """A generator of NumPy that gives uniform numbers, and nothing else that is random."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed).random


def place_of(name: str) -> tuple[str, str]:
    """Load a module with all below it; return where its code comes from and the function that is meant."""
    name, _, function = name.partition(":")
    module = importlib.import_module(name)
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), name + "."):
        if "tests" not in found.name and "conftest" not in found.name:
            importlib.import_module(found.name)
    file = module.__file__ or ""
    return (os.path.dirname(file) + os.sep if hasattr(module, "__path__") else file), function


def belongs(code: types.CodeType, places: Places, file: str = "") -> bool:
    """Tell whether code is that of a function which is meant; its file can be that of what it calls."""
    return any(
        function in ("", code.co_qualname) and (code.co_filename.startswith(place) or file.startswith(place))
        for place, function in places
    )


def functions(places: Places) -> list[types.FunctionType]:
    """Find every function of some files, under whatever name, alias, copy or closure somebody holds it."""
    everything = [thing for thing in gc.get_objects() if type(thing) is types.FunctionType]
    return [
        thing for thing in everything
        if belongs(thing.__code__, places, str(thing.__globals__.get("__file__")))
    ]  # fmt: skip


def stub(function: types.FunctionType) -> types.CodeType:
    """Make code that says what is withheld; it has as many free variables as the function's own."""
    free = function.__code__.co_freevars
    bound = "".join(f"    {name} = None\n" for name in free)
    name = function.__qualname__.removesuffix(".__init__")
    inner = (
        f"    def stub(*_, **__):\n        {', '.join(free) or None}\n"
        f"        from classroom.isolated_kernel import refuse\n        refuse({name!r})\n"
    )
    names: dict[str, Any] = {}
    exec(f"def make():\n{bound}{inner}    return stub", names)
    made: types.CodeType = names["make"]().__code__
    return made


found: dict[tuple[str, ...], list[tuple[types.FunctionType, types.CodeType, types.CodeType]]] = {}


class Without:
    """Take functions away while an answer runs, where no sandbox does: from who does not look for them."""

    def __init__(self, *names: str) -> None:
        if names not in found:
            there = functions([place_of(name) for name in names]) if names else []
            found[names] = [(one, one.__code__, stub(one)) for one in there]
        self.kept = found[names]

    def __enter__(self) -> None:
        for function, _, gone in self.kept:
            function.__code__ = gone

    def __exit__(self, *_: object) -> None:
        for function, kept, _gone in self.kept:
            function.__code__ = kept


def guard(name: str, withheld: list[str]) -> None:
    """Let a function of the notebook run as for a test, without what its question withholds."""
    from IPython import get_ipython

    names = get_ipython().user_ns
    function = names.get(name)

    def guarded(*arguments: Any, **named: Any) -> Any:
        with Without(*withheld):
            return function(*arguments, **named)

    if callable(function):
        names[name] = guarded


def answer(asked: str, names: dict[str, Any] | None = None) -> str:
    """Look a name up, or call a function by its name; return the value, or the exception's text, as JSON."""
    if names is None:
        from IPython import get_ipython

        names = get_ipython().user_ns
    request = json.loads(asked)
    try:
        if "missed" in request:
            return json.dumps({"value": missed[:1]})
        if request["name"] not in names:
            raise NameError(f"there is no {request['name']}: did its cell run without an error?")
        value = names[request["name"]]
        if "arguments" not in request:
            return json.dumps({"value": packed(value)})
        arguments = [
            Draws(item["seed"]) if isinstance(item, dict) and "seed" in item else unpacked(item)
            for item in request["arguments"]
        ]
        with Without(*request["without"]):
            plain = packed(value(*arguments))  # here, because an object may compute as it is packed
            after = [None if isinstance(item, Draws) else packed(item) for item in arguments]
        return json.dumps({"value": plain, "after": after})
    except (Exception, SystemExit, KeyboardInterrupt) as fault:
        kinds = [kind.__name__ for kind in type(fault).__mro__]
        return json.dumps({"raised": kinds, "text": str(fault)[:500]})
