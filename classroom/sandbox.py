"""The sandbox in which a submission's kernel runs: bubblewrap, which the system brings."""

import ast
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from py_compile import PycInvalidationMode
from py_compile import compile as compile_file

from classroom import seccomp
from classroom.submission import ONE_THREAD, ROOT, Limits

UNCHECKED = PycInvalidationMode.UNCHECKED_HASH
GONE = "from classroom.isolated_kernel import refuse\nrefuse({!r})"


def bubblewrap(*words: str) -> list[str]:
    """Begin a command; what it starts ends with it."""
    return [shutil.which("bwrap") or "bwrap", "--die-with-parent", *words]


def with_quota(sandbox: str, place: Path, limits: Limits) -> list[str]:
    """Begin a command that sees the machine as it is, but for one folder: it is in memory, and not larger."""
    if sandbox == "none":
        return []
    return bubblewrap("--dev-bind", "/", "/", "--size", str(limits.disk), "--tmpfs", str(place))


def sandboxed(sandbox: str, folder: Path, replaced: dict[Path, Path]) -> list[str]:
    """Begin the kernel's command: it sees libraries, some files replaced, and writes to its folder."""
    if sandbox == "none":
        return []
    prefixes = dict.fromkeys(["", "/usr", "/usr/local", sys.base_prefix])
    seen = [f"{prefix}/{part}" for prefix in prefixes for part in ("bin", "lib", "lib64", "share")]
    seen += ["/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"]
    seen += [f"{sys.prefix}/{part}" for part in ("bin", "lib", "share", "pyvenv.cfg")]
    seen += [sysconfig.get_path("stdlib"), os.path.realpath(sys.executable)]
    seen += [str(ROOT / "calibration_lessons")]
    seen += [str(ROOT / "classroom" / name) for name in ("isolated_kernel.py", "channel.py")]
    shown = [word for path in seen for word in ("--ro-bind-try", path, path)]
    own = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    for place in ("/", "/usr", "/usr/local", sys.base_prefix):  # other copies of a library that is withheld
        others = {str(path) for path in Path(place).glob("lib*/python3*/*-packages")} - own
        shown += [word for path in sorted(others) for word in ("--tmpfs", path, "--remount-ro", path)]
    shown += [word for path, other in replaced.items() for word in ("--ro-bind", str(other), str(path))]
    (folder / "shm").mkdir()  # semaphores of several processes lie there
    (folder / "filter").write_bytes(seccomp.program())
    opened = ["sh", "-c", 'exec "$@" 9< "$0"', str(folder / "filter")]  # bubblewrap reads it there
    return opened + bubblewrap(
        *["--seccomp", "9"] * bool(seccomp.program()), *no_namespaces(),
        "--unshare-all", "--unshare-user", "--new-session", "--cap-drop", "ALL",
        "--proc", "/proc", "--dev", "/dev", *shown, "--bind", str(folder), str(folder),
        "--bind", str(folder / "shm"), "/dev/shm",
        "--chdir", str(folder), "--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/",
    )  # fmt: skip


@cache
def no_namespaces() -> list[str]:
    """Forbid namespaces inside the sandbox, the way to most faults of the kernel, where bubblewrap can."""
    known = subprocess.run(bubblewrap("--help"), capture_output=True, text=True).stdout
    return ["--disable-userns"] if "--disable-userns" in known else []


