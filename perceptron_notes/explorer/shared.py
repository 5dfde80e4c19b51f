"""Kernels as the page computes them: Python's Gram matrix for a figure, with the page's bits.

`gram` may sum in any order and calls the system's exp, whose last bit is another in each
language. A figure's runs must not hang on that, so both of its sides compute from left to
right, and take exp from sums, products and quotients alone.
"""

from __future__ import annotations

import numpy as np

from perceptron_notes.data import Dataset
from perceptron_notes.kernels import Kernel, polynomial, rbf
from perceptron_notes.validation import check_gram
from perceptron_notes.values import Array

__all__ = ["exp", "shared_gram"]

#: ln 2 in two parts, of which the first has so few bits that its multiples are exact: fdlibm's.
LN2, HIGH, LOW = 0.6931471805599453, 0.6931471803691238, 1.9082149292705877e-10
TERMS = 14


def exp(x: Array) -> Array:
    """The exponential function for x ≤ 0, to 16 digits; what is below exp(-708) is 0."""
    k = np.floor(np.maximum(x, -708.0) / LN2 + 0.5)
    r = np.maximum(x, -708.0) - k * HIGH - k * LOW
    s = np.ones_like(x)
    for j in range(TERMS, 0, -1):  # the series, from its end
        s = 1 + s * r / j
    return np.where(x < -708, 0.0, np.ldexp(s, k.astype(np.int64)))


def shared_gram(data: Dataset, kernel: Kernel) -> Array:
    """The Gram matrix of samples in a plane, as the page has it to the last bit.

    Parameters
    ----------
    data : Dataset
        Samples with d = 2.
    kernel : kernel
        `linear`, ``polynomial(…)`` or ``rbf(…)``.

    Returns
    -------
    ndarray, shape (n, n)
        It differs from `gram` by rounding alone.
    """
    (a, b), (c, d) = data.points.T[:, :, None], data.points.T[:, None, :]
    if isinstance(kernel, rbf):
        return exp(-kernel.gamma * ((a - c) * (a - c) + (b - d) * (b - d)))
    G = a * c + b * d
    if isinstance(kernel, polynomial):
        base = G + kernel.offset
        G = base
        for _ in range(1, kernel.degree):
            G = G * base
    return check_gram(G, data.n)  # refuses what has overflown
