"""Run one submission in a sandbox: `run_submission.py < prepared.json > outputs.json`.

This process is trusted and stands outside the sandbox. It talks to the kernel over sockets in a folder, the
only one that the kernel can write to.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LONGEST, TRACEBACK = 2000, 20  # characters a line and lines of an error message
SHOWN = {"text/plain", "image/png"}  # nothing that a browser would run when the teacher reads the feedback


@dataclass(frozen=True)
class Limits:
    """What one submission may take."""

    cell: int = 60
    """Seconds a cell."""
    whole: int = 240
    """Seconds in all, the start of the kernel left out."""
    memory: int = 3 * 2**30
    """Bytes, all processes of the submission together."""
    disk: int = 20 * 2**20
    """Bytes, all files together."""
    processes: int = 32
    output: int = 100_000
    """Characters a cell; the rest is dropped."""


@dataclass
class Outcome:
    """What came out of a run."""

    outputs: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    """The outputs of each code cell that ran to its end, by its position."""
    started: bool = False
    timed_out: list[int] = field(default_factory=list)
    stopped: str = ""
    """Why the run ended early; empty where it did not."""


# The sandbox: bubblewrap, or another user where this one is root.

HIDE_AND_RUN = """
    cd "$0"
    while [ "$1" != -- ]; do mount -t tmpfs -o ro none "$1"; shift; done
    shift
    exec setpriv "$@"
