"""What the user gave, as numbers: named columns, labelled rows, classes, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import (
    LARGEST,
    check_order,
    columns_of,
    in_full,
    is_table,
    kind_of,
)
from perceptron_notes._kit.values import Array

__all__ = ["Table", "listed", "read", "some"]

#: A text column with more levels than this, or hardly a third as many as rows, names the rows.
LEVELS = 20
#: More classes than this are most likely measurements.
CLASSES = 50
#: The most memory that a sparse matrix may take when it is written out, in bytes.
_DENSE = 2 << 30


@dataclass(frozen=True, eq=False)
class Table:
    """Samples of named columns, without gaps.

    Attributes
    ----------
    points : ndarray of float64, shape (n, d)
        The numbers.
    names : tuple of str
        The names of the columns.
    rows : tuple
        The label of each row: that of the user's index, or its number, counted from 0.
    y : ndarray of intp, shape (n,)
        The class of each row, as a number.
    classes : tuple
        The classes in their order.
    target : str
        What the labels are called.
    notes : tuple of str
        Sentences about what was left out, and what was made of columns that are no numbers.
    """

    points: Array
    names: tuple[str, ...]
    rows: tuple[Any, ...]
    y: npt.NDArray[np.intp]
    classes: tuple[Any, ...]
    target: str
    notes: tuple[str, ...]

    @property
    def counts(self) -> list[int]:
        """How many rows each class has."""
        return np.bincount(self.y, minlength=len(self.classes)).tolist()


def read(X: Any, y: Any) -> Table:
    """Read samples and their labels; `y` may be the name of a column of X."""
    check_order(y, X, "y", "X")
    columns, rows = _columns(X)
    target = "y"
    if isinstance(y, str):
        target, y = y, _taken(columns, y)
    elif isinstance(name := getattr(y, "name", None), str):
        target = name
    labels = _listed_labels(y)
    if len(labels) != len(rows):
        raise ValueError(f"y has {len(labels)} labels for {len(rows)} rows of X; expected as many")
    notes: list[str] = []
    numbers, names = _numbers(columns, notes)
    missing = np.array([_lacks(label) for label in labels], dtype=bool)
    if missing.any():
        notes.append(f"{_rows(missing.sum())} without a label left out.")
    gaps = np.isnan(numbers).any(axis=1) & ~missing
    if gaps.any():
        worst = int(np.isnan(numbers[~missing]).sum(axis=0).argmax())
        notes.append(f"{_rows(gaps.sum())} with a gap left out (most gaps: {names[worst]}).")
    kept = ~(missing | gaps)
    if not kept.any():
        raise ValueError(f"no row of X is without a gap; column {names[worst]!r} has the most")
    codes, classes = _classes([label for label, k in zip(labels, kept, strict=True) if k])
    return Table(
        numbers[kept],
        tuple(names),
        tuple(row for row, k in zip(rows, kept, strict=True) if k),
        codes,
        classes,
        target,
        tuple(notes),
    )


# ---------------------------------------------------------------------------------- columns


def _columns(X: Any) -> tuple[list[tuple[str, Any]], Sequence[Any]]:
    """Return the columns with their names, and the labels of the rows."""
    if is_table(X):
        named = [(str(name), column) for name, column in columns_of(X)]
        index = getattr(X, "index", None)
        n = len(X)
        rows = range(n) if index is None else index.tolist()
        if not named or not n:
            raise ValueError(f"X has {n} rows and {len(named)} columns; expected some of both")
        return named, rows
    if hasattr(X, "toarray"):
        n, d = X.shape
        if n * d * 8 > _DENSE:
            raise ValueError(
                f"X is sparse, {n} × {d}: written out it takes {n * d * 8 / 2**30:.1f} GiB; "
                f"expected at most {_DENSE >> 30}. Fewer rows show an obstruction as well"
            )
        X = X.toarray()
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError("X is ragged; its rows must have equal lengths") from None
    if array.dtype.kind in "UST" and not hasattr(X, "__array__"):
        array = np.array(X, dtype=object)  # numbers stay numbers beside text
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"X has shape {array.shape}; expected (n, d), a row for each sample"
            + (", so X.reshape(-1, 1) for one column" if array.ndim == 1 else "")
        )
    return [(f"column {j}", column) for j, column in enumerate(array.T)], range(len(array))


def _taken(columns: list[tuple[str, Any]], name: str) -> Any:
    """Take a column out, by its name."""
    found = [j for j, (other, _) in enumerate(columns) if other == name]
    if len(found) != 1:
        known = some([repr(other) for other, _ in columns], 8)
        what = "no column" if not found else f"{len(found)} columns"
        raise ValueError(f"X has {what} {name!r}; its columns are {known}")
    if len(columns) == 1:
        raise ValueError(f"X has no column but {name!r}; expected some to learn from")
    return columns.pop(found[0])[1]


def _numbers(columns: list[tuple[str, Any]], notes: list[str]) -> tuple[Array, list[str]]:
    """Return the columns as numbers, NaN for a gap; text makes a column for each further level."""
    numbers: list[Array] = []
    names: list[str] = []
    aside: list[str] = []
    for name, column in columns:
        values, lacking = _values(column)
        if lacking.mean() > 0.5:
            aside.append(f"{name} (of {len(lacking)} values {int(lacking.sum())} are missing)")
        elif values.dtype.kind in "iu" and np.abs(values.astype(np.float64)).max() > 2.0**53:
            aside.append(f"{name} (whole numbers beyond 2⁵³, which float64 would round)")
        elif values.dtype.kind in "buif":
            numbers.append(_floats(values, lacking, name))
            names.append(name)
        elif values.dtype.kind == "O" and all(
            isinstance(value, str | bytes) for value in values[~lacking].tolist()
        ):
            levels = sorted(set(values[~lacking].tolist()))
            if len(levels) > min(LEVELS, max(2, len(values) // 3)):
                aside.append(f"{name} (text, {len(levels)} different values)")
                continue
            notes.append(f"{name} is text: a column of 0 and 1 for each value but {levels[0]!r}.")
            for level in levels[1:]:
                numbers.append(np.where(lacking, np.nan, values == level).astype(np.float64))
                names.append(f"{name}={level}")
        else:
            aside.append(f"{name} ({values.dtype}, no numbers)")
    if aside:
        notes.append(f"Left out: {', '.join(aside)}.")
    if not numbers:
        raise ValueError(f"X has no column of numbers. {notes[-1]}")
    return np.column_stack(numbers), names


def _values(column: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return the values of a column, and which are missing."""
    lacking = getattr(column, "isna", None) or getattr(column, "is_null", None)
    gaps = None if lacking is None else np.asarray(lacking(), dtype=bool)
    values = np.asarray(column)
    if values.dtype.kind in "UST" or hasattr(column, "categories") or hasattr(column, "cat"):
        values = values.astype(object)
    if values.dtype.kind == "O":
        if gaps is None:
            gaps = np.array([_lacks(value) for value in values.tolist()], dtype=bool)
        there = values[~gaps].tolist()
        if there and all(isinstance(value, Real) for value in there):
            floats = np.full(len(values), np.nan)
            floats[~gaps] = [_float(value) for value in there]
            values = floats
    elif gaps is None:
        gaps = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    return values, gaps


