r"""The maths of the book, evaluated on numbers: a small part of LaTeX, read to the letter.

A table of values says what the symbols stand for, as `tests/book/symbols.py` explains. E and Var
average over the worlds of the key `\mathbb{E}`: pairs of a weight and the values in that world. What is not
understood is refused, never skipped, but for spaces, fonts and the sizes of brackets.
"""

import inspect
import itertools
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.integrate import quad

Key = tuple[str, ...]
Values = Mapping[Key, Any]
Node = Callable[[Values], Any]
Clause = tuple[list[Node], list[str]]  # the sides of a statement, and the relations between them

IGNORED = re.compile(
    r"\\[,;:! ]|[&~]|\\(?:quad|qquad|[bB]igg?[lrm]?|left|right)(?![a-zA-Z])|\\(?:begin|end)\{aligned\}"
)
FONT = re.compile(r"\\(?:mathrm|mathbf|mathbb|operatorname|text)\s*(?:\{([^{}]*)\}|(\S))")
TOKEN = re.compile(r"⟨[^⟩]*⟩|\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\S")
SPELLINGS = {
    **{r"\dfrac": r"\frac", r"\tfrac": r"\frac", r"\ln": r"\log", r"\times": r"\cdot", r"\lvert": "|"},
    **{r"\leq": r"\le", r"\geq": r"\ge", r"\neq": r"\ne", r"\lVert": "‖", r"\rVert": "‖", r"\rvert": "|"},
}
RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-6, atol=1e-9),
    r"\approx": lambda a, b: math.isclose(a, b, rel_tol=0.02),
    r"\le": lambda a, b: a <= b + 1e-12,
    r"\ge": lambda a, b: a >= b - 1e-12,
    **{"<": operator.lt, ">": operator.gt, r"\ne": operator.ne},
}
SIGNS = {"+": operator.add, "-": operator.sub}
LIMITED: dict[str, Callable[[Any], Any]] = {r"\sum": sum, r"\max": max, r"\min": min, r"\sup": max}
COMMANDS: dict[str, Callable[..., Any]] = {r"\frac": operator.truediv, r"\binom": math.comb}
CLOSING = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖"}
SEPARATORS = {",", ".", r"\\"}
NO_FACTOR = {*RELATIONS, *SEPARATORS, *SIGNS, ")", "]", "}", r"\}", "/", r"\cdot", ":", r"\mid", ""}
WORLDS, RESULT = ("⟨E⟩",), ("=",)


def tokens(latex: str) -> Key:
    """Cut LaTeX into pieces; a word in another font is one piece, and needless braces are left out."""
    latex = FONT.sub(lambda match: "⟨" + (match[1] or match[2]).replace(r"\,", "").strip() + "⟩", latex)
    plain: list[str] = []
    for token in TOKEN.findall(IGNORED.sub(" ", latex)):
        if token == "}" and plain[-2:-1] == ["{"] and not re.fullmatch(r"\d\d+", plain[-1]):
            plain[-2:] = plain[-1:]  # {x} is x; the braces of \frac{12}{5} stay
        else:
            plain.append(SPELLINGS.get(token, token))
    return tuple(plain)


def keyed(symbols: Mapping[str, Any]) -> dict[Key, Any]:
    """Cut the keys of a table of values."""
    values = {tokens(key): value for key, value in symbols.items()}
    if WORLDS in values:
        values[WORLDS] = [(weight, keyed(world)) for weight, world in values[WORLDS]]
    return values


@np.errstate(all="raise", under="ignore")
def fault(latex: str, symbols: Mapping[str, Any]) -> str:
    """Say what is wrong with displayed maths; nothing where it is true, for every free index."""
    try:
        values = keyed(symbols)
        reader = Reader(latex, values)
        first, *others = reader.display()
        for chosen in itertools.product(*(values[index, r"\in"] for index in reader.free)):
            env = {**values, **{(index,): value for index, value in zip(reader.free, chosen, strict=True)}}
            for clause, result in [(first, values.get(RESULT)), *((clause, None) for clause in others)]:
                if wrong := judged(clause, env, result):
                    return wrong + "".join(f" at {index} = {env[index,]}" for index in reader.free)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return f"cannot be evaluated: {error}"
    return ""