"""
SILENT = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
PYTHON = [sys.executable, "-c", "from tools.isolated_kernel import start; start()"]


def bubblewrap(folder: Path, hidden: list[Path]) -> list[str]:
    """Show the kernel the system's libraries, the environment and the companion, all read-only."""
    seen = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"]
    seen += [sys.base_prefix, sys.prefix, sysconfig.get_path("stdlib"), os.path.realpath(sys.executable)]
    seen += [str(ROOT / "calibration_lessons"), str(ROOT / "tools" / "isolated_kernel.py")]
    shown = [word for path in seen for word in ("--ro-bind-try", path, path)]
    own = ["--bind", str(folder), str(folder), "--chdir", str(folder)]
    return [
        shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent", "--new-session",
        "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", *shown, *own,
    ]  # fmt: skip


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
            command = [*words, sys.executable, "-c", "import IPython, tools.isolated_kernel"]
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
    threads = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1")
    home = {name: str(folder) for name in ("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR")}
    language = {
        "PATH": "/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return threads | home | language | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}


# The executor.


def imports(sources: list[str]) -> dict[str, tuple[str, str]]:
    """Read which module or which of its names each imported name stands for."""
    found: dict[str, tuple[str, str]] = {}
    for node in (node for source in sources for node in walk(source)):
        if isinstance(node, ast.Import):
            plain = [alias.name if alias.asname else alias.name.partition(".")[0] for alias in node.names]
            found |= {alias.asname or name: (name, "") for alias, name in zip(node.names, plain, strict=True)}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return found


def walk(source: str) -> Iterator[ast.AST]:
    """Walk through what a cell says; through nothing where it is no plain Python."""
    with suppress(SyntaxError, ValueError, RecursionError):
        yield from ast.walk(ast.parse(source))


def relied_on(source: str, imported: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return the imported and built-in names that a test reads and does not bind itself."""
    names = [node for node in walk(source) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(imports([source]))
    read = {node.id for node in names} - bound
    return {
        name: imported.get(name, ("builtins", name))
        for name in sorted(read & (imported.keys() | vars(builtins)))
    }


def error(name: str, message: str) -> dict[str, Any]:
    """Make the output of a cell that failed; nbgrader gives it no points."""
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": [f"{name}: {message}"]}


def run(notebook: Any, limits: Limits, sandbox: str, hidden: list[Path]) -> Outcome:
    """Run a prepared notebook in a kernel of its own; whatever happens there, come back in time."""
    with own_folder(sandbox) as folder:
        return asyncio.run(executed(notebook, limits, folder, SANDBOXES[sandbox](folder, hidden)))


async def executed(notebook: Any, limits: Limits, folder: Path, sandbox: list[str]) -> Outcome:
    """Start the kernel, run the cells, and stop it, under a watch over time, memory and files."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    most = f"{limits.memory},{limits.whole + limits.cell},{limits.disk // 2}"
    connection = folder / "kernel.json"
    manager = AsyncKernelManager(transport="ipc", ip=str(folder / "s"), connection_file=str(connection))
    manager._kernel_spec = KernelSpec(
        argv=[*sandbox, *PYTHON, most, "-f", "{connection_file}"],
        language="python", interrupt_mode="message",
    )  # fmt: skip
    manager.write_connection_file()
    os.chown(connection, folder.stat().st_uid, folder.stat().st_gid)
    client = executor(notebook, manager, limits)
    outcome: Outcome = client.outcome
    running = asyncio.ensure_future(client.run_all(folder, environment(folder)))
    watching = asyncio.ensure_future(watch(client, folder, limits))
    try:
        await asyncio.wait([running, watching], return_when=asyncio.FIRST_COMPLETED)
        for task in (watching, running):
            if task.done() and not task.cancelled():
                task.result()
    except Exception as fault:
        outcome.stopped = outcome.stopped or client.explain(fault)
    finally:
        running.cancel()
        watching.cancel()
        with suppress(Exception):
            await manager.shutdown_kernel(now=True)
        await asyncio.gather(running, watching, return_exceptions=True)
    return outcome


class OverLimit(Exception):
    """A submission took more than it may."""


async def watch(client: Any, folder: Path, limits: Limits) -> None:
    """Raise as soon as the time is up or the submission's processes and files together are too large."""
    import psutil

    loop = asyncio.get_running_loop()
    started = loop.time()
    me = psutil.Process()
    while True:
        await asyncio.sleep(0.2)
        if not client.outcome.started:
            started = loop.time()
        if loop.time() - started > limits.whole:
            raise OverLimit(f"more than {limits.whole} s in all")
        used, processes = 0, me.children(recursive=True)
        for process in processes:
            with suppress(psutil.Error):
                used += process.memory_info().rss
        if used > limits.memory:
            raise OverLimit(f"more than {limits.memory / 2**30:.1f} GiB of memory")
        if len(processes) > limits.processes:
            raise OverLimit(f"more than {limits.processes} processes")
        if size(folder) > limits.disk:
            raise OverLimit(f"more than {limits.disk / 2**20:.0f} MiB of files")


def size(folder: Path) -> int:
    """Add up the bytes below a folder, at least a block for each file."""
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += max(4096, os.lstat(os.path.join(place, name)).st_size)
    return total


def executor(notebook: Any, manager: Any, limits: Limits) -> Any:
    """Make the client of the kernel; nbclient is imported late, since the batch imports this module, too."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    class Executor(NotebookClient):
        """Runs the cells one by one; a test cell only while the libraries are what they were."""

        def begin(self) -> None:
            self.outcome, self.position, self.written = Outcome(), 0, 0
            locked = [cell.source for cell in notebook.cells if is_locked(cell)]
            self.imported = imports(locked)

        async def run_all(self, folder: Path, variables: dict[str, str]) -> None:
            self.reset_execution_trackers()
            await self.async_start_new_kernel(cwd=str(folder), env=variables, **SILENT)
            await self.async_start_new_kernel_client()
            if await self.ask("remember()"):
                raise DeadKernelError("no watch")
            self.outcome.started = True
            for self.position, cell in enumerate(notebook.cells):
                if cell.cell_type == "code":
                    await self.run_cell(cell, self.position)

        async def run_cell(self, cell: Any, position: int) -> None:
            relied = relied_on(cell.source, self.imported) if is_test(cell) else None
            asked = f"changed(get_ipython().user_ns, {relied})"
            cell.outputs, self.written = [], 0
            problem = await self.ask(asked) if is_test(cell) else ""
            if not problem:
                await self.async_execute_cell(cell, position)
                problem = await self.ask(asked) if is_test(cell) else ""
            if problem:
                message = f"{problem} is not what it was before your code ran; a test needs it as it was"
                cell.outputs.append(error("Replaced", message))
            self.outcome.outputs[position] = [shown(output) for output in cell.outputs]

        async def ask(self, question: str) -> str:
            """Ask the watch in the kernel; an answer that is none counts as a change."""
            where = "__import__('sys').modules['tools.isolated_kernel']"
            wanted = {"answer": f"{where}.{question.replace('get_ipython()', where + '.get_ipython()')}"}
            sent = self.kc.execute("", silent=True, store_history=False, user_expressions=wanted)
            reply = await self.async_wait_for_reply(sent)
            answer = (reply or {}).get("content", {}).get("user_expressions", {}).get("answer", {})
            try:
                return str(ast.literal_eval(answer["data"]["text/plain"]) or "")
            except (KeyError, TypeError, ValueError, SyntaxError):
                return "the kernel"

        def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
            if msg["msg_type"] in ("stream", "display_data", "execute_result", "update_display_data"):
                self.written += len(str(msg["content"]))
                if self.written > limits.output:
                    return None
            return super().process_message(msg, cell, cell_index)

        async def on_reply(self, cell: Any, cell_index: int, execute_reply: Any) -> None:
            content = execute_reply["content"]
            if content.get("ename") == "CellTimeoutError":
                self.outcome.timed_out.append(cell_index)
            failed = any(output["output_type"] == "error" for output in cell.outputs)
            if content["status"] == "error" and (not failed or cell_index in self.outcome.timed_out):
                cell.outputs.append(error(content.get("ename", ""), content.get("evalue", "")))

        def explain(self, fault: Exception) -> str:
            where = f"in cell {self.position + 1}"
            if isinstance(fault, OverLimit):
                return f"{fault}, {where}"
            if not self.outcome.started:
                return "the kernel did not start"
            if isinstance(fault, DeadKernelError):
                return f"the kernel ended {where}"
            if isinstance(fault, CellTimeoutError):
                return f"timed out {where} and did not stop"
            return f"the kernel sent what cannot be read ({type(fault).__name__}) {where}"

    client = Executor(
        notebook, km=manager, allow_errors=True, record_timing=False, coalesce_streams=True,
        startup_timeout=60, timeout=limits.cell, interrupt_on_timeout=True, iopub_timeout=10,
        raise_on_iopub_timeout=True, shell_timeout_interval=1,
        error_on_timeout=error("CellTimeoutError", f"more than {limits.cell} s"),
    )  # fmt: skip
    client.on_cell_executed = client.on_reply
    client.begin()
    return client


def shown(output: Any) -> dict[str, Any]:
    """Keep text and pictures of an output, cut to size; nothing that a browser runs."""
    kind = output["output_type"]
    if kind == "stream":
        name = "stderr" if output["name"] == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": str(output["text"])}
    if kind == "error":
        lines = [str(line)[:LONGEST] for line in output["traceback"][-TRACEBACK:]]
        said = error(str(output["ename"])[:LONGEST], str(output["evalue"])[:LONGEST])
        return said | {"traceback": lines or said["traceback"]}
    data = {key: value for key, value in output["data"].items() if key in SHOWN and isinstance(value, str)}
    count = {"execution_count": None} if kind == "execute_result" else {}
    return {"output_type": kind, "data": data, "metadata": {}} | count


def is_test(cell: Any) -> bool:
    """Tell whether points depend on the output of this cell."""
    return bool(cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"))


def is_locked(cell: Any) -> bool:
    """Tell whether the cell's source is the teacher's."""
    return bool(cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("locked"))


def main() -> None:
    """Read the notebook and the limits, run, write the outcome."""
    import logging

    import nbformat

    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    asked = json.load(sys.stdin)
    notebook = nbformat.from_dict(asked["notebook"])
    outcome = run(
        notebook, Limits(**asked["limits"]), asked["sandbox"], [Path(path) for path in asked["hidden"]]
    )
    json.dump(asdict(outcome), sys.stdout)


if __name__ == "__main__":
    main()
