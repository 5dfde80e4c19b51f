"""A run replayed in whole numbers, with both sides of every inequality of the proof."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.exact.numbers import (
    Exact,
    Indices,
    Vector,
    fractions,
    objects,
    primitive,
    quotient,
    whole,
)


class Column(NamedTuple):
    """Both sides of one inequality at every update: ``unit`` times numbers over ``divisor``."""

    less: Exact
    more: Exact
    unit: Fraction
    divisor: Exact | None = None

    def at(self, k: int) -> tuple[Fraction, Fraction]:
        """Return both sides, exactly."""
        unit = self.unit / (1 if self.divisor is None else max(self.divisor[k], 1))
        return self.less[k] * unit, self.more[k] * unit

    def floats(self) -> list[Array]:
        """Return both sides as floats, infinite beyond their range."""
        p, q = self.unit.as_integer_ratio()
        below = [q] * len(self.less) if self.divisor is None else q * np.maximum(self.divisor, 1)
        return [
            np.array([quotient(k * p, b) for k, b in zip(side, below, strict=True)])
            for side in (self.less, self.more)
        ]


class Replay:
    r"""The picks of a run, replayed in whole numbers beside weights that separate.

    Units are chosen so that all numbers that the proof compares are whole: ``w = grid·V``,
    ``yx = unit·Z``, ``w_f = factor·F``; and the least margin m, R² and the rate λ likewise. Below,
    **g** is :math:`\lambda R^2\mathbf{w}_f/m`, which is qF/m in these units.
    """

    def __init__(
        self,
        data: Dataset,
        rate: float,
        w0: Array | Vector,
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
        """Replay the run: the scores y w·x of the picks, and w_f·w and ‖w‖² after 0 … T updates."""
        lam, m, q, Z, F = self.lam, self.m, self.lam * self.R2, self.Z, objects(self.F)
        V = objects([int(a / self.grid) for a in self.start])
        inner, norm = int(V @ F), int(V @ V)
        gains, squares = Z @ F * lam, (Z**2).sum(axis=1) * lam**2
        # No weight, no entry of Z and no step can exceed these.
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
        # m²‖w₀ − g‖², the least fall of m²‖w − g‖², and the largest y w·x with that fall.
        self.far: int = m**2 * norm - 2 * m * q * inner + q**2 * int(F @ F)
        self.fall: int = m**2 * lam * q
        self.bound = self.far // self.fall
        self.limits = (2 * q * gains - m * (squares + lam * q)) // (2 * m * lam)

    def weights(self) -> Exact:
        """Return the weights after 1 … T updates, in Fractions."""
        return np.cumsum(self.Z[self.which], axis=0) * self.step + np.array(self.start)

    def times(self, k: int, start: int = 0) -> Exact:
        """Return the numbers start + k, start + 2k, …, start + Tk."""
        return np.fromiter(range(start + k, start + k * self.T + 1, k), dtype=object, count=self.T)

    def violated(self) -> dict[str, int]:
        """Return the first update, counted from 0, at which each inequality fails."""
        lam, m, R2 = self.lam, self.m, self.R2
        broken = {
            "mistake": self.scores > 0,
            "growth": self.inner[1:] < self.times(lam * m, self.inner[0]),
            "length": self.norms[1:] > self.times(lam**2 * R2, self.norms[0]),
            "distance": self.scores > self.limits[self.which],
        }
        # The cosine needs no check of its own: it is growth, squared, over length.
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
