"""The user's data as numbers: named columns, labelled rows, classes, and what was left out."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import time, timedelta
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from itertools import product
from numbers import Integral, Number, Rational, Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import (
    LARGEST,
    check_order,
    check_several,
    columns_of,
    is_table,
    kind_of,
)
from perceptron_notes._kit.values import Array
from perceptron_notes.diagnosis import questions
from perceptron_notes.diagnosis.cells import LIKE_GAPS, is_date, read_number
from perceptron_notes.diagnosis.decimals import together, typed
from perceptron_notes.diagnosis.languages import Said, counted, say, some
from perceptron_notes.exact.numbers import Exact, objects, row_keys

#: The name of the leading 1's weight in R and statsmodels.
INTERCEPT = "(Intercept)"
#: A text column with more levels than this, and more than half as many as rows, names the rows.
LEVELS = 20
#: More classes than this are most likely measurements.
CLASSES = 50
#: The most memory that a dense table may take, in bytes.
_DENSE = 2 << 30
#: From the position of a row to what it is called.
_Places = Callable[[int], Said]
_DATE = say("date")


class Columns(dict[str, Any]):
    """Columns of equal length by their names.

    `index` holds the labels of the rows, `place` is the kind of thing they number, `notes` tell how
    the file was read, and `source` is its name.
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        index: Sequence[Any],
        place: str = "row",
        notes: Sequence[str] = (),
        source: str = "X",
    ) -> None:
        super().__init__(columns)
        self.index, self.place, self.notes, self.source = index, place, notes, source


@dataclass(frozen=True, eq=False)
class Table:
    """Samples of named columns, without gaps.

    Attributes
    ----------
    points : ndarray of float64, shape (n, d)
        The numbers, each rounded once: for estimates and pictures.
    numbers : ndarray of float64 or Python's ints, shape (n, d)
        The same as whole numbers, for proofs.
    units : tuple of Fraction
        The unit of each column: a number times its unit is what was typed.
    names : tuple of str
        The names of the columns.
    rows : tuple
        The label of each row: from the user's index, or its number, counted from 0, which is also
        used if two rows have the same label. A row that counts k times occurs k times.
    y : ndarray of intp, shape (n,)
        The class of each row, as a number.
    classes : tuple
        The classes in their order.
    target : str
        The name of the labels.
    notes : tuple of str
        Sentences about what was left out, and how columns that are not numbers were converted.
    without : tuple of str
        The columns that were left out, and how many rows with gaps.
    intercept : bool
        Whether planes may lie anywhere; otherwise they go through the origin.
    """

    points: Array
    numbers: Exact
    units: tuple[Fraction, ...]
    names: tuple[str, ...]
    rows: tuple[Any, ...]
    y: npt.NDArray[np.intp]
    classes: tuple[Any, ...]
    target: str
    notes: tuple[str, ...]
    without: tuple[str, ...]
    intercept: bool

    @property
    def called(self) -> tuple[str, ...]:
        """The classes as text: in quotes where both 1 and "1" are classes."""
        plain = tuple(map(str, self.classes))
        return plain if len(set(plain)) == len(plain) else tuple(map(repr, self.classes))

    @property
    def counts(self) -> list[int]:
        """The number of rows of each class."""
        return np.bincount(self.y, minlength=len(self.classes)).tolist()


