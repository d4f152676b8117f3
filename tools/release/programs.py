#!/usr/bin/env python3
"""Run the programs of the pages "Use it" that need libraries which the lock does not hold.

    tools/release/programs.py [NAME...]    run them, and write what they print beside them

It runs in the environment of `make check-integrations`, whose test compares what they print with what is
written. The digits of a trained network depend on the processor, so that numbers agree within a tolerance.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "book/use/programs"
SIGNED = Path(__file__).with_suffix(".json")  # each program and its output, as they were last run
COMMENT = re.compile(r"\s*#\s.*")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-\d+)?")


def programs() -> list[Path]:
    """Every program, in a fixed order."""
    return sorted(FOLDER.glob("*.py"))


def output(program: Path) -> str:
    """Run a program in an empty folder, as a reader does, and return what it prints."""
    calm = {"OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "error::DeprecationWarning:__main__", str(program)]
        done = subprocess.run(command, cwd=folder, env=os.environ | calm, capture_output=True, text=True)
        left = os.listdir(folder)
    if done.returncode or left:
        raise RuntimeError(f"{program.name} leaves {left} and ends with\n{done.stderr}")
    return done.stdout


def agree(found: str, written: str) -> bool:
    """Tell whether two outputs have the same words, and numbers that are about the same."""
    if NUMBER.sub("0", found) != NUMBER.sub("0", written):
        return False
    pairs = zip(NUMBER.findall(found), NUMBER.findall(written), strict=True)
    return all(abs(float(a) - float(b)) <= max(0.02, 0.1 * abs(float(b))) for a, b in pairs)


def signature(program: Path) -> str:
    """Digest of a program's lines without comments, and of what is written that it prints."""
    lines = COMMENT.sub("", program.read_text(encoding="utf-8")).splitlines()
    code = [line for line in lines if line.strip()]
    written = program.with_suffix(".txt").read_text(encoding="utf-8")
    return hashlib.sha256("\n".join([*code, written]).encode()).hexdigest()[:16]


if __name__ == "__main__":
    signed = json.loads(SIGNED.read_text(encoding="utf-8"))
    for each in programs():
        if not sys.argv[1:] or each.stem in sys.argv[1:]:
            each.with_suffix(".txt").write_text(output(each), encoding="utf-8")
            signed[each.stem] = signature(each)
            print(each.name)
    SIGNED.write_text(json.dumps(signed, indent=1, sort_keys=True) + "\n", encoding="utf-8")
