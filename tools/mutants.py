#!/usr/bin/env python3
"""Change the companion in small ways, one at a time, and count the changes that the tests notice.

    tools/mutants.py                         try a sample of each module, drawn anew by the seed
    tools/mutants.py measures.ece plots      of these modules alone; what was found of others stays
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
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "mutants"
MUTMUT = Path(sys.executable).with_name("mutmut")
LEAST = 0.9  # share of the changes that the tests have to notice
# pytest is interrupted where a change breaks the import of a test.
NOTICED = {"killed", "timeout", "segfault", "check was interrupted by user"}


def mutmut(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run mutmut, with the same examples of every property in each run, and one thread a process."""
    environment = {**os.environ, "CI": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run([MUTMUT, *arguments], cwd=ROOT, env=environment, text=True, **options)


def fates(modules: list[str]) -> dict[str, dict[str, str]]:
    """Fate of each change, by module."""
    listed = mutmut("results", "--all", "true", check=True, capture_output=True).stdout
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for line in listed.splitlines():
        name, _, fate = line.strip().rpartition(": ")
        found[name.rpartition(".")[0].removeprefix("calibration_lessons.")][name] = fate
    if unknown := set(modules) - set(found):
        sys.exit(f"no module {', '.join(sorted(unknown))}: expected some of {', '.join(sorted(found))}")
    return {module: found[module] for module in sorted(modules or found)}


def sample(names: dict[str, str], module: str, size: int, seed: int) -> list[str]:
    """Draw a module's changes, whichever other modules are tried; a smaller draw is part of a larger one."""
    return random.Random(f"{seed} {module}").sample(sorted(names), len(names))[:size]


def prepare() -> None:
    """Make all changes, and measure how long each test takes, by trying the few changes of one module."""
    mutmut("run", "calibration_lessons._version.*", check=True)
    times = json.loads((FOLDER / "mutmut-stats.json").read_text("utf-8"))["duration_by_test"]
    (FOLDER / "durations.json").write_text(json.dumps(times), "utf-8")


def report(drawn: dict[str, list[str]], found: dict[str, dict[str, str]]) -> bool:
    """Print the survivors and the rate of each module; tell whether all were tried and enough noticed."""
    tried = {m: [n for n in names if found[m][n] != "not checked"] for m, names in drawn.items()}
    survivors = {m: [n for n in names if found[m][n] not in NOTICED] for m, names in tried.items()}
    for module, names in survivors.items():
        print(*(f"{found[module][name]}: {name}" for name in names), sep="\n", end="\n" if names else "")
    counts = [(m, len(tried[m]) - len(survivors[m]), len(tried[m]), len(drawn[m])) for m in drawn]
    total = [sum(column) for column in list(zip(*counts, strict=True))[1:]]
    print("noticed     of  drawn    rate  module")
    for module, noticed, of, out_of in [*counts, (f"all; expected at least {LEAST:.0%}", *total)]:
        print(f"{noticed:7} {of:6} {out_of:6} {noticed / max(of, 1):7.1%}  {module}")
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
    parser.add_argument("--report", action="store_true", help="report on what was found so far")
    asked = parser.parse_args()
    if not asked.report:
        if not asked.modules:
            shutil.rmtree(FOLDER, ignore_errors=True)
        prepare()
    found = fates(asked.modules)
    drawn = {module: sample(names, module, asked.sample, asked.seed) for module, names in found.items()}
    if not asked.report:
        names = [name for names in drawn.values() for name in names]
        mutmut("run", "--max-children", str(asked.max_children), *names, check=True)
        found = fates(asked.modules)
    return 0 if report(drawn, found) else 1


if __name__ == "__main__":
    sys.exit(main())
