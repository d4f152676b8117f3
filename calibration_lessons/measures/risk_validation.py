"""External validation of a risk model: what a report of it states, each number with its interval."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import chi2, f, norm, rankdata, t

from .. import _input, _results
from .._parameters import describe
from .._typing import Floats, Label
from ..models.logistic_regression import LogisticLoss
from ..solvers.logistic import logistic_intercept, logistic_line
from ..solvers.newton import Slopes, minimise
from ..solvers.root import increasing_root
from ._groups import group_numbers
from .calibration_line import fitted_line, read_log_odds

Update = Literal["none", "intercept", "intercept and slope"]
QUANTILES = {3: (0.1, 0.5, 0.9), 4: (0.05, 0.35, 0.65, 0.95), 5: (0.05, 0.275, 0.5, 0.725, 0.95)}


@_results.shown_rounded
class Estimate(NamedTuple):
    """A number and its interval; the ends are NaN where no valid interval exists."""

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        best, low, high = (_results.number(round(value, 6)) for value in self)  # what is below is noise
        return best if np.isnan(self.low) else f"{best} ({low} to {high})"


@dataclass(frozen=True, repr=False, eq=False)
class FlexibleCurve(_results.Rows):
    """Observed risk as a smooth function of the forecast, with a pointwise band.

    Attributes
    ----------
    forecast, observed, low, high : ndarray, shape (m,)
        Forecasts in ascending order, the risk that the spline gives there, and the ends of its Wald interval
        on the scale of the log-odds.
    """

    forecast: Floats
    observed: Floats
    low: Floats
    high: Floats

    def __repr__(self) -> str:
        return f"<FlexibleCurve: {len(self.forecast)} forecasts>"


@_results.shown_rounded
@dataclass(frozen=True, repr=False, eq=False)
class RiskValidation(_results.Rows):
    """How a risk model did on new people.

    Attributes
    ----------
    n, events : int
        Rows, and rows where the event happened.
    mean_forecast, event_rate : float
        Mean forecast, and share of events.
    observed_expected : Estimate
        Events divided by the sum of the forecasts; Wald interval on the log scale, wider where labels scatter
        more than events of one risk. With 21 laws it held the truth in 94 to 99 % (90 to 99 % without that).
    in_the_large : Estimate
        Intercept where the slope is held at 1 (the log-odds are an offset); profile likelihood, its limit
        raised by as much as the labels scatter more than this model says. With true slopes from -0.3 to 1.5
        and 50 to 1200 rows it held the truth in 92 to 98 %, without the rise in 72 to 98 %.
    slope : Estimate
        Calibration slope, beside an intercept; profile likelihood, its limit raised likewise. Where the curve
        is none, the best line's was held in 93 to 97 % (85 to 97 % without), 84 and 90 % if 20 rows decide.
    c_statistic : Estimate
        Chance that an event is ranked above a non-event, ties one half; score interval of Newcombe (2006,
        method 5), wider where one class scatters more than it assumes (DeLong et al. 1988). With 3 to 2000
        events of ten pairs of laws it held the truth in 90 to 100 %, Newcombe's alone in 69 to 100 %.
    brier : Estimate
        Mean squared error; Student's t of its mean.
    ici, e50, e90, emax : Estimate
        Mean, median, 90th percentile and maximum, over the rows, of the absolute difference between forecast
        and flexible curve. No interval: a bootstrap of an absolute difference does not cover where the model
        is calibrated. The curve's band says how sure it is.
    curve : FlexibleCurve
        Logistic regression on a restricted cubic spline of the forecast's log-odds.
    update : {"none", "intercept", "intercept and slope"}
        The simplest update that a closed test at 1 - level does not refuse (Vergouwe et al. 2017, without
        their last step, new coefficients). With few events "none" says only that nothing could be shown.
    level : float
        Confidence level of the intervals.
    n_groups : int or None
        Groups that were left out in turn: then every interval is a jackknife's, with Student's t, on the
        log scale for observed : expected and on that of the log-odds for the C statistic and the curve.
    """

    n: int
    events: int
    mean_forecast: float
    event_rate: float
    observed_expected: Estimate
    in_the_large: Estimate
    slope: Estimate
    c_statistic: Estimate
    brier: Estimate
    ici: Estimate
    e50: Estimate
    e90: Estimate
    emax: Estimate
    curve: FlexibleCurve = field(repr=False)
    update: Update
    level: float
    n_groups: int | None
    _forecasts: Floats = field(repr=False)

    def sentence(self) -> str:
        """Say the result in words, as a paper may print it."""
        few = min(self.events, self.n - self.events) < 100
        mean, rate = (_results.number(100 * share) for share in (self.mean_forecast, self.event_rate))
        return (
            f"In {self.n} rows with {self.events} events the mean predicted risk was {mean} % and the event "
            f"rate {rate} % (observed to expected {self.observed_expected}). Calibration in the large was "
            f"{self.in_the_large}, the calibration slope {self.slope}, the integrated calibration index "
            f"{self.ici}, the C statistic {self.c_statistic} and the Brier score {self.brier}; brackets hold "
            f"{100 * self.level:g} % intervals"
            + (f" between {self.n_groups} groups." if self.n_groups else ".")
            + (" With fewer than 100 events or non-events the flexible curve is uncertain." if few else "")
        )

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: a row for each measure, its interval and the kind of that."""
        return super().to_frame().set_index("measure").rename_axis(None)

    def plot(self, ax: Any = None) -> Any:
        """Draw the flexible curve with its band, and where the forecasts lie; needs matplotlib."""
        plots = import_module("calibration_lessons.plots")
        return plots.flexible_curve(self.curve, self._forecasts, level=self.level, ax=ax)

    __str__ = sentence

    def _columns(self) -> dict[str, Any]:
        between = f"jackknife, {self.n_groups} groups" if self.n_groups else ""
        rows = [
            (name, *getattr(self, key), between if between and kind != "none" else kind)
            for key, (name, kind) in _TABLE.items()
        ]
        names = ("measure", "estimate", "low", "high", "interval")
        return dict(zip(names, zip(*rows, strict=True), strict=True))

    def _caption(self) -> str:
        return f"{self.n} rows, {self.events} events"


