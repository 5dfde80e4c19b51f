"""Whole runs in compiled code, for the pick rules that it supports.

`_loops` makes updates from rows of numbers and orders of them. This module knows in which order
a rule visits them, and how far a run goes. Only rules of exactly the known types are supported; any
other makes its own picks, step by step, and a function that would make them here returns None.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate, count, repeat
from operator import ge
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.draws import Draws
from perceptron_notes._kit.values import Array, frozen
from perceptron_notes.data import Dataset, check_fit
from perceptron_notes.native import _loops
from perceptron_notes.rules import FIRST_DRAWS, PickRule, Tour, traversal

__all__ = ["count_errors", "finish_dual", "finish_pocket", "searching", "steps_ahead", "stretches"]

_Picks = npt.NDArray[np.int64]
_State = tuple[int, _Picks | None, int, int, int, int]
#: ``make(begun, picks, state)``: continue after `begun` updates from the rule's state, for `picks`
#: picks. Returns how many were made, the rule's new position and pass, and why it stopped.
_Make = Callable[[int, int, _State], tuple[int, int, int, int]]

#: The first stretch of a run has `LEAST` updates, each further one four times as many, up to
#: `NUMBERS` numbers in the weights of a stretch.
_LEAST, _NUMBERS = 64, 1 << 16
#: Pocket counts the mistakes of `MOST` weights together, or of fewer if those have more scores.
_MOST, _SCORES = 4096, 1 << 26
#: Draws are made for `PICKS` picks at a time, unless one pick takes more: allocating fresh memory
#: beyond 128 kB would take longer than drawing the numbers.
_PICKS = 256
#: At most `AHEAD` steps are computed in advance; fewer if the longest searches for them would read
#: more than `NUMBERS_AHEAD` numbers, which takes about 10 ms.
_AHEAD, _NUMBERS_AHEAD = 256, 1 << 24
_NEVER = 2**62


def searching(data: Dataset) -> Callable[[Array], Callable[..., int | None]]:
    """Return the search for mistakes among samples: from weights to what a `Look` does."""
    return partial(partial, _search(data).look)


def _search(data: Any) -> _loops.Search:
    """Return the search of the compiled loops; `Classes` pass their number K."""
    X, y = np.ascontiguousarray(data.X), _in_64_bits(data.y)
    return _loops.Search(X, y, data.reach, getattr(data, "K", 0))


def _in_64_bits(numbers: npt.NDArray[np.integer[Any]]) -> _Picks:
    """Return labels or indices as int64 for the loops, without a copy if they already are."""
    return np.ascontiguousarray(numbers, dtype=np.int64)


# -------------------------------------------------------------------------------- rules


class _Tour:
    """How a rule without randomness goes through the samples."""

    def __init__(self, how: int, order: _Picks | None, most: int) -> None:
        self.how, self.order, self.most = how, order, most
        self.place, self.number = 0, 1

    @property
    def passes(self) -> int | None:
        """Which pass this is; None if the rule makes none."""
        return self.number if self.how == _loops.IN_TURN else None

    def advance(self, make: _Make, picks: int) -> tuple[int, bool]:
        """Make so many picks; return how many were made, and whether no mistake is left."""
        state = (self.how, self.order, self.place, 1, self.number, self.most)
        made, self.place, self.number, why = make(0, picks, state)
        return made, why == _loops.CONVERGED


class _Chance(Draws):
    """How `at_random` goes through n samples."""

    passes = None

    def __init__(self, seed: int, n: int) -> None:
        super().__init__(seed)
        self.n, self.ahead = n, _LEAST
        self.longest, size = 0, FIRST_DRAWS  # the most that one pick may draw
        while size < n:
            self.longest, size = self.longest + size, 8 * size
        # What one pick may leave unused, or more.
        self.farthest = max(_PICKS, self.longest // FIRST_DRAWS)

    def advance(self, make: _Make, picks: int) -> tuple[int, bool]:
        """Make at most so many picks; return how many were made, and whether no mistake is left."""
        made, why = 0, _loops.TOO_FEW_DRAWS
        while made < picks and why == _loops.TOO_FEW_DRAWS:
            if len(self.draws) - self.place < self.longest:
                self.have(self.longest + FIRST_DRAWS * min(self.ahead, picks - made))
                self.ahead = min(4 * self.ahead + 1, self.farthest)
            state = (_loops.DRAWS, self.draws, self.place, FIRST_DRAWS, 1, _NEVER)
            more, self.place, _, why = make(made, picks - made, state)
            made += more
        if why == _loops.ALL_DRAWN_RIGHT:
            self.ahead = 0
            order = _in_64_bits(self.permutation(self.n))
            state = (_loops.FIRST, order, 0, 1, 1, _NEVER)
            more, _, _, why = make(made, 1, state)
            made += more
        return made, why == _loops.CONVERGED


def _known(pick: PickRule, n: int, passes: int | None) -> _Tour | _Chance | None:
    """Return the compiled traversal of a built-in rule, or None."""
    way = traversal(pick, n)
    if passes is not None and not (isinstance(way, Tour) and way.cyclic):
        return None  # such rules make no passes, and the steps report the error
    if isinstance(way, Tour):
        how = _loops.IN_TURN if way.cyclic else _loops.FIRST
        order = None if way.order is None else _in_64_bits(way.order)
        return _Tour(how, order, _NEVER if passes is None else passes)
    return None if way is None else _Chance(way.seed, n)


# --------------------------------------------------------------------------------- runs


class Stretch(NamedTuple):
    """Some steps of a run, one after the other.

    Its weights are overwritten by those of the next stretch: copy what is to stay.
    """

    t: int  # of the first
    W: Array
    picks: _Picks  # -1 where no mistake is left; with classes a sample and a rival each
    passes: int | None  # of the last

    @property
    def end(self) -> tuple[int, Array, Any, int | None]:
        """The fields of the last step."""
        t, w, pick = self.t + len(self.W) - 1, frozen(self.W[-1].copy()), self.picks[-1]
        return t, w, None if pick.min() < 0 else pick.tolist(), self.passes

    def add_changes(self, total: Array, w: Array, times: _Picks) -> None:
        """Add each change of the weights, times its factor, to a total; the first one is from w."""
        total += times[0] * (self.W[0] - w)
        _loops.add_changes(total, self.W, times[1:])


def stretches(run: Any, updates: int, passes: int | None) -> Any:
    """Return an iterator over the steps of a run up to caps on updates and passes, many at a time.

    Each of its `Stretch` is a part of what `pla` or `multi_pla` returns; None for other rules.
    """
    rule, largest = _known(run.pick, run.data.n, passes), max(1, _NUMBERS // run.w0.size)
    return None if rule is None else _stretches(_search(run.data), run, rule, updates, largest)


def _stretches(
    search: _loops.Search,
    run: Any,
    rule: _Tour | _Chance,
    updates: int,
    largest: int,
    least: int = _LEAST,
) -> Iterator[Stretch]:
    """Yield the stretches themselves."""
    w, t, size = run.w0, 0, min(least, largest)
    duel = (2,) * (w.ndim - 1)
    W, picks = np.empty((0, *w.shape)), np.empty((0, *duel), dtype=np.int64)
    while True:
        # The step at the cap has a pick too, but the update that belongs to it is not used.
        T = min(size, updates - t + 1)
        if len(picks) < T:
            W, picks = np.empty((T + 1, *w.shape)), np.empty((T, *duel), dtype=np.int64)
        W[0] = w

        def make(
            begun: int, most: int, state: _State, W: Array = W, picks: _Picks = picks
        ) -> tuple[int, int, int, int]:
            stop = begun + most
            return search.run(W[begun : stop + 1], picks[begun:stop], run.rate, state)

        made, over = rule.advance(make, T)
        if over:
            picks[made] = -1
        yield Stretch(t, W[: made + over], picks[: made + over], rule.passes)
        w, t, size = W[made], t + made, min(4 * size, largest)
        if over or t > updates or (rule.passes is not None and rule.passes > rule.most):
            return


def steps_ahead(run: Any) -> Any:
    """Return an iterator over the fields of a run's steps, some computed in advance, or None."""
    rule = _known(run.pick, run.data.n, None)
    return None if rule is None else _walk(_search(run.data), run, rule)


