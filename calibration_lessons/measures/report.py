"""The calibration error in company: what a paper should say of a model, in one sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from html import escape

import numpy.typing as npt

from .. import _input
from .._parameters import describe
from .._typing import Label, Seed, Strategy, Target
from ._forecast import Forecast, the
from ._groups import Groups
from .bins import bins_in_words, effective_rows
from .ece import null_of
from .proper_scores import brier_sums, mean_over_rows, nll_sums
from .reliability import curve_of


@dataclass(frozen=True)
class CalibrationReport:
    """An expected calibration error with what it takes to judge it; its text is the sentence for a paper.

    ``f"{report:.4f}"`` writes the numbers with four digits; the text itself has three.

    Attributes
    ----------
    event : str
        Whose probability is tested: "top label", "positive class" or "class k".
    ece : float
        Expected calibration error, the mean absolute gap, in [0, 1].
    low, high : float
        Ends of its confidence interval.
    level : float
        Confidence level of the interval, in (0, 1).
    n : int
        Rows of positive weight.
    effective_n : float
        Kish's effective number of rows; without weights `n`.
    n_bins : int
        Number of bins, the empty ones among them.
    strategy : {"uniform", "quantile"}
        Bins of equal width or of equal mass.
    under_calibration : float
        Mean ECE of a calibrated model at this n and these scores.
    p_value : float
        Probability that a calibrated model gets an ECE as large.
    mean_forecast, event_rate : float
        Mean probability of the event, and how often it happened (the top label was right, the label
        was 1 or k).
    nll : float
        Negative log-likelihood in nats; ``inf`` where a label had the probability 0.
    brier : float
        Brier score: of the positive class for a 1-D forecast, the sum over the classes for a 2-D one.
    accuracy : float
        Share of rows whose top label is right.
    confidence : float
        Mean probability of the top label: above the accuracy, the forecast is over-confident on average.
    n_groups : int or None
        Groups of rows that interval and p-value rest on; None where each row stands for itself.
    """

    event: str
    ece: float
    low: float
    high: float
    level: float
    n: int
    effective_n: float
    n_bins: int
    strategy: Strategy
    under_calibration: float
    p_value: float
    mean_forecast: float
    event_rate: float
    nll: float
    brier: float
    accuracy: float
    confidence: float
    n_groups: int | None = None

    def __str__(self) -> str:
        return format(self, ".3f")

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        told, bins = self._values(spec or ".3f"), bins_in_words(self.n_bins, self.strategy)
        ece, interval, calibrated, p = list(told.values())[:4]
        return (
            f"ECE {ece} of {the(self.event)} ({100 * self.level:g} % interval {interval}; {self._rows()}, "
            f"{bins}); a calibrated model would get {calibrated}, p {p if '<' in p else f'= {p}'}; "
            + ", ".join(f"{name} {value}" for name, value in list(told.items())[4:])
        )

    def _repr_html_(self) -> str:
        cells = ((name, escape(value)) for name, value in self._values(".3f").items())
        body = "".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in cells)
        head = '<thead><tr><th scope="col">measure</th><th scope="col">value</th></tr></thead>'
        bins = bins_in_words(self.n_bins, self.strategy)
        caption = f"Calibration of {the(self.event)}: {self._rows()}, {bins}"
        return f"<table><caption>{caption}</caption>{head}<tbody>{body}</tbody></table>"

    def _values(self, spec: str) -> dict[str, str]:
        """Write each measure, by its name; the first four lead the sentence."""
        p = format(self.p_value, spec)
        least = format(10.0 ** -len(p.partition(".")[2]), spec)
        event = {"mean forecast": self.mean_forecast, "event rate": self.event_rate}
        top_label = {"accuracy": self.accuracy, "mean confidence": self.confidence}
        shown = {"Brier score": self.brier} | (top_label if self.event == "top label" else event)
        return {
            "expected calibration error (ECE)": format(self.ece, spec),
            f"{100 * self.level:g} % interval of the ECE": f"{self.low:{spec}} to {self.high:{spec}}",
            "ECE of a calibrated model, mean": format(self.under_calibration, spec),
            "p-value": p if float(p) > 0 else f"< {least}",
            "NLL": "infinite" if math.isinf(self.nll) else f"{self.nll:{spec}} nats",
        } | {name: format(value, spec) for name, value in shown.items()}

    def _rows(self) -> str:
        weighted = not math.isclose(self.n, self.effective_n)
        rows = f"n = {self.n}" + (f", effective n = {self.effective_n:.0f}" if weighted else "")
        return rows + (f" in {self.n_groups} groups" if self.n_groups else "")


@describe
def calibration_report(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target = None,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
    level: float = 0.95,
    n_draws: int = 1000,
    random_state: Seed = None,
) -> CalibrationReport:
    """Measure a forecast as a paper should: the calibration error, how sure it is, and the proper scores.

    The error is of the positive class for a 1-D `y_prob`, of the top label for a 2-D one; `target` asks for
    another.

    Parameters
    ----------
    {y_true, y_prob, n_bins, strategy, target, sample_weight}
    {groups, from_logits, labels, level}
    n_draws : int
        Draws behind the value under calibration and the p-value, which is at least 1 / (n_draws + 1).
    {random_state}

    Notes
    -----
    The interval is that of `ece_interval`; the value under calibration and the p-value are those of
    `ece_under_calibration`, with the same seed to the last digit.

    With ``groups=`` labels of one group are drawn together, with the correlation that was found for the
    interval; of many rows, too, each is drawn: 100,000 take two seconds. The p-value was at most 0.05 in 3 to
    7 % of the samples of calibrated sources that `ece_interval` speaks of.

    References
    ----------
    Vaicenavicius et al. (2019), Evaluating model calibration in classification, section 5.

    Examples
    --------
    >>> y_true, y_prob = [1, 0, 1, 1, 0] * 40, [0.9, 0.2, 0.6, 0.8, 0.4] * 40
    >>> report = calibration_report(y_true, y_prob, n_bins=5, random_state=0)
    >>> print(report)  # doctest: +NORMALIZE_WHITESPACE
    ECE 0.260 of the positive class (95 % interval 0.230 to 0.277; n = 200, 5 bins of equal width);
    a calibrated model would get 0.053, p = 0.001; NLL 0.315 nats, Brier score 0.082, mean forecast 0.580,
    event rate 0.600
    """
    _input.same_rows(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight, groups=groups)
    forecast = Forecast.read(y_true, y_prob, target, sample_weight, from_logits, (labels, pos_label))
    curve = curve_of(forecast, n_bins, strategy)
    forecast.warn_of_rows()
    of_groups = None if groups is None else Groups(groups, forecast, curve)
    low, high = curve.ece_interval(level) if of_groups is None else of_groups.interval("l1", level)
    null = null_of(curve, forecast, "l1", n_draws, random_state, of_groups)
    ece, weights, means = curve.ece(), forecast.weights, forecast.means()
    top_label = means if forecast.target == "top-label" else replace(forecast, target="top-label").means()
    return CalibrationReport(
        event=curve.event,
        ece=ece,
        low=low,
        high=high,
        level=level,
        n=curve.n,
        effective_n=float(curve.n if weights is None else effective_rows(weights.sum(), weights @ weights)),
        n_bins=len(curve.counts),
        strategy=strategy,
        under_calibration=null.mean,
        p_value=null.p_value(ece),
        mean_forecast=means[0],
        event_rate=means[1],
        nll=mean_over_rows(nll_sums(forecast, from_logits=from_logits)),
        brier=mean_over_rows(brier_sums(forecast, from_logits=from_logits)),
        accuracy=top_label[1],
        confidence=top_label[0],
        n_groups=None if of_groups is None else of_groups.n,
    )
