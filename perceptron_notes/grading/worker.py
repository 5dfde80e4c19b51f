"""The student's side: run a notebook's cells, then answer calls.

Everything in this process belongs to the student once the first cell runs. It knows no
secret, no expected answer and no other notebook, and whatever it says is only an answer.
Run as a script, by `sandbox`: ``python -I worker.py SETTINGS``.
"""

from __future__ import annotations

import ast
import ctypes
import importlib
import io
import json
import os
import shutil
import signal
import socket
import sys
import traceback
import types
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

#: IPython's cell magics whose body is Python; the cells of other magics are left out.
PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")
#: How IPython's own lines begin, and end.
MAGIC_STARTS, MAGIC_ENDS = ("%", "!", "?"), ("?",)


class Quiet:
    """Stands in for what IPython gives a notebook: any attribute, any call, no effect."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *arguments: Any, **named: Any) -> None:
        """Do nothing."""


class Bin(io.TextIOBase):
    """Where prints go: nobody reads them, and they take no room."""

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Drop the text."""
        return len(text)


# --------------------------------------------------------------------------- confinement


def become(uid: int | None) -> None:
    """Give up root, and shut out students' processes of the same user."""
    if uid is not None:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    # Not dumpable, so that no process without privileges can read or change this one.
    if ctypes.CDLL(None).prctl(4, 0, 0, 0, 0):
        raise OSError("prctl failed")


def limit(limits: dict[str, int], *, surely: bool) -> None:
    """Bind this process, before anything of the student's is seen.

    No further process or thread may start: limits on memory then hold for all there is, a
    fork bomb ends at its first fork, and nothing stays behind. A limit that cannot be set is
    an error if it must hold `surely`.
    """
    for name, amount in limits.items():
        with suppress(*(() if surely else (ImportError, OSError, ValueError))):
            import resource

            number = getattr(resource, name)
            most = resource.getrlimit(number)[1]
            amount = amount if most == resource.RLIM_INFINITY else min(amount, most)
            resource.setrlimit(number, (amount, amount))


def silence() -> None:
    """Turn what notebooks read from and print to into nothing."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), Bin(), Bin()


# ---------------------------------------------------------------------------------- cells


def python_of(source: str) -> str:
    """The cell without IPython's own lines, which mean nothing here."""
    if source.lstrip().startswith("%%"):
        magic, _, body = source.lstrip().partition("\n")
        return python_of("\n" + body) if magic.split()[0] in PYTHON_MAGICS else ""
    with suppress(SyntaxError, ValueError):
        ast.parse(source)
        return source
    return "\n".join(harmless(line) for line in source.split("\n"))


def harmless(line: str) -> str:
    """The line, or `pass` where it is a magic, so that the lines keep their numbers."""
    text = line.strip()
    magic = text.startswith(MAGIC_STARTS) or text.endswith(MAGIC_ENDS)
    return line[: len(line) - len(line.lstrip())] + "pass" if magic else line


def no_input(prompt: object = "") -> str:
    """What `input` does where nobody sits at the keyboard."""
    raise EOFError("input() was called; nobody can answer while a notebook is graded")


def notebook_module() -> types.ModuleType:
    """The module that the cells run in, with what a notebook finds ready."""
    from perceptron_notes.checks import Check

    # A check that fails would end its cell, and its verdict counts for nothing here.
    Check.__call__ = Quiet.__call__  # type: ignore[method-assign, assignment]
    sys.modules["__main__"] = module = types.ModuleType("__main__")
    vars(module).update(display=Quiet(), get_ipython=Quiet, input=no_input)
    return module


def place(error: BaseException) -> str:
    """The line of the notebook that raised it."""
    lines = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<cell>"
    ]
    line = lines[-1].lineno if lines else getattr(error, "lineno", None)
    return f" (line {line})" if line else ""


def run_cell(source: str, module: types.ModuleType) -> str | None:
    """Run a cell; what went wrong in it, if anything did."""
    try:
        exec(compile(python_of(source), "<cell>", "exec"), vars(module))
    except BaseException as error:  # also SystemExit: the later cells run all the same
        return f"{type(error).__name__}: {str(error)[:500]}{place(error)}"
    return None


