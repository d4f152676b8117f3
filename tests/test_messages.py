"""What every refusal says, word for word: the argument, the place, what stands there, what was expected."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, SVR

import calibration_lessons as cl
from calibration_lessons import datasets, simulate

NAMES = {
    **{"np": np, "sparse": sparse, "cl": cl, "datasets": datasets, "simulate": simulate},
    **{"RidgeClassifier": RidgeClassifier, "KNeighborsClassifier": KNeighborsClassifier, "SVC": SVC},
    **{"GaussianNB": GaussianNB, "FrozenEstimator": FrozenEstimator, "KFold": KFold, "SVR": SVR},
    **{"X": np.arange(20.0).reshape(10, 2), "Y": [0, 1] * 5},
}
# A call, then its error, indented. It is evaluated in its test: a mutant is active only there.
LINES = (Path(__file__).parent / "messages.txt").read_text(encoding="utf-8").splitlines()
CASES = [line for line in LINES if line and not line.startswith("#")]


@pytest.mark.parametrize(("call", "refusal"), list(zip(CASES[::2], CASES[1::2], strict=True)), ids=CASES[::2])
def test_a_refusal_says_word_for_word_what_was_wrong_where_and_what_was_expected(call, refusal):
    with pytest.raises((ValueError, TypeError)) as caught:
        eval(call, NAMES)
    assert f"    {caught.typename}: {caught.value}" == refusal
