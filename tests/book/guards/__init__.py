"""The guards: each module's `check` reads a tree of files and yields the problems in it."""

from importlib import import_module
from pathlib import Path

HELPERS = {"__init__", "package", "problem"}
NAMES = sorted({path.stem for path in Path(__file__).parent.glob("*.py")} - HELPERS)
GUARDS = {name: import_module(f"{__name__}.{name}").check for name in NAMES}
