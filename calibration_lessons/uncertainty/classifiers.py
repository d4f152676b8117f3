"""A confidence that asks how much the training data know about a place."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from .. import _blocks, _input
from .._typing import Floats


def kernel_confidence(
    X_train: npt.ArrayLike,
    y_train: npt.ArrayLike,
    X: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    *,
    bandwidth: float,
    n_classes: int = 2,
) -> Floats:
    """Confidence in predictions, by the labels of similar training rows (equation ``eq-kernel-confidence``).

    Every place has a die of its own, one side per class. A training row counts there as a fraction of a
    throw, its similarity to the place, and every class starts with one throw (a uniform prior).

    Parameters
    ----------
    X_train : array_like, shape (m, d)
        Features of the training rows, two or a few, on scales that make distances meaningful.
    y_train : array_like, shape (m,)
        Labels 0..K-1 of the training rows.
    X : array_like, shape (n, d)
        Places where something was predicted.
    y_pred : array_like, shape (n,)
        The predicted classes.
    bandwidth : float
        Distance, in the units of the features, at which the Gaussian similarity has fallen to 0.61.
    n_classes : int
        Number K of classes, at least 2.

    Returns
    -------
    ndarray, shape (n,)
        In (0, 1); 1/K where no training row is near, and with many features hardly any is.

    References
    ----------
    Nadaraya (1964), On estimating regression; Watson (1964), Smooth regression analysis.

    Examples
    --------
    >>> X_train, y_train = [[0.0], [0.0], [0.0]], [1, 1, 0]
    >>> kernel_confidence(X_train, y_train, [[0.0], [99.0]], [1, 1], bandwidth=1.0).tolist()
    [0.6, 0.5]
    """
    _input.same_rows(X_train=X_train, y_train=y_train)
    _input.same_rows(X=X, y_pred=y_pred)
    train = _input.finite(X_train, "X_train", ndim=(2,))
    places = _input.finite(X, "X", ndim=(2,))
    if places.shape[1] != train.shape[1]:
        found = f"has {places.shape[1]} columns and X_train has {train.shape[1]}"
        raise _input.BadValue("X", found, "equal numbers")
    _input.number_between(bandwidth, 0, math.inf, "bandwidth", open_ends=True)
    _input.positive_whole(n_classes, "n_classes", least=2)
    labels = _input.labels(y_train, n_classes, "y_train")
    predicted = _input.labels(y_pred, n_classes, "y_pred")
    _input.same_length(X_train=train, y_train=labels)
    _input.same_length(X=places, y_pred=predicted)
    confidence = np.empty(len(places))
    for rows in _blocks.row_blocks(np.broadcast_to(confidence[:, None], (len(places), len(train)))):
        similarity = np.exp(-cdist(places[rows], train, "sqeuclidean") / (2 * bandwidth**2))
        agreeing = similarity * (labels == predicted[rows, None])
        confidence[rows] = (1 + agreeing.sum(axis=1)) / (n_classes + similarity.sum(axis=1))
    return confidence
