"""What the lessons need beside the library: definitions, sources and data, tables, figures with controls."""

from importlib import import_module
from typing import TYPE_CHECKING

from .version import made_for as made_for

_MODULES = ("comparison", "datasets", "definitions", "explorers", "monitor_simulation", "simulate", "tables")

if TYPE_CHECKING:
    from . import comparison as comparison
    from . import datasets as datasets
    from . import definitions as definitions
    from . import explorers as explorers
    from . import monitor_simulation as monitor_simulation
    from . import simulate as simulate
    from . import tables as tables
else:

    def __getattr__(name):
        """Load a module at its first use, so that the others need not wait for it."""
        if name in _MODULES:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the modules, too, before their first use."""
    return sorted(["made_for", *_MODULES])
