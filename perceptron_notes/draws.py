"""Samples drawn at random, many at a time, for the rule `at_random` and its compiled runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Draws"]

Samples = npt.NDArray[np.int64]

#: How many are made at once: NumPy takes only twice as long as for 32.
AHEAD = 2048


class Draws:
    """Samples drawn from a generator, made many at a time.

    They are those that ``rng.integers(n, size=…)`` makes in however many calls. For anything
    else the generator goes back to the last of them that was taken.

    Parameters
    ----------
    seed : int
        Of the generator.

    Examples
    --------
    >>> import numpy as np
    >>> from perceptron_notes.draws import Draws
    >>> rng, draws = np.random.default_rng(3), Draws(3)
    >>> all((draws.take(32, n=10) == rng.integers(10, size=32)).all() for _ in range(100))
    True
    """

    def __init__(self, seed: int) -> None:
        self.rng, self.n = np.random.default_rng(seed), 1
        self.draws, self.place = np.empty(0, dtype=np.int64), 0
        self.before = self.rng.bit_generator.state

    def take(self, count: int, n: int) -> Samples:
        """The next draws among n samples."""
        if n != self.n or self.place + count > len(self.draws):
            self.draw(max(count, AHEAD), n)
        self.place += count
        return self.draws[self.place - count : self.place]

    def permutation(self, n: int) -> Samples:
        """All n samples in a random order."""
        self.draw(0, n)
        return self.rng.permutation(n)

    def draw(self, count: int, n: int) -> None:
        """Take back the draws that were not used, and make so many."""
        if self.place < len(self.draws):
            self.rng.bit_generator.state = self.before
            self.rng.integers(self.n, size=self.place)
        self.before = self.rng.bit_generator.state
        self.n, self.draws, self.place = n, self.rng.integers(n, size=count), 0
