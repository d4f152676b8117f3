"""State that becomes JSON: what kind it is, in which version, and a checksum that an edited number breaks.

The checksum notices damage and edits by hand. It is no signature: whoever writes the numbers can write it
as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from typing import Any

from . import _input

ENVELOPE = ("format", "version", "checksum")


def sealed(kind: str, version: int, content: dict[str, Any]) -> dict[str, Any]:
    """Return the content with its kind, its version and its checksum."""
    return {"format": kind, "version": version, **content, "checksum": checksum(content)}


def opened(state: Any, kind: str, version: int, name: str = "state") -> dict[str, Any]:
    """Return the content of a state; refuse another kind and a version that is not known here."""
    content = keyed(state, name, also=None)
    if content.get("format") != kind:
        raise _input.BadValue(f"{name}['format']", f"= {content.get('format')!r}", repr(kind))
    found = content.get("version")
    if type(found) is not int or not 1 <= found <= version:
        newer = type(found) is int and found > version
        expected = f"at most {version}, which this release reads" if newer else "the number of a version"
        raise _input.BadValue(f"{name}['version']", f"= {found!r}", expected)
    return {key: value for key, value in content.items() if key not in ENVELOPE}


def check_seal(state: dict[str, Any], content: dict[str, Any], name: str = "state") -> None:
    """Refuse content that is not what the checksum was made of."""
    if state.get("checksum") != checksum(content):
        expected = "the checksum of the numbers beside it: one of them has changed"
        raise _input.BadValue(f"{name}['checksum']", f"= {state.get('checksum')!r}", expected)


def checksum(content: dict[str, Any]) -> str:
    """SHA-256 of the content; 1, 1.0 and 1e0 are the same number, as other languages may write it."""
    text = json.dumps(_floats(content), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def keyed(
    value: Any, name: str, needed: Collection[str] = (), *, also: Collection[str] | None = ()
) -> dict[str, Any]:
    """Return a mapping with the needed keys, and no others but those in `also` (None: any)."""
    if not isinstance(value, dict):
        raise _input.BadType(name, f"is of type {type(value).__name__}", "a dict")
    for key in needed:
        if key not in value:
            raise _input.BadValue(name, f"lacks the key {key!r}", f"the keys {sorted(needed)}")
    if also is not None:
        for key in value:
            if key not in needed and key not in also:
                raise _input.BadValue(name, f"has the unknown key {key!r}", f"the keys {sorted(needed)}")
    return value


def number(value: Any, name: str, index: tuple[int, ...] = ()) -> float:
    """Return a number of a JSON file, never a truth value, a text or NaN."""
    real = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        finite = real and abs(float(value)) < float("inf")
    except OverflowError:
        finite = False
    if not finite:
        kind = _input.BadValue if real else _input.BadType
        raise kind(name, f"= {value!r}", "a finite number", index)
    return float(value)


def _floats(value: Any) -> Any:
    """Return nested lists and dicts with every number as a float, and no negative zero."""
    if isinstance(value, dict):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) + 0.0
    return value
