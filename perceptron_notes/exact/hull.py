"""The point of a convex hull that is nearest to 0: floats propose it, whole numbers decide."""

from collections.abc import Callable
from fractions import Fraction
from itertools import count
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.exact.numbers import (
    Exact,
    Indices,
    Vector,
    Vectors,
    combination,
    fractions,
    norm2,
    objects,
    small_margins,
    whole,
)
from perceptron_notes.exact.systems import multiply, refine, solve

#: ``report(sentence)``: told how far the search has come; it may raise an exception to stop it.
Progress = Callable[[str], object]


def nearest_point(
    S: Indices,
    weights: npt.NDArray[Any],
    affine: Callable[[Indices], npt.NDArray[Any] | None],
    price: Callable[[Indices, npt.NDArray[Any]], int | None],
    tiny: float = 0,
    most: int | None = None,
) -> tuple[Indices, npt.NDArray[Any]]:
    """Return the point nearest to 0 in the convex hull of some vectors, in any arithmetic.

    Keep affinely independent vectors S with positive weights, whose sum is 1. Of their affine
    hull take the point nearest to 0: ``affine(S)`` gives its weights, or None if S is not affinely
    independent. If it lies outside of their convex hull, move towards it until the boundary of the
    hull, and drop the vector whose weight is then 0. If it lies inside, add a vector that is
    nearer to 0 in its direction, ``price(S, weights)``, until that is None. Every point is
    nearer to 0 than the one before and there are finitely many sets, so without rounding this
    terminates, with at most m + 1 vectors.

    With rounding it may not: so floats take at most `most` steps, and return the point reached by
    then. For them, weights up to `tiny` count as 0, and so do differences: otherwise the last bits,
    which differ between machines, would decide what is dropped.

    References
    ----------
    Wolfe, P., "Finding the nearest point in a polytope", *Mathematical Programming* 11, 1976.
    """
    one = weights[0] * 0 + 1
    for _ in count() if most is None else range(most):
        aim = affine(S)
        if aim is None:
            S, weights = S[:1], weights[:1] * 0 + one
            continue
        outside = np.flatnonzero(aim < -tiny)
        if len(outside) == 0:
            S, weights = S[aim > tiny], aim[aim > tiny]
            new = price(S, weights)
            if new is None:
                return S, weights
            S, weights = np.append(S, new), np.append(weights, one * 0)
            continue
        steps = weights[outside] / (weights[outside] - aim[outside])
        k = np.flatnonzero(steps <= steps.min() + tiny)[0]
        weights = weights + steps[k] * (aim - weights)
        keep = weights > tiny
        keep[outside[k]] = False
        S, weights = S[keep], weights[keep]
    return S, weights


# ------------------------------------------------------------------------------ in floats

#: The most steps for each coordinate that a search in floats may take; usually ten are enough.
_STEPS = 100
#: With more coordinates than this, Newton's method first finds a better pool.
MANY = 20
#: A coordinate more than 2²⁴ times smaller than the next larger one counts as 2²⁴ times smaller:
#: the nearest point is then the same to about 14 digits, and within the reach of floats.
_GAP = 24
#: After this many steps without progress, rounding dominates.
_STALLS = 30
#: Floats of size 1 that differ by less count as equal: processors round sums differently.
TINY = 1e-12


def first_least(values: Array, below: float) -> int:
    """Return the first of the least values under `below`, regardless of their last bits."""
    least = values.min() + TINY * np.abs(values).max()
    return int(np.flatnonzero(values < min(least, below))[0])


def _least_first(values: Array) -> Indices:
    """Return the order from least to largest value, regardless of their last bits."""
    steps = TINY * max(float(np.abs(values).max(initial=0)), 1e-300)
    return np.argsort(np.rint(values / steps), kind="stable")


