"""Checks of the model: the leading 1, decisions, mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from perceptron_notes import data, model
from perceptron_notes.checks import samples
from perceptron_notes.checks.answers import indices, matrix, vector, written
from perceptron_notes.checks.check import Arguments, Check
from perceptron_notes.checks.slips import model as slips
from perceptron_notes.data import Array, Labels

__all__ = ["AUGMENT", "MISTAKES", "PREDICT"]

Rng = np.random.Generator


def judge_augment(got: Any, points: Array) -> str | None:
    """Entry by entry."""
    X = data.augment(points)
    for k, row in enumerate(matrix(got, "X", *X.shape)):
        if row != X[k].tolist():
            return f"row {k} of X is {written(row)}; expected {written(X[k])}."
    return None


AUGMENT = Check(
    "augment",
    "augment(points) -> X",
    samples.points,
    judge_augment,
    slips.AUGMENT,
)


def draw_scored(rng: Rng) -> Iterator[Arguments]:
    """Weights and samples; many scores are 0."""
    for n, d in samples.SIZES:
        X = samples.grid(rng, n, d)
        yield {"w": samples.weights(rng, d) * (rng.random() > 0.1), "X": X}


def judge_predict(got: Any, w: Array, X: Array) -> str | None:
    """Sample by sample."""
    scores, signs = model.score(w, X), model.predict(w, X)
    for i, value in enumerate(vector(got, "the answer", len(X))):
        if value != signs[i]:
            return (
                f"the prediction of sample {i} is wrong.\n"
                f"Its score is {written(scores[i])}: expected {signs[i]}, got {written(value)}."
            )
    return None


PREDICT = Check(
    "predict",
    "predict(w, X) -> signs",
    draw_scored,
    judge_predict,
    slips.PREDICT,
)


def draw_labelled(rng: Rng) -> Iterator[Arguments]:
    """Weights, samples and labels that have nothing to do with each other."""
    for arguments in draw_scored(rng):
        yield {**arguments, "y": samples.any_labels(rng, len(arguments["X"]))}


def judge_mistakes(got: Any, w: Array, X: Array, y: Labels) -> str | None:
    """As an increasing list."""
    margins = y * model.score(w, X)
    found, expected = indices(got, "the answer", len(y)), np.flatnonzero(margins <= 0).tolist()
    for i in range(len(y)):
        if (i in found) != (i in expected):
            return (
                f"sample {i} is {'no ' if i in found else 'a '}mistake.\n"
                f"It has y(w·x) = {written(margins[i])}. "
                f"Expected {written(expected)}, got {written(found)}."
            )
    if found != expected:
        return f"the samples are right, not their order: expected {expected}, got {found}."
    return None


MISTAKES = Check(
    "mistakes",
    "mistakes(w, X, y) -> indices",
    draw_labelled,
    judge_mistakes,
    slips.MISTAKES,
)
