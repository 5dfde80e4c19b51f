"""Run a student's notebook in a separate process, and call its functions.

The process may reply anything, or nothing, or die: each of these is handled, and costs at
most the cell or question in hand. Every wait has a time limit.

Time is processor time, so that points do not depend on the load of the machine. The process
itself reports how much it used, which counts as at least a share of the elapsed time. Where the
system tells how long it ran, or waited for a processor, the rest is its own waiting, and limited.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Protocol

from perceptron_classroom.checks.check import Abandoned
from perceptron_classroom.grading.intake import first_line
from perceptron_classroom.grading.opening import Room
from perceptron_classroom.grading.sandbox import Process, Refused, Sandbox
from perceptron_classroom.inside.calls import ANSWER, Opaque, clean, hear, pack, unpack
from perceptron_classroom.inside.plain import Misfit
from perceptron_classroom.inside.worker import WALL

__all__ = ["IDLE", "PATIENCE", "WALL", "Died", "Session", "TimedOut", "status_of"]

#: Seconds until a worker must reply; only a broken sandbox needs them all.
START = 60
#: Time for all cells together, in units of that for one; granted again if they must run anew.
PATIENCE = 5
#: Limit of a process's own waiting, in units of processor time; how often, in seconds, it is read.
IDLE, LOOK = 1, 0.25
#: A worker interrupts slow code by itself; this many seconds later it is ended.
GRACE = 1
#: Maximum number of characters of the outputs kept, pictures included.
OUTPUTS = 6_000_000
#: How many cells may end the process before the rest of the notebook is left out.
BAD_CELLS = 3


class Died(Abandoned):
    """The student's process ended, or sent an unexpected message."""


class TimedOut(Abandoned):
    """The student's process took too long."""


class Notes(Protocol):
    """Anything that records problems."""

    def note(self, status: str, remark: str) -> None:
        """Record a status and a remark."""


