"""Reading what a student's function has returned: any style of numbers, one meaning.

Lists, tuples and arrays are all sequences; ints, floats, Fractions and NumPy's numbers are all
numbers, compared exactly.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

__all__ = ["Misfit", "indices", "matrix", "number", "parts", "plain", "same", "vector", "written"]


class Misfit(Exception):  # noqa: N818 (no error of the program)
    """An answer of the wrong kind or shape; the text is a sentence."""


def plain(answer: Any) -> Any:
    """Arrays and tuples as lists, NumPy's numbers as Python's."""
    if isinstance(answer, np.ndarray | np.generic):
        answer = answer.tolist()
    return [plain(each) for each in answer] if isinstance(answer, list | tuple) else answer


def same(one: Any, other: Any) -> bool:
    """Whether two plain answers are equal, entry by entry."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, list) or isinstance(other, list):
        return False
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def kind(answer: Any) -> str:
    """What an answer is, for a sentence."""
    if answer is None:
        return "None"
    if isinstance(answer, list):
        return f"a sequence of {len(answer)}"
    return repr(answer) if isinstance(answer, Real | str) else f"a {type(answer).__name__}"


def parts(answer: Any, *names: str) -> list[Any]:
    """The parts of a tuple, such as ``(w, picks)``."""
    if not isinstance(answer, list) or len(answer) != len(names):
        raise Misfit(f"your function returned {kind(answer)}; expected ({', '.join(names)}).")
    return answer


def number(answer: Any, name: str) -> Any:
    """One real number, as it is."""
    if isinstance(answer, bool) or not isinstance(answer, Real):
        raise Misfit(f"{name} is {kind(answer)}; expected a number.")
    return answer


def whole(answer: Any, name: str) -> int:
    """One whole number; 3.0 is one."""
    value = number(answer, name)
    if value != value or value in (np.inf, -np.inf) or value != int(value):
        raise Misfit(f"{name} is {written(value)}; expected a whole number.")
    return int(value)


def vector(answer: Any, name: str, length: int | None = None) -> list[Any]:
    """A sequence of real numbers, as they are."""
    if not isinstance(answer, list):
        raise Misfit(f"{name} is {kind(answer)}; expected a vector.")
    if any(isinstance(each, list) for each in answer):
        raise Misfit(f"{name} has more than one dimension; expected a vector.")
    if length is not None and len(answer) != length:
        raise Misfit(f"{name} has {len(answer)} entries; expected {length}.")
    return [number(each, f"{name}[{k}]") for k, each in enumerate(answer)]


def matrix(answer: Any, name: str, rows: int, columns: int) -> list[list[Any]]:
    """Rows of real numbers."""
    if not isinstance(answer, list) or not all(isinstance(row, list) for row in answer):
        raise Misfit(f"{name} is not a matrix; expected shape ({rows}, {columns}).")
    if len(answer) != rows:
        raise Misfit(f"{name} has {len(answer)} rows; expected shape ({rows}, {columns}).")
    return [vector(row, f"row {k} of {name}", columns) for k, row in enumerate(answer)]


def indices(answer: Any, name: str, n: int) -> list[int]:
    """A sequence of sample numbers, from 0 to n - 1."""
    found = [whole(each, f"{name}[{k}]") for k, each in enumerate(vector(answer, name))]
    for k, i in enumerate(found):
        if not 0 <= i < n:
            raise Misfit(f"{name}[{k}] is {i}; the samples are numbered from 0 to {n - 1}.")
    return found


def written(value: Any) -> str:
    """A number, or a vector as ``(1, 0.5)``, short and without type names."""
    if isinstance(value, list | tuple | np.ndarray):
        return f"({', '.join(map(written, value))})"
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    return str(value)
