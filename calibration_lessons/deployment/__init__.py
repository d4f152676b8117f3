"""After the fit: calibrators as code of other languages, monitors, arrays larger than memory."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import scale as scale
else:

    def __getattr__(name):
        """Load `scale` at its first use, because Dask takes its time."""
        if name == "scale":
            return import_module(f"{__name__}.scale")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the modules, too, before their first use."""
    return ["exports", "monitor", "scale"]
