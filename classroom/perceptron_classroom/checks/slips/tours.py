"""PLA with replaceable parts, from which the tables build their known mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from perceptron_classroom.checks.check import Array, Labels, Slip

__all__ = ["of_zero", "on_the_way", "tour", "walk"]


def tour(
    n: int,
    visit: Callable[[int], bool],
    *,
    at_most: int = 4000,
    stay: bool = False,
    top: bool = False,
) -> list[int]:
    """Visit n samples cyclically until none needs a correction, or get that wrong.

    ``visit(i)`` corrects sample i if needed, returning whether it did. `at_most` caps the updates;
    with `stay` a corrected sample comes again at once, with `top` all samples do from the first
    one. Return the samples that were corrected.
    """
    picks: list[int] = []
    i = right_in_a_row = 0
    for _ in range(4000 * n):
        if right_in_a_row == n or len(picks) == at_most:
            break
        if visit(i % n):
            picks.append(i % n)
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
    change: Callable[[Array, float], Array] = lambda x, y: y * x,
    step: Callable[[float, int], float] = lambda s, y: y,
    start: Array | None = None,
    **route: Any,
) -> tuple[Array, list[int]]:
    """Run PLA with parts that can be got wrong; as is, it is right, except for the tour's caps."""
    w = np.zeros(X.shape[1]) if start is None else start

    def visit(i: int) -> bool:
        nonlocal w
        score = w @ X[i]
        needed = wrong(score, y[i])
        if needed:
            w = w + change(X[i], step(score, y[i]))
        return needed

    picks = tour(len(y), visit, **route)
    return w, picks


def of_zero(run: Callable[..., Any]) -> Iterator[Slip]:
    """Yield the mistakes that take a score of 0 for a decision, for a run as `walk` makes one."""
    yield Slip(
        partial(run, wrong=lambda s, y: y * s < 0),
        "With < in place of ≤ nothing is ever corrected: at the start all scores are 0, and that "
        "is a mistake.",
    )
    for label, sign in ((1, "+1"), (-1, "−1")):
        yield Slip(
            partial(run, wrong=lambda s, y, label=label: (np.sign(s) or label) != y),
            f"A score of 0 is a mistake for either label; your run takes it for {sign}.",
        )


def on_the_way(run: Callable[..., Any]) -> Iterator[Slip]:
    """Yield the mistakes about which sample comes next."""
    next_one = "In turn, it goes on with the sample after the corrected one."
    yield Slip(
        partial(run, top=True), f"After an update your run looks from X[0] again. {next_one}"
    )
    yield Slip(
        partial(run, stay=True),
        f"After an update your run visits the same sample again. {next_one}",
    )
    yield Slip(
        partial(run, wrong=lambda s, y: True, at_most=100),
        "Your run corrects every sample that it visits, right or wrong.",
    )