def read_table(
    X: Any,
    y: Any,
    weights: Any = None,
    category: Sequence[str] = (),
    intercept: bool = True,
    leave_out: Sequence[str] = (),
    missing: Sequence[Any] = (),
    interaction: Sequence[str] = (),
) -> Table:
    """Read samples and their labels; `y` and `weights` may name columns of X."""
    if isinstance(X, Mapping) and not isinstance(X, Columns):
        X = _of_mapping(X)
    check_order(y, X, "y", "X")
    columns, rows = _columns(X)
    source, notes = getattr(X, "source", "X"), list[str](getattr(X, "notes", ()))
    absent = _absent(missing)
    target = name if isinstance(name := getattr(y, "name", None), str) else "y"
    named = isinstance(y, str | Integral) or (isinstance(y, tuple) and _called(y) in dict(columns))
    if named and is_table(X):
        target, y = _called(y), _taken(columns, _called(y), source)
    for name in leave_out:
        if named and name == target:
            raise ValueError(f"{name!r} holds the labels; leave_out takes other columns")
        _taken(columns, name, source)
    labels, n = _listed_labels(y, target), len(rows)
    if len(labels) != n:
        raise ValueError(f"y has {len(labels)} labels for {n} rows of X; expected as many")
    if len(set(rows)) < n:
        rows = range(n)
        notes.append(say("rows_repeat"))
    place = "line_at" if getattr(X, "place", "row") == "line" else "row_at"

    def at(i: int) -> Said:
        return say(place, row=rows[i])

    lacking = np.array([_lacks(label) or label in absent for label in labels], dtype=bool)
    if lacking.all():
        raise ValueError(f"{target} has no label: all {n} are missing")
    if lacking.any():
        notes.append(say("without_label", rows=counted(int(lacking.sum()), "row")))
    times = np.ones(n, dtype=np.int64)
    if weights is not None:
        counts = _taken(columns, weights, source) if isinstance(weights, str) else weights
        times = _times(counts, weights if isinstance(weights, str) else "weights", at, n)
    zero = (times == 0) & ~lacking
    if zero.any():
        notes.append(say("weight_0", rows=counted(int(zero.sum()), "row")))
    for name in category:
        _known(columns, name, source)
    features, without = _features(columns, at, set(category), absent, notes)
    for pair in interaction:
        features += _products(pair, features, source, at)
    measured = [(f.name, f.floats) for f in features if f.name == f.column]
    notes += questions.names(measured if len(features) > 1 else []) + questions.codes(measured)
    names = [feature.name for feature in features]
    for name, times_taken in Counter([INTERCEPT, *names]).items():
        if times_taken > 1:
            raise ValueError(f"{source} has the column {name!r} twice; expected names that differ")
    holes = np.column_stack([np.isnan(feature.floats) for feature in features])
    holes[lacking | zero] = False
    gaps = holes.any(axis=1)
    if gaps.any():
        worst, left = names[int(holes.sum(axis=0).argmax())], counted(int(gaps.sum()), "row")
        notes.append(say("with_gap", rows=left, column=worst))
        without.append(say("rows_with_gap", rows=left))
        if (lacking | zero | gaps).all():
            raise ValueError(f"no row of {source} is without a gap; column {worst!r} has the most")
    times[lacking | zero | gaps] = 0
    total = sum(times.tolist())
    if total > n and total * len(names) * 8 > _DENSE:
        raise ValueError(f"the weights make {total:,} rows; expected fewer, as a share of them")
    kept = np.repeat(np.arange(n), times.astype(np.intp))  # intp is narrower on 32 bits
    codes, classes = _classes([labels[i] for i in kept.tolist()], target, y)
    notes += questions.alike(classes)
    return Table(
        np.column_stack([feature.floats[kept] for feature in features]),
        together([feature.numbers[kept] for feature in features]),
        tuple(feature.unit for feature in features),
        tuple(names),
        tuple(rows[i] for i in kept.tolist()),
        codes,
        classes,
        target,
        tuple(notes),
        tuple(without),
        intercept,
    )


def _times(weights: Any, name: str, at: _Places, n: int) -> npt.NDArray[np.int64]:
    """Return how often each row counts."""
    values, lacking = _values(weights)
    if values.shape != (n,):
        raise ValueError(f"{name} has shape {values.shape}; expected ({n},), one a row")
    for i, (value, lacks) in enumerate(zip(values.tolist(), lacking.tolist(), strict=True)):
        if lacks or not isinstance(value, float) or value < 0 or value % 1:
            said = "missing" if lacks else repr(value).removesuffix(".0")
            raise ValueError(f"{name} is {said} in {at(i)}; expected a count: 0, 1, 2, …")
    if not any(values.tolist()):
        raise ValueError(f"{name} is 0 in all rows; expected a count above 0 in some")
    return np.array(values, dtype=np.int64)


# ---------------------------------------------------------------------------------- columns


class _Feature(NamedTuple):
    """A column after reading: floats with NaN for gaps, and what was typed, whole in a unit."""

    column: str
    name: str
    floats: Array
    numbers: Exact
    unit: Fraction


def _columns(X: Any) -> tuple[list[tuple[str, Any]], Sequence[Any]]:
    """Return the columns with their names, and the labels of the rows."""
    if is_table(X):
        named = [(_called(name), column) for name, column in columns_of(X)]
        index = getattr(X, "index", None)
        rows = range(len(X)) if index is None else list(index)
        if not named or not rows:
            raise ValueError(f"X has {len(rows)} rows and {len(named)} columns; expected both")
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
    if array.dtype.kind in "USTf" and not hasattr(X, "__array__"):
        # So numbers stay numbers beside text, and ints beside floats.
        array = np.array(X, dtype=object)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"X has shape {array.shape}; expected (n, d), a row for each sample"
            + (", so X.reshape(-1, 1) for one column" if array.ndim == 1 else "")
        )
    return [(f"column {j}", column) for j, column in enumerate(array.T)], range(len(array))


