"""The filter of calls: its numbers are Linux's, and what it refuses fails in the sandbox."""

import errno
import json
import platform
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from classroom import sandbox, seccomp

SANDBOX = sandbox.working_sandbox()
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
OTHERS = {"clone3": seccomp.CLONE3, "clone": seccomp.CLONE, "ioctl": seccomp.IOCTL, "socket": seccomp.SOCKET}
CALLED = """
import ctypes, json, sys
call = ctypes.CDLL(None, use_errno=True).syscall
print(json.dumps([call(*one) >= 0 or ctypes.get_errno() for one in json.loads(sys.argv[1])]))
"""


def inside(*words):
    """Run Python in the sandbox; return what it wrote."""
    with sandbox.own_folder() as folder:
        command = [*sandbox.sandboxed("bubblewrap", folder, {}), sys.executable, "-c", *words]
        variables = sandbox.environment(folder)
        return json.loads(subprocess.run(command, env=variables, capture_output=True, check=True).stdout)


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_are_those_of_the_machines_header(machine):
    if not HEADERS[machine].exists():
        pytest.skip("no headers of Linux here")
    text = HEADERS[machine].read_text(encoding="utf-8")
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\n", text))
    place = [*seccomp.MACHINES].index(machine)
    numbers = {name: of[place] for name, of in (seccomp.REFUSED | OTHERS).items() if of[place] >= 0}
    assert numbers == {name: int(known[name]) for name in numbers if name in known}


@pytest.mark.skipif(SANDBOX == "none" or not seccomp.program(), reason="no bubblewrap or no filter here")
class TestFilter:
    def test_every_call_that_is_refused_fails(self):
        place = [*seccomp.MACHINES].index(platform.machine())
        numbers = [of[place] for of in seccomp.REFUSED.values() if of[place] >= 0]
        assert {*inside(CALLED, json.dumps([[number, 0, 0, 0] for number in numbers]))} == {errno.EPERM}

    def test_arguments_are_looked_at_where_a_call_is_needed_otherwise(self):
        place = [*seccomp.MACHINES].index(platform.machine())
        new_user, type_in = 0x10000000 | 17, 0x5412
        asked = [
            [seccomp.CLONE3[place], 0, 0], [seccomp.CLONE[place], new_user, 0],
            [seccomp.IOCTL[place], 0, type_in],
            *([seccomp.SOCKET[place], family, 1, 0] for family in (socket.AF_VSOCK, socket.AF_ALG)),
            *([seccomp.SOCKET[place], family, 1, 0] for family in (socket.AF_UNIX, socket.AF_INET)),
        ]  # fmt: skip
        assert inside(CALLED, json.dumps(asked)) == [errno.ENOSYS, *[errno.EPERM] * 4, True, True]

    def test_settings_of_the_machine_can_only_be_read(self):
        opened = "import os\ntry: os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)"
        assert inside(f"{opened}\nexcept OSError as fault: print(fault.errno)") in (errno.EROFS, errno.EACCES)


def test_where_the_machines_calls_are_not_known_there_is_no_filter(monkeypatch):
    assert seccomp.program("riscv64") == b""
    monkeypatch.setattr(seccomp, "AVAILABLE", Path("/nowhere"))
    assert seccomp.program() == b""
