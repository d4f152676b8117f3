"""What is refused, from `refusals.toml`: the kind of the error, how its text begins, and the call."""

# ruff: noqa: F401
# the calls are evaluated here: what they name is imported, or a name of the test that asks

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, LinearSVC

import calibration_lessons as cl
from calibration_lessons import _input
from calibration_lessons._input import BadType, BadValue
from calibration_lessons.book import comparison, datasets, simulate, tables

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
KINDS = {kind.__name__: kind for kind in (BadValue, BadType, ValueError, TypeError, NotFittedError)}


def refusals(room):
    """Give a test each row of a table."""
    ids = [f"{start} {number}" for number, (_, start, _) in enumerate(TABLES[room])]
    return pytest.mark.parametrize(("kind", "start", "call"), TABLES[room], ids=ids)


def refused(kind, start, call, names, end=""):
    """Hold a call to its refusal, and to how that ends; `names` are those of the test."""
    with pytest.raises(KINDS[kind]) as caught:
        eval(call, globals() | names)
    assert str(caught.value).startswith(start) and str(caught.value).endswith(end)
