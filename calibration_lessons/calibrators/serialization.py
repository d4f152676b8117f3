"""A fitted calibrator as a few numbers, and back again: the state that a JSON file keeps, with no pickle."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _input
from .._json_state import VERSION, keyed, opened

if TYPE_CHECKING:
    from ._base import Calibrator

FORMAT = "calibration_lessons.calibrator"
PLAN = ("calibrator", "parameters")
KEYS = (*PLAN, "n_features_in_", "learned")
NAMES = "feature_names_in_"


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
        For anything but such a state: another format or version, unknown or missing keys, numbers of the
        wrong type, shape or range. The message names the place.

    Notes
    -----
    Nothing in a state is executed, so that reading a foreign one is safe. Numbers that were edited by hand
    and still fit are read as they stand.

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
    return _fitted(opened(state, FORMAT, KEYS, [NAMES]), "state")


def state_of(calibrator: Calibrator) -> dict[str, Any]:
    """Return the state of a fitted calibrator."""
    return {"format": FORMAT, "version": VERSION, **_content(calibrator)}


def _content(calibrator: Calibrator) -> dict[str, Any]:
    kind = type(calibrator)
    if _class_of(kind.__name__) is not kind:
        expected = "a calibrator of this package: another one's learned numbers are not known here"
        raise _input.BadType("calibrator", f"is of type {kind.__name__}", expected)
    content = {**_plan(calibrator), "n_features_in_": calibrator.n_features_in_, "learned": {}}
    if hasattr(calibrator, NAMES):
        content[NAMES] = calibrator.feature_names_in_.tolist()
    for name in kind._learned:
        value = getattr(calibrator, name)
        content["learned"][name] = list(map(_content, value)) if isinstance(value, list) else _plain(value)
    return content


def _plain(value: Any) -> Any:
    """Return numbers as JSON holds them, where infinities are texts; of a diagonal matrix the diagonal."""
    array = np.asarray(value)
    if array.ndim == 2 and np.count_nonzero(array) == np.count_nonzero(np.diag(array)):
        array = np.diag(array)
    return np.where(np.isinf(array), array.astype(str), array.astype(object)).tolist()


def _plan(calibrator: Calibrator) -> dict[str, Any]:
    """Name of the class, and its parameters."""
    parameters = calibrator.get_params(deep=False)
    for name, value in parameters.items():
        if hasattr(value, "get_params"):
            parameters[name] = _plan(value)
        elif isinstance(value, np.generic):
            parameters[name] = value.item()
    return {"calibrator": type(calibrator).__name__, "parameters": parameters}


def _class_of(name: Any) -> type[Calibrator] | None:
    """Return the public calibrator of that name."""
    found = getattr(import_module(__package__.partition(".")[0]), str(name), None)
    return found if hasattr(found, "_learned") else None


def _planned(value: dict[str, Any], name: str) -> Calibrator:
    """Make the calibrator that a name and parameters describe, not fitted."""
    kind = _class_of(value["calibrator"])
    if kind is None:
        expected = "the name of a calibrator that this release knows"
        raise _input.BadValue(f"{name}['calibrator']", f"= {value['calibrator']!r}", expected)
    defaults = {key: each.default for key, each in inspect.signature(kind).parameters.items()}
    parameters = keyed(value["parameters"], f"{name}['parameters']", defaults)
    for key, default in defaults.items():
        place, found = f"{name}['parameters'][{key!r}]", parameters[key]
        numbers = (int, float) if isinstance(default, float) else type(default)
        if default is inspect.Parameter.empty:
            parameters[key] = _planned(keyed(found, place, PLAN), place)
        elif default is not None and not isinstance(found, numbers):
            raise _input.BadType(place, f"= {found!r}", f"a parameter like {default!r}")
    return kind(**parameters)


def _fitted(content: dict[str, Any], name: str) -> Calibrator:
    """Make a fitted calibrator of its plan and of checked numbers."""
    calibrator = _planned(content, name)
    columns = _input.positive_whole(content["n_features_in_"], f"{name}['n_features_in_']")
    sizes = {"K": max(2, columns)}
    learned = keyed(content["learned"], f"{name}['learned']", calibrator._learned)
    for key, what in calibrator._learned.items():
        place, value = f"{name}['learned'][{key!r}]", learned[key]
        if what is None:
            if not isinstance(value, list) or len(value) != columns:
                raise _input.BadValue(place, "is no list of one calibrator a class", f"{columns} of them")
            inner = [(keyed(each, f"{place}[{k}]", KEYS), f"{place}[{k}]") for k, each in enumerate(value)]
            setattr(calibrator, key, [_fitted(*each) for each in inner])
        else:
            setattr(calibrator, key, what.read(value, place, sizes))
    calibrator.n_features_in_, calibrator.classes_ = columns, np.arange(sizes["K"])
    try:  # what fits nowhere else shows here
        with np.errstate(all="ignore"):
            answer = calibrator.predict_proba(np.full((1, columns), 1 / sizes["K"]))
        if not np.isfinite(answer).all():
            raise ValueError("but with NaN")
    except ValueError as error:
        found = f"gives a calibrator that answers no row ({error})"
        raise _input.BadValue(name, found, "one that does") from error
    if NAMES in content:
        names = content[NAMES]
        if not isinstance(names, list) or [type(each) for each in names] != [str] * columns:
            raise _input.BadValue(f"{name}[{NAMES!r}]", f"= {names!r}", f"a list of {columns} names")
        calibrator.feature_names_in_ = np.array(names, dtype=object)
    return calibrator
