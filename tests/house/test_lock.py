"""The lock agrees with what is asked for, holds no address, and every line of the request has its reason."""

import re
import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]


def asked(text):
    """Return the requirements of requirements.in with the reason of each."""
    lines = [line.partition("#") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(Requirement(request.strip()), reason.strip()) for request, _, reason in lines]


def locked(text):
    """Return, for each package of requirements.txt, its versions and whether requirements.in asks for it."""
    found = {}
    for block in re.split(r"\n(?=\S)", text):
        pin = re.match(r"([\w.-]+)(?:\[[\w,. -]+\])?==([^\s;\\]+)", block)
        if pin:
            versions, is_wanted = found.get(canonicalize_name(pin[1]), (set(), False))
            is_wanted = is_wanted or re.search("-r requirements(-site)?.in", block) is not None
            found[canonicalize_name(pin[1])] = (versions | {Version(pin[2])}, is_wanted)
    return found


SITE_REQUEST, REST, SITE_LOCK, LOCK = (
    (ROOT / f"requirements{name}").read_text(encoding="utf-8")
    for name in ("-site.in", ".in", "-site.txt", ".txt")
)
REQUEST = REST.replace("-r requirements-site.in\n", SITE_REQUEST)


def test_the_lock_holds_what_is_asked_for_and_nothing_asked_for_no_more():
    pins, requests = locked(LOCK), {canonicalize_name(request.name): request for request, _ in asked(REQUEST)}
    assert {name for name, (_, is_wanted) in pins.items() if is_wanted} == set(requests), "run make lock"
    for name, request in requests.items():
        assert all(version in request.specifier for version in pins[name][0]), f"{name}: run make lock"


def test_every_dependency_has_a_reason():
    assert [request.name for request, reason in asked(REQUEST) if len(reason) < 8] == []


def test_one_numpy_and_one_scipy_serve_all_pythons():
    for name in ("numpy", "scipy", "scikit-learn", "matplotlib", "jupyter-book"):
        assert len(locked(LOCK)[name][0]) == 1, name


@pytest.mark.parametrize("lock", [LOCK, SITE_LOCK], ids=["all", "site"])
def test_the_lock_names_no_address_hashes_everything_and_has_without_its_extra_what_it_has_with_it(lock):
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", lock)
    blocks = [block for block in re.split(r"\n(?=\S)", lock) if re.match(r"[\w.-]+(\[.*\])?==", block)]
    assert blocks and all("--hash=sha256:" in block for block in blocks)
    pins = re.findall(r"(?m)^([\w.-]+)(\[.*\])?==", lock)
    assert {name for name, extra in pins if extra} <= {name for name, extra in pins if not extra}


def test_the_site_has_the_versions_of_the_whole():
    whole, site = locked(LOCK), locked(SITE_LOCK)
    assert len(site) < 0.75 * len(whole)
    assert {name: pin[0] for name, pin in site.items()} == {name: whole[name][0] for name in site}


def pythons():
    """Find the Pythons of this machine that the course names, each with a pip of its own."""
    for version in ("3.11", "3.12", "3.13"):
        found = [*Path("/usr/bin").glob(f"python{version}")]
        found += Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
        yield from (pytest.param(python, id=f"{version} in {python.parts[1]}") for python in found)


@pytest.mark.registry
@pytest.mark.parametrize("python", list(pythons()))
def test_the_pip_that_a_python_brings_takes_the_lock(python, tmp_path):
    made = subprocess.run([python, "-m", "venv", tmp_path], check=False)
    if made.returncode:
        pytest.skip("this Python makes no environments")
    command = [tmp_path / "bin/python", "-m", "pip", "install", "--quiet", "--dry-run", "--require-hashes"]
    command += ["-r", ROOT / "requirements.txt"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
