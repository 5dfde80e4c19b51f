"""Exact arithmetic: whole numbers from floats, the point of a hull nearest to 0, a run replayed.

Every finite float is a whole number times a power of two, so margins and norms of floats
can be had without any rounding. Floats only leave out what provably cannot matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd, inf, lcm, prod, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes.data import Array, Dataset

__all__ = ["Replay", "nearest_point", "small_margins", "solve", "whole"]

#: Whole numbers, int64 or Python's own (dtype object); or Fractions (dtype object).
Exact = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]
Vector = tuple[Fraction, ...]

# ------------------------------------------------------------------------- whole numbers


def whole(values: npt.ArrayLike) -> tuple[Exact, Fraction]:
    """Whole numbers I and a power of two u with ``values = u·I``, without any rounding.

    Parameters
    ----------
    values : array_like of finite floats, any shape
        Not empty.

    Returns
    -------
    ndarray of int64 if they fit, else of Python ints; and a Fraction
    """
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
    """The product of a matrix and a vector of whole numbers, in int64 if it surely fits."""
    bits = max(map(abs, v)).bit_length() + len(v).bit_length()
    if A.dtype == np.int64 and bits + int(np.abs(A).max()).bit_length() < 63:
        return A @ np.array(v, dtype=np.int64)
    return A.astype(object) @ objects(v)


def objects(values: Sequence[int]) -> Exact:
    """Python ints in an array; they never overflow."""
    return np.array([*values, None], dtype=object)[:-1]


def fractions(values: Exact | Sequence[int]) -> Vector:
    """The same numbers as Fractions."""
    # No detour through an array: one of 2⁶³ and −1 would be an array of floats.
    return tuple(map(Fraction, values.tolist() if isinstance(values, np.ndarray) else values))


def primitive(v: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """Whole numbers without a common divisor, and the factor that leads back to `v`."""
    common = lcm(*(a.denominator for a in v))
    numbers = [a.numerator * (common // a.denominator) for a in v]
    divisor = gcd(*numbers) or 1
    return [k // divisor for k in numbers], Fraction(divisor, common)


def direction(numbers: Sequence[int]) -> Array:
    """Floats in the same direction, each rounded once, the largest from 1/2 to 1 in size."""
    size = 1 << max(map(abs, numbers)).bit_length()
    return np.array([k / size for k in numbers])


def norm2(v: Iterable[Fraction]) -> Fraction:
    """The squared norm."""
    return sum((a * a for a in v), Fraction(0))


def root(square: Fraction) -> float:
    """The square root as a float, even where the square has left their range."""
    shift = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return sqrt(square / Fraction(4) ** shift) * 2.0**shift


def quotient(p: int, q: int) -> float:
    """The float nearest to p/q, for q > 0; infinite beyond their range."""
    try:
        return p / q
    except OverflowError:
        return inf if p > 0 else -inf


# ------------------------------------------------------------------------------- margins


def small_margins(
    data: Dataset, w: Sequence[Fraction], mistakes: bool = False
) -> tuple[Indices, Exact, Fraction]:
    r"""The samples with the least functional margins, and these margins, exactly.

    A float margin lies within ``(m + 3)·2⁻⁵³·Σⱼ|wⱼxⱼ|`` of the exact one (a rounding for
    the weight, m for the sum), or ``10⁻³⁰⁰(1 + Σⱼ|xⱼ|)`` where numbers underflow. Only
    samples that may, within twice that, be as low as required are computed in whole numbers.

    Parameters
    ----------
    data : Dataset
        n samples with m = d + 1 augmented coordinates.
    w : sequence of Fraction, length m
        Exact weights.
    mistakes : bool
        Whether to find all samples with a margin up to 0, of which there must be some,
        instead of all with the least margin.

    Returns
    -------
    samples, numbers, unit
        These samples in increasing order, and perhaps others that came near; their margins
        are ``unit`` times ``numbers``.

    References
    ----------
    Higham, N. J., *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002, §3.1.
    """
    X, y, m = data.X, data.y, len(w)
    numbers, factor = primitive(w)
    rough = direction(numbers)
    margins = y * (X @ rough)
    # First one bound for all, by Cauchy and Schwarz; infinite if the norm overflows.
    with np.errstate(over="ignore"):
        error = ((m + 3) * 2.0**-52 * np.linalg.norm(rough) + m * 1e-299) * np.linalg.norm(X)
    near = np.flatnonzero(margins <= (0 if mistakes else margins.min() + error) + error)
    # Then one for each sample that is left, which is finer where scales are uneven.
    errors = np.abs(X[near]) @ (np.abs(rough) * (m + 3) * 2.0**-52 + 1e-300) + 1e-300
    near = near[margins[near] - errors <= (0 if mistakes else (margins[near] + errors).min())]
    chosen, unit = whole(X[near])
    return near, y[near] * product(chosen, numbers), unit * factor


def least_margin(data: Dataset, w: Sequence[Fraction]) -> tuple[int, Fraction]:
    r"""A sample with the least :math:`y_n\,\mathbf{w}\cdot\mathbf{x}_n`, and that, exactly."""
    near, margins, unit = small_margins(data, w)
    k = int(margins.argmin())
    return int(near[k]), int(margins[k]) * unit


def largest_norm2(data: Dataset) -> Fraction:
    r"""The largest :math:`\lVert\mathbf{x}_n\rVert^2` of the augmented samples, exactly."""
    squares = np.einsum("ij,ij->i", data.X, data.X)
    near = squares >= squares.max() * (1 - (data.d + 3) * 2.0**-51)
    X, unit = whole(np.unique(np.abs(data.X[near]), axis=0))
    return max(sum(k * k for k in row) for row in X.tolist()) * unit**2


def combination(data: Dataset, S: npt.ArrayLike, weights: Sequence[Fraction]) -> Vector:
    r"""The point :math:`\sum_n \lambda_n y_n \mathbf{x}_n` over the samples S, exactly."""
    S = np.asarray(S)
    Z, unit = whole(data.y[S, None] * data.X[S])
    numbers, factor = primitive(weights)
    return tuple(int(k) * unit * factor for k in product(Z.T, numbers))


# ------------------------------------------------------- the point of a hull nearest to 0


def solve(A: Exact) -> Exact | None:
    """The solution u of A·u = (1, …, 1), times a positive number that makes it whole.

    The digits of u in base p, for a product p of primes, come one after another: A times the
    digits found so far leaves a rest that p divides, and the inverse of A modulo p turns it
    into the next digit. Enough digits determine the fractions, whose size Hadamard's
    inequality bounds. For large systems this is far faster than elimination with long numbers.

    Parameters
    ----------
    A : ndarray of int, shape (k, k)
        Symmetric, without negative eigenvalues.

    Returns
    -------
    ndarray of int, shape (k,); None if A is singular

    References
    ----------
    Dixon, J. D., "Exact solution of linear equations using p-adic expansions", *Numerische
    Mathematik* 40, 1982.
    """
    found = inverse(A)
    if found is None:
        return None
    inverted, p = found
    largest = len(A) * prod(A.diagonal().tolist())  # of numerators and denominators
    u, rest, power = A[0] * 0, A[0] * 0 + 1, 1
    while power <= 2 * largest**2:
        digits = inverted @ rest % p
        u, rest, power = u + power * digits, (rest - A @ digits) // p, power * p
    common = 1
    for value in u:
        common *= denominator(value * common % power, power, largest)
    u = u * common % power
    return np.where(u > largest, u - power, u)


#: The largest primes whose products of two residues are below 2⁶².
PRIMES = [2**31 - k for k in (1, 19, 61, 69, 85, 99, 105, 151)]


def inverse(A: Exact) -> tuple[Exact, int] | None:
    """The inverse of a whole matrix modulo a product of four primes, and that product.

    None if there are no four among the primes: then the determinant is 0 beyond any
    reasonable doubt.
    """
    B, modulus, left = A * 0, 1, 4
    for p in PRIMES:
        residue = inverse_modulo((A % p).astype(np.int64), p)
        if residue is not None:
            # Of the numbers that are B modulo the product so far: those that fit p as well.
            lift = (residue - (B % p).astype(np.int64)) * pow(modulus, -1, p) % p
            B = B + modulus * lift.astype(object)
            modulus, left = modulus * p, left - 1
        if left == 0:
            return B, modulus
    return None


def inverse_modulo(M: Indices, p: int) -> Indices | None:
    """The inverse of a matrix modulo a prime below 2³¹, None if there is none."""
    k = len(M)
    order = np.arange(k)
    for j in range(k):
        pivots = np.flatnonzero(M[j:, j])
        if len(pivots) == 0:
            return None
        swap = [j, j + int(pivots[0])]
        M[swap], order[swap] = M[swap[::-1]], order[swap[::-1]]
        # Elimination in place: where the identity's column would stand, the inverse grows.
        scale, column = pow(int(M[j, j]), -1, p), M[:, j].copy()
        M[j, j], M[:j, j], M[j + 1 :, j] = 1, 0, 0
        M[j] = M[j] * scale % p
        column[j] = 0
        M = (M - column[:, None] * M[j]) % p
    return M[:, np.argsort(order)]


def denominator(value: int, modulus: int, largest: int) -> int:
    """The q of the one fraction a/q = value modulo `modulus` with a and q up to `largest`."""
    a, b, s, t = modulus, value, 0, 1
    while b > largest:
        quotient = a // b
        a, b, s, t = b, a - quotient * b, t, s - quotient * t
    return abs(t)


def nearest_point(
    S: Indices,
    weights: Exact,
    rows: Callable[[Indices], Exact],
    solve: Callable[[Exact, Exact], Exact | None],
    price: Callable[[Indices, Exact], int | None],
) -> tuple[Indices, Exact]:
    r"""The point nearest to 0 in the convex hull of some vectors, in any arithmetic.

    Keep affinely independent vectors with positive weights. Of their affine hull take the
    point nearest to 0. Where it lies outside of their convex hull, go towards it as far as
    the hull reaches and drop the vector whose weight is then 0. Where it lies inside, take
    in a vector that is nearer to 0 in its direction, until there is none. Every point is
    nearer to 0 than the one before and there are finitely many sets, so without rounding
    this ends.

    Parameters
    ----------
    S : ndarray of int, shape (k,)
        The vectors to begin with.
    weights : ndarray, shape (k,)
        Their weights, positive, with sum 1.
    rows : callable
        ``rows(S)``: the vectors, shape (k, m).
    solve : callable
        ``solve(A, Z)``: a positive multiple of :math:`A^{-1}\mathbf{1}` for
        :math:`A = ZZ^\mathsf{T} + \mathbf{1}\mathbf{1}^\mathsf{T}`, None if there is none.
    price : callable
        ``price(S, p)``: a vector to take in, given a positive multiple of the point **p**;
        None to end.

    Returns
    -------
    S, weights
        At most m + 1 vectors, and their weights.

    References
    ----------
    Wolfe, P., "Finding the nearest point in a polytope", *Mathematical Programming* 11, 1976.
    """
    Z, A, one = rows(S), None, weights[0] * 0 + 1
    while True:
        # (ZZᵀ + 11ᵀ)u = 1 says that all vectors of S have one inner product with uᵀZ.
        A = Z @ Z.T + 1 if A is None else A
        u = solve(A, Z)
        if u is None:  # not affinely independent: begin anew
            S, weights = S[:1], weights[:1] * 0 + one
            Z, A = rows(S), None
            continue
        aim = u * (one / u.sum())
        outside = np.flatnonzero(u < 0)
        if len(outside) == 0:
            inside = u > 0
            S, weights, Z, A = S[inside], aim[inside], Z[inside], A[inside][:, inside]
            new = price(S, u[inside] @ Z)
            if new is None:
                return S, weights
            S, weights, old = np.append(S, new), np.append(weights, one * 0), Z
            Z = rows(S)
            A = border(A, Z @ Z[-1] + 1) if (Z[:-1] == old).all() else None
            continue
        steps = weights[outside] / (weights[outside] - aim[outside])
        k = steps.argmin()
        weights = weights + steps[k] * (aim - weights)
        keep = weights > 0
        keep[outside[k]] = False
        S, weights, Z, A = S[keep], weights[keep], Z[keep], A[keep][:, keep]


def border(A: Exact, b: Exact) -> Exact:
    """A symmetric matrix with one more row and column."""
    B = np.empty((len(b), len(b)), A.dtype)
    B[:-1, :-1], B[-1], B[:, -1] = A, b, b
    return B


# ---------------------------------------------------------------------------- a run again


class Column(NamedTuple):
    """Both sides of one inequality at every update: ``unit`` times numbers over ``divisor``."""

    less: Exact
    more: Exact
    unit: Fraction
    divisor: Exact | None = None

    def at(self, k: int) -> tuple[Fraction, Fraction]:
        """Both sides, exactly."""
        unit = self.unit / (1 if self.divisor is None else max(self.divisor[k], 1))
        return self.less[k] * unit, self.more[k] * unit

    def floats(self) -> list[Array]:
        """Both sides as floats, infinite where they leave the range."""
        p, q = self.unit.as_integer_ratio()
        below = [q] * len(self.less) if self.divisor is None else q * np.maximum(self.divisor, 1)
        return [
            np.array([quotient(k * p, b) for k, b in zip(side, below, strict=True)])
            for side in (self.less, self.more)
        ]


class Replay:
    r"""The picks of a run, replayed in whole numbers beside weights that separate.

    Units are chosen so that all that the proof compares is whole: ``w = grid·V``,
    ``yx = unit·Z``, ``w_f = factor·F``; and m, R² and λ likewise. Below, **g** is
    :math:`\lambda R^2\mathbf{w}_f/m`, which is qF/m in these units.

    Parameters
    ----------
    data : Dataset
        n samples.
    rate : float
        The learning rate λ.
    w0 : ndarray of float64, shape (d + 1,)
        The weights to start from.
    picks : ndarray of int64, shape (T,)
        The sample of each update.
    w_f : sequence of Fraction, length d + 1
        Weights that separate.
    m : Fraction
        Their least functional margin.
    R2 : Fraction
        The largest squared norm of an augmented sample.
    """

    def __init__(
        self,
        data: Dataset,
        rate: float,
        w0: Array,
        picks: Indices,
        w_f: Sequence[Fraction],
        m: Fraction,
        R2: Fraction,
    ) -> None:
        counts = np.bincount(picks, minlength=data.n)
        used, self.which = np.flatnonzero(counts), (np.cumsum(counts > 0) - 1)[picks]
        self.z = data.y[used, None] * data.X[used]
        Z, unit = whole(self.z) if len(used) else (self.z, Fraction(1))
        self.F, self.factor = primitive(w_f)
        # The samples that attain m and R may need a finer unit than those that were picked.
        finer = lcm((m / (self.factor * unit)).denominator, (R2 / unit**2).denominator)
        self.Z, self.unit = Z.astype(object) * finer, unit / finer
        self.m, self.R2 = int(m / (self.factor * self.unit)), int(R2 / self.unit**2)
        self.start, self.step = fractions(w0), Fraction(rate) * self.unit
        self.grid = primitive([self.step, *self.start])[1]
        self.lam, self.T = int(self.step / self.grid), len(picks)
        self.follow()

    def follow(self) -> None:
        """Replay: the scores y w·x of the picks, and w_f·w and ‖w‖² after 0 … T updates."""
        lam, m, q, Z, F = self.lam, self.m, self.lam * self.R2, self.Z, objects(self.F)
        V = objects([int(a / self.grid) for a in self.start])
        inner, norm = int(V @ F), int(V @ V)
        gains, squares = Z @ F * lam, (Z**2).sum(axis=1) * lam**2
        # No weight, no entry of Z and no step can be larger than these.
        longest = np.abs(Z).max(initial=1)
        reach = np.abs(V).max() + (self.T + 1) * lam * longest
        if len(V) * reach * longest < 2**62:
            Z, V = Z.astype(np.int64), V.astype(np.int64)
        scores, steps = [objects([])], Z if lam == 1 else lam * Z
        for k in range(0, self.T, 512):
            some = self.which[k : k + 512]
            path = np.cumsum(np.vstack([V, steps[some]]), axis=0)
            scores.append(np.einsum("ij,ij->i", path[:-1], Z[some]).astype(object))
            V = path[-1]
        self.V, self.scores = V, np.concatenate(scores)
        rises = squares[self.which] + self.scores * (2 * lam)
        self.inner = np.cumsum(np.concatenate([objects([inner]), gains[self.which]]))
        self.norms = np.cumsum(np.concatenate([objects([norm]), rises]))
        # m²‖w₀ − g‖², by how much m²‖w − g‖² must fall, and up to which y w·x it falls so.
        self.far: int = m**2 * norm - 2 * m * q * inner + q**2 * int(F @ F)
        self.fall: int = m**2 * lam * q
        self.bound = self.far // self.fall
        self.limits = (2 * q * gains - m * (squares + lam * q)) // (2 * m * lam)

    def weights(self) -> Exact:
        """The weights after 1 … T updates, in Fractions."""
        return np.cumsum(self.Z[self.which], axis=0) * self.step + np.array(self.start)

    def times(self, k: int, start: int = 0) -> Exact:
        """The numbers start + k, start + 2k, …, start + Tk."""
        return np.fromiter(range(start + k, start + k * self.T + 1, k), dtype=object, count=self.T)

    def violated(self) -> dict[str, int]:
        """The first update, counted from 0, at which an inequality fails."""
        lam, m, R2 = self.lam, self.m, self.R2
        broken = {
            "mistake": self.scores > 0,
            "growth": self.inner[1:] < self.times(lam * m, self.inner[0]),
            "length": self.norms[1:] > self.times(lam**2 * R2, self.norms[0]),
            "distance": self.scores > self.limits[self.which],
        }
        # The cosine needs no look of its own: it is growth, squared, over length.
        found = {name: int(bad.argmax()) for name, bad in broken.items() if bad.any()}
        return found | ({"bound": self.bound} if self.bound < self.T else {})

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Both sides of every inequality."""
        lam, m, R2, grid, a, n = self.lam, self.m, self.R2, self.grid, self.inner, self.norms
        q, f2, zeros = lam * R2, sum(k * k for k in self.F), objects([0] * self.T)
        far = n * m**2 - a * (2 * m * q) + q**2 * f2
        columns = {
            "mistake": Column(self.scores, zeros, grid * self.unit),
            "growth": Column(self.times(lam * m, a[0]), a[1:], self.factor * grid),
            "length": Column(n[1:], self.times(lam * q, n[0]), grid**2),
            "bound": Column(self.times(self.fall), zeros + far[0], Fraction(1, self.fall)),
            "distance": Column(far[1:], far[:-1] - self.fall, grid**2 / m**2),
        }
        if n[0] == 0:
            sides = self.times(m**2) * n[1:], a[1:] ** 2 * R2
            columns["cosine"] = Column(*sides, Fraction(1, R2 * f2), n[1:])
        return columns
