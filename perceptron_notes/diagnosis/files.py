"""Tables from files: CSV by the standard library, Parquet by pyarrow if it is there."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from perceptron_notes.diagnosis.table import some

__all__ = ["Columns", "load"]

#: What stands for a missing value; R writes NA, pandas nothing.
_MISSING = frozenset({"", "na", "nan", "n/a", "null", "none", "?"})
_SEPARATORS = ",;\t|"


class Columns:
    """Named columns of equal length, as `diagnose` takes them from a DataFrame."""

    def __init__(self, names: Sequence[str], values: Sequence[Any], index: Any) -> None:
        self.columns, self.index = list(names), np.asarray(index)
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
        return Columns(kept, [self._values[name] for name in kept], self.index)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.column_stack([np.asarray(v, dtype=object) for v in self._values.values()])


def load(path: Path) -> Columns:
    """Read a table from a file; rows of a CSV file are called by their line."""
    if path.suffix.lower() in {".parquet", ".pq"}:
        return _parquet(path)
    names, lines, rows, comma = _cells(path)
    columns = [_column([row[j] for row in rows], comma) for j in range(len(names))]
    return Columns(names, columns, lines)


def _parquet(path: Path) -> Columns:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise ValueError(
            f"{path.name} is a Parquet file, which pyarrow reads: pip install pyarrow"
        ) from None
    try:
        table = parquet.read_table(path)
    except ArrowException as error:
        why = str(error).splitlines()[0]
        raise ValueError(f"{path.name} cannot be read as Parquet: {why}") from None
    names = list(map(str, table.column_names))
    columns = [column.to_numpy() for column in table.columns]
    return Columns(names, columns, range(table.num_rows))


def _cells(path: Path) -> tuple[list[str], list[int], list[list[str]], bool]:
    """Return the names, the lines on which rows begin, and the cells of each row.

    And whether a comma may be a decimal comma, as it is no separator.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path.name}, line {line}: byte {error.object[error.start]:#04x} is not UTF-8; "
            "save the table as CSV UTF-8"
        ) from None
    if "\0" in text[:4096]:
        raise ValueError(f"{path.name} holds null bytes; expected text: a table saved as CSV UTF-8")
    head = text.split("\n", 1)[0]
    separator = max(_SEPARATORS, key=head.count)
    rows = list(_rows(path, text, separator))
    if not rows:
        raise ValueError(f"{path.name} is empty; expected a line of names, and rows below it")
    names = [name.strip() for name in rows[0][1]]
    for j, name in enumerate(names):
        if not name:
            names[j] = f"column {j + 1}"
        elif name in names[:j]:
            raise ValueError(
                f"{path.name}, line 1: columns {names.index(name) + 1} and {j + 1} are both "
                f"called {name!r}"
            )
    for line, row in rows[1:]:
        if len(row) != len(names):
            raise ValueError(
                f"{path.name}, line {line}: {len(row)} values, but line 1 has {len(names)} names "
                f"({some(names, 5)})"
            )
    if len(rows) == 1:
        raise ValueError(f"{path.name} has names in line 1, but no row below them")
    lines, cells = zip(*rows[1:], strict=True)
    return names, list(lines), list(cells), separator in ";\t"


def _rows(path: Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, with the line on which each begins."""
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
    begin = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begin, row
            begin = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{path.name}, line {reader.line_num}: {error}") from None


def _column(cells: list[str], comma: bool) -> Any:
    """Return numbers where all cells are numbers or missing, else text; None where missing."""
    cells = [cell.strip() for cell in cells]
    there = [cell for cell in cells if cell.lower() not in _MISSING]
    try:
        numbers = [_number(cell.replace(",", ".", 1) if comma else cell) for cell in there]
    except ValueError:
        values: list[Any] = [None if cell.lower() in _MISSING else cell for cell in cells]
        return np.array([*values, None], dtype=object)[:-1]
    found = iter(numbers)
    return np.array([np.nan if cell.lower() in _MISSING else next(found) for cell in cells])


def _number(cell: str) -> float:
    """Read a number as other programs do: Python would also take 1_000."""
    if "_" in cell:
        raise ValueError
    return float(cell)
