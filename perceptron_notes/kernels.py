"""Chapter 5, kernels: functions that replace the inner product, and their Gram matrices.

A kernel is any function ``kernel(A, B)`` of two matrices of points, one in each row, that
returns the matrix of k(a, b). Like pick rules, kernels are values: they can be compared, printed
and pickled.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from perceptron_notes._kit.validation import (
    check_count,
    check_kernel,
    check_number,
    check_positive,
    check_symmetric,
    real_array,
)
from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset, check_dataset

__all__ = ["Kernel", "gram", "linear", "polynomial", "rbf"]

#: ``kernel(A, B)``: the matrix of k(a, b) for each row a of A, shape (n, d), and b of B.
Kernel = Callable[[Array, Array], Array]


def linear(A: Array, B: Array) -> Array:
    r"""Return the inner products :math:`k(\mathbf{a}, \mathbf{b}) = \mathbf{a}\cdot\mathbf{b}`.

    Parameters
    ----------
    A : ndarray, shape (n, d)
        Points, one in each row, without the leading 1.
    B : ndarray, shape (m, d)
        Points, likewise.

    Returns
    -------
    ndarray, shape (n, m)

    Examples
    --------
    >>> linear(np.array([[1, 2]]), np.array([[3, 4], [0, 1]]))
    array([[11,  2]])
    """
    return A @ B.T


@dataclass(frozen=True)
class polynomial:  # noqa: N801  # named like a function, as `range` is
    r"""The kernel :math:`k(\mathbf{a}, \mathbf{b}) = (c + \mathbf{a}\cdot\mathbf{b})^p`.

    With c = 1 it is a power of the inner product of both points with their leading 1. Called
    with two matrices of points, as `linear` is, it returns the matrix of k.

    Parameters
    ----------
    degree : int
        The power p ≥ 1.
    offset : float
        The constant c ≥ 0.

    Examples
    --------
    >>> gram(xor(), polynomial(2))
    array([[1., 1., 1., 1.],
           [1., 4., 1., 4.],
           [1., 1., 4., 4.],
           [1., 4., 4., 9.]])
    """

    degree: int
    offset: float = 1.0

    def __post_init__(self) -> None:
        degree = check_count(self.degree, "degree", least=1)
        offset = check_number(self.offset, "offset")
        if offset < 0:
            raise ValueError(f"offset is {offset:g}; expected a number ≥ 0")
        vars(self).update(degree=degree, offset=offset)

    def __call__(self, A: Array, B: Array) -> Array:
        """Return the matrix of k(a, b)."""
        return (A @ B.T + self.offset) ** self.degree


@dataclass(frozen=True)
class rbf:  # noqa: N801
    r"""The Gaussian kernel.

    It is :math:`k(\mathbf{a}, \mathbf{b}) = \exp(-\gamma\lVert\mathbf{a}-\mathbf{b}\rVert^2)`.
    Called with two matrices of points, as `linear` is, it returns the matrix of k.

    Parameters
    ----------
    gamma : float
        γ > 0, in units of one over a squared length: large means local.

    Examples
    --------
    >>> gram(xor(), rbf(1)).round(2)
    array([[1.  , 0.37, 0.37, 0.14],
           [0.37, 1.  , 0.14, 0.37],
           [0.37, 0.14, 1.  , 0.37],
           [0.14, 0.37, 0.37, 1.  ]])
    """

    gamma: float

    def __post_init__(self) -> None:
        vars(self).update(gamma=check_positive(self.gamma, "gamma"))

    def __call__(self, A: Array, B: Array) -> Array:
        """Return the matrix of k(a, b)."""
        # Differences lose no digits far from the origin; a block of rows at a time.
        squares = np.zeros((len(A), len(B)))
        for start in range(0, len(A), 64):
            for a, b in zip(A[start : start + 64].T, B.T, strict=True):
                squares[start : start + 64] += (a[:, None] - b) ** 2
        return np.exp(-self.gamma * squares)


def kernel_rows(kernel: Kernel, A: Array, B: Array) -> Array:
    """Return the matrix of k(a, b) of a kernel, checked, since it may be the caller's own."""
    rows = real_array(check_kernel(kernel)(A, B), "kernel(A, B)")
    if rows.shape != (len(A), len(B)):
        raise ValueError(
            f"kernel returned shape {rows.shape} for {len(A)} and {len(B)} points; "
            f"expected ({len(A)}, {len(B)})"
        )
    return rows


def gram(data: Dataset, kernel: Kernel = linear) -> Array:
    r"""Return the Gram matrix :math:`G_{ij} = k(\mathbf{p}_i, \mathbf{p}_j)` of all points.

    Parameters
    ----------
    data : Dataset
        n samples; their points are taken without the leading 1, which ``polynomial(degree)``
        has in it. `linear` has not, and leaves it to the bias of `dual_pla`.
    kernel : kernel
        `linear`, ``polynomial(degree, offset)``, ``rbf(gamma)`` or one of your own.

    Returns
    -------
    ndarray of float64, shape (n, n)

    Examples
    --------
    >>> gram(li_hang(), polynomial(1))
    array([[19., 22.,  7.],
           [22., 26.,  8.],
           [ 7.,  8.,  3.]])
    """
    points = check_dataset(data).points
    return check_symmetric(kernel_rows(kernel, points, points))
