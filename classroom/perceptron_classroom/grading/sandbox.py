"""Confine students' processes: bubblewrap on Linux, with limits on resources.

Inside there is no network, no other program, no file but the interpreter and its libraries.
Elsewhere grading is refused.

Importing matplotlib takes longer than grading. So a sandbox is made once, with a process in it
that has imported everything and forks one for each student: the spawner. No student's process
can reach it; should it end all the same, a new one is made.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

import perceptron_notes
from perceptron_classroom import checks
from perceptron_classroom.inside import confine
from perceptron_classroom.inside.calls import pack

__all__ = ["ONE_THREAD", "Process", "Refused", "Sandbox"]

CLASSROOM, LIBRARIES = Path(__file__).parents[1], Path(np.__path__[0]).parent
NOTES = Path(perceptron_notes.__path__[0])
#: The code that starts the spawner inside. The rest of this package, with its solutions, is hidden.
START = """
import json, sys
settings = json.loads(sys.argv[1])
sys.path.append(settings["classroom"])
from perceptron_classroom.inside import spawn
spawn.main(settings)
"""
#: The user id "nobody", as which a student's process runs.
NOBODY = 65534
#: The only writable folder: home, temporary and working folder in one.
BOX = "/box"
#: Limits in bytes of memory, of one file, of all files in the box; number of these files.
MEMORY, FILE, SIZE, FILES = 2**30, 2**24, 2**26, 4096
#: Libraries, their search paths, and the time zone; each is mounted if it exists.
SYSTEM = """
    /usr /bin /lib /lib32 /lib64 /nix/store /gnu/store /etc/ld.so.cache /etc/alternatives
    /etc/fonts /etc/localtime
