"""The hidden cases of every problem set: they tell each slip from the right answer, for every student."""

import math
import os
import runpy
from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from classroom import cases
from classroom.cases import Answer, ByHand, Question, Words, locally, own_numbers, reply, same, seeding
from classroom.channel import packed
from tests.assignments.grading import full_marks, locked
from tools.binding.lengths import problem_sets

NUMBERS = int(os.environ.get("STUDENTS", "2"))
"""How many student numbers are tried; `make check-class` tries a thousand."""
ODD = ["ada", "Zoë Ångström", "0"]
QUESTIONS = [
    (path, question)
    for path in problem_sets()
    for question in cases.questions(path.with_name("checks.py")).values()
]  # fmt: skip


def of(*kinds, also=lambda question: True):
    found = [(p, q) for p, q in QUESTIONS if isinstance(q, kinds) and also(q)]
    return pytest.mark.parametrize("path, question", found, ids=[f"{p.stem}-{q.name}" for p, q in found])


@cache
def own(path, student):
    """A student's own numbers, without the models that gave them: a thousand students fit into memory."""
    names = own_numbers(locked(path), student)
    return {name: value for name, value in names.items() if isinstance(value, int | float | str | np.ndarray)}


def students(path, number):
    """Student numbers, each with the numbers of its own."""
    for student in [*ODD, *(f"{100_000 + n}" for n in range(number))]:
        yield student, own(path, student)


def as_answer(function):
    """A submission whose only function is this one."""
    return lambda name, arguments: reply(sent(locally(function, arguments)))


def sent(answer):
    """Send an answer through the channel."""
    if answer.raised:
        return cases.json.dumps({"raised": answer.raised, "text": answer.text})
    return cases.json.dumps({"value": packed(answer.value), "after": packed(answer.after)})


def test_the_checks_give_the_points_that_the_sheets_promise():
    for path in problem_sets():
        assert ({f"test-{q.name}": q.points for p, q in QUESTIONS if p == path}) == full_marks(path)


def test_what_two_sets_say_of_a_slip_has_one_home():
    said = Counter(
        text
        for file in {path.with_name("checks.py") for path, _ in QUESTIONS}
        for name, text in runpy.run_path(str(file)).items()
        if name.isupper() and isinstance(text, str) and not hasattr(cases, name)
    )
    assert [text for text, homes in said.items() if homes > 1] == []


@of(Question, ByHand, Words)
def test_every_question_has_twelve_slips_and_more_than_one_case(path, question):
    assert isinstance(question, Words) or len(question.slips) >= 12
    parts = {Question: "cases", ByHand: "ideas", Words: "together"}[type(question)]
    assert len(getattr(question, parts)) >= 2


@of(Question)
def test_inputs_are_found_that_tell_every_slip_for_every_student(path, question):
    for student, own in students(path, 0 if question.fixed else NUMBERS):
        prepared = question.draw_cases([seeding(""), seeding(student), seeding(question.name)], own)
        assert not question.fixed or not question.missed(prepared)
        assert question.passes(question.right, prepared), student


@of(Question)
def test_every_slip_loses_points_and_reads_what_it_is(path, question):
    _, own = next(students(path, 0))
    for slip, _ in question.wrong:
        verdicts = question.grade(as_answer(slip), [1, 2], own)
        assert sum(verdict.earned for verdict in verdicts) < question.points
        assert all(verdict.fault for verdict in verdicts if not verdict.earned)
    verdicts = question.grade(as_answer(question.right), [1, 2], own)
    assert sum(verdict.earned for verdict in verdicts) == question.points


def drawn(path, question):
    """Draw the calls of each case once, and what is right; they need not tell the slips."""
    _, numbers = next(students(path, 0))
    rng = np.random.default_rng(1)
    return [
        (
            case,
            [
                (tuple(arguments), locally(question.right, tuple(arguments)))
                for arguments in case.draw(rng, numbers)
            ],
        )
        for case in question.cases
    ]


