"""The submission's side of the channel: a kernel under limits that calls its functions for a test.

All of this shares its process with the student's code. Nothing here knows what is right or what it is worth;
a submission that takes it apart sends other data, and earns what that data is worth. The grader sends this
source again with every question, so that what a submission changed here before is gone.
"""

import builtins
import contextlib
import json
import os
import resource
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any

import numpy as np
from IPython.core import getipython

from classroom import channel
from classroom.channel import packed, unpacked

FILES = 256  # open at a time, sockets among them: what they hold is no process's memory


def start() -> None:
    """Set the limits that the command line names, put something in place of modules, and run the kernel."""
    memory, seconds, modules = json.loads(sys.argv.pop(1))
    for limit, value in {"AS": memory, "CPU": seconds, "CORE": 0, "NOFILE": FILES}.items():
        with contextlib.suppress(ValueError, OSError):  # where the system has no such limit
            resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (value, value))
    sys.meta_path.insert(0, Emptied(modules))
    os.environ.pop("JPY_PARENT_PID", None)  # a process outside the sandbox
    first = "del exit, quit"  # Python's own end a cell, not the kernel
    then = f"get_ipython().events.register('post_execute', __import__('sys').modules[{__name__!r}].put_back)"
    sys.argv.append(f"--IPKernelApp.exec_lines={first}; {then}")
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


missed: list[str] = globals().get("missed", [])
"""What was called of all that is withheld."""
kept: list[tuple[dict[str, Any], dict[str, Any]]] = globals().get("kept", [])
"""The names of modules, and what they stood for before the submission's cells ran."""


def put_back() -> None:
    """Let names in modules by which the kernel answers stand for what they stood for at first."""
    if not kept:
        modules = (builtins, json, json.decoder, json.encoder, os, getipython, np, channel)
        kept.extend((vars(module), dict(vars(module))) for module in modules)
        kept.append((vars(sys), {"stdout": sys.stdout, "stderr": sys.stderr}))
    for names, before in kept:
        names.update(before)


def refuse(name: str) -> None:
    """Say that a function is withheld, in its place."""
    missed.append(name)
    raise RuntimeError(f"{name} is not there: the question asks you to write it yourself")


class Emptied(MetaPathFinder, Loader):
    """Loads modules that are withheld: from another file, or, if compiled, with any name in them."""

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules = modules

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find no other module."""
        if file := self.modules.get(name):
            spec = PathFinder.find_spec(name, path)
            assert spec
            spec.loader = SourceFileLoader(name, file)
            return spec
        return ModuleSpec(name, self) if name in self.modules else None

    def create_module(self, _: ModuleSpec) -> None:
        """Let Python make the module."""

    def exec_module(self, module: Any) -> None:
        """Let it hold any name."""
        module.__getattr__ = lambda name: lambda *_, **__: refuse("it")


class Draws:
    """A generator of NumPy that gives uniform numbers, and nothing else that is random."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed).random


def answer(asked: str, names: dict[str, Any] | None = None) -> str:
    """Look a name up, or call a function by its name; return the value, or the exception's text, as JSON."""
    if names is None:
        names = getipython.get_ipython().user_ns  # type: ignore[union-attr]
    request = json.loads(asked)
    try:
        if "missed" in request:
            found = [missed.pop() for _ in missed[:]]
            return json.dumps({"value": found[:1]})
        if request["name"] not in names:
            raise NameError(f"there is no {request['name']}: did its cell run without an error?")
        value = names[request["name"]]
        if "arguments" not in request:
            return json.dumps({"value": packed(value)})
        arguments = [
            Draws(item["seed"]) if isinstance(item, dict) and "seed" in item else unpacked(item)
            for item in request["arguments"]
        ]
        plain = packed(value(*arguments))
        after = [None if isinstance(item, Draws) else packed(item) for item in arguments]
        put_back()
        return json.dumps({"value": plain, "after": after})
    except (Exception, SystemExit, KeyboardInterrupt) as fault:
        put_back()
        kinds = [kind.__name__ for kind in type(fault).__mro__]
        return json.dumps({"raised": kinds, "text": str(fault)[:500]})
