"""Every numbered equation of the book, transcribed literally.

The yardstick: pure Python, loops and all, readable beside the formula by someone who knows no
NumPy. It imports nothing of the package. Each function carries the label of its equation, and the
tests hold the fast public function of the same equation to it.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar


@dataclass(frozen=True)
class Definition:
    """A numbered equation: its label, its transcription, and the public function that computes it fast."""

    label: str
    compute: Callable[..., Any]
    function: str | None
    reason: str | None

    @property
    def name(self) -> str:
        """Name of the transcription."""
        return self.compute.__name__


class Source:
    """The source of a definition, shown as code in a notebook and on the site."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.text}\n```"


NUMBERED: dict[str, Definition] = {}


F = TypeVar("F", bound=Callable[..., Any])


def numbered(
    label: str, *, function: str | None = None, reason: str | None = None
) -> Callable[[F], F]:
    """Register the transcription of the equation `label`.

    `function` names the public function that computes the same, `reason` says why there is none.
    """

    def register(compute: F) -> F:
        if label in NUMBERED:
            raise ValueError(f"{label} is transcribed twice")
        if (function is None) == (reason is None):
            raise ValueError(f"{label}: give the public function, or the reason why there is none")
        NUMBERED[label] = Definition(label, compute, function, reason)
        return compute

    return register


def source(label: str) -> Source:
    """Show the transcription of the equation `label`."""
    if label not in NUMBERED:
        raise ValueError(f"label = {label!r}: expected one of {', '.join(NUMBERED)}")
    lines = inspect.getsource(NUMBERED[label].compute).splitlines()
    return Source("\n".join(line for line in lines if not line.startswith("@")))


# uncertainty/coin


@numbered("eq-coin-likelihood", reason="SciPy has the job: scipy.stats.binom.pmf")
def coin_likelihood(h: float, heads: int, tosses: int) -> float:
    """Probability that a coin of bias h shows so many heads in so many tosses."""
    return math.comb(tosses, heads) * h**heads * (1 - h) ** (tosses - heads)


def binary_entropy(h: float) -> float:
    """Entropy of a coin of bias h, in bits."""
    return sum(-q * math.log2(q) for q in (h, 1 - h) if q > 0)


@numbered("eq-coin-entropy", function="coin_uncertainty")
def coin_entropies(heads: int, tosses: int, slices: int = 2000) -> tuple[float, float, float]:
    """Total, aleatoric and epistemic part in bits; an integral over a uniform prior is a sum of slices."""
    area = mean = aleatoric = 0.0
    for i in range(slices):
        h = (i + 0.5) / slices
        weight = coin_likelihood(h, heads, tosses)
        area = area + weight
        mean = mean + weight * h
        aleatoric = aleatoric + weight * binary_entropy(h)
    total = binary_entropy(mean / area)
    return total, aleatoric / area, total - aleatoric / area


@numbered("eq-plausibility", function="coin_plausibility")
def plausibility_of_heads(heads: int, tosses: int, steps: int = 2000) -> float:
    """Best coin there is, where a coin is as good as the worse of its likelihood and its leaning to heads."""
    coins = [i / steps for i in range(steps + 1)]
    highest = coin_likelihood(heads / tosses, heads, tosses) if tosses > 0 else 1.0
    return max(min(coin_likelihood(h, heads, tosses) / highest, max(2 * h - 1, 0)) for h in coins)


@numbered("eq-plausibility-split", function="coin_plausibility")
def plausibility_split(for_heads: float, for_tails: float) -> tuple[float, float]:
    """Aleatoric part, which both outcomes lack, and epistemic part, which both share."""
    return 1 - max(for_heads, for_tails), min(for_heads, for_tails)


@numbered("eq-coin-expected", function="expected_coin_uncertainty")
def coin_expected(p: float, tosses: int, uncertainty: Callable[[int, int], float]) -> float:
    """Average of an uncertainty over the number of heads of a coin of bias p."""
    total = 0.0
    for heads in range(tosses + 1):
        total = total + coin_likelihood(p, heads, tosses) * uncertainty(heads, tosses)
    return total


# measures/reliability


