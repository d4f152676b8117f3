"""Before handing in: run a notebook as it will be graded, and say what would not run there.

It knows no hidden case: it reads the outcome of the checks that the notebook itself holds.
"""

import json
import re
from pathlib import Path
from typing import Any

from classroom.cases import Ask
from classroom.reading import ANSWER_IN_WORDS, LOST, Refused, read
from classroom.run import Examiner, Outcome, run
from classroom.sandbox import own_folder, working_sandbox
from classroom.submission import Limits

EMPTY = "NotImplementedError"
UNSIGNED = 'STUDENT_ID is missing: write STUDENT_ID = "your number", in quotes, in the cell that asks for it'
HINTS = {  # for errors whose own words do not say what to do
    ("NameError",): "nothing above defines it: misspelt, not imported, further down, or its cell failed",
    ("ModuleNotFoundError",): "not in the course's environment: do without it",
    ("FileNotFoundError", "PermissionError"): "graded in an empty folder: write the data into a cell",
    ("URLError", "ConnectionError", "gaierror", "ConnectionRefusedError"): "graded without a network",
    ("CellTimeoutError", "KeyboardInterrupt"): "took more than a minute and was stopped: does it end?",
    ("StdinNotImplementedError",): "nobody can type there: assign the value",
    ("MemoryError",): "graded with 3 GiB of memory",
    ("SystemExit",): "do not call exit",
}


def check(path: Path, limits: Limits) -> str:
    """Run a notebook in a fresh kernel under the grader's limits; tell what it does there."""
    if not path.is_file():
        raise SystemExit(f"check: {path} is no file; give the path of your notebook, as my/measures.ipynb")
    try:
        notebook = read(path)
    except Refused as reason:
        raise SystemExit(f"check: {path}: {reason}; hand in the .ipynb that Jupyter saved") from None
    if not any(cell.metadata.get("nbgrader") for cell in notebook.cells):
        raise SystemExit(f"check: {path}: holds no cell of a problem set{LOST}")
    names = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in notebook.cells]
    withheld = json.loads(path.read_bytes()).get("metadata", {}).get("withheld", {})
    with own_folder() as stubs:
        outcome = run(notebook, limits, working_sandbox(), Visible(names, withheld, str(stubs)))
    faults = [failure(outcome.outputs.get(position, [])) for position in range(len(names))]
    for name, verdicts in outcome.verdicts.items():  # as it is without what its question withholds
        faults[names.index(name)] = verdicts[0]["fault"]
    empty = {name for name, fault in zip(names, faults, strict=True) if fault.startswith(EMPTY)}
    lines: list[str] = []
    for place, (name, fault) in enumerate(zip(names, faults, strict=True), start=1):
        if fault.startswith(EMPTY):
            lines.append(f"{name.removeprefix('test-') or f'cell {place}'}: not answered")
        elif fault and name.removeprefix("test-") not in empty:
            hints = [f" ({said})" for kinds, said in HINTS.items() if fault.partition(":")[0] in kinds]
            lines.append(f"{name or f'cell {place}'}: {fault}{''.join(hints)}")
    texts = [place for place, cell in enumerate(notebook.cells, start=1) if cell.source == ANSWER_IN_WORDS]
    lines += [f"cell {place}, the answer in words: not answered" for place in texts]
    tests = [name.removeprefix("test-") for name in names if name.startswith("test-")]
    passed = [question for question in tests if not outcome.lost(question)]
    early = "what stands there and below earns nothing: mend that cell"
    lines += [f"the run ended early, {outcome.stopped}: {early}"] if outcome.stopped else []
    lines += [f"STUDENT_ID is {outcome.signed!r}" if outcome.signed else UNSIGNED]
    lines += [f"{len(passed)} of {len(tests)} visible checks pass"]
    return "\n".join(f"check: {line}" for line in dict.fromkeys(lines))


class Visible(Examiner):
    """Judges each question by the visible check that stands below its answer."""

    def __init__(self, names: list[str], withheld: dict[str, list[str]], stubs: str) -> None:
        super().__init__("", "", "", {}, stubs)
        asked = [name.removeprefix("test-") for name in names if name.startswith("test-")]
        self.withheld = {name: frozenset(withheld.get(name, ())) for name in asked}

    def __call__(self, name: str, ask: Ask, outcome: Outcome) -> None:
        """Note what the check of this name found."""
        self.sign(name, ask, outcome)
        if name.startswith("test-"):
            fault = failure(outcome.outputs[max(outcome.outputs)])
            outcome.verdicts[name] = [{"earned": not fault, "possible": 1, "fault": fault}]


def failure(outputs: list[dict[str, Any]]) -> str:
    """Return the first error of a cell in a line; nothing where there is none."""
    for output in outputs:
        if output["output_type"] == "error":
            said = ": ".join(filter(None, (output["ename"], *output["evalue"].splitlines()[:1])))
            return re.sub(r"\((<.*>|\w+\.py), line ", "(line ", said)
    return ""
