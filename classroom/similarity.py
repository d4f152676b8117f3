"""Whose answers are alike, and like the public solution: for a person to look at, never a proof.

Answers are compared as sequences of tokens without comments, layout and the names that were chosen in
them: renaming and reformatting change nothing. rapidfuzz counts what has to be inserted and deleted to turn
one into the other. Short answers to a clear question are alike by themselves, so a pair stands out only
against the rest of its class.
"""

import ast
import re
from itertools import combinations
from pathlib import Path

import nbformat
import numpy as np
from rapidfuzz.distance import Indel

from classroom import roster
from classroom.course import Course
from classroom.platforms import write_table

PUBLIC = "the public solution"
SHORTEST = 70  # tokens, some five lines; what is shorter can hardly be written otherwise
STANDS_OUT, SAME = 3.0, 0.98
LONGEST = 2000  # tokens of an answer that are compared
MOST = 20  # lines on the screen
HEADINGS = ["one", "other", "alike", "long answers that are the same, and not the public solution's"]

Tokens = tuple[str, ...]


def tokens(source: str) -> Tokens:
    r"""Write an answer as words and signs, without comments, with names by the order in which they appear.

    >>> tokens("def f(x):\n    return x + 1  # one") == tokens("def g(value): return value+1")
    True
    """
    try:
        tree = ast.parse(source)
        order: dict[str, str] = {}  # of the names that the answer chooses itself
        for node in ast.walk(tree):
            match node:
                case (
                    ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name)
                    | ast.FunctionDef(name=name) | ast.ClassDef(name=name)
                ):  # fmt: skip
                    order.setdefault(name, f"name{len(order)}")
        for node in ast.walk(tree):
            for key in {"id", "arg", "name"} & {*node._fields}:
                setattr(node, key, order.get(getattr(node, key), getattr(node, key)))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value = ast.Constant(...)  # a docstring
        return tuple(re.findall(r"\w+|\S", ast.unparse(tree)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return tuple(source.split())


def answers(path: Path) -> dict[str, Tokens]:
    """Read a notebook's answers in code by their names."""
    found = {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code" and (about := cell.metadata.get("nbgrader")):
            found[about["grade_id"]] = tokens(cell.source)[:LONGEST]
    return found


def alike(one: dict[str, Tokens], other: dict[str, Tokens], asked: list[str]) -> tuple[float, list[str]]:
    """Compare two notebooks, the longer answers counting more; name the long answers that are the same."""
    shared, whole, same = 0.0, 0, []
    for name in asked:
        pair = one.get(name, ()), other.get(name, ())
        size = len(pair[0]) + len(pair[1])
        if all(pair):
            likeness = Indel.normalized_similarity(*pair)
            shared, whole = shared + likeness * size, whole + size
            if likeness >= SAME and size >= 2 * SHORTEST:
                same.append(name)
    return (shared / whole if whole else 0.0), same


def similar(course: Course, name: str) -> str:
    """Compare every pair and write a table; tell the pairs that stand out from their class."""
    blank = answers(course.folder / "release" / name / f"{name}.ipynb")
    solved = answers(course.sources / name / f"{name}.ipynb")
    public = {key: text for key, text in solved.items() if text != blank.get(key)}
    by_student = {}
    for record in roster.records(course, name):
        if record.points is not None:
            coded = answers(course.place("autograded", record.student, name))
            mine = {key: text for key, text in coded.items() if text != blank.get(key)}
            mine |= {letter: tuple(text.split()[:LONGEST]) for letter, text in record.letters.items()}
            by_student[record.student] = mine
    if not by_student:
        raise SystemExit(f"similar: nobody has a grade in {name}; grade first")
    asked = sorted({question for mine in by_student.values() for question in mine} - {"student"})
    known = {student: alike(mine, public, asked) for student, mine in by_student.items()}
    pairs = []
    for one, other in combinations(by_student, 2):
        likeness, same = alike(by_student[one], by_student[other], asked)
        copied = set(known[one][1]) & set(known[other][1])  # what both have from the public solution
        pairs.append((one, other, likeness, [question for question in same if question not in copied]))
    found = np.array([likeness for *_, likeness, _ in pairs] or [0.0])
    typical = np.median(found)
    least = typical + STANDS_OUT * max(0.02, 1.4826 * np.median(np.abs(found - typical)))  # robust spread
    target = course.folder / f"similar-{name}.csv"
    lines = [(student, PUBLIC, *one) for student, one in known.items()]
    lines = sorted([*lines, *pairs], key=lambda line: (-len(line[3]), -line[2]))
    rows = [[one, other, f"{likeness:.2f}", " ".join(same)] for one, other, likeness, same in lines]
    write_table([HEADINGS, *rows], target)
    out = [line for line in lines if line[3] or (line in pairs and line[2] > least)]
    shown = [
        f"similar: {one} and {other}: {likeness:.2f}" + (f"; the same: {', '.join(same)}" if same else "")
        for one, other, likeness, same in out[:MOST]
    ]
    whole = f"{len(pairs)} pairs of {len(by_student)} students, half of them above {typical:.2f}"
    return "\n".join([*shown, f"similar: {whole}; all in {target}"])
