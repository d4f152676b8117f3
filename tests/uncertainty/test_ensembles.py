import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from calibration_lessons.book import definitions
from calibration_lessons.uncertainty import decompose_uncertainty


@st.composite
def members(draw):
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(2, 5)))
    raw = draw(arrays(np.float64, shape, elements=st.floats(0, 1, allow_subnormal=False)))
    raw[..., 0] += 1e-3  # no row of zeros
    return raw / raw.sum(axis=-1, keepdims=True)


@pytest.mark.equation("eq-model-average", "eq-ensemble-entropy")
@given(members())
def test_the_split_equals_the_sums_over_members_and_classes(probs):
    for i, row in enumerate(probs.transpose(1, 0, 2).tolist()):
        total, aleatoric, epistemic = (part[i] for part in decompose_uncertainty(probs))
        assert definitions.model_average(row) == pytest.approx(probs[:, i].mean(axis=0), abs=1e-15)
        assert definitions.ensemble_entropies(row) == pytest.approx((total, aleatoric, epistemic), abs=1e-12)


@given(members())
def test_each_part_stays_within_its_bounds(probs):
    total, aleatoric, epistemic = decompose_uncertainty(probs)
    n_members, _, n_classes = probs.shape
    assert (epistemic >= 0).all() and (aleatoric >= 0).all()
    assert (epistemic <= np.log2(n_members) + 1e-12).all()
    assert (total <= np.log2(n_classes) + 1e-12).all()


def test_members_that_agree_leave_nothing_epistemic_and_sure_members_that_differ_nothing_aleatoric():
    total, aleatoric, epistemic = decompose_uncertainty([[[0.3, 0.7], [1, 0]], [[0.3, 0.7], [0, 1]]])
    assert epistemic.tolist() == [0, 1] and aleatoric[1] == 0 and total[0] == aleatoric[0] > 0