def _walk(search: _loops.Search, run: Any, rule: _Tour | _Chance) -> Iterator[Any]:
    """Yield the steps themselves."""
    way, number, before = traversal(run.pick, run.data.n), 1, -2
    largest = max(1, min(_AHEAD, _NUMBERS_AHEAD // run.data.X.size))
    for t, W, picks, _ in _stretches(search, run, rule, _NEVER, largest, least=1):
        samples = (picks if picks.ndim == 1 else picks[:, 0]).tolist()
        told = [None if i < 0 else pick for i, pick in zip(samples, picks.tolist(), strict=True)]
        passes: Iterator[int | None] = repeat(None)
        if isinstance(way, Tour) and way.cyclic:
            here = [before, *(-1 if i < 0 else int(way.places(i)) for i in samples)]
            _, *counted = accumulate(map(ge, here, here[1:]), initial=number)
            passes, number, before = iter(counted), counted[-1], here[-1]
        yield from zip(count(t), (frozen(w.copy()) for w in W), told, passes, strict=False)


def finish_pocket(data: Dataset, run: Any, updates: int, passes: int | None) -> Any:
    """Return the end of a run that Pocket watches, with its mistakes on `data` counted, or None.

    Returns the fields of the last `Step`, its mistakes, the best weights, and their mistakes.
    """
    rule = _known(run.pick, run.data.n, passes)
    if rule is None or len(run.w0) != data.X.shape[1]:
        return None
    watched = _search(data)
    search = watched if run.data is data else _search(run.data)
    best, fewest = run.w0, data.n + 1
    largest = max(_LEAST, min(_MOST, _SCORES // data.n))
    for stretch in _stretches(search, run, rule, updates, largest):
        counts = _count_by(watched, data, stretch.W, fewest, falling=True)
        if counts.min() < fewest:
            best, fewest = frozen(stretch.W[counts.argmin()].copy()), int(counts.min())
        end = stretch.end
    return end, int(counts[-1]), best, fewest


def count_errors(data: Dataset, W: Array, below: int) -> _Picks:
    """Return the number of mistakes of each of many weight vectors, the rows of W, in shape (k,).

    Counts that reach `below` may be incomplete, except that of the last row. Raises
    ValueError if the weights do not fit the data, or are not finite.
    """
    return _count_by(_search(data), data, np.ascontiguousarray(W), below)


def _count_by(
    search: _loops.Search, data: Dataset, W: Array, below: int, falling: bool = False
) -> _Picks:
    """Count with a search that may be used again; `below` may fall from row to row."""
    if W.shape[1] != data.X.shape[1] or not np.isfinite(W).all():
        for w in W:
            check_fit(w, data)
    counts = np.empty(len(W), dtype=np.int64)
    search.count(W, counts, below, falling)
    return counts


def finish_dual(run: Any, updates: int, passes: int | None) -> Any:
    """Return the fields of a dual run's last step, within caps on updates and passes, or None."""
    n = len(run.y)
    if (rule := _known(run.pick, n, passes)) is None:
        return None
    G = np.ascontiguousarray(run.G)
    labels, alpha, scores = _in_64_bits(run.y), np.zeros(n), np.zeros(n)
    t, b, pending, over = 0, 0.0, None, False

    def make(_: int, picks: int, state: _State) -> tuple[int, int, int, int]:
        nonlocal t, b, pending
        so_far = G, labels, alpha, scores, b, run.intercept, run.rate
        made, b, pending, place, number, why = _loops.run_dual(*so_far, picks, updates - t, state)
        t += made
        return made, place, number, why

    while pending is None and not over:
        _, over = rule.advance(make, min(updates - t + 1, _MOST))
    return t, frozen(alpha), b, pending, rule.passes
