"""Covariate shift: the features are distributed otherwise than before, and P(y | x) is what it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _input
from .._parameters import describe
from .._results import shown_rounded
from .._typing import FloatArray, Floats
from ..measures.bins import effective_rows

FEW_ROWS, FAR, TOO_FAR = 100, 0.05, 0.5  # effective rows; shares of new rows beyond the old ones
ROUNDING = 1e-6  # of float32 numbers


@shown_rounded
@dataclass(frozen=True, eq=False, repr=False)
class DensityRatio:
    """Weights of the old rows, and how far these rows reach.

    Attributes
    ----------
    weights : ndarray, shape (n_old,)
        Proportional to p_new(x) / p_old(x), with mean 1: the `sample_weight` of calibrators and measures.
    effective_rows : float
        Equal rows, 1 to n_old, worth as much where scatter and weight are unrelated (``eq-effective-rows``).
    beyond : float
        Share of the new rows whose ratio is larger than that of each old row, in [0, 0.5].
    """

    weights: Floats
    effective_rows: float
    beyond: float


@describe
def density_ratio(
    X_old: npt.ArrayLike,
    X_new: npt.ArrayLike,
    *,
    classifier: Any = None,
    cv: int = 5,
    random_state: int | np.random.Generator | None = None,
) -> DensityRatio:
    """Weigh old rows so that their features are distributed like the new ones (``eq-density-ratio``).

    A classifier tells old rows from new ones; its odds are the ratio of the densities, times that of the
    numbers of rows. Each row is forecast by a copy that was fitted without it.

    Parameters
    ----------
    X_old, X_new : array_like, shape (n_old, d) and (n_new, d)
        Features of rows from before, and of rows from where the model is used: those that changed, as far
        as the label depends on them or the model reads them.
    classifier : scikit-learn classifier, optional
        Gives probabilities that are calibrated. Logistic regression on standardised features by default,
        for ratios whose logarithm is linear in them.
    cv : int
        Number of folds, at least 2; there are at least as many old rows and new rows.
    {random_state}

    {refused}
        Also where more than half of the new rows lie beyond each old row: weights cannot mend that.

    Warns
    -----
    UserWarning
        With fewer than 100 effective rows, and where more than 5 % of the new rows lie beyond each old row.

    References
    ----------
    Sugiyama, Suzuki and Kanamori (2012), Density ratio estimation in machine learning, chapter 4; Kish
    (1965), Survey sampling, section 11.7 (``eq-effective-rows``).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ratio = density_ratio(rng.normal(size=(2000, 1)), rng.normal(0.5, size=(2000, 1)), random_state=0)
    >>> round(float(ratio.weights.mean()), 6), 1400 < ratio.effective_rows < 1700
    (1.0, True)
    """
    # slow to load, and a problem set may withhold them
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    cv = _input.positive_whole(cv, "cv", 2)
    _input.same_rows("columns", X_old=X_old, X_new=X_new)
    old, new = (_input.finite(X, name, (2,)) for X, name in ((X_old, "X_old"), (X_new, "X_new")))
    if new.shape[1] != old.shape[1]:
        raise _input.BadValue("X_new", f"has {new.shape[1]} columns", f"{old.shape[1]}, as X_old has")
    _input.new_rows(new, old, ("X_new", "X_old"))
    if _standardised(old) and _standardised(new):
        _input.warn("X_old and X_new were each standardised by itself, which hides a shift: fit one scaler")
    if min(len(old), len(new)) < cv:
        name, few = ("X_old", old) if len(old) < cv else ("X_new", new)
        raise _input.BadValue(name, f"has {len(few)} rows", f"at least cv = {cv}")
    model = make_pipeline(StandardScaler(), LogisticRegression()) if classifier is None else classifier
    if not hasattr(model, "predict_proba"):
        raise _input.BadValue("classifier", f"= {classifier!r}", "a classifier with predict_proba")
    is_new = np.repeat([0, 1], [len(old), len(new)])
    seed = int(_input.generator(random_state).integers(2**31))
    folds = StratifiedKFold(cv, shuffle=True, random_state=seed)
    said = cross_val_predict(model, np.vstack([old, new]), is_new, cv=folds, method="predict_proba")
    ratio = said[:, 1] / np.maximum(said[:, 0], np.finfo(float).tiny)
    of_old, of_new = ratio[: len(old)], ratio[len(old) :]
    beyond = float(np.mean(of_new > of_old.max()))
    if beyond > TOO_FAR or of_old.max() > 1e100 or of_old.max() == 0:
        found = f"lies beyond each row of X_old in {beyond:.0%} of its rows, told apart by the classifier"
        raise _input.BadValue("X_new", found, "rows that X_old reaches")
    weights = of_old / of_old.mean()
    effective = float(effective_rows(len(old), (weights**2).sum()))
    if effective < FEW_ROWS or beyond > FAR:
        _input.warn(
            f"the weights leave {effective:.0f} effective rows of {len(old)}, and {beyond:.0%} of X_new lies "
            "beyond each row of X_old: label some new rows"
        )
    return DensityRatio(weights, effective, beyond)


def _standardised(X: FloatArray) -> bool:
    """Tell whether each column has the mean 0 and the spread 1, by n or by n - 1, up to rounding."""
    if not _input.many_values(X) or np.abs(X).max() > len(X):  # further off no row of spread 1 can be
        return False
    mean, variance = X.mean(axis=0, dtype=np.float64), X.var(axis=0, dtype=np.float64)
    off = np.abs([mean, np.minimum(abs(variance - 1), abs(variance - 1 + 1 / len(X)))])
    return bool(off.max() < ROUNDING)
