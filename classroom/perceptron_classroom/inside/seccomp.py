"""The system calls that a student's process may make, as a filter for the kernel.

Every call not listed is refused. So there is no socket, no new process and no new program,
no memory outside the limits, no access to other processes, and none of the less used
parts of the kernel, including future ones.
"""

from __future__ import annotations

import platform
import struct
from errno import EAGAIN, ENOSYS, EPERM

__all__ = ["CALLS", "program"]

#: Names, with their numbers on x86-64 and, where there is one, on 64-bit ARM (``asm/unistd.h``).
CALLS = """
    read:0:63 write:1:64 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 lseek:8:62
    close:3:57 dup:32:23 dup2:33 dup3:292:24 poll:7 ppoll:271:73 select:23 pselect6:270:72
    fsync:74:82 fdatasync:75:83 truncate:76:45 ftruncate:77:46 fadvise64:221:223

    open:2 openat:257:56 creat:85 access:21 faccessat:269:48 statfs:137:43 fstatfs:138:44
    stat:4 fstat:5:80 lstat:6 newfstatat:262:79 statx:332:291 getdents:78 getdents64:217:61
    getcwd:79:17 chdir:80:49 fchdir:81:50 mkdir:83 mkdirat:258:34 rmdir:84 unlink:87
    unlinkat:263:35 rename:82 renameat:264:38 renameat2:316:276 link:86 linkat:265:37 symlink:88
    symlinkat:266:36 readlink:89 readlinkat:267:78 chmod:90 fchmod:91:52 fchmodat:268:53
    utimensat:280:88 umask:95:166

    mmap:9:222 munmap:11:215 mremap:25:216 mprotect:10:226 madvise:28:233 brk:12:214 msync:26:227

    gettimeofday:96:169 time:201 clock_gettime:228:113 clock_getres:229:114 nanosleep:35:101
    clock_nanosleep:230:115 alarm:37 getitimer:36:102 setitimer:38:103 times:100:153

    rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139 rt_sigpending:127:136
    rt_sigsuspend:130:133 rt_sigtimedwait:128:137 sigaltstack:131:132 pause:34 kill:62:129
    tkill:200:130 tgkill:234:131 restart_syscall:219:128

    getpid:39:172 getppid:110:173 gettid:186:178 getpgrp:111 getpgid:121:155 getsid:124:156
    getuid:102:174 geteuid:107:175 getgid:104:176 getegid:108:177 getresuid:118:148
    getresgid:120:150 getgroups:115:158 getrusage:98:165 getrlimit:97:163 getpriority:140:141
    uname:63:160 sysinfo:99:179 getcpu:309:168 sched_getaffinity:204:123 sched_getparam:143:121
    sched_getscheduler:145:120 sched_yield:24:124 futex:202:98 set_robust_list:273:99
    get_robust_list:274:100 set_tid_address:218:96 rseq:334:293 arch_prctl:158 wait4:61:260
    waitid:247:95 exit:60:93 exit_group:231:94 getrandom:318:278
"""
#: Calls that are allowed with some values of one argument: its place, and the values.
SOME = {
    "prlimit64:302:261": (0, (0,)),  # its own limits, no other process's
    "prctl:157:167": (0, (15, 16)),  # its name
    "ioctl:16:29": (1, (0x5401, 0x5413, 0x5421, 0x5450, 0x5451)),  # terminal checks and the like
    "fcntl:72:25": (1, (0, 1, 2, 3, 4, 1030)),  # no locks, leases or larger pipes
}
#: Starting a process fails as if there were too many, which every program expects.
NEW_PROCESS = "clone:56:220 fork:57 vfork:58"
#: Calls from this number on, such as `clone3`, count as missing: libraries then use older ones.
NEW_CALLS = 424
#: By `platform.machine`: the column above, and the kernel's number of the machine.
MACHINES = {"x86_64": (1, 0xC000003E), "aarch64": (2, 0xC00000B7)}
#: On x86-64, all calls have second numbers from here on.
SECOND_NUMBERS = 0x40000000

LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
#: Offsets of a call's number, the machine and the first argument in the kernel's data.
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16


def program(machine: str | None = None) -> bytes | None:
    """Return the filter in the kernel's format; ``None`` for machines not in the table."""
    found = MACHINES.get(machine or platform.machine())
    if found is None:
        return None
    column, mark = found

    def numbers(names: str) -> list[int]:
        parts = [name.split(":") for name in names.split()]
        return [int(part[column]) for part in parts if len(part) > column]

    lines = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, mark), (RETURN, 0, 0, FAIL + EPERM)]
    lines += [(LOAD, 0, 0, NUMBER)]

    def answer(test: int, number: int, result: int) -> None:
        lines.extend([(test, 0, 1, number), (RETURN, 0, 0, result)])

    answer(AT_LEAST, SECOND_NUMBERS, FAIL + EPERM)
    answer(AT_LEAST, NEW_CALLS, FAIL + ENOSYS)
    for number in numbers(CALLS):
        answer(EQUAL, number, ALLOW)
    for number in numbers(NEW_PROCESS):
        answer(EQUAL, number, FAIL + EAGAIN)
    for name, (place, values) in SOME.items():
        # All of these arguments are ints, of which the kernel reads the lower half.
        lines.append((EQUAL, 0, 2 * len(values) + 2, numbers(name)[0]))
        lines.append((LOAD, 0, 0, ARGUMENTS + 8 * place))
        for value in values:
            answer(EQUAL, value, ALLOW)
        lines.append((RETURN, 0, 0, FAIL + EPERM))
    lines.append((RETURN, 0, 0, FAIL + EPERM))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
