# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The search of `scan` and the rounds of `pla` again, compiled by numba.

Nothing is decided in another way: sums in a free order skip what is right beyond any
rounding, and the canonical score decides the rest. `compiled` loads this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["Loops", "make_loops"]

Array = npt.NDArray[np.float64]

#: How many numbers the first block of a search holds, and the largest, and how many rows at most.
#: Short rows go through side by side; for long ones a first block of one row is best.
FIRST, LARGEST, ROWS = 64, 2048, 128

njit: Any = numba.njit
# What only compiled code calls needs no wrapper, which would take as long to compile.
inner = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
helper = njit(**inner)
# Sums may be reordered and fused; NaN and infinity keep their meaning.
free_helper = njit(fastmath={"reassoc", "contract", "nsz"}, **inner)


class Loops(NamedTuple):
    """The compiled functions; each is compiled when it is called for the first time.

    Attributes
    ----------
    look : callable
        ``look(X, y, w, near, start, stop, order=None)``: what `Scan` finds.
    sweep : callable
        ``sweep(X, y, reach, order, start, rate, W, picks)``: go round from `start` and correct
        each mistake, from the weights ``W[0]`` on, until `picks` is full or no mistake is
        left. Returns the number of updates.
    wander : callable
        ``wander(X, y, reach, rng, draws, rate, W, picks)``: the same, where each update takes the
        first mistake among so many draws, and eight times as many as long as there is none;
        it stops where that would be as many as there are samples.
    errors : callable
        ``errors(Z, X, y, V, W, near, below, counts)``: fill `counts` with the mistakes of each row
        of `W`. As soon as they reach `below` counting may stop; those of the last row are
        counted to the end. `Z` holds `X` times the labels, each coordinate of a block of samples
        together: shape (blocks, m, samples in a block). `Z` and `V`, which is `W`, may have
        half the precision; what is as near to 0 as `near` is decided by `X` and `W`.
    tallies : callable
        ``tallies(scores, y, near)``: in each row of scores, how many margins are negative, and
        how many are too near to 0 to tell.
    """

    look: Callable[..., int | None]
    sweep: Callable[..., int]
    wander: Callable[..., int]
    errors: Callable[..., None]
    tallies: Callable[..., tuple[Any, Any]]


