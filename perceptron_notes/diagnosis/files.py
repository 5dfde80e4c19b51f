"""Tables from CSV files, as many programs write them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from perceptron_notes.diagnosis.table import LIKE_GAPS, number, some
from perceptron_notes.exact.numbers import objects

#: What stands for a missing value; R writes NA, pandas nothing.
_MISSING = frozenset({"", "na", "nan", "n/a", "#n/a", "<na>", "null", "?"})
_MARKED = re.compile(r"[+-]?\d*([.,])\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([.,]\d{3})+")
_WHOLE = re.compile(r"[+-]?\d+")
_SEPARATORS = ",;\t|"


class Columns:
    """Named columns of equal length, as `diagnose` takes them from a DataFrame.

    `place` is what a row's label is the number of, and `notes` say what was made of the file.
    """

    def __init__(
        self,
        names: Sequence[str],
        values: Sequence[Any],
        index: Any,
        place: str = "row",
        notes: Sequence[str] = (),
    ) -> None:
        self.columns, self.index = list(names), np.asarray(index)
        self.place, self.notes = place, notes
        self._values = dict(zip(names, values, strict=True))

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def without(self, names: Sequence[str]) -> Columns:
        """Leave columns out."""
        for name in names:
            if name not in self._values:
                raise ValueError(f"no column is called {name!r}; there are {some(self.columns, 8)}")
        kept = [name for name in self.columns if name not in names]
        values = [self._values[name] for name in kept]
        return Columns(kept, values, self.index, self.place, self.notes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.column_stack([np.asarray(v, dtype=object) for v in self._values.values()])


def load(path: Path) -> Columns:
    """Read a table; its rows are called by their line, or by a first column without a name."""
    names, lines, cells, comma = _cells(path)
    marks = _decimal_marks(path, names, lines, cells) if comma else "."
    columns = [_column(column, marks) for column in cells]
    if names[0] or len(names) < 3 or not _calls_rows(columns[0]):
        named = [name or f"column {j + 1}" for j, name in enumerate(names)]
        return Columns(named, columns, lines, "line")
    named = [name or f"column {j + 2}" for j, name in enumerate(names[1:])]
    labels = [int(a) if isinstance(a, float) else a for a in columns[0].tolist()]
    note = "The first column, which has no name, calls the rows."
    return Columns(named, columns[1:], objects(labels), "row", [note])


def _calls_rows(values: Any) -> bool:
    """Tell whether a column counts the rows, or has another text for each."""
    if values.dtype.kind == "f":
        return bool(np.isin(values[0], (0, 1)) and (np.diff(values) == 1).all())
    return None not in values.tolist() and len(set(values.tolist())) == len(values)


def _cells(path: Path) -> tuple[list[str], list[int], list[list[str]], bool]:
    """Return the names, the lines on which rows begin, and the cells of each column.

    And whether a comma may be a decimal comma, as it is no separator.
    """
    text = _text(path)
    separator, skipped = _separator(text)
    rows = list(_rows(path, text, separator, skipped))
    if not rows:
        raise ValueError(f"{path.name} is empty; expected a line of names, and rows below it")
    head, names = rows[0][0], [name.strip() for name in rows[0][1]]
    for j, name in enumerate(names):
        if name and name in names[:j]:
            raise ValueError(
                f"{path.name}, line {head}: columns {names.index(name) + 1} and {j + 1} are both "
                f"called {name!r}"
            )
    for line, row in rows[1:]:
        if len(row) != len(names):
            raise ValueError(
                f"{path.name}, line {line}: {len(row)} values, but line {head} has {len(names)} "
                f"names ({some(names, 5)})"
            )
    if len(rows) == 1:
        raise ValueError(f"{path.name} has names in line {head}, but no row below them")
    lines, cells = zip(*rows[1:], strict=True)
    columns = [[cell.strip() for cell in column] for column in zip(*cells, strict=True)]
    return names, list(lines), columns, separator in ";\t"


def _text(path: Path) -> str:
    """Return what the file holds, with one kind of line end."""
    data = path.read_bytes()
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path.name}, line {line}: byte {error.object[error.start]:#04x} is not "
            f"{'UTF-16' if wide else 'UTF-8'}; save the table as CSV UTF-8"
        ) from None
    if "\0" in text[:4096]:
        raise ValueError(f"{path.name} holds null bytes; expected text: a table saved as CSV UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _separator(text: str) -> tuple[str, int]:
    """Return what separates the cells, and how many lines stand above the names.

    They are empty, or comments, or Excel's ``sep=;``.
    """
    lines, separator = text.split("\n"), ""
    for k, line in enumerate(lines):
        if (told := line.strip(' "')).startswith("sep=") and len(told) == 5:
            separator = told[-1]
            continue
        below = lines[k + 1] if k + 1 < len(lines) else ""
        counts = [(line.count(c), below.count(c)) for c in _SEPARATORS]
        names = not below.startswith("#") and any(a and a == b for a, b in counts)
        if line.strip() and (names or not line.startswith("#")):
            return separator or max(_SEPARATORS, key=line.count), k
    return separator or ",", len(lines)


def _rows(path: Path, text: str, separator: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, with the line on which each begins."""
    lines = StringIO(text)
    for _ in range(skipped):
        next(lines, None)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    begin = 1 + skipped
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begin, row
            begin = reader.line_num + 1 + skipped
    except csv.Error as error:
        raise ValueError(f"{path.name}, line {reader.line_num + skipped}: {error}") from None


def _decimal_marks(path: Path, names: list[str], lines: list[int], cells: list[list[str]]) -> str:
    """Return what may be the decimal mark; refuse numbers that may be read in two ways.

    1,234 beside 958 is 1.234 or 1234, unless 2,5 or 2.5 stands somewhere.
    """
    proved: set[str] = set()
    doubtful: tuple[str, int, str] | None = None
    for j, (name, column) in enumerate(zip(names, cells, strict=True)):
        grouped = [k for k, cell in enumerate(column) if _THOUSANDS.fullmatch(cell)]
        marked = (_MARKED.fullmatch(cell) for cell in column if not _THOUSANDS.fullmatch(cell))
        sure = {found[1] for found in marked if found}
        proved |= sure
        if grouped and not sure and any(map(_WHOLE.fullmatch, column)):
            doubtful = name or f"column {j + 1}", lines[grouped[0]], column[grouped[0]]
    if doubtful and not proved:
        name, line, cell = doubtful
        raise ValueError(
            f"{path.name}, line {line}: {cell!r} in {name!r} may have a decimal mark, or one of "
            "thousands; save the table without the latter"
        )
    return "." if "." in proved else "," if proved else ".,"


def _column(cells: list[str], marks: str) -> Any:
    """Return numbers where all cells are numbers or missing, else text; None where missing."""
    gaps = [cell.lower() in _MISSING or cell.lower() in LIKE_GAPS for cell in cells]
    try:
        numbers = [
            np.nan if gap else _read(cell, marks) for cell, gap in zip(cells, gaps, strict=True)
        ]
    except ValueError:
        return objects([None if cell.lower() in _MISSING else cell for cell in cells])
    if any(isinstance(a, int) for a in numbers):
        return objects([None if gap else a for a, gap in zip(numbers, gaps, strict=True)])
    return np.array(numbers)


def _read(cell: str, marks: str) -> float | int:
    """Read a number with one of these decimal marks; what float64 would round stays whole."""
    if marks == "," and "." in cell:
        raise ValueError
    value = number(cell.replace(",", ".", 1) if "," in marks else cell)
    return int(cell) if abs(value) >= 2.0**53 and _WHOLE.fullmatch(cell) else value
