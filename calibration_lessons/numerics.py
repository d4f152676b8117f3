"""Softmax, its logarithm, and entropy, with their input checked."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from . import _input
from ._parameters import describe
from ._typing import FloatArray, Floats


@describe
def softmax(logits: npt.ArrayLike) -> Floats:
    """Turn logits into probabilities, along the last axis (equation ``eq-softmax``).

    Parameters
    ----------
    logits : array_like, shape (..., K)
        Real numbers. ``-inf`` stands for a class that is ruled out; a distribution needs one finite logit.

    Returns
    -------
    ndarray, shape (..., K), float64
        Positive numbers that sum to 1 along the last axis.

    {refused}

    References
    ----------
    Bridle (1990), Probabilistic interpretation of feedforward classification network outputs.

    Examples
    --------
    >>> softmax([0.0, 0.0]).tolist()
    [0.5, 0.5]
    >>> softmax([1000.0, 1000.0]).tolist()  # only differences count
    [0.5, 0.5]
    """
    return np.asarray(special.softmax(_logits(logits), axis=-1))


@describe
def log_softmax(logits: npt.ArrayLike) -> Floats:
    """Take the logarithm of the softmax, along the last axis, exact where the softmax itself underflows.

    Parameters
    ----------
    logits : array_like, shape (..., K)
        Real numbers. ``-inf`` stands for a class that is ruled out; a distribution needs one finite logit.

    Returns
    -------
    ndarray, shape (..., K), float64
        Log probabilities in nats, at most 0; ``-inf`` for a class that is ruled out.

    {refused}

    Examples
    --------
    >>> log_softmax([0.0, -1000.0]).tolist()
    [0.0, -1000.0]
    """
    return np.asarray(special.log_softmax(_logits(logits), axis=-1))


def _logits(logits: npt.ArrayLike) -> Floats:
    array = _distributions(logits, "logits")
    _input.logits(array.reshape(-1, array.shape[-1]), "logits")
    return array.astype(np.float64, copy=False)


def _distributions(values: npt.ArrayLike, name: str) -> FloatArray:
    array = _input.real_array(values, name, ndim=range(65))
    if array.ndim == 0 or array.shape[-1] < 2:
        raise _input.BadValue(name, f"has shape {array.shape}", "at least two classes on the last axis")
    return array


@describe
def entropy(p: npt.ArrayLike, *, base: Literal["nats", "bits"] = "bits") -> Floats | float:
    """Compute the Shannon entropy of distributions along the last axis (equation ``eq-entropy``).

    Parameters
    ----------
    p : array_like, shape (..., K)
        Probabilities that sum to 1 along the last axis.
    base : {"nats", "bits"}
        Natural or base-2 logarithm; bits, as in all splits of uncertainty here.

    Returns
    -------
    float or ndarray, shape (...)
        Between 0 and log K, in the unit that `base` names.

    {refused}

    References
    ----------
    Shannon (1948), A mathematical theory of communication, section 6.

    Examples
    --------
    >>> entropy([0.5, 0.5])
    1.0
    >>> entropy([1.0, 0.0])
    0.0
    """
    _input.one_of(base, ["nats", "bits"], "base")
    array = _distributions(p, "p")
    _input.probabilities(array.reshape(-1, array.shape[-1]), "p")
    array = array.astype(np.float64)
    total = np.asarray(special.entr(array).sum(axis=-1)) / (np.log(2) if base == "bits" else 1.0)
    return float(total) if total.ndim == 0 else total
