"""Change the right answers of a problem set at random, and list the changes that lose no points.

    python tools/slips.py measures 300

Each change swaps an operator, a constant, a comparison, an axis or a name, or leaves a part out. What
survives is either the same answer in other words, or a slip that the set's `checks.py` should hear of.
"""

import ast
import copy
import random
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from classroom import cases  # noqa: E402

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


def parts(value: ast.AST) -> list[ast.AST]:
    """Say what remains of an expression when something is left out."""
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    if isinstance(value, ast.Subscript):
        return [value.value]
    if isinstance(value, ast.Call):
        return value.args[:1] + ([value.func.value] if isinstance(value.func, ast.Attribute) else [])
    return []


def changes(tree: ast.Module) -> Iterator[tuple[ast.AST, str, object]]:
    """List what can be changed: a node, its field, the new value."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for kind in SWAPS.get(type(value), []):
                yield node, field, kind()
            if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
                yield from ((node, field, part) for part in parts(value))
            if field == "ops":
                yield from ((node, field, [kind()]) for kind in SWAPS.get(type(value[0]), []))
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield from ((node, "value", new) for new in (node.value + 1, node.value - 1, -node.value))
        if isinstance(node, ast.Constant) and type(node.value) is bool:
            yield node, "value", not node.value
        if isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield node, "attr", NAMES[node.attr]
        if isinstance(node, ast.Constant) and node.value in NAMES:
            yield node, "value", NAMES[node.value]
        if isinstance(node, ast.Call) and node.keywords:
            yield node, "keywords", node.keywords[:-1]
        if isinstance(node, ast.Call) and len(node.args) > 1:
            yield node, "args", [node.args[1], node.args[0], *node.args[2:]]


def changed(source: str) -> Iterator[str]:
    """Write every change of a function's source."""
    tree = ast.parse(source)
    for number, _ in enumerate(changes(tree)):
        other = copy.deepcopy(tree)
        node, field, value = list(changes(other))[number]
        setattr(node, field, value)
        yield ast.unparse(ast.fix_missing_locations(other))


def survives(question: cases.Question | cases.ByHand, text: str, own: dict[str, object]) -> bool:
    """Tell whether a changed answer earns all points."""
    names = dict(question.right.__globals__)
    signal.alarm(20)
    try:
        exec(compile(text, "<change>", "exec"), names)
        function = names[question.right.__name__]
        if isinstance(question, cases.ByHand):
            found, right = question.numbers(function, own), question.numbers(question.right, own)
            return all(cases.same(found.get(k), right[k], question.rtol, question.atol) for k in right)
        return question.passes(function, question.prepared([1, 2, 3], own))
    except Exception:
        return False
    finally:
        signal.alarm(0)


def too_long(*_: object) -> None:
    """Stop a change that runs without an end."""
    raise TimeoutError


def main(name: str, number: int) -> None:
    """Try changes of every question, and print the survivors."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, too_long)
    folder = ROOT / "assignments" / "source" / name
    sheet = nbformat.read(folder / f"{name}.ipynb", as_version=4).cells
    about = [(cell, cell.metadata.get("nbgrader", {})) for cell in sheet if cell.cell_type == "code"]
    locked = {of["grade_id"]: cell.source for cell, of in about if of.get("locked") and not of["grade"]}
    own = cases.own_numbers(locked, "ada")
    asked = [q for q in cases.questions(folder / "checks.py").values() if not isinstance(q, cases.Words)]
    tried = [(q, text) for q in asked for text in changed(cases.source_of(q.right))]
    random.Random(0).shuffle(tried)
    survivors = 0
    for question, text in tried[:number]:
        if survives(question, text, own):
            survivors += 1
            old = ast.unparse(ast.parse(cases.source_of(question.right))).splitlines()
            new = [line for line in text.splitlines() if line not in old]
            print(f"{question.name}: {' | '.join(line.strip() for line in new)}")
    print(f"slips: {name}: {min(number, len(tried))} changes of {len(tried)}, {survivors} lose no points")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300)
