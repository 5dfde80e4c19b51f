"""Checks of online learning: the average of a run, and the bound for inseparable data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import sqrt

import numpy as np

from perceptron_classroom.answers import exact, parts, vector, whole, written
from perceptron_classroom.checks import samples
from perceptron_classroom.checks.check import Arguments, Array, Check, Labels
from perceptron_classroom.checks.rounding import apart
from perceptron_classroom.checks.slips import online as slips
from perceptron_notes.data import augment
from perceptron_notes.learning import last, pla
from perceptron_notes.online import Deviations, average, deviations

__all__ = ["AVERAGED", "MISTAKE_BOUND"]

Rng = np.random.Generator

#: From this margin on, every bound just below a whole number is one that floats get wrong.
LARGE = 10**7


def in_passes(
    draw: Callable[[Rng], Iterator[Arguments]], least: int, most: int, noise: float = 0.0
) -> Callable[[Rng], Iterator[Arguments]]:
    """Draw the same samples, some with random labels, and a number of passes."""

    def drawn(rng: Rng) -> Iterator[Arguments]:
        for arguments in draw(rng):
            if rng.random() < noise:
                arguments["y"] = samples.any_labels(rng, len(arguments["y"]))
            yield {**arguments, "passes": int(rng.integers(least, most))}

    return drawn


def draw_long_passes(rng: Rng) -> Iterator[Arguments]:
    """Draw many samples; few samples and thousands of passes, of which the last change nothing."""
    yield from in_passes(samples.many, 12, 25, noise=0.5)(rng)
    for least, most, passes in ((4, 8, 600), (30, 34, 3000)):
        X, y = samples.far_from_zero(rng, least, most)
        yield {"X": X, "y": y, "passes": passes + int(rng.integers(100))}


def judge_averaged(got: object, X: Array, y: Labels, passes: int) -> str | None:
    """Judge the weights at the end exactly, and their average up to rounding."""
    w, mean = parts(got, "w", "average")
    w, mean = vector(w, "w", X.shape[1]), vector(mean, "the average", X.shape[1])
    data, rounds = samples.dataset(X, y), passes * len(y)
    end = last(average(data, pla(data)), passes=passes)
    if w != end.w.tolist():
        return (
            "the weights after the last round are wrong.\n"
            f"Expected w = {written(end.w)}, got {written(w)}. Mistakes on the way: {end.t}."
        )
    right = end.after(rounds)
    if apart(mean, right.tolist(), 1 + float(np.abs([end.w, right]).max())) is None:
        return None
    return (
        "the weights at the end are right, but their average is not.\n"
        f"Over {rounds} round{'s' * (rounds > 1)} expected {written(right)}, got {written(mean)}."
    )


AVERAGED = Check(
    "averaged",
    "averaged(X, y, passes) -> (w, average)",
    {
        "small": in_passes(samples.small, 1, 7, noise=0.5),
        "close": in_passes(samples.ties, 2, 6),
        "long": draw_long_passes,
    },
    judge_averaged,
    slips.AVERAGED,
)


def draw_rounds(rng: Rng) -> Iterator[Arguments]:
    """Draw a few samples of whole numbers, and some weights with a margin to ask of them."""
    for n, d in samples.SIZES:
        yield {
            "X": augment(rng.integers(-3, 4, size=(n, d))).astype(np.int64),
            "y": samples.any_labels(rng, n),
            "u": rng.integers(-3, 4, size=d + 1),
            "m": int(rng.integers(1, 6)),
        }


def draw_many_rounds(rng: Rng) -> Iterator[Arguments]:
    """Draw many samples, with numbers of several digits."""
    for n, d in samples.LARGE:
        X, u = augment(rng.integers(-999, 1000, size=(n, d))), rng.integers(-99, 100, size=d + 1)
        yield {
            "X": X.astype(np.int64),
            "y": np.where(rng.random(n) < 0.2, -1, 1) * np.where(X @ u > 0, 1, -1),
            "u": u,
            "m": int(rng.integers(1000, 60_000)),
        }


def draw_narrow(rng: Rng) -> Iterator[Arguments]:
    """Draw cases where the bound is a whole number, or slightly less, or slightly more."""
    for size in (3, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000):
        for sign in (-1, 0, 0, 0, 1):  # rounding easily misses a whole number
            found = False
            while not found:
                arguments = narrow(rng, size, sign)
                fools = fools_floats if sign else fools_float_root
                found = size < LARGE or sign > 0 or fools(**arguments)
            yield arguments


def narrow(rng: Rng, size: int, sign: int) -> Arguments:
    """Construct R²‖u‖² = g a² + 2 sign and H = g j (jm − a), with ‖u‖² = 2 and a near jm.

    So km − H and √k R‖u‖ are both g j a for k = g j², apart from the sign. Four samples have
    deviations whose sum is H. The fifth one is as long as R must be, thanks to coordinates where
    u is 0.
    """
    u0, g = int(rng.choice([-1, 1])), int(rng.choice([2, 3, 5, 6, 7]))
    m, j = int(rng.integers(size, 2 * size)), int(rng.integers(9, 16))
    a = (j * m - m // 8 - 1) // 2 * 2
    H, R2 = g * j * (j * m - a), g * a * a // 2 + sign
    y = rng.choice([-1, 1], size=5)
    missed = rng.multinomial(H, [1 / 4] * 4).tolist()
    points = np.zeros((5, 5), dtype=np.int64)
    points[:4, 0] = [label * (m - d) - u0 for label, d in zip(y, missed, strict=False)]
    along = int(y[4]) * (m + int(rng.integers(4))) - u0
    points[4] = [along, *samples.four_squares(R2 - 1 - along**2)]
    order, places = rng.permutation(5), rng.permutation(5)
    return {
        "X": augment(points[order][:, places]).astype(np.int64),
        "y": y[order],
        "u": np.array([u0, *np.eye(5, dtype=np.int64)[0][places]]),
        "m": m,
    }


def measured(X: Array, y: Labels, u: Array, m: int) -> Deviations:
    """Return the deviations and the bound, without rounding."""
    return deviations(samples.dataset(X, y), u.tolist(), m)


def parts_of(X: Array, y: Labels, u: Array, m: int) -> tuple[int, int, int]:
    """Return B = R²‖u‖², C = B + 4mH and the bound, which is (√B + √C)²/(2m)², rounded down."""
    found = measured(X, y, u, m)
    B, C = (int(root * (2 * m) ** 2) for root in found.roots)
    return B, C, found.bound


def fools_floats(X: Array, y: Labels, u: Array, m: int) -> bool:
    """Return whether floats give another whole number, with two roots or with one."""
    B, C, k = parts_of(X, y, u, m)
    two, one, M = sqrt(B) + sqrt(C), B + C + 2 * sqrt(B * C), 2 * m
    return all(int(value) != k for value in ((two / M) ** 2, two**2 / M**2, one / M**2))


def fools_float_root(X: Array, y: Labels, u: Array, m: int) -> bool:
    """Return whether it matters that 2√(BC) is exact, if everything else is."""
    B, C, k = parts_of(X, y, u, m)
    return (B + C + int(2 * sqrt(B * C))) // (2 * m) ** 2 != k


def judge_mistake_bound(got: object, X: Array, y: Labels, u: Array, m: int) -> str | None:
    """Judge each deviation, then the bound."""
    found, bound = parts(got, "d", "k")
    right = measured(X, y, u, m)
    for n, d in enumerate(exact(vector(found, "d", len(y)), "d")):
        if d != right.d[n]:
            margin = int(y[n] * (u @ X[n]))
            return (
                f"d[{n}] is {written(found[n])}; expected {right.d[n]}.\n"
                f"For X[{n}], m = {m} and y(u·x) = {margin}."
            )
    if (k := whole(bound, "k")) == right.bound:
        return None
    return (
        f"the deviations are right, but k is {written(Fraction(k))}; expected {right.bound}.\n"
        f"R² = {right.R2}, ‖u‖² = {int(u @ u)}, H = {right.H}, m = {m}."
    )


MISTAKE_BOUND = Check(
    "mistake_bound",
    "mistake_bound(X, y, u, m) -> (d, k)",
    {"small": draw_rounds, "many": draw_many_rounds, "narrow": draw_narrow},
    judge_mistake_bound,
    slips.MISTAKE_BOUND,
)
