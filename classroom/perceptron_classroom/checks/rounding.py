"""Compare numbers that cannot be computed without rounding."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from perceptron_classroom.inside.plain import Opaque, same

__all__ = ["ANYTHING", "apart", "covers", "near", "nearly"]

#: The difference allowed between two numbers, relative to the largest number that was added up.
ROOM = 1e-11
#: The same for two answers that are both wrong, and may be computed in different ways.
WIDE = 1e-9
#: A known mistake may answer in any way.
ANYTHING = Opaque("any", "answer")


def near(value: Any, right: float, room: float) -> bool:
    """Return whether a number is finite and right up to a tolerance, `room`."""
    try:
        return value == right or abs(Fraction(value) - Fraction(right)) <= Fraction(room)
    except (ValueError, OverflowError):  # NaN and infinity
        return False


def apart(values: list[Any], right: list[float], scale: float) -> int | None:
    """Find the first place at which two lists differ by more than rounding, or None."""
    pairs = zip(values, right, strict=True)
    return next((k for k, (a, b) in enumerate(pairs) if not near(a, b, ROOM * scale)), None)


def covers(known: Any, answer: Any) -> bool:
    """Return whether an answer is the known one; that may hold sets of answers, and `ANYTHING`."""
    if isinstance(known, frozenset) and not isinstance(answer, frozenset):
        return any(same(each, answer) for each in known)
    if isinstance(known, list) and isinstance(answer, list):
        return len(known) == len(answer) and all(map(covers, known, answer))
    return known == ANYTHING or same(known, answer)


def nearly(one: Any, other: Any) -> bool:
    """Return whether two answers differ by no more than rounding."""
    if not (isinstance(one, list) and isinstance(other, list)):
        return same(one, other) or (isinstance(one, float) and close([one], [other]))
    if len(one) != len(other):
        return False
    return close(one, other) or (bool(one) and all(map(nearly, one, other)))


def close(some: list[Any], others: list[Any]) -> bool:
    """Return whether two lists of numbers differ little, beside the largest of them."""
    if not all(type(each) in (int, float, Fraction) for each in (*some, *others)):
        return False
    room = WIDE * min(max(map(abs, some), default=0), 1e300)
    return all(same(a, b) or near(b, a, room) for a, b in zip(some, others, strict=True))
