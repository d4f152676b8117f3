r"""The maths of the book, evaluated on numbers: a small part of LaTeX, read to the letter.

A table of values says what the symbols stand for. A key is LaTeX: `n`, `\hat p`, `\mathrm{acc}`, or a whole
phrase such as `P(y = 1 \mid x)`; the longest key that fits is taken. A key that ends in `_` takes indices,
which count from 1 (`p_` is a list or a dictionary). `k \in` says over which values the index k runs. A
function takes the brackets behind it; without any, the indices that its parameters name. `\mathbb{E}` holds
the worlds that E and Var average over: pairs of a weight and the values in that world.

What is not understood is refused, never skipped, but for spaces, fonts and the sizes of brackets.
"""

from __future__ import annotations

import inspect
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

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
    **{"⟨max⟩": r"\max", "⟨min⟩": r"\min", "⟨log⟩": r"\log"},
}
WORLDS = ("⟨E⟩",)
RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-6, atol=1e-9),
    r"\approx": lambda a, b: math.isclose(a, b, rel_tol=0.02),
    r"\ne": operator.ne,
    r"\le": lambda a, b: a <= b + 1e-12,
    r"\ge": lambda a, b: a >= b - 1e-12,
    "<": operator.lt,
    ">": operator.gt,
}
LIMITED: dict[str, Callable[[Any], Any]] = {r"\sum": sum, r"\max": max, r"\min": min, r"\sup": max}
COMMANDS: dict[str, tuple[int, Callable[..., Any]]] = {
    r"\frac": (2, operator.truediv),
    r"\binom": (2, math.comb),
    r"\sqrt": (1, math.sqrt),
}
CLOSING = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖", r"\{": r"\}"}
SEPARATORS = {",", ".", r"\\", "⟨and⟩"}
SIGNS = {"+": operator.add, "-": operator.sub}
NO_FACTOR = {*RELATIONS, *SEPARATORS, ")", "]", "}", r"\}", "+", "-", "/", r"\cdot", ":", r"\mid", ""}
NODES, WEIGHTS = np.polynomial.legendre.leggauss(150)  # for integrals


class Unreadable(ValueError):
    """Maths that is not understood; the message says where."""


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


def fault(latex: str, symbols: Mapping[str, Any]) -> str:
    """Say what is wrong with displayed maths; nothing where it is true of the values, for every free index.

    The key `=` holds what is computed elsewhere: the truth of the first statement, its side, or its sides.
    """
    try:
        values = keyed(symbols)
        reader = Reader(latex, values)
        first, *others = reader.display()
        for chosen in itertools.product(*(values[index, r"\in"] for index in reader.free)):
            env = {**values, **{(index,): value for index, value in zip(reader.free, chosen, strict=True)}}
            found = [judged(first, env, values.get(("=",))), *(judged(clause, env) for clause in others)]
            if any(found):
                where = "".join(f" at {index} = {env[index,]}" for index in reader.free)
                return next(filter(None, found)) + where
    except Unreadable as error:
        return str(error)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return f"cannot be evaluated: {type(error).__name__}: {error}"
    return ""


def judged(clause: Clause, env: Values, computed: Any = None) -> str:
    """Say how a statement fails: against what is computed elsewhere, or else against itself."""
    sides, relations = [side(env) for side in clause[0]], clause[1]
    if computed is not None and (isinstance(computed, tuple) or not relations):
        wanted = computed if isinstance(computed, tuple) else (computed,)
        agree = len(sides) == len(wanted) and all(map(RELATIONS["="], sides, wanted))
        return "" if agree else f"gives {shown(sides)}, and its transcription {shown(wanted)}"
    if not relations and not isinstance(sides[0], bool):
        raise Unreadable("states nothing, and no value says what it equals")
    true = holds(sides, relations) if relations else sides[0]
    if true == (computed is not False):
        return ""
    return f"is {true} of random numbers: its sides are {shown(sides)}"


def holds(sides: list[Any], relations: list[str]) -> bool:
    """Tell whether each side has its relation to the next."""
    pairs = zip(relations, sides, sides[1:], strict=False)
    return all(bool(RELATIONS[relation](left, right)) for relation, left, right in pairs)


def shown(sides: Iterable[Any]) -> str:
    """Write the values of sides."""
    return ", ".join(np.array2string(np.asarray(side), precision=6) for side in sides)


