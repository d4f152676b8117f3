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
from calibration_lessons._json_state import ENVELOPE, checksum
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
HELD = cl.PlattScaling(slope=1.0).fit(SCORES, POSITIVE).to_dict()
ISOTONIC = cl.IsotonicCalibration().fit(SCORES, POSITIVE).to_dict()
UNIFORM = cl.HistogramBinning(4).fit(PROBABILITIES[:, 1], POSITIVE).to_dict()
SINGLE = cl.HistogramBinning(4).fit(PROBABILITIES[:, 1].astype(np.float32), POSITIVE).to_dict()
QUANTILE = cl.HistogramBinning(4, "quantile").fit(SCORES, POSITIVE).to_dict()
REST = cl.OneVsRest(cl.PlattScaling()).fit(LOGITS, LABELS).to_dict()
VECTOR = cl.MatrixScaling("vector").fit(LOGITS, LABELS).to_dict()
NAMED = cl.PlattScaling().fit(pd.DataFrame({"z": SCORES}), POSITIVE).to_dict()
LEFT_OUT = object()
ALONE = {**REST, "n_features_in_": 1, "learned": {"calibrators_": REST["learned"]["calibrators_"][:1]}}

# A state, a place in it, what is put there, and what is said; the checksum is made anew, as a forger would.
# fmt: off
TAMPERED = [
    (PLATT, ["format"], "another", "state['format'] = 'another': expected 'calibration_lessons.calibrator'"),
    (PLATT, ["format"], LEFT_OUT, "state['format'] = None: expected 'calibration_lessons.calibrator'"),
    (PLATT, ["version"], 2, "state['version'] = 2: expected at most 1, which this release reads"),
    (PLATT, ["version"], "1", "state['version'] = '1': expected the number of a version"),
    (PLATT, ["version"], True, "state['version'] = True: expected the number of a version"),
    (PLATT, ["version"], 0, "state['version'] = 0: expected the number of a version"),
    (PLATT, ["extra"], 1, "state has the unknown key 'extra': expected the keys"),
    (PLATT, ["learned"], LEFT_OUT, "state lacks the key 'learned': expected the keys"),
    (PLATT, ["learned"], [1.0], "state['learned'] is of type list: expected a dict"),
    (PLATT, ["calibrator"], "CalibratedModel", "state['calibrator'] = 'CalibratedModel': expected the name of a calibrator"),
    (PLATT, ["calibrator"], "softmax", "state['calibrator'] = 'softmax': expected the name of a calibrator"),
    (PLATT, ["calibrator"], "Vectors", "state['calibrator'] = 'Vectors': expected the name of a calibrator"),
    (PLATT, ["calibrator"], ["PlattScaling"], "state['calibrator'] = ['PlattScaling']: expected the name"),
    (PLATT, ["parameters", "prior_targets"], 1, "state['parameters']['prior_targets'] = 1: expected a parameter like True"),
    (PLATT, ["parameters", "prior_targets"], LEFT_OUT, "state['parameters'] lacks the key 'prior_targets'"),
    (HELD, ["learned", "slope_"], 2.0, "state['learned']['slope_'] = 2.0: expected the slope 1.0, held"),
    (PLATT, ["parameters", "more"], 1, "state['parameters'] has the unknown key 'more'"),
    (UNIFORM, ["parameters", "strategy"], "other", "strategy = 'other': expected one of 'uniform', 'quantile'"),
    (PLATT, ["n_features_in_"], 2, "state['n_features_in_'] = 2: expected 1, for one score a row"),
    (PLATT, ["n_features_in_"], 1.0, "state['n_features_in_'] = 1.0: expected a whole number of at least 1"),
    (PLATT, ["learned", "slope_"], "1", "state['learned']['slope_'] = '1': expected a finite number"),
    (PLATT, ["learned", "slope_"], True, "state['learned']['slope_'] = True: expected a finite number"),
    (PLATT, ["learned", "slope_"], None, "state['learned']['slope_'] = None: expected a finite number"),
    (PLATT, ["learned", "slope_"], [1.0], "state['learned']['slope_'] = [1.0]: expected a finite number"),
    (PLATT, ["learned", "slope_"], "inf", "state['learned']['slope_'] = 'inf': expected a finite number"),
    (PLATT, ["learned", "slope_"], 10**400, "state['learned']['slope_'] = 1000"),
    (PLATT, ["learned", "scale_"], 1.0, "state['learned'] has the unknown key 'scale_'"),
    (PLATT, ["learned", "slope_"], LEFT_OUT, "state['learned'] lacks the key 'slope_'"),
    (TEMPERATURE, ["learned", "temperature_"], 0.0, "state['learned']['temperature_'] = 0.0: expected a number in (0, inf)"),
    (TEMPERATURE, ["learned", "temperature_"], -2, "state['learned']['temperature_'] = -2.0: expected a number in (0, inf)"),
    (ISOTONIC, ["learned", "thresholds_"], 1.0, "state['learned']['thresholds_'] is of type float: expected a list of numbers, not empty"),
    (ISOTONIC, ["learned", "thresholds_"], [], "state['learned']['thresholds_'] = []: expected a list of numbers, not empty"),
    (ISOTONIC, ["learned", "thresholds_", 1], -1e9, "state['learned']['thresholds_'][1] = -1000000000.0: expected strictly rising numbers"),
    (ISOTONIC, ["learned", "thresholds_", 1], ISOTONIC["learned"]["thresholds_"][0], "state['learned']['thresholds_'][1] ="),
    (ISOTONIC, ["learned", "thresholds_", 2], "x", "state['learned']['thresholds_'][2] = 'x': expected a finite number"),
    (ISOTONIC, ["learned", "thresholds_", 0], "-inf", "state['learned']['thresholds_'][0] = '-inf': expected a finite number"),
    (ISOTONIC, ["learned", "thresholds_", 2], [1.0], "state['learned']['thresholds_'][2] = [1.0]: expected a finite number"),
    (ISOTONIC, ["learned", "values_", 1], 1.5, "state['learned']['values_'][1] = 1.5: expected a number in [0, 1]"),
    (ISOTONIC, ["learned", "values_", -1], 0.0, "expected weakly rising numbers"),
    (ISOTONIC, ["learned", "values_"], [0.5], "state['learned']['values_'] has 1 numbers along M: expected"),
    (UNIFORM, ["learned", "edges_", 1], 0.3, "state['learned']['edges_'] have unequal distances: expected m / 4"),
    (UNIFORM, ["learned", "edges_", 0], "-inf", "state['learned']['edges_'] run from -inf to 1.0: expected edges from 0 to 1"),
    (UNIFORM, ["learned", "edges_", 4], "inf", "state['learned']['edges_'] run from 0.0 to inf: expected edges from 0 to 1"),
    (UNIFORM, ["learned", "edges_"], [0.0, 0.5, 1.0], "state['learned']['values_'] has 4 numbers along M: expected 2"),
    (UNIFORM, ["learned", "counts_", 2], 0.5, "state['learned']['counts_'][2] = 0.5: expected a whole number"),
    (UNIFORM, ["learned", "counts_", 2], -1, "state['learned']['counts_'][2] = -1.0: expected a number in [0, inf]"),
    (SINGLE, ["learned", "edges_", "dtype"], "float64", "state['learned']['edges_']['dtype'] = 'float64': expected one of 'float16', 'float32'"),
    (SINGLE, ["learned", "edges_", "numbers", 1], 0.1, "state['learned']['edges_']['numbers'] holds more digits than float32"),
    (QUANTILE, ["learned", "edges_", 0], -100.0, "state['learned']['edges_'] run from -100.0 to inf: expected edges from -inf to inf"),
    (REST, ["learned", "calibrators_"], {}, "state['learned']['calibrators_'] is no list of one calibrator a class: expected 3 of them"),
    (REST, ["learned", "calibrators_", 2], 7, "state['learned']['calibrators_'][2] is of type int: expected a dict"),
    (REST, ["learned", "calibrators_", 1, "learned", "slope_"], None, "state['learned']['calibrators_'][1]['learned']['slope_'] = None: expected"),
    (REST, ["parameters", "calibrator"], 3, "state['parameters']['calibrator'] is of type int: expected a dict"),
    (REST, ["parameters", "calibrator", "parameters", "prior_targets"], False, "state['learned']['calibrators_'][0] holds PlattScaling(): expected what the parameter says"),
    (REST, ["n_features_in_"], 2, "state['learned']['calibrators_'] is no list of one calibrator a class: expected 2 of them"),
    (ALONE, ["version"], 1, "state gives a calibrator that answers no row (X has shape (1,)"),
    (VECTOR, ["learned", "coef_", 0, 1], 0.5, "state['learned']['coef_'][0, 1] is not diagonal: expected 0 outside of the diagonal, for the structure 'vector'"),
    (NAMED, ["feature_names_in_"], ["a", "b"], "state['feature_names_in_'] = ['a', 'b']: expected a list of 1 names"),
    (NAMED, ["feature_names_in_"], [3], "state['feature_names_in_'] = [3]: expected a list of 1 names"),
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


@pytest.mark.parametrize(("state", "path", "value", "message"), TAMPERED)
def test_a_tampered_state_is_refused_at_its_place(state, path, value, message):
    forged = put(state, path, value)
    if value != 10**400:
        forged["checksum"] = checksum({k: v for k, v in forged.items() if k not in ENVELOPE})
    with pytest.raises((ValueError, TypeError)) as refusal:
        cl.calibrator_from_dict(forged)
    assert message in str(refusal.value)


@pytest.mark.parametrize("state", [PLATT, TEMPERATURE, ISOTONIC, UNIFORM, SINGLE, QUANTILE, REST, NAMED])
def test_a_state_is_read_as_it_stands_and_no_number_of_it_can_be_edited(state):
    before = copy.deepcopy(state)
    cl.calibrator_from_dict(state)
    assert state == before

    def paths(value, path=()):
        items = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, item in items:
            yield from paths(item, (*path, key))
        if isinstance(value, float) or (isinstance(value, int) and path != ("version",)):
            yield path, value

    for path, value in paths(state["learned"], ("learned",)):
        with pytest.raises((ValueError, TypeError)):
            cl.calibrator_from_dict(put(state, path, value * (1 + 2**-52) + 1e-300))


def test_a_checksum_of_other_numbers_is_refused():
    message = "expected the checksum of the numbers beside it: one of them has changed"
    for other in (0, None, TEMPERATURE["checksum"]):
        with pytest.raises(ValueError, match=message):
            cl.calibrator_from_dict(PLATT | {"checksum": other})
    with pytest.raises(ValueError, match=message):
        cl.calibrator_from_dict({key: value for key, value in PLATT.items() if key != "checksum"})


@pytest.mark.parametrize("state", [None, [], "{}", 3])
def test_only_a_dict_is_a_state(state):
    with pytest.raises(TypeError, match=r"state is of type .*: expected a dict"):
        cl.calibrator_from_dict(state)
