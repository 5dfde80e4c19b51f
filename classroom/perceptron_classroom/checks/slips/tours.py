"""PLA with parts that can be got wrong, from which the tables make their mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from perceptron_notes._kit.values import Array, Labels

__all__ = ["ENOUGH", "tour", "walk"]

ENOUGH = "The run ends only when no mistake is left, however many updates and passes that takes."


def tour(
    n: int,
    visit: Callable[[int], bool],
    *,
    at_most: int = 4000,
    passes: int = 4000,
    order: int = 1,
    stay: bool = False,
    top: bool = False,
) -> list[int]:
    """Visit n samples in circles until none needs a correction, or get that wrong.

    ``visit(i)`` corrects sample i if needed, and says whether it did. `at_most` caps the updates,
    `order` is −1 to go backwards; with `stay` a corrected sample comes again at once, with `top`
    all samples do from the first one. Return the samples that were corrected.
    """
    picks: list[int] = []
    i = right_in_a_row = 0
    for _ in range(passes * n):
        if right_in_a_row == n or len(picks) == at_most:
            break
        at = i % n if order > 0 else n - 1 - i % n
        if visit(at):
            picks.append(at)
            right_in_a_row = 0
            i = 0 if top else i if stay else i + 1
        else:
            right_in_a_row += 1
            i += 1
    return picks


def walk(
    X: Array,
    y: Labels,
    *,
    wrong: Callable[[float, int], bool] = lambda s, y: y * s <= 0,
    change: Callable[[Array, int], Array] = lambda x, y: y * x,
    start: Array | None = None,
    **route: Any,
) -> tuple[Array, list[int]]:
    """Run PLA with parts that can be got wrong; as is, it is right, but for the tour's caps."""
    w = np.zeros(X.shape[1]) if start is None else start

    def visit(i: int) -> bool:
        nonlocal w
        needed = wrong(w @ X[i], y[i])
        if needed:
            w = w + change(X[i], y[i])
        return needed

    picks = tour(len(y), visit, **route)
    return w, picks