_TABLE = {
    "observed_expected": ("observed : expected", "Wald, log scale"),
    "in_the_large": ("calibration in the large", "profile, robust"),
    "slope": ("calibration slope", "profile, robust"),
    "c_statistic": ("C statistic", "score, Newcombe"),
    "brier": ("Brier score", "Student's t"),
    "ici": ("ICI", "none"),
    "e50": ("E50", "none"),
    "e90": ("E90", "none"),
    "emax": ("Emax", "none"),
}


@describe
def risk_validation(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    level: float = 0.95,
    pos_label: Label = None,
) -> RiskValidation:
    """Validate a risk model on rows that it was not fitted to.

    Parameters
    ----------
    {happened}
    y_prob : array_like, shape (n,)
        Predicted risk, strictly between 0 and 1.
    groups : array_like, shape (n,), optional
        What rows hang together by: their hospital, or the patient who comes again. Intervals, band and update
        then speak of other groups, too: a jackknife leaves out one group at a time, which takes about as
        long as so many validations.
    {level, pos_label}

    Returns
    -------
    RiskValidation
        Its ``sentence()`` is for a paper, ``to_frame()`` gives the table, ``plot()`` the figure.

    {refused}
        Also for a risk of 0 or 1, for fewer than two events or non-events, for equal forecasts, and where the
        forecasts separate the events from the rest: then no calibration slope exists; for fewer than five
        groups, and where what is left without one of them is refused.

    Notes
    -----
    The estimates are those of all rows together, with groups or without: a large hospital counts for more,
    and the C statistic compares patients of different hospitals, too. In samples of 5 to 40 hospitals that
    differed in prevalence, intercept and slope, intervals between groups held the truth in 91 to 97 %, those
    without groups in 44 to 81 %. The hospitals were of similar size: where one holds half of the patients,
    those between groups held it in 82 to 91 %.

    References
    ----------
    Van Calster et al. (2016), A calibration hierarchy for risk models; Austin and Steyerberg (2019), The
    integrated calibration index; Newcombe (2006), Confidence intervals for an effect size measure based on
    the Mann-Whitney statistic, part 2; DeLong et al. (1988), Comparing the areas under two or more
    correlated ROC curves; Debray et al. (2017), A guide to systematic review of prediction
    model performance, on observed to expected; Vergouwe et al. (2017), A closed testing procedure to select
    an appropriate method for updating prediction models.

    Examples
    --------
    >>> risk = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> result = risk_validation([0, 0, 1, 0, 1, 0, 1, 1], risk)
    >>> result.observed_expected
    Estimate(estimate=1, low=0.5, high=2)
    >>> result.update
    'none'
    """
    _input.same_rows(y_true=y_true, y_prob=y_prob, groups=groups)
    log_odds, labels = read_log_odds(y_true, y_prob, pos_label, from_logits=False)
    forecasts = _input.real_array(y_prob, "y_prob", (1,)).astype(np.float64)
    level = _input.confidence(level)
    turned = _input.turned_round(forecasts, labels, "y_prob")
    _input.repeated(forecasts, labels, "y_prob")
    _input.percentages(forecasts, labels, "y_prob")
    n, events = len(labels), int(labels.sum())
    if min(events, n - events) < 2:
        expected = "at least 2 events and 2 non-events"
        raise _input.BadValue("y_true", f"has {events} events in {n} rows", expected)
    line = np.array(fitted_line(log_odds, labels, None)[::-1])
    large, slope, update = _recalibration(log_odds, labels, line, level)
    if slope.high < 0 and not turned:  # few events tell it by the slope alone
        _input.turned_round(forecasts, labels, "y_prob", known=True)
    z = float(norm.isf((1 - level) / 2))
    curve, at_rows, knots = _flexible(forecasts, log_odds, labels, line, z)
    off = np.abs(at_rows - forecasts)
    ratio = events / forecasts.sum()
    spread = z * np.sqrt(max(1 - events / n, ((labels - ratio * forecasts) ** 2).sum() / events) / events)
    losses = (labels - forecasts) ** 2
    reach = float(t.isf((1 - level) / 2, n - 1)) * losses.std(ddof=1) / np.sqrt(n)
    result = RiskValidation(
        n=n,
        events=events,
        mean_forecast=float(forecasts.mean()),
        event_rate=events / n,
        observed_expected=_estimate(ratio, ratio * np.exp(-spread), ratio * np.exp(spread)),
        in_the_large=large,
        slope=slope,
        c_statistic=_c_statistic(forecasts, labels == 1, z),
        brier=_estimate(losses.mean(), max(losses.mean() - reach, 0), min(losses.mean() + reach, 1)),
        ici=_estimate(off.mean()),
        e50=_estimate(np.median(off)),
        e90=_estimate(np.quantile(off, 0.9)),
        emax=_estimate(off.max()),
        curve=curve,
        update=update,
        level=level,
        n_groups=None,
        _forecasts=forecasts,
    )
    return result if groups is None else _between_groups(result, labels, knots, groups)


