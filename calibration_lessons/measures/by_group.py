"""The audit of groups: for whom is a forecast off, by more than chance does to the worst of so many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.stats import beta

from .. import _input, _results
from .._parameters import describe
from .._typing import Floats, IntArray, Label, Seed, Target
from ._forecast import Forecast
from .bins import uniform_bins
from .chance import share_at_or_above

N_DRAWS = 1000
RESIDUALS_AT_ONCE = 2**22  # in memory, of many draws


@dataclass(frozen=True, eq=False, repr=False)
class GroupCalibration(_results.Rows):
    """How far a forecast is off in each group, or in each bin of each group.

    The arrays have one entry for each group and bin that holds a row.

    Attributes
    ----------
    group : ndarray, shape (m,)
        Name or label of the group.
    bin : ndarray of int, shape (m,)
        Number of the bin of the forecast, from 1; all 1 where there is one bin.
    counts : ndarray of int, shape (m,)
        Rows.
    forecast, observed : ndarray, shape (m,)
        Mean forecast, and share of the rows where the event happened.
    low, high : ndarray, shape (m,)
        Ends of the interval of the chance of the event, averaged over the rows, that is compared with
        `forecast`. The intervals hold together: all m at once with the probability `level` at least.
    statistic : ndarray, shape (m,)
        Sum of label minus forecast, in standard deviations of a calibrated model (``eq-group-gap``).
    p_value : ndarray, shape (m,)
        Share of draws from a calibrated model whose worst entry is at least as far off as this one.
    worst : int
        Place of the entry that is furthest off, by its statistic.
    chance_line : float
        How far off, in standard deviations, a calibrated model's worst entry is at most, with the
        probability `level`.
    level : float
        Of the intervals and of the line.
    """

    group: npt.NDArray[Any]
    bin: IntArray
    counts: IntArray
    forecast: Floats
    observed: Floats
    low: Floats
    high: Floats
    statistic: Floats
    p_value: Floats
    worst: int
    chance_line: float
    level: float

    def __repr__(self) -> str:
        says, came, p = (values[self.worst] for values in (self.forecast, self.observed, self.p_value))
        return (
            f"<GroupCalibration: {len(self.group)} groups, worst {self.group[self.worst]!s}: forecast "
            f"{_results.number(says)}, observed {_results.number(came)}, p = {_results.number(p)}>"
        )


@describe
def calibration_by_group(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    groups: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    *,
    n_bins: int = 1,
    target: Target = None,
    from_logits: bool = False,
    labels: npt.ArrayLike | None = None,
    pos_label: Label = None,
    level: float = 0.95,
    random_state: Seed = None,
) -> GroupCalibration:
    """Find the groups of rows for which a forecast is off, and allow for having looked at many.

    Parameters
    ----------
    {y_true, y_prob}
    groups : array_like, shape (n,), or mapping of name to array_like of bool, shape (n,)
        The group of each row; or groups that may overlap, such as the columns that `pandas.get_dummies`
        makes of a data frame: true where a row belongs.
    n_bins : int
        Number of bins of equal width into which the forecasts of each group are sorted. With one, each group
        is asked only whether its mean forecast is right.
    {target, from_logits, labels}
    level : float
        Probability in (0, 1) with which all intervals hold, and with which a calibrated model stays below
        the line of its worst entry.
    {random_state}

    Returns
    -------
    GroupCalibration
        Its ``to_frame()`` gives the table.

    {refused}
        Also for groups that hold no row at all.

    Notes
    -----
    The statistic is ``eq-group-gap``. Of the rows as they are the mean chance is meant: intervals are those
    of Clopper and Pearson, at a level that Bonferroni's correction raises to 1 - (1 - level) / m. Chances
    that differ within a group scatter less than they allow for. The p-values need no correction: each draws
    labels from all forecasts a thousand times and looks at the worst entry. A group of very few rows with
    extreme forecasts can make that worst entry large, and the others hard to see: leave such groups out, by
    their size.

    References
    ----------
    Hebert-Johnson et al. (2018), Multicalibration: calibration for the (computationally-identifiable)
    masses; Westfall and Young (1993), Resampling-based multiple testing, section 2.3 (the p-values).

    Examples
    --------
    >>> says, came = [0.25] * 16, [0, 0, 0, 1] * 2 + [0, 1, 1, 1] * 2
    >>> found = calibration_by_group(came, says, list("aaaaaaaabbbbbbbb"), random_state=0)
    >>> found.statistic.round(2).tolist()
    [0.0, 3.27]
    >>> found
    <GroupCalibration: 2 groups, worst b: forecast 0.25, observed 0.75, p = 0.00999>
    """
    level = _input.confidence(level)
    generator, n_bins = _input.generator(random_state), _input.positive_whole(n_bins, "n_bins")
    masks = groups if isinstance(groups, Mapping) else {}
    own: dict[str, Any] = {f"groups[{name!r}]": mask for name, mask in masks.items()} or {"groups": groups}
    _input.same_rows(y_true=y_true, y_prob=y_prob, **own)
    forecast = Forecast.read(y_true, y_prob, target, None, from_logits, (labels, pos_label))
    scores, hits = forecast.whole()
    names, group, row = _members(groups, hits)
    seen = len(np.unique(group)), len(np.unique(group * forecast.n_classes + forecast.labels[row]))
    if seen[0] == seen[1] > 1 and len(row) >= _input.MANY_VALUES * len(names):
        _input.warn("groups holds one label in each group: were they made from the labels?")
    cells, cell = np.unique(group * n_bins + uniform_bins(scores, n_bins)[row], return_inverse=True)
    m, p = len(cells), scores.astype(np.float64)
    member = csr_array((np.ones(len(row)), (cell, row)), shape=(m, len(p)))
    counts, said, came = member @ np.ones(len(p)), member @ p, member @ hits.astype(np.float64)
    spread = np.sqrt(np.maximum(member @ (p * (1 - p)), 0.0))

    def surprise(off: Floats) -> Floats:
        missed = np.where(np.abs(off) < 1e-9, 0.0, np.copysign(np.inf, off))  # forecasts of 0 and 1
        scores: Floats = np.divide(off, spread[:, None], out=missed, where=spread[:, None] > 0)
        return scores

    at_once = max(1, RESIDUALS_AT_ONCE // len(p))
    sizes = [min(at_once, N_DRAWS - start) for start in range(0, N_DRAWS, at_once)]
    drawn = ((generator.random((len(p), size)) < p[:, None]) - p[:, None] for size in sizes)
    null = np.concatenate([np.abs(surprise(member @ off)).max(axis=0) for off in drawn])
    statistic = surprise((came - said)[:, None])[:, 0]
    tail = (1 - level) / (2 * m)
    missed = counts - came
    return GroupCalibration(
        group=names[cells // n_bins],
        bin=cells % n_bins + 1,
        counts=counts.astype(np.int64),
        forecast=said / counts,
        observed=came / counts,
        low=np.where(came > 0, beta.ppf(tail, np.maximum(came, 1), missed + 1), 0.0),
        high=np.where(missed > 0, beta.isf(tail, came + 1, np.maximum(missed, 1)), 1.0),
        statistic=statistic,
        p_value=np.array([share_at_or_above(null, abs(one)) for one in statistic]),
        worst=int(np.abs(statistic).argmax()),
        chance_line=float(np.quantile(null, level)),
        level=level,
    )


def _members(groups: Any, hits: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[Any], IntArray, IntArray]:
    """Return the groups' names, and of each membership the number of the group and the row."""
    if not (isinstance(groups, Mapping) or hasattr(groups, "columns")):
        names, group = np.unique(_input.class_labels(groups, "groups"), return_inverse=True)
        _input.same_length(groups=group, y_prob=hits)
        return names, group.astype(np.int64), np.arange(len(hits))
    called, inside = list(getattr(groups, "columns", groups)), []
    for name in called:
        column = _input.class_labels(groups[name], f"groups[{name!r}]")
        if column.dtype != bool:
            found = f"has dtype {column.dtype}"
            raise _input.BadType(f"groups[{name!r}]", found, "booleans, true where a row belongs")
        _input.same_length(**{f"groups[{name!r}]": column, "y_prob": hits})
        inside.append(np.flatnonzero(column))
    if not sum(map(len, inside)):
        raise _input.BadValue("groups", "holds no row", "a group with rows, at least")
    numbers = np.repeat(np.arange(len(called)), [len(rows) for rows in inside])
    return np.array([str(name) for name in called]), numbers, np.concatenate(inside)
