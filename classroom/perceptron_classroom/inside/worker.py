"""The student's side: run a notebook's cells, then answer calls.

Everything in this process belongs to the student once the first cell runs. It knows no
secret, no expected answer and no other notebook, and whatever it says is only an answer.

Run by `spawn`, or by `sandbox` where there is none.
"""

from __future__ import annotations
import __future__

import ast
import asyncio
import importlib
import inspect
import io
import json
import os
import re
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from perceptron_classroom.inside import confine
from perceptron_classroom.inside.calls import pack, roomy, unpack
from perceptron_classroom.inside.magics import python_of
from perceptron_classroom.inside.plain import Misfit, ask
from perceptron_classroom.inside.showing import Sheet

__all__ = ["WALL", "main", "serve", "silence", "stand_in"]

#: IPython's magics whose text is Python; nothing comes of the others.
PYTHON_MAGICS = ("time", "timeit", "capture", "prun")
#: What `from __future__ import …` sets, for the cells that follow too.
FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
#: Waits; what a notebook calls so does not.
SLEEP = time.sleep
#: A clock on the wall may show so many times the seconds of the processor: others compute too.
WALL = 6


class Quiet:
    """Stands in for what is missing: any attribute or call has no effect."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Do nothing."""
        return self

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return ""


def silence() -> None:
    """Turn what notebooks read from into nothing, and what they print to into a sheet."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)
    sys.stdin, sys.stdout = io.StringIO(), Sheet()
    sys.stderr = sys.stdout


# ------------------------------------------------------------------------------- stand-ins


class Check(Quiet):
    """Stands in for a check, whose verdict counts for nothing here."""

    def __init__(self, data: list[Any]) -> None:
        self._data = data

    def data(self, *arguments: Any, **named: Any) -> tuple[Any, ...]:
        """Return some data set that the check draws, always the same."""
        return tuple(map(unpack, self._data))


class Checks(types.ModuleType):
    """Stands in for the checks: whatever it is asked for is quiet."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Quiet()


class Bar(Quiet):
    """Stands in for a progress bar of tqdm: what it is laid around passes through."""

    def __init__(self, around: Any = (), *arguments: Any, **named: Any) -> None:
        self._around = around

    def __iter__(self) -> Any:
        return iter(self._around)

    def __len__(self) -> int:
        return len(self._around)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: object) -> None:
        """Raise what was raised."""


class Absent(types.ModuleType):
    """Stands in for the package where a problem set does without it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError(f"{name} of perceptron_notes may not be used in this problem set")


def stand_in(settings: dict[str, Any]) -> None:
    """Put a quiet stub in the place of the checks, and take the package away if it is refused."""
    classroom: Any = types.ModuleType("perceptron_classroom")
    checks: Any = Checks("perceptron_classroom.checks")
    classroom.checks = checks
    checks.Wrong = type("Wrong", (AssertionError,), {})
    vars(checks).update({name: Check(data) for name, data in settings["checks"].items()})
    sys.modules.update({"perceptron_classroom": classroom, checks.__name__: checks})
    bars: Any = types.ModuleType("tqdm")
    bars.tqdm, bars.trange = Bar, lambda *numbers, **named: Bar(range(*numbers))
    bars.tqdm_notebook, bars.tnrange = bars.tqdm, bars.trange
    for name in ("auto", "notebook", "autonotebook", "std"):
        setattr(bars, name, bars)
        sys.modules[f"tqdm.{name}"] = bars
    sys.modules["tqdm"] = bars
    if settings["package"]:
        sys.path.extend({settings["package"]}.difference(sys.path))
        importlib.import_module("perceptron_notes")
    else:
        sys.modules["perceptron_notes"] = Absent("perceptron_notes")


class Shell(Quiet):
    """Stands in for IPython: of its magics, those that run Python or write a file do so."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    def run_line_magic(self, name: str, line: str, *rest: Any) -> None:
        """Run ``%time f()`` as ``f()``."""
        if name in PYTHON_MAGICS:
            self._notebook.execute(re.sub(r"^(-\w+ +(\d+ +)?)*", "", line))

    def run_cell_magic(self, name: str, line: str, body: str) -> None:
        """Run ``%%time`` as the cell."""
        if name in PYTHON_MAGICS:
            self._notebook.execute(body)
        elif name in ("writefile", "file"):
            append, place = re.match(r"\s*(-a\b|--append\b)?\s*(.*)", line).groups()  # type: ignore[union-attr]
            with open(place.strip().strip("'\""), "a" if append else "w", encoding="utf-8") as file:
                file.write(body)
            importlib.invalidate_caches()

    def getoutput(self, *words: Any) -> list[str]:
        """Find nothing for ``files = !ls``."""
        return []


# ---------------------------------------------------------------------------------- cells


class Late(BaseException):
    """Time is over. No `Exception`, so that ordinary code does not catch it."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Interrupt what takes more of the processor, or much longer by the clock.

    What cannot be interrupted, the grader will end.
    """
    clocks = ((signal.ITIMER_PROF, seconds), (signal.ITIMER_REAL, WALL * seconds))
    armed = True

    def ring(*_: Any) -> None:
        if armed:  # and still inside the `try` below
            raise Late

    signal.signal(signal.SIGPROF, ring)
    signal.signal(signal.SIGALRM, ring)
    for clock, most in clocks:
        signal.setitimer(clock, most, 1)  # and again, should a cell catch everything
    try:
        yield
    finally:
        armed = False
        for clock, _ in clocks:
            signal.setitimer(clock, 0)