def _estimate(value: Any, low: Any = np.nan, high: Any = np.nan) -> Estimate:
    return Estimate(float(value), float(low), float(high))


class _Logistic(LogisticLoss):
    """The logistic loss of the rows of a design, summed up, whose walk to infinity never arrives."""

    lengthens = True

    def __init__(self, design: Floats, labels: npt.NDArray[Any]) -> None:
        super().__init__(design, labels, np.ones(len(labels)), np.zeros(design.shape[1]), 0.0)

    def step(self, theta: Floats, here: Slopes) -> Floats:
        return np.asarray(-np.linalg.solve(here.hessian, here.gradient), dtype=np.float64)

    def arrived(self, theta: Floats, here: Slopes, step: Floats) -> bool:
        """Tell whether a step is short; on the way to infinity each moves the log-odds by 1."""
        return bool(np.abs(self.rows @ step).max() <= 1e-6)


def _recalibration(
    log_odds: Floats, labels: npt.NDArray[Any], fitted: Floats, level: float
) -> tuple[Estimate, Estimate, Update]:
    """Intercept at slope 1, slope, and the update that a closed test chooses."""
    centred, start = log_odds - log_odds.mean(), 0.0

    def deviance(line: Floats, along: Floats | float) -> tuple[float, float]:
        """Deviance, and its derivative where the line moves along."""
        losses = np.logaddexp(0, np.where(labels == 1, -line, line))
        return 2 * float(losses.sum()), 2 * float(((expit(line) - labels) * along).sum())

    def of_intercept(value: float) -> tuple[float, float]:
        return deviance(log_odds + value, 1.0)

    def of_slope(value: float) -> tuple[float, float]:
        nonlocal start
        line = value * centred
        for _ in range(20):  # Newton's steps from the last intercept
            risk = expit(line + start)
            step = float((risk - labels).sum() / max((risk * (1 - risk)).sum(), 1e-300))
            if abs(step) > 2:
                start = logistic_intercept(line, labels, None, (0.0, 1.0))
                break
            start -= step
            if abs(step) < 1e-12:
                break
        return deviance(line + start, centred)

    def interval(
        profile: Callable[[float], tuple[float, float]],
        best: float,
        least: float,
        line: Floats,
        along: Floats,
    ) -> Estimate:
        """Find both ends; labels that scatter more along a direction than the line says raise the limit."""
        variance = along**2 * expit(line) * expit(-line)
        limit = least + most * max(1.0, float(((along * (labels - expit(line))) ** 2).sum() / variance.sum()))
        return _estimate(best, *(_end(profile, best, side, limit) for side in (-1, 1)))

    large, (intercept, slope) = logistic_intercept(log_odds, labels, None, (0.0, 1.0)), fitted.tolist()
    line, most = slope * log_odds + intercept, float(chi2.isf(1 - level, 1))
    as_it_is, shifted, both = of_intercept(0.0)[0], of_intercept(large)[0], deviance(line, 1.0)[0]
    around = log_odds - np.average(log_odds, weights=expit(line) * expit(-line))
    update: Update = "intercept and slope"
    if as_it_is - both < chi2.isf(1 - level, 2):
        update = "none"
    elif shifted - both < most:
        update = "intercept"
    return (
        interval(of_intercept, large, shifted, log_odds + large, np.ones_like(line)),
        interval(of_slope, slope, both, line, around),
        update,
    )