def judged(clause: Clause, env: Values, result: Any) -> str:
    """Say how a statement fails: against the result that is computed elsewhere, or else against itself."""
    sides, relations = [side(env) for side in clause[0]], clause[1]
    shown = ", ".join(str(side) for side in sides)
    if isinstance(result, tuple) or (result is not None and not relations):
        wanted = result if isinstance(result, tuple) else (result,)
        agree = len(sides) == len(wanted) and all(map(RELATIONS["="], sides, wanted))
        return "" if agree else f"gives {shown}, and its transcription {wanted}"
    if not relations and not isinstance(sides[0], bool):
        raise ValueError("it states nothing, and no value says what it equals")
    true = holds(sides, relations) if relations else sides[0]
    return "" if true == (result is not False) else f"is {true} of random numbers, its sides {shown}"


def holds(sides: list[Any], relations: list[str]) -> bool:
    """Tell whether each side has its relation to the next."""
    pairs = zip(relations, sides, sides[1:], strict=False)
    return all(bool(RELATIONS[relation](left, right)) for relation, left, right in pairs)


def symbol(*key: str) -> Node:
    """Look up a value."""
    return lambda env: env[key]


def combined(function: Callable[..., Any], *parts: Node) -> Node:
    """Apply a function to values."""
    return lambda env: function(*(part(env) for part in parts))


def times(a: Any, b: Any) -> Any:
    """Multiply numbers, vectors and matrices."""
    return a @ b if np.ndim(a) and np.ndim(b) else a * b


def entry(several: Any, *indices: Any) -> Any:
    """Look up an entry by indices that count from 1, or by the keys of a dictionary."""
    for index in indices:
        if not isinstance(several, dict) and index < 1:
            raise ValueError("an index counts from 0")
        several = several[index] if isinstance(several, dict) else several[index - 1]
    return np.array(several) if isinstance(several, list) else several