class Session:
    """A notebook that runs in a separate process, restarted when that has ended.

    `names` are the functions that will be called. A cell may take `seconds`, and so may a check.
    `package` says whether the notebook may use the package, `kept` the cells whose outputs are kept
    (in `outputs`, by number).
    """

    def __init__(
        self,
        sandbox: Sandbox,
        cells: list[str],
        names: list[str],
        seconds: float,
        package: bool = True,
        kept: Collection[str] = (),
    ) -> None:
        self.sandbox, self.names, self.seconds, self.package = sandbox, names, seconds, package
        self.kept, self.outputs = kept, dict[str, list[dict[str, Any]]]()
        self._room = Room(OUTPUTS)
        self.cells = dict(enumerate(cells, start=1))
        self.known: list[str] = []
        self._left = PATIENCE * seconds
        self._anew = False
        self._process: Process | None = None
        self._heard = b""
        #: Seconds of running and of waiting for others; whether it was interrupted while it slept.
        self.at_work, self.slept = 0.0, False
        self._limit = self._budget = self._since = self._passed = self._waited = self._busy = 0.0
        self._asked = self._bad = 0
        self._complaint = ""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process is not None

    @property
    def spent(self) -> bool:
        """Whether no time is left to run the cells anew."""
        return self._left <= 0

    def run(self, notes: Notes) -> None:
        """Run the cells in a new process; those that end it are left out from then on."""
        while True:
            if not self.alive:
                self._launch()
            troubles: list[tuple[str, str]] = []
            number = 0
            try:
                for number in self.cells:
                    if self._left <= 0:
                        left = f"nothing from {self._called(number)} on was run"
                        troubles.append(("timeout", f"the notebook took too long; {left}"))
                        break
                    for status, remark in self._run_cell(number):
                        troubles.append((status, f"{self._called(number)}: {remark}"))
                with self.within(self.seconds):
                    known = self._ask(names=self.names).get("names")
            except Abandoned as stop:
                notes.note(status_of(stop), f"{self._called(number)}: {stop}")
                self._leave_out(number, notes)
                self._renew()
            else:
                self.known = known if isinstance(known, list) else []
                for status, remark in troubles:
                    notes.note(status, remark)
                self._renew()
                return

    def _called(self, number: int) -> str:
        """Return what remarks call a cell; the end of the notebook has none."""
        cell = self.cells.get(number)
        return "the notebook" if cell is None else f"the cell {first_line(cell)}"

    def _renew(self) -> None:
        """Grant time, after the first run of the cells, for all later runs together."""
        if not self._anew:
            self._left, self._anew = PATIENCE * self.seconds, True

    def _run_cell(self, number: int) -> Iterator[tuple[str, str]]:
        """Run a cell, and yield the status and text of each problem."""
        given, kept = min(self.seconds, self._left), str(number) in self.kept
        try:
            with self.within(given):
                answer = self._ask(cell=self.cells[number], kept=kept)
        except TimedOut as stop:
            if not self.alive:
                raise
            yield "timeout", str(stop)
            answer = {}
        finally:
            self._left -= given - self._budget
        errors, outputs = answer.get("errors"), answer.get("outputs")
        if kept and isinstance(outputs, list) and str(number) not in self.outputs:
            self.outputs[str(number)] = self._room.several(outputs)
        for error in errors if isinstance(errors, list) else ():
            yield "cell error", clean(str(error), 600)

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function of the notebook, for a check to call."""

        def call(*arguments: Any) -> Any:
            match self._ask(call=name, arguments=[pack(each) for each in arguments]):
                case {"value": value}:
                    try:
                        return unpack(value)
                    except ValueError as error:
                        return Opaque("answer", clean(str(error), 200))
                case {"misfit": str(sentence)}:
                    raise Misfit(clean(sentence, 2000))
                case {"raised": [str(kind), str(text)]}:
                    raise exception(clean(kind, 100), clean(text, 2000))
            raise Died("its process spoke out of turn")

        call.__name__ = name
        return call

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit the time of requests within this context."""
        self._limit = self._budget = seconds
        self._passed = self._waited = 0.0
        self._busy = self._process.busy() if self._process else 0
        try:
            yield
        except Died:
            self._close()
            raise
        finally:
            self.at_work += self._passed - self._waited

    def _waits(self) -> bool:
        """Return whether the process has waited by itself for too long within this limit."""
        busy = self._process.busy() if self._process else 0
        if busy and self._busy:
            passed = self._passed + monotonic() - self._since
            self._waited = max(0, passed - (busy - self._busy))
        return self._waited > IDLE * self._limit

    def _launch(self) -> None:
        """Start a process; raise `Refused` if the sandbox cannot."""
        for last in (False, True):  # the first may find a damaged sandbox
            self._process, self._heard = self.sandbox.start(self.package), b""
            try:
                with self.within(START):
                    self._process.meet(START)
                    if self._hear().get("hello") != self._process.token:
                        raise Died("it does not say hello")
                    return
            except Abandoned as error:
                self._close()
                if last:
                    complaint = self.sandbox.close() or self._complaint or str(error)
                    raise Refused(self.sandbox.excuse(complaint)) from error

    def _leave_out(self, number: int, notes: Notes) -> None:
        """Leave out a cell; after too many bad ones, leave out all that follow too."""
        self._bad += 1
        enough = self._bad >= BAD_CELLS
        if enough:
            notes.note("died", f"nothing from {self._called(number)} on was run")
        self.cells = {
            n: cell for n, cell in self.cells.items() if n < number or (n > number and not enough)
        }

    def _ask(self, **request: Any) -> dict[str, Any]:
        """Send a request, and return the answer to it."""
        if self._process is None:
            raise Died("its process has ended")
        self._asked += 1
        left, self._since = max(self._budget, 0.01), monotonic()
        line = json.dumps({"id": self._asked, "seconds": left, **request}).encode() + b"\n"
        answer: dict[str, Any] = {}
        try:
            self._process.line.settimeout(IDLE * self.seconds + GRACE)  # it need only read
            self._process.line.sendall(line)
            answer = self._hear()
        except TimeoutError:
            raise self._late() from None
        except OSError:
            raise Died("its process ended") from None
        finally:
            self._waits()
            spent, passed = answer.get("spent"), monotonic() - self._since
            said = spent if type(spent) is float and 0 <= spent <= passed else passed
            self._passed += passed
            left = self._budget - max(said, passed / WALL)
            self._budget = min(left, self._limit - self._waited / IDLE)
        if answer.get("id") != self._asked:
            raise Died("its process spoke out of turn")
        if answer.get("late") is True:
            raise TimedOut("it took too long and was stopped")
        return answer

    def _hear(self) -> dict[str, Any]:
        """Receive the next message of the process."""
        assert self._process is not None
        line, overdue = self._process.line, False
        until = monotonic() + WALL * max(self._budget, 0.01) + GRACE
        parts = [self._heard]
        length = len(self._heard)
        while b"\n" not in parts[-1]:
            if length > ANSWER:
                raise Died(f"its answer is longer than {ANSWER // 10**6} MB")
            if (now := monotonic()) > until:
                raise self._late()
            silent = now - self._since > LOOK and not overdue
            if silent and self._waits() and self._process.wake():
                overdue, self.slept, until = True, True, now + GRACE
            try:
                line.settimeout(max(min(until - monotonic(), LOOK), 0.001))
                parts.append(line.recv(1 << 16))
            except TimeoutError:
                continue
            except OSError:  # reset: it ended with unread data
                parts.append(b"")
            if not parts[-1]:
                raise Died("its process ended (os._exit, a crash, or too much memory)")
            length += len(parts[-1])
        said, _, self._heard = b"".join(parts).partition(b"\n")
        try:
            message = hear(said)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise Died("its process spoke out of turn")
        return message

    def _late(self) -> TimedOut:
        """End the process, which did not interrupt itself, and return the exception to raise."""
        self._waits()
        self._close()
        return TimedOut("it took too long and was stopped")

    def _close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._complaint = self._process.close()
            self._process = None


def status_of(stop: Abandoned) -> str:
    """Return the status in the table for an abandoned call."""
    return "timeout" if isinstance(stop, TimedOut) else "died"


def exception(kind: str, text: str) -> Exception:
    """Return an exception like the one in the student's process, judging by its name."""
    known = getattr(builtins, kind, None)
    if not (isinstance(known, type) and issubclass(known, Exception)):
        known = type(kind if kind.isidentifier() else "Exception", (Exception,), {})
    try:
        return known(text)
    except TypeError:  # such as UnicodeDecodeError, which takes five arguments
        return Exception(f"{kind}: {text}")
