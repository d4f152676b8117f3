"""A monitor: its sums and what they tell, its alarm and how often that is false, its state and what is refused."""

# ruff: noqa: E501

import json
import os
import re
from dataclasses import asdict
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit

import calibration_lessons as cl
from calibration_lessons.book.monitor_simulation import _year_of, first_alarms
from calibration_lessons.book.simulate import ScoreSource, over_confident
from calibration_lessons.deployment.monitor import (
    CalibrationMonitor,
    accuracy_bets,
    calibration_bets,
    evidence,
)
from tests.refusals import refusals, refused
from tests.tampered import put, tampered

CONFIDENT, SCORES = stats.beta(9, 1), stats.beta(1, 3)


def filled(days=3, rows=40, seed=0, drift=1.0, **options):
    """A monitor of some days, with all labels, and the rows it has seen."""
    rng = np.random.default_rng(seed)
    monitor, seen = CalibrationMonitor(5, **options), []
    for day in range(days):
        y, p = ScoreSource(over_confident(drift)).sample(rows, rng)
        monitor.add_forecasts(day, p).add_labels(day, y, p)
        seen.append((y, p))
    return monitor, seen


def same(one, other):
    """Two states with the same settings whose sums differ by rounding alone."""
    one, other = one.to_dict(), other.to_dict()
    for mine, theirs in zip(one.pop("windows"), other.pop("windows"), strict=True):
        assert mine.keys() == theirs.keys() and mine["window"] == theirs["window"]
        for name in mine.keys() - {"window"}:
            assert mine[name] == pytest.approx(theirs[name], rel=1e-12)
    assert one == other


def test_a_window_is_reported_as_its_labelled_rows_are():
    monitor, seen = filled(days=3, rows=200, drift=1.5)
    extra = np.random.default_rng(1).random(50)
    monitor.add_forecasts(1, extra)  # rows whose labels never come
    for report, (y, p) in zip(monitor.report(level=0.9), seen, strict=True):
        curve = cl.reliability_curve(y, p, n_bins=5)
        assert report.labels == 200 and report.forecasts == (250 if report.window == 1 else 200)
        assert report.ece == pytest.approx(curve.ece())
        ends = pytest.approx(curve.ece_interval(0.9), abs=1e-4)  # a monitor keeps one sum less
        assert (report.ece_low, report.ece_high) == ends
        assert report.ece_calibrated == pytest.approx(curve.under_calibration(random_state=0).mean)
        assert report.confidence == pytest.approx(p.mean()) and report.accuracy == pytest.approx(y.mean())
        assert report.gap == pytest.approx(p.mean() - y.mean())
        assert np.isnan(report.accuracy_evidence)
        np.testing.assert_allclose(monitor.curve(report.window).accuracy, curve.accuracy)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_labels_that_come_late_in_parts_and_to_other_workers_give_the_same_state(seed, workers):
    rng = np.random.default_rng(seed)
    whole = CalibrationMonitor(4, "top-label", accuracy=0.5)
    parts = [CalibrationMonitor(4, "top-label", accuracy=0.5) for _ in range(workers)]
    late = []
    for day in rng.permutation(3).tolist():
        p = rng.dirichlet(np.ones(3), 30)
        y, come = rng.integers(0, 3, 30), rng.random(30) < 0.7
        whole.add_forecasts(day, p).add_labels(day, y[come], p[come])
        for k, rows in enumerate(np.array_split(np.arange(30), workers)):
            parts[k].add_forecasts(day, p[rows])
            late += [(k, day, y[[i]], p[[i]]) for i in rows if come[i]]
    for i in rng.permutation(len(late)):
        k, day, y, p = late[i]
        parts[k].add_labels(day, y, p)
    together = CalibrationMonitor(4, "top-label", accuracy=0.5)
    for part in parts:
        together.merge(part)
    same(together, whole)
    assert together.check() == whole.check()
    assert [asdict(r) for r in together.report()] == [
        pytest.approx(asdict(r), rel=1e-9, nan_ok=True) for r in whole.report()
    ]


