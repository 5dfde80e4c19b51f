"""Known mistakes: PLA for many classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from perceptron_classroom.checks.check import Array, Labels, Slip
from perceptron_classroom.checks.slips.tours import on_the_way, tour

__all__ = ["MULTI_PLA", "contest"]


def without(s: Array, c: int) -> Array:
    """Return the scores with that of class c masked, at unchanged positions."""
    return np.where(np.arange(len(s)) == c, -np.inf, s)


def beaten(s: Array, c: int) -> bool:
    """Return whether the right class does not lead; a tie is a mistake."""
    return bool(s[c] <= without(s, c).max())


def strongest(s: Array, c: int) -> int:
    """Return the rival with the largest score; of several, the one with the lowest index."""
    return int(without(s, c).argmax())


def duel(s: Array, c: int, r: int) -> Array:
    """Add the sample to its class, and subtract it from the rival."""
    shares = np.zeros(len(s))
    shares[c] += 1
    shares[r] -= 1
    return shares


def contest(
    X: Array,
    y: Labels,
    K: int,
    *,
    wrong: Callable[[Array, int], bool] = beaten,
    rival: Callable[[Array, int], int] = strongest,
    shares: Callable[[Array, int, int], Array] = duel,
    **route: Any,
) -> Any:
    """Run PLA for many classes with parts that can be got wrong; as it stands it is right."""
    W, rivals = np.zeros((K, X.shape[1])), []

    def visit(i: int) -> bool:
        nonlocal W
        s, c = W @ X[i], int(y[i])
        needed = wrong(s, c)
        if needed:
            rivals.append(rival(s, c))
            W = W + np.outer(shares(s, c, rivals[-1]), X[i])
        return needed

    picks = tour(len(y), visit, **route)
    return W, picks, rivals


def last_of_equals(s: Array, c: int) -> int:
    """Choose the strongest rival; of several, the one with the highest index."""
    return int(np.flatnonzero(without(s, c) == without(s, c).max())[-1])


def all_rivals(s: Array, c: int, r: int) -> Array:
    """Punish every other class."""
    return np.where(np.arange(len(s)) == c, 1.0, -1.0)


MULTI_PLA = (
    Slip(
        partial(contest, wrong=lambda s, c: int(s.argmax()) != c),
        "A tie is a mistake. argmax takes the first of equal scores, which may be the right class "
        "by luck.",
    ),
    Slip(
        partial(contest, wrong=lambda s, c: bool(s[c] < s.max())),
        "With < nothing is ever corrected: at the start all scores are equal, and a tie is a "
        "mistake.",
    ),
    Slip(
        partial(contest, rival=last_of_equals),
        "Of rivals with equal scores, the one with the lowest number is punished.",
    ),
    Slip(
        partial(contest, rival=lambda s, c: int(s.argmax()), at_most=300),
        "In a tie the right class itself may be the argmax; look for the rival among the others.",
    ),
    Slip(
        partial(contest, rival=lambda s, c: int(np.delete(s, c).argmax()), at_most=300),
        "Without the right class, the classes after it have other places: np.delete shifts them.",
    ),
    Slip(
        partial(contest, shares=lambda s, c, r: duel(s, c, r).clip(0), at_most=300),
        "An update also takes the sample from the rival; yours only adds it to the right class.",
    ),
    Slip(
        partial(contest, shares=all_rivals, at_most=300),
        "Your update takes the sample from every other class; only the strongest rival is "
        "punished.",
    ),
    *on_the_way(contest),
)
