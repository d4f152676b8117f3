r"""The formula itself: parsed, evaluated on random numbers, and compared with its transcription.

A numbered formula is a sentence about numbers. `readings.py` says for each what its symbols stand for,
the value on the left taken from the transcription; here the sentence must come out true. The text that
is parsed is that of the page. A reading may put a letter for a piece that the parser does not know (an
indicator, a hat, a set under a sum); it names the piece to the letter, so no change hides in it. The few
formulas that the parser cannot read at all stand there to the letter.
"""

from __future__ import annotations

import itertools
import math
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import sympy
from joblib import Memory
from latex2sympy2_extended import latex2sympy
from latex2sympy2_extended.latex2sympy2 import ConversionConfig

from tools import equations as scan

from .tree import Problem

DRAWS = 3
SPACES = re.compile(r"\\[,;!]|\\q?quad\b")
SPELLINGS = {r"\bigl": r"\left", r"\bigr": r"\right", r"\big": "", r"\log ": r"\ln ", r"\log(": r"\ln("}
LOST = re.compile(r"'|\\(?:approx|text|underbrace|bar|hat|dots)\b")  # what the parser would leave out
SUBSCRIPT = re.compile(r"(?P<name>.+?)_\{?(?P<indices>\w+)\}?$")

Values = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Reading:
    """How a formula is read: the letters for its pieces, its free indices, and the values of its symbols."""

    letters: Mapping[str, str]
    for_each: Mapping[str, int]
    values: Callable[[SimpleNamespace, random.Random], Values]


READINGS: dict[str, Reading] = {}
SPELLED: dict[str, str] = {}  # formulas that the parser cannot read, to the letter


def reads(
    label: str, letters: Mapping[str, str] | None = None, /, **for_each: int
) -> Callable[[Callable[[SimpleNamespace, random.Random], Values]], object]:
    """Register how the equation `label` is read; a free index runs from 1 to its number.

    The function gets the definitions and a source of random numbers. It returns the value of every symbol,
    under names such as `n`, `y_i` or `p_{ik}`; under `=` stands what else the sides equal.
    """

    def register(values: Callable[[SimpleNamespace, random.Random], Values]) -> object:
        READINGS[label] = Reading(letters or {}, for_each, values)
        return values

    return register


class Unreadable(Exception):
    """A formula that its reading does not fit; the message says where."""


def check(root: Path) -> list[Problem]:
    """Problems with formulas that do not say what their transcriptions compute."""
    text = (root / scan.DEFINITIONS).read_text(encoding="utf-8")
    problems, read = [], scan.find_readings(root)
    for equation in scan.find_equations(root) if read else ():
        if equation.label not in read:
            if SPELLED.get(equation.label) != " ".join(equation.latex.split()):
                what = f"nothing reads the formula {equation.label} as it stands"
                remedy = f"correct it, or say in {scan.READINGS} how it is read or, to the letter, spelled"
                problems.append(Problem(equation.page, equation.place, what, remedy))
        elif fault := judge(equation.latex, READINGS[equation.label], text):
            what = f"the formula {equation.label} {fault}"
            remedy = f"correct the formula, {scan.DEFINITIONS}, or how {scan.READINGS} reads it"
            problems.append(Problem(equation.page, equation.place, what, remedy))
    return problems


@cache
def executed(text: str) -> SimpleNamespace:
    """Names of a module's source."""
    module = ModuleType("definitions")
    sys.modules[module.__name__] = module  # dataclasses look for it there
    exec(compile(text, scan.DEFINITIONS.name, "exec"), module.__dict__)
    return SimpleNamespace(**module.__dict__)


@cache
def judge(latex: str, reading: Reading, source: str) -> str:
    """Say what is wrong with a formula, given the definitions; nothing where it is true of every draw."""
    try:
        definitions = executed(source)
        sentence = parsed(spelled(latex, reading.letters))
        for seed in range(DRAWS):
            values = reading.values(definitions, random.Random(seed))
            ranges = (range(1, last + 1) for last in reading.for_each.values())
            for indices in itertools.product(*ranges):
                named = dict(zip(reading.for_each, indices, strict=True))
                for clause in clauses(sentence):
                    left, *right = sides_of(clause, values, named)
                    right += [at(values["="], list(indices))] if "=" in values else []
                    if not right or any(not math.isclose(left, other, rel_tol=1e-9) for other in right):
                        sides = ", ".join(f"{side:.6g}" for side in (left, *right))
                        return f"is not what its transcription computes: on random numbers they give {sides}"
    except Unreadable as fault:
        return str(fault)
    except Exception as error:  # whatever a parser or a transcription stumbles over
        return f"cannot be evaluated: {type(error).__name__}: {str(error).strip().splitlines()[0]}"
    return ""


