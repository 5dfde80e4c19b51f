"""The time that a diagnosis may take, and what was not finished in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic


class _OutOfTimeError(Exception):
    """The time of a part is over."""


class Clock:
    """Divide the time among parts; each stops when its share is over.

    Parameters
    ----------
    seconds : float
        For all parts together.
    progress : callable or None
        Called with a sentence that says what is being done.
    """

    def __init__(self, seconds: float, progress: Callable[[str], object] | None) -> None:
        self._end, self._until, self._progress = monotonic() + seconds, inf, progress
        self._part = ""
        self.unfinished: list[str] = []

    @contextmanager
    def part(self, name: str, share: float = 1.0) -> Iterator[None]:
        """Give a part its share of the time that is left; note it if that is not enough."""
        now = monotonic()
        self._part, self._until = name, now + share * max(self._end - now, 0.0)
        if self._progress is not None:
            self._progress(name)
        try:
            yield
        except _OutOfTimeError:
            self.unfinished.append(name)
        finally:
            self._until = inf

    def report(self, sentence: str) -> None:
        """Say how far it is, and stop the part if its time is over."""
        if monotonic() > self._until:
            raise _OutOfTimeError
        if self._progress is not None:
            self._progress(f"{self._part}: {sentence}")
