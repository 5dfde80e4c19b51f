"""The search for mistakes in a sparse matrix, of which only the entries that are not 0 are read.

A zero adds nothing to a score, so the canonical score, from left to right, is the same number
as that of the matrix written out in full, and a run makes the same picks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array, Labels
from perceptron_notes.native.fallback import tolerance
from perceptron_notes.rules import Order

__all__ = ["SparseSamples", "first_wrong", "sparse_scores"]

#: How many rows the first block of a search has, and the largest; each one doubles.
_LEAST_BLOCK, _LARGEST_BLOCK = 64, 1 << 14


def sparse_scores(matrix: Any, w: Array, intercept: bool = True) -> Array:
    """Score each row of a sparse matrix; near 0, where rounding decides, canonically.

    Parameters
    ----------
    matrix : scipy.sparse.csr_array or csr_matrix, shape (n, d)
        The points, its indices sorted and without duplicates.
    w : ndarray, shape (d + 1,)
        The weights; shape (d,) without an intercept.
    intercept : bool
        Whether ``w[0]`` belongs to a leading 1.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    first, slopes = (w[0], w[1:]) if intercept else (np.float64(0), w)
    scores = matrix @ slopes + first
    if not w.any():
        return scores
    ends, columns, values = matrix.indptr, matrix.indices, matrix.data
    reach = max(1.0, np.abs(values).max(initial=0))
    longest = int(np.diff(ends).max(initial=0))
    near = tolerance(float(np.abs(w).sum()) * reach, longest + 1)
    for k in np.flatnonzero(~(np.abs(scores) > near)).tolist():
        entries = slice(ends[k], ends[k + 1])
        products = slopes[columns[entries]] * values[entries]
        scores[k] = reduce(add, products.tolist(), float(first))  # sum would compensate rounding
    return scores


def first_wrong(
    wrong: Callable[[Any], npt.NDArray[np.bool_]],
    n: int,
    start: int,
    stop: int,
    order: Order | None = None,
) -> int | None:
    """Find the first mistake, as `Look` says; ``wrong(rows)`` says which of some rows are one."""
    stop, block = min(stop, n if order is None else len(order)), _LEAST_BLOCK
    while start < stop:
        end = min(start + block, stop)
        rows: Any = slice(start, end) if order is None else order[start:end]
        if (found := wrong(rows)).any():
            k = start + int(found.argmax())
            return k if order is None else int(order[k])
        start, block = end, min(2 * block, _LARGEST_BLOCK)
    return None


class SparseSamples:
    """Labelled samples in the rows of a sparse matrix: what a run reads of a `Dataset`.

    Parameters
    ----------
    matrix : scipy.sparse.csr_array or csr_matrix, shape (n, d)
        The points, its indices sorted and without duplicates.
    y : ndarray of intp, shape (n,)
        The labels −1 or +1.
    importance : ndarray, shape (n,), or None
        By what an update with each sample is multiplied.
    intercept : bool
        Whether the samples have a leading 1.
    """

    def __init__(self, matrix: Any, y: Labels, importance: Array | None, intercept: bool) -> None:
        self.matrix, self.y, self.importance = matrix, y, importance
        self.intercept, self.n = intercept, len(y)

    @property
    def X(self) -> SparseSamples:
        """The samples as what is added to weights: ``X[i]`` is one of them, in full."""
        return self

    @property
    def shape(self) -> tuple[int, int]:
        """How many samples and weights there are."""
        return self.n, self.matrix.shape[1] + self.intercept

    def __getitem__(self, i: int) -> Array:
        entries = slice(*self.matrix.indptr[i : i + 2])
        x = np.zeros(self.shape[1])
        x[self.matrix.indices[entries] + self.intercept] = self.matrix.data[entries]
        x[: self.intercept] = 1
        return x if self.importance is None else self.importance[i] * x

    def scan(self) -> Any:
        """Make what looks for mistakes; called with weights, it gives a `Look`."""
        return lambda w: partial(self.look, w)

    def look(self, w: Array, start: int, stop: int, order: Order | None = None) -> int | None:
        """Find the first mistake, as `Look` says."""
        return first_wrong(partial(self.wrong, w), self.n, start, stop, order)

    def wrong(self, w: Array, rows: Any = slice(None)) -> npt.NDArray[np.bool_]:
        """Tell which samples are mistakes."""
        return ~(self.y[rows] * sparse_scores(self.matrix[rows], w, self.intercept) > 0)
