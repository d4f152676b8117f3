"""The coin of unknown bias: how uncertain the next toss is, and of which kind that uncertainty is.

Two answers. The first takes entropies of a Beta posterior for the coin's probability of heads, the
second takes the relative likelihood as a degree of plausibility.
"""

from __future__ import annotations

import math
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.optimize.elementwise import find_root
from scipy.special import digamma, entr, rel_entr
from scipy.stats import binom

from .. import _input, _results
from .._parameters import describe
from .._typing import Floats

T = TypeVar("T", float, Floats)
Prior = tuple[float, float]


class Uncertainty(NamedTuple, Generic[T]):
    """An uncertainty and its two parts: ``total = aleatoric + epistemic``.

    Attributes
    ----------
    total : float or ndarray
        Uncertainty about the next outcome.
    aleatoric : float or ndarray
        The part that is expected to stay when the source becomes known.
    epistemic : float or ndarray
        The part that comes from not knowing the source.
    """

    total: T
    aleatoric: T
    epistemic: T

    def __repr__(self) -> str:  # type: ignore[misc]  # mypy knows no method of a generic named tuple
        return _results.rounded(self)


@describe
def coin_uncertainty(heads: int, tosses: int, *, prior: Prior = (1, 1)) -> Uncertainty[float]:
    """Split the uncertainty about the next toss by entropies (equation ``eq-coin-entropy``).

    The coin's probability of heads has the posterior Beta(a + heads, b + tosses - heads).

    Parameters
    ----------
    heads, tosses : int
        Number of heads seen, and of tosses made, ``0 <= heads <= tosses``.
    prior : (float, float)
        Positive parameters a and b of the Beta prior; (1, 1) is uniform.

    Returns
    -------
    Uncertainty of float
        In bits: the entropy of the predictive probability, the expected entropy of the coin, and the
        mutual information between the coin and its next toss. Each lies in [0, 1].

    {refused}

    References
    ----------
    Depeweg et al. (2018), Decomposition of uncertainty in Bayesian deep learning, section 3;
    Hüllermeier and Waegeman (2021), Aleatoric and epistemic uncertainty in machine learning, section 4.

    Examples
    --------
    >>> before = coin_uncertainty(0, 0)
    >>> round(before.total, 3), round(before.aleatoric, 3), round(before.epistemic, 3)
    (1.0, 0.721, 0.279)
    >>> round(coin_uncertainty(5, 10).epistemic, 3)
    0.058
    """
    heads, tosses = _counts(heads, tosses)
    return Uncertainty(*map(float, _entropies(np.array(float(heads)), tosses, _prior(prior))))


@describe
def coin_plausibility(heads: int, tosses: int) -> Uncertainty[float]:
    """Split the uncertainty about the next toss by plausibilities.

    Heads is plausible as far as one coin is both likely after the tosses and in favour of heads
    (equation ``eq-plausibility``). Epistemic is what both outcomes share, aleatoric what both lack
    (equation ``eq-plausibility-split``).

    Parameters
    ----------
    heads, tosses : int
        Number of heads seen, and of tosses made, ``0 <= heads <= tosses``.

    Returns
    -------
    Uncertainty of float
        Without unit; each part and their sum lie in [0, 1].

    {refused}

    References
    ----------
    Senge et al. (2014), Reliable classification: learning classifiers that distinguish aleatoric and
    epistemic uncertainty, section 3; Hüllermeier and Waegeman (2021), section 4.

    Examples
    --------
    >>> coin_plausibility(0, 0)
    Uncertainty(total=1, aleatoric=0, epistemic=1)
    >>> round(coin_plausibility(1, 1).epistemic, 4)
    0.3333
    """
    heads, tosses = _counts(heads, tosses)
    return Uncertainty(*map(float, _plausibilities(np.array(float(heads)), tosses)))


