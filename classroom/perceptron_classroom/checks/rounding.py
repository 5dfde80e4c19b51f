"""Compare numbers that cannot be computed without rounding."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from perceptron_classroom.inside.plain import Opaque, same

__all__ = ["ANYTHING", "alike", "apart", "near"]

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


def alike(known: Any, answer: Any, room: float = 0) -> bool:
    """Return whether an answer is the known one, up to rounding if there is room.

    The known one may hold sets, of answers that will do, and `ANYTHING`.
    """
    if isinstance(known, list) and isinstance(answer, list):
        if len(known) != len(answer):
            return False
        numbers = [abs(each) for each in known if type(each) in (int, float)]
        room = room and WIDE * (1 + min(max(numbers, default=0), 1e300))
        return all(alike(one, other, room) for one, other in zip(known, answer, strict=True))
    if isinstance(known, frozenset) and not isinstance(answer, frozenset):
        return any(same(each, answer) for each in known)
    if room and type(known) is float and type(answer) in (int, float, Fraction):
        return same(known, answer) or near(answer, known, room)
    return bool(known == ANYTHING) or same(known, answer)
