"""Change the right answers of a problem set at random, and list the changes that lose no points.

    python tools/mutation/slips.py measures 300

Each change swaps an operator, a constant, a comparison, an axis or a name, takes one variable for another, or
leaves a part or a statement out. It survives where the inputs of one of three students let it pass; worked
out by hand, where it gives all three the right numbers. What survives is either the same answer in other
words, and then `slips.toml` says why, or a slip that the set's `checks.py` should hear of: the first
are counted, the second listed.
"""

import ast
import os
import random
import signal
import sys
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbformat
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from classroom import cases  # noqa: E402

STUDENTS = ["ada", "100000", "Zoë"]
SECONDS = 20
"""How long the calls of a change may take for one student."""
SWAPS: dict[type, list[type]] = {
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div, ast.Add], ast.Div: [ast.Mult],
    ast.Pow: [ast.Mult], ast.Lt: [ast.LtE, ast.Gt], ast.LtE: [ast.Lt, ast.GtE], ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE], ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.And: [ast.Or],
    ast.Or: [ast.And],
}  # fmt: skip
NAMES = {
    "mean": "sum", "sum": "mean", "max": "min", "min": "max", "argmax": "argmin", "argmin": "argmax",
    "log": "log2", "log2": "log", "exp": "expm1", "abs": "sum", "zeros": "ones", "ones": "zeros",
    "maximum": "minimum", "sqrt": "abs", "left": "right", "stable": "quicksort",
}  # fmt: skip
SAME = {"np.asarray", "float", "bool"}
"""What changes nothing about the plain data that comes and goes."""


def remains(value: ast.AST) -> list[ast.AST]:
    """Say what remains of an expression when something is left out."""
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    if isinstance(value, ast.Subscript):
        return [value.value]
    if isinstance(value, ast.Call) and ast.unparse(value.func) not in SAME:
        return value.args[:1] + ([value.func.value] if isinstance(value.func, ast.Attribute) else [])
    return []


def variables(tree: ast.Module) -> list[str]:
    """Name the arguments and variables of a function."""
    stored = [
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return sorted({node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} | set(stored))


def changes(tree: ast.Module) -> Iterator[tuple[ast.AST, str, object]]:
    """List what can be changed: a node, its field, the new value."""
    known = variables(tree)
    axes = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "axis"]
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for kind in SWAPS.get(type(value), []):
                yield node, field, kind()
            if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
                yield from ((node, field, part) for part in remains(value))
            if field == "ops":
                yield from ((node, field, [kind()]) for kind in SWAPS.get(type(value[0]), []))
            if field == "body" and isinstance(value, list) and len(value) > 1:
                yield from ((node, field, value[:i] + value[i + 1 :]) for i in range(len(value) - 1))
        if isinstance(node, ast.keyword) and node.arg == "axis":
            yield node, "value", ast.Constant(0 if ast.literal_eval(node.value) else 1)
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node not in axes:
            yield from ((node, "value", new) for new in (node.value + 1, node.value - 1, -node.value))
        if isinstance(node, ast.Constant) and type(node.value) is bool:
            yield node, "value", not node.value
        if isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield node, "attr", NAMES[node.attr]
        if isinstance(node, ast.Constant) and node.value in NAMES:
            yield node, "value", NAMES[node.value]
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in known:
            yield from ((node, "id", name) for name in known if name != node.id)
        if isinstance(node, ast.If | ast.IfExp):
            yield node, "test", ast.UnaryOp(ast.Not(), node.test)
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
            for i in range(len(node.elts) - 1):
                yield node, "elts", [*node.elts[:i], node.elts[i + 1], node.elts[i], *node.elts[i + 2 :]]
        if isinstance(node, ast.Call):
            for i in range(len(node.keywords)):
                yield node, "keywords", node.keywords[:i] + node.keywords[i + 1 :]
        if isinstance(node, ast.Call) and len(node.args) > 1:
            yield node, "args", [node.args[1], node.args[0], *node.args[2:]]


