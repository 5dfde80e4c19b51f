"""Kernels as the page computes them: Python's Gram matrix for a figure, with the page's bits.

`gram` may sum in any order and calls the system's exp, whose last bit may differ from language to
language. A figure's runs must not depend on that, so both of its sides compute from left to
right, and take exp from `elementary`.
"""

from __future__ import annotations

from perceptron_notes._kit.elementary import exp
from perceptron_notes._kit.validation import check_gram
from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.kernels import Kernel, polynomial, rbf

__all__ = ["shared_gram"]


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
