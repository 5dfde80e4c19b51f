"""Call a student's function, and reduce its answer to plain numbers and lists.

Lists, tuples, arrays, ranges, generators, deques, views of dicts, and tables of pandas are
sequences; a column or a single row is a vector too. Ints, floats, Fractions, Decimals, NumPy's
numbers, and complex numbers without an imaginary part are numbers. All are compared without
rounding.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Complex, Integral, Rational, Real
from typing import Any

import numpy as np
from numpy import ndarray

__all__ = [
    "LARGE",
    "Misfit",
    "Opaque",
    "ask",
    "kept_global_generators",
    "ordinary",
    "plain_value",
    "same",
]

#: Maximum count of numbers in an answer, nesting depth, and bits of each number.
MOST, DEEPEST, BITS = 1_000_000, 8, 8000
#: The bound itself, as raising 2 to that power takes longer than reading a short list.
LARGE = 2**BITS
#: How many characters are shown of an invalid answer.
SHOWN = 200


class Misfit(Exception):  # noqa: N818 (no error of the program)
    """An answer of the wrong kind or shape; the text is a sentence."""


@dataclass(frozen=True)
class Opaque:
    """An answer, or a part of one, that is neither number nor sequence.

    Parameters
    ----------
    kind : str
        The name of its type.
    text : str
        The beginning of its ``repr``.
    """

    kind: str
    text: str

    def __repr__(self) -> str:
        return f"<{self.kind}: {self.text}>"


# ------------------------------------------------------------------------- calling a function


def ask(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function, and read its answer as `plain_value` does.

    NumPy's and Python's global generators are in a new state at each call, so that an answer that
    draws from them never comes twice.
    """
    # Compared by bytes, so that nothing a notebook has patched in NumPy can interfere.
    arrays = {place: each for place, each in enumerate(arguments) if isinstance(each, ndarray)}
    before = {place: (each.dtype, each.shape, each.tobytes()) for place, each in arrays.items()}
    random.seed(secrets.randbits(32))
    np.random.seed(secrets.randbits(32))  # noqa: NPY002
    try:
        answer = plain_value(function(*arguments))
    except TypeError as error:
        if error.__traceback__ and error.__traceback__.tb_next:  # raised inside of the function
            raise
        called = f"called with {len(arguments)} arguments, as the question says"
        raise Misfit(f"your function was {called}: {error}.") from None
    for place, each in arrays.items():
        if before[place] != (each.dtype, each.shape, each.tobytes()):
            which = ("first", "second", "third", "fourth", "fifth")[place]
            raise Misfit(
                f"your function has changed its {which} argument; leave the arguments as they "
                "are, and work on copies."
            )
    return answer


@contextmanager
def kept_global_generators() -> Iterator[None]:
    """Restore the state of NumPy's and Python's global generators on exit.

    `ask` gives them a new state at each call; keeping the old one takes longer than most calls.
    """
    kept, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(kept)
        np.random.set_state(numpys)  # noqa: NPY002


def plain_value(answer: Any) -> Any:
    """Reduce an answer to plain values.

    The result consists of None, bool, int, float, Fraction, str and lists of them, with a
    frozenset for a set, which has no order, and an `Opaque` for anything else.
    """
    return Reader().read(answer)


class Reader:
    """Reads one answer."""

    def __init__(self) -> None:
        self.left = MOST

    def read(self, answer: Any, depth: int = 0) -> Any:
        """Read any part of the answer, at this depth."""
        if depth > DEEPEST:
            return Opaque(type(answer).__name__, "nested too deep")
        if type(answer) is list or type(answer) is tuple:  # first, for there may be many
            self.check(len(answer))
            if set(map(type, answer)) in ({np.int64}, {np.float64}):
                answer = np.array(answer).tolist()
            if ordinary(answer, LARGE):
                self.left -= len(answer)
                return list(answer)
            return [self.read(each, depth + 1) for each in self.take(answer)]
        if isinstance(answer, np.ndarray | np.generic):
            return self.array(answer, depth)
        if answer is None or isinstance(answer, str | Opaque):
            return str(answer) if isinstance(answer, str) else answer
        if isinstance(answer, Complex | Decimal):
            return numeral(answer)
        if isinstance(answer, set | frozenset):
            entries = [self.read(each, DEEPEST) for each in self.take(answer)]
            return frozenset(opaque(each) if isinstance(each, list) else each for each in entries)
        if hasattr(answer, "columns") and hasattr(answer, "to_numpy"):  # of pandas: its rows
            return self.array(np.asarray(answer.to_numpy()), depth)
        if isinstance(answer, Mapping | bytes | bytearray) or not isinstance(answer, Iterable):
            return opaque(answer)
        return [self.read(each, depth + 1) for each in self.take(answer)]

    def array(self, answer: Any, depth: int) -> Any:
        """Read arrays and NumPy's numbers."""
        if answer.dtype.char in "gG":  # of more digits than Python's floats
            wide = np.asarray(answer)
            entries: Any = [numeral(each) for each in self.take(wide.ravel())]
            if isinstance(answer, np.generic):
                return entries[0]
            return np.array(entries, dtype=object).reshape(wide.shape).tolist()
        self.check(max((answer.size, *answer.shape)))  # an empty array can be long
        inside = answer.tolist()
        if answer.dtype.kind in "biuf" and type(answer) is np.ndarray:
            self.left -= answer.size
            return inside
        return self.read(inside, depth)

    def take(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items, as long as they are not too many."""
        for item in items:
            self.left -= 1
            self.check()
            yield item

    def check(self, more: int = 0) -> None:
        """Raise if too many numbers were read, or would be with `more` added."""
        if self.left < more:
            raise Misfit(f"your function returned more than {MOST} numbers.")


def ordinary(values: Any, most: int) -> bool:
    """Return whether values need no conversion: all floats, or all ints below a bound."""
    kinds = set(map(type, values))
    return kinds == {float} or (kinds == {int} and -most < min(values) and max(values) < most)


def numeral(value: Any) -> Any:
    """Return a bool, an int, a float or a Fraction of the same value."""
    if isinstance(value, bool | float):
        return bool(value) if isinstance(value, bool) else float(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            return float(value)
        return opaque(value) if abs(value.adjusted()) > BITS // 4 else Fraction(value)
    if isinstance(value, Integral):
        found: int | Fraction = int(value)
    elif isinstance(value, Rational):
        found = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, np.longdouble):
        if not np.isfinite(value):
            return float(value)
        found = Fraction(*value.as_integer_ratio())
    elif isinstance(value, Real):
        return float(value)
    else:
        return opaque(value) if value.imag else numeral(value.real)
    return opaque(value) if max(map(int.bit_length, found.as_integer_ratio())) > BITS else found


def opaque(value: Any) -> Opaque:
    """Return an `Opaque` that describes an invalid answer."""
    try:
        text = repr(value)[:SHOWN]
    except Exception:
        text = "no text"
    return Opaque(type(value).__name__, text)


def same(one: Any, other: Any) -> bool:
    """Return whether two plain answers are equal, entry by entry; NaN is the same as NaN."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, list) or isinstance(other, list):
        return False
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return bool(one == other) or (one != one and other != other)
