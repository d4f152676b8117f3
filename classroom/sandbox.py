"""The sandboxes in which a submission's kernel runs: bubblewrap, or another user where this one is root."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from classroom.submission import ONE, ROOT, Limits

HIDE_AND_RUN = """
    for place in /tmp /var/tmp; do mount --bind "$place" "$place"; mount -o remount,bind,ro "$place"; done
    mount --bind "$0" "$0"
    mount -o remount,bind,rw "$0"
    mount -t tmpfs -o ro none /dev/shm
    while [ "$1" != -- ]; do mount -t tmpfs -o ro none "$1"; shift; done
    shift
    cd "$0"
    exec setpriv "$@"
"""


def bubblewrap(folder: Path, hidden: list[Path]) -> list[str]:
    """Show the kernel the system's libraries, the environment and the companion, all read-only."""
    seen = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"]
    seen += [sys.base_prefix, sys.prefix, sysconfig.get_path("stdlib"), os.path.realpath(sys.executable)]
    seen += [str(ROOT / "calibration_lessons")]
    seen += [str(ROOT / "classroom" / name) for name in ("isolated_kernel.py", "channel.py")]
    shown = [word for path in seen for word in ("--ro-bind-try", path, path)]
    own = ["--bind", str(folder), str(folder), "--chdir", str(folder)]
    return [
        shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent", "--new-session",
        "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", *small("/dev/shm"), *small("/tmp"),
        *shown, *own,
    ]  # fmt: skip


def small(place: str) -> list[str]:
    """Make a scratch folder in memory that holds no more than all files of a submission may."""
    return ["--size", str(Limits.disk), "--tmpfs", place]


def another_user(folder: Path, hidden: list[Path]) -> list[str]:
    """Become a user that owns only its folder, without network, with empty folders over the hidden ones."""
    number = str(folder.stat().st_uid)
    outermost = [path for path in hidden if not set(path.parents) & set(hidden)]
    return [
        "unshare", "--mount", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc",
        "sh", "-ec", HIDE_AND_RUN,
        str(folder), *map(str, outermost), "--", "--reuid", number, "--regid", number, "--clear-groups",
        "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs",
    ]  # fmt: skip


def bare(folder: Path, hidden: list[Path]) -> list[str]:
    """Protect nothing but the limits."""
    return []


SANDBOXES = {"bubblewrap": bubblewrap, "another user": another_user, "none": bare}


@cache
def working_sandbox() -> str:
    """Name the first sandbox in which a kernel would start here."""
    for kind in ("bubblewrap", "another user"):
        with suppress(OSError), own_folder(kind) as folder:
            words = SANDBOXES[kind](folder, [ROOT / "assignments"])
            command = [*words, sys.executable, "-c", "import IPython, classroom.isolated_kernel"]
            if not subprocess.run(command, env=environment(folder), capture_output=True).returncode:
                return kind
    return "none"


@contextmanager
def own_folder(sandbox: str) -> Iterator[Path]:
    """Make the folder of one submission; a user number of its own keeps the other submissions out."""
    with tempfile.TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True) as name:
        if sandbox == "another user":
            number = 1_000_000_000 + os.getpid()
            os.chown(name, number, number)
        yield Path(name)


def environment(folder: Path) -> dict[str, str]:
    """Name the variables that the kernel gets: none of the teacher's."""
    home = {name: str(folder) for name in ("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR")}
    language = {
        "PATH": "/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return ONE | home | language | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
