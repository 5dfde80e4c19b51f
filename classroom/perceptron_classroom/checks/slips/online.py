"""Known mistakes: the average of a run, and the bound for inseparable data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isqrt, sqrt
from typing import Any

import numpy as np

from perceptron_classroom.checks.check import Array, Labels, Slip
from perceptron_classroom.checks.slips.tours import of_zero

__all__ = ["AVERAGED", "MISTAKE_BOUND"]

Flags = Array


def averaging(
    X: Array,
    y: Labels,
    passes: int,
    *,
    wrong: Callable[[float, int], bool] = lambda s, y: y * s <= 0,
    mean: Callable[[Array, Flags, int], Array] = lambda W, made, n: W[1:].mean(axis=0),
    early: bool = False,
) -> Any:
    """Return the weights at the end and their average, with parts that can be got wrong.

    ``mean(W, made, n)`` gets the weights at the start and at the end of each round, a row each,
    whether each round made a mistake, and how many samples there are.
    """
    n, W = len(y), [np.zeros(X.shape[1])]
    made: list[bool] = []
    for r in range(passes * n):
        if early and r % n == 0 and r and not any(made[-n:]):
            break
        i = r % n
        made.append(bool(wrong(W[-1] @ X[i], int(y[i]))))
        W.append(W[-1] + y[i] * X[i] if made[-1] else W[-1])
    return W[-1], mean(np.array(W), np.array(made), n)


def of_updates(W: Array, made: Flags, n: int) -> Array:
    """Return the mean of the different weights, each once."""
    return W[1:][made].mean(axis=0) if made.any() else W[-1]


def by_updates(W: Array, made: Flags, n: int) -> Array:
    """Return the right sum, divided by the updates."""
    return W[1:].sum(axis=0) / max(made.sum(), 1)


AVERAGED = (
    Slip(
        partial(averaging, mean=lambda W, made, n: W[1:].sum(axis=0)),
        "This is the sum of the weights; divide it by the number of rounds.",
    ),
    Slip(
        partial(averaging, mean=of_updates),
        "Here each weight vector counts once in all; it has to count once for each round that "
        "ends with it.",
    ),
    Slip(
        partial(averaging, mean=by_updates),
        "The sum is over all rounds, so divide by the rounds and not by the updates.",
    ),
    Slip(
        partial(averaging, mean=lambda W, made, n: W[:-1].mean(axis=0)),
        "A round counts for the weights with which it ends; yours counts for those before it.",
    ),
    Slip(
        partial(averaging, mean=lambda W, made, n: W.mean(axis=0)),
        "The zero weights before the first round do not count: r rounds end with r vectors.",
    ),
    Slip(
        partial(averaging, mean=lambda W, made, n: W[n::n].mean(axis=0)),
        "Every round counts, not only the last one of each pass.",
    ),
    Slip(
        partial(averaging, early=True),
        "The rounds of passes without a mistake count too: weights that last long count for more.",
    ),
    *of_zero(averaging),
)


def bounding(
    X: Array,
    y: Labels,
    u: Array,
    m: int,
    *,
    first_column: int = 0,
    first_weight: int = 0,
    miss: Callable[[int, int, int], int] = lambda m, y, s: max(0, m - y * s),
    bound: Callable[[int, int, int, list[int]], int] = lambda B, C, m, d: (
        (B + C + isqrt(4 * B * C)) // (2 * m) ** 2
    ),
) -> tuple[list[int], int]:
    """Return the deviations and the bound, with parts that can be got wrong.

    ``bound(B, C, m, d)`` gets B = R²‖u‖² and C = B + 4mH.
    """
    scores = (X @ u).tolist()
    d = [miss(m, label, s) for label, s in zip(y.tolist(), scores, strict=True)]
    R2 = int((X[:, first_column:] ** 2).sum(axis=1).max())
    B = R2 * int((u[first_weight:] ** 2).sum())
    return d, bound(B, B + 4 * m * sum(d), m, d)


def rounded(B: int, C: int, m: int, d: list[int]) -> Any:
    """Return what rounding may make of the bound: another whole number if one is near."""
    above = B + C + isqrt(4 * B * C)
    room = above // 10**9 + 1
    return frozenset((above + more) // (2 * m) ** 2 for more in (-room, 0, room))


MISTAKE_BOUND = (
    Slip(
        partial(bounding, bound=lambda B, C, m, d: int(((sqrt(B) + sqrt(C)) / (2 * m)) ** 2)),
        "Your k is wrong only where rounding decides. (√B + √C)² is B + C + √(4BC): in whole "
        "numbers, with math.isqrt and //, nothing is rounded on the way.",
        lambda answer, **_: partial(bounding, bound=rounded),
    ),
    Slip(
        partial(bounding, bound=lambda B, C, m, d: (isqrt(B) + isqrt(C)) ** 2 // (4 * m**2)),
        "Each root is rounded down before they are added; round once, at the end.",
    ),
    Slip(
        partial(bounding, bound=lambda B, C, m, d: (B + C) // (4 * m**2)),
        "The square of a sum of two roots has a mixed term.",
    ),
    Slip(
        partial(bounding, bound=lambda B, C, m, d: int((sqrt(B) + sqrt(C)) / (2 * m))),
        "The inequality, solved, is about √k: the bound on k is the square.",
    ),
    Slip(
        partial(bounding, bound=lambda B, C, m, d: (B + C + isqrt(4 * B * C)) // m**2),
        "The square root of k has the denominator 2m: divide by (2m)².",
    ),
    Slip(
        partial(bounding, miss=lambda m, y, s: m - y * s),
        "A deviation is never negative: d = max(0, m − y u·x).",
    ),
    Slip(
        partial(bounding, miss=lambda m, y, s: max(0, m - s)),
        "The label belongs in the deviation: d = max(0, m − y u·x).",
    ),
    Slip(partial(bounding, first_column=1), "R includes the leading 1 of each sample."),
    Slip(partial(bounding, first_weight=1), "‖u‖ is the length of all of u, u₀ included."),
)
