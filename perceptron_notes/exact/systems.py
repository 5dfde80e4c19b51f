"""Linear systems of whole numbers, solved without rounding and yet by float64's fast products."""

from collections.abc import Callable
from functools import partial
from math import isqrt, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.exact.numbers import Exact, objects

#: ``report(done, total)``: called with the progress of a long solution.
_Counted = Callable[[int, int], object]

#: A whole number is cut into digits from −2¹⁷ to 2¹⁷ − 1.
_BITS = 18
#: Residues modulo these primes lie within ±2²¹. Sums of 2¹¹ products of two of them, or of 2¹⁵
#: products with digits, stay below 2⁵³, so float64 adds them up exactly in any order.
_PRIMES = (2**22 - 3, 2**22 - 17, 2**22 - 27)
#: Systems with at most this many equations are solved by elimination, without bounds on digits.
_FEW = 16


def _digits(A: Exact) -> Array:
    """Return the digits of each number in base 2¹⁸, the lowest first, shape (L, …)."""
    half, base = 1 << (_BITS - 1), 1 << _BITS
    found: list[Array] = []
    while A.any() or not found:
        low = (A + half) % base - half
        found.append(low.astype(np.float64))
        A = (A - low) // base
    return np.array(found)


def _together(parts: Array) -> Exact:
    """Return the numbers with these digits, which may have grown to 53 bits."""
    total = np.zeros(parts.shape[1:], dtype=object)
    for part in parts[::-1]:
        total = total * (1 << _BITS) + part.astype(np.int64).astype(object)
    return total


def multiply(A: Exact, B: Exact) -> Exact:
    """Multiply two matrices of whole numbers (dtype object), with up to 2¹⁵ columns in A."""
    a, b = _digits(A), _digits(B)
    sums = np.zeros((len(a) + len(b) - 1, len(A), B.shape[1]))
    for i, high in enumerate(a):
        for j, low in enumerate(b):
            sums[i + j] += high @ low
    return _together(sums)


def solve(A: Exact, b: Exact, report: _Counted | None = None) -> Exact | None:
    """Return the solution u of A·u = b, times a positive number that makes it whole.

    If b is a matrix, each of its columns has a column of the answer, with a factor of its
    own. The digits of u in base p, a prime, are found one after another: b minus A times the digits
    so far is divisible by a power of p, and the inverse of A modulo p gives the next digit.
    Enough digits determine the fractions, whose size Hadamard's inequality bounds. For large
    systems, of up to 2¹¹ equations, this is far faster than elimination with long numbers.

    Return None if A is singular. A determinant of 0 modulo three primes is accepted as proof
    of that: a caller who needs certainty checks the result. `report` is called now and then with
    the numbers done and needed, first rows of the inverse, then digits; it may raise to stop.

    References
    ----------
    Dixon, J. D., "Exact solution of linear equations using p-adic expansions", *Numerische
    Mathematik* 40, 1982.
    """
    if b.ndim == 1:
        u = solve(A, b[:, None], report)
        return None if u is None else u[:, 0]
    if len(A) <= _FEW:
        return _eliminate(A, b)
    found = next(filter(None, map(partial(_inverse, A, report), _PRIMES)), None)
    if found is None:
        return None
    inverted, p = found
    # Both numerators and denominators are determinants of rows of A, perhaps with b.
    largest = max(1, *map(abs, b.ravel())) * prod(
        isqrt(int(square)) + 1 for square in (A * A).sum(axis=1)
    )
    needed = (2 * largest**2).bit_length() // (p.bit_length() - 1) + 1
    limbs = _digits(A)
    stacked, rest, quotients = limbs.reshape(-1, len(A)), b, []
    for done in range(needed):
        if report is not None and done % 128 == 0:
            report(done, needed)
        digit = _balanced(inverted @ _balanced((rest % p).astype(np.float64), p), p)
        rest = (rest - _together((stacked @ digit).reshape(len(limbs), *b.shape))) // p
        quotients.append(digit)
    columns = np.array(quotients).transpose(2, 0, 1)
    return np.stack([_fractions_of(found, p, largest) for found in columns], axis=1)


def _eliminate(A: Exact, b: Exact) -> Exact | None:
    """Solve the same system by elimination in which every quotient is whole.

    See Bareiss, E. H., "Sylvester's identity and multistep integer-preserving Gaussian
    elimination", *Mathematics of Computation* 22, 1968.
    """
    M, last = np.column_stack([A, b]), 1
    for j in range(len(M)):
        pivots = np.flatnonzero(M[j:, j])
        if len(pivots) == 0:
            return None
        swap = [j, j + int(pivots[0])]
        M[swap] = M[swap[::-1]]
        row = M[j].copy()
        M, last = (row[j] * M - M[:, j, None] * row) // last, row[j]
        M[j] = row
    return M[:, len(A) :] if last > 0 else -M[:, len(A) :]


