"""The sandbox in which a submission's kernel runs: bubblewrap, which the system brings."""

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from classroom.submission import ONE_THREAD, ROOT


def sandboxed(sandbox: str, folder: Path, replaced: dict[Path, Path]) -> list[str]:
    """Begin the kernel's command: it sees libraries, some files replaced, and writes to its folder."""
    if sandbox == "none":
        return []
    seen = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"]
    seen += [sys.base_prefix, sys.prefix, sysconfig.get_path("stdlib"), os.path.realpath(sys.executable)]
    seen += [str(ROOT / "calibration_lessons")]
    seen += [str(ROOT / "classroom" / name) for name in ("isolated_kernel.py", "channel.py")]
    shown = [word for path in seen for word in ("--ro-bind-try", path, path)]
    shown += [word for path, other in replaced.items() for word in ("--ro-bind", str(other), str(path))]
    shared_memory = ["--size", "1000000", "--tmpfs", "/dev/shm"]  # semaphores of several processes lie there
    return [
        shutil.which("bwrap") or "bwrap",
        "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--proc", "/proc", "--dev", "/dev", *shared_memory, *shown, "--bind", str(folder), str(folder),
        "--chdir", str(folder), "--remount-ro", "/dev", "--remount-ro", "/",
    ]  # fmt: skip


def emptied(module: str, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Write a module's files without the bodies of their functions: it can be imported, and does nothing.

    Compiled files, which hold the bodies, too, give way to nothing.
    """
    top, *rest = module.split(".")
    spec = find_spec(top)
    assert spec and spec.origin
    place = Path(spec.origin).parent.joinpath(*rest)
    nothing = folder / "nothing"
    nothing.mkdir(exist_ok=True)
    for path in {*place.rglob("*.py")} - {*place.rglob("tests/*")} or [place.with_suffix(".py")]:
        stub = folder / str(len([*folder.iterdir()]))
        stub.write_text(without_bodies(path.read_text("utf-8")), encoding="utf-8")
        yield path, stub
        if (compiled := path.with_name("__pycache__")).exists():
            yield compiled, nothing


def without_bodies(source: str) -> str:
    """Let every function say that it is not there, but for what the module itself calls as it is loaded."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(node) for function in functions for part in function.body for node in ast.walk(part)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in inside]
    used = [call.func for call in calls] + [one for function in functions for one in function.decorator_list]
    called = {"__init__", *(node.id for node in used if isinstance(node, ast.Name))}  # other files call those
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.FunctionDef) and node.name not in called:
                said = f"{node.name} is not there: the question asks you to write it yourself"
                node.body = ast.parse(f"raise RuntimeError({said!r})").body
            elif not (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in called):
                waiting.append(node)
    return ast.unparse(tree)


@cache
def missing() -> str:
    """Say why no kernel would start in the sandbox here; nothing where one would."""
    with own_folder() as folder:
        words = [*sandboxed("bubblewrap", folder, {}), sys.executable]
        try:
            done = subprocess.run(
                [*words, "-c", "import IPython, classroom.isolated_kernel"],
                env=environment(folder), capture_output=True, text=True, errors="replace",
            )  # fmt: skip
        except OSError as fault:
            return f"{words[0]}: {fault.strerror}"
        return (done.stderr.strip().splitlines() or ["it failed"])[-1] if done.returncode else ""


def working_sandbox() -> str:
    """Name the sandbox in which a kernel would start here."""
    return "none" if missing() else "bubblewrap"


@contextmanager
def own_folder() -> Iterator[Path]:
    """Make the folder of one submission; whatever it leaves there goes, at any depth and without rights."""
    name = tempfile.mkdtemp(prefix="submission-")
    try:
        yield Path(name)
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", name], capture_output=True)
        subprocess.run(["rm", "-rf", name], capture_output=True)


def environment(folder: Path) -> dict[str, str]:
    """Name the variables that the kernel gets: none of the teacher's."""
    home = dict.fromkeys(("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR"), str(folder))
    python = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
    backend = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    return ONE_THREAD | home | python | backend | {"PATH": "/usr/bin:/bin"}
