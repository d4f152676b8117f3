"""The exam: answers are recomputed from the data that the questions show; grid and points add up."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit, logit

import calibration_lessons as cl
from calibration_lessons import datasets, definitions
from tests.book.guards.numbers import claims
from tests.book.guards.tree import pages
from tools.prose import plain, read_numbers

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("By hand", "Derivation", "Find the error", "Reading", "Decision")
QUESTION = re.compile(
    r"^### (?P<number>\d+)\. (?P<title>[^\n]+) \((?P<points>\d+) points?\)\n\n"
    r"\*(?P<kind>[\w ]+)\. Chapters?: (?P<chapters>[^*]+)\.\*\n\n"
    r"(?P<question>.+?)"
    r":::\{admonition\} Model answer and rubric\n:class: dropdown\n\n(?P<answer>.+?)\n:::$",
    re.M | re.S,
)


@dataclass(frozen=True)
class Question:
    """A question of the exam as the page holds it."""

    number: int
    part: str
    points: int
    kind: str
    chapters: tuple[str, ...]
    question: str
    answer: str

    def data(self) -> SimpleNamespace:
        """Names that the question's Python assigns."""
        names: dict[str, object] = {}
        for code in re.findall(r"```python\n(.+?)```", self.question, re.S):
            exec(code, names)
        return SimpleNamespace(**{name: value for name, value in names.items() if name != "__builtins__"})


@cache
def text() -> str:
    return (ROOT / "book/teaching/exam.md").read_text(encoding="utf-8")


@cache
def questions() -> tuple[Question, ...]:
    found = []
    for part in re.split(r"^## ", text(), flags=re.M)[1:]:
        for match in QUESTION.finditer(part):
            chapters = tuple(re.findall(r"\{doc\}`\.\./([\w/]+)`", match["chapters"]))
            found.append(
                Question(
                    int(match["number"]),
                    part.splitlines()[0],
                    int(match["points"]),
                    match["kind"],
                    chapters,
                    match["question"],
                    match["answer"],
                )
            )
    return tuple(found)


ANSWERS: dict[int, Callable[[SimpleNamespace], list[str]]] = {}


def answers(number: int) -> Callable[[Callable[[SimpleNamespace], list[str]]], None]:
    """Register what computes the numbers of a model answer, each as the answer prints it."""

    def register(compute: Callable[[SimpleNamespace], list[str]]) -> None:
        ANSWERS[number] = compute

    return register


def thousandths(*values: float) -> list[str]:
    return [f"{value:.3f}" for value in values]


@answers(1)
def two_heads(q: SimpleNamespace) -> list[str]:
    total, aleatoric, epistemic = cl.coin_plausibility(q.heads, q.tosses)
    assert aleatoric == 0 and math.isclose(total, epistemic)
    assert math.isclose(epistemic, 3 - 2 * math.sqrt(2))
    return thousandths(math.sqrt(2) - 1, epistemic)


@answers(2)
def one_half(q: SimpleNamespace) -> list[str]:
    unknown, known = cl.coin_uncertainty(0, 0), cl.coin_uncertainty(500_000, 1_000_000)
    assert unknown.total == known.total == 1 and known.epistemic < 1e-6
    return thousandths(unknown.epistemic)


@answers(3)
def three_members(q: SimpleNamespace) -> list[str]:
    found = cl.decompose_uncertainty(np.array(q.members, dtype=float)[:, None, :])
    copies = cl.decompose_uncertainty(np.array([q.members[1]] * 3)[:, None, :])
    apart = cl.decompose_uncertainty(np.eye(3)[:, None, :])
    assert np.allclose(np.ravel(copies), [1, 1, 0]) and np.isclose(found.total[0], 1)
    return thousandths(found.aleatoric[0], found.epistemic[0], apart.epistemic[0])


@answers(7)
def coefficient(q: SimpleNamespace) -> list[str]:
    log_odds = q.intercept + q.coefficient * q.x
    assert np.isclose(log_odds, 0.8)
    return [
        "2.8",
        "0.8",
        *thousandths(expit(log_odds), math.exp(q.coefficient), -q.intercept / q.coefficient),
    ]


