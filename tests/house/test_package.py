"""The package as others install it: pure Python, with its data, and with nothing that only the book needs."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel once, from a copy of the sources."""
    import shutil

    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "calibration_lessons", source / "calibration_lessons", ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    uv_build = [
        sys.executable,
        "-m",
        "uv",
        "build",
        "--quiet",
        "--offline",
        "--wheel",
        "--no-build-isolation",
    ]
    subprocess.run(
        [*uv_build, "--python", sys.executable, "-o", out, source], check=True, capture_output=True
    )
    return next(out.glob("*.whl"))


def test_the_wheel_is_pure_python_and_holds_its_data_and_types(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    data = {f"calibration_lessons/data/{path.name}" for path in (ROOT / "calibration_lessons/data").iterdir()}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "calibration_lessons").rglob("*.py")}
    assert held >= data | modules | {"calibration_lessons/py.typed"}
    assert not [name for name in held if name.startswith(("tests", "tools", "book"))]


def test_the_package_asks_only_for_what_it_imports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = {line.split(">")[0] for line in project["dependencies"]}
    assert needs == {"numpy", "scipy", "scikit-learn", "matplotlib"}


def test_importing_the_package_loads_no_figures_and_no_book():
    code = "import sys, calibration_lessons; print(*sorted(m for m in sys.modules if '.' not in m))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"matplotlib", "IPython", "sphinx", "dask", "hypothesis"} & set(loaded)


def test_submodules_are_loaded_at_their_first_use():
    code = (
        "import sys, calibration_lessons as cl; print('calibration_lessons.simulate' in sys.modules); "
        "print(*(m.__name__ for m in (cl.simulate, cl.datasets, cl.definitions, cl.plots))); "
        "print(hasattr(cl, 'elsewhere'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = [f"calibration_lessons.{name}" for name in ("simulate", "datasets", "definitions", "plots")]
    assert done.stdout.split() == ["False", *modules, "False"]


def test_nothing_committed_reads_what_a_users_machine_lacks():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("this is no git checkout")
    names = [n for n in tracked.stdout.splitlines() if (ROOT / n).is_file() and n != "requirements.txt"]
    texts = [
        n for n in names if n.endswith((".py", ".md", ".ipynb", ".yml", ".toml", ".in", "Makefile", "run"))
    ]
    outside = "../" + "shared"
    assert [n for n in texts if outside in (ROOT / n).read_text(encoding="utf-8")] == []
