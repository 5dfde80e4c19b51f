"""Checks of Pocket and of what an experiment with noise needs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from perceptron_notes.checks import samples
from perceptron_notes.checks.answers import Misfit, indices, parts, vector, whole, written
from perceptron_notes.checks.check import Arguments, Check, Seeded
from perceptron_notes.checks.slips import noise as slips
from perceptron_notes.data import Array, Labels
from perceptron_notes.learning import corrections
from perceptron_notes.model import error_count
from perceptron_notes.pocketing import pocket
from perceptron_notes.rules import Look, PickRule

__all__ = ["BEST_LINE", "FLIP_LABELS", "POCKET", "SPLIT"]

Rng = np.random.Generator
Draws = Labels


#: (n, k): how many samples there are, and how many are to be chosen. The last ones are so many
#: that no fair choice looks regular.
CHOICES = ((1, 0), (1, 1), (2, 1), (3, 0), (3, 3), *((n, n // 2) for n in range(2, 20)), (60, 30))


def draw_labels_to_flip(rng: Rng) -> Iterator[Arguments]:
    """Labels, and how many of them to turn round."""
    for n, k in CHOICES:
        y = samples.any_labels(rng, n) if n < 60 else rng.permutation(np.repeat([-1, 1], n // 2))
        yield {"y": y, "k": k, "rng": Seeded(int(rng.integers(2**32)))}


def regular(chosen: set[int], n: int) -> bool:
    """Whether half of many samples lie all on one side, or every other one was taken."""
    halves = [set(range(n // 2)), set(range(n // 2, n)), set(range(0, n, 2)), set(range(1, n, 2))]
    return n >= 60 and chosen in halves


def judge_flip(got: Any, y: Labels, k: int, rng: Seeded) -> str | None:
    """Exactly k labels turned round, at places that chance has chosen."""
    flipped = vector(got, "the answer", len(y))
    for i, value in enumerate(flipped):
        if value not in (-1, 1):
            return f"label {i} is {written(value)}; labels are -1 or +1."
    changed = {i for i in range(len(y)) if flipped[i] != y[i]}
    if len(changed) != k:
        return f"{len(changed)} labels have changed; expected exactly {k}."
    if regular(changed, len(y)) or (len(y) >= 60 and len({y[i] for i in changed}) == 1):
        return (
            "the flipped labels are no random choice.\n"
            f"They are those of samples {written(sorted(changed))}."
        )
    return None


FLIP_LABELS = Check(
    "flip_labels",
    "flip_labels(y, k, rng) -> labels",
    draw_labels_to_flip,
    judge_flip,
    slips.FLIP_LABELS,
)


def draw_sizes(rng: Rng) -> Iterator[Arguments]:
    """How many samples there are, and how many are for testing."""
    for n, k in CHOICES:
        yield {"n": n, "k": k, "rng": Seeded(int(rng.integers(2**32)))}


def judge_split(got: Any, n: int, k: int, rng: Seeded) -> str | None:
    """Each sample on one side, k of them in the test, chosen by chance."""
    train, test = parts(got, "train", "test")
    train, test = indices(train, "train", n), indices(test, "test", n)
    for name, side, size in (("train", train, n - k), ("test", test, k)):
        twice = next((i for i in side if side.count(i) > 1), None)
        if twice is not None:
            return f"sample {twice} is in {name} more than once."
        if len(side) != size:
            return f"{name} has {len(side)} samples; expected {size}."
    both = sorted({*train} & {*test})
    if both:
        return f"sample {both[0]} is in both parts."
    if regular({*test}, n):
        return f"the test samples are no random choice.\nThey are {written(sorted(test))}."
    return None


SPLIT = Check(
    "split",
    "split(n, k, rng) -> (train, test)",
    draw_sizes,
    judge_split,
    slips.SPLIT,
)


def draw_noisy(rng: Rng) -> Iterator[Arguments]:
    """Samples of which some have a wrong label, and the draws of the run."""
    for n, d in samples.SIZES:
        X, y = samples.separable(rng, n, d)
        noisy = np.where(rng.random(n) < 0.2, -y, y)
        yield {"X": X, "y": noisy, "draws": rng.integers(n, size=6 * n)}
    X, y = samples.separable(rng, 30, 3)
    noisy = np.where(rng.random(30) < 0.15, -y, y)
    yield {"X": X, "y": noisy, "draws": rng.integers(30, size=600)}


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
    data = samples.dataset(X, y)
    run = corrections(data, np.zeros(X.shape[1]), drawn(draws), rate=1.0)
    steps = list(pocket(data, run))
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


POCKET = Check(
    "pocket",
    "pocket(X, y, draws) -> (w, errors)",
    draw_noisy,
    judge_pocket,
    slips.POCKET,
)


def draw_line(rng: Rng) -> Iterator[Arguments]:
    """Points on a line, many of them equal, with any labels."""
    for n in (1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 12, 15, 20):
        x = rng.integers(-3, 4, size=n) / rng.choice([1, 2, 4])
        if rng.random() < 0.3:
            x = x + 5
        yield {"x": x, "y": samples.any_labels(rng, n)}


def errors_on_line(w: list[Any], x: Array, y: Labels) -> int:
    """The mistakes of two weights, without rounding."""
    try:
        w0, w1 = map(Fraction, w)
    except (ValueError, OverflowError):
        raise Misfit(f"w is {written(w)}; expected finite numbers.") from None
    return sum(int(b) * (w0 + w1 * Fraction(a)) <= 0 for a, b in zip(x.tolist(), y, strict=True))


def judge_best_line(got: Any, x: Array, y: Labels) -> str | None:
    """Any of the best weights, with their true number of mistakes."""
    w, errors = parts(got, "w", "errors")
    w, errors = vector(w, "w", 2), whole(errors, "errors")
    made, fewest = errors_on_line(w, x, y), slips.best_of(slips.lines(x), x, y)[1]
    if made != errors:
        return f"your w = {written(w)} makes {made} mistakes; you say {errors}."
    if made > fewest:
        return f"your w = {written(w)} makes {made} mistakes; {fewest} can be reached."
    return None


BEST_LINE = Check(
    "best_line",
    "best_line(x, y) -> (w, errors)",
    draw_line,
    judge_best_line,
    slips.BEST_LINE,
)
