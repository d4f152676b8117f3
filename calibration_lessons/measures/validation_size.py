"""How many rows a validation needs, for intervals as short as they are wanted (Riley et al. 2021)."""

from __future__ import annotations

from math import asinh, ceil, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from .. import _input
from .._parameters import describe
from .._typing import Floats
from .calibration_line import read_log_odds


class ValidationSize(NamedTuple):
    """How many rows a validation needs.

    Attributes
    ----------
    n : int
        Rows that suffice for every measure.
    events : int
        Events that are expected among them.
    observed_expected, slope, c_statistic : int
        Rows that each measure needs for itself.
    net_benefit : int or None
        The same for the net benefit at the threshold, where one was given.
    """

    n: int
    events: int
    observed_expected: int
    slope: int
    c_statistic: int
    net_benefit: int | None


@describe
def validation_size(
    y_prob: npt.ArrayLike,
    *,
    observed_expected: float = 0.2,
    slope: float = 0.2,
    c_statistic: float = 0.1,
    net_benefit: float = 0.2,
    threshold: float | None = None,
    level: float = 0.95,
) -> ValidationSize:
    """Return how many rows the validation of a risk model needs (``eq-validation-size`` for the slope).

    The forecasts say what is needed, the labels are not: event rate and C statistic follow from them where
    the model is calibrated, which is assumed.

    Parameters
    ----------
    y_prob : array_like, shape (n,)
        Risks as they will be predicted in the new place, strictly between 0 and 1: of its own rows before
        their outcomes are known, or of the rows that developed the model.
    observed_expected, slope, c_statistic : float
        How wide the interval of each measure of `risk_validation` may be; above 1e-6, and below 2 (of the C
        statistic 0.5), where an interval would leave everything open.
    net_benefit : float
        The same for the standardized net benefit at `threshold`; below 1.
    threshold : float, optional
        The risk from which people are treated, in (0, 1).
    {level}

    {refused}
        Also for a risk of 0 or 1, and for equal forecasts.

    Notes
    -----
    With so many rows an interval is about as wide as asked, in half of all samples a little wider (the C
    statistic's a tenth with fewer than a hundred rows, a fifth where rare events scatter more than the rest).
    Where less than half of the rows are events, and fewer than the forecasts say, all but observed : expected
    need more rows: move the forecasts first.

    References
    ----------
    Riley et al. (2021), Minimum sample size for external validation of a clinical prediction model with a
    binary outcome; Newcombe (2006), for the C statistic.

    Examples
    --------
    >>> validation_size([0.05, 0.1, 0.2, 0.4, 0.6], threshold=0.2)
    ValidationSize(n=2314, events=625, observed_expected=1043, slope=2314, c_statistic=409, net_benefit=418)
    """
    forecasts = _input.probabilities(y_prob, ndim=(1,)).astype(np.float64)
    log_odds, _ = read_log_odds(np.zeros(len(forecasts)), forecasts, None, from_logits=False)
    most = {"observed_expected": 2.0, "slope": 2.0, "c_statistic": 0.5, "net_benefit": 1.0}
    for width, name in zip((observed_expected, slope, c_statistic, net_benefit), most, strict=True):
        _input.number_between(width, 1e-6, most[name], name, open_ends=True)
    z = float(norm.isf((1 - _input.confidence(level)) / 2))
    information, rate = forecasts * (1 - forecasts), float(forecasts.mean())
    if log_odds.min() == log_odds.max():
        raise _input.BadValue("y_prob", "is equal in all rows", "forecasts that differ, to fit a slope")
    apart = log_odds - np.average(log_odds, weights=information)
    needed = [
        (1 - rate) / rate * (z / asinh(observed_expected / 2)) ** 2,
        (2 * z / slope) ** 2 / float((information * apart**2).mean()),
        _of_c_statistic(_expected_c(forecasts), rate, c_statistic / (2 * z)),
    ]
    if threshold is not None:
        at = _input.number_between(threshold, 0, 1, "threshold", open_ends=True)
        treated = forecasts >= at
        hits, alarms = (float(one[treated].sum() / one.sum()) for one in (forecasts, 1 - forecasts))
        worth = (1 - rate) / rate * at / (1 - at)
        variance = hits * (1 - hits) / rate + worth**2 * alarms * (1 - alarms + alarms / rate) / (1 - rate)
        needed.append((2 * z / net_benefit) ** 2 * variance)
    rows = [ceil(one) for one in needed]
    n, (of_ratio, of_slope, of_c, *of_benefit) = max(rows), rows
    return ValidationSize(n, ceil(n * rate), of_ratio, of_slope, of_c, of_benefit[0] if of_benefit else None)


def _expected_c(forecasts: Floats) -> float:
    """Return the C statistic of calibrated forecasts, ties one half."""
    values, counts = np.unique(forecasts, return_counts=True)
    events, others = values * counts, (1 - values) * counts
    below = np.cumsum(others) - others / 2
    return float(events @ below / (events.sum() * others.sum()))


def _of_c_statistic(c: float, rate: float, error: float) -> float:
    """Return the n at which Newcombe's standard error is as small as asked: the root of a quadratic."""
    spread, most = (1 - c) / (2 - c) + c / (1 + c), rate * (1 - rate) * error**2 / (c * (1 - c))
    return (spread / 2 + sqrt(spread**2 / 4 + 4 * most * (1 - spread))) / (2 * most)
