"""Do weights separate the samples, and how well? Floats propose, whole numbers decide."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from perceptron_notes.data import Dataset
from perceptron_notes.exact.hull import Report, nearest_exactly, propose
from perceptron_notes.exact.numbers import (
    Indices,
    Vector,
    combination,
    direction,
    fractions,
    least_margin,
    norm2,
    primitive,
    root,
    show,
    small_margins,
)
from perceptron_notes.values import Array, frozen

__all__ = ["Apart", "Meeting", "decide", "positive_margin"]


class Apart(NamedTuple):
    """Weights that separate with the largest margin: floats, the margin, and without rounding."""

    w: Array
    rho: float
    exact: Vector


class Meeting(NamedTuple):
    """Samples whose vectors yx, with these weights, have the sum 0."""

    samples: tuple[int, ...]
    weights: Vector


def decide(data: Dataset, progress: Report | None = None) -> Apart | Meeting:
    """Whether weights separate, from the point of the hull of the vectors yx nearest to 0.

    Parameters
    ----------
    data : Dataset
        n samples.
    progress : callable, optional
        Told in a sentence how far the search is.

    Returns
    -------
    Apart or Meeting
        Verified, and that no margin is larger too.
    """
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is {progress!r}; expected a function of a sentence, or None")
    report = progress or silent
    S, guess, w = propose(data, report)
    weights = fractions(guess)
    total = sum(weights)
    weights = tuple(a / total for a in weights)
    return best_floats(data, S, weights, w) or without_rounding(data, S, weights, report)


def silent(sentence: str) -> None:
    """Report to nobody."""


def best_floats(data: Dataset, S: Indices, weights: Vector, w: Array | None) -> Apart | None:
    """These weights, if it is verified that they separate and none do so better."""
    if w is None:
        return None
    # No margin exceeds the norm of a point of the hull.
    most = norm2(combination(data, S, weights))
    # Small whole numbers are nicer to read, if the direction is one of them.
    ratios = fractions(w)
    short = primitive([a.limit_denominator(1000) for a in ratios])[0]
    gap = np.abs(direction(short) - direction(primitive(ratios)[0])).max() if any(short) else 1.0
    plain = gap < 1e-12 and max(map(abs, short)) < 2**53
    for v in (short, w) if plain else (w,):
        found = apart(data, fractions(v), most)
        if found:
            return found
    return None


def apart(data: Dataset, w: Vector, most: Fraction) -> Apart | None:
    """These weights, if they separate with a margin of √most, to 8 digits."""
    least = least_margin(data, w)[1]
    rho2 = least**2 / norm2(w)
    if least <= 0 or rho2 < most * (1 - Fraction(1, 10**8)):
        return None
    return Apart(frozen(np.array(list(map(float, w)))), root(rho2), w)


def without_rounding(data: Dataset, S: Indices, weights: Vector, report: Report) -> Apart | Meeting:
    """The nearest point without rounding; the guess only tells where to begin."""
    S, weights, point = nearest_exactly(data, S, weights, report)
    if not any(point):
        order = np.argsort(S)
        return Meeting(tuple(S[order].tolist()), tuple(weights[i] for i in order))
    numbers = primitive(point)[0]
    best = fractions(numbers)
    rho2 = least_margin(data, best)[1] ** 2 / norm2(best)
    # The direction of k·w does not depend on k, but where its roundings fall does.
    floats = [fractions(direction([k * a for a in numbers])) for k in range(1, 32, 2)]
    w = max(floats, key=lambda w: least_margin(data, w)[1] / norm2(w))
    near = frozen(np.array(list(map(float, w))))
    return apart(data, w, rho2) or Apart(near, root(rho2), best)


def positive_margin(data: Dataset, w: Vector, name: str) -> Fraction:
    """The least functional margin, or a sentence about a sample where it is not positive."""
    m = least_margin(data, w)[1]
    if m <= 0:
        near, margins, unit = small_margins(data, w, mistakes=True)
        k = int(np.flatnonzero(margins <= 0)[0])
        raise ValueError(
            f"{name} does not separate: sample {near[k]}, label {data.y[near[k]]:+d}, "
            f"has y {name}·x = {show(int(margins[k]) * unit)}; expected > 0"
        )
    return m
