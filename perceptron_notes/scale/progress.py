"""How far a run on shards is: a bar in a terminal or a notebook, a line an epoch elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

__all__ = ["Bar", "Watcher", "watcher"]

#: ``watch(epoch, done, total)``, or True for a bar, or None.
Watcher = Any
#: A bar is drawn at most so often, in seconds, and has so many places.
_OFTEN, _WIDTH = 0.1, 24


class _Told:
    """Tells a function how far a run is, or nobody."""

    def __init__(self, watch: Callable[[Any, int, int], Any] | None) -> None:
        self.watch = watch

    def beside(self, epoch: Any) -> Callable[[int, int], Any] | None:
        """Return what is called with (done, total) while the epoch after this one runs."""
        watch = self.watch
        return None if watch is None else lambda done, total: watch(epoch, done, total)

    def epoch(self, epoch: Any) -> None:
        """Hear that an epoch is over."""

    def close(self) -> None:
        """Hear that the run is over, or was left."""


class Bar(_Told):
    """Draws a bar in one line; in neither a terminal nor a notebook, a line for each epoch."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(self.draw)
        self.stream, self.drawn, self.length = stream, 0.0, 0
        # A notebook's stream is no terminal, but a carriage return does what it does there.
        self.lively = stream.isatty() or type(stream).__module__.startswith("ipykernel")

    def draw(self, epoch: Any, done: int, total: int) -> None:
        """Show how many shards of the epoch after this one have answered."""
        now = time.monotonic()
        if self.lively and (done == total or now - self.drawn > _OFTEN):
            self.drawn, full = now, _WIDTH * done // total
            self.show(f"epoch {epoch.n + 1} {'█' * full}{'░' * (_WIDTH - full)} {_told(epoch)}")

    def show(self, line: str, end: str = "") -> None:
        """Write a line over the one before."""
        self.stream.write(f"\r{line:<{self.length}}{end}")
        self.stream.flush()
        self.length = 0 if end else len(line)

    def epoch(self, epoch: Any) -> None:
        """Show the mistakes of an epoch that is over."""
        if not self.lively:
            self.stream.write(f"epoch {epoch.n}: {_told(epoch)}\n")
        elif epoch.converged:
            self.show(f"epoch {epoch.n} {'█' * _WIDTH} {_told(epoch)}")

    def close(self) -> None:
        """Go to the next line."""
        if self.length:
            self.stream.write("\n")
            self.stream.flush()


def _told(epoch: Any) -> str:
    """Return the mistakes of an epoch in words."""
    made = sum(epoch.mistakes)
    if not epoch.n:
        return "begins"
    return f"{made:,} mistakes" if made else f"no mistake is left, after {epoch.t:,} in all"


@contextmanager
def watcher(progress: Watcher) -> Iterator[_Told]:
    """Open what `progress` names, as for `mixing`, for as long as a run lasts."""
    if progress is None or progress is False:
        watch = _Told(None)
    elif progress is True:
        watch = Bar(sys.stderr)
    elif callable(progress):
        watch = _Told(progress)
    else:
        raise TypeError(
            f"progress is {progress!r}; expected True, or a function of an epoch, done and total"
        )
    try:
        yield watch
    finally:
        watch.close()
