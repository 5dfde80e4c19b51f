"""Checks of the model: the leading 1, decisions, mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from perceptron_classroom.answers import indices, matrix, vector, written
from perceptron_classroom.checks import samples
from perceptron_classroom.checks.check import Arguments, Array, Check, Labels
from perceptron_classroom.checks.slips import model as slips
from perceptron_notes import data, model

__all__ = ["AUGMENT", "MISTAKES", "PREDICT"]

Rng = np.random.Generator


def judge_augment(got: Any, points: Array) -> str | None:
    """Judge entry by entry."""
    X = data.augment(points)
    for k, row in enumerate(matrix(got, "X", *X.shape)):
        if row != X[k].tolist():
            return f"row {k} of X is {written(row)}; expected {written(X[k])}."
    return None


def draw_digits(rng: Rng) -> Iterator[Arguments]:
    """Draw points of more digits than single precision holds, one of them next to the origin."""
    for n, d in samples.LARGE:
        points = rng.integers(-(2**40), 2**40, size=(n, d)) / 2**20
        points[rng.integers(n)] = 2.0**-45
        yield {"points": points}


AUGMENT = Check(
    "augment",
    "augment(points) -> X",
    {**samples.point_groups, "many": draw_digits},
    judge_augment,
    slips.AUGMENT,
)


def draw_scored(rng: Rng) -> Iterator[Arguments]:
    """Draw weights and samples; many scores are 0."""
    for n, d in samples.SIZES:
        X = samples.grid(rng, n, d)
        yield {"w": samples.weights(rng, d) * (rng.random() > 0.1), "X": X}


def draw_close(rng: Rng) -> Iterator[Arguments]:
    """Draw scores close to 0, at every scale, beside 0: each kind with either label."""
    kinds = [(side, label) for side in (-1, 0, 1) for label in (-1, 1)]
    for gap in samples.CLOSE:
        more = rng.choice(kinds, size=int(rng.integers(4)))
        side, y = rng.permutation(np.vstack([kinds, more])).T
        d = int(rng.integers(1, 4))
        X, w = samples.grid(rng, len(y), d), samples.weights(rng, d)
        w[-1] = rng.choice([-2, -1, 1, 2])
        X[:, -1] -= X @ w / w[-1]
        X[:, -1] += side * samples.snapped(gap, 45)
        yield {"w": w, "X": X, "y": y}


def draw_many(rng: Rng) -> Iterator[Arguments]:
    """Draw many samples."""
    for n, d in samples.LARGE:
        yield {"w": samples.weights(rng, d), "X": samples.grid(rng, n, d)}


def without_labels(rng: Rng) -> Iterator[Arguments]:
    """Draw the same for a function that gets no labels."""
    for arguments in draw_close(rng):
        yield {"w": arguments["w"], "X": arguments["X"]}


def judge_predict(got: Any, w: Array, X: Array) -> str | None:
    """Judge sample by sample."""
    scores, signs = model.score(w, X), model.predict(w, X).tolist()
    for i, value in enumerate(vector(got, "the answer", len(X))):
        if value != signs[i]:
            return (
                f"the prediction of X[{i}] is wrong.\n"
                f"Its score is {written(scores[i])}: expected {signs[i]}, got {written(value)}."
            )
    return None


PREDICT = Check(
    "predict",
    "predict(w, X) -> signs",
    {"small": draw_scored, "close": without_labels, "many": draw_many},
    judge_predict,
    slips.PREDICT,
)


def with_labels(rng: Rng) -> Iterator[Arguments]:
    """Draw small data with labels that have nothing to do with the weights."""
    for arguments in draw_scored(rng):
        yield {**arguments, "y": samples.any_labels(rng, len(arguments["X"]))}


def with_wrong_ends(rng: Rng) -> Iterator[Arguments]:
    """Draw many samples, of which the first or the last is sure to be a mistake."""
    for k, (w, X) in enumerate(arguments.values() for arguments in draw_many(rng)):
        y = samples.any_labels(rng, len(X))
        y[-(k % 2)] = -1 if X[-(k % 2)] @ w > 0 else 1
        yield {"w": w, "X": X, "y": y}


def judge_mistakes(got: Any, w: Array, X: Array, y: Labels) -> str | None:
    """Judge the mistakes as an increasing list."""
    margins = y * model.score(w, X)
    found, expected = indices(got, "the answer", len(y)), np.flatnonzero(margins <= 0).tolist()
    for i in range(len(y)):
        if (i in found) != (i in expected):
            return (
                f"X[{i}] is {'not ' * (i in found)}a mistake.\n"
                f"It has y(w·x) = {written(margins[i])}. "
                f"Expected {written(expected)}, got {written(found)}."
            )
    if found != expected:
        return (
            f"the samples are right, but their order is not: expected {written(expected)}, "
            f"got {written(found)}."
        )
    return None


MISTAKES = Check(
    "mistakes",
    "mistakes(w, X, y) -> indices",
    {"small": with_labels, "close": draw_close, "many": with_wrong_ends},
    judge_mistakes,
    slips.MISTAKES,
)
