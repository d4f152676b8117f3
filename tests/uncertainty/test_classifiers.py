import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from calibration_lessons.book import definitions
from calibration_lessons.uncertainty import kernel_confidence


@st.composite
def problems(draw):
    m, n, d = draw(st.integers(1, 8)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    n_classes = draw(st.integers(2, 4))
    coordinates, classes = st.floats(-5, 5), st.integers(0, n_classes - 1)
    return (
        draw(arrays(float, (m, d), elements=coordinates)),
        draw(arrays(int, m, elements=classes)),
        draw(arrays(float, (n, d), elements=coordinates)),
        draw(arrays(int, n, elements=classes)),
        draw(st.floats(0.1, 10)),
        n_classes,
    )


@pytest.mark.equation("eq-kernel-confidence")
@given(problems())
def test_the_confidence_counts_training_rows_by_their_similarity(problem):
    X_train, y_train, X, y_pred, bandwidth, n_classes = problem
    found = kernel_confidence(X_train, y_train, X, y_pred, bandwidth=bandwidth, n_classes=n_classes)
    literal = [
        definitions.kernel_confidence(X_train.tolist(), y_train.tolist(), place, k, bandwidth, n_classes)
        for place, k in zip(X.tolist(), y_pred.tolist(), strict=True)
    ]
    assert found == pytest.approx(literal, rel=1e-12)


def test_many_places_are_treated_in_blocks_as_one_by_one():
    rng = np.random.default_rng(1)
    X_train, X = rng.normal(size=(20_000, 1)), rng.normal(size=(5, 1))
    y_train = rng.integers(0, 2, 20_000)
    together = kernel_confidence(X_train, y_train, X, [1] * 5, bandwidth=0.5)
    apart = [kernel_confidence(X_train, y_train, X[[i]], [1], bandwidth=0.5)[0] for i in range(5)]
    assert together.tolist() == apart
