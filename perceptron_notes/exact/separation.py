"""Do weights separate the samples, and how well? Floats propose, whole numbers decide."""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from perceptron_notes._kit.values import Array, frozen
from perceptron_notes.data import Dataset
from perceptron_notes.exact.hull import Progress, nearest_exactly, nearest_in_floats
from perceptron_notes.exact.numbers import (
    Indices,
    Vector,
    Vectors,
    direction,
    fractions,
    least_margin,
    norm2,
    primitive,
    quotient,
    root,
    show,
    small_margins,
)

#: Where columns' largest numbers differ by more than 2⁴⁰, a search in their own units takes long.
_FAR_APART = 40


class Apart(NamedTuple):
    """Weights that separate with the largest margin, as floats and unrounded, and the margin."""

    w: Array
    rho: float
    exact: Vector


class Meeting(NamedTuple):
    """Samples whose vectors yx, with these weights, have the sum 0."""

    samples: tuple[int, ...]
    weights: Vector


def decide(data: Dataset, progress: Progress | None = None) -> Apart | Meeting:
    """Decide whether weights separate, from the point of the hull of the vectors yx nearest to 0.

    The answer is verified, including that no margin is larger. `progress` is called with a
    sentence that says how far the search has come.
    """
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is {progress!r}; expected a function of a sentence, or None")
    report = progress or silent
    if (even := _in_even_units(data)) and (meeting := _meeting(even, report)):
        return meeting
    S, weights, far = nearest_in_floats(data, report)
    if far:
        S, weights, point = nearest_exactly(data, S, weights, report, refined=True)
        if found := _in_floats(data, point):
            return found
    S, weights, point = nearest_exactly(data, S, weights, report)
    if not any(point):
        return _of(S, weights)
    return _in_floats(data, point) or _too_thin(data, fractions(primitive(point)[0]))


def _in_even_units(data: Dataset) -> Vectors | None:
    """Return the samples with each column in a unit of its own, where those given are far apart.

    Whether weights separate does not depend on units, nor do samples that cancel; the margin does.
    """
    largest = np.abs(data.X).max(axis=0)
    exponents = np.frexp(largest)[1]
    there = exponents[largest > 0]
    if not len(there) or np.ptp(there) <= _FAR_APART:
        return None
    X = np.ldexp(data.X, -exponents)
    return Vectors(X, data.y) if np.array_equal(np.ldexp(X, exponents), data.X) else None


def _meeting(vectors: Vectors, report: Progress) -> Meeting | None:
    """Return samples that cancel, if floats find any and whole numbers confirm it, else None."""
    S, weights, far = nearest_in_floats(vectors, report)
    if far:
        return None
    S, weights, point = nearest_exactly(vectors, S, weights, report)
    return None if any(point) else _of(S, weights)


def _of(S: Indices, weights: Vector) -> Meeting:
    """Return samples and their weights in the order of the samples."""
    order = np.argsort(S)
    return Meeting(tuple(S[order].tolist()), tuple(weights[i] for i in order))


def silent(sentence: str) -> None:
    """Ignore a report."""


def _in_floats(data: Dataset, point: Vector) -> Apart | None:
    """Return floats in the direction of a point of the hull, if they separate well enough."""
    for w in _readable(point) if any(point) else ():
        # No margin exceeds the norm of a point of the hull.
        if found := _apart(data, w, norm2(point)):
            return found
    return None


def _readable(point: Vector) -> Iterator[Vector]:
    """Yield float weights in the direction of a point, the most readable first.

    The point is known to 30 digits, so they are the same on every machine.
    """
    largest = max(map(abs, point))
    for size, gap in ((1000, Fraction(1, 2**40)), (2**40, Fraction(1, 2**90))):
        ratios = [(a / largest).limit_denominator(size) for a in point]
        short = primitive(ratios)[0]
        near = all(abs(r - a / largest) < gap for r, a in zip(ratios, point, strict=True))
        if near and max(map(abs, short)) < 2**53:
            yield fractions(short)
    square = norm2(point)
    unit = np.array([quotient(*(a / square).as_integer_ratio()) for a in point])
    yield from (fractions(w) for w in (unit, *_turned(point)) if np.isfinite(w).all())


def _turned(point: Vector) -> Iterator[Array]:
    """Yield floats in the direction of k·p, which is that of p, but rounded differently."""
    numbers = primitive(point)[0]
    yield from (direction([k * a for a in numbers]) for k in range(1, 32, 2))


def _apart(data: Dataset, w: Vector, most: Fraction) -> Apart | None:
    """Return these weights, if they separate with a margin of √most, to 8 digits."""
    least = least_margin(data, w)[1]
    rho2 = least**2 / norm2(w)
    if least <= 0 or rho2 < most * (1 - Fraction(1, 10**8)):
        return None
    return Apart(frozen(np.array(list(map(float, w)))), root(rho2), w)


def _too_thin(data: Dataset, point: Vector) -> Apart:
    """Return the nearest point itself as exact weights, where no floats separate well enough."""

    def rho2(w: Vector) -> Fraction:
        least = least_margin(data, w)[1]
        return least * abs(least) / norm2(w)

    near = max(map(fractions, _turned(point)), key=rho2)
    return Apart(frozen(np.array(list(map(float, near)))), root(rho2(point)), point)


def positive_margin(data: Dataset, w: Vector, name: str) -> Fraction:
    """Return the least signed score; raise ValueError about a sample if it is ≤ 0."""
    m = least_margin(data, w)[1]
    if m <= 0:
        near, margins, unit = small_margins(data, w, mistakes=True)
        k = int(np.flatnonzero(margins <= 0)[0])
        raise ValueError(
            f"{name} does not separate: X[{near[k]}], label {data.y[near[k]]:+d}, "
            f"has y {name}·x = {show(int(margins[k]) * unit)}; expected > 0"
        )
    return m
