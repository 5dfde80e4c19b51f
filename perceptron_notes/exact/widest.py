"""The widest street between two classes: nearest points of two hulls, without rounding."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.exact.hull import (
    TINY,
    first_least,
    nearest_exactly,
    nearest_in_floats,
    nearest_point,
)
from perceptron_notes.exact.numbers import (
    Exact,
    Indices,
    Vector,
    combination,
    objects,
    small_margins,
    whole,
)
from perceptron_notes.exact.systems import multiply, solve

#: Samples, their weights with sum 1, and weights (w₀, v) with equal margins on all of them.
Nearest = tuple[tuple[int, ...], Vector, Vector]

#: Floats give up after this many steps, or when progress is less than this fraction.
_STEPS, _PROGRESS = 5000, 1e-13


def between_classes(data: Dataset) -> Nearest:
    r"""Return half the shortest vector from the hull of the negatives to that of the positives.

    It is the point **v** nearest to 0 among all :math:`\sum_n\mu_ny_n\mathbf{x}_n` (without the
    leading 1) in which either class has half of the weight. That condition is one more equation
    in each linear system of `nearest_point`, and its multiplier is the threshold. It is carried by
    at most d + 2 samples; **v** is 0 where the hulls meet.
    """
    point: Vector = ()
    X, y = data.X, data.y

    def affine(S: Indices) -> Exact | None:
        Z = whole(y[S, None] * X[S, 1:])[0].astype(object)
        k, signs = len(S), y[S].astype(object)
        A = np.zeros((k + 1, k + 1), dtype=object)
        A[:k, :k] = multiply(Z, Z.T) + 1
        A[k, :k] = A[:k, k] = signs
        u = solve(A, objects([1] * k + [0]))
        return None if u is None else u[:k] * (Fraction(1) / u[:k].sum())

    def price(S: Indices, weights: Exact) -> int | None:
        nonlocal point
        _, *v = combination(data, S, tuple(weights))
        point = (Fraction(0), *v)
        if not any(v):
            return None
        # Halfway between the classes all samples of S have equal margins.
        pair = [int(S[y[S] == side][0]) for side in (1, -1)]
        numbers, unit = whole(X[pair, 1:])
        heights = numbers.astype(object) @ np.array(v, dtype=object) * unit
        point = (-sum(heights) / 2, *v)
        near, margins, _ = small_margins(data, point)
        return None if S[0] in near[margins == margins.min()] else int(near[margins.argmin()])

    S = _guess(data)
    weights = affine(S)
    if weights is None or (weights <= 0).any():  # the floats were wrong: start afresh
        S, weights = _ends(data), np.array([Fraction(1, 2)] * 2)
    S, weights = nearest_point(S, weights, affine, price)
    return _in_order(S, weights, point)


def from_origin(data: Dataset) -> Nearest:
    """Return the same for boundaries through the origin: the nearest point of one hull."""
    S, weights, _ = nearest_in_floats(data, str)
    S, weights, point = nearest_exactly(data, S, weights, str)
    return _in_order(S, np.array(weights), point)


def _in_order(S: Indices, weights: Exact, point: Vector) -> Nearest:
    """Return the samples in increasing order, and their weights with them."""
    order = np.argsort(S)
    return tuple(S[order].tolist()), tuple(weights[order].tolist()), point


def _ends(data: Dataset) -> Indices:
    """Return the first sample of each class."""
    return np.array([(data.y > 0).argmax(), (data.y < 0).argmax()])


def _guess(data: Dataset) -> Indices:
    """Guess, in floats, which samples carry the nearest points."""
    points, y = data.points / data.reach, data.y
    Z = y[:, None] * (points - points.mean(axis=0))
    best = np.inf

    def affine(S: Indices) -> Array:
        k = len(S)
        A = np.zeros((k + 1, k + 1))
        A[:k, :k] = Z[S] @ Z[S].T + 1
        A[k, :k] = A[:k, k] = y[S]
        u = np.linalg.solve(A, [*np.ones(k), 0])[:k]
        return u / u.sum()

    def price(S: Indices, weights: npt.NDArray[Any]) -> int | None:
        nonlocal best
        p = weights @ Z[S]
        margins, square = Z @ p, float(p @ p)
        if not square < best * (1 - _PROGRESS):
            return None
        best = square
        # A linear function is least on the differences where it is least on either class.
        for side in (1, -1):
            held = margins[S[y[S] == side]].mean()
            margins[y == side] -= held
        if not (margins < -_PROGRESS).any():
            return None
        new = first_least(margins, -_PROGRESS)
        return None if new in S else new

    try:
        S, _ = nearest_point(_ends(data), np.array([0.5, 0.5]), affine, price, TINY, _STEPS)
    except np.linalg.LinAlgError:
        return _ends(data)
    return S