def refine(A: Exact, b: Exact) -> Exact | None:
    """Return whole numbers that are nearly proportional to the solution u of A·u = b.

    A is symmetric and positive definite. Floats solve the system, then once more for the residual,
    and so on, until that is less than 2⁻¹⁶⁰ of b; None if the residual stops shrinking. This
    is far quicker than `solve`.

    References
    ----------
    Wilkinson, J. H., *Rounding Errors in Algebraic Processes*, 1963, chapter 3.
    """
    # Powers of two h bring the diagonal of A to about 1: with D = diag(2ʰ), D⁻¹AD⁻¹(Du) = D⁻¹b.
    halves = np.array([int(a).bit_length() // 2 for a in A.diagonal()])
    try:
        inverted = np.linalg.inv(_shifted(A, np.add.outer(halves, halves)))
    except (np.linalg.LinAlgError, OverflowError):
        return None
    rest = b * (1 << 192 + 2 * int(halves.max()))
    x, left = b * 0, max(map(abs, rest))
    enough = left >> 160
    while left > enough:
        unit = max(left.bit_length() - 60, 0)
        step = inverted @ _shifted(rest >> unit, halves)
        if not np.abs(step).max() < 1e200:
            return None
        whole = objects([int(s * 2.0**60) << unit for s in step.tolist()]) >> 60 + halves
        x, rest, before = x + whole, rest - A @ whole, left
        left = max(map(abs, rest))
        if left * 16 > before:
            return None
    return x


def _shifted(numbers: Exact, by: npt.NDArray[Any]) -> Array:
    """Return the numbers, divided by powers of two, as floats."""
    pairs = zip(numbers.ravel().tolist(), by.ravel().tolist(), strict=True)
    return np.array([number / (1 << shift) for number, shift in pairs]).reshape(numbers.shape)


def _balanced(residues: Array, p: int) -> Array:
    """Return the same residues modulo p, in the range −p/2 to p/2."""
    return residues - p * np.rint(residues / p)


def _inverse(A: Exact, report: _Counted | None, p: int) -> tuple[Array, int] | None:
    """Return the inverse of a matrix modulo a prime, and the prime; None if it is singular."""
    M = (A % p).astype(np.int64)
    order = np.arange(len(M))
    for j in range(len(M)):
        if report is not None and j % 16 == 0:
            report(j, len(M))
        pivots = np.flatnonzero(M[j:, j])
        if len(pivots) == 0:
            return None
        swap = [j, j + int(pivots[0])]
        M[swap], order[swap] = M[swap[::-1]], order[swap[::-1]]
        # Elimination in place: the inverse grows where the identity's columns would stand.
        scale, column = pow(int(M[j, j]), -1, p), M[:, j].copy()
        M[j, j], M[:j, j], M[j + 1 :, j] = 1, 0, 0
        M[j] = M[j] * scale % p
        column[j] = 0
        M = (M - column[:, None] * M[j]) % p
    return _balanced(M[:, np.argsort(order)].astype(np.float64), p), p


def _fractions_of(found: Array, p: int, largest: int) -> Exact:
    """Return the fractions with these digits in base p, times a number that makes them whole."""
    numbers, power = found.astype(np.int64).astype(object), p
    while len(numbers) > 1:  # neighbours first, so that most products are short
        if len(numbers) % 2:
            numbers = np.vstack([numbers, numbers[:1] * 0])
        numbers, power = numbers[::2] + power * numbers[1::2], power * power
    modulus, common = p ** len(found), 1
    whole: list[int] = []
    for number in numbers[0]:
        value = number * common % modulus
        factor = _denominator(value, modulus, largest)
        if factor > 1:
            common, value = common * factor, value * factor % modulus
            whole = [earlier * factor for earlier in whole]
        whole.append(value - modulus if value > largest else value)
    return objects(whole)


def _denominator(value: int, modulus: int, largest: int) -> int:
    """Return the q of the one fraction a/q = value modulo `modulus` with a, q up to `largest`."""
    a, b, s, t = modulus, value, 0, 1
    while b > largest:
        quotient = a // b
        a, b, s, t = b, a - quotient * b, t, s - quotient * t
    return abs(t)
