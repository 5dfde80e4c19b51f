"""The search in plain NumPy, for machines without the compiled one.

Rounded sums depend on the order of their terms, so the canonical score, from left to right,
decides what is a mistake. A sum in another order only skips what is right beyond any rounding.
"""

from collections.abc import Callable
from functools import partial
from math import inf, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import BLOCK, Array
from perceptron_notes.data import Dataset, check_fit
from perceptron_notes.model import canonical_score
from perceptron_notes.rules import Order

__all__ = [
    "Scan",
    "count_errors",
    "finish_dual",
    "finish_pocket",
    "first_mistake",
    "steps_ahead",
    "stretches",
    "tolerance",
]

_Counts = npt.NDArray[np.intp]


def tolerance(size: float, m: int) -> float:
    r"""Return how near to 0 a margin has to be for the order of its sum to matter.

    Both the canonical sum and one in another order lie within ``(m + 2)·2⁻⁵³`` times `size` of
    the exact score, so a margin further than twice that from 0 has its canonical sign.

    Parameters
    ----------
    size : float
        At least the sum of \|wⱼ\| times \|xⱼ\|.
    m : int
        The number of terms.

    Returns
    -------
    float

    References
    ----------
    Higham, N. J., *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002, §3.1.
    """
    # The small term covers underflow. Where sums may overflow, nothing is skipped.
    return (m + 2) * 2.0**-52 * size + 1e-300 if size < 1e300 else inf


class Scan:
    """The search for mistakes among the samples, block by block, with the canonical result.

    A block's scores come from one matrix product, which sums in an order of its own. The few
    margins that lie within `tolerance` of 0 are decided by the canonical score.

    Parameters
    ----------
    data : Dataset
        The samples to search.
    block : int
        How many rows the first block has. Within a search, each further block is twice as
        large; the next search begins with about as many rows as the last ones went through
        before they met a mistake.
    """

    LARGEST_BLOCK = 1 << 14

    def __init__(self, data: Dataset, block: int = 64) -> None:
        self.X, self.y, self.block = data.X, data.y.astype(np.float64), block
        self.m = data.X.shape[1]
        # By Cauchy and Schwarz, the sum of |wⱼ| is at most √m ‖w‖, which is faster to compute.
        self.reach, self.span = data.reach, sqrt(self.m) * data.reach * (1 + 2.0**-20)

    def __call__(self, w: Array) -> Callable[..., int | None]:
        """Bind the weights: the result searches like a `Look`."""
        square = float(w.dot(w))
        # Outside this range squares may have vanished or overflowed.
        usual = 1e-200 < square < 1e200
        size = sqrt(square) * self.span if usual else float(np.abs(w).sum()) * self.reach
        return partial(self.look, w, tolerance(size, self.m))

    def look(
        self, w: Array, near: float, start: int, stop: int, order: Order | None = None
    ) -> int | None:
        """Return the first mistake, as a `Look` does; margins beyond `near` are certain."""
        X, y, block, begin = self.X, self.y, self.block, start
        stop = min(stop, len(y if order is None else order))
        while start < stop:
            end = min(start + block, stop)
            if order is None:
                rows, labels = X[start:end], y[start:end]
            else:
                chosen = order[start:end].astype(np.intp, copy=False)  # 32 bits on some machines
                rows, labels = X.take(chosen, 0), y.take(chosen)
            ys = rows.dot(w)
            ys *= labels
            right = ys > near
            first = int(right.argmin())
            wrong: Any = ()
            if ys[first] < -near:
                wrong = (first,)
            elif not right[first]:
                wrong = np.flatnonzero(~right).tolist()
            for k in wrong:
                i = start + k if order is None else int(order[start + k])
                if ys[k] < -near or not y[i] * canonical_score(w, X[i]) > 0:
                    self.block = (self.block + start + k - begin) // 2 + 4
                    return i
            start, block = end, min(2 * block, self.LARGEST_BLOCK)
        return None


def first_mistake(ys: Array, start: int, stop: int, order: Order | None = None) -> int | None:
    """Return the first of the signed scores that is not positive, as a `Look` does."""
    chosen = ys[start:stop] if order is None else ys[order[start:stop]]
    if not len(chosen):
        return None
    right = chosen > 0
    k = int(right.argmin())
    if right[k]:
        return None
    return start + k if order is None else int(order[start + k])


def stretches(*run: Any) -> None:
    """Return None: NumPy cannot make a run faster than step by step."""


finish_dual = finish_pocket = steps_ahead = stretches
searching = Scan


def count_errors(data: Dataset, W: Array, below: int) -> _Counts:
    """Return the number of mistakes of each of many weight vectors.

    Blocks of samples are multiplied with the weights still in question, in half the usual
    precision, which takes half the time; margins too near to 0 for that are decided by the
    canonical score.
    """
    X, y, m = data.X, data.y, data.X.shape[1]
    with np.errstate(all="ignore"):
        sizes = np.abs(W).sum(axis=1) * data.reach
    if W.shape[1] != m or not np.isfinite(sizes.max()):
        for w in W:
            check_fit(w, data)
    kind: Any = np.float32
    near = 1.001 * (m + 4) * (2.0**-24 * sizes + 1e-29)  # the small term covers underflow
    if not max(sizes.max(), data.reach) < 1e15:  # float32 might overflow
        kind, near = np.float64, np.array([tolerance(size, m) for size in sizes])
    V, labels, near = W.astype(kind), y.astype(kind), near.astype(kind)
    counts, alive = np.zeros(len(W), dtype=np.intp), np.arange(len(W))
    start, block, many = 0, 256, max(1, BLOCK // m)
    while start < len(y):
        rows = slice(start, start + block)
        ys = V[alive] @ (X[rows].astype(kind) * labels[rows, None]).T
        wrong = np.add.reduce(ys < -near[alive, None], axis=1, dtype=np.intp)
        some = np.flatnonzero(~(np.abs(ys).min(axis=1) > near[alive]))
        k, i = np.nonzero(~(np.abs(ys[some]) > near[alive[some], None]))
        k, i = some[k], start + i
        counts[alive] += wrong
        for a in range(0, len(k), many):  # for whole-number data many scores are 0
            part = slice(a, a + many)
            sure = y[i[part]] * canonical_score(W[alive[k[part]]].T, X[i[part]]) > 0
            counts[alive] += np.bincount(k[part][~sure], minlength=len(alive))
        alive = np.flatnonzero((counts < below) | (np.arange(len(W)) == len(W) - 1))
        start, block = start + block, max(256, (1 << 20) // len(alive))
    return counts
