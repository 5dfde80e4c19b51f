"""What is wrong with an answer of `separate` or of `diagnose`, by an independent program."""

from fractions import Fraction

import numpy as np
import oracle

from perceptron_notes.convergence import Separator


def typed(a):
    """The number that was typed: of a float the shortest decimal."""
    return Fraction(repr(float(a))) if isinstance(a, float) else Fraction(a)


def signed(X, y, intercept, number):
    """The rows y·x without rounding."""
    rows = X.tolist()
    ones = [1] * intercept
    return [[int(s) * number(a) for a in [*ones, *x]] for x, s in zip(rows, y, strict=True)]


def judge_separate(answer, X, y):
    """Return what is wrong with the answer of `separate`, if anything."""
    rows = signed(X, y, True, Fraction)
    separable = bool(oracle.partition(oracle.whole(rows))[0].all())
    if isinstance(answer, Separator) != separable:
        return f"{answer}, but separable is {separable}"
    if separable:
        good = all(sum(a * b for a, b in zip(z, answer.exact, strict=True)) > 0 for z in rows)
    else:
        parts = zip(answer.samples, answer.weights, strict=True)
        terms = [[q * a for a in rows[i]] for i, q in parts]
        good = min(answer.weights) > 0 and not any(map(sum, zip(*terms, strict=True)))
    return None if good else f"{answer} proves nothing"


def judge_diagnosis(found, X, y, intercept):
    """Return what is wrong with the verdict, the rows, their proof or the limits, if anything."""
    names, s, told = found
    used = [int(name.removeprefix("column ")) for name in names]
    rows = signed(X[:, used], y, intercept, typed)
    Z = oracle.whole(rows)
    truth = oracle.partition(Z)
    if (s.is_separated != truth[0]).any():
        return f"separated are {np.flatnonzero(truth[0])}, not {s.separated}"
    if s.direction is not None:
        w = list(s.direction.values())
        scores = [sum(a * b for a, b in zip(z, w, strict=True)) for z in rows]
        if [a > 0 for a in scores] != truth[0].tolist() or min(scores) < 0:
            return f"the direction {s.direction} proves nothing"
    if s.obstruction:
        total = [sum(q * rows[i][j] for i, q in s.obstruction.items()) for j in range(len(s.names))]
        if any(total) or min(s.obstruction.values()) <= 0:
            return f"the obstruction {s.obstruction} proves nothing"
    limits = oracle.limits(Z, truth)
    return None if told == limits else f"the limits are {limits}, not {told}"
