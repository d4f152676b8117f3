"""The audit of groups: the definition, what chance does to the worst of many, and what only bins show."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibration_lessons as cl
from calibration_lessons.book import definitions

RNG = np.random.default_rng(0)
ROW = st.tuples(st.sampled_from("abc"), st.sampled_from([0.1, 0.25, 0.5, 0.9]), st.booleans())


@pytest.mark.equation("eq-group-gap")
@given(st.lists(ROW, min_size=1))
def test_each_group_is_off_by_the_defined_number_of_standard_deviations(rows):
    group, p, y = (np.array(column) for column in zip(*rows, strict=True))
    found = cl.measures.calibration_by_group(y, p, group, random_state=0)
    for name, off, n, said in zip(found.group, found.statistic, found.counts, found.forecast, strict=True):
        inside = group == name
        assert off == pytest.approx(definitions.group_gap(y[inside].tolist(), p[inside].tolist()), abs=1e-9)
        assert n == inside.sum() and said == pytest.approx(p[inside].mean())


def test_labels_columns_and_a_data_frame_of_the_same_groups_find_the_same():
    group, p = RNG.choice(["x", "y", "z"], 300), RNG.random(300)
    y = RNG.random(300) < p
    columns = {name: group == name for name in "xyz"}
    found = [
        cl.measures.calibration_by_group(y, p, groups, n_bins=3, random_state=1).to_frame()
        for groups in (group, columns, pd.get_dummies(pd.Series(group)))
    ]
    pd.testing.assert_frame_equal(found[0], found[1], check_dtype=False)
    pd.testing.assert_frame_equal(found[1], found[2])


def test_a_calibrated_model_is_blamed_in_one_sample_of_twenty_however_the_groups_overlap():
    rng, blamed, missed = np.random.default_rng(3), [], []
    for _ in range(300):
        truth = rng.beta(1, 2, 150)
        inside = {str(k): rng.random(150) < 0.3 for k in range(12)}
        found = cl.measures.calibration_by_group(rng.random(150) < truth, truth, inside, random_state=rng)
        blamed.append(found.p_value[found.worst] <= 0.05)
        missed.append(((found.forecast < found.low) | (found.forecast > found.high)).any())
    assert 0.02 < np.mean(blamed) < 0.085
    assert np.mean(missed) <= 0.05  # the intervals hold together


def test_the_line_parts_the_groups_that_the_p_values_part():
    p = np.full(4000, 0.3)
    inside = {str(k): np.arange(4000) % 10 == k for k in range(10)}
    y = RNG.random(4000) < np.where(inside["4"], 0.5, p)
    found = cl.measures.calibration_by_group(y, p, inside, random_state=0)
    assert found.group[found.worst] == "4" and found.p_value[found.worst] == pytest.approx(1 / 1001)
    np.testing.assert_array_equal(np.abs(found.statistic) > found.chance_line, found.p_value < 0.05)


def test_a_group_that_is_wrong_at_two_levels_and_right_on_average_needs_bins():
    p, group = np.tile([0.2, 0.8], 1000), np.repeat(["a", "b"], 1000)
    y = RNG.random(2000) < np.where(group == "b", np.where(p < 0.5, 0.35, 0.65), p)
    whole, parted = (cl.measures.calibration_by_group(y, p, group, n_bins=m, random_state=0) for m in (1, 2))
    assert whole.p_value.min() > 0.05
    assert set(parted.group[parted.p_value < 0.01]) == {"b"} and (parted.p_value < 0.01).sum() == 2


def test_a_certain_forecast_that_fails_is_off_without_end_and_one_that_holds_not_at_all():
    names = ["wrong", "right", "open"]
    found = cl.measures.calibration_by_group([1, 1, 0], [0.0, 1.0, 0.5], names, random_state=0)
    assert dict(zip(found.group, found.statistic, strict=True)) == {"wrong": np.inf, "right": 0, "open": -1}


def test_many_classes_are_read_by_their_top_label_and_logits_as_their_softmax():
    z, y = RNG.normal(0, 2, (200, 3)), RNG.integers(0, 3, 200)
    group = z.argmax(axis=1)
    by_logits = cl.measures.calibration_by_group(y, z, group, from_logits=True, random_state=0)
    p = cl.softmax(z).max(axis=1)
    by_hand = cl.measures.calibration_by_group(group == y, p, group, random_state=0)
    np.testing.assert_allclose(by_logits.statistic, by_hand.statistic)
