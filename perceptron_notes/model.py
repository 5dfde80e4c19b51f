"""Chapter 1, the model: scores, predictions, mistakes, and distances.

A weight vector ``w`` has d + 1 entries; ``w[0]`` is minus the threshold.
"""

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import check_augmented, check_flag, check_weights, real_array
from perceptron_notes._kit.values import Array, Labels
from perceptron_notes.data import Dataset, augment, check_fit

__all__ = [
    "angle",
    "canonical_score",
    "distance",
    "error_count",
    "mistakes",
    "predict",
    "score",
    "signed_scores",
]


def canonical_score(w: Array, X: Array) -> Array:
    r"""The score :math:`((w_0 x_0 + w_1 x_1) + w_2 x_2) + \dots`, summed from the left.

    Rounded sums depend on the order of their terms, so on real data two ways of computing
    ``w·x`` may disagree about a sample on the boundary, and from there on about the whole
    run. This order decides; whatever is faster must agree with it.
    """
    s = w[0] * X[..., 0]
    for j in range(1, len(w)):
        s = s + w[j] * X[..., j]
    return s


def _length(v: Array) -> Array:
    """Return the Euclidean length; the squares are summed from left to right too."""
    return np.sqrt(canonical_score(v, v))


def score(w: npt.ArrayLike, X: npt.ArrayLike | Dataset, *, intercept: bool = True) -> Array:
    r"""Return the score :math:`\mathbf{w}\cdot\mathbf{x}` of each augmented sample.

    The sum runs from left to right, :math:`((w_0x_0 + w_1x_1) + w_2x_2) + \dots`, in
    float64: the project's one canonical score.

    Parameters
    ----------
    w : array_like, shape (d + 1,)
        The weights; ``w[0]`` belongs to the leading 1.
    X : Dataset, or array_like of shape (n, d + 1) or (d + 1,)
        Augmented samples: a data set, its ``X``, or ``augment(points)``.
    intercept : bool
        False for a boundary through the origin: then `X` holds the points themselves, and `w`
        has d entries. A Dataset has its own setting, which counts instead.

    Returns
    -------
    ndarray of float64, shape (n,) or ()
        In the units of ``w`` times those of ``X``.

    Examples
    --------
    >>> from perceptron_notes.data import augment
    >>> score([-3, 1, 1], augment([[3, 3], [4, 3], [1, 1]]))
    array([ 3.,  4., -1.])
    """
    if isinstance(X, Dataset):
        return canonical_score(check_fit(w, X), X.X)
    return canonical_score(*check_augmented(w, X, intercept))


def predict(w: npt.ArrayLike, X: npt.ArrayLike | Dataset, *, intercept: bool = True) -> Labels:
    r"""Return the sign of the score: +1, −1, or 0 (undecided) for a sample on the boundary.

    A score that overflows to NaN decides nothing either, so it gives 0 too.

    Parameters
    ----------
    w, X, intercept
        As for `score`.

    Returns
    -------
    ndarray of intp, shape (n,) or ()

    Examples
    --------
    >>> from perceptron_notes.data import augment
    >>> predict([-3, 1, 1], augment([[3, 3], [1, 2], [1, 1]]))
    array([ 1,  0, -1])
    """
    s = score(w, X, intercept=intercept)
    return (s > 0).astype(np.intp) - (s < 0)


def signed_scores(w: npt.ArrayLike, data: Dataset) -> Array:
    r"""Return :math:`y_n\,\mathbf{w}\cdot\mathbf{x}_n` for each sample, its functional margin.

    Positive means right. Divided by :math:`\lVert\mathbf{w}\rVert`, the smallest one is the
    margin ρ of the convergence bound, which is a length; so is `distance`, measured in the plane
    of the points.

    Parameters
    ----------
    w : array_like, shape (d + 1,)
        The weights.
    data : Dataset
        n samples with d coordinates.

    Returns
    -------
    ndarray of float64, shape (n,)
        In the units of the score.

    Examples
    --------
    >>> signed_scores([-3, 1, 1], li_hang())
    array([3., 4., 1.])
    """
    w = check_fit(w, data)
    return data.y * canonical_score(w, data.X)


