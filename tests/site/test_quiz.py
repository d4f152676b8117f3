"""How calibrated are you? What the browser says of a reader's answers is what the companion computes."""

import csv

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from scipy.stats import binom, poisson_binom

import calibration_lessons as cl
from tests.book.copied import ROOT
from tests.site.conftest import MODES, NARROW, WIDE, Visit, on_pages
from tests.site.test_questions import KEPT

PAGE = "book/how_calibrated.html"
with open(ROOT / "book/how_calibrated.csv", encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
RIGHT = np.array([row["right"] == "A" for row in ROWS])  # of a reader who always says A
SURE = np.array([50 + 5 * (7 * i % 11) for i in range(len(ROWS))]) / 100


def answer(visit: Visit, sure: np.ndarray) -> str:
    """Say A to each question, with these confidences, and give what the page says of it."""
    for box, share in zip(visit.page.locator(".quiz fieldset").all(), sure, strict=True):
        box.locator("[value=A]").check()
        box.locator("[type=range]").fill(str(round(100 * share)))
    visit.page.get_by_role("button", name="Show my diagram").press("Enter")
    return visit.page.locator(".quiz-says").inner_text().replace("\u202f", " ")


def percent(share: float) -> str:
    """Write a share as the page does."""
    return f"{round(100 * share, 1):g} %"


def test_each_question_has_two_answers_and_a_source_and_right_is_a_as_often_as_b():
    assert len(ROWS) == 20 and sum(RIGHT) == 10
    assert all(
        row["A"] != row["B"] and row["right"] in "AB" and row["because"] and row["source"] for row in ROWS
    )


@pytest.mark.browser
@on_pages(PAGE, modes=MODES, widths=(WIDE, NARROW))
def test_the_browser_says_what_the_companion_computes(visit: Visit) -> None:
    told = answer(visit, SURE)
    low, high = poisson_binom.interval(0.95, SURE)  # of the answers that a calibrated reader has right
    assert f"{percent(SURE.mean())} sure on average, and right in 50 %: 10 of 20" in told
    assert f"has {low:.0f} to {high:.0f} right in at least 95 of 100 rounds" in told
    assert ("over-confident" in told) == (low > 10)
    assert f"Your Brier score is {cl.brier_score(RIGHT, SURE):.3f}" in told
    assert f"gets {np.mean(SURE * (1 - SURE)):.3f} on average" in told
    curve = cl.reliability_curve(RIGHT, SURE, n_bins=10)
    full = np.flatnonzero(curve.counts)
    bands = np.array(curve.band(0.95))[:, full].T
    rows = zip(curve.confidence[full], curve.accuracy[full], curve.counts[full], bands, strict=True)
    shown = visit.page.locator(".quiz-result tbody tr").all_inner_texts()
    assert [line.replace("\u202f", " ").split("\t") for line in shown] == [
        [percent(said), f"{percent(was)} of {n}", f"{percent(low)} to {percent(high)}"]
        for said, was, n, (low, high) in rows
    ]
    assert visit.page.locator(".quiz-result circle").count() == len(full)
    visit.page.keyboard.press("Shift")
    assert Axe().run(visit.page, context="article").response["violations"] == []
    assert visit.faults == []


@pytest.mark.browser
@on_pages(PAGE)
@pytest.mark.parametrize(("sure", "verdict"), [(0.5, "chance can explain yours"), (0.9, "over-confident")])
def test_a_reader_who_guesses_is_calibrated_at_one_half_and_over_confident_above(
    visit, sure, verdict
) -> None:
    low, high = binom.interval(0.95, 20, sure)
    told = answer(visit, np.full(20, sure))
    assert verdict in told and f"has {low:.0f} to {high:.0f} right" in told


@pytest.mark.browser
@on_pages(PAGE)
def test_answers_are_kept_here_until_the_reader_answers_again(visit: Visit) -> None:
    page = visit.page
    page.get_by_role("button", name="Show my diagram").click()
    assert "20 of 20 are left" in page.locator(".quiz-says").inner_text()
    assert page.locator(".quiz-result").is_hidden()
    answer(visit, SURE)
    page.reload()
    assert page.locator(".quiz-result circle").count() == 6
    assert page.locator(":disabled[value=A]").count() == 20
    kept = page.evaluate(KEPT)["quiz"]
    assert kept["shown"] and kept["answers"] == [["A", round(100 * share)] for share in SURE]
    page.get_by_role("button", name="Answer again").click()
    page.wait_for_function("() => document.querySelector('.quiz-result').hidden")
    assert page.locator(".quiz :checked").count() == 0
    assert page.locator(".quiz details:visible").count() == 0


@pytest.mark.browser
@on_pages(PAGE, widths=[NARROW])
def test_a_slider_that_nobody_touched_says_nothing_and_what_is_answered_is_counted_in_sight(
    visit: Visit,
) -> None:
    page, count = visit.page, visit.page.locator(".quiz-count")
    first, second, *_ = page.locator(".quiz fieldset").all()
    for box in (first, second):
        box.locator("[value=A]").check()
    assert first.locator("output").inner_text() == "not said"
    assert count.inner_text() == "0 of 20 answered"
    first.locator("[type=range]").press("Tab")
    assert count.inner_text() == "0 of 20 answered"
    first.locator("[type=range]").press("ArrowLeft")  # already at its left end
    assert first.locator("output").inner_text() == "50\u202f%"
    second.locator("[type=range]").click()
    assert count.inner_text() == "2 of 20 answered"
    box = count.bounding_box()
    assert box and box["y"] + box["height"] <= 900, "in sight wherever the reader is"
    page.get_by_role("button", name="Show my diagram").press("Enter")
    assert "18 of 20 are left" in page.locator(".quiz-says").inner_text()
    page.reload()
    assert page.evaluate(KEPT)["quiz"]["answers"][:3] == [["A", 50], ["A", 75], [None, None]]
    assert count.inner_text() == "2 of 20 answered"
    heights = page.locator(".quiz label").evaluate_all(
        "all => all.map(row => row.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
