"""Experiments: the code that wrote a table of the course is the code that stands there."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from tools.experiments.running import TABLES, code_of

from .problem import Problem


def check(root: Path) -> Iterator[Problem]:
    """Problems with experiments that changed behind their tables, or whose tables nobody signs."""
    tables = json.loads((root / TABLES).read_text("utf-8"))
    for table, entry in tables.items():
        name = entry["experiment"]
        if code_of(name, root) != entry["code"]:
            remedy = f"run python -m tools.experiments.{name}, as it says; a change that alters no number: "
            remedy += f"python -m tools.experiments.running {table}"
            yield Problem(f"tools/experiments/{name}.py", "the code", f"it changed behind {table}", remedy)
    signed = {entry["experiment"] for entry in tables.values()}
    for file in sorted((root / "tools/experiments").glob("*.py")):
        text = file.read_text("utf-8")
        writes = "experiments.running import" in text and re.search(r"\b(write_table|tabulate)\(", text)
        if writes and file.stem not in signed:
            what, remedy = "no table is known to be its own", f"add it to {TABLES}, and run it"
            yield Problem(f"tools/experiments/{file.name}", "the table", what, remedy)