def emptied(names: Iterable[str], folder: Path) -> dict[Path, Path]:
    """Write the files of some modules without the bodies of their functions: what a question withholds.

    They can be imported, and do nothing. A name can end in one function, `module:function`. Compiled
    modules, compiled copies of the others and all other files give way to an empty file.
    """
    wanted: dict[Path, set[str]] = {}
    replaced: dict[Path, Path] = {}
    (nothing := folder / "nothing").touch()
    for name in names:
        module, _, function = name.partition(":")
        top, *rest = module.split(".")
        spec = find_spec(top)
        assert spec and spec.origin
        place = Path(spec.origin).parent.joinpath(*rest)
        for path in [*place.rglob("*.*"), *place.parent.glob(f"{place.name}.*")]:
            if path.suffix == ".py":
                wanted.setdefault(path, set()).add(function)
                others = (path.parent / "__pycache__").glob(f"{path.stem}.*")  # compiled, from the whole file
                replaced |= {one: nothing for one in others}
            elif path.is_file():
                replaced[path] = nothing
    for path, functions in wanted.items():
        source = path.read_bytes()
        key = hashlib.sha256(repr(sorted(functions)).encode() + source).hexdigest()
        replaced[path] = folder / key
        if not replaced[path].exists():
            only = set() if "" in functions else functions
            half = folder / f"{key}.{os.getpid()}"
            half.write_text(without_bodies(source.decode(), only), encoding="utf-8")
            compile_file(str(half), f"{replaced[path]}.pyc", str(path), invalidation_mode=UNCHECKED)
            half.replace(replaced[path])
        own = Path(cache_from_source(path))
        replaced |= {own: folder / f"{key}.pyc"} if own in replaced else {}
    return replaced


def without_bodies(source: str, only: Collection[str] = ()) -> str:
    """Let every function, or some, refuse, but for what the module itself calls as it is loaded."""
    tree: ast.AST = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(node) for function in functions for part in function.body for node in ast.walk(part)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in inside]
    used = [call.func for call in calls] + [one for function in functions for one in function.decorator_list]
    called = {node.id for node in used if isinstance(node, ast.Name)}
    called |= {"__init__", "__init_subclass__"}  # other files call those
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            kept = not only and getattr(node, "name", "") in called
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if node.name in only if only else not kept:
                    node.body = ast.parse(GONE.format(node.name)).body
                    continue
            if not kept:
                waiting.append(node)
    return ast.unparse(tree)


def modules(replaced: dict[Path, Path], bound: bool) -> dict[str, str]:
    """Name the modules to load otherwise: the compiled, and all where no sandbox binds other files."""
    found = {}
    for path, other in replaced.items():
        if path.suffix == ".so" or (path.suffix == ".py" and not bound):
            place = max((root for root in sys.path if root and path.is_relative_to(root)), key=len)
            parts = path.relative_to(place).with_name(path.name.partition(".")[0]).parts
            found[".".join(parts).removesuffix(".__init__")] = "" if path.suffix == ".so" else str(other)
    return found


@cache
def missing() -> str:
    """Say why no kernel would start in the sandbox here; nothing where one would."""
    if not shutil.which("bwrap"):
        return "bwrap: No such file or directory"
    kernel = [sys.executable, "-c", "import IPython, classroom.isolated_kernel"]
    with own_folder() as folder:
        done = subprocess.run(
            [*sandboxed("bubblewrap", folder, {}), *kernel],
            env=environment(folder), capture_output=True, text=True, errors="replace",
        )  # fmt: skip
        return (done.stderr.strip().splitlines() or ["it failed"])[-1] if done.returncode else ""


def working_sandbox() -> str:
    """Name the sandbox in which a kernel would start here."""
    return "none" if missing() else "bubblewrap"


@contextmanager
def own_folder() -> Iterator[Path]:
    """Make the folder of one submission; whatever it leaves there goes."""
    name = tempfile.mkdtemp(prefix="submission-")
    try:
        yield Path(name)
    finally:
        removed(Path(name))


def removed(path: Path) -> None:
    """Remove a folder, at any depth and without rights."""
    subprocess.run(["chmod", "-R", "u+rwx", path], capture_output=True)
    subprocess.run(["rm", "-rf", path], capture_output=True)


def environment(folder: Path) -> dict[str, str]:
    """Name the variables that the kernel gets: none of the teacher's."""
    home = dict.fromkeys(("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR"), str(folder))
    python = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
    backend = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    return ONE_THREAD | home | python | backend | {"PATH": "/usr/bin:/bin"}
