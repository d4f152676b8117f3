"""A calibrator as a few numbers: there and back again to the last bit, and what is refused on the way."""

# ruff: noqa: E501

import copy
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn.exceptions import NotFittedError

import calibration_lessons as cl
from tests.calibrators.cases import BY_CLASS, EVERY, fitted_with_rows, simulate, sound

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


@pytest.mark.parametrize("calibrator", EVERY, ids=repr)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_every_learned_attribute_comes_back_with_its_type(calibrator, dtype):
    def learned(fitted):
        values = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
        values.pop("path_", None)  # how cross-validation went does not travel
        return values, [learned(each) for each in values.pop("calibrators_", [])]

    def same(one, other):
        assert one[0].keys() == other[0].keys()
        for name, value in one[0].items():
            assert np.array_equal(value, other[0][name]), name
            assert np.asarray(value).dtype == np.asarray(other[0][name]).dtype, name
        for mine, theirs in zip(one[1], other[1], strict=True):
            same(mine, theirs)

    columns = 3 if isinstance(calibrator, BY_CLASS) else 1
    rows, labels = sound(np.random.default_rng(3), 150, columns, 1.0, dtype, calibrator.reads)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted = calibrator.fit(rows, labels)
    same(learned(fitted), learned(there_and_back(fitted)))


def test_the_names_of_a_data_frames_columns_are_kept():
    frame = pd.DataFrame(LOGITS, columns=["a", "b", "c"])
    again = there_and_back(cl.TemperatureScaling().fit(frame, LABELS))
    assert again.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        again.predict_proba(frame[["b", "a", "c"]])


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


TEMPERATURE = cl.TemperatureScaling().fit(LOGITS, LABELS).to_dict()
PLATT = cl.PlattScaling().fit(SCORES, POSITIVE).to_dict()
ISOTONIC = cl.IsotonicCalibration().fit(SCORES, POSITIVE).to_dict()
UNIFORM = cl.HistogramBinning(4).fit(PROBABILITIES[:, 1], POSITIVE).to_dict()
REST = cl.OneVsRest(cl.PlattScaling()).fit(LOGITS, LABELS).to_dict()
MATRIX = cl.MatrixScaling().fit(LOGITS, LABELS).to_dict()
NAMED = cl.PlattScaling().fit(pd.DataFrame({"z": SCORES}), POSITIVE).to_dict()
ALONE = {**REST, "n_features_in_": 1, "learned": {"calibrators_": REST["learned"]["calibrators_"][:1]}}
LEFT_OUT = object()
LEARNED, INNER = "state['learned']", "state['learned']['calibrators_']"

