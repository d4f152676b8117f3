#!/usr/bin/env python3
"""Rehearse a release: build, check, install and try what would be uploaded, and stop before any upload.

    make release

Builds the sdist from a copy of the tracked files and the wheel from the sdist, into `dist/`. Both must please
`twine check` and `check-wheel-contents`, and stay below 8 MB. The wheel is then installed into an empty
environment, first with NumPy, SciPy and scikit-learn alone, then with its extras, and runs its examples; type
checkers read a user's script against it. That the unpacked sdist runs its tests is tried by `make test`.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 8_000_000  # bytes
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)[^)]+\)")
UV = (sys.executable, "-m", "uv")
EXAMPLES = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules")


def main() -> None:
    """Rehearse."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sdist, wheel = build(prepare(ROOT, place / "source"), ROOT / "dist")
        run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
        run(Path(sys.executable).with_name("check-wheel-contents"), wheel)
        try_wheel(wheel, place, place / "source/README.md")
    for file in (sdist, wheel):
        size, digest = file.stat().st_size, hashlib.sha256(file.read_bytes()).hexdigest()
        if size > LIMIT:
            sys.exit(f"release: {file.name} has {size:,} bytes: expected at most {LIMIT:,}")
        print(f"release: {file.name}: {size:,} bytes, sha256 {digest}")
    print("release: everything holds. Nothing was uploaded; CONTRIBUTING.md says what comes next")


def prepare(root: Path, source: Path) -> Path:
    """Copy the tracked files, and leave of README.md's links and pictures those that work on the index."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    for name in filter(None, tracked.stdout.split("\0")):
        if (root / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, source / name)
    readme = source / "README.md"
    readme.write_text(without_relative_links(readme.read_text(encoding="utf-8")), encoding="utf-8")
    return source


def without_relative_links(text: str) -> str:
    """Keep of links that lead nowhere outside of the repository their words, of pictures nothing.

    >>> without_relative_links("See [this](book/a.md#b) and [that](https://example.org). ![A picture](a.png)")
    'See this and [that](https://example.org). '
    """
    return re.sub(r"\n{3,}", "\n\n", LINK.sub(lambda link: "" if link[1] else link[2], text))


def build(source: Path, dist: Path) -> tuple[Path, Path]:
    """Build the sdist, and from it the wheel."""
    shutil.rmtree(dist, ignore_errors=True)
    run(*UV, "build", "--quiet", "--no-build-isolation", "--python", sys.executable, "-o", dist, source)
    return next(dist.glob("*.tar.gz")), next(dist.glob("*.whl"))


def try_wheel(wheel: Path, place: Path, readme: Path) -> None:
    """Install the wheel where nothing else is, and run its examples, the README's and the type checkers."""
    python = environment(place / "empty", wheel, "pytest")
    package = next((place / "empty").rglob("site-packages/calibration_lessons"))
    library = f"--ignore={package / 'book'}"  # the book's wing needs pandas and Altair
    run(python, *EXAMPLES, "--doctest-ignore-import-errors", library, package, cwd=place)
    install(python, f"{wheel}[plots,scale]", "pandas", "mypy")
    run(python, *EXAMPLES, package, cwd=place)
    run(python, "-m", "doctest", readme, cwd=place)
    shutil.copy(ROOT / "tests/house/user_script.py", place)
    run(python, "user_script.py", cwd=place)
    run(python, "-m", "mypy", "--strict", "user_script.py", cwd=place)
    (place / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', encoding="utf-8")
    run(sys.executable, "-m", "pyright", "--pythonpath", python, "user_script.py", cwd=place)


def environment(folder: Path, *packages: object) -> Path:
    """Make an environment with the packages alone, and return its Python."""
    run(*UV, "venv", "--quiet", "--python", sys.executable, folder)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    install(python, *packages)
    return python


def install(python: Path, *packages: object) -> None:
    """Install packages, and see that they agree with each other."""
    run(*UV, "pip", "install", "--quiet", "--python", python, *packages)
    run(*UV, "pip", "check", "--quiet", "--python", python)


def run(*command: object, cwd: Path = ROOT) -> None:
    """Run a command, or stop."""
    words = [str(word) for word in command]
    if subprocess.run(words, cwd=cwd, check=False).returncode:
        sys.exit(f"release: this failed, the reason stands above: {' '.join(words)}")


if __name__ == "__main__":
    main()
