"""How an answer is judged: cases with points, the right answer beside it, and slips that have a name.

A problem set's `checks.py` lists its questions in `QUESTIONS`. They are judged outside the sandbox: the
submission is asked for values by `Ask`, and what it sends is compared here. Hidden inputs are drawn
until they tell every one of its slips from the right answer, so that no slip earns all points by luck.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import io
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from classroom.channel import NotPlain, packed, unpacked

Arguments = tuple[Any, ...]
Draw = Callable[[Generator, dict[str, Any]], Iterable[Arguments]]
MOST_DRAWS = 100
LONGEST = 200
STAYS = "your function changes its caller's arrays: work on a copy"
BESIDE = "the edges are m/M to every digit: a score just above one belongs to the bin on its right"
EDGE = "a score on an edge belongs to the bin on its left: the bins are closed on the right"
RANGE = "the bins cut up [0, 1], not the range of the scores"
SOME = "all rows count, not the first ones only"
TRY = "the inputs are not shown, so try each"


@dataclass(frozen=True)
class Seed:
    """An argument that is a generator on the other side: it has the method `random`, and no other."""

    seed: int


@dataclass(frozen=True)
class Answer:
    """What came of a call: a value and the arguments after it, or the names of an exception's classes."""

    value: Any = None
    after: list[Any] = field(default_factory=list)
    raised: tuple[str, ...] = ()
    text: str = ""

    @property
    def fault(self) -> str:
        """Tell of the exception; nothing where there is none."""
        if self.raised and self.raised[0] == "NotImplementedError" and not self.text:
            return "not answered"
        return ": ".join(filter(None, [*self.raised[:1], self.text]))


Ask = Callable[[str, Arguments | None], Answer]
"""Ask a submission for a value by its name, or, with arguments, for a call."""


def request(name: str, arguments: Arguments | None) -> str:
    """Write a question to the submission's side of the channel."""
    if arguments is None:
        return json.dumps({"name": name})
    sent = [{"seed": item.seed} if isinstance(item, Seed) else packed(item) for item in arguments]
    return json.dumps({"name": name, "arguments": sent})


def reply(text: str) -> Answer:
    """Read what a submission sent; whatever that is, the result is an answer."""
    try:
        match json.loads(text):
            case {"value": value, **rest}:
                after = rest.get("after", [])
                return Answer(unpacked(value), unpacked(after) if isinstance(after, list) else [])
            case {"raised": list(kinds), "text": str(said)}:
                names = tuple(in_a_line(str(kind)) for kind in kinds[:20])
                return Answer(raised=names or ("Exception",), text=in_a_line(said))
    except NotPlain as fault:
        return Answer(raised=("NotPlain",), text=f"it sent {fault}")
    except (ValueError, RecursionError, TypeError):
        pass
    return Answer(raised=("NotPlain",), text="it sent what cannot be read")


def in_a_line(text: str) -> str:
    """Cut a submission's text to a line, with a question mark for what is more than text to a terminal."""
    return "".join(sign if sign.isprintable() else " " if sign.isspace() else "?" for sign in text[:LONGEST])


def locally(function: Callable[..., Any], arguments: Arguments) -> Answer:
    """Call a function of the checks' own as a submission's is called."""
    given = [
        np.random.default_rng(item.seed) if isinstance(item, Seed) else copy.deepcopy(item)
        for item in arguments
    ]
    try:
        with np.errstate(all="ignore"):
            value = function(*given)
    except Exception as fault:
        return Answer(raised=tuple(kind.__name__ for kind in type(fault).__mro__), text=str(fault))
    return Answer(value, [None if isinstance(item, Generator) else item for item in given])


def answers_of(function: Callable[..., Any], tries: Prepared) -> Iterator[Answer]:
    """Call a function of the checks' own for each call of a case."""
    return (locally(function, arguments) for arguments, _ in tries)