def changed_sources(source: str) -> list[str]:
    """Write every change of a function's source, each once."""
    tree = ast.parse(source)
    texts = {}
    for node, field, value in list(changes(tree)):
        before = getattr(node, field)
        setattr(node, field, value)
        texts[ast.unparse(tree)] = None
        setattr(node, field, before)
    return [text for text in texts if text != ast.unparse(tree)]


class Set:
    """The questions of a problem set, with the inputs of some students."""

    def __init__(self, folder: Path) -> None:
        sheet = nbformat.read(folder / f"{folder.name}.ipynb", as_version=4).cells
        about = [(cell, cell.metadata.get("nbgrader", {})) for cell in sheet if cell.cell_type == "code"]
        locked = {of["grade_id"]: cell.source for cell, of in about if of.get("locked") and not of["grade"]}
        self.own = [cases.own_numbers(locked, student) for student in STUDENTS]
        asked = cases.questions(folder / "checks.py").values()
        self.asked = [question for question in asked if not isinstance(question, cases.Words)]
        self.drawn: dict[tuple[str, int], list[cases.Prepared]] = {}  # of a question for a student

    def survives(self, question: cases.Question | cases.ByHand, text: str) -> bool:
        """Tell whether a changed answer earns all points."""
        names = dict(question.right.__globals__)
        try:
            exec(compile(text, "<change>", "exec"), names)
        except Exception:
            return False
        function = names[question.right.__name__]
        passed = (self.earns_all(question, function, number) for number in range(len(STUDENTS)))
        return any(passed) if isinstance(question, cases.Question) else all(passed)

    def earns_all(self, question: cases.Question | cases.ByHand, function: object, number: int) -> bool:
        """Tell whether a function earns all points from a student's inputs."""
        assert callable(function)
        own = self.own[number]
        place = question.name, number
        if isinstance(question, cases.Question) and place not in self.drawn:
            self.drawn[place] = question.draw_cases([1, number, cases.seeding(question.name)], own)
        signal.alarm(SECONDS)
        try:
            if isinstance(question, cases.Question):
                return question.passes(function, self.drawn[place])
            found, right = question.numbers(function, own), question.numbers(question.right, own)
            return all(cases.same(found.get(k), right[k], question.rtol, question.atol) for k in right)
        except Exception:
            return False
        finally:
            signal.alarm(0)


def too_long(*_: object) -> None:
    """Stop a change that runs without an end."""
    raise TimeoutError


def surviving(name: str, number: int, seed: int = 0) -> tuple[int, list[tuple[str, str]]]:
    """Try changes of a set; return how many, and the survivors: the question and the changed lines."""
    signal.signal(signal.SIGALRM, too_long)
    problems = Set(ROOT / "assignments" / "source" / name)
    tried = [(q, text) for q in problems.asked for text in changed_sources(cases.source_of(q.right))]
    random.Random(seed).shuffle(tried)
    found = []
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        for question, text in tried[:number]:
            if problems.survives(question, text):
                old = ast.unparse(ast.parse(cases.source_of(question.right))).splitlines()
                found.append((question.name, difference(old, text.splitlines())))
    return min(number, len(tried)), found


def difference(old: list[str], new: list[str]) -> str:
    """Write the lines that a change made, or took away."""
    made = [line.strip() for line in new if line not in old]
    gone = [f"without {line.strip()}" for line in old if line not in new]
    return " | ".join(made or gone)


def answered(name: str) -> set[tuple[str, str]]:
    """Read which changes give the same answer."""
    known = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).get(name, {})
    return {
        (question, change)
        for question, reasons in known.items()
        for same in reasons.values()
        for change in same
    }


def main(name: str, number: int) -> None:
    """Try changes of every question, and print the survivors that nobody has answered."""
    tried, found = surviving(name, number)
    unanswered = [one for one in found if one not in answered(name)]
    for question, change in sorted(unanswered):
        print(f"{question}: {change}")
    print(f"slips: {name}: {tried} changes, {len(found)} lose no points, {len(unanswered)} without an answer")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300)
