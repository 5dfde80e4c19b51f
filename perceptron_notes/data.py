"""Labelled samples, which everything else takes as its input.

A `Dataset` is a matrix of augmented samples ``X`` (a leading column of ones) and a vector ``y``
of labels −1 or +1. The data sets of the book are in `datasets`.
"""

from typing import Any, Self

import numpy.typing as npt

from perceptron_notes._kit.validation import (
    check_kind,
    check_labels,
    check_order,
    check_samples,
    check_weights,
)
from perceptron_notes._kit.values import Array, Labels, Samples, by_value, frozen

__all__ = ["Dataset", "augment"]


@by_value
class Dataset(Samples):
    r"""Labelled samples, checked once and read-only from then on.

    It is a sequence of pairs (**x**, y) of a row of ``X`` and its label: ``for x, y in data``
    iterates over them. A slice such as ``data[:5]`` is again a Dataset; of a subclass, one
    that the subclass's own constructor makes. Equal data sets have equal hashes, never cached.

    Parameters
    ----------
    points : array_like, shape (n, d), or a table or a dict of d columns
        The samples :math:`\mathbf{x}_1, \dots, \mathbf{x}_n`, one in each row, without
        the leading 1. Any real numbers of absolute value at most 1e151 that float64 holds.
    labels : array_like, shape (n,)
        The labels :math:`y_1, \dots, y_n`, each −1 or +1.
    intercept : bool
        Whether the samples get a leading 1, for the weight :math:`w_0`. Without it every
        boundary goes through the origin, and a weight vector has only d entries.

    Attributes
    ----------
    X : ndarray of float64, shape (n, d + 1)
        The augmented samples: ``X[:, 0]`` is 1 and ``X[:, 1:]`` are the points. Without an
        intercept, the points themselves, shape (n, d).
    y : ndarray of intp, shape (n,)
        The labels.
    intercept : bool
        Whether ``X`` has the leading 1.
    reach : float
        The largest absolute value in ``X``.

    Raises
    ------
    ValueError
        Also if float64 would round a whole number or a Fraction, as what is proved would then be
        about other samples; and if two tables have the same rows in another order.

    Examples
    --------
    >>> data = Dataset([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> data
    Dataset(n=3, d=2: 2 positive, 1 negative)
    >>> data.X
    array([[1., 3., 3.],
           [1., 4., 3.],
           [1., 1., 1.]])
    """

    __slots__ = ("X", "intercept", "reach", "y")
    __match_args__ = ("points", "y", "intercept")

    reach: float

    def __init__(
        self, points: npt.ArrayLike, labels: npt.ArrayLike, intercept: bool = True
    ) -> None:
        check_order(labels, points)
        X, reach = check_samples(points, intercept=intercept)
        y = check_labels(labels, len(X))
        self._set(X=frozen(X), y=frozen(y), intercept=bool(intercept), reach=reach)

    @property
    def n(self) -> int:
        """How many samples there are."""
        return self.X.shape[0]

    def _some(self, k: Any) -> Self:
        return type(self)(self.points[k], self.y[k], self.intercept)

    def __repr__(self) -> str:
        positive = int((self.y > 0).sum())
        counts = f"{positive} positive, {self.n - positive} negative"
        origin = "" if self.intercept else ", through the origin"
        return f"Dataset(n={self.n}, d={self.d}: {counts}{origin})"


def augment(points: npt.ArrayLike) -> Array:
    r"""Prepend the constant coordinate :math:`x_0 = 1` to every point.

    With it the threshold becomes an ordinary weight, :math:`w_0 = -\text{threshold}`,
    and the score is one inner product :math:`\mathbf{w}\cdot\mathbf{x}`.

    Parameters
    ----------
    points : array_like, shape (n, d) or (d,)
        Points without the leading 1.

    Returns
    -------
    ndarray of float64, shape (n, d + 1) or (d + 1,)

    Examples
    --------
    >>> augment([[3, 3], [1, 1]])
    array([[1., 3., 3.],
           [1., 1., 1.]])
    """
    return check_samples(points, one=True)[0]


def bare(X: Array, y: Labels, intercept: bool, reach: float) -> Dataset:
    """Return a Dataset of arrays that have been checked; nothing is copied."""
    data = object.__new__(Dataset)
    data._set(X=frozen(X), y=frozen(y), intercept=intercept, reach=reach)
    return data


def check_dataset(data: Dataset) -> Dataset:
    """Return `data` itself, if it is a Dataset."""
    check_kind(data, Dataset, "data", "a Dataset(points, labels)")
    return data


def check_fit(w: npt.ArrayLike, data: Dataset, name: str = "w", exact: bool = False) -> Array:
    """Return `w` as a fresh float64 vector with a weight for each column of ``data.X``."""
    return check_weights(w, check_dataset(data).d, name, data.intercept, exact)