ANYTHING = [  # what the channel may carry in place of a right answer
    None, "x", True, -1, math.nan, 10**400, [], {}, {"a": 1}, [[0, 1], [1]], ["a", "b"], [None, None],
    [1, "a"], [1, [2], [3, 4]], [{}, {}], [math.nan] * 3, [10**30] * 2, [[[[1]]]], np.zeros(0), np.zeros(3),
    np.zeros((1, 1)), [np.zeros(1), np.zeros(1)], [np.zeros(1), "x"],
]  # fmt: skip


def test_one_minus_the_share_of_right_answers_is_a_risk_as_good_as_the_share_of_errors():
    question = next(question for _, question in QUESTIONS if question.name == "answered")

    def by_accuracy(confidence, right, limit):
        kept = [confidence >= least for least in np.unique(confidence)]
        return max((np.mean(rows) for rows in kept if 1 - np.mean(right[rows]) <= limit), default=0.0)

    for seed in range(60):
        rng = np.random.default_rng(seed)
        drawn = [case.draw(rng, {}) for case in question.cases]
        tries = [[(one, locally(question.right, one)) for one in calls] for calls in drawn]
        assert question.passes(by_accuracy, tries), "no limit where a sum and its complement round apart"


@of(Question, also=lambda question: any(case.judge for case in question.cases))
def test_an_answer_that_a_judge_cannot_read_loses_its_points_and_no_more(path, question):
    calls = drawn(path, question)
    for value in ANYTHING:
        for case, tries in calls:
            answers = (Answer(value, list(arguments)) for arguments, _ in tries)
            assert question.first_fault(case, tries, answers, passed=[]), value


@of(Question)
def test_an_answer_that_is_always_the_same_number_earns_nothing(path, question):
    for case, tries in drawn(path, question):
        for number in (0.0, 1.0, 0.5, math.nan):
            answers = (Answer(filled(wanted.value, number), list(arguments)) for arguments, wanted in tries)
            assert question.first_fault(case, tries, answers), (case.idea, number)


TOLERANT = {
    "keep": "its gain is asked for to three decimals", "coin-parts": "asked for to four decimals",
    "alarm": "what counts is the order of its scores", "judge": "each case looks at one of two numbers",
}  # fmt: skip


@of(Question)
def test_an_answer_that_is_a_tenth_of_a_percent_off_loses_points_in_each_case(path, question):
    def off(value, part):
        if isinstance(value, tuple):
            return tuple(off(one, part) if place == part else one for place, one in enumerate(value))
        return value if np.asarray(value).dtype.kind != "f" else np.multiply(value, 1.001)

    for case, tries in drawn(path, question):
        for part in range(max(len(of.value) if isinstance(of.value, tuple) else 1 for _, of in tries)):
            whole = all(of.raised or same(off(of.value, part), of.value, 0, 0) for _, of in tries)
            answers = (Answer(off(of.value, part), list(one), of.raised) for one, of in tries)
            assert whole or question.name in TOLERANT or question.first_fault(case, tries, answers), case.idea


def filled(value, number):
    """A value of the same shape that holds one number."""
    if isinstance(value, tuple):
        return tuple(filled(part, number) for part in value)
    return np.full(np.shape(value), number) if np.ndim(value) else number


@of(ByHand)
def test_numbers_by_hand_are_told_from_every_slip_and_from_a_neighbours(path, question):
    number = NUMBERS if "load_diabetes" in "".join(locked(path).values()) else max(300, NUMBERS)
    apart = question.atol if question.within else 1.5 * question.atol  # what is typed is rounded, too
    typed = []
    for _, own in students(path, number):
        wanted = question.numbers(question.right, own)
        digits = 3 if question.atol >= 1e-3 else 6  # some sheets ask for numbers that are not rounded
        typed.append({name: round(float(value), digits) for name, value in wanted.items()})
        assert all(same(typed[-1][name], wanted[name], question.rtol, question.atol) for name in wanted)
        for slip, said in question.wrong:
            other = question.numbers(slip, own)
            assert not all(same(other[name], wanted[name], question.rtol, apart) for name in wanted), said
    alike = [
        np.mean([same(a[name], b[name], question.rtol, question.atol) for name in a]) > 0.9
        for a, b in pairwise(typed)
    ]
    assert np.mean(alike) < 0.1


