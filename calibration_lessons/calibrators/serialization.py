"""A fitted calibrator as a few numbers, and back again: the state that a JSON file keeps, with no pickle."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import numpy as np

from .. import _input
from .. import _json_state as _sealed
from ._base import BinaryCalibrator, Calibrator
from ._fitted_numbers import Calibrators, Numbers

FORMAT, VERSION = "calibration_lessons.calibrator", 1
KEYS = ("calibrator", "parameters", "n_features_in_", "learned")
NAMES = "feature_names_in_"
KINDS = {type(None): (type(None), bool, int, float, str), float: (float, int)}  # by a parameter's default


def calibrator_from_dict(state: dict[str, Any]) -> Calibrator:
    """Read a fitted calibrator from the numbers that its `to_dict` gave.

    Parameters
    ----------
    state : dict
        What `to_dict` returned, whether or not it went through JSON on the way.

    Returns
    -------
    calibrator
        One whose `predict_proba` equals that of the first to the last bit.

    Raises
    ------
    ValueError, TypeError
        For anything but such a state: another format, a version that is too new, unknown or missing keys,
        numbers of the wrong type, shape, range or order, and numbers that the checksum was not made of.
        The message names the place.

    Notes
    -----
    Nothing in a state is executed, so that reading a foreign one is safe. The checksum notices damage and
    edits by hand; it is no signature.

    A `CalibratedModel` has no state of this kind, because its classifier belongs to another library and is
    kept by that library's means. Its calibrator, ``model.calibrator_``, has one.

    Examples
    --------
    >>> import json
    >>> from calibration_lessons import PlattScaling
    >>> platt = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> text = json.dumps(platt.to_dict())
    >>> again = calibrator_from_dict(json.loads(text))
    >>> again, again.slope_ == platt.slope_
    (PlattScaling(), True)
    """
    content = _sealed.opened(state, FORMAT, VERSION)
    calibrator = _read(content, "state")
    _sealed.check_seal(state, content)
    _complete(calibrator)
    if NAMES in content:
        calibrator.feature_names_in_ = np.array(content[NAMES], dtype=object)
    return calibrator


def written(calibrator: Calibrator) -> dict[str, Any]:
    """Return the state of a fitted calibrator."""
    return _sealed.sealed(FORMAT, VERSION, _content(calibrator))


def _content(calibrator: Calibrator) -> dict[str, Any]:
    kind = type(calibrator)
    if _class_of(kind.__name__) is not kind:
        expected = "a calibrator of this package: another one's learned numbers are not known here"
        raise _input.BadType("calibrator", f"is of type {kind.__name__}", expected)
    names = {NAMES: calibrator.feature_names_in_.tolist()} if hasattr(calibrator, NAMES) else {}
    learned = {name: _written(getattr(calibrator, name), what) for name, what in kind._learned.items()}
    shape = {"n_features_in_": int(calibrator.n_features_in_)}
    return {**_plan(calibrator), **shape, **names, "learned": learned}


def _written(value: Any, what: Numbers | Calibrators) -> Any:
    return what.written(value) if isinstance(what, Numbers) else [_content(each) for each in value]


def _plan(calibrator: Calibrator) -> dict[str, Any]:
    """Name of the class, and its parameters."""
    parameters = {}
    for name, value in calibrator.get_params(deep=False).items():
        plain = value.item() if isinstance(value, np.generic) else value
        parameters[name] = _plan(plain) if isinstance(plain, Calibrator) else plain
    return {"calibrator": type(calibrator).__name__, "parameters": parameters}


def _class_of(name: Any) -> type[Calibrator] | None:
    """Return the public calibrator of that name."""
    found = getattr(import_module(__package__.partition(".")[0]), name, None)
    return found if isinstance(found, type) and issubclass(found, Calibrator) else None


def _planned(value: dict[str, Any], name: str) -> Calibrator:
    """Make the calibrator that a name and parameters describe, not fitted."""
    kind = _class_of(value["calibrator"]) if isinstance(value["calibrator"], str) else None
    if kind is None:
        expected = "the name of a calibrator that this release knows"
        raise _input.BadValue(f"{name}['calibrator']", f"= {value['calibrator']!r}", expected)
    defaults = {key: each.default for key, each in inspect.signature(kind).parameters.items()}
    parameters = _sealed.keyed(value["parameters"], f"{name}['parameters']", defaults)
    read = {}
    for key, default in defaults.items():
        place, found = f"{name}['parameters'][{key!r}]", parameters[key]
        if default is inspect.Parameter.empty:
            found = _planned(_sealed.keyed(found, place, ("calibrator", "parameters")), place)
        elif type(found) not in KINDS.get(type(default), (type(default),)):
            raise _input.BadType(place, f"= {found!r}", f"a parameter like {default!r}")
        read[key] = found
    return kind(**read)


def _read(content: Any, name: str) -> Calibrator:
    """Make a fitted calibrator of checked numbers; classes and names are left to the caller."""
    _sealed.keyed(content, name, KEYS, also=(NAMES,))
    calibrator = _planned(content, name)
    columns = _input.positive_whole(content["n_features_in_"], f"{name}['n_features_in_']")
    if isinstance(calibrator, BinaryCalibrator) and columns != 1:
        raise _input.BadValue(f"{name}['n_features_in_']", f"= {columns}", "1, for one score a row")
    calibrator.n_features_in_ = columns
    if NAMES in content:
        _check_names(content[NAMES], columns, f"{name}[{NAMES!r}]")
    learned = _sealed.keyed(content["learned"], f"{name}['learned']", calibrator._learned)
    sizes = {"K": max(2, columns)}
    for key, what in calibrator._learned.items():
        place = f"{name}['learned'][{key!r}]"
        if isinstance(what, Numbers):
            setattr(calibrator, key, what.read(learned[key], place, sizes))
        else:
            setattr(calibrator, key, _one_a_class(learned[key], calibrator, columns, place))
    calibrator._check_learned(f"{name}['learned']")
    return calibrator


def _one_a_class(value: Any, owner: Calibrator, columns: int, name: str) -> list[Calibrator]:
    """Read a fitted calibrator for each class."""
    if not isinstance(value, list) or len(value) != columns:
        raise _input.BadValue(name, "is no list of one calibrator a class", f"{columns} of them")
    fitted = [_read(each, f"{name}[{k}]") for k, each in enumerate(value)]
    for k, each in enumerate(fitted):
        if repr(each) != repr(owner.get_params(deep=False)["calibrator"]) or each.n_features_in_ != 1:
            raise _input.BadValue(name, f"holds {each!r}", "what the parameter says, for one score", (k,))
        each.classes_ = np.arange(2)
    return fitted


def _check_names(value: Any, columns: int, name: str) -> None:
    """Refuse anything but a name for each column of a data frame."""
    if not isinstance(value, list) or len(value) != columns or not all(isinstance(n, str) for n in value):
        raise _input.BadValue(name, f"= {value!r}", f"a list of {columns} names")


def _complete(calibrator: Calibrator) -> None:
    """Set the classes, and let the calibrator answer a row: what does not fit together shows here."""
    columns = calibrator.n_features_in_
    calibrator.classes_ = np.arange(max(2, columns))
    try:
        with np.errstate(all="ignore"):
            calibrator.predict_proba(np.full((1, columns), 1 / max(2, columns)))
    except ValueError as error:
        found = f"gives a calibrator that answers no row ({error})"
        raise _input.BadValue("state", found, "one that does") from error
