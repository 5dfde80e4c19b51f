"""Drawing data sets for the checks: from one sample to many, with ties and duplicates.

All numbers are whole, or whole multiples of 1/4, so that every score is exact in float64 and
all correct programs, whatever their style, see the same mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from perceptron_notes.data import Array, Dataset, Labels, augment

__all__ = [
    "SIZES",
    "any_labels",
    "dataset",
    "far_from_zero",
    "grid",
    "points",
    "separable",
    "weights",
]

#: (n, d) of the data sets of a check, from small to large.
SIZES = (
    *[(1, 1)] * 3,
    *[(1, 2)] * 2,
    *[(2, 1)] * 6,
    *[(2, 2)] * 5,
    *[(3, 1)] * 4,
    *[(3, 2)] * 8,
    *[(5, 2)] * 8,
    *[(8, 3)] * 6,
    *[(12, 2)] * 6,
    *[(25, 4)] * 5,
)


def grid(rng: np.random.Generator, n: int, d: int) -> Array:
    """Augmented points of a small grid; now and then a point is 0 or comes twice."""
    points = rng.integers(-3, 4, size=(n, d)).astype(float)
    if rng.random() < 0.3:
        points /= 4 if rng.random() < 0.5 else 2
    if rng.random() < 0.3:
        points += rng.integers(-6, 7, size=d)  # off the middle, runs are longer
    if rng.random() < 0.4:
        points[rng.integers(n)] = 0
    if rng.random() < 0.2:
        points[rng.integers(n)] = points[rng.integers(n)]
    return augment(points)


def points(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Points without the leading 1."""
    for n, d in SIZES:
        yield {"points": grid(rng, n, d)[:, 1:]}


def dataset(X: Array, y: Labels) -> Dataset:
    """Augmented samples as a `Dataset`."""
    return Dataset(X[:, 1:], y)


def weights(rng: np.random.Generator, d: int) -> Array:
    """Small whole weights."""
    return rng.integers(-3, 4, size=d + 1).astype(float)


def any_labels(rng: np.random.Generator, n: int) -> Labels:
    """Labels by chance."""
    return rng.choice([-1, 1], size=n)


def separable(rng: np.random.Generator, n: int, d: int) -> tuple[Array, Labels]:
    """Points of a grid with the labels of some hyperplane, which meets none of them."""
    X, w = grid(rng, n, d), weights(rng, d)
    w[0] += 1 / 8  # the other terms are multiples of 1/4
    return X, np.where(X @ w > 0, 1, -1)


def far_from_zero(rng: np.random.Generator) -> tuple[Array, Labels]:
    """Two neighbours on a line, k and k + 1, for which PLA in turn makes 4k² + 4k + 5 updates.

    That is more than 2000 here: no small cap lets the run end.
    """
    k, turn = int(rng.integers(22, 25)), int(rng.choice([-1, 1]))
    order = rng.permutation(2)
    return augment(turn * np.array([[k], [k + 1]])[order]), np.array([-1, 1])[rng.permutation(2)]
