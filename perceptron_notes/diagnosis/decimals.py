"""Numbers as they were typed, column by column, as whole numbers.

The float nearest to 0.1 is not 1/10, so three shares 0.6, 0.1 and 0.3 do not sum to 1 in floats,
and a table of such shares seems to have one relation fewer between its columns. What counts is the
table that was typed: a float stands for the shortest decimal that rounds to it, also where it is
the result of a computation; Fractions and Decimals are taken as they are. A positive factor of a
column changes no question about signs, so each column has a unit in which its numbers are whole.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from perceptron_notes._kit.values import Array
from perceptron_notes.exact.numbers import Exact, objects

#: A decimal of at most this many digits is always the shortest one that its float stands for.
DIGITS = 15
#: A column whose whole numbers have more bits than this would make the proofs endless.
LONGEST = 500


def typed(column: Array | Exact) -> tuple[Exact, Fraction] | None:
    """Return whole numbers and a unit, with ``column = unit · numbers`` as it was typed.

    The column holds floats, or Python's ints, Fractions and Decimals (dtype object). The numbers
    are float64 if that holds them all, else Python's; None where these are longer than 500 bits.
    """
    if column.dtype != object:
        k = _exponent(column)
        if k is not None:
            return np.rint(column * 10.0**k), Fraction(1, 10**k)
        column = objects(list(map(Decimal, map(repr, column.tolist()))))
    values = column.tolist()
    if any(isinstance(a, Decimal) and a and abs(a.adjusted()) > LONGEST for a in values):
        return None  # 1e-999999 needs a million digits
    ratios = [value.as_integer_ratio() for value in values]
    common = 1
    for q in {q for _, q in ratios}:
        common = lcm(common, q)
        if common.bit_length() > LONGEST:
            return None
    numbers = [p * (common // q) for p, q in ratios]
    divisor = gcd(*numbers) or 1
    numbers = [k // divisor for k in numbers]
    largest, unit = max(map(abs, numbers)), Fraction(divisor, common)
    if largest < 2**53:
        return np.array(numbers, dtype=np.float64), unit
    return None if largest.bit_length() > LONGEST else (objects(numbers), unit)


def together(columns: Sequence[Exact]) -> Exact:
    """Return columns of whole numbers as a matrix, of floats if all columns are floats."""
    if all(column.dtype != object for column in columns):
        return np.column_stack(columns)
    whole = [c if c.dtype == object else c.astype(np.int64).astype(object) for c in columns]
    return np.column_stack(whole)


def _exponent(column: Array) -> int | None:
    """Return the least k such that every 10ᵏ·x is whole, if floats alone can show that."""
    largest = float(np.abs(column).max(initial=0))
    for k in range(DIGITS + 1):
        if not largest * 10.0**k < (10.0**DIGITS if k else 2.0**53):
            return None
        # Division rounds once, so this float is the one nearest to the decimal.
        if (np.rint(column * 10.0**k) / 10.0**k == column).all():
            return k
    return None
