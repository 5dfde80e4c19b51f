"""Known mistakes: learning."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from perceptron_classroom.answers import vector
from perceptron_classroom.checks.check import Array, Labels, Slip
from perceptron_classroom.checks.slips.tours import of_zero, on_the_way, walk

__all__ = ["MANY_ORDERS", "PLA", "PLA_WORST"]


def stale(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Find all mistakes of a pass before the first is corrected."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    for _ in range(200):
        wrong = np.flatnonzero(y * (X @ w) <= 0)
        w = w + y[wrong] @ X[wrong]
        picks += wrong.tolist()
    return w, picks


def worst(
    X: Array,
    y: Labels,
    *,
    key: Callable[[Array, Labels, Any], Any] = lambda s, y, wrong: y * s,
    at_most: int = 4000,
) -> tuple[Array, list[int]]:
    """Correct the sample with the smallest key, as long as there are mistakes."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    while (wrong := y * (X @ w) <= 0).any() and len(picks) < at_most:
        i = int(np.argmin(key(X @ w, y, wrong)))
        w = w + y[i] * X[i]
        picks.append(i)
    return w, picks


def at_rate(rate: float) -> Callable[..., Any]:
    """Return PLA with a learning rate."""
    return partial(walk, change=lambda x, y: rate * y * x)


def of_its_rate(answer: Any, X: Array, y: Labels) -> Callable[..., Any] | None:
    """Return PLA with the factor between the weights of an answer and the right ones."""
    right = walk(X, y)[0]
    k = int(np.abs(right).argmax())
    if not isinstance(answer, list) or not answer or not right[k]:
        return None
    given = vector(np.ravel(answer[0]).tolist(), "w", len(right))
    rate = float(f"{float(given[k]) / right[k]:.12g}")
    return at_rate(rate) if 0 < rate < np.inf and rate != 1 else None


def last_of_equals(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Choose the highest index among equals."""
    w, picks = worst(X[::-1], y[::-1])
    return w, [len(y) - 1 - i for i in picks]


def in_each(
    X: Array,
    y: Labels,
    orders: Labels,
    *,
    count: Callable[[list[int]], int] = len,
    spread: Callable[..., Any] = np.std,
    fresh: bool = True,
) -> tuple[list[int], float, float]:
    """Count the updates in each order, with parts that can be got wrong."""
    runs = orders if fresh else orders[:1]  # weights that are kept are right in every order
    counts = [count(walk(X[k], y[k])[1]) for k in runs] + [0] * (len(orders) - len(runs))
    return counts, float(np.mean(counts)), spread(counts)


PLA = (
    *of_zero(walk),
    *on_the_way(walk),
    Slip(
        stale,
        "Your run finds all mistakes of a pass before it corrects any. After a correction "
        "the other scores are out of date.",
    ),
    Slip(
        lambda X, y: walk(X[:-1], y[:-1]) if len(y) > 1 else (np.zeros(X.shape[1]), []),
        "The last sample is never visited.",
    ),
    Slip(
        partial(walk, change=lambda x, y: (y > 0) * x, at_most=500),
        "Samples with label −1 add nothing to your weights. The labels are −1 and +1.",
    ),
    Slip(
        partial(walk, change=lambda x, y: x, at_most=500),
        "The label belongs in the update: w + y x.",
    ),
    Slip(
        partial(walk, wrong=lambda s, y: s <= 0, at_most=500),
        "The label belongs in the test: y(w·x) ≤ 0.",
    ),
    Slip(
        partial(walk, change=lambda x, y: y * np.append(0, x[1:])),
        "The weight w₀ is never corrected; it belongs to the leading 1 of every sample.",
    ),
    Slip(lambda X, y: walk(X, y, start=X[0]), "The run starts at zero weights, not at a sample."),
    Slip(
        partial(walk, step=lambda s, y: y - np.sign(s)),
        "Your update adds (y − sign) x: that is 2 y x unless the score is 0; here it is y x.",
    ),
    Slip(
        partial(walk, wrong=lambda s, y: y * s <= 1e-9),
        "A score of 1e-12 is not 0: there is no tolerance here.",
    ),
    Slip(at_rate(0.5), "The learning rate is 1 here: an update adds y x itself.", of_its_rate),
)


PLA_WORST = (
    Slip(walk, "This is PLA in turn; here the smallest y(w·x) goes first."),
    Slip(
        partial(walk, top=True),
        "Your run takes the first mistake; here the smallest y(w·x) goes first.",
    ),
    Slip(
        last_of_equals, "Among samples with equal y(w·x) the one with the lowest index goes first."
    ),
    Slip(
        partial(worst, key=lambda s, y, wrong: np.where(wrong, -y * s, np.inf)),
        "Your run takes the mistake nearest to 0; here the smallest y(w·x) goes first.",
    ),
    Slip(
        partial(worst, key=lambda s, y, wrong: np.where(wrong, s, np.inf)),
        "Your run looks for the smallest score; expected the smallest y(w·x).",
    ),
    Slip(
        lambda X, y: (np.zeros(X.shape[1]), []),
        "At zero weights every y(w·x) is 0, and that is a mistake: ≤, not <.",
    ),
)


MANY_ORDERS = (
    Slip(partial(in_each, spread=np.var), "This is the variance; the spread is its square root."),
    Slip(
        lambda *given: in_each(*given, spread=partial(np.std, ddof=1)),
        "Here the squared distances are divided by the number of runs, not by one less.",
    ),
    Slip(
        lambda X, y, orders: in_each(X, y, np.sort(orders)),
        "Your runs all take the samples as they stand in X, whatever their row of orders says.",
    ),
    Slip(
        partial(in_each, count=lambda picks: len({*picks})),
        "A sample that is corrected twice makes two updates.",
    ),
    Slip(
        partial(in_each, fresh=False),
        "Each run starts at zero weights, not at those of the run before.",
    ),
)
