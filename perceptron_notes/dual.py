"""Chapter 5, the dual form: count the corrections of each sample instead of adding them up.

The run sees the points only through their Gram matrix, so a kernel can stand in for the
inner product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes.data import (
    Array,
    Dataset,
    Labels,
    check_count,
    check_dataset,
    check_labels,
    check_number,
    check_positive,
    frozen,
    real_array,
)
from perceptron_notes.gram_rows import GramRows
from perceptron_notes.pla import PickRule, check_pick, in_turn
from perceptron_notes.scan import first_mistake

__all__ = [
    "DualStep",
    "dual_pla",
    "dual_score",
    "gram",
    "linear",
    "polynomial",
    "rbf",
    "weights",
]

#: ``kernel(A, B)``: the matrix of k(a, b) for each row a of A, shape (n, d), and b of B.
Kernel = Callable[[Array, Array], Array]


def linear(A: Array, B: Array) -> Array:
    r"""The inner product :math:`k(\mathbf{a}, \mathbf{b}) = \mathbf{a}\cdot\mathbf{b}`.

    Parameters
    ----------
    A : ndarray, shape (n, d)
        Points, one in each row, without the leading 1.
    B : ndarray, shape (m, d)
        Points, likewise.

    Returns
    -------
    ndarray, shape (n, m)
    """
    return A @ B.T


def polynomial(degree: int, offset: float = 1.0) -> Kernel:
    r"""Make the kernel :math:`k(\mathbf{a}, \mathbf{b}) = (\mathbf{a}\cdot\mathbf{b} + c)^p`.

    Parameters
    ----------
    degree : int
        The power p ≥ 1.
    offset : float
        The constant c ≥ 0.

    Returns
    -------
    kernel
        A function of two matrices of points, as `linear` is.

    Raises
    ------
    TypeError, ValueError
        If the degree is not a whole number ≥ 1, or the offset is not a number ≥ 0.
    """
    degree = check_count(degree, "degree", least=1)
    offset = check_number(offset, "offset")
    if offset < 0:
        raise ValueError(f"offset is {offset:g}; expected a number ≥ 0")
    return lambda A, B: (A @ B.T + offset) ** degree


def rbf(gamma: float) -> Kernel:
    r"""Make the Gaussian kernel.

    It is :math:`k(\mathbf{a}, \mathbf{b}) = \exp(-\gamma\lVert\mathbf{a}-\mathbf{b}\rVert^2)`.

    Parameters
    ----------
    gamma : float
        γ > 0, in units of one over a squared length: large means local.

    Returns
    -------
    kernel
        A function of two matrices of points, as `linear` is.

    Raises
    ------
    TypeError, ValueError
        If gamma is not a positive finite number.
    """
    gamma = check_positive(gamma, "gamma")

    def kernel(A: Array, B: Array) -> Array:
        from scipy.spatial.distance import cdist  # loaded when it is used

        return np.exp(-gamma * cdist(A, B, "sqeuclidean"))

    return kernel


def gram(data: Dataset, kernel: Kernel = linear) -> Array:
    r"""The Gram matrix, :math:`G_{ij} = k(\mathbf{x}_i, \mathbf{x}_j)` for all pairs of samples.

    Parameters
    ----------
    data : Dataset
        n samples; their points are taken without the leading 1, whose part is played by
        the bias b of the dual form.
    kernel : kernel
        `linear`, ``polynomial(degree, offset)``, ``rbf(gamma)`` or one of your own.

    Returns
    -------
    ndarray of float64, shape (n, n)

    Raises
    ------
    TypeError
        If `data` is not a Dataset.
    ValueError
        If the kernel returns something else than a real n × n matrix.

    Examples
    --------
    >>> gram(li_hang())
    array([[18., 21.,  6.],
           [21., 25.,  7.],
           [ 6.,  7.,  2.]])
    """
    points = check_dataset(data).points
    return check_gram(check_kernel(kernel)(points, points), data.n)


def check_kernel(kernel: Any) -> Kernel:
    """`kernel` itself, if it can be one; the makers of kernels need their numbers first."""
    if not callable(kernel) or kernel is polynomial or kernel is rbf:
        raise TypeError(f"kernel is {kernel!r}; expected linear, polynomial(degree) or rbf(gamma)")
    return kernel


def check_gram(G: npt.ArrayLike | GramRows, n: int) -> Any:
    """`G` as a symmetric float64 matrix for n samples, or as it is if rows are made later."""
    G = G if isinstance(G, GramRows) else real_array(G, "G")
    if len(G.shape) != 2 or G.shape[0] != G.shape[1]:
        raise ValueError(f"G has shape {G.shape}; a Gram matrix is square")
    if len(G) != n:
        raise ValueError(f"G has shape {G.shape} for {n} labels; expected ({n}, {n})")
    if isinstance(G, GramRows):
        return G
    unlike = np.abs(G - G.T) > 1e-9 * np.abs(G).max()  # a kernel may round
    if unlike.any():
        i, j = np.argwhere(unlike)[0]
        raise ValueError(
            f"G[{i}, {j}] is {G[i, j]:g} but G[{j}, {i}] is {G[j, i]:g}; a Gram matrix is symmetric"
        )
    return G


class DualStep(NamedTuple):
    """One state of the dual run.

    Attributes
    ----------
    t : int
        How many updates were made before.
    alpha : ndarray, shape (n,)
        α before the update: λ times the tally of picks of each sample, read-only.
    b : float
        The bias, Σ αᵢyᵢ.
    pick : int or None
        The sample that will be corrected; ``None`` exactly when no mistake is left.
    """

    t: int
    alpha: Array
    b: float
    pick: int | None


def dual_pla(
    G: npt.ArrayLike | GramRows,
    y: npt.ArrayLike,
    pick: PickRule = in_turn,
    *,
    rate: float = 1.0,
) -> Iterator[DualStep]:
    r"""Run PLA from α = 0 on a Gram matrix, one step at a time.

    A sample i is a mistake when :math:`y_i(\sum_j \alpha_j y_j G_{ji} + b) \le 0`; the
    update adds λ to :math:`\alpha_i` and :math:`\lambda y_i` to b. With the linear kernel
    and exact arithmetic the picks are those of `pla`.

    Parameters
    ----------
    G : array_like, shape (n, n), or GramRows
        A Gram matrix, from `gram`; or one whose rows are made when they are needed.
    y : array_like, shape (n,)
        Labels −1 or +1.
    pick : pick rule
        Which mistake to correct, as for `pla`.
    rate : float
        The learning rate λ > 0.

    Returns
    -------
    iterator of DualStep
        It never ends if the data are not separable under the kernel; `last` stops at a cap.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If `G` is not a square symmetric matrix that fits `y`, if a label is not −1 or +1,
        or if the rate is not positive and finite.

    References
    ----------
    Aizerman, M. A., Braverman, E. M. and Rozonoer, L. I., "Theoretical foundations of the
    potential function method in pattern recognition learning", *Automation and Remote
    Control* 25, 1964.

    Examples
    --------
    >>> data = li_hang()
    >>> last(dual_pla(gram(data), data.y))
    DualStep(t=7, alpha=array([2., 0., 5.]), b=-3.0, pick=None)
    """
    y = check_labels(y)
    return tally(check_gram(G, len(y)), y, check_pick(pick), check_positive(rate, "rate"))


def tally(G: Array, y: Labels, pick: PickRule, rate: float) -> Iterator[DualStep]:
    """The algorithm itself, with running scores: an update adds a row of G."""
    alpha, b, scores = np.zeros(len(y)), 0.0, np.zeros(len(y))
    i = None
    for t in count():
        i = pick(partial(first_mistake, y * (scores + b)), len(y), i)
        yield DualStep(t, frozen(alpha), b, i)
        if i is None:
            return
        alpha = alpha.copy()
        alpha[i] += rate
        b += rate * float(y[i])
        scores += rate * y[i] * G[i]


def dual_score(
    alpha: npt.ArrayLike,
    b: float,
    data: Dataset,
    points: npt.ArrayLike,
    kernel: Kernel = linear,
) -> Array:
    r"""The score :math:`\sum_j \alpha_j y_j\,k(\mathbf{x}_j, \mathbf{x}) + b` of new points.

    Parameters
    ----------
    alpha : array_like, shape (n,)
        The tally of a dual run.
    b : float
        Its bias.
    data : Dataset
        The n samples of the run.
    points : array_like, shape (m, d)
        New points, without the leading 1.
    kernel : kernel
        The kernel of the run.

    Returns
    -------
    ndarray of float64, shape (m,)

    Raises
    ------
    TypeError, ValueError
        If the shapes do not fit.
    """
    alpha, points = check_alpha(alpha, data), real_array(points, "points")
    if points.ndim != 2 or points.shape[1] != data.d:
        raise ValueError(f"points has shape {points.shape}; expected (m, {data.d})")
    used = np.flatnonzero(alpha)
    K = check_kernel(kernel)(points, data.points[used])
    return K @ (alpha * data.y)[used] + check_number(b, "b")


def weights(alpha: npt.ArrayLike, data: Dataset) -> Array:
    r"""The weights :math:`\mathbf{w} = \sum_i \alpha_i y_i \mathbf{x}_i` of a dual run.

    Parameters
    ----------
    alpha : array_like, shape (n,)
        The tally of a dual run with the linear kernel.
    data : Dataset
        The n samples of the run.

    Returns
    -------
    ndarray of float64, shape (d + 1,)
        With ``w[0]`` = Σ αᵢyᵢ, the bias.

    Raises
    ------
    TypeError, ValueError
        If `alpha` does not fit the data.

    Examples
    --------
    >>> weights([2, 0, 5], li_hang())
    array([-3.,  1.,  1.])
    """
    return (check_alpha(alpha, data) * data.y) @ data.X


def check_alpha(alpha: npt.ArrayLike, data: Dataset) -> Array:
    """`alpha` as one number for each sample."""
    alpha = real_array(alpha, "alpha")
    if alpha.shape != (check_dataset(data).n,):
        raise ValueError(f"alpha has shape {alpha.shape}; expected ({data.n},), one for a sample")
    return alpha
