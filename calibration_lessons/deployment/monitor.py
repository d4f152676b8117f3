"""Watch calibration in production: sums by window and bin, and an alarm with a known rate of false ones.

The alarm is a bet. While the forecasts are calibrated, the labels pay nobody: whoever stakes one unit holds,
after any number of labels, one unit on average. What many bets hold together is the evidence. By Ville's
inequality the chance that calibrated forecasts with independent labels ever bring it to 1 / rate is at most
the rate, whenever and however often somebody looks.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp, softmax

from .. import _input, _results
from .._json_state import VERSION, Numbers, keyed, opened
from .._parameters import describe
from .._typing import Floats, Target
from ..measures.accumulator import Batch, Event, Kind, same_kind
from ..measures.bins import bin_edges
from ..measures.reliability import ReliabilityCurve, curve_from_sums

FORMAT = "calibration_lessons.monitor"
KEYS = ("settings", "kind", "event", "rung", "windows")
SUMS = ("forecasts", "forecast_confidence", "labels", "confidence", "hits", "variance")  # rows of a window
EVENTS, DTYPES = ("top-label", "positive"), ("float16", "float32", "float64")
SETTINGS = ("n_bins", "target", "false_alarms", "windows", "accuracy")
DRIFTS = ("too low", "too high", "too far from 1/2", "too near 1/2", "each bin its own way")
STAKES = (0.3, 0.6, 1.2)  # standard errors of a window
PER_BIN = Numbers(("M",), low=0)
ROUNDING = 1e-9  # of a sum of many rows
LARGEST_STAKE = 1.0  # in log-odds: where a window tells next to nothing, a bet on a huge drift is no use

Window = str | int
SHORT_DATE = re.compile(r"\d{4}-(\d|\d\d-\d)(?!\d)")
YEAR_LAST = re.compile(r"(?i)(\d{1,2}\D\d{1,2}\D\d{4}|[qw]?\d{1,2}\D{1,3}(19|20)\d\d)(?!\d)")
MONTHS = "(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(r?uary|ch|il|ust|(t?em|o)ber)?"
DAYS = "(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?"
NAMED = re.compile(rf"(?i)((?<![a-z]){MONTHS}|^{DAYS})(?![a-z])")  # which no text sorts by


@_results.shown_rounded
@dataclass(frozen=True, repr=False)
class WindowReport:
    """What a window shows; NaN where no label has come.

    Attributes
    ----------
    window : str or int
    forecasts, labels : int
        Rows that were forecast, and rows whose label has come.
    mean_forecast : float
        Mean score of all rows that were forecast, whether or not their label has come.
    ece, ece_low, ece_high : float
        Expected calibration error of the labelled rows, and its confidence interval.
    ece_calibrated : float
        What the error would be on average if the forecasts were calibrated.
    confidence, accuracy, gap : float
        Mean score and share of hits among the labelled rows, and the first minus the second.
    calibration_evidence, accuracy_evidence : float
        What the bets hold at the end of this window, as far as its labels and all earlier ones have come;
        the second is NaN without a promised accuracy.
    """

    window: Window
    forecasts: int
    labels: int
    mean_forecast: float
    ece: float
    ece_low: float
    ece_high: float
    ece_calibrated: float
    confidence: float
    accuracy: float
    gap: float
    calibration_evidence: float
    accuracy_evidence: float


@describe
class CalibrationMonitor:
    """Calibration by window (a day, a thousand rows), with labels that come late or never, and an alarm.

    Keeps six sums a bin and window, however many rows pass. A day's forecasts are added when they are made,
    its labels when they come, in any order and in parts. `report` tells each window, `check` whether the
    alarm rings. Monitors of several workers merge; the state is JSON.

    Parameters
    ----------
    n_bins : int
        Number of bins of equal width.
    target : {None, "top-label", "positive"} or int
        Whose probability is watched: that of the top label (None for 2-D forecasts), of the positive class
        (None for 1-D ones), or of one class against the rest.
    false_alarms : float
        Chance, at most, that calibrated forecasts ever ring the alarm, where labels are independent given
        the forecasts, in a window and from one to the next; in (0, 0.5). Rows that hang together (a customer
        who comes five times, one cause behind a day's failures) ring it without any drift: add one row of
        each group and window. Groups that come again in each window ring it all the same.
    windows : int
        Number of windows in which a drift may begin, such as the days of a year. Later windows count, too,
        but no new bets begin in them: start another monitor then.
    accuracy : float, optional
        The least accuracy that was promised of each window, of 2-D forecasts or with ``target="top-label"``.
        A second alarm, whose false ones have the same bound, rings where the labels contradict it; so do
        weekends that lie below a promised average. The alarm of calibration sleeps through a fall of the
        accuracy that the confidence follows.

    Attributes
    ----------
    rung : dict
        For each alarm that has rung, "calibration" or "accuracy", the newest window at that time.

    Notes
    -----
    A bet of log-odds a on a bin with n labels, h hits and mean score p multiplies what it holds by
    exp(a h) / (1 + p (exp(a) - 1))^n: the likelihood of h hits if the log-odds were a more, divided by that
    of calibrated forecasts. Rows of different scores in a bin make its mean smaller than 1, never larger. Of
    the 15 bets that begin in a window 6 say that all bins are off in one direction, 6 that scores lie too far
    from 1/2 or too near, and 3 that each bin is off in any direction. Their stakes are 0.3, 0.6 and 1.2
    standard errors of the window's hits, as its forecasts tell them: add these before the labels.

    The rate is a bound, and is not reached: in 1000 simulated years of 100 rows a day the alarm rang in 20
    where 50 were allowed, because what is looked at once a day jumps past the limit. `first_alarms` tells
    this for other windows, and how long it takes to notice a drift.

    Labels that come must not be chosen by what they say: if frauds are found and other rows are never
    labelled, the forecasts of the labelled rows are wrong, and the alarm rings with reason.

    References
    ----------
    Ville (1939), Étude critique de la notion de collectif; Shafer (2021), Testing by betting; Shiryaev
    (1963), On optimum methods in quickest detection problems (bets that begin in each window).

    Examples
    --------
    >>> monitor = CalibrationMonitor(n_bins=5)
    >>> monitor = monitor.add_forecasts("2026-11-22", [0.9, 0.8, 0.8, 0.3])
    >>> monitor = monitor.add_labels("2026-11-22", [1, 0], [0.9, 0.8])  # two labels have come
    >>> day = monitor.report()[0]
    >>> day.forecasts, day.labels, round(day.gap, 2)
    (4, 2, 0.35)
    >>> monitor.check()
    []
    """

    def __init__(
        self,
        n_bins: int = 15,
        target: Target = None,
        *,
        false_alarms: float = 0.05,
        windows: int = 365,
        accuracy: float | None = None,
    ) -> None:
        self.n_bins = _input.positive_whole(n_bins, "n_bins")
        self.target = target
        self.false_alarms = _input.number_between(false_alarms, 0, 0.5, "false_alarms", open_ends=True)
        self.windows = _input.positive_whole(windows, "windows")
        self.accuracy = accuracy
        if accuracy is not None:
            self.accuracy = _input.number_between(accuracy, 0, 1, "accuracy", open_ends=True)
        self.rung: dict[str, Window] = {}
        self._sums: dict[Window, Floats] = {}
        self._seen: dict[tuple[str, Window], list[Floats]] = {}  # what a window got first and last, here
        self._telling: set[Window] = set()  # windows of so many different forecasts that others' sums differ
        self._kind: Kind | None = None
        self._event: Event = "top-label"

    def __repr__(self) -> str:
        forecasts, labels = (int(sum(sums[row].sum() for sums in self._sums.values())) for row in (0, 2))
        return f"<CalibrationMonitor of {len(self._sums)} windows: {forecasts} forecasts, {labels} labels>"

    def add_forecasts(
        self, window: Window | date, y_prob: npt.ArrayLike, *, from_logits: bool = False
    ) -> Self:
        """Add forecasts of a window, whose labels are not known yet.

        Parameters
        ----------
        window : str, int or datetime.date
            Name of the window, whose order is that of time: a number, or a date, also as "2026-11-22".
        {y_prob, from_logits}

        {refused}
            Also for forecasts of another kind than before; nothing is added then.

        Warns
        -----
        UserWarning
            Where the window got the same forecasts first or last, in all sums, twenty different ones or more.
        """
        window, none_yet = self._named(window), np.zeros(len(_input.real_array(y_prob, "y_prob", (1, 2))))
        batch = Batch.read(none_yet, y_prob, self.n_bins, self.target, from_logits=from_logits)
        self._settle(batch.kind, batch.event, "y_prob")
        sums, new = self._sums.setdefault(window, np.zeros((len(SUMS), self.n_bins))), batch.sums[[0, 3]]
        self._warn_of_copies("forecast", window, batch.telling, new, sums[:2])
        sums[:2] += new
        return self

    def add_labels(
        self,
        window: Window | date,
        y_true: npt.ArrayLike,
        y_prob: npt.ArrayLike,
        *,
        from_logits: bool = False,
    ) -> Self:
        """Add labels that have come, with the forecasts of their rows, which the window has seen before.

        Parameters
        ----------
        window : str, int or datetime.date
            The window of the forecasts, not that of the labels.
        y_true : array_like, shape (n,)
            Numbers 0..K-1, no names: a delivery may lack a class, and then names do not tell which is which.
        y_prob : array_like, shape (n,) or (n, K)
            The forecasts of these rows, as they were added; float32 ones may have become float64.
        {from_logits}

        {refused}
            Also for an unknown window, and more labels than forecasts in a bin; nothing is added then.

        Warns
        -----
        UserWarning
            Where the window got the same labels first or last, in all sums, of twenty different forecasts.
        """
        window = self._named(window)
        if window not in self._sums:
            raise _input.BadValue("window", f"= {window!r}", "one whose forecasts were added before")
        if any(isinstance(one, str) for one in np.ravel(_input.plain_array(y_true, "y_true"))[:1]):
            expected = "numbers 0..K-1: a delivery may lack a class, and names do not tell which"
            raise _input.BadType("y_true", "holds names", expected)
        if self._kind and self._kind[1] == "float32":  # a database may return it as float64
            with np.errstate(over="ignore"):
                single = _input.real_array(y_prob, "y_prob", (1, 2)).astype(np.float32)
            if np.array_equal(single, cast(Any, y_prob)):
                y_prob = y_prob.astype(np.float32) if hasattr(y_prob, "astype") else single
        batch = Batch.read(y_true, y_prob, self.n_bins, self.target, from_logits=from_logits)
        self._settle(batch.kind, batch.event, "y_prob")
        sums, new = self._sums[window].copy(), batch.sums[[0, 3, 4, 5]]
        sums[2:] += new
        if (sums[2] > sums[0]).any():
            m = int((sums[2] > sums[0]).argmax())
            found = f"brings {int(sums[2, m])} labels to bin {m + 1} of window {window!r}"
            raise _input.BadValue("y_prob", found, f"at most the {int(sums[0, m])} forecasts that it holds")
        self._warn_of_copies("label", window, batch.telling, new, self._sums[window][2:])
        self._sums[window] = sums
        return self

    def merge(self, other: CalibrationMonitor) -> Self:
        """Add what another monitor has seen, and return this one; `other` stays as it is.

        An alarm that `other` gave alone is not taken over: what both know together is judged by `check`.
        Labels go where their forecasts are: merge first, where another worker saw these. Warned of is a
        window with the same sums, of twenty different forecasts or in five bins, as the first or the last.

        {refused}
            Also for this monitor itself, one with other settings or another kind of forecasts.
        """
        if not isinstance(other, CalibrationMonitor) or other is self:
            raise _input.BadType("other", f"is of type {type(other).__name__}", "another CalibrationMonitor")
        for name in SETTINGS:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise _input.BadValue("other", f"has {name} = {theirs!r}", repr(mine))
        for window in other._sums:
            self._named(window, "other")
        if other._kind is not None:
            self._settle(other._kind, other._event, "other")
        for window, sums in other._sums.items():
            before = self._sums.get(window, np.zeros_like(sums))
            telling = window in other._telling or (sums[0].sum() >= 20 and (sums[0] > 0).sum() >= 5)
            self._warn_of_copies("row", window, telling, sums, before)
            self._sums[window] = before + sums
        return self

    def check(self) -> list[str]:
        """Look: return the alarms that ring now or have rung before, of "calibration" and "accuracy"."""
        for name, held in self._evidence().items():
            if held and held[-1] >= 1 / self.false_alarms:
                self.rung.setdefault(name, max(self._sums))
        return sorted(self.rung, reverse=True)

    def report(self, level: float = 0.95) -> list[WindowReport]:
        """Return what each window shows, in the order of the windows.

        Parameters
        ----------
        {level}
        """
        _input.confidence(level)
        held = self._evidence()
        windows = zip(sorted(self._sums), held["calibration"], held["accuracy"], strict=True)
        return [self._window_report(*window, level) for window in windows]

    def drift(self) -> tuple[str, Window, list[int]]:
        """Say which bet on calibration won most: how forecasts are off, from which window on, in which bins.

        The window is an estimate: `drift_interval` says between which it lies. The bins, numbered from 1, are
        off by over two standard errors since then, the worst first. Warns where `check` has not rung for
        calibration, since chance alone may have won.

        {refused}
            Also before the first window.
        """
        windows, sums, won = self._won()
        best = int((won[-1] - won[:-1].min(axis=0)).argmax())
        since = int(won[:-1, best].argmin())
        _, _, _, confidence, hits, variance = sums[since:].sum(axis=0)
        off = np.abs(hits - confidence) / _root(variance)
        kind = best // (2 * len(STAKES))  # in the order of `calibration_bets`
        how = DRIFTS[min(2 * kind + best % 2, len(DRIFTS) - 1)]
        return how, windows[since], [int(m) + 1 for m in np.argsort(-off) if off[m] > 2]

    def drift_interval(self, level: float = 0.95) -> tuple[Window, Window]:
        """Return the first and the last window in which the drift that `drift` tells may have begun.

        A posterior: each bet counts from each window on by what it has won since. In simulated years (100
        windows of 50 to 2000 rows; log-odds 0.3 to 1.2 higher from the 41st on, or 0.6 or 1.5 times as large;
        asked at the alarm or ten windows later) it held the first window of the drift in 94 to 99 % at 95 %,
        and in nearly 90 % where the drift took 20 windows of 100 rows to grow.

        Parameters
        ----------
        {level}

        {refused}
            Also before the first window; and warns as `drift` does.
        """
        level = _input.confidence(level)
        windows, _, won = self._won()
        reached = np.cumsum(softmax(logsumexp(won[-1] - won[:-1], axis=1)))
        low, high = np.searchsorted(reached, [(1 - level) / 2, (1 + level) / 2]).tolist()
        return windows[low], windows[min(high, len(windows) - 1)]

    def _won(self) -> tuple[list[Window], Floats, Floats]:
        """Windows in order, their sums, and what each bet had won before each and after the last."""
        windows = sorted(self._sums)
        if not windows:
            raise _input.BadValue("the monitor", "is empty", "a window")
        if "calibration" not in self.rung:
            _input.warn("check has not rung for calibration: chance alone may have won what drift tells")
        sums = np.array([self._sums[window] for window in windows])
        return windows, sums, np.cumsum(np.pad(calibration_bets(sums), ((1, 0), (0, 0))), axis=0)

    def curve(self, window: Window | date) -> ReliabilityCurve:
        """Return the reliability curve of a window's labelled rows.

        {refused}
            Also for an unknown window, or one without labels.
        """
        window = self._named(window)
        if window not in self._sums or not self._sums[window][2].any():
            raise _input.BadValue("window", f"= {window!r}", "one with labels")
        assert self._kind is not None
        edges = bin_edges(self.n_bins, self._kind[1])
        sums = self._sums[window][[2, 2, 2, 3, 4, 5, 5, 4]]
        sums[6] = np.nan  # squared misses are not kept
        return curve_from_sums(self._event, "uniform", edges, sums)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as lists, numbers and texts, for `json.dumps`; `from_dict` reads it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "settings": {name: getattr(self, name) for name in SETTINGS},
            "kind": None if self._kind is None else [*self._kind],
            "event": self._event,
            "rung": dict(self.rung),
            "windows": [
                {"window": window, **dict(zip(SUMS, self._sums[window].tolist(), strict=True))}
                for window in sorted(self._sums)
            ],
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """Read a monitor from what `to_dict` gave.

        {refused}
        """
        state = opened(state, FORMAT, KEYS)
        settings = keyed(state["settings"], "state['settings']", SETTINGS)
        kind, event, rung, windows = (state[key] for key in KEYS[1:])
        known = type(kind) is list and len(kind) == 2 and type(kind[0]) is str and kind[1] in DTYPES
        alarms = type(rung) is dict and set(rung) <= {"calibration", "accuracy"}
        named = type(settings["target"]) in (str, int, type(None))
        for key, fits, expected in (
            ("settings", named, "a target as a text or a number"),
            ("windows", type(windows) is list, "a list"),
            ("kind", known or (kind is None and not windows), f"a text, and one of {DTYPES}"),
            ("event", event in EVENTS or type(event) is int, f"a class number, or one of {EVENTS}"),
            ("rung", alarms, "the windows at which 'calibration' or 'accuracy' rang"),
        ):
            if not fits:
                raise _input.BadValue(f"state[{key!r}]", f"= {state[key]!r}", expected)
        monitor = cls(**settings)
        monitor.rung, monitor._event = dict(rung), event
        monitor._kind = (kind[0], kind[1]) if kind else None
        for number, each in enumerate(windows):
            place = f"state['windows'][{number}]"
            window = keyed(each, place, ("window", *SUMS))["window"]
            window = monitor._named(window, f"{place}['window']")
            if window in monitor._sums:
                raise _input.BadValue(f"{place}['window']", f"= {window!r}", "a window once")
            rows = [PER_BIN.read(each[name], f"{place}[{name!r}]", {"M": monitor.n_bins}) for name in SUMS]
            monitor._sums[window] = np.array(rows)
            forecasts, said, labels, confidence, hits, variance = rows
            fits = (hits <= labels) & (labels <= forecasts) & (said <= forecasts + ROUNDING * forecasts)
            fits &= (confidence <= labels + ROUNDING * labels) & (variance <= labels / 4 + ROUNDING * labels)
            if not fits.all():
                raise _input.BadValue(place, "holds sums that no rows have", "hits <= labels <= forecasts")
        if not set(rung.values()) <= monitor._sums.keys():
            raise _input.BadValue("state['rung']", f"= {rung!r}", "windows of the state")
        return monitor

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file that is, at every moment, the old one or the new one, whatever fails."""
        target = Path(path).resolve()  # where a link leads
        new = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        try:
            with new.open("x", encoding="utf-8") as file:
                json.dump(self.to_dict(), file, allow_nan=False)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, new)
            os.replace(new, target)
        except BaseException:
            new.unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a monitor from a file that `save` wrote.

        {refused}
        """
        text = Path(path).read_text(encoding="utf-8")
        try:
            state = json.loads(text)
        except ValueError as error:
            found = f"= {os.fspath(path)!r} holds no JSON ({error})"
            raise _input.BadValue("path", found, "a file that save wrote") from error
        return cls.from_dict(state)

    def _named(self, window: Any, name: str = "window") -> Window:
        """Return the name of a window; refuse what is none, or has no order among those before."""
        window = window.item() if isinstance(window, np.integer | np.str_) else window
        window = window.isoformat() if type(window) is date else window
        if type(window) not in (str, int):
            ways = {"date": ".date()", "astype": ".astype(object)"}  # of a time of day, and of NumPy's dates
            remedy = next((f" ({name}{way})" for has, way in ways.items() if hasattr(window, has)), "")
            expected = "a text or a whole number, such as '2026-11-22'" + remedy
            raise _input.BadType(name, f"= {window!r}", expected)
        known = next(iter(self._sums), window)
        if type(window) is not type(known):
            raise _input.BadType(name, f"= {window!r}", f"a name like {known!r}")
        if isinstance(window, str) and (SHORT_DATE.match(window) or _other_width(window, known)):
            expected = "numbers of one width, since texts sort as texts: '2026-01-09', not '2026-1-9'"
            raise _input.BadValue(name, f"= {window!r}", expected)
        if isinstance(window, str) and (YEAR_LAST.match(window) or NAMED.search(window)):
            expected = "the year first, the month a number, as in '2026-11-22', since texts sort as texts"
            raise _input.BadValue(name, f"= {window!r}", expected)
        return cast(Window, window)

    def _settle(self, kind: Kind, event: Event, name: str) -> None:
        if self.accuracy is not None and event != "top-label":
            found = f"= {self.accuracy:g}, and the target is {event!r}, whose hits are events"
            raise _input.BadValue("accuracy", found, "target='top-label', whose hits are right answers")
        self._kind, self._event = same_kind(kind, self._kind, name), event

    def _warn_of_copies(self, what: str, window: Window, telling: bool, new: Floats, sums: Floats) -> None:
        """Warn where rows bring the sums that the window got first or last, or, from a file, those it has."""
        seen = self._seen.get((what, window), [sums.copy()] * bool(sums.any()))
        self._seen[what, window] = [*seen[:1], new]
        self._telling |= {window} if telling else set()
        if telling and any(np.array_equal(new, one) for one in seen):
            same = f"the {what}s of window {window!r} are in number and sums those that it got first or last"
            _input.warn(f"{same}, and are added to them: deliver each {what} once")

    def _window_report(
        self, window: Window, calibration: float, accuracy: float, level: float
    ) -> WindowReport:
        forecasts, said, labels, *_ = self._sums[window].sum(axis=1).tolist()
        mean = said / forecasts if forecasts else np.nan
        shown = [np.nan] * 7  # from the error to the gap, as the report has them
        if labels:
            curve = self.curve(window)
            confidence, hits = (float(self._sums[window][row].sum()) / labels for row in (3, 4))
            null = curve.under_calibration(random_state=0).mean
            shown = [curve.ece(), *curve.ece_interval(level), null, confidence, hits, confidence - hits]
        return WindowReport(window, int(forecasts), int(labels), *(mean, *shown, calibration, accuracy))

    def _evidence(self) -> dict[str, list[float]]:
        """Tell what the bets hold at the end of each window, in order; NaN where no accuracy was promised."""
        sums = np.array([self._sums[window] for window in sorted(self._sums)])
        sums = sums.reshape(-1, len(SUMS), self.n_bins)
        held = {"calibration": evidence(calibration_bets(sums), self.windows).tolist()}
        held["accuracy"] = [np.nan] * len(sums)
        if self.accuracy is not None:
            held["accuracy"] = evidence(accuracy_bets(sums, self.accuracy), self.windows).tolist()
        return held


def _other_width(window: str, known: Any) -> bool:
    """Tell whether two names differ in how many digits their numbers have."""
    digits = [re.sub(r"\d", "0", one) for one in (window, known)]
    return digits[0] != digits[1] and len({re.sub("0+", "0", one) for one in digits}) == 1


def calibration_bets(sums: Floats) -> Floats:
    """Logarithm of what each bet is multiplied by in each window, shape (windows, bets).

    `sums` has the shape (windows, 6, M), as the monitor keeps them.
    """
    rows, total = sums[:, 0], sums[:, 1]
    mean = np.divide(total, rows, out=np.zeros_like(total), where=rows > 0)
    information = rows * mean * (1 - mean)  # variance of the hits to come
    centres = (np.arange(sums.shape[2]) + 0.5) / sums.shape[2]
    bets = []
    for direction in (np.ones_like(centres), 1 - 2 * centres):
        unit = direction / _root((information * direction**2).sum(axis=1, keepdims=True))
        bets += [_paid(sums, stake * unit) for s in STAKES for stake in (s, -s)]
    filled = np.maximum((rows > 0).sum(axis=1, keepdims=True), 1)
    for s in STAKES:
        each = (2 * s**2 / filled) ** 0.25 / _root(information)  # together they swing like one bet of s
        bets.append(np.logaddexp(_paid(sums, each), _paid(sums, -each)) - np.log(2))
    return np.asarray(np.sum(bets, axis=2).T)


def accuracy_bets(sums: Floats, accuracy: float) -> Floats:
    """Bets that the hits are fewer than promised, shape (windows, bets); more hits only cost."""
    whole = sums.sum(axis=2, keepdims=True)
    rows, labels = whole[:, 0], whole[:, 2]
    promised = np.stack([rows, rows * accuracy, labels, labels * accuracy, whole[:, 4]], axis=1)
    unit = 1 / _root(rows * accuracy * (1 - accuracy))
    return np.asarray(np.sum([_paid(promised, -s * unit) for s in STAKES], axis=2).T)


def evidence(bets: Floats, windows: int) -> Floats:
    """Tell what all bets, shape (windows, bets), hold at the end of each window: one unit, shared evenly.

    An equal part of the unit is kept for each of the first `windows` windows, and staked when that begins.
    """
    part = -np.log(windows * bets.shape[1])
    held = np.full((len(bets) + 1, bets.shape[1]), -np.inf)
    for t, factors in enumerate(bets):
        held[t + 1] = (np.logaddexp(held[t], part) if t < windows else held[t]) + factors
    together = logsumexp(held[1:], axis=1)
    waiting = np.maximum(1 - np.arange(1, len(bets) + 1) / windows, 0)
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(together) + waiting)


def _paid(sums: Floats, stakes: Floats) -> Floats:
    """Log-likelihood ratio of each bin's hits, if its log-odds were off by the stake."""
    _, _, labels, confidence, hits = sums.swapaxes(0, 1)[:5]
    mean = np.divide(confidence, labels, out=np.zeros_like(confidence), where=labels > 0)
    bounded = np.clip(stakes, -LARGEST_STAKE, LARGEST_STAKE)
    return np.asarray(bounded * hits - labels * np.log1p(mean * np.expm1(bounded)))


def _root(information: Floats) -> Floats:
    """Square root, and a number that is small instead of 0."""
    return np.asarray(np.sqrt(np.maximum(information, 1e-12)))
