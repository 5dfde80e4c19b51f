"""Check of Pegasos: the weights after some looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_classroom.answers import vector, written
from perceptron_classroom.checks import samples
from perceptron_classroom.checks.check import Arguments, Array, Check, Labels
from perceptron_classroom.checks.rounding import apart
from perceptron_classroom.checks.slips import margins as slips
from perceptron_notes import margins

__all__ = ["PEGASOS"]

Rng = np.random.Generator
Visits = npt.NDArray[np.int64]

#: No margin is nearer to 1 than this, unless it is 1 and any correct program gets it exactly.
ROOM = 1e-6


def clear(arguments: Arguments) -> bool:
    """Return whether rounding decides nothing: margins are 1 at the second look, or far from 1."""
    X, y, kappa, visits = arguments.values()
    exact = np.log2(kappa).is_integer()
    for t, w, i, _ in margins.pegasos(samples.dataset(X, y), kappa, visits):
        if i is not None and abs(float(y[i] * (w @ X[i])) - 1) < ROOM and not (exact and t < 3):
            return False
    return True


def clear_case(rng: Rng, X: Array, y: Labels, kappa: float, looks: int) -> Arguments | None:
    """Draw visits whose outcome rounding cannot change; None if none are found soon."""
    for _ in range(20):
        visits = rng.integers(len(y), size=looks)
        arguments = {"X": X, "y": y, "kappa": kappa, "visits": visits}
        if clear(arguments):
            return arguments
    return None


def draw_small(rng: Rng) -> Iterator[Arguments]:
    """Draw a few samples and looks; many margins are 1, and then the sample is added."""
    for k, (n, d) in enumerate(samples.SIZES):
        found = None
        while found is None:
            X, y = samples.grid(rng, n, d), samples.any_labels(rng, n)
            kappa = float(2.0 ** -rng.integers(0, 5))
            found = clear_case(rng, X, y, kappa, 1 + k // 3)
        yield found


def draw_ties(rng: Rng) -> Iterator[Arguments]:
    """Draw samples of which the second look finds a margin of exactly 1, or next to it."""
    gaps = [side * samples.snapped(gap, 40) for gap in samples.CLOSE[7:] for side in (-1, 1)]
    for e, gap in enumerate([*[0.0] * 12, *gaps]):
        # After one look w is y x/κ; the next sample has the score ±κ with y x, or nearly so.
        a, kappa = float(rng.choice([-1, 1]) * 2.0 ** rng.integers(0, 3)), 2.0 ** -(e % 5)
        s, first = rng.choice([-1, 1], size=2)
        X = np.array([[1.0, a], [1.0, (s * kappa * (1 + gap) - 1) / a]])
        y, order = np.array([first, s * first]), rng.permutation(2)
        visits = np.argsort(order)[[0, 1]]
        yield {"X": X[order], "y": y[order], "kappa": float(kappa), "visits": visits}


def draw_many_looks(rng: Rng) -> Iterator[Arguments]:
    """Draw up to 300 samples, and thousands of looks."""
    for (n, d), looks in zip(samples.LARGE, (100, 500, 1500, 4000), strict=True):
        found = None
        while found is None:
            X, y = samples.large(rng, n, d)
            y = np.where(rng.random(len(y)) < 0.1, -y, y)
            found = clear_case(rng, X, y, float(rng.integers(100, 2000)) / 10_007, looks)
        yield found


def judge_pegasos(got: Any, X: Array, y: Labels, kappa: float, visits: Visits) -> str | None:
    """Judge the weights after the last look."""
    w = vector(got, "w", X.shape[1])
    *before, end = margins.pegasos(samples.dataset(X, y), kappa, visits)
    right = end.w
    if apart(w, right.tolist(), 1 + float(np.abs(right).max())) is None:
        return None
    *_, (t, old, i, corrects) = before
    assert i is not None
    return (
        "the weights after the last look are wrong.\n"
        f"Expected w = {written(right)}, got {written(w)}.\n"
        f"The last look, t = {t + 1}, is at X[{i}]. Before it w = {written(old)}, with "
        f"y(w·x) = {written(y[i] * (old @ X[i]))}, so the sample is "
        f"{'added' if corrects else 'not added'}."
    )


PEGASOS = Check(
    "pegasos",
    "pegasos(X, y, kappa, visits) -> w",
    {"small": draw_small, "ties": draw_ties, "many": draw_many_looks},
    judge_pegasos,
    slips.PEGASOS,
)
