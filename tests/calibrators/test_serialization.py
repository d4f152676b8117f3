"""A calibrator as a few numbers: there and back again to the last bit, and what is refused on the way."""

import copy
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn.exceptions import NotFittedError

import calibration_lessons as cl
from tests.calibrators.cases import fitted_with_rows, simulate
from tests.tampered import put, tampered

LOGITS, LABELS = simulate(200, 3, 2.0)
SCORES = LOGITS[:, 1] - LOGITS[:, 0]
POSITIVE = (LABELS == 1).astype(int)
PROBABILITIES = cl.softmax(LOGITS)


def there_and_back(calibrator):
    return cl.calibrator_from_dict(json.loads(json.dumps(calibrator.to_dict(), allow_nan=False)))


@given(fitted_with_rows())
def test_what_went_through_json_gives_the_same_probabilities_to_the_last_bit(case):
    calibrator, rows = case
    again = there_and_back(calibrator)
    assert type(again) is type(calibrator) and repr(again) == repr(calibrator)
    with np.errstate(over="ignore", under="ignore"):
        assert again.predict_proba(rows).tobytes() == calibrator.predict_proba(rows).tobytes()
    assert again.to_dict() == calibrator.to_dict()


def test_the_names_of_a_data_frames_columns_are_kept():
    frame = pd.DataFrame(LOGITS, columns=["a", "b", "c"])
    again = there_and_back(cl.TemperatureScaling().fit(frame, LABELS))
    assert again.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        again.predict_proba(frame[["b", "a", "c"]])


def test_a_diagonal_matrix_is_kept_as_its_diagonal():
    scaling = cl.MatrixScaling("vector", strength=1.0).fit(LOGITS, LABELS)
    state = scaling.to_dict()
    assert state["learned"]["coef_"] == np.diag(scaling.coef_).tolist()
    assert there_and_back(scaling).coef_.tobytes() == scaling.coef_.tobytes()
    state["learned"]["coef_"] = scaling.coef_.tolist()  # as it may be written, too
    assert cl.calibrator_from_dict(state).coef_.tobytes() == scaling.coef_.tobytes()
    state["learned"]["coef_"] = [1.0, 2.0]
    with pytest.raises(ValueError, match=r"\['coef_'\] has 2 numbers along K: expected 3"):
        cl.calibrator_from_dict(state)
    state["learned"]["coef_"] = []
    with pytest.raises(TypeError, match=r"\['coef_'\] has the shape \(0,\): expected numbers in 2 dim"):
        cl.calibrator_from_dict(state)


def test_numbers_that_another_language_wrote_are_the_same_numbers():
    state = cl.HistogramBinning(2).fit([0.25, 0.75, 0.8], [0, 1, 1]).to_dict()
    assert state["learned"]["values_"] == [0.0, 1.0]
    state["learned"]["values_"] = [0, 1]  # as JavaScript writes them
    state["learned"]["edges_"] = [0, 5e-1, 1]
    assert cl.calibrator_from_dict(state).values_.dtype == np.float64


def test_what_is_not_fitted_or_not_of_this_package_has_no_state():
    class Mine(cl.PlattScaling):
        pass

    with pytest.raises(NotFittedError):
        cl.PlattScaling().to_dict()
    with pytest.raises(TypeError, match="calibrator is of type Mine: expected a calibrator of this package"):
        Mine().fit(SCORES, POSITIVE).to_dict()
    with pytest.raises(TypeError, match="calibrator is of type Mine"):
        cl.OneVsRest(Mine()).fit(LOGITS, LABELS).to_dict()


STATES = {
    "temperature": cl.TemperatureScaling().fit(LOGITS, LABELS).to_dict(),
    "platt": cl.PlattScaling().fit(SCORES, POSITIVE).to_dict(),
    "isotonic": cl.IsotonicCalibration().fit(SCORES, POSITIVE).to_dict(),
    "uniform": cl.HistogramBinning(4).fit(PROBABILITIES[:, 1], POSITIVE).to_dict(),
    "rest": cl.OneVsRest(cl.PlattScaling()).fit(LOGITS, LABELS).to_dict(),
    "matrix": cl.MatrixScaling().fit(LOGITS, LABELS).to_dict(),
    "named": cl.PlattScaling().fit(pd.DataFrame({"z": SCORES}), POSITIVE).to_dict(),
}
ONE = {"calibrators_": STATES["rest"]["learned"]["calibrators_"][:1]}
STATES["alone"] = {**STATES["rest"], "n_features_in_": 1, "learned": ONE}


@pytest.mark.parametrize(("state", "path", "value", "place"), tampered("calibrator"))
def test_what_is_no_state_is_refused_at_its_place(state, path, value, place):
    with pytest.raises(cl.Refusal, match=rf"^{re.escape(place)} "):
        cl.calibrator_from_dict(put(STATES[state], path, value))


@pytest.mark.parametrize("name", [name for name in STATES if name != "alone"])
def test_a_state_is_left_as_it_stands(name):
    before = copy.deepcopy(STATES[name])
    cl.calibrator_from_dict(STATES[name])
    assert STATES[name] == before


@pytest.mark.parametrize("state", [None, [], "{}", 3])
def test_only_a_dict_is_a_state(state):
    with pytest.raises(TypeError, match=r"state is of type .*: expected a dict"):
        cl.calibrator_from_dict(state)
