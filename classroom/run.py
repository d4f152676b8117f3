"""Run submissions in a sandbox, one after the other: `python -m classroom.run` answers line by line.

Each has a process of its own, forked from one that has imported all. Both are trusted and stand outside
the sandbox. It talks to the kernel over sockets in a folder, the only one that the kernel can write to.
"""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import os
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from operator import gt
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import psutil
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from classroom import cases
from classroom.cases import Answer, Ask, reply, request, seeding
from classroom.reading import Refused, prepare
from classroom.sandbox import emptied, environment, modules, own_folder, removed, sandboxed
from classroom.submission import Limits, error, grade_id, is_test

MOST_FILES, MOST_OUTPUT = 5000, 2_000_000  # in all; output in characters
LONGER = 120  # seconds that a busy machine may add
LONGEST, TRACEBACK = 2000, 20  # characters a line and lines of an error message
SHOWN = {"text/plain", "image/png"}  # nothing that a browser would run when the teacher reads the feedback
SILENT = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
ABSENT = "the question asks you to write it yourself"
FAILED = "the kernel could not take the question"
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
    missed: list[str] | None = None
    """The questions whose tests asked for what was withheld, '' for cells; none where it is not known."""
    notebook: Any = None
    refused: str = ""  # why nothing was run; empty where it was

    def told(self, question: str) -> list[dict[str, Any]]:
        """Return what a question earned, case by case."""
        return self.verdicts.get(f"test-{question}", [])

    def earned(self, question: str) -> list[float]:
        """Return the points of each case."""
        return [one["earned"] for one in self.told(question)]

    def lost(self, question: str) -> bool:
        """Tell whether a question earned less than all its points."""
        return not self.told(question) or any(one["earned"] < one["possible"] for one in self.told(question))

    def hindered(self, question: str) -> bool:
        """Tell whether a question lost points, and may have missed what was withheld."""
        missed = self.missed is None or not {"", question}.isdisjoint(self.missed)
        return missed and self.lost(question)

    def earns_more(self, question: str, other: Outcome) -> bool:
        """Tell whether a question earned more here than there, in any case."""
        here, there = self.earned(question), other.earned(question)
        return len(here) != len(there) or any(map(gt, here, there))


def run(notebook: Any, limits: Limits, sandbox: str, examiner: Examiner) -> Outcome:
    """Run a prepared notebook where nothing is that a question withholds; come back in time.

    What the sheet itself hands out is withheld in a run of its own, from the questions that withhold it. Who
    misses something is run again, with all of it. A question that lost points, and earns more there, is put
    once more, with all that the others withhold; one that does not keeps its points, and is told what it did
    with all at hand. Each run has hidden inputs of its own: what one run computed with all at hand helps no
    other.
    """
    started = time.monotonic()
    withheld, given = examiner.withheld, "\n".join(examiner.locked.values())
    handed_out = {
        name for names in withheld.values() for name in names
        if ":" in name and re.search(rf"\b{name.partition(':')[2]}\b", given)
    }  # fmt: skip
    most = {name for names in withheld.values() if names.isdisjoint(handed_out) for name in names}
    first = {name for name, names in withheld.items() if names <= most}
    outcome = run_once(notebook, limits, sandbox, examiner, most, first)
    hung = {grade_id(notebook.cells[place]).removeprefix("test-") for place in outcome.timed_out}
    hung &= first  # once more would take the time of the others
    again = {name for name in withheld if name not in first or outcome.hindered(name)} - hung
    worlds = [frozenset[str]()] * (outcome.missed != [] and bool(most))
    worlds += [frozenset().union(*(withheld[name] for name in again - first))] * bool(again - first)
    worlds += [withheld[name] for name in withheld if name in again]
    for world in dict.fromkeys(worlds):
        asked = {name for name in again if withheld[name] <= world} if world else set(again)
        if world and not asked:
            continue
        left = int(limits.whole - (time.monotonic() - started))
        if left <= limits.cell:
            outcome.stopped = outcome.stopped or f"more than {limits.whole} s in all, and questions left"
            break
        examiner.skipped = withheld.keys() - asked if world else hung
        examiner.world = (" ".join(sorted(world)),)
        other = run_once(notebook, replace(limits, whole=left), sandbox, examiner, set(world), asked)
        if not other.started:  # at a limit: what was earned before that stays earned
            outcome.stopped, outcome.started = other.stopped, other.stopped.startswith("more than")
            break
        settled = {name for name in asked if withheld[name] == world}
        if world:  # who may miss in it what the other questions withhold is put once more, alone
            settled |= {name for name in asked if not other.hindered(name)}
        else:
            settled |= {name for name in asked & first if not other.earns_more(name, outcome)}
        again -= settled
        outcome.verdicts |= {
            f"test-{name}": other.told(name) for name in settled
            if other.told(name) and sum(other.earned(name)) >= sum(outcome.earned(name))
        }  # fmt: skip
        if not world:
            other.verdicts, other.signed = outcome.verdicts, outcome.signed
            other.outputs = outcome.outputs | other.outputs
            other.timed_out += outcome.timed_out
            outcome = other
    return outcome


