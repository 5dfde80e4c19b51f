"""Samples drawn at random, many at a time, for the rule `at_random` and its compiled runs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

#: How many are drawn at once: NumPy takes only twice as long as for 32.
AHEAD = 2048


class Draws:
    """Samples drawn from a generator, made many at a time.

    These are the numbers that ``rng.integers(n, size=…)`` returns, however the calls are split. For
    anything else the generator first goes back to the last draw that was taken.
    """

    def __init__(self, seed: int) -> None:
        self.rng, self.n = np.random.default_rng(seed), 1
        self.forget()

    def forget(self) -> None:
        """Discard the draws that were not taken."""
        self.draws, self.place = np.empty(0, dtype=np.int64), 0
        #: For each batch in use: the generator's state before it, and the index of its first draw.
        self.calls: list[tuple[Mapping[str, Any], int]] = []

    def take(self, count: int, n: int) -> Indices:
        """Return the next `count` draws among n samples."""
        if n != self.n:
            self.go_back()
            self.n = n
        if self.place + count > len(self.draws):
            self.have(max(count, AHEAD))
        self.place += count
        return self.draws[self.place - count : self.place]

    def permutation(self, n: int) -> Indices:
        """Return all n samples in a random order."""
        self.go_back()
        return self.rng.permutation(n)

    def have(self, count: int) -> None:
        """Draw more, until `count` draws are left to take."""
        left, state = self.draws[self.place :], self.rng.bit_generator.state
        self.calls = [(before, start - self.place) for before, start in self.calls]
        while len(self.calls) > 1 and self.calls[1][1] <= 0:
            del self.calls[0]  # none of its draws is left
        self.calls.append((state, len(left)))
        more = self.rng.integers(self.n, size=count - len(left))
        self.draws, self.place = np.concatenate([left, more]), 0

    def go_back(self) -> None:
        """Return the generator to its state after the last draw that was taken."""
        if self.place < len(self.draws):
            before, start = next(call for call in reversed(self.calls) if call[1] <= self.place)
            self.rng.bit_generator.state = before
            self.rng.integers(self.n, size=self.place - start)
        self.forget()