def _unmasked(array: Any) -> Any:
    """Return a masked array as objects, with None where it is masked."""
    return np.array(array.tolist(), dtype=object) if np.ma.isMaskedArray(array) else array


def _called(name: Any) -> str:
    """Return the name of a column as text; the parts of a tuple with spaces between them."""
    return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _of_mapping(columns: Mapping[Any, Any]) -> Columns:
    """Return a dict of columns as a table."""
    values = {
        _called(name): column if hasattr(column, "__array__") else objects(check_several(
            column, f"column {name!r}", "a value for each row"))
        for name, column in columns.items()
    }  # fmt: skip
    shapes = {name: np.shape(column) for name, column in values.items()}
    if len(set(shapes.values())) > 1 or any(len(shape) != 1 for shape in shapes.values()):
        raise ValueError(f"X has columns of the shapes {shapes}; expected one, (n,)")
    return Columns(values, range(max((n for (n,) in shapes.values()), default=0)))


def _absent(missing: Sequence[Any]) -> set[Any]:
    """Return the further codes for a missing value: as text, and as a number where they are one."""
    for value in missing:
        if not isinstance(value, str | Number):
            raise TypeError(f"missing has {value!r}; expected numbers or text")
    return {a for v in missing for a in (v, str(v), (read_number(str(v)) or (v,))[0])}


def _known(columns: list[tuple[str, Any]], name: str, source: str) -> int:
    """Return the position of a column, by its name."""
    if not isinstance(name, str):
        raise TypeError(f"{name!r} is no name of a column of {source}; expected text")
    names = [other for other, _ in columns]
    if names.count(name) == 1:
        return names.index(name)
    if name in names:
        raise ValueError(f"{source} has {names.count(name)} columns {name!r}; expected one")
    small = {other.strip().lower(): other for other in names}
    near = get_close_matches(name.strip().lower(), small, 1)
    hint = f"did you mean {small[near[0]]!r}?" if near else (
        f"its columns are {some([repr(other) for other in names], 8)}"
    )  # fmt: skip
    raise ValueError(f"{source} has no column {name!r}; {hint}")


def _taken(columns: list[tuple[str, Any]], name: str, source: str) -> Any:
    """Remove a column by its name, and return it."""
    j = _known(columns, name, source)
    if len(columns) == 1:
        raise ValueError(f"without {name!r} {source} has no column; expected some to learn from")
    return columns.pop(j)[1]


def _features(
    columns: list[tuple[str, Any]], at: _Places, category: set[str], absent: set[Any],
    notes: list[str],
) -> tuple[list[_Feature], list[str]]:  # fmt: skip
    """Return the columns as numbers, and the names of those left out.

    Text and categories become a column of 0 and 1 for each level but the first.
    """
    found: list[_Feature] = []
    aside: dict[str, str] = {}
    for name, column in columns:
        kind = getattr(column, "cat", column)  # a pandas category has levels of any kind
        levels = name in category or getattr(kind, "categories", None) is not None
        values, lacking = _values(column, levels, absent)
        there = values[~lacking].tolist()
        words = values.dtype == object and all(isinstance(v, str | bytes) for v in there)
        if lacking.mean() > 0.5:
            aside[name] = say("mostly_missing", n=len(lacking), k=int(lacking.sum()))
        elif not levels and _is_dates(values, there):
            aside[name] = _DATE
        elif levels or words:
            order = _in_order(set(there), column)
            if why := _no_levels(values, lacking, order, at, levels):
                aside[name] = why
                continue
            level = order[0]
            first = say("quoted", text=level) if isinstance(level, str) else str(level)
            notes.append(say("is_levels" if levels else "is_text", name=name, first=first))
            code = {level: k for k, level in enumerate(order)}
            codes = np.array([-1 if g else code[v] for v, g in zip(values, lacking, strict=True)])
            for k, level in enumerate(order[1:], 1):
                ones = (codes == k).astype(np.float64)
                floats = np.where(lacking, np.nan, ones)
                found.append(_Feature(name, f"{name}={level}", floats, ones, Fraction(1)))
        elif values.dtype.kind == "f" or all(isinstance(v, Real | Decimal) for v in there):
            try:
                found.append(_measured(name, name, values, lacking, at))
            except ValueError as why_not:
                aside[name] = why_not.args[0]
        else:
            aside[name] = say("no_numbers", dtype=getattr(column, "dtype", values.dtype))
    if aside:
        alike = {why: [name for name in aside if aside[name] == why] for why in aside.values()}
        each = [say("why", names=some(n), why=why) for why, n in alike.items()]
        notes.append(say("left_out", each=each))
    if not found:
        raise ValueError(f"There is no column of numbers. {notes[-1]}")
    return found, list(aside)


