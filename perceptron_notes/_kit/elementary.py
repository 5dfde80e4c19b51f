"""Functions and sums that come out the same, bit for bit, on every machine and on the page.

The last bit of exp may differ between languages, and a matrix product sums in whatever order
is fastest. Where a run or a figure must not depend on that, these functions are used instead:
they are made of sums, products and quotients alone, evaluated from left to right.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array

#: ln 2, and its two parts as in fdlibm: multiples of the first, which has few bits, are exact.
LN2, HIGH, LOW = 0.6931471805599453, 0.6931471803691238, 1.9082149292705877e-10
TERMS = 14


def exp(x: Array) -> Array:
    """Compute the exponential function for x ≤ 0, to 16 digits; for x < −708 it is 0."""
    k = np.floor(np.maximum(x, -708.0) / LN2 + 0.5)
    r = np.maximum(x, -708.0) - k * HIGH - k * LOW
    s = np.ones_like(x)
    for j in range(TERMS, 0, -1):  # the series, from its last term: 1 + s * r / j
        s *= r
        s /= j
        s += 1
    return np.where(x < -708, 0.0, np.ldexp(s, k.astype(np.intc)))


def log1p(x: Array) -> Array:
    """Compute the natural logarithm of 1 + x for 0 ≤ x ≤ 1, to 16 digits."""
    z = x / (2 + x)  # at most 1/3, and ln(1 + x) = ln(1 + z) - ln(1 - z) = 2 (z + z³/3 + …)
    s = np.zeros_like(x)
    for j in range(2 * TERMS + 5, 0, -2):
        s *= z * z
        s += 1 / j
    return 2 * z * s


def sigmoid(s: Array) -> Array:
    r"""Compute the logistic function :math:`\sigma(s) = 1/(1 + e^{-s})`, from 0 to 1.

    Parameters
    ----------
    s : ndarray of float64, any shape

    Returns
    -------
    ndarray, the shape of `s`

    Examples
    --------
    >>> from perceptron_notes.networks import sigmoid
    >>> sigmoid(np.array([-1000.0, 0.0, 1.0]))
    array([0.        , 0.5       , 0.73105858])
    """
    e = exp(-np.abs(s))
    return np.where(s < 0, e, 1.0) / (1 + e)


def tanh(s: Array) -> Array:
    r"""Compute the hyperbolic tangent :math:`2\sigma(2s) - 1`, a smooth sign from −1 to 1."""
    e = exp(-2 * np.abs(s))
    return np.where(s < 0, e - 1, 1 - e) / (1 + e)


def product(A: npt.NDArray[Any], B: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Multiply two matrices of floats, Fractions or the like, every entry summed from the left."""
    return np.add.accumulate(A.T[:, :, None] * B[:, None, :])[-1]