def _end(profile: Callable[[float], tuple[float, float]], best: float, side: int, limit: float) -> float:
    """Return where a profile of the deviance has risen to its limit, on one side of its minimum."""

    def excess(distance: float) -> tuple[float, float]:
        value, slope = profile(best + side * distance)
        return value - limit, side * slope

    return best + side * increasing_root(excess, 0.5)


def _between_groups(
    found: RiskValidation, labels: npt.NDArray[Any], knots: Floats, groups: npt.ArrayLike
) -> RiskValidation:
    """Give the intervals, the band and the update that hold for other groups, too."""
    group = group_numbers(groups, np.ones(len(labels), dtype=bool))
    number = int(group.max()) + 1

    def measures(p: Floats, y: npt.NDArray[Any]) -> Floats:
        x = logit(p)
        slope, intercept = logistic_line(x, y, None, (0.0, 1.0))
        large, theta = logistic_intercept(x, y, None, (0.0, 1.0)), _coefficients(x, y, knots)
        c = logit(_pairs_won(p, y == 1)[0].mean())
        first = [np.log(y.sum() / p.sum()), large, slope, intercept, c, np.mean((y - p) ** 2)]
        on_curve: Floats = np.r_[first, _spline(logit(found.curve.forecast), knots) @ theta]
        return on_curve

    everyone = measures(found._forecasts, labels)
    try:
        kept = [group != one for one in range(number)]
        without = np.array([measures(found._forecasts[rows], labels[rows]) for rows in kept])
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        expected = "groups without any one of which slope and curve can still be fitted"
        raise _input.BadValue("groups", "has a group that the others cannot spare", expected) from error
    apart = (without - without.mean(axis=0)) * np.sqrt((number - 1) / number)
    reach = float(t.isf((1 - found.level) / 2, number - 1)) * np.sqrt((apart**2).sum(axis=0))
    low, high = everyone - reach, everyone + reach
    off, cross = everyone[[2, 3]] - [1, 0], apart[:, [2, 3]].T @ apart[:, [2, 3]]
    hotelling = float(off @ np.linalg.solve(cross, off)) * (number - 2) / (2 * (number - 1))
    update: Update = "intercept and slope"
    if hotelling < f.isf(1 - found.level, 2, number - 2):
        update = "none"
    elif low[2] < 1 < high[2]:
        update = "intercept"
    return replace(
        found,
        observed_expected=_estimate(*np.exp([everyone[0], low[0], high[0]])),
        in_the_large=_estimate(everyone[1], low[1], high[1]),
        slope=_estimate(everyone[2], low[2], high[2]),
        c_statistic=_estimate(*expit([everyone[4], low[4], high[4]])),
        brier=_estimate(everyone[5], max(low[5], 0), min(high[5], 1)),
        curve=replace(found.curve, low=expit(low[6:]), high=expit(high[6:])),
        update=update,
        n_groups=number,
    )