# What the bets hold.


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6), st.integers(1, 5), st.booleans())
def test_calibrated_rows_pay_no_bet_more_than_one_on_average(p, n_bins, promised):
    p = np.array(p)
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    total = 0.0
    for outcome in range(2 ** len(p)):
        y = (outcome >> np.arange(len(p))) & 1
        parts = [np.ones(len(p)), p, np.ones(len(p)), p, y, p * (1 - p)]
        sums = np.array([[np.bincount(bins, part, minlength=n_bins) for part in parts]])
        chance = np.prod(np.where(y == 1, p, 1 - p))
        bets = accuracy_bets(sums, p.min() * 0.999) if promised else calibration_bets(sums)
        total = total + chance * np.exp(bets)
    assert (total <= 1 + 1e-9).all()
    if not promised and len(set(p)) == 1:
        assert total == pytest.approx(np.ones_like(total))  # a likelihood ratio, exactly


def test_each_bet_pays_the_likelihood_ratio_of_log_odds_that_are_off_as_it_says():
    n, p, hits = np.array([400, 600]), np.array([0.1, 0.8]), np.array([60, 450])
    sums, information = np.array([[n, n * p, n, n * p, hits, n * p * (1 - p)]]), n * p * (1 - p)

    def ratio(shift, n=n, p=p, hits=hits):
        return stats.binom.logpmf(hits, n, expit(logit(p) + shift)) - stats.binom.logpmf(hits, n, p)

    expected = []
    for direction in (np.ones(2), np.array([0.5, -0.5])):  # the second is 1 - 2 c of the centres 1/4 and 3/4
        unit = direction / np.sqrt((information * direction**2).sum())
        expected += [ratio(sign * stake * unit).sum() for stake in (0.3, 0.6, 1.2) for sign in (1, -1)]
    for stake in (0.3, 0.6, 1.2):  # each of the two bins in either direction
        each = np.sqrt(stake / information)
        expected.append((np.logaddexp(ratio(each), ratio(-each)) - np.log(2)).sum())
    assert calibration_bets(sums)[0] == pytest.approx(expected)
    fewer = [ratio(-stake / np.sqrt(90), 1000, 0.9, 510) for stake in (0.3, 0.6, 1.2)]
    assert accuracy_bets(sums, 0.9)[0] == pytest.approx(fewer)


def test_where_a_window_tells_little_a_stake_is_one_unit_of_log_odds_at_most():
    one_row = np.array([[[1], [0.5], [1], [0.5], [1], [0.25]]])
    assert calibration_bets(one_row)[0, 4] == pytest.approx(1 - np.log1p(0.5 * np.expm1(1)))


def test_the_evidence_is_the_mean_of_all_bets_in_all_windows_where_they_begin():
    bets = np.log(np.array([[2.0, 0.5], [3.0, 1.0], [0.5, 4.0]]))
    # two windows begin, of three: half of the unit each, shared by two bets
    first, second = 2.0 * 3.0 * 0.5, 3.0 * 0.5
    third, fourth = 0.5 * 1.0 * 4.0, 1.0 * 4.0
    expected = [(2.0 + 0.5) / 4 + 0.5, (2 * 3 + 3 + 0.5 + 1.0) / 4, (first + second + third + fourth) / 4]
    assert evidence(bets, 2) == pytest.approx(expected)
    assert evidence(np.zeros((5, 3)), 4) == pytest.approx(np.ones(5))


@pytest.mark.parametrize(("rows", "windows", "rate"), [(40, 40, 0.2), (400, 30, 0.1)])
def test_calibrated_forecasts_ring_the_alarm_no_more_often_than_asked(rows, windows, rate):
    source = ScoreSource(scores=CONFIDENT)
    first = first_alarms(source, rows=rows, windows=windows, false_alarms=rate, years=250, random_state=0)
    assert rate / 10 < np.isfinite(first).mean() < rate + 2 * np.sqrt(rate * (1 - rate) / 250)


def test_rows_that_come_twice_ring_the_alarm_without_a_drift():
    rang = {1: 0, 2: 0}
    for times in rang:
        rng = np.random.default_rng(5)
        for _ in range(10):
            monitor = CalibrationMonitor(10, target="positive", windows=100)
            for day in range(100):
                p, luck = (np.repeat(x, times) for x in (rng.beta(2, 5, 50), rng.random(50)))
                monitor.add_forecasts(day, p).add_labels(day, luck < p, p)
            rang[times] += bool(monitor.check())
    assert rang[1] <= 1 and rang[2] >= 9


