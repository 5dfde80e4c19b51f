"""Known mistakes: kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from perceptron_classroom.checks.check import Array, Labels, Slip
from perceptron_classroom.checks.slips.tours import of_zero, on_the_way, tour

__all__ = ["DUAL_PLA", "FEATURES", "GRAM", "POLYNOMIAL", "WITNESS"]


def walk(
    G: Array,
    y: Labels,
    *,
    score: Callable[[Array, float, Array, Labels], Any] = lambda row, b, a, y: row @ (a * y) + b,
    wrong: Callable[[float, int], bool] = lambda s, y: y * s <= 0,
    answer: Callable[[Array, float, list[int], Labels], Any] = lambda a, b, p, y: (a, b, p),
    **route: Any,
) -> Any:
    """Run the dual form with parts that can be got wrong; as it stands it is right."""
    alpha: Array = np.zeros(len(y))
    b = 0.0

    def visit(i: int) -> bool:
        nonlocal b
        needed = wrong(score(G[i], b, alpha, y), int(y[i]))
        if needed:
            alpha[i] += 1
            b += float(y[i])
        return needed

    picks = tour(len(y), visit, **route)
    return answer(alpha, b, picks, y)


def monomials(
    points: Array, *, constant: float = 1.0, linear: float = 2.0, mixed: float = 2.0
) -> Array:
    """Return 1, x_i, x_i² and x_i x_j, times the roots of given factors."""
    i, j = np.triu_indices(points.shape[1], 1)
    products = np.sqrt(mixed) * points[:, i] * points[:, j]
    ones = np.full((len(points), 1), constant)
    return np.hstack([ones, np.sqrt(linear) * points, points**2, products])


def eigenvector(
    G: Array, *, tolerance: float = 1e-9, which: int = 0, sign: int = -1
) -> Array | None:
    """Return an eigenvector, if its eigenvalue is beyond the tolerance."""
    values, vectors = np.linalg.eigh(G)
    return vectors[:, which] if sign * values[which] > tolerance else None


GRAM = (
    Slip(
        lambda p: p @ p.T + 1,
        "These are the inner products with the leading 1. In the dual form, b takes its place.",
    ),
    Slip(lambda p: p * p, "An inner product is the sum of these products."),
)


POLYNOMIAL = (
    Slip(lambda A, B, degree, offset: (A @ B.T) ** degree, "The offset is missing."),
    Slip(
        lambda A, B, degree, offset: A @ B.T + offset**degree,
        "The power is that of the sum, not of the offset alone: brackets are missing.",
    ),
    Slip(
        lambda A, B, degree, offset: (A @ B.T + 1) ** degree,
        "The offset is an argument; it is not always 1.",
    ),
    Slip(
        lambda A, B, degree, offset: (A @ B.T + offset) ** 2,
        "The degree is an argument; it is not always 2.",
    ),
)


DUAL_PLA = (
    *of_zero(walk),
    Slip(
        partial(walk, score=lambda row, b, a, y: row @ (a * y), at_most=500),
        "The bias b belongs in the score.",
    ),
    Slip(
        partial(walk, score=lambda row, b, a, y: row @ a + b, at_most=500),
        "The score is Σ α_j y_j G_ij + b: the labels belong in the sum.",
    ),
    *on_the_way(walk),
    Slip(
        partial(walk, answer=lambda a, b, p, y: (a * y, b, p)),
        "α counts corrections and is never negative; the labels are not part of it.",
    ),
    Slip(partial(walk, answer=lambda a, b, p, y: (a, 0.0, p)), "b = Σ α_i y_i; yours stays 0."),
)


FEATURES = (
    Slip(
        partial(monomials, linear=1, mixed=1),
        "Multiply out (a·b + 1)²: some terms come twice, so their features need √2.",
    ),
    Slip(partial(monomials, mixed=0), "The products x_i x_j are missing."),
    Slip(partial(monomials, linear=0), "The coordinates themselves, times √2, are missing."),
    Slip(partial(monomials, constant=0), "The constant feature is missing."),
    Slip(
        partial(monomials, mixed=4), "Take x_i x_j either once with √2, or as x_i x_j and x_j x_i."
    ),
)


WITNESS = (
    Slip(
        partial(eigenvector, tolerance=0.0),
        "A computed eigenvalue of −1e-16 stands for 0: it was rounded.",
    ),
    Slip(
        partial(eigenvector, which=-1, sign=1),
        "This is the eigenvector of the largest eigenvalue; a witness needs a negative one.",
    ),
    Slip(
        lambda G: eigenvector(G, tolerance=-np.inf) if np.linalg.det(G) < -1e-9 else None,
        "Two negative eigenvalues make a positive determinant, and one that is 0 hides all others.",
    ),
    Slip(
        lambda G: None if eigenvector(G) is None else np.linalg.eigh(G)[1][0],
        "NumPy's eigenvectors are the columns: vectors[:, k].",
    ),
)