def run_once(
    notebook: Any, limits: Limits, sandbox: str, examiner: Examiner, withheld: set[str], asked: set[str]
) -> Outcome:
    """Run a notebook in a kernel of its own without some modules, and ask it some questions."""
    examiner.asked = asked
    with own_folder() as folder:
        replaced = emptied(withheld, Path(examiner.stubs)) if withheld else {}
        words = sandboxed(sandbox, folder, replaced)
        most = [limits.memory, limits.whole + limits.cell, modules(replaced, bound=sandbox != "none")]
        kernel = [*words, *PYTHON, json.dumps(most), "-f", "{connection_file}"]
        return asyncio.run(run_kernel(copy.deepcopy(notebook), limits, folder, kernel, examiner))


async def run_kernel(
    notebook: Any, limits: Limits, folder: Path, kernel: list[str], examiner: Examiner
) -> Outcome:
    """Start the kernel, run the cells, and stop it, under a watch over time, memory and files."""
    manager = AsyncKernelManager(
        transport="ipc", ip=str(folder / "s"), connection_file=str(folder / "kernel.json")
    )
    manager._kernel_spec = KernelSpec(argv=kernel, language="python", interrupt_mode="message")
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

    def __init__(self, checks: str, student: str, word: str, locked: dict[str, str], stubs: str = "") -> None:
        self.questions = cases.questions(Path(checks)) if checks else {}
        self.withheld = {name: frozenset(getattr(one, "without", ())) for name, one in self.questions.items()}
        self.student, self.word, self.locked, self.stubs = student, word, locked, stubs
        self.own: dict[str, Any] = {}
        self.asked, self.skipped = set(self.questions), set[str]()
        self.world: tuple[str, ...] = ()  # what a later run lacks: its inputs are others

    def __call__(self, name: str, ask: Ask, outcome: Outcome) -> None:
        """Judge the question whose test has this name; read the student's number where numbers are drawn."""
        self.sign(name, ask, outcome)
        question = self.questions.get(name.removeprefix("test-"))
        if question and name.startswith("test-") and question.name in self.asked:
            self.own = self.own or cases.own_numbers(self.locked, outcome.signed or self.student)
            seed = [seeding(text) for text in (self.word, self.student, *self.world)]
            try:
                verdicts = question.grade(ask, seed, self.own)
            except (DeadKernelError, CancelledError):
                raise
            except Exception as fault:
                outcome.broken = f"the checks of {question.name} failed: {type(fault).__name__}: {fault}"
            else:
                outcome.verdicts[name] = [asdict(verdict) for verdict in verdicts]

    def sign(self, name: str, ask: Ask, outcome: Outcome) -> None:
        """Read the student number."""
        if name in ("student", "numbers"):
            signed = ask("STUDENT_ID", None).value
            outcome.signed = cases.in_a_line(signed)[:100] or None if isinstance(signed, str) else None


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
        used, threads = me.memory_info().rss, 0  # what the kernel sends is memory here
        for process in me.children(recursive=True):
            with suppress(psutil.Error):
                used, threads = used + process.memory_info().rss, threads + process.num_threads()
        if used > limits.memory:
            raise OverLimit(f"more than {limits.memory / 2**30:.1f} GiB of memory")
        if threads > limits.threads:
            raise OverLimit(f"more than {limits.threads} processes and threads")
        room = os.statvfs(folder)
        if os.path.ismount(folder.parent) and room.f_files - room.f_ffree > MOST_FILES:
            raise OverLimit(f"more than {MOST_FILES} files")


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
        self.all_written, self.skipped = 0, examiner.skipped
        self.examiner, self.fresh, self.missed = examiner, False, set[str]()

    async def run_all(self, folder: Path, variables: dict[str, str]) -> None:
        """Start the kernel, run every code cell, and judge the answers."""
        self.reset_execution_trackers()
        await self.async_start_new_kernel(cwd=str(folder), env=variables, **SILENT)
        await self.async_start_new_kernel_client()
        self.outcome.started, waiting = True, set(self.examiner.asked)
        for position, cell in enumerate(self.nb.cells):
            self.position = position
            name = grade_id(cell)
            if cell.cell_type != "code" or (is_test(cell) and name.removeprefix("test-") in self.skipped):
                continue
            cell.outputs, self.written = [], 0
            question = name.removeprefix("test-") if is_test(cell) else ""
            if question:
                await self.note_missed("")
            await self.async_execute_cell(cell, position)
            self.outcome.outputs[position] = [clean(output) for output in cell.outputs]
            await self.examine(name)
            told = str([self.outcome.outputs[position], self.outcome.told(question)])
            if any(sign in told for sign in ("ImportError", "ModuleNotFound", ABSENT)):
                self.missed.add(question)  # in another process of its own, perhaps
            if question:
                await self.note_missed(question)
            waiting -= {question}
            if not waiting and self.skipped:
                break
        await self.note_missed("")
        self.outcome.missed = [*self.missed]

    async def note_missed(self, question: str) -> None:
        """Note which question, or that a cell, has called something that was withheld."""
        if (await self.ask('{"missed": 1}', self.limits.cell)).value != []:
            self.missed.add(question)

    async def examine(self, name: str) -> None:
        """Judge what a cell of the set stands for; the time of a cell holds for all calls together."""
        loop = asyncio.get_running_loop()
        left = float(self.limits.cell)
        self.fresh = False

        def ask_in_time(*question: Any) -> Answer:
            nonlocal left
            started = loop.time()
            answer = asyncio.run_coroutine_threadsafe(self.ask(request(*question), left), loop).result()
            left = max(0.0, left - (loop.time() - started))
            return answer

        await asyncio.to_thread(self.examiner, name, ask_in_time, self.outcome)

    async def ask(self, question: str, seconds: float, *, cleared: bool = False) -> Answer:
        """Send a question to the kernel; an answer that comes too late is none.

        A kernel without memory clears away what no name leads to, such as the frames of a cell that failed,
        and is asked once more.
        """
        call = f"{AGENT}.answer({question!r})"
        if not self.fresh:
            call = f"(__import__('builtins').exec({SOURCE!r}, {AGENT}.__dict__), {call})[1]"
        if cleared:
            call = f"(__import__('gc').collect(), {call})[1]"
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
            said = (waiting.result() or {})["content"]["user_expressions"]["answer"]
            if said["status"] == "error":
                self.fresh = False
                if said["ename"] == "MemoryError" and not cleared:
                    return await self.ask(question, seconds, cleared=True)
                return reply(json.dumps({"raised": [said["ename"]], "text": FAILED}))
            text = said["data"]["text/plain"]
            plain = text[1:-1] if len(text) < self.limits.message else ""  # a text: nothing else is read
            return reply(plain.encode("ascii").decode("unicode_escape"))
        except (KeyError, TypeError, ValueError, AttributeError, MemoryError, RecursionError):
            return reply("")

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        """Drop what a cell writes beyond the limit, and what belongs to widgets."""
        if msg["msg_type"].startswith("comm_"):
            return None
        if msg["msg_type"] in ("stream", "display_data", "execute_result", "update_display_data", "error"):
            size = len(str(msg["content"]))
            self.written, self.all_written = self.written + size, self.all_written + size
            if self.written > self.limits.output or self.all_written > MOST_OUTPUT:
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


