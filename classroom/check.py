"""Before handing in: run a notebook as it will be graded, and say what would not run there.

It knows no hidden case: it reads the outcome of the checks that the notebook itself holds.
"""

from __future__ import annotations

from pathlib import Path

from nbformat import NotebookNode

from classroom.grading import ANSWER_IN_WORDS, Refused, read
from classroom.run import Judge, Outcome, run
from classroom.sandbox import working_sandbox
from classroom.submission import Limits


def check(path: Path, limits: Limits) -> str:
    """Run a notebook in a fresh kernel under the grader's limits; tell what it does there."""
    try:
        notebook = read(path)
    except (OSError, Refused) as reason:
        raise SystemExit(f"check: {path}: {reason}") from None
    outcome = run(notebook, limits, working_sandbox(), [], Judge("", "", "", {}))
    names = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in notebook.cells]
    lines = [told for position, name in enumerate(names) if (told := of_cell(outcome, position, name))]
    lines += [f"cell {position}: not answered" for position in empty_texts(notebook)]
    tests = [position for position, name in enumerate(names) if name.startswith("test-")]
    ran = [position for position in tests if position in outcome.outputs]
    passed = [position for position in ran if not failure(outcome, position)]
    lines += [f"the run ended early: {outcome.stopped}"] if outcome.stopped else []
    lines += [f"STUDENT_ID is {outcome.signed!r}" if outcome.signed else "STUDENT_ID is missing"]
    lines += [f"{len(passed)} of {len(tests)} visible checks pass"]
    return "\n".join(f"check: {line}" for line in lines)


def empty_texts(notebook: NotebookNode) -> list[int]:
    """Find the answers in words that are still as the sheet has them; return the numbers of their cells."""
    return [number for number, cell in enumerate(notebook.cells, start=1) if cell.source == ANSWER_IN_WORDS]


def failure(outcome: Outcome, position: int) -> str:
    """Return the first error of a cell in a line; nothing where there is none."""
    for output in outcome.outputs.get(position, []):
        if output["output_type"] == "error":
            return f"{output['ename']}: {output['evalue']}".splitlines()[0]
    return ""


def of_cell(outcome: Outcome, position: int, name: str) -> str:
    """Say what is wrong with a cell."""
    failed = failure(outcome, position)
    if not failed:
        return ""
    if failed.startswith("NotImplementedError"):
        return f"{name.removeprefix('test-') or f'cell {position + 1}'}: not answered"
    return f"{name or f'cell {position + 1}'}: {failed}"