def _is_dates(values: npt.NDArray[Any], there: list[Any]) -> bool:
    """Return whether these are dates or times, as such or as text."""
    # Python's dates and pandas' Periods have a year.
    return values.dtype.kind in "mM" or all(
        is_date(v) if isinstance(v, str) else isinstance(v, time | timedelta) or hasattr(v, "year")
        for v in there
    )


def _measured(
    column: str, name: str, values: Exact, lacking: npt.NDArray[np.bool_], at: _Places
) -> _Feature:
    """Return a column of numbers; raise ValueError with the reason if it cannot be one."""
    floats = values
    if values.dtype == object:
        floats = np.array([float(v) if -LARGEST <= v <= LARGEST else np.inf for v in values])
    for i in np.flatnonzero(~(np.abs(floats) <= LARGEST))[:1]:
        raise ValueError(say("too_large", place=at(i), value=values[i], most=LARGEST))
    exact = typed(values)
    if exact is None:
        raise ValueError(say("too_far_apart"))
    return _Feature(column, name, np.where(lacking, np.nan, floats), *exact)


def _products(pair: str, features: list[_Feature], source: str, at: _Places) -> list[_Feature]:
    """Return the products of two columns, or of every two of their levels."""
    two = [[f for f in features if f.column == name] for name in pair.split(":")]
    if len(two) != 2 or not all(two):
        used = some(list(dict.fromkeys(repr(f.column) for f in features)), 8)
        raise ValueError(
            f"interaction is {pair!r}; expected a:b, two columns of {source} that are used: {used}"
        )
    found = []
    for a, b in product(*two):
        unit, lacking = a.unit * b.unit, np.isnan(a.floats) | np.isnan(b.floats)
        values = [unit * int(p) * int(q) for p, q in zip(a.numbers, b.numbers, strict=True)]
        found.append(_measured(pair, f"{a.name}:{b.name}", objects(values), lacking, at))
    return found


def _no_levels(
    values: Exact, lacking: npt.NDArray[np.bool_], levels: list[Any], at: _Places, named: bool
) -> str:
    """Return why a column cannot become one column for each level; "" if it can."""
    k, n = len(levels), int((~lacking).sum())
    if k * len(values) * 8 > _DENSE:
        return say("many_levels", k=k, n=n)
    if named:
        return ""
    many = k > max(LEVELS, n / 2) or k == n > 2
    there = np.flatnonzero(~lacking).tolist()
    odd = [i for i in there if not any(read_number(str(values[i]), mark) for mark in ".,")]
    count = n - len(odd)
    if odd and count > (0.5 if k > LEVELS or many else 0.9) * n:
        i = next((i for i in odd if values[i] not in LIKE_GAPS), odd[0])
        return say("partly_numbers", k=count, n=n, place=at(i), value=values[i])
    if not odd and {mark for i in there for mark in ".," if mark in values[i]} == {*".,"}:
        return say("mixed_marks")
    return say("many_texts", value=levels[0], k=k, n=n) if many else ""


