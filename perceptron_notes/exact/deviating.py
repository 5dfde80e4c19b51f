"""Deviations from a margin: the bounds that follow, decided without roots, and proposals for u."""

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
    r"""Return all signed scores :math:`y_n\,\mathbf{u}\cdot\mathbf{x}_n`, unrounded."""
    X, unit = whole(data.X)
    numbers, factor = primitive(u)
    scores = product(X, numbers).tolist()
    return tuple(y * s * unit * factor for y, s in zip(data.y.tolist(), scores, strict=True))


class Account(Replay):
    """A run replayed beside weights u that need not separate.

    `m` is the margin required of them, and `d[n]` the claimed deviation of sample n from it.
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
        start = np.zeros(data.X.shape[1])
        # The other proof's R² plays no part here, but it must not be 0.
        super().__init__(data, rate, start, picks, u, m, self.radius2 or Fraction(1))

    def violated(self) -> dict[str, int]:
        """Return the first mistake, counted from 0, at which each inequality fails."""
        found = {}
        for name, column in self.columns.items():
            bad = np.flatnonzero(column.less > column.more)
            if len(bad):
                found[name] = int(bad[0])
        return found

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Both sides of every inequality except the last, which has roots."""
        k, one, rate = self.times(1), Fraction(1), self.step / self.unit
        inner = self.inner[1:] * (self.factor * self.grid)
        length2 = self.norms[1:] * self.grid**2
        missed = objects(self.missed[1:])
        return {
            "mistake": Column(self.scores, objects([0] * self.T), self.grid * self.unit),
            "growth": Column((k * self.asked - missed) * rate, inner, one),
            "length": Column(length2, k * (rate**2 * self.radius2), one),
            "projection": Column(inner**2, length2 * self.u2, one),
        }

    def roots(self, k: int) -> tuple[Fraction, Fraction, Fraction]:
        """Return the terms of the last inequality after k + 1 mistakes: km², b and b + mΣd."""
        b = self.radius2 * self.u2 / 4
        return (k + 1) * self.asked**2, b, b + self.asked * self.missed[k + 1]


# ------------------------------------------------------------------------------ proposals

#: Newton's method needs a dozen steps; near the minimum rounding could keep it going.
_MOST_STEPS = 100


def propose(data: Dataset, halvings: int = 40) -> tuple[Array, Array]:
    r"""Return floats near the weights **u** with the least bound for m = 1, and multipliers.

    No bound is below Σμ if all 0 ≤ μ ≤ 1 and ‖Σμyx‖² ≤ R²Σμ. With samples scaled so that R = 1,
    the largest such sum has the multipliers, divided by C, of the soft margin with some price
    C ≤ 1, whose weights are the best **u**. As C grows, ‖Σμyx‖² falls relative to Σμ, so bisection
    finds C.
    """
    Z = data.y[:, None] * data.X
    R = float(np.sqrt(np.einsum("ij,ij->i", Z, Z).max())) or 1.0
    Z, u, mu = Z / R, np.zeros(Z.shape[1]), np.ones(len(Z))
    low, high = 0.0, 1.0
    if np.linalg.norm(mu @ Z) ** 2 <= mu.sum():
        return u, mu  # every sample may have μ = 1, and u = 0
    for _ in range(halvings):
        C = (low + high) / 2
        u, mu = _soft_margin(Z, C)
        low, high = (C, high) if np.linalg.norm(mu @ Z) ** 2 > mu.sum() else (low, C)
    return u / R, mu


def _soft_margin(Z: Array, C: float) -> tuple[Array, Array]:
    """Minimise ‖u‖²/2 + C Σ max(0, 1 − u·z).

    The kink of the hinge loss is smoothed, at first widely and then less and less; Newton's
    method goes from one smoothed problem to the next. The slopes of the losses are the multipliers.
    """

    def value(u: Array) -> float:
        return float(u @ u / 2 + C * width * np.logaddexp(0, (1 - Z @ u) / width).sum())

    u = np.zeros(Z.shape[1])
    for width in 10.0 ** -np.arange(8):
        for _ in range(_MOST_STEPS):
            mu = (1 + np.tanh((1 - Z @ u) / (2 * width))) / 2
            curvature = np.eye(len(u)) + C / width * (Z.T * (mu * (1 - mu))) @ Z
            downhill = C * (mu @ Z) - u
            step = np.linalg.solve(curvature, downhill)
            size = _largest_fall(value, u, step) if downhill @ step > 1e-14 else 0.0
            if not size:
                break
            u = u + size * step
    return u, mu


def _largest_fall(value: Callable[[Array], float], u: Array, step: Array) -> float:
    """Return the first of 1, 1/2, 1/4 … whose step decreases the value; 0 at the minimum."""
    before, size = value(u), 1.0
    while size and value(u + size * step) >= before:
        size = size / 2 if size > 1e-6 else 0.0
    return size
