"""Reading what a student's function has returned: any ordered sequence of numbers, one meaning.

Lists, tuples, arrays, ranges, generators, deques and views of dicts are sequences; a column or a
single row is a vector too. Ints, floats, Fractions, Decimals, NumPy's numbers, and complex numbers
without an imaginary part are numbers. All are compared without rounding.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from numbers import Complex, Integral, Rational, Real
from typing import Any

import numpy as np
from numpy import ndarray

__all__ = [
    "Misfit",
    "Opaque",
    "ask",
    "exact",
    "indices",
    "kept_global_generators",
    "matrix",
    "number",
    "ordinary",
    "parts",
    "plain",
    "same",
    "vector",
    "whole",
    "written",
]

#: An answer may hold so many numbers, nested so deep, each of so many bits.
MOST, DEEPEST, BITS = 1_000_000, 8, 8000
#: Characters that are shown of what is no answer, entries of a vector, digits of a number.
SHOWN, ENTRIES, DIGITS = 200, 24, 40


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
    """Call a function, and read its answer as `plain` does.

    NumPy's and Python's global generators are in a new state at each call, so that an answer that
    draws from them never comes twice.

    Parameters
    ----------
    function : callable
        The student's.
    arguments : tuple
        For this call alone.

    Returns
    -------
    object
        The plain answer.

    Raises
    ------
    Misfit
        If the function has changed an argument, or gives numbers without end.
    """
    # By their bytes, which nothing can stand in for that a notebook may put in NumPy's place.
    arrays = {place: each for place, each in enumerate(arguments) if isinstance(each, ndarray)}
    before = {place: (each.dtype, each.shape, each.tobytes()) for place, each in arrays.items()}
    random.seed(secrets.randbits(32))
    np.random.seed(secrets.randbits(32))  # noqa: NPY002
    answer = plain(function(*arguments))
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
    """Put back the state of NumPy's and Python's global generators in the end.

    `ask` gives them a new state at each call; keeping the old one takes longer than most calls.

    Yields
    ------
    None
    """
    kept, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(kept)
        np.random.set_state(numpys)  # noqa: NPY002


def plain(answer: Any) -> Any:
    """Read an answer.

    Parameters
    ----------
    answer : object
        Whatever a function returned.

    Returns
    -------
    object
        Made of None, bool, int, float, Fraction, str and lists of them, with a frozenset for a
        set, which has no order, and an `Opaque` for what is no answer to any question.

    Raises
    ------
    Misfit
        If it holds more than a million numbers; a generator may have no end.
    """
    return Reader().read(answer)


class Reader:
    """Reads one answer."""

    def __init__(self) -> None:
        self.left = MOST

    def read(self, answer: Any, depth: int = 0) -> Any:
        """Any part of the answer, so many levels down."""
        if depth > DEEPEST:
            return Opaque(type(answer).__name__, "nested too deep")
        if isinstance(answer, np.ndarray | np.generic):
            return self.array(answer, depth)
        if answer is None or isinstance(answer, str | Opaque):
            return str(answer) if isinstance(answer, str) else answer
        if isinstance(answer, Complex | Decimal):
            return numeral(answer)
        if isinstance(answer, set | frozenset):
            entries = [self.read(each, DEEPEST) for each in self.take(answer)]
            return frozenset(opaque(each) if isinstance(each, list) else each for each in entries)
        if isinstance(answer, Mapping | bytes | bytearray) or not isinstance(answer, Iterable):
            return opaque(answer)
        if type(answer) is list or type(answer) is tuple:
            self.check(len(answer))
            if set(map(type, answer)) in ({np.int64}, {np.float64}):
                answer = np.array(answer).tolist()
            if ordinary(answer, 2**BITS):
                self.left -= len(answer)
                return list(answer)
        return [self.read(each, depth + 1) for each in self.take(answer)]

    def array(self, answer: Any, depth: int) -> Any:
        """Arrays and NumPy's numbers."""
        if answer.dtype.char in "gG":  # of more digits than Python's floats
            wide = np.asarray(answer)
            entries: Any = [numeral(each) for each in self.take(wide.ravel())]
            if isinstance(answer, np.generic):
                return entries[0]
            return np.array(entries, dtype=object).reshape(wide.shape).tolist()
        self.check(max((answer.size, *answer.shape)))  # which may be empty and long
        inside = answer.tolist()
        if answer.dtype.kind in "biuf" and type(answer) is np.ndarray:
            self.left -= answer.size
            return inside
        return self.read(inside, depth)

    def take(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, as long as they are not too many."""
        for item in items:
            self.left -= 1
            self.check()
            yield item

    def check(self, more: int = 0) -> None:
        """Raise if too many numbers were read, or would be with so many more."""
        if self.left < more:
            raise Misfit(f"your function returned more than {MOST} numbers.")


def ordinary(values: Any, most: int) -> bool:
    """Whether many numbers need no closer look: they are all floats, or all ints below a bound.

    Parameters
    ----------
    values : list or tuple
        Of anything.
    most : int
        What the absolute value of each int must be below.

    Returns
    -------
    bool
        Found without a step for each of them.
    """
    kinds = set(map(type, values))
    return kinds == {float} or (kinds == {int} and -most < min(values) and max(values) < most)


def numeral(value: Any) -> Any:
    """A bool, an int, a float or a Fraction of the same value."""
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
    """What is no answer, as far as it can be shown."""
    try:
        text = repr(value)[:SHOWN]
    except Exception:
        text = "no text"
    return Opaque(type(value).__name__, text)


def same(one: Any, other: Any) -> bool:
    """Whether two plain answers are equal, entry by entry; NaN is the same as NaN.

    Parameters
    ----------
    one, other : object
        As `plain` gives them.

    Returns
    -------
    bool
    """
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, list) or isinstance(other, list):
        return False
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return bool(one == other) or (one != one and other != other)


# ----------------------------------------------------------------------- reading plain answers


def kind(answer: Any) -> str:
    """What an answer is, for a sentence."""
    if answer is None:
        return "None"
    if isinstance(answer, list):
        return f"a sequence of {len(answer)}"
    if isinstance(answer, frozenset):
        return "a set, which has no order"
    if isinstance(answer, Opaque):
        return f"of the type {answer.kind}"
    return shortened(repr(answer)) if isinstance(answer, str) else written(answer)


def parts(answer: Any, *names: str) -> list[Any]:
    """The parts of a tuple, such as ``(w, picks)``.

    Parameters
    ----------
    answer : object
        As `plain` gives it.
    *names : str
        What the parts are called.

    Returns
    -------
    list

    Raises
    ------
    Misfit
        If it is something else.
    """
    if not isinstance(answer, list) or len(answer) != len(names):
        what = "something " * isinstance(answer, Opaque) + kind(answer)
        raise Misfit(f"your function returned {what}; expected ({', '.join(names)}).")
    return answer


def number(answer: Any, name: str) -> Any:
    """One real number, as it is.

    Parameters
    ----------
    answer : object
        As `plain` gives it.
    name : str
        What it is called in a sentence.

    Returns
    -------
    int, float or Fraction

    Raises
    ------
    Misfit
        If it is something else.
    """
    if isinstance(answer, bool) or not isinstance(answer, Real):
        raise Misfit(f"{name} is {kind(answer)}; expected a number.")
    return answer


def whole(answer: Any, name: str) -> int:
    """One whole number; 3.0 is one.

    Parameters
    ----------
    answer : object
        As `plain` gives it.
    name : str
        What it is called in a sentence.

    Returns
    -------
    int

    Raises
    ------
    Misfit
        If it is something else.
    """
    value = number(answer, name)
    if value != value or value in (np.inf, -np.inf) or value != int(value):
        raise Misfit(f"{name} is {written(value)}; expected a whole number.")
    return int(value)


def vector(answer: Any, name: str, length: int | None = None) -> list[Any]:
    """A sequence of real numbers, as they are; a column or a single row is one too.

    Parameters
    ----------
    answer : object
        As `plain` gives it.
    name : str
        What it is called in a sentence.
    length : int, optional
        How many there must be.

    Returns
    -------
    list

    Raises
    ------
    Misfit
        If it is something else.
    """
    if not isinstance(answer, list):
        raise Misfit(f"{name} is {kind(answer)}; expected a vector.")
    if ordinary(answer, 2**BITS) and length in (None, len(answer)):
        return answer
    if answer and all(isinstance(each, list) and len(each) == 1 for each in answer):
        answer = [each[0] for each in answer]
    elif len(answer) == 1 and isinstance(answer[0], list):
        answer = answer[0]
    if any(isinstance(each, list) for each in answer):
        raise Misfit(f"{name} has more than one dimension; expected a vector.")
    if length is not None and len(answer) != length:
        raise Misfit(f"{name} has {len(answer)} entries; expected {length}.")
    return [number(each, f"{name}[{k}]") for k, each in enumerate(answer)]


def matrix(answer: Any, name: str, rows: int, columns: int) -> list[list[Any]]:
    """Rows of real numbers.

    Parameters
    ----------
    answer : object
        As `plain` gives it.
    name : str
        What it is called in a sentence.
    rows, columns : int
        Its shape.

    Returns
    -------
    list of list

    Raises
    ------
    Misfit
        If it is something else.
    """
    if not isinstance(answer, list) or not all(isinstance(row, list) for row in answer):
        raise Misfit(f"{name} is not a matrix; expected shape ({rows}, {columns}).")
    if len(answer) != rows:
        raise Misfit(f"{name} has {len(answer)} rows; expected shape ({rows}, {columns}).")
    for k, row in enumerate(answer):
        if len(row) != columns:
            raise Misfit(f"row {k} of {name} has {len(row)} entries; expected {columns}.")
    return [
        row
        if ordinary(row, 2**BITS)
        else [number(value, f"{name}[{k}, {j}]") for j, value in enumerate(row)]
        for k, row in enumerate(answer)
    ]


def indices(answer: Any, name: str, n: int, *, ordered: bool = True) -> list[int]:
    """A sequence of sample numbers, from 0 to n - 1.

    Parameters
    ----------
    answer : object
        As `plain` gives it.
    name : str
        What it is called in a sentence.
    n : int
        How many samples there are.
    ordered : bool
        Whether their order says something; if not, a set will do too.

    Returns
    -------
    list of int

    Raises
    ------
    Misfit
        If it is something else.
    """
    if isinstance(answer, frozenset) and not ordered:
        answer = list(answer)
    found = vector(answer, name)
    if set(map(type, found)) == {int} and min(found) >= 0 and max(found) < n:
        return found
    found = [whole(each, f"{name}[{k}]") for k, each in enumerate(found)]
    for k, i in enumerate(found):
        if not 0 <= i < n:
            raise Misfit(
                f"{name}[{k}] is {written(i)}; the samples are numbered from 0 to {n - 1}."
            )
    return found


def exact(values: list[Any], name: str) -> list[Fraction]:
    """Real numbers as fractions, without rounding.

    Parameters
    ----------
    values : list
        Numbers, as `vector` gives them.
    name : str
        What they are called in a sentence.

    Returns
    -------
    list of Fraction

    Raises
    ------
    Misfit
        If one is infinite, or no number.
    """
    try:
        return [Fraction(value) for value in values]
    except (ValueError, OverflowError):  # NaN and infinity
        raise Misfit(f"{name} is {written(values)}; expected finite numbers.") from None


# ------------------------------------------------------------------------------------ writing


def written(value: Any) -> str:
    """A number, or a vector as ``(1, 0.5)``, short and without type names.

    Parameters
    ----------
    value : object
        A number, or a sequence of them.

    Returns
    -------
    str
    """
    if isinstance(value, list | tuple | np.ndarray):
        entries = list(map(written, islice(value, ENTRIES)))
        more = [f"and {len(value) - ENTRIES} more"] if len(value) > ENTRIES else []
        return f"({', '.join(entries + more)})"
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"{written(value.numerator)}/{written(value.denominator)}"
    return shortened(str(value))


def shortened(text: str) -> str:
    """A long text, or a number of many digits, with its beginning and its length."""
    return text if len(text) <= DIGITS else f"{text[: DIGITS // 2]}… ({len(text)} characters)"
