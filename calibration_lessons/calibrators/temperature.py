"""Temperature scaling: divide all logits by one number, chosen by maximum likelihood."""

from __future__ import annotations

from functools import partial
from typing import Self

import numpy.typing as npt

from ..solvers.root import increasing_root
from ._logit_rows import LogitLimits, LogitRows
from ._one_temperature import RTOL, TemperedSoftmax


class TemperatureScaling(TemperedSoftmax):
    """Divide the logits by the temperature T > 0 of maximum likelihood (equation ``eq-temperature``).

    T > 1 flattens the probabilities, T < 1 sharpens them; the predicted class stays. T minimises the
    negative log-likelihood (equation ``eq-temperature-nll``), a convex function of beta = 1 / T. At the
    minimum the mean logit that the model expects is the mean logit of the labels (equation
    ``eq-temperature-stationary``).

    Attributes
    ----------
    temperature_ : float
        T, not its inverse.
    classes_ : ndarray of int, shape (K,)
        0..K-1: the columns of the logits, whether or not each occurs among the labels.
    n_features_in_ : int
        Number of columns seen by `fit`; 1 for a binary logit.

    Notes
    -----
    A finite T exists if and only if some label lies below its row's largest logit, and the labels' logits
    lie above their rows' means on average. Otherwise `fit` raises: T would run to 0, or to infinity.

    scikit-learn's temperature scaling reads a binary score x as (-x, x), which doubles T.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks, section 4.2.

    Examples
    --------
    >>> logits = [[2.0, 0.0], [3.0, 0.0], [4.0, 1.0], [0.0, 2.0]]
    >>> scaling = TemperatureScaling().fit(logits, [0, 0, 1, 1])
    >>> round(scaling.temperature_, 3)
    3.05
    >>> scaling.predict_proba([[2.0, 0.0]]).round(3).tolist()
    [[0.658, 0.342]]
    """

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Find the temperature: solve ``eq-temperature-stationary`` for beta = 1 / T by Newton's method.

        Parameters
        ----------
        X : array_like, shape (n, K) or (n,)
            Logits of each class, or the binary logit z, read as (0, z). A single ``-inf`` rules a class
            out; it may not be the row's own label.
        y : array_like, shape (n,)
            Labels 0..K-1. Not every class has to occur.
        sample_weight : array_like, shape (n,), optional
            Importance weights, non-negative.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For input that is not as described, and where the likelihood has no maximum at a finite positive
            T; the message says which way T would run.
        """
        rows = self._all_rows(X, y, sample_weight)
        return self._learn(rows, increasing_root(partial(self._excess, rows), self._start(rows)))

    @staticmethod
    def _excess(rows: LogitRows, beta: float) -> tuple[float, float]:
        """Sum of E_p[z] - z_y over the rows, and its slope in beta: the sum of the variances of z under p.

        Both are counted from each row's largest logit: e_t / e is E_p[z] - max z.
        """
        total, slope = rows.limits.below_top, 0.0
        for weights, (e, e_t, e_t2) in rows.moments(beta, powers=2):
            mean = e_t / e
            total += float(weights @ mean)
            slope += float(weights @ (e_t2 / e - mean**2))
        return total, slope

    @staticmethod
    def _obstacle(limits: LogitLimits) -> str | None:
        """Say which way the likelihood drives the temperature, or None where it has a maximum."""
        if limits.spread == 0:
            return "the logits of each row are equal, so every temperature gives the same probabilities"
        if limits.below_top <= 0:
            return (
                "every label is its row's largest logit, so the likelihood grows for ever as T -> 0. "
                "Calibrate on rows that the model has not seen, some of which it gets wrong"
            )
        if limits.above_mean <= RTOL * limits.spread:
            return (
                "the labels' logits are on average no larger than the mean logit of their row, so the "
                "likelihood grows for ever as T -> infinity: these logits say no more than chance"
            )
        return None
