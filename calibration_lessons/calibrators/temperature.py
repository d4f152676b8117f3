"""Temperature scaling: divide all logits by one number, chosen by maximum likelihood."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import _blocks
from .._typing import FloatArray, Floats
from ._tempered import ROUNDING, Sums, TemperedSoftmax


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

    @staticmethod
    def model_sum(
        logits: FloatArray,
        highest: FloatArray,
        weights: Floats,
        beta: float,
        dtype: npt.DTypeLike = np.float64,
    ) -> Sums:
        """Sum of E_p[z] - max z over the rows, and its slope in beta: the sum of the variances of z."""
        total = slope = 0.0
        for rows, (e, e_t, e_t2) in _blocks.tempered_moments(logits, highest, beta, 2, dtype):
            mean = e_t / e
            total += float(weights[rows] @ mean)
            slope += float(weights[rows] @ (e_t2 / e - mean**2))
        return total, slope

    @staticmethod
    def label_sum(limits: _blocks.LogitLimits) -> float:
        """Sum of z_y - max z over the rows."""
        return -limits.below_top

    @staticmethod
    def obstacle(limits: _blocks.LogitLimits) -> str | None:
        """Say which way the likelihood drives the temperature, or None where it has a maximum."""
        if limits.spread == 0:
            return "the logits of each row are equal, so every temperature gives the same probabilities"
        if limits.below_top <= 0:
            return (
                "every label is its row's largest logit, so the likelihood grows for ever as T -> 0. "
                "Calibrate on rows that the model has not seen, some of which it gets wrong"
            )
        if limits.above_mean <= ROUNDING * limits.spread:
            return (
                "the labels' logits are on average no larger than the mean logit of their row, so the "
                "likelihood grows for ever as T -> infinity: these logits say no more than chance"
            )
        return None