""".split()  # noqa: SIM905
#: One thread each: threads count as processes, and as many workers run as there are cores.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ENVIRONMENT = {"LANG": "C.UTF-8", "MPLBACKEND": "Agg", **ONE_THREAD}
#: Seconds that a spawner gets to end a student's process.
CLEANING = 5


class Refused(RuntimeError):  # noqa: N818 (a refusal, no error of the program)
    """Grading cannot go on, through no fault of a submission; the text says why."""


class Spawner:
    """A sandbox with a process that forks students' processes, one at a time."""

    def __init__(self, bubblewrap: list[str], settings: dict[str, Any]) -> None:
        self.package = bool(settings["package"])
        self.control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        settings = {**settings, "classroom": str(CLASSROOM.parent), "control": inside.fileno()}
        with inside:
            # Not as descriptor 0, 1 or 2: bubblewrap's own process inside keeps those.
            self.popen = subprocess.Popen(
                [*bubblewrap, sys.executable, "-I", "-c", START, json.dumps(settings)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[inside.fileno()],
                start_new_session=True,
            )

    def spawn(self, line: socket.socket, token: str) -> None:
        """Fork a process that talks through this socket; do nothing if the sandbox has ended."""
        with suppress(OSError):
            socket.send_fds(self.control, [token.encode()], [line.fileno()])

    def clean(self) -> bool:
        """End the process, clean up after it, and return whether that succeeded."""
        try:
            self.control.settimeout(CLEANING)
            self.control.send(b"end")
            return self.control.recv(16) == b"clean"
        except OSError:
            return False

    def close(self) -> str:
        """End the sandbox with everything inside, and return its error output."""
        self.popen.kill()
        self.control.close()
        return self.popen.communicate()[1].decode(errors="replace")


class Process:
    """A student's process, forked inside a sandbox, with a two-way connection to it."""

    def __init__(self, sandbox: Sandbox, spawner: Spawner) -> None:
        self.sandbox, self.spawner = sandbox, spawner
        self.token = secrets.token_hex(8)
        #: Its folder in /proc, opened: whoever gets its number later has another one.
        self.proc = -1
        self.line, inside = socket.socketpair()
        self.line.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with inside:
            spawner.spawn(inside, self.token)

    def meet(self, seconds: float) -> None:
        """Wait for the first message, and find the process that sent it, where Linux tells."""
        with suppress(OSError):
            self.line.settimeout(seconds)
            # Linux adds the sender's number, as it is out here; nothing of a student's has run yet.
            for _, _, sender in self.line.recvmsg(1, socket.CMSG_SPACE(12), socket.MSG_PEEK)[1]:
                self.proc = os.open(f"/proc/{struct.unpack('3i', sender)[0]}", os.O_RDONLY)

    def busy(self) -> float:
        """Return for how many seconds it has run or waited for a processor; 0 if unknown."""
        tasks = Path(f"/proc/self/fd/{self.proc}/task").glob("*/schedstat")
        with suppress(OSError):  # a kernel that does not count has no such files, or zeros in them
            return sum(int(n) for task in tasks for n in task.read_text().split()[:2]) / 1e9
        return 0

    def wake(self) -> bool:
        """Interrupt the process, and return True, if it sleeps or is stopped at this moment."""
        with suppress(OSError):
            state = Path(f"/proc/self/fd/{self.proc}/stat").read_text().rpartition(")")[2][1]
            if state in "ST":  # not R, for a processor to end, nor D, for a disk or swapped memory
                signal.pidfd_send_signal(self.proc, signal.SIGALRM)
                return True
        return False

    def close(self) -> str:
        """End the process, clean up after it, and return the sandbox's error output, if any."""
        self.line.close()
        if self.proc >= 0:
            os.close(self.proc)
        return "" if self.spawner.clean() else self.sandbox.abandon(self.spawner)


class Sandbox:
    """Starts students' processes.

    After `seconds` of processor time the system itself ends a process. `fonts` is the list of fonts
    that matplotlib would otherwise build again in every sandbox.
    """

    def __init__(self, seconds: float = 600, fonts: Path | None = None) -> None:
        self.seconds, self.fonts = seconds, fonts
        self._spawner: Spawner | None = None

    @cached_property
    def bubblewrap(self) -> str:
        """The program that confines students' code."""
        if not sys.platform.startswith("linux"):
            raise Refused(
                "students' code is shut in with bubblewrap, which exists on Linux only; grade "
                "there: on Windows WSL will do (wsl --install), elsewhere a container"
            )
        found = shutil.which("bwrap")
        if found is None:
            raise Refused(
                "bubblewrap is missing; install it (on Debian and Ubuntu: apt-get install "
                "bubblewrap)"
            )
        return found

    def shown(self) -> list[Path]:
        """Return the folders that are visible inside, besides those of the system."""
        folders = [Path(sys.prefix), Path(sys.base_prefix), LIBRARIES]
        kept: list[Path] = []
        for folder in folders:
            if not any(folder.is_relative_to(seen) for seen in [*map(Path, SYSTEM), *kept]):
                kept.append(folder)
        return kept

    def command(self, package: bool) -> list[str]:
        """Return bubblewrap's command line, up to the program that runs inside."""
        words = f"{self.bubblewrap} --die-with-parent --new-session --clearenv --cap-drop ALL"
        # With these, the spawner makes namespaces for each student, whose process has neither.
        words += " --cap-add CAP_SYS_ADMIN --cap-add CAP_SETPCAP"
        if os.getuid() == 0:
            # In a user namespace of root's, the process would still count as root, to which no
            # limit on processes applies: leave it root until it becomes nobody by itself.
            words += " --unshare-ipc --unshare-pid --unshare-net --unshare-uts"
            words += (
                " --unshare-cgroup-try --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_KILL"
            )
        else:
            words += f" --unshare-all --uid {NOBODY} --gid {NOBODY}"
        # No terminals: bubblewrap's own /dev would let a process make as many as the machine has.
        words += " --perms 0755 --tmpfs /dev"
        for device in confine.DEVICES:
            words += f" --dev-bind {device} {device}"
        words += f" --perms 1777 --size {SIZE} --tmpfs {BOX}"
        command = words.split()
        for path in [*map(Path, SYSTEM), *self.shown()]:
            command += mount(path)
        # Packages among these libraries, or links to them, that students must not see.
        closed = [CLASSROOM, *([] if package else [NOTES])]
        covered = [path for one in closed for path in {one, LIBRARIES / one.name} if path.exists()]
        for path in covered:
            command += ["--perms", "0755", "--tmpfs", str(path)]
        command += mount(CLASSROOM / "inside")
        command += mount(NOTES) if package else []
        if self.fonts is not None:
            command += ["--ro-bind", str(self.fonts), f"/fonts/{self.fonts.name}"]
        places = {"HOME": BOX, "TMPDIR": BOX, "MPLCONFIGDIR": f"{BOX}/matplotlib"}
        for name, value in {**ENVIRONMENT, **places}.items():
            command += ["--setenv", name, value]
        for place in ("/", "/dev", *map(str, covered)):
            command += ["--remount-ro", place]
        return [*command, "--chdir", BOX]

    def limits(self) -> dict[str, int]:
        """Return the worker's limits, by their names in the ``resource`` module."""
        return {
            "RLIMIT_AS": MEMORY,
            "RLIMIT_CORE": 0,
            "RLIMIT_CPU": int(self.seconds) + 1,
            "RLIMIT_FSIZE": FILE,
            "RLIMIT_MEMLOCK": 0,
            "RLIMIT_NOFILE": 64,
            "RLIMIT_NPROC": 0,
        }

    def start(self, package: bool = True) -> Process:
        """Start a student's process."""
        if self._spawner is not None and self._spawner.package != package:
            self.close()
        if self._spawner is None:
            command = self.command(package)
            settings: dict[str, Any] = {
                "limits": self.limits(),
                "checks": examples(),
                "package": str(NOTES.parent) if package else "",
                "uid": NOBODY if os.getuid() == 0 else None,
                **{"box": BOX, "size": SIZE, "files": FILES},
            }
            self._spawner = Spawner(command, settings)
        return Process(self, self._spawner)

    def abandon(self, spawner: Spawner) -> str:
        """End a damaged sandbox; the next process gets a new one."""
        self._spawner = None
        return spawner.close()

    def close(self) -> str:
        """End all processes."""
        return "" if self._spawner is None else self.abandon(self._spawner)

    def excuse(self, complaint: str) -> str:
        """Return a sentence on why a worker does not start."""
        text = f"no student's process can be started here: {complaint.strip()[-1000:]}"
        if "bwrap" in complaint and ("denied" in complaint or "not permitted" in complaint):
            text += (
                "\nThe system seems to keep ordinary programs from making sandboxes. The page "
                "for teachers says what to do on Ubuntu and in containers."
            )
        return text

    def exposed(self, path: Path) -> Path | None:
        """Return the folder that would expose a path to students' code, or None."""
        seen = [*map(Path, SYSTEM), *self.shown()]
        real = path.resolve()
        return next((folder for folder in seen if real.is_relative_to(folder.resolve())), None)


@cache
def examples() -> dict[str, Any]:
    """Draw a data set of each check, for notebooks that call `data`."""
    return {name: list(map(pack, check.data(0, 0))) for name, check in checks.ALL.items()}


def mount(path: Path) -> Iterator[str]:
    """Yield the options that mount a path read-only under its own name; system links stay links."""
    if path.is_symlink() and path.parent == Path("/"):
        yield from ("--symlink", os.readlink(path), str(path))
    elif path.exists():
        # Parent folders that bubblewrap creates take their mode from outside, where a
        # home may be closed to "nobody", which root's worker becomes.
        for above in list(reversed(path.parents))[1:]:
            yield from ("--perms", "0755", "--dir", str(above))
        yield from ("--ro-bind", str(path), str(path))


@cache
def gather_fonts() -> Path | None:
    """Have matplotlib build its font list, and precompile all imports of it and the package."""
    code = "import matplotlib.pyplot, perceptron_notes.figures.plots\n"
    code += "print(matplotlib.get_cachedir())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    lists = sorted(Path(done.stdout.strip()).glob("fontlist-v*.json")) if done.stdout else []
    return lists[-1] if lists else None