def nearest_in_floats(data: Dataset | Vectors, report: Progress) -> tuple[Indices, Vector, bool]:
    """Guess samples that carry the nearest point; return them, their weights, and if it is ≠ 0."""
    with np.errstate(all="ignore"):
        for gap in (_GAP, _GAP // 2):
            pool = _Pool(data, gap, report)
            most = _STEPS * (pool.m + 10)
            S, weights = nearest_point(*pool.start(), pool.affine, pool.price, TINY, most)
            if pool.p is not None or pool.sizes.min() > 2.0**-gap:
                break
    exact = fractions(weights)
    return pool.samples[S], tuple(a / sum(exact) for a in exact), pool.p is not None


class _Pool:
    """Some of the samples as vectors yx, and the nearest point of their hull.

    Coordinates are divided by powers of two and multiplied again by ``sizes``, which only
    changes those that are negligibly small compared with the others.
    """

    def __init__(self, data: Dataset | Vectors, gap: int, report: Progress) -> None:
        self.X, self.y, self.m, self.report = data.X, data.y, data.X.shape[1], report
        self.exponents = np.frexp(np.maximum(self.X.max(axis=0), -self.X.min(axis=0)))[1]
        self.order = np.argsort(-self.exponents, kind="stable")
        falls = np.minimum(-np.diff(self.exponents[self.order]), gap)
        self.sizes = np.empty(self.m)
        self.sizes[self.order] = np.ldexp(1.0, -np.cumsum([0, *falls]))
        self.samples, self.Z = np.zeros(0, dtype=np.int64), np.zeros((0, self.m))
        self.p: Array | None = None
        self.nearest, self.stalls, self.steps = inf, 0, 0
        # The inverse of ZZᵀ + 11ᵀ for the vectors `held`; `updates` since it was computed.
        self.inverse: npt.NDArray[np.floating[Any]]
        self.forget()
        self.precise = False

    def start(self) -> tuple[Indices, Array]:
        """Fill the pool; return the samples and weights to start with."""
        self.join(np.unique(np.linspace(0, len(self.y) - 1, 20 * self.m).astype(np.int64)))
        if self.m <= MANY or len(self.y) <= 40 * self.m:
            return np.zeros(1, dtype=np.int64), np.ones(1)
        w = self.soft_margin()
        margins = self.Z @ w
        closest = _least_first(margins)[: 2 * self.m]
        self.samples, self.Z = self.samples[closest], self.Z[closest]
        held = max(1, min(int((margins < 1).sum()), self.m))
        weights = np.maximum(1 - margins[closest[:held]], 1e-9)
        return np.arange(held), weights / weights.sum()

    def join(self, samples: Indices) -> None:
        """Add samples to the pool."""
        new = np.ldexp(self.X[samples], -self.exponents) * self.sizes * self.y[samples, None]
        self.samples, self.Z = np.append(self.samples, samples), np.vstack([self.Z, new])

    def join_worst(self, w: Array, enough: float) -> int:
        """Add the samples with the least margins below a number; return how many."""
        margins = self.y * (self.X @ np.ldexp(w * self.sizes, -self.exponents))
        low = np.flatnonzero(margins < enough)
        worst = np.setdiff1d(low[_least_first(margins[low])[: 8 * self.m]], self.samples)
        self.join(worst)
        return len(worst)

    def soft_margin(self) -> Array:
        """Return weights with roughly the widest margin, and add the samples near it to the pool.

        Newton's method minimises ½‖w‖² + ½C·Σ max(0, 1 − w·z)² on the pool, for larger and larger
        C; after each, those with the least margins join (Keerthi and DeCoste, "A modified finite
        Newton method for fast solution of large scale linear SVMs", *JMLR* 6, 2005).
        """
        w = np.zeros(self.m)
        for C in (1e1, 1e2, 1e3, 1e4):
            for _ in range(5):
                w, ended = _newton(self.Z, w, C)
                if ended:
                    break
            self.join_worst(w, 1 - 1e-3)
        return w

    def affine(self, S: Indices) -> Array | None:
        """Return the weights of the nearest point in the affine hull; see `nearest_point`.

        With Z the vectors of S, (ZZᵀ + 11ᵀ)u = 1 says that all of them have one inner product
        with uᵀZ.
        """
        self.steps += 1
        if self.steps % (5 if self.precise else 50) == 1:
            self.report(f"in floats: {self.steps} points of the hull")
        try:
            u = self.refined(S) if self.precise else self.updated(S)
            if 0 < u.sum() < inf:
                return u / u.sum()
        except np.linalg.LinAlgError:
            pass
        self.forget()
        return None

    def forget(self) -> None:
        """Discard the inverse, since no update removes an error of rounding from it."""
        self.held, self.inverse, self.updates = self.samples[:0], np.zeros((0, 0)), 0

    def updated(self, S: Indices) -> Array:
        """Return u by updating the last inverse: fast, but not accurate to the last digits."""
        kept = np.zeros(len(self.samples), dtype=bool)
        kept[S] = True
        for j in np.flatnonzero(~kept[self.held])[::-1]:
            rest = np.arange(len(self.held)) != j
            column, corner = self.inverse[rest, j], self.inverse[j, j]
            self.inverse = self.inverse[np.ix_(rest, rest)] - np.outer(column, column / corner)
            self.held, self.updates = self.held[rest], self.updates + 1
        if len(self.held) and len(S) == len(self.held) + 1:
            z = self.Z[S[-1]]
            b, corner = self.Z[self.held] @ z + 1, z @ z + 1
            v = self.inverse @ b
            rest = corner - b @ v
            if not rest > 1e-9 * corner:  # nearly dependent on the others
                self.precise = True
                return self.refined(S)
            column = np.append(-v, 1) / np.sqrt(rest)
            larger = np.outer(column, column)
            larger[:-1, :-1] += self.inverse
            self.inverse = larger
            self.updates += 1
        elif len(S) != len(self.held):
            self.inverse, self.updates = np.linalg.inv(self.Z[S] @ self.Z[S].T + 1), 0
        self.held = S
        return self.inverse.sum(axis=1)

    def refined(self, S: Indices) -> Array:
        """Return the u with the least ‖(Zᵀu, 1ᵀu − 1)‖ by QR, each row to its own scale; and Zᵀu.

        See Björck, Å., "Iterative refinement of linear least squares solutions", *BIT* 7, 1967.
        """
        B = np.vstack([np.ones(len(S)), self.Z[S].T[self.order]])  # the largest rows first
        Q, R = np.linalg.qr(B)
        e = np.zeros(len(B))
        e[0] = 1
        u, r = np.zeros(len(S)), np.zeros(len(B))
        for _ in range(3):
            f, g = e - r - B @ u, -(r @ B)
            h, c = np.linalg.solve(R.T, g), Q.T @ f
            r, u = r + f - Q @ (c - h), u + np.linalg.solve(R, c - h)
        self.point = np.empty(self.m)
        self.point[self.order] = -r[1:]
        return u

    def price(self, S: Indices, weights: Array) -> int | None:
        """Return a vector nearer to 0 in the direction of the point; see `nearest_point`."""
        p = self.direction(S, weights)
        if p is None:  # 0 is in the hull, as far as floats can tell
            self.p = None
            return None
        self.p, margins = p, self.Z @ p
        low, high = margins[S].min(), margins[S].max()
        # The distance should fall, but near the end it does by less than a rounding error.
        self.stalls = 0 if high < self.nearest else self.stalls + 1
        self.precise = self.precise or self.stalls > 0
        if self.stalls > _STALLS:
            return None
        self.nearest, enough = min(self.nearest, high), low - high * 1e-10
        if margins.min() < enough:
            return first_least(margins, enough)
        if self.join_worst(p, enough):
            return len(margins)
        if self.precise:
            return None
        self.precise = True  # once more, for the last digits
        return None if self.affine(S) is None else self.price(S, weights)

    def direction(self, S: Indices, weights: Array) -> Array | None:
        """Return the point with these weights, scaled to length 1; None if it is lost to rounding.

        On S all margins should be its distance from 0. Where they differ, its digits are used up:
        the inverse is computed afresh, and if that is not enough, QR is used.
        """
        while True:
            p = self.point if self.precise else weights @ self.Z[S]
            margins = self.Z[S] @ p
            spread = margins.max() - margins.min()
            if spread < (1e-3 if self.precise else 1e-6) * margins.min():
                return p / np.linalg.norm(p)
            if self.precise:
                return None
            self.precise = self.updates == 0
            self.forget()
            again = self.affine(S)
            if again is None:
                return None
            weights = again


def _newton(Z: Array, w: Array, C: float) -> tuple[Array, bool]:
    """Take a Newton step from w, at most to the minimum; return w, and whether it was the last."""
    margins = Z @ w
    near = margins < 1
    A = Z[near]
    d = np.linalg.solve(np.eye(len(w)) + C * (A.T @ A), C * A.sum(axis=0)) - w
    rises = Z @ d

    def slope(t: float) -> float:
        return float(d @ (w + t * d) - C * (np.maximum(1 - margins - t * rises, 0) @ rises))

    low, t = 0.0, 1.0
    if slope(t) > 0:
        for _ in range(8):
            half = (low + t) / 2
            low, t = (low, half) if slope(half) > 0 else (half, t)
    return w + t * d, t == 1 and bool((((Z @ (w + d)) < 1) == near).all())


# ------------------------------------------------------------------------- without rounding


def nearest_exactly(
    data: Dataset | Vectors, S: Indices, weights: Vector, report: Progress, refined: bool = False
) -> tuple[Indices, Vector, Vector]:
    """Return the nearest point without rounding, starting from some samples S and their weights.

    If `refined`, its distance need only be least up to a factor of 1 − 2⁻¹⁰⁰: far quicker.
    Return at most m + 1 samples, their weights with sum 1, and the point. `report` is called with
    a sentence that says how far the search has come.
    """
    point: Vector = ()
    enough = 1 - Fraction(1, 2**100) if refined else Fraction(1)

    def affine(S: Indices) -> Exact | None:
        Z = whole(data.y[S, None] * data.X[S])[0].astype(object)
        k, m = Z.shape
        if k == m + 1:  # as many unknowns as equations: Zᵀu = 0 and 1ᵀu = 1, with shorter numbers
            A, b = np.vstack([Z.T, Z[:, 0] * 0 + 1]), objects([0] * m + [1])
        else:
            A, b = multiply(Z, Z.T) + 1, objects([1] * k)
        u = refine(A, b) if refined and k <= m else None
        if u is None:
            u = solve(A, b, lambda done, of: report(f"exactly: digit {done} of {of}, {k} samples"))
        return None if u is None else u * (Fraction(1) / u.sum())

    def price(S: Indices, weights: Exact) -> int | None:
        nonlocal point
        point = combination(data, S, tuple(weights))
        if not any(point):
            return None
        near, margins, unit = small_margins(data, point)
        k = margins.argmin()
        # On all samples of S the margin is the squared norm; is any margin less?
        return None if margins[k] * unit >= norm2(point) * enough else int(near[k])

    # The result of `refine` is rounded too, though after far more digits.
    most = _STEPS * len(weights) if refined else None
    S, found = nearest_point(S, np.array(weights), affine, price, most=most)
    if refined:  # remove the residue of coordinates that cancel
        sizes = fractions(np.abs(data.X[S]).max(axis=0))
        point = tuple(
            a if abs(a) * 2**90 > size else Fraction(0)
            for a, size in zip(point, sizes, strict=True)
        )
    return S, tuple(found), point