def expected_coin_uncertainty(
    p: float, tosses: int, *, measure: Literal["entropy", "plausibility"] = "entropy"
) -> Uncertainty[float]:
    """Average the uncertainty over all outcomes of a number of tosses (equation ``eq-coin-expected``).

    The average is a sum over the binomial distribution of the number of heads, no simulation.

    Parameters
    ----------
    p : float
        The coin's true probability of heads, in [0, 1].
    tosses : int
        Number of tosses, at least 0.
    measure : {"entropy", "plausibility"}
        `coin_uncertainty` (in bits, with a uniform prior) or `coin_plausibility`.

    Returns
    -------
    Uncertainty of float
        Each part lies in [0, 1].

    Notes
    -----
    Numbers of heads so far from the mean that all of them together have a probability below 1e-300
    (Hoeffding 1963) are left out, so a million tosses take no more than a second.

    References
    ----------
    Hüllermeier and Waegeman (2021), Aleatoric and epistemic uncertainty in machine learning, section 4.

    Examples
    --------
    >>> round(expected_coin_uncertainty(0.5, 1, measure="plausibility").total, 4)
    0.3333
    >>> round(expected_coin_uncertainty(0.5, 2, measure="plausibility").total, 4)
    0.5858
    """
    p = _input.number_between(p, 0, 1, "p")
    tosses = _input.non_negative_whole(tosses, "tosses")
    _input.one_of(measure, ["entropy", "plausibility"], "measure")
    reach = math.sqrt(tosses * math.log(2e300) / 2)
    first, last = math.floor(tosses * p - reach), math.ceil(tosses * p + reach)
    heads = np.arange(max(first, 0), min(last, tosses) + 1, dtype=np.float64)
    split = _entropies(heads, tosses, (1, 1)) if measure == "entropy" else _plausibilities(heads, tosses)
    chances = binom.pmf(heads, tosses, p)
    return Uncertainty(*(float(np.average(part, weights=chances)) for part in split))


def _entropies(heads: Floats, tosses: int, prior: Prior) -> Uncertainty[Floats]:
    a, b, n = prior[0] + heads, prior[1] + tosses - heads, sum(prior) + tosses
    total = (entr(a / n) + entr(b / n)) / math.log(2)
    information = a / n * _log_gap(a) + b / n * _log_gap(b) - _log_gap(n)
    epistemic = np.clip(information / math.log(2), 0, total)
    return Uncertainty(np.asarray(total), np.asarray(total - epistemic), np.asarray(epistemic))


def _log_gap(x: npt.ArrayLike) -> Floats:
    """digamma(x + 1) - log(x), about 1 / (2 x); by its series where the difference would cancel."""
    x = np.asarray(x, dtype=np.float64)
    series = 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)
    return np.where(x > 100, series, digamma(x + 1) - np.log(x))


def _plausibilities(heads: Floats, tosses: int) -> Uncertainty[Floats]:
    for_heads, for_tails = _plausibility(np.stack([heads, tosses - heads]), tosses)
    epistemic = np.minimum(for_heads, for_tails)
    aleatoric = 1 - np.maximum(for_heads, for_tails)
    return Uncertainty(aleatoric + epistemic, aleatoric, epistemic)


def _plausibility(heads: Floats, tosses: int) -> Floats:
    """Height at which the falling relative likelihood meets the rising line 2 h - 1."""
    best = heads / max(tosses, 1)

    def relative_likelihood(h: Floats, heads: Floats) -> Floats:
        distance = rel_entr(heads, tosses * h) + rel_entr(tosses - heads, tosses * (1 - h))
        return np.asarray(np.exp(-distance))

    def gap(u: Floats, heads: Floats) -> Floats:
        return relative_likelihood((1 + u) / 2, heads) - u

    low = np.maximum(2 * best - 1, 0)
    high = np.minimum(2 * relative_likelihood(np.maximum(best, 0.5), heads), 1)
    return np.asarray(find_root(gap, (low, high), args=(heads,)).x)


def _counts(heads: int, tosses: int) -> tuple[int, int]:
    tosses = _input.non_negative_whole(tosses, "tosses")
    heads = _input.non_negative_whole(heads, "heads")
    if heads > tosses:
        raise _input.BadValue("heads", f"= {heads}", f"at most tosses = {tosses}")
    return heads, tosses


def _prior(prior: Prior) -> Prior:
    array = _input.finite(prior, "prior", ndim=(1,))
    if array.shape != (2,) or array.min() <= 0:
        raise _input.BadValue("prior", f"= {prior!r}", "two positive numbers")
    return float(array[0]), float(array[1])
