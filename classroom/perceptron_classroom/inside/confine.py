"""Irrevocable restrictions that a process sets on itself before it runs a student's code.

Each is a system call. Together they leave a process that computes and writes
to its own folder: it sees no other process and no network, has no rights, and cannot get
any.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path

from perceptron_classroom.inside import seccomp

__all__ = [
    "become",
    "filter_calls",
    "limit",
    "limit_growth",
    "move_in",
    "only_write_in",
    "part",
    "renounce",
]

#: Outside Unix none of this exists, and none is called.
LIBC = ctypes.CDLL(None if os.name == "posix" else "msvcrt", use_errno=True)
#: Flags of ``unshare``: mounts, processes, System V's memory, network, name of the host.
NAMESPACES = 0x00020000 | 0x20000000 | 0x08000000 | 0x40000000 | 0x04000000
#: Flags of ``mount``: no rights from files, no devices, no programs; private, recursive; change
#: to read-only.
INERT, PRIVATE, READ_ONLY = 2 | 4 | 8, 0x40000 | 0x4000, 1 | 0x20 | 0x1000
#: The only devices visible, as programs and libraries need them.
DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
#: Options of ``prctl``.
DUMPABLE, SECCOMP, DROP_BOUND, NO_NEW_PRIVILEGES = 4, 22, 24, 38
#: Landlock: its system calls, on every machine, and the rights known to each version.
CREATE, ADD, RESTRICT = 444, 445, 446
RUN, WRITE, SPECIAL = 1, 0b1_1111_1111_0010, 0b1000_1110_0100_0000
SINCE = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library, which must succeed."""
    result: int = getattr(LIBC, name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def part() -> None:
    """Enter new namespaces: the next child is their first process."""
    call("unshare", NAMESPACES)


def move_in(box: str, size: int, files: int, uid: int) -> None:
    """Mount an empty folder in memory over the box, for this process and its children only."""
    call("mount", None, b"/", None, ctypes.c_ulong(PRIVATE), None)
    for device in DEVICES:  # writable, but with fixed time stamps
        flags = os.statvfs(device).f_flag & 0xF | READ_ONLY
        call("mount", None, device.encode(), None, ctypes.c_ulong(flags), None)
    options = f"size={size},nr_inodes={files},mode=0700,uid={uid},gid={uid}"
    call("mount", b"tmpfs", box.encode(), b"tmpfs", ctypes.c_ulong(INERT), options.encode())


def become(uid: int | None) -> None:
    """Give up root, if this is root, and the rights that even a later root could have."""
    for right in range(64):
        if LIBC.prctl(DROP_BOUND, right, 0, 0, 0) < 0:
            break  # no further rights in this kernel
    if uid is not None:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)


def renounce() -> None:
    """Give up all rights, and any way to new ones; bar other processes from this one's memory."""
    version = (ctypes.c_uint32 * 2)(0x20080522, 0)
    call("capset", version, (ctypes.c_uint32 * 6)())
    call("prctl", NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0)))
    call("prctl", DUMPABLE, *map(ctypes.c_ulong, (0, 0, 0, 0)))


def limit(limits: dict[str, int]) -> None:
    """Limit the resources of this process."""
    import resource

    for name, amount in limits.items():
        number = getattr(resource, name)
        most = resource.getrlimit(number)[1]
        amount = amount if most == resource.RLIM_INFINITY else min(amount, most)
        resource.setrlimit(number, (amount, amount))


def limit_growth(amount: int) -> None:
    """Limit the memory of this process beyond its current use, if the system reports that."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = pages * resource.getpagesize() + amount
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def only_write_in(*places: str) -> bool:
    """Allow writing only in these places, no new program, and no sockets or signals to others.

    Return whether the kernel has Landlock; without it, mounts and other restrictions must suffice.
    """
    version = LIBC.syscall(CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if version < 1:
        return False
    write = WRITE | sum(right for since, right in SINCE.items() if version >= since)
    # Ports to bind or to connect to (2 rights), and sockets or signals to others (2 more).
    rules = (ctypes.c_uint64 * 3)(RUN | write, 3 * (version >= 4), 3 * (version >= 6))
    rule_set = call("syscall", CREATE, rules, ctypes.c_size_t(ctypes.sizeof(rules)), 0)
    for place in places:
        folder = os.open(place, os.O_PATH)
        allowed = write & ~SPECIAL if os.path.isdir(place) else write & (1 << 1 | 1 << 14)
        beneath = allowed.to_bytes(8, "little") + folder.to_bytes(4, "little")
        call("syscall", ADD, rule_set, 1, beneath, 0)
        os.close(folder)
    call("syscall", RESTRICT, rule_set, 0)
    os.close(rule_set)
    return True


def filter_calls() -> None:
    """Allow only the system calls of `seccomp`.

    `OSError` is raised if this machine's calls are unknown: then no student's code may run.
    """
    rules = seccomp.program()
    if rules is None:
        raise OSError("the calls of this machine's processor are not in the table")

    class Program(ctypes.Structure):
        _fields_ = (("lines", ctypes.c_ushort), ("first", ctypes.c_char_p))

    program = Program(len(rules) // 8, rules)
    call("prctl", SECCOMP, ctypes.c_ulong(2), ctypes.byref(program), *map(ctypes.c_ulong, (0, 0)))