def test_what_is_missing_and_what_differs_little_is_told_plainly():
    assert Answer(raised=("NotImplementedError", "Exception")).fault == "not answered"
    assert Answer(raised=("MemoryError",)).fault == "MemoryError"
    assert Answer(raised=("NameError",), text="there is no f").fault == "NameError: there is no f"
    question = Question("f", math.sqrt, [], {})
    told = question.call_told((2.0,), Answer(np.array([1e-9, 0.12345])), Answer(np.array([1e-9, 0.12346])))
    assert "0.12345" in told and "0.12346" in told and "e-" not in told


def test_a_slip_is_named_only_where_it_explains_the_right_calls_too():
    case = cases.Case("some numbers", 1, lambda rng, own: ())
    question = Question("f", abs, [case], {lambda x: x: "the sign", lambda x: 1: "always 1"})
    tries = [((number,), Answer(abs(number))) for number in (3, -1, -2)]
    for came, named in {(3, -1, -2): "the sign", (3, 1, -2): "", (3, 1, 1): ""}.items():
        answers = [Answer(value, [number]) for value, ((number,), _) in zip(came, tries, strict=True)]
        assert question.first_fault(case, tries, answers, passed=[]).startswith(named or "abs is wrong")


def test_a_slip_is_not_named_where_another_answer_of_the_case_or_a_case_that_was_passed_speaks_against_it():
    slips = {lambda x: min(x, 5): "cut off", lambda x: x if x < 4 else 5: "always 5"}
    plain = cases.Case("small numbers", 1, lambda rng, own: [(4,)])
    hard = cases.Case("large numbers", 1, lambda rng, own: [(8,), (9,)])
    question = Question("f", float, [plain, hard], slips)
    answers = {"small": {4: 4, 8: 5, 9: 5}, "both": {4: 5, 8: 5, 9: 5}, "neither": {4: 4, 8: 5, 9: 6}}
    said = {}
    for name, known in answers.items():
        verdicts = question.grade(as_answer(lambda x, known=known: known[x]), [1], {})
        said[name] = [verdict.fault for verdict in verdicts]
    assert said["small"] == ["", "cut off"]
    assert said["both"] == ["always 5", "cut off"]  # both give 5 for large numbers
    assert not said["neither"][0] and said["neither"][1].startswith("float is wrong")


def test_a_slip_by_hand_is_named_only_where_it_leaves_the_right_numbers_right():
    def worked_out(p, factor=2):
        return {"double": factor * p, "square": (factor * p) ** 2}

    ideas = {"double": (1, "twice p"), "square": (1, "the square of the double")}
    question = ByHand("f", lambda p: worked_out(p), ideas, {lambda p: worked_out(p, 3): "thrice"})
    told = {}
    for given in ((1.5, 2.25), (1.0, 2.25), (1.0, 1.0), (1.0, 0.99)):
        names = dict(zip(ideas, given, strict=True))
        verdicts = question.grade(lambda name, _, names=names: Answer(names[name]), [1], {"p": 0.5})
        told[given] = [verdict.fault for verdict in verdicts]
    assert told[1.5, 2.25] == ["thrice", "thrice"] and told[1.0, 1.0] == ["", ""]
    assert told[1.0, 2.25] == ["", "the square of the double"] == told[1.0, 0.99]
    assert question.grade(lambda *_: Answer(0.9), [1], {"p": 0.4444})[0].fault == "rounded too far"


def test_words_stand_in_quotes_and_what_is_nearly_right_is_told_so():
    case = cases.Case("numbers", 1, lambda rng, own: [(2.0,)], shown=True)
    assert "got 'True'" in question_told(case, "True", bool)
    assert "expected True or False" in question_told(case, "True", bool)
    assert question_told(case, 1.4141, math.sqrt).startswith("nearly")
    assert question_told(case, 1.3, math.sqrt).startswith("sqrt(2)")
    for value in (2.0, [2.0], [2.0] * 3, []):
        assert question_told(case, value, lambda x: (x, x)).startswith("expected 2 values, each a number")


def question_told(case, value, right):
    """Say what a question tells of a value."""
    (verdict,) = Question("f", right, [case], {}).grade(lambda *_: Answer(value, [2.0]), [1], {})
    return verdict.fault
