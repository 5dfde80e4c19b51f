"""Check of backpropagation: the slopes of a network with one hidden layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from perceptron_classroom.answers import matrix, parts, vector, written
from perceptron_classroom.checks import samples
from perceptron_classroom.checks.check import Arguments, Array, Check, Labels
from perceptron_classroom.checks.rounding import apart
from perceptron_classroom.checks.slips import networks as slips
from perceptron_notes.networks import Network
from perceptron_notes.networks import gradient as slopes

__all__ = ["GRADIENT"]

Rng = np.random.Generator


def network_case(rng: Rng, units: int, X: Array, size: int = 16) -> Arguments:
    """Draw weights in eighths for this many hidden units, and arbitrary labels."""
    return {
        "V": rng.integers(-size, size + 1, size=(units, X.shape[1])) / 8,
        "w": rng.integers(-size, size + 1, size=units + 1) / 8,
        "X": X,
        "y": samples.any_labels(rng, len(X)),
    }


def draw_small(rng: Rng) -> Iterator[Arguments]:
    """Draw a few samples and one to four hidden units."""
    for k, (n, d) in enumerate(samples.SIZES):
        yield network_case(rng, 1 if k < 4 else int(rng.integers(1, 5)), samples.grid(rng, n, d))


def draw_many(rng: Rng) -> Iterator[Arguments]:
    """Draw many samples and up to twenty hidden units, as many as inputs among them."""
    for (n, d), units in zip(samples.LARGE, (3, 5, 20, 9), strict=True):
        X = samples.grid(rng, n, d)
        X[:, 1:] /= 4  # where the hidden units are not yet flat
        yield network_case(rng, units, X, 8)


def draw_steep(rng: Rng) -> Iterator[Arguments]:
    """Draw scores of hundreds and thousands, where exp overflows."""
    for n, d in ((1, 1), (2, 2), (6, 2), (12, 3), (30, 2)):
        arguments = network_case(rng, int(rng.integers(2, 5)), samples.grid(rng, n, d))
        arguments["w"] = rng.choice([-1, 1], size=len(arguments["w"])) * 2.0 ** rng.integers(
            8, 13, size=len(arguments["w"])
        )
        yield arguments


def judge_gradient(got: Any, V: Array, w: Array, X: Array, y: Labels) -> str | None:
    """Judge entry by entry, first the output unit."""
    dV, dw = parts(got, "dV", "dw")
    rows, last = matrix(dV, "dV", *V.shape), vector(dw, "dw", len(w))
    hidden, output = slopes(Network([V, w[None]]), samples.dataset(X, y))
    # The terms of the sums are no larger than the inputs times the weights behind them.
    scale = 1 + float(np.abs(X).max() * np.abs(w).max())
    if (k := apart(last, output[0].tolist(), scale)) is not None:
        return (
            f"dw[{k}] is {written(last[k])}; expected {written(output[0, k])}.\n"
            f"All of it: expected {written(output[0])}, got {written(last)}."
        )
    for k, row in enumerate(rows):
        if (j := apart(row, hidden[k].tolist(), scale)) is not None:
            return (
                f"dw is right; dV[{k}, {j}] is {written(row[j])}; "
                f"expected {written(hidden[k, j])}.\n"
                f"Row {k}: expected {written(hidden[k])}, got {written(row)}."
            )
    return None


GRADIENT = Check(
    "gradient",
    "gradient(V, w, X, y) -> (dV, dw)",
    {"small": draw_small, "many": draw_many, "steep": draw_steep},
    judge_gradient,
    slips.GRADIENT,
)