class Reader:
    """Reads pieces of LaTeX from left to right into functions of the values."""

    def __init__(self, latex: str, values: Values) -> None:
        self.tokens, self.at, self.values = (*tokens(latex), "."), 0, values
        known = {*values, *(key for _, world in values.get(WORLDS, []) for key in world)} - {WORLDS, RESULT}
        self.keys = sorted((key for key in known if key[-1] != r"\in"), key=len, reverse=True)
        self.free: dict[str, None] = {}  # indices that nothing binds
        self.bound: list[str] = []
        self.open: list[str] = []  # brackets
        self.differentials: set[int] = set()
        self.ends: set[int] = set()  # where another factor would be ambiguous
        self.named: list[Clause] = []  # that the parts over underbraces are what they are called

    @property
    def next(self) -> str:
        """Token that is read next."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """Read a token, one of these where any are given."""
        if not self.next or (wanted and self.next not in wanted):
            raise ValueError(
                f"{' or '.join(wanted)} is expected before {' '.join(self.tokens[self.at :][:6])}"
            )
        self.at += 1
        return self.tokens[self.at - 1]

    def display(self) -> list[Clause]:
        """Read statements up to the end."""
        found = []
        while self.next:
            found.append(self.chain())
            while self.take(*SEPARATORS) and self.next in SEPARATORS:
                pass
        return found + self.named

    def chain(self) -> Clause:
        """Read expressions with relations between them."""
        sides, relations = [self.expression()], []
        while self.next in RELATIONS:
            relations.append(self.take())
            sides.append(self.expression())
        return sides, relations

    def value(self) -> Node:
        """Read an expression, or a statement, which counts 1 where it is true and else 0."""
        sides, relations = self.chain()
        return combined(lambda *found: int(holds(list(found), relations)), *sides) if relations else sides[0]

    def expression(self) -> Node:
        """Read terms between + and -."""
        total = (lambda env: 0) if self.next in SIGNS else self.term()
        while self.next in SIGNS:
            total = combined(SIGNS[self.take()], total, self.term())
        return total

    def term(self) -> Node:
        """Read factors, with or without a sign between them."""
        product = self.power()
        while self.next in {"/", r"\cdot"} or self.starts_factor():
            sign = self.take() if self.next in {"/", r"\cdot"} else ""
            if not sign and self.at in self.ends:
                raise ValueError(f"it is ambiguous before {self.next}: write brackets")
            product = combined(operator.truediv if sign == "/" else times, product, self.power())
            self.ends |= {self.at} if sign == "/" else set()  # a / b c
        return product

    def starts_factor(self) -> bool:
        """Tell whether another factor follows."""
        closes = self.next in {"|", "‖"} and self.open[-1:] == [self.next]
        return self.next not in NO_FACTOR and not closes and self.at not in self.differentials

    def power(self) -> Node:
        """Read an atom with its exponent, and with an index behind a bracket."""
        base = self.atom()
        while self.next in {"^", "_"}:
            if self.take() == "_":
                base = combined(entry, base, *self.indices())
            elif self.next == r"\top":
                self.take()  # of two vectors side by side there is one product, whichever stands upright
            else:
                base = combined(operator.pow, base, self.argument())
        return base

    def argument(self) -> Node:
        """Read an argument of a command: braces, or the next token, of a number its next digit."""
        if re.fullmatch(r"\d\d+", self.next):
            digits = (self.next[0], self.next[1:])
            self.tokens = (*self.tokens[: self.at], *digits, *self.tokens[self.at + 1 :])
        return self.bracket() if self.next == "{" else self.atom()

    def several(self) -> list[Node]:
        """Read what stands in brackets, one or more values."""
        self.open.append(self.take(*CLOSING))
        found = [self.value()]
        while self.next in {",", r"\mid"}:
            self.take()
            found.append(self.value())
        self.take(CLOSING[self.open.pop()])
        return found

    def bracket(self) -> Node:
        """Read one value in brackets."""
        (found,) = self.several()
        return found

    def indices(self) -> list[Node]:
        """Read what stands below a symbol: indices side by side."""
        if self.next != "{":
            return [self.argument()]
        self.take()
        found = []
        while self.next != "}":
            found.append(self.power())
            while self.next in SIGNS:
                found[-1] = combined(SIGNS[self.take()], found[-1], self.power())
        self.take()
        return found

    def atom(self) -> Node:
        """Read a symbol, a number, a bracket, or a command with its arguments."""
        for key in self.keys:
            if self.tokens[self.at : self.at + len(key)] == key and (
                len(key) > 1 or key[0] not in self.bound
            ):
                return self.known(key)
        if self.next in {"(", "["}:
            return self.bracket()
        if self.next in {"|", "‖"}:
            return combined(abs if self.next == "|" else np.linalg.norm, self.bracket())
        token = self.take()
        if token in self.bound or (token, r"\in") in self.values:
            return self.of_indices(lambda value: value, token)
        if re.fullmatch(r"[\d.]+", token):
            return lambda env: float(token) if "." in token else int(token)
        if token in LIMITED and self.next in {"(", "["}:
            return combined(lambda *found: LIMITED[token](found), *self.several())
        if token in LIMITED or token == "⟨argmin⟩":
            return self.limited(token)
        if token in COMMANDS:
            return combined(COMMANDS[token], self.argument(), self.argument())
        if token in {"e", r"\pi"}:
            return lambda env: math.e if token == "e" else math.pi
        others = {r"\int": self.integral, r"\log": self.logarithm, r"\underbrace": self.underbrace}
        others |= {"⟨E⟩": lambda: self.moment(1), "⟨Var⟩": lambda: self.moment(2), "⟨1⟩": self.bracket}
        others |= {
            r"\sqrt": lambda: combined(math.sqrt, self.argument()),
            r"\{": lambda: self.below(r"\}")[1],
        }
        if token not in others:
            raise ValueError(f"{token} has no value")
        return others[token]()

    def known(self, key: Key) -> Node:
        """Read a symbol that has a value: its indices, or the arguments of a function."""
        self.at += len(key)
        value = self.values.get(key)
        if key[-1] == "_":
            return combined(entry, symbol(*key), *self.indices())
        if not callable(value):
            return symbol(*key)
        if self.next in {"(", "["}:
            return combined(value, *self.several())
        return self.of_indices(value, *inspect.signature(value).parameters)

    def of_indices(self, function: Callable[..., Any], *names: str) -> Node:
        """Apply a function to indices; those that nothing binds run over their values."""
        self.free |= dict.fromkeys(name for name in names if name not in self.bound)
        return combined(function, *map(symbol, names))

    def limited(self, token: str) -> Node:
        """Read an operator with an index: a sum, the greatest or the least, or the index of the least."""
        self.take("_")
        index, values_of = self.below("}" if self.next == "{" and self.take() else None)
        body = self.term()
        self.bound.remove(index)

        def gathered(env: Values) -> Any:
            values = list(values_of(env))
            found = [body({**env, (index,): value}) for value in values]
            return LIMITED[token](found) if token in LIMITED else values[found.index(min(found))]

        return gathered

    def below(self, closing: str | None) -> tuple[str, Node]:
        """Read an index, which is bound from here on, and its values."""
        end = self.tokens.index(closing, self.at) if closing else self.at + 1
        inside = self.tokens[self.at : end]
        names = [name for name in inside if (name, r"\in") in self.values and name not in self.bound]
        index = inside[0] if inside[1:2] in {("=",), (r"\in",), (":",)} else (*names, "")[0]
        values = symbol(index, r"\in")
        self.bound.append(index)
        if inside in self.values:
            values = self.known(inside)
        elif inside[1:2] in {("=",), (r"\in",)}:
            self.at += 2
            values = self.expression()
        elif len(inside) == 1:
            self.at = end
        else:
            self.at += 2 * (inside[1] == ":")
            condition, every = self.value(), values
            values = lambda env: tuple(x for x in every(env) if condition({**env, (index,): x}))  # noqa: E731
        if closing:
            self.take(closing)
        if inside[1:2] == ("=",):
            self.take("^")
            values = combined(lambda first, last: range(first, last + 1), values, self.argument())
        return index, values

    def integral(self) -> Node:
        """Read an integral over a smooth function."""
        self.take("_")
        low = self.argument()
        self.take("^")
        high = self.argument()
        depth, end = 0, self.at
        while depth or self.tokens[end] != "d":
            depth += (self.tokens[end] in {"(", "[", "{"}) - (self.tokens[end] in {")", "]", "}"})
            end += 1
        variable = self.tokens[end + 1]
        self.differentials.add(end)
        self.bound.append(variable)
        body = self.expression()
        self.bound.remove(variable)
        self.take("d")
        self.take(variable)

        return lambda env: quad(lambda x: body({**env, (variable,): x}), low(env), high(env))[0]

    def logarithm(self) -> Node:
        """Read a logarithm: of a bracket, or of the next factor where it is the last."""
        base = self.argument() if self.next == "_" and self.take() else lambda env: math.e
        if self.next in {"(", "["}:
            return combined(math.log, self.bracket(), base)
        of = self.power()
        self.ends.add(self.at)  # log a b
        return combined(math.log, of, base)

    def moment(self, order: int) -> Node:
        """Read an expectation or a variance, over the worlds."""
        body = self.bracket()

        def over_worlds(env: Values) -> Any:
            found = [(weight, body({**env, **world})) for weight, world in env[WORLDS]]
            mean = sum(weight * value for weight, value in found)
            return mean if order == 1 else sum(weight * (value - mean) ** 2 for weight, value in found)

        return over_worlds

    def underbrace(self) -> Node:
        """Read a part that has a name; where the name has a value, the part must have it, too."""
        part = self.argument()
        self.take("_")
        end = self.tokens.index("}", self.at) if self.next == "{" else self.at
        name = tuple(token for token in self.tokens[self.at : end + 1] if token not in {"{", "}"})
        self.at = end + 1
        if name in self.values:
            self.named.append(([part, symbol(*name)], ["="]))
        return part
