"""Numbers and claims in a notebook's Markdown, bound to the code that gives them.

    0.123<!-- = mean_ece["uniform"][0]:.3f -->       the text before the mark is the value of the expression
    … far below it. <!-- holds: after < before -->   the sentence stands as long as the expression is true

    … take it. <!-- shown: practice/choosing#cell; when: 200 rows -->  where a rule is shown, and when

What follows `=` is a replacement field of an f-string, evaluated in the chapter's own kernel at that place of
the notebook. The format `_` writes 10 000, `.1%` writes 12.5 %; inside `$…$` both become LaTeX.
"""

import ast
import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tools.binding.prose import COMMENT

MARK = re.compile(r"<!--\s*(?P<kind>=|holds:)\s*(?P<expression>.*?)\s*-->", re.S)
SHOWN = re.compile(r"<!--\s*shown:\s*(?P<place>[^;|]*?)\s*;\s*when:\s*(?P<when>[^|]*?)\s*-->")
NUMBER = re.compile(  # the number that a mark belongs to, with what may stand between the two
    r"(?P<digits>(?:(?<![\w.)}\]])[-+\u2212])?(?<![\w.])"
    r"(?:\d{1,3}(?:(?:[ \u2009\u202f,]|\\,|\{,\})\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:e[-+]?\d+|\s?\\times\s?10\^\{-?\d+\})?)"
    r"(?P<percent>\s?%|(?:\\,)?\\%)?(?P<behind>[$*_)\]]{0,3}) ?$"
)
SETTLED = 1e-6  # a value that moves by less, relative to itself, stays as it was stored
LONGEST = 60  # characters of a number, with what may stand behind it
VALUE = re.compile(r"[-+]?(?:\d[\d_,]*(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?%?")
COMPARES = re.compile(  # words that a claim stands or falls with
    r"\b(?:above|below|over|under|more|most|less|least|fewer|larg\w+|small\w+|high\w*|low\w*|long\w*|short\w*|wider|"
    r"narrower|better|best|worse|worst|before|after|ris\w+|fall\w*|climb\w*|up|down|inside|outside|within|near\w*|far|"
    r"first|last|twice|half|same|all|every|any|some|no|not|none|never|neither|both|too|only)\b",
    re.I,
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=[-*|#])")

NUMBER_OF = "lambda v: int(v) if hasattr(type(v), '__index__') else float(format(v, '.9g'))"  # in the kernel
TRUTH_OF = "lambda v: int(bool(v))"

Replies = Mapping[str, Mapping[str, Any]]


class BindingError(Exception):
    """A mark cannot be read or does not hold; the message says what is wrong and what to do."""


@dataclass(frozen=True)
class Mark:
    """A mark, the place of the number in front of it, and the sentence that it stands behind."""

    kind: str
    expression: str
    start: int
    end: int
    text: str
    percent: str
    is_maths: bool
    line: int
    whole: str
    sentence: str

    def where(self, place: str) -> str:
        """Name the mark's line within a place such as `ece.ipynb: cell 4`."""
        return f"{place}, line {self.line}: {self.whole}"

    def fail(self, place: str, what: str, remedy: str) -> BindingError:
        """Say what is wrong with this mark, with the sentence that it backs."""
        return BindingError(f"{self.where(place)} {what} (behind «{self.sentence}»); {remedy}")


@cache
def find(source: str, place: str = "the text") -> tuple[Mark, ...]:
    """Find the marks of a Markdown text, in order; refuse one that cannot be read, with its place."""
    return tuple(read(source, place))


def read(source: str, place: str) -> Iterator[Mark]:
    """Read one mark after the other."""
    for match in MARK.finditer(source):
        before = source[: match.start()]
        number = NUMBER.search(before, max(len(before) - LONGEST, 0)) if match["kind"] == "=" else None
        start, end = number.span("digits") if number else (match.start(), match.start())
        percent = (number["percent"] or "") if number else ""
        plain = COMMENT.sub("", before).strip()
        mark = Mark(
            kind=match["kind"],
            expression=match["expression"],
            start=start,
            end=end + len(percent),
            text=source[start : end + len(percent)],
            percent=percent,
            is_maths=bool(number and "$" in number["behind"]),
            line=before.count("\n") + 1,
            whole=match[0],
            sentence=" ".join(SENTENCE_END.split(plain)[-1].split()),
        )
        if fault := misplaced(mark, source, match) or unreadable(mark):
            raise mark.fail(place, *fault)
        yield mark


def misplaced(mark: Mark, source: str, match: re.Match[str]) -> tuple[str, str] | None:
    """Say why Markdown would not hide this mark, or why there is no number that it could give."""
    first = source.rfind("\n", 0, match.start()) + 1
    line, _, below = source[first:].partition("\n")
    bare = COMMENT.sub("", line).strip()
    if "\n" in mark.whole:
        return "runs over a line's end", "write it in one line, or give the value a name in a cell above"
    if "--" in mark.expression or mark.expression.endswith("-"):
        return "holds --, which ends a comment", "give the value a name in a cell above"
    if line.startswith("|") and "|" in mark.expression:
        return "holds |, which ends a table's cell", "give the value a name in a cell above"
    if line.startswith("#"):
        return "stands in a heading", "say the number in a sentence"
    before, after = source[: match.start()].rpartition("\n\n")[2], source[match.end() :].partition("\n\n")[0]
    around = [re.sub(r"<!--.*?-->|`{3,}", "", part) for part in (before, after)]
    if any(all(part.count(sign) % 2 for part in around) for sign in "$`"):
        return "stands inside maths or code, where it would show", "put it behind the sign that closes them"
    follows = bool(bare) or bool(re.match(r"\s*(?!<!--)\S", below.partition("\n")[0]))
    if line.lstrip().startswith("<!--") and follows:
        return "begins a line, which cuts the paragraph", "put it behind the words that it belongs to"
    if mark.kind == "=" and not mark.text:
        return "has no number in front of it", "write one, such as 0: make notebooks puts the right one there"
    return None


def unreadable(mark: Mark) -> tuple[str, str] | None:
    """Say why Python cannot read the expression."""
    try:
        tree = ast.parse(question(mark), mode="eval")
    except SyntaxError as error:
        return f"is no expression of Python: {error.msg}", "correct it"
    if mark.kind == "=" and len(getattr(tree.body, "values", [])) != 1:
        return "is no single expression", "write a name or a call, a colon and a format"
    return None


def question(mark: Mark) -> str:
    """Expression that the kernel evaluates for a mark."""
    return f'f"""{{{mark.expression}}}"""' if mark.kind == "=" else f"({mark.expression})"


def value_of(mark: Mark) -> str:
    """Expression behind a mark, without its format."""
    return mark.expression.strip() if mark.kind != "=" else ast.unparse(field(mark).value)


def field(mark: Mark) -> ast.FormattedValue:
    """Read the replacement field of a number's mark."""
    body = ast.parse(question(mark), mode="eval").body
    assert isinstance(body, ast.JoinedStr) and isinstance(body.values[0], ast.FormattedValue)
    return body.values[0]


def values(marks: Sequence[Mark], replies: Replies) -> dict[str, float]:
    """Value behind each mark, as far as it is a number or true, by its expression."""
    asked = {value_of(mark): replies[f"{number} value"] for number, mark in enumerate(marks)}
    return {key: ast.literal_eval(shown(reply)) for key, reply in asked.items() if reply["status"] == "ok"}


def settled(new: Mapping[str, float], old: Mapping[str, float]) -> dict[str, float]:
    """Keep an old value where the new one differs by rounding alone."""
    return {
        key: old[key] if key in old and math.isclose(value, old[key], rel_tol=SETTLED) else value
        for key, value in new.items()
    }


def formatted(value: float, mark: Mark) -> str | None:
    """Text in front of a mark whose value is known, empty for a claim; None where rounding decides it."""
    if mark.kind != "=":
        return ""
    spec = field(mark).format_spec
    about = [value] if isinstance(value, int) else [value * (1 + step) for step in (-SETTLED, 0, SETTLED)]
    texts = {written(format(one, ast.unparse(spec)[2:-1] if spec else ""), mark) for one in about}
    return texts.pop() if len(texts) == 1 else None


def sides(expression: str) -> list[str]:
    """Both sides of each comparison in an expression, constants left out."""
    found: list[str] = []
    for node in ast.walk(ast.parse(expression.strip(), mode="eval")):
        if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp | ast.Lambda):
            return []  # its names mean something only inside
        if isinstance(node, ast.Compare):
            parts = (part for part in (node.left, *node.comparators) if not isinstance(part, ast.Constant))
            found += [ast.unparse(part) for part in parts]
    return found


def questions(marks: Sequence[Mark]) -> dict[str, str]:
    """Ask for each mark twice, since a value drawn at random binds nothing, and for the sides of a claim."""
    asked = {}
    for number, mark in enumerate(marks):
        asked[f"{number}"] = asked[f"{number} again"] = question(mark)
        asked[f"{number} value"] = f"({NUMBER_OF if mark.kind == '=' else TRUTH_OF})({value_of(mark)})"
        if mark.kind != "=":
            asked |= {f"{number} {side}": f"str({side})" for side in sides(mark.expression)}
    return asked


def settle(marks: Sequence[Mark], replies: Replies, place: str) -> tuple[list[str], list[str]]:
    """Text that belongs in front of each mark now, and what is wrong with those that have none."""
    texts, problems = [], []
    for number, mark in enumerate(marks):
        try:
            texts.append(answer(mark, str(number), replies, place))
        except BindingError as problem:
            texts.append(mark.text)
            problems.append(str(problem))
    return texts, problems


def answer(mark: Mark, key: str, replies: Replies, place: str) -> str:
    """Text that belongs in front of a mark: none for a claim that holds."""
    reply = replies[key]
    if reply["status"] != "ok":
        what = f"fails: {reply['ename']}: {reply['evalue']}"
        raise mark.fail(place, what, "correct it; it sees the code cells above")
    value, again = shown(reply), shown(replies[f"{key} again"])
    if value != again:
        raise mark.fail(place, f"gives {value}, then {again}", "bind a value that a cell above has computed")
    if mark.kind == "=":
        text = ast.literal_eval(value)
        if not VALUE.fullmatch(text):
            raise mark.fail(place, f"gives {text!r}, which is no number", "give it a format, such as :.3f")
        return written(text, mark)
    if value in {"True", "np.True_"}:
        return ""
    read = {side: replies[f"{key} {side}"] for side in sides(mark.expression)}
    told = [f"{side} = {ast.literal_eval(shown(r))}" for side, r in read.items() if r["status"] == "ok"]
    if value in {"False", "np.False_"}:
        what = ": ".join(["is false", *filter(None, [", ".join(told)])])
        raise mark.fail(place, what, "correct the sentence, or the claim")
    raise mark.fail(place, f"is {value}, neither true nor false", "compare, or ask all() or any()")


def shown(reply: Mapping[str, Any]) -> str:
    """Representation of a value that the kernel sent."""
    return str(reply["data"]["text/plain"] if reply["status"] == "ok" else reply["ename"])


def written(value: str, mark: Mark) -> str:
    """Write a formatted value as the book does: 10 000, 12.5 %, and LaTeX inside maths."""
    space = r"\," if mark.is_maths else " "
    percent = mark.percent
    if value.endswith("%"):
        value, percent = value[:-1], rf"{space}\%" if mark.is_maths else " %"
    if mark.is_maths:
        value = re.sub(r"e([-+]?\d+)$", lambda power: rf" \times 10^{{{int(power[1])}}}", value)
    return value.replace("_", space) + percent


def write(source: str, marks: Sequence[Mark], texts: list[str]) -> str:
    """Put each text in front of its mark."""
    for mark, text in reversed(list(zip(marks, texts, strict=True))):
        source = source[: mark.start] + text + source[mark.end :]
    return source


def digest(marks: Sequence[Mark]) -> str:
    """Digest of a cell's marks, the numbers in front of them, and the words by which a claim compares."""
    held = []
    for mark in marks:
        words = COMPARES.findall(mark.sentence.lower()) if mark.kind != "=" else []
        held += [mark.text, mark.kind + mark.expression, *words]
    return hashlib.sha256("\0".join(held).encode()).hexdigest()[:12]


def without_bound(source: str) -> str:
    """Put spaces in the place of the numbers that marks give: what is left is bound to nothing."""
    for mark in reversed(find(source)):
        blank = " " * (mark.end - mark.start)
        source = source[: mark.start] + blank + source[mark.end :]
    return source