@answers(9)
def training_log(q: SimpleNamespace) -> list[str]:
    log = datasets.training_log()
    held_out = (log.heldout_nll.mean(axis=0), log.heldout_accuracy.mean(axis=0))
    ends = [values[epoch - 1] for values in held_out for epoch in (6, 16)]
    assert np.all(np.diff(log.train_nll.mean(axis=0)[5:]) < 0)
    assert log.heldout_ece[:, 15].mean() > log.heldout_ece[:, 5].mean()
    return thousandths(*ends)


@answers(10)
def seven(q: SimpleNamespace) -> list[str]:
    curve = cl.reliability_curve(q.correct, q.confidence, n_bins=q.n_bins)
    full = curve.counts > 0
    assert curve.counts[full].tolist() == [3, 2, 2]
    null = cl.ece_under_calibration(q.confidence, n_bins=q.n_bins, random_state=0, n_draws=20_000).mean
    assert null == pytest.approx(0.19, abs=0.005)
    gaps = np.abs(curve.gaps[full])
    signed = np.mean(q.correct) - np.mean(q.confidence)
    columns = [*curve.accuracy[full], *curve.confidence[full], *gaps, curve.ece(), curve.mce()]
    return [*thousandths(*columns, np.mean(q.confidence), signed), "0.19", "0.4", "0.6", "0.8", "1.0"]


@answers(12)
def excludes_zero(q: SimpleNamespace) -> list[str]:
    rng = np.random.default_rng(0)
    p = rng.random(600)
    y = (rng.random(600) < p).astype(int)  # a calibrated model
    resamples = [rng.integers(0, 600, 600) for _ in range(1000)]
    ends = np.quantile([cl.expected_calibration_error(y[i], p[i]) for i in resamples], [0.025, 0.975])
    chance = cl.ece_under_calibration(p, random_state=0).mean
    return [f"{end:.3f}" for end in (cl.expected_calibration_error(y, p), *ends)] + [f"{chance:.2f}"]


@answers(13)
def steep(q: SimpleNamespace) -> list[str]:
    p = np.repeat(q.forecast, q.rows)
    y = np.concatenate([np.arange(n) < k for n, k in zip(q.rows, q.events, strict=True)]).astype(int)
    top = cl.reliability_curve(y, p, n_bins=10, target="top-label")
    accuracy = top.accuracy[top.counts > 0]
    assert np.all(accuracy > top.confidence[top.counts > 0])
    assert cl.TemperatureScaling().fit(logit(p), y).temperature_ < 1
    frequencies = np.array(q.events) / q.rows
    low = 1 - frequencies[:2]
    return [f"{share:.2f}" for share in (*frequencies, *low)] + thousandths(*accuracy) + ["0.7", "0.9"]


@answers(14)
def conventions(q: SimpleNamespace) -> list[str]:
    squares = (np.array(q.y_prob) - np.eye(3)[q.y_true]) ** 2
    total = cl.brier_score(q.y_true, q.y_prob)
    logs = -np.log([row[k] for row, k in zip(q.y_prob, q.y_true, strict=True)])
    nll = cl.negative_log_likelihood(q.y_true, q.y_prob)
    two = [*squares.ravel(), *squares.sum(axis=1), total, total / 2]
    assert cl.negative_log_likelihood([0, 2], [q.y_prob[0], [0.4, 0.6, 0.0]]) == math.inf
    return [f"{value:.2f}" for value in two] + thousandths(total / 3, *logs, nll)


@answers(16)
def ten_days(q: SimpleNamespace) -> list[str]:
    parts = cl.brier_decomposition(q.rain, q.forecast)
    mended = cl.brier_score(q.rain, np.where(np.array(q.forecast) < 0.5, 0.2, 0.8))
    skill = 1 - parts.score / parts.uncertainty
    groups = [np.mean(np.array(q.rain)[np.array(q.forecast) == f]) for f in (0.3, 0.7)]
    steps = [*groups, np.mean(q.rain), abs(groups[0] - 0.3), abs(groups[0] - np.mean(q.rain))]
    found = (parts.reliability, parts.resolution, parts.uncertainty, parts.score, skill, mended)
    return [f"{value:.1f}" for value in steps] + [f"{value:.2f}" for value in found]


