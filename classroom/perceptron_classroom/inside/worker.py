"""The student's side: run a notebook's cells, then answer calls.

Once the first cell runs, the student controls this whole process. It knows no
secret, no expected answer and no other notebook, and all it sends is treated as an answer.

Run by `spawn`.
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

from perceptron_classroom.inside.calls import pack, roomy, unpack
from perceptron_classroom.inside.magics import python_of
from perceptron_classroom.inside.plain import Misfit, ask
from perceptron_classroom.inside.showing import Sheet

__all__ = ["WALL", "serve", "silence", "stand_in"]

#: IPython's magics that contain Python; the others have no effect.
PYTHON_MAGICS = ("time", "timeit", "capture", "prun")
#: The flags of `from __future__ import …`, which hold for later cells too.
FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
#: The real `sleep`; a notebook's `time.sleep` does not wait.
SLEEP = time.sleep
#: Limit of elapsed time, in units of processor time, as other processes compute too.
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
    """Redirect standard input to nothing, and standard output to a sheet."""
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
        """Return a fixed data set of the check."""
        return tuple(map(unpack, self._data))


class Bar(Quiet):
    """Stands in for a progress bar of tqdm: iterating gives the wrapped items."""

    def __init__(self, around: Any = (), *arguments: Any, **named: Any) -> None:
        self._around = around

    def __iter__(self) -> Any:
        return iter(self._around)

    def __len__(self) -> int:
        return len(self._around)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: object) -> None:
        """Let exceptions propagate."""


class Absent(types.ModuleType):
    """Stands in for the package where a problem set does without it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError(f"{name} of perceptron_notes may not be used in this problem set")


def stand_in(settings: dict[str, Any]) -> None:
    """Replace the checks by quiet stubs, and remove the package if it is refused."""
    classroom: Any = types.ModuleType("perceptron_classroom")
    checks: Any = Quiet()
    classroom.checks = checks
    checks.Wrong = type("Wrong", (AssertionError,), {})
    vars(checks).update({name: Check(data) for name, data in settings["checks"].items()})
    sys.modules.update({"perceptron_classroom": classroom, "perceptron_classroom.checks": checks})
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
    """Stands in for IPython; only magics that run Python or write a file have an effect."""

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
        """Return no lines for ``files = !ls``."""
        return []


# ---------------------------------------------------------------------------------- cells


class Late(BaseException):
    """Time is up. Not an `Exception`, so that ordinary code does not catch it."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Interrupt code that takes more processor time, or much more elapsed time.

    The grader rings as well, when nothing but waiting has taken long, and ends what goes on.
    """
    clocks = ((signal.ITIMER_PROF, seconds), (signal.ITIMER_REAL, WALL * seconds))
    armed = True

    def ring(*_: Any) -> None:
        if armed:  # and still inside the `try` below
            raise Late

    signal.signal(signal.SIGPROF, ring)
    signal.signal(signal.SIGALRM, ring)
    for clock, most in clocks:
        signal.setitimer(clock, most, 1)  # repeatedly, in case a cell catches everything
    try:
        yield
    finally:
        armed = False
        for clock, _ in clocks:
            signal.setitimer(clock, 0)


def no_input(prompt: object = "") -> str:
    """Raise the error of `input` without a keyboard."""
    raise EOFError("input() was called; nobody can answer while a notebook is graded")


class Loop(asyncio.BaseEventLoop):
    """Runs what a cell awaits, without the sockets that other loops need."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self

    def select(self, timeout: float | None) -> list[Any]:
        """Wait until something is due; an endless wait is interrupted from outside."""
        SLEEP(3600 if timeout is None else max(0, timeout))
        return []

    def _write_to_self(self, *_: object) -> None:
        """Do nothing, as no other thread wakes this loop."""

    _process_events = _write_to_self


class Notebook:
    """The module that the cells run in, with the names predefined in a notebook."""

    def __init__(self) -> None:
        self.module = sys.modules["__main__"] = types.ModuleType("__main__")
        shell = Shell(self)
        self.names = vars(self.module)
        self.sheet = sys.stdout if isinstance(sys.stdout, Sheet) else Sheet()
        self.names.update(display=self.sheet.display, get_ipython=lambda: shell, input=no_input)
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.loop = Loop()
        if "" not in sys.path:
            sys.path.insert(0, "")  # a notebook imports modules beside it
        self.troubles: list[str] = []
        time.sleep = lambda seconds: None  # answers do not depend on waiting

    def run(self, source: str, seconds: float, kept: bool) -> dict[str, Any]:
        """Run a cell; return its errors, and its outputs if `kept`.

        The outputs are those of a notebook: text printed, objects displayed, the value of the last
        line, and finally the open figures.
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
        """Call a function, and record any error."""
        try:
            do(*arguments)
        except Late:
            raise
        except BaseException as error:  # also SystemExit: later cells run regardless
            self.troubles.append(error_line(error))

    def execute(self, source: str) -> None:
        """Run statements one by one, so that a failed import breaks only code that needs it."""
        # With the notebook's own `__future__` imports, not those of this file.
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
    """Return an error of a cell as one line."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        library = error.name.partition(".")[0]
        if library not in sys.modules:
            return f"{library} is not installed where notebooks are graded{place(error)}"
    return f"{type(error).__name__}: {str(error)[:500]}{place(error)}"


def place(error: BaseException) -> str:
    """Return the line of the notebook that raised an error."""
    lines = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<cell>"
    ]
    line = lines[-1].lineno if lines else getattr(error, "lineno", None)
    return f" (line {line})" if line else ""


# ---------------------------------------------------------------------------------- calls


def serve(line: int, token: str) -> None:
    """Process the grader's cells and calls, one by one."""
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
