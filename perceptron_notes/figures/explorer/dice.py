"""Chance that Python and the page share: the figure's dice, and the pick rules that throw them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from perceptron_notes.rules import Look, PickRule, in_turn, lowest

__all__ = ["RULES", "at_random_by_dice", "dice", "shuffled_by_dice"]


def dice(seed: int) -> Callable[[], float]:
    """Make a source of random numbers in [0, 1) that the page has too: 32-bit xorshift.

    It is good enough to shuffle a figure's samples; for anything else use a NumPy generator.

    Parameters
    ----------
    seed : int
        At least 0.

    Returns
    -------
    callable
        It takes no arguments; each call gives the next number.

    References
    ----------
    Marsaglia, G., "Xorshift RNGs", *Journal of Statistical Software* 8, 2003.
    """
    x = ((seed + 1) * 0x9E3779B1) & 0xFFFFFFFF | 1

    def roll() -> float:
        nonlocal x
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        return x / 4294967296

    return roll


def shuffled_by_dice(seed: int) -> PickRule:
    """Make the rule `shuffled`, with an order that the page finds too.

    Parameters
    ----------
    seed : int
        The seed of the `dice`.

    Returns
    -------
    pick rule
    """
    orders: dict[int, tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]] = {}

    def pick(look: Look, n: int, previous: int | None) -> int | None:
        if n not in orders:
            roll, order = dice(seed), np.arange(n)
            for k in range(n - 1, 0, -1):
                j = int(roll() * (k + 1))
                order[[k, j]] = order[[j, k]]
            orders[n] = order, np.argsort(order)
        order, place = orders[n]
        start = 0 if previous is None else int(place[previous]) + 1
        i = look(start, n, order)
        return look(0, start, order) if i is None else i

    return pick


def at_random_by_dice(seed: int) -> PickRule:
    """Make the rule `at_random`, with picks that the page finds too.

    Parameters
    ----------
    seed : int
        The seed of the `dice`, which roll on from pick to pick. So make a new rule for each run.

    Returns
    -------
    pick rule
    """
    roll = dice(seed)

    def pick(look: Look, n: int, previous: int | None) -> int | None:
        if look(0, n) is None:
            return None
        while True:
            i = int(roll() * n)
            if look(i, i + 1) is not None:
                return i

    return pick


#: The rules that the page knows: from a seed to a rule.
RULES: dict[str, Callable[[int], PickRule]] = {
    "in_turn": lambda seed: in_turn,
    "lowest": lambda seed: lowest,
    "shuffled": shuffled_by_dice,
    "at_random": at_random_by_dice,
}