@answers(17)
def half_the_score(q: SimpleNamespace) -> list[str]:
    a, b = (cl.brier_decomposition(q.y, p) for p in (q.a, q.b))
    assert math.isclose(a.reliability, 0, abs_tol=1e-12)
    return thousandths(a.score, b.score, b.reliability, b.resolution, a.resolution)


@answers(19)
def violators(q: SimpleNamespace) -> list[str]:
    fitted = cl.IsotonicCalibration().fit(q.scores, q.labels)
    at = fitted.predict_proba([*q.scores, 4.5, 100, -3, 0])[:, 1]
    assert np.allclose(at, [0, *[1 / 3] * 3, *[2 / 3] * 3, 1, 0.5, 1, 0, 0])
    assert cl.negative_log_likelihood([1], [at[-1]]) == math.inf
    n = len(q.labels)
    return ["4.5", "0.5", f"{1 / (n + 2):.1f}", f"{(n + 1) / (n + 2):.1f}"]


@answers(21)
def targets(q: SimpleNamespace) -> list[str]:
    labels = [1] * q.positives + [0] * q.negatives
    negative, positive = definitions.platt_targets(labels)
    start = (q.positives + 1) / (len(labels) + 2)
    equal = (q.positives * positive + q.negatives * negative) / len(labels)
    with pytest.warns(UserWarning, match="base rate"):
        fitted = cl.PlattScaling().fit(np.zeros(len(labels)), labels)
    assert np.isclose(fitted.predict_proba([0.0])[0, 1], equal)
    return [*thousandths(positive, negative, start, equal, np.mean(labels)), "0.9", "0.2"]


@answers(22)
def to_be_safe(q: SimpleNamespace) -> list[str]:
    p = np.array([0.1, 0.5, 0.9])
    assert np.allclose(expit(logit(p)), p)
    return thousandths(expit(0), expit(1))


@answers(23)
def five_rows(q: SimpleNamespace) -> list[str]:
    for method in (cl.TemperatureScaling(), cl.ExpectationConsistency()):
        assert np.isclose(method.fit(q.logits, q.labels).temperature_, 3 / math.log(4))
    for ones, end in ((5, "T -> 0"), (2, "T -> infinity"), (0, "T -> infinity")):
        with pytest.raises(ValueError, match=end):
            cl.TemperatureScaling().fit(q.logits, [1] * ones + [0] * (5 - ones))
    cl.TemperatureScaling().fit(q.logits, [1, 1, 1, 0, 0])
    return thousandths(3 / math.log(4))


@answers(27)
def two_prices(q: SimpleNamespace) -> list[str]:
    costs = np.array(q.costs)
    decision = cl.optimal_decision(q.p, costs)
    assert decision.tolist() == [0, 1, 1, 1]
    passed = cl.optimal_decision(q.p, costs, abstaining_cost=q.abstaining_cost)
    assert (passed == -1).tolist() == [False, True, False, False]
    expected = cl.expected_cost(q.p, costs).min(axis=1)
    return [
        f"{cl.optimal_threshold(costs):.1f}",
        *(f"{cost:.2f}" for cost in expected),
        f"{expected.mean():.3f}",
        f"{cl.mean_cost(q.y, decision, costs):.1f}",
    ]


@answers(28)
def frauds(q: SimpleNamespace) -> list[str]:
    return thousandths(cl.optimal_threshold([[0, 1], [40, 0]]))


@answers(29)
def clinic(q: SimpleNamespace) -> list[str]:
    old, new = ([1 - share, share] for share in (q.old_share, q.new_share))
    adjusted = cl.adjust_to_priors([q.said], train_priors=old, new_priors=new)
    ill, healthy = q.said * new[1] / old[1], (1 - q.said) * new[0] / old[0]
    steps = [1 - q.said, 1 - q.new_share]
    return [
        *(f"{step:.1f}" for step in steps),
        *(f"{weight:.2f}" for weight in (ill, healthy, ill + healthy)),
        f"{adjusted[0]:.3f}",
    ]


