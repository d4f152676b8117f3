"""Label shift: the classes come in other proportions than before, and each still looks as it did."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from .. import _input
from .._typing import FloatArray, Floats

MIN_EIGENVALUE = 1e-10  # of the largest eigenvalue: below it, two mixtures of classes look the same


def adjust_to_priors(
    y_prob: npt.ArrayLike, *, train_priors: npt.ArrayLike, new_priors: npt.ArrayLike
) -> Floats:
    """Move calibrated probabilities to other class proportions (equation ``eq-prior-correction``).

    For two classes that is a factor on the odds, as class weights have it (``eq-class-weights``): a model
    fitted with balanced classes has ``train_priors=[0.5, 0.5]``.

    Parameters
    ----------
    y_prob : array_like, shape (n,) or (n, K)
        Probability of the positive class, or of each class, calibrated where the classes come in the
        proportions `train_priors`.
    train_priors, new_priors : array_like, shape (K,)
        Class proportions that sum to 1; ``[P(0), P(1)]`` for a 1-D `y_prob`. Those of the training
        data are positive; a new one may be 0.

    Returns
    -------
    ndarray, of the shape of `y_prob`

    Raises
    ------
    ValueError, TypeError
        For input that is not as described, and for a row whose classes are all absent now.

    References
    ----------
    Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori
    probabilities, section 2.2.

    Examples
    --------
    >>> adjust_to_priors([0.5, 0.9], train_priors=[0.5, 0.5], new_priors=[0.9, 0.1]).round(3).tolist()
    [0.1, 0.5]
    """
    forecasts = _input.probabilities(y_prob)
    old = _priors(train_priors, _input.classes(forecasts, "y_prob"), "train_priors", positive=True)
    new = _priors(new_priors, len(old), "new_priors")
    parts = _by_class(forecasts) * (new / old)
    total = parts.sum(axis=1, keepdims=True)
    if total.min() == 0:
        found, expected = "is 0 in every class that new_priors leaves", "a positive one in one of them"
        raise _input.BadValue("y_prob", found, expected, (int(total.argmin()),))
    parts /= total
    return parts if forecasts.ndim == 2 else parts[:, 1]


def estimate_priors(
    y_prob: npt.ArrayLike,
    held_out_prob: npt.ArrayLike | None = None,
    *,
    train_priors: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    tol: float = 1e-12,
    max_iter: int = 100_000,
) -> Floats:
    """Estimate new class proportions from forecasts alone, without labels (equation ``eq-saerens-em``).

    The proportions that make the forecasts most likely, found by expectation and maximisation: adjust
    the forecasts to the present guess, take their mean as the next one.

    Parameters
    ----------
    y_prob : array_like, shape (n,) or (n, K)
        Forecasts on the new data, calibrated where the classes come in the old proportions.
    held_out_prob : array_like, shape (n',) or (n', K)
        Forecasts of the same calibrated model on held-out rows from before the shift, such as the rows that
        calibrated it. Their mean stands for the old proportions.
    train_priors : array_like, shape (K,)
        In place of `held_out_prob`: the old class proportions, positive; ``[P(0), P(1)]`` for a 1-D
        `y_prob`.
    sample_weight : array_like, shape (n,), optional
        Importance weights of the new data, non-negative.
    tol : float
        Stop when no proportions can raise the mean log-likelihood by more than this, in nats.
    max_iter : int
        Largest number of rounds.

    Returns
    -------
    ndarray, shape (K,)
        Proportions that sum to 1.

    Raises
    ------
    ValueError, TypeError
        For input that is not as described, for both or none of `held_out_prob` and `train_priors`, and
        where the forecasts do not tell the classes apart, so that many proportions are as likely.

    Warns
    -----
    ConvergenceWarning
        Where `max_iter` rounds did not suffice.

    Notes
    -----
    Give `held_out_prob` where you have it. On rows from before the shift the estimate should find the old
    proportions again, and with the mean forecast it does; with the classes' shares it finds them only where
    the mean forecast equals the shares, which a temperature does not bring about.

    References
    ----------
    Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori
    probabilities, section 2.3; Alexandari, Kundaje and Shrikumar (2020), Maximum likelihood with
    bias-corrected calibration is hard-to-beat at label shift adaptation (why calibration comes first).

    Examples
    --------
    Four forecasts from a balanced world, most of them low:

    >>> estimate_priors([0.1, 0.1, 0.1, 0.9], train_priors=[0.5, 0.5]).round(4).tolist()
    [0.8125, 0.1875]
    """
    _input.number_between(tol, 0, 1, "tol", open_ends=True)
    _input.positive_whole(max_iter, "max_iter")
    forecasts = _input.probabilities(y_prob)
    old = _old_priors(_input.classes(forecasts, "y_prob"), held_out_prob, train_priors)
    weights = _input.weights(sample_weight, len(forecasts))
    share = np.full(len(forecasts), 1 / len(forecasts)) if weights is None else weights / weights.sum()
    forecasts, share = forecasts[share > 0], share[share > 0]
    ratios = _by_class(forecasts) / old
    _refuse_confounded(ratios)
    priors = old
    for _ in range(max_iter):
        # A class's factor is also the slope of the mean log-likelihood towards "only this class", plus 1.
        factors = share @ (ratios / (ratios @ priors)[:, None])
        priors = priors * factors  # they sum to 1: each row shares its 1 among the classes
        if factors.max() - 1 <= tol:
            return np.asarray(priors)
    warnings.warn(
        f"max_iter = {max_iter} rounds did not suffice: expected more", ConvergenceWarning, stacklevel=2
    )
    return np.asarray(priors)


def _old_priors(n_classes: int, held_out_prob: Any, train_priors: Any) -> Floats:
    """Read the class proportions before the shift, from the mean of old forecasts or as they are given."""
    if (held_out_prob is None) == (train_priors is None):
        given = "is missing" if held_out_prob is None else "is given, and train_priors"
        expected = "forecasts on rows from before the shift, or train_priors, not both"
        raise _input.BadType("held_out_prob", given, expected)
    if held_out_prob is None:
        return _priors(train_priors, n_classes, "train_priors", positive=True)
    before = _input.probabilities(held_out_prob, "held_out_prob")
    if _input.classes(before, "held_out_prob") != n_classes:
        expected = f"the {n_classes} classes of y_prob"
        if before.shape == (n_classes,):
            expected += " (class proportions are train_priors=...)"
        raise _input.BadValue("held_out_prob", f"has shape {before.shape}", expected)
    return _priors(_by_class(before).mean(axis=0), n_classes, "held_out_prob.mean(axis=0)", positive=True)


def _by_class(forecasts: FloatArray) -> Floats:
    """Probabilities of all classes, shape (n, K), float64."""
    values = forecasts.astype(np.float64)
    return np.column_stack([1 - values, values]) if values.ndim == 1 else values


def _priors(values: npt.ArrayLike, n_classes: int, name: str, *, positive: bool = False) -> Floats:
    array = _input.finite(values, name, ndim=(1,)).astype(np.float64)
    if len(array) != n_classes:
        raise _input.BadValue(name, f"has {len(array)} entries", f"{n_classes}, one for each class")
    _input.probabilities(array[None, :], name)
    if positive and array.min() == 0:
        raise _input.BadValue(name, "= 0", "every class among the training data", (int(array.argmin()),))
    return np.asarray(array / array.sum())


def _refuse_confounded(ratios: Floats) -> None:
    """Raise where some change of the proportions leaves the likelihood of every row as it was."""
    n_classes = ratios.shape[1]
    differences = ratios[:, :-1] - ratios[:, -1:]
    spread = np.linalg.eigvalsh(differences.T @ differences)
    if spread[0] <= MIN_EIGENVALUE * max(spread[-1], n_classes * np.finfo(float).eps):
        found = "does not tell the classes apart (many priors are as likely)"
        expected = "forecasts that stray from train_priors, from row to row differently for each class"
        raise _input.BadValue("y_prob", found, expected)
