"""Deviations from a margin: what they bound, decided without roots, and proposals for u."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import isqrt

import numpy as np

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.exact.numbers import (
    Indices,
    Vector,
    largest_norm2,
    norm2,
    objects,
    primitive,
    product,
    whole,
)
from perceptron_notes.exact.replay import Column, Replay


def below_roots(a: Fraction, b: Fraction, c: Fraction) -> bool:
    """Decide whether √a ≤ √b + √c, for numbers that are not negative, by squaring twice."""
    rest = a - b - c  # √a ≤ √b + √c says rest ≤ 2√(bc)
    return rest <= 0 or rest**2 <= 4 * b * c


def floor_of_roots(b: Fraction, c: Fraction) -> int:
    """Return the whole part of (√b + √c)², which is b + c + √(4bc)."""
    p, q = (b + c).as_integer_ratio()
    return (p + isqrt(int(4 * b * c * q**2))) // q


def exact_margins(data: Dataset, u: Sequence[Fraction]) -> Vector:
    r"""Return all functional margins :math:`y_n\,\mathbf{u}\cdot\mathbf{x}_n`, unrounded."""
    X, unit = whole(data.X)
    numbers, factor = primitive(u)
    scores = product(X, numbers).tolist()
    return tuple(y * s * unit * factor for y, s in zip(data.y.tolist(), scores, strict=True))


class Account(Replay):
    """A run replayed beside weights u that need not separate.

    `m` is the margin asked of them, and `d[n]` by how much sample n is said to miss it.
    """

    def __init__(
        self,
        data: Dataset,
        rate: float,
        picks: Indices,
        u: Sequence[Fraction],
        m: Fraction,
        d: Sequence[Fraction],
    ) -> None:
        self.asked, self.radius2, self.u2, chosen = m, largest_norm2(data), norm2(u), picks.tolist()
        self.missed = list(accumulate((d[i] for i in chosen), initial=Fraction(0)))
        self.squares = list(accumulate((d[i] ** 2 for i in chosen), initial=Fraction(0)))
        start = np.zeros(data.X.shape[1])
        # What the other proof needs of R² does not matter here, but it must not be 0.
        super().__init__(data, rate, start, picks, u, m, self.radius2 or Fraction(1))

    def violated(self) -> dict[str, int]:
        """Find the first mistake, counted from 0, at which each inequality fails."""
        found = {}
        for name, column in self.columns.items():
            bad = np.flatnonzero(column.less > column.more)
            if len(bad):
                found[name] = int(bad[0])
        return found

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Both sides of every inequality but the last, which has roots."""
        k, one, rate = self.times(1), Fraction(1), self.step / self.unit
        inner = self.inner[1:] * (self.factor * self.grid)
        length2 = self.norms[1:] * self.grid**2
        missed, squares = objects(self.missed[1:]), objects(self.squares[1:])
        return {
            "mistake": Column(self.scores, objects([0] * self.T), self.grid * self.unit),
            "growth": Column((k * self.asked - missed) * rate, inner, one),
            "length": Column(length2, k * (rate**2 * self.radius2), one),
            "spread": Column(missed**2, k * squares, one),
            "projection": Column(inner**2, length2 * self.u2, one),
        }

    def roots(self, k: int) -> tuple[Fraction, Fraction, Fraction]:
        """Return what the last inequality compares after k + 1 mistakes: km², R²‖u‖², Σd²."""
        return (k + 1) * self.asked**2, self.radius2 * self.u2, self.squares[k + 1]


# ------------------------------------------------------------------------------ proposals


def propose(data: Dataset, rounds: int = 60) -> Array:
    r"""Find floats near the weights with the least :math:`R\lVert\mathbf{u}\rVert + D`, for m = 1.

    With samples scaled so that R = 1, the best **u** is 0 or it solves
    :math:`\min\,\mu\lVert\mathbf{u}\rVert^2 + D(\mathbf{u})^2` for some μ > 0, namely the one with
    :math:`\mu\lVert\mathbf{u}\rVert = D(\mathbf{u})`: both have a gradient of the same direction.
    The left side grows with μ against the right, so halving finds it.
    """
    Z = data.y[:, None] * data.X
    R = float(np.sqrt(np.einsum("ij,ij->i", Z, Z).max()))
    Z, n = Z / (R or 1.0), len(Z)
    u, low, high = np.zeros(Z.shape[1]), -23.0, np.log(n) + 20
    if np.linalg.norm(Z.sum(axis=0)) <= np.sqrt(n):
        return u  # at u = 0 no direction leads down
    for _ in range(rounds):
        log_mu = (low + high) / 2
        u = _squared_hinge(Z, np.exp(log_mu), u)
        D = np.linalg.norm(np.maximum(1 - Z @ u, 0))
        low, high = (low, log_mu) if np.exp(log_mu) * np.linalg.norm(u) > D else (log_mu, high)
    return u / R


def _squared_hinge(Z: Array, mu: float, u: Array, most: int = 100) -> Array:
    r"""Minimise :math:`\mu\lVert\mathbf{u}\rVert^2 + D(\mathbf{u})^2` by Newton's method.

    A step is exact once it is known which terms are positive.
    """

    def value(u: Array) -> float:
        return float(mu * (u @ u) + (np.maximum(1 - Z @ u, 0) ** 2).sum())

    for _ in range(most):
        Y = Z[Z @ u < 1]
        step = np.linalg.solve(mu * np.eye(len(u)) + Y.T @ Y, Y.sum(axis=0)) - u
        size = _largest_fall(value, u, step)
        if size == 0:
            break
        u = u + size * step
    return u


def _largest_fall(value: Callable[[Array], float], u: Array, step: Array) -> float:
    """Return the first of 1, 1/2, 1/4 … with which the step leads down; 0 at the bottom."""
    before, size = value(u), 1.0
    while size > 1e-3:
        if value(u + size * step) < before:
            return size
        size /= 2
    return 0.0
