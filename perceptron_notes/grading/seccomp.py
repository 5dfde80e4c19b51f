"""Calls to the system that a student's notebook has no use for, as a filter for the kernel.

They make memory that no limit of a process counts (System V shared memory), reach into other
processes, or lead into the less trodden parts of the kernel. Each fails with EPERM.
"""

from __future__ import annotations

import platform
import struct

__all__ = ["program"]

#: Names, with their numbers on x86-64 and on 64-bit ARM (``asm/unistd.h``).
CALLS = {
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "memfd_secret": (447, 447),
}
#: By what `platform.machine` says: the column above, and the kernel's number of the machine.
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, DENY = 0x7FFF0000, 0x00050001
NUMBER, MACHINE = 0, 4
#: On x86-64 all calls have second numbers from here on.
SECOND_NUMBERS = 0x40000000


def program() -> bytes | None:
    """The filter in the kernel's own form, for ``bwrap --seccomp``.

    Returns
    -------
    bytes or None
        ``None`` on other machines.

    References
    ----------
    The Linux kernel's documentation, "Seccomp BPF".
    """
    if platform.machine() not in MACHINES:
        return None
    column, machine = MACHINES[platform.machine()]
    tests = [(AT_LEAST, SECOND_NUMBERS), *((EQUAL, numbers[column]) for numbers in CALLS.values())]
    lines = [(LOAD, 0, 0, MACHINE), (EQUAL, 0, len(tests) + 2, machine), (LOAD, 0, 0, NUMBER)]
    for left, (test, number) in zip(range(len(tests), 0, -1), tests, strict=True):
        lines.append((test, left, 0, number))  # behind the tests: allow, then deny
    lines += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, DENY)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