@numbered("eq-bin", function="reliability_curve")
def bin_number(p: float, edges: Sequence[float]) -> int:
    """Find the number m of the bin that holds p: bins are right-closed, and 0 falls in the first."""
    m = 1
    while p > edges[m] and m < len(edges) - 1:
        m = m + 1
    return m


@numbered("eq-accuracy", function="reliability_curve")
def bin_accuracy(
    confidences: Sequence[float], correct: Sequence[bool], edges: Sequence[float], m: int
) -> float:
    """Share of the rows in bin m that are correct."""
    count = 0
    hits = 0
    for p, hit in zip(confidences, correct, strict=True):
        if bin_number(p, edges) == m:
            count = count + 1
            hits = hits + hit
    return hits / count


@numbered("eq-confidence", function="reliability_curve")
def bin_confidence(confidences: Sequence[float], edges: Sequence[float], m: int) -> float:
    """Mean confidence of the rows in bin m."""
    count = 0
    total = 0.0
    for p in confidences:
        if bin_number(p, edges) == m:
            count = count + 1
            total = total + p
    return total / count


# measures/ece


@numbered("eq-ece", function="expected_calibration_error")
def expected_calibration_error(
    confidences: Sequence[float], correct: Sequence[bool], edges: Sequence[float]
) -> float:
    """Mean gap between accuracy and confidence over the bins, each weighted by its share of the rows."""
    n = len(confidences)
    total = 0.0
    for m in range(1, len(edges)):
        count = sum(1 for p in confidences if bin_number(p, edges) == m)
        if count > 0:
            accuracy = bin_accuracy(confidences, correct, edges, m)
            confidence = bin_confidence(confidences, edges, m)
            total = total + count / n * abs(accuracy - confidence)
    return total


@numbered("eq-mce", function="maximum_calibration_error")
def maximum_calibration_error(
    confidences: Sequence[float], correct: Sequence[bool], edges: Sequence[float]
) -> float:
    """Largest gap between accuracy and confidence over the bins that hold a row."""
    largest = 0.0
    for m in range(1, len(edges)):
        if any(bin_number(p, edges) == m for p in confidences):
            accuracy = bin_accuracy(confidences, correct, edges, m)
            confidence = bin_confidence(confidences, edges, m)
            largest = max(largest, abs(accuracy - confidence))
    return largest


# measures/proper_scores


@numbered("eq-brier-binary", function="brier_score")
def brier_binary(outcomes: Sequence[int], forecasts: Sequence[float]) -> float:
    """Mean squared difference between forecast and outcome, in [0, 1]."""
    total = 0.0
    for o, p in zip(outcomes, forecasts, strict=True):
        total = total + (p - o) ** 2
    return total / len(outcomes)


@numbered("eq-brier", function="brier_score")
def brier(labels: Sequence[int], forecasts: Sequence[Sequence[float]]) -> float:
    """Mean over the rows of the sum over the classes, in [0, 2]."""
    total = 0.0
    for y, row in zip(labels, forecasts, strict=True):
        for k, p in enumerate(row):
            o = 1 if k == y else 0
            total = total + (p - o) ** 2
    return total / len(labels)


@numbered("eq-nll", function="negative_log_likelihood")
def negative_log_likelihood(labels: Sequence[int], forecasts: Sequence[Sequence[float]]) -> float:
    """Mean of -log of the probability that was given to the true class, in nats."""
    total = 0.0
    for y, row in zip(labels, forecasts, strict=True):
        total = total + (math.inf if row[y] == 0 else -math.log(row[y]))
    return total / len(labels)


# calibrators/temperature


@numbered("eq-softmax", function="softmax")
def softmax(logits: Sequence[float]) -> list[float]:
    """Exponentials of the logits, divided by their sum."""
    total = 0.0
    for z in logits:
        total = total + math.exp(z)
    return [math.exp(z) / total for z in logits]


@numbered("eq-entropy", function="entropy")
def entropy(p: Sequence[float]) -> float:
    """Return the expected surprise of a distribution, in nats; a probability of 0 adds nothing."""
    total = 0.0
    for q in p:
        if q > 0:
            total = total - q * math.log(q)
    return total