def test_a_simulated_year_is_what_a_monitor_says_of_the_same_rows():
    source = ScoreSource(over_confident(1.4), scores=CONFIDENT)
    monitor = CalibrationMonitor(windows=30)
    y, p = source.sample(30 * 100, np.random.default_rng(7))
    rang = None
    for day in range(30):
        rows = slice(100 * day, 100 * day + 100)
        monitor.add_forecasts(day, p[rows]).add_labels(day, y[rows], p[rows])
        if rang is None and monitor.check():
            rang = day + 1
    assert rang is not None
    assert first_alarms(source, rows=100, windows=30, years=1, random_state=7).tolist() == [rang]
    assert monitor.rung == {"calibration": rang - 1}


def test_an_alarm_that_has_rung_keeps_ringing_and_is_written_down():
    monitor, _ = filled(days=1, rows=500, drift=4.0)
    assert monitor.check() == ["calibration"] and monitor.rung == {"calibration": 0}
    rng = np.random.default_rng(0)
    for day in range(1, 15):
        y, p = ScoreSource().sample(500, rng)
        monitor.add_forecasts(day, p).add_labels(day, y, p).check()
    again = CalibrationMonitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
    assert again.check() == ["calibration"] and again.rung == {"calibration": 0}
    assert CalibrationMonitor(5).merge(monitor).rung == {}


def test_more_accuracy_than_promised_rings_nothing_and_less_the_alarm_of_accuracy_alone():
    monitor, _ = filled(days=5, rows=200, accuracy=0.2, target="top-label")
    assert monitor.check() == []
    assert monitor.report()[-1].accuracy_evidence < 1
    assert filled(days=5, rows=200, accuracy=0.9, target="top-label")[0].check() == ["accuracy"]


# The state.


@given(st.integers(0, 2**32 - 1))
def test_a_state_comes_back_from_json_as_it_was(seed):
    monitor, _ = filled(days=2, rows=20, seed=seed, accuracy=0.3, target="top-label")
    monitor.check()
    again = CalibrationMonitor.from_dict(json.loads(json.dumps(monitor.to_dict(), allow_nan=False)))
    assert again.to_dict() == monitor.to_dict()
    more, p = np.array([1]), np.array([0.5])
    assert again.add_forecasts(7, p).add_labels(7, more, p).to_dict() == (
        monitor.add_forecasts(7, p).add_labels(7, more, p).to_dict()
    )


