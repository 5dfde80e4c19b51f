"""Draw data sets: ties and duplicates, scores close to 0, many samples, long runs.

All numbers are dyadic, and so chosen that every score whose sign could be in doubt is exact in
float64. So all correct programs, whatever their style, see the same mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import isqrt
from typing import Any

import numpy as np

from perceptron_classroom.checks.check import Array, Labels
from perceptron_notes.data import Dataset, augment
from perceptron_notes.learning import pla, record

__all__ = [
    "CLOSE",
    "SIZES",
    "any_labels",
    "close",
    "dataset",
    "far_from_zero",
    "four_squares",
    "grid",
    "large",
    "point_groups",
    "runs",
    "separable",
    "stubborn",
    "weights",
    "with_equals",
]

#: (n, d) of small data sets, from small to large.
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
)
#: (n, d) of large ones.
LARGE = ((30, 2), (60, 5), (120, 3), (300, 8))
#: How close to 0 a score may be without being 0: powers of two, and one of 0.01.
CLOSE = (*(2.0**-e for e in (2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 24, 28, 34, 40, 45)), 0.01)


def grid(rng: np.random.Generator, n: int, d: int) -> Array:
    """Draw augmented points of a small grid; sometimes a point is 0 or comes twice."""
    points = rng.integers(-3, 4, size=(n, d)).astype(float)
    if rng.random() < 0.3:
        points /= 4 if rng.random() < 0.5 else 2
    if rng.random() < 0.3:
        points += rng.integers(-6, 7, size=d)  # away from the origin, runs are longer
    if rng.random() < 0.4:
        points[rng.integers(n)] = 0
    if rng.random() < 0.2:
        points[rng.integers(n)] = points[rng.integers(n)]
    return augment(points)


def dataset(X: Array, y: Labels) -> Dataset:
    """Return a `Dataset` of augmented samples."""
    return Dataset(X[:, 1:], y)


def weights(rng: np.random.Generator, d: int) -> Array:
    """Draw small whole weights."""
    return rng.integers(-3, 4, size=d + 1).astype(float)


def any_labels(rng: np.random.Generator, n: int) -> Labels:
    """Draw random labels."""
    return rng.choice([-1, 1], size=n)


def separable(rng: np.random.Generator, n: int, d: int) -> tuple[Array, Labels]:
    """Label points of a grid by a hyperplane that contains none of them."""
    X, w = grid(rng, n, d), weights(rng, d)
    w[0] += 1 / 8  # the other terms are multiples of 1/4
    return X, np.where(X @ w > 0, 1, -1)


def large(rng: np.random.Generator, n: int, d: int) -> tuple[Array, Labels]:
    """Draw many samples, with a strip left free between the classes, so that runs stay short."""
    w = weights(rng, d)
    w[1:] += np.where(w[1:] < 0, -1, 1)
    X = augment(rng.integers(-6, 7, size=(4 * n, d)) / rng.choice([1, 2, 4]))
    X = X[np.abs(X @ w) >= 1 / 2][:n]
    return X, np.where(X @ w > 0, 1, -1)


def close(rng: np.random.Generator, gap: float, right: bool) -> tuple[Array, Labels]:
    """Return two samples on a line; after the first update the second has the score ± `gap`.

    It is right or wrong by that little. Only that score is close to 0, and it is
    exact: a and b of opposite sign have 1 + a b = ± gap, where a is a power of two.
    """
    a = float(rng.choice([-1, 1]) * rng.choice([0.5, 1, 2]))
    score = float(rng.choice([-1, 1])) * snapped(gap, 45)
    b = (score - 1) / a
    label = int(rng.choice([-1, 1]))
    other = label * int(np.sign(score)) * (1 if right else -1)
    return augment(np.array([[a], [b]])), np.array([label, other])


def snapped(value: float, bits: int) -> float:
    """Round to the nearest multiple of 2 to the power of minus `bits`."""
    return float(np.ldexp(np.rint(np.ldexp(value, bits)), -bits))


def with_equals(rng: np.random.Generator, n: int, d: int) -> tuple[Array, Labels]:
    """Draw separable samples, each about twice."""
    X, y = separable(rng, n, d)
    places = rng.integers((n + 1) // 2, size=n)
    return X[places], y[places]


def stubborn(rng: np.random.Generator) -> tuple[Array, Labels]:
    """Return four samples: two equal ones, both corrected; the last alone stays wrong a while."""
    while True:
        a, b, c = rng.integers([3, 1, 1], [9, 4, 4])
        points = np.array([[a, 0], [-b, c], [-b, c], [0, 0]])[:, rng.permutation(2)]
        X, y = augment(points * rng.choice([-1, 1], size=2)), np.array([1, 1, 1, -1])
        y *= rng.choice([-1, 1])
        picks = record(pla(dataset(X, y)), at_most=200).picks.tolist()
        if 2 in picks and any(s == t == 3 for s, t in pairwise(picks[:-1])):
            return X, y


def far_from_zero(rng: np.random.Generator, least: int, most: int) -> tuple[Array, Labels]:
    """Return two neighbours on a line, k and k + 1: PLA in turn needs 4k² + 4k + 5 updates.

    That takes about half as many passes. k is at least `least` and less than `most`.
    """
    k, turn = int(rng.integers(least, most)), int(rng.choice([-1, 1]))
    order = rng.permutation(2)
    return augment(turn * np.array([[k], [k + 1]])[order]), np.array([-1, 1])[rng.permutation(2)]


def four_squares(total: int) -> tuple[int, int, int, int]:
    """Find four whole numbers whose squares have this sum, the first of them nearly maximal."""
    # Of 6 times a power of 4 there is only one such sum; of a multiple of 8, all four are even.
    if total and total % 8 == 0:
        a, b, c, d = four_squares(total // 4)
        return 2 * a, 2 * b, 2 * c, 2 * d
    for a in range(isqrt(total), -1, -1):
        most = isqrt(total - a * a)
        for b in range(most, max(-1, most - 50), -1):  # what is left then is small
            rest = total - a * a - b * b
            for c in range(isqrt(rest // 2) + 1):
                if isqrt(rest - c * c) ** 2 == rest - c * c:
                    return a, b, c, isqrt(rest - c * c)
    raise AssertionError("every whole number is a sum of four squares")


# ----------------------------------------------------------------- groups that several checks use


def small(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Draw small data that can be separated, with many scores of 0."""
    for n, d in SIZES:
        X, y = separable(rng, n, d)
        yield {"X": X, "y": y}


def ties(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Draw scores close to 0 at many scales, of either sign, and a last sample that stays wrong."""
    for gap in CLOSE:
        for right in (True, False):
            X, y = close(rng, gap, right)
            yield {"X": X, "y": y}
    X, y = stubborn(rng)
    yield {"X": X, "y": y}


def many(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Draw more samples than 8 bits can number."""
    for n, d in LARGE:
        X, y = large(rng, n, d)
        yield {"X": X, "y": y}


def long(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Draw runs of some hundred updates, and one of almost thirty thousand."""
    for least, most in ((4, 8), (84, 87)):
        X, y = far_from_zero(rng, least, most)
        yield {"X": X, "y": y}


#: For runs of PLA, in any form.
runs = {"small": small, "close": ties, "many": many, "long": long}


def few_points(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Draw a few points without the leading 1."""
    for n, d in SIZES:
        yield {"points": grid(rng, n, d)[:, 1:]}


def many_points(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Draw many points, of many coordinates and digits."""
    for n, d in LARGE:
        yield {"points": rng.integers(-3000, 3001, size=(n, d)) / 1024}


#: For functions of points.
point_groups = {"small": few_points, "many": many_points}
