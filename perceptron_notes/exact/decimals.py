"""Floats read as the decimals that a person typed.

The float nearest to 0.1 is not 1/10, so three shares 0.6, 0.1 and 0.3 do not sum to 1 in floats,
and a table of such shares seems to have one relation between its columns less. What counts is the
table that was typed: of every float the shortest decimal that rounds to it. A column times a power
of ten keeps every question about signs, and makes whole numbers of its decimals.
"""

from __future__ import annotations

import numpy as np

from perceptron_notes._kit.values import Array

#: The largest power of ten that float64 holds exactly.
_MOST = 22


def typed(X: Array) -> tuple[Array, list[int | None]]:
    """Multiply each column by the least power of ten that makes its decimals whole numbers.

    Return the matrix and the exponents. Where the whole numbers would need more than 53 bits, as
    with the results of a computation, the column stays as it is: float64 as it stands, exponent
    None.
    """
    columns, exponents = X.copy(), []
    for j, column in enumerate(X.T):
        exponent = _exponent(column)
        if exponent:
            columns[:, j] = np.rint(column * 10.0**exponent)
        exponents.append(exponent)
    return columns, exponents


def _exponent(column: Array) -> int | None:
    """Return the least k such that every 10ᵏ·x is whole, for the shortest decimal of each x."""
    largest = float(np.abs(column).max(initial=0))
    for k in range(_MOST + 1):
        if not largest * 10.0**k < 2.0**53:
            return None
        numbers = np.rint(column * 10.0**k)
        # Division rounds once, so this float is the one nearest to the decimal.
        wrong = column[numbers / 10.0**k != column]
        if len(wrong) == 0:
            return k
    return None