def too_long(*_: object) -> None:
    """Stop reading a file that takes too long."""
    raise Refused("takes too long to read")


def answer(asked: dict[str, Any], examiner: Examiner) -> None:
    """Run one submission, and write what came of it."""
    most = 3 * asked["limits"]["memory"]  # for what a kernel sends at once, and what is made of it
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(asked["limits"]["cell"])
    try:
        notebook = prepare(Path(asked["path"]), asked["sets"], asked["name"])
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(asked["limits"]["whole"] + LONGER)
        outcome = run(notebook, Limits(**asked["limits"]), asked["sandbox"], examiner)
        outcome.notebook = notebook
    except Refused as reason:
        outcome = Outcome(refused=str(reason))
    told = json.dumps(asdict(outcome), ensure_ascii=False)
    sys.stdout.buffer.write(told.encode("utf-8", "replace"))  # half a character becomes a question mark
    sys.stdout.flush()


def main() -> None:
    """Answer each line, a submission, with a line: its outcome, and how the process ended that ran it."""
    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    for line in sys.stdin:
        asked = json.loads(line)
        examiner = Examiner(**asked["examiner"])  # what the checks import is imported once
        if not (child := os.fork()):
            ended = 1
            try:
                answer(asked, examiner)
                ended = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(ended)
        print(f" {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}", flush=True)
        for left in Path(gettempdir()).iterdir():  # by a process that was killed
            removed(left)


if __name__ == "__main__":
    main()
