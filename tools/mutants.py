#!/usr/bin/env python3
"""Change the companion in small ways, one at a time, and count the changes that the tests notice.

    tools/mutants.py                         try a sample of each module, drawn anew by the seed
    tools/mutants.py measures.ece plots      of these modules alone; what was found of others stays
    tools/mutants.py --go-on                 try what an interrupted run has left
    tools/mutants.py --report                report on what was found so far

mutmut makes the changes and tries them, in copies under `mutants/`; its settings stand in `pyproject.toml`.
Printed are the changes that no test notices and the rate of each module. `mutmut show NAME` shows a change.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "mutants"
MUTMUT = Path(sys.executable).with_name("mutmut")
LEAST = 0.9  # share of the changes that the tests have to notice
UNNOTICED = {0: "survived", 33: "no tests"}  # by mutmut's record of how pytest ended


def mutmut(*arguments: str) -> None:
    """Run mutmut, with the same examples of every property in each run, and one thread a process."""
    environment = {**os.environ, "CI": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([MUTMUT, "run", *arguments], cwd=ROOT, env=environment, check=True)


def noticed(code: int) -> bool:
    """Tell whether a test failed, or pytest did, or a signal ended it: it took too long, or crashed."""
    return code < 0 or code in {1, 2, 3}


def endings(modules: list[str]) -> dict[str, dict[str, int | None]]:
    """How pytest ended on each change, by module; None where it was not tried."""
    found: dict[str, dict[str, int | None]] = defaultdict(dict)
    for file in FOLDER.rglob("*.meta"):
        for name, code in json.loads(file.read_text("utf-8"))["exit_code_by_key"].items():
            found[name.rpartition(".")[0].removeprefix("calibration_lessons.")][name] = code
    if unknown := set(modules) - set(found):
        sys.exit(f"no module {', '.join(sorted(unknown))}: expected some of {', '.join(sorted(found))}")
    return {module: found[module] for module in sorted(modules or found)}


def sample(names: Iterable[str], module: str, size: int, seed: int) -> list[str]:
    """Draw a module's changes, whichever other modules are tried; a smaller draw is part of a larger one."""
    everything = sorted(names)
    return random.Random(f"{seed} {module}").sample(everything, len(everything))[:size]


def report(drawn: dict[str, list[str]], ended: dict[str, dict[str, int | None]]) -> bool:
    """Print the survivors and the rate of each module; tell whether all were tried and enough noticed."""
    counts = []
    for module, names in drawn.items():
        tried = {name: code for name in names if (code := ended[module][name]) is not None}
        survivors = {name: code for name, code in tried.items() if not noticed(code)}
        for name, code in survivors.items():
            print(f"{UNNOTICED.get(code, f'pytest could not run, {code}')}: {name}")
        counts.append((module, len(tried) - len(survivors), len(tried), len(names)))
    total = [sum(column) for column in list(zip(*counts, strict=True))[1:]]
    print("noticed     of  drawn    rate  module")
    for module, seen, of, out_of in [*counts, (f"all; expected at least {LEAST:.0%}", *total)]:
        print(f"{seen:7} {of:6} {out_of:6} {seen / max(of, 1):7.1%}  {module}")
    return bool(total[1] == total[2] and total[0] >= LEAST * total[1])


def main() -> int:
    """Draw, try and report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as measures.ece; all by default")
    parser.add_argument("--sample", type=int, default=300, help="changes of each module (default: 300)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
    parser.add_argument("--max-children", type=int, default=os.cpu_count(), help="processes (default: cores)")
    parser.add_argument("--go-on", action="store_true", help="try what is not tried yet")
    parser.add_argument("--report", action="store_true", help="report on what was found so far")
    asked = parser.parse_args()
    if not asked.report:
        if not (asked.modules or asked.go_on):
            shutil.rmtree(FOLDER, ignore_errors=True)
        mutmut("calibration_lessons._version.*")  # makes all changes, and measures how long each test takes
    ended = endings(asked.modules)
    drawn = {module: sample(names, module, asked.sample, asked.seed) for module, names in ended.items()}
    if not asked.report:
        left = (n for m, names in drawn.items() for n in names if not asked.go_on or ended[m][n] is None)
        mutmut("--max-children", str(asked.max_children), *left)
    return 0 if report(drawn, endings(asked.modules)) else 1


if __name__ == "__main__":
    sys.exit(main())
