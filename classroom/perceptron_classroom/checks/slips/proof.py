"""Known mistakes: proof."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from perceptron_classroom.checks.check import Array, Labels, Slip
from perceptron_classroom.checks.runs import Picks, ledger, replayed
from perceptron_classroom.checks.slips.tours import walk

__all__ = ["AUDIT", "BOUND", "HALTS", "LEDGER", "REPLAY"]


def column(k: int, compute: Any) -> Any:
    """Return a ledger with one wrong column: ``compute(t, X, y, picks, w_f)``."""

    def changed(X: Array, y: Labels, picks: Picks, w_f: Array) -> Array:
        table = ledger(X, y, picks, w_f)
        table[:, k] = compute(np.arange(1, len(table) + 1), X, y, picks, w_f)
        return table

    return changed


def bound_of(
    X: Array, y: Labels, w_f: Array, *, first_column: int = 0, first_weight: int = 0
) -> int:
    """Return the bound, perhaps with a coordinate left out of a length."""
    R2 = (X[:, first_column:] ** 2).sum(axis=1).max()
    length2 = (w_f[first_weight:] ** 2).sum()
    return int(R2 * length2 // (y * (X @ w_f)).min() ** 2)


def rounded(X: Array, y: Labels, w_f: Array) -> frozenset[int]:
    """Return what rounding may make of the bound: the next whole number too if it is near."""
    length2, R2 = Fraction(float(w_f @ w_f)), Fraction(float((X**2).sum(axis=1).max()))
    ratio, room = R2 * length2 / Fraction(float((y * (X @ w_f)).min())) ** 2, Fraction(1, 10**9)
    return frozenset(int(ratio * (1 + change)) for change in (-room, 0, room))


def auditor(
    X: Array,
    y: Labels,
    picks: Picks,
    *,
    mistake: Callable[[Array], Any] = lambda m: m <= 0,
    in_turn: bool = True,
    top: bool = False,
    end: bool = True,
) -> int | None:
    """Audit with parts that can be got wrong; as it stands it is right."""
    w, at, n = np.zeros(X.shape[1]), 0, len(y)
    for t, i in enumerate(picks.tolist()):
        wrong = mistake(y * (X @ w))
        order = [(at + k) % n for k in range(n)]
        next_one = next((j for j in order if wrong[j]), None)
        if (i != next_one) if in_turn else not wrong[i]:
            return t
        w, at = w + y[i] * X[i], 0 if top else i + 1
    return len(picks) if end and mistake(y * (X @ w)).any() else None


def decide(
    X: Array, y: Labels, *, at_most: int = 10_000, whole_run: bool = False, give_up: bool = False
) -> tuple[bool, Array]:
    """Run PLA in turn until it ends, or cycles."""
    w: Array = np.zeros(X.shape[1])
    tally: Array = np.zeros(len(y))
    seen: dict[tuple[float, ...], Array] = {}
    at = 0
    for _ in range(at_most):
        ahead = (at + np.arange(len(y))) % len(y)
        wrong = ahead[y[ahead] * (X[ahead] @ w) <= 0]
        if len(wrong) == 0:
            return True, w
        i = int(wrong[0])
        state = (*w.tolist(), i)
        if state in seen and not give_up:
            return False, tally if whole_run else tally - seen[state]
        seen[state] = tally.copy()
        w, at = w + y[i] * X[i], i + 1
        tally[i] += 1
    return False, np.ones(len(y)) if give_up else tally


REPLAY = (
    Slip(
        lambda X, y, picks: np.tile(replayed(X, y, picks)[-1], (len(picks) + 1, 1)),
        "All rows are the last weights. With `w += …` your list holds one array many times; "
        "`w = w + …` makes a new one.",
    ),
    Slip(
        lambda X, y, picks: replayed(X, y, picks)[1:],
        "The zero weights, before the first update, are a row of W too.",
    ),
    Slip(
        lambda X, y, picks: replayed(X, np.ones_like(y), picks),
        "The label belongs in the update: w + y x.",
    ),
    Slip(
        lambda X, y, picks: np.vstack([np.zeros(X.shape[1]), y[picks, None] * X[picks]]),
        "These are the updates one by one; W holds their sums so far.",
    ),
)


LEDGER = (
    Slip(
        column(3, lambda t, X, y, p, w: t * (X[:, 1:] ** 2).sum(axis=1).max()),
        "R² includes the leading 1 of each sample; without it R² is too small.",
    ),
    Slip(
        column(2, lambda t, X, y, p, w: np.linalg.norm(replayed(X, y, p)[1:], axis=1)),
        "The length lemma is about ‖w‖², not ‖w‖.",
    ),
    Slip(
        column(1, lambda t, X, y, p, w: t * (y * (X @ w)).min() / np.linalg.norm(w)),
        "m is the least signed score, min y(w_f·x), not divided by ‖w_f‖.",
    ),
    Slip(
        lambda X, y, p, w: ledger(X, y, p, w) - ledger(X, y, p, w)[:1] * np.array([0, 1, 0, 1]),
        "t is 1 in the first row: it counts the updates so far, this one included.",
    ),
)


BOUND = (
    Slip(
        partial(bound_of, first_column=1),
        "R² includes the leading 1 of each sample; without it the bound is too small.",
    ),
    Slip(
        partial(bound_of, first_weight=1),
        "‖w_f‖ is the length of all of w_f; without w₀, ρ becomes the margin in the plane.",
    ),
    Slip(
        lambda X, y, w: int(
            np.linalg.norm(X, axis=1).max() * np.linalg.norm(w) / (y * (X @ w)).min()
        ),
        "This is R/ρ; the bound is its square.",
    ),
    Slip(
        lambda X, y, w: (
            -int(-((X**2).sum(axis=1).max()) * (w**2).sum() // (y * (X @ w)).min() ** 2)
        ),
        "T is a whole number and not larger than R²/ρ²: round down.",
    ),
    Slip(
        lambda X, y, w: int(
            (np.linalg.norm(X, axis=1).max() * np.linalg.norm(w) / (y * (X @ w)).min()) ** 2
        ),
        "Your bound is wrong only where rounding decides, as roots and tolerances do. R²/ρ² is "
        "R²‖w_f‖²/m², which needs neither, and is exact here.",
        lambda answer, **_: rounded,
    ),
    Slip(
        lambda X, y, w: int((X**2).sum(axis=1).max() // (y * (X @ w)).min() ** 2),
        "ρ is m/‖w_f‖: the length of w_f matters.",
    ),
)


AUDIT = (
    Slip(
        partial(auditor, in_turn=False),
        "Your auditor accepts any mistake; in turn, only the next one is right.",
    ),
    Slip(
        partial(auditor, end=False),
        "A run that ends with a mistake left is wrong at its end: the answer is len(picks).",
    ),
    Slip(
        partial(auditor, top=True),
        "Your auditor looks from X[0] after each update; in turn, it goes on with the next.",
    ),
    Slip(partial(auditor, mistake=lambda m: m < 0), "Samples with a score of 0 are mistakes too."),
    Slip(
        lambda X, y, picks: None if (t := auditor(X, y, picks)) is None else t + 1,
        "Count from 0: picks[0] is the first pick.",
    ),
)


HALTS = (
    Slip(
        lambda X, y: (True, np.zeros(X.shape[1])),
        "Zero weights separate nothing: y(w·x) > 0 is needed, not ≥.",
    ),
    *(
        Slip(program, "That a run is long does not prove that it never ends.")
        for program in (
            partial(decide, at_most=10, give_up=True),
            partial(decide, at_most=1000, give_up=True),
            partial(decide, at_most=1000),
        )
    ),
    Slip(
        partial(decide, whole_run=True),
        "Your numbers a count all picks from the start. Count those of one period only: from "
        "a state to the same state again.",
    ),
    Slip(
        lambda X, y: (True, walk(X, y, at_most=500)[0]),
        "Your function cuts a run short and takes its last weights for separating ones.",
    ),
)