def parts(got: Any, wanted: Any) -> list[tuple[Any, Any]]:
    """Lay the parts of a value beside those of the right answer; none where they are not as many."""
    if not isinstance(wanted, tuple):
        return [(got, wanted)]
    fits = isinstance(got, list | tuple | np.ndarray) and len(got) == len(wanted)
    return [*zip(got, wanted, strict=True)] if fits else []


def as_asked(got: Any, wanted: Any) -> Any:
    """Take a number out of the array that holds nothing else, where a number is asked for."""
    if isinstance(wanted, tuple):
        return [as_asked(*pair) for pair in parts(got, wanted)] or got
    while np.ndim(wanted) == 0 and isinstance(got, list | tuple | np.ndarray) and len(got) == 1:
        got = got[0]
    return got


def numbers(value: Any) -> np.ndarray[Any, Any] | None:
    """Read numbers; None where there are others than numbers, or rows of different lengths."""
    try:
        found = np.asarray(value)
    except ValueError:
        return None
    return found if found.dtype.kind in "biuf" else None


def same(got: Any, wanted: Any, rtol: float, atol: float) -> bool:
    """Compare plain data; lists count as arrays, and whole numbers as numbers."""
    if isinstance(wanted, tuple):
        pairs = parts(got, wanted)
        return bool(pairs) and all(same(*pair, rtol, atol) for pair in pairs)
    if isinstance(wanted, str):
        return isinstance(got, str) and got == wanted
    found = numbers(got)
    if found is None or found.shape != np.shape(wanted):
        return False
    return bool(np.allclose(found, wanted, rtol=rtol, atol=atol, equal_nan=True))


def formed(got: Any, wanted: Any) -> bool:
    """Tell whether a judge can read a value: numbers, in parts and dimensions of the right answer."""
    pairs = parts(got, wanted)
    return bool(pairs) and all(numbers(one) is not None and np.ndim(one) == np.ndim(of) for one, of in pairs)


def same_words(got: Any, wanted: str) -> bool:
    """Compare words, whatever their capitals, spaces, hyphens and stops."""
    return isinstance(got, str) and re.sub(r"\W", "", got.lower()) == re.sub(r"\W", "", wanted.lower())


@dataclass(frozen=True)
class Verdict:
    """What a case earned, and what was wrong."""

    idea: str
    earned: float
    possible: float
    fault: str = ""
    shown: bool = False  # whether students may see the case while the set can be handed in

    def __str__(self) -> str:
        return f"{self.earned:g}/{self.possible:g}  {self.idea}" + (f": {self.fault}" if self.fault else "")


@dataclass(frozen=True)
class Case:
    """Calls that earn points together.

    Without a judge every call is compared with the right answer; calls that are not shown come in any order.
    A judge sees the values of all calls and their arguments, and says what is wrong with them, or nothing.
    """

    idea: str
    points: float
    draw: Draw
    shown: bool = False
    judge: Callable[[list[Any], list[Arguments]], str] | None = None


Prepared = list[tuple[Arguments, Answer]]
Cases = list[tuple[Case, Prepared]]


class Slipping:
    """A question whose slips are functions, or changes of the right answer's source, `old -> new`."""

    right: Callable[..., Any]
    slips: Mapping[Any, str]

    @cached_property
    def wrong(self) -> list[tuple[Callable[..., Any], str]]:
        """The slips as functions, each with what it says."""
        pairs = self.slips.items()
        return [(slip if callable(slip) else slip_function(self.right, slip), said) for slip, said in pairs]


