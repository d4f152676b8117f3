"""The calibration error in company: what a paper should say of a model, in one sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from .. import _input
from .._typing import Seed, Strategy, Target
from .proper_scores import brier_score, negative_log_likelihood
from .reliability import reliability_curve


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
    nll : float
        Negative log-likelihood in nats; ``inf`` where a label had the probability 0.
    brier : float
        Brier score: of the positive class for a 1-D forecast, the sum over the classes for a 2-D one.
    accuracy : float
        Share of rows whose top label is right.
    confidence : float
        Mean probability of the top label: above the accuracy, the forecast is over-confident on average.
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
    nll: float
    brier: float
    accuracy: float
    confidence: float

    def brief(self, digits: int = 3) -> str:
        """Return a cell for a table: the ECE, its interval in brackets, and the value under calibration."""
        ends = f"[{self.low:.{digits}f}, {self.high:.{digits}f}]"
        return f"{self.ece:.{digits}f} {ends} ({self.under_calibration:.{digits}f})"

    def __str__(self) -> str:
        return format(self, ".3f")

    def __format__(self, spec: str) -> str:
        text = self._texts(spec or ".3f")
        return (
            f"ECE {text['ECE']} ({text['interval']}; {self._rows()}, {self._bins()}, {self.event}); "
            f"a calibrated model would get {text['calibrated']}, {text['p']}; "
            f"NLL {text['NLL']}, Brier score {text['Brier']}, accuracy {text['accuracy']}, "
            f"mean confidence {text['confidence']}"
        )

    def _repr_html_(self) -> str:
        text = self._texts(".3f")
        rows = [
            ("expected calibration error (ECE)", text["ECE"]),
            (f"{100 * self.level:g} % interval of the ECE", text["interval"].partition("interval ")[2]),
            ("ECE of a calibrated model, mean", text["calibrated"]),
            ("p-value", text["p"].removeprefix("p = ").replace("p <", "&lt;")),
            ("negative log-likelihood (NLL)", text["NLL"]),
            ("Brier score", text["Brier"]),
            ("accuracy", text["accuracy"]),
            ("mean confidence", text["confidence"]),
        ]
        body = "".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in rows)
        head = '<thead><tr><th scope="col">measure</th><th scope="col">value</th></tr></thead>'
        caption = f"Calibration of the {self.event}: {self._rows()}, {self._bins()}"
        return f"<table><caption>{caption}</caption>{head}<tbody>{body}</tbody></table>"

    def _texts(self, spec: str) -> dict[str, str]:
        """Write each number as it stands in the sentence."""
        p = format(self.p_value, spec)
        least = format(10.0 ** -len(p.partition(".")[2]), spec)
        return {
            "ECE": format(self.ece, spec),
            "interval": f"{100 * self.level:g} % interval {self.low:{spec}} to {self.high:{spec}}",
            "calibrated": format(self.under_calibration, spec),
            "p": f"p = {p}" if float(p) > 0 else f"p < {least}",
            "NLL": "infinite" if math.isinf(self.nll) else f"{self.nll:{spec}} nats",
            "Brier": format(self.brier, spec),
            "accuracy": format(self.accuracy, spec),
            "confidence": format(self.confidence, spec),
        }

    def _rows(self) -> str:
        weighted = not math.isclose(self.n, self.effective_n)
        return f"n = {self.n}" + (f", effective n = {self.effective_n:.0f}" if weighted else "")

    def _bins(self) -> str:
        kind = "width" if self.strategy == "uniform" else "mass"
        return f"{self.n_bins} bin{'s' if self.n_bins > 1 else ''} of equal {kind}"


def calibration_report(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    target: Target = None,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    level: float = 0.95,
    n_draws: int = 1000,
    random_state: Seed = None,
) -> CalibrationReport:
    """Measure a forecast as a paper should: the calibration error, how sure it is, and the proper scores.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels 0..K-1 (0 and 1 for a 1-D `y_prob`).
    y_prob : array_like, shape (n,) or (n, K)
        Probability of the positive class, or of each class; logits with ``from_logits=True``.
    n_bins : int
        Number M of bins.
    strategy : {"uniform", "quantile"}
        Bins of equal width, closed on the right, or of equal mass, where equal scores stay together.
    target : {None, "top-label", "positive"} or int
        Whose probability is tested: that of the top label (None for a 2-D `y_prob`), of the positive class
        (None for a 1-D `y_prob`), or of one class against the rest.
    sample_weight : array_like, shape (n,), optional
        Importance weights, non-negative.
    from_logits : bool
        Read `y_prob` as logits: (n, K), or (n,) for the binary logit z, meaning (0, z).
    level : float
        Confidence level of the interval, in (0, 1).
    n_draws : int
        Draws behind the value under calibration and the p-value, which is at least 1 / (n_draws + 1).
    random_state : int, Generator or None
        Seed of the draws.

    Returns
    -------
    CalibrationReport

    Raises
    ------
    ValueError, TypeError
        For input that is not as described; the message names the argument and the place.

    Notes
    -----
    The interval is that of `ece_interval`, the value under calibration that of
    `ReliabilityCurve.under_calibration`: both need the sums of each bin only.

    References
    ----------
    Vaicenavicius et al. (2019), Evaluating model calibration in classification, section 5.

    Examples
    --------
    >>> y_true, y_prob = [1, 0, 1, 1, 0] * 40, [0.9, 0.2, 0.6, 0.8, 0.4] * 40
    >>> report = calibration_report(y_true, y_prob, n_bins=5, random_state=0)
    >>> print(report)  # doctest: +NORMALIZE_WHITESPACE
    ECE 0.260 (95 % interval 0.230 to 0.277; n = 200, 5 bins of equal width, positive class);
    a calibrated model would get 0.052, p = 0.001; NLL 0.315 nats, Brier score 0.082, accuracy 1.000,
    mean confidence 0.740
    """
    read: dict[str, Any] = {"sample_weight": sample_weight, "from_logits": from_logits}
    y_prob = _input.real_array(y_prob, "y_prob", (1, 2))
    curve = reliability_curve(y_true, y_prob, n_bins=n_bins, strategy=strategy, target=target, **read)
    predictions = reliability_curve(y_true, y_prob, n_bins=1, target="top-label", **read)
    low, high = curve.ece_interval(level)
    null = curve.under_calibration(n_draws=n_draws, random_state=random_state)
    ece = curve.ece()
    filled = curve.counts > 0
    squares = curve.weights[filled] ** 2 / curve.effective_counts[filled]
    return CalibrationReport(
        event=curve.event,
        ece=ece,
        low=low,
        high=high,
        level=level,
        n=curve.n,
        effective_n=float(curve.weights.sum() ** 2 / squares.sum()),
        n_bins=len(curve.counts),
        strategy=strategy,
        under_calibration=null.mean,
        p_value=null.p_value(ece),
        nll=negative_log_likelihood(y_true, y_prob, **read),
        brier=brier_score(y_true, y_prob, **read),
        accuracy=float(predictions.accuracy[0]),
        confidence=float(predictions.confidence[0]),
    )
