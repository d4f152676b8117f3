"""A lesson's word on the version of the companion that it was made for."""

from .._version import __version__


def made_for(version: str) -> None:
    """Say so if a chapter was made for another version of the companion; else stay silent.

    Parameters
    ----------
    version : str
        A version, of which the first two numbers count.

    Examples
    --------
    >>> made_for("0.1")
    >>> made_for("0.1.7")
    >>> made_for("0.0")
    This chapter was made for version 0.0 of calibration_lessons; 0.1.0 is installed. Numbers may differ.
    """
    if __version__.split(".")[:2] != version.split(".")[:2]:
        print(
            f"This chapter was made for version {version} of calibration_lessons; "
            f"{__version__} is installed. Numbers may differ."
        )