@dataclass(frozen=True)
class Question(Slipping):
    """A function that a submission writes."""

    name: str
    right: Callable[..., Any]
    cases: Sequence[Case]
    slips: Mapping[str | Callable[..., Any], str]
    without: Sequence[str] = ()
    rtol: float = 1e-5
    atol: float = 1e-5
    fixed: bool = False  # whether the inputs are everybody's, and hold no search

    @property
    def points(self) -> float:
        """The points of all cases."""
        return sum(case.points for case in self.cases)

    def draw_cases(self, seed: Sequence[int], own: dict[str, Any]) -> list[Prepared]:
        """Draw inputs for every case, until every slip fails somewhere."""
        missed: list[str] = []
        for attempt in range(MOST_DRAWS + 1):
            rng = np.random.default_rng([*seed, attempt])
            found: list[Prepared] = []
            for case in self.cases:
                drawn = [tuple(arguments) for arguments in case.draw(rng, own)]
                if not case.judge and not case.shown:
                    drawn = [drawn[place] for place in rng.permutation(len(drawn))]
                found.append([(one, locally(self.right, one)) for one in drawn])
            if self.fixed or not (missed := self.missed(found)):
                return found
        raise RuntimeError(f"{self.name}: no draw tells the right answer from {missed}")

    def missed(self, prepared: list[Prepared]) -> list[str]:
        """Name the slips that would earn all points."""
        return [said for slip, said in self.wrong if self.passes(slip, prepared)]

    def passes(self, slip: Callable[..., Any], prepared: list[Prepared]) -> bool:
        """Tell whether a function of the checks' own earns all points."""
        cases = zip(self.cases, prepared, strict=True)
        return not any(self.first_fault(case, tries, answers_of(slip, tries)) for case, tries in cases)

    def first_fault(
        self, case: Case, tries: Prepared, answers: Iterable[Answer], passed: Cases | None = None
    ) -> str:
        """Say what is wrong first in a case; nothing where all is right.

        With the cases passed before, a slip is named that passes them, and gives all answers of this one.
        """
        calls, values = [], []
        coming = iter(answers)
        for place, ((arguments, wanted), got) in enumerate(zip(tries, coming, strict=False)):
            if wanted.raised and wanted.raised[0] in got.raised:
                continue
            if got.raised:
                shown = f"; {self.call_told(arguments, wanted)}" if case.shown else ""
                return got.fault + shown
            held = zip(got.after, arguments, strict=False)
            if not all(isinstance(item, Seed | None) or same(after, item, 0, 0) for after, item in held):
                return STAYS
            calls.append(arguments)
            values.append(value := as_asked(got.value, wanted.value))
            if value is None:
                return "it returns nothing: is a `return` missing?"
            if case.judge and not formed(value, wanted.value):
                return f"expected {form(wanted.value)}, got {short(value)}"
            if not case.judge and (wanted.raised or not same(value, wanted.value, self.rtol, self.atol)):
                if passed is None:
                    return "wrong"
                rest = zip(tries[place + 1 :], coming, strict=False)
                for (later, of), answer in rest:
                    if not of.raised and not answer.raised:
                        calls.append(later)
                        values.append(as_asked(answer.value, of.value))
                idea = self.diagnosis(case, calls, values, passed)
                idea = idea or ("" if wanted.raised else misfit(value, wanted.value))
                if case.shown:
                    return f"{idea}{'; ' * bool(idea)}{self.call_told(arguments, wanted, got)}"
                name = self.right.__name__
                return idea or f"{name} is wrong for one of these; {TRY}"
        said = case.judge(values, calls) if case.judge else ""
        return (said and passed is not None and self.diagnosis(case, calls, values, passed)) or said

    def diagnosis(self, case: Case, calls: list[Arguments], values: list[Any], passed: Cases) -> str:
        """Name the slip that gives the same values, right ones and wrong ones, and passes the same cases."""
        tries = [(arguments, locally(self.right, arguments)) for arguments in calls]
        for slip, said in self.wrong:
            others = [locally(slip, arguments) for arguments in calls]
            if (
                all(
                    not other.raised and same(value, other.value, self.rtol, self.atol)
                    for value, other in zip(values, others, strict=True)
                )
                and self.first_fault(case, tries, others)
                and not any(self.first_fault(of, known, answers_of(slip, known)) for of, known in passed)
            ):
                return said
        return ""

    def call_told(self, arguments: Arguments, wanted: Answer, got: Answer | None = None) -> str:
        """Write a call, what is expected, and what came."""
        said = f"{self.right.__name__}({', '.join(map(short, arguments))})"
        expected = f"a {wanted.raised[0]}" if wanted.raised else short(wanted.value)
        if not got:
            return f"{said}: expected {expected}"
        if expected == (came := short(got.value)):  # to four digits
            expected, came = short(wanted.value, 8), short(got.value, 8)
        return f"{said}: expected {expected}, got {came}"

    def grade(self, ask: Ask, seed: Sequence[int], own: dict[str, Any]) -> list[Verdict]:
        """Put the cases to a submission."""
        verdicts: list[Verdict] = []
        passed: Cases = []
        for case, tries in zip(self.cases, self.draw_cases([*seed, seeding(self.name)], own), strict=True):
            answers = (ask(self.right.__name__, arguments) for arguments, _ in tries)
            fault = self.first_fault(case, tries, answers, passed)
            passed += [] if fault else [(case, tries)]
            verdicts.append(Verdict(case.idea, 0 if fault else case.points, case.points, fault, case.shown))
        return verdicts


