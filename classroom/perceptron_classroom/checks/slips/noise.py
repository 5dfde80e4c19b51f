"""Known mistakes: noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from perceptron_classroom.checks.check import ANYTHING, Array, Labels, Slip

__all__ = ["BEST_LINE", "FLIP_LABELS", "POCKET", "SPLIT"]

Rng = np.random.Generator
Draws = Labels


def flip_at(choose: Callable[[Labels, int, Rng], Any]) -> Callable[[Labels, int, Rng], Labels]:
    """Return a function that flips the labels at the indices that `choose` returns."""

    def flip(y: Labels, k: int, rng: Rng) -> Labels:
        flipped = y.copy()
        places = choose(y, k, rng)
        flipped[places] = -flipped[places]
        return flipped

    return flip


def ratchet(
    X: Array,
    y: Labels,
    draws: Draws,
    *,
    wrong: Callable[[Array], Any] = lambda m: m <= 0,
    better: Callable[[int, int], bool] = lambda new, old: new < old,
    end: bool = True,
    first: bool = True,
) -> tuple[Array, int]:
    """Run Pocket with parts that can be got wrong; as it stands it is right."""
    w: Array = np.zeros(X.shape[1])
    best, fewest = w, int(wrong(y * (X @ w)).sum()) if first else len(y) + 1
    for i in draws:
        if wrong(y[i] * (X[i] @ w)):
            before, w = w, w + y[i] * X[i]
            seen = w if end else before  # looks before the update instead of after it
            errors = int(wrong(y * (X @ seen)).sum())
            if better(errors, fewest):
                best, fewest = seen, errors
    return best, fewest


#: The result of PLA: no pocket.
last_weights = partial(ratchet, better=lambda new, old: True)


def lines(x: Array) -> Iterator[Array]:
    """Yield weights for every way to cut the points in two, in both orientations."""
    places = np.unique(x)
    for cut in (places[0] - 1, *(places[1:] + places[:-1]) / 2, places[-1] + 1):
        yield np.array([-cut, 1.0])
        yield np.array([cut, -1.0])


def best_of(candidates: Any, x: Array, y: Labels) -> tuple[Array, int]:
    """Return the first of the best of some weights."""
    w = min(candidates, key=lambda w: int((y * (w[0] + w[1] * x) <= 0).sum()))
    return w, int((y * (w[0] + w[1] * x) <= 0).sum())


def no_ends(x: Array) -> list[Array]:
    """Cut between neighbours only."""
    cuts = (np.sort(x)[1:] + np.sort(x)[:-1]) / 2
    return [np.array([-side * cut, side]) for cut in cuts for side in (1.0, -1.0)] or [np.zeros(2)]


def through_samples(x: Array) -> Iterator[Array]:
    """Cut at the samples themselves."""
    for a in np.unique(x):
        yield from (np.array([-a, 1.0]), np.array([a, -1.0]))


FLIP_LABELS = (
    Slip(
        flip_at(lambda y, k, rng: rng.integers(len(y), size=k)),
        "A sample can be drawn twice this way: then fewer than k labels change.",
    ),
    Slip(
        flip_at(lambda y, k, rng: np.flatnonzero(rng.random(len(y)) < k / len(y))),
        "Each label flips with probability k/n; expected exactly k flips.",
    ),
    Slip(
        lambda y, k, rng: np.where(rng.permutation(len(y)) < k, rng.choice([-1, 1], len(y)), y),
        "A random label is often the old one.",
    ),
    Slip(
        flip_at(lambda y, k, rng: np.arange(k)),
        "The first k are always the same; choose the k labels at random.",
    ),
)


SPLIT = (
    Slip(
        lambda n, k, rng: (np.arange(k, n), np.arange(k)),
        "The samples may be sorted: choose the test part at random.",
    ),
    Slip(
        lambda n, k, rng: (lambda test: (np.setdiff1d(np.arange(n), test), test))(
            rng.integers(n, size=k)
        ),
        "A sample can be drawn twice this way.",
    ),
    Slip(
        lambda n, k, rng: (rng.permutation(n)[: n - k], rng.permutation(n)[:k]),
        "Two separate draws know nothing of each other: a sample can land in both parts.",
    ),
    Slip(
        lambda n, k, rng: (np.arange(n), rng.permutation(n)[:k]),
        "The test samples must not be trained on.",
    ),
)


POCKET = (
    Slip(last_weights, "These are the last weights of the run, not the best."),
    Slip(
        lambda X, y, draws: (last_weights(X, y, draws)[0], ratchet(X, y, draws)[1]),
        "The pocket should hold a copy. With `w += …` the array in the pocket changes too; "
        "`w = w + …` makes a new one.",
    ),
    Slip(
        partial(ratchet, end=False), "Your pocket never looks at the weights after the last update."
    ),
    Slip(
        partial(ratchet, first=False),
        "At first the pocket holds the zero weights, with the mistakes that they make.",
    ),
    Slip(
        partial(ratchet, better=lambda new, old: new <= old),
        "New weights replace the old ones only if they make fewer mistakes, not equally many.",
    ),
    Slip(
        partial(ratchet, wrong=lambda m: m < 0),
        "A score of 0 is a mistake too, for the update and for the count: y(w·x) ≤ 0.",
    ),
)


BEST_LINE = (
    Slip(
        lambda x, y: best_of(list(lines(x))[::2], x, y),
        "Your w₁ is never negative, but the positive side may also be the left one.",
    ),
    Slip(
        lambda x, y: best_of(list(lines(x))[1::2], x, y),
        "Your w₁ is never positive, but the positive side may also be the right one.",
    ),
    Slip(
        lambda x, y: best_of(no_ends(x), x, y),
        "A cut may also lie left or right of all points.",
        # Without two places there is no cut, and what is returned then says nothing.
        lambda answer, **_: lambda x, y: best_of(no_ends(x), x, y) if len(set(x)) > 1 else ANYTHING,
    ),
    Slip(
        lambda x, y: best_of(through_samples(x), x, y),
        "A sample on the cut has the score 0, and is a mistake: cut between the samples.",
    ),
)
