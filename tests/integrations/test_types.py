"""A script of a user of PyTorch passes a strict type checker, and runs."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("user_script.py")


def test_pyright_passes_a_users_script_strictly(tmp_path):
    shutil.copy(SCRIPT, tmp_path)
    shutil.copytree(ROOT / "calibration_lessons", tmp_path / "calibration_lessons")
    settings = {"typeCheckingMode": "strict", "include": [SCRIPT.name]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_users_script_runs():
    subprocess.run([sys.executable, SCRIPT], check=True)