@dataclass(frozen=True)
class ByHand(Slipping):
    """Numbers that a submission works out from numbers of the student's own; each earns its points."""

    name: str
    right: Callable[..., dict[str, float]]  # takes some of the student's own numbers by their names
    ideas: Mapping[str, tuple[float, str]]  # points and what to look at, for each number
    slips: Mapping[str, str]
    rtol: float = 0
    atol: float = 2e-3
    within: str = ""  # the dictionary that holds the numbers; names of their own where it is empty

    @property
    def points(self) -> float:
        """The points of all numbers."""
        return sum(points for points, _ in self.ideas.values())

    def numbers(self, function: Callable[..., dict[str, float]], own: dict[str, Any]) -> dict[str, float]:
        """Work the numbers out for a student."""
        return function(**{name: own[name] for name in inspect.signature(function).parameters})

    def given(self, ask: Ask, name: str) -> Answer:
        """Ask a submission for one of its numbers."""
        got = ask(self.within or name, None)
        if got.raised:
            return got
        if self.within and not (isinstance(got.value, dict) and name in got.value):
            return Answer(raised=("KeyError",), text=f"no {name!r} in {self.within}")
        return Answer(as_asked(got.value[name] if self.within else got.value, 0.0))

    def grade(self, ask: Ask, seed: Sequence[int], own: dict[str, Any]) -> list[Verdict]:
        """Compare what a submission holds with the right numbers."""
        wanted = self.numbers(self.right, own)
        given = {name: self.given(ask, name) for name in self.ideas}
        right = [name for name, got in given.items() if same(got.value, wanted[name], self.rtol, self.atol)]
        verdicts = []
        for name, (points, idea) in self.ideas.items():
            got = given[name]
            fault = got.fault
            if not fault and not formed(got.value, 0.0):
                fault = f"expected one number, got {short(got.value)}"
            if not fault and name not in right:
                rounded = any(got.value == round(wanted[name], digits) for digits in range(3))
                told = "rounded too far" if rounded else idea
                fault = self.diagnosis(name, got.value, right, wanted, own) or told
            verdicts.append(Verdict(name, 0 if fault else points, points, fault))
        return verdicts

    def diagnosis(
        self, name: str, value: Any, right: list[str], wanted: dict[str, float], own: dict[str, Any]
    ) -> str:
        """Name the slip that gives this number, and leaves those right that are."""
        for slip, said in self.wrong:
            others = self.numbers(slip, own)
            kept = all(same(others[one], wanted[one], self.rtol, self.atol) for one in right)
            if kept and others[name] != wanted[name] and same(value, others[name], self.rtol, self.atol):
                return said
        return ""


