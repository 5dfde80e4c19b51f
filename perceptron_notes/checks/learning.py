"""Checks of PLA: every pick of a run, and the weights at its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from perceptron_notes.checks import runs, samples
from perceptron_notes.checks.answers import indices, parts, vector, written
from perceptron_notes.checks.check import Arguments, Check
from perceptron_notes.checks.slips import learning as slips
from perceptron_notes.data import Array, Labels

__all__ = ["PLA", "PLA_WORST"]

Rng = np.random.Generator


def draw_separable(rng: Rng) -> Iterator[Arguments]:
    """Data that can be separated; the last ones need thousands of updates."""
    for n, d in samples.SIZES:
        X, y = samples.separable(rng, n, d)
        yield {"X": X, "y": y}
    X, y = samples.far_from_zero(rng)
    yield {"X": X, "y": y}


def judge_run(got: Any, X: Array, y: Labels, rule: runs.Rule) -> str | None:
    """Every pick, and the weights at the end."""
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
        "the picks are right, the weights are not.\n"
        f"After {len(picks)} updates expected w = {written(weights(len(picks)))}, "
        f"got {written(w)}."
    )


def judge_pla(got: Any, X: Array, y: Labels) -> str | None:
    """PLA in turn."""
    return judge_run(got, X, y, runs.in_turn)


PLA = Check(
    "pla",
    "pla(X, y) -> (w, picks)",
    draw_separable,
    judge_pla,
    slips.PLA,
)


def judge_worst(got: Any, X: Array, y: Labels) -> str | None:
    """The smallest margin first, the lowest index among equals."""
    return judge_run(got, X, y, runs.smallest)


PLA_WORST = Check(
    "pla_worst",
    "pla_worst(X, y) -> (w, picks)",
    draw_separable,
    judge_worst,
    slips.PLA_WORST,
)
