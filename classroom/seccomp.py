"""The filter in front of Linux: calls that no answer needs fail in the sandbox, and in what it starts.

A fault of Linux is mostly reached by a call that hardly any program makes, and some calls reach past a
sandbox by their nature: a keyring and the host of a virtual machine are no part of its namespaces, memory
without a file or a process counts for no limit. `program` writes the filter as seccomp(2) reads it.
"""

import errno
import platform
import struct
from pathlib import Path

AVAILABLE = Path("/proc/sys/kernel/seccomp/actions_avail")
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # as linux/audit.h numbers them
OTHER_NUMBERS = 0x40000000  # the calls of x86_64 with short pointers
REFUSED = {  # the numbers of calls, in the order of the machines; -1 where a machine has no such call
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "pidfd_getfd": (438, 438), "perf_event_open": (298, 241), "bpf": (321, 280),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "chroot": (161, 51),
    "pivot_root": (155, 41), "fsopen": (430, 430), "fsmount": (432, 432), "move_mount": (429, 429),
    "open_tree": (428, 428), "mount_setattr": (442, 442), "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "iopl": (172, -1),
    "ioperm": (173, -1), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116),
}  # fmt: skip
CLONE3 = (435, 435)  # C libraries take `clone` where it is not there: its flags can be seen
CLONE, NAMESPACES = (56, 220), 0x7E020000  # the flags that make a namespace
IOCTL, TYPES = (16, 29), (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX: they type into a terminal
SOCKET, FAMILIES = (41, 198), (1, 2, 10, 16)  # Unix, IPv4, IPv6, netlink: all that a namespace holds

# A step is an instruction, how many steps it skips where it holds and where it does not, and a number.
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, MACHINE, FIRST, SECOND = 0, 4, 16, 24  # where a call's number, machine and arguments stand
ALLOW, ERROR = 0x7FFF0000, 0x00050000


def program(machine: str = platform.machine()) -> bytes:
    """Write the filter; nothing for a machine whose calls are not known here, or a Linux without seccomp."""
    if machine not in MACHINES or not AVAILABLE.exists():
        return b""
    place = [*MACHINES].index(machine)
    no = (RETURN, 0, 0, ERROR | errno.EPERM)
    steps = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, MACHINES[machine]), no]
    steps += [(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, OTHER_NUMBERS), no]
    for numbers in REFUSED.values():
        steps += [(EQUAL, 0, 1, numbers[place]), no] if numbers[place] >= 0 else []
    steps += [(EQUAL, 0, 1, CLONE3[place]), (RETURN, 0, 0, ERROR | errno.ENOSYS)]
    families = [(EQUAL, len(FAMILIES) - count, 0, family) for count, family in enumerate(FAMILIES)]
    for numbers, of, check in (
        (CLONE, FIRST, [(ANY_BIT, 0, 1, NAMESPACES), no]),
        (IOCTL, SECOND, [step for value in TYPES for step in ((EQUAL, 0, 1, value), no)]),
        (SOCKET, FIRST, [*families, no]),
    ):
        steps += [(EQUAL, 0, 2 + len(check), numbers[place]), (LOAD, 0, 0, of), *check]
        steps += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in [*steps, (RETURN, 0, 0, ALLOW)])
