"""From a probability to a decision: thresholds from costs, expected cost, abstaining, selective answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _input, _results
from .._parameters import describe
from .._typing import Floats, Label
from ..measures._forecast import Forecast

ABSTAIN = -1
MAX_COST = float(np.finfo(np.float64).max)


@describe
def optimal_threshold(costs: npt.ArrayLike) -> float:
    """Probability above which deciding 1 costs less than deciding 0 (equation ``eq-threshold``).

    Parameters
    ----------
    costs : array_like, shape (2, 2)
        ``costs[k, d]`` is the cost of decision d where the true class is k, as in a confusion matrix:
        ``[[0, false_positive], [false_negative, 0]]`` where right decisions cost nothing.

    Returns
    -------
    float
        In (0, 1). At the threshold itself both decisions cost the same.

    {refused}
        Also where one decision is never worse than the other.

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, section 2.

    Examples
    --------
    >>> optimal_threshold([[0, 1], [4, 0]])  # a miss costs four false alarms
    0.2
    """
    table = _input.finite(costs, "costs", ndim=(2,)).astype(np.float64)
    if table.shape != (2, 2):
        raise _input.BadValue("costs", f"has shape {table.shape}", "(2, 2), true class by decision")
    table /= max(np.abs(table).max(), np.finfo(float).tiny)  # so that no difference overflows
    false_positive, false_negative = table[0, 1] - table[0, 0], table[1, 0] - table[1, 1]
    if false_positive <= 0 or false_negative <= 0:
        expected = "each class's own decision to cost less than the other (else one is right whatever p)"
        raise _input.BadValue("costs", f"= {np.asarray(costs).tolist()}", expected)
    return float(1 / (1 + false_negative / false_positive))


@describe
def expected_cost(y_prob: npt.ArrayLike, costs: npt.ArrayLike) -> Floats:
    """Compute the expected cost of each decision under the forecast (equation ``eq-expected-cost``).

    Parameters
    ----------
    {probabilities, costs}

    Returns
    -------
    ndarray, shape (n, D)
        In the unit of the costs. Where the forecasts are calibrated (with more than two classes:
        canonically), it is what the decisions cost on average.

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, section 1.

    Examples
    --------
    >>> expected_cost([0.5, 0.125], [[0, 1], [4, 0]]).tolist()
    [[2.0, 0.5], [0.5, 0.875]]
    """
    forecasts = _input.probabilities(y_prob)
    table = _cost_table(costs, len(forecasts), _input.classes(forecasts, "y_prob"))
    p = forecasts.astype(np.float64)
    if p.ndim == 1:
        return np.asarray((1 - p)[:, None] * table[..., 0, :] + p[:, None] * table[..., 1, :])
    return np.asarray(p @ table if table.ndim == 2 else np.einsum("nk,nkd->nd", p, table))


@describe
def optimal_decision(
    y_prob: npt.ArrayLike, costs: npt.ArrayLike, *, abstaining_cost: float | None = None
) -> npt.NDArray[np.int64]:
    """Choose the cheapest decision, or none (equations ``eq-optimal-decision``, ``eq-abstain``).

    Parameters
    ----------
    {probabilities, costs}
    abstaining_cost : float, optional
        Cost of leaving a row undecided. Without it every row is decided.

    Returns
    -------
    ndarray, shape (n,)
        Decisions 0..D-1, the first of those that tie; -1 where every decision is expected to cost more
        than abstaining.

    References
    ----------
    Chow (1970), On optimum recognition error and reject tradeoff, section II.

    Examples
    --------
    >>> optimal_decision([0.1, 0.3, 0.9], [[0, 1], [4, 0]]).tolist()
    [0, 1, 1]
    >>> optimal_decision([0.1, 0.3, 0.9], [[0, 1], [1, 0]], abstaining_cost=0.25).tolist()
    [0, -1, 1]

    Two transactions of 10 and 1000 euros, as likely to be fraud. A check costs 5, a missed fraud the amount:

    >>> costs = [[[0, 5], [amount, 5]] for amount in (10, 1000)]
    >>> optimal_decision([0.1, 0.1], costs).tolist()
    [0, 1]
    """
    expected = expected_cost(y_prob, costs)
    decision: npt.NDArray[np.int64] = expected.argmin(axis=1)
    if abstaining_cost is not None:
        limit = _input.number_between(abstaining_cost, -MAX_COST, MAX_COST, "abstaining_cost")
        decision[expected.min(axis=1) > limit] = ABSTAIN
    return decision


@describe
def mean_cost(
    y_true: npt.ArrayLike,
    decision: npt.ArrayLike,
    costs: npt.ArrayLike,
    *,
    abstaining_cost: float | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Mean of what the decisions cost in the end (equation ``eq-mean-cost``).

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels 0..K-1.
    decision : array_like, shape (n,)
        Decisions 0..D-1; -1, for a row left undecided, only with `abstaining_cost`.
    {costs}
    abstaining_cost : float, optional
        Cost of leaving a row undecided.
    {sample_weight}

    Returns
    -------
    float
        In the unit of the costs.

    Examples
    --------
    >>> mean_cost([0, 1, 1, 0], [0, 1, 0, 1], [[0, 1], [4, 0]])
    1.25
    """
    table = _cost_table(costs, _input.plain_array(y_true, "y_true").size)
    _input.same_rows(y_true=y_true, decision=decision, sample_weight=sample_weight)
    labels = _input.labels(y_true, table.shape[-2])
    chosen = _decisions(decision, 0 if abstaining_cost is None else ABSTAIN, table.shape[-1] - 1)
    if abstaining_cost is not None:  # as the last column, which is where -1 points
        limit = _input.number_between(abstaining_cost, -MAX_COST, MAX_COST, "abstaining_cost")
        table = np.insert(table, table.shape[-1], limit, axis=-1)
    _input.same_length(y_true=labels, decision=chosen)
    weights = _input.weights(sample_weight, len(labels))
    each = np.broadcast_to(table, (len(labels), *table.shape[-2:]))[np.arange(len(labels)), labels, chosen]
    return float(np.average(each, weights=weights))


