"""The guards: each reads a tree of files and returns the problems in it."""

from __future__ import annotations

from . import (
    alt_text,
    citations,
    equations,
    hygiene,
    ledgers,
    links,
    names,
    notation,
    numbers,
    retyped,
    shape,
    versions,
)
from .tree import Problem

GUARDS = {
    "equations have a transcription, a function and a test": equations.check,
    "code stands once": retyped.check,
    "numbers in prose are bound": numbers.check,
    "names resolve and public names are used": names.check,
    "symbols are declared once": notation.check,
    "links lead somewhere": links.check,
    "citations and bibliography agree": citations.check,
    "sources and corrections lead to a place": ledgers.check,
    "lessons have their shape": shape.check,
    "the version is the same everywhere": versions.check,
    "figures have alt text": alt_text.check,
    "notebooks are committed executed and clean": hygiene.check,
}

__all__ = ["GUARDS", "Problem"]