@dataclass(frozen=True)
class Words:
    """A dictionary of words; letters that stand together earn their points together."""

    name: str
    right: Mapping[str, tuple[str, str]]  # for each letter the word, and why
    together: Mapping[str, float]  # letters that earn points together, such as "abc"

    @property
    def points(self) -> float:
        """The points of all letters."""
        return sum(self.together.values())

    def grade(self, ask: Ask, seed: Sequence[int], own: dict[str, Any]) -> list[Verdict]:
        """Compare the words."""
        got = ask(self.name, None)
        words = got.value if isinstance(got.value, dict) else {}
        verdicts = []
        for letters, points in self.together.items():
            wrong = [letter for letter in letters if not same_words(words.get(letter), self.right[letter][0])]
            fault = "; ".join(f"{letter}: {self.right[letter][1]}" for letter in wrong)
            if not isinstance(got.value, dict):
                fault = f"{self.name} is a dictionary, as the sheet has it; got {short(got.value)}"
            fault = got.fault or fault
            verdicts.append(Verdict(", ".join(letters), 0 if fault else points, points, fault))
        return verdicts


def slip_function(function: Callable[..., Any], change: str) -> Callable[..., Any]:
    """Compile a function with one part of its source replaced, `old -> new`."""
    source, (old, new) = source_of(function), change.split(" -> ")
    if old not in source:
        raise ValueError(f"{function.__name__} does not hold {old!r}")
    names = dict(function.__globals__)
    exec(compile(source.replace(old, new), f"<{change}>", "exec"), names)
    return names[function.__name__]  # type: ignore[no-any-return]


@cache
def source_of(function: Callable[..., Any]) -> str:
    """Read the source of a function."""
    return inspect.getsource(function)


def own_numbers(locked: Mapping[str, str], student: str) -> dict[str, Any]:
    """Run the set's own first cells for a student; return the names that they bind."""
    names: dict[str, Any] = {"STUDENT_ID": student}
    with redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        for source in locked.values():
            exec(source, names)
    return names


def form(value: Any) -> str:
    """Say what kind of value the right answer is."""
    if isinstance(value, tuple):
        return f"{len(value)} values, each {form(value[0])}"
    if isinstance(value, bool):
        return "True or False"
    dimensions = np.ndim(value)
    return f"an array of {dimensions} dimension{'s' * (dimensions > 1)}" if dimensions else "a number"


def misfit(got: Any, wanted: Any) -> str:
    """Say that a value has another form than the right one; nothing where it has not."""
    for part, of in parts(got, wanted) or [(got, wanted)]:
        if not formed(part, of):
            return f"expected {form(of)}, got {short(part)}"
        if np.shape(part) != np.shape(of):
            return f"expected an array of shape {np.shape(of)}, got one of shape {np.shape(part)}"
    return "nearly, but off by more than rounding" if same(got, wanted, 1e-3, 0) else ""


def short(value: Any, digits: int = 4) -> str:
    """Write a value in one line, with few digits."""
    if isinstance(value, np.ndarray):
        fixed = bool(np.any(np.abs(value) > 1e-3))  # then 1e-9 is written as 0
        text = np.array2string(value, precision=digits, suppress_small=fixed, threshold=12, separator=", ")
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(short(item, digits) for item in value)}]"
    elif isinstance(value, float):
        text = f"{value:.{digits + 2}g}"
    else:
        text = repr(value) if isinstance(value, str) else str(value)
    line = " ".join(text.split())
    return in_a_line(line if len(line) <= LONGEST else line[: LONGEST - 1] + "…")


def seeding(text: str) -> int:
    """Turn a text into a number that seeds."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16])


def questions(file: Path) -> dict[str, Question | ByHand | Words]:
    """Load the questions of a problem set from its `checks.py`."""
    spec = spec_from_file_location(f"checks_{file.parent.name}", file)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return {question.name: question for question in module.QUESTIONS}
