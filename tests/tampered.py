"""States that somebody changed, from `tampered.toml`."""

import copy
import tomllib
from pathlib import Path


def tampered(kind):
    """Rows of a kind: which state, the way to a place, what is put there, the place that is named."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[kind]


def put(state, path, value):
    """A copy of a state with another value at a place, or with none."""
    state = copy.deepcopy(state)
    inner = state
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = None if value == {"none": True} else value
    if value == {"left-out": True}:
        del inner[path[-1]]
    return state
