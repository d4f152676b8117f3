"""Calibration at work: choosing, decisions, shift, scale."""

from importlib import import_module
from typing import TYPE_CHECKING

_SUBMODULES = ("comparison", "scale")  # loaded at their first use: they need more than the others

if TYPE_CHECKING:
    from . import comparison as comparison
    from . import scale as scale
else:

    def __getattr__(name):
        """Load a submodule at its first use."""
        if name in _SUBMODULES:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