def _float(value: Any) -> float:
    """Return a number as a float, infinite beyond their range."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _floats(values: npt.NDArray[Any], lacking: npt.NDArray[np.bool_], name: str) -> Array:
    """Return the numbers of a column as float64, NaN where they are missing."""
    floats = values.astype(np.float64)
    floats[lacking] = np.nan
    wrong = np.flatnonzero(np.abs(floats) > LARGEST)
    if len(wrong):
        raise ValueError(
            f"X has {floats[wrong[0]]} in {name!r}, row {wrong[0]}; expected numbers of size at "
            f"most {LARGEST:g}"
        )
    return floats + 0.0  # −0 is 0


# ----------------------------------------------------------------------------------- labels


def _listed_labels(y: Any) -> list[Any]:
    """Return the labels as a list of Python's own values."""
    if hasattr(y, "toarray"):
        raise TypeError("y is sparse; expected a label for each row")
    array = np.asarray(y)
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.ndim != 1 or len(array) == 0:
        shape = f"has shape {array.shape}" if array.ndim else f"is {kind_of(y)}"
        raise ValueError(f"y {shape}; expected (n,), a label for each row of X")
    if array.dtype.kind in "UST" and isinstance(y, list | tuple):
        array = np.array([*y, None], dtype=object)[:-1]
    if array.dtype.kind not in "buifOUST":
        raise TypeError(f"y has dtype {array.dtype}; expected labels: numbers or names")
    return array.tolist()


def _lacks(value: Any) -> bool:
    """Tell whether a value is missing: None, NaN, or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _classes(labels: list[Any]) -> tuple[npt.NDArray[np.intp], tuple[Any, ...]]:
    """Return the number of the class of each label, and the classes in order."""
    try:
        classes = sorted(set(labels))
    except TypeError:
        classes = sorted(set(labels), key=lambda label: (type(label).__name__, str(label)))
    numbers = [c for c in classes if isinstance(c, float) and not c.is_integer()]
    scarce = (
        len(classes) > 2 and isinstance(classes[0], float | int) and len(labels) < 3 * len(classes)
    )
    if len(classes) > CLASSES or (len(classes) > 2 and numbers) or scarce:
        example = in_full(numbers[0]) if numbers else repr(classes[0])
        raise ValueError(
            f"y has {len(classes)} different values, such as {example}; expected classes, at most "
            f"{CLASSES}, with some rows each. Of a measurement, y > threshold makes two"
        )
    if len(classes) < 2:
        raise ValueError(f"y has one class, {classes[0]!r}; expected two or more")
    code = {label: k for k, label in enumerate(classes)}
    whole = [int(c) if isinstance(c, float) and c.is_integer() else c for c in classes]
    return np.array([code[label] for label in labels], dtype=np.intp), tuple(whole)


# -------------------------------------------------------------------------- oddities of rows


def constant(table: Table) -> list[str]:
    """Return the columns that have the same value in every row."""
    same = (table.points == table.points[0]).all(axis=0)
    return [name for name, s in zip(table.names, same.tolist(), strict=True) if s]


def twins(table: Table) -> Iterator[list[int]]:
    """Yield the groups of two or more rows with the same numbers."""
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(np.ascontiguousarray(table.points)):
        groups.setdefault(row.tobytes(), []).append(i)
    yield from (group for group in groups.values() if len(group) > 1)


# ------------------------------------------------------------------------------------ words


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def some(items: Sequence[str], most: int = 10) -> str:
    """List items in a sentence, at most so many of them."""
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most:,} more"
    return listed(items)


def listed(items: Sequence[str]) -> str:
    """List items with "and" before the last."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
