"""The lock agrees with what is asked for, holds no address, and every line of the request has its reason."""

import re
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
            versions, wanted = found.get(canonicalize_name(pin[1]), (set(), False))
            wanted = wanted or "-r requirements.in" in block
            found[canonicalize_name(pin[1])] = (versions | {Version(pin[2])}, wanted)
    return found


def disagreements(request_text, lock_text):
    """Say how the request and the lock disagree."""
    pins = locked(lock_text)
    requests = {canonicalize_name(r.name): r for r, _ in asked(request_text)}
    for name, request in requests.items():
        versions, wanted = pins.get(name, (set(), False))
        if not versions or not wanted:
            yield f"requirements.in asks for {name}, requirements.txt does not know: run make lock"
        yield from (
            f"{name} {v} is not {request}: run make lock" for v in versions if v not in request.specifier
        )
    for name, (_, wanted) in pins.items():
        if wanted and name not in requests:
            yield f"requirements.txt holds {name}, requirements.in does not ask for it: run make lock"


REQUEST = (ROOT / "requirements.in").read_text(encoding="utf-8")
LOCK = (ROOT / "requirements.txt").read_text(encoding="utf-8")


def test_the_lock_holds_what_is_asked_for_and_nothing_asked_for_no_more():
    assert list(disagreements(REQUEST, LOCK)) == []


@pytest.mark.parametrize(
    ("request_text", "lock_text", "complaint"),
    [
        (REQUEST + "\nattrs  # a reason\n", LOCK, "attrs"),
        (REQUEST.replace("numpy~=2.4.0", "numpy~=2.3.0"), LOCK, "numpy 2.4"),
        (re.sub(r"(?m)^hypothesis.*\n", "", REQUEST), LOCK, "hypothesis"),
        (REQUEST, re.sub(r"(?m)^nbval==", "nbvalue==", LOCK), "nbval"),
    ],
)
def test_a_planted_disagreement_is_seen(request_text, lock_text, complaint):
    found = list(disagreements(request_text, lock_text))
    assert any(complaint in problem and "run make lock" in problem for problem in found)


def test_every_dependency_has_a_reason():
    assert [request.name for request, reason in asked(REQUEST) if len(reason) < 8] == []


def test_one_numpy_and_one_scipy_serve_all_pythons():
    for name in ("numpy", "scipy", "scikit-learn", "matplotlib", "jupyter-book"):
        assert len(locked(LOCK)[name][0]) == 1, name


def test_the_lock_names_no_address_and_hashes_everything():
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", LOCK)
    blocks = [block for block in re.split(r"\n(?=\S)", LOCK) if re.match(r"[\w.-]+(\[.*\])?==", block)]
    assert blocks and all("--hash=sha256:" in block for block in blocks)
