"""Compare numbers that cannot be computed without rounding."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

__all__ = ["apart", "near"]

#: The difference allowed between two numbers, relative to the largest number that was added up.
ROOM = 1e-11


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