# ---------------------------------------------------------------------------------- calls


def answer(name: str, arguments: list[Any], module: types.ModuleType) -> dict[str, Any]:
    """Call a function of the notebook."""
    from perceptron_notes.grading.calls import pack, unpack

    try:
        value = pack(vars(module)[name](*map(unpack, arguments)))
        json.dumps(value)  # an int of many thousand digits has no decimal text
        return {"value": value}
    except BaseException as error:  # an exception is an answer too
        return {"raised": [type(error).__name__, str(error)[:2000] + place(error)]}


def serve(hear: BinaryIO, say: BinaryIO, token: str) -> None:
    """Take the cells and the calls from the grader, one after the other."""

    def tell(message: dict[str, Any]) -> None:
        say.write(json.dumps(message).encode() + b"\n")
        say.flush()

    tell({"hello": token})
    module = notebook_module()
    for line in hear:
        request = json.loads(line)
        if "cell" in request:
            reply: dict[str, Any] = {"error": run_cell(request["cell"], module)}
        elif "call" in request:
            reply = answer(request["call"], request["arguments"], module)
        else:
            known = vars(module)
            reply = {"names": [name for name in request["names"] if callable(known.get(name))]}
        tell({"id": request["id"], **reply})


# ----------------------------------------------------------------------------------- nest


def warm_up() -> None:
    """Import what notebooks import, and draw something: half of a first picture is loading."""
    folder = Path(os.environ["MPLCONFIGDIR"])
    folder.mkdir()
    for path in Path("/fonts").glob("*"):
        shutil.copy(path, folder)
    from matplotlib import pyplot as plt

    _, ax = plt.subplots()
    ax.plot([0, 1], label="$x_0$")
    ax.legend()
    plt.show()
    plt.close("all")


def empty(folder: str) -> None:
    """Remove what a student's process left behind."""
    for place, folders, _ in os.walk(folder):
        for path in (os.path.join(place, name) for name in folders):
            if not os.path.islink(path):
                os.chmod(path, 0o700)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def state() -> list[Any]:
    """What a process of the same user can change in this one, and the next would inherit."""
    import resource

    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    limits = [resource.getrlimit(getattr(resource, name)) for name in names]
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    return [limits, priority, os.sched_getscheduler(0), os.sched_getaffinity(0)]


def nest(settings: dict[str, Any]) -> None:
    """Fork a process for each submission; run nothing of a student's in this one."""
    become(settings["uid"])
    warm_up()
    empty(settings["box"])
    control, before = socket.socket(fileno=0), state()
    while state() == before:  # or else the grader makes a new nest
        token, lines, _, _ = socket.recv_fds(control, 64, 1)
        if not token:
            return
        child = os.fork()
        if not child:
            hear, say = os.dup(lines[0]), lines[0]
            silence()  # takes the place of number 0 too, the nest's own line to the grader
            limit(settings["limits"], surely=True)
            with open(hear, "rb") as hearing, open(say, "wb") as saying:
                serve(hearing, saying, token.decode())
            os._exit(0)
        os.close(lines[0])
        control.recv(16)  # either it is to end, or the grader is gone
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        empty(settings["box"])
        control.send(b"clean" if state() == before else b"harmed")


def main() -> None:
    """Serve one student, or in a sandbox one after the other."""
    settings = json.loads(sys.argv[1])
    sys.path.extend(path for path in settings["paths"] if path not in sys.path)
    for name in ("checks", "grading.calls"):
        importlib.import_module(f"perceptron_notes.{name}")
    if "box" in settings:
        nest(settings)
        return
    limit(settings["limits"], surely=False)
    hear, say = os.dup(0), os.dup(1)
    silence()
    with open(hear, "rb") as hearing, open(say, "wb") as saying:
        serve(hearing, saying, settings["token"])


if __name__ == "__main__":
    main()
