"""Run one submission in a sandbox: `python -m classroom.run < prepared.json > outputs.json`.

This process is trusted and stands outside the sandbox. It talks to the kernel over sockets in a folder, the
only one that the kernel can write to.
"""

from __future__ import annotations

import ast
import asyncio
import errno
import json
import logging
import os
import re
import resource
import subprocess
import sys
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import psutil
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from classroom import cases
from classroom.cases import Answer, Ask, ByHand, Question, reply, request, seeding
from classroom.sandbox import emptied, environment, own_folder, sandboxed
from classroom.submission import Limits, error

LONGEST, TRACEBACK = 2000, 20  # characters a line and lines of an error message
SHOWN = {"text/plain", "image/png"}  # nothing that a browser would run when the teacher reads the feedback
SILENT = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
TOO_LATE = Answer(raised=("TimeoutError",), text="the answer did not come in time")
AGENT = "__import__('sys').modules['classroom.isolated_kernel']"
SOURCE = Path(__file__).with_name("isolated_kernel.py").read_text(encoding="utf-8")
PYTHON = [sys.executable, "-c", "from classroom.isolated_kernel import start; start()"]


@dataclass
class Outcome:
    """What came out of a run."""

    outputs: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    """The outputs of each code cell that ran to its end, by its position."""
    started: bool = False
    timed_out: list[int] = field(default_factory=list)
    stopped: str = ""  # why the run ended early; empty where it did not
    verdicts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What each question earned, case by case, by its name."""
    signed: str | None = None  # the student number whose numbers the notebook worked with
    broken: str = ""  # what is wrong with the checks themselves; empty where nothing is
    given: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The numbers that stand in the answers by hand, by the question's name."""


def run(notebook: Any, limits: Limits, sandbox: str, examiner: Examiner) -> Outcome:
    """Run a prepared notebook in a kernel of its own; whatever happens there, come back in time."""
    hidden = [] if sandbox == "none" else examiner.hide()
    with own_folder() as folder, own_folder() as stubs:
        replaced = {path: stub for name in hidden for path, stub in emptied(name, stubs)}
        words = sandboxed(sandbox, folder, replaced)
        return asyncio.run(run_kernel(notebook, limits, folder, words, examiner))


async def run_kernel(
    notebook: Any, limits: Limits, folder: Path, sandbox: list[str], examiner: Examiner
) -> Outcome:
    """Start the kernel, run the cells, and stop it, under a watch over time, memory and files."""
    most = f"{limits.memory},{limits.whole + limits.cell},{limits.disk // 2}"
    manager = AsyncKernelManager(
        transport="ipc", ip=str(folder / "s"), connection_file=str(folder / "kernel.json")
    )
    manager._kernel_spec = KernelSpec(
        argv=[*sandbox, *PYTHON, most, "-f", "{connection_file}"],
        language="python", interrupt_mode="message",
    )  # fmt: skip
    manager.write_connection_file()
    client = Executor(notebook, manager, limits, examiner)
    outcome = client.outcome
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
        if client.kc:
            client.kc.stop_channels()
    return outcome


class Examiner:
    """Knows the questions of a set; asked by a cell's name, it puts the cases to the submission."""

    def __init__(self, checks: str, student: str, word: str, locked: dict[str, str]) -> None:
        self.questions = cases.questions(Path(checks)) if checks else {}
        self.student, self.word, self.locked = student, word, locked
        self.own: dict[str, Any] = {}

    def hide(self) -> list[str]:
        """Name the modules that no question needs, and ask without them from now on.

        Every question withholds them that withholds anything, and the sheet does not import their library.
        """
        asked = [one for one in self.questions.values() if isinstance(one, Question) and one.without]
        sheet = "\n".join(self.locked.values())
        found = [
            name for name in (asked[0].without if asked else ())
            if ":" not in name and all(name in one.without for one in asked)
            and not re.search(rf"\b(import|from) {name.partition('.')[0]}\b", sheet)
        ]  # fmt: skip
        for one in asked:
            left = [name for name in one.without if name not in found]
            self.questions[one.name] = replace(one, without=left)
        return found

    def __call__(self, name: str, ask: Ask, outcome: Outcome) -> None:
        """Judge the question whose test has this name; read the student's number where numbers are drawn."""
        if name in ("student", "numbers"):
            outcome.signed = self.number(ask("STUDENT_ID", None, ()))
        question = self.questions.get(name.removeprefix("test-"))
        if question and name.startswith("test-"):
            self.own = self.own or cases.own_numbers(self.locked, outcome.signed or self.student)
            seed = [seeding(self.word), seeding(self.student)]
            if isinstance(question, ByHand):
                given = {key: question.given(ask, key).value for key in question.ideas}
                numbers = {key for key in given if cases.formed(given[key], 0.0) and np.ndim(given[key]) == 0}
                outcome.given[question.name] = {key: float(given[key]) for key in numbers}
            try:
                verdicts = question.grade(ask, seed, self.own)
            except (DeadKernelError, CancelledError):
                raise
            except Exception as fault:
                outcome.broken = f"the checks of {question.name} failed: {type(fault).__name__}: {fault}"
            else:
                outcome.verdicts[name] = [asdict(verdict) for verdict in verdicts]

    @staticmethod
    def number(answer: Answer) -> str | None:
        """Read the student number; half a character, which nothing could write, becomes a question mark."""
        text = answer.value if isinstance(answer.value, str) else ""
        return text[:100].encode("utf-8", "replace").decode() or None


