"""Inside the sandbox: a warm process that starts a process for every student.

It has imported what notebooks import, and runs no student's code. For each student it forks two
processes in namespaces of their own, in which there is nothing else: the first keeps these
namespaces, and the second is the student's. When the first ends, so does everything in them, and
its files are gone. No student's process can name the spawner or another student's process.

Run by `sandbox`.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from perceptron_classroom.inside import confine, worker

__all__ = ["main"]


def warm_up() -> None:
    """Import what notebooks import, and draw something: half of a first picture is loading."""
    folder = Path(os.environ["MPLCONFIGDIR"])
    folder.mkdir()
    for path in Path("/fonts").glob("*"):
        shutil.copy(path, folder)
    with suppress(ImportError):
        import IPython.display  # noqa: F401
        from matplotlib import pyplot as plt

        _, ax = plt.subplots()
        ax.plot([0, 1], label="$x_0$")
        ax.legend()
        plt.show()
        plt.close("all")
    gc.freeze()  # so that forked processes share these pages for longer


def student(line: int, token: str, settings: dict[str, Any]) -> None:
    """Lock everything, then serve as the student's process."""
    confine.limit(settings["limits"])
    confine.only_write_in(settings["box"], os.devnull)
    worker.silence()
    confine.filter_calls()
    worker.serve(line, token)


def first_process(line: int, token: str, settings: dict[str, Any]) -> None:
    """Prepare the student's folder, give up all rights, fork the student, and wait for the end."""
    box, uid = settings["box"], settings["uid"]
    os.dup2(line, 3)  # all other descriptors, such as the spawner's, are closed here
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    confine.move_in(box, settings["size"], settings["files"], uid or os.getuid())
    confine.become(uid)
    os.chdir(box)
    os.mkdir(os.environ["MPLCONFIGDIR"])
    confine.renounce()
    child = os.fork()
    if not child:
        student(3, token, settings)
        os._exit(0)
    os.closerange(2, 4)
    os.waitpid(child, 0)


def spawn(line: int, token: str, settings: dict[str, Any]) -> tuple[int, int]:
    """Fork a student's process; return the one to wait for, and the one to kill (0 if none)."""
    below, above = os.pipe()
    outer = os.fork()
    if not outer:
        confine.part()
        first = os.fork()
        if not first:
            first_process(line, token, settings)
            os._exit(0)
        os.write(above, str(first).encode())
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os.waitpid(first, 0)
        os._exit(0)
    os.close(above)
    first = int(os.read(below, 16) or 0)
    os.close(below)
    return outer, first


def main(settings: dict[str, Any]) -> None:
    """Start a process for each student, one after the other, until the grader is gone."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.argv[1:] = []
    warm_up()
    worker.stand_in(settings)
    control = socket.socket(fileno=settings["control"])
    while True:
        token, lines, _, _ = socket.recv_fds(control, 64, 1)
        if not token:
            return
        outer, first = spawn(lines[0], token.decode(), settings)
        os.close(lines[0])
        control.recv(16)  # a request to end, or the grader is gone
        if first:
            with suppress(ProcessLookupError):
                os.kill(first, signal.SIGKILL)
        os.waitpid(outer, 0)
        control.send(b"clean" if first else b"damaged")
