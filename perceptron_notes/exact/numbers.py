"""Exact arithmetic: whole numbers from floats, and the margins and lengths made of them.

Every finite float is a whole number times a power of two, so margins and norms of floats
can be computed without any rounding. Floats only exclude what provably cannot matter.
"""

from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import gcd, inf, lcm, sqrt
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import check_positive
from perceptron_notes._kit.values import Array, Labels
from perceptron_notes.data import Dataset

#: Whole numbers, int64 or Python's own (dtype object); or Fractions (dtype object).
Exact = npt.NDArray[Any]
Indices = npt.NDArray[np.intp]
Vector = tuple[Fraction, ...]


class Vectors(NamedTuple):
    """Vectors yx: rows of X, which may be whole numbers beyond float64 too, and their signs y."""

    X: Exact
    y: Labels


# ------------------------------------------------------------------------- whole numbers


def whole(values: npt.ArrayLike) -> tuple[Exact, Fraction]:
    """Return whole numbers I and a power of two u with ``values = u·I``, without rounding.

    `values` are finite floats, not empty. I is int64 if they fit, else Python ints; an array of
    Python ints (dtype object) is returned as it is.
    """
    if isinstance(values, np.ndarray) and values.dtype == object:
        return values, Fraction(1)
    values = np.asarray(values, dtype=np.float64)
    exponent = int(np.frexp(np.abs(values).max())[1]) - 62
    scaled = np.ldexp(values, -exponent)
    if (scaled == np.floor(scaled)).all() and (np.ldexp(scaled, exponent) == values).all():
        numbers = scaled.astype(np.int64)
        bits = int(np.bitwise_or.reduce(numbers, axis=None))
        lowest = bits & -bits or 1
        return numbers // lowest, lowest * Fraction(2) ** exponent
    ratios = [value.as_integer_ratio() for value in values.ravel().tolist()]
    common = max(q for _, q in ratios)
    numbers = np.array([p * (common // q) for p, q in ratios], dtype=object)
    return numbers.reshape(values.shape), Fraction(1, common)


def product(A: Exact, v: Sequence[int]) -> Exact:
    """Multiply a matrix and a vector of whole numbers, in int64 if they certainly fit."""
    bits = max(map(abs, v)).bit_length() + len(v).bit_length()
    if A.dtype == np.int64 and bits + int(np.abs(A).max()).bit_length() < 63:
        return A @ np.array(v, dtype=np.int64)
    return A.astype(object) @ objects(v)


def products(A: Exact, N: Exact) -> Exact:
    """Multiply two matrices of whole numbers, in float64 if all sums certainly stay below 2⁵³."""
    most = int(np.abs(N).max(initial=0)) * int(np.abs(A).max(initial=0)) * len(N)
    if A.dtype == np.int64 and most < 2**53:
        return (A.astype(np.float64) @ N.astype(np.float64)).astype(np.int64)
    return np.stack([product(A, v) for v in N.T.tolist()], axis=1)


def objects(values: Sequence[Any]) -> Exact:
    """Return values unchanged in an array of objects, where Python ints never overflow."""
    return np.array([*values, None], dtype=object)[:-1]


def fractions(values: Exact | Sequence[int] | Vector) -> Vector:
    """Return the same numbers as Fractions."""
    # Not by way of an array: one of 2⁶³ and −1 would be an array of floats.
    return tuple(map(fraction, values.tolist() if isinstance(values, np.ndarray) else values))


def fraction(value: Any) -> Fraction:
    """Return a real number unrounded, made of Python ints, as NumPy's would overflow."""
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(float(value))


def positive_fraction(value: Any, name: str) -> Fraction:
    """Return a positive real number unrounded, even beyond the range of float64."""
    if isinstance(value, bool) or not isinstance(value, Rational):
        value = check_positive(value, name)
    elif value <= 0:
        raise ValueError(f"{name} is {value}; expected a positive finite number")
    return fraction(value)


def primitive(v: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """Return whole numbers without a common divisor, and the factor that turns them back into v."""
    common = lcm(*(a.denominator for a in v))
    numbers = [a.numerator * (common // a.denominator) for a in v]
    divisor = gcd(*numbers) or 1
    return [k // divisor for k in numbers], Fraction(divisor, common)


def direction(numbers: Sequence[int]) -> Array:
    """Return floats in the same direction, each rounded once, with the largest in [1/2, 1]."""
    size = 1 << max(map(abs, numbers)).bit_length()
    return np.array([k / size for k in numbers])


def rounded(numbers: Exact) -> Array:
    """Return floats unchanged; for Python ints, a positive multiple, each entry rounded once."""
    if numbers.dtype != object:
        return numbers
    largest = int(np.abs(numbers).max(initial=0))
    if largest < 1 << 500:
        return numbers.astype(np.float64)
    return np.array([[a / largest for a in row] for row in numbers.tolist()])


def norm2(v: Iterable[Fraction]) -> Fraction:
    """Return the squared norm."""
    return sum((a * a for a in v), Fraction(0))


def root(square: Fraction) -> float:
    """Return the square root as a float, even where the square is beyond their range."""
    shift = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return sqrt(square / Fraction(4) ** shift) * 2.0**shift


def quotient(p: int, q: int) -> float:
    """Return the float nearest to p/q, for q > 0; infinite beyond the range of floats."""
    try:
        return p / q
    except OverflowError:
        return inf if p > 0 else -inf


def show(value: Fraction) -> str:
    """Return a rational number as short text: exact if it is whole, else with six digits."""
    if value.denominator == 1 and abs(value) < 10**12:
        return str(value.numerator)
    six = Context(prec=6)
    number = six.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(six)
    return f"{number:f}" if -6 < number.adjusted() < 6 else f"{number:e}"


def row_keys(A: Exact) -> list[Any]:
    """Return a hashable key for each row; equal rows have equal keys, and −0 equals 0."""
    if A.dtype == object:
        return list(map(tuple, A.tolist()))
    return [row.tobytes() for row in np.ascontiguousarray(A + 0)]


# ------------------------------------------------------------------------------- margins


def small_margins(
    data: Dataset | Vectors, w: Sequence[Fraction], mistakes: bool = False
) -> tuple[Indices, Exact, Fraction]:
    """Return the samples with the least signed scores, and these scores, exactly.

    A float margin lies within ``(m + 3)·2⁻⁵³·Σⱼ|wⱼxⱼ|`` of the exact one (a rounding for
    the weight, one for a coordinate that is no float, m for the sum), or
    ``10⁻³⁰⁰(1 + Σⱼ|xⱼ|)`` where numbers underflow. Only samples within the error bound of the
    minimum are computed in whole numbers. If `mistakes`, return all samples with a margin up to 0
    instead; there must be some.

    Return these samples in increasing order, perhaps with others that came near; their margins in
    whole numbers; and the unit of these.

    References
    ----------
    Higham, N. J., *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002, §3.1.
    """
    X, y, m = rounded(data.X), data.y, len(w)
    numbers, factor = primitive(w)
    rough = direction(numbers)
    margins = y * (X @ rough)
    # First one bound for all, by Cauchy and Schwarz; infinite if the norm overflows.
    with np.errstate(over="ignore"):
        relative = (m + 3) * 2.0**-52 * np.linalg.norm(rough) + m * 1e-299
        error = relative * _norm_bound(X) + 1e-300
    near = np.flatnonzero(margins <= (0 if mistakes else margins.min() + error) + error)
    # Then one for each sample that is left, which is finer where scales are uneven.
    errors = np.abs(X[near]) @ (np.abs(rough) * (m + 3) * 2.0**-52 + 1e-300) + 1e-300
    near = near[margins[near] - errors <= (0 if mistakes else (margins[near] + errors).min())]
    chosen, unit = whole(data.X[near])
    return near, y[near] * product(chosen, numbers), unit * factor


def _norm_bound(X: Array) -> float:
    """Bound the norm of all of X closely, even where squares of its numbers underflow."""
    norm = float(np.linalg.norm(X))
    return norm if norm > 1e-140 else sqrt(X.size) * float(np.abs(X).max())


def least_margin(data: Dataset | Vectors, w: Sequence[Fraction]) -> tuple[int, Fraction]:
    r"""Return a sample with the least :math:`y_n\,\mathbf{w}\cdot\mathbf{x}_n`, and this score."""
    near, margins, unit = small_margins(data, w)
    k = int(margins.argmin())
    return int(near[k]), int(margins[k]) * unit


def largest_norm2(data: Dataset) -> Fraction:
    r"""Return the largest :math:`\lVert\mathbf{x}_n\rVert^2` of augmented samples, exactly."""
    squares = np.einsum("ij,ij->i", data.X, data.X)
    rounding, underflow = (data.d + 3) * 2.0**-51, (data.d + 3) * 2.0**-1072
    near = squares >= squares.max() * (1 - rounding) - underflow
    X, unit = whole(np.unique(np.abs(data.X[near]), axis=0))
    return max(sum(k * k for k in row) for row in X.tolist()) * unit**2


def combination(data: Dataset | Vectors, S: npt.ArrayLike, weights: Sequence[Fraction]) -> Vector:
    r"""Return the point :math:`\sum_n \lambda_n y_n \mathbf{x}_n` over the samples S, exactly."""
    S = np.asarray(S)
    Z, unit = whole(data.y[S, None] * data.X[S])
    numbers, factor = primitive(weights)
    return tuple(int(k) * unit * factor for k in product(Z.T, numbers))
