"""Checks of the third problem set: Pocket and noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from perceptron_notes.checks import samples
from perceptron_notes.checks.answers import parts, vector, whole, written
from perceptron_notes.checks.check import Arguments, Check, Slip
from perceptron_notes.checks.ps1 import dataset
from perceptron_notes.data import Array, Labels
from perceptron_notes.model import error_count
from perceptron_notes.pla import PickRule, pla
from perceptron_notes.pocket import pocket
from perceptron_notes.scan import Look

__all__ = ["CHECKS"]

Rng = np.random.Generator
Draws = Labels

# --------------------------------------------------------------------------------- Pocket


def draw_noisy(rng: Rng) -> Iterator[Arguments]:
    """Samples of which some have a wrong label, and the draws of the run."""
    for n, d in samples.SIZES:
        X, y = samples.separable(rng, n, d)
        noisy = np.where(rng.random(n) < 0.2, -y, y)
        yield {"X": X, "y": noisy, "draws": rng.integers(n, size=6 * n)}
    X, y = samples.separable(rng, 30, 3)
    noisy = np.where(rng.random(30) < 0.15, -y, y)
    yield {"X": X, "y": noisy, "draws": rng.integers(30, size=1500)}


def drawn(draws: Draws) -> PickRule:
    """The rule that takes the next draw that is a mistake, until the draws are used up."""
    k = 0

    def rule(look: Look, n: int, previous: int | None) -> int | None:
        nonlocal k
        i = look(k, len(draws), draws)
        if i is not None:
            k += int(np.argmax(draws[k:] == i)) + 1
        return i

    return rule


def judge_pocket(got: Any, X: Array, y: Labels, draws: Draws) -> str | None:
    """The first of the best weights, and how many mistakes they make."""
    w, errors = parts(got, "w", "errors")
    w, errors = vector(w, "w", X.shape[1]), whole(errors, "errors")
    data = dataset(X, y)
    steps = list(pocket(data, pla(data, drawn(draws))))
    end = steps[-1]
    if w == end.best.tolist():
        if errors == end.best_errors:
            return None
        return f"your w is right, but it makes {end.best_errors} mistakes; you say {errors}."
    floats = np.array(w, dtype=float)
    same = [step.step.t for step in steps if np.array_equal(step.step.w, floats)]
    t = next(step.step.t for step in steps if np.array_equal(step.step.w, end.best))
    where = (
        f"These are the weights after update {same[0]}, which make {error_count(floats, data)} "
        "mistakes."
        if same
        else f"The run does not come across these weights in its {end.step.t} updates."
    )
    return (
        f"expected w = {written(end.best)}, got {written(w)}.\n{where}\n"
        f"The expected ones come first with {end.best_errors} mistakes, after update {t}."
    )


def ratchet(
    X: Array,
    y: Labels,
    draws: Draws,
    *,
    wrong: Callable[[Array], Any] = lambda m: m <= 0,
    better: Callable[[int, int], bool] = lambda new, old: new < old,
    visit: Callable[[Array], Any] | None = None,
    end: bool = True,
) -> tuple[Array, int]:
    """Pocket with parts that can be got wrong; as it stands it is right."""
    visit = visit or wrong
    w: Array = np.zeros(X.shape[1])
    best, fewest = w, int(wrong(y * (X @ w)).sum())
    for i in draws:
        if visit(y[i] * (X[i] @ w)):
            if not end:  # looks before the update instead of after it
                errors = int(wrong(y * (X @ w)).sum())
                if better(errors, fewest):
                    best, fewest = w, errors
            w = w + y[i] * X[i]
            if end:
                errors = int(wrong(y * (X @ w)).sum())
                if better(errors, fewest):
                    best, fewest = w, errors
    return best, fewest


def last_weights(X: Array, y: Labels, draws: Draws) -> tuple[Array, int]:
    """No pocket: what PLA ends with."""
    return ratchet(X, y, draws, better=lambda new, old: True)


def not_copied(X: Array, y: Labels, draws: Draws) -> tuple[Array, int]:
    """The pocket holds the array that is changed in place: its own count, the last weights."""
    return last_weights(X, y, draws)[0], ratchet(X, y, draws)[1]


def corrects_all(X: Array, y: Labels, draws: Draws) -> tuple[Array, int]:
    """Right samples are corrected too."""
    return ratchet(X, y, draws, visit=lambda m: True)


def from_the_pocket(X: Array, y: Labels, draws: Draws) -> tuple[Array, int]:
    """The run goes on from the pocket, so that it never gets away from it."""
    w: Array = np.zeros(X.shape[1])
    for i in draws:
        if y[i] * (X[i] @ w) <= 0:
            new = w + y[i] * X[i]
            if (y * (X @ new) <= 0).sum() < (y * (X @ w) <= 0).sum():
                w = new
    return w, int((y * (X @ w) <= 0).sum())


def gallant_runs(X: Array, y: Labels, draws: Draws) -> tuple[Array, int]:
    """The weights with the longest run of right answers."""
    w: Array = np.zeros(X.shape[1])
    best, longest, run = w, 0, 0
    for i in draws:
        if y[i] * (X[i] @ w) <= 0:
            w, run = w + y[i] * X[i], 0
        else:
            run += 1
            if run > longest:
                best, longest = w, run
    return best, int((y * (X @ best) <= 0).sum())


POCKET = Check(
    "pocket",
    "pocket(X, y, draws) -> (w, errors)",
    draw_noisy,
    judge_pocket,
    (
        Slip("last weights", last_weights, "These are the last weights of the run, not the best."),
        Slip(
            "not copied",
            not_copied,
            "The pocket should hold a copy. With `w += …` the array in the pocket changes too; "
            "`w = w + …` makes a new one.",
        ),
        Slip(
            "misses the last weights",
            partial(ratchet, end=False),
            "The weights after the last update are never looked at.",
        ),
        Slip(
            "not worse",
            partial(ratchet, better=lambda new, old: new <= old),
            "New weights replace the old ones only if they make fewer mistakes, not as many.",
        ),
        Slip(
            "most mistakes",
            partial(ratchet, better=lambda new, old: new > old),
            "Your pocket keeps the weights with the most mistakes.",
        ),
        Slip(
            "strict",
            partial(ratchet, wrong=lambda m: m < 0),
            "A score of 0 is a mistake too: y(w·x) ≤ 0.",
        ),
        Slip(
            "counts strictly",
            partial(ratchet, wrong=lambda m: m < 0, visit=lambda m: m <= 0),
            "Where the mistakes are counted, a score of 0 is a mistake too.",
        ),
        Slip(
            "corrects what is right",
            corrects_all,
            "A draw that is no mistake is passed over.",
        ),
        Slip(
            "goes on from the pocket",
            from_the_pocket,
            "The run itself never goes back: Pocket only watches it.",
        ),
        Slip(
            "longest run",
            gallant_runs,
            "Your pocket compares how many draws in a row were right; here the mistakes on all "
            "samples are counted.",
        ),
        Slip(
            "right ones",
            lambda X, y, draws: (
                ratchet(X, y, draws)[0],
                len(y) - ratchet(X, y, draws)[1],
            ),
            "This is how many samples are right; expected how many are not.",
        ),
    ),
)

CHECKS = (POCKET,)
