"""Parse plain answers: the readers that all checks share.

A check asks for a `number`, a `vector`, `indices` …, with the answer from `plain_value` and the
name that it has in a sentence. An answer of another kind or shape raises that sentence, a `Misfit`.
All are compared without rounding.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np

from perceptron_classroom.inside.plain import LARGE, Misfit, Opaque, ordinary

__all__ = ["exact", "indices", "matrix", "number", "parts", "vector", "whole", "written"]

#: How many entries of a vector are shown, and how many digits of a number.
ENTRIES, DIGITS = 24, 40


def kind(answer: Any) -> str:
    """Describe the kind of an answer in words."""
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
    """Return the parts of a tuple, such as ``(w, picks)``."""
    if not isinstance(answer, list) or len(answer) != len(names):
        what = "something " * isinstance(answer, Opaque) + kind(answer)
        raise Misfit(f"your function returned {what}; expected ({', '.join(names)}).")
    return answer


def number(answer: Any, name: str) -> Any:
    """Return one real number, unchanged."""
    if isinstance(answer, bool) or not isinstance(answer, Real):
        raise Misfit(f"{name} is {kind(answer)}; expected a number.")
    return answer


def whole(answer: Any, name: str) -> int:
    """Return one whole number; 3.0 is one."""
    value = number(answer, name)
    if value != value or value in (np.inf, -np.inf) or value != int(value):
        raise Misfit(f"{name} is {written(value)}; expected a whole number.")
    return int(value)


def vector(answer: Any, name: str, length: int | None = None) -> list[Any]:
    """Return a sequence of real numbers, unchanged; accept a single column or row as well."""
    if not isinstance(answer, list):
        raise Misfit(f"{name} is {kind(answer)}; expected a vector.")
    if ordinary(answer, LARGE) and length in (None, len(answer)):
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
    """Return a matrix of real numbers, of this shape, as a list of rows."""
    if not isinstance(answer, list) or not all(isinstance(row, list) for row in answer):
        raise Misfit(f"{name} is not a matrix; expected shape ({rows}, {columns}).")
    if len(answer) != rows:
        raise Misfit(f"{name} has {len(answer)} rows; expected shape ({rows}, {columns}).")
    for k, row in enumerate(answer):
        if len(row) != columns:
            raise Misfit(f"row {k} of {name} has {len(row)} entries; expected {columns}.")
    return [
        row
        if ordinary(row, LARGE)
        else [number(value, f"{name}[{k}, {j}]") for j, value in enumerate(row)]
        for k, row in enumerate(answer)
    ]


def indices(answer: Any, name: str, n: int, *, ordered: bool = True) -> list[int]:
    """Return a sequence of sample numbers, from 0 to n - 1; a set too, if order is irrelevant."""
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
    """Return the numbers of a `vector` as fractions, without rounding; they must be finite."""
    try:
        return [Fraction(value) for value in values]
    except (ValueError, OverflowError):  # NaN and infinity
        raise Misfit(f"{name} is {written(values)}; expected finite numbers.") from None


# ------------------------------------------------------------------------------------ writing


def written(value: Any) -> str:
    """Write a number, or a vector as ``(1, 0.5)``, short and without type names."""
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
    """Shorten a long text or number to its beginning, and add its length."""
    return text if len(text) <= DIGITS else f"{text[: DIGITS // 2]}… ({len(text)} characters)"