@dataclass(frozen=True, eq=False, repr=False)
class RiskCoverage(_results.Rows):
    """What a model risks that answers only where it is confident.

    The arrays have one entry for each distinct confidence, from the largest down.

    Attributes
    ----------
    threshold : ndarray, shape (m,)
        Smallest confidence that is answered.
    coverage : ndarray, shape (m,)
        Share of the rows that are answered, in (0, 1].
    risk : ndarray, shape (m,)
        Share of errors among them.
    area : float
        Mean risk over all coverages, the AURC (equation ``eq-aurc``), in [0, 1].
    generalized_area : float
        Mean over all coverages of the errors among all rows that are let through, the AUGRC (equation
        ``eq-augrc``), in [0, 1/2]. With the share of errors e and the AUROC of the confidence, as the chance
        that a right row is the surer one, it is ``(1 - AUROC) e (1 - e) + e**2 / 2``.
    """

    threshold: Floats
    coverage: Floats
    risk: Floats
    area: float
    generalized_area: float

    def __repr__(self) -> str:
        return f"<RiskCoverage: {len(self.risk)} distinct confidences, area {_results.number(self.area)}>"


@describe
def risk_coverage(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
) -> RiskCoverage:
    """Errors among the rows that a model answers, the surest first, against their share.

    Their mean over all shares is ``eq-aurc``; ``eq-augrc`` counts the same errors among all rows.

    Parameters
    ----------
    {y_true, y_prob, sample_weight, from_logits, labels}

    Notes
    -----
    Rows of equal confidence are answered in any order, so each counts with their mean error.

    References
    ----------
    El-Yaniv and Wiener (2010), On the foundations of noise-free selective classification; Geifman, Uziel and
    El-Yaniv (2019), Bias-reduced uncertainty estimation for deep neural classifiers (the area); Traub et al.
    (2024), Overcoming common flaws in the evaluation of selective classification systems (the AUGRC).

    Examples
    --------
    >>> curve = risk_coverage([0, 1, 1, 0], [0.1, 0.8, 0.7, 0.6])
    >>> curve.coverage.tolist(), curve.risk.tolist(), curve.area
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25], 0.0625)
    >>> curve.generalized_area
    0.03125
    """
    forecast = Forecast.read(y_true, y_prob, "top-label", sample_weight, from_logits, (labels, pos_label))
    confidence, hits = forecast.whole()
    weights = np.ones(len(hits)) if forecast.weights is None else forecast.weights
    keep = weights > 0
    distinct, group = np.unique(-confidence[keep].astype(np.float64), return_inverse=True)
    weights = weights[keep] / weights.max()
    size, errors = np.bincount(group, weights), np.bincount(group, weights * ~hits[keep])
    answered = np.cumsum(size)
    order = np.argsort(group, kind="stable")
    row_weights, row_errors = weights[order], (weights * (errors / size)[group])[order]
    risks = np.cumsum(row_errors) / np.cumsum(row_weights)
    return RiskCoverage(
        threshold=-distinct,
        coverage=answered / answered[-1],
        risk=np.cumsum(errors) / answered,
        area=float(row_weights @ risks / answered[-1]),
        generalized_area=float(errors @ (answered[-1] - answered + size / 2) / answered[-1] ** 2),
    )


def _cost_table(costs: npt.ArrayLike, n: int, n_classes: int | None = None) -> Floats:
    """Return costs by class and decision, or by row, class and decision; warn of what looks turned round."""
    table = _input.finite(costs, "costs", ndim=(2, 3)).astype(np.float64)
    k, d = table.shape[-2:]
    if n_classes is not None and k != n_classes:
        expected = f"{n_classes}, one for each class that y_prob speaks of"
        expected += " (costs.T, if a row is a decision)" if table.ndim == 2 and d == n_classes else ""
        raise _input.BadValue("costs", f"has {k} rows", expected)
    if table.ndim == 3 and len(table) != n:
        raise _input.BadValue("costs", f"has {len(table)} tables and the data have {n} rows", "one for each")
    if k == d > 1:
        mean, itself = table.reshape(-1, k, d).mean(axis=0), np.eye(k, dtype=bool)
        others, own = np.where(itself, np.inf, mean), mean.diagonal()
        if (np.where(itself, -np.inf, mean).max(axis=1) < own).all():
            _input.warn("in costs each class's own decision is the dearest: pass minus the utilities")
        elif (own < others.min(axis=0)).all() and (own >= others.min(axis=1)).any():
            found = "a class's own decision is not its cheapest, and transposed they all are"
            _input.warn(f"in costs {found}: costs[k, d] is decision d where the true class is k")
    return table


def _decisions(decision: npt.ArrayLike, lowest: int, highest: int) -> npt.NDArray[np.int64]:
    numbers = _input.finite(decision, "decision", ndim=(1,))
    wrong = (np.floor(numbers) != numbers) | (numbers < lowest) | (numbers > highest)
    hint = "" if lowest == ABSTAIN else " (-1 only with abstaining_cost)"
    given, expected = _input.as_numpy(decision), f"a whole number in {lowest}..{highest}{hint}"
    _input.refuse_entries(wrong, given, "decision", expected)
    return numbers.astype(np.int64)
