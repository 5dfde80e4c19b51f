"""Finding mistakes: the canonical score, and a fast search that never contradicts it.

Rounded sums depend on the order of their terms, so on real data two ways of computing
``w·x`` may disagree about a sample on the boundary, and from there on about the whole
run. One order is therefore declared canonical: from left to right. Everything faster
only skips samples that are right beyond any rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from perceptron_notes import compiled
from perceptron_notes.data import Array, Dataset

__all__ = ["Look", "Scan", "canonical_score", "first_mistake"]

Order = npt.NDArray[np.integer]

#: ``look(start, stop, order=None)``: the first mistake among the samples start … stop − 1,
#: or among ``order[start:stop]``; ``None`` when all of them are right.
Look = Callable[..., int | None]


def canonical_score(w: Array, X: Array) -> Array:
    r"""The score :math:`((w_0 x_0 + w_1 x_1) + w_2 x_2) + \dots`, summed from the left.

    Parameters
    ----------
    w : ndarray, shape (m,)
    X : ndarray, shape (n, m) or (m,)

    Returns
    -------
    ndarray, shape (n,) or ()
    """
    s = w[0] * X[..., 0]
    for j in range(1, len(w)):
        s = s + w[j] * X[..., j]
    return s


def first_mistake(ys: Array, start: int, stop: int, order: Order | None = None) -> int | None:
    """Look for a mistake in a vector of functional margins that are known already.

    A margin that is not positive is a mistake; so is one that is not a number, because
    then nothing was decided.

    Parameters
    ----------
    ys : ndarray, shape (n,)
        The margins, a label times a score each.
    start, stop, order
        As for `Look`.

    Returns
    -------
    int or None
    """
    chosen = ys[start:stop] if order is None else ys[order[start:stop]]
    wrong = ~(chosen > 0)
    if not wrong.any():
        return None
    k = start + int(wrong.argmax())
    return k if order is None else int(order[k])


class Scan:
    """Looks for mistakes among the rows of `X`, block by block, without ever erring.

    A block's scores come from one matrix product, which sums in an order of its own. Both
    that sum and the canonical one lie within ``(m + 2)·2⁻⁵³·Σⱼ|wⱼ|·maxᵢⱼ|xᵢⱼ|`` of the exact
    score, so a margin further than twice that from 0 has its canonical sign. The few
    samples nearer to 0 are decided by `canonical_score`. Once much has been searched, the
    same is done by `compiled`, if numba is installed.

    Parameters
    ----------
    data : Dataset
        What is searched.
    block : int
        How many rows the first block has; each further block of a search doubles it, and
        the next search begins with about as many as lay before the last mistakes.

    References
    ----------
    Higham, N. J., *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002, §3.1.
    """

    LARGEST_BLOCK = 1 << 14

    def __init__(self, data: Dataset, block: int = 64) -> None:
        self.X, self.y, self.reach, self.block = data.X, data.y, data.reach, block

    def __call__(self, w: Array) -> Look:
        """Bind the weights: the result is the `Look` that a pick rule gets."""
        X, y, near = self.X, self.y, compiled.tolerance(np.abs(w).sum() * self.reach, len(w))
        if (loops := compiled.loops(X)) is not None:
            return partial(loops.look, X, y, w, near)

        def look(start: int, stop: int, order: Order | None = None) -> int | None:
            block, begin = self.block, start
            while start < stop:
                end = min(start + block, stop)
                compiled.spend(X, end - start)
                rows = slice(start, end) if order is None else order[start:end]
                ys = y[rows] * (X[rows] @ w)
                for k in np.flatnonzero(~(ys > near)):
                    i = start + int(k) if order is None else int(order[start + k])
                    if ys[k] < -near or not y[i] * canonical_score(w, X[i]) > 0:
                        self.block = (self.block + start + int(k) - begin) // 2 + 4
                        return i
                start, block = end, min(2 * block, self.LARGEST_BLOCK)
            return None

        return look