def _in_order(values: set[Any], column: Any) -> list[Any]:
    """Return the values in order, those of an ordered categorical in its own order."""
    kind = getattr(column, "cat", column)
    if getattr(kind, "ordered", False) is True:
        return [value for value in kind.categories if value in values]
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def _values(
    column: Any, levels: bool = False, absent: Collection[Any] = ()
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return the values of a column, and which are missing; missing numbers are 0.

    Numbers are float64 if each stands for its shortest decimal, else exact objects.
    """
    lacking = getattr(column, "isna", None) or getattr(column, "is_null", None)
    gaps = None if lacking is None else np.asarray(lacking(), dtype=bool)
    values = np.asarray(_unmasked(column))
    kind = str(getattr(column, "dtype", None) or getattr(column, "type", values.dtype)).lower()
    if values.dtype.kind == "f" and not kind.startswith(("float", "double", "halffloat")):
        # Whole numbers or Decimals that gaps have turned into floats.
        values = objects(getattr(column, "to_pylist", lambda: list(column))())
    if levels or values.dtype.kind in "UST":
        listed = values.tolist()  # 2001.0 is the year 2001
        values = objects([int(v) if isinstance(v, float) and v % 1 == 0 else v for v in listed])
    if gaps is None and values.dtype.kind == "O":
        gaps = np.array([_lacks(value) for value in values.tolist()], dtype=bool)
    elif gaps is None:
        gaps = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    if absent:
        gaps = gaps | np.array([isinstance(v, Hashable) and v in absent for v in values.tolist()])
    if levels or values.dtype.kind not in "buifO":
        return values, gaps
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
        # For a shorter float, the decimal that was typed is the shortest one at its own precision.
        values = values if values.dtype.itemsize == 8 else values.astype("U32").astype(np.float64)
        return np.where(gaps, 0.0, values) + 0.0, gaps  # −0 is 0
    if values.dtype.kind in "bui" and max(-int(values.min()), int(values.max())) < 2**53:
        return values.astype(np.float64), gaps
    listed = [0 if g else _unrounded(v) for v, g in zip(values.tolist(), gaps, strict=True)]
    if None in listed:
        return values.astype(object), gaps
    if all(isinstance(v, float) or (isinstance(v, int) and abs(v) < 2**53) for v in listed):
        return np.array(listed, dtype=np.float64) + 0.0, gaps
    return objects([Decimal(repr(v)) if isinstance(v, float) else v for v in listed]), gaps


def _unrounded(value: Any) -> Any:
    """Return a number as an int, a Fraction, a Decimal, or a float; None if it is not a number."""
    if isinstance(value, Integral | np.bool_):
        return int(value)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, np.floating) and not isinstance(value, float):
        return Decimal(str(value))
    return value if isinstance(value, float | Decimal) else None


# ----------------------------------------------------------------------------------- labels


def _listed_labels(y: Any, target: str) -> list[Any]:
    """Return the labels as a list of Python values."""
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
    """Return whether a value is missing: None, NaN, or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True
    except ValueError:  # an array
        return False


def _classes(
    labels: list[Any], target: str, y: Any
) -> tuple[npt.NDArray[np.intp], tuple[Any, ...]]:
    """Return the number of the class of each label, and the classes in order."""
    classes = _in_order(set(labels), y)
    parts = [c for c in classes if isinstance(c, float) and not c.is_integer()]
    scarce = isinstance(classes[0], float | int) and len(labels) < 3 * len(classes)
    if len(classes) > CLASSES or (len(classes) > 2 and (parts or scarce)):
        raise ValueError(
            f"{target} has {len(classes)} different values, such as {[*parts, *classes][0]!r}; "
            "expected classes, "
            f"at most {CLASSES}, with some rows each. Of a measurement, y > threshold makes two"
        )
    if len(classes) < 2:
        raise ValueError(
            f"{target} has one class, {repr(classes[0]).removesuffix('.0')}; expected two or more"
        )
    code = {label: k for k, label in enumerate(classes)}
    whole = [int(c) if isinstance(c, float) and c.is_integer() else c for c in classes]
    return np.array([code[label] for label in labels], dtype=np.intp), tuple(whole)


# -------------------------------------------------------------------------- oddities of rows


def constant(table: Table) -> list[str]:
    """Return the columns that have the same value in every row."""
    columns = zip(table.names, table.numbers.T, strict=True)
    return [name for name, column in columns if (column == column[0]).all()]


def repeats(table: Table) -> tuple[int, list[tuple[Any, ...]], int]:
    """Compare the rows that have the same numbers.

    Return how many repeat an earlier one, label included; the groups with different labels, as
    labels of rows; and the number of rows on which every plane errs because of these.
    """
    groups: dict[Any, list[int]] = {}
    for i, row in enumerate(row_keys(table.numbers)):
        groups.setdefault(row, []).append(i)
    repeated, contradictory, mistakes = 0, [], 0
    for group in groups.values():
        if len(group) == 1:
            continue
        counts = np.bincount(table.y[group])
        classes = int((counts > 0).sum())
        repeated += len(group) - classes
        if classes > 1:
            contradictory.append(tuple(dict.fromkeys(table.rows[i] for i in group)))
            mistakes += len(group) - int(counts.max())
    repeated -= len(table.rows) - len(set(table.rows))  # less those that a weight repeats
    return repeated, contradictory, mistakes
