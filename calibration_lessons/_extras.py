"""What to say where a part of the package needs more than NumPy, SciPy and scikit-learn."""


def missing(module: str, extra: str, error: ImportError) -> ImportError:
    """Return the error that names the module, the package that it needs, and the extra that installs it."""
    needed = (error.name or "more").partition(".")[0]
    message = f"{module} needs {needed}: pip install 'calibration-lessons[{extra}]'"
    return ImportError(message, name=error.name)
