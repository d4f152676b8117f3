"""What forecasts without labels tell about the accuracy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _input, _results
from .._parameters import describe


@_results.shown_rounded
class UnlabelledAccuracy(NamedTuple):
    """Two estimates of the accuracy on rows without labels.

    Attributes
    ----------
    mean_confidence : float
        Mean probability of the top label, in [0, 1]: right where the top label is calibrated on these rows.
    above_threshold : float
        Share of the rows with at least the confidence `threshold`, in [0, 1] (``eq-atc``).
    threshold : float
        As many held-out rows lie below it as are wrong (with ties perhaps fewer); infinity where all are.
    """

    mean_confidence: float
    above_threshold: float
    threshold: float


@describe
def unlabelled_accuracy(
    y_prob: npt.ArrayLike, held_out_prob: npt.ArrayLike, held_out_true: npt.ArrayLike
) -> UnlabelledAccuracy:
    """Guess the accuracy on new rows: mean confidence, and average thresholded confidence (``eq-atc``).

    Parameters
    ----------
    y_prob : array_like, shape (n, K)
        Class probabilities of the new rows.
    held_out_prob : array_like, shape (n', K)
        Class probabilities of the same model on held-out rows from before.
    held_out_true : array_like, shape (n',)
        Labels 0..K-1 of those rows.

    {refused}

    Notes
    -----
    Neither is a measurement. Where the features stay and the labels come to follow another law, the forecasts
    stay as they are, and so do both numbers; no function of forecasts alone can do better.

    References
    ----------
    Garg, Balakrishnan, Lipton, Neyshabur and Sedghi (2022), Leveraging unlabeled data to predict
    out-of-distribution performance, section 4 (with the confidence as the score).

    Examples
    --------
    One of four old rows is wrong, so one may lie below the threshold.

    >>> before = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3]]
    >>> unlabelled_accuracy([[0.95, 0.05], [0.35, 0.65]], before, [0, 1, 1, 0])
    UnlabelledAccuracy(mean_confidence=0.8, above_threshold=0.5, threshold=0.7)
    """
    _input.same_rows(held_out_true=held_out_true, held_out_prob=held_out_prob)
    new = _input.probabilities(y_prob, ndim=(2,))
    before = _input.probabilities(held_out_prob, "held_out_prob", ndim=(2,))
    if before.shape[1] != new.shape[1]:
        expected = f"the {new.shape[1]} classes of y_prob"
        raise _input.BadValue("held_out_prob", f"has shape {before.shape}", expected)
    labels = _input.labels(held_out_true, before.shape[1], "held_out_true")
    _input.same_length(held_out_true=labels, held_out_prob=before)
    _input.new_rows(new, before)
    errors = int((before.argmax(axis=1) != labels).sum())
    confidence = new.max(axis=1).astype(np.float64)
    threshold = float(np.append(np.sort(before.max(axis=1)), np.inf)[errors])
    return UnlabelledAccuracy(float(confidence.mean()), float((confidence >= threshold).mean()), threshold)