def symbol(key: Key) -> Node:
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
            raise Unreadable("counts an index from 0")
        several = several[index] if isinstance(several, dict) else several[index - 1]
    return np.array(several) if isinstance(several, list) else several


class Reader:
    """Reads pieces of LaTeX from left to right into functions of the values."""

    def __init__(self, latex: str, values: Values) -> None:
        self.tokens, self.at, self.values = (*tokens(latex), "."), 0, values
        known = {*values, *(key for _, world in values.get(WORLDS, []) for key in world)} - {WORLDS, ("=",)}
        self.keys = sorted(known, key=len, reverse=True)
        self.free: dict[str, None] = {}  # indices that nothing binds
        self.bound: list[str] = []
        self.open: list[str] = []  # brackets
        self.differentials: set[int] = set()
        self.ends: set[int] = set()  # where another factor would be ambiguous
        self.named: list[Clause] = []  # that the parts over underbraces are what they are called

    @property
    def next(self) -> str:
        """Token to read next; nothing at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """Read a token, one of these where any are given."""
        if not self.next or (wanted and self.next not in wanted):
            rest = " ".join(self.tokens[self.at :][:6]).strip(". ") or "its end"
            raise Unreadable(f"cannot be read from {rest}" + (f": expected {wanted[0]}" if wanted else ""))
        self.at += 1
        return self.tokens[self.at - 1]

    def display(self) -> list[Clause]:
        """Read statements up to the end."""
        found = []
        while self.next:
            found.append(self.chain())
            self.take(*SEPARATORS)
            while self.next in SEPARATORS:
                self.take()
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
                raise Unreadable(f"is ambiguous before {self.next}: write brackets")
            product = combined(operator.truediv if sign == "/" else times, product, self.power())
            if sign == "/":
                self.ends.add(self.at)  # a / b c
        return product

    def starts_factor(self) -> bool:
        """Tell whether the next token starts another factor."""
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
        if self.next == "{":
            return self.bracket()
        if re.fullmatch(r"\d\d+", self.next):
            first, rest = self.next[0], self.next[1:]
            self.tokens = (*self.tokens[: self.at], first, rest, *self.tokens[self.at + 1 :])
        return self.atom()

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
        found = self.several()
        if len(found) > 1:
            raise Unreadable("holds several values in brackets, and no function that takes them")
        return found[0]

    def indices(self) -> list[Node]:
        """Read what stands below a symbol: indices side by side."""
        if self.next != "{":
            return [self.argument()]
        self.take()
        found = []
        while self.next != "}":
            index = self.power()
            while self.next in SIGNS:
                index = combined(SIGNS[self.take()], index, self.power())
            found.append(index)
        self.take()
        return found

    def atom(self) -> Node:
        """Read a symbol, a number, a bracket, or a command with its arguments."""
        for key in self.keys:
            if self.tokens[self.at : self.at + len(key)] == key and key[-1] != r"\in":
                if len(key) > 1 or self.next not in self.bound:
                    return self.known(key)
        if self.next in {"(", "["}:
            return self.bracket()
        if self.next in {"|", "‖"}:
            size = abs if self.next == "|" else np.linalg.norm
            return combined(size, self.bracket())
        token = self.take()
        if token in self.bound or (token, r"\in") in self.keys:
            self.runs(token)
            return symbol((token,))
        if re.fullmatch(r"[\d.]+", token):
            return lambda env: float(token) if "." in token else int(token)
        if token in LIMITED and self.next in {"(", "["}:
            return combined(lambda *found: LIMITED[token](found), *self.several())
        if token in LIMITED or token == "⟨argmin⟩":
            return self.limited(token)
        if token in COMMANDS:
            count, function = COMMANDS[token]
            return combined(function, *[self.argument() for _ in range(count)])
        if token in {"⟨E⟩", "⟨Var⟩"}:
            return self.moment(token == "⟨Var⟩")
        special = {r"\int": self.integral, r"\log": self.logarithm, r"\underbrace": self.underbrace}
        special |= {"⟨1⟩": self.bracket, r"\{": self.set_of}
        if token in special:
            return special[token]()
        if token in {"e", r"\pi"}:
            return lambda env: math.e if token == "e" else math.pi
        raise Unreadable(f"holds {token}, which has no value")

    def known(self, key: Key) -> Node:
        """Read a symbol that has a value: its indices, or the arguments of a function."""
        self.at += len(key)
        value = self.values.get(key)
        if key[-1] == "_":
            return combined(entry, symbol(key), *self.indices())
        if callable(value) and self.next in {"(", "["}:
            return combined(value, *self.several())
        return self.of_indices(value) if callable(value) else symbol(key)

    def of_indices(self, function: Callable[..., Any]) -> Node:
        """Apply a function to the indices that its parameters name."""
        names = list(inspect.signature(function).parameters)
        self.runs(*names)
        return combined(function, *(symbol((name,)) for name in names))

    def runs(self, *names: str) -> None:
        """Note indices; those that nothing binds run over their values."""
        self.free.update(dict.fromkeys(name for name in names if name not in self.bound))

    def limited(self, token: str) -> Node:
        """Read an operator with an index: a sum, the greatest or the least, or the index of the least."""
        index, values_of = self.limits()
        body = self.term()
        self.bound.remove(index)

        def gathered(env: Values) -> Any:
            values = list(values_of(env))
            found = [body({**env, (index,): value}) for value in values]
            return LIMITED[token](found) if token in LIMITED else values[found.index(min(found))]

        return gathered

    def limits(self) -> tuple[str, Node]:
        """Read what stands below and above an operator: the index, bound from here on, and its values."""
        self.take("_")
        end = self.tokens.index("}", self.at) if self.next == "{" else self.at
        inside = self.tokens[self.at + 1 : end] if self.next == "{" else (self.next,)
        self.at = min(self.at + 1, end)
        names = [name for name in inside if (name, r"\in") in self.values and name not in self.bound]
        index = inside[0] if inside[1:2] in {("=",), (r"\in",), (":",)} else (*names, "?")[0]
        self.bound.append(index)
        if inside[1:2] == ("=",):
            self.at += 2
            first = self.expression()
            self.take("}")
            self.take("^")
            return index, combined(lambda first, last: range(first, last + 1), first, self.argument())
        if inside in self.values:
            self.at = end
            values = self.of_indices(self.values[inside])
        elif inside[1:2] == (r"\in",):
            self.at += 2
            values = self.expression()
        elif (index, r"\in") not in self.values:
            raise Unreadable(f"lets no index run over known values in {' '.join(inside)}")
        elif len(inside) == 1:
            self.at, values = end, symbol((index, r"\in"))
        else:
            self.at += 2 * (inside[1] == ":")
            values = self.filtered(index, self.value())
        self.take("}" if len(inside) > 1 else index)
        return index, values

    def filtered(self, index: str, condition: Node) -> Node:
        """Keep the values of an index for which a condition is true."""
        every = symbol((index, r"\in"))
        return lambda env: tuple(value for value in every(env) if condition({**env, (index,): value}))

    def set_of(self) -> Node:
        """Read the set of those values of an index for which a condition is true."""
        index = self.take()
        self.take(":")
        self.bound.append(index)
        values = self.filtered(index, self.value())
        self.bound.remove(index)
        self.take(r"\}")
        return values

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

        def area(env: Values) -> Any:
            start, half = low(env), (high(env) - low(env)) / 2
            heights = (body({**env, (variable,): start + half * (1 + node)}) for node in NODES)
            return half * sum(map(operator.mul, WEIGHTS, heights))

        return area

    def logarithm(self) -> Node:
        """Read a logarithm: of a bracket, or of the next factor where it is the last."""
        base = lambda env: math.e  # noqa: E731
        if self.next == "_":
            self.take()
            base = self.argument()
        in_brackets = self.next in {"(", "["}
        of = self.bracket() if in_brackets else self.power()
        if not in_brackets:
            self.ends.add(self.at)  # log a b
        return combined(lambda x, base: math.log(x) / math.log(base), of, base)

    def moment(self, is_variance: bool) -> Node:
        """Read an expectation or a variance: over the worlds."""
        body = self.bracket()

        def over_worlds(env: Values) -> Any:
            found = [(weight, body({**env, **world})) for weight, world in env[WORLDS]]
            mean = sum(weight * value for weight, value in found)
            return sum(weight * (value - mean) ** 2 for weight, value in found) if is_variance else mean

        return over_worlds

    def underbrace(self) -> Node:
        """Read a part that has a name; where the name has a value, the part must have it, too."""
        part = self.argument()
        self.take("_")
        end = self.tokens.index("}", self.at) if self.next == "{" else self.at
        name = tuple(token for token in self.tokens[self.at : end + 1] if token not in {"{", "}"})
        self.at = end + 1
        if name in self.values:
            self.named.append(([part, symbol(name)], ["="]))
        return part