# A state, a place in it, what is put there, the place that is named, and what is said of it.
# fmt: off
TAMPERED = [
    (PLATT, ["format"], "another", "state['format']", "= 'another': expected one of 'calibration_lessons.calibrator'"),
    (PLATT, ["format"], LEFT_OUT, "state['format']", "= None"),
    (PLATT, ["version"], 2, "state['version']", "= 2: expected one of 1"),
    (PLATT, ["version"], "1", "state['version']", "= '1'"),
    (PLATT, ["extra"], 1, "state", "has the unknown key 'extra': expected the keys"),
    (PLATT, ["learned"], LEFT_OUT, "state", "lacks the key 'learned': expected the keys"),
    (PLATT, ["learned"], [1.0], LEARNED, "is of type list: expected a dict"),
    (PLATT, ["calibrator"], "CalibratedModel", "state['calibrator']", "= 'CalibratedModel': expected the name of a calibrator"),
    (PLATT, ["calibrator"], "softmax", "state['calibrator']", "= 'softmax'"),
    (PLATT, ["calibrator"], ["PlattScaling"], "state['calibrator']", "= ['PlattScaling']"),
    (PLATT, ["parameters", "prior_targets"], 1, "state['parameters']['prior_targets']", "= 1: expected a parameter like True"),
    (PLATT, ["parameters", "prior_targets"], LEFT_OUT, "state['parameters']", "lacks the key 'prior_targets'"),
    (PLATT, ["parameters", "more"], 1, "state['parameters']", "has the unknown key 'more'"),
    (PLATT, ["n_features_in_"], 2, "state", "gives a calibrator that answers no row"),
    (PLATT, ["n_features_in_"], 1.0, "state['n_features_in_']", "= 1.0: expected a whole number of at least 1"),
    (PLATT, ["learned", "slope_"], "1", f"{LEARNED}['slope_']", "= '1': expected a finite number"),
    (PLATT, ["learned", "slope_"], True, f"{LEARNED}['slope_']", "= True"),
    (PLATT, ["learned", "slope_"], None, f"{LEARNED}['slope_']", "= None"),
    (PLATT, ["learned", "slope_"], [1.0], f"{LEARNED}['slope_']", "has the shape (1,): expected one number"),
    (PLATT, ["learned", "slope_"], "inf", f"{LEARNED}['slope_']", "= 'inf'"),
    (PLATT, ["learned", "slope_"], float("nan"), f"{LEARNED}['slope_']", "= nan"),
    (PLATT, ["learned", "slope_"], float("inf"), f"{LEARNED}['slope_']", "= inf"),
    (PLATT, ["learned", "slope_"], 10**400, f"{LEARNED}['slope_']", "= 1000"),
    (PLATT, ["learned", "scale_"], 1.0, LEARNED, "has the unknown key 'scale_'"),
    (PLATT, ["learned", "slope_"], LEFT_OUT, LEARNED, "lacks the key 'slope_'"),
    (TEMPERATURE, ["learned", "temperature_"], -2, f"{LEARNED}['temperature_']", "= -2: expected a number in [0, inf]"),
    (ISOTONIC, ["learned", "thresholds_"], 1.0, f"{LEARNED}['thresholds_']", "has the shape (): expected 1-D lists, not empty"),
    (ISOTONIC, ["learned", "thresholds_"], [], f"{LEARNED}['thresholds_']", "has the shape (0,)"),
    (ISOTONIC, ["learned", "thresholds_", 2], "x", f"{LEARNED}['thresholds_'][2]", "= 'x': expected a finite number"),
    (ISOTONIC, ["learned", "thresholds_", 0], "-inf", f"{LEARNED}['thresholds_'][0]", "= '-inf'"),
    (ISOTONIC, ["learned", "thresholds_", 2], [1.0], f"{LEARNED}['thresholds_'][2]", "= [1.0]"),
    (ISOTONIC, ["learned", "values_", 1], 1.5, f"{LEARNED}['values_'][1]", "= 1.5: expected a number in [0, 1]"),
    (ISOTONIC, ["learned", "values_"], [0.5], f"{LEARNED}['values_']", "has 1 numbers along M: expected"),
    (UNIFORM, ["parameters", "strategy"], "other", "state", "gives a calibrator that answers no row (strategy = 'other'"),
    (UNIFORM, ["learned", "edges_"], [0.0, 0.5, 1.0], f"{LEARNED}['values_']", "has 4 numbers along M: expected 2"),
    (UNIFORM, ["learned", "counts_", 2], 0.5, f"{LEARNED}['counts_'][2]", "= 0.5: expected a whole number"),
    (UNIFORM, ["learned", "counts_", 2], -1, f"{LEARNED}['counts_'][2]", "= -1: expected a number in [0, inf]"),
    (MATRIX, ["learned", "coef_", 1], [0.5], f"{LEARNED}['coef_']", "has the shape (3,): expected 2-D lists"),
    (MATRIX, ["learned", "intercept_"], [0.5, 0.5], f"{LEARNED}['intercept_']", "has 2 numbers along K: expected 3"),
    (REST, ["learned", "calibrators_"], {}, INNER, "is no list of one calibrator a class: expected 3 of them"),
    (REST, ["learned", "calibrators_", 2], 7, f"{INNER}[2]", "is of type int: expected a dict"),
    (REST, ["learned", "calibrators_", 1, "learned", "slope_"], None, f"{INNER}[1]['learned']['slope_']", "= None"),
    (REST, ["parameters", "calibrator"], 3, "state['parameters']['calibrator']", "is of type int: expected a dict"),
    (REST, ["n_features_in_"], 2, INNER, "is no list of one calibrator a class: expected 2 of them"),
    (ALONE, ["version"], 1, "state", "gives a calibrator that answers no row (X has shape (1,)"),
    (NAMED, ["feature_names_in_"], ["a", "b"], "state['feature_names_in_']", "= ['a', 'b']: expected a list of 1 names"),
    (NAMED, ["feature_names_in_"], [3], "state['feature_names_in_']", "= [3]"),
]
# fmt: on


def put(state, path, value):
    state = copy.deepcopy(state)
    inner = state
    for key in path[:-1]:
        inner = inner[key]
    if value is LEFT_OUT:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return state


@pytest.mark.parametrize(("state", "path", "value", "place", "message"), TAMPERED)
def test_what_is_no_state_is_refused_at_its_place(state, path, value, place, message):
    with pytest.raises((ValueError, TypeError)) as refusal:
        cl.calibrator_from_dict(put(state, path, value))
    assert str(refusal.value).startswith(f"{place} {message}")


def test_a_state_is_left_as_it_stands():
    for state in (PLATT, UNIFORM, REST, MATRIX, NAMED):
        before = copy.deepcopy(state)
        cl.calibrator_from_dict(state)
        assert state == before


@pytest.mark.parametrize("state", [None, [], "{}", 3])
def test_only_a_dict_is_a_state(state):
    with pytest.raises(TypeError, match=r"state is of type .*: expected a dict"):
        cl.calibrator_from_dict(state)
