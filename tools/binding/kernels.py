"""Kernels that begin with what every lesson imports.

To import a kernel, pandas, scikit-learn and matplotlib takes a processor two seconds for each notebook. Here
one process imports them once, and each kernel is its fork: the standard library's fork server, with the words
by which Jupyter speaks to a process. Where there is no fork, kernels start as always.
"""

import multiprocessing
import os
import time
from multiprocessing.context import ForkServerProcess
from subprocess import Popen
from typing import Any

from jupyter_client.launcher import launch_kernel
from jupyter_client.provisioning import local_provisioner

INLINE = "module://matplotlib_inline.backend_inline"
COMMON = [
    "ipykernel.kernelapp",
    "matplotlib.figure",
    "pandas",
    "scipy.stats",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "calibration_lessons.book.datasets",
]


class Forked(ForkServerProcess):
    """A fork that understands what Jupyter says to a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """Return how it ended, or None."""
        return self.exitcode

    def wait(self) -> int | None:
        """Return how it ended, then."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Interrupt or end it."""
        assert self.pid
        os.kill(self.pid, number)


def use_forks() -> None:
    """Let Jupyter start its own kernels in this process as forks."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        multiprocessing.get_context("forkserver").set_forkserver_preload(COMMON)
        local_provisioner.launch_kernel = _launch


def _launch(command: list[str], **options: Any) -> Forked | Popen[bytes]:
    if "ipykernel_launcher" not in command[:4]:  # as that of a submission in its sandbox
        return launch_kernel(command, **options)
    kernel = Forked(target=_run, args=(command[command.index("-f") :], options.get("cwd"), options["env"]))
    kernel.start()
    assert kernel.pid
    while os.getpgid(kernel.pid) != kernel.pid:  # signals go to a group, which must not be ours
        time.sleep(0.001)
    return kernel


def _run(arguments: list[str], cwd: str | None, env: dict[str, str]) -> None:
    import matplotlib as mpl
    from ipykernel.kernelapp import IPKernelApp

    os.setsid()
    os.environ |= env
    mpl.rcParams["backend"] = INLINE  # read from the environment when matplotlib was imported
    os.chdir(cwd or ".")
    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])
