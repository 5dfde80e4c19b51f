"""The processor time that a diagnosis may take, and what did not finish in it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

#: The processor time of this thread, unaffected by a busy machine or by a library's threads;
#: in a browser, which has no such clock, that of the process.
_now = getattr(time, "thread_time", time.process_time)


class _OutOfTimeError(Exception):
    """The time of a part of the diagnosis is over."""


class Clock:
    """Divide a budget among the parts of a diagnosis; each stops when its share is used up.

    Parameters
    ----------
    seconds : float
        The processor time for all parts together.
    progress : callable or None
        Called with a sentence that says what is being done.
    """

    def __init__(self, seconds: float, progress: Callable[[str], object] | None) -> None:
        self.seconds, self._left, self._progress = seconds, seconds, progress
        self._part, self._until = "", inf
        self.unfinished: list[str] = []

    @contextmanager
    def apart(self, name: str, seconds: float = inf) -> Iterator[None]:
        """Run a part outside the budget, with its own time limit; note it if that is not enough."""
        self._part, self._until = name, _now() + seconds
        if self._progress is not None:
            self._progress(name)
        try:
            yield
        except _OutOfTimeError:
            self.unfinished.append(name)
        finally:
            self._until = inf

    @contextmanager
    def part(self, name: str, share: float = 1.0) -> Iterator[None]:
        """Run a part with its share of what is left of the budget."""
        begin = _now()
        with self.apart(name, share * max(self._left, 0.0)):
            yield
        self._left -= _now() - begin

    def report(self, sentence: str) -> None:
        """Report how far the part is, and stop it if its time is over."""
        if _now() > self._until:
            raise _OutOfTimeError
        if self._progress is not None:
            self._progress(f"{self._part}: {sentence}")