def mistakes(w: npt.ArrayLike, data: Dataset) -> npt.NDArray[np.intp]:
    r"""Find the samples with :math:`y_n\,\mathbf{w}\cdot\mathbf{x}_n \le 0`.

    A score of 0 decides nothing, so it is a mistake too.

    Parameters
    ----------
    w, data
        As for `signed_scores`.

    Returns
    -------
    ndarray of intp, shape (number of mistakes,)
        In increasing order, counted from 0.

    Examples
    --------
    >>> mistakes([0, 1, 1], li_hang())
    array([2])
    >>> mistakes([0, 0, 0], li_hang())
    array([0, 1, 2])
    """
    return np.flatnonzero(~(signed_scores(w, data) > 0))


def error_count(w: npt.ArrayLike, data: Dataset) -> int:
    r"""Count the mistakes; their number is n times the mean 0-1 loss.

    Parameters
    ----------
    w, data
        As for `signed_scores`.

    Returns
    -------
    int
        From 0 to n.

    Examples
    --------
    >>> error_count([0, 1, 1], li_hang())
    1
    """
    return len(mistakes(w, data))


def distance(w: npt.ArrayLike, points: npt.ArrayLike | Dataset, *, intercept: bool = True) -> Array:
    r"""Return the distance of points from the boundary :math:`\mathbf{w}\cdot\mathbf{x} = 0`.

    It is :math:`|\mathbf{w}\cdot\mathbf{x}| \,/\, \sqrt{w_1^2 + \dots + w_d^2}`: the norm
    leaves ``w[0]`` out, because moving the boundary does not turn it.

    Parameters
    ----------
    w : array_like, shape (d + 1,)
        The weights; not all of ``w[1:]`` may be 0.
    points : Dataset, or array_like of shape (n, d) or (d,)
        Points without the leading 1.
    intercept : bool
        As for `score`.

    Returns
    -------
    ndarray of float64, shape (n,) or ()
        In the units of the coordinates, never negative.

    Examples
    --------
    >>> distance([-5, 3, 4], [[3, 4], [0, 0]])
    array([4., 1.])
    """
    if isinstance(points, Dataset):
        X, intercept = points.X, points.intercept
    else:
        X = augment(points)[..., 0 if check_flag(intercept, "intercept") else 1 :]
    u = check_weights(w, X.shape[-1] - intercept, intercept=intercept)
    slope = u[1:] if intercept else u
    if not slope.any():
        zero = "w[1:]" if intercept else "w"
        raise ValueError(f"{zero} is zero; such weights have no boundary to measure from")
    size = np.abs(slope).max()  # scaled so that no square vanishes
    return np.abs(canonical_score(u / size, X)) / _length(slope / size)


def angle(u: npt.ArrayLike, v: npt.ArrayLike) -> float:
    r"""Return the angle between two vectors.

    Parameters
    ----------
    u, v : array_like, shape (m,)
        Two vectors with equally many entries, neither of them zero.

    Returns
    -------
    float
        In radians, from 0 to π. Accurate for small angles too, where the arc cosine of
        the inner product is not.

    References
    ----------
    Kahan, W., "How futile are mindless assessments of roundoff in floating-point
    computation?", 2006, §12.

    Examples
    --------
    >>> round(float(np.degrees(angle([1, 0], [1, 1]))), 6)
    45.0
    """
    a, b = real_array(u, "u"), real_array(v, "v")
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"u has shape {a.shape} and v {b.shape}; expected two of one length")
    if not a.any() or not b.any():
        raise ValueError(f"{'u' if not a.any() else 'v'} is zero; it makes no angle with anything")
    # Scaled by the largest entry first, so that no square overflows or vanishes.
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    a, b = a / _length(a), b / _length(b)
    return float(2 * np.arctan2(_length(a - b), _length(a + b)))