def test_there_are_thirty_questions_in_order_worth_a_hundred_points() -> None:
    assert [question.number for question in questions()] == list(range(1, 31))
    assert sum(question.points for question in questions()) == 100


def test_every_part_of_the_book_is_examined_on_chapters_that_exist() -> None:
    known = {page.file for page in pages(ROOT)}
    for question in questions():
        assert question.kind in KINDS and question.chapters
        for chapter in question.chapters:
            assert f"book/{chapter}.ipynb" in known, f"question {question.number}: {chapter}"
            assert chapter.split("/")[0] == question.part.lower()


def test_the_grid_holds_the_questions_by_part_and_kind() -> None:
    table = [
        [cell.strip() for cell in row.strip("|").split("|")] for row in re.findall(r"^\|.*\|$", text(), re.M)
    ]
    (head, _, *rows, last), _ = table[:8], table[8:]
    assert head[1:-1] == [kind.lower() for kind in KINDS]
    for part, *cells, points in rows:
        here = [question for question in questions() if question.part == part]
        assert int(points) == sum(question.points for question in here)
        for kind, cell in zip(KINDS, cells, strict=True):
            numbers = [str(question.number) for question in here if question.kind == kind]
            assert cell == ", ".join(numbers), f"{part}, {kind}"
    sums = [sum(q.points for q in questions() if q.kind == kind) for kind in KINDS]
    assert [int(cell) for cell in last[1:]] == [*sums, 100]


def test_the_two_papers_have_the_points_they_claim() -> None:
    points = {question.number: question.points for question in questions()}
    papers = re.findall(r"questions ([\d, ]+)\. Together\s+(\d+) points", text())
    assert len(papers) == 2
    for numbers, claimed in papers:
        assert sum(points[int(number)] for number in numbers.split(",")) == int(claimed)


@pytest.mark.parametrize("question", questions(), ids=lambda question: f"question {question.number}")
def test_a_rubric_gives_the_points_of_its_question(question: Question) -> None:
    rubric = question.answer[question.answer.rindex("\n\n- ") :]
    if re.search(r"1 point each", rubric):
        assert question.points == 3
    else:
        assert sum(map(int, re.findall(r"(?:- |\. )(\d) points?:", rubric))) == question.points


def computed(question: Question) -> list[str]:
    """Numbers of the model answer, from the data of the question."""
    return ANSWERS[question.number](question.data()) if question.number in ANSWERS else []


def not_said(question: Question) -> list[str]:
    """Computed numbers that neither the answer nor the question holds."""
    return [number for number in computed(question) if number not in question.question + question.answer]


@pytest.mark.parametrize("question", questions(), ids=lambda question: f"question {question.number}")
def test_a_model_answer_says_what_the_companion_computes(question: Question) -> None:
    assert not_said(question) == []


def test_other_data_ask_for_another_answer() -> None:
    question = questions()[9]
    other = replace(question, question=question.question.replace("[0.45, ", "[0.55, "))
    assert "0.293" not in not_said(question) and not_said(other) != []


@pytest.mark.parametrize("question", questions(), ids=lambda question: f"question {question.number}")
def test_a_decimal_is_given_as_data_or_computed_or_printed_by_the_chapter(question: Question) -> None:
    code = re.compile(r"```python\n(.+?)```", re.S)
    known = [number for shown in computed(question) for number in read_numbers(shown)]
    known += [number for data in code.findall(question.question) for number in read_numbers(data)]
    for chapter in question.chapters:
        page = next(page for page in pages(ROOT) if page.file == f"book/{chapter}.ipynb")
        known += [
            number for cell in page.code for shown in cell.output_texts() for number in read_numbers(shown)
        ]
    prose = plain(code.sub("", question.question) + question.answer)
    strange = {
        claim.text
        for claim in claims(prose)
        if "." in claim.text and not any(abs(claim.value) == abs(number.value) for number in known)
    }
    assert strange == set()