def _pairs_won(forecasts: Floats, event: npt.NDArray[np.bool_]) -> list[Floats]:
    """Share of the others that each event outranks, and of the events that each other one does."""
    ranks, n = rankdata(forecasts), len(event)
    return [(ranks[side] - rankdata(forecasts[side])) / (n - side.sum()) for side in (event, ~event)]


def _c_statistic(forecasts: Floats, event: npt.NDArray[np.bool_], z: float) -> Estimate:
    """Area under the ROC curve, and the values from which it is no more than z standard errors away.

    Newcombe's standard errors grow by what DeLong's, from the pairs that each row wins, exceed them at c.
    """
    n, events, won = len(event), int(event.sum()), _pairs_won(forecasts, event)
    c = float(won[0].mean())

    def newcombe(value: float) -> float:
        spread = 1 + (n / 2 - 1) * ((1 - value) / (2 - value) + value / (1 + value))
        return value * (1 - value) * spread / (events * (n - events))

    wider = max(1.0, float(sum(share.var(ddof=1) / len(share) for share in won)) / newcombe(c))

    def excess(value: float) -> float:
        return (c - value) ** 2 - z**2 * wider * newcombe(value)

    return _estimate(c, brentq(excess, 0.0, c), brentq(excess, c, 1.0))


def _flexible(
    forecasts: Floats, log_odds: Floats, labels: npt.NDArray[Any], line: Floats, z: float
) -> tuple[FlexibleCurve, Floats, Floats]:
    """Fit the curve with five knots; fewer with few rows, none with few forecasts or where it separates."""
    n_knots = 5 if len(labels) >= 100 else 4 if len(labels) >= 30 else 3
    knots = np.unique(np.quantile(log_odds, QUANTILES[n_knots]))
    kept, theta = knots[:0], line
    if len(np.unique(log_odds)) > 10:
        with suppress(np.linalg.LinAlgError, ArithmeticError):
            kept, theta = knots, _coefficients(log_odds, labels, knots)
    design = _spline(log_odds, kept)
    hessian = _Logistic(design, labels).hessian(theta)
    unit = 1 / np.sqrt(np.diag(hessian))  # of each column: the inverse is exact where their sizes differ much
    covariance = np.linalg.inv(hessian * np.outer(unit, unit)) * np.outer(unit, unit)
    grid = np.unique(np.quantile(forecasts, np.linspace(0, 1, 101), method="nearest"))
    at_grid = _spline(logit(grid), kept)
    centre = at_grid @ theta
    reach = z * np.sqrt(np.einsum("ij,jk,ik->i", at_grid, covariance, at_grid))
    curve = FlexibleCurve(grid, expit(centre), expit(centre - reach), expit(centre + reach))
    return curve, expit(design @ theta), kept


def _coefficients(log_odds: Floats, labels: npt.NDArray[Any], knots: Floats) -> Floats:
    """Fit a logistic regression on the spline; raise an ArithmeticError where it runs away."""
    fit = minimise(_Logistic(_spline(log_odds, knots), labels), np.zeros(max(len(knots), 2)), 50)
    if not fit.converged:
        raise ArithmeticError
    return fit.theta


def _spline(x: Floats, knots: Floats) -> Floats:
    """Columns of a restricted cubic spline: 1, x, and for each knot but two a cubic that ends straight."""
    columns = [np.ones_like(x), x]
    if len(knots) > 2:
        *inner, before, last = knots
        for knot in inner:
            cubic = [np.maximum(x - at, 0) ** 3 for at in (knot, before, last)]
            ends = (cubic[1] * (last - knot) - cubic[2] * (before - knot)) / (last - before)
            columns.append((cubic[0] - ends) / (last - knots[0]) ** 2)
    return np.array(columns, dtype=np.float64).T
