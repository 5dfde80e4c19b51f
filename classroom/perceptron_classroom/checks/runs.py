"""Judge a run by its picks: each must be the mistake that its rule would take.

All steps are judged from one matrix of margins, a column per step. No algorithm is run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_classroom.answers import written
from perceptron_classroom.checks.check import Array, Labels

__all__ = [
    "Picks",
    "enough",
    "first_fault",
    "in_turn",
    "ledger",
    "one_by_one",
    "replayed",
    "smallest",
    "tally",
]

Picks = npt.NDArray[np.int64]
#: ``rule(M, picks)``: which sample each step should correct, n where no mistake is left.
Rule = Callable[[Array, Picks], Picks]

# Numbers of margins and updates inspected. No right run needs more, so the first fault of a longer
# one is found among these.
MARGINS, UPDATES = 80_000, 4_000


def replayed(X: Array, y: Labels, picks: Picks) -> Array:
    """Return the weights before the first update and after each, one row each."""
    W = np.zeros((len(picks) + 1, X.shape[1]))
    np.cumsum(y[picks, None] * X[picks], axis=0, out=W[1:])
    return W


def ledger(X: Array, y: Labels, picks: Picks, w_f: Array) -> Array:
    """Return a row for each update: w·w_f, t m, ‖w‖², t R²."""
    W, m, R2 = replayed(X, y, picks), (y * (X @ w_f)).min(), (X**2).sum(axis=1).max()
    t = np.arange(len(W))
    return np.stack([W @ w_f, t * m, (W**2).sum(axis=1), t * R2], axis=1)[1:]


def tally(n: int, picks: Picks) -> Array:
    """Count how often each sample was picked before each step, one row per step."""
    A = np.zeros((len(picks) + 1, n))
    A[np.arange(len(picks)) + 1, picks] = 1
    return np.cumsum(A, axis=0)


def in_turn(M: Array, picks: Picks) -> Picks:
    """Find the first mistake in cyclic order after the last pick."""
    n = len(M)
    start = np.concatenate([[0], picks + 1])
    ahead = (np.arange(n)[:, None] - start) % n
    ahead[M > 0] = n
    first = ahead.min(axis=0)
    return np.where(first < n, (start + first) % n, n)


def smallest(M: Array, picks: Picks) -> Picks:
    """Find the first sample with the smallest margin."""
    return np.where(M.min(axis=0) <= 0, M.argmin(axis=0), len(M))


def first_fault(M: Array, picks: Picks, rule: Rule) -> tuple[int, int] | None:
    """Find the first step that differs, and the sample that it should have corrected.

    M holds the margins before each step and at the end, shape (n, T + 1). The sample n means
    that the run should have ended. ``None`` if all steps are right.
    """
    expected = rule(M, picks)
    wrong = np.flatnonzero(expected != np.append(picks, len(M)))
    return (int(wrong[0]), int(expected[wrong[0]])) if len(wrong) else None


def one_by_one(
    picks: list[int],
    margins: Callable[[Picks], Array],
    rule: Rule,
    state: Callable[[int], str],
    margin: str = "y(w·x)",
) -> str | None:
    """Describe the first wrong step of a run in words; None if all are right.

    ``margins(picks)`` are those before each step and at the end; ``state(t)`` describes what
    the run has reached after t updates.
    """
    n = margins(np.array([], dtype=np.int64)).shape[0]
    looked_at = np.array(picks[: enough(n)], dtype=np.int64)
    M = margins(looked_at)
    fault = first_fault(M, looked_at, rule)
    if fault is None:
        return None
    t, sample = fault
    yours = f"corrects X[{picks[t]}]" if t < len(picks) else "ends"
    should = (
        "No mistake is left, so the run should end here"
        if sample == len(M)
        else f"In turn, X[{sample}] comes next"
        if rule is in_turn
        else f"The smallest is that of X[{sample}], which comes next"
    )
    end = " A run ends only when no mistake is left." if t == len(picks) else ""
    wrong = "missing" if t == len(picks) else "one too many" if sample == len(M) else "wrong"
    so_far = (
        f"The picks so far are right: {shortened(picks[:t])}. They lead to"
        if t
        else "The run starts with"
    )
    return (
        f"update {t + 1} is {wrong}.\n"
        f"{so_far} {state(t)},\n"
        f"and {margin} is {shortened(M[:, t].tolist())}.\n"
        f"{should}; your run {yours}.{end}"
    )


def enough(n: int) -> int:
    """Return how many updates of a run on n samples are inspected."""
    return max(UPDATES, MARGINS // n)


def shortened(values: list[Any], most: int = 16) -> str:
    """Shorten a long list to its end."""
    tail = ", ".join(map(written, values[-most:]))
    return f"({len(values) - most} more, then) {tail}" if len(values) > most else tail
