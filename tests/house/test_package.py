"""The package as others install it: small, typed, with its data, and nothing that only the book needs."""

import doctest
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from base64 import b64encode
from pathlib import Path

import pytest
import yaml

import calibration_lessons as cl
from tools.binding.pictures import look_the_same
from tools.release import rehearsal as release
from tools.site import before_after

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def python(code, *options):
    """Run code in a fresh Python, and return what it printed."""
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the sdist from the tracked files, and from it the wheel, as a release does."""
    os.environ["UV_OFFLINE"] = "1"
    try:
        source = release.prepare(ROOT, tmp_path_factory.mktemp("source"))
    except subprocess.CalledProcessError:
        pytest.skip("this is no git checkout")
    return release.build(source, tmp_path_factory.mktemp("dist"))


def test_the_wheel_is_pure_python_and_holds_its_data_and_types(built):
    assert built[1].name.endswith("-py3-none-any.whl")
    held = set(zipfile.ZipFile(built[1]).namelist())
    data = {path.relative_to(ROOT).as_posix() for path in (ROOT / "calibration_lessons/book/data").iterdir()}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "calibration_lessons").rglob("*.py")}
    assert held >= data | modules | {"calibration_lessons/py.typed"}
    assert not [name for name in held if name.startswith(("tests", "tools", "book"))]


def test_both_files_of_a_release_are_below_eight_megabytes(built):
    assert max(path.stat().st_size for path in built) < release.LIMIT


def test_the_sdist_holds_the_companions_tests_and_what_they_need(built):
    with tarfile.open(built[0]) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    folders = {path.parent.name for path in (ROOT / "calibration_lessons").glob("*/__init__.py")} - {"book"}
    tests = {p.relative_to(ROOT).as_posix() for f in folders for p in (ROOT / "tests" / f).rglob("*.py")}
    assert held >= tests | {"tests/conftest.py", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE"}
    assert not [name for name in held if name.startswith("book/")]
    tools = {
        f"tools/{room}/{name}.py"
        for test in held
        if test.startswith("tests/") and test.endswith(".py")
        for room, names in re.findall(r"(?m)^from tools\.(\w+) import (.+)", (ROOT / test).read_text("utf-8"))
        for name in names.split(", ")
    }
    assert tools and held >= tools


def test_other_versions_and_those_who_package_anew_run_the_same_tests():
    left_out = " ".join(PROJECT["tool"]["flit"]["sdist"]["exclude"][:2])
    assert f"$(filter-out {left_out},$(wildcard tests/test_*.py))" in (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.kernel
def test_a_test_of_the_unpacked_sdist_runs_without_the_rest_of_the_course(built, tmp_path):
    with tarfile.open(built[0]) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:nbval", "-p", "no:cacheprovider",
               "tests/book_wing/test_tables.py", "tests/measures/test_bins.py"]  # fmt: skip
    done = subprocess.run(command, cwd=unpacked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_package_asks_only_for_what_it_imports_and_sets_no_upper_limit():
    project = PROJECT["project"]
    assert {line.split(">")[0] for line in project["dependencies"]} == {"numpy", "scipy", "scikit-learn"}
    for line in [project["requires-python"], *project["dependencies"]]:
        assert not set("<~=!").intersection(line.replace(">=", "")), line


@pytest.mark.parametrize("versions", ["oldest", "between"])
def test_the_versions_that_are_tried_are_allowed_and_the_oldest_are_the_lowest_allowed(versions):
    text = (ROOT / f"tools/release/{versions}.requirements.txt").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([\w-]+)(?:\[.*\])?==([\d.]+)", text, re.M))
    extras = PROJECT["project"]["optional-dependencies"]
    for line in [*PROJECT["project"]["dependencies"], extras["plots"][0], *extras["scale"]]:
        name, lowest = re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", line).groups()
        pinned, least = ([int(part) for part in v.split(".")] for v in (pins[name], lowest))
        assert pinned >= least
        assert versions == "between" or pinned[: len(least)] == least, name


WITHOUT = """
import importlib.abc, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"matplotlib", "altair", "vl_convert", "dask", "distributed", "pandas"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
"""


def test_everything_but_figures_and_dask_works_with_numpy_scipy_and_scikit_learn_alone():
    code = WITHOUT + (
        "import pkgutil, importlib, calibration_lessons as cl\n"
        "refused = {}\n"
        "for info in pkgutil.walk_packages(cl.__path__, 'calibration_lessons.'):\n"
        "    try: importlib.import_module(info.name)\n"
        "    except ImportError as error: refused[info.name] = str(error)\n"
        "import json; print(json.dumps(refused))"
    )
    refused = json.loads(python(code))
    extras = PROJECT["project"]["optional-dependencies"]
    drawing = {name for name in refused if name.split(".")[1] == "plots"}
    drawing.add("calibration_lessons.book._vega")
    assert set(refused) == drawing | {"calibration_lessons.deployment.scale"}
    for name in {"calibration_lessons.plots", "calibration_lessons.deployment.scale"}:
        remedy = rf"{name} needs (\w+): pip install 'calibration-lessons\[(\w+)\]'"
        needed, extra = re.fullmatch(remedy, refused[name]).groups()
        assert any(line.startswith(needed) for line in extras[extra])


def test_importing_the_package_loads_no_figures_no_book_and_no_slow_part_of_scikit_learn():
    loaded = python("import sys, calibration_lessons; print(*sys.modules)").split()
    slow = {"matplotlib", "IPython", "sphinx", "dask", "hypothesis", "altair", "sklearn.model_selection"}
    assert "sklearn" in loaded and not slow & set(loaded)


LAZY = ("book", "book.datasets", "book.explorers", "plots", "deployment.scale")


def test_submodules_are_loaded_at_their_first_use_and_listed_before():
    code = (
        "import sys, operator, calibration_lessons as cl; before = set(sys.modules)\n"
        f"for name in {LAZY}:\n"
        "    owner = operator.attrgetter(name.rpartition('.')[0])(cl) if '.' in name else cl\n"
        "    print(name.rpartition('.')[2] in dir(owner), 'calibration_lessons.' + name in before,\n"
        "          operator.attrgetter(name)(cl).__name__)\n"
        "for module in (cl, cl.book, cl.deployment):\n"
        "    try: module.elsewhere\n"
        "    except AttributeError as error: print(error)"
    )
    modules = [f"calibration_lessons.{name}" for name in LAZY]
    owners = ("calibration_lessons", "calibration_lessons.book", "calibration_lessons.deployment")
    refusals = [f"module {owner!r} has no attribute 'elsewhere'" for owner in owners]
    assert python(code).splitlines() == [f"True False {module}" for module in modules] + refusals


def test_the_list_of_names_shows_nothing_that_is_not_ours():
    themes = {"book", "decisions", "deployment", "measures", "models", "plots", "uncertainty"}
    assert set(dir(cl)) == {*cl.__all__, *themes, "__version__"}
    assert len(cl.__all__) <= 35 and cl.__all__ == sorted(cl.__all__)
    assert [name for name in cl.__all__ if not hasattr(cl, name)] == []


def test_the_library_imports_nothing_of_the_books_wing():
    package = ROOT / "calibration_lessons"
    library = [path for path in package.rglob("*.py") if "book" not in path.relative_to(package).parts]
    wing = re.compile(r"^\s*from (?:\.+|calibration_lessons\.)book\b|^\s*from \.+ import .*\bbook\b", re.M)
    assert len(library) > 50
    found = [path.name for path in library if wing.search(path.read_text(encoding="utf-8"))]
    assert found == ["__init__.py"]  # the front page, which names the wing for type checkers alone


def test_the_examples_of_the_readme_give_what_it_shows():
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert result.attempted >= 5 and result.failed == 0


def test_the_readme_counts_the_jobs_as_they_were_measured():
    jobs = json.loads((ROOT / "book/reference/benchmarks.json").read_text(encoding="utf-8"))["jobs"]
    ratios = sorted(job["seconds"] / job["peer_seconds"] for job in jobs)
    faster = sum(ratio < 1 for ratio in ratios)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"in {faster} of the {len(jobs)} jobs measured it takes less time" in text
    assert faster == len(jobs) - 1 and 1.4 <= ratios[-1] <= 1.6, "one ECE takes half as long again"


def test_the_picture_of_the_readme_is_what_the_package_draws():
    kept, new = (b64encode(png).decode() for png in (before_after.PICTURE.read_bytes(), before_after.drawn()))
    assert look_the_same(kept, new), "make notebooks draws it"


def test_the_page_on_how_to_cite_says_what_the_citation_file_says():
    said = (ROOT / "book/reference/cite.md").read_text(encoding="utf-8")
    record = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    [author] = record["authors"]
    when = f" ({str(record['date-released'])[:4]})" if "date-released" in record else ""
    assert f"> {author['name']}{when}. *{record['title']}*, version {record['version']}.\n" in said
    fields = {"author": f"{{{author['name']}}}", "title": f"{{{record['title']}}}"}
    for name, value in (fields | {key: record[key] for key in ("version", "license")}).items():
        assert f"  {name} = {{{value}}},\n" in said


def test_the_changelog_names_the_version_and_what_is_to_come():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[?([^\]\s]+)", text, re.M)
    assert headings[0] == "Unreleased" or headings[0] == PROJECT["project"]["version"]
    assert PROJECT["project"]["version"] in headings
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (\w+)", text, re.M)) <= kinds


@pytest.mark.kernel
def test_a_users_script_runs_and_a_strict_type_checker_passes_it():
    for checked in ([], ["-m", "mypy"]):  # as make test does before: what that read is known
        done = subprocess.run(
            [sys.executable, *checked, "tests/house/user_script.py"], cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
