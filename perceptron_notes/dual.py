"""Chapter 5, the dual form: count the corrections of each sample instead of adding them up.

The run sees the points only through their Gram matrix, so a kernel can stand in for the
inner product.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes import native
from perceptron_notes._kit.recipes import Recipe
from perceptron_notes._kit.validation import (
    check_flag,
    check_gram,
    check_labels,
    check_number,
    check_pick,
    check_positive,
    check_tally,
    name_of,
    real_array,
)
from perceptron_notes._kit.values import Array, Labels, by_value, frozen
from perceptron_notes.data import Dataset, check_dataset
from perceptron_notes.kernels import Kernel, kernel_rows, linear
from perceptron_notes.native import known
from perceptron_notes.rules import PickRule, in_passes, in_turn, one_run_of

__all__ = ["DualRun", "DualStep", "dual_pla", "dual_score", "tally", "weights"]


@by_value
class DualStep(NamedTuple):
    r"""One state of the dual run.

    Attributes
    ----------
    t : int
        How many updates have been made before.
    alpha : ndarray, shape (n,)
        α before the update: λ times the number of picks of each sample, read-only.
    b : float
        The bias, :math:`\sum_i \alpha_i y_i`; 0 without an intercept.
    pick : int or None
        The sample that will be corrected; ``None`` exactly when no mistake is left.
    passes : int or None
        Which pass over the samples this is, as for `Step`.
    """

    t: int
    alpha: Array
    b: float
    pick: int | None
    passes: int | None = None


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class DualRun(Recipe[DualStep]):
    """A run of `dual_pla`, as a recipe: iterating it always gives the same steps.

    Its attributes are the arguments of `dual_pla`: ``G``, ``y``, ``pick``, ``rate``, ``intercept``.
    """

    G: Array
    y: Labels
    pick: PickRule
    rate: float
    intercept: bool

    def __iter__(self) -> Iterator[DualStep]:
        steps = tally(self.G, self.y, one_run_of(self.pick, len(self.y)), self.rate, self.intercept)
        return in_passes(steps, self.pick, len(self.y))

    def end(self, updates: int, passes: int | None) -> DualStep | None:
        """Return the step at which a cap stops, if compiled code can make the run; else None."""
        found = native.means.finish_dual(self, updates, passes)
        return None if found is None else DualStep(*found)

    def __repr__(self) -> str:
        rate = f", rate={self.rate:g}" if self.rate != 1 else ""
        bias = "" if self.intercept else ", intercept=False"
        return f"dual_pla(G of {len(self.y)} samples, {name_of(self.pick)}{rate}{bias})"


def dual_pla(
    G: npt.ArrayLike,
    y: npt.ArrayLike,
    pick: PickRule = in_turn,
    *,
    rate: float = 1.0,
    intercept: bool = True,
) -> DualRun:
    r"""Run PLA from α = 0 on a Gram matrix, one step at a time.

    A sample i is a mistake when :math:`y_i(\sum_j \alpha_j y_j G_{ji} + b) \le 0`; the
    update adds λ to :math:`\alpha_i` and :math:`\lambda y_i` to b. Chapter 5 has no b: a kernel
    such as ``polynomial(1)`` has the leading 1 in it, and with this one and exact arithmetic the
    picks are those of `pla`. So they are with `linear` and b.

    Parameters
    ----------
    G : array_like, shape (n, n)
        A Gram matrix, from `gram`.
    y : array_like, shape (n,)
        Labels −1 or +1.
    pick : pick rule
        Which mistake to correct, as for `pla`.
    rate : float
        The learning rate λ > 0.
    intercept : bool
        Whether there is a bias b beside the kernel. If not, b stays 0.

    Returns
    -------
    DualRun
        Iterate over it for its steps, as often as you like. Without rounding it never ends if
        the data are not separable under the kernel; `last` stops at a cap.

    References
    ----------
    Aizerman, M. A., Braverman, E. M. and Rozonoer, L. I., "Theoretical foundations of the
    potential function method in pattern recognition learning", *Automation and Remote
    Control* 25, 1964.

    Examples
    --------
    >>> from perceptron_notes.kernels import gram, polynomial
    >>> data = li_hang()
    >>> last(dual_pla(gram(data, polynomial(1)), data.y, lowest, intercept=False))
    DualStep(t=7, alpha=array([2., 0., 5.]), b=0.0, pick=None, passes=None)
    """
    y, intercept = frozen(check_labels(y)), check_flag(intercept, "intercept")
    return DualRun(
        check_gram(G, len(y)), y, check_pick(pick), check_positive(rate, "rate"), intercept
    )


def tally(
    G: Array, y: Labels, pick: PickRule, rate: float, intercept: bool = True
) -> Iterator[DualStep]:
    """The algorithm itself, with running scores: an update adds a row of G."""
    alpha, b, scores = np.zeros(len(y)), 0.0, np.zeros(len(y))
    i = None
    for t in count():
        i = pick(known(y * (scores + b)), len(y), i)
        yield DualStep(t, frozen(alpha), b, i)
        if i is None:
            return
        alpha = alpha.copy()
        alpha[i] += rate
        b += rate * float(y[i]) * intercept
        scores += rate * y[i] * G[i]


def dual_score(
    alpha: npt.ArrayLike,
    b: float,
    data: Dataset,
    points: npt.ArrayLike | Dataset,
    kernel: Kernel = linear,
) -> Array:
    r"""Return the score :math:`\sum_j \alpha_j y_j\,k(\mathbf{x}_j, \mathbf{x}) + b` of points.

    Parameters
    ----------
    alpha : array_like, shape (n,)
        The α of a dual run.
    b : float
        The bias of the run, 0 without an intercept.
    data : Dataset
        The n samples of the run.
    points : Dataset, or array_like of shape (m, d)
        New points, without the leading 1.
    kernel : kernel
        The kernel of the run.

    Returns
    -------
    ndarray of float64, shape (m,)

    Examples
    --------
    >>> from perceptron_notes.kernels import polynomial
    >>> dual_score([2, 0, 5], 0, li_hang(), [[3, 3], [0, 0]], polynomial(1))
    array([ 3., -3.])
    """
    points = points.points if isinstance(points, Dataset) else real_array(points, "points")
    alpha = check_tally(alpha, check_dataset(data).n)
    if points.ndim != 2 or points.shape[1] != data.d:
        raise ValueError(f"points has shape {points.shape}; expected (m, {data.d})")
    used = np.flatnonzero(alpha)
    K = kernel_rows(kernel, points, data.points[used])
    return K @ (alpha * data.y)[used] + check_number(b, "b")


def weights(alpha: npt.ArrayLike, data: Dataset) -> Array:
    r"""Return the weights :math:`\mathbf{w} = \sum_i \alpha_i y_i \mathbf{x}_i` of a dual run.

    Parameters
    ----------
    alpha : array_like, shape (n,)
        The α of a dual run with ``polynomial(1)``, or with `linear` and a bias.
    data : Dataset
        The n samples of the run.

    Returns
    -------
    ndarray of float64, shape (d + 1,)
        First :math:`w_0 = \sum_i \alpha_i y_i`, the bias. Data without an intercept have none,
        and the shape is (d,).

    Examples
    --------
    >>> weights([2, 0, 5], li_hang())
    array([-3.,  1.,  1.])
    """
    return (check_tally(alpha, check_dataset(data).n) * data.y) @ data.X
