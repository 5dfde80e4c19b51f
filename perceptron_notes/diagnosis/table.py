"""What the user gave, as numbers: named columns, labelled rows, classes, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real
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
from perceptron_notes.diagnosis.separability import INTERCEPT
from perceptron_notes.exact.numbers import objects

#: A text column with more levels than this, or hardly a third as many as rows, names the rows.
LEVELS = 20
#: More classes than this are most likely measurements.
CLASSES = 50
#: In a column of numbers these stand for missing values too.
LIKE_GAPS = frozenset({"none", ".", "-"})
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
        The label of each row: that of the user's index, or its number, counted from 0, also if
        two rows have one label.
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
    def called(self) -> tuple[str, ...]:
        """How the classes are written: in quotes where 1 and "1" both are one."""
        plain = tuple(map(str, self.classes))
        return plain if len(set(plain)) == len(plain) else tuple(map(repr, self.classes))

    @property
    def counts(self) -> list[int]:
        """How many rows each class has."""
        return np.bincount(self.y, minlength=len(self.classes)).tolist()


def read(X: Any, y: Any) -> Table:
    """Read samples and their labels; `y` may be the name of a column of X."""
    check_order(y, X, "y", "X")
    columns, rows = _columns(X)
    notes: list[str] = list(getattr(X, "notes", ()))
    target = "y"
    if isinstance(y, str) or (isinstance(y, Integral) and is_table(X)):
        target, y = str(y), _taken(columns, str(y))
    elif isinstance(name := getattr(y, "name", None), str):
        target = name
    labels = _listed_labels(y, target)
    if len(labels) != len(rows):
        raise ValueError(f"y has {len(labels)} labels for {len(rows)} rows of X; expected as many")
    if len(set(rows)) < len(rows):
        rows = range(len(rows))
        notes.append("The labels of the rows repeat: rows are counted from 0 instead.")
    place = getattr(X, "place", "row")
    numbers, names = _numbers(columns, [f"{place} {row}" for row in rows], notes)
    if renamed := [f"{old} to {new}" for old, new in distinct(names)]:
        notes.append(f"Renamed, as the name is taken: {some(renamed)}.")
    missing = np.array([_lacks(label) for label in labels], dtype=bool)
    if missing.all():
        raise ValueError(f"{target} has no label: all {len(labels)} are missing")
    if missing.any():
        notes.append(f"{counted(int(missing.sum()), 'row')} without a label left out.")
    gaps = np.isnan(numbers).any(axis=1) & ~missing
    if gaps.any():
        worst = int(np.isnan(numbers[~missing]).sum(axis=0).argmax())
        notes.append(
            f"{counted(int(gaps.sum()), 'row')} with a gap left out (most gaps: {names[worst]})."
        )
    kept = ~(missing | gaps)
    if not kept.any():
        raise ValueError(f"no row of X is without a gap; column {names[worst]!r} has the most")
    used = [label for label, k in zip(labels, kept, strict=True) if k]
    codes, classes = _classes(used, target, _order(y))
    if alike := _alike(classes):
        notes.append(f"{alike} differ only in case or spaces: are they one class?")
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
    X = _unmasked(X)
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


def _unmasked(array: Any) -> Any:
    """Return a masked array as objects, None where it is masked."""
    if not np.ma.isMaskedArray(array):
        return array
    objects = np.array(array, dtype=object)
    objects[np.ma.getmaskarray(array)] = None
    return objects


def distinct(names: list[str]) -> list[tuple[str, str]]:
    """Number names that are taken already, in place; return the old and the new ones."""
    seen, renamed = {INTERCEPT}, []
    for j, name in enumerate(names):
        k = 2
        while names[j] in seen:
            names[j], k = f"{name} ({k})", k + 1
        seen.add(names[j])
        if names[j] != name:
            renamed.append((name, names[j]))
    return renamed


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


def _numbers(
    columns: list[tuple[str, Any]], places: list[str], notes: list[str]
) -> tuple[Array, list[str]]:
    """Return the columns as numbers, NaN for a gap; text makes a column for each further level."""
    numbers: list[Array] = []
    names: list[str] = []
    aside: list[str] = []
    for name, column in columns:
        values, lacking = _values(column)
        if lacking.mean() > 0.5:
            aside.append(f"{name} (of {len(lacking)} values {int(lacking.sum())} are missing)")
        elif _beyond(values, lacking):
            aside.append(f"{name} (whole numbers beyond 2⁵³, which float64 would round)")
        elif values.dtype.kind in "buif":
            numbers.append(_floats(values, lacking, name, places))
            names.append(name)
        elif values.dtype.kind == "O" and all(
            isinstance(value, str | bytes) for value in values[~lacking].tolist()
        ):
            levels = _in_order(set(values[~lacking].tolist()), _order(column))
            if why := _no_levels(values, levels, places):
                aside.append(f"{name} ({why})")
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


def _no_levels(values: npt.NDArray[Any], levels: list[Any], places: list[str]) -> str:
    """Say why a text column cannot be one column for each level; nothing if it can."""
    k, n = len(levels), len(values)
    many = k > min(LEVELS, max(2, n // 3))
    there = [(i, v) for i, v in enumerate(values.tolist()) if isinstance(v, str | bytes)]
    odd = [(i, v) for i, v in there if not _is_number(v)]
    count = len(there) - len(odd)
    if odd and count > (0.5 if many else 0.9) * len(there):
        i, v = next((one for one in odd if one[1] not in LIKE_GAPS), odd[0])
        return f"{count:,} of {len(there):,} are numbers; {places[i]} has {v!r}"
    if not many:
        return ""
    return f"text, {k} different values" + ("" if k > LEVELS or k == n else f" in only {n} rows")


def _is_number(text: str | bytes) -> bool:
    try:
        number((text.decode() if isinstance(text, bytes) else text).replace(",", ".", 1))
    except ValueError:
        return False
    return True


def number(cell: str) -> float:
    """Read a number as other programs do: Python would also take 1_000."""
    if "_" in cell:
        raise ValueError
    return float(cell)


def _order(column: Any) -> list[Any]:
    """Return the categories of an ordered categorical; nothing for any other column."""
    kind = getattr(column, "cat", column)
    return list(kind.categories) if getattr(kind, "ordered", False) is True else []


def _in_order(values: set[Any], order: list[Any]) -> list[Any]:
    """Sort values, those of an ordered categorical as it has them."""
    if order:
        return [value for value in order if value in values]
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def _beyond(values: npt.NDArray[Any], lacking: npt.NDArray[np.bool_]) -> bool:
    """Tell whether there are whole numbers that float64 would round."""
    if values.dtype.kind in "iu":
        return max(-int(values.min()), int(values.max())) > 2**53
    there = values[~lacking].tolist() if values.dtype.kind == "O" else []
    return any(isinstance(value, Integral) and abs(int(value)) > 2**53 for value in there)


def _values(column: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return the values of a column, and which are missing."""
    lacking = getattr(column, "isna", None) or getattr(column, "is_null", None)
    gaps = None if lacking is None else np.asarray(lacking(), dtype=bool)
    values = np.asarray(_unmasked(column))
    if values.dtype.kind == "f" and getattr(getattr(column, "dtype", None), "kind", "f") in "iu":
        values = np.asarray(column, dtype=object)  # whole numbers, which gaps made floats
    if values.dtype.kind in "UST" or hasattr(column, "categories") or hasattr(column, "cat"):
        values = values.astype(object)
    if values.dtype.kind == "O":
        if gaps is None:
            gaps = np.array([_lacks(value) for value in values.tolist()], dtype=bool)
        there = values[~gaps].tolist()
        numbers = all(isinstance(value, Real | Decimal | np.bool_) for value in there)
        if there and numbers and not _beyond(values, gaps):
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


