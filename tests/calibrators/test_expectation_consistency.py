"""Expectation consistency: definitions, known truths, degenerate data."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import calibration_lessons as cl
from calibration_lessons.book import definitions
from tests.calibrators.cases import logits_and_labels, mean


def ends(logits, labels):
    """Exact lower end, accuracy and upper end of what the mean confidence can reach."""
    low = mean([Fraction(1, int(np.isfinite(row).sum())) for row in logits])
    high = mean([Fraction(1, int((row == row.max()).sum())) for row in logits])
    return low, mean((logits.argmax(axis=1) == labels).astype(int).tolist()), high


@pytest.mark.equation("eq-expectation-consistency")
@given(logits_and_labels(ruled_out=True))
def test_mean_confidence_equals_accuracy_or_fit_says_which_end_stands_in_the_way(case):
    logits, labels = case
    low, accuracy, high = ends(logits, labels)
    if low < accuracy < high:
        temperature = cl.ExpectationConsistency().fit(logits, labels).temperature_
        confidence, share = definitions.confidence_and_accuracy(labels, logits.tolist(), temperature)
        assert confidence == pytest.approx(share, abs=1e-12)
        return
    with pytest.raises(ValueError, match="T runs to 0" if accuracy > low else "T runs to infinity"):
        cl.ExpectationConsistency().fit(logits, labels)
