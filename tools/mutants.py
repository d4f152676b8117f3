#!/usr/bin/env python3
"""Change the companion in thousands of small ways, one at a time, and count the changes that tests notice.

    tools/mutants.py            begin anew, then report
    tools/mutants.py --report   report on what the last run found

The work happens in copies under `mutants/`. `tests/survivors.md` keeps the changes that no test notices, with
the reasons. The settings stand in `pyproject.toml`; `mutmut show NAME` shows a single change.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MUTMUT = Path(sys.executable).with_name("mutmut")
LEAST = 0.9  # share of the changes that the tests have to notice
NOTICED = {"killed", "timeout", "segfault"}


def mutmut(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run mutmut, with the same examples of every property in each run."""
    environment = {**os.environ, "CI": "1"}
    return subprocess.run([MUTMUT, *arguments], cwd=ROOT, env=environment, text=True, check=True)


def outcomes() -> dict[str, dict[str, str]]:
    """Fate of each change, by module."""
    command = [MUTMUT, "results", "--all", "true"]
    listed = subprocess.run(command, cwd=ROOT, text=True, check=True, capture_output=True).stdout
    fates: dict[str, dict[str, str]] = defaultdict(dict)
    for line in listed.splitlines():
        name, _, fate = line.strip().rpartition(": ")
        module = name.rpartition(".")[0].removeprefix("calibration_lessons.")
        fates[module][name] = fate
    return fates


def report() -> bool:
    """Print the survivors and the rate of each module; tell whether the rate of all suffices."""
    fates = outcomes()
    for module in sorted(fates):
        for name, fate in fates[module].items():
            if fate not in NOTICED:
                print(f"{fate}: {name}")
    total = noticed = 0
    for module in sorted(fates):
        caught = sum(fate in NOTICED for fate in fates[module].values())
        print(f"{caught / len(fates[module]):7.1%}  {caught:5} of {len(fates[module]):5}  {module}")
        total, noticed = total + len(fates[module]), noticed + caught
    print(f"{noticed / total:7.1%}  {noticed:5} of {total:5}  all modules; expected at least {LEAST:.0%}")
    return noticed >= LEAST * total


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--report", action="store_true", help="report on what the last run found")
    if not parser.parse_args().report:
        shutil.rmtree(ROOT / "mutants", ignore_errors=True)
        mutmut("run")
    return 0 if report() else 1


if __name__ == "__main__":
    sys.exit(main())