def _floats(
    values: npt.NDArray[Any], lacking: npt.NDArray[np.bool_], name: str, places: list[str]
) -> Array:
    """Return the numbers of a column as float64, NaN where they are missing."""
    floats = values.astype(np.float64)
    floats[lacking] = np.nan
    wrong = np.flatnonzero(np.abs(floats) > LARGEST)
    if len(wrong):
        raise ValueError(
            f"X has {floats[wrong[0]]} in {name!r}, {places[wrong[0]]}; expected numbers of size "
            f"at most {LARGEST:g}"
        )
    return floats + 0.0  # −0 is 0


# ----------------------------------------------------------------------------------- labels


def _listed_labels(y: Any, target: str) -> list[Any]:
    """Return the labels as a list of Python's own values."""
    if hasattr(y, "toarray"):
        raise TypeError("y is sparse; expected a label for each row")
    array = np.asarray(_unmasked(y))
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.ndim != 1 or len(array) == 0:
        shape = f"has shape {array.shape}" if array.ndim else f"is {kind_of(y)}"
        raise ValueError(f"y {shape}; expected (n,), a label for each row of X")
    if array.dtype.kind in "UST" and isinstance(y, list | tuple):
        array = objects(y)
    if array.dtype.kind not in "buifOUST":
        raise TypeError(f"y has dtype {array.dtype}; expected labels: numbers or names")
    labels: list[Any] = array.tolist()
    for label in labels:
        if isinstance(label, list | dict | set | np.ndarray):
            raise TypeError(f"{target} has {label!r}, {kind_of(label)}; expected numbers or names")
    return labels


