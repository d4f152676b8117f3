"""Histogram binning: sort the scores into bins, and answer with the mean label of the bin."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from .. import _blocks, _input
from .._json_state import Learned, Numbers
from .._typing import FloatArray, Floats, IntArray
from ..measures.bins import bin_edges, bin_index, quantile_edges, sums_of_bins
from ._base import Reads
from ._binary import BinaryCalibrator, m_estimate, one_score


class HistogramBinning(BinaryCalibrator):
    """Replace each score by the mean label of its bin (equation ``eq-histogram-binning``).

    The mean label is the value of least squared error among all that are constant in a bin.

    Parameters
    ----------
    n_bins : int
        Number of bins, at least 1.
    strategy : {"uniform", "quantile"}
        Bins of equal width, for probabilities in [0, 1]; or of equal mass, for scores of any kind. Equal
        scores stay in one bin, so ties make fewer bins of equal mass than `n_bins`.
    smoothing : float
        Rows at the base rate that are added to each bin that holds rows, at least 0: the m of Cestnik's
        m-estimate. Without them a bin of one class says 0 or 1, and one row that says otherwise makes the
        log loss infinite; 2 is Laplace's rule of succession where both classes are as frequent. The base
        rate is (rows of class 1 + 1) / (rows + 2), and weights sum to rows.

    Attributes
    ----------
    edges_ : ndarray, shape (M + 1,)
        Bin m holds the scores in ``(edges_[m-1], edges_[m]]``. Bins of equal width run from 0 to 1, with 0
        in the first; bins of equal mass are open at both ends.
    values_ : ndarray, shape (M,)
        Probability of class 1 in each bin. An empty bin of equal width holds its own centre: where there are
        no labels, a forecast keeps its value up to the width of the bin. Bins of equal mass are never empty.
    counts_ : ndarray of int, shape (M,)
        Rows of positive weight in each bin.
    {one_score}

    References
    ----------
    Zadrozny and Elkan (2001), Obtaining calibrated probability estimates from decision trees and naive
    Bayesian classifiers (which smooths by the m-estimate, too); Guo, Pleiss, Sun and Weinberger (2017), On
    calibration of modern neural networks, section 4.1.

    Examples
    --------
    >>> binning = HistogramBinning(n_bins=4).fit([0.1, 0.2, 0.6, 0.7], [0, 1, 1, 1])
    >>> binning.values_.tolist()  # bins 2 and 4 are empty
    [0.5, 0.375, 1.0, 0.875]
    >>> binning.predict_proba([0.25, 0.3])[:, 1].tolist()  # 0.25 belongs to the first bin
    [0.5, 0.375]
    """

    edges_: Floats
    values_: Floats
    counts_: IntArray
    _learned: ClassVar[Learned] = {
        "edges_": Numbers(("M + 1",), -np.inf, np.inf, rising=True),
        "values_": Numbers(("M",), 0, 1),
        "counts_": Numbers(("M",), 0, whole=True),
    }

    def __init__(
        self, n_bins: int = 15, strategy: Literal["uniform", "quantile"] = "uniform", smoothing: float = 0.0
    ) -> None:
        self.n_bins = n_bins
        self.strategy = strategy
        self.smoothing = smoothing

    @property
    def reads(self) -> Reads:
        """Probabilities where the bins have equal width, otherwise scores of any kind."""
        return "probabilities" if self.strategy == "uniform" else "scores"

    def _check_scores(self, array: FloatArray) -> FloatArray:
        _input.one_of(self.strategy, ["uniform", "quantile"], "strategy")
        if self.strategy == "uniform":
            return _input.probabilities(one_score(array), "X", (1,))
        return super()._check_scores(array)

    def _learn(self, scores: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        n_bins = _input.positive_whole(self.n_bins, "n_bins")
        if self.strategy == "uniform":
            edges: FloatArray = bin_edges(n_bins, scores.dtype)
        else:
            inner = quantile_edges(scores, n_bins, weights)
            edges = np.concatenate([[-np.inf], inner[inner < scores.max()], [np.inf]])
        share = None if weights is None else weights / weights.max()
        blocks = ((rows, (scores[rows], labels[rows] == 1)) for rows in _blocks.row_blocks(scores))
        sums = sums_of_bins(blocks, edges, self.strategy, share, variances=False)
        counts, weight, _, _, hits = sums[:5]
        self.counts_ = counts.astype(np.int64)
        self.edges_ = edges.astype(np.float64)
        filled, values = weight > 0, (np.arange(n_bins) + 0.5)[: len(hits)] / n_bins
        smoothing = _input.number_between(self.smoothing, 0, 1e100, "smoothing")
        if smoothing:
            _input.count_as_rows(weights)
            unit = 1.0 if weights is None else float(weights.max())
            hits, weight = hits * unit, weight * unit
            total = float(hits.sum()), float(weight.sum())
            values[filled] = m_estimate(hits[filled], weight[filled], smoothing, total)
        else:
            values[filled] = hits[filled] / weight[filled]
        self.values_ = values

    def _map(self, scores: FloatArray) -> Floats:
        edges: FloatArray = self.edges_
        if self.strategy == "uniform":
            edges = bin_edges(len(self.values_), scores.dtype)
        return np.asarray(self.values_[bin_index(scores, edges, self.strategy)])