def no_input(prompt: object = "") -> str:
    """Raise what `input` does where nobody sits at the keyboard."""
    raise EOFError("input() was called; nobody can answer while a notebook is graded")


class Loop(asyncio.BaseEventLoop):
    """Runs what a cell awaits, without the sockets that other loops need."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self

    def select(self, timeout: float | None) -> list[Any]:
        """Wait until something is due; what waits for nothing is interrupted from outside."""
        SLEEP(3600 if timeout is None else max(0, timeout))
        return []

    def _write_to_self(self, *_: object) -> None:
        """Do nothing: no event comes from outside, and nobody else wakes this loop."""

    _process_events = _write_to_self


class Notebook:
    """The module that the cells run in, with what a notebook finds ready."""

    def __init__(self) -> None:
        self.module = sys.modules["__main__"] = types.ModuleType("__main__")
        shell = Shell(self)
        self.names = vars(self.module)
        self.sheet = sys.stdout if isinstance(sys.stdout, Sheet) else Sheet()
        self.names.update(display=self.sheet.display, get_ipython=lambda: shell, input=no_input)
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.loop = Loop()
        if "" not in sys.path:
            sys.path.insert(0, "")  # a notebook imports what lies beside it
        self.troubles: list[str] = []
        time.sleep = lambda seconds: None  # the answer is the same without

    def run(self, source: str, seconds: float, kept: bool) -> dict[str, Any]:
        """Run a cell; what went wrong in it, if anything did, and what it put out if that is kept.

        It is shown what a notebook shows: what is printed and displayed, the value of the last
        line, and at the end the figures that are open.
        """
        self.troubles = []
        self.sheet.begin(kept)
        try:
            with alarm(seconds):
                self.attempt(self.execute, source)
                self.attempt(self.sheet.drawings)
        except Late:
            return {"late": True}
        return {"errors": self.troubles[:10], "outputs": self.sheet.outputs}

    def attempt(self, do: Callable[..., None], *arguments: Any) -> None:
        """Do something, and note what goes wrong."""
        try:
            do(*arguments)
        except Late:
            raise
        except BaseException as error:  # also SystemExit: the later cells run all the same
            self.troubles.append(error_line(error))

    def execute(self, source: str) -> None:
        """Run the statements one by one: a failing import takes only what needs it with it."""
        # Not the future of this file, but the one that the notebook has imported.
        flags, text = ast.PyCF_ONLY_AST, python_of(source)
        tree = compile(text, "<cell>", "exec", flags | self.flags, dont_inherit=True)
        value = None
        for statement in tree.body:
            one: tuple[Any, str] = ast.Module([statement], []), "exec"
            if isinstance(statement, ast.Expr):
                one = ast.Expression(statement.value), "eval"
            code, value = compile(one[0], "<cell>", one[1], self.flags, dont_inherit=True), None
            self.flags |= code.co_flags & FUTURES
            try:
                value = eval(code, self.names)
                if code.co_flags & inspect.CO_COROUTINE:
                    value = self.loop.run_until_complete(value)
            except ImportError as error:
                if not isinstance(statement, ast.Import | ast.ImportFrom):
                    raise
                self.troubles.append(error_line(error))
        if not isinstance(value, Quiet | None) and not text.rstrip().endswith(";"):
            self.sheet.display(value)

    def answer(self, name: str, arguments: list[Any], seconds: float) -> dict[str, Any]:
        """Call a function of the notebook."""
        self.sheet.kept = False
        try:
            with alarm(seconds):
                return {"value": roomy(pack(ask(self.names[name], tuple(map(unpack, arguments)))))}
        except Late:
            return {"late": True}
        except Misfit as misfit:
            return {"misfit": str(misfit)}
        except BaseException as error:  # an exception is an answer too
            return {"raised": [type(error).__name__, str(error)[:2000] + place(error)]}


def error_line(error: BaseException) -> str:
    """Write an error of a cell on one line."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        library = error.name.partition(".")[0]
        if library not in sys.modules:
            return f"{library} is not installed where notebooks are graded{place(error)}"
    return f"{type(error).__name__}: {str(error)[:500]}{place(error)}"


def place(error: BaseException) -> str:
    """Find the line of the notebook that raised it."""
    lines = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<cell>"
    ]
    line = lines[-1].lineno if lines else getattr(error, "lineno", None)
    return f" (line {line})" if line else ""


# ---------------------------------------------------------------------------------- calls


def serve(line: int, token: str) -> None:
    """Take the cells and the calls from the grader, one after the other."""
    hear, say = os.fdopen(os.dup(line), "rb"), os.fdopen(line, "wb")

    def tell(message: dict[str, Any]) -> None:
        say.write(json.dumps(message).encode() + b"\n")
        say.flush()

    tell({"hello": token})
    notebook = Notebook()
    for text in hear:
        request, before = json.loads(text), time.process_time()
        if "cell" in request:
            reply = notebook.run(request["cell"], request["seconds"], request["kept"])
        elif "call" in request:
            reply = notebook.answer(request["call"], request["arguments"], request["seconds"])
        else:
            known = notebook.names
            reply = {"names": [name for name in request["names"] if callable(known.get(name))]}
        tell({"id": request["id"], "spent": time.process_time() - before, **reply})


def main(settings: dict[str, Any]) -> None:
    """Serve one student, outside of a sandbox."""
    stand_in(settings)
    confine.limit(settings["limits"], surely=False)
    silence()
    serve(settings["control"], settings["token"])