def spelled(latex: str, letters: Mapping[str, str]) -> str:
    """Write a formula with the letters of its reading, and as the parser spells things."""
    for piece, letter in letters.items():
        if piece not in latex:
            raise Unreadable(f"no longer holds {piece}, which its reading names")
        latex = latex.replace(piece, letter)
    for ours, theirs in SPELLINGS.items():
        latex = latex.replace(ours, theirs)
    latex = SPACES.sub(" ", latex).strip().rstrip(" .,")
    if lost := LOST.search(latex):
        raise Unreadable(f"holds {lost[0]}, which the parser leaves out: give the piece a letter")
    return latex


@cache
def parsed(latex: str) -> sympy.Basic:
    """Syntax tree of a formula, as SymPy has it."""
    return remembered(latex, version(latex2sympy.__module__.split(".")[0]))


@Memory(Path(__file__).parents[3] / "_build/formulas", verbose=0).cache
def remembered(latex: str, _parser: str) -> sympy.Basic:
    """Parse a formula, once for each version of the parser: it takes its time."""
    return latex2sympy(latex, conversion_config=ConversionConfig(lowercase_symbols=False))


def clauses(sentence: sympy.Basic) -> tuple[sympy.Basic, ...]:
    """Cut a sentence at its commas, and a row of equalities between them."""
    if isinstance(sentence, sympy.FiniteSet):
        return tuple(itertools.chain.from_iterable(map(clauses, sentence.args)))
    is_row = isinstance(sentence, sympy.And) and all(isinstance(part, sympy.Eq) for part in sentence.args)
    return sentence.args if is_row else (sentence,)


def sides_of(sentence: sympy.Basic, values: Values, indices: dict[str, int]) -> Iterator[float]:
    """Values of the sides of an equality, of each in a row of equalities, or of an expression."""
    if isinstance(sentence, sympy.Eq):
        yield from (float(value(side, values, indices)) for side in sentence.args)
    else:
        yield float(value(sentence, values, indices))


def value(node: sympy.Basic, values: Values, indices: dict[str, int]) -> Any:
    """Evaluate an expression; a sum is added up term by term, an index after its symbol looks up a value."""
    if isinstance(node, sympy.Sum):
        *inner, (index, first, last) = node.limits
        term = sympy.Sum(node.function, *inner) if inner else node.function
        steps = range(int(value(first, values, indices)), int(value(last, values, indices)) + 1)
        return sympy.Add(*(value(term, values, indices | {index.name: step}) for step in steps))
    if isinstance(node, sympy.Symbol):
        return sympy.sympify(looked_up(node.name, values, indices))
    arguments = [value(part, values, indices) for part in node.args]
    if isinstance(node, sympy.Rel | sympy.And):
        return sympy.Integer(all(arguments) if isinstance(node, sympy.And) else bool(node.func(*arguments)))
    if isinstance(node, sympy.core.function.AppliedUndef):
        name = re.sub(r"\\\w+\{(\w+)\}", r"\1", node.func.__name__)
        return sympy.sympify(values[name](*map(float, arguments)))
    return sympy.N(node.func(*arguments)) if arguments else sympy.N(node)


def looked_up(name: str, values: Values, indices: dict[str, int]) -> Any:
    """Value of a symbol: an index, a symbol by its whole name, or one of several by its indices."""
    if name in indices:
        return indices[name]
    if not isinstance(values.get(name, []), list):
        return values[name]
    parts = SUBSCRIPT.match(name)
    for known, several in values.items() if parts else ():
        other = SUBSCRIPT.match(known)
        if other and other["name"] == parts["name"] and len(other["indices"]) == len(parts["indices"]):
            return at(several, [indices[index] for index in parts["indices"]])
    raise Unreadable(f"holds the symbol {name}, to which its reading gives no value")


def at(several: Any, indices: list[int]) -> Any:
    """Look up an entry by indices that count from 1."""
    for index in indices if isinstance(several, list) else ():
        if index < 1:
            raise Unreadable("counts an index from 0")
        several = several[index - 1]
    return several
