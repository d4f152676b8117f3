#!/usr/bin/env python3
"""Change the companion in small ways, one at a time, and count the changes that the tests notice.

    tools/mutation/mutants.py                         try a sample of each module
    tools/mutation/mutants.py measures.ece plots      of these modules alone; what was found of others stays
    tools/mutation/mutants.py --go-on                 try what an interrupted run has left

mutmut makes the changes and tries them, in copies under `mutants/`; its settings stand in `pyproject.toml`.
It tries all or those named, which for all takes a day: hence the sample, the same in each run.
`mutmut show NAME` shows a change.
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

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "mutants"
ALIKE = {"CI": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
LEAST = 0.9  # share of the changes that the tests have to notice


def mutmut(*names: str) -> None:
    """Run mutmut, with the same examples of every property in each run, and one thread a process."""
    command = [Path(sys.executable).with_name("mutmut"), "run", *names]
    subprocess.run(command, cwd=ROOT, env=os.environ | ALIKE, check=True)


def sample(modules: list[str], size: int) -> dict[str, dict[str, int | None]]:
    """Draw some changes of each module, and say how pytest ended on them; None where they were not tried."""
    found: dict[str, dict[str, int | None]] = defaultdict(dict)
    for file in sorted(FOLDER.rglob("*.meta")):
        for name, code in json.loads(file.read_text("utf-8"))["exit_code_by_key"].items():
            found[name.rpartition(".")[0].removeprefix("calibration_lessons.")][name] = code
    if unknown := set(modules) - set(found):
        sys.exit(f"no module {', '.join(sorted(unknown))}: expected some of {', '.join(sorted(found))}")
    drawn = {}
    for module in modules or sorted(found):
        names = sorted(found[module])
        random.Random(module).shuffle(names)
        drawn[module] = {name: found[module][name] for name in names[:size]}
    return drawn


def report(ended: dict[str, dict[str, int | None]]) -> bool:
    """Print the survivors and the rate of each module; tell whether all were tried and enough noticed."""
    seen = tried = 0
    for module, codes in ended.items():
        known = {name: code for name, code in codes.items() if code is not None}
        # 1 to 3: a test failed, or pytest did; below 0: a signal ended it, as it took too long or crashed
        unseen = [name for name, code in known.items() if code not in {1, 2, 3} and code >= 0]
        print("".join(f"not noticed: {name}\n" for name in unseen), end="")
        print(f"{module}: {len(known) - len(unseen)} noticed of {len(known)}, {len(codes)} drawn")
        seen, tried = seen + len(known) - len(unseen), tried + len(known)
    print(f"all: {seen} noticed of {tried}; expected at least {LEAST:.0%}")
    return seen >= LEAST * tried and tried == sum(map(len, ended.values()))


def main() -> int:
    """Draw, try and report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as measures.ece; all by default")
    parser.add_argument("--sample", type=int, default=300, help="changes of each module (default: 300)")
    parser.add_argument("--go-on", action="store_true", help="try what is not tried yet")
    asked = parser.parse_args()
    if not (asked.modules or asked.go_on):
        shutil.rmtree(FOLDER, ignore_errors=True)
    mutmut("calibration_lessons._version.*")  # makes all changes, and measures how long each test takes
    ended = sample(asked.modules, asked.sample)
    mutmut(*(n for codes in ended.values() for n, code in codes.items() if not asked.go_on or code is None))
    return 0 if report(sample(asked.modules, asked.sample)) else 1


if __name__ == "__main__":
    sys.exit(main())
