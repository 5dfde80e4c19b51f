"""Checks of PLA: every pick of a run, the weights at its end, and how long runs take."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from perceptron_classroom.answers import indices, number, parts, vector, written
from perceptron_classroom.checks import runs, samples
from perceptron_classroom.checks.check import Arguments, Array, Check, Draw, Labels
from perceptron_classroom.checks.rounding import near
from perceptron_classroom.checks.slips import learning as slips
from perceptron_notes.data import augment
from perceptron_notes.learning import last, pla

__all__ = ["MANY_ORDERS", "PLA", "PLA_WORST"]

Rng = np.random.Generator


def judge_run(got: Any, X: Array, y: Labels, rule: runs.Rule) -> str | None:
    """Judge every pick, and the weights at the end."""
    w, picks = parts(got, "w", "picks")
    w, picks = vector(w, "w", X.shape[1]), indices(picks, "picks", len(y))

    def margins(picks: runs.Picks) -> Array:
        return y[:, None] * (X @ runs.replayed(X, y, picks).T)

    def weights(t: int) -> Array:
        return runs.replayed(X, y, np.array(picks[:t], dtype=np.int64))[-1]

    fault = runs.one_by_one(picks, margins, rule, lambda t: f"w = {written(weights(t))}")
    if fault or w == weights(len(picks)).tolist():
        return fault
    return (
        "the picks are right, but the weights are not.\n"
        f"At t = {len(picks)} expected w = {written(weights(len(picks)))}, "
        f"got {written(w)}."
    )


PLA = Check(
    "pla",
    "pla(X, y) -> (w, picks)",
    samples.runs,
    partial(judge_run, rule=runs.in_turn),
    slips.PLA,
)


def draw_equals(rng: Rng) -> Iterator[Arguments]:
    """Draw samples whose y(w·x) are equal, or almost, when one of them must be chosen."""
    yield from samples.ties(rng)
    for gap in filter(lambda gap: gap >= 2**-16, samples.CLOSE):
        # The first update is by (1, a, 1); then the others have y(w·x) = −m or −m + gap.
        a, m = float(rng.choice([-1, 1])), int(rng.integers(1, 4))
        yield equals(rng, a, m, samples.snapped(gap, 20))
    # Differences too small for tolerances and single precision. Then one update is left.
    for gap in filter(lambda gap: gap < 2**-16, samples.CLOSE):
        yield equals(rng, float(rng.choice([-8, 8])), int(rng.integers(40, 61)), gap)
    # The second sample is corrected again and again, although the third one is equal.
    points = np.array([[rng.integers(4, 9)], [-1], [-1]]) * rng.choice([-1, 1])
    yield {"X": augment(points), "y": np.full(3, rng.choice([-1, 1]))}


def equals(rng: Rng, a: float, m: int, gap: float) -> Arguments:
    """Return five samples; after (1, a, 1) is added, the rest have the margins −m or −m + gap."""
    b = rng.integers(-3, 4, size=4)
    gaps = gap * np.array([1, *rng.permutation([0, 0, 1])])
    points = np.column_stack([b, gaps - m - 1 - a * b])
    return {"X": augment(np.vstack([[a, 1], points])), "y": np.full(5, rng.choice([-1, 1]))}


PLA_WORST = Check(
    "pla_worst",
    "pla_worst(X, y) -> (w, picks)",
    {**samples.runs, "close": draw_equals},
    partial(judge_run, rule=runs.smallest),
    slips.PLA_WORST,
)


def in_orders(runs: int, draw: Draw) -> Draw:
    """Return a function that adds random orders to the data sets of another one."""

    def drawn(rng: Rng) -> Iterator[Arguments]:
        for given in draw(rng):
            rows = np.tile(np.arange(len(given["y"])), (runs, 1))
            yield {**given, "orders": rng.permuted(rows, axis=1)}

    return drawn


def judge_orders(got: Any, X: Array, y: Labels, orders: Labels) -> str | None:
    """Judge the number of updates in each order, then their mean and spread."""
    counts, mean, spread = parts(got, "counts", "mean", "spread")
    right = [last(pla(samples.dataset(X[k], y[k])), at_most=10**6).t for k in orders]
    for order, k, count in zip(orders, right, vector(counts, "counts", len(right)), strict=True):
        if count != k:
            return f"updates in the order {written(order)}: expected {k}, got {written(count)}."
    for name, value, true in (("mean", mean, np.mean(right)), ("spread", spread, np.std(right))):
        if not near(number(value, name), float(true), 1e-9 * max(right)):
            return f"expected {name} = {written(true)}, got {written(value)}; the counts are right."
    return None


MANY_ORDERS = Check(
    "many_orders",
    "many_orders(X, y, orders) -> (counts, mean, spread)",
    {
        "small": in_orders(4, samples.small),
        "close": in_orders(4, samples.ties),
        "thousand": in_orders(1000, lambda rng: islice(samples.many(rng), 1)),
    },
    judge_orders,
    slips.MANY_ORDERS,
)