def _lacks(value: Any) -> bool:
    """Tell whether a value is missing: None, NaN, or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True
    except ValueError:  # an array
        return False


def _classes(
    labels: list[Any], target: str, order: list[Any]
) -> tuple[npt.NDArray[np.intp], tuple[Any, ...]]:
    """Return the number of the class of each label, and the classes in order."""
    classes = _in_order(set(labels), order)
    numbers = [c for c in classes if isinstance(c, float) and not c.is_integer()]
    scarce = (
        len(classes) > 2 and isinstance(classes[0], float | int) and len(labels) < 3 * len(classes)
    )
    if len(classes) > CLASSES or (len(classes) > 2 and numbers) or scarce:
        example = in_full(numbers[0]) if numbers else repr(classes[0])
        raise ValueError(
            f"{target} has {len(classes)} different values, such as {example}; expected classes, "
            f"at most {CLASSES}, with some rows each. Of a measurement, y > threshold makes two"
        )
    if len(classes) < 2:
        raise ValueError(f"{target} has one class, {classes[0]!r}; expected two or more")
    code = {label: k for k, label in enumerate(classes)}
    whole = [int(c) if isinstance(c, float) and c.is_integer() else c for c in classes]
    return np.array([code[label] for label in labels], dtype=np.intp), tuple(whole)


def _alike(classes: Sequence[Any]) -> str:
    """Name classes that differ only in case or spaces."""
    seen: dict[str, Any] = {}
    for label in classes:
        if isinstance(label, str):
            other = seen.setdefault("".join(label.split()).casefold(), label)
            if other is not label:
                return f"{other!r} and {label!r}"
    return ""


# -------------------------------------------------------------------------- oddities of rows


def constant(table: Table) -> list[str]:
    """Return the columns that have the same value in every row."""
    same = (table.points == table.points[0]).all(axis=0)
    return [name for name, s in zip(table.names, same.tolist(), strict=True) if s]


def repeats(table: Table) -> tuple[int, list[tuple[Any, ...]], int]:
    """Compare the rows that have the same numbers.

    Return how many repeat an earlier one, label included; the groups with different labels, as
    labels of rows; and on how many rows every plane errs because of these.
    """
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(np.ascontiguousarray(table.points)):
        groups.setdefault(row.tobytes(), []).append(i)
    repeated, contradictory, mistakes = 0, [], 0
    for group in groups.values():
        if len(group) == 1:
            continue
        counts = np.bincount(table.y[group])
        classes = int((counts > 0).sum())
        repeated += len(group) - classes
        if classes > 1:
            contradictory.append(tuple(table.rows[i] for i in group))
            mistakes += len(group) - int(counts.max())
    return repeated, contradictory, mistakes


# ------------------------------------------------------------------------------------ words


def counted(k: int, what: str) -> str:
    """Write how many of something there are."""
    return f"{k:,} {what}" if k == 1 else f"{k:,} {what}s"


def some(items: Sequence[str], most: int = 10) -> str:
    """List items in a sentence, at most so many of them."""
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most:,} more"
    return listed(items)


def listed(items: Sequence[str]) -> str:
    """List items with "and" before the last."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
