"""Simulated years of a monitor: how often its alarm is false, and how soon it rings after a drift."""

from __future__ import annotations

import numpy as np

from .. import _input
from .._typing import Floats, Seed
from ..deployment.monitor import SUMS, CalibrationMonitor, calibration_bets, evidence
from ..measures.bins import uniform_bins
from .simulate import ScoreSource


def first_alarms(
    source: ScoreSource,
    *,
    rows: int = 1000,
    windows: int = 365,
    false_alarms: float = 0.05,
    years: int = 100,
    n_bins: int = 15,
    random_state: Seed = None,
) -> Floats:
    """Simulate years of windows, and tell in which one the alarm of calibration rings first.

    Parameters
    ----------
    source : ScoreSource
        Where scores and events come from, in every window: calibrated, for the rate of false alarms; drifted,
        for the time that it takes to notice.
    rows, windows : int
        Rows a window, and windows a year.
    false_alarms : float
        Chance, at most, that calibrated forecasts ever ring the alarm; in (0, 0.5).
    years : int
        Number of simulated years.
    n_bins : int
        Number of bins of equal width.
    random_state : int, Generator or None

    Returns
    -------
    ndarray, shape (years,)
        Number of the window, from 1; infinity where the alarm stays silent.

    Examples
    --------
    >>> from calibration_lessons.book.simulate import ScoreSource, over_confident
    >>> drifted = ScoreSource(over_confident(1.3))
    >>> first_alarms(drifted, rows=500, windows=30, years=5, random_state=0).max() < 30
    np.True_
    """
    _input.positive_whole(years, "years")
    monitor = CalibrationMonitor(n_bins, false_alarms=false_alarms, windows=windows)
    generator = _input.generator(random_state)
    first = np.full(years, np.inf)
    for year in range(years):
        sums = _year_of(source, _input.positive_whole(rows, "rows"), windows, n_bins, generator)
        rings = evidence(calibration_bets(sums), windows) >= 1 / monitor.false_alarms
        if rings.any():
            first[year] = 1 + rings.argmax()
    return first


def _year_of(
    source: ScoreSource, rows: int, windows: int, n_bins: int, generator: np.random.Generator
) -> Floats:
    """Return the sums of simulated windows, all of whose labels have come."""
    y_true, y_prob = source.sample(rows * windows, generator)
    bins = uniform_bins(y_prob, n_bins) + n_bins * np.repeat(np.arange(windows), rows)
    parts = [np.ones_like(y_prob), y_prob, y_true, y_prob * (1 - y_prob)]
    n, confidence, hits, variance = (np.bincount(bins, part, minlength=n_bins * windows) for part in parts)
    sums = np.array([n, confidence, n, confidence, hits, variance], dtype=np.float64)
    return sums.reshape(len(SUMS), windows, n_bins).swapaxes(0, 1)