def test_an_empty_monitor_is_a_state_too(tmp_path):
    empty = CalibrationMonitor(target="top-label", false_alarms=0.01, windows=7, accuracy=0.5)
    empty.save(tmp_path / "state.json")
    again = CalibrationMonitor.load(tmp_path / "state.json")
    assert again.to_dict() == empty.to_dict() and again.report() == [] and again.check() == []
    assert repr(again) == "<CalibrationMonitor of 0 windows: 0 forecasts, 0 labels>"
    assert repr(filled()[0]) == "<CalibrationMonitor of 3 windows: 120 forecasts, 120 labels>"


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_where_writing_fails_the_old_file_stays_and_nothing_is_left_beside_it(tmp_path, monkeypatch, failing):
    path = tmp_path / "state.json"
    monitor, _ = filled()
    monitor.save(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, failing, full)
    with pytest.raises(OSError, match="no space left"):
        monitor.add_forecasts(9, [0.5]).save(path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["state.json"]


def test_a_file_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "state.json"
    filled()[0].save(path)
    path.write_text(path.read_text("utf-8")[:-20], "utf-8")
    with pytest.raises(ValueError, match=r"path = '.*state.json' holds no JSON .*expected a file that save"):
        CalibrationMonitor.load(path)


def test_a_saved_file_is_one_like_any_other_keeps_its_rights_and_stands_where_a_link_leads(tmp_path):
    path, other, link = tmp_path / "state.json", tmp_path / "other", tmp_path / "link"
    other.touch()
    monitor, _ = filled()
    monitor.save(path)
    assert path.stat().st_mode == other.stat().st_mode
    path.chmod(0o640)
    link.symlink_to(path)
    monitor.add_forecasts(9, [0.5]).save(link)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert CalibrationMonitor.load(path).to_dict() == monitor.to_dict()


FILLED = filled()[0].to_dict()


@pytest.mark.parametrize(("_", "path", "value", "place"), tampered("monitor"))
def test_what_is_no_state_is_refused_at_its_place(_, path, value, place):
    with pytest.raises(cl.Refusal, match=rf"^{re.escape(place)} "):
        CalibrationMonitor.from_dict(put(FILLED, path, value))


# What is refused.

P = [0.2, 0.4, 0.9]


def one():
    return CalibrationMonitor(5).add_forecasts("a", P)


@refusals("monitor")
def test_what_does_not_fit_is_refused(kind, start, call):
    refused(kind, start, call, globals())


def test_what_is_refused_adds_nothing():
    monitor = one().add_labels("a", [1], [0.2])
    before = monitor.to_dict()
    for call in (
        lambda: monitor.add_forecasts("b", np.float32(P)),
        lambda: monitor.add_labels("a", [1, 1], [0.9, 0.9]),
        lambda: monitor.merge(CalibrationMonitor(5).add_forecasts(1, P)),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
    assert monitor.to_dict() == before


def test_windows_are_reported_in_their_order_and_without_labels_show_none():
    monitor = CalibrationMonitor(5).add_forecasts("2026-11-23", P).add_forecasts("2026-11-22", P)
    first, second = monitor.report()
    assert (first.window, second.window) == ("2026-11-22", "2026-11-23")
    assert first.labels == 0 and np.isnan(first.ece) and first.calibration_evidence == pytest.approx(1)
    assert first.mean_forecast == pytest.approx(np.mean(P))


@pytest.mark.parametrize(
    ("given", "name"),
    [(np.int64(3), 3), (np.str_("2026-11-22"), "2026-11-22"), (date(2026, 1, 9), "2026-01-09")],
)
def test_numpys_numbers_and_texts_and_dates_name_the_windows_that_pythons_do(given, name):
    monitor = CalibrationMonitor(5).add_forecasts(given, P).add_labels(given, [1], [0.2])
    assert monitor.curve(given).counts.sum() == 1
    assert (
        monitor.to_dict()
        == CalibrationMonitor(5).add_forecasts(name, P).add_labels(name, [1], [0.2]).to_dict()
    )


@pytest.mark.parametrize(("saved", "begin"), [(False, 0), (False, 30), (True, 0)])
def test_rows_that_come_a_second_time_are_noticed_also_by_a_monitor_that_was_saved(saved, begin):
    y, p = ScoreSource().sample(200, np.random.default_rng(0))
    monitor = CalibrationMonitor(5).add_forecasts(1, p).add_labels(1, y[:30], p[:30])
    if saved:
        monitor = CalibrationMonitor.from_dict(monitor.to_dict())
    else:
        monitor.add_labels(1, y[30:60], p[30:60])
    rows = slice(begin, begin + 30)
    with pytest.warns(UserWarning, match="^the labels of window 1 .* deliver each label once"):
        monitor.add_labels(1, y[rows], p[rows])
    with pytest.warns(UserWarning, match="^the forecasts of window 1 .* deliver each forecast once"):
        monitor.add_forecasts(1, p)


DRIFTS = [("too low", 1, 0.6), ("too high", 1, -0.6), ("too far from 1/2", 0.5, 0), ("too near 1/2", 2, 0)]


@pytest.mark.parametrize(("how", "slope", "intercept"), DRIFTS)
def test_a_drift_is_named_with_its_beginning_and_its_bins(how, slope, intercept):
    monitor, rng = CalibrationMonitor(5), np.random.default_rng(0)
    for day in range(20):
        p = rng.uniform(0.02, 0.98, 500)
        true = p if day < 12 else expit(slope * logit(p) + intercept)
        monitor.add_forecasts(day, p).add_labels(day, rng.random(500) < true, p)
    for asked in (monitor.drift, monitor.drift_interval):
        with pytest.warns(UserWarning, match="^check has not rung for calibration: chance alone may"):
            asked()
    monitor.check()
    told, since, bins = monitor.drift()
    assert told == how and 6 <= since <= 13 and set(bins) >= ({2, 3, 4} if intercept else {1, 2, 4, 5})
    (low, high), (first, last) = monitor.drift_interval(), monitor.drift_interval(0.5)
    assert low <= first <= last <= high and low <= 12 <= high


def share_held(slope, intercept, rows, later, windows=1, years=100):
    """Share of years whose interval, asked `later` than the alarm, holds window 40: a drift grows from it on."""
    rng, held = np.random.default_rng(0), []

    def sums_of(share, n):
        """Sums of n windows in which the drift has grown to a share of its size."""
        source = ScoreSource(lambda p: expit(logit(p) + share * ((slope - 1) * logit(p) + intercept)), SCORES)
        return _year_of(source, rows, n, 15, rng)

    for _ in range(years):
        growing = [sums_of(k / windows, 1) for k in range(1, windows)]
        sums = np.concatenate([sums_of(0, 40), *growing, sums_of(1, 61 - windows)])
        rings = int((evidence(calibration_bets(sums), 100) >= 20).argmax())
        if rings >= 40:  # an alarm before the drift is false
            monitor = CalibrationMonitor(windows=100)
            monitor._sums, monitor.rung = dict(enumerate(sums[: rings + 1 + later])), {"calibration": rings}
            held.append(monitor.drift_interval()[0] <= 40 <= monitor.drift_interval()[1])
    assert len(held) > 0.9 * years
    return np.mean(held)


@pytest.mark.parametrize("rows", [100, 500])
@pytest.mark.parametrize("later", [0, 10])
def test_the_interval_of_a_drift_holds_its_beginning_as_often_as_its_notes_say(rows, later):
    kinds = [(1, 0.3), (1, 0.6), (1, 1.2), (1.5, 0), (0.6, 0)]
    assert all(0.9 <= share_held(*kind, rows, later) for kind in kinds)
    assert later or rows > 100 or 0.8 <= share_held(1, 0.6, rows, later, windows=20) <= 0.95


def test_a_worker_that_is_merged_twice_is_noticed_also_one_that_was_saved():
    a, b = (ScoreSource().sample(200, np.random.default_rng(seed)) for seed in (0, 1))
    mine, other = (CalibrationMonitor(5).add_forecasts(1, p).add_labels(1, y, p) for y, p in (a, b))
    mine.merge(other)
    for again in (other, CalibrationMonitor.from_dict(other.to_dict())):
        with pytest.warns(UserWarning, match="^the rows of window 1 .* deliver each row once"):
            mine.merge(again)


def test_labels_may_come_with_the_float64_of_float32_forecasts():
    single = np.float32(P)
    monitor = CalibrationMonitor(5).add_forecasts(1, single)
    assert monitor.add_labels(1, [1] * len(P), single.astype(float).tolist()).curve(1).n == len(P)


def test_parts_whose_sums_agree_because_forecasts_are_few_are_no_copies():
    monitor, whole = CalibrationMonitor(5), cl.CalibrationAccumulator(5)
    for part in [(np.zeros(20), np.tile([0.1, 0.5], 10))] * 3:
        monitor.add_forecasts(1, part[1]).add_labels(1, *part)
        whole.update(*part)


def test_a_monitor_notices_probabilities_that_are_read_as_logits():
    p = np.linspace(0.1, 0.9, 20)
    with pytest.warns(UserWarning, match="^y_prob looks like probabilities: with from_logits=True"):
        CalibrationMonitor().add_forecasts(1, p, from_logits=True)


def test_names_in_a_delivery_that_may_lack_a_class_are_refused():
    monitor = CalibrationMonitor(5).add_forecasts(0, [0.2, 0.7])
    with pytest.raises(TypeError, match=r"y_true holds names: expected numbers 0\.\.K-1: a delivery may lack"):
        monitor.add_labels(0, ["stay", "stay"], [0.2, 0.7])