class OverLimit(Exception):
    """A submission took more than it may."""


async def watch(client: Executor, folder: Path, limits: Limits) -> None:
    """Raise as soon as the time is up or the submission's processes and files together are too large."""
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
    """Add up the bytes below a folder, at least a block for each file or folder."""
    total, waiting = 0, [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    total += max(4096, entry.stat(follow_symlinks=False).st_size)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError as fault:
            if fault.errno == errno.ENAMETOOLONG:
                raise OverLimit("more folders in each other than can be read") from None
    return total


class Executor(NotebookClient):
    """Runs the cells one by one, and puts a question's cases to the kernel where its test stands."""

    def __init__(
        self, notebook: Any, manager: AsyncKernelManager, limits: Limits, examiner: Examiner
    ) -> None:
        super().__init__(
            notebook, km=manager, allow_errors=True, record_timing=False, coalesce_streams=True,
            startup_timeout=60, timeout=limits.cell, interrupt_on_timeout=True, iopub_timeout=10,
            raise_on_iopub_timeout=True, shell_timeout_interval=1,
            error_on_timeout=error("CellTimeoutError", f"more than {limits.cell} s"),
        )  # fmt: skip
        self.on_cell_executed = self.on_reply
        self.outcome, self.position, self.written, self.limits = Outcome(), 0, 0, limits
        self.examiner, self.fresh = examiner, False

    async def run_all(self, folder: Path, variables: dict[str, str]) -> None:
        """Start the kernel, run every code cell, and judge the answers."""
        self.reset_execution_trackers()
        await self.async_start_new_kernel(cwd=str(folder), env=variables, **SILENT)
        await self.async_start_new_kernel_client()
        self.outcome.started = True
        for position, cell in enumerate(self.nb.cells):
            self.position = position
            if cell.cell_type != "code":
                continue
            cell.outputs, self.written = [], 0
            await self.async_execute_cell(cell, position)
            self.outcome.outputs[position] = [clean(output) for output in cell.outputs]
            await self.examine(cell.metadata.get("nbgrader", {}).get("grade_id", ""))

    async def examine(self, name: str) -> None:
        """Judge what a cell of the set stands for; the time of a cell holds for all calls together."""
        loop = asyncio.get_running_loop()
        left = float(self.limits.cell)
        self.fresh = False

        def ask_in_time(*question: Any) -> Answer:
            nonlocal left
            started = loop.time()
            asked = asyncio.run_coroutine_threadsafe(self.ask(request(*question), left), loop)
            answer = asked.result()
            left = max(0.0, left - (loop.time() - started))
            return answer

        await asyncio.to_thread(self.examiner, name, ask_in_time, self.outcome)

    async def ask(self, question: str, seconds: float) -> Answer:
        """Send a question to the kernel; an answer that comes too late is none."""
        call = f"{AGENT}.answer({question!r})"
        if not self.fresh:
            call = f"(__import__('builtins').exec({SOURCE!r}, {AGENT}.__dict__), {call})[1]"
        self.fresh = True
        assert self.kc
        if not seconds:
            return TOO_LATE
        sent = self.kc.execute("", silent=True, store_history=False, user_expressions={"answer": call})
        waiting = asyncio.ensure_future(self.async_wait_for_reply(sent))
        done, _ = await asyncio.wait([waiting], timeout=seconds)
        if not done:
            self.outcome.timed_out.append(self.position)
            assert isinstance(self.km, AsyncKernelManager)
            await self.km.interrupt_kernel()
            await asyncio.wait([waiting], timeout=self.limits.cell)
            if not waiting.done():
                raise DeadKernelError("it does not stop")
            return TOO_LATE
        try:
            text = (waiting.result() or {})["content"]["user_expressions"]["answer"]["data"]["text/plain"]
            return reply(str(ast.literal_eval(text)) if len(text) < self.limits.message else "")
        except (KeyError, TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
            return reply("")

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        """Drop what a cell writes beyond the limit."""
        if msg["msg_type"] in ("stream", "display_data", "execute_result", "update_display_data"):
            self.written += len(str(msg["content"]))
            if self.written > self.limits.output:
                return None
        return super().process_message(msg, cell, cell_index)

    async def on_reply(self, cell: Any, cell_index: int, execute_reply: Any) -> None:
        """Note a time-out, and an error that left no output."""
        content = execute_reply["content"]
        if content.get("ename") == "CellTimeoutError":
            self.outcome.timed_out.append(cell_index)
        failed = any(output["output_type"] == "error" for output in cell.outputs)
        if content["status"] == "error" and (not failed or cell_index in self.outcome.timed_out):
            cell.outputs.append(error(content.get("ename", ""), content.get("evalue", "")))

    def explain(self, fault: Exception) -> str:
        """Say why the run ended."""
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


def clean(output: Any) -> dict[str, Any]:
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


def main() -> None:
    """Read the notebook and the limits, run, write the outcome."""
    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    asked = json.load(sys.stdin)
    most = 3 * asked["limits"]["memory"]  # for what a kernel sends at once, and what is made of it
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    outcome = run(
        nbformat.from_dict(asked["notebook"]), Limits(**asked["limits"]), asked["sandbox"],
        Examiner(**asked["examiner"]),
    )  # fmt: skip
    told = json.dumps(asdict(outcome), ensure_ascii=False)
    sys.stdout.buffer.write(told.encode("utf-8", "replace"))  # half a character becomes a question mark


if __name__ == "__main__":
    main()
