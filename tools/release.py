#!/usr/bin/env python3
"""Rehearse a release: build, check, install and try what would be uploaded, and stop before any upload.

    make release

Builds the sdist from a copy of the tracked files and the wheel from the sdist, into `dist/`. Both must please
`twine check` and `check-wheel-contents`, stay below 8 MB and have no link that leads nowhere. The wheel is
then installed into an empty environment, first with NumPy, SciPy and scikit-learn alone, then with its
extras, and runs its examples there; type checkers read a user's script against it; and the sdist, unpacked,
runs a part of its tests.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 8_000_000  # bytes
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!\w+:|#)(?P<file>[^)]+)\)")
TESTS = [  # of each folder one
    *("tests/measures/test_corp.py", "tests/calibrators/test_platt.py", "tests/decisions/test_costs.py"),
    *("tests/models/test_softmax_regression.py", "tests/uncertainty", "tests/test_refusals.py"),
]
DOCTESTS = """
import doctest, importlib.util, pkgutil, sys, calibration_lessons
failed, tried, without = 0, 0, []
for info in pkgutil.walk_packages(calibration_lessons.__path__, "calibration_lessons."):
    if "._" in info.name: continue
    if info.name == "calibration_lessons.book.tables" and not importlib.util.find_spec("pandas"):
        without.append("calibration_lessons.book.tables: its example makes a pandas table")
        continue
    try:
        result = doctest.testmod(importlib.import_module(info.name))
        failed, tried = failed + result.failed, tried + result.attempted
    except ImportError as error:
        if "pip install 'calibration-lessons[" not in str(error): raise
        without.append(str(error))
print(f"release: {tried} examples of docstrings, {failed} failed; left out: {without or 'none'}")
sys.exit(bool(failed or (without and "--all" in sys.argv)))
"""


def main() -> None:
    """Rehearse."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        source = prepare(ROOT, place / "source")
        sdist, wheel = build(source, ROOT / "dist")
        check(sdist, wheel)
        try_wheel(wheel, place)
        try_sdist(sdist, place)
    for file in (sdist, wheel):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        tell(f"{file.name}: {file.stat().st_size:,} bytes, sha256 {digest}")
    tell("everything holds. Nothing was uploaded, nothing here uploads; CONTRIBUTING.md says what comes next")


def prepare(root: Path, source: Path) -> Path:
    """Copy the tracked files, and write the project's addresses into README.md and pyproject.toml."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    for name in filter(None, tracked.stdout.split("\0")):
        if (root / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, source / name)
    address(source)
    return source


def addresses(root: Path) -> tuple[str, str]:
    """Read where the project and its site live: the one setting of both, empty while they live nowhere."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["release"]
    return settings["repository"].rstrip("/"), settings["site"]


def address(source: Path) -> None:
    """Make the links of a copied tree those of the project's addresses, or words where there are none."""
    project = source / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    repository, site = addresses(source)
    readme, version = source / "README.md", tomllib.loads(text)["project"]["version"]
    shown = with_addresses(readme.read_text(encoding="utf-8"), repository, version)
    readme.write_text(shown, encoding="utf-8")
    urls = {"Documentation": site}
    if repository:
        urls |= {"Source": repository, "Issues": f"{repository}/issues",
                 "Changelog": f"{repository}/blob/v{version}/CHANGELOG.md"}  # fmt: skip
    lines = [f'{name} = "{url}"' for name, url in urls.items() if url]
    if lines:
        project.write_text("\n".join([text, "[project.urls]", *lines, ""]), encoding="utf-8")


def with_addresses(text: str, repository: str, version: str) -> str:
    """Lead the relative links of a text into the repository; without one keep their words, and no picture."""

    def replaced(match: re.Match[str]) -> str:
        if repository:
            kind = "raw" if match["image"] else "blob"
            return f"{match['image']}[{match['text']}]({repository}/{kind}/v{version}/{match['file']})"
        return "" if match["image"] else match["text"]

    return re.sub(r"\n{3,}", "\n\n", LINK.sub(replaced, text))


def build(source: Path, dist: Path) -> tuple[Path, Path]:
    """Build the sdist, and from it the wheel."""
    shutil.rmtree(dist, ignore_errors=True)
    run(sys.executable, "-m", "uv", "build", "--quiet", "--no-build-isolation", "--python", sys.executable,
        "-o", dist, source)  # fmt: skip
    return next(dist.glob("*.tar.gz")), next(dist.glob("*.whl"))


def check(sdist: Path, wheel: Path) -> None:
    """Refuse files that are too large, that the index would refuse, or whose page has broken links."""
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    run(Path(sys.executable).with_name("check-wheel-contents"), wheel)
    for file in (sdist, wheel):
        if file.stat().st_size > LIMIT:
            stop(f"{file.name} has {file.stat().st_size:,} bytes: expected at most {LIMIT:,}")
    if broken := LINK.findall(page(wheel)):
        stop(f"the page on the index would have links that lead nowhere: {broken}")


def page(wheel: Path) -> str:
    """Return the page that the index shows."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return str(message_from_bytes(archive.read(name)).get_payload())


def try_wheel(wheel: Path, place: Path) -> None:
    """Install the wheel where nothing else is, and run its examples, the README's and the type checkers."""
    python = environment(place / "empty", wheel)
    run(python, "-I", "-W", "error", "-c", DOCTESTS, cwd=place)
    install(python, f"{wheel}[plots,scale]", "pandas", "mypy")
    run(python, "-I", "-c", DOCTESTS, "--all", cwd=place)
    (place / "page.md").write_text(page(wheel), encoding="utf-8")
    run(python, "-I", "-m", "doctest", "page.md", cwd=place)
    shutil.copy(ROOT / "tests/house/user_script.py", place)
    run(python, "-I", "user_script.py", cwd=place)
    run(python, "-I", "-m", "mypy", "--strict", "user_script.py", cwd=place)
    (place / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', encoding="utf-8")
    run(sys.executable, "-m", "pyright", "--pythonpath", python, "user_script.py", cwd=place)


def try_sdist(sdist: Path, place: Path) -> None:
    """Unpack the sdist beside nothing of the course, and run a part of its tests."""
    with tarfile.open(sdist) as archive:
        archive.extractall(place, filter="data")
    unpacked = place / sdist.name.removesuffix(".tar.gz")
    needed = ("pytest", "hypothesis", "mpmath", "pandas")
    python = environment(place / "tests", f"{unpacked}[plots,scale]", *needed)
    run(python, "-m", "pytest", "-q", *TESTS, cwd=unpacked)


def environment(folder: Path, *packages: object) -> Path:
    """Make an environment with the packages alone, and return its Python."""
    run(sys.executable, "-m", "uv", "venv", "--quiet", "--python", sys.executable, folder)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    install(python, *packages)
    return python


def install(python: Path, *packages: object) -> None:
    """Install packages, and see that they agree with each other."""
    run(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python, *packages)
    run(sys.executable, "-m", "uv", "pip", "check", "--quiet", "--python", python)


def run(*command: object, cwd: Path = ROOT) -> None:
    """Run a command, or stop."""
    words = [str(word) for word in command]
    if subprocess.run(words, cwd=cwd, check=False).returncode:
        shown = " ".join(word.strip().splitlines()[0] for word in words)
        stop(f"this failed, the reason stands above: {shown}")


def tell(message: str) -> None:
    """Say where the rehearsal stands."""
    print(f"release: {message}", flush=True)


def stop(message: str) -> None:
    """End the rehearsal."""
    sys.exit(f"release: {message}")


if __name__ == "__main__":
    main()