def make_loops(m: int | None, tolerance: Callable[[float, int], float]) -> Loops:
    """Make the functions for rows of m numbers.

    Parameters
    ----------
    m : int or None
        The length of a row, which the compiler had better know if it is short; ``None`` for
        any length.
    tolerance : callable
        `compiled.tolerance`, the bound below which the order of a sum matters.

    Returns
    -------
    Loops
    """
    nearest = helper(tolerance)

    @free_helper
    def length(W, t):
        total = 0.0
        for j in range(W.shape[1] if m is None else m):
            total += abs(W[t, j])
        return total

    @helper
    def bound(W, t, reach):
        return nearest(length(W, t) * reach, W.shape[1])

    def dot(X, i, W, t):
        s = W[t, 0] * X[i, 0]
        for j in range(1, W.shape[1] if m is None else m):
            s += W[t, j] * X[i, j]
        return s

    score, rough = helper(dot), free_helper(dot)

    @helper
    def is_mistake(X, y, i, W, t, near):
        ys = y[i] * rough(X, i, W, t)
        return ys < -near or (not ys > near and not y[i] * score(X, i, W, t) > 0)

    @helper
    def count_right(X, y, order, W, t, near):
        right = 0  # no branch, so that several rows go through at once
        for k in range(len(y) if order is None else len(order)):
            i = k if order is None else order[k]
            right += y[i] * rough(X, i, W, t) > near
        return right

    @helper
    def check_range(order, n):
        for i in order:
            if not 0 <= i < n:
                raise IndexError("order holds an index that is no sample's")

    @helper
    def search(X, y, W, t, near, order, start, stop):
        largest = max(1, min(ROWS, LARGEST // W.shape[1]))
        block = max(1, min(8, FIRST // W.shape[1]))
        while start < stop:
            end = min(start + block, stop)
            if order is None:
                right = count_right(X[start:end], y[start:end], None, W, t, near)
            else:
                check_range(order[start:end], len(y))
                right = count_right(X, y, order[start:end], W, t, near)
            if right < end - start:
                for k in range(start, end):
                    if is_mistake(X, y, k if order is None else order[k], W, t, near):
                        return k
            start, block = end, min(2 * block, largest)
        return -1

    @njit
    def find(X, y, W, near, order, start, stop):
        return search(X, y, W, 0, near, order, start, stop)

    @helper
    def correct(X, y, i, rate, W, t):
        for j in range(W.shape[1] if m is None else m):
            W[t + 1, j] = W[t, j] + rate * y[i] * X[i, j]

    @njit
    def sweep(X, y, reach, order, start, rate, W, picks):
        for t in range(len(picks)):
            near = bound(W, t, reach)
            k = -1
            for begin, end in ((start, len(y)), (0, start)):
                if k < 0:
                    k = search(X, y, W, t, near, order, begin, end)
            if k < 0:
                return t
            picks[t] = k if order is None else order[k]
            correct(X, y, picks[t], rate, W, t)
            start = k + 1
        return len(picks)

    @njit
    def wander(X, y, reach, rng, size, rate, W, picks):
        n = len(y)
        for t in range(len(picks)):
            near = bound(W, t, reach)
            pick, draws = -1, size
            while pick < 0 and draws < n:
                for i in rng.integers(0, n, size=draws):
                    if is_mistake(X, y, i, W, t, near):
                        pick = i
                        break
                draws *= 8
            if pick < 0:
                return t
            picks[t] = pick
            correct(X, y, pick, rate, W, t)
        return len(picks)

    @free_helper
    def tally_block(Z, n, V, t, near):
        zero, one = Z.dtype.type(0), Z.dtype.type(1)  # as wide as scores, to be added up like them
        wrong = right = zero
        for i in range(n):
            ys = rough(Z, i, V, t)
            wrong += one if ys < -near else zero
            right += one if ys > near else zero
        return int(wrong), int(right)

    @njit
    def errors(Z, X, y, V, W, near, below, counts):
        alive, size = np.arange(len(W)), Z.shape[2]
        for block in range(len(Z)):
            rows, kept = slice(block * size, (block + 1) * size), 0
            columns, samples, labels = Z[block].T, X[rows], y[rows]
            n = len(labels)
            for k in alive:
                wrong, right = tally_block(columns, n, V, k, near[k])
                if wrong + right < n:  # all anew: sums in a free order may differ from last time
                    wrong = 0
                    for i in range(n):
                        wrong += is_mistake(samples, labels, i, W, k, near[k])
                counts[k] += wrong
                if counts[k] < below or k == len(W) - 1:
                    alive[kept] = k
                    kept += 1
            alive = alive[:kept]

    @njit
    def tallies(scores, y, near):
        wrong, unsure = np.zeros(len(scores), np.int64), np.zeros(len(scores), np.int64)
        for k in range(len(scores)):
            least, below, doubts = near[k], 0, 0
            for i in range(len(y)):
                ys = scores[k, i] * y[i]
                below += ys < -least
                doubts += not (ys < -least or ys > least)
            wrong[k], unsure[k] = below, doubts
        return wrong, unsure

    def look(
        X: Array,
        y: npt.NDArray[np.int64],
        w: Array,
        near: float,
        start: int,
        stop: int,
        order: npt.NDArray[np.integer] | None = None,
    ) -> int | None:
        if order is not None:
            order = np.ascontiguousarray(order, dtype=np.int64)
        stop = min(stop, len(y if order is None else order))
        k = find(X, y, w.reshape(1, -1), near, order, start, stop)
        return None if k < 0 else k if order is None else int(order[k])

    return Loops(look, sweep, wander, errors, tallies)
